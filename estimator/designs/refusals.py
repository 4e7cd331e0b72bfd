"""Why a request has no fabric, and what would work instead, each with its counts.

The alternatives are not guessed: every one is sized by the same rules, many at once, and only those that came out are
named.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from estimator.cabling.plan import cable_plan
from estimator.catalog.catalog import Catalog
from estimator.errors import Change, InfeasibleDesign, Problem
from estimator.fabric.columns import Sizing, downlinks_by_ratio, spine_downlinks, uplinks_for
from estimator.fabric.size import size
from estimator.fabric.sized import SizedFabric, fabric_of
from estimator.fabric.sizing import leaf_rows, one_tier_ports, pod_cuts_unit, pods_of
from estimator.record import Json
from estimator.spec.design import DesignSpec
from estimator.spec.fabric import MAX_RADIX
from estimator.spec.rates import port_rate, ports_a_cage, uplink_rate
from estimator.units import ceil_div, counted, divisors

Faults = frozenset[tuple[str, str]]


def faults_of(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog) -> Faults:
    """(code, field) of what leaves counts of cables unknown or cannot be plugged; lengths are the tiers', not the floor's."""
    site = spec.site.model_copy(update={"plan": None, "set_lengths": ()})
    try:
        plan = cable_plan(spec.model_copy(update={"site": site}), fabric, catalog)
    except InfeasibleDesign as error:
        return frozenset((problem.code, problem.field) for problem in error.problems)
    return frozenset((problem.code, problem.field) for problem in (*plan.problems, *plan.blocked))


def why_not(sizing: Sizing, i: int, spec: DesignSpec, catalog: Catalog) -> list[Problem]:
    """Problems of design ``i``, whose ``sizing.tiers`` is 0: the limit that was hit, its numbers, and ways out."""
    return [
        problem if problem.change else replace(problem, change=_first_that_fits(problem, sizing, i, spec, catalog))
        for problem in _why_not(sizing, i, spec, catalog)
    ]


def _first_that_fits(problem: Problem, sizing: Sizing, i: int, spec: DesignSpec, catalog: Catalog) -> Change | None:
    """For problems whose words name no counts: the first of a few changes with which the design can be built."""
    leaves, rails = sizing.leaves, int(sizing.asked.rails_a_leaf[i])
    unit, pod = max(int(leaves.unit_nodes[i]), 1), int(sizing.asked.pod_nodes[i])
    below = max(pod // unit, 1) * unit
    fits = int(downlinks_by_ratio(sizing.asked)[i])
    free_split = {"leaf_downlinks": None, "leaf_uplinks": None}
    larger = [
        {"leaf_switch": part, "leaf_radix": ports}
        for ports, part in switch_sizes(spec, catalog, is_leaf=True).items()
        if ports > (spec.fabric.leaf_radix or 0)
    ]
    ways: dict[str, list[Json]] = {
        "unit_over_leaf": [{"scalable_unit_nodes": n} for n in (int(leaves.capacity[i]) // max(rails, 1),) if n]
        + [{"scalable_unit_nodes": None}]
        + [{"rails_per_leaf": n} for n in reversed(divisors(max(rails, 1))) if n <= max(int(leaves.capacity[i]), 1)]
        + larger,
        "pod_cuts_unit": [{"pod_nodes": below}, {"pod_nodes": below + unit}, {"pod_nodes": None}],
        "leaf_ports_short": [free_split, {"leaf_uplinks": None}, *larger],
        "ratio_not_reachable": [
            {"least_spines": 1},
            *([{"leaf_downlinks": fits}] if fits else []),
            {"leaf_uplinks": None},
            free_split,
            {**free_split, "scalable_unit_nodes": None},
            *larger,
        ],
        "spine_ports_short": [
            {"spine_switch": part, "spine_radix": ports} for ports, part in switch_sizes(spec, catalog).items()
        ],
    }
    found = _ways_found(spec, catalog, [[("", way)] for way in ways.get(problem.code, [])])
    return _cabled(found)[0].keyed() if found else None


def _why_not(sizing: Sizing, i: int, spec: DesignSpec, catalog: Catalog) -> list[Problem]:
    asked, leaves = sizing.asked, sizing.leaves
    unit, capacity, rails = int(leaves.unit_nodes[i]), int(leaves.capacity[i]), int(asked.rails_a_leaf[i])
    if int(leaves.downlinks[i]) < 1:
        return [_no_downlinks(sizing, i)]
    if rails and unit * rails > capacity:
        return [_unit_over_leaf(sizing, i)]
    if asked.tiers[i] in (0, 3) and pod_cuts_unit(asked, leaves)[i]:
        below = max(int(asked.pod_nodes[i]) // unit, 1) * unit
        return [
            Problem(
                "fabric.pod_nodes",
                "pod_cuts_unit",
                (
                    f"A pod of {asked.pod_nodes[i]:,} nodes cuts a scalable unit of {unit:,}. Use a multiple, such as "
                    f"{below:,} or {below + unit:,}."
                ),
            )
        ]
    if asked.tiers[i] == 1:
        return [_one_tier(sizing, i, spec, catalog)]
    if asked.tiers[i] == 2:
        return [_two_tiers(sizing, i, spec, catalog)]
    return [_three_tiers(sizing, i, spec, catalog)]


def _unit_over_leaf(sizing: Sizing, i: int) -> Problem:
    leaves = sizing.leaves
    unit, capacity, rails = int(leaves.unit_nodes[i]), int(leaves.capacity[i]), int(sizing.asked.rails_a_leaf[i])
    if capacity < rails:
        message = (
            f"One node with {rails} rails on a leaf needs {counted(rails, 'downlink')}, and a leaf has {capacity:,}. Put "
            f"{counted(capacity, 'rail')} or fewer on a leaf, or take a leaf with more ports or a higher oversubscription."
        )
        return Problem("fabric.rails_per_leaf", "unit_over_leaf", message)
    message = (
        f"A unit of {counted(unit, 'node')} needs {unit * rails:,} downlinks on each leaf, and a leaf has {capacity:,}. "
        f"Use units of {counted(capacity // rails, 'node')} or fewer, or a leaf with more downlinks."
    )
    return Problem("fabric.scalable_unit_nodes", "unit_over_leaf", message)


def _no_downlinks(sizing: Sizing, i: int) -> Problem:
    asked = sizing.asked
    ports, up, down_side, up_side = (int(c[i]) for c in (asked.leaf_ports, asked.up, asked.ratio_down, asked.ratio_up))
    if up < ports:
        message = (
            f"{counted(up, 'uplink')} a leaf at {down_side}:{up_side} cannot serve one downlink. Use "
            f"{int(uplinks_for(np.ones_like(asked.up), asked)[i])} uplinks or more, or a higher oversubscription."
        )
        return Problem("fabric.leaf_uplinks", "ratio_not_reachable", message)
    message = (
        f"A leaf of {counted(ports, 'usable port')} with {counted(up, 'uplink')} has no port left for nodes. Use fewer "
        "uplinks, or a leaf with more ports."
    )
    return Problem("fabric.leaf_radix", "leaf_ports_short", message)


def _one_tier(sizing: Sizing, i: int, spec: DesignSpec, catalog: Catalog) -> Problem:
    asked = sizing.asked
    ports, each = int(one_tier_ports(asked)[i]), int(asked.endpoints_a_node[i])
    nodes = max(int(asked.grow_nodes[i]), int(sizing.leaves.built_nodes[i]))
    most = ports * int(asked.endpoints_a_port[i]) // each
    text, change = _what_works(spec, catalog, [[("two tiers", {"tiers": 2})], [("three tiers", {"tiers": 3})]])
    message = (
        f"One leaf has {ports} ports for nodes and holds {most:,} nodes of {each} endpoints; {nodes:,} were requested. "
    )
    return Problem("fabric.tiers", "one_tier_too_small", message + text, change)


def _ratio_problem(sizing: Sizing, i: int) -> Problem | None:
    leaves, asked = sizing.leaves, sizing.asked
    needed, most, least = int(leaves.uplinks_needed[i]), int(leaves.uplinks_most[i]), int(asked.least_spines[i])
    if least > most >= needed:
        message = (
            f"A leaf has {counted(most, 'port')} for uplinks, and {least} spines at least were requested. Use {most} or "
            "fewer, or give leaves more uplinks."
        )
        return Problem("fabric.least_spines", "ratio_not_reachable", message)
    if needed <= most and most >= 1:
        return None
    ports, down_side, up_side = (int(c[i]) for c in (asked.leaf_ports, asked.ratio_down, asked.ratio_up))
    used = min(ceil_div(int(leaves.fullest[i]), int(asked.endpoints_a_port[i])), int(leaves.downlinks[i]))
    fits = int(downlinks_by_ratio(asked)[i])
    cages = ceil_div(needed, int(asked.up_a_cage[i]))
    whole = int(leaves.downlinks[i]) + cages * int(asked.down_a_cage[i])
    fewer = f"{counted(fits, 'downlink')} or fewer, " if fits else ""
    message = (
        f"{counted(used, 'downlink')} in use at {down_side}:{up_side} need {counted(needed, 'uplink')}, and a leaf of "
        f"{counted(ports, 'usable port')} with {counted(int(leaves.downlinks[i]), 'downlink')} has {most} left. Use {fewer}a "
        f"higher oversubscription, or a leaf with {whole} usable ports or more."
    )
    return Problem("fabric.leaf_downlinks", "ratio_not_reachable", message)


def _two_tiers(sizing: Sizing, i: int, spec: DesignSpec, catalog: Catalog) -> Problem:
    asked, leaves = sizing.asked, sizing.leaves
    problem = _ratio_problem(sizing, i)
    if problem:
        return problem
    n_leaves = _leaves_of_two_tiers(sizing, i)
    up, ports = int(leaves.uplinks_needed[i]), int(asked.spine_ports[i])
    ways = _two_tier_ways(spec, catalog, n_leaves, up)
    message = _uneven_text(n_leaves, up, ports) if asked.uneven[i] else _even_text(sizing, i, n_leaves, up, ports)
    text, change = _what_works(spec, catalog, ways)
    return Problem("fabric.tiers", "two_tier_too_small", message + text, change)


def _even_text(sizing: Sizing, i: int, n_leaves: int, up: int, ports: int) -> str:
    asked, leaves = sizing.asked, sizing.leaves
    links, capacity, copies = n_leaves * up, int(leaves.capacity[i]), int(asked.n_components[i])
    nodes = max(int(asked.grow_nodes[i]), int(leaves.built_nodes[i]))
    each = f" in each of the {copies} planes or rails that are separate networks" if copies > 1 else ""
    return (
        f"{n_leaves:,} leaves need a port each on every spine{each}, and a spine has {ports}: two tiers reach "
        f"{counted(ports, 'leaf')} of {counted(capacity, 'endpoint')}, {ports * capacity:,} in all, and "
        f"{nodes * int(asked.endpoints_a_node[i]):,} were requested. By ports alone "
        f"{counted(ceil_div(links, ports), 'spine')} would hold the {counted(links, 'uplink')}, but {up} a leaf cannot "
        "spread evenly over them. "
    )


def _uneven_text(n_leaves: int, up: int, ports: int) -> str:
    links = n_leaves * up
    return (
        f"By ports alone the {counted(links, 'uplink')} of {counted(n_leaves, 'leaf')} take "
        f"{counted(ceil_div(links, ports), 'spine')} of {ports} ports, and a leaf with {counted(up, 'uplink')} must reach "
        f"more than half of them, or two leaves share none: that holds for {ports * (2 * up - 1) // up:,} leaves or fewer. "
    )


Way = tuple[str, Json]


def _two_tier_ways(spec: DesignSpec, catalog: Catalog, n_leaves: int, up: int) -> list[list[Way]]:
    """Larger spines, from the smallest that meets the limit; another spread; more uplinks; three tiers."""
    fabric, has = spec.fabric, spec.fabric.spine_radix or 0
    is_uneven = fabric.uplink_spread == "uneven"
    least = ceil_div(n_leaves * up, 2 * up - 1) if is_uneven else n_leaves
    ports_needed = least + fabric.reserved.spine_ports
    may_be_uneven = fabric.grow_to_nodes in (None, spec.compute.nodes)  # growth needs an even spread
    down_a_cage, up_a_cage = ports_a_cage(fabric, catalog)
    most = ((fabric.leaf_radix or 0) - (fabric.leaf_downlinks or 1)) // down_a_cage * up_a_cage
    more = range(up + 1, most + 1) if is_uneven else range(0)
    return [
        [(f"spines of {ports_needed:,} ports or more", {"spine_radix": ports_needed, "spine_switch": "custom"})]
        if ports_needed <= MAX_RADIX
        else [],
        [
            (f"spines of {ports} ports, which the catalog has", {"spine_radix": ports, "spine_switch": part})
            for ports, part in switch_sizes(spec, catalog).items()
            if ports > has
        ],
        [("an uneven spread, at which OpenSM falls back to min-hop routing", {"uplink_spread": "uneven"})]
        if may_be_uneven
        else [],
        [(f"{counted(u, 'uplink')} a leaf", {"leaf_uplinks": u}) for u in more],
        [("three tiers", {"tiers": 3})],
    ]


def switch_sizes(spec: DesignSpec, catalog: Catalog, is_leaf: bool = False) -> dict[int, str]:
    """Radix → a switch of the catalog that has it, for switches of the generation, the smallest first.

    Spines and cores have it at the rate of the uplinks; a leaf has it at the port rate, and ports for its uplinks as well.
    """
    up = uplink_rate(spec.fabric, catalog)
    rates = (port_rate(spec.fabric, catalog), up) if is_leaf else (up,)
    protocol = catalog.generations[spec.fabric.generation].protocol
    sizes: dict[int, str] = {}
    for key, switch in catalog.switches.items():
        if switch.protocol != protocol or switch.status != "available":
            continue
        ports = [catalog.switch_ports(key, rate) for rate in rates]
        if all(ports) and ports[0]:
            sizes.setdefault(ports[0].radix, key)
    return dict(sorted(sizes.items()))


def _three_tiers(sizing: Sizing, i: int, spec: DesignSpec, catalog: Catalog) -> Problem:
    """A fabric exists exactly where pods fit a spine's downlinks and groups of spines fit a core (docs/sizing.md)."""
    asked, leaves = sizing.asked, sizing.leaves
    problem = _ratio_problem(sizing, i)
    if problem:
        return problem
    ports_down = int(spine_downlinks(asked)[i])
    if ports_down < 1:
        down_side, both = int(asked.spine_ratio_down[i]), int(asked.spine_ratio_down[i] + asked.spine_ratio_up[i])
        message = (
            f"A spine of {counted(int(asked.spine_ports[i]), 'usable port')} cannot face leaves and cores at once: three tiers "
            f"at {spec.fabric.spine_oversubscription} need {ceil_div(both, down_side)} or more. Take spines with more ports."
        )
        return Problem("fabric.spine_radix", "spine_ports_short", message)
    nodes = np.maximum(asked.grow_nodes, leaves.built_nodes)
    pods = pods_of(nodes, asked, leaves, spine_downlinks(asked))
    if pods.rows[i] > ports_down:
        sizes = _pod_sizes(sizing, i, int(nodes[i]), ports_down)
        ways = [[(f"pods of {counted(pod, 'node')}", {"pod_nodes": pod, "tiers": 3}) for pod in sizes]]
        message = f"A pod has {pods.rows[i]:,} leaves in each group of spines, and a spine has {ports_down} ports for leaves. "
        text, change = _what_works(spec, catalog, ways)
        return Problem("fabric.pod_nodes", "pod_too_large", message + text, change)
    if asked.core_groups[i]:
        found = [way.text for way in _ways_found(spec, catalog, [[("leave core_groups out", {"core_groups": None})]])]
        message = (
            f"{counted(int(asked.core_groups[i]), 'core group')} were requested: so many sets of equally many spines of every "
            f"pod, whose uplinks spread evenly, do not come out. {'What would work: ' + found[0] + '.' if found else ''}"
        )
        change = {"fabric.core_groups": None} if found else None
        return Problem("fabric.core_groups", "core_groups_do_not_divide", message.strip(), change)
    rails_a_leaf = int(asked.rails_a_leaf[i])
    groups, core_ports = int(pods.n_pods[i] * leaves.columns[i]), int(asked.core_ports[i])
    pods_text = f"{counted(int(pods.n_pods[i]), 'pod')}{_groups_text(int(leaves.columns[i]), rails_a_leaf)}"
    message = (
        f"{pods_text} need {groups:,} groups of spines, and a core of {counted(core_ports, 'port')} joins {core_ports} at "
        f"most: three tiers of these switches do not reach {int(nodes[i]) * int(asked.endpoints_a_node[i]):,} endpoints. "
    )
    ways = _three_tier_ways(spec, catalog, groups)
    text, change = _what_works(spec, catalog, ways)
    return Problem("fabric.tiers", "three_tier_too_small", message + text, change)


def _groups_text(columns: int, rails_a_leaf: int) -> str:
    """What has spines of its own in a pod: every rail, or the rails that share a leaf; without rails, the pod itself."""
    if rails_a_leaf == 0:
        return ""
    return f" of {counted(columns, 'rail')}" if rails_a_leaf == 1 else f" of {columns} × {rails_a_leaf} rails"


def _pod_sizes(sizing: Sizing, i: int, nodes: int, ports_down: int) -> list[int]:
    """Pods to try: the nodes in 1 to 64 equal parts of whole units, then the largest pod that the spines can take."""
    asked, leaves = sizing.asked, sizing.leaves
    unit, endpoints = max(int(leaves.unit_nodes[i]), 1), int(asked.endpoints_a_node[i])
    parts = [ceil_div(ceil_div(nodes, n_pods), unit) * unit for n_pods in range(1, 65)]
    rows_a_unit = 1 if asked.rails_a_leaf[i] else ceil_div(unit * endpoints, int(leaves.capacity[i]))
    in_order = ports_down * int(leaves.capacity[i]) // endpoints
    largest = ports_down // rows_a_unit * unit if leaves.unit_nodes[i] else in_order
    return [*parts, largest] if largest else parts


def _three_tier_ways(spec: DesignSpec, catalog: Catalog, groups: int) -> list[list[Way]]:
    """Larger pods by a higher spine or leaf oversubscription, and larger switches."""
    fabric = spec.fabric
    has = max(fabric.spine_radix or 0, fabric.core_radix or 0)
    is_split_given = fabric.leaf_downlinks and fabric.leaf_uplinks
    return [
        [(f"a spine oversubscription of {k}:1", {"spine_oversubscription": f"{k}:1"}) for k in range(2, 17)],
        []
        if is_split_given
        else [(f"a leaf oversubscription of {k}:1", {"oversubscription": f"{k}:1"}) for k in range(2, 9)],
        [(f"cores of {groups:,} ports or more", {"core_radix": groups, "core_switch": "custom"})]
        if groups <= MAX_RADIX
        else [],
        [
            (
                f"spines and cores of {ports} ports, which the catalog has",
                {"spine_radix": ports, "core_radix": ports, "spine_switch": part, "core_switch": part},
            )
            for ports, part in switch_sizes(spec, catalog).items()
            if ports > has
        ],
    ]


def _what_works(spec: DesignSpec, catalog: Catalog, groups: Sequence[Sequence[Way]]) -> tuple[str, Change | None]:
    """A sentence naming the first way of each group that can be built, with its counts; and the change to propose."""
    found = _ways_found(spec, catalog, groups)
    if not found:
        return "Use fewer nodes, a higher oversubscription or switches with more ports.", None
    order = sorted(_cabled(found), key=Found.rank)
    reported = [
        *order,
        *(replace(way, text=f"{way.text}, whose links the catalog cannot cable") for way in found if way not in order),
    ]
    return "What would work: " + "; ".join(way.text for way in reported) + ".", _left_open(
        order[0], spec, catalog
    ).keyed()


def _left_open(way: "Found", spec: DesignSpec, catalog: Catalog) -> "Found":
    """A way with another number of tiers as one that leaves them open, where that is the same fabric: smaller and larger sizes
    then have as many as they need."""
    if way.change.keys() != {"tiers"}:
        return way
    free = {"tiers": "auto"}
    specs = [spec.model_copy(update={"fabric": spec.fabric.model_copy(update=change)}) for change in (way.change, free)]
    sizing = size(specs, catalog)
    is_same = all(column[0] == column[1] for column in (sizing.tiers, sizing.n_leaf, sizing.n_spine, sizing.n_core))
    return replace(way, change=free) if is_same else way


@dataclass(frozen=True)
class Found:
    """A way that can be built: its words with its counts, its change of the fabric's keys, what cabling lacks for it."""

    text: str
    change: Json
    faults: Faults
    is_other_part: bool  # it takes another switch than one of the catalog that was requested

    def keyed(self) -> Change:
        """The change by dotted key."""
        return {f"fabric.{key}": value for key, value in self.change.items()}

    def rank(self) -> tuple[bool, bool, bool]:
        """Parts of the catalog before others, an even spread before an uneven one, the switches that there are before others."""
        return "custom" in self.change.values(), self.change.get("uplink_spread") == "uneven", self.is_other_part


def _is_other_part(spec: DesignSpec, change: Json) -> bool:
    keys = [key for key in ("leaf_switch", "spine_switch", "core_switch") if key in change]
    return any(getattr(spec.fabric, key) not in (None, "custom", change[key]) for key in keys)


def _cabled(found: Sequence[Found]) -> list[Found]:
    """Those ways for which cabling lacks the least."""
    least = min(len(way.faults) for way in found)
    return [way for way in found if len(way.faults) == least]


def _ways_found(spec: DesignSpec, catalog: Catalog, groups: Sequence[Sequence[Way]]) -> list[Found]:
    """The first way of each group that can be built, one that can be cabled before others; all are sized in one batch."""
    ways = [(number, label, change) for number, group in enumerate(groups) for label, change in group]
    specs = [spec.model_copy(update={"fabric": spec.fabric.model_copy(update=change)}) for _, _, change in ways]
    sizing = size(specs, catalog)
    found: dict[int, Found] = {}
    for k, (number, label, change) in enumerate(ways):
        if not sizing.tiers[k] or (number in found and not found[number].faults):
            continue
        faults = faults_of(specs[k], fabric_of(sizing, k, specs[k]), catalog)
        if number not in found or len(faults) < len(found[number].faults):
            cores = f", {counted(int(sizing.n_core[k]), 'core')}" if sizing.n_core[k] else ""
            text = (
                f"{label} ({counted(int(sizing.n_leaf[k]), 'leaf')}, "
                f"{counted(int(sizing.n_spine[k]), 'spine')}{cores}, "
                f"{counted(int(sizing.links_leaf_spine[k]), 'leaf-spine link')})"
            )
            found[number] = Found(text, change, faults, _is_other_part(spec, change))
    return [found[number] for number in sorted(found)]


def equal_pods(sizing: Sizing, i: int) -> list[int]:
    """Nodes of a pod that cut all nodes into pods of equally many whole units, the largest pods first."""
    nodes = int(max(sizing.asked.grow_nodes[i], sizing.leaves.built_nodes[i]))
    ports_down = int(spine_downlinks(sizing.asked)[i])
    return [pod for pod in _pod_sizes(sizing, i, nodes, ports_down)[:64] if nodes % pod == 0]


def why_three_tiers(sizing: Sizing, i: int, spec: DesignSpec, catalog: Catalog) -> tuple[str, Change | None]:
    """Why a design whose tiers were left open has a core tier, and with what two tiers would do, which it proposes."""
    asked, leaves = sizing.asked, sizing.leaves
    n_leaves = _leaves_of_two_tiers(sizing, i)
    up, ports = int(leaves.uplinks_needed[i]), int(asked.spine_ports[i])
    grown = (
        f" of the {counted(int(asked.grow_nodes[i]), 'node')} to grow to"
        if asked.grow_nodes[i] > asked.nodes[i]
        else ""
    )
    reason = f"{counted(n_leaves, 'leaf')}{grown} need a port each on every spine, and a spine has {ports}. "
    if asked.uneven[i]:
        reason = _uneven_text(n_leaves, up, ports)
    flat = spec.model_copy(update={"fabric": spec.fabric.model_copy(update={"tiers": 2})})
    here = faults_of(spec, fabric_of(sizing, i, spec), catalog)
    ways = _ways_found(flat, catalog, _two_tier_ways(flat, catalog, n_leaves, up)[:-1])
    found = sorted((way for way in ways if way.faults <= here), key=Found.rank)
    instead = f" Two tiers would do with {'; or '.join(way.text for way in found)}." if found else ""
    return f"{reason}A core tier was added.{instead}", found[0].keyed() if found else None


def _leaves_of_two_tiers(sizing: Sizing, i: int) -> int:
    """Leaves that would share the spines of one component, growth included."""
    grow = sizing.leaves.grown_nodes
    return int((leaf_rows(grow, sizing.asked, sizing.leaves) * sizing.leaves.columns)[i])
