"""The constants against the measured steps: errors that a release promises, and what a constant must say of itself."""

import json
from collections import Counter

import numpy as np
import pytest

from estimator.catalog.constants import ModelConstants
from estimator.catalog.loader import load_catalog
from estimator.training_request import band_of
from estimator.workloads.accuracy import STEP, rankings
from estimator.workloads.models.counts import total_parameters
from estimator.workloads.paths.host_memory import HOST_MEMORY
from estimator.workloads.training.calibrating import common_ln
from estimator.workloads.training.constants import Constants, training_constants
from estimator.workloads.training.fit import Measured, calibrated, fitted, measured
from estimator.workloads.training.report import PATH, RANKING, fingerprint, kept_back
from estimator.workloads.training.rows import data_parallel_steps, eager_steps, measured_steps


@pytest.fixture(scope="module")
def data() -> Measured:
    return measured(training_constants())


def test_every_constant_has_a_basis_and_evidence_and_every_fitted_one_a_prior_near_it() -> None:
    for row in training_constants().rows:
        assert row.unit
        assert row.evidence
        assert row.basis in ("fitted", "assumption", "published", "datasheet")
        if row.basis == "fitted" and row.spread:
            assert abs(np.log(row.value / row.prior)) < 4 * row.spread, row


def test_no_constant_is_one_models_own() -> None:
    catalog = load_catalog()
    models = {row.model for row in measured_steps(catalog, ModelConstants(catalog))}
    assert not models & {row.index for row in training_constants().rows}


def test_measured_steps_have_sources_and_licences() -> None:
    catalog = load_catalog()
    rows = list(measured_steps(catalog, ModelConstants(catalog)))
    assert len(rows) > 600
    assert all(row.url.startswith("https://") and row.licence for row in rows)
    assert max(Counter(row.id for row in rows).values()) == 1


def test_predictions_are_as_near_as_was_fitted(data: Measured) -> None:
    off = np.abs(data.errors(training_constants()))
    assert np.median(off) < 0.035
    assert np.quantile(off, 0.9) < 0.125


def test_nine_steps_in_ten_lie_within_the_stated_band(data: Measured) -> None:
    constants = training_constants()
    off, is_moe = np.abs(data.errors(constants)), np.array([row.run.shape.is_moe for row in data.rows])
    for kind, own in (("dense", ~is_moe), ("moe", is_moe)):
        assert {band_of(row.run, constants) for row, is_own in zip(data.rows, own, strict=True) if is_own} == {
            f"{kind}.seen"
        }
        band = next(row.value for row in constants.rows if (row.name, row.index) == ("band", f"{kind}.seen"))
        assert 0.85 <= (off[own] <= band).mean() <= 0.95


def test_own_steps_of_eager_pytorch_are_met_by_constants_of_its_own() -> None:
    data = measured(training_constants(), eager_steps)
    off = np.abs(data.errors(training_constants()))
    assert len(off) == 48
    over_host = np.array([row.run.path == HOST_MEMORY for row in data.rows])
    assert over_host.sum() == 8
    for own in (over_host, ~over_host):
        assert np.median(off[own]) < 0.05
        assert np.quantile(off[own], 0.9) < 0.12
    assert off.max() < 0.175  # a single eager step; rings of two GPUs have their own copy since


def test_own_steps_that_a_fit_has_not_seen_are_met_too() -> None:
    off = np.abs(kept_back(measured(training_constants(), eager_steps), training_constants()))
    assert np.median(off) < 0.07
    assert np.quantile(off, 0.9) < 0.15


def test_data_parallel_steps_of_another_machine_are_met_without_a_fit() -> None:
    data = measured(training_constants(), data_parallel_steps)
    off = np.abs(data.errors(training_constants()))
    parameters = {total_parameters(row.run.shape) for row in data.rows}
    assert len(off) == 8
    assert parameters.pop() == pytest.approx(1_339_129_856, rel=1e-3)
    assert off.max() < 0.12
    kept = data.errors(training_constants())
    slow = {(row.run.path, row.gpus): step for row, step in zip(data.rows, np.exp(kept) * data.step_s, strict=True)}
    assert slow[HOST_MEMORY, 4] > 1.3 * slow["nvlink", 4]


def test_a_fit_from_the_priors_finds_constants_as_good(data: Measured) -> None:
    """On every third row, so that it takes little."""
    every_third = data.take(np.arange(len(data.rows)) % 3 == 0)
    constants = training_constants()
    start = constants.replaced(np.array([row.prior for row in constants.rows]))
    found = fitted(every_third, start)
    assert np.median(np.abs(data.errors(found))) < 0.05
    assert isinstance(found, Constants)


def test_three_rows_take_a_common_factor_away(data: Measured) -> None:
    off = data.errors(training_constants())
    slow = np.nanmedian(np.abs(calibrated(data, off + 0.5)))
    assert slow < 0.1
    assert slow < np.median(np.abs(off + 0.5)) / 4


def test_rows_that_disagree_calibrate_less() -> None:
    assert common_ln(np.array([0.2, 0.2, 0.2])) == pytest.approx(0.2, rel=0.05)
    assert common_ln(np.array([-0.2, 0.2, 0.6])) < 0.15
    assert common_ln(np.array([0.0, 0.0])) == 0


def test_the_file_of_accuracy_is_of_these_constants_rows_and_features(data: Measured) -> None:
    made = json.loads(PATH.read_text())
    assert made["fingerprint"] == fingerprint()
    figures = {(one["by"], one["group"]): one for one in made["groups"]}
    whole = figures["all", "all"]
    off = 100 * np.abs(data.errors(training_constants()))
    assert whole["rows"] == len(off)
    assert whole["fitted"]["median"] == pytest.approx(np.median(off), abs=0.06)
    assert whole["naive"]["median"] > 3 * whole["model_left_out"]["median"]
    assert {one["by"] for one in made["groups"]} == {
        "all",
        "kind",
        "gpus",
        "source",
        "model",
        "gpu",
        "precision",
        "own",
    }


def test_errors_with_a_model_or_source_left_out_are_what_is_promised() -> None:
    """Of the file; median and ninth decile in percent."""
    whole = next(one for one in json.loads(PATH.read_text())["groups"] if one["by"] == "all")
    promised = {
        "model_left_out": (6, 20),
        "source_left_out": (9, 27),
        "source_left_out_after_three_rows": (5, 20),
    }
    for name, (median, ninth) in promised.items():
        assert whole[name]["median"] <= median
        assert whole[name]["ninth_decile"] <= ninth


def test_layouts_of_training_are_chosen_as_well_as_promised() -> None:
    """At equal GPUs; each model left out of the fit."""
    assert (
        RANKING.read_text().splitlines()[0].endswith(fingerprint())
    )  # else: python -m estimator.workloads.training.report
    found = [row.ranking for row in rankings() if row.figure == STEP]
    assert len(found) == 2
    assert all(one.groups >= 20 and one.regret_ninth_decile <= 0.10 for one in found)
