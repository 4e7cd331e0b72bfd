"""Storage and management networks: hand counts, and what must hold on any request."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.catalog.loader import load_catalog
from estimator.designs.networks import sized_fabrics, sized_others
from estimator.errors import InfeasibleDesign, SpecError
from estimator.link_list import link_list
from estimator.networks.sized import OtherSized
from estimator.pipeline import estimate
from estimator.published.designs import published
from estimator.spec.parse import parse_spec
from estimator.units import parse_ratio
from tests.estimator.designs import forget_choices
from tests.thorough import n_examples

CATALOG = load_catalog()
H100, NDR = {"server": "dgx-h100", "nodes": 127}, {"generation": "ndr"}


def fabrics_of(*others: dict[str, Any], compute: Any = H100, fabric: Any = NDR, **rest: Any) -> dict[str, Any]:
    """``fabrics`` of the Estimate of a design with these other networks."""
    values = {"compute": compute, "fabric": fabric, "other_fabrics": list(others), **rest}
    (made,) = estimate([parse_spec(values, CATALOG)], CATALOG, ("counts",))
    return {key: network.as_json() for key, network in made.fabrics.items()}


def sized(*others: dict[str, Any], compute: Any = H100, fabric: Any = NDR) -> tuple[OtherSized, ...]:
    spec = parse_spec({"compute": compute, "fabric": fabric, "other_fabrics": list(others)}, CATALOG)
    return sized_others([spec], sized_fabrics([spec], CATALOG)[1], CATALOG)[0]


def problems_of(*others: Any, compute: Any = H100, fabric: Any = NDR) -> dict[str, str]:
    """Code by field of a refused request."""
    with pytest.raises((SpecError, InfeasibleDesign)) as refused:
        fabrics_of(*others, compute=compute, fabric=fabric)
    return {problem.field: problem.code for problem in refused.value.problems}


def ports(network: dict[str, Any], kind: str, source: str = "") -> int:
    """Ports of what a network joins beside the nodes."""
    return sum(g["ports"] for g in network["attached"] if g["kind"] == kind and source in ("", g["of"]))


# ---------------------------------------------------------------- counted by hand (published ones: published/test_designs.py)


@pytest.mark.parametrize(("units", "per_group"), [(1, 1), (2, 1), (3, 2), (5, 4), (8, 4), (9, 4), (12, 7), (20, 14)])
def test_super_spines_of_sizes_that_no_table_has(units: int, per_group: int) -> None:
    """The smallest divisor of 28 from ⌈units · 28 / 64⌉ on, in each of two groups."""
    inputs = published().designs["dgx-gb200-eth-superspine-su4"].inputs
    compute = {**inputs["compute"], "nodes": 144 * units}
    # the compute network is of no interest here
    found = fabrics_of(*inputs["other_fabrics"], compute=compute, fabric={"generation": "xdr"})["converged"]
    assert (found["counts"]["spine"], found["counts"]["core"]) == (2 * units, 2 * per_group)


@pytest.mark.parametrize(
    ("nodes", "leaf", "spine"),
    [
        (20, 4, 2),
        (40, 6, 4),
        (80, 10, 4),
        (100, 12, 8),
        (139, 16, 8),
    ],
)
def test_storage_of_a100_units_by_hand(nodes: int, leaf: int, spine: int) -> None:
    """⌈nodes/20⌉ pairs and one for storage; spines: the smallest divisor of 16 that holds leaves · 16 / 40."""
    inputs = published().designs["dgx-a100-hdr-su"].inputs
    compute = {**inputs["compute"], "nodes": nodes}
    found = fabrics_of(*inputs["other_fabrics"], compute=compute, fabric={"generation": "hdr"})["storage"]
    assert (found["counts"]["leaf"], found["counts"]["spine"]) == (leaf, spine)
    assert found["counts"]["endpoints"] == 2 * nodes + 40


@pytest.mark.parametrize(("nodes", "leaves"), [(1, 2), (8, 2), (9, 2), (16, 2), (17, 3), (24, 3), (25, 4), (33, 5)])
def test_out_of_band_leaves_of_enterprise_patterns_by_hand(nodes: int, leaves: int) -> None:
    found = fabrics_of(
        {"role": "out-of-band", "extra_endpoints": 1, "nodes_per_leaf": 8, "least_leaves": 2},
        compute={"server": "custom", "nodes": nodes},
    )["out-of-band"]
    assert found["counts"]["leaf"] == leaves
    assert found["counts"]["endpoints"] == nodes + 1


def test_out_of_band_ports_of_a_superpod_by_hand() -> None:
    """127 controllers, 48 + 16 + 8 switches, 4 fabric managers, 32 · 3 + ⌈(64 + 8 · 2) / 15⌉ · 2 PDUs: 311."""
    inputs = published().designs["dgx-h100-su4-bom-ethernet"].inputs
    others = [dict(entry) for entry in inputs["other_fabrics"]]
    others[2] = {"role": "out-of-band"}
    found = fabrics_of(*others, fabric=inputs["fabric"])["out-of-band"]
    assert found["counts"]["endpoints"] == 127 + 48 + 16 + 8 + 4 + 96 + 12
    assert found["counts"]["leaf"] == 7  # ⌈311 / 48⌉
    assert found["uplinks"] == {"per_leaf": 2, "links": 14, "rate_gbit_s": 100, "into": "in-band"}


def test_out_of_band_without_an_in_band_network_has_spines_of_its_own() -> None:
    """Seven leaves of two 100G uplinks: one spine would do, and each leaf reaches two where two are asked for."""
    one = fabrics_of({"role": "out-of-band"})["out-of-band"]
    two = fabrics_of({"role": "out-of-band", "least_spines": 2})["out-of-band"]
    assert [f["counts"]["spine"] for f in (one, two)] == [1, 2]
    leaves = one["counts"]["leaf"]
    assert one["links"]["leaf_spine"] == 2 * leaves
    assert one["switches"]["spine"]["part"] == "nvidia-sn4600c"
    assert one["oversubscription"]["built_ratio"] == one["counts"]["endpoints"] / (2 * leaves * 100)
    assert one["switches"]["leaf"] == {"part": "nvidia-sn2201", "radix": 48}


@pytest.mark.parametrize(
    ("server", "role", "expected"),
    [
        ("dgx-h100", "storage", 2),
        ("dgx-h100", "in-band", 2),
        ("dgx-h100", "out-of-band", 1),
        ("gb200-tray", "storage", 4),
        ("gb200-tray", "converged", 4),
        ("hgx-b300-9u", "in-band", 2),
        ("hgx-b200-10u", "in-band", 2),
        ("smc-8125gs-mi300x", "storage", 2),
        ("custom", "storage", 2),
        ("custom", "out-of-band", 1),
    ],
)
def test_a_node_has_the_ports_of_its_server(server: str, role: str, expected: int) -> None:
    found = fabrics_of({"role": role}, compute={"server": server, "nodes": 5}, fabric={"generation": "roce-400"})[role]
    assert found["ports_per_node"] == expected
    assert found["counts"]["endpoints"] == 5 * expected + found["counts"]["other_endpoints"]


def test_two_networks_share_the_ports_of_one_adapter() -> None:
    """A GB200 tray's four 200G ports: two for storage, two in-band, as its reference architecture has them."""
    found = fabrics_of({"role": "storage"}, {"role": "in-band"}, compute={"server": "gb200-tray", "nodes": 36})
    assert [found[role]["ports_per_node"] for role in ("storage", "in-band")] == [2, 2]


# ---------------------------------------------------------------- what must hold


@pytest.mark.parametrize("nodes", [1, 7, 33, 127, 500])
@pytest.mark.parametrize("role", ["storage", "in-band", "converged"])
@pytest.mark.parametrize("extra", [0, 3, 64])
def test_a_plain_network_follows_the_rules_of_the_compute_network(nodes: int, role: str, extra: int) -> None:
    """Endpoints in node order over leaves of 32 downlinks; spines by the smallest divisor of the uplinks in use."""
    found = fabrics_of(
        {"role": role, "generation": "ndr", "ports_per_node": 2, "extra_endpoints": extra, "dual_homed": False},
        compute={"server": "custom", "nodes": nodes},
    )[role]
    twin = fabrics_of(
        compute={"server": "custom", "nodes": 2 * nodes + extra, "nics_per_node": 1, "gpus_per_node": 1},
        fabric={"generation": "ndr", "layout": "top-of-rack"},
    )["compute"]
    for key in ("leaf", "spine", "core", "endpoints"):
        assert found["counts"][key] == twin["counts"][key], key
    for key in ("links", "ports", "oversubscription", "paths", "injection_gbit_s", "bisection_gbit_s", "tiers"):
        assert (
            {k: v for k, v in found[key].items() if k != "leaf_leaf"} == twin[key]
            if isinstance(found[key], dict)
            else (found[key] == twin[key])
        ), key


ENTRY = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["storage", "in-band", "converged", "out-of-band"]),
    },
    optional={
        "ports_per_node": st.integers(1, 4),
        "extra_endpoints": st.integers(0, 40),
        "dual_homed": st.booleans(),
        "peer_links": st.integers(0, 3),
        "nodes_per_leaf": st.integers(1, 12),
        "least_leaves": st.integers(1, 9),
        "scalable_unit_nodes": st.integers(1, 16),
        "leaf_uplinks": st.integers(1, 4),
        "least_spines": st.integers(1, 3),
        "uplinks_into": st.sampled_from(["in-band", "spines", "outside"]),
        "planes": st.integers(1, 2),
        "endpoints_per_port": st.sampled_from([1, 2, 4]),
        "tiers": st.sampled_from(["auto", 1, 2, 3]),
        "layout": st.sampled_from(["top-of-rack", "rail-optimized"]),
        "provision": st.sampled_from(["as-bought", "full-unit"]),
        "grow_to_nodes": st.integers(1, 60),
        "generation": st.sampled_from(["roce-100", "roce-400", "ndr", "ethernet-1"]),
    },
)


@settings(max_examples=n_examples(300), deadline=None)
@given(st.lists(ENTRY, max_size=4), st.integers(1, 50), st.sampled_from(["dgx-h100", "gb200-tray", "custom"]))
def test_any_networks_are_sized_or_refused(others: list[dict[str, Any]], nodes: int, server: str) -> None:
    """Sums agree, no switch has more links than ports, and the normalized request gives the same again."""
    values = {
        "compute": {"server": server, "nodes": nodes},
        "fabric": {"generation": "ndr", "reserved": {"fabric_manager_links": 4}},
        "other_fabrics": others,
    }
    try:
        spec = parse_spec(values, CATALOG)
        found = sized_others([spec], sized_fabrics([spec], CATALOG)[1], CATALOG)[0]
    except (SpecError, InfeasibleDesign) as error:
        refused: SpecError | InfeasibleDesign | None = error
    else:
        refused = None
    if refused:
        assert all(problem.field.startswith("other_fabrics[") and problem.message for problem in refused.problems)
        return
    assert parse_spec(spec.as_json(), CATALOG).as_json() == spec.as_json()
    assert len(found) == len(others)
    for one in found:
        fabric, entry = one.fabric, one.entry
        assert fabric.leaf_endpoints.sum() == fabric.links_node_leaf == one.hosts.n_ports
        assert one.hosts.n_ports == nodes * (entry.ports_per_node or 0) + one.hosts.n_other_ports
        assert len(fabric.leaf_down) == fabric.n_leaf
        assert (fabric.leaf_down + fabric.leaf_up + entry.peer_links <= fabric.leaf_radix).all()
        assert (fabric.spine_down + fabric.spine_up <= fabric.spine_radix).all()
        assert fabric.spine_down.sum() == fabric.links_leaf_spine
        if entry.nodes_per_leaf and fabric.tiers == 2:
            assert fabric.n_leaf >= min(-(-nodes // entry.nodes_per_leaf), one.hosts.n_attachments)
        if entry.dual_homed:
            assert fabric.n_leaf % 2 == 0
            assert not fabric.group_spines or min(fabric.group_spines) >= 2


@settings(max_examples=n_examples(60), deadline=None)
@given(nodes=st.integers(1, 600), uplinks=st.integers(1, 4))
def test_sizes_that_depend_on_each_other_agree(nodes: int, uplinks: int) -> None:
    """In-band has a port for every out-of-band uplink, out-of-band one for every switch of the others."""
    found = fabrics_of(
        {"role": "storage"},
        {"role": "in-band"},
        {"role": "out-of-band", "leaf_uplinks": uplinks},
        compute={"server": "dgx-h100", "nodes": nodes},
        fabric={"generation": "ndr", "tiers": "auto"},
    )
    assert ports(found["in-band"], "uplink") == found["out-of-band"]["counts"]["leaf"] * uplinks
    for role in ("compute", "storage", "in-band"):
        assert ports(found["out-of-band"], "switch", role) == found[role]["counts"]["switches"]


def test_endpoints_shared_out_differ_by_one_at_most() -> None:
    (one,) = sized(
        {"role": "out-of-band", "extra_endpoints": 10, "nodes_per_leaf": 4}, compute={"server": "custom", "nodes": 100}
    )
    assert one.fabric.n_leaf == 25
    assert np.ptp(one.fabric.leaf_endpoints) == 1
    assert one.fabric.leaf_endpoints.sum() == 110


def test_a_batch_is_its_designs_one_by_one() -> None:
    specs = [
        parse_spec(
            {
                "compute": {"server": "dgx-h100", "nodes": n},
                "fabric": NDR,
                "other_fabrics": [
                    {"role": "storage", "dual_homed": n % 2 == 0},
                    {"role": "in-band"},
                    {"role": "out-of-band"},
                ],
            },
            CATALOG,
        )
        for n in (3, 20, 64, 127, 200)
    ]
    together = estimate(specs, CATALOG, ("counts",))
    forget_choices()
    for spec, made in zip(specs, together, strict=True):
        assert made.fabrics == estimate([spec], CATALOG, ("counts",))[0].fabrics


def test_a_role_may_come_twice() -> None:
    found = fabrics_of({"role": "storage"}, {"role": "storage", "generation": "roce-400", "ports_per_node": 4})
    assert list(found) == ["compute", "storage", "storage-2"]


# ---------------------------------------------------------------- findings and refusals


def findings_of(*others: dict[str, Any], **rest: Any) -> dict[str, Any]:
    values = {"compute": H100, "fabric": NDR, "other_fabrics": list(others), **rest}
    (made,) = estimate([parse_spec(values, CATALOG)], CATALOG, ("counts",))
    return {f.code: f for f in made.findings if f.field.startswith("other_fabrics[")}


@pytest.mark.parametrize(
    ("entry", "code", "field"),
    [
        ({"role": "storage"}, "no_storage_endpoints", "other_fabrics[0].extra_endpoints"),
        ({"role": "storage", "dual_homed": False}, "ports_share_leaf", "other_fabrics[0].dual_homed"),
        ({"role": "storage", "generation": "xdr"}, "nic_below_port_rate", "other_fabrics[0].generation"),
        ({"role": "storage", "ports_per_node": 3}, "ports_beyond_server", "other_fabrics[0].ports_per_node"),
        ({"role": "out-of-band"}, "pdus_counted", "other_fabrics[0].pdus_per_rack"),
        (
            {
                "role": "in-band",
                "dual_homed": True,
                "tiers": 1,
                "endpoints_per_port": 2,
                "generation": "roce-400",
                "peer_links": 0,
            },
            "pair_not_joined",
            "other_fabrics[0].peer_links",
        ),
        (
            {"role": "storage", "uplink_spread": "uneven", "leaf_downlinks": 24, "leaf_uplinks": 14},
            "uplinks_not_even",
            "other_fabrics[0].uplink_spread",
        ),
    ],
)
def test_findings_name_the_entry(entry: dict[str, Any], code: str, field: str) -> None:
    found = findings_of(entry)
    assert found[code].field == field


def test_a_proposed_change_ends_the_finding() -> None:
    from estimator.spec.change import apply_change

    given = {
        "compute": H100,
        "fabric": NDR,
        "other_fabrics": [{"role": "storage", "extra_endpoints": 8, "dual_homed": False}],
    }
    change = findings_of(*given["other_fabrics"])["ports_share_leaf"].change  # type: ignore[misc]
    changed = apply_change(given, change)
    assert "ports_share_leaf" not in findings_of(*changed["other_fabrics"])


@pytest.mark.parametrize(
    ("entry", "field", "code"),
    [
        ({}, "role", "missing"),
        ({"role": "lan"}, "role", "not_a_choice"),
        ({"role": "storage", "generation": "ethernet-10"}, "generation", "not_a_choice"),
        ({"role": "storage", "ports": 2}, "ports", "unknown_key"),
        ({"role": "storage", "leaf_switch": "sn2201"}, "leaf_switch", "unknown_part"),
        ({"role": "storage", "leaf_switch": "nvidia-sn2201"}, "leaf_switch", "switch_does_not_fit"),
        ({"role": "out-of-band", "spine_switch": "nvidia-qm9700"}, "spine_switch", "switch_does_not_fit"),
        ({"role": "in-band", "dual_homed": True, "planes": 2}, "dual_homed", "contradiction"),
        ({"role": "in-band", "dual_homed": False, "peer_links": 2}, "peer_links", "contradiction"),
        ({"role": "in-band", "dual_homed": True, "ports_per_node": 3}, "ports_per_node", "ports_do_not_divide"),
        ({"role": "in-band", "dual_homed": True, "extra_endpoints": 3}, "extra_endpoints", "ports_do_not_divide"),
        ({"role": "in-band", "racks": 3}, "racks", "not_for_role"),
        ({"role": "storage", "count_devices": True}, "count_devices", "not_for_role"),
        ({"role": "out-of-band", "uplinks_into": "in-band"}, "uplinks_into", "no_such_fabric"),
        ({"role": "out-of-band", "leaf_uplinks": 5}, "leaf_uplinks", "leaf_ports_short"),
        ({"role": "out-of-band", "leaf_downlinks": 49}, "leaf_downlinks", "leaf_ports_short"),
        ({"role": "out-of-band", "tiers": 3}, "tiers", "out_of_range"),
        ({"role": "out-of-band", "uplinks_into": "outside", "tiers": 2}, "tiers", "contradiction"),
        ({"role": "storage", "endpoints_per_port": 4}, "endpoints_per_port", "split_not_offered"),
        ({"role": "storage", "endpoints_per_port": 4, "splitters": True}, "endpoints_per_port", "contradiction"),
        ({"role": "storage", "nodes_per_leaf": 4, "scalable_unit_nodes": 8}, "nodes_per_leaf", "contradiction"),
        ({"role": "storage", "extra_endpoints": 1_048_576}, "extra_endpoints", "out_of_range"),
        ({"role": "storage", "grow_to_nodes": 5}, "grow_to_nodes", "out_of_range"),
        ({"role": "storage", "tiers": 1}, "tiers", "one_tier_too_small"),
        ({"role": "storage", "least_spines": 64}, "least_spines", "ratio_not_reachable"),
        ({"role": "in-band", "dual_homed": True, "tiers": 1}, "tiers", "one_tier_too_small"),
    ],
)
def test_a_refusal_names_the_entry_and_the_key(entry: dict[str, Any], field: str, code: str) -> None:
    found = problems_of({"role": "storage"}, entry)
    assert found.get(f"other_fabrics[1].{field}") == code, found


def test_all_problems_are_found_in_one_pass() -> None:
    found = problems_of(
        {"role": "storage", "leaf_switch": "none-such"},
        {"role": "in-band", "dual_homed": False, "peer_links": 1},
        {"role": "storage", "x": 1},
        compute={"server": "none-such", "nodes": 3},
    )
    assert set(found) == {
        "other_fabrics[0].leaf_switch",
        "other_fabrics[1].peer_links",
        "other_fabrics[2].x",
        "compute.server",
    }


def test_too_many_networks_are_refused_early() -> None:
    assert problems_of(*[{"role": "storage"}] * 9) == {"other_fabrics": "out_of_range"}


# ---------------------------------------------------------------- links, parts and money


def superpod() -> dict[str, Any]:
    """127 DGX H100 with storage, in-band and out-of-band networks, as published."""
    return published().designs["dgx-h100-su4-bom-ethernet"].inputs


def rows_of(values: Any, role: str) -> list[dict[str, Any]]:
    """The link list of one network, row by row."""
    links = link_list(parse_spec(values, CATALOG), CATALOG, role)
    return [row._asdict() for row in links.rows()]


def test_links_of_the_superpod_end_where_they_must() -> None:
    """Every link of the published management networks, by what hangs on it."""
    values = superpod()
    in_band, out_of_band = rows_of(values, "in-band"), rows_of(values, "out-of-band")
    stems = Counter((row["tier"], row["a_device"].rsplit("-", 1)[0]) for row in in_band)
    assert stems == {
        ("node-leaf", "node"): 254,
        ("node-leaf", "oob-leaf"): 16,
        ("node-leaf", "mgmt"): 20,
        ("leaf-spine", "inband-leaf"): 24,
        ("leaf-leaf", "inband-leaf"): 6,
    }
    uplinks = [row for row in in_band if row["a_device"].startswith("oob-leaf")]
    assert {(row["a_device"], row["a_port"]) for row in uplinks} == {
        (f"oob-leaf-{n:03d}", port) for n in range(1, 9) for port in ("swp49", "swp50")
    }
    joined = {row["a_device"] for row in out_of_band}
    switches = {f"leaf-r{rail}-{n:03d}" for rail in range(1, 9) for n in range(1, 5)}
    switches |= {f"spine-{n:03d}" for n in range(1, 17)} | {f"storage-leaf-{n:03d}" for n in range(1, 13)}
    switches |= {f"storage-spine-{n:03d}" for n in range(1, 5)} | {f"inband-leaf-{n:03d}" for n in range(1, 7)}
    switches |= {
        "inband-spine-001",
        "inband-spine-002",
        "manager-01",
        "manager-02",
        "storage-manager-01",
        "storage-manager-02",
    }
    assert switches < joined
    assert len(joined) == len(out_of_band) == 315
    assert {row["rate_gbit_s"] for row in out_of_band} == {1}


@pytest.mark.parametrize(
    ("nodes", "entry"),
    [
        (4, {}),
        (40, {}),
        (127, {}),
        (127, {"uplinks_into": "outside"}),
        (30, {"nodes_per_leaf": 7}),
        (4, {"leaf_switch": "generic-1g-oob"}),
    ],
)
def test_out_of_band_ports_are_those_of_copper_and_uplinks_those_beside(nodes: int, entry: dict[str, Any]) -> None:
    """48 ports of 1G are swp1 to swp48, or Ethernet1 to 48; uplinks come after."""
    values = {
        "compute": {"server": "dgx-h100", "nodes": nodes},
        "fabric": NDR,
        "other_fabrics": [{"role": "out-of-band", **entry}],
    }
    rows = rows_of(values, "out-of-band")

    def number(port: str) -> int:
        return int("".join(c for c in port if c.isdigit()))

    assert all(1 <= number(row["b_port"]) <= 48 for row in rows if row["tier"] == "node-leaf")
    assert all(49 <= number(row["a_port"]) <= 52 for row in rows if row["tier"] == "leaf-spine")


def test_a_dual_homed_node_reaches_both_leaves_of_one_pair() -> None:
    for role, ports in (("storage", 2), ("in-band", 2)):
        reached: dict[str, list[int]] = {}
        for row in rows_of(superpod(), role):
            if row["tier"] == "node-leaf":
                reached.setdefault(row["a_device"], []).append(int(row["b_device"].rsplit("-", 1)[1]))
        for device, leaves in reached.items():
            assert len(leaves) == ports, device
            assert sorted(leaves) == [min(leaves), min(leaves) + 1], device
            assert min(leaves) % 2 == 1, device


@settings(max_examples=n_examples(80), deadline=None)
@given(
    st.lists(ENTRY, min_size=1, max_size=3), st.integers(1, 40), st.sampled_from(["dgx-h100", "gb200-tray", "custom"])
)
def test_link_lists_have_every_port_once_and_the_estimates_counts(
    others: list[dict[str, Any]], nodes: int, server: str
) -> None:
    values = {"compute": {"server": server, "nodes": nodes}, "fabric": {"generation": "ndr"}, "other_fabrics": others}
    try:
        spec = parse_spec(values, CATALOG)
        (made,) = estimate([spec], CATALOG, ("counts", "cables"))
    except (SpecError, InfeasibleDesign):
        return
    for key, found in made.fabrics.items():
        if key == "compute":
            continue
        rows = rows_of(values, key)
        ends = [(row["a_device"], row["a_port"]) for row in rows] + [(row["b_device"], row["b_port"]) for row in rows]
        assert len(set(ends)) == len(ends), key
        tiers = Counter(row["tier"].replace("-", "_") for row in rows)
        assert {tier: n for tier, n in found.links.as_json().items() if n} == tiers, key
        per_node = Counter(row["a_device"] for row in rows if row["a_device"].startswith("node-"))
        assert set(per_node.values()) == {found.ports_per_node}
        assert len(per_node) == nodes
        down = Counter(row["b_device"] for row in rows if row["tier"] == "node-leaf")
        assert (
            max(down.values())
            <= found.split.leaf_downlinks * spec.other_fabrics[list(made.fabrics).index(key) - 1].endpoints_a_port
        )


def test_a_network_that_the_design_has_not_is_refused_by_name() -> None:
    with pytest.raises(SpecError, match="compute, storage, in-band, out-of-band"):
        link_list(parse_spec(superpod(), CATALOG), CATALOG, "converged")


def test_published_cables_of_the_management_networks() -> None:
    """Of the source's bill: 254 + 20 + 16 optical cables in-band with 24 to the cores and 6 in pairs; 315 of copper."""
    (made,) = estimate([parse_spec(superpod(), CATALOG)], CATALOG, ("bom",))
    assert made.bom is not None
    bought = {(line["fabric"], line["category"], line["use"]): line["quantity"] for line in made.bom.as_json()["lines"]}
    assert bought["in-band", "cable", "node-leaf"] == 290
    assert bought["in-band", "cable", "leaf-spine"] == 24
    assert bought["in-band", "cable", "leaf-leaf"] == 6
    assert bought["out-of-band", "cable", "node-leaf"] == 315
    assert bought["in-band", "switch", "leaf"] + bought["in-band", "switch", "spine"] == 8
    assert bought["out-of-band", "switch", "leaf"] == 8
    assert bought["compute", "management", "fabric manager"] + bought["storage", "management", "fabric manager"] == 4


def test_bill_power_and_cost_are_those_of_all_networks() -> None:
    values = superpod()
    (alone,) = estimate([parse_spec({**values, "other_fabrics": []}, CATALOG)], CATALOG)
    (made,) = estimate([parse_spec(values, CATALOG)], CATALOG)
    assert alone.power
    assert made.bom
    assert made.power
    assert made.cost
    of = {
        fabric: sum(
            line["extended_price_usd"]["typical"] for line in made.bom.as_json()["lines"] if line["fabric"] == fabric
        )
        for fabric in made.fabrics
    }
    assert made.bom.totals_usd.typical == pytest.approx(sum(of.values()))
    assert all(of.values())
    assert made.cost.capex_usd.total == made.bom.totals_usd
    # 12 + 4 QM9700, 6 + 2 SN4600C, 8 SN2201 and two more managers at their typical figures, without transceivers
    switches_w = 16 * 747 + 8 * 466 + 8 * 98 + 2 * 350
    assert made.power.network_w.typical - alone.power.network_w.typical > switches_w
    assert made.power.parts_w["fabric_managers"].typical == 4 * 350
    names = {one.name for one in made.cost.assumptions}
    assert {"in-band.node_leaf_m", "in-band.leaf_leaf_m", "node_leaf_m"} <= names


def test_spares_are_bought_once_for_all_networks() -> None:
    """48 + 16 QM9700 are one part: ⌈share × 64⌉ boxes in reserve, on the line with most of them."""
    (made,) = estimate([parse_spec(superpod(), CATALOG)], CATALOG, ("bom",))
    assert made.bom is not None
    boxes = [line for line in made.bom.as_json()["lines"] if line["part"] == "nvidia-qm9700"]
    share = CATALOG.economics["spare-switches"].typical
    assert sum(line["quantity"] for line in boxes) == 64
    assert sum(line["spare_quantity"] for line in boxes) == int(np.ceil(share * 64))


def test_lengths_of_other_networks_may_be_set_by_hand() -> None:
    values = superpod() | {
        "site": {
            "set_lengths": [
                {"a": "oob-leaf-003", "b": "inband-leaf-005", "length_m": 12.0, "fabric": "in-band"},
                {"a": "inband-leaf-001", "b": "inband-leaf-002", "length_m": 1.0, "fabric": "in-band"},
            ]
        }
    }
    rows = rows_of(values, "in-band")
    found = {
        row["length_m"] for row in rows if (row["a_device"], row["b_device"]) == ("oob-leaf-003", "inband-leaf-005")
    }
    assert found == {12.0}
    assert [row["length_m"] for row in rows if row["tier"] == "leaf-leaf"] == [1.0, 1.0, 3.0, 3.0, 3.0, 3.0]


# ---------------------------------------------------------------- what is asked for plainly


def test_management_of_a_dgx_h100_superpod_comes_as_published() -> None:
    """127 nodes, nothing said but the role: six leaves and two spines, 24 links up and six within pairs (bill of the RA)."""
    found = fabrics_of({"role": "in-band"}, {"role": "out-of-band"}, compute={"server": "dgx-h100", "nodes": 127})[
        "in-band"
    ]
    assert (found["counts"]["leaf"], found["counts"]["spine"]) == (6, 2)
    assert (found["links"]["leaf_spine"], found["links"]["leaf_leaf"]) == (24, 6)
    assert parse_ratio(found["oversubscription"]["worst_leaf"]) <= parse_ratio("29:2")


@pytest.mark.parametrize("role", ["storage", "in-band", "converged"])
@pytest.mark.parametrize("nodes", [2, 31, 32, 100, 300])
def test_a_node_reaches_both_leaves_of_a_pair_unless_set_otherwise(role: str, nodes: int) -> None:
    found = fabrics_of({"role": role}, compute={"server": "dgx-b200", "nodes": nodes})[role]
    assert found["dual_homed"]
    assert found["counts"]["leaf"] % 2 == 0
    single = fabrics_of({"role": role, "dual_homed": False}, compute={"server": "dgx-b200", "nodes": nodes})[role]
    assert not single["dual_homed"]


def test_a_normalized_network_says_all_that_was_filled_in() -> None:
    values = {"compute": H100, "fabric": NDR, "other_fabrics": [{"role": "in-band"}, {"role": "storage"}]}
    once = parse_spec(values, CATALOG).as_json()
    assert once["other_fabrics"][0]["dual_homed"] is True
    assert (once["other_fabrics"][0]["peer_links"], once["other_fabrics"][0]["oversubscription"]) == (2, "29:2")
    assert parse_spec(once, CATALOG).as_json() == once


@pytest.mark.parametrize("server", sorted(key for key, one in CATALOG.servers.items() if one.gpu_count))
@pytest.mark.parametrize("generation", ["ndr", "xdr", "roce-400"])
def test_storage_runs_at_what_the_server_s_adapters_speak(server: str, generation: str) -> None:
    values = {
        "compute": {"server": server, "nodes": 16},
        "fabric": {"generation": generation},
        "other_fabrics": [{"role": "storage"}, {"role": "in-band"}],
    }
    try:
        spec = parse_spec(values, CATALOG)
    except SpecError as refused:
        if any(problem.field.startswith("other_fabrics") for problem in refused.problems):
            raise
        pytest.skip("the compute network is refused by itself")
    (made,) = estimate([spec], CATALOG, ("counts", "cables"))
    of_storage = {finding.code for finding in made.findings if finding.field.startswith("other_fabrics[0]")}
    assert not {"nic_speaks_other_protocol", "nic_below_port_rate", "no_part_fits"} & of_storage


def test_storage_and_in_band_on_two_ports_are_better_one_network() -> None:
    from estimator.spec.change import apply_change

    given: dict[str, Any] = {
        "compute": {"server": "smc-8125gs-mi300x", "nodes": 32},
        "fabric": {"generation": "roce-400"},
        "other_fabrics": [{"role": "storage", "extra_endpoints": 8}, {"role": "in-band"}, {"role": "out-of-band"}],
    }
    found = findings_of(*given["other_fabrics"], compute=given["compute"], fabric=given["fabric"])
    finding = found["ports_shared_by_networks"]
    changed = apply_change(given, finding.change)
    assert [entry["role"] for entry in changed["other_fabrics"]] == ["converged", "out-of-band"]
    after = fabrics_of(*changed["other_fabrics"], compute=given["compute"], fabric=given["fabric"])["converged"]
    assert after["dual_homed"]
    assert after["ports_per_node"] == 2
    assert next(group["ports"] for group in after["attached"] if group["kind"] == "endpoint") == 8


# ---------------------------------------------------------------- rates of uplinks into another network

ROCE_400 = {"compute": {"server": "dgx-h100", "nodes": 16}, "fabric": {"generation": "roce-400"}}


@pytest.mark.parametrize(
    "above",
    [
        {"role": "converged"},
        {"role": "converged", "generation": "roce-800"},
        {"role": "converged", "generation": "roce-100"},
        {"role": "in-band", "generation": "roce-400"},
        {"role": "converged", "generation": "roce-200", "dual_homed": True, "ports_per_node": 2},
    ],
)
def test_uplinks_of_a_leaf_run_at_a_rate_that_its_box_has_wherever_they_end(above: dict[str, Any]) -> None:
    spec = parse_spec(ROCE_400 | {"other_fabrics": [above, {"role": "out-of-band"}]}, CATALOG)
    below = sized_others([spec], sized_fabrics([spec], CATALOG)[1], CATALOG)[0][1].fabric
    has = {cage.link_rate_gbit_s for cage in CATALOG.switches[below.leaf_switch or ""].cages}
    rows = list(link_list(spec, CATALOG, above["role"]).rows())
    uplinks = [row for row in rows if row.a_device.startswith("oob-")]
    assert len(uplinks) == int(below.leaf_up.sum()) > 0
    assert {row.rate_gbit_s for row in uplinks} == {100}
    assert {row.rate_gbit_s for row in uplinks} <= has
    nodes = {row.rate_gbit_s for row in rows if row.a_device.startswith("node-")}
    assert nodes == {sized(above, **ROCE_400)[0].fabric.endpoint_rate_gbit_s}


def test_uplinks_that_would_end_in_ports_of_a_rate_that_the_box_has_not_are_refused() -> None:
    above = {"role": "converged", "generation": "roce-100", "endpoints_per_port": 2}
    assert problems_of(above, {"role": "out-of-band"}, **ROCE_400) == {
        "other_fabrics[1].uplinks_into": "uplink_rate_not_offered"
    }
    assert fabrics_of(above, {"role": "out-of-band", "uplinks_into": "spines"}, **ROCE_400)
