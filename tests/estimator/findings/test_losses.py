"""What a loss leaves: the same devices taken out of the link table as a graph must leave the same."""

import itertools
import random
from collections.abc import Iterable
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.fabric.devices import CORE, LEAF, SPINE
from estimator.fabric.sized import SizedFabric
from estimator.fabric.structure import Structure
from estimator.fabric.topology import LEAF_SPINE, NODE_LEAF, SPINE_CORE, Panels, link_table
from estimator.findings.losses import Left, Loss, left_after
from tests.estimator.designs import spec_of
from tests.estimator.fabric.test_ratios import PODS, sized
from tests.estimator.fabric.test_sizing import SMALL, small_spec
from tests.thorough import n_examples


class Cabled:
    """A fabric as a graph: an edge for every link, endpoints as devices of their own."""

    def __init__(self, made: SizedFabric, panels: Panels | None = None) -> None:
        self.made, self.table = made, link_table(made, panels or Panels())
        self.graph: Any = nx.MultiGraph()
        devices = self.table.devices
        for kind in (LEAF, SPINE, CORE):
            self.graph.add_nodes_from(range(devices.of(kind).start, devices.of(kind).stop))
        ends = self.table.rows(NODE_LEAF)
        for row, (a, b, tier) in enumerate(
            zip(self.table.a_device.tolist(), self.table.b_device.tolist(), self.table.tier.tolist(), strict=True)
        ):
            if tier != 1:
                self.graph.add_edge(("end", row) if row < ends.stop else a, b, key=row)
        self.home = {part: number for number, parts in enumerate(nx.connected_components(self.graph)) for part in parts}

    def left(self, loss: Loss) -> Left:
        """The same figures, measured with these devices gone."""
        graph, devices = self.graph.copy(), self.table.devices
        for kind, indexes in ((LEAF, loss.leaves), (SPINE, loss.spines), (CORE, loss.cores)):
            graph.remove_nodes_from(devices.first[kind] + i for i in indexes)
        for kinds, pairs in (((LEAF, SPINE), loss.pairs), ((SPINE, CORE), loss.ups)):
            for a, b in pairs:
                ends = devices.first[kinds[0]] + a, devices.first[kinds[1]] + b
                if graph.has_node(ends[0]) and graph.has_node(ends[1]):
                    graph.remove_edges_from([(*ends, key) for key in list(graph.get_edge_data(*ends, default={}))])
        return self.measured(graph)

    def left_without(self, rows: Iterable[int]) -> Left:
        """The same figures, measured with some rows of the link table gone."""
        graph, gone = self.graph.copy(), set(rows)
        graph.remove_edges_from([edge for edge in graph.edges(keys=True) if edge[2] in gone])
        return self.measured(graph)

    def measured(self, graph: Any) -> Left:
        """What a graph with something taken out still joins."""
        parts = [[p for p in part if isinstance(p, tuple)] for part in nx.connected_components(graph)]
        attached = {p: number for number, part in enumerate(parts) for p in part if graph.degree(p)}
        sizes: dict[int, list[int]] = {}
        for part in parts:
            if part and part[0] in attached:
                sizes.setdefault(self.home[part[0]], []).append(len(part))
        largest = {home: max(found) for home, found in sizes.items()}
        kept = {p for p, number in attached.items() if len(parts[number]) == largest[self.home[p]]}
        self.is_tie = any(found.count(max(found)) > 1 for found in sizes.values())
        return Left(
            self.made.links_node_leaf - sum(largest.values()),
            *self._nodes(attached, kept),
            max((len(found) for found in sizes.values()), default=1),
        )

    def _nodes(self, attached: dict[Any, int], kept: set[Any]) -> tuple[int, int]:
        owner = self.table.a_device.tolist()
        graph: nx.Graph[Any] = nx.Graph()
        for end, part in attached.items():
            graph.add_edge(("node", owner[end[1]]), ("part", part))
        groups = [[n[1] for n in part if n[0] == "node"] for part in nx.connected_components(graph)]
        most = max(groups, key=len, default=[])
        self.is_tie |= sum(len(group) == len(most) for group in groups) > 1
        ports = dict.fromkeys(most, 0)
        for end in kept:
            ports[owner[end[1]]] = ports.get(owner[end[1]], 0) + 1
        least = min((ports[node] for node in most), default=self.made.nic_ports_per_node)
        return self.made.n_nodes - len(most), least


def loss_of(devices: Iterable[tuple[str, int]]) -> Loss:
    """A loss of switches, each by kind and index."""
    by_kind: dict[str, list[int]] = {LEAF: [], SPINE: [], CORE: []}
    for kind, index in devices:
        by_kind[kind].append(index)
    return Loss(tuple(by_kind[LEAF]), tuple(by_kind[SPINE]), tuple(by_kind[CORE]))


def losses(made: SizedFabric, count: int, seed: int) -> list[Loss]:
    """Every single device and a sample of pairs, and pairs of devices that are joined no more."""
    devices = [
        (kind, i) for kind, n in ((LEAF, made.n_leaf), (SPINE, made.n_spine), (CORE, made.n_core)) for i in range(n)
    ]
    pairs = list(itertools.combinations(devices, 2))
    chosen = [(d,) for d in devices] + random.Random(seed).sample(pairs, min(count, len(pairs)))
    out = [loss_of(some) for some in chosen]
    table = link_table(made, Panels())
    joined = list(zip(table.a_device.tolist(), table.b_device.tolist(), strict=True))
    for number in range(6):  # all links between two switches
        for tier, kinds in ((LEAF_SPINE, (LEAF, SPINE)), (SPINE_CORE, (SPINE, CORE))):
            of_tier = joined[table.rows(tier)]
            some = random.Random(seed + number).sample(of_tier, min(1 + number % 2, len(of_tier)))
            firsts = [table.devices.first[kind] for kind in kinds]
            cut = frozenset((a - firsts[0], b - firsts[1]) for a, b in some)
            out.append(Loss(pairs=cut) if tier == LEAF_SPINE else Loss(ups=cut))
    return out


def check(made: SizedFabric, count: int = 60, seed: int = 0) -> None:
    """The reckoned figures are the measured ones, whatever device or pair of them is lost."""
    cabled, structure = Cabled(made), Structure(made)
    for loss in losses(made, count, seed):
        got, want = left_after(structure, loss), cabled.left(loss)
        assert (got.endpoints_cut_off, got.nodes_cut_off, got.islands) == (
            want.endpoints_cut_off,
            want.nodes_cut_off,
            want.islands,
        ), loss
        if not cabled.is_tie:
            assert got.node_ports == want.node_ports, loss


@settings(max_examples=n_examples(150), deadline=None)
@given(SMALL, st.integers(0, 10_000))
def test_a_loss_leaves_what_the_graph_without_it_has(a: dict[str, Any], seed: int) -> None:
    made = sized(small_spec(a))
    if made is not None and made.links_node_leaf + made.links_leaf_spine <= 800:
        check(made, 25, seed)


LOOSE = {"uplink_spread": "uneven", "layout": "top-of-rack"}
CASES: list[tuple[int, int, dict[str, Any]]] = [
    (24, 1, PODS), (20, 1, PODS), (32, 2, PODS), (24, 1, PODS | LOOSE), (44, 1, PODS | LOOSE | {"spine_radix": 12}),
    (30, 1, PODS | LOOSE | {"leaf_downlinks": 4, "leaf_uplinks": 3}),
    (52, 1, PODS | LOOSE | {"leaf_downlinks": 5, "leaf_uplinks": 3, "spine_oversubscription": "2:1"}),
    (8, 2, {"leaf_radix": 4, "spine_radix": 4, "core_radix": 4, "tiers": 3, "spine_oversubscription": "3:1"}),
    (10, 2, {"leaf_radix": 8, "spine_radix": 64, "tiers": 2, "leaf_downlinks": 7, "leaf_uplinks": 1}),
    (10, 3, {"leaf_radix": 8, "tiers": 2, "layout": "top-of-rack", "leaf_downlinks": 4, "leaf_uplinks": 2, "spine_radix": 16}),
    (12, 6, {"leaf_radix": 8, "tiers": 2, "layout": "top-of-rack", "planes": 2, "leaf_downlinks": 4, "spine_radix": 16}),
    (14, 2, {"leaf_radix": 8, "tiers": 2, "layout": "rail-only", "spine_radix": 8}),
    (8, 2, {"leaf_radix": 8, "tiers": 2, "layout": "rail-optimized", "rails_per_leaf": 2}),
    (40, 1, {"leaf_radix": 8, "spine_radix": 16, "tiers": 2} | LOOSE | {"leaf_downlinks": 5, "leaf_uplinks": 3}),
    (21, 1, {"leaf_radix": 12, "spine_radix": 4, "tiers": 2} | LOOSE | {"leaf_downlinks": 7, "leaf_uplinks": 5}),
    (28, 1, {"leaf_radix": 12, "spine_radix": 4, "tiers": 2} | LOOSE | {"leaf_downlinks": 7, "leaf_uplinks": 5}),
    (14, 1, {"leaf_radix": 12, "spine_radix": 2, "tiers": 2} | LOOSE | {"leaf_downlinks": 7, "leaf_uplinks": 5}),
    (20, 1, {"leaf_radix": 64, "tiers": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("nodes", "ports", "keys"), CASES)
def test_every_device_and_pair_of_chosen_designs(nodes: int, ports: int, keys: dict[str, Any]) -> None:
    made = sized(spec_of(nodes, ports, **keys))
    assert made is not None
    check(made, 400)
