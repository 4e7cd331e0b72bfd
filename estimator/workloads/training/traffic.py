"""What the parallel groups of a step send: bytes, and seconds of one call by the model of collectives, nothing hidden yet.

All communication of a step goes through ``traffic_of``; a call is timed for its own group (ranks, and ranks a scale-up
domain) on the system's links. Ranks lie as Megatron-Core puts them: tensor parallelism inside, then context parallelism,
data parallelism, and pipeline stages farthest apart; experts over the ranks of a stage, one after another.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from estimator.units import BoolArray, FloatArray, IntArray
from estimator.workloads.paths.groups import Groups, GroupTimes, groups_of
from estimator.workloads.paths.hierarchy import GPU_MEMORY, levels_of
from estimator.workloads.training.columns import Steps
from estimator.workloads.training.stages import stages_of

VALUE_BYTES = 2  # of an activation, in BF16
GRADIENT_BYTES = 2
OLD_GRADIENT_BYTES = 4  # before gradients were reduced in BF16
ADAPTER_SHARE = 0.004  # of all parameters that LoRA trains: rank 16 on the attention of a 70B model


@dataclass(frozen=True)
class Call:
    """One kind of call of each step; shape (n_steps,)."""

    seconds: FloatArray  # of one call
    n_bytes: FloatArray  # that leave a rank
    level: IntArray  # the furthest that its group uses, an index into LEVELS

    def take(self, index: Any) -> Self:
        """Entries at these places."""
        return type(self)(self.seconds[index], self.n_bytes[index], self.level[index])

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The same kind of call of several systems, one system after another."""
        return cls(*(np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(cls)))


@dataclass(frozen=True)
class Traffic:
    """What steps send, by kind of parallelism."""

    tp: Call  # all-gather of a layer's activations
    cp: Call  # exchange of a layer's keys and values
    ep: Call  # all-to-all of a layer's tokens
    pp: Call  # hand-over between two stages
    dp: Call  # reduce-scatter of gradients and all-gather of weights, once
    gather: Call  # all-gather of the sharded weights of a rank (FSDP), once

    def take(self, index: Any) -> Self:
        """Entries at these places."""
        return type(self)(**{one.name: getattr(self, one.name).take(index) for one in fields(self)})

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The steps of several systems, one system after another."""
        return cls(**{one.name: Call.joined([getattr(part, one.name) for part in parts]) for one in fields(cls)})


@dataclass(frozen=True)
class Parameters:
    """Parameters on a rank of the fullest stage, shape (n_steps,): those that data parallelism shares, and experts."""

    dense: FloatArray
    experts: FloatArray
    of_all_stages: FloatArray  # on the ranks of one pipeline together
    dense_ranks: FloatArray  # that hold the same dense parameters
    expert_ranks: FloatArray


def parameters_of(steps: Steps) -> Parameters:
    """Parameters on a rank of the stage that holds most: the fullest, the first with the embedding, or the last with the head."""
    shapes, layouts = steps.shapes, steps.layouts
    n_experts = shapes.moe_layers * shapes.experts * shapes.expert_parameters
    a_layer = (shapes.matrix_parameters - n_experts) / shapes.layers
    own = n_experts / (shapes.layers * layouts.ep)  # a mean layer's, on a rank
    ends = shapes.head_parameters + shapes.mtp_parameters * (shapes.experts == 0)
    stages = stages_of(shapes.layers, layouts.pp, layouts.virtual_stages)
    has_both = np.where(layouts.pp == 1, ends, 0)
    first = stages.first * a_layer + shapes.embedding_parameters + has_both
    last = stages.last * a_layer + ends
    held = np.stack([stages.fullest * a_layer, first, np.where(layouts.pp == 1, 0, last)]) / layouts.tp
    experts = np.stack([stages.fullest * own, stages.first * own, np.where(layouts.pp == 1, 0, stages.last * own)])
    most = np.argmax(held + experts, axis=0)[None]
    replicas = layouts.dp * layouts.cp
    all_dense = shapes.layers * a_layer + shapes.embedding_parameters + ends
    return Parameters(
        dense=np.take_along_axis(held, most, 0)[0],
        experts=np.take_along_axis(experts, most, 0)[0],
        of_all_stages=all_dense / layouts.tp + shapes.layers * own,
        dense_ranks=replicas.astype(np.float64),
        expert_ranks=np.maximum(1.0, replicas * layouts.tp / layouts.ep),
    )


def traffic_of(steps: Steps, times: GroupTimes) -> Traffic:
    """Calls of steps on one system.

    Parameters
    ----------
    steps : of one system; shape (n_steps,).
    times : of that system's groups.
    """
    copies = _copies_of(steps)
    return Traffic(
        tp=_tensor(steps, times),
        cp=_context(steps, times),
        ep=_experts(steps, times),
        pp=_pipeline(steps, times),
        dp=_gradients(steps, times, copies),
        gather=_sharded_weights(steps, times, copies),
    )


def _tensor(steps: Steps, times: GroupTimes) -> Call:
    layouts, domain, activation = steps.layouts, steps.machines.domain_gpus, _activation_bytes(steps)
    groups = groups_of(layouts.tp, np.minimum(layouts.tp, domain))
    seconds = np.where(
        layouts.sequence_parallel,
        times.seconds("all_gather", groups, activation),
        times.seconds("all_reduce", groups, activation) / 2,  # half as many calls, each of both halves
    )
    return Call(seconds, _part(layouts.tp) * activation, levels_of(groups, times.columns))


def _context(steps: Steps, times: GroupTimes) -> Call:
    shapes, layouts = steps.shapes, steps.layouts
    inside = _inside(steps.machines.domain_gpus // layouts.tp, layouts.cp)
    heads = np.minimum(layouts.tp, np.maximum(shapes.kv_heads, 1))
    n_bytes = layouts.micro_batch * layouts.sequence * shapes.kv_values * VALUE_BYTES / heads
    groups = groups_of(layouts.cp, inside)
    seconds = times.seconds("all_gather", groups, n_bytes)
    return Call(seconds, _part(layouts.cp) * n_bytes, levels_of(groups, times.columns))


def _experts(steps: Steps, times: GroupTimes) -> Call:
    shapes, layouts = steps.shapes, steps.layouts
    inside = np.minimum(layouts.ep, steps.machines.domain_gpus)
    n_bytes = layouts.tokens / layouts.tp * shapes.expert_hidden * shapes.top_k * VALUE_BYTES
    groups = groups_of(layouts.ep, inside)
    seconds = times.seconds("alltoall", groups, n_bytes * _sent_once(steps, inside))
    return Call(seconds, _part(layouts.ep) * n_bytes, levels_of(groups, times.columns))


def _pipeline(steps: Steps, times: GroupTimes) -> Call:
    layouts = steps.layouts
    is_far, has_stages = layouts.n_gpus > steps.machines.domain_gpus, layouts.pp > 1
    n_bytes = _activation_bytes(steps) / layouts.tp
    seconds = times.seconds("sendrecv", groups_of(2, np.where(is_far, 1, 2)), n_bytes)
    apart = layouts.n_gpus // (layouts.pp * steps.machines.domain_gpus)  # domains between a stage and the next
    level = levels_of(groups_of(2, np.where(is_far, 1, 2), np.maximum(apart, 1)), times.columns)
    return Call(np.where(has_stages, seconds, 0.0), np.where(has_stages, n_bytes, 0.0), level)


@dataclass(frozen=True)
class _Copies:
    """Ranks that hold the same parameters, by which gradients are summed; shape (n_steps,)."""

    parameters: Parameters
    replicas: Any  # ranks of a group over which dense parameters are sharded
    experts: Any  # ranks that hold the same experts
    groups: Groups
    expert_groups: Groups
    is_whole: BoolArray  # each rank has whole weights, which are sharded for FSDP


def _copies_of(steps: Steps) -> _Copies:
    layouts, domain, parameters = steps.layouts, steps.machines.domain_gpus, parameters_of(steps)
    replicas = np.minimum(layouts.dp * layouts.cp, layouts.shard_gpus)
    inside = _inside(domain // layouts.tp, replicas)
    experts = parameters.expert_ranks.astype(np.int64)
    return _Copies(
        parameters=parameters,
        replicas=replicas,
        experts=experts,
        groups=groups_of(replicas, inside),
        expert_groups=groups_of(experts, _inside(domain // layouts.ep, experts)),
        is_whole=layouts.zero_stage < 3,
    )


def _gradients(steps: Steps, times: GroupTimes, copies: _Copies) -> Call:
    layouts, machines, replicas = steps.layouts, steps.machines, copies.replicas
    trained = np.where(machines.is_lora, ADAPTER_SHARE, 1.0)
    gradient = np.where(machines.unfused_attention, OLD_GRADIENT_BYTES, GRADIENT_BYTES)
    weight = machines.weight_bytes
    dense, own = copies.parameters.dense * trained, copies.parameters.experts * trained
    within_s = np.where(
        copies.is_whole,
        times.seconds("reduce_scatter", copies.groups, dense * gradient)
        + times.seconds("all_gather", copies.groups, dense * weight)
        + times.seconds("reduce_scatter", copies.expert_groups, own * gradient)
        + times.seconds("all_gather", copies.expert_groups, own * weight),
        0.0,
    )
    shards = layouts.dp * layouts.cp // np.maximum(replicas, 1)
    between = groups_of(shards, _inside(machines.domain_gpus // (layouts.tp * np.maximum(replicas, 1)), shards))
    between_bytes = np.where(shards > 1, dense / replicas * gradient, 0.0)
    within_bytes = (_part(replicas) * dense + _part(copies.experts) * own) * (gradient + weight)
    return Call(
        seconds=within_s + times.seconds("all_reduce", between, between_bytes),
        n_bytes=np.where(copies.is_whole, within_bytes, 0.0) + 2 * _part(shards) * dense / replicas * gradient,
        level=np.maximum(_copies_level(copies, times), levels_of(between, times.columns)),
    )


def _sharded_weights(steps: Steps, times: GroupTimes, copies: _Copies) -> Call:
    parameters, weight = copies.parameters, steps.machines.weight_bytes
    gathered_s = times.seconds("all_gather", copies.groups, parameters.dense * weight) + times.seconds(
        "all_gather", copies.expert_groups, parameters.experts * weight
    )
    n_bytes = _part(copies.replicas) * (parameters.dense + parameters.experts) * weight
    return Call(
        seconds=np.where(copies.is_whole, 0.0, gathered_s),
        n_bytes=np.where(copies.is_whole, 0.0, n_bytes),
        level=_copies_level(copies, times),
    )


def _copies_level(copies: _Copies, times: GroupTimes) -> IntArray:
    of_experts = np.where(copies.parameters.experts > 0, levels_of(copies.expert_groups, times.columns), GPU_MEMORY)
    return np.maximum(levels_of(copies.groups, times.columns), of_experts)


def _activation_bytes(steps: Steps) -> FloatArray:
    """Of one layer, of a micro-batch."""
    return np.asarray(steps.layouts.tokens * steps.shapes.hidden * VALUE_BYTES)


def _inside(room: Any, ranks: Any) -> Any:
    """Ranks of a group in one scale-up domain, where ``room`` of them fit: a divisor-like share, at least 1."""
    return np.maximum(1, np.minimum(room, ranks))


def _part(ranks: Any) -> FloatArray:
    """(n − 1)/n: what leaves a rank."""
    return np.asarray(1.0 - 1.0 / np.maximum(ranks, 1))


def _sent_once(steps: Steps, inside: Any) -> FloatArray:
    """Bytes that cross domains where a token goes to a domain once, over those where it goes once for each expert."""
    domains = steps.layouts.ep / inside
    top_k = np.maximum(steps.shapes.top_k, 1)
    each = top_k * (domains - 1) / domains
    once = (domains - 1) * (1 - (1 - 1 / domains) ** top_k)
    return np.where(steps.machines.node_dispatch & (domains > 1), once / np.maximum(each, 1e-9), 1.0)
