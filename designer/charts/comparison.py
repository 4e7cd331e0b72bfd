"""Charts of a comparison: where the money goes, and all-reduce bandwidth against message size, a colour or line a side.

Names of designs are a user's text: they stand in the HTML legend and as data, never in an expression. Sides have letters.
"""

from collections.abc import Sequence

from designer.charts.scaling import y_axis
from designer.charts.vega import (
    DOLLARS,
    IS_ON,
    SMALLEST_DRAWN_BYTES,
    Chart,
    chart_of,
    in_chosen_unit,
    in_money,
    over_sizes,
)
from designer.wording.comparison import LETTERS
from designer.wording.names import SPENT
from designer.wording.numbers import MISSING, chosen, count, gb_s, gb_s_span, message_size, usd
from estimator.catalog.currency import USD
from estimator.compare.result import ComparedCurve, ComparisonResult
from estimator.record import Json

Known = Sequence[tuple[int, ComparedCurve]]  # curves by side, of those that have one
MOST_BANDS = 3  # more bands over one another say nothing
BAR_STEP = 0.62


def comparison_charts(result: ComparisonResult) -> list[Chart]:
    """The charts that the sides have figures for."""
    found = [spend_chart(result), speed_chart(result)]
    return [chart for chart in found if chart]


def _names(result: ComparisonResult) -> list[str]:
    return [f"{LETTERS[i]}  {item.label}" for i, item in enumerate(result.items)]


def spend_chart(result: ComparisonResult) -> Chart:
    """Stacked bars: what each side costs to buy, pay once and run, undiscounted."""
    parts = [part for part in SPENT if any(spend.parts_usd.typical(part) for spend in result.spend)]
    names, series = _names(result), [SPENT[part] for part in parts]
    rows = [
        {"series": f"s{k}", "place": k, "side": names[i], "value": value, "part": SPENT[part], "reported": usd(value)}
        for i, spend in enumerate(result.spend)
        for k, part in enumerate(parts)
        if (value := spend.parts_usd.typical(part))
    ]
    table = [
        {
            "head": names[i],
            "cells": [
                {"text": usd(value) if value else MISSING, "note": ""} for value in map(spend.parts_usd.typical, parts)
            ],
        }
        for i, spend in enumerate(result.spend)
    ]
    totals = ", ".join(
        f"{LETTERS[i]} {usd(sum(map(spend.parts_usd.typical, parts)))}" for i, spend in enumerate(result.spend)
    )
    years = sorted({spend.years for spend in result.spend if spend.years})
    note = "Typical prices, not discounted; a part without a price is not in the bars."
    if years:
        note += f" Running it: over {' or '.join(str(one) for one in years)} years."
    return chart_of(
        "comparison-spend",
        "Where the money goes",
        f"Typical cost by kind: {totals}.",
        series,
        rows,
        _stacked_bars(names),
        ["Side", *series],
        table,
        note,
    )


def _stacked_bars(names: Sequence[str]) -> Json:
    """A bar a side, in this order."""
    return {
        "transform": [IS_ON],
        "mark": {
            "type": "bar",
            "tooltip": {"expr": "{'Side': datum.side, 'Part': datum.part, 'USD': datum.reported}"},
            "height": {"band": BAR_STEP},
        },
        "encoding": {
            "y": {
                "field": "side",
                "type": "nominal",
                "title": None,
                "sort": list(names),
                "axis": {"labelLimit": 190, "domain": False, "ticks": False},
            },
            "x": {
                "field": "value",
                "type": "quantitative",
                "title": "US dollars, typical" if chosen().currency == USD else f"{chosen().currency}, typical",
                "stack": "zero",
                "axis": {"tickCount": 5, "labelExpr": in_money(DOLLARS)},
                **in_chosen_unit(USD),
            },
            "order": {"field": "place"},
        },
    }


def speed_chart(result: ComparisonResult) -> Chart | None:
    """All-reduce on all GPUs of each side; None where no side has a prediction."""
    known = [(i, curve) for i, curve in enumerate(result.busbw.sides) if curve]
    if not known:
        return None
    names = _names(result)
    sizes = sorted({size for _, curve in known for size in curve.message_bytes})
    drawn = [size for size in sizes if size >= min(SMALLEST_DRAWN_BYTES, sizes[-1])]
    rows, points = _speed_rows(known, drawn)
    letters = [LETTERS[i] for i, _ in known]
    spec = over_sizes(drawn, y_axis("busbw"), letters, points, bands=len(known) <= MOST_BANDS)
    series = [names[i] for i, _ in known]
    table = [{"head": message_size(size), "cells": [_speed_cell(curve, size) for _, curve in known]} for size in sizes]
    largest = ", ".join(f"{LETTERS[i]} {gb_s(curve.busbw_gb_s[-1])} on {count(curve.gpus)} GPUs" for i, curve in known)
    note = (
        "Bus bandwidth as nccl-tests counts it, on all GPUs of each side. Nine runs in ten should lie in the band"
        + (", which the table has." if len(known) > MOST_BANDS else ".")
    )
    return chart_of(
        "comparison-busbw",
        "All-reduce against message size",
        f"The largest message reaches: {largest}.",
        series,
        rows,
        spec,
        ["Message size", *series],
        table,
        note,
    )


def _speed_rows(known: Known, drawn: Sequence[int]) -> tuple[list[Json], list[Json]]:
    rows = []
    points: list[Json] = [{"message_bytes": size, "text": message_size(size)} for size in drawn]
    for k, (_, curve) in enumerate(known):
        at = {size: n for n, size in enumerate(curve.message_bytes)}
        for point, size in zip(points, drawn, strict=True):
            n = at.get(size)
            if n is None:
                point[f"s{k}"] = MISSING
                continue
            value, low, high = (ends[n] for ends in (curve.busbw_gb_s, curve.low_gb_s, curve.high_gb_s))
            rows.append({"series": f"s{k}", "message_bytes": size, "value": value, "low": low, "high": high})
            point[f"s{k}"] = f"{gb_s(value)} ({gb_s_span(low, high)})"
    return rows, points


def _speed_cell(curve: ComparedCurve, size: int) -> dict[str, str]:
    if size not in curve.message_bytes:
        return {"text": MISSING, "note": ""}
    at = curve.message_bytes.index(size)
    low, high = curve.low_gb_s[at], curve.high_gb_s[at]
    return {"text": gb_s(curve.busbw_gb_s[at]), "note": gb_s_span(low, high)}
