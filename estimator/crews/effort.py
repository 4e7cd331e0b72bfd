"""What each kind of work takes, and who does it: person-minutes a unit and sizes of crews (tasks.csv, crews.csv)."""

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

from estimator.ranges import Range
from estimator.record import Record

FOLDER = Path(__file__).parent
MINUTES_PER_HOUR = 60


class Task(NamedTuple):
    """Person-minutes of one unit of work, with the range that sites lie in."""

    minutes: float
    low: float
    high: float
    crew: str
    basis: str
    source: str


class Assumed(Record):
    """A figure that hours rest on, as an answer states it."""

    name: str
    value: float
    low: float
    high: float
    unit: str
    basis: str
    source: str


class Crew(NamedTuple):
    """People who work side by side, so many hours a day."""

    title: str
    people: int
    hours_per_day: float
    basis: str
    source: str

    @property
    def person_hours_a_day(self) -> float:
        """What the crew gets done in a day."""
        return self.people * self.hours_per_day


@cache
def tasks() -> dict[str, Task]:
    """All kinds of work by name."""
    return {
        row["task"]: Task(
            float(row["minutes"]), float(row["low"]), float(row["high"]), row["crew"], row["basis"], row["source"]
        )
        for row in _rows("tasks.csv")
    }


@cache
def crews() -> dict[str, Crew]:
    """All crews by name."""
    return {
        row["crew"]: Crew(row["title"], int(row["people"]), float(row["hours_per_day"]), row["basis"], row["source"])
        for row in _rows("crews.csv")
    }


def person_hours(task: str, units: float) -> float:
    """What so many units of a kind of work take."""
    return tasks()[task].minutes * units / MINUTES_PER_HOUR


def person_minutes(task: str, units: float) -> Range[float]:
    """The same in minutes, with the range that sites lie in."""
    one = tasks()[task]
    return Range(one.low, one.minutes, one.high) * units


def assumed(task: str) -> Assumed:
    """What a kind of work is taken to need."""
    one = tasks()[task]
    return Assumed(
        name=task,
        value=one.minutes,
        low=one.low,
        high=one.high,
        unit="person-minutes",
        basis=one.basis,
        source=one.source,
    )


def crew_assumed(crew: str) -> Assumed:
    """How many people of a crew work side by side."""
    one = crews()[crew]
    people = float(one.people)
    return Assumed(
        name=f"crew-{crew}",
        value=people,
        low=people,
        high=people,
        unit="people",
        basis=one.basis,
        source=one.source,
    )


def _rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))
