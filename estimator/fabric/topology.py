"""One sized design → its link table: a row a link, with both ends' device, cage and port.

Columns are written once, by broadcasting small patterns over pods, rails and planes, so that the table costs little more
than the memory it fills. Cages and ports count from 0; ports.py has what platforms print on them. Downlinks take a
switch's ports from the first one up; uplinks take the last ports that are not kept free, from the start of a cage where
downlinks leave room for it, so that cages facing up and down are apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from estimator.catalog.ports import COMPUTE, links_per_node_cage, switch_ports
from estimator.fabric.core_links import core_links, first_spine_uplink, first_uplink
from estimator.fabric.devices import (
    CORE,
    LEAF,
    MANAGER,
    MANAGER_PORTS,
    SPINE,
    Devices,
    devices_of,
    first_manager_ports,
    manager_links_of_leaves,
    managers_of_components,
)
from estimator.fabric.sized import SizedFabric, rows_by_rail, seats_of_last_pod, segments_of
from estimator.units import Column, IntArray, ceil_div

if TYPE_CHECKING:
    from estimator.catalog.catalog import Catalog
    from estimator.spec.design import DesignSpec

TIERS = ("node-leaf", "fabric-manager", "leaf-spine", "spine-core", "leaf-leaf")  # the last within pairs of leaves
NODE_LEAF, FABRIC_MANAGER, LEAF_SPINE, SPINE_CORE, LEAF_LEAF = range(5)


class Panels(NamedTuple):
    """Links that one cage carries, by kind of device; those between switches at the rate of the uplinks.

    ``leaf_up`` is that of a leaf's uplinks, which may run at another rate than its other ports; 0 says that they do not.
    """

    node: int = 1
    manager: int = 1
    leaf: int = 1
    spine: int = 1
    core: int = 1
    leaf_up: int = 0


def panels_of(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog) -> Panels:
    """Cages of the design's parts; a custom switch has those of the generation's usual one, a custom node one a link."""

    def links(part: str | None, rates: tuple[int, ...]) -> int:
        switch = catalog.switches[part] if part else catalog.usual_switch(spec.fabric.generation, rates)
        ports = switch_ports(switch, rates[0])
        return ports.links_per_cage if ports else 1

    hosts, rate, up = fabric.hosts, fabric.port_rate_gbit_s, fabric.uplink_rate_gbit_s
    network = catalog.network(spec.compute.server, hosts.role if hosts else COMPUTE)
    ports_a_node = hosts.ports_per_node if hosts else fabric.nic_ports_per_node
    node = links_per_node_cage(network, ports_a_node) if network else 1
    spine, core = (links(part, (up,)) for part in (fabric.spine_switch, fabric.core_switch))
    leaf = links(fabric.leaf_switch, (rate, up))
    return Panels(node, 1, leaf, spine, core, fabric.wiring.up_a_cage if fabric.has_own_uplinks else leaf)


@dataclass(frozen=True)
class LinkTable:
    """All links of one fabric, in order of tier, lower device and its port. Columns have shape (n_links,).

    End a is the lower one (node, manager, leaf, spine), end b the upper one. ``plane`` and ``rail`` count from 1; rail 0
    is a link of no one rail. ``b_lane`` is 0 for a whole port, else the lane (from 1) of a split one.
    """

    fabric: SizedFabric
    devices: Devices
    panels: Panels
    tier: Column
    plane: Column
    rail: Column
    a_device: Column
    a_cage: Column
    a_port: Column
    b_device: Column
    b_cage: Column
    b_port: Column
    b_lane: Column
    rate_gbit_s: Column

    def __len__(self) -> int:
        return len(self.tier)

    def rows(self, tier: int) -> slice:
        """Rows of one tier (NODE_LEAF …)."""
        ends = np.cumsum(_tier_counts(self.fabric))
        return slice(int(ends[tier - 1]) if tier else 0, int(ends[tier]))


_DTYPES = {
    "tier": np.uint8,
    "plane": np.uint8,
    "rail": np.int16,
    "a_device": np.int32,
    "a_cage": np.int16,
    "a_port": np.int16,
    "b_device": np.int32,
    "b_cage": np.int16,
    "b_port": np.int16,
    "b_lane": np.uint8,
    "rate_gbit_s": np.int32,
}


def _tier_counts(fabric: SizedFabric) -> tuple[int, ...]:
    return (
        fabric.links_node_leaf,
        fabric.links_fabric_manager,
        fabric.links_leaf_spine,
        fabric.links_spine_core,
        fabric.links_leaf_leaf,
    )


def link_table(fabric: SizedFabric, panels: Panels) -> LinkTable:
    """Every link of a sized fabric.

    Notes
    -----
    Node links: NIC port ``rail · planes + plane`` of every node goes to the leaf of its rail and unit, at the node's
    place in the unit; without rails, endpoints fill leaves in node order. Upward, a switch's k links to one switch above
    are neighbours, as are their ports up there; where uplinks do not divide, links go round the switches above, and each
    lower switch goes on where the one before stopped: no spine stays dark and ports differ by one at most.
    """
    devices = devices_of(fabric)
    counts = _tier_counts(fabric)
    columns = _empty_columns(sum(counts))
    writers: tuple[Callable[[_Rows], None], ...] = (_nodes, _managers, _leaves, _spines, _pairs)
    start = 0
    for tier, (n_links, write) in enumerate(zip(counts, writers, strict=True)):
        part = {name: column[start : start + n_links] for name, column in columns.items()}
        start += n_links
        if n_links:
            part["tier"].fill(tier)
            part["b_lane"].fill(0)
            part["rate_gbit_s"].fill(_rate_gbit_s(fabric, tier))
            write(_Rows(fabric, devices, panels, part))
    return LinkTable(fabric, devices, panels, **columns)


def _rate_gbit_s(fabric: SizedFabric, tier: int) -> int:
    """Rate of a tier's links."""
    if tier in (LEAF_SPINE, SPINE_CORE):
        return fabric.uplink_rate_gbit_s
    return fabric.endpoint_rate_gbit_s if tier == NODE_LEAF else fabric.port_rate_gbit_s


def _empty_columns(n_links: int) -> dict[str, Column]:
    """All columns in one piece of memory: the system maps one large piece faster than many small ones."""
    by_width = sorted(_DTYPES.items(), key=lambda item: -np.dtype(item[1]).itemsize)  # widest first: each is aligned
    memory = np.empty(n_links * sum(np.dtype(dtype).itemsize for _, dtype in by_width), np.uint8)
    columns, start = {}, 0
    for name, dtype in by_width:
        end = start + n_links * np.dtype(dtype).itemsize
        columns[name], start = memory[start:end].view(dtype), end
    return columns


class _Rows(NamedTuple):
    """Rows of one tier, to be filled."""

    fabric: SizedFabric
    devices: Devices
    panels: Panels
    column: dict[str, Column]

    def view(self, name: str, *shape: int) -> Column:
        """A column of these rows as an array of more axes; writing to it writes the column."""
        return self.column[name].reshape(shape)


# ---------------------------------------------------------------- nodes and fabric managers


def _nodes(out: _Rows) -> None:
    """Axes: node, rail, plane."""
    fabric, wiring = out.fabric, out.fabric.wiring
    nodes, planes = fabric.n_nodes, fabric.planes
    rails = fabric.nic_ports_per_node // planes
    shape = (nodes, rails, planes)
    port = np.arange(rails * planes, dtype=np.int16).reshape(rails, planes)
    rail, plane = np.arange(rails)[:, None], np.arange(planes)[None, :]
    out.view("a_device", *shape)[...] = np.arange(nodes, dtype=np.int32)[:, None, None]
    out.view("a_port", *shape)[...] = port
    out.view("a_cage", *shape)[...] = port // out.panels.node
    out.view("plane", *shape)[...] = plane + 1
    out.view("rail", *shape)[...] = 0 if fabric.layout == "top-of-rack" else rail + 1
    alone = fabric.layout == "rail-only"
    component = plane * rails + rail if alone else np.broadcast_to(plane, (rails, planes))
    per_component = wiring.rows * wiring.columns
    first = (out.devices.first[LEAF] + component * per_component).astype(np.int32)
    if wiring.rails_a_leaf:
        q = wiring.rails_a_leaf
        row, place = rows_by_rail(wiring, np.arange(nodes))
        set_of_leaves = (row * wiring.columns).astype(np.int32)
        column = (first + rail // q).astype(np.int32)
        np.add(set_of_leaves[:, None, None], column, out=out.view("b_device", *shape))
        seat = (place * q)[:, None] + np.arange(rails) % q
    else:
        row, seat = seats_in_node_order(fabric)  # of the endpoints that a node has in one component
        np.add(row.astype(np.int32)[:, :, None], first, out=out.view("b_device", *shape))
    leaf_port = (seat // fabric.endpoints_per_port).astype(np.int16)
    out.view("b_port", *shape)[...] = leaf_port[:, :, None]
    out.view("b_cage", *shape)[...] = (leaf_port // out.panels.leaf)[:, :, None]
    if fabric.endpoints_per_port > 1:
        out.view("b_lane", *shape)[...] = (seat % fabric.endpoints_per_port + 1)[:, :, None]


def seats_in_node_order(fabric: SizedFabric) -> tuple[IntArray, IntArray]:
    """(leaf row, seat at the leaf) of every endpoint of one component, shape (n_nodes, endpoints a node)."""
    wiring, each = fabric.wiring, fabric.wiring.endpoints_a_node
    nodes = np.arange(fabric.n_nodes, dtype=np.int64)
    if not wiring.blocks:
        endpoint = nodes[:, None] * each + np.arange(each)
        return endpoint // wiring.capacity, endpoint % wiring.capacity
    segments = segments_of(wiring.built_nodes, wiring.blocks)
    starts = np.cumsum(segments) - segments
    leaf_rows = ceil_div(segments * each, wiring.capacity)
    segment = np.searchsorted(starts, nodes, side="right") - 1
    endpoint = (nodes - starts[segment])[:, None] * each + np.arange(each)
    first_row = (np.cumsum(leaf_rows) - leaf_rows)[segment]
    row, seat = endpoint // wiring.capacity, endpoint % wiring.capacity
    if wiring.last_pod_from:
        is_last = nodes >= wiring.last_pod_from
        row[is_last], seat[is_last] = seats_of_last_pod(wiring, endpoint[is_last])
    return first_row[:, None] + row, seat


def _managers(out: _Rows) -> None:
    """Managers of a component take its links in leaf order, MANAGER_PORTS each."""
    fabric, devices = out.fabric, out.devices
    links = manager_links_of_leaves(fabric)
    leaf = np.repeat(np.arange(fabric.n_leaf), links)
    nth = np.arange(len(leaf)) - np.repeat(np.cumsum(links) - links, links)
    by_component = managers_of_components(fabric)
    in_component = np.arange(len(leaf)) - np.repeat(np.cumsum(by_component) - by_component, by_component)
    managers = ceil_div(by_component, MANAGER_PORTS)
    first = np.repeat(np.cumsum(managers) - managers, by_component)
    leaf_port = first_manager_ports(fabric, out.panels.leaf)[leaf] + nth
    values = {
        "plane": devices.plane[devices.first[LEAF] + leaf],
        "rail": devices.rail[devices.first[LEAF] + leaf],
        "a_device": devices.first[MANAGER] + first + in_component // MANAGER_PORTS,
        "a_cage": in_component % MANAGER_PORTS // out.panels.manager,
        "a_port": in_component % MANAGER_PORTS,
        "b_device": devices.first[LEAF] + leaf,
        "b_cage": leaf_port // out.panels.leaf,
        "b_port": leaf_port,
    }
    for name, value in values.items():
        out.column[name][...] = value


# ---------------------------------------------------------------- switches to switches


def leaf_uplink_ports(fabric: SizedFabric, panels: Panels) -> tuple[int, int, int]:
    """(first port, cage of it, links a cage) of the uplinks of a leaf.

    Uplinks of a rate of their own have the last cages, and numbers after all other ports.
    """
    uplinks = fabric.leaf_uplinks
    if fabric.has_own_uplinks:
        first = fabric.leaf_radix - uplinks
        return first, ceil_div(first, panels.leaf), panels.leaf_up or 1
    downlinks = max(int(fabric.leaf_down.max(initial=0)), fabric.leaf_downlinks)
    first = first_uplink(fabric.wiring.leaf_ports, uplinks, downlinks, panels.leaf)
    return first, first // panels.leaf, panels.leaf


def leaf_uplink_cages(fabric: SizedFabric, panels: Panels) -> IntArray:
    """Cage of every uplink of a leaf."""
    first, cage, links = leaf_uplink_ports(fabric, panels)
    start = 0 if fabric.has_own_uplinks else first % links
    cages: IntArray = cage + (start + np.arange(fabric.leaf_uplinks)) // links
    return cages


def _leaves(out: _Rows) -> None:
    """Axes: component, leaf row, leaf column, uplink; with three tiers the rows of a pod's group meet its spines."""
    fabric, wiring, devices = out.fabric, out.fabric.wiring, out.devices
    copies, uplinks = fabric.n_components, fabric.leaf_uplinks
    first, _, _ = leaf_uplink_ports(fabric, out.panels)
    port = np.arange(first, first + uplinks, dtype=np.int16)
    per_leaf = (fabric.n_leaf, uplinks)
    leaf = np.arange(devices.first[LEAF], devices.first[LEAF] + fabric.n_leaf, dtype=np.int32)
    out.view("a_device", *per_leaf)[...] = leaf[:, None]
    out.view("a_port", *per_leaf)[...] = port
    out.view("a_cage", *per_leaf)[...] = leaf_uplink_cages(fabric, out.panels)
    _fill_plane_and_rail(out, leaf, uplinks)
    is_three = fabric.tiers == 3
    columns = wiring.columns if is_three else 1
    rows = wiring.rows if is_three else wiring.rows * wiring.columns
    shape = (copies, rows, columns, uplinks)
    spines_a_column = (wiring.pods - 1) * wiring.spines + (wiring.last_spines or wiring.spines)
    group = (np.arange(copies)[:, None] * columns + np.arange(columns)) * spines_a_column + devices.first[SPINE]
    n_full = (wiring.pods - 1) * wiring.pod_rows
    for rows_of, n_rows, spines, pods, first_pod in (
        (slice(0, n_full), wiring.pod_rows, wiring.spines, wiring.pods - 1, 0),
        (slice(n_full, rows), rows - n_full, wiring.last_spines or wiring.spines, 1, wiring.pods - 1),
    ):
        if pods < 1:
            continue
        spine, spine_port = _spread(np.full(n_rows, uplinks), spines)
        pod = ((first_pod + np.arange(pods)) * wiring.spines).astype(np.int32)
        for c in range(copies):
            start = (pod[:, None] + group[c]).astype(np.int32)  # (pods, columns)
            block = (pods, n_rows, columns, uplinks)
            np.add(
                start[:, None, :, None], spine[:, None, :], out=out.view("b_device", *shape)[c, rows_of].reshape(block)
            )
            out.view("b_port", *shape)[c, rows_of].reshape(block)[...] = spine_port[:, None, :]
            out.view("b_cage", *shape)[c, rows_of].reshape(block)[...] = (spine_port // out.panels.spine)[:, None, :]


def _spread(uplinks: IntArray, over: int) -> tuple[Column, Column]:
    """(upper switch, its port) of each uplink of lower switches with equally many, shape (n_lower, n_uplinks)."""
    n, each = len(uplinks), int(uplinks[0])
    if each % over == 0:
        a_pair = each // over
        upper = np.broadcast_to(np.arange(each, dtype=np.int32) // a_pair, (n, each))
        return upper, (np.arange(n)[:, None] * a_pair + np.arange(each) % a_pair).astype(np.int16)
    turn = np.arange(n * each, dtype=np.int64).reshape(n, each)
    return (turn % over).astype(np.int32), (turn // over).astype(np.int16)


def _pairs(out: _Rows) -> None:
    """Axes: pair of leaves that stand next to each other, link; they take the first ports that are kept free."""
    fabric, leaf = out.fabric, out.devices.first[LEAF]
    pairs = fabric.n_leaf // 2
    each = fabric.links_leaf_leaf // pairs
    port = np.arange(fabric.leaf_kept_from, fabric.leaf_kept_from + each)
    lower = np.arange(leaf, leaf + 2 * pairs, 2)[:, None]
    for end, device in (("a", lower), ("b", lower + 1)):
        out.view(f"{end}_device", pairs, each)[...] = device
        out.view(f"{end}_port", pairs, each)[...] = port
        out.view(f"{end}_cage", pairs, each)[...] = port // out.panels.leaf
    out.view("plane", pairs, each)[...] = out.devices.plane[lower]
    out.column["rail"].fill(0)


def _fill_plane_and_rail(out: _Rows, lower: Column, each: int) -> None:
    for name, by_device in (("plane", out.devices.plane), ("rail", out.devices.rail)):
        out.view(name, len(lower), each)[...] = by_device[lower][:, None]


def _spines(out: _Rows) -> None:
    """Axes: component, column, uplink of the column's spines: those of all pods, one pod after the other."""
    fabric, wiring, devices = out.fabric, out.fabric.wiring, out.devices
    copies, columns = fabric.n_components, wiring.columns
    column = core_links(wiring)
    n_links, n_spines = len(column.spine), int(column.spine[-1]) + 1
    shape = (copies, columns, n_links)
    first = first_spine_uplink(wiring, out.panels.spine)
    port = (first + column.held_uplink).astype(np.int16)
    stack = np.arange(copies)[:, None] * columns + np.arange(columns)
    spine_base = (devices.first[SPINE] + stack * n_spines).astype(np.int32)
    np.add(spine_base[:, :, None], column.spine.astype(np.int32), out=out.view("a_device", *shape))
    out.view("a_port", *shape)[...] = port
    out.view("a_cage", *shape)[...] = port // out.panels.spine
    for name, by_device in (("plane", devices.plane), ("rail", devices.rail)):
        out.view(name, *shape)[...] = by_device[spine_base][:, :, None]
    core_base = (devices.first[CORE] + np.arange(copies) * sum(wiring.cores)).astype(np.int32)
    core, core_port = column.meets(columns)
    np.add(core_base[:, None, None], core, out=out.view("b_device", *shape))
    out.view("b_port", *shape)[...] = core_port
    out.view("b_cage", *shape)[...] = core_port // out.panels.core
