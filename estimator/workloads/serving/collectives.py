"""Communication of serving engines: their own all-reduces, experts' dispatch and combine, and what crosses the domain.

Inside a scale-up domain engines do not use NCCL for small messages: every GPU reads all others at once (one shot), or its
share of them and then the results (two shots), from inside a CUDA graph. Curves are fitted to published measurements
(``measured/all_reduce.csv``, ``measured/dispatch.csv``). A group that leaves the domain takes this product's own model of
collectives (``GroupTimes``), and so does one whose GPUs PCIe joins; through host memory it takes the measured path.
"""

from dataclasses import dataclass

import numpy as np

from estimator.units import BoolArray, FloatArray
from estimator.workloads.paths.groups import GroupTimes, groups_of
from estimator.workloads.paths.hierarchy import GPU_MEMORY, LEAF, SCALE_UP, levels_of
from estimator.workloads.paths.hierarchy import HOST_MEMORY as HOST_LEVEL
from estimator.workloads.paths.hierarchy import PCIE as PCIE_LEVEL
from estimator.workloads.paths.inside import HOST_MEMORY, NVLINK, PCIE, Inside, rate_byte_s
from estimator.workloads.serving.cases import BF16_BYTES, Cases
from estimator.workloads.serving.constants import Constants, Picked, serving_constants

NETWORK, NO_PATH = "network", "none"
DISPATCH_BYTES, COMBINE_BYTES = 1.0, BF16_BYTES  # a value of a token on its way to its experts, and back


@dataclass(frozen=True)
class Fabric:
    """What joins the GPUs of a system: scale-up links, then PCIe or host memory where links end in a node, then NICs."""

    domain_gpus: int  # joined without the network
    nic_byte_s: float
    times: GroupTimes | None = None
    inside: Inside | None = None  # None: links join the whole domain
    inner_byte_s: float = np.inf  # of one GPU beyond its links

    @classmethod
    def of(cls, inside: Inside, times: GroupTimes) -> "Fabric":
        """The fabric that a table of group times was made for."""
        columns = times.columns
        nic_byte_s = float((columns.nic_byte_s * columns.nics_per_node / columns.gpus_per_node)[0])
        if inside.is_over_links:
            return cls(times.domain_gpus, nic_byte_s, times)
        return cls(times.domain_gpus, nic_byte_s, times, inside, rate_byte_s(inside, times))

    @property
    def links_gpus(self) -> int:
        """GPUs that scale-up links join."""
        return self.domain_gpus if self.inside is None else self.inside.links_gpus

    def level_of(self, ranks: int, domains_apart: int = 1) -> int:
        """The furthest level that a group uses, an index into LEVELS."""
        path = self.path_of(ranks)
        if path != NETWORK or self.times is None:
            return {NO_PATH: GPU_MEMORY, NVLINK: SCALE_UP, PCIE: PCIE_LEVEL, HOST_MEMORY: HOST_LEVEL, NETWORK: LEAF}[
                path
            ]
        groups = groups_of(ranks, self.domain_gpus, domains_apart)
        return int(levels_of(groups, self.times.columns).max())

    def path_of(self, ranks: int) -> str:
        """The slowest path that a group uses: none of one GPU, nvlink (any scale-up link), pcie, host_memory or network."""
        if ranks <= 1:
            return NO_PATH
        if ranks <= self.links_gpus:
            return NVLINK
        return self.inside.path if self.inside is not None and ranks <= self.domain_gpus else NETWORK


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
    wide = np.broadcast_to(ranks, sizes.shape)
    beyond = fabric.times.seconds("all_reduce", groups_of(wide.astype(np.int64), fabric.domain_gpus), sizes)
    if fabric.inside is not None and fabric.inside.path == HOST_MEMORY:
        staged = np.minimum(wide, fabric.domain_gpus)
        sent = sizes * 2 * (staged - 1) / staged
        staged_s = np.maximum(host_all_reduce_s(serving_constants(), sent, staged), sent / fabric.inner_byte_s)
        beyond = np.where(wide > fabric.domain_gpus, np.maximum(beyond, staged_s), staged_s)
    return np.where(crosses, beyond, inside)


def host_all_reduce_s(constants: Constants, sent_bytes: FloatArray, ranks: FloatArray) -> FloatArray:
    """All-reduce through host memory, of what a rank sends: the protocol of small messages, or that of large ones. [s]"""
    value, pairs = constants.value, ranks / 2
    small = value("batch_host_memory_small_s") * pairs + sent_bytes / value("batch_host_memory_small_byte_s")
    large = value("batch_host_memory_s") * pairs + sent_bytes / value("batch_host_memory_byte_s")
    return np.minimum(small, large)


def exchange_s(cases: Cases, tokens_per_rank: FloatArray, fabric: Fabric | None) -> FloatArray:
    """Dispatch of tokens to their experts and combination of what these return, one layer. [s]"""
    ranks = cases.layouts.expert_ranks
    values = tokens_per_rank * cases.shapes.top_k * cases.shapes.expert_hidden
    if fabric is None or not crosses_domain(ranks, fabric).any():
        return exchange_of(cases.constants, values, ranks, np.ones(1), np.ones(1))
    domains = np.maximum(1.0, np.ceil(ranks / fabric.domain_gpus))
    nic_byte_s = np.array([max(fabric.nic_byte_s, 1.0)])
    time_s = exchange_of(cases.constants, values, ranks, domains, nic_byte_s)
    if fabric.inside is None:
        return time_s
    islands = np.maximum(1.0, np.ceil(ranks / fabric.links_gpus))  # joined by links, among GPUs of one node
    inner_s = values * (DISPATCH_BYTES + COMBINE_BYTES) * (1 - 1 / islands) / fabric.inner_byte_s
    return np.where(ranks > 1, np.maximum(time_s, cases.constants.of("dispatch_s") + inner_s), 0.0)


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
    whole = cases.layouts.gpus
    if fabric is not None and fabric.inside is not None:
        link = np.where(whole > fabric.links_gpus, np.minimum(link, fabric.inner_byte_s), link)
    if fabric is not None and fabric.nic_byte_s:
        link = np.where(whole > fabric.domain_gpus, fabric.nic_byte_s * of("nic_efficiency"), link)
    return of("two_shot_s") + message_bytes / link


def crosses_domain(ranks: FloatArray, fabric: Fabric | None) -> BoolArray:
    """Whether a group is larger than what scale-up links join."""
    return np.asarray(ranks > (fabric.links_gpus if fabric is not None else np.inf))
