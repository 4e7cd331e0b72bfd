"""A change takes the place of what a request says, and of nothing else."""

import pytest

from estimator.catalog.loader import load_catalog
from estimator.spec.change import apply_change
from estimator.spec.parse import parse_spec

GIVEN = {"compute": {"server": "dgx-h100", "gpus": 256}, "fabric": {"generation": "ndr", "leaf_radix": 40}}


def test_keys_are_written_where_they_stand_and_the_request_stays_as_it_was() -> None:
    before = repr(GIVEN)
    made = apply_change(GIVEN, {"fabric.tiers": 3, "fabric.reserved.leaf_ports": 2, "site.node_leaf_m": 3})
    assert made["fabric"] == {"generation": "ndr", "leaf_radix": 40, "tiers": 3, "reserved": {"leaf_ports": 2}}
    assert made["site"] == {"node_leaf_m": 3}
    assert made["compute"] == GIVEN["compute"]
    assert repr(GIVEN) == before


def test_none_leaves_a_key_to_its_default() -> None:
    assert apply_change(GIVEN, {"fabric.leaf_radix": None})["fabric"] == {"generation": "ndr"}
    assert apply_change(GIVEN, {"site.node_leaf_m": None, "workload.x.y": None}) == GIVEN
    catalog = load_catalog()
    spec = parse_spec(apply_change(GIVEN, {"fabric.leaf_radix": None}), catalog)
    assert spec.fabric.leaf_radix == 64


@pytest.mark.parametrize("given", [GIVEN, parse_spec(GIVEN, load_catalog()).as_json()], ids=["given", "normalized"])
def test_nodes_take_the_place_of_gpus(given: dict[str, object]) -> None:
    spec = parse_spec(apply_change(given, {"compute.nodes": 31}), load_catalog())
    assert (spec.compute.nodes, spec.compute.gpus) == (31, None)
    assert parse_spec(apply_change(given, {"compute.gpus": 80}), load_catalog()).compute.nodes == 10


def test_entries_of_a_list_go_by_number() -> None:
    given = {"other_fabrics": [{"role": "storage", "tiers": 2}, {"role": "management"}]}
    made = apply_change(given, {"other_fabrics.1.tiers": 1, "other_fabrics.0.tiers": None})
    assert made == {"other_fabrics": [{"role": "storage"}, {"role": "management", "tiers": 1}]}
    with pytest.raises(ValueError, match="leads through"):
        apply_change({"fabric": 3}, {"fabric.tiers": 1})
