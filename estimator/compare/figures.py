"""Figures of each design or offer side by side: counts, bandwidth, power, money, predicted all-reduce, failures, racks.

Differences are against the baseline. Where the sides have different numbers of GPUs, figures that grow with the cluster are
compared for each GPU. A side that lacks a figure, or knows only its least, is not compared in it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from estimator.bom.lines import (
    CABLE,
    CATEGORIES,
    FACILITY,
    FIBER,
    MODULE,
    NETWORK_CATEGORIES,
    NIC,
    RACK,
    RACK_SYSTEM,
    SERVERS,
    SWITCH,
    is_rack,
)
from estimator.catalog.ports import COMPUTE
from estimator.compare.kept import Kept, KeptAllReduce, KeptCost, KeptExpected, KeptNetwork, KeptPower
from estimator.compare.lines import FUNCTION_OF, Line, difference_cents, is_unpriced, relative, total_cents
from estimator.compare.result import Better, ComparedFigure, JudgedChange, Kind
from estimator.compare.verdicts import Verdicts
from estimator.cost.result import Likely, Simulated
from estimator.fabric.result import Counts
from estimator.ranges import Range
from estimator.units import parse_ratio

LOW: Better = "low"
HIGH: Better = "high"
SAME_SHARE = 0.02  # money, power and failures closer than this are about the same
SAME_COUNT = 0.0


@dataclass(frozen=True)
class Side:
    """One design or offer of a comparison."""

    label: str
    kind: Kind
    lines: tuple[Line, ...]
    estimate: Kept | None = None  # None: an offer
    gpus: int | None = None
    lacks: frozenset[tuple[str, str]] = frozenset()  # what an offer has nothing of, by network and function

    def is_partial(self, *categories: str, compute: bool | None = None) -> bool:
        """Whether an offer lacks goods of these categories, so that their sum is the least that they are."""
        functions = {FUNCTION_OF.get(category, category) for category in categories}
        return any(function in functions and compute in (None, fabric == COMPUTE) for fabric, function in self.lacks)

    @property
    def network(self) -> KeptNetwork | None:
        """The sized compute network; None for an offer."""
        return self.estimate.fabrics[COMPUTE] if self.estimate else None

    @property
    def all_reduce(self) -> KeptAllReduce | None:
        """The predicted all-reduce, where there is one over more than one GPU."""
        table = self.estimate.performance.all_reduce if self.estimate else None
        return table if table and max(table.gpus) > 1 else None

    def of(self, *categories: str, compute: bool | None = None) -> list[Line]:
        """Lines of some categories: of the compute network, of the others, or of all."""
        return [
            line
            for line in self.lines
            if line.category in categories and (compute is None or (line.fabric == COMPUTE) == compute)
        ]


@dataclass(frozen=True)
class Value:
    """A figure of one side; ``text`` where it reads better than the number, such as a ratio."""

    ends: Range[float]
    at_least: bool = False
    text: str | None = None
    lines: tuple[Line, ...] | None = None  # a price: the lines it sums


Getter = Callable[[Side], Value | None]


@dataclass(frozen=True)
class Figure:
    """One row of the table of figures."""

    key: str
    label: str
    unit: str
    group: str
    get: Getter
    better: Better | None = LOW
    scales: bool = True
    same_share: float = SAME_SHARE
    has_band: bool = False  # its ends hold nine runs in ten, so that values within a band are about the same
    weight: float = field(default=0.0, compare=False)  # how much a difference matters in the summary


# ---------------------------------------------------------------- values


def number(value: float | None, text: str | None = None, at_least: bool = False) -> Value | None:
    """A figure without a range."""
    return None if value is None else Value(Range.at(float(value)), at_least, text)


def ranged(ends: Range[float] | None, at_least: bool = False) -> Value | None:
    """A figure with low, typical and high."""
    return Value(ends.each(float), at_least) if ends else None


def _price(lines: Sequence[Line], is_partial: bool = False) -> Value | None:
    """Sum of the lines' prices; None where there are none, or none has a price."""
    if not lines or all(line.cents is None for line in lines):
        return None
    return Value(total_cents(lines).in_usd(), is_partial or is_unpriced(lines), None, tuple(lines))


def _quantity(*categories: str, compute: bool = True) -> Getter:
    def get(side: Side) -> Value | None:
        lines = side.of(*categories, compute=compute)
        least = side.is_partial(*categories, compute=compute) or _lacks_cables(side, compute)
        return number(sum(line.quantity for line in lines), None, least) if lines or side.estimate else None

    return get


def _switches(role: str | None, count: Callable[[Counts], int]) -> Getter:
    def get(side: Side) -> Value | None:
        if side.network:
            return number(count(side.network.counts))
        lines = [line for line in side.of(SWITCH, compute=True) if role in (None, line.use)]
        least = role is None and side.is_partial(SWITCH, compute=True)
        return number(sum(line.quantity for line in lines), None, least) if lines else None

    return get


def _other_switches(side: Side) -> Value | None:
    if side.estimate:
        others = [fabric for key, fabric in side.estimate.fabrics.items() if key != COMPUTE]
        return number(sum(one.counts.switches for one in others)) if others else None
    lines = side.of(SWITCH, compute=False)
    return number(sum(line.quantity for line in lines)) if lines else None


def _oversubscription(side: Side) -> Value | None:
    """The fullest leaf's: traffic waits there, whatever the average is."""
    built = side.network.oversubscription if side.network else None
    return number(float(parse_ratio(built.worst_leaf)), built.worst_leaf) if built else None


def _average_ratio(side: Side) -> Value | None:
    built = side.network.oversubscription if side.network else None
    return number(built.built_ratio, built.built) if built else None


def _all_to_all(side: Side) -> Value | None:
    """The largest all-to-all on all GPUs; an estimate kept before there was one has none."""
    found = side.estimate.performance.all_to_all if side.estimate else None
    return Value(_of_times(found.busbw_gb_s, found.time_us, found.time_us_low, found.time_us_high)) if found else None


def _of_network(read: Callable[[KeptNetwork], float]) -> Getter:
    return lambda side: number(read(side.network)) if side.network else None


def _watts(read: Callable[[KeptPower], float], *, of_network: bool = False) -> Getter:
    def get(side: Side) -> Value | None:
        power = side.estimate.power if side.estimate else None
        if not power:
            return None
        return number(read(power), None, power.at_least and (not of_network or _network_unknown(side)))

    return get


def _network_unknown(side: Side) -> bool:
    """Whether a part of the network has no known draw; a custom server lacks its own alone."""
    return any(line.category == SWITCH and line.part is None for line in side.lines) or _lacks_cables(side)


def _lacks_cables(side: Side, compute: bool | None = None) -> bool:
    """Whether links of a network of the design have no part that fits: neither cables nor transceivers can be counted then."""
    return bool(side.estimate) and any(line.part is None for line in side.of(CABLE, compute=compute))


def _offer_watts(side: Side) -> Value | None:
    """Power of all that is billed, as its lines say."""
    watts = [line.power_w for line in side.lines]
    return None if not watts or None in watts else number(sum(w or 0.0 for w in watts))


def _capex(*categories: str) -> Getter:
    wanted = categories or CATEGORIES
    return lambda side: _price(side.of(*wanted), side.is_partial(*wanted))


def _simulated(read: Callable[[Simulated], Likely]) -> Getter:
    """The simulation's middle of a design's figure with 5 % and 95 % of the draws; an offer has none."""

    def get(side: Side) -> Value | None:
        cost = side.estimate.cost if side.estimate else None
        if not cost or not cost.simulated:
            return None
        drawn = read(cost.simulated)
        return Value(Range(drawn.p5, drawn.p50, drawn.p95), bool(cost.at_least))

    return get


def _of_cost(read: Callable[[KeptCost], Range[float] | None]) -> Getter:
    def get(side: Side) -> Value | None:
        cost = side.estimate.cost if side.estimate else None
        return ranged(read(cost), bool(cost.at_least)) if cost else None

    return get


def _yearly(cost: KeptCost) -> Range[float] | None:
    return cost.opex_usd_per_year["total"] if cost.opex_usd_per_year else None


def _failures(read: Callable[[KeptExpected], Range[float] | None]) -> Getter:
    return lambda side: ranged(read(side.estimate.failures.expected)) if side.estimate else None


def _racks(side: Side) -> Value | None:
    lines = [line for line in side.of(RACK, RACK_SYSTEM) if is_rack(line.category, line.use)]
    return number(sum(line.quantity for line in lines)) if lines else None


def busbw(table: KeptAllReduce, at: int, size: int) -> Range[float]:
    """Bus bandwidth of one point [GB/s]: the band is the time's, and bandwidth is inverse to it."""
    times = (rows[at][size] for rows in (table.time_us, table.time_us_low, table.time_us_high))
    return _of_times(table.busbw_gb_s[at][size], *times)


def _of_times(busbw_gb_s: float, time_us: float, low_us: float, high_us: float) -> Range[float]:
    return Range(busbw_gb_s * time_us / high_us, busbw_gb_s, busbw_gb_s * time_us / low_us)


def _busbw(message_bytes: int | None, gpus: int | None = None) -> Getter:
    """All-reduce at a message size (None: the largest) on a number of GPUs (None: all)."""

    def get(side: Side) -> Value | None:
        table = side.all_reduce
        if table is None or (gpus is not None and gpus not in table.gpus):
            return None
        at = len(table.gpus) - 1 if gpus is None else table.gpus.index(gpus)
        sizes = table.message_bytes
        wanted = sizes[-1] if message_bytes is None else message_bytes
        return Value(busbw(table, at, min(range(len(sizes)), key=lambda k: abs(sizes[k] - wanted))))

    return get


# ---------------------------------------------------------------- the table


COUNTS, NETWORK, POWER, MONEY, UNIT_COSTS, SPEED, RUNNING = (
    "Counts",
    "Bandwidth built",
    "Power",
    "Money",
    "Money for what it does",
    "Predicted collectives",
    "Running it",
)
FIGURES = (
    Figure("switches", "Switches, compute network", "count", COUNTS, _switches(None, lambda n: n.switches),
           weight=10, same_share=SAME_COUNT),
    Figure("leaf_switches", "Leaf switches", "count", COUNTS, _switches("leaf", lambda n: n.leaf),
           same_share=SAME_COUNT),
    Figure("spine_switches", "Spine switches", "count", COUNTS, _switches("spine", lambda n: n.spine),
           same_share=SAME_COUNT),
    Figure("core_switches", "Core switches", "count", COUNTS, _switches("core", lambda n: n.core),
           same_share=SAME_COUNT),
    Figure("other_switches", "Switches, other networks", "count", COUNTS, _other_switches, weight=3, same_share=SAME_COUNT),
    Figure("links", "Links, compute network", "count", COUNTS, _of_network(lambda n: n.links.total), None, same_share=SAME_COUNT),
    Figure("cables", "Cables, compute network", "count", COUNTS, _quantity(CABLE, FIBER), weight=3, same_share=SAME_COUNT),
    Figure("modules", "Transceivers, compute network", "count", COUNTS, _quantity(MODULE), weight=5, same_share=SAME_COUNT),
    Figure("oversubscription", "Oversubscription, fullest leaf", "ratio", NETWORK, _oversubscription, LOW, False, weight=7),
    Figure("average_oversubscription", "Oversubscription, average", "ratio", NETWORK, _average_ratio, LOW, False),
    Figure("injection_gbit_s", "Injection", "gbit_s", NETWORK, _of_network(lambda n: n.injection_gbit_s), HIGH, weight=3),
    Figure("bisection_gbit_s", "Bisection", "gbit_s", NETWORK, _of_network(lambda n: n.bisection_gbit_s), HIGH, weight=7),
    Figure("network_w", "Network, typical", "w", POWER, _watts(lambda p: p.network_w.typical, of_network=True), weight=5),
    Figure("it_w", "Network and servers, typical", "w", POWER, _watts(lambda p: p.it_w.typical), weight=2),
    Figure("lines_w", "All lines of the bill of materials", "w", POWER, _offer_watts),
    Figure("capex_p50_usd", "Purchase price, P50 (P5 to P95)", "usd", MONEY, _simulated(lambda s: s.capex_usd)),
    Figure("network_p50_usd", "Network, P50 (P5 to P95)", "usd", MONEY, _simulated(lambda s: s.network_usd)),
    Figure("tco_p50_usd", "Total cost of ownership, P50 (P5 to P95)", "usd", MONEY, _simulated(lambda s: s.tco_usd)),
    Figure("servers_usd", "Servers", "usd", MONEY, _capex(*SERVERS), weight=2),
    Figure("switches_usd", "Switches", "usd", MONEY, _capex(SWITCH), weight=4),
    Figure("adapters_usd", "NICs", "usd", MONEY, _capex(NIC), weight=4),
    Figure("facility_usd", "Racks and cooling", "usd", MONEY, _capex(*FACILITY), weight=1),
    Figure("optics_usd", "Transceivers and cables", "usd", MONEY, _capex(MODULE, CABLE, FIBER), weight=6),
    Figure("network_usd", "Network", "usd", MONEY, _capex(*NETWORK_CATEGORIES), weight=9),
    Figure("capex_usd", "Purchase price", "usd", MONEY, _capex(), weight=6),
    Figure("outlay_usd", "Outlay, with what is paid once", "usd", MONEY, _of_cost(lambda c: c.outlay_usd), weight=3),
    Figure("opex_usd_per_year", "Running cost a year", "usd", MONEY, _of_cost(_yearly), weight=4),
    Figure("tco_usd", "Total cost of ownership", "usd", MONEY, _of_cost(lambda c: c.tco_usd), weight=8),
    Figure("usd_per_gpu", "Purchase price a GPU", "usd", UNIT_COSTS, _of_cost(lambda c: c.usd_per_gpu), scales=False),
    Figure("network_usd_per_gpu", "Network a GPU", "usd", UNIT_COSTS, _of_cost(lambda c: c.network_usd_per_gpu), scales=False),
    Figure("usd_per_gpu_hour", "Total cost a GPU-hour", "usd_hour", UNIT_COSTS, _of_cost(lambda c: c.usd_per_gpu_hour),
           scales=False, weight=5),
    Figure("usd_per_gbit_s_bisection", "Network a Gb/s of bisection", "usd", UNIT_COSTS,
           _of_cost(lambda c: c.usd_per_gbit_s_bisection), scales=False, weight=2),
    Figure("usd_per_gb_s_busbw", "Purchase price a GB/s of all-reduce", "usd", UNIT_COSTS,
           _of_cost(lambda c: c.usd_per_gb_s_busbw), weight=2),
    Figure("usd_per_million_tokens", "Total cost a million tokens", "usd_hour", UNIT_COSTS,
           _of_cost(lambda c: c.usd_per_million_tokens), scales=False, weight=3),
    Figure("busbw_gb_s", "All-reduce, largest message, all GPUs", "gb_s", SPEED, _busbw(None), HIGH, False, has_band=True,
           weight=9),
    Figure("all_to_all_gb_s", "All-to-all, largest message, all GPUs", "gb_s", SPEED, _all_to_all, HIGH, False, has_band=True,
           weight=6),
    *(Figure(f"busbw_{words.lower().replace(' ', '_')}_gb_s", f"All-reduce, {words}, all GPUs", "gb_s", SPEED, _busbw(size),
             HIGH, False, has_band=True, weight=weight)
      for words, size, weight in (("1 GiB", 2**30, 2), ("64 MiB", 2**26, 2), ("1 MiB", 2**20, 1))),
    Figure("failures_per_year", "Failures a year", "per_year", RUNNING, _failures(lambda e: e.failures_per_year), weight=3),
    Figure("stops_per_year", "Stops of a job on all GPUs, a year", "per_year", RUNNING, _failures(lambda e: e.stops_per_year),
           weight=3),
    Figure("racks", "Racks", "count", RUNNING, _racks, weight=4, same_share=SAME_COUNT),
)  # fmt: skip


def common_gpus(sides: Sequence[Side]) -> int | None:
    """The most GPUs that every side with a prediction was predicted for, where not all have the same cluster."""
    tables = [side.all_reduce for side in sides]
    known = [set(table.gpus) for table in tables if table]
    if len(known) < 2 or len({max(gpus) for gpus in known}) == 1:
        return None
    shared = set.intersection(*known) - {1}
    return max(shared) if shared else None


def figures_of(sides: Sequence[Side]) -> tuple[Figure, ...]:
    """The table's rows: all that some side has, and the all-reduce on the most GPUs that every side has."""
    shared = common_gpus(sides)
    asked = list(FIGURES)
    if has_mixed_adapters(sides):
        asked = [found for figure in FIGURES if (found := WITHOUT_ADAPTERS.get(figure.key, figure)) is not None]
    if shared:
        at = next(k for k, figure in enumerate(asked) if figure.key == "busbw_gb_s")
        asked.insert(
            at + 1,
            Figure(
                f"busbw_{shared}_gpus_gb_s",
                f"All-reduce, largest message, {shared:,} GPUs",
                "gb_s",
                SPEED,
                _busbw(None, shared),
                HIGH,
                False,
                has_band=True,
                weight=8,
            ),
        )
    return tuple(figure for figure in asked if _is_shown(figure, sides))


def has_mixed_adapters(sides: Sequence[Side]) -> bool:
    """Whether NICs are lines of some bills of materials and within the servers of others."""
    designs = [bool(side.of(NIC)) for side in sides if side.estimate]
    return any(designs) and not all(designs)


WITHOUT_ADAPTERS: dict[str, Figure | None] = {  # where NICs are within the servers of some sides and lines of others
    "network_w": Figure(
        "network_w",
        "Network without NICs, typical",
        "w",
        POWER,
        _watts(lambda power: power.network_w.typical - power.parts_w["nics"].typical, of_network=True),
        weight=5,
    ),
    "network_usd": Figure(
        "network_usd",
        "Network without NICs",
        "usd",
        MONEY,
        _capex(*(category for category in NETWORK_CATEGORIES if category != NIC)),
        weight=9,
    ),
    "network_p50_usd": None,
    "network_usd_per_gpu": None,
    "usd_per_gbit_s_bisection": None,
}


def _is_shown(figure: Figure, sides: Sequence[Side]) -> bool:
    if figure.key == "lines_w":  # designs have better figures; lines are all that an offer has
        return any(side.estimate is None for side in sides) and any(figure.get(side) for side in sides)
    if figure.key == "core_switches":
        return any((value := figure.get(side)) and value.ends.typical for side in sides)
    return any(figure.get(side) is not None for side in sides)


def differ_in_size(sides: Sequence[Side]) -> bool:
    """Whether the sides have different numbers of GPUs, as far as they are known."""
    return len({side.gpus for side in sides if side.gpus}) > 1


def compared_figure(
    figure: Figure, sides: Sequence[Side], baseline: int, verdicts: Verdicts | None = None
) -> ComparedFigure:
    """One row of the table: values, values for each GPU where clusters differ in size, differences, which is better.

    Between two technologies ``verdicts`` say which differences in money stand.
    """
    known = verdicts or Verdicts([None] * len(sides))
    values = [figure.get(side) for side in sides]
    is_per_gpu = figure.scales and differ_in_size(sides)
    compared = (
        [_for_each_gpu(value, side.gpus) for value, side in zip(values, sides, strict=True)] if is_per_gpu else values
    )
    base = compared[baseline]
    differences = [
        None
        if figure.unit == "count" and sides[i].kind != sides[baseline].kind  # an offer counts spares, a design does not
        else _difference(
            figure,
            value,
            base,
            is_self=i == baseline,
            shared_lines=not is_per_gpu,
            is_open=_is_open(figure, value, base, known, i, baseline),
        )
        for i, value in enumerate(compared)
    ]
    return ComparedFigure(
        key=figure.key,
        label=figure.label,
        unit=figure.unit,
        group=figure.group,
        better=figure.better,
        values=[_ends(value) for value in values],
        texts=[value.text if value else None for value in values],
        at_least=[bool(value and value.at_least) for value in values],
        is_per_gpu=is_per_gpu,
        per_gpu=[_ends(value) for value in compared] if is_per_gpu else None,
        differences=differences,
        best=_best(figure, compared, sides, known),
    )


def _for_each_gpu(value: Value | None, gpus: int | None) -> Value | None:
    if value is None or not gpus:
        return None
    return Value(value.ends.each(lambda end: end / gpus), value.at_least, None, value.lines)


def _ends(value: Value | None) -> Range[float] | None:
    return None if value is None else value.ends.each(lambda end: round(end, 6))


def _difference(
    figure: Figure, value: Value | None, base: Value | None, is_self: bool, shared_lines: bool, is_open: bool
) -> JudgedChange | None:
    if value is None or base is None or value.at_least or base.at_least:
        return None
    share = relative(value.ends.typical, base.ends.typical)
    same = is_self or is_about_same(figure, value, base)
    sign = value.ends.typical - base.ends.typical
    is_better = None if same or is_open or figure.better is None or sign == 0 else (sign < 0) == (figure.better == LOW)
    return JudgedChange(
        absolute=round(sign, 6),
        relative=share,
        is_about_same=same,
        is_better=is_better,
        ranges_overlap=ranges_overlap(value, base, shared_lines),
        is_undecided=is_open,
    )


def ranges_overlap(value: Value, base: Value, shared_lines: bool = True) -> bool:
    """Whether either may be the larger. Of prices, what both sides buy alike at one price moves both alike and cancels."""
    if shared_lines and value.lines is not None and base.lines is not None:
        moves = difference_cents(value.lines, base.lines)
        return moves.low <= 0 <= moves.high
    return value.ends.low <= base.ends.high and base.ends.low <= value.ends.high


def is_about_same(figure: Figure, value: Value, base: Value) -> bool:
    """Whether a difference says nothing: within the predicted band, or smaller than what counts for its kind of figure."""
    if value.ends.typical == base.ends.typical:
        return True
    if figure.has_band:
        ours, theirs = value.ends, base.ends
        return theirs.low <= ours.typical <= theirs.high or ours.low <= theirs.typical <= ours.high
    share = abs(value.ends.typical - base.ends.typical) / max(abs(value.ends.typical), abs(base.ends.typical))
    return share <= figure.same_share


def _is_open(
    figure: Figure, value: Value | None, base: Value | None, verdicts: Verdicts, side: int, other: int
) -> bool:
    """Whether prices can't show which of two sides costs less in a figure."""
    if value is None or base is None:
        return False
    return verdicts.is_open(figure.key, figure.unit, value.ends.typical, base.ends.typical, side, other)


def _best(figure: Figure, values: Sequence[Value | None], sides: Sequence[Side], verdicts: Verdicts) -> list[int]:
    """The sides with the best value, and those about the same; none where they are all alike or one is not known."""
    known = [(i, value) for i, value in enumerate(values) if value is not None and not value.at_least]
    if figure.unit == "count" and len({sides[i].kind for i, _ in known}) > 1:
        return []
    if figure.better is None or len(known) < 2:
        return []
    wanted = min if figure.better == LOW else max
    first, best = wanted(known, key=lambda item: item[1].ends.typical)
    good = [
        i
        for i, value in known
        if is_about_same(figure, value, best) or _is_open(figure, value, best, verdicts, i, first)
    ]
    return good if len(good) < len(known) else []
