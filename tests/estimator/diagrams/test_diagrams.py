"""What a picture of a fabric is drawn from: boxes and bundles that add up to the links, whatever part is looked at."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.cabling.links import LinkList
from estimator.catalog.loader import load_catalog
from estimator.designs.networks import sized_fabrics, sized_others
from estimator.diagrams.data import (
    MOST_BLOCKS,
    MOST_LISTED,
    MOST_PAIRS,
    MOST_SINGLES,
    OUTSIDE,
    SINGLE,
    fabric_view,
    listed,
)
from estimator.diagrams.failure import alive_links, down_of, impact_of, names_of, system_with
from estimator.diagrams.load import ALL_REDUCE, ALL_TO_ALL, Traffic, load_of
from estimator.diagrams.node import CPU, IN_NIC, SWITCH, inside_of
from estimator.diagrams.places import AXES, Places, places_of
from estimator.diagrams.ports import MOST_PORTS, USES, host_ports_of, panel_of
from estimator.diagrams.scope import (
    Scope,
    address_of,
    choices,
    examples,
    home_of,
    near_names,
    near_parts,
    scope_of,
    walk,
)
from estimator.fabric.devices import CORE, KINDS, LEAF, MANAGER, NODE, SPINE
from estimator.fabric.structure import Structure
from estimator.fabric.topology import LEAF_SPINE, TIERS, link_table, panels_of
from estimator.findings.losses import Loss, left_after
from estimator.link_list import link_list
from estimator.networks.links import other_table
from estimator.spec.design import DesignSpec
from estimator.spec.network_rules import other_keys
from estimator.spec.parse import parse_spec
from tests.estimator.designs import spec_of
from tests.thorough import n_examples

CATALOG = load_catalog()


def design(nodes: int, server: str = "dgx-h100", generation: str = "ndr", **fabric: Any) -> DesignSpec:
    values = {"compute": {"server": server, "nodes": nodes}, "fabric": {"generation": generation, **fabric}}
    return parse_spec(values, CATALOG)


def of_planes(nodes: int, planes: int) -> DesignSpec:
    compute = {
        "server": "custom",
        "nodes": nodes,
        "gpus_per_node": 8,
        "nics_per_node": 8,
        "nic_ports_per_node": 8 * planes,
    }
    fabric = {"generation": "roce-200", "leaf_switch": "custom", "leaf_radix": 64, "planes": planes}
    return parse_spec({"compute": compute, "fabric": fabric}, CATALOG)


SPECS: dict[str, DesignSpec] = {
    "superpod": design(127, scalable_unit_nodes=32, provision="full-unit", reserved={"fabric_manager_links": 4}),
    "one-node": design(1),
    "one-leaf": design(4, tiers=1),
    "rail-only": design(64, layout="rail-only"),
    "rail-only-two-tiers": spec_of(200, 4, layout="rail-only", leaf_radix=32, spine_radix=32),
    "top-of-rack": design(100, layout="top-of-rack"),
    "seams": spec_of(50, 3, layout="top-of-rack", leaf_radix=32, spine_radix=32),
    "uneven": design(150, uplink_spread="uneven", oversubscription="2:1"),
    "three-tiers": design(512, scalable_unit_nodes=32, tiers=3),
    "three-uneven-pods": spec_of(150, 4, leaf_radix=16, spine_radix=16, core_radix=16, tiers=3),
    "planes": of_planes(128, 2),
    "four-planes": of_planes(600, 4),
    "split-ports": design(40, server="dgx-a100-640", generation="hdr", splitters=True),
}


def places_for(spec: DesignSpec) -> Places:
    _, (fabric,) = sized_fabrics([spec], CATALOG)
    return places_of(link_table(fabric, panels_of(spec, fabric, CATALOG)))


@pytest.fixture(scope="module", params=list(SPECS))
def places(request: pytest.FixtureRequest) -> Places:
    return places_for(SPECS[request.param])


def scopes_below(places: Places, scope: Scope = Scope(), depth: int = 3) -> list[Scope]:  # noqa: B008 - frozen
    """A scope, and the first and last part along every axis, and so on down."""
    out = [scope]
    for axis in choices(scope, places) if depth else ():
        view = fabric_view(places, scope, axis)
        numbers = sorted({box.number for box in view.boxes if box.number})
        for number in {numbers[0], numbers[-1]}:
            out += scopes_below(places, scope.within(axis, number), depth - 1)
    return out


# --- Boxes and bundles -------------------------------------------------------------------------------------------
def check_whole(places: Places, view: Any) -> None:
    """Every link of the fabric is in one bundle, every device in one box."""
    table = places.table
    assert sum(bundle.links for bundle in view.bundles) == len(table)
    for tier in range(len(TIERS)):
        rows = table.rows(tier)
        assert view.links(tier) == rows.stop - rows.start
    for kind in KINDS:
        inside = [int(device) for box in view.boxes if box.kind == kind for device in box.devices]
        own = table.devices.of(kind)
        assert sorted(inside) == list(range(own.start, own.stop))


def test_the_whole_fabric_has_every_link_and_every_device_once(places: Places) -> None:
    for axis in ["", *choices(Scope(), places)]:
        check_whole(places, fabric_view(places, Scope(), axis))


def test_a_window_tells_of_all_parts_wherever_it_begins(places: Places) -> None:
    n_parts = fabric_view(places, Scope()).n_parts
    for start in {0, 1, n_parts // 2, n_parts - 1, n_parts + 99}:
        view = fabric_view(places, Scope(), start=start)
        check_whole(places, view)
        most = MOST_SINGLES if view.axis == SINGLE else MOST_BLOCKS
        assert view.n_columns <= most
        rests = {(box.column, box.n_parts) for box in view.boxes if box.is_rest}
        shown = view.n_columns - len(rests)
        assert shown + sum(n for _, n in rests) == view.n_parts


def test_parts_are_counted_as_the_link_table_has_them(places: Places) -> None:
    table, names = places.table, places.table.devices.names
    for scope in scopes_below(places):
        view = fabric_view(places, scope)
        counted: Counter[tuple[int, int]] = Counter()
        box_of = {int(device): number for number, box in enumerate(view.boxes) for device in box.devices}
        for a, b in zip(table.a_device.tolist(), table.b_device.tolist(), strict=True):
            if a in box_of and b in box_of:
                counted[box_of[a], box_of[b]] += 1
        reported: Counter[tuple[int, int]] = Counter()
        for bundle in view.bundles:
            reported[bundle.lower, bundle.upper] += bundle.links
        if "unit" not in dict(scope.on):  # spines of units serve others too: links to cores are left out
            assert reported == counted, (address_of(scope, places), names[:2])
        else:
            assert all(reported[pair] == counted[pair] for pair in reported)
        inside = [box for box in view.boxes if box.kind == LEAF]
        links = sum(
            int((table.a_device[table.rows(LEAF_SPINE)] == leaf).sum()) for box in inside for leaf in box.devices
        )
        assert view.links(LEAF_SPINE) == links


def test_ports_of_the_boxes_are_those_of_the_switches(places: Places) -> None:
    view, fabric = fabric_view(places, Scope()), places.table.fabric
    used = {kind: sum(box.used_ports for box in view.boxes if box.kind == kind) for kind in (LEAF, SPINE, CORE)}
    assert used[LEAF] == int(fabric.leaf_down.sum() + fabric.leaf_up.sum())
    assert used[SPINE] == int(fabric.spine_down.sum() + fabric.spine_up.sum())
    assert used[CORE] == int(fabric.core_down.sum())
    everything = sum(box.used_ports + box.open_ports for box in view.boxes)
    assert everything == int(places.radix.sum())


def test_glyphs_stay_within_what_can_be_seen(places: Places) -> None:
    for scope in scopes_below(places):
        view = fabric_view(places, scope)
        assert len(view.bundles) <= MOST_PAIRS + 3 * MOST_SINGLES + 40
        assert len(view.boxes) <= 60


@settings(max_examples=n_examples(40), deadline=None)
@given(
    nodes=st.integers(1, 400),
    ports=st.sampled_from([1, 2, 4, 8]),
    radix=st.sampled_from([16, 32, 64]),
    layout=st.sampled_from(["rail-optimized", "top-of-rack", "rail-only"]),
    ratio=st.sampled_from(["1:1", "2:1", "3:1"]),
    spread=st.sampled_from(["even", "uneven"]),
    start=st.integers(0, 40),
)
def test_any_design_adds_up(
    nodes: int, ports: int, radix: int, layout: str, ratio: str, spread: str, start: int
) -> None:
    from estimator.errors import EstimatorError

    try:
        spec = spec_of(
            nodes,
            ports,
            layout=layout,
            leaf_radix=radix,
            spine_radix=radix,
            core_radix=radix,
            oversubscription=ratio,
            uplink_spread=spread,
        )
        places = places_for(spec)
    except EstimatorError:
        return  # no fabric of these parts
    check_whole(places, fabric_view(places, Scope(), start=start))
    for scope in scopes_below(places, depth=2):
        assert scope_of(address_of(scope, places), places) == scope


# --- Other networks ----------------------------------------------------------------------------------------------
OTHERS = [
    {"role": "storage", "generation": "ndr", "extra_endpoints": 16},
    {"role": "in-band", "generation": "roce-100", "dual_homed": True},
    {"role": "out-of-band"},
]


def other_places() -> dict[str, tuple[Places, str | None]]:
    values = {"compute": {"server": "dgx-h100", "nodes": 127}, "fabric": {"generation": "ndr"}, "other_fabrics": OTHERS}
    spec = parse_spec(values, CATALOG)
    _, fabrics = sized_fabrics([spec], CATALOG)
    (others,) = sized_others([spec], fabrics, CATALOG)
    assert [one.key for one in others] == other_keys(spec)
    return {
        one.key: (places_of(other_table(one, fabrics[0], others, CATALOG)), one.entry.uplinks_into) for one in others
    }


def test_other_networks_add_up_with_all_that_they_join() -> None:
    for key, (places, into) in other_places().items():
        outside = into if into in ("in-band", "outside") else None
        view = fabric_view(places, Scope(), uplinks_into=outside)
        counted = sum(bundle.links for bundle in view.bundles if view.boxes[bundle.upper].kind != OUTSIDE)
        assert counted == len(places.table), key
        above = sum(bundle.links for bundle in view.bundles if view.boxes[bundle.upper].kind == OUTSIDE)
        assert above == (int(places.table.fabric.leaf_up.sum()) if outside else 0)
        assert sum(len(box.devices) for box in view.boxes if box.kind == NODE) == places.table.devices.n[NODE]


# --- Addresses ---------------------------------------------------------------------------------------------------
def test_every_part_has_an_address_that_leads_back(places: Places) -> None:
    for scope in scopes_below(places):
        address = address_of(scope, places)
        assert scope_of(address, places) == scope
        assert scope_of(address.upper() + "/", places) == scope
    for index in (0, len(places.table.devices) - 1):
        name = places.table.devices.names[index]
        alone = scope_of(name, places)
        assert alone is not None
        assert alone.device == index
        assert address_of(alone, places) == name
        assert scope_of(address_of(home_of(index, places), places), places) is not None


@pytest.mark.parametrize(
    "address",
    [
        "pod-0",
        "pod-99",
        "rail-x",
        "unit--1",
        "unit-²",
        "leaf-r9-001",
        "unit-1/unit-2",
        "spines/unit-1",
        "a/b/c/d/e/f/g/h",
        "x" * 500,
        "cores",
        "unit-",
        "<script>",
    ],
)
def test_an_address_of_nothing_is_none(address: str) -> None:
    assert scope_of(address, places_for(SPECS["superpod"])) is None


def test_lists_hold_every_device_of_a_part_a_page_at_a_time() -> None:
    places = places_for(SPECS["three-tiers"])
    found: list[int] = []
    start = 0
    while True:
        devices, begins, total = listed(places, Scope().listing(NODE), start)
        assert begins == start
        found += devices.tolist()
        start += MOST_LISTED
        if start >= total:
            break
    assert found == list(range(places.table.devices.n[NODE]))
    spines, _, n = listed(places, Scope((("pod", 1), ("rail", 2))).listing(SPINE))
    assert n == len(spines) == places.table.fabric.wiring.spines
    leaves, _, _ = listed(places, Scope((("rail", 2),)).listing(LEAF))
    assert {places.table.devices.rail[leaf] for leaf in leaves} == {2}


def test_names_like_the_one_typed_come_nearest_first() -> None:
    names = places_for(SPECS["superpod"]).table.devices.names
    assert near_names("leaf-r2", names) == [f"leaf-r2-00{n}" for n in range(1, 5)]
    assert near_names("node-12", names) == ["node-0012", "node-0112"]
    assert near_names("spin-003", names)[0] == "spine-003"
    assert near_names("zzzzzz", names) == []


def test_leading_zeros_of_a_typed_name_do_not_matter() -> None:
    places = places_for(SPECS["superpod"])
    names = places.table.devices.names
    for typed, name in (
        ("spine-3", "spine-003"),
        ("spine-03", "spine-003"),
        ("Node-12", "node-0012"),
        ("leaf-r02-1", "leaf-r2-001"),
        ("node-00000127", "node-0127"),
    ):
        scope = scope_of(typed, places)
        assert scope is not None
        assert names[scope.device or 0] == name
    assert scope_of("spine-300", places) is None
    assert scope_of("spine-0", places) is None


def test_a_part_that_is_not_there_leads_to_those_that_are() -> None:
    places = places_for(SPECS["superpod"])  # four units and no pods
    assert near_parts("pod-2", places) == ["unit-2"]
    assert near_parts("unit-9", places) == ["unit-4"]
    assert near_parts("node-0002", places) == near_parts("pod", places) == []


@pytest.mark.parametrize("key", SPECS)
def test_examples_of_names_are_there(key: str) -> None:
    places = places_for(SPECS[key])
    names = examples(places)
    assert len(names) == 2
    assert all(scope_of(name, places) is not None for name in names)


def test_a_reader_goes_down_by_planes_pods_and_rails() -> None:
    assert walk(places_for(SPECS["superpod"])) == ["unit"]
    assert walk(places_for(SPECS["three-tiers"]))[-1] == "rail"
    assert walk(places_for(SPECS["planes"]))[0] == "plane"
    assert walk(places_for(SPECS["rail-only-two-tiers"])) == ["rail"]
    assert walk(places_for(SPECS["one-leaf"])) == []


# --- Load --------------------------------------------------------------------------------------------------------
def test_uplinks_of_a_whole_fabric_carry_what_leaves_the_leaf() -> None:
    places = places_for(SPECS["superpod"])
    load = load_of(places, Traffic(ALL_TO_ALL))
    full = np.flatnonzero(places.table.fabric.leaf_endpoints == 32)
    assert load.leaf[full] == pytest.approx(1 - 31 / 126)  # of 126 other servers, 31 are on the same leaf; 32 uplinks
    ring = load_of(places, Traffic(ALL_REDUCE))
    assert ring.leaf[full] == pytest.approx(1 / 32)  # the ring leaves each leaf once
    scattered = load_of(places, Traffic(ALL_REDUCE, is_scattered=True))
    assert scattered.leaf == pytest.approx(load.leaf)


def test_oversubscribed_and_broken_leaves_are_fuller() -> None:
    even, lean = places_for(design(128)), places_for(design(128, oversubscription="3:1"))
    assert load_of(lean, Traffic(ALL_TO_ALL)).leaf.max() > 1.5 * load_of(even, Traffic(ALL_TO_ALL)).leaf.max()
    down, _ = down_of(["spine-001"], even.table.devices)
    broken = load_of(even, Traffic(ALL_TO_ALL), alive_links(even.table, down))
    spines = even.table.fabric.n_spine
    assert broken.leaf.max() == pytest.approx(load_of(even, Traffic(ALL_TO_ALL)).leaf.max() * spines / (spines - 1))


def test_servers_of_one_rack_exchange_without_the_network() -> None:
    places = places_for(design(72, server="gb200-tray", scalable_unit_nodes=18))
    alone = load_of(places, Traffic(ALL_TO_ALL, domain_nodes=18.0)).leaf.max()
    assert alone == pytest.approx(
        18 / places.table.fabric.leaf_uplinks
    )  # all peers are in other racks, under other leaves
    assert load_of(places, Traffic(ALL_TO_ALL)).leaf.max() < alone


# --- Failures ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("key", list(SPECS))
def test_losses_are_those_that_the_structure_tells(key: str) -> None:
    """Two routes: the link table without some switches, and findings/losses.py, which knows how switches are alike."""
    places = places_for(SPECS[key])
    table = places.table
    structure, first, n = Structure(table.fabric), table.devices.first, table.devices.n
    for picks in ({LEAF: [0]}, {SPINE: [0]}, {CORE: [0]}, {LEAF: [0, -1], SPINE: [-1]}, {SPINE: [0, 1]}):
        chosen = {kind: sorted({place % n[kind] for place in some}) for kind, some in picks.items() if n[kind]}
        if not chosen:
            continue
        names = [table.devices.names[first[kind] + place] for kind, some in chosen.items() for place in some]
        down, unknown = down_of(names, table.devices)
        assert not unknown
        assert names_of(down, table.devices) == sorted(names, key=table.devices.names.index)
        impact = impact_of(table, down)
        left = left_after(
            structure, Loss(tuple(chosen.get(LEAF, [])), tuple(chosen.get(SPINE, [])), tuple(chosen.get(CORE, [])))
        )
        assert impact.endpoints_cut_off == left.endpoints_cut_off, names
        assert impact.nodes_cut_off == left.nodes_cut_off, names
        if impact.nodes_cut_off < table.fabric.n_nodes:
            assert impact.node_ports == left.node_ports, names


def test_links_of_a_pair_and_of_a_server_go_down_alone() -> None:
    places = places_for(SPECS["superpod"])
    devices = places.table.devices
    down, _ = down_of(["leaf-r1-001~spine-002"], devices)
    impact = impact_of(places.table, down)
    assert impact.links - impact.links_left == 2
    assert (impact.worst_leaf, impact.worst_leaf_name) == (30 / 32, "leaf-r1-001")
    assert (impact.nodes_cut_off, impact.endpoints_cut_off) == (0, 0)
    down, _ = down_of(["node-0001~leaf-r3-001"], devices)
    impact = impact_of(places.table, down)
    assert (impact.node_ports, impact.endpoints_cut_off, impact.nodes_cut_off) == (7, 1, 0)
    system = system_with({"spine_oversubscription": "1:1"}, impact, 8)
    assert (system["failed_nics"], system["failed_uplinks"]) == (1, 0.0)


def test_what_names_nothing_is_reported_and_so_is_what_is_too_much() -> None:
    devices = places_for(SPECS["superpod"]).table.devices
    down, unknown = down_of(["spine-001", "spine-001", "node-0001", "nope", "a~b~c", "leaf-r1-001~"], devices)
    assert unknown == ["node-0001", "nope", "a~b~c", "leaf-r1-001~"]
    assert len(down.devices) == 1
    many = [f"node-{n:04d}~leaf-r1-001" for n in range(1, 100)]
    down, unknown = down_of(many, devices)
    assert len(down.pairs) + len(unknown) == 99
    assert len(down.pairs) == 64


def test_a_pod_that_loses_cores_makes_the_spine_ratio_worse() -> None:
    places = places_for(SPECS["three-tiers"])
    down, _ = down_of(["core-001"], places.table.devices)
    impact = impact_of(places.table, down)
    assert impact.core_links is not None
    assert impact.core_links < 1
    worse = system_with({"spine_oversubscription": "1:1"}, impact, 8)["spine_oversubscription"]
    over, under = (int(part) for part in worse.split(":"))
    assert over > under


# --- Ports and insides -------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def lists() -> dict[str, LinkList]:
    return {key: link_list(SPECS[key], CATALOG) for key in ("superpod", "three-tiers", "planes", "split-ports")}


def test_a_front_shows_every_port_once_with_its_link(lists: dict[str, LinkList]) -> None:
    for links in lists.values():
        table = links.table
        for kind in (LEAF, SPINE, CORE):
            if not table.devices.n[kind]:
                continue
            device = table.devices.first[kind]
            panel = panel_of(links, device)
            ports = [port for cage in panel.cages for port in cage.ports]
            linked = [port for port in ports if port.far]
            n_links = int((table.a_device == device).sum() + (table.b_device == device).sum())
            assert len(linked) == n_links
            assert len({port.label for port in ports}) == len(ports)
            assert panel.n_ports == len(ports) <= MOST_PORTS
            assert set(panel.uses) <= set(USES)
            wanted = {tuple(row[5 + k] for k in (0, 2)) for row in links.rows()}
            wanted |= {tuple(row[8 + k] for k in (0, 2)) for row in links.rows()}
            assert {(panel.name, port.label) for port in linked} <= wanted


def test_a_director_is_shown_some_cages_at_a_time() -> None:
    links = link_list(design(40, generation="edr", server="custom", leaf_switch="nvidia-cs7500", tiers=1), CATALOG)
    device = links.table.devices.first[LEAF]
    seen: list[str] = []
    start, n_cages = 0, 1
    while start < n_cages:
        panel = panel_of(links, device, start)
        n_cages = panel.n_cages
        assert sum(len(cage.ports) for cage in panel.cages) <= MOST_PORTS
        seen += [port.label for cage in panel.cages for port in cage.ports]
        start += panel.cages_a_page
    assert len(seen) == len(set(seen)) == 648


def test_a_server_s_ports_go_where_the_list_says(lists: dict[str, LinkList]) -> None:
    for links in lists.values():
        ports = host_ports_of(links, links.table.devices.first[NODE])
        rows = [row for row in links.rows() if row[5] == links.table.devices.names[0]]
        assert [(port.label, port.far, port.far_port, port.medium, port.length_m) for port in ports] == [
            (row[7], row[8], row[10], row[12], row[13]) for row in rows
        ]
    with pytest.raises(ValueError, match="is a switch"):
        host_ports_of(lists["superpod"], lists["superpod"].table.devices.first[SPINE])
    with pytest.raises(ValueError, match="no switch"):
        panel_of(lists["superpod"], lists["superpod"].table.devices.first[MANAGER])


@pytest.mark.parametrize(
    ("server", "generation", "meeting", "n_cpus", "group"),
    [
        ("dgx-h100", "ndr", SWITCH, 2, 8),
        ("gb200-tray", "ndr", CPU, 2, 4),
        ("dgx-b300", "xdr", IN_NIC, 2, 8),
        ("mgx-4u-8x-pcie", "roce-200", SWITCH, 2, 2),
        ("gaudi3-8u", "roce-200", IN_NIC, 2, 8),
    ],
)
def test_a_server_s_inside_is_what_the_catalog_knows(
    server: str, generation: str, meeting: str, n_cpus: int, group: int
) -> None:
    spec = design(8, server=server, generation=generation)
    links = link_list(spec, CATALOG)
    inside = inside_of(spec, host_ports_of(links, 0), CATALOG)
    assert (inside.meeting, inside.n_cpus, inside.scale_up_group) == (meeting, n_cpus, group)
    assert sorted(gpu for adapter in inside.adapters for gpu in adapter.gpus) == list(range(inside.n_gpus))
    ports = [port for adapter in inside.adapters for port in adapter.ports]
    assert len(ports) == spec.compute.nic_ports_per_node
    assert inside.assumed, "what the catalog does not know is said"
    assert {adapter.cpu for adapter in inside.adapters} == set(range(n_cpus))


def test_a_server_that_nobody_knows_has_what_the_spec_says() -> None:
    spec = spec_of(10, 4)
    links = link_list(spec, CATALOG)
    inside = inside_of(spec, host_ports_of(links, 0), CATALOG)
    assert (inside.server, inside.cpu, inside.adapter, inside.gpu) == (None, None, None, None)
    assert (inside.n_gpus, len(inside.adapters)) == (4, 4)
    assert any("assumed" in words for words in inside.assumed)


def test_axes_are_those_of_the_addresses() -> None:
    places = places_for(SPECS["three-tiers"])
    assert set(places.n) == set(AXES)
    assert places.n["rail"] == 8
