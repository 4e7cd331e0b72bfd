"""A fabric cabled link by link: lengths of every link, one medium for links whose cages are tied, stock lengths, counts.

Both fibres of a twin-port module are of one kind. Where links of a cage end in different cages, a chain of cages ties many
links together: these take one medium by block (scalable unit; leaves and spines that meet; component), chosen for
the longest link of the block. Where both cages carry one link, or all links of a cage end in one cage, or one upper cage
ties single-port ends, the medium is chosen by link, by pair of cages, or by upper cage.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from estimator.cable_runs import (
    BY_DEFAULT,
    BY_PLAN,
    BY_REQUEST,
    TIER_NAMES,
    CablePlan,
    LinkCabling,
    Plugs,
    Run,
    TierCabling,
)
from estimator.catalog.loader import Catalog
from estimator.errors import InfeasibleDesign, Problem
from estimator.link_keys import cable_of_links, cage_of_links, first_of, longest_by
from estimator.media import Choice, choose_each, options_of
from estimator.media_problems import mixed_cages, refusal, shared_cages_by_link, what_is_missing
from estimator.set_lengths import HandSet, hand_set
from estimator.tier_ends import FABRIC_MANAGER, NODE_LEAF, SPINE_CORE, Side, TierEnds
from estimator.topology import LinkTable, link_table, panels_of
from estimator.units import IntArray

if TYPE_CHECKING:
    from estimator.fabric import SizedFabric
    from estimator.spec import DesignSpec

Column = npt.NDArray[np.integer[Any]]
_SLIVER_DM = 1e-3  # float32 lengths of whole decimetres stay what they are
_DM_PER_M = 10
_UPPER, _LOWER = ("b", "upper"), ("a", "lower")


@dataclass(frozen=True, slots=True)
class _Tier:
    """One tier while it is cabled: its rows of the table, and decisions link by link.

    ``pick`` is an index into ``choices`` (-1: nothing fits), ``asked_dm`` the length of every link and ``piece_dm`` that of
    its cable, both rounded up. [dm]
    """

    ends: TierEnds
    table: LinkTable
    rows: slice
    choices: tuple[Choice, ...]
    pick: Column
    asked_dm: Column
    piece_dm: Column

    def column(self, name: str) -> Column:
        """A column of the table, of this tier."""
        column: Column = getattr(self.table, name)[self.rows]
        return column


def cabled_by_link(
    spec: "DesignSpec", fabric: "SizedFabric", catalog: Catalog, role: str, all_ends: Sequence[TierEnds],
    table: LinkTable | None = None,
) -> CablePlan:  # fmt: skip
    """The plan of a fabric whose links differ in length; see ``cabling.cable_plan``."""
    table = table or link_table(fabric, panels_of(spec, fabric, catalog))
    by_hand = hand_set(spec, catalog, role, table)
    lengths_m = _lengths(spec, catalog, all_ends, table, by_hand)
    n_links = len(table)
    links = LinkCabling(
        np.empty(n_links, np.int32), lengths_m, np.empty(n_links, np.int16), by_hand.is_set if by_hand else None
    )
    tiers = [_decide(ends, table, lengths_m, by_hand, catalog) for ends in all_ends]
    _refuse(tiers, catalog)
    panels = _Cages()
    made, next_run, next_cable = [], 0, 1
    for tier in tiers:
        cabling, run, cable = _counted(tier, panels, links, catalog)
        links.run[tier.rows] = run + next_run
        links.cable[tier.rows] = cable + next_cable
        next_run += len(cabling.runs)
        next_cable += cabling.n_cables + sum(run.n_links for run in cabling.runs if run.choice is None)
        made.append(cabling)
    if panels.mixed:
        raise InfeasibleDesign(panels.mixed)
    return CablePlan(tuple(made), tuple(panels.shared), (), links)


def _lengths(
    spec: "DesignSpec", catalog: Catalog, all_ends: Sequence[TierEnds], table: LinkTable, by_hand: HandSet | None
) -> npt.NDArray[np.float32]:
    """Length asked for of every link: by hand, else of the tier, else of the floor plan, else the catalog's default."""
    if spec.site.plan is not None and any(ends.length_m is None for ends in all_ends):
        from estimator.floor_plan import floor_plan

        lengths_m = floor_plan(spec, table, catalog).link_lengths_m(table).astype(np.float32)
    else:
        lengths_m = np.empty(len(table), np.float32)
    for ends in all_ends:
        if ends.length_m is not None:
            lengths_m[table.rows(TIER_NAMES.index(ends.tier))] = ends.length_m
    if by_hand:
        lengths_m[by_hand.is_set] = by_hand.length_m[by_hand.is_set]
    return lengths_m


# ---------------------------------------------------------------- which medium


def _decide(
    ends: TierEnds, table: LinkTable, lengths_m: npt.NDArray[np.float32], by_hand: HandSet | None, catalog: Catalog
) -> _Tier:
    rows = table.rows(TIER_NAMES.index(ends.tier))
    asked_dm = np.ceil(lengths_m[rows] * _DM_PER_M - _SLIVER_DM).astype(np.int32)
    group, is_cage = _groups(ends, table, rows)
    longest_dm = asked_dm if group is None else longest_by(group, asked_dm)[group]
    media: Column | None = by_hand.medium[rows] if by_hand else None
    if media is not None and group is not None and is_cage:
        media = longest_by(group, media)[group]  # one link's medium is that of its cage
    choices: list[Choice] = []
    pick = np.full(len(asked_dm), -1, np.int32)
    for medium, among in _by_medium(ends, media):
        options = options_of(catalog, replace(ends.question, medium=medium))
        seen = np.flatnonzero(np.bincount(longest_dm[among]))
        chosen = choose_each(options, ends.question.vendor, seen / _DM_PER_M)
        taken = np.unique(chosen[chosen >= 0])
        number = np.full(len(options) + 1, -1)  # the last one stands for none
        number[taken] = np.arange(len(taken)) + len(choices)
        choices += [options[i] for i in taken]
        by_length = np.zeros(int(longest_dm.max(initial=0)) + 1, np.int32)
        by_length[seen] = number[chosen]
        pick[among] = by_length[longest_dm[among]]
    tier = _Tier(ends, table, rows, tuple(choices), pick, asked_dm, asked_dm)
    return replace(tier, piece_dm=_pieces(tier))


def _by_medium(ends: TierEnds, media: Column | None) -> Iterator[tuple[str, Any]]:
    """Each medium asked for and the links (a slice or a mask) that it is asked for."""
    if media is None:
        yield ends.question.medium, slice(None)
        return
    for code in np.flatnonzero(np.bincount(media)).tolist():
        yield HandSet.MEDIA[code] if code else ends.question.medium, media == code


def _groups(ends: TierEnds, table: LinkTable, rows: slice) -> tuple[Column | None, bool]:
    """A number for each link, alike where links must share a medium, and whether that is one cage; None: each by itself."""
    upper, lower = ends.upper.cage.links, ends.lower.cage.links
    if upper == lower == 1:
        return None, False
    if ends.question.may_twin or upper == 1:
        return cage_of_links(table, rows, "a"), True
    if lower == 1:
        return cage_of_links(table, rows, "b"), True
    return _blocks(ends.tier, table, rows), False


def _blocks(tier: str, table: LinkTable, rows: slice) -> Column:
    """The block of every link: unit of the node, leaves and spines that meet, or component of the spine."""
    fabric, a, b = table.fabric, table.a_device[rows], table.b_device[rows]
    if tier == NODE_LEAF:
        unit = fabric.wiring.unit_nodes
        return a // np.int32(unit) if unit else np.zeros(len(a), np.int32)
    if tier == SPINE_CORE:
        first = table.devices.first["spine"]
        block: Column = (a - first) // np.int32(max(fabric.n_spine // fabric.n_components, 1))
        return block
    if tier == FABRIC_MANAGER:
        return b - b.min()
    return _meeting(a, b)


def _meeting(a: Column, b: Column) -> Column:
    """Block of every link: links whose devices meet, also by way of others, have the same one."""
    first, n = int(a.min()), int(b.max()) + 1
    block = np.arange(n - first, dtype=np.int32)
    a, b = a - first, b - first
    while True:
        low = np.minimum(block[a], block[b])
        before = block.copy()
        np.minimum.at(block, a, low)
        np.minimum.at(block, b, low)
        if (block == before).all():
            return block[a]


def _pieces(tier: _Tier) -> Column:
    """Length of the cable of every link: that of the longest of the links that share it. [dm]"""
    shared = [i for i, choice in enumerate(tier.choices) if choice.links_per_cable > 1]
    if not shared:
        return tier.asked_dm
    piece = tier.asked_dm.copy()
    for i in shared:
        mine = tier.pick == i
        key = cable_of_links(tier.table, tier.rows, tier.choices[i])[mine]
        piece[mine] = longest_by(key, piece[mine])[key]
    return piece


def _refuse(tiers: Sequence[_Tier], catalog: Catalog) -> None:
    """Refuse what the request's own medium or grade cannot join."""
    problems = []
    for tier in tiers:
        lost = tier.pick < 0
        if lost.any():
            longest_m = int(tier.asked_dm[lost].max()) / _DM_PER_M
            problems.append(refusal(catalog, tier.ends, longest_m, int(lost.sum())))
    found = [problem for problem in problems if problem]
    if found:
        raise InfeasibleDesign(found)


# ---------------------------------------------------------------- counts


class _Cages:
    """What sits in the cages of every kind of device, as tier after tier fills them."""

    def __init__(self) -> None:
        self._held: dict[str, Column] = {}
        self._plugs: dict[tuple[str, int], int] = {}
        self.mixed: list[Problem] = []
        self.shared: list[Problem] = []

    def plug(self, choice: Choice | None, is_upper: bool) -> int:
        """A number for the plug that a choice puts in a cage, and for how it is used; alike ones have the same."""
        if choice is None:
            return self._plugs.setdefault(("", 0), len(self._plugs) + 1)
        module = choice.upper_module if is_upper else choice.lower_module
        name = module.id if module else f"{choice.cable.id} {'up' if is_upper else 'down'}"
        return self._plugs.setdefault((name, choice.links_per_cable), len(self._plugs) + 1)

    def fill(self, tier: _Tier, side: Side, end: str, is_upper: bool) -> tuple[Column, Column, Column]:
        """Fill the cages of one side: (device from the first of its kind, pick, first link) of each cage newly filled."""
        table, devices = tier.table, tier.table.devices
        width = _cage_slots(table, side.kind)
        device = tier.column(f"{end}_device") - np.int32(devices.first[side.kind])
        key = device * np.int32(width) + tier.column(f"{end}_cage")
        size = devices.n[side.kind] * width
        first = first_of(key, size)
        filled = np.flatnonzero(first >= 0)
        first = first[filled]
        plugs = np.array([self.plug(choice, is_upper) for choice in (*tier.choices, None)])
        held = np.zeros(size, np.int32)
        held[filled] = plugs[tier.pick[first]]
        if len(tier.choices) > 1 and (unlike := held[key] != plugs[tier.pick]).any():
            self.mixed.append(mixed_cages(tier.ends, side, len(np.unique(key[unlike]))))
        before = self._held.setdefault(side.kind, np.zeros(size, np.int32))
        both = (before[filled] > 0) & (held[filled] > 0)
        is_straight = np.array([c.links_per_cable == 1 for c in tier.choices] + [False])[tier.pick[first]]
        alike = both & (before[filled] == held[filled]) & is_straight
        if (both & ~alike).any():
            self.shared.append(shared_cages_by_link(tier.ends, side, int((both & ~alike).sum())))
        before[filled] = np.where(before[filled] > 0, before[filled], held[filled])
        new = ~alike
        return filled[new] // width, tier.pick[first[new]], first[new]


def _cage_slots(table: LinkTable, kind: str) -> int:
    """Cages that a device of a kind may fill at most."""
    fabric = table.fabric
    if kind == "node":
        return fabric.nic_ports_per_node
    return 64 if kind == "manager" else int(getattr(fabric, f"{kind}_radix")) + 1


def _counted(tier: _Tier, cages: _Cages, links: LinkCabling, catalog: Catalog) -> tuple[TierCabling, Column, Column]:
    """The tier's cabling, and the run and the cable (both from 0) of every link."""
    run, runs_of = _runs(tier)
    cable, weight = _cables(tier)
    n_runs = len(runs_of)
    n_cables = np.bincount(run, weight, n_runs).astype(np.int64)
    n_links = np.bincount(run, minlength=n_runs)
    is_set = links.is_set[tier.rows] if links.is_set is not None else None
    n_set = np.bincount(run[is_set], minlength=n_runs) if is_set is not None else np.zeros(n_runs, np.int64)
    sides: dict[str, tuple[Plugs, ...]] = {}
    n_cages: dict[str, IntArray] = {}
    for (end, name), side in ((_UPPER, tier.ends.upper), (_LOWER, tier.ends.lower)):
        device, pick, first = cages.fill(tier, side, end, end == "b")
        sides[name] = tuple(_plugs(tier, side, device, pick, end == "b"))
        n_cages[name] = np.bincount(run[first], minlength=n_runs)
    lengths = tier.asked_dm / _DM_PER_M
    made = tuple(
        Run(tier.ends.tier, choice, length_m, int(n_links[i]), int(n_cables[i]) if choice else 0,
            int(n_cages["upper"][i]), int(n_cages["lower"][i]), int(n_set[i]),
            None if choice else what_is_missing(catalog, tier.ends, length_m))
        for i, (choice, length_m) in enumerate(runs_of)
    )  # fmt: skip
    source = BY_PLAN if tier.ends.length_m is None else BY_DEFAULT if tier.ends.is_default_length else BY_REQUEST
    cabling = TierCabling(
        tier=tier.ends.tier, runs=made, upper=sides["upper"], lower=sides["lower"], shortest_m=float(lengths.min()),
        mean_m=float(lengths.mean()), longest_m=float(lengths.max()), length_from=source,
        panels=tier.ends.question.panels, is_cage_assumed=tier.ends.is_assumed,
    )  # fmt: skip
    return cabling, run, cable


def _runs(tier: _Tier) -> tuple[Column, list[tuple[Choice | None, float]]]:
    """Run of every link, and (choice, stock length) of every run: by choice, then by length."""
    runs: list[tuple[Choice | None, float]] = []
    lookup = np.zeros((len(tier.choices) + 1, int(tier.piece_dm.max()) + 1), np.int32)  # the last row: nothing fits
    for i, choice in enumerate((*tier.choices, None)):
        mine = tier.piece_dm[tier.pick == i] if choice else tier.piece_dm[tier.pick < 0]
        if not len(mine):
            continue
        seen = np.flatnonzero(np.bincount(mine))
        if choice is None:
            lookup[i, seen] = len(runs)
            runs.append((None, int(seen[-1]) / _DM_PER_M))
            continue
        stocked, number = np.unique(choice.stocked_m(seen / _DM_PER_M), return_inverse=True)
        lookup[i, seen] = number + len(runs)
        runs += [(choice, float(length)) for length in stocked]
    if len(tier.choices) == 1 and len(runs) and runs[-1][0] is not None:
        return lookup[0][tier.piece_dm], runs
    return lookup[tier.pick, tier.piece_dm], runs


def _cables(tier: _Tier) -> tuple[Column, Column]:
    """Cable of every link, from 0, and how many cables begin with it."""
    n = len(tier.pick)
    per_link = np.array([c.cables_per_link for c in tier.choices] + [1], np.int32)
    weight = per_link[tier.pick]
    shared = [i for i, choice in enumerate(tier.choices) if choice.links_per_cable > 1]
    if not shared:
        return np.cumsum(weight) - weight, weight
    opener = np.arange(n)
    for i in shared:
        mine = np.flatnonzero(tier.pick == i)
        key = cable_of_links(tier.table, tier.rows, tier.choices[i])[mine]
        first = mine[first_of(key, int(key.max()) + 1)[key]]
        opener[mine] = first
        weight[mine] = first == mine
    return (np.cumsum(weight) - weight)[opener], weight


def _plugs(tier: _Tier, side: Side, device: Column, pick: Column, is_upper: bool) -> Iterator[Plugs]:
    """Like plugs of one side by device; nodes and managers all as one."""
    n = tier.table.devices.n[side.kind]
    as_one = side.kind in ("node", "manager")
    groups: dict[tuple[str | None, float], list[int]] = {}
    for i, choice in enumerate((*tier.choices, None)):
        module = (choice.upper_module if is_upper else choice.lower_module) if choice else None
        watts = (choice.upper_plug_w if is_upper else choice.lower_plug_w) if choice else 0.0
        groups.setdefault((module.id if module else None, watts), []).append(i if choice else -1)
    for (_, watts), numbers in groups.items():
        choice = tier.choices[numbers[0]] if numbers[0] >= 0 else None
        module = (choice.upper_module if is_upper else choice.lower_module) if choice else None
        counts = np.bincount(device[np.isin(pick, numbers)], minlength=n)
        if counts.any() or len(groups) == 1:
            yield Plugs(module, watts, np.array([counts.sum()]) if as_one else counts)
