"""The cost tab: what the design costs, where and when the money goes, how sure that is, and what moving a figure would do."""

from collections.abc import Mapping
from typing import Any

from designer.charts.cost import (
    book_value_chart,
    cash_flow_chart,
    kinds_chart,
    purchase_chart,
    rent_chart,
    years_charts,
)
from designer.charts.cost_risk import SHOWN, histogram_chart, percentile_rows, tornado_chart, tornado_rows
from designer.forms.keys import ALL_KEYS
from designer.pages.result.cost.sliders import change_of, moved_rows, slider_rows
from designer.services.designs.what_if import FIGURES, differences, figure, what_if
from designer.services.link_lists import is_outdated
from designer.wording.cost import head_figures
from designer.wording.query import column_heads
from estimator.errors import EstimatorError, Problem
from estimator.jobs.models import EstimateJob
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


def is_complete(cost: Mapping[str, Any] | None) -> bool:
    """False for the cost of an estimate that was made before cash flows were."""
    return cost is not None and all(key in cost for key in NEEDED)


def cost_context(job: EstimateJob, result: Mapping[str, Any], query: Mapping[str, Any]) -> dict[str, Any]:
    """All that the tab shows; ``has_cost`` is False where the estimate is too old to say it."""
    cost = result.get("cost")
    if not is_complete(cost):
        return {"has_cost": False}
    assert cost is not None  # noqa: S101 - for the type checker: is_complete has seen it
    uncertainty = cost.get("uncertainty")
    histograms = [histogram_chart(uncertainty, name) for name in ("tco_usd", "capex_usd")] if uncertainty else []
    return {
        "has_cost": True,
        "cost": cost,
        "figures": head_figures(PricedEstimate.from_json(result)),
        "where_charts": [chart for chart in (purchase_chart(cost), kinds_chart(cost)) if chart],
        "when_charts": [cash_flow_chart(cost), book_value_chart(cost), *years_charts(cost)],
        "rent_charts": [rent_chart(cost, result)],
        "risk_charts": [chart for chart in (*histograms, tornado_chart(cost)) if chart],
        "uncertainty": uncertainty,
        "percentile_heads": SHOWN,
        "percentiles": percentile_rows(uncertainty) if uncertainty else [],
        "assumptions": assumption_rows(cost, query.get("order")),
        **what_if_context(job, result, query),
    }


def what_if_context(job: EstimateJob, result: Mapping[str, Any], answers: Mapping[str, Any]) -> dict[str, Any]:
    """The sliders, and what the cost becomes where ``answers`` move one of them."""
    cost, spec = result["cost"], result["spec"]
    change = change_of(answers, cost, spec)
    context: dict[str, Any] = {
        "sliders": slider_rows(cost, change),
        "moved_figures": moved_rows(cost, change),
        "cannot_move": [],
        "moves_are_off": is_outdated(job),
    }
    try:
        found = what_if(job, cost, change) if change else None
    except EstimatorError as error:
        return context | {"cannot_move": [_reported(problem) for problem in error.problems]}
    then = found or {"cost": cost, "change": differences(cost, cost)}
    return context | {"compared": _compared(cost, then), "then": found["cost"] if found else None}


def _reported(problem: Problem) -> str:
    """A problem under the name of its field."""
    key = ALL_KEYS.get(problem.field)
    return f"{key.info.title}: {problem.message}" if key else problem.message


def _compared(before: Mapping[str, Any], found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A row a figure that the estimate or its variant has: both, and the difference of the typical ones."""
    rows = []
    for key, name in ROWS.items():
        now, then = figure(before, FIGURES[key]), figure(found["cost"], FIGURES[key])
        difference = found["change"][key]
        if now or then:
            years = f" over {before['tco_years']} and {found['cost']['tco_years']} years"
            is_renamed = key == "tco_usd" and before["tco_years"] != found["cost"]["tco_years"]
            rows.append(
                {
                    "key": key,
                    "name": name + years if is_renamed else name,
                    "now": now,
                    "then": then,
                    "is_months": key in IN_MONTHS,
                    "change": difference["typical"] if difference else None,
                }
            )
    return rows


def assumption_rows(cost: Mapping[str, Any], order: str | None) -> dict[str, Any]:
    """What the cost rests on, the figures that move the total most first, or as ``order`` says ("-label": from the end)."""
    effects = {row["name"]: row["width_usd"] for row in tornado_rows(cost)}
    rows = [{**item, "effect_usd": effects.get(item["name"])} for item in cost["assumptions"]]
    asked = order or ("-effect" if effects else LABEL)
    key, descending = asked.removeprefix("-"), asked.startswith("-")
    if key not in ORDERS:
        key, descending = (EFFECT, True) if effects else (LABEL, False)
    if key == EFFECT:
        known = [row for row in rows if row["effect_usd"] is not None]
        known.sort(key=lambda row: row["effect_usd"], reverse=descending)
        rows = known + [row for row in rows if row["effect_usd"] is None]
    else:
        rows.sort(key=lambda row: (str(row[key]).casefold(), row["label"].casefold()), reverse=descending)
    return {"rows": rows, "heads": column_heads(list(ORDERS), key, descending), "n_with_effect": len(effects)}
