"""Floor plans: every device in one place, limits kept or found, and lengths that a tape measure would give."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.catalog.loader import load_catalog
from estimator.designs.networks import sized_others
from estimator.errors import SpecError
from estimator.fabric.size import size
from estimator.fabric.sized import fabric_of
from estimator.fabric.topology import TIERS, LinkTable, link_table, panels_of
from estimator.findings.fabric import of_problem
from estimator.floor.design import design_floor
from estimator.floor.plan import FloorPlan, floor_plan
from estimator.floor.racks import RACK_UNIT_M
from estimator.link_list import link_list
from estimator.networks.links import other_table
from estimator.pipeline import estimate
from estimator.spec.parse import parse_spec
from tests.thorough import n_examples

CATALOG = load_catalog()
LEAF_PLACEMENTS = ("per-unit", "end-of-row", "middle-of-row", "network-row", "in-rack")
SPINE_PLACEMENTS = ("middle", "network-row", "end-of-row")


def spec_of(compute: dict[str, Any], fabric: dict[str, Any], plan: dict[str, Any] | None) -> Any:
    return parse_spec({"compute": compute, "fabric": {"generation": "ndr", **fabric}, "site": {"plan": plan}}, CATALOG)


def floor(compute: dict[str, Any], fabric: dict[str, Any], plan: dict[str, Any]) -> tuple[FloorPlan, LinkTable]:
    spec = spec_of(compute, fabric, plan)
    sizing = size([spec], CATALOG)
    assert sizing.tiers[0], "no fabric"
    sized = fabric_of(sizing, 0, spec)
    table = link_table(sized, panels_of(spec, sized, CATALOG))
    return floor_plan(spec, table, CATALOG), table


def superpod() -> tuple[FloorPlan, LinkTable]:
    """The published four units: 127 DGX H100 and two fabric managers."""
    return floor(
        {"server": "dgx-h100", "nodes": 127},
        {"scalable_unit_nodes": 32, "provision": "full-unit", "reserved": {"fabric_manager_links": 4}},
        {},
    )


def check(plan: FloorPlan, table: LinkTable) -> None:
    """Every device once, in a rack, inside its height, over nothing else; racks on places of their own."""
    assert len(plan.rack) == len(plan.bottom_unit) == len(table.devices)
    check_floor(plan)


def check_floor(plan: FloorPlan) -> None:
    settled: Any = plan.plan
    assert plan.rack.min() >= 0
    assert plan.bottom_unit.min() >= 1
    top = plan.bottom_unit + plan.units - 1
    assert top.max() <= settled.rack_units - settled.reserved_units
    taken = np.zeros((plan.n_racks, settled.rack_units + 1), dtype=np.int64)
    for k in range(int(plan.units.max())):
        tall = plan.units > k
        np.add.at(taken, (plan.rack[tall], plan.bottom_unit[tall] + k), 1)
    for number in range(plan.n_racks):
        for block in plan.fixtures_in(number):
            taken[number, block.first_unit : block.first_unit + block.n_units] += 1
    assert taken.max() == 1
    assert (taken.sum(axis=1) == plan.used_units).all()
    assert (
        len({(row, place) for row, place in zip(plan.row.tolist(), plan.position.tolist(), strict=True)})
        == plan.n_racks
    )
    assert len(set(zip(plan.x_m.tolist(), plan.y_m.tolist(), strict=True))) == plan.n_racks
    assert set(plan.rack.tolist()) == set(range(plan.n_racks))  # no empty rack
    if settled.racks_per_row:
        assert plan.position.max() <= settled.racks_per_row
    assert not any(problem.code == "rack_height_exceeded" for problem in plan.problems) or settled.nodes_per_rack


def test_the_published_four_units_stand_in_38_racks() -> None:
    """DGX H100 SuperPOD (RA-11333-001): 38 racks, four nodes in each compute rack, eight racks a unit."""
    plan, table = superpod()
    check(plan, table)
    shown = plan.answer().as_json()
    assert (shown["racks"], shown["nodes_per_rack"]) == (38, 4)
    assert shown["racks_by_role"] == {"node": 32, "leaf": 4, "spine": 2}
    assert shown["rack_w"] == {"typical": 34_000.0, "max": 40_800.0, "in": "R01-01", "unknown": []}  # 4 × 10.2 kW
    assert shown["rack_kg"]["max"] == 521.8  # 4 × 130.45 kg
    assert plan.problems == ()
    names = table.devices.names
    for unit in range(4):  # a unit's 32 nodes (31 in the last) and eight leaves stand in nine racks side by side
        nodes = [i for i, name in enumerate(names) if name.startswith("node") and (i // 32) == unit]
        leaves = [table.devices.index_of(f"leaf-r{rail}-{unit + 1:03d}") for rail in range(1, 9)]
        racks = {int(plan.rack[i]) for i in (*nodes, *leaves)}
        assert len(racks) == 9
        assert len({int(plan.row[rack]) for rack in racks}) == 1
        assert {int(plan.rack[i]) for i in leaves}.isdisjoint(int(plan.rack[i]) for i in nodes)


def test_lengths_of_a_tiny_floor_by_hand() -> None:
    """Four DGX H100, two a rack; the leaves in the middle, the managers with them; every way by hand.

    Racks 20 U with 2 kept free; 0.7 m apart; tray 0.4 m above. Nodes at U1 and U9 (middles 4 U and 12 U high), the leaf
    rack from U18 down: managers need no place here. Slack 0.5 m an end and a tenth of the route.
    """
    plan, table = floor(
        {"server": "dgx-h100", "nodes": 4},
        {"layout": "top-of-rack", "tiers": 1},
        {
            "rack_units": 20,
            "reserved_units": 2,
            "nodes_per_rack": 2,
            "rack_pitch_m": 0.7,
            "tray_height_m": 0.4,
            "slack_m": 0.5,
            "slack_share": 0.1,
            "leaf_placement": "per-unit",
        },
    )
    check(plan, table)
    assert plan.names == ["R01-01", "R01-02", "R01-03"]
    assert [plan.rack[i] for i in range(5)] == [0, 0, 2, 2, 1]
    assert plan.bottom_unit[:5].tolist() == [1, 9, 1, 9, 18]
    low = 0.4 + (20 - 4) * RACK_UNIT_M  # from the middle of U1–U8 to the tray: 1.1112 m
    high = 0.4 + (20 - 12) * RACK_UNIT_M  # 0.7556 m
    leaf = 0.4 + (20 - 17.5) * RACK_UNIT_M  # 0.511125 m
    for_low, for_high = ((0.7 + up + leaf) * 1.1 + 2 * 0.5 for up in (low, high))
    lengths = plan.link_lengths_m(table)
    assert lengths.dtype == np.float32
    assert lengths.reshape(4, 8) == pytest.approx(np.repeat([for_low, for_high] * 2, 8).reshape(4, 8), rel=1e-6)
    assert for_low == pytest.approx(3.5545575)


def test_a_leaf_in_the_rack_is_reached_without_the_tray() -> None:
    plan, table = floor(
        {"server": "dgx-h100", "nodes": 4},
        {"layout": "top-of-rack", "tiers": 1},
        {"slack_m": 0.5, "slack_share": 0, "tray_height_m": 3, "node_leaf_panels": 2},
    )
    check(plan, table)
    assert plan.n_racks == 1
    assert plan.bottom_unit.tolist() == [1, 9, 17, 25, 46]
    middles = np.array([4, 12, 20, 28])
    expected = (45.5 - middles) * RACK_UNIT_M + 2 * 0.5 + 2 * 2.0  # two panels, two metres each
    assert plan.link_lengths_m(table).reshape(4, 8)[:, 0] == pytest.approx(expected, rel=1e-6)


def test_a_way_across_aisles_goes_along_and_over() -> None:
    plan, table = floor({"server": "dgx-h100", "nodes": 64}, {}, {"slack_m": 0, "slack_share": 0, "tray_height_m": 0})
    rows = table.rows(2)  # leaf to spine: eight racks a unit, the leaf rack fifth of nine; two units, spines between
    up = (48 - 45.5) * RACK_UNIT_M
    first = plan.link_lengths_m(table)[rows][0]
    a, b = int(table.a_device[rows][0]), int(table.b_device[rows][0])
    ra, rb = int(plan.rack[a]), int(plan.rack[b])
    assert (plan.row[ra], plan.row[rb]) == (1, 2)
    assert plan.position[ra] == 5
    assert plan.x_m[rb] == pytest.approx(4 * 0.7)  # one spine rack in the middle of nine
    assert first == pytest.approx(abs(4 - 4) * 0.7 + 3.0 + 2 * up, rel=1e-5)


@pytest.mark.parametrize(("leaves", "spines"), list(itertools.product(LEAF_PLACEMENTS, SPINE_PLACEMENTS)))
@pytest.mark.parametrize(
    ("compute", "fabric"),
    [
        ({"server": "dgx-h100", "nodes": 127}, {"reserved": {"fabric_manager_links": 4}, "scalable_unit_nodes": 32}),
        ({"server": "dgx-h100", "nodes": 70}, {"layout": "top-of-rack"}),
        ({"server": "dgx-b300", "nodes": 96}, {"generation": "roce-400", "planes": 2}),
        (
            {"server": "gb200-tray", "nodes": 300},
            {"tiers": 3, "scalable_unit_nodes": 18, "pod_nodes": 144, "leaf_downlinks": 18, "leaf_uplinks": 18},
        ),
        ({"server": "dgx-h100", "nodes": 600}, {"tiers": 3, "pod_nodes": 128}),
        ({"server": "dgx-a100-640", "nodes": 33}, {"generation": "hdr", "layout": "rail-only"}),
        ({"nodes": 37}, {"generation": "xdr", "leaf_switch": "nvidia-q3200-ra"}),
    ],
)
def test_every_placement_of_every_kind_of_fabric_fits(
    compute: dict[str, Any], fabric: dict[str, Any], leaves: str, spines: str
) -> None:
    plan, table = floor(compute, fabric, {"leaf_placement": leaves, "spine_placement": spines, "racks_per_row": 12})
    check(plan, table)
    lengths = plan.link_lengths_m(table)
    assert len(lengths) == len(table)
    assert np.isfinite(lengths).all()
    assert lengths.min() >= 2 * (plan.plan.slack_m or 0)
    again, _ = floor(compute, fabric, {"leaf_placement": leaves, "spine_placement": spines, "racks_per_row": 12})
    assert (again.rack == plan.rack).all()
    assert (again.bottom_unit == plan.bottom_unit).all()
    assert again.answer() == plan.answer()


@settings(max_examples=n_examples(150), deadline=None)
@given(
    nodes=st.integers(1, 130),
    server=st.sampled_from(["dgx-h100", "dgx-b200", "hgx-b200-4u-lc", "gb200-tray", None]),
    layout=st.sampled_from(["rail-optimized", "rail-only", "top-of-rack"]),
    unit=st.sampled_from([None, 3, 7, 16, 31]),
    tiers=st.sampled_from(["auto", "auto", 3]),
    leaves=st.sampled_from(LEAF_PLACEMENTS),
    spines=st.sampled_from(SPINE_PLACEMENTS),
    height=st.integers(42, 60),
    kept=st.integers(0, 5),
    row=st.integers(4, 20),
    power=st.floats(8, 200),
    a_rack=st.sampled_from([None, None, 1, 3, 40]),
    switches=st.integers(1, 20),
    managers=st.sampled_from([0, 4]),
)
def test_odd_floors_hold_every_device_once(
    nodes: int,
    server: str | None,
    layout: str,
    unit: int | None,
    tiers: Any,
    leaves: str,
    spines: str,
    height: int,
    kept: int,
    row: int,
    power: float,
    a_rack: int | None,
    switches: int,
    managers: int,
) -> None:
    plan_keys = {
        "leaf_placement": leaves,
        "spine_placement": spines,
        "rack_units": height,
        "reserved_units": kept,
        "racks_per_row": row,
        "rack_power_kw": power,
        "nodes_per_rack": a_rack,
        "switches_per_rack": switches,
    }
    fabric = {
        "layout": layout,
        "scalable_unit_nodes": unit,
        "tiers": tiers,
        "uplink_spread": "uneven",
        "reserved": {"fabric_manager_links": managers},
    }
    plan, table = floor({"nodes": nodes, **({"server": server} if server else {})}, fabric, plan_keys)
    check(plan, table)
    limit_w = power * 1000
    over = [problem for problem in plan.problems if problem.code == "rack_power_exceeded"]
    assert bool(over) == bool((plan.max_w > limit_w * (1 + 1e-9)).any())
    if a_rack is None:  # what is over a limit then is one node or one box alone
        for number in np.flatnonzero(plan.max_w > limit_w * (1 + 1e-9)).tolist():
            assert len(plan.devices_in(number)) == 1 or (plan.node_rack.is_whole and plan.role[number] == "node")
    if server == "gb200-tray":
        assert plan.role.count("node") == -(-nodes // 18)
    counted = plan.racks()
    assert sum(rack.used_units for rack in counted) == int(plan.used_units.sum())
    by_rack = [device.name for number in range(plan.n_racks) for device in plan.devices_in(number)]
    assert sorted(by_rack) == sorted(table.devices.names)


def test_leaves_stand_in_the_rack_of_their_nodes() -> None:
    """A QM9700 with 32 downlinks serves four DGX H100: one rack and its leaf."""
    plan, table = floor({"server": "dgx-h100", "nodes": 64}, {"layout": "top-of-rack"}, {})
    rows = table.rows(0)
    assert (plan.rack[table.a_device[rows]] == plan.rack[table.b_device[rows]]).all()
    assert plan.answer().rack_w.max == 4 * 10_200 + 1_720


def test_pods_stand_together_with_their_spines_and_cores_between_them() -> None:
    plan, table = floor({"server": "dgx-h100", "nodes": 512}, {"tiers": 3, "pod_nodes": 128}, {})
    devices = table.devices
    rows_of = [{int(plan.row[plan.rack[i]]) for i in range(pod * 128, (pod + 1) * 128)} for pod in range(4)]
    for pod, rows in enumerate(rows_of):
        assert all(max(rows) < min(later) for later in rows_of[pod + 1 :])
        leaf_spine = table.rows(2)
        leaves = {int(i) for i in table.b_device[table.rows(0)][pod * 1024 : (pod + 1) * 1024]}
        spines = {
            int(b) for a, b in zip(table.a_device[leaf_spine], table.b_device[leaf_spine], strict=True) if a in leaves
        }
        assert all(min(rows) <= plan.row[plan.rack[spine]] <= max(rows) + 1 for spine in spines)
    core_rows = {int(plan.row[plan.rack[i]]) for i in range(devices.first["core"], len(devices))}
    assert max(rows_of[1]) < min(core_rows)
    assert max(core_rows) < min(rows_of[2])


def test_nvl72_trays_live_18_a_rack_among_switch_trays_and_power_shelves() -> None:
    plan, table = floor({"server": "gb200-tray", "nodes": 36}, {"scalable_unit_nodes": 18}, {})
    check(plan, table)
    assert plan.node_rack.n_nodes == 18
    assert plan.bottom_unit[:18].tolist() == [*range(5, 13), *range(22, 32)]
    held = {block.holds: 0 for block in plan.fixtures_in(int(plan.rack[0]))}
    for block in plan.fixtures_in(int(plan.rack[0])):
        held[block.holds] += block.n_units
    assert held == {"power-shelf": 8, "nvlink-switch": 9, "oob-switch": 2}
    rack = plan.racks([int(plan.rack[0])])[0]
    assert (rack.max_w, rack.weight_kg, rack.used_units) == (132_000.0, 1360.0, 37)
    network = next(i for i in range(plan.n_racks) if plan.role[i] == "leaf")
    assert plan.fixtures_in(network) == ()
    assert plan.problems == ()


@pytest.mark.parametrize(
    ("keys", "code", "says", "change"),
    [
        ({"nodes_per_rack": 4, "rack_power_kw": 25}, "rack_power_exceeded", "40.8 kW", {"site.plan.nodes_per_rack": 2}),
        ({"rack_power_kw": 10}, "rack_power_exceeded", "10.2 kW", {"site.plan.rack_power_kw": 11.0}),
        (
            {"nodes_per_rack": 4, "rack_weight_kg": 400},
            "rack_weight_exceeded",
            "521.8 kg",
            {"site.plan.nodes_per_rack": 3},
        ),
        (
            {"nodes_per_rack": 9, "rack_power_kw": 90},
            "rack_height_exceeded",
            "holds 5 of 8 U",
            {"site.plan.nodes_per_rack": 5},
        ),
    ],
)
def test_a_broken_limit_is_found_and_its_change_ends_it(
    keys: dict[str, Any], code: str, says: str, change: dict[str, Any]
) -> None:
    plan, _ = floor({"server": "dgx-h100", "nodes": 64}, {}, keys)
    (problem,) = [problem for problem in plan.problems if problem.code == code]
    assert says in problem.message
    assert dict(problem.change or {}) == change
    assert of_problem(problem).severity == "warning"
    mended = keys | {key.removeprefix("site.plan."): value for key, value in change.items()}
    assert code not in {p.code for p in floor({"server": "dgx-h100", "nodes": 64}, {}, mended)[0].problems}


def test_nodes_in_a_rack_follow_power_height_load_and_the_server() -> None:
    def nodes(**keys: Any) -> int:
        return floor({"server": "dgx-h100", "nodes": 64}, {}, keys)[0].node_rack.n_nodes

    assert nodes() == 4  # the server's own figure; height would take five
    assert nodes(rack_power_kw=31) == 3
    assert nodes(rack_units=20) == 2
    assert nodes(rack_weight_kg=300) == 2
    assert nodes(nodes_per_rack=5, rack_power_kw=60) == 5


def test_a_rack_too_low_for_a_device_is_refused_with_a_way_out() -> None:
    with pytest.raises(SpecError) as caught:
        spec_of({"server": "dgx-b200", "nodes": 4}, {}, {"rack_units": 11})
    (problem,) = caught.value.problems
    assert (problem.field, problem.code) == ("site.plan.rack_units", "rack_height_exceeded")
    assert "10 U" in problem.message
    assert dict(problem.change or {}) == {"site.plan.rack_units": 12}
    spec_of({"server": "dgx-b200", "nodes": 4}, {}, {"rack_units": 12})
    with pytest.raises(SpecError, match="37 U"):
        spec_of({"server": "gb200-tray", "nodes": 4}, {}, {"rack_units": 38})


def test_every_default_is_printed_back_and_means_the_same_again() -> None:
    spec = spec_of({"server": "dgx-h100", "nodes": 4}, {}, {})
    settled = spec.as_json()["site"]["plan"]
    assert settled == {
        "rack_units": 48,
        "reserved_units": 2,
        "rack_power_kw": 50.0,
        "rack_weight_kg": 1500.0,
        "nodes_per_rack": None,
        "switches_per_rack": 16,
        "racks_per_row": None,
        "rack_pitch_m": 0.7,
        "row_pitch_m": 3.0,
        "leaf_placement": "per-unit",
        "spine_placement": "middle",
        "tray_height_m": 0.5,
        "slack_m": 1.0,
        "slack_share": 0.05,
        "node_leaf_panels": 0,
        "leaf_spine_panels": 0,
        "spine_core_panels": 0,
    }
    assert parse_spec(spec.as_json(), CATALOG).as_json() == spec.as_json()
    liquid = spec_of({"server": "gb200-tray", "nodes": 4}, {"layout": "top-of-rack"}, {}).site.plan
    assert liquid is not None
    assert (liquid.rack_power_kw, liquid.leaf_placement) == (142.0, "in-rack")
    no_plan = spec_of({"server": "dgx-h100", "nodes": 4}, {}, None)
    assert no_plan.site.plan is None
    sized = fabric_of(size([no_plan], CATALOG), 0, no_plan)
    with pytest.raises(ValueError, match=r"site\.plan"):
        floor_plan(no_plan, link_table(sized, panels_of(no_plan, sized, CATALOG)), CATALOG)


def test_a_key_that_is_wrong_is_named() -> None:
    with pytest.raises(SpecError) as caught:
        spec_of({"server": "dgx-h100", "nodes": 4}, {}, {"rack_unitz": 42, "leaf_placement": "roof", "row_pitch_m": 0})
    found = {problem.field: problem for problem in caught.value.problems}
    assert {field: problem.code for field, problem in found.items()} == {
        "site.plan.rack_unitz": "unknown_key",
        "site.plan.leaf_placement": "not_a_choice",
        "site.plan.row_pitch_m": "out_of_range",
    }
    assert "'rack_units'" in found["site.plan.rack_unitz"].message


def test_what_the_catalog_does_not_know_is_named() -> None:
    plan, _ = floor({"nodes": 8}, {"leaf_switch": "custom", "leaf_radix": 64}, {})
    assert plan.answer().rack_w.unknown == ["custom server", "custom switch"]
    assert plan.max_w.max() == 0


def test_lengths_are_the_same_seen_link_by_link() -> None:
    """The second way: one link at a time, in float64."""
    plan, table = floor(
        {"server": "dgx-h100", "nodes": 70},
        {"layout": "top-of-rack"},
        {"leaf_placement": "end-of-row", "leaf_spine_panels": 1},
    )
    lengths = plan.link_lengths_m(table)
    keys: Any = plan.plan
    for link in range(0, len(table), 7):
        ends = [int(table.a_device[link]), int(table.b_device[link])]
        racks = [int(plan.rack[i]) for i in ends]
        high = [(plan.bottom_unit[i] - 1 + plan.units[i] / 2) * RACK_UNIT_M for i in ends]
        if racks[0] == racks[1]:
            route = abs(high[0] - high[1])
        else:
            tray = keys.tray_height_m + keys.rack_units * RACK_UNIT_M
            route = sum(tray - h for h in high)
            route += abs(plan.x_m[racks[0]] - plan.x_m[racks[1]]) + abs(plan.y_m[racks[0]] - plan.y_m[racks[1]])
        panels = 2.0 if TIERS[table.tier[link]] == "leaf-spine" else 0.0
        assert lengths[link] == pytest.approx(route * 1.05 + 2.0 + panels, rel=1e-5)


def estimated(plan: dict[str, Any] | None, **site: Any) -> dict[str, Any]:
    values = {
        "compute": {"server": "dgx-h100", "nodes": 64},
        "fabric": {"generation": "ndr"},
        "site": {"plan": plan, **site},
    }
    (made,) = estimate([parse_spec(values, CATALOG)], CATALOG)
    return made.as_json()


def test_an_estimate_has_the_floor_in_figures_and_its_findings() -> None:
    made = estimated({"nodes_per_rack": 4, "rack_power_kw": 25})
    compute = made["fabrics"]["compute"]
    assert compute["floor_plan"]["racks_by_role"] == {"node": 16, "leaf": 2, "spine": 1}
    (found,) = [finding for finding in made["findings"] if finding["code"] == "rack_power_exceeded"]
    assert (found["severity"], found["change"]) == ("warning", {"site.plan.nodes_per_rack": 2})
    assert compute["media"]["node_leaf"]["lengths_m"]["from"] == "plan"
    plan, table = floor({"server": "dgx-h100", "nodes": 64}, {}, {"nodes_per_rack": 4, "rack_power_kw": 25})
    assert compute["media"]["leaf_spine"]["lengths_m"]["longest"] == pytest.approx(
        float(plan.link_lengths_m(table)[table.rows(2)].max()), abs=0.1
    )


def test_without_a_plan_lengths_stay_those_of_the_tiers() -> None:
    made = estimated(None)
    assert "floor_plan" not in made["fabrics"]["compute"]
    assert made["fabrics"]["compute"]["media"]["leaf_spine"]["lengths_m"]["longest"] == 30
    by_hand = estimated({}, leaf_spine_m=47)
    assert by_hand["fabrics"]["compute"]["media"]["leaf_spine"]["lengths_m"]["longest"] == 47
    assert by_hand["fabrics"]["compute"]["media"]["node_leaf"]["lengths_m"]["longest"] < 12


def test_other_networks_stand_on_the_same_floor() -> None:
    """Storage, in-band and out-of-band networks of the published four units: every device once, every link a length."""
    values = {
        "compute": {"server": "dgx-h100", "nodes": 127},
        "fabric": {
            "generation": "ndr",
            "scalable_unit_nodes": 32,
            "provision": "full-unit",
            "reserved": {"fabric_manager_links": 4},
        },
        "other_fabrics": [{"role": "storage", "extra_endpoints": 40}, {"role": "in-band"}, {"role": "out-of-band"}],
        "site": {"plan": {}},
    }
    spec = parse_spec(values, CATALOG)
    sized = fabric_of(size([spec], CATALOG), 0, spec)
    table = link_table(sized, panels_of(spec, sized, CATALOG))
    (others,) = sized_others([spec], [sized], CATALOG)
    plan = design_floor(spec, table, CATALOG, others)
    assert plan is not None
    names = plan.devices.names
    assert len(names) == len(set(names)) == len(plan.rack)
    check_floor(plan)
    alone = floor_plan(spec, table, CATALOG)
    nodes = plan.devices.compute.of("node")
    assert (plan.position[plan.rack[nodes]] == alone.position[alone.rack[nodes]]).all()  # nodes stand where they stood
    for one in others:
        joined = other_table(one, sized, others, CATALOG)
        lengths = plan.link_lengths_m(joined)
        assert np.isfinite(lengths).all()
        assert lengths.min() >= 2.0
        ends = [plan.devices.index_of(joined.devices.names[int(joined.a_device[k])]) for k in (0, len(joined) - 1)]
        assert None not in ends
    placed = [device.name for rack in range(plan.n_racks) for device in plan.devices_in(rack)]
    pdus = [name for name in names if name.startswith("pdu-")]
    assert sorted([*placed, *pdus]) == sorted(names)
    assert len(pdus) > plan.n_racks  # two to three a rack
    assert len({int(plan.rack[plan.devices.index_of(name) or 0]) for name in pdus}) == plan.n_racks
    with pytest.raises(ValueError, match="has no place on this floor"):
        alone.link_lengths_m(other_table(others[0], sized, others, CATALOG))
    without = parse_spec(values | {"site": {}}, CATALOG)
    assert design_floor(without, table, CATALOG, others) is None


def test_links_of_other_networks_are_as_long_as_the_floor_says() -> None:
    values = {
        "compute": {"server": "dgx-h100", "nodes": 64},
        "fabric": {"generation": "ndr"},
        "other_fabrics": [{"role": "storage", "extra_endpoints": 8}],
        "site": {"plan": {}},
    }
    spec = parse_spec(values, CATALOG)
    compute, storage = link_list(spec, CATALOG), link_list(spec, CATALOG, "storage")
    floor_of_both = compute.plan.floor
    assert floor_of_both is not None
    asked = floor_of_both.link_lengths_m(storage.table)
    assert (storage.cabling.length_m >= asked - 1e-3).all()
    assert storage.cabling.length_m.max() < 20  # not the catalog's 30 m of a tier
    assert floor_of_both.devices.index_of("storage-leaf-001") is not None
    (made,) = estimate([spec], CATALOG)
    assert made.fabrics["compute"].floor_plan == floor_of_both.answer()
    lengths = (made.fabrics["storage"].media or {})["node_leaf"].lengths_m
    assert lengths.from_ == "plan"
    assert lengths.longest == pytest.approx(float(asked[storage.table.rows(0)].max()), abs=0.1)
