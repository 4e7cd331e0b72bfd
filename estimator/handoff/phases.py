"""The phases of a design as files: what each buys and leaves unused, the years, and every cable that it touches."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from estimator.cabling.links import LinkList
from estimator.catalog.catalog import Catalog
from estimator.designs.networks import sized_fabrics
from estimator.designs.parts import catalog_of
from estimator.errors import InfeasibleDesign, Problem, SpecError, one_of_formats
from estimator.growth.in_place import in_place
from estimator.growth.phases import MOST_LINKS, in_phase, phase_specs
from estimator.growth.recabling import KEPT, Cable, Step, steps_between
from estimator.growth.result import PhaseLine, Phases, YearCost
from estimator.handoff.cells import Cell, csv_blocks, guarded
from estimator.link_list import link_list, link_lists
from estimator.pipeline import estimate
from estimator.spec.design import DesignSpec, spec_hash

BOUGHT, STRANDED = "bought", "stranded"
ENDS = ("low", "typical", "high")
PARTS = ("counts", "links", "cables", "bom", "cost", "growth")
BILL_COLUMNS = (
    *("phase", "date", "state", "network", "category", "part", "part_number", "description", "length_m", "quantity"),
    *(f"{name}_usd_{end}" for name in ("unit_price", "price") for end in ENDS),
    *("price_basis", "price_source", "assumed"),
)
YEAR_COLUMNS = (
    "year",
    *(f"{name}_usd_{end}" for name in ("bought", "one_off", "running", "total", "cumulative") for end in ENDS),
)
CABLE_COLUMNS = (
    *("phase", "date", "action", "network", "tier", "label_before", "label_after", "part", "length_m", "cables"),
    *("a_device_before", "a_port_before", "b_device_before", "b_port_before"),
    *("a_device", "a_port", "b_device", "b_port"),
    "part_name",
)


def bill_rows(phases: Phases) -> Iterator[tuple[Cell, ...]]:
    """A line of what a phase buys or leaves unused, as BILL_COLUMNS."""
    for phase in phases.phases:
        for state, lines in ((BOUGHT, phase.bill), (STRANDED, phase.stranded)):
            yield from ((phase.name, phase.date, state, *_line(line)) for line in lines)


def _line(line: PhaseLine) -> tuple[Cell, ...]:
    what = (line.fabric, line.category, line.part, line.part_number, line.description, line.length_m, line.quantity)
    prices = (line.unit_price_usd, line.extended_price_usd)
    money = (end for price in prices for end in (price or (None, None, None)))
    return (*what, *money, line.price_basis, line.price_source, line.assumption)


def year_row(one: YearCost) -> tuple[Cell, ...]:
    """A year as YEAR_COLUMNS."""
    amounts = (one.bought_usd, one.one_off_usd, one.running_usd, one.total_usd, one.cumulative_usd)
    return (one.year, *(end for amount in amounts for end in amount))


def built_phases(spec: DesignSpec, catalog: Catalog) -> Iterator[tuple[LinkList, ...]]:
    """The networks of each phase, at the ports that it is built with.

    Raises
    ------
    SpecError
        If the design has no phases, or two of them more than MOST_LINKS links.
    InfeasibleDesign
        If one of its phases cannot be built.
    """
    _need_phases(spec)
    _, (first,) = sized_fabrics([spec], catalog_of(spec, catalog))
    try:
        specs = list(phase_specs(spec, first, catalog))  # refused before the first phase is made
    except SpecError as error:
        raise SpecError(_untried(error.problems)) from None
    before: tuple[LinkList, ...] = ()
    for at, one in enumerate(specs):
        try:
            after = link_lists(one, catalog)
        except InfeasibleDesign as error:
            raise InfeasibleDesign(_untried([in_phase(problem, at) for problem in error.problems])) from None
        n_links = sum(map(len, (*before, *after)))
        if n_links > MOST_LINKS:
            message = (
                f"Cables of two phases are compared up to {MOST_LINKS:,} links, and phases {at} and {at + 1} have "
                f"{n_links:,}. Make phases of one pod."
            )
            raise SpecError([Problem(f"phases[{at}].nodes", "too_many_links", message)])
        before = in_place(before, after)
        yield before


def phase_links(spec: DesignSpec, catalog: Catalog, phase: int, role: str) -> LinkList:
    """The links of one network in a phase, counted from 1, at the ports that it is built with.

    A design of that size by itself has the same switches and counts at other ports. The list is named after the phase, and
    has the hash of the design whose phase it is.

    Raises
    ------
    SpecError, InfeasibleDesign
        As ``built_phases``, and where there is no such phase, or no such network in it.
    """
    _need_phases(spec)
    if not 1 <= phase <= len(spec.phases):
        message = f"The design has phases 1 to {len(spec.phases)}, and {phase} was requested."
        raise SpecError([Problem("phase", "out_of_range", message)])
    networks = next(islice(built_phases(spec, catalog), phase - 1, None))
    found = next((links for links in networks if links.role == role), None)
    if found is None:
        roles = ", ".join(links.role for links in networks)
        message = f"The networks of the phase are {roles}, and '{role[:40]}' was requested."
        raise SpecError([Problem("fabric", "no_such_fabric", message)])
    named = f"{spec.name}, {spec.phases[phase - 1].name or f'phase {phase}'}"
    return replace(found, spec=found.spec.model_copy(update={"name": named}), spec_hash=spec_hash(spec))


def links_at(spec: DesignSpec, catalog: Catalog, role: str, phase: int | None) -> LinkList:
    """The links of one network of a design as it is now, or as ``phase_links`` has them where a phase is named."""
    return link_list(spec, catalog, role) if phase is None else phase_links(spec, catalog, phase, role)


def cable_rows(spec: DesignSpec, catalog: Catalog) -> Iterator[tuple[Cell, ...]]:
    """Every cable that a phase takes out, moves or lays, as CABLE_COLUMNS; of the first phase all of them.

    Raises
    ------
    SpecError, InfeasibleDesign
        As ``built_phases``.
    """
    _need_phases(spec)
    before: tuple[LinkList, ...] = ()
    for at, (entry, after) in enumerate(zip(spec.phases, built_phases(spec, catalog), strict=True)):
        for step in steps_between(before, after):
            if step.action != KEPT:
                yield (entry.name or f"Phase {at + 1}", entry.date, *_step(step, after[0].catalog))
        before = after


def _untried(problems: Sequence[Problem]) -> list[Problem]:
    """Problems without their changes: nobody has tried whether those let every phase be built."""
    return [replace(problem, change=None) for problem in problems]


def _step(step: Step, catalog: Catalog) -> tuple[Cell, ...]:
    one = step.cable
    numbers = (step.before.number if step.before else None, step.after.number if step.after else None)
    what = (step.action, one.fabric, one.tier, *numbers, one.part, one.length_m, one.pieces)
    part = catalog.cables.get(one.part)
    return (*what, *_ends(step.before), *_ends(step.after), part.name if part else None)


def _ends(cable: Cable | None) -> tuple[Cell, ...]:
    return (*cable.a, *cable.b) if cable else (None,) * 4


def _need_phases(spec: DesignSpec) -> None:
    if not spec.phases:
        message = (
            'The design has no phases. Give two to five: [{"date": "2027-01"}, {"date": "2027-09", "nodes": 128}].'
        )
        raise SpecError([Problem("phases", "missing", message)])


def phases_of_design(spec: DesignSpec, catalog: Catalog) -> Phases:
    """The phases of a design, whatever else its Estimate says.

    Raises
    ------
    SpecError
        If it has none, or one of them cannot be.
    """
    _need_phases(spec)
    (made,) = estimate([spec], catalog, PARTS)
    found = [one for one in made.findings if one.code == "phase_not_possible"]
    if made.phases is None or found:
        raise SpecError([Problem(one.field, one.code, one.message, one.change) for one in found])
    return made.phases


@dataclass(frozen=True, slots=True)
class PhaseFormat:
    """One kind of file; ``purpose`` says what is in it."""

    purpose: str
    write: Callable[[DesignSpec, Catalog], Iterator[bytes]]


def _json(spec: DesignSpec, catalog: Catalog) -> Iterator[bytes]:
    yield (json.dumps(phases_of_design(spec, catalog).as_json(), ensure_ascii=False, allow_nan=False) + "\n").encode()


def _bill(spec: DesignSpec, catalog: Catalog) -> Iterator[bytes]:
    return _csv(BILL_COLUMNS, bill_rows(phases_of_design(spec, catalog)))


def _years(spec: DesignSpec, catalog: Catalog) -> Iterator[bytes]:
    return _csv(YEAR_COLUMNS, map(year_row, phases_of_design(spec, catalog).years))


def _cables(spec: DesignSpec, catalog: Catalog) -> Iterator[bytes]:
    return _csv(CABLE_COLUMNS, cable_rows(spec, catalog))


def _csv(header: tuple[str, ...], rows: Iterator[tuple[Cell, ...]]) -> Iterator[bytes]:
    return (piece.encode() for piece in csv_blocks(header, (tuple(map(guarded, row)) for row in rows)))


PHASE_FORMATS = {
    "json": PhaseFormat("everything, for programs", _json),
    "csv": PhaseFormat("a line a part and phase: bought, or stranded", _bill),
    "csv-years": PhaseFormat("a line a year", _years),
    "csv-cables": PhaseFormat("a line a cable that is laid, moved or taken out, with its labels", _cables),
}


def phase_format(name: str) -> PhaseFormat:
    """A format by its name.

    Raises
    ------
    SpecError
        For a name that is none of PHASE_FORMATS.
    """
    return one_of_formats(name, PHASE_FORMATS)
