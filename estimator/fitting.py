"""The global fit of the model's constants to the measured runs: for maintainers, reproducible, held out by source.

``python -m estimator.fitting`` prints what it finds; with ``--write`` the rows of model_constants.csv take the fitted
values, rounded, and the spread of the fits that leave a sixth of the sources out. Residuals are ln(predicted ÷ measured);
a run's points weigh together as their count to the power of a quarter, so that a long log does not outvote short ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from estimator.bandwidth import points_of, system_columns
from estimator.catalog.loader import Catalog
from estimator.measured_runs import Run
from estimator.model_constants import ModelConstants
from estimator.performance import predict_times
from estimator.units import FloatArray, us_to_s

N_FOLDS = 6
CLIP = 1.5
SOFTNESS = 0.04  # |ln| beyond which a residual counts less than its square
PRIOR = 0.05  # weight of staying where the constant stood, per bound width
FAMILY_WEIGHTS = {"core": 1.0, "amd": 0.3, "slingshot": 0.3, "own": 0.2}
Key = tuple[str, str]


@dataclass(frozen=True)
class Batch:
    """Runs of one collective, launch, forced algorithm and protocol, evaluated together."""

    runs: tuple[Run, ...]
    message_bytes: FloatArray  # (n_runs, n_sizes), padded with the last size
    measured_s: FloatArray
    weight: FloatArray  # 0 for padding


def batches_of(runs: Sequence[Run]) -> list[Batch]:
    """Runs grouped so that one call predicts each group."""
    groups: dict[tuple[Any, ...], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.collective, run.launch, run.algorithm, run.protocol), []).append(run)
    return [_batch(tuple(group)) for group in groups.values()]


def _batch(runs: tuple[Run, ...]) -> Batch:
    width = max(len(run.time_us) for run in runs)
    sizes, times, weight = (np.zeros((len(runs), width)) for _ in range(3))
    for i, run in enumerate(runs):
        n = len(run.time_us)
        sizes[i] = np.pad(np.array(run.message_bytes, dtype=np.float64), (0, width - n), mode="edge")
        times[i] = np.pad(us_to_s(np.array(run.time_us)), (0, width - n), mode="edge")
        weight[i, :n] = n**-0.6 * FAMILY_WEIGHTS.get(run.family, 0.0)
    return Batch(runs, sizes, times, weight)


def predicted_s(batch: Batch, catalog: Catalog, constants: ModelConstants) -> FloatArray:
    """Predicted times of a batch, shape (n_runs, n_sizes). [s]"""
    first = batch.runs[0]
    columns = system_columns([run.system for run in batch.runs], catalog, constants)
    points = points_of(columns, np.array([run.gpus for run in batch.runs]), first.launch, constants)
    times = predict_times(points, batch.message_bytes, constants, first.collective, first.algorithm, first.protocol)
    return times.time_s


def residuals(batches: Sequence[Batch], catalog: Catalog, constants: ModelConstants) -> tuple[FloatArray, FloatArray]:
    """(ln(predicted ÷ measured), weight) of every point of every batch, one after the other."""
    out, weights = [], []
    for batch in batches:
        used = batch.weight > 0
        with np.errstate(divide="ignore"):
            found = np.log(predicted_s(batch, catalog, constants) / batch.measured_s)
        out.append(found[used])
        weights.append(batch.weight[used])
    return np.concatenate(out), np.concatenate(weights)


def fit(runs: Sequence[Run], free: Sequence[Key], catalog: Catalog, widen: float = 1.0) -> dict[Key, float]:
    """Values of the free constants, in the units of their rows, that fit the runs best within the rows' bounds."""
    from scipy.optimize import least_squares

    base = ModelConstants(catalog)
    rows = [base.row(*key) for key in free]
    start = np.array([float(row.value) for row in rows])
    low, high = (np.array([float(getattr(row, side)) for row in rows]) for side in ("low", "high"))
    middle, low, high = start, start - widen * (start - low), start + widen * (high - start)
    width = np.maximum(high - low, 1e-12)
    batches = batches_of(runs)

    def errors(x: FloatArray) -> FloatArray:
        constants = base.replaced(dict(zip(free, (low + x * width).tolist(), strict=True)))
        found, weight = residuals(batches, catalog, constants)
        prior = PRIOR * (x - (middle - low) / width)
        return np.concatenate([np.clip(found, -CLIP, CLIP) * weight, prior])

    x0 = np.clip((start - low) / width, 0.02, 0.98)
    found = least_squares(errors, x0, bounds=(0.0, 1.0), loss="soft_l1", f_scale=SOFTNESS, diff_step=0.01, max_nfev=15)
    return dict(zip(free, (low + found.x * width).tolist(), strict=True))
