"""Optima that are worked out here come out of a search: fewest switches of one radix, and NVIDIA's own switch beside its twin.

With one price a port and one radix P, a network costs its switches. Two levels without blocking take ⌈N ÷ ⌊P/2⌋⌉ edge switches
and the fewest cores that their uplinks can be dealt out to in equal bundles. That rule is of K. S. Solnushkin, "Automated
Design of Two-Layer Fat-Tree Networks", arXiv:1301.6179 (2013), and the primer at clusterdesign.org/fat-trees. Of both the
abstract and the beginning could be read, not their tables; his tool's source is public, but its answers rest on lists of
switches that are not. So the numbers expected here come from that rule by hand, and from the enumeration in ``fewest``.
"""

from math import ceil

import pytest

from estimator.errors import InfeasibleDesign
from tests.estimator.search.brute_force import searched

RADIX = 36


def custom(endpoints: int, radix: int = RADIX, **fabric: object) -> dict[str, object]:
    """Nodes of one port each in the order of their racks."""
    return {
        "compute": {"server": "custom", "nodes": endpoints, "gpus_per_node": 1, "nics_per_node": 1},
        "fabric": {"generation": "hdr", "leaf_radix": radix, "spine_radix": radix, "layout": "top-of-rack", "tiers": 2}
        | fabric,
    }


def fewest(endpoints: int, radix: int) -> int:
    """Switches of the cheapest two levels: every split of an edge switch, with links in equal bundles to every core."""
    found = []
    for down in range(1, radix // 2 + 1):
        edges = ceil(endpoints / down)
        for cores in range(1, radix + 1):
            up = ceil(down / cores) * cores
            if down + up <= radix and edges * up // cores <= radix:
                found.append(edges + cores)
    return min(found)


@pytest.mark.parametrize("endpoints", [37, 60, 72, 108, 144, 216, 300, 324, 400, 500, 600, 648])
def test_the_fewest_switches_of_36_ports_are_found(endpoints: int) -> None:
    answer = searched({"base": custom(endpoints), "free": ["uplink_spread"], "objective": "switches", "top": 1})
    least = ceil(endpoints / (RADIX // 2))
    assert answer["designs"][0]["figures"]["leaves"] >= least
    assert answer["designs"][0]["figures"]["switches"] <= fewest(endpoints, RADIX)


@pytest.mark.parametrize(("endpoints", "edges", "cores"), [(648, 36, 18), (324, 18, 9), (162, 9, 6), (72, 4, 2)])
def test_full_trees_have_the_switches_that_the_rule_gives(endpoints: int, edges: int, cores: int) -> None:
    """By the rule above. 648: 36 edge and 18 core switches, the whole tree; 324: bundles of two; 162: three; 72: nine."""
    figures = searched({"base": custom(endpoints), "objective": "switches", "top": 1})["designs"][0]["figures"]
    assert (figures["leaves"], figures["spines"]) == (edges, cores)


def test_two_levels_of_36_ports_end_at_648() -> None:
    with pytest.raises(InfeasibleDesign):
        searched(
            {"base": custom(649, oversubscription="4:1", leaf_downlinks=18, leaf_uplinks=18), "objective": "switches"}
        )


@pytest.mark.parametrize("nodes", [32, 64, 127])
def test_nvidias_own_switch_is_on_the_front_with_what_it_buys(nodes: int) -> None:
    base = {"compute": {"server": "dgx-h100", "nodes": nodes}, "fabric": {"generation": "ndr"}}
    request = {
        "base": base,
        "free": ["leaf_switch"],
        "pareto": ["network_usd", "all_to_all_gb_s", "managed"],
        "top": 50,
    }
    answer = searched(request)
    front = [answer["designs"][at] for at in answer["front"]]
    own = [one for one in front if one["values"]["fabric.leaf_switch"] in (None, "nvidia-qm9700")]
    assert own, [one["values"] for one in front]
    cheaper = answer["designs"][0]
    assert cheaper["values"]["fabric.leaf_switch"] == "nvidia-qm9790"
    assert (own[0]["figures"]["managed"], cheaper["figures"]["managed"]) == (1, 0)
