"""The same network, cable by cable, in networkx: an independent second route to the counts of fabric/sizing.py."""

from typing import Any

import networkx as nx

from estimator.fabric.columns import Sizing


def wired(sizing: Sizing, i: int) -> Any:
    """Design ``i`` as a graph of nodes, leaves, spines and cores; edges carry ``links`` and ``tier``.

    ``graph["islands"]`` is the number of connected components among switches. Switch counts of each group are taken from
    the sizing; where each cable goes is decided here, link by link, with a free-port check at both ends.
    """
    graph: nx.Graph[Any] = nx.Graph()
    asked, copies = sizing.asked, int(sizing.asked.n_components[i])
    for component in range(copies):
        _wire_component(graph, sizing, i, component)
    switches = graph.subgraph([n for n, d in graph.nodes(data=True) if d["kind"] != "node"])
    graph.graph["islands"] = nx.number_connected_components(switches)
    assert (
        sum(d["links"] for *_, d in graph.edges(data=True) if d["tier"] == "node")
        == asked.nodes[i] * asked.ports_a_node[i]
    )
    return graph


def _join(graph: Any, a: Any, b: Any, tier: str) -> None:
    links = graph.edges[a, b]["links"] + 1 if graph.has_edge(a, b) else 1
    graph.add_edge(a, b, links=links, tier=tier)


def _wire_component(graph: Any, sizing: Sizing, i: int, c: int) -> None:
    tiers, columns = int(sizing.tiers[i]), int(sizing.leaves.columns[i])
    rows = int(sizing.rows[i]) if tiers > 1 else 1
    columns = columns if tiers > 1 else 1
    for row in range(rows):
        for column in range(columns):
            graph.add_node(("leaf", c, row, column), kind="leaf")
    _wire_nodes(graph, sizing, i, c)
    if tiers == 2:
        leaves = [("leaf", c, row, column) for row in range(rows) for column in range(columns)]
        _spread(
            graph,
            leaves,
            [("spine", c, s) for s in range(int(sizing.group_spines[i]))],
            int(sizing.uplinks[i]),
            "spine",
        )
    if tiers == 3:
        _wire_pods(graph, sizing, i, c)


def _wire_nodes(graph: Any, sizing: Sizing, i: int, c: int) -> None:
    """Endpoint by endpoint: to the rail's leaf of the node's unit, or to the next leaf with a free port."""
    asked, leaves = sizing.asked, sizing.leaves
    unit, rails, capacity = int(leaves.unit_nodes[i]), int(asked.rails_a_leaf[i]), int(leaves.capacity[i])
    one, pod = sizing.tiers[i] == 1, int(asked.pod_nodes[i]) if sizing.tiers[i] == 3 else 0
    row = filled = 0
    last_pod = (int(sizing.pods[i]) - 1) * pod if asked.last_pod_even[i] else int(asked.nodes[i])
    first_row, n_rows = (int(sizing.pods[i]) - 1) * int(sizing.pod_rows[i]), int(sizing.last_pod_rows[i])
    each = 1 if rails else int(asked.endpoints_a_node[i])
    # nodes of a unit, or endpoints of a leaf, in a last pod that deals them out one by one
    shares = [0] * n_rows
    for dealt in range((int(asked.nodes[i]) - last_pod) * each):
        shares[dealt % n_rows] += 1
    for node in range(int(asked.nodes[i])):
        graph.add_node(("node", node), kind="node")
        if node >= last_pod and rails and not shares[0]:
            shares, first_row = shares[1:], first_row + 1
        in_pod = node % pod if pod else node  # units start afresh in every pod
        starts_block = (pod and in_pod == 0) or (unit and in_pod % unit == 0)
        if starts_block and filled and not one and not rails:
            row, filled = row + 1, 0
        for port in range(int(asked.endpoints_a_node[i])):
            if one:
                leaf = ("leaf", c, 0, 0)
            elif rails:
                at = first_row if node >= last_pod else node // unit
                shares[0] -= node >= last_pod and port == 0
                leaf = ("leaf", c, at, port // rails)
            else:
                if filled == (shares[row - first_row] if node >= last_pod else capacity):
                    row, filled = row + 1, 0
                leaf, filled = ("leaf", c, row, 0), filled + 1
            assert leaf in graph
            _join(graph, ("node", node), leaf, "node")


def _spread(graph: Any, lower: list[Any], upper: list[Any], uplinks: int, tier: str) -> None:
    """Each lower switch's links go round the upper ones, starting where the one before stopped."""
    kind = upper[0][0]
    for name in upper:
        graph.add_node(name, kind=kind)
    at = 0
    for name in lower:
        for _ in range(uplinks):
            _join(graph, name, upper[at % len(upper)], tier)
            at += 1


def _wire_pods(graph: Any, sizing: Sizing, i: int, c: int) -> None:
    pods, columns, per_pod = int(sizing.pods[i]), int(sizing.leaves.columns[i]), int(sizing.pod_rows[i])
    sets: dict[int, list[tuple[Any, int]]] = {}
    for pod in range(pods):
        is_last = pod == pods - 1
        n_rows = int(sizing.last_pod_rows[i]) if is_last else per_pod
        n_spines = int(sizing.last_group_spines[i] if is_last else sizing.group_spines[i])
        up = int(sizing.last_spine_up[i] if is_last else sizing.spine_up[i])
        for column in range(columns):
            leaves = [("leaf", c, pod * per_pod + row, column) for row in range(n_rows)]
            spines = [("spine", c, pod, column, s) for s in range(n_spines)]
            _spread(graph, leaves, spines, int(sizing.uplinks[i]), "spine")
            for s, spine in enumerate(spines):
                sets.setdefault(s % int(sizing.core_groups[i]), []).append((spine, up))
    total = int(sizing.n_core[i]) // int(sizing.asked.n_components[i])
    sizes = _core_group_sizes(sizing, i, len(sets), total)
    for j, members in sorted(sets.items()):
        cores = [("core", c, j, k) for k in range(sizes[j])]
        for core in cores:
            graph.add_node(core, kind="core")
        at = 0
        for spine, up in members:
            for _ in range(up):
                _join(graph, spine, cores[at % len(cores)], "core")
                at += 1


def _core_group_sizes(sizing: Sizing, i: int, n_sets: int, total: int) -> list[int]:
    largest = int(sizing.cores_a_group[i])
    if n_sets * largest == total:
        return [largest] * n_sets
    n_large = int(sizing.grown_last_spines[i])
    rest = (total - n_large * largest) // (n_sets - n_large)
    sizes = [largest] * n_large + [rest] * (n_sets - n_large)
    assert sum(sizes) == total
    return sizes
