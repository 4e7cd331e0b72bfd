"""Requests for training steps: one layout or a search over them, one request or a list, on a system or on a design.

``trained(request, catalog)`` is the one way in for the command line and the API; ``estimator/docs/training.md`` says what
stands behind the numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, NamedTuple, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.cost.reliability import ANY_CAUSE, job_stops
from estimator.cost.result import JobStops
from estimator.errors import EstimatorError, Problem, SpecError
from estimator.performance.system import MAX_GPUS, System
from estimator.pipeline import DESIGN, calibration_of_design, estimate, system_of_design
from estimator.ranges import Range
from estimator.record import Given, Json
from estimator.spec.calibration import constants_of
from estimator.spec.checking import Section, unknown_part, validated
from estimator.spec.design import DesignSpec
from estimator.units import HOURS_PER_YEAR
from estimator.workloads.models.counts import total_parameters
from estimator.workloads.models.named import model_or_problems
from estimator.workloads.models.shapes import ModelShape, with_layers
from estimator.workloads.paths.inside import inside_node
from estimator.workloads.runs.goodput import RunRequest, training_run
from estimator.workloads.servers import Rated, ScaleUp, scale_up
from estimator.workloads.training.answer import StepAnswer, answers
from estimator.workloads.training.calibrating import common_ln
from estimator.workloads.training.check import layout_problems, precision_problem
from estimator.workloads.training.columns import Steps
from estimator.workloads.training.constants import Constants, training_constants
from estimator.workloads.training.rows import measured_pairs
from estimator.workloads.training.runs import RECOMPUTE, Run, Systems, full_system, layout_of, machine_of, steps_of
from estimator.workloads.training.search import Asked, best_layouts
from estimator.workloads.training.stack import EAGER, FEATURES, stack_key
from estimator.workloads.training.step import step_times
from estimator.workloads.training.traffic import traffic_of

MAX_REQUESTS = 5_000
MAX_CALIBRATING = 1_000
WHAT = "a training request"
RUN, SERVERS = "run", "compare_servers"
DEGREES = ("tp", "pp", "cp", "ep", "dp", "virtual_stages", "micro_batch")
DEFAULT_SEQUENCE = 8_192
DEFAULT_BATCH_TOKENS = 4 * 2**20  # a usual batch of pretraining
Count = Annotated[int, Field(ge=1, le=MAX_GPUS)]


class Parallel(Section):
    """How the model is spread, and the batch."""

    tp: Count | None = Field(None, description="Tensor parallelism.")
    pp: Count | None = Field(None, description="Pipeline stages.")
    cp: Count | None = Field(None, description="Context parallelism.")
    ep: Count | None = Field(None, description="Expert parallelism.")
    dp: Count | None = Field(None, description="Data parallelism; what the GPUs leave where left out.")
    virtual_stages: int | None = Field(None, ge=1, le=1024, description="Interleaved stages of a GPU.")
    micro_batch: int | None = Field(None, ge=1, le=65_536, description="Sequences of a micro-batch.")
    global_batch: int | None = Field(
        None, ge=1, le=10_000_000, description="Sequences of a step; a default if left out."
    )
    sequence: int | None = Field(None, ge=1, le=100_000_000, description="Tokens of a sequence; a default if left out.")
    fsdp: bool | None = Field(None, description="Weights, gradients and optimizer sharded (ZeRO 3).")
    zero_stage: int | None = Field(None, ge=0, le=3, description="What data parallelism shards: 0 nothing to 3 all.")
    shard_gpus: Count | None = Field(None, description="GPUs that share one copy (HSDP); all where left out.")
    sequence_parallel: bool | None = Field(
        None, description="Norms are split over tensor parallelism too; true unless the framework is PyTorch eager."
    )
    recompute: Literal["none", "selective", "full"] | None = Field(None, description="Activations computed again.")
    schedule: Literal["1f1b", "interleaved", "zero_bubble"] | None = Field(None, description="Pipeline schedule.")


class Stack(Section):
    """The software."""

    framework: str | None = Field(None, max_length=80, description="Framework or source of the recipe.")
    release: str | None = Field(None, max_length=80, description="Its release.")
    features: list[str] = Field(
        default_factory=list, max_length=20, description="Named features; its recipes' where left out."
    )


class MeasuredSeconds(BaseModel):
    """What was measured; other figures are left alone."""

    model_config = ConfigDict(frozen=True, strict=True, allow_inf_nan=False)
    step_s: float = Field(gt=0, le=1e7, description="Seconds that the step took.")


class CalibrationRow(BaseModel):
    """A measured step of the same stack, GPU and precision; keys that only describe it are left alone."""

    model_config = ConfigDict(frozen=True, strict=True, allow_inf_nan=False)
    request: dict[str, Any] = Field(description="A training request with a layout.")
    step_s: float | None = Field(None, gt=0, le=1e7, description="Seconds that its step took; or measured.step_s.")
    measured: MeasuredSeconds | None = Field(None, description="The same as an object.")

    @model_validator(mode="after")
    def _has_seconds(self) -> Self:
        if self.step_s is None and self.measured is None:
            raise ValueError("has neither step_s nor measured.step_s: give the seconds of the step")
        return self

    @property
    def seconds(self) -> float:
        """Seconds that the step took."""
        return self.measured.step_s if self.measured and self.step_s is None else float(self.step_s or 0)


class Calibration(Section):
    """Measured steps that set the stack's factor."""

    rows: list[CalibrationRow] = Field(min_length=1, max_length=MAX_CALIBRATING, description="Measured steps.")


class WholeRunAsked(Section):
    """A whole run, to be answered in days and dollars."""

    tokens: float = Field(gt=0, le=1e18, description="Tokens to train on.")
    usd_per_gpu_hour: float | None = Field(None, ge=0, le=10_000, description="Of one GPU with all its costs.")
    gpu_hours_between_stops: float | None = Field(None, gt=0, le=1e12, description="Of one GPU and its share.")
    checkpoint_s: float | None = Field(None, gt=0, le=86_400, description="That training waits for a checkpoint.")
    checkpoint_every_s: float | None = Field(None, gt=0, le=8_640_000, description="Work between two checkpoints.")
    restart_s: float | None = Field(None, ge=0, le=86_400, description="From a stop to the next step.")


class TrainingRequest(Section):
    """One request."""

    system: System = Field(description="The machines and their network.")
    gpus: Count | None = Field(None, description="GPUs of the job; what the layout needs where left out.")
    model: str | dict[str, Any] = Field(description="A catalog id, a shape, or a hub's config.json.")
    layers: int | None = Field(None, ge=1, le=10_000, description="Layers, where fewer or more than the model's.")
    parallel: Parallel = Field(
        default_factory=Parallel, description="The layout; the best ones are searched where it has no tp, pp or dp."
    )
    top: int = Field(10, ge=1, le=1_000, description="Layouts that a search answers with.")
    precision: Literal["bf16", "fp8", "mxfp8", "nvfp4"] = Field("bf16", description="Of matrix products.")
    task: Literal["pretrain", "sft", "lora"] = Field("pretrain", description="What is trained.")
    path: Literal["nvlink", "host_memory"] = Field(
        "nvlink", description="What joins the GPUs of a node; host_memory where peer access is off or there is none."
    )
    stack: Stack = Field(default_factory=Stack, description="The software.")
    calibration: Calibration | list[CalibrationRow] | None = Field(
        None, description="Measured steps of the same stack: rows, or an object that has them."
    )
    run: WholeRunAsked | None = Field(None, description="A whole run, for days, GPU hours and dollars.")
    compare_servers: bool | Annotated[list[Annotated[str, Field(max_length=80)]], Field(max_length=20)] | None = Field(
        None, description="On a design: servers to compare in dollars a million tokens, by id; true for the usual ones."
    )


class WholeRun(NamedTuple):
    """A whole run that was requested, and what is known of where it runs."""

    asked: WholeRunAsked
    stops_per_gpu_year: Range[float]
    of_design: JobStops | None = None
    usd_per_gpu_hour: Range[float] | None = None


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

    def __init__(self, catalog: Catalog, network: ModelConstants | None = None) -> None:
        self._catalog = catalog
        self._network = network or ModelConstants(catalog)
        self._systems = Systems(catalog, self._network)
        self._ends = tuple(Systems(catalog, end) for end in self._network.ends() or ())
        self._calibrated: dict[str, Trainer] = {}
        self._constants = training_constants()

    def many(self, requests: Sequence[Any], is_alone: bool = False) -> list[Json]:
        """Answers in the order of the requests."""
        out: list[Json | None] = []
        runs: list[tuple[int, Run, Json]] = []
        for request in requests:
            try:
                if (trainer := self._on_measured_paths(request)) is not self:
                    out += trainer.many([request], is_alone=True)
                    continue
                asked, run, more = self._run(request)
                if is_search(asked.parallel):
                    out.append(self._searched(asked, run, more))
                    continue
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

    def _on_measured_paths(self, request: Any) -> "Trainer":
        """Who answers a request: where its design carries a site's own constants, one that predicts with those."""
        design = request.get(DESIGN) if isinstance(request, Mapping) else None
        used = None if self._network.source else calibration_of_design(design, self._catalog)
        if used is None:
            return self
        if used.hash not in self._calibrated:
            self._calibrated[used.hash] = Trainer(self._catalog, constants_of(self._catalog, used))
        return self._calibrated[used.hash]

    def _alike(self, runs: list[tuple[int, Run, Json]]) -> list[list[tuple[int, Run, Json]]]:
        groups: dict[str, list[tuple[int, Run, Json]]] = {}
        for one in runs:
            groups.setdefault(self._systems.key(one[1]), []).append(one)
        return list(groups.values())

    def _answered(self, runs: list[tuple[int, Run, Json]]) -> list[tuple[int, Json]]:
        """Answers of runs on one system."""
        only = [run for _, run, _ in runs]
        steps = steps_of(only, self._catalog, self._constants)
        made = self._answers(steps, only)
        return [
            (place, {**_noted(answer, run).as_json(), **_shown(more, answer, run)})
            for (place, run, more), answer in zip(runs, made, strict=True)
        ]

    def _answers(self, steps: Steps, runs: Sequence[Run]) -> list[StepAnswer]:
        """Answers of steps of runs on one system, whose bands hold what paths were measured to differ by."""
        bands = [band_of(run, self._constants) for run in runs]
        traffic, *ends = (traffic_of(steps, one.times(runs[0])) for one in (self._systems, *self._ends))
        return answers(steps, traffic, self._constants, bands, ends)

    def _searched(self, asked: TrainingRequest, run: Run, more: Json) -> Json:
        """The best layouts of a request without one."""
        layout, parallel = run.layout, asked.parallel
        fixed = {name: value for name in DEGREES if (value := getattr(parallel, name)) is not None}
        if parallel.fsdp is not None or parallel.zero_stage is not None:
            fixed["zero_stage"] = layout["zero_stage"]
        if parallel.recompute is not None:
            fixed["recompute"] = layout["recompute"]
        n_gpus = asked.gpus or int(run.system["gpus_per_node"])
        batch, sequence = int(layout["global_batch"]), int(layout["sequence"])
        wanted = Asked(run.shape, machine_of(run, self._catalog), n_gpus, batch, sequence, fixed)
        times = self._systems.times(run)
        found = best_layouts(wanted, times, self._constants, asked.top)
        n_found = len(found.step_s)
        whole = {RUN: more.pop(RUN)} if RUN in more else {}
        kept = [
            replace(run, layout={name: getattr(found.layouts, name)[i].item() for name in layout})
            for i in range(n_found)
        ]
        made: list[Json] = []
        if kept:
            steps = steps_of(kept, self._catalog, self._constants)
            made = [
                {"parallel": parallel_of(one.layout), **_noted(answer, one).as_json(), **_shown(whole, answer, one)}
                for one, answer in zip(kept, self._answers(steps, kept), strict=True)
            ]
        return {"layouts": made, "looked_at": found.looked_at, "refused": found.refused, "gpus": n_gpus, **more}

    def _run(self, request: Any) -> tuple[TrainingRequest, Run, Json]:
        """One request as a run, and what its answer has besides."""
        as_asked = request
        request, more, spec = self._on_design(request)
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
        layout = _layout(asked, shape)
        searches = is_search(asked.parallel)
        is_layout_read = not any(one.field.partition(".")[0] in ("parallel", "gpus") for one in problems)
        if shape is not None and not searches and is_layout_read:
            problems += layout_problems(shape, layout, asked.gpus)
        if problems or shape is None:
            raise SpecError(problems)
        given = {key: value for key, value in asked.system.model_dump().items() if value is not None}
        joined = inside_node(given, self._catalog, self._network).system  # by PCIe, where links end in a node
        system = full_system(joined, self._catalog, self._network)
        n_gpus = layout["tp"] * layout["pp"] * layout["cp"] * layout["dp"] if not searches else asked.gpus or 1
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
            path=asked.path,
            model=shape.id,
        )
        if asked.calibration:
            given_rows = asked.calibration if isinstance(asked.calibration, list) else asked.calibration.rows
            factor = self._factor(given_rows)
            run, more = replace(run, factor=factor), {**more, "calibration": {"factor": factor}}
        if asked.run:
            more = {**more, RUN: self._whole_run(asked.run, spec)}
        if asked.compare_servers:
            more = {**more, "scale_up": self._scale_up(as_asked, asked, spec).as_json()}
        return asked, run, more

    def _scale_up(self, given: Given, asked: TrainingRequest, spec: DesignSpec | None) -> ScaleUp:
        """The request on each server, in the same design and on as many GPUs."""
        wanted = asked.compare_servers if isinstance(asked.compare_servers, list) else None
        own = spec.compute.server if spec else None
        if spec is None or own is None or own not in self._catalog.servers:
            message = (
                "Servers are compared in a design whose server the catalog has. Give design, and leave system out."
            )
            raise SpecError([Problem(SERVERS, "contradiction", message)])
        unknown = [one for one in wanted or [] if one not in self._catalog.servers]
        if unknown:
            raise SpecError([unknown_part(SERVERS, "server", one, self._catalog.servers) for one in unknown])
        fixed = {key: value for key, value in given.items() if key not in (DESIGN, SERVERS, RUN)}
        n_gpus = asked.gpus or 1
        fixed |= {"gpus": n_gpus, "top": 1}
        return scale_up(
            given[DESIGN], own, n_gpus, wanted, lambda design: self._rated({**fixed, DESIGN: design}), self._catalog
        )

    def _rated(self, request: Json) -> Rated:
        """The best step of a request on a design, with what its GPU-hours cost."""
        built = system_of_design(request[DESIGN], self._catalog)
        (answer,) = self.many([request], is_alone=True)
        layouts = answer.get("layouts", [answer])
        if not layouts:
            left_out = ", ".join(f"{n:,} for {reason}" for reason, n in answer["refused"].items())
            message = f"No layout of the model fits; left out were {left_out}. Use more GPUs or another batch."
            raise SpecError([Problem("parallel", "does_not_fit", message)])
        best = layouts[0]
        (made,) = estimate([built.spec], self._catalog, ("cost",))
        cost = made.cost
        hour = cost.usd_per_priced_gpu_hour if cost else None
        n_gpus = round(best["tokens_per_s"] / best["tokens_per_s_per_gpu"])
        names = ("tp", "pp", "cp", "ep", "dp")
        layout = best.get("parallel") or request.get("parallel", {})
        return Rated(
            n_gpus=n_gpus,
            n_nodes=int(built.spec.compute.nodes or 0),
            words=" × ".join(f"{name.upper()} {layout[name]}" for name in names if (layout.get(name) or 1) > 1)
            or "one GPU",
            widest=max((layout.get("tp") or 1) * (layout.get("cp") or 1), layout.get("ep") or 1),
            tokens_s=best["tokens_per_s"],
            band=best["step_s_high"] / best["step_s"],
            usd_per_gpu_hour=hour,
            capex_usd=cost.capex_usd.total * (n_gpus / built.n_gpus) if cost and hour else None,
        )

    def _whole_run(self, asked: WholeRunAsked, spec: DesignSpec | None) -> WholeRun:
        """A run with the stops and the price of a GPU-hour of its design, where it has one."""
        if spec is None:
            return WholeRun(asked, self._catalog.economics[ANY_CAUSE].ends)
        (made,) = estimate([spec], self._catalog, ("cost", "failures"))
        expected = made.failures.expected if made.failures else None
        usd = made.cost.usd_per_priced_gpu_hour if made.cost else None
        if expected is None:
            return WholeRun(asked, self._catalog.economics[ANY_CAUSE].ends, None, usd)
        stops = job_stops(expected, made.compute.counts.gpus, self._catalog)
        return WholeRun(asked, stops.per_gpu_year, stops, usd)

    def _on_design(self, request: Any) -> tuple[Any, Json, DesignSpec | None]:
        if not isinstance(request, Mapping) or DESIGN not in request:
            return request, {}, None
        if "system" in request:
            message = "A design says what its system is: give one of design and system, and leave the other out."
            raise SpecError([Problem("system", "contradiction", message)])
        built = system_of_design(request[DESIGN], self._catalog)
        asked = {key: value for key, value in request.items() if key != DESIGN}
        if asked.get("gpus") is None:
            asked["gpus"] = built.n_gpus
        more = {"system": built.system, "spec_hash": built.spec_hash}
        return {**asked, "system": built.system}, more, built.spec

    def _factor(self, rows: Sequence[CalibrationRow]) -> float:
        """What the rows say of the stack: measured over predicted seconds."""
        off, problems = [], []
        for place, row in enumerate(rows):
            try:
                given: Given = {key: value for key, value in row.request.items() if key != "calibration"}
                _, run, _ = self._run(given)
            except EstimatorError as error:
                problems += [one.inside(f"calibration.rows.{place}.request") for one in error.problems]
                continue
            steps = steps_of([run], self._catalog, self._constants)
            traffic = traffic_of(steps, self._systems.times(run))
            off.append(np.log(row.seconds / step_times(steps, traffic, self._constants).step_s[0]))
        if problems:
            raise SpecError(problems)
        return float(np.exp(common_ln(np.array(off))))


def _noted(answer: StepAnswer, run: Run) -> StepAnswer:
    """An answer with what is to be known of a model of the user's own, such as that its architecture is not known."""
    return answer.but(notes=(run.shape.note, *(answer.notes or ()))) if run.shape.own_note else answer


def _shown(more: Json, answer: StepAnswer, run: Run) -> Json:
    """What an answer has besides: of a whole run, its days and dollars at the step's rate."""
    if RUN not in more:
        return more
    whole: WholeRun = more[RUN]
    asked, stops = whole.asked, whole.stops_per_gpu_year
    known = RunRequest(asked.tokens, asked.checkpoint_every_s, None, asked.checkpoint_s, asked.restart_s)
    if asked.gpu_hours_between_stops:
        stops = Range.at(HOURS_PER_YEAR / asked.gpu_hours_between_stops)
    n_gpus = run.layout["tp"] * run.layout["pp"] * run.layout["cp"] * run.layout["dp"]
    usd = whole.usd_per_gpu_hour if asked.usd_per_gpu_hour is None else Range.at(asked.usd_per_gpu_hour)
    made = training_run(known, int(n_gpus), total_parameters(run.shape), rate_of(answer), stops, usd).as_json()
    if whole.of_design is not None and not asked.gpu_hours_between_stops:
        share = made["stops"] / whole.of_design.per_gpu_year.typical
        made["stops_by_cause"] = {name: round(rate * share, 3) for name, rate in whole.of_design.by_cause.items()}
    return {**more, RUN: made}


def rate_of(answer: StepAnswer) -> Range[float]:
    """Tokens a second of the whole job; low is that of the slowest step in the band."""
    ends = (answer.step_s_high, answer.step_s, answer.step_s_low)
    return Range(*(answer.tokens_per_s * answer.step_s / step_s for step_s in ends))


def band_of(run: Run, constants: Constants) -> str:
    """Which rows say how far off a run can be: of its model and framework, of its framework, of others."""
    kind = "moe" if run.shape.is_moe else "dense"
    if (run.framework, run.model) in measured_pairs():
        return f"{kind}.seen"
    if run.factor != 1.0 or constants.has("stack_factor", stack_key(run.framework)):
        return kind
    return "unknown"


def is_search(parallel: Parallel) -> bool:
    """Whether layouts are searched: no degree says how the model is spread."""
    return parallel.tp is None and parallel.pp is None and parallel.dp is None


def parallel_of(layout: Mapping[str, Any]) -> Json:
    """A layout as the keys of a request."""
    recompute = next(name for name, code in RECOMPUTE.items() if name and code == layout["recompute"])
    names = (*DEGREES, "global_batch", "sequence", "zero_stage")
    return {**{name: int(layout[name]) for name in names}, "recompute": recompute}


def _layout(asked: TrainingRequest, shape: ModelShape | None) -> dict[str, Any]:
    parallel = asked.parallel
    tp, pp, cp = parallel.tp or 1, parallel.pp or 1, parallel.cp or 1
    model = tp * pp * cp
    dp = parallel.dp or max(1, (asked.gpus or model) // model)
    zero = parallel.zero_stage if parallel.zero_stage is not None else 3 if parallel.fsdp else 1
    sequence = parallel.sequence or min(
        DEFAULT_SEQUENCE, shape.context if shape and shape.context else DEFAULT_SEQUENCE
    )
    is_eager = stack_key(asked.stack.framework) == EAGER
    batch = parallel.global_batch or max(1, DEFAULT_BATCH_TOKENS // sequence)
    return layout_of(
        tp=tp,
        pp=pp,
        cp=cp,
        ep=parallel.ep or 1,
        dp=dp,
        virtual_stages=parallel.virtual_stages,
        micro_batch=parallel.micro_batch or 1,
        global_batch=batch,
        sequence=sequence,
        zero_stage=zero,
        shard_gpus=parallel.shard_gpus,
        sequence_parallel=is_split if (is_split := parallel.sequence_parallel) is not None else not is_eager,
        recompute=parallel.recompute,
        zero_bubble=parallel.schedule == "zero_bubble",
    )


def _shape_of(model: Any, layers: int | None) -> tuple[ModelShape | None, list[Problem]]:
    """The shape that is meant, cut or stretched to ``layers``."""
    shape, problems = model_or_problems(model)
    return (with_layers(shape, layers) if shape and layers else shape), problems


def _network_problem(n_gpus: int, system: Json) -> Problem | None:
    domain = system["scale_up_domain_gpus"]
    if n_gpus <= domain or (system["fabric"] != "none" and system["nics_per_node"] and system["nic_gbit_s"]):
        return None
    message = (
        f"The layout needs {n_gpus:,} GPUs, a scale-up domain holds {domain:,}, and no network joins them. Name a fabric "
        f"and its NICs, or use at most {domain:,} GPUs."
    )
    return Problem("system.fabric", "no_network", message)
