"""Switches and links taken down in a picture: which links are left, who is cut off, and what the worst server still has.

Counted in the link table, so that any set of devices and links of any fabric can be down at once. ``findings/losses.py``
tells the same of every single loss from the structure alone; tests compare the two.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from estimator.fabric.devices import LEAF, NODE, SPINE, SWITCH_KINDS, Devices
from estimator.fabric.topology import LEAF_SPINE, NODE_LEAF, SPINE_CORE, LinkTable
from estimator.record import Given, Json
from estimator.units import BoolArray, Column, IntArray, ratio_text

MOST_DOWN = 64
BETWEEN = "~"  # in the name of all links between two devices: leaf-001~spine-002


@dataclass(frozen=True)
class Down:
    """What is down, by device index: switches, and all links between pairs (lower, upper)."""

    devices: frozenset[int] = frozenset()
    pairs: frozenset[tuple[int, int]] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.devices or self.pairs)


NOTHING_DOWN = Down()


def down_of(names: Sequence[str], devices: Devices) -> tuple[Down, list[str]]:
    """What names mean (``spine-003``, ``leaf-001~spine-002``), at most MOST_DOWN of them; and those that mean nothing."""
    gone: set[int] = set()
    pairs: set[tuple[int, int]] = set()
    unknown = []
    for name in dict.fromkeys(names):
        found = [devices.index_of(part.strip().lower()) for part in name.split(BETWEEN)]
        known = [index for index in found if index is not None]
        if len(known) != len(found) or len(gone) + len(pairs) >= MOST_DOWN:
            unknown.append(name)
        elif len(known) == 1 and devices.kind(known[0]) in SWITCH_KINDS:
            gone.add(known[0])
        elif len(known) == 2 and known[0] != known[1]:
            pairs.add((min(known), max(known)))
        else:
            unknown.append(name)
    return Down(frozenset(gone), frozenset(pairs)), unknown


def names_of(down: Down, devices: Devices) -> list[str]:
    """The names of what is down, in order: the reverse of ``down_of``."""
    names = devices.names
    return [names[index] for index in sorted(down.devices)] + [
        f"{names[lower]}{BETWEEN}{names[upper]}" for lower, upper in sorted(down.pairs)
    ]


def alive_links(table: LinkTable, down: Down) -> BoolArray:
    """Whether each link of the table is up: both its devices are, and it is not itself down."""
    gone = np.zeros(len(table.devices), dtype=np.bool_)
    gone[list(down.devices)] = True
    alive: BoolArray = ~(gone[table.a_device] | gone[table.b_device])
    if down.pairs:
        n = len(table.devices)
        cut = np.array([lower * n + upper for lower, upper in down.pairs], dtype=np.int64)
        involved = np.flatnonzero(np.isin(table.a_device, [lower for lower, _ in down.pairs]))
        key = table.a_device[involved].astype(np.int64) * n + table.b_device[involved]
        alive[involved[np.isin(key, cut)]] = False
    return alive


@dataclass(frozen=True)
class Impact:
    """What is left with something down; shares are of what there was, None where the fabric has no such links.

    An endpoint is cut off if it has no link, or is not in the largest part of its network; a node, if it reaches most
    others over no network and no other node. ``worst_leaf`` and ``node_ports`` are those of what is not cut off.
    """

    links: int
    links_left: int
    endpoints: int
    endpoints_cut_off: int
    nodes: int
    nodes_cut_off: int
    ports_per_node: int
    node_ports: int
    uplinks: Fraction | None
    worst_leaf: Fraction | None
    worst_leaf_name: str | None
    core_links: Fraction | None
    worst_core_links: Fraction | None

    def as_json(self) -> Json:
        """Counts, and shares as two integers."""
        shares = ("uplinks", "worst_leaf", "core_links", "worst_core_links")
        return {
            name: (None if value is None else ratio_text(value)) if name in shares else value
            for name, value in vars(self).items()
        }


def impact_of(table: LinkTable, down: Down) -> Impact:
    """What is left of a fabric with something down; docs/diagrams.md has the words."""
    alive, fabric, devices = alive_links(table, down), table.fabric, table.devices
    part, has_uplinks = _parts(table, alive)
    rows = table.rows(NODE_LEAF)
    leaf = table.b_device[rows] - devices.first[LEAF]
    is_main = _in_main_part(table, part)
    served = alive[rows] & is_main[leaf]
    node = table.a_device[rows]
    ports, had = (
        np.bincount(node, weights=w, minlength=devices.n[NODE]).astype(np.int64) for w in (served, np.ones(len(node)))
    )
    cut = _nodes_cut_off(table, node, np.where(alive[rows], part[leaf], -1).astype(np.int64)) & (had > 0)
    kept = np.flatnonzero(~cut & (had > 0))
    lost = had - ports
    worst = int(lost[kept].max(initial=0))
    uplinks, of_leaf, name = _uplinks(table, alive, is_main & has_uplinks)
    core_links, of_pod = _core_links(table, alive)
    most_ports = int(had.max(initial=0))
    return Impact(
        len(table),
        int(alive.sum()),
        fabric.n_endpoints,
        int((~served).sum()),
        int((had > 0).sum()),
        int(cut.sum()),
        most_ports,
        most_ports - worst,
        uplinks,
        of_leaf,
        name,
        core_links,
        of_pod,
    )


def _parts(table: LinkTable, alive: BoolArray) -> tuple[IntArray, BoolArray]:
    """(number of the part that each leaf is in, whether it has an uplink, or needs none), over switches alone."""
    from scipy.sparse import coo_matrix  # for a fast start: scipy takes long to load
    from scipy.sparse.csgraph import connected_components

    devices, first = table.devices, table.devices.first[LEAF]
    n = len(devices) - first
    between = slice(table.rows(LEAF_SPINE).start, len(table))
    up = alive[between]
    a, b = table.a_device[between][up] - first, table.b_device[between][up] - first
    graph = coo_matrix((np.ones(len(a), dtype=np.int8), (a, b)), shape=(n, n))
    _, label = connected_components(graph, directed=False)
    n_leaf = table.fabric.n_leaf
    has = np.bincount(a[a < n_leaf], minlength=n_leaf) > 0
    return label[:n_leaf].astype(np.int64), has | (table.fabric.tiers == 1)


def _in_main_part(table: LinkTable, part: IntArray) -> BoolArray:
    """Whether each leaf is in the part of its component that has most endpoints."""
    fabric = table.fabric
    main = np.zeros(fabric.n_leaf, dtype=np.bool_)
    each = fabric.n_leaf // fabric.n_components
    for component in range(fabric.n_components):
        own = slice(component * each, (component + 1) * each)
        sizes = np.bincount(part[own], weights=fabric.leaf_endpoints[own])
        main[own] = part[own] == sizes.argmax()
    return main


def _nodes_cut_off(table: LinkTable, node: Column, part: IntArray) -> BoolArray:
    """Nodes that are not in the largest set of nodes that reach each other, over parts of networks and over nodes."""
    from scipy.sparse import coo_matrix  # for a fast start: scipy takes long to load
    from scipy.sparse.csgraph import connected_components

    n, up = table.devices.n[NODE], part >= 0
    size = n + int(part.max(initial=0)) + 1
    graph = coo_matrix((np.ones(int(up.sum()), dtype=np.int8), (node[up], n + part[up])), shape=(size, size))
    _, label = connected_components(graph, directed=False)
    counted = np.bincount(label[:n])
    cut: BoolArray = label[:n] != counted.argmax()
    return cut | (np.bincount(node[up], minlength=n) == 0)


def _uplinks(
    table: LinkTable, alive: BoolArray, counts: BoolArray
) -> tuple[Fraction | None, Fraction | None, str | None]:
    """(of all leaves, of the worst leaf that still counts, its name)."""
    fabric, first, rows = table.fabric, table.devices.first[LEAF], table.rows(LEAF_SPINE)
    if rows.start == rows.stop:
        return None, None, None
    left = np.bincount(table.a_device[rows][alive[rows]] - first, minlength=fabric.n_leaf)
    total = Fraction(int(left.sum()), fabric.links_leaf_spine)
    some = np.flatnonzero(counts)
    if not len(some):
        return total, None, None
    worst = int(some[np.argmin(left[some] / fabric.leaf_up[some])])
    return total, Fraction(int(left[worst]), int(fabric.leaf_up[worst])), table.devices.names[first + worst]


def _core_links(table: LinkTable, alive: BoolArray) -> tuple[Fraction | None, Fraction | None]:
    """Links to cores that are left: of all spines, and of the worst group of spines that share leaves."""
    fabric, first, rows = table.fabric, table.devices.first[SPINE], table.rows(SPINE_CORE)
    if rows.start == rows.stop:
        return None, None
    left = np.bincount(table.a_device[rows][alive[rows]] - first, minlength=fabric.n_spine)
    wiring = fabric.wiring
    each = fabric.n_spine // (fabric.n_components * wiring.columns)
    place = np.arange(fabric.n_spine)
    group = place // each * wiring.pods + np.minimum(place % each // max(wiring.spines, 1), wiring.pods - 1)
    sums = np.bincount(group, weights=left).astype(np.int64)
    had = np.bincount(group, weights=fabric.spine_up).astype(np.int64)
    worst = int(np.argmin(sums / np.maximum(had, 1)))
    return Fraction(int(left.sum()), fabric.links_spine_core), Fraction(int(sums[worst]), int(had[worst]))


def system_with(system: Given, impact: Impact, nics_per_node: int) -> Json:
    """The ``system`` of a prediction with the losses in it: what the worst leaf, pod and server have lost.

    A server that lost ports lost as many NICs as had them; the worst pod's links to the cores make its ratio worse.
    """
    out = dict(system)
    lost_ports = impact.ports_per_node - impact.node_ports
    out["failed_nics"] = math.ceil(lost_ports * nics_per_node / max(impact.ports_per_node, 1))
    if impact.worst_leaf is not None:
        out["failed_uplinks"] = float(1 - impact.worst_leaf)
    if impact.worst_core_links:
        down, up = (int(part) for part in str(system.get("spine_oversubscription") or "1:1").split(":"))
        out["spine_oversubscription"] = ratio_text(Fraction(down, up) / impact.worst_core_links)
    return out
