"""What is left of a fabric when some of its devices or links are gone: exact, whatever the layout and the spread.

Connectivity is found per group of leaves and per set of cores, all that is whole being one block, so that a loss costs the
same for a thousand endpoints and for a hundred thousand. Tests remove the same devices from the link table as a graph.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from estimator.fabric.ratios import Group
from estimator.fabric.structure import LOST, Seats, Structure
from estimator.units import IntArray

WHOLE = "all that has lost nothing"


@dataclass(frozen=True)
class Loss:
    """What is gone, by index among leaves, spines and cores of the whole design.

    ``pairs`` are (leaf, spine) that no link joins any more, ``ups`` are such (spine, core).
    """

    leaves: tuple[int, ...] = ()
    spines: tuple[int, ...] = ()
    cores: tuple[int, ...] = ()
    pairs: frozenset[tuple[int, int]] = frozenset()
    ups: frozenset[tuple[int, int]] = frozenset()


class Left(NamedTuple):
    """Counts after a loss. Endpoints are cut off if they are not in the largest part of their component; nodes, if they
    reach most other nodes over no network and no scale-up domain of another node.

    ``islands`` are the parts of the worst component; ``node_ports`` what the worst node that is not cut off has left.
    """

    endpoints_cut_off: int
    nodes_cut_off: int
    node_ports: int
    islands: int


def left_after(structure: Structure, loss: Loss) -> Left:
    """What a loss leaves of the nodes' connections."""
    labels = {c: _labels(structure, loss, c) for c in _damaged(structure, loss)}
    cut, islands = 0, 1
    in_main: dict[int, npt.NDArray[np.bool_]] = {}
    for component, label in labels.items():
        ends = structure.endpoints[component]
        alive = label >= 0
        sizes = (
            np.bincount(label[alive], weights=ends[alive]).astype(np.int64) if alive.any() else np.zeros(1, np.int64)
        )
        main = int(sizes.argmax()) if alive.any() else 0
        cut += int(ends.sum()) - int(sizes[main])
        islands = max(islands, int((sizes > 0).sum()))
        in_main[component] = label == main
    nodes, ports = _nodes_left(structure, labels, in_main)
    return Left(cut, nodes, ports, islands)


def _damaged(structure: Structure, loss: Loss) -> list[int]:
    found = {structure.group_of_leaf(leaf)[0] for leaf in loss.leaves}
    found |= {structure.group_of_spine(spine)[0] for spine in loss.spines}
    found |= {structure.set_of_core(core)[0] for core in loss.cores}
    found |= {structure.group_of_leaf(leaf)[0] for leaf, _ in loss.pairs}
    found |= {structure.group_of_spine(spine)[0] for spine, _ in loss.ups}
    return sorted(found)


# ---------------------------------------------------------------- nodes


def _nodes_left(
    structure: Structure, labels: dict[int, IntArray], in_main: dict[int, npt.NDArray[np.bool_]]
) -> tuple[int, int]:
    """(nodes cut off, ports that the worst other node has left)."""
    fabric, seats = structure.fabric, structure.seats
    lost = sum((_cut_ports(seats, ~main) for main in in_main.values()), np.zeros(len(seats.count), dtype=np.int64))
    has = seats.count > 0
    cut = np.zeros(len(has), dtype=np.bool_)
    if len(labels) == fabric.n_components:
        joined = _joined_kinds(seats, list(labels.values()))
        sizes = np.bincount(joined + 1, weights=seats.count)[1:]
        cut = (joined != int(sizes.argmax())) if len(sizes) else np.ones_like(has)
    kept = has & ~cut
    ports = fabric.nic_ports_per_node - int(lost[kept].max(initial=0))
    return int(seats.count[has & cut].sum()), ports


def _cut_ports(seats: Seats, away: npt.NDArray[np.bool_]) -> IntArray:
    """Endpoints of a node of each kind on leaves that are cut off; ``away`` has shape (rows, columns)."""
    per_row: IntArray = away.sum(axis=1)
    ports: IntArray = per_row[seats.row].sum(axis=1) * seats.ports
    return ports


def _joined_kinds(seats: Seats, labels: list[IntArray]) -> IntArray:
    """Number of the part that each kind of node is in, over networks and over other nodes; -1 without a leaf."""
    offset, columns = 0, []
    for label in labels:
        columns.append(np.where(label >= 0, label + offset, LOST)[seats.row].reshape(len(seats.row), -1))
        offset += int(label.max(initial=0)) + 1
    patterns = [tuple(row) for row in np.concatenate(columns, axis=1).tolist()]
    union = _Union()
    for pattern in {p for p, n in zip(patterns, seats.count.tolist(), strict=True) if n}:
        parts = sorted({part for part in pattern if part >= 0})
        for part in parts[1:]:
            union.join(parts[0], part)
    roots: dict[object, int] = {}
    number = {
        pattern: roots.setdefault(union.root(max(pattern)), len(roots)) if max(pattern) >= 0 else LOST
        for pattern in set(patterns)
    }
    return np.array([number[pattern] for pattern in patterns])


class _Union:
    """Disjoint sets of anything."""

    def __init__(self) -> None:
        self._above: dict[object, object] = {}

    def __contains__(self, item: object) -> bool:
        return item in self._above

    def root(self, item: object) -> object:
        above = self._above.setdefault(item, item)
        while above != item:
            item, above = above, self._above[above]
        return item

    def join(self, a: object, b: object) -> None:
        self._above[self.root(a)] = self.root(b)


# ---------------------------------------------------------------- leaves


def _labels(structure: Structure, loss: Loss, component: int) -> IntArray:
    """Part of every leaf of one component, shape (rows, columns); LOST for a leaf that is gone or has no switch above."""
    wiring = structure.fabric.wiring
    out = np.zeros((wiring.rows, wiring.columns), dtype=np.int64)
    union = _Union()
    hurt = _hurt_groups(structure, loss, component)
    blocks = {group: _blocks(structure, loss, component, group) for group in sorted(hurt)}
    names: dict[int, object] = {}
    if structure.fabric.tiers == 3 and (blocks or loss.cores):
        names = _join_over_cores(structure, loss, component, blocks, union)
    roots = {union.root(WHOLE): 0}

    def part_of(name: object) -> int:
        return roots.setdefault(union.root(name), len(roots))

    for group, name in names.items():
        rows, columns = structure.leaves_of_group(group)
        out[rows, columns] = part_of(name)
    for group, parts in blocks.items():
        rows, columns = structure.leaves_of_group(group)
        for part, (members, _) in enumerate(parts):
            out[rows[members], columns[members]] = part_of((group, part))
    for leaf in loss.leaves:
        at, group, place = structure.group_of_leaf(leaf)
        if at == component:
            rows, columns = structure.leaves_of_group(group)
            out[rows[place], columns[place]] = LOST
    return out


def _hurt_groups(structure: Structure, loss: Loss, component: int) -> set[int]:
    """Groups that have lost a spine or a link of theirs."""
    places = [structure.group_of_spine(spine) for spine in loss.spines]
    places += [structure.group_of_leaf(leaf) for leaf, _ in loss.pairs]
    places += [structure.group_of_spine(spine) for spine, _ in loss.ups]
    return {group for at, group, _ in places if at == component}


def _blocks(structure: Structure, loss: Loss, component: int, group: int) -> list[tuple[list[int], int]]:
    """Leaves of a hurt group that still share spines: (leaves, spines as bits); each lone leaf is a block."""
    kind = structure.kind_of_group(group)
    alive = (1 << kind.spines) - 1
    for spine in loss.spines:
        at, its, place = structure.group_of_spine(spine)
        if (at, its) == (component, group):
            alive &= ~(1 << place)
    gone = [leaf for at, its, leaf in map(structure.group_of_leaf, loss.leaves) if (at, its) == (component, group)]
    cut: dict[int, int] = {}
    for leaf, spine in loss.pairs:
        at, its, place = structure.group_of_leaf(leaf)
        if (at, its) == (component, group):
            cut[place] = cut.get(place, 0) | 1 << structure.group_of_spine(spine)[2]
    masks: dict[int, list[int]] = {}
    for place, mask in enumerate(_masks(kind)):
        if place not in gone:
            masks.setdefault(mask & alive & ~cut.get(place, 0), []).append(place)
    # leaves that share a spine are joined; those without a spine left are alone
    blocks: list[tuple[list[int], int]] = [([place], 0) for place in masks.pop(0, [])]
    for mask, places in masks.items():
        touching = [block for block in blocks if block[1] & mask]
        blocks = [block for block in blocks if not block[1] & mask]
        for members, spines in touching:
            places, mask = places + members, mask | spines
        blocks.append((places, mask))
    return blocks


def _masks(kind: Group) -> list[int]:
    """Spines that each leaf of a group meets, as bits."""
    full = (1 << kind.spines) - 1
    if kind.is_even or kind.uplinks >= kind.spines:
        return [full] * kind.leaves
    # an uneven spread goes round the spines: the uplinks of a leaf start where those of the leaf before stopped
    arc = (1 << kind.uplinks) - 1
    starts = (leaf * kind.uplinks % kind.spines for leaf in range(kind.leaves))
    return [(arc << start | arc << start >> kind.spines) & full for start in starts]


# ---------------------------------------------------------------- cores


class _Cores(NamedTuple):
    """What a loss leaves of the cores of one component."""

    structure: Structure
    lost: dict[int, int]  # cores that a set has lost, as bits
    cut: dict[tuple[int, int], int]  # cores that a spine (group, place) no longer has a link to, as bits

    def is_hub(self, number: int) -> bool:
        """Whether all spines of a set still reach each other over its cores."""
        if self.structure.is_uneven:
            touched = {place % len(self.structure.fabric.wiring.cores) for _, place in self.cut}
            least = min(kind.spine_up for kind in self.structure.groups)
            meet = 2 * least > self.structure.fabric.wiring.cores[number]  # any two spines share a core
            return meet and number not in self.lost and number not in touched
        sets = len(self.structure.fabric.wiring.cores)
        cut = 0
        for (_, place), cores in self.cut.items():
            cut |= cores if place % sets == number else 0
        return self.alive(number) & ~cut > 0  # a core that every spine of the set still meets

    def alive(self, number: int) -> int:
        """Cores of a set that are left, as bits."""
        return (1 << self.structure.fabric.wiring.cores[number]) - 1 & ~self.lost.get(number, 0)

    def met(self, group: int, place: int) -> int:
        """Cores that a spine still has a link to, as bits: its links go round from where those before it stopped."""
        fabric, kind = self.structure.fabric, self.structure.kind_of_group(group)
        number = place % len(fabric.wiring.cores)
        size = fabric.wiring.cores[number]
        met = (1 << size) - 1
        if self.structure.is_uneven and kind.spine_up < size:
            arc = (1 << kind.spine_up) - 1 << self.structure.links_before(group) % size
            met &= arc | arc >> size
        return met & self.alive(number) & ~self.cut.get((group, place), 0)


def _join_over_cores(
    structure: Structure, loss: Loss, component: int, blocks: dict[int, list[tuple[list[int], int]]], union: _Union
) -> dict[int, object]:
    """Join blocks of leaves that reach a core in common; the names of the groups that are whole, if not all are one."""
    cores = _cores_left(structure, loss, component)
    sets = range(len(structure.fabric.wiring.cores))
    fewest = min(kind.spines for kind in structure.groups)
    is_one = any(cores.is_hub(number) for number in sets if number < fewest)
    whole = [group for group in range(structure.n_groups) if group not in blocks]
    names: dict[int, object] = {group: WHOLE if is_one else ("group", group) for group in whole}
    hubs = {number for number in sets if cores.is_hub(number)}
    # whole groups of one kind meet the same sets, so that one of each kind is enough where all are one block
    alike = {structure.kind_of_group(group): group for group in whole}.values() if is_one else whole
    for group in alike:
        for number in hubs.intersection(range(structure.kind_of_group(group).spines)):
            union.join(names[group], ("set", number))
    for group in whole:
        for place in sorted(set(sets) - hubs):
            if place < structure.kind_of_group(group).spines:
                _join_spine(cores, union, names[group], group, place, False)
    for group, parts in blocks.items():
        for part, (_, spines) in enumerate(parts):
            for place in (s for s in range(structure.kind_of_group(group).spines) if spines >> s & 1):
                _join_spine(cores, union, (group, part), group, place, place % len(sets) in hubs)
    return {} if is_one else names


def _join_spine(cores: _Cores, union: _Union, name: object, group: int, place: int, is_hub: bool) -> None:
    number = place % len(cores.structure.fabric.wiring.cores)
    met = cores.met(group, place)
    if is_hub and met:
        union.join(name, ("set", number))
    for core in (c for c in range(met.bit_length()) if not is_hub and met >> c & 1):
        union.join(name, ("core", number, core))


def _cores_left(structure: Structure, loss: Loss, component: int) -> _Cores:
    lost: dict[int, int] = {}
    for core in loss.cores:
        at, number, place = structure.set_of_core(core)
        if at == component:
            lost[number] = lost.get(number, 0) | 1 << place
    cut: dict[tuple[int, int], int] = {}
    for spine, core in loss.ups:
        at, group, place = structure.group_of_spine(spine)
        if at == component:
            cut[group, place] = cut.get((group, place), 0) | 1 << structure.set_of_core(core)[2]
    return _Cores(structure, lost, cut)
