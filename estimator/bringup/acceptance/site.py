"""The machines of a site as its tests name them: nodes, rails, leaves, racks and scale-up domains, and who hangs on what."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from estimator.record import Json
from estimator.units import IntArray, ceil_div


@dataclass(frozen=True)
class Site:
    """A built system with its names. ``leaf_of``, shape (n_nodes, n_rails), counts leaves; without rails it has one column.

    ``unit_of`` and ``rack_of``, shape (n_nodes,), number the groups of nodes below the same leaves, and the racks.
    """

    name: str
    spec_hash: str
    system: Json
    n_gpus: int
    is_amd: bool
    is_superchip: bool
    pcie_gen: int
    link_gb_s: float  # scale-up links of a GPU, one way; 0 where there are none
    has_rails: bool
    joins_leaves: bool  # nodes of one leaf reach those of another over spines
    port_gbit_s: float
    nics: tuple[str, ...]  # of a node, as its RDMA devices are called, by rail; empty where nobody knows
    nodes: tuple[str, ...]
    leaves: tuple[str, ...]
    leaf_of: IntArray
    unit_of: IntArray
    racks: tuple[str, ...]
    rack_of: IntArray
    has_floor_plan: bool

    @property
    def n_nodes(self) -> int:
        """Nodes of the site."""
        return len(self.nodes)

    @property
    def n_rails(self) -> int:
        """Rails, or NICs of a node that all hang on the same leaves."""
        return self.leaf_of.shape[1] if self.has_rails else max(int(self.system["nics_per_node"]), 1)

    @property
    def gpus_per_node(self) -> int:
        """GPUs of a node."""
        return int(self.system["gpus_per_node"])

    @property
    def domain_gpus(self) -> int:
        """GPUs of a scale-up domain."""
        return int(self.system["scale_up_domain_gpus"])

    @property
    def domain_nodes(self) -> int:
        """Nodes of a scale-up domain; 1 where a node has several."""
        return max(self.domain_gpus // self.gpus_per_node, 1)

    @property
    def n_domains(self) -> int:
        """Scale-up domains of the site."""
        return int(ceil_div(self.n_gpus, self.domain_gpus))

    @cached_property
    def node_index(self) -> dict[str, int]:
        """A node's place by its name."""
        return {name: i for i, name in enumerate(self.nodes)}

    @cached_property
    def units(self) -> tuple[tuple[int, ...], ...]:
        """Nodes below the same leaves, in order."""
        return _members(self.unit_of)

    @cached_property
    def rack_nodes(self) -> tuple[tuple[int, ...], ...]:
        """Nodes of each rack that has any, by rack."""
        return _members(np.unique(self.rack_of, return_inverse=True)[1].reshape(-1))

    def leaves_of(self, node: int, rail: int | None) -> tuple[str, ...]:
        """Leaves that a node hangs on; of one rail (from 1) where it is given."""
        columns = [rail - 1] if self.has_rails and rail else range(self.leaf_of.shape[1])
        return tuple(dict.fromkeys(self.leaves[self.leaf_of[node, column]] for column in columns))


def _members(groups: IntArray) -> tuple[tuple[int, ...], ...]:
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(np.bincount(groups))[:-1]
    return tuple(tuple(part.tolist()) for part in np.split(order, ends))
