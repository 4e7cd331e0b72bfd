"""Which ports the switches of a phase use, so that the cables of the phase before stay where they are.

A design by itself numbers the uplinks of a leaf in blocks, one for each spine. With twice the spines each block is half as
long, and nearly every uplink would stand at another port, though half of the cables still join the same two switches. So a
phase deals ports again: between any two switches, as many cables of before as it still needs stay in both of their ports, and
the other links fill the ports that are left, in the order of the design by itself. Which switches are joined, by how many
links, and how many cages of each are filled is all as in that design; only where a port leads differs. So with the ports of
a node and its leaf, where a node's links of one rail and plane may change places.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from estimator.cabling.links import LOWER_KINDS, UPPER_KINDS, LinkList, LinkNumbers
from estimator.cabling.runs import Run
from estimator.fabric.devices import LEAF, SWITCH_KINDS
from estimator.fabric.topology import LEAF_SPINE, NODE_LEAF, SPINE_CORE
from estimator.growth.in_order import in_port_order
from estimator.growth.known_by import device_keys, kind_of

DEALT = (NODE_LEAF, LEAF_SPINE, SPINE_CORE)  # tiers
LOWER, UPPER = ENDS = 0, 1
Place = tuple[tuple[int, int, int], ...]  # (port, cage, lane) of every link of a cable, at one end
Pool = tuple[int, Hashable, int]  # a device, what may be plugged in there, links of one cable


class _Cable(NamedTuple):
    """A cable with its links: their rows in the table, and by end its device, place, plug and the label of its first port."""

    rows: tuple[int, ...]
    devices: tuple[int, int]
    kinds: tuple[str, str]
    places: tuple[Place, Place]
    plugs: tuple[Hashable, Hashable]
    labels: tuple[str, str]
    joins: Hashable  # what another cable has alike that may be this one

    def pool(self, end: int) -> Pool:
        """Where its ports at one end come from: those of its device that are alike, in cages with such plugs."""
        return self.devices[end], self.plugs[end], len(self.rows)


def with_kept_ports(before: LinkList, after: LinkList) -> LinkList:
    """A network of a phase, at the ports that leave the most cables of the phase before in place."""
    here, there = list(_cables(before)), list(_cables(after))
    if not here or not there:
        return after
    dealt = _Dealt(after, there)
    dealt.keep(here)
    return _with_places(after, there, dealt.places())


def _cables(links: LinkList) -> Iterator[_Cable]:
    """The cables of tiers whose ports are dealt, in the order of their links; splitters leave a tier as it is."""
    for tier in DEALT:
        rows = links.table.rows(tier)
        choices = [links.plan.runs[run].choice for run in np.unique(links.cabling.run[rows])]
        if not any(choice and choice.links_per_cable > 1 and not choice.is_twin for choice in choices):
            yield from _of_tier(links, tier, rows)


def _of_tier(links: LinkList, tier: int, rows: slice) -> Iterator[_Cable]:
    keys, names = device_keys(links), (LOWER_KINDS[tier], UPPER_KINDS[tier])
    labels = [links.labels[name] for name in names]
    per_cage = [_links_per_cage(links, name) for name in names]
    kinds, plugs = [kind_of(run) for run in links.plan.runs], [_plugs(run, per_cage) for run in links.plan.runs]
    a_cage, b_cage = links.table.a_cage, links.table.b_cage
    by_cable: dict[int, list[tuple[int, LinkNumbers]]] = {}
    for row, one in enumerate(links.numbers(rows), start=rows.start):
        by_cable.setdefault(one.cable, []).append((row, one))
    for own in by_cable.values():
        first = own[0][1]
        alike = (first.rate_gbit_s, *((first.plane, first.rail) if tier == NODE_LEAF else ()))
        yield _Cable(
            tuple(row for row, _ in own),
            (first.a_device, first.b_device),
            names,
            (
                tuple((one.a_port, int(a_cage[row]), 0) for row, one in own),
                tuple((one.b_port, int(b_cage[row]), one.b_lane) for row, one in own),
            ),
            ((plugs[first.run][LOWER], *alike), (plugs[first.run][UPPER], *alike)),
            (labels[LOWER].port(first.a_port), labels[UPPER].port(first.b_port, first.b_lane)),
            (keys[first.a_device], keys[first.b_device], kinds[first.run], len(own)),
        )


def _plugs(run: Run, per_cage: Sequence[int]) -> tuple[Hashable, Hashable]:
    """What two cables in a cage must have alike, at the lower and the upper end: a transceiver, or the end of a cable.

    In cages of one link each nothing needs to be.
    """
    choice = run.choice
    if choice is None:
        return "", ""
    modules = choice.transceivers if choice.links_per_cable == 1 else (None, None)
    lower, upper = (
        None if n == 1 else module or (choice.cable.id, end)
        for n, module, end in zip(per_cage, modules, ENDS, strict=True)
    )
    return lower, upper


def _links_per_cage(links: LinkList, kind: str) -> int:
    """Links that one cage of a device carries."""
    panels = links.table.panels
    per_cage: int = panels.leaf_up if kind == LEAF and panels.leaf_up else getattr(panels, kind)
    return per_cage


class _Dealt:
    """Ports of a phase while they are dealt: what stays of the phase before, and what is left for the other cables."""

    def __init__(self, links: LinkList, there: Sequence[_Cable]) -> None:
        self._there = there
        self._kept: dict[int, tuple[Place, Place]] = {}
        self._own: dict[Pool, dict[str, Place]] = {}
        for one in there:
            for end in ENDS:
                self._own.setdefault(one.pool(end), {})[one.labels[end]] = one.places[end]
        self._per_cage = {one.pool(end): _links_per_cage(links, one.kinds[end]) for one in there for end in ENDS}
        self._ports = {
            kind: {label: port for port, label in reversed(list(enumerate(labels.ports)))}
            for kind, labels in links.labels.items()
            if kind in SWITCH_KINDS and not (kind == LEAF and links.fabric.has_own_uplinks)
        }
        self._filled = _filled_cages(links)
        self._claimed: dict[tuple[int, int], Pool] = {}

    def keep(self, here: Sequence[_Cable]) -> None:
        """Leave in place what the phase needs of what is there.

        Of two switches that share fewer cables than before, those stay whose ports the design by itself fills too, and of
        these the first ones, which leaves whole cages to others.
        """
        was: dict[Hashable, list[_Cable]] = {}
        for one in here:
            was.setdefault(one.joins, []).append(one)
        wanted: dict[Hashable, list[int]] = {}
        for at, one in enumerate(self._there):
            wanted.setdefault(one.joins, []).append(at)
        for joins, mine in wanted.items():
            found = [self._both(self._there[mine[0]], old) for old in was.get(joins, ())]
            staying = sorted((one for one in found if one), key=lambda one: one[0])
            self._kept |= {at: places for at, (_, places) in zip(mine, staying, strict=False)}
        self._give_back()

    def _both(self, one: _Cable, old: _Cable) -> tuple[int, tuple[Place, Place]] | None:
        """How many ends of a cable of before are at ports that the design by itself leaves empty, and both places."""
        found = [self._own[one.pool(end)].get(old.labels[end]) for end in ENDS]
        lower, upper = (place or self._empty(one, old, end) for end, place in zip(ENDS, found, strict=True))
        return (found.count(None), (lower, upper)) if lower and upper else None

    def _empty(self, one: _Cable, old: _Cable, end: int) -> Place | None:
        """The place of a cable of before in a cage that nothing of the phase fills."""
        port = self._ports.get(one.kinds[end], {}).get(old.labels[end])
        if port is None or len(one.rows) > 1:
            return None
        pool = one.pool(end)
        cage = port // self._per_cage[pool]
        key = one.devices[end], cage
        is_free = key not in self._filled and self._claimed.setdefault(key, pool) == pool
        return ((port, cage, 0),) if is_free else None

    def _give_back(self) -> None:
        """Keep no more cages filled than the design by itself fills.

        Of a switch with too many, that cage goes which has the fewest cables, and whose cables' other ends have the most
        to give back.
        """
        cages = self._cages()
        own = {pool: len({place[0][1] for place in self._own[pool].values()}) for pool in cages}

        def excess(pool: Pool) -> int:
            return len(cages[pool]) - own[pool]

        def cost(pool: Pool, cage: int) -> tuple[int, int, int]:
            others = sum(excess(other) for at in cages[pool][cage] for other in self._pools(at) if other != pool)
            return len(cages[pool][cage]), -others, cage

        for pool, mine in cages.items():
            while excess(pool) > 0:
                gone = min(mine, key=lambda cage: cost(pool, cage))
                for at in list(mine[gone]):
                    for end, other in zip(ENDS, self._pools(at), strict=True):
                        cage = self._kept[at][end][0][1]
                        cages[other][cage].remove(at)
                        if not cages[other][cage]:
                            del cages[other][cage]
                    del self._kept[at]

    def _pools(self, at: int) -> tuple[Pool, Pool]:
        return self._there[at].pool(LOWER), self._there[at].pool(UPPER)

    def _cages(self) -> dict[Pool, dict[int, list[int]]]:
        """Cables that stay, by pool and cage."""
        out: dict[Pool, dict[int, list[int]]] = {}
        for at, places in self._kept.items():
            for end, pool in zip(ENDS, self._pools(at), strict=True):
                out.setdefault(pool, {}).setdefault(places[end][0][1], []).append(at)
        return out

    def places(self) -> list[tuple[Place, Place]]:
        """The places of every cable: of those that stay their own, of the others what is left, in port order."""
        waiting: dict[Pool, list[tuple[Place, int, int]]] = {}
        taken: dict[Pool, list[Place]] = {}
        for at, one in enumerate(self._there):
            for end in ENDS:
                if at in self._kept:
                    taken.setdefault(one.pool(end), []).append(self._kept[at][end])
                else:
                    waiting.setdefault(one.pool(end), []).append((one.places[end], at, end))
        found = {(at, end): place for at, places in self._kept.items() for end, place in zip(ENDS, places, strict=True)}
        for pool, own in waiting.items():
            left = self._left(pool, taken.get(pool, ()))
            found |= {(at, end): place for (_, at, end), place in zip(sorted(own), left, strict=False)}
        return [(found[at, LOWER], found[at, UPPER]) for at in range(len(self._there))]

    def _left(self, pool: Pool, taken: Sequence[Place]) -> list[Place]:
        """Places that are left to a pool, in port order: first those beside cables that stay, then cages of its own."""
        own, kept, device = self._own[pool], set(taken), pool[0]
        begun = {place[0][1] for place in taken}
        per_cage = self._per_cage[pool]
        beside = {
            ((port, cage, 0),)
            for cage in begun
            if (device, cage) in self._claimed
            for port in range(cage * per_cage, (cage + 1) * per_cage)
        }
        free = (beside | set(own.values())) - kept
        return sorted(sorted(free, key=lambda place: (place[0][1] not in begun, place))[: len(own) - len(taken)])


def _filled_cages(links: LinkList) -> set[tuple[int, int]]:
    """Every cage that links of any tier fill, by device."""
    table = links.table
    ends = ((table.a_device, table.a_cage), (table.b_device, table.b_cage))
    filled = np.unique(np.concatenate([np.stack(one, axis=1) for one in ends]), axis=0)
    return set(map(tuple, filled.tolist()))


def _with_places(links: LinkList, cables: Sequence[_Cable], places: Sequence[tuple[Place, Place]]) -> LinkList:
    """The list with its cables at these places, its links again in the order of lower devices and their ports."""
    names = (("a_port", "a_cage"), ("b_port", "b_cage", "b_lane"))
    rows = np.array([row for one in cables for row in one.rows])
    columns = {name: getattr(links.table, name).copy() for own in names for name in own}
    for end, own in enumerate(names):
        of_links = np.array([link for both in places for link in both[end]])
        for at, name in enumerate(own):
            columns[name][rows] = of_links[:, at]
    out = replace(links, table=replace(links.table, **columns))
    for tier in DEALT:
        out = in_port_order(out, tier)
    return out
