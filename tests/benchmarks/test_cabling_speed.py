"""What it costs to cable 393,216 links whose lengths differ, against writing the link table's bytes. Run by hand.

On a quiet core the whole plan takes about 20 ms. Both sides are timed in one run: at most 40 times a copy of the columns.
"""

from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import estimator.cabling.by_link
from estimator.cabling.by_link import cabled_by_link
from estimator.cabling.ends import tier_ends
from estimator.cabling.plan import cable_plan, link_cabling
from estimator.fabric.topology import link_table
from estimator.spec.parse import parse_spec
from tests.benchmarks.test_topology_speed import CATALOG, best_s, three_tiers


@pytest.mark.parametrize(("shortest_m", "longest_m"), [(6, 48), (3, 95)])
def test_links_of_many_lengths_are_cabled_in_little_more_than_their_bytes(
    benchmark: Any, monkeypatch: pytest.MonkeyPatch, shortest_m: float, longest_m: float
) -> None:
    """One medium for all links, and several in blocks of leaves and spines."""
    fabric, panels = three_tiers(16_384)
    spec = parse_spec(
        {
            "compute": {"server": "dgx-h100", "nodes": 16_384},
            "site": {"plan": {}},
            "fabric": {"generation": "roce-400", "tiers": 3, "leaf_switch": "custom", "leaf_radix": 128},
        },
        CATALOG,
    )
    table = link_table(fabric, panels)
    lengths = np.random.default_rng(1).uniform(shortest_m, longest_m, len(table)).astype(np.float32)
    monkeypatch.setattr(estimator.cabling.by_link, "_lengths", lambda *_: lengths)
    ends = tier_ends(spec, fabric, CATALOG)
    plan = benchmark(cabled_by_link, spec, fabric, CATALOG, "compute", ends, table)
    assert plan.links is not None
    assert sum(run.n_links for run in plan.runs) == 393_216
    assert len({run.choice.medium for run in plan.runs if run.choice}) == (1 if longest_m < 50 else 2)
    taken_s = best_s(lambda: cabled_by_link(spec, fabric, CATALOG, "compute", ends, table), 9)
    columns = [getattr(table, field.name) for field in fields(table)]
    arrays = [column for column in columns if isinstance(column, np.ndarray)]
    copied_s = best_s(lambda: [column.copy() for column in arrays], 15)
    print(f"cabled {taken_s * 1e3:.1f} ms, copy {copied_s * 1e3:.1f} ms")
    assert taken_s <= 40 * copied_s


def test_one_length_a_tier_needs_no_link_table(benchmark: Any) -> None:
    fabric, panels = three_tiers(16_384)
    spec = parse_spec(
        {
            "compute": {"server": "dgx-h100", "nodes": 16_384},
            "fabric": {"generation": "roce-400", "tiers": 3, "leaf_switch": "custom", "leaf_radix": 128},
        },
        CATALOG,
    )
    plan = benchmark(cable_plan, spec, fabric, CATALOG)
    assert plan.links is None
    assert len(link_cabling(plan, link_table(fabric, panels)).cable) == 393_216
