"""A design → its checklist: the one way in for pages, command line and API."""

from collections.abc import Iterator, Mapping

from estimator.bom.facility import nodes_per_rack
from estimator.bom.lines import PANEL, RACK_SYSTEM, is_rack
from estimator.bringup.acceptance.design import design_contract
from estimator.bringup.acceptance.result import Gate
from estimator.bringup.checklist.places import places_of
from estimator.bringup.checklist.result import Checklist, CrewWork, Item, Phase
from estimator.bringup.checklist.schedule import DAYS_PER_WEEK, Work, scheduled, staffed
from estimator.bringup.checklist.works import PHASES, works_of
from estimator.bringup.plan.choices import MOST_WEEKS, WEEKS, checked_weeks
from estimator.cabling.bundles import bundles_of, transceivers_of
from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import COMPUTE
from estimator.crews.effort import Assumed, assumed, crews, tasks
from estimator.errors import Problem, SpecError
from estimator.findings.node_words import node_word
from estimator.link_list import link_list
from estimator.pipeline import estimate
from estimator.spec.design import DesignSpec
from estimator.spec.network_rules import other_keys
from estimator.version import MODEL_VERSION

MOST_LINKS = 400_000
ONLY_OF_GROWTH = ("cable-out", "cable-move", "switch-out")  # a site that is built has nothing to take out
PARTS = ("counts", "links", "cables", "bom")


def checklist_of(spec: DesignSpec, catalog: Catalog, weeks: float = WEEKS) -> Checklist:
    """The order of work of a design, with as many crews as it takes to be done in so many weeks.

    Raises
    ------
    InfeasibleDesign
        If the design cannot be built.
    SpecError
        If it has more links than a checklist is made of, or the weeks are none.
    """
    checked_weeks(weeks)
    (made,) = estimate([spec], catalog, PARTS)
    n_links = sum(network.links.total for network in made.fabrics.values())
    if n_links > MOST_LINKS:
        message = (
            f"A checklist is of {MOST_LINKS:,} links at most, and this design has {n_links:,}. Make one of each pod."
        )
        raise SpecError([Problem("compute.nodes", "too_many_links", message)])
    networks = [link_list(spec, catalog, role) for role in (COMPUTE, *other_keys(spec))]
    catalog = networks[0].catalog  # the design's own parts are in it
    bom = made.bom.lines if made.bom else []
    racks = [line for line in bom if is_rack(line.category, line.use)]
    places = places_of(
        networks,
        max(sum(line.quantity for line in racks), 1),
        sum(line.quantity for line in racks if line.category == RACK_SYSTEM),
        nodes_per_rack(catalog.server(spec.compute.server), catalog),
    )
    transceivers: dict[str, int] = {}
    for links in networks:
        for device, n in transceivers_of(links).items():
            transceivers[device] = transceivers.get(device, 0) + n
    gates, left_out = _gates(spec, catalog)
    bundles = [bundle for links in networks for bundle in bundles_of(links)]
    n_panels = sum(line.quantity for line in bom if line.category == PANEL)
    word = node_word(spec.compute.server, catalog)
    given = list(works_of(places, bundles, transceivers, gates, n_panels, word))
    numbers = staffed(given, weeks)
    works = scheduled(given, numbers)
    days = max(work.last_day for work in works)
    if days > weeks * DAYS_PER_WEEK:
        left_out += (
            f"It takes {days} days however many crews there are, and {weeks:g} weeks have {weeks * DAYS_PER_WEEK:g}: "
            "what rests on other work comes one after the other.",
        )
    if not places.is_planned:
        left_out += (
            "The design has no floor plan: racks are numbered, and filled as the bill of materials counts them.",
        )
    return Checklist(
        name=spec.name or "Unnamed design",
        spec_hash=networks[0].spec_hash,
        versions={"model": MODEL_VERSION, "catalog": catalog.version},
        weeks=weeks,
        days=days,
        hours=_rounded(sum(work.hours for work in works)),
        phases=list(_phases(works)),
        crews=list(_crews(works, numbers)),
        items=[_item(work) for work in works],
        assumptions=list(_assumptions(weeks, numbers)),
        left_out=list(left_out),
    )


def _gates(spec: DesignSpec, catalog: Catalog) -> tuple[tuple[Gate, ...], tuple[str, ...]]:
    """The gates of the acceptance contract, and what to say where the design has none."""
    try:
        contract = design_contract(spec, catalog)
    except SpecError as error:
        return (), (f"Gates: {error.words()}",)
    return contract.gates, ()


def _item(work: Work) -> Item:
    return Item(
        code=work.code,
        phase=work.phase,
        crew=work.crew,
        day=work.day,
        last_day=work.last_day,
        title=work.title,
        where=work.where,
        unit=work.unit,
        count=work.count,
        hours=_rounded(work.hours),
        labels=work.labels,
        how=work.how,
    )


def _phases(works: list[Work]) -> Iterator[Phase]:
    for code, kind in PHASES.items():
        if own := [work for work in works if work.phase == code]:
            yield Phase(
                code=code,
                title=kind.title,
                unit=kind.unit,
                count=sum(work.count for work in own if work.unit == kind.unit),
                items=len(own),
                hours=_rounded(sum(work.hours for work in own)),
                first_day=min(work.day for work in own),
                last_day=max(work.last_day for work in own),
                how=kind.how,
            )


def _crews(works: list[Work], numbers: Mapping[str, int]) -> Iterator[CrewWork]:
    for code, crew in crews().items():
        if own := [work for work in works if work.crew == code]:
            hours = _rounded(sum(work.hours for work in own))
            yield CrewWork(
                code=code,
                title=crew.title,
                crews=numbers[code],
                people=crew.people * numbers[code],
                hours=hours,
                last_day=max(work.last_day for work in own),
            )


def _assumptions(weeks: float, numbers: Mapping[str, int]) -> Iterator[Assumed]:
    yield Assumed(
        name="weeks",
        value=weeks,
        low=1,
        high=MOST_WEEKS,
        unit=f"weeks of {DAYS_PER_WEEK} days",
        basis="assumption",
        source="A site's time from the first rack to the last gate; requests may say another",
    )
    yield from (assumed(name) for name in tasks() if name not in ONLY_OF_GROWTH)
    for name, crew in crews().items():
        yield Assumed(
            name=f"{name} crew",
            value=crew.people,
            low=crew.people,
            high=crew.people,
            unit=f"people, {crew.hours_per_day:g} h a day",
            basis=crew.basis,
            source=crew.source,
        )
        yield Assumed(
            name=f"{name} crews",
            value=numbers[name],
            low=numbers[name],
            high=numbers[name],
            unit="crews",
            basis="assumption",
            source="As many as it takes for all to be done in the weeks above, each with a day of work at least",
        )


def _rounded(hours: float) -> float:
    return round(hours, 2)
