"""The head figures of the cost tab: each with its range, and in a few words how it comes about."""

from collections.abc import Iterable, Mapping
from typing import Any

from designer.wording.numbers import count, gbit_s, percent, rounded, usd, usd_small

ONE_OFF = {
    "freight": "freight and insurance",
    "contingency": "reserve",
    "tax": "tax and duty",
    "install": "installation",
    "design": "network design",
    "building": "building",
}
RUNNING = {
    "electricity": "electricity",
    "space": "space",
    "support": "support",
    "licences": "licences",
    "staff": "staff",
    "repairs": "repairs",
}
HOURS_PER_YEAR = 8_760


def head_figures(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Name, range, unit note and formula of every head figure; ``missing`` says how to get one that is not there."""
    cost, gpus = result["cost"], result["fabrics"]["compute"]["counts"]["gpus"]
    return [*_sums(cost), *_per_gpu(cost, gpus), *_per_output(result)]


def _figure(
    name: str, amount: Any, how: str, missing: str = "", field: str = "", likely: Mapping[str, float] | None = None
) -> dict[str, Any]:
    return {"name": name, "amount": amount, "how": how, "missing": missing, "field": field, "likely": likely}


def likely(cost: Mapping[str, Any], key: str) -> dict[str, float] | None:
    """5 %, half and 95 % of the draws of a figure, as a range; None where nothing was drawn."""
    drawn = (cost.get("simulated") or {}).get(key)
    return {"low": drawn["p5"], "typical": drawn["p50"], "high": drawn["p95"]} if drawn else None


def bill_beside_likely(result: Mapping[str, Any]) -> dict[str, Any] | None:
    """The purchase price that the strip shows, P50, beside the BOM's typical total, and which is more; None with no draws."""
    found = likely(result.get("cost") or {}, "capex_usd")
    if found is None or not result.get("bom"):
        return None
    drawn, added = found["typical"], result["bom"]["totals_usd"]["typical"]
    return {"drawn": drawn, "added": added, "is_same": usd(drawn) == usd(added), "is_more": drawn > added}


def likely_rows(cost: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The headline figures of the simulation: P5, P50, P95."""
    names = {
        "network_usd": "Network",
        "capex_usd": "Purchase price",
        "tco_usd": f"Total cost over {cost['tco_years']} years",
        "usd_per_gpu": "Purchase price per GPU",
        "usd_per_gpu_hour": "Total cost per GPU-hour",
    }
    found = {key: likely(cost, key) for key in names}
    return [
        {"name": f"{names[key]}, simulated", "note": "P5, P50, P95", "amount": amount}
        for key, amount in found.items()
        if amount
    ]


def _parts(amounts: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """ "freight and insurance $455,000 + reserve $2.28 M": the parts that are not nothing."""
    reported = [
        f"{name} {usd(amounts[key]['typical'])}"
        for key, name in names.items()
        if (amounts.get(key) or {}).get("typical")
    ]
    return " + ".join(reported) or "nothing"


def _value_of(cost: Mapping[str, Any], name: str) -> float | None:
    return next((item["value"] for item in cost["assumptions"] if item["name"] == name), None)


def _sums(cost: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    capex, years = cost["capex_usd"], cost["tco_years"]
    parts = _parts(capex, {"servers": "servers", "network": "network", "facility": "racks and cooling"})
    last = cost["cash_flow"][-1]["usd"].get("residual") or 0
    rate = _value_of(cost, "discount-rate")
    how = (
        f"Outlay + Σ running cost of year y ÷ (1 + r)^y − value left ÷ (1 + r)^{years}, with r = {percent(rate, 2)} "
        f"and {usd(-last)} left. Without discounting: {usd(cost['tco_undiscounted_usd']['typical'])}."
    )
    yield _figure(
        f"Total cost over {years} {'year' if years == 1 else 'years'}",
        cost["tco_usd"],
        how,
        likely=likely(cost, "tco_usd"),
    )
    yield _figure(
        "Purchase price",
        capex["total"],
        f"Every line of the bill of materials, spares included: {parts}.",
        likely=likely(cost, "capex_usd"),
    )
    yield _figure(
        "Outlay in year 0",
        cost["outlay_usd"],
        f"Purchase price {usd(capex['total']['typical'])} + {_parts(cost['one_off_usd'], ONE_OFF)}.",
    )
    yield _figure(
        "Running cost a year",
        cost["opex_usd_per_year"]["total"],
        f"{_parts(cost['opex_usd_per_year'], RUNNING)}, the mean of {years} years.".capitalize(),
    )


def _per_gpu(cost: Mapping[str, Any], gpus: int) -> Iterable[dict[str, Any]]:
    years, share = cost["tco_years"], _value_of(cost, "gpu-utilization")
    network = usd(cost["network_usd_per_gpu"]["typical"])
    yield _figure(
        "Per GPU",
        cost["usd_per_gpu"],
        f"Purchase price ÷ {count(gpus)} GPUs. The network alone: {network}.",
        likely=likely(cost, "usd_per_gpu"),
    )
    hours = f"{count(gpus)} GPUs × {count(HOURS_PER_YEAR)} h × {years} years × {percent(share, 2)} of the hours in use"
    yield _figure(
        "Per GPU-hour", cost["usd_per_gpu_hour"], f"Total cost ÷ ({hours}).", likely=likely(cost, "usd_per_gpu_hour")
    )


def _per_output(result: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    cost, bisection = result["cost"], result["fabrics"]["compute"]["bisection_gbit_s"]
    tokens = ((result.get("spec") or {}).get("economics") or {}).get("tokens_per_s_per_gpu")
    network = usd(cost["capex_usd"]["network"]["typical"])
    yield _figure(
        "Per Gb/s of bisection",
        cost["usd_per_gbit_s_bisection"],
        f"Network {network} ÷ bisection {gbit_s(bisection)}.",
        "One leaf has no bisection to speak of.",
    )
    yield _figure(
        "Per GB/s of bus bandwidth",
        cost["usd_per_gb_s_busbw"],
        "Purchase price ÷ predicted all-reduce bus bandwidth of the largest message on all GPUs.",
        "Name the GPU, so that collectives can be predicted.",
        "compute__gpu",
    )
    rate = rounded(tokens) if tokens else "t"
    hour = usd_small(cost["usd_per_gpu_hour"]["typical"])
    yield _figure(
        "Per million tokens",
        cost["usd_per_million_tokens"],
        f"{hour} a GPU-hour ÷ (3,600 s × {rate} tokens a second a GPU) × 1,000,000.",
        "Give “Tokens a second” under Money.",
        "economics__tokens_per_s_per_gpu",
    )
