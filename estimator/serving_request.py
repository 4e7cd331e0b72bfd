"""Requests for serving: one placement or a search over them, one request or a list, on a system or on a design.

``served(request, catalog)`` is the one way in for the command line and the API; ``estimator/docs/serving.md`` says what stands
behind the numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.errors import EstimatorError, Problem, SpecError
from estimator.performance.prediction import MAX_GPUS, System
from estimator.pipeline import DESIGN, calibration_of_design, estimate, system_of_design
from estimator.ranges import Range
from estimator.record import Json
from estimator.spec.calibration import constants_of
from estimator.spec.checking import Section, unknown_part, validated
from estimator.spec.design import DesignSpec
from estimator.units import GIGA, FloatArray, IntArray
from estimator.workloads.models.columns import shape_columns
from estimator.workloads.models.named import model_or_problems
from estimator.workloads.models.shapes import ModelShape
from estimator.workloads.paths.inside import NVLINK, PCIE, has_links, inside_node
from estimator.workloads.servers import Rated, ScaleUp, scale_up
from estimator.workloads.serving.answer import (
    MS,
    BatchRow,
    Placement,
    Setting,
    communication_share,
    limited_by,
    memory_record,
    served_links,
    served_rows,
)
from estimator.workloads.serving.batch import Batches, batches_of, decode_s, prefill_s, stage_s
from estimator.workloads.serving.calibration import Correction, corrected, correction_of, features_of
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
from estimator.workloads.serving.check import layout_notes, layout_problems, path_note
from estimator.workloads.serving.collectives import Fabric
from estimator.workloads.serving.constants import serving_constants
from estimator.workloads.serving.memory import memory_of
from estimator.workloads.serving.pools import (
    DECODE,
    PREFILL,
    PoolsFound,
    compared,
    of_pools,
    pool_layout,
    pools_searched,
)
from estimator.workloads.serving.search import (
    NAMES,
    Found,
    Target,
    as_layouts,
    layouts_within,
    lost,
    nothing_left,
    of_worker,
    pareto_front,
    ranking,
    searched,
    words_of,
)
from estimator.workloads.serving.serving import Served, aggregated, concurrency_at, disaggregated

MAX_REQUESTS = 5_000
MAX_LOADS = 1_000
MAX_TOKENS = 100_000_000
MAX_CONCURRENCY = 10_000_000
WHAT, SERVERS = "a serving request", "compare_servers"
AGGREGATED, DISAGGREGATED = "aggregated", "disaggregated"
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


class Targets(Section):
    """What a placement must keep to."""

    tpot_ms: Annotated[float, Field(gt=0, le=1e9)] | None = Field(None, description="Most time per output token.")
    ttft_ms: Annotated[float, Field(gt=0, le=1e9)] | None = Field(None, description="Most time to the first token.")
    tokens_per_s: Annotated[float, Field(gt=0, le=1e12)] | None = Field(
        None, description="Least output tokens a second."
    )


class CalibrationRow(Section):
    """A measured run of the same model, GPU, precision and engine."""

    request: dict[str, Any] = Field(description="A serving request with a layout and one concurrency.")
    tpot_ms: float = Field(gt=0, le=1e9, description="Its time per output token.")
    ttft_ms: float | None = Field(None, gt=0, le=1e9, description="Its time to the first token.")


class Calibration(Section):
    """Measured runs that correct a stack."""

    rows: list[CalibrationRow] = Field(min_length=1, max_length=MAX_LOADS, description="Measured runs.")


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
    arrivals_per_s: Annotated[float, Field(gt=0, le=1e9)] | None = Field(
        None, description="Requests a second, instead of a concurrency."
    )
    stack: Stack = Field(default_factory=Stack, description="The software.")
    target: Targets = Field(default_factory=Targets, description="What placements are searched for.")
    top: int = Field(10, ge=1, le=100, description="Placements that a search lists at most, those of its front aside.")
    calibration: Calibration | None = Field(None, description="Measured runs of the same stack.")
    compare_servers: bool | Annotated[list[Annotated[str, Field(max_length=80)]], Field(max_length=20)] | None = Field(
        None, description="On a design: servers to compare in dollars a million tokens, by id; true for the usual ones."
    )
    batch: list[Concurrency] | None = Field(
        None, min_length=1, max_length=MAX_LOADS, description="mode batch: sequences of a batch, one number or a list."
    )
    context: Tokens | None = Field(None, description="mode batch: tokens that decode attends to.")
    prompt: Tokens | None = Field(None, description="mode batch: tokens of each prompt.")
    path: Literal["nvlink", "pcie", "host_memory"] | None = Field(
        None,
        description="What joins the GPUs of a node; what they have where left out, and PCIe where links end in it.",
    )


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

    spec: DesignSpec
    system: Json
    spec_hash: str
    n_gpus: int
    usd_per_gpu_hour: Range[float] | None  # None where servers have no price
    capex_usd: Range[float] | None


Read = tuple[ServingRequest, ModelShape | None, list[Problem]]


class Checked(NamedTuple):
    """A request without problems."""

    asked: ServingRequest
    shape: ModelShape
    layouts: list[dict[str, int]]
    correction: Correction | None
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


class LookedAt(NamedTuple):
    """What a search computed: targets, loads, and the figures of every placement."""

    target: Target
    loads: FloatArray
    together: Found
    pools: PoolsFound | None


class Server:
    """Answers requests on one catalog; requests on alike systems share their tables of collectives."""

    def __init__(self, catalog: Catalog, network: ModelConstants | None = None) -> None:
        self._catalog = catalog
        self._network = network or ModelConstants(catalog)
        self._calibrated: dict[str, Server] = {}
        self._constants = serving_constants()
        self._fabrics: dict[str, Fabric] = {}

    def answer(self, request: Any) -> Json:
        """One answer; SpecError with every problem of the request."""
        if (server := self._on_measured_paths(request)) is not self:
            return server.answer(request)
        given = plain(request)
        request, built = self._on_design(given)
        answer = self._answer(request, built)
        if built is None:
            return answer
        answer |= {"system": built.system, "spec_hash": built.spec_hash}
        wanted = request.get(SERVERS)
        return answer if not wanted else {**answer, "scale_up": self._scale_up(given, built, wanted).as_json()}

    def _scale_up(self, given: Json, built: Built, wanted: bool | list[str]) -> ScaleUp:
        """The request on each server, in the same design."""
        fixed = {key: value for key, value in given.items() if key not in (DESIGN, SERVERS)}

        def rate(design: Json) -> Rated:
            return self._rated({**fixed, DESIGN: design})

        ids = None if wanted is True else wanted or []
        own = str(built.spec.compute.server)
        return scale_up(given[DESIGN], own, built.n_gpus, ids, rate, self._catalog)

    def _rated(self, request: Json) -> Rated:
        """What a request on a design serves where it serves the most a GPU, its targets kept to."""
        request, built = self._on_design(request)
        if built is None:
            raise ValueError("only a design has a server")
        asked, shape, _, correction, _ = self._checked(self._read(request), built)
        if asked.concurrency is None:  # a replica at its own best load, as often as the GPUs have room for it
            target = asked.target.model_copy(update={"tokens_per_s": None})
            asked = asked.model_copy(update={"gpus": None, "target": target, "arrivals_per_s": None})
        looked = self._looked_at(asked, shape, correction, built.n_gpus)
        found = looked.pools.found if looked.pools else looked.together
        places = np.flatnonzero(found.meets & (found.total_gpus <= built.n_gpus))
        if not len(places):
            left = nothing_left(found, looked.target, shape)
            raise SpecError([Problem("target", left.reason, left.message)])
        best = int(places[found.tokens_s_per_gpu.ravel()[places].argmax()])
        listed = self._listed(asked, shape, found, best, looked.loads, None, correction)
        row = max(listed["rows"], key=lambda one: float(one["tokens_per_s"]))
        copies = 1 if asked.gpus else built.n_gpus // int(listed["gpus"])
        pools = asked.mode == DISAGGREGATED
        words = of_pools if pools else of_worker
        return Rated(
            n_gpus=built.n_gpus,
            n_nodes=int(built.spec.compute.nodes or 0),
            words=words(found.layouts[best // len(looked.loads)])[0],
            widest=max(_widest(one) for one in listed["layout"].values()) if pools else _widest(listed["layout"]),
            tokens_s=row["tokens_per_s"] * copies,
            band=row["tpot_ms_high"] / row["tpot_ms"],
            usd_per_gpu_hour=built.usd_per_gpu_hour,
            capex_usd=built.capex_usd,
            tpot_ms=row["tpot_ms"],
        )

    def _on_measured_paths(self, request: Any) -> "Server":
        """Who answers a request: where its design carries a site's own constants, one that predicts with those."""
        design = request.get(DESIGN) if isinstance(request, Mapping) else None
        used = None if self._network.source else calibration_of_design(design, self._catalog)
        if used is None:
            return self
        if used.hash not in self._calibrated:
            self._calibrated[used.hash] = Server(self._catalog, constants_of(self._catalog, used))
        return self._calibrated[used.hash]

    def _on_design(self, request: Any) -> tuple[Any, Built | None]:
        """A request that names a design, on the system that it would be built as, and what a GPU-hour of it costs."""
        if not isinstance(request, Mapping) or DESIGN not in request:
            return request, None
        if "system" in request:
            message = "A design says what its system is: give one of design and system, and leave the other out."
            raise SpecError([Problem("system", "contradiction", message)])
        built = system_of_design(request[DESIGN], self._catalog)
        (made,) = estimate([built.spec], self._catalog, ("cost",))
        cost = made.cost if made.cost and made.cost.capex_usd.servers is not None else None
        rate, capex = (cost.usd_per_gpu_hour, cost.capex_usd.total) if cost else (None, None)
        asked = {key: value for key, value in request.items() if key != DESIGN}
        return {**asked, "system": built.system}, Built(
            built.spec, built.system, built.spec_hash, built.n_gpus, rate, capex
        )

    def _answer(self, request: Any, built: Built | None) -> Json:
        asked, shape, problems = self._read(request)
        if asked.mode == "batch":
            return self._batch(asked, shape, problems)
        asked, known, layouts, correction, usd = self._checked((asked, shape, problems), built)
        if asked.layout is None:
            return self._search(asked, known, usd, correction, built.n_gpus if built else None)
        if asked.mode == DISAGGREGATED:
            return self._pools(asked, known, layouts, usd, correction).as_json()
        return self._worker(asked, known, layouts[0], usd, correction).as_json()

    def _read(self, request: Any) -> Read:
        """A request, its model, and the problems that any mode can have."""
        asked, problems = validated(ServingRequest, request, WHAT)
        if asked is None:
            raise SpecError(problems)
        shape, of_model = model_or_problems(asked.model)
        problems += of_model
        if asked.system.gpu not in self._catalog.gpus:
            problems.append(unknown_part("system.gpu", "GPU", asked.system.gpu, self._catalog.gpus))
        return asked, shape, [*problems, *_precision_problems(asked), *self._path_problems(asked)]

    def _checked(self, read: Read, built: Built | None) -> Checked:
        """A request that is not of single batches; SpecError with every problem."""
        asked, shape, problems = read
        problems += _load_problems(asked, {one.field.partition(".")[0] for one in problems})
        problems += self._server_problems(asked, built)
        layouts, of_layout = _layouts(asked, shape)
        problems += of_layout
        correction, of_calibration = (None, []) if problems else self._correction(asked.calibration)
        problems += of_calibration
        if problems or shape is None:
            raise SpecError(problems)
        is_least = self._target(asked).tokens_s is not None and asked.concurrency is None
        if built is not None and asked.layout is None and asked.gpus is None and not is_least:
            asked = asked.model_copy(update={"gpus": built.n_gpus})
        usd = built.usd_per_gpu_hour.typical if built and built.usd_per_gpu_hour else None
        return Checked(asked, shape, layouts, correction, usd)

    def _server_problems(self, asked: ServingRequest, built: Built | None) -> list[Problem]:
        """What keeps servers from being compared."""
        wanted = asked.compare_servers
        if not wanted:
            return []
        if built is None or asked.layout is not None:
            message = (
                "Servers are compared in a design, each by its best placement. Give a design, and leave the layout out."
            )
            return [Problem(SERVERS, "contradiction", message)]
        own = built.spec.compute.server
        if own not in self._catalog.servers:
            message = f"The design's server is {own}, of which the catalog has no domain. Name a server of the catalog."
            return [Problem(SERVERS, "not_a_choice", message)]
        ids = [] if wanted is True else wanted
        return [
            unknown_part(SERVERS, "server", one, self._catalog.servers)
            for one in ids
            if one not in self._catalog.servers
        ]

    def _correction(self, calibration: Calibration | None) -> tuple[Correction | None, list[Problem]]:
        """What measured runs correct, and what is wrong with them."""
        if calibration is None:
            return None, []
        rows, problems = [], []
        for place, row in enumerate(calibration.rows):
            given = {key: value for key, value in row.request.items() if key != "calibration"}
            try:
                answer = self.answer(given)
                figures = answer["rows"][0]
                layout = given["layout"].get("decode", given["layout"])
                rows.append((plain(given), figures, layout.get("tp", 1), row))
            except EstimatorError as error:
                problems += [one.inside(f"calibration.rows.{place}.request") for one in error.problems]
            except (KeyError, AttributeError):
                message = "Give a request with a layout and a concurrency: what was measured had both."
                problems.append(Problem(f"calibration.rows.{place}.request", "missing", message))
        if problems:
            return None, problems
        columns = zip(
            *(
                (figures["concurrency"], _mean_of(given, "input_tokens"), _mean_of(given, "output_tokens"), tp)
                for given, figures, tp, _ in rows
            ),
            strict=True,
        )
        features = features_of(*(np.array(column, dtype=np.float64) for column in columns))
        off = np.log([row.tpot_ms / figures["tpot_ms"] for _, figures, _, row in rows])
        first = [float(np.log(row.ttft_ms / figures["ttft_ms"])) for _, figures, _, row in rows if row.ttft_ms]
        return correction_of(features, off, first), []

    def _looked_at(
        self, asked: ServingRequest, shape: ModelShape, correction: Correction | None, n_gpus: int | None
    ) -> LookedAt:
        """Figures of every placement on what there is; ``n_gpus`` are those of a design, at most."""
        fabric = self._fabric(asked)
        most = min(asked.gpus or max(fabric.domain_gpus, USUAL_MOST_GPUS), MOST_WORKER_GPUS, n_gpus or MOST_WORKER_GPUS)
        rows, target = layouts_within(shape, most), self._target(asked)
        if asked.gpus is None and n_gpus is not None:
            target = replace(target, most_gpus=n_gpus)
        loads = _loads(asked) if asked.concurrency else _all_loads(asked.gpus)
        one = self._cases(asked, shape, dict(zip(NAMES, rows[0].tolist(), strict=True)), np.ones(1))
        together = searched(one, rows, loads, asked.gpus, target, fabric, correction)
        pools = None
        if asked.mode == DISAGGREGATED:
            pools = pools_searched(one, rows, most, loads, asked.gpus, target, fabric, correction)
        return LookedAt(target, loads, together, pools)

    def _search(
        self,
        asked: ServingRequest,
        shape: ModelShape,
        usd: float | None,
        correction: Correction | None,
        n_gpus: int | None,
    ) -> Json:
        """The placements worth knowing, the best, and what the others lack; pools beside the same GPUs for both."""
        looked = self._looked_at(asked, shape, correction, n_gpus)
        if looked.pools is None:
            return self._searched(asked, shape, looked.together, looked, usd, correction)
        pools = looked.pools
        without = asked.model_copy(update={"mode": AGGREGATED})
        best = self._searched(without, shape, looked.together, looked, usd, correction)["best"]
        return {
            **self._searched(asked, shape, pools.found, looked, usd, correction),
            "left_out": {"does_not_fit": pools.unfit, "beaten_in_its_pool": pools.beaten},
            "comparison": {**compared(pools.found, looked.together).as_json(), "aggregated": best},
        }

    def _searched(
        self,
        asked: ServingRequest,
        shape: ModelShape,
        found: Found,
        looked: LookedAt,
        usd: float | None,
        correction: Correction | None,
    ) -> Json:
        """What a search answers of the figures that it found."""
        target, loads = looked.target, looked.loads
        order = ranking(found, asked.gpus is not None, target.is_any)
        candidates = np.flatnonzero(found.meets)
        front = candidates[pareto_front(found.tpot_s.ravel()[candidates], found.tokens_s_per_gpu.ravel()[candidates])]
        front = front[_evenly(len(front), max(asked.top, MOST_ON_FRONT))]
        n_loads = len(loads)
        picked: dict[int, int] = {}  # layout → the load that it is shown under; each layout once
        for place in [*order[:1].tolist(), *front.tolist(), *order.tolist()]:
            if len(picked) >= max(asked.top, len(front)):
                break
            picked.setdefault(place // n_loads, place)
        places = list(picked.values())
        listed = [self._listed(asked, shape, found, place, loads, usd, correction) for place in places]
        on_front = {int(place) // n_loads for place in front}
        best = listed[0] if listed else None
        words = of_pools if asked.mode == DISAGGREGATED else of_worker
        advice = [lost(found, at, place, places[0], words) for at, place in enumerate(places) if at]
        return {
            "placements": listed,
            "pareto": [at for at, place in enumerate(places) if place // n_loads in on_front],
            "best": best,
            "advice": [one.as_json() for one in (advice if places else [nothing_left(found, target, shape)])],
            "looked_at": len(found.layouts),
            "fits": int(found.fits.sum()),
        }

    def _target(self, asked: ServingRequest) -> Target:
        """Targets in SI units; requests a second are tokens a second."""
        target, of_arrivals = asked.target, None
        if asked.arrivals_per_s is not None:
            of_arrivals = asked.arrivals_per_s * _mean(asked.output_tokens)
        tokens = [one for one in (target.tokens_per_s, of_arrivals) if one is not None]
        return Target(
            tpot_s=None if target.tpot_ms is None else target.tpot_ms * MS,
            ttft_s=None if target.ttft_ms is None else target.ttft_ms * MS,
            tokens_s=max(tokens) if tokens else None,
        )

    def _listed(
        self,
        asked: ServingRequest,
        shape: ModelShape,
        found: Found,
        place: int,
        loads: FloatArray,
        usd: float | None,
        correction: Correction | None,
    ) -> Json:
        """The answer of one placement of a search, with its layout, under the loads of the request or the one it is best at."""
        at, load = divmod(place, len(loads))
        replicas = int(found.replicas[at, load])
        per_replica = loads if asked.concurrency else loads[load : load + 1]
        total = [int(one) for one in (per_replica if asked.gpus else per_replica * replicas)]
        changed = asked.model_copy(
            update={"gpus": int(found.total_gpus[at, load]), "concurrency": total, "arrivals_per_s": None}
        )
        if asked.mode == DISAGGREGATED:
            pools = pool_layout(found.layouts[at])
            both = [pools[PREFILL], pools[DECODE]]
            return {"layout": pools, **self._pools(changed, shape, both, usd, correction).as_json()}
        layout = dict(zip(NAMES, found.layouts[at].tolist(), strict=True))
        return {"layout": layout, **self._worker(changed, shape, layout, usd, correction).as_json()}

    def _worker(
        self,
        asked: ServingRequest,
        shape: ModelShape,
        layout: dict[str, int],
        usd_per_gpu_hour: float | None,
        correction: Correction | None,
    ) -> Placement:
        """An aggregated placement, with as many replicas as there are GPUs for."""
        cases = self._cases(asked, shape, layout, np.ones(1))
        gpus = int(cases.layouts.gpus[0])
        replicas = _replicas(asked, gpus)
        fabric = self._fabric(asked)
        loads, keeps_up = _loads(asked) / replicas, True
        if asked.arrivals_per_s is not None:
            load, keeps_up = concurrency_at(cases, asked.arrivals_per_s / replicas, fabric)
            loads = np.array([load])
        cases = self._cases(asked, shape, layout, loads)
        figures = aggregated(cases, fabric)
        setting = self._setting(asked, cases, (gpus, replicas), fabric, usd_per_gpu_hour)
        placement = self._placement(shape, cases, figures, setting, fabric, [layout], correction)
        if not placement.fits:
            placement = placement.but(would_fit=self._would_fit(asked, shape))
        if not keeps_up:
            most = placement.rows[0].tokens_per_s / _mean(asked.output_tokens)
            note = (
                f"{asked.arrivals_per_s:g} requests a second are more than this placement serves: {most:.3g} at most. Use "
                "more GPUs."
            )
            placement = placement.but(notes=[*(placement.notes or []), note])
        return placement

    def _would_fit(self, asked: ServingRequest, shape: ModelShape) -> str:
        """The layout of the fewest GPUs on which the model has room, in words."""
        rows = layouts_within(shape, MOST_WORKER_GPUS)
        one = self._cases(asked, shape, dict(zip(NAMES, rows[0].tolist(), strict=True)), np.ones(1))
        memory = memory_of(one.with_layouts(as_layouts(rows)))
        fitting = rows[np.flatnonzero(memory.fits)]
        if not len(fitting):
            return f"Nothing of up to {MOST_WORKER_GPUS} GPUs: use a smaller precision or shorter sequences."
        least = fitting[np.lexsort((fitting[:, 1], fitting[:, :3].prod(axis=1)))[0]]
        return f"{words_of(dict(zip(NAMES, least.tolist(), strict=True)))} on {least[:3].prod()} GPUs"

    def _pools(
        self,
        asked: ServingRequest,
        shape: ModelShape,
        layouts: list[dict[str, int]],
        usd_per_gpu_hour: float | None,
        correction: Correction | None,
    ) -> Placement:
        """A disaggregated placement, with as many copies of its pools as there are GPUs for."""
        loads = _loads(asked)
        (prefill, decode), one = layouts, np.ones(1)
        gpus = sum(
            int(self._cases(asked, shape, pool, one).layouts.gpus[0]) * pool["workers"] for pool in (prefill, decode)
        )
        replicas = _replicas(asked, gpus)
        fabric = self._fabric(asked)
        of_prefill, of_decode = (self._cases(asked, shape, pool, loads / replicas) for pool in (prefill, decode))
        workers = [np.array([float(pool["workers"])]) for pool in (prefill, decode)]
        figures = disaggregated(of_prefill, of_decode, workers[0], workers[1], fabric)
        settings = [
            self._setting(asked, of, (gpus, replicas), fabric, usd_per_gpu_hour) for of in (of_prefill, of_decode)
        ]
        widest = max(settings, key=lambda one: one.widest)
        setting = replace(settings[1], crosses=widest.crosses, widest=widest.widest)
        return self._placement(shape, of_decode, figures, setting, fabric, layouts, correction)

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
        widest = int(np.maximum(layout.tp * layout.attention_dp, layout.expert_ranks).max())
        family = family_of(self._catalog.gpus[asked.system.gpu])
        is_measured = family in MEASURED_FAMILIES and framework_named(asked.stack.framework) != OTHER
        is_measured = is_measured and fabric.inside is None
        return Setting(*size, widest > fabric.links_gpus, usd_per_gpu_hour, is_measured, widest)

    def _placement(
        self,
        shape: ModelShape,
        cases: Cases,
        figures: Served,
        setting: Setting,
        fabric: Fabric,
        layouts: list[dict[str, int]],
        correction: Correction | None,
    ) -> Placement:
        """The answer of one placement."""
        if not np.isfinite(figures.tpot_s + figures.ttft_s).all():
            message = (
                f"Nothing joins the {setting.gpus} GPUs of this layout beyond their scale-up domain. Give a fabric, or a layout "
                "within the domain."
            )
            raise SpecError([Problem("system.fabric", "no_network", message)])
        memory = figures.memory
        if correction is not None:
            figures = corrected(figures, cases, correction)
            setting = replace(setting, is_calibrated=True)
        pools = figures.handover
        notes = [note for one in layouts for note in layout_notes(shape, one)]
        if setting.crosses:
            notes.append(path_note(setting.widest, fabric, float(communication_share(figures)[-1])))
        missing = float(max(one.missing_bytes[0] for one in (memory, pools.memory if pools else memory)))
        return Placement(
            rows=served_rows(figures, cases.load.concurrency, setting, cases, self._constants),
            gpus=setting.gpus * setting.replicas,
            replicas=setting.replicas,
            memory_gb_per_gpu=memory_record(memory),
            fits=bool(figures.fits.all()),
            max_concurrency=int(memory.max_sequences[0]) * layouts[-1].get("workers", 1) * setting.replicas,
            crosses_scale_up_domain=setting.crosses,
            path=fabric.path_of(setting.widest),
            limited_by=limited_by(figures, cases),
            links=served_links(cases, figures, fabric, layouts[-1].get("workers", 1)),
            cache_crosses_scale_up_domain=bool(pools.crosses.any()) if pools else None,
            missing_gb_per_gpu=missing / GIGA if missing > 0 else None,
            notes=notes or None,
        )

    def _cases(self, asked: ServingRequest, shape: ModelShape, layout: Mapping[str, int], loads: FloatArray) -> Cases:
        """A placement under each load."""
        one = np.ones(1)
        tokens = {name: np.array([_mean(getattr(asked, name))]) for name in ("input_tokens", "output_tokens")}
        spread = np.array([1 + _variation(asked.input_tokens) ** 2])
        return columns_of(
            shape_columns([shape]),
            [self._catalog.gpus[asked.system.gpu]],
            [_software(asked)],
            Layouts(**{name: np.array([float(layout[name])]) for name in _LAYOUT}),
            Load(concurrency=loads.astype(np.float64), accepted_tokens=one, queue_spread=spread, **tokens),
            self._constants,
        )

    def _fabric(self, asked: ServingRequest) -> Fabric:
        """What joins the GPUs; tables of collectives are made once for each system and path."""
        given = {key: value for key, value in asked.system.model_dump().items() if value is not None}
        key = repr((sorted(given.items()), asked.path))
        if key not in self._fabrics:
            inside = inside_node(given, self._catalog, self._network, asked.path)
            self._fabrics[key] = Fabric.of(inside, inside.times(self._catalog, self._network))
        return self._fabrics[key]

    def _path_problems(self, asked: ServingRequest) -> list[Problem]:
        """A path that the GPUs do not have, or that single batches were not measured on."""
        if asked.mode == "batch" and asked.path == PCIE:
            message = "Single batches were measured over nvlink and host_memory. Use one of these, or mode aggregated."
            return [Problem("path", "not_modelled", message)]
        if asked.path != NVLINK or asked.system.gpu not in self._catalog.gpus or asked.mode == "batch":
            return []
        given = {key: value for key, value in asked.system.model_dump().items() if value is not None}
        if has_links(given, self._catalog, self._network):
            return []
        name = self._catalog.gpus[asked.system.gpu].model
        message = f"No scale-up links join GPUs of {name}. Leave path out, or use pcie or host_memory."
        return [Problem("path", "no_such_path", message)]

    def _batch(self, asked: ServingRequest, shape: ModelShape | None, problems: list[Problem]) -> Json:
        """Times of single batches."""
        layout = {"tp": 1, "pp": 1}
        given, of_layout = validated(Layout, asked.layout or {}, "a layout")
        problems += [one.inside("layout") for one in of_layout]
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
            [asked.path or NVLINK] * count,
            [asked.stack.features] * count,
            tp=np.full(count, float(layout["tp"])),
            pp=np.full(count, float(layout["pp"])),
            batch=np.array(sizes, dtype=np.float64),
            tokens=np.full(count, float(tokens)),
        )


USUAL_MOST_GPUS = 64  # of a replica, where a request says no number of GPUs
MOST_WORKER_GPUS = 1024  # of one replica
LOAD_DOUBLINGS = 13  # loads of a replica that a target is looked for at: 1 to 4,096
MOST_ON_FRONT = 24  # placements of a front that are listed where a request says no larger number
MEASURED_FAMILIES = ("hopper", "blackwell")
_LAYOUT = ("tp", "pp", "attention_dp", "moe_tp", "ep")


def _all_loads(gpus: int | None) -> FloatArray:
    """Requests in flight that are looked at where a request names none: of a replica, or of as many as the GPUs have room for."""
    return np.exp2(np.arange(LOAD_DOUBLINGS + (gpus - 1).bit_length() if gpus else LOAD_DOUBLINGS))


def _widest(layout: Mapping[str, int]) -> int:
    """GPUs that a layer of one worker spans."""
    return max(layout["tp"] * layout["attention_dp"], layout["moe_tp"] * layout["ep"])


def _evenly(count: int, most: int) -> IntArray:
    """Places of ``most`` of ``count`` things, evenly spaced, both ends among them."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.int64))


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
    kind: type[Section] = Pools if asked.mode == DISAGGREGATED else Layout
    given, found = validated(kind, asked.layout, "a layout")
    problems = [one.inside("layout") for one in found]
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
    target = asked.target
    is_searched = asked.layout is None and any((target.tpot_ms, target.ttft_ms, target.tokens_per_s))
    if asked.concurrency is None and asked.arrivals_per_s is None and not is_searched and "concurrency" not in wrong:
        message = "Give concurrency (requests in flight, one number or a list) or arrivals_per_s."
        problems.append(Problem("concurrency", "missing", message))
    if asked.concurrency is not None and asked.arrivals_per_s is not None:
        message = "Requests in flight follow from those that arrive: give one of concurrency and arrivals_per_s."
        problems.append(Problem("arrivals_per_s", "contradiction", message))
    if asked.arrivals_per_s is not None and asked.mode == DISAGGREGATED and asked.layout is not None:
        message = "Given pools are modelled under a concurrency. Give concurrency instead, or leave the layout out."
        problems.append(Problem("arrivals_per_s", "not_modelled", message))
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


def _variation(given: Lengths) -> float:
    """Standard deviation of a length over its mean."""
    if given.values is None:
        return (given.sd or 0.0) / _mean(given)
    values, mean = np.array(given.values), _mean(given)
    return float(np.sqrt(np.average((values - mean) ** 2, weights=given.weights))) / mean


def _mean_of(given: Mapping[str, Any], field: str) -> float:
    """Mean of a length of a request that has been answered."""
    return _mean(Lengths(**given[field]) if field in given else ServingRequest.model_fields[field].default)


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
