"""A model trained on the design: the best layouts, where the seconds of a step go, and what a run takes."""

from typing import NamedTuple, cast

from designer.charts.workloads import layout_words, parts_chart
from designer.forms.workloads import TrainingForm, training_form
from designer.wording.context import Context
from estimator.catalog.loader import load_catalog
from estimator.errors import Problem, SpecError
from estimator.ranges import Range
from estimator.record import Given, Json
from estimator.result import PricedEstimate
from estimator.training_request import trained
from estimator.workloads.models.catalog import catalog_models
from estimator.workloads.models.counts import total_parameters
from estimator.workloads.runs.goodput import RunRequest, TrainingRun, training_run
from estimator.workloads.training.answer import StepAnswer

LAYOUTS_SHOWN = 10
LAYOUTS_DRAWN = 5
TRILLION = 1e12
STOPS = "afr-all-llama"
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
    numbers = {name: _whole(name, typed[name]) for name in ("sequence", "batch")}
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
        answer = cast(Json, trained(request, load_catalog()))  # one request, one answer
    except SpecError as error:
        raise SpecError([_beside_its_field(problem) for problem in error.problems]) from None
    return Searched([StepAnswer.from_json(one) for one in answer["layouts"]], answer["looked_at"], answer["refused"])


def _beside_its_field(problem: Problem) -> Problem:
    key = problem.field.rpartition(".")[2]
    return Problem(FIELDS.get(key, key), problem.code, problem.message)


def _whole(name: str, text: str) -> int:
    bare = text.replace(",", "").replace(" ", "")
    if not (bare.isascii() and bare.isdecimal()):
        raise SpecError([Problem(name, "wrong_type", f"'{text[:20]}' is no whole number. Type one, such as 8192.")])
    return int(bare)


def _run(form: TrainingForm, found: Searched, estimate: PricedEstimate) -> TrainingRun:
    """Days and dollars of training on so many tokens by the best layout."""
    text = form.texts()["tokens"]
    try:
        tokens = float(text.replace(",", ""))
    except ValueError:
        tokens = float("nan")
    if not 0 < tokens <= 10_000:
        message = f"'{text[:20]}' is no number of trillions from 0 to 10,000. Type one, such as 15 or 0.3."
        raise SpecError([Problem("tokens", "out_of_range", message)])
    best, n_gpus = found.layouts[0], estimate.compute.counts.gpus
    rate = Range(best.step_s / best.step_s_high, 1.0, best.step_s / best.step_s_low) * best.tokens_per_s
    shape = catalog_models()[form.texts()["train_model"]].shape
    return training_run(
        RunRequest(tokens * TRILLION),
        n_gpus,
        total_parameters(shape),
        rate,
        load_catalog().economics[STOPS].ends,
        estimate.cost.usd_per_gpu_hour,
    )
