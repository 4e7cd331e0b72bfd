"""The bill of materials in the order that a reader asks for."""

from collections.abc import Mapping
from typing import Any

from designer.wording.query import column_heads

ORDERS = {
    "line": ("line",),
    "category": ("category",),
    "part": ("part",),
    "quantity": ("quantity",),
    "unit": ("unit_price_usd", "typical"),
    "extended": ("extended_price_usd", "typical"),
    "power": ("power_w",),
    "basis": ("price_basis",),
}
DEFAULT_ORDER = "line"


def _value(line: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    value: Any = line
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def sorted_bom(bom: Mapping[str, Any] | None, order: str | None) -> dict[str, Any] | None:
    """The BOM's lines by ``order`` ("-extended": largest first); lines without the value come last either way."""
    if bom is None:
        return None
    key = (order or "").removeprefix("-")
    if key not in ORDERS:
        order, key = DEFAULT_ORDER, DEFAULT_ORDER
    descending = str(order).startswith("-")
    lines = bom["lines"]
    known = [line for line in lines if _value(line, ORDERS[key]) is not None]
    rest = [line for line in lines if _value(line, ORDERS[key]) is None]
    known.sort(key=lambda line: _value(line, ORDERS[key]), reverse=descending)
    return dict(bom) | {
        "lines": known + rest,
        "heads": column_heads(list(ORDERS), key, descending),
        "categories": category_totals(bom),
    }


def category_totals(bom: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Each category with its amount (None without a price), its share of the total, and the number of its lines."""
    whole = bom["totals_usd"]["typical"]
    return [
        {
            "name": category,
            "amount": amount,
            "share": amount["typical"] / whole if amount and whole else None,
            "n_lines": sum(line["category"] == category for line in bom["lines"]),
        }
        for category, amount in bom["totals_by_category"].items()
    ]
