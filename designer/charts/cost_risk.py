"""How sure the cost is → charts: how often the draws fell where, and what moves the total most."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from designer.charts.cost import money_axis, tooltip
from designer.charts.vega import PADDING, Chart, Spec, chart_of
from designer.wording.numbers import basis_name, count, factor_of, is_assumption, percent, range_in_unit, usd, usd_exact
from estimator.catalog.currency import USD
from estimator.cost.result import PERCENTILES, Cost, Uncertainty
from estimator.record import Given

MARKED = {"p5": 0, "p25": 1, "p50": 0, "p75": 1, "p95": 0}  # on which of two lines its name stands
BAR_PX, TICK_PX, LABEL_UP_PX, BAR_DOWN_PX = 13, 19, 10, 9
FIGURES = {"capex_usd": "Purchase price", "tco_usd": "Total cost", "usd_per_gpu_hour": "Per GPU-hour"}


def histogram_chart(uncertainty: Uncertainty, figure: str) -> Chart | None:
    """How many draws fell into each slice of a figure, with percentiles marked."""
    found, marks = uncertainty.histogram.get(figure), uncertainty.figures.get(figure)
    if not found or not marks:
        return None
    edges, counts, draws, name = found.edges_usd, found.counts, uncertainty.draws, FIGURES[figure]
    at = vars(marks)
    rows = [
        {
            "series": "s0",
            "from": low,
            "to": high,
            "n": n,
            "span": f"{usd(low)} to {usd(high)}",
            "reported": count(n),
            "share": percent(n / draws, 2),
        }
        for low, high, n in zip(edges[:-1], edges[1:], counts, strict=True)
    ]
    marked = [{"usd": at[key], "name": key, "reported": usd(at[key]), "line": line} for key, line in MARKED.items()]
    x = money_axis("from", name, zero=False, grid=False, tickCount=5) | {
        "scale": {"zero": False, "nice": False, "domain": [edges[0] * factor_of(USD), edges[-1] * factor_of(USD)]},
    }
    at_mark = {"x": {**x, "field": "usd"}, "color": {"value": "var(--text)"}}
    reported = tooltip({"Percentile": "name", "At": "reported"})
    y = {"field": "n", "type": "quantitative", "title": "Draws", "axis": {"tickCount": 5, "format": ",d"}}
    spec = {
        "encoding": {},
        "layer": [
            {
                "mark": {
                    "type": "bar",
                    "opacity": 0.7,
                    "tooltip": tooltip({"Between": "span", "Draws": "reported", "Share": "share"}),
                },
                "encoding": {"x": {**x, "bin": {"binned": True}}, "x2": {"field": "to"}, "y": y},
            },
            {
                "data": {"values": marked},
                "mark": {"type": "rule", "strokeDash": [4, 3], "strokeWidth": 1.25, "tooltip": reported},
                "encoding": at_mark,
            },
            *_names_of_marks(marked, at_mark),
        ],
    }
    heads = {key: "mean" if key == "mean" else f"{key[1:]} % of draws below" for key in PERCENTILES}
    table = [{"head": head, "cells": [{"text": usd_exact(at[key]), "note": ""}]} for key, head in heads.items()]
    description = (
        f"{name} of {count(draws)} draws: half below {usd(marks.p50)}, nine in ten between {usd(marks.p5)} and "
        f"{usd(marks.p95)}."
    )
    note = f"{description} p25 is the figure that a quarter of the draws stay below."
    chart = chart_of(
        f"draws-{figure.replace('_', '-')}",
        f"{name}: how likely",
        description,
        ["Draws"],
        rows,
        spec,
        ["Percentile", name],
        table,
        note,
    )
    return replace(chart, legend=()).with_spec(padding=PADDING | {"top": 30})


def _names_of_marks(marked: Sequence[Given], at_mark: Given) -> list[Spec]:
    """The names of percentiles over the plot, on two lines."""
    text = {"type": "text", "fontSize": 11, "fontWeight": 600, "aria": False}
    return [
        {
            "data": {"values": [row for row in marked if row["line"] == line]},
            "mark": {**text, "dy": dy},
            "encoding": {**at_mark, "y": {"value": 0}, "text": {"field": "name"}},
        }
        for line, dy in ((0, -6), (1, -18))
    ]


def percentile_rows(uncertainty: Uncertainty) -> list[Spec]:
    """A row a figure with its percentiles and its mean, in the order of PERCENTILES."""
    return [
        {"name": name, "values": [getattr(found, at) for at in PERCENTILES]}
        for key, name in FIGURES.items()
        if (found := uncertainty.figures.get(key))
    ]


class TornadoRow(NamedTuple):
    """What one assumption moves the total by, with its basis where the Estimate states one, and its range in words."""

    name: str
    label: str
    basis: str | None
    is_assumption: bool
    range: str
    tco_low_usd: float
    tco_high_usd: float
    width_usd: float


def tornado_rows(cost: Cost) -> list[TornadoRow]:
    """The assumptions that move the total most, widest first."""
    known = {item.name: item.basis for item in cost.assumptions}
    rows = []
    for item in cost.uncertainty.tornado if cost.uncertainty else []:
        basis = item.basis or known.get(item.name)
        rows.append(
            TornadoRow(
                name=item.name,
                label=item.label,
                basis=basis,
                is_assumption=is_assumption(basis),
                range=range_in_unit(item.low, item.high, item.unit),
                tco_low_usd=item.tco_low_usd,
                tco_high_usd=item.tco_high_usd,
                width_usd=abs(item.tco_high_usd - item.tco_low_usd),
            )
        )
    return rows


def tornado_chart(cost: Cost) -> Chart | None:
    """What the total would be at either end of each assumption, all others at their typical value."""
    found, typical = tornado_rows(cost), cost.tco_usd.typical
    if not found:
        return None
    bars = [bar for at, row in enumerate(found) for bar in _bars_of(at, row, typical)]
    labels = [
        {
            "at": at,
            "label": f"{row.label}: {row.range}",
            "basis": basis_name(row.basis) if row.is_assumption else "",
            "is_assumption": row.is_assumption,
        }
        for at, row in enumerate(found)
    ]
    ends = [end for row in found for end in (row.tco_low_usd, row.tco_high_usd)]
    y = {"field": "at", "type": "ordinal", "title": None, "axis": None, "sort": "ascending", "scale": {"padding": 0}}
    x = {
        **money_axis("usd", "Total cost, discounted", zero=False),
        "scale": {"zero": False, "domain": [min(ends) * factor_of(USD), max(ends) * factor_of(USD)]},
    }
    spec = {"encoding": {"y": y}, "layer": [*_tornado_bars(bars, x, typical), *_tornado_labels(labels)]}
    table = [
        {
            "head": row.label,
            "cells": [
                {"text": row.range, "note": basis_name(row.basis) if row.basis else ""},
                {"text": usd_exact(row.tco_low_usd), "note": _off(row.tco_low_usd, typical)},
                {"text": usd_exact(row.tco_high_usd), "note": _off(row.tco_high_usd, typical)},
                {"text": usd_exact(row.width_usd), "note": ""},
            ],
        }
        for row in found
    ]
    first = f"{found[0].label}, by {usd(found[0].width_usd)} between its ends"
    description = f"What moves the total cost of {usd(typical)} most: {first}."
    note = (
        f"The mark on each bar is the typical total, {usd(typical)}. A bar moves one figure from its low to its high end and "
        "leaves the rest. Amber: an assumption, so finding out pays."
    )
    title, series = f"The {len(found)} figures that move the total most", ["At its low end", "At its high end"]
    columns = ["Figure", "From low to high", "Total at low", "Total at high", "Difference"]
    chart = chart_of("tornado", title, description, series, bars, spec, columns, table, note)
    return chart.shaped("tall")


def _bars_of(at: int, row: TornadoRow, typical: float) -> list[Spec]:
    ends = (("s0", "low", row.tco_low_usd), ("s1", "high", row.tco_high_usd))
    return [
        {
            "series": series,
            "at": at,
            "usd": value,
            "typical": typical,
            "label": row.label,
            "range": row.range,
            "reported": f"{usd(value)} ({_off(value, typical)})",
            "end": f"its {end} end",
        }
        for series, end, value in ends
    ]


def _off(value: float, typical: float) -> str:
    text = usd(value - typical)
    return text if value < typical else f"+{text}" if value > typical else "no change"


def _tornado_bars(bars: Sequence[Given], x: Given, typical: float) -> list[Spec]:
    said = tooltip({"Figure": "label", "Range": "range", "At": "end", "Total cost": "reported"})
    return [
        {
            "data": {"values": list(bars)},
            "transform": [{"filter": "indexof(off, datum.series) < 0"}],
            "mark": {"type": "bar", "height": BAR_PX, "yOffset": BAR_DOWN_PX, "cornerRadius": 2, "tooltip": said},
            "encoding": {"x": x, "x2": {"field": "typical"}},
        },
        {
            "data": {"values": [{"usd": typical, "reported": usd(typical), "at": at} for at in range(len(bars) // 2)]},
            "mark": {
                "type": "tick",
                "orient": "vertical",
                "size": TICK_PX,
                "thickness": 2,
                "opacity": 1,
                "yOffset": BAR_DOWN_PX,
                "tooltip": tooltip({"Typical total": "reported"}),
            },
            "encoding": {"x": x, "color": {"value": "var(--text)"}},
        },
    ]


def _tornado_labels(labels: Sequence[Given]) -> list[Spec]:
    """The name of a bar stands over it, at the left edge: on a phone it has the whole width. Its basis is at the right one."""
    text = {
        "type": "text",
        "baseline": "middle",
        "yOffset": -LABEL_UP_PX,
        "fontSize": 12,
        "aria": False,
        "limit": {"expr": "width - 4"},
    }
    ink = {"condition": {"test": "datum.is_assumption", "value": "var(--warning)"}, "value": "var(--text)"}
    at_left = {"x": {"value": 2}, "text": {"field": "label"}}
    at_start = {**text, "align": "left"}
    left = {"data": {"values": list(labels)}, "mark": at_start, "encoding": {**at_left, "color": ink}}
    halo = {
        **left,
        "mark": {**at_start, "stroke": "var(--surface)", "strokeWidth": 4, "strokeJoin": "round"},
        "encoding": {**at_left, "color": {"value": "var(--surface)"}, "stroke": {"value": "var(--surface)"}},
    }
    right = {
        "data": {"values": [row for row in labels if row["is_assumption"]]},
        "mark": {**text, "align": "right", "fontSize": 11, "fontWeight": 600},
        "encoding": {
            "x": {"value": "width"},
            "text": {"field": "basis"},
            "color": {"value": "var(--warning)"},
            "opacity": {"condition": {"test": "width > 480", "value": 1}, "value": 0},
        },
    }
    return [halo, left, right]
