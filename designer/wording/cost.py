"""The head figures of the cost tab: each with its range, and in a few words how it comes about."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from designer.wording.names import RUNNING
from designer.wording.numbers import count, gbit_s, percent, rounded, usd, usd_small
from estimator.cost.result import Cost, Likely
from estimator.ranges import Range
from estimator.result import PricedEstimate

ONE_OFF = {
    "freight": "freight and insurance",
    "contingency": "reserve",
    "tax": "tax and duty",
    "install": "installation",
    "design": "network design",
    "building": "building",
}
_RUNNING = {kind: name.lower() for kind, name in RUNNING.items()}
HOURS_PER_YEAR = 8_760


class HeadFigure(NamedTuple):
    """One figure: ``likely`` is P5, P50 and P95, ``missing`` says how to get one that is not there, by which field."""

    name: str
    amount: Range[float] | None
    how: str
    missing: str = ""
    field: str = ""
    likely: Range[float] | None = None


class LikelyRow(NamedTuple):
    """One row of the overview: P5, P50 and P95 of a figure."""

    name: str
    note: str
    amount: Range[float]


class BillBeside(NamedTuple):
    """The purchase price that the strip shows, P50, beside the typical total of the bill of materials."""

    drawn: float
    added: float
    is_same: bool
    is_more: bool


def head_figures(estimate: PricedEstimate) -> list[HeadFigure]:
    """Every head figure with its range, unit note and formula."""
    gpus = estimate.compute.counts.gpus
    return [*_sums(estimate.cost), *_per_gpu(estimate.cost, gpus), *_per_output(estimate)]


def likely(cost: Cost, key: str) -> Range[float] | None:
    """5 %, half and 95 % of the draws of a figure, as a range; None where nothing was drawn."""
    drawn: Likely | None = getattr(cost.simulated, key, None)
    return Range(drawn.p5, drawn.p50, drawn.p95) if drawn else None


def bill_beside_likely(estimate: PricedEstimate) -> BillBeside | None:
    """Which of the two is more; None where nothing was drawn."""
    found = likely(estimate.cost, "capex_usd")
    if found is None:
        return None
    drawn, added = found.typical, estimate.bom.totals_usd.typical
    return BillBeside(drawn, added, usd(drawn) == usd(added), drawn > added)


def likely_rows(cost: Cost) -> list[LikelyRow]:
    """The headline figures of the simulation."""
    names = {
        "network_usd": "Network",
        "capex_usd": "Purchase price",
        "tco_usd": f"Total cost over {cost.tco_years} years",
        "usd_per_gpu": "Purchase price per GPU",
        "usd_per_gpu_hour": "Total cost per GPU-hour",
    }
    found = {key: likely(cost, key) for key in names}
    return [LikelyRow(f"{names[key]}, simulated", "P5, P50, P95", amount) for key, amount in found.items() if amount]


def _parts(amounts: Mapping[str, Range[float] | None], names: Mapping[str, str]) -> str:
    """ "freight and insurance $455,000 + reserve $2.28 M": the parts that are not nothing."""
    reported = [
        f"{name} {usd(amount.typical)}"
        for key, name in names.items()
        if (amount := amounts.get(key)) and amount.typical
    ]
    return " + ".join(reported) or "nothing"


def _sentence_of(text: str) -> str:
    """With a capital, and millions with theirs: ``capitalize`` would print "$1.45 m"."""
    return f"{text[:1].upper()}{text[1:]}"


def _value_of(cost: Cost, name: str) -> float | None:
    return next((item.value for item in cost.assumptions if item.name == name), None)


def _sums(cost: Cost) -> Iterable[HeadFigure]:
    capex, years = cost.capex_usd, cost.tco_years
    amounts = {"servers": capex.servers, "network": capex.network, "racks and cooling": capex.facility}
    parts = _parts(amounts, {name: name for name in amounts})
    last = cost.cash_flow[-1].usd.get("residual") or 0
    rate = _value_of(cost, "discount-rate")
    how = (
        f"Outlay + Σ running cost of year y ÷ (1 + r)^y − value left ÷ (1 + r)^{years}, with r = {percent(rate, 2)} "
        f"and {usd(-last)} left. Without discounting: {usd(cost.tco_undiscounted_usd.typical)}."
    )
    yield HeadFigure(
        f"Total cost over {years} {'year' if years == 1 else 'years'}",
        cost.tco_usd,
        how,
        likely=likely(cost, "tco_usd"),
    )
    yield HeadFigure(
        "Purchase price",
        capex.total,
        f"Every line of the bill of materials, spares included: {parts}.",
        likely=likely(cost, "capex_usd"),
    )
    yield HeadFigure(
        "Outlay in year 0",
        cost.outlay_usd,
        f"Purchase price {usd(capex.total.typical)} + {_parts(cost.one_off_usd, ONE_OFF)}.",
    )
    yield HeadFigure(
        "Running cost a year",
        cost.running_usd_per_year,
        _sentence_of(f"{_parts(cost.opex_usd_per_year, _RUNNING)}, the mean of {years} years."),
    )


def _per_gpu(cost: Cost, gpus: int) -> Iterable[HeadFigure]:
    years, share = cost.tco_years, _value_of(cost, "gpu-utilization")
    network = usd(cost.network_usd_per_gpu.typical if cost.network_usd_per_gpu else None)
    yield HeadFigure(
        "Per GPU",
        cost.usd_per_gpu,
        f"Purchase price ÷ {count(gpus)} GPUs. The network alone: {network}.",
        likely=likely(cost, "usd_per_gpu"),
    )
    hours = f"{count(gpus)} GPUs × {count(HOURS_PER_YEAR)} h × {years} years × {percent(share, 2)} of the hours in use"
    yield HeadFigure(
        "Per GPU-hour", cost.usd_per_gpu_hour, f"Total cost ÷ ({hours}).", likely=likely(cost, "usd_per_gpu_hour")
    )


def _per_output(estimate: PricedEstimate) -> Iterable[HeadFigure]:
    cost, tokens = estimate.cost, estimate.spec.economics.tokens_per_s_per_gpu
    network = usd(cost.capex_usd.network.typical)
    yield HeadFigure(
        "Per Gb/s of bisection",
        cost.usd_per_gbit_s_bisection,
        f"Network {network} ÷ bisection {gbit_s(estimate.compute.bisection_gbit_s)}.",
        "One leaf has no bisection to speak of.",
    )
    yield HeadFigure(
        "Per GB/s of bus bandwidth",
        cost.usd_per_gb_s_busbw,
        "Purchase price ÷ predicted all-reduce bus bandwidth of the largest message on all GPUs.",
        "Name the GPU, so that collectives can be predicted.",
        "compute__gpu",
    )
    rate = rounded(tokens) if tokens else "t"
    hour = usd_small(cost.usd_per_gpu_hour.typical)
    yield HeadFigure(
        "Per million tokens",
        cost.usd_per_million_tokens,
        f"{hour} a GPU-hour ÷ (3,600 s × {rate} tokens a second a GPU) × 1,000,000.",
        "Give “Tokens a second” under Money.",
        "economics__tokens_per_s_per_gpu",
    )


class CostPart(NamedTuple):
    """A part of what a design costs over its years, typical, and its share of all of them."""

    name: str
    usd: float
    share: float


def cost_parts(cost: Cost) -> list[CostPart]:
    """The purchase price by its three parts, what is paid once, and the running cost of all years, undiscounted."""
    capex, years = cost.capex_usd, cost.tco_years
    amounts = {
        "Servers": capex.servers,
        "Network": capex.network,
        "Racks and cooling": capex.facility,
        "Freight, installation, reserve": cost.one_off_usd.get("total"),
    }
    known = {name: amount.typical for name, amount in amounts.items() if amount and amount.typical > 0}
    known[f"Running, {years} {'year' if years == 1 else 'years'}"] = cost.running_usd_per_year.typical * years
    whole = sum(known.values())
    return [CostPart(name, amount, amount / whole) for name, amount in known.items()] if whole else []
