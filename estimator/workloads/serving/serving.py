"""Serving under continuous batching: time per token, time to first token and throughput of cases.

**Aggregated** (prefill and decode on the same GPUs): while sequences decode, prompts of others are prefilled in chunks. Every
sequence makes ``output_tokens`` and brings ``input_tokens``, so of each token's time a share goes to prompts:

    tpot = step / accepted + running / output · (prefill of a prompt + handling of a request)

**Disaggregated**: decode workers see no prompts, and only as many sequences as are past their first token; prefill workers
are a queue, and the cache of a prompt crosses the fabric in between.
"""

from dataclasses import dataclass, replace

import numpy as np

from estimator.units import BoolArray, FloatArray
from estimator.workloads.paths.groups import groups_of
from estimator.workloads.serving.cases import Cases, Load
from estimator.workloads.serving.collectives import Fabric
from estimator.workloads.serving.memory import CHUNK_TOKENS, Memory, cache_bytes, memory_of, stage_share
from estimator.workloads.serving.phases import Parts, decode_step, prefill_token

MOST_BUSY = 0.95  # share of a queue's time: above it the closed loop holds requests back, not the queue
HALVINGS = 30
_LEAST = 1e-3  # requests in flight on average, of a worker that is idle most of the time
ROUNDS = 4  # of load and time against one another


@dataclass(frozen=True)
class Served:
    """Figures of one worker (aggregated) or of all (disaggregated), shape (n_cases,)."""

    tpot_s: FloatArray
    ttft_s: FloatArray
    running: FloatArray  # sequences that decode at a time
    tokens_s: FloatArray  # output tokens a second
    step: Parts
    token: Parts
    memory: Memory
    handover: "Handover | None" = None  # between pools, where prompts have GPUs of their own

    @property
    def fits(self) -> BoolArray:
        """Whether every worker has room for a sequence."""
        return self.memory.fits if self.handover is None else self.memory.fits & self.handover.memory.fits


@dataclass(frozen=True)
class Handover:
    """What lies between a pool of prefill and one of decode, shape (n_cases,)."""

    memory: Memory  # of a prefill worker
    cache_bytes: FloatArray  # of a prompt, that one decode GPU receives
    transfer_s: FloatArray  # of one prompt's cache
    busy: FloatArray  # share of the time that prefill workers work
    crosses: BoolArray  # a domain's edge, so that caches take NICs


def aggregated(cases: Cases, fabric: Fabric | None = None) -> Served:
    """Figures of one worker that prefills and decodes; ``cases.load.concurrency`` requests are in flight on it.

    What does not fit into memory waits: ``running`` is at most ``max_sequences``.
    """
    of, load, layouts = cases.constants.of, cases.load, cases.layouts
    memory = memory_of(cases)
    running = np.minimum(load.concurrency, np.maximum(memory.max_sequences, 1.0))
    step = decode_step(cases, running, load.input_tokens + load.output_tokens / 2, fabric)
    token = prefill_token(cases, fabric)
    prompt_s, share = (
        load.input_tokens * token.total_s,
        stage_share(cases),
    )  # a prompt leaves as often as the fullest stage does
    a_token = running / load.output_tokens * (of("prefill_share") * prompt_s * share + of("request_s"))
    tpot = of("stack") * (step.total_s / cases.accepted_tokens + a_token)
    with np.errstate(invalid="ignore"):  # where nothing joins the GPUs, both are infinite
        busy = np.minimum(running / load.output_tokens * prompt_s * share / tpot, MOST_BUSY)
    own = prompt_s * np.sqrt(layouts.attention_dp) * _chunk_overlap(cases)
    ttft = (
        of("first_token_s")
        + of("first_token_layer_s") * cases.shapes.layers
        + own
        + step.total_s / 2
        + of("queue_share") * load.queue_spread * busy / (1 - busy) * prompt_s
        + of("burst_share") * running * prompt_s * share
    )
    life = ttft + load.output_tokens * tpot
    waits = np.maximum(load.concurrency / running - 1, 0.0) * life
    shape = np.broadcast_shapes(tpot.shape, ttft.shape)
    return Served(
        tpot_s=np.broadcast_to(tpot, shape),
        ttft_s=ttft + waits,
        running=np.broadcast_to(running, shape),
        tokens_s=running * load.output_tokens / life,
        step=step,
        token=token,
        memory=memory,
    )


def disaggregated(
    prefill: Cases, decode: Cases, prefill_workers: FloatArray, decode_workers: FloatArray, fabric: Fabric | None = None
) -> Served:
    """Figures of pools of prefill and decode workers; ``load.concurrency`` requests are in flight over all of them.

    Load and times hold one another: what waits for its first token does not decode. A few rounds settle it.
    """
    of, load = decode.constants.of, decode.load
    memory = memory_of(decode.with_load(_shared(decode, load.concurrency / decode_workers)))
    token = prefill_token(prefill, fabric)
    prompt_s = of("pool_prefill_share") * prefill.load.input_tokens * token.total_s
    sizes = prefill_workers * prefill.layouts.gpus, decode_workers * decode.layouts.gpus
    received_bytes, transfer_s, most_s, crosses = _handed_over(prefill, decode, sizes, fabric)
    mu = np.minimum(prefill_workers / (stage_share(prefill) * prompt_s), most_s)
    own = prompt_s * np.sqrt(prefill.layouts.attention_dp) * _chunk_overlap(prefill) + transfer_s
    first = own + of("disaggregated_first_token_s") + of("first_token_layer_s") * decode.shapes.layers
    decoding, hidden = load.concurrency, 1 - of("pool_exchange_share")  # two halves of a batch overlap
    for _ in range(ROUNDS):
        running = np.minimum(decoding / decode_workers, np.maximum(memory.max_sequences, 1.0))
        step = decode_step(decode, running, load.input_tokens + load.output_tokens / 2, fabric)
        tpot = of("stack") * of("disaggregated_stack") * (step.total_s - hidden * step.ep_s) / decode.accepted_tokens
        z = load.output_tokens * tpot
        busy = np.minimum(load.concurrency / (z + first) / mu, MOST_BUSY)
        queue = (
            of("queue_share") * load.queue_spread * busy / (1 - busy) * prompt_s
            + of("burst_share") * load.concurrency / mu
        )
        ttft = np.maximum(first + queue, load.concurrency / mu - z)
        decoding = load.concurrency * z / (z + ttft)
    shape = np.broadcast_shapes(tpot.shape, ttft.shape)
    tokens_s = (
        np.minimum(load.concurrency, running * decode_workers / (z / (z + ttft))) * load.output_tokens / (z + ttft)
    )
    with np.errstate(invalid="ignore"):  # where nothing joins the pools, none is served
        used = np.minimum(tokens_s / load.output_tokens / mu, 1.0)
    return Served(
        tpot_s=np.broadcast_to(tpot, shape),
        ttft_s=np.broadcast_to(ttft, shape),
        running=np.broadcast_to(running * decode_workers, shape),
        tokens_s=np.broadcast_to(tokens_s, shape),
        step=step,
        token=token,
        memory=memory,
        handover=Handover(
            memory=memory_of(prefill.with_load(replace(load, output_tokens=np.zeros(1)))),
            cache_bytes=np.broadcast_to(received_bytes, shape),
            transfer_s=np.broadcast_to(transfer_s, shape),
            busy=np.broadcast_to(used, shape),
            crosses=np.broadcast_to(crosses, shape),
        ),
    )


def concurrency_at(cases: Cases, requests_s: float, fabric: Fabric | None = None) -> tuple[float, bool]:
    """Requests in flight on one worker that ``requests_s`` arrive at a second (Little's law), and whether it keeps up.

    Throughput grows with what is in flight up to what fits, so that halving finds it. A worker that does not keep up answers
    with the most that fits.
    """
    low, high = 0.0, max(1.0, float(memory_of(cases).max_sequences.max()))

    def rate(concurrency: float) -> float:
        loaded = cases.with_load(_shared(cases, np.full(1, concurrency)))
        return float((aggregated(loaded, fabric).tokens_s / cases.load.output_tokens).max())

    if rate(high) < requests_s:
        return high, False
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if rate(max(middle, _LEAST)) < requests_s else (low, middle)
    return max(high, _LEAST), True


def _handed_over(
    prefill: Cases, decode: Cases, gpus: tuple[FloatArray, FloatArray], fabric: Fabric | None
) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
    """The cache of a prompt on its way to a decode worker, over what joins pools of so many GPUs.

    Every GPU of the decode worker fetches its share, and those of the prefill worker send as much together: the side of the
    fewer GPUs takes longer. Pools lie side by side, so that two GPUs are half of all their domains apart.

    Returns
    -------
    Bytes that a decode GPU receives, seconds of one prompt, prompts a second at most, and whether a domain's edge is crossed.
    """
    received = cache_bytes(decode, decode.load.input_tokens) / decode.layouts.pp
    if fabric is None:
        return received, np.zeros(1), np.full(1, np.inf), np.zeros(1, dtype=bool)
    a_replica = decode.layouts.tp * decode.layouts.pp  # GPUs that hold one sequence
    sent = received * a_replica / (prefill.layouts.tp * prefill.layouts.pp)
    crosses = np.asarray(gpus[0] + gpus[1] > fabric.domain_gpus)
    receive_s, send_s = (_cache_s(one, gpus[0] + gpus[1], crosses, fabric) for one in (received, sent))
    with np.errstate(divide="ignore"):
        most_s = np.minimum(
            gpus[1] / a_replica / receive_s, gpus[0] / (prefill.layouts.tp * prefill.layouts.pp) / send_s
        )
    return received, np.maximum(receive_s, send_s), most_s, crosses


def _cache_s(n_bytes: FloatArray, gpus: FloatArray, crosses: BoolArray, fabric: Fabric) -> FloatArray:
    """Bytes from one GPU of a pool to one of the other, while all others send too. [s]"""
    if fabric.times is None:
        return np.where(crosses, n_bytes / max(fabric.nic_byte_s, 1.0), 0.0)
    slowest_s = n_bytes / fabric.inner_byte_s  # within a node without links among all
    n_bytes, gpus, crosses = np.broadcast_arrays(n_bytes, gpus, crosses)
    apart = np.maximum(np.ceil(gpus / fabric.domain_gpus).astype(np.int64) // 2, 1)
    sent_s = fabric.times.seconds("sendrecv", groups_of(2, np.where(crosses, 1, 2), apart), n_bytes)
    return np.maximum(sent_s, np.where(crosses, 0.0, slowest_s))


def _shared(cases: Cases, concurrency: FloatArray) -> Load:
    return replace(cases.load, concurrency=concurrency)


def _chunk_overlap(cases: Cases) -> FloatArray:
    """Share of a prompt's whole time that it takes on a pipeline, whose stages work on its chunks one after another."""
    chunks = np.maximum(np.ceil(cases.load.input_tokens / CHUNK_TOKENS), 1.0)
    return (1 + (chunks - 1) * stage_share(cases)) / chunks
