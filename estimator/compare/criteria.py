"""What InfiniBand and RoCE are compared by: each criterion reads both Estimates or the catalog, never an opinion.

A criterion has a figure for each family and says which is better, and by how much: the strength follows from the ratio alone.
What each is called, how much it weighs and why is a row of criteria.csv.
"""

import csv
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from estimator.bom.verdict import ALL, NETWORK, PriceVerdict, price_verdict
from estimator.bom.verdict_words import NO_DIFFERENCE, share_words, verdict_words
from estimator.catalog.catalog import Catalog
from estimator.catalog.records import GENERIC, maker_of
from estimator.performance.result import AllReduceTable, CollectiveTable
from estimator.ranges import Range
from estimator.result import Estimate, PricedEstimate
from estimator.wording import NO_BREAK, amount

INFINIBAND, ROCE, NEITHER = "infiniband", "roce", "neither"
FAMILIES = (INFINIBAND, ROCE)
FAMILY_NAMES = {INFINIBAND: "InfiniBand", ROCE: "RoCE"}
MONEY, SPEED, RUNNING, FREEDOM = "money", "speed", "running", "freedom"
SLIGHT, CLEAR, STRONG = 0.02, 0.10, 0.25  # |ln ratio| from which a difference is reported, is clear, is strong
SMALL_MESSAGE_BYTES = 64 * 1024
MOST = 3  # strength of a difference


@dataclass(frozen=True)
class Compared:
    """Both families at one size, and Estimates of what each needs for its best or suffers at its worst.

    ``sharp`` is InfiniBand with in-network reduction, ``scattered`` either family with scattered ranks, ``hashed`` RoCE with
    scattered ranks and plain ECMP, ``planes`` RoCE at half the rate in two planes where the NICs have the ports. ``own`` is the
    design's family: shares are of its figures, as in a comparison of the design with its alternative.
    """

    infiniband: PricedEstimate
    roce: PricedEstimate
    sharp: Estimate
    scattered: tuple[Estimate, Estimate]
    hashed: Estimate
    planes: PricedEstimate | None = None
    own: str = INFINIBAND

    @property
    def both(self) -> tuple[PricedEstimate, PricedEstimate]:
        """InfiniBand, RoCE."""
        return self.infiniband, self.roce

    @property
    def prices(self) -> PriceVerdict:
        """What the prices of both bills of materials can show."""
        return price_verdict(self.infiniband.bom.lines, self.roce.bom.lines)

    @property
    def price_words(self) -> str:
        """What they can show in words: the alternative's network against the design's."""
        own, other = self.both if self.own == INFINIBAND else self.both[::-1]
        names = FAMILY_NAMES[_other(self.own)], FAMILY_NAMES[self.own]
        return verdict_words(price_verdict(other.bom.lines, own.bom.lines), *names)

    def against_own(self, infiniband: float, roce: float) -> str:
        """The alternative's figure as a share more or less than the design's: "RoCE 3.5 % less than InfiniBand"."""
        own, other = (infiniband, roce) if self.own == INFINIBAND else (roce, infiniband)
        return f"{FAMILY_NAMES[_other(self.own)]} {share_words(other, own, FAMILY_NAMES[self.own])}"


@dataclass(frozen=True)
class Criterion:
    """One thing compared. ``strength`` is 0 (no difference) to 3; ``words`` say it, ``source`` where the figures are from."""

    key: str
    group: str
    title: str
    unit: str
    weight: int
    infiniband: float
    roce: float
    favours: str
    strength: int
    words: str
    source: str

    @property
    def score(self) -> int:
        """Positive for InfiniBand, negative for RoCE."""
        sign = {INFINIBAND: 1, ROCE: -1}.get(self.favours, 0)
        return sign * self.weight * self.strength

    @property
    def infiniband_text(self) -> str:
        """InfiniBand's figure in words."""
        return _in_words(self.infiniband, self.unit)

    @property
    def roce_text(self) -> str:
        """RoCE's figure in words."""
        return _in_words(self.roce, self.unit)


@dataclass(frozen=True)
class Kind:
    """What both families are judged by: a row of criteria.csv.

    ``said`` has {better} and {worse} to fill in, and what its criterion adds; ``most_within_ranges`` is the strength at most of a
    difference that is smaller than the ranges of its figures; ``basis`` and ``why`` are of the weight and of that limit.
    """

    key: str
    group: str
    title: str
    unit: str
    weight: int
    is_more_better: bool
    most_within_ranges: int
    said: str
    source: str
    basis: str
    why: str


@cache
def kinds() -> Mapping[str, Kind]:
    """All rows of criteria.csv by key."""
    with Path(__file__).with_name("criteria.csv").open(newline="", encoding="utf-8") as file:
        return {kind.key: kind for kind in (_kind(**row) for row in csv.DictReader(file))}


def _kind(weight: str, better: str, most_within_ranges: str, **texts: str) -> Kind:
    if better not in ("more", "less"):
        raise ValueError(f"criteria.csv, {texts['key']}: better is 'more' or 'less', and {better!r} stands there")
    return Kind(
        weight=int(weight), is_more_better=better == "more", most_within_ranges=int(most_within_ranges), **texts
    )


def strength_of(low: float, high: float) -> int:
    """0 to 3, by the ratio of two figures."""
    if low == high:
        return 0
    if low <= 0:  # one has it, the other has nothing
        return MOST
    return sum(math.log(high / low) >= least for least in (SLIGHT, CLEAR, STRONG))


def criteria_of(pair: Compared, catalog: Catalog) -> list[Criterion]:
    """Every criterion that both Estimates can answer."""
    found = [*_money(pair), *_running(pair), *_speed(pair), *_freedom(pair, catalog)]
    return [one for one in found if one is not None]


def _judged(
    key: str, values: Iterable[float | None], *, is_within_ranges: bool = False, **words: object
) -> Criterion | None:
    """A criterion of two figures, of InfiniBand and RoCE; None where one of them is not known.

    ``words`` fill in what title and words of its kind leave open.
    """
    kind = kinds()[key]
    infiniband, roce = values
    if infiniband is None or roce is None:
        return None
    title, unit = kind.title.format(**words), kind.unit
    low, high = sorted((infiniband, roce))
    strength = min(kind.most_within_ranges if is_within_ranges else MOST, strength_of(low, high))
    favours = NEITHER
    said = f"{title}: no difference that the figures show, {_in_words(infiniband, unit)} and {_in_words(roce, unit)}."
    if strength:
        favours = INFINIBAND if (infiniband > roce) == kind.is_more_better else ROCE
        better, worse = (high, low) if kind.is_more_better else (low, high)
        said = kind.said.format(
            better=f"{FAMILY_NAMES[favours]} {_in_words(better, unit)}",
            worse=f"{FAMILY_NAMES[_other(favours)]} {_in_words(worse, unit)}",
            **words,
        )
    return Criterion(key, kind.group, title, unit, kind.weight, infiniband, roce, favours, strength, said, kind.source)


def _other(family: str) -> str:
    return ROCE if family == INFINIBAND else INFINIBAND


def _in_words(value: float, unit: str) -> str:
    if unit == "us":
        return f"{value:,.1f}{NO_BREAK}µs" if value < 1_000 else f"{value / 1e3:,.2f}{NO_BREAK}ms"
    return amount(value, unit)


# ---------------------------------------------------------------- money and running it


def _money(pair: Compared) -> Iterator[Criterion | None]:
    network = [one.cost.capex_usd.network for one in pair.both]
    prices = pair.prices
    bought = _judged("network_price", (one.typical for one in network), is_within_ranges=not _are_apart(network))
    if bought:
        stands = prices.sign(NETWORK) != 0
        words = pair.price_words + (_ranges_note(network) if stands else "")
        yield replace(bought if stands else _undecided(bought), words=words)
    total = [one.cost.tco_usd.typical for one in pair.both]
    against = pair.against_own(*total)
    over_years = _judged("total_cost", total, years=pair.infiniband.cost.tco_years, against=against)
    if over_years and over_years.strength and not prices.sign(ALL, total[0] / total[1] - 1):
        over_years = _undecided(over_years)
    yield over_years
    licences = [one.cost.opex_usd_per_year.get("licences") for one in pair.both]
    values = [price.typical if price else 0.0 for price in licences]
    if any(values):
        yield _judged("licences", values)


def _undecided(one: Criterion) -> Criterion:
    """A criterion of money that these prices can't decide: it favours neither."""
    values = f"{_in_words(one.infiniband, one.unit)} and {_in_words(one.roce, one.unit)}"
    return replace(one, favours=NEITHER, strength=0, words=f"{one.title}: {NO_DIFFERENCE}, {values}.")


def _are_apart(ranges: list[Range[float]]) -> bool:
    """Whether the high-cost end of the one is below the low-cost end of the other."""
    return ranges[0].high < ranges[1].low or ranges[1].high < ranges[0].low


def _ranges_note(ranges: list[Range[float]]) -> str:
    return "" if _are_apart(ranges) else " Their ranges overlap, so quotes may reverse it."


def _running(pair: Compared) -> Iterator[Criterion | None]:
    yield _judged("switches", (float(one.compute.counts.switches) for one in pair.both))
    yield _judged("power", (one.power.network_w.typical for one in pair.both))
    expected = [one.failures.expected if one.failures else None for one in pair.both]
    stops = [one.network_stops_per_year.typical if one else None for one in expected]
    yield _judged("stops", stops, is_within_ranges=True)  # rates are assumptions for the most part


# ---------------------------------------------------------------- speed


def _table(made: Estimate, collective: str) -> AllReduceTable | CollectiveTable | None:
    performance = made.performance
    if performance is None:
        return None
    of = performance.all_reduce if collective == "all_reduce" else (performance.collectives or {}).get(collective)
    return of if of and max(of.gpus) > 1 else None


def large_busbw(made: Estimate, collective: str = "all_reduce") -> float | None:
    """Bus bandwidth of the largest message on all GPUs. [GB/s]"""
    table = _table(made, collective)
    return table.busbw_gb_s[-1][-1] if table else None


def small_time(made: Estimate) -> float | None:
    """Time of an all-reduce of SMALL_MESSAGE_BYTES on all GPUs. [µs]"""
    table = _table(made, "all_reduce")
    if table is None or SMALL_MESSAGE_BYTES not in table.message_bytes:
        return None
    return table.time_us[-1][table.message_bytes.index(SMALL_MESSAGE_BYTES)]


def _band_overlaps(pair: Compared, at: int) -> bool:
    one, other = (_table(made, "all_reduce") for made in pair.both)
    if one is None or other is None:
        return False
    low, high = (
        max(table.time_us_low[-1][at] for table in (one, other)),
        min(table.time_us_high[-1][at] for table in (one, other)),
    )
    return low <= high


def _speed(pair: Compared) -> Iterator[Criterion | None]:
    large, small = [large_busbw(one) for one in pair.both], [small_time(one) for one in pair.both]
    yield _judged("large_messages", large, is_within_ranges=_band_overlaps(pair, -1))
    table = _table(pair.infiniband, "all_reduce")
    at = table.message_bytes.index(SMALL_MESSAGE_BYTES) if table and None not in small else 0
    yield _judged("small_messages", small, is_within_ranges=_band_overlaps(pair, at))
    scattered = [large_busbw(one, "alltoall") for one in pair.scattered]
    yield _judged("scattered", scattered, is_within_ranges=True)  # no run that is carried measures scattered ranks
    yield _judged("in_network", (large_busbw(pair.sharp), large[1]))
    yield _judged("congestion", (scattered[0], large_busbw(pair.hashed, "alltoall")))


# ---------------------------------------------------------------- freedom


def _freedom(pair: Compared, catalog: Catalog) -> Iterator[Criterion | None]:
    generations = [catalog.generations[one.spec.fabric.generation] for one in pair.both]
    makers = [switch_makers(catalog, one.protocol, one.port_rate_gbit_s) for one in generations]
    every = ", ".join(sorted({name for names in makers for name in names}))
    yield _judged("switch_makers", (float(len(names)) for names in makers), vendors=every)
    adapters = [adapter_makers(catalog, one.protocol, one.port_rate_gbit_s) for one in generations]
    yield _judged("adapter_makers", (float(len(names)) for names in adapters))
    yield _judged("reach", (float(two_tier_reach(catalog, one.spec.fabric.generation)) for one in pair.both))


def switch_makers(catalog: Catalog, protocol: str, rate_gbit_s: int) -> list[str]:
    """Who makes switches of a protocol with ports of a rate that can be bought; generic boxes stand for no vendor."""
    found = {
        maker_of(switch.vendor)
        for key, switch in catalog.switches.items()
        if switch.protocol == protocol
        and switch.status == "available"
        and switch.vendor != GENERIC
        and catalog.switch_ports(key, rate_gbit_s)
    }
    return sorted(found)


def adapter_makers(catalog: Catalog, protocol: str, rate_gbit_s: int) -> list[str]:
    """Who makes NICs of a protocol that reach a rate and can be bought."""
    return sorted(
        {
            maker_of(nic.vendor)
            for nic in catalog.nics.values()
            if protocol in nic.protocols and nic.status == "available" and nic.total_rate_gbit_s >= rate_gbit_s
        }
    )


def two_tier_reach(catalog: Catalog, generation: str) -> int:
    """Endpoints that two tiers of the generation's usual switch join at 1:1: P² ÷ 2."""
    known = catalog.generations[generation]
    ports = catalog.switch_ports(known.default_switch, known.port_rate_gbit_s)
    return ports.radix**2 // 2 if ports else 0
