"""The figures that sum a design up, as plain values: kept with every edit, so that the next one shows what it changed."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from designer.wording.cost import likely
from estimator.cost.result import Cost
from estimator.performance.result import AllReduceTable, BothPlacements, Curves, Performance
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
TIERS = ("leaf", "spine", "core")
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
}


def headlines(estimate: PricedEstimate) -> dict[str, Any]:
    """GPUs, switches, cables, transceivers of all networks; IT kW, purchase and its range, dollars a GPU; ratio, collectives.

    ``built_ratio`` is that of the fullest leaf, ``average`` over all leaves; None where there are no uplinks.

    Money is the P50 of the simulation, with P5 and P95 as its ends.

    ``floors`` names the figures that lack a part without a price, a known power or a cable that fits: they are the least.
    """
    networks, cost, compute = estimate.fabrics.values(), estimate.cost, estimate.compute
    counts, ratio = compute.counts, compute.oversubscription
    reduction, scattered = headline(estimate.performance), estimate.performance.all_to_all
    has_uplinks = counts.spine > 0
    return {
        "gpus": counts.gpus,
        "tiers": compute.tiers,
        **{tier: getattr(counts, tier) for tier in TIERS},
        "switches": sum(network.counts.switches for network in networks),
        "cables": sum(network.cables.total for network in networks if network.cables),
        "modules": sum(network.transceivers.total for network in networks if network.transceivers),
        "it_kw": estimate.power.it_w.typical / W_PER_KW,
        **_money(cost),
        "is_simulated": cost.simulated is not None,
        "tco_years": cost.tco_years,
        "built_ratio": float(parse_ratio(ratio.worst_leaf)) if has_uplinks else None,
        "built": ratio.worst_leaf if has_uplinks else None,
        "average": ratio.built if has_uplinks else None,
        "busbw_gb_s": reduction.busbw_gb_s if reduction else None,
        "all_to_all_gb_s": scattered.busbw_gb_s if scattered else None,
        "floors": _floors(estimate),
    }


def _money(cost: Cost) -> dict[str, float | None]:
    """The figures of MONEY, with the ends of what a purchase costs."""
    capex = likely(cost, "capex_usd") or cost.capex_usd.total
    per_gpu = (likely(cost, "usd_per_gpu") or cost.usd_per_gpu) if cost.usd_per_gpu else None
    return {
        "capex_usd": capex.typical,
        "capex_usd_low": capex.low,
        "capex_usd_high": capex.high,
        "usd_per_gpu": per_gpu.typical if per_gpu else None,
        "usd_per_gpu_low": per_gpu.low if per_gpu else None,
        "usd_per_gpu_high": per_gpu.high if per_gpu else None,
        "usd_per_gpu_hour": (likely(cost, "usd_per_gpu_hour") or cost.usd_per_gpu_hour).typical,
        "tco_usd": (likely(cost, "tco_usd") or cost.tco_usd).typical,
    }


def _floors(estimate: PricedEstimate) -> list[str]:
    tiers = [tier for network in estimate.fabrics.values() for tier in (network.media or {}).values()]
    lacks = (
        (CABLING, any(tier.missing for tier in tiers)),
        (("it_kw",), estimate.power.at_least),
        (MONEY, estimate.cost.at_least),
    )
    return [key for keys, is_lacking in lacks if is_lacking for key in keys]


def is_floor(figures: Mapping[str, Any], key: str) -> bool:
    """Whether a figure is only the least that it is."""
    return key in (figures.get("floors") or ())


def changes(now: Mapping[str, Any] | None, before: Mapping[str, Any] | None) -> dict[str, float]:
    """By key, how much a figure has moved since ``before``; what has not, or cannot be reported, is left out.

    Two least figures say nothing of how far the true ones are apart.
    """
    if not now or not before:
        return {}
    known = [key for key in KEYS if not any(one.get(key) is None or is_floor(one, key) for one in (now, before))]
    moved = {key: now[key] - before[key] for key in known}
    return {key: value for key, value in moved.items() if value}


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
        limited_by=limit,
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
