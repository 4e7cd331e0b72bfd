"""What the parallel groups of a step send: bytes, and seconds of one call by the model of collectives, nothing hidden yet.

All communication of a step goes through ``traffic_of``; a call is timed for its own group (ranks, and ranks a scale-up
domain) on the system's links. Ranks lie as Megatron-Core puts them: tensor parallelism inside, then context parallelism,
data parallelism, and pipeline stages farthest apart; experts over the ranks of a stage, one after another.
"""

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from estimator.units import BoolArray, FloatArray
from estimator.workloads.paths.groups import GroupTimes, groups_of
from estimator.workloads.training.columns import Steps

VALUE_BYTES = 2  # of an activation, in BF16
GRADIENT_BYTES = 2
OLD_GRADIENT_BYTES = 4  # before gradients were reduced in BF16


@dataclass(frozen=True)
class Traffic:
    """Seconds of one call, parameters on a rank and bytes; shape (n_steps,)."""

    tp_s: FloatArray  # all-gather of a layer's activations
    cp_s: FloatArray  # exchange of a layer's keys and values
    ep_s: FloatArray  # all-to-all of a layer's tokens
    pp_s: FloatArray  # hand-over between two stages
    dp_s: FloatArray  # reduce-scatter of gradients and all-gather of weights, once
    gather_s: FloatArray  # all-gather of the sharded weights of a rank (FSDP), once
    tp_bytes: FloatArray
    cp_bytes: FloatArray
    ep_bytes: FloatArray
    pp_bytes: FloatArray
    dp_bytes: FloatArray
    gather_bytes: FloatArray
    tp_crosses: BoolArray  # its group does not fit a scale-up domain
    cp_crosses: BoolArray
    ep_crosses: BoolArray
    pp_crosses: BoolArray
    dp_crosses: BoolArray
    gather_crosses: BoolArray

    def take(self, index: Any) -> Self:
        """Entries at these places."""
        return type(self)(**{one.name: getattr(self, one.name)[index] for one in fields(self)})


@dataclass(frozen=True)
class Parameters:
    """Parameters on one rank, shape (n_steps,): those that all ranks of data parallelism share, and experts."""

    dense: FloatArray
    experts: FloatArray
    dense_ranks: FloatArray  # that hold the same dense parameters
    expert_ranks: FloatArray


def parameters_of(steps: Steps) -> Parameters:
    """Parameters on a rank; embeddings are spread over all stages, though two of them hold them."""
    shapes, layouts = steps.shapes, steps.layouts
    split = layouts.tp * layouts.pp
    shared = (
        shapes.matrix_parameters
        - shapes.moe_layers * shapes.experts * shapes.expert_parameters
        + shapes.embedding_parameters
        + shapes.head_parameters
        + shapes.mtp_parameters * (shapes.experts == 0)
    )
    experts = shapes.moe_layers * shapes.experts * shapes.expert_parameters / (layouts.ep * layouts.pp)
    replicas = layouts.dp * layouts.cp
    return Parameters(
        dense=shared / split,
        experts=experts,
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
    shapes, layouts, machines = steps.shapes, steps.layouts, steps.machines
    domain = machines.domain_gpus
    parameters = parameters_of(steps)
    tokens = layouts.tokens
    activation = tokens * shapes.hidden * VALUE_BYTES

    tp_groups = groups_of(layouts.tp, np.minimum(layouts.tp, domain))
    cp_inside = _inside(domain // layouts.tp, layouts.cp)
    cp_bytes = (
        layouts.micro_batch
        * layouts.sequence
        * shapes.kv_values
        * VALUE_BYTES
        / np.minimum(layouts.tp, np.maximum(shapes.kv_heads, 1))
    )
    ep_inside = np.minimum(layouts.ep, domain)
    ep_bytes = tokens / layouts.tp * shapes.expert_hidden * shapes.top_k * VALUE_BYTES
    far = layouts.n_gpus > domain
    pp_bytes = activation / layouts.tp
    replicas = np.minimum(layouts.dp * layouts.cp, layouts.shard_gpus)
    dp_inside = _inside(domain // layouts.tp, replicas)
    experts = parameters.expert_ranks.astype(np.int64)
    expert_inside = _inside(domain // layouts.ep, experts)
    trained = np.where(machines.is_lora, ADAPTER_SHARE, 1.0)
    gradient = np.where(machines.unfused_attention, OLD_GRADIENT_BYTES, GRADIENT_BYTES)
    dense, own = parameters.dense * trained, parameters.experts * trained
    dp_groups, expert_groups = groups_of(replicas, dp_inside), groups_of(experts, expert_inside)
    weight = machines.weight_bytes
    is_dp = layouts.zero_stage < 3
    dp_s = np.where(
        is_dp,
        times.seconds("reduce_scatter", dp_groups, dense * gradient)
        + times.seconds("all_gather", dp_groups, dense * weight)
        + times.seconds("reduce_scatter", expert_groups, own * gradient)
        + times.seconds("all_gather", expert_groups, own * weight),
        0.0,
    )
    copies = layouts.dp * layouts.cp // np.maximum(replicas, 1)
    between = groups_of(copies, _inside(domain // (layouts.tp * np.maximum(replicas, 1)), copies))
    dp_s = dp_s + times.seconds("all_reduce", between, np.where(copies > 1, dense / replicas * gradient, 0.0))
    gather_s = np.where(
        is_dp,
        0.0,
        times.seconds("all_gather", dp_groups, parameters.dense * weight)
        + times.seconds("all_gather", expert_groups, parameters.experts * weight),
    )
    all_weights = parameters.dense + parameters.experts
    return Traffic(
        tp_s=np.where(
            layouts.sequence_parallel,
            times.seconds("all_gather", tp_groups, activation),
            times.seconds("all_reduce", tp_groups, activation) / 2,  # half as many calls, each of both halves
        ),
        cp_s=times.seconds("all_gather", groups_of(layouts.cp, cp_inside), cp_bytes),
        ep_s=times.seconds("alltoall", groups_of(layouts.ep, ep_inside), ep_bytes * _sent_once(steps, ep_inside)),
        pp_s=np.where(layouts.pp > 1, times.seconds("sendrecv", groups_of(2, np.where(far, 1, 2)), pp_bytes), 0.0),
        dp_s=dp_s,
        gather_s=gather_s,
        tp_bytes=_part(layouts.tp) * activation,
        cp_bytes=_part(layouts.cp) * cp_bytes,
        ep_bytes=_part(layouts.ep) * ep_bytes,
        pp_bytes=np.where(layouts.pp > 1, pp_bytes, 0.0),
        dp_bytes=np.where(is_dp, (_part(replicas) * dense + _part(experts) * own) * (gradient + weight), 0.0)
        + 2 * _part(copies) * dense / replicas * gradient,
        gather_bytes=np.where(is_dp, 0.0, _part(replicas) * all_weights * weight),
        tp_crosses=layouts.tp > domain,
        cp_crosses=layouts.cp > cp_inside,
        ep_crosses=layouts.ep > ep_inside,
        pp_crosses=(layouts.pp > 1) & far,
        dp_crosses=(layouts.dp * layouts.cp) > dp_inside,
        gather_crosses=replicas > dp_inside,
    )


ADAPTER_SHARE = 0.004  # of all parameters that LoRA trains: rank 16 on the attention of a 70B model


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
