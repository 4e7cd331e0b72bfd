"""A discount that a sheet states for all of its prices: "Discount 30%", "less 10 % rebate", a label with a share beside it."""

import re
from collections.abc import Container
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from estimator.errors import Problem, SpecError
from estimator.tables.numbers import currency_of, parse_number, parse_quantity, stored_number
from estimator.tables.stored_values import PERCENT, QuoteRow

MAX_SHOWN = 80
MAX_LABEL = 60
_NOUN = r"discount|rebate|rabatt|nachlass|remise|descuento|sconto|korting"
_STATED = re.compile(rf"\b(?:\w*(?:{_NOUN})|less)\b.*\d\s*%|\d\s*%.*\b(?:\w*(?:{_NOUN})|off)\b", re.I)
_LABEL = re.compile(rf"\b\w*(?:{_NOUN})\b", re.I)
_IS_IN = re.compile(
    r"\b(?:already|includ\w*|inclus\w*|inkl\w*|bereits|enthalten|abgezogen|déjà|taken off)\b|"
    r"\b(?:are|is|sind|ist|sont)\b.*\bnet(?:to|s|te)?\b",
    re.I,
)
_IS_NET = re.compile(r"price|preis|prix|precio|prezzo|total|summe|discounted|remise (?:en|à|au|aux)\b", re.I)
_SHARE = re.compile(r"(\d+(?:[.,]\d+)?)\s*%")
_SHARE_ALONE = re.compile(r"[-−–+(]?\s*\d+(?:[.,]\d+)?\s*%\s*\)?")


@dataclass(frozen=True, slots=True)
class StatedDiscount:
    """What a row says of a discount, as it is written; ``percent`` is None where it names several shares, or none that can be."""

    row: int
    text: str
    percent: Decimal | None

    def words(self) -> str:
        """As a price's note names it: "30% discount of the whole list, row 2"."""
        return f"{percent_text(self.percent)} discount of the whole list, row {self.row:,}" if self.percent else ""


def discount_in(row: QuoteRow, skipped: Container[int] = ()) -> StatedDiscount | None:
    """The first discount with a share that a row states, in the cells whose places are not skipped."""
    for place, cell in enumerate(row.cells):
        if not cell or place in skipped or _IS_IN.search(cell):
            continue
        if _STATED.search(cell):
            return StatedDiscount(row.number, cell[:MAX_SHOWN], _share_of(cell))
        if len(cell) <= MAX_LABEL and _LABEL.search(cell) and (share := _share_beside(row, place)):
            return StatedDiscount(row.number, f"{cell} {percent_text(share)}"[:MAX_SHOWN], share)
    return None


def names_discount(label: str) -> bool:
    """Whether a charge of this name takes something off: "Project discount", "Rabatt", no "Remise en service"."""
    return bool(_LABEL.search(label)) and not _IS_NET.search(label)


def is_share(row: QuoteRow, place: int) -> bool:
    """Whether a cell is a share, "10%" or a number that is formatted as one, and so no amount."""
    cell = row.cells[place] if place < len(row.cells) else ""
    return row.formats.get(place) == PERCENT if row.numbers >> place & 1 else bool(_SHARE_ALONE.fullmatch(cell.strip()))


def _share_beside(row: QuoteRow, place: int) -> Decimal | None:
    """The share behind a label, stored as a number or written; counts and currencies may stand between."""
    for behind in range(place + 1, len(row.cells)):
        cell = row.cells[behind]
        if not is_share(row, behind):
            if cell and parse_quantity(cell) is None and currency_of(cell) is None:
                return None
        elif row.numbers >> behind & 1:
            return _in_bounds(abs(stored_number(cell) or Decimal(0)) * 100)
        else:
            return _share_of(cell)
    return None


def _share_of(text: str) -> Decimal | None:
    """The one percentage that a text names."""
    shares = {parse_number(found, "," if "," in found else ".") for found in _SHARE.findall(text)}
    (share,) = shares if len(shares) == 1 else (None,)
    return _in_bounds(share)


def _in_bounds(percent: Decimal | None) -> Decimal | None:
    return percent.normalize() if percent is not None and 0 < percent < 100 else None


def percent_text(percent: Decimal | Fraction | float | None) -> str:
    """ "30%", "12.5%"."""
    return f"{float(percent or 0):.10g}%"


def given_percent(given: Any, field: str) -> Decimal | None:
    """A discount that somebody set, in per cent: 30, "12,5", "30 %"; None for an empty one.

    Raises
    ------
    SpecError
        If it is no share of more than 0 and less than 100 %.
    """
    if given is None or given == "":
        return None
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    text = str(given) if is_number or isinstance(given, str) else ""
    number = parse_number(text, "," if "," in text else ".")
    if number is None or not 0 < number < 100:
        message = f"A discount is more than 0 and less than 100 %, and {str(given)[:20]!r} was given."
        raise SpecError([Problem(field, "out_of_range", message)])
    return number.normalize()
