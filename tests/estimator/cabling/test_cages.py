"""Cages hold one plug: transceivers of designs that grow, media of one cage, media that fit each network."""

from typing import Any

import pytest

from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from estimator.pipeline import estimate
from estimator.spec.change import apply_change
from estimator.spec.parse import parse_spec
from tests.estimator.test_second_route import both_routes

CATALOG = load_catalog()


def said(request: dict[str, Any]) -> dict[str, Any]:
    (made,) = estimate([parse_spec(request, CATALOG)], CATALOG, ("counts", "bom", "cost"))
    return made.as_json()


@pytest.mark.parametrize(
    ("server", "generation", "nodes", "grown"),
    [
        ("dgx-b300", "xdr", 128, 2048),
        ("dgx-h200", "ndr", 64, 300),
        ("dgx-h100", "ndr", 40, 600),
        ("hgx-h200-8u", "roce-400", 100, 3000),
    ],
)
def test_designs_that_grow_into_three_tiers_buy_a_module_for_every_cage(
    server: str, generation: str, nodes: int, grown: int
) -> None:
    request = {
        "compute": {"server": server, "nodes": nodes},
        "fabric": {"generation": generation, "tiers": 3, "grow_to_nodes": grown},
    }
    assert both_routes(request) == []


@pytest.mark.parametrize("server", ["hgx-h200-8u", "smc-8125gs-mi300x"])
@pytest.mark.parametrize("split", [{}, {"leaf_downlinks": 85, "leaf_uplinks": 43}])
def test_media_of_one_cage_are_chosen_together(server: str, split: dict[str, Any]) -> None:
    """With 85 downlinks a twin cage holds the links of two leaves' nodes: no medium was set by hand."""
    request = {
        "compute": {"server": server, "nodes": 32},
        "site": {"plan": {}},
        "fabric": {"generation": "roce-400", "layout": "top-of-rack", "oversubscription": "2:1", **split},
    }
    assert both_routes(request) == []


def test_a_medium_of_the_site_holds_where_it_fits() -> None:
    request = {
        "compute": {"server": "dgx-h100", "nodes": 32},
        "fabric": {"generation": "ndr"},
        "site": {"node_leaf_medium": "multimode"},
        "other_fabrics": [{"role": "out-of-band"}],
    }
    fabrics = said(request)["fabrics"]
    media = [fabrics[role]["media"]["node_leaf"]["medium"] for role in ("compute", "out-of-band")]
    assert media == ["multimode", "copper"]


def test_a_server_of_one_port_is_offered_one_leaf() -> None:
    request = {
        "compute": {"server": "smc-8125gs-mi300x", "nodes": 32},
        "fabric": {"generation": "roce-400"},
        "other_fabrics": [{"role": "storage"}, {"role": "in-band", "dual_homed": True}],
    }
    with pytest.raises(SpecError) as refused:
        parse_spec(request, CATALOG)
    (problem,) = refused.value.problems
    assert problem.change
    assert "in-band" in said(apply_change(request, problem.change))["fabrics"]


def test_fabric_managers_are_no_part_of_the_bisection() -> None:
    """31 nodes at 1:1 inject 99,200 Gb/s, with four manager links beside them or without."""
    request = {"compute": {"server": "dgx-h100", "nodes": 31}, "fabric": {"generation": "ndr", "tiers": 2}}
    alone = said(request)["fabrics"]["compute"]
    managed = said(apply_change(request, {"fabric.reserved": {"fabric_manager_links": 4}}))["fabrics"]["compute"]
    assert managed["bisection_gbit_s"] == alone["bisection_gbit_s"] == 31 * 8 * 400 // 2


def test_a_link_of_two_fibres_names_both() -> None:
    request = {
        "compute": {"server": "custom", "nodes": 40},
        "fabric": {"generation": "roce-800"},
        "site": {"node_leaf_m": 1.0},
    }
    assert said(request)["fabrics"]["compute"]["cables"]["node_leaf"] == 640
    assert both_routes(request) == []
