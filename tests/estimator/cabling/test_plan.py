"""Cables, fibres and transceivers: published counts, rounding by panel direction, reach, and what fits what."""

import csv
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import HERE, load_catalog
from estimator.errors import SpecError
from estimator.fabric.size import size
from estimator.pipeline import estimate
from tests.estimator.designs import Design, design, superpod_h100
from tests.estimator.fabric.wiring import wired
from tests.thorough import n_examples


def parts(made: Design, tier: str) -> tuple[str | None, str | None, str | None]:
    """Part ids of a tier: cable or fibre, upper transceiver, lower transceiver."""
    found = made.plan.media[tier].parts
    return found.cable, found.upper_module, found.lower_module


def test_the_published_superpod_has_its_modules_and_fibres(catalog: Catalog) -> None:
    plan = superpod_h100(catalog).plan
    assert plan.transceivers.as_json() == {"node": 508, "switch": 1536, "fabric_manager": 4}
    cables = {"node_leaf": 1016, "leaf_spine": 1024, "spine_core": 0, "fabric_manager": 4}
    assert plan.cables.as_json() == cables
    assert plan.cables.node_leaf + plan.cables.leaf_spine == 2040
    assert plan.media["node_leaf"].parts.as_json() == {
        "cable": "fib-mfp7e10",
        "upper_module": "nv-mma4z00-ns",
        "lower_module": "nv-mma4z00-ns-flt",
        "cable_name": "NVIDIA OM4 fibre, MPO-12/APC",
        "upper_module_name": "NVIDIA 800G OSFP twin-port transceiver, 2xSR4, finned, 50 m",
        "lower_module_name": "NVIDIA 800G OSFP twin-port transceiver, 2xSR4, flat, 50 m",
    }


def test_modules_round_up_on_each_switch_and_not_in_total(catalog: Catalog) -> None:
    made = design(
        catalog,
        "dgx-h100",
        31,
        "ndr",
        scalable_unit_nodes=32,
        provision="full-unit",
        reserved={"fabric_manager_links": 4},
    )
    leaf_down = [*made.fabric.leaf_down]
    assert sorted(leaf_down) == [31] * 4 + [32] * 4  # 31 nodes on eight rails, and a manager on four leaves
    node_side = made.plan.tier("node_leaf")
    managers = made.plan.tier("fabric_manager")
    assert node_side is not None
    assert managers is not None
    assert node_side.n_upper_modules + managers.n_upper_modules == 8 * 16  # half of 252 links would be 126


@pytest.mark.parametrize(
    ("server", "layout", "length_m", "expected"),
    [
        ("hgx-h100-8u", "rail-optimized", 2.5, ("nv-mcp7y00-n", None, None)),  # splitter: two links to two nodes
        ("hgx-h100-8u", "rail-optimized", 4.0, ("nv-mca7j60-n", None, None)),
        ("hgx-h100-8u", "rail-optimized", 30.0, ("fib-mfp7e10", "nv-mma4z00-ns", "nv-mma4z00-ns400")),
        ("hgx-h100-8u", "rail-optimized", 60.0, ("fib-mfp7e30", "nv-mms4x00-ns", "nv-mms4x00-ns400")),
        ("dgx-h100", "rail-optimized", 4.0, ("fib-mfp7e10", "nv-mma4z00-ns", "nv-mma4z00-ns-flt")),
        ("dgx-h100", "top-of-rack", 4.0, ("nv-mca4j80-ftf", None, None)),  # both links of a cage end in one leaf
    ],
)
def test_the_medium_follows_length_cage_and_rails(
    catalog: Catalog, server: str, layout: str, length_m: float, expected: tuple[str | None, ...]
) -> None:
    made = design(catalog, server, 32, "ndr", {"node_leaf_m": length_m}, layout=layout)
    assert parts(made, "node_leaf") == expected


def test_twin_copper_halves_cables_and_needs_no_module(catalog: Catalog) -> None:
    made = design(catalog, "dgx-h100", 32, "ndr", {"leaf_spine_m": 2.0})
    assert (made.fabric.links_leaf_spine, made.plan.cables.leaf_spine) == (256, 128)
    assert parts(made, "leaf_spine") == ("nv-mcp4y10-n", None, None)
    assert made.plan.transceivers.as_json() == {"node": 128, "switch": 128, "fabric_manager": 0}


def test_twin_copper_is_left_where_a_pair_shares_one_link(catalog: Catalog) -> None:
    made = design(catalog, "dgx-h100", 256, "ndr", {"leaf_spine_m": 2.0})
    assert (
        made.fabric.leaf_uplinks == made.fabric.n_spine == 32
    )  # one link a pair: a twin cable would end in two spines
    assert parts(made, "leaf_spine")[0] == "fib-mfp7e10"
    assert made.plan.cables.leaf_spine == made.fabric.links_leaf_spine


def test_splitter_copper_is_counted_for_each_leaf(catalog: Catalog) -> None:
    made = design(catalog, "hgx-h100-8u", 31, "ndr", {"node_leaf_m": 2.0})
    assert made.fabric.leaf_endpoints.tolist() == [31] * 8
    assert made.plan.cables.node_leaf == 8 * 16


@pytest.mark.parametrize(
    ("server", "generation", "fabric", "tier", "expected"),
    [
        ("custom", "edr", {}, "node_leaf", ("nv-mfa1a00-e", None, None)),
        ("dgx-a100-640", "hdr", {}, "leaf_spine", ("nv-mfs1s00-h", None, None)),
        ("custom", "hdr", {"splitters": True}, "node_leaf", ("nv-mfs1s50-h", None, None)),
        ("custom", "ndr", {"splitters": True}, "node_leaf", ("fib-mfp7e20", "nv-mma4z00-ns", "nv-mma4z00-ns400")),
        ("dgx-b300", "xdr", {}, "node_leaf", ("fib-mfp7e30", "nv-mms4a00", "nv-mms4a20")),
        ("dgx-b300", "xdr", {"leaf_switch": "nvidia-q3450-ld"}, "leaf_spine", ("fib-mfp7e30", None, None)),
        ("dgx-b300", "roce-400", {"planes": 2}, "node_leaf", ("fib-mfp7e10", "nv-mma4z00-ns", "nv-mma4z00-ns-flt")),
        ("dgx-b300", "roce-400", {"planes": 2}, "leaf_spine", ("fib-mfp7e10", "nv-mma4z00-ns", "nv-mma4z00-ns")),
        (
            "smc-8125gs-mi300x",
            "roce-400",
            {"leaf_switch": "arista-7060x6-64pe"},
            "node_leaf",
            ("fib-mfp7e10", "gen-800g-sr8", "nv-mma1z00-ns400"),
        ),
        (
            "smc-8125gs-mi300x",
            "roce-400",
            {"leaf_switch": "generic-th4-64x400"},
            "leaf_spine",
            ("fib-mpo16-om4", "gen-400g-sr8", "gen-400g-sr8"),
        ),
    ],
)
def test_parts_of_each_generation(
    catalog: Catalog, server: str, generation: str, fabric: dict[str, Any], tier: str, expected: tuple[str | None, ...]
) -> None:
    assert parts(design(catalog, server, 64, generation, **fabric), tier) == expected


def test_split_ports_share_cables_and_modules(catalog: Catalog) -> None:
    hdr100 = design(catalog, "custom", 64, "hdr", splitters=True)
    assert (hdr100.fabric.links_node_leaf, hdr100.plan.cables.node_leaf) == (512, 256)
    ndr200 = design(catalog, "custom", 64, "ndr", splitters=True)
    plan = ndr200.plan
    assert plan.cables.node_leaf == 256  # a 1:2 fibre for two links
    assert plan.media["node_leaf"].upper_modules == 128  # a twin-port transceiver for four
    assert plan.transceivers.node == 512


def test_eight_cages_of_a_dgx_b300_carry_sixteen_links(catalog: Catalog) -> None:
    made = design(catalog, "dgx-b300", 64, "roce-400", planes=2)
    assert made.fabric.links_node_leaf == 1024
    assert made.plan.transceivers.node == 64 * 8


def test_what_the_catalog_lacks_is_said_with_both_ends(catalog: Catalog) -> None:
    made = design(catalog, "gaudi3-8u", 16, "roce-200")
    tier = made.plan.media["node_leaf"]
    assert tier.medium is None
    assert tier.cables == 0
    assert tier.missing
    assert "no part in the catalog" in tier.missing
    assert "8 × Gaudi 3" in tier.missing
    assert "SN4600" in tier.missing
    (problem,) = made.plan.problems
    assert (problem.field, problem.code) == ("site.node_leaf_m", "no_part_fits")
    (finding,) = [f for f in estimate([made.spec], catalog)[0].as_json()["findings"] if f["code"] == "no_part_fits"]
    assert finding["severity"] == "error"
    assert finding["change"]["compute.server"] == "custom"  # six cages of four 200G ports meet no leaf: other NICs do


@pytest.mark.parametrize(
    ("server", "generation", "warns"),
    [("smc-8125gs-mi300x", "ndr", True), ("smc-8125gs-mi300x", "roce-400", False), ("dgx-h100", "roce-400", False)],
)
def test_adapters_that_do_not_speak_the_fabrics_protocol_are_a_finding(
    catalog: Catalog, server: str, generation: str, warns: bool
) -> None:
    findings = estimate([design(catalog, server, 16, generation).spec], catalog)[0].as_json()["findings"]
    assert ("nic_speaks_other_protocol" in {finding["code"] for finding in findings}) is warns


def test_a_length_beyond_every_reach_has_no_part(catalog: Catalog) -> None:
    made = design(catalog, "dgx-h100", 32, "ndr", {"node_leaf_m": 9_000.0})
    assert "9000 m" in made.plan.media["node_leaf"].missing
    assert "parts that fit reach 500 m" in made.plan.media["node_leaf"].missing
    assert design(catalog, "dgx-h100", 32, "ndr", {"node_leaf_m": 100.0}).plan.problems == ()


def test_a_run_shorter_than_the_modules_ask_for_takes_a_longer_fibre(catalog: Catalog) -> None:
    tier = design(catalog, "dgx-h100", 32, "ndr", {"node_leaf_m": 0.1}).plan.media["node_leaf"]
    assert (tier.parts.cable, tier.length_m) == ("fib-mfp7e10", 3.0)


def test_a_fibre_is_never_shorter_than_its_modules_allow(tmp_path: Path) -> None:
    """The same transceivers, but for a least reach of 6 m: 3 m of cabling then takes a fibre of 7."""
    copy = tmp_path / "catalog"
    shutil.copytree(HERE, copy)
    with (copy / "cables.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if row["id"] == "nv-mma4z00-ns":
            row["reach_min_m"] = "6"
    with (copy / "cables.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    made = design(load_catalog(copy), "dgx-h100", 32, "ndr", {"node_leaf_m": 3.0})
    assert made.plan.media["node_leaf"].length_m == 7.0


def test_a_link_of_two_fibre_pairs_takes_two_fibres(catalog: Catalog) -> None:
    """One 800G link in a cage whose transceiver has two connectors."""
    made = design(catalog, "custom", 40, "roce-800", {"node_leaf_m": 1.0})
    assert made.plan.media["node_leaf"].parts.upper_module == "nv-mma4z00-ns"
    assert (made.fabric.links_node_leaf, made.plan.cables.node_leaf) == (320, 640)


def test_custom_parts_are_cabled_as_the_usual_ones_and_marked(catalog: Catalog) -> None:
    made = design(catalog, "custom", 16, "ndr", leaf_switch="custom", leaf_radix=48)
    assert parts(made, "node_leaf") == ("fib-mfp7e10", "nv-mma4z00-ns", "nv-mma4z00-ns400")
    assert all(tier.is_cage_assumed for tier in made.plan.tiers)
    assert not any(tier.is_cage_assumed for tier in design(catalog, "dgx-h100", 16, "ndr").plan.tiers)


@settings(max_examples=n_examples(40))
@given(
    nodes=st.integers(1, 300),
    server=st.sampled_from(["dgx-h100", "hgx-h100-8u", "custom"]),
    length_m=st.sampled_from([1.0, 2.0, 3.0, 5.0, 30.0, 80.0, 400.0]),
    managers=st.integers(0, 8),
    layout=st.sampled_from(["rail-optimized", "top-of-rack"]),
)
def test_modules_hold_every_link_and_waste_less_than_one_a_panel(
    nodes: int, server: str, length_m: float, managers: int, layout: str
) -> None:
    made = design(
        load_catalog(),
        server,
        nodes,
        "ndr",
        {"node_leaf_m": length_m, "leaf_spine_m": length_m},
        layout=layout,
        reserved={"fabric_manager_links": managers},
    )
    for tier in made.plan.tiers:
        if tier.choice is None:
            continue
        links, per_cable = tier.n_links, tier.choice.links_per_cable
        assert tier.n_cables * per_cable >= links
        if tier.choice.cable.kind == "fiber":
            assert tier.n_cables == links
        else:
            assert tier.n_upper_modules == tier.n_lower_modules == 0
    fabric = made.fabric
    switch_plugs = sum(int(t.upper_plugs.sum()) for t in made.plan.tiers)
    switch_plugs += sum(int(t.lower_plugs.sum()) for t in made.plan.tiers if t.tier in ("leaf_spine", "spine_core"))
    used = (fabric.leaf_down, fabric.leaf_up, fabric.spine_down, fabric.spine_up, fabric.core_down)
    ports = sum(int(panel.sum()) for panel in used)
    panels = 3 * fabric.n_leaf + 2 * fabric.n_spine + fabric.n_core  # a leaf's managers may need a cage of their own
    if all(tier.choice for tier in made.plan.tiers):
        assert ports <= 2 * switch_plugs <= ports + panels


def test_twin_copper_joins_three_tiers_where_pairs_share_two_links(catalog: Catalog) -> None:
    site = {"leaf_spine_m": 2.0, "spine_core_m": 1.5}
    made = design(catalog, "dgx-h100", 512, "ndr", site, tiers=3, pod_nodes=256)
    fabric, plan = made.fabric, made.plan
    assert (fabric.tiers, fabric.group_spines, fabric.group_cores) == (3, (8,), (8,))  # 32 uplinks: four links a pair
    assert fabric.links_leaf_spine == fabric.links_spine_core == 4096
    assert (plan.cables.leaf_spine, plan.cables.spine_core) == (2048, 2048)
    assert {plan.media[tier].parts.cable for tier in ("leaf_spine", "spine_core")} == {"nv-mcp4y10-n"}


@settings(max_examples=n_examples(40))
@given(
    nodes=st.integers(9, 200),
    layout=st.sampled_from(["rail-optimized", "top-of-rack"]),
    tiers=st.sampled_from([2, 3]),
    leaf_downlinks=st.sampled_from([16, 24, 32, 40]),
    pod_nodes=st.sampled_from([32, 64]),
    spread=st.sampled_from(["even", "uneven"]),
)
def test_twin_copper_is_taken_where_the_wired_pairs_are_even(
    nodes: int, layout: str, tiers: int, leaf_downlinks: int, pod_nodes: int, spread: str
) -> None:
    catalog = load_catalog()
    site = {"leaf_spine_m": 2.0, "spine_core_m": 2.0, "node_leaf_m": 3.0}
    fabric: dict[str, Any] = {
        "layout": layout,
        "tiers": tiers,
        "leaf_downlinks": leaf_downlinks,
        "oversubscription": "4:1",
        "uplink_spread": spread,
    }
    if tiers == 3:
        fabric["pod_nodes"] = pod_nodes
    try:
        made = design(catalog, "dgx-h100", nodes, "ndr", site, **fabric)
    except (SpecError, ValueError):
        return  # no such fabric; fabric/test_sizing.py says why
    graph = wired(size([made.spec], catalog), 0)
    for tier, name in (("node_leaf", "node"), ("leaf_spine", "spine"), ("spine_core", "core")):
        pairs = [edge["links"] for *_, edge in graph.edges(data=True) if edge["tier"] == name]
        cabling = made.plan.tier(tier)
        if cabling is None or cabling.choice is None:
            assert not pairs
        elif cabling.choice.is_twin:
            assert cabling.n_cables == sum(-(-links // 2) for links in pairs) == sum(pairs) / 2
        elif name != "node" and spread == "even":
            assert any(links % 2 for links in pairs)


@pytest.mark.parametrize(
    ("server", "nodes", "generation", "site", "node_leaf", "leaf_spine"),
    [
        # links, cables, transceivers above, transceivers below, cages above, cages below; B1 of one unit of 32 nodes
        ("dgx-h100", 32, "ndr", {}, (256, 256, 128, 128, 128, 128), (256, 256, 128, 128, 128, 128)),
        ("hgx-h100-8u", 32, "ndr", {}, (256, 256, 128, 256, 128, 256), (256, 256, 128, 128, 128, 128)),
        ("dgx-h100", 32, "ndr", {"leaf_spine_m": 2.0}, (256, 256, 128, 128, 128, 128), (256, 128, 0, 0, 128, 128)),
        ("hgx-h100-8u", 32, "ndr", {"node_leaf_m": 2.0}, (256, 128, 0, 0, 128, 256), (256, 256, 128, 128, 128, 128)),
        # B2: 31 nodes, 31 links a leaf: 16 transceivers each, not 248 / 2 = 124
        ("dgx-h100", 31, "ndr", {}, (248, 248, 128, 124, 128, 124), (256, 256, 128, 128, 128, 128)),
        # siblings: 72 nodes on 144-port XDR (8 leaves, 4 spines), and HDR's one link a cage on optical cables
        ("dgx-b300", 72, "xdr", {}, (576, 576, 288, 576, 288, 576), (576, 576, 288, 288, 288, 288)),
        ("dgx-a100-640", 20, "hdr", {}, (160, 160, 0, 0, 160, 160), (160, 160, 0, 0, 160, 160)),
    ],
)
def test_links_cables_modules_and_cages_are_four_counts(
    catalog: Catalog,
    server: str,
    nodes: int,
    generation: str,
    site: dict[str, float],
    node_leaf: tuple[int, ...],
    leaf_spine: tuple[int, ...],
) -> None:
    full: dict[str, Any] = {"provision": "full-unit", "scalable_unit_nodes": 32} if nodes == 31 else {}
    media = design(catalog, server, nodes, generation, site, **full).plan.media
    keys = ("links", "cables", "upper_modules", "lower_modules", "upper_cages", "lower_cages")
    for tier, expected in (("node_leaf", node_leaf), ("leaf_spine", leaf_spine)):
        assert tuple(getattr(media[tier], key) for key in keys) == expected, tier
        assert media[tier].modules == expected[2] + expected[3]
        assert media[tier].cages == expected[4] + expected[5]
        assert sum(run.links for run in media[tier].runs) == expected[0]
