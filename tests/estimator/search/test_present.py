"""The present design beside what a search finds: where it stands, and by how much others are better."""

import numpy as np
import pytest

from estimator.errors import SpecError
from estimator.search.present import Beside
from tests.estimator.search.brute_force import searched

BASE = {
    "compute": {"server": "dgx-h100", "nodes": 64},
    "fabric": {"generation": "ndr", "oversubscription": ["1:1", "2:1", "4:1"]},
}
FRONT = ["network_usd", "all_to_all_gb_s"]


def present(fabric):
    fixed = {"compute": BASE["compute"], "fabric": {"generation": "ndr"} | fabric}
    return searched({"base": BASE, "pareto": FRONT, "present": fixed})


@pytest.mark.parametrize("ratio", ["1:1", "2:1", "4:1"])
def test_a_design_that_is_among_the_found_ones_has_no_regret(ratio):
    answer = present({"oversubscription": ratio})
    assert answer["present"]["is_on_front"] is True
    assert answer["present"]["regret"] == []


def test_regret_is_the_most_that_others_are_better_and_no_worse_otherwise():
    answer = present({"tiers": 3})
    own = answer["present"]["figures"]
    assert answer["present"]["is_on_front"] is False
    (regret,) = answer["present"]["regret"]
    others = [one["figures"] for one in answer["designs"]]
    allowed = [one["network_usd"] for one in others if one["all_to_all_gb_s"] >= own["all_to_all_gb_s"] * (1 - 1e-9)]
    assert regret["figure"] == "network_usd"
    assert regret["by"] == pytest.approx(own["network_usd"] - min(allowed))
    assert others[regret["design"]]["network_usd"] == min(allowed)


def test_a_wrong_present_design_is_refused_by_its_key():
    with pytest.raises(SpecError) as refused:
        present({"oversubscription": "0:1"})
    assert refused.value.problems[0].field == "present.fabric.oversubscription"


def test_figures_that_differ_by_rounding_are_the_same():
    beside = Beside(np.array([[1.0, 2.0 - 1e-12], [0.5, 3.0]]), np.array([1.0, 2.0]))
    assert list(beside.better(0)) == []
    assert list(beside.better(1)) == []
    assert not beside.is_dominated(lambda row: True)
    assert Beside(np.array([[0.5, 2.0]]), np.array([1.0, 2.0])).is_dominated(lambda row: True)
    assert not Beside(np.array([[0.5, 2.0]]), np.array([1.0, 2.0])).is_dominated(lambda row: False)
