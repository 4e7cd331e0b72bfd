"""What a request for serving may say: its keys with their bounds, what is wrong with it, and what follows from it alone."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from estimator.errors import Problem, SpecError
from estimator.performance.system import MAX_GPUS, System
from estimator.spec.checking import Section, validated
from estimator.units import FloatArray
from estimator.workloads.models.shapes import ModelShape
from estimator.workloads.serving.cases import PRECISIONS, Software
from estimator.workloads.serving.check import layout_problems

MAX_LOADS = 1_000
MAX_TOKENS = 100_000_000
MAX_CONCURRENCY = 10_000_000
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

    @property
    def mean_tokens(self) -> float:
        """Of the distribution."""
        return float(np.average(self.values or [], weights=self.weights)) if self.mean is None else self.mean

    @property
    def variation(self) -> float:
        """Standard deviation over mean."""
        if self.values is None:
            return (self.sd or 0.0) / self.mean_tokens
        off = np.array(self.values) - self.mean_tokens
        return float(np.sqrt(np.average(off**2, weights=self.weights))) / self.mean_tokens


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


def as_typed(problems: Sequence[Problem], request: Any) -> list[Problem]:
    """Problems of a request that ``plain`` wrote out, at the places and in the words of the one that was typed."""
    given = request if isinstance(request, Mapping) else {}
    out = []
    for one in problems:
        name = field_of(one)
        if one.field in (f"{name}[0]", f"{name}.mean") and isinstance(given.get(name), int | float):
            out.append(replace(one, field=name, change={name: next(iter(one.change.values()))} if one.change else None))
        elif one.field in ("input_tokens", "output_tokens") and one.code == "wrong_type":
            words = one.message.replace("Must be an object", "Must be a number, or an object with mean or values")
            out.append(replace(one, message=words))
        else:
            out.append(one)
    return out


def field_of(problem: Problem) -> str:
    """The key of a request that a problem is in: "concurrency" of "concurrency[0]"."""
    return problem.field.partition(".")[0].partition("[")[0]


def software_of(asked: ServingRequest) -> Software:
    """The engine of a request, with what it computes in."""
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


def layouts_of(asked: ServingRequest, shape: ModelShape | None) -> tuple[list[dict[str, int]], list[Problem]]:
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


def precision_problems(asked: ServingRequest) -> list[Problem]:
    """Precisions that are none."""
    problems = []
    for field in ("precision", "kv_precision"):
        value = getattr(asked, field)
        if value is not None and value.lower() not in PRECISIONS:
            message = f"Precisions are {', '.join(PRECISIONS)}, and '{value}' was given."
            problems.append(Problem(field, "not_a_choice", message))
    return problems


def load_problems(asked: ServingRequest, wrong: set[str]) -> list[Problem]:
    """What is missing of the load; fields that are wrong already are left alone."""
    problems = []
    target = asked.target
    is_searched = asked.layout is None and any((target.tpot_ms, target.ttft_ms, target.tokens_per_s))
    is_given = not {"concurrency", "arrivals_per_s"}.isdisjoint(wrong)
    if asked.concurrency is None and asked.arrivals_per_s is None and not is_searched and not is_given:
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


def mean_of(given: Mapping[str, Any], field: str) -> float:
    """Mean of a length of a request that has been answered."""
    lengths: Lengths = Lengths(**given[field]) if field in given else ServingRequest.model_fields[field].default
    return lengths.mean_tokens


def loads_of(asked: ServingRequest) -> FloatArray:
    """Requests in flight, shape (n_loads,)."""
    return np.array(asked.concurrency or [], dtype=np.float64)


def replicas_of(asked: ServingRequest, gpus: int) -> int:
    """Copies that fit on the GPUs; refused where not one does."""
    if asked.gpus is None:
        return 1
    if asked.gpus < gpus:
        message = f"The layout takes {gpus:,} GPUs and {asked.gpus:,} were given. Give at least {gpus:,}, or a smaller layout."
        raise SpecError([Problem("gpus", "too_few_gpus", message)])
    return asked.gpus // gpus
