"""How a design grows, as an Estimate answers it: the room that it has, and its phases."""

from estimator.cabling.result import Cables, Transceivers
from estimator.crews.effort import Assumed
from estimator.fabric.result import Counts, Links
from estimator.ranges import Range
from estimator.record import IfAny, Newer, Record


class GrowthNodes(Record):
    now: int
    sized_for: int


class GrowthStage(Record):
    counts: Counts
    links: Links
    cables: IfAny[Cables]
    transceivers: IfAny[Transceivers]
    totals_usd: Range[float]
    network_usd: Range[float]
    """Everything but servers."""
    at_least: bool


class GrowthLine(Record):
    """A line of a later bill of materials."""

    category: str
    part: str | None
    part_number: str | None
    description: str
    use: str
    tier: str | None
    length_m: float | None
    fabric: str
    quantity: int
    spare_quantity: int
    unit_price_usd: Range[float] | None
    extended_price_usd: Range[float] | None


class Upgrade(Record):
    lines: list[GrowthLine]
    totals_usd: Range[float]
    at_least: bool


class Growth(Record):
    """Bought now, sized for later and sized for now alone, side by side, and the later bill of materials."""

    nodes: GrowthNodes
    bought_now: GrowthStage
    sized_for: GrowthStage
    right_sized: GrowthStage
    readiness_usd: Range[float]
    upgrade: Upgrade
    replaced: list[GrowthLine]
    moved_links: int
    recabled: bool


class PhaseLine(GrowthLine):
    """What a phase buys of a part, or has of it and does not use."""

    price_basis: str | None
    price_source: str | None
    assumption: bool
    """True where the price or the quantity rests on an assumption."""


class CablesOfTier(Record):
    """Cables of one tier of a network that a phase touches, by the numbers that stand on their labels.

    Numbers are ranges, as crews read them: "1-16, 40". Those taken out and those that move have the number of the phase
    before; those laid, and those that moved, the number of this phase.
    """

    fabric: str
    tier: str
    kept: int
    renumbered: int
    """Kept where they are, and under another number in the list of this phase."""
    moved: int
    moved_from: str
    moved_to: str
    added: int
    added_labels: str
    removed: int
    removed_labels: str


class CrewMinutes(Record):
    """Person-minutes of a crew in a phase."""

    crew: str
    title: str
    people: int
    recabling: Range[float]
    """On cables and switches that were in use before: what the cluster notices."""
    installing: Range[float]
    """Of what is new, with its cables."""

    @property
    def window(self) -> Range[float]:
        """Minutes that work on what was in use takes the whole crew."""
        return self.recabling.each(lambda minutes: minutes / self.people)


class Recabling(Record):
    """What a phase changes at the cables of the phase before, from both lists of links."""

    kept: int
    moved: int
    """Taken up and used again for another pair of ports."""
    added: int
    removed: int
    tiers: list[CablesOfTier]
    least_touched: Newer[int]
    """Of the cables in use, those that no list could leave where they are: more of them joined two devices than do now."""
    replaced_switches: int
    """Of the phase before that are gone, or of another model under the same name."""

    @property
    def touched(self) -> int:
        """Cables in use that are taken out or moved."""
        return self.moved + self.removed


class GrowthPhase(Record):
    """One phase: its size, what it buys, what it costs, what it rewires, what it leaves unused."""

    name: str
    date: str
    nodes: int
    nodes_held: Newer[int]
    """Servers that this phase holds ports for: those to grow to, or of whole units, and its own at least."""
    gpus: int
    oversubscription: str
    """As built, of the compute network."""
    generation: Newer[str]
    """Of the compute network: one that differs from that of the phase before took the place of the whole network."""
    counts: Counts
    bill: list[PhaseLine]
    bought_usd: Range[float]
    at_least: bool
    one_off_usd: Range[float]
    """Freight, installation, contingency and the like, for what this phase buys."""
    running_usd_per_year: Range[float]
    """Of all that is there from this phase on."""
    recabling: IfAny[Recabling]
    """Not of the first phase, nor of one with too many links."""
    work: list[CrewMinutes]
    window_minutes: Newer[Range[float]]
    """Minutes that what was in use stands still for: ``recabling`` of each crew by its people, one crew after the other."""
    stranded: list[PhaseLine]
    """Bought in an earlier phase, and of no use in this one."""
    stranded_usd: Range[float]


class YearCost(Record):
    """One calendar year, undiscounted."""

    year: int
    bought_usd: Range[float]
    one_off_usd: Range[float]
    running_usd: Range[float]
    total_usd: Range[float]
    cumulative_usd: Range[float]


class Phases(Record):
    """The phases of a design and what they cost together, from the first date to ``until``."""

    until: str
    phases: list[GrowthPhase]

    @property
    def is_rebuilt(self) -> bool:
        """Whether a phase has a network of another generation."""
        return len({phase.generation for phase in self.phases}) > 1

    years: list[YearCost]
    bought_usd: Range[float]
    running_usd: Range[float]
    total_usd: Range[float]
    stranded_usd: Range[float]
    """Of what the last phase does not use."""
    touched_cables: int
    recabling_minutes: Range[float]
    """Person-minutes of all crews and phases on what was in use before."""
    window_minutes: Newer[Range[float]]
    """Minutes of the windows of all phases together."""
    at_least: bool
    assumptions: list[Assumed]
    left_out: list[str]
