"""Every conversion of the project, and exact integer arithmetic. G is 10^9."""

import math
import re
from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
Column = npt.NDArray[np.integer[Any]]  # integers of any width: columns of link tables
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

C = TypeVar("C", bound="Columns")

BITS_PER_BYTE = 8
M_PER_FOOT = 0.3048  # exact, by definition
GIGA = 10**9
MILLI = 1e-3
MICRO = 1e-6
CENTS_PER_USD = 100
W_PER_KW = 1000
HOURS_PER_YEAR = 8760
_NUMBERS = re.compile(
    r"\s*([0-9]{1,6}(?:[.][0-9]{1,3}|,[0-9]{1,2})?)\s*(?:[:/]\s*([0-9]{1,6}(?:[.][0-9]{1,3}|,[0-9]{1,2})?)\s*)?"
)
_RATIO = re.compile(r"\s*([0-9]{1,9})\s*:\s*([0-9]{1,9})\s*")


def ceil_div(dividend: Any, divisor: Any) -> Any:
    """⌈dividend / divisor⌉ of integers or int64 arrays, exactly; ``divisor`` above 0."""
    return -(-dividend // divisor)


def column_names(kind: Any) -> Collection[str]:
    """Names of a dataclass's fields, as it has them: ``fields`` makes records of them anew for every batch of columns."""
    names: dict[str, Any] = kind.__dataclass_fields__
    return names


class Columns:
    """A frozen dataclass with columns alone: arrays of shape (n_variants,), one value a variant.

    Columns made of others are put in place at once: a frozen dataclass sets them one by one, which takes a small batch longer
    than its arithmetic.
    """

    def but(self, **changed: Any) -> Self:
        """The same columns but for some."""
        made = _of_columns(type(self), self.__dict__ | changed)
        if len(made.__dict__) != len(self.__dict__):
            raise TypeError(f"no columns of {type(self).__name__}: {', '.join(changed.keys() - self.__dict__.keys())}")
        return made

    def each(self, change: Callable[[Any], Any]) -> Self:
        """The same columns, each changed alike."""
        return _of_columns(type(self), {name: change(column) for name, column in self.__dict__.items()})

    def take(self, rows: npt.NDArray[np.intp] | slice) -> Self:
        """The same columns for some variants."""
        return _of_columns(type(self), {name: column[rows] for name, column in self.__dict__.items()})

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The variants of several batches, one after the other."""
        columns = {name: [one.__dict__[name] for one in parts] for name in column_names(cls)}
        return _of_columns(cls, {name: np.concatenate(pieces) for name, pieces in columns.items()})


def _of_columns(kind: type[C], columns: dict[str, Any]) -> C:
    made = object.__new__(kind)
    made.__dict__.update(columns)
    return made


def gbit_s_to_byte_s(rate_gbit_s: Any) -> Any:
    """Gb/s → B/s."""
    return rate_gbit_s * GIGA / BITS_PER_BYTE


def byte_s_to_gb_s(rate_byte_s: Any) -> Any:
    """B/s → GB/s (10^9 bytes a second)."""
    return rate_byte_s / GIGA


def s_to_us(time_s: Any) -> Any:
    """Seconds → microseconds."""
    return time_s / MICRO


def us_to_s(time_us: Any) -> Any:
    """Microseconds → seconds."""
    return time_us * MICRO


def cents_to_usd(cents: Any) -> float:
    """US cents → US dollars, for printing; a whole number of dollars stays exact."""
    return int(cents) / CENTS_PER_USD


def ratio_text(ratio: Fraction) -> str:
    """A ratio as two integers: ``Fraction(33, 7)`` → ``"33:7"``."""
    return f"{ratio.numerator}:{ratio.denominator}"


def parse_ratio(text: str) -> Fraction:
    """``"3:1"`` → ``Fraction(3, 1)``; ValueError unless it is two integers above 0 with a colon between."""
    sides = _RATIO.fullmatch(text)
    if sides is None:
        raise ValueError(f"{text[:40]!r} is not two integers with a colon between, such as 3:1")
    down, up = int(sides[1]), int(sides[2])
    if down < 1 or up < 1:
        raise ValueError(f"{text[:40]!r} has a 0; both sides must be 1 or more, such as 1:1")
    return Fraction(down, up)


def nearest_ratio(text: str) -> str | None:
    """The ratio that a text stands for: ``"0.5"`` → ``"1:2"``, ``"3/2"`` → ``"3:2"``, ``"5:0"`` → ``"5:1"``; None if unclear."""
    sides = _NUMBERS.fullmatch(text)
    if sides is None:
        return None
    down, up = (Fraction(side.replace(",", ".")) for side in (sides[1], sides[2] or "1"))
    if up == 0 or down == 0:
        down, up = max(down, Fraction(1)), max(up, Fraction(1))
    return ratio_text(down / up)


def divisors(number: int) -> list[int]:
    """All divisors of ``number`` (1 or more), ascending."""
    small = [d for d in range(1, math.isqrt(number) + 1) if number % d == 0]
    return small + [number // d for d in reversed(small) if d * d != number]


def counted(count: int, noun: str) -> str:
    """``counted(1, "node")`` → ``"1 node"``; ``counted(2048, "leaf")`` → ``"2,048 leaves"``."""
    plural = {"leaf": "leaves", "switch": "switches", "entry": "entries"}.get(noun, noun + "s")
    return f"{count:,} {noun if count == 1 else plural}"
