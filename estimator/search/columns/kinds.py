"""Switches of many designs by kind: how many have so many ports in use. What fabric/sized.py has switch by switch.

Leaves, spines and cores of a design are of few kinds, so that a table of kinds, whatever the size of the design, is a few
rows. A table has one row a kind: ``of`` is the design (a row of the sizing), ``count`` the switches.
"""

from dataclasses import dataclass

import numpy as np

from estimator.fabric.columns import Sizing, downlinks_beside, spine_downlinks
from estimator.fabric.sized import core_ports, leaf_fill
from estimator.units import BoolArray, FloatArray, IntArray, ceil_div


@dataclass(frozen=True)
class LeafKinds:
    """Leaves by endpoints, and by the positions that they are built for."""

    of: IntArray
    count: IntArray
    endpoints: IntArray
    positions: IntArray


@dataclass(frozen=True)
class PortKinds:
    """Spines or cores by ports in use downwards and upwards."""

    of: IntArray
    count: IntArray
    down: IntArray
    up: IntArray


def leaf_kinds(sizing: Sizing) -> LeafKinds:
    """Leaves of every design."""
    asked, leaves, tiers = sizing.asked, sizing.leaves, sizing.tiers
    by_rail = asked.rails_a_leaf > 0
    in_order = ~by_rail & (leaves.unit_nodes == 0) & (tiers == 2)
    is_simple = (tiers == 1) | (by_rail & ~((tiers == 3) & asked.last_pod_even)) | in_order
    simple = _simple_kinds(sizing, np.flatnonzero(is_simple))
    others = [_kinds_of_one(sizing, int(i)) for i in np.flatnonzero(~is_simple)]
    parts = [simple, *others]
    return LeafKinds(*(np.concatenate([getattr(one, name) for one in parts]) for name in LeafKinds.__annotations__))


def _simple_kinds(sizing: Sizing, rows: IntArray) -> LeafKinds:
    """Leaves that are all full but for one a column."""
    asked, leaves = sizing.asked.take(rows), sizing.leaves
    is_one = sizing.tiers[rows] == 1
    by_rail = (asked.rails_a_leaf > 0) & ~is_one
    unit, capacity, built = (getattr(leaves, name)[rows] for name in ("unit_nodes", "capacity", "built_nodes"))
    per_node = asked.endpoints_a_node
    # a block is what fills one row of leaves: nodes of a unit by rail, endpoints of a leaf in node order
    whole = asked.nodes * per_node
    block = np.where(by_rail, np.maximum(unit, 1), np.where(is_one, np.maximum(whole, 1), np.maximum(capacity, 1)))
    total = np.where(by_rail, asked.nodes, whole)
    held = np.where(by_rail, built, built * per_node)
    wide = np.where(by_rail, asked.rails_a_leaf, 1)
    across = asked.n_components * np.where(by_rail, leaves.columns[rows], 1)
    n_full, rest = total // block, total % block
    full_positions = np.where(is_one, held, block)
    whole_leaf = asked.full_unit & (unit == 0) & ~is_one & ~by_rail
    last_positions = np.where(whole_leaf, block, np.minimum(held - n_full * block, block))
    full = LeafKinds(rows, n_full * across, block * wide, full_positions * wide)
    last = LeafKinds(rows, np.where(rest > 0, across, 0), rest * wide, np.maximum(last_positions, rest) * wide)
    both = [np.concatenate([getattr(full, name), getattr(last, name)]) for name in LeafKinds.__annotations__]
    keep = both[1] > 0
    return LeafKinds(*(column[keep] for column in both))


def _kinds_of_one(sizing: Sizing, i: int) -> LeafKinds:
    endpoints, positions = leaf_fill(sizing, i)
    pairs, count = np.unique(np.stack([endpoints, positions], axis=1), axis=0, return_counts=True)
    n = np.full(len(count), i, dtype=np.int64)
    return LeafKinds(n, count * sizing.asked.n_components[i], pairs[:, 0], pairs[:, 1])


def spine_kinds(sizing: Sizing) -> PortKinds:
    """Spines of every design: two kinds of ports a group in two tiers, four in three."""
    copies, uplinks = sizing.asked.n_components, sizing.uplinks
    is_two, is_three = sizing.tiers == 2, sizing.tiers == 3
    times = copies * sizing.leaves.columns
    nothing = np.zeros_like(copies)
    groups = (
        (is_two, sizing.links_leaf_spine // np.maximum(copies, 1), sizing.group_spines, copies, nothing),
        (is_three, sizing.pod_rows * uplinks, sizing.group_spines, times * (sizing.pods - 1), sizing.spine_up),
        (is_three, sizing.last_pod_rows * uplinks, sizing.last_group_spines, times, sizing.last_spine_up),
    )
    every = np.arange(len(copies))
    parts = []
    for is_here, links, spines, n_groups, up in groups:
        low, more = links // np.maximum(spines, 1), links % np.maximum(spines, 1)
        for count, down in ((more, low + 1), (spines - more, low)):
            n = np.where(is_here, count * n_groups, 0)
            rows = np.flatnonzero(n > 0)
            parts.append((every[rows], n[rows], down[rows], up[rows]))
    of, n, below, above = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return PortKinds(of, n, below, above)


def core_kinds(sizing: Sizing) -> PortKinds:
    """Cores of every design of three tiers."""
    of, count, down = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for i in np.flatnonzero(sizing.tiers == 3).tolist():
        ports, n = np.unique(core_ports(sizing, i), return_counts=True)
        of.append(np.full(len(n), i, dtype=np.int64))
        count.append(n)
        down.append(ports)
    every = np.concatenate(of)
    return PortKinds(every, np.concatenate(count), np.concatenate(down), np.zeros_like(every))


# ---------------------------------------------------------------- what follows from them, by design


def sums(kinds: LeafKinds | PortKinds, amounts: IntArray | FloatArray, n: int) -> FloatArray:
    """Σ count × amount of each design. Whole numbers stay exact: they are far below 2^53."""
    found: FloatArray = np.bincount(kinds.of, weights=kinds.count * amounts, minlength=n).astype(np.float64)
    return found


def whole_sums(kinds: LeafKinds | PortKinds, amounts: IntArray, n: int) -> IntArray:
    """As ``sums``, of counts."""
    return np.rint(sums(kinds, amounts, n)).astype(np.int64)


def most_of(of: IntArray, values: IntArray, n: int) -> IntArray:
    """The largest value of each design; 0 where it has none."""
    out = np.zeros(n, dtype=np.int64)
    np.maximum.at(out, of, values)
    return out


def any_of(of: IntArray, flags: BoolArray, n: int) -> BoolArray:
    """Whether a flag is set for any kind of each design."""
    out = np.zeros(n, dtype=np.bool_)
    out[of[flags]] = True
    return out


def leaf_ports(sizing: Sizing) -> IntArray:
    """Ports of a leaf but those kept free, uplinks of a rate of their own counted at that rate."""
    asked = sizing.asked
    own = downlinks_beside(sizing.uplinks, asked) + sizing.uplinks
    return np.where(asked.uplink_rate_gbit_s == asked.port_rate_gbit_s, asked.leaf_ports, own)


def nodes_per_leaf(sizing: Sizing, fullest: IntArray) -> IntArray:
    """Nodes that share the fullest leaf: by rail a node has its rails there, in node order all it can."""
    asked = sizing.asked
    by_rail = (asked.rails_a_leaf > 0) & (sizing.tiers > 1)
    return np.where(by_rail, fullest // np.maximum(asked.rails_a_leaf, 1), ceil_div(fullest, asked.endpoints_a_node))


def nodes_per_pod(sizing: Sizing) -> IntArray:
    """Nodes of a full pod; all of them where there are no pods."""
    asked, leaves = sizing.asked, sizing.leaves
    in_order = sizing.pod_rows * leaves.capacity // np.maximum(asked.endpoints_a_node, 1)
    by_rows = np.where(asked.rails_a_leaf > 0, sizing.pod_rows * leaves.unit_nodes, in_order)
    pod = np.where(asked.pod_nodes > 0, asked.pod_nodes, by_rows)
    return np.where(sizing.pods < 2, asked.nodes, np.minimum(pod, asked.nodes))


def first_uplinks(ports: IntArray, uplinks: IntArray, downlinks: IntArray, links_per_cage: int) -> IntArray:
    """As ``core_links.first_uplink``, of many switches."""
    at_end = ports - uplinks
    aligned = at_end - at_end % links_per_cage
    return np.where(aligned >= downlinks, aligned, at_end)


def spine_ports_down(sizing: Sizing) -> IntArray:
    """Ports of a spine that may face leaves."""
    return np.where(sizing.tiers == 3, spine_downlinks(sizing.asked), sizing.asked.spine_ports)
