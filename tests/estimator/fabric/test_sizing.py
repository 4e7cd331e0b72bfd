"""Counts: designs by hand exactly (published ones: published/test_designs.py), two routes to one number, properties to keep."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.catalog.loader import load_catalog
from estimator.designs.refusals import why_not
from estimator.errors import InfeasibleDesign
from estimator.fabric.even_spread import even_spines
from estimator.fabric.size import size
from estimator.fabric.sized import SizedFabric, fabric_of
from estimator.fabric.sizing import asked_columns
from estimator.pipeline import estimate
from estimator.published.designs import published
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec
from estimator.spec.rates import asked_ratio
from tests.estimator.designs import counts_of, forget_choices, found, spec_of
from tests.estimator.fabric.wiring import wired
from tests.thorough import n_examples

CATALOG = load_catalog()
BY_HAND = json.loads((Path(__file__).parents[2] / "golden" / "by_hand.json").read_text())["cases"]


@pytest.mark.parametrize("case", BY_HAND, ids=lambda case: case["id"])
def test_designs_counted_by_hand_come_out_exactly(case: dict[str, Any]) -> None:
    compute = counts_of(parse_spec(case["inputs"], CATALOG))
    for name, expected in case["expected"].items():
        section, _, keys = name.partition(".")
        got = (
            sum(compute[section][key] for key in keys.split("+"))
            if "+" in keys
            else (compute[section][keys] if keys else compute[section])
        )
        assert got == expected, name


# ------------------------------------------------------------------------------------------------ two routes

RADIX = st.sampled_from([4, 6, 8, 12, 16])
SMALL = st.fixed_dictionaries(
    {
        "nodes": st.integers(1, 40),
        "ports": st.sampled_from([1, 2, 4]),
        "radix": RADIX,
        "ratio": st.sampled_from(["1:1", "2:1", "3:1", "3:2", "1:2"]),
        "spine_ratio": st.sampled_from(["1:1", "2:1"]),
        "layout": st.sampled_from(["rail-optimized", "top-of-rack", "rail-only"]),
        "planes": st.sampled_from([1, 2]),
        "spine": st.sampled_from([None, 8, 12, 16]),
        "core": st.sampled_from([None, 6, 8, 16]),
        "tiers": st.sampled_from([1, 2, 3, "auto"]),
        "spread": st.sampled_from(["even", "uneven"]),
        "provision": st.sampled_from(["as-bought", "full-unit"]),
        "unit": st.sampled_from([None, 1, 2, 3]),
        "pod": st.sampled_from([None, None, 3, 4, 5, 12]),
        "grow": st.sampled_from([0, 0, 7]),
        "split": st.booleans(),
        "managers": st.sampled_from([0, 3]),
    }
)


def small_spec(a: dict[str, Any]) -> DesignSpec:
    """One of the small designs."""
    return spec_of(
        a["nodes"],
        a["ports"] * a["planes"],
        leaf_radix=a["radix"],
        spine_radix=a["spine"] or a["radix"],
        core_radix=a["core"] or a["radix"],
        oversubscription=a["ratio"],
        spine_oversubscription=a["spine_ratio"],
        layout=a["layout"],
        planes=a["planes"],
        tiers=a["tiers"],
        uplink_spread=a["spread"],
        provision=a["provision"],
        scalable_unit_nodes=a["unit"],
        pod_nodes=a["pod"],
        grow_to_nodes=a["nodes"] + a["grow"] if a["grow"] and a["spread"] == "even" else None,
        splitters=a["split"],
        reserved={"fabric_manager_links": a["managers"]},
    )


@settings(max_examples=n_examples(400))
@given(SMALL)
def test_closed_form_equals_the_wired_network(a: dict[str, Any]) -> None:
    """Every cable pulled one by one in a graph: the same switches and links, no port twice, every node reaches every other."""
    spec = small_spec(a)
    sizing = size([spec], CATALOG)
    if not sizing.tiers[0]:
        assert why_not(sizing, 0, spec, CATALOG)
        return
    fabric = fabric_of(sizing, 0, spec)
    check_arrays(fabric)
    graph = wired(sizing, 0)
    kinds = {
        kind: [n for n, d in graph.nodes(data=True) if d["kind"] == kind] for kind in ("node", "leaf", "spine", "core")
    }
    assert len(kinds["leaf"]) == fabric.n_leaf
    assert len(kinds["spine"]) == fabric.n_spine
    assert len(kinds["core"]) == fabric.n_core
    by_tier = {
        tier: sum(d["links"] for *_, d in graph.edges(data=True) if d["tier"] == tier)
        for tier in ("node", "spine", "core")
    }
    assert by_tier["node"] == fabric.links_node_leaf
    assert by_tier["spine"] == fabric.links_leaf_spine
    assert by_tier["core"] == fabric.links_spine_core
    for kind, radix in (("spine", fabric.spine_radix), ("core", fabric.core_radix)):
        assert max((graph.degree(n, weight="links") for n in kinds[kind]), default=0) <= radix, kind
        assert min((graph.degree(n, weight="links") for n in kinds[kind]), default=1) > 0, f"a dark {kind}"
    assert graph.graph["islands"] == fabric.n_components
    if a["spread"] == "even":
        check_evenness(graph, kinds)


def check_evenness(graph: Any, kinds: dict[str, list[Any]]) -> None:
    """Every leaf has equal links to the spines it meets, and every spine to its cores."""
    for kind, tier in (("leaf", "spine"), ("spine", "core")):
        for switch in kinds[kind]:
            assert len({d["links"] for *_, d in graph.edges(switch, data=True) if d["tier"] == tier}) <= 1, switch


def check_arrays(fabric: SizedFabric) -> None:
    """Per-switch arrays add up to the closed forms, and no switch has more links than ports."""
    assert len(fabric.leaf_down) == fabric.n_leaf
    assert len(fabric.spine_down) == fabric.n_spine
    assert len(fabric.core_down) == fabric.n_core
    assert fabric.leaf_endpoints.sum() == fabric.links_node_leaf
    assert fabric.leaf_up.sum() == fabric.spine_down.sum() == fabric.links_leaf_spine
    assert fabric.spine_up.sum() == fabric.core_down.sum() == fabric.links_spine_core
    assert (fabric.leaf_down + fabric.leaf_up <= fabric.leaf_radix).all()
    assert (fabric.spine_down + fabric.spine_up <= fabric.spine_radix).all()
    assert (fabric.core_down <= fabric.core_radix).all()


@settings(max_examples=n_examples(60))
@given(st.lists(SMALL, min_size=2, max_size=12))
def test_a_batch_is_its_designs_one_by_one(asked: list[dict[str, Any]]) -> None:
    specs = [small_spec(a) for a in asked]
    forget_choices()
    batch = size(specs, CATALOG)
    forget_choices()
    some_known = [size(some, CATALOG) for some in (specs[::2], specs)][1]
    forget_choices()
    for i, spec in enumerate(specs):
        alone = size([spec], CATALOG)
        for column in (
            "tiers",
            "n_leaf",
            "n_spine",
            "n_core",
            "links_leaf_spine",
            "links_spine_core",
            "manager_links_placed",
        ):
            if batch.tiers[i] or column == "tiers":
                assert getattr(batch, column)[i] == getattr(alone, column)[0], column
                assert getattr(some_known, column)[i] == getattr(alone, column)[0], column


def test_requests_that_differ_in_one_column_are_not_taken_for_the_same() -> None:
    asked = asked_columns([spec_of(64)], CATALOG)
    for name, column in asked.__dict__.items():
        other = ~column if column.dtype == bool else column + 1
        assert asked.but(**{name: other}).rows() != asked.rows(), name
    with pytest.raises(TypeError, match="spins"):
        asked.but(spins=asked.nodes)


# ------------------------------------------------------------------------------------------------ properties


@settings(max_examples=n_examples(300))
@given(SMALL)
def test_the_built_ratio_is_never_above_the_one_asked_for(a: dict[str, Any]) -> None:
    spec = small_spec(a)
    sizing = size([spec], CATALOG)
    if sizing.tiers[0] > 1 and not a["managers"]:
        fabric = fabric_of(sizing, 0, spec)
        assert fabric.built_ratio <= fabric.worst_leaf_ratio <= asked_ratio(spec.fabric, CATALOG)
        assert fabric.spine_ratio <= Fraction(a["spine_ratio"].replace(":", "/")) or a["spread"] == "uneven"


@given(nodes=st.integers(1, 250), step=st.integers(1, 40))
def test_more_nodes_never_need_fewer_leaves(nodes: int, step: int) -> None:
    fewer, more = size([spec_of(nodes, tiers=2), spec_of(min(nodes + step, 256), tiers=2)], CATALOG).n_leaf
    assert fewer <= more


@given(leaves=st.integers(1, 64), uplinks=st.integers(1, 64), ports=st.sampled_from([32, 36, 40, 64, 144]))
def test_spines_are_the_smallest_divisor_that_holds_the_links(leaves: int, uplinks: int, ports: int) -> None:
    one = np.array([leaves]), np.array([uplinks]), np.array([uplinks]), np.array([ports])
    spines, _ = even_spines(*one)
    fitting = [s for s in range(1, uplinks + 1) if uplinks % s == 0 and s * ports >= leaves * uplinks]
    assert spines[0] == (fitting[0] if fitting else 0)


@given(
    leaves=st.integers(1, 40),
    down=st.integers(4, 40),
    up=st.integers(1, 24),
    least=st.integers(1, 8),
    tiers=st.sampled_from([2, 3]),
    pod=st.integers(1, 9),
    spread=st.sampled_from(["even", "uneven"]),
)
def test_a_leaf_reaches_as_many_spines_as_are_asked_for_at_least(
    leaves: int, down: int, up: int, least: int, tiers: int, pod: int, spread: str
) -> None:
    spec = parse_spec(
        {
            "compute": {"server": "custom", "nodes": leaves * down, "nics_per_node": 1, "gpus_per_node": 1},
            "fabric": {
                "generation": "ndr",
                "leaf_radix": 64,
                "spine_radix": 64,
                "core_radix": 64,
                "leaf_downlinks": down,
                "leaf_uplinks": up,
                "layout": "top-of-rack",
                "tiers": tiers,
                "pod_nodes": pod * down,
                "least_spines": least,
                "uplink_spread": spread,
            },
        },
        CATALOG,
    )
    sizing = size([spec], CATALOG)
    assert sizing.tiers[0] or least > up or spread == "uneven" or pod > 32
    if sizing.tiers[0]:
        fabric = fabric_of(sizing, 0, spec)
        assert min(fabric.group_spines) >= least
        assert fabric.leaf_up.sum() == fabric.spine_down.sum()
        assert (fabric.spine_down + fabric.spine_up <= 64).all()


@given(
    pods=st.integers(2, 20),
    up=st.sampled_from([6, 8, 12, 18]),
    groups=st.sampled_from([1, 2, 3, 4]),
    rows=st.integers(1, 4),
)
def test_core_groups_asked_for_are_built(pods: int, up: int, groups: int, rows: int) -> None:
    """Rule 6 by hand, for pods alike: cores of a group are the smallest divisor of a spine's uplinks that holds the links."""
    spec = parse_spec(
        {
            "compute": {"server": "custom", "nodes": pods * rows * up, "nics_per_node": 1, "gpus_per_node": 1},
            "fabric": {
                "generation": "ndr",
                "leaf_radix": 64,
                "spine_radix": 64,
                "core_radix": 64,
                "leaf_downlinks": up,
                "leaf_uplinks": up,
                "layout": "top-of-rack",
                "tiers": 3,
                "pod_nodes": rows * up,
                "core_groups": groups,
                "least_spines": groups,
            },
        },
        CATALOG,
    )
    sizing = size([spec], CATALOG)
    spines = int(sizing.group_spines[0])
    if not sizing.tiers[0]:
        assert why_not(sizing, 0, spec, CATALOG)[0].code == "core_groups_do_not_divide"
        return
    assert sizing.core_groups[0] == groups
    assert spines % groups == 0
    each = rows * up // spines
    cores = min(c for c in range(1, each + 1) if each % c == 0 and c * 64 >= pods * spines // groups * each)
    assert sizing.n_core[0] == groups * cores


def test_open_ports_and_capacities_of_the_superpod() -> None:
    """Hand count of 127 DGX H100 with four fabric-manager links: one node's eight ports open, four taken."""
    compute = counts_of(parse_spec(published().designs["dgx-h100-ndr-su4-ufm"].inputs, CATALOG))
    assert compute["ports"]["leaf_down_used"] == 1020
    assert compute["ports"]["leaf_down_open"] == 4
    assert compute["ports"]["spine_open"] == 0
    assert compute["injection_gbit_s"] == 1016 * 400
    assert compute["bisection_gbit_s"] == 1024 * 400 // 2
    assert compute["oversubscription"]["built"] == "1:1"


def test_a_ratio_is_printed_as_exact_integers() -> None:
    """576 uplinks under 768 endpoints are 4:3, and never print as 1:1."""
    compute = counts_of(spec_of(96, leaf_uplinks=24, leaf_downlinks=32))
    assert compute["links"]["leaf_spine"] == 576
    assert compute["oversubscription"]["built"] == "4:3"
    assert compute["oversubscription"]["worst_leaf"] == "4:3"


# ------------------------------------------------------------------------------------------------ findings and refusals


def refusal(spec: DesignSpec) -> tuple[str, str]:
    """Code and message of the refusal of one design."""
    with pytest.raises(InfeasibleDesign) as caught:
        estimate([spec], CATALOG, ("counts",))
    (problem,) = caught.value.problems
    return problem.code, problem.message


def test_fabric_managers_without_ports_are_a_finding_not_a_silent_leaf() -> None:
    spec = spec_of(32, reserved={"fabric_manager_links": 4})
    assert "4 fabric-manager links have no port" in found(spec)["fabric_manager_ports_short"]
    assert counts_of(spec)["counts"]["leaf"] == 8


def test_a_split_port_that_ends_a_pod_is_taken_whole() -> None:
    """Pods of 3 nodes on split ports: 2 ports a pod and rail, one of them half used. 2 pods leave no port for managers."""
    spec = spec_of(
        6,
        8,
        leaf_radix=4,
        spine_radix=4,
        core_radix=4,
        layout="rail-only",
        tiers=3,
        pod_nodes=3,
        splitters=True,
        spine_oversubscription="2:1",
        reserved={"fabric_manager_links": 4, "leaf_ports": 2},
    )
    compute = counts_of(spec)
    assert compute["ports"]["leaf_down_used"] == 8 * 2 * 2 + compute["links"]["fabric_manager"]


def test_even_spread_is_explained_with_what_the_others_cost() -> None:
    """12 spines by their ports and 16 built: four QM9700 at the price that the bill of materials has."""
    said = found(spec_of(96))["spines_for_even_spread"]
    assert "would fill 12 spines" in said
    assert "16 are built" in said
    assert "The 4 more cost about $138,592." in said


def test_uneven_spread_says_what_each_spine_carries() -> None:
    spec = spec_of(
        1600, 1, leaf_radix=36, spine_radix=36, leaf_downlinks=32, leaf_uplinks=4, layout="top-of-rack", tiers=2
    )
    uneven = spec.model_copy(update={"fabric": spec.fabric.model_copy(update={"uplink_spread": "uneven"})})
    assert "33 to 34" in found(uneven)["uplinks_not_even"]


def test_two_tiers_too_small_lists_what_would_work() -> None:
    spec = spec_of(
        1600, 1, leaf_radix=36, spine_radix=36, leaf_downlinks=32, leaf_uplinks=4, layout="top-of-rack", tiers=2
    )
    code, message = refusal(spec)
    assert code == "two_tier_too_small"
    for part in ("50 leaves", "spines of 50 ports or more (50 leaves, 4 spines", "uneven", "6 spines", "three tiers"):
        assert part in message


def test_ways_out_stay_within_what_a_request_may_ask() -> None:
    """Ports kept free come on top; beyond the largest radix of a request no spine is named, and the answer is quick."""
    leaf: dict[str, Any] = {"leaf_radix": 36, "leaf_downlinks": 32, "leaf_uplinks": 4, "spine_radix": 36}
    small = spec_of(1600, 1, **leaf, layout="top-of-rack", tiers=2, reserved={"spine_ports": 2})
    assert "spines of 52 ports or more (50 leaves, 4 spines" in refusal(small)[1]
    assert (
        counts_of(
            spec_of(1600, 1, **leaf | {"spine_radix": 52}, layout="top-of-rack", tiers=2, reserved={"spine_ports": 2})
        )["counts"]["spine"]
        == 4
    )
    million = spec_of(1_048_576, 1, leaf_downlinks=1, layout="top-of-rack", tiers=2)
    assert "ports or more" not in refusal(million)[1]


def test_an_uneven_spread_that_leaves_leaves_apart_says_so() -> None:
    """40 leaves of 2 uplinks fill 20 spines of 4 ports: a leaf meets 2 of them, and 6 leaves (3 spines) are the most."""
    wide: dict[str, Any] = {
        "leaf_radix": 4,
        "leaf_downlinks": 2,
        "leaf_uplinks": 2,
        "layout": "top-of-rack",
        "tiers": 2,
    }
    code, message = refusal(spec_of(80, 1, **wide, spine_radix=4, uplink_spread="uneven"))
    assert code == "two_tier_too_small"
    assert "holds for 6 leaves or fewer" in message
    assert "spines of 27 ports or more (40 leaves, 3 spines" in message
    assert counts_of(spec_of(12, 1, **wide, spine_radix=4, uplink_spread="uneven"))["counts"]["spine"] == 3
    assert refusal(spec_of(14, 1, **wide, spine_radix=4, uplink_spread="uneven"))[0] == "two_tier_too_small"
    assert counts_of(spec_of(80, 1, **wide, spine_radix=27, uplink_spread="uneven"))["counts"]["spine"] == 3


def test_three_tiers_too_small_lists_what_would_work() -> None:
    code, message = refusal(spec_of(16384))
    assert code == "three_tier_too_small"
    assert "16 pods of 8 rails need 128 groups of spines" in message
    assert "cores of 128 ports or more" in message
    assert counts_of(spec_of(16384, core_radix=128))["tiers"] == 3


@pytest.mark.parametrize(
    ("fabric", "said"),
    [
        (
            {"leaf_uplinks": 1, "oversubscription": "1:3", "tiers": 2},
            "1 uplink a leaf at 1:3 cannot serve one downlink. Use 3",
        ),
        ({"leaf_uplinks": 64, "tiers": 2}, "A leaf of 64 usable ports with 64 uplinks has no port left for nodes."),
        (
            {"leaf_downlinks": 50, "scalable_unit_nodes": 40, "tiers": 2},
            "40 downlinks in use at 1:1 need 40 uplinks, and a leaf of 64 usable ports with 50 downlinks has 14 left. "
            "Use 32 downlinks or fewer, a higher oversubscription, or a leaf with 90 usable ports or more.",
        ),
        (
            {"leaf_radix": 3, "oversubscription": "1:8", "tiers": 2},
            "has 2 left. Use a higher oversubscription, or a leaf with 9",
        ),
        ({"spine_radix": 2, "spine_oversubscription": "1:2", "tiers": 3}, "three tiers at 1:2 need 3 or more"),
    ],
)
def test_a_refusal_says_which_ports_are_short(fabric: dict[str, Any], said: str) -> None:
    assert said in refusal(spec_of(100, **fabric))[1]


def test_a_core_tier_is_explained_with_what_two_tiers_would_need() -> None:
    said = found(spec_of(257))["three_tiers_needed"]
    assert said.startswith("72 leaves need a port each on every spine, and a spine has 64. A core tier was added.")
    assert "an uneven spread, at which OpenSM falls back to min-hop routing (72 leaves, 33 spines" in said
    growing = found(spec_of(32, grow_to_nodes=257))["three_tiers_needed"]
    assert growing.startswith("72 leaves of the 257 nodes to grow to need a port each on every spine")
    assert "uneven" not in growing


def test_rounding_up_on_each_spine_is_not_called_padding() -> None:
    """192 leaves of 16 uplinks on 16 spines: 192 downlinks at 7:1 are 28 uplinks a spine, whatever the pods."""
    spec = spec_of(
        384 * 8,
        leaf_radix=128,
        spine_radix=256,
        core_radix=256,
        leaf_downlinks=16,
        leaf_uplinks=16,
        layout="top-of-rack",
        pod_nodes=384,
        spine_oversubscription="7:1",
        tiers=3,
    )
    assert counts_of(spec)["links"]["spine_core"] == 8 * 16 * 28
    assert "spine_uplinks_padded" not in found(spec)


def test_full_spines_of_an_uneven_spread_carry_one_number() -> None:
    assert "they carry 64 links each, of 64 ports" in found(spec_of(96, uplink_spread="uneven"))["uplinks_not_even"]


def test_a_split_that_is_the_ratio_asked_for_is_no_finding() -> None:
    fabric = {"leaf_downlinks": 32, "leaf_uplinks": 16, "tiers": 2, "leaf_radix": 48}
    assert "split_sets_ratio" in found(spec_of(32, **fabric))
    assert "split_sets_ratio" not in found(spec_of(32, **fabric, oversubscription="4:2"))


def test_the_largest_pod_is_named_where_no_equal_parts_fit() -> None:
    spec = spec_of(
        65536, 1, leaf_radix=512, spine_radix=512, core_radix=512, scalable_unit_nodes=1, pod_nodes=65536, tiers=3
    )
    assert "pods of 256 nodes" in refusal(spec)[1]


def test_pods_that_are_offered_are_whole_units() -> None:
    """Half of 1,010 nodes is 505, and the next whole number of units of 32 is 512; below one unit it is the unit itself."""
    assert "pods of 512 nodes" in refusal(spec_of(1010, tiers=3, pod_nodes=2048, spine_radix=32))[1]
    cut = refusal(spec_of(64, tiers=3, pod_nodes=16, scalable_unit_nodes=32))
    assert cut == ("pod_cuts_unit", "A pod of 16 nodes cuts a scalable unit of 32. Use a multiple, such as 32 or 64.")


def test_units_start_afresh_in_every_pod() -> None:
    """Pods of 5 nodes and units of 3, two endpoints a node on leaves of 4: 2 + 1 leaves a pod, and 2 for the last 3 nodes."""
    fabric = {
        "leaf_radix": 8,
        "spine_radix": 8,
        "layout": "top-of-rack",
        "tiers": 3,
        "leaf_downlinks": 4,
        "scalable_unit_nodes": 3,
        "pod_nodes": 5,
    }
    sizing = size([spec := spec_of(13, 2, **fabric)], CATALOG)
    assert fabric_of(sizing, 0, spec).leaf_endpoints.tolist() == [4, 2, 4, 4, 2, 4, 4, 2]


@given(
    pods=st.integers(1, 9),
    rails=st.sampled_from([1, 2, 4]),
    rest=st.integers(1, 3),
    core=st.integers(2, 16),
    spread=st.sampled_from(["even", "uneven"]),
)
def test_cores_exist_exactly_where_a_core_has_a_port_for_each_group(
    pods: int, rails: int, rest: int, core: int, spread: str
) -> None:
    """Eight-port leaves and spines: pods of four leaves a rail, the last of ``rest``."""
    nodes = ((pods - 1) * 4 + rest) * 4
    sizing = size(
        [spec_of(nodes, rails, leaf_radix=8, spine_radix=8, core_radix=core, tiers=3, uplink_spread=spread)], CATALOG
    )
    assert (sizing.tiers[0] == 3) == (pods * rails <= core)


@pytest.mark.parametrize(
    ("fabric", "nodes", "code"),
    [
        ({"tiers": 1}, 16, "one_tier_too_small"),
        ({"tiers": 2}, 257, "two_tier_too_small"),
        ({}, 16384, "three_tier_too_small"),
        ({"scalable_unit_nodes": 40}, 80, "unit_over_leaf"),
        ({"tiers": 3, "pod_nodes": 33, "scalable_unit_nodes": 32}, 128, "pod_cuts_unit"),
        ({"tiers": 3, "pod_nodes": 2048}, 2048, "pod_too_large"),
        ({"leaf_downlinks": 40, "scalable_unit_nodes": 40, "tiers": 2}, 80, "ratio_not_reachable"),
    ],
)
def test_what_cannot_be_built_is_refused_by_code(fabric: dict[str, Any], nodes: int, code: str) -> None:
    assert refusal(spec_of(nodes, **fabric))[0] == code


def test_one_node_and_one_gpu_are_designs() -> None:
    assert counts_of(spec_of(1))["counts"]["switches"] == 1
    assert counts_of(spec_of(1, 1))["counts"]["endpoints"] == 1
    assert "single_switch" in found(spec_of(1))


def test_a_million_endpoints_are_sized() -> None:
    compute = counts_of(spec_of(131072, leaf_radix=2048, spine_radix=2048))
    assert compute["counts"]["endpoints"] == 1_048_576
