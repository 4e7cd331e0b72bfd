"""The figures that sum a design up, kept with every edit, so that the next one shows what it changed."""

from typing import NamedTuple

from designer.wording.cost import likely
from designer.wording.numbers import words
from estimator.performance.result import AllReduceTable, BothPlacements, Curves, Performance
from estimator.record import IfAny, Newer, Record
from estimator.result import PricedEstimate
from estimator.units import W_PER_KW, parse_ratio

KEYS = (
    "gpus",
    "switches",
    "cables",
    "modules",
    "it_kw",
    "capex_usd",
    "usd_per_gpu",
    "usd_per_gpu_hour",
    "tco_usd",
    "built_ratio",
    "busbw_gb_s",
    "all_to_all_gb_s",
)
CABLING = ("cables", "modules")
MONEY = ("capex_usd", "usd_per_gpu", "usd_per_gpu_hour", "tco_usd")
NO_LOSS = 0.0005  # a difference that three digits do not show
LIMITS = {  # the kinds of link explain themselves
    "launch and latency": "Launch and latency take longer than the bytes do. ",
    "pipeline fill": "The message is too short to keep every step busy. ",
    "NVLink reduction": "The NVLink switches that add inside a scale-up domain set the pace. ",
    "NIC": "What the NICs of a scale-up domain can send sets the pace, not the fabric. ",
    "leaf oversubscription": "More traffic leaves the leaves than their uplinks carry. ",
    "spine oversubscription": "More traffic leaves the pods than the spines' uplinks carry. ",
    "load balancing": "Some uplinks carry more than others: see Load balancing. ",
    "loss without flow control": "Packets are lost and sent again, how many nobody knows: read the band, not the line. ",
    "rack network channels": "Between racks the library opens only so many channels, whatever the NICs could carry. ",
    "in-network reduction": "The network's switches add (SHARP), and their rate sets the pace. ",
    "channels of a pair": "Between two GPUs the library opens only so many channels, whatever the links could carry. ",
}


LIMIT_NAMES = {  # of what holds a point, a layout or a placement down, where the answer's own word needs a second reading
    "pipeline fill": "message too short",
    "NVLink reduction": "NVLink switches (NVLS)",
    "rack network channels": "channels between racks",
    "channels of a pair": "channels of a GPU pair",
    "prompts": "prefill of prompts",
    "overhead": "launches and overhead",
}


def limit_name(limit: str | None) -> str:
    """A limit as pages name it: "rack network channels" → "channels between racks", "memory_bandwidth" → "memory bandwidth"."""
    return LIMIT_NAMES.get(limit or "") or words(limit)


class Headlines(Record):
    """The figures that sum a design up; those of all networks together are so named. Money is the P50 of the simulation."""

    gpus: int
    tiers: int
    leaf: int
    spine: int
    core: int
    switches: int
    """Of all networks, as cables and transceivers."""
    cables: int
    modules: int
    it_kw: float
    capex_usd: float
    capex_usd_low: float
    """P5, as the other low ends; the high ones are P95."""
    capex_usd_high: float
    usd_per_gpu: float | None
    usd_per_gpu_low: float | None
    usd_per_gpu_high: float | None
    usd_per_gpu_hour: float
    tco_usd: float
    is_simulated: Newer[bool]
    tco_years: Newer[int]
    built_ratio: float | None
    """Of the fullest leaf; null where there are no uplinks, as the two below."""
    built: str | None
    average: Newer[str | None]
    """Over all leaves."""
    busbw_gb_s: float | None
    all_to_all_gb_s: Newer[float | None]
    floors: Newer[list[str]]
    """Figures that lack a part without a price, a known power or a cable that fits: they are the least."""
    spec_hash: IfAny[str] = None
    """What they are of, where they are kept."""
    versions: IfAny[list[str]] = None
    """Model and catalog that made them, where they are kept."""


def headlines(estimate: PricedEstimate) -> Headlines:
    """The figures of one Estimate."""
    networks, cost, compute = estimate.fabrics.values(), estimate.cost, estimate.compute
    counts, ratio = compute.counts, compute.oversubscription
    reduction, scattered = headline(estimate.performance), estimate.performance.all_to_all
    capex = likely(cost, "capex_usd") or cost.capex_usd.total
    per_gpu = (likely(cost, "usd_per_gpu") or cost.usd_per_gpu) if cost.usd_per_gpu else None
    has_uplinks = counts.spine > 0
    return Headlines(
        gpus=counts.gpus,
        tiers=compute.tiers,
        leaf=counts.leaf,
        spine=counts.spine,
        core=counts.core,
        switches=sum(network.counts.switches for network in networks),
        cables=sum(network.cables.total for network in networks if network.cables),
        modules=sum(network.transceivers.total for network in networks if network.transceivers),
        it_kw=estimate.power.it_w.typical / W_PER_KW,
        capex_usd=capex.typical,
        capex_usd_low=capex.low,
        capex_usd_high=capex.high,
        usd_per_gpu=per_gpu.typical if per_gpu else None,
        usd_per_gpu_low=per_gpu.low if per_gpu else None,
        usd_per_gpu_high=per_gpu.high if per_gpu else None,
        usd_per_gpu_hour=(likely(cost, "usd_per_gpu_hour") or cost.usd_per_gpu_hour).typical,
        tco_usd=(likely(cost, "tco_usd") or cost.tco_usd).typical,
        is_simulated=cost.simulated is not None,
        tco_years=cost.tco_years,
        built_ratio=float(parse_ratio(ratio.worst_leaf)) if has_uplinks else None,
        built=ratio.worst_leaf if has_uplinks else None,
        average=ratio.built if has_uplinks else None,
        busbw_gb_s=reduction.busbw_gb_s if reduction else None,
        all_to_all_gb_s=scattered.busbw_gb_s if scattered else None,
        floors=_floors(estimate),
    )


def _floors(estimate: PricedEstimate) -> list[str]:
    tiers = [tier for network in estimate.fabrics.values() for tier in (network.media or {}).values()]
    lacks = (
        (CABLING, any(tier.missing for tier in tiers)),
        (("it_kw",), estimate.power.at_least),
        (MONEY, estimate.cost.at_least),
    )
    return [key for keys, is_lacking in lacks if is_lacking for key in keys]


def is_floor(figures: Headlines, key: str) -> bool:
    """Whether a figure is only the least that it is."""
    return key in (figures.floors or ())


def figure_at(figures: Headlines, key: str) -> float | None:
    """One of KEYS; None where it is not known, or was not made yet when they were kept."""
    value: float | None = getattr(figures, key, None)
    return value


def changes(now: Headlines | None, before: Headlines | None) -> dict[str, float]:
    """By key, how much a figure has moved since ``before``; what has not, or cannot be reported, is left out.

    Two least figures say nothing of how far the true ones are apart.
    """
    if not now or not before:
        return {}
    moved = {}
    for key in KEYS:
        here, there = figure_at(now, key), figure_at(before, key)
        if here is not None and there is not None and not is_floor(now, key) and not is_floor(before, key):
            moved[key] = here - there
    return {key: by for key, by in moved.items() if by}


def busbw_bounds(curves: Curves, at: int, size: int) -> tuple[float, float]:
    """Low and high busbw of one point: the band is given for the time, and busbw is inverse to it."""
    busbw, time_us = curves.busbw_gb_s[at][size], curves.time_us[at][size]
    return busbw * time_us / curves.time_us_high[at][size], busbw * time_us / curves.time_us_low[at][size]


class Scattered(NamedTuple):
    """What scattering the ranks over the cluster at random leaves, against ranks in order; both at the largest size."""

    busbw_gb_s: float
    ordered_busbw_gb_s: float
    loss: float
    costs: bool


class Headline(NamedTuple):
    """Bus bandwidth of the largest message on the most GPUs, as the key figures print it."""

    gpus: int
    message_bytes: int
    low: float
    high: float
    busbw_gb_s: float
    time_us: float
    limit_in_words: str
    measured_gpus: int | None
    random: Scattered | None
    algorithm: str | None
    protocol: str | None
    limited_by: str
    validated: bool


def headline(performance: Performance) -> Headline | None:
    """The headline of a predicted all-reduce; None where there is none."""
    all_reduce = performance.predicted_all_reduce
    if all_reduce is None:
        return None
    low, high = busbw_bounds(all_reduce, -1, -1)
    limit = all_reduce.limited_by[-1][-1]
    return Headline(
        gpus=all_reduce.gpus[-1],
        message_bytes=all_reduce.message_bytes[-1],
        low=low,
        high=high,
        busbw_gb_s=all_reduce.busbw_gb_s[-1][-1],
        time_us=all_reduce.time_us[-1][-1],
        limit_in_words=LIMITS.get(limit, ""),
        measured_gpus=_measured_gpus(all_reduce),
        random=_random(all_reduce.both_placements),
        algorithm=all_reduce.algorithm[-1][-1],
        protocol=all_reduce.protocol[-1][-1],
        limited_by=limit_name(limit),
        validated=all_reduce.validated[-1][-1],
    )


def _measured_gpus(all_reduce: AllReduceTable) -> int | None:
    """The most GPUs for which runs like this one, at the largest size, were measured; None where none were."""
    return max((n for n, row in zip(all_reduce.gpus, all_reduce.validated, strict=True) if row[-1]), default=None)


def _random(both: BothPlacements | None) -> Scattered | None:
    if not both or not both.ordered_busbw_gb_s:
        return None
    ordered, scattered = both.ordered_busbw_gb_s, both.random_busbw_gb_s
    return Scattered(scattered, ordered, 1 - scattered / ordered, scattered < ordered * (1 - NO_LOSS))
