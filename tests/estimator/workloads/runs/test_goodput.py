"""Goodput: published stops and effective time, limits of the formula, and a simulation of the same run."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.catalog.loader import load_catalog
from estimator.ranges import Range
from estimator.workloads.runs.goodput import (
    RunRequest,
    TrainingRun,
    best_interval,
    goodput,
    run_constants,
    time_between_stops,
    training_run,
)

DAY_S = 86_400
LLAMA_GPUS, LLAMA_DAYS, LLAMA_STOPS, LLAMA_EFFECTIVE = 16_384, 54, 419, 0.90  # The Llama 3 Herd of Models, 3.3.4
RATE = load_catalog().economics["afr-all-llama"].ends


def llama_405b() -> TrainingRun:
    """As published: 16,384 H100 at 400 TFLOP/s each."""
    tokens_per_s = LLAMA_GPUS * 400e12 / (6 * 405e9)
    return training_run(RunRequest(15.6e12), LLAMA_GPUS, 405e9, Range.at(tokens_per_s), RATE)


def test_the_published_run_stops_as_often_and_trains_as_much_as_reported() -> None:
    run = llama_405b()
    assert run.stops / run.days.typical == pytest.approx(LLAMA_STOPS / LLAMA_DAYS, rel=0.02)
    assert run.goodput.typical == pytest.approx(LLAMA_EFFECTIVE, abs=0.03)
    assert run.goodput.low < run.goodput.typical < run.goodput.high
    assert run.days.low < run.days.typical < run.days.high


def test_the_formula_agrees_with_a_simulation() -> None:
    rng = np.random.default_rng(7)
    between, interval, pause, restart = 4_000.0, 900.0, 30.0, 300.0
    taken = trained = 0.0
    while trained < 20_000 * interval:
        left = rng.exponential(between)
        while left >= interval + pause:  # a piece of work with its checkpoint is kept
            left -= interval + pause
            taken += interval + pause
            trained += interval
        taken += left
        while (stop := rng.exponential(between)) < restart:  # it stops again before it is back
            taken += stop
        taken += restart
    assert trained / taken == pytest.approx(float(goodput(between, interval, pause, restart)), rel=0.01)


def test_without_stops_only_checkpoints_cost_time() -> None:
    assert float(goodput(time_between_stops(0.0, 1_000), 900.0, 100.0, 600.0)) == pytest.approx(0.9)


@given(st.floats(600, 1e6), st.floats(0.1, 60))
def test_no_other_interval_is_much_better_than_the_best(between: float, pause: float) -> None:
    at_best = goodput(between, best_interval(between, pause, 0.0), pause, 0.0)
    others = goodput(between, np.geomspace(1.0, 1e7, 400), pause, 0.0)
    assert float(at_best) >= 0.985 * float(others.max())


@given(st.integers(1, 1_000_000), st.floats(0.01, 1))
def test_more_gpus_stop_more_often_and_train_less_of_the_time(n_gpus: int, rate: float) -> None:
    few, many = time_between_stops(rate, np.array([n_gpus, 2 * n_gpus]))
    assert few == pytest.approx(2 * many)
    assert goodput(many, 900.0, 10.0, 600.0) < goodput(few, 900.0, 10.0, 600.0) < 1


def test_dollars_are_gpu_hours() -> None:
    run = training_run(RunRequest(1e12), 1_024, 8e9, Range.at(1e7), Range.at(0.0), Range(1.0, 2.0, 3.0))
    assert run.usd
    assert run.usd.typical == pytest.approx(run.days.typical * 24 * 1_024 * 2, rel=0.001)
    assert run.stops == 0


def test_a_checkpoint_is_never_begun_before_the_last_is_written() -> None:
    assert best_interval(100.0, 0.001, 50.0) == 50.0
    slow = training_run(RunRequest(1e12, checkpoint_bytes=1e16), 64, 8e9, Range.at(1e5), RATE)
    assert slow.checkpoint_every_s >= 1e16 / (64 * run_constants()["write_per_gpu"].value) * 0.999


def test_every_constant_has_its_ends_in_order_and_evidence() -> None:
    for name, constant in run_constants().items():
        assert constant.ends.low <= constant.value <= constant.ends.high, name
        assert constant.basis in ("assumption", "published")
        assert len(constant.evidence) > 40
