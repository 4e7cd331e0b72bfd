"""A layout on a design: the seat of every rank, its groups, and the level of links at which each group's ranks meet."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from estimator.errors import Problem, SpecError
from estimator.units import BoolArray, IntArray
from estimator.workloads.paths.groups import Groups, groups_of
from estimator.workloads.placement.grid import Kind, grids_of, kinds_of
from estimator.workloads.placement.machine import LEVELS, Machine
from estimator.workloads.placement.request import DEFAULT, Part, PlacementRequest, in_order, parts_of
from estimator.workloads.placement.seats import Seats, seats_of


@dataclass(frozen=True)
class Places:
    """Where ranks are, columns of shape (n_ranks,): numbers of node, GPU in it, domain, leaf group and pod."""

    node: IntArray
    gpu: IntArray
    domain: IntArray
    leaf: IntArray
    pod: IntArray
    rail: IntArray


@dataclass(frozen=True)
class Crossing:
    """Groups of one kind, columns of shape (n_groups,), as ``paths.groups`` counts them.

    ``level`` is an index of LEVELS: the closest one that holds all ranks of the group. ``domain_ranks`` is the most ranks
    that one domain has of it, ``domains_apart`` how many domains on the group's next one is. ``one_rail`` says that all
    ranks have NICs on the same rail, so that no message between them changes rails.
    """

    kind: str
    n_ranks: int
    level: IntArray
    domain_ranks: IntArray
    domains_apart: IntArray
    one_rail: BoolArray

    @property
    def n_groups(self) -> int:
        """Groups of the kind."""
        return len(self.level)

    @property
    def farthest(self) -> str:
        """The level that the farthest of the groups needs."""
        return LEVELS[int(self.level.max())]

    def n_at(self) -> dict[str, int]:
        """Groups by level, those without any left out."""
        counts = np.bincount(self.level, minlength=len(LEVELS)).tolist()
        return {level: n for level, n in zip(LEVELS, counts, strict=True) if n}

    def groups(self) -> Groups:
        """The groups as the model of collectives takes them."""
        return groups_of(self.n_ranks, self.domain_ranks, self.domains_apart)


@dataclass(frozen=True)
class PlacedPart:
    """One part's ranks on their seats."""

    part: Part
    seats: Seats
    machine: Machine

    @cached_property
    def places(self) -> Places:
        """Places of its ranks."""
        node, gpu, machine = self.seats.node, self.seats.gpu, self.machine
        return Places(node, gpu, machine.domain_of(node, gpu), machine.leaf[node], machine.pod[node], machine.rail[gpu])

    @cached_property
    def kinds(self) -> list[Kind]:
        """Its groups of more than one rank."""
        return kinds_of(self.part)

    @cached_property
    def crossings(self) -> list[Crossing]:
        """What its groups cross, kind by kind."""
        return [crossing_of(kind, self.places) for kind in self.kinds]

    @cached_property
    def coordinates(self) -> dict[str, IntArray]:
        """Index of every rank along each axis; those of experts where they are other ranks' than the dense layers'."""
        dense, experts = grids_of(self.part)
        of_experts = experts.coordinates() if self.part.degrees.ep > 1 else {}
        return dense.coordinates() | {axis: column for axis, column in of_experts.items() if axis not in dense.sizes}

    @property
    def ranks_per_node(self) -> int:
        """Ranks of a full node."""
        return min(len(self.seats.filling.gpus), self.part.n_ranks)

    @cached_property
    def nodes(self) -> IntArray:
        """Nodes that have ranks, in order of their ranks."""
        return np.unique(self.seats.node)

    @cached_property
    def ranks_of_nodes(self) -> IntArray:
        """Ranks of each of ``nodes``."""
        return np.unique(self.seats.node, return_counts=True)[1]

    @property
    def is_even(self) -> bool:
        """Whether every node has as many ranks."""
        return bool((self.ranks_of_nodes == self.ranks_per_node).all())


@dataclass(frozen=True)
class Placed:
    """A whole request on a design."""

    request: PlacementRequest
    machine: Machine
    parts: list[PlacedPart]
    order: str

    @property
    def n_ranks(self) -> int:
        """GPUs in use."""
        return sum(placed.part.n_ranks for placed in self.parts)

    @cached_property
    def nodes(self) -> IntArray:
        """Nodes in use, in order."""
        return np.concatenate([placed.nodes for placed in self.parts])


def crossing_of(kind: Kind, places: Places) -> Crossing:
    """Levels of a kind's groups, by the columns of their ranks' places."""
    ranks = kind.ranks
    domain = np.sort(places.domain[ranks], axis=1)
    n_groups, n_ranks = ranks.shape
    starts = np.diff(domain, axis=1, prepend=domain[:, :1] - 1) > 0
    run = np.cumsum(starts.ravel()) - 1  # runs of one domain within one group, numbered through
    sizes = np.bincount(run)
    most = np.zeros(n_groups, dtype=np.int64)
    np.maximum.at(most, np.repeat(np.arange(n_groups), starts.sum(axis=1)), sizes)
    n_domains = starts.sum(axis=1)
    apart = np.where(n_domains > 1, (domain[:, -1] - domain[:, 0]) // np.maximum(n_domains - 1, 1), 1)
    level = np.full(n_groups, len(LEVELS) - 1)
    for index, column in reversed(list(enumerate((places.domain, places.node, places.leaf, places.pod)))):
        members = column[ranks]
        level[(members == members[:, :1]).all(axis=1)] = index
    rail = places.rail[ranks]
    return Crossing(kind.name, n_ranks, level, most, apart, (rail == rail[:, :1]).all(axis=1))


def placed_on(machine: Machine, request: PlacementRequest, order: str = DEFAULT) -> Placed:
    """A checked request on a design, with ranks in this order.

    Raises
    ------
    SpecError
        If the design is too small for it.
    """
    if request.first_node > machine.n_nodes:
        message = f"The design has {machine.n_nodes:,} nodes, and the first to be used is {request.first_node:,}."
        raise SpecError([Problem("first_node", "out_of_range", f"{message} Give a number up to {machine.n_nodes:,}.")])
    parts = in_order(parts_of(request), order)
    seats = seats_of(machine, parts, request.first_node - 1)
    placed = [PlacedPart(part, seat, machine) for part, seat in zip(parts, seats, strict=True)]
    return Placed(request, machine, placed, order)
