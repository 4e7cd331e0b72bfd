"""What healthy paths give by the tools that measure one path each (healthy.csv)."""

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Constant(NamedTuple):
    """A row: value with the range that nine healthy readings in ten lie in, in the unit of the row."""

    value: float
    low: float
    high: float
    basis: str
    evidence: str


def rows_of(file: Path) -> dict[tuple[str, str], Constant]:
    """Rows of a table of constants, by name and index."""
    with file.open(encoding="utf-8", newline="") as lines:
        return {
            (row["name"], row["index"]): Constant(
                float(row["value"]), float(row["low"]), float(row["high"]), row["basis"], row["evidence"]
            )
            for row in csv.DictReader(lines)
        }


@cache
def healthy_paths() -> dict[tuple[str, str], Constant]:
    """All rows, by name and index."""
    return rows_of(Path(__file__).with_name("healthy.csv"))


def healthy(name: str, index: str = "") -> Constant:
    """One row; of an index that has none the default's. KeyError where there is neither."""
    rows = healthy_paths()
    return rows[name, index] if (name, index) in rows else rows[name, "default"]
