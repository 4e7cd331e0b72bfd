"""All that the workloads tab shows of an estimated design, as one record: what files and REST answer."""

from collections.abc import Iterator

from designer.forms.workloads import serving_form, training_form
from designer.services.workloads.links import levels_of_design, on_design
from designer.services.workloads.own_models import shape_named
from designer.services.workloads.serving import SearchedPlacements, front_of, searched_placements
from designer.services.workloads.training import SearchedLayouts, run_of, searched_layouts
from estimator.errors import EstimatorError, Problem
from estimator.ranges import Range
from estimator.record import Given, Record
from estimator.result import PricedEstimate, Versions
from estimator.workloads.fitted import Constant, Stated
from estimator.workloads.models.catalog import catalog_models
from estimator.workloads.models.counts import active_parameters, total_parameters
from estimator.workloads.models.shapes import ModelShape
from estimator.workloads.paths.constants import path_constants
from estimator.workloads.paths.hierarchy import LinkLevel
from estimator.workloads.runs.goodput import TrainingRun, run_constants
from estimator.workloads.serving.answer import Placement
from estimator.workloads.serving.constants import serving_constants
from estimator.workloads.training.constants import training_constants


class NotPredicted(EstimatorError):
    """Nothing is known of the design's GPU, so that no workload can be predicted on it."""

    code = "not_predicted"


class CountedModel(Record):
    """A model with its parameters, as they are counted from its shape."""

    name: str
    """Id of the catalog, or what another model is called."""
    parameters: int
    active_parameters: int
    """That one token passes through."""
    source: str
    note: str


class TrainedHere(Record):
    """A model trained on the design."""

    model: CountedModel
    asked: dict[str, str]
    """Fields of the tab's form, as they were read."""
    searched: SearchedLayouts
    run: TrainingRun | None
    """By the best layout; null where none fits."""


class ServedHere(Record):
    """A model served on the design."""

    model: CountedModel
    asked: dict[str, str]
    """Fields of the tab's form, as they were read."""
    searched: SearchedPlacements
    front: list[Placement]
    """Placements that no other beats in both speed and tokens a GPU, under several loads."""


class WorkloadConstant(Record):
    """A constant that times rest on, with where it is from."""

    model: str
    """training, serving, runs or paths."""
    name: str
    index: str
    value: float
    low: float | None
    high: float | None
    unit: str
    basis: str
    evidence: str


class DesignWorkloads(Record):
    """The workloads tab."""

    name: str
    spec_hash: str
    versions: Versions
    usd_per_gpu_hour: Range[float] | None
    """Null where the servers have no price, and with it every figure in dollars."""
    training: TrainedHere
    serving: ServedHere
    links: list[LinkLevel]
    constants: list[WorkloadConstant]


def workloads_of(estimate: PricedEstimate, query: Given) -> DesignWorkloads:
    """What the tab shows at a query.

    Raises
    ------
    SpecError
        With what is wrong, by the names of the forms' fields.
    NotPredicted
        Of a design whose GPU is not known.
    """
    levels = levels_of_design(estimate)
    if not levels:
        message = (
            estimate.performance.missing or "The design names no GPU that is known. Choose a server of the catalog."
        )
        raise NotPredicted([Problem("compute.server", "not_predicted", message)])
    training, serving = training_form(query, estimate.compute.counts.gpus), serving_form(query)
    on = on_design(estimate)
    layouts, placements = searched_layouts(training, on), searched_placements(serving, on)
    return DesignWorkloads(
        name=estimate.spec.name,
        spec_hash=estimate.spec_hash,
        versions=estimate.versions,
        usd_per_gpu_hour=on.usd_per_gpu_hour,
        training=TrainedHere(
            model=counted_model(shape_named(training.texts()["train_model"], "train_model")),
            asked=training.texts(),
            searched=layouts,
            run=run_of(training, layouts.layouts[0], on) if layouts.layouts else None,
        ),
        serving=ServedHere(
            model=counted_model(shape_named(serving.texts()["serve_model"], "serve_model")),
            asked=serving.texts(),
            searched=placements,
            front=front_of(serving, on) if placements.placements else [],
        ),
        links=levels,
        constants=workload_constants(),
    )


def counted_model(shape: ModelShape) -> CountedModel:
    """A shape's name and counts."""
    return CountedModel(
        name=shape.id if shape.id in catalog_models() else shape.name,
        parameters=total_parameters(shape),
        active_parameters=active_parameters(shape),
        source=shape.source,
        note=shape.note,
    )


def workload_constants() -> list[WorkloadConstant]:
    """Constants that times of training and serving rest on, each with its source."""
    return list(_constants())


def _constants() -> Iterator[WorkloadConstant]:
    for model, rows in (("training", training_constants().rows), ("serving", serving_constants().rows)):
        yield from (_fitted(model, row) for row in rows)
    for model, stated in (("runs", run_constants()), ("paths", path_constants())):
        yield from (_stated(model, name, one) for name, one in stated.items())


def _fitted(model: str, row: Constant) -> WorkloadConstant:
    return WorkloadConstant(
        model=model,
        name=row.name,
        index=row.index,
        value=row.value,
        low=None,
        high=None,
        unit=row.unit,
        basis=row.basis,
        evidence=row.evidence,
    )


def _stated(model: str, name: str, one: Stated) -> WorkloadConstant:
    is_range = one.ends.low < one.ends.high
    return WorkloadConstant(
        model=model,
        name=name,
        index="",
        value=one.value,
        low=one.ends.low if is_range else None,
        high=one.ends.high if is_range else None,
        unit=one.unit,
        basis=one.basis,
        evidence=one.evidence,
    )
