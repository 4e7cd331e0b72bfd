"""A design's link table → classes of flows of one plane: all-to-all, and a ring in a random order of the nodes.

A flow runs from a NIC's port to another one's. Between two leaves it is spread evenly over the links of all shortest paths,
as adaptive routing and packet spray do. GPUs hand on what is meant for other rails (PXN), so that rails only meet in spines.
Spines that can be swapped, and cores, are one (Fabric.merged): they carry alike, whatever the flows between leaves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from estimator.fabric.devices import CORE, LEAF, SPINE
from estimator.fabric.topology import LEAF_SPINE, NODE_LEAF, SPINE_CORE, LinkTable
from estimator.flows.solver import Classes, Loads
from estimator.units import FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

PLANE = 1  # all planes are alike, and each carries its part


@dataclass(frozen=True)
class Fabric:
    """One plane of a fabric: where NICs hang, and the rates between switches in Gb/s."""

    leaf_of: IntArray  # (n_nodes, n_ports): leaf of each port of each node
    port_gbit_s: float
    up: FloatArray  # (n_leaves, n_spines)
    top: FloatArray  # (n_spines, n_cores)

    def one_rail(self) -> Fabric:
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

    def merged(self) -> Fabric:
        """Spines with the same links to the same leaves and cores as one, and so with cores: a link has the rate of all.

        Swapping two of them changes nothing about the fabric, so that they carry the same, and flows have the same rates.
        """
        up, top, switches = self.up, self.top, -1
        while switches != sum(top.shape):
            switches = sum(top.shape)
            top = _added(top.T, alike(top.T)).T
            same = alike(np.hstack([up.T, top]))
            up, top = _added(up.T, same).T, _added(top, same)
        return replace(self, up=np.ascontiguousarray(up), top=np.ascontiguousarray(top))

    @property
    def n_leaves(self) -> int:
        """Leaves of the plane."""
        return len(self.up)

    @property
    def ports(self) -> IntArray:
        """NIC ports on each leaf."""
        return np.bincount(self.leaf_of.ravel(), minlength=self.n_leaves)


def alike(rows: FloatArray) -> IntArray:
    """Number of the group of equal rows that each row is of, counted from 0 by first appearance."""
    known: dict[bytes, int] = {}
    return np.array([known.setdefault(row.tobytes(), len(known)) for row in np.ascontiguousarray(rows)], dtype=np.int64)


def _added(rows: FloatArray, group: IntArray) -> FloatArray:
    """Sum of the rows of each group."""
    out = np.zeros((int(group.max(initial=-1)) + 1, rows.shape[1]))
    np.add.at(out, group, rows)
    return out


def fabric_of(table: LinkTable, failed_spines: int = 0) -> Fabric:
    """One plane of a link table, without the links of the first spines of its first leaf."""
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
    up[:, np.flatnonzero(up[leaf_of[0, 0]])[:failed_spines]] = 0.0
    used = np.unique(leaf_of)
    leaf_of = np.searchsorted(used, leaf_of)
    return Fabric(leaf_of, float(table.rate_gbit_s[nodes[0]]), up[used], top)


def pairs_of_all(fabric: Fabric, has_rails: bool) -> FloatArray:
    """Flows of an all-to-all by (leaf that sends, leaf that receives): a port sends alike to all that it talks to.

    Those are the ports of its own rail, or of all other nodes.
    """
    n_leaves = fabric.n_leaves
    columns = fabric.leaf_of.T if has_rails else [fabric.leaf_of.ravel()]
    ports = np.stack([np.bincount(leaves, minlength=n_leaves) for leaves in columns]).astype(np.float64)
    return ports.T @ ports - (np.diag(ports.sum(axis=0)) if has_rails else _inside_nodes(fabric))


def all_to_all(fabric: Fabric, has_rails: bool) -> Classes:
    """Each pair of leaves a class: for fabrics of some dozens of leaves, where estimator.flows.everybody has no need to."""
    flows = pairs_of_all(fabric, has_rails)
    source, target = np.nonzero(flows > 0)
    return _classes(fabric, source, target, flows[source, target], fabric.ports)


def ring(fabric: Fabric, order: IntArray) -> Classes:
    """Each port sends to the same port of the next node of ``order``, and the last node's to the first one's."""
    ends = fabric.leaf_of[order], fabric.leaf_of[np.roll(order, -1)]
    pair, n = np.unique(ends[0] * fabric.n_leaves + ends[1], return_counts=True)
    source, target = np.divmod(pair.ravel(), fabric.n_leaves)
    return _classes(fabric, source, target, n.astype(np.float64), None)


def _inside_nodes(fabric: Fabric) -> FloatArray:
    """Ordered pairs of ports of the same node, by leaf: scale-up links carry what is between them."""
    out = np.zeros((fabric.n_leaves, fabric.n_leaves))
    for a in range(fabric.leaf_of.shape[1]):
        for b in range(fabric.leaf_of.shape[1]):
            np.add.at(out, (fabric.leaf_of[:, a], fabric.leaf_of[:, b]), 1.0)
    return out


def _classes(fabric: Fabric, source: IntArray, target: IntArray, n: FloatArray, ports: IntArray | None) -> Classes:
    """Classes by pair of leaves that has flows; ``ports`` of each leaf where all of them send alike, else one flow a port."""
    ends = _ends(source, target, n, ports)
    n_ends = len(source) if ports is None else 2 * fabric.n_leaves
    sides = [beyond_leaf(fabric, leaf, other, n) for leaf, other in ((source, target), (target, source))]
    capacity = [np.full(n_ends, fabric.port_gbit_s), *(capacity for _, capacity in sides)]
    blocks = [ends, *(loads for loads, _ in sides)]
    starts = np.cumsum([0, *(len(one) for one in capacity[:-1])])
    loads = Loads(
        np.concatenate([one.link + start for one, start in zip(blocks, starts, strict=True)]),
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


def beyond_leaf(fabric: Fabric, leaf: IntArray, other: IntArray, n: FloatArray) -> tuple[Loads, FloatArray]:
    """(entries, capacities) of the links of one direction between ``leaf`` and the top of its paths to leaf ``other``.

    Classes are the entries of ``leaf``, of ``n`` flows each. Over all spines that both reach, by the rate of the leaf's own
    links; where there is none, over all of the leaf's spines and on evenly over their links to the core.

    Raises
    ------
    ValueError
        If two leaves reach no common spine and no core.
    """
    from scipy.sparse import csr_array  # for a fast start: scipy takes long to load

    up, is_linked = csr_array(fabric.up), csr_array((fabric.up > 0).astype(np.float64))
    common = up[leaf].multiply(is_linked[other]).tocsr()
    crosses = leaf != other
    over_core = crosses & (np.diff(common.indptr) == 0)
    if over_core.any() and not fabric.top.any():
        raise ValueError("two leaves reach no common spine, and there is no core")
    share = _rows_to_one(_rows(common, crosses) + _rows(up[leaf], over_core))
    load = (share * n[:, None]).tocoo()
    link, place = np.unique(leaf[load.row] * fabric.up.shape[1] + load.col, return_inverse=True)
    blocks = [Loads(place, load.row, load.data)]
    capacity = [fabric.up.ravel()[link]]
    if over_core.any():
        onward = _rows_to_one(csr_array(fabric.top)).tocoo()  # spine, core; a link each
        to_link = csr_array((onward.data, (onward.row, np.arange(onward.nnz))), shape=(fabric.up.shape[1], onward.nnz))
        beyond = (_rows(load.tocsr(), over_core) @ to_link).tocoo()
        blocks.append(Loads(beyond.col + len(link), beyond.row, beyond.data))
        capacity.append(fabric.top[onward.row, onward.col])
    columns = (np.concatenate(column) for column in zip(*blocks, strict=True))
    return Loads(*columns), np.concatenate(capacity)


def _rows(matrix: csr_array, which: IntArray) -> csr_array:
    """The rows that are marked; nothing in the others."""
    out = (matrix * which.astype(np.float64)[:, None]).tocsr()
    out.eliminate_zeros()
    return out


def _rows_to_one(matrix: csr_array) -> csr_array:
    """Each row over its sum."""
    total = matrix.sum(axis=1)
    return (matrix * np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)[:, None]).tocsr()
