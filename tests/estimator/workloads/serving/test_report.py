"""The accuracy report belongs to the constants and the runs as they are, and says what it should."""

import csv

import numpy as np
import pytest

from estimator.catalog.loader import load_catalog
from estimator.workloads.serving.constants import serving_constants
from estimator.workloads.serving.fit import Aggregated, errors
from estimator.workloads.serving.report import ACCURACY, COLUMNS, digest, naive_guess, slices
from estimator.workloads.serving.rows import measured_runs
from estimator.workloads.serving.serving import aggregated


def report() -> tuple[list[str], list[dict[str, str]]]:
    with ACCURACY.open(newline="", encoding="utf-8") as file:
        first, *rest = csv.reader(file)
    return first, [dict(zip(COLUMNS, row, strict=True)) for row in rest]


def test_the_report_belongs_to_the_constants_and_runs() -> None:
    header, _ = report()
    assert header == [*COLUMNS, digest()]  # else: python -m estimator.workloads.serving.report


def test_the_first_row_is_what_the_model_gives_now() -> None:
    data = Aggregated.of(measured_runs("aggregated"), load_catalog(), serving_constants())
    median, decile = errors(aggregated(data.cases).tpot_s, data.runs.tpot_s)
    first = report()[1][0]
    assert (first["figure"], first["by"]) == ("time per token", "all")
    assert float(first["median"]) == pytest.approx(median, abs=6e-4)
    assert float(first["ninth_decile"]) == pytest.approx(decile, abs=6e-4)


def test_each_model_left_out_is_predicted_as_closely_as_promised() -> None:
    whole = {row["figure"]: row for row in report()[1] if row["by"] == "all"}
    for figure in ("time per token", "tokens a second and GPU"):
        assert float(whole[figure]["left_out_median"]) <= 0.14
        assert float(whole[figure]["left_out_ninth_decile"]) <= 0.40
        assert float(whole[figure]["naive_median"]) > 2 * float(whole[figure]["left_out_median"])
    assert float(whole["time to first token"]["left_out_median"]) <= 0.40


def test_the_naive_guess_of_a_run_knows_other_models_alone() -> None:
    runs = measured_runs("aggregated")
    before = naive_guess(runs, runs.tpot_s)
    own = np.array(runs.labels("model")) == "kimi-k2"
    after = naive_guess(runs, np.where(own, 10 * runs.tpot_s, runs.tpot_s))
    assert np.array_equal(before[own], after[own])


def test_slices_by_model_cover_every_run_once() -> None:
    runs = measured_runs("aggregated")
    covered = sum(own.astype(int) for by, _, own in slices(runs) if by == "model")
    assert np.array_equal(covered, np.ones(len(runs.rows)))
