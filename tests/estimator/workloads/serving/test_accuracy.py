"""Accuracy on the measured rows, with the constants as they stand; the report says the same by source, model and GPU."""

import numpy as np
import pytest

from estimator.catalog.loader import load_catalog
from estimator.units import MILLI
from estimator.workloads.serving.batch import decode_s, prefill_s
from estimator.workloads.serving.constants import serving_constants
from estimator.workloads.serving.fit import Aggregated, Pools, batch_stage, collective_stages, errors
from estimator.workloads.serving.rows import batches_of_rows, measured_runs, table
from estimator.workloads.serving.serving import aggregated


@pytest.fixture(scope="module")
def data() -> Aggregated:
    return Aggregated.of(measured_runs("aggregated"), load_catalog(), serving_constants())


def test_aggregated_times_are_as_close_as_stated(data: Aggregated) -> None:
    served = aggregated(data.cases)
    median, decile = errors(served.tpot_s, data.runs.tpot_s)
    assert median <= 0.11
    assert decile <= 0.34
    assert errors(served.ttft_s, data.runs.ttft_s)[0] <= 0.40


def test_nine_rows_in_ten_lie_within_the_stated_band(data: Aggregated) -> None:
    constants = serving_constants()
    served = aggregated(data.cases)
    off = np.abs(np.log(served.tpot_s / data.runs.tpot_s))
    is_moe = np.broadcast_to(data.cases.is_moe, off.shape)
    for kind, own in (("dense", ~is_moe), ("moe", is_moe)):
        inside = off[own] <= constants.value(f"tpot_band_{kind}")
        assert 0.85 <= inside.mean() <= 0.95


def test_disaggregated_times_are_as_close_as_stated() -> None:
    constants = serving_constants()
    pools = Pools.of(measured_runs("disaggregated"), load_catalog(), constants)
    median, decile = errors(np.exp(pools.figures(constants)[0]), pools.runs.tpot_s)
    assert median <= 0.11
    assert decile <= 0.30


@pytest.mark.parametrize(("source", "median", "decile"), [("h200x2", 0.02, 0.06), ("h100x4", 0.03, 0.10)])
def test_own_batches_are_as_close_as_stated(source: str, median: float, decile: float) -> None:
    rows = [row for row in table("batch") if row["source"] == source]
    batches, constants = batches_of_rows(rows, load_catalog()), serving_constants()
    decodes = np.array([row["phase"] == "decode" for row in rows])
    found = np.where(decodes, decode_s(batches, constants), prefill_s(batches, constants))
    measured = np.array([float(row["ms"]) for row in rows]) * MILLI
    assert errors(found, measured)[0] <= median
    assert errors(found, measured)[1] <= decile


def test_collectives_of_engines_follow_their_curves() -> None:
    all_reduce, dispatch = collective_stages()
    for stage, median in ((all_reduce, 0.08), (dispatch, 0.13)):
        off = np.abs(stage.predicted(serving_constants()) - stage.measured)
        assert np.median(off) <= median


def test_batches_are_fitted_by_constants_of_their_own() -> None:
    assert all(name.startswith("batch_") for name in batch_stage().names)
