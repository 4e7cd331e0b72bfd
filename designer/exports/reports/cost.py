"""Cost of ownership in a report: purchase, one-off and running cost, cash flow, cost over other lifetimes, uncertainty."""

import math
from collections.abc import Mapping, Sequence

from reportlab.platypus import Flowable, KeepTogether, Paragraph, Spacer

from designer.exports.cost_words import CAPEX_NAMES, FIGURE_NAMES, ONE_OFF_NAMES, RUNNING_NAMES, TOTAL
from designer.exports.pdf.charts import histogram, legend, stacked_bars, tornado
from designer.exports.reports.bill import money, money_range
from designer.wording.cost import likely
from designer.wording.names import COST_KINDS
from designer.wording.numbers import (
    MINUS,
    category_name,
    chosen,
    currency_words,
    factor_of,
    kilowatt_hours,
    percent,
    range_in_unit,
    rounded,
    usd,
    usd_range,
    words,
)
from estimator.catalog.currency import USD
from estimator.cost.result import PERCENTILES, CashFlowYear, Cost, Uncertainty
from estimator.pdf.grid import SIZE, Field, Grid, Row, Text
from estimator.pdf.page import UPRIGHT, WIDE, headed, heading, section
from estimator.pdf.style import BODY, LANDSCAPE, PORTRAIT, SMALL, text_width
from estimator.pdf.text import markup
from estimator.ranges import Range

CASH_HEIGHT = 185.0
MANY_KINDS = 8  # columns of figures that fit in the usual type


def cost_sections(cost: Cost) -> list[Flowable]:
    """All pages about cost. Parts that an estimate of an older model lacks are left out."""
    out = [
        *section("Cost"),
        Paragraph(markup(_in_words(cost)), BODY),
        *headed("Purchase and total cost", _ranges(cost)),
    ]
    out += _capital(cost)
    if cost.cash_flow:
        out += _cash_flow(cost)
    after = [*_by_years(cost), *_rent(cost), *_uncertainty(cost)]
    return [*out, *section("Cost over time and its uncertainty", UPRIGHT), *after] if after else out


def _likely_words(cost: Cost, key: str) -> str:
    """What the draws say of a figure."""
    drawn = likely(cost, key)
    if not cost.simulated or not drawn:
        return ""
    return (
        f" By {cost.simulated.draws:,} draws: {usd(drawn.typical)} in the middle, {usd_range(drawn)} nine times in ten."
    )


def _in_words(cost: Cost) -> str:
    paid, total = cost.capex_usd.total, cost.tco_usd
    words_ = [
        f"The purchase comes to {usd(paid.typical)} at typical prices ({usd_range(paid)})."
        f"{_likely_words(cost, 'capex_usd')}",
        f"Over {cost.tco_years} years, discounted and less the value left, the total is {usd(total.typical)} "
        f"({usd_range(total)}).{_likely_words(cost, 'tco_usd')}",
        f"The network is {percent(cost.network_share)} of the purchase." if cost.network_share else "",
        "Low takes every price and parameter at its low-cost end, high at its high-cost end, so that the range is "
        "wider than chance would make it.",
    ]
    return " ".join(part for part in words_ if part)


def _row(name: str, amount: Range[float] | None, kind: str = "", note: str = "") -> Row:
    cells = [money(end) for end in amount] if amount else ["no price"] * 3
    return Row([Text(name, note), *cells], kind)


def _ranges(cost: Cost) -> Grid:
    """Purchase, one-off, outlay, a year's running cost, total cost and figures per unit."""
    paid = cost.capex_usd
    rows = [
        *(
            _row(name, getattr(paid, part), "subtotal" if part == TOTAL else "")
            for part, name in CAPEX_NAMES.items()
            if part != "facility" or paid.facility
        ),
        *_parts(ONE_OFF_NAMES, cost.one_off_usd or {}),
    ]
    if cost.outlay_usd:
        rows.append(_row("Outlay in year 0", cost.outlay_usd, "subtotal"))
    rows += _parts(RUNNING_NAMES, cost.opex_usd_per_year)
    energy = cost.energy_kwh_per_year
    note = f"electricity: {kilowatt_hours(energy.typical)} a year" if energy else ""
    rows.append(_row(f"Total cost over {cost.tco_years} years", cost.tco_usd, "total", note))
    if cost.tco_undiscounted_usd:
        rows.append(_row("The same, not discounted", cost.tco_undiscounted_usd))
    units = (
        ("Purchase a GPU", cost.usd_per_gpu),
        ("Network a GPU", cost.network_usd_per_gpu),
        ("Total cost a GPU-hour in use", cost.usd_per_gpu_hour),
        ("Network a Gb/s of bisection", cost.usd_per_gbit_s_bisection),
        ("Purchase a GB/s of all-reduce", cost.usd_per_gb_s_busbw),
        ("Total cost a million tokens", cost.usd_per_million_tokens),
    )
    fields = [Field(_currency_head(), 0.4), *(Field(end, 0.2, is_number=True) for end in ("Low", "Typical", "High"))]
    return Grid(fields, [*rows, *(_row(name, amount) for name, amount in units if amount)])


def _currency_head() -> str:
    words_ = currency_words()
    return words_[:1].upper() + words_[1:]


def _parts(names: Mapping[str, str], amounts: Mapping[str, Range[float]]) -> list[Row]:
    """A row for each part that costs something, and one for their sum."""
    return [
        _row(name, amounts[key], "subtotal" if key == "total" else "")
        for key, name in names.items()
        if key in amounts and (key == "total" or any(amounts[key]))
    ]


def _capital(cost: Cost) -> list[Flowable]:
    """What the purchase is made of, by network and category."""
    if not cost.capex_by:
        return []
    fields = (
        Field("Network", 0.18),
        Field("Category", 0.22),
        Field(f"Typical, {chosen().currency}", 0.16, is_number=True),
        Field("Low to high", 0.26, is_number=True),
        Field("of it spares", 0.18, is_number=True),
    )
    rows = [
        Row(
            [
                words(part.fabric).capitalize(),
                category_name(part.category),
                money(part.usd.typical),
                money_range(part.usd),
                money(part.spares_usd.typical),
            ]
        )
        for part in cost.capex_by
    ]
    return headed("Purchase by network and category", Grid(fields, rows))


def shown_kinds(cash_flow: Sequence[CashFlowYear]) -> list[str]:
    """The kinds of cost that some year has."""
    return [kind for kind in COST_KINDS if any(row.usd.get(kind) for row in cash_flow)]


def whole(amount: float | None) -> str:
    """In whole units of the chosen currency, half a unit up; a dash for nothing. Floats of cents are nearly whole cents."""
    return f"{math.floor(round(amount * chosen().per_usd, 2) + 0.5):,}".replace("-", MINUS) if amount else "–"


def _cash_flow(cost: Cost) -> list[Flowable]:
    rows, room = cost.cash_flow, text_width(LANDSCAPE)
    kinds = shown_kinds(rows)
    names = [COST_KINDS[kind] for kind in kinds]
    labels = [f"Year {row.year}" for row in rows]
    values = [[row.usd.get(kind) or 0.0 for kind in kinds] for row in rows]
    chart = stacked_bars(
        labels, names, values, room, CASH_HEIGHT, "", f"{currency_words()}, typical", usd, factor_of(USD)
    )
    fields = [
        Field("Year", 0.62),
        *(Field(name, 1, is_number=True) for name in names),
        *(Field(name, 1.4, is_number=True) for name in ("Total", "Discounted", "Cumulative")),
    ]
    cells = [
        Row(
            [
                str(row.year),
                *(whole(row.usd.get(kind)) for kind in kinds),
                *(whole(sum_.typical) for sum_ in (row.total_usd, row.discounted_usd, row.cumulative_usd)),
            ]
        )
        for row in rows
    ]
    sums = [whole(sum(row.usd.get(kind) or 0.0 for row in rows)) for kind in kinds]
    totals = (cost.tco_undiscounted_usd.typical, cost.tco_usd.typical)
    cells.append(Row(["Sum", *sums, *map(whole, totals), ""], "total"))
    note = (
        f"Typical figures, in whole {currency_words()}; the workbook has the cents. Year 0 is the purchase; running cost falls "
        "at the end of each year; the value left comes back last. The sum of what is discounted is the total cost."
    )
    grid = Grid(fields, cells, size=6.4 if len(kinds) > MANY_KINDS else SIZE)
    drawn = [legend(names, room), Spacer(1, 6), chart, Spacer(1, 8)]
    return [*section("Cash flow", WIDE), *drawn, grid, Paragraph(markup(note), SMALL)]


def _by_years(cost: Cost) -> list[Flowable]:
    if not cost.by_years:
        return []
    code = chosen().currency
    fields = (
        Field("Years", 0.1, is_number=True),
        Field(f"Total cost, {code}", 0.3, is_number=True),
        Field(f"A GPU-hour, {code}", 0.2, is_number=True),
        Field(f"Value left, {code}", 0.2, is_number=True),
        Field(f"Book value at the end, {code}", 0.2, is_number=True),
    )
    book = cost.depreciation.book_value_usd if cost.depreciation else []
    rows = [
        Row(
            [
                str(row.years),
                Text(money(row.tco_usd.typical), money_range(row.tco_usd)),
                _hourly(row.usd_per_gpu_hour),
                money(row.residual_usd.typical),
                money(book[row.years]) if row.years < len(book) else "–",
            ],
            "subtotal" if row.years == cost.tco_years else "",
        )
        for row in cost.by_years
    ]
    return headed("Cost over other lifetimes", Grid(fields, rows))


def _hourly(amount: Range[float]) -> Text:
    low, typical, high = (f"{end * chosen().per_usd:,.2f}" for end in amount)
    return Text(typical, f"{low} to {high}")


def _rent(cost: Cost) -> list[Flowable]:
    rent = cost.rent
    if not rent:
        return []
    even = rent.break_even_usd_per_gpu_hour
    text = [f"Owning costs as much as renting at {usd(even.typical)} a GPU-hour ({usd_range(even)})."]
    if rent.cloud_usd_per_gpu_hour:
        text.append(f"The cloud price given is {usd(rent.cloud_usd_per_gpu_hour)} a GPU-hour.")
    if months := rent.break_even_months:
        text.append(f"At that price owning is cheaper after {rounded(months.typical)} months, typically.")
    if saved := rent.saved_usd:
        text.append(f"Over {cost.tco_years} years owning saves {usd(saved.typical)} ({usd_range(saved)}).")
    return headed("Rent or buy", Paragraph(markup(" ".join(text)), BODY))


def _uncertainty(cost: Cost) -> list[Flowable]:
    drawn = cost.uncertainty
    if not drawn:
        return []
    room = text_width(PORTRAIT)
    heads = ["Mean" if name == "mean" else f"{name[1:]} %" for name in PERCENTILES]
    fields = [Field("Not above, in", 1.5), *(Field(head, 1, is_number=True) for head in heads)]
    rows = [
        Row([FIGURE_NAMES.get(key, words(key)), *(usd(getattr(figure, name)) for name in PERCENTILES)])
        for key, figure in drawn.figures.items()
    ]
    intro = (
        f"{drawn.draws:,} draws over the ranges of prices and assumptions (seed {drawn.seed}): how often each figure "
        "stays at or below an amount."
    )
    out = headed("Uncertainty", Paragraph(markup(intro), BODY), Grid(fields, rows))
    out += _histogram(drawn, room)
    if drawn.tornado:
        cells = [
            (bar.label, range_in_unit(bar.low, bar.high, bar.unit), bar.tco_low_usd, bar.tco_high_usd)
            for bar in drawn.tornado
        ]
        chart = tornado(cells, cost.tco_usd.typical, room, "Total cost", usd, factor=factor_of(USD))
        note = "Each bar moves one figure from its low to its high end and leaves the others typical: pale at low, dark at high."
        out.append(KeepTogether([heading("What moves the total cost most"), chart, Paragraph(markup(note), SMALL)]))
    return out


def _histogram(drawn: Uncertainty, room: float) -> list[Flowable]:
    figure, bins = drawn.tco
    marks = [("10 %", figure.p10), ("50 %", figure.p50), ("90 %", figure.p90)]
    chart = histogram(bins.edges_usd, bins.counts, marks, room, 150, "Total cost", usd, factor=factor_of(USD))
    return [KeepTogether([heading("Total cost over all draws"), chart])]
