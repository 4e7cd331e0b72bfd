"""The figures that sum a design up, as plain values: kept with every edit, so that the next one shows what it changed."""

from collections.abc import Mapping
from typing import Any

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


def headlines(result: Mapping[str, Any]) -> dict[str, Any]:
    """GPUs, switches, cables, transceivers of all networks; IT kW, purchase and its range, dollars a GPU; ratio, collectives.

    ``built_ratio`` is that of the fullest leaf, ``average`` over all leaves; None where there are no uplinks.

    Money is the P50 of the simulation, with P5 and P95 as its ends.

    ``floors`` names the figures that lack a part without a price, a known power or a cable that fits: they are the least.
    """
    fabrics, cost = result["fabrics"], result["cost"]
    compute = fabrics["compute"]
    ratio = compute["oversubscription"]
    reduction = headline(result.get("performance"))
    likely = {
        key: _likely(cost, key, typical)
        for key, typical in (
            ("capex_usd", cost["capex_usd"]["total"]),
            ("usd_per_gpu", cost["usd_per_gpu"]),
            ("usd_per_gpu_hour", cost["usd_per_gpu_hour"]),
            ("tco_usd", cost["tco_usd"]),
        )
    }
    has_uplinks = compute["counts"]["spine"] > 0
    return {
        "gpus": compute["counts"]["gpus"],
        "tiers": compute["tiers"],
        **{tier: compute["counts"][tier] for tier in TIERS},
        "switches": sum(fabric["counts"]["switches"] for fabric in fabrics.values()),
        "cables": sum(sum(fabric["cables"].values()) for fabric in fabrics.values()),
        "modules": sum(sum(fabric["transceivers"].values()) for fabric in fabrics.values()),
        "it_kw": result["power"]["it_w"]["typical"] / W_PER_KW,
        "capex_usd": likely["capex_usd"][1],
        "capex_usd_low": likely["capex_usd"][0],
        "capex_usd_high": likely["capex_usd"][2],
        "usd_per_gpu": likely["usd_per_gpu"][1],
        "usd_per_gpu_low": likely["usd_per_gpu"][0],
        "usd_per_gpu_high": likely["usd_per_gpu"][2],
        "usd_per_gpu_hour": likely["usd_per_gpu_hour"][1],
        "tco_usd": likely["tco_usd"][1],
        "is_simulated": "simulated" in cost,
        "tco_years": cost["tco_years"],
        "built_ratio": _quotient(ratio["worst_leaf"]) if has_uplinks else None,
        "built": ratio["worst_leaf"] if has_uplinks else None,
        "average": ratio["built"] if has_uplinks else None,
        "busbw_gb_s": reduction["busbw_gb_s"] if reduction else None,
        "all_to_all_gb_s": _all_to_all(result.get("performance")),
        "floors": _floors(result),
    }


def _quotient(ratio: str) -> float:
    return float(parse_ratio(ratio))


def _all_to_all(performance: Mapping[str, Any] | None) -> float | None:
    """Bus bandwidth of the largest all-to-all on all GPUs, as a GPU sends and receives it. [GB/s]"""
    found = (performance or {}).get("all_to_all")
    return found["busbw_gb_s"] if found else None


def _likely(cost: Mapping[str, Any], key: str, ends: Mapping[str, float] | None) -> tuple[float | None, ...]:
    """A figure of money: 5 %, half and 95 % of the draws; its sums at low, typical and high where nothing was drawn."""
    drawn = (cost.get("simulated") or {}).get(key)
    if drawn and ends:
        return drawn["p5"], drawn["p50"], drawn["p95"]
    return (ends["low"], ends["typical"], ends["high"]) if ends else (None, None, None)


def _floors(result: Mapping[str, Any]) -> list[str]:
    tiers = [tier for fabric in result["fabrics"].values() for tier in fabric["media"].values()]
    lacks = (
        (CABLING, any(tier["missing"] for tier in tiers)),
        (("it_kw",), result["power"]["at_least"]),
        (MONEY, result["cost"]["at_least"]),
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


def busbw_bounds(performance: Mapping[str, Any], at: int, size: int) -> tuple[float, float]:
    """Low and high busbw of one point: the band is given for the time, and busbw is inverse to it."""
    busbw, time_us = performance["busbw_gb_s"][at][size], performance["time_us"][at][size]
    slow, fast = performance["time_us_high"][at][size], performance["time_us_low"][at][size]
    return busbw * time_us / slow, busbw * time_us / fast


def predicted_all_reduce(performance: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The predicted all-reduce; None where there is none, or where a single GPU has nothing to exchange."""
    all_reduce = (performance or {}).get("all_reduce")
    return all_reduce if all_reduce and max(all_reduce.get("gpus") or [0]) > 1 else None


def _measured_gpus(all_reduce: Mapping[str, Any]) -> int | None:
    """The most GPUs for which runs like this one, at the largest size, were measured; None where none were."""
    return max((n for n, row in zip(all_reduce["gpus"], all_reduce["validated"], strict=True) if row[-1]), default=None)


def _random(both: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """What scattering the ranks over the cluster at random leaves, against ranks in order; both at the largest size."""
    if not both or not both["ordered_busbw_gb_s"]:
        return None
    ordered, scattered = both["ordered_busbw_gb_s"], both["random_busbw_gb_s"]
    return {
        "busbw_gb_s": scattered,
        "ordered_busbw_gb_s": ordered,
        "loss": 1 - scattered / ordered,
        "costs": scattered < ordered * (1 - NO_LOSS),
    }


def headline(performance: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Bus bandwidth of the largest message on the most GPUs, as the key figures print it."""
    all_reduce = predicted_all_reduce(performance)
    if all_reduce is None:
        return None
    last = len(all_reduce["message_bytes"]) - 1
    low, high = busbw_bounds(all_reduce, -1, last)
    return {
        "gpus": all_reduce["gpus"][-1],
        "message_bytes": all_reduce["message_bytes"][last],
        "low": low,
        "high": high,
        "busbw_gb_s": all_reduce["busbw_gb_s"][-1][last],
        "time_us": all_reduce["time_us"][-1][last],
        "limit_in_words": LIMITS.get(all_reduce["limited_by"][-1][last], ""),
        "measured_gpus": _measured_gpus(all_reduce),
        "random": _random(all_reduce.get("both_placements")),
        **{key: all_reduce[key][-1][last] for key in ("algorithm", "protocol", "limited_by", "validated")},
    }
