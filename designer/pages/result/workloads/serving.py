"""A model served on the design: placements of a replica, what they serve, and what a million tokens cost."""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, cast

from designer.charts.workloads import placement_words, serving_chart
from designer.forms.workloads import ServingForm, number, serving_form, whole
from designer.wording.context import Context
from estimator.catalog.loader import load_catalog
from estimator.errors import Problem, SpecError
from estimator.record import Given, Json
from estimator.result import PricedEstimate
from estimator.serving_request import served
from estimator.workloads.serving.answer import Placement, ServedRow, usd_per_million_tokens

ANSWERS_KEPT = 128
PLACEMENTS_SHOWN = 10
LOADS_DRAWN = (1, 4, 16, 64, 256, 1024)
FIELDS = {
    "model": "serve_model",
    "precision": "serve_precision",
    "input_tokens": "prompt_tokens",
    "output_tokens": "answer_tokens",
}


class Served(NamedTuple):
    """One placement under the load that is asked for, on one replica and on the whole design."""

    words: str
    placement: Placement
    row: ServedRow
    replicas: int
    tokens_per_s: float
    """Of all replicas that the design has GPUs for."""
    usd_per_million_tokens: float | None
    why_not: str
    is_best: bool
    is_on_front: bool


def serving_context(estimate: PricedEstimate, system: Json, query: Given) -> Context:
    """The form, and the placements that it asks for; what is refused stands beside its field."""
    form = serving_form(query)
    context: Context = {"serving_form": form}
    with form.refusing():
        answer = ask(form, system)  # under one load, so that reasons and figures are of the same
        placements = [Placement.from_json(one) for one in answer["placements"]]
        rows = _rows(answer, placements, estimate)
        context |= {"placements": rows, "placements_looked_at": answer["looked_at"]}
        context["of_no_placement"] = [one["message"] for one in answer["advice"] if one["placement"] < 0]
        front = _front(ask(form, system, LOADS_DRAWN)) if placements else []
        best = next((one for one in rows if one.is_best), None)
        context |= {"best_placement": best, "serving_charts": [serving_chart(front)] if front else []}
    return context


def ask(form: ServingForm, system: Json, fewer: Sequence[int] = ()) -> Json:
    """What the verb answers under the load that was typed, and under those of ``fewer`` that are lower.

    Raises
    ------
    SpecError
        With what is wrong, by the names of the form's fields.
    """
    typed = form.texts()
    load = whole("concurrency", typed["concurrency"])
    target = {name: number(name, typed[name]) for name in ("tpot_ms", "ttft_ms") if typed[name]}
    request = {
        "system": system,
        "model": typed["serve_model"],
        "precision": typed["serve_precision"],
        "input_tokens": whole("prompt_tokens", typed["prompt_tokens"]),
        "output_tokens": whole("answer_tokens", typed["answer_tokens"]),
        "concurrency": [*(one for one in fewer if one < load), load],
        "target": target,
        "top": PLACEMENTS_SHOWN,
    }
    try:
        return _served(json.dumps(request, sort_keys=True))
    except SpecError as error:
        raise SpecError([_beside_its_field(problem) for problem in error.problems]) from None


@lru_cache(maxsize=ANSWERS_KEPT)
def _served(request: str) -> Json:
    """What the verb answers one request. Kept: each change of the tab shows both halves, and changes one."""
    return cast(Json, served(json.loads(request), load_catalog()))


def _beside_its_field(problem: Problem) -> Problem:
    key = (
        problem.field.partition(".")[0] if not problem.field.startswith("target") else problem.field.rpartition(".")[2]
    )
    return Problem(FIELDS.get(key, key), problem.code, problem.message)


def _front(answer: Json) -> list[tuple[str, Placement]]:
    """The placements that none of the others beats, with their words."""
    found = [answer["placements"][at] for at in answer["pareto"]]
    return [(placement_words(one["layout"]), Placement.from_json(one)) for one in found]


def _rows(answer: Json, placements: list[Placement], estimate: PricedEstimate) -> list[Served]:
    layouts = [one["layout"] for one in answer["placements"]]
    why = {one["placement"]: one["message"] for one in answer["advice"]}
    best = answer["best"]["layout"] if answer["best"] else None
    usd_per_gpu_hour = estimate.cost.usd_per_gpu_hour.typical
    rows = []
    for at, (layout, placement) in enumerate(zip(layouts, placements, strict=True)):
        row = placement.rows[-1]
        replicas = estimate.compute.counts.gpus // placement.gpus
        rows.append(
            Served(
                words=placement_words(layout),
                placement=placement,
                row=row,
                replicas=replicas,
                tokens_per_s=row.tokens_per_s * replicas,
                usd_per_million_tokens=usd_per_million_tokens(usd_per_gpu_hour, row.tokens_per_s_per_gpu),
                why_not=why.get(at, ""),
                is_best=layout == best,
                is_on_front=at in answer["pareto"],
            )
        )
    return rows
