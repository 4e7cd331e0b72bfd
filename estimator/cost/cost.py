"""BOM lines, power and parameters → what a design costs: purchase, cash flow, total cost over years, dollars a unit.

Every figure is a range. Its low end takes the end of each parameter that makes it cheap, its high end the high-cost one, so
the range is wider than chance would make it (uncertainty.py draws by chance). A parameter that the request gives has no
range. docs/cost.md has the formulas.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from estimator.bom.lines import CATEGORIES, FACILITY, NETWORK_CATEGORIES, SERVERS, Billed, Bom, BomLine
from estimator.cabling.runs import BY_DEFAULT, BY_PLAN, TierCabling
from estimator.catalog.catalog import Catalog
from estimator.cost.inputs import REQUEST, Parameter, parameter, priced
from estimator.cost.model import HALF_UP, LEAST_HORIZON, MONTHS_PER_YEAR, YEARLY, Money, money, sum_of
from estimator.cost.power import design_power
from estimator.cost.result import Capex, CapexPart, CashFlowYear, Cost, CostByYears, Depreciation, RentOrBuy
from estimator.cost.uncertainty import DRAWS, SEED, draw, simulated, uncertainty
from estimator.fabric.sized import SizedFabric
from estimator.ranges import Range, total_of
from estimator.spec.design import DesignSpec
from estimator.units import CENTS_PER_USD, FloatArray

TYPICAL = 1
MILLION = 1_000_000
SECONDS_PER_HOUR = 3_600


def cost_of(
    spec: DesignSpec,
    fabric: SizedFabric,
    bom: Bom,
    catalog: Catalog,
    others: Sequence[Billed] = (),
    busbw_gb_s: float | None = None,
    *,
    with_uncertainty: bool = False,
    with_percentiles: bool = False,
) -> Cost:
    """``cost`` of the Estimate; ``others`` are the storage and management networks that ``bom`` holds beside ``fabric``.

    ``busbw_gb_s`` is the predicted all-reduce on all GPUs, where it is known; ``with_percentiles`` adds what is
    likely by chance (``simulated``), ``with_uncertainty`` all that the draws say.
    ``network_share`` and the servers' capital are None where servers have no price. ``at_least`` is True while a part has
    no price or no known power.
    """
    power = design_power(spec, fabric, bom.plan, catalog, others)
    ready = priced(spec, fabric, bom, power, catalog, others)
    given = ready.given
    made = money(ready.facts, ready.unit_cents, {name: one.cheap_first for name, one in given.items()})
    network, servers = bom.total_cents(*NETWORK_CATEGORIES), bom.known_cents(*SERVERS)
    total = bom.total_cents()
    years = ready.facts.years
    per_hour = made.per_gpu_hour()[years - 1]
    tokens = spec.economics.tokens_per_s_per_gpu
    millions_an_hour = tokens * SECONDS_PER_HOUR / MILLION if tokens else None
    drawn = draw(ready, catalog, DRAWS, SEED) if with_percentiles or with_uncertainty else None
    return Cost(
        capex_usd=Capex(
            network=network.in_usd(),
            servers=servers.in_usd() if servers else None,
            facility=bom.total_cents(*FACILITY).in_usd(),
            total=total.in_usd(),
        ),
        capex_by=_capex_by(bom),
        one_off_usd=_amounts(made.one_off),
        outlay_usd=_usd(made.outlay),
        opex_usd_per_year=_amounts(made.yearly | {"repairs": made.repairs[:years].mean(axis=0)}),
        energy_kwh_per_year=_ends(made.energy_kwh).each(lambda kwh: round(kwh, 1)),
        cash_flow=cash_flow(made, years),
        tco_usd=_usd(made.total[years - 1]),
        tco_undiscounted_usd=_usd(made.outlay + made.running[:years].sum(axis=0) - made.worth[years - 1]),
        tco_years=years,
        by_years=_by_years(made),
        depreciation=_depreciation(made, given),
        usd_per_gpu=_per(total, fabric.n_gpus),
        network_usd_per_gpu=_per(network, fabric.n_gpus),
        usd_per_gpu_hour=_rate(per_hour),
        usd_per_gbit_s_bisection=_per(network, float(fabric.bisection_gbit_s)),
        usd_per_gb_s_busbw=_per(total, busbw_gb_s or 0),
        usd_per_million_tokens=_rate(per_hour / millions_an_hour) if millions_an_hour else None,
        network_share=network.typical / (network.typical + servers.typical) if servers and servers.typical else None,
        rent=rent_or_buy(made, years, spec.economics.cloud_usd_per_gpu_hour),
        price_book=spec.economics.price_book,
        at_least=bool(bom.unpriced) or power.is_at_least,
        assumptions=[one.shown() for one in _assumptions(spec, bom, given, catalog, others)],
        simulated=simulated(drawn, fabric.n_gpus) if drawn else None,
        uncertainty=uncertainty(ready, catalog, drawn=drawn) if with_uncertainty else None,
    )


# ---------------------------------------------------------------- purchase


def _capex_by(bom: Bom) -> list[CapexPart]:
    """The purchase by network and category; what is bought as spare is in the sum, and stated."""
    groups: dict[tuple[str, str], list[BomLine]] = {}
    for line in bom.lines:
        groups.setdefault((line.fabric, line.category), []).append(line)
    return [
        CapexPart(
            fabric=fabric,
            category=category,
            usd=total_of(line.extended_cents for line in lines).in_usd(),
            spares_usd=total_of(line.spare_cents for line in lines).in_usd(),
        )
        for (fabric, category), lines in sorted(groups.items(), key=lambda item: CATEGORIES.index(item[0][1]))
    ]


# ---------------------------------------------------------------- over the years


def cash_flow(made: Money, years: int) -> list[CashFlowYear]:
    """What is paid in each year, typical by kind and in all as a range; year 0 is the purchase, the last has what is left."""
    flow = []
    paid = discounted = np.zeros(3)
    for year in range(years + 1):
        kinds = _purchase_kinds(made) if year == 0 else _year_kinds(made, year, is_last=year == years)
        total = sum_of(kinds)
        now = total if year == 0 else total * made.factor[year - 1]
        paid, discounted = paid + total, discounted + now
        flow.append(
            CashFlowYear(
                year=year,
                usd={kind: _usd(amount).typical for kind, amount in kinds.items()},
                total_usd=_signed_usd(total),
                discounted_usd=_signed_usd(now),
                cumulative_usd=_signed_usd(paid),
                cumulative_discounted_usd=_signed_usd(discounted),
            )
        )
    return flow


def _purchase_kinds(made: Money) -> dict[str, FloatArray]:
    bought = {"servers": made.servers, "network": made.network, "facility": made.facility}
    return bought | {"one_off": sum_of(made.one_off)}


def _year_kinds(made: Money, year: int, *, is_last: bool) -> dict[str, FloatArray]:
    kinds = made.yearly | {"repairs": made.repairs[year - 1]}
    return kinds | ({"residual": -made.worth[year - 1]} if is_last else {})


def _by_years(made: Money) -> list[CostByYears]:
    """Total cost and price of a GPU-hour for one to LEAST_HORIZON years of use."""
    hourly = made.per_gpu_hour()
    return [
        CostByYears(
            years=year,
            tco_usd=_usd(made.total[year - 1]),
            usd_per_gpu_hour=_rate(hourly[year - 1]),
            residual_usd=_signed_usd(made.worth[year - 1]),
        )
        for year in range(1, LEAST_HORIZON + 1)
    ]


def _depreciation(made: Money, given: Mapping[str, Parameter]) -> Depreciation:
    """Straight line from the purchase to what is left, over the life of the equipment; an own building over its own."""
    life, left = (given[name].cheap_first for name in ("depreciation-it", "residual-value"))
    bought = made.purchase + made.one_off.get("building", 0.0)
    worth = [bought[TYPICAL], *(worth[TYPICAL] for worth in made.worth[:LEAST_HORIZON])]
    return Depreciation(
        years=given["depreciation-it"].ends,
        usd_per_year=_usd(made.purchase * (1 - left) / life),
        book_value_usd=[_whole(amount) / CENTS_PER_USD for amount in worth],
    )


def rent_or_buy(made: Money, years: int, cloud_usd_per_gpu_hour: float | None) -> RentOrBuy:
    """Renting the hours in which GPUs work, against owning.

    ======================  ======================================================================================
    break-even price        total cost ÷ (GPU-hours of a year × Σ over years of 1 ÷ (1 + r)^y)
    break-even months       outlay ÷ (rent a month − running cost a month), undiscounted, with nothing sold
    rented                  price × GPU-hours of a year × Σ over years of 1 ÷ (1 + r)^y
    ======================  ======================================================================================
    """
    hours = made.gpu_hours * made.annuity[years - 1]
    break_even = _rate(made.total[years - 1] / hours)
    if cloud_usd_per_gpu_hour is None:
        return RentOrBuy(
            cloud_usd_per_gpu_hour=None,
            break_even_usd_per_gpu_hour=break_even,
            break_even_months=None,
            rented_usd=None,
            saved_usd=None,
        )
    cents = cloud_usd_per_gpu_hour * CENTS_PER_USD
    saved_a_month = (cents * made.gpu_hours - made.running[:years].mean(axis=0)) / MONTHS_PER_YEAR
    months = _ends(made.outlay / saved_a_month).ordered() if (saved_a_month > 0).all() else None
    rented = cents * hours
    return RentOrBuy(
        cloud_usd_per_gpu_hour=cloud_usd_per_gpu_hour,
        break_even_usd_per_gpu_hour=break_even,
        break_even_months=months.each(lambda n: round(n, 1)) if months else None,
        rented_usd=_signed_usd(rented),
        saved_usd=_signed_usd(rented - made.total[years - 1]),
    )


# ---------------------------------------------------------------- ranges


def _per(cents: Range[int], count: float) -> Range[float] | None:
    return cents.each(lambda value: math.floor(value / count + HALF_UP)).in_usd() if count else None


def _rate(cents: FloatArray) -> Range[float]:
    """A price of an hour or the like: to a hundredth of a cent."""
    return _ends(cents).each(lambda value: round(value / CENTS_PER_USD, 4))


def _amounts(amounts: Mapping[str, FloatArray]) -> dict[str, Range[float]]:
    """Amounts by kind as ranges, with their total; kinds that only some designs have are there at nothing."""
    names = YEARLY if "electricity" in amounts else ("freight", "contingency", "tax", "install")
    kinds = dict.fromkeys(names, np.zeros(3)) | dict(amounts)
    return {kind: _usd(amount) for kind, amount in (kinds | {"total": sum_of(kinds)}).items()}


def _usd(cents: FloatArray) -> Range[float]:
    """Cents at three ends as dollars, whole cents."""
    return _ends(cents).each(_whole).in_usd()


def _signed_usd(cents: FloatArray) -> Range[float]:
    """As ``_usd``, for amounts that may come out in another order than low to high."""
    return _usd(cents).ordered()


def _ends(amounts: FloatArray) -> Range[float]:
    low, typical, high = amounts.tolist()
    return Range(low, typical, high)


def _whole(cents: float) -> int:
    return math.floor(cents + 0.5)


# ---------------------------------------------------------------- what it rests on


def _assumptions(
    spec: DesignSpec, bom: Bom, given: Mapping[str, Parameter], catalog: Catalog, others: Sequence[Billed]
) -> Iterator[Parameter]:
    """Every figure used that is not a part's price: economics, spares, years and cable lengths."""
    yield from given.values()
    for row in sorted({line.spare_row for line in bom.lines if line.spare_row}):
        yield parameter(row, spec, catalog)
    years = float(spec.economics.years)
    yield Parameter("years", "Years of use", Range.at(years), "years", REQUEST, "the request", None)
    for tier in bom.plan.tiers:
        yield _length(tier, catalog)
    for other in others:
        for tier in other.plan.tiers:
            yield _length(tier, catalog, other.role)


def _length(tier: TierCabling, catalog: Catalog, role: str = "") -> Parameter:
    """Lengths of a tier: one, or the range of a floor plan with its mean; ``role`` names a network beside compute."""
    name = f"{role}.{tier.tier}_m" if role else f"{tier.tier}_m"
    label = f"Cable length, {tier.tier.replace('_', '-')}{f' ({role})' if role else ''}"
    ends = Range(tier.shortest_m, tier.mean_m, tier.longest_m)
    if tier.length_from == BY_PLAN:
        return Parameter(name, label, ends, "m", "computed", "the floor plan", None)
    row = catalog.default_lengths[tier.tier]
    if tier.length_from == BY_DEFAULT:
        return Parameter(name, label, ends, "m", row.basis, catalog.sources[row.source].title, row.as_of)
    return Parameter(name, label, ends, "m", REQUEST, "the request", None)
