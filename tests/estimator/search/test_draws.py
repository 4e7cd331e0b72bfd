"""Draws of prices over what a search found: shares of designs that win, fronts draw by draw, and ties."""

from typing import Any

import numpy as np
import pytest

from estimator.pipeline import estimate, priced_designs
from estimator.search.draws import DRAWS, SURE, DrawnDesigns, drawn_designs
from estimator.spec.parse import parse_spec
from tests.estimator.search.brute_force import CATALOG, searched

BASE = {"compute": {"server": "dgx-h100", "gpus": 512}, "fabric": {"generation": "ndr"}}
FRONT = ["network_usd", "all_to_all_gb_s"]
# the same ports with and without a subnet manager on board: prices of their own
ASKED = {
    "base": BASE | {"fabric": {"generation": "ndr", "oversubscription": ["1:1", "2:1"]}},
    "free": ["leaf_switch"],
    "pareto": FRONT,
}


@pytest.fixture(scope="module")
def answer() -> Any:
    return searched(ASKED | {"present": BASE})


def test_shares_and_regret_are_those_of_the_costs_own_draws(answer: Any) -> None:
    specs = [parse_spec(one["spec"], CATALOG) for one in answer["designs"]]
    drawn = drawn_designs(range(len(specs)), priced_designs(specs, CATALOG), None, "network_usd", {}, CATALOG)
    made = estimate(specs, CATALOG, ("percentiles",))
    for one, values in zip(made, drawn.values, strict=True):
        assert one.cost is not None
        assert one.cost.simulated is not None
        assert np.median(values) == pytest.approx(one.cost.simulated.network_usd.p50, rel=0.02)
    assert answer["draws"] == {"figure": "network_usd", "n": DRAWS, "seed": 1, "designs": len(specs)}
    for at, one in enumerate(answer["designs"]):
        excess = drawn.values[at] - drawn.values.min(axis=0)
        assert one["chance"]["wins"] == pytest.approx((excess == 0).mean(), abs=1e-4)
        assert one["chance"]["regret"]["p95"] == pytest.approx(np.percentile(excess, 95), abs=0.01)


def test_more_of_the_same_parts_never_wins_though_the_price_ranges_overlap(answer: Any) -> None:
    by_ratio = {
        one["values"]["fabric.oversubscription"]: one
        for one in answer["designs"]
        if one["values"]["fabric.leaf_switch"] is None
    }
    full, thin = by_ratio["1:1"], by_ratio["2:1"]
    assert full["ranges_usd"]["network_usd"]["low"] < thin["ranges_usd"]["network_usd"]["high"]
    assert full["chance"]["wins"] == 0
    assert full["chance"]["regret"]["p5"] > 0


def test_of_a_tie_is_undecided_what_the_best_does_not_beat_in_most_draws(answer: Any) -> None:
    """Servers make all prices overlap, though 1:1 is more of the same parts."""
    whole = searched(ASKED | {"objective": "tco_usd", "pareto": ["tco_usd", "all_to_all_gb_s"]})
    assert {*whole["undecided"]} < {*whole["tie"]}
    for found in (answer, whole):
        undecided = [found["designs"][at] for at in found["undecided"]]
        assert len(undecided) > 1
        assert {one["values"]["fabric.oversubscription"] for one in undecided} == {"2:1"}
        assert max(one["chance"]["wins"] for one in undecided) < SURE


def test_a_better_one_says_in_how_many_draws_it_is_better(answer: Any) -> None:
    (cheaper,) = [one for one in answer["present"]["regret"] if one["figure"] == "network_usd"]
    assert 0.5 < cheaper["in_draws"] < 1
    (faster,) = [one for one in answer["present"]["regret"] if one["figure"] != "network_usd"] or [{}]
    assert "in_draws" not in faster


def test_without_money_nothing_is_drawn() -> None:
    answer = searched(ASKED | {"objective": "switches", "pareto": ["switches", "all_to_all_gb_s"]})
    assert "draws" not in answer
    assert not any("chance" in one for one in answer["designs"])


@pytest.mark.parametrize("seed", range(3))
def test_shares_of_the_front_equal_every_draws_own_front(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values, others = rng.integers(0, 6, (7, 40)).astype(float), rng.integers(0, 4, (7, 2)).astype(float)
    found = DrawnDesigns("network_usd", list(range(7)), values, None)
    rows = np.concatenate(
        [values[:, None, :], np.repeat(others[:, :, None], 40, axis=2)], axis=1
    )  # (design, figure, draw)
    expected = np.zeros(7)
    for draw in range(40):
        for one in range(7):
            mine = rows[one, :, draw]
            expected[one] += not any(
                (rows[o, :, draw] <= mine).all() and (rows[o, :, draw] < mine).any() for o in range(7)
            )
    assert [one.on_front for one in found.chances(others)] == pytest.approx((expected / 40).tolist(), abs=1e-4)
