"""A design's link table → classes of flows of one plane: all-to-all, and a ring in a random order of the nodes.

A flow runs from a NIC's port to another one's. Between two leaves it is spread evenly over the links of all shortest paths,
as adaptive routing and packet spray do. GPUs hand on what is meant for other rails (PXN), so that rails only meet in spines.
"""

from dataclasses import dataclass

import numpy as np

from estimator.fabric.devices import CORE, LEAF, SPINE
from estimator.fabric.topology import LEAF_SPINE, NODE_LEAF, SPINE_CORE, LinkTable
from estimator.flows.solver import Classes, Loads
from estimator.performance.bandwidth import BoolArray
from estimator.units import FloatArray, IntArray

PLANE = 1  # all planes are alike, and each carries its part


@dataclass(frozen=True)
class Fabric:
    """One plane of a fabric: where NICs hang, and the rates between switches in Gb/s."""

    leaf_of: IntArray  # (n_nodes, n_ports): leaf of each port of each node
    port_gbit_s: float
    up: FloatArray  # (n_leaves, n_spines)
    top: FloatArray  # (n_spines, n_cores)

    def one_rail(self) -> "Fabric":
        """The first rail alone: its leaves, the spines that they reach and the cores beyond these."""
        leaves = np.unique(self.leaf_of[:, 0])
        spines = np.flatnonzero(self.up[leaves].sum(axis=0) > 0)
        top = self.top[spines]
        return Fabric(
            np.searchsorted(leaves, self.leaf_of[:, :1]),
            self.port_gbit_s,
            self.up[np.ix_(leaves, spines)],
            top[:, top.sum(axis=0) > 0],
        )

    @property
    def n_leaves(self) -> int:
        """Leaves of the plane."""
        return len(self.up)


def fabric_of(table: LinkTable, failed_spines: int = 0) -> Fabric:
    """One plane of a link table, without the links of its first spines."""
    first, n = table.devices.first, table.devices.n
    own = table.plane == PLANE
    nodes = np.flatnonzero(own & (table.tier == NODE_LEAF))
    each = len(nodes) // n["node"]
    order = nodes[np.lexsort((table.rail[nodes], table.a_device[nodes]))]
    leaf_of = (table.b_device[order] - first[LEAF]).reshape(n["node"], each)
    up = np.zeros((n[LEAF], n[SPINE]))
    rows = np.flatnonzero(own & (table.tier == LEAF_SPINE))
    np.add.at(up, (table.a_device[rows] - first[LEAF], table.b_device[rows] - first[SPINE]), table.rate_gbit_s[rows])
    top = np.zeros((n[SPINE], n[CORE]))
    rows = np.flatnonzero(own & (table.tier == SPINE_CORE))
    np.add.at(top, (table.a_device[rows] - first[SPINE], table.b_device[rows] - first[CORE]), table.rate_gbit_s[rows])
    spines = np.flatnonzero(up.sum(axis=0) > 0)
    up[:, spines[:failed_spines]] = 0.0
    used = np.unique(leaf_of)
    leaf_of = np.searchsorted(used, leaf_of)
    return Fabric(leaf_of, float(table.rate_gbit_s[nodes[0]]), up[used], top)


def all_to_all(fabric: Fabric, has_rails: bool) -> Classes:
    """Each port sends alike to every other one that it talks to: of its own rail, or of all other nodes."""
    n_leaves = fabric.n_leaves
    columns = fabric.leaf_of.T if has_rails else [fabric.leaf_of.ravel()]
    ports = np.stack([np.bincount(leaves, minlength=n_leaves) for leaves in columns])  # (rails, leaves)
    flows = ports.T.astype(np.float64) @ ports  # ordered pairs of ports by leaf
    a_node = np.zeros((n_leaves, n_leaves)) if has_rails else _inside_nodes(fabric)
    own = np.eye(n_leaves) * ports.sum(axis=0) if has_rails else a_node
    return _classes(fabric, flows - own, ports.sum(axis=0))


def ring(fabric: Fabric, order: IntArray) -> Classes:
    """Each port sends to the same port of the next node of ``order``, and the last node's to the first one's."""
    following = np.roll(order, -1)
    flows = np.zeros((fabric.n_leaves, fabric.n_leaves))
    np.add.at(flows, (fabric.leaf_of[order], fabric.leaf_of[following]), 1.0)
    return _classes(fabric, flows, None)


def _inside_nodes(fabric: Fabric) -> FloatArray:
    """Ordered pairs of ports of the same node, by leaf: scale-up links carry what is between them."""
    out = np.zeros((fabric.n_leaves, fabric.n_leaves))
    for a in range(fabric.leaf_of.shape[1]):
        for b in range(fabric.leaf_of.shape[1]):
            np.add.at(out, (fabric.leaf_of[:, a], fabric.leaf_of[:, b]), 1.0)
    return out


def _classes(fabric: Fabric, flows: FloatArray, ports: IntArray | None) -> Classes:
    """Classes by pair of leaves that has flows; ``ports`` of each leaf where all of them send alike, else one flow a port."""
    source, target = np.nonzero(flows > 0)
    n = flows[source, target]
    crosses = (source != target)[:, None]
    blocks = [_ends(source, target, n, ports)]
    n_ends = len(source) if ports is None else 2 * fabric.n_leaves
    capacity = [np.full(n_ends, fabric.port_gbit_s)]
    for ends in (source, target):  # links up from the source's leaf, and down to the target's
        share, through_core = _spread(fabric, source, target, ends)
        pair, spine = np.nonzero(share * crosses)
        blocks.append(Loads(ends[pair] * fabric.up.shape[1] + spine, pair, share[pair, spine] * n[pair]))
        capacity.append(fabric.up.ravel())
        if fabric.top.size:
            blocks.append(_over_core(fabric, share * (crosses & through_core[:, None]), n))
            capacity.append(fabric.top.ravel())
    starts = np.cumsum([0, *(len(one) for one in capacity)])
    loads = Loads(
        np.concatenate([one.link + start for one, start in zip(blocks, starts, strict=False)]),
        np.concatenate([one.of_class for one in blocks]),
        np.concatenate([one.weight for one in blocks]),
    )
    return Classes(loads, np.concatenate(capacity), len(source))


def _ends(source: IntArray, target: IntArray, n: FloatArray, ports: IntArray | None) -> Loads:
    """What one port of each leaf sends and receives, on links of their own."""
    each = np.arange(len(source))
    if ports is None:
        return Loads(each, each, np.ones(len(source)))
    weight = np.concatenate([n / ports[source], n / ports[target]])
    return Loads(np.concatenate([source, len(ports) + target]), np.concatenate([each, each]), weight)


def _spread(fabric: Fabric, source: IntArray, target: IntArray, ends: IntArray) -> tuple[FloatArray, BoolArray]:
    """(shares of the spines at leaf ``ends`` for each pair of leaves, which pairs meet in no spine and cross the core)."""
    common = (fabric.up[source] > 0) & (fabric.up[target] > 0)
    through_core: BoolArray = np.logical_not(np.any(common, axis=1))
    weight = fabric.up[ends] * np.where(through_core[:, None], True, common)
    return _rows_to_one(weight), through_core


def _over_core(fabric: Fabric, share: FloatArray, n: FloatArray) -> Loads:
    """Links between spines and cores: what reaches a spine goes on evenly over its links to the core."""
    onward = _rows_to_one(fabric.top)
    pair, spine = np.nonzero(share)
    entry, core = np.nonzero(onward[spine])
    pair, spine = pair[entry], spine[entry]
    return Loads(spine * fabric.top.shape[1] + core, pair, share[pair, spine] * onward[spine, core] * n[pair])


def _rows_to_one(weight: FloatArray) -> FloatArray:
    total = weight.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(weight, total, out=np.zeros_like(weight), where=total > 0))
