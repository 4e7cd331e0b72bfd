"""The phases of a design: the request of each, what it buys, what stays unused, and what all cost year by year.

What is bought stays: a phase buys of each part what it needs beyond all that earlier phases bought. What they bought and a
phase has no use for is stranded in it, and serves again where a later one needs it. Running cost of a year is that of each
phase for its share of the days; money is not discounted.
"""

import datetime
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from estimator.bom.result import BomLine, BomWithLines
from estimator.cabling.links import LinkList
from estimator.cabling.result import SizedNetwork
from estimator.catalog.catalog import Catalog
from estimator.cost.result import Cost
from estimator.crews.effort import assumed, crew_assumed
from estimator.errors import Change, Problem, SpecError
from estimator.fabric.sized import SizedFabric
from estimator.growth.in_place import in_place
from estimator.growth.other_racks import moved_by_floor_plan
from estimator.growth.recabling import USED_CREWS, USED_TASKS, changes_between
from estimator.growth.result import GrowthPhase, PhaseLine, Phases, YearCost
from estimator.growth.room import nodes_sized_for
from estimator.ranges import Range, total_of
from estimator.spec.change import apply_change
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec
from estimator.spec.phases import DAYS_PER_YEAR, PhaseEntry, days_between
from estimator.spec.rates import adapter_rate, lane_rate

MOST_LINKS = 400_000  # of both phases together: their cables are compared one by one
NOT_BUILT = "That phase and those after it are in no sum."
NOTHING: Range[float] = Range(0.0, 0.0, 0.0)
OF_OLD_SWITCHES = (  # keys that say something of the switches of one generation
    *(f"fabric.{tier}_{what}" for tier in ("leaf", "spine", "core") for what in ("switch", "radix")),
    *(f"fabric.{key}" for key in ("leaf_downlinks", "leaf_uplinks", "uplink_rate_gbit_s")),
    *(f"fabric.{key}" for key in ("scalable_unit_nodes", "pod_nodes", "core_groups")),
)
SIZE_FIELDS = ("compute.nodes", "compute.gpus", "compute.racks")


class BuiltPhase(NamedTuple):
    """One phase estimated: its part of the request and what the Estimate says; ``links`` are None where there are too many."""

    entry: PhaseEntry
    generation: str
    compute: SizedNetwork
    nodes_held: int
    bom: BomWithLines
    cost: Cost
    links: tuple[LinkList, ...] | None
    warnings: tuple[Problem, ...] = ()


def phase_specs(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog) -> Iterator[DesignSpec]:
    """The request of every phase; the first is the design itself.

    Up to the nodes that the design holds ports for, a phase keeps tiers and pods; beyond, it is sized for itself. One of
    another generation has a network of its own, for as many nodes as the design is to grow to, and so have those after it.

    Raises
    ------
    SpecError
        If a phase breaks a rule, under ``phases[…]``.
    """
    held, asked = nodes_sized_for(spec, fabric), spec.fabric
    yield spec
    values, is_rebuilt = spec.as_json(), False
    for at, entry in enumerate(spec.phases[1:], start=1):
        change: dict[str, Any] = {"compute.nodes": entry.nodes, "phases": None}
        if entry.oversubscription:
            change["fabric.oversubscription"] = entry.oversubscription
        generation = values["fabric"]["generation"]
        if entry.generation not in (None, generation):
            if problem := _generation_problem(spec, generation, entry.generation, catalog):
                raise SpecError([in_phase(problem, at)])
            is_rebuilt = True
            change |= dict.fromkeys(OF_OLD_SWITCHES) | {"fabric.generation": entry.generation}
        if is_rebuilt:
            room = asked.grow_to_nodes if (asked.grow_to_nodes or 0) >= (entry.nodes or 0) else None
            change |= {"fabric.grow_to_nodes": room, "fabric.tiers": asked.tiers}
        elif (entry.nodes or 0) > held:  # nothing of what kept earlier phases alike
            change |= {"fabric.grow_to_nodes": None, "fabric.tiers": asked.tiers, "fabric.pod_nodes": asked.pod_nodes}
        elif held > fabric.n_nodes:
            change |= {
                "fabric.grow_to_nodes": held,
                "fabric.tiers": fabric.tiers,
                "fabric.pod_nodes": fabric.wiring.pod_nodes or spec.fabric.pod_nodes,
            }
        values = apply_change(values, change)
        try:
            one = parse_spec(values, catalog)
        except SpecError as error:
            raise SpecError([in_phase(problem, at) for problem in error.problems]) from None
        yield one


def _generation_problem(spec: DesignSpec, before: str, wanted: str, catalog: Catalog) -> Problem | None:
    """Why the servers of a design cannot move to a network of another generation; None where they can."""
    old, new = catalog.generations[before], catalog.generations[wanted]
    own = "Keep the generation, or make what is added a design of its own, and compare the two."
    if old.protocol != new.protocol:
        message = f"{old.label} cannot become {new.label} in a phase: NICs in use would change their protocol. {own}"
        return Problem("generation", "contradiction", message)
    network, there = catalog.compute_network(spec.compute.server), spec.fabric.model_copy(update={"generation": wanted})
    if network is None or adapter_rate(there, network, catalog) >= lane_rate(there, catalog):
        return None
    message = (
        f"Servers in use have ports of {network.port_rate_gbit_s} Gb/s and {new.label} has {lane_rate(there, catalog)} Gb/s. A "
        "phase moves all servers to one network; two generations joined, each with servers of its own, are not sized. "
        f"{own}"
    )
    return Problem("generation", "contradiction", message)


def ways_to_build(spec: DesignSpec, problems: Sequence[Problem]) -> Iterator[Change]:
    """Changes of the whole request that may let all its phases be built, to be tried: tiers left open, so that each phase has as
    many as it needs, then what would let the phase alone be built."""
    if spec.fabric.tiers != "auto":
        yield {"fabric.tiers": "auto"}
    for change in (problem.change for problem in problems if problem.change):
        if all(key.startswith("fabric.") for key in change):
            yield change


def in_phase(problem: Problem, at: int) -> Problem:
    """A problem of one phase under its own key; its change is of the phase's request, and may not do for the whole."""
    field = "nodes" if problem.field in SIZE_FIELDS else problem.field.removeprefix("fabric.")
    own = field if field in ("nodes", "oversubscription", "generation") else "nodes"
    return Problem(f"phases[{at}].{own}", problem.code, f"Phase {at + 1}: {problem.message}", problem.change)


def warnings_of(built: Sequence[BuiltPhase], known: Collection[str]) -> list[Problem]:
    """Warnings of later phases that the design of today does not have, each in the first phase that has it."""
    seen, out = set(known), []
    for at, one in enumerate(built):
        new = [warning for warning in one.warnings if warning.code not in seen] if at else []
        out += [Problem(f"phases[{at}].nodes", of.code, f"Phase {at + 1}: {of.message}") for of in new]
        seen |= {warning.code for warning in new}
    return out


def are_compared(before: Sequence[LinkList], now: Sequence[LinkList]) -> bool:
    """Whether the cables of two phases are compared one by one."""
    return _n_links((*before, *now)) <= MOST_LINKS


def phases_of(built: Sequence[BuiltPhase], problems: Sequence[Problem] = ()) -> Phases:
    """``phases`` of the Estimate, up to the one that ``problems`` keep from being built."""
    stock = _Stock()
    phases: list[GrowthPhase] = []
    before: tuple[LinkList, ...] | None = ()
    left_out = ["Prices are those of today in every phase, and nothing is discounted."]
    if problems:
        left_out += [*(one.message for one in problems), NOT_BUILT]
    for at, one in enumerate(built):
        bill = stock.buy(one.bom.lines)
        now, changes = one.links, None
        if before is not None and now is not None and are_compared(before, now):
            now = in_place(before, now)
            changes = changes_between(before, now)
            if moved := moved_by_floor_plan(before, now):
                left_out.append(f"Phase {at + 1}: {moved}.")
        else:
            left_out.append(
                f"Phase {at + 1}: cables are compared one by one up to {MOST_LINKS:,} links of two phases together, and there "
                "are more. Make phases of one pod."
            )
        work = changes.work if changes else []
        bought = _usd_of(bill)
        stranded = stock.unused(one.bom.lines)
        phases.append(
            GrowthPhase(
                name=one.entry.name or f"Phase {at + 1}",
                date=one.entry.date,
                nodes=one.compute.counts.nodes,
                nodes_held=one.nodes_held,
                gpus=one.compute.counts.gpus,
                generation=one.generation,
                oversubscription=one.compute.oversubscription.built,
                counts=one.compute.counts,
                bill=bill,
                bought_usd=bought,
                at_least=any(line.unit_price_usd is None for line in bill),
                one_off_usd=_share_of_one_off(one, bought),
                running_usd_per_year=one.cost.running_usd_per_year,
                recabling=changes.recabling if changes and at else None,
                work=work,
                window_minutes=total_of(crew.window for crew in work).each(_tenths),
                stranded=stranded,
                stranded_usd=_usd_of(stranded),
            )
        )
        before = now
    until = _until(built)
    years = list(_years(phases, until))
    return Phases(
        until=until,
        phases=phases,
        years=years,
        bought_usd=_sum(one.bought_usd for one in phases),
        running_usd=_sum(one.running_usd for one in years),
        total_usd=_sum(one.total_usd for one in years),
        stranded_usd=phases[-1].stranded_usd,
        touched_cables=sum(one.recabling.touched for one in phases if one.recabling),
        recabling_minutes=total_of(crew.recabling for one in phases for crew in one.work).each(_tenths),
        window_minutes=total_of(one.window_minutes for one in phases).each(_tenths),
        at_least=any(one.at_least for one in phases) or any(one.cost.at_least for one in built),
        assumptions=[*(assumed(task) for task in USED_TASKS), *(crew_assumed(crew) for crew in USED_CREWS)],
        left_out=left_out,
    )


def _tenths(minutes: float) -> float:
    return round(minutes, 1)


def _n_links(lists: Sequence[LinkList]) -> int:
    return sum(len(links) for links in lists)


# ---------------------------------------------------------------- parts


class _Stock:
    """Parts bought so far, by what they are wherever they are used, and the last line that priced each."""

    def __init__(self) -> None:
        self._owned: dict[tuple[Any, ...], int] = {}
        self._lines: dict[tuple[Any, ...], BomLine] = {}

    def buy(self, lines: Sequence[BomLine]) -> list[PhaseLine]:
        """What is needed beyond what is there; it is there from now on."""
        out = []
        for key, (line, needed) in _needed(lines).items():
            more = needed - self._owned.get(key, 0)
            if more > 0:
                self._owned[key], self._lines[key] = needed, line
                out.append(_line(line, more))
        return out

    def unused(self, lines: Sequence[BomLine]) -> list[PhaseLine]:
        """What is there beyond what is needed."""
        needed = _needed(lines)
        spare = {key: n - needed[key][1] if key in needed else n for key, n in self._owned.items()}
        return [_line(self._lines[key], n) for key, n in spare.items() if n > 0]


def _needed(lines: Sequence[BomLine]) -> dict[tuple[Any, ...], tuple[BomLine, int]]:
    """Pieces of each part with spares, beyond those that are there already and not bought, and a line of it."""
    out: dict[tuple[Any, ...], tuple[BomLine, int]] = {}
    for line in lines:
        key = (line.category, line.part, line.part_number, line.description, line.length_m)
        known = out.get(key)
        out[key] = (known[0] if known else line, (known[1] if known else 0) + line.bought)
    return out


def _line(line: BomLine, pieces: int) -> PhaseLine:
    unit = line.unit_price_usd
    return PhaseLine(
        category=line.category,
        part=line.part,
        part_number=line.part_number,
        description=line.description,
        use=line.use,
        tier=line.tier,
        length_m=line.length_m,
        fabric=line.fabric,
        quantity=pieces,
        spare_quantity=0,
        unit_price_usd=unit,
        extended_price_usd=(unit * pieces).each(_cents) if unit else None,
        price_basis=line.price_basis,
        price_source=line.price_source,
        assumption=line.assumption,
    )


def _usd_of(lines: Sequence[PhaseLine]) -> Range[float]:
    return _sum(line.extended_price_usd for line in lines)


# ---------------------------------------------------------------- money over the years


def _share_of_one_off(one: BuiltPhase, bought: Range[float]) -> Range[float]:
    """What is paid once beside a purchase, for the part of the design that this phase buys."""
    whole, beside = one.cost.capex_usd.total, one.cost.one_off_usd["total"]
    ends = zip(bought, whole, beside, strict=True)
    return Range(*(_cents(part / all_of_it * more) if all_of_it else 0.0 for part, all_of_it, more in ends))


def _until(built: Sequence[BuiltPhase]) -> str:
    """The design's years from the first date, and a year after the last one at least."""
    first, last = built[0].entry.date, built[-1].entry.date
    return max(_years_after(first, built[0].cost.tco_years), _years_after(last, 1))


def _years_after(day: str, years: int) -> str:
    date = datetime.date.fromisoformat(day)
    last_of_february = (date.month, date.day) == (2, 29)
    return date.replace(year=date.year + years, **({"day": 28} if last_of_february else {})).isoformat()


def _years(phases: Sequence[GrowthPhase], until: str) -> Iterator[YearCost]:
    ends = [*(phase.date for phase in phases[1:]), until]
    so_far = NOTHING
    for year in range(int(phases[0].date[:4]), int(until[:4]) + 1):
        first, last = f"{year}-01-01", f"{year + 1}-01-01"
        of_year = [phase for phase in phases if first <= phase.date < last]
        running = _sum(
            phase.running_usd_per_year * (max(days_between(max(phase.date, first), min(end, last)), 0) / DAYS_PER_YEAR)
            for phase, end in zip(phases, ends, strict=True)
        )
        bought, beside = (_sum(getattr(one, name) for one in of_year) for name in ("bought_usd", "one_off_usd"))
        total = (bought + beside + running).each(_cents)
        so_far = (so_far + total).each(_cents)
        if any(total):
            yield YearCost(
                year=year,
                bought_usd=bought,
                one_off_usd=beside,
                running_usd=running,
                total_usd=total,
                cumulative_usd=so_far,
            )


def _sum(amounts: Any) -> Range[float]:
    return (total_of(amounts) + NOTHING).each(_cents)


def _cents(usd: float) -> float:
    return round(usd, 2)


def too_many_links(networks: Sequence[SizedNetwork]) -> bool:
    """Whether the cables of a phase are not made at all."""
    return sum(network.links.total for network in networks) > MOST_LINKS
