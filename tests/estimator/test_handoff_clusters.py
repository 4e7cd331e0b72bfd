"""Files for schedulers, labs, drawings and simulators, read back by other parsers and held against the link list."""

import io
import itertools
import json
import re
import tracemalloc
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest
import yaml

from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from estimator.handoff import drawio
from estimator.handoff.formats import FORMATS
from estimator.handoff.hostlist import hostlist
from estimator.link_list import COLUMNS, LinkList, link_list
from estimator.spec import parse_spec
from estimator.topology import TIERS

FOUR_UNITS = {"server": "dgx-h100", "nodes": 127}
FOUR_UNITS_FABRIC = {
    "generation": "ndr", "scalable_unit_nodes": 32, "provision": "full-unit", "reserved": {"fabric_manager_links": 4},
}  # fmt: skip


def custom(nodes: int, ports: int, gpus: int | None = None, **more: Any) -> dict[str, Any]:
    """Servers that the catalog does not have."""
    gpus = ports if gpus is None else gpus
    return {"nodes": nodes, "gpus_per_node": gpus, "nics_per_node": ports, "nic_ports_per_node": ports, **more}


def small(radix: int, **more: Any) -> dict[str, Any]:
    """A fabric of custom switches."""
    return {
        "generation": "ndr",
        "leaf_switch": "custom",
        "leaf_radix": radix,
        "spine_radix": radix,
        "core_radix": radix,
        **more,
    }


SPECS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "four units": (FOUR_UNITS, FOUR_UNITS_FABRIC),
    "odd": (custom(37, 5), small(20)),
    "three to one": (custom(50, 4), small(16, oversubscription="3:1")),
    "three tiers": (custom(70, 4), small(16)),
    "three tiers of pods": (custom(45, 4), small(16, tiers=3, pod_nodes=16)),
    "planes": (custom(20, 4, 2), small(16, planes=2)),
    "rail only": (custom(30, 4), small(16, layout="rail-only")),
    "rail only, planes, one tier": (custom(9, 4), small(16, layout="rail-only", planes=2)),
    "two rails a leaf": (custom(25, 4), small(16, rails_per_leaf=2, grow_to_nodes=40)),
    "ports kept free": (custom(30, 4), small(16, reserved={"leaf_ports": 1, "fabric_manager_links": 3})),
    "top of rack": (custom(22, 3), small(16, layout="top-of-rack")),
    "top of rack, three tiers": (custom(60, 4), small(12, layout="top-of-rack", provision="full-unit")),
    "splitters": (custom(24, 4), {"generation": "hdr", "splitters": True, "leaf_radix": 16, "leaf_switch": "custom"}),
    "one tier": (custom(4, 8), small(64)),
    "one node": (custom(1, 8), small(64, tiers=2)),
    "uneven": (custom(50, 8), small(36, uplink_spread="uneven", leaf_downlinks=8, leaf_uplinks=4)),
    "ethernet": ({"server": "dgx-h100", "nodes": 12}, {"generation": "roce-400"}),
    "shared adapters": (custom(10, 4, 8), small(16)),
    "domains of racks": (custom(40, 4, scale_up_domain_gpus=72), small(32)),
    "domains that cross leaves": (custom(40, 4, scale_up_domain_gpus=20), small(16)),
}  # fmt: skip
NETWORKS = {
    "storage": {"role": "storage", "extra_endpoints": 10},
    "in-band": {"role": "in-band", "dual_homed": True, "peer_links": 2, "ports_per_node": 2},
    "out-of-band": {"role": "out-of-band"},
}
RAILS = [name for name, (_, fabric) in SPECS.items() if fabric.get("layout") != "top-of-rack"]


@cache
def links_of(name: str) -> LinkList:
    """The compute fabric of one of SPECS, or one of NETWORKS beside 40 DGX H100."""
    catalog = load_catalog()
    if name in NETWORKS:
        compute, fabric = {"server": "dgx-h100", "nodes": 40}, {"generation": "ndr"}
        spec = {"compute": compute, "fabric": fabric, "other_fabrics": list(NETWORKS.values())}
        return link_list(parse_spec(spec, catalog), catalog, name)
    compute, fabric = SPECS[name]
    return link_list(parse_spec({"name": f"Test: {name} <&>", "compute": compute, "fabric": fabric}, catalog), catalog)


@cache
def rows_of(name: str) -> list[dict[str, Any]]:
    """Its links, by column."""
    return [dict(zip(COLUMNS, row, strict=True)) for row in links_of(name).rows()]


def text(links: LinkList, format_name: str) -> str:
    return b"".join(FORMATS[format_name].write(links)).decode()


def leaves_of_nodes(name: str) -> dict[str, Counter[str]]:
    """Links from every node to each of its leaves."""
    out: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows_of(name):
        if row["tier"] == "node-leaf":
            out[row["a_device"]][row["b_device"]] += 1
    return out


def expand(expression: str) -> list[str]:
    """A Slurm hostlist, name by name."""
    names = []
    for item in re.findall(r"[^,\[\]]+(?:\[[^\]]*\])?", expression):
        prefix, _, ranges = item.partition("[")
        if not ranges:
            names.append(prefix)
        for span in ranges.rstrip("]").split(",") if ranges else ():
            first, _, last = span.partition("-")
            names += [f"{prefix}{n:0{len(first)}d}" for n in range(int(first), int(last or first) + 1)]
    return names


# --- what holds for every file


NEW = ("slurm-topology-conf", "slurm-topology-yaml", "k8s-labels", "kueue", "containerlab", "drawio", "graphml", "node-link",
       "astra-sim", "simai")  # fmt: skip


@pytest.mark.parametrize("format_name", NEW)
@pytest.mark.parametrize("name", ["four units", "top of rack", "one node"])
def test_a_file_says_which_design_it_is_of(format_name: str, name: str) -> None:
    links = links_of(name)
    written = text(links, format_name)
    assert links.spec_hash in written
    assert links.catalog.version in written
    assert written.endswith("\n")


def test_names_and_words_of_a_design_cannot_break_a_file() -> None:
    catalog = load_catalog()
    spec = parse_spec(
        {"name": 'a\nb: "]]>\x07 \u2028é', "compute": custom(2, 2), "fabric": small(8, tiers=2)}, catalog
    )  # fmt: skip
    links = link_list(spec, catalog)
    ElementTree.fromstring(text(links, "graphml"))
    ElementTree.fromstring(text(links, "drawio"))
    json.loads(text(links, "node-link"))
    for format_name in ("slurm-topology-yaml", "k8s-labels", "kueue", "containerlab"):
        assert yaml.safe_load(text(links, format_name))
    for format_name in ("slurm-topology-conf", "simai"):
        for line in text(links, format_name).splitlines():
            assert line == "" or re.match(r"#|SwitchName=|\d+ ", line)


@pytest.mark.parametrize("format_name", NEW)
@pytest.mark.parametrize("role", NETWORKS)
def test_what_is_about_gpus_is_of_the_compute_fabric_alone(format_name: str, role: str) -> None:
    if FORMATS[format_name].compute_only:
        with pytest.raises(SpecError) as refused:
            FORMATS[format_name].write(links_of(role))
        assert [problem.code for problem in refused.value.problems] == ["compute_fabric_only"]
    else:
        assert links_of(role).spec_hash in text(links_of(role), format_name)


# --- Slurm


def slurm_tree(name: str) -> dict[str, tuple[str, list[str]]]:
    """{switch: ("Nodes" or "Switches", children)} as the tree plugin reads topology.conf."""
    tree = {}
    for line in text(links_of(name), "slurm-topology-conf").splitlines():
        line = line.partition("#")[0].strip()
        if line:
            match = re.fullmatch(r"SwitchName=(\S+) (Nodes|Switches)=(\S+)", line)
            assert match, line
            assert match[1] not in tree
            tree[match[1]] = (match[2], expand(match[3]))
    return tree


@pytest.mark.parametrize("name", SPECS)
def test_every_node_and_switch_of_a_slurm_tree_has_one_parent(name: str) -> None:
    links, tree = links_of(name), slurm_tree(name)
    nodes = [node for kind, children in tree.values() if kind == "Nodes" for node in children]
    assert sorted(nodes) == links.table.devices.names[: links.fabric.n_nodes]
    switches = Counter(child for kind, children in tree.values() if kind == "Switches" for child in children)
    assert set(switches.values()) <= {1}
    roots = set(tree) - set(switches)
    assert set(switches) <= set(tree)
    assert len(roots) == 1  # so that every job can span all nodes
    assert all(len(switch) <= 64 and children for switch, (_, children) in tree.items())
    depth = {1: 1, 2: 2, 3: 3}[links.fabric.tiers]
    assert len({switch_depth(tree, leaf) for leaf, (kind, _) in tree.items() if kind == "Nodes"} | {depth}) == 1


def switch_depth(tree: dict[str, tuple[str, list[str]]], switch: str) -> int:
    """Switches from this one up to the root."""
    above = [parent for parent, (kind, children) in tree.items() if kind == "Switches" and switch in children]
    return 1 + (switch_depth(tree, above[0]) if above else 0)


@pytest.mark.parametrize("name", RAILS)
def test_rails_collapse_to_one_leaf_group_a_unit(name: str) -> None:
    leaves = leaves_of_nodes(name)
    groups = [children for kind, children in slurm_tree(name).values() if kind == "Nodes"]
    sets = [frozenset(frozenset(leaves[node]) for node in children) for children in groups]
    assert all(len(of_group) == 1 for of_group in sets)  # the same leaves for all its nodes
    leaf_sets = [leaf_set for of_group in sets for leaf_set in of_group]
    assert sum(map(len, leaf_sets)) == len(frozenset().union(*leaf_sets))  # and for no others


@pytest.mark.parametrize("name", ["top of rack", "top of rack, three tiers"])
def test_in_node_order_the_leaf_with_most_links_is_the_parent(name: str) -> None:
    leaves = leaves_of_nodes(name)
    for leaf, (kind, children) in slurm_tree(name).items():
        if kind == "Nodes":
            for node in children:
                most = max(leaves[node].values())
                assert leaf == min(at for at, n in leaves[node].items() if n == most)
    assert name != "top of rack" or any(len(of_node) > 1 for of_node in leaves.values())  # one does straddle


@pytest.mark.parametrize("name", ["three tiers", "three tiers of pods", "top of rack, three tiers"])
def test_a_pod_is_what_meets_below_the_cores(name: str) -> None:
    graph = nx.Graph([(row["a_device"], row["b_device"]) for row in rows_of(name) if row["tier"] == "leaf-spine"])
    leaves, tree = leaves_of_nodes(name), slurm_tree(name)
    pods = {switch: expanded for switch, (kind, expanded) in tree.items() if kind == "Switches" and switch != "fabric"}
    assert len(pods) > 1
    reach = {}
    for pod, groups in pods.items():
        nodes = [node for group in groups for node in tree[group][1]]
        home = [min(leaf for leaf, n in leaves[node].items() if n == max(leaves[node].values())) for node in nodes]
        reach[pod] = {frozenset(nx.node_connected_component(graph, leaf)) for leaf in set(home)}
        assert len(reach[pod]) == 1, pod
    assert len(set().union(*reach.values())) == len(pods)
    for switch, (kind, children) in tree.items():
        assert kind == "Nodes" or switch == "fabric" or children == sorted(children)


def test_four_units_are_the_tree_that_an_administrator_would_write() -> None:
    lines = [line for line in text(links_of("four units"), "slurm-topology-conf").splitlines() if line[:1] not in "#"]
    assert lines == [
        "SwitchName=unit-001 Nodes=node-[0001-0032]",
        "SwitchName=unit-002 Nodes=node-[0033-0064]",
        "SwitchName=unit-003 Nodes=node-[0065-0096]",
        "SwitchName=unit-004 Nodes=node-[0097-0127]",
        "SwitchName=fabric Switches=unit-[001-004]",
    ]


def block_lines(name: str) -> tuple[dict[str, list[str]], list[int]]:
    """Blocks and their sizes, from the comment of topology.conf."""
    written = text(links_of(name), "slurm-topology-conf")
    blocks = {match[1]: expand(match[2]) for match in re.finditer(r"# BlockName=(\S+) Nodes=(\S+)", written)}
    sizes = re.search(r"# BlockSizes=(\S+)", written)
    assert sizes
    return blocks, [int(size) for size in sizes[1].split(",")]


@pytest.mark.parametrize("name", SPECS)
def test_blocks_hold_every_node_once_and_sizes_double(name: str) -> None:
    blocks, sizes = block_lines(name)
    nodes = [node for children in blocks.values() for node in children]
    assert nodes == links_of(name).table.devices.names[: links_of(name).fabric.n_nodes]
    assert sizes[0] == min(map(len, blocks.values()))  # "at least the planning base block size", topology.conf(5)
    assert sizes == [sizes[0] * 2**level for level in range(len(sizes))]
    assert 2 ** (len(sizes) - 1) <= len(blocks) < 2 ** len(sizes)


def test_a_scale_up_domain_that_spans_nodes_is_the_block() -> None:
    blocks, sizes = block_lines("domains of racks")
    assert [len(children) for children in blocks.values()] == [18, 18, 4]  # 72 GPUs of 4 a tray
    assert sizes == [4, 8]


@pytest.mark.parametrize("name", SPECS)
def test_topology_yaml_says_the_same_as_topology_conf(name: str) -> None:
    tree, block = yaml.safe_load(text(links_of(name), "slurm-topology-yaml"))
    assert (tree["topology"], tree["cluster_default"]) == ("tree", True)
    assert (block["topology"], block["cluster_default"]) == ("block", False)
    assert next(iter(tree)) == next(iter(block)) == "topology"  # "must be the first attribute"
    read = {}
    for switch in tree["tree"]["switches"]:
        kind = "Nodes" if "nodes" in switch else "Switches"
        read[switch["switch"]] = (kind, expand(switch.get("nodes") or switch["children"]))
    assert read == slurm_tree(name)
    blocks = {made["block"]: expand(made["nodes"]) for made in block["block"]["blocks"]}
    assert (blocks, block["block"]["block_sizes"]) == block_lines(name)


@pytest.mark.parametrize(
    ("names", "expression"),
    [
        (["node-0001"], "node-0001"),
        (["node-0001", "node-0002", "node-0004"], "node-[0001-0002,0004]"),
        (["n9", "n10", "n11"], "n[9,10-11]"),
        (["leaf-r1-001", "leaf-r1-002", "leaf-r2-001"], "leaf-r1-[001-002],leaf-r2-001"),
        (["fabric", "a", "a1"], "fabric,a,a1"),
        ([], ""),
    ],
)
def test_hostlists_are_short_and_expand_to_the_same_names(names: list[str], expression: str) -> None:
    assert hostlist(names) == expression
    assert expand(expression) == names


# --- Kubernetes and Kueue


KEY = re.compile(r"([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
VALUE = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")


def node_labels(name: str) -> dict[str, dict[str, str]]:
    """Labels of every node."""
    listed = yaml.safe_load(text(links_of(name), "k8s-labels"))
    assert (listed["apiVersion"], listed["kind"]) == ("v1", "List")
    assert all((item["apiVersion"], item["kind"]) == ("v1", "Node") for item in listed["items"])
    assert all(set(item) == {"apiVersion", "kind", "metadata"} for item in listed["items"])  # nothing but labels is set
    return {item["metadata"]["name"]: item["metadata"]["labels"] for item in listed["items"]}


@pytest.mark.parametrize("name", SPECS)
def test_labels_are_the_slurm_tree_node_by_node(name: str) -> None:
    labels, tree, tiers = node_labels(name), slurm_tree(name), links_of(name).fabric.tiers
    parent = {child: switch for switch, (_, children) in tree.items() for child in children}
    assert list(labels) == links_of(name).table.devices.names[: links_of(name).fabric.n_nodes]
    for node, of_node in labels.items():
        at = node
        for tier, older in zip(range(tiers), ("leaf", "spine", "core"), strict=False):
            at = parent[at]
            assert of_node[f"fabric.topograph.run/tier-{tier}"] == at
            assert of_node[f"network.topology.nvidia.com/{older}"] == at
        assert at not in parent
        assert NAME.fullmatch(node)
        assert all(KEY.fullmatch(key) and VALUE.fullmatch(value) for key, value in of_node.items())


def test_the_accelerator_label_is_set_where_a_domain_spans_nodes() -> None:
    racks = node_labels("domains of racks")
    domains = Counter(of_node["accelerator.topograph.run/domain"] for of_node in racks.values())
    assert domains == {"domain-001": 18, "domain-002": 18, "domain-003": 4}
    assert all(
        of_node["network.topology.nvidia.com/accelerator"] == of_node["accelerator.topograph.run/domain"]
        for of_node in racks.values()
    )
    assert not any("accelerator" in key for of_node in node_labels("four units").values() for key in of_node)
    catalog = load_catalog()
    cut = parse_spec({"compute": custom(8, 4, scale_up_domain_gpus=10), "fabric": small(16)}, catalog)
    assert "accelerator" not in text(link_list(cut, catalog), "k8s-labels").partition("items:")[2]  # 2.5 nodes a domain


@pytest.mark.parametrize("name", SPECS)
def test_kueue_levels_are_labels_that_nest(name: str) -> None:
    topology = yaml.safe_load(text(links_of(name), "kueue"))
    assert (topology["apiVersion"], topology["kind"]) == ("kueue.x-k8s.io/v1beta2", "Topology")
    assert re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", topology["metadata"]["name"])
    assert topology["metadata"]["name"].startswith("test-")
    levels = [level["nodeLabel"] for level in topology["spec"]["levels"]]
    assert levels[-1] == "kubernetes.io/hostname"
    assert len(set(levels)) == len(levels) >= links_of(name).fabric.tiers + 1
    labels = node_labels(name)
    for coarse, fine in itertools.pairwise(levels[:-1]):
        inside: dict[str, set[str]] = defaultdict(set)
        for of_node in labels.values():
            inside[of_node[fine]].add(of_node[coarse])
        assert all(len(outer) == 1 for outer in inside.values()), (coarse, fine)


def test_a_domain_takes_its_place_among_kueue_levels_or_is_left_out() -> None:
    def levels(name: str) -> list[str]:
        return [level["nodeLabel"] for level in yaml.safe_load(text(links_of(name), "kueue"))["spec"]["levels"]]

    crossing = links_of("domains that cross leaves")  # 5 nodes a domain, 8 a leaf
    assert "accelerator.topograph.run/domain" not in levels("domains that cross leaves")
    assert "No level accelerator.topograph.run/domain" in text(crossing, "kueue")
    assert "accelerator.topograph.run/domain" in node_labels("domains that cross leaves")["node-0001"]
    spec = {"compute": custom(16, 4, scale_up_domain_gpus=8), "fabric": small(16)}  # 2 nodes a domain, 8 a leaf
    catalog = load_catalog()
    nested = yaml.safe_load(text(link_list(parse_spec(spec, catalog), catalog), "kueue"))["spec"]["levels"]
    assert [level["nodeLabel"].rpartition("/")[2] for level in nested] == ["tier-1", "tier-0", "domain", "hostname"]


# --- containerlab


def lab_of(compute: dict[str, Any], fabric: dict[str, Any]) -> tuple[LinkList, dict[str, Any]]:
    catalog = load_catalog()
    links = link_list(parse_spec({"compute": compute, "fabric": fabric}, catalog), catalog)
    return links, yaml.safe_load(text(links, "containerlab"))


@pytest.mark.parametrize("name", [*SPECS, *NETWORKS])
def test_a_lab_has_every_device_and_link_and_no_port_twice(name: str) -> None:
    links = links_of(name)
    lab = yaml.safe_load(text(links, "containerlab"))
    nodes, wires = lab["topology"]["nodes"], [link["endpoints"] for link in lab["topology"]["links"]]
    assert list(nodes) == links.table.devices.names
    ports = [end for wire in wires for end in wire]
    assert len(set(ports)) == len(ports) == 2 * len(links)
    devices = [tuple(end.partition(":")[0] for end in wire) for wire in wires]
    assert devices == [(row["a_device"], row["b_device"]) for row in rows_of(name)]
    assert all(re.fullmatch(r"(eth|swp)[1-9]\d*", end.partition(":")[2]) for end in ports)  # eth0 is containerlab's
    assert re.fullmatch(r"[a-z0-9_]+", lab["name"])


def test_a_lab_runs_what_the_switches_run() -> None:
    def kinds(**fabric: Any) -> dict[str, str]:
        _, lab = lab_of({"server": "dgx-h100", "nodes": 12}, fabric)
        return {node["group"]: node["kind"] for node in lab["topology"]["nodes"].values()}

    assert kinds(generation="roce-400")["leaf"] == "nvidia_cumulusvx"
    assert kinds(generation="roce-400", leaf_switch="arista-7060x6-64pe")["leaf"] == "arista_ceos"
    assert kinds(generation="roce-400", leaf_switch="edgecore-as9817-64o")["leaf"] == "sonic-vs"
    assert kinds(generation="roce-400", leaf_switch="custom", leaf_radix=64)["leaf"] == "sonic-vs"
    assert kinds(generation="ndr") == {"node": "linux", "leaf": "linux"} | kinds(generation="ndr")
    assert set(kinds(generation="ndr").values()) == {"linux"}


def test_ports_of_a_lab_are_named_by_its_systems_and_the_real_ones_stand_beside() -> None:
    links, lab = lab_of({"server": "dgx-h100", "nodes": 12}, {"generation": "roce-400"})
    wire = lab["topology"]["links"][0]["endpoints"]
    row = dict(zip(COLUMNS, next(links.rows()), strict=True))
    assert wire == ["node-0001:eth1", f"{row['b_device']}:swp1"]
    line = next(line for line in text(links, "containerlab").splitlines() if "endpoints" in line)
    assert line.endswith(f"# node-0001 {row['a_port']}, {row['b_device']} {row['b_port']}")


def test_a_lab_too_large_for_a_machine_is_refused_before_its_first_byte() -> None:
    catalog = load_catalog()
    links = link_list(parse_spec({"compute": custom(1001, 1), "fabric": small(64)}, catalog), catalog)
    with pytest.raises(SpecError) as refused:
        FORMATS["containerlab"].write(links)
    (problem,) = refused.value.problems
    assert (problem.field, problem.code) == ("format", "too_large_for_format")
    n_devices = len(links.table.devices)
    assert all(words in problem.message for words in ("1,000 devices", f"{n_devices:,}", "graphml"))


# --- draw.io


def drawn(links: LinkList) -> tuple[dict[str, ElementTree.Element], dict[str, tuple[float, float, float, float]]]:
    """Objects by id, and the rectangles of those that have one."""
    objects, places = {}, {}
    for made in ElementTree.fromstring(text(links, "drawio")).iter("object"):
        assert made.attrib["id"] not in objects
        objects[made.attrib["id"]] = made
        cell = made.find("mxCell")
        assert cell is not None
        geometry = cell.find("mxGeometry")
        assert geometry is not None
        if cell.attrib.get("vertex"):
            x, y, width, height = (float(geometry.attrib[key]) for key in ("x", "y", "width", "height"))
            places[made.attrib["id"]] = (x, y, x + width, y + height)
    return objects, places


@cache
def large(layout: str) -> LinkList:
    """4,096 nodes of 8 ports in three tiers."""
    catalog = load_catalog()
    fabric = {"generation": "ndr", "layout": layout, "uplink_spread": "even"}
    return link_list(parse_spec({"compute": custom(4096, 8), "fabric": fabric}, catalog), catalog)


DRAWN = [*SPECS, *NETWORKS, "rail-optimized", "top-of-rack"]


def any_links(name: str) -> LinkList:
    return large(name) if name in ("rail-optimized", "top-of-rack") else links_of(name)


@pytest.mark.parametrize("name", DRAWN)
def test_no_label_of_a_drawing_meets_another(name: str) -> None:
    objects, places = drawn(any_links(name))
    for key, (left, top, right, bottom) in places.items():
        lines = objects[key].attrib["label"].split("\n")
        assert right - left >= 7 * max(map(len, lines))  # 12 px Helvetica: under 7 px a letter on average
        assert bottom - top >= 16 * len(lines)
    for (a, one), (b, other) in itertools.combinations(places.items(), 2):
        apart = one[2] < other[0] or other[2] < one[0] or one[3] < other[1] or other[3] < one[1]
        assert apart, (a, b)


@pytest.mark.parametrize("name", DRAWN)
def test_a_drawing_shows_every_device_and_link(name: str) -> None:
    links = any_links(name)
    objects, places = drawn(links)
    boxes = {key: made for key, made in objects.items() if key.startswith("box-")}
    counts: Counter[str] = Counter()
    for made in boxes.values():
        counts[made.attrib["kind"]] += int(made.attrib["devices"])
    assert counts == {kind: n for kind, n in links.table.devices.n.items() if n}
    rows = Counter(places[key][1] for key in boxes)
    assert max(rows.values()) <= 64
    wires: Counter[str] = Counter()
    for key, made in objects.items():
        if key.startswith("line-"):
            cell = made.find("mxCell")
            assert cell is not None
            lower, upper = cell.attrib["source"], cell.attrib["target"]
            if made.attrib["tier"] != "leaf-leaf":
                assert places[lower][1] > places[upper][3]  # tiers are layers, the nodes at the bottom
            wires[made.attrib["tier"]] += int(made.attrib["links"])
    want = Counter(TIERS[tier] for tier in links.table.tier.tolist())
    assert wires == want
    words = "\n".join(objects[key].attrib["label"] for key in objects if key.startswith("note-"))
    assert all(f"{tier}: {n:,} link" in words for tier, n in want.items())


def test_a_small_fabric_is_drawn_device_by_device_and_a_larger_one_in_groups() -> None:
    one, _ = drawn(links_of("one tier"))
    assert [made.attrib["label"] for key, made in one.items() if key.startswith("box-")] == [
        "node-0001", "node-0002", "node-0003", "node-0004", links_of("one tier").table.devices.names[-1],
    ]  # fmt: skip
    four, _ = drawn(links_of("four units"))
    labels = [made.attrib["label"] for key, made in four.items() if key.startswith("box-")]
    assert "unit-004\n31 nodes" in labels
    assert {"leaf-r1-001", "spine-016"} <= set(labels)
    many, _ = drawn(large("top-of-rack"))
    assert any("pod-001" in made.attrib["label"] for made in many.values())


def test_a_group_is_drawn_below_its_switches() -> None:
    objects, places = drawn(links_of("four units"))
    above = defaultdict(list)
    for made in objects.values():
        if made.attrib.get("tier") == "node-leaf":
            cell = made.find("mxCell")
            assert cell is not None
            above[cell.attrib["source"]].append(places[cell.attrib["target"]])
    assert len(above) == 4
    for unit, leaves in above.items():
        assert len(leaves) == 8
        assert min(leaf[0] for leaf in leaves) < sum(places[unit][::2]) / 2 < max(leaf[2] for leaf in leaves)


def test_what_no_one_could_read_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawio, "MAX_BOXES_A_ROW", 1)
    with pytest.raises(SpecError) as refused:
        FORMATS["drawio"].write(links_of("four units"))  # nodes and fabric managers are two boxes of one row
    assert [problem.code for problem in refused.value.problems] == ["too_large_for_format"]
    assert "2" in refused.value.problems[0].message


# --- GraphML and node-link JSON


def graphs(name: str) -> Iterator[Any]:
    """The same fabric as networkx reads it from both files."""
    links = links_of(name)
    yield nx.read_graphml(io.BytesIO(text(links, "graphml").encode()), force_multigraph=True)
    yield nx.node_link_graph(json.loads(text(links, "node-link")))


@pytest.mark.parametrize("name", [*SPECS, *NETWORKS])
def test_graphs_have_every_device_and_every_column_of_every_link(name: str) -> None:
    links = links_of(name)
    for graph in graphs(name):
        assert (graph.is_multigraph(), graph.is_directed()) == (True, False)
        assert list(graph) == links.table.devices.names
        edges = {data["link"]: ({a, b}, data) for a, b, data in graph.edges(data=True)}
        assert len(edges) == graph.number_of_edges() == len(links)
        for row in rows_of(name):
            ends, data = edges[row["link"]]
            assert ends == {row["a_device"], row["b_device"]}
            assert {key: data[key] for key in COLUMNS if key in data} == {
                key: value for key, value in row.items() if value is not None
            }
        kinds = Counter(data["kind"] for _, data in graph.nodes(data=True))
        assert kinds == {kind: n for kind, n in links.table.devices.n.items() if n}


def test_both_graphs_carry_what_they_were_made_from() -> None:
    xml, from_json = graphs("four units")
    assert xml.graph["spec_hash"] == from_json.graph["spec_hash"] == links_of("four units").spec_hash
    assert xml.nodes["leaf-r3-002"]["rail"] == from_json.nodes["leaf-r3-002"]["rail"] == 3
    assert xml.nodes["node-0001"]["part"] == "dgx-h100"
    (storage, _) = graphs("storage")
    assert storage.nodes["node-0040"]["part"] == "dgx-h100"
    assert "part" not in storage.nodes["storage-0010"]


@pytest.mark.parametrize("format_name", ["graphml", "node-link", "k8s-labels"])
def test_a_large_file_is_written_piece_by_piece(format_name: str) -> None:
    links = large("rail-optimized")  # 98,304 links: 40 MB of GraphML
    for _ in links.rows(0, 1):  # names and labels belong to the list, not to the file
        pass
    tracemalloc.start()
    pieces = list(map(len, itertools.islice(FORMATS[format_name].write(links), 8)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert max(pieces) < 1_000_000
    assert peak < 8_000_000


# --- simulators


def tokens_read(written: str, n_header: int) -> tuple[list[str], list[int], list[tuple[int, int, float, float]], str]:
    """(header, switch numbers, links, what is left), taken token by token as the simulators' readers do."""
    words = iter(re.finditer(r"\S+", written))
    header = [next(words)[0] for _ in range(n_header)]
    n_all, n_links = int(header[0]), int(header[4] if n_header == 6 else header[2])
    n_switches = int(header[2]) + int(header[3]) if n_header == 6 else int(header[1])
    switches = [int(next(words)[0]) for _ in range(n_switches)]
    assert all(number < n_all for number in switches)
    links, last = [], 0
    for _ in range(n_links):
        source, target, rate, delay, error = (next(words) for _ in range(5))
        assert (rate[0][-4:], delay[0][-2:], error[0]) == ("Gbps", "ms", "0")
        links.append((int(source[0]), int(target[0]), float(rate[0][:-4]), float(delay[0][:-2])))
        last = error.end()
    return header, switches, links, written[last:]


SIMULATORS = {"astra-sim": 3, "simai": 6}


@pytest.mark.parametrize("format_name", SIMULATORS)
@pytest.mark.parametrize("name", SPECS)
def test_a_simulator_reads_what_the_header_says_and_no_switch_is_idle(name: str, format_name: str) -> None:
    written = text(links_of(name), format_name)
    header, switches, made, rest = tokens_read(written, SIMULATORS[format_name])
    lines = written.splitlines()
    listed = [line for line in lines[2:] if not line.startswith("#")]
    assert len(listed) == len(made)
    assert all(line.startswith("#") for line in rest.strip().splitlines())
    numbers = set(range(int(header[0])))
    assert {end for source, target, *_ in made for end in (source, target)} == numbers  # none without a link
    assert set(switches) == numbers - set(range(int(header[0]) - len(switches)))
    assert len({frozenset(link[:2]) for link in made}) == len(made)  # ns-3 keeps one interface a pair
    assert all(link[0] != link[1] for link in made)


@pytest.mark.parametrize("name", SPECS)
def test_rates_between_simulated_switches_are_the_sums_of_the_links(name: str) -> None:
    links = links_of(name)
    header, _, made, _ = tokens_read(text(links, "simai"), 6)
    gpus = links.fabric.n_nodes * (links.spec.compute.gpus_per_node or 1)
    first = gpus + int(header[2])
    n_fabric = links.fabric.n_leaf + links.fabric.n_spine + links.fabric.n_core
    number = {device: first + at for at, device in enumerate(links.table.devices.names[-n_fabric:])}
    want: Counter[tuple[int, int]] = Counter()
    into_leaves: Counter[int] = Counter()
    for row in rows_of(name):
        if row["tier"] in ("leaf-spine", "spine-core"):
            want[number[row["a_device"]], number[row["b_device"]]] += row["rate_gbit_s"]
        elif row["tier"] == "node-leaf":
            into_leaves[number[row["b_device"]]] += row["rate_gbit_s"]
    got = {(a, b): rate for a, b, rate, _ in made if first <= a < first + n_fabric and first <= b < first + n_fabric}
    assert got == want
    below: Counter[int] = Counter()
    for source, target, rate, _ in made:
        if first <= target < first + n_fabric and not first <= source < first + n_fabric:
            below[target] += round(rate)
    assert below == into_leaves


def counted(compute: dict[str, Any], fabric: dict[str, Any]) -> tuple[list[str], Counter[int], Counter[int]]:
    """Header; links from GPUs to each leaf or scale-up switch; links between switches by their lower end."""
    catalog = load_catalog()
    links = link_list(parse_spec({"compute": compute, "fabric": fabric}, catalog), catalog)
    header, switches, made, _ = tokens_read(text(links, "simai"), 6)
    first = min(switches)
    return (
        header,
        Counter(target for source, target, *_ in made if source < first),
        Counter(source for source, *_ in made if source >= first),
    )


def test_one_host_of_eight_gpus_has_24_links_not_20() -> None:
    """aliyun/SimAI #57: 8 GPUs, 1 NVSwitch, 8 leaves, 1 spine; the generator's header said 20, its list had 24."""
    header, up, above = counted(custom(1, 8), small(64, tiers=2))
    assert header == ["18", "8", "1", "9", "24", "NONE"]
    assert sorted(up.values()) == [1] * 8 + [8]
    assert sum(above.values()) == 8


def test_two_planes_of_two_segments_leave_no_leaf_unused() -> None:
    """aliyun/SimAI #81: 8 GPUs, 2 a host, 2 segments, 2 planes: 16 links of GPUs to 8 leaves, 2 a leaf."""
    header, up, _ = counted(
        custom(4, 4, 2, nics_per_node=2), small(64, planes=2, scalable_unit_nodes=2, tiers=2)
    )  # fmt: skip
    nv_switches = int(header[2])
    leaves = {number: n for number, n in up.items() if number >= 8 + nv_switches}
    assert (nv_switches, len(leaves), sum(leaves.values())) == (4, 8, 16)
    assert set(leaves.values()) == {2}


def test_the_header_of_four_units() -> None:
    header, switches, made, notes = tokens_read(text(links_of("four units"), "simai"), 6)
    # 1,016 GPUs, 127 scale-up switches, 48 switches; 1,016 + 1,016 links, and 32 × 16 pairs of leaf and spine
    assert header == ["1191", "8", "127", "48", "2544", "H100"]
    assert switches == list(range(1016, 1191))
    assert "1528 lines are 2040 links" in notes
    rates = Counter(rate for *_, rate, _ in made)
    assert rates == {3600.0: 1016, 400.0: 1016, 800.0: 512}  # 900 GB/s both ways is 3,600 Gb/s one way


def test_delays_are_cable_and_switches_and_where_unknown_the_simulators_own() -> None:
    links = links_of("four units")
    cables = load_catalog().cables
    row = rows_of("four units")[0]
    want_ns = row["length_m"] * cables[row["part"]].latency_ns_per_m + 130 / 2  # a QM9700 takes 130 ns
    _, _, made, _ = tokens_read(text(links, "simai"), 6)
    assert made[1][3] == pytest.approx(want_ns * 1e-6, abs=1e-10)
    assert made[0][3] == 0.000025
    _, _, unknown, _ = tokens_read(text(links_of("odd"), "simai"), 6)
    assert {delay for *_, delay in unknown} == {0.000025, 0.0005}


def test_adapters_that_gpus_share_are_switches_of_a_simulation() -> None:
    links = links_of("shared adapters")  # 10 nodes of 8 GPUs and 4 ports
    header, _, made, notes = tokens_read(text(links, "simai"), 6)
    n_fabric = links.fabric.n_leaf + links.fabric.n_spine
    assert int(header[3]) == n_fabric + 40
    first = 80 + 10 + n_fabric
    assert Counter(target for source, target, *_ in made if target >= first and source < 80) == dict.fromkeys(
        range(first, first + 40), 2
    )
    assert f"{first} is the first adapter" in notes


def test_the_analytical_network_stands_behind_the_ns3_file() -> None:
    notes = text(links_of("four units"), "astra-sim").partition("Analytical backend")[2]
    network = yaml.safe_load("\n".join(line.removeprefix("# ") for line in notes.splitlines()[1:]))
    assert network["topology"] == ["Switch", "Switch"]
    assert network["npus_count"] == [8, 127]
    assert network["bandwidth"] == [450, 50]  # GB/s of one GPU, one way: NVLink 900 / 2, and 400 Gb/s
    assert len(network["latency"]) == 2
    assert "No analytical network" in text(links_of("domains of racks"), "astra-sim")  # 160 GPUs in domains of 72


def test_astra_sim_numbers_network_switches_before_scale_up_switches() -> None:
    """Its ns-3 backend takes a host's first link for its adapter."""
    _, _, made, _ = tokens_read(text(links_of("four units"), "astra-sim"), 3)
    first_of: dict[int, float] = {}
    for source, _, rate, _ in made:
        first_of.setdefault(source, rate)
    assert {first_of[gpu] for gpu in range(1016)} == {400.0}


def test_a_switch_without_links_is_named() -> None:
    links = links_of("one tier")
    devices = links.table.devices
    more = {
        "rail": np.append(devices.rail, 0),
        "plane": np.append(devices.plane, 1),
        "number": np.append(devices.number, devices.n["leaf"] + 1),
    }
    with_one_more = replace(devices, n={**devices.n, "leaf": devices.n["leaf"] + 1}, **more)
    written = text(replace(links, table=replace(links.table, devices=with_one_more)), "simai")
    assert f"Idle, without a link in the design: {with_one_more.names[-1]}" in written
