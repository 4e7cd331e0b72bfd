"""Which option is recommended, why, and what it gives up."""

from typing import NamedTuple

from designer.exports.reports.board.request import BoardRequest
from designer.wording.comparison import named
from designer.wording.numbers import (
    gb_s,
    gbit_s,
    usd,
    usd_range,
)
from estimator.compare.result import ComparedFigure, ComparisonResult
from estimator.ranges import Range
from estimator.wording import in_sentence

SPEEDS = ("busbw_gb_s", "all_to_all_gb_s", "bisection_gbit_s")
A_LOSS = 0.9  # of the best: what is below is said beside the recommendation


class Recommendation(NamedTuple):
    """Which option, and why in sentences."""

    side: int | None
    reasons: tuple[str, ...]


def recommendation(request: BoardRequest, result: ComparisonResult) -> Recommendation:
    """The author's option, or the design without errors that costs least over the years, a GPU where sizes differ."""
    figures = {figure.key: figure for figure in result.figures}
    cost = figures.get("tco_p50_usd") or figures.get("tco_usd")
    by_figures = _cheapest(result, cost)
    side = by_figures if request.recommended is None else request.recommended
    if side is None:
        return Recommendation(
            None, ("No option is a design without errors whose cost is known; the figures recommend none.",)
        )
    reasons = [request.reason] if request.reason else []
    if request.recommended is not None and request.recommended != by_figures and by_figures is not None:
        reasons.append(f"Chosen by the authors; by total cost alone it would be {named(result, by_figures)}.")
    speeds = [figures[key] for key in SPEEDS if key in figures]
    lost = [words for figure in speeds if (words := _loss(result, figure, side))]
    reasons += [
        _cost_reason(result, cost, side),
        _speed_reason(result, figures.get("busbw_gb_s"), side),
        f"What it gives up: {'; '.join(lost)}." if lost else "",
    ]
    return Recommendation(side, tuple(filter(None, reasons)))


def _loss(result: ComparisonResult, figure: ComparedFigure, side: int) -> str:
    """A bandwidth beside that of the best option, where it is far below."""
    own = figure.values[side]
    known = {k: value.typical for k, value in enumerate(figure.values) if value}
    if own is None or not max(known.values()):
        return ""
    best = max(known, key=lambda k: known[k])
    if own.typical / known[best] >= A_LOSS:
        return ""
    words = gbit_s if figure.unit == "gbit_s" else gb_s
    pair = f"{words(own.typical)} against {words(known[best])} of {named(result, best)}"
    return f"{in_sentence(figure.label)} {pair}"


def _per(figure: ComparedFigure, side: int, result: ComparisonResult) -> Range[float] | None:
    return (figure.per_gpu or figure.values)[side] if result.is_per_gpu else figure.values[side]


def _cheapest(result: ComparisonResult, cost: ComparedFigure | None) -> int | None:
    if cost is None:
        return None
    known = {
        k: value.typical
        for k, item in enumerate(result.items)
        if item.kind == "design" and not item.n_errors and not cost.at_least[k] and (value := _per(cost, k, result))
    }
    return min(known, key=lambda k: known[k]) if known else None


def _cost_reason(result: ComparisonResult, cost: ComparedFigure | None, side: int) -> str:
    """Its cost beside that of the next option, and whether the ranges leave it open."""
    own = _per(cost, side, result) if cost else None
    if cost is None or own is None:
        return ""
    others = {k: value for k in range(len(result.items)) if k != side and (value := _per(cost, k, result))}
    each = " a GPU" if result.is_per_gpu else ""
    lead = f"{cost.label}{each}: {usd(own.typical)}, {usd_range(own)}"
    if not others:
        return f"{lead}."
    nearest = min(others, key=lambda k: others[k].typical)
    apart = others[nearest].typical - own.typical
    words = f"{usd(abs(apart))} {'less' if apart >= 0 else 'more'} than {named(result, nearest)}"
    is_open = own.low <= others[nearest].high and others[nearest].low <= own.high
    open_words = (
        "; the ranges overlap, so that these prices alone do not settle it"
        if is_open
        else "; the ranges do not overlap"
    )
    return f"{lead}, {words}{open_words}."


def _speed_reason(result: ComparisonResult, figure: ComparedFigure | None, side: int) -> str:
    own = figure.values[side] if figure else None
    if figure is None or own is None:
        return ""
    known = {k: value.typical for k, value in enumerate(figure.values) if value}
    fastest = max(known, key=lambda k: known[k])
    if own.typical >= known[fastest]:
        return f"{figure.label}: {gb_s(own.typical)}, the most of all options."
    return f"{figure.label}: {gb_s(own.typical)}; the fastest, {named(result, fastest)}, has {gb_s(known[fastest])}."
