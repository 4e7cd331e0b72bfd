"""What a finished estimate would cost with other economics: the cost part alone, worked out at once and stored nowhere."""

from collections.abc import Mapping
from typing import Any

from designer.services.link_lists import refuse_outdated
from estimator.catalog.loader import load_catalog
from estimator.errors import Problem, SpecError
from estimator.jobs.models import EstimateJob
from estimator.pipeline import estimate
from estimator.spec.change import apply_change
from estimator.spec.economics import Economics
from estimator.spec.parse import parse_spec

ENDS = ("low", "typical", "high")
FIGURES = {  # name in the answer → where it stands in the cost
    "capex_usd": ("capex_usd", "total"),
    "outlay_usd": ("outlay_usd",),
    "opex_usd_per_year": ("opex_usd_per_year", "total"),
    "tco_usd": ("tco_usd",),
    "tco_undiscounted_usd": ("tco_undiscounted_usd",),
    "usd_per_gpu": ("usd_per_gpu",),
    "usd_per_gpu_hour": ("usd_per_gpu_hour",),
    "usd_per_gb_s_busbw": ("usd_per_gb_s_busbw",),
    "usd_per_million_tokens": ("usd_per_million_tokens",),
    "break_even_usd_per_gpu_hour": ("rent", "break_even_usd_per_gpu_hour"),
    "break_even_months": ("rent", "break_even_months"),
    "saved_usd": ("rent", "saved_usd"),
}
DIGITS = 4
SECTION = "economics."


def economics_change(values: Mapping[str, Any]) -> dict[str, Any]:
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


def kept_cost(job: EstimateJob) -> dict[str, Any] | None:
    """The cost of a finished estimate, read alone: its whole result is a hundred times as large. None where it has none."""
    if job.state != EstimateJob.State.SUCCEEDED:
        return None
    cost = EstimateJob.objects.filter(pk=job.pk).values_list("result__cost", flat=True).get()
    return dict(cost) if cost else None


def what_if(job: EstimateJob, before: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """``cost`` of the job's design with ``change``, and ``change``: how far its figures lie from ``before``.

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
    made = estimate([spec], catalog, parts=("cost",))[0]
    cost = made.as_json()["cost"]
    cost["usd_per_gb_s_busbw"] = _per_busbw(before, cost)
    return {"cost": cost, "change": differences(before, cost)}


def _per_busbw(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, float] | None:
    """Dollars a GB/s of all-reduce: money does not change what was predicted, so it need not be predicted again."""
    known, paid, pays = before.get("usd_per_gb_s_busbw"), before["capex_usd"]["total"], after["capex_usd"]["total"]
    if not known or paid == pays:
        return dict(known) if known else None
    busbw_gb_s = paid["typical"] / known["typical"]
    return {end: round(pays[end] / busbw_gb_s, 2) for end in ENDS}


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, dict[str, float] | None]:
    """Figure → how much more it is, end by end; None where either has none."""
    return {name: _difference(figure(before, path), figure(after, path)) for name, path in FIGURES.items()}


def figure(cost: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, float] | None:
    """The range at a path of the cost, or None."""
    value: Any = cost
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return dict(value) if isinstance(value, Mapping) and value.get("typical") is not None else None


def _difference(before: Mapping[str, float] | None, after: Mapping[str, float] | None) -> dict[str, float] | None:
    if before is None or after is None:
        return None
    return {end: round(after[end] - before[end], DIGITS) for end in ENDS}
