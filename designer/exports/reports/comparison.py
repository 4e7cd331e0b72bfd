"""A comparison as a report: what is compared, what differs in words, figures, lines, charts, versions."""

import math
from collections.abc import Sequence
from datetime import datetime

from reportlab.platypus import Flowable, KeepTogether, NextPageTemplate, Paragraph, Spacer

from designer.charts.vega import SMALLEST_DRAWN_BYTES
from designer.exports.pdf.charts import Series, legend, stacked_bars
from designer.exports.reports.performance import bandwidth_chart
from designer.wording.comparison import LETTERS, PriceCell, figure_groups, line_rows, named, total_rows
from designer.wording.findings import sentence
from designer.wording.names import SPEND
from designer.wording.numbers import count, currency_words, factor_of, generation_name, units_sentence, usd, words
from estimator.catalog.currency import USD
from estimator.compare.result import ComparedCurve, ComparedItem, ComparisonResult
from estimator.pdf.grid import Field, Grid, Row, Text
from estimator.pdf.page import UPRIGHT, WIDE, About, headed, heading, pdf_bytes, section
from estimator.pdf.style import BODY, EYEBROW, PORTRAIT, SMALL, TITLE, text_width
from estimator.pdf.text import BOLD, markup
from estimator.wording import date_and_time

MAX_ROWS = 600
MANY_SIDES = 5
CHART_HEIGHT = 190.0
MARKS = {"better": " (better)", "worse": " (worse)", "same": ""}


def comparison_report(name: str, result: ComparisonResult, made: datetime) -> bytes:
    """The whole report. The same comparison and date give the same bytes."""
    story = [
        *_cover(name, result, made),
        *_in_words(result),
        *_figures(result),
        *_lines(result),
        *_charts(result),
        *_versions(result, made),
    ]
    return pdf_bytes(story, About(name, "Comparison", _foot(result), made))


def _foot(result: ComparisonResult) -> str:
    versions = result.versions
    hashes = [f"{LETTERS[k]} {item.spec_hash}" for k, item in enumerate(result.items) if item.spec_hash]
    known = [f"model {versions.model}"] if versions.model else []
    known += [f"catalog {versions.catalog}"] if versions.catalog else []
    return " · ".join([*hashes, *known])


def _cover(name: str, result: ComparisonResult, made: datetime) -> list[Flowable]:
    base = named(result, result.baseline)
    rows = [
        Row(
            [
                LETTERS[k],
                Text(item.label, sentence("; ".join(item.notes))),
                Text(_about(item)),
                "baseline" if k == result.baseline else "",
            ]
        )
        for k, item in enumerate(result.items)
    ]
    fields = (Field("", 0.06), Field("Design or offer", 0.36), Field("What it is", 0.44), Field("", 0.14))
    lead = [Paragraph(markup(sentence(said.headline)), BODY) for said in result.summary]
    intro = (
        f"Compared with {base}. Made on {date_and_time(made)}; amounts are {currency_words()}, typical, with their range "
        f"below.{units_sentence()}"
    )
    return [
        NextPageTemplate("cover"),
        Spacer(1, 78),
        Paragraph("Comparison", EYEBROW),
        Spacer(1, 6),
        Paragraph(markup(name, BOLD), TITLE),
        Spacer(1, 14),
        Paragraph(markup(intro), BODY),
        Spacer(1, 8),
        Grid(fields, rows),
        Spacer(1, 10),
        *lead,
    ]


def _about(item: ComparedItem) -> str:
    if item.kind == "offer":
        return "offer" + (f" for {count(item.gpus)} GPUs" if item.gpus else "")
    prices = item.own_prices or item.price_book
    parts = [
        f"{count(item.gpus)} GPUs",
        item.server_name or words(item.server),
        generation_name(item.generation),
        words(item.layout),
        f"prices: {prices}" if prices else "",
    ]
    return ", ".join(part for part in parts if part)


def _in_words(result: ComparisonResult) -> list[Flowable]:
    out: list[Flowable] = [*section("What differs", UPRIGHT)]
    for said in result.summary:
        rows = [Row([Text(sentence(one.words)), Text(one.tone)]) for one in said.sentences]
        grid = Grid([Field("In words", 0.84), Field("Than the baseline", 0.16)], rows)
        out += headed(f"{named(result, said.of)}, against {LETTERS[said.against]}", grid)
        if said.about_the_same:
            out.append(Paragraph(markup(f"About the same: {', '.join(said.about_the_same)}."), SMALL))
    if result.not_comparable:
        rows = [Row([Text(sentence(item.words))]) for item in result.not_comparable]
        out += headed("What could not be compared", Grid([Field("Why", 1)], rows))
    return out


def _fields(result: ComparisonResult, first: str) -> list[Field]:
    n = len(result.items)
    return [
        Field(first, 0.26 if n < MANY_SIDES else 0.18),
        *(Field(named(result, k), 0.74 / n, is_number=True) for k in range(n)),
    ]


def _size(result: ComparisonResult) -> float:
    return 6.0 if len(result.items) >= MANY_SIDES else 7.0


def _note(*parts: str) -> str:
    return "; ".join(part for part in parts if part)


def _figures(result: ComparisonResult) -> list[Flowable]:
    rows: list[Row] = []
    for group in figure_groups(result, "group"):
        rows.append(Row([Text(group.name)], "group"))
        for figure in group.rows:
            cells = [
                Text(
                    ("≥ " if cell.at_least else "") + cell.text,
                    _note(cell.range, cell.difference + MARKS.get(cell.tone, "")),
                )
                for cell in figure.cells
            ]
            rows.append(Row([Text(figure.label), *cells]))
    note = f"Below each figure: its range, and its difference from {named(result, result.baseline)}, in percent of its figure."
    return [
        *section("Figures", WIDE),
        Grid(_fields(result, "Figure"), rows, size=_size(result)),
        Paragraph(markup(note), SMALL),
    ]


def _lines(result: ComparisonResult) -> list[Flowable]:
    lines = line_rows(result, "bill")
    rows = [
        Row(
            [
                Text(line.label, "" if line.is_in_scope else "not on the same scope"),
                *map(_line_cell, line.cells),
            ]
        )
        for line in lines[:MAX_ROWS]
    ]
    for total in total_rows(result):
        cells = [
            Text(("≥ " if cell.at_least else "") + cell.text, _note(cell.range, cell.difference))
            for cell in total.cells
        ]
        rows.append(Row([Text(total.label), *cells], "total"))
    out: list[Flowable] = [*section("Lines", WIDE), Grid(_fields(result, "What it is for"), rows, size=_size(result))]
    if len(lines) > MAX_ROWS:
        out.append(Paragraph(f"{len(lines) - MAX_ROWS:,} more rows are in the workbook; the totals hold them.", SMALL))
    left_out = result.totals.left_out
    if left_out:
        reasons = " ".join(dict.fromkeys(item.reason for item in left_out))
        out.append(Paragraph(markup(f"Not on the same scope: {reasons}"), SMALL))
    return out


def _line_cell(cell: PriceCell) -> Text:
    if cell.is_missing:
        return Text(cell.words, cell.difference)
    pieces = cell.quantity + (f" + {cell.spares} spare" if cell.spares else "")
    pieces += f", {cell.owned} already owned" if cell.owned else ""
    unit = f" × {cell.unit}" if cell.unit else ""
    return Text(cell.text, _note(cell.part, pieces + unit, cell.range, cell.difference))


# ---------------------------------------------------------------- charts


def _charts(result: ComparisonResult) -> list[Flowable]:
    out = [*_spend(result), *_busbw(result)]
    return [*section("Where the money goes, and what it brings", UPRIGHT), *out] if out else []


def _spend(result: ComparisonResult) -> list[Flowable]:
    parts = [side.parts_usd for side in result.spend]
    kinds = [kind for kind in SPEND if any(part.typical(kind) for part in parts)]
    if not kinds:
        return []
    room, names = text_width(PORTRAIT), [SPEND[kind] for kind in kinds]
    values = [[part.typical(kind) for kind in kinds] for part in parts]
    labels = [LETTERS[k] for k in range(len(parts))]
    chart = stacked_bars(
        labels, names, values, room, CHART_HEIGHT, "", f"{currency_words()}, typical", usd, factor_of(USD)
    )
    years = sorted({side.years for side in result.spend if side.years})
    reported = f"Running cost is that of {' or '.join(map(str, years))} years, not discounted." if years else ""
    return [
        KeepTogether(
            [
                heading("Purchase and running cost"),
                legend(names, room),
                Spacer(1, 4),
                chart,
                Paragraph(markup(f"{_key(result)} {reported}"), SMALL),
            ]
        )
    ]


def _key(result: ComparisonResult) -> str:
    return "; ".join(named(result, k) for k in range(len(result.items))) + "."


def _busbw(result: ComparisonResult) -> list[Flowable]:
    room = text_width(PORTRAIT)
    series = [
        Series(f"{named(result, k)}, {count(curve.gpus)} GPUs", *_points(curve))
        for k, curve in enumerate(result.busbw.sides)
        if curve and len(curve.message_bytes) > 1
    ]
    if not series:
        return []
    chart = bandwidth_chart(series, room, CHART_HEIGHT)
    return [KeepTogether([heading("Predicted all-reduce"), legend([one.name for one in series], room), chart])]


def _points(curve: ComparedCurve) -> tuple[Sequence[tuple[float, float]], Sequence[tuple[float, float]]]:
    sizes = curve.message_bytes
    drawn = [k for k, size in enumerate(sizes) if size >= min(SMALLEST_DRAWN_BYTES, sizes[-1])]
    points = [(math.log2(sizes[k]), curve.busbw_gb_s[k]) for k in drawn]
    return points, [(curve.low_gb_s[k], curve.high_gb_s[k]) for k in drawn]


def _versions(result: ComparisonResult, made: datetime) -> list[Flowable]:
    rows = []
    for k, item in enumerate(result.items):
        known = item.versions
        rows.append(
            Row(
                [
                    LETTERS[k],
                    Text(item.label),
                    Text(item.spec_hash or "–"),
                    Text(known.model if known else "–"),
                    Text(known.catalog if known else "–"),
                    Text(item.own_prices or item.price_book or "–"),
                ]
            )
        )
    fields = (
        Field("", 0.05),
        Field("Design or offer", 0.27),
        Field("Spec", 0.22),
        Field("Model", 0.08),
        Field("Catalog", 0.22),
        Field("Prices", 0.16),
    )
    text = f"These fix every number of this report. Its date, {date_and_time(made)}, is that of the comparison."
    return [*section("Signatures of versions", UPRIGHT), Paragraph(markup(text), BODY), Grid(fields, rows)]
