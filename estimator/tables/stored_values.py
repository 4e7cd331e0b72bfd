"""Rows of a quote's workbook: stored values with what is behind them (a number, a formula, a currency format); nothing runs."""

import re
import zipfile
from collections.abc import Iterator
from typing import IO, NamedTuple

from estimator.errors import UnreadableFile
from estimator.tables.numbers import currency_of
from estimator.tables.workbook import Parser, column_number, is_number, local, opened, shared_strings, worksheets

MAX_UNPACKED_BYTES = 150_000_000
MAX_COLUMNS = 200
MAX_CELL = 1_000
MAX_FORMULA = 80
PERCENT = "%"
_BUILT_IN = {5: "USD", 6: "USD", 7: "USD", 8: "USD", 44: "USD", 42: "USD", 9: PERCENT, 10: PERCENT}
_LOCALES = {
    "407": "EUR",
    "40C": "EUR",
    "410": "EUR",
    "413": "EUR",
    "809": "GBP",
    "409": "USD",
    "411": "JPY",
    "804": "CNY",
    "807": "CHF",
    "100C": "CHF",
}


class QuoteRow(NamedTuple):
    """One row: its number from 1 and its cells as text, with what else is known of a cell by its place.

    Bit i of ``numbers`` says that cell i is stored as a number. ``formulas`` holds "=" and the formula where the cell has a
    stored value, "?" and the formula where it has none. ``formats`` holds a currency or "%".
    """

    number: int
    cells: list[str]
    numbers: int = 0
    formulas: dict[int, str] = {}  # rows without any share one, which nobody writes to
    formats: dict[int, str] = {}


class Workbook:
    """A workbook that is safe to read, with remarks on what was left alone in it."""

    def __init__(self, file: IO[bytes]) -> None:
        """Refuse what is no XLSX workbook, is encrypted, unpacks to more than the bound, or has a DTD in it."""
        self._archive = opened(file, MAX_UNPACKED_BYTES)
        names = set(self._archive.namelist())
        if "xl/workbook.xml" not in names:
            raise UnreadableFile("not_a_workbook", _other_kind(names))
        self.has_macros = any(name.lower().endswith("vbaproject.bin") for name in names)
        self.has_links = any(name.startswith("xl/externalLinks/") for name in names)
        self.has_wide_rows = False

    def sheets(self) -> Iterator[tuple[str, Iterator[QuoteRow]]]:
        """(title, rows) of every worksheet, hidden ones too."""
        strings = shared_strings(self._archive)
        formats = _Styles(self._archive).formats
        for title, part in worksheets(self._archive):
            yield title, self._rows(part, strings, formats)

    def _rows(self, part: str, strings: list[str], formats: dict[int, str]) -> Iterator[QuoteRow]:
        cells = _Cells(self._archive, part, strings, formats)
        for _ in cells.chunks():
            self.has_wide_rows = self.has_wide_rows or cells.is_wide
            yield from cells.rows
            cells.rows.clear()


def _other_kind(names: set[str]) -> str:
    if "xl/workbook.bin" in names:
        return "The file is a binary workbook (.xlsb). Save it as .xlsx or CSV."
    if "mimetype" in names and "content.xml" in names:
        return "The file is an OpenDocument sheet. Save it as .xlsx or CSV."
    if "word/document.xml" in names:
        return "The file is a Word document. Copy its table into a sheet and save that as .xlsx or CSV."
    return "The file is an archive without a workbook in it. Unpack it and give the .xlsx or CSV file inside."


class _Styles(Parser):
    """What number format each style of a cell has, where it says a currency or a percentage."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.formats: dict[int, str] = {}
        self._codes: dict[str, str] = {}
        self._is_inside, self._n_styles = False, 0
        if "xl/styles.xml" in archive.namelist():
            super().__init__(archive, "xl/styles.xml")
            for _ in self.chunks():
                pass

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = local(name)
        if name == "numFmt":
            self._codes[attributes.get("numFmtId", "")] = attributes.get("formatCode", "")[:200]
        elif name == "cellXfs":
            self._is_inside = True
        elif name == "xf" and self._is_inside:
            meaning = self._meaning(attributes.get("numFmtId", ""))
            if meaning:
                self.formats[self._n_styles] = meaning
            self._n_styles += 1

    def end(self, name: str) -> None:
        if local(name) == "cellXfs":
            self._is_inside = False

    def _meaning(self, number: str) -> str | None:
        code = self._codes.get(number)
        if code is None:
            return _BUILT_IN.get(int(number)) if is_number(number) else None
        for sign, locale in re.findall(r"\[\$([^\]\-]*)-?([0-9A-Fa-f]*)[^\]]*\]", code):
            if found := currency_of(sign) or (_LOCALES.get(locale.upper().lstrip("0")) if sign else None):
                return found
        plain = re.sub(r"\[[^\]]*\]", "", code)
        return currency_of(plain.replace('"', " ")) or (PERCENT if "%" in plain else None)


class _Cells(Parser):
    """Rows of a worksheet as QuoteRow."""

    def __init__(self, archive: zipfile.ZipFile, part: str, strings: list[str], formats: dict[int, str]) -> None:
        super().__init__(archive, part)
        self.rows: list[QuoteRow] = []
        self.is_wide = False
        self._strings, self._formats = strings, formats
        self._number, self._column, self._kind, self._format = 0, 0, "", ""
        self._keeps, self._in_formula, self._has_formula = False, False, False
        self._pieces: list[str] = []
        self._formula: list[str] = []
        self._column_of: dict[str, int] = {}
        self._begin(0)

    def _begin(self, number: int) -> None:
        self._number, self._numbers = number, 0
        self._cells: list[str] = []
        self._found_formulas: dict[int, str] = {}
        self._found_formats: dict[int, str] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if ":" in name:
            name = local(name)
        if name == "c":
            letters = attributes.get("r", "").rstrip("0123456789")
            column = self._column_of.get(letters)
            self._column = self._new_column(letters) if column is None else column
            self._kind = attributes.get("t", "n")
            style = attributes.get("s", "")
            self._format = self._formats.get(int(style), "") if self._formats and is_number(style) else ""
            self._has_formula = False
            self._pieces.clear()
            self._formula.clear()
        elif name in ("v", "t"):
            self._keeps = True
        elif name == "f":
            self._in_formula = self._has_formula = True
        elif name == "row":
            number = attributes.get("r", "")
            self._begin(int(number) if is_number(number) else self._number + 1)

    def end(self, name: str) -> None:
        if ":" in name:
            name = local(name)
        self._keeps = self._in_formula = False
        if name == "c" and (self._pieces or self._has_formula):
            if self._column >= MAX_COLUMNS:
                self.is_wide = True
                return
            self._end_cell()
        elif name == "row":
            self.rows.append(
                QuoteRow(self._number, self._cells, self._numbers, self._found_formulas, self._found_formats)
            )

    def _end_cell(self) -> None:
        column, cells = self._column, self._cells
        if column >= len(cells):
            cells.extend([""] * (column + 1 - len(cells)))
        text = "".join(self._pieces)[:MAX_CELL].strip()
        if self._kind == "s":
            text = self._strings[int(text)].strip() if is_number(text) and int(text) < len(self._strings) else ""
            text = text[:MAX_CELL]
        elif self._kind == "n" and text:
            self._numbers |= 1 << column
            text = text.removesuffix(".0")
        cells[column] = text
        if self._has_formula:
            mark = "=" if text else "?"
            self._found_formulas[column] = mark + "".join(self._formula)[:MAX_FORMULA]
        if self._format:
            self._found_formats[column] = self._format

    def text(self, data: str) -> None:
        if self._keeps:
            self._pieces.append(data)
        elif self._in_formula:
            self._formula.append(data)

    def _new_column(self, letters: str) -> int:
        """Number of a column; a cell without a place follows the one before it."""
        if not letters:
            return len(self._cells)
        self._column_of[letters] = column_number(letters)
        return self._column_of[letters]
