"""Two to five options as a paper for a board: recommendation, one page of figures, cost, risks, assumptions, what is built."""

from collections.abc import Sequence
from datetime import datetime

from reportlab.platypus import Flowable

from designer.exports.reports.board.appendix import appendix
from designer.exports.reports.board.built import requirement
from designer.exports.reports.board.cover import cover
from designer.exports.reports.board.figures import cost_pages, figures_table
from designer.exports.reports.board.growth import growth
from designer.exports.reports.board.recommendation import recommendation
from designer.exports.reports.board.request import BoardRequest, checked_request
from designer.exports.reports.board.risks import levers, risks
from estimator.compare.result import ComparisonResult
from estimator.pdf.page import About, pdf_bytes
from estimator.result import PricedEstimate


def board_pack(
    request: BoardRequest, result: ComparisonResult, options: Sequence[PricedEstimate | None], made: datetime
) -> bytes:
    """The paper. ``options`` are the estimates of the sides, None of an offer. Equal requests give equal bytes."""
    checked_request(request, result)
    advice = recommendation(request, result)
    story: list[Flowable] = [
        *cover(request, result, options, advice, made),
        *figures_table(result),
        *cost_pages(result, options),
        *risks(result, options),
        *levers(result, options),
        *requirement(result, options),
        *growth(result, options),
        *appendix(result, options, made),
    ]
    known = result.versions
    foot = f"model {known.model or 'of several versions'} · catalog {(known.catalog or 'of several versions')[:12]}"
    return pdf_bytes(story, About(request.title, "Board pack", foot, made))
