"""What is placed: the parallel layout of a training run or of serving, as requests and answers of both name it.

``parallel`` is that of a training step, ``layout`` that of one worker of an engine, ``prefill`` and ``decode`` those of two
pools. One of the three is given.
"""

import re
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import Field

from estimator.errors import Problem, SpecError
from estimator.spec.checking import Section, validated

MAX_RANKS = 2**20  # ranks of one placement: a row each in maps and rank files
MAX_DEGREE = 65_536
MAX_TEXT = 200
DEFAULT, PIPELINES_CLOSE = "tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp"
# No sign that a shell or YAML would read as its own.
WORDS = {
    "name": (r"[a-z]([-a-z0-9]*[a-z0-9])?", "small letters, digits and -, from a letter on"),
    "model": (r"[A-Za-z0-9][A-Za-z0-9._/-]*", "letters, digits and . _ / -"),
    "script": (r"[A-Za-z0-9][A-Za-z0-9._/-]*", "letters, digits and . _ / -"),
    "image": (r"[A-Za-z0-9][A-Za-z0-9._/:@-]*", "letters, digits and . _ / : @ -"),
}


def _degree(title: str, default: int | None = 1, **more: Any) -> Any:
    return Field(default, ge=1, le=MAX_DEGREE, title=title, **more)


class Parallel(Section):
    """Degrees of a training run; ``dp`` counts copies of the dense layers, so that ranks are tp × cp × dp × pp."""

    tp: int = _degree("Tensor parallel")
    cp: int = _degree("Context parallel")
    ep: int = _degree("Expert parallel")
    dp: int = _degree("Data parallel")
    pp: int = _degree("Pipeline stages")
    expert_tp: int | None = _degree("Tensor parallel of experts", None)
    virtual_stages: int = _degree("Virtual stages of a pipeline rank")
    layers: int | None = Field(
        None,
        ge=1,
        le=MAX_DEGREE,
        title="Layers of the model",
        description="How Megatron spreads them over uneven stages.",
    )
    micro_batch: int | None = _degree("Sequences of a micro-batch", None)
    global_batch: int | None = Field(None, ge=1, le=10**9, title="Sequences of a step")
    sequence: int | None = Field(None, ge=1, le=10**8, title="Tokens of a sequence")
    sequence_parallel: bool = Field(False, title="Sequence parallel")
    recompute: Literal["none", "selective", "full"] | None = Field(None, title="Recomputed activations")
    zero_stage: int | None = Field(None, ge=0, le=3, title="ZeRO stage")
    fsdp: bool = Field(False, title="Fully sharded data parallel")

    @property
    def experts_tp(self) -> int:
        """Tensor parallel of experts: that of the dense layers unless given."""
        return self.tp if self.expert_tp is None else self.expert_tp

    @property
    def n_ranks(self) -> int:
        """GPUs."""
        return self.tp * self.cp * self.dp * self.pp


class Layout(Section):
    """Degrees of one worker of a serving engine, that is tp × attention_dp × pp ranks = moe_tp × ep × pp."""

    tp: int = _degree("Tensor parallel of attention")
    pp: int = _degree("Pipeline stages")
    attention_dp: int = _degree("Data parallel of attention")
    moe_tp: int | None = _degree("Tensor parallel of experts", None)
    ep: int = _degree("Expert parallel")

    @property
    def stage_ranks(self) -> int:
        """Ranks of one pipeline stage."""
        return self.tp * self.attention_dp

    @property
    def experts_tp(self) -> int:
        """Tensor parallel of experts: what expert parallel leaves of a stage unless given."""
        return max(self.stage_ranks // self.ep, 1) if self.moe_tp is None else self.moe_tp

    @property
    def n_ranks(self) -> int:
        """GPUs of a worker."""
        return self.stage_ranks * self.pp


class Pool(Section):
    """Workers of one kind of a disaggregated service."""

    workers: int = _degree("Workers")
    layout: Layout = Field(default_factory=Layout, title="Layout of a worker")


class Traffic(Section):
    """Bytes that a rank of a training run has to exchange a step, where the order of ranks is chosen by time."""

    dp_bytes: float = Field(ge=0, le=1e15, title="Gradients of a rank", description="Summed over data-parallel copies.")
    pp_bytes: float = Field(ge=0, le=1e15, title="Activations of a rank", description="To its next stage, a step.")
    pp_messages: int = Field(1, ge=1, le=10**6, title="Messages to the next stage", description="A step.")


class PlacementRequest(Section):
    """One workload to place on a design."""

    parallel: Parallel | None = Field(None, title="Layout of a training run")
    layout: Layout | None = Field(None, title="Layout of a worker")
    replicas: int = _degree("Workers side by side")
    prefill: Pool | None = Field(None, title="Prefill pool")
    decode: Pool | None = Field(None, title="Decode pool")
    order: Literal["auto", "tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp"] = Field("auto", title="Order of ranks, innermost first")
    traffic: Traffic | None = Field(None, title="Traffic that an order is chosen by")
    first_node: int = Field(1, ge=1, le=10**7, title="First node", description="Number of the first node that is used.")
    name: str = Field("job", max_length=40, title="Name of the job in files")
    model: str = Field("MODEL", max_length=MAX_TEXT, title="Model, as the engine finds it")
    script: str = Field("train.py", max_length=MAX_TEXT, title="Training script")
    image: str = Field("IMAGE", max_length=MAX_TEXT, title="Container image")


@dataclass(frozen=True, slots=True)
class Part:
    """Ranks that belong together: a training run, the replicas of a service, or one of its two pools."""

    name: str  # "training", "serving", "prefill" or "decode"
    workers: int
    degrees: Parallel | Layout
    order: str

    @property
    def worker_ranks(self) -> int:
        """GPUs of a worker; a training run is one worker."""
        return self.degrees.n_ranks

    @property
    def n_ranks(self) -> int:
        """GPUs of all workers."""
        return self.workers * self.worker_ranks


def parse_placement(values: Any) -> PlacementRequest:
    """The request, checked.

    Raises
    ------
    SpecError
        With every problem found.
    """
    request, problems = validated(PlacementRequest, values, "a placement")
    if request is not None:
        problems += [*_wrong_words(request), *_contradictions(request)]
    if problems or request is None:
        raise SpecError(problems)
    return request


def parts_of(request: PlacementRequest) -> list[Part]:
    """Parts of a checked request, in the order in which they take nodes; an order left to us is Megatron's default."""
    order = DEFAULT if request.order == "auto" else request.order
    if request.parallel:
        return [Part("training", 1, request.parallel, order)]
    if request.layout:
        return [Part("serving", request.replicas, request.layout, order)]
    pools = (("prefill", request.prefill), ("decode", request.decode))
    return [Part(name, pool.workers, pool.layout, order) for name, pool in pools if pool]


def in_order(parts: list[Part], order: str) -> list[Part]:
    """The same parts with ranks in another order."""
    return [replace(part, order=order) for part in parts]


def _wrong_words(request: PlacementRequest) -> list[Problem]:
    return [
        Problem(
            field,
            "bad_name",
            f"{field.capitalize()} may have {allowed}, and {getattr(request, field)[:40]!r} was given.",
        )
        for field, (pattern, allowed) in WORDS.items()
        if not re.fullmatch(pattern, getattr(request, field))
    ]


def _contradictions(request: PlacementRequest) -> list[Problem]:
    pools = [name for name in ("prefill", "decode") if getattr(request, name)]
    given = [name for name in ("parallel", "layout") if getattr(request, name)] + pools
    if given not in (["parallel"], ["layout"], ["prefill", "decode"]):
        message = (
            "Give parallel (training), layout (serving), or prefill and decode (two pools), and one of the three; "
            f"given: {', '.join(given) or 'none'}."
        )
        return [Problem("", "contradiction", message)]
    problems = []
    if request.replicas > 1 and given != ["layout"]:
        message = f"Replicas are copies of layout, and {request.replicas} of {' and '.join(given)} were requested: "
        problems.append(Problem("replicas", "contradiction", message + "give dp in parallel, or workers of a pool."))
    for part in parts_of(request):
        field = {"training": "parallel", "serving": "layout"}.get(part.name, f"{part.name}.layout")
        degrees = part.degrees
        problems += _of_training(degrees) if isinstance(degrees, Parallel) else _of_worker(degrees, field)
    n_ranks = sum(part.n_ranks for part in parts_of(request))
    if n_ranks > MAX_RANKS:
        message = f"At most {MAX_RANKS:,} ranks are placed, and the layout has {n_ranks:,}. Place fewer copies at once."
        problems.append(Problem("", "too_many_ranks", message))
    return problems


def _of_training(degrees: Parallel) -> list[Problem]:
    problems = []
    stage, experts = degrees.tp * degrees.cp * degrees.dp, degrees.ep * degrees.experts_tp
    if stage % experts:
        message = (
            f"Experts take {degrees.ep} × {degrees.experts_tp} ranks (ep × expert_tp), and a stage's {stage:,} "
            "(tp × cp × dp) are no multiple of it. Change ep, expert_tp or dp."
        )
        problems.append(Problem("parallel.ep", "not_divisible", message))
    if degrees.virtual_stages > 1 and degrees.pp == 1:
        message = (
            f"Virtual stages interleave pipeline ranks, and pp is 1 with {degrees.virtual_stages} virtual stages. "
            "Give pp of 2 or more, or leave virtual_stages out."
        )
        problems.append(Problem("parallel.virtual_stages", "contradiction", message))
    n_chunks = degrees.pp * degrees.virtual_stages
    if degrees.layers is not None and n_chunks > degrees.layers + 2:  # embedding and head may count as layers
        message = (
            f"{degrees.layers} layers were given for {n_chunks:,} stages (pp × virtual_stages), which need one each. "
            f"Use at most {degrees.layers} stages in all."
        )
        problems.append(Problem("parallel.layers", "too_many_stages", message))
    return problems


def _of_worker(degrees: Layout, field: str) -> list[Problem]:
    if degrees.experts_tp * degrees.ep == degrees.stage_ranks:
        return []
    message = (
        f"Attention has {degrees.tp} × {degrees.attention_dp} ranks a stage (tp × attention_dp) and experts "
        f"{degrees.experts_tp} × {degrees.ep} (moe_tp × ep); the products must be equal."
    )
    return [Problem(f"{field}.ep", "not_divisible", message)]
