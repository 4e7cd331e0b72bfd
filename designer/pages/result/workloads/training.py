"""A model trained on the design: the best layouts, where the seconds of a step go, and what a run takes."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple, cast

from designer.charts.workloads import layout_words, parts_chart
from designer.forms.workloads import TrainingForm, number, training_form, whole
from designer.wording.context import Context
from designer.wording.names import LEFT_OUT
from designer.wording.numbers import words
from estimator.catalog.loader import load_catalog
from estimator.errors import Problem, SpecError
from estimator.record import Given, Json
from estimator.result import PricedEstimate
from estimator.training_request import ANY_STOP, rate_of, trained
from estimator.workloads.models.catalog import catalog_models
from estimator.workloads.models.counts import total_parameters
from estimator.workloads.runs.goodput import RunRequest, TrainingRun, training_run
from estimator.workloads.training.answer import StepAnswer

ANSWERS_KEPT = 64
LAYOUTS_SHOWN = 10
LAYOUTS_DRAWN = 5
TRILLION = 1e12
MOST_TRILLIONS = 10_000
FIELDS = {"model": "train_model", "precision": "train_precision", "global_batch": "batch", "tokens": "tokens"}


class Searched(NamedTuple):
    """The layouts that a search found, the best first, and what it left out."""

    layouts: list[StepAnswer]
    looked_at: int
    refused: dict[str, int]


def training_context(estimate: PricedEstimate, system: Json, query: Given) -> Context:
    """The form, and the layouts that it asks for; what is refused stands beside its field."""
    n_gpus = estimate.compute.counts.gpus
    form = training_form(query, n_gpus)
    found: Searched | None = None
    run: TrainingRun | None = None
    with form.refusing():
        found = search(form, system, n_gpus)
        run = _run(form, found, estimate) if found.layouts else None
    context: Context = {"training_form": form, "searched": found, "run": run}
    if found and found.layouts:
        best = found.layouts[0]
        context |= {
            "best": best,
            "best_words": layout_words(best),
            "parts_charts": [parts_chart(found.layouts[:LAYOUTS_DRAWN])],
        }
    return context


def search(form: TrainingForm, system: Json, n_gpus: int) -> Searched:
    """The best layouts on all GPUs of the design.

    Raises
    ------
    SpecError
        With what is wrong, by the names of the form's fields.
    """
    typed = form.texts()
    numbers = {name: whole(name, typed[name]) for name in ("sequence", "batch")}
    request = {
        "system": system,
        "gpus": n_gpus,
        "model": typed["train_model"],
        "precision": typed["train_precision"],
        "task": typed["task"],
        "parallel": {"sequence": numbers["sequence"], "global_batch": numbers["batch"]},
        "top": LAYOUTS_SHOWN,
    }
    try:
        answer = _trained(json.dumps(request, sort_keys=True))
    except SpecError as error:
        raise SpecError([_beside_its_field(problem) for problem in error.problems]) from None
    return Searched(
        [StepAnswer.from_json(one) for one in answer["layouts"]], answer["looked_at"], _left_out(answer["refused"])
    )


@lru_cache(maxsize=ANSWERS_KEPT)
def _trained(request: str) -> Json:
    """What the verb answers one request. Kept: each change of the tab shows both halves, and changes one."""
    return cast(Json, trained(json.loads(request), load_catalog()))


def _left_out(refused: Mapping[str, int]) -> dict[str, int]:
    """How many layouts were left out, by the reason in words."""
    return {LEFT_OUT.get(reason, words(reason)): n for reason, n in refused.items() if n}


def _beside_its_field(problem: Problem) -> Problem:
    key = problem.field.rpartition(".")[2]
    return Problem(FIELDS.get(key, key), problem.code, problem.message)


def _run(form: TrainingForm, found: Searched, estimate: PricedEstimate) -> TrainingRun:
    """Days and dollars of training on so many tokens by the best layout."""
    tokens = number("tokens", form.texts()["tokens"])
    if tokens > MOST_TRILLIONS:
        message = f"{tokens:g} trillion tokens are more than {MOST_TRILLIONS:,}, the most. Type fewer, such as 15."
        raise SpecError([Problem("tokens", "out_of_range", message)])
    best, n_gpus = found.layouts[0], estimate.compute.counts.gpus
    shape = catalog_models()[form.texts()["train_model"]].shape
    return training_run(
        RunRequest(tokens * TRILLION),
        n_gpus,
        total_parameters(shape),
        rate_of(best),
        load_catalog().economics[ANY_STOP].ends,
        estimate.cost.usd_per_gpu_hour,
    )
