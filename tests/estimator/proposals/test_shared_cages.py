"""Splits that are no whole cages: no port on two rows of the link list, no cage with two plugs unsaid, a change that works."""

import csv
import io
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.errors import EstimatorError
from estimator.handoff.formats import FORMATS
from estimator.link_list import link_list
from estimator.pipeline import estimate
from estimator.proposals.cables import SHARED_CAGE
from estimator.spec.change import apply_change
from estimator.spec.parse import parse_spec
from tests.estimator.test_second_route import CATALOG, both_routes
from tests.thorough import n_examples

SERVERS = [
    ("dgx-b300", "roce-400"),
    ("hgx-h200-8u", "roce-400"),
    ("dgx-h100", "ndr"),
    ("hgx-h100-8u", "ndr"),
    ("smc-8125gs-mi300x", "roce-400"),
    ("dgx-a100-640", "hdr"),
]


def shared(request: dict[str, Any]) -> list[dict[str, Any]]:
    """The findings about shared cages."""
    (made,) = estimate([parse_spec(request, CATALOG)], CATALOG, ("counts", "cables", "changes"))
    found = [finding.as_json() for finding in made.findings]
    assert all(finding["severity"] == "error" for finding in found if finding["code"] == SHARED_CAGE)
    return [finding for finding in found if finding["code"] == SHARED_CAGE]


@st.composite
def odd_splits(draw: st.DrawFn) -> dict[str, Any]:
    """A request with a split of its own."""
    server, generation = draw(st.sampled_from(SERVERS))
    fabric: dict[str, Any] = {
        "generation": generation,
        "layout": draw(st.sampled_from(["top-of-rack", "rail-optimized"])),
        "splitters": draw(st.booleans()),
        "leaf_downlinks": draw(st.integers(1, 100)),
        "uplink_spread": draw(st.sampled_from(["even", "uneven"])),
        "reserved": {"fabric_manager_links": draw(st.sampled_from([0, 0, 1, 2, 3, 5]))},
    }
    if draw(st.booleans()):
        fabric["leaf_uplinks"] = draw(st.integers(1, 40))
    site = draw(st.sampled_from([{}, {"plan": {}}, {"node_leaf_m": 2.0}, {"leaf_spine_m": 2.0}]))
    return {"compute": {"server": server, "nodes": draw(st.integers(4, 60))}, "fabric": fabric, "site": site}


@settings(max_examples=n_examples(60), deadline=None)
@given(odd_splits())
def test_odd_splits_have_every_port_once_and_every_cage_one_plug(request_: dict[str, Any]) -> None:
    try:
        spec = parse_spec(request_, CATALOG)
        text = b"".join(FORMATS["csv"].write(link_list(spec, CATALOG, "compute"))).decode()
        found = both_routes(request_)
    except EstimatorError:
        return  # no such design; other tests say why
    rows = list(csv.DictReader(io.StringIO(text)))
    ends = Counter((row[f"{end}_device"], row[f"{end}_port"]) for row in rows for end in "ab")
    assert max(ends.values()) == 1
    assert not found
    for finding in shared(request_):
        if finding["change"]:
            assert not shared(apply_change(request_, finding["change"]))


@pytest.mark.parametrize(
    ("server", "nodes", "generation", "fabric", "site", "change"),
    [
        (
            "dgx-b300",
            55,
            "roce-400",
            {"layout": "top-of-rack", "leaf_downlinks": 41, "reserved": {"fabric_manager_links": 2}},
            {"plan": {}},
            {"fabric.leaf_downlinks": 42, "fabric.leaf_uplinks": None},
        ),
        (
            "dgx-b300",
            64,
            "roce-400",
            {"layout": "top-of-rack", "leaf_downlinks": 63},
            {"node_leaf_m": 2.0},
            {"fabric.leaf_downlinks": 64, "fabric.leaf_uplinks": None},
        ),
        (
            "hgx-h100-8u",
            66,
            "ndr",
            {"scalable_unit_nodes": 33, "leaf_downlinks": 33, "leaf_uplinks": 31, "uplink_spread": "uneven"},
            {"node_leaf_m": 2.0},
            {"fabric.leaf_downlinks": 34, "fabric.leaf_uplinks": 30},
        ),
    ],
)
def test_a_shared_cage_has_a_change_that_gives_it_one_plug(
    server: str, nodes: int, generation: str, fabric: dict[str, Any], site: dict[str, Any], change: dict[str, Any]
) -> None:
    """Whole cages next to the split that was named, not a plan of the tool's own."""
    asked = {"compute": {"server": server, "nodes": nodes}, "fabric": fabric | {"generation": generation}, "site": site}
    found = shared(asked)
    assert found
    assert all(finding["change"] == change for finding in found)
    assert not shared(apply_change(asked, change))
    assert not both_routes(asked)  # the bill counts both plugs, as the list has them
