"""Requests for serving: one placement or a search over them, one request or a list, on a system or on a design.

``served(request, catalog)`` is the one way in for the command line and the API; ``estimator/docs/serving.md`` says what stands
behind the numbers.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.errors import EstimatorError, Problem, SpecError
from estimator.performance.prediction import MAX_GPUS, System
from estimator.pipeline import DESIGN, estimate, system_of_design
from estimator.record import Json
from estimator.spec.checking import Section, unknown_part, validated
from estimator.units import GIGA, FloatArray
from estimator.workloads.models.columns import shape_columns
from estimator.workloads.models.named import model_or_problems
from estimator.workloads.models.shapes import ModelShape
from estimator.workloads.paths.groups import GroupTimes
from estimator.workloads.serving.answer import (
    MS,
    BatchRow,
    Placement,
    Setting,
    limited_by,
    memory_record,
    served_rows,
)
from estimator.workloads.serving.batch import Batches, batches_of, decode_s, prefill_s, stage_s
from estimator.workloads.serving.cases import (
    OTHER,
    PRECISIONS,
    Cases,
    Layouts,
    Load,
    Software,
    columns_of,
    family_of,
    framework_named,
)
from estimator.workloads.serving.check import layout_notes, layout_problems
from estimator.workloads.serving.collectives import Fabric, crosses_domain
from estimator.workloads.serving.constants import serving_constants
from estimator.workloads.serving.serving import Served, aggregated, disaggregated

MAX_REQUESTS = 5_000
MAX_LOADS = 1_000
MAX_TOKENS = 100_000_000
MAX_CONCURRENCY = 10_000_000
WHAT = "a serving request"
Count = Annotated[int, Field(ge=1, le=MAX_GPUS)]
Concurrency = Annotated[int, Field(ge=1, le=MAX_CONCURRENCY)]
Tokens = Annotated[float, Field(ge=1, le=MAX_TOKENS)]


class Layout(Section):
    """Parallelism of one worker."""

    tp: Count = Field(1, description="Tensor parallelism of attention and dense blocks.")
    pp: Count = Field(1, description="Pipeline stages.")
    attention_dp: Count = Field(1, description="Groups that attend to their own sequences and share the experts.")
    moe_tp: Count | None = Field(None, description="Tensor parallelism of an expert; what ep leaves where left out.")
    ep: Count | None = Field(None, description="Expert parallelism; 1 where left out.")

    def full(self, is_moe: bool) -> dict[str, int]:
        """All five numbers; of a model without experts, those of experts are 1."""
        ranks, ep = self.tp * self.attention_dp, self.ep or 1
        moe_tp = self.moe_tp or (max(1, ranks // ep) if is_moe else 1)
        return {"tp": self.tp, "pp": self.pp, "attention_dp": self.attention_dp, "moe_tp": moe_tp, "ep": ep}


class Pool(Layout):
    """Workers of one kind of a disaggregated placement."""

    workers: Count = Field(1, description="Workers with this layout.")


class Pools(Section):
    """A disaggregated placement."""

    prefill: Pool = Field(description="Workers that take prompts.")
    decode: Pool = Field(description="Workers that make tokens.")


class Lengths(Section):
    """A distribution of lengths: values with weights, or a mean with its spread."""

    values: list[Tokens] | None = Field(None, min_length=1, max_length=10_000, description="Lengths that occur.")
    weights: list[Annotated[float, Field(ge=0, le=1e12)]] | None = Field(
        None, min_length=1, max_length=10_000, description="How often each occurs; equally often where left out."
    )
    mean: Tokens | None = Field(None, description="Mean length.")
    sd: Annotated[float, Field(ge=0, le=MAX_TOKENS)] | None = Field(
        None, description="Standard deviation; 0 if left out."
    )


class Stack(Section):
    """The software."""

    framework: str | None = Field(None, max_length=80, description="trtllm, sglang, vllm, pytorch, or another.")
    release: str | None = Field(None, max_length=80, description="Its release.")
    accepted_tokens_per_step: float | None = Field(
        None, ge=1, le=64, description="Tokens that a sequence gains a step by speculative decoding."
    )
    features: list[str] = Field(default_factory=list, max_length=20, description="eager, tuned_experts, bare_layers, …")


class ServingRequest(Section):
    """One request with a placement."""

    system: System = Field(description="The machines and their network.")
    gpus: Count | None = Field(None, description="GPUs to use; one replica's where left out.")
    model: str | dict[str, Any] = Field(description="A catalog id, a shape, or a hub's config.json.")
    precision: str = Field("bf16", max_length=40, description="Of weights and products.")
    kv_precision: str | None = Field(
        None, max_length=40, description="Of the cache; the engines' usual where left out."
    )
    mode: Literal["aggregated", "disaggregated", "batch"] = Field("aggregated", description="How it is served.")
    layout: dict[str, Any] | None = Field(None, description="The placement; searched where left out.")
    concurrency: list[Concurrency] | Concurrency | None = Field(
        None, description="Requests in flight, of all replicas."
    )
    input_tokens: Lengths = Field(Lengths(mean=1024), description="Length of prompts: a number or a distribution.")
    output_tokens: Lengths = Field(Lengths(mean=1024), description="Length of answers: a number or a distribution.")
    stack: Stack = Field(default_factory=Stack, description="The software.")
    batch: list[Concurrency] | None = Field(
        None, min_length=1, max_length=MAX_LOADS, description="mode batch: sequences of a batch, one number or a list."
    )
    context: Tokens | None = Field(None, description="mode batch: tokens that decode attends to.")
    prompt: Tokens | None = Field(None, description="mode batch: tokens of each prompt.")
    path: Literal["nvlink", "host_memory"] = Field("nvlink", description="mode batch: what joins the GPUs.")


def served(request: Any, catalog: Catalog) -> Json | list[Json]:
    """Figures of serving.

    Parameters
    ----------
    request : the JSON of a request, or a list of them.
    catalog : parts, GPUs and constants of the collectives.

    Returns
    -------
    An answer, or a list of them in the order of the requests; there, one that is refused is ``{"code", "problems"}``.

    Raises
    ------
    SpecError
        Of a single request: every problem found.
    """
    server = Server(catalog)
    if not isinstance(request, Sequence) or isinstance(request, str | bytes):
        return server.answer(request)
    if len(request) > MAX_REQUESTS:
        message = f"{len(request):,} requests were given, and {MAX_REQUESTS:,} is the most at once. Split them."
        raise SpecError([Problem("", "too_many_requests", message)])
    answers: list[Json] = []
    for one in request:
        try:
            answers.append(server.answer(one))
        except EstimatorError as error:
            answers.append(error.as_json())
    return answers


class Built(NamedTuple):
    """A design as a request takes it."""

    system: Json
    spec_hash: str
    n_gpus: int
    usd_per_gpu_hour: float | None


def plain(request: Any) -> Any:
    """A request whose single numbers stand as the list, or the mean, that they are short for."""
    if not isinstance(request, Mapping):
        return request
    lists = {key: [request[key]] for key in ("concurrency", "batch") if isinstance(request.get(key), int | float)}
    means = {
        key: {"mean": request[key]}
        for key in ("input_tokens", "output_tokens")
        if isinstance(request.get(key), int | float)
    }
    return {**request, **lists, **means}


class Server:
    """Answers requests on one catalog; requests on alike systems share their tables of collectives."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._network = ModelConstants(catalog)
        self._constants = serving_constants()
        self._fabrics: dict[str, Fabric] = {}

    def answer(self, request: Any) -> Json:
        """One answer; SpecError with every problem of the request."""
        request, built = self._on_design(plain(request))
        answer = self._answer(request, built)
        return answer if built is None else {**answer, "system": built.system, "spec_hash": built.spec_hash}

    def _on_design(self, request: Any) -> tuple[Any, Built | None]:
        """A request that names a design, on the system that it would be built as, and what a GPU-hour of it costs."""
        if not isinstance(request, Mapping) or DESIGN not in request:
            return request, None
        if "system" in request:
            message = "A design says what its system is: give one of design and system, and leave the other out."
            raise SpecError([Problem("system", "contradiction", message)])
        built = system_of_design(request[DESIGN], self._catalog)
        (made,) = estimate([built.spec], self._catalog, ("cost",))
        rate = made.cost.usd_per_gpu_hour if made.cost else None
        asked = {key: value for key, value in request.items() if key != DESIGN}
        return {**asked, "system": built.system}, Built(
            built.system, built.spec_hash, built.n_gpus, rate.typical if rate else None
        )

    def _answer(self, request: Any, built: Built | None) -> Json:
        asked, problems = validated(ServingRequest, request, WHAT)
        if asked is None:
            raise SpecError(problems)
        shape, of_model = model_or_problems(asked.model)
        problems += of_model
        if asked.system.gpu not in self._catalog.gpus:
            problems.append(unknown_part("system.gpu", "GPU", asked.system.gpu, self._catalog.gpus))
        problems += _precision_problems(asked)
        if asked.mode == "batch":
            return self._batch(asked, shape, problems)
        problems += _load_problems(asked, {one.field.partition(".")[0] for one in problems})
        if asked.layout is None:
            problems.append(
                Problem("layout", "missing", "Give the layout: tp, and where it applies pp, attention_dp, ep.")
            )
        layouts, of_layout = _layouts(asked, shape)
        problems += of_layout
        if problems or shape is None or not layouts:
            raise SpecError(problems)
        usd = built.usd_per_gpu_hour if built else None
        if asked.mode == "disaggregated":
            return self._pools(asked, shape, layouts, usd).as_json()
        return self._worker(asked, shape, layouts[0], usd).as_json()

    def _worker(
        self, asked: ServingRequest, shape: ModelShape, layout: dict[str, int], usd_per_gpu_hour: float | None
    ) -> Placement:
        """An aggregated placement, with as many replicas as there are GPUs for."""
        loads = _loads(asked)
        cases = self._cases(asked, shape, layout, np.ones(1))
        gpus = int(cases.layouts.gpus[0])
        replicas = _replicas(asked, gpus)
        fabric = self._fabric(asked.system, gpus)
        cases = self._cases(asked, shape, layout, loads / replicas)
        setting = self._setting(asked, cases, (gpus, replicas), fabric, usd_per_gpu_hour)
        return self._placement(shape, cases, aggregated(cases, fabric), setting, [layout])

    def _pools(
        self,
        asked: ServingRequest,
        shape: ModelShape,
        layouts: list[dict[str, int]],
        usd_per_gpu_hour: float | None,
    ) -> Placement:
        """A disaggregated placement, with as many copies of its pools as there are GPUs for."""
        loads = _loads(asked)
        (prefill, decode), one = layouts, np.ones(1)
        gpus = sum(
            int(self._cases(asked, shape, pool, one).layouts.gpus[0]) * pool["workers"] for pool in (prefill, decode)
        )
        replicas = _replicas(asked, gpus)
        fabric = self._fabric(asked.system, gpus)
        of_prefill, of_decode = (self._cases(asked, shape, pool, loads / replicas) for pool in (prefill, decode))
        workers = [np.array([float(pool["workers"])]) for pool in (prefill, decode)]
        figures = disaggregated(of_prefill, of_decode, workers[0], workers[1], fabric)
        setting = self._setting(asked, of_decode, (gpus, replicas), fabric, usd_per_gpu_hour)
        return self._placement(shape, of_decode, figures, setting, layouts)

    def _setting(
        self,
        asked: ServingRequest,
        cases: Cases,
        size: tuple[int, int],
        fabric: Fabric,
        usd_per_gpu_hour: float | None,
    ) -> Setting:
        """What holds for every load of a placement of ``size``: GPUs of a replica, replicas."""
        layout = cases.layouts
        widest = np.maximum(layout.tp * layout.attention_dp, layout.expert_ranks)
        crosses = bool(crosses_domain(widest, fabric).any())
        family = family_of(self._catalog.gpus[asked.system.gpu])
        is_measured = family in MEASURED_FAMILIES and framework_named(asked.stack.framework) != OTHER
        return Setting(*size, crosses, usd_per_gpu_hour, is_measured)

    def _placement(
        self, shape: ModelShape, cases: Cases, figures: Served, setting: Setting, layouts: list[dict[str, int]]
    ) -> Placement:
        """The answer of one placement."""
        memory = figures.memory
        missing = float(memory.missing_bytes[0])
        return Placement(
            rows=served_rows(figures, cases.load.concurrency, setting, cases, self._constants),
            gpus=setting.gpus * setting.replicas,
            replicas=setting.replicas,
            memory_gb_per_gpu=memory_record(memory),
            fits=bool(memory.fits.all()),
            max_concurrency=int(memory.max_sequences[0]) * layouts[-1].get("workers", 1) * setting.replicas,
            crosses_scale_up_domain=setting.crosses,
            limited_by=limited_by(figures, cases),
            missing_gb_per_gpu=missing / GIGA if missing > 0 else None,
            notes=[note for one in layouts for note in layout_notes(shape, one)] or None,
        )

    def _cases(self, asked: ServingRequest, shape: ModelShape, layout: Mapping[str, int], loads: FloatArray) -> Cases:
        """A placement under each load."""
        one = np.ones(1)
        tokens = {name: np.array([_mean(getattr(asked, name))]) for name in ("input_tokens", "output_tokens")}
        return columns_of(
            shape_columns([shape]),
            [self._catalog.gpus[asked.system.gpu]],
            [_software(asked)],
            Layouts(**{name: np.array([float(layout[name])]) for name in _LAYOUT}),
            Load(concurrency=loads.astype(np.float64), accepted_tokens=one, **tokens),
            self._constants,
        )

    def _fabric(self, system: System, gpus: int) -> Fabric:
        """What joins the GPUs; tables of collectives are made once for each system."""
        given = {key: value for key, value in system.model_dump().items() if value is not None}
        key = repr(sorted(given.items()))
        if key not in self._fabrics:
            self._fabrics[key] = Fabric.of(GroupTimes(given, self._catalog, self._network))
        return self._fabrics[key]

    def _batch(self, asked: ServingRequest, shape: ModelShape | None, problems: list[Problem]) -> Json:
        """Times of single batches."""
        layout = {"tp": 1, "pp": 1}
        given, of_layout = validated(Layout, asked.layout or {}, "a layout")
        problems += [Problem(f"layout.{one.field}", one.code, one.message) for one in of_layout]
        if given is not None and shape is not None:
            layout = given.full(False)
            problems += layout_problems(shape, layout, "layout")
        if asked.batch is None:
            problems.append(Problem("batch", "missing", "Give batch: the number of sequences, or a list of numbers."))
        if asked.context is None and asked.prompt is None:
            problems.append(
                Problem("prompt", "missing", "Give prompt for the time of prefill, context for that of decode.")
            )
        if shape is not None and shape.is_moe:
            message = (
                f"{shape.name} has experts, and single batches are modelled of dense models alone. Use aggregated."
            )
            problems.append(Problem("mode", "not_modelled", message))
        if problems or shape is None:
            raise SpecError(problems)
        sizes = asked.batch or []
        prefill = decode = stage = None
        if asked.prompt is not None:
            prefill = prefill_s(self._batches(asked, shape, layout, sizes, asked.prompt), self._constants)
        if asked.context is not None:
            of_context = self._batches(asked, shape, layout, sizes, asked.context)
            decode = decode_s(of_context, self._constants)
            stage = stage_s(of_context, self._constants) if layout["pp"] > 1 else None
        rows = [
            BatchRow(batch=size, prefill_ms=_ms(prefill, i), decode_ms=_ms(decode, i), decode_stage_ms=_ms(stage, i))
            for i, size in enumerate(sizes)
        ]
        return {"rows": [row.as_json() for row in rows]}

    def _batches(
        self, asked: ServingRequest, shape: ModelShape, layout: Mapping[str, int], sizes: list[int], tokens: float
    ) -> Batches:
        count = len(sizes)
        return batches_of(
            shape_columns([shape]).take(np.zeros(count, dtype=np.int64)),
            [self._catalog.gpus[asked.system.gpu]] * count,
            [asked.path] * count,
            [asked.stack.features] * count,
            tp=np.full(count, float(layout["tp"])),
            pp=np.full(count, float(layout["pp"])),
            batch=np.array(sizes, dtype=np.float64),
            tokens=np.full(count, float(tokens)),
        )


MEASURED_FAMILIES = ("hopper", "blackwell")
_LAYOUT = ("tp", "pp", "attention_dp", "moe_tp", "ep")


def _software(asked: ServingRequest) -> Software:
    stack = asked.stack
    return Software(
        gpu=asked.system.gpu,
        precision=asked.precision.lower(),
        framework=stack.framework or "",
        release=stack.release or "",
        features=tuple(stack.features),
        accepted_tokens=stack.accepted_tokens_per_step,
        kv_precision=asked.kv_precision.lower() if asked.kv_precision else None,
    )


def _layouts(asked: ServingRequest, shape: ModelShape | None) -> tuple[list[dict[str, int]], list[Problem]]:
    """The layouts of a request (one, or those of both pools), and what is wrong with them."""
    if asked.layout is None:
        return [], []
    kind: type[Section] = Pools if asked.mode == "disaggregated" else Layout
    given, found = validated(kind, asked.layout, "a layout")
    problems = [Problem(f"layout.{one.field}".rstrip("."), one.code, one.message) for one in found]
    if given is None or shape is None:
        return [], problems
    if isinstance(given, Pools):
        layouts = [pool.full(shape.is_moe) | {"workers": pool.workers} for pool in (given.prefill, given.decode)]
        fields = ["layout.prefill", "layout.decode"]
    else:
        layouts, fields = [given.full(shape.is_moe)] if isinstance(given, Layout) else [], ["layout"]
    for layout, field in zip(layouts, fields, strict=True):
        problems += layout_problems(shape, layout, field)
    return layouts, problems


def _precision_problems(asked: ServingRequest) -> list[Problem]:
    problems = []
    for field in ("precision", "kv_precision"):
        value = getattr(asked, field)
        if value is not None and value.lower() not in PRECISIONS:
            message = f"Precisions are {', '.join(PRECISIONS)}, and '{value}' was given."
            problems.append(Problem(field, "not_a_choice", message))
    return problems


def _load_problems(asked: ServingRequest, wrong: set[str]) -> list[Problem]:
    """What is missing of the load; fields that are wrong already are left alone."""
    problems = []
    if asked.concurrency is None and "concurrency" not in wrong:
        message = "Give concurrency: requests in flight, one number or a list."
        problems.append(Problem("concurrency", "missing", message))
    for field in {"input_tokens", "output_tokens"} - wrong:
        problems += _length_problems(getattr(asked, field), field)
    return problems


def _length_problems(given: Lengths, field: str) -> list[Problem]:
    if (given.values is None) == (given.mean is None):
        message = "Give values (with weights) or mean (with sd), one of them."
        return [Problem(field, "contradiction", message)]
    if given.weights is not None and len(given.weights) != len(given.values or []):
        message = f"{len(given.weights)} weights were given for {len(given.values or [])} values. Give one each."
        return [Problem(f"{field}.weights", "wrong_length", message)]
    if given.weights is not None and sum(given.weights) <= 0:
        return [Problem(f"{field}.weights", "out_of_range", "All weights are 0. Give at least one above 0.")]
    return []


def _ms(time_s: FloatArray | None, at: int) -> float | None:
    return None if time_s is None else float(time_s[at]) / MS


def _mean(given: Lengths) -> float:
    """Mean of a length."""
    if given.mean is not None:
        return given.mean
    return float(np.average(given.values or [], weights=given.weights))


def _loads(asked: ServingRequest) -> FloatArray:
    return np.array(asked.concurrency or [], dtype=np.float64)


def _replicas(asked: ServingRequest, gpus: int) -> int:
    """Copies that fit on the GPUs; refused where not one does."""
    if asked.gpus is None:
        return 1
    if asked.gpus < gpus:
        message = (
            f"The layout takes {gpus} GPUs and {asked.gpus} were given. Give at least {gpus}, or a smaller layout."
        )
        raise SpecError([Problem("gpus", "too_few_gpus", message)])
    return asked.gpus // gpus
