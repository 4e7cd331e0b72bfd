"""A table as CSV for machines: UTF-8 without a byte-order mark, RFC 4180, the first line is the columns' keys.

No byte-order mark, since it would become part of the first column's name in every reader but Excel's; the workbook is
the file for Excel. No totals row, since a program that adds the rows up would count it twice.
"""

import csv
import io
import re

from designer.exports.tables import PROVENANCE_COLUMNS, Cell, Table

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # the wide forms: East Asian Excel
PLAIN_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


def csv_bytes(table: Table, provenance: tuple[Cell, ...]) -> bytes:
    """The rows, each with the cells of PROVENANCE_COLUMNS at its end."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([column.key for column in (*table.columns, *PROVENANCE_COLUMNS)])
    writer.writerows([guarded(cell) for cell in (*row, *provenance)] for row in table.rows)
    return text.getvalue().encode()


def guarded(cell: Cell) -> Cell:
    """Text that a spreadsheet would run as a formula gets an apostrophe before it; numbers stay; truth as in JSON."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, str) and cell.lstrip(" ").startswith(FORMULA_STARTS) and not PLAIN_NUMBER.fullmatch(cell):
        return f"'{cell}"
    return cell
