"""InfiniBand and RoCE side by side in charts: what decides, prices, latency, traffic, vendors, the years of each rate.

InfiniBand is always the first series and RoCE the second, in the colours and shapes that the page's words give them.
"""

import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence

from designer.charts.cost import money_axis, tooltip
from designer.charts.vega import FACTOR, IS_ON, Chart, bandwidth, chart_of, over_sizes
from designer.wording.findings import sentence
from designer.wording.numbers import (
    MISSING,
    category_name,
    count,
    duration_us,
    factor_of,
    gb_s,
    gbit_s,
    message_size,
    rounded,
    usd,
    usd_range,
    usd_span,
)
from estimator.bom.lines import NETWORK_CATEGORIES
from estimator.catalog.catalog import Catalog
from estimator.compare.advice import Advice, Step
from estimator.compare.criteria import (
    FAMILIES,
    INFINIBAND,
    ROCE,
    Compared,
    Criterion,
    adapter_makers,
    large_busbw,
    switch_makers,
)
from estimator.cost.result import CapexPart
from estimator.performance.result import AllReduceTable
from estimator.ranges import Range, total_of
from estimator.record import Json
from estimator.wording import in_sentence

NAMES = ("InfiniBand", "RoCE")
SHAPES = {
    "field": "series",
    "type": "nominal",
    "legend": None,
    "scale": {"domain": ["s0", "s1"], "range": ["circle", "square"]},
}
PAIR = {"field": "series", "type": "nominal", "scale": {"domain": ["s0", "s1"], "paddingInner": 0.12}}
LABELS_PX, LINE_CHARACTERS, BREAK = 170, 25, "|"
FEW_BARS, ROOM = 4, 1.3
MANY_ROWS = 9
LATENCY_MOST_BYTES = 16 * 2**20  # past it bandwidth alone counts
ANNOUNCED = "announced"
FEATURES: tuple[tuple[str, Callable[[Compared], Sequence[float | None]]], ...] = (
    ("All-reduce", lambda pair: [large_busbw(one) for one in pair.both]),
    ("All-reduce, sums in switches", lambda pair: [large_busbw(pair.sharp), None]),
    ("All-to-all, adaptive routing", lambda pair: [large_busbw(one, "alltoall") for one in pair.scattered]),
    ("All-to-all, plain ECMP", lambda pair: [None, large_busbw(pair.hashed, "alltoall")]),
)


def advice_charts(advice: Advice, pair: Compared, catalog: Catalog) -> list[Chart]:
    """The charts that both Estimates have figures for."""
    found = [
        score_chart(advice.criteria),
        price_chart(pair),
        latency_chart(pair),
        traffic_chart(pair),
        makers_chart(pair, catalog),
    ]
    return [chart for chart in found if chart]


def _cells(texts: Iterable[str], notes: Iterable[str] | None = None) -> list[dict[str, str]]:
    texts = list(texts)
    return [{"text": text, "note": note} for text, note in zip(texts, notes or [""] * len(texts), strict=True)]


def _names_axis(field: str, order: Sequence[str]) -> Json:
    """A row a name, in this order; long names take two lines."""
    return {
        "field": field,
        "type": "nominal",
        "title": None,
        "sort": list(order),
        "axis": {
            "labelLimit": LABELS_PX,
            "labelLineHeight": 13,
            "labelOverlap": False,
            "ticks": False,
            "domain": False,
            "labelExpr": f"split(datum.label, '{BREAK}')",
        },
    }


def _in_lines(name: str) -> str:
    """A name with breaks, as the labels of rows have it."""
    return BREAK.join(textwrap.wrap(name, LINE_CHARACTERS, break_on_hyphens=False))


def _bar(at: int, what: str, value: float, figure: str, **reported: str) -> Json:
    """The row of a bar: its family, what it is of, and what its end and its tooltip say."""
    return {
        "series": f"s{at}",
        "family": NAMES[at],
        "what": what,
        "label": _in_lines(what),
        "value": value,
        "figure": figure,
    } | reported


def _pairs_of_bars(what: Sequence[str], x: Json, bars: Sequence[Json], said: Mapping[str, str]) -> Json:
    """A row for each of ``what``, in it a bar a family with its ``figure`` at the end, for which there is room."""
    gap, longest = 0.5 if 2 * len(what) <= FEW_BARS else 0.3, max((bar["value"] for bar in bars), default=0)
    return {
        "transform": [IS_ON],
        "encoding": {
            "y": _names_axis("label", [_in_lines(name) for name in what])
            | {"scale": {"paddingInner": gap, "paddingOuter": gap / 2}},
            "yOffset": PAIR,
            "x": {**x, "scale": {"domain": [0, max(longest, 0) * x.get(FACTOR, 1) * ROOM or 1]}},
        },
        "layer": [
            {"mark": {"type": "bar", "cornerRadiusEnd": 3, "tooltip": tooltip(said)}},
            {
                "mark": {"type": "text", "align": "left", "dx": 6, "fontSize": 12, "aria": False},
                "encoding": {"text": {"field": "figure"}, "color": {"value": "var(--text)"}},
            },
        ],
    }


# ---------------------------------------------------------------- what decides


def score_chart(criteria: Sequence[Criterion]) -> Chart | None:
    """A bar for each criterion that has points, towards the family that it favours; None where none has."""
    ordered = sorted(criteria, key=lambda one: (-abs(one.score), one.title))
    scored = [one for one in ordered if one.score]
    if not scored:
        return None
    rows = [
        {
            "series": f"s{FAMILIES.index(one.favours)}",
            "title": one.title,
            "label": _in_lines(one.title),
            "points": -one.score,
            "reported": str(abs(one.score)),
            "both": f"{sentence(one.infiniband_text)}, {sentence(one.roce_text)}",
        }
        for one in scored
    ]
    table = [
        {
            "head": one.title,
            "cells": [
                {"text": sentence(one.infiniband_text), "note": _points(one, INFINIBAND)},
                {"text": sentence(one.roce_text), "note": _points(one, ROCE)},
            ],
        }
        for one in ordered
    ]
    note = _sums_of_points(scored, len(ordered) - len(scored))
    made = chart_of(
        "advice-score",
        "What decides",
        f"Points by criterion: {note}",
        list(NAMES),
        rows,
        _score_bars(scored),
        ["Criterion", *NAMES],
        table,
        note,
    )
    return made.shaped("tall") if len(scored) > MANY_ROWS else made


def _score_bars(scored: Sequence[Criterion]) -> Json:
    """A bar a criterion, to the left for InfiniBand and to the right for RoCE."""
    most = max(abs(one.score) for one in scored)
    return {
        "transform": [IS_ON],
        "mark": {
            "type": "bar",
            "cornerRadiusEnd": 3,
            "height": {"band": 0.66},
            "tooltip": tooltip({"Criterion": "title", "InfiniBand, RoCE": "both", "Points": "reported"}),
        },
        "encoding": {
            "y": _names_axis("label", [_in_lines(one.title) for one in scored]),
            "x": {
                "field": "points",
                "type": "quantitative",
                "title": "← InfiniBand   points   RoCE →",
                "scale": {"domain": [-most, most], "nice": True},
                "axis": {"labelExpr": "abs(datum.value)", "tickMinStep": 1},
            },
        },
    }


def _sums_of_points(scored: Sequence[Criterion], n_even: int) -> str:
    points = {way: sum(way * one.score for one in scored if way * one.score > 0) for way in (1, -1)}
    words = f"{points[1]} points for InfiniBand, {points[-1]} for RoCE."
    if n_even:
        words += f" {n_even} more {'criterion makes' if n_even == 1 else 'criteria make'} no difference."
    return words


def _points(one: Criterion, family: str) -> str:
    return f"{abs(one.score)} points" if one.score and one.favours == family else ""


# ---------------------------------------------------------------- cost


def price_chart(pair: Compared) -> Chart:
    """What either network costs to buy, by kind of part."""
    bought = [_by_category(one.cost.capex_by) for one in pair.both]
    categories = [name for name in NETWORK_CATEGORIES if any(side[name].typical for side in bought if name in side)]
    rows = [
        _bar(at, category_name(name), side[name].typical, usd(side[name].typical), span=usd_range(side[name]))
        for at, side in enumerate(bought)
        for name in categories
        if name in side
    ]
    said = {"Part": "what", "Family": "family", "Typical": "figure", "Low to high": "span"}
    spec = _pairs_of_bars(
        [category_name(name) for name in categories],
        money_axis("value", "Purchase price, typical"),
        rows,
        said,
    )
    totals = [one.cost.capex_usd.network for one in pair.both]
    table = [
        {"head": category_name(name), "cells": [_priced(side.get(name)) for side in bought]} for name in categories
    ]
    table.append({"head": "Network, all parts", "cells": [_priced(total) for total in totals]})
    reported = [f"{name} {usd(total.typical)} ({usd_range(total)})" for name, total in zip(NAMES, totals, strict=True)]
    note = f"Network, all parts: {', '.join(reported)}."
    return chart_of(
        "advice-price",
        "What the network costs",
        note,
        list(NAMES),
        rows,
        spec,
        ["Part", *NAMES],
        table,
        f"{note} Servers, racks and cooling are left out.",
    )


def _by_category(parts: Iterable[CapexPart]) -> dict[str, Range[float]]:
    """Category → dollars over all networks."""
    categories = dict.fromkeys(part.category for part in parts)
    return {name: total_of(part.usd for part in parts if part.category == name) for name in categories}


def _priced(price: Range[float] | None) -> dict[str, str]:
    return {"text": usd(price.typical), "note": usd_span(price)} if price else {"text": MISSING, "note": ""}


# ---------------------------------------------------------------- speed


def latency_chart(pair: Compared) -> Chart | None:
    """Time of an all-reduce on all GPUs against message size; None where a side has no prediction."""
    tables = [found for one in pair.both if (found := one.performance.predicted_all_reduce)]
    if len(tables) < len(pair.both):
        return None
    sizes = tables[0].message_bytes
    drawn = [k for k, size in enumerate(sizes) if size <= LATENCY_MOST_BYTES]
    rows = _time_rows(tables, drawn)
    points = [
        {"message_bytes": sizes[k], "text": message_size(sizes[k])}
        | {f"s{at}": _timed(table, k) for at, table in enumerate(tables)}
        for k in drawn
    ]
    ends = (
        min(table.time_us_low[-1][k] for table in tables for k in drawn),
        max(table.time_us_high[-1][k] for table in tables for k in drawn),
    )
    y = {
        "field": "value",
        "type": "quantitative",
        "title": "Time, µs",
        "scale": {"type": "log", "nice": False, "domain": list(ends)},
        "axis": {"values": _log_ticks(*ends), "format": ",~r"},
    }
    spec = over_sizes([sizes[k] for k in drawn], y, list(NAMES), points)
    table = [
        {"head": message_size(size), "cells": _cells(_timed(one, k) for one in tables)} for k, size in enumerate(sizes)
    ]
    smallest = " and ".join(
        f"{name} {duration_us(one.time_us[-1][0])}" for name, one in zip(NAMES, tables, strict=True)
    )
    gpus = count(tables[0].gpus[-1])
    return chart_of(
        "advice-latency",
        "Latency: an all-reduce of small messages",
        f"Time of an all-reduce on {gpus} GPUs: {smallest} for {message_size(sizes[0])}.",
        list(NAMES),
        rows,
        spec,
        ["Message size", *NAMES],
        table,
        f"Predicted on {gpus} GPUs: {smallest} for {message_size(sizes[0])}. Nine runs in ten should lie in the "
        "band; the table goes on to the largest message.",
    )


def _time_rows(tables: Sequence[AllReduceTable], drawn: Sequence[int]) -> list[Json]:
    """Times on all GPUs, a row a family and size."""
    return [
        {
            "series": f"s{at}",
            "message_bytes": table.message_bytes[k],
            "value": table.time_us[-1][k],
            "low": table.time_us_low[-1][k],
            "high": table.time_us_high[-1][k],
        }
        for at, table in enumerate(tables)
        for k in drawn
    ]


def _log_ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 times the powers of ten between two ends."""
    return [
        step * 10.0**power
        for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        for step in (1, 2, 5)
        if low <= step * 10.0**power <= high
    ]


def _timed(table: AllReduceTable, at: int) -> str:
    time, low, high = (duration_us(rows[-1][at]) for rows in (table.time_us, table.time_us_low, table.time_us_high))
    return f"{time} ({low} to {high})"


def traffic_chart(pair: Compared) -> Chart | None:
    """What large messages get with and without sums in the switches, and scattered ranks by how flows are spread."""
    known = [(title, values) for title, get in FEATURES if any(values := list(get(pair)))]
    if not known:
        return None
    rows = [
        _bar(at, title, value, rounded(value * factor_of("GB/s")), reported=gb_s(value))
        for title, values in known
        for at, value in enumerate(values)
        if value
    ]
    x = {"field": "value", "type": "quantitative", **bandwidth("Bus bandwidth", tickCount=5)}
    said = {"Traffic": "what", "Family": "family", "Bus bandwidth": "reported"}
    spec = _pairs_of_bars([title for title, _ in known], x, rows, said)
    table = [
        {"head": title, "cells": _cells(gb_s(value) if value else MISSING for value in values)}
        for title, values in known
    ]
    reported = ", ".join(
        f"{title.lower()} on {name} {gb_s(value)}"
        for title, values in known
        for name, value in zip(NAMES, values, strict=True)
        if value
    )
    return chart_of(
        "advice-traffic",
        "Congestion control and sums in the switches",
        f"The largest message, all GPUs: {reported}.",
        list(NAMES),
        rows,
        spec,
        ["Traffic", *NAMES],
        table,
        "The largest message on all GPUs; all-to-all between scattered ranks. InfiniBand has credits and adaptive routing in "
        "every switch; Ethernet needs PFC, ECN and adaptive routing set up, and no Ethernet switch adds for the GPUs.",
    )


# ---------------------------------------------------------------- lock-in


def makers_chart(pair: Compared, catalog: Catalog) -> Chart:
    """Vendors to buy switches and NICs from at this rate."""
    generations = [catalog.generations[one.spec.fabric.generation] for one in pair.both]
    makers = {
        title: [find(catalog, one.protocol, one.port_rate_gbit_s) for one in generations]
        for title, find in (("Switches", switch_makers), ("NICs", adapter_makers))
    }
    rows = [
        _bar(at, title, len(names), count(len(names)), names=", ".join(names) or "none")
        for title, sides in makers.items()
        for at, names in enumerate(sides)
    ]
    x = {"field": "value", "type": "quantitative", "title": "Vendors", "axis": {"tickMinStep": 1, "format": "d"}}
    spec = _pairs_of_bars(list(makers), x, rows, {"Part": "what", "Family": "family", "Vendors": "names"})
    table = [
        {"head": title, "cells": _cells((count(len(names)) for names in sides), (", ".join(names) for names in sides))}
        for title, sides in makers.items()
    ]
    rate = gbit_s(generations[0].port_rate_gbit_s)
    reported = "; ".join(
        f"{in_sentence(title)} for {name}: {', '.join(names) or 'none'}"
        for title, sides in makers.items()
        for name, names in zip(NAMES, sides, strict=True)
    )
    return chart_of(
        "advice-makers",
        "Lock-in: vendors to choose from",
        f"Vendors at {rate}: {reported}.",
        list(NAMES),
        rows,
        spec,
        ["Part", *NAMES],
        table,
        f"At {rate}, of the catalog, what can be bought today. {_capital(reported)}.",
    )


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


# ---------------------------------------------------------------- generations


def generations_chart(steps: Sequence[Step]) -> Chart:
    """The year of each rate in either family: a row a rate, what is only announced at the end."""
    years = [step.since for step in steps if step.since]
    order = [*(str(year) for year in range(min(years), max(years) + 1)), "", ANNOUNCED]
    rates = sorted({step.port_rate_gbit_s for step in steps})
    rows = [_step_row(step, (min(years) + max(years)) / 2) for step in steps]
    names = [
        _step_name(test, align, dx)
        for test, align, dx in (("!datum.is_late", "left", 12), ("datum.is_late", "right", -12))
    ]
    spec = {"encoding": _years_and_rates(order, rates), "layer": [_STEP_POINTS, *names]}
    table = [
        {"head": gbit_s(rate), "cells": [_step_cell(steps, rate, family) for family in FAMILIES]} for rate in rates
    ]
    series = ["InfiniBand", "Ethernet (RoCE)"]
    return chart_of(
        "advice-generations",
        "Rates and years",
        "The year of each port rate: " + ", ".join(f"{step.name} {step.since or ANNOUNCED}" for step in steps) + ".",
        series,
        rows,
        spec,
        ["A port", *series],
        table,
        "Hollow: announced, and not to be designed with here. Sources and switch latencies are in the table below.",
    )


def _step_row(step: Step, middle: float) -> Json:
    """A step as a point; where it is late its name stands to the left."""
    family = FAMILIES.index(step.family)
    return {
        "series": f"s{family}",
        "rate": gbit_s(step.port_rate_gbit_s),
        "name": step.name,
        "year": str(step.since or ANNOUNCED),
        "is_announced": not step.since,
        "is_late": not step.since or step.since > middle,
        "family": NAMES[family],
        "lanes": _lanes(step),
        "latency": f"{step.latency_ns} ns, {step.switch}" if step.latency_ns else "none published",
    }


def _lanes(step: Step) -> str:
    return f"{step.lanes} × {step.lane_gbit_s}G {step.signalling or ''}".strip()


def _years_and_rates(order: Sequence[str], rates: Sequence[float]) -> Json:
    """Years along, with every second one written; rates upwards, a family below the other within each."""
    return {
        "x": {
            "field": "year",
            "type": "ordinal",
            "title": "On the market, or standard, since",
            "sort": order,
            "scale": {"domain": order},
            "axis": {
                "labelAngle": 0,
                "grid": False,
                "values": [*order[:-2][::-2], ANNOUNCED],
                "labelExpr": f"datum.value === '{ANNOUNCED}' ? 'later' : datum.value",
            },
        },
        "y": {
            "field": "rate",
            "type": "nominal",
            "title": None,
            "sort": [gbit_s(rate) for rate in reversed(rates)],
            "axis": {"ticks": False, "domain": False, "grid": True, "tickBand": "extent"},
        },
        "yOffset": {**PAIR, "scale": {"domain": ["s0", "s1"], "paddingOuter": 0.35}},
    }


_STEP_POINTS = {
    "transform": [IS_ON],
    "mark": {
        "type": "point",
        "size": 110,
        "strokeWidth": 2,
        "opacity": 1,
        "tooltip": tooltip(
            {
                "Step": "name",
                "Family": "family",
                "A port": "rate",
                "Lanes": "lanes",
                "Since": "year",
                "Switch latency": "latency",
            }
        ),
    },
    "encoding": {
        "shape": SHAPES,
        "fillOpacity": {"condition": {"test": "datum.is_announced", "value": 0}, "value": 1},
        "fill": {
            "field": "series",
            "type": "nominal",
            "legend": None,
            "scale": {"domain": ["s0", "s1"], "range": ["var(--chart-1)", "var(--chart-2)"]},
        },
    },
}


def _step_name(test: str, align: str, dx: int) -> Json:
    """Names of the steps that pass a test, beside their points."""
    return {
        "transform": [IS_ON, {"filter": test}],
        "mark": {"type": "text", "align": align, "dx": dx, "fontSize": 12, "fontWeight": 600, "aria": False},
        "encoding": {"text": {"field": "name"}},
    }


def _step_cell(steps: Sequence[Step], rate: float, family: str) -> dict[str, str]:
    step = next((step for step in steps if (step.port_rate_gbit_s, step.family) == (rate, family)), None)
    if step is None:
        return {"text": MISSING, "note": ""}
    return {"text": f"{step.name}, {step.since or ANNOUNCED}", "note": _lanes(step)}
