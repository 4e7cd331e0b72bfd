"""Work → days: each crew does one thing after the other, and none before what it rests on is done.

Crews of a kind are as many as it takes for all to be done in so many weeks: one is added to the kind that is busy longest
until it fits, or until more would change nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heapreplace
from math import ceil, inf
from typing import NamedTuple

from estimator.crews.effort import crews

DAYS_PER_WEEK = 5
MOST_CREWS = 64  # of a kind: more are in each other's way
LEAST_DAYS = 1.0  # of work for each crew of a kind, below which one more gains nothing
_WHOLE = 1e-9  # of a day: work that ends with the day does not begin the next one


@dataclass(frozen=True)
class Work:
    """One item before it has its days; ``after`` are codes of works that have to be done first."""

    code: str
    phase: str
    crew: str
    title: str
    where: str
    unit: str
    count: int
    hours: float
    labels: str | None = None
    how: str | None = None
    after: tuple[str, ...] = ()
    is_shared: bool = False
    """Whether all crews of its kind do it together, each some of its units."""
    start: float = 0.0  # in days
    end: float = 0.0

    @property
    def day(self) -> int:
        """First working day, from 1."""
        return int(self.start + _WHOLE) + 1

    @property
    def last_day(self) -> int:
        """Last working day."""
        return max(self.day, int(self.end - _WHOLE) + 1)


def staffed(works: Sequence[Work], weeks: float) -> dict[str, int]:
    """Crews of each kind with which all is done in so many weeks of DAYS_PER_WEEK days, where that can be."""
    most_days, order = weeks * DAYS_PER_WEEK, _order(works)
    busy = dict.fromkeys(crews(), 0.0)
    for work in works:
        busy[work.crew] += work.hours / crews()[work.crew].person_hours_a_day
    numbers = {kind: min(max(ceil(days / most_days), 1), MOST_CREWS) for kind, days in busy.items()}
    while len(_times(order, numbers, most_days + _WHOLE)) < len(order.works):
        each = {kind: busy[kind] / n for kind, n in numbers.items() if n < MOST_CREWS and busy[kind] / n > LEAST_DAYS}
        if not each:
            break
        kind = max(each, key=lambda one: each[one])
        numbers[kind] = min(numbers[kind] + max(numbers[kind] // 4, 1), MOST_CREWS)
    return numbers


def scheduled(works: Iterable[Work], numbers: Mapping[str, int] | None = None) -> list[Work]:
    """Works with their days, in the order in which they begin; works of a kind are begun in the order they are given.

    ``numbers`` are crews by kind, one of each where it is left out.

    Raises
    ------
    ValueError
        If one rests on a work that does not come before it.
    """
    given = list(works)
    times = _times(_order(given), numbers or {})
    out = [replace(work, start=start, end=end) for work, (start, end) in zip(given, times, strict=True)]
    return sorted(out, key=lambda work: work.start)  # stable: what begins together keeps its order


class _Order(NamedTuple):
    """What of works their days follow from. Hundreds of works rest on the same ones: each such set stands once."""

    works: list[tuple[str, float, int, int]]  # crew, hours, units that are done together (0: it is not shared), set
    rests_on: list[list[int]]  # places of works, by set


def _order(works: Sequence[Work]) -> _Order:
    places: dict[str, int] = {}
    sets: dict[tuple[str, ...], int] = {}
    order = _Order([], [])
    for work in works:
        if work.after not in sets:
            if missing := [code for code in work.after if code not in places]:
                raise ValueError(f"{work.code} rests on {missing[0]}, which does not come before it")
            sets[work.after] = len(order.rests_on)
            order.rests_on.append([places[code] for code in work.after])
        places[work.code] = len(order.works)
        order.works.append((work.crew, work.hours, max(work.count, 1) if work.is_shared else 0, sets[work.after]))
    return order


def _times(order: _Order, numbers: Mapping[str, int], most_days: float = inf) -> list[tuple[float, float]]:
    """Start and end of each work in days, up to the first that ends after so many."""
    free = {kind: [0.0] * numbers.get(kind, 1) for kind in crews()}  # heaps: equal ends are one
    a_day = {kind: crew.person_hours_a_day for kind, crew in crews().items()}
    starts: list[float] = []
    ends: list[float] = []
    ready: dict[int, float] = {}
    for crew, hours, shared, rests_on in order.works:
        many = free[crew]
        if rests_on not in ready:
            ready[rests_on] = max(map(ends.__getitem__, order.rests_on[rests_on]), default=0.0)
        start = max(max(many) if shared else many[0], ready[rests_on])
        together = min(len(many), shared) if shared else 1
        end = start + hours / (a_day[crew] * together)
        if end > most_days:
            break
        if shared:
            free[crew] = [end] * len(many)
        else:
            heapreplace(many, end)
        starts.append(start)
        ends.append(end)
    return list(zip(starts, ends, strict=True))
