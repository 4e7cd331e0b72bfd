"""The options of a board pack as its pages name them, and what was drawn of each."""

from collections.abc import Sequence

from designer.wording.comparison import named
from estimator.compare.result import ComparisonResult
from estimator.pdf.grid import Field
from estimator.result import PricedEstimate


def fields_of(result: ComparisonResult, first: str) -> list[Field]:
    n = len(result.items)
    return [Field(first, 0.26), *(Field(named(result, k), 0.74 / n, is_number=True) for k in range(n))]


def has_draws(option: PricedEstimate, key: str) -> bool:
    return bool(option.cost.uncertainty and key in option.cost.uncertainty.figures)


def drawn_range(option: PricedEstimate, key: str) -> tuple[float, float, float]:
    if option.cost.uncertainty is None:
        raise ValueError("nothing was drawn")
    one = option.cost.uncertainty.figures[key]
    return one.p5, one.p50, one.p95


def of_sides(
    result: ComparisonResult, options: Sequence[PricedEstimate | None]
) -> list[tuple[str, PricedEstimate | None]]:
    return [(named(result, k), option) for k, option in enumerate(options)]


NO_ESTIMATE = "An offer: its lines are compared, and nothing is estimated of it."
