"""What InfiniBand and RoCE are compared by: each criterion reads both Estimates or the catalog, never an opinion.

A criterion has a figure for each family and says which is better, and by how much: the strength follows from the ratio alone.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from estimator.bom.verdict import ALL, NETWORK, PriceVerdict, price_verdict
from estimator.bom.verdict_words import NO_DIFFERENCE, verdict_words
from estimator.catalog.catalog import Catalog
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
MAX_WITHIN_RANGES = 1  # strength of a difference that is smaller than the ranges of its figures


@dataclass(frozen=True)
class Compared:
    """Both families at one size, and Estimates of what each needs for its best or suffers at its worst.

    ``sharp`` is InfiniBand with in-network reduction, ``scattered`` either family with scattered ranks, ``hashed`` RoCE with
    scattered ranks and plain ECMP, ``planes`` RoCE at half the rate in two planes where the NICs have the ports.
    """

    infiniband: PricedEstimate
    roce: PricedEstimate
    sharp: Estimate
    scattered: tuple[Estimate, Estimate]
    hashed: Estimate
    planes: PricedEstimate | None = None

    @property
    def both(self) -> tuple[PricedEstimate, PricedEstimate]:
        """InfiniBand, RoCE."""
        return self.infiniband, self.roce

    @property
    def prices(self) -> PriceVerdict:
        """What the prices of both bills of materials can show."""
        return price_verdict(self.infiniband.bom.lines, self.roce.bom.lines)


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
    key: str,
    group: str,
    title: str,
    unit: str,
    weight: int,
    values: tuple[float | None, float | None],
    source: str,
    said: str,
    *,
    more_is_better: bool = False,
    most: int = MOST,
) -> Criterion | None:
    """A criterion of two figures; None where one of them is not known. ``said`` has {better}, {worse} and {by} to fill in."""
    infiniband, roce = values
    if infiniband is None or roce is None:
        return None
    low, high = sorted((infiniband, roce))
    strength = min(most, strength_of(low, high))
    if not strength:
        words = (
            f"{title}: no difference that the figures show, {_in_words(infiniband, unit)} and {_in_words(roce, unit)}."
        )
        return Criterion(key, group, title, unit, weight, infiniband, roce, NEITHER, 0, words, source)
    favours = INFINIBAND if (infiniband > roce) == more_is_better else ROCE
    better, worse = (high, low) if more_is_better else (low, high)
    words = said.format(
        costly=FAMILY_NAMES[_other(favours)],
        better=f"{FAMILY_NAMES[favours]} {_in_words(better, unit)}",
        worse=f"{FAMILY_NAMES[_other(favours)]} {_in_words(worse, unit)}",
        by=f"{high / low - 1:.0%}".replace("%", f"{NO_BREAK}%") if low else "",
    )
    return Criterion(key, group, title, unit, weight, infiniband, roce, favours, strength, words, source)


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
    bought = _judged(
        "network_price",
        MONEY,
        "Network, purchase",
        "usd",
        2,
        (network[0].typical, network[1].typical),
        "Bills of materials of both, at the design’s, recommended, dealers’ and branded resellers’ prices",
        "{better}, {worse}.",
        most=3 if _are_apart(network) else 2,
    )
    if bought:
        stands = prices.sign(NETWORK) != 0
        words = verdict_words(prices, *FAMILY_NAMES.values()) + (_ranges_note(network) if stands else "")
        yield replace(bought if stands else _undecided(bought), words=words)
    total = [one.cost.tco_usd.typical for one in pair.both]
    over_years = _judged(
        "total_cost",
        MONEY,
        f"Total cost over {pair.infiniband.cost.tco_years} years",
        "usd",
        3,
        (total[0], total[1]),
        "Cost over years of both, servers, space and support included",
        "Over the years everything together: {better}, {worse}, {by} more.",
    )
    if over_years and over_years.strength and not prices.sign(ALL, total[0] / total[1] - 1):
        over_years = _undecided(over_years)
    yield over_years
    licences = [one.cost.opex_usd_per_year.get("licences") for one in pair.both]
    values = [price.typical if price else 0.0 for price in licences]
    if any(values):
        yield _judged(
            "licences",
            MONEY,
            "Licences a year",
            "usd",
            0,
            (values[0], values[1]),
            "Fabric manager (InfiniBand) and switch software (Ethernet), as the design asks; within the total cost",
            "Licences: {better} a year, {worse}.",
        )


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
    switches = [float(one.compute.counts.switches) for one in pair.both]
    yield _judged(
        "switches",
        RUNNING,
        "Switches",
        "count",
        1,
        (switches[0], switches[1]),
        "Counted from both designs; the ports of a box decide",
        "Fewer boxes to rack, power and look after: {better}, {worse}.",
    )
    watts = [one.power.network_w.typical for one in pair.both]
    yield _judged(
        "power",
        RUNNING,
        "Power of the network",
        "w",
        1,
        (watts[0], watts[1]),
        "Datasheets of switches and transceivers",
        "The network draws less: {better}, {worse}.",
    )
    expected = [one.failures.expected if one.failures else None for one in pair.both]
    stops = [one.network_stops_per_year.typical if one else None for one in expected]
    yield _judged(
        "stops",
        RUNNING,
        "Stops by the network a year",
        "per_year",
        1,
        (stops[0], stops[1]),
        "Failure rates of both networks' parts, GPUs and servers left out; assumptions for the most part",
        "A job over all GPUs is stopped less often by network parts: {better}, {worse} a year.",
        most=MAX_WITHIN_RANGES,
    )


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
    model = "Performance model, fitted to published runs of both families (page “Validation”)"
    large = tuple(large_busbw(one) for one in pair.both)
    yield _judged(
        "large_messages",
        SPEED,
        "All-reduce, largest message",
        "gb_s",
        3,
        (large[0], large[1]),
        model,
        "Gradients are summed faster: {better}, {worse}.",
        more_is_better=True,
        most=MAX_WITHIN_RANGES if _band_overlaps(pair, -1) else 3,
    )
    small = tuple(small_time(one) for one in pair.both)
    table = _table(pair.infiniband, "all_reduce")
    at = table.message_bytes.index(SMALL_MESSAGE_BYTES) if table and None not in small else 0
    yield _judged(
        "small_messages",
        SPEED,
        "All-reduce of 64 KiB",
        "us",
        2,
        (small[0], small[1]),
        f"{model}; every step over the network adds the latency of NICs and switches",
        "Small messages pay latency at every step: {better}, {worse}.",
        most=2 if _band_overlaps(pair, at) else 3,
    )
    scattered = tuple(large_busbw(one, "alltoall") for one in pair.scattered)
    yield _judged(
        "scattered",
        SPEED,
        "All-to-all, scattered ranks",
        "gb_s",
        2,
        (scattered[0], scattered[1]),
        f"{model}; adaptive routing on both",
        "Experts spread over scattered servers: {better}, {worse}.",
        more_is_better=True,
        most=MAX_WITHIN_RANGES,
    )
    yield _judged(
        "in_network",
        SPEED,
        "All-reduce with sums in the switches",
        "gb_s",
        1,
        (large_busbw(pair.sharp), large[1]),
        f"{model}, SHARP included; Ethernet switches have no such sums",
        "With in-network reduction (SHARP) switched on: {better}, {worse}.",
        more_is_better=True,
    )
    yield _judged(
        "congestion",
        SPEED,
        "All-to-all where Ethernet hashes plainly",
        "gb_s",
        1,
        (scattered[0], large_busbw(pair.hashed, "alltoall")),
        f"{model}; credits and adaptive routing against ECMP",
        "Congestion control: InfiniBand has credits and adaptive routing in every switch; Ethernet needs PFC, ECN and "
        "adaptive routing or spray set up, and without the last it is {better}, {worse}.",
        more_is_better=True,
    )


# ---------------------------------------------------------------- freedom


def _freedom(pair: Compared, catalog: Catalog) -> Iterator[Criterion | None]:
    generations = [catalog.generations[one.spec.fabric.generation] for one in pair.both]
    makers: list[list[str]] = [switch_makers(catalog, one.protocol, one.port_rate_gbit_s) for one in generations]
    yield _judged(
        "switch_makers",
        FREEDOM,
        "Vendors of switches at this rate",
        "count",
        2,
        (float(len(makers[0])), float(len(makers[1]))),
        "Switches of the catalog that can be bought",
        "Offers to choose from, and to bargain with: {better}, {worse} ("
        + ", ".join(sorted({*makers[0], *makers[1]}))
        + ").",
        more_is_better=True,
    )
    adapters = [adapter_makers(catalog, one.protocol, one.port_rate_gbit_s) for one in generations]
    yield _judged(
        "adapter_makers",
        FREEDOM,
        "Vendors of NICs at this rate",
        "count",
        1,
        (float(len(adapters[0])), float(len(adapters[1]))),
        "NICs of the catalog that can be bought",
        "NICs from more than one vendor: {better}, {worse}.",
        more_is_better=True,
    )
    reach = [float(two_tier_reach(catalog, one.spec.fabric.generation)) for one in pair.both]
    yield _judged(
        "reach",
        FREEDOM,
        "Endpoints of two tiers at 1:1",
        "count",
        1,
        (reach[0], reach[1]),
        "Ports of the usual switch: P² ÷ 2",
        "Room to grow before a third tier: {better}, {worse} endpoints.",
        more_is_better=True,
    )


def switch_makers(catalog: Catalog, protocol: str, rate_gbit_s: int) -> list[str]:
    """Who makes switches of a protocol with ports of a rate that can be bought; generic boxes stand for no vendor."""
    found = {
        switch.vendor.split(" (")[0]
        for key, switch in catalog.switches.items()
        if switch.protocol == protocol
        and switch.status == "available"
        and switch.vendor != "Generic"
        and catalog.switch_ports(key, rate_gbit_s)
    }
    return sorted(found)


def adapter_makers(catalog: Catalog, protocol: str, rate_gbit_s: int) -> list[str]:
    """Who makes NICs of a protocol that reach a rate and can be bought."""
    return sorted(
        {
            nic.vendor.split(" (")[0]
            for nic in catalog.nics.values()
            if protocol in nic.protocols and nic.status == "available" and nic.total_rate_gbit_s >= rate_gbit_s
        }
    )


def two_tier_reach(catalog: Catalog, generation: str) -> int:
    """Endpoints that two tiers of the generation's usual switch join at 1:1: P² ÷ 2."""
    known = catalog.generations[generation]
    ports = catalog.switch_ports(known.default_switch, known.port_rate_gbit_s)
    return ports.radix**2 // 2 if ports else 0
