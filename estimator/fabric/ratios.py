"""What the links of a sized fabric give: ratios of rails and planes, paths between leaves, diameter.

Everything follows from how switches of one kind are alike (``SizedFabric.wiring``), so that it costs the same for a
hundred nodes and for a hundred thousand; tests measure the same figures on the link table as a graph.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import NamedTuple, TypedDict

import numpy as np
import numpy.typing as npt

from estimator.fabric import result
from estimator.fabric.devices import LEAF, devices_of
from estimator.fabric.result import LeafPaths, Oversubscription, PlaneRatio, RailRatio
from estimator.fabric.sized import SizedFabric
from estimator.units import IntArray, ratio_text


@dataclass(frozen=True)
class Group:
    """Leaves that share spines: of a component in two tiers, of one rail (or all) of one pod in three."""

    n: int  # such groups in a component
    leaves: int
    uplinks: int  # of a leaf
    spines: int
    spine_up: int
    first: int  # number of the first such group in its component, counted over the rails of pod after pod

    @property
    def is_even(self) -> bool:
        """Every leaf has as many links to every spine."""
        return self.uplinks % self.spines == 0

    @cached_property
    def links(self) -> IntArray:
        """Links of each leaf to each spine, shape (leaves, spines): dealt round and round, as topology.py does."""
        if self.is_even:
            return np.full((self.leaves, self.spines), self.uplinks // self.spines)
        turns = np.arange(self.leaves * self.uplinks).reshape(self.leaves, -1) % self.spines
        out = np.zeros((self.leaves, self.spines), dtype=np.int64)
        np.add.at(out, (np.arange(self.leaves)[:, None], turns), 1)
        return out


def groups_of(fabric: SizedFabric) -> tuple[Group, ...]:
    """Kinds of groups in one component, none with one tier; the last pod's come last."""
    wiring, uplinks = fabric.wiring, fabric.leaf_uplinks
    if fabric.tiers == 1:
        return ()
    if fabric.tiers == 2:
        return (Group(1, wiring.rows * wiring.columns, uplinks, wiring.spines, 0, 0),)
    n_full = (wiring.pods - 1) * wiring.columns
    full = Group(n_full, wiring.pod_rows, uplinks, wiring.spines, wiring.spine_up, 0)
    last_rows = wiring.rows - (wiring.pods - 1) * wiring.pod_rows
    last = Group(wiring.columns, last_rows, uplinks, wiring.last_spines, wiring.last_spine_up, n_full)
    return (full, last) if n_full else (last,)


def worst_pod_ratio(fabric: SizedFabric) -> Fraction:
    """The highest oversubscription of the spines of any pod of three tiers, whose last pod may be the only one with less."""
    groups = groups_of(fabric) if fabric.tiers == 3 else ()
    return max((Fraction(one.leaves * one.uplinks, one.spines * one.spine_up) for one in groups), default=Fraction(1))


class LastPod(NamedTuple):
    """A last pod with fewer nodes than the others."""

    begins: int  # nodes before it
    nodes: int
    ratio: Fraction  # rate of its nodes over that of its links to the core


def last_pod_of(fabric: SizedFabric) -> LastPod | None:
    """The last pod of three tiers where it has fewer nodes than the others; None of any other fabric."""
    wiring, begins = fabric.wiring, (fabric.pods - 1) * fabric.nodes_per_pod
    nodes = fabric.n_nodes - begins
    if fabric.tiers != 3 or fabric.pods < 2 or not 0 < nodes < fabric.nodes_per_pod:
        return None
    fed = nodes * fabric.nic_ports_per_node * fabric.endpoint_rate_gbit_s
    links = fabric.n_components * wiring.columns * wiring.last_spines * wiring.last_spine_up
    return LastPod(begins, nodes, Fraction(fed, links * fabric.uplink_rate_gbit_s))


class Paths(NamedTuple):
    """Ways between two leaves: fewest over all pairs.

    ``shortest`` counts paths through different switches (parallel links are one path), ``disjoint`` how many shortest
    paths fit that share no link. 0 is no path up and down at all: routing would have to go down and up again.
    """

    switches: int
    shortest: int
    disjoint: int

    def answer(self) -> LeafPaths:
        """The paths as they are answered."""
        return LeafPaths(switches=self.switches, shortest_paths=self.shortest, disjoint_paths=self.disjoint)


def paths_in_group(fabric: SizedFabric) -> Paths | None:
    """Paths between leaves that share spines; None where no group has two leaves."""
    found = [_pair_in_group(group) for group in groups_of(fabric) if group.leaves > 1]
    return _fewest(3, found)


def paths_across_groups(fabric: SizedFabric) -> Paths | None:
    """Paths over cores; None where there is one group."""
    groups = groups_of(fabric) if fabric.tiers == 3 else ()
    found = []
    for number, (a, b) in enumerate(product(groups, groups)):
        is_same = number % (len(groups) + 1) == 0
        if a.n < 2 if is_same else a.first > b.first:
            continue
        is_even = a.is_even and b.is_even and not is_uneven(fabric)
        found.append(_even_pair(fabric, a, b) if is_even else _uneven_pair(fabric, a, b, is_same))
    return _fewest(5, found)


def diameter_switches(fabric: SizedFabric) -> int:
    """Switches on the longest of the shortest paths between two endpoints of one component."""
    across, within = paths_across_groups(fabric), paths_in_group(fabric)
    if across is not None:
        return 5 if across.shortest else 7  # down to a leaf that has the spine, and up again
    return 3 if within is not None else 1


def paths_of(fabric: SizedFabric) -> result.Paths:
    """``paths`` of a fabric in the Estimate."""
    within, across = paths_in_group(fabric), paths_across_groups(fabric)
    return result.Paths(
        diameter_switches=diameter_switches(fabric),
        same_group=within.answer() if within else None,
        other_group=across.answer() if across else None,
    )


def oversubscription_of(fabric: SizedFabric, asked: str) -> Oversubscription:
    """Oversubscription asked for and built, as exact integers with the float beside; of rails with leaves of their own, too."""
    devices, built, worst = devices_of(fabric), fabric.built_ratio, fabric.worst_leaf_ratio
    return Oversubscription(
        asked=asked,
        built=ratio_text(built),
        built_ratio=float(built),
        worst_leaf=ratio_text(worst),
        worst_leaf_ratio=float(worst),
        spine_built=ratio_text(fabric.spine_ratio),
        rails=[RailRatio(rail=k, **_ratio(fabric, mask)) for k, mask in _kinds(devices.rail[devices.of(LEAF)])],
        planes=[PlaneRatio(plane=k, **_ratio(fabric, mask)) for k, mask in _kinds(devices.plane[devices.of(LEAF)])],
    )


def _kinds(numbers: IntArray) -> Iterator[tuple[int, npt.NDArray[np.bool_]]]:
    for number in sorted(set(numbers.tolist()) - {0}):
        yield number, numbers == number


class _Built(TypedDict):
    leaves: int
    built: str
    built_ratio: float


def _ratio(fabric: SizedFabric, leaves: npt.NDArray[np.bool_]) -> _Built:
    fed, up = int(fabric.leaf_fed_gbit_s[leaves].sum()), int(fabric.leaf_up[leaves].sum()) * fabric.uplink_rate_gbit_s
    ratio = Fraction(fed, up) if up else Fraction(1)
    return {"leaves": int(leaves.sum()), "built": ratio_text(ratio), "built_ratio": float(ratio)}


# ---------------------------------------------------------------- pairs of leaves


def _fewest(switches: int, found: list[tuple[int, int]]) -> Paths | None:
    if not found:
        return None
    return Paths(switches, min(shortest for shortest, _ in found), min(disjoint for _, disjoint in found))


def _pair_in_group(group: Group) -> tuple[int, int]:
    """A leaf's links start where those of the leaf before stopped, so a pair depends on how far apart its leaves are."""
    if group.is_even:
        return group.spines, group.uplinks
    first, others = group.links[:1], group.links[1:]
    shared = ((first > 0) & (others > 0)).sum(axis=1)
    return int(shared.min()), int(np.minimum(first, others).sum(axis=1).min())


def is_uneven(fabric: SizedFabric) -> bool:
    """True where sets of spines are not alike, or some spine has not as many links to every core of its group."""
    wiring, sets = fabric.wiring, len(fabric.wiring.cores)
    groups = groups_of(fabric)
    return len(set(wiring.cores)) > 1 or any(
        group.spines % sets or group.spine_up % cores for group in groups for cores in wiring.cores
    )


def _even_pair(fabric: SizedFabric, a: Group, b: Group) -> tuple[int, int]:
    """Over every set of spines: any spine of a's, any core of the group, any spine of b's."""
    sets, cores = len(fabric.wiring.cores), fabric.wiring.cores[0]
    flows = [group.spines // sets * min(group.uplinks // group.spines, group.spine_up) for group in (a, b)]
    return a.spines * b.spines // sets * cores, sets * min(flows)


def _uneven_pair(fabric: SizedFabric, a: Group, b: Group, is_same: bool) -> tuple[int, int]:
    """As ``_even_pair`` where links go round: spine j of every group meets core group j, from where the one before
    stopped, so that two groups share cores by how many links lie between them."""
    sizes = fabric.wiring.cores
    n_sets = min(a.spines, b.spines)
    from_a, from_b = a.links[:, None, :n_sets], b.links[None, :, :n_sets]
    both = (from_a > 0) & (from_b > 0)
    best: tuple[int, int] | None = None
    for shared, links in _shared_cores(fabric, a, b, is_same, tuple(sizes[:n_sets])):
        shortest = int((both * shared).sum(axis=2).min())
        disjoint = int(np.minimum(np.minimum(from_a, from_b), links).sum(axis=2).min())
        best = (shortest, disjoint) if best is None else (min(best[0], shortest), min(best[1], disjoint))
    if best is None:
        raise ValueError("a pair of groups of which there is no pair")
    return best


def _shared_cores(
    fabric: SizedFabric, a: Group, b: Group, is_same: bool, sizes: tuple[int, ...]
) -> list[tuple[IntArray, IntArray]]:
    """(cores shared, links to shared cores at the thinner end) of each set, once for every pair of groups that differs."""
    full_up = fabric.wiring.spine_up
    seen: dict[bytes, tuple[IntArray, IntArray]] = {}
    start_b = [b.first * full_up + k * b.spine_up for k in range(b.n)]
    start_a = [a.first * full_up + k * a.spine_up for k in range(1 if is_same else a.n)]
    for here, there in product(start_a, start_b[1:] if is_same else start_b):
        by_size = {size: _overlap(size, (here, a.spine_up), (there, b.spine_up)) for size in set(sizes)}
        shared, links = (np.array([by_size[size][part] for size in sizes]) for part in (0, 1))
        seen[shared.tobytes() + links.tobytes()] = shared, links
    return list(seen.values())


def _overlap(cores: int, a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    """Cores that two spines share, and links to them, each spine with (links before its own, its links)."""
    number = np.arange(cores)
    one, other = ((up - (number - start) % cores + cores - 1) // cores for start, up in (a, b))
    return int(((one > 0) & (other > 0)).sum()), int(np.minimum(one, other).sum())
