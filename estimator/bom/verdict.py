"""Whether one technology's network costs less than another's, as far as prices can show (docs/prices.md, "Verdicts").

It is said only where the sign holds at the design's prices, at recommended, dealers' and branded resellers' prices of both
sides, and over the whole range of parts that nobody quotes, and where the gap exceeds LEAST_GAP.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from estimator.bom.lines import CATEGORIES, NETWORK_CATEGORIES, NIC, SWITCH
from estimator.bom.pricing import OWN
from estimator.catalog.ports import COMPUTE
from estimator.catalog.price_records import BRANDED, DEALER, STREET
from estimator.ranges import Range

LEAST_GAP = 0.10  # of the lower price
NETWORK, SWITCHES, ADAPTERS, ALL = "network", "switches", "adapters", "all"
GROUPS: Mapping[str, tuple[str, ...]] = {
    NETWORK: NETWORK_CATEGORIES,
    SWITCHES: (SWITCH,),
    ADAPTERS: (NIC,),
    ALL: CATEGORIES,
}
CASE_WORDS = {
    "design": "the design’s prices",
    STREET: "recommended prices",
    DEALER: "dealers’ prices",
    BRANDED: "branded resellers’ prices",
}


class PricedLine(Protocol):
    """What a verdict reads of a line of a bill of materials."""

    @property
    def category(self) -> str: ...
    @property
    def part(self) -> str | None: ...
    @property
    def description(self) -> str: ...
    @property
    def fabric(self) -> str: ...
    @property
    def quantity(self) -> int: ...
    @property
    def bought(self) -> int: ...
    @property
    def unit_price_usd(self) -> Range[float] | None: ...
    @property
    def price_basis(self) -> str | None: ...
    @property
    def price_book(self) -> str | None: ...
    @property
    def book_prices_usd(self) -> Mapping[str, Range[float]] | None: ...


Lines = Sequence[PricedLine]
PriceOf = Callable[[PricedLine], float | None]


@dataclass(frozen=True)
class Case:
    """Sums of both sides in dollars by group, at one set of prices; ``name`` is a book, or a part at one end of its range."""

    name: str
    ours: Mapping[str, float]
    theirs: Mapping[str, float]

    def gap(self, group: str) -> float:
        """Ours over theirs, less 1; nothing where there is no money."""
        return self.ours[group] / self.theirs[group] - 1 if self.theirs[group] else 0.0


@dataclass(frozen=True)
class Deciding:
    """The switch or NIC of one side whose price moves the comparison most, and at which price both cost the same."""

    part: str
    name: str
    is_ours: bool
    now_usd: float
    low_usd: float
    high_usd: float
    break_even_usd: float
    is_quoted: bool


@dataclass(frozen=True)
class PriceVerdict:
    """Both bills of materials at every set of prices, and what the difference hangs on."""

    cases: tuple[Case, ...]
    deciding: Deciding | None

    def sign(self, group: str, gap: float | None = None) -> int:
        """-1 where ours costs less, 1 where it costs more, 0 where prices can't show either.

        ``gap`` is that of a figure which moves with the group, where it is not the group's own.
        """
        if group not in GROUPS:  # nothing of it is priced by book
            return 0 if gap is None or abs(gap) <= min(gap + 1, 1) * LEAST_GAP else 1 if gap > 0 else -1
        base = self.cases[0].gap(group)
        own = base if gap is None else gap
        least = min(own + 1, 1) * LEAST_GAP  # of the lower price
        if abs(own) <= least:
            return 0
        factor = (1 + own) / (1 + base)
        gaps = [(1 + case.gap(group)) * factor - 1 for case in self.cases]
        return 1 if min(gaps) > 0 else -1 if max(gaps) < 0 else 0

    def turning(self, group: str) -> list[str]:
        """The cases in which the sign is another one than at the design's prices."""
        base = self.cases[0].gap(group)
        return [case.name for case in self.cases[1:] if case.gap(group) * base < 0]


def switch_models(lines: Lines) -> set[str | None]:
    """Switches of the compute network, by id."""
    return {line.part for line in lines if line.category == SWITCH and line.fabric == COMPUTE}


def price_verdict(ours: Lines, theirs: Lines) -> PriceVerdict:
    """Compare two bills of materials at every set of prices."""
    cases = [_case("design", ours, theirs, _typical)]
    cases += [_case(book, ours, theirs, _in_book(book)) for book in (STREET, DEALER, BRANDED)]
    for part in sorted({line.part for line in (*ours, *theirs) if line.part and _is_unquoted(line)}):
        cases.append(_case(f"{part} at the low end", ours, theirs, _at_end(part, lambda price: price.low)))
        cases.append(_case(f"{part} at the high end", ours, theirs, _at_end(part, lambda price: price.high)))
    return PriceVerdict(tuple(cases), _deciding(ours, theirs, cases[0]))


def _case(name: str, ours: Lines, theirs: Lines, price_of: PriceOf) -> Case:
    return Case(name, _sums(ours, price_of), _sums(theirs, price_of))


def _sums(lines: Lines, price_of: PriceOf) -> dict[str, float]:
    return {
        group: sum((price_of(line) or 0.0) * line.bought for line in lines if line.category in categories)
        for group, categories in GROUPS.items()
    }


def _typical(line: PricedLine) -> float | None:
    return line.unit_price_usd.typical if line.unit_price_usd else None


def _in_book(book: str) -> PriceOf:
    """A part's price in a book; one of the buyer's own stays, as does what no book compares."""

    def price_of(line: PricedLine) -> float | None:
        known = (line.book_prices_usd or {}).get(book)
        return known.typical if known and line.price_book != OWN else _typical(line)

    return price_of


def _at_end(part: str, end: Callable[[Range[float]], float]) -> PriceOf:
    def price_of(line: PricedLine) -> float | None:
        return end(line.unit_price_usd) if line.part == part and line.unit_price_usd else _typical(line)

    return price_of


def _is_unquoted(line: PricedLine) -> bool:
    """A switch or NIC that nobody has quoted: its price is a class, a formula or an assumption."""
    is_own = line.price_book in (None, OWN)
    return bool(
        line.unit_price_usd
        and line.price_basis in ("assumption", "seed")
        and not is_own
        and line.category in (SWITCH, NIC)
    )


@dataclass(frozen=True)
class _Candidate:
    """A switch or NIC that one side alone has; its lines."""

    part: str
    price: Range[float]
    is_ours: bool
    lines: Lines

    @property
    def range_usd(self) -> float:
        """Between the low and the high end, over all pieces that are not of the buyer's own price."""
        priced = [(line, line.unit_price_usd) for line in self.lines if line.price_book != OWN]
        return sum((price.high - price.low) * line.bought for line, price in priced if price)


def _deciding(ours: Lines, theirs: Lines, case: Case) -> Deciding | None:
    """Of the switches and NICs of one side alone, the one whose range is the most money."""
    found = list(_candidates(ours, theirs))
    if not found:
        return None
    one = max(found, key=lambda one: one.range_usd)
    first, pieces = one.lines[0], sum(line.bought for line in one.lines)
    gap = case.ours[NETWORK] - case.theirs[NETWORK]
    return Deciding(
        one.part,
        first.description,
        one.is_ours,
        one.price.typical,
        one.price.low,
        one.price.high,
        one.price.typical - (gap if one.is_ours else -gap) / pieces,
        not _is_unquoted(first),
    )


def _candidates(ours: Lines, theirs: Lines) -> Iterator[_Candidate]:
    for is_ours, lines, others in ((True, ours, theirs), (False, theirs, ours)):
        there = {line.part for line in others}
        for part in dict.fromkeys(
            line.part for line in lines if line.category in (SWITCH, NIC) and line.unit_price_usd
        ):
            of_part = [line for line in lines if line.part == part]
            price = of_part[0].unit_price_usd
            if part and price and part not in there:
                yield _Candidate(part, price, is_ours, of_part)
