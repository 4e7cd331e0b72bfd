"""Where to draw a pass line, and how often it is wrong: false alarms of healthy sites, faults that are missed.

ln of a measured value is taken as normal around ln of the expected one. Two spreads add: that of the model (one for the
whole site: if it is 3 % high for one rail, so it is for the next), and that of runs (of each path and run for itself). So a
gate has two lines: an absolute one, which allows for both, and one against the middle of its peers, which allows for the
spread of runs alone and is therefore the one that finds a rail 10 % down.
"""

from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import NormalDist

LEAST_PEERS = 4  # from here on the middle of a gate's results says what a healthy one is
MOST_REPETITIONS = 9
MOST_MISSED = 0.01
_NORMAL = NormalDist()
_BAND = _NORMAL.inv_cdf(0.95)  # a band holds nine in ten
_MIDDLE = 1.2533  # a median's standard deviation over a mean's


@dataclass(frozen=True)
class Chances:
    """How often a healthy gate may fail: because the model expects too much, and because of the spread of its runs."""

    of_model: float
    of_runs: float


@dataclass(frozen=True)
class Lines:
    """Pass lines of a gate as shares: of the expected value, and of the middle of its peers (None where there are too few)."""

    absolute: float
    of_peers: float | None
    repetitions: int
    false_alarm: float  # of the whole gate, when all of it is healthy
    miss: float  # of one path that has lost what the gate is to find


def spread_of_band(expected: float, low: float) -> float:
    """Standard deviation of ln of a measured value that falls below ``low`` once in twenty."""
    return log(expected / low) / _BAND


def lines_of(model_spread: float, run_spread: float, n_results: int, loss: float, chances: Chances) -> Lines:
    """The lines of a gate.

    Parameters
    ----------
    model_spread, run_spread : standard deviations of ln.
    n_results : how many paths the gate measures, 1 or more.
    loss : share that a faulty path has lost.
    chances : how often a healthy gate may fail.

    Notes
    -----
    The model's error is one for all paths of a gate, that of runs is each path's: the absolute line allows for both
    quantiles in full, which is never less than what the two need together. Runs are repeated until one faulty path in 100
    is missed.
    """
    each = chances.of_runs / 2
    for repetitions in range(1, MOST_REPETITIONS + 1):
        spread = run_spread / sqrt(repetitions)
        absolute = exp(-_quantile(chances.of_model) * model_spread - _quantile(each / n_results) * spread)
        peers = peer_line(spread, n_results, each) if n_results >= LEAST_PEERS else None
        missed = _missed(log(absolute), log(1 - loss), sqrt(model_spread**2 + spread**2))
        if peers is not None:
            missed = min(missed, _missed(log(peers), log(1 - loss), _beside(spread, n_results)))
        if missed <= MOST_MISSED or peers is None:
            break  # repeating helps against the spread of runs, and not against the model's
    return Lines(absolute, peers, repetitions, chances.of_model + chances.of_runs, missed)


def peer_line(spread: float, n_results: int, false_alarm: float) -> float:
    """Share of the middle of its peers that all of ``n_results`` healthy results exceed but for ``false_alarm``."""
    return exp(-_quantile(false_alarm / n_results) * _beside(spread, n_results))


def _beside(spread: float, n_results: int) -> float:
    """Spread of ln of a result over the middle of ``n_results``."""
    return spread * sqrt(1 + _MIDDLE**2 / n_results)


def _quantile(chance: float) -> float:
    """How many standard deviations below the middle a value falls with this chance."""
    return -_NORMAL.inv_cdf(chance)


def _missed(line: float, lost: float, spread: float) -> float:
    """Chance that a path which has lost so much (in ln) lies above the line."""
    return 1 - _NORMAL.cdf((line - lost) / spread) if spread else float(lost >= line)
