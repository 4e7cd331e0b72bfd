"""Fitting the constants to the measured steps, and errors with a model or a source left out: a maintainer's command.

    python -m estimator.workloads.training.fit            the errors in sample
    python -m estimator.workloads.training.fit --write    fit all rows and put the values into constants.csv
    python -m estimator.workloads.training.fit --held-out errors with each model, then each source, left out

Every fitted constant has a prior and a spread in ln; no constant belongs to one model. Residuals are ln(predicted ÷
measured), damped so that rows with unknown settings pull little, and rows of one source and model count less each the
more there are.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from estimator.catalog.constants import ModelConstants
from estimator.catalog.loader import load_catalog
from estimator.units import BoolArray, FloatArray
from estimator.workloads.fitted import Constant
from estimator.workloads.training.calibrating import common_ln
from estimator.workloads.training.columns import Steps
from estimator.workloads.training.constants import FITTED, Constants, training_constants, write_constants
from estimator.workloads.training.rows import MeasuredStep, eager_steps, measured_steps
from estimator.workloads.training.runs import Systems, steps_of
from estimator.workloads.training.stack import EAGER, family_of
from estimator.workloads.training.step import step_times
from estimator.workloads.training.traffic import Traffic, traffic_of

SCATTER = 0.06  # ln: what a row is off by that nothing is wrong with
CROWD = 0.15  # a row of n alike weighs n^-CROWD
DIFFERENCE = 1e-5
MOST_EVALUATIONS = 30
N_CALIBRATING = 3
STACK = "stack_factor"


@dataclass(frozen=True)
class Measured:
    """Rows with their columns and traffic, ready to be computed again and again."""

    rows: tuple[MeasuredStep, ...]
    steps: Steps
    traffic: Traffic
    step_s: FloatArray

    def take(self, keep: BoolArray) -> "Measured":
        """Some of the rows."""
        rows = tuple(row for row, kept in zip(self.rows, keep, strict=True) if kept)
        return Measured(rows, self.steps.take(keep), self.traffic.take(keep), self.step_s[keep])

    def errors(self, constants: Constants) -> FloatArray:
        """ln(predicted ÷ measured) of each row."""
        return np.asarray(np.log(step_times(self.steps, self.traffic, constants).step_s / self.step_s))

    def column(self, name: str) -> np.ndarray:
        """An attribute of the rows, as text."""
        return np.array([str(getattr(row, name)) for row in self.rows])


def measured(constants: Constants, of: Callable[..., Iterator[MeasuredStep]] = measured_steps) -> Measured:
    """All measured rows; with ``eager_steps``, the own ones of PyTorch."""
    catalog = load_catalog()
    network = ModelConstants(catalog)
    rows = tuple(of(catalog, network))
    steps = steps_of([row.run for row in rows], catalog, constants)
    systems = Systems(catalog, network)
    keys = np.array([systems.key(row.run) for row in rows])
    places = [np.flatnonzero(keys == key) for key in dict.fromkeys(keys)]
    found = [traffic_of(steps.take(here), systems.times(rows[here[0]].run)) for here in places]
    traffic = Traffic.joined(found).take(np.argsort(np.concatenate(places)))
    return Measured(rows, steps, traffic, np.array([row.step_s for row in rows]))


def fitted(data: Measured, constants: Constants, of_eager: bool = False) -> Constants:
    """Constants that are least off on the rows and least far from their priors: all, or those of PyTorch's own."""
    from scipy.optimize import least_squares  # slow to import, and only maintainers fit

    free = np.array([place for place, row in enumerate(constants.rows) if is_free(row, of_eager)])
    prior = np.log([constants.rows[place].prior for place in free])
    spread = np.array([constants.rows[place].spread for place in free])
    weights = _weights(data)

    def at(x: FloatArray) -> Constants:
        values = constants.values.copy()
        values[free] = np.exp(x)
        return constants.replaced(values)

    def residuals(x: FloatArray) -> FloatArray:
        off = data.errors(at(x)) / SCATTER * weights
        damped = np.sign(off) * np.sqrt(2 * (np.sqrt(1 + off**2) - 1))
        return np.concatenate([damped, (x - prior) / spread])

    def slopes(x: FloatArray) -> FloatArray:
        here = residuals(x)
        out = np.empty((len(here), len(x)))
        for column in range(len(x)):
            moved = x.copy()
            moved[column] += DIFFERENCE
            out[:, column] = (residuals(moved) - here) / DIFFERENCE
        return out

    start = np.log(constants.values[free])
    found = least_squares(residuals, start, jac=slopes, max_nfev=MOST_EVALUATIONS, ftol=1e-5, xtol=1e-5)
    return at(found.x)


def is_free(row: Constant, of_eager: bool) -> bool:
    """Whether a fit moves a constant: one of PyTorch's own runs, or one of all others."""
    return row.basis == FITTED and row.spread > 0 and row.index.startswith(EAGER) == of_eager


def _weights(data: Measured) -> FloatArray:
    groups = [f"{row.source} {row.model}" for row in data.rows]
    counts = Counter(groups)
    weights = np.array([float(counts[group]) ** -CROWD for group in groups])
    return np.asarray(weights / np.sqrt(np.mean(weights**2)))


def held_out(data: Measured, constants: Constants, name: str) -> FloatArray:
    """Errors of rows whose model, source or GPU was left out of the fit. A source left out is a stack without rows."""
    groups = data.column(name)
    out = np.zeros(len(groups))
    for group in dict.fromkeys(groups):
        here = groups == group
        found = fitted(data.take(~here), constants)
        if name == "source":
            found = without_stack(found, str(group))
        out[here] = data.take(here).errors(found)
    return out


def without_stack(constants: Constants, framework: str) -> Constants:
    """A framework's stack factors as those of one without rows."""
    values = constants.values.copy()
    family = family_of(framework)
    alike = [
        value
        for row, value in zip(constants.rows, constants.values, strict=True)
        if row.name == STACK and row.spread and row.index != framework and family_of(row.index) == family
    ]
    unknown = float(np.median(alike)) if family else constants.values[constants.place(STACK, "default")]
    for place, row in enumerate(constants.rows):
        if row.name == STACK and row.index.split(".")[0] == framework:
            values[place] = unknown
    return constants.replaced(values)


def calibrated(data: Measured, errors: FloatArray, n_rows: int = N_CALIBRATING, seed: int = 0) -> FloatArray:
    """Errors after ``n_rows`` other rows calibrate: of the same source, GPU and precision; NaN where there are fewer."""
    random = np.random.default_rng(seed)
    keys = np.array([f"{row.source} {row.gpu} {row.precision}" for row in data.rows])
    out = np.full(len(errors), np.nan)
    for place, key in enumerate(keys):
        others = np.flatnonzero((keys == key) & (np.arange(len(keys)) != place))
        if len(others) >= n_rows:
            out[place] = errors[place] + common_ln(-errors[random.choice(others, n_rows, replace=False)])
    return out


def summary(errors: FloatArray) -> str:
    """Median and ninth decile of absolute errors, in percent."""
    off = 100 * np.abs(errors[np.isfinite(errors)])
    return f"{np.median(off):5.1f} / {np.quantile(off, 0.9):5.1f} ({len(off)})" if len(off) else "-"


def _show(title: str, data: Measured, errors: FloatArray, by: tuple[str, ...] = ()) -> None:
    is_moe = data.steps.shapes.moe_layers > 0
    print(f"{title:24} all {summary(errors)}  dense {summary(errors[~is_moe])}  MoE {summary(errors[is_moe])}")
    for name in by:
        column = data.column(name)
        for group in dict.fromkeys(column):
            of = errors[column == group]
            print(f"    {name} {group:20} {summary(of)}  bias {100 * np.median(of):+.1f}")


def main(given: list[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put the fitted values into constants.csv")
    parser.add_argument("--held-out", action="store_true", help="errors with each model, then each source, left out")
    asked = parser.parse_args(given)
    constants = training_constants()
    data, eager = measured(constants), measured(constants, eager_steps)
    if asked.write:
        constants = fitted(data, constants)
        constants = fitted(eager, constants, of_eager=True)
        write_constants(constants)
    _show("in sample", data, data.errors(constants), ("source", "model", "gpu", "precision"))
    _show("PyTorch eager", eager, eager.errors(constants), ("model",))
    if asked.held_out:
        for name in ("model", "source"):
            off = held_out(data, constants, name)
            _show(f"one {name} left out", data, off, (name,))
            _show("  and three rows", data, calibrated(data, off))


if __name__ == "__main__":
    main()
