"""A table that breaks over pages, its header on each of them. Cells are words, not paragraphs: 2,000 rows take half a second."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from reportlab.platypus import Flowable

from estimator.pdf.style import ACCENT, ACCENT_SOFT, LINE, LINE_STRONG, MUTED, SUNKEN, TEXT, WARNING, WARNING_SOFT
from estimator.pdf.text import BOLD, REGULAR, runs, width, wrapped

SIZE, NOTE_SIZE, HEAD_SIZE = 7.0, 6.0, 6.6
LEADING, NOTE_LEADING = 9.0, 7.8
PAD_X, PAD_Y = 4.0, 3.0
MARK_SIZE = 5.8


class Text(NamedTuple):
    """A cell: words, a grey note below them, and a mark in a box for what is an assumption."""

    words: str
    note: str = ""
    mark: str = ""


@dataclass(frozen=True)
class Field:
    """One column: header, its share of the width, and whether its cells stand at the right as numbers do."""

    header: str
    share: float
    is_number: bool = False
    most_lines: int = 0


class Row(NamedTuple):
    """Cells, and how the row looks: "" plain, "group" a heading over all columns, "subtotal", "total"."""

    cells: Sequence[Text | str | None]
    kind: str = ""


@dataclass(frozen=True)
class _Line:
    text: str
    font: str
    size: float
    color: Any
    leading: float
    is_mark: bool = False


@dataclass(frozen=True)
class _Laid:
    cells: list[list[_Line]]
    kind: str
    height: float


class Grid(Flowable):
    """Rows under repeated headers. A row never breaks in two, and a group's heading never ends a page."""

    def __init__(
        self, fields: Sequence[Field], rows: Sequence[Row], *, size: float = SIZE, laid: list[_Laid] | None = None
    ) -> None:
        super().__init__()
        self.fields, self.rows, self.size = list(fields), rows, size
        self._laid, self._laid_for = laid, 0.0
        self.spaceBefore, self.spaceAfter = 2, 8

    def wrap(self, available_width: float, available_height: float) -> tuple[float, float]:
        self.width = available_width
        if self._laid is None or (self._laid_for and self._laid_for != available_width):
            self._laid = [self._lay(row) for row in self.rows]
        self._laid_for = available_width
        self._head = self._lay(Row([field.header for field in self.fields], "head"))
        self.height = self._head.height + sum(row.height for row in self._laid)
        return self.width, self.height

    def split(self, available_width: float, available_height: float) -> list[Flowable]:
        self.wrap(available_width, available_height)
        laid = self._laid or []
        room, n = available_height - self._head.height, 0
        while n < len(laid) and laid[n].height <= room:
            room -= laid[n].height
            n += 1
        while 0 < n < len(laid) and laid[n - 1].kind == "group":
            n -= 1
        if n == 0:
            return []
        return [Grid(self.fields, (), size=self.size, laid=part) for part in (laid[:n], laid[n:])]

    def draw(self) -> None:
        top = self._draw_row(self._head, self.height)
        for row in self._laid or []:
            top = self._draw_row(row, top)

    # ------------------------------------------------------------ layout
    def _columns(self) -> list[tuple[float, float]]:
        whole, left, out = sum(field.share for field in self.fields), 0.0, []
        for field in self.fields:
            wide = self.width * field.share / whole
            out.append((left, wide))
            left += wide
        return out

    def _lay(self, row: Row) -> _Laid:
        columns = self._columns()
        if row.kind == "group":
            columns = [(0.0, self.width)]
        cells = [
            self._lay_cell(cell if isinstance(cell, Text) else Text(cell or ""), field, wide - 2 * PAD_X, row.kind)
            for cell, field, (_, wide) in zip(row.cells, self.fields, columns, strict=False)
        ]
        height = max((sum(line.leading for line in cell) for cell in cells), default=LEADING) + 2 * PAD_Y
        return _Laid(cells, row.kind, height)

    def _lay_cell(self, cell: Text, field: Field, room: float, kind: str) -> list[_Line]:
        is_strong = kind in ("head", "group", "subtotal", "total")
        font, color = (BOLD if is_strong else REGULAR), (ACCENT if kind == "group" else TEXT)
        size = min(HEAD_SIZE, self.size) if kind == "head" else self.size
        if field.is_number and kind not in ("head", "group") and " " not in cell.words:
            size = min(size, size * room / max(width(cell.words, font, size), 1))  # a number never breaks in two
        out = [
            _Line(line, font, size, color, LEADING)
            for line in wrapped(cell.words, font, size, room, field.most_lines)
            if line
        ]
        if cell.mark:
            out.append(_Line(cell.mark, REGULAR, MARK_SIZE, WARNING, LEADING, is_mark=True))
        if cell.note:
            note = wrapped(cell.note, REGULAR, NOTE_SIZE, room, field.most_lines)
            out += [_Line(line, REGULAR, NOTE_SIZE, MUTED, NOTE_LEADING) for line in note]
        return out

    # ------------------------------------------------------------ drawing
    def _draw_row(self, row: _Laid, top: float) -> float:
        canvas, bottom = self.canv, top - row.height
        background = {"head": SUNKEN, "group": ACCENT_SOFT}.get(row.kind)
        if background is not None:
            canvas.setFillColor(background)
            canvas.rect(0, bottom, self.width, row.height, stroke=0, fill=1)
        canvas.setStrokeColor(LINE_STRONG if row.kind in ("head", "subtotal", "total") else LINE)
        canvas.setLineWidth(0.8 if row.kind == "total" else 0.4)
        canvas.line(0, bottom, self.width, bottom)
        if row.kind == "total":
            canvas.line(0, top, self.width, top)
        words = canvas.beginText()
        for cell, field, (left, wide) in zip(row.cells, self.fields, self._columns(), strict=False):
            base, at_right = top - PAD_Y, field.is_number and row.kind != "group"
            for line in cell:
                base -= line.leading
                of_line = width(line.text, line.font, line.size)
                x = left + wide - PAD_X - of_line if at_right else left + PAD_X
                self._put(words, line, x, base + line.leading * 0.26, of_line)
        canvas.drawText(words)
        return bottom

    def _put(self, words: Any, line: _Line, x: float, base: float, of_line: float) -> None:
        if line.is_mark:
            self.canv.setFillColor(WARNING_SOFT)
            self.canv.roundRect(x - 2, base - 1.8, of_line + 4, line.size + 1.6, 2, stroke=0, fill=1)
        words.setTextOrigin(x, base)
        words.setFillColor(line.color)
        for run in runs(line.text, line.font):
            words.setFont(run.font, line.size)
            words.textOut(run.text)
