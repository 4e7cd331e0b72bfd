"""Numbers that users asked other tools for, and bugs those tools had: what must come out here, with siblings of each case."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from estimator.catalog.loader import load_catalog
from estimator.errors import InfeasibleDesign
from estimator.fabric.devices import LEAF, SPINE
from estimator.fabric.topology import LEAF_SPINE, NODE_LEAF, LinkTable, Panels, link_table
from estimator.pipeline import estimate
from estimator.spec.change import apply_change
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec
from tests.estimator.designs import counts_of, found, spec_of
from tests.estimator.fabric.test_ratios import sized

CATALOG = load_catalog()
A7: dict[str, Any] = {
    "leaf_radix": 36,
    "spine_radix": 36,
    "leaf_downlinks": 32,
    "leaf_uplinks": 4,
    "tiers": 2,
    "layout": "top-of-rack",
}


def cabled(spec: DesignSpec) -> LinkTable:
    made = sized(spec)
    assert made is not None
    return link_table(made, Panels())


@pytest.mark.parametrize(("nodes", "taken"), [(31, "252"), (63, "508"), (95, "764"), (127, "1,020")])
def test_one_node_fewer_makes_room_for_fabric_managers(nodes: int, taken: str) -> None:
    """Four managers beside whole units find no port, and the change proposed is the published design with a node fewer."""
    managers: dict[str, Any] = {"reserved": {"fabric_manager_links": 4}, "scalable_unit_nodes": 32}
    (made,) = estimate([spec_of(nodes + 1, **managers)], CATALOG, ("counts", "changes"))
    (short,) = [finding for finding in made.findings if finding.code == "fabric_manager_ports_short"]
    assert short.change == {"compute.nodes": nodes}
    links = counts_of(spec_of(nodes, **managers))["links"]
    assert f"{links['node_leaf'] + links['fabric_manager']:,}" == taken


def test_three_units_with_twelve_spines_would_not_be_one_to_one() -> None:
    """24 leaves on 12 spines carry 24 uplinks each: 768/576 = 4:3. Another tool calls that wiring 1.0:1."""
    compute = counts_of(spec_of(96, leaf_downlinks=32, leaf_uplinks=24, scalable_unit_nodes=32))
    assert compute["counts"]["spine"] == 12
    assert compute["oversubscription"]["built"] == compute["oversubscription"]["worst_leaf"] == "4:3"
    assert {row["built"] for row in compute["oversubscription"]["rails"]} == {"4:3"}
    assert counts_of(spec_of(96))["counts"]["spine"] == 16


@pytest.mark.parametrize(("nodes", "spines"), [(32, 4), (64, 8), (96, 16), (128, 16), (192, 32)])
def test_adapter_i_of_every_node_is_a_cable_to_leaf_i_of_its_unit(nodes: int, spines: int) -> None:
    """256 node cables for 32 nodes, 32 on each of 8 leaves; a rail layout elsewhere drew 32 in all."""
    table = cabled(spec_of(nodes, tiers=2))
    rows = table.rows(NODE_LEAF)
    assert len(table.a_device[rows]) == nodes * 8
    leaf = table.b_device[rows] - table.devices.first[LEAF]
    assert (leaf % 8 == table.a_port[rows]).all()
    assert (leaf // 8 == table.a_device[rows] // 32).all()
    assert set(Counter(leaf.tolist()).values()) == {32}
    assert table.devices.n[SPINE] == spines


def test_fifty_leaves_of_four_uplinks_have_no_even_spread_on_36_ports_and_are_reported_what_has() -> None:
    """200 uplinks were once quoted on 4 × 36 = 144 spine ports. 6 spines hold them, unevenly; four of 64 ports, evenly."""
    spec = spec_of(1600, 1, **A7)
    with pytest.raises(InfeasibleDesign) as caught:
        estimate([spec], CATALOG, ("counts",))
    (problem,) = caught.value.problems
    assert problem.change == {"fabric.spine_radix": 64, "fabric.spine_switch": "nvidia-qm9700"}
    compute = counts_of(parse_spec(apply_change(spec.as_given(), problem.change), CATALOG))
    assert (compute["counts"]["spine"], compute["links"]["leaf_spine"]) == (4, 200)
    assert compute["oversubscription"]["built"] == "8:1"


@pytest.mark.parametrize("leaves", [37, 45, 50, 53])
def test_an_uneven_spread_leaves_no_spine_dark_and_none_overfull(leaves: int) -> None:
    """Six spines of 36 ports carry 200 links as 33 or 34 each; every leaf has links to four spines."""
    table = cabled(spec_of(leaves * 32, 1, **A7, uplink_spread="uneven"))
    rows = table.rows(LEAF_SPINE)
    carried = np.bincount(table.b_device[rows])[table.devices.of(SPINE)]
    assert carried.sum() == leaves * 4
    assert carried.min() > 0
    assert carried.max() <= 36
    assert carried.max() - carried.min() <= 1
    assert len(carried) == -(-leaves * 4 // 36)


@pytest.mark.parametrize(("leaves", "uplinks"), [(70, 2), (25, 2), (48, 6)])
def test_uplink_cables_are_leaves_times_uplinks(leaves: int, uplinks: int) -> None:
    """70 leaves with 2 uplinks are 140 cables, whatever the number of spines; a mesh of 30 was once billed as 2,100."""
    spec = spec_of(
        leaves * 16,
        1,
        leaf_radix=16 + uplinks,
        leaf_downlinks=16,
        leaf_uplinks=uplinks,
        spine_radix=128,
        layout="top-of-rack",
        tiers=2,
    )
    assert len(cabled(spec).a_device[cabled(spec).rows(LEAF_SPINE)]) == leaves * uplinks


def test_a_host_layer_has_a_cable_an_adapter_port_and_no_mesh() -> None:
    """256 NIC ports are 256 cables, although leaves have 560 ports; links run at the slower end's rate."""
    compute = counts_of(
        spec_of(
            32,
            8,
            leaf_radix=112,
            leaf_downlinks=70,
            leaf_uplinks=42,
            scalable_unit_nodes=32,
            tiers=2,
            oversubscription="5:3",
            spine_radix=112,
        )
    )
    assert compute["links"]["node_leaf"] == 256
    assert compute["ports"]["leaf_down_open"] == 560 - 256
    slow = parse_spec({"compute": {"server": "dgx-h100", "nodes": 32}, "fabric": {"generation": "xdr"}}, CATALOG)
    assert "node links run at 400 Gb/s" in found(slow)["nic_below_port_rate"]
    (made,) = estimate([slow], CATALOG, ("counts",))
    network = made.fabrics["compute"].as_json()
    assert (network["endpoint_rate_gbit_s"], network["lane_rate_gbit_s"], network["port_rate_gbit_s"]) == (
        400,
        800,
        800,
    )
    assert network["injection_gbit_s"] == 256 * 400
    assert network["bisection_gbit_s"] == 256 * 400 // 2
    up = network["links"]["leaf_spine"]
    assert network["oversubscription"]["built_ratio"] == pytest.approx(256 * 400 / (up * 800))
    table = cabled(slow)
    assert set(table.rate_gbit_s[table.rows(NODE_LEAF)].tolist()) == {400}
    assert set(table.rate_gbit_s[table.rows(LEAF_SPINE)].tolist()) == {800}


@pytest.mark.parametrize(("nodes", "planes"), [(4, 2), (8, 2), (6, 3)])
def test_no_leaf_of_any_plane_is_idle(nodes: int, planes: int) -> None:
    """8 GPUs on 4 hosts, 2 planes: 16 links to leaves, as many on each; another generator left four leaves unused."""
    table = cabled(
        spec_of(
            nodes,
            2 * planes,
            planes=planes,
            leaf_radix=8,
            spine_radix=8,
            leaf_downlinks=4,
            tiers=2,
            scalable_unit_nodes=2,
        )
    )
    rows = table.rows(NODE_LEAF)
    on_leaf = np.bincount(table.b_device[rows])[table.devices.of(LEAF)]
    assert on_leaf.sum() == nodes * 2 * planes
    assert set(on_leaf.tolist()) == {2}


@pytest.mark.parametrize(("down", "up", "text"), [(33, 7, "33:7"), (32, 24, "4:3"), (40, 24, "5:3"), (53, 11, "53:11")])
def test_a_ratio_is_never_rounded(down: int, up: int, text: str) -> None:
    """4.714:1 is 33:7, neither 4:1 nor 5:1; 1.33:1 is 4:3 and no 1:1."""
    spec = spec_of(down * 4, 1, leaf_radix=64, leaf_downlinks=down, leaf_uplinks=up, layout="top-of-rack", tiers=2)
    ratio = counts_of(spec)["oversubscription"]
    assert (ratio["built"], ratio["worst_leaf"]) == (text, text)
    assert ratio["built_ratio"] == down / up
    said = found(spec)
    assert f"built at {text}" in said["ratio_not_whole"]
    assert text in said["split_sets_ratio"]


@pytest.mark.parametrize("nodes", [256, 250])
def test_a_ratio_built_as_asked_is_no_finding(nodes: int) -> None:
    """The fullest leaf has it; the last unit is less full, so that the average is another fraction."""
    spec = spec_of(nodes, oversubscription="2:1", scalable_unit_nodes=40, leaf_downlinks=40, leaf_uplinks=20)
    built = counts_of(spec)["oversubscription"]
    assert built["worst_leaf"] == "2:1" != built["built"]
    assert "ratio_not_whole" not in found(spec)


SYMMETRY: list[tuple[DesignSpec, str | None]] = [
    (spec_of(128), None),
    (spec_of(512, tiers=3), None),
    (spec_of(1600, 1, **A7, uplink_spread="uneven"), "spines have 33 or 34 leaves below"),
    (
        spec_of(20, 1, leaf_radix=8, spine_radix=8, core_radix=8, tiers=3, scalable_unit_nodes=4, pod_nodes=16),
        "spines have 1 or 4 leaves below",
    ),
    (spec_of(1600, 1, **A7 | {"generation": "roce-400"}, uplink_spread="uneven"), None),
]


@pytest.mark.parametrize(("spec", "reason"), SYMMETRY)
def test_designs_that_fat_tree_routing_refuses_are_reported(spec: DesignSpec, reason: str | None) -> None:
    """The same number of port groups, and of ports in each, on all switches of a rank; only InfiniBand has OpenSM."""
    said = found(spec).get("opensm_fat_tree_asymmetric")
    assert (said is None) == (reason is None)
    assert said is None or reason is None or reason in said[0].lower() + said[1:]
