"""How much of a long run trains: stops arrive by chance, work since the last checkpoint is lost, and checkpoints cost time.

With M between stops (exponential), τ of work between checkpoints, δ that a checkpoint holds the training up and R until it
goes on after a stop, work of τ takes on average M · exp(R/M) · (exp((τ + δ)/M) − 1): J. T. Daly, "A higher order estimate of
the optimum checkpoint interval for restart dumps", Future Generation Computer Systems 22 (2006), equation 13. Goodput is τ
over that. All functions take arrays that broadcast against each other.
"""

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from estimator.ranges import Range
from estimator.record import Record
from estimator.units import GIGA, HOURS_PER_YEAR, FloatArray
from estimator.workloads.fitted import Stated, stated_constants

_SECONDS_PER_HOUR = 3600
_SECONDS_PER_DAY = 86_400


@cache
def run_constants() -> dict[str, Stated]:
    """Constants of long runs (workloads/runs/constants.csv)."""
    return stated_constants(Path(__file__).with_name("constants.csv"))


def time_between_stops(stops_per_gpu_year: Any, n_gpus: Any) -> FloatArray:
    """Seconds between stops of a job on so many GPUs; infinite where none is expected."""
    stops = np.asarray(stops_per_gpu_year, dtype=np.float64) * n_gpus
    with np.errstate(divide="ignore"):
        return np.asarray(HOURS_PER_YEAR * _SECONDS_PER_HOUR / stops)


def best_interval(between_stops_s: Any, pause_s: Any, write_s: Any) -> FloatArray:
    """Seconds of work between checkpoints that lose the least time: √(2 δ M) − δ, within what is possible and usual.

    Never less than a checkpoint takes to write, and otherwise at most what ``interval_most`` says.
    """
    young = np.sqrt(2.0 * np.asarray(pause_s) * between_stops_s) - pause_s
    usual = np.minimum(young, run_constants()["interval_most"].value)
    return np.asarray(np.maximum(usual, write_s))


def goodput(between_stops_s: Any, interval_s: Any, pause_s: Any, restart_s: Any) -> FloatArray:
    """Share of the time that trains and is kept, 0 to 1."""
    stops = np.asarray(between_stops_s, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        taken_s = stops * np.exp(restart_s / stops) * np.expm1((np.asarray(interval_s) + pause_s) / stops)
        share = interval_s / taken_s
    never = interval_s / (np.asarray(interval_s) + pause_s)
    return np.asarray(np.where(np.isinf(stops), never, share))


class TrainingRun(Record):
    """A run to a number of tokens, stops and checkpoints counted in."""

    tokens: float
    days: Range[float]
    """Low is the fastest."""
    gpu_hours: Range[float]
    goodput: Range[float]
    hours_between_stops: Range[float]
    stops: float
    """Expected in the typical run."""
    checkpoint_gb: float
    checkpoint_every_s: float
    """Work between two checkpoints of the typical run: where least is lost, unless given."""
    checkpoint_pause_s: float
    restart_s: Range[float]
    usd: Range[float] | None
    """GPU-hours of the run at the design's cost; null without one."""


class RunRequest(NamedTuple):
    """A run to so many tokens, and what is known of it; None is what the constants say."""

    tokens: float
    checkpoint_every_s: float | None = None  # None: where least is lost
    checkpoint_bytes: float | None = None  # None: all parameters' state
    pause_s: float | None = None  # that training waits for a checkpoint
    restart_s: float | None = None


def training_run(
    asked: RunRequest,
    n_gpus: int,
    n_parameters: float,
    tokens_per_s: Range[float],
    stops_per_gpu_year: Range[float],
    usd_per_gpu_hour: Range[float] | None = None,
) -> TrainingRun:
    """Days and dollars of a run.

    Parameters
    ----------
    n_gpus, n_parameters : of the job and the model.
    tokens_per_s : of the whole job while it trains; low is the slowest.
    stops_per_gpu_year : unplanned stops of a job, a GPU; ``afr-all-llama`` of economics.csv where nothing is known.
    usd_per_gpu_hour : what an hour of one GPU costs.
    """
    constants = run_constants()
    between = [time_between_stops(rate, n_gpus) for rate in stops_per_gpu_year]
    restart = constants["restart"].ends if asked.restart_s is None else Range.at(asked.restart_s)
    size = asked.checkpoint_bytes or n_parameters * constants["state_per_parameter"].value
    write_s = size / (constants["write_per_gpu"].value * n_gpus)
    pause_s = constants["pause_least"].value + write_s * constants["pause_share"].value
    pause_s = pause_s if asked.pause_s is None else asked.pause_s
    every_s = asked.checkpoint_every_s or float(best_interval(between[1], pause_s, write_s))
    best, usual, worst = (
        float(goodput(stops, every_s, pause_s, back)) for stops, back in zip(between, restart, strict=True)
    )
    rates = Range(tokens_per_s.high * best, tokens_per_s.typical * usual, tokens_per_s.low * worst)
    days = rates.each(lambda rate: asked.tokens / rate / _SECONDS_PER_DAY if rate > 0 else float("inf"))
    gpu_hours = days * (24.0 * n_gpus)
    cost = usd_per_gpu_hour and Range(*(hours * rate for hours, rate in zip(gpu_hours, usd_per_gpu_hour, strict=True)))
    return TrainingRun(
        tokens=asked.tokens,
        days=days.each(_shown),
        gpu_hours=gpu_hours.each(_shown),
        goodput=Range(worst, usual, best).each(_shown),
        hours_between_stops=Range(*(float(one) / _SECONDS_PER_HOUR for one in reversed(between))).each(_shown),
        stops=_shown(days.typical * _SECONDS_PER_DAY / float(between[1])),
        checkpoint_gb=_shown(size / GIGA),
        checkpoint_every_s=_shown(every_s),
        checkpoint_pause_s=_shown(pause_s),
        restart_s=restart,
        usd=cost.each(_shown) if cost else None,
    )


def _shown(value: float) -> float:
    return float(f"{value:.4g}")
