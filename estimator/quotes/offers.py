"""What matched lines offer of each item: pieces and money on the same scope, what is doubled, too few, too many, or missing."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from estimator.catalog.currency import USD, Rate, Rates, us_cents
from estimator.quotes.items import Item
from estimator.quotes.lines import QuoteLine
from estimator.quotes.match import Match

NEWEST = date.max.isoformat()
CONFLICT, OPTION = "incompatible", "option"


@dataclass(slots=True)
class Offer:
    """One line of the quote with its match, in US cents; ``counted`` is how many of its pieces the design needs."""

    line: QuoteLine
    match: Match
    unit_cents: int | None
    extended_cents: int | None
    rate: Rate | None
    counted: dict[str, int] = field(default_factory=dict)
    is_doubled: bool = False
    longer_for: list[str] = field(default_factory=list)

    @property
    def is_counted(self) -> bool:
        """Whether its pieces may serve the design: matched, compatible, no option and no double of another line."""
        return bool(self.match.keys) and not (self.match.conflicts or self.is_doubled or self.line.is_option)

    @property
    def n_counted(self) -> int:
        """Pieces that the design needs."""
        return sum(self.counted.values())

    def counted_cents(self, key: str) -> int:
        """What its pieces for an item cost: their share of the line's price, to the cent."""
        pieces = self.counted.get(key, 0)
        if self.extended_cents is None or not self.line.quantity:
            return 0
        return (2 * self.extended_cents * pieces + self.line.quantity) // (2 * self.line.quantity)


def offers_of(lines: Sequence[QuoteLine], matches: Sequence[Match], rates: Rates, day: str = NEWEST) -> list[Offer]:
    """Lines with their prices in dollars at a day's rate; without a rate they have none."""
    known: dict[str, Rate | None] = {USD: None}
    out = []
    for line, match in zip(lines, matches, strict=True):
        if line.currency not in known:
            known[line.currency] = rates.at(line.currency, day)
        rate = known[line.currency]
        is_known = line.currency == USD or rate is not None
        unit, extended = (
            us_cents(minor, line.currency, rate) if minor is not None and is_known else None
            for minor in (line.unit_minor, line.extended_minor)
        )
        out.append(Offer(line, match, unit, extended, rate))
    return out


def mark_doubles(offers: Iterable[Offer], items: Iterable[Item]) -> None:
    """Of lines that offer an item more than it needs, mark those that repeat an earlier one.

    A line repeats another where it has its number or words and its quantity, or where each alone is enough. Lines whose
    quantities add up to what is needed are parts of one offer.
    """
    by_item: dict[tuple[str, ...], list[Offer]] = defaultdict(list)
    for offer in offers:
        if offer.is_counted:
            by_item[offer.match.keys].append(offer)
    needed = {item.key: item for item in items}
    for keys, mine in by_item.items():
        quantity, whole = (sum(getattr(needed[key], name) for key in keys) for name in ("quantity", "whole"))
        total = sum(offer.line.quantity for offer in mine)
        seen: set[tuple[str, int]] = set()
        largest = 0
        for offer in mine:
            line = offer.line
            reported = line.part_number.upper(), f"{line.part_number} {line.description}".lower()
            names = {(name, line.quantity) for name in reported if name.strip()}
            is_repeat = bool(names & seen) or min(line.quantity, largest) >= quantity
            if is_repeat and total > whole and total - line.quantity >= quantity:
                offer.is_doubled = True
                total -= line.quantity
            else:
                seen |= names
                largest = max(largest, line.quantity)


def count_pieces(offers: Sequence[Offer], items: Sequence[Item]) -> dict[str, int]:
    """Give each item the pieces offered for it, spares included, and of cables what is left over to shorter ones of the part.

    Returns the pieces offered for each item, needed or not.
    """
    left = {item.key: item.whole for item in items}
    offered = {item.key: 0 for item in items}
    spare: list[tuple[Offer, int]] = []
    for offer in offers:
        if not offer.is_counted:
            continue
        pieces = offer.line.quantity
        for key in offer.match.keys:
            taken = min(left[key], pieces)
            if taken:
                offer.counted[key] = taken
                left[key] -= taken
                offered[key] += taken
                pieces -= taken
        if pieces:
            spare.append((offer, pieces))
    by_part: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        if item.part and item.length_m is not None:
            by_part[item.part].append(item)
    lengths = {item.key: item for item in items}
    for offer, pieces in spare:
        key = offer.match.keys[-1]
        longest = lengths[key]
        for item in sorted(by_part.get(longest.part or "", ()), key=lambda one: -(one.length_m or 0)):
            if pieces and left[item.key] and (item.length_m or 0) < (longest.length_m or 0):
                taken = min(left[item.key], pieces)
                offer.counted[item.key] = offer.counted.get(item.key, 0) + taken
                offer.longer_for.append(item.key)
                left[item.key] -= taken
                offered[item.key] += taken
                pieces -= taken
        offered[key] += pieces
    return offered


def pack_of_offers(offers: Iterable[Offer], key: str) -> int:
    """Pieces of the largest pack that an item is offered in; 1 where it is offered by the piece."""
    return max((offer.line.pack for offer in offers if offer.is_counted and key in offer.match.keys), default=1)


def usd_sum(offers: Iterable[Offer], name: str = "extended_cents") -> int:
    """Sum of a figure of offers in cents, those without a price left out."""
    values: list[Any] = [getattr(offer, name) for offer in offers]
    return sum(value for value in values if value is not None)
