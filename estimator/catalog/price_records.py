"""Prices of the catalog: its books, what rules each, and what was seen in the market."""

from fractions import Fraction
from typing import NamedTuple

from estimator.ranges import Range

ANCHORS, STREET = "anchors", "street"
DEALER, BRANDED, VOLUME, OEM = "dealer", "branded", "volume", "OEM"
CHANNELS = (DEALER, BRANDED, VOLUME, OEM)
BOOKS = (STREET, ANCHORS, DEALER, BRANDED)
BOOK_TITLES = {STREET: "Street", ANCHORS: "Anchors", DEALER: "Dealer", BRANDED: "Branded"}
BOOK_WORDS = {
    STREET: "Prices seen in the market, by rule; a class, a formula or an assumption for parts that nobody quotes.",
    ANCHORS: "Planning prices a port and a NIC; the street price for every other part.",
    DEALER: "Switches and NICs by open-market dealers alone; the street price where they list none.",
    BRANDED: "Switches and NICs by branded resellers alone; the street price where they quote none.",
}


class Price(NamedTuple):
    """Price of one piece (or one metre) of a part, in US cents; ``source`` is an id of sources.csv."""

    part_id: str
    book: str
    per: str
    low_cents: int
    typical_cents: int
    high_cents: int
    currency: str
    basis: str
    source: str
    as_of: str
    note: str | None
    region: str | None
    min_quantity: int
    valid_from: str | None
    valid_to: str | None
    rule: str | None = None  # how the range follows from prices seen (price_evidence.py)
    n_seen: int = 0
    channels: tuple[str, ...] = ()

    @property
    def cents(self) -> Range[int]:
        """(low, typical, high)."""
        return Range(self.low_cents, self.typical_cents, self.high_cents)


class PriceRule(NamedTuple):
    """What rules the anchors' price of a switch or NIC: so many units of an anchor, or why no anchor does (``note``).

    A switch with its optics inside adds ``n_optics`` transceivers of ``optics_part``, at their price in the same book.
    """

    part_id: str
    anchor: str | None
    units: int
    unit: str
    optics_part: str | None
    n_optics: int
    note: str | None


class PriceEvidence(NamedTuple):
    """One price seen somewhere, in hundredths of its currency; ``left_out`` says why it does not count, where it does not.

    ``channel`` is who sells: the open market (dealer), a branded reseller, a volume deal, a vendor (OEM), used goods, a model.
    """

    part_id: str | None
    item: str
    low_cents: int
    typical_cents: int
    high_cents: int
    currency: str
    date: str
    quantity: str
    condition: str
    grade: str
    channel: str
    seen_at: str
    quote: str | None
    access: str
    left_out: str | None
    note: str | None


class PriceMethod(NamedTuple):
    """How the street book prices a part that its own prices alone do not: a pool, a class, a formula over other parts."""

    part_id: str
    method: str
    parts: tuple[str, ...]
    factor: Fraction
    channels: tuple[str, ...]
    note: str
