"""What is left out of all of the procedure: who, and what is known of it without them."""

import numpy as np
import pytest

from estimator.calibration.bands import Residual
from estimator.calibration.global_fit import FAMILY_WEIGHTS
from estimator.calibration.held_out import (
    ANY,
    LEAST_POINTS,
    SHOWN_SETS,
    NeverSeen,
    left_out,
    shown_sets,
    strangers,
)
from estimator.calibration.measured import CORE, Run, measured_runs
from estimator.calibration.never_seen import (
    SEEDS,
    as_neighbour,
    bands_of_others,
    is_of,
    kinds_of,
    split_of,
)
from estimator.catalog.constants import ModelConstants
from estimator.catalog.loader import load_catalog

CATALOG = load_catalog()
CONSTANTS = ModelConstants(CATALOG)


def fitted() -> list[Run]:
    return [run for run in measured_runs() if FAMILY_WEIGHTS.get(run.family)]


def test_a_split_leaves_out_a_third_of_the_operators_whole() -> None:
    sites = {run.site for run in fitted()}
    splits = [split_of(sites, seed) for seed in SEEDS]
    for out in splits:
        assert out < sites
        assert len(out) == round(len(sites) / 3)
    assert len({frozenset(out) for out in splits}) == len(SEEDS)


def test_bands_know_nothing_of_those_left_out() -> None:
    """A collective of which nobody speaks has the bands of its class, and no site."""
    rest = [run for run in fitted() if run.collective != "sendrecv" and run.family == CORE]
    left = [Residual(run, size, 0.1 * (i % 3), True) for run in rest for i, size in enumerate(run.message_bytes)]
    found = bands_of_others(left, rest, CONSTANTS)
    assert found["band_high", "one.large.sendrecv"] == found["band_high", "one.large"]
    assert found["measured_sites", "one.large.sendrecv"] == 0.0
    assert found["measured_sites", "one.large.all_reduce"] > 5
    assert max(value for (name, _), value in found.items() if name == "band_high") == pytest.approx(
        np.exp(0.2), abs=6e-3
    )


def test_what_is_of_a_kind_alone_is_taken_from_its_neighbour() -> None:
    hopper = float(CONSTANTS.row("ring_efficiency", "hopper").value)
    found = as_neighbour({("ring_efficiency", "hopper"): 0.5}, ("blackwell", ANY), {"hopper"}, CATALOG)
    assert found["ring_efficiency", "blackwell"] == 0.5 != hopper
    assert ("ring_efficiency", "ampere") not in found
    known = as_neighbour({}, ("ampere", "slingshot"), {"ampere", "slingshot"}, CATALOG)
    row = CONSTANTS.row("network_efficiency", "slingshot.hopper")
    assert known["network_efficiency", "slingshot.ampere"] == float(row.value)
    assert ("ring_efficiency", "ampere") not in known, "other networks say it"


def test_kinds_are_generations_on_networks_and_on_any() -> None:
    kinds = kinds_of(fitted(), CATALOG)
    assert {("hopper", "infiniband"), ("blackwell", ANY), ("cdna-3", "roce")} <= set(kinds)
    for kind in kinds:
        assert any(is_of(run, kind, CATALOG) for run in fitted())


def test_what_is_kept_has_every_split_and_kind_and_the_page_is_near_what_strangers_see() -> None:
    kept = left_out()
    assert {row.split for row in kept.splits} == set(SEEDS)
    assert {(row.generation, row.fabric) for row in kept.kinds} == set(kinds_of(fitted(), CATALOG))
    held = {row.size_class: (1.0, 1.0) for row in kept.splits}
    for row in strangers(kept.splits, held):
        assert row.sets >= 0.8 * len(SEEDS)
        for ratio in (row.ratio, row.nine_in_ten_ratio):
            assert ratio.typical == pytest.approx(1.0, abs=0.2), row.size_class
            assert ratio.low < 1.0 < ratio.high
        assert row.ratio_by_points == pytest.approx(1.0, abs=0.2), row.size_class
        assert row.inside.typical >= 0.85


def test_strangers_find_what_the_page_says_times_how_far_sets_were_off_it() -> None:
    def made(split: int, points: int, median: float) -> NeverSeen:
        figures = dict.fromkeys(
            ["page_nine_in_ten", "page_inside", "page_width", "nine_in_ten", "inside", "width"], 0.5
        )
        return NeverSeen(
            split=split,
            size_class="large",
            sites=split,
            page_points=9,
            page_median=0.02,
            points=points,
            median=median,
            **figures,
        )

    medians = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06]
    sets = [made(split, LEAST_POINTS * 3**split, median) for split, median in enumerate(medians)]
    too_small = made(9, LEAST_POINTS - 1, 9.0)
    (found,) = strangers([*sets, too_small], {"large": (0.1, 0.3), "mid": (0.2, 0.4)})
    assert (found.size_class, found.sets) == ("large", len(medians))
    assert list(found.ratio) == pytest.approx([0.75, 1.75, 2.75])  # a vote a set, however large
    assert list(found.median) == pytest.approx([0.075, 0.175, 0.275])
    weights = [3**split for split in range(len(medians))]
    assert found.ratio_by_points == pytest.approx(np.average(medians, weights=weights) / 0.02)
    assert list(found.nine_in_ten) == pytest.approx([0.3, 0.3, 0.3])
    assert found.within_a_fifth == pytest.approx(1 / 6)
    assert found.inside.typical == 0.5
    assert shown_sets(sets)[1] == [sets[1], None, None]
    assert len(shown_sets([made(split, LEAST_POINTS, 0.01) for split in range(99)])) == SHOWN_SETS
