"""The phases of a design as sheets: the phases, what each buys and leaves unused, the years, crews and cables."""

from designer.exports.tables import COUNT, METRE, MONEY, RANGE, Cell, Column, Table
from designer.wording.numbers import basis_name, generation_name
from estimator.growth.result import GrowthPhase, Phases
from estimator.handoff.phases import BILL_COLUMNS, YEAR_COLUMNS, bill_rows, year_row
from estimator.ranges import total_of

MINUTES = "#,##0"
WINDOW = "Minutes of a window are person-minutes ÷ people of a crew, one crew after the other: assumptions of ours."
_WIDE = {"description": 52, "price_source": 44, "part": 24, "part_number": 22}
_BASIS = BILL_COLUMNS.index("price_basis")


def _usd(key: str, header: str) -> tuple[Column, ...]:
    return tuple(Column(f"{key}_{end}", f"{header}, {end}", "USD", 17, MONEY) for end in RANGE)


PHASE_COLUMNS = (
    Column("phase", "Phase", width=18),
    Column("date", "From", width=12),
    Column("nodes", "Servers", width=10, number_format=COUNT),
    Column("gpus", "GPUs", width=10, number_format=COUNT),
    Column("switches", "Switches", width=10, number_format=COUNT),
    Column("oversubscription", "Oversubscription, built", width=14),
    *_usd("bought", "Bought"),
    *_usd("one_off", "Freight, installation, reserve"),
    *_usd("running", "Running cost a year"),
    *_usd("stranded", "Stranded"),
    Column("moved", "Cables moved", width=12, number_format=COUNT),
    Column("removed", "Cables taken out", width=12, number_format=COUNT),
    Column("added", "Cables laid", width=12, number_format=COUNT),
    Column("minutes_low", "Recabling, low", "person-min", 14, MINUTES),
    Column("minutes_typical", "Recabling, typical", "person-min", 14, MINUTES),
    Column("minutes_high", "Recabling, high", "person-min", 14, MINUTES),
    Column("nodes_held", "Ports held for servers", width=12, number_format=COUNT),
    Column("least_touched", "Cables in use that move at least, were ports free", width=16, number_format=COUNT),
    *(Column(f"window_{end}", f"Window for recabling, {end}", "min", 14, MINUTES) for end in RANGE),
    Column("generation", "Network generation", width=18),
)
CREW_COLUMNS = (
    Column("phase", "Phase", width=18),
    Column("crew", "Crew", width=14),
    Column("people", "People", width=8, number_format=COUNT),
    *(Column(f"recabling_{end}", f"On what is in use, {end}", "person-min", 16, MINUTES) for end in RANGE),
    *(Column(f"installing_{end}", f"On what is new, {end}", "person-min", 16, MINUTES) for end in RANGE),
    *(Column(f"window_{end}", f"Window for what is in use, {end}", "min", 16, MINUTES) for end in RANGE),
)
CABLE_COLUMNS = (
    Column("phase", "Phase", width=18),
    Column("fabric", "Network", width=12),
    Column("tier", "Tier", width=14),
    Column("kept", "Kept", width=9, number_format=COUNT),
    Column("renumbered", "of it with another number", width=12, number_format=COUNT),
    Column("moved", "Moved", width=9, number_format=COUNT),
    Column("moved_from", "Labels before", width=44),
    Column("moved_to", "Labels after", width=44),
    Column("added", "Laid", width=9, number_format=COUNT),
    Column("added_labels", "Labels laid", width=44),
    Column("removed", "Taken out", width=9, number_format=COUNT),
    Column("removed_labels", "Labels taken out", width=44),
)


def phase_sheets(phases: Phases) -> list[Table]:
    """All sheets; the notes of the answer stand below the first one."""
    return [
        Table(
            "Phases",
            PHASE_COLUMNS,
            tuple(_phase(one) for one in phases.phases),
            note=" ".join((*phases.left_out, WINDOW)),
            frozen_columns=1,
        ),
        years_sheet(phases),
        bills_sheet(phases),
        Table("Crews", CREW_COLUMNS, tuple(row for one in phases.phases for row in _crews(one))),
        Table("Cables by phase", CABLE_COLUMNS, tuple(row for one in phases.phases for row in _cables(one))),
    ]


def bills_sheet(phases: Phases) -> Table:
    """A line of what a phase buys or leaves unused."""
    columns = tuple(_column(key) for key in BILL_COLUMNS)
    rows = (
        tuple(basis_name(cell) if at == _BASIS and cell else cell for at, cell in enumerate(row))
        for row in bill_rows(phases)
    )
    return Table("Bills of materials", columns, tuple(rows))


def years_sheet(phases: Phases) -> Table:
    """A line a calendar year."""
    columns = tuple(_column(key) for key in YEAR_COLUMNS)
    return Table("Cost by year", columns, tuple(year_row(one) for one in phases.years))


def _column(key: str) -> Column:
    header = (
        key.replace("one_off", "freight, installation, reserve").replace("_usd_", ", ").replace("_", " ").capitalize()
    )
    if "_usd_" in key:
        return Column(key, header, "USD", 17, MONEY)
    if key in ("length_m", "quantity"):
        return Column(key, header, width=10, number_format=METRE if key == "length_m" else COUNT)
    return Column(key, header, width=_WIDE.get(key, 14))


def _phase(one: GrowthPhase) -> tuple[Cell, ...]:
    cables = one.recabling
    amounts = (one.bought_usd, one.one_off_usd, one.running_usd_per_year, one.stranded_usd)
    minutes: tuple[Cell, ...] = tuple(total_of(crew.recabling for crew in one.work))
    return (
        *(one.name, one.date, one.nodes, one.gpus, one.counts.switches, one.oversubscription),
        *(end for amount in amounts for end in amount),
        *((cables.moved, cables.removed, cables.added) if cables else (None, None, None)),
        *minutes,
        *(one.nodes_held, cables.least_touched if cables else None),
        *(one.window_minutes or (None, None, None)),
        one.generation and generation_name(one.generation),
    )


def _crews(one: GrowthPhase) -> list[tuple[Cell, ...]]:
    return [(one.name, crew.title, crew.people, *crew.recabling, *crew.installing, *crew.window) for crew in one.work]


def _cables(one: GrowthPhase) -> list[tuple[Cell, ...]]:
    tiers = one.recabling.tiers if one.recabling else ()
    keys = [column.key for column in CABLE_COLUMNS[1:]]
    return [(one.name, *(getattr(tier, key) for key in keys)) for tier in tiers]
