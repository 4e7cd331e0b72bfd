"""The cost part of an Estimate → charts of where the money goes, when it is paid, and how long use changes it.

A kind of cost has the same colour in every chart. All figures are those of the Estimate; only sums over years are made here,
discounted by the rate that the Estimate states, so that they meet its total to the cent.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from designer.charts.vega import (
    HIDDEN_SERIES,
    IS_ON,
    Chart,
    Spec,
    Switch,
    band,
    chart_of,
    crosshair,
    in_chosen_unit,
    in_money,
)
from designer.wording.cost import HOURS_PER_YEAR
from designer.wording.names import COST_KINDS
from designer.wording.numbers import category_name, usd, usd_exact, usd_exact_range, usd_range, usd_small, words
from estimator.catalog.currency import USD
from estimator.cost.result import CapexPart, CashFlowYear, Cost
from estimator.ranges import Range
from estimator.wording import in_sentence

KINDS = COST_KINDS | {"one_off": "Freight, installation, reserve"}
SERVERS = ("server", "rack-system")
SUM_COLOUR = len(KINDS) + 1
MOST_YEARS = 15  # a break-even further off is as good as none
MONEY_LABEL = (
    "(datum.value < 0 ? '−' : '') + '$' + (abs(datum.value) >= 1e9 ? format(abs(datum.value) / 1e9, '~r') + ' bn' : "
    "abs(datum.value) >= 1e6 ? format(abs(datum.value) / 1e6, '~r') + ' M' : abs(datum.value) >= 1e3 ? "
    "format(abs(datum.value) / 1e3, '~r') + ' k' : format(abs(datum.value), '~r'))"
)
IS_SHOWN_SUM = {"filter": "datum.is_discounted === discounted"}
ZERO_LINE = {"condition": {"test": "datum.value === 0", "value": "var(--line-strong)"}, "value": "var(--line)"}


def money_axis(field: str, title: str, *, zero: bool = True, **axis: Any) -> Spec:
    """A quantitative axis in dollars; ``axis`` are other properties of it."""
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": {"zero": zero},
        "axis": {"labelExpr": in_money(MONEY_LABEL), "tickCount": 6, "gridColor": ZERO_LINE, **axis},
        **in_chosen_unit(USD),
    }


def tooltip(fields: Mapping[str, str]) -> dict[str, str]:
    """What a mark says under the pointer: heading → field of its data."""
    return {"expr": "{" + ", ".join(f"{json.dumps(head)}: datum.{field}" for head, field in fields.items()) + "}"}


def _cells(values: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"text": text, "note": note} for text, note in values]


# --- Where the money goes ----------------------------------------------------------------------------------------
def purchase_chart(cost: Cost) -> Chart | None:
    """The purchase price but for servers: a bar a category, stacked by network. The table has the servers too."""
    rows = cost.capex_by
    fabrics = list(dict.fromkeys(row.fabric for row in rows))
    categories = sorted({row.category for row in rows}, key=lambda name: -_sum(rows, name))
    drawn = [name for name in categories if name not in SERVERS and _sum(rows, name)]
    if not drawn:
        return None
    bars = [
        {
            "series": f"s{fabrics.index(row.fabric)}",
            "at": drawn.index(row.category),
            "name": category_name(row.category),
            "usd": row.usd.typical,
            "network": words(row.fabric).capitalize(),
            "reported": usd(row.usd.typical),
            "span": usd_range(row.usd),
            "spares": usd(row.spares_usd.typical),
        }
        for row in rows
        if row.category in drawn
    ]
    series = [f"{words(fabric).capitalize()} network" for fabric in fabrics]
    said = {
        "Category": "name",
        "Network": "network",
        "Typical": "reported",
        "Low to high": "span",
        "Of that spares": "spares",
    }
    spec = {
        "transform": [IS_ON],
        "mark": {"type": "bar", "tooltip": tooltip(said), "cornerRadiusEnd": 3},
        "encoding": {
            "y": {
                "field": "name",
                "type": "nominal",
                "title": None,
                "sort": [category_name(name) for name in drawn],
                "axis": {"labelLimit": 130, "ticks": False, "domain": False},
                "scale": {"paddingInner": 0.35},
            },
            "x": money_axis("usd", "Purchase price, typical"),
            "order": {"field": "series"},
        },
    }
    table = [
        {"head": category_name(name), "cells": [_purchase_cell(rows, name, fabric) for fabric in fabrics]}
        for name in categories
    ]
    total, servers = cost.capex_usd.total, cost.capex_usd.servers
    known = (
        f"Servers, {usd(servers.typical)}, are left out: beside them the rest would be hard to read. "
        if servers
        else ""
    )
    note = f"{known}Spares are part of each bar. Everything together: {usd(total.typical)} ({usd_range(total)})."
    most = in_sentence(category_name(drawn[0]))
    description = f"Purchase price by category and network, servers left out: the most goes to {most}."
    chart = chart_of(
        "purchase",
        "Purchase price by part and network",
        description,
        series,
        bars,
        spec,
        ["Category", *series],
        table,
        note,
    )
    return chart.shaped("low")


def _sum(rows: Sequence[CapexPart], category: str) -> float:
    return sum(row.usd.typical for row in rows if row.category == category)


def _purchase_cell(rows: Sequence[CapexPart], category: str, fabric: str) -> dict[str, str]:
    row = next((row for row in rows if (row.category, row.fabric) == (category, fabric)), None)
    if row is None:
        return {"text": "\N{EN DASH}", "note": ""}
    return {
        "text": usd_exact(row.usd.typical),
        "note": f"{usd_exact_range(row.usd)}; spares {usd_exact(row.spares_usd.typical)}",
    }


def discount_rate(cost: Cost) -> float:
    """The typical discount rate that the Estimate's total rests on."""
    return next((item.value for item in cost.assumptions if item.name == "discount-rate"), 0.0)


def present_kinds(cost: Cost) -> list[str]:
    """The kinds of cost that some year has any of, in their fixed order."""
    return [kind for kind in KINDS if any(row.usd.get(kind) for row in cost.cash_flow)]


def sums_by_kind(cost: Cost, *, is_discounted: bool) -> dict[str, float]:
    """Kind → typical dollars over all years."""
    rate = discount_rate(cost) if is_discounted else 0.0
    return {
        kind: sum(row.usd.get(kind, 0.0) / (1 + rate) ** row.year for row in cost.cash_flow)
        for kind in present_kinds(cost)
    }


def kinds_chart(cost: Cost) -> Chart:
    """The total cost by kind, as two stacked bars: as it is paid, and in today's money."""
    kinds, years = present_kinds(cost), cost.tco_years
    both = {name: sums_by_kind(cost, is_discounted=is_it) for name, is_it in (("Discounted", True), ("As paid", False))}
    bars = [
        {
            "series": f"s{k}",
            "bar": name,
            "usd": sums[kind],
            "kind": KINDS[kind],
            "reported": usd(sums[kind]),
            "share": share(sums[kind], sum(sums.values())),
        }
        for name, sums in both.items()
        for k, kind in enumerate(kinds)
    ]
    said = tooltip({"Kind": "kind", "Money": "bar", "Typical": "reported", "Share": "share"})
    totals = {name: sum(sums.values()) for name, sums in both.items()}
    spec = {
        "transform": [IS_ON],
        "mark": {"type": "bar", "tooltip": said, "stroke": "var(--surface)", "strokeWidth": 1},
        "encoding": {
            "y": {
                "field": "bar",
                "type": "nominal",
                "title": None,
                "sort": list(both),
                "axis": {"ticks": False, "domain": False},
                "scale": {"paddingInner": 0.4},
            },
            "x": money_axis("usd", f"Over {_years(years)}, typical"),
            "order": {"field": "series"},
        },
    }
    table = [
        {
            "head": KINDS[kind],
            "cells": _cells([(usd_exact(sums[kind]), share(sums[kind], totals[name])) for name, sums in both.items()]),
        }
        for kind in kinds
    ] + [{"head": "Total", "cells": _cells([(usd_exact(total), "") for total in totals.values()])}]
    reported = [f"{usd(total)} {name.lower()}" for name, total in totals.items()]
    description = f"Total cost over {_years(years)} by kind: {', '.join(reported)}."
    note = "Discounted: later money counts less, by the discount rate. What is left at the end is money back, left of zero."
    chart = chart_of(
        "kinds",
        "Total cost by kind",
        description,
        [KINDS[kind] for kind in kinds],
        bars,
        spec,
        ["Kind", *both],
        table,
        note,
        _numbers(kinds),
    )
    return chart.shaped("low")


def share(part: float, whole: float) -> str:
    """ "7.8 %": a part of the whole; nothing where there is no whole."""
    return f"{part / whole * 100:.1f}\N{NO-BREAK SPACE}%".replace("-", "\N{MINUS SIGN}") if whole else ""


def _numbers(kinds: Sequence[str]) -> list[int]:
    return [list(KINDS).index(kind) + 1 for kind in kinds]


# --- When it is paid ---------------------------------------------------------------------------------------------
def cash_flow_chart(cost: Cost) -> Chart:
    """What each year costs, stacked by kind, with the sum so far; a switch discounts all of it."""
    kinds = present_kinds(cost)
    so_far = {"data": {"values": _sums_so_far(cost, len(kinds))}, "transform": [IS_ON, IS_SHOWN_SUM]}
    y = {"y": money_axis("usd", "Typical")}
    bar = {
        "type": "bar",
        "stroke": "var(--surface)",
        "strokeWidth": 1,
        "tooltip": tooltip({"Year": "text", "Kind": "kind", "Typical": "reported"}),
    }
    point = {
        "type": "point",
        "filled": True,
        "size": 60,
        "opacity": 1,
        "tooltip": tooltip({"Year": "text", "Paid so far": "reported"}),
    }
    spec = {
        "encoding": {
            "x": {"field": "year", "type": "ordinal", "title": "Year", "axis": {"labelAngle": 0, "grid": False}}
        },
        "layer": [
            {"transform": [IS_ON, IS_SHOWN_SUM], "mark": bar, "encoding": {**y, "order": {"field": "series"}}},
            {**so_far, "mark": {"type": "line", "aria": False}, "encoding": y},
            {**so_far, "mark": point, "encoding": y},
        ],
    }
    series = [*(KINDS[kind] for kind in kinds), "Paid so far"]
    columns = ["Year", *series[:-1], "Sum of the year", "Discounted", "So far"]
    description = (
        f"Cash flow of years 0 to {cost.tco_years}: {usd(cost.outlay_usd.typical)} at the start, "
        f"{usd(cost.tco_undiscounted_usd.typical)} in all."
    )
    note = (
        "Year 0 is what is paid before the first hour of use. The line adds up the years. "
        "What is left of the equipment comes back in the last one."
    )
    chart = chart_of(
        "cash-flow",
        "Cash flow by year",
        description,
        series,
        _paid_rows(cost, kinds),
        spec,
        columns,
        _paid_table(cost, kinds),
        note,
        [*_numbers(kinds), SUM_COLOUR],
    )
    discounted = Switch("discounted", "Discounted")
    params = [HIDDEN_SERIES, {"name": discounted.key, "value": False}]
    return replace(chart.with_spec(params=params), switches=[discounted])


def _paid_rows(cost: Cost, kinds: Sequence[str]) -> list[Spec]:
    """A bar a year and kind, both as paid and discounted; none where nothing is paid."""
    rate, bars = discount_rate(cost), []
    for is_discounted in (False, True):
        for row in cost.cash_flow:
            worth = (1 + rate) ** -row.year if is_discounted else 1.0
            paid = {kind: row.usd.get(kind, 0.0) * worth for kind in kinds}
            same = {"year": row.year, "text": f"Year {row.year}", "is_discounted": is_discounted}
            bars += [
                {**same, "series": f"s{k}", "kind": KINDS[kind], "usd": paid[kind], "reported": usd(paid[kind])}
                for k, kind in enumerate(kinds)
                if paid[kind]
            ]
    return bars


def _paid_table(cost: Cost, kinds: Sequence[str]) -> list[Spec]:
    return [
        {
            "head": str(row.year),
            "cells": _cells(
                [
                    *((usd_exact(row.usd.get(kind, 0.0)), "") for kind in kinds),
                    *((usd_exact(one.typical), usd_exact_range(one)) for one in _sums_of(row)),
                ]
            ),
        }
        for row in cost.cash_flow
    ]


def _sums_of(row: CashFlowYear) -> tuple[Range[float], ...]:
    """The sum of a year, discounted, and so far."""
    return row.total_usd, row.discounted_usd, row.cumulative_usd


def _sums_so_far(cost: Cost, position: int) -> list[Spec]:
    return [
        {
            "series": f"s{position}",
            "year": row.year,
            "is_discounted": is_discounted,
            "usd": so_far.typical,
            "text": f"Year {row.year}",
            "reported": usd(so_far.typical),
        }
        for is_discounted in (False, True)
        for row in cost.cash_flow
        for so_far in [row.cumulative_discounted_usd if is_discounted else row.cumulative_usd]
    ]


# --- How long it is used -----------------------------------------------------------------------------------------
def years_charts(cost: Cost) -> list[Chart]:
    """Total cost and dollars a GPU-hour against years of use."""
    return [
        _years_chart(
            cost,
            {one.years: one.tco_usd for one in cost.by_years},
            "years-tco",
            "Total cost by years of use",
            "Total cost, discounted",
            usd,
        ),
        _years_chart(
            cost,
            {one.years: one.usd_per_gpu_hour for one in cost.by_years},
            "years-hour",
            "Per GPU-hour by years of use",
            "Per GPU-hour in use",
            usd_small,
        ),
    ]


def _years_chart(
    cost: Cost, figures: Mapping[int, Range[float]], name: str, title: str, axis: str, printer: Any
) -> Chart:
    rows = [{"series": "s0", "years": years, **figure.as_json()} for years, figure in figures.items()]
    reported = [
        f"{printer(figure.typical)} ({printer(figure.low)} to {printer(figure.high)})" for figure in figures.values()
    ]
    points = [
        {"years": years, "text": _years(years), "s0": text} for years, text in zip(figures, reported, strict=True)
    ]
    y = money_axis("typical", axis, zero=True)
    spec = {
        "encoding": {"x": _years_axis(max(figures), least=1)},
        "layer": [
            band(y),
            {
                "transform": [IS_ON],
                "mark": {"type": "line", "point": {"filled": True, "size": 40}},
                "encoding": {"y": y},
            },
            crosshair("years", "Used for", ["Typical"], points),
        ],
    }
    table = [
        {
            "head": _years(years),
            "cells": _cells([(printer(end), "") for end in (figure.typical, figure.low, figure.high)]),
        }
        for years, figure in figures.items()
    ]
    description = f"{title}: {reported[0]} after one year, {reported[-1]} after {[*figures][-1]}."
    note = (
        f"The design counts {_years(cost.tco_years)}. The band runs from low to high; "
        "what is left after fewer years is worth more."
    )
    return chart_of(
        name, title, description, ["Typical, low to high"], rows, spec, ["Years", "Typical", "Low", "High"], table, note
    )


def _years(count: int) -> str:
    return f"{count} year{'' if count == 1 else 's'}"


def _years_axis(most: int, least: int = 0) -> Spec:
    return {
        "field": "years",
        "type": "quantitative",
        "title": "Years",
        "scale": {"domain": [least, most], "nice": False},
        "axis": {"values": list(range(least, most + 1)), "format": "d", "grid": False},
    }


def book_value_chart(cost: Cost) -> Chart:
    """What the equipment is worth at the end of each year."""
    worth = cost.depreciation.book_value_usd
    heads = [f"End of year {year}" if year else "At the start" for year in range(len(worth))]
    rows = [
        {
            "series": "s0",
            "year": year,
            "usd": value,
            "reported": usd(value),
            "text": heads[year],
        }
        for year, value in enumerate(worth)
    ]
    spec = {
        "transform": [IS_ON],
        "mark": {
            "type": "bar",
            "cornerRadiusEnd": 3,
            "width": {"band": 0.6},
            "tooltip": tooltip({"When": "text", "Book value": "reported"}),
        },
        "encoding": {
            "x": {"field": "year", "type": "ordinal", "title": "End of year", "axis": {"labelAngle": 0, "grid": False}},
            "y": money_axis("usd", "Book value, typical"),
        },
    }
    table = [
        {"head": head, "cells": _cells([(usd_exact(value), "")])} for head, value in zip(heads, worth, strict=True)
    ]
    years, yearly = cost.depreciation.years, cost.depreciation.usd_per_year
    note = (
        f"Straight line over {years.typical:g} years ({years.low:g} to {years.high:g}): "
        f"{usd(yearly.typical)} a year ({usd_range(yearly)})."
    )
    description = (
        f"Book value from {usd(worth[0])} at the start to {usd(worth[-1])} at the end of year {len(worth) - 1}."
    )
    return chart_of(
        "book-value", "Depreciation", description, ["Book value"], rows, spec, ["When", "Book value"], table, note
    )


def rent_chart(cost: Cost, gpus: int) -> Chart:
    """What renting the same GPU-hours has cost by the end of each year, against what owning has, with nothing sold.

    The lines cross where the Estimate's ``break_even_months`` says: both are of mean years, and nothing is discounted.
    """
    cloud, months = cost.rent.cloud_usd_per_gpu_hour, cost.rent.break_even_months
    price = cloud or cost.rent.break_even_usd_per_gpu_hour.typical
    yearly = price * hours_in_use(cost, gpus)
    last = min(max(cost.tco_years, math.ceil(months.typical / 12) if months else 0), MOST_YEARS)
    owning = [_owning(cost, year) for year in range(last + 1)]
    rows = [{"series": "s0", "years": year, "value": at.typical, **at.as_json()} for year, at in enumerate(owning)]
    rows += [
        {"series": "s1", "years": year, **dict.fromkeys(("value", "low", "high"), yearly * year)}
        for year in range(last + 1)
    ]
    points = [
        {"years": year, "text": _years(year), "s0": f"{usd(at.typical)} ({usd_range(at)})", "s1": usd(yearly * year)}
        for year, at in enumerate(owning)
    ]
    y = money_axis("value", "Paid so far")
    series = ["Owning", f"Renting at {usd_small(price)} a GPU-hour" + ("" if cloud else ", the break-even price")]
    spec = {
        "encoding": {"x": _years_axis(last)},
        "layer": [
            band(y),
            {"transform": [IS_ON], "mark": {"type": "line"}, "encoding": {"y": y}},
            crosshair("years", "After", ["Owning", "Renting"], points),
        ],
    }
    table = [
        {
            "head": _years(year),
            "cells": _cells([(usd_exact(at.typical), usd_exact_range(at)), (usd_exact(yearly * year), "")]),
        }
        for year, at in enumerate(owning)
    ]
    description = (
        f"Renting at {usd_small(price)} a GPU-hour comes to {usd(yearly * last)} after {_years(last)}; "
        f"owning to {usd(owning[-1].typical)}."
    )
    note = "What was paid so far, in years of mean running cost, nothing discounted. Renting pays for the hours in use alone. "
    note += "The break-even price also discounts, and counts what is left of the equipment in favour of owning."
    title = "Paid so far, owned and rented"
    return chart_of("rent-or-buy", title, description, series, rows, spec, ["After", *series], table, note)


def hours_in_use(cost: Cost, gpus: int) -> float:
    """GPU-hours in use of a year."""
    share = next((item.value for item in cost.assumptions if item.name == "gpu-utilization"), 1.0)
    return gpus * HOURS_PER_YEAR * share


def _owning(cost: Cost, years: int) -> Range[float]:
    """What owning has cost by then."""
    return cost.outlay_usd + cost.running_usd_per_year * years
