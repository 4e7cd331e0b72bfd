"""What losses leave of a design, as an Estimate answers it."""

from estimator.cost.result import ExpectedFailures
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
