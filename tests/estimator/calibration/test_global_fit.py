"""The global fit: it finds constants that made-up runs were made with, holds sources out, and writes rows that load."""

import csv
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from estimator.calibration.bands import (
    TAIL,
    band_values,
    floor_band_values,
    is_run_uncertain,
    residuals_of,
    site_band_values,
    weighted_quantiles,
)
from estimator.calibration.global_fit import (
    CELL_WORDS,
    FAMILY_WEIGHTS,
    FOLDS,
    N_FOLDS,
    Slopes,
    batches_of,
    bounds_of,
    fit,
    folds_of,
    free_constants,
    held_out,
    predicted_s,
    predicted_without,
    read_folds,
    residuals,
    write_cells,
    write_constants,
)
from estimator.calibration.measured import CORE, Run, measured_runs
from estimator.calibration.validation.worst import reason
from estimator.catalog.constants import ModelConstants
from estimator.catalog.loader import HERE, load_catalog
from estimator.units import s_to_us

CATALOG = load_catalog()
CONSTANTS = ModelConstants(CATALOG)
NETWORK, START = ("network_efficiency", "infiniband"), ("channel_start", "network")
RUNS = [run for run in measured_runs() if run.family == CORE and run.collective == "all_reduce"][::4]


def made_with(values: dict[tuple[str, str], float]) -> list[Run]:
    """The runs, with the times that the model gives at other constants."""
    constants = CONSTANTS.replaced(values)
    out = []
    for run in RUNS:
        (batch,) = batches_of([run], CATALOG)
        times = s_to_us(predicted_s(batch, constants))[0, : len(run.time_us)]
        out.append(replace(run, time_us=tuple(times.tolist())))
    return out


def test_the_constants_behind_made_up_runs_are_found() -> None:
    wanted = {NETWORK: 0.96, START: 1.3 * float(CONSTANTS.row(*START).value)}
    found = fit(made_with(wanted), [NETWORK, START], CATALOG)
    assert found[NETWORK] == pytest.approx(0.96, rel=0.005)
    assert found[START] == pytest.approx(wanted[START], rel=0.15)  # the prior holds it back a little


def test_a_fit_by_slopes_finds_the_constants_behind_its_part_of_the_runs() -> None:
    wanted = {NETWORK: 0.96, START: 1.2 * float(CONSTANTS.row(*START).value)}
    others, part = RUNS[1::2], made_with(wanted)[::2]
    slopes = Slopes([*others, *part], [NETWORK, START], CATALOG)
    found, of_others = slopes.fit(part), slopes.fit(others)
    assert found[NETWORK] == pytest.approx(0.96, rel=0.005)
    assert found[START] == pytest.approx(wanted[START], rel=0.1)
    assert of_others[START] < 0.9 * wanted[START]


def test_residuals_are_those_of_the_runs_one_by_one() -> None:
    together, weights = residuals(batches_of(RUNS, CATALOG), CONSTANTS)
    alone = [residuals(batches_of([run], CATALOG), CONSTANTS)[0] for run in RUNS]
    np.testing.assert_allclose(np.sort(together), np.sort(np.concatenate(alone)), rtol=1e-12)
    assert len(together) == len(weights) == sum(len(run.time_us) for run in RUNS)


def test_a_site_of_many_runs_and_a_long_log_weigh_little_more_than_others() -> None:
    long = max(RUNS, key=lambda run: len(run.time_us))
    (one,) = batches_of([long], CATALOG)
    (many,) = batches_of([long] * 8, CATALOG)
    shorter = replace(long, message_bytes=long.message_bytes[-4:], time_us=long.time_us[-4:])
    (short,) = batches_of([shorter], CATALOG)
    assert np.sum(many.used_weight**2) < 4 * np.sum(one.used_weight**2)
    assert np.sum(one.used_weight**2) <= np.sum(short.used_weight**2)  # whose four sizes are large ones


def test_every_site_is_held_out_once_and_whole() -> None:
    runs = RUNS[:12]
    assert len(folds_of(runs)) == len({run.site for run in runs})
    tested = held_out(runs, lambda rest: fit(rest, [NETWORK], CATALOG), CATALOG)
    assert sorted((run.name, run.collective) for run in tested.runs) == sorted(
        (run.name, run.collective) for run in runs
    )
    assert all(len(error) == len(run.time_us) for run, error in zip(tested.runs, tested.error, strict=True))
    low, high = tested.spread(NETWORK)
    assert 0.92 <= low <= high <= 1.0  # 1.5 % around where it stands


def test_free_constants_are_measured_and_sought_around_where_they_stand() -> None:
    free = free_constants(CATALOG)
    assert NETWORK in free
    for key in free:
        row = CONSTANTS.row(*key)
        assert row.basis == "measured"
        low, high = bounds_of(row)
        assert low < float(row.value) < high
    for key, low, high in (
        (NETWORK, 0.985, 1.015),
        (("ring_efficiency", "hopper"), 0.92, 1.08),
        (("nvls_fill", ""), 0.5, 2.0),
    ):
        value = float(CONSTANTS.row(*key).value)
        assert bounds_of(CONSTANTS.row(*key)) == pytest.approx((low * value, high * value))


def test_written_rows_load_and_all_others_stay(tmp_path: Path) -> None:
    path = tmp_path / "model_constants.csv"
    shutil.copy(HERE / "model_constants.csv", path)
    write_constants(path, {NETWORK: 0.954321}, {NETWORK: (0.93, 0.97)})
    before, after = (list(csv.reader(file.open(newline=""))) for file in (HERE / "model_constants.csv", path))
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    ((_, new),) = changed
    assert new[:5] == ["network_efficiency", "infiniband", "0.954", "0.93", "0.97"]


def test_cells_are_written_anew_and_all_else_stays(tmp_path: Path) -> None:
    path = tmp_path / "model_constants.csv"
    shutil.copy(HERE / "model_constants.csv", path)
    write_cells(path, {("band_low", "one.small"): 0.5, ("band_high", "one.small"): 2.0})
    before, after = (list(csv.reader(file.open(newline=""))) for file in (HERE / "model_constants.csv", path))
    names = {"band_low", "band_high"}
    assert [row for row in after if row[0] not in names] == [row for row in before if row[0] not in names]
    assert [row[:5] for row in after if row[0] in names] == [
        ["band_high", "one.small", "2", "2", "2"],
        ["band_low", "one.small", "0.5", "0.5", "0.5"],
    ]


def test_the_kept_folds_have_every_constant_that_is_fitted() -> None:
    folds = read_folds(FOLDS)
    assert len(folds) == N_FOLDS
    for found in folds:
        assert set(found) == set(free_constants(CATALOG)), "run python -m estimator.calibration.global_fit --write"


def test_the_kept_bands_are_those_of_the_kept_folds_in_the_words_of_today() -> None:
    """Numbers and words of their rows follow from the carried runs and folds without a fit."""
    runs = [run for run in measured_runs() if FAMILY_WEIGHTS.get(run.family)]
    tested = predicted_without(runs, read_folds(FOLDS), CATALOG)
    left = residuals_of(tested.runs, tested.error, tested.host_share, CONSTANTS)
    for (name, index), value in (band_values(left) | floor_band_values(left) | site_band_values(left)).items():
        row = CONSTANTS.row(name, index)
        assert float(row.value) == pytest.approx(value), (name, index)
        assert row.evidence == CELL_WORDS[name][3]
    assert f"{100 * TAIL:g} %" in CELL_WORDS["band_low"][3]


def test_a_site_of_many_points_has_little_more_than_one_vote() -> None:
    """As the words of the rows say: a hundred points of one site beside one of another leave it a third of the votes."""
    values, sites = [0.0] * 100 + [1.0], ["many"] * 100 + ["one"]
    assert weighted_quantiles(values, sites, 0.045)[1] > 0.8
    assert weighted_quantiles(values, [str(i) for i in range(101)], 0.045)[1] < 0.01


def test_a_ring_for_a_tree_is_a_reason_for_all_reduce_alone() -> None:
    run = next(run for run in measured_runs() if run.n_domains > 1 and run.system["nics_per_node"] < run.gpus_per_node)
    assert run.fabric != "efa"
    ring = "a ring ran where a tree is predicted"
    for collective in ("all_reduce", "all_gather", "reduce_scatter", "alltoall", "broadcast"):
        one = replace(run, collective=collective)
        assert is_run_uncertain(one, CONSTANTS) == (collective == "all_reduce")
        assert reason(one, 2**28, 0.5, CONSTANTS).startswith(ring) == (collective == "all_reduce")


def test_domains_of_several_nodes_are_not_of_few_gpus() -> None:
    rack = next(run for run in measured_runs() if run.n_domains > 1 and run.scale_up_domain_gpus > run.gpus_per_node)
    assert rack.gpus_per_node <= int(CONSTANTS.value("uncertain_tree_gpus")) < rack.scale_up_domain_gpus
    assert not is_run_uncertain(rack, CONSTANTS)
