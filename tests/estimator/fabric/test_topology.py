"""The link table: every port once, and the same network as one wired cable by cable in networkx."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings

from estimator.fabric.columns import Sizing
from estimator.fabric.devices import CORE, LEAF, NODE, SPINE, SWITCH_KINDS
from estimator.fabric.size import size
from estimator.fabric.sized import SizedFabric, fabric_of
from estimator.fabric.topology import (
    FABRIC_MANAGER,
    LEAF_SPINE,
    NODE_LEAF,
    SPINE_CORE,
    LinkTable,
    Panels,
    link_table,
    panels_of,
)
from estimator.spec.change import apply_change
from estimator.spec.parse import parse_spec
from estimator.units import ratio_text
from tests.estimator.fabric.test_sizing import CATALOG, SMALL, small_spec
from tests.estimator.fabric.wiring import wired
from tests.thorough import n_examples


def table_of(compute: dict[str, Any], **fabric: Any) -> LinkTable:
    spec = parse_spec({"compute": compute, "fabric": fabric}, CATALOG)
    sized = fabric_of(size([spec], CATALOG), 0, spec)
    return link_table(sized, panels_of(spec, sized, CATALOG))


def h100(nodes: int, **fabric: Any) -> LinkTable:
    return table_of({"server": "dgx-h100", "nodes": nodes}, **{"generation": "ndr", **fabric})


def check_ports(table: LinkTable) -> None:
    """No port twice, none beyond a switch's radix, cages facing up and down apart, and as many as the fabric says."""
    fabric, devices = table.fabric, table.devices
    ends = Counter(zip(table.a_device.tolist(), table.a_port.tolist(), [0] * len(table), strict=True))
    ends.update(zip(table.b_device.tolist(), table.b_port.tolist(), table.b_lane.tolist(), strict=True))
    assert not ends or max(ends.values()) == 1
    for kind in SWITCH_KINDS:
        ports = [key for key in ends if devices.of(kind).start <= key[0] < devices.of(kind).stop]
        radix = getattr(fabric, f"{kind}_radix")
        assert all(0 <= port < radix for _, port, _ in ports), kind
    down = {device: set() for device in range(len(devices))}  # type: dict[int, set[int]]
    for device, port in zip(table.b_device.tolist(), table.b_port.tolist(), strict=True):
        down[device].add(port)
    for kind in SWITCH_KINDS:
        counted = [len(down[i]) for i in range(devices.of(kind).start, devices.of(kind).stop)]
        assert counted == getattr(fabric, f"{kind}_down").tolist(), kind
    up = Counter(table.a_device.tolist())
    for kind in (LEAF, SPINE):
        counted = [up[i] for i in range(devices.of(kind).start, devices.of(kind).stop)]
        assert counted == getattr(fabric, f"{kind}_up").tolist(), kind
    assert all(up[node] == fabric.nic_ports_per_node for node in range(fabric.n_nodes))
    for side in ("a", "b"):
        per = np.array([getattr(table.panels, devices.kind(i)) for i in getattr(table, f"{side}_device").tolist()])
        alike = getattr(table, f"{side}_cage") == getattr(table, f"{side}_port") // np.maximum(per, 1)
        own = (table.tier == LEAF_SPINE) & fabric.has_own_uplinks & (side == "a")  # cages of another rate
        assert (alike | own).all()


def pairs_of(table: LinkTable, tier: int) -> Counter[tuple[int, int]]:
    rows = table.rows(tier)
    return Counter(zip(table.a_device[rows].tolist(), table.b_device[rows].tolist(), strict=True))


def graph_pairs(sizing: Sizing, fabric: SizedFabric, table: LinkTable) -> dict[int, Counter[tuple[int, int]]]:
    """Links between every two devices of the wired graph, under the indexes of the table."""
    graph, first, wiring = wired(sizing, 0), table.devices.first, fabric.wiring
    column = (wiring.pods - 1) * wiring.spines + (wiring.last_spines or wiring.spines)
    core_start = np.cumsum([0, *wiring.cores])

    def index(name: tuple[Any, ...]) -> int:
        kind, *at = name
        if kind == NODE:
            return int(at[0])
        if kind == LEAF:
            c, row, col = at
            return int(first[LEAF] + (c * wiring.rows + row) * wiring.columns + col)
        if kind == SPINE and len(at) == 2:
            return int(first[SPINE] + at[0] * wiring.spines + at[1])
        if kind == SPINE:
            c, pod, col, s = at
            return int(first[SPINE] + (c * wiring.columns + col) * column + pod * wiring.spines + s)
        c, j, k = at
        return int(first[CORE] + c * sum(wiring.cores) + core_start[j] + k)

    tiers = {"node": NODE_LEAF, "spine": LEAF_SPINE, "core": SPINE_CORE}
    out: dict[int, Counter[tuple[int, int]]] = {tier: Counter() for tier in tiers.values()}
    for one, other, data in graph.edges(data=True):
        a, b = sorted((index(one), index(other)))
        out[tiers[data["tier"]]][a, b] = data["links"]
    return out


@settings(max_examples=n_examples(400))
@given(SMALL)
def test_every_port_once_and_the_same_network_as_wired_cable_by_cable(a: dict[str, Any]) -> None:
    spec = small_spec(a)
    sizing = size([spec], CATALOG)
    if not sizing.tiers[0]:
        return
    fabric = fabric_of(sizing, 0, spec)
    for panels in (Panels(), Panels(node=2, leaf=2, spine=2, core=2)):
        table = link_table(fabric, panels)
        assert len(set(table.devices.names)) == len(table.devices)
        check_ports(table)
        for tier, expected in graph_pairs(sizing, fabric, table).items():
            assert pairs_of(table, tier) == expected, tier
        check_rails_and_planes(table)


def check_rails_and_planes(table: LinkTable) -> None:
    """A link of a plane or rail ends at switches of that plane and rail; rail i of a node is its NIC i."""
    fabric, devices = table.fabric, table.devices
    assert (devices.plane[table.b_device] == table.plane).all()
    switch_rails = devices.rail[table.b_device]
    assert ((switch_rails == 0) | (table.rail == 0) | (switch_rails == table.rail)).all()
    rows = table.rows(NODE_LEAF)
    assert (table.plane[rows] == table.a_port[rows] % fabric.planes + 1).all()
    if fabric.layout != "top-of-rack":
        assert (table.rail[rows] == table.a_port[rows] // fabric.planes + 1).all()
    if fabric.layout == "rail-only" or (fabric.wiring.rails_a_leaf == 1 and fabric.tiers > 1):
        assert (devices.rail[table.b_device[rows]] == table.rail[rows]).all()


# ------------------------------------------------------------------------------------------------ by hand


def test_superpod_of_127_nodes() -> None:
    """DGX H100 SuperPOD, 4 SU: NVIDIA's reference architecture, tables 4, 7 and 8."""
    table = h100(127, scalable_unit_nodes=32, reserved={"fabric_manager_links": 4})
    names, devices = table.devices.names, table.devices
    assert [len(range(*table.rows(tier).indices(len(table)))) for tier in range(4)] == [1016, 4, 1024, 0]
    assert names[0] == "node-0001"
    assert names[devices.first[LEAF] : devices.first[LEAF] + 9] == [
        *(f"leaf-r{r}-001" for r in range(1, 9)),
        "leaf-r1-002",
    ]
    assert {table.b_device[table.rows(FABRIC_MANAGER)][i] for i in range(4)} <= set(
        range(*devices.of(LEAF).indices(9999))
    )
    # node 40 is the eighth of unit 2: its NIC 3 goes to seat 7 of leaf 3 there
    row = (table.a_device == 39) & (table.a_port == 2)
    assert [names[i] for i in table.b_device[row]] == ["leaf-r3-002"]
    assert table.b_port[row].tolist() == [7]
    assert table.b_cage[row].tolist() == [3]
    # uplinks 1 and 2 of a leaf are cage 17, and both go to the first cage of spine 1
    up = table.rows(LEAF_SPINE)
    assert table.a_port[up][:2].tolist() == [32, 33]
    assert table.a_cage[up][:2].tolist() == [16, 16]
    assert names[table.b_device[up][0]] == names[table.b_device[up][1]] == "spine-001"
    assert table.b_cage[up][:2].tolist() == [0, 0]


def test_nics_rule_rails_not_gpus() -> None:
    """Eight GPUs with four NICs: 32 nodes are 128 cables on four leaves."""
    table = table_of({"server": "custom", "nodes": 32, "nics_per_node": 4}, generation="ndr", tiers=2)
    assert table.rows(NODE_LEAF).stop == 128
    assert table.devices.n[LEAF] == 4
    assert table.rail.max() == 4


def test_an_uneven_spread_keeps_every_spine_lit_and_none_too_full() -> None:
    """50 leaves with four uplinks on six 36-port spines: no even spread; 200 links, 33 or 34 a spine."""
    table = table_of(
        {"server": "custom", "nodes": 50, "nics_per_node": 1},
        generation="edr",
        layout="top-of-rack",
        leaf_radix=5,
        leaf_downlinks=1,
        leaf_uplinks=4,
        spine_radix=36,
        tiers=2,
        uplink_spread="uneven",
    )
    counts = Counter(table.b_device[table.rows(LEAF_SPINE)].tolist())
    assert sorted(counts.values()) == [33, 33, 33, 33, 34, 34]
    per_leaf = Counter(table.a_device[table.rows(LEAF_SPINE)].tolist())
    assert set(per_leaf.values()) == {4}


def test_ports_kept_free_are_the_last_ones() -> None:
    table = h100(24, tiers=2, reserved={"leaf_ports": 4, "spine_ports": 2})
    leaves, spines = table.devices.of(LEAF), table.devices.of(SPINE)
    at_leaf = np.concatenate([table.a_port[table.rows(LEAF_SPINE)], table.b_port[table.rows(NODE_LEAF)]])
    assert at_leaf.max() < 60
    assert table.b_port[table.rows(LEAF_SPINE)].max() < 62
    assert leaves.stop - leaves.start == 8
    assert spines.stop > spines.start


def cables(table: LinkTable) -> set[tuple[str, int, str, int]]:
    names = table.devices.names
    columns = (table.a_device, table.a_port, table.b_device, table.b_port)
    return {(names[a], p, names[b], q) for a, p, b, q in zip(*(c.tolist() for c in columns), strict=True)}


SHORT_POD = {
    "layout": "rail-optimized",
    "core": 8,
    "tiers": "auto",
    "unit": None,
    "provision": "as-bought",
    "pod": None,
    "spine": 12,
    "planes": 2,
    "grow": 7,
    "spread": "even",
    "radix": 6,
    "spine_ratio": "2:1",
    "ratio": "1:2",
    "managers": 0,
    "ports": 1,
    "nodes": 14,
    "split": False,
}
SHORT_POD_BY_NODE = SHORT_POD | {
    "layout": "top-of-rack",
    "ratio": "3:2",
    "ports": 2,
    "radix": 8,
    "core": None,
    "tiers": 3,
    "planes": 1,
}


@settings(max_examples=n_examples(300))
@example(SHORT_POD)
@example(SHORT_POD_BY_NODE)
@given(SMALL)
def test_a_grown_design_keeps_every_cable_of_today(a: dict[str, Any]) -> None:
    """What is cabled with room to grow is all there, port by port, once the design has grown."""
    grown_nodes = a["nodes"] + a["grow"]
    values = {**a, "spread": "even", "managers": 0, "grow": grown_nodes - a["nodes"]}
    if a["tiers"] == "auto":
        values["tiers"] = 3
    tables: list[LinkTable] = []
    spec = small_spec(values)
    for grown in (False, True):
        if grown:  # pods like those of today are added
            pod = tables[0].fabric.wiring.pod_nodes or a["pod"]
            later = {"compute.nodes": grown_nodes, "fabric.grow_to_nodes": grown_nodes, "fabric.pod_nodes": pod}
            spec = parse_spec(apply_change(spec.as_json(), later if a["grow"] else {}), CATALOG)
        sizing = size([spec], CATALOG)
        if not sizing.tiers[0]:
            return
        tables.append(link_table(fabric_of(sizing, 0, spec), Panels(node=2, leaf=2, spine=2, core=2)))
    assert cables(tables[0]) <= cables(tables[1])


def test_spines_of_all_pods_are_named_apart() -> None:
    table = h100(300, tiers=3, pod_nodes=64)
    assert len(set(table.devices.names)) == len(table.devices)


def test_split_ports_carry_two_lanes() -> None:
    table = table_of(
        {"server": "custom", "nodes": 80, "nics_per_node": 1},
        generation="hdr",
        layout="top-of-rack",
        tiers=1,
        splitters=True,
    )
    assert set(zip(table.b_port.tolist(), table.b_lane.tolist(), strict=True)) == {
        (p, lane) for p in range(40) for lane in (1, 2)
    }
    assert set(table.rate_gbit_s.tolist()) == {100}


def test_two_planes_are_two_networks() -> None:
    table = table_of({"server": "dgx-b300", "nodes": 64}, generation="roce-400", planes=2, leaf_switch="nvidia-sn5600")
    for plane in (1, 2):
        mine = table.plane == plane
        others = {int(d) for d in table.b_device[~mine].tolist()}
        assert not others & {int(d) for d in table.b_device[mine].tolist()}
    assert set((table.a_port[table.rows(NODE_LEAF)] % 2 + 1 == table.plane[table.rows(NODE_LEAF)]).tolist()) == {True}
    assert ratio_text(table.fabric.built_ratio) == "1:1"


@pytest.mark.parametrize("nodes", [131_072])
def test_a_million_endpoints_have_a_table(nodes: int) -> None:
    table = table_of({"server": "custom", "nodes": nodes}, generation="roce-400", leaf_switch="custom", leaf_radix=256)
    assert len(table) == 3 * 1_048_576 or table.fabric.tiers == 2
    key = table.b_device.astype(np.int64) * 4096 + table.b_port
    assert len(np.unique(key)) == len(table)
