"""A model trained on an estimated design, as a form has it: the best layouts, and what a run takes."""

from collections.abc import Mapping

from designer.forms.workloads import TrainingForm, number, whole
from designer.services.workloads.asking import asking
from designer.services.workloads.links import OnDesign
from designer.services.workloads.own_models import model_named, shape_named
from designer.wording.names import LEFT_OUT
from designer.wording.numbers import words
from estimator.errors import Problem, SpecError
from estimator.record import Json, Record
from estimator.training_request import rate_of, trained
from estimator.workloads.models.counts import total_parameters
from estimator.workloads.runs.goodput import RunRequest, TrainingRun, training_run
from estimator.workloads.training.answer import StepAnswer

LAYOUTS_SHOWN = 10
TRILLION = 1e12
MOST_TRILLIONS = 10_000
FIELDS = {"model": "train_model", "precision": "train_precision", "global_batch": "batch", "tokens": "tokens"}


class SearchedLayouts(Record):
    """The layouts that a search found, the best first, and what it left out by the reason."""

    layouts: list[StepAnswer]
    looked_at: int
    refused: dict[str, int]


_ask = asking(trained, SearchedLayouts.from_json, TrainingForm, FIELDS, kept=64)


def searched_layouts(form: TrainingForm, on: OnDesign) -> SearchedLayouts:
    """The best layouts on all GPUs of the design.

    Raises
    ------
    SpecError
        With what is wrong, by the names of the form's fields.
    """
    answer = _ask(keys_of(form) | {"system": on.system, "gpus": on.gpus, "top": LAYOUTS_SHOWN})
    return answer.but(refused=_left_out(answer.refused))


def keys_of(form: TrainingForm) -> Json:
    """A request's keys of the model, its precision and its batch, as the form has them."""
    sequence, batch = (whole(name, text) for name, text in form.texts("sequence", "batch").items())
    return {
        "model": model_named(form.text("train_model"), "train_model"),
        "precision": form.text("train_precision"),
        "task": form.text("task"),
        "parallel": {"sequence": sequence, "global_batch": batch},
    }


def _left_out(refused: Mapping[str, int]) -> dict[str, int]:
    """How many layouts were left out, by the reason in words."""
    return {LEFT_OUT.get(reason, words(reason)): n for reason, n in refused.items() if n}


def run_of(form: TrainingForm, best: StepAnswer, on: OnDesign) -> TrainingRun:
    """Days and dollars of training on so many tokens by a layout.

    Raises
    ------
    SpecError
        Where the number of tokens is none, or too large.
    """
    tokens = number("tokens", form.text("tokens"))
    if tokens > MOST_TRILLIONS:
        message = f"{tokens:g} trillion tokens are more than {MOST_TRILLIONS:,}, the most. Type fewer, such as 15."
        raise SpecError([Problem("tokens", "out_of_range", message)])
    shape = shape_named(form.text("train_model"), "train_model")
    return training_run(
        RunRequest(tokens * TRILLION),
        on.gpus,
        total_parameters(shape),
        rate_of(best),
        on.stops_per_gpu_year,
        on.usd_per_gpu_hour,
    )
