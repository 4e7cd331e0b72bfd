"""The bill of materials as sheets that compute: prices of lines, totals, and subtotals by network and category."""

from xlsxwriter.utility import xl_col_to_name

from designer.exports.sheets.basis import failure_row
from designer.exports.tables import BOM_COLUMNS, COUNT, MONEY, RANGE, SHARE, Cell, Column, Formula, Table, bom_table
from designer.wording.numbers import basis_name, category_name
from estimator.bom.result import BomLine
from estimator.ranges import total_of
from estimator.result import PricedEstimate

BILL, TOTALS = "Bill of materials", "Totals"
FIRST = 2  # row of a sheet's first line, below its header
FAILS_AS = Column("fails_as", "Failure rate", width=14)
LETTER = {column.key: xl_col_to_name(index) for index, column in enumerate((*BOM_COLUMNS, FAILS_AS))}
PIECES = ("quantity", "spare_quantity", "owned_quantity")
SUMMED = (*(f"extended_price_usd_{end}" for end in RANGE), "power_w")


def bill_sheet(estimate: PricedEstimate) -> Table:
    """The bill of materials: a line's price is its unit price × what is bought, and the last row adds the lines up."""
    table = bom_table(estimate)
    rows = tuple(
        (*_line(row, number), failure_row(line, estimate) or None)
        for number, (row, line) in enumerate(zip(table.rows, estimate.bom.lines, strict=True), FIRST)
    )
    last = FIRST + len(rows) - 1
    totals = list(table.totals or ())
    for index, column in enumerate(BOM_COLUMNS):
        value = totals[index]
        if column.key in SUMMED and rows and isinstance(value, (int, float)):
            letter = LETTER[column.key]
            totals[index] = Formula(f"SUM({letter}{FIRST}:{letter}{last})", value)
    return Table(table.title, (*table.columns, FAILS_AS), rows, (*totals, None))


def _line(row: tuple[Cell, ...], number: int) -> tuple[Cell, ...]:
    """One row; its prices follow when a unit price or a quantity is changed."""
    installed, spares, owned = (f"{LETTER[name]}{number}" for name in PIECES)
    pieces = f"({installed}+{spares}-{owned})"
    cells = list(row)
    for index, column in enumerate(BOM_COLUMNS):
        name, _, end = column.key.rpartition("_")
        value = row[index]
        if column.key == "price_basis" and value:
            cells[index] = basis_name(value)
        if name == "extended_price_usd" and isinstance(value, (int, float)):
            cells[index] = Formula(f"ROUND({LETTER[f'unit_price_usd_{end}']}{number}*{pieces},2)", value)
    return tuple(cells)


def bill_column(name: str, n_lines: int) -> str:
    """A column of the bill of materials' lines, as formulas on other sheets name it."""
    return f"'{BILL}'!${LETTER[name]}${FIRST}:${LETTER[name]}${FIRST + n_lines - 1}"


TOTAL_COLUMNS = (
    Column("fabric", "Network", width=14),
    Column("category", "Category", width=14),
    Column("name", "What", width=20),
    Column("lines", "Lines", width=8, number_format=COUNT),
    Column("pieces", "Pieces", width=10, number_format=COUNT),
    Column("spares", "of it spares", width=10, number_format=COUNT),
    *(Column(f"usd_{end}", f"Price, {end}", "USD", 18, MONEY) for end in RANGE),
    Column("share", "Share of the total", width=12, number_format=SHARE),
)
_AT = {column.key: xl_col_to_name(index) for index, column in enumerate(TOTAL_COLUMNS)}
_TYPICAL = _AT["usd_typical"]


def totals_sheet(estimate: PricedEstimate) -> Table:
    """Subtotals of the BOM by network and category, each a formula over the BOM's lines, and their total."""
    lines = estimate.bom.lines
    groups: dict[tuple[str, str], list[BomLine]] = {}
    for line in lines:
        groups.setdefault((line.fabric, line.category), []).append(line)
    total_row = FIRST + len(groups)
    whole = estimate.bom.totals_usd.typical
    rows = tuple(
        _subtotal(key, members, row, FIRST + len(lines) - 1, total_row, whole)
        for row, (key, members) in enumerate(groups.items(), FIRST)
    )
    totals: list[Cell] = ["", "", "Total"]
    for column in TOTAL_COLUMNS[3:-1]:
        letter = _AT[column.key]
        value = sum(_value(row, column.key) for row in rows)
        totals.append(Formula(f"SUM({letter}{FIRST}:{letter}{total_row - 1})", round(value, 2)) if rows else 0)
    return Table(TOTALS, TOTAL_COLUMNS, rows, (*totals, None), frozen_columns=3)


def _value(row: tuple[Cell, ...], key: str) -> float:
    cell = row[[column.key for column in TOTAL_COLUMNS].index(key)]
    return cell.value if isinstance(cell, Formula) and isinstance(cell.value, (int, float)) else 0


def _subtotal(
    key: tuple[str, str], members: list[BomLine], row: int, last: int, total_row: int, whole: float
) -> tuple[Cell, ...]:
    """One network's category. SUMPRODUCT compares names as they are: no sign in one is read as a pattern."""

    def column(name: str) -> str:
        return bill_column(name, last - FIRST + 1)

    mine = f"({column('fabric')}=$A{row})*({column('category')}=$B{row})"
    quantity = sum(line.quantity for line in members)
    spares = sum(line.spare_quantity for line in members)
    amounts = [round(end, 2) for end in total_of(line.extended_price_usd for line in members)]
    share = amounts[1] / whole if whole else 0
    return (
        *key,
        category_name(key[1]),
        Formula(f"SUMPRODUCT({mine})", len(members)),
        Formula(f"SUMPRODUCT({mine}*({column('quantity')}+{column('spare_quantity')}))", quantity + spares),
        Formula(f"SUMPRODUCT({mine}*{column('spare_quantity')})", spares),
        *(
            Formula(f"SUMPRODUCT({mine},{column(f'extended_price_usd_{end}')})", amount)
            for end, amount in zip(RANGE, amounts, strict=True)
        ),
        Formula(
            f"IF({_TYPICAL}${total_row}=0,0,{_TYPICAL}{row}/{_TYPICAL}${total_row})",
            share,
        ),
    )
