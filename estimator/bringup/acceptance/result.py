"""The acceptance contract as it is answered: gates, results, what slows them, and the constants that the same logs give."""

from typing import Annotated, Literal

from estimator.calibration.result import Fault
from estimator.record import Given, IfAny, Record

Verdict = Literal["pass", "fail", "suspect", "not_run"]


class Gate(Record):
    """One thing that the network must deliver, in ``unit``; lines and chances are worked out in docs/acceptance.md."""

    code: str
    scope: str
    title: str
    command: str
    bytes: int
    """Message size that is judged."""
    expected: float
    low: float
    high: float
    """Nine healthy results in ten lie between low and high."""
    ceiling: float
    """What the wire carries at most: a result above it did not use this path."""
    pass_at: float
    peers_at: float | None
    """Least share of the middle of the gate's results; null where it has too few to compare."""
    false_alarm: float
    """Chance that the gate fails though all that it measures is healthy."""
    miss: float
    """Chance that it passes a path that is at ``fault_at``."""
    unit: str
    fault_at: float
    fault: str
    """What a path at that value would have."""
    on_failure: str
    sizes: str
    repetitions: int
    results: int
    """Results that the whole gate has: nodes, pairs, rails."""
    gpus: int
    """Of one run."""
    nodes: int
    measured_by: str
    collective: str | None
    algorithm: str | None
    """Forced by the command; null where the library chooses."""
    limited_by: str | None
    basis: str
    evidence: str
    note: IfAny[str] = None

    @property
    def fault_loss(self) -> float:
        """Share that a path at ``fault_at`` has lost, against its peers where the gate has ``peers_at``, else as expected."""
        return 1 - self.fault_at / self.expected


class GateResult(Record):
    """One path of a gate as measured, the middle of its repetitions; null where it was not run."""

    gate: str
    measured: float | None
    verdict: Verdict
    where: str
    expected: float | None
    """At the size and on the GPUs that were run."""
    why: str
    unit: str
    files: list[str]
    share_of_peers: IfAny[float] = None


class Straggler(Record):
    """A node, rail or leaf that the slow results have in common."""

    kind: str
    """node, rail, leaf, rack, unit."""
    name: str
    share: float
    """Of what its peers give."""
    gates: list[str]
    evidence: str
    next_step: str


class UnreadResult(Record):
    file: str
    why: str


class SiteCalibration(Record):
    """Constants of the model as the uploaded logs have them, for a design's or a prediction's ``calibration``."""

    name: str
    parameters: dict[str, float]


class Acceptance(Record):
    """The whole contract, with verdicts where results were given."""

    gates: list[Gate]
    results: list[GateResult]
    verdict: Verdict
    stragglers: list[Straggler]
    unread: list[UnreadResult]
    calibration: SiteCalibration | None
    diagnosis: list[Fault]
    system: Annotated[Given, {"$ref": "#/components/schemas/System"}]
    """The built network as the system of predictions."""
    left_out: list[str]
    """Gates that this design has no path for, and why."""
    gates_sha256: str
    """Of the gates' JSON, as the signed contract prints it (digest.py)."""
    spec_hash: str
    versions: dict[str, str]
