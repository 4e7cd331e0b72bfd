"""Where figures of a cost stand in its workbook: a parameter, an item of the ledger, a column of a cash flow."""

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Generic, NamedTuple, TypeVar

from xlsxwriter.utility import xl_col_to_name

from designer.exports.sheets.basis import Basis, cheap_end
from designer.exports.sheets.bom import FIRST
from designer.exports.tables import MONEY, RANGE, Cell, Column, Formula, Shown, Table

PARAMETERS, COST, REPAIRS = "Parameters", "Cost", "Repairs"
CASH_SHEETS = {"low": "Cash flow, low", "typical": "Cash flow", "high": "Cash flow, high"}
END_LETTER = dict(zip(RANGE, "CDE", strict=True))
LEDGER_COLUMNS = (
    Column("group", "Part", width=16),
    Column("item", "Item", width=38),
    *(Column(f"usd_{end}", f"{end.capitalize()}", "USD", 18, MONEY) for end in RANGE),
    Column("how", "How it is worked out", width=74),
)
CashValue = TypeVar("CashValue")


class Cash(NamedTuple, Generic[CashValue]):
    """One thing for each column of a cash flow, in their order: a letter, the cell of a year, its number or formula."""

    year: CashValue
    servers: CashValue
    network: CashValue
    facility: CashValue
    one_off: CashValue
    electricity: CashValue
    space: CashValue
    support: CashValue
    licences: CashValue
    staff: CashValue
    repairs: CashValue
    residual: CashValue
    paid: CashValue
    cumulative: CashValue
    factor: CashValue
    discounted: CashValue
    cumulative_discounted: CashValue
    running: CashValue
    so_far: CashValue
    repair: CashValue
    worth: CashValue
    total: CashValue
    hour: CashValue


CASH = Cash(*(xl_col_to_name(index) for index in range(len(Cash._fields))))


def cents(amount: float) -> float:
    """Dollars to a whole cent, halves up, of the fifteen digits that a spreadsheet counts with."""
    return float(Decimal(f"{amount:.15g}").quantize(Decimal("0.01"), ROUND_HALF_UP))


def parameter_cell(basis: Basis, name: str, end: str) -> str:
    """The cell of a parameter or count for one end of the cost."""
    row = FIRST + [*basis.parameters, *basis.facts].index(name)
    return f"{PARAMETERS}!${END_LETTER[cheap_end(name, end)]}${row}"


class Ledger:
    """Items of a cost one below the other, each with a formula and a value at its low, typical and high end."""

    def __init__(self) -> None:
        self.rows: list[tuple[Cell, ...]] = []
        self._row_of: dict[str, int] = {}
        self._values: dict[tuple[str, str], float] = {}

    def add(
        self,
        key: str,
        group: str,
        label: str,
        formula: Callable[[str], str],
        value: Callable[[str], float],
        how: str = "",
        number_format: str = "",
        is_strong: bool = False,
    ) -> None:
        """One item. ``formula`` and ``value`` take an end of the cost."""
        self._row_of[key] = FIRST + len(self.rows)
        cells: list[Cell] = [Shown(group, is_strong=is_strong), Shown(label, is_strong=is_strong)]
        for end in RANGE:
            self._values[key, end] = value(end)
            cells.append(Shown(Formula(formula(end), self._values[key, end]), number_format, is_strong=is_strong))
        self.rows.append((*cells, Shown(how, is_strong=is_strong)))

    def has(self, key: str) -> bool:
        """Whether there is such an item."""
        return key in self._row_of

    def cell(self, key: str, end: str) -> str:
        """The cell of an item, as other sheets name it."""
        return f"{COST}!${END_LETTER[end]}${self._row_of[key]}"

    def value(self, key: str, end: str) -> float:
        """An item's value; nothing for one that there is not."""
        return self._values.get((key, end), 0.0)

    def table(self, note: str) -> Table:
        """All items as a sheet."""
        return Table(COST, LEDGER_COLUMNS, tuple(self.rows), note=note, frozen_columns=2)
