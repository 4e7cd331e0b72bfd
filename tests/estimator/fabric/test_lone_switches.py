"""Switches whose loss takes servers along are counted one by one, where groups differ in how many spines they have."""

from estimator.catalog.catalog import Catalog
from estimator.cost.reliability import cutting_switches
from estimator.designs.networks import sized_fabrics
from estimator.fabric.ratios import groups_of
from estimator.spec.parse import parse_spec

UNLIKE = {
    "compute": {"server": "custom", "nodes": 36, "gpus_per_node": 1, "nics_per_node": 1, "nic_ports_per_node": 1},
    "fabric": {
        "generation": "ndr",
        "leaf_switch": "custom",
        "leaf_radix": 8,
        "spine_radix": 8,
        "core_radix": 8,
        "oversubscription": "3:1",
        "tiers": 3,
        "scalable_unit_nodes": 6,
        "pod_nodes": 24,
    },
}


def test_a_lone_spine_counts_and_its_neighbours_do_not(catalog: Catalog) -> None:
    _, (fabric,) = sized_fabrics([parse_spec(UNLIKE, catalog)], catalog)
    groups = groups_of(fabric)
    assert {group.spines for group in groups} == {1, 2}
    lone = sum(group.n for group in groups if group.spines == 1 and group.leaves > 1) * fabric.n_components
    assert cutting_switches(fabric)["spine"] == lone
    assert lone < fabric.n_spine
