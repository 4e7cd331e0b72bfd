"""The settings that sources state (facts.csv and its fellows), and the one that is chosen where they disagree.

A row's ``scope`` lists what it is about, as ``os=sonic asic=Spectrum-4``. Among the rows of a key whose conditions all
hold, the one with most conditions is taken, then the most trusted, then the first of the file. All others are the
value's alternatives; a row about what no design states, as ``release=old``, is never more than that.
"""

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple, get_args

from estimator.bringup.plan.value import Alternative, Scalar, Trust, Value

FILES = ("facts.csv", "facts_infiniband.csv", "facts_clusters.csv")  # then of subnet managers, and of schedulers
TRUST_ORDER = get_args(Trust)
RULE = "Of the sources that fit, the most specific one, then the most trusted, then the first of the list"


class Fact(NamedTuple):
    """A row of facts.csv."""

    key: str
    scope: str
    value: str
    unit: str
    trust: Trust
    source: str
    why: str

    @property
    def conditions(self) -> dict[str, str]:
        """What the row is about."""
        pairs = (condition.partition("=") for condition in self.scope.split())
        return {name: value for name, _, value in pairs}

    def holds(self, circumstances: Mapping[str, str]) -> bool:
        """Whether all its conditions do."""
        return all(circumstances.get(name) == value for name, value in self.conditions.items())

    @property
    def rank(self) -> tuple[int, int]:
        """Lowest first: most conditions, then most trusted."""
        return -len(self.conditions), TRUST_ORDER.index(self.trust)


@cache
def facts() -> dict[str, tuple[Fact, ...]]:
    """All rows by key, in the order of FILES and of their rows."""
    out: dict[str, list[Fact]] = {}
    for name in FILES:
        with (Path(__file__).parent / name).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                fact = Fact(**row)  # type: ignore[arg-type]
                out.setdefault(fact.key, []).append(fact)
    return {key: tuple(rows) for key, rows in out.items()}


@cache
def chosen(key: str, **circumstances: str) -> Value:
    """The value of a key where these circumstances hold, such as ``os="sonic"``, with what other sources say.

    Raises
    ------
    KeyError
        If no row of the key fits.
    """
    rows = facts()[key]
    fitting = [row for row in rows if row.holds(circumstances)]
    if not fitting:
        raise KeyError(f"{key} has no row that fits {circumstances}")
    best = min(fitting, key=lambda row: row.rank)
    others = [
        Alternative(value=number_or_text(row.value), source=row.source, trust=row.trust, applies=row.scope or None)
        for row in rows
        if row is not best and row.value != best.value
    ]
    why = best.why or (RULE if others else "The one source")
    return Value(
        key=key,
        value=number_or_text(best.value),
        unit=best.unit or None,
        source=best.source,
        trust=best.trust,
        why=f"{why}. {RULE}" if best.why and others else why,
        alternatives=others,
    )


def is_known(key: str, **circumstances: str) -> bool:
    """Whether a row of the key fits."""
    return any(row.holds(circumstances) for row in facts().get(key, ()))


def number_or_text(text: str) -> Scalar:
    """A cell as a whole number, else a decimal one, else as it is: so too digits that are no number, as "0000"."""
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if str(number) == text:
            return number
    return text
