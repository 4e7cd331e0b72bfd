"""The global fit of the model's constants to the measured runs: for maintainers, reproducible, held out by source.

``python -m estimator.calibration.global_fit`` prints what it finds; with ``--write`` the rows of model_constants.csv
take the fitted values, rounded, and the spread of the fits that leave a sixth of the sources out. Residuals are
ln(predicted ÷ measured); a run's points weigh together as their count to the power of a quarter, so that a long log does
not outvote short ones.
"""

import argparse
import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from estimator.calibration.measured import CORE, SIZE_CLASSES, Run, measured_runs, size_class
from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.catalog.loader import HERE, load_catalog
from estimator.performance.bandwidth import points_of, system_columns
from estimator.performance.times import predict_times
from estimator.units import FloatArray, us_to_s

N_FOLDS = 6
CLIP = 1.5
MAX_EVALUATIONS = 12
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


def bounds_of(row: Any) -> tuple[float, float]:
    """Within which a constant is sought: efficiencies and shares 8 % around where it stands, all else half to twice."""
    value = float(row.value)
    near = row.unit == "1" and not row.name.startswith(("latency_factor", "start_share", "fill_share", "launch_share"))
    return (value * 0.92, value * 1.08) if near else (value * 0.5, value * 2.0)


def fit(runs: Sequence[Run], free: Sequence[Key], catalog: Catalog) -> dict[Key, float]:
    """Values of the free constants, in the units of their rows, that fit the runs best within their bounds."""
    from scipy.optimize import least_squares  # for a fast start: scipy takes long to load

    base = ModelConstants(catalog)
    middle = np.array([float(base.row(*key).value) for key in free])
    low, high = np.array([bounds_of(base.row(*key)) for key in free]).T
    width = high - low
    batches = batches_of(runs)

    def errors(x: FloatArray) -> FloatArray:
        constants = base.replaced(dict(zip(free, (low + x * width).tolist(), strict=True)))
        found, weight = residuals(batches, catalog, constants)
        prior = PRIOR * (x - (middle - low) / width)
        return np.concatenate([np.clip(found, -CLIP, CLIP) * weight, prior])

    x0 = (middle - low) / width
    found = least_squares(
        errors, x0, bounds=(0.0, 1.0), loss="soft_l1", f_scale=SOFTNESS, diff_step=0.01, max_nfev=MAX_EVALUATIONS
    )
    return dict(zip(free, (low + found.x * width).tolist(), strict=True))


# ---------------------------------------------------------------- held out, and written

FREE_NAMES = (
    "ring_efficiency", "nvls_efficiency", "network_efficiency", "fabric_latency", "latency_factor", "channel_start",
    "ring_fill", "tree_fill", "nvls_fill", "half_fill_bytes", "launch", "launch_per_gpu", "launch_share", "start_share",
    "fill_share", "pass_efficiency", "pair_efficiency", "pair_fill", "send_efficiency", "send_share", "collnet_share",
    "tree_many_share", "nvls_network_share", "nvls_tree_network_share",
)  # fmt: skip


def free_constants(catalog: Catalog) -> list[Key]:
    """Constants that runs inform: rows of FREE_NAMES that rest on measurement, and are not nothing."""
    return [
        (row.name, row.index or "")
        for row in catalog.constants.values()
        if row.name in FREE_NAMES and row.basis == "measured" and float(row.value) > 0
    ]


@dataclass(frozen=True)
class HeldOut:
    """Fits that leave a fold of the sources out: residuals of what was left out, and the values that each fit found."""

    runs: tuple[Run, ...]
    error: tuple[FloatArray, ...]  # by run
    found: tuple[dict[Key, float], ...]

    def spread(self, key: Key) -> tuple[float, float]:
        """(lowest, highest) value over the folds."""
        values = [found[key] for found in self.found]
        return min(values), max(values)


def held_out(runs: Sequence[Run], free: Sequence[Key], catalog: Catalog) -> HeldOut:
    """Predict each run with constants fitted without its source: no configuration tells on itself."""
    fold_of = {source: i % N_FOLDS for i, source in enumerate(sorted({run.source for run in runs}))}
    base = ModelConstants(catalog)
    tested: list[Run] = []
    errors: list[FloatArray] = []
    found = []
    for fold in range(N_FOLDS):
        values = fit([run for run in runs if fold_of[run.source] != fold], free, catalog)
        found.append(values)
        constants = base.replaced(values)
        for batch in batches_of([run for run in runs if fold_of[run.source] == fold]):
            predicted = predicted_s(batch, catalog, constants)
            for i, run in enumerate(batch.runs):
                n = len(run.time_us)
                tested.append(run)
                errors.append(np.log(predicted[i, :n] / batch.measured_s[i, :n]))
    return HeldOut(tuple(tested), tuple(errors), tuple(found))


def write_constants(path: Path, values: dict[Key, float], spread: dict[Key, tuple[float, float]]) -> None:
    """Rows of model_constants.csv with new values, rounded to three figures, and their spread; all other rows as they are."""
    with path.open(newline="", encoding="utf-8") as file:
        head, *rows = list(csv.reader(file))
    columns = {name: head.index(name) for name in ("name", "index", "value", "low", "high")}
    for row in rows:
        key = row[columns["name"]], row[columns["index"]]
        if key in values:
            value = float(f"{values[key]:.3g}")
            low, high = spread.get(key, (value, value))
            for name, number in (("value", value), ("low", min(low, value)), ("high", max(high, value))):
                row[columns[name]] = f"{float(f'{number:.3g}'):g}"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])


def main(arguments: list[str] | None = None) -> int:
    """Fit, say what it is worth on what was held out, and write the rows if asked."""
    parser = argparse.ArgumentParser(
        prog="python -m estimator.calibration.global_fit", description="Fit the model to the carried runs."
    )
    parser.add_argument("--write", action="store_true", help="write the fitted rows to model_constants.csv")
    parser.add_argument(
        "--only", metavar="NAMES", help="constants by name, comma-separated, instead of all that runs inform"
    )
    asked = parser.parse_args(arguments)
    catalog = load_catalog()
    wanted = asked.only.split(",") if asked.only else FREE_NAMES
    free = [key for key in free_constants(catalog) if key[0] in wanted]
    runs = [run for run in measured_runs() if FAMILY_WEIGHTS.get(run.family)]
    values = fit(runs, free, catalog)
    tested = held_out(runs, free, catalog)
    for key in free:
        low, high = tested.spread(key)
        print(f"{'.'.join(filter(None, key)):40s} {values[key]:12.4g}  {low:.4g} to {high:.4g}")
    for name in SIZE_CLASSES:
        errors = [
            abs(error)
            for run, of_run in zip(tested.runs, tested.error, strict=True)
            for size, error in zip(run.message_bytes, of_run.tolist(), strict=True)
            if run.family == CORE and size_class(size) == name
        ]
        print(
            f"held out, {name}: median {np.median(errors):.4f}, nine in ten {np.quantile(errors, 0.9):.3f}, {len(errors)} points"
        )
    if asked.write:
        write_constants(HERE / "model_constants.csv", values, {key: tested.spread(key) for key in free})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
