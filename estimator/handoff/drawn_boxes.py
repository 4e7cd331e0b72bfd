"""What a drawing shows: boxes (a device, or a group of like ones) and lines (the links between two boxes, counted)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from estimator.cabling.links import LinkList
from estimator.catalog.ports import COMPUTE
from estimator.fabric.devices import CORE, KINDS, LEAF, MANAGER, NODE, SPINE
from estimator.fabric.topology import LEAF_SPINE, NODE_LEAF
from estimator.handoff.placement import FABRIC, Level, Placement, most_linked, placement
from estimator.units import IntArray, counted

NO_NODES = "no nodes"


@dataclass(frozen=True, slots=True)
class Box:
    """``names`` are its devices."""

    kind: str
    label: str
    names: list[str]


@dataclass(frozen=True, slots=True)
class Line:
    """Links between two boxes, of one tier."""

    tier: int
    lower: int
    upper: int
    n_links: int


@dataclass(frozen=True)
class Drawing:
    """Boxes in device order; ``box_of`` has the box of every device."""

    links: LinkList
    detail: str
    boxes: list[Box]
    box_of: IntArray

    def of(self, *kinds: str) -> list[int]:
        """Boxes of these kinds, by number."""
        return [number for number, box in enumerate(self.boxes) if box.kind in kinds]

    @cached_property
    def lines(self) -> list[Line]:
        """Distinct pairs of boxes of each tier, with their links."""
        table, n_boxes = self.links.table, len(self.boxes)
        ends = self.box_of[table.a_device] * n_boxes + self.box_of[table.b_device]
        distinct, n_links = np.unique(table.tier.astype(np.int64) * n_boxes**2 + ends, return_counts=True)
        rest, upper = np.divmod(distinct, n_boxes)
        tier, lower = np.divmod(rest, n_boxes)
        columns = (tier.tolist(), lower.tolist(), upper.tolist(), n_links.tolist())
        return [Line(*values) for values in zip(*columns, strict=True)]


@dataclass(frozen=True)
class _Groups:
    """Leaf groups and pods of nodes, leaves and spines; a switch that reaches no node has the number after the last."""

    placed: Placement
    leaf_unit: IntArray
    leaf_pod: IntArray
    spine_pod: IntArray

    @property
    def units(self) -> Level:
        return self.placed.levels[0]

    @property
    def pods(self) -> Level:
        return self.placed.levels[min(1, len(self.placed.levels) - 1)]


# Group numbers of the devices of one kind, and the group's names; None: every device is a box of its own
_Split = Callable[[_Groups], tuple[IntArray, tuple[str, ...]]] | None


def _by_unit(kind: str) -> _Split:
    return lambda g: (g.units.of_node if kind == NODE else g.leaf_unit, g.units.names)


def _by_pod(kind: str) -> _Split:
    return lambda g: ({NODE: g.pods.of_node, LEAF: g.leaf_pod, SPINE: g.spine_pod}[kind], g.pods.names)


DETAILS: dict[str, dict[str, _Split]] = {
    "every device": {},
    "nodes by leaf group": {NODE: _by_unit(NODE)},
    "nodes and leaves by leaf group, spines by pod": {
        NODE: _by_unit(NODE),
        LEAF: _by_unit(LEAF),
        SPINE: _by_pod(SPINE),
    },
    "nodes, leaves and spines by pod": {kind: _by_pod(kind) for kind in (NODE, LEAF, SPINE)},
}


def drawings(links: LinkList) -> Iterator[Drawing]:
    """The same fabric in every one of DETAILS, the most detailed first.

    Fabric managers are one box as soon as nodes are grouped, cores as soon as spines are.
    """
    groups, devices = _groups(links), links.table.devices
    noun = {MANAGER: "fabric manager", NODE: NODE if links.role == COMPUTE else "host"}
    for detail, splits in DETAILS.items():
        boxes: list[Box] = []
        box_of = np.zeros(len(devices), dtype=np.int64)
        for kind in KINDS:
            names = devices.names[devices.of(kind)]
            split = splits.get(kind)
            numbers, titles = split(groups) if split else (np.arange(len(names)), ())
            if (kind == MANAGER and splits) or (kind == CORE and SPINE in splits):
                numbers, titles = np.zeros(len(names), dtype=np.int64), (FABRIC,)
            used, inverse = np.unique(numbers, return_inverse=True)
            box_of[devices.of(kind)] = inverse + len(boxes)
            boxes += _boxes(kind, noun.get(kind, kind), names, used.tolist(), inverse, titles)
        yield Drawing(links, detail, boxes, box_of)


def _boxes(
    kind: str, noun: str, names: list[str], used: list[int], inverse: IntArray, groups: tuple[str, ...]
) -> list[Box]:
    """One box a group, or (no groups) a device."""
    if not groups:
        return [Box(kind, name, [name]) for name in names]
    members: list[list[str]] = [[] for _ in used]
    for name, box in zip(names, inverse.tolist(), strict=True):
        members[box].append(name)
    titles = [groups[group] if group < len(groups) else NO_NODES for group in used]
    return [
        Box(kind, f"{shown}\n{counted(len(inside), noun)}", inside)
        for shown, inside in zip(titles, members, strict=True)
    ]


def _groups(links: LinkList) -> _Groups:
    """Where most links of a leaf come from, and of a spine."""
    placed, table, devices = placement(links), links.table, links.table.devices
    units, pods = placed.levels[0], placed.levels[min(1, len(placed.levels) - 1)]
    nodes, leaves = table.rows(NODE_LEAF), table.rows(LEAF_SPINE)
    leaf_unit = np.full(devices.n[LEAF], len(units.names))
    at, unit = most_linked(
        table.b_device[nodes] - devices.first[LEAF], units.of_node[table.a_device[nodes]], len(units.names)
    )
    leaf_unit[at] = unit
    pod_of_unit = np.full(len(units.names) + 1, len(pods.names))
    pod_of_unit[units.of_node] = pods.of_node
    leaf_pod = pod_of_unit[leaf_unit]
    spine_pod = np.full(devices.n[SPINE], len(pods.names))
    if len(spine_pod):
        n_pods = len(pods.names) + 1
        of_link = leaf_pod[table.a_device[leaves] - devices.first[LEAF]]
        at, pod = most_linked(table.b_device[leaves] - devices.first[SPINE], of_link, n_pods)
        spine_pod[at] = pod
    return _Groups(placed, leaf_unit, leaf_pod, spine_pod)
