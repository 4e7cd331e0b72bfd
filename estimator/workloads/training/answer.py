"""What a training step is answered with: seconds and their band, parts, memory, links; one record a step."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from estimator.record import IfAny, Record, Shape
from estimator.units import GIGA, FloatArray
from estimator.wording import percent_of
from estimator.workloads.paths.bands import banded
from estimator.workloads.paths.contention import Flow, Slowdown, slowdowns
from estimator.workloads.paths.hierarchy import HOST_MEMORY, LEAF, LEVELS, PCIE
from estimator.workloads.paths.hierarchy import SCALE_UP as SCALE_UP_LEVEL
from estimator.workloads.training.columns import Steps
from estimator.workloads.training.constants import Constants
from estimator.workloads.training.memory import Memory, memory_of
from estimator.workloads.training.stages import stages_of
from estimator.workloads.training.step import CP_CALLS, EP_CALLS, GATHERS, TP_CALLS, StepTimes, stage_times, step_times
from estimator.workloads.training.traffic import Call, Traffic

BAND = "band"
MOST_EVEN = 32  # stages of a pipeline that a note names
SCALE_UP, PCIE_PATH, HOST_PATH, NETWORK = "scale-up", "pcie", "host memory", "network"


@dataclass(frozen=True)
class Link(Shape):
    """Traffic of one kind on one path, of one GPU."""

    path: str
    traffic: str
    bytes_per_step: float
    share_of_step: float  # that its calls take, hidden or not
    level: str  # the furthest that it goes, one of LEVELS
    slowdown: float  # of its calls while others are on the link, on average
    slowdown_most: float  # where it always meets them
    shares_with: tuple[str, ...]  # kinds that are on the link too


@dataclass(frozen=True)
class Parts(Shape):
    """Seconds of a step, part by part."""

    compute: float
    attention: float
    memory: float
    tp: float
    cp: float
    ep: float
    pp_bubble: float
    pp_p2p: float
    dp_exposed: float
    optimizer: float
    host: float


@dataclass(frozen=True)
class MemoryParts(Shape):
    """GB on the fullest GPU."""

    weights: float
    gradients: float
    optimizer: float
    activations: float
    total: float
    usable: float


@dataclass(frozen=True)
class PipelineStages(Shape):
    """How the layers are spread over pipeline stages; the fullest stage sets the step."""

    layers: int  # of all stages
    fullest_layers: int
    first_layers: int  # beside the embedding
    last_layers: int  # beside the head
    counts_ends: bool  # embedding and head each take the place of a layer
    is_even: bool
    slowest_over_mean: float  # time of a micro-batch on the slowest stage over the mean of all stages


class TrainedLayout(Record):
    """How a model is spread over GPUs, and its batch; the keys of a request's ``parallel``."""

    tp: int
    pp: int
    cp: int
    ep: int
    dp: int
    virtual_stages: int
    micro_batch: int
    global_batch: int
    sequence: int
    zero_stage: int
    recompute: str


class StepAnswer(Record):
    """One step; ``mfu`` counts the model's operations, ``hfu`` those of recompute too, both against the peak asked for."""

    step_s: float
    step_s_low: float
    step_s_high: float
    tokens_per_s_per_gpu: float
    tokens_per_s: float
    mfu: float
    hfu: float
    parts_s: Parts
    memory_gb_per_gpu: MemoryParts
    fits: bool
    missing_bytes: IfAny[float]
    what_would_fit: IfAny[tuple[str, ...]]
    limited_by: str
    stages: IfAny[PipelineStages]
    """Where there is a pipeline."""
    links: tuple[Link, ...]
    notes: IfAny[tuple[str, ...]]
    parallel: IfAny[TrainedLayout]
    """Of a search: the layout that was found."""


WORDS = {
    "compute": "matrix products",
    "attention": "attention",
    "memory": "GPU memory bandwidth",
    "tp": "tensor-parallel traffic",
    "cp": "context-parallel traffic",
    "ep": "expert-parallel traffic",
    "pp_bubble": "the pipeline's bubble",
    "pp_p2p": "hand-overs between pipeline stages",
    "dp_exposed": "data-parallel traffic",
    "optimizer": "the optimizer",
    "host": "launches by the host",
}


def model_flops(steps: Steps) -> FloatArray:
    """Operations of a step that the model needs, causal attention counted in half, no recompute; of all GPUs."""
    shapes, layouts = steps.shapes, steps.layouts
    tokens = layouts.global_batch * layouts.sequence
    context = layouts.sequence / 2
    seen = np.where(shapes.index_top_k > 0, np.minimum(np.maximum(shapes.index_top_k, 1), context), context)
    attended = shapes.attention_width * shapes.full_layers * seen
    attended = attended + shapes.window_attention_width * shapes.window_layers * np.minimum(shapes.window, context)
    matrices = shapes.active_matrix_parameters + shapes.hidden * shapes.vocab * (1 + shapes.mtp)
    passes = np.where(steps.machines.is_lora, 2.0, 3.0)
    forward = 2 * matrices * passes + 4 * attended * 3 + shapes.state_flops * shapes.linear_layers * 3
    return np.asarray(tokens * forward)


def answers(
    steps: Steps, traffic: Traffic, constants: Constants, bands: list[str], ends: Sequence[Traffic] = ()
) -> list[StepAnswer]:
    """Answers of steps, in their order.

    Parameters
    ----------
    bands : indices of the constant that says how far off they can be.
    ends : the traffic on paths at the ends of their measured ranges, which the band of a step holds.
    """
    times, memory = step_times(steps, traffic, constants), memory_of(steps, constants)
    step_s = times.step_s
    spread = constants.at(np.array([constants.place(BAND, band) for band in bands]))
    low, high = banded(step_s, np.exp(spread), [step_times(steps, end, constants).step_s for end in ends])
    layouts = steps.layouts
    n_gpus = layouts.n_gpus
    rate = layouts.global_batch * layouts.sequence / step_s
    model = model_flops(steps)
    use = model / (step_s * n_gpus * steps.machines.peak_flops)
    again = np.where(layouts.recompute == 2, 4 / 3, 1.0)
    links, stages = _links(steps, traffic, step_s), _stages(steps, traffic, constants)
    out = []
    for i in range(len(step_s)):
        parts = {one.name: float(getattr(times, one.name)[i]) for one in fields(StepTimes)}
        out.append(
            StepAnswer(
                step_s=float(step_s[i]),
                step_s_low=float(low[i]),
                step_s_high=float(high[i]),
                tokens_per_s_per_gpu=float(rate[i] / n_gpus[i]),
                tokens_per_s=float(rate[i]),
                mfu=float(use[i]),
                hfu=float(use[i] * again[i]),
                parts_s=Parts(**parts),
                memory_gb_per_gpu=_memory(memory, i),
                fits=bool(memory.fits[i]),
                missing_bytes=None if memory.fits[i] else float(memory.total[i] - memory.usable[i]),
                what_would_fit=None if memory.fits[i] else _ways(steps, memory, i),
                limited_by=WORDS[max(parts, key=lambda name: parts[name])],
                stages=stages[i],
                links=links[i],
                notes=(note,) if (note := _stage_note(steps, i, stages[i])) else None,
                parallel=None,
            )
        )
    return out


def _stages(steps: Steps, traffic: Traffic, constants: Constants) -> list[PipelineStages | None]:
    """Stages of each step's pipeline; None where there is none."""
    layouts = steps.layouts
    layers = np.broadcast_to(steps.shapes.layers, layouts.pp.shape)
    found, times = stages_of(layers, layouts.pp, layouts.virtual_stages), stage_times(steps, traffic, constants)
    chunks = layouts.pp * layouts.virtual_stages
    is_even = found.counts_ends | (layers % chunks == 0)
    over = times.fullest / times.mean
    return [
        PipelineStages(
            layers=int(layers[i]),
            fullest_layers=int(found.fullest[i]),
            first_layers=int(found.first[i]),
            last_layers=int(found.last[i]),
            counts_ends=bool(found.counts_ends[i]),
            is_even=bool(is_even[i]),
            slowest_over_mean=float(over[i]),
        )
        if pp > 1
        else None
        for i, pp in enumerate(layouts.pp.tolist())
    ]


def _stage_note(steps: Steps, i: int, stages: PipelineStages | None) -> str | None:
    """A word on stages of unequal length, of which a framework has to know."""
    if stages is None or stages.is_even:
        return None
    layers = int(np.broadcast_to(steps.shapes.layers, steps.layouts.pp.shape)[i])
    pp, virtual_stages = int(steps.layouts.pp[i]), int(steps.layouts.virtual_stages[i])
    spread = f"{pp} stages" + (f" of {virtual_stages} virtual ones each" if virtual_stages > 1 else "")
    even = [str(one) for one in range(2, min(layers, MOST_EVEN) + 1) if layers % one == 0]
    return (
        f"{layers} layers do not divide into {spread}: the fullest stage has {stages.fullest_layers}, the last one "
        f"{stages.last_layers} and the head. All wait for the slowest, which takes "
        f"{percent_of(stages.slowest_over_mean - 1)} longer than the mean, and memory is the fullest one's."
        + (f" Even ones: PP {', '.join(even)}." if even else "")
    )


def _memory(memory: Memory, i: int) -> MemoryParts:
    names = ("weights", "gradients", "optimizer", "activations", "total", "usable")
    return MemoryParts(**{name: float(getattr(memory, name)[i] / GIGA) for name in names})


def _ways(steps: Steps, memory: Memory, i: int) -> tuple[str, ...]:
    """What would make room, the largest part first."""
    layouts = steps.layouts
    ways = []
    if memory.activations[i] >= memory.total[i] / 4:
        if layouts.recompute[i] < 2:
            ways.append("full recompute")
        if layouts.micro_batch[i] > 1:
            ways.append("a smaller micro-batch")
        ways.append(f"context parallelism of {2 * layouts.cp[i]}")
    if layouts.zero_stage[i] < 3 and layouts.dp[i] > 1:
        ways.append("weights and gradients sharded over data parallelism (FSDP, ZeRO 3)")
    ways.append(f"tensor or pipeline parallelism of {2 * layouts.tp[i] * layouts.pp[i]} in all")
    return tuple(ways)


def _links(steps: Steps, traffic: Traffic, step_s: FloatArray) -> list[tuple[Link, ...]]:
    layouts, shapes = steps.layouts, steps.shapes
    n_micro, a_stage = layouts.micro_batches, 1 / layouts.pp
    again = np.where(layouts.recompute == 2, 1.5, 1.0)
    calls = {
        "tp": TP_CALLS * again * shapes.block_pairs * a_stage * n_micro,
        "cp": CP_CALLS * shapes.attention_layers * a_stage * n_micro,
        "ep": EP_CALLS * again * shapes.moe_layers * a_stage * n_micro,
        "pp": 2.0 * layouts.virtual_stages * n_micro,
        "dp": np.ones(len(step_s)),
        "gather": GATHERS * n_micro,
    }
    over_host = np.broadcast_to(steps.machines.over_host, step_s.shape)
    out: list[tuple[Link, ...]] = []
    for i in range(len(step_s)):
        flows, sent = [], []
        for name, count in calls.items():
            call: Call = getattr(traffic, name)
            n_bytes = float(call.n_bytes[i] * count[i])
            if n_bytes > 0:
                share = float(call.seconds[i] * count[i] / step_s[i])
                level = HOST_MEMORY if over_host[i] and call.level[i] < LEAF else int(call.level[i])
                flows.append(Flow("fsdp" if name == "gather" else name, level, share))
                sent.append(n_bytes)
        out.append(tuple(map(_link, flows, sent, slowdowns(flows))))
    return out


def _link(flow: Flow, n_bytes: float, slowdown: Slowdown) -> Link:
    path = {SCALE_UP_LEVEL: SCALE_UP, PCIE: PCIE_PATH, HOST_MEMORY: HOST_PATH}
    return Link(
        path.get(flow.level, NETWORK),
        flow.kind,
        n_bytes,
        flow.share,
        LEVELS[flow.level],
        slowdown.usual,
        slowdown.most,
        slowdown.others,
    )
