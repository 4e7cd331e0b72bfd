"""A single batch without serving around it: prefill and decode of a decoder run from PyTorch, on one path or another.

The structure is that of serving (parts bound by memory or arithmetic, kernels, collectives), with constants of its own: layers
are launched from Python in prefill, so a short prompt waits for the host, and collectives are NCCL's. Over host memory (peer
access off, or none) an all-reduce goes through the processor's memory at a tenth of the rate.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from estimator.catalog.records import Gpu
from estimator.units import BoolArray, FloatArray
from estimator.workloads.models.columns import ShapeColumns
from estimator.workloads.paths.inside import HOST_MEMORY, NVLINK
from estimator.workloads.serving.cases import BF16_BYTES, TERA
from estimator.workloads.serving.collectives import host_all_reduce_s
from estimator.workloads.serving.constants import Constants
from estimator.workloads.serving.phases import ALL_REDUCES, FLOP_A_PAIR, FLOP_A_WEIGHT, of_size, power_mean

BARE_LAYERS = "bare_layers"  # feature: layers alone, from a graph, without embedding, head and sampling
NO_COMMUNICATION = "no_communication"  # feature: what one rank takes by itself
DECODER = "decoder"
HOST_POWER = 6.0  # device and host run side by side: nearly the slower of the two
_SIDES = 3  # of a matrix product
_TINY = 1e-12


@dataclass(frozen=True)
class Batches:
    """Batches as columns, one entry each, shape (n_batches,)."""

    shapes: ShapeColumns
    memory_byte_s: FloatArray
    peak_flop_s: FloatArray
    tp: FloatArray
    pp: FloatArray
    batch: FloatArray
    tokens: FloatArray  # of the prompt, or of the context that a new token attends to
    over_host: BoolArray
    is_bare: BoolArray
    communicates: BoolArray

    @property
    def reduces(self) -> BoolArray:
        """Whether layers end in all-reduces."""
        return (self.tp > 1) & self.communicates

    @property
    def width(self) -> FloatArray:
        """Weights of all layers."""
        return np.asarray(self.shapes.matrix_parameters, dtype=np.float64)


def batches_of(
    shapes: ShapeColumns,
    gpus: Sequence[Gpu],
    paths: Sequence[str],
    features: Sequence[Sequence[str]],
    **numbers: FloatArray,
) -> Batches:
    """Batches of as many models as GPUs, paths and features; ``numbers``: tp, pp, batch and tokens."""
    return Batches(
        shapes=shapes,
        memory_byte_s=np.array([gpu.memory_tb_s * TERA for gpu in gpus]),
        peak_flop_s=np.array([gpu.bf16_dense_tflops * TERA for gpu in gpus]),
        over_host=np.array([path == HOST_MEMORY for path in paths]),
        is_bare=np.array([BARE_LAYERS in names for names in features]),
        communicates=np.array([NO_COMMUNICATION not in names for names in features]),
        **numbers,
    )


def decode_s(batches: Batches, constants: Constants) -> FloatArray:
    """One token of every sequence of a batch, from a CUDA graph. [s]"""
    return _all_stages_s(batches, constants) + _hops(batches, constants, batches.batch * _width_bytes(batches))


def stage_s(batches: Batches, constants: Constants) -> FloatArray:
    """The same of the fullest stage of the pipeline, by itself. [s]"""
    layers = batches.shapes.layers
    return _all_stages_s(batches, constants) * np.ceil(layers / batches.pp) / layers


def _all_stages_s(batches: Batches, constants: Constants) -> FloatArray:
    value, shapes, tp = constants.value, batches.shapes, batches.tp
    stored = batches.width + shapes.head_parameters
    products = power_mean(
        stored * BF16_BYTES / tp / (value("batch_memory_efficiency") * batches.memory_byte_s),
        FLOP_A_WEIGHT
        * batches.batch
        * stored
        / tp
        / (value("batch_decode_efficiency") * batches.peak_flop_s * _rested(batches, constants)),
        np.full(1, value("batch_overlap_power")),
    )
    heads = np.maximum(shapes.kv_heads, 1)
    units = batches.batch * heads / tp  # of work that a kernel of attention is split into
    cache = shapes.full_layers * shapes.kv_values * batches.tokens * BF16_BYTES / np.minimum(tp, heads)
    attention = batches.batch * cache / (value("batch_kv_efficiency") * batches.memory_byte_s)
    attention *= (units + value("batch_kv_half_units")) / units
    message = batches.batch * _width_bytes(batches)
    link = (
        value("batch_all_reduce_s")
        + value("batch_all_reduce_rank_s") * (tp - 2)
        + _ring_bytes(batches, message) / value("batch_all_reduce_byte_s")
    )
    reduce_s = np.where(batches.over_host, _over_host(batches, constants, message), link)
    kernels = shapes.layers * _own(batches, constants, "batch_layer_s") + _own(batches, constants, "batch_step_s")
    return products + attention + kernels + np.where(batches.reduces, ALL_REDUCES * shapes.layers * reduce_s, 0.0)


def prefill_s(batches: Batches, constants: Constants) -> FloatArray:
    """All prompts of a batch in one pass, to the first token. [s]"""
    value, shapes, tp = constants.value, batches.shapes, batches.tp
    tokens = batches.batch * batches.tokens
    width = np.maximum(shapes.ffn, 1)
    rate = value("batch_prefill_efficiency") * batches.peak_flop_s
    rate = rate * of_size(
        _SIDES / (1 / tokens + 1 / shapes.hidden + tp / width), np.full(1, value("batch_prefill_size"))
    )
    products = FLOP_A_WEIGHT * tokens * batches.width / tp / rate
    pairs = tokens * batches.tokens / 2
    attention = FLOP_A_PAIR * shapes.attention_width * shapes.full_layers * pairs / tp
    attention = attention / (value("batch_attention_efficiency") * batches.peak_flop_s)
    traffic = value("batch_traffic_values") * shapes.hidden * tokens * shapes.layers / batches.memory_byte_s
    head = FLOP_A_WEIGHT * batches.batch * shapes.head_parameters / tp / batches.peak_flop_s
    message = tokens * _width_bytes(batches)
    link = value("batch_prefill_all_reduce_s") + _ring_bytes(batches, message) / value(
        "batch_prefill_all_reduce_byte_s"
    )
    reduce_s = np.where(batches.over_host, _over_host(batches, constants, message), link)
    calls = np.where(batches.reduces, ALL_REDUCES * shapes.layers, 0)
    device = (products + attention + traffic + head) / _rested(batches, constants) + calls * reduce_s
    host = shapes.layers * _own(batches, constants, "batch_host_layer_s")
    host = host + calls * _own(batches, constants, "batch_host_call_s")
    return power_mean(device, np.maximum(host, _TINY), np.full(1, HOST_POWER)) + _hops(batches, constants, message)


def _own(batches: Batches, constants: Constants, name: str) -> FloatArray:
    """A constant of the whole decoder, or of layers alone."""
    return np.where(batches.is_bare, constants.value(name, BARE_LAYERS), constants.value(name, DECODER))


def _rested(batches: Batches, constants: Constants) -> FloatArray:
    """How much faster products are on a GPU that waits for the other stages half of the time: it has power to spare."""
    return np.where(batches.pp > 1, constants.value("batch_rested"), 1.0)


def _width_bytes(batches: Batches) -> FloatArray:
    return np.asarray(batches.shapes.hidden * BF16_BYTES)


def _ring_bytes(batches: Batches, message: FloatArray) -> FloatArray:
    return message * 2 * (batches.tp - 1) / batches.tp


def _over_host(batches: Batches, constants: Constants, message: FloatArray) -> FloatArray:
    return host_all_reduce_s(constants, _ring_bytes(batches, message), batches.tp)


def _hops(batches: Batches, constants: Constants, message: FloatArray) -> FloatArray:
    """From stage to stage: one batch passes each boundary once."""
    rate = np.where(
        batches.over_host,
        constants.value("batch_hop_byte_s", HOST_MEMORY),
        constants.value("batch_hop_byte_s", NVLINK),
    )
    return (batches.pp - 1) * (constants.value("batch_hop_s") + message / rate)
