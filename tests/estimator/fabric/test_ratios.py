"""What is read off the links, against the same network as a graph of its link table."""

import itertools
from collections import Counter
from fractions import Fraction
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings

from estimator.catalog.loader import load_catalog
from estimator.fabric.devices import LEAF, SPINE
from estimator.fabric.ratios import (
    diameter_switches,
    oversubscription_of,
    paths_across_groups,
    paths_in_group,
    paths_of,
)
from estimator.fabric.size import size
from estimator.fabric.sized import SizedFabric, fabric_of
from estimator.fabric.topology import LEAF_SPINE, NODE_LEAF, SPINE_CORE, LinkTable, Panels, link_table
from estimator.spec.design import DesignSpec
from tests.estimator.designs import spec_of
from tests.estimator.fabric.test_sizing import SMALL, small_spec
from tests.thorough import n_examples

CATALOG = load_catalog()


def sized(spec: DesignSpec) -> SizedFabric | None:
    """The fabric of a spec, or None where there is none."""
    sizing = size([spec], CATALOG)
    return fabric_of(sizing, 0, spec) if sizing.tiers[0] else None


def fabric(nodes: int, ports: int = 1, **keys: Any) -> SizedFabric:
    """The fabric of a custom cluster."""
    made = sized(spec_of(nodes, ports, **keys))
    assert made is not None
    return made


def switch_graph(table: LinkTable) -> Any:
    """Leaves, spines and cores; an edge a pair that is joined, with its number of ``links``."""
    graph: nx.Graph[int] = nx.Graph()
    for kind in (LEAF, SPINE, "core"):
        graph.add_nodes_from(range(table.devices.of(kind).start, table.devices.of(kind).stop), kind=kind)
    for tier in (LEAF_SPINE, SPINE_CORE):
        rows = table.rows(tier)
        pairs = Counter(zip(table.a_device[rows].tolist(), table.b_device[rows].tolist(), strict=True))
        graph.add_edges_from((a, b, {"links": n}) for (a, b), n in pairs.items())
    return graph


def routes(graph: Any, leaf: int) -> Any:
    """Up from a leaf and down again, link by link: a directed graph in which each switch stands once going up, once down."""
    out: nx.DiGraph[Any] = nx.DiGraph()
    for a, b, links in graph.edges.data("links"):
        low, high = (a, b) if a < b else (b, a)
        out.add_edge(("up", low), ("up", high), capacity=links)
        out.add_edge(("down", high), ("down", low), capacity=links)
    for switch in graph:
        if switch != leaf:
            out.add_edge(("up", switch), ("down", switch))
    return out


def measured_paths(table: LinkTable) -> dict[int, tuple[int, int]]:
    """Over pairs of leaves by switches on their shortest path: fewest shortest paths, fewest that share no link."""
    graph = switch_graph(table)
    found: dict[int, tuple[int, int]] = {}
    leaves = [n for n, kind in graph.nodes.data("kind") if kind == LEAF]
    for a, b in itertools.combinations(leaves, 2):
        if not nx.has_path(graph, a, b):
            continue
        paths = list(nx.all_shortest_paths(graph, a, b))
        used = graph.subgraph({switch for path in paths for switch in path})
        flow = int(nx.maximum_flow_value(routes(used, a), ("up", a), ("down", b)))
        n, most = found.get(len(paths[0]), (len(paths), flow))
        found[len(paths[0])] = min(n, len(paths)), min(most, flow)
    return found


def check_paths(made: SizedFabric) -> None:
    """Every figure of ``paths`` as it is measured in the graph."""
    table = link_table(made, Panels())
    found = measured_paths(table)
    assert diameter_switches(made) == max(found, default=1)
    for switches, paths in ((3, paths_in_group(made)), (5, paths_across_groups(made))):
        if paths is not None and paths.shortest:
            assert (paths.switches, paths.shortest, paths.disjoint) == (switches, *found[switches])
        elif paths is None:
            assert switches not in found
        else:
            assert max(found) == 7


@settings(max_examples=n_examples(120), deadline=None)
@given(SMALL)
def test_paths_are_those_of_the_graph(a: dict[str, Any]) -> None:
    made = sized(small_spec(a))
    if made is not None and made.n_leaf * made.n_spine <= 600:
        check_paths(made)


PODS = {"leaf_radix": 8, "spine_radix": 8, "core_radix": 8, "tiers": 3}
LOOSE = {"uplink_spread": "uneven", "layout": "top-of-rack"}
CASES: list[tuple[int, int, dict[str, Any]]] = [
    (24, 1, PODS),
    (20, 1, PODS),
    (32, 2, PODS),
    (24, 1, PODS | LOOSE),
    (44, 1, PODS | LOOSE | {"spine_radix": 12}),
    (30, 1, PODS | LOOSE | {"leaf_downlinks": 4, "leaf_uplinks": 3}),
    (52, 1, PODS | LOOSE | {"leaf_downlinks": 5, "leaf_uplinks": 3, "spine_oversubscription": "2:1"}),
    (40, 1, {"leaf_radix": 8, "spine_radix": 16, "tiers": 2} | LOOSE | {"leaf_downlinks": 5, "leaf_uplinks": 3}),
    (60, 1, {"leaf_radix": 12, "spine_radix": 8, "tiers": 2} | LOOSE | {"leaf_downlinks": 7, "leaf_uplinks": 5}),
]


@pytest.mark.parametrize(("nodes", "ports", "keys"), CASES)
def test_paths_of_pods_and_of_uneven_spreads(nodes: int, ports: int, keys: dict[str, Any]) -> None:
    made = sized(spec_of(nodes, ports, **keys))
    assert made is not None
    check_paths(made)


def test_paths_of_the_superpod() -> None:
    """32 leaves with two links to each of 16 spines: 16 paths of three switches, and 32 that share no link."""
    made = fabric(128, 8)
    assert (made.n_leaf, made.n_spine) == (32, 16)
    assert paths_of(made).as_json() == {
        "diameter_switches": 3,
        "other_group": None,
        "same_group": {"switches": 3, "shortest_paths": 16, "disjoint_paths": 32},
    }


def test_paths_over_cores_of_the_512_node_table() -> None:
    """DGX B200, 512 nodes: 128 leaves, 128 spines, 64 cores. A rail's 16 leaves share 16 spines, two links each.

    Each spine has 32 links up. From one rail to another: 16 sets of one spine and 4 cores each, or whatever split the
    cores have: spines² ÷ sets × cores a set.
    """
    made = fabric(512, 8, tiers=3)
    assert (made.n_leaf, made.n_spine, made.n_core) == (128, 128, 64)
    across = paths_across_groups(made)
    assert across is not None
    sets, cores = len(made.wiring.cores), made.wiring.cores[0]
    assert sets * cores == 64
    assert across.shortest == 16 * 16 // sets * cores
    assert across.disjoint == 32


# ---------------------------------------------------------------- ratios of rails and planes


@settings(max_examples=n_examples(150))
@given(SMALL)
def test_ratios_of_rails_and_planes_are_those_of_their_links(a: dict[str, Any]) -> None:
    made = sized(small_spec(a | {"provision": "as-bought"}))
    if made is None:
        return
    table = link_table(made, Panels())
    ratios = oversubscription_of(made, "1:1").as_json()
    for name, numbers in (("rail", table.rail), ("plane", table.plane)):
        for row in ratios[f"{name}s"]:
            mine = numbers == row[name]
            fed = int(table.rate_gbit_s[mine & (table.tier <= 1)].sum())
            up = int(table.rate_gbit_s[mine & (table.tier == LEAF_SPINE)].sum())
            assert row["built"] == f"{Fraction(fed, up or fed).numerator}:{Fraction(fed, up or fed).denominator}"
    assert len(ratios["planes"]) == made.planes


# ---------------------------------------------------------------- bisection


def least_cut(table: LinkTable) -> int:
    """Least cut over all splits of the endpoints of each component into halves, one direction, summed. [Gb/s]"""
    graph: nx.Graph[Any] = nx.Graph()
    rows = table.rows(NODE_LEAF)
    rate = table.fabric.endpoint_rate_gbit_s
    for row, leaf in enumerate(table.b_device[rows].tolist()):
        graph.add_edge(("end", row), leaf, capacity=rate)
    for a, b, links in switch_graph(table).edges.data("links"):
        graph.add_edge(a, b, capacity=links * table.fabric.port_rate_gbit_s)
    total = 0
    for part in list(nx.connected_components(graph)):
        ends = sorted(node for node in part if isinstance(node, tuple))
        cuts = []
        for half in itertools.combinations(ends[1:], len(ends) // 2 - 1):
            split = graph.subgraph(part).copy()
            first = {ends[0], *half}
            split.add_edges_from((end, "from" if end in first else "to", {"capacity": rate}) for end in ends)
            cuts.append(int(nx.minimum_cut_value(split, "from", "to")))
        total += min(cuts)
    return total


BISECTIONS: list[tuple[int, int, dict[str, Any]]] = [
    (8, 1, {"leaf_radix": 4, "spine_radix": 4, "tiers": 2}),
    (12, 1, {"leaf_radix": 6, "spine_radix": 6, "tiers": 2, "layout": "top-of-rack"}),
    (8, 1, {"leaf_radix": 6, "spine_radix": 6, "tiers": 2, "oversubscription": "2:1"}),
    (4, 2, {"leaf_radix": 4, "spine_radix": 4, "tiers": 2}),
    (6, 2, {"leaf_radix": 4, "spine_radix": 4, "tiers": 2, "layout": "rail-only"}),
    (8, 1, {"leaf_radix": 4, "spine_radix": 4, "core_radix": 4, "tiers": 3}),
    (
        12,
        1,
        {
            "leaf_radix": 3,
            "spine_radix": 6,
            "core_radix": 6,
            "tiers": 3,
            "spine_oversubscription": "2:1",
            "leaf_downlinks": 2,
            "leaf_uplinks": 1,
            "pod_nodes": 6,
            "layout": "top-of-rack",
        },
    ),
]


@pytest.mark.parametrize(("nodes", "ports", "keys"), BISECTIONS)
def test_bisection_is_the_least_cut_where_leaves_halve(nodes: int, ports: int, keys: dict[str, Any]) -> None:
    made = fabric(nodes, ports, **keys)
    assert made.bisection_gbit_s == least_cut(link_table(made, Panels()))


@pytest.mark.parametrize(
    ("nodes", "keys"),
    [
        (10, {"leaf_radix": 6, "spine_radix": 6, "tiers": 2, "oversubscription": "2:1", "layout": "top-of-rack"}),
        (10, {"leaf_radix": 6, "spine_radix": 8, "tiers": 2, "layout": "top-of-rack"}),
        (6, {"leaf_radix": 4, "spine_radix": 4, "tiers": 2, "layout": "top-of-rack"}),
    ],
)
def test_bisection_is_never_above_the_least_cut(nodes: int, keys: dict[str, Any]) -> None:
    made = fabric(nodes, 1, **keys)
    assert made.bisection_gbit_s <= least_cut(link_table(made, Panels()))


def test_injection_and_bisection_of_the_plan_that_mixes_them_up() -> None:
    """32 B300 nodes, 800 Gb/s: a public plan calls 204.8 Tb/s its bisection; that is injection, and bisection is half."""
    made = fabric(32, 8, generation="xdr")
    assert made.injection_gbit_s == 256 * 800 == 204_800
    assert made.bisection_gbit_s == 102_400
