"""Axes of figures that a search or a sweep answers: their titles, units and scales."""

import math
from collections.abc import Sequence

from designer.charts.vega import DOLLARS, Spec, in_chosen_unit, in_money
from designer.wording.numbers import factor_of
from estimator.search.figures import FIGURES

ROOM = 0.06  # around the points, as a share of their span
LOG_FROM = 30.0  # largest ÷ least from which a scale is logarithmic: about a decade and a half
_TICKS = {
    "USD": DOLLARS,
    "share": "format(datum.value, '.0%')",
    ":1": "format(datum.value, '.3~f') + ':1'",
}
_TURNED = {"GB/s": "Gb/s", "m": "ft"}  # units that a reader may choose in place of another
_SAID_BY_TICKS = (*_TICKS, "GPUs", "nodes", "tiers", "racks", "links", "cables", "transceivers", "switches")


def figure_title(name: str) -> str:
    """What an axis of a figure says, with its unit where neither name nor ticks say it."""
    figure = FIGURES[name]
    unit = figure.unit if factor_of(figure.unit) == 1 else _TURNED.get(figure.unit, figure.unit)
    return figure.title if figure.unit in _SAID_BY_TICKS else f"{figure.title}, {unit}"


def spans_decades(values: Sequence[float]) -> bool:
    """Whether values are better shown on a logarithmic scale."""
    return bool(values) and min(values) > 0 and max(values) / min(values) > LOG_FROM


def figure_axis(field: str, name: str, values: Sequence[float]) -> Spec:
    """An axis around values of a figure; logarithmic where they span decades."""
    unit = FIGURES[name].unit
    low, high = (end(values) * factor_of(unit) for end in (min, max))
    is_log = spans_decades(values)
    room = (high - low) * ROOM or abs(high) * ROOM or 1.0
    ends = [low / 1.1, high * 1.1] if is_log else [low - room, high + room]
    scale: Spec = {"domain": ends, "nice": False} | log_or_not(is_log)
    return {
        "field": field,
        "type": "quantitative",
        "title": figure_title(name),
        "scale": scale,
        "axis": ({"values": _round_values(*ends)} if is_log else {})
        | {"tickCount": 6, "labelExpr": in_money(_TICKS.get(unit, "format(datum.value, ',')"))},
        **in_chosen_unit(unit),
    }


def log_or_not(is_log: bool) -> Spec:
    """A scale that need not begin at zero: Vega warns of that word where the scale is logarithmic."""
    return {"type": "log"} if is_log else {"zero": False}


def _round_values(low: float, high: float) -> list[float]:
    """1, 2 and 5 of each decade between two ends: the ticks of a logarithmic axis."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    every = [factor * 10.0**power for power in decades for factor in (1, 2, 5)]
    return [value for value in every if low <= value <= high]
