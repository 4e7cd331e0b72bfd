"""What a link table costs against writing its bytes and against a networkx MultiGraph, and in memory. Run by hand.

The ratios are asserted, as both sides are timed in one run: at most 15 times a copy of the columns, at least 300 times
faster than the graph, and at most three times the table's own size while it is made.
"""

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import networkx as nx
import numpy as np
import pytest

from estimator.catalog.loader import load_catalog
from estimator.fabric.size import size
from estimator.fabric.sized import SizedFabric, fabric_of
from estimator.fabric.topology import LinkTable, Panels, link_table, panels_of
from estimator.spec.parse import parse_spec

CATALOG = load_catalog()


def three_tiers(nodes: int, radix: int = 128) -> tuple[SizedFabric, Panels]:
    """Eight 400G ports a node, switches of one radix."""
    fabric = {"generation": "roce-400", "tiers": 3, "leaf_switch": "custom", "leaf_radix": radix}
    spec = parse_spec({"compute": {"server": "dgx-h100", "nodes": nodes}, "fabric": fabric}, CATALOG)
    sized = fabric_of(size([spec], CATALOG), 0, spec)
    return sized, panels_of(spec, sized, CATALOG)


def columns_of(table: LinkTable) -> list[Any]:
    values = [getattr(table, field.name) for field in fields(table)]
    return [value for value in values if isinstance(value, np.ndarray)]


def best_s(run: Callable[[], object], times: int) -> float:
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return min(taken)


def multigraph(table: LinkTable) -> Any:
    """The same links as edges of a networkx MultiGraph, with the same attributes."""
    graph: nx.MultiGraph[int] = nx.MultiGraph()
    names = [field.name for field in fields(table) if isinstance(getattr(table, field.name), np.ndarray)]
    for row in zip(*(getattr(table, name).tolist() for name in names), strict=True):
        link = dict(zip(names, row, strict=True))
        graph.add_edge(link["a_device"], link["b_device"], **link)
    return graph


def test_a_table_costs_little_more_than_its_bytes(benchmark: Any) -> None:
    fabric, panels = three_tiers(16_384)
    table = benchmark(link_table, fabric, panels)
    assert len(table) == 3 * 131_072
    built_s = best_s(lambda: link_table(fabric, panels), 15)
    copied_s = best_s(lambda: [column.copy() for column in columns_of(table)], 15)
    graph_s = best_s(lambda: multigraph(table), 2)
    print(f"table {built_s * 1e3:.1f} ms, copy {copied_s * 1e3:.1f} ms, graph {graph_s:.2f} s")
    assert built_s <= 15 * copied_s
    assert graph_s >= 300 * built_s


def test_a_million_endpoints_stay_within_three_times_their_table() -> None:
    fabric, panels = three_tiers(131_072, radix=256)
    tracemalloc.start()
    table = link_table(fabric, panels)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    size_bytes = sum(column.nbytes for column in columns_of(table))
    print(f"{len(table):,} links, {size_bytes / 1e6:.0f} MB, peak {peak / 1e6:.0f} MB")
    assert len(table) == 3 * 1_048_576
    assert peak <= 3 * size_bytes


@pytest.mark.parametrize("nodes", [128, 16_384])
def test_a_table_is_made(benchmark: Any, nodes: int) -> None:
    benchmark(link_table, *three_tiers(nodes))
