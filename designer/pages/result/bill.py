"""The bill of materials in the order that a reader asks for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from designer.wording.query import column_heads
from estimator.bom.result import BomLine, BomWithLines
from estimator.ranges import Range

ORDERS: dict[str, Callable[[BomLine], Any]] = {
    "line": lambda line: line.line,
    "category": lambda line: line.category,
    "part": lambda line: line.part,
    "quantity": lambda line: line.quantity,
    "unit": lambda line: line.unit_price_usd.typical if line.unit_price_usd else None,
    "extended": lambda line: line.extended_price_usd.typical if line.extended_price_usd else None,
    "power": lambda line: line.power_w,
    "basis": lambda line: line.price_basis,
}
DEFAULT_ORDER = "line"


@dataclass(frozen=True)
class CategoryTotal:
    """A category with its amount (None without a price), its share of the total, and the number of its lines."""

    name: str
    amount: Range[float] | None
    share: float | None
    n_lines: int


@dataclass(frozen=True)
class SortedBill:
    """A bill of materials as its table shows it."""

    bill: BomWithLines
    lines: Sequence[BomLine]
    heads: dict[str, dict[str, str]]
    categories: Sequence[CategoryTotal]


def sorted_bom(bill: BomWithLines, order: str | None) -> SortedBill:
    """The lines by ``order`` ("-extended": largest first); lines without the value come last either way."""
    key = (order or "").removeprefix("-")
    if key not in ORDERS:
        order, key = DEFAULT_ORDER, DEFAULT_ORDER
    descending, value = str(order).startswith("-"), ORDERS[key]
    known = sorted((line for line in bill.lines if value(line) is not None), key=value, reverse=descending)
    rest = [line for line in bill.lines if value(line) is None]
    return SortedBill(bill, [*known, *rest], column_heads(list(ORDERS), key, descending), category_totals(bill))


def category_totals(bill: BomWithLines) -> list[CategoryTotal]:
    """Each category of the bill, in its order."""
    whole = bill.totals_usd.typical
    return [
        CategoryTotal(
            category,
            amount,
            amount.typical / whole if amount and whole else None,
            sum(line.category == category for line in bill.lines),
        )
        for category, amount in bill.totals_by_category.items()
    ]
