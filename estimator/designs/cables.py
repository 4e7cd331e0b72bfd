"""Cables and transceivers of a design's compute network, with the floor that its request asks for."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from estimator.cabling.plan import cable_plan
from estimator.cabling.runs import CablePlan
from estimator.catalog.catalog import Catalog
from estimator.designs.networks import sized_others
from estimator.fabric.sized import SizedFabric
from estimator.fabric.topology import link_table, panels_of
from estimator.spec.design import DesignSpec

if TYPE_CHECKING:
    from estimator.networks.sizing import OtherSized


def design_plan(
    spec: DesignSpec, fabric: SizedFabric, catalog: Catalog, others: Sequence["OtherSized"] | None = None
) -> CablePlan:
    """The cables of the compute network; ``others`` saves sizing the other networks of its floor where they are at hand.

    Raises
    ------
    InfeasibleDesign
        As ``cable_plan``, and with a floor plan if one of the other networks that stand on it cannot be built.
    """
    if spec.site.plan is None:
        return cable_plan(spec, fabric, catalog)
    from estimator.floor.design import design_floor  # for a fast start: few designs ask for a floor plan

    table = link_table(fabric, panels_of(spec, fabric, catalog))
    if others is None:
        (others,) = sized_others([spec], [fabric], catalog)
    return cable_plan(spec, fabric, catalog, table=table, floor=design_floor(spec, table, catalog, others))
