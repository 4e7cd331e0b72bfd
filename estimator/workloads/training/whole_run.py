"""A whole training run: days, GPU hours and dollars for a number of tokens, with checkpoints and failures.

A failure stops all GPUs. What was done since the last checkpoint is lost, half an interval on average, and starting again
takes its time. The interval is the best one of first order (Young 1974): √(2 · checkpoint · time between failures).
"""

from dataclasses import dataclass

from estimator.record import IfAny, Shape
from estimator.workloads.training.constants import Constants

HOUR_S, DAY_S = 3_600.0, 86_400.0


@dataclass(frozen=True)
class Reliability:
    """What a run meets; constants.csv has a default for each."""

    gpu_hours_between_failures: float  # of one GPU with its share of node and network
    checkpoint_s: float  # that training stands still for one
    restart_s: float  # from a failure to the first step after it


@dataclass(frozen=True)
class WholeRun(Shape):
    """A run; ``goodput`` is the share of time in which steps are made that count."""

    tokens: float
    days: float
    gpu_hours: float
    goodput: float
    interruptions: float
    checkpoint_every_s: float
    usd: IfAny[float]


def default_reliability(constants: Constants) -> Reliability:
    """As published of Llama 3."""
    names = ("gpu_hours_between_failures", "checkpoint_s", "restart_s")
    return Reliability(**{name: constants[name] for name in names})


def whole_run(
    tokens: float, tokens_per_s: float, n_gpus: int, reliability: Reliability, usd_per_gpu_hour: float | None
) -> WholeRun:
    """The run of so many tokens at a rate that nothing interrupts.

    Parameters
    ----------
    tokens, tokens_per_s : of the whole job.
    reliability : failures, checkpoints and restarts.
    usd_per_gpu_hour : of one GPU with all its costs, or None.
    """
    between_s = reliability.gpu_hours_between_failures * HOUR_S / n_gpus
    every_s = (2 * reliability.checkpoint_s * between_s) ** 0.5
    lost = reliability.checkpoint_s / (every_s + reliability.checkpoint_s)
    lost_again = (reliability.restart_s + every_s / 2) / between_s
    goodput = max(0.0, 1 - lost) / (1 + lost_again)
    seconds = tokens / tokens_per_s / goodput
    gpu_hours = seconds / HOUR_S * n_gpus
    return WholeRun(
        tokens=tokens,
        days=seconds / DAY_S,
        gpu_hours=gpu_hours,
        goodput=goodput,
        interruptions=gpu_hours / reliability.gpu_hours_between_failures,
        checkpoint_every_s=every_s,
        usd=None if usd_per_gpu_hour is None else gpu_hours * usd_per_gpu_hour,
    )
