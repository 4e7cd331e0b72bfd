"""The accuracy report belongs to the constants and the runs as they are, and says what it should."""

import csv

import numpy as np
import pytest

from estimator.catalog.loader import load_catalog
from estimator.workloads.accuracy import rankings
from estimator.workloads.serving.constants import serving_constants
from estimator.workloads.serving.fit import Aggregated, collective_stages, errors
from estimator.workloads.serving.report import (
    ACCURACY,
    ALL_REDUCE,
    COLUMNS,
    RANKING,
    after_three_rows,
    digest,
    naive_guess,
    slices,
)
from estimator.workloads.serving.report import rankings as computed_rankings
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


def test_three_rows_of_a_stack_bring_a_model_left_out_close() -> None:
    whole = {row["figure"]: row for row in report()[1] if row["by"] == "all"}
    for figure in ("time per token", "tokens a second and GPU"):
        assert float(whole[figure]["three_rows_median"]) <= 0.09
        assert float(whole[figure]["three_rows_ninth_decile"]) <= 0.26
    runs = measured_runs("aggregated")
    tpot, _ = after_three_rows(runs, 1.5 * runs.tpot_s, runs.ttft_s)
    assert errors(tpot, runs.tpot_s)[1] < np.log(1.5) / 4, "of a factor that all rows share little is left"


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


def test_layouts_are_chosen_as_well_as_promised() -> None:
    """At equal GPUs and without hidden speculation, and over any number of GPUs; each model left out of the fit."""
    with RANKING.open(newline="", encoding="utf-8") as file:
        assert next(csv.reader(file))[-1] == digest()  # else: python -m estimator.workloads.serving.report
    found = {row.of: row.ranking for row in rankings() if row.figure == "time per token"}
    equal = found["equal number of GPUs, no hidden speculation"]
    assert equal.groups >= 50
    assert equal.regret_ninth_decile <= 0.10
    for of in ("any number of GPUs", "any number of GPUs, no hidden speculation"):
        assert found[of].best_in_two >= 0.95
        assert found[of].by_chance < 0.60, "a choice that chance would make as well proves nothing"


def test_groups_of_the_ranking_are_those_of_the_runs() -> None:
    runs = measured_runs("aggregated")
    perfect = dict(computed_rankings(runs, runs.tpot_s))
    assert {of: (one.groups, one.layouts) for of, one in perfect.items() if one} == {
        row.of: (row.ranking.groups, row.ranking.layouts) for row in rankings() if row.figure == "time per token"
    }
    assert all(one and one.best_first == 1 and one.regret_ninth_decile == 0 for one in perfect.values())
    backwards = dict(computed_rankings(runs, -runs.tpot_s))
    assert all(one and one.best_first == 0 and one.regret_median > 0 for one in backwards.values())


def test_all_reduces_of_engines_are_as_the_constants_give_them_and_nearly_as_close_left_out() -> None:
    """The fits without a GPU are in the file alone: they take seconds."""
    stage = collective_stages()[0]
    rows = {(row["by"], row["value"]): row for row in report()[1] if row["figure"] == ALL_REDUCE}
    whole = rows["all", "all"]
    found = errors(np.exp(stage.predicted(serving_constants())), np.exp(stage.measured))
    assert [float(whole["median"]), float(whole["ninth_decile"])] == pytest.approx(found, abs=6e-4)
    assert float(whole["left_out_median"]) <= 0.08
    assert float(whole["left_out_ninth_decile"]) <= 0.27
    assert float(rows["bytes", "below 64 KiB"]["left_out_median"]) <= 0.06
    assert not rows["gpu", "a100-80-sxm"]["left_out_median"], "the only one of its family"
