"""Runs beside their predictions, in sample and held out by site: one vote a run, and what a measured floor gains."""

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from estimator.calibration.measured import HERE, SIZE_CLASSES, Run, size_class
from estimator.performance.collectives import BUS_FACTORS
from estimator.record import Record
from estimator.units import FloatArray

NEVER_SEEN = HERE / "never_seen.json"
ANY = "any"
COVERAGE = HERE / "coverage.csv"


class Coverage(NamedTuple):
    """How often bands of one collective and size held on sites that the fit had not seen; written by ``report``."""

    collective: str
    domains: str  # one of estimator.performance.bands.DOMAINS
    size_class: str
    sites: int
    points: int
    """That another site speaks of too, so that a band can be compared with them."""
    inside: float | None
    """Share of them; None where there are none."""


@lru_cache(maxsize=1)
def coverage() -> tuple[Coverage, ...]:
    """Every collective, number of domains and size class."""
    with COVERAGE.open(newline="", encoding="utf-8") as file:
        return tuple(
            Coverage(
                row["collective"],
                row["domains"],
                row["size_class"],
                int(row["sites"]),
                int(row["points"]),
                float(row["inside"]) if row["inside"] else None,
            )
            for row in csv.DictReader(file)
        )


def write_coverage(rows: Sequence[Coverage], path: Path = COVERAGE) -> None:
    """The table that designs read."""
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(Coverage._fields)
        out.writerows([*row[:-1], "" if row.inside is None else f"{row.inside:.4f}"] for row in rows)


class Floored(NamedTuple):
    """A run predicted without its site, but with its own time of short messages: sizes beyond those count."""

    error: FloatArray
    is_inside: Any
    counts: Any


@dataclass(frozen=True)
class Compared:
    """One run with its prediction; arrays have an entry for each message size. ``error`` is ln(predicted ÷ measured)."""

    run: Run
    predicted_us: FloatArray
    low_us: FloatArray
    high_us: FloatArray
    error: FloatArray
    is_inside: Any
    held_error: FloatArray
    """The same with constants that were fitted without the run's site."""
    held_inside: Any
    """The same with bands of other sites, too."""
    is_told: Any
    """Where another site has runs of the collective at this size class on one or several domains."""
    floored: Floored | None
    """The same with the run's own floor given; None of a run without a short message."""

    @property
    def busbw_factor(self) -> float:
        """busbw ÷ algbw."""
        return float(BUS_FACTORS[self.run.collective](np.array(self.run.gpus)))


class FlooredErrors(Record):
    """Held-out errors at one size class, of sizes beyond 1 KiB, once the median time of a run's short messages is given."""

    size_class: str
    points: int
    median: float
    nine_in_ten: float
    inside: float
    without_median: float
    """The same points without it."""
    without_nine_in_ten: float


class RunErrors(Record):
    """Held-out errors at one size class, of each run together."""

    size_class: str
    runs: int
    median: float
    """Of the runs' medians."""
    nine_in_ten: float
    inside: float
    """Mean over runs of the share inside the bands."""


def floored_errors(compared: Sequence[Compared]) -> list[FlooredErrors]:
    """With the floor given, by size class; a class without such points is left out."""
    out = []
    for kind in SIZE_CLASSES:
        points = [
            (item.floored.error[i], item.floored.is_inside[i], item.held_error[i])
            for item in compared
            if item.floored
            for i, size in enumerate(item.run.message_bytes)
            if item.floored.counts[i] and size_class(size) == kind
        ]
        if points:
            error, inside, held = (np.abs(np.array(column, dtype=np.float64)) for column in zip(*points, strict=True))
            out.append(
                FlooredErrors(
                    size_class=kind,
                    points=len(points),
                    median=float(np.median(error)),
                    nine_in_ten=float(np.quantile(error, 0.9)),
                    inside=float(inside.mean()),
                    without_median=float(np.median(held)),
                    without_nine_in_ten=float(np.quantile(held, 0.9)),
                )
            )
    return out


def run_errors(compared: Sequence[Compared]) -> list[RunErrors]:
    """Held out, by size class: each run counts once, however many sizes it has."""
    out = []
    for kind in SIZE_CLASSES:
        errors, inside = [], []
        for item in compared:
            counts = item.is_told & np.array([size_class(size) == kind for size in item.run.message_bytes])
            if counts.any():
                errors.append(float(np.median(np.abs(item.held_error[counts]))))
                inside.append(float(np.mean(item.held_inside[counts])))
        if errors:
            out.append(
                RunErrors(
                    size_class=kind,
                    runs=len(errors),
                    median=float(np.median(errors)),
                    nine_in_ten=float(np.quantile(errors, 0.9)),
                    inside=float(np.mean(inside)),
                )
            )
    return out


class NeverSeen(Record):
    """One size class of a split: what the page says with two thirds of the operators, and what the other third sees."""

    split: int
    """Its seed; -1 of all splits together."""
    size_class: str
    sites: int
    """Operators left out that have such points."""
    page_points: int
    page_median: float
    page_nine_in_ten: float
    page_inside: float
    page_width: float
    points: int
    median: float
    nine_in_ten: float
    inside: float
    width: float


class Unmeasured(Record):
    """A GPU generation on a network, ANY for all of them, that a fit without any of its runs predicts."""

    generation: str
    fabric: str
    collective: str
    """ANY for all of them."""
    size_class: str
    sites: int
    points: int
    median: float
    nine_in_ten: float
    inside: float
    width: float


class LeftOut(Record):
    """Operators, and kinds of machines, that no part of the procedure saw."""

    splits: list[NeverSeen]
    kinds: list[Unmeasured]


@lru_cache(maxsize=1)
def left_out() -> LeftOut:
    """What ``python -m estimator.calibration.never_seen`` kept."""
    return LeftOut.from_json(json.loads(NEVER_SEEN.read_text(encoding="utf-8")))


def pooled_splits(rows: Sequence[NeverSeen]) -> list[NeverSeen]:
    """The splits together by size class: means over them, each by the points that it left out."""
    out = []
    for kind in SIZE_CLASSES:
        of_kind = [row for row in rows if row.size_class == kind]
        if of_kind:
            weight = np.array([row.points for row in of_kind])
            out.append(
                NeverSeen(
                    split=-1,
                    size_class=kind,
                    sites=max(row.sites for row in of_kind),
                    page_points=max(row.page_points for row in of_kind),
                    points=int(weight.sum()),
                    **{
                        name: float(np.average([getattr(row, name) for row in of_kind], weights=weight))
                        for name in _FIGURES
                    },
                )
            )
    return out


_FIGURES = tuple(f"{of}{name}" for of in ("page_", "") for name in ("median", "nine_in_ten", "inside", "width"))
