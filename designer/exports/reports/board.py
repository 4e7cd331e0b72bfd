"""Two to five options as a paper for a board: recommendation, one page of figures, cost, risks, assumptions, what is built."""

import io
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from reportlab.graphics.shapes import Line, Rect
from reportlab.lib.utils import ImageReader
from reportlab.platypus import Flowable, Image, KeepTogether, NextPageTemplate, Paragraph, Spacer

from designer.exports.pdf.charts import Plot, legend, nice_ticks, short, stacked_bars, tornado
from designer.wording.comparison import LETTERS, figure_row
from designer.wording.findings import sentence, worst_first
from designer.wording.names import SPENT
from designer.wording.numbers import (
    basis_name,
    category_name,
    count,
    currency_words,
    gb_s,
    gbit_s,
    generation_name,
    is_assumption,
    percent,
    range_in_unit,
    ratio_to_one,
    units_note,
    usd,
    usd_range,
    watts,
)
from estimator.bom.lines import SWITCH
from estimator.catalog.ports import COMPUTE
from estimator.compare.result import ComparedFigure, ComparisonResult, SpendParts
from estimator.cost.result import Assumption
from estimator.errors import Problem, SpecError
from estimator.pdf.grid import Field, Grid, Row, Text
from estimator.pdf.page import UPRIGHT, About, headed, heading, pdf_bytes, section
from estimator.pdf.style import BODY, CHART, EYEBROW, LEAD, LINE, PORTRAIT, SMALL, SUBTITLE, TITLE, text_width
from estimator.pdf.text import BOLD, REGULAR, markup
from estimator.ranges import Range
from estimator.result import PricedEstimate
from estimator.units import counted
from estimator.wording import date_and_time, in_sentence

FEWEST, MOST = 2, 5
LONGEST_TITLE, LONGEST_REASON = 120, 600
LOGO_WIDE, LOGO_HIGH = 170.0, 64.0
KEYS = (
    *("switches", "cables", "modules", "oversubscription", "bisection_gbit_s", "it_w", "racks"),
    *("capex_p50_usd", "tco_p50_usd", "capex_usd", "network_usd", "opex_usd_per_year", "tco_usd", "usd_per_gpu"),
    *("usd_per_gpu_hour", "busbw_gb_s", "all_to_all_gb_s", "failures_per_year", "stops_per_year"),
)
SUMS = {"capex_usd": "capex_p50_usd", "tco_usd": "tco_p50_usd"}
"""Sums of typical figures, by the draws' middle that a board is shown in their place: two totals of one name ask for a third."""
SPEEDS = ("busbw_gb_s", "all_to_all_gb_s", "bisection_gbit_s")
A_LOSS = 0.9  # of the best: what is below is said beside the recommendation
MOST_RISKS, MOST_LEVERS = 12, 8
SPEND = SPENT | {"rest": "Rest of the purchase", "running": "Running cost"}
PRICE_FIELDS = (
    Field("Category", 0.16),
    Field("Price", 0.2, is_number=True),
    Field("Basis", 0.16),
    Field("Source, date", 0.48, most_lines=6),
)
ASSUMED_FIELDS = (
    Field("Assumption", 0.26),
    Field("Value", 0.2, is_number=True),
    Field("Basis", 0.14),
    Field("Source", 0.4, most_lines=4),
)
HEEDED_NOTES = ("prices_old", "other_networks_left_out")  # notes that a board decides by
SEVERITIES = {"error": "Error", "warning": "Warning", "info": "Note"}


class BoardRequest(NamedTuple):
    """What its author says of a paper; ``recommended`` is a side, None for the one that the figures point to."""

    title: str
    subtitle: str = ""
    recommended: int | None = None
    reason: str = ""
    logo: bytes | None = None


class Recommendation(NamedTuple):
    """Which option, and why in sentences."""

    side: int | None
    reasons: tuple[str, ...]


def checked_request(request: BoardRequest, result: ComparisonResult) -> BoardRequest:
    """The request of a comparison that a board can be shown.

    Raises
    ------
    SpecError
        For too many options, a title that is too long, or a side that is not there.
    """
    problems = []
    n = len(result.items)
    if not FEWEST <= n <= MOST:
        message = f"A board pack shows {FEWEST} to {MOST} options, and this comparison has {n}. Take some out of it."
        problems.append(Problem("", "too_many_options", message))
    for field, text, most in (
        ("title", request.title, LONGEST_TITLE),
        ("subtitle", request.subtitle, LONGEST_TITLE),
        ("reason", request.reason, LONGEST_REASON),
    ):
        if len(text) > most:
            message = f"At most {most} characters, and {len(text):,} were given. Write less."
            problems.append(Problem(field, "out_of_range", message))
    if request.recommended is not None and not 0 <= request.recommended < n:
        message = f"There are {n} options, counted from 0, and {request.recommended} was named. Name another, or none."
        problems.append(Problem("recommended", "out_of_range", message))
    if problems:
        raise SpecError(problems)
    return request


def board_pack(
    request: BoardRequest, result: ComparisonResult, options: Sequence[PricedEstimate | None], made: datetime
) -> bytes:
    """The paper. ``options`` are the estimates of the sides, None of an offer. Equal requests give equal bytes."""
    checked_request(request, result)
    advice = recommendation(request, result)
    story: list[Flowable] = [
        *_cover(request, result, advice, made),
        *_table(result),
        *_cost(result, options),
        *_risks(result, options),
        *_levers(result, options),
        *_requirement(result, options),
        *_appendix(result, options, made),
    ]
    known = result.versions
    foot = f"model {known.model or 'of several versions'} · catalog {(known.catalog or 'of several versions')[:12]}"
    return pdf_bytes(story, About(request.title, "Board pack", foot, made))


def _named(result: ComparisonResult, side: int) -> str:
    return f"{LETTERS[side]}: {result.items[side].label}"


# ---------------------------------------------------------------- recommendation


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
        reasons.append(f"Chosen by the authors; by total cost alone it would be {_named(result, by_figures)}.")
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
    pair = f"{words(own.typical)} against {words(known[best])} of {_named(result, best)}"
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
    words = f"{usd(abs(apart))} {'less' if apart >= 0 else 'more'} than {_named(result, nearest)}"
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
    return f"{figure.label}: {gb_s(own.typical)}; the fastest, {_named(result, fastest)}, has {gb_s(known[fastest])}."


# ---------------------------------------------------------------- pages


def _cover(request: BoardRequest, result: ComparisonResult, advice: Recommendation, made: datetime) -> list[Flowable]:
    rows = [
        Row(
            [
                LETTERS[k],
                Text(item.label, sentence("; ".join(item.notes))),
                Text(
                    f"{count(item.gpus)} GPUs, {generation_name(item.generation)}" if item.kind == "design" else "offer"
                ),
                "recommended" if k == advice.side else "",
            ]
        )
        for k, item in enumerate(result.items)
    ]
    fields = (Field("", 0.06), Field("Option", 0.4), Field("What it is", 0.36), Field("", 0.18))
    lead = f"Option {_named(result, advice.side)}" if advice.side is not None else "None"
    return [
        NextPageTemplate("cover"),
        *(_logo(request.logo) if request.logo else [Spacer(1, 66)]),
        Spacer(1, 12),
        Paragraph("Board pack", EYEBROW),
        Spacer(1, 6),
        Paragraph(markup(request.title, BOLD), TITLE),
        *([Spacer(1, 6), Paragraph(markup(request.subtitle), SUBTITLE)] if request.subtitle else []),
        Spacer(1, 18),
        Paragraph(markup(f"Recommendation: {lead}", BOLD), LEAD),
        *(Paragraph(markup(reason), BODY) for reason in advice.reasons),
        Spacer(1, 8),
        Grid(fields, rows),
        Paragraph(
            markup(
                f"Compared on {date_and_time(made)}. Amounts are {currency_words()} before negotiation; each has a basis and a "
                f"source (appendix), and assumptions are marked.{_units()}"
            ),
            SMALL,
        ),
    ]


def _units() -> str:
    note = units_note()
    return f" Units: {note}." if note else ""


def _logo(data: bytes) -> list[Flowable]:
    wide, high = ImageReader(io.BytesIO(data)).getSize()
    scale = min(LOGO_WIDE / wide, LOGO_HIGH / high)
    picture = Image(io.BytesIO(data), wide * scale, high * scale, mask="auto")
    picture.hAlign = "LEFT"
    return [picture, Spacer(1, LOGO_HIGH - high * scale)]


def _fields(result: ComparisonResult, first: str) -> list[Field]:
    n = len(result.items)
    return [Field(first, 0.26), *(Field(_named(result, k), 0.74 / n, is_number=True) for k in range(n))]


def _table(result: ComparisonResult) -> list[Flowable]:
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
    grid = Grid(_fields(result, "Figure"), rows, size=6.6)
    return [*section("The options on one page", UPRIGHT), grid, Paragraph(markup(note), SMALL)]


def _cost(result: ComparisonResult, options: Sequence[PricedEstimate | None]) -> list[Flowable]:
    room = text_width(PORTRAIT)
    parts = [side.parts_usd for side in result.spend]
    kinds = [kind for kind in SPEND if any(_spent(part, kind) for part in parts)]
    values = [[_spent(part, kind) for kind in kinds] for part in parts]
    sums = [sum(each) for each in values]
    labels = [f"{LETTERS[k]}  {short(usd(total))}" for k, total in enumerate(sums)]
    names = [SPEND[kind] for kind in kinds]
    years = sorted({side.years for side in result.spend if side.years})
    key = "; ".join(_named(result, k) for k in range(len(labels)))
    out: list[Flowable] = [*section("What it costs", UPRIGHT)]
    if kinds:
        note = (
            f"{key}. Running cost is that of {' or '.join(map(str, years))} years as it is paid: not discounted, and without "
            "what the equipment is worth at the end, so that a bar is above the total cost of ownership."
            if years
            else f"{key}."
        )
        chart = stacked_bars(labels, names, values, room, 190.0, "", f"{currency_words()}, typical", usd)
        below = Paragraph(markup(note), SMALL)
        rows = [Row([Text(SPEND[kind]), *(Text(usd(each[at])) for each in values)]) for at, kind in enumerate(kinds)]
        rows.append(Row([Text("In all"), *(Text(usd(total)) for total in sums)], "total"))
        table = Grid(_fields(result, "Typical"), rows)
        head = heading("Purchase and running cost")
        out.append(KeepTogether([head, legend(names, room), Spacer(1, 4), chart, below, Spacer(1, 4), table]))
    spans = {
        name: [(LETTERS[k], *_likely(option, key)) for k, option in enumerate(options) if option and _has(option, key)]
        for name, key in (("Purchase price", "capex_usd"), ("Total cost", "tco_usd"))
    }
    for name, ends in spans.items():
        if ends:
            note = f"{name} over draws of prices and assumptions: the bar has nine draws in ten, and half lie below its mark."
            out.append(
                KeepTogether([heading(f"{name}, P5 to P95"), range_chart(ends, room), Paragraph(markup(note), SMALL)])
            )
    return out


def _has(option: PricedEstimate, key: str) -> bool:
    return bool(option.cost.uncertainty and key in option.cost.uncertainty.figures)


def _likely(option: PricedEstimate, key: str) -> tuple[float, float, float]:
    if option.cost.uncertainty is None:
        raise ValueError("nothing was drawn")
    one = option.cost.uncertainty.figures[key]
    return one.p5, one.p50, one.p95


def range_chart(rows: Sequence[tuple[str, float, float, float]], wide: float) -> Flowable:
    """A bar from the low to the high end of each row, a mark at its middle, its ends in words."""
    high = 46 + 22.0 * len(rows)
    ticks = nice_ticks(0, max(end for *_, end in rows))
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


def _spent(parts: SpendParts, kind: str) -> float:
    price: Range[float] | None = getattr(parts, kind)
    return price.typical if price else 0.0


def _of_sides(
    result: ComparisonResult, options: Sequence[PricedEstimate | None]
) -> list[tuple[str, PricedEstimate | None]]:
    return [(_named(result, k), option) for k, option in enumerate(options)]


NO_ESTIMATE = "An offer: its lines are compared, and nothing is estimated of it."


def _risks(result: ComparisonResult, options: Sequence[PricedEstimate | None]) -> list[Flowable]:
    out: list[Flowable] = [*section("Risks", UPRIGHT)]
    for name, option in _of_sides(result, options):
        if option is None:
            out += headed(name, Paragraph(NO_ESTIMATE, BODY))
            continue
        heed = [one for one in worst_first(option.findings) if one.severity != "info" or one.code in HEEDED_NOTES]
        rows = [
            Row([Text(SEVERITIES[one.severity]), Text(sentence(one.message), note=one.code)])
            for one in heed[:MOST_RISKS]
        ]
        if option.failures and (due := option.failures.expected):
            words = (
                f"{due.failures_per_year.typical:,.0f} parts are expected to fail a year ({due.failures_per_year.low:,.0f} to "
                f"{due.failures_per_year.high:,.0f}), and {due.stops_per_year.typical:,.0f} of them stop a job on all GPUs."
            )
            rows.append(Row([Text("Failures"), Text(words)]))
        if option.phases:
            words = (
                f"Growth in {len(option.phases.phases)} phases moves or takes out "
                f"{counted(option.phases.touched_cables, 'cable')} in use and leaves "
                f"{usd(option.phases.stranded_usd.typical)} of parts unused."
            )
            rows.append(Row([Text("Growth"), Text(words)]))
        rows += [Row([Text(kind), Text(words)]) for kind, words in (*_network_risks(option), *_price_risks(option))]
        if option.cost.at_least:
            rows.append(Row([Text("Prices"), Text("Some part has no price: figures are lower bounds.")]))
        if len(heed) > MOST_RISKS:
            rows.append(Row([Text("More"), Text(f"{len(heed) - MOST_RISKS} more findings are on the design’s page.")]))
        grid = (
            Grid([Field("Kind", 0.14), Field("What", 0.86)], rows) if rows else Paragraph("No finding to heed.", BODY)
        )
        out += headed(name, grid)
    return out


def _network_risks(option: PricedEstimate) -> Iterator[tuple[str, str]]:
    leaf = option.compute.oversubscription
    if leaf.worst_leaf_ratio > 1:
        words = (
            f"The fullest leaf has {leaf.worst_leaf_ratio:.3g} times as much bandwidth to nodes as to spines: GPUs that all "
            f"send past their leaves at once have {percent(1 / leaf.worst_leaf_ratio, 2)} of the port rate."
        )
        yield "Bandwidth", words


def _price_risks(option: PricedEstimate) -> Iterator[tuple[str, str]]:
    """How far the total may rise, and what share of the purchase rests on which basis."""
    if _has(option, "tco_usd"):
        _, middle, top = _likely(option, "tco_usd")
        yield "Budget", f"One draw in twenty has a total cost above {usd(top)}, {usd(top - middle)} more than the P50."
    shares: dict[str, float] = {}
    for line in option.bom.lines:
        if line.extended_price_usd:
            basis = basis_name(line.price_basis)
            shares[basis] = shares.get(basis, 0.0) + line.extended_price_usd.typical
    whole = sum(shares.values())
    if whole:
        most = sorted(shares.items(), key=lambda item: -item[1])
        words = ", ".join(f"{basis} {percent(paid / whole, 2)}" for basis, paid in most if paid)
        yield "Prices", f"What the purchase price rests on, by amount: {words}. A firm quote takes the place of each."


def _levers(result: ComparisonResult, options: Sequence[PricedEstimate | None]) -> list[Flowable]:
    """What moves the result, an option after the other."""
    out: list[Flowable] = [*section("Assumptions that move the result", UPRIGHT)]
    room = text_width(PORTRAIT)
    every = [
        end
        for option in options
        if option and option.cost.uncertainty
        for bar in option.cost.uncertainty.tornado[:MOST_LEVERS]
        for end in (bar.tco_low_usd, bar.tco_high_usd)
    ]
    for name, option in _of_sides(result, options):
        drawn = option.cost.uncertainty if option else None
        if option is None or drawn is None or not drawn.tornado:
            out += headed(name, Paragraph(NO_ESTIMATE if option is None else "Nothing was drawn.", BODY))
            continue
        bars = drawn.tornado[:MOST_LEVERS]
        cells = [
            (
                f"{bar.label} ({basis_name(bar.basis)})" if bar.basis else bar.label,
                range_in_unit(bar.low, bar.high, bar.unit),
                bar.tco_low_usd,
                bar.tco_high_usd,
            )
            for bar in bars
        ]
        chart = tornado(cells, option.cost.tco_usd.typical, room, "Total cost", usd, every)
        out.append(KeepTogether([heading(name), chart]))
    note = (
        "Each bar moves one figure from its low to its high end and leaves the others typical: pale at low, dark at high. The "
        "line is the total cost with every figure typical; half of the draws lie above the P50 of the table, which is higher "
        "where prices can rise by more than they can fall."
    )
    return [*out, Paragraph(markup(note), SMALL)]


def _requirement(result: ComparisonResult, options: Sequence[PricedEstimate | None]) -> list[Flowable]:
    """What was requested, and what is built for it."""
    out: list[Flowable] = [*section("Requirement, and what is built", UPRIGHT)]
    fields = [Field("", 0.34), Field("Requested", 0.33, is_number=True), Field("Built", 0.33, is_number=True)]
    for name, option in _of_sides(result, options):
        if option is None:
            out += headed(name, Paragraph(NO_ESTIMATE, BODY))
            continue
        spec, network = option.spec, option.compute
        asked = spec.compute.gpus or (spec.compute.nodes or 0) * (spec.compute.gpus_per_node or 0)
        built = network.counts
        rows = [
            ("GPUs", count(asked), count(built.gpus)),
            ("Network", generation_name(spec.fabric.generation), "as requested"),
            ("Switches", "–", _switches(option)),
            (
                "Oversubscription, fullest leaf",
                ratio_to_one(spec.fabric.oversubscription),
                ratio_to_one(network.oversubscription.worst_leaf),
            ),
            (
                "Tiers",
                "as few as it takes" if spec.fabric.tiers == "auto" else str(spec.fabric.tiers),
                str(network.tiers),
            ),
            ("Bisection, one direction", "–", gbit_s(network.bisection_gbit_s)),
            ("Power, largest", "–", watts(option.power.it_w.max)),
        ]
        if option.growth or spec.fabric.grow_to_nodes:
            rows.append(
                ("Servers to come", count(spec.fabric.grow_to_nodes or option.compute.counts.nodes), _room(option))
            )
        if spec.other_fabrics:
            rows.append(("Networks beside compute", str(len(spec.other_fabrics)), str(len(option.fabrics) - 1)))
        if spec.phases:
            planned = len(option.phases.phases) if option.phases else 0
            rows.append(("Phases", count(len(spec.phases)), count(planned)))
        out += headed(name, Grid(fields, [Row([Text(what), Text(left), Text(right)]) for what, left, right in rows]))
    return out


def _switches(option: PricedEstimate) -> str:
    """How many of each tier, and of which model."""
    own = [line for line in option.bom.lines if line.category == SWITCH and line.fabric == COMPUTE]
    return "; ".join(f"{counted(line.quantity, line.use)}, {line.description}" for line in own)


def _room(option: PricedEstimate) -> str:
    return f"ports for {count(option.growth.nodes.sized_for)}" if option.growth else "–"


def _appendix(result: ComparisonResult, options: Sequence[PricedEstimate | None], made: datetime) -> list[Flowable]:
    """Prices by category with what they rest on, assumptions with their sources, versions."""
    out: list[Flowable] = [*section("Appendix: prices, assumptions, versions", UPRIGHT)]
    for name, option in _of_sides(result, options):
        if option is None:
            continue
        rows = []
        for category, total in option.bom.totals_by_category.items():
            own = [line for line in option.bom.lines if line.category == category]
            bases = ", ".join(dict.fromkeys(basis_name(line.price_basis) for line in own if line.price_basis))
            sources = "; ".join(dict.fromkeys(line.price_source for line in own if line.price_source))
            mark = "assumed" if any(line.assumption for line in own) else ""
            price = Text(usd(total.typical), usd_range(total)) if total else Text("no price")
            rows.append(Row([Text(category_name(category)), price, Text(bases, mark=mark), Text(sources)]))
        out += headed(f"{name}: prices", Grid(PRICE_FIELDS, rows))
    if rows := _assumed(options):
        out += headed("Assumptions of running cost and purchase", Grid(ASSUMED_FIELDS, rows))
    rows = [
        Row(
            [
                LETTERS[k],
                Text(item.label),
                Text(item.spec_hash or "–"),
                Text(item.versions.model if item.versions else "–"),
            ]
        )
        for k, item in enumerate(result.items)
    ]
    fields = [Field("", 0.06), Field("Option", 0.44), Field("Spec", 0.3), Field("Model", 0.2)]
    text = f"These fix every number of this paper. Its date, {date_and_time(made)}, is that of the comparison."
    return [*out, *headed("Versions", Paragraph(markup(text), BODY), Grid(fields, rows))]


def _assumed(options: Sequence[PricedEstimate | None]) -> list[Row]:
    """Every figure besides prices once, with the options that it is of where it is not of all."""
    found: dict[tuple[str, float, float, float], tuple[Assumption, str]] = {}
    for letter, option in zip(LETTERS, options, strict=False):
        for one in option.cost.assumptions if option else ():
            key = one.name, one.value, one.low, one.high
            found[key] = one, found.get(key, (one, ""))[1] + letter
    every = "".join(letter for letter, option in zip(LETTERS, options, strict=False) if option)
    return [
        Row(
            [
                Text(one.label, "" if letters == every else f"of {', '.join(letters)}"),
                Text(
                    range_in_unit(one.value, one.value, one.unit),
                    range_in_unit(one.low, one.high, one.unit) if one.low != one.high else "",
                ),
                Text("", mark=basis_name(one.basis)) if is_assumption(one.basis) else basis_name(one.basis),
                Text(one.source, one.as_of or ""),
            ]
        )
        for one, letters in found.values()
    ]
