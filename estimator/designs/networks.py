"""Specs → their sized networks, or the reasons why there is none."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from estimator.catalog.catalog import Catalog
from estimator.errors import InfeasibleDesign, Problem
from estimator.fabric.columns import Sizing
from estimator.fabric.size import size
from estimator.fabric.sized import SizedFabric, fabric_of
from estimator.spec.design import DesignSpec

if TYPE_CHECKING:
    from estimator.networks.sizing import OtherSized


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
) -> list[tuple["OtherSized", ...]]:
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
