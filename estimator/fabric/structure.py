"""One fabric cut into components, groups of leaves and sets of cores: where each switch is, and what it is joined to.

What is alike is written once: a kind of group stands for all such groups, so nothing here grows with the link table.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from estimator.fabric.core_links import CoreLinks, core_links, first_spine_uplink
from estimator.fabric.ratios import Group, groups_of, is_uneven
from estimator.fabric.sized import SizedFabric
from estimator.fabric.topology import seats_in_node_order
from estimator.units import Column, IntArray

LOST = -1  # in an array of parts or devices: there is none


@dataclass(frozen=True)
class Seats:
    """Where nodes plug in, by kind of node; the same in every component."""

    count: IntArray  # nodes of the kind
    row: IntArray  # leaf rows, shape (kinds, 1 or more); one may stand several times
    ports: int  # endpoints that one of these nodes has on each leaf of such a row


@dataclass(frozen=True)
class Structure:
    """One fabric, cut into components, groups and sets."""

    fabric: SizedFabric

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
    def is_uneven(self) -> bool:
        """Whether sets of spines and cores are joined unevenly."""
        return self.fabric.tiers == 3 and is_uneven(self.fabric)

    @cached_property
    def is_firm(self) -> bool:
        """Whether any two spines and cores may go without cutting a leaf from another: no need to try which."""
        fewest = min((kind.spines for kind in self.groups), default=3)
        if any(
            not kind.is_even and kind.uplinks < kind.spines and 2 * kind.uplinks - kind.spines < 3
            for kind in self.groups
        ):
            return False
        if self.fabric.tiers < 3 or self.is_uneven:
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
        """Core behind each uplink of a spine, in order of ports; core_links.py says how they are dealt."""
        component, place = divmod(spine, self.spines_a_component)
        column, place = divmod(place, self.spines_a_component // self.fabric.wiring.columns)
        core, _ = self._meets
        mine = slice(*np.searchsorted(self._core_links.spine, [place, place + 1]))
        found: IntArray = component * sum(self.fabric.wiring.cores) + core[column % len(core), mine].astype(np.int64)
        return found

    @cached_property
    def _core_links(self) -> CoreLinks:
        return core_links(self.fabric.wiring)

    @cached_property
    def _meets(self) -> tuple[Column, Column]:
        return self._core_links.meets(self.fabric.wiring.columns)

    def links_before(self, group: int) -> int:
        """Links that one spine of each group before this one has to the same set of cores."""
        kind = self.kind_of_group(group)
        return min(group, kind.first) * self.fabric.wiring.spine_up + (group - kind.first) * kind.spine_up

    def up_ports(self, kind: Group, links_per_cage: int) -> IntArray:
        """Port of every uplink of a spine."""
        number = 0 if kind is self.groups[0] else int(self._core_links.spine[-1])
        held = self._core_links.held_uplink[self._core_links.spine == number]
        ports: IntArray = first_spine_uplink(self.fabric.wiring, links_per_cage) + held
        return ports

    def spines_of_core(self, core: int) -> IntArray:
        """Spine behind each port of a core of the first component, in order of ports; LOST where a port is held open."""
        spines, ports, starts = self._by_core
        mine = slice(starts[core], starts[core + 1])
        found = np.full(int(ports[mine].max()) + 1, LOST, dtype=np.int64)
        found[ports[mine]] = spines[mine]
        return found

    @cached_property
    def _by_core(self) -> tuple[IntArray, Column, IntArray]:
        """Spine and core port of the first component's links, core by core, and where each core's begin."""
        columns = self.fabric.wiring.columns
        core, port = np.broadcast_arrays(*self._meets)
        spine = self._core_links.spine + np.arange(columns)[:, None] * (self.spines_a_component // columns)
        order = np.argsort(core.ravel(), kind="stable")
        starts = np.searchsorted(core.ravel()[order], np.arange(sum(self.fabric.wiring.cores) + 1))
        return np.broadcast_to(spine, core.shape).ravel()[order], port.ravel()[order], starts

    def first_cores(self) -> list[int]:
        """The first core, which stands for all; every core of the first component where they differ."""
        return list(range(sum(self.fabric.wiring.cores))) if self.is_uneven else [0]

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
        rows = sorted(
            {row for some in order for row in some}
            | self._rows_of_pods()
            | ({int(both.argmax()), int(both.argmax()) + 1} if len(both) else set())
        )
        if not inside.all():  # nodes sit across leaves in a pattern that soon comes again
            rows = sorted({*rows, *range(min(wiring.rows, 6))})
        if count == 1:
            return [(row * wiring.columns,) for row in rows]
        places = [
            (component * wiring.rows + row) * wiring.columns + column
            for component in range(min(self.fabric.n_components, 2))
            for row in rows
            for column in range(min(wiring.columns, 2))
        ]
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
                if not kind.is_even or self.is_uneven
                else [s for s in every if s < min(sets, 3) or sets <= s < sets + 2]
            )
            for component in range(min(self.fabric.n_components, 2 if wide else 1)):
                for group in range(kind.first, kind.first + min(kind.n, 2 if wide else 1)):
                    out += [self.spine_at(component, group, place) for place in few]
        return out

    def chosen_cores(self) -> list[int]:
        """Cores that stand for all: up to three of up to three sets, of every one where they differ."""
        wiring, out = self.fabric.wiring, []
        total = sum(wiring.cores)
        starts = [sum(wiring.cores[:number]) for number in range(len(wiring.cores))]
        for component in range(min(self.fabric.n_components, 2) if total else 0):
            if self.is_uneven:
                out += [component * total + core for core in range(total)]
            else:
                out += [
                    component * total + start + place
                    for start in starts[:3]
                    for place in range(min(wiring.cores[0], 3))
                ]
        return out
