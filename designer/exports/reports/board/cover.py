"""The first page: recommendation, options, date and units."""

import io
from collections.abc import Sequence
from datetime import datetime

from reportlab.lib.utils import ImageReader
from reportlab.platypus import Flowable, Image, NextPageTemplate, Paragraph, Spacer

from designer.exports.reports.board.recommendation import Recommendation
from designer.exports.reports.board.request import BoardRequest
from designer.wording.comparison import LETTERS, named
from designer.wording.findings import sentence
from designer.wording.numbers import (
    count,
    currency_words,
    generation_name,
    units_sentence,
    usd,
)
from designer.wording.phases import PHASES_BUILT, not_built_words
from estimator.compare.result import ComparisonResult
from estimator.pdf.grid import Field, Grid, Row, Text
from estimator.pdf.style import BODY, EYEBROW, LEAD, SMALL, SUBTITLE, TITLE
from estimator.pdf.text import BOLD, markup
from estimator.result import PricedEstimate
from estimator.wording import date_and_time

LOGO_WIDE, LOGO_HIGH = 170.0, 64.0


def cover(
    request: BoardRequest,
    result: ComparisonResult,
    options: Sequence[PricedEstimate | None],
    advice: Recommendation,
    made: datetime,
) -> list[Flowable]:
    rows = [
        Row(
            [
                LETTERS[k],
                Text(item.label, sentence("; ".join(item.notes))),
                Text(
                    f"{count(item.gpus)} GPUs, {generation_name(item.generation)}"
                    if item.kind == "design"
                    else "offer",
                    _later_phases(option),
                ),
                "recommended" if k == advice.side else "",
            ]
        )
        for k, (item, option) in enumerate(zip(result.items, options, strict=True))
    ]
    fields = (Field("", 0.06), Field("Option", 0.4), Field("What it is", 0.36), Field("", 0.18))
    lead = f"Option {named(result, advice.side)}" if advice.side is not None else "None"
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
        *(Paragraph(markup(sentence(one.words)), BODY) for one in result.not_comparable),
        Paragraph(
            markup(
                f"Compared on {date_and_time(made)}. Amounts are {currency_words()}, before negotiation where they are no "
                f"quotes; each has a basis and a source (appendix), and assumptions are marked.{units_sentence()}"
            ),
            SMALL,
        ),
    ]


def _later_phases(option: PricedEstimate | None) -> str:
    """That an option is compared as its first phase stands, what all phases buy, and which of them are not in it."""
    if option is None or option.phases is None or len(option.spec.phases) < 2:
        return ""
    phases, n_built, n_all = option.phases, len(option.phases.phases), len(option.spec.phases)
    least = "at least " if phases.at_least else ""
    amount = f"{count(phases.phases[-1].gpus)} GPUs, bought for {least}{usd(phases.bought_usd.typical)}"
    which = f"all phases together are {amount}" if n_built == n_all else f"{PHASES_BUILT.lower()} are {amount}"
    return ". ".join(filter(None, (f"Compared as phase 1 of {n_all}; {which}", not_built_words(option))))


def _logo(data: bytes) -> list[Flowable]:
    wide, high = ImageReader(io.BytesIO(data)).getSize()
    scale = min(LOGO_WIDE / wide, LOGO_HIGH / high)
    picture = Image(io.BytesIO(data), wide * scale, high * scale, mask="auto")
    picture.hAlign = "LEFT"
    return [picture, Spacer(1, LOGO_HIGH - high * scale)]
