"""Whether one technology's network costs less than another's, as far as prices can show (docs/prices.md, "Verdicts").

It is said only where the sign holds at the design's prices, at recommended, dealers' and branded resellers' prices of both
sides, and over the whole range of parts that nobody quotes, and where the gap exceeds LEAST_GAP. Lines are those of a BOM
as JSON.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from estimator.bom.lines import CATEGORIES, FACILITY, NIC, SERVERS, SWITCH
from estimator.bom.pricing import OWN
from estimator.catalog.ports import COMPUTE
from estimator.catalog.price_records import BRANDED, DEALER, STREET

LEAST_GAP = 0.10  # of the lower price
NETWORK_CATEGORIES = tuple(category for category in CATEGORIES if category not in (*SERVERS, *FACILITY))
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
Lines = Sequence[Mapping[str, Any]]
PriceOf = Callable[[Mapping[str, Any]], float | None]


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

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "part": self.part,
            "name": self.name,
            "now_usd": self.now_usd,
            "low_usd": self.low_usd,
            "high_usd": self.high_usd,
            "break_even_usd": round(self.break_even_usd, 2),
            "is_quoted": self.is_quoted,
        }


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

    def as_json(self) -> dict[str, Any]:
        """``{"sign", "gaps", "turns", "deciding"}`` of the network's price."""
        return {
            "sign": self.sign(NETWORK),
            "gaps": {case.name: round(case.gap(NETWORK), 6) for case in self.cases},
            "turns": self.turning(NETWORK),
            "deciding": self.deciding.as_json() if self.deciding else None,
        }


def are_two_technologies(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> bool:
    """Whether two Estimates have other generations or other models of switches in their compute network."""
    if ours["spec"]["fabric"]["generation"] != theirs["spec"]["fabric"]["generation"]:
        return True
    return _models(ours["bom"]["lines"]) != _models(theirs["bom"]["lines"])


def _models(lines: Lines) -> set[str | None]:
    return {line["part"] for line in lines if line["category"] == SWITCH and line["fabric"] == COMPUTE}


def price_verdict(ours: Lines, theirs: Lines) -> PriceVerdict:
    """Compare two bills of materials at every set of prices."""
    cases = [_case("design", ours, theirs, _typical)]
    cases += [_case(book, ours, theirs, _in_book(book)) for book in (STREET, DEALER, BRANDED)]
    for part in sorted({line["part"] for line in (*ours, *theirs) if _is_unquoted(line)}):
        cases += [_case(f"{part} at the {end} end", ours, theirs, _at_end(part, end)) for end in ("low", "high")]
    return PriceVerdict(tuple(cases), _deciding(ours, theirs, cases[0]))


def _case(name: str, ours: Lines, theirs: Lines, price_of: PriceOf) -> Case:
    return Case(name, _sums(ours, price_of), _sums(theirs, price_of))


def _sums(lines: Lines, price_of: PriceOf) -> dict[str, float]:
    return {
        group: sum((price_of(line) or 0.0) * _pieces(line) for line in lines if line["category"] in categories)
        for group, categories in GROUPS.items()
    }


def _pieces(line: Mapping[str, Any]) -> int:
    return int(line["quantity"]) + int(line.get("spare_quantity") or 0)


def _typical(line: Mapping[str, Any]) -> float | None:
    price = line["unit_price_usd"]
    return float(price["typical"]) if price else None


def _in_book(book: str) -> PriceOf:
    """A part's price in a book; one of the buyer's own stays, as does what no book compares."""

    def price_of(line: Mapping[str, Any]) -> float | None:
        known = (line.get("book_prices_usd") or {}).get(book)
        return float(known["typical"]) if known and line.get("price_book") != OWN else _typical(line)

    return price_of


def _at_end(part: str, end: str) -> PriceOf:
    def price_of(line: Mapping[str, Any]) -> float | None:
        return float(line["unit_price_usd"][end]) if line["part"] == part else _typical(line)

    return price_of


def _is_unquoted(line: Mapping[str, Any]) -> bool:
    """A switch or NIC that nobody has quoted: its price is a class, a formula or an assumption."""
    is_own = line.get("price_book") in (None, OWN)
    return bool(
        line["unit_price_usd"]
        and line["price_basis"] in ("assumption", "seed")
        and not is_own
        and line["category"] in (SWITCH, NIC)
    )


def _deciding(ours: Lines, theirs: Lines, case: Case) -> Deciding | None:
    """Of the switches and NICs of one side alone, the one whose range is the most money."""
    found = list(_candidates(ours, theirs))
    if not found:
        return None
    is_ours, lines = max(found, key=lambda one: _range_usd(one[1]))
    price, pieces = lines[0]["unit_price_usd"], sum(_pieces(line) for line in lines)
    gap = case.ours[NETWORK] - case.theirs[NETWORK]
    break_even = price["typical"] - (gap if is_ours else -gap) / pieces
    return Deciding(
        lines[0]["part"],
        lines[0]["description"],
        is_ours,
        price["typical"],
        price["low"],
        price["high"],
        break_even,
        not _is_unquoted(lines[0]),
    )


def _candidates(ours: Lines, theirs: Lines) -> Iterator[tuple[bool, list[Mapping[str, Any]]]]:
    for is_ours, lines, others in ((True, ours, theirs), (False, theirs, ours)):
        there = {line["part"] for line in others}
        parts = {line["part"] for line in lines if line["category"] in (SWITCH, NIC) and line["unit_price_usd"]}
        for part in parts - there - {None}:
            yield is_ours, [line for line in lines if line["part"] == part]


def _range_usd(lines: Lines) -> float:
    return sum(
        (line["unit_price_usd"]["high"] - line["unit_price_usd"]["low"]) * _pieces(line)
        for line in lines
        if line.get("price_book") != OWN
    )
