"""Specs → their sized compute fabrics, or the reasons why there is none."""

from collections.abc import Sequence

from estimator.catalog.loader import Catalog
from estimator.errors import InfeasibleDesign, Problem
from estimator.fabric import SizedFabric, fabric_of
from estimator.sizing import Sizing, size
from estimator.spec import DesignSpec


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
        from estimator.diagnosis import why_not  # most designs can be built

        problems += why_not(sizing, i, specs[i], catalog)
    if problems:
        raise InfeasibleDesign(problems)
    return sizing, [fabric_of(sizing, i, spec) for i, spec in enumerate(specs)]
