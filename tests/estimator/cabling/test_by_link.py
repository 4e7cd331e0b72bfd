"""Cabling link by link: what each link runs over, counted again from the link table by plain sets."""

from collections import Counter, defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.cabling.by_link import cabled_by_link
from estimator.cabling.compatibility import Cage, fiber_reasons, is_blocked
from estimator.cabling.ends import tier_ends
from estimator.cabling.keys import cable_of_links
from estimator.cabling.media import Question, choose
from estimator.cabling.plan import cable_plan, link_cabling
from estimator.cabling.runs import CablePlan, LinkCabling
from estimator.cabling.tiers import TIER_NAMES
from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import load_catalog
from estimator.designs.networks import design_plan
from estimator.errors import EstimatorError, InfeasibleDesign, SpecError
from estimator.fabric.size import size
from estimator.fabric.sized import SizedFabric, fabric_of
from estimator.fabric.topology import LinkTable, link_table, panels_of
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec
from tests.thorough import n_examples

Made = tuple[DesignSpec, SizedFabric, LinkTable, CablePlan, LinkCabling]


def cabled(server: str, nodes: int, generation: str, site: dict[str, Any] | None = None, **fabric: Any) -> Made:
    """A design with its link table, its plan, and the plan link by link."""
    catalog = load_catalog()
    spec = parse_spec(
        {
            "compute": {"server": server, "nodes": nodes},
            "fabric": {"generation": generation, **fabric},
            "site": site or {},
        },
        catalog,
    )
    sized = fabric_of(size([spec], catalog), 0, spec)
    table = link_table(sized, panels_of(spec, sized, catalog))
    plan = design_plan(spec, sized, catalog)
    return spec, sized, table, plan, link_cabling(plan, table)


def superpod(site: dict[str, Any]) -> Made:
    """Four scalable units of DGX H100, 127 nodes and four fabric-manager links."""
    return cabled(
        "dgx-h100",
        127,
        "ndr",
        site,
        scalable_unit_nodes=32,
        provision="full-unit",
        reserved={"fabric_manager_links": 4},
    )


def counted_again(table: LinkTable, plan: CablePlan, links: LinkCabling) -> dict[str, Any]:
    """Links, cables and transceivers from the columns alone, one link after the other."""
    runs, devices = plan.runs, table.devices
    per_run: Counter[int] = Counter()
    cables: dict[int, set[int]] = defaultdict(set)
    modules: dict[tuple[int, int], dict[str, str]] = defaultdict(dict)  # cage → plug by how it is used
    columns = (links.run, links.cable, table.tier, table.a_device, table.a_cage, table.b_device, table.b_cage)
    for run, cable, tier, a, a_cage, b, b_cage in zip(*(column.tolist() for column in columns), strict=True):
        assert runs[run].tier == TIER_NAMES[tier]
        per_run[run] += 1
        cables[run].add(cable)
        choice = runs[run].choice
        if choice:
            straight = choice.links_per_cable == 1
            for cage, module in (((a, a_cage), choice.lower_module), ((b, b_cage), choice.upper_module)):
                if module:
                    modules[cage]["" if straight else f"{tier} split"] = module.id
    found = Counter((devices.kind(device), module) for (device, _), used in modules.items() for module in used.values())
    return {
        "links": [per_run[i] for i in range(len(runs))],
        "cables": [len(cables[i]) * (run.choice.cables_per_link if run.choice else 0) for i, run in enumerate(runs)],
        "nodes": sum(n for (kind, _), n in found.items() if kind == "node"),
        "managers": sum(n for (kind, _), n in found.items() if kind == "manager"),
        "switches": sum(n for (kind, _), n in found.items() if kind in ("leaf", "spine", "core")),
    }


def is_as_counted(table: LinkTable, plan: CablePlan, links: LinkCabling) -> None:
    again, reported = counted_again(table, plan, links), plan.transceivers
    assert again["links"] == [run.n_links for run in plan.runs]
    assert again["cables"] == [run.n_cables for run in plan.runs]
    assert (again["nodes"], again["managers"]) == (reported.node, reported.fabric_manager)
    if not plan.blocked:
        assert again["switches"] == reported.switch
    for tier in plan.tiers:
        assert sum(run.n_upper_modules for run in tier.runs) == tier.n_upper_modules
        assert sum(run.n_lower_modules for run in tier.runs) == tier.n_lower_modules
        assert sum(run.n_upper_cages for run in tier.runs) == int(tier.upper_plugs.sum())
    bought = np.unique(links.cable)
    steps = sum(run.n_cables for run in plan.runs) + sum(run.n_links for run in plan.runs if run.choice is None)
    assert bought[0] == 1
    assert bought[-1] <= steps


def is_sound(made: Made) -> None:
    """Every link has a cable that is long enough and reaches; one kind of plug a cage; both ends of a cable agree."""
    _, _, table, plan, links = made
    plugs: dict[tuple[int, int, int], set[tuple[str, int]]] = defaultdict(set)
    pairs: dict[int, set[tuple[int, int]]] = defaultdict(set)
    for i, (run_number, cable) in enumerate(zip(links.run.tolist(), links.cable.tolist(), strict=True)):
        run, length = plan.runs[run_number], float(links.length_m[i])
        choice = run.choice
        if choice is None:
            continue
        assert length <= run.length_m + 0.001
        assert length <= choice.most_m + 0.001
        if choice.upper_module:
            fibers = [choice.cable]
            assert not is_blocked(fiber_reasons(choice.upper_module, fibers, min(run.length_m, choice.most_m)))
        ends = (
            (int(table.a_device[i]), int(table.a_cage[i]), choice.lower_module),
            (int(table.b_device[i]), int(table.b_cage[i]), choice.upper_module),
        )
        for device, cage, module in ends:
            plug = (module.id if module else choice.cable.id, choice.links_per_cable)
            plugs[int(table.tier[i]), device, cage].add(plug)
        pairs[cable].add((ends[0][0], ends[1][0]))
        if choice.is_twin:
            assert len(pairs[cable]) == 1
    assert {len(kinds) for kinds in plugs.values()} <= {1}


# ---------------------------------------------------------------- the published bill, by both routes


def test_the_published_bill_counts_from_the_link_list() -> None:
    _, _, table, plan, links = superpod({})
    is_as_counted(table, plan, links)
    again = counted_again(table, plan, links)
    assert sum(again["cables"]) == 2040 + 4
    assert (again["nodes"], again["switches"], again["managers"]) == (508, 1536, 4)


def test_a_kind_of_cable_that_no_link_is_left_with_counts_nothing() -> None:
    """32 HGX H100 on a floor: twin copper would do for some links, but each shares a cage with a longer one."""
    made = cabled("hgx-h100-8u", 32, "ndr", {"plan": {}})
    is_as_counted(*made[2:])
    is_sound(made)


@settings(max_examples=n_examples(150), deadline=None)
@given(
    parts=st.sampled_from(
        [
            ("dgx-h100", "ndr"),
            ("hgx-h100-8u", "ndr"),
            ("custom", "ndr"),
            ("custom", "edr"),
            ("custom", "hdr"),
            ("dgx-a100-640", "hdr"),
            ("dgx-b300", "xdr"),
            ("dgx-b300", "roce-400"),
            ("custom", "roce-800"),
            ("smc-8125gs-mi300x", "roce-400"),
        ]
    ),
    nodes=st.integers(1, 150),
    layout=st.sampled_from(["rail-optimized", "rail-only", "top-of-rack"]),
    managers=st.sampled_from([0, 1, 2, 5]),
    kept=st.sampled_from([0, 0, 1, 3]),
    splitters=st.booleans(),
    ratio=st.sampled_from(["1:1", "2:1", "5:3"]),
    down=st.sampled_from([None, None, 15, 24, 31, 33]),
    tiers=st.sampled_from(["auto", "auto", 3]),
    spread=st.sampled_from(["even", "uneven"]),
    lengths=st.tuples(*[st.sampled_from([1.0, 2.0, 3.0, 5.0, 30.0, 60.0, 200.0])] * 3),
)
def test_closed_form_and_link_by_link_agree(
    parts: tuple[str, str],
    nodes: int,
    layout: str,
    managers: int,
    kept: int,
    splitters: bool,
    ratio: str,
    down: int | None,
    tiers: Any,
    spread: str,
    lengths: tuple[float, float, float],
) -> None:
    catalog = load_catalog()
    site: dict[str, Any] = dict(zip(("node_leaf_m", "leaf_spine_m", "spine_core_m"), lengths, strict=True))
    fabric = {
        "layout": layout,
        "reserved": {"fabric_manager_links": managers, "leaf_ports": kept},
        "tiers": tiers,
        "splitters": splitters,
        "oversubscription": ratio,
        "leaf_downlinks": down,
        "uplink_spread": spread,
    }
    try:
        spec, sized, table, plan, links = cabled(*parts[:1], nodes, parts[1], site, **fabric)
    except (EstimatorError, ValueError):
        return  # no such fabric; fabric/test_sizing.py says why
    is_as_counted(table, plan, links)
    is_sound((spec, sized, table, plan, links))
    again = cabled_by_link(spec, sized, catalog, "compute", tier_ends(spec, sized, catalog), table)
    assert again.links is not None
    assert np.array_equal(again.links.cable, links.cable)
    assert np.array_equal(again.links.run, links.run)
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
        assert [(r.length_m, r.choice) for r in one.runs] == [(r.length_m, r.choice) for r in other.runs]


@settings(max_examples=n_examples(60), deadline=None)
@given(
    parts=st.sampled_from(
        [
            ("dgx-h100", "ndr"),
            ("hgx-h100-8u", "ndr"),
            ("custom", "edr"),
            ("dgx-a100-640", "hdr"),
            ("dgx-b300", "xdr"),
            ("dgx-b300", "roce-400"),
            ("smc-8125gs-mi300x", "roce-400"),
        ]
    ),
    nodes=st.integers(2, 120),
    layout=st.sampled_from(["rail-optimized", "top-of-rack"]),
    splitters=st.booleans(),
    tiers=st.sampled_from(["auto", 3]),
    managers=st.sampled_from([0, 3]),
    placement=st.sampled_from(["per-unit", "end-of-row", "network-row", "in-rack"]),
    row_m=st.sampled_from([2.0, 20.0]),
)
def test_a_floor_plan_is_cabled_soundly(
    parts: tuple[str, str],
    nodes: int,
    layout: str,
    splitters: bool,
    tiers: Any,
    managers: int,
    placement: str,
    row_m: float,
) -> None:
    plan = {"leaf_placement": placement, "row_pitch_m": row_m, "racks_per_row": 4}
    fabric = {"layout": layout, "tiers": tiers, "splitters": splitters, "reserved": {"fabric_manager_links": managers}}
    try:
        made = cabled(parts[0], nodes, parts[1], {"plan": plan}, **fabric)
    except (EstimatorError, ValueError):
        return  # no such fabric, or devices higher than a rack
    is_as_counted(made[2], made[3], made[4])
    is_sound(made)


# ---------------------------------------------------------------- lengths by hand


def test_a_length_set_by_hand_is_kept_and_bought() -> None:
    """B10: two of 1,024 leaf–spine links measured at 23.4 m take 25 m fibres; the rest keep 30 m."""
    made = superpod({"set_lengths": [{"a": "leaf-r1-001", "b": "spine-001", "length_m": 23.4}]})
    _, _, table, plan, links = made
    assert links.is_set is not None
    index = [table.devices.index_of(name) for name in ("leaf-r1-001", "spine-001")]
    mine = (table.a_device == index[0]) & (table.b_device == index[1])
    assert mine.sum() == 2
    assert np.array_equal(mine, links.is_set)
    assert links.length_m[mine].tolist() == [pytest.approx(23.4, abs=1e-5)] * 2
    tier = plan.tier("leaf_spine")
    assert tier is not None
    assert [(run.length_m, run.n_links, run.n_set) for run in tier.runs] == [(25.0, 2, 2), (30.0, 1022, 0)]
    assert plan.media["leaf_spine"].set_by_hand == 2
    assert plan.transceivers.as_json() == {"node": 508, "switch": 1536, "fabric_manager": 4}
    is_as_counted(table, plan, links)


def test_a_hand_length_stands_over_tier_and_floor_plan() -> None:
    by_hand = [{"a": "spine-002", "b": "leaf-r3-002", "length_m": 42.0}]  # either order of the two devices
    sites: list[dict[str, Any]] = [{"leaf_spine_m": 10.0}, {"plan": {}}, {"plan": {}, "leaf_spine_m": 10.0}]
    for site in sites:
        _, _, table, _, links = superpod(site | {"set_lengths": by_hand})
        assert links.is_set is not None
        assert links.length_m[links.is_set].tolist() == [42.0, 42.0]
        others = links.length_m[table.rows(2)][~links.is_set[table.rows(2)]]
        assert (set(others.tolist()) == {10.0}) is ("leaf_spine_m" in site)


def test_a_later_entry_replaces_an_earlier_one_and_ports_name_one_link() -> None:
    from estimator.link_list import link_list

    catalog = load_catalog()
    request: dict[str, Any] = {"compute": {"server": "dgx-h100", "nodes": 32}, "fabric": {"generation": "ndr"}}
    rows = [row for row in link_list(parse_spec(request, catalog), catalog).rows() if row[2] == "leaf-spine"]
    row = rows[1]
    one = {"a": row[5], "b": row[8], "a_port": row[7], "b_port": row[10], "length_m": 12.0}
    request["site"] = {"set_lengths": [{"a": row[5], "b": row[8], "length_m": 20.0}, one]}
    again = {r[0]: r for r in link_list(parse_spec(request, catalog), catalog).rows()}
    assert again[row[0]][13] == 12.0
    pair = [r for r in again.values() if (r[5], r[8]) == (row[5], row[8])]
    assert sorted(r[13] for r in pair) == [12.0] + [20.0] * (len(pair) - 1)
    assert {r[13] for r in again.values() if r[2] == "leaf-spine"} == {12.0, 20.0, 30.0}


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        ({"a": "leaf-r9-001", "b": "spine-001", "length_m": 5.0}, "unknown_device"),
        ({"a": "leaf-r1-001", "b": "leaf-r2-001", "length_m": 5.0}, "no_such_link"),
        ({"a": "node-0001", "b": "spine-001", "length_m": 5.0}, "no_such_link"),
        ({"a": "node-0001", "b": "leaf-r1-002", "length_m": 5.0}, "no_such_link"),  # another unit's leaf
        ({"a": "leaf-r1-001", "b": "spine-001", "a_port": "1/17/1", "length_m": 5.0}, "port_without_port"),
        ({"a": "leaf-r1-001", "b": "spine-001", "a_port": "1/1/1", "b_port": "1/1/1", "length_m": 5.0}, "no_such_link"),
    ],
)
def test_what_is_set_for_links_that_are_not_there_is_refused(entry: dict[str, Any], code: str) -> None:
    good = {"a": "leaf-r1-001", "b": "spine-001", "length_m": 5.0}
    with pytest.raises(InfeasibleDesign) as refused:
        superpod({"set_lengths": [good, entry]})
    (problem,) = refused.value.problems
    assert (problem.field, problem.code) == ("site.set_lengths[1]", code)


def test_a_length_for_a_network_that_the_design_has_not_is_refused() -> None:
    entries = [
        {"a": "node-0001", "b": "storage-leaf-001", "length_m": 5.0, "fabric": name}
        for name in ("storage", "storage-2", "storage-2", "compute")
    ]
    request = {
        "compute": {"server": "dgx-h100", "nodes": 8},
        "fabric": {"generation": "ndr"},
        "other_fabrics": [{"role": "storage"}],
        "site": {"set_lengths": entries},
    }
    with pytest.raises(SpecError) as refused:
        parse_spec(request, load_catalog())
    (problem,) = refused.value.problems
    assert (problem.field, problem.code) == ("site.set_lengths[1].fabric", "no_such_fabric")


def test_one_long_pair_of_a_cage_takes_its_own_medium() -> None:
    """Both links of the pair fill one cage at either end, so they alone go single-mode."""
    _, _, table, plan, links = superpod({"set_lengths": [{"a": "leaf-r1-001", "b": "spine-001", "length_m": 60.0}]})
    tier = plan.tier("leaf_spine")
    assert tier is not None
    found = {
        run.choice.medium: (run.n_links, run.n_upper_modules, run.n_lower_modules) for run in tier.runs if run.choice
    }
    assert found == {"multimode": (1022, 511, 511), "single-mode": (2, 1, 1)}
    is_as_counted(table, plan, links)


def test_a_long_link_whose_cages_are_tied_takes_its_block_along() -> None:
    """DGX cages hold two rails: one node link of 60 m makes its unit single-mode; the other three units stay."""
    made = superpod({"set_lengths": [{"a": "node-0001", "b": "leaf-r1-001", "length_m": 60.0}]})
    _, _, table, plan, links = made
    rows = table.rows(0)
    media = np.array([run.choice.medium if run.choice else "" for run in plan.runs])[links.run[rows]]
    unit = table.a_device[rows] // 32
    assert set(media[unit == 0]) == {"single-mode"}
    assert set(media[unit > 0]) == {"multimode"}
    is_sound(made)
    is_as_counted(table, plan, links)


def test_a_medium_set_by_hand_holds_for_whole_cages_or_is_refused() -> None:
    pair = {"a": "leaf-r1-001", "b": "spine-001", "length_m": 30.0, "medium": "single-mode"}
    _, _, _, plan, _ = superpod({"set_lengths": [pair]})
    tier = plan.tier("leaf_spine")
    assert tier is not None
    assert {run.choice.medium: run.n_links for run in tier.runs if run.choice} == {"multimode": 1022, "single-mode": 2}
    one = {"a": "node-0001", "b": "leaf-r1-001", "length_m": 30.0, "medium": "single-mode"}
    with pytest.raises(InfeasibleDesign) as refused:  # B8: an invalid mix blocks
        superpod({"set_lengths": [one]})
    assert {problem.code for problem in refused.value.problems} == {"mixed_media_in_cage"}


def test_lengths_of_another_fabric_leave_this_one_alone() -> None:
    catalog, entry = load_catalog(), {"a": "node-0001", "b": "storage-leaf-001", "length_m": 5.0, "fabric": "storage"}
    spec = parse_spec(
        {
            "compute": {"server": "dgx-h100", "nodes": 8},
            "fabric": {"generation": "ndr"},
            "other_fabrics": [{"role": "storage"}],
            "site": {"set_lengths": [entry]},
        },
        catalog,
    )
    assert cable_plan(spec, fabric_of(size([spec], catalog), 0, spec), catalog).links is None


# ---------------------------------------------------------------- media by length


@pytest.mark.parametrize(
    ("leaf_spine_m", "grade", "medium", "part"),
    [
        (2.0, None, "copper", "nv-mcp4y10-n"),
        (5.0, None, "copper", "nv-mca4j80-n"),
        (6.0, None, "multimode", "fib-mfp7e10"),
        (50.0, None, "multimode", "fib-mfp7e10"),
        (60.0, None, "single-mode", "fib-mfp7e30"),  # B9
        (150.0, None, "single-mode", "fib-mfp7e30"),
        (151.0, None, "single-mode", "fib-mpo12-os2"),
        (500.0, None, "single-mode", "fib-mpo12-os2"),
        (501.0, None, "single-mode", "fib-lc-os2"),
        (2000.0, None, "single-mode", "fib-lc-os2"),
        (30.0, "om3", "multimode", "fib-mpo12-om3-apc"),
        (50.0, "om4", "multimode", "fib-mfp7e10"),
        (6.0, "os2", "single-mode", "fib-mfp7e30"),
    ],
)
def test_the_medium_follows_the_total_length(leaf_spine_m: float, grade: str | None, medium: str, part: str) -> None:
    site = {"leaf_spine_m": leaf_spine_m, "node_leaf_m": 20.0, "fiber_grade": grade}
    plan = cabled("dgx-h100", 32, "ndr", site)[3].media["leaf_spine"]
    assert (plan.medium, plan.parts.cable) == (medium, part)


@pytest.mark.parametrize(
    ("site", "field", "code", "change"),
    [
        (
            {"leaf_spine_m": 40.0, "fiber_grade": "om3"},
            "site.fiber_grade",
            "reach_exceeded",
            {"site.fiber_grade": "om4"},
        ),
        (
            {"leaf_spine_m": 51.0, "fiber_grade": "om4"},
            "site.fiber_grade",
            "reach_exceeded",
            {"site.fiber_grade": "os2"},
        ),
        (
            {"leaf_spine_m": 60.0, "leaf_spine_medium": "multimode"},
            "site.leaf_spine_medium",
            "reach_exceeded",
            {"site.leaf_spine_medium": "auto"},
        ),
        (
            {"leaf_spine_m": 30.0, "leaf_spine_medium": "aoc"},
            "site.leaf_spine_medium",
            "medium_does_not_fit",
            {"site.leaf_spine_medium": "auto"},
        ),
        (
            {"leaf_spine_m": 9000.0, "leaf_spine_medium": "single-mode"},
            "site.leaf_spine_medium",
            "reach_exceeded",
            None,
        ),
    ],
)
def test_a_medium_that_cannot_be_is_refused_with_its_reach(
    site: dict[str, Any], field: str, code: str, change: dict[str, str] | None
) -> None:
    with pytest.raises(InfeasibleDesign) as refused:
        cabled("dgx-h100", 32, "ndr", {"node_leaf_m": 20.0} | site)
    (problem,) = refused.value.problems
    assert (problem.field, problem.code, problem.change) == (field, code, change)
    if change:
        changed = site | {key.removeprefix("site."): value for key, value in change.items()}
        cabled("dgx-h100", 32, "ndr", {"node_leaf_m": 20.0} | changed)


def test_forty_metres_over_om3_tells_the_reach() -> None:
    with pytest.raises(InfeasibleDesign) as refused:
        cabled("dgx-h100", 32, "ndr", {"leaf_spine_m": 40.0, "fiber_grade": "om3"})
    assert "256 links of leaf-spine, the longest of 40 m" in str(refused.value)
    assert "reaches 30 m, panels included" in str(refused.value)


def test_a_split_single_mode_port_reaches_fifty_metres() -> None:
    site = {"node_leaf_m": 50.0, "node_leaf_medium": "single-mode"}
    plan = cabled("custom", 64, "ndr", site, splitters=True)[3]
    assert plan.media["node_leaf"].parts.cable == "fib-mfp7e40"
    with pytest.raises(InfeasibleDesign, match="reaches 50 m"):
        cabled("custom", 64, "ndr", site | {"node_leaf_m": 51.0}, splitters=True)


def test_panels_ask_for_fibre_and_multimode_passes_two_at_most() -> None:
    for panels, medium in ((0, "copper"), (2, "multimode"), (3, "single-mode")):
        site = {"plan": {"leaf_spine_panels": panels}, "leaf_spine_m": 2.0}
        found = cabled("dgx-h100", 32, "ndr", site)[3].media["leaf_spine"]
        assert (found.medium, found.panels_per_link) == (medium, panels)


def test_a_surely_cheaper_kind_is_taken_and_a_likely_cheaper_one_is_reported(catalog: Catalog) -> None:
    _, _, _, plan, _ = cabled("custom", 64, "edr", {})
    hints = {hint.field: hint for hint in plan.hints}
    assert set(hints) == {"site.node_leaf_medium", "site.leaf_spine_medium"}
    hint = hints["site.leaf_spine_medium"]
    assert (hint.code, hint.change) == ("cheaper_medium", {"site.leaf_spine_medium": "multimode"})
    # 350 + 30 × 4 against 2 × 82 + 50 + 30 × 2
    assert "470 USD" in hint.message
    assert "274 USD" in hint.message
    ends = tier_ends(*cabled("custom", 64, "edr", {})[:2], catalog)[1]
    dear = _with_price(catalog, "nv-mfa1a00-e", 2_000_00)
    sure, unsure = choose(dear, ends.question, 30.0), choose(catalog, ends.question, 30.0)
    assert sure is not None
    assert unsure is not None
    assert (sure.cable.id, unsure.cable.id) == ("fib-mpo12-om4", "nv-mfa1a00-e")


def _with_price(catalog: Catalog, part: str, cents: int) -> Catalog:
    """The same catalog, but for the price of one part."""
    other = Catalog.__new__(Catalog)
    other.__dict__.update(catalog.__dict__)
    known = catalog.price(part)
    assert known is not None
    price = known._replace(low_cents=cents, typical_cents=cents, high_cents=cents)
    other._prices = {**catalog._prices, (part, "street", "piece"): price}
    return other


# ---------------------------------------------------------------- breakouts


@pytest.mark.parametrize("servers", [4, 3])
def test_one_breakout_serves_several_servers_on_each_of_two_switches(catalog: Catalog, servers: int) -> None:
    """B5: 4 servers with 2 × 25G on two switches: 2 cables, 8 links, lanes 1 to 4 of a cage to servers 1 to 4."""
    spec = parse_spec(
        {
            "compute": {"nodes": servers, "gpus_per_node": 2, "nics_per_node": 1, "nic_ports_per_node": 2},
            "fabric": {"generation": "roce-100", "planes": 2, "layout": "top-of-rack"},
        },
        catalog,
    )
    whole = fabric_of(size([spec], catalog), 0, spec)
    assert (whole.n_leaf, whole.links_node_leaf) == (2, 2 * servers)
    split = replace(whole, endpoints_per_port=4, endpoint_rate_gbit_s=25, leaf_down=np.array([1, 1]))
    table = link_table(split, panels_of(spec, split, catalog))
    question = Question("ethernet", 25, Cage(("QSFP28",), None, 4), Cage(("SFP28",), None, 1), False, "Generic")
    choice = choose(catalog, question, 2.0)
    assert choice is not None
    assert (choice.cable.id, choice.links_per_cable, choice.is_twin) == ("gen-100g-4x25-dac", 4, False)
    cable = cable_of_links(table, table.rows(0), choice)
    assert len(table) == 2 * servers
    assert len(set(cable.tolist())) == 2
    for number in set(cable.tolist()):
        mine = cable == number
        assert len(set(table.b_device[mine].tolist())) == 1
        assert set(table.b_cage[mine].tolist()) == {0}
        lanes = dict(zip(table.b_lane[mine].tolist(), table.a_device[mine].tolist(), strict=True))
        assert lanes == {lane + 1: lane for lane in range(servers)}  # with three servers lane 4 is spare


@pytest.mark.parametrize(
    ("generation", "switch", "code"),
    [
        ("edr", None, "split_not_offered"),  # EDR ports are never split
        ("roce-200", "celestica-ds5000", "breakout_ports_exceeded"),  # 8 × 100G a cage: 320 ports, ten a pipeline
        ("roce-400", "celestica-ds5000", None),
        ("ndr", None, None),
        ("hdr", None, None),
    ],
)
def test_split_ports_stay_within_what_pipelines_drive(generation: str, switch: str | None, code: str | None) -> None:
    plan = cabled("custom", 64, generation, splitters=True, leaf_switch=switch)[3]
    assert [problem.code for problem in plan.blocked] == ([code] if code else [])
    if code == "breakout_ports_exceeded":
        assert "320" in plan.blocked[0].message


# ---------------------------------------------------------------- cages that both directions share


def test_an_odd_split_shares_a_cage_where_modules_are_alike() -> None:
    """33 down and 31 up on 32 cages: 17 + 16 would be 33, and cage 17 holds one link of either direction."""
    _, sized, table, plan, links = cabled(
        "dgx-h100", 66, "ndr", scalable_unit_nodes=33, leaf_downlinks=33, leaf_uplinks=31, uplink_spread="uneven"
    )
    assert set(sized.leaf_down.tolist()) == {33}
    node, spine = plan.tier("node_leaf"), plan.tier("leaf_spine")
    assert node is not None
    assert spine is not None
    assert not plan.blocked
    assert (node.upper_plugs + spine.lower_plugs).tolist() == [32] * sized.n_leaf
    is_as_counted(table, plan, links)


def test_an_odd_split_with_unlike_plugs_is_an_error() -> None:
    _, _, _, plan, _ = cabled(
        "hgx-h100-8u",
        66,
        "ndr",
        {"node_leaf_m": 2.0},
        scalable_unit_nodes=33,
        leaf_downlinks=33,
        leaf_uplinks=31,
        uplink_spread="uneven",
    )
    (problem,) = plan.blocked
    assert (problem.code, problem.field) == ("cage_shared_by_unlike_plugs", "fabric.leaf_downlinks")
    assert "16 leaves" in problem.message


@pytest.mark.parametrize("site", [{"node_leaf_m": 60.0}, {"node_leaf_m": 60.0, "plan": {}}])
def test_managers_take_the_medium_of_the_nodes_that_they_share_a_cage_with(site: dict[str, Any]) -> None:
    """31 nodes and a manager on a leaf: the last cage holds one link of each, so both are single-mode."""
    made = superpod(site)
    _, _, table, plan, links = made
    media = {name: tier.medium for name, tier in plan.media.items()}
    assert (media["node_leaf"], media["fabric_manager"]) == ("single-mode", "single-mode")
    assert not plan.blocked
    assert plan.transceivers.as_json() == {"node": 508, "switch": 1536, "fabric_manager": 4}
    is_as_counted(table, plan, links)
