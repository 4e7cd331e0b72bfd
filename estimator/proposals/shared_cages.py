"""Cages that two directions share and need unlike plugs in: an error, with a change under which every cage holds one plug.

Every change is tried: the design is sized and cabled again, all links must have cables, and no new error may come.
"""

from collections.abc import Iterator
from dataclasses import replace

from estimator.cabling.runs import CablePlan
from estimator.cabling.tiers import NODE_LEAF
from estimator.catalog.catalog import Catalog
from estimator.designs.cables import design_plan
from estimator.errors import Change, InfeasibleDesign
from estimator.fabric.sized import SizedFabric
from estimator.findings.finding import Finding, of_problem
from estimator.proposals.missing_cables import findings_of_design, sized_changes
from estimator.spec.design import DesignSpec
from estimator.spec.rates import cage_links_of

CODE = "cage_shared_by_unlike_plugs"
_DOWN, _UP = "fabric.leaf_downlinks", "fabric.leaf_uplinks"
_MEDIA = ("multimode", "single-mode")


def blocked_findings(spec: DesignSpec, fabric: SizedFabric, plan: CablePlan, catalog: Catalog) -> Iterator[Finding]:
    """An error for everything that cannot be built as it stands; shared cages with the change that ends them."""
    change: Change | None = None
    if any(problem.code == CODE for problem in plan.blocked):
        change = _first_that_plugs(spec, fabric, plan, catalog)
    for problem in plan.blocked:
        found = of_problem(problem, "error")
        yield replace(found, change=change) if problem.code == CODE else found


def _first_that_plugs(spec: DesignSpec, fabric: SizedFabric, plan: CablePlan, catalog: Catalog) -> Change | None:
    """The first change without new warnings, else the first that works at all."""
    before = {finding.code for finding in findings_of_design(spec, catalog)}
    kept = {problem.code for problem in plan.blocked} - {CODE}
    second: Change | None = None
    for change, made, sized in sized_changes(spec, _ways(spec, fabric, catalog), catalog):
        try:
            again = design_plan(made, sized, catalog)
        except InfeasibleDesign:
            continue
        if {problem.code for problem in again.blocked} - kept or len(again.problems) > len(plan.problems):
            continue
        new = [finding for finding in findings_of_design(made, catalog) if finding.code not in before]
        if not any(finding.severity in ("warning", "error") for finding in new):
            return change
        second = second or change
    return second


def _ways(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog) -> Iterator[Change]:
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
