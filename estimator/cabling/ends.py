"""The two ends of every tier of links: cages, links of each switch, and the question that media.py answers.

A custom switch is cabled as the generation's usual one, and a custom server by one link a cage of the generation's usual
NIC; both are marked as assumed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from estimator.cabling.compatibility import Cage
from estimator.cabling.media import AUTO, Question, options_of
from estimator.cabling.tiers import FABRIC_MANAGER, LEAF_LEAF, LEAF_SPINE, NODE_LEAF, SITE_TIERS, SPINE_CORE
from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import COMPUTE, links_per_node_cage, switch_ports
from estimator.catalog.records import Switch
from estimator.fabric.core_links import filled_cages, first_spine_uplink, has_gaps, may_pair_up
from estimator.fabric.devices import CORE, LEAF, MANAGER, NODE, SPINE, first_manager_ports, manager_links_of_leaves
from estimator.fabric.sized import SizedFabric
from estimator.fabric.topology import leaf_uplink_ports, panels_of
from estimator.spec.design import DesignSpec
from estimator.units import BoolArray, IntArray, ceil_div


@dataclass(frozen=True, slots=True)
class Side:
    """One end of a tier. ``used`` counts links by device (nodes and managers: one entry for all of them).

    ``first`` is the first link that the panel can hold, counted over all links of the device at this rate. ``filled`` are
    the cages of every device where links do not stand side by side.
    """

    kind: str
    name: str
    cage: Cage
    used: IntArray
    first: IntArray | int = 0
    is_assumed: bool = False
    title: str = ""  # for readers, where the name is an id of the catalog
    filled: IntArray | None = None

    @property
    def words(self) -> str:
        """What messages call the part."""
        return self.title or self.name

    @property
    def first_cage(self) -> IntArray | int:
        """The cage of the panel's first link."""
        return self.first // self.cage.links

    @property
    def last_cage(self) -> IntArray:
        """The cage of the last link of every device; one before the first where a device has none."""
        last: IntArray = (self.first + self.used - 1) // self.cage.links
        return last

    @property
    def cages(self) -> IntArray:
        """Filled cages of every device."""
        links = self.cage.links
        if self.filled is not None:
            return self.filled
        if isinstance(self.first, int) and self.first % links == 0:
            return np.asarray(ceil_div(self.used, links))
        return np.where(self.used > 0, self.last_cage - self.first_cage + 1, 0)


@dataclass(frozen=True, slots=True)
class TierEnds:
    """One tier that has links. ``length_m`` is the site's, or the catalog's default; None where the floor plan gives it."""

    tier: str
    n_links: int
    upper: Side
    lower: Side
    question: Question
    length_m: float | None
    is_default_length: bool

    @property
    def is_assumed(self) -> bool:
        """True if a cage of either end is a guess for a custom part."""
        return self.upper.is_assumed or self.lower.is_assumed


def tier_ends(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog, role: str = COMPUTE) -> tuple[TierEnds, ...]:
    """The tiers of a fabric that have links: nodes to leaves, leaves to spines, spines to cores, managers to leaves."""
    found = tuple(ends for ends in _tiers(spec, fabric, catalog, role) if ends.n_links)
    return found if role == COMPUTE else tuple(_with_own_medium(ends, catalog) for ends in found)


def _with_own_medium(ends: TierEnds, catalog: Catalog) -> TierEnds:
    """A tier of a network beside compute: media and grades of the site hold where they fit its cages."""
    question = ends.question
    ways = (question, replace(question, medium=AUTO), replace(question, medium=AUTO, fiber_grade=None))
    return replace(ends, question=next((way for way in ways if options_of(catalog, way)), question))


def shared_cages(all_ends: Sequence[TierEnds]) -> Iterator[tuple[TierEnds, TierEnds, BoolArray]]:
    """Pairs of tiers that meet in a cage of a switch, the one nearer the nodes first, and the switches where they do."""
    by_tier = {ends.tier: ends for ends in all_ends}
    for one, other in (
        (NODE_LEAF, FABRIC_MANAGER),
        (NODE_LEAF, LEAF_SPINE),
        (FABRIC_MANAGER, LEAF_SPINE),
        (LEAF_SPINE, SPINE_CORE),
    ):
        if one in by_tier and other in by_tier:
            here, there = by_tier[one].upper, side_at(by_tier[other], by_tier[one].upper.kind)
            if here.cage.links == 1:
                continue
            shared = (here.used > 0) & (there.used > 0) & (here.last_cage == there.first_cage)
            if shared.any():
                yield by_tier[one], by_tier[other], shared


def side_at(ends: TierEnds, kind: str) -> Side:
    """The side of a tier that is at a kind of device."""
    return ends.upper if ends.upper.kind == kind else ends.lower


def _tiers(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog, role: str) -> Iterator[TierEnds]:
    up = fabric.uplink_rate_gbit_s
    switches = {
        kind: _switch(spec, part, catalog, rates)
        for kind, part, rates in (
            (LEAF, fabric.leaf_switch, (fabric.port_rate_gbit_s, up)),
            (SPINE, fabric.spine_switch, (up,)),
            (CORE, fabric.core_switch, (up,)),
        )
    }
    yield _nodes(spec, fabric, catalog, switches[LEAF], role)
    wiring, rate = fabric.wiring, fabric.uplink_rate_gbit_s
    if fabric.links_leaf_spine:
        cage = _switch_cage(switches[LEAF][0], rate, catalog)
        first, first_cage, _ = leaf_uplink_ports(fabric, panels_of(spec, fabric, catalog))
        first = first_cage * cage.links if fabric.has_own_uplinks else first
        lower = _switch_side(LEAF, switches[LEAF], cage, fabric.leaf_up, first)
        upper_cage = _switch_cage(switches[SPINE][0], rate, catalog)
        upper = _switch_side(SPINE, switches[SPINE], upper_cage, fabric.spine_down)
        yield _between(LEAF_SPINE, spec, fabric, catalog, (upper, lower), switches[SPINE][0])
    if fabric.links_spine_core:
        cage = _switch_cage(switches[SPINE][0], rate, catalog)
        upper_cage = _switch_cage(switches[CORE][0], rate, catalog)
        filled = filled_cages(fabric, cage.links, upper_cage.links) if has_gaps(wiring) else (None, None)
        first = first_spine_uplink(wiring, cage.links)
        lower = replace(_switch_side(SPINE, switches[SPINE], cage, fabric.spine_up, first), filled=filled[0])
        upper = replace(_switch_side(CORE, switches[CORE], upper_cage, fabric.core_down), filled=filled[1])
        yield _between(SPINE_CORE, spec, fabric, catalog, (upper, lower), switches[CORE][0])
    if fabric.links_leaf_leaf:
        yield _pairs(spec, fabric, catalog, switches[LEAF])
    if fabric.links_fabric_manager:
        yield _managers(spec, fabric, catalog, switches[LEAF])


def _switch(spec: DesignSpec, part: str | None, catalog: Catalog, rates_gbit_s: tuple[int, ...]) -> tuple[Switch, bool]:
    """The switch record, or the usual one of the generation with these rates and True for a custom switch."""
    if part is not None:
        return catalog.switches[part], False
    return catalog.usual_switch(spec.fabric.generation, rates_gbit_s), True


def _switch_cage(switch: Switch, rate_gbit_s: int, catalog: Catalog, endpoints_per_port: int = 1) -> Cage:
    """Cage of a switch at a port rate; split ports carry ``endpoints_per_port`` links each."""
    ports = switch_ports(switch, rate_gbit_s)
    native = [cage for cage in switch.cages if cage.link_rate_gbit_s == rate_gbit_s]
    main = max(native or switch.cages, key=lambda cage: cage.n_cages * cage.links_per_cage)
    links = ports.links_per_cage if ports else main.links_per_cage
    return Cage(
        main.cage_classes, main.top, links * endpoints_per_port, rate_gbit_s=main.cage_rate_gbit_s, lanes=main.lanes
    )


def _switch_side(kind: str, switch: tuple[Switch, bool], cage: Cage, used: IntArray, first: IntArray | int = 0) -> Side:
    record, is_assumed = switch
    return Side(kind, record.id, cage, used, first, is_assumed, record.model)


def _question(
    tier: str,
    spec: DesignSpec,
    catalog: Catalog,
    rate_gbit_s: int,
    upper: Side,
    lower: Side,
    may_twin: bool,
    switch: Switch,
) -> Question:
    site, grade = spec.site, spec.site.fiber_grade
    plan = site.plan
    return Question(
        protocol=catalog.generations[spec.fabric.generation].protocol,
        rate_gbit_s=rate_gbit_s,
        upper=upper.cage,
        lower=lower.cage,
        may_twin=may_twin,
        vendor=switch.vendor,
        book=spec.economics.price_book,
        medium=getattr(site, f"{tier}_medium") if tier in SITE_TIERS else AUTO,
        fiber_grade=grade.upper() if grade else None,
        panels=getattr(plan, f"{tier}_panels") if plan and tier in SITE_TIERS else 0,
    )


def _length(tier: str, spec: DesignSpec, catalog: Catalog) -> tuple[float | None, bool]:
    """Length of a tier and whether it is the catalog's default; None where the floor plan gives it."""
    asked: float | None = getattr(spec.site, f"{tier}_m") if tier in SITE_TIERS else None
    if asked is None and spec.site.plan is not None:
        return None, False
    default = catalog.default_lengths[tier].length_m
    return (default, True) if asked is None else (asked, asked == default)


def _nodes(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog, leaf: tuple[Switch, bool], role: str) -> TierEnds:
    upper_cage = _switch_cage(leaf[0], fabric.port_rate_gbit_s, catalog, fabric.endpoints_per_port)
    upper = _switch_side(LEAF, leaf, upper_cage, fabric.leaf_endpoints)
    lower = _node_side(spec, fabric, catalog, role)
    # hosts beside nodes have one link a cage, and break the pairs that node order makes
    in_node_order = (
        fabric.layout == "top-of-rack" and fabric.planes == 1 and not (fabric.hosts and fabric.hosts.attached)
    )
    may_twin = in_node_order and not (fabric.leaf_endpoints % lower.cage.links).any()
    question = _question(NODE_LEAF, spec, catalog, fabric.lane_rate_gbit_s, upper, lower, may_twin, leaf[0])
    length_m, is_default = _length(NODE_LEAF, spec, catalog)
    return TierEnds(NODE_LEAF, fabric.links_node_leaf, upper, lower, question, length_m, is_default)


def _node_side(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog, role: str) -> Side:
    """All nodes as one: every node fills ⌈links ÷ links a cage⌉ cages."""
    server, network = catalog.server(spec.compute.server), catalog.network(spec.compute.server, role)
    if server is None or network is None:
        nic = catalog.default_nic(spec.fabric.generation)
        cage = Cage(nic.ports[0].cage_classes, nic.ports[0].top, 1, can_idle=True)
        return Side(
            NODE, f"a custom server with {nic.model}", cage, np.array([fabric.links_node_leaf]), is_assumed=True
        )
    hosts = fabric.hosts
    n_nodes, ports = (hosts.n_nodes, hosts.ports_per_node) if hosts else (fabric.n_nodes, fabric.nic_ports_per_node)
    links = links_per_node_cage(network, ports)
    rate, fastest = network.port_rate_gbit_s * network.n_ports // network.n_cages, fabric.endpoint_rate_gbit_s
    if fastest < min(fabric.lane_rate_gbit_s, network.port_rate_gbit_s):
        rate = fastest * links  # no single port of the NIC is as fast as its cage
    idles = fabric.endpoints_per_port > 1 and fabric.lane_rate_gbit_s * links <= rate
    # on a split fibre half the lanes of a faster transceiver stay dark, so that it runs in a slower port of its class
    cage = Cage(network.cage_classes, network.top, links, can_idle=True, rate_gbit_s=None if idles else rate)
    whole = ceil_div(ports, links) * links  # a cage is never shared by two nodes
    others = hosts.n_other_ports if hosts else 0  # other devices are taken to have cages like the nodes', one a port
    used = np.array([n_nodes * whole + others * links])
    return Side(NODE, server.id, cage, used, is_assumed=others > 0, title=server.model)


def _between(
    tier: str, spec: DesignSpec, fabric: SizedFabric, catalog: Catalog, ends: tuple[Side, Side], switch: Switch
) -> TierEnds:
    """Links between switches; a twin cable is possible where every pair's links fill whole cages on both sides."""
    upper, lower = ends
    links, is_core = upper.cage.links, tier == SPINE_CORE
    if is_core:
        may_twin = may_pair_up(fabric.wiring, links)
    else:
        filled = all(not (lower.used % (n * links)).any() for n in fabric.group_spines)
        may_twin = not np.any(lower.first % lower.cage.links) and filled
    question = _question(tier, spec, catalog, fabric.uplink_rate_gbit_s, upper, lower, may_twin, switch)
    length_m, is_default = _length(tier, spec, catalog)
    n_links = fabric.links_spine_core if is_core else fabric.links_leaf_spine
    return TierEnds(tier, n_links, upper, lower, question, length_m, is_default)


def _pairs(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog, leaf: tuple[Switch, bool]) -> TierEnds:
    """Links between the two leaves of every pair: the first of a pair is the lower end."""
    rate, pairs = fabric.port_rate_gbit_s, fabric.n_leaf // 2
    cage, each = _switch_cage(leaf[0], rate, catalog), fabric.links_leaf_leaf // pairs
    side = _switch_side(LEAF, leaf, cage, np.full(pairs, each), fabric.leaf_kept_from)
    may_twin = each % cage.links == 0 and fabric.leaf_kept_from % cage.links == 0
    question = _question(LEAF_LEAF, spec, catalog, rate, side, side, may_twin, leaf[0])
    length_m, is_default = _length(LEAF_LEAF, spec, catalog)
    return TierEnds(LEAF_LEAF, fabric.links_leaf_leaf, side, side, question, length_m, is_default)


def _managers(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog, leaf: tuple[Switch, bool]) -> TierEnds:
    nic = catalog.default_nic(spec.fabric.generation)
    rate = fabric.port_rate_gbit_s
    cage = _switch_cage(leaf[0], rate, catalog)
    first = first_manager_ports(fabric, cage.links)
    upper = _switch_side(LEAF, leaf, cage, manager_links_of_leaves(fabric), first)
    far = Cage(nic.ports[0].cage_classes, nic.ports[0].top, 1, can_idle=True)
    name = f"a fabric manager with {nic.model}"
    lower = Side(MANAGER, name, far, np.array([fabric.links_fabric_manager]), is_assumed=True)
    question = _question(FABRIC_MANAGER, spec, catalog, rate, upper, lower, False, leaf[0])
    length_m, is_default = _length(FABRIC_MANAGER, spec, catalog)
    return TierEnds(FABRIC_MANAGER, fabric.links_fabric_manager, upper, lower, question, length_m, is_default)
