"""The figures that sum a design up, as plain values: kept with every edit, so that the next one shows what it changed."""

from collections.abc import Mapping
from typing import Any

from designer.charts import headline
from estimator.units import W_PER_KW

KEYS = ("gpus", "switches", "cables", "modules", "it_kw", "capex_usd", "usd_per_gpu", "built_ratio", "busbw_gb_s")


def headlines(result: Mapping[str, Any]) -> dict[str, Any]:
    """GPUs, switches, cables, modules of all networks; IT kW, purchase and its range, dollars a GPU; built ratio, all-reduce."""
    fabrics, cost = result["fabrics"], result["cost"]
    compute = fabrics["compute"]
    ratio = compute["oversubscription"]
    reduction = headline(result.get("performance"))
    capex = cost["capex_usd"]["total"]
    return {
        "gpus": compute["counts"]["gpus"],
        "switches": sum(fabric["counts"]["switches"] for fabric in fabrics.values()),
        "cables": sum(sum(fabric["cables"].values()) for fabric in fabrics.values()),
        "modules": sum(sum(fabric["transceivers"].values()) for fabric in fabrics.values()),
        "it_kw": result["power"]["it_w"]["typical"] / W_PER_KW,
        "capex_usd": capex["typical"],
        "capex_low_usd": capex["low"],
        "capex_high_usd": capex["high"],
        "usd_per_gpu": (cost["usd_per_gpu"] or {}).get("typical"),
        "built_ratio": ratio["built_ratio"] if compute["counts"]["spine"] else None,
        "built": ratio["built"] if compute["counts"]["spine"] else None,
        "busbw_gb_s": reduction["busbw_gb_s"] if reduction else None,
        "at_least": bool(cost["at_least"]),
    }


def changes(now: Mapping[str, Any] | None, before: Mapping[str, Any] | None) -> dict[str, float]:
    """By key, how much a figure has moved since ``before``; what has not, or cannot be told, is left out."""
    if not now or not before:
        return {}
    moved = {key: now[key] - before[key] for key in KEYS if now.get(key) is not None and before.get(key) is not None}
    return {key: value for key, value in moved.items() if value}
