"""Figures that designs are sought by: their names and words, of candidates in columns and of an Estimate."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from estimator.bom.lines import is_rack
from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import COMPUTE
from estimator.errors import Problem, SpecError
from estimator.ranges import Range
from estimator.record import Json
from estimator.result import Estimate
from estimator.search.columns.bandwidth import (
    COLLECTIVE_OF,
    Wanted,
    bandwidths,
    of_system,
    ratio_table,
    ratios_of,
    worst_leaf,
)
from estimator.search.columns.cables import Alike, Cabled
from estimator.search.columns.kinds import most_of, whole_sums
from estimator.search.columns.money import ENDS, TYPICAL, Priced, per, usd
from estimator.search.columns.parts import part_facts
from estimator.search.columns.work import WORK_FIGURES, Work, no_rates, rates_of
from estimator.spec.calibration import constants_of
from estimator.spec.checking import near_words
from estimator.spec.design import DesignSpec
from estimator.units import W_PER_KW, FloatArray, IntArray

Estimator = Callable[[Sequence[DesignSpec], Catalog, Sequence[str]], Sequence[Estimate]]


@dataclass(frozen=True)
class Figure:
    """One figure. ``is_more`` says that more of it is better; ``needs`` what must be known for it to stand;
    ``largest`` is the most that it can be, where there is one.
    """

    name: str
    title: str
    unit: str
    is_more: bool = False
    needs: str = ""
    largest: float | None = None

    @property
    def is_money(self) -> bool:
        """Whether it has a range of prices."""
        return self.needs == PRICES


PRICES, POWER, GPU, WORK = "prices", "power", "gpu", "workload"
OF_WORKLOAD = (*WORK_FIGURES, "usd_per_million_tokens", "tokens_per_usd")
"""Figures that a search without a workload does not know."""
FIGURES = {
    one.name: one
    for one in (
        Figure("network_usd", "Network purchase", "USD", needs=PRICES),
        Figure("capex_usd", "Purchase", "USD", needs=PRICES),
        Figure("tco_usd", "Total cost over the years", "USD", needs=PRICES),
        Figure("usd_per_gpu", "Purchase per GPU", "USD", needs=PRICES),
        Figure("network_usd_per_gpu", "Network purchase per GPU", "USD", needs=PRICES),
        Figure("usd_per_gpu_hour", "Cost of a GPU-hour", "USD", needs=PRICES),
        Figure("usd_per_gb_s", "Purchase per GB/s of all-reduce", "USD", needs=PRICES),
        Figure("network_usd_per_gb_s", "Network purchase per GB/s of all-reduce", "USD", needs=PRICES),
        Figure("power_kw", "Network power, typical", "kW", needs=POWER),
        Figure("it_kw", "IT power, typical", "kW", needs=POWER),
        Figure("facility_kw", "Facility power, typical", "kW", needs=POWER),
        Figure("switches", "Switches", "switches"),
        Figure("leaves", "Leaves", "switches"),
        Figure("spines", "Spines", "switches"),
        Figure("cores", "Cores", "switches"),
        Figure("links", "Links", "links"),
        Figure("cables", "Cables", "cables"),
        Figure("transceivers", "Transceivers", "transceivers"),
        Figure("racks", "Racks", "racks"),
        Figure("switch_ru", "Height of the switches", "RU"),
        Figure("tiers", "Tiers", "tiers", largest=3),
        Figure("nodes", "Nodes", "nodes"),
        Figure("gpus", "GPUs", "GPUs", is_more=True),
        Figure("oversubscription", "Oversubscription of the worst leaf", ":1"),
        Figure("bisection_gbit_s", "Bisection bandwidth", "Gb/s", is_more=True),
        Figure("uplinks_left", "Share of a leaf's uplinks left after the loss of a spine", "share", True, largest=1),
        Figure("endpoints_left", "Share of endpoints left after the loss of a leaf", "share", True, largest=1),
        Figure("growth_nodes", "Nodes that it grows to without recabling", "nodes", is_more=True),
        Figure("in_network_reduction", "In-network reduction available", "yes or no", True, largest=1),
        Figure("managed", "A switch has its own management", "yes or no", True, largest=1),
        Figure("longest_cable_m", "Longest cable", "m"),
        Figure("switch_vendors", "Vendors of switches", "vendors"),
        Figure("vendors", "Vendors of switches, transceivers and cables", "vendors"),
        Figure("announced_parts", "Parts that are announced and not sold yet", "parts"),
        Figure("step_s", "Training step", "s", needs=WORK),
        Figure("tokens_per_s_per_gpu", "Tokens a second of a GPU", "tokens/s", True, WORK),
        Figure("tpot_ms", "Time per output token", "ms", needs=WORK),
        Figure("usd_per_million_tokens", "Cost of a million tokens", "USD", needs=PRICES),
        Figure("tokens_per_usd", "Tokens a dollar", "tokens", True, WORK),
        Figure("all_reduce_gb_s", "All-reduce on all GPUs", "GB/s", is_more=True, needs=GPU),
        Figure("all_to_all_gb_s", "All-to-all on all GPUs", "GB/s", is_more=True, needs=GPU),
    )
}
MILLIONS_AN_HOUR = 3_600 / 1e6  # of one token a second
_PER_BANDWIDTH = ("usd_per_gb_s", "network_usd_per_gb_s")
Key = tuple[str, int]  # a figure and a message size, which counts for bandwidths alone


def figure_named(name: str, where: str) -> Figure:
    """A figure by name.

    Raises
    ------
    SpecError
        Naming ``where``, if there is none.
    """
    if name not in FIGURES:
        message = (
            f"'{name[:80]}' is not a figure. Near it: {near_words(name, FIGURES)}. Figures are {', '.join(FIGURES)}."
        )
        raise SpecError([Problem(where, "unknown_figure", message)])
    return FIGURES[name]


def bandwidths_in(keys: Iterable[Key]) -> tuple[Wanted, ...]:
    """The bandwidths that figures rest on."""
    found = [("all_reduce_gb_s" if name in _PER_BANDWIDTH else name, size) for name, size in keys]
    return tuple(dict.fromkeys(one for one in found if one[0] in COLLECTIVE_OF))


@dataclass(frozen=True)
class Table:
    """Figures of candidates, shape (n,); of money also the low and the high end. NaN where a figure is not known."""

    typical: Mapping[Key, FloatArray]
    low: Mapping[Key, FloatArray]
    high: Mapping[Key, FloatArray]

    def take(self, rows: IntArray) -> "Table":
        """Some candidates."""
        return Table(
            *({key: column[rows] for key, column in side.items()} for side in (self.typical, self.low, self.high))
        )


def joined(tables: Sequence[Table], keys: Sequence[Key]) -> Table:
    """Tables one under the other."""

    def side(name: str) -> dict[Key, FloatArray]:
        return {key: np.concatenate([getattr(one, name)[key] for one in tables] or [np.zeros(0)]) for key in keys}

    return Table(side("typical"), side("low"), side("high"))


@dataclass(frozen=True)
class Aims:
    """What is worked out of every candidate: figures, and the workload that some of them are of."""

    keys: Sequence[Key]
    work: Work | None = None


def figures_of(groups: Sequence[tuple[Cabled, Priced]], aims: Aims, catalog: Catalog) -> Iterator[tuple[Cabled, Table]]:
    """Figures of candidates, those with the same parts in a group."""
    speeds = bandwidths([found.of for found, _ in groups], bandwidths_in(aims.keys), catalog)
    for (found, money), own in zip(groups, speeds, strict=True):
        rates = no_rates(len(found.of))
        if aims.work is not None and found.of.spec.compute.gpu is not None:
            rates = rates_of(found.of, ratio_table(ratios_of(found.of, catalog)), aims.work, catalog)
        made = {key: _of_columns(key, found, money, own, rates, catalog) for key in aims.keys}
        ends = [
            {key: column if column.ndim == 1 else column[:, end] for key, column in made.items()} for end in range(ENDS)
        ]
        yield found, Table(typical=ends[TYPICAL], low=ends[0], high=ends[2])


def _of_columns(
    key: Key,
    found: Cabled,
    money: Priced,
    speeds: Mapping[Wanted, FloatArray],
    rates: Mapping[str, FloatArray],
    catalog: Catalog,
) -> FloatArray:
    """One figure, shape (n,), or (n, 3) of money."""
    name, size = key
    sizing, n = found.of.sizing, len(found.of)
    if name in money.parts.figures:
        return np.full(n, money.parts.figures[name])
    if name in OF_WORKLOAD:
        hour = np.full((n, ENDS), np.nan) if money.at_least else np.round(usd(money.gpu_hour), 4)
        return _of_work(name, rates, hour)
    if FIGURES[name].is_money:
        speed = speeds.get(("all_reduce_gb_s", size))
        return _money(name, money, sizing.asked.gpus, np.full(n, np.nan) if speed is None else speed)
    if name in COLLECTIVE_OF:
        return speeds[key]
    if name == "oversubscription":
        fed, up = worst_leaf(found.of)
        return fed / up
    if name == "uplinks_left":
        return _uplinks_left(found)
    if name == "endpoints_left":
        fullest = most_of(found.of.leaves.of, found.of.leaves.endpoints, n)
        return 1.0 - fullest / sizing.endpoints
    if name == "in_network_reduction":
        return np.full(n, adds_in_switches(found.of.spec, catalog))
    if name == "growth_nodes":
        return _growth_nodes(found.of)
    if name == "bisection_gbit_s":
        return _bisection(found)
    modules = sum((_modules(found, tier.ends.tier) for tier in found.tiers), np.zeros(n))
    columns = {
        "power_kw": money.network_w / W_PER_KW,
        "it_kw": money.it_w / W_PER_KW,
        "facility_kw": money.facility_w / W_PER_KW,
        "switches": sizing.n_leaf + sizing.n_spine + sizing.n_core,
        "leaves": sizing.n_leaf,
        "spines": sizing.n_spine,
        "cores": sizing.n_core,
        "links": sizing.endpoints + sizing.links_leaf_spine + sizing.links_spine_core,
        "cables": np.sum([tier.cables for tier in found.tiers], axis=0),
        "transceivers": modules,
        "racks": money.racks,
        "switch_ru": money.rack_units,
        "tiers": sizing.tiers,
        "nodes": sizing.asked.nodes,
        "gpus": sizing.asked.gpus,
    }
    if FIGURES[name].needs == POWER and money.power_at_least:
        return np.full(n, np.nan)
    return columns[name].astype(np.float64)


def _of_work(name: str, rates: Mapping[str, FloatArray], usd_per_gpu_hour: FloatArray) -> FloatArray:
    """A figure of the workload, shape (n,), or (n, 3) of money."""
    if name in rates:
        return rates[name]
    usd_per_million = np.round(usd_per_gpu_hour / (rates["tokens_per_s_per_gpu"][:, None] * MILLIONS_AN_HOUR), 4)
    return usd_per_million if name == "usd_per_million_tokens" else 1e6 / usd_per_million[:, TYPICAL]


def _money(name: str, money: Priced, gpus: IntArray, speed: FloatArray) -> FloatArray:
    if money.at_least:
        return np.full((len(gpus), ENDS), np.nan)
    amounts = {
        "network_usd": money.network,
        "capex_usd": money.purchase,
        "tco_usd": money.total_cost,
        "usd_per_gpu": per(money.purchase, gpus),
        "network_usd_per_gpu": per(money.network, gpus),
        "usd_per_gb_s": per(money.purchase, speed),
        "network_usd_per_gb_s": per(money.network, speed),
    }
    if name == "usd_per_gpu_hour":
        return np.round(usd(money.gpu_hour), 4)
    return usd(amounts[name])


def _modules(found: Cabled, tier: str) -> FloatArray:
    one = found.tier(tier)
    if one is None:
        return np.zeros(len(found.of))
    return (
        one.upper * bool(one.choice.upper_module) + one.lower * bool(one.choice.lower_module) + np.zeros(len(found.of))
    )


def _uplinks_left(found: Cabled) -> FloatArray:
    """What a leaf keeps of its uplinks when the spine that carries most of them is lost; 0 in one tier."""
    sizing = found.of.sizing
    last = np.where(sizing.last_group_spines > 0, sizing.last_group_spines, sizing.group_spines)
    spines = np.minimum(sizing.group_spines, last)
    lost = -(-sizing.uplinks // np.maximum(spines, 1))
    return np.where(sizing.uplinks > 0, (sizing.uplinks - lost) / np.maximum(sizing.uplinks, 1), 0.0)


def adds_in_switches(spec: DesignSpec, catalog: Catalog) -> float:
    """1 where switches of the compute network can add all-reduce data: every InfiniBand switch of the catalog can (SHARP)."""
    return float(catalog.generations[spec.fabric.generation].protocol == "infiniband")


def _growth_nodes(found: Alike) -> FloatArray:
    """Nodes that ports are held for; those of today where growing to them would rewire switches (growth/room.py)."""
    sizing, leaves = found.sizing, found.sizing.leaves
    held = np.maximum(np.maximum(sizing.asked.grow_nodes, leaves.built_nodes), sizing.asked.nodes)
    breaks_units = sizing.asked.full_unit & (leaves.unit_nodes > 0) & (held % np.maximum(leaves.unit_nodes, 1) > 0)
    return np.where(breaks_units, sizing.asked.nodes, held).astype(np.float64)


def _bisection(found: Cabled) -> FloatArray:
    """Half of the narrowest layer (fabric/sized.py)."""
    of = found.of
    leaves, rate = of.leaves, of.fabric.uplink_rate_gbit_s
    layer = whole_sums(leaves, np.maximum(leaves.endpoints, leaves.positions), len(of)) * of.fabric.endpoint_rate_gbit_s
    if of.fabric.tiers >= 2:
        layer = np.minimum(layer, of.sizing.links_leaf_spine * rate)
    if of.fabric.tiers == 3:
        layer = np.minimum(layer, of.sizing.links_spine_core * rate)
    return (layer // 2).astype(np.float64)


# ---------------------------------------------------------------- of an Estimate


def figures_of_estimate(made: Estimate, aims: Aims, catalog: Catalog) -> Table:
    """The same figures of one Estimate with ``PARTS``: columns of one entry."""
    work = _work_of_estimate(made, aims.work)
    facts = part_facts(made.bom.lines if made.bom else (), catalog).figures
    speeds = _speeds_of_estimate(made, aims.keys, catalog)

    def figure(key: Key, end: str) -> float:
        name, _ = key
        return facts[name] if name in facts else _of_estimate(key, made, speeds, catalog, end)

    ends = [
        {key: work[key[0]][at] if key[0] in work else np.array([figure(key, end)]) for key in aims.keys}
        for at, end in enumerate(("low", "typical", "high"))
    ]
    return Table(typical=ends[1], low=ends[0], high=ends[2])


PARTS = ("counts", "links", "cables", "bom", "cost", "all_reduce", "failures", "growth")


def _work_of_estimate(made: Estimate, work: Work | None) -> dict[str, list[FloatArray]]:
    """Figures of the workload of one Estimate: low, typical, high."""
    system, cost = made.performance.system if made.performance else None, made.cost
    rates = no_rates(1)
    if work is not None and system is not None:
        found = work.rates([system], [made.fabrics[COMPUTE].counts.gpus])
        rates = {name: found[:, at] for at, name in enumerate(WORK_FIGURES)}
    hour = cost.usd_per_gpu_hour if cost and not cost.at_least else None
    ends = np.array([[hour.low, hour.typical, hour.high] if hour else [np.nan] * ENDS])
    columns = {name: _of_work(name, rates, ends) for name in OF_WORKLOAD}
    return {
        name: [column] * ENDS if column.ndim == 1 else [column[:, at] for at in range(ENDS)]
        for name, column in columns.items()
    }


def _of_estimate(key: Key, made: Estimate, speeds: Mapping[Wanted, float], catalog: Catalog, end: str) -> float:
    name, size = key
    figure = FIGURES[name]
    if figure.is_money:
        return _money_of_estimate(name, made, speeds.get(("all_reduce_gb_s", size), float("nan")), end)
    if name in COLLECTIVE_OF:
        return speeds.get(key, float("nan"))
    if figure.needs == POWER:
        power = made.power
        watts = {"power_kw": power.network_w, "it_kw": power.it_w, "facility_kw": power.facility_w} if power else {}
        return watts[name].typical / W_PER_KW if power and not power.at_least else float("nan")
    return _count_of_estimate(name, made, catalog)


def _speeds_of_estimate(made: Estimate, keys: Iterable[Key], catalog: Catalog) -> dict[Wanted, float]:
    """Bandwidths that the keys are of; none where the performance of the system is not known. [GB/s]"""
    system, wanted = made.performance.system if made.performance else None, bandwidths_in(keys)
    if system is None or not wanted:
        return {}
    constants = constants_of(catalog, made.spec.workload.calibration)
    return of_system(system, made.fabrics[COMPUTE].counts.gpus, wanted, catalog, constants)


def _money_of_estimate(name: str, made: Estimate, speed: float, end: str) -> float:
    cost = made.cost
    if cost is None or cost.at_least:
        return float("nan")
    amounts = {
        "network_usd": cost.capex_usd.network,
        "capex_usd": cost.capex_usd.total,
        "tco_usd": cost.tco_usd,
        "usd_per_gpu": cost.usd_per_gpu,
        "network_usd_per_gpu": cost.network_usd_per_gpu,
        "usd_per_gpu_hour": cost.usd_per_gpu_hour,
    }
    if name in amounts:
        found = amounts[name]
        return float("nan") if found is None else float(getattr(found, end))
    whole = cost.capex_usd.total if name == "usd_per_gb_s" else cost.capex_usd.network
    cents = np.array([round(getattr(whole, end) * 100)], dtype=np.float64)
    return float(usd(per(cents, np.array([speed])))[0])


def _count_of_estimate(name: str, made: Estimate, catalog: Catalog) -> float:
    """Counts over all networks; leaves, spines, cores, tiers and ratios of the compute network."""
    networks, compute = list(made.fabrics.values()), made.fabrics[COMPUTE]
    lines = made.bom.lines if made.bom else []
    if name == "uplinks_left":
        lost = next((one for one in made.failures.one if one.lost == "spine"), None) if made.failures else None
        left = lost.leaf_uplinks_left if lost else None
        down, up = (int(side) for side in left.split(":")) if left else (0, 1)
        return down / up
    if name == "endpoints_left":
        leaf = next((one for one in made.failures.one if one.lost == "leaf"), None) if made.failures else None
        return 1.0 - (leaf.endpoints_cut_off if leaf else 0) / compute.links.node_leaf
    if name == "in_network_reduction":
        return adds_in_switches(made.spec, catalog)
    if name == "growth_nodes":
        grows = made.growth is not None and not made.growth.recabled
        return float(made.growth.nodes.sized_for if made.growth and grows else compute.counts.nodes)
    records = [(catalog.switches.get(line.part or ""), line.quantity) for line in lines]
    boxes = [(switch.rack_units, n) for switch, n in records if switch]
    counted = {
        "switch_ru": sum(height * n for height, n in boxes),
        "switches": sum(one.counts.switches for one in networks),
        "leaves": compute.counts.leaf,
        "spines": compute.counts.spine,
        "cores": compute.counts.core,
        "links": sum(one.links.total for one in networks),
        "cables": sum(sum(one.cables.as_json().values()) for one in networks if one.cables),
        "transceivers": sum(sum(one.transceivers.as_json().values()) for one in networks if one.transceivers),
        "racks": sum([line.quantity for line in lines if is_rack(line.category, line.use)]),
        "tiers": compute.tiers,
        "nodes": compute.counts.nodes,
        "gpus": compute.counts.gpus,
        "oversubscription": compute.oversubscription.worst_leaf_ratio,
        "bisection_gbit_s": compute.bisection_gbit_s,
    }
    return float(counted[name])


# ---------------------------------------------------------------- as they are answered


def known(value: float) -> float | None:
    """A figure, or None where it is not known."""
    return None if np.isnan(value) else float(value)


def ranges_of(table: Table, row: int, names: Sequence[str], size: int) -> dict[str, Range[float]]:
    """Figures of money of a candidate with their ends, those that are known."""
    keys = [(name, size) for name in names if FIGURES[name].is_money and not np.isnan(table.typical[name, size][row])]
    sides = (table.low, table.typical, table.high)
    return {key[0]: Range(*(float(side[key][row]) for side in sides)) for key in keys}


def described(names: Iterable[str]) -> dict[str, Json]:
    """Title, unit and sense of figures."""
    return {
        name: {
            "title": FIGURES[name].title,
            "unit": FIGURES[name].unit,
            "better": "more" if FIGURES[name].is_more else "less",
        }
        for name in names
    }
