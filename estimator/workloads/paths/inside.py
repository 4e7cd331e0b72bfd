"""What joins the GPUs of a node that no scale-up link joins: PCIe, or the processor's memory where there is no peer access.

Servers of PCIe cards have no links, or a bridge between pairs. Their GPUs are one domain to the model of collectives, whose
rings go over PCIe beyond the reach of the links; without peer access every byte goes through host memory, as measured.
"""

from dataclasses import dataclass

from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.performance.bandwidth import complete_system, gpu_facts
from estimator.record import Json
from estimator.workloads.paths.constants import path_constants
from estimator.workloads.paths.groups import GroupTimes, groups_of

NVLINK, PCIE, HOST_MEMORY = "nvlink", "pcie", "host_memory"
_LARGE_BYTES = float(2**30)


@dataclass(frozen=True)
class Inside:
    """A node as groups use it."""

    system: Json  # whose domain is all that PCIe or better joins
    links_gpus: int  # joined by scale-up links
    path: str  # of the others of the domain: NVLINK where there are none, PCIE or HOST_MEMORY

    @property
    def is_over_links(self) -> bool:
        """Whether links join the whole domain."""
        return self.path == NVLINK

    def times(self, catalog: Catalog, constants: ModelConstants) -> GroupTimes:
        """Times of groups on this system."""
        reach = None if self.is_over_links else self.links_gpus
        return GroupTimes(self.system, catalog, constants, reach_gpus=reach)


def has_links(system: Json, catalog: Catalog, constants: ModelConstants) -> bool:
    """Whether the GPUs of a system have scale-up links at all."""
    facts = gpu_facts(catalog.gpus[system["gpu"]], constants)
    return facts.link_byte_s > 0 and complete_system(system, facts)["scale_up_domain_gpus"] > 1


def inside_node(system: Json, catalog: Catalog, constants: ModelConstants, path: str | None = None) -> Inside:
    """How the GPUs of a system's nodes are joined.

    Parameters
    ----------
    system : keys of a prediction's system.
    path : NVLINK, PCIE or HOST_MEMORY for what lies beyond the links; PCIE and HOST_MEMORY switch links off that the GPU has.
        None is what the GPU has, and PCIe where its links end inside a node.
    """
    facts = gpu_facts(catalog.gpus[system["gpu"]], constants)
    whole = complete_system(system, facts)
    domain, node = int(whole["scale_up_domain_gpus"]), int(whole["gpus_per_node"])
    links = 1 if path in (PCIE, HOST_MEMORY) else min(domain, facts.link_reach_gpus)
    if links >= min(node, domain) and facts.link_reach_gpus >= node:
        return Inside(system, domain, NVLINK)
    joined = {**system, "gpus_per_node": node, "scale_up_domain_gpus": node}
    if links == 1:
        joined["scale_up_reduction"] = False  # switches of links that are off reduce nothing
    return Inside(joined, min(links, node), path if path == HOST_MEMORY else PCIE)


def rate_byte_s(inside: Inside, times: GroupTimes) -> float:
    """What one GPU gets of the path beyond the links while others send too. [B/s]"""
    ranks = min(inside.links_gpus + 1, times.domain_gpus)
    if ranks < 2:
        return float("inf")
    by_pcie = _LARGE_BYTES / float(times.seconds("sendrecv", groups_of(ranks, ranks), _LARGE_BYTES))
    return min(by_pcie, path_constants()["host_memory_rate"].value) if inside.path == HOST_MEMORY else by_pcie
