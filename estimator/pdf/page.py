"""Pages of a report: cover, upright and wide pages, head and foot, numbers, outline. The same story gives the same bytes."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Flowable,
    Frame,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
)

from estimator.pdf.style import ACCENT, BOTTOM, H1, H2, LANDSCAPE, LINE, MARGIN, MUTED, PORTRAIT, TOP
from estimator.pdf.text import BOLD, REGULAR, markup, printable, runs, shortened, width
from estimator.record import Json

UPRIGHT, WIDE = "upright", "wide"
SMALL_SIZE = 6.8
ROOM_BELOW_HEADING = 96.0


@dataclass(frozen=True)
class About:
    """What a report says of itself: on the cover, at the foot of each page and in its properties."""

    title: str
    subject: str
    foot: str  # which spec, versions and prices it is of
    made: datetime


def pdf_bytes(story: Sequence[Flowable], about: About) -> bytes:
    """The report. Its date is ``about.made``, and nothing in it depends on the clock or on chance."""
    buffer = io.BytesIO()
    document = _Document(buffer, about)
    document.build(list(story), canvasmaker=document.canvas)
    return buffer.getvalue()


class _Document(BaseDocTemplate):
    """The three kinds of page, and an outline entry for every heading."""

    def __init__(self, buffer: io.BytesIO, about: About) -> None:
        super().__init__(
            buffer,
            pagesize=PORTRAIT,
            title=printable(about.title),
            subject=printable(about.subject),
            author="Clusterwright",
            creator="Clusterwright",
            lang="en-GB",
            invariant=1,
            initialFontName=REGULAR,
        )
        self.about, self._n_headings = about, 0
        self.addPageTemplates(
            [
                _template("cover", PORTRAIT, self._cover),
                _template(UPRIGHT, PORTRAIT, self._running),
                _template(WIDE, LANDSCAPE, self._running),
            ]
        )

    def canvas(self, *args: Any, **kwargs: Any) -> "_NumberedCanvas":
        return _NumberedCanvas(*args, made=self.about.made, **kwargs)

    def afterFlowable(self, flowable: Flowable) -> None:
        if isinstance(flowable, Paragraph) and flowable.style.name in (H1.name, H2.name):
            self._n_headings += 1
            key = f"heading-{self._n_headings}"
            self.canv.bookmarkPage(key)
            self.canv.addOutlineEntry(flowable.getPlainText(), key, 0 if flowable.style.name == H1.name else 1)

    def _cover(self, canvas: Canvas, document: Any) -> None:
        wide, high = PORTRAIT
        canvas.setFillColor(ACCENT)
        canvas.rect(0, high - 14, wide, 14, stroke=0, fill=1)

    def _running(self, canvas: Canvas, document: Any) -> None:
        wide, high = canvas._pagesize
        canvas.setFillColor(MUTED)
        _draw(canvas, "Clusterwright", MARGIN, high - 36, BOLD)
        title = shortened(printable(self.about.title), REGULAR, SMALL_SIZE, wide - 2 * MARGIN - 90)
        _draw(canvas, title, wide - MARGIN - width(title, REGULAR, SMALL_SIZE), high - 36, REGULAR)
        canvas.setStrokeColor(LINE)
        canvas.setLineWidth(0.5)
        canvas.line(MARGIN, high - 43, wide - MARGIN, high - 43)
        canvas.line(MARGIN, 36, wide - MARGIN, 36)
        foot = shortened(printable(self.about.foot), REGULAR, SMALL_SIZE, wide - 2 * MARGIN - 70)
        _draw(canvas, foot, MARGIN, 25, REGULAR)


def _draw(canvas: Canvas, text: str, x: float, y: float, font: str) -> None:
    for run in runs(text, font):
        canvas.setFont(run.font, SMALL_SIZE)
        canvas.drawString(x, y, run.text)
        x += width(run.text, font, SMALL_SIZE)


def _template(name: str, page: tuple[float, float], on_page: Any) -> PageTemplate:
    wide, high = page
    frame = Frame(MARGIN, BOTTOM, wide - 2 * MARGIN, high - TOP - BOTTOM, 0, 0, 0, 0, id=name)
    return PageTemplate(name, [frame], onPage=on_page, pagesize=page)


class _NumberedCanvas(Canvas):
    """Writes "3 of 12" once it knows how many pages there are; its date is the one given.

    Pages are held until then, and reportlab counts a page when it is written: a bookmark is set on its page then too.
    """

    def __init__(self, *args: Any, made: datetime, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        stamp, utc = self._doc._timeStamp, made.astimezone(UTC) if made.tzinfo else made
        stamp.YMDhms, stamp.tzname, stamp.dhh, stamp.dmm = tuple(utc.timetuple())[:6], "UTC", 0, 0
        self._pages: list[Json] = []
        self._bookmarks: tuple[str, ...] = ()

    def bookmarkPage(self, key: str) -> None:
        self._bookmarks += (key,)

    def showPage(self) -> None:
        self._pages.append(dict(self.__dict__))
        self._bookmarks = ()
        self._startPage()

    def save(self) -> None:
        for number, page in enumerate(self._pages, start=1):
            self.__dict__.update(page)
            for key in self._bookmarks:
                super().bookmarkPage(key)
            if number > 1:
                words = f"{number} of {len(self._pages)}"
                self.setFillColor(MUTED)
                _draw(self, words, self._pagesize[0] - MARGIN - width(words, REGULAR, SMALL_SIZE), 25, REGULAR)
            super().showPage()
        super().save()


def section(title: str, kind: str = UPRIGHT) -> list[Flowable]:
    """A new page of this kind, with its heading."""
    return [NextPageTemplate(kind), PageBreak(), Paragraph(markup(title, BOLD), H1)]


def heading(title: str) -> Paragraph:
    """A heading below a section's, for what is kept together with it."""
    return Paragraph(markup(title, BOLD), H2)


def headed(title: str, *below: Flowable) -> list[Flowable]:
    """A heading and what may break over pages below it; never the heading alone at a page's end."""
    return [CondPageBreak(ROOM_BELOW_HEADING), heading(title), *below]
