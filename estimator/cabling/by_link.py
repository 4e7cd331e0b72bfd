"""A fabric cabled link by link: lengths of every link, one medium for links whose cages are tied, stock lengths, counts.

Both fibres of a twin-port transceiver are of one kind. Where links of a cage end in different cages, a chain of cages ties many
links together: these take one medium by block (scalable unit; leaves and spines that meet; component), chosen for
the longest link of the block. Where both cages carry one link, or all links of a cage end in one cage, or one upper cage
ties single-port ends, the medium is chosen by link, by pair of cages, or by upper cage.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from estimator.cabling.breakouts import breakout_problems
from estimator.cabling.ends import Side, TierEnds, shared_cages
from estimator.cabling.keys import cable_of_links, cage_of_links, first_of, longest_by
from estimator.cabling.media import Choice, choose_each, options_of
from estimator.cabling.problems import fits_of, mixed_cages, refusal, shared_cages_by_link, what_is_missing
from estimator.cabling.runs import BY_DEFAULT, BY_PLAN, BY_REQUEST, CablePlan, LinkCabling, Plugs, Run, TierCabling
from estimator.cabling.set_lengths import HandSet, hand_set
from estimator.cabling.tiers import FABRIC_MANAGER, LEAF_LEAF, NODE_LEAF, SPINE_CORE, TIER_NAMES
from estimator.catalog.catalog import Catalog
from estimator.catalog.records import Cable
from estimator.errors import InfeasibleDesign, Problem
from estimator.fabric.devices import LEAF, MANAGER, MANAGER_PORTS, NODE, SPINE
from estimator.fabric.sized import SizedFabric, rows_by_rail
from estimator.fabric.topology import LinkTable, link_table, panels_of
from estimator.spec.design import DesignSpec
from estimator.units import BoolArray, Column, IntArray

if TYPE_CHECKING:
    from estimator.floor.plan import FloorPlan

_SLIVER_DM = np.float32(1e-3)  # float32 lengths of whole decimetres stay what they are
_DM_PER_M = 10
_CM_PER_M, _SLIVER_CM = np.float32(100), np.float32(0.1)


@dataclass(frozen=True, slots=True)
class _Tier:
    """One tier while it is cabled: its rows of the table, and decisions link by link.

    ``pick`` is an index into ``choices`` (-1: nothing fits), None where all links have the first or only one; ``asked_dm``
    is the length of every link and ``piece_dm`` that of its cable, both rounded up. [dm]
    """

    ends: TierEnds
    table: LinkTable
    rows: slice
    choices: tuple[Choice | None, ...]
    pick: Column | None
    asked_dm: Column
    piece_dm: Column

    def among(self, number: int) -> Any:
        """The links (a slice or a mask) that run over one of the choices."""
        return slice(None) if self.pick is None else self.pick == number


def cabled_by_link(
    spec: DesignSpec,
    fabric: SizedFabric,
    catalog: Catalog,
    role: str,
    all_ends: Sequence[TierEnds],
    table: LinkTable | None = None,
    floor: "FloorPlan | None" = None,
) -> CablePlan:
    """The plan of a fabric whose links differ in length; see ``plan.cable_plan``."""
    table = table or link_table(fabric, panels_of(spec, fabric, catalog))
    by_hand = hand_set(spec, catalog, role, table)
    lengths_m = _lengths(catalog, all_ends, table, by_hand, floor)
    n_links = len(table)
    links = LinkCabling(
        np.empty(n_links, np.int32), lengths_m, np.empty(n_links, np.int16), by_hand.is_set if by_hand else None
    )
    tiers = [_decide(ends, table, lengths_m, by_hand, catalog) for ends in all_ends]
    met = list(shared_cages(all_ends))
    if any((near.tier, far.tier) == (NODE_LEAF, FABRIC_MANAGER) for near, far, _ in met):
        tiers = _managers_follow(tiers, by_hand, catalog)
    _refuse(tiers, catalog)
    cages = _Cages({ends.upper.kind for ends, _, _ in met})
    in_port_order = sorted(
        tiers, key=lambda tier: TIER_NAMES.index(tier.ends.tier)
    )  # a shared cage counts to the first
    counted = {tier.ends.tier: _counted(tier, cages, links, catalog) for tier in in_port_order}
    if cages.mixed:
        raise InfeasibleDesign(cages.mixed)
    blocked = (*breakout_problems(fabric, catalog), *cages.shared)
    next_run, next_cable = 0, 1
    for tier in tiers:
        cabling, run, cable = counted[tier.ends.tier]
        links.run[tier.rows] = run + next_run
        links.cable[tier.rows] = cable + next_cable
        next_run += len(cabling.runs)
        next_cable += cabling.n_cables + sum(one.n_links for one in cabling.runs if one.choice is None)
    return CablePlan(tuple(counted[tier.ends.tier][0] for tier in tiers), blocked, (), links, floor)


def _lengths(
    catalog: Catalog, all_ends: Sequence[TierEnds], table: LinkTable, by_hand: HandSet | None, floor: "FloorPlan | None"
) -> npt.NDArray[np.float32]:
    """Length requested of every link: by hand, else of the tier, else of the floor plan, else the catalog's default."""
    lengths_m = np.empty(len(table), np.float32) if floor is None else floor.link_lengths_m(table)
    for ends in all_ends:
        rows = table.rows(TIER_NAMES.index(ends.tier))
        if ends.length_m is not None:
            lengths_m[rows] = ends.length_m
        elif floor is None:
            lengths_m[rows] = catalog.default_lengths[ends.tier].length_m
        else:
            lengths_m[rows] = np.ceil(lengths_m[rows] * _CM_PER_M - _SLIVER_CM) / _CM_PER_M  # as lists print them
    if by_hand:
        lengths_m[by_hand.is_set] = by_hand.length_m[by_hand.is_set]
    return lengths_m


# ---------------------------------------------------------------- which medium


def _decide(
    ends: TierEnds, table: LinkTable, lengths_m: npt.NDArray[np.float32], by_hand: HandSet | None, catalog: Catalog
) -> _Tier:
    """The choice for every link. Where all lengths of a tier lead to one choice, no grouping is needed."""
    rows = table.rows(TIER_NAMES.index(ends.tier))
    asked_dm = np.ceil(lengths_m[rows] * np.float32(_DM_PER_M) - _SLIVER_DM).astype(np.int32)
    if by_hand is not None and by_hand.medium[rows].any():
        return _decide_by_medium(ends, table, rows, asked_dm, by_hand.medium[rows], catalog)
    options, chosen, seen = _options(ends, asked_dm, ends.question.medium, catalog)
    taken = np.unique(chosen).tolist()
    choices = tuple(options[option] if option >= 0 else None for option in taken)
    if len(choices) == 1:
        return _with_pieces(_Tier(ends, table, rows, choices, None, asked_dm, asked_dm))
    group = _tied(*_groups(ends, table, rows), ends, table, rows)
    # one entry a decimetre: a floor has some hundred lengths, and a fabric millions of links
    by_length = np.zeros(int(seen[-1]) + 1, np.int16)
    by_length[seen] = np.searchsorted(taken, chosen)
    pick = by_length[asked_dm] if group is None else by_length[longest_by(group, asked_dm)][group]
    return _with_pieces(_Tier(ends, table, rows, choices, pick, asked_dm, asked_dm))


def _decide_by_medium(
    ends: TierEnds, table: LinkTable, rows: slice, asked_dm: Column, medium_of: Column, catalog: Catalog
) -> _Tier:
    """The choice for every link where some links have a medium of their own."""
    group, is_cage = _groups(ends, table, rows)
    longest_dm = asked_dm if group is None else longest_by(group, asked_dm)[group]
    if group is not None and is_cage:
        medium_of = longest_by(group, medium_of)[group]  # one link's medium is that of its cage
    choices: list[Choice | None] = []
    pick = np.empty(len(asked_dm), np.int16)
    for code in np.flatnonzero(np.bincount(medium_of)).tolist():
        among = medium_of == code
        medium = HandSet.MEDIA[code] if code else ends.question.medium
        options, chosen, seen = _options(ends, longest_dm[among], medium, catalog)
        taken = np.unique(chosen).tolist()
        by_length = np.zeros(int(seen[-1]) + 1, np.int16)
        by_length[seen] = np.searchsorted(taken, chosen) + len(choices)
        choices += [options[option] if option >= 0 else None for option in taken]
        pick[among] = by_length[longest_dm[among]]
    return _with_pieces(_Tier(ends, table, rows, tuple(choices), pick, asked_dm, asked_dm))


def _managers_follow(tiers: list[_Tier], by_hand: HandSet | None, catalog: Catalog) -> list[_Tier]:
    """The tiers with fabric managers' links over the medium of the node links of their leaf, where that reaches.

    Both end in one cage of the leaf, which holds one transceiver. A medium set manually stays.
    """
    by_tier = {tier.ends.tier: tier for tier in tiers}
    nodes, managers = by_tier[NODE_LEAF], by_tier[FABRIC_MANAGER]
    if by_hand is not None and by_hand.medium[managers.rows].any():
        return tiers
    table = managers.table
    fiber = [HandSet.MEDIA.index(c.medium) if c and c.upper_module else 0 for c in nodes.choices]
    of_leaf = np.zeros(len(table.devices), np.int16)
    of_leaf[table.b_device[nodes.rows]] = fiber[0] if nodes.pick is None else np.array(fiber, np.int16)[nodes.pick]
    medium = of_leaf[table.b_device[managers.rows]]
    followed = _decide_by_medium(managers.ends, table, managers.rows, managers.asked_dm, medium, catalog)
    if None in followed.choices:
        return tiers
    return [followed if tier is managers else tier for tier in tiers]


def _options(
    ends: TierEnds, lengths_dm: Column, medium: str, catalog: Catalog
) -> tuple[tuple[Choice, ...], IntArray, IntArray]:
    """What may join the cages of a tier, and for each length that occurs (the last array, in dm) which one does."""
    options = options_of(catalog, replace(ends.question, medium=medium))
    seen = np.flatnonzero(np.bincount(lengths_dm))
    return options, choose_each(options, ends.question.vendor, seen / _DM_PER_M), seen


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


def _tied(group: Column | None, is_cage: bool, ends: TierEnds, table: LinkTable, rows: slice) -> Column | None:
    """Groups that meet in a cage at either end, as one: both links of a cage have one medium."""
    if group is None or not is_cage:
        return group
    from scipy.sparse import coo_array  # takes long to load, and few designs need it
    from scipy.sparse.csgraph import connected_components

    # the links of one cage may end in two cages, whose other links end in a third: a chain is a part of this graph
    others = [
        cage_of_links(table, rows, end) for end, side in (("a", ends.lower), ("b", ends.upper)) if side.cage.links > 1
    ]
    *starts, size = np.cumsum([int(part.max()) + 1 for part in (group, *others)])
    a = np.tile(group, len(others))
    b = np.concatenate([other + start for other, start in zip(others, starts, strict=True)])
    graph = coo_array((np.ones(len(a), np.int8), (a, b)), shape=(size, size))
    _, label = connected_components(graph, directed=False)
    tied: Column = label[group]
    return tied


def _blocks(tier: str, table: LinkTable, rows: slice) -> Column:
    """The block of every link: unit of the node, leaves and spines that meet, or component of the spine."""
    fabric, first = table.fabric, table.devices.first
    if tier == NODE_LEAF:
        node = table.a_device[rows]
        if fabric.hosts or not fabric.wiring.unit_nodes:
            return np.zeros(len(node), np.int32)
        unit: Column = rows_by_rail(fabric.wiring, node.astype(np.int64))[0].astype(np.int32)
        return unit
    if tier in (FABRIC_MANAGER, LEAF_LEAF):
        return table.b_device[rows] - np.int32(first[LEAF])
    is_lower = tier == SPINE_CORE
    spine = (table.a_device if is_lower else table.b_device)[rows] - np.int32(first[SPINE])
    number = np.arange(fabric.n_spine, dtype=np.int32)
    of_spine: Column = number // max(fabric.n_spine // fabric.n_components, 1)
    if not is_lower and fabric.tiers == 3:
        of_spine = _groups_of_spines(table)
    block: Column = of_spine[spine]
    return block


def _groups_of_spines(table: LinkTable) -> Column:
    """Number of the group (component, column and pod) of every spine of three tiers: the spines that meet its leaves."""
    wiring, fabric = table.fabric.wiring, table.fabric
    in_column = [wiring.spines] * (wiring.pods - 1) + [wiring.last_spines or wiring.spines]
    sizes = np.array(in_column * (wiring.columns * fabric.n_components))
    return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)


def _with_pieces(tier: _Tier) -> _Tier:
    """The tier with the length of every link's cable: that of the longest of the links that share it. [dm]"""
    piece = tier.asked_dm
    for i, choice in enumerate(tier.choices):
        if choice and choice.links_per_cable > 1:
            mine = tier.among(i)
            key = cable_of_links(tier.table, tier.rows, choice)[mine]
            piece = piece.copy()
            piece[mine] = longest_by(key, piece[mine])[key]
    return replace(tier, piece_dm=piece)


def _refuse(tiers: Sequence[_Tier], catalog: Catalog) -> None:
    """Refuse what the request's own medium or grade cannot join."""
    found = []
    for tier in tiers:
        if None in tier.choices:
            lost = tier.asked_dm[tier.among(tier.choices.index(None))]
            found.append(refusal(catalog, tier.ends, int(lost.max()) / _DM_PER_M, len(lost)))
    problems = [problem for problem in found if problem]
    if problems:
        raise InfeasibleDesign(problems)


# ---------------------------------------------------------------- counts


class _Cages:
    """What sits in the cages of every kind of device, as tier after tier fills them; ``met`` are kinds where tiers meet."""

    def __init__(self, met: set[str]) -> None:
        self._met = met
        self._held: dict[str, Column] = {}
        self._plugs: dict[tuple[str, int], int] = {}
        self.mixed: list[Problem] = []
        self.shared: list[Problem] = []

    def _plug(self, choice: Choice | None, is_upper: bool) -> int:
        """A number for the plug that a choice puts in a cage; negative where a cage of it takes no other tier's link."""
        module = (choice.upper_module if is_upper else choice.lower_module) if choice else None
        if choice is None or module is None or choice.links_per_cable > 1:
            name = (f"{choice.cable.id} {'up' if is_upper else 'down'}" if choice else "", 0)
            return -self._plugs.setdefault(name, len(self._plugs) + 1)
        return self._plugs.setdefault((module.id, 1), len(self._plugs) + 1)

    def fill(self, tier: _Tier, side: Side, is_upper: bool, run: Column, runs: "_Runs") -> tuple[Column, Column]:
        """Fill the cages of one side: (device from the first of its kind, run of its first link) of each newly filled."""
        table, end = tier.table, "b" if is_upper else "a"
        width, first = _cage_slots(table, side.kind), np.int32(table.devices.first[side.kind])
        key = (getattr(table, f"{end}_device")[tier.rows] - first) * np.int32(width)
        key += getattr(table, f"{end}_cage")[tier.rows]
        run_of_cage = np.full(table.devices.n[side.kind] * width, -1, np.int16)
        run_of_cage[key[::-1]] = run[::-1]  # of the links of a cage the first one is written last and stays
        plug_of_run = np.array([self._plug(choice, is_upper) for choice, _ in runs], np.int16)
        if len(set(plug_of_run.tolist())) > 1:
            unlike = plug_of_run[run_of_cage[key]] != plug_of_run[run]
            if unlike.any():
                n_cages = int(np.count_nonzero(np.bincount(key[unlike])))
                self.mixed.append(mixed_cages(tier.ends, side, n_cages))
        filled = np.flatnonzero(run_of_cage >= 0)
        of_cage = run_of_cage[filled]
        new = (
            self._hold(tier, side, filled, plug_of_run[of_cage], len(run_of_cage))
            if side.kind in self._met
            else slice(None)
        )
        return filled[new] // width, of_cage[new]

    def _hold(self, tier: _Tier, side: Side, filled: Column, own: Column, n_slots: int) -> BoolArray:
        """The cages that no link of another tier fills already with an alike plug."""
        held = self._held.setdefault(side.kind, np.zeros(n_slots, np.int32))
        before = held[filled]
        alike = (before == own) & (own > 0)
        unlike = (before != 0) & ~alike
        if unlike.any():
            self.shared.append(shared_cages_by_link(tier.ends, side, int(np.count_nonzero(unlike))))
        held[filled] = np.where(before != 0, before, own)
        return ~alike


def _cage_slots(table: LinkTable, kind: str) -> int:
    """Cages that a device of a kind may fill at most."""
    fabric = table.fabric
    if kind == NODE:
        return sum(group.ports for group in fabric.hosts.groups) if fabric.hosts else fabric.nic_ports_per_node
    return MANAGER_PORTS if kind == MANAGER else int(getattr(fabric, f"{kind}_radix"))


_Runs = list[tuple[Choice | None, float]]  # choice and stock length of each


def _counted(tier: _Tier, cages: _Cages, links: LinkCabling, catalog: Catalog) -> tuple[TierCabling, Column, Column]:
    """The tier's cabling, and the run and the cable (both from 0) of every link."""
    run, runs, n_links = _runs(tier)
    cable, opens = _cables(tier)
    n_cables = n_links if opens is None else np.bincount(run[opens], minlength=len(runs))
    is_set = links.is_set[tier.rows] if links.is_set is not None else None
    n_set = np.zeros_like(n_links) if is_set is None else np.bincount(run[is_set], minlength=len(runs))
    sides: list[tuple[Plugs, ...]] = []
    n_cages: list[IntArray] = []
    for side, is_upper in ((tier.ends.upper, True), (tier.ends.lower, False)):
        device, of_cage = cages.fill(tier, side, is_upper, run, runs)
        sides.append(tuple(_plugs(tier, side, device, of_cage, is_upper, runs)))
        n_cages.append(np.bincount(of_cage, minlength=len(runs)))
    made = tuple(
        Run(
            tier.ends.tier,
            choice,
            length_m,
            int(n_links[i]),
            int(n_cables[i]) * choice.cables_per_link if choice else 0,
            int(n_cages[0][i]),
            int(n_cages[1][i]),
            int(n_set[i]),
            None if choice else what_is_missing(catalog, tier.ends, length_m),
            fits_of(catalog, tier.ends, choice) if choice else (None, None),
        )
        for i, (choice, length_m) in enumerate(runs)
    )
    source = BY_PLAN if tier.ends.length_m is None else BY_DEFAULT if tier.ends.is_default_length else BY_REQUEST
    shortest, mean, longest = (
        float(value) / _DM_PER_M for value in (tier.asked_dm.min(), tier.asked_dm.mean(), tier.asked_dm.max())
    )
    cabling = TierCabling(
        tier=tier.ends.tier,
        runs=made,
        upper=sides[0],
        lower=sides[1],
        shortest_m=shortest,
        mean_m=mean,
        longest_m=longest,
        length_from=source,
        panels=tier.ends.question.panels,
        is_cage_assumed=tier.ends.is_assumed,
    )
    return cabling, run, cable


def _runs(tier: _Tier) -> tuple[Column, _Runs, IntArray]:
    """Run of every link, all runs (by choice, then by stock length), and the links of each."""
    runs: _Runs = []
    width = int(tier.piece_dm.max()) + 1
    key = tier.piece_dm if tier.pick is None else tier.pick * np.int32(width) + tier.piece_dm
    n_links = np.bincount(key, minlength=len(tier.choices) * width)
    lookup = np.zeros(n_links.shape, np.int16)
    for i, choice in enumerate(tier.choices):
        seen = np.flatnonzero(n_links[i * width : (i + 1) * width])
        if not len(seen):
            continue
        if choice is None:
            lookup[seen + i * width] = len(runs)
            runs.append((None, int(seen[-1]) / _DM_PER_M))
            continue
        stocked, number = np.unique(choice.stocked_m(seen / _DM_PER_M), return_inverse=True)
        lookup[seen + i * width] = number + len(runs)
        runs += [(choice, float(length)) for length in stocked]
    return lookup[key], runs, np.bincount(lookup, n_links).astype(np.int64)


def _cables(tier: _Tier) -> tuple[Column, BoolArray | None]:
    """Cable of every link, from 0, and the links that a cable begins with; None if all do."""
    n = len(tier.asked_dm)
    shared = [(i, choice) for i, choice in enumerate(tier.choices) if choice and choice.links_per_cable > 1]
    per_link = [choice.cables_per_link if choice else 1 for choice in tier.choices]
    if not shared and len(set(per_link)) == 1:
        return np.arange(0, n * per_link[0], per_link[0], dtype=np.int32), None
    weight = np.full(n, per_link[0], np.int32) if tier.pick is None else np.array(per_link, np.int32)[tier.pick]
    opener = np.arange(n)
    for i, choice in shared:
        mine = np.arange(n)[tier.among(i)]
        if not len(mine):
            continue  # every link it would do for shares a cage or cable with a longer one
        key = cable_of_links(tier.table, tier.rows, choice)[mine]
        first = mine[first_of(key, int(key.max()) + 1)[key]]
        opener[mine] = first
        weight[mine] = first == mine
    return (np.cumsum(weight) - weight)[opener], weight > 0


def _plugs(tier: _Tier, side: Side, device: Column, of_cage: Column, is_upper: bool, runs: _Runs) -> Iterator[Plugs]:
    """Like plugs of one side by device; nodes and managers all as one."""
    n = tier.table.devices.n[side.kind]
    kinds: dict[tuple[str | None, float], tuple[Cable | None, list[int]]] = {}
    for number, (choice, _) in enumerate(runs):
        module = (choice.upper_module if is_upper else choice.lower_module) if choice else None
        watts = (choice.upper_plug_w if is_upper else choice.lower_plug_w) if choice else 0.0
        kinds.setdefault((module.id if module else None, watts), (module, []))[1].append(number)
    kind_of_run = np.zeros(len(runs), np.int16)
    for number, (_, numbers) in enumerate(kinds.values()):
        kind_of_run[numbers] = number
    key = device if len(kinds) == 1 else device * len(kinds) + kind_of_run[of_cage]
    counts = np.bincount(key, minlength=n * len(kinds)).reshape(n, len(kinds))
    if side.kind in (NODE, MANAGER):
        counts = counts.sum(axis=0, keepdims=True)
    for number, ((_, watts), (module, _)) in enumerate(kinds.items()):
        yield Plugs(module, watts, counts[:, number])
