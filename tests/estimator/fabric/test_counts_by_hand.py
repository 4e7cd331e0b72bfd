"""Counts worked out by hand, one for each rule that random designs seldom touch."""

import pytest

from estimator.catalog.loader import load_catalog
from estimator.fabric.size import size
from tests.estimator.designs import counts_of, spec_of

EIGHT = {"leaf_radix": 8, "spine_radix": 8, "core_radix": 8, "tiers": 3}


def test_a_ratio_that_does_not_divide_the_ports_gives_fewer_downlinks() -> None:
    """64 ports at 2:1: 42 down need 21 up, 43 would need 22 and there are 21."""
    split = counts_of(spec_of(100, oversubscription="2:1", tiers=2, provision="full-unit"))["split"]
    assert (split["leaf_downlinks"], split["scalable_unit_nodes"]) == (42, 42)


def test_uplinks_given_alone_leave_the_other_ports_or_what_the_ratio_feeds() -> None:
    """24 uplinks on 64 ports: 40 ports are left at 2:1, and at 1:1 only 24 of them may be used."""
    assert counts_of(spec_of(32, leaf_uplinks=24, oversubscription="2:1", tiers=2))["split"]["leaf_downlinks"] == 40
    assert counts_of(spec_of(32, leaf_uplinks=24, tiers=2))["split"]["leaf_downlinks"] == 24


def test_fabric_managers_can_make_one_switch_too_small() -> None:
    """60 nodes and 4 managers fill 64 ports; 62 and 4 do not, unless one tier was asked for."""
    managers = {"fabric_manager_links": 4}
    assert counts_of(spec_of(60, 1, reserved=managers))["tiers"] == 1
    assert counts_of(spec_of(62, 1, reserved=managers))["tiers"] == 2
    asked = counts_of(spec_of(62, 1, reserved=managers, tiers=1))
    assert (asked["tiers"], asked["links"]["fabric_manager"]) == (1, 2)


def test_spine_ports_kept_free_make_more_spines() -> None:
    """24 leaves with 32 uplinks: 16 spines of 64 ports, and 32 where 32 ports of each stay free."""
    assert counts_of(spec_of(96, tiers=2))["counts"]["spine"] == 16
    assert counts_of(spec_of(96, tiers=2, reserved={"spine_ports": 32}))["counts"]["spine"] == 32


def test_leaves_have_the_uplinks_of_the_nodes_to_come() -> None:
    """16 nodes of a unit of 32 need 16 uplinks a leaf, and 32 if the unit is to be filled without new cables."""
    assert counts_of(spec_of(16, tiers=2))["split"]["leaf_uplinks"] == 16
    assert counts_of(spec_of(16, tiers=2, grow_to_nodes=32))["split"]["leaf_uplinks"] == 32


def test_a_pod_that_will_be_full_has_its_spines_from_the_start() -> None:
    """Pods of 16 nodes. 20 nodes now, 40 later: the second pod will be full, so it has four spines for its one leaf.

    Each of them has one link down, and one up to each of four cores, as the spines of the full pod have.
    """
    pods = EIGHT | {"scalable_unit_nodes": 4, "pod_nodes": 16}
    compute = counts_of(spec_of(20, 1, grow_to_nodes=40, **pods))
    assert (compute["counts"]["leaf"], compute["counts"]["spine"], compute["counts"]["core"]) == (5, 8, 8)
    assert compute["links"] == {"node_leaf": 20, "fabric_manager": 0, "leaf_spine": 20, "spine_core": 32}
    assert (compute["ports"]["spine_open"], compute["ports"]["core_open"]) == (8 * 8 - 20 - 32, 8 * 8 - 32)
    assert counts_of(spec_of(20, 1, **pods))["counts"] == {
        "nodes": 20,
        "gpus": 20,
        "endpoints": 20,
        "leaf": 5,
        "spine": 5,
        "core": 4,
        "switches": 14,
    }


def test_of_equally_few_cores_the_most_groups_are_built() -> None:
    """Two full pods of 8-port switches: 4 cores, as four groups of one, so that a spine meets a single core."""
    sizing = size([spec_of(32, 1, **EIGHT)], load_catalog())
    assert (sizing.n_core[0], sizing.core_groups[0], sizing.cores_a_group[0]) == (4, 4, 1)


def test_padded_spines_stay_within_their_ports() -> None:
    """12-port spines at 2:1 have 8 ports down. With 6 uplinks 18 cores would do, but 8 + 6 is more than 12: 4, and 24."""
    compute = counts_of(
        spec_of(
            78,
            2,
            leaf_radix=12,
            spine_radix=12,
            core_radix=6,
            tiers=3,
            spine_oversubscription="2:1",
            scalable_unit_nodes=6,
            pod_nodes=48,
        )
    )
    assert compute["counts"]["core"] == 24
    assert compute["ports"]["spine_open"] >= 0


@pytest.mark.parametrize(("spine_ratio", "narrowest"), [("1:1", 96), ("2:1", 48)])
def test_bisection_is_half_of_the_narrowest_layer(spine_ratio: str, narrowest: int) -> None:
    """96 nodes on 12-port switches: 96 links at every layer, and half of them above spines at 2:1."""
    twelve = {"leaf_radix": 12, "spine_radix": 12, "core_radix": 12, "tiers": 3}
    compute = counts_of(spec_of(96, 1, spine_oversubscription=spine_ratio, **twelve))
    assert compute["links"]["spine_core"] == narrowest
    assert compute["bisection_gbit_s"] == narrowest * 400 // 2
