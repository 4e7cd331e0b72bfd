"""The cost tab: what the design costs, where and when the money goes, how sure that is, and what moving a figure would do."""

from typing import NamedTuple, TypeGuard

from designer.charts.cost import (
    book_value_chart,
    cash_flow_chart,
    kinds_chart,
    purchase_chart,
    rent_chart,
    years_charts,
)
from designer.charts.cost_risk import histogram_chart, percentile_rows, tornado_chart, tornado_rows
from designer.forms.keys import ALL_KEYS
from designer.pages.result.cost.sliders import change_of, moved_rows, slider_rows
from designer.services.designs.what_if import FIGURES, Changed, differences, what_if
from designer.services.link_lists import is_outdated
from designer.wording.context import Context
from designer.wording.cost import head_figures
from designer.wording.query import column_heads
from estimator.cost.result import PERCENTILES, Assumption, Cost
from estimator.errors import EstimatorError, Problem
from estimator.jobs.models import EstimateJob
from estimator.ranges import Range
from estimator.record import Given
from estimator.result import PricedEstimate

NEEDED = ("capex_by", "cash_flow", "by_years", "rent", "depreciation", "outlay_usd")
EFFECT, LABEL, BASIS = "effect", "label", "basis"
ORDERS = (EFFECT, LABEL, BASIS)
ROWS = {  # of the table that compares an estimate with what is moved
    "capex_usd": "Purchase price",
    "outlay_usd": "Outlay in year 0",
    "opex_usd_per_year": "Running cost a year",
    "tco_usd": "Total cost",
    "usd_per_gpu_hour": "Per GPU-hour",
    "usd_per_million_tokens": "Per million tokens",
    "break_even_usd_per_gpu_hour": "Break-even rent of a GPU-hour",
    "break_even_months": "Months until owning costs less",
    "saved_usd": "Saved by owning",
}
IN_MONTHS = ("break_even_months",)


def is_complete(cost: Cost | None) -> TypeGuard[Cost]:
    """False for the cost of an estimate that was made before cash flows were."""
    return cost is not None and all(getattr(cost, key) is not None for key in NEEDED)


def cost_context(job: EstimateJob, estimate: PricedEstimate, query: Given) -> Context:
    """All that the tab shows; ``has_cost`` is False where the estimate is too old to say it."""
    cost = estimate.cost
    if not is_complete(cost):
        return {"has_cost": False}
    uncertainty = cost.uncertainty
    histograms = [histogram_chart(uncertainty, name) for name in ("tco_usd", "capex_usd")] if uncertainty else []
    return {
        "has_cost": True,
        "cost": cost,
        "figures": head_figures(estimate),
        "where_charts": [chart for chart in (purchase_chart(cost), kinds_chart(cost)) if chart],
        "when_charts": [cash_flow_chart(cost), book_value_chart(cost), *years_charts(cost)],
        "rent_charts": [rent_chart(cost, estimate.compute.counts.gpus)],
        "risk_charts": [chart for chart in (*histograms, tornado_chart(cost)) if chart],
        "uncertainty": uncertainty,
        "percentile_heads": PERCENTILES,
        "percentiles": percentile_rows(uncertainty) if uncertainty else [],
        "assumptions": assumption_rows(cost, query.get("order")),
        **what_if_context(job, cost, query),
    }


def what_if_context(job: EstimateJob, cost: Cost, answers: Given) -> Context:
    """The sliders, and what the cost becomes where ``answers`` move one of them."""
    change = change_of(answers, cost, job.spec)
    context: Context = {
        "sliders": slider_rows(cost, change),
        "moved_figures": moved_rows(cost, change),
        "cannot_move": [],
        "moves_are_off": is_outdated(job),
    }
    try:
        found = what_if(job, cost, change) if change else None
    except EstimatorError as error:
        return context | {"cannot_move": [_reported(problem) for problem in error.problems]}
    then = found or Changed(cost, differences(cost, cost))
    return context | {"compared": _compared(cost, then), "then": found.cost if found else None}


def _reported(problem: Problem) -> str:
    """A problem under the name of its field."""
    key = ALL_KEYS.get(problem.field)
    return f"{key.info.title}: {problem.message}" if key else problem.message


class ComparedRow(NamedTuple):
    """A figure of the estimate and of its variant, and the difference of the typical ones."""

    key: str
    name: str
    now: Range[float] | None
    then: Range[float] | None
    is_months: bool
    change: float | None


def _compared(before: Cost, found: Changed) -> list[ComparedRow]:
    """A row a figure that the estimate or its variant has."""
    rows = []
    for key, name in ROWS.items():
        now, then, more = FIGURES[key](before), FIGURES[key](found.cost), found.change[key]
        if now or then:
            years = f" over {before.tco_years} and {found.cost.tco_years} years"
            is_renamed = key == "tco_usd" and before.tco_years != found.cost.tco_years
            shown = name + years if is_renamed else name
            rows.append(ComparedRow(key, shown, now, then, key in IN_MONTHS, more.typical if more else None))
    return rows


class AssumptionRow(NamedTuple):
    """An assumption with what it moves the total by; None for what is not among those that move it most."""

    item: Assumption
    effect_usd: float | None


def assumption_rows(cost: Cost, order: str | None) -> Context:
    """What the cost rests on, the figures that move the total most first, or as ``order`` says ("-label": from the end)."""
    effects = {row.name: row.width_usd for row in tornado_rows(cost)}
    rows = [AssumptionRow(item, effects.get(item.name)) for item in cost.assumptions]
    asked = order or ("-effect" if effects else LABEL)
    key, descending = asked.removeprefix("-"), asked.startswith("-")
    if key not in ORDERS:
        key, descending = (EFFECT, True) if effects else (LABEL, False)
    if key == EFFECT:
        known = [row for row in rows if row.effect_usd is not None]
        known.sort(key=lambda row: row.effect_usd or 0.0, reverse=descending)
        rows = known + [row for row in rows if row.effect_usd is None]
    else:
        first = {LABEL: lambda item: item.label, BASIS: lambda item: item.basis}[key]
        rows.sort(key=lambda row: (first(row.item).casefold(), row.item.label.casefold()), reverse=descending)
    return {"rows": rows, "heads": column_heads(list(ORDERS), key, descending), "n_with_effect": len(effects)}
