"""Every candidate of a space with its figures: in columns where counts alone differ, the others by the ordinary estimate."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.errors import EstimatorError, Problem, SpecError
from estimator.search.candidates import Batch, Refused, Space, batches, templates_of
from estimator.search.columns.cables import Cabled, Uncounted, alike, cabled
from estimator.search.columns.money import Priced, priced
from estimator.search.figures import PARTS, Aims, Estimator, Key, Table, figures_of, figures_of_estimate, joined
from estimator.search.request import Bounds
from estimator.spec.parse import parse_spec
from estimator.units import IntArray

BATCH = 4_096  # candidates in columns together
ERROR = "error"  # severity of a finding: what cannot be built as it stands
_BLOCKED = Problem(
    "base", "cage_shared_by_unlike_plugs", "Links of two tiers share a cage and need different transceivers in it."
)
_NO_PART = Problem("base", "no_part_fits", "The catalog has no cable or transceivers that join the links of a tier.")


@dataclass(frozen=True)
class Evaluated:
    """Candidates that can be built: their numbers, ascending, and their figures. ``refused`` counts the others by code."""

    space: Space
    number: IntArray
    table: Table
    refused: Refused

    def __len__(self) -> int:
        return len(self.number)


def evaluated(
    space: Space,
    aims: Aims,
    catalog: Catalog,
    estimate: Estimator,
    bounds: Bounds,
    part: range | None = None,
) -> Evaluated:
    """All candidates of a space, or those with the numbers of ``part``.

    Parameters
    ----------
    estimate : ``pipeline.estimate``, for what is not counted in columns; given, as the pipeline lies above this package.

    Raises
    ------
    SpecError
        For values that are wrong by themselves, and where too many candidates must be estimated one by one.
    """
    refused = Refused()
    part = range(len(space)) if part is None else part
    templates = templates_of(space, catalog, refused, bounds.requests, part)
    plain = [one for one in templates if one.is_plain(catalog)]
    numbers: list[IntArray] = []
    tables: list[Table] = []
    alone = [one.numbers(space, part) for one in templates if not one.is_plain(catalog)]
    for batch in batches(space, plain, catalog, refused, BATCH, bounds.of_three_tiers, part):
        alone += _in_columns(batch, aims, catalog, refused, numbers, tables)
    for number in np.concatenate([np.zeros(0, np.int64), *_bounded(alone, bounds.one_by_one)]).tolist():
        table = _one_by_one(space, number, aims, catalog, estimate, refused)
        if table:
            numbers.append(np.array([number], dtype=np.int64))
            tables.append(table)
    return joined_in_order(space, numbers, tables, aims.keys, refused)


def joined_in_order(
    space: Space, numbers: Sequence[IntArray], tables: Sequence[Table], keys: Sequence[Key], refused: Refused
) -> Evaluated:
    """Candidates that were worked out apart, together in the order of their numbers."""
    every = np.concatenate([np.zeros(0, np.int64), *numbers])
    order = np.argsort(every, kind="stable")
    return Evaluated(space, every[order], joined(tables, keys).take(order), refused)


def _in_columns(
    batch: Batch, aims: Aims, catalog: Catalog, refused: Refused, numbers: list[IntArray], tables: list[Table]
) -> list[IntArray]:
    """Figures of a batch, added to ``numbers`` and ``tables``; the numbers of candidates that it left out."""
    left_out = []
    groups: list[tuple[Cabled, Priced]] = []
    for found in alike(batch):
        for rows, one in cabled(found, catalog):
            mine = found.batch.number[rows]
            if one is Uncounted.NO_PART:
                refused.add([_NO_PART], len(mine))
            elif one is Uncounted.GAPS:
                left_out.append(mine)
            else:
                groups.append((one, priced(one, catalog)))
    for one, table in figures_of(groups, aims, catalog):
        stands = np.flatnonzero(~one.is_blocked)
        refused.add([_BLOCKED] * (len(stands) < len(one.of)), len(one.of) - len(stands))
        numbers.append(one.of.batch.number[stands])
        tables.append(table.take(stands))
    return left_out


def _bounded(alone: list[IntArray], most: int) -> list[IntArray]:
    count = sum(len(one) for one in alone)
    if count > most:
        message = (
            f"{count:,} candidates have other networks, a floor plan, lengths set manually, fabric managers, split ports or "
            f"gaps for growth, and are estimated one by one: {most:,} is the most. Give fewer values, or leave "
            "these keys out."
        )
        raise SpecError([Problem("base", "too_many_candidates", message)])
    return alone


def _one_by_one(
    space: Space, number: int, aims: Aims, catalog: Catalog, estimate: Estimator, refused: Refused
) -> Table | None:
    """Figures of one candidate by the ordinary way; None where it cannot be built as it stands."""
    try:
        (made,) = estimate([parse_spec(space.given(number), catalog)], catalog, PARTS)
    except EstimatorError as error:
        refused.add(error.problems)
        return None
    wrong = [one for one in made.findings if one.severity == ERROR]
    if wrong:
        refused.add([Problem(wrong[0].field, wrong[0].code, wrong[0].message)])
        return None
    return figures_of_estimate(made, aims, catalog)
