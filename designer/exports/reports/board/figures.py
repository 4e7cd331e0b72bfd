"""The figures that decide on one page, and what each option costs to buy and to run."""

from collections.abc import Sequence

from reportlab.graphics.shapes import Line, Rect
from reportlab.platypus import Flowable, KeepTogether, Paragraph, Spacer

from designer.exports.pdf.charts import Plot, legend, nice_ticks, short, stacked_bars
from designer.exports.reports.board.sides import drawn_range, fields_of, has_draws
from designer.wording.comparison import LETTERS, figure_row, named
from designer.wording.names import SPEND
from designer.wording.numbers import (
    currency_words,
    factor_of,
    usd,
)
from estimator.catalog.currency import USD
from estimator.compare.result import ComparisonResult
from estimator.pdf.grid import Grid, Row, Text
from estimator.pdf.page import UPRIGHT, heading, section
from estimator.pdf.style import CHART, LINE, PORTRAIT, SMALL, text_width
from estimator.pdf.text import BOLD, REGULAR, markup
from estimator.result import PricedEstimate

KEYS = (
    *("switches", "cables", "modules", "oversubscription", "bisection_gbit_s", "it_w", "racks"),
    *("capex_p50_usd", "tco_p50_usd", "capex_usd", "network_usd", "opex_usd_per_year", "tco_usd", "usd_per_gpu"),
    *("usd_per_gpu_hour", "busbw_gb_s", "all_to_all_gb_s", "failures_per_year", "stops_per_year"),
)
SUMS = {"capex_usd": "capex_p50_usd", "tco_usd": "tco_p50_usd"}
"""Sums of typical figures, by the draws' middle that a board is shown in their place: two totals of one name ask for a third."""


def figures_table(result: ComparisonResult) -> list[Flowable]:
    """The figures that decide, on one page."""
    rows = []
    by_key = {figure.key: figure for figure in result.figures}
    drawn = {key for key in SUMS.values() if key in by_key and all(by_key[key].values)}
    for key in KEYS:
        if key in by_key and SUMS.get(key) not in drawn:
            found = figure_row(by_key[key], result.baseline)
            cells = [Text(("≥ " if cell.at_least else "") + cell.text, cell.range) for cell in found.cells]
            rows.append(Row([Text(found.label), *cells]))
    note = (
        "P50: half of the draws of prices and assumptions lie below; P5 and P95: one in twenty lies below, above. Other "
        "figures have typical values, with their range below. Total cost is discounted and less what the equipment is worth "
        "at the end."
    )
    grid = Grid(fields_of(result, "Figure"), rows, size=6.6)
    return [*section("The options on one page", UPRIGHT), grid, Paragraph(markup(note), SMALL)]


def cost_pages(result: ComparisonResult, options: Sequence[PricedEstimate | None]) -> list[Flowable]:
    room = text_width(PORTRAIT)
    parts = [side.parts_usd for side in result.spend]
    kinds = [kind for kind in SPEND if any(part.typical(kind) for part in parts)]
    values = [[part.typical(kind) for kind in kinds] for part in parts]
    sums = [sum(each) for each in values]
    labels = [f"{LETTERS[k]}  {usd(total)}" for k, total in enumerate(sums)]
    names = [SPEND[kind] for kind in kinds]
    years = sorted({side.years for side in result.spend if side.years})
    key = "; ".join(named(result, k) for k in range(len(labels)))
    out: list[Flowable] = [*section("What it costs", UPRIGHT)]
    if kinds:
        note = (
            f"{key}. Running cost is that of {' or '.join(map(str, years))} years as it is paid: not discounted, and without "
            "what the equipment is worth at the end, so that a bar is above the total cost of ownership."
            if years
            else f"{key}."
        )
        chart = stacked_bars(
            labels, names, values, room, 190.0, "", f"{currency_words()}, typical", usd, factor_of(USD)
        )
        below = Paragraph(markup(note), SMALL)
        rows = [Row([Text(SPEND[kind]), *(Text(usd(each[at])) for each in values)]) for at, kind in enumerate(kinds)]
        rows.append(Row([Text("In all"), *(Text(usd(total)) for total in sums)], "total"))
        table = Grid(fields_of(result, "Typical"), rows)
        head = heading("Purchase and running cost")
        out.append(KeepTogether([head, legend(names, room), Spacer(1, 4), chart, below, Spacer(1, 4), table]))
    spans = {
        name: [
            (LETTERS[k], *drawn_range(option, key))
            for k, option in enumerate(options)
            if option and has_draws(option, key)
        ]
        for name, key in (("Purchase price", "capex_usd"), ("Total cost", "tco_usd"))
    }
    for name, ends in spans.items():
        if ends:
            note = f"{name} over draws of prices and assumptions: the bar has nine draws in ten, and half lie below its mark."
            out.append(
                KeepTogether([heading(f"{name}, P5 to P95"), range_chart(ends, room), Paragraph(markup(note), SMALL)])
            )
    return out


def range_chart(rows: Sequence[tuple[str, float, float, float]], wide: float) -> Flowable:
    """A bar from the low to the high end of each row, a mark at its middle, its ends in words."""
    high = 46 + 22.0 * len(rows)
    ticks = nice_ticks(0, max(end for *_, end in rows), factor=factor_of(USD))
    plot = Plot(wide, high, (ticks[0], ticks[-1]), (0, 1), left=26, right=112, top=4)
    for tick in ticks:
        plot.drawing.add(_line(plot.x(tick), plot.bottom, plot.x(tick), high - 4))
    plot.x_axis("", lambda value: short(usd(value)), ticks)
    for k, (name, low, middle, top) in enumerate(rows):
        y = high - 8 - 22.0 * (k + 1)
        plot.text(0, y + 5, name, font=BOLD)
        plot.drawing.add(_bar(plot.x(low), y + 2, max(plot.x(top) - plot.x(low), 1.0)))
        plot.drawing.add(_bar(plot.x(middle) - 1, y, 2.0, 14.0, strong=True))
        plot.text(wide, y + 5, f"{usd(low)} to {usd(top)}", "end", REGULAR)
    return plot.drawing


def _line(x: float, y: float, x2: float, y2: float) -> Line:
    return Line(x, y, x2, y2, strokeColor=LINE, strokeWidth=0.4)


def _bar(x: float, y: float, wide: float, high: float = 10.0, *, strong: bool = False) -> Rect:
    return Rect(x, y, wide, high, fillColor=CHART[0] if strong else CHART[6], strokeColor=None)
