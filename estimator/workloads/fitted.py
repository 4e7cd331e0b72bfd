"""Tables of constants: rows that a fit may move, with prior and spread, and rows that are only stated, in SI units."""

import csv
from dataclasses import dataclass
from pathlib import Path

from estimator.ranges import Range
from estimator.units import GIGA, MICRO

_TO_SI = {"share": 1.0, "bytes": 1.0, "seconds": 1.0, "minutes": 60.0, "us": MICRO, "GB/s": float(GIGA)}
_SI_UNITS = {"minutes": "seconds", "us": "seconds", "GB/s": "B/s"}


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


@dataclass(frozen=True)
class Stated:
    """A constant that is published, measured or judged, with its ends, in SI units."""

    ends: Range[float]
    unit: str
    basis: str
    evidence: str

    @property
    def value(self) -> float:
        """The typical one."""
        return self.ends.typical


def stated_constants(path: Path) -> dict[str, Stated]:
    """The rows of a file by name; one without ends has a ``value`` alone.

    Raises
    ------
    KeyError
        For a unit that is none of _TO_SI.
    """
    with path.open(newline="", encoding="utf-8") as file:
        return {row["name"]: _stated(row, _TO_SI[row["unit"]]) for row in csv.DictReader(file)}


def _stated(row: dict[str, str], si: float) -> Stated:
    texts = [row["value"]] * 3 if "value" in row else [row[end] for end in ("low", "typical", "high")]
    unit = _SI_UNITS.get(row["unit"], row["unit"])
    return Stated(Range(*(float(text) * si for text in texts)), unit, row["basis"], row["evidence"])
