"""Unit prices and parameters → money, over any number of columns at once: three ends, draws of chance, or what-ifs.

Amounts are US cents in float64, which holds whole cents up to ninety trillion dollars. Each item is rounded to a cent,
halves up, where it arises. docs/cost.md has the formulas and says what is left out.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from estimator.cost.inputs import FAILURE_ROWS, SUPPORT_ROWS, CostFacts
from estimator.units import CENTS_PER_USD, HOURS_PER_YEAR, FloatArray

LEAST_HORIZON = 7  # years that are always worked out
MONTHS_PER_YEAR = 12
KW_PER_MW, GPUS_PER_STAFF_RATE = 1_000, 1_000
_COLUMNS = 128  # of a product at a time
HALF_UP = 0.5 + 1e-6  # a half that binary fractions hold a hair too low is a half, as in a spreadsheet. [cents]
YEARLY = ("electricity", "space", "support", "licences", "staff", "repairs")


class Money(NamedTuple):
    """Cost in cents. A column is one set of prices and parameters: arrays of shape (n,), or (horizon, n) by year from 1.

    ``purchase`` is the whole bill of materials, ``one_off`` what is paid once beside it by kind, ``yearly`` what recurs by kind,
    ``repairs`` what a year's failures cost beyond warranty and spares. ``worth[y]`` is what is left after that year,
    ``total[y]`` the discounted cost of that many years, less what is left. ``factor[y]`` is 1 ÷ (1 + r)^y.
    """

    servers: FloatArray
    network: FloatArray
    facility: FloatArray
    one_off: dict[str, FloatArray]
    yearly: dict[str, FloatArray]
    repairs: FloatArray
    energy_kwh: FloatArray
    worth: FloatArray
    factor: FloatArray
    total: FloatArray
    gpu_hours: FloatArray

    @property
    def purchase(self) -> FloatArray:
        """Servers, network and what the hall takes."""
        return self.servers + self.network + self.facility

    @property
    def outlay(self) -> FloatArray:
        """All that is paid before the first year."""
        return self.purchase + sum_of(self.one_off)

    @property
    def running(self) -> FloatArray:
        """What each year costs, shape (horizon, n)."""
        return sum_of(self.yearly)[None, :] + self.repairs

    @property
    def annuity(self) -> FloatArray:
        """Σ of 1 ÷ (1 + r)^y up to each year, shape (horizon, n)."""
        return np.cumsum(self.factor, axis=0)

    def per_gpu_hour(self) -> FloatArray:
        """Total cost ÷ hours in which GPUs work, by years of use. [cents/h]"""
        years = np.arange(1, len(self.total) + 1)[:, None]
        return self.total / (self.gpu_hours * years)


def sum_of(parts: Mapping[str, FloatArray]) -> FloatArray:
    """Sum of amounts that have names."""
    return np.sum(list(parts.values()), axis=0)


def money(facts: CostFacts, unit_cents: FloatArray, given: Mapping[str, FloatArray]) -> Money:
    """What a design costs.

    Parameters
    ----------
    unit_cents : shape (n_lines, n)
        Price of one piece of each priced line. [cents]
    given : by row of economics.csv, shape (n,)
        The parameters of ``facts.parameter_names``, in the units of that table.

    Notes
    -----
    ===========  ==================================================================================================
    one-off      purchase × freight, × contingency, × tax; nodes, cables and racks × labour; design; building × MW
    electricity  largest IT power × load factor × PUE × 8,760 h × price of a kWh
    space        colocation: largest IT power × rent a kW and month × 12
    support      Σ over classes of installed price × share of the class
    licences     InfiniBand: nodes × UFM; Ethernet: switches × NOS; GPUs × subscription
    repairs      by class of part: failures since the warranty ended = pieces × rate × (y − warranty); what is beyond
                 the spares is bought at the mean price of the class
    worth(y)     purchase × (1 − (1 − residual) × min(y ÷ life, 1)), building × (1 − min(y ÷ its life, 1))
    total(y)     outlay + Σ over years k ≤ y of running(k) ÷ (1 + r)^k − worth(y) ÷ (1 + r)^y
    ===========  ==================================================================================================
    """
    servers, network, facility = capital(facts, unit_cents)
    purchase = servers + network + facility
    one_off = _one_off(facts, purchase, given)
    kwh = facts.it_max_kw * given["load-factor"] * given["pue"] * HOURS_PER_YEAR
    yearly = _yearly(facts, unit_cents, kwh, given)
    years = np.arange(1, max(facts.years, LEAST_HORIZON) + 1, dtype=np.float64)[:, None]
    repairs = _cents(_repairs(facts, unit_cents, years, given))
    worth = _cents(_worth(purchase, one_off.get("building"), years, given))
    factor = (1 + given["discount-rate"]) ** -years
    running = sum_of(yearly)[None, :] + repairs
    paid = np.cumsum(running * factor, axis=0)
    total = _cents(purchase + sum_of(one_off) + paid - worth * factor)
    hours = facts.n_gpus * HOURS_PER_YEAR * given["gpu-utilization"]
    return Money(servers, network, facility, one_off, yearly, repairs, kwh, worth, factor, total, hours)


def capital(facts: CostFacts, unit_cents: FloatArray) -> FloatArray:
    """Purchase of servers, network and facility, shape (3, n). [cents]"""
    return _sums(facts.capital, unit_cents)


def _one_off(facts: CostFacts, purchase: FloatArray, given: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    shares = {"freight": "freight-pct", "contingency": "contingency-pct", "tax": "sales-tax"}
    out = {name: _cents(purchase * given[row]) for name, row in shares.items()}
    counts = {"install-node": facts.n_nodes, "install-cable": facts.n_cables, "install-rack": facts.n_racks}
    out["install"] = np.sum([_cents(given[row] * CENTS_PER_USD * count) for row, count in counts.items()], axis=0)
    if facts.has_design_labour:
        out["design"] = _cents(given["design-labour"] * CENTS_PER_USD)
    if facts.facility == "own-building":
        out["building"] = _cents(given["dc-capex-mw"] * CENTS_PER_USD * facts.it_max_kw / KW_PER_MW)
    return out


def _yearly(
    facts: CostFacts, unit_cents: FloatArray, kwh: FloatArray, given: Mapping[str, FloatArray]
) -> dict[str, FloatArray]:
    """What every year costs alike, by kind."""
    nothing = np.zeros(unit_cents.shape[1])
    out = {"electricity": _cents(kwh * given["electricity-kwh"] * CENTS_PER_USD), "space": nothing}
    if facts.facility == "colocation":
        out["space"] = _cents(given["colo-kw-month"] * CENTS_PER_USD * facts.it_max_kw * MONTHS_PER_YEAR)
    supported = _sums(facts.supported, unit_cents)
    out["support"] = nothing + sum(
        _cents(amount * given[row]) for row, amount in zip(SUPPORT_ROWS, supported, strict=True) if row in given
    )
    counts = {
        "ufm-node-year": facts.n_fabric_manager_nodes,
        "eth-nos-license-switch": facts.n_ethernet_switches,
        "nvaie-gpu-year": facts.n_gpus,
    }
    out["licences"] = nothing + sum(_cents(given[row] * CENTS_PER_USD * n) for row, n in counts.items() if row in given)
    out["staff"] = nothing
    if facts.has_staff:
        engineers = given["ops-staff-fte"] * facts.n_gpus / GPUS_PER_STAFF_RATE
        out["staff"] = _cents(engineers * given["ops-staff-cost"] * CENTS_PER_USD)
    return out


def _repairs(
    facts: CostFacts, unit_cents: FloatArray, years: FloatArray, given: Mapping[str, FloatArray]
) -> FloatArray:
    """Cost of replacements in each year, shape (horizon, n)."""
    out = np.zeros((len(years), unit_cents.shape[1]))
    worth = _sums(facts.replaced, unit_cents)
    out_of_warranty = np.maximum(years - given["warranty-years"], 0)
    for row, amount, n, spares in zip(FAILURE_ROWS, worth, facts.n_failing, facts.n_spares, strict=True):
        if np.any(n):
            bought = np.maximum(n * given[row] * out_of_warranty - spares, 0)
            out += np.diff(bought, axis=0, prepend=0) * (amount / np.maximum(n + spares, 1))
    return out


def _worth(
    purchase: FloatArray, building: FloatArray | None, years: FloatArray, given: Mapping[str, FloatArray]
) -> FloatArray:
    lost = (1 - given["residual-value"]) * np.minimum(years / given["depreciation-it"], 1)
    left = purchase * (1 - lost)
    return left if building is None else left + building * (1 - np.minimum(years / given["dc-depreciation"], 1))


def _sums(weights: FloatArray, unit_cents: FloatArray) -> FloatArray:
    """Weights @ unit prices, in pieces for which the linear algebra library starts no threads.

    Draws have threads already, and waiting for more took twice the time of the product itself.
    """
    out = np.empty((len(weights), unit_cents.shape[1]))
    for start in range(0, unit_cents.shape[1], _COLUMNS):
        np.matmul(weights, unit_cents[:, start : start + _COLUMNS], out=out[:, start : start + _COLUMNS])
    return out


def _cents(amount: FloatArray) -> FloatArray:
    """Whole cents, halves up."""
    return np.floor(amount + HALF_UP)
