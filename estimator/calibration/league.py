"""Other ways to predict a collective on the same rows: what this model must be better than to be worth having.

Each rival sees what this model sees: of a run's own site nothing, of its system everything.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from estimator.calibration.global_fit import Batch, batches_of, predicted_s
from estimator.calibration.measured import SIZE_CLASSES, Run, size_class
from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.performance.bandwidth import points_of
from estimator.performance.collectives import BUS_FACTORS
from estimator.performance.scaling import line_rates
from estimator.record import Record
from estimator.units import FloatArray

TUNER_RING = {"volta": 20 / 25, "ampere": 20 / 25, "hopper": 20.6 / 25, "blackwell": 40.1 / 50}
"""GB/s that NCCL counts for a link ÷ its rate (src/graph/topo.h)."""
NOT_IN_TUNER = (
    "ring_fill",
    "tree_fill",
    "nvls_fill",
    "pair_fill",
    "channel_start",
    "launch",
    "launch_per_gpu",
    "fabric_latency",
)
NOTHING_US = 1e-6
Score = tuple[Run, FloatArray, np.ndarray]  # a run, ln(predicted ÷ measured) by size, and which sizes count


class RivalErrors(Record):
    """Errors at one size class, |ln(predicted ÷ measured)|."""

    points: int
    median: float
    nine_in_ten: float


class Rival(Record):
    """One way to predict, and its errors by size class."""

    name: str
    large: RivalErrors
    mid: RivalErrors
    small: RivalErrors

    @property
    def cells(self) -> list[RivalErrors]:
        """In the order of SIZE_CLASSES."""
        return [getattr(self, name) for name in SIZE_CLASSES]


@dataclass(frozen=True)
class _Point:
    """A measured point, for the median of what others measured."""

    site: str
    domains: bool
    ln_bytes: float
    ln_busbw: float


def league(scores: Sequence[Score], catalog: Catalog) -> list[Rival]:
    """This model (held out by site), NCCL's tuner, the line rate and the median of others, on the same rows."""
    runs = [run for run, _, _ in scores]
    counted = {(run.name, run.collective): is_told for run, _, is_told in scores}
    ways = {
        "This model, held out by site": {(run.name, run.collective): error for run, error, _ in scores},
        "NCCL's tuner constants": _tuner(runs, catalog),
        "Line rate": _line_rate(runs, catalog),
        "Median of other sites' bandwidth at the same size": _naive(runs),
    }
    return [_rival(name, runs, errors, counted) for name, errors in ways.items()]


Errors = dict[tuple[str, str], FloatArray]


def _rival(name: str, runs: Sequence[Run], errors: Errors, counted: dict[tuple[str, str], np.ndarray]) -> Rival:
    by_class: dict[str, list[float]] = {kind: [] for kind in SIZE_CLASSES}
    for run in runs:
        key = run.name, run.collective
        for size, error, counts in zip(run.message_bytes, errors[key].tolist(), counted[key].tolist(), strict=True):
            if counts:
                by_class[size_class(size)].append(abs(error))
    return Rival(
        name=name,
        **{
            kind: RivalErrors(
                points=len(found), median=float(np.median(found)), nine_in_ten=float(np.quantile(found, 0.9))
            )
            for kind, found in by_class.items()
        },
    )


def _of_batches(batches: Sequence[Batch], times: Sequence[FloatArray]) -> Errors:
    return {
        (run.name, run.collective): np.log(time_s[i] / batch.measured_s[i])[: len(run.time_us)]
        for batch, time_s in zip(batches, times, strict=True)
        for i, run in enumerate(batch.runs)
    }


def _tuner(runs: Sequence[Run], catalog: Catalog) -> Errors:
    """The library's own latencies and bandwidths, on this model's rates of links and NICs, with nothing fitted."""
    base = ModelConstants(catalog)
    values = {(name, index): NOTHING_US for name in NOT_IN_TUNER for index in base.indices(name)}
    values |= {("latency_factor", index): 1.0 for index in base.indices("latency_factor")}
    values |= {("own_copy_rate", index): 1e9 for index in base.indices("own_copy_rate")}
    values |= {("ring_efficiency", generation): share for generation, share in TUNER_RING.items()}
    values |= {("network_efficiency", index): 1.0 for index in base.indices("network_efficiency")}
    constants, batches = base.replaced(values), batches_of(runs, catalog)
    return _of_batches(batches, [predicted_s(batch, constants) for batch in batches])


def _line_rate(runs: Sequence[Run], catalog: Catalog) -> Errors:
    """Bytes ÷ the rate printed on the slower of links and NICs."""
    constants, batches = ModelConstants(catalog), batches_of(runs, catalog)
    times = []
    for batch in batches:
        first = batch.runs[0]
        points = points_of(batch.columns, batch.n_ranks, first.launch, constants)
        rate, _ = line_rates(points, first.collective)
        factor = BUS_FACTORS[first.collective](batch.n_ranks)
        times.append(batch.message_bytes * (factor / rate)[:, None])
    return _of_batches(batches, times)


def _naive(runs: Sequence[Run]) -> Errors:
    """The median busbw that other sites measured of the collective, at the size nearest to it."""
    known: dict[str, list[_Point]] = {}
    for run in runs:
        factor = float(BUS_FACTORS[run.collective](np.array(run.gpus)))
        for size, time_us in zip(run.message_bytes, run.time_us, strict=True):
            point = _Point(run.site, run.n_domains > 1, float(np.log(size)), float(np.log(factor * size / time_us)))
            known.setdefault(run.collective, []).append(point)
    return {(run.name, run.collective): _median_of(run, known[run.collective]) for run in runs}


def _median_of(run: Run, known: Sequence[_Point]) -> FloatArray:
    others = [one for one in known if one.site != run.site]
    alike = [one for one in others if one.domains == (run.n_domains > 1)] or others or list(known)
    at, busbw = np.array([one.ln_bytes for one in alike]), np.array([one.ln_busbw for one in alike])
    factor = float(BUS_FACTORS[run.collective](np.array(run.gpus)))
    out = []
    for size, time_us in zip(run.message_bytes, run.time_us, strict=True):
        far = np.abs(at - np.log(size))
        middle = float(np.median(busbw[far <= far.min() + 1e-9]))
        out.append(float(np.log(factor * size / time_us)) - middle)
    return np.array(out)
