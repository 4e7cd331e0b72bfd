"""What losses leave of a design, and how it grows, as an Estimate answers them."""

from estimator.cabling.result import Cables, Transceivers
from estimator.cost.result import ExpectedFailures
from estimator.fabric.result import Counts, Links
from estimator.ranges import Range
from estimator.record import IfAny, Record


class Loss(Record):
    """What the loss of one or two parts leaves; ratios are of two integers, as text."""

    lost: str
    n: int
    """How many such losses there are."""
    endpoints_cut_off: int
    nodes_cut_off: int
    node_ports_left: str | None
    leaf_uplinks_left: str | None
    worst_leaf: str | None
    spine_uplinks_left: str | None
    uplinks_left: str | None
    rail_uplinks_left: str | None
    plane_uplinks_left: str | None
    core_links_left: str | None
    islands: int
    stops_job: bool
    all_reduce_goes_on: bool


class Failures(Record):
    """What losses leave, and how often to expect them."""

    one: list[Loss]
    two: list[Loss]
    expected: IfAny[ExpectedFailures] = None


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
