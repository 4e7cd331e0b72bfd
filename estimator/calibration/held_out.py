"""Runs beside their predictions, in sample and held out by site: one vote a run, and what a measured floor gains."""

import csv
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from estimator.calibration.measured import HERE, SIZE_CLASSES, Run, size_class
from estimator.performance.collectives import BUS_FACTORS
from estimator.ranges import Range
from estimator.record import Record
from estimator.units import FloatArray

NEVER_SEEN = HERE / "never_seen.json"
ANY = "any"
COVERAGE = HERE / "coverage.csv"
SHOWN_SETS = 20  # sets of strangers that are listed one by one
LEAST_POINTS = 10  # of a size class, for a set of strangers to say something of it


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


class VotedErrors(Record):
    """Held-out errors at one size class, with one vote a run or an operator."""

    size_class: str
    voters: int
    median: float
    """Of the voters' medians."""
    nine_in_ten: float
    inside: float
    """Mean over voters of the share inside the bands."""


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


def voted_errors(compared: Sequence[Compared], voter: Callable[[Run], object]) -> list[VotedErrors]:
    """Held out, by size class: each voter counts once, however many runs and sizes it has."""
    out = []
    for kind in SIZE_CLASSES:
        errors: dict[object, list[FloatArray]] = {}
        inside: dict[object, list[Any]] = {}
        for item in compared:
            counts = item.is_told & np.array([size_class(size) == kind for size in item.run.message_bytes])
            if counts.any():
                errors.setdefault(voter(item.run), []).append(np.abs(item.held_error[counts]))
                inside.setdefault(voter(item.run), []).append(item.held_inside[counts])
        if errors:
            medians = [float(np.median(np.concatenate(of_voter))) for of_voter in errors.values()]
            out.append(
                VotedErrors(
                    size_class=kind,
                    voters=len(medians),
                    median=float(np.median(medians)),
                    nine_in_ten=float(np.quantile(medians, 0.9)),
                    inside=float(np.mean([np.mean(np.concatenate(of_voter)) for of_voter in inside.values()])),
                )
            )
    return out


class NeverSeen(Record):
    """One size class of a split: what the page says with two thirds of the operators, and what the other third sees."""

    split: int
    """Its seed."""
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


class Strangers(Record):
    """What a set of operators that nobody had seen finds at one size class: (low, typical, high) of eight sets in ten.

    Errors are those held out by operator on the page, times how far sets of a third of the operators were off what a page
    of all others said of them. A set drawn from the same operators differs from the rest as a new set does from all.
    """

    size_class: str
    sets: int
    """With LEAST_POINTS or more."""
    sites: int
    """Of the set in the middle."""
    points: int
    median: Range[float]
    nine_in_ten: Range[float]
    inside: Range[float]
    """Share inside the bands."""
    ratio: Range[float]
    """A set's median over what the page of all others said."""
    nine_in_ten_ratio: Range[float]
    ratio_by_points: float
    """The sets' medians together over the pages', where each set counts as many times as it has points."""
    within_a_fifth: float
    """Share of the sets whose ratio is 0.8 to 1.2."""


def strangers(rows: Sequence[NeverSeen], held: dict[str, tuple[float, float]]) -> list[Strangers]:
    """By size class, one vote a set; ``held`` has the median and ninth decile that the page says."""
    out = []
    for kind in SIZE_CLASSES:
        sets = [row for row in rows if row.size_class == kind and row.points >= LEAST_POINTS]
        if sets and kind in held:
            ratios = np.array([row.median / row.page_median for row in sets])
            ratio = eight_in_ten(ratios)
            nine_in_ten_ratio = eight_in_ten([row.nine_in_ten / row.page_nine_in_ten for row in sets])
            median, nine_in_ten = held[kind]
            out.append(
                Strangers(
                    size_class=kind,
                    sets=len(sets),
                    sites=int(np.median([row.sites for row in sets])),
                    points=int(np.median([row.points for row in sets])),
                    median=ratio * median,
                    nine_in_ten=nine_in_ten_ratio * nine_in_ten,
                    inside=eight_in_ten([row.inside for row in sets]),
                    ratio=ratio,
                    nine_in_ten_ratio=nine_in_ten_ratio,
                    ratio_by_points=sum(row.points * row.median for row in sets)
                    / sum(row.points * row.page_median for row in sets),
                    within_a_fifth=float(np.mean(np.abs(ratios - 1.0) <= 0.2)),
                )
            )
    return out


def shown_sets(rows: Sequence[NeverSeen]) -> list[list[NeverSeen | None]]:
    """The first sets one by one, each in the order of SIZE_CLASSES."""
    cells = {(row.split, row.size_class): row for row in rows}
    splits = list(dict.fromkeys(row.split for row in rows))[:SHOWN_SETS]
    return [[cells.get((split, kind)) for kind in SIZE_CLASSES] for split in splits]


def eight_in_ten(values: Sequence[float] | FloatArray) -> Range[float]:
    """The median of some values, and what leaves a tenth of them on each side."""
    return Range(*np.quantile(values, (0.1, 0.5, 0.9)).tolist())
