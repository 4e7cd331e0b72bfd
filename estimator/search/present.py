"""The present design beside what a search finds: its own figures, and by how much a found one is better."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.errors import EstimatorError, SpecError
from estimator.record import Given
from estimator.search.figures import PARTS, Aims, Estimator, Table, figures_of_estimate
from estimator.spec.parse import parse_spec
from estimator.units import BoolArray, FloatArray

_SAME = 1e-9  # share by which figures differ that were added up in another order


def measured(given: Given, aims: Aims, catalog: Catalog, estimate: Estimator) -> Table:
    """Figures of one design by the ordinary way: columns of one entry.

    Raises
    ------
    SpecError
        If it is wrong or cannot be built, its fields under ``present.``.
    """
    try:
        (made,) = estimate([parse_spec(given, catalog)], catalog, PARTS)
    except EstimatorError as error:
        problems = [replace(one, field=f"present.{one.field}".rstrip("."), change=None) for one in error.problems]
        raise SpecError(problems) from None
    return figures_of_estimate(made, aims, catalog)


@dataclass(frozen=True)
class Beside:
    """Candidates beside one design, in figures of which less is better: ``columns`` shape (n, m), ``own`` shape (m,)."""

    columns: FloatArray
    own: FloatArray

    def better(self, figure: int) -> Iterator[tuple[int, float]]:
        """Rows that are better in one figure and no worse in the others, best first, each with by how much."""
        rest = np.delete(np.arange(len(self.own)), figure)
        rows = np.flatnonzero(self._no_worse()[:, rest].all(axis=1) & self._is_better()[:, figure])
        gain = self.own[figure] - self.columns[rows, figure]
        for at in np.argsort(-gain, kind="stable"):
            yield int(rows[at]), float(gain[at])

    def is_dominated(self, stands: Callable[[int], bool]) -> bool:
        """Whether a row that stands by itself is as good in every figure and better in one."""
        rows = np.flatnonzero(self._no_worse().all(axis=1) & self._is_better().any(axis=1))
        return any(stands(int(row)) for row in rows)

    def _within(self) -> FloatArray:
        return _SAME * np.abs(self.own)

    def _no_worse(self) -> BoolArray:
        found: BoolArray = self.columns <= self.own + self._within()
        return found

    def _is_better(self) -> BoolArray:
        found: BoolArray = self.columns < self.own - self._within()
        return found
