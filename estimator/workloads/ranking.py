"""How well predictions choose between measured layouts of the same workload: the layout they rank first, and what it costs."""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from estimator.units import FloatArray

NINTH = 0.9


class Ranking(NamedTuple):
    """Over groups of runs that differ in their layout alone; all but the counts are shares."""

    groups: int
    layouts: int
    """Of all groups together."""
    best_first: float
    """Groups whose fastest layout is predicted as the fastest."""
    best_in_two: float
    """Groups whose fastest layout is among the first two."""
    by_chance: float
    """The same of two layouts drawn at random."""
    regret_median: float
    regret_ninth_decile: float
    """How much slower the layout predicted as the fastest is than the fastest: nine groups in ten stay below."""


def ranking(
    groups: np.ndarray, layouts: np.ndarray, measured: FloatArray, predicted: FloatArray, fewest: int = 2
) -> Ranking | None:
    """Figures of the groups that have at least ``fewest`` layouts; None where no group has.

    Parameters
    ----------
    groups, layouts : labels of the runs, shape (n_runs,); runs of one layout in a group are taken together by their medians.
    measured, predicted : times, the smaller the better, shape (n_runs,). [s]
    """
    counts, first, in_two, regrets = [], [], [], []
    for group in np.unique(groups):
        here = np.flatnonzero(groups == group)
        names = np.unique(layouts[here])
        if len(names) < fewest:
            continue
        of = [here[layouts[here] == name] for name in names]
        times = np.array([np.median(measured[one]) for one in of])
        order = np.argsort([np.median(predicted[one]) for one in of])
        counts.append(len(names))
        first.append(order[0] == times.argmin())
        in_two.append(times.argmin() in order[:2])
        regrets.append(times[order[0]] / times.min() - 1)
    if not counts:
        return None
    return Ranking(
        groups=len(counts),
        layouts=sum(counts),
        best_first=float(np.mean(first)),
        best_in_two=float(np.mean(in_two)),
        by_chance=float(np.mean(2 / np.array(counts))),
        regret_median=float(np.median(regrets)),
        regret_ninth_decile=float(np.quantile(regrets, NINTH)),
    )


def joined(columns: Iterable[Iterable[object]]) -> np.ndarray:
    """Columns of labels as one."""
    return np.array(["|".join(map(str, one)) for one in zip(*columns, strict=True)])


def write_rankings(path: Path, found: Iterable[tuple[str, Ranking | None]], digest: str) -> None:
    """A generated file: a row a kind of group, and what it belongs to in the last cell of the head."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["of", *Ranking._fields, digest])
        for name, one in found:
            if one is not None:
                writer.writerow([name, one.groups, one.layouts, *(f"{share:.3f}" for share in one[2:])])
