"""Lines of a bill of materials, and sums over them. Prices are US cents (int) until ``shown``.

A line whose part has no price keeps its quantity, says so, and makes the totals "at least".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from estimator.bom import result
from estimator.catalog.currency import Rate
from estimator.catalog.ports import COMPUTE
from estimator.ranges import NOTHING, Range, in_usd, total_of
from estimator.units import CENTS_PER_USD

if TYPE_CHECKING:
    from estimator.cabling.runs import CablePlan
    from estimator.catalog.catalog import Catalog
    from estimator.catalog.records import Nic, Server, Switch
    from estimator.fabric.sized import SizedFabric
    from estimator.spec.design import DesignSpec

RANGE = ("low", "typical", "high")
SERVER, NIC, SWITCH, MODULE, CABLE, FIBER = "server", "nic", "switch", "transceiver", "cable", "fiber"
PANEL, MANAGEMENT, RACK, COOLING = "panel", "management", "rack", "cooling"
RACK_SYSTEM = "rack-system"  # what a rack that is bought whole holds beside its compute trays
FACILITY = (RACK, COOLING)
SERVERS = (SERVER, RACK_SYSTEM)
NETWORK_CATEGORIES = (NIC, SWITCH, MANAGEMENT, MODULE, CABLE, FIBER, PANEL)
CATEGORIES = (*SERVERS, *NETWORK_CATEGORIES, *FACILITY)
NO_PRICE = "no price in the catalog"
ASSUMED = frozenset({"assumption", "seed"})  # bases that no listing, quotation or analyst stands behind


class TypedAmount(NamedTuple):
    """A typical price that a book of one's own gives in another currency, for one part of a line's price."""

    per: str
    amount: float
    rate: Rate


@dataclass(frozen=True, slots=True)
class BomLine:
    """One part in one use. ``unit_cents`` is None where no book has a price; ``unit_w`` is the typical draw.

    ``price_book`` is the book that priced it, ``book_cents`` what a switch or NIC costs in each of the catalog's.
    ``owned_quantity`` of its pieces, spares too, are there already and are not bought.
    ``price_rule`` says in plain words what set the price. One that was given in another currency keeps its range there in
    ``own_price`` and the rate in ``price_rate``; one that is put together of several keeps those in ``typed``.
    """

    category: str
    part: str | None
    part_number: str | None
    description: str
    use: str
    tier: str | None
    quantity: int
    unit_w: float
    length_m: float | None = None
    spare_row: str | None = None
    spare_quantity: int = 0
    unit_cents: Range[int] | None = None
    price_basis: str | None = None
    price_source: str = NO_PRICE
    price_note: str | None = None
    is_assumed: bool = False
    fabric: str = COMPUTE
    price_rule: str | None = None
    price_currency: str | None = None
    own_price: Range[float] | None = None
    price_rate: Rate | None = None
    typed: tuple[TypedAmount, ...] = ()
    price_book: str | None = None
    price_as_of: str | None = None
    book_cents: Mapping[str, Range[int]] = field(default_factory=dict)
    owned_quantity: int = 0

    @property
    def bought(self) -> int:
        """Pieces with spares, less what is there already."""
        return self.quantity + self.spare_quantity - self.owned_quantity

    @property
    def bought_spares(self) -> int:
        """Spares that are bought: what is there already is installed first."""
        return min(self.spare_quantity, self.bought)

    @property
    def extended_cents(self) -> Range[int] | None:
        """Unit price × what is bought of it; nothing where all of it is there."""
        if self.bought == 0:
            return NOTHING
        return None if self.unit_cents is None else self.unit_cents * self.bought

    @property
    def spare_cents(self) -> Range[int] | None:
        """Unit price × spares that are bought."""
        return None if self.unit_cents is None else self.unit_cents * self.bought_spares

    def shown(self, number: int) -> result.BomLine:
        """The line as an Estimate answers it."""
        return result.BomLine(
            line=number,
            category=self.category,
            part=self.part,
            part_number=self.part_number,
            description=self.description,
            use=self.use,
            tier=self.tier,
            length_m=self.length_m,
            quantity=self.quantity,
            spare_quantity=self.spare_quantity,
            unit_price_usd=in_usd(self.unit_cents),
            extended_price_usd=in_usd(self.extended_cents),
            price_basis=self.price_basis,
            price_source=self.price_source,
            price_note=self.price_note,
            assumption=self.is_assumed,
            power_w=round(self.quantity * self.unit_w, 3),
            fabric=self.fabric,
            price_rule=self.price_rule,
            price_currency=self.price_currency,
            unit_price=self.own_price,
            price_rate=_rate(self.price_rate) if self.price_rate else None,
            price_book=self.price_book,
            price_as_of=self.price_as_of,
            book_prices_usd={book: cents.in_usd() for book, cents in self.book_cents.items()},
            owned_quantity=self.owned_quantity,
            typed_prices=[
                result.TypedPrice(per=one.per, amount=one.amount, currency=one.rate.currency, rate=_rate(one.rate))
                for one in self.typed
            ]
            or None,
        )


class Billed(NamedTuple):
    """One fabric to be billed; ``role`` is its key in the Estimate, and ``spec`` the design it was sized from."""

    role: str
    spec: DesignSpec
    fabric: SizedFabric
    plan: CablePlan


@dataclass(frozen=True, slots=True)
class Bom:
    """All lines, and the cabling they were counted from: of the first fabric, and of all."""

    lines: tuple[BomLine, ...]
    plans: tuple[CablePlan, ...]

    @property
    def plan(self) -> CablePlan:
        """The cabling of the first fabric billed: the compute network's, where it is among them."""
        return self.plans[0]

    @property
    def unpriced(self) -> tuple[BomLine, ...]:
        """Lines of parts without a price; totals are "at least" while there are any."""
        return tuple(line for line in self.lines if line.extended_cents is None)

    def total_cents(self, *categories: str) -> Range[int]:
        """Sum of the extended prices of some categories, or of all if none is named."""
        wanted = categories or CATEGORIES
        return total_of(line.extended_cents for line in self.lines if line.category in wanted)

    def known_cents(self, *categories: str) -> Range[int] | None:
        """As ``total_cents``; None where there are such lines and not one has a price."""
        lines = [line for line in self.lines if line.category in categories]
        return None if lines and all(line.extended_cents is None for line in lines) else self.total_cents(*categories)

    def shown(self) -> result.BomWithLines:
        """``bom`` of the Estimate."""
        present = [category for category in CATEGORIES if any(line.category == category for line in self.lines)]
        return result.BomWithLines(
            lines=[line.shown(number) for number, line in enumerate(self.lines, start=1)],
            totals_usd=self.total_cents().in_usd(),
            totals_by_category={category: in_usd(self.known_cents(category)) for category in present},
            at_least=bool(self.unpriced),
            unpriced_lines=[n for n, line in enumerate(self.lines, start=1) if line.extended_cents is None],
        )


def _rate(rate: Rate) -> result.PriceRate:
    return result.PriceRate(usd=rate.usd, date=rate.as_of, basis=rate.basis, source=rate.source)


def part_line(
    category: str, part: Server | Nic | Switch, use: str, quantity: int, unit_w: float, spare_row: str | None = None
) -> BomLine:
    """A part of the catalog under its vendor's name and number."""
    return BomLine(
        category,
        part.id,
        first_number(part.part_numbers),
        f"{part.vendor} {part.model}",
        use,
        None,
        quantity,
        unit_w,
        spare_row=spare_row,
    )


def first_number(part_numbers: Sequence[str]) -> str | None:
    """The vendor's number of a part that may have several, or none."""
    return part_numbers[0] if part_numbers else None


def parameter_line(category: str, row: str, use: str, quantity: int, catalog: Catalog) -> BomLine:
    """A line that a parameter of the catalog (economics.csv) prices, and no book."""
    price = catalog.economics[row]
    unit = price.unit.removeprefix("USD/")
    return BomLine(
        category=category,
        part=None,
        part_number=None,
        description=price.label,
        use=use,
        tier=None,
        quantity=quantity,
        unit_w=0.0,
        unit_cents=price.ends.each(lambda usd: round(usd * CENTS_PER_USD)),
        price_basis=price.basis,
        price_source=catalog.source_text(price.source, price.as_of),
        price_note=price.note,
        is_assumed=price.basis in ASSUMED,
        price_rule=f"Catalog’s parameter {price.id}: ${price.low:,.0f} to ${price.high:,.0f} a {unit}",
        price_currency="USD",
    )


def is_rack(category: str, use: str | None) -> bool:
    """Whether a line counts racks: cabinets, and frames of racks that are bought whole."""
    return category == RACK or (category == RACK_SYSTEM and use == RACK)
