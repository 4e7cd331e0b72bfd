"""Ports, leaves, spines, cores and links of many designs at once, as exact integers.

The rules: leaves by unit or in node order, spines by the smallest even spread, cores by sets of spines. docs/sizing.md
has them in words, with the published tables that they reproduce. Columns have shape (n_variants,); one design is a batch
of one. A *component* is a network of its own: one plane, and in the rail-only layout one rail of one plane; its counts are
multiplied by ``n_components``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.fabric.columns import (
    Asked,
    Leaves,
    Sizing,
    downlinks_beside,
    downlinks_by_ratio,
    downlinks_for,
    spine_downlinks,
    uplinks_beside,
    uplinks_for,
)
from estimator.fabric.even_spread import NONE, BoolArray, CoreLayout, CoreRequest, even_cores, even_spines, uneven_cores
from estimator.spec.design import DesignSpec
from estimator.spec.fabric import Fabric
from estimator.spec.rates import asked_ratio, cage_links_of, endpoint_rate, port_rate, ports_a_cage, uplink_rate
from estimator.units import IntArray, ceil_div, column_names, parse_ratio

NO_PRICE_SWITCH_CENTS = 4_000_000  # of parts without a price: a switch costs as much as forty link ends
NO_PRICE_END_CENTS = 100_000
_OPTICS = "transceiver"


@lru_cache(maxsize=1024)
def part_cents(part: str | None, book: str, catalog: Catalog) -> int:
    """Typical price of one switch; a fixed one for custom switches and those without a price."""
    price = catalog.price(part, book) if part in catalog.switches and part else None
    return price.cents.typical if price else NO_PRICE_SWITCH_CENTS


@lru_cache(maxsize=64)
def link_end_cents(generation: str, rate_gbit_s: int, book: str, catalog: Catalog) -> int:
    """Typical price of the cheapest transceiver of a rate, shared by the links that it carries."""
    protocol = catalog.generations[generation].protocol
    ends = [
        price.cents.typical // (cable.a_count or 1)
        for key, cable in catalog.cables.items()
        if cable.kind == _OPTICS
        and cable.status == "available"
        and protocol in cable.protocols
        and cable.a_rate_gbit_s == rate_gbit_s
        and (price := catalog.price(key, book))
    ]
    return min(ends, default=NO_PRICE_END_CENTS)


class _Request(NamedTuple):
    """What one spec asks for, with the values that several columns are made of."""

    spec: DesignSpec
    fabric: Fabric
    ratio: Fraction
    spine_ratio: Fraction
    ports_a_node: int
    down_a_cage: int
    up_a_cage: int
    port_rate_gbit_s: int
    endpoint_rate_gbit_s: int
    uplink_rate_gbit_s: int
    cage_links: int
    is_infiniband: bool
    leaf_cents: int
    spine_cents: int
    core_cents: int
    link_end_cents: int

    @property
    def is_rail_only(self) -> bool:
        return self.fabric.layout == "rail-only"

    @property
    def rails(self) -> int:
        """Ports of a node in one plane."""
        return self.ports_a_node // self.fabric.planes


def _request(spec: DesignSpec, catalog: Catalog) -> _Request:
    fabric, book = spec.fabric, spec.economics.price_book
    down_a_cage, up_a_cage = ports_a_cage(fabric, catalog)
    rate = uplink_rate(fabric, catalog)
    return _Request(
        spec=spec,
        fabric=fabric,
        ratio=asked_ratio(fabric, catalog),
        spine_ratio=parse_ratio(fabric.spine_oversubscription),
        ports_a_node=spec.compute.nic_ports_per_node or 0,
        down_a_cage=down_a_cage,
        up_a_cage=up_a_cage,
        port_rate_gbit_s=port_rate(fabric, catalog),
        endpoint_rate_gbit_s=endpoint_rate(fabric, catalog.compute_network(spec.compute.server), catalog),
        uplink_rate_gbit_s=rate,
        cage_links=cage_links_of(fabric, catalog),
        is_infiniband=catalog.generations[fabric.generation].protocol == "infiniband",
        leaf_cents=part_cents(fabric.leaf_switch, book, catalog),
        spine_cents=part_cents(fabric.spine_switch, book, catalog),
        core_cents=part_cents(fabric.core_switch, book, catalog),
        link_end_cents=link_end_cents(fabric.generation, rate, book, catalog),
    )


def asked_columns(specs: Sequence[DesignSpec], catalog: Catalog) -> Asked:
    """Specs → columns. Specs come from ``parse_spec``, so that nothing is left open."""
    requests = [_request(spec, catalog) for spec in specs]

    def counts(of: Callable[[_Request], int | None]) -> IntArray:
        return np.array([of(one) or 0 for one in requests], dtype=np.int64)

    def flags(of: Callable[[_Request], bool]) -> BoolArray:
        return np.array([of(one) for one in requests], dtype=np.bool_)

    nobody = np.zeros(len(requests), dtype=np.bool_)  # what the request never says: automatic.py and size.py do
    return Asked(
        nodes=counts(lambda one: one.spec.compute.nodes),
        grow_nodes=counts(lambda one: one.fabric.grow_to_nodes or one.spec.compute.nodes),
        gpus=counts(lambda one: (one.spec.compute.nodes or 0) * (one.spec.compute.gpus_per_node or 0)),
        ports_a_node=counts(lambda one: one.ports_a_node),
        planes=counts(lambda one: one.fabric.planes),
        n_components=counts(lambda one: one.fabric.planes * (one.rails if one.is_rail_only else 1)),
        endpoints_a_node=counts(lambda one: 1 if one.is_rail_only else one.rails),
        rails_a_leaf=counts(lambda one: one.fabric.rails_per_leaf if one.fabric.layout == "rail-optimized" else 0),
        endpoints_a_port=counts(lambda one: one.fabric.endpoints_a_port),
        leaf_ports=counts(_leaf_ports),
        spine_ports=counts(lambda one: (one.fabric.spine_radix or 0) - one.fabric.reserved.spine_ports),
        core_ports=counts(lambda one: one.fabric.core_radix),
        down=counts(lambda one: one.fabric.leaf_downlinks),
        up=counts(lambda one: one.fabric.leaf_uplinks),
        ratio_down=counts(lambda one: one.ratio.numerator),
        ratio_up=counts(lambda one: one.ratio.denominator),
        spine_ratio_down=counts(lambda one: one.spine_ratio.numerator),
        spine_ratio_up=counts(lambda one: one.spine_ratio.denominator),
        tiers=counts(lambda one: 0 if one.fabric.tiers == "auto" else one.fabric.tiers),
        unit_nodes=counts(lambda one: one.fabric.scalable_unit_nodes),
        pod_nodes=counts(lambda one: one.fabric.pod_nodes),
        full_unit=flags(lambda one: one.fabric.provision == "full-unit"),
        uneven=flags(lambda one: one.fabric.uplink_spread == "uneven"),
        least_spines=counts(lambda one: one.fabric.least_spines),
        core_groups=counts(lambda one: one.fabric.core_groups),
        manager_links=counts(lambda one: one.fabric.reserved.fabric_manager_links),
        port_rate_gbit_s=counts(lambda one: one.port_rate_gbit_s),
        endpoint_rate_gbit_s=counts(lambda one: one.endpoint_rate_gbit_s),
        uplink_rate_gbit_s=counts(lambda one: one.uplink_rate_gbit_s),
        down_a_cage=counts(lambda one: one.down_a_cage),
        up_a_cage=counts(lambda one: one.up_a_cage),
        cage_links=counts(lambda one: one.cage_links),
        down_named=flags(lambda one: one.fabric.leaf_downlinks is not None),
        up_named=flags(lambda one: one.fabric.leaf_uplinks is not None),
        grows=flags(lambda one: one.fabric.grow_to_nodes is not None),
        symmetric=flags(lambda one: one.is_infiniband and one.fabric.uplink_spread == "even"),
        pods_alike=nobody,
        last_pod_even=nobody,
        pods_of_today=nobody,
        leaf_cents=counts(lambda one: one.leaf_cents),
        spine_cents=counts(lambda one: one.spine_cents),
        core_cents=counts(lambda one: one.core_cents),
        link_end_cents=counts(lambda one: one.link_end_cents),
    )


def _leaf_ports(one: _Request) -> int:
    """Ports of whole cages, less those that are kept free."""
    ports = (one.fabric.leaf_radix or 0) // one.down_a_cage * one.down_a_cage
    return ports - one.fabric.reserved.leaf_ports


def leaf_layer(asked: Asked) -> Leaves:
    """Rule 1 and 2: the split of a leaf's ports, units, and how full the fullest leaf is."""
    by_ratio = downlinks_by_ratio(asked)
    in_cages = by_ratio // asked.cage_links * asked.cage_links
    of_unit = ceil_div(asked.unit_nodes * asked.rails_a_leaf, asked.endpoints_a_port)  # a unit that is named stays
    by_ratio = np.where((in_cages > 0) & (in_cages >= of_unit), in_cages, by_ratio)
    by_uplinks = np.minimum(downlinks_beside(asked.up, asked), downlinks_for(asked.up, asked))
    downlinks = np.where(asked.down > 0, asked.down, np.where(asked.up > 0, by_uplinks, np.maximum(by_ratio, 1)))
    capacity = downlinks * asked.endpoints_a_port
    by_rail = asked.rails_a_leaf > 0
    rails = np.maximum(asked.rails_a_leaf, 1)
    unit = np.where((asked.unit_nodes == 0) & by_rail, np.maximum(capacity // rails, 1), asked.unit_nodes)
    built, grown = (
        np.where(asked.full_unit & (unit > 0), ceil_div(nodes, np.maximum(unit, 1)) * unit, nodes)
        for nodes in (asked.nodes, asked.grow_nodes)
    )
    grown = np.maximum(built, grown)  # uplinks for the leaf as it will be: growing needs no re-cabling
    in_unit = np.where(unit > 0, np.minimum(unit, grown), grown)
    fullest = np.where(by_rail, in_unit * rails, np.minimum(in_unit * asked.endpoints_a_node, capacity))
    fullest = np.where(~by_rail & asked.full_unit & (unit == 0), capacity, fullest)
    needed = uplinks_for(ceil_div(fullest, asked.endpoints_a_port), asked)
    return Leaves(
        downlinks=downlinks,
        uplinks_most=np.where(asked.up > 0, asked.up, uplinks_beside(downlinks, asked)),
        uplinks_needed=np.where(asked.up > 0, asked.up, needed),
        capacity=capacity,
        unit_nodes=unit,
        columns=np.where(by_rail, asked.endpoints_a_node // rails, 1),
        built_nodes=built,
        grown_nodes=grown,
        fullest=fullest,
    )


def leaf_rows(nodes: IntArray, asked: Asked, leaves: Leaves) -> IntArray:
    """Leaves of one column for ``nodes`` nodes: one a unit by rail, as many as fill up in node order."""
    unit, capacity = np.maximum(leaves.unit_nodes, 1), np.maximum(leaves.capacity, 1)
    by_rail = asked.rails_a_leaf > 0
    if by_rail.all():  # thousands of pods of one request are tried so: the rest would be computed for nothing
        return ceil_div(nodes, unit)
    in_order = ceil_div(nodes * asked.endpoints_a_node, capacity)
    units, rest = nodes // unit, nodes % unit
    in_units = units * ceil_div(unit * asked.endpoints_a_node, capacity) + ceil_div(
        rest * asked.endpoints_a_node, capacity
    )
    return np.where(by_rail, ceil_div(nodes, unit), np.where(leaves.unit_nodes > 0, in_units, in_order))


class Pods(NamedTuple):
    """Leaves over pods in one component of three tiers, for so many nodes; columns."""

    n_pods: IntArray
    rows: IntArray  # leaves of one group in a full pod
    last_rows: IntArray  # in the last pod


def pods_of(nodes: IntArray, asked: Asked, leaves: Leaves, spine_ports_down: IntArray) -> Pods:
    """Rule 5: pods as large as was asked, else with as many leaves a group as a spine has ports for them."""
    rows = leaf_rows(nodes, asked, leaves)
    pod = np.maximum(asked.pod_nodes, 1)
    given = asked.pod_nodes > 0
    full = np.where(given, leaf_rows(pod, asked, leaves), np.maximum(spine_ports_down, 1))
    n_pods = np.where(given, ceil_div(nodes, pod), ceil_div(rows, full))
    last_nodes = nodes - (n_pods - 1) * pod
    last = np.where(given, leaf_rows(last_nodes, asked, leaves), rows - (n_pods - 1) * full)
    last = np.where(asked.last_pod_even & asked.symmetric, full, last)
    return Pods(n_pods=n_pods, rows=np.where(n_pods == 1, last, full), last_rows=last)


def sized_columns(asked: Asked) -> Sizing:
    """Size requests as they stand. [counts]"""
    leaves = leaf_layer(asked)
    grow = leaves.grown_nodes
    one = fits_one_tier(asked, grow)
    none = np.zeros(len(one), dtype=np.int64)
    two = two_tiers(asked, leaves, grow) if (asked.tiers != 3).any() else TwoTiers(none, none)
    auto = asked.tiers == 0
    wants_three = (asked.tiers == 3) | (auto & ~one & (two.group_spines == NONE))
    three = three_tiers(asked, leaves, grow, wants_three) if wants_three.any() else _no_third_tier(len(one))
    tiers = np.where(
        (auto | (asked.tiers == 1)) & one,
        1,
        np.where(
            (auto | (asked.tiers == 2)) & (two.group_spines > 0),
            2,
            np.where(wants_three & (three.group_spines > 0), 3, 0),
        ),
    )
    tiers = np.where(leaf_is_impossible(asked, leaves, tiers), 0, tiers)
    return _assemble(asked, leaves, tiers, two, three)


def leaf_is_impossible(asked: Asked, leaves: Leaves, tiers: IntArray) -> BoolArray:
    """Units that no leaf holds, leaves without downlinks, and pods that cut a unit."""
    by_rail = asked.rails_a_leaf > 0
    unit_too_big = by_rail & (leaves.unit_nodes * asked.rails_a_leaf > leaves.capacity)
    return unit_too_big | (leaves.downlinks < 1) | ((tiers == 3) & pod_cuts_unit(asked, leaves))


def pod_cuts_unit(asked: Asked, leaves: Leaves) -> BoolArray:
    """A pod that is no whole number of scalable units, by rail."""
    return (asked.rails_a_leaf > 0) & (asked.pod_nodes % np.maximum(leaves.unit_nodes, 1) > 0)


def one_tier_ports(asked: Asked) -> IntArray:
    """Ports of a single leaf that may face nodes."""
    free = downlinks_beside(asked.up, asked)
    return np.where(asked.down > 0, np.minimum(asked.down, free), free)


def fits_one_tier(asked: Asked, grow: IntArray) -> BoolArray:
    """Whether one leaf holds all nodes of a component."""
    needed = ceil_div(grow * asked.endpoints_a_node, asked.endpoints_a_port)
    several = (asked.up > 0) | (asked.least_spines > 1) | ((asked.unit_nodes > 0) & (grow > asked.unit_nodes))
    needed = np.where((asked.tiers == 0) & several, asked.leaf_ports + 1, needed)  # asked for in so many words
    managers = np.where(asked.tiers == 0, ceil_div(asked.manager_links, asked.n_components), 0)
    return needed + managers <= one_tier_ports(asked)


@dataclass(frozen=True)
class TwoTiers:
    """Spines over all leaves of a component; columns. 0 spines where none fit."""

    group_spines: IntArray
    uplinks: IntArray


@dataclass(frozen=True)
class ThreeTiers(TwoTiers):
    """Spines inside each group of a pod, and the cores over all groups; columns."""

    grown: Pods
    cores: CoreLayout


def _no_third_tier(n: int) -> ThreeTiers:
    """Of a batch in which no design has three tiers: most have one design, and to look would take half of its time."""
    none = np.zeros(n, dtype=np.int64)
    return ThreeTiers(none, none, grown=Pods(none, none, none), cores=CoreLayout(none, none, none, none))


def two_tiers(asked: Asked, leaves: Leaves, grow: IntArray) -> TwoTiers:
    """Rules 3 and 4: spines over all leaves of a component."""
    n_leaves = leaf_rows(grow, asked, leaves) * leaves.columns
    spines, uplinks = even_spines(
        n_leaves, leaves.uplinks_needed, leaves.uplinks_most, asked.spine_ports, asked.least_spines
    )
    uneven = _uneven_spines(n_leaves, leaves, asked.spine_ports, asked.least_spines)
    spines = np.where(asked.uneven, uneven, spines)
    return TwoTiers(group_spines=spines, uplinks=np.where(asked.uneven, leaves.uplinks_needed, uplinks))


def _uneven_spines(n_leaves: IntArray, leaves: Leaves, spine_ports: IntArray, least: IntArray) -> IntArray:
    """Spines by ports alone; 0 unless any two leaves share one: each must reach more than half of them."""
    uneven = np.maximum(ceil_div(n_leaves * leaves.uplinks_needed, np.maximum(spine_ports, 1)), least)
    reachable = (leaves.uplinks_needed <= leaves.uplinks_most) & (leaves.uplinks_needed > 0) & (spine_ports > 0)
    return np.where(reachable & (2 * leaves.uplinks_needed > uneven), uneven, NONE)


def three_tiers(asked: Asked, leaves: Leaves, grow: IntArray, wanted: BoolArray, may_pad: bool = True) -> ThreeTiers:
    """Rules 5 and 6: spines inside each group, then cores over all groups; 0 spines where none fit."""
    ports_down = spine_downlinks(asked)
    pods = pods_of(grow, asked, leaves, ports_down)
    spines, uplinks = even_spines(
        np.where(wanted, pods.rows, 0), leaves.uplinks_needed, leaves.uplinks_most, ports_down, asked.least_spines
    )
    spines = np.where(
        wanted, np.where(asked.uneven, _uneven_spines(pods.rows, leaves, ports_down, asked.least_spines), spines), NONE
    )
    uplinks = np.where(asked.uneven, leaves.uplinks_needed, uplinks)
    partial = (pods.last_rows < pods.rows) & ~asked.pods_alike
    request = CoreRequest(
        uplinks=np.where(spines > 0, uplinks, 0),
        spine_ports_down=ports_down,
        spine_ports=asked.spine_ports,
        core_ports=asked.core_ports,
        oversubscription_down=asked.spine_ratio_down,
        oversubscription_up=asked.spine_ratio_up,
        full_groups=(pods.n_pods - partial) * leaves.columns,
        full_rows=pods.rows,
        full_spines=spines,
        last_groups=partial * leaves.columns,
        last_rows=pods.last_rows,
        least_spines=asked.least_spines,
        sets=asked.core_groups,
    )
    even, uneven = even_cores(request, ~asked.uneven & may_pad), uneven_cores(request)
    cores = CoreLayout(
        **{
            name: np.where(asked.uneven, getattr(uneven, name), getattr(even, name))
            for name in column_names(CoreLayout)
        }
    )
    return ThreeTiers(
        group_spines=np.where(cores.core_groups > 0, spines, NONE), uplinks=uplinks, grown=pods, cores=cores
    )


def _assemble(asked: Asked, leaves: Leaves, tiers: IntArray, two: TwoTiers, three: ThreeTiers) -> Sizing:
    """Counts of the design as bought, from what was found for the design as it may grow."""
    is_two, is_three = tiers == 2, tiers == 3
    now = leaves.built_nodes
    pods = pods_of(now, asked, leaves, spine_downlinks(asked))
    flat_rows = leaf_rows(now, asked, leaves)
    rows = np.where(is_three, (pods.n_pods - 1) * pods.rows + pods.last_rows, flat_rows)
    uplinks = np.where(is_two, two.uplinks, np.where(is_three, three.uplinks, 0))
    grown, cores, spines = three.grown, three.cores, three.group_spines
    ends_alike = (pods.n_pods < grown.n_pods) | (grown.last_rows == grown.rows)
    last_spines = np.where(ends_alike | asked.pods_alike, spines, cores.last_spines)
    grown_last_spines = np.where(asked.pods_alike, spines, cores.last_spines)
    full_up, last_up, links_core = spines_as_bought(asked, leaves, pods, uplinks, spines, last_spines, cores)
    grown_up, grown_last_up, _ = spines_as_bought(asked, leaves, grown, uplinks, spines, grown_last_spines, cores)
    groups = asked.n_components * leaves.columns
    n_leaf = np.where(tiers == 1, asked.n_components, asked.n_components * rows * leaves.columns)
    n_spine = np.where(
        is_two,
        asked.n_components * two.group_spines,
        np.where(is_three, groups * ((pods.n_pods - 1) * spines + last_spines), 0),
    )
    endpoints = asked.nodes * asked.ports_a_node
    return Sizing(
        asked=asked,
        leaves=leaves,
        tiers=tiers,
        rows=rows,
        n_leaf=n_leaf,
        n_spine=n_spine,
        n_core=np.where(is_three, asked.n_components * cores.n_cores, 0),
        uplinks=uplinks,
        group_spines=np.where(is_two, two.group_spines, np.where(is_three, spines, 0)),
        last_group_spines=np.where(is_three, last_spines, 0),
        pods=np.where(is_three, pods.n_pods, 1),
        pod_rows=pods.rows,
        last_pod_rows=pods.last_rows,
        spine_up=np.where(is_three, full_up, 0),
        last_spine_up=np.where(is_three, last_up, 0),
        last_spine_up_held=np.where(is_three, np.where(ends_alike, grown_up, grown_last_up), 0),
        spine_up_most=np.where(is_three, np.maximum(grown_up, np.where(grown_last_spines > 0, grown_last_up, 0)), 0),
        core_groups=np.where(is_three, cores.core_groups, 0),
        cores_a_group=np.where(is_three, cores.cores_a_group, 0),
        grown_last_spines=np.where(is_three, cores.last_spines, 0),
        endpoints=endpoints,
        manager_links_placed=np.minimum(asked.manager_links, _free_leaf_ports(asked, leaves, tiers, n_leaf, uplinks)),
        links_leaf_spine=n_leaf * uplinks,
        links_spine_core=np.where(is_three, links_core, 0),
    )


def spines_as_bought(
    asked: Asked,
    leaves: Leaves,
    pods: Pods,
    uplinks: IntArray,
    spines: IntArray,
    last_spines: IntArray,
    cores: CoreLayout,
) -> tuple[IntArray, IntArray, IntArray]:
    """Uplinks of a spine in a full and in the last pod, and spine-core links, for the leaves that are bought now."""
    multiple = np.where(asked.uneven, 1, np.maximum(cores.cores_a_group, 1))
    ups = []
    for rows, n_spines in ((pods.rows, spines), (pods.last_rows, last_spines)):
        down = ceil_div(rows * uplinks, np.maximum(n_spines, 1))
        ups.append(ceil_div(ceil_div(down * asked.spine_ratio_up, asked.spine_ratio_down), multiple) * multiple)
    links = leaves.columns * ((pods.n_pods - 1) * spines * ups[0] + last_spines * ups[1])
    return ups[0], ups[1], asked.n_components * links


def node_ports_used(asked: Asked, leaves: Leaves, tiers: IntArray) -> IntArray:
    """Leaf ports that nodes take, over all leaves; a split port that feeds one endpoint is taken whole."""
    flat = tiers == 1
    rails, share = np.maximum(asked.rails_a_leaf, 1), asked.endpoints_a_port
    unit = np.where(flat | (leaves.unit_nodes == 0), np.maximum(asked.nodes, 1), leaves.unit_nodes)
    pod = np.where((tiers == 3) & (asked.pod_nodes > 0), asked.pod_nodes, np.maximum(asked.nodes, 1))
    on_leaf = np.where((asked.rails_a_leaf > 0) & ~flat, rails, asked.endpoints_a_node)  # endpoints of one node

    def ports(nodes: IntArray) -> IntArray:
        return nodes // unit * ceil_div(unit * on_leaf, share) + ceil_div(nodes % unit * on_leaf, share)

    side_by_side = np.where(flat, 1, leaves.columns)
    return asked.n_components * side_by_side * (asked.nodes // pod * ports(pod) + ports(asked.nodes % pod))


def _free_leaf_ports(asked: Asked, leaves: Leaves, tiers: IntArray, n_leaf: IntArray, uplinks: IntArray) -> IntArray:
    """Ports of all leaves that neither nodes nor uplinks take, and that fabric managers may."""
    return np.maximum(n_leaf * downlinks_beside(uplinks, asked) - node_ports_used(asked, leaves, tiers), 0)
