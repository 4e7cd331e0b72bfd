"""A table as CSV for machines: UTF-8 without a byte-order mark, RFC 4180, the first line is the columns' keys.

No byte-order mark, since it would become part of the first column's name in every reader but Excel's; the workbook is
the file for Excel. No totals row, since a program that adds the rows up would count it twice.
"""

import csv
import io

from designer.exports.tables import PROVENANCE_COLUMNS, Cell, Table, plain
from estimator.handoff.cells import guarded


def csv_bytes(table: Table, provenance: tuple[Cell, ...]) -> bytes:
    """The rows, each with the cells of PROVENANCE_COLUMNS at its end."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([column.key for column in (*table.columns, *PROVENANCE_COLUMNS)])
    writer.writerows([guarded(plain(cell)) for cell in (*row, *provenance)] for row in table.rows)
    return text.getvalue().encode()
