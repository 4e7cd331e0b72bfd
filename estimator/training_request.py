"""Requests for training steps: one layout or a search over them, one request or a list, on a system or on a design.

``trained(request, catalog)`` is the one way in for the command line and the API; ``estimator/docs/training.md`` says what
stands behind the numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.errors import EstimatorError, Problem, SpecError
from estimator.performance.prediction import MAX_GPUS, System
from estimator.pipeline import DESIGN, system_of_design
from estimator.record import Given, Json
from estimator.spec.checking import Section, unknown_part, validated
from estimator.workloads.models.catalog import catalog_models, ids_by_name
from estimator.workloads.models.shapes import ModelShape, with_layers
from estimator.workloads.training.answer import answers
from estimator.workloads.training.check import layout_problems, precision_problem, stage_note
from estimator.workloads.training.constants import Constants, training_constants
from estimator.workloads.training.rows import measured_pairs
from estimator.workloads.training.runs import Run, Systems, full_system, layout_of, steps_of
from estimator.workloads.training.stack import FEATURES
from estimator.workloads.training.step import step_times
from estimator.workloads.training.traffic import traffic_of

MAX_REQUESTS = 5_000
MAX_CALIBRATING = 1_000
WHAT = "a training request"
Count = Annotated[int, Field(ge=1, le=MAX_GPUS)]


class Parallel(Section):
    """How the model is spread, and the batch."""

    tp: Count = Field(1, description="Tensor parallelism.")
    pp: Count = Field(1, description="Pipeline stages.")
    cp: Count = Field(1, description="Context parallelism.")
    ep: Count = Field(1, description="Expert parallelism.")
    dp: Count | None = Field(None, description="Data parallelism; what the GPUs leave where left out.")
    virtual_stages: int | None = Field(None, ge=1, le=1024, description="Interleaved stages of a GPU.")
    micro_batch: int = Field(1, ge=1, le=65_536, description="Sequences of a micro-batch.")
    global_batch: int = Field(ge=1, le=10_000_000, description="Sequences of a step.")
    sequence: int = Field(ge=1, le=100_000_000, description="Tokens of a sequence.")
    fsdp: bool | None = Field(None, description="Weights, gradients and optimizer sharded (ZeRO 3).")
    zero_stage: int | None = Field(None, ge=0, le=3, description="What data parallelism shards: 0 nothing to 3 all.")
    shard_gpus: Count | None = Field(None, description="GPUs that share one copy (HSDP); all where left out.")
    sequence_parallel: bool = Field(True, description="Norms are split over tensor parallelism too.")
    recompute: Literal["none", "selective", "full"] | None = Field(None, description="Activations computed again.")
    schedule: Literal["1f1b", "interleaved", "zero_bubble"] | None = Field(None, description="Pipeline schedule.")


class Stack(Section):
    """The software."""

    framework: str | None = Field(None, max_length=80, description="Framework or source of the recipe.")
    release: str | None = Field(None, max_length=80, description="Its release.")
    features: list[str] = Field(
        default_factory=list, max_length=20, description="Named features; its recipes' where left out."
    )


class CalibrationRow(Section):
    """A measured step of the same stack, GPU and precision."""

    request: dict[str, Any] = Field(description="A training request with a layout.")
    step_s: float = Field(gt=0, le=1e7, description="Seconds that its step took.")


class Calibration(Section):
    """Measured steps that set the stack's factor."""

    rows: list[CalibrationRow] = Field(min_length=1, max_length=MAX_CALIBRATING, description="Measured steps.")


class TrainingRequest(Section):
    """One request."""

    system: System = Field(description="The machines and their network.")
    gpus: Count | None = Field(None, description="GPUs of the job; what the layout needs where left out.")
    model: str | dict[str, Any] = Field(description="A catalog id, a shape, or a hub's config.json.")
    layers: int | None = Field(None, ge=1, le=10_000, description="Layers, where fewer or more than the model's.")
    parallel: Parallel = Field(description="The layout.")
    precision: Literal["bf16", "fp8", "mxfp8", "nvfp4"] = Field("bf16", description="Of matrix products.")
    task: Literal["pretrain", "sft", "lora"] = Field("pretrain", description="What is trained.")
    stack: Stack = Field(default_factory=Stack, description="The software.")
    calibration: Calibration | None = Field(None, description="Measured steps of the same stack.")


def trained(request: Any, catalog: Catalog) -> Json | list[Json]:
    """Training steps.

    Parameters
    ----------
    request : the JSON of a request, or a list of them; a design in place of a system is sized first.
    catalog : parts, GPUs and constants of the collectives.

    Returns
    -------
    An answer, or a list of them in the order of the requests; there, one that is refused is ``{"code", "problems"}``.

    Raises
    ------
    SpecError, InfeasibleDesign
        Of a single request: every problem found.
    """
    trainer = Trainer(catalog)
    if isinstance(request, Sequence) and not isinstance(request, str | bytes):
        if len(request) > MAX_REQUESTS:
            message = f"{len(request):,} requests were given, and {MAX_REQUESTS:,} is the most at once. Split them."
            raise SpecError([Problem("", "too_many_requests", message)])
        return trainer.many(request)
    (answer,) = trainer.many([request], is_alone=True)
    return answer


class Trainer:
    """Answers requests on one catalog; systems that are alike share their tables of collectives."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._network = ModelConstants(catalog)
        self._systems = Systems(catalog, self._network)
        self._constants = training_constants()

    def many(self, requests: Sequence[Any], is_alone: bool = False) -> list[Json]:
        """Answers in the order of the requests."""
        out: list[Json | None] = []
        runs: list[tuple[int, Run, Json]] = []
        for request in requests:
            try:
                run, more = self._run(request)
                runs.append((len(out), run, more))
                out.append(None)
            except EstimatorError as error:
                if is_alone:
                    raise
                out.append(error.as_json())
        for places in self._alike(runs):
            for place, answer in self._answered(places):
                out[place] = answer
        return [one for one in out if one is not None]

    def _alike(self, runs: list[tuple[int, Run, Json]]) -> list[list[tuple[int, Run, Json]]]:
        groups: dict[str, list[tuple[int, Run, Json]]] = {}
        for one in runs:
            groups.setdefault(self._systems.key(one[1].system), []).append(one)
        return list(groups.values())

    def _answered(self, runs: list[tuple[int, Run, Json]]) -> list[tuple[int, Json]]:
        """Answers of runs on one system."""
        only = [run for _, run, _ in runs]
        steps = steps_of(only, self._catalog, self._constants)
        traffic = traffic_of(steps, self._systems.times(only[0].system))
        notes = [_notes(run) for run in only]
        bands = [band_of(run, self._constants) for run in only]
        made = answers(steps, traffic, self._constants, notes, bands)
        return [(place, {**answer.as_json(), **more}) for (place, _, more), answer in zip(runs, made, strict=True)]

    def _run(self, request: Any) -> tuple[Run, Json]:
        """One request as a run, and what its answer has besides."""
        request, more = self._on_design(request)
        asked, problems = validated(TrainingRequest, request, WHAT)
        if asked is None:
            raise SpecError(problems)
        shape, of_model = _shape_of(asked.model, asked.layers)
        problems += of_model
        gpu = self._catalog.gpus.get(asked.system.gpu)
        if gpu is None:
            problems.append(unknown_part("system.gpu", "GPU", asked.system.gpu, self._catalog.gpus))
        elif problem := precision_problem(gpu, asked.precision):
            problems.append(problem)
        unknown = [one for one in asked.stack.features if one not in FEATURES]
        if unknown:
            message = f"Features are {', '.join(FEATURES)}, and {', '.join(unknown)[:80]} was given."
            problems.append(Problem("stack.features", "not_a_choice", message))
        layout = _layout(asked)
        if shape is not None:
            problems += layout_problems(shape, layout, asked.gpus)
        if problems or shape is None:
            raise SpecError(problems)
        given = {key: value for key, value in asked.system.model_dump().items() if value is not None}
        system = full_system(given, self._catalog, self._network)
        n_gpus = layout["tp"] * layout["pp"] * layout["cp"] * layout["dp"]
        if problem := _network_problem(n_gpus, system):
            raise SpecError([problem])
        run = Run(
            system=system,
            shape=shape,
            layout=layout,
            precision=asked.precision,
            task=asked.task,
            framework=asked.stack.framework,
            release=asked.stack.release,
            features=tuple(asked.stack.features),
            model=shape.id,
        )
        if asked.calibration:
            factor = self._factor(asked.calibration)
            run, more = replace(run, factor=factor), {**more, "calibration": {"factor": factor}}
        return run, more

    def _on_design(self, request: Any) -> tuple[Any, Json]:
        if not isinstance(request, Mapping) or DESIGN not in request:
            return request, {}
        if "system" in request:
            message = "A design says what its system is: give one of design and system, and leave the other out."
            raise SpecError([Problem("system", "contradiction", message)])
        built = system_of_design(request[DESIGN], self._catalog)
        asked = {key: value for key, value in request.items() if key != DESIGN}
        if asked.get("gpus") is None:
            asked["gpus"] = built.n_gpus
        return {**asked, "system": built.system}, {"system": built.system, "spec_hash": built.spec_hash}

    def _factor(self, calibration: Calibration) -> float:
        """Measured over predicted seconds, the median of the rows."""
        off, problems = [], []
        for place, row in enumerate(calibration.rows):
            try:
                given: Given = {key: value for key, value in row.request.items() if key != "calibration"}
                run, _ = self._run(given)
            except EstimatorError as error:
                problems += [
                    replace(one, field=f"calibration.rows.{place}.request.{one.field}") for one in error.problems
                ]
                continue
            steps = steps_of([run], self._catalog, self._constants)
            traffic = traffic_of(steps, self._systems.times(run.system))
            off.append(np.log(row.step_s / step_times(steps, traffic, self._constants).step_s[0]))
        if problems:
            raise SpecError(problems)
        return float(np.exp(np.median(off)))


def band_of(run: Run, constants: Constants) -> str:
    """Which rows say how far off a run can be: of its model and framework, of its framework, of others."""
    kind = "moe" if run.shape.is_moe else "dense"
    if (run.framework, run.model) in measured_pairs():
        return f"{kind}.seen"
    if run.factor != 1.0 or constants.has("stack_factor", run.framework or ""):
        return kind
    return "unknown"


def _layout(asked: TrainingRequest) -> dict[str, Any]:
    parallel = asked.parallel
    model = parallel.tp * parallel.pp * parallel.cp
    dp = parallel.dp or max(1, (asked.gpus or model) // model)
    zero = parallel.zero_stage if parallel.zero_stage is not None else 3 if parallel.fsdp else 1
    return layout_of(
        tp=parallel.tp,
        pp=parallel.pp,
        cp=parallel.cp,
        ep=parallel.ep,
        dp=dp,
        virtual_stages=parallel.virtual_stages,
        micro_batch=parallel.micro_batch,
        global_batch=parallel.global_batch,
        sequence=parallel.sequence,
        zero_stage=zero,
        shard_gpus=parallel.shard_gpus,
        sequence_parallel=parallel.sequence_parallel,
        recompute=parallel.recompute,
        zero_bubble=parallel.schedule == "zero_bubble",
    )


def _shape_of(model: Any, layers: int | None) -> tuple[ModelShape | None, list[Problem]]:
    """The shape that is meant, cut or stretched to ``layers``."""
    if not isinstance(model, str):
        message = "Name a model of the catalog."
        return None, [Problem("model", "wrong_type", message)]
    id_ = ids_by_name().get(model.casefold())
    if id_ is None:
        return None, [unknown_part("model", "model", model, catalog_models())]
    shape = catalog_models()[id_].shape
    return (with_layers(shape, layers) if layers else shape), []


def _notes(run: Run) -> tuple[str, ...] | None:
    note = stage_note(run.shape, int(run.layout["pp"]), int(run.layout["virtual_stages"]))
    return (note,) if note else None


def _network_problem(n_gpus: int, system: Json) -> Problem | None:
    domain = system["scale_up_domain_gpus"]
    if n_gpus <= domain or (system["fabric"] != "none" and system["nics_per_node"] and system["nic_gbit_s"]):
        return None
    message = (
        f"The layout needs {n_gpus:,} GPUs, a scale-up domain holds {domain:,}, and no network joins them. Name a fabric "
        f"and its NICs, or use at most {domain:,} GPUs."
    )
    return Problem("system.fabric", "no_network", message)
