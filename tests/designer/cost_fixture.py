"""A cost part of an Estimate in the shape of contract and docs/cost.md, small enough to check by eye."""

import copy
from typing import Any

from estimator.cost.result import Cost

KINDS = ("servers", "network", "facility", "one_off", "electricity", "space", "support", "licences", "staff", "repairs")
RATE, YEARS, GPUS = 0.09, 4, 1_024
NOTHING = {"low": 0.0, "typical": 0.0, "high": 0.0}
BOUGHT = {"servers": 40_000_000.0, "network": 5_000_000.0, "facility": 500_000.0, "one_off": 3_000_000.0}
RUNNING = {
    "electricity": 1_000_000.0,
    "space": 2_500_000.0,
    "support": 2_200_000.0,
    "licences": 25_600.0,
    "staff": 0.0,
    "repairs": 40_000.0,
}
LEFT = 4_550_000.0


def ends(typical: float, spread: float = 0.2) -> dict[str, float]:
    """A range around a typical figure."""
    return {"low": round(typical * (1 - spread), 4), "typical": typical, "high": round(typical * (1 + spread), 4)}


def _cash_flow() -> list[dict[str, Any]]:
    rows, sum_usd, sum_discounted = [], 0.0, 0.0
    for year in range(YEARS + 1):
        usd = {kind: (BOUGHT if year == 0 else RUNNING).get(kind, 0.0) for kind in KINDS}
        usd["residual"] = -LEFT if year == YEARS else 0.0
        total = sum(usd.values())
        sum_usd += total
        sum_discounted += round(total / (1 + RATE) ** year, 2)
        discounted = round(total / (1 + RATE) ** year, 2)
        rows.append(
            {
                "year": year,
                "usd": usd,
                "total_usd": ends(total),
                "discounted_usd": ends(discounted),
                "cumulative_usd": ends(sum_usd),
                "cumulative_discounted_usd": ends(sum_discounted),
            }
        )
    return rows


def _by_years() -> list[dict[str, Any]]:
    running, out = sum(RUNNING.values()), []
    for years in range(1, 8):
        left = max(0.1, 1 - 0.18 * years) * 45_500_000
        tco = (
            sum(BOUGHT.values())
            + sum(running / (1 + RATE) ** y for y in range(1, years + 1))
            - left / (1 + RATE) ** years
        )
        out.append(
            {
                "years": years,
                "tco_usd": ends(round(tco, 2)),
                "residual_usd": ends(left),
                "usd_per_gpu_hour": ends(round(tco / (GPUS * 8760 * years * 0.8), 4)),
            }
        )
    return out


def _assumption(name: str, label: str, value: float, low: float, high: float, unit: str, basis: str) -> dict[str, Any]:
    return {
        "name": name,
        "label": label,
        "value": value,
        "low": low,
        "high": high,
        "unit": unit,
        "basis": basis,
        "source": f"A source of {label.lower()}",
        "as_of": "2026-11-27",
    }


ASSUMPTIONS = [
    _assumption("electricity-kwh", "Electricity", 0.085, 0.05, 0.15, "USD/kWh", "analyst"),
    _assumption("pue", "Facility power ÷ IT power", 1.3, 1.1, 1.54, "ratio", "analyst"),
    _assumption("gpu-utilization", "Share of hours in which GPUs work", 0.8, 0.6, 0.9, "fraction", "assumption"),
    _assumption("discount-rate", "Discount rate", RATE, 0.06, 0.13, "fraction/yr", "assumption"),
    _assumption("colo-kw-month", "Colocation, wholesale", 195.0, 130.0, 250.0, "USD/kW-month", "analyst"),
    _assumption("support-server-pct", "Support of servers", 0.05, 0.03, 0.1, "fraction of price a year", "assumption"),
    _assumption(
        "support-switch-pct", "Support of switches", 0.08, 0.05, 0.12, "fraction of price a year", "assumption"
    ),
    _assumption("residual-value", "Value left at the end", 0.1, 0.0, 0.2, "fraction of capex", "assumption"),
]


def _quantiles(middle: float) -> dict[str, float]:
    names = {"p5": 0.9, "p10": 0.92, "p25": 0.96, "p50": 1.0, "p75": 1.05, "p90": 1.1, "p95": 1.13, "mean": 1.005}
    return {name: round(middle * share, 4) for name, share in names.items()}


def _histogram(middle: float) -> dict[str, list[Any]]:
    edges = [round(middle * (0.8 + 0.04 * k), 2) for k in range(11)]
    return {"edges_usd": edges, "counts": [100, 500, 1200, 1900, 2300, 1900, 1100, 600, 300, 100]}


_TCO = sum(row["discounted_usd"]["typical"] for row in _cash_flow())
TORNADO = [
    {
        "name": row["name"],
        "label": row["label"],
        "unit": row["unit"],
        "low": row["low"],
        "high": row["high"],
        "tco_low_usd": round(_TCO - (8 - at) * 600_000, 2),
        "tco_high_usd": round(_TCO + (8 - at) * 900_000, 2),
    }
    for at, row in enumerate(ASSUMPTIONS)
]

_COST: dict[str, Any] = {
    "capex_usd": {"network": ends(5_000_000.0), "servers": ends(40_000_000.0), "facility": ends(500_000.0),
                  "total": ends(45_500_000.0)},
    "capex_by": [
        {"fabric": "compute", "category": "server", "usd": ends(40_000_000.0), "spares_usd": NOTHING},
        {"fabric": "compute", "category": "switch", "usd": ends(2_400_000.0), "spares_usd": ends(48_000.0)},
        {"fabric": "compute", "category": "transceiver", "usd": ends(1_800_000.0), "spares_usd": ends(54_000.0)},
        {"fabric": "compute", "category": "fiber", "usd": ends(300_000.0), "spares_usd": ends(9_000.0)},
        {"fabric": "compute", "category": "rack", "usd": ends(500_000.0), "spares_usd": NOTHING},
        {"fabric": "storage", "category": "switch", "usd": ends(400_000.0), "spares_usd": ends(50_000.0)},
        {"fabric": "storage", "category": "transceiver", "usd": ends(100_000.0), "spares_usd": ends(3_000.0)},
    ],
    "one_off_usd": {"freight": ends(455_000.0), "contingency": ends(2_275_000.0), "tax": NOTHING, "install": ends(270_000.0),
                    "design": NOTHING, "building": NOTHING, "total": ends(3_000_000.0)},
    "outlay_usd": ends(48_500_000.0),
    "opex_usd_per_year": {**{kind: ends(usd) for kind, usd in RUNNING.items()}, "total": ends(sum(RUNNING.values()))},
    "cash_flow": _cash_flow(),
    "tco_usd": ends(round(_TCO, 2)),
    "tco_undiscounted_usd": ends(sum(row["total_usd"]["typical"] for row in _cash_flow())),
    "tco_years": YEARS,
    "by_years": _by_years(),
    "depreciation": {"years": ends(5.0), "usd_per_year": ends(8_190_000.0),
                     "book_value_usd": [45_500_000.0, 37_310_000.0, 29_120_000.0, 20_930_000.0, 12_740_000.0, 4_550_000.0,
                                        4_550_000.0, 4_550_000.0]},
    "usd_per_gpu": ends(44_433.59), "network_usd_per_gpu": ends(4_882.81),
    "usd_per_gpu_hour": ends(round(_TCO / (GPUS * 8760 * 4 * 0.8), 4)),
    "network_share": 0.1099,
    "usd_per_gbit_s_bisection": ends(24.41), "usd_per_gb_s_busbw": ends(123_641.3), "usd_per_million_tokens": None,
    "rent": {"cloud_usd_per_gpu_hour": None, "break_even_usd_per_gpu_hour": ends(2.33), "break_even_months": None,
             "rented_usd": None, "saved_usd": None},
    "energy_kwh_per_year": ends(11_764_705.9), "price_book": "anchors", "prices": None, "at_least": False,
    "assumptions": ASSUMPTIONS,
    "uncertainty": {
        "draws": 10_000, "seed": 1,
        "figures": {"capex_usd": _quantiles(45_500_000.0), "tco_usd": _quantiles(_TCO), "usd_per_gpu_hour": _quantiles(2.33)},
        "histogram": {"tco_usd": _histogram(_TCO), "capex_usd": _histogram(45_500_000.0)},
        "tornado": TORNADO,
    },
}  # fmt: skip


def cost_fixture(**changes: Any) -> dict[str, Any]:
    """A fresh copy, so that no test sees another's changes."""
    return {**copy.deepcopy(_COST), **changes}


def made_cost(**changes: Any) -> Cost:
    """The same, read as an Estimate's."""
    return Cost.from_json(cost_fixture(**changes))
