"""Phases of a design: when it grows to how many servers. Keys with their words, and the rules over them."""

import datetime
import re
from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import AfterValidator, Field

from estimator.errors import Problem
from estimator.spec.checking import Ratio, Section, quantity
from estimator.spec.fabric import Generation
from estimator.units import ceil_div, counted

MOST_PHASES, FEWEST_PHASES = 5, 2
MOST_YEARS = 15
FIRST_YEAR, LAST_YEAR = 2000, 2100  # of phases: years beyond are slips of typing, and some no calendar has
DAYS_PER_YEAR = 365.25
MOST_NODES, MOST_GPUS = 262_144, 4_194_304
PHASES_WORDS = (
    "Two to five dates on which the cluster is bought and built: the first entry is the design itself, each further one has "
    "a date and its size, as large as the one before or larger."
)
_DAY = re.compile(r"\d{4}-\d{2}(-\d{2})?")


def _checked_day(text: str) -> str:
    """A day of the calendar; a month stands for its first day."""
    try:
        if not _DAY.fullmatch(text):
            raise ValueError
        day = datetime.date.fromisoformat(text if len(text) > len("2027-01") else f"{text}-01")
    except ValueError:
        raise ValueError(
            f"{text[:40]!r} is no date. Write year, month and day, such as 2027-03-01, or 2027-03"
        ) from None
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise ValueError(f"phases are dated in {FIRST_YEAR} to {LAST_YEAR}, and {text} is given. Write another year")
    return day.isoformat()


Day = Annotated[str, AfterValidator(_checked_day)]


class PhaseEntry(Section):
    """One phase of a design."""

    date: Day = Field(title="Date", description="The day from which the phase runs, such as 2027-03-01.")
    name: str | None = Field(
        None, max_length=80, title="Name", description="What the phase is called; else its number."
    )
    nodes: int | None = quantity(
        "Servers",
        "Servers that are there in this phase, those of earlier ones with them.",
        "servers",
        ge=1,
        le=MOST_NODES,
    )
    gpus: int | None = quantity("GPUs", "The same in GPUs, rounded up to whole servers.", "GPUs", ge=1, le=MOST_GPUS)
    oversubscription: Ratio | None = Field(
        None,
        title="Oversubscription",
        description="Of the leaves from this phase on; left out, as the phase before.",
    )
    generation: Generation | None = Field(
        None,
        title="Network generation",
        description=(
            "Of the compute network from this phase on: the usual switches of that generation replace all of it. Left out, as "
            "the phase before."
        ),
    )


def resolved_phases(phases: Sequence[PhaseEntry], nodes: int | None, gpus_per_node: int) -> list[PhaseEntry]:
    """Every phase with its number of servers; the first one is the design, so that its own stays unsaid."""
    own = (phase.nodes or (ceil_div(phase.gpus, gpus_per_node) if phase.gpus else None) for phase in phases)
    return [
        phase.model_copy(update={"nodes": n if at or n != nodes else None, "gpus": phase.gpus if at else None})
        for at, (phase, n) in enumerate(zip(phases, own, strict=True))
    ]


def phase_problems(given: Sequence[PhaseEntry], nodes: int | None, gpus_per_node: int) -> Iterator[Problem]:
    """What is wrong with phases among each other, and with the first beside the design."""
    phases = resolved_phases(given, nodes, gpus_per_node)
    if len(phases) == 1:
        message = (
            f"A design grows in {FEWEST_PHASES} to {MOST_PHASES} phases, and 1 is given. Add the date and size of the next, "
            "or leave phases out."
        )
        yield Problem("phases", "too_few", message, {"phases": []})
    for at, (one, own) in enumerate(zip(phases, given, strict=True)):
        field = f"phases[{at}]"
        if own.nodes and own.gpus and ceil_div(own.gpus, gpus_per_node) != own.nodes:
            message = (
                f"{counted(own.gpus, 'GPU')} are {counted(ceil_div(own.gpus, gpus_per_node), 'server')}, and "
                f"{own.nodes:,} were given. Give one of the two."
            )
            yield Problem(f"{field}.gpus", "contradiction", message, {f"phases.{at}.gpus": None})
        elif at and one.nodes is None:
            yield Problem(f"{field}.nodes", "missing", f"Say how many servers or GPUs phase {at + 1} has.")
        elif at == 0 and nodes is not None and one.nodes is not None:
            message = (
                f"The first phase is the design, which has {counted(nodes, 'server')}, and {one.nodes:,} are given here. Leave "
                "the size of the first phase out, or change that of the design."
            )
            yield Problem(f"{field}.nodes", "contradiction", message, {"phases.0.nodes": None, "phases.0.gpus": None})
        elif at == 0 and own.oversubscription is not None:
            yield _of_design(field, "oversubscription")
        elif at == 0 and own.generation is not None:
            yield _of_design(field, "generation")
    yield from _order_problems([phases[0].model_copy(update={"nodes": nodes}), *phases[1:]] if phases else [])


def _of_design(field: str, key: str) -> Problem:
    message = f"The first phase is the design, whose fabric.{key} holds: leave it out here."
    return Problem(f"{field}.{key}", "contradiction", message, {f"phases.0.{key}": None})


def _order_problems(phases: Sequence[PhaseEntry]) -> Iterator[Problem]:
    for at in range(1, len(phases)):
        before, here = phases[at - 1], phases[at]
        field = f"phases[{at}]"
        if here.date <= before.date:
            message = (
                f"Phase {at + 1} begins after phase {at}, on {before.date}, and {here.date} is given. Give a later day."
            )
            yield Problem(f"{field}.date", "out_of_range", message)
        if before.nodes and here.nodes and here.nodes < before.nodes:
            message = (
                f"Phase {at + 1} has at least the {counted(before.nodes, 'server')} of phase {at}, and {here.nodes:,} are "
                "given. A phase adds servers; give as many or more."
            )
            yield Problem(f"{field}.nodes", "out_of_range", message, {f"phases.{at}.nodes": before.nodes})
    if phases and days_between(phases[0].date, phases[-1].date) > MOST_YEARS * DAYS_PER_YEAR:
        message = (
            f"Phases lie within {MOST_YEARS} years, and the last one begins on {phases[-1].date}, after a first one on "
            f"{phases[0].date}. Prices of today say nothing of then: leave it out."
        )
        yield Problem(f"phases[{len(phases) - 1}].date", "out_of_range", message)


def days_between(first: str, last: str) -> int:
    """Days from one date to another."""
    return (datetime.date.fromisoformat(last) - datetime.date.fromisoformat(first)).days
