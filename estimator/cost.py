"""BOM lines and power → what a design costs: capital, running cost, total cost, dollars a GPU and a GPU-hour.

Every figure is a range. Its low end takes the end of each parameter that makes it cheap, its high end the dear one, so
the range is wider than chance would make it. A parameter that the request gives has no range. docs/cost.md has the
formulas.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from estimator.bom import asked_spares
from estimator.bom_lines import (
    CABLE,
    CATEGORIES,
    FACILITY,
    FIBER,
    MANAGEMENT,
    MODULE,
    NIC,
    PANEL,
    RANGE,
    SERVER,
    SWITCH,
    Billed,
    Bom,
    Cents,
    add_cents,
    usd_range,
)
from estimator.cable_runs import BY_DEFAULT, BY_PLAN, TierCabling
from estimator.catalog.loader import Catalog
from estimator.power import Power, design_power
from estimator.units import CENTS_PER_USD, HOURS_PER_YEAR, W_PER_KW

if TYPE_CHECKING:
    from estimator.fabric import SizedFabric
    from estimator.spec import DesignSpec

Ends = tuple[float, float, float]  # low, typical, high

NETWORK = tuple(category for category in CATEGORIES if category not in (SERVER, *FACILITY))
REQUEST = "request"
_SUPPORT = {
    "support-server-pct": (SERVER, MANAGEMENT),
    "support-switch-pct": (SWITCH,),
    "support-nic-optic-pct": (NIC, MODULE, CABLE, FIBER, PANEL),
}
_ASKED_FOR = {
    "electricity-kwh": "electricity_usd_per_kwh",
    "pue": "pue",
    "load-factor": "load_factor",
    "gpu-utilization": "utilization",
    "discount-rate": "discount_rate",
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One figure that a cost rests on, with its range and where it comes from."""

    name: str
    label: str
    ends: Ends
    unit: str
    basis: str
    source: str
    as_of: str | None

    def as_json(self) -> dict[str, Any]:
        """The parameter as an entry of ``assumptions``."""
        low, typical, high = self.ends
        return {"name": self.name, "label": self.label, "value": typical, "low": low, "high": high, "unit": self.unit,
                "basis": self.basis, "source": self.source, "as_of": self.as_of}  # fmt: skip


class Parameters:
    """Rows of economics.csv that a cost uses, replaced by what the request gives; ``used`` holds those looked up."""

    def __init__(self, spec: "DesignSpec", catalog: Catalog) -> None:
        self._spec, self._catalog = spec, catalog
        self.used: dict[str, Parameter] = {}

    def __getitem__(self, name: str) -> Ends:
        if name not in self.used:
            self.used[name] = self._look_up(name)
        return self.used[name].ends

    def _look_up(self, name: str) -> Parameter:
        row = self._catalog.economics[name]
        asked = (
            getattr(self._spec.economics, _ASKED_FOR[name]) if name in _ASKED_FOR else asked_spares(name, self._spec)
        )
        if asked is not None:
            return Parameter(name, row.label, (asked, asked, asked), row.unit, REQUEST, "the request", None)
        source = self._catalog.sources[row.source].title
        return Parameter(name, row.label, (row.low, row.typical, row.high), row.unit, row.basis, source, row.as_of)


def cost_of(
    spec: "DesignSpec", fabric: "SizedFabric", bom: Bom, catalog: Catalog, others: Sequence[Billed] = ()
) -> dict[str, Any]:
    """``cost`` of the Estimate; ``others`` are the storage and management networks that ``bom`` holds beside ``fabric``.

    ==========  =================================================================================================
    capital     Σ extended prices of the BOM, spares included; the network is everything but servers
    one-off     capital × (freight + contingency + tax) + nodes × install-node + cables × install-cable
    energy      maximum IT power × load factor × PUE × 8,760 h; electricity is energy × price of a kWh
    support     Σ over classes of installed price, without spares × yearly share of the class
    total cost  capital + one-off + Σ over years y of (electricity + support) ÷ (1 + r)^y
                − capital × residual value ÷ (1 + r)^years
    GPU-hour    total cost ÷ (GPUs × 8,760 h × years × utilization)
    ==========  =================================================================================================

    Colocation, licences, staff and repairs are left out: a request cannot ask for them yet. ``network_share`` and
    the servers' capital are None where servers have no price. ``at_least`` is True while a part has no price or no
    known power.
    """
    given = Parameters(spec, catalog)
    power = design_power(spec, fabric, bom.plan, catalog, others)
    network, servers, total = bom.total_cents(*NETWORK), bom.known_cents(SERVER), bom.total_cents()
    one_off = _one_off(total, fabric, bom, given)
    energy_kwh = _energy_kwh(power, given)
    running = {"electricity": _electricity(energy_kwh, given), "support": _support(bom, given)}
    running["total"] = add_cents(running.values())
    years = spec.economics.years
    tco = _total_cost(total, one_off["total"], running["total"], years, given)
    return {
        "capex_usd": {"network": usd_range(network), "servers": usd_range(servers), "total": usd_range(total)},
        "one_off_usd": _ranges(one_off),
        "opex_usd_per_year": _ranges(running),
        "energy_kwh_per_year": dict(zip(RANGE, (round(kwh, 1) for kwh in energy_kwh), strict=True)),
        "tco_usd": usd_range(tco),
        "tco_years": years,
        "usd_per_gpu": _per(total, fabric.n_gpus),
        "network_usd_per_gpu": _per(network, fabric.n_gpus),
        "network_share": network[1] / total[1] if servers and total[1] else None,
        "usd_per_gpu_hour": _per_gpu_hour(tco, fabric.n_gpus * HOURS_PER_YEAR * years, given),
        "price_book": spec.economics.price_book,
        "at_least": bool(bom.unpriced) or power.is_at_least,
        "assumptions": [parameter.as_json() for parameter in _assumptions(spec, bom, given, catalog, others)],
    }


def _one_off(capital: Cents, fabric: "SizedFabric", bom: Bom, given: Parameters) -> dict[str, Cents]:
    """Freight, contingency and tax on the capital, and labour to install nodes and cables; with their total."""
    n_cables = sum(tier.n_cables for plan in bom.plans for tier in plan.tiers)
    rows = {"freight": "freight-pct", "contingency": "contingency-pct", "tax": "sales-tax"}
    out = {name: _cents(c * share for c, share in zip(capital, given[row], strict=True)) for name, row in rows.items()}
    counts = {"install-node": fabric.n_nodes, "install-cable": n_cables}
    labour = [_cents(usd * CENTS_PER_USD * count for usd in given[row]) for row, count in counts.items()]
    out["install"] = add_cents(labour)
    out["total"] = add_cents(out.values())
    return out


def _energy_kwh(power: Power, given: Parameters) -> Ends:
    """Energy of a year: maximum IT power × load factor × PUE × hours."""
    kw = power.it.max / W_PER_KW
    low, typical, high = (
        kw * load * pue * HOURS_PER_YEAR for load, pue in zip(given["load-factor"], given["pue"], strict=True)
    )
    return low, typical, high


def _electricity(energy_kwh: Ends, given: Parameters) -> Cents:
    prices = given["electricity-kwh"]
    return _cents(kwh * usd * CENTS_PER_USD for kwh, usd in zip(energy_kwh, prices, strict=True))


def _support(bom: Bom, given: Parameters) -> Cents:
    """Yearly support of each class: its share of the price of what is installed."""
    parts = []
    for row, categories in _SUPPORT.items():
        installed = add_cents(line.installed_cents for line in bom.lines if line.category in categories)
        parts.append(_cents(cents * share for cents, share in zip(installed, given[row], strict=True)))
    return add_cents(parts)


def _total_cost(capital: Cents, one_off: Cents, running: Cents, years: int, given: Parameters) -> Cents:
    """Total cost of ownership; a high discount rate and a high residual value make it low."""
    rates, residuals = given["discount-rate"][::-1], given["residual-value"][::-1]
    return _cents(
        capital[end] + one_off[end] + running[end] * _annuity(rates[end], years)
        - capital[end] * residuals[end] / (1 + rates[end]) ** years
        for end in range(3)
    )  # fmt: skip


def _annuity(rate: float, years: int) -> float:
    """Σ of 1 ÷ (1 + rate)^y over years 1 to ``years``."""
    return sum((1 + rate) ** -year for year in range(1, years + 1))


def _per_gpu_hour(tco: Cents, hours: int, given: Parameters) -> dict[str, float]:
    """Total cost over the hours in which GPUs work; the low end has the high utilization."""
    used = [hours * share for share in given["gpu-utilization"][::-1]]
    return {name: round(c / CENTS_PER_USD / h, 4) for name, c, h in zip(RANGE, tco, used, strict=True)}


def _per(cents: Cents, count: int) -> dict[str, float]:
    return {name: round(value / CENTS_PER_USD / count, 2) for name, value in zip(RANGE, cents, strict=True)}


def _ranges(amounts: dict[str, Cents]) -> dict[str, Any]:
    return {name: usd_range(cents) for name, cents in amounts.items()}


def _cents(values: Iterator[float]) -> Cents:
    """Three amounts to whole cents, halves up."""
    low, typical, high = (math.floor(value + 0.5) for value in values)
    return low, typical, high


def _assumptions(
    spec: "DesignSpec", bom: Bom, given: Parameters, catalog: Catalog, others: Sequence[Billed]
) -> Iterator[Parameter]:
    """Every figure used that is not a part's price: economics, spares, years and cable lengths."""
    for row in sorted({line.spare_row for line in bom.lines if line.spare_row}):
        given[row]  # looked up, so that the list has the share behind each spare
    yield from given.used.values()
    years = float(spec.economics.years)
    yield Parameter("years", "Years of use", (years, years, years), "years", REQUEST, "the request", None)
    for tier in bom.plan.tiers:
        yield _length(tier, catalog)
    for other in others:
        for tier in other.plan.tiers:
            yield _length(tier, catalog, other.role)


def _length(tier: TierCabling, catalog: Catalog, role: str = "") -> Parameter:
    """Lengths of a tier: one, or the range of a floor plan with its mean; ``role`` names a network beside compute."""
    name = f"{role}.{tier.tier}_m" if role else f"{tier.tier}_m"
    label = f"Cable length, {tier.tier.replace('_', '-')}{f' ({role})' if role else ''}"
    ends = (tier.shortest_m, tier.mean_m, tier.longest_m)
    if tier.length_from == BY_PLAN:
        return Parameter(name, label, ends, "m", "computed", "the floor plan", None)
    row = catalog.default_lengths[tier.tier]
    if tier.length_from == BY_DEFAULT:
        return Parameter(name, label, ends, "m", row.basis, catalog.sources[row.source].title, row.as_of)
    return Parameter(name, label, ends, "m", REQUEST, "the request", None)
