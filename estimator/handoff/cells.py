"""Cells and blocks of CSV files that programs read and people open in spreadsheets."""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from itertools import islice

Cell = str | int | float | bool | None
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # the wide forms: East Asian Excel
PLAIN_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
BLOCK_ROWS = 2048


def guarded(cell: Cell) -> Cell:
    """Text that a spreadsheet would run as a formula gets an apostrophe before it; numbers stay; truth as in JSON."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, str) and cell.lstrip(" ").startswith(FORMULA_STARTS) and not PLAIN_NUMBER.fullmatch(cell):
        return f"'{cell}"
    return cell


def csv_blocks(header: Iterable[str], rows: Iterable[Iterable[Cell]]) -> Iterator[str]:
    """A CSV file piece by piece: the header with a first row at once, then blocks of rows. Cells are taken as they are."""
    source = iter(rows)
    yield _csv_text([header, *islice(source, 1)])
    while block := list(islice(source, BLOCK_ROWS)):
        yield _csv_text(block)


def _csv_text(rows: Iterable[Iterable[Cell]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue()
