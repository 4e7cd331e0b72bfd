"""Cost of ownership in a report: purchase, one-off and running cost, cash flow, cost over other lifetimes, uncertainty."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from reportlab.platypus import Flowable, KeepTogether, Paragraph, Spacer

from designer.exports.cost_words import CAPEX_NAMES, FIGURE_NAMES, KIND_NAMES, ONE_OFF_NAMES, PERCENTILES, RUNNING_NAMES
from designer.exports.pdf.charts import histogram, legend, stacked_bars, tornado
from designer.exports.pdf.grid import SIZE, Field, Grid, Row, Text
from designer.exports.pdf.page import UPRIGHT, WIDE, headed, heading, section
from designer.exports.pdf.style import BODY, LANDSCAPE, PORTRAIT, SMALL, text_width
from designer.exports.pdf.text import markup
from designer.exports.reports.bill import money, money_range
from designer.wording.cost import likely
from designer.wording.numbers import (
    category_name,
    in_unit,
    kilowatt_hours,
    percent,
    rounded,
    unit_name,
    usd,
    usd_range,
    words,
)
from estimator.cost.result import Cost

Json = Mapping[str, Any]
RANGE_FIELDS = (
    Field("US dollars", 0.4),
    Field("Low", 0.2, is_number=True),
    Field("Typical", 0.2, is_number=True),
    Field("High", 0.2, is_number=True),
)
CASH_HEIGHT = 185.0
MANY_KINDS = 8  # columns of figures that fit in the usual type


def cost_sections(estimate: Json) -> list[Flowable]:
    """All pages about cost. Parts that an estimate of an older model lacks are left out."""
    cost = estimate["cost"]
    out = [
        *section("Cost"),
        Paragraph(markup(_in_words(estimate)), BODY),
        *headed("Purchase and total cost", _ranges(cost)),
    ]
    out += _capital(cost)
    if cost.get("cash_flow"):
        out += _cash_flow(cost)
    after = [*_by_years(cost), *_rent(cost), *_uncertainty(cost)]
    return [*out, *section("Cost over time and its uncertainty", UPRIGHT), *after] if after else out


def _likely_words(cost: Json, key: str) -> str:
    """What the draws say of a figure."""
    drawn = likely(Cost.from_json(cost), key)
    return (
        f" By {cost['simulated']['draws']:,} draws: {usd(drawn.typical)} in the middle, {usd_range(drawn)} nine times in ten."
        if drawn
        else ""
    )


def _in_words(estimate: Json) -> str:
    cost = estimate["cost"]
    words_ = [
        f"The purchase comes to {usd(cost['capex_usd']['total']['typical'])} at typical prices "
        f"({usd_range(cost['capex_usd']['total'])}).{_likely_words(cost, 'capex_usd')}"
        if cost["capex_usd"].get("total")
        else "",
        f"Over {cost['tco_years']} years, discounted and less the value left, the total is {usd(cost['tco_usd']['typical'])} "
        f"({usd_range(cost['tco_usd'])}).{_likely_words(cost, 'tco_usd')}"
        if cost.get("tco_usd")
        else "",
        f"The network is {percent(cost['network_share'])} of the purchase." if cost.get("network_share") else "",
        "Low takes every price and parameter at its low-cost end, high at its high-cost end, so that the range is "
        "wider than chance would make it.",
    ]
    return " ".join(part for part in words_ if part)


def _row(name: str, amount: Json | None, kind: str = "", note: str = "") -> Row:
    cells = [money(amount[end]) for end in ("low", "typical", "high")] if amount else ["no price"] * 3
    return Row([Text(name, note), *cells], kind)


def _ranges(cost: Json) -> Grid:
    """Purchase, one-off, outlay, a year's running cost, total cost and figures per unit."""
    rows = [
        _row(CAPEX_NAMES[key], cost["capex_usd"][key], "subtotal" if key == "total" else "")
        for key in CAPEX_NAMES
        if key in cost["capex_usd"]
    ]
    for names, part in ((ONE_OFF_NAMES, cost.get("one_off_usd")), (RUNNING_NAMES, cost.get("opex_usd_per_year"))):
        rows += [
            _row(name, part[key], "subtotal" if key == "total" else "")
            for key, name in names.items()
            if part and part.get(key) and (key == "total" or any(part[key].values()))
        ]
        if names is ONE_OFF_NAMES and cost.get("outlay_usd"):
            rows.append(_row("Outlay in year 0", cost["outlay_usd"], "subtotal"))
    energy = cost.get("energy_kwh_per_year")
    if cost.get("tco_usd"):
        note = f"electricity: {kilowatt_hours(energy['typical'])} a year" if energy else ""
        rows.append(_row(f"Total cost over {cost['tco_years']} years", cost["tco_usd"], "total", note))
    if cost.get("tco_undiscounted_usd"):
        rows.append(_row("The same, not discounted", cost["tco_undiscounted_usd"]))
    units = {
        "usd_per_gpu": "Purchase a GPU",
        "network_usd_per_gpu": "Network a GPU",
        "usd_per_gpu_hour": "Total cost a GPU-hour in use",
        "usd_per_gbit_s_bisection": "Network a Gb/s of bisection",
        "usd_per_gb_s_busbw": "Purchase a GB/s of all-reduce",
        "usd_per_million_tokens": "Total cost a million tokens",
    }
    rows += [_row(name, cost[key]) for key, name in units.items() if cost.get(key)]
    return Grid(RANGE_FIELDS, rows)


def _capital(cost: Json) -> list[Flowable]:
    """What the purchase is made of, by network and category."""
    if not cost.get("capex_by"):
        return []
    fields = (
        Field("Network", 0.18),
        Field("Category", 0.22),
        Field("Typical, USD", 0.16, is_number=True),
        Field("Low to high", 0.26, is_number=True),
        Field("of it spares", 0.18, is_number=True),
    )
    rows = [
        Row(
            [
                words(part["fabric"]).capitalize(),
                category_name(part["category"]),
                money(part["usd"]["typical"]),
                money_range(part["usd"]),
                money(part["spares_usd"]["typical"]),
            ]
        )
        for part in cost["capex_by"]
    ]
    return headed("Purchase by network and category", Grid(fields, rows))


def shown_kinds(cash_flow: Sequence[Json]) -> list[str]:
    """The kinds of cost that some year has."""
    return [kind for kind in KIND_NAMES if any(row["usd"].get(kind) for row in cash_flow)]


def whole(amount: float | None) -> str:
    """Dollars to the dollar; a dash for nothing."""
    return money(math.floor(amount + 0.5)) if amount else "–"


def _cash_flow(cost: Json) -> list[Flowable]:
    rows, room = cost["cash_flow"], text_width(LANDSCAPE)
    kinds = shown_kinds(rows)
    names = [KIND_NAMES[kind] for kind in kinds]
    labels = [f"Year {row['year']}" for row in rows]
    values = [[row["usd"].get(kind) or 0.0 for kind in kinds] for row in rows]
    chart = stacked_bars(labels, names, values, room, CASH_HEIGHT, "", "US dollars, typical", usd)
    fields = [
        Field("Year", 0.62),
        *(Field(name, 1, is_number=True) for name in names),
        *(Field(name, 1.4, is_number=True) for name in ("Total", "Discounted", "Cumulative")),
    ]
    cells = [
        Row(
            [
                str(row["year"]),
                *(whole(row["usd"].get(kind)) for kind in kinds),
                *(whole(row[key]["typical"]) for key in ("total_usd", "discounted_usd", "cumulative_usd")),
            ]
        )
        for row in rows
    ]
    sums = [whole(sum(row["usd"].get(kind) or 0.0 for row in rows)) for kind in kinds]
    totals = (cost["tco_undiscounted_usd"]["typical"], cost["tco_usd"]["typical"])
    cells.append(Row(["Sum", *sums, *map(whole, totals), ""], "total"))
    note = (
        "Typical figures, to the dollar; the workbook has the cents. Year 0 is the purchase; running cost falls at the end "
        "of each year; the value left comes back last. The sum of what is discounted is the total cost."
    )
    grid = Grid(fields, cells, size=6.4 if len(kinds) > MANY_KINDS else SIZE)
    drawn = [legend(names, room), Spacer(1, 6), chart, Spacer(1, 8)]
    return [*section("Cash flow", WIDE), *drawn, grid, Paragraph(markup(note), SMALL)]


def _by_years(cost: Json) -> list[Flowable]:
    if not cost.get("by_years"):
        return []
    fields = (
        Field("Years", 0.1, is_number=True),
        Field("Total cost, USD", 0.3, is_number=True),
        Field("A GPU-hour, USD", 0.2, is_number=True),
        Field("Value left, USD", 0.2, is_number=True),
        Field("Book value at the end, USD", 0.2, is_number=True),
    )
    book = (cost.get("depreciation") or {}).get("book_value_usd") or []
    rows = [
        Row(
            [
                str(row["years"]),
                Text(money(row["tco_usd"]["typical"]), money_range(row["tco_usd"])),
                Text(
                    f"{row['usd_per_gpu_hour']['typical']:,.2f}",
                    f"{row['usd_per_gpu_hour']['low']:,.2f} to {row['usd_per_gpu_hour']['high']:,.2f}",
                ),
                money(row["residual_usd"]["typical"]),
                money(book[row["years"]]) if row["years"] < len(book) else "–",
            ],
            "subtotal" if row["years"] == cost["tco_years"] else "",
        )
        for row in cost["by_years"]
    ]
    return headed("Cost over other lifetimes", Grid(fields, rows))


def _rent(cost: Json) -> list[Flowable]:
    rent = cost.get("rent")
    if not rent:
        return []
    even = rent["break_even_usd_per_gpu_hour"]
    text = [f"Owning costs as much as renting at {usd(even['typical'])} a GPU-hour ({usd_range(even)})."]
    if rent.get("cloud_usd_per_gpu_hour"):
        text.append(f"The cloud price given is {usd(rent['cloud_usd_per_gpu_hour'])} a GPU-hour.")
    if months := rent.get("break_even_months"):
        text.append(f"At that price owning is cheaper after {rounded(months['typical'])} months, typically.")
    if saved := rent.get("saved_usd"):
        text.append(f"Over {cost['tco_years']} years owning saves {usd(saved['typical'])} ({usd_range(saved)}).")
    return headed("Rent or buy", Paragraph(markup(" ".join(text)), BODY))


def _uncertainty(cost: Json) -> list[Flowable]:
    drawn = cost.get("uncertainty")
    if not drawn:
        return []
    room = text_width(PORTRAIT)
    shown = [name for name in PERCENTILES if all(name in figure for figure in drawn["figures"].values())]
    heads = {"mean": "Mean"} | {name: f"{name[1:]} %" for name in shown if name.startswith("p")}
    fields = [Field("Not above, in", 1.5), *(Field(heads[name], 1, is_number=True) for name in shown)]
    rows = [
        Row([FIGURE_NAMES.get(key, words(key)), *(usd(figure[name]) for name in shown)])
        for key, figure in drawn["figures"].items()
    ]
    intro = (
        f"{drawn['draws']:,} draws over the ranges of prices and assumptions (seed {drawn['seed']}): how often each figure "
        "stays at or below an amount."
    )
    out = headed("Uncertainty", Paragraph(markup(intro), BODY), Grid(fields, rows))
    out += _histogram(drawn, room)
    if bars := drawn.get("tornado"):
        cells = [(bar["label"], _ends(bar), bar["tco_low_usd"], bar["tco_high_usd"]) for bar in bars]
        chart = tornado(cells, cost["tco_usd"]["typical"], room, "Total cost", usd)
        note = "Each bar moves one figure from its low to its high end and leaves the others typical: pale at low, dark at high."
        out.append(KeepTogether([heading("What moves the total cost most"), chart, Paragraph(markup(note), SMALL)]))
    return out


def _ends(bar: Json) -> str:
    low, high = (in_unit(bar[end], bar["unit"]) for end in ("low", "high"))
    return f"{low} to {high} {unit_name(bar['unit'])}"


def _histogram(drawn: Json, room: float) -> list[Flowable]:
    bins = (drawn.get("histogram") or {}).get("tco_usd")
    if not bins:
        return []
    figure = drawn["figures"]["tco_usd"]
    marks = [(name, figure[key]) for name, key in (("10 %", "p10"), ("50 %", "p50"), ("90 %", "p90")) if key in figure]
    chart = histogram(bins["edges_usd"], bins["counts"], marks, room, 150, "Total cost", usd)
    return [KeepTogether([heading("Total cost over all draws"), chart])]
