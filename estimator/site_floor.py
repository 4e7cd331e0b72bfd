"""The floor plan of a design with all its networks: one and the same for the estimate, the link lists and the pages."""

from collections.abc import Sequence

from estimator.catalog.loader import Catalog
from estimator.floor_devices import Network
from estimator.floor_plan import FloorPlan, floor_plan
from estimator.other_fabrics import OtherSized, size_others
from estimator.other_links import other_table
from estimator.spec import DesignSpec
from estimator.topology import LinkTable


def design_floor(
    spec: DesignSpec, table: LinkTable, catalog: Catalog, others: Sequence[OtherSized] | None = None
) -> FloorPlan | None:
    """The floor that ``site.plan`` asks for, or None.

    ``table`` is the compute network's; ``others`` saves sizing the other networks where they are at hand.
    """
    if spec.site.plan is None:
        return None
    sized = size_others([spec], [table.fabric], catalog)[0] if others is None else others
    networks = [
        Network(one.key, other_table(one, table.fabric, sized, catalog), one.entry.generation or spec.fabric.generation)
        for one in sized
    ]
    return floor_plan(spec, table, catalog, networks)
