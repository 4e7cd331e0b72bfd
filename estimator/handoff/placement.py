"""Which nodes are near each other, read off the links: the tree that schedulers want, with one parent for every node.

A scheduler's tree cannot say that a node has a leaf on each of its rails. The leaf that holds most of a node's links
(the first of equals: rail 1 of plane 1) stands for all of them, so that the leaves of a scalable unit are one group; the
switches above it decide which groups are joined next. Rails and planes are alike, so any other choice gives the same tree.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from estimator.cabling.links import LinkList
from estimator.fabric.devices import LEAF, NODE, SPINE
from estimator.fabric.topology import LEAF_SPINE, NODE_LEAF
from estimator.units import Column, IntArray

FABRIC = "fabric"


@dataclass(frozen=True)
class Level:
    """Groups of nodes that meet below one tier of switches: ``of_node`` numbers them, in order of their first node."""

    of_node: IntArray  # shape (n_nodes,)
    names: tuple[str, ...]

    @cached_property
    def sizes(self) -> list[int]:
        """Nodes of every group."""
        return [int(n) for n in np.bincount(self.of_node, minlength=len(self.names))]

    def members(self, group: int) -> IntArray:
        """Nodes of one group, in order."""
        return self._order[self._ends[group] : self._ends[group + 1]]

    @cached_property
    def _order(self) -> IntArray:
        return np.argsort(self.of_node, kind="stable")

    @cached_property
    def _ends(self) -> list[int]:
        return [0, *np.cumsum(self.sizes).tolist()]


@dataclass(frozen=True)
class Placement:
    """Levels closest first: leaf groups; with three tiers pods; with two or three the whole fabric."""

    levels: tuple[Level, ...]
    domain: Level | None  # scale-up domains, where they span nodes

    def parent(self, level: int) -> list[int]:
        """Group of the next level that each group of ``level`` lies in."""
        of_group = np.zeros(len(self.levels[level].names), dtype=np.int64)
        of_group[self.levels[level].of_node] = self.levels[level + 1].of_node
        return of_group.tolist()

    @cached_property
    def blocks(self) -> Level:
        """Nodes that should share a job first: a scale-up domain where one spans nodes, else a leaf group."""
        return self.domain or self.levels[0]

    def block_sizes(self, most: int = 16) -> list[int]:
        """The smallest block and its doublings, as far as there are blocks for them."""
        blocks = self.blocks
        n_levels = min(len(blocks.names).bit_length(), most)
        return [min(blocks.sizes) << level for level in range(n_levels)]


def placement(links: LinkList) -> Placement:
    """The tree of one fabric's nodes; in a storage or management network, of all that hangs on it."""
    home = _home_leaves(links)
    tiers, devices = links.fabric.tiers, links.table.devices
    first_leaf = devices.first[LEAF]
    leaf_names = devices.names[first_leaf : first_leaf + devices.n[LEAF]]
    leaf_of_group, groups = np.unique(home, return_inverse=True)
    in_order = links.fabric.layout == "top-of-rack"
    names = [leaf_names[leaf] for leaf in leaf_of_group] if in_order else _numbered("unit", len(leaf_of_group))
    levels = [Level(groups, tuple(names))]
    if tiers == 3:
        pod_of_leaf = _joined_leaves(links)
        pods, of_node = np.unique(pod_of_leaf[home], return_inverse=True)
        levels.append(Level(of_node, tuple(_numbered("pod", len(pods)))))
    if tiers > 1:
        levels.append(Level(np.zeros(len(home), dtype=np.int64), (FABRIC,)))
    return Placement(tuple(levels), _scale_up_domains(links))


def _numbered(word: str, n: int) -> list[str]:
    width = max(3, len(str(n)))
    return [f"{word}-{number:0{width}d}" for number in range(1, n + 1)]


def _home_leaves(links: LinkList) -> IntArray:
    """The leaf that holds most links of each node, the first of equals."""
    table, devices = links.table, links.table.devices
    rows = table.rows(NODE_LEAF)
    return most_linked(table.a_device[rows], table.b_device[rows] - devices.first[LEAF], devices.n[LEAF])[1]


def most_linked(ends: Column, others: Column, n_others: int) -> tuple[IntArray, IntArray]:
    """(each distinct end, ascending; the one of ``others`` that most of its links go to, the first of equals)."""
    pairs, n_links = np.unique(ends.astype(np.int64) * n_others + others, return_counts=True)
    end, other = np.divmod(pairs, n_others)
    order = np.lexsort((other, -n_links, end))
    distinct, firsts = np.unique(end[order], return_index=True)
    return distinct, other[order][firsts]


def _joined_leaves(links: LinkList) -> IntArray:
    """For every leaf the first leaf that it reaches through spines alone: equal within a pod (of its rail and plane)."""
    table, devices = links.table, links.table.devices
    rows = table.rows(LEAF_SPINE)
    leaves, spines = table.a_device[rows] - devices.first[LEAF], table.b_device[rows] - devices.first[SPINE]
    label = np.arange(devices.n[LEAF])
    while True:
        of_spine = np.full(devices.n[SPINE], len(label))
        np.minimum.at(of_spine, spines, label[leaves])
        lower = label.copy()
        np.minimum.at(lower, leaves, of_spine[spines])
        if np.array_equal(lower, label):
            return label
        label = lower


def _scale_up_domains(links: LinkList) -> Level | None:
    """Domains of several whole nodes, in node order; None where a domain is within a node."""
    compute, n_nodes = links.spec.compute, links.table.devices.n[NODE]
    nodes, rest = divmod(compute.scale_up_domain_gpus or 1, compute.gpus_per_node or 1)
    if nodes < 2 or rest:
        return None
    of_node = np.arange(n_nodes) // nodes
    return Level(of_node, tuple(_numbered("domain", int(of_node[-1]) + 1)))
