"""Elevations and labels as PDF: pages written one by one, in embedded fonts; the same pack gives the same bytes."""

import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4, landscape
from reportlab.pdfgen.canvas import Canvas

from estimator.bringup.crew_pack.elevations import RACKS_ACROSS, drawn
from estimator.floor.plan import FloorPlan
from estimator.pdf.text import BOLD, REGULAR, printable, register_fonts, shortened, width

MM = 72 / 25.4
PAGE_MARGIN = 28.0
LEAST_SIZE = 3.5


class Sheet(NamedTuple):
    """A page of labels, in millimetres; a roll has one a page."""

    name: str
    page_mm: tuple[float, float]
    label_mm: tuple[float, float]
    first_mm: tuple[float, float]
    step_mm: tuple[float, float]
    across: int
    down: int


A4_65 = Sheet("A4, 65 labels of 38.1 × 21.2 mm", (210, 297), (38.1, 21.2), (4.7, 10.7), (40.6, 21.2), 5, 13)
A4_24 = Sheet("A4, 24 labels of 70 × 37 mm", (210, 297), (70, 37), (0, 0.5), (70, 37), 3, 8)
ROLL = Sheet("Roll, labels of 50.8 × 25.4 mm", (50.8, 25.4), (50.8, 25.4), (0, 0), (0, 0), 1, 1)
SHEETS = {"a4-65": A4_65, "a4-24": A4_24, "roll": ROLL}


def elevations_pdf(plan: FloorPlan, title: str, foot: str) -> bytes:
    """Every rack, RACKS_ACROSS a page."""
    canvas, out = _canvas(landscape(A4), title)
    wide, high = landscape(A4)
    for first in range(0, plan.n_racks, RACKS_ACROSS):
        one = drawn(plan, range(first, min(first + RACKS_ACROSS, plan.n_racks)))
        scale = min((wide - 2 * PAGE_MARGIN) / one.wide, (high - 2 * PAGE_MARGIN - 20) / one.high)
        canvas.saveState()
        canvas.translate(PAGE_MARGIN, high - PAGE_MARGIN)
        canvas.scale(scale, scale)
        canvas.setLineWidth(0.6)
        for box in one.boxes:
            canvas.setStrokeColor(HexColor(box.stroke or box.fill))
            if box.high:
                canvas.setFillColor(HexColor(box.fill))
                canvas.rect(box.x, -box.y - box.high, box.wide, box.high, fill=1, stroke=1 if box.stroke else 0)
            else:
                canvas.line(box.x, -box.y, box.x + box.wide, -box.y)
        for line in one.words:
            font = BOLD if line.is_strong else REGULAR
            canvas.setFillColor(HexColor(line.fill))
            canvas.setFont(font, line.size * 0.88)
            canvas.drawString(line.x, -line.y, printable(line.text, font))
        canvas.restoreState()
        canvas.setFillColor(HexColor("#55616e"))
        canvas.setFont(REGULAR, 6.8)
        page = f"page {first // RACKS_ACROSS + 1} of {-(-plan.n_racks // RACKS_ACROSS)}"
        canvas.drawString(PAGE_MARGIN, 18, shortened(printable(f"{title} · {foot}"), REGULAR, 6.8, wide - 200))
        canvas.drawRightString(wide - PAGE_MARGIN, 18, page)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def labels_pdf(labels: Iterable[Sequence[str]], sheet: Sheet, title: str) -> bytes:
    """Labels of a few lines each, the first one in bold; each line as large as its label has room for."""
    page = (sheet.page_mm[0] * MM, sheet.page_mm[1] * MM)
    canvas, out = _canvas(page, title)
    for group in _groups(iter(labels), sheet.across * sheet.down):
        for place, lines in enumerate(group):
            column, row = place % sheet.across, place // sheet.across
            x = (sheet.first_mm[0] + column * sheet.step_mm[0]) * MM
            y = page[1] - (sheet.first_mm[1] + row * sheet.step_mm[1]) * MM
            _label(canvas, lines, x, y, sheet.label_mm[0] * MM, sheet.label_mm[1] * MM)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def _label(canvas: Canvas, lines: Sequence[str], x: float, top: float, wide: float, high: float) -> None:
    pad = 5.0
    leading = (high - 2 * pad) / max(len(lines), 1)
    for number, text in enumerate(lines):
        font = REGULAR if number else BOLD
        words = printable(text, font)
        room = (wide - 2 * pad) / max(width(words, font, 1), 0.01)
        size = max(min(leading * 0.78, 8.0 if number else 11.0, room), LEAST_SIZE)
        canvas.setFont(font, size)
        canvas.drawString(x + pad, top - pad - leading * number - leading * 0.75, words)


def _groups(labels: Iterator[Sequence[str]], size: int) -> Iterator[list[Sequence[str]]]:
    while group := list(islice(labels, size)):
        yield group


def _canvas(page: tuple[float, float], title: str) -> tuple[Canvas, io.BytesIO]:
    register_fonts()
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=page, invariant=1, pageCompression=1, initialFontName=REGULAR)
    canvas.setTitle(printable(title))
    canvas.setAuthor("Clusterwright")
    canvas.setCreator("Clusterwright")
    return canvas, out
