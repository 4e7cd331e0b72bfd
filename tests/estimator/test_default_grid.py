"""A few designs of the grid of default_grid.py, and that it finds what is wrong with poor ones."""

from typing import Any

import pytest

from tests.estimator.default_grid import MOST, grid, judged, with_keys


def request_for(server: str, generation: str, nodes: int, ratio: str, layout: str) -> dict[str, Any]:
    return {
        "compute": {"server": server, "nodes": nodes},
        "fabric": {"generation": generation, "layout": layout, "oversubscription": ratio},
    }


def test_the_grid_is_448_oversubscribed_designs_and_160_at_one_to_one() -> None:
    for seed in (0, 7):
        ratios = [request["fabric"]["oversubscription"] for request in grid(seed)]
        assert (len(ratios), ratios.count("1:1")) == (608, 160)


@pytest.mark.parametrize(
    ("server", "generation", "nodes", "ratio", "layout"),
    [
        ("hgx-b200-10u", "roce-400", 128, "2:1", "rail-optimized"),  # 16 + 43 switches once
        ("dgx-h100", "ndr", 100, "2:1", "top-of-rack"),
        ("gb300-tray", "xdr", 288, "3:1", "rail-optimized"),
        ("dgx-a100-640", "hdr", 72, "1:1", "rail-optimized"),
        ("dgx-a100-640", "hdr", 271, "2:1", "top-of-rack"),  # 24 downlinks saved 1.3 %
        ("dgx-a100-640", "roce-200", 345, "2:1", "top-of-rack"),  # units of 5 saved 1.1 % and four switches
        ("dgx-a100-640", "roce-200", 280, "1:1", "top-of-rack"),  # pods of 60 nodes and one of 40 saved five of 195
        ("dgx-a100-640", "roce-200", 508, "2:1", "top-of-rack"),  # 42 downlinks saved four of 207
    ],
)
def test_no_value_that_is_named_saves_a_percent(
    server: str, generation: str, nodes: int, ratio: str, layout: str
) -> None:
    verdict = judged(request_for(server, generation, nodes, ratio, layout))
    assert verdict.rivals
    assert not verdict.costs_more_than_one_to_one
    assert verdict.cost_over_best <= MOST
    assert verdict.switches_over_best <= MOST


def test_a_poor_split_is_beaten() -> None:
    """43 uplinks below units of 85 nodes: 43 spines, and more than 1:1 costs."""
    request = request_for("hgx-b200-10u", "roce-400", 128, "2:1", "rail-optimized")
    poor = judged(with_keys(request, scalable_unit_nodes=85, leaf_uplinks=43))
    best = poor.best()
    assert best
    assert (poor.default.switches, best[0].switches) == (59, 20)
    assert poor.cost_over_best > 1.2
    assert poor.switches_over_best > 2
