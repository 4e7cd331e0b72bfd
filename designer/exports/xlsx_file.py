"""Tables as a workbook, a sheet each. The same tables and date give the same bytes."""

import io
from datetime import datetime
from typing import Any

import xlsxwriter

from designer.exports.tables import Cell, Column, Table

MAX_CELL_CHARACTERS = 32_767
WRAPPED_FROM_WIDTH = 40


def xlsx_bytes(tables: list[Table], title: str, created: datetime) -> bytes:
    """A workbook of these tables.

    Text is written by ``write_string`` alone: nothing in it can become a formula or a link.
    ``created`` is what the file says of itself.
    """
    buffer = io.BytesIO()
    workbook = xlsxwriter.Workbook(buffer, {"in_memory": True})
    workbook.set_properties({"title": title, "created": created.replace(microsecond=0, tzinfo=None)})
    formats = _Formats(workbook)
    for table in tables:
        _write_sheet(workbook.add_worksheet(table.title), table, formats)
    workbook.close()
    return buffer.getvalue()


class _Formats:
    """The workbook's cell formats, one for each kind of cell."""

    def __init__(self, workbook: Any) -> None:
        self._workbook = workbook
        self._made: dict[tuple[str, bool, bool], Any] = {}
        self.header = workbook.add_format(
            {"bold": True, "text_wrap": True, "valign": "top", "bottom": 1, "bg_color": "#E8EDF2"}
        )

    def of(self, column: Column, is_total: bool = False) -> Any:
        """The format of a column's cells, in the body or in the totals row."""
        key = (column.number_format, column.width >= WRAPPED_FROM_WIDTH, is_total)
        if key not in self._made:
            values: dict[str, Any] = {"valign": "top", "text_wrap": key[1]}
            if column.number_format:
                values["num_format"] = column.number_format
            if is_total:
                values |= {"bold": True, "top": 1}
            self._made[key] = self._workbook.add_format(values)
        return self._made[key]


def _write_sheet(sheet: Any, table: Table, formats: _Formats) -> None:
    n_rows, last_column = len(table.rows), len(table.columns) - 1
    for index, column in enumerate(table.columns):
        sheet.set_column(index, index, column.width)
        sheet.write_string(0, index, column.title, formats.header)
    for number, row in enumerate(table.rows, 1):
        _write_row(sheet, number, row, [formats.of(column) for column in table.columns])
    if table.totals is not None:
        _write_row(sheet, n_rows + 1, table.totals, [formats.of(column, is_total=True) for column in table.columns])
    sheet.freeze_panes(1, 0)
    sheet.repeat_rows(0)
    sheet.autofilter(0, 0, n_rows, last_column)
    sheet.set_landscape()
    sheet.set_paper(9)
    sheet.fit_to_pages(1, 0)


def _write_row(sheet: Any, number: int, row: tuple[Cell, ...], cell_formats: list[Any]) -> None:
    for index, (cell, cell_format) in enumerate(zip(row, cell_formats, strict=True)):
        match cell:
            case None:
                sheet.write_blank(number, index, None, cell_format)
            case bool():
                sheet.write_boolean(number, index, cell, cell_format)
            case int() | float():
                sheet.write_number(number, index, cell, cell_format)
            case str():
                sheet.write_string(number, index, cell[:MAX_CELL_CHARACTERS], cell_format)
