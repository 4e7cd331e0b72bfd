"""The global fit of the model's constants to the measured runs: for maintainers, reproducible, held out by site.

``python -m estimator.calibration.global_fit`` prints what it finds; with ``--write`` the rows of model_constants.csv
take the fitted values, rounded, and the spread of the fits that leave a part of the sites out. Residuals are
ln(predicted ÷ measured). A long log counts little more than a short one, and a site with many runs little more than one
with few: what decides is how many sites agree.
"""

import argparse
import csv
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from estimator.calibration.bands import (
    TAIL,
    band_values,
    floor_band_values,
    residuals_of,
    site_band_values,
    site_counts,
)
from estimator.calibration.measured import CORE, SIZE_CLASSES, Run, measured_runs, size_class
from estimator.calibration.measured import HERE as MEASURED
from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import DEFAULT, ModelConstants
from estimator.catalog.loader import HERE, load_catalog
from estimator.performance.algorithms import collective_terms
from estimator.performance.bands import host_share
from estimator.performance.bandwidth import SystemColumns, points_of, system_columns
from estimator.performance.collectives import Terms, fastest
from estimator.units import FloatArray, IntArray, us_to_s

N_FOLDS = 10
CLIP = 1.5
MAX_EVALUATIONS, EVALUATIONS_NEAR = 8, 3
SOFTNESS = 0.04  # |ln| beyond which a residual counts less than its square
PRIOR = 0.05  # weight of staying where the constant stood, per bound width
STEP = 0.01  # of a bound width: what slopes are taken over
FAMILY_WEIGHTS = {"core": 1.0, "inside": 0.7, "amd": 0.3, "slingshot": 0.3, "own": 0.3}
CLASS_WEIGHTS = {"large": 2.0, "mid": 1.0, "small": 1.0}  # as bandwidths repeat to 2 %, and floors do not
RUN_POWER, SITE_POWER = 0.5, 0.3  # a run's points and a site's runs weigh together as their count to 1 − twice this
FOLDS = MEASURED / "folds.csv"
LATEST = "2026-11-29"
_OUTSIDE = f"{100 * TAIL:g} %"
CELL_WORDS = {  # unit, basis, source and evidence of the rows that ``write_cells`` makes
    "band_low": (
        "1",
        "measured",
        "Fits that left a site out",
        f"Measured over predicted, {_OUTSIDE} of votes below, nearly a vote a site",
    ),
    "band_high": (
        "1",
        "measured",
        "Fits that left a site out",
        f"Measured over predicted, {_OUTSIDE} of votes above, nearly a vote a site",
    ),
    "host_band": (
        "1",
        "measured",
        "Fits that left a site out",
        "Measured over predicted, either way, of what a host's loop over its GPUs or a framework's launch makes: "
        f"{200 * TAIL:g} % of votes lie beyond it",
    ),
    "floor_band_low": ("1", "measured", "Fits that left a site out", "As band_low, once a site's floor is known"),
    "floor_band_high": ("1", "measured", "Fits that left a site out", "As band_high, once a site's floor is known"),
    "site_band_low": ("1", "measured", "Fits that left a site out", "As band_low, once a site's other runs are fitted"),
    "site_band_high": (
        "1",
        "measured",
        "Fits that left a site out",
        "As band_high, once a site's other runs are fitted",
    ),
    "measured_sites": (
        "sites",
        "measured",
        "Published nccl-tests runs carried in measured/",
        "Sites with a healthy run",
    ),
}
WIRE_FABRICS = ("infiniband", "roce")
NOT_FITTED = {("tree_fill", "domain")}  # from forced trees of one machine; other runs hold none inside a domain
FAR_NAMES = ("latency_factor", "start_share", "fill_share", "launch_share", "ll_rate_factor")
NEARLY_NONE = 1e-9  # of a bound width, so that a constant may stand at its bound
UNBOUNDED = 1e8  # a rate that nothing holds up
Key = tuple[str, str]


@dataclass(frozen=True)
class Batch:
    """Runs of one collective, launch, forced algorithm and protocol, evaluated together."""

    runs: tuple[Run, ...]
    columns: SystemColumns
    n_ranks: IntArray
    message_bytes: FloatArray  # (n_runs, n_sizes), padded with the last size
    measured_s: FloatArray
    weight: FloatArray  # 0 for padding

    @cached_property
    def is_used(self) -> Any:
        """Where there is a point, and it weighs."""
        return self.weight > 0

    @cached_property
    def used_weight(self) -> FloatArray:
        """Weights of the points of ``errors``."""
        return np.asarray(self.weight[self.is_used])

    def errors(self, constants: ModelConstants) -> FloatArray:
        """ln(predicted ÷ measured) of the points that weigh."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(predicted_s(self, constants) / self.measured_s)[self.is_used])


def batches_of(runs: Sequence[Run], catalog: Catalog) -> list[Batch]:
    """Runs grouped so that one call predicts each group."""
    constants, of_site = ModelConstants(catalog), Counter(run.site for run in runs)
    groups: dict[tuple[Any, ...], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.collective, run.launch, run.algorithm, run.protocol), []).append(run)
    return [_batch(tuple(group), of_site, catalog, constants) for group in groups.values()]


def _batch(runs: tuple[Run, ...], of_site: Counter[str], catalog: Catalog, constants: ModelConstants) -> Batch:
    width = max(len(run.time_us) for run in runs)
    sizes, times, weight = (np.zeros((len(runs), width)) for _ in range(3))
    for i, run in enumerate(runs):
        n = len(run.time_us)
        sizes[i] = np.pad(np.array(run.message_bytes, dtype=np.float64), (0, width - n), mode="edge")
        times[i] = np.pad(us_to_s(np.array(run.time_us)), (0, width - n), mode="edge")
        weight[i, :n] = n**-RUN_POWER * of_site[run.site] ** -SITE_POWER * FAMILY_WEIGHTS.get(run.family, 0.0)
        weight[i, :n] *= [CLASS_WEIGHTS[size_class(size)] for size in run.message_bytes]
    columns = system_columns([run.system for run in runs], catalog, constants)
    return Batch(runs, columns, np.array([run.gpus for run in runs]), sizes, times, weight)


def predicted_s(batch: Batch, constants: ModelConstants) -> FloatArray:
    """Predicted times of a batch, shape (n_runs, n_sizes). [s]"""
    return fastest(_terms(batch, constants), batch.message_bytes)[0]


def predicted_with_host(batch: Batch, constants: ModelConstants) -> tuple[FloatArray, FloatArray]:
    """Predicted times of a batch, and how far a host's loop makes them, both of shape (n_runs, n_sizes). [s], [1]"""
    terms = _terms(batch, constants)
    time_s = fastest(terms, batch.message_bytes)[0]
    return time_s, host_share(terms, time_s)


def _terms(batch: Batch, constants: ModelConstants) -> Terms:
    first = batch.runs[0]
    points = points_of(batch.columns, batch.n_ranks, first.launch, constants)
    return collective_terms(points, constants, first.collective, first.algorithm, first.protocol)


def residuals(batches: Sequence[Batch], constants: ModelConstants) -> tuple[FloatArray, FloatArray]:
    """(ln(predicted ÷ measured), weight) of every point of every batch, one after the other."""
    errors, weights = [batch.errors(constants) for batch in batches], [batch.used_weight for batch in batches]
    return np.concatenate(errors), np.concatenate(weights)


def bounds_of(row: Any) -> tuple[float, float]:
    """Within which a constant is sought: efficiencies and shares 8 % around where it stands, all else half to twice.

    What a NIC carries is known from headers and from a host's copies, and less from who measured it: 1.5 % around.
    """
    value = float(row.value)
    if row.name == "network_efficiency" and row.index in WIRE_FABRICS:
        return value * 0.985, value * 1.015
    near = row.unit == "1" and not row.name.startswith(FAR_NAMES)
    return (value * 0.92, value * 1.08) if near else (value * 0.5, value * 2.0)


class _Problem:
    """The least squares over shares of the bound widths; slopes are taken only where a constant is looked up."""

    def __init__(self, runs: Sequence[Run], free: Sequence[Key], catalog: Catalog) -> None:
        self._base = ModelConstants(catalog)
        self._free = free
        self.low, high = np.array([bounds_of(self._base.row(*key)) for key in free]).T
        self.width = high - self.low
        self.x0 = (np.array([float(self._base.row(*key).value) for key in free]) - self.low) / self.width
        self._batches = batches_of(runs, catalog)
        self._at = np.cumsum([0, *(len(batch.used_weight) for batch in self._batches)])
        self._uses = [self._keys_of(batch) for batch in self._batches]

    def _keys_of(self, batch: Batch) -> set[Key]:
        constants = self._base.replaced({})
        batch.errors(constants)
        return {(row.name, row.index or "") for row in constants.used(frozenset())}

    def constants(self, x: FloatArray) -> ModelConstants:
        return self._base.replaced(self.values(x))

    def _weighed(self, batch: Batch, constants: ModelConstants) -> FloatArray:
        return np.clip(batch.errors(constants), -CLIP, CLIP) * batch.used_weight

    def errors(self, x: FloatArray) -> FloatArray:
        constants = self.constants(x)
        return np.concatenate([*(self._weighed(b, constants) for b in self._batches), PRIOR * (x - self.x0)])

    def rows_of(self, runs: Sequence[Run]) -> Any:
        """Which of the errors of all runs are of these, and of the prior."""
        kept = {(run.name, run.collective) for run in runs}
        of_runs = [
            np.repeat([(run.name, run.collective) in kept for run in batch.runs], batch.is_used.sum(axis=1))
            for batch in self._batches
        ]
        return np.concatenate([*of_runs, np.ones(len(self._free), dtype=bool)])

    def values(self, x: FloatArray) -> dict[Key, float]:
        """The free constants, in the units of their rows."""
        return dict(zip(self._free, (self.low + x * self.width).tolist(), strict=True))

    def slopes(self, x: FloatArray) -> FloatArray:
        at = self.errors(x)
        out = np.zeros((len(at), len(x)))
        for k, key in enumerate(self._free):
            step = STEP if x[k] + STEP <= 1.0 else -STEP
            moved = x.copy()
            moved[k] += step
            constants = self.constants(moved)
            for i, batch in enumerate(self._batches):
                if key in self._uses[i]:
                    rows = slice(self._at[i], self._at[i + 1])
                    out[rows, k] = (self._weighed(batch, constants) - at[rows]) / step
            out[self._at[-1] + k, k] = PRIOR
        return out


Fitted = dict[Key, float]  # values of constants, in the units of their rows


def fit(runs: Sequence[Run], free: Sequence[Key], catalog: Catalog, near: Fitted | None = None) -> Fitted:
    """Values of the free constants that fit the runs best within their bounds.

    ``near`` is a fit of more runs, from which that of fewer is a few steps away; None to start where the constants stand.
    """
    from scipy.optimize import least_squares  # for a fast start: scipy takes long to load

    problem = _Problem(runs, free, catalog)
    start = problem.x0 if near is None else (np.array([near[key] for key in free]) - problem.low) / problem.width
    found = least_squares(
        problem.errors,
        np.clip(start, 0.001, 0.999),
        jac=problem.slopes,
        bounds=(0.0, 1.0),
        loss="soft_l1",
        f_scale=SOFTNESS,
        max_nfev=MAX_EVALUATIONS if near is None else EVALUATIONS_NEAR,
        ftol=1e-4,
    )
    return problem.values(found.x)


class Slopes:
    """What each constant moves each point by, taken once where the constants stand: fits of parts of the runs then take a
    fraction of a second each, as nothing is predicted anew."""

    def __init__(self, runs: Sequence[Run], free: Sequence[Key], catalog: Catalog) -> None:
        self._problem = _Problem(runs, free, catalog)
        self._errors, self._slopes = self._problem.errors(self._problem.x0), self._problem.slopes(self._problem.x0)

    def fit(self, runs: Sequence[Run]) -> Fitted:
        """As the function ``fit``, of a part of the runs: the same loss, by squares that are weighed anew."""
        from scipy.optimize import lsq_linear  # as above

        rows, x0 = self._problem.rows_of(runs), self._problem.x0
        errors, slopes = self._errors[rows], self._slopes[rows]
        moved = np.zeros_like(x0)
        for _ in range(MAX_EVALUATIONS):
            weight = (1.0 + ((errors + slopes @ moved) / SOFTNESS) ** 2) ** -0.25
            weighed = slopes * weight[:, None]
            root = np.linalg.cholesky(weighed.T @ weighed).T  # the prior has each constant in a row of its own
            aim = np.linalg.solve(root.T, -weighed.T @ (errors * weight))
            moved = lsq_linear(root, aim, bounds=(-x0 - NEARLY_NONE, 1.0 - x0 + NEARLY_NONE)).x
        return self._problem.values(x0 + moved)


# ---------------------------------------------------------------- held out, and written

FREE_NAMES = (
    "ring_efficiency", "nvls_efficiency", "network_efficiency", "fabric_latency", "latency_factor", "channel_start",
    "channel_start_level", "base_latency", "domain_step_latency", "own_copy_rate", "send_network_rate", "ring_fill",
    "channel_start_bytes", "tree_fill", "nvls_fill", "half_fill_bytes", "launch", "launch_per_gpu", "launch_share",
    "start_share", "fill_share", "pass_efficiency", "pair_efficiency", "pair_fill", "send_efficiency", "send_share",
    "collnet_share", "tree_many_share", "nvls_network_share", "nvls_tree_network_share", "ll_rate_factor",
)  # fmt: skip


def free_constants(catalog: Catalog) -> list[Key]:
    """Constants that runs inform: rows of FREE_NAMES that rest on measurement, and are not nothing."""
    return [
        (row.name, row.index or "")
        for row in catalog.constants.values()
        if row.name in FREE_NAMES
        and (row.name, row.index or "") not in NOT_FITTED
        and row.basis == "measured"
        and 0 < float(row.value) < UNBOUNDED
    ]


@dataclass(frozen=True)
class HeldOut:
    """Fits that leave a fold of the sites out: residuals of what was left out, and the values that each fit found."""

    runs: tuple[Run, ...]
    error: tuple[FloatArray, ...]  # by run
    host_share: tuple[FloatArray, ...]  # by run
    found: tuple[dict[Key, float], ...]

    def spread(self, key: Key) -> tuple[float, float]:
        """(lowest, highest) value over the folds."""
        values = [found[key] for found in self.found]
        return min(values), max(values)


def folds_of(runs: Sequence[Run]) -> dict[str, int]:
    """Fold of each site: sites with many points are dealt first, so that no fold has two of the largest."""
    points: Counter[str] = Counter()
    for run in runs:
        points[run.site] += len(run.time_us)
    return {site: i % N_FOLDS for i, site in enumerate(sorted(points, key=lambda site: (-points[site], site)))}


def held_out(runs: Sequence[Run], fitted: Callable[[Sequence[Run]], Fitted], catalog: Catalog) -> HeldOut:
    """Predict each run with constants that ``fitted`` finds without its site: no operator tells on itself."""
    fold_of = folds_of(runs)
    found = [fitted([run for run in runs if fold_of[run.site] != fold]) for fold in sorted(set(fold_of.values()))]
    return predicted_without(runs, found, catalog)


def predicted_without(runs: Sequence[Run], found: Sequence[dict[Key, float]], catalog: Catalog) -> HeldOut:
    """Predict each run with the constants that ``found`` has for the fold of its site."""
    fold_of, base = folds_of(runs), ModelConstants(catalog)
    tested: list[Run] = []
    errors: list[FloatArray] = []
    shares: list[FloatArray] = []
    for fold, values in enumerate(found):
        constants = base.replaced(values)
        for batch in batches_of([run for run in runs if fold_of[run.site] == fold], catalog):
            predicted, share = predicted_with_host(batch, constants)
            for i, run in enumerate(batch.runs):
                n = len(run.time_us)
                tested.append(run)
                shares.append(share[i, :n])
                errors.append(np.log(predicted[i, :n] / batch.measured_s[i, :n]))
    return HeldOut(tuple(tested), tuple(errors), tuple(shares), tuple(found))


def write_constants(path: Path, values: dict[Key, float], spread: dict[Key, tuple[float, float]]) -> None:
    """Rows of model_constants.csv with new values, rounded to three figures, and their spread; all other rows as they are."""
    head, rows = _read(path)
    columns = {name: head.index(name) for name in ("name", "index", "value", "low", "high")}
    for row in rows:
        key = row[columns["name"]], row[columns["index"]]
        if key in values:
            value = float(f"{values[key]:.3g}")
            low, high = spread.get(key, (value, value))
            for name, number in (("value", value), ("low", min(low, value)), ("high", max(high, value))):
                row[columns[name]] = f"{float(f'{number:.3g}'):g}"
    _write(path, head, rows)


def write_cells(path: Path, cells: dict[Key, float]) -> None:
    """Bands and numbers of sites by cell: all rows of their names anew, in the place of the first."""
    head, rows = _read(path)
    names = {name for name, _ in cells}
    at = next((i for i, row in enumerate(rows) if row[0] in names and row[1] != DEFAULT), len(rows))
    kept = [row for row in rows if row[0] not in names or row[1] == DEFAULT]
    made = [
        [name, index, f"{value:g}", f"{value:g}", f"{value:g}", *CELL_WORDS[name], LATEST]
        for (name, index), value in sorted(cells.items())
    ]
    _write(path, head, [*kept[:at], *made, *kept[at:]])


def _read(path: Path) -> tuple[list[str], list[list[str]]]:
    with path.open(newline="", encoding="utf-8") as file:
        head, *rows = list(csv.reader(file))
    return head, rows


def _write(path: Path, head: list[str], rows: list[list[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])


def write_folds(path: Path, free: Sequence[Key], folds: Sequence[dict[Key, float]]) -> None:
    """What each fold's fit found, a row a constant: held-out errors follow from it without fitting again."""
    rows = [[*key, *(f"{found[key]:.5g}" for found in folds)] for key in free]
    _write(path, ["name", "index", *(f"fold_{i}" for i in range(len(folds)))], rows)


def read_folds(path: Path) -> list[dict[Key, float]]:
    """Constants of each fold, in the units of their rows."""
    head, rows = _read(path)
    return [{(row[0], row[1]): float(row[i]) for row in rows} for i in range(2, len(head))]


def main(arguments: list[str] | None = None) -> int:
    """Fit, say what it is worth on what was held out, and write the rows if asked."""
    parser = argparse.ArgumentParser(
        prog="python -m estimator.calibration.global_fit", description="Fit the model to the carried runs."
    )
    parser.add_argument(
        "--bands", action="store_true", help="write the bands of the folds that were kept, and fit nothing"
    )
    parser.add_argument("--write", action="store_true", help="write the fitted rows to model_constants.csv")
    parser.add_argument(
        "--only", metavar="NAMES", help="constants by name, comma-separated, instead of all that runs inform"
    )
    asked = parser.parse_args(arguments)
    catalog = load_catalog()
    if asked.bands:
        write_bands(catalog)
        return 0
    wanted = asked.only.split(",") if asked.only else FREE_NAMES
    free = [key for key in free_constants(catalog) if key[0] in wanted]
    runs = [run for run in measured_runs() if FAMILY_WEIGHTS.get(run.family)]
    values = fit(runs, free, catalog)
    tested = held_out(runs, lambda rest: fit(rest, free, catalog, values), catalog)
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
        path = HERE / "model_constants.csv"
        write_constants(path, values, {key: tested.spread(key) for key in free})
        write_folds(FOLDS, free, tested.found)
        write_bands(catalog)
    return 0


def write_bands(catalog: Catalog) -> None:
    """Bands and numbers of sites anew, from what the kept fits of the folds leave."""
    runs = [run for run in measured_runs() if FAMILY_WEIGHTS.get(run.family)]
    tested = predicted_without(runs, read_folds(FOLDS), catalog)
    left = residuals_of(tested.runs, tested.error, tested.host_share, ModelConstants(catalog))
    cells = band_values(left) | floor_band_values(left) | site_band_values(left) | site_counts(runs)
    write_cells(HERE / "model_constants.csv", cells)


if __name__ == "__main__":
    raise SystemExit(main())
