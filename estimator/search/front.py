"""Which of many designs are best: ranks, fronts, ties, and what limits cost. Arrays of shape (n,), less is better."""

from collections.abc import Sequence

import numpy as np

from estimator.units import BoolArray, FloatArray, IntArray


def first_of_equals(columns: FloatArray) -> tuple[IntArray, IntArray]:
    """(first row of each kind of equal rows, rows of its kind), in the order of first appearance; ``columns`` (n, m)."""
    if not len(columns):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    plain = np.where(np.isnan(columns), np.inf, columns)
    _, first, counts = np.unique(plain, axis=0, return_index=True, return_counts=True)
    order = np.argsort(first, kind="stable")
    return first[order], counts[order]


def ranked(keys: Sequence[FloatArray]) -> IntArray:
    """Rows from best to worst by the first key, equal ones by the next; NaN comes last."""
    return np.lexsort(tuple(reversed(keys))) if keys and len(keys[0]) else np.zeros(0, np.int64)


def front_of(columns: FloatArray) -> IntArray:
    """Rows that no other row is as good as in every column and better in one, ascending; rows with NaN are left out.

    Of rows that are equal the first stands. Each step takes the row of the least sum of places that is left, which nothing
    left can dominate, and drops all that it dominates.
    """
    rows = np.flatnonzero(~np.isnan(columns).any(axis=1))
    rows = rows[first_of_equals(columns[rows])[0]] if len(rows) else rows
    if not len(rows):
        return rows
    places = np.stack([np.unique(column, return_inverse=True)[1].ravel() for column in columns[rows].T], axis=1)
    left = np.argsort(places.sum(axis=1), kind="stable")
    found = []
    while len(left):
        best, rest = left[0], left[1:]
        found.append(int(rows[best]))
        left = rest[(places[rest] < places[best]).any(axis=1)]
    return np.sort(np.array(found, dtype=np.int64))


def within_each_other(low: FloatArray, typical: FloatArray, high: FloatArray, best: int) -> BoolArray:
    """Designs whose typical price lies in the range of the best one, and whose range holds the best one's typical price."""
    in_best = (low[best] <= typical) & (typical <= high[best])
    found: BoolArray = in_best & (low <= typical[best]) & (typical[best] <= high)
    return found
