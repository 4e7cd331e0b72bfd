"""Cables, transceivers and watts of candidates that differ in counts alone, in columns: what cabling/plan.py has one by one."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from estimator.cabling.ends import TierEnds, tier_ends
from estimator.cabling.media import Choice, choose
from estimator.cabling.plan import are_alike
from estimator.cabling.tiers import LEAF_SPINE, NODE_LEAF, SPINE_CORE
from estimator.catalog.catalog import Catalog
from estimator.fabric.columns import Sizing, downlinks_beside
from estimator.fabric.sized import SizedFabric, fabric_of
from estimator.fabric.topology import panels_of
from estimator.search.candidates import Batch
from estimator.search.columns.kinds import (
    LeafKinds,
    PortKinds,
    any_of,
    core_kinds,
    first_uplinks,
    leaf_kinds,
    leaf_ports,
    most_of,
    spine_kinds,
    spine_ports_down,
    whole_sums,
)
from estimator.spec.design import DesignSpec
from estimator.units import BoolArray, FloatArray, IntArray, ceil_div


@dataclass(frozen=True)
class Alike:
    """Candidates of one request and as many tiers, with their switches by kind; one of them is sized switch by switch."""

    batch: Batch
    spec: DesignSpec
    fabric: SizedFabric  # of the first
    leaves: LeafKinds
    spines: PortKinds
    cores: PortKinds

    @property
    def sizing(self) -> Sizing:
        """Counts, shape (n,)."""
        return self.batch.sizing

    def __len__(self) -> int:
        return len(self.batch.number)


def alike(batch: Batch) -> Iterator[Alike]:
    """A batch cut by request and number of tiers."""
    keys = batch.template * 4 + batch.sizing.tiers
    for key in np.unique(keys).tolist():
        yield of_one_kind(batch.take(np.flatnonzero(keys == key)))


def of_one_kind(batch: Batch) -> Alike:
    """Candidates of one request and one number of tiers."""
    spec, sizing = batch.templates[int(batch.template[0])].spec, batch.sizing
    leaves, spines, cores = leaf_kinds(sizing), spine_kinds(sizing), core_kinds(sizing)
    return Alike(batch, spec, fabric_of(sizing, 0, spec), leaves, spines, cores)


@dataclass(frozen=True)
class CabledTier:
    """One tier of candidates that take the same parts: pieces of each, and filled cages of the kinds of switches."""

    ends: TierEnds
    choice: Choice
    upper: IntArray  # transceivers or cable ends at the upper ends, shape (n,)
    lower: IntArray
    cables: IntArray
    upper_cages: IntArray  # of each kind of switch
    lower_cages: IntArray  # the same; of nodes: by design


@dataclass(frozen=True)
class Cabled:
    """Candidates with the same parts in every tier. ``is_blocked`` where two tiers share a cage and differ in it."""

    of: Alike
    tiers: tuple[CabledTier, ...]
    is_blocked: BoolArray

    def tier(self, name: str) -> CabledTier | None:
        """One tier, or None."""
        return next((one for one in self.tiers if one.ends.tier == name), None)


class Uncounted(Enum):
    """Why some candidates have no cabling in columns."""

    GAPS = "links to cores leave ports open for growth: cages follow single ports"
    NO_PART = "no part of the catalog joins a tier"


def cabled(found: Alike, catalog: Catalog) -> Iterator[tuple[IntArray, Cabled | Uncounted]]:
    """(rows, their cabling) of candidates with the same parts, or why they have none here."""
    ends = tier_ends(found.spec, found.fabric, catalog)
    twins = {end.tier: _may_twin(end, found, catalog) for end in ends}
    code = np.zeros(len(found), dtype=np.int64)
    for flags in twins.values():
        code = code * 2 + flags
    gaps = found.sizing.last_spine_up < found.sizing.last_spine_up_held
    code = np.where(gaps, -1, code)
    for value in np.unique(code).tolist():
        rows = np.flatnonzero(code == value)
        part = found if len(rows) == len(found) else of_one_kind(found.batch.take(rows))
        twin = {tier: bool(flags[rows[0]]) for tier, flags in twins.items()}
        questions = [replace(end, question=replace(end.question, may_twin=twin[end.tier])) for end in ends]
        choices = [choose(catalog, end.question, end.length_m or 0.0) for end in questions]
        chosen = [choice for choice in choices if choice]
        if value < 0 or len(chosen) < len(choices):
            yield rows, Uncounted.GAPS if value < 0 else Uncounted.NO_PART
        else:
            yield rows, _counted(part, questions, chosen, catalog)


def _may_twin(end: TierEnds, found: Alike, catalog: Catalog) -> BoolArray:
    """Where the links of a cage all end in one cage on the far side (cabling/ends.py)."""
    sizing, n = found.sizing, len(found)
    links = end.upper.cage.links
    if end.tier == NODE_LEAF:
        in_order = found.spec.fabric.layout == "top-of-rack" and found.spec.fabric.planes == 1
        odd = found.leaves.endpoints % end.lower.cage.links > 0
        return np.full(n, in_order) & ~any_of(found.leaves.of, odd, n)
    if end.tier == LEAF_SPINE:
        whole = _leaf_uplink_from(end, found, catalog) % end.lower.cage.links == 0
        for spines in (sizing.group_spines, sizing.last_group_spines):
            whole &= (spines == 0) | (sizing.uplinks % (np.maximum(spines, 1) * links) == 0)
        return whole
    whole = _spine_uplink_from(sizing, links) % links == 0
    for cores in _group_cores(sizing):
        a_cage = np.maximum(cores, 1) * links
        whole &= sizing.last_spine_up % a_cage == 0
        whole &= sizing.last_spine_up_held % a_cage == 0
        whole &= (sizing.pods < 2) | (sizing.spine_up % a_cage == 0)
    return whole


def _group_cores(sizing: Sizing) -> tuple[IntArray, IntArray]:
    """Cores of the largest and of the smallest core group of each design."""
    largest = sizing.cores_a_group
    total = sizing.n_core // sizing.asked.n_components
    smaller = sizing.core_groups - sizing.grown_last_spines
    rest = (total - sizing.grown_last_spines * largest) // np.maximum(smaller, 1)
    return largest, np.where(sizing.asked.uneven & (smaller > 0), rest, largest)


def _leaf_uplink_from(end: TierEnds, found: Alike, catalog: Catalog) -> IntArray:
    """First port of a leaf's uplinks (fabric/topology.py)."""
    sizing, fabric = found.sizing, found.fabric
    panels = panels_of(found.spec, fabric, catalog)
    if fabric.has_own_uplinks:
        first = downlinks_beside(sizing.uplinks, sizing.asked) + found.spec.fabric.reserved.leaf_ports
        own: IntArray = ceil_div(first, panels.leaf) * end.lower.cage.links
        return own
    used = most_of(found.leaves.of, found.leaves.endpoints, len(found))
    downlinks = np.maximum(used, sizing.leaves.downlinks)
    return first_uplinks(leaf_ports(sizing), sizing.uplinks, downlinks, panels.leaf)


def _spine_uplink_from(sizing: Sizing, links: int) -> IntArray:
    return first_uplinks(sizing.asked.spine_ports, sizing.spine_up_most, spine_ports_down(sizing), links)


# ---------------------------------------------------------------- counts


@dataclass
class _Tier:
    """One tier while it is counted: links in use, and the first link, of each kind of switch at both ends."""

    ends: TierEnds
    choice: Choice
    kinds: tuple[LeafKinds | PortKinds, LeafKinds | PortKinds | None]  # upper and lower; None for nodes
    used: tuple[IntArray, IntArray]
    first: tuple[IntArray, IntArray]
    cages: list[IntArray]


def _counted(found: Alike, ends: list[TierEnds], choices: list[Choice], catalog: Catalog) -> Cabled:
    tiers = [_tier(found, end, choice, catalog) for end, choice in zip(ends, choices, strict=True)]
    cables = [_cables(found, tier) for tier in tiers]  # before cages are shared: they are of links
    is_blocked = np.zeros(len(found), dtype=np.bool_)
    by_name = {tier.ends.tier: tier for tier in tiers}
    for near, far in ((NODE_LEAF, LEAF_SPINE), (LEAF_SPINE, SPINE_CORE)):
        if near in by_name and far in by_name:
            is_blocked |= _share(found, by_name[near], by_name[far])
    made = tuple(_made(found, tier, n) for tier, n in zip(tiers, cables, strict=True))
    return Cabled(found, made, is_blocked)


def _tier(found: Alike, end: TierEnds, choice: Choice, catalog: Catalog) -> _Tier:
    sizing, leaves, spines, cores = found.sizing, found.leaves, found.spines, found.cores
    upper, lower = end.upper.cage.links, end.lower.cage.links
    if end.tier == NODE_LEAF:
        nodes = sizing.asked.nodes * ceil_div(found.fabric.nic_ports_per_node, lower)
        first = (np.zeros_like(leaves.of), np.zeros_like(nodes))
        cages = [ceil_div(leaves.endpoints, upper), nodes]
        return _Tier(end, choice, (leaves, None), (leaves.endpoints, nodes * lower), first, cages)
    if end.tier == LEAF_SPINE:
        used = (spines.down, sizing.uplinks[leaves.of])
        first = (np.zeros_like(spines.of), _leaf_uplink_from(end, found, catalog)[leaves.of])
        kinds: tuple[LeafKinds | PortKinds, LeafKinds | PortKinds] = (spines, leaves)
    else:
        used = (cores.down, spines.up)
        first = (np.zeros_like(cores.of), _spine_uplink_from(sizing, lower)[spines.of])
        kinds = (cores, spines)
    cages = [ceil_div(used[0], upper), _filled(used[1], first[1], lower)]
    return _Tier(end, choice, kinds, used, first, cages)


def _filled(used: IntArray, first: IntArray, links: int) -> IntArray:
    """Cages that links side by side fill, from the first one on."""
    return np.where(used > 0, (first + used - 1) // links - first // links + 1, 0)


def _cables(found: Alike, tier: _Tier) -> IntArray:
    """Cables bought (cabling/plan.py)."""
    choice, n = tier.choice, len(found)
    if choice.is_twin:
        return _total(tier, 1, tier.cages[1], n)
    if choice.links_per_cable > 1:
        return _total(tier, 0, ceil_div(tier.used[0], choice.links_per_cable), n)
    return _links(found, tier.ends.tier) * choice.cables_per_link


def _links(found: Alike, tier: str) -> IntArray:
    sizing = found.sizing
    return {NODE_LEAF: sizing.endpoints, LEAF_SPINE: sizing.links_leaf_spine, SPINE_CORE: sizing.links_spine_core}[tier]


def _total(tier: _Tier, side: int, amounts: IntArray, n: int) -> IntArray:
    kinds = tier.kinds[side]
    return amounts if kinds is None else whole_sums(kinds, amounts, n)


def _share(found: Alike, near: _Tier, far: _Tier) -> BoolArray:
    """Count a cage once that links of two tiers share; where what they need in it differs, the candidate is blocked."""
    links = near.ends.upper.cage.links
    if links == 1:
        return np.zeros(len(found), dtype=np.bool_)
    used, there = near.used[0], far.used[1]
    last = (near.first[0] + used - 1) // links
    shared = (used > 0) & (there > 0) & (last == far.first[1] // far.ends.lower.cage.links)
    if are_alike(near.choice, far.choice, is_upper=False):
        far.cages[1] = far.cages[1] - shared
        return np.zeros(len(found), dtype=np.bool_)
    kinds = near.kinds[0]
    return any_of(kinds.of, shared, len(found))


def _made(found: Alike, tier: _Tier, cables: IntArray) -> CabledTier:
    n = len(found)
    upper, lower = (_total(tier, side, tier.cages[side], n) for side in (0, 1))
    return CabledTier(tier.ends, tier.choice, upper, lower, cables, tier.cages[0], tier.cages[1])


# ---------------------------------------------------------------- watts


def switch_watts(found: Cabled, catalog: Catalog) -> tuple[FloatArray, FloatArray]:
    """(typical, largest) draw of all switches with what is plugged into them, shape (n,) each [W]; cost/power.py."""
    nodes, spine, core = (found.tier(name) for name in (NODE_LEAF, LEAF_SPINE, SPINE_CORE))
    of, n = found.of, len(found.of)
    typical, largest = np.zeros(n), np.zeros(n)
    sizing = of.sizing
    roles = (
        (of.fabric.leaf_switch, sizing.n_leaf, of.leaves, _plugs(nodes, 0) + _plugs(spine, 1)),
        (of.fabric.spine_switch, sizing.n_spine, of.spines, _plugs(spine, 0) + _plugs(core, 1)),
        (of.fabric.core_switch, sizing.n_core, of.cores, _plugs(core, 0)),
    )
    for part, count, kinds, plug_w in roles:
        if not count.any():
            continue
        if part is None:
            watts = np.bincount(kinds.of, weights=kinds.count * plug_w, minlength=n)
            typical, largest = typical + watts, largest + watts
            continue
        switch = catalog.switches[part]
        each = np.minimum(switch.typical_no_optics_w / switch.switch_units + plug_w, switch.max_w / switch.switch_units)
        typical = typical + np.bincount(kinds.of, weights=kinds.count * each, minlength=n)
        largest = largest + ceil_div(count, switch.switch_units) * switch.max_w
    return typical, largest


def _plugs(tier: CabledTier | None, side: int) -> FloatArray:
    """Watts that a tier plugs into each kind of switch at one of its ends."""
    if tier is None:
        return np.zeros(1)
    cages, each = (tier.lower_cages, tier.choice.lower_plug_w) if side else (tier.upper_cages, tier.choice.upper_plug_w)
    return cages.astype(np.float64) * each


def node_watts(found: Cabled) -> FloatArray:
    """Draw of what is plugged into nodes, shape (n,) [W]."""
    nodes = found.tier(NODE_LEAF)
    return nodes.lower.astype(np.float64) * nodes.choice.lower_plug_w if nodes else np.zeros(len(found.of))
