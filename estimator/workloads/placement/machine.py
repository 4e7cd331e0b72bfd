"""A design as a placement sees it: GPUs by node and scale-up domain, and the switches that nodes meet below."""

from dataclasses import dataclass

import numpy as np

from estimator.units import IntArray, ceil_div

DOMAIN, NODE, LEAF, POD, FABRIC = "domain", "node", "leaf", "pod", "fabric"
LEVELS = (DOMAIN, NODE, LEAF, POD, FABRIC)  # closest first; a pair of GPUs meets at one of them


def nodes_of_domain(domain_gpus: int, gpus_per_node: int) -> int:
    """Nodes of a scale-up domain; 1 where it is within a node, or holds no whole number of them."""
    return max(domain_gpus // gpus_per_node, 1) if domain_gpus % gpus_per_node == 0 else 1


@dataclass(frozen=True)
class Machine:
    """Columns over nodes have shape (n_nodes,), those over a node's GPUs (gpus_per_node,).

    ``leaf`` and ``pod`` number groups of nodes that meet below the same leaves, and below spines without a core. ``nics``
    are the RDMA devices that a GPU is next to, ``rail`` the number of the first of them, from 1; 0 without rails.
    """

    node_names: tuple[str, ...]
    gpus_per_node: int
    domain_gpus: int
    leaf: IntArray
    leaf_names: tuple[str, ...]
    pod: IntArray
    n_tiers: int
    nics: tuple[tuple[str, ...], ...]
    rail: IntArray

    @property
    def n_nodes(self) -> int:
        """Nodes of the design."""
        return len(self.node_names)

    @property
    def n_gpus(self) -> int:
        """GPUs of the design."""
        return self.n_nodes * self.gpus_per_node

    @property
    def domain_nodes(self) -> int:
        """Nodes of a scale-up domain; 1 where it is within a node, or holds no whole number of them."""
        return nodes_of_domain(self.domain_gpus, self.gpus_per_node)

    @property
    def node_domain_gpus(self) -> int:
        """GPUs of a domain's part in one node."""
        is_inside = self.domain_gpus < self.gpus_per_node and self.gpus_per_node % self.domain_gpus == 0
        return self.domain_gpus if is_inside else self.gpus_per_node

    def domain_of(self, node: IntArray, gpu: IntArray) -> IntArray:
        """Scale-up domain of GPUs: in node order; where several are in a node and do not divide it, the last is smaller."""
        if self.domain_gpus >= self.gpus_per_node:
            return np.asarray((node * self.gpus_per_node + gpu) // self.domain_gpus)
        per_node = ceil_div(self.gpus_per_node, self.domain_gpus)
        return np.asarray(node * per_node + gpu // self.domain_gpus)
