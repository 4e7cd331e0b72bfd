"""A sized fabric → cables, fibres and modules, tier by tier, by the default length of each tier.

Links are connections at one port rate; cables are things bought; modules serve as many links as their cage carries and
are rounded up for each switch and each direction of its panel, as ports facing down and up never share a cage.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from estimator.catalog.loader import Catalog
from estimator.catalog.ports import links_per_node_cage, switch_ports
from estimator.catalog.records import Cable, Switch
from estimator.errors import Problem
from estimator.media import Cage, Choice, Question, choose
from estimator.units import Column, IntArray, ceil_div

if TYPE_CHECKING:
    from estimator.fabric import SizedFabric
    from estimator.spec import DesignSpec
    from estimator.topology import LinkTable

NODE_LEAF, LEAF_SPINE, SPINE_CORE, MANAGER = "node_leaf", "leaf_spine", "spine_core", "fabric_manager"
TIERS = (NODE_LEAF, LEAF_SPINE, SPINE_CORE, MANAGER)
TIER_NAMES = (NODE_LEAF, MANAGER, LEAF_SPINE, SPINE_CORE)  # in the order of topology.TIERS
SITE_KEYS = {tier: f"site.{tier}_m" for tier in (NODE_LEAF, LEAF_SPINE, SPINE_CORE)}


@dataclass(frozen=True, slots=True)
class TierCabling:
    """One tier of links and what is bought for it; ``choice`` is None where the catalog has nothing that fits.

    ``upper_plugs`` and ``lower_plugs`` have one entry a switch (nodes and fabric managers: one entry for all of them)
    and count filled cages: modules, or ends of cables.
    """

    tier: str
    n_links: int
    asked_length_m: float
    choice: Choice | None
    n_cables: int
    upper_plugs: IntArray
    lower_plugs: IntArray
    missing: str | None
    is_cage_assumed: bool

    @property
    def n_upper_modules(self) -> int:
        """Modules in the switches nearer the core (for node and manager links: in the leaves)."""
        return int(self.upper_plugs.sum()) if self.choice and self.choice.upper_module else 0

    @property
    def n_lower_modules(self) -> int:
        """Modules at the other end."""
        return int(self.lower_plugs.sum()) if self.choice and self.choice.lower_module else 0

    def as_json(self) -> dict[str, Any]:
        """Medium, parts and counts of the tier."""
        choice = self.choice
        parts: dict[str, Cable | None] = {
            "cable": choice.cable if choice else None,
            "upper_module": choice.upper_module if choice else None,
            "lower_module": choice.lower_module if choice else None,
        }
        return {
            "links": self.n_links, "length_m": choice.length_m if choice else self.asked_length_m,
            "medium": choice.medium if choice else None, "cables": self.n_cables,
            "upper_modules": self.n_upper_modules, "lower_modules": self.n_lower_modules,
            "upper_cages": int(self.upper_plugs.sum()), "lower_cages": int(self.lower_plugs.sum()),
            "parts": {name: part.id if part else None for name, part in parts.items()}, "missing": self.missing,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class CablePlan:
    """The cabling of one fabric, one entry for each tier that has links."""

    tiers: tuple[TierCabling, ...]

    def tier(self, name: str) -> TierCabling | None:
        """One of TIERS, or None if the fabric has no such links."""
        return next((tier for tier in self.tiers if tier.tier == name), None)

    @property
    def runs(self) -> tuple[TierCabling, ...]:
        """What ``LinkCabling.run`` counts: links of one tier over one medium."""
        return self.tiers

    @property
    def n_switch_modules(self) -> int:
        """Modules in switches."""
        between = sum(t.n_lower_modules for t in self.tiers if t.tier in (LEAF_SPINE, SPINE_CORE))
        return between + sum(t.n_upper_modules for t in self.tiers)

    def n_far_modules(self, tier: str) -> int:
        """Modules in nodes (``NODE_LEAF``) or fabric managers (``MANAGER``)."""
        found = self.tier(tier)
        return found.n_lower_modules if found else 0

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What no part of the catalog can join; the counts stand without it."""
        return tuple(_no_part(tier) for tier in self.tiers if tier.missing)

    def as_json(self) -> dict[str, Any]:
        """``cables`` and ``transceivers`` of the Estimate, and ``media`` with the parts of each tier."""
        cables = {name: (tier.n_cables if (tier := self.tier(name)) else 0) for name in TIERS}
        return {
            "cables": cables,
            "transceivers": {"node": self.n_far_modules(NODE_LEAF), "switch": self.n_switch_modules,
                             "fabric_manager": self.n_far_modules(MANAGER)},
            "media": {tier.tier: tier.as_json() for tier in self.tiers},
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class LinkCabling:
    """What each link of a link table runs over; columns of shape (n_links,).

    ``cable`` counts from 1; links that share a cable share its number, and a link that takes several has the first of
    them. ``run`` is an index into ``CablePlan.runs``.
    """

    cable: Column
    length_m: npt.NDArray[np.float32]
    run: Column


def link_cabling(plan: CablePlan, table: "LinkTable") -> LinkCabling:
    """The plan, link by link."""
    n_links = len(table)
    out = LinkCabling(np.empty(n_links, np.int32), np.empty(n_links, np.float32), np.empty(n_links, np.int16))
    next_cable = 1
    for number, tier in enumerate(plan.runs):
        rows = table.rows(TIER_NAMES.index(tier.tier))
        choice = tier.choice
        out.run[rows] = number
        out.length_m[rows] = choice.length_m if choice else tier.asked_length_m
        if choice is None or choice.links_per_cable == 1:
            step = choice.cables_per_link if choice else 1
            cable = np.arange(tier.n_links) * step
        elif choice.is_twin:
            cable = _groups(table.a_device[rows], table.a_cage[rows])
        else:
            cable = _groups(table.b_device[rows], table.b_cage[rows])
        out.cable[rows] = next_cable + cable
        next_cable += tier.n_cables or tier.n_links
    return out


def _groups(device: Column, cage: Column) -> IntArray:
    """Number of the cage that each link ends in, counted from 0 over all used cages."""
    key = device.astype(np.int64) * (int(cage.max(initial=0)) + 1) + cage
    key -= key.min(initial=0)
    return (np.cumsum(np.bincount(key) > 0) - 1)[key]


def _no_part(tier: TierCabling) -> Problem:
    way_out = "Change the length or a switch, or add the part to the catalog: until then it has no price."
    missing = tier.missing or ""
    return Problem(SITE_KEYS.get(tier.tier, "site"), "no_part_fits", f"{missing[:1].upper()}{missing[1:]}. {way_out}")


@dataclass(frozen=True, slots=True)
class _Side:
    """One end of a tier: its cages, used links of each switch, and whether the cage is a guess for a custom part."""

    cage: Cage
    used: IntArray
    vendor: str
    is_assumed: bool
    name: str


def cable_plan(spec: "DesignSpec", fabric: "SizedFabric", catalog: Catalog) -> CablePlan:
    """Cables and modules of a sized fabric.

    Lengths are those of ``spec.site``, one for each tier. A twin copper cable (two links between the same two cages) is
    taken only where all links of a cage end in one cage on the far side: between switches that share an even number of
    links, or for nodes that are not spread over rails. Such cables are counted for each switch
    of the lower tier, or node, as ⌈used links ÷ links a cable⌉; that equals the sum over pairs of switches, because
    each pair's links fill whole cables. Splitter cables are counted for each leaf, ⌈used links ÷ links a cage⌉. A
    custom switch is cabled as the generation's usual one, and a custom server by one link a cage of the generation's
    usual adapter; both are marked as assumed.
    """
    leaf, spine, core = (
        _switch(spec, part, catalog) for part in (fabric.leaf_switch, fabric.spine_switch, fabric.core_switch)
    )
    plan = [_node_tier(spec, fabric, catalog, leaf)]
    if fabric.links_leaf_spine:
        plan.append(_switch_tier(LEAF_SPINE, spec, fabric, catalog, (spine, leaf)))
    if fabric.links_spine_core:
        plan.append(_switch_tier(SPINE_CORE, spec, fabric, catalog, (core, spine)))
    if fabric.links_fabric_manager:
        plan = _with_managers(plan, spec, fabric, catalog, leaf)
    return CablePlan(tuple(plan))


def _switch(spec: "DesignSpec", part: str | None, catalog: Catalog) -> tuple[Switch, bool]:
    """The switch record, or the generation's usual one and True for a custom switch."""
    if part is not None:
        return catalog.switches[part], False
    return catalog.default_switch(spec.fabric.generation), True


def _switch_cage(switch: Switch, rate_gbit_s: int, endpoints_per_port: int = 1) -> Cage:
    """Cage of a switch at a port rate; split ports carry ``endpoints_per_port`` links each."""
    ports = switch_ports(switch, rate_gbit_s)
    main = max(switch.cages, key=lambda cage: cage.n_cages * cage.links_per_cage)
    links = ports.links_per_cage if ports else main.links_per_cage
    return Cage(main.cage_classes, main.top, links * endpoints_per_port)


def _node_cage(spec: "DesignSpec", fabric: "SizedFabric", catalog: Catalog) -> tuple[Cage, bool, str]:
    """Cage of a node on this fabric, whether it is assumed, and a name for messages."""
    server, network = catalog.server(spec.compute.server), catalog.compute_network(spec.compute.server)
    if server is None or network is None:
        nic = catalog.default_nic(spec.fabric.generation)
        cage = Cage(nic.ports[0].cage_classes, nic.ports[0].top, 1, can_idle=True)
        return cage, True, f"a custom server with {nic.id}"
    links = links_per_node_cage(network, fabric.nic_ports_per_node)
    return Cage(network.cage_classes, network.top, links, can_idle=True), False, server.id


def _ask(
    tier: str, spec: "DesignSpec", rate_gbit_s: int, length_m: float, upper: _Side, lower: _Side, may_twin: bool,
    catalog: Catalog,
) -> tuple[Choice | None, str | None]:  # fmt: skip
    protocol = catalog.generations[spec.fabric.generation].protocol
    question = Question(protocol, rate_gbit_s, length_m, upper.cage, lower.cage, may_twin, upper.vendor)
    choice = choose(catalog, question)
    if choice:
        return choice, None
    place = f"{tier.replace('_', '-')} links of {length_m:g} m"
    ends = f"{upper.name} ({upper.cage.links} × {rate_gbit_s}G {protocol} a cage) to {lower.name}"
    reach = _longest_m(catalog, question)
    known = f"parts that fit reach {reach:g} m" if reach else "no part fits both ends at any length"
    return None, f"no part in the catalog for {place}: {ends}; {known}"


def _longest_m(catalog: Catalog, question: Question) -> float | None:
    """The longest length below the one asked for over which parts join the two cages."""
    reaches = {cable.reach_max_m for cable in catalog.cables.values() if cable.reach_max_m < question.length_m}
    return next((m for m in sorted(reaches, reverse=True) if choose(catalog, replace(question, length_m=m))), None)


def _node_tier(spec: "DesignSpec", fabric: "SizedFabric", catalog: Catalog, leaf: tuple[Switch, bool]) -> TierCabling:
    switch, leaf_assumed = leaf
    share = fabric.endpoints_per_port
    node_cage, node_assumed, node_name = _node_cage(spec, fabric, catalog)
    leaf_cage = _switch_cage(switch, fabric.port_rate_gbit_s, share)
    upper = _Side(leaf_cage, fabric.leaf_endpoints, switch.vendor, leaf_assumed, switch.id)
    lower = _Side(node_cage, np.array([fabric.links_node_leaf]), "", node_assumed, node_name)
    length = spec.site.node_leaf_m or catalog.default("node_leaf_m")
    in_node_order = fabric.layout == "top-of-rack" and fabric.planes == 1
    may_twin = in_node_order and not (fabric.leaf_endpoints % node_cage.links).any()
    choice, missing = _ask(NODE_LEAF, spec, fabric.endpoint_rate_gbit_s, length, upper, lower, may_twin, catalog)
    per_node = ceil_div(fabric.nic_ports_per_node, node_cage.links)
    node_plugs = np.array([fabric.n_nodes * per_node])
    return TierCabling(
        tier=NODE_LEAF, n_links=fabric.links_node_leaf, asked_length_m=length, choice=choice,
        n_cables=_n_cables(choice, fabric.links_node_leaf, upper.used, int(node_plugs[0])),
        upper_plugs=ceil_div(upper.used, upper.cage.links), lower_plugs=node_plugs, missing=missing,
        is_cage_assumed=leaf_assumed or node_assumed,
    )  # fmt: skip


def _switch_tier(
    tier: str, spec: "DesignSpec", fabric: "SizedFabric", catalog: Catalog,
    switches: tuple[tuple[Switch, bool], tuple[Switch, bool]],
) -> TierCabling:  # fmt: skip
    (above, above_assumed), (below, below_assumed) = switches
    is_leaf_spine = tier == LEAF_SPINE
    used_up = fabric.leaf_up if is_leaf_spine else fabric.spine_up
    used_down = fabric.spine_down if is_leaf_spine else fabric.core_down
    n_links = fabric.links_leaf_spine if is_leaf_spine else fabric.links_spine_core
    rate = fabric.port_rate_gbit_s
    upper = _Side(_switch_cage(above, rate), used_down, above.vendor, above_assumed, above.id)
    lower = _Side(_switch_cage(below, rate), used_up, below.vendor, below_assumed, below.id)
    length = getattr(spec.site, f"{tier}_m") or catalog.default(f"{tier}_m")
    met = fabric.group_spines if is_leaf_spine else fabric.group_cores
    may_twin = _pairs_fill_cages(used_up, met, upper.cage.links)
    choice, missing = _ask(tier, spec, rate, length, upper, lower, may_twin, catalog)
    lower_plugs = ceil_div(used_up, lower.cage.links)
    return TierCabling(
        tier=tier, n_links=n_links, asked_length_m=length, choice=choice,
        n_cables=_n_cables(choice, n_links, used_down, int(lower_plugs.sum())),
        upper_plugs=ceil_div(used_down, upper.cage.links), lower_plugs=lower_plugs, missing=missing,
        is_cage_assumed=above_assumed or below_assumed,
    )  # fmt: skip


def _pairs_fill_cages(used: IntArray, switches_met: tuple[int, ...], links_per_cage: int) -> bool:
    """True if every lower switch shares a multiple of ``links_per_cage`` links with each upper switch that it meets."""
    return all(not (used % (met * links_per_cage)).any() for met in switches_met)


def _n_cables(choice: Choice | None, n_links: int, used: IntArray, n_twins: int) -> int:
    """Cables bought: one for each plug of the lower tier (twin), for each cage of the leaves (splitters), or a link."""
    if choice is None:
        return 0
    if choice.is_twin:
        return n_twins
    if choice.links_per_cable > 1:
        return int(ceil_div(used, choice.links_per_cable).sum())
    return n_links * choice.cables_per_link


def _with_managers(
    plan: list[TierCabling], spec: "DesignSpec", fabric: "SizedFabric", catalog: Catalog, leaf: tuple[Switch, bool]
) -> list[TierCabling]:
    """The plan with the fabric managers' links, which share the leaves' down-facing cages with nodes where they can."""
    switch, is_assumed = leaf
    links = fabric.leaf_down - ceil_div(fabric.leaf_endpoints, fabric.endpoints_per_port)
    nic = catalog.default_nic(spec.fabric.generation)
    rate = fabric.port_rate_gbit_s
    upper = _Side(_switch_cage(switch, rate), links, switch.vendor, is_assumed, switch.id)
    far = Cage(nic.ports[0].cage_classes, nic.ports[0].top, 1, can_idle=True)
    lower = _Side(far, np.array([fabric.links_fabric_manager]), "", True, f"a fabric manager with {nic.id}")
    length = catalog.default(MANAGER)
    choice, missing = _ask(MANAGER, spec, rate, length, upper, lower, False, catalog)
    plugs = ceil_div(links, upper.cage.links)
    node = plan[0]
    if _share_modules(node.choice, choice):
        plugs = ceil_div(fabric.leaf_down, upper.cage.links) - node.upper_plugs
    manager = TierCabling(
        tier=MANAGER, n_links=fabric.links_fabric_manager, asked_length_m=length, choice=choice,
        n_cables=_n_cables(choice, fabric.links_fabric_manager, links, int(plugs.sum())), upper_plugs=plugs,
        lower_plugs=lower.used, missing=missing, is_cage_assumed=True,
    )  # fmt: skip
    return [*plan, manager]


def _share_modules(node: Choice | None, manager: Choice | None) -> bool:
    """Links of both kinds may end in one module: the same module, and straight fibres on both."""
    return bool(
        node and manager and node.upper_module and node.upper_module == manager.upper_module
        and node.links_per_cable == manager.links_per_cable == 1
    )  # fmt: skip
