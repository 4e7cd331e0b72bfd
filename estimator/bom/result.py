"""The bill of materials as an Estimate answers it, in US dollars."""

from collections.abc import Mapping

from estimator.ranges import Range
from estimator.record import IfAny, Newer, Record


class PriceRate(Record):
    """US dollars for one unit of the currency that a price was given in."""

    usd: float
    date: str
    basis: str
    source: str


class PricedLine(Record):
    """Part, place, quantity and price of a line."""

    line: int
    category: str
    part: str | None
    """Id in the catalog; null for a custom part."""
    part_number: str | None
    description: str
    use: str
    """Where it goes: leaf, node, leaf to spines, …."""
    tier: Newer[str | None]
    length_m: float | None
    quantity: int
    spare_quantity: int
    unit_price_usd: Range[float] | None
    extended_price_usd: Range[float] | None
    """Unit price × what is bought."""
    price_basis: str | None
    owned_quantity: Newer[int]
    """Pieces, spares too, that are there already: counted, and not bought."""

    @property
    def bought(self) -> int:
        """Pieces with spares, less what is there already."""
        return self.quantity + self.spare_quantity - (self.owned_quantity or 0)


class TypedPrice(Record):
    """What a price book says in another currency of one part of a price: of the piece, of a metre of it, or of its whole rack."""

    per: str
    amount: float
    currency: str
    rate: PriceRate


class BomLine(PricedLine):
    price_source: str | None
    price_note: str | None
    assumption: bool
    """True where price or quantity rests on an assumption."""
    power_w: float
    fabric: str
    price_rule: Newer[str | None]
    """What set the price, in words."""
    price_currency: Newer[str | None]
    unit_price: Newer[Range[float] | None]
    """In the currency it was given in, where that is not US dollars."""
    price_rate: Newer[PriceRate | None]
    price_book: Newer[str | None]
    price_as_of: Newer[str | None]
    book_prices_usd: Newer[Mapping[str, Range[float]]]
    """What a switch or NIC costs in each book of the catalog."""
    typed_prices: IfAny[list[TypedPrice]] = None
    """Where a price is put together of several: those in another currency than US dollars, typical."""


class BomWithLines(Record):
    lines: list[BomLine]
    totals_usd: Range[float]
    totals_by_category: Newer[Mapping[str, Range[float] | None]]
    at_least: bool
    """True if a line has no price: the totals are lower bounds."""
    unpriced_lines: list[int]


class BomTotals(Record):
    """A bill of materials without its lines."""

    totals_usd: Range[float]
    totals_by_category: Newer[Mapping[str, Range[float] | None]]
    at_least: bool
    """True if a line has no price: the totals are lower bounds."""
    unpriced_lines: list[int]
