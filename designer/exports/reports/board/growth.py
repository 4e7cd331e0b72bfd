"""How each option grows in phases: what a phase buys, what it recables and for how many minutes, what it leaves unused."""

from collections.abc import Sequence

from reportlab.platypus import Flowable, Paragraph

from designer.wording.comparison import named
from designer.wording.findings import sentence
from designer.wording.numbers import basis_name, count, range_in_unit, usd, usd_span, words
from designer.wording.phases import PHASES_BUILT, TASKS, PhaseRow, phase_rows, phases_left, recabled_words
from estimator.compare.result import ComparisonResult
from estimator.growth.result import Phases
from estimator.pdf.grid import Field, Grid, Row, Text
from estimator.pdf.page import UPRIGHT, headed, section
from estimator.pdf.style import BODY, SMALL
from estimator.pdf.text import markup
from estimator.result import PricedEstimate
from estimator.units import counted

PHASE_FIELDS = (
    Field("Phase", 0.16),
    Field("GPUs", 0.12, is_number=True),
    Field("Switches", 0.1, is_number=True),
    Field("Bought", 0.15, is_number=True),
    Field("Running a year", 0.15, is_number=True),
    Field("Recabled", 0.2, is_number=True),
    Field("Stranded", 0.12, is_number=True),
)
YEAR_FIELDS = (
    Field("Year", 0.1),
    *(
        Field(name, 0.18, is_number=True)
        for name in ("Bought", "Freight, installation, reserve", "Running cost", "In the year", "So far")
    ),
)
CREW_FIELDS = (
    Field("Phase, crew", 0.28),
    Field("People", 0.1, is_number=True),
    Field("On what is in use", 0.22, is_number=True),
    Field("Window", 0.18, is_number=True),
    Field("On what is new", 0.22, is_number=True),
)
ASSUMED_FIELDS = (
    Field("Assumption", 0.3),
    Field("Value", 0.2, is_number=True),
    Field("Basis", 0.14),
    Field("Source", 0.36, most_lines=4),
)
TERMS = (
    "Recabled: cables in use that are moved or taken out. Window: minutes for which what is in use stands still, which are "
    "person-minutes ÷ people of the crew, one crew after the other; typical, then low to high. Stranded: bought in an earlier "
    "phase, and of no use in this one."
)


def growth(result: ComparisonResult, options: Sequence[PricedEstimate | None]) -> list[Flowable]:
    """A table of phases, of years and of crews for each option that has phases; nothing where none has."""
    grown = [(named(result, k), option, option.phases) for k, option in enumerate(options) if option and option.phases]
    if not grown:
        return []
    out: list[Flowable] = [*section("Growth in phases", UPRIGHT), Paragraph(markup(TERMS), SMALL)]
    for name, option, phases in grown:
        rows = phase_rows(phases)
        out += headed(
            name, Grid(PHASE_FIELDS, [*map(_phase, rows), *_left(option), _together(option, phases)], size=6.8)
        )
        notes = (recabled_words(phases), *map(sentence, phases.left_out))
        out += [Paragraph(markup(note), BODY) for note in notes if note]
        out += headed(f"{name}: cost by year", Grid(YEAR_FIELDS, _years(phases)))
        if crews := [row for phase in rows for row in _crews(phase)]:
            out += headed(f"{name}: work of each crew", Grid(CREW_FIELDS, crews))
    return [*out, *headed("Assumptions of the minutes", Grid(ASSUMED_FIELDS, _assumed([one for _, _, one in grown])))]


def _phase(row: PhaseRow) -> Row:
    phase = row.phase
    held = f"ports held for {count(phase.nodes_held)}" if (phase.nodes_held or 0) > phase.nodes else ""
    recabled = ", ".join(part for part in (row.how, row.hours, row.window, row.least) if part)
    unused = Text(usd(phase.stranded_usd.typical), counted(len(phase.stranded), "part")) if phase.stranded else "none"
    return Row(
        [
            Text(phase.name, phase.date),
            Text(count(phase.gpus), ", ".join(filter(None, (counted(phase.nodes, "server"), held)))),
            count(phase.counts.switches),
            Text(("≥ " if phase.at_least else "") + usd(phase.bought_usd.typical), usd_span(phase.bought_usd)),
            Text(usd(phase.running_usd_per_year.typical), usd_span(phase.running_usd_per_year)),
            Text(row.touched, recabled),
            unused,
        ]
    )


def _left(option: PricedEstimate) -> list[Row]:
    """Phases that are requested and in no amount."""
    return [
        Row(
            [
                Text(one.name, one.date),
                Text("–", counted(one.nodes, "server") if one.nodes else ""),
                "",
                "not built",
                "",
                "",
                "",
            ]
        )
        for one in phases_left(option)
    ]


def _together(option: PricedEstimate, phases: Phases) -> Row:
    bought = ("≥ " if phases.at_least else "") + usd(phases.bought_usd.typical)
    unused = phases.stranded_usd.typical
    return Row(
        [
            Text(PHASES_BUILT if phases_left(option) else "Together", f"until {phases.until}"),
            "",
            "",
            Text(bought, usd_span(phases.bought_usd)),
            Text(usd(phases.running_usd.typical), "in all years"),
            count(phases.touched_cables),
            Text(usd(unused) if unused else "none", "in the last phase"),
        ],
        "total",
    )


def _years(phases: Phases) -> list[Row]:
    return [
        Row(
            [
                str(one.year),
                *(usd(part.typical) for part in (one.bought_usd, one.one_off_usd, one.running_usd)),
                Text(usd(one.total_usd.typical), usd_span(one.total_usd)),
                usd(one.cumulative_usd.typical),
            ]
        )
        for one in phases.years
    ]


def _crews(row: PhaseRow) -> list[Row]:
    return [
        Row([Text(crew.title, row.phase.name), str(crew.people), crew.recabling, crew.window, crew.installing])
        for crew in row.crews
    ]


def _assumed(grown: Sequence[Phases]) -> list[Row]:
    every = dict.fromkeys(
        (one.name, one.value, one.low, one.high, one.unit, one.basis, one.source)
        for phases in grown
        for one in phases.assumptions
    )
    return [
        Row(
            [
                Text(TASKS.get(name, words(name))),
                Text(range_in_unit(value, value, unit), range_in_unit(low, high, unit) if low != high else ""),
                Text("", mark=basis_name(basis)),
                Text(source),
            ]
        )
        for name, value, low, high, unit, basis, source in every
    ]
