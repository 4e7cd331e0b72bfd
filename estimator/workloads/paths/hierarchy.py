"""The links of a system from a GPU's own memory to the core of the network: what a GPU gets of each, and how late.

A level is the furthest that a message goes: two GPUs of one domain use its scale-up links, two under one leaf their NICs
and that leaf. Rates are of one GPU in one direction while all others send too, so that oversubscription shows.
"""

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.performance.bandwidth import LIMITS, SystemColumns, gpu_facts
from estimator.record import Json, Record
from estimator.units import IntArray, byte_s_to_gb_s, ceil_div, gbit_s_to_byte_s, s_to_us
from estimator.workloads.paths.constants import path_constants
from estimator.workloads.paths.groups import Groups, GroupTimes, groups_of

LEVELS = ("gpu_memory", "scale_up", "pcie", "host_memory", "leaf", "spine", "core", "ethernet")
GPU_MEMORY, SCALE_UP, PCIE, HOST_MEMORY, LEAF, SPINE, CORE, ETHERNET = range(len(LEVELS))
_SMALL_BYTES = 64.0
_NETWORK = {LEAF: "network, under one leaf", SPINE: "network, over spines", CORE: "network, over cores"}


class LinkLevel(Record):
    """One level of the hierarchy."""

    code: str  # one of LEVELS
    name: str
    gb_s: float  # of one GPU, one direction, while all send
    latency_us: float | None  # of a small message; None where nobody states one
    basis: str  # datasheet, model, calibration, measured, assumption
    evidence: str
    limited_by: str | None  # what of the way holds the rate down; None where the level is one part


def levels_of(groups: Groups, columns: SystemColumns) -> IntArray:
    """The furthest level that each layout's group uses, as an index into LEVELS; ``columns`` of one system.

    Of ordered ranks: a group's domains lie side by side, or as far apart as it says.
    """
    nodes_per_domain = columns.domain_gpus[0] / columns.gpus_per_node[0]
    span_nodes = ((groups.n_domains - 1) * groups.domains_apart + 1) * nodes_per_domain
    inside = np.where(groups.n_ranks > columns.link_reach_gpus[0], PCIE, SCALE_UP)
    network = np.where(
        span_nodes <= columns.nodes_per_leaf[0], LEAF, np.where(span_nodes <= columns.nodes_per_pod[0], SPINE, CORE)
    )
    level = np.where(groups.n_ranks == 1, GPU_MEMORY, np.where(groups.n_domains == 1, inside, network))
    return np.asarray(level[groups.index], dtype=np.int64)


def domain_ring_reaches_only_pcie(columns: SystemColumns) -> bool:
    """Whether GPUs of one node have no links but PCIe."""
    return bool(columns.link_reach_gpus[0] <= 1)


def link_levels(
    system: Json,
    n_gpus: int,
    catalog: Catalog,
    constants: ModelConstants,
    ethernet_gbit_s: float | None = None,
) -> list[LinkLevel]:
    """Every level that a system of this size has, the nearest first.

    Parameters
    ----------
    system : keys of a prediction's system.
    n_gpus : of the whole system: a level that joins more than it has is left out.
    catalog, constants : GPUs, and constants of the model (the catalog's, or a site's own).
    ethernet_gbit_s : a node's port on another network that GPUs could fall back to; None where there is none.
    """
    times = GroupTimes(system, catalog, constants)
    columns, gpu = times.columns, catalog.gpus[system["gpu"]]
    facts = gpu_facts(gpu, constants)
    found = [
        _datasheet(GPU_MEMORY, gpu.memory_type or "GPU memory", gpu.memory_tb_s * 1000, f"{gpu.id}: memory bandwidth"),
    ]
    if not domain_ring_reaches_only_pcie(columns) and times.domain_gpus > 1:
        whole = groups_of(times.domain_gpus, times.domain_gpus)  # in a mesh, a pair alone has one link of many
        found.append(_pairs(SCALE_UP, gpu.scale_up_link, times, whole, constants))
    by_pcie = byte_s_to_gb_s(facts.pcie_byte_s)
    found.append(_datasheet(PCIE, f"PCIe {gpu.pcie_gen}.0 x16", by_pcie, f"PCIe generation {gpu.pcie_gen}, one way"))
    found.append(_staged())
    for level, apart in _distances(columns, n_gpus).items():
        found.append(_pairs(level, _NETWORK[level], times, groups_of(2, 1, apart), constants))
    if ethernet_gbit_s:
        found.append(_ethernet(ethernet_gbit_s, int(columns.gpus_per_node[0])))
    return found


def _distances(columns: SystemColumns, n_gpus: int) -> dict[int, int]:
    """How many domains apart two GPUs are that meet at each level of the network which the system has."""
    if not columns.nics_per_domain[0] or not columns.nic_byte_s[0]:
        return {}
    domain, node = int(columns.domain_gpus[0]), int(columns.gpus_per_node[0])
    n_domains = ceil_div(n_gpus, domain)
    under_leaf, in_pod = (
        max(int(nodes * node) // domain, 1) for nodes in (columns.nodes_per_leaf[0], columns.nodes_per_pod[0])
    )
    far = {LEAF: 1 if under_leaf > 1 else 0, SPINE: under_leaf if in_pod > under_leaf else 0, CORE: in_pod}
    return {level: apart for level, apart in far.items() if 0 < apart < n_domains}


def _datasheet(level: int, name: str, gb_s: float, evidence: str) -> LinkLevel:
    return LinkLevel(
        code=LEVELS[level],
        name=name,
        gb_s=round(gb_s, 1),
        latency_us=None,
        basis="datasheet",
        evidence=evidence,
        limited_by=None,
    )


def _pairs(level: int, name: str, times: GroupTimes, groups: Groups, constants: ModelConstants) -> LinkLevel:
    """The way between GPUs, as the model of collectives has it; latency is that of a send and receive of 64 B."""
    paths = times.points(groups).paths
    if level == SCALE_UP:
        rate, limit = paths.ring_domain_byte_s, paths.domain_limit
    else:
        rate, limit = paths.next_pair
    return LinkLevel(
        code=LEVELS[level],
        name=name,
        gb_s=round(float(byte_s_to_gb_s(rate[0])), 1),
        latency_us=round(float(s_to_us(times.seconds("sendrecv", groups, _SMALL_BYTES))), 1),
        basis="calibration" if constants.source else "model",
        evidence=constants.source or "by the model of collectives (docs/model.md)",
        limited_by=LIMITS[int(limit[0])],
    )


def _staged() -> LinkLevel:
    rate, latency = path_constants()["host_memory_rate"], path_constants()["host_memory_latency"]
    return LinkLevel(
        code=LEVELS[HOST_MEMORY],
        name="host memory, from GPU to GPU",
        gb_s=round(float(byte_s_to_gb_s(rate.value)), 1),
        latency_us=round(float(s_to_us(latency.value)), 1),
        basis="measured" if rate.basis == "fitted" else rate.basis,
        evidence=rate.evidence,
        limited_by=None,
    )


def _ethernet(rate_gbit_s: float, gpus_per_node: int) -> LinkLevel:
    share, latency = path_constants()["ethernet_rate_share"], path_constants()["ethernet_latency"]
    return LinkLevel(
        code=LEVELS[ETHERNET],
        name=f"Ethernet, {rate_gbit_s:g} Gb/s a node",
        gb_s=round(float(byte_s_to_gb_s(gbit_s_to_byte_s(rate_gbit_s))) * share.value / gpus_per_node, 2),
        latency_us=round(float(s_to_us(latency.value)), 1),
        basis=share.basis,
        evidence=share.evidence,
        limited_by=None,
    )
