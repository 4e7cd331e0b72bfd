"""What a search says of the best design, of the others, and where nothing meets the limits."""

import time
from typing import Any

import numpy as np
import pytest

from estimator.errors import InfeasibleDesign, SpecError
from estimator.search.front import front_of
from estimator.search.values import MOST_VALUES, values_of
from tests.estimator.search.brute_force import searched
from tests.estimator.search.savings import ASKS, DOCUMENT, saving

BASE = {
    "compute": {"server": "dgx-h100", "nodes": 64},
    "fabric": {"generation": "ndr", "oversubscription": ["1:1", "2:1", "4:1"]},
}


def with_limits(*limits: Any, **more: Any) -> Any:
    return searched({"base": BASE, "limits": list(limits)} | more)


def test_the_cheapest_is_first_and_the_others_say_what_they_lost_on() -> None:
    answer = with_limits()
    costs = [one["figures"]["network_usd"] for one in answer["designs"]]
    assert costs == sorted(costs)
    assert [one["rank"] for one in answer["designs"]] == [1, 2, 3]
    assert "lost_on" not in answer["designs"][0]
    assert answer["designs"][1]["lost_on"] == {"figure": "network_usd", "by": costs[1] - costs[0]}
    assert answer["looked_at"] == answer["built"] == answer["feasible"] == 3


def test_a_limit_that_costs_money_is_binding_and_says_how_much() -> None:
    free, limited = (
        with_limits(),
        with_limits({"figure": "oversubscription", "most": 1.5}, {"figure": "racks", "most": 900}),
    )
    (binding,) = limited["binding"]
    assert binding["limit"]["figure"] == "oversubscription"
    costs = [one["designs"][0]["figures"]["network_usd"] for one in (limited, free)]
    assert binding["objective_without"] == costs[1]
    assert binding["costs"] == costs[0] - costs[1]


def test_an_impossible_limit_is_relaxed_to_the_nearest_value_that_is_possible() -> None:
    least = min(one["figures"]["network_usd"] for one in with_limits()["designs"])
    answer = with_limits({"figure": "network_usd", "most": least - 1})
    assert answer["designs"] == []
    assert answer["feasible"] == 0
    (relaxed,) = [one for one in answer["relax"] if one.get("limit")]
    assert relaxed["to"] == least
    again = with_limits({"figure": "network_usd", "most": relaxed["to"]})
    assert again["designs"][0]["figures"] == relaxed["then"]


def test_limits_that_only_fail_together_are_relaxed_one_by_one() -> None:
    """Cheap and at 1:1 each alone: either may give way."""
    found = {
        one["values"]["fabric.oversubscription"]: one["figures"]["network_usd"] for one in with_limits()["designs"]
    }
    answer = with_limits({"figure": "network_usd", "most": found["4:1"]}, {"figure": "oversubscription", "most": 1})
    assert {one["limit"]["figure"]: one["to"] for one in answer["relax"]} == {
        "network_usd": found["1:1"],
        "oversubscription": 4.0,
    }


def test_a_limit_of_a_figure_that_is_not_known_is_not_relaxed() -> None:
    """Parts of a custom server have no price."""
    base = {"compute": {"server": "custom", "nodes": 4}, "fabric": {"generation": "ndr"}}
    answer = searched({"base": base, "objective": "switches", "limits": [{"figure": "capex_usd", "most": 5}]})
    assert answer["feasible"] == 0
    assert not [one for one in answer["relax"] if one.get("limit")]


def test_limits_that_no_design_meets_alone_are_relaxed_together() -> None:
    answer = with_limits({"figure": "network_usd", "most": 1000}, {"figure": "switches", "most": 2})
    (relaxed,) = answer["relax"]
    assert len(relaxed["together_with"]) == 1
    limits = [(relaxed["limit"], relaxed["to"]), *((one["limit"], one["to"]) for one in relaxed["together_with"])]
    again = with_limits(*({"figure": limit["figure"], "most": to} for limit, to in limits))
    assert again["designs"][0]["figures"] == relaxed["then"]


def test_what_cannot_be_built_at_one_ratio_is_found_at_another() -> None:
    """At 1:1 400 endpoints take 34 leaves of 24 ports, and a spine has 32."""
    base = {
        "compute": {"server": "custom", "nodes": 50, "gpus_per_node": 8},
        "fabric": {"generation": "roce-400", "leaf_radix": 24, "spine_radix": 32, "tiers": 2, "layout": "top-of-rack"},
    }
    answer = searched({"base": base, "objective": "switches"})
    (relaxed,) = answer["relax"]
    assert relaxed["field"] == "fabric.oversubscription"
    again = searched(
        {"base": base | {"fabric": base["fabric"] | {"oversubscription": relaxed["to"]}}, "objective": "switches"}
    )
    assert again["designs"][0]["figures"] == relaxed["then"]


def test_nothing_that_can_be_built_says_why() -> None:
    base = {"compute": {"server": "dgx-h100", "nodes": [9_000, 12_000]}, "fabric": {"generation": "ndr", "tiers": 1}}
    with pytest.raises(InfeasibleDesign) as refused:
        searched({"base": base})
    assert refused.value.problems[0].code == "no_network"


def test_designs_that_come_to_the_same_are_shown_once() -> None:
    base = BASE | {"fabric": {"generation": "ndr", "tiers": ["auto", 2], "oversubscription": ["1:1", "2:1"]}}
    answer = searched({"base": base})
    assert [one["alike"] for one in answer["designs"]] == [1, 1]
    assert answer["feasible"] == 4


def test_a_design_with_a_part_without_a_price_never_wins_on_money() -> None:
    base = {"compute": {"server": "custom", "nodes": 16, "gpus_per_node": 8}, "fabric": {"generation": "ndr"}}
    answer = searched({"base": base, "objective": "switches"})
    assert answer["designs"][0]["figures"]["capex_usd"] is None
    assert searched({"base": base, "objective": "capex_usd"})["feasible"] == 0


@pytest.mark.parametrize("seed", range(5))
def test_the_front_is_what_no_other_row_dominates(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 12, (300, 3)).astype(np.float64)
    rows[::17, 1] = np.nan
    found = {tuple(row) for row in rows[front_of(rows)]}
    whole = {tuple(row) for row in rows if not np.isnan(row).any()}
    expected = {
        row
        for row in whole
        if not any(all(a <= b for a, b in zip(other, row, strict=True)) and other != row for other in whole)
    }
    assert found == expected


# ---------------------------------------------------------------- what is refused

WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"objective": "beauty"}, "objective", "unknown_figure"),
    ({"limits": [{"figure": "capexusd", "most": 1}]}, "limits[0].figure", "unknown_figure"),
    ({"limits": [{"figure": "racks"}]}, "limits[0]", "missing"),
    ({"limits": [{"figure": "racks", "most": -1}]}, "limits[0].most", "out_of_range"),
    ({"limits": [{"figure": "racks", "least": 9, "most": 8}]}, "limits[0]", "contradiction"),
    ({"limits": [{"figure": "racks", "least": 9}, {"figure": "racks", "most": 8}]}, "limits[1]", "contradiction"),
    ({"limits": [{"figure": "racks", "most": float("nan")}]}, "limits[0].most", "wrong_type"),
    ({"limits": [{"figure": "racks", "most": float("inf")}]}, "limits[0].most", "wrong_type"),
    ({"pareto": ["racks"]}, "pareto", "out_of_range"),
    ({"pareto": ["racks", "racks"]}, "pareto", "out_of_range"),
    ({"free": ["colour"]}, "free[0]", "unknown_field"),
    ({"free": ["years"]}, "free[0]", "not_a_choice"),
    ({"free": ["oversubscription"]}, "free[0]", "contradiction"),
    ({"top": 0}, "top", "out_of_range"),
    ({"top": True}, "top", "wrong_type"),
    ({"at_bytes": "16 GiB"}, "at_bytes", "wrong_type"),
    ({"objective": ["racks"]}, "objective", "wrong_type"),
    ({"limits": {"figure": "racks", "most": 1}}, "limits", "wrong_type"),
    ({"limits": [{"figure": "racks", "most": True}]}, "limits[0].most", "wrong_type"),
    ({"limits": [{"figure": "racks", "most": "ten"}]}, "limits[0].most", "wrong_type"),
    ({"limits": [{"figure": "tiers", "least": 4}]}, "limits[0].least", "out_of_range"),
    ({"limits": [{"figure": "endpoints_left", "least": 1.5}]}, "limits[0].least", "out_of_range"),
    ({"limits": [{"figure": "in_network_reduction", "least": 2}]}, "limits[0].least", "out_of_range"),
    ({"limits": [{"figure": "vendors", "allowed": ["Nvidea"]}]}, "limits[0].allowed[0]", "unknown_part"),
    ({"limits": [{"figure": "vendors", "barred": [3]}]}, "limits[0].barred[0]", "wrong_type"),
    ({"limits": [{"figure": "vendors", "allowed": []}]}, "limits[0].allowed", "missing"),
    ({"limits": [{"figure": "vendors", "barred": []}]}, "limits[0].barred", "missing"),
    ({"limits": [{"figure": "vendors", "allowed": ["Arista"], "barred": ["Arista"]}]}, "limits[0]", "contradiction"),
    ({"limits": [{"figure": "vendors", "allowed": ["Arista"], "most": 1}]}, "limits[0]", "contradiction"),
    ({"limits": [{"figure": "racks", "barred": ["Arista"]}]}, "limits[0]", "contradiction"),
    (
        {"limits": [{"figure": "vendors", "most": 1}, {"figure": "vendors", "least": 2}]},
        "limits[1]",
        "contradiction",
    ),
    (
        {"limits": [{"figure": "vendors", "allowed": ["Arista", "Dell"]}, {"figure": "vendors", "barred": ["Arista"]}]}
        | {"free": ["colour"]},
        "free[0]",
        "unknown_field",
    ),
    (
        {"limits": [{"figure": "vendors", "allowed": ["Arista"]}, {"figure": "vendors", "barred": ["Arista"]}]},
        "limits[1]",
        "contradiction",
    ),
    ({"colour": 1}, "colour", "unknown_key"),
]


@pytest.mark.parametrize(("more", "field", "code"), WRONG)
def test_wrong_requests_name_field_and_limit(more: dict[str, Any], field: str, code: str) -> None:
    with pytest.raises(SpecError) as refused:
        searched({"base": BASE} | more)
    assert (field, code) in [(one.field, one.code) for one in refused.value.problems]


WRONG_VALUES: list[tuple[str, Any, str, str]] = [
    ("nodes", {"from": 128, "to": 64}, "base.compute.nodes", "range_reversed"),
    ("nodes", {"from": 1, "to": 1_000_000_000}, "base.compute.nodes", "range_too_long"),
    ("nodes", {"from": 1, "to": 9, "step": 0}, "base.compute.nodes.step", "out_of_range"),
    ("nodes", {"from": 1, "to": 9, "step": float("nan")}, "base.compute.nodes.step", "wrong_type"),
    ("nodes", {"from": 1, "to": 9, "factor": 1}, "base.compute.nodes.factor", "out_of_range"),
    ("nodes", {"from": 1, "to": 10**400}, "base.compute.nodes.to", "wrong_type"),
    ("nodes", {"from": 1e-300, "to": 1e15, "factor": 1.0000001}, "base.compute.nodes", "range_too_long"),
    ("nodes", {"from": 1}, "base.compute.nodes.to", "wrong_type"),
    ("gpus", [64, 128], "base.compute.gpus", "contradiction"),
    ("nodes", {"from": "1", "to": 4}, "base.compute.nodes.from", "wrong_type"),
    ("nodes", {"from": 1, "to": 9, "step": 0.5}, "base.compute.nodes", "wrong_type"),
    ("nodes", {"from": 0, "to": 9}, "base.compute.nodes", "out_of_range"),
    ("nodes", [], "base.compute.nodes", "out_of_range"),
    ("nodes", ["many"], "base.compute.nodes", "wrong_type"),
    ("nodes", [True], "base.compute.nodes", "wrong_type"),
    ("nodes", [1, True], "base.compute.nodes", "wrong_type"),
    ("nodes", [float("nan")], "base.compute.nodes", "wrong_type"),
    ("nodes", {"from": True, "to": 4}, "base.compute.nodes.from", "wrong_type"),
    ("nodes", [[1]], "base.compute.nodes", "wrong_type"),
    ("nodes", list(range(1, 20_000)), "base", "too_many_candidates"),
    ("server", ["dgx-h100", "no-such-server"], "base.compute.server", "unknown_part"),
]


@pytest.mark.parametrize(("key", "value", "field", "code"), WRONG_VALUES)
def test_wrong_values_name_field_and_limit_at_once(key: str, value: Any, field: str, code: str) -> None:
    base = {
        "compute": {"server": "dgx-h100", "nodes": 4} | {key: value},
        "fabric": {"generation": "ndr", "leaf_uplinks": list(range(1, 9))},
    }
    start = time.process_time()
    with pytest.raises(SpecError) as refused:
        searched({"base": base})
    assert (field, code) in [(one.field, one.code) for one in refused.value.problems]
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("pue", "nodes", "said"),
    [
        ({"from": 1.0, "to": 2.0, "step": 1e-9}, 4, "Take a step of at least 6e-05."),
        (None, {"from": 1, "to": 10**9}, "Take a step of at least 50,003."),
    ],
)
def test_a_range_that_is_too_long_names_a_step_that_would_do(pue: Any, nodes: Any, said: str) -> None:
    base = {
        "compute": {"server": "dgx-h100", "nodes": nodes},
        "fabric": {"generation": "ndr"},
        "economics": {"pue": pue},
    }
    with pytest.raises(SpecError) as refused:
        searched({"base": base})
    assert said in refused.value.problems[0].message
    step = float(said.split()[-1].rstrip(".").replace(",", ""))
    first, last = (1.0, 2.0) if pue else (1, 10**9)
    assert len(values_of({"from": first, "to": last, "step": step}, "x")) <= MOST_VALUES


def test_limits_in_a_message_are_printed_as_they_were_given() -> None:
    with pytest.raises(SpecError) as refused:
        with_limits({"figure": "capex_usd", "least": 95_000_000, "most": 8.5})
    assert "at least 95,000,000 and at most 8.5." in refused.value.problems[0].message


@pytest.mark.parametrize("tiers", [True, [True], [1, True], [False, "auto"]])
def test_true_and_false_are_no_number_of_tiers(tiers: Any) -> None:
    base = {"compute": {"server": "dgx-h100", "nodes": 4}, "fabric": {"generation": "ndr", "tiers": tiers}}
    with pytest.raises(SpecError) as refused:
        searched({"base": base})
    assert ("base.fabric.tiers", "not_a_choice") in [(one.field, one.code) for one in refused.value.problems]


# ---------------------------------------------------------------- limits on parts

ROCE = {
    "compute": {"server": "hgx-h200-8u", "nodes": 32},
    "fabric": {
        "generation": "roce-400",
        "leaf_switch": ["nvidia-sn5600", "arista-7060x6-64pe", "dell-z9864f-on"],
        "spine_switch": ["nvidia-sn5600", "arista-7060x6-64pe", "dell-z9864f-on"],
    },
}


def of_vendors(figure: str = "switch_vendors", **names: Any) -> Any:
    return searched({"base": ROCE, "limits": [{"figure": figure, **names}], "top": 200})


def switches_of(one: Any) -> set[str]:
    return {one["values"]["fabric.leaf_switch"], one["values"]["fabric.spine_switch"]}


def test_vendors_of_switches_are_allowed_barred_and_counted() -> None:
    every = searched({"base": ROCE, "top": 200})
    assert {len(switches_of(one)) for one in every["designs"]} == {1, 2}
    barred = of_vendors(barred=["NVIDIA"])
    assert barred["designs"]
    assert not any("nvidia-sn5600" in switches_of(one) for one in barred["designs"])
    assert all(switches_of(one) == {"arista-7060x6-64pe"} for one in of_vendors(allowed=["Arista"])["designs"])
    assert all(len(switches_of(one)) == 1 for one in of_vendors(most=1)["designs"])
    assert all(len(switches_of(one)) == 2 for one in of_vendors(least=2)["designs"])


def test_cables_and_transceivers_have_vendors_too() -> None:
    """NVIDIA's own ConnectX ends take NVIDIA's cables here, whoever makes the switches."""
    assert of_vendors("vendors", barred=["NVIDIA"])["feasible"] == 0
    (alone,) = of_vendors("vendors", most=1)["designs"]
    assert switches_of(alone) == {"nvidia-sn5600"}


def test_a_vendor_limit_that_costs_money_binds_and_one_without_designs_is_relaxed() -> None:
    mixed, single = searched({"base": ROCE, "top": 1}), of_vendors(most=1)
    (binding,) = single["binding"]
    costs = [one["designs"][0]["figures"]["network_usd"] for one in (single, mixed)]
    assert binding["costs"] == costs[0] - costs[1] > 0
    nobody = of_vendors(allowed=["Cisco"])
    assert nobody["feasible"] == 0
    (relaxed,) = nobody["relax"]
    again = of_vendors(allowed=["Cisco", *relaxed["to"].split(", ")])
    assert again["designs"][0]["figures"] == relaxed["then"]


def test_a_vendor_limit_binds_at_another_message_size_than_its_own() -> None:
    limit = {"figure": "switch_vendors", "allowed": ["Dell"]}
    (binding,) = searched({"base": ROCE, "at_bytes": 2**20, "limits": [limit], "top": 1})["binding"]
    assert binding["value"] == 1
    assert binding["costs"] > 0


def test_one_by_one_candidates_are_bounded() -> None:
    base = BASE | {
        "other_fabrics": [{"role": "storage"}],
        "compute": {"server": "dgx-h100", "nodes": {"from": 1, "to": 400}},
    }
    with pytest.raises(SpecError) as refused:
        searched({"base": base})
    assert refused.value.problems[0].code == "too_many_candidates"


def test_other_networks_are_in_the_figures() -> None:
    alone, with_storage = (
        searched({"base": BASE | {"other_fabrics": others}, "top": 1})["designs"][0]["figures"]
        for others in ([], [{"role": "storage"}])
    )
    assert with_storage["switches"] > alone["switches"]
    assert with_storage["network_usd"] > alone["network_usd"]


# ---------------------------------------------------------------- the default of the form


@pytest.mark.parametrize("ask", ASKS)
def test_a_search_never_costs_more_than_the_default_and_its_row_of_the_document_says_by_how_much(ask: Any) -> None:
    made = saving(*ask)
    assert made.found_gpus >= made.gpus
    assert made.best_usd <= made.default_usd
    assert f"\n{made.row}\n" in DOCUMENT.read_text(), "python -m tests.estimator.search.savings --write"
