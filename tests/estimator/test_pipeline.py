"""What the parts of an estimate hand to each other."""

from typing import Any

import pytest

from estimator.catalog.catalog import Catalog
from estimator.designs.system import system_of
from estimator.errors import InfeasibleDesign
from estimator.fabric.size import size
from estimator.fabric.sized import fabric_of
from estimator.performance.result import BuiltSystem
from estimator.pipeline import ALL_PARTS, estimate
from estimator.spec.parse import parse_spec
from tests.estimator.designs import forget_choices, spec_of


def system(catalog: Catalog, nodes: int, workload: dict[str, Any] | None = None, **fabric: Any) -> BuiltSystem:
    values = {
        "compute": {"server": "dgx-h100", "nodes": nodes},
        "fabric": {"generation": "ndr", **fabric},
        "workload": workload or {},
    }
    spec = parse_spec(values, catalog)
    return system_of(spec, fabric_of(size([spec], catalog), 0, spec), catalog)


def test_a_prediction_is_made_for_the_fabric_that_was_built(catalog: Catalog) -> None:
    """Leaves of 40 nodes at 2:1 that hold 30: 30 of 20 uplinks, and not the ratio asked for."""
    made = system(catalog, 30, oversubscription="2:1", leaf_downlinks=40, leaf_uplinks=20, tiers=2)
    assert (made.oversubscription, made.nodes_per_leaf) == ("3:2", 30)
    assert (made.spine_oversubscription, made.nodes_per_pod) == ("1:1", 30)
    assert (made.gpu, made.nics_per_node, made.nic_gbit_s, made.fabric) == (
        "h100-sxm",
        8,
        400,
        "infiniband",
    )


def test_adapters_slower_than_the_fabric_are_predicted_at_their_own_rate(catalog: Catalog) -> None:
    """DGX A100 has 200 Gb/s ports: on a 400 Gb/s fabric at 4:1 its uplinks are shared 2:1."""
    values = {
        "compute": {"server": "dgx-a100-640", "nodes": 48},
        "fabric": {"generation": "ndr", "leaf_downlinks": 48, "leaf_uplinks": 12},
    }
    spec = parse_spec(values, catalog)
    made = system_of(spec, fabric_of(size([spec], catalog), 0, spec), catalog)
    assert (made.nic_gbit_s, made.oversubscription) == (200.0, "2:1")
    assert "nic_below_port_rate" in {finding.code for finding in estimate([spec], catalog, ("counts",))[0].findings}


def test_a_prediction_knows_pods_and_spines(catalog: Catalog) -> None:
    made = system(catalog, 512, tiers=3, pod_nodes=256, spine_oversubscription="2:1")
    assert (made.spine_oversubscription, made.nodes_per_pod, made.nodes_per_leaf) == ("2:1", 256, 32)


def test_a_prediction_knows_the_worst_pod_and_a_smaller_last_one(catalog: Catalog) -> None:
    """13 pods of 84 · 12 nodes less: 2:1 at all spines but those of the last, which 149:78 in the mean made too fast by 5 %."""
    values = {
        "compute": {"server": "dgx-b300", "nodes": 12_500},
        "fabric": {
            "generation": "roce-400",
            "planes": 2,
            "tiers": 3,
            "oversubscription": "2:1",
            "spine_oversubscription": "2:1",
        },
    }
    spec = parse_spec(values, catalog)
    made = system_of(spec, fabric_of(size([spec], catalog), 0, spec), catalog)
    assert (made.oversubscription, made.spine_oversubscription, made.nodes_per_pod) == ("2:1", "2:1", 1008)
    assert (made.last_pod_from, made.last_pod_nodes, made.last_pod_oversubscription) == (12_096, 404, "101:63")
    assert system(catalog, 512, tiers=3, pod_nodes=256).last_pod_nodes is None


def test_uplinks_with_room_are_known_to_have_it(catalog: Catalog) -> None:
    assert system(catalog, 64, oversubscription="1:2", tiers=2).oversubscription == "1:2"


def test_switches_add_only_on_infiniband(catalog: Catalog) -> None:
    sharp = {"in_network_reduction": True}
    assert system(catalog, 64, sharp).in_network_reduction
    on_ethernet = system(catalog, 64, sharp, generation="roce-400")
    assert (on_ethernet.fabric, on_ethernet.in_network_reduction) == ("roce", False)


def test_parts_not_asked_for_are_left_out(catalog: Catalog) -> None:
    spec = spec_of(64)
    everything = estimate([spec], catalog)[0].as_json()
    assert set(everything) - set(estimate([spec], catalog, ("counts",))[0].as_json()) == {
        "bom",
        "cost",
        "power",
        "performance",
        "failures",
        "growth",
    }
    assert "cables" not in estimate([spec], catalog, ("counts",))[0].as_json()["fabrics"]["compute"]
    found, bare = (estimate([spec], catalog, parts)[0].findings for parts in (("counts", "changes"), ("counts",)))
    assert any(finding.change for finding in found)
    assert not any(finding.change for finding in bare)
    assert [finding.message for finding in bare] == [finding.message for finding in found]
    whole_cost = everything.pop("cost")
    for part in ALL_PARTS:
        made = estimate([spec], catalog, (part,))[0].as_json()
        cost = made.pop("cost", {})
        assert all(made[key] == everything[key] for key in set(made) - {"fabrics", "findings"}), part
        added = {"cost": {"simulated", "uncertainty"}, "percentiles": {"uncertainty"}}.get(part, set())
        of_other_parts = {"usd_per_gb_s_busbw"} | added
        assert not cost or set(whole_cost) - set(cost) == of_other_parts - {"usd_per_gb_s_busbw"}, part
        assert all(cost[key] == whole_cost[key] for key in set(cost) - of_other_parts), part


def test_a_batch_is_its_designs_one_by_one(catalog: Catalog) -> None:
    specs = [
        spec_of(64),
        spec_of(300),
        parse_spec({"compute": {"server": "dgx-b300", "nodes": 40}, "fabric": {"generation": "xdr"}}, catalog),
    ]
    batch = [made.as_json() for made in estimate(specs, catalog)]
    forget_choices()
    assert batch == [estimate([spec], catalog)[0].as_json() for spec in specs]


def test_all_designs_that_cannot_be_built_are_named_at_once(catalog: Catalog) -> None:
    with pytest.raises(InfeasibleDesign) as caught:
        estimate([spec_of(16, tiers=1), spec_of(8), spec_of(257, tiers=2)], catalog)
    assert [problem.code for problem in caught.value.problems] == ["one_tier_too_small", "two_tier_too_small"]
