"""Estimates against their own link lists: random designs, counted twice by ways that share nothing."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings

from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError
from estimator.handoff.formats import FORMATS
from estimator.link_list import link_list
from estimator.pipeline import estimate
from estimator.spec.parse import parse_spec
from tests.estimator.random_designs import requests
from tests.estimator.second_route import differences, rows_of
from tests.thorough import n_examples

CATALOG = load_catalog()
SINGLE = {"server": "custom", "gpus_per_node": 1, "nics_per_node": 1, "nic_ports_per_node": 1}


def both_routes(request: dict[str, Any]) -> list[str]:
    """What differs between the Estimate of a request and its link lists; refused as the estimator refuses."""
    spec = parse_spec(request, CATALOG)
    (made,) = estimate([spec], CATALOG, ("counts", "bom", "cost"))
    said = made.as_json()
    lists = {role: b"".join(FORMATS["csv"].write(link_list(spec, CATALOG, role))).decode() for role in said["fabrics"]}
    return differences(said, lists)


@settings(max_examples=n_examples(60), deadline=None)
@given(requests())
def test_counts_modules_watts_and_cents_are_those_of_the_link_list(request: dict[str, Any]) -> None:
    try:
        found = both_routes(request)
    except EstimatorError:
        return  # no such design; other tests say why
    assert not found


@pytest.mark.parametrize(
    "request_",
    [
        {
            "compute": SINGLE | {"nodes": 199},
            "fabric": {"generation": "edr"},
            "other_fabrics": [{"role": "storage", "nodes_per_leaf": 3}],
        },
        {
            "compute": SINGLE | {"nodes": 293},
            "fabric": {"generation": "ndr"},
            "other_fabrics": [{"role": "in-band", "nodes_per_leaf": 2}],
            "site": {"plan": {}},
        },
        {
            "compute": {"server": "hgx-b300-9u", "nodes": 255},
            "fabric": {"generation": "roce-800", "uplink_spread": "uneven", "rails_per_leaf": 2},
            "site": {
                "plan": {"spine_core_panels": 2, "row_pitch_m": 20.0, "leaf_placement": "in-rack", "racks_per_row": 8}
            },
        },
        {
            "compute": {"server": "dgx-h100", "nodes": 62},
            "fabric": {
                "generation": "ndr",
                "tiers": 3,
                "oversubscription": "3:1",
                "layout": "rail-only",
                "pod_nodes": 1,
            },
            "other_fabrics": [{"role": "storage"}],
            "site": {"plan": {}},
        },
    ],
)
def test_last_pods_that_are_not_full_and_modules_by_reach(request_: dict[str, Any]) -> None:
    """Networks beside compute whose last pod shares its nodes evenly; links of one tier that need two kinds of transceiver.

    In the last one a leaf cage has links of 94 m and 100.5 m: its transceiver is that of the longer one, over one fibre part.
    """
    assert not both_routes(request_)


@pytest.mark.parametrize(
    ("nodes", "ratio", "layout", "shares"),
    [
        (271, "2:1", "top-of-rack", [2, 2, 2, 1, 1]),
        (602, "1:1", "top-of-rack", [16] * 4 + [15] * 16),
        (290, "1:1", "rail-optimized", [16] * 16 + [15] * 16),  # units of 16, 16, 15 and 15 nodes on eight rails
    ],
)
def test_a_last_pod_deals_its_nodes_out_over_all_its_leaves(
    nodes: int, ratio: str, layout: str, shares: list[int]
) -> None:
    request = {
        "compute": {"server": "dgx-a100-640", "nodes": nodes},
        "fabric": {"generation": "hdr", "oversubscription": ratio, "layout": layout},
    }
    assert not both_routes(request)
    text = b"".join(FORMATS["csv"].write(link_list(parse_spec(request, CATALOG), CATALOG, "compute"))).decode()
    held = Counter(row["b_device"] for row in rows_of(text) if row["tier"] == "node-leaf")
    (made,) = estimate([parse_spec(request, CATALOG)], CATALOG, ("counts",))
    assert len(held) == made.fabrics["compute"].counts.leaf
    of_last_pod = sorted(held, key=lambda leaf: int(leaf.rsplit("-", 1)[1]))[-len(shares) :]
    assert sorted((held[leaf] for leaf in of_last_pod), reverse=True) == shares
    assert "opensm_fat_tree_asymmetric" not in {finding.code for finding in made.findings}
