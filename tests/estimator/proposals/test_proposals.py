"""Every change that a finding or a refusal proposes: applied to the request as given and as normalized, it must work."""

from typing import Any

import pytest
from hypothesis import given, settings

from estimator.catalog.loader import load_catalog
from estimator.errors import Change, EstimatorError, Problem
from estimator.findings.finding import Finding
from estimator.pipeline import estimate
from estimator.spec.change import apply_change
from estimator.spec.parse import parse_spec
from tests.estimator.fabric.test_sizing import SMALL, small_spec
from tests.thorough import n_examples

CATALOG = load_catalog()


def findings(values: dict[str, Any], *parts: str) -> dict[str, Finding]:
    """Findings of a request by code."""
    (made,) = estimate([parse_spec(values, CATALOG)], CATALOG, parts or ("counts", "changes"))
    return {finding.code: finding for finding in made.findings}


def problems(values: dict[str, Any]) -> list[Problem]:
    """What a request is refused for; nothing if it is not."""
    try:
        findings(values)
    except EstimatorError as error:
        return list(error.problems)
    return []


def h100(nodes: int, server: str = "dgx-h100", generation: str = "ndr", **fabric: Any) -> dict[str, Any]:
    return {"compute": {"server": server, "nodes": nodes}, "fabric": {"generation": generation, **fabric}}


def custom(nodes: int, ports: int = 8, **fabric: Any) -> dict[str, Any]:
    compute = {"nodes": nodes, "gpus_per_node": ports, "nics_per_node": ports, "nic_ports_per_node": ports}
    return {"compute": compute, "fabric": {"generation": "ndr", **fabric}}


EIGHT = {"leaf_radix": 8, "spine_radix": 8, "core_radix": 8, "tiers": 3}
LOOSE = {"layout": "top-of-rack", "tiers": 2, "uplink_spread": "uneven"}
FOUND: list[tuple[str, dict[str, Any], Change]] = [
    # code, request, change proposed
    ("gpus_rounded_up", {"compute": {"server": "dgx-h100", "gpus": 1020}, "fabric": {"generation": "ndr"}},
     {"compute.gpus": 1024}),
    ("fabric_manager_ports_short", h100(32, reserved={"fabric_manager_links": 4}), {"compute.nodes": 31}),
    ("fabric_manager_ports_short", h100(64, reserved={"fabric_manager_links": 4}), {"compute.nodes": 63}),
    ("reserve_conflict", custom(62, leaf_radix=64, tiers=2, leaf_downlinks=31, leaf_uplinks=31, scalable_unit_nodes=31,
                                reserved={"fabric_manager_links": 4, "leaf_ports": 2}), {"fabric.reserved.leaf_ports": 0}),
    ("last_unit_partial", h100(53, scalable_unit_nodes=32), {"compute.nodes": 64}),
    ("last_unit_partial", h100(128, oversubscription="2:1", scalable_unit_nodes=42),
     {"fabric.scalable_unit_nodes": 32}),
    ("last_unit_partial", h100(128, generation="xdr", scalable_unit_nodes=72), {"fabric.scalable_unit_nodes": 64}),
    ("rails_never_meet", h100(64, layout="rail-only"), {"fabric.layout": "rail-optimized"}),
    ("other_networks_left_out", h100(64), {"other_fabrics": [{"role": "storage"}, {"role": "in-band"}, {"role": "out-of-band"}]}),
    ("no_subnet_manager", h100(31, leaf_switch="nvidia-qm9790"), {"fabric.reserved.fabric_manager_links": 2}),
    ("no_subnet_manager", h100(128, leaf_switch="nvidia-qm9790", scalable_unit_nodes=32),
     {f"fabric.{tier}_switch": "nvidia-qm9700" for tier in ("leaf", "spine", "core")}),
    ("no_port_for_fabric_manager", h100(128, scalable_unit_nodes=32),
     {"fabric.reserved.fabric_manager_links": 2, "compute.nodes": 127, "fabric.provision": "full-unit"}),
    ("single_switch", custom(8), {"fabric.tiers": 2, "fabric.least_spines": 2}),
    ("uplinks_not_even", custom(40, 1, leaf_radix=8, spine_radix=16, leaf_downlinks=5, leaf_uplinks=3, **LOOSE),
     {"fabric.uplink_spread": "even"}),
    ("opensm_fat_tree_asymmetric", custom(40, 1, leaf_radix=8, spine_radix=16, leaf_downlinks=5, leaf_uplinks=3, **LOOSE),
     {"fabric.uplink_spread": "even"}),
    ("opensm_fat_tree_asymmetric", custom(20, 1, **EIGHT, scalable_unit_nodes=4, pod_nodes=16), {"fabric.pod_nodes": 4}),
    ("split_sets_ratio", custom(66, 1, leaf_radix=40, leaf_downlinks=33, leaf_uplinks=7, layout="top-of-rack", tiers=2),
     {"fabric.oversubscription": "33:7"}),
    ("nodes_on_one_leaf", custom(64, 4, layout="top-of-rack", tiers=2),
     {"fabric.layout": "rail-optimized", "fabric.rails_per_leaf": 1}),
    ("mixed_rates", h100(64, server="custom", generation="hdr", splitters=True), {"fabric.splitters": False}),
    ("no_in_network_reduction", h100(64, generation="roce-400") | {"workload": {"in_network_reduction": True}},
     {"workload.in_network_reduction": False}),
    ("nic_rate_unused", h100(64, server="dgx-b300"), {"fabric.planes": 2, "compute.nic_ports_per_node": 16}),
    ("idle_switches", custom(34, 1, leaf_radix=8, layout="top-of-rack", scalable_unit_nodes=32, provision="full-unit",
                             tiers=2, spine_radix=64), {"fabric.provision": "as-bought"}),
]  # fmt: skip


@pytest.mark.parametrize(("code", "values", "change"), FOUND, ids=[f"{case[0]}-{n}" for n, case in enumerate(FOUND)])
def test_a_finding_proposes_what_ends_it(code: str, values: dict[str, Any], change: Change) -> None:
    assert findings(values)[code].change == change
    for form in (values, parse_spec(values, CATALOG).as_json()):
        assert code not in findings(apply_change(form, change))


def test_findings_whose_change_names_parts_end_too() -> None:
    """A slower network for slots of PCIe 4; the server's own generation; Ethernet for Ethernet NICs; a larger leaf."""
    a100 = h100(64, server="hgx-h100-8u")
    a100["compute"]["gpu"] = "a100-80-sxm"
    ratio = custom(
        64,
        leaf_radix=65,
        leaf_downlinks=33,
        scalable_unit_nodes=32,
        tiers=2,
        spine_radix=64,
        reserved={"fabric_manager_links": 1},
    )
    one = custom(48, 1, leaf_radix=32, leaf_downlinks=24, leaf_uplinks=8, spine_radix=64, layout="top-of-rack", tiers=2)
    for code, values in (
        ("pcie_below_nic_rate", a100),
        ("nic_below_port_rate", h100(64, generation="xdr")),
        ("nic_speaks_other_protocol", h100(64, server="smc-8125gs-mi300x")),
        ("oversubscription_above_asked", ratio),
        ("single_point_of_failure", one),
        ("three_tiers_needed", custom(2200, 1, spine_radix=16, layout="top-of-rack")),
    ):
        change = findings(values)[code].change
        assert change, code
        for form in (values, parse_spec(values, CATALOG).as_json()):
            assert code not in findings(apply_change(form, change)), code
    assert findings(one)["single_point_of_failure"].change == {"fabric.least_spines": 2}


def test_a_last_unit_far_from_full_says_what_even_units_save_or_filling_it_costs() -> None:
    """128 nodes at 2:1 make units of 42, 42, 42 and 2; units of 32 need three spines fewer. 43 is a prime."""
    uneven = findings(h100(128, oversubscription="2:1", scalable_unit_nodes=42))["last_unit_partial"]
    assert uneven.severity == "warning"
    assert "2 of 42 nodes; its 8 leaves are not filled" in uneven.message
    assert "40 switches instead of 43 (32 leaves, 8 spines)" in uneven.message
    even = findings(h100(128, generation="xdr", scalable_unit_nodes=72))["last_unit_partial"]
    assert (even.severity, "the same 24 switches" in even.message) == ("info", True)
    more = findings(h100(50, scalable_unit_nodes=32))["last_unit_partial"]
    assert (more.severity, more.change) == ("info", {"fabric.scalable_unit_nodes": 25})
    filled = findings(h100(43, scalable_unit_nodes=32))["last_unit_partial"]
    assert filled.severity == "info"
    assert "Filling it takes 21 more servers, about $" in filled.message
    assert "11 nodes fewer would do without the unit" in filled.message
    room = findings(h100(128, oversubscription="2:1", provision="full-unit"))["last_unit_partial"]
    assert room.change == {"compute.nodes": 168}, "room in the last unit is wanted"


def test_no_proposal_leaves_links_without_cables() -> None:
    """NDR spines would hold the leaves of 256 nodes on HDR, and no cable joins them to HDR leaves."""
    tiers = findings(h100(256, server="dgx-a100-640", generation="hdr"))["three_tiers_needed"]
    assert tiers.change is None or "nvidia-qm9700" not in tiers.change.values()
    found = {problem.code: problem for problem in problems(h100(256, generation="hdr", tiers=2))}
    assert "What would work: three tiers" in found["two_tier_too_small"].message
    for values in (
        h100(256, server="dgx-a100-640", generation="hdr"),
        h100(60, server="dgx-a100-640", generation="hdr"),
    ):
        before = missing_tiers(values)
        for finding in findings(values, "counts", "cables").values():
            if finding.change:
                assert missing_tiers(apply_change(values, finding.change)) <= before, finding


def missing_tiers(values: dict[str, Any]) -> set[str]:
    """Tiers of links for which the catalog has no cable."""
    (made,) = estimate([parse_spec(values, CATALOG)], CATALOG, ("counts", "cables"))
    return {tier for tier, cabled in (made.fabrics["compute"].media or {}).items() if cabled.missing}


def test_a_change_is_held_against_the_request_and_not_made_up() -> None:
    """23 nodes in units of one rail leaf: no pods of equal size exist, so none is proposed."""
    found = findings(custom(23, 1, **EIGHT, scalable_unit_nodes=4, pod_nodes=16))
    assert found["opensm_fat_tree_asymmetric"].change is None


@settings(max_examples=n_examples(100), deadline=None)
@given(SMALL)
def test_every_proposal_of_a_random_design_works(a: dict[str, Any]) -> None:
    spec = small_spec(a)
    for form in (spec.as_given(), spec.as_json()):
        try:
            before = findings(form)
        except EstimatorError as error:
            for problem in error.problems:
                if problem.change:
                    assert not problems(apply_change(form, problem.change)), problem
            continue
        for code, finding in before.items():
            if finding.change:
                after = findings(apply_change(form, finding.change))
                assert code not in after, finding
                assert not {c for c, f in after.items() if f.severity == "error"} - set(before), finding


REFUSED: list[tuple[str, dict[str, Any], Change | None]] = [
    # code, request, change (None: there is one, and which does not matter)
    ("one_tier_too_small", custom(100, 1, tiers=1), {"fabric.tiers": "auto"}),
    (
        "two_tier_too_small",
        custom(
            1600, 1, leaf_radix=36, spine_radix=36, leaf_downlinks=32, leaf_uplinks=4, tiers=2, layout="top-of-rack"
        ),
        None,
    ),
    ("two_tier_too_small", h100(257, tiers=2), None),
    ("two_tier_too_small", h100(256, generation="hdr", tiers=2), {"fabric.tiers": "auto"}),
    ("three_tier_too_small", custom(200, 1, leaf_radix=8, spine_radix=8, core_radix=6, tiers=3), None),
    ("pod_too_large", custom(64, 1, **EIGHT, pod_nodes=32), None),
    ("pod_cuts_unit", custom(64, 1, **EIGHT, pod_nodes=6, scalable_unit_nodes=4), None),
    ("unit_over_leaf", custom(64, scalable_unit_nodes=40, tiers=2), {"fabric.scalable_unit_nodes": 32}),
    (
        "ratio_not_reachable",
        custom(64, leaf_downlinks=40, tiers=2, layout="top-of-rack"),
        {"fabric.leaf_downlinks": 32},
    ),
    ("planes_do_not_divide", custom(64, planes=3), {"fabric.planes": 2}),
    ("rails_do_not_divide", custom(64, rails_per_leaf=3), {"fabric.rails_per_leaf": 2}),
    ("contradiction", custom(64, grow_to_nodes=100, uplink_spread="uneven"), {"fabric.uplink_spread": "even"}),
    ("contradiction", {"compute": {"nodes": 4, "gpus": 100}, "fabric": {"generation": "ndr"}}, {"compute.nodes": 4}),
    ("out_of_range", custom(64, grow_to_nodes=10), {"fabric.grow_to_nodes": None}),
    ("leaf_ports_short", custom(64, leaf_downlinks=50, leaf_uplinks=20, leaf_radix=64), None),
    ("leaf_ports_short", custom(8, reserved={"leaf_ports": 63}, leaf_radix=64), {"fabric.reserved.leaf_ports": 0}),
    ("spine_ports_short", custom(64, reserved={"spine_ports": 64}), {"fabric.reserved.spine_ports": 0}),
    ("radix_over_part", h100(64, leaf_switch="nvidia-qm9700", leaf_radix=100), {"fabric.leaf_radix": 64}),
    (
        "switch_does_not_fit",
        h100(64, leaf_switch="nvidia-sn4700"),
        {"fabric.leaf_switch": "nvidia-qm9700", "fabric.leaf_radix": None},
    ),
    ("rack_not_node", h100(36, server="gb200-nvl72"), None),
]


@pytest.mark.parametrize(
    ("code", "values", "change"), REFUSED, ids=[f"{case[0]}-{n}" for n, case in enumerate(REFUSED)]
)
def test_a_refusal_proposes_what_can_be_built(code: str, values: dict[str, Any], change: Change | None) -> None:
    found = {problem.code: problem for problem in problems(values)}
    proposed = found[code].change
    assert proposed
    assert change is None or proposed == change
    left = problems(apply_change(values, proposed))
    assert not left


def test_a_problem_shows_its_change_only_where_there_is_one() -> None:
    assert Problem("a", "b", "c").as_json() == {"field": "a", "code": "b", "message": "c"}
    assert Problem("a", "b", "c", {"x": 1}).as_json()["change"] == {"x": 1}
    assert Finding("a", "info", "b", "c").as_json()["change"] is None
