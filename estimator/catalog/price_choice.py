"""Which of several prices of a part counts: one rule for the catalog's books and for those of one's own (docs/prices.md)."""

from collections.abc import Iterable
from typing import Protocol, TypeVar

BASIS_ORDER = ("quote", "list", "listing", "seed", "analyst", "assumption")
BASIS_WORDS = {
    "quote": "quotation",
    "list": "list price",
    "listing": "listing",
    "seed": "planning price",
    "analyst": "analyst’s estimate",
    "assumption": "assumption",
}


class Priced(Protocol):
    """What the rule looks at; dates are texts such as 2026-11-27, which sort as dates do."""

    @property
    def basis(self) -> str: ...
    @property
    def as_of(self) -> str: ...
    @property
    def region(self) -> str | None: ...
    @property
    def min_quantity(self) -> int: ...
    @property
    def valid_from(self) -> str | None: ...
    @property
    def valid_to(self) -> str | None: ...


AnyPrice = TypeVar("AnyPrice", bound=Priced)


def is_valid(price: Priced, day: str) -> bool:
    """Whether a price stands on a day; one without dates always does."""
    return (price.valid_from is None or price.valid_from <= day) and (price.valid_to is None or day <= price.valid_to)


def chosen_price(prices: Iterable[AnyPrice], quantity: int, region: str | None, day: str) -> AnyPrice | None:
    """The price of a part that counts, of those of one part and unit; None where none does.

    Those that stand on ``day``, are of the buyer's ``region`` or of none, and ask for no more than ``quantity`` pieces.
    Of these: the region's own before those of none; the largest least quantity; the newest; by basis; the first. A buyer
    who names no region takes prices of every region, those of none first.
    """
    usable = [
        price
        for price in prices
        if is_valid(price, day)
        and price.min_quantity <= quantity
        and (region is None or price.region in (None, region))
    ]
    return min(usable, key=lambda price: _order(price, region), default=None)


def _order(price: Priced, region: str | None) -> tuple[bool, int, int, int]:
    newest = -int(f"{price.as_of.replace('-', ''):0<8}")
    return price.region != region, -price.min_quantity, newest, BASIS_ORDER.index(price.basis)
