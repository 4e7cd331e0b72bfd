"""Limits of a search: what is wrong with them, which candidates meet them, and by how much the others miss."""

from collections.abc import Sequence

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.errors import Problem
from estimator.search.columns.parts import SET_OF, vendors_of
from estimator.search.figures import FIGURES, Key, Table
from estimator.search.request import Limit
from estimator.search.result import MetLimit
from estimator.spec.checking import near_words
from estimator.units import BoolArray, FloatArray, IntArray

VENDORS = "switch_vendors"  # the figure whose limits name vendors on the page


def limit_problems(limits: Sequence[Limit], catalog: Catalog) -> list[Problem]:
    """What is wrong with limits whose figures are known."""
    return [
        problem
        for at, limit in enumerate(limits)
        for problem in _problems(limit, f"limits[{at}]", limits[:at], vendors_of(catalog))
    ]


def _problems(limit: Limit, where: str, before: Sequence[Limit], known: Sequence[str]) -> list[Problem]:
    if limit.figure not in FIGURES:
        return []
    is_bounded = limit.least is not None or limit.most is not None
    if limit.allowed is not None or limit.barred is not None:
        return _vendor_problems(limit, where, before, known, is_bounded)
    if not is_bounded:
        return [Problem(where, "missing", f"The limit of {limit.figure} has neither 'least' nor 'most'.")]
    out = _out_of_reach(limit, where)
    same = [one for one in (*before, limit) if (one.figure, one.at_bytes) == (limit.figure, limit.at_bytes)]
    least = max((one.least for one in same if one.least is not None), default=None)
    most = min((one.most for one in same if one.most is not None), default=None)
    if least is not None and most is not None and least > most:
        message = f"{limit.figure} cannot be at least {least:,.12g} and at most {most:,.12g}. Change one of the two."
        out.append(Problem(where, "contradiction", message))
    return out


def _out_of_reach(limit: Limit, where: str) -> list[Problem]:
    """Ends that no design can have: below nothing, or above the largest value of a figure that has one."""
    out = [
        Problem(f"{where}.{end}", "out_of_range", f"{limit.figure} is never below 0, and {value:,.12g} was given.")
        for end, value in (("least", limit.least), ("most", limit.most))
        if value is not None and value < 0
    ]
    largest = FIGURES[limit.figure].largest
    if largest is not None and limit.least is not None and limit.least > largest:
        message = f"{limit.figure} is never above {largest:g}, and at least {limit.least:,.12g} was given."
        out.append(Problem(f"{where}.least", "out_of_range", message))
    return out


def _vendor_problems(
    limit: Limit, where: str, before: Sequence[Limit], known: Sequence[str], is_bounded: bool
) -> list[Problem]:
    """Names that are no vendor's, or are both allowed and barred, lists without a name, and lists of another figure."""
    if limit.figure not in SET_OF:
        message = f"'allowed' and 'barred' are of the figures {' and '.join(SET_OF)}, and {limit.figure} was given."
        return [Problem(where, "contradiction", message)]
    if is_bounded:
        message = "A limit names vendors or counts them. Give the number as a limit of its own."
        return [Problem(where, "contradiction", message)]
    out = []
    for key, names in (("allowed", limit.allowed), ("barred", limit.barred)):
        if names is not None and not names:
            message = f"A list of {key} vendors has one at least. Name one, or leave the limit out."
            out.append(Problem(f"{where}.{key}", "missing", message))
        for at, name in enumerate(names or ()):
            if name not in known:
                message = (
                    f"The catalog has no switches, transceivers or cables of '{name[:80]}'. Near it: {near_words(name, known)}. "
                    f"Vendors are {', '.join(known)}."
                )
                out.append(Problem(f"{where}.{key}[{at}]", "unknown_part", message))
    if both := sorted({*(limit.allowed or ())} & {*(limit.barred or ())}):
        out.append(
            Problem(where, "contradiction", f"{', '.join(both)} cannot be allowed and barred. Drop one of them.")
        )
    if not out and not _allowed_by([one for one in (*before, limit) if one.figure == limit.figure], known):
        message = f"Together the limits of {limit.figure} leave no vendor. Allow one more, or drop one of these limits."
        out.append(Problem(where, "contradiction", message))
    return out


def _allowed_by(limits: Sequence[Limit], known: Sequence[str]) -> set[str]:
    """Vendors that all limits on names leave."""
    left = {*known}
    for one in limits:
        left &= {*(one.allowed or known)} - {*(one.barred or ())}
    return left


# ---------------------------------------------------------------- candidates


def limit_key(limit: Limit) -> Key:
    """The column that a limit is of."""
    return (SET_OF[limit.figure] if _names_vendors(limit) else limit.figure, limit.at_bytes)


def shown_key(limit: Limit, at_bytes: int) -> Key:
    """The column of the figure that a limit is answered with; ``at_bytes`` is that of what is shown.

    A count of vendors has no message size, so it stands under that of the answer alone.
    """
    return limit.figure, at_bytes if _names_vendors(limit) else limit.at_bytes


def _names_vendors(limit: Limit) -> bool:
    return limit.allowed is not None or limit.barred is not None


def met(table: Table, limit: Limit, catalog: Catalog) -> BoolArray:
    """Whether a figure is known and meets a limit, shape (n,)."""
    column = table.typical[limit_key(limit)]
    if _names_vendors(limit):
        return _outside(column, limit, catalog) == 0
    found: BoolArray = ~np.isnan(column)
    with np.errstate(invalid="ignore"):
        found &= column >= limit.least if limit.least is not None else True
        found &= column <= limit.most if limit.most is not None else True
    return found


def shortfall(table: Table, limit: Limit, catalog: Catalog) -> FloatArray:
    """By how much a figure misses a limit, shape (n,); 0 where it is met. Of vendors: how many are not allowed."""
    column = table.typical[limit_key(limit)]
    if _names_vendors(limit):
        outside = _outside(column, limit, catalog)
        return np.array([int(one).bit_count() for one in outside.tolist()], dtype=np.float64)
    below = limit.least - column if limit.least is not None else np.zeros_like(column)
    above = column - limit.most if limit.most is not None else np.zeros_like(column)
    return np.maximum(np.maximum(below, above), 0.0)


def share_short(table: Table, limit: Limit, catalog: Catalog) -> FloatArray:
    """The shortfall as a share of the limit, shape (n,)."""
    bound = limit.least if limit.least is not None else limit.most
    whole = 1.0 if _names_vendors(limit) else max(abs(bound or 0.0), 1e-9)
    return shortfall(table, limit, catalog) / whole


def nearest_value(table: Table, row: int, limit: Limit, catalog: Catalog) -> float | str:
    """What a candidate has of a limit's figure; of named vendors those that the limit would have to let in."""
    column = table.typical[limit_key(limit)]
    if not _names_vendors(limit):
        return float(column[row])
    outside = int(_outside(column[row : row + 1], limit, catalog)[0])
    return ", ".join(name for at, name in enumerate(vendors_of(catalog)) if outside >> at & 1)


def _outside(column: FloatArray, limit: Limit, catalog: Catalog) -> IntArray:
    """Vendors of candidates that a limit does not allow, a bit each."""
    every = vendors_of(catalog)
    allowed = {*(limit.allowed or every)} - {*(limit.barred or ())}
    barred = sum(1 << at for at, name in enumerate(every) if name not in allowed)
    return column.astype(np.int64) & barred


def met_limit(limit: Limit) -> MetLimit:
    """A limit as it is answered."""
    return MetLimit(
        figure=limit.figure,
        at_bytes=limit.at_bytes,
        least=limit.least,
        most=limit.most,
        allowed=limit.allowed,
        barred=limit.barred,
    )
