"""Specs → their sized networks and cables, or the reasons why there are none."""

from collections.abc import Sequence

from estimator.cabling.plan import cable_plan
from estimator.cabling.runs import CablePlan
from estimator.catalog.catalog import Catalog
from estimator.errors import InfeasibleDesign, Problem
from estimator.fabric.columns import Sizing
from estimator.fabric.size import size
from estimator.fabric.sized import SizedFabric, fabric_of
from estimator.fabric.topology import link_table, panels_of
from estimator.networks.sized import OtherSized
from estimator.spec.design import DesignSpec


def sized_fabrics(specs: Sequence[DesignSpec], catalog: Catalog) -> tuple[Sizing, list[SizedFabric]]:
    """The compute fabric of every spec, sized in one pass.

    Raises
    ------
    InfeasibleDesign
        With the problems of every spec that no fabric of its parts can meet.
    """
    sizing = size(specs, catalog)
    problems: list[Problem] = []
    for i in (i for i in range(len(specs)) if sizing.tiers[i] == 0):
        from estimator.designs.refusals import why_not  # for a fast start: most designs can be built

        problems += why_not(sizing, i, specs[i], catalog)
    if problems:
        raise InfeasibleDesign(problems)
    return sizing, [fabric_of(sizing, i, spec) for i, spec in enumerate(specs)]


def sized_others(
    specs: Sequence[DesignSpec], fabrics: Sequence[SizedFabric], catalog: Catalog
) -> list[tuple[OtherSized, ...]]:
    """The networks beside the compute network of every spec, whose ``fabrics`` are sized.

    Raises
    ------
    InfeasibleDesign
        With the problems of every entry that no fabric of its parts can meet.
    """
    if not any(spec.other_fabrics for spec in specs):
        return [()] * len(specs)
    from estimator.designs.refusals import why_not  # both for a fast start: few designs ask for other networks
    from estimator.networks.sizing import size_others

    return size_others(specs, fabrics, catalog, why_not)


def design_plan(
    spec: DesignSpec, fabric: SizedFabric, catalog: Catalog, others: Sequence[OtherSized] | None = None
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
