"""Links that no part of the catalog can join, and cages that unlike plugs would share: errors, each with its way out.

A BOM without these cables is short by their price, so such a design is no offer. Every change is tried: the design is
sized and cabled again, the tier must have its cables and every cage one plug, no other tier may lose them, and no new
error may come.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from estimator.cabling.ends import tier_ends
from estimator.cabling.media import options_of
from estimator.cabling.runs import CablePlan
from estimator.cabling.tiers import NODE_LEAF, SITE_TIERS, site_field
from estimator.catalog.catalog import Catalog
from estimator.designs.adapters import OWN_PARTS, generation_changes, node_link_changes, usual_parts
from estimator.designs.networks import design_plan
from estimator.errors import Change, InfeasibleDesign, SpecError
from estimator.fabric.size import size
from estimator.fabric.sized import SizedFabric, fabric_of
from estimator.findings.fabric import findings_of
from estimator.findings.finding import Finding, of_problem
from estimator.spec.change import apply_change
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec
from estimator.spec.rates import cage_links_of, port_rate
from estimator.spec.rules import uplink_rates

NO_PART, SHARED_CAGE = "no_part_fits", "cage_shared_by_unlike_plugs"
_MOST_TRIED = 64
_AT_ONCE = 6
_USUAL_M = 10.0  # a row of racks: who has cables of such a length may shorten a run, below it racks would have to move
_DOWN, _UP = "fabric.leaf_downlinks", "fabric.leaf_uplinks"
_MEDIA = ("multimode", "single-mode")


def missing_cables(
    spec: DesignSpec, fabric: SizedFabric, plan: CablePlan, catalog: Catalog, changed: bool
) -> Iterator[Finding]:
    """An error for every tier that has links without cables; where ``changed``, with the change that gives it all of them."""
    short = [tier.tier for tier in plan.tiers if tier.missing]
    for tier, problem in zip(short, plan.problems, strict=True):
        change = _first_that_cables(spec, fabric, plan, tier, catalog) if changed else None
        yield replace(of_problem(problem, "error"), change=change)


def _first_that_cables(
    spec: DesignSpec, fabric: SizedFabric, plan: CablePlan, tier: str, catalog: Catalog
) -> Change | None:
    """The first change without new warnings, else the first that works at all."""
    before = {finding.code for finding in _findings_of_design(spec, catalog)}
    second: Change | None = None
    for change, made, sized in _sized_changes(
        spec, islice(_ways_to_cable(spec, fabric, tier, catalog), _MOST_TRIED), catalog
    ):
        try:
            again = design_plan(made, sized, catalog)
        except InfeasibleDesign:
            continue
        lost = {one.tier for one in again.tiers if one.missing} - {one.tier for one in plan.tiers if one.missing}
        blocked = {problem.code for problem in again.blocked} - {problem.code for problem in plan.blocked}
        links = again.tier(tier)
        if lost or blocked or (links and links.missing):
            continue
        new = [finding for finding in _findings_of_design(made, catalog) if finding.code not in before]
        if not any(finding.severity == "warning" for finding in new):
            return change
        second = second or change
    return second


def _findings_of_design(spec: DesignSpec, catalog: Catalog) -> list[Finding]:
    """Findings about the counts of one design."""
    sizing = size([spec], catalog)
    return findings_of(spec, sizing, 0, fabric_of(sizing, 0, spec), catalog)


def _sized_changes(
    spec: DesignSpec, changes: Iterator[Change], catalog: Catalog
) -> Iterator[tuple[Change, DesignSpec, SizedFabric]]:
    """The changes under which the request is one, and a fabric exists; a few are sized at once, as the first ones mostly do."""
    values = spec.as_json()
    while few := list(islice(changes, _AT_ONCE)):
        specs, kept = [], []
        for change in few:
            try:
                specs.append(parse_spec(apply_change(values, change), catalog))
                kept.append(change)
            except SpecError:
                continue
        if not specs:
            continue
        sizing = size(specs, catalog)
        for k, (change, made) in enumerate(zip(kept, specs, strict=True)):
            if sizing.tiers[k]:
                yield change, made, fabric_of(sizing, k, made)


def _ways_to_cable(spec: DesignSpec, fabric: SizedFabric, tier: str, catalog: Catalog) -> Iterator[Change]:
    """Candidates for one tier: as long as its cables are made, then other ports, other switches, other generations."""
    ends = next(ends for ends in tier_ends(spec, fabric, catalog) if ends.tier == tier)
    reach_m = max((option.most_m for option in options_of(catalog, ends.question)), default=0.0)
    if tier in SITE_TIERS and spec.site.plan is None and reach_m >= _USUAL_M:
        yield {site_field(tier): reach_m}
    if tier == NODE_LEAF:
        yield from node_link_changes(spec, catalog)
    else:
        yield from _between_switches(spec, catalog)
    if tier in SITE_TIERS and spec.site.plan is None and 0 < reach_m < _USUAL_M:
        yield {site_field(tier): reach_m}


def _between_switches(spec: DesignSpec, catalog: Catalog) -> Iterator[Change]:
    """Uplinks at another rate of the same switches; then spines like the leaves; then the usual switches of the rate."""
    above = {key: None for key in OWN_PARTS if not key.startswith("fabric.leaf")}
    if spec.fabric.uplink_rate_gbit_s:
        yield {"fabric.uplink_rate_gbit_s": None}
    for rate in uplink_rates(spec.fabric.leaf_switch, spec.fabric, catalog):
        radix = {"fabric.spine_radix": None, "fabric.core_radix": None}
        for change in ({"fabric.uplink_rate_gbit_s": rate, **radix}, {"fabric.uplink_rate_gbit_s": rate, **above}):
            yield change if spec.fabric.leaf_uplinks is None else change | {"fabric.leaf_uplinks": None}
    yield above
    yield usual_parts(spec)
    yield from generation_changes(spec, catalog, port_rate(spec.fabric, catalog))


# ---------------------------------------------------------------- cages that unlike plugs would share


def blocked_findings(
    spec: DesignSpec, fabric: SizedFabric, plan: CablePlan, catalog: Catalog, changed: bool
) -> Iterator[Finding]:
    """An error for everything that cannot be built as it stands; where ``changed``, with the change that ends shared cages."""
    change: Change | None = None
    if changed and any(problem.code == SHARED_CAGE for problem in plan.blocked):
        change = _first_that_plugs(spec, fabric, plan, catalog)
    for problem in plan.blocked:
        found = of_problem(problem, "error")
        yield replace(found, change=change) if problem.code == SHARED_CAGE else found


def _first_that_plugs(spec: DesignSpec, fabric: SizedFabric, plan: CablePlan, catalog: Catalog) -> Change | None:
    """The first change without new warnings, else the first that works at all."""
    before = {finding.code for finding in _findings_of_design(spec, catalog)}
    kept = {problem.code for problem in plan.blocked} - {SHARED_CAGE}
    second: Change | None = None
    for change, made, sized in _sized_changes(spec, _ways_to_plug(spec, fabric, catalog), catalog):
        try:
            again = design_plan(made, sized, catalog)
        except InfeasibleDesign:
            continue
        if {problem.code for problem in again.blocked} - kept or len(again.problems) > len(plan.problems):
            continue
        new = [finding for finding in _findings_of_design(made, catalog) if finding.code not in before]
        if not any(finding.severity in ("warning", "error") for finding in new):
            return change
        second = second or change
    return second


def _ways_to_plug(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog) -> Iterator[Change]:
    """Whole cages next to the split as built, then the automatic split, then whole cages of managers, then other media."""
    links = cage_links_of(spec.fabric, catalog)
    down, up = fabric.leaf_downlinks, fabric.leaf_uplinks
    below, above = down - down % links, down - down % links + links
    whole_up = up - up % links
    uplinks: list[int | None] = [up] if spec.fabric.leaf_uplinks is not None else []
    uplinks += [] if spec.fabric.leaf_uplinks is None or not whole_up else [whole_up, whole_up + links]
    for n_down in dict.fromkeys((above, below, down)):
        for n_up in dict.fromkeys((*uplinks, None)):
            if n_down > 0 and (n_down != down or n_up != spec.fabric.leaf_uplinks):
                yield {_DOWN: n_down, _UP: n_up}
    yield {_DOWN: None, _UP: None}
    managers = spec.fabric.reserved.fabric_manager_links
    if managers:
        for more in range(1, 2 * links + 1):
            yield {"fabric.reserved.fabric_manager_links": managers + more}
    for medium in _MEDIA:
        yield {f"site.{NODE_LEAF}_medium": medium}
    if managers:
        yield {"fabric.reserved.fabric_manager_links": 0}
