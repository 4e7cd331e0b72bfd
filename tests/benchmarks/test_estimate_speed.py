"""How fast designs are sized and estimated. Run by hand: python3 manage.py test tests/benchmarks."""

from typing import Any

import pytest

from estimator.catalog.loader import load_catalog
from estimator.fabric.size import size
from estimator.pipeline import estimate
from estimator.spec.parse import parse_spec

CATALOG = load_catalog()


def spec(nodes: int, **fabric: Any) -> Any:
    values = {
        "compute": {"server": "dgx-b300", "nodes": nodes},
        "fabric": {"generation": "roce-400", "planes": 2, **fabric},
    }
    return parse_spec(values, CATALOG)


def test_a_thousand_designs_are_sized(benchmark: Any) -> None:
    specs = [spec(nodes, oversubscription=ratio) for nodes in range(100, 600) for ratio in ("1:1", "2:1")]
    assert (benchmark(size, specs, CATALOG).tiers > 0).all()


@pytest.mark.parametrize("nodes", [128, 16_384, 65_536])
def test_one_design_is_estimated(benchmark: Any, nodes: int) -> None:
    """Parts, money and prediction; a preview is this and a template."""
    one = spec(nodes)
    (made,) = benchmark(estimate, [one], CATALOG)
    assert made.compute.counts.nodes == nodes


@pytest.mark.parametrize(
    ("server", "generation", "nodes", "layout"),
    [
        ("hgx-b200-10u", "roce-400", 128, "rail-optimized"),
        ("gb300-tray", "xdr", 8192, "rail-optimized"),
        ("dgx-h100", "ndr", 2048, "top-of-rack"),
    ],
)
def test_what_one_design_leaves_open_is_chosen(
    benchmark: Any, server: str, generation: str, nodes: int, layout: str
) -> None:
    """Units, splits, spines and pods: 5 ms at most."""
    values = {
        "compute": {"server": server, "nodes": nodes},
        "fabric": {"generation": generation, "layout": layout},
    }
    assert benchmark(size, [parse_spec(values, CATALOG)], CATALOG).tiers[0]
