"""A figure with its ends. Money is a ``Range[int]`` of whole US cents until it is shown, so that sums are exact."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeVar

from estimator.record import Shape
from estimator.units import CENTS_PER_USD

Number = TypeVar("Number", int, float, Fraction)
Other = TypeVar("Other", int, float, Fraction)


@dataclass(frozen=True, slots=True)
class Range(Shape, Generic[Number]):
    """Low, typical and high of one figure, in the unit that its key names."""

    low: Number
    typical: Number
    high: Number

    @staticmethod
    def at(value: Number) -> "Range[Number]":
        """A figure without a range: all three ends alike."""
        return Range(value, value, value)

    def __iter__(self) -> Iterator[Number]:
        return iter((self.low, self.typical, self.high))

    def __add__(self, other: "Range[Number]") -> "Range[Number]":
        """Sum end by end: both are low together, as two ranges of one market are."""
        return Range(self.low + other.low, self.typical + other.typical, self.high + other.high)

    def __sub__(self, other: "Range[Number]") -> "Range[Number]":
        """Difference end by end; see ``ordered``."""
        return Range(self.low - other.low, self.typical - other.typical, self.high - other.high)

    def __mul__(self, factor: Number) -> "Range[Number]":
        return Range(self.low * factor, self.typical * factor, self.high * factor)

    def each(self, change: "Callable[[Number], Other]") -> "Range[Other]":
        """Every end, changed."""
        return Range(change(self.low), change(self.typical), change(self.high))

    def ordered(self) -> "Range[Number]":
        """Least, typical and most, for what may come out in another order: a difference, a negative multiple.

        Sorting alone would call another end typical where both are on one side of it.
        """
        return Range(min(self), self.typical, max(self))

    def in_usd(self) -> "Range[float]":
        """US cents → US dollars; a whole number of dollars stays exact."""
        return self.each(lambda cents: float(cents / CENTS_PER_USD))

    def as_json(self) -> dict[str, Number]:
        """``{"low", "typical", "high"}``."""
        return {"low": self.low, "typical": self.typical, "high": self.high}


NOTHING: Range[int] = Range(0, 0, 0)


def total_of(amounts: Iterable[Range[Number] | None]) -> Range[Number]:
    """Sum of the ranges that are known, end by end."""
    total: Range[Any] = NOTHING
    for one in amounts:
        if one is not None:
            total += one
    return total


def in_usd(cents: Range[int] | None) -> Range[float] | None:
    """US cents → US dollars; None stays None."""
    return None if cents is None else cents.in_usd()
