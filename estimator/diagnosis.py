"""Why a request has no fabric, and what would work instead, each with its counts.

The alternatives are not guessed: every one is sized by the same rules, many at once, and only those that came out are
named.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from estimator.catalog.loader import Catalog
from estimator.errors import Problem
from estimator.sizing import Sizing, leaf_rows, one_tier_ports, pod_cuts_unit, pods_of, size, spine_downlinks
from estimator.spec import DesignSpec
from estimator.units import ceil_div, counted


def why_not(sizing: Sizing, i: int, spec: DesignSpec, catalog: Catalog) -> list[Problem]:
    """Problems of design ``i``, whose ``sizing.tiers`` is 0: the limit that was hit, its numbers, and ways out."""
    asked, leaves = sizing.asked, sizing.leaves
    unit, capacity, rails = int(leaves.unit_nodes[i]), int(leaves.capacity[i]), int(asked.rails_a_leaf[i])
    if int(leaves.downlinks[i]) < 1:
        return [
            Problem(
                "fabric.leaf_radix",
                "leaf_ports_short",
                (
                    f"A leaf of {asked.leaf_ports[i]} usable ports with {asked.up[i]} uplinks has no port left for "
                    "nodes."
                ),
            )
        ]
    if rails and unit * rails > capacity:
        return [
            Problem(
                "fabric.scalable_unit_nodes",
                "unit_over_leaf",
                (
                    f"A unit of {unit:,} nodes needs {unit * rails:,} downlinks on each leaf, and a leaf has "
                    f"{capacity:,}. "
                    f"Use units of {capacity // rails:,} nodes or fewer, or a leaf with more downlinks."
                ),
            )
        ]
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


def _one_tier(sizing: Sizing, i: int, spec: DesignSpec, catalog: Catalog) -> Problem:
    asked = sizing.asked
    ports, each = int(one_tier_ports(asked)[i]), int(asked.endpoints_a_node[i])
    nodes = max(int(asked.grow_nodes[i]), int(sizing.leaves.built_nodes[i]))
    most = ports * int(asked.endpoints_a_port[i]) // each
    return Problem(
        "fabric.tiers",
        "one_tier_too_small",
        (
            f"One leaf has {ports} ports for nodes and holds {most:,} nodes of {each} endpoints; {nodes:,} were asked "
            "for. " + _what_works(spec, catalog, [[("two tiers", {"tiers": 2})], [("three tiers", {"tiers": 3})]])
        ),
    )


def _ratio_problem(sizing: Sizing, i: int) -> Problem | None:
    leaves, asked = sizing.leaves, sizing.asked
    needed, most = int(leaves.uplinks_needed[i]), int(leaves.uplinks_most[i])
    if needed <= most and most >= 1:
        return None
    down, ports = int(leaves.downlinks[i]), int(asked.leaf_ports[i])
    fits = ports * int(asked.ratio_down[i]) // int(asked.ratio_down[i] + asked.ratio_up[i])
    return Problem(
        "fabric.leaf_downlinks",
        "ratio_not_reachable",
        (
            f"{down} downlinks at {asked.ratio_down[i]}:{asked.ratio_up[i]} need {needed} uplinks, and a leaf of "
            f"{ports} usable ports has {most} left. "
            f"Use {fits} downlinks or fewer, a higher oversubscription, or a leaf with {down + needed} ports."
        ),
    )


def _two_tiers(sizing: Sizing, i: int, spec: DesignSpec, catalog: Catalog) -> Problem:
    asked, leaves = sizing.asked, sizing.leaves
    problem = _ratio_problem(sizing, i)
    if problem:
        return problem
    grow = np.maximum(asked.grow_nodes, leaves.built_nodes)
    n_leaves = int((leaf_rows(grow, asked, leaves) * leaves.columns)[i])
    up, ports = int(leaves.uplinks_needed[i]), int(asked.spine_ports[i])
    links, reach = n_leaves * up, ports * int(leaves.capacity[i])
    message = (
        f"{n_leaves:,} leaves need a port each on every spine, and a spine has {ports}: two tiers reach {ports} leaves of "
        f"{leaves.capacity[i]} endpoints, {reach:,} in all, and {int(grow[i]) * int(asked.endpoints_a_node[i]):,} were "
        f"asked for. By ports alone {ceil_div(links, ports)} spines would hold the {links:,} uplinks, but {up} a leaf do "
        "not spread evenly over them. "
    )
    ways = _two_tier_ways(spec, catalog, n_leaves, up)
    return Problem("fabric.tiers", "two_tier_too_small", message + _what_works(spec, catalog, ways))


Way = tuple[str, dict[str, Any]]


def _two_tier_ways(spec: DesignSpec, catalog: Catalog, n_leaves: int, up: int) -> list[list[Way]]:
    radix, has = spec.fabric.leaf_radix or 0, spec.fabric.spine_radix or 0
    most_up = radix - (spec.fabric.leaf_downlinks or 1)
    others = sorted((u for u in range(1, most_up + 1) if u != up), key=lambda u: (abs(u - up), u))
    return [
        [
            (f"spines of {ports} ports or more", {"spine_radix": ports, "spine_switch": "custom"})
            for ports in range(has + 1, n_leaves + 1)
        ],
        [
            (f"spines of {ports} ports, which the catalog has", {"spine_radix": ports, "spine_switch": "custom"})
            for ports in _spine_sizes(spec, catalog)
            if ports > has
        ],
        [("an uneven spread, at which OpenSM falls back to min-hop routing", {"uplink_spread": "uneven"})],
        [(f"{u} uplinks a leaf", {"leaf_uplinks": u}) for u in others[:24]],
        [("three tiers", {"tiers": 3})],
    ]


def _spine_sizes(spec: DesignSpec, catalog: Catalog) -> list[int]:
    generation = catalog.generations[spec.fabric.generation]
    sizes = [
        catalog.switch_ports(key, generation.port_rate_gbit_s)
        for key, s in catalog.switches.items()
        if s.protocol == generation.protocol
    ]
    return sorted({s.radix for s in sizes if s})


def _three_tiers(sizing: Sizing, i: int, spec: DesignSpec, catalog: Catalog) -> Problem:
    """A fabric exists exactly where pods fit a spine's downlinks and groups of spines fit a core (docs/sizing.md)."""
    asked, leaves = sizing.asked, sizing.leaves
    problem = _ratio_problem(sizing, i)
    if problem:
        return problem
    ports_down = int(spine_downlinks(asked)[i])
    if ports_down < 1:
        message = (
            f"A spine of {asked.spine_ports[i]} usable ports cannot face leaves and cores at once; three tiers need 2 "
            "ports or more."
        )
        return Problem("fabric.spine_radix", "spine_ports_short", message)
    nodes = np.maximum(asked.grow_nodes, leaves.built_nodes)
    pods = pods_of(nodes, asked, leaves, spine_downlinks(asked))
    if pods.rows[i] > ports_down:
        unit = max(int(leaves.unit_nodes[i]), 1)
        sizes = [ceil_div(ceil_div(int(nodes[i]), n_pods), unit) * unit for n_pods in range(1, 65)]
        ways = [[(f"pods of {counted(pod, 'node')}", {"pod_nodes": pod, "tiers": 3}) for pod in sizes]]
        message = f"A pod has {pods.rows[i]:,} leaves in each group of spines, and a spine has {ports_down} ports for leaves. "
        return Problem("fabric.pod_nodes", "pod_too_large", message + _what_works(spec, catalog, ways))
    groups, core_ports = int(pods.n_pods[i] * leaves.columns[i]), int(asked.core_ports[i])
    message = (
        f"{counted(int(pods.n_pods[i]), 'pod')} of {counted(int(leaves.columns[i]), 'rail')} are {groups:,} groups of "
        f"spines, and a core of {core_ports} ports joins {core_ports}: three tiers of these switches do not reach "
        f"{int(nodes[i]) * int(asked.endpoints_a_node[i]):,} endpoints. Ask for fewer nodes, a higher spine "
        "oversubscription (larger pods), more planes, or core and spine switches with more ports."
    )
    return Problem("fabric.tiers", "three_tier_too_small", message)


def _what_works(spec: DesignSpec, catalog: Catalog, groups: Sequence[Sequence[Way]]) -> str:
    """A sentence naming the first way of each group that can be built, with its counts; all are sized in one batch."""
    ways = [(number, label, change) for number, group in enumerate(groups) for label, change in group]
    specs = [spec.model_copy(update={"fabric": spec.fabric.model_copy(update=change)}) for _, _, change in ways]
    sizing = size(specs, catalog)
    found: dict[int, str] = {}
    for k, (number, label, _) in enumerate(ways):
        if sizing.tiers[k] and number not in found:
            cores = f", {counted(int(sizing.n_core[k]), 'core')}" if sizing.n_core[k] else ""
            found[number] = (
                f"{label} ({counted(int(sizing.n_leaf[k]), 'leaf')}, "
                f"{counted(int(sizing.n_spine[k]), 'spine')}{cores}, "
                f"{counted(int(sizing.links_leaf_spine[k]), 'leaf-spine link')})"
            )
    if not found:
        return "Ask for fewer nodes, a higher oversubscription or switches with more ports."
    return "What would work: " + "; ".join(found.values()) + "."
