"""What a design has left after one device, link or transceiver is lost, and after the worst two switches: exact fractions.

Devices of one kind are alike, so a few of them stand for all (``_leaf_places`` … choose those whose loss is worst); what
their loss leaves is counted by losses.py. Every figure is the worst over all losses of its kind.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import comb, prod

import numpy as np

from estimator.cost.result import ExpectedFailures
from estimator.fabric.ratios import Group
from estimator.fabric.sized import SizedFabric
from estimator.fabric.structure import Structure
from estimator.fabric.topology import Panels, leaf_uplink_cages, seats_in_node_order
from estimator.findings.losses import Left, Loss, left_after
from estimator.findings.result import Failures
from estimator.findings.result import Loss as LossLeft
from estimator.units import IntArray, ceil_div, ratio_text

LEAF, SPINE, CORE = "leaf", "spine", "core"
_LEAVES_TRIED = 12  # of a group whose leaves may be cut off one by one: they differ by the nodes on them
PAIRS = ((LEAF, LEAF), (SPINE, SPINE), (LEAF, SPINE), (CORE, CORE), (LEAF, CORE), (SPINE, CORE))


@dataclass(frozen=True)
class Outcome:
    """What is left after a loss; fractions are of what there was, None where the fabric has no such links.

    ``leaf_uplinks`` and ``spine_uplinks`` are those of the worst switch that is left, the others sums over the fabric, one
    rail of one plane, or one plane.
    """

    lost: str
    n: int
    left: Left
    leaf_uplinks: Fraction | None = None
    spine_uplinks: Fraction | None = None
    uplinks: Fraction | None = None
    rail_uplinks: Fraction | None = None
    plane_uplinks: Fraction | None = None
    core_links: Fraction | None = None

    def answer(self, ports: int, worst_leaf: Fraction) -> LossLeft:
        """The outcome as it is answered: fractions as two integers, 15:16 for fifteen sixteenths.

        ``ports`` are those of a node, ``worst_leaf`` the ratio of the fullest leaf while nothing is lost.
        """
        return LossLeft(
            lost=self.lost,
            n=self.n,
            endpoints_cut_off=self.left.endpoints_cut_off,
            nodes_cut_off=self.left.nodes_cut_off,
            node_ports_left=_text(Fraction(self.left.node_ports, ports)),
            leaf_uplinks_left=_text(self.leaf_uplinks),
            worst_leaf=ratio_text(worst_leaf / self.leaf_uplinks) if self.leaf_uplinks else None,
            spine_uplinks_left=_text(self.spine_uplinks),
            uplinks_left=_text(self.uplinks),
            rail_uplinks_left=_text(self.rail_uplinks),
            plane_uplinks_left=_text(self.plane_uplinks),
            core_links_left=_text(self.core_links),
            islands=self.left.islands,
            stops_job=self.left.endpoints_cut_off > 0,
            all_reduce_goes_on=self.left.nodes_cut_off == 0,
        )


def _text(fraction: Fraction | None) -> str | None:
    return None if fraction is None else ratio_text(fraction)


def failures_of(
    fabric: SizedFabric, panels: Panels, nics_per_node: int, expected: ExpectedFailures | None = None
) -> Failures:
    """``failures`` of the Estimate: ``one`` loss of each kind, ``two`` switches of each pair of kinds, and how often."""
    structure = Structure(fabric)
    known: dict[Loss, Left] = {}
    one = [
        *_at_nodes(structure, panels, nics_per_node),
        *_between_switches(structure, panels),
        *_switches(structure, 1, known),
    ]
    two = _switches(structure, 2, known)
    ports, ratio = fabric.nic_ports_per_node, fabric.worst_leaf_ratio
    return Failures(
        one=[outcome.answer(ports, ratio) for outcome in one],
        two=[outcome.answer(ports, ratio) for outcome in two],
        expected=expected,
    )


# ---------------------------------------------------------------- nodes' own links


def _at_nodes(structure: Structure, panels: Panels, nics_per_node: int) -> Iterator[Outcome]:
    """A NIC, one link of a node, the transceiver in a node's cage, and that in a leaf's cage towards nodes."""
    fabric = structure.fabric
    ports = fabric.nic_ports_per_node
    full = _nothing_lost(fabric)
    for lost, each, n in (
        ("node-nic", min(ceil_div(ports, max(nics_per_node, 1)), ports), fabric.n_nodes * min(nics_per_node, ports)),
        ("node-link", 1, fabric.links_node_leaf),
        ("node-module", min(panels.node, ports), fabric.n_nodes * int(ceil_div(ports, panels.node))),
    ):
        if lost == "node-module" and panels.node == 1:
            continue
        gone = each == ports
        yield replace(full, lost=lost, n=n, left=Left(each, int(gone), ports if gone else ports - each, 1))
    seats = panels.leaf * fabric.endpoints_per_port
    if seats > 1:
        yield replace(
            full,
            lost="leaf-module-to-nodes",
            n=_cages(fabric.leaf_down, panels.leaf),
            left=_leaf_module(structure, seats),
        )


def _leaf_module(structure: Structure, seats: int) -> Left:
    """The worst cage of a leaf: runs of neighbouring seats that are of one node and in one cage."""
    fabric, wiring = structure.fabric, structure.fabric.wiring
    ports = fabric.nic_ports_per_node
    if wiring.rails_a_leaf:
        seat = np.arange(int(fabric.leaf_endpoints.max()))
        node, cage = seat // wiring.rails_a_leaf, seat // seats
    else:
        rows, seat = seats_in_node_order(fabric)
        node = np.repeat(np.arange(len(rows)), rows.shape[1])
        cage = (rows * (int(seat.max()) // seats + 1) + seat // seats).ravel()
    starts = np.flatnonzero(np.concatenate([[True], (np.diff(node) > 0) | (np.diff(cage) > 0)]))
    lengths = np.diff(np.append(starts, len(node)))
    whole = np.bincount(cage[starts[lengths == ports]], minlength=1).max(initial=0)
    part = int(lengths[lengths < ports].max(initial=0))
    return Left(min(seats, int(fabric.leaf_endpoints.max())), int(whole), ports - part, 1)


def _cages(ports: IntArray, links: int) -> int:
    return int(ceil_div(ports, links).sum())


def _nothing_lost(fabric: SizedFabric) -> Outcome:
    one = Fraction(1)
    above = one if fabric.tiers > 1 else None
    has_rail = fabric.layout == "rail-only" or fabric.wiring.rails_a_leaf == 1
    top = one if fabric.tiers == 3 else None
    return Outcome(
        "", 0, Left(0, 0, fabric.nic_ports_per_node, 1), above, top, above, above if has_rail else None, above, top
    )


# ---------------------------------------------------------------- links and transceivers between switches


def _between_switches(structure: Structure, panels: Panels) -> Iterator[Outcome]:
    """One link, and the transceiver at each of its ends, with all links that it carries."""
    fabric = structure.fabric
    if fabric.tiers > 1:
        up = fabric.leaf_uplinks
        cages = leaf_uplink_cages(fabric, panels)
        yield _leaf_spine(structure, "leaf-spine-link", _runs_up(structure, np.arange(up)), fabric.links_leaf_spine)
        if (panels.leaf_up or panels.leaf) > 1:
            yield _leaf_spine(
                structure, "leaf-module-to-spines", _runs_up(structure, cages), fabric.n_leaf * len(_together(cages))
            )
        if panels.spine > 1:
            yield _leaf_spine(
                structure,
                "spine-module-to-leaves",
                _runs_down(structure, panels.spine),
                _cages(fabric.spine_down, panels.spine),
            )
    if fabric.tiers == 3:
        yield _spine_core(structure, "spine-core-link", _ups_of_spines(structure, 1), fabric.links_spine_core)
        if panels.spine > 1:
            n = (
                sum(
                    len(_together(structure.up_ports(kind, panels.spine) // panels.spine)) * kind.spines * kind.n
                    for kind in structure.groups
                )
                * fabric.n_components
            )
            yield _spine_core(structure, "spine-module-to-cores", _ups_of_spines(structure, panels.spine), n)
        if panels.core > 1:
            chosen = structure.first_cores()
            runs = [run for core in chosen for run in _ups_of_core(structure, core, panels.core)]
            n = len(runs) * (fabric.n_core // len(chosen))
            yield _spine_core(structure, "core-module", runs, n)


# (leaf, spine) of links lost together, by place in a group of this kind
Run = tuple[Group, tuple[tuple[int, int], ...]]


def _runs_up(structure: Structure, cages: IntArray) -> list[Run]:
    """Links of one leaf that share a cage: every cage of the first leaf, or of each leaf where leaves differ."""
    alike = _together(cages)
    runs: list[Run] = []
    for kind in structure.groups:
        is_firm = structure.is_firm and len(max(alike, key=len)) < kind.uplinks  # else a cage cuts its leaf off
        tried = (1 if is_firm else _LEAVES_TRIED) if kind.is_even else max(kind.spines, _LEAVES_TRIED)
        for leaf in range(min(kind.leaves, tried)):
            spines = _spines_of_leaf(kind, leaf).tolist()
            some = [max(alike, key=len)] if kind.is_even and is_firm else alike
            runs += [(kind, tuple((leaf, spines[link]) for link in links)) for links in some]
    return runs


def _together(cages: IntArray) -> list[list[int]]:
    """Numbers of the links of each cage."""
    ends = np.flatnonzero(np.diff(cages)) + 1
    return [part.tolist() for part in np.split(np.arange(len(cages)), ends)]


def _spines_of_leaf(kind: Group, leaf: int) -> IntArray:
    uplinks = np.arange(kind.uplinks)
    spines: IntArray = (
        uplinks // (kind.uplinks // kind.spines) if kind.is_even else (leaf * kind.uplinks + uplinks) % kind.spines
    )
    return spines


def _runs_down(structure: Structure, links: int) -> list[Run]:
    """Links of one spine that share a cage: every cage of the first spine, or of each spine where spines differ."""
    runs: list[Run] = []
    for kind in structure.groups:
        for spine in range(1 if kind.is_even else kind.spines):
            leaves = _leaves_of_spine(kind, spine)
            parts = (leaves[start : start + links].tolist() for start in range(0, len(leaves), links))
            runs += [(kind, tuple((leaf, spine) for leaf in part)) for part in parts]
    return runs


def _leaves_of_spine(kind: Group, spine: int) -> IntArray:
    """Leaf behind each used port of a spine, in order of ports."""
    links = kind.leaves * kind.uplinks
    if kind.is_even:
        return np.repeat(np.arange(kind.leaves), kind.uplinks // kind.spines)
    turns: IntArray = np.arange(spine, links, kind.spines) // kind.uplinks
    return turns


def _leaf_spine(structure: Structure, lost: str, runs: list[Run], n: int) -> Outcome:
    """The worst of some runs of leaf-spine links that are lost together."""
    fabric = structure.fabric
    of_leaf = of_rail = most = 0
    worst, rails = _nothing_lost(fabric), _rails_of_group(structure)
    is_sure = structure.is_firm and all(len(run) < fabric.leaf_uplinks for _, run in runs)
    cuts: set[tuple[int, frozenset[tuple[int, int]]]] = set()
    for kind, run in runs:
        most = max(most, len(run))
        of_leaf = max(of_leaf, *Counter(leaf for leaf, _ in run).values())
        of_rail = max(of_rail, *Counter(leaf % rails for leaf, _ in run).values())
        gone = frozenset() if is_sure else frozenset(pair for pair in set(run) if run.count(pair) == kind.links[pair])
        if gone:
            cuts.add((kind.first, gone))
    left = [left_after(structure, _placed(structure, group, gone)) for group, gone in sorted(cuts, key=str)]
    return replace(
        worst,
        lost=lost,
        n=n,
        left=_worst([worst.left, *left]),
        leaf_uplinks=1 - Fraction(of_leaf, fabric.leaf_uplinks),
        **_shares(structure, most, of_rail),
    )


def _rails_of_group(structure: Structure) -> int:
    return structure.fabric.wiring.columns if structure.fabric.tiers == 2 else 1


def _placed(structure: Structure, group: int, gone: frozenset[tuple[int, int]]) -> Loss:
    """Pairs by place in a group → by index in the first component."""
    return Loss(
        pairs=frozenset(
            (structure.leaf_at(0, group, leaf), structure.spine_at(0, group, spine)) for leaf, spine in gone
        )
    )


def _shares(structure: Structure, lost: int, lost_of_rail: int) -> dict[str, Fraction | None]:
    """Leaf-spine links left of the fabric, of a rail and of a plane."""
    fabric, wiring = structure.fabric, structure.fabric.wiring
    total = fabric.links_leaf_spine
    by_rail = fabric.layout == "rail-only" or wiring.rails_a_leaf == 1
    of_rail = wiring.rows * (1 if wiring.rails_a_leaf else wiring.columns) * fabric.leaf_uplinks
    return {
        "uplinks": 1 - Fraction(lost, total),
        "rail_uplinks": 1 - Fraction(lost_of_rail, of_rail) if by_rail else None,
        "plane_uplinks": 1 - Fraction(lost, total // fabric.planes),
    }


UpRun = tuple[tuple[int, int], ...]  # (spine, core) of links lost together, by index in the first component


def _spine_core(structure: Structure, lost: str, runs: list[UpRun], n: int) -> Outcome:
    """The worst of some runs of spine-core links that are lost together."""
    fabric, is_sure = structure.fabric, structure.is_firm
    most, shares = 0, {(0, 1)}
    worst, ups = _nothing_lost(fabric), fabric.spine_up.tolist()
    left = [worst.left]
    for run in runs:
        most = max(most, len(run))
        shares |= {(gone, ups[spine]) for spine, gone in Counter([spine for spine, _ in run]).items()}
        cut = frozenset() if is_sure else frozenset(p for p in set(run) if run.count(p) == structure.links_up(*p))
        if cut:
            left.append(left_after(structure, Loss(ups=cut)))
    return replace(
        worst,
        lost=lost,
        n=n,
        left=_worst(left),
        spine_uplinks=1 - max(Fraction(*share) for share in shares),
        core_links=1 - Fraction(most, fabric.links_spine_core),
    )


def _ups_of_spines(structure: Structure, links: int) -> list[UpRun]:
    """Links of one spine that share a cage: of a spine of each kind and set, of every spine where they differ."""
    runs: list[UpRun] = []
    for spine in structure.chosen_spines():
        cores = structure.cores_of_spine(spine).tolist()
        kind = structure.kind_of_group(structure.group_of_spine(spine)[1])
        parts = _together(structure.up_ports(kind, links) // links)
        some = [max(parts, key=len)] if structure.is_firm and not structure.is_uneven else parts
        runs += [tuple((spine, cores[link]) for link in part) for part in some]
    return runs


def _ups_of_core(structure: Structure, core: int, links: int) -> list[UpRun]:
    """Links of one core that share a cage."""
    spines = structure.spines_of_core(core).tolist()
    parts = (spines[at : at + links] for at in range(0, len(spines), links))
    runs = (tuple((spine, core) for spine in part if spine >= 0) for part in parts)
    return [run for run in runs if run]


# ---------------------------------------------------------------- switches


def _switches(structure: Structure, count: int, known: dict[Loss, Left]) -> Iterator[Outcome]:
    """One switch of each kind, or two of each pair of kinds; ``known`` are losses already counted."""
    fabric = structure.fabric
    n = {LEAF: fabric.n_leaf, SPINE: fabric.n_spine, CORE: fabric.n_core}
    chosen: tuple[tuple[str, ...], ...] = ((LEAF,), (SPINE,), (CORE,)) if count == 1 else PAIRS
    for kinds in chosen:
        if any(n[kind] < kinds.count(kind) for kind in kinds):
            continue
        n_leaf, n_spine, n_core = (kinds.count(kind) for kind in (LEAF, SPINE, CORE))
        ways = prod(comb(n[kind], kinds.count(kind)) for kind in set(kinds))
        losses = list(_chosen(structure, n_leaf, n_spine, n_core))
        known |= {loss: left_after(structure, loss) for loss in losses if loss not in known}
        yield replace(
            _capacity(structure, n_leaf, n_spine, n_core),
            lost="+".join(kinds),
            n=ways,
            left=_worst([_nothing_lost(fabric).left, *(known[loss] for loss in losses)]),
        )


def _worst(found: list[Left]) -> Left:
    """Each figure at its worst."""
    return Left(
        max(left.endpoints_cut_off for left in found),
        max(left.nodes_cut_off for left in found),
        min(left.node_ports for left in found),
        max(left.islands for left in found),
    )


def _chosen(structure: Structure, n_leaf: int, n_spine: int, n_core: int) -> Iterator[Loss]:
    """Losses among which the worst of each figure is."""
    leaves = structure.chosen_leaves(n_leaf) if n_leaf else [()]
    if (n_spine or n_core) and structure.is_firm:
        yield from (Loss(leaves=some) for some in leaves if some)
        return
    spines = list(combinations(structure.chosen_spines(wide=True), n_spine))
    cores = list(combinations(structure.chosen_cores(), n_core))
    for some in leaves:
        for spine in spines:
            yield from (Loss(some, spine, core) for core in cores)


@dataclass(frozen=True)
class _Scope:
    """Leaf-spine links of the fabric, of one plane, or of one rail in it.

    ``per_spine`` are those that go with each spine, ``shared`` the fewest of them that some leaf of the scope has: losing
    that leaf too takes so many less.
    """

    links: int
    n_leaves: int
    per_spine: IntArray
    shared: IntArray

    def left(self, n_leaf: int, n_spine: int, uplinks: int) -> Fraction:
        """Share left after the worst leaves and spines."""
        top = np.sort(self.per_spine)[::-1]
        lost = min(n_leaf, self.n_leaves) * uplinks + int(top[:n_spine].sum())
        if n_leaf and n_spine:
            lost = int((self.per_spine - self.shared).max()) + uplinks
        return 1 - Fraction(lost, self.links)


def _capacity(structure: Structure, n_leaf: int, n_spine: int, n_core: int) -> Outcome:
    """Links left after switches are lost; figures of connectivity are still those of the whole fabric."""
    fabric = structure.fabric
    out = _nothing_lost(fabric)
    if fabric.tiers == 1:
        return out
    uplinks, planes = fabric.leaf_uplinks, fabric.planes
    everything = _scope_of_all(structure)
    in_plane = replace(
        everything,
        links=everything.links // planes,
        n_leaves=fabric.n_leaf // planes,
        per_spine=everything.per_spine[: fabric.n_spine // planes],
        shared=_shared(structure, fabric.n_components // planes)[: fabric.n_spine // planes],
    )
    rails = [scope.left(n_leaf, n_spine, uplinks) for scope in _rails(structure)]
    out = replace(
        out,
        uplinks=everything.left(n_leaf, n_spine, uplinks),
        plane_uplinks=in_plane.left(n_leaf, n_spine, uplinks),
        rail_uplinks=min(rails) if rails else None,
        leaf_uplinks=1 - max(_of_worst_leaf(structure, kind, n_leaf, n_spine) for kind in structure.groups),
    )
    if fabric.tiers == 3:
        out = replace(
            out,
            core_links=1 - Fraction(_core_links_lost(structure, n_spine, n_core), fabric.links_spine_core),
            spine_uplinks=1 - _of_worst_spine(structure, n_spine, n_core),
        )
    return out


def _of_worst_leaf(structure: Structure, kind: Group, n_leaf: int, n_spine: int) -> Fraction:
    """Share of its uplinks that some leaf, not itself lost, loses with the spines."""
    if structure.fabric.n_leaf <= n_leaf:
        return Fraction(0)
    spines = min(n_spine, kind.spines)
    lost = spines * (kind.uplinks // kind.spines) + min(spines, kind.uplinks % kind.spines)
    return Fraction(lost, kind.uplinks)


def _scope_of_all(structure: Structure) -> _Scope:
    fabric = structure.fabric
    return _Scope(fabric.links_leaf_spine, fabric.n_leaf, fabric.spine_down, _shared(structure, fabric.n_components))


def _shared(structure: Structure, components: int) -> IntArray:
    """Fewest links that some leaf of so many components has to each spine: none where there is a leaf of another group."""
    if components * structure.n_groups > 1:
        return np.zeros(structure.fabric.n_spine, dtype=np.int64)
    least: IntArray = structure.groups[0].links.min(axis=0)
    return least


def _rails(structure: Structure) -> Iterator[_Scope]:
    """Rails of one plane that differ, where leaves serve one rail each."""
    fabric, wiring = structure.fabric, structure.fabric.wiring
    per = structure.spines_a_component
    if fabric.layout == "rail-only":
        yield _Scope(
            fabric.links_leaf_spine // fabric.n_components,
            wiring.rows * wiring.columns,
            fabric.spine_down[:per],
            _shared(structure, 1)[:per],
        )
    elif wiring.rails_a_leaf == 1:
        links = wiring.rows * fabric.leaf_uplinks
        if fabric.tiers == 3:
            in_column = per // wiring.columns
            shared = np.zeros(in_column, np.int64) if wiring.pods > 1 else structure.groups[0].links.min(axis=0)
            yield _Scope(links, wiring.rows, fabric.spine_down[:in_column], shared)
            return
        by_rail = structure.groups[0].links.reshape(wiring.rows, wiring.columns, -1)
        for column in range(1 if structure.groups[0].is_even else wiring.columns):
            yield _Scope(links, wiring.rows, by_rail[:, column].sum(axis=0), by_rail[:, column].min(axis=0))


def _of_worst_spine(structure: Structure, n_spine: int, n_core: int) -> Fraction:
    """Share of its uplinks that some spine, not itself lost, loses with the cores."""
    worst = Fraction(0)
    sets = len(structure.fabric.wiring.cores)
    for kind in structure.groups:
        for number in range(min(sets, kind.spines)):
            size = structure.fabric.wiring.cores[number]
            cores = min(n_core, size)
            lost = cores * (kind.spine_up // size) + min(cores, kind.spine_up % size)
            if structure.fabric.n_spine > n_spine:
                worst = max(worst, Fraction(lost, kind.spine_up))
    return worst


def _core_links_lost(structure: Structure, n_spine: int, n_core: int) -> int:
    fabric = structure.fabric
    if n_spine and n_core and fabric.n_components == 1:
        return max(_with_a_core(structure, kind, number) for kind, number in _spine_kinds(structure))
    spines, cores = np.sort(fabric.spine_up)[::-1], np.sort(fabric.core_down)[::-1]
    return int(spines[:n_spine].sum()) + int(cores[:n_core].sum())


def _spine_kinds(structure: Structure) -> Iterator[tuple[Group, int]]:
    sets = len(structure.fabric.wiring.cores)
    for kind in structure.groups:
        for number in range(min(sets, kind.spines)):
            yield kind, number


def _with_a_core(structure: Structure, kind: Group, number: int) -> int:
    """Most links that go with a spine of a set and a core: of another set, or of its own, where some go with both."""
    fabric, sizes = structure.fabric, structure.fabric.wiring.cores
    of_set = np.repeat(np.arange(len(sizes)), sizes)
    other = int(fabric.core_down[of_set != number].max(initial=0))
    own = fabric.core_down[of_set == number]
    most = other
    if own.max() > other:
        first = sum(sizes[:number])
        for group in range(kind.first, kind.first + kind.n):
            met = structure.cores_of_spine(structure.spine_at(0, group, number)) - first
            most = max(most, int((own - np.bincount(met, minlength=len(own))).max()))
    return kind.spine_up + most
