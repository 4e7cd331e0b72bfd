"""Memory of a serving GPU: weights, cache of a sequence, and how many sequences fit."""

from dataclasses import dataclass

import numpy as np

from estimator.units import GIGA, BoolArray, FloatArray
from estimator.workloads.serving.cases import BF16_BYTES, Cases

USABLE = 0.9  # of the memory: engines leave a tenth to the allocator, as their defaults do
RESERVED_BYTES = 3 * GIGA  # context of the driver, buffers of collectives, graphs, workspaces
STATE_BYTES = 4.0  # a value of the state of a linear layer, kept in FP32
CHUNK_TOKENS = 8192.0  # tokens that one step of prefill takes at most; the engines' usual default
ACTIVATION_VALUES = 10.0  # a token and unit of width, of the chunk in flight


@dataclass(frozen=True)
class Memory:
    """Bytes on the fullest GPU, shape (n_cases,)."""

    weights_bytes: FloatArray
    activations_bytes: FloatArray
    sequence_bytes: FloatArray  # cache and state of one sequence of full length
    usable_bytes: FloatArray
    max_sequences: FloatArray  # of the worker; below 1 where not one fits
    kv_bytes: FloatArray  # of the load, as far as it fits

    @property
    def fits(self) -> BoolArray:
        """Whether at least one sequence has room beside the weights."""
        return np.asarray(self.max_sequences >= 1)

    @property
    def missing_bytes(self) -> FloatArray:
        """Bytes of one GPU that do not fit: weights, activations and one sequence over what is usable; 0 if they fit."""
        needed = self.weights_bytes + self.activations_bytes + RESERVED_BYTES + self.sequence_bytes
        return np.maximum(0.0, needed - self.usable_bytes)


def memory_of(cases: Cases) -> Memory:
    """Memory of every case; a sequence is counted at its full length, as it is at the end."""
    shapes, layouts, load = cases.shapes, cases.layouts, cases.load
    weights = weights_bytes(cases)
    activations = CHUNK_TOKENS * shapes.hidden * ACTIVATION_VALUES * BF16_BYTES / layouts.tp
    sequence = cache_bytes(cases, load.input_tokens + load.output_tokens) * stage_share(cases)
    usable = USABLE * cases.gpus.memory_bytes
    left = usable - weights - activations - RESERVED_BYTES
    most = np.maximum(0.0, left) / sequence * layouts.attention_dp
    held = np.minimum(load.concurrency, most) / layouts.attention_dp * sequence
    shape = np.broadcast_shapes(*(one.shape for one in (weights, activations, sequence, usable, most, held)))
    return Memory(*(np.broadcast_to(one, shape) for one in (weights, activations, sequence, usable, most, held)))


def weights_bytes(cases: Cases) -> FloatArray:
    """Weights of a GPU: its share of a stage's layers; a stage has whole layers, the fullest counts. [B]"""
    shapes, layouts, precisions = cases.shapes, cases.layouts, cases.precisions
    ends = (shapes.embedding_parameters + shapes.head_parameters) * BF16_BYTES / layouts.tp
    dense = dense_parameters(cases) * precisions.dense_bytes / layouts.tp
    experts = routed_parameters(cases) * precisions.expert_bytes / layouts.expert_ranks
    return stage_share(cases) * (dense + experts) + ends / np.minimum(layouts.pp, 2.0)


def stage_share(cases: Cases) -> FloatArray:
    """Share of all layers that the fullest stage of the pipeline has: stages have whole layers."""
    layers = cases.shapes.layers
    return np.asarray(np.ceil(layers / cases.layouts.pp) / np.maximum(layers, 1))


def dense_parameters(cases: Cases) -> FloatArray:
    """Weights of all layers that every token passes through: attention, dense blocks, shared experts, routers."""
    shapes = cases.shapes
    return np.asarray(
        shapes.full_layers * shapes.attention_parameters
        + shapes.window_layers * shapes.window_attention_parameters
        + shapes.linear_layers * shapes.linear_parameters
        + shapes.dense_layers * shapes.dense_parameters
        + shapes.moe_layers * (shapes.shared_parameters + shapes.router_parameters),
        dtype=np.float64,
    )


def routed_parameters(cases: Cases) -> FloatArray:
    """Weights of all routed experts of all layers."""
    shapes = cases.shapes
    return np.asarray(shapes.moe_layers * shapes.experts * shapes.expert_parameters, dtype=np.float64)


def cache_bytes(cases: Cases, tokens: FloatArray) -> FloatArray:
    """Cache and state of one sequence on one GPU of all stages together. [B]

    Heads of a cache are split over tensor-parallel ranks as far as there are heads; a latent cache is on every rank whole.
    """
    shapes, kv_bytes = cases.shapes, cases.precisions.kv_bytes
    split = np.where(shapes.is_mla, 1.0, np.minimum(cases.layouts.tp, np.maximum(shapes.kv_heads, 1)))
    full = shapes.full_layers * shapes.kv_values * shapes.entries_per_token * tokens
    near = shapes.window_layers * shapes.window_kv_values * np.minimum(tokens, shapes.window)
    index = shapes.index_layers * shapes.index_values * tokens
    state = shapes.linear_layers * shapes.state_values * STATE_BYTES / cases.layouts.tp
    return ((full + near) / split + index) * kv_bytes + state
