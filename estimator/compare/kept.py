"""What a comparison needs of an Estimate, so that it can be kept and compared with another baseline years later."""

from collections.abc import Mapping
from typing import Any

_LINE = ("line", "category", "part", "part_number", "description", "use", "tier", "length_m", "quantity", "spare_quantity",
         "unit_price_usd", "extended_price_usd", "price_basis", "power_w", "fabric", "price_book", "book_prices_usd")  # fmt: skip
_NETWORK = ("tiers", "planes", "layout", "counts", "links", "oversubscription", "injection_gbit_s", "bisection_gbit_s")
_COST = (
    "outlay_usd",
    "opex_usd_per_year",
    "one_off_usd",
    "tco_usd",
    "tco_years",
    "usd_per_gpu",
    "network_usd_per_gpu",
    "usd_per_gpu_hour",
    "usd_per_gbit_s_bisection",
    "usd_per_gb_s_busbw",
    "usd_per_million_tokens",
    "at_least",
    "simulated",
)
_TIMES = ("busbw_gb_s", "time_us", "time_us_low", "time_us_high")
_DIGITS = 6


def kept_of(estimate: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of an Estimate's JSON that figures, rows and curves are made of; a kept one stays as it is."""
    spec, cost, performance = estimate["spec"], estimate.get("cost") or {}, estimate.get("performance") or {}
    compute, economics = spec["compute"], spec["economics"]
    prices = economics.get("prices")
    return {
        "spec": {
            "name": spec["name"],
            "compute": {"server": compute["server"]},
            "fabric": {"generation": spec["fabric"]["generation"]},
            "economics": {
                "price_book": economics["price_book"],
                "prices": {"name": prices["name"]} if prices else None,
            },
        },
        "spec_hash": estimate["spec_hash"],
        "versions": dict(estimate["versions"]),
        "fabrics": {name: {key: fabric.get(key) for key in _NETWORK} for name, fabric in estimate["fabrics"].items()},
        "findings": [{"severity": finding["severity"]} for finding in estimate.get("findings", [])],
        "bom": {"lines": [{key: line.get(key) for key in _LINE} for line in estimate["bom"]["lines"]]},
        "cost": {key: cost[key] for key in _COST if cost.get(key) is not None},
        "power": _power(estimate.get("power")),
        "performance": {
            "all_reduce": _all_reduce(performance.get("all_reduce")),
            "all_to_all": performance.get("all_to_all"),
        },
        "failures": {"expected": _expected(estimate.get("failures") or {})},
    }


def _power(power: Mapping[str, Any] | None) -> dict[str, Any] | None:
    keys = ("network_w", "it_w", "facility_w", "parts_w", "at_least")
    return {key: power[key] for key in keys} if power else None


def _expected(failures: Mapping[str, Any]) -> dict[str, Any]:
    expected = failures.get("expected") or {}
    return {key: expected[key] for key in ("failures_per_year", "stops_per_year") if key in expected}


def _all_reduce(table: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Times and bandwidths to six digits: the bands are a tenth and more."""
    if not table:
        return None
    times = {key: [[_short(value) for value in row] for row in table[key]] for key in _TIMES}
    last = {key: [table[key][-1]] for key in ("algorithm", "limited_by")}
    return {"gpus": list(table["gpus"]), "message_bytes": list(table["message_bytes"]), **times, **last}


def _short(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
