"""Tables as a workbook, a sheet each. The same tables and date give the same bytes."""

import io
from datetime import datetime
from typing import Any

import xlsxwriter

from designer.exports.tables import Cell, Column, Formula, Shown, Table
from estimator.record import Json

MAX_CELL_CHARACTERS = 32_767
WRAPPED_FROM_WIDTH = 40
PRINTED_WIDTH = 260  # characters across a page that can still be read
LINE_HEIGHT = 15.0


def xlsx_bytes(tables: list[Table], title: str, created: datetime) -> bytes:
    """A workbook of these tables.

    Text is written by ``write_string`` alone: nothing in it can become a formula or a link. A Formula is written with its
    value, so that a reader that does not compute shows it too.
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
        self._made: dict[tuple[str, bool, bool, bool], Any] = {}
        self.header = workbook.add_format(
            {"bold": True, "text_wrap": True, "valign": "top", "bottom": 1, "bg_color": "#E8EDF2"}
        )
        self.note = workbook.add_format({"italic": True, "font_color": "#55616E"})

    def of(self, column: Column, cell: Cell, is_total: bool = False) -> Any:
        """The format of one cell of a column, in the body or in the totals row."""
        own = cell if isinstance(cell, Shown) else Shown(None)
        number_format = own.number_format or column.number_format
        key = (number_format, column.width >= WRAPPED_FROM_WIDTH, is_total or own.is_strong, own.is_input)
        if key not in self._made:
            values: Json = {"valign": "top", "text_wrap": key[1]}
            if key[1]:
                values |= {"align": "left", "indent": 1}
            if number_format:
                values["num_format"] = number_format
            if key[2]:
                values |= {"bold": True, "top": 1}
            if own.is_input:
                values |= {"bg_color": "#FFF6D6", "border": 1, "border_color": "#D9C98A"}
            self._made[key] = self._workbook.add_format(values)
        return self._made[key]


def _write_sheet(sheet: Any, table: Table, formats: _Formats) -> None:
    n_rows, last_column = len(table.rows), len(table.columns) - 1
    for index, column in enumerate(table.columns):
        sheet.set_column(index, index, column.width)
        sheet.write_string(0, index, column.title, formats.header)
    sheet.set_row(0, LINE_HEIGHT * max((-(-len(column.title) // column.width) for column in table.columns), default=1))
    for number, row in enumerate(table.rows, 1):
        _write_row(sheet, number, row, [formats.of(*pair) for pair in zip(table.columns, row, strict=True)])
    if table.totals is not None:
        cell_formats = [formats.of(*pair, is_total=True) for pair in zip(table.columns, table.totals, strict=True)]
        _write_row(sheet, n_rows + 1, table.totals, cell_formats)
    if table.note:
        sheet.write_string(n_rows + 3, 0, table.note, formats.note)
    sheet.freeze_panes(1, table.frozen_columns)
    sheet.repeat_rows(0)
    if table.frozen_columns:
        sheet.repeat_columns(0, table.frozen_columns - 1)
    sheet.autofilter(0, 0, n_rows, last_column)
    sheet.set_landscape()
    sheet.set_paper(9)
    sheet.fit_to_pages(-(-sum(column.width for column in table.columns) // PRINTED_WIDTH), 0)
    sheet.set_footer("&L&A&RPage &P of &N")


def _write_row(sheet: Any, number: int, row: tuple[Cell, ...], cell_formats: list[Any]) -> None:
    for index, (cell, cell_format) in enumerate(zip(row, cell_formats, strict=True)):
        _write_cell(sheet, number, index, cell.cell if isinstance(cell, Shown) else cell, cell_format)


def _write_cell(sheet: Any, row: int, column: int, cell: Cell, cell_format: Any) -> None:
    match cell:
        case Formula():
            sheet.write_formula(row, column, f"={cell.text}", cell_format, cell.value)
        case None:
            sheet.write_blank(row, column, None, cell_format)
        case bool():
            sheet.write_boolean(row, column, cell, cell_format)
        case int() | float():
            sheet.write_number(row, column, cell, cell_format)
        case str():
            sheet.write_string(row, column, cell[:MAX_CELL_CHARACTERS], cell_format)
