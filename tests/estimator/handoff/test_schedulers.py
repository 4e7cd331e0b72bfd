"""Files for Slurm, Kubernetes and Kueue, read back and held against the link list."""

import itertools
import re
from collections import Counter, defaultdict

import networkx as nx
import pytest
import yaml

from estimator.catalog.loader import load_catalog
from estimator.handoff.hostlist import hostlist
from estimator.link_list import link_list
from estimator.spec.parse import parse_spec
from tests.estimator.handoff.cases import RAILS, SPECS, custom, expand, leaves_of_nodes, links_of, rows_of, small, text

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
