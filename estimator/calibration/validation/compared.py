"""Every carried run beside its prediction, in sample and held out by site."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from estimator.calibration.bands import FLOOR_BYTES, band_values, residuals_of, sites_of
from estimator.calibration.global_fit import FAMILY_WEIGHTS, FOLDS, batches_of, folds_of, predicted_without, read_folds
from estimator.calibration.held_out import Compared, Floored
from estimator.calibration.measured import Run, measured_runs, size_class
from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.performance.algorithms import floor_ratios
from estimator.performance.bands import DOMAINS
from estimator.performance.bandwidth import points_of
from estimator.performance.times import predict_times
from estimator.units import FloatArray, s_to_us


class Found(NamedTuple):
    predicted_us: FloatArray
    low_us: FloatArray
    high_us: FloatArray
    error: FloatArray
    is_inside: Any


FoundBy = dict[tuple[str, str], Found]


def predicted_runs(runs: Sequence[Run], catalog: Catalog, constants: ModelConstants) -> dict[tuple[str, str], Found]:
    """Predictions of runs by name and collective, one call a group."""
    out: dict[tuple[str, str], Found] = {}
    for batch in batches_of(runs, catalog):
        first = batch.runs[0]
        points = points_of(batch.columns, batch.n_ranks, first.launch, constants)
        way = first.collective, first.algorithm, first.protocol
        floors = floor_ratios(points, constants, *way)
        times = predict_times(points, batch.message_bytes, constants, *way, floors)
        for i, run in enumerate(batch.runs):
            n, measured = len(run.time_us), np.array(run.time_us)
            us = [s_to_us(column[i, :n]) for column in (times.time_s, times.low_s, times.high_s)]
            inside = (us[1] <= measured) & (measured <= us[2])
            out[run.name, run.collective] = Found(us[0], us[1], us[2], np.log(us[0] / measured), inside)
    return out


@lru_cache(maxsize=2)
def compared_runs(catalog: Catalog) -> tuple[Compared, ...]:
    """Every carried run beside its prediction, in sample and by the fit that its site has no part in."""
    runs, constants = measured_runs(), ModelConstants(catalog)
    fitted = [run for run in runs if FAMILY_WEIGHTS.get(run.family)]
    found = predicted_runs(runs, catalog, constants)
    held, floored = held_by_site(fitted, read_folds(FOLDS), catalog, constants)
    sites = sites_of(fitted)
    out = []
    for run in runs:
        one = found[run.name, run.collective]
        without = held.get((run.name, run.collective), one)  # what no fit has seen is held out as it is
        told = [
            bool(sites.get((DOMAINS[run.n_domains > 1], size_class(size), run.collective), set()) - {run.site})
            for size in run.message_bytes
        ]
        with_floor = _floored(run, floored.get((run.name, run.collective)), np.array(told))
        out.append(Compared(run, *one, without.error, without.is_inside, np.array(told), with_floor))
    return tuple(out)


def _floored(run: Run, found: Found | None, is_told: Any) -> Floored | None:
    if found is None:
        return None
    beyond = np.array(run.message_bytes) > FLOOR_BYTES
    return Floored(found.error, found.is_inside, beyond & is_told)


def with_floor(run: Run) -> Run | None:
    """The run on a system whose floor is given: the median of its own short messages; None where it has none."""
    short = [time_us for size, time_us in zip(run.message_bytes, run.time_us, strict=True) if size <= FLOOR_BYTES]
    if not short:
        return None
    floor = {"small_message_us": float(np.median(short)), "small_message_gpus": run.gpus}
    return replace(run, system=run.system | floor)


def held_by_site(
    runs: Sequence[Run], folds: Sequence[dict[tuple[str, str], float]], catalog: Catalog, constants: ModelConstants
) -> tuple[FoundBy, FoundBy]:
    """Predictions of fitted runs with constants and bands that their site has no part in, and those with floors given."""
    fold_of = folds_of(runs)
    tested = predicted_without(runs, folds, catalog)
    residuals = residuals_of(tested.runs, tested.error, tested.host_share, constants)
    every = band_values(residuals)
    out: FoundBy = {}
    floored: FoundBy = {}
    for fold, values in enumerate(folds):
        others = band_values([one for one in residuals if fold_of[one.run.site] != fold])
        pooled = pooled_bands(every, others)
        of_fold = [run for run in runs if fold_of[run.site] == fold]
        without = constants.replaced(values | others | pooled)
        out |= predicted_runs(of_fold, catalog, without)
        floored |= predicted_runs([given for run in of_fold if (given := with_floor(run))], catalog, without)
    return out, floored


def pooled_bands(keys: Iterable[tuple[str, str]], known: dict[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """Of the cells that nothing known speaks of, the bands of all collectives of their domains and size class."""
    pools = {(name, index): (name, ".".join(index.split(".")[:2])) for name, index in keys}
    return {key: known[pool] for key, pool in pools.items() if key not in known and pool in known}
