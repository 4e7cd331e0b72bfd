"""The global fit: it finds constants that made-up runs were made with, holds sources out, and writes rows that load."""

import csv
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from estimator.calibration.global_fit import (
    batches_of,
    bounds_of,
    fit,
    free_constants,
    held_out,
    predicted_s,
    residuals,
    write_constants,
)
from estimator.calibration.measured import CORE, Run, measured_runs
from estimator.catalog.constants import ModelConstants
from estimator.catalog.loader import HERE, load_catalog
from estimator.units import s_to_us

CATALOG = load_catalog()
CONSTANTS = ModelConstants(CATALOG)
NETWORK, FILL = ("network_efficiency", "infiniband"), ("ring_fill", "hopper")
RUNS = [run for run in measured_runs() if run.family == CORE and run.collective == "all_reduce"][::4]


def made_with(values: dict[tuple[str, str], float]) -> list[Run]:
    """The runs, with the times that the model gives at other constants."""
    constants = CONSTANTS.replaced(values)
    out = []
    for run in RUNS:
        (batch,) = batches_of([run])
        times = s_to_us(predicted_s(batch, CATALOG, constants))[0, : len(run.time_us)]
        out.append(replace(run, time_us=tuple(times.tolist())))
    return out


def test_the_constants_behind_made_up_runs_are_found() -> None:
    wanted = {NETWORK: 0.92, FILL: 5.2}
    found = fit(made_with(wanted), [NETWORK, FILL], CATALOG)
    assert found[NETWORK] == pytest.approx(0.92, rel=0.01)
    assert found[FILL] == pytest.approx(5.2, rel=0.2)  # the prior holds it back a little


def test_residuals_are_those_of_the_runs_one_by_one() -> None:
    together, weights = residuals(batches_of(RUNS), CATALOG, CONSTANTS)
    alone = [residuals(batches_of([run]), CATALOG, CONSTANTS) for run in RUNS]
    np.testing.assert_allclose(np.sort(together), np.sort(np.concatenate([error for error, _ in alone])), rtol=1e-12)
    assert len(together) == sum(len(run.time_us) for run in RUNS)
    assert weights.sum() == pytest.approx(sum(weight.sum() for _, weight in alone))


def test_every_source_is_held_out_once() -> None:
    runs = RUNS[:12]
    tested = held_out(runs, [NETWORK], CATALOG)
    assert sorted((run.name, run.collective) for run in tested.runs) == sorted(
        (run.name, run.collective) for run in runs
    )
    assert all(len(error) == len(run.time_us) for run, error in zip(tested.runs, tested.error, strict=True))
    low, high = tested.spread(NETWORK)
    assert 0.9 <= low <= high <= 1.0


def test_free_constants_are_measured_and_sought_around_where_they_stand() -> None:
    free = free_constants(CATALOG)
    assert NETWORK in free
    for key in free:
        row = CONSTANTS.row(*key)
        assert row.basis == "measured"
        low, high = bounds_of(row)
        assert low < float(row.value) < high
    assert bounds_of(CONSTANTS.row(*NETWORK)) == pytest.approx((0.969 * 0.92, 0.969 * 1.08))
    assert bounds_of(CONSTANTS.row("nvls_fill")) == pytest.approx((37.45, 149.8))


def test_written_rows_load_and_all_others_stay(tmp_path: Path) -> None:
    path = tmp_path / "model_constants.csv"
    shutil.copy(HERE / "model_constants.csv", path)
    write_constants(path, {NETWORK: 0.954321}, {NETWORK: (0.93, 0.97)})
    before, after = (list(csv.reader(file.open(newline=""))) for file in (HERE / "model_constants.csv", path))
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    ((_, new),) = changed
    assert new[:5] == ["network_efficiency", "infiniband", "0.954", "0.93", "0.97"]
