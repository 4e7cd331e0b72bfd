"""Constants of the contract: spreads, chances, and rates of copies that the model of collectives lacks (constants.csv)."""

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Constant(NamedTuple):
    """A row of constants.csv: value with the range that nine healthy readings in ten lie in, in the unit of the row."""

    value: float
    low: float
    high: float
    basis: str
    evidence: str


@cache
def constants() -> dict[tuple[str, str], Constant]:
    """All rows, by name and index."""
    with (Path(__file__).parent / "constants.csv").open(encoding="utf-8") as file:
        return {
            (row["name"], row["index"]): Constant(
                float(row["value"]), float(row["low"]), float(row["high"]), row["basis"], row["evidence"]
            )
            for row in csv.DictReader(file)
        }


def constant(name: str, index: str = "") -> Constant:
    """One row; of an index that has none the default's. KeyError where there is neither."""
    rows = constants()
    return rows[name, index] if (name, index) in rows else rows[name, "default"]
