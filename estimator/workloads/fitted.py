"""Rows of a table of constants that a fit may move: each with unit, prior, spread, basis and evidence."""

import csv
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Constant:
    """One row; ``spread`` is the ln-s.d. around ``prior`` that a fit may move it by, 0 where it is not fitted."""

    name: str
    index: str
    value: float
    unit: str
    prior: float
    spread: float
    basis: str
    evidence: str


def read_constants(path: Path) -> tuple[Constant, ...]:
    """The rows of a file, in its order; a prior that is left out is the value."""
    with path.open(newline="", encoding="utf-8") as file:
        return tuple(
            Constant(
                name=row["name"],
                index=row["index"],
                value=float(row["value"]),
                unit=row["unit"],
                prior=float(row["prior"] or row["value"]),
                spread=float(row["spread"] or 0),
                basis=row["basis"],
                evidence=row["evidence"],
            )
            for row in csv.DictReader(file)
        )
