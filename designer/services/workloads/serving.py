"""A model served on an estimated design, as a form has it: placements of a replica, and what they serve."""

from collections.abc import Sequence

from designer.forms.workloads import ServingForm, number, whole
from designer.services.workloads.asking import asking
from designer.services.workloads.links import OnDesign
from designer.services.workloads.own_models import model_named
from designer.wording.layouts import placement_words
from estimator.record import Json, Record
from estimator.serving_request.answering import served
from estimator.workloads.serving.answer import Placement, ServedLayout, ServedRow, usd_per_million_tokens
from estimator.workloads.serving.search import Advice

PLACEMENTS_SHOWN = 10
LOADS_DRAWN = (1, 4, 16, 64, 256, 1024)
FIELDS = {
    "model": "serve_model",
    "precision": "serve_precision",
    "input_tokens": "prompt_tokens",
    "output_tokens": "answer_tokens",
}


class DesignPlacement(Record):
    """One placement under the load requested, on one replica and on the whole design."""

    label: str
    placement: Placement
    replicas: int
    """That the design has GPUs for."""
    tokens_per_s: float
    """Of all these replicas."""
    usd_per_million_tokens: float | None
    """Of output, at the design's cost of a GPU-hour; null where nothing is served."""
    why_not: str
    """Why it is not the best; empty for the best one."""
    is_best: bool
    is_on_front: bool

    @property
    def row(self) -> ServedRow:
        """Its figures under the load requested."""
        return self.placement.rows[-1]


class SearchedPlacements(Record):
    """The placements that a search found, and what it says of those that there are not."""

    placements: list[DesignPlacement]
    looked_at: int
    of_no_placement: list[str]

    @property
    def best(self) -> DesignPlacement | None:
        """The best one; None where no placement meets what is required."""
        return next((one for one in self.placements if one.is_best), None)


class _Best(Record):
    layout: ServedLayout


class _Answer(Record):
    """What is read of the verb's answer."""

    placements: list[Placement]
    pareto: list[int]
    best: _Best | None
    looked_at: int
    advice: list[Advice]


_ask = asking(served, _Answer.from_json, ServingForm, FIELDS, kept=128)


def searched_placements(form: ServingForm, on: OnDesign) -> SearchedPlacements:
    """The best placements under the load that was typed.

    Raises
    ------
    SpecError
        With what is wrong, by the names of the form's fields.
    """
    answer = _under(form, on)  # under one load, so that reasons and figures are of the same
    return SearchedPlacements(
        placements=_placements(answer, on),
        looked_at=answer.looked_at,
        of_no_placement=[one.message for one in answer.advice if one.placement < 0],
    )


def front_of(form: ServingForm, on: OnDesign) -> list[Placement]:
    """The placements that none of the others beats, under the loads of LOADS_DRAWN up to the one that was typed."""
    answer = _under(form, on, LOADS_DRAWN)
    return [answer.placements[at] for at in answer.pareto]


def _under(form: ServingForm, on: OnDesign, fewer: Sequence[int] = ()) -> _Answer:
    """What the verb answers under the load that was typed, and under those of ``fewer`` that are lower."""
    load = whole("concurrency", form.text("concurrency"))
    loads = [*(one for one in fewer if one < load), load]
    return _ask({**keys_of(form), "system": on.system, "concurrency": loads, "top": PLACEMENTS_SHOWN})


def keys_of(form: ServingForm) -> Json:
    """A request's keys of the model, its lengths and what has to be met, as the form has them."""
    return {
        "model": model_named(form.text("serve_model"), "serve_model"),
        "precision": form.text("serve_precision"),
        "input_tokens": whole("prompt_tokens", form.text("prompt_tokens")),
        "output_tokens": whole("answer_tokens", form.text("answer_tokens")),
        "target": {name: number(name, text) for name, text in form.texts("tpot_ms", "ttft_ms").items() if text},
    }


def _placements(answer: _Answer, on: OnDesign) -> list[DesignPlacement]:
    why = {one.placement: one.message for one in answer.advice}
    best = answer.best.layout if answer.best else None
    usd_per_gpu_hour = on.usd_per_gpu_hour.typical if on.usd_per_gpu_hour else None
    found = []
    for at, placement in enumerate(answer.placements):
        row = placement.rows[-1]
        replicas = on.gpus // placement.gpus
        found.append(
            DesignPlacement(
                label=placement_words(placement.layout),
                placement=placement,
                replicas=replicas,
                tokens_per_s=row.tokens_per_s * replicas,
                usd_per_million_tokens=usd_per_million_tokens(usd_per_gpu_hour, row.tokens_per_s_per_gpu),
                why_not=why.get(at, ""),
                is_best=placement.layout == best,
                is_on_front=at in answer.pareto,
            )
        )
    return found
