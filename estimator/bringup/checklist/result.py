"""The checklist of a design as it is answered."""

import hashlib

from estimator.crews.effort import Assumed
from estimator.record import IfAny, Record


class Item(Record):
    """One thing to do at one place. ``code`` stays the same from revision to revision of a design while the place is there."""

    code: str
    phase: str
    crew: str
    day: int
    """First working day, from 1."""
    last_day: int
    title: str
    where: str
    unit: str
    count: int
    hours: float
    """Person-hours."""
    labels: IfAny[str] = None
    """Cables in the order in which they are pulled: "1-16, 32-17" is 1 up to 16, then 32 down to 17."""
    how: IfAny[str] = None

    @property
    def content(self) -> str:
        """Fingerprint of what there is to do: another one says that a tick was for something else."""
        text = f"{self.count} {self.unit} {self.labels or ''} {self.title}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]


class Phase(Record):
    """All items of one kind of work."""

    code: str
    title: str
    unit: str
    count: int
    items: int
    hours: float
    first_day: int
    last_day: int
    how: str


class CrewWork(Record):
    """What the crews of one kind do in all."""

    code: str
    title: str
    crews: int
    """Crews that work side by side."""
    people: int
    """Of all of them."""
    hours: float
    """Person-hours."""
    last_day: int


class Checklist(Record):
    """The order of work of a design: items in the order in which they are done."""

    name: str
    spec_hash: str
    versions: dict[str, str]
    weeks: float
    """In which all is to be done: what crews are counted for."""
    days: int
    hours: float
    """Person-hours of all crews."""
    phases: list[Phase]
    crews: list[CrewWork]
    items: list[Item]
    assumptions: list[Assumed]
    left_out: list[str]
