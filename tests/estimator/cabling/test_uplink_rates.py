"""Uplinks at another rate than nodes: ports and cages of a leaf, exact ratios, labels, transceivers, refusals."""

import io
import json
from collections import Counter, defaultdict
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.asbuilt.report import compare_links
from estimator.cabling.by_link import cabled_by_link
from estimator.cabling.ends import tier_ends
from estimator.cabling.links import LinkList
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError, InfeasibleDesign, SpecError
from estimator.fabric.columns import downlinks_by_ratio
from estimator.fabric.size import size
from estimator.fabric.sizing import asked_columns
from estimator.link_list import link_list
from estimator.pipeline import estimate
from estimator.spec.change import apply_change
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec
from estimator.units import ratio_text
from tests.estimator.cabling.test_by_link import cabled, is_as_counted, is_sound
from tests.estimator.designs import forget_choices
from tests.estimator.fabric.test_topology import check_ports
from tests.estimator.handoff.cases import links_of, text
from tests.thorough import n_examples

CATALOG = load_catalog()
MIXED = [  # port rate of the generation, rate of the uplinks, a leaf that has both, and (spines of the) same part
    ("roce-400", 800, "nvidia-sn5600"),
    ("roce-800", 400, "nvidia-sn5600"),
    ("roce-200", 800, "nvidia-sn5600"),
    ("roce-200", 400, "arista-7060x6-64pe"),
    ("roce-100", 400, "nvidia-sn4700"),
    ("roce-800", 200, "celestica-ds5000"),
    ("xdr", 400, "nvidia-q3400-ra"),
    ("ndr", 800, "nvidia-q3400-ra"),
    ("ndr", 200, "nvidia-qm9700"),
    ("hdr", 100, "nvidia-qm8700"),
]


def spec_of(nodes: int, generation: str, rate: int | None, part: str, **fabric: Any) -> DesignSpec:
    values = {
        "compute": {"server": "custom", "nodes": nodes, "gpus_per_node": 8, "nics_per_node": 8},
        "fabric": {"generation": generation, "uplink_rate_gbit_s": rate, "leaf_switch": part} | fabric,
    }
    return parse_spec(values, CATALOG)


@st.composite
def mixed_specs(draw: st.DrawFn) -> DesignSpec:
    generation, rate, part = draw(st.sampled_from(MIXED))
    ports = CATALOG.switch_ports(part, CATALOG.generations[generation].port_rate_gbit_s)
    assert ports
    radix = draw(st.integers(2, ports.radix)) if draw(st.booleans()) else None
    fabric: dict[str, Any] = {
        "layout": draw(st.sampled_from(["rail-optimized", "top-of-rack", "rail-only"])),
        "leaf_radix": radix,
        "oversubscription": draw(st.sampled_from(["1:1", "2:1", "3:1", "7:3", "1:2"])),
        "tiers": draw(st.sampled_from(["auto", 2, 3])),
        "planes": draw(st.sampled_from([1, 2])),
        "reserved": {"leaf_ports": draw(st.integers(0, 3)), "fabric_manager_links": draw(st.sampled_from([0, 0, 4]))},
    }
    if draw(st.booleans()):
        fabric["leaf_uplinks"] = draw(st.integers(1, 24))
    nodes = draw(st.integers(1, 150))
    if draw(st.booleans()):
        fabric["uplink_spread"] = "uneven"
    elif draw(st.booleans()):
        fabric["grow_to_nodes"] = nodes + draw(st.integers(0, 60))
    try:
        return spec_of(nodes, generation, rate, part, **fabric)
    except SpecError:
        return spec_of(nodes, generation, rate, part, oversubscription=fabric["oversubscription"])


def listed(spec: DesignSpec) -> LinkList | None:
    try:
        return link_list(spec, CATALOG)
    except InfeasibleDesign:
        return None


@settings(max_examples=n_examples(150), deadline=None)
@given(mixed_specs())
def test_every_cage_has_ports_of_one_rate_and_ratios_are_those_of_the_links(spec: DesignSpec) -> None:
    links = listed(spec)
    if links is None:
        return
    check_ports(links.table)
    fabric, part = links.fabric, links.switches["leaf"]
    assert part
    up_rate, down_rate = (
        spec.fabric.uplink_rate_gbit_s or 0,
        CATALOG.generations[spec.fabric.generation].port_rate_gbit_s,
    )
    filled: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)
    fed, up = Counter[str](), Counter[str]()
    of_tier, between = Counter[str](), {"leaf-spine", "spine-core"}
    for row in links.rows():
        _, _, tier, _, _, a, a_cage, _, b, b_cage, _, rate, *_ = row
        of_tier[tier] += rate
        assert (rate == up_rate) if tier in between else (rate == down_rate)
        filled[b, b_cage][rate] += 1
        filled[a, a_cage][rate] += a.startswith(("leaf", "spine"))
        if b.startswith("leaf"):
            fed[b] += rate
        if a.startswith("leaf"):
            up[a] += rate
    cages = Counter[str]()
    for (device, _), rates in filled.items():
        if device.startswith(("leaf", "spine", "core")):
            ((rate, n),) = [(rate, n) for rate, n in rates.items() if n]  # one rate a cage
            ports = CATALOG.switch_ports(part.id, rate)
            assert ports
            assert n <= ports.links_per_cage
            cages[device] += 1
    whole = CATALOG.switch_ports(part.id, down_rate)
    assert whole
    assert all(n <= -(-whole.radix // whole.links_per_cage) for device, n in cages.items() if device.startswith("leaf"))
    shown = estimate([spec], CATALOG, ("counts", "links"))[0].fabrics["compute"].as_json()
    if fabric.tiers > 1 and spec.fabric.provision == "as-bought":
        assert shown["oversubscription"]["built"] == ratio_text(Fraction(sum(fed.values()), sum(up.values())))
        worst = max(Fraction(fed[leaf], up[leaf]) for leaf in up)
        assert shown["oversubscription"]["worst_leaf"] == ratio_text(worst)
    layers = [of_tier["node-leaf"], *(of_tier[tier] for tier in between if of_tier[tier])]
    assert shown["bisection_gbit_s"] == min(layers) // 2
    assert shown["uplink_rate_gbit_s"] == up_rate


@settings(max_examples=n_examples(80), deadline=None)
@given(
    parts=st.sampled_from([("roce-400", 800), ("roce-800", 400), ("roce-200", 800)]),
    nodes=st.integers(2, 150),
    server=st.sampled_from(["custom", "dgx-h100", "hgx-b200-10u", "dgx-b300", "smc-8125gs-mi300x"]),
    layout=st.sampled_from(["rail-optimized", "rail-only", "top-of-rack"]),
    managers=st.sampled_from([0, 0, 3]),
    kept=st.sampled_from([0, 0, 1, 3]),
    ratio=st.sampled_from(["1:1", "2:1", "5:3"]),
    splitters=st.booleans(),
    down=st.sampled_from([None, None, 15, 24, 33]),
    tiers=st.sampled_from(["auto", 2, 3]),
    lengths=st.tuples(*[st.sampled_from([1.0, 2.0, 5.0, 30.0, 60.0])] * 3),
)
def test_modules_and_cables_are_those_of_the_link_list(
    parts: tuple[str, int],
    nodes: int,
    server: str,
    layout: str,
    managers: int,
    kept: int,
    ratio: str,
    splitters: bool,
    down: int | None,
    tiers: Any,
    lengths: tuple[float, float, float],
) -> None:
    site: dict[str, Any] = dict(zip(("node_leaf_m", "leaf_spine_m", "spine_core_m"), lengths, strict=True))
    fabric = {
        "layout": layout,
        "reserved": {"fabric_manager_links": managers, "leaf_ports": kept},
        "tiers": tiers,
        "oversubscription": ratio,
        "leaf_downlinks": down,
        "splitters": splitters,
        "uplink_rate_gbit_s": parts[1],
    }
    try:
        spec, sized, table, plan, links = cabled(server, nodes, parts[0], site, **fabric)
    except (EstimatorError, ValueError):
        return  # no such fabric
    is_as_counted(table, plan, links)
    is_sound((spec, sized, table, plan, links))
    again = cabled_by_link(spec, sized, CATALOG, "compute", tier_ends(spec, sized, CATALOG), table)
    assert bool(again.blocked) == bool(plan.blocked)
    for one, other in zip(plan.tiers, again.tiers, strict=True):
        assert (one.n_links, one.n_cables, one.n_upper_modules, one.n_lower_modules) == (
            other.n_links,
            other.n_cables,
            other.n_upper_modules,
            other.n_lower_modules,
        )
        assert np.array_equal(one.upper_plugs, other.upper_plugs)
        assert np.array_equal(one.lower_plugs, other.lower_plugs)


@settings(max_examples=n_examples(40), deadline=None)
@given(st.lists(mixed_specs(), min_size=2, max_size=5))
def test_a_batch_is_the_designs_one_by_one(specs: list[DesignSpec]) -> None:
    batch = size(specs, CATALOG)
    forget_choices()
    for i, spec in enumerate(specs):
        alone = size([spec], CATALOG)
        for name in ("tiers", "n_leaf", "n_spine", "n_core", "uplinks", "links_leaf_spine", "links_spine_core"):
            assert getattr(batch, name)[i] == getattr(alone, name)[0], name


@settings(max_examples=n_examples(60), deadline=None)
@given(mixed_specs())
def test_the_ratio_asked_for_is_kept_on_the_fullest_leaf(spec: DesignSpec) -> None:
    sizing = size([spec], CATALOG)
    if sizing.tiers[0] < 2 or spec.fabric.leaf_uplinks or spec.fabric.reserved.fabric_manager_links:
        return
    shown = estimate([spec], CATALOG, ("counts",))[0].fabrics["compute"].as_json()
    asked = Fraction(*map(int, spec.fabric.oversubscription.split(":")))
    assert Fraction(*map(int, shown["oversubscription"]["worst_leaf"].split(":"))) <= asked


@settings(max_examples=n_examples(100), deadline=None)
@given(mixed_specs())
def test_a_leaf_faces_nodes_with_the_most_ports_that_its_uplinks_can_feed(spec: DesignSpec) -> None:
    asked = asked_columns([spec], CATALOG)
    ports, down_a_cage, up_a_cage = (int(c[0]) for c in (asked.leaf_ports, asked.down_a_cage, asked.up_a_cage))
    ratio = Fraction(*map(int, spec.fabric.oversubscription.split(":")))
    rates = Fraction(int(asked.port_rate_gbit_s[0]), int(asked.uplink_rate_gbit_s[0]))
    fits = [
        down for down in range(ports + 1) if -(-ceil(down * rates / ratio) // up_a_cage) * down_a_cage + down <= ports
    ]
    assert int(downlinks_by_ratio(asked)[0]) == max(fits)


def test_the_port_rate_named_as_the_uplink_rate_changes_nothing() -> None:
    with_key, without = (
        estimate([spec_of(128, "roce-400", rate, "nvidia-sn5600")], CATALOG)[0].as_json() for rate in (400, None)
    )
    for key in ("fabrics", "bom", "cost", "power", "performance", "failures"):
        assert with_key[key] == without[key], key


def test_nodes_of_400g_below_uplinks_of_800g() -> None:
    """EXPECTED.md: 16 leaves, 4 spines, 4 × 800G a leaf, 1:2; 64-cage boxes that have both rates."""
    part = "juniper-qfx5240-64od"
    values = {"scalable_unit_nodes": 4, "leaf_uplinks": 4, "least_spines": 4, "spine_switch": part}
    made = estimate([spec_of(8, "roce-400", 800, part, **values)], CATALOG)[0]
    fabric = made.fabrics["compute"].as_json()
    assert (fabric["counts"]["leaf"], fabric["counts"]["spine"]) == (16, 4)
    assert (fabric["split"]["leaf_uplinks"], fabric["links"]["leaf_spine"]) == (4, 64)
    assert fabric["oversubscription"]["built"] == "1:2"
    assert fabric["cables"]["leaf_spine"] == 64
    assert fabric["switches"]["spine"]["radix"] == 64


def test_a_number_of_uplinks_at_the_nodes_rate_is_offered_the_faster_one() -> None:
    """The request of EXPECTED.md without the key: a hint whose change is that key."""
    values = {
        "compute": {"server": "custom", "nodes": 8, "gpus_per_node": 8, "nics_per_node": 8},
        "fabric": {
            "generation": "roce-400",
            "leaf_switch": "juniper-qfx5240-64od",
            "spine_switch": "juniper-qfx5240-64od",
            "scalable_unit_nodes": 4,
            "leaf_uplinks": 4,
            "least_spines": 4,
        },
    }
    made = estimate([parse_spec(values, CATALOG)], CATALOG)[0].as_json()
    (finding,) = [f for f in made["findings"] if f["code"] == "uplinks_can_be_faster"]
    assert finding["severity"] == "info"
    assert finding["change"]["fabric.uplink_rate_gbit_s"] == 800
    for request in (values, made["spec"]):
        fabric = (
            estimate([parse_spec(apply_change(request, finding["change"]), CATALOG)], CATALOG)[0]
            .fabrics["compute"]
            .as_json()
        )
        assert (fabric["counts"]["leaf"], fabric["counts"]["spine"]) == (16, 4)
        assert fabric["oversubscription"]["built"] == "1:2"


def test_uplinks_have_whole_cages_after_those_of_nodes() -> None:
    """64 × 400G in 32 cages, then 32 × 800G: ports 33 and up, unsplit."""
    links = link_list(spec_of(128, "roce-400", 800, "nvidia-sn5600"), CATALOG)
    rows = [row for row in links.rows() if row[2] == "leaf-spine" and row[5] == "leaf-r1-001"]
    assert [row[7] for row in rows] == [f"swp{port}" for port in range(33, 65)]
    assert {row[11] for row in rows} == {800}
    assert list(links.rows())[63][10] == "swp4s1"


@pytest.mark.parametrize("name", ["uplinks of 800G", "uplinks of XDR", "uplinks of half the rate"])
def test_the_list_of_links_read_again_is_the_design(name: str) -> None:
    links = links_of(name)
    made = compare_links(links, io.BytesIO(text(links, "csv").encode())).as_json()
    assert made["matched"] == made["planned"] == len(links)
    assert made["built"]["oversubscription"]["found"] == made["built"]["oversubscription"]["design"]


def test_half_the_links_carry_the_same() -> None:
    one, other = (
        estimate([spec_of(128, "roce-400", rate, "nvidia-sn5600")], CATALOG)[0].fabrics["compute"].as_json()
        for rate in (None, 800)
    )
    assert other["links"]["leaf_spine"] * 2 == one["links"]["leaf_spine"]
    assert other["oversubscription"] == one["oversubscription"]
    assert other["bisection_gbit_s"] == one["bisection_gbit_s"]


@pytest.mark.parametrize(
    ("generation", "rate", "part", "field"),
    [
        ("roce-400", 1600, "nvidia-sn5600", "fabric.uplink_rate_gbit_s"),
        ("ndr", 800, "nvidia-qm9700", "fabric.uplink_rate_gbit_s"),
        ("roce-400", 200, "nvidia-sn5400", None),
    ],
)
def test_a_rate_that_the_leaf_lacks_is_refused_with_a_way_out(
    generation: str, rate: int, part: str, field: str | None
) -> None:
    values = {
        "compute": {"nodes": 64},
        "fabric": {"generation": generation, "uplink_rate_gbit_s": rate, "leaf_switch": part},
    }
    if field is None:
        parse_spec(values, CATALOG)
        return
    with pytest.raises(SpecError) as refused:
        parse_spec(values, CATALOG)
    (problem,) = [p for p in refused.value.problems if p.code == "uplink_rate_not_offered"]
    assert problem.field == field
    assert problem.change
    made = parse_spec(apply_change(json.loads(json.dumps(values)), problem.change), CATALOG)
    assert size([made], CATALOG).tiers[0]


def test_a_spine_without_the_rate_is_refused_and_the_leaf_takes_its_place() -> None:
    values = {
        "compute": {"nodes": 64},
        "fabric": {"generation": "roce-400", "uplink_rate_gbit_s": 800, "spine_switch": "nvidia-sn5400"},
    }
    with pytest.raises(SpecError) as refused:
        parse_spec(values, CATALOG)
    (problem,) = refused.value.problems
    assert (problem.code, problem.field) == ("switch_does_not_fit", "fabric.spine_switch")
    assert "uplinks of 800G" in problem.message
    assert problem.change
    assert parse_spec(apply_change(values, problem.change), CATALOG).fabric.spine_switch == "nvidia-sn5600"


def test_a_custom_leaf_has_cages_of_the_faster_rate() -> None:
    """128 ports of 400G are 64 cages: 64 ports to nodes beside 32 uplinks of 800G, and spines of 64."""
    spec = spec_of(128, "roce-400", 800, "custom", leaf_radix=128)
    assert (spec.fabric.spine_switch, spec.fabric.spine_radix) == ("custom", 64)
    sizing = size([spec], CATALOG)
    assert (int(sizing.leaves.downlinks[0]), int(sizing.uplinks[0])) == (64, 32)
