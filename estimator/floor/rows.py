"""Where racks stand: nodes and switches of a fabric → rows of racks, units and pods together.

A block is the nodes of a scalable unit, or of a few small ones, with their leaves (without units: of a pod), a pod the blocks
whose leaves share spines. Blocks fill rows one after the other and are not torn apart unless one is longer than a row.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from estimator.fabric.devices import CORE, KINDS, LEAF, MANAGER, NODE, SPINE
from estimator.fabric.sized import SizedFabric, segments_of
from estimator.fabric.topology import LEAF_SPINE, NODE_LEAF, LinkTable
from estimator.floor.devices import PDU, FloorDevices
from estimator.floor.racks import NodeRack, network_fits
from estimator.spec.floor import SitePlan
from estimator.units import IntArray, ceil_div

Boxes = list[tuple[str, list[int]]]  # kind and devices of each box
Item = TypeVar("Item")


@dataclass(slots=True)
class Rack:
    """Nodes first_node … stop_node − 1 from the bottom up, and boxes from the top down."""

    first_node: int = 0
    stop_node: int = 0
    boxes: Boxes = field(default_factory=list)


@dataclass(slots=True)
class Row:
    """Racks from left to right; a row of network racks alone stands in the middle of the floor's width."""

    racks: list[Rack]
    is_network: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """Nodes first … first + n − 1 and the leaves that serve them."""

    first: int
    n: int
    leaves: list[int]


@dataclass(frozen=True, slots=True)
class Pod:
    """Blocks, and the spines that only they meet."""

    blocks: list[Block]
    spines: list[int]


def pods_of(table: LinkTable, units: int = 1) -> list[Pod]:
    """The blocks of a fabric by pod; ``units`` units of a pod make a block."""
    fabric, devices = table.fabric, table.devices
    pod_nodes = _pod_nodes(fabric)
    unit = fabric.unit_nodes or pod_nodes
    sizes = segments_of(fabric.n_nodes, (pod_nodes, min(unit * units, pod_nodes)))
    starts = np.cumsum(sizes) - sizes
    first_node = _first_lower(table, NODE_LEAF, LEAF, fabric.n_nodes - 1)
    leaf_order = np.lexsort((np.arange(fabric.n_leaf), first_node))
    block_of_leaf = np.searchsorted(starts, first_node, side="right") - 1
    leaves: list[list[int]] = [[] for _ in sizes]
    for leaf in leaf_order.tolist():
        leaves[block_of_leaf[leaf]].append(devices.first[LEAF] + leaf)
    blocks = [Block(*block) for block in zip(starts.tolist(), sizes.tolist(), leaves, strict=True)]
    n_pods = ceil_div(fabric.n_nodes, pod_nodes)
    spines: list[list[int]] = [[] for _ in range(n_pods)]
    first_leaf = _first_lower(table, LEAF_SPINE, SPINE, devices.first[LEAF]) - devices.first[LEAF]
    for spine, leaf in enumerate(first_leaf.tolist()):
        spines[int(first_node[leaf]) // pod_nodes].append(devices.first[SPINE] + spine)
    return [Pod([b for b in blocks if b.first // pod_nodes == number], spines[number]) for number in range(n_pods)]


def _pod_nodes(fabric: SizedFabric) -> int:
    if fabric.tiers < 3 or fabric.pods < 2:
        return fabric.n_nodes
    rows = fabric.wiring.pod_rows
    return rows * fabric.unit_nodes if fabric.wiring.rails_a_leaf else fabric.nodes_per_pod


def _first_lower(table: LinkTable, tier: int, kind: str, otherwise: int) -> IntArray:
    """Lowest device below each device of a kind; ``otherwise`` where no link reaches it."""
    rows, devices = table.rows(tier), table.devices
    out = np.full(devices.n[kind], otherwise, dtype=np.int64)
    # rows are in order of the lower device, and of several values for one index the last one written stays
    out[table.b_device[rows][::-1] - devices.first[kind]] = table.a_device[rows][::-1]
    return out


class Floor:
    """Rows of racks in the making, for one plan and the boxes of one design."""

    def __init__(
        self, plan: SitePlan, devices: FloorDevices, node_rack: NodeRack, row_length: int, rack_unit: int
    ) -> None:
        self.plan, self.bodies, self.node_rack, self.devices = plan, devices.bodies, node_rack, devices
        self.row_length, self.rack_unit = row_length, rack_unit  # racks begin again after so many nodes of a block
        self._fits: dict[frozenset[str], int] = {}

    def rows(self, pods: Sequence[Pod]) -> list[Row]:
        """All rows in order: pods with the rows of their spines, cores between them or first."""
        plan, cores = self.plan, self._of(CORE)
        others, managers = self._others(), self._of(MANAGER)
        by_pod = []
        for number, pod in enumerate(pods):
            apart = self._boxes(pod.spines, SPINE) if plan.spine_placement != "end-of-row" else []
            if plan.leaf_placement == "network-row":
                apart = self._boxes([leaf for block in pod.blocks for leaf in block.leaves], LEAF) + apart
            ends = self._boxes(pod.spines, SPINE) if plan.spine_placement == "end-of-row" else []
            first: Boxes = []
            if (
                number == 0 and not cores
            ):  # with the first switches that stand apart, else managers with the first leaves
                apart, first = (others + managers + apart, []) if apart or others else ([], managers)
            by_pod.append(self._joined(self._node_rows(pod, first, ends), self._network_rows(apart)))
        core_rows = self._network_rows(others + managers + cores) if cores else []
        if len(by_pod) == 1 and core_rows:
            return self._joined(by_pod[0], core_rows)
        half = ceil_div(len(by_pod), 2) if plan.spine_placement == "middle" else 0
        before, after = ([row for rows in part for row in rows] for part in (by_pod[:half], by_pod[half:]))
        return [*before, *core_rows, *after]

    def _others(self) -> Boxes:
        """What the other networks add: their managers, switches and hosts."""
        out: Boxes = []
        start = len(self.devices.compute)
        for group in self.devices.groups[len(KINDS) :]:
            if group.kind != PDU:
                out += self._boxes(list(range(start, start + group.n)), group.key)
            start += group.n
        return out

    def _joined(self, rows: list[Row], network: list[Row]) -> list[Row]:
        half = ceil_div(len(rows), 2) if self.plan.spine_placement == "middle" else 0
        return [*rows[:half], *network, *rows[half:]]

    def _of(self, kind: str) -> Boxes:
        part = self.devices.compute.of(kind)
        return self._boxes(list(range(part.start, part.stop)), kind)

    def _boxes(self, devices: list[int], kind: str) -> Boxes:
        each = self.bodies[kind].per_box
        return [(kind, devices[k : k + each]) for k in range(0, len(devices), each)]

    def _capacity(self, kinds: frozenset[str]) -> int:
        """Boxes of these kinds that a network rack holds."""
        if kinds not in self._fits:
            self._fits[kinds] = network_fits(self.plan, [self.bodies[kind] for kind in kinds])
        return self._fits[kinds]

    def _packed(self, *groups: Boxes) -> list[Rack]:
        """Network racks filled in order; a group goes on in the last rack of the one before."""
        racks: list[Rack] = []
        kinds: frozenset[str] = frozenset()
        room = 0
        for box in (box for group in groups for box in group):
            if box[0] not in kinds:
                kinds |= {box[0]}
                room = self._capacity(kinds) - len(racks[-1].boxes) if racks else 0
            if room < 1:
                racks.append(Rack())
                kinds = frozenset((box[0],))
                room = self._capacity(kinds)
            racks[-1].boxes.append(box)
            room -= 1
        return racks

    def _network_rows(self, boxes: Boxes) -> list[Row]:
        racks = self._packed(boxes)
        n_rows = ceil_div(len(racks), self.row_length)
        return [Row(part, True) for part in _dealt(racks, n_rows)]

    def _node_rows(self, pod: Pod, first: Boxes, ends: Boxes) -> list[Row]:
        """Rows of one pod's nodes with their leaves; ``first`` stands with the first leaves, ``ends`` at the rows' ends."""
        chunks = [self._chunked(block) for block in pod.blocks]
        chunks[0] = (chunks[0][0], first + chunks[0][1])
        room = self.row_length
        n_racks = sum(len(racks) + self._n_network(leaves) for racks, leaves in chunks)
        a_row = ceil_div(len(ends), ceil_div(n_racks, room))
        reserve = min(ceil_div(a_row, self._capacity(_kinds(ends))), room // 2) if ends else 0
        rows = self._filled(chunks, room - reserve)
        each = min(ceil_div(len(ends), len(rows)), reserve * self._capacity(_kinds(ends))) if ends else 0
        out = []
        for number, (racks, pooled) in enumerate(rows):
            here = ends[number * each : (number + 1) * each]
            if self.plan.leaf_placement == "middle-of-row":
                half = len(racks) // 2
                racks = [*racks[:half], *self._packed(pooled), *racks[half:], *self._packed(here)]
            else:
                racks = [*racks, *self._packed(pooled, here)]
            out.append(Row(racks))
        return [*out, *self._network_rows(ends[len(rows) * each :])]

    def _n_network(self, leaves: Boxes) -> int:
        return ceil_div(len(leaves), self._capacity(_kinds(leaves))) if leaves else 0

    def _chunked(self, block: Block) -> tuple[list[Rack], Boxes]:
        """Node racks of a block, with leaves in them where those stand there, and the leaves that need other racks."""
        racks = list(self._whole_racks(block) if self.node_rack.is_whole else self._racks(block))
        boxes = self._boxes(block.leaves, LEAF)
        if self.plan.leaf_placement == "network-row":
            return racks, []
        if self.plan.leaf_placement != "in-rack":
            return racks, boxes
        n_inside = min(len(boxes), self.node_rack.n_leaf_boxes * len(racks))
        for number, box in enumerate(boxes[:n_inside]):
            racks[(2 * number + 1) * len(racks) // (2 * n_inside)].boxes.append(box)
        return racks, boxes[n_inside:]

    def _racks(self, block: Block) -> Iterator[Rack]:
        """Racks of a block; a unit begins with a new one."""
        each, stop = self.node_rack.n_nodes, block.first + block.n
        for start in range(block.first, stop, self.rack_unit):
            for first in range(start, min(start + self.rack_unit, stop), each):
                yield Rack(first, min(first + each, start + self.rack_unit, stop))

    def _whole_racks(self, block: Block) -> Iterator[Rack]:
        """Racks that are bought whole are filled in order, over the ends of units: one stands where its first node is."""
        each, n_nodes = self.node_rack.n_nodes, self.devices.compute.n[NODE]
        for first in range(ceil_div(block.first, each) * each, block.first + block.n, each):
            yield Rack(first, min(first + each, n_nodes))

    def _filled(self, blocks: list[tuple[list[Rack], Boxes]], room: int) -> list[tuple[list[Rack], Boxes]]:
        """Blocks in rows of at most ``room`` racks: racks of a row, and leaves that all its blocks pool."""
        pools = self.plan.leaf_placement in ("end-of-row", "middle-of-row")
        rows: list[tuple[list[Rack], Boxes]] = []
        for racks, leaves in blocks:
            parts = self._parts(racks, leaves, room)
            for part, own in parts:
                in_unit = [] if pools else self._packed(own)
                half = len(part) // 2
                unit = [*part[:half], *in_unit, *part[half:]]
                pooled = own if pools else []
                fits = rows and len(rows[-1][0]) + len(unit) + self._n_network(rows[-1][1] + pooled) <= room
                if not fits or len(parts) > 1:
                    rows.append(([], []))
                rows[-1][0].extend(unit)
                rows[-1][1].extend(pooled)
        return rows

    def _parts(self, racks: list[Rack], leaves: Boxes, room: int) -> list[tuple[list[Rack], Boxes]]:
        """A block in as few equal parts as rows can hold."""
        capacity = self._capacity(_kinds(leaves)) if leaves else 1
        n = max(ceil_div(len(racks) + self._n_network(leaves), room), 1)  # a unit within another's whole rack has none
        while ceil_div(len(racks), n) + ceil_div(ceil_div(len(leaves), n), capacity) > room:
            n += 1
        return list(zip(_dealt(racks, n), _dealt(leaves, n), strict=True))


def _kinds(boxes: Boxes) -> frozenset[str]:
    return frozenset(kind for kind, _ in boxes)


def _dealt(items: list[Item], n: int) -> list[list[Item]]:
    """``items`` in ``n`` runs whose lengths differ by one at most."""
    return [items[len(items) * k // n : len(items) * (k + 1) // n] for k in range(n)]
