"""The phases of a design in words: a row a phase, with the work at what is in use and the parts that lie unused."""

from typing import NamedTuple

from designer.wording.numbers import count
from estimator.growth.result import GrowthPhase, PhaseLine, Phases
from estimator.ranges import Range, total_of
from estimator.result import PricedEstimate
from estimator.units import counted

MINUTES_PER_HOUR = 60
TASKS = {
    "cable-out": "A cable taken out",
    "cable-move": "A cable led to another port",
    "cable": "A cable laid",
    "cable-metre": "A metre of cable in tray and rack",
    "fiber-end": "An end of a fibre",
    "other-end": "An end of a copper or active cable",
    "link": "A link checked",
    "counter": "Counters of a link read",
    "switch-out": "A switch taken out",
    "switch": "A switch installed",
    "node": "A server installed",
    "transceiver": "A transceiver plugged in",
    "crew-cabling": "The cabling crew",
    "crew-network": "The network crew",
    "crew-racks": "The racks crew",
}
"""What minutes of a phase rest on, by its name in the answer."""
SHOWN_LINES = 60
SHOWN_LABELS = 60  # characters of a list of labels in a cell; files have all of it
PHASES_BUILT = "Phases that can be built"
"""Heads a total that lacks the others."""


class CrewRow(NamedTuple):
    """One crew's hours in a phase."""

    title: str
    people: int
    recabling: str
    window: str
    installing: str


class PhaseRow(NamedTuple):
    """A phase as the table has it."""

    phase: GrowthPhase
    touched: str
    how: str
    hours: str
    window: str
    least: str
    crews: tuple[CrewRow, ...]
    bill: tuple[PhaseLine, ...]
    n_more: int


class PhaseLeft(NamedTuple):
    """A phase without figures; ``why`` of the one that cannot be built."""

    name: str
    date: str
    nodes: int | None
    why: str


def phase_rows(phases: Phases | None) -> list[PhaseRow]:
    """Every phase with its words; none where the design has none."""
    return [_row(phase, is_first=at == 0) for at, phase in enumerate(phases.phases)] if phases else []


def phases_left(estimate: PricedEstimate) -> list[PhaseLeft]:
    """Phases that are requested and not built: the first cannot be, and those after it build on it."""
    n_built = len(estimate.phases.phases) if estimate.phases else 0
    why = " ".join(one.message for one in estimate.findings if one.code == "phase_not_possible")
    return [
        PhaseLeft(one.name or f"Phase {at}", one.date, one.nodes, why if at == n_built + 1 else "")
        for at, one in enumerate(estimate.spec.phases[n_built:], start=n_built + 1)
    ]


def not_built_words(estimate: PricedEstimate) -> str:
    """Which phases are in no amount; nothing where every requested phase can be built."""
    left = phases_left(estimate)
    if not left:
        return ""
    first = len(estimate.spec.phases) - len(left) + 1
    if len(left) == 1:
        return f"Phase {first} cannot be built, and is in no amount"
    return f"Phase {first} cannot be built: it and what follows it are in no amount"


def _row(phase: GrowthPhase, *, is_first: bool) -> PhaseRow:
    recabling = phase.recabling
    minutes = total_of(crew.recabling for crew in phase.work)
    hours = window = least = ""
    if is_first:
        touched, words = "–", "nothing is in use yet"
    elif recabling is None:
        touched, words = "not compared", "too many links"
    elif not recabling.touched and not any(minutes):
        touched, words = "none", "every cable stays"
    else:
        touched = counted(recabling.touched, "cable")
        words = f"{count(recabling.moved)} moved, {count(recabling.removed)} taken out"
        hours = person_hours(minutes)
        window = f"window {minutes_of(phase.window_minutes)}" if phase.window_minutes else ""
        if recabling.least_touched is not None and recabling.least_touched < recabling.touched:
            least = f"at least {count(recabling.least_touched)}, whichever ports are used"
    bill = sorted(phase.bill, key=lambda line: -(line.extended_price_usd.typical if line.extended_price_usd else 0))
    crews = tuple(
        CrewRow(
            one.title, one.people, person_hours(one.recabling), minutes_of(one.window), person_hours(one.installing)
        )
        for one in phase.work
    )
    n_more = max(len(bill) - SHOWN_LINES, 0)
    return PhaseRow(phase, touched, words, hours, window, least, crews, tuple(bill[:SHOWN_LINES]), n_more)


def first_labels(labels: str) -> str:
    """The first of a list of labels, "1-16, 40, …": whole numbers, as half of one would name another cable."""
    if len(labels) <= SHOWN_LABELS:
        return labels
    return f"{labels[:SHOWN_LABELS].rpartition(', ')[0]}, …"


def minutes_of(minutes: Range[float]) -> str:
    """ "252 min, 123 to 540"."""
    if not any(minutes):
        return "–"
    low, typical, high = minutes.each(round)
    return f"{count(typical)} min, {count(low)} to {count(high)}"


def person_hours(minutes: Range[float]) -> str:
    """ "33 person-hours, 16 to 66"; minutes where it is less than three hours."""
    if not any(minutes):
        return "–"
    is_short = minutes.typical < 3 * MINUTES_PER_HOUR
    shown = minutes.each(lambda one: round(one if is_short else one / MINUTES_PER_HOUR))
    unit = "person-minutes" if is_short else "person-hours"
    return f"{count(shown.typical)} {unit}, {count(shown.low)} to {count(shown.high)}"


def recabled_words(phases: Phases | None) -> str:
    """What all phases together do to cables in use."""
    if phases is None:
        return ""
    if not phases.touched_cables:
        return "No cable in use moves from phase to phase."
    return (
        f"{counted(phases.touched_cables, 'cable')} in use are moved or taken out, "
        f"{person_hours(phases.recabling_minutes)}"
        f"{f'; windows of {minutes_of(phases.window_minutes)} together' if phases.window_minutes else ''}."
    )
