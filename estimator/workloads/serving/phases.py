"""Times of the two phases of serving: one decode step of all running sequences, and prefill a token.

Each part of a step is bound by memory or by arithmetic; near the knee both count, which a power mean of the two says
(``overlap_power``). Kernels, steps of the engine and collectives add to that.
"""

from dataclasses import dataclass

import numpy as np

from estimator.units import FloatArray
from estimator.workloads.serving.cases import BF16_BYTES, Cases
from estimator.workloads.serving.collectives import (
    COMBINE_BYTES,
    DISPATCH_BYTES,
    Fabric,
    all_reduce_s,
    exchange_s,
    hop_s,
)
from estimator.workloads.serving.memory import (
    CHUNK_TOKENS,
    STATE_BYTES,
    dense_parameters,
    routed_parameters,
    stage_share,
)

ALL_REDUCES = 2  # a layer: after attention and after the feed-forward block
FLOP_A_WEIGHT = 2
FLOP_A_PAIR = 4  # a unit of attention width and attended token
_TINY = 1e-30


@dataclass(frozen=True)
class Parts:
    """Seconds of a step, or of a prompt's token, by what they are spent on; shape (n_cases,) or (1,)."""

    dense_s: FloatArray
    experts_s: FloatArray
    attention_s: FloatArray
    tp_s: FloatArray
    ep_s: FloatArray
    pp_s: FloatArray
    overhead_s: FloatArray
    arithmetic_s: FloatArray  # of products alone, were memory no bound; not part of the total

    @property
    def total_s(self) -> FloatArray:
        """All parts together."""
        return self.compute_s + self.communication_s + self.overhead_s

    @property
    def compute_s(self) -> FloatArray:
        """Matrix products and attention."""
        return self.dense_s + self.experts_s + self.attention_s

    @property
    def communication_s(self) -> FloatArray:
        """All that waits for other GPUs."""
        return self.tp_s + self.ep_s + self.pp_s


def decode_step(cases: Cases, sequences: FloatArray, context: FloatArray, fabric: Fabric | None = None) -> Parts:
    """One token of every sequence, through all stages of the pipeline.

    Parameters
    ----------
    cases : n_cases of them.
    sequences : running on the worker; stages of a pipeline have ``sequences / pp`` each at a time, and wait for the fullest
        one where all of them work.
    context : tokens that a new one attends to, on average.
    fabric : what joins the GPUs; None where all of a worker are in one domain.
    """
    of, shapes, layouts = cases.constants.of, cases.shapes, cases.layouts
    tokens: FloatArray = (
        np.maximum(sequences / layouts.pp, 1.0) * cases.accepted_tokens
    )  # of a stage, all ranks together
    a_rank: FloatArray = np.maximum(tokens / layouts.attention_dp, 1.0)
    running = a_rank / cases.accepted_tokens
    power = of("overlap_power")
    turns = np.where(
        sequences >= layouts.pp, layouts.pp * stage_share(cases), 1.0
    )  # of the fullest stage, over all layers
    attention = turns * power_mean(
        running * _read_bytes(cases, context) / (of("kv_efficiency") * cases.gpus.memory_byte_s),
        a_rank
        * attention_flops(cases, context, shapes.decode_attention_width)
        / layouts.tp
        / (of("attention_efficiency") * cases.gpus.bf16_flop_s),
        power,
    )
    message: FloatArray = a_rank * shapes.hidden * BF16_BYTES
    reduce_s = all_reduce_s(cases, message, layouts.tp, fabric)
    spread = (layouts.attention_dp > 1) & (layouts.expert_ranks > 1)
    exchange = np.where(spread, exchange_s(cases, tokens / layouts.expert_ranks, fabric), 0.0)
    kernels = shapes.block_pairs * (of("layer_s") + of("host_layer_s")) + shapes.moe_layers * (
        of("moe_layer_s") + of("block_scale_layer_s")
    )
    dense, dense_flops = _decode_dense(cases, a_rank, turns, power)
    experts, expert_flops = (turns * one for one in _decode_experts(cases, tokens, power))
    return Parts(
        dense_s=dense,
        experts_s=np.where(cases.is_moe, experts, 0.0),
        attention_s=attention,
        tp_s=turns * ALL_REDUCES * shapes.block_pairs * of("all_reduce_wait") * reduce_s,
        ep_s=turns * shapes.moe_layers * of("expert_wait") * exchange,
        pp_s=np.where(layouts.pp > 1, layouts.pp * hop_s(cases, message / layouts.tp, fabric), 0.0),
        overhead_s=turns * kernels + of("step_s") + of("sequence_s") * a_rank,  # every rank schedules its own
        arithmetic_s=dense_flops + expert_flops,
    )


def decode_bytes(cases: Cases, sequences: FloatArray) -> dict[str, FloatArray]:
    """What one GPU sends in a decode step of its stage, by kind: all-reduces, dispatch and combination, hand-over. [B]"""
    shapes, layouts = cases.shapes, cases.layouts
    tokens = np.maximum(sequences / layouts.pp, 1.0) * cases.accepted_tokens
    message = np.maximum(tokens / layouts.attention_dp, 1.0) * shapes.hidden * BF16_BYTES
    ranks = layouts.expert_ranks
    a_token = shapes.top_k * shapes.expert_hidden * (DISPATCH_BYTES + COMBINE_BYTES)
    spread = (layouts.attention_dp > 1) & (ranks > 1)
    return {
        "tp": ALL_REDUCES * shapes.block_pairs / layouts.pp * message * 2 * (layouts.tp - 1) / layouts.tp,
        "ep": np.where(spread, shapes.moe_layers / layouts.pp * tokens / ranks * a_token * (ranks - 1) / ranks, 0.0),
        "pp": np.where(layouts.pp > 1, message / layouts.tp, 0.0),
    }


def prefill_token(cases: Cases, fabric: Fabric | None = None) -> Parts:
    """One token of a prompt through all layers, in chunks, with all ranks of the worker busy.

    A pipeline with several prompts in flight takes the fullest stage's share of it a token, one prompt alone takes all of it.
    """
    of, shapes, layouts, prompt = cases.constants.of, cases.shapes, cases.layouts, cases.load.input_tokens
    chunk: FloatArray = np.minimum(CHUNK_TOKENS, prompt)
    power, wide = of("overlap_power"), layouts.tp * layouts.attention_dp
    memory_byte_s = cases.gpus.memory_byte_s
    dense = power_mean(
        FLOP_A_WEIGHT
        * dense_parameters(cases)
        / wide
        / (of("prefill_efficiency_dense") * of_size(_dense_size(cases, chunk), of("prefill_size_dense")))
        / cases.gpus.dense_flop_s,
        dense_parameters(cases)
        * cases.precisions.dense_bytes
        / wide
        / (of("memory_efficiency_dense") * memory_byte_s)
        / chunk,
        power,
    )
    a_token = shapes.moe_layers * shapes.top_k * shapes.expert_parameters
    experts = of("untuned_experts") * power_mean(
        FLOP_A_WEIGHT
        * a_token
        / layouts.expert_ranks
        / (of("prefill_efficiency_expert") * of_size(_expert_size(cases, chunk), of("prefill_size_expert")))
        / cases.gpus.expert_flop_s,
        _touched_share(cases, chunk * layouts.attention_dp)
        * routed_parameters(cases)
        * cases.precisions.expert_bytes
        / layouts.expert_ranks
        / (of("memory_efficiency_expert") * memory_byte_s)
        / (chunk * layouts.attention_dp),
        power,
    )
    attention = attention_flops(cases, prompt / 2, shapes.attention_width) / wide
    message: FloatArray = chunk * shapes.hidden * BF16_BYTES
    spread = (layouts.attention_dp > 1) & (layouts.expert_ranks > 1)
    exchange = exchange_s(cases, chunk * layouts.attention_dp / layouts.expert_ranks, fabric)
    return Parts(
        dense_s=dense,
        experts_s=np.where(cases.is_moe, experts, 0.0),
        attention_s=attention / (of("attention_efficiency") * cases.gpus.bf16_flop_s),
        tp_s=ALL_REDUCES
        * shapes.block_pairs
        * all_reduce_s(cases, message, layouts.tp, fabric)
        / chunk
        / layouts.attention_dp,
        ep_s=np.where(spread, shapes.moe_layers * exchange / chunk / layouts.attention_dp, 0.0),
        pp_s=np.where(layouts.pp > 1, (layouts.pp - 1) * hop_s(cases, message / layouts.tp, fabric) / chunk, 0.0),
        overhead_s=shapes.block_pairs * (of("prefill_layer_s") + of("host_layer_s")) / chunk / layouts.attention_dp,
        arithmetic_s=dense + np.where(cases.is_moe, experts, 0.0),
    )


def _decode_dense(
    cases: Cases, a_rank: FloatArray, turns: FloatArray, power: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Weights that every token passes through, the head in BF16 among them; ``turns`` over all layers."""
    of, shapes, gpus, tp = cases.constants.of, cases.shapes, cases.gpus, cases.layouts.tp
    dense, head = turns * dense_parameters(cases), shapes.head_parameters
    stored = dense * cases.precisions.dense_bytes + head * BF16_BYTES
    flops = FLOP_A_WEIGHT * a_rank * (dense + head) / tp / (of("decode_efficiency_dense") * gpus.dense_flop_s)
    return power_mean(stored / tp / (of("memory_efficiency_dense") * gpus.memory_byte_s), flops, power), flops


def _decode_experts(cases: Cases, tokens: FloatArray, power: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Experts that the step's tokens touch; with expert parallelism the GPU with most of them counts."""
    of, shapes, gpus, ranks = cases.constants.of, cases.shapes, cases.gpus, cases.layouts.expert_ranks
    stored = _touched_share(cases, tokens) * routed_parameters(cases) * cases.precisions.expert_bytes
    flops = FLOP_A_WEIGHT * tokens * shapes.moe_layers * shapes.top_k * shapes.expert_parameters
    products = flops / ranks / (of("decode_efficiency_expert") * gpus.expert_flop_s)
    time_s = power_mean(stored / ranks / (of("memory_efficiency_expert") * gpus.memory_byte_s), products, power)
    return time_s * (1 + of("expert_imbalance") * (cases.layouts.ep > 1)) * of("untuned_experts"), products


def _touched_share(cases: Cases, tokens: FloatArray) -> FloatArray:
    """Share of a layer's experts that at least one of ``tokens`` goes to, each token to ``top_k`` of them at random."""
    missed = np.log1p(-np.minimum(cases.shapes.top_k / np.maximum(cases.shapes.experts, 1), 1 - 1e-12))
    return -np.expm1(tokens * missed)


def _read_bytes(cases: Cases, context: FloatArray) -> FloatArray:
    """Cache that one sequence reads for a token, and its state read and written. [B]"""
    shapes, layouts = cases.shapes, cases.layouts
    seen = np.where(shapes.index_top_k > 0, np.minimum(context, shapes.index_top_k), context)
    split = np.where(shapes.is_mla, 1.0, np.minimum(layouts.tp, np.maximum(shapes.kv_heads, 1)))
    values = (
        shapes.full_layers * shapes.kv_values * shapes.entries_per_token * seen
        + shapes.window_layers * shapes.window_kv_values * np.minimum(context, shapes.window)
    ) / split + shapes.index_layers * shapes.index_values * context
    state = 2 * shapes.linear_layers * shapes.state_values * STATE_BYTES / layouts.tp
    return values * cases.precisions.kv_bytes + state


def attention_flops(cases: Cases, context: FloatArray, width: FloatArray) -> FloatArray:
    """Operations of attention a token that attends to ``context`` tokens, all layers and heads."""
    shapes = cases.shapes
    seen = np.where(shapes.index_top_k > 0, np.minimum(context, shapes.index_top_k), context)
    near = shapes.window_layers * shapes.window_attention_width * np.minimum(context, shapes.window)
    index = shapes.index_layers * shapes.index_width * context / 2
    full = shapes.full_layers * width * shapes.entries_per_token * seen
    return FLOP_A_PAIR * (full + near + index) + shapes.linear_layers * shapes.state_flops


def _dense_size(cases: Cases, chunk: FloatArray) -> FloatArray:
    """Harmonic mean of the sides of a matrix product: tokens, width, and the block's share of its width."""
    hidden = cases.shapes.hidden
    return 3 / (1 / chunk + 1 / hidden + cases.layouts.tp / (3.0 * hidden))


def _expert_size(cases: Cases, chunk: FloatArray) -> FloatArray:
    """The same of an expert, which sees few tokens."""
    shapes, layouts = cases.shapes, cases.layouts
    an_expert = chunk * layouts.attention_dp * np.maximum(shapes.top_k, 1) / np.maximum(shapes.experts, 1)
    width = np.maximum(shapes.expert_ffn, 1) / layouts.moe_tp
    return 3 / (1 / an_expert + 1 / np.maximum(shapes.expert_hidden, 1) + 1 / width)


def of_size(size: FloatArray, half: FloatArray) -> FloatArray:
    """Share of the rate of large products that one of a given size reaches."""
    return size / (size + half)


def power_mean(first: FloatArray, second: FloatArray, power: FloatArray) -> FloatArray:
    """Time of two things that overlap in part: the larger one at a high power, their sum at 1."""
    larger, smaller = np.maximum(first, second), np.minimum(first, second)
    return larger * (1 + (smaller / np.maximum(larger, _TINY)) ** power) ** (1 / power)
