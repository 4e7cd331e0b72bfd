"""Specs in, Estimates out: counts → cables → BOM → cost, power → performance.

The one module that runs all of them in order. Links, pictures and proposals run the first ones (``designs``) for themselves.
"""

from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from estimator.bom.bill import bill_of_fabrics
from estimator.bom.lines import Billed, Bom
from estimator.bom.result import BomWithLines
from estimator.cabling.result import SizedNetwork
from estimator.cabling.runs import CablePlan
from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import COMPUTE
from estimator.cost.cost import cost_of
from estimator.cost.inputs import Priced, priced
from estimator.cost.power import design_power, power_of
from estimator.cost.reliability import expected_failures, failing_parts
from estimator.cost.result import Cost, Power
from estimator.designs.links import all_links
from estimator.designs.networks import design_plan, sized_fabrics, sized_others
from estimator.designs.parts import catalog_of
from estimator.designs.subject import Subject
from estimator.designs.system import system_of
from estimator.errors import Change, InfeasibleDesign, Problem, SpecError
from estimator.fabric.ratios import oversubscription_of, paths_of
from estimator.fabric.result import CountedNetwork
from estimator.fabric.sized import SizedFabric
from estimator.fabric.topology import panels_of
from estimator.findings.fabric import Finding, findings_of, of_problem
from estimator.findings.failures import failures_of
from estimator.findings.finding import in_word
from estimator.findings.future import about_growth, about_spares, cannot_grow
from estimator.findings.node_words import node_word
from estimator.findings.parts import own_findings, part_findings
from estimator.findings.prices import age_findings, book_findings, own_price_findings
from estimator.findings.result import Failures
from estimator.floor.whole_racks import whole_racks
from estimator.growth.phases import (
    BuiltPhase,
    in_phase,
    phase_specs,
    phases_of,
    too_many_links,
    warnings_of,
    ways_to_build,
)
from estimator.growth.room import Bought, compared_specs, growth_of, is_recabled, moved_manager_links, nodes_sized_for
from estimator.networks.sized import OtherSized
from estimator.performance.result import Performance, UsedCalibration
from estimator.performance.times import design_performance
from estimator.proposals.cables import NO_PART, blocked_findings, missing_cables
from estimator.proposals.proposals import IN_WORDS, with_changes
from estimator.proposals.vendor_unit import about_vendor_unit
from estimator.record import Json
from estimator.result import Estimate, Versions
from estimator.spec.calibration import Calibrated, constants_of
from estimator.spec.change import apply_change
from estimator.spec.design import DesignSpec, spec_hash
from estimator.spec.parse import parse_spec
from estimator.spec.phases import PhaseEntry
from estimator.version import MODEL_VERSION

DESIGN = "design"  # the key of a request that has one
CHANGES = (
    "changes"  # what would end each finding: half of the work of a small design, and nothing but a finding shows it
)
ALL_PARTS = (
    "counts",
    "links",
    "cables",
    "bom",
    "cost",
    "performance",
    "growth",
    "failures",
    "percentiles",
    "uncertainty",
    CHANGES,
)
OF_COST = frozenset({"percentiles", "uncertainty"})
NEED_BILL = frozenset({"bom", "cost", "failures", "spares", "growth"})
NEED_CABLES = NEED_BILL | {"cables"}


def estimate(specs: Sequence[DesignSpec], catalog: Catalog, parts: Sequence[str] = ALL_PARTS) -> tuple[Estimate, ...]:
    """Estimate designs: a batch in one pass, one design as a batch of one.

    Parameters
    ----------
    specs : from ``parse_spec``.
    parts : which of ALL_PARTS to compute; ``cost`` brings ``power`` along, ``percentiles`` and ``uncertainty`` add to it. Beside
        them, ``all_reduce`` is of ``performance`` that table alone, and ``spares`` of ``failures`` the findings alone.

    Raises
    ------
    InfeasibleDesign
        With the problems of every spec that no fabric of its parts can meet.
    """
    return tuple(answer for answer, _ in _with_fabrics(specs, catalog, parts))


def _with_fabrics(
    specs: Sequence[DesignSpec], catalog: Catalog, parts: Sequence[str]
) -> tuple[tuple[Estimate, SizedFabric], ...]:
    """As ``_batch``, with every design's own parts in the catalog: those that see the same one are one batch."""
    by_catalog: dict[Catalog, list[int]] = {}
    for i, spec in enumerate(specs):
        by_catalog.setdefault(catalog_of(spec, catalog), []).append(i)
    made: dict[int, tuple[Estimate, SizedFabric]] = {}
    problems: list[Problem] = []
    for seen, places in by_catalog.items():
        try:
            made |= zip(places, _batch([specs[i] for i in places], seen, parts), strict=True)
        except InfeasibleDesign as error:
            problems += error.problems
    if problems:
        raise InfeasibleDesign(problems)
    return tuple(made[i] for i in range(len(specs)))


def _batch(
    specs: Sequence[DesignSpec], catalog: Catalog, parts: Sequence[str]
) -> tuple[tuple[Estimate, SizedFabric], ...]:
    """Estimates, each with the fabric that it is of."""
    sizing, fabrics = sized_fabrics(specs, catalog)
    found = [
        _about_counts(Subject(spec, sizing, i, fabric, catalog), None if CHANGES in parts else IN_WORDS)
        for i, (spec, fabric) in enumerate(zip(specs, fabrics, strict=True))
    ]
    others = sized_others(specs, fabrics, catalog)
    performance: Sequence[Performance | None] = [None] * len(specs)
    if {"performance", "all_reduce"} & set(parts):
        performance = _performance(specs, fabrics, catalog, only_all_reduce="performance" not in parts)
    return tuple(
        (_one(spec, fabrics[i], others[i], found[i], performance[i], catalog, parts), fabrics[i])
        for i, spec in enumerate(specs)
    )


def _about_counts(subject: Subject, changed: Container[str] | None) -> list[Finding]:
    """What an architect should know of the counts, and the vendor's own unit; with the changes that end findings of these
    codes, or of all."""
    found = findings_of(subject.spec, subject.sizing, subject.i, subject.fabric, subject.catalog)
    return with_changes([*found, *about_vendor_unit(subject)], subject, changed)


def _one(
    spec: DesignSpec,
    fabric: SizedFabric,
    others: tuple[OtherSized, ...],
    found: list[Finding],
    performance: Performance | None,
    catalog: Catalog,
    parts: Sequence[str],
) -> Estimate:
    """One design's Estimate, from what was sized and predicted in the batch."""
    wanted = {*parts, *(("cost",) if OF_COST & set(parts) else ())}
    fabrics, about_others = _networks(spec, fabric, others, catalog)
    found = [*found, *about_others]
    of_bill = _OfBill()
    if wanted & NEED_CABLES:
        cabled = _cabled_design(spec, fabric, others, catalog)
        fabrics = {key: _with_cables(network, key, cabled) for key, network in fabrics.items()}
        found = _about_cables(cabled, found, CHANGES in parts)
        if wanted & NEED_BILL:
            of_bill = _of_bill(cabled, performance, wanted)
            found += of_bill.found
    whole = whole_racks(spec, fabric.n_nodes, catalog)
    made = Estimate(
        spec=spec,
        versions=Versions(model=MODEL_VERSION, catalog=catalog.version),
        spec_hash=spec_hash(spec),
        fabrics=fabrics,
        findings=found,
        bom=of_bill.bom,
        cost=of_bill.cost,
        power=of_bill.power,
        performance=performance,
        failures=of_bill.failures,
        racks=whole.shown(catalog) if whole else None,
    )
    if "growth" in wanted:
        made = _with_growth(made, fabric, catalog)
        made = _with_phases(made, fabric, catalog) if spec.phases else made
    word = node_word(spec.compute.server, catalog)
    made = made.but(findings=[in_word(finding, word) for finding in made.findings])
    return made if "bom" in wanted else made.but(bom=None)


def _networks(
    spec: DesignSpec, fabric: SizedFabric, others: tuple[OtherSized, ...], catalog: Catalog
) -> tuple[dict[str, SizedNetwork], list[Finding]]:
    """Every network by its key, still without cables; and what there is to say of those beside compute."""
    fabrics = {COMPUTE: _network(fabric.answer(), fabric, spec.fabric.oversubscription)}
    if not others:
        return fabrics, []
    from estimator.findings.networks import other_findings  # for a fast start: few designs have other networks
    from estimator.networks.sizing import answer_of

    for one in others:
        fabrics[one.key] = _network(answer_of(one), one.fabric, one.entry.oversubscription)
    return fabrics, [finding for one in others for finding in other_findings(one, catalog)]


class _Cabled(NamedTuple):
    """One design with the cables of all its networks, each as it is billed."""

    catalog: Catalog
    compute: Billed
    others: dict[str, tuple[OtherSized, Billed]]
    """By key."""

    @property
    def beside(self) -> list[Billed]:
        """The networks beside compute."""
        return [billed for _, billed in self.others.values()]


def _cabled_design(spec: DesignSpec, fabric: SizedFabric, others: tuple[OtherSized, ...], catalog: Catalog) -> _Cabled:
    plan = design_plan(spec, fabric, catalog, others)
    compute = Billed(COMPUTE, spec, fabric, plan)
    if not others:
        return _Cabled(catalog, compute, {})
    from estimator.cabling.networks import other_plan  # for a fast start, as above

    plans = [other_plan(one, fabric, others, catalog, plan.floor) for one in others]
    billed = [Billed(one.key, one.spec, one.fabric, of_one) for one, of_one in zip(others, plans, strict=True)]
    return _Cabled(catalog, compute, {one.key: (one, of_one) for one, of_one in zip(others, billed, strict=True)})


def _with_cables(network: SizedNetwork, key: str, cabled: _Cabled) -> SizedNetwork:
    plan = cabled.compute.plan if key == COMPUTE else cabled.others[key][1].plan
    network = network.but(cables=plan.cables, transceivers=plan.transceivers, media=plan.media)
    return network.but(floor_plan=plan.floor.answer() if plan.floor else None) if key == COMPUTE else network


def _about_cables(cabled: _Cabled, found: list[Finding], changed: bool) -> list[Finding]:
    """The findings so far, with those about cables, lengths and the floor around them; with the changes that end them."""
    spec, fabric, plan, catalog = cabled.compute.spec, cabled.compute.fabric, cabled.compute.plan, cabled.catalog
    floor = plan.floor
    return [
        *(blocked_findings(spec, fabric, plan, catalog, changed) if plan.blocked else ()),
        *(missing_cables(spec, fabric, plan, catalog, changed) if plan.problems else ()),
        *([of_problem(one, floor.severity(one)) for one in floor.problems] if floor else ()),
        *found,
        *(of_problem(problem, "info") for problem in plan.hints),
        *(
            one
            for other, billed in cabled.others.values()
            for one in _cabling_of(other, spec, billed.plan, catalog, changed)
        ),
    ]


class _OfBill(NamedTuple):
    """What follows from the bill of materials; None where it was not requested."""

    found: tuple[Finding, ...] = ()
    bom: BomWithLines | None = None
    cost: Cost | None = None
    power: Power | None = None
    failures: Failures | None = None


def _of_bill(cabled: _Cabled, performance: Performance | None, wanted: Collection[str]) -> _OfBill:
    spec, fabric, catalog = cabled.compute.spec, cabled.compute.fabric, cabled.catalog
    bill = bill_of_fabrics([cabled.compute, *cabled.beside], catalog)
    found, cost, power, failures = _about_prices(spec, bill, catalog), None, None, None
    if "cost" in wanted:
        power = power_of(spec, fabric, cabled.compute.plan, catalog, cabled.beside)
        cost = cost_of(
            spec,
            fabric,
            bill,
            catalog,
            cabled.beside,
            full_size_busbw_gb_s(performance),
            with_uncertainty="uncertainty" in wanted,
            with_percentiles="percentiles" in wanted,
        )
    if {"failures", "spares"} & set(wanted):
        expected = failing_parts(spec, fabric, bill.lines, catalog)
        found += about_spares(expected, catalog)
        if "failures" in wanted:
            stops = expected_failures(expected, fabric, catalog)
            failures = failures_of(fabric, panels_of(spec, fabric, catalog), spec.compute.nics_per_node or 1, stops)
    bom = bill.shown() if {"bom", "growth"} & set(wanted) else None
    return _OfBill(tuple(found), bom, cost, power, failures)


def _about_prices(spec: DesignSpec, bill: Bom, catalog: Catalog) -> list[Finding]:
    """Findings about the prices and parts of the bill."""
    own = spec.economics.prices
    return [
        *own_price_findings(own, bill.lines),
        *book_findings(bill.lines),
        *age_findings(bill.lines, (own.day if own else "") or catalog.priced_on),
        *part_findings(spec, bill.lines, catalog),
        *own_findings(spec, bill.lines, catalog),
    ]


def _network(sized: CountedNetwork, fabric: SizedFabric, asked: str) -> SizedNetwork:
    return SizedNetwork(**vars(sized), oversubscription=oversubscription_of(fabric, asked), paths=paths_of(fabric))


def _cabling_of(one: OtherSized, spec: DesignSpec, plan: CablePlan, catalog: Catalog, changed: bool) -> list[Finding]:
    """Findings about the cables of a network beside compute; with the change that ends a lack of them, where wanted."""
    from estimator.findings.networks import cabling_findings  # for a fast start, as above

    found = cabling_findings(one, plan)
    if not (changed and plan.problems):
        return found
    from estimator.proposals.missing_network_cables import change_of  # for a fast start

    change = change_of(one, spec, catalog)
    return [replace(finding, change=change) if finding.code == NO_PART else finding for finding in found]


def _with_growth(made: Estimate, fabric: SizedFabric, catalog: Catalog) -> Estimate:
    """The estimate with ``growth``, and with what stands in the way of growing among its findings."""
    made = made.but(growth=None)
    try:
        specs = compared_specs(made.spec, fabric, catalog)
        others = _with_fabrics(specs, catalog, ("counts", "links", "cables", "bom")) if specs else ()
    except (SpecError, InfeasibleDesign) as error:
        return made.but(findings=[*made.findings, *(cannot_grow(problem) for problem in error.problems)])
    if not others:
        return made
    (grown, grown_fabric), (right, _) = others
    moved = moved_manager_links(fabric, grown_fabric)
    recabled = is_recabled(made.spec, fabric, grown_fabric)
    growth = growth_of(_bought(made), _bought(grown), _bought(right), moved, recabled)
    return made.but(growth=growth, findings=[*made.findings, *about_growth(made.spec, growth)])


def _with_phases(made: Estimate, fabric: SizedFabric, catalog: Catalog) -> Estimate:
    """The estimate with ``phases``, up to one that cannot be built: what stands in its way is among the findings."""
    built: list[BuiltPhase] = []
    problems: Sequence[Problem] = ()
    try:
        for at, (entry, spec) in enumerate(zip(made.spec.phases, phase_specs(made.spec, fabric, catalog), strict=True)):
            built.append(_built_phase(entry, spec, at, catalog))
    except (SpecError, InfeasibleDesign) as error:
        problems = error.problems
    new = warnings_of(built, {finding.code for finding in made.findings})
    found = [Finding(one.code, "warning", one.field, one.message) for one in new]
    change = _way_to_build(made.spec, problems, catalog)
    found += [Finding("phase_not_possible", "warning", one.field, one.message, change) for one in problems]
    return made.but(phases=phases_of(built, problems) if built else None, findings=[*made.findings, *found])


def _way_to_build(spec: DesignSpec, problems: Sequence[Problem], catalog: Catalog) -> Change | None:
    """The first change of a design with which all its phases can be built and cabled; each is tried."""
    for change in ways_to_build(spec, problems):
        try:
            changed = parse_spec(apply_change(spec.as_json(), change), catalog)
            _, (fabric,) = sized_fabrics([changed], catalog_of(changed, catalog))
            specs = list(phase_specs(changed, fabric, catalog))
            sized = [one for _, one in _with_fabrics(specs, catalog, ("counts", "links", "cables"))]
            sized_others(specs, sized, catalog)
        except (SpecError, InfeasibleDesign):
            continue  # no way out
        return change
    return None


def _built_phase(entry: PhaseEntry, spec: DesignSpec, at: int, catalog: Catalog) -> BuiltPhase:
    """One phase, estimated.

    Raises
    ------
    InfeasibleDesign
        With what stands in its way, under the key of the phase.
    """
    try:
        ((made, fabric),) = _with_fabrics([spec], catalog, ("counts", "links", "cables", "bom", "cost"))
        (others,) = sized_others([spec], [fabric], catalog)
    except InfeasibleDesign as error:
        raise InfeasibleDesign([in_phase(problem, at) for problem in error.problems]) from None
    if made.bom is None or made.cost is None:
        raise ValueError("phases compare bills of materials and their cost")
    held = nodes_sized_for(spec, fabric)
    if too_many_links([*made.fabrics.values()]):
        links = None
    else:
        links = all_links(spec, fabric, design_plan(spec, fabric, catalog, others), others, catalog)
    warnings = tuple(Problem(of.field, of.code, of.message) for of in made.findings if of.severity == "warning")
    return BuiltPhase(entry, spec.fabric.generation, made.fabrics[COMPUTE], held, made.bom, made.cost, links, warnings)


def _bought(made: Estimate) -> Bought:
    if made.bom is None:
        raise ValueError("growth compares bills of materials")
    return Bought(made.fabrics[COMPUTE], made.bom)


def _performance(
    specs: Sequence[DesignSpec], fabrics: Sequence[SizedFabric], catalog: Catalog, only_all_reduce: bool
) -> list[Performance]:
    """Predicted collectives of the designs whose GPU is known, all in one batch."""
    out = [Performance(all_reduce=None, missing="Name the GPU, so that collectives can be predicted.")] * len(specs)
    by_calibration: dict[tuple[str, str] | None, list[int]] = {}
    for i, spec in enumerate(specs):
        if spec.compute.gpu:
            used = spec.workload.calibration
            by_calibration.setdefault((used.name, used.hash) if used else None, []).append(i)
    for known in by_calibration.values():
        used = specs[known[0]].workload.calibration
        systems = [system_of(specs[i], fabrics[i], catalog) for i in known]
        n_gpus, constants = [fabrics[i].n_gpus for i in known], constants_of(catalog, used)
        made = design_performance([one.as_json() for one in systems], n_gpus, catalog, constants, only_all_reduce)
        calibration = UsedCalibration(**used.provenance()) if used else None
        for i, system, performance in zip(known, systems, made, strict=True):
            out[i] = performance.but(system=system, calibration=calibration)
    return out


def full_size_busbw_gb_s(performance: Performance | None) -> float | None:
    """Predicted all-reduce of the largest message on all GPUs; None where nothing was predicted."""
    reduction = performance.all_reduce if performance else None
    return reduction.busbw_gb_s[-1][-1] if reduction else None


def priced_designs(specs: Sequence[DesignSpec], catalog: Catalog) -> list[Priced]:
    """Designs ready to be costed at prices of any draw: a batch in one pass.

    Raises
    ------
    InfeasibleDesign
        With the problems of every spec that no fabric of its parts can meet.
    """
    _, fabrics = sized_fabrics(specs, catalog)
    out = []
    for spec, fabric, others in zip(specs, fabrics, sized_others(specs, fabrics, catalog), strict=True):
        cabled = _cabled_design(spec, fabric, others, catalog)
        bill = bill_of_fabrics([cabled.compute, *cabled.beside], catalog)
        power = design_power(spec, fabric, cabled.compute.plan, catalog, cabled.beside)
        out.append(priced(spec, fabric, bill, power, catalog, cabled.beside))
    return out


class DesignSystem(NamedTuple):
    """A design as the ``system`` of a request, and its size."""

    spec: DesignSpec
    system: Json
    n_gpus: int
    spec_hash: str


def system_of_design(values: Any, catalog: Catalog) -> DesignSystem:
    """A DesignSpec in JSON as the system that it would be built as.

    Raises
    ------
    SpecError
        With every problem of the design, under ``design.…``, and where its GPU is not known.
    InfeasibleDesign
        If the design cannot be built.
    """
    spec = _design_of(values, catalog)
    if spec.compute.gpu is None:
        server = catalog_of(spec, catalog).server(spec.compute.server)
        named = server.model if server else spec.compute.server
        message = f"{named} names no GPU that is known, so nothing can be predicted. Give compute.gpu."
        raise SpecError([Problem("design.compute.gpu", "missing", message)])
    catalog = catalog_of(spec, catalog)
    _, (fabric,) = sized_fabrics([spec], catalog)
    return DesignSystem(spec, system_of(spec, fabric, catalog).as_request(), fabric.n_gpus, spec_hash(spec))


def calibration_of_design(values: Any, catalog: Catalog) -> Calibrated | None:
    """The site's own constants that a DesignSpec in JSON carries; None where it carries none.

    Raises
    ------
    SpecError
        As ``system_of_design``, of a design that carries some.
    """
    workload = values.get("workload") if isinstance(values, Mapping) else None
    if not isinstance(workload, Mapping) or workload.get("calibration") is None:
        return None
    return _design_of(values, catalog).workload.calibration


def _design_of(values: Any, catalog: Catalog) -> DesignSpec:
    """The design; its problems are reported under the request's key."""
    try:
        return parse_spec(values, catalog)
    except SpecError as error:
        raise SpecError([one.inside(DESIGN) for one in error.problems]) from None
