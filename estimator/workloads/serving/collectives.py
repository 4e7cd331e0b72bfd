"""Communication of serving engines: their own all-reduces, experts' dispatch and combine, and what crosses the domain.

Inside a scale-up domain engines do not use NCCL for small messages: every GPU reads all others at once (one shot), or its
share of them and then the results (two shots), from inside a CUDA graph. Curves are fitted to published measurements
(``measured/all_reduce.csv``, ``measured/dispatch.csv``). A group that leaves the domain takes this product's own model of
collectives (``GroupTimes``).
"""

from dataclasses import dataclass

import numpy as np

from estimator.units import BoolArray, FloatArray
from estimator.workloads.paths.groups import GroupTimes, groups_of
from estimator.workloads.serving.cases import BF16_BYTES, Cases
from estimator.workloads.serving.constants import Picked

DISPATCH_BYTES, COMBINE_BYTES = 1.0, BF16_BYTES  # a value of a token on its way to its experts, and back


@dataclass(frozen=True)
class Fabric:
    """What joins the GPUs of a system: size of the domain, NIC of a GPU, and times of groups that leave the domain."""

    domain_gpus: int
    nic_byte_s: float
    times: GroupTimes | None = None

    @classmethod
    def of(cls, times: GroupTimes) -> "Fabric":
        """The fabric that a table of group times was made for."""
        columns = times.columns
        a_node = columns.nic_byte_s * columns.nics_per_node
        return cls(times.domain_gpus, float((a_node / columns.gpus_per_node)[0]), times)


def engine_all_reduce_s(constants: Picked, message_bytes: FloatArray, ranks: FloatArray) -> FloatArray:
    """An engine's all-reduce among ``ranks`` GPUs of one domain: the faster of one shot and two. [s]; 0 for one rank."""
    of = constants.of
    one = of("one_shot_s") + of("one_shot_rank_s") * (ranks - 2) + message_bytes * (ranks - 1) / of("one_shot_byte_s")
    two = of("two_shot_s") + 2 * message_bytes * (ranks - 1) / ranks / of("two_shot_byte_s")
    return np.where(ranks > 1, np.minimum(one, two), 0.0)


def all_reduce_s(cases: Cases, message_bytes: FloatArray, ranks: FloatArray, fabric: Fabric | None) -> FloatArray:
    """All-reduce of a tensor-parallel group: the engine's inside a domain, the collective model's beyond. [s]"""
    inside = engine_all_reduce_s(cases.constants, message_bytes, ranks)
    crosses = crosses_domain(ranks, fabric)
    if fabric is None or fabric.times is None or not crosses.any():
        return inside
    sizes = np.broadcast_to(message_bytes, np.broadcast_shapes(message_bytes.shape, ranks.shape))
    groups = groups_of(np.broadcast_to(ranks, sizes.shape).astype(np.int64), fabric.domain_gpus)
    return np.where(crosses, fabric.times.seconds("all_reduce", groups, sizes), inside)


def exchange_s(cases: Cases, tokens_per_rank: FloatArray, fabric: Fabric | None) -> FloatArray:
    """Dispatch of tokens to their experts and combination of what these return, one layer. [s]"""
    ranks = cases.layouts.expert_ranks
    values = tokens_per_rank * cases.shapes.top_k * cases.shapes.expert_hidden
    if fabric is None or not crosses_domain(ranks, fabric).any():
        return exchange_of(cases.constants, values, ranks, np.ones(1), np.ones(1))
    domains = np.maximum(1.0, np.ceil(ranks / fabric.domain_gpus))
    return exchange_of(cases.constants, values, ranks, domains, np.array([max(fabric.nic_byte_s, 1.0)]))


def exchange_of(
    constants: Picked, values: FloatArray, ranks: FloatArray, domains: FloatArray, nic_byte_s: FloatArray
) -> FloatArray:
    """The same by what a rank sends: ``values`` of its tokens, once for each expert that they go to. [s]

    Bytes go over the domain's links and, to experts beyond it, over the GPU's own NIC: the slower counts, as both go on at
    the same time.
    """
    sent = values * (DISPATCH_BYTES + COMBINE_BYTES)
    links = sent * (ranks - 1) / ranks / constants.of("dispatch_byte_s")
    beyond = sent * (1 - 1 / domains) / (nic_byte_s * constants.of("nic_efficiency"))
    return np.where(ranks > 1, constants.of("dispatch_s") + np.maximum(links, beyond), 0.0)


def hop_s(cases: Cases, message_bytes: FloatArray, fabric: Fabric | None) -> FloatArray:
    """One stage of a pipeline to the next, where stages may lie in different domains: latency and the slower link. [s]"""
    of = cases.constants.of
    link = of("two_shot_byte_s")
    if fabric is not None and fabric.nic_byte_s:
        whole = cases.layouts.gpus
        link = np.where(whole > fabric.domain_gpus, fabric.nic_byte_s * of("nic_efficiency"), link)
    return of("two_shot_s") + message_bytes / link


def crosses_domain(ranks: FloatArray, fabric: Fabric | None) -> BoolArray:
    """Whether a group is larger than the scale-up domain."""
    return np.asarray(ranks > (fabric.domain_gpus if fabric is not None else np.inf))
