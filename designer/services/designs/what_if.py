"""What a finished estimate would cost with other economics: the cost part alone, worked out at once and stored nowhere."""

from collections.abc import Callable
from typing import NamedTuple

from designer.services.link_lists import refuse_outdated
from estimator.catalog.loader import load_catalog
from estimator.cost.result import Cost
from estimator.errors import Problem, SpecError
from estimator.jobs.models import EstimateJob
from estimator.pipeline import estimate
from estimator.ranges import Range
from estimator.record import Given, Json
from estimator.spec.change import apply_change
from estimator.spec.economics import Economics
from estimator.spec.parse import parse_spec

Figure = Callable[[Cost], Range[float] | None]
FIGURES: dict[str, Figure] = {  # name in the answer → where it stands in the cost
    "capex_usd": lambda cost: cost.capex_usd.total,
    "outlay_usd": lambda cost: cost.outlay_usd,
    "opex_usd_per_year": lambda cost: cost.running_usd_per_year,
    "tco_usd": lambda cost: cost.tco_usd,
    "tco_undiscounted_usd": lambda cost: cost.tco_undiscounted_usd,
    "usd_per_gpu": lambda cost: cost.usd_per_gpu,
    "usd_per_gpu_hour": lambda cost: cost.usd_per_gpu_hour,
    "usd_per_gb_s_busbw": lambda cost: cost.usd_per_gb_s_busbw,
    "usd_per_million_tokens": lambda cost: cost.usd_per_million_tokens,
    "break_even_usd_per_gpu_hour": lambda cost: cost.rent.break_even_usd_per_gpu_hour,
    "break_even_months": lambda cost: cost.rent.break_even_months,
    "saved_usd": lambda cost: cost.rent.saved_usd,
}
DIGITS = 4
SECTION = "economics."


def economics_change(values: Given) -> Json:
    """Keys of ``economics`` → a change by dotted key.

    Raises
    ------
    SpecError
        For a key that is none of them.
    """
    problems = [
        Problem(
            SECTION + key, "unknown_key", f"There is no key {key!r} here. Known: {', '.join(Economics.model_fields)}."
        )
        for key in values
        if key not in Economics.model_fields
    ]
    if problems:
        raise SpecError(problems)
    return {SECTION + key: value for key, value in values.items()}


def kept_cost(job: EstimateJob) -> Cost | None:
    """The cost of a finished estimate, read alone: its whole result is a hundred times as large. None where it has none."""
    if job.state != EstimateJob.State.SUCCEEDED:
        return None
    cost = EstimateJob.objects.filter(pk=job.pk).values_list("result__cost", flat=True).get()
    return Cost.from_json(cost) if cost else None


class Changed(NamedTuple):
    """A cost with other economics, and how much more each figure is, end by end; None where either has none."""

    cost: Cost
    change: dict[str, Range[float] | None]


def what_if(job: EstimateJob, before: Cost, change: Given) -> Changed:
    """The cost of the job's design with ``change``, and how far its figures lie from ``before``.

    Parameters
    ----------
    before : the estimate's own cost.
    change : values by dotted key, all of them under ``economics``; None takes a key away.

    Raises
    ------
    OutdatedEstimate
        If model or catalog have changed since the estimate.
    SpecError
        If a value cannot be.
    """
    refuse_outdated(job)
    catalog = load_catalog()
    spec = parse_spec(apply_change(job.spec, change), catalog)
    cost = estimate([spec], catalog, parts=("cost",))[0].cost
    if cost is None:
        raise ValueError("cost was requested")
    cost = cost.but(usd_per_gb_s_busbw=_per_busbw(before, cost))
    return Changed(cost, differences(before, cost))


def _per_busbw(before: Cost, after: Cost) -> Range[float] | None:
    """Dollars a GB/s of all-reduce: money does not change what was predicted, so it need not be predicted again."""
    known, paid, pays = before.usd_per_gb_s_busbw, before.capex_usd.total, after.capex_usd.total
    if not known or paid == pays:
        return known
    busbw_gb_s = paid.typical / known.typical
    return pays.each(lambda usd: round(usd / busbw_gb_s, 2))


def differences(before: Cost, after: Cost) -> dict[str, Range[float] | None]:
    """Figure → how much more it is, end by end; None where either has none."""
    return {name: _difference(figure(before), figure(after)) for name, figure in FIGURES.items()}


def _difference(before: Range[float] | None, after: Range[float] | None) -> Range[float] | None:
    if before is None or after is None:
        return None
    return (after - before).each(lambda usd: round(usd, DIGITS))
