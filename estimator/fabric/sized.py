"""One sized design, switch by switch: used ports of every leaf, spine and core, and what follows from them.

``SizedFabric`` is what cabling, BOM, power and performance read. Its arrays are generated from the structure (units,
groups, sets), so that their sums check the closed forms of sizing.py; tests build the same network as a graph and compare.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from estimator.fabric.columns import Sizing, downlinks_beside, spine_downlinks
from estimator.fabric.result import CountedNetwork, Counts, Links, Ports, Split, SwitchModel
from estimator.units import IntArray, ceil_div

if TYPE_CHECKING:
    from estimator.fabric.hosts import Hosts
    from estimator.spec.design import DesignSpec


@dataclass(frozen=True)
class Wiring:
    """Which switch meets which: what topology.py expands to links. Counts are of one component; 0 where there is none.

    ``blocks`` are the nodes of a pod and of a unit where leaves are filled in node order and such blocks were requested.
    ``leaf_ports`` and ``spine_ports`` leave out what is kept free.
    """

    rails_a_leaf: int  # 0: leaves are filled in node order
    endpoints_a_node: int
    rows: int  # leaves of one column
    columns: int  # leaves side by side: one a rail, or a group of rails
    capacity: int  # endpoints of a leaf filled in node order
    built_nodes: int  # nodes that leaves are built for
    unit_nodes: int  # of one set of rail leaves
    blocks: tuple[int, ...]
    pods: int
    pod_nodes: int  # where pods are as large as today's nodes need, else 0
    pod_rows: int
    last_pod_rows: int
    spines: int  # of a group
    last_spines: int
    spine_up: int
    last_spine_up: int
    last_spine_up_held: int  # cores, and the spine itself, hold ports for so many once the design has grown
    spine_up_most: int  # of any spine, then
    cores: tuple[int, ...]  # of each core group
    cores_held: tuple[int, ...]  # the same, once the design has grown
    leaf_ports: int
    spine_ports: int
    spine_ports_down: int  # of three tiers: those that may face leaves
    last_pod_from: int = 0  # first node of a last pod whose leaves share its nodes evenly; 0: there is none
    last_pod_share: int = 0  # by rail, nodes of its largest unit; else endpoints of its fullest leaf
    last_pod_full: int = 0  # units, or leaves, that have so many; the others have one less
    down_a_cage: int = 1  # ports of a leaf's cage at the port rate, and at the rate of uplinks that run at another:
    up_a_cage: int = 1  # both 1 where all ports of a leaf are alike


@dataclass(frozen=True)
class SizedFabric:
    """One network of a design. Counts are whole-design totals; arrays have one entry a switch, in ports."""

    tiers: int
    planes: int
    layout: str
    n_components: int
    n_nodes: int
    n_gpus: int
    n_endpoints: int
    n_leaf: int
    n_spine: int
    n_core: int
    links_node_leaf: int
    links_fabric_manager: int
    links_leaf_spine: int
    links_spine_core: int
    nic_ports_per_node: int
    port_rate_gbit_s: int
    endpoint_rate_gbit_s: int
    endpoints_per_port: int
    leaf_switch: str | None
    spine_switch: str | None
    core_switch: str | None
    leaf_radix: int
    spine_radix: int
    core_radix: int
    leaf_downlinks: int
    leaf_uplinks: int
    unit_nodes: int
    nodes_per_leaf: int
    nodes_per_pod: int
    pods: int
    group_spines: tuple[int, ...]  # spines that a leaf meets; in the last pod it may be fewer
    group_cores: tuple[int, ...]  # cores that a spine meets
    wiring: Wiring
    leaf_endpoints: IntArray
    leaf_positions: IntArray
    leaf_down: IntArray
    leaf_up: IntArray
    spine_down: IntArray
    spine_up: IntArray
    core_down: IntArray
    uplink_rate_gbit_s: int  # of the links between switches; of leaves that have ports for it beside those to nodes
    role: str = "compute"
    hosts: Hosts | None = None  # of a storage or management network: what its attachments, here nodes, stand for
    links_leaf_leaf: int = 0  # within pairs of leaves

    @property
    def switches(self) -> tuple[tuple[str, str | None, int], ...]:
        """(role, catalog id or None for a custom switch, count) of leaf, spine and core, where there are any."""
        parts = (self.leaf_switch, self.spine_switch, self.core_switch)
        roles = zip(("leaf", "spine", "core"), parts, (self.n_leaf, self.n_spine, self.n_core), strict=True)
        return tuple(role for role in roles if role[2])

    @property
    def lane_rate_gbit_s(self) -> int:
        """What a leaf offers an endpoint: a port, or a lane of a split one; slower NICs do not fill it. [Gb/s]"""
        return self.port_rate_gbit_s // self.endpoints_per_port

    @property
    def has_own_uplinks(self) -> bool:
        """Whether uplinks of a leaf run at another rate than its other ports: they are numbered after all of those."""
        return self.uplink_rate_gbit_s != self.port_rate_gbit_s

    @property
    def leaf_kept_from(self) -> int:
        """Number of the first leaf port that is kept free."""
        return self.wiring.leaf_ports - (self.leaf_uplinks if self.has_own_uplinks else 0)

    @property
    def leaf_ports_at_rate(self) -> int:
        """Radix of a leaf: its ports at the port rate, were all cages set to it."""
        cages = ceil_div(self.leaf_uplinks, self.wiring.up_a_cage) if self.has_own_uplinks else 0
        return self.leaf_radix - (self.leaf_uplinks - cages * self.wiring.down_a_cage if cages else 0)

    @property
    def leaf_fed_gbit_s(self) -> IntArray:
        """What the uplinks of each leaf must carry: its links, and in full units the ports held open. [Gb/s]"""
        managers = self.leaf_down - ceil_div(self.leaf_endpoints, self.endpoints_per_port)
        used = self.leaf_endpoints * self.endpoint_rate_gbit_s + managers * self.port_rate_gbit_s
        return np.maximum(used, self.leaf_positions * self.endpoint_rate_gbit_s)

    @property
    def built_ratio(self) -> Fraction:
        """Oversubscription read off the links of all leaves; 1 with one tier."""
        if not self.leaf_up.any():
            return Fraction(1)
        return Fraction(int(self.leaf_fed_gbit_s.sum()), int(self.leaf_up.sum()) * self.uplink_rate_gbit_s)

    @property
    def worst_leaf_ratio(self) -> Fraction:
        """The highest oversubscription of any leaf."""
        if not self.leaf_up.any():
            return Fraction(1)
        fed, up = self.leaf_fed_gbit_s, self.leaf_up
        worst = int(np.argmax(fed / up))
        return Fraction(int(fed[worst]), int(up[worst]) * self.uplink_rate_gbit_s)

    @property
    def spine_ratio(self) -> Fraction:
        """Oversubscription of the spines of three tiers; 1 below."""
        return Fraction(int(self.spine_down.sum()), int(self.spine_up.sum())) if self.spine_up.any() else Fraction(1)

    @property
    def injection_gbit_s(self) -> int:
        """All endpoints sending at once."""
        return self.n_endpoints * self.endpoint_rate_gbit_s

    @property
    def bisection_gbit_s(self) -> int:
        """Least capacity over equal splits of the endpoint positions, one direction: half of the narrowest layer."""
        # fabric managers take ports and send no traffic of the nodes
        layers = [int(np.maximum(self.leaf_endpoints, self.leaf_positions).sum()) * self.endpoint_rate_gbit_s]
        if self.tiers >= 2:
            layers.append(self.links_leaf_spine * self.uplink_rate_gbit_s)
        if self.tiers == 3:
            layers.append(self.links_spine_core * self.uplink_rate_gbit_s)
        return min(layers) // 2

    def answer(self) -> CountedNetwork:
        """Counts, links, ports and capacities, as answered; ratios and paths are ratios.py's."""
        return CountedNetwork(
            tiers=self.tiers,
            planes=self.planes,
            layout=self.layout,
            counts=self.counts,
            links=self.links,
            ports=self._ports,
            switches={
                role: SwitchModel(
                    part=part, radix=self.leaf_ports_at_rate if role == "leaf" else getattr(self, f"{role}_radix")
                )
                for role, part, _ in self.switches
            },
            split=Split(
                leaf_downlinks=self.leaf_downlinks,
                leaf_uplinks=self.leaf_uplinks,
                scalable_unit_nodes=self.unit_nodes,
                nodes_per_leaf=self.nodes_per_leaf,
                nodes_per_pod=self.nodes_per_pod,
                pods=self.pods,
                components=self.n_components,
            ),
            port_rate_gbit_s=self.port_rate_gbit_s,
            uplink_rate_gbit_s=self.uplink_rate_gbit_s,
            lane_rate_gbit_s=self.lane_rate_gbit_s,
            endpoint_rate_gbit_s=self.endpoint_rate_gbit_s,
            injection_gbit_s=self.injection_gbit_s,
            bisection_gbit_s=self.bisection_gbit_s,
        )

    @property
    def counts(self) -> Counts:
        """Nodes, endpoints and switches."""
        return Counts(
            nodes=self.n_nodes,
            gpus=self.n_gpus,
            endpoints=self.n_endpoints,
            leaf=self.n_leaf,
            spine=self.n_spine,
            core=self.n_core,
            switches=self.n_leaf + self.n_spine + self.n_core,
        )

    @property
    def links(self) -> Links:
        """Connections by tier."""
        return Links(
            node_leaf=self.links_node_leaf,
            fabric_manager=self.links_fabric_manager,
            leaf_spine=self.links_leaf_spine,
            spine_core=self.links_spine_core,
        )

    @property
    def _ports(self) -> Ports:
        return Ports(
            leaf_down_used=int(self.leaf_down.sum()),
            leaf_down_open=int(np.maximum(self.leaf_downlinks - self.leaf_down, 0).sum()),
            leaf_up=int(self.leaf_up.sum()),
            spine_down=int(self.spine_down.sum()),
            spine_up=int(self.spine_up.sum()),
            spine_open=int((self.spine_radix - self.spine_down - self.spine_up).sum()),
            core_down=int(self.core_down.sum()),
            core_open=int((self.core_radix - self.core_down).sum()),
        )


def spines_by_ports(sizing: Sizing, i: int, fabric: SizedFabric) -> int:
    """Spines of one component of a network of two tiers that its uplinks would fill, even or not."""
    uplinks = fabric.n_leaf // fabric.n_components * fabric.leaf_uplinks
    return max(ceil_div(uplinks, int(sizing.asked.spine_ports[i])), int(sizing.asked.least_spines[i]))


def fabric_of(sizing: Sizing, i: int, spec: DesignSpec) -> SizedFabric:
    """Design number i of a batch, switch by switch.

    Raises
    ------
    ValueError
        If no fabric was found for it (``sizing.tiers[i]`` is 0).
    """
    if sizing.tiers[i] == 0:
        raise ValueError(f"design {i} has no fabric; ask designs.refusals.why_not")
    asked, part = sizing.asked, spec.fabric
    endpoints, positions = leaf_fill(sizing, i)
    copies = int(asked.n_components[i])
    endpoints, positions = np.tile(endpoints, copies), np.tile(positions, copies)
    uplinks = int(sizing.uplinks[i])
    spine_down, spine_up = _spine_ports(sizing, i)
    return SizedFabric(
        tiers=int(sizing.tiers[i]),
        planes=part.planes,
        layout=part.layout,
        n_components=copies,
        n_nodes=int(asked.nodes[i]),
        n_gpus=int(asked.gpus[i]),
        n_endpoints=int(sizing.endpoints[i]),
        n_leaf=int(sizing.n_leaf[i]),
        n_spine=int(sizing.n_spine[i]),
        n_core=int(sizing.n_core[i]),
        links_node_leaf=int(sizing.endpoints[i]),
        links_fabric_manager=int(sizing.manager_links_placed[i]),
        links_leaf_spine=int(sizing.links_leaf_spine[i]),
        links_spine_core=int(sizing.links_spine_core[i]),
        nic_ports_per_node=int(asked.ports_a_node[i]),
        port_rate_gbit_s=int(asked.port_rate_gbit_s[i]),
        endpoint_rate_gbit_s=int(asked.endpoint_rate_gbit_s[i]),
        endpoints_per_port=int(asked.endpoints_a_port[i]),
        leaf_switch=_part(part.leaf_switch),
        spine_switch=_part(part.spine_switch),
        core_switch=_part(part.core_switch),
        leaf_radix=_leaf_radix(sizing, i, spec),
        spine_radix=part.spine_radix or 0,
        core_radix=part.core_radix or 0,
        leaf_downlinks=_downlinks(sizing, i),
        leaf_uplinks=uplinks,
        unit_nodes=int(sizing.leaves.unit_nodes[i]),
        nodes_per_leaf=_leaf_nodes(sizing, i, int(endpoints.max(initial=0))),
        nodes_per_pod=_pod_nodes(sizing, i),
        pods=int(sizing.pods[i]),
        group_spines=tuple(sorted({int(sizing.group_spines[i]), int(sizing.last_group_spines[i])} - {0})),
        group_cores=_group_cores(sizing, i),
        wiring=_wiring(sizing, i),
        leaf_endpoints=endpoints,
        leaf_positions=positions,
        leaf_down=_leaf_down(sizing, i, endpoints),
        leaf_up=np.full(len(endpoints), uplinks, dtype=np.int64),
        spine_down=spine_down,
        spine_up=spine_up,
        core_down=core_ports(sizing, i),
        uplink_rate_gbit_s=int(asked.uplink_rate_gbit_s[i]),
    )


def _leaf_radix(sizing: Sizing, i: int, spec: DesignSpec) -> int:
    """Ports of a leaf; where uplinks have a rate of their own, its uplinks and the ports that are left beside them."""
    asked, radix = sizing.asked, spec.fabric.leaf_radix or 0
    if asked.uplink_rate_gbit_s[i] == asked.port_rate_gbit_s[i]:
        return radix
    return int(downlinks_beside(sizing.uplinks, asked)[i] + sizing.uplinks[i]) + spec.fabric.reserved.leaf_ports


def _wiring(sizing: Sizing, i: int) -> Wiring:
    asked, leaves, tiers = sizing.asked, sizing.leaves, int(sizing.tiers[i])
    is_three = tiers == 3
    n_groups = int(sizing.core_groups[i]) if is_three else 0
    return Wiring(
        rails_a_leaf=int(asked.rails_a_leaf[i]) if tiers > 1 else 0,
        endpoints_a_node=int(asked.endpoints_a_node[i]),
        rows=int(sizing.rows[i]) if tiers > 1 else 1,
        columns=int(leaves.columns[i]) if tiers > 1 else 1,
        capacity=int(leaves.capacity[i]) if tiers > 1 else int(asked.nodes[i] * asked.endpoints_a_node[i]),
        built_nodes=int(leaves.built_nodes[i]),
        unit_nodes=int(leaves.unit_nodes[i]),
        blocks=blocks_of(sizing, i) if tiers > 1 else (),
        pods=int(sizing.pods[i]) if is_three else 1,
        pod_nodes=int(asked.pod_nodes[i]) if is_three and asked.pods_of_today[i] else 0,
        pod_rows=int(sizing.pod_rows[i]) if is_three else 0,
        last_pod_rows=int(sizing.last_pod_rows[i]) if is_three else 0,
        spines=int(sizing.group_spines[i]) if tiers > 1 else 0,
        last_spines=int(sizing.last_group_spines[i]) if is_three else 0,
        spine_up=int(sizing.spine_up[i]) if is_three else 0,
        last_spine_up=int(sizing.last_spine_up[i]) if is_three else 0,
        last_spine_up_held=int(sizing.last_spine_up_held[i]) if is_three else 0,
        spine_up_most=int(sizing.spine_up_most[i]) if is_three else 0,
        cores=tuple(_cores_of_sets(sizing, i, np.arange(n_groups)).tolist()) if is_three else (),
        cores_held=tuple(_cores_of_sets(sizing, i, np.arange(n_groups)).tolist()) if is_three else (),
        leaf_ports=_leaf_ports(sizing, i),
        spine_ports=int(asked.spine_ports[i]),
        spine_ports_down=int(spine_downlinks(asked)[i]) if is_three else int(asked.spine_ports[i]),
        down_a_cage=int(asked.down_a_cage[i]),
        up_a_cage=int(asked.up_a_cage[i]),
        **_last_pod(sizing, i),
    )


def _last_pod(sizing: Sizing, i: int) -> dict[str, int]:
    """Where a last pod begins whose leaves share its nodes evenly; the largest share, and how many have it."""
    asked = sizing.asked
    if sizing.tiers[i] != 3 or not asked.last_pod_even[i]:
        return {}
    first = int((sizing.pods[i] - 1) * asked.pod_nodes[i])
    rest, rows = int(asked.nodes[i]) - first, int(sizing.last_pod_rows[i])
    each = 1 if asked.rails_a_leaf[i] else int(asked.endpoints_a_node[i])
    return {
        "last_pod_from": first,
        "last_pod_share": int(ceil_div(rest * each, rows)),
        "last_pod_full": (rest * each - 1) % rows + 1,
    }


def _leaf_ports(sizing: Sizing, i: int) -> int:
    """Ports of a leaf but those kept free, uplinks of a rate of their own counted at that rate."""
    asked = sizing.asked
    if asked.uplink_rate_gbit_s[i] == asked.port_rate_gbit_s[i]:
        return int(asked.leaf_ports[i])
    return int(downlinks_beside(sizing.uplinks, asked)[i] + sizing.uplinks[i])


def blocks_of(sizing: Sizing, i: int) -> tuple[int, ...]:
    """Nodes of a pod and of a unit, where leaves are filled in node order within them."""
    pod = int(sizing.asked.pod_nodes[i]) if sizing.tiers[i] == 3 else 0
    return tuple(block for block in (pod, int(sizing.leaves.unit_nodes[i])) if block)


def _part(switch: str | None) -> str | None:
    return None if switch == "custom" else switch


def _leaf_nodes(sizing: Sizing, i: int, endpoints: int) -> int:
    """Nodes that share a leaf of so many endpoints: by rail a node has its rails there, in node order all it can."""
    asked = sizing.asked
    if asked.rails_a_leaf[i] and sizing.tiers[i] > 1:
        return endpoints // int(asked.rails_a_leaf[i])
    return int(ceil_div(endpoints, int(asked.endpoints_a_node[i])))


def _pod_nodes(sizing: Sizing, i: int) -> int:
    """Nodes of a full pod; all of them where there are no pods."""
    asked, nodes = sizing.asked, int(sizing.asked.nodes[i])
    if sizing.pods[i] < 2:
        return nodes
    rows, unit = int(sizing.pod_rows[i]), int(sizing.leaves.unit_nodes[i])
    by_rows = (
        rows * unit
        if asked.rails_a_leaf[i]
        else rows * int(sizing.leaves.capacity[i]) // int(asked.endpoints_a_node[i])
    )
    return min(int(asked.pod_nodes[i]) or by_rows, nodes)


def _downlinks(sizing: Sizing, i: int) -> int:
    asked = sizing.asked
    return int(downlinks_beside(asked.up, asked)[i] if sizing.tiers[i] == 1 else sizing.leaves.downlinks[i])


def leaf_fill(sizing: Sizing, i: int) -> tuple[IntArray, IntArray]:
    """Endpoints, and positions built for, of each leaf of one component, in order of pod, unit and rail."""
    asked, leaves = sizing.asked, sizing.leaves
    per_node, nodes, built = int(asked.endpoints_a_node[i]), int(asked.nodes[i]), int(leaves.built_nodes[i])
    if sizing.tiers[i] == 1:
        return np.array([nodes * per_node]), np.array([built * per_node])
    unit, rails = int(leaves.unit_nodes[i]), int(asked.rails_a_leaf[i])
    last = _last_pod(sizing, i)
    if last:
        return _fill_with_last_pod(sizing, i, last["last_pod_from"])
    if rails:
        columns = int(leaves.columns[i])
        rows = int(sizing.rows[i])
        filled, positioned = (segments_of(n, (unit,), rows) * rails for n in (nodes, built))
        return np.repeat(filled, columns), np.repeat(positioned, columns)
    capacity = int(leaves.capacity[i])
    blocks = blocks_of(sizing, i)
    segments = segments_of(built, blocks)
    leaf_rows = ceil_div(segments * per_node, capacity)
    positions = _fill_in_order(segments * per_node, leaf_rows, capacity)
    whole_leaves = bool(asked.full_unit[i]) and not unit
    endpoints = _fill_in_order(segments_of(nodes, blocks, len(segments)) * per_node, leaf_rows, capacity)
    return endpoints, np.full_like(positions, capacity) if whole_leaves else positions


def _fill_with_last_pod(sizing: Sizing, i: int, first: int) -> tuple[IntArray, IntArray]:
    """As ``leaf_fill``, where the nodes of the last pod are shared out over as many leaves as those of the others."""
    asked, leaves = sizing.asked, sizing.leaves
    rest, rails, n_rows = int(asked.nodes[i]) - first, int(asked.rails_a_leaf[i]), int(sizing.last_pod_rows[i])
    if rails:
        rows = np.concatenate([segments_of(first, (int(leaves.unit_nodes[i]),)), even_or_uneven(rest, n_rows)])
        endpoints = np.repeat(rows * rails, int(leaves.columns[i]))
        return endpoints, endpoints
    per_node, capacity = int(asked.endpoints_a_node[i]), int(leaves.capacity[i])
    full = segments_of(first, (int(asked.pod_nodes[i]),)) * per_node
    last = even_or_uneven(rest * per_node, n_rows)
    endpoints = np.concatenate([_fill_in_order(full, ceil_div(full, capacity), capacity), last])
    return endpoints, endpoints


def rows_by_rail(wiring: Wiring, nodes: IntArray) -> tuple[IntArray, IntArray]:
    """(leaf row, place in the unit) of nodes by rail."""
    unit, first = wiring.unit_nodes, wiring.last_pod_from
    if not first:
        return nodes // unit, nodes % unit
    row, place = nodes // unit, nodes % unit
    is_last = nodes >= first
    in_pod, place[is_last] = seats_of_last_pod(wiring, nodes[is_last] - first)
    row[is_last] = (wiring.pods - 1) * wiring.pod_rows + in_pod
    return row, place


def seats_of_last_pod(wiring: Wiring, position: IntArray) -> tuple[IntArray, IntArray]:
    """(row within the pod, place there) of nodes, or endpoints, of a last pod that is shared evenly: larger shares first."""
    share, in_full = wiring.last_pod_share, wiring.last_pod_share * wiring.last_pod_full
    beyond, less = np.maximum(position - in_full, 0), max(share - 1, 1)
    is_full = position < in_full
    return (
        np.where(is_full, position // share, wiring.last_pod_full + beyond // less),
        np.where(is_full, position % share, beyond % less),
    )


def segments_of(nodes: int, blocks: tuple[int, ...], length: int = 0) -> IntArray:
    """Nodes of each block in node order: cut into pods, each pod into units; padded with empty blocks to ``length``."""
    sizes = np.array([nodes], dtype=np.int64)
    for block in blocks:
        n_blocks = ceil_div(sizes, block)
        rests = sizes - (n_blocks - 1) * block
        sizes = np.full(int(n_blocks.sum()), block, dtype=np.int64)
        sizes[np.cumsum(n_blocks) - 1] = rests
    return np.concatenate([sizes, np.zeros(max(length - len(sizes), 0), dtype=np.int64)])


def _fill_in_order(endpoints: IntArray, rows: IntArray, capacity: int) -> IntArray:
    """Leaves of each segment filled one after the other."""
    position = np.arange(rows.sum()) - np.repeat(np.cumsum(rows) - rows, rows)
    return np.clip(np.repeat(endpoints, rows) - position * capacity, 0, capacity)


def _leaf_down(sizing: Sizing, i: int, endpoints: IntArray) -> IntArray:
    """Ports in use below each leaf: those of its endpoints, and links of fabric managers where it has ports left."""
    asked = sizing.asked
    used = ceil_div(endpoints, int(asked.endpoints_a_port[i]))
    free = int(downlinks_beside(sizing.uplinks, asked)[i]) - used
    return used + _place_managers(free, int(sizing.manager_links_placed[i]), int(asked.n_components[i]))


def _place_managers(free: IntArray, links: int, components: int) -> IntArray:
    """Fabric-manager links, one a leaf and round again: the leaves with most free ports first, planes in turn."""
    placed = np.zeros_like(free)
    per_component = max(len(free) // components, 1)
    index = np.arange(len(free))
    while links > 0 and (free > placed).any():
        order = np.lexsort((index // per_component, index % per_component, placed - free))
        chosen = [leaf for leaf in order[:links] if free[leaf] > placed[leaf]]
        placed[chosen] += 1
        links -= len(chosen)
    return placed


def even_or_uneven(total: int, over: int) -> IntArray:
    """``total`` links over ``over`` switches as evenly as whole links allow."""
    counts = np.full(over, total // over if over else 0, dtype=np.int64)
    counts[: total - int(counts.sum())] += 1
    return counts


def _spine_ports(sizing: Sizing, i: int) -> tuple[IntArray, IntArray]:
    """Used down and up ports of every spine, in order of component, rail and pod."""
    copies, uplinks = int(sizing.asked.n_components[i]), int(sizing.uplinks[i])
    if sizing.tiers[i] == 1:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    if sizing.tiers[i] == 2:
        links = int(sizing.links_leaf_spine[i]) // copies
        down = np.tile(even_or_uneven(links, int(sizing.group_spines[i])), copies)
        return down, np.zeros_like(down)
    n_spines, n_last = int(sizing.group_spines[i]), int(sizing.last_group_spines[i])
    full = even_or_uneven(int(sizing.pod_rows[i]) * uplinks, n_spines), np.full(n_spines, int(sizing.spine_up[i]))
    last = even_or_uneven(int(sizing.last_pod_rows[i]) * uplinks, n_last), np.full(n_last, int(sizing.last_spine_up[i]))
    times = copies * int(sizing.leaves.columns[i])
    n_full = int(sizing.pods[i]) - 1
    down, up = (np.tile(np.concatenate([np.tile(full[side], n_full), last[side]]), times) for side in (0, 1))
    return down, up


def core_ports(sizing: Sizing, i: int) -> IntArray:
    """Used ports of every core, in order of component and core group."""
    if sizing.tiers[i] != 3:
        return np.zeros(0, dtype=np.int64)
    copies, groups = int(sizing.asked.n_components[i]), int(sizing.core_groups[i])
    columns, n_last = int(sizing.leaves.columns[i]), int(sizing.last_group_spines[i])
    # links of set j: spine numbers j, j + groups, … of every group of spines
    full = columns * (int(sizing.pods[i]) - 1) * int(sizing.spine_up[i])
    last = columns * int(sizing.last_spine_up[i])
    sets = np.arange(groups)
    links = full * _spines_in_set(int(sizing.group_spines[i]), groups, sets) + last * _spines_in_set(
        n_last, groups, sets
    )
    n_cores = _cores_of_sets(sizing, i, sets)
    return np.tile(
        np.concatenate([even_or_uneven(int(n), int(c)) for n, c in zip(links, n_cores, strict=True)]), copies
    )


def _group_cores(sizing: Sizing, i: int) -> tuple[int, ...]:
    if sizing.tiers[i] != 3:
        return ()
    return tuple(sorted(set(_cores_of_sets(sizing, i, np.arange(int(sizing.core_groups[i]))).tolist())))


def _spines_in_set(spines: int, groups: int, sets: IntArray) -> IntArray:
    return (spines - sets + groups - 1) // groups


def _cores_of_sets(sizing: Sizing, i: int, sets: IntArray) -> IntArray:
    """Cores of each core group. Uneven groups beyond those that the last pod's spines meet are smaller."""
    total, largest = int(sizing.n_core[i]) // int(sizing.asked.n_components[i]), int(sizing.cores_a_group[i])
    if not sizing.asked.uneven[i]:
        return np.full(len(sets), largest)
    n_large = int(sizing.grown_last_spines[i])
    smaller = (total - n_large * largest) // (len(sets) - n_large) if n_large < len(sets) else largest
    return np.where(sets < n_large, largest, smaller)
