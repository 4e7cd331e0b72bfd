"""Work → days: each crew does one thing after the other, and none before what it rests on is done."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from estimator.bringup.checklist.effort import crews

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


def scheduled(works: Iterable[Work]) -> list[Work]:
    """Works with their days, in the order in which they begin; works of a crew keep the order in which they are given.

    Raises
    ------
    ValueError
        If one rests on a work that does not come before it.
    """
    free = dict.fromkeys(crews(), 0.0)
    ends: dict[str, float] = {}
    out = []
    for work in works:
        if missing := [code for code in work.after if code not in ends]:
            raise ValueError(f"{work.code} rests on {missing[0]}, which does not come before it")
        start = max([free[work.crew], *(ends[code] for code in work.after)])
        end = start + work.hours / crews()[work.crew].person_hours_a_day
        free[work.crew] = ends[work.code] = end
        out.append(replace(work, start=start, end=end))
    return sorted(out, key=lambda work: work.start)  # stable: what begins together keeps its order
