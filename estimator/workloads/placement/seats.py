"""Which GPUs a part's ranks take: nodes in order, and in each as many GPUs as whole tensor-parallel groups fill.

A group that fits into a scale-up domain never crosses one: with tp 3, six of a node's eight GPUs are used. Larger units
(experts, context, a whole worker) are kept together in the same way where the design has nodes enough.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm

import numpy as np

from estimator.errors import Problem, SpecError
from estimator.units import IntArray, ceil_div, counted
from estimator.workloads.placement.machine import Machine
from estimator.workloads.placement.request import Parallel, Part


@dataclass(frozen=True)
class Filling:
    """GPUs that are used: the same ones of every node, and the first nodes of every domain.

    ``unit`` ranks are kept inside a domain; 1 where a tensor-parallel group is larger than one.
    """

    unit: int
    gpus: IntArray  # of a node, (n_gpus_used,)
    domain_nodes: int
    nodes_used: int  # of each domain

    @property
    def block_ranks(self) -> int:
        """Ranks of a domain, or of a node where domains are within it."""
        return len(self.gpus) * self.nodes_used

    def n_nodes(self, n_ranks: int) -> int:
        """Nodes from the first to the last used one, if a domain starts at the first."""
        blocks, rest = divmod(n_ranks, self.block_ranks)
        if rest:
            return int(blocks * self.domain_nodes + ceil_div(rest, len(self.gpus)))
        return int((blocks - 1) * self.domain_nodes + self.nodes_used)


@dataclass(frozen=True)
class Seats:
    """Node and local GPU of every rank of a part, shape (n_ranks,)."""

    filling: Filling
    node: IntArray
    gpu: IntArray

    @property
    def next_node(self) -> int:
        """The first node that is free after these."""
        return int(self.node[-1]) + 1


def filling_of(machine: Machine, unit: int) -> Filling | None:
    """The most GPUs of every node and domain that whole units fill, as many of every node; None where none do."""
    inside, nodes = machine.node_domain_gpus, machine.domain_nodes
    per_node = machine.gpus_per_node // inside
    if unit <= inside and nodes == 1:
        used = inside // unit * unit
        gpus = (np.arange(per_node)[:, None] * inside + np.arange(used)).ravel()
        return Filling(unit, gpus, 1, 1)
    if nodes == 1 or unit > machine.domain_gpus:
        return None
    pairs = [(each, _whole_units(each, nodes, unit)) for each in range(1, machine.gpus_per_node + 1)]
    each, many = max(pairs, key=lambda pair: (pair[0] * pair[1], pair[0]))
    return Filling(unit, np.arange(each), nodes, many) if many else None


def _whole_units(each: int, nodes: int, unit: int) -> int:
    """Most nodes of a domain whose ``each`` GPUs are whole units."""
    step = unit // np.gcd(unit, each)
    return int(nodes // step * step)


def units_of(part: Part) -> list[int]:
    """Ranks worth keeping in one domain, the most first; the last is what must not be parted."""
    of = part.degrees
    if isinstance(of, Parallel):
        experts = of.ep * of.experts_tp if of.ep > 1 else 1
        wanted = [lcm(of.tp * of.cp, experts), lcm(of.tp, experts), of.tp * of.cp, of.tp]
    else:
        wanted = [of.n_ranks, of.stage_ranks, of.tp]
    return list(dict.fromkeys(wanted))


def seats_of(machine: Machine, parts: Sequence[Part], first_node: int = 0) -> list[Seats]:
    """Seats of every part, one after the other on whole nodes.

    Raises
    ------
    SpecError
        If the design has too few nodes, with how many are needed and a layout that fits.
    """
    chosen = [_filling(machine, part, 0) for part in parts]
    if (seats := _seated(machine, parts, chosen, first_node)) is not None:
        return seats
    # nodes do not suffice for all that is wished for: what must not be parted is kept together, and no more
    for wish in range(1, 4):
        chosen = [_filling(machine, part, wish) for part in parts]
        if (seats := _seated(machine, parts, chosen, first_node)) is not None:
            return seats
    raise SpecError([_too_large(machine, parts, chosen, first_node)])


def _filling(machine: Machine, part: Part, wish: int) -> Filling:
    """The filling of a part's ``wish``-th unit of those that fit into a domain; all GPUs where none does."""
    found = [filling for unit in units_of(part) if (filling := filling_of(machine, unit))]
    all_gpus = Filling(1, np.arange(machine.gpus_per_node), machine.domain_nodes, machine.domain_nodes)
    return found[min(wish, len(found) - 1)] if found else all_gpus


def _seated(machine: Machine, parts: Sequence[Part], chosen: Sequence[Filling], first_node: int) -> list[Seats] | None:
    """Seats of all parts; None where the nodes end before the ranks."""
    out, start = [], first_node
    for part, filling in zip(parts, chosen, strict=True):
        start = _start(filling, start, part.n_ranks)
        if start + filling.n_nodes(part.n_ranks) > machine.n_nodes:
            return None
        out.append(_seats(filling, part.n_ranks, start))
        start = out[-1].next_node
    return out


def _start(filling: Filling, node: int, n_ranks: int) -> int:
    """The node itself where a domain starts there or its rest holds all ranks, else the next domain's first."""
    before = node % filling.domain_nodes
    rest = filling.domain_nodes - before
    needed = filling.n_nodes(n_ranks)
    return node if not before or (needed <= rest and needed <= filling.nodes_used) else node + rest


def _seats(filling: Filling, n_ranks: int, start: int) -> Seats:
    rank, each = np.arange(n_ranks, dtype=np.int64), len(filling.gpus)
    block, inside = np.divmod(rank, filling.block_ranks)
    node, local = np.divmod(inside, each)
    return Seats(filling, start + block * filling.domain_nodes + node, filling.gpus[local])


def _too_large(machine: Machine, parts: Sequence[Part], chosen: Sequence[Filling], first_node: int) -> Problem:
    n_ranks = sum(part.n_ranks for part in parts)
    each = ", ".join(f"{len(filling.gpus)} of {machine.gpus_per_node}" for filling in chosen)
    needed = first_node
    for part, filling in zip(parts, chosen, strict=True):
        needed = _start(filling, needed, part.n_ranks) + filling.n_nodes(part.n_ranks)
    kept = (
        f"with {each} GPUs of a node used, so that no tensor-parallel group is parted, "
        if n_ranks <= machine.n_gpus
        else ""
    )
    before = f" from node {first_node + 1} on" if first_node else ""
    message = (
        f"The layout has {counted(n_ranks, 'rank')} and needs {counted(needed, 'node')}{before} {kept}"
        f"and the design has {counted(machine.n_nodes, 'node')} of {machine.gpus_per_node} GPUs ({machine.n_gpus:,}). "
        "Lower dp, workers or replicas, take a tensor-parallel size that divides a node, or enlarge the design."
    )
    return Problem("", "layout_too_large", message)
