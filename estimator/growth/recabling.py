"""Two link lists of consecutive phases → what stays, moves, comes and goes, cable by cable.

A cable is known by its two ends: devices by name, without the zeros that fill names up, and by model, as a switch that is
exchanged takes its cables out; and by what it is: part and stock length. One whose ends are those of before stays. Of the
others, one that is taken out and one of the same part and length that comes are the same cable, moved: as many as can be with
one of the ends staying plugged in, then any.
"""

from collections import Counter, deque
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from estimator.cabling.bundles import as_ranges, transceivers_of
from estimator.cabling.links import LOWER_KINDS, UPPER_KINDS, LinkList
from estimator.crews.effort import crews, person_minutes, tasks
from estimator.fabric.devices import SWITCH_KINDS
from estimator.fabric.topology import TIERS
from estimator.growth.known_by import Kind, kind_of, models_of, plain_name
from estimator.growth.result import CablesOfTier, CrewMinutes, Recabling
from estimator.ranges import Range

FIBER = "fiber"
NONE: Range[float] = Range(0.0, 0.0, 0.0)
KEPT, MOVED, ADDED, REMOVED = "kept", "moved", "added", "removed"
USED_TASKS = (
    *("cable-out", "cable-move", "cable", "cable-metre", "fiber-end", "other-end"),
    *("link", "counter", "switch-out", "switch", "node", "transceiver"),
)
USED_CREWS = ("cabling", "network", "racks")
End = tuple[str, str]


class Cable(NamedTuple):
    """One cable of a list: its number there, its ends as ``(device, port)`` and what it is."""

    fabric: str
    tier: str
    number: int
    a: End
    b: End
    part: str
    length_m: float
    pieces: int
    is_fiber: bool
    models: tuple[str, str]

    @property
    def ends(self) -> tuple[Hashable, Hashable]:
        """What its ends are known by."""
        return (_plain(self.a), self.models[0]), (_plain(self.b), self.models[1])

    @property
    def kind(self) -> Kind:
        """What another cable must be to be the same."""
        return self.part, self.length_m, self.pieces


class Step(NamedTuple):
    """What happens to one cable from a phase to the next."""

    action: str
    before: Cable | None
    after: Cable | None
    ends_moved: int = 0

    @property
    def cable(self) -> Cable:
        """The cable as it is in the end, or as it was where it is taken out."""
        found = self.after or self.before
        if found is None:
            raise ValueError("a step is about a cable")
        return found


def _plain(end: End) -> End:
    return plain_name(end[0]), end[1]


def cables_of(links: LinkList) -> Iterator[Cable]:
    """The cables of a network in the order of their numbers; one of several links has the ends of its first."""
    names, table = links.table.devices.names, links.table
    models = models_of(links)
    choices = [one.choice for one in links.plan.runs]
    kinds = [kind_of(one) for one in links.plan.runs]
    for tier in range(len(TIERS)):
        rows = table.rows(tier)
        if rows.start == rows.stop:
            continue
        _, first = np.unique(links.cabling.cable[rows], return_index=True)
        lower, upper = links.labels[LOWER_KINDS[tier]], links.labels[UPPER_KINDS[tier]]
        of_kinds = models.get(LOWER_KINDS[tier], ""), models.get(UPPER_KINDS[tier], "")
        for one in links.numbers(first.astype(np.int64) + rows.start):
            choice = choices[one.run]
            yield Cable(
                links.role,
                TIERS[tier],
                one.cable,
                (names[one.a_device], lower.port(one.a_port)),
                (names[one.b_device], upper.port(one.b_port, one.b_lane)),
                *kinds[one.run],
                bool(choice and choice.cable.kind == FIBER),
                of_kinds,
            )


def steps_between(before: Sequence[LinkList], after: Sequence[LinkList]) -> Iterator[Step]:
    """Every cable of two phases, network by network."""
    there = {links.role: links for links in after}
    here = {links.role: links for links in before}
    for role in dict.fromkeys((*here, *there)):
        old = list(cables_of(here[role])) if role in here else []
        new = list(cables_of(there[role])) if role in there else []
        yield from _of_network(old, new)


def _of_network(old: list[Cable], new: list[Cable]) -> Iterator[Step]:
    at = {cable.ends: cable for cable in old}
    left, come = dict.fromkeys(old), []
    for cable in new:
        was = at.get(cable.ends)
        if was is not None and was.kind == cable.kind:
            del left[was]
            yield Step(KEPT, was, cable)
        else:
            come.append(cable)
    moved, come = _moved(list(left), come)
    yield from moved
    yield from (Step(ADDED, None, cable) for cable in come)
    used = {step.before for step in moved}
    yield from (Step(REMOVED, cable, None) for cable in left if cable not in used)


def _moved(left: list[Cable], come: list[Cable]) -> tuple[list[Step], list[Cable]]:
    """Cables that are used again, as many as can be with one end where it was, then with both elsewhere; and new ones."""
    found = [Step(MOVED, left[old], come[new], 1) for new, old in sorted(_one_end_stays(left, come).items())]
    used, reused = {step.before for step in found}, {step.after for step in found}
    free: dict[Hashable, list[Cable]] = {}
    for cable in reversed(left):
        if cable not in used:
            free.setdefault(cable.kind, []).append(cable)
    still = []
    for cable in come:
        if cable in reused:
            continue
        alike = free.get(cable.kind)
        if alike:
            found.append(Step(MOVED, alike.pop(), cable, 2))
        else:
            still.append(cable)
    return found, still


def _one_end_stays(left: list[Cable], come: list[Cable]) -> dict[int, int]:
    """Place in ``come`` → place in ``left`` of the cable that it is, moved at one end: as many as there can be.

    A port holds one cable before and one after, so a cable has two others at most to be or to become: these chains are
    taken from their ends, where there is no choice, and rings then all the same way round.
    """
    n_left = len(left)
    at = {(cable.kind, end): n_left + i for i, cable in enumerate(come) for end in cable.ends}
    others: dict[int, list[int]] = {}
    for i, cable in enumerate(left):
        for end in reversed(cable.ends):
            new = at.get((cable.kind, end))
            if new is not None and new not in others.get(i, ()):
                others.setdefault(i, []).append(new)
                others.setdefault(new, []).append(i)
    out: dict[int, int] = {}
    ends = deque(one for one, own in others.items() if len(own) == 1)
    rings = deque(others)
    while ends or rings:
        one = (ends or rings).popleft()
        if not others.get(one):
            continue
        other = others[one][0]
        old, new = sorted((one, other))
        out[new - n_left] = old
        for gone in (one, other):
            for near in others.pop(gone):
                if near in others:
                    others[near].remove(gone)
                    if len(others[near]) == 1:
                        ends.append(near)
    return out


class Changes(NamedTuple):
    """What a phase does to cables and switches, counted for answers and crews."""

    recabling: Recabling
    work: list[CrewMinutes]


def changes_between(before: Sequence[LinkList], after: Sequence[LinkList]) -> Changes:
    """What a phase does to what was there before; ``before`` is empty for the first phase."""
    steps = list(steps_between(before, after))
    gone, come = _switches(before), _switches(after)
    replaced = sum((gone - come).values())
    tiers = list(_by_tier(steps))
    recabling = Recabling(
        kept=sum(one.kept for one in tiers),
        moved=sum(one.moved for one in tiers),
        added=sum(one.added for one in tiers),
        removed=sum(one.removed for one in tiers),
        tiers=tiers,
        least_touched=_least_touched(steps),
        replaced_switches=replaced,
    )
    n_nodes = _n_nodes(after) - _n_nodes(before)
    optics = _n_transceivers(after) - _n_transceivers(before)
    return Changes(
        recabling, list(_work(steps, replaced, sum((come - gone).values()), max(n_nodes, 0), max(optics, 0)))
    )


def _least_touched(steps: Sequence[Step]) -> int:
    """Cables in use that have to go or move whatever the ports: of each pair of devices those beyond what joins it now."""
    before, after = (_pairs(step.before for step in steps), _pairs(step.after for step in steps))
    return sum((before - after).values())


def _pairs(cables: Iterator[Cable | None]) -> Counter[Hashable]:
    found: Counter[Hashable] = Counter()
    for one in cables:
        if one:
            devices = (plain_name(one.a[0]), one.models[0]), (plain_name(one.b[0]), one.models[1])
            found[one.fabric, devices, one.kind] += one.pieces
    return found


def _by_tier(steps: Sequence[Step]) -> Iterator[CablesOfTier]:
    by_place: dict[tuple[str, str], list[Step]] = {}
    for step in steps:
        by_place.setdefault((step.cable.fabric, step.cable.tier), []).append(step)
    for (fabric, tier), own in by_place.items():
        of = {action: [step for step in own if step.action == action] for action in (KEPT, MOVED, ADDED, REMOVED)}
        yield CablesOfTier(
            fabric=fabric,
            tier=tier,
            kept=_pieces(of[KEPT]),
            renumbered=sum(
                s.cable.pieces for s in of[KEPT] if s.before and s.after and s.before.number != s.after.number
            ),
            moved=_pieces(of[MOVED]),
            moved_from=_labels(step.before for step in of[MOVED]),
            moved_to=_labels(step.after for step in of[MOVED]),
            added=_pieces(of[ADDED]),
            added_labels=_labels(step.after for step in of[ADDED]),
            removed=_pieces(of[REMOVED]),
            removed_labels=_labels(step.before for step in of[REMOVED]),
        )


def _pieces(steps: Sequence[Step]) -> int:
    return sum(step.cable.pieces for step in steps)


def _labels(cables: Iterator[Cable | None]) -> str:
    return as_ranges(sorted(one.number + piece for one in cables if one for piece in range(one.pieces)))


def _switches(lists: Sequence[LinkList]) -> Counter[tuple[str, str]]:
    """Every switch by its name and model, each once."""
    found = set()
    for links in lists:
        devices = links.table.devices
        for kind in SWITCH_KINDS:
            switch = links.switches.get(kind)
            model = switch.id if switch else "custom"
            found |= {(f"{links.role}/{plain_name(name)}", model) for name in devices.names[devices.of(kind)]}
    return Counter(found)


def _n_nodes(lists: Sequence[LinkList]) -> int:
    return lists[0].fabric.n_nodes if lists else 0


def _n_transceivers(lists: Sequence[LinkList]) -> int:
    return sum(sum(transceivers_of(links).values()) for links in lists)


def _work(steps: Sequence[Step], n_gone: int, n_switches: int, n_nodes: int, n_optics: int) -> Iterator[CrewMinutes]:
    """Minutes of each crew: on what was in use, and on what is new."""
    again: dict[str, Range[float]] = dict.fromkeys(crews(), NONE)
    new: dict[str, Range[float]] = dict.fromkeys(crews(), NONE)

    def add(to: dict[str, Range[float]], task: str, units: float) -> None:
        crew = tasks()[task].crew
        to[crew] += person_minutes(task, units)

    for action, to in ((MOVED, again), (REMOVED, again), (ADDED, new)):
        own = [step for step in steps if step.action == action]
        whole = [step for step in own if step.ends_moved != 1]
        laid = whole if action != REMOVED else []
        if action != ADDED:
            add(to, "cable-out", _pieces(whole))
        add(to, "cable-move", _pieces([step for step in own if step.ends_moved == 1]))
        add(to, "cable", _pieces(laid))
        add(to, "cable-metre", sum(step.cable.pieces * step.cable.length_m for step in laid))
        ends = [(step.cable, step.ends_moved or 2) for step in own if action != REMOVED]
        add(to, "fiber-end", sum(cable.pieces * n for cable, n in ends if cable.is_fiber))
        add(to, "other-end", sum(cable.pieces * n for cable, n in ends if not cable.is_fiber))
        for task in ("link", "counter"):
            add(to, task, _pieces([step for step in own if action != REMOVED]))
    add(again, "switch-out", n_gone)
    add(new, "switch", n_switches)
    add(new, "node", n_nodes)
    add(new, "transceiver", n_optics)
    for code, crew in crews().items():
        if any((*again[code], *new[code])):
            yield CrewMinutes(
                crew=code,
                title=crew.title,
                people=crew.people,
                recabling=again[code].each(_rounded),
                installing=new[code].each(_rounded),
            )


def _rounded(minutes: float) -> float:
    return round(minutes, 1)
