"""The default book from evidence: which prices seen somewhere count, and the range that they make (docs/prices.md).

A part takes the median of its own prices; one without any takes the range of its class, or a formula over other parts
(catalog/price_methods.csv). Amounts are US cents.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from estimator.catalog.currency import USD, Rate, Rates, half_up, us_cents
from estimator.catalog.price_records import (
    BRANDED,
    CHANNELS,
    DEALER,
    OEM,
    STREET,
    VOLUME,
    Price,
    PriceEvidence,
    PriceMethod,
)
from estimator.ranges import Range
from estimator.units import CENTS_PER_USD

MONTHS = 24  # an older price does not count
LEAST_SPREAD = Fraction(1, 10)  # of typical, to either side
LONE_SPREAD = Fraction(5, 4)  # of one price alone, × and ÷
QUANTILE_ROWS = 4  # from so many prices on the range is 10 % to 90 %
CONTRADICTION = Fraction(3, 2)  # a default may not lie further from the median of its own evidence
COUNTED = frozenset({"new", "estimate", "list"})
TO_BUY = (DEALER, BRANDED, VOLUME)
EVIDENCE_SOURCE, ASSUMED_SOURCE = "prices-seen-2026", "assumption"
_BASIS = {"list": "list", "award": "listing", "reseller": "listing", "analyst": "analyst"}
_STRENGTH = ("list", "listing", "analyst")
PriceRange = tuple[Range[int], "Evidence"]


class Evidence(NamedTuple):
    """What stands behind a range: how many prices, the newest date, who sold, and the rule in words."""

    n: int
    newest: str
    channels: tuple[str, ...]
    basis: str
    rule: str


def months_before(day: str, months: int) -> str:
    """The day so many months earlier."""
    then = date.fromisoformat(day)
    year, month = divmod(then.year * 12 + then.month - 1 - months, 12)
    return date(year, month + 1, min(then.day, 28)).isoformat()


class EvidenceBook:
    """Ranges of parts from the prices seen, as of a day.

    ``kind_of`` says what a part is ("cables" for transceivers and cables): of these the open market alone counts, as a vendor's
    coded transceiver is another good. ``port_gbit_s`` is the sum of a switch's ports.
    """

    def __init__(
        self,
        rows: Iterable[PriceEvidence],
        methods: Mapping[str, PriceMethod],
        rates: Iterable[Rate],
        day: str,
        kind_of: Callable[[str], str | None],
        port_gbit_s: Mapping[str, int],
    ) -> None:
        self.day, self._methods, self._kind_of, self._port_gbit_s = day, methods, cache(kind_of), port_gbit_s
        self._oldest = months_before(day, MONTHS)
        self._rates = Rates(rates)
        self._rows: dict[str, list[PriceEvidence]] = {}
        for row in rows:
            if row.part_id:
                self._rows.setdefault(row.part_id, []).append(row)
        self._known: dict[tuple[str, str], PriceRange | None] = {}

    @property
    def parts(self) -> list[str]:
        """Parts with prices or a method."""
        return list(dict.fromkeys([*self._rows, *self._methods]))

    def cents(self, row: PriceEvidence) -> Range[int]:
        """A price seen, in US cents at the newest rate of the catalog."""
        rate = self._rates.at(row.currency, self.day)
        seen = Range(row.low_cents, row.typical_cents, row.high_cents)
        return seen.each(lambda amount: us_cents(amount, row.currency, rate))

    def counts(self, row: PriceEvidence, channels: Sequence[str] = TO_BUY) -> bool:
        """Whether a price counts: new, not too old, of a channel that sells, and not left out for a reason."""
        is_new = row.condition in COUNTED and row.date >= self._oldest[: len(row.date)]
        return is_new and row.channel in channels and not row.left_out

    def counted(self, part_id: str, channels: Sequence[str] | None = None) -> list[PriceEvidence]:
        """The prices of a part that count."""
        wanted = channels or self._channels(part_id)
        return [row for row in self._rows.get(part_id, ()) if self.counts(row, wanted)]

    def _channels(self, part_id: str) -> tuple[str, ...]:
        method = self._methods.get(part_id)
        if method and method.channels:
            return method.channels
        return (DEALER,) if self._kind_of(part_id) == "cables" else TO_BUY

    def _high_marks(self, part_id: str) -> list[int]:
        """Prices that only set the high end: a vendor's list, an asking price, an older branded quotation."""
        if self._kind_of(part_id) == "cables":
            return []
        return [
            self.cents(row).high
            for row in self._rows.get(part_id, ())
            if not row.left_out
            and (
                row.condition == "asking"
                or (
                    row.condition in COUNTED
                    and (row.channel == OEM or (row.channel == BRANDED and not self.counts(row)))
                )
            )
        ]

    def range_of(self, part_id: str, channel: str = "") -> PriceRange | None:
        """(low, typical, high) of a part with what stands behind it; of one channel alone where it is named."""
        key = part_id, channel
        if key not in self._known:
            self._known[key] = None  # a method that leads back to itself has no range
            self._known[key] = self._found(part_id, channel)
        return self._known[key]

    def _found(self, part_id: str, channel: str) -> PriceRange | None:
        method = self._methods.get(part_id)
        if method is None or method.method == "pool":
            pool = method.parts if method else (part_id,)
            return self._of_rows(part_id, pool, channel)
        if channel and method.channels and channel not in method.channels:
            return None
        found = self._derived(method, part_id, channel)
        if found is None:
            return None
        cents, base = found
        own = self.counted(part_id)
        basis = base.basis if own else "assumption"
        return _dollars(cents), Evidence(len(own), base.newest, base.channels, basis, _method_words(method))

    def _derived(self, method: PriceMethod, part_id: str, channel: str) -> PriceRange | None:
        """A range by a formula over other parts, with what stands behind the first of them."""
        base = self.range_of(method.parts[0], channel)
        if base is None:
            return None
        cents, evidence = base
        match method.method:
            case "times":
                return _scaled(cents, method.factor), evidence
            case "spread":
                return _spread(cents.typical, method.factor), evidence
            case "with-optics":
                optics = self.range_of(method.parts[1])
                return (cents + _scaled(optics[0], method.factor), evidence) if optics else None
        stepped = self._generation_step(part_id, method)
        return (stepped, evidence) if stepped else None

    def _of_rows(self, part_id: str, pool: Sequence[str], channel: str) -> PriceRange | None:
        wanted = (channel,) if channel else self._channels(part_id)
        rows = [row for part in pool for row in self.counted(part, wanted)]
        if not rows:
            return None
        cents = counted_range([self.cents(row) for row in rows])
        if not channel and (marks := [mark for part in pool for mark in self._high_marks(part)]):
            cents = Range(cents.low, cents.typical, max(cents.high, *marks))
        own = [row for row in rows if row.part_id == part_id]
        bases = [_BASIS[row.grade] for row in own]
        basis = min(bases, key=_STRENGTH.index) if bases else "assumption"
        channels = tuple(name for name in CHANNELS if any(row.channel == name for row in rows))
        many = f"median of {len(rows)} prices" if len(rows) > 1 else "one price, a quarter to either side"
        of = f" of {' and '.join(pool)}" if len(pool) > 1 else ""
        newest = max(row.date for row in rows)
        return _dollars(cents), Evidence(len(rows), newest, channels, basis, f"{many}{of}")

    def _generation_step(self, part_id: str, method: PriceMethod) -> Range[int] | None:
        """By dollars a Gb/s of older generations, newest first: low falls by the larger step, typical by the smaller."""
        levels = []
        for part in method.parts:
            rows = self.counted(part, method.channels)
            if not rows:
                return None
            levels.append(Fraction(_median([self.cents(row).typical for row in rows]), self._port_gbit_s[part]))
        steps = [newer / older for newer, older in pairwise(levels)]
        level = levels[0] * self._port_gbit_s[part_id]
        return Range(half_up(level * min(steps)), half_up(level * max(steps)), half_up(level * LONE_SPREAD))

    def prices(self) -> list[Price]:
        """The book as prices of the catalog: the street book, and those of dealers and branded sellers."""
        found = []
        for part in self.parts:
            for book, channel in ((STREET, ""), (DEALER, DEALER), (BRANDED, BRANDED)):
                if channel and self._kind_of(part) not in ("switches", "nics"):
                    continue
                if known := self.range_of(part, channel):
                    found.append(_price(part, book, known))
        return found


def counted_range(rows: Sequence[Range[int]]) -> Range[int]:
    """Median, with 10 to 90 % from four prices on, else the outermost ends; a lone price a quarter to either side."""
    typical = _median([row.typical for row in rows])
    if len(rows) == 1:
        return _spread(typical, LONE_SPREAD)
    if len(rows) >= QUANTILE_ROWS:
        values = sorted(row.typical for row in rows)
        low, high = _quantile(values, Fraction(1, 10)), _quantile(values, Fraction(9, 10))
    else:
        low, high = min(row.low for row in rows), max(row.high for row in rows)
    least, most = half_up(typical * (1 - LEAST_SPREAD)), half_up(typical * (1 + LEAST_SPREAD))
    return Range(min(low, least), typical, max(high, most))


def _median(values: Iterable[int]) -> int:
    return _quantile(sorted(values), Fraction(1, 2))


def _quantile(ordered: Sequence[int], share: Fraction) -> int:
    """By linear interpolation between ordered values."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return half_up(ordered[below] + (ordered[above] - ordered[below]) * (place - below))


def _spread(typical: int, factor: Fraction) -> Range[int]:
    return Range(half_up(typical / factor), typical, half_up(typical * factor))


def _scaled(cents: Range[int], factor: Fraction) -> Range[int]:
    return cents.each(lambda amount: half_up(amount * factor))


def _dollars(cents: Range[int]) -> Range[int]:
    """Whole dollars: a median of listings is no more exact."""
    return cents.each(lambda amount: half_up(Fraction(amount, CENTS_PER_USD)) * CENTS_PER_USD)


def _method_words(method: PriceMethod) -> str:
    """``"nvidia-qm9700 × 0.95"``."""
    first, factor = method.parts[0], f"{float(method.factor):g}"
    match method.method:
        case "times":
            return first if method.factor == 1 else f"{first} × {factor}"
        case "spread":
            return f"{first}, × and ÷ {factor}"
        case "with-optics":
            return f"{first} + {factor} × {method.parts[1]}"
    return f"dollars a Gb/s of {', '.join(method.parts)}, by the steps between generations"


def _price(part: str, book: str, known: PriceRange) -> Price:
    cents, evidence = known
    is_assumed = evidence.basis == "assumption"
    return Price(
        part_id=part,
        book=book,
        per="piece",
        low_cents=cents.low,
        typical_cents=cents.typical,
        high_cents=cents.high,
        currency=USD,
        basis=evidence.basis,
        source=ASSUMED_SOURCE if is_assumed else EVIDENCE_SOURCE,
        as_of=evidence.newest,
        note=None,
        region=None,
        min_quantity=1,
        valid_from=None,
        valid_to=None,
        rule=evidence.rule,
        n_seen=evidence.n,
        channels=evidence.channels,
    )


def contradiction(typical: int, seen: Sequence[int]) -> float | None:
    """How far a default lies from the median of its evidence, as a ratio above 1; None within CONTRADICTION."""
    if not seen or not typical:
        return None
    middle = _median(seen)
    ratio = Fraction(max(typical, middle), min(typical, middle))
    return float(ratio) if ratio > CONTRADICTION else None
