"""Predicted times of the runs that logs are of, for any constants of the model."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from estimator.calibration.logged_run import LoggedRun
from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.performance.algorithms import collective_terms
from estimator.performance.bandwidth import SystemColumns, points_of, system_columns
from estimator.performance.collectives import fastest
from estimator.units import FloatArray, us_to_s


class Predictor:
    """Predicted times of some runs for any constants: one call of the model for each collective, launch and algorithm."""

    def __init__(self, runs: Sequence[LoggedRun], catalog: Catalog) -> None:
        groups: dict[tuple[Any, ...], list[LoggedRun]] = {}
        for run in runs:
            groups.setdefault((run.collective, run.launch, run.algorithm, run.protocol), []).append(run)
        self.runs = [run for group in groups.values() for run in group]
        self.constants = ModelConstants(catalog)
        self._groups = [_Group(group, catalog, self.constants) for group in groups.values()]
        self.message_bytes = np.concatenate([np.array(run.message_bytes, dtype=np.float64) for run in self.runs])
        self.measured_s = us_to_s(np.concatenate([np.array(run.time_us) for run in self.runs]))
        self.owner = np.repeat(np.arange(len(self.runs)), [len(run.time_us) for run in self.runs])

    def predicted_s(self, constants: ModelConstants) -> FloatArray:
        """Times of every size of every run, in the order of ``runs``. [s]"""
        return np.concatenate([group.predicted_s(constants) for group in self._groups])

    def errors(self, constants: ModelConstants) -> FloatArray:
        """ln(predicted ÷ measured), same order."""
        return np.asarray(np.log(self.predicted_s(constants) / self.measured_s))


class _Group:
    """Runs that one call predicts; shorter ones are padded with their last size."""

    def __init__(self, runs: Sequence[LoggedRun], catalog: Catalog, constants: ModelConstants) -> None:
        self.first = runs[0]
        self.columns: SystemColumns = system_columns([run.system for run in runs], catalog, constants)
        self.n_ranks = np.array([run.gpus for run in runs], dtype=np.int64)
        width = max(len(run.time_us) for run in runs)
        sizes = [np.pad(np.array(run.message_bytes, float), (0, width - len(run.time_us)), mode="edge") for run in runs]
        self.message_bytes: FloatArray = np.array(sizes)
        self.is_there = np.array([np.arange(width) < len(run.time_us) for run in runs])

    def predicted_s(self, constants: ModelConstants) -> FloatArray:
        first = self.first
        points = points_of(self.columns, self.n_ranks, first.launch, constants)
        terms = collective_terms(points, constants, first.collective, first.algorithm, first.protocol)
        return np.asarray(fastest(terms, self.message_bytes)[0][self.is_there])
