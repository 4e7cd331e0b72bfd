"""The floor plan of a design with all its networks: one and the same for the estimate, the link lists and the pages."""

from collections.abc import Sequence

from estimator.catalog.catalog import Catalog
from estimator.fabric.topology import LinkTable
from estimator.floor.devices import Network
from estimator.floor.plan import FloorPlan, floor_plan
from estimator.networks.links import other_table
from estimator.networks.sized import OtherSized
from estimator.spec.design import DesignSpec


def design_floor(
    spec: DesignSpec, table: LinkTable, catalog: Catalog, others: Sequence[OtherSized]
) -> FloorPlan | None:
    """The floor that ``site.plan`` asks for, or None.

    ``table`` is the compute network's, ``others`` are the networks beside it.
    """
    if spec.site.plan is None:
        return None
    networks = [
        Network(
            one.key, other_table(one, table.fabric, others, catalog), one.entry.generation or spec.fabric.generation
        )
        for one in others
    ]
    return floor_plan(spec, table, catalog, networks)
