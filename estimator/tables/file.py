"""A vendor's file → its rows, sheet by sheet: XLSX, delimited text or PDF, by content, in bounded memory and time."""

import csv
import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from estimator.errors import UnreadableFile
from estimator.record import Json
from estimator.tables.numbers import COMMA, POINT
from estimator.tables.process import Pages
from estimator.tables.stored_values import MAX_CELL, MAX_COLUMNS, QuoteRow

MAX_FILE_BYTES = 20_000_000
MAX_ROWS = 100_000
MAX_SHEETS = 100
MAX_TEXT = 25_000_000  # characters of all cells together
SNIFFED_LINES = 60
DELIMITERS = ("\t", ";", ",", "|")  # the first of equals
_MACROS = "The workbook has macros. They were not run and are not kept; the values of its cells were read."
_LINKS = "The workbook has links to other files. None was opened; the values stored in its cells were read."
_PDF = "The file is a PDF: its text was read, and its columns were found by the gaps between them. Check the lines against it."
_WIDE = f"The workbook has rows of more than {MAX_COLUMNS} columns; only the first {MAX_COLUMNS} are read."


@dataclass(frozen=True, slots=True)
class QuoteSheet:
    """All rows of a sheet that it has, blank ones too. A delimited text is one sheet."""

    title: str
    rows: list[QuoteRow]


@dataclass(frozen=True, slots=True)
class QuoteTable:
    """A file as it was read. ``decimal`` is what its separators suggest before any number was looked at."""

    format: str
    sheets: list[QuoteSheet]
    notes: list[str] = field(default_factory=list)
    decimal: str = POINT

    @property
    def n_rows(self) -> int:
        """Rows of all sheets."""
        return sum(len(sheet.rows) for sheet in self.sheets)

    def as_json(self) -> Json:
        """What is kept of the file, to be read again with other columns."""
        return {
            "format": self.format,
            "notes": self.notes,
            "decimal": self.decimal,
            "sheets": [{"title": sheet.title, "rows": [_row_json(row) for row in sheet.rows]} for sheet in self.sheets],
        }


def _row_json(row: QuoteRow) -> list[Any]:
    """[number, cells], and behind them numbers, formulas and formats where there are any."""
    values: list[Any] = [row.number, row.cells]
    if row.numbers or row.formulas or row.formats:
        values += [row.numbers, list(row.formulas.items()), list(row.formats.items())]
    return values


def table_of(values: Json) -> QuoteTable:
    """The table of what ``as_json`` gave."""
    sheets = [
        QuoteSheet(sheet["title"], [QuoteRow(n, cells, *_marks(*marks)) for n, cells, *marks in sheet["rows"]])
        for sheet in values["sheets"]
    ]
    return QuoteTable(values["format"], sheets, list(values["notes"]), values["decimal"])


def _marks(numbers: int = 0, formulas: Any = (), formats: Any = ()) -> tuple[int, dict[int, str], dict[int, str]]:
    return numbers, dict(formulas), dict(formats)


def read_table(data: bytes, name: str = "") -> QuoteTable:
    """The rows of a file.

    Parameters
    ----------
    data : the file
    name : what it is called; its ending is only compared with its content

    Raises
    ------
    UnreadableFile
        If the file is empty, too large, encrypted, of another format, broken, or has more rows or text than is read.
    """
    if len(data) > MAX_FILE_BYTES:
        raise UnreadableFile(
            "file_too_large",
            f"The file has {len(data):,} bytes, and {MAX_FILE_BYTES:,} are read. Save the sheet of the quote alone, as CSV.",
        )
    if not data.strip(b"\0 \t\r\n"):
        raise UnreadableFile("empty_file", "The file is empty. Give a quote as XLSX or CSV.")
    _refuse_other_formats(data)
    is_workbook = data.startswith(b"PK")
    is_pdf = data.startswith(b"%PDF")
    table = _workbook_table(data) if is_workbook else _pdf_table(data) if is_pdf else _text_table(data)
    ending = name.lower().rpartition(".")[2] if "." in name else ""
    if not is_pdf and ending in ("xlsx", "xlsm", "csv", "tsv", "txt") and (ending in ("xlsx", "xlsm")) != is_workbook:
        kind = "a workbook" if is_workbook else "text"
        table.notes.append(f"The file's name ends in .{ending}, but it is {kind}; it was read as what it is.")
    if not table.n_rows:
        raise UnreadableFile("empty_file", "The file has no rows. Give a quote as XLSX or CSV.")
    return table


def _refuse_other_formats(data: bytes) -> None:
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise UnreadableFile("workbook_encrypted", "The workbook has a password. Save a copy without one.")
        raise UnreadableFile("old_workbook", "The file is of an old Office format (.xls). Save it as .xlsx or CSV.")
    start = data[:1000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype", b"<html", b"<?xml", b"<table")):
        raise UnreadableFile(
            "not_a_table", "The file is a page or XML document. Open it as a sheet and save it as .xlsx."
        )
    if data.startswith((b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"{\\rtf", b"\x1f\x8b", b"Rar!", b"7z\xbc\xaf")):
        raise UnreadableFile(
            "not_a_table", "The file is a picture, a text with layout or an archive. Give XLSX or CSV."
        )


class _Budget:
    """Counts rows and text over all sheets, and refuses what is beyond the bounds as soon as it is."""

    def __init__(self) -> None:
        self._n_rows = self._n_text = 0

    def take(self, row: QuoteRow) -> QuoteRow:
        self._n_rows += 1
        self._n_text += sum(map(len, row.cells)) + 4 * len(row.cells)
        if self._n_rows > MAX_ROWS:
            raise UnreadableFile(
                "too_many_rows",
                f"The file has more than {MAX_ROWS:,} rows, and so many are read. Delete those that are no part of the quote.",
            )
        if self._n_text > MAX_TEXT:
            raise UnreadableFile(
                "too_much_text",
                f"The cells hold more than {MAX_TEXT:,} characters, and so many are read. Delete columns that are no part "
                "of the quote.",
            )
        return row


# ---------------------------------------------------------------- workbooks


def _workbook_table(data: bytes) -> QuoteTable:
    budget, sheets = _Budget(), list[QuoteSheet]()
    with Pages(io.BytesIO(data), "quote") as pages:
        for title, rows in pages.sheets():
            if len(sheets) == MAX_SHEETS:
                raise UnreadableFile(
                    "too_many_sheets", f"The workbook has more than {MAX_SHEETS} sheets. Save the quote's sheets alone."
                )
            sheets.append(QuoteSheet(_clean(title)[:100], [budget.take(_cleaned(_row_of(row))) for row in rows]))
    remarks = (("macros", _MACROS), ("links", _LINKS), ("wide", _WIDE))
    return QuoteTable("xlsx", sheets, [words for key, words in remarks if pages.remarks[key]])


def _pdf_table(data: bytes) -> QuoteTable:
    budget = _Budget()
    with Pages(io.BytesIO(data), "pdf") as pages:
        sheets = [
            QuoteSheet(title, [budget.take(_cleaned(_row_of([row[0], row[1][:MAX_COLUMNS]]))) for row in rows])
            for title, rows in pages.sheets()
        ]
    return QuoteTable("pdf", sheets, [_PDF])


def _row_of(values: list[Any]) -> QuoteRow:
    number, cells, *marks = values
    return QuoteRow(number, cells, *_marks(*marks))


def _cleaned(row: QuoteRow) -> QuoteRow:
    if all(cell.isprintable() for cell in row.cells):
        return row
    return row._replace(cells=[_clean(cell) for cell in row.cells])


def _clean(text: str) -> str:
    """A text without line ends and control characters."""
    if text.isprintable():
        return text
    return " ".join(
        "".join(c if c.isprintable() or c in "\u00a0\u2007\u2009\u202f" else " " for c in text).split(" ")
    ).strip()


# ---------------------------------------------------------------- delimited text


def _text_table(data: bytes) -> QuoteTable:
    text, encoding = _decoded(data)
    notes = ["The text is not UTF-8; it was read as Western European (Windows-1252)."] if encoding == "cp1252" else []
    head = text.partition("\n")[0]
    stated = head.strip().removeprefix("sep=") if head.lower().startswith("sep=") else ""
    delimiter = stated if stated in DELIMITERS else _delimiter(text)
    budget, rows, is_wide = _Budget(), [], False
    for number, cells in _records(text, delimiter):
        is_wide = is_wide or any(cells[MAX_COLUMNS:])
        rows.append(budget.take(_text_row(number, cells[:MAX_COLUMNS])))
    if is_wide:
        notes.append(_WIDE.replace("workbook", "file"))
    return QuoteTable("csv", [QuoteSheet("", rows)], notes, COMMA if delimiter == ";" else POINT)


def _decoded(data: bytes) -> tuple[str, str]:
    """The text and its encoding: by the mark at its start, by zero bytes in every other place, else UTF-8 or Windows."""
    encoding = "utf-8-sig"
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    elif b"\0" in data[:2000]:
        head = data[:2000]
        odd, even = head[1::2].count(0), head[::2].count(0)
        if max(odd, even) > 0.4 * len(head) / 2 and min(odd, even) < 0.05 * len(head):
            encoding = "utf-16-le" if odd > even else "utf-16-be"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        if encoding != "utf-8-sig":
            raise UnreadableFile(
                "bad_encoding", "The file begins as UTF-16 and is broken further on. Save it again."
            ) from None
        encoding = "cp1252"
        text = data.decode(encoding, "replace")
    if "\0" in text:
        raise UnreadableFile(
            "binary_file", "The file has zero bytes in it, which no text has. Give a quote as XLSX or CSV."
        )
    return text, encoding


def _delimiter(text: str) -> str:
    """The separator under which most of the first rows have the same number of cells, and more than one."""
    lines = text[: SNIFFED_LINES * MAX_CELL].splitlines()[:SNIFFED_LINES]

    def evenness(delimiter: str) -> int:
        try:
            widths = Counter(len(cells) for cells in csv.reader(lines, delimiter=delimiter) if len(cells) > 1)
        except csv.Error:
            return 0
        width, n_rows = max(widths.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
        return n_rows * min(width, 12)

    return max(DELIMITERS, key=evenness)


def _records(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """(number from 1, cells) of every record, as a spreadsheet would number its rows."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    number = 0
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise UnreadableFile(
                "broken_quotes", f"Row {number + 1} cannot be read: {error}. Save the file again."
            ) from None
        number += 1
        if any(cell.count("\n") > 50 for cell in cells):
            raise UnreadableFile(
                "broken_quotes",
                f"Row {number} has a quotation mark that is never closed, so rows run together. Fix it.",
            )
        yield number, cells


def _text_row(number: int, cells: list[str]) -> QuoteRow:
    """A record; what a spreadsheet would take for a formula is marked as one without a value, ="text" is its text."""
    formulas = {}
    texts = []
    for column, cell in enumerate(cells):
        text = _clean(cell).strip()[:MAX_CELL]
        if len(text) > 3 and text.startswith('="') and text.endswith('"') and '"' not in text[2:-1]:
            text = text[2:-1]
        if text[:1] == "=" or (text[:1] in "+-@" and any(c in text for c in "|(!")):
            formulas[column] = f"?{text.lstrip('=')[:80]}"
        texts.append(text)
    while texts and not texts[-1]:
        texts.pop()
    return QuoteRow(number, texts, 0, formulas)
