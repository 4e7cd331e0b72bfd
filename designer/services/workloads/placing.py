"""The layouts that the workloads tab found, put on the design's nodes: which there are, and the job that files are written of."""

from collections.abc import Sequence
from typing import NamedTuple

from designer.forms.workloads import PlacementForm, model_typed, placement_form, serving_form, training_form
from designer.services.link_lists import refuse_outdated
from designer.services.workloads.links import on_design
from designer.services.workloads.serving import DesignPlacement, searched_placements
from designer.services.workloads.training import searched_layouts
from designer.wording.layouts import batch_words, layout_words, placement_words
from estimator.catalog.loader import load_catalog
from estimator.errors import Problem, SpecError
from estimator.handoff.launch.formats import SERVING, TRAINING
from estimator.handoff.launch.job import Job
from estimator.handoff.launch.making import placed_job
from estimator.jobs.models import EstimateJob
from estimator.record import Given, Json
from estimator.result import PricedEstimate
from estimator.spec.parse import parse_spec
from estimator.units import counted
from estimator.workloads.models.catalog import catalog_models
from estimator.workloads.placement.request import parse_placement
from estimator.workloads.training.answer import StepAnswer

FIELDS = {"name": "job_name", "model": "weights"}
UNNAMED = "MODEL"
TRAINING_MODEL, SERVING_MODEL = "train_model", "serve_model"


class Placeable(NamedTuple):
    """A layout that was found, as a request for its placement."""

    key: str
    label: str
    workload: str
    request: Json


class Placing(NamedTuple):
    """The form, and the layout that it names."""

    form: PlacementForm
    chosen: Placeable | None


def placing_of(query: Given, layouts: Sequence[StepAnswer], placements: Sequence[DesignPlacement]) -> Placing:
    """Which layouts the tab has at a query, and the one that is chosen: the first where the query names none of them."""
    found = {one.key: one for one in (*map(_of_training, layouts), *map(_of_serving, placements))}
    chosen = found.get(query.get("placed", ""), next(iter(found.values()), None))
    model = SERVING_MODEL if chosen is not None and chosen.workload == SERVING else TRAINING_MODEL
    labels = {key: one.label for key, one in found.items()}
    return Placing(placement_form(query, labels, _hub_name(model_typed(query, model))), chosen)


def request_of(placing: Placing) -> Json:
    """The chosen layout under the names that were typed, checked.

    Raises
    ------
    SpecError
        Where there is no layout, or a name is not one that files can take.
    """
    if placing.chosen is None:
        message = "No layout of these models fits on the design, so that none can be placed. Choose a smaller model."
        raise SpecError([Problem("placed", "no_layout", message)])
    form = placing.form
    names = {"name": form.text("job_name"), "model": form.text("weights")} | form.texts("script", "image")
    request = {**placing.chosen.request, **names}
    try:
        parse_placement(request)
    except SpecError as error:
        raise SpecError([one.named(FIELDS.get(one.field, one.field)) for one in error.problems]) from None
    return request


def chosen_job(job: EstimateJob, estimate: PricedEstimate, query: Given) -> Job:
    """The layout that is chosen at a query, on the design's links.

    Raises
    ------
    SpecError
        With what is wrong in the forms, or where no layout fits.
    OutdatedEstimate
        If model or catalog have changed since the estimate.
    """
    refuse_outdated(job)
    on = on_design(estimate)
    layouts = searched_layouts(training_form(query, on.gpus), on).layouts
    placements = searched_placements(serving_form(query), on).placements
    request, catalog = request_of(placing_of(query, layouts, placements)), load_catalog()
    return placed_job(parse_spec(job.spec, catalog), request, catalog)


def _of_training(step: StepAnswer) -> Placeable:
    layout = step.parallel
    if layout is None:
        raise ValueError("a layout of a search names its degrees")
    degrees = (layout.tp, layout.pp, layout.cp, layout.ep, layout.dp, layout.virtual_stages, layout.micro_batch)
    key = f"{_key('t', degrees)}.{layout.zero_stage}.{layout.recompute}"
    parallel = layout.as_json() | {"sequence_parallel": True}  # what the search takes for granted
    if layout.ep > 1:
        parallel["expert_tp"] = 1  # experts are whole on their ranks in the model of a step
    if step.stages:
        parallel |= {"layers": step.stages.layers}
    label = f"Training: {layout_words(layout)}, {batch_words(layout)}"
    return Placeable(key, label, TRAINING, {"parallel": parallel, **_traffic(step)})


def _traffic(step: StepAnswer) -> Json:
    """What the order of ranks is chosen by, where a step has both kinds: gradients summed, activations handed over."""
    layout = step.parallel
    sent = {link.traffic: link.bytes_per_step for link in step.links}
    if layout is None or not {"dp", "pp"} <= sent.keys():
        return {}
    n_micro = layout.global_batch // (layout.dp * layout.micro_batch)
    messages = 2 * layout.virtual_stages * max(n_micro, 1)  # forward and backward
    # an all-reduce of n bytes does what a reduce-scatter and an all-gather of n each do
    return {"traffic": {"dp_bytes": sent["dp"] / 2, "pp_bytes": sent["pp"], "pp_messages": messages}}


def _of_serving(found: DesignPlacement) -> Placeable:
    layout = found.placement.layout
    if layout is None:
        raise ValueError("a placement of a search names its degrees")
    degrees = (layout.tp, layout.pp, layout.attention_dp, layout.moe_tp, layout.ep)
    label = f"Serving: {placement_words(layout)}, {counted(found.replicas, 'replica')}"
    worker = layout.as_json()
    if layout.moe_tp * layout.ep != layout.tp * layout.attention_dp:  # of a model without experts
        del worker["moe_tp"]
    return Placeable(_key("s", degrees), label, SERVING, {"layout": worker, "replicas": max(found.replicas, 1)})


def _key(kind: str, degrees: tuple[int, ...]) -> str:
    return kind + ".".join(map(str, degrees))


def _hub_name(model: str) -> str:
    """What a model hub calls a model of the catalog; its id where no hub's name is known, and a blank of another model."""
    known = catalog_models().get(model)
    return next((alias for alias in known.aliases if "/" in alias), model) if known else UNNAMED
