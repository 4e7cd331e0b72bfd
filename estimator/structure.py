"""One fabric cut into components, groups of leaves and sets of cores: where each switch is, and what it is joined to.

What is alike is written once: a kind of group stands for all such groups, so nothing here grows with the link table.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from estimator.built import Group, groups_of, is_loose
from estimator.fabric import SizedFabric
from estimator.topology import first_uplink, seats_in_node_order
from estimator.units import IntArray

LOST = -1  # in an array of parts or devices: there is none


@dataclass(frozen=True)
class Seats:
    """Where nodes plug in, by kind of node; the same in every component."""

    count: IntArray  # nodes of the kind
    row: IntArray  # leaf rows, shape (kinds, 1 or more); one may stand several times
    ports: int  # endpoints that one of these nodes has on each leaf of such a row


@dataclass(frozen=True)
class Structure:
    """One fabric, cut into components, groups and sets; ``dealt`` remembers which spines each set of cores meets."""

    fabric: SizedFabric
    dealt: dict[int, tuple[IntArray | None, IntArray]] = field(default_factory=dict)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Kinds of groups in a component."""
        return groups_of(self.fabric)

    @cached_property
    def endpoints(self) -> IntArray:
        """Endpoints of every leaf, shape (components, rows, columns)."""
        wiring = self.fabric.wiring
        return self.fabric.leaf_endpoints.reshape(self.fabric.n_components, wiring.rows, wiring.columns)

    @cached_property
    def is_loose(self) -> bool:
        """Whether sets of spines and cores are joined unevenly."""
        return self.fabric.tiers == 3 and is_loose(self.fabric)

    @cached_property
    def is_firm(self) -> bool:
        """Whether any two spines and cores may go without cutting a leaf from another: no need to try which."""
        fewest = min((kind.spines for kind in self.groups), default=3)
        if any(
            not kind.is_even and kind.uplinks < kind.spines and 2 * kind.uplinks - kind.spines < 3
            for kind in self.groups
        ):
            return False
        if self.fabric.tiers < 3 or self.is_loose:
            return fewest >= 3
        sets, cores = len(self.fabric.wiring.cores), self.fabric.wiring.cores[0]
        return fewest >= 3 and sets * min(fewest // sets, cores) >= 3

    @cached_property
    def n_groups(self) -> int:
        """Groups of a component."""
        return sum(group.n for group in self.groups)

    @cached_property
    def spines_a_component(self) -> int:
        """Spines of a component."""
        return self.fabric.n_spine // self.fabric.n_components

    @cached_property
    def seats(self) -> Seats:
        """Kinds of nodes by where they plug in; in a component, nodes of one row have every column of it."""
        fabric, wiring = self.fabric, self.fabric.wiring
        if wiring.rails_a_leaf:
            count = self.endpoints[0, :, 0] // wiring.rails_a_leaf
            return Seats(count, np.arange(wiring.rows)[:, None], wiring.rails_a_leaf)
        rows, _ = seats_in_node_order(fabric)
        within = rows[:, 0] == rows[:, -1]
        whole = np.bincount(rows[within, 0], minlength=wiring.rows)
        at_seams = rows[~within]
        inside = np.repeat(np.arange(wiring.rows)[:, None], rows.shape[1], axis=1)
        return Seats(np.concatenate([whole, np.ones(len(at_seams), np.int64)]), np.concatenate([inside, at_seams]), 1)

    # ------------------------------------------------ places of devices

    def group_of_leaf(self, leaf: int) -> tuple[int, int, int]:
        """(component, group, leaf in the group) of a leaf."""
        wiring, per = self.fabric.wiring, self.fabric.n_leaf // self.fabric.n_components
        component, place = divmod(leaf, per)
        if self.fabric.tiers < 3:
            return component, 0, place
        row, column = divmod(place, wiring.columns)
        pod = min(row // max(wiring.pod_rows, 1), wiring.pods - 1)
        return component, pod * wiring.columns + column, row - pod * wiring.pod_rows

    def group_of_spine(self, spine: int) -> tuple[int, int, int]:
        """(component, group, spine in the group) of a spine."""
        wiring = self.fabric.wiring
        component, place = divmod(spine, self.spines_a_component)
        if self.fabric.tiers < 3:
            return component, 0, place
        column, place = divmod(place, self.spines_a_component // wiring.columns)
        pod = min(place // max(wiring.spines, 1), wiring.pods - 1)
        return component, pod * wiring.columns + column, place - pod * wiring.spines

    def set_of_core(self, core: int) -> tuple[int, int, int]:
        """(component, set, core in the set) of a core."""
        component, place = divmod(core, sum(self.fabric.wiring.cores))
        for number, size in enumerate(self.fabric.wiring.cores):
            if place < size:
                return component, number, place
            place -= size
        raise ValueError(f"there is no core {core}")

    def leaf_at(self, component: int, group: int, place: int) -> int:
        """Index of a group's leaf."""
        wiring = self.fabric.wiring
        rows, columns = self.leaves_of_group(group)
        return int((component * wiring.rows + rows[place]) * wiring.columns + columns[place])

    def spine_at(self, component: int, group: int, place: int) -> int:
        """Index of a group's spine."""
        wiring, per = self.fabric.wiring, self.spines_a_component
        if self.fabric.tiers < 3:
            return component * per + place
        pod, column = divmod(group, wiring.columns)
        return component * per + column * (per // wiring.columns) + pod * wiring.spines + place

    def kind_of_group(self, group: int) -> Group:
        """The kind of a component's group number."""
        return next(kind for kind in reversed(self.groups) if group >= kind.first)

    def leaves_of_group(self, group: int) -> tuple[IntArray, IntArray]:
        """(rows, columns) of a group's leaves."""
        wiring = self.fabric.wiring
        if self.fabric.tiers < 3:
            place = np.arange(wiring.rows * wiring.columns)
            return place // wiring.columns, place % wiring.columns
        pod, column = divmod(group, wiring.columns)
        rows = pod * wiring.pod_rows + np.arange(self.kind_of_group(group).leaves)
        return rows, np.full_like(rows, column)

    # ------------------------------------------------ links between spines and cores

    def links_up(self, spine: int, core: int) -> int:
        """Links between a spine and a core."""
        here, number, _ = self.set_of_core(core)
        there, _, place = self.group_of_spine(spine)
        if here != there or place % len(self.fabric.wiring.cores) != number:
            return 0
        return int((self.cores_of_spine(spine) == core).sum())

    def cores_of_spine(self, spine: int) -> IntArray:
        """Core behind each uplink of a spine, in order of ports; docs of topology.py say how they are dealt."""
        wiring = self.fabric.wiring
        component, group, place = self.group_of_spine(spine)
        kind, sets = self.kind_of_group(group), len(wiring.cores)
        size, links = wiring.cores[place % sets], np.arange(kind.spine_up)
        first = component * sum(wiring.cores) + sum(wiring.cores[: place % sets])
        if kind.spine_up % size == 0:
            return first + links // (kind.spine_up // size)
        before: IntArray = links + self.links_before(group)
        return first + before % size

    def links_before(self, group: int) -> int:
        """Links that one spine of each group before this one has to the same set of cores."""
        kind = self.kind_of_group(group)
        return min(group, kind.first) * self.fabric.wiring.spine_up + (group - kind.first) * kind.spine_up

    def held_up(self, kind: Group) -> int:
        """Uplinks that ports are held for at a spine: more than there are, where the last pod may still grow."""
        wiring = self.fabric.wiring
        return wiring.last_spine_up_held if kind is self.groups[-1] else wiring.spine_up

    def up_ports(self, kind: Group, links_per_cage: int) -> IntArray:
        """Port of every uplink of a spine."""
        wiring = self.fabric.wiring
        size, held = wiring.cores[0], self.held_up(kind)
        first = first_uplink(
            wiring.spine_ports, max(map(self.held_up, self.groups)), wiring.spine_ports_down, links_per_cage
        )
        number = np.arange(kind.spine_up)
        if kind.spine_up % size == held % size == 0:
            number = number // (kind.spine_up // size) * (held // size) + number % (kind.spine_up // size)
        ports: IntArray = first + number
        return ports

    def spines_of_core(self, core: int) -> IntArray:
        """Spine behind each port of a core of the first component, in order of ports; LOST where a port is held open."""
        _, number, place = self.set_of_core(core)
        if number not in self.dealt:
            self.dealt[number] = self._spines_of_set(number)
        dealt, alike = self.dealt[number]
        return dealt[place :: self.fabric.wiring.cores[number]] if dealt is not None else alike

    def _spines_of_set(self, number: int) -> tuple[IntArray | None, IntArray]:
        """Spines of a set link by link where links go round its cores, else None; and as they stand at any core."""
        wiring, size = self.fabric.wiring, self.fabric.wiring.cores[number]
        spines, parts = [], [np.zeros(0, dtype=np.int64)]
        for group in range(self.n_groups):
            kind = self.kind_of_group(group)
            held = np.arange(self.held_up(kind) // size) < kind.spine_up // size
            for at in range(number, kind.spines, len(wiring.cores)):
                spines.append(self.spine_at(0, group, at))
                parts.append(np.where(held, spines[-1], LOST))
        ups = self.fabric.spine_up[spines]
        return np.repeat(spines, ups) if (ups % size).any() else None, np.concatenate(parts)

    def first_cores(self) -> list[int]:
        """The first core, which stands for all; every core of the first component where they differ."""
        return list(range(sum(self.fabric.wiring.cores))) if self.is_loose else [0]

    # ------------------------------------------------ devices that stand for all

    def chosen_leaves(self, count: int) -> list[tuple[int, ...]]:
        """Leaves, or pairs of them, among which the loss of one (two) is worst in each figure."""
        wiring, seats = self.fabric.wiring, self.seats
        ends = self.endpoints[0, :, 0]
        nodes = np.zeros(wiring.rows, dtype=np.int64)
        inside = (seats.row == seats.row[:, :1]).all(axis=1)
        np.add.at(nodes, seats.row[inside, 0], seats.count[inside])
        both = nodes[:-1] + nodes[1:]
        np.add.at(both, seats.row[~inside, 0], 1)
        seams = np.zeros(wiring.rows, dtype=np.int64)  # most ports there of a node that has others elsewhere
        for kind in np.flatnonzero(~inside):
            for row in set(seats.row[kind].tolist()):
                seams[row] = max(seams[row], int((seats.row[kind] == row).sum()))
        order = (np.argsort(-figure, kind="stable")[:2].tolist() for figure in (ends, nodes, seams))
        rows = sorted({row for some in order for row in some} | self._rows_of_pods()
                      | ({int(both.argmax()), int(both.argmax()) + 1} if len(both) else set()))  # fmt: skip
        if not inside.all():  # nodes sit across leaves in a pattern that soon comes again
            rows = sorted({*rows, *range(min(wiring.rows, 6))})
        if count == 1:
            return [(row * wiring.columns,) for row in rows]
        places = [(component * wiring.rows + row) * wiring.columns + column
                  for component in range(min(self.fabric.n_components, 2)) for row in rows
                  for column in range(min(wiring.columns, 2))]  # fmt: skip
        return [(row * wiring.columns, other) for row in rows for other in places if other != row * wiring.columns]

    def _rows_of_pods(self) -> set[int]:
        """Rows of two pods and of the last, where spines are so few that it matters which pod has lost a leaf."""
        wiring = self.fabric.wiring
        if self.is_firm:
            return set()
        if wiring.rows <= 12:
            return set(range(wiring.rows))
        pods = {0, wiring.pod_rows, (wiring.pods - 1) * wiring.pod_rows, wiring.rows - 1}
        return {0, 1} if self.fabric.tiers < 3 else {row for row in pods if row < wiring.rows}

    def chosen_spines(self, wide: bool = False) -> list[int]:
        """Spines that stand for all: of the first groups of each kind (``wide``: of two each), up to three a set."""
        sets = len(self.fabric.wiring.cores) or 1
        out = []
        for kind in self.groups:
            every = range(kind.spines)
            few = (
                every
                if not kind.is_even or self.is_loose
                else [s for s in every if s < min(sets, 3) or sets <= s < sets + 2]
            )
            for component in range(min(self.fabric.n_components, 2 if wide else 1)):
                for group in range(kind.first, kind.first + min(kind.n, 2 if wide else 1)):
                    out += [self.spine_at(component, group, place) for place in few]
        return out

    def _are_alike(self, kind: Group) -> bool:
        """Whether all spines of a set are alike."""
        return kind.is_even and not self.is_loose

    def chosen_cores(self) -> list[int]:
        """Cores that stand for all: up to three of up to three sets, of every one where they differ."""
        wiring, out = self.fabric.wiring, []
        total = sum(wiring.cores)
        starts = [sum(wiring.cores[:number]) for number in range(len(wiring.cores))]
        for component in range(min(self.fabric.n_components, 2) if total else 0):
            if self.is_loose:
                out += [component * total + core for core in range(total)]
            else:
                out += [
                    component * total + start + place
                    for start in starts[:3]
                    for place in range(min(wiring.cores[0], 3))
                ]
        return out
