"""Answers of serving as typed records: figures of each load, memory, and what limits them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from estimator.record import IfAny, Record
from estimator.units import GIGA, MILLI, FloatArray
from estimator.workloads.paths.bands import banded
from estimator.workloads.paths.contention import Flow, slowdowns
from estimator.workloads.paths.hierarchy import LEAF, LEVELS
from estimator.workloads.serving.cases import Cases
from estimator.workloads.serving.collectives import Fabric
from estimator.workloads.serving.constants import Constants
from estimator.workloads.serving.memory import RESERVED_BYTES, Memory
from estimator.workloads.serving.phases import decode_bytes
from estimator.workloads.serving.serving import Served

SECONDS_PER_HOUR, MILLION = 3600, 1e6
MEMORY, COMPUTE, COMMUNICATION, OVERHEAD, PROMPTS, CAPACITY = (
    "memory_bandwidth",
    "compute",
    "communication",
    "overhead",
    "prompts",
    "memory_capacity",
)


class ServedRow(Record):
    """Figures under one load. ``low`` and ``high`` bound nine measured runs in ten."""

    concurrency: float
    tpot_ms: float
    tpot_ms_low: float
    tpot_ms_high: float
    ttft_ms: float
    ttft_ms_low: float
    ttft_ms_high: float
    tokens_per_s: float
    tokens_per_s_per_gpu: float
    usd_per_million_tokens: float | None
    communication_share: float
    running: float
    is_saturated: bool
    kv_transfer_ms: IfAny[float] = None
    """Of pools: a prompt's cache on its way from prefill to decode."""
    prefill_busy: IfAny[float] = None
    """Of pools: share of the time that prefill workers work; near 1 they are the pool that is too small."""


class ServedMemory(Record):
    """GB of the fullest GPU."""

    weights: float
    kv_cache: float
    activations: float
    reserved: float
    total: float
    usable: float


class ServedLayout(Record):
    """Degrees of one worker; the keys of a request's ``layout``."""

    tp: int
    pp: int
    attention_dp: int
    moe_tp: int
    ep: int


class ServedLink(Record):
    """Traffic of one kind on its furthest link, of one decode GPU under the last load."""

    traffic: str
    """tp, ep, pp, or kv: caches of prompts that come from prefill workers."""
    level: str
    """One of the levels of links (``paths/hierarchy.py``)."""
    bytes_per_step: float
    share_of_step: float
    """Of a decode step, or of the time where it goes on beside steps (kv)."""
    slowdown: float
    """Factor of its time while others are on the link, on average."""
    slowdown_most: float
    shares_with: list[str]


class Placement(Record):
    """One placement of a model, and what it serves."""

    rows: list[ServedRow]
    gpus: int
    replicas: int
    memory_gb_per_gpu: ServedMemory
    fits: bool
    max_concurrency: int
    crosses_scale_up_domain: bool
    path: str
    """The slowest that a layer's collectives use: none of one GPU, nvlink (any scale-up link), pcie, host_memory or network."""
    limited_by: str
    links: list[ServedLink]
    cache_crosses_scale_up_domain: IfAny[bool] = None
    """Of pools: whether a prompt's cache goes over NICs and the network."""
    missing_gb_per_gpu: IfAny[float] = None
    would_fit: IfAny[str] = None
    notes: IfAny[list[str]] = None
    layout: IfAny[ServedLayout] = None
    """Of a search: the layout that was found."""


class BatchRow(Record):
    """Times of one batch."""

    batch: int
    prefill_ms: IfAny[float] = None
    decode_ms: IfAny[float] = None
    decode_stage_ms: IfAny[float] = None


@dataclass(frozen=True)
class Setting:
    """What holds for every load of a placement."""

    gpus: int  # of one replica
    replicas: int
    crosses: bool
    usd_per_gpu_hour: float | None
    is_validated: bool  # GPU family, engine and path are among those measured
    widest: int = 1  # GPUs that a layer spans
    is_calibrated: bool = False


def served_rows(
    served: Served,
    concurrency: FloatArray,
    setting: Setting,
    cases: Cases,
    constants: Constants,
    ends: Sequence[Served] = (),
) -> list[ServedRow]:
    """One row a load; times are of one replica, throughput is of all.

    ``ends`` are the figures on paths at the ends of their measured ranges, which the bands of times hold.
    """
    tpot_band, ttft_band = bands(cases, constants, setting)
    tpot_low, tpot_high = banded(served.tpot_s, tpot_band, [end.tpot_s for end in ends])
    ttft_low, ttft_high = banded(served.ttft_s, ttft_band, [end.ttft_s for end in ends])
    tokens_s = served.tokens_s * setting.replicas
    a_gpu = tokens_s / (setting.gpus * setting.replicas)
    share = communication_share(served)
    columns = np.broadcast_arrays(
        concurrency,
        served.tpot_s,
        tpot_low,
        tpot_high,
        served.ttft_s,
        ttft_low,
        ttft_high,
        tokens_s,
        a_gpu,
        share,
        served.running,
        served.memory.max_sequences,
    )
    return [
        ServedRow(
            **_handed_over(served, at),
            concurrency=float(n) * setting.replicas,
            tpot_ms=float(tpot) / MILLI,
            tpot_ms_low=float(tpot_least) / MILLI,
            tpot_ms_high=float(tpot_most) / MILLI,
            ttft_ms=float(ttft) / MILLI,
            ttft_ms_low=float(ttft_least) / MILLI,
            ttft_ms_high=float(ttft_most) / MILLI,
            tokens_per_s=float(rate),
            tokens_per_s_per_gpu=float(of_gpu),
            usd_per_million_tokens=usd_per_million_tokens(setting.usd_per_gpu_hour, float(of_gpu)),
            communication_share=float(shared),
            running=float(running) * setting.replicas,
            is_saturated=bool(n > most),
        )
        for at, (
            n,
            tpot,
            tpot_least,
            tpot_most,
            ttft,
            ttft_least,
            ttft_most,
            rate,
            of_gpu,
            shared,
            running,
            most,
        ) in enumerate(zip(*columns, strict=True))
    ]


def _handed_over(served: Served, at: int) -> dict[str, float]:
    """What a row has besides where prompts have GPUs of their own."""
    if served.handover is None:
        return {}
    return {
        "kv_transfer_ms": float(served.handover.transfer_s[at]) / MILLI,
        "prefill_busy": float(served.handover.busy[at]),
    }


def served_links(cases: Cases, served: Served, fabric: Fabric, workers: int = 1) -> list[ServedLink]:
    """What runs on which link, and what sharing it costs; ``workers`` are those of the decode pool."""
    step, layouts, last = served.step, cases.layouts, -1

    def at(column: FloatArray) -> float:
        return float(np.broadcast_to(column, served.tpot_s.shape)[last])

    whole, wide = int(at(layouts.gpus)), int(at(layouts.tp * layouts.attention_dp))
    ranks = {"tp": int(at(layouts.tp)), "ep": max(wide, int(at(layouts.expert_ranks))), "pp": whole}
    sent = decode_bytes(cases, served.running / workers)
    seconds, total = {"tp": step.tp_s, "ep": step.ep_s, "pp": step.pp_s}, at(step.total_s)
    flows = [Flow(name, fabric.level_of(ranks[name]), at(seconds[name]) / total) for name in sent if at(sent[name]) > 0]
    n_bytes = [at(sent[flow.kind]) for flow in flows]
    if served.handover is not None:
        prompts_s = at(served.tokens_s / cases.load.output_tokens) / (workers * at(layouts.attention_dp))
        level = LEAF if bool(served.handover.crosses[last]) else fabric.level_of(2)
        flows.append(Flow("kv", level, prompts_s * at(served.handover.transfer_s)))
        n_bytes.append(prompts_s * at(served.handover.cache_bytes) * total)
    return [
        ServedLink(
            traffic=flow.kind,
            level=LEVELS[flow.level],
            bytes_per_step=sent_bytes,
            share_of_step=flow.share,
            slowdown=slower.usual,
            slowdown_most=slower.most,
            shares_with=list(slower.others),
        )
        for flow, sent_bytes, slower in zip(flows, n_bytes, slowdowns(flows), strict=True)
    ]


def bands(cases: Cases, constants: Constants, setting: Setting) -> tuple[float, float]:
    """Factors that time per token and time to first token are within, nine times in ten."""
    if setting.is_calibrated:
        tpot, ttft = constants.value("tpot_band_calibrated"), constants.value("ttft_band_calibrated")
        return float(np.exp(tpot)), float(np.exp(ttft))
    kind = "moe" if cases.is_moe.any() else "dense"
    wider = 1.0 if setting.is_validated else constants.value("unmeasured_band")
    return (
        float(np.exp(constants.value(f"tpot_band_{kind}") * wider)),
        float(np.exp(constants.value("ttft_band") * wider)),
    )


def communication_share(served: Served) -> FloatArray:
    """Share of a decode step that waits for other GPUs."""
    return served.step.communication_s / served.step.total_s


def limited_by(served: Served, cases: Cases) -> str:
    """What most of the time per token goes to under the last load."""
    step, last = served.step, -1

    def at(column: FloatArray) -> float:
        return float(np.broadcast_to(column, served.tpot_s.shape)[last])

    if at(cases.load.concurrency) > at(served.memory.max_sequences):
        return CAPACITY
    prompts = at(served.tpot_s) - at(step.total_s)
    weights = at(step.dense_s) + at(step.experts_s)
    parts = {
        COMPUTE if at(step.arithmetic_s) > weights / 2 else MEMORY: weights + at(step.attention_s),
        COMMUNICATION: at(step.communication_s),
        OVERHEAD: at(step.overhead_s),
        PROMPTS: prompts,
    }
    return max(parts, key=lambda name: parts[name])


def memory_record(memory: Memory) -> ServedMemory:
    """Memory under the last load. [GB]"""
    weights, cache, active = (
        float(one[-1]) / GIGA for one in (memory.weights_bytes, memory.kv_bytes, memory.activations_bytes)
    )
    reserved = RESERVED_BYTES / GIGA
    return ServedMemory(
        weights=weights,
        kv_cache=cache,
        activations=active,
        reserved=reserved,
        total=weights + cache + active + reserved,
        usable=float(memory.usable_bytes[-1]) / GIGA,
    )


def usd_per_million_tokens(usd_per_gpu_hour: float | None, tokens_s_per_gpu: float) -> float | None:
    """GPU-hours of a million output tokens in dollars; None without a price, or where nothing is served."""
    if usd_per_gpu_hour is None or tokens_s_per_gpu <= 0:
        return None
    return usd_per_gpu_hour / (tokens_s_per_gpu * SECONDS_PER_HOUR) * MILLION
