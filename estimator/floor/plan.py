"""A floor plan: the rack and rack unit of every device, the place, power and weight of every rack, the length of every link.

The rules, and where their figures come from, are in docs/floor_plan.md; what a rack holds is in racks.py, the order of
racks on the floor in rows.py.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from estimator.catalog.catalog import Catalog
from estimator.catalog.rack_records import RackBlock
from estimator.errors import Problem
from estimator.fabric.devices import KINDS, LEAF, MANAGER, NODE, SWITCH_KINDS
from estimator.fabric.topology import FABRIC_MANAGER, LEAF_SPINE, NODE_LEAF, SPINE_CORE, LinkTable
from estimator.floor.devices import PDU, FloorDevices, Network, floor_devices
from estimator.floor.problems import exceeds, rack_problems
from estimator.floor.racks import RACK_UNIT_M, Body, NodeRack, network_fits, node_rack
from estimator.floor.result import FloorFigures, FloorSize, PanelCounts, PlacedDevice, PlacedRack, RackPower, RackWeight
from estimator.floor.rows import Floor, Rack, Row, pods_of
from estimator.spec.design import DesignSpec
from estimator.spec.floor import SitePlan
from estimator.units import W_PER_KW, FloatArray, IntArray, ceil_div

Float32Array = npt.NDArray[np.float32]
_BLOCK = 16_384  # links


@dataclass(frozen=True)
class FloorPlan:
    """Racks in order of row and position, and devices in them. ``plan`` is the resolved site.plan.

    By rack, shape (n_racks,): ``row`` and ``position`` count from 1; ``x_m``, ``y_m`` are the rack's middle, from that of
    the first one; ``role`` is the kind of device that it is for (``manager``: also other networks). By device, shape
    (n_devices,): ``rack`` counts from 0, ``bottom_unit`` from 1, ``units`` is its height.
    """

    plan: SitePlan
    devices: FloorDevices
    node_rack: NodeRack
    row: IntArray
    position: IntArray
    x_m: FloatArray
    y_m: FloatArray
    role: tuple[str, ...]
    rack: IntArray
    bottom_unit: IntArray
    units: IntArray
    panels: Mapping[int, int]
    panel_extra_m: float

    @property
    def n_racks(self) -> int:
        """Racks of the floor."""
        return len(self.row)

    @property
    def n_rows(self) -> int:
        """Rows of the floor."""
        return int(self.row.max(initial=0))

    @cached_property
    def names(self) -> list[str]:
        """Name of every rack: its row and its position, as R02-07."""
        width = len(str(int(self.position.max(initial=0)))) if self.n_racks else 2
        return [f"R{row:02d}-{place:0{max(width, 2)}d}" for row, place in zip(self.row, self.position, strict=True)]

    @cached_property
    def typical_w(self) -> FloatArray:
        """Typical draw of every rack: switches without transceivers."""
        return self._sum("typical_w", self.node_rack.frame_typical_w)

    @cached_property
    def max_w(self) -> FloatArray:
        """Most that every rack draws: switches with the transceivers they can feed."""
        return self._sum("max_w", self.node_rack.frame_max_w)

    @cached_property
    def weight_kg(self) -> FloatArray:
        """Weight of every rack's equipment, as far as the catalog knows it."""
        return self._sum("weight_kg", self.node_rack.frame_weight_kg)

    @cached_property
    def used_units(self) -> IntArray:
        """Rack units in use in every rack."""
        used = np.bincount(self.rack, self.units, self.n_racks).astype(np.int64)
        used[self._has_nodes] += sum(block.n_units for block in self.node_rack.fixtures)
        return used

    @cached_property
    def _has_nodes(self) -> npt.NDArray[np.bool_]:
        return np.bincount(self.rack[self.devices.compute.of(NODE)], minlength=self.n_racks) > 0

    def _sum(self, measure: str, frame: float) -> FloatArray:
        bodies = [self.devices.bodies[group.key] for group in self.devices.groups]
        by_device = self.devices.of_groups([getattr(body, measure) / body.per_box for body in bodies])
        total = np.bincount(self.rack, by_device, self.n_racks).astype(np.float64)
        total[self._has_nodes] += frame
        return total

    def unknown(self, measure: str) -> tuple[str, ...]:
        """Names of parts whose ``max_w`` or ``weight_kg`` the catalog does not know: sums leave them out."""
        is_whole = self.node_rack.frame_weight_kg and measure == "weight_kg"
        kinds = {PDU, NODE} if is_whole else {PDU}
        bodies = [
            self.devices.bodies[group.key] for group in self.devices.groups if group.n and group.kind not in kinds
        ]
        return tuple(dict.fromkeys(body.name for body in bodies if not getattr(body, measure)))

    @cached_property
    def is_over(self) -> npt.NDArray[np.bool_]:
        """Racks over their limit of power or load."""
        power_w, load_kg = (self.plan.rack_power_kw or 0.0) * W_PER_KW, self.plan.rack_weight_kg or 0.0
        return exceeds(self.max_w, power_w) | exceeds(self.weight_kg, load_kg)

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """Racks over a limit, each kind of limit once, with a change of the request that ends it."""
        node = self.devices.bodies[NODE]
        return tuple(
            rack_problems(self.plan, self.node_rack, node, self.names, self._has_nodes, self.max_w, self.weight_kg)
        )

    def severity(self, problem: Problem) -> Literal["error", "warning"]:
        """A rack that is bought whole cannot be spread over more racks: over its limit it cannot stand here."""
        is_final = self.node_rack.is_whole and problem.code in ("rack_power_exceeded", "rack_weight_exceeded")
        return "error" if is_final else "warning"

    # ---------------------------------------------------------------- lengths

    @cached_property
    def _ends(self) -> tuple[Float32Array, Float32Array, Float32Array]:
        """x, y of every device, and the way from its middle up to the tray. [m]"""
        middle = self.bottom_unit - 1 + self.units / 2
        drop = (self.plan.tray_height_m or 0.0) + ((self.plan.rack_units or 0) - middle) * RACK_UNIT_M
        x, y = self.x_m[self.rack], self.y_m[self.rack]
        return x.astype(np.float32), y.astype(np.float32), drop.astype(np.float32)

    def link_lengths_m(self, table: LinkTable) -> Float32Array:
        """Length of every link, before a stock length is chosen.

        Between racks: up to the tray, along the row and across the aisles, and down. In one rack: straight. To that
        comes the share for bends, slack at both ends, and what patch panels add.

        Returns
        -------
        float32 array, shape (n_links,)
            In the order of the table. [m]
        """
        lengths = np.empty(len(table), dtype=np.float32)
        place = self.devices.indexes_of(table)
        for start in range(0, len(table), _BLOCK):  # what a block needs stays in the processor's cache
            rows = slice(start, start + _BLOCK)
            a, b = table.a_device[rows].astype(np.intp), table.b_device[rows].astype(np.intp)
            lengths[rows] = self._between(a, b) if place is None else self._between(place[a], place[b])
        for tier, n_panels in self.panels.items():
            if n_panels:
                lengths[table.rows(tier)] += np.float32(n_panels * self.panel_extra_m)
        return lengths

    def _between(self, a: npt.NDArray[np.intp], b: npt.NDArray[np.intp]) -> Float32Array:
        """Lengths between devices, panels left out. [m]"""
        x, y, drop = self._ends
        flat = np.abs(x.take(a) - x.take(b))
        flat += np.abs(y.take(a) - y.take(b))
        up_a, up_b = drop.take(a), drop.take(b)
        route = np.where(flat > 0, flat + up_a + up_b, np.abs(up_a - up_b))
        route *= np.float32(1 + (self.plan.slack_share or 0.0))
        route += np.float32(2 * (self.plan.slack_m or 0.0))
        return route

    # ---------------------------------------------------------------- for pages and REST

    def devices_in(self, rack: int) -> list[PlacedDevice]:
        """Devices of one rack (counted from 0) from the top down; what takes no rack units is left out."""
        inside = np.flatnonzero((self.rack == rack) & (self.units > 0))
        order = inside[np.argsort(-self.bottom_unit[inside], kind="stable")]
        names, groups, bodies = self.devices.names, self.devices.groups, self.devices.bodies
        found = [(i, groups[self.devices.group[i]]) for i in order.tolist()]
        return [
            PlacedDevice(
                name=names[i],
                kind=group.kind,
                part=bodies[group.key].name,
                bottom_unit=int(self.bottom_unit[i]),
                units=int(self.units[i]),
                max_w=bodies[group.key].max_w / bodies[group.key].per_box,
            )
            for i, group in found
        ]

    def fixtures_in(self, rack: int) -> tuple[RackBlock, ...]:
        """What a rack that is bought whole holds beside nodes."""
        return self.node_rack.fixtures if self._has_nodes[rack] else ()

    def racks(self, racks: Iterable[int] | None = None) -> list[PlacedRack]:
        """Racks (counted from 0; all if None) without their devices."""
        return [
            PlacedRack(
                number=i + 1,
                name=self.names[i],
                row=int(self.row[i]),
                position=int(self.position[i]),
                x_m=round(float(self.x_m[i]), 2),
                y_m=round(float(self.y_m[i]), 2),
                role=self.role[i],
                used_units=int(self.used_units[i]),
                typical_w=round(float(self.typical_w[i]), 1),
                max_w=round(float(self.max_w[i]), 1),
                weight_kg=round(float(self.weight_kg[i]), 1),
            )
            for i in (range(self.n_racks) if racks is None else racks)
        ]

    def answer(self) -> FloorFigures:
        """The floor in a few figures, whatever its size."""
        roles = {kind: self.role.count(kind) for kind in KINDS}
        most = int(np.argmax(self.max_w))
        return FloorFigures(
            racks=self.n_racks,
            rows=self.n_rows,
            racks_by_role={k: n for k, n in roles.items() if n},
            nodes_per_rack=self.node_rack.n_nodes,
            floor_m=FloorSize(
                width=round(float(self.x_m.max()) + (self.plan.rack_pitch_m or 0), 2),
                depth=round(float(self.y_m.max()) + (self.plan.row_pitch_m or 0), 2),
            ),
            rack_w=RackPower(
                typical=round(float(self.typical_w.max()), 1),
                max=round(float(self.max_w[most]), 1),
                in_=self.names[most],
                unknown=list(self.unknown("max_w")),
            ),
            rack_kg=RackWeight(
                max=round(float(self.weight_kg.max()), 1),
                in_=self.names[int(np.argmax(self.weight_kg))],
                unknown=list(self.unknown("weight_kg")),
            ),
            used_units=int(self.used_units.max()),
            panels=PanelCounts(
                node_leaf=self.panels[NODE_LEAF],
                leaf_spine=self.panels[LEAF_SPINE],
                spine_core=self.panels[SPINE_CORE],
            ),
        )


def floor_plan(spec: DesignSpec, table: LinkTable, catalog: Catalog, networks: Sequence[Network] = ()) -> FloorPlan:
    """Places of all devices of the compute network (``table``) and of the other networks.

    Raises
    ------
    ValueError
        If the request asks for no floor plan (``site.plan`` is null).
    """
    plan = spec.site.plan
    if plan is None:
        raise ValueError("a floor plan needs site.plan")
    devices = floor_devices(spec, table, networks, catalog)
    bodies = devices.bodies
    largest = max((block for pod in pods_of(table) for block in pod.blocks), key=lambda block: block.n)
    in_rack = plan.leaf_placement == "in-rack"
    filling = node_rack(spec, bodies, catalog, largest.n, len(largest.leaves) if in_rack else 0)
    unit = table.fabric.unit_nodes or table.fabric.n_nodes
    rack_unit = unit * max(filling.n_nodes // unit, 1)
    pods = pods_of(table, _units_of_a_block(plan, filling, bodies, unit, len(largest.leaves), catalog))
    row_length = _row_length(plan, filling, devices, catalog)
    rows = Floor(plan, devices, filling, row_length, rack_unit).rows(pods)
    rack, bottom_unit = _places([rack for row in rows for rack in row.racks], plan, filling, devices)
    row, position, start = _grid(rows)
    x_m, y_m = (position - 1 + start).astype(np.float64), (row - 1).astype(np.float64)
    panels = {
        NODE_LEAF: plan.node_leaf_panels,
        FABRIC_MANAGER: plan.node_leaf_panels,
        LEAF_SPINE: plan.leaf_spine_panels,
        SPINE_CORE: plan.spine_core_panels,
    }
    return FloorPlan(
        plan=plan,
        devices=devices,
        node_rack=filling,
        row=row,
        position=position,
        x_m=x_m * (plan.rack_pitch_m or 0.0),
        y_m=y_m * (plan.row_pitch_m or 0.0),
        role=tuple(_role(rack) for row_ in rows for rack in row_.racks),
        rack=rack,
        bottom_unit=bottom_unit,
        units=devices.of_groups([bodies[group.key].device_units for group in devices.groups]).astype(np.int64),
        panels=panels,
        panel_extra_m=catalog.floor_defaults["panel_extra_m"].value,
    )


def _units_of_a_block(
    plan: SitePlan, filling: NodeRack, bodies: Mapping[str, Body], unit: int, leaves: int, catalog: Catalog
) -> int:
    """How many units stand together: as many as a rack holds, and of small ones as many as share a rack of leaves."""
    in_a_rack = max(filling.n_nodes // unit, 1)
    if plan.leaf_placement != "per-unit" or not leaves:
        return in_a_rack
    least = int(catalog.floor_defaults["unit_racks_least"].value)
    share = network_fits(plan, [bodies[LEAF]]) * bodies[LEAF].per_box // leaves
    return max(in_a_rack, min(ceil_div(least, ceil_div(unit, filling.n_nodes)), share))


def _row_length(plan: SitePlan, filling: NodeRack, devices: FloorDevices, catalog: Catalog) -> int:
    """Racks in a row: as asked, or such that a floor of about so many racks is square, within the catalog's bounds."""
    if plan.racks_per_row:
        return plan.racks_per_row
    n_switches = sum(group.n for group in devices.groups if group.kind in SWITCH_KINDS)
    racks = ceil_div(devices.compute.n[NODE], filling.n_nodes) + ceil_div(n_switches, plan.switches_per_rack or 1)
    square = math.ceil(math.sqrt(racks * (plan.row_pitch_m or 1) / (plan.rack_pitch_m or 1)))
    least, most = (int(catalog.floor_defaults[f"racks_per_row_{end}"].value) for end in ("least", "most"))
    return min(max(square, least), most)


def _role(rack: Rack) -> str:
    """The kind that a rack is for: nodes where there are any, else the kind of compute switch with most boxes, if any."""
    if rack.stop_node > rack.first_node:
        return NODE
    keys = [key for key, _ in rack.boxes]
    return max(SWITCH_KINDS, key=keys.count) if set(keys) & set(SWITCH_KINDS) else MANAGER


def _grid(rows: list[Row]) -> tuple[IntArray, IntArray, IntArray]:
    """Row and position of every rack, from 1, and by how many racks its row is moved to the middle."""
    lengths = np.array([len(row.racks) for row in rows])
    longest = int(lengths.max())
    starts = np.array([(longest - len(row.racks)) // 2 if row.is_network else 0 for row in rows])
    row = np.repeat(np.arange(len(rows)), lengths)
    position = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return row + 1, position + 1, np.repeat(starts, lengths)


def _places(racks: list[Rack], plan: SitePlan, filling: NodeRack, devices: FloorDevices) -> tuple[IntArray, IntArray]:
    """Rack (from 0) and bottom unit (from 1) of every device: nodes from the bottom up, boxes from the top down.

    PDUs are dealt over all racks, at half their height.
    """
    n_devices = len(devices.group)
    rack, bottom = np.full(n_devices, -1), np.zeros(n_devices, dtype=np.int64)
    slots = np.array(filling.bottom_units)
    spans = np.array([(r.first_node, r.stop_node, i) for i, r in enumerate(racks) if r.stop_node > r.first_node])
    spans = spans[np.argsort(spans[:, 0])]
    n_nodes = spans[:, 1] - spans[:, 0]
    of_nodes = devices.compute.of(NODE)
    rack[of_nodes] = np.repeat(spans[:, 2], n_nodes)
    bottom[of_nodes] = slots[np.arange(n_nodes.sum()) - np.repeat(spans[:, 0], n_nodes)]
    top = (plan.rack_units or 0) - (plan.reserved_units or 0)
    for number, one in enumerate(racks):
        free = top
        for key, inside in one.boxes:
            body = devices.bodies[key]
            free -= body.units
            for k, device in enumerate(inside):
                rack[device], bottom[device] = number, free + 1 + body.units - (k + 1) * body.device_units
    pdus = np.flatnonzero(np.array([group.kind == PDU for group in devices.groups])[devices.group])
    rack[pdus], bottom[pdus] = np.arange(len(pdus)) * len(racks) // max(len(pdus), 1), max(top // 2, 1)
    return rack, bottom
