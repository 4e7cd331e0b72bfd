"""Sized for and bought now: two prices, a later bill that is their difference, and not one link that moves."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.bom.lines import BomLine as Line
from estimator.catalog.loader import load_catalog
from estimator.errors import Problem
from estimator.fabric.sized import SizedFabric
from estimator.fabric.topology import Panels, link_table
from estimator.findings.future import about_growth, cannot_grow
from estimator.growth.room import compared_specs, is_recabled, moved_manager_links, nodes_sized_for, upgrade_lines
from estimator.pipeline import estimate
from estimator.ranges import Range
from estimator.spec.change import apply_change
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec
from tests.estimator.fabric.test_ratios import sized
from tests.estimator.fabric.test_sizing import SMALL, small_spec
from tests.thorough import n_examples

CATALOG = load_catalog()
KEDIOS = {
    "compute": {"server": "dgx-b300", "nodes": 32},
    "fabric": {"generation": "xdr", "provision": "full-unit", "scalable_unit_nodes": 72},
}


def estimated(values: dict[str, Any], *parts: str) -> dict[str, Any]:
    (made,) = estimate([parse_spec(values, CATALOG)], CATALOG, parts or ("counts", "bom", "growth"))
    return made.as_json()


@pytest.mark.parametrize("fabric", [KEDIOS["fabric"], {"generation": "xdr", "grow_to_nodes": 72}])
def test_a_plan_for_32_nodes_on_a_baseline_of_72_has_both_truths(fabric: dict[str, Any]) -> None:
    """144-port switches: 8 + 4 = 12 hold 72 nodes; 32 nodes alone need ⌈256/144⌉ = 2 spines and 10 switches."""
    growth = estimated(KEDIOS | {"fabric": fabric})["growth"]
    assert growth["nodes"] == {"now": 32, "sized_for": 72}
    assert [growth[side]["counts"]["switches"] for side in ("bought_now", "sized_for", "right_sized")] == [12, 12, 10]
    assert growth["right_sized"]["counts"]["spine"] == 2
    prices = [growth[side]["network_usd"]["typical"] for side in ("right_sized", "bought_now", "sized_for")]
    assert prices == sorted(prices)
    assert growth["readiness_usd"]["typical"] == pytest.approx(
        growth["bought_now"]["totals_usd"]["typical"] - growth["right_sized"]["totals_usd"]["typical"]
    )
    assert (growth["replaced"], growth["moved_links"]) == ([], 0)


def test_the_later_bill_is_what_40_nodes_bring_and_no_switch() -> None:
    """40 nodes × 8 links: 320 node transceivers and fibres, and 320 ÷ 2 transceivers in leaves, four nodes a rack."""
    made = estimated(KEDIOS)
    by_category = {(line["category"], line["use"]): line["quantity"] for line in made["growth"]["upgrade"]["lines"]}
    assert by_category == {
        ("server", "node"): 40,
        ("transceiver", "leaf, to nodes"): 160,
        ("transceiver", "node"): 320,
        ("fiber", "node-leaf"): 320,
        ("rack", "rack"): 40 // 4,
    }


CASES = [
    {"compute": {"server": "dgx-h100", "nodes": 40}, "fabric": {"generation": "ndr", "grow_to_nodes": 100}},
    {"compute": {"server": "dgx-h100", "nodes": 300}, "fabric": {"generation": "ndr", "grow_to_nodes": 700}},
    {"compute": {"server": "dgx-h100", "nodes": 50}, "fabric": {"generation": "ndr", "provision": "full-unit"}},
    {
        "compute": {"server": "smc-8125gs-mi300x", "nodes": 20},
        "fabric": {"generation": "roce-400", "layout": "top-of-rack", "grow_to_nodes": 33},
    },
]


@pytest.mark.parametrize("values", CASES, ids=lambda values: values["compute"]["server"])
def test_today_and_the_later_bill_are_the_bill_of_the_grown_design(values: dict[str, Any]) -> None:
    now = estimated(values)
    nodes = now["growth"]["nodes"]["sized_for"]
    grown = estimated(apply_change(values, {"compute.nodes": nodes, "fabric.grow_to_nodes": nodes}))

    def counted(lines: list[dict[str, Any]], sign: int, into: dict[Any, int]) -> None:
        for line in lines:
            key = line["part"], line["use"], line["length_m"]
            into[key] = into.get(key, 0) + sign * line["quantity"]

    total: dict[Any, int] = {}
    for lines, sign in (
        (now["bom"]["lines"], 1),
        (now["growth"]["upgrade"]["lines"], 1),
        (now["growth"]["replaced"], -1),
        (grown["bom"]["lines"], -1),
    ):
        counted(lines, sign, total)
    assert not any(total.values())
    assert grown["growth"] is None
    usd = [side["totals_usd"]["typical"] for side in (now["bom"], now["growth"]["upgrade"], grown["bom"])]
    if not now["growth"]["replaced"]:
        assert usd[0] + usd[1] == pytest.approx(usd[2])


def test_a_design_without_room_has_no_growth_and_none_is_reported_unasked() -> None:
    fixed = {"compute": {"server": "dgx-h100", "nodes": 64}, "fabric": {"generation": "ndr"}}
    assert estimated(fixed)["growth"] is None
    assert "growth" not in estimated(fixed, "counts", "bom")


def ends(fabric: SizedFabric, panels: Panels) -> set[tuple[Any, ...]]:
    """Both ends of every link by name and port."""
    table = link_table(fabric, panels)
    names = table.devices.names
    columns = (table.a_device, table.a_port, table.b_device, table.b_port, table.b_lane)
    return {(names[a], p, names[b], q, lane) for a, p, b, q, lane in zip(*(c.tolist() for c in columns), strict=True)}


@settings(max_examples=n_examples(200), deadline=None)
@given(SMALL, st.integers(1, 30))
def test_a_grown_fabric_has_every_link_of_today(a: dict[str, Any], more: int) -> None:
    """And fabric-manager links, which may stand where nodes will be, are counted where they must move."""
    spec = small_spec(a | {"spread": "even", "grow": 0})
    spec = with_keys(spec, {"fabric.grow_to_nodes": (spec.compute.nodes or 0) + more})
    check_growth(spec)


@settings(max_examples=n_examples(100), deadline=None)
@given(SMALL)
def test_a_whole_unit_has_every_link_of_the_part_that_is_bought(a: dict[str, Any]) -> None:
    check_growth(small_spec(a | {"provision": "full-unit", "grow": 0}))


def with_keys(spec: DesignSpec, change: dict[str, Any]) -> DesignSpec:
    return parse_spec(apply_change(spec.as_json(), change), CATALOG)


def check_growth(spec: DesignSpec) -> None:
    now = sized(spec)
    if now is None or nodes_sized_for(spec, now) == now.n_nodes:
        return
    pair = compared_specs(spec, now, CATALOG)
    assert pair
    grown, right = (sized(some) for some in pair)
    assert grown
    assert right
    assert (grown.n_nodes, right.n_nodes) == (nodes_sized_for(spec, now), now.n_nodes)
    # three tiers: fewest spines and cores together, each may be more; whole units give managers ports beyond the ratio
    whole_with_managers = spec.fabric.provision == "full-unit" and now.links_fabric_manager
    assert right.n_spine <= now.n_spine or right.tiers == 3 or whole_with_managers
    if is_recabled(spec, now, grown):  # told as a finding; no link is promised to stay
        assert now.links_fabric_manager or spec.fabric.provision == "full-unit"
        return
    # where twin cages face up depends on how many ports managers take beside nodes
    panels = Panels() if now.links_fabric_manager else Panels(2, 1, 2, 2, 2)
    here, there = ends(now, panels), ends(grown, panels)
    assert all(link[0].startswith("manager") for link in here - there)
    managers = [{link[2:] for link in some if link[0].startswith("manager")} for some in (here, there)]
    assert len(managers[0] - managers[1]) == moved_manager_links(now, grown)


def test_a_leaf_too_small_for_managers_and_nodes_is_reported() -> None:
    """Six ports: a node, two managers and three uplinks; a second node leaves two uplinks."""
    values = {
        "compute": {"server": "custom", "nodes": 1, "gpus_per_node": 1, "nics_per_node": 1, "nic_ports_per_node": 1},
        "fabric": {
            "generation": "ndr",
            "leaf_switch": "custom",
            "leaf_radix": 6,
            "spine_radix": 6,
            "tiers": 2,
            "provision": "full-unit",
            "grow_to_nodes": 2,
            "reserved": {"fabric_manager_links": 2},
        },
    }
    found = [finding["code"] for finding in estimated(values)["findings"]]
    assert "grow_recables" in found
    assert "grow_moves_links" not in found


def test_lines_that_shrink_are_distinguished() -> None:
    line = Line(
        "cable", "a", None, "A", "u", None, 4, 0.0, length_m=1.0, spare_quantity=2, unit_cents=Range(100, 200, 300)
    )
    bill = [line.shown(1)]
    later, unused = upgrade_lines(bill, [replace(line, part="b", quantity=6).shown(1)])
    assert [(some.part, some.quantity, some.spare_quantity) for some in later] == [("b", 6, 2)]
    assert [(some.part, some.quantity) for some in unused] == [("a", 4)]
    assert later[0].extended_price_usd == Range(8, 16, 24)
    more, none = upgrade_lines(bill, [replace(line, spare_quantity=3).shown(1)])
    assert (more[0].quantity, more[0].spare_quantity, none) == (0, 1, [])


def test_fabric_managers_in_the_way_of_nodes_to_come_are_reported() -> None:
    """31 nodes of a unit of 32 leave a port on each leaf; two managers take four of them, and the 32nd node needs them."""
    values = {
        "compute": {"server": "dgx-h100", "nodes": 31},
        "fabric": {"generation": "ndr", "grow_to_nodes": 64, "reserved": {"fabric_manager_links": 4}},
    }
    (made,) = estimate([parse_spec(values, CATALOG)], CATALOG, ("counts", "growth"))
    assert made.growth is not None
    assert made.growth.moved_links == 4
    (reported,) = [finding for finding in made.findings if finding.code == "grow_moves_links"]
    assert reported.change == {"fabric.grow_to_nodes": None}
    (again,) = estimate([parse_spec(apply_change(values, reported.change), CATALOG)], CATALOG, ("counts", "growth"))
    assert not [finding for finding in again.findings if finding.code.startswith("grow_")]


def test_parts_that_growth_would_replace_are_reported() -> None:
    """12 nodes fill whole twin cables; the 13th does not, so the grown design is cabled another way."""
    values = {"compute": {"nodes": 12}, "fabric": {"generation": "ndr", "grow_to_nodes": 13}}
    (made,) = estimate([parse_spec(values, CATALOG)], CATALOG, ("counts", "growth"))
    assert made.growth is not None
    (copper,), _ = upgrade_lines([], [Line("cable", "a", None, "Twin copper", "u", None, 48, 0.0).shown(1)])
    (reported,) = about_growth(made.spec, made.growth.but(moved_links=0, recabled=False, replaced=[copper]))
    assert (reported.code, reported.change) == ("grow_replaces_parts", {"fabric.grow_to_nodes": None})
    assert "48 × Twin copper" in reported.message
    refused = cannot_grow(Problem("fabric.tiers", "two_tier_too_small", "No fabric."))
    assert (refused.code, refused.change) == ("grow_not_possible", {"fabric.grow_to_nodes": None})


@pytest.mark.parametrize(
    ("server", "generation", "nodes", "grown"),
    [
        ("dgx-b300", "xdr", 128, 2048),
        ("dgx-h200", "ndr", 64, 300),
        ("dgx-h100", "ndr", 64, 1024),
    ],
)
def test_growth_into_three_tiers_adds_whole_pods(server: str, generation: str, nodes: int, grown: int) -> None:
    """Spines come with the pods of today's nodes; those of pods to come are bought later, and no cable moves."""
    request = {
        "compute": {"server": server, "nodes": nodes},
        "fabric": {"generation": generation, "grow_to_nodes": grown},
    }
    spec = parse_spec(request, CATALOG)
    made = estimated(request)
    growth = made["growth"]
    spines = [growth[side]["counts"]["spine"] for side in ("bought_now", "sized_for")]
    assert made["fabrics"]["compute"]["tiers"] == 3
    assert spines[0] <= spines[1] / 2
    assert (growth["moved_links"], growth["recabled"], growth["replaced"]) == (0, False, [])
    check_growth(spec)
    larger = estimated(apply_change(request, {"fabric.pod_nodes": None, "compute.nodes": grown}))["fabrics"]["compute"]
    assert growth["sized_for"]["counts"]["switches"] <= 1.1 * larger["counts"]["switches"]


def test_spines_that_wait_for_growth_are_reported_with_both_prices() -> None:
    """32 DGX B300 on a baseline of 72: four spines of which two wait; the offer is the design that was estimated beside."""
    values = KEDIOS | {"fabric": {"generation": "xdr", "grow_to_nodes": 72}}
    made = estimated(values)
    (reported,) = [finding for finding in made["findings"] if finding["code"] == "grow_spines_wait"]
    prices = [made["growth"][side]["network_usd"]["typical"] for side in ("bought_now", "right_sized")]
    assert reported["message"].startswith("2 spines more than 32 nodes need wait for growth to 72 nodes.")
    assert all(f"{price:,.0f} USD" in reported["message"] for price in prices)
    alone = estimated(apply_change(values, reported["change"]))
    bill = alone["bom"]["totals_by_category"]
    assert round(sum(one["typical"] for category, one in bill.items() if one and category != "server"), 2) == prices[1]
    assert not [finding for finding in alone["findings"] if finding["code"].startswith("grow_")]
