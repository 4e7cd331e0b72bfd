"""Bytes on the fullest GPU of a training job: weights, gradients, optimizer and activations.

Activations follow Korthikanti et al. (arXiv 2205.05198, section 4) with flash attention: what each layer keeps for its
backward pass, times the micro-batches that are in flight on the first stage.
"""

from dataclasses import dataclass

import numpy as np

from estimator.units import BoolArray, FloatArray
from estimator.workloads.training.columns import Steps
from estimator.workloads.training.constants import Constants
from estimator.workloads.training.stages import stages_of
from estimator.workloads.training.traffic import ADAPTER_SHARE, parameters_of

WEIGHT_BYTES = 2.0  # BF16, or FP8 and its transpose
FROZEN_LOW_BYTES = 1.0  # of weights that are not trained, in FP8 or FP4
GRADIENT_BYTES = 2.0  # summed and reduced in BF16, as current recipes do
VALUE_BYTES = 2.0
SELECTIVE, FULL = 1, 2


@dataclass(frozen=True)
class Memory:
    """Bytes a GPU, shape (n_steps,)."""

    weights: FloatArray
    gradients: FloatArray
    optimizer: FloatArray
    activations: FloatArray
    usable: FloatArray  # what a job can have of the GPU's memory

    @property
    def total(self) -> FloatArray:
        """All parts together."""
        return np.asarray(self.weights + self.gradients + self.optimizer + self.activations)

    @property
    def fits(self) -> BoolArray:
        """Whether it is there."""
        return np.asarray(self.total <= self.usable)


def memory_of(steps: Steps, constants: Constants) -> Memory:
    """Memory of steps, of the stage that holds most parameters and the one that keeps most activations."""
    layouts, machines = steps.layouts, steps.machines
    parameters = parameters_of(steps)
    held = parameters.dense + parameters.experts
    share = np.minimum(parameters.dense_ranks, layouts.shard_gpus)
    sharded = parameters.dense / share + parameters.experts / parameters.expert_ranks
    trained = np.where(machines.is_lora, ADAPTER_SHARE, 1.0)
    zero = layouts.zero_stage
    weight = np.where(machines.is_low_precision & machines.is_lora, FROZEN_LOW_BYTES, WEIGHT_BYTES)
    return Memory(
        weights=weight * np.where(zero >= 3, sharded, held),
        gradients=GRADIENT_BYTES * trained * np.where(zero >= 2, sharded, held),
        optimizer=machines.state_bytes * trained * np.where(zero >= 1, sharded, held),
        activations=_activations(steps),
        usable=machines.memory_bytes * constants["usable_memory"],
    )


def _activations(steps: Steps) -> FloatArray:
    shapes, layouts, machines = steps.shapes, steps.layouts, steps.machines
    split = layouts.tp
    tokens = layouts.tokens
    whole = np.where(layouts.sequence_parallel, split, 1)  # what only sequence parallelism divides
    value = np.where(machines.is_low_precision, 1.0, VALUE_BYTES)  # of inputs of products
    value = np.where(machines.is_lora, 0.0, value)  # kept for gradients of weights, and frozen ones have none
    n_ffn = np.maximum(shapes.dense_layers + shapes.moe_layers, 1)
    wide = shapes.ffn * shapes.dense_layers + (shapes.shared_ffn + shapes.top_k * shapes.expert_ffn) * shapes.moe_layers
    matrices = np.where(shapes.is_gated, 2, 1)  # whose results the activation function keeps
    selective = np.where(layouts.recompute == SELECTIVE, 0.0, 1.0)  # norms and activation functions are done again
    norms = shapes.hidden * (2 * VALUE_BYTES + 2 * value * selective) / whole
    kv = np.where(shapes.is_mla, 2 * shapes.attention_width, shapes.kv_values)
    with_scores = shapes.attention_layers / np.maximum(shapes.layers, 1)
    attention = (2 * shapes.attention_width + kv) * VALUE_BYTES * with_scores / split
    dispatched = shapes.top_k * shapes.expert_hidden * value * (shapes.moe_layers / n_ffn) / split
    inner = wide / n_ffn * (matrices * VALUE_BYTES + value * selective) / split
    per_layer_ffn = n_ffn / np.maximum(shapes.layers, 1)  # in a hybrid, blocks are of one kind each
    a_layer = norms + attention + (dispatched + inner) * per_layer_ffn
    boundary = shapes.hidden * VALUE_BYTES / whole
    is_full = layouts.recompute == FULL
    n_micro = layouts.micro_batches
    interleaved = 1 + (layouts.pp - 1) / (layouts.pp * layouts.virtual_stages)
    in_flight = np.minimum(n_micro, layouts.pp * np.where(layouts.virtual_stages > 1, interleaved, 1.0))
    stages = stages_of(shapes.layers, layouts.pp, layouts.virtual_stages)
    # the first stage has most in flight; the next has one less, and a layer more where the embedding counts as one
    held = np.maximum(stages.first * in_flight, stages.fullest * (in_flight - 1))
    kept = np.where(is_full, held * boundary + a_layer, held * a_layer)
    logits = np.where(layouts.pp > 1, 0.0, 4.0) * shapes.vocab / split  # the loss in FP32, on a stage that keeps little
    return np.asarray(tokens * (kept + logits))
