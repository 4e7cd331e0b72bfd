"""A spreadsheet's arithmetic in a few lines, so that tests compute a workbook's formulas without a spreadsheet."""

import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np
from openpyxl.utils import range_boundaries

_TOKEN = re.compile(
    r"""(?P<text>"[^"]*")|(?:'(?P<quoted>[^']+)'!|(?P<bare>[A-Za-z_]+)!)?(?P<ref>\$?[A-Z]{1,3}\$?[0-9]+(?::\$?[A-Z]{1,3}\$?[0-9]+)?)
    |(?P<name>[A-Z]+)\(|(?P<operator><>|<=|>=|=|\^|.)|(?P<other>\s+)""",
    re.VERBOSE,
)
_OPERATORS = {"=": "==", "<>": "!=", "^": "**"}


def _number(value: Any) -> Any:
    if value is None:
        return np.float64(0)
    return value if isinstance(value, (str, np.ndarray)) else np.float64(value)


def _add(*parts: Any) -> Any:
    return np.float64(sum(float(x) for part in parts for x in np.ravel(part) if not isinstance(x, str)))


def _round(value: Any, digits: Any) -> Any:
    """Half away from zero of fifteen digits, as spreadsheets do."""
    return np.float64(Decimal(f"{float(value):.15g}").quantize(Decimal(1).scaleb(-int(digits)), ROUND_HALF_UP))


def _sum_product(*arrays: Any) -> Any:
    product: Any = np.float64(1)
    for array in arrays:
        product = product * np.asarray(array, dtype=float)
    return np.float64(np.sum(product))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "SUM": _add,
    "ROUND": _round,
    "SUMPRODUCT": _sum_product,
    "IF": lambda test, yes, no=0: yes if test else no,
    "MIN": lambda *parts: min(float(x) for part in parts for x in np.ravel(part)),
    "MAX": lambda *parts: max(float(x) for part in parts for x in np.ravel(part)),
    "AND": lambda *parts: all(bool(part) for part in parts),
    "OR": lambda *parts: any(bool(part) for part in parts),
    "ABS": abs,
    "N": _number,
}


class Workbook:
    """Values of all cells of an openpyxl workbook that was read with its formulas; computed when they are asked for."""

    def __init__(self, book: Any) -> None:
        self._book = book
        self._known: dict[tuple[str, int, int], Any] = {}

    def value(self, sheet: str, row: int, column: int) -> Any:
        """A cell's value, computed where it is a formula."""
        key = (sheet, row, column)
        if key not in self._known:
            held = self._book[sheet].cell(row, column)
            self._known[key] = self._compute(sheet, held.value[1:]) if held.data_type == "f" else held.value
        return self._known[key]

    def formulas(self) -> list[tuple[str, str, Any]]:
        """Sheet, coordinate and computed value of every formula."""
        return [
            (sheet.title, cell.coordinate, self.value(sheet.title, cell.row, cell.column))
            for sheet in self._book
            for row in sheet.iter_rows()
            for cell in row
            if cell.data_type == "f"
        ]

    def _range(self, sheet: str, reference: str) -> Any:
        left, top, right, bottom = range_boundaries(reference.replace("$", ""))
        if ":" not in reference:
            return _number(self.value(sheet, top, left))
        cells = [self.value(sheet, row, column) for row in range(top, bottom + 1) for column in range(left, right + 1)]
        kind = object if any(isinstance(cell, str) for cell in cells) else float
        return np.array([0 if cell is None and kind is float else cell for cell in cells], dtype=kind)

    def _compute(self, sheet: str, formula: str) -> Any:
        python, position = "", 0
        while position < len(formula):
            match = _TOKEN.match(formula, position)
            assert match, formula
            python += self._translated(sheet, match)
            position = match.end()
        with np.errstate(divide="ignore", invalid="ignore"):
            return eval(python, {"__builtins__": {}, "R": self._range, **FUNCTIONS})

    def _translated(self, sheet: str, match: re.Match[str]) -> str:
        if match["ref"]:
            return f"R({(match['quoted'] or match['bare'] or sheet)!r}, {match['ref']!r})"
        if match["name"]:
            assert match["name"] in FUNCTIONS, match["name"]
            return f"{match['name']}("
        return match["text"] or _OPERATORS.get(match["operator"], match[0])
