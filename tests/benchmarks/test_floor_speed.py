"""What places and lengths of 131,072 endpoints cost. Run by hand; lengths are held to a copy of the table in the same run."""

import time
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np

from estimator.catalog.loader import load_catalog
from estimator.fabric.size import size
from estimator.fabric.sized import fabric_of
from estimator.fabric.topology import link_table, panels_of
from estimator.floor.plan import floor_plan
from estimator.spec.parse import parse_spec

CATALOG = load_catalog()
COPIES = 10  # 393,216 lengths in at most so many times what it takes to copy the table


def best_s(run: Callable[[], object], times: int) -> float:
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return min(taken)


def largest_of_the_preview() -> tuple[Any, Any]:
    values = {
        "compute": {"server": "dgx-h100", "nodes": 16_384},
        "fabric": {"generation": "roce-400", "tiers": 3},
        "site": {"plan": {}},
    }
    spec = parse_spec(values, CATALOG)
    sized = fabric_of(size([spec], CATALOG), 0, spec)
    return spec, link_table(sized, panels_of(spec, sized, CATALOG))


def test_lengths_cost_a_few_copies_of_the_table(benchmark: Any) -> None:
    spec, table = largest_of_the_preview()
    plan = floor_plan(spec, table, CATALOG)
    columns = [column for field in fields(table) if isinstance(column := getattr(table, field.name), np.ndarray)]
    copied_s = best_s(lambda: [column.copy() for column in columns], 20)
    lengths = benchmark(plan.link_lengths_m, table)
    assert len(lengths) == 393_216
    assert best_s(lambda: plan.link_lengths_m(table), 20) < COPIES * copied_s


def test_places_of_a_floor(benchmark: Any) -> None:
    spec, table = largest_of_the_preview()
    plan = benchmark(floor_plan, spec, table, CATALOG)
    assert plan.n_racks == 4_544
