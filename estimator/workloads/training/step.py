"""Seconds of a training step, part by part, for many steps at once (docs/training.md says why each term is there)."""

from dataclasses import dataclass, fields

import numpy as np

from estimator.units import FloatArray
from estimator.workloads.training.columns import Steps
from estimator.workloads.training.constants import Constants
from estimator.workloads.training.stages import stages_of
from estimator.workloads.training.traffic import Parameters, Traffic, parameters_of

TP_CALLS = 8.0  # a layer: two gathers and two scatters forward, as many backward
EP_CALLS = 4.0  # dispatch and combine, forward and backward
CP_CALLS = 3.0  # keys and values once forward, with their gradients twice backward
GATHERS = 3.0  # weights forward, weights backward, gradients
ATTENTION_PASSES = 3.5  # a flash kernel works 2.5 times as much backward
SELECTIVE, FULL = 1, 2
ALL_SHARDED = 3  # ZeRO's stage
SHARPNESS = 4.0  # of the smooth maximum of GPU and host


@dataclass(frozen=True)
class StepTimes:
    """Parts that add up to ``step_s``, shape (n_steps,). [s]"""

    compute: FloatArray
    attention: FloatArray
    memory: FloatArray
    tp: FloatArray
    cp: FloatArray
    ep: FloatArray
    pp_bubble: FloatArray
    pp_p2p: FloatArray
    dp_exposed: FloatArray
    optimizer: FloatArray
    host: FloatArray

    @property
    def step_s(self) -> FloatArray:
        """Seconds of the step."""
        return np.asarray(sum(getattr(self, one.name) for one in fields(self)))


@dataclass(frozen=True)
class _Layers:
    """A micro-batch through all layers on the GPUs of one (tp, cp) rank, before overlap with the host. [s]"""

    compute: FloatArray
    attention: FloatArray
    memory: FloatArray
    head: FloatArray
    tp: FloatArray
    cp: FloatArray
    ep: FloatArray
    host: FloatArray


def step_times(steps: Steps, traffic: Traffic, constants: Constants) -> StepTimes:
    """Parts of the step's time.

    Parameters
    ----------
    steps : models, layouts and machines, shape (n_steps,); layouts that the model and batch can have.
    traffic : of the same steps.
    constants : fitted and judged ones, in SI units.
    """
    k, layouts, machines = constants, steps.layouts, steps.machines
    parameters = parameters_of(steps)
    layers = _layers(steps, traffic, parameters, k)
    all_layers = _all_layers(layers)
    n_micro = layouts.micro_batches
    stage = _slowest_stage(steps, all_layers, layers.head)
    hand_over = np.where(layouts.pp > 1, k["pp_exposed"] * traffic.pp.seconds * 2 * layouts.virtual_stages, 0.0)
    gathers = GATHERS * traffic.gather.seconds
    fsdp = k.at(machines.fsdp_exposed) * np.minimum(gathers, stage) + np.maximum(gathers - stage, 0)
    bubble = (layouts.pp - 1) / layouts.virtual_stages * ((all_layers + layers.head) / layouts.pp + hand_over)
    bubble = np.where(layouts.zero_bubble, bubble / 3, bubble)
    exposed = k.at(machines.dp_exposed) * traffic.dp.seconds
    exposed = exposed + np.maximum(0.0, traffic.dp.seconds - exposed - k.at(machines.overlap_window) * stage)
    copied = np.where((layouts.dp > 1) & (layouts.zero_stage < ALL_SHARDED), k.at(machines.bucket_bytes), 0.0)
    exposed = exposed + copied * (parameters.dense + parameters.experts) / machines.memory_byte_s
    update = k.at(machines.optimizer_bytes) * _updated(steps, parameters) / machines.memory_byte_s
    factor = k.at(machines.stack) * machines.factor
    factor = factor * (1 + k["scale_loss"] * np.log2(np.maximum(layouts.n_gpus / 8, 1)))
    # the head and what the slowest stage waits for go with the products, in proportion
    busy = n_micro * (stage - np.where(layouts.pp > 1, 0, layers.head)) * factor / all_layers
    head = np.where(layouts.pp > 1, 0.0, n_micro * layers.head) * factor
    return StepTimes(
        compute=busy * layers.compute + head,
        attention=busy * layers.attention,
        memory=busy * layers.memory,
        tp=busy * layers.tp,
        cp=busy * layers.cp,
        ep=busy * layers.ep,
        pp_bubble=bubble * factor,
        pp_p2p=n_micro * hand_over * factor,
        dp_exposed=(n_micro * fsdp + exposed) * factor,
        optimizer=update * factor,
        host=busy * (all_layers - _on_device(layers)) + k.at(machines.step_seconds),
    )


@dataclass(frozen=True)
class StageTimes:
    """A micro-batch on stages of the pipeline, shape (n_steps,). [s]"""

    fullest: FloatArray  # that sets the step
    mean: FloatArray


def stage_times(steps: Steps, traffic: Traffic, constants: Constants) -> StageTimes:
    """Seconds of a micro-batch on the slowest stage and on a mean one; arguments as of ``step_times``."""
    layers = _layers(steps, traffic, parameters_of(steps), constants)
    whole = _all_layers(layers)
    return StageTimes(_slowest_stage(steps, whole, layers.head), (whole + layers.head) / steps.layouts.pp)


def _all_layers(layers: _Layers) -> FloatArray:
    """A micro-batch through all layers, the slower of GPU and host."""
    device = _on_device(layers)
    return np.asarray((device**SHARPNESS + layers.host**SHARPNESS) ** (1 / SHARPNESS))


def _on_device(layers: _Layers) -> FloatArray:
    return layers.compute + layers.attention + layers.memory + layers.tp + layers.cp + layers.ep


def _layers(steps: Steps, traffic: Traffic, parameters: Parameters, k: Constants) -> _Layers:
    shapes, layouts, machines = steps.shapes, steps.layouts, steps.machines
    tokens = layouts.tokens / layouts.tp  # of one tensor-parallel rank's share of the work
    is_full = layouts.recompute == FULL
    again = np.where(is_full, 1.0, 0.0)
    passes = np.where(machines.is_lora, 2.0, 3.0) + again
    moves = 1 + again / 3 + np.where(layouts.recompute == SELECTIVE, k["selective_moves"], 0.0)
    power = k.at(machines.power)
    rate = k.at(machines.gemm) * power * machines.peak_flops
    bf16_rate = k.at(machines.bf16_gemm) * power * machines.bf16_flops
    growth = (machines.peak_flops / machines.bf16_flops) ** k["gemm_size_growth"]

    width = shapes.ffn * (shapes.dense_layers > 0) + (shapes.shared_ffn + shapes.expert_ffn * shapes.top_k) * (
        shapes.moe_layers > 0
    )
    size = 3 / (1 / layouts.tokens + 1 / shapes.hidden + layouts.tp / np.maximum(width, 1))
    active = shapes.moe_layers * shapes.top_k * shapes.expert_parameters
    dense = shapes.active_matrix_parameters - active
    products = 2 * tokens * dense * passes / (rate * size / (size + k["gemm_size"] * growth))

    n_experts = np.maximum(shapes.experts, 1)
    routed = np.maximum(tokens * shapes.top_k * layouts.ep / n_experts, 1)
    expert_size = 3 / (1 / routed + 1 / np.maximum(shapes.expert_hidden, 1) + 1 / np.maximum(shapes.expert_ffn, 1))
    fused = np.where(machines.fused_experts, k["fused_experts_efficiency"], 1.0)
    grouped = rate * k["grouped_gemm_efficiency"] * fused
    experts = 2 * tokens * active * passes / (grouped * expert_size / (expert_size + k["grouped_gemm_size"] * growth))
    head = 2 * tokens * shapes.hidden * shapes.vocab * 3 * (1 + shapes.mtp) / (bf16_rate * k["head_efficiency"])

    return _Layers(
        compute=products + experts,
        attention=_attention(steps, k, tokens, again, power),
        memory=_memory(steps, k, tokens, moves, parameters),
        head=head,
        tp=k.at(machines.tp_exposed) * traffic.tp.seconds * TP_CALLS * (1 + again / 2) * shapes.block_pairs,
        cp=k["cp_exposed"] * traffic.cp.seconds * CP_CALLS * shapes.attention_layers,
        ep=k["ep_exposed"]
        * np.where(machines.ep_overlap, k["ep_overlap"], 1.0)
        * traffic.ep.seconds
        * EP_CALLS
        * (1 + again / 2)
        * shapes.moe_layers,
        host=_host(steps, k),
    )


def _attention(steps: Steps, k: Constants, tokens: FloatArray, again: FloatArray, power: FloatArray) -> FloatArray:
    """Scores and sums of softmax layers, and scans of layers with a state."""
    shapes, layouts, machines = steps.shapes, steps.layouts, steps.machines
    rate = k.at(machines.attention) * k.at(machines.attention_stack) * power * machines.bf16_flops
    context = layouts.sequence / 2
    seen = np.where(shapes.index_top_k > 0, np.minimum(np.maximum(shapes.index_top_k, 1), context), context)
    full = shapes.attention_width * shapes.full_layers * seen
    window = shapes.window_attention_width * shapes.window_layers * np.minimum(shapes.window, context)
    # every entry is scored by the index, whatever is attended to after it
    merged = shapes.entries_per_token * shapes.full_layers / np.maximum(shapes.index_layers, 1)
    index = shapes.index_layers * shapes.index_width * context * np.minimum(merged, 1.0) / 2
    softmax = 4 * tokens * (full + window + index) * (ATTENTION_PASSES + again) / rate
    scans = shapes.linear_layers * shapes.state_flops * tokens * 3 / (k["state_efficiency"] * machines.bf16_flops)
    return np.asarray(softmax + scans)


def _memory(steps: Steps, k: Constants, tokens: FloatArray, moves: FloatArray, parameters: Parameters) -> FloatArray:
    """What moves through memory beside products, and gaps between kernels."""
    shapes, layouts, machines = steps.shapes, steps.layouts, steps.machines
    layer = k.at(machines.layer_bytes) + k["quantize_bytes"] * machines.is_low_precision
    unfused = np.where(machines.has_expert_bias, k["expert_bias_factor"], 1.0)
    fused = np.where(machines.fused_experts, k["fused_experts_bytes"], 1.0)
    experts = (k["dispatch_bytes"] * shapes.expert_hidden + k["expert_ffn_bytes"] * unfused * shapes.expert_ffn) * fused
    streams = 1 + k["stream_factor"] * (shapes.residual_streams - 1)
    scores = k["unfused_attention_bytes"] * shapes.heads * layouts.sequence * shapes.attention_layers
    moved = (
        tokens
        * moves
        * (
            layer * shapes.hidden * shapes.block_pairs * streams
            + k["ffn_bytes"] * shapes.ffn * shapes.dense_layers
            + experts * shapes.top_k * shapes.moe_layers
        )
        + tokens * k["adapter_bytes"] * shapes.hidden * shapes.block_pairs * machines.is_lora
        + tokens * scores * machines.unfused_attention * (3 * moves - 2)
        + k["weight_bytes"] * parameters.of_all_stages * np.where(machines.is_lora, 0.4, 1.0)
    )
    gaps = k["layer_gap"] * shapes.block_pairs + k["expert_gap"] * shapes.moe_layers
    return np.asarray(moved / machines.memory_byte_s + np.where(machines.full_graphs, 0.3, 1.0) * gaps)


def _host(steps: Steps, k: Constants) -> FloatArray:
    """Seconds that the host needs to launch a micro-batch through all layers, once more forward where they are recomputed."""
    shapes, layouts, machines = steps.shapes, steps.layouts, steps.machines
    experts = np.where(machines.graphs, k["host_experts_graphs"], k["host_experts"])
    again = np.where(layouts.recompute == FULL, 1.0, 0.0)
    calls = np.where(layouts.tp > 1, TP_CALLS / 2 * (1 + again / 2), 0.0)
    layer = k.at(machines.host_layer) * (1 + again * k.at(machines.host_recompute)) + calls * k.at(machines.host_call)
    launched = layer * (shapes.layers - shapes.moe_layers) + experts * shapes.moe_layers
    return np.where(machines.full_graphs, 0.0, launched)


def _slowest_stage(steps: Steps, layers: FloatArray, head: FloatArray) -> FloatArray:
    """A micro-batch on the slowest stage: the one with most layers, or the last one with the head."""
    n_layers, layouts = steps.shapes.layers, steps.layouts
    stages, a_layer = stages_of(n_layers, layouts.pp, layouts.virtual_stages), layers / n_layers
    return np.maximum(stages.fullest * a_layer, stages.last * a_layer + head)


def _updated(steps: Steps, parameters: Parameters) -> FloatArray:
    """Parameters that one rank updates."""
    layouts = steps.layouts
    sharded = layouts.zero_stage > 0
    share = np.minimum(parameters.dense_ranks, layouts.shard_gpus)
    dense = parameters.dense / np.where(sharded, share, 1)
    experts = parameters.experts / np.where(sharded, parameters.expert_ranks, 1)
    return np.where(steps.machines.is_lora, 0.004, 1.0) * (dense + experts)
