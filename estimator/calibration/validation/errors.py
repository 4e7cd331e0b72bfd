"""Errors of groups of compared runs by size class: in sample, held out by site, and how often bands held."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from estimator.calibration.held_out import Compared, Coverage
from estimator.calibration.measured import CORE, SIZE_CLASSES, size_class
from estimator.calibration.validation.compared import compared_runs
from estimator.catalog.catalog import Catalog
from estimator.performance.bands import DOMAINS
from estimator.performance.collectives import COLLECTIVES
from estimator.record import Record


class ErrorSummary(Record):
    """Errors of some points, |ln(predicted ÷ measured)|, in sample and held out by site; None where there is no point."""

    points: int
    median: float | None = None
    nine_in_ten: float | None = None
    inside: float | None = None
    """Share of the points that lie in their bands."""
    sites: int = 0
    """Operators that the points are of."""
    width: float | None = None
    """Median of a band's upper end ÷ its lower end."""
    held_points: int = 0
    """Points of which another site speaks too: what held-out errors are stated of."""
    held_median: float | None = None
    held_nine_in_ten: float | None = None
    held_inside: float | None = None


class ErrorRow(Record):
    """Errors of a group of runs by size class."""

    group: str
    large: ErrorSummary
    mid: ErrorSummary
    small: ErrorSummary

    @property
    def cells(self) -> list[ErrorSummary]:
        """In the order of SIZE_CLASSES."""
        return [getattr(self, name) for name in SIZE_CLASSES]


def error_rows(
    compared: Sequence[Compared], group: Callable[[Compared], str], order: Callable[[str], Any] = str
) -> list[ErrorRow]:
    """Errors by group and size class: points, median and ninth decile of |ln|, share inside the band, sites."""
    found: dict[str, dict[str, list[tuple[Compared, int]]]] = {}
    for item in compared:
        by_class = found.setdefault(group(item), {name: [] for name in SIZE_CLASSES})
        for i, size in enumerate(item.run.message_bytes):
            by_class[size_class(size)].append((item, i))
    return [
        ErrorRow(group=name, **{key: _summary(found[name][key]) for key in SIZE_CLASSES})
        for name in sorted(found, key=order)
    ]


def _summary(points: list[tuple[Compared, int]]) -> ErrorSummary:
    if not points:
        return ErrorSummary(points=0)
    errors = np.abs([item.error[i] for item, i in points])
    told = [(item, i) for item, i in points if item.is_told[i]]
    held = np.abs([item.held_error[i] for item, i in told])
    return ErrorSummary(
        points=len(points),
        median=float(np.median(errors)),
        nine_in_ten=float(np.quantile(errors, 0.9)),
        inside=float(np.mean([item.is_inside[i] for item, i in points])),
        sites=len({item.run.site for item, _ in points}),
        width=float(np.median([item.high_us[i] / item.low_us[i] for item, i in points])),
        held_points=len(told),
        held_median=float(np.median(held)) if told else None,
        held_nine_in_ten=float(np.quantile(held, 0.9)) if told else None,
        held_inside=float(np.mean([item.held_inside[i] for item, i in told])) if told else None,
    )


def coverage_rows(catalog: Catalog) -> list[Coverage]:
    """What designs say of their bands: held out, core runs, by collective, domains and size class."""
    core = [item for item in compared_runs(catalog) if item.run.family == CORE]
    out = []
    for collective in COLLECTIVES:
        for several, domains in enumerate(DOMAINS):
            alike = [one for one in core if (one.run.collective, one.run.n_domains > 1) == (collective, bool(several))]
            cells = error_rows(alike, lambda _: "")[0].cells if alike else [ErrorSummary(points=0)] * len(SIZE_CLASSES)
            out += [
                Coverage(collective, domains, kind, cell.sites, cell.held_points, cell.held_inside)
                for kind, cell in zip(SIZE_CLASSES, cells, strict=True)
            ]
    return out
