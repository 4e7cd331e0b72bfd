"""What a search found as a paper: what is best and why, the front as a chart, the designs as a table, and the request."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from reportlab.platypus import Flowable, KeepTogether, NextPageTemplate, Paragraph, Spacer

from designer.charts.figures import figure_title, spans_decades
from designer.exports.pdf.charts import Axis, Points, legend, points_chart
from designer.wording.numbers import currency_words, factor_of, figure_text, units_sentence
from estimator.pdf.grid import Field, Grid, Row, Text
from estimator.pdf.page import UPRIGHT, WIDE, About, headed, heading, pdf_bytes, section
from estimator.pdf.style import BODY, CHART, EYEBROW, H1, PORTRAIT, SMALL, TITLE, text_width
from estimator.pdf.text import BOLD, markup
from estimator.record import Given
from estimator.search.figures import FIGURES
from estimator.wording import date_and_time, in_sentence

CHART_HEIGHT = 230.0
MOST_FIGURES = 8  # columns that a wide page has room for
COLORS = (CHART[0], CHART[5], CHART[1])


@dataclass(frozen=True)
class FoundRow:
    """One design: its name, a figure and its range for each column, and what it is behind the best one by."""

    rank: str
    name: str
    note: str
    cells: Sequence[tuple[str, str]]
    wins: tuple[str, str]
    behind: tuple[str, str]
    """By which figure, and what it has for that."""


@dataclass(frozen=True)
class FoundPaper:
    """What a paper says; ``points`` are series of the chart, the front first, by the figures of ``axes``."""

    name: str
    foot: str
    looked_at: str
    said: Sequence[tuple[str, Sequence[str]]]
    axes: tuple[str, str]
    points: Sequence[Points]
    heads: Sequence[str]
    rows: Sequence[FoundRow]
    is_drawn: bool
    request: Given


def found_report(paper: FoundPaper, made: datetime) -> bytes:
    """The whole paper. The same answer and date give the same bytes."""
    story = [*_first(paper, made), *_table(paper), *_request(paper)]
    return pdf_bytes(story, About(paper.name, "Found designs", paper.foot, made))


def _first(paper: FoundPaper, made: datetime) -> list[Flowable]:
    intro = (
        f"{paper.looked_at} Amounts are {currency_words()}, typical. Made on {date_and_time(made)}.{units_sentence()}"
    )
    out: list[Flowable] = [
        NextPageTemplate("cover"),
        Spacer(1, 40),
        Paragraph("Found designs", EYEBROW),
        Spacer(1, 6),
        Paragraph(markup(paper.name, BOLD), TITLE),
        Spacer(1, 10),
        Paragraph(markup(intro), BODY),
        Paragraph(markup("What was found", BOLD), H1),
    ]
    if sum(len(one.at) for one in paper.points) > 1:
        out.append(_chart(paper))
    for title, lines in paper.said:
        if lines:
            out += headed(title, *(Paragraph(markup(line), BODY) for line in lines))
    return out


def _chart(paper: FoundPaper) -> Flowable:
    room = text_width(PORTRAIT)
    x, y = (_axis(name, [at[place] for one in paper.points for at in one.at]) for place, name in enumerate(paper.axes))
    shown = [one for one in paper.points if one.at]
    colors = [color for one, color in zip(paper.points, COLORS, strict=False) if one.at]
    return KeepTogether(
        [
            heading(f"{FIGURES[paper.axes[1]].title} against {in_sentence(FIGURES[paper.axes[0]].title)}"),
            legend([one.name for one in shown], room, colors),
            points_chart(shown, colors, room, CHART_HEIGHT, x, y),
        ]
    )


def _axis(name: str, values: Sequence[float]) -> Axis:
    unit = FIGURES[name].unit
    return Axis(figure_title(name), lambda value: figure_text(value, unit), spans_decades(values), factor_of(unit))


def _table(paper: FoundPaper) -> list[Flowable]:
    if not paper.rows:
        return []
    heads, wins = paper.heads[:MOST_FIGURES], [Field("Best in draws", 0.08, is_number=True)] * paper.is_drawn
    fields = [
        Field("", 0.03, is_number=True),
        Field("Design", 0.16),
        *wins,
        *(Field(head, 0.56 / len(heads), is_number=True) for head in heads),
        Field("Behind the best by", 0.22),
    ]
    rows = [
        Row(
            [
                row.rank,
                Text(row.name, row.note),
                *([Text(*row.wins)] if paper.is_drawn else []),
                *(Text(*cell) for cell in row.cells[:MOST_FIGURES]),
                Text(*row.behind),
            ]
        )
        for row in paper.rows
    ]
    note = "Below a price: its range. All figures are in the CSV, XLSX and JSON files of the same search."
    return [
        *section("Designs, the best first", WIDE),
        Grid(fields, rows, size=6.4),
        Paragraph(markup(note), SMALL),
    ]


def _request(paper: FoundPaper) -> list[Flowable]:
    rows = [Row([Text(key), Text(json.dumps(value))]) for key, value in paper.request.items()]
    return [*section("The request", UPRIGHT), Grid([Field("Key", 0.2), Field("Value", 0.8)], rows)]
