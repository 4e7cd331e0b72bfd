"""Predicted collectives of a design, as an Estimate answers them: from one scale-up domain to all of its GPUs.

A table has a row for each GPU count and a column for each message size.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from estimator.record import IfAny, Json, Newer, Record, keys_of


class Curves(Protocol):
    """Predicted times of one collective, with words for algorithms and limits: of all-reduce, or of a compact table."""

    @property
    def gpus(self) -> list[int]: ...
    @property
    def message_bytes(self) -> list[int]: ...
    @property
    def busbw_gb_s(self) -> list[list[float]]: ...
    @property
    def time_us(self) -> list[list[float]]: ...
    @property
    def time_us_low(self) -> list[list[float]]: ...
    @property
    def time_us_high(self) -> list[list[float]]: ...
    @property
    def algorithm(self) -> Sequence[Sequence[str | None]]: ...
    @property
    def protocol(self) -> Sequence[Sequence[str | None]]: ...
    @property
    def limited_by(self) -> list[list[str]]: ...
    @property
    def validated(self) -> list[list[bool]]: ...


class BothPlacements(Record):
    """The largest message on all GPUs, with ranks in order and at random."""

    gpus: int
    message_bytes: int
    ordered_busbw_gb_s: float
    random_busbw_gb_s: float


class ModelConstant(Record):
    name: str
    index: str | None
    value: float
    low: float
    high: float
    unit: str
    basis: str
    source: str
    evidence: str | None


class AllReduceTable(Record):
    """Predicted all-reduce; tables are by GPU count, then by message size."""

    gpus: list[int]
    message_bytes: list[int]
    reference_gpus: int
    busbw_gb_s: list[list[float]]
    algbw_gb_s: Newer[list[list[float]]]
    time_us: list[list[float]]
    time_us_low: Newer[list[list[float]]]
    time_us_high: Newer[list[list[float]]]
    scaling_efficiency: list[list[float]]
    """busbw ÷ busbw at the first GPU count, at the same size."""
    algorithm: Newer[list[list[str | None]]]
    protocol: Newer[list[list[str | None]]]
    limited_by: Newer[list[list[str]]]
    validated: Newer[list[list[bool]]]
    both_placements: Newer[BothPlacements | None]
    constants: Newer[list[ModelConstant]]


class AllToAllFigure(Record):
    """The largest message on all GPUs."""

    gpus: int
    message_bytes: int
    busbw_gb_s: float
    time_us: float
    time_us_low: float
    time_us_high: float
    limited_by: str
    validated: bool


class TimesTable(Record):
    """What tables of times start with: a row for each GPU count and a column for each message size."""

    gpus: list[int]
    message_bytes: list[int]
    busbw_gb_s: list[list[float]]
    time_us: list[list[float]]
    time_us_low: list[list[float]]
    time_us_high: list[list[float]]


class InWords(TimesTable):
    """A compact table with words for algorithms and limits."""

    algorithm: list[list[str]]
    protocol: list[list[str]]
    limited_by: list[list[str]]
    validated: list[list[bool]]


class CollectiveTable(TimesTable):
    """As the all-reduce's; ``algorithm`` and ``limited_by`` are places in ``algorithms`` and ``limits``."""

    algorithms: list[list[str]]
    """Pairs of algorithm and protocol."""
    algorithm: list[list[int]]
    limits: list[str]
    limited_by: list[list[int]]
    validated: list[list[bool]]

    def in_words(self) -> InWords:
        """With words in place of places."""
        times = {key.attribute: getattr(self, key.attribute) for key in keys_of(TimesTable)}
        return InWords(
            **times,
            algorithm=[[self.algorithms[i][0] for i in row] for row in self.algorithm],
            protocol=[[self.algorithms[i][1] for i in row] for row in self.algorithm],
            limited_by=[[self.limits[i] for i in row] for row in self.limited_by],
            validated=self.validated,
        )


class CollectiveEfficiency(Record):
    """Line rates by GPU count; shares by GPU count and message size."""

    line_rate_gb_s: list[float]
    line_rate_of: list[str]
    """What sets it."""
    collective: list[list[float]]
    """busbw ÷ line rate."""
    weak: list[list[float]]
    strong: list[list[float]]


class Efficiency(Record):
    """Efficiencies at a few message sizes, by collective."""

    gpus: list[int]
    reference_gpus: int
    message_bytes: list[int]
    of: Mapping[str, CollectiveEfficiency]


class HalfBandwidth(Record):
    """The smallest message that reaches half of the plateau, by collective and GPU count."""

    gpus: list[int]
    of: Mapping[str, list[int]]


class UsedCalibration(Record):
    """The site's own constants that a prediction rests on."""

    name: str
    hash: str
    parameters: Mapping[str, float]


class BuiltSystem(Record):
    """The built design as the ``system`` of a prediction request."""

    gpu: str | None
    gpus_per_node: int | None
    scale_up_domain_gpus: int | None
    nics_per_node: int
    nic_gbit_s: float
    fabric: str
    in_network_reduction: bool
    oversubscription: str
    nodes_per_leaf: int
    spine_oversubscription: str
    nodes_per_pod: int
    planes: int
    pxn: bool
    flows_per_nic: int
    uplink_gbit_s: float | None
    failed_nics: int
    failed_uplinks: float
    placement: str
    load_balancing: str
    gpudirect: bool
    last_pod_from: IfAny[int] = None
    last_pod_nodes: IfAny[int] = None
    last_pod_oversubscription: IfAny[str] = None
    stack: IfAny[str] = None
    small_message_us: IfAny[float] = None
    small_message_gpus: IfAny[int] = None

    def as_request(self) -> Json:
        """The keys that a request takes: those that are known."""
        return {key: value for key, value in self.as_json().items() if value is not None}


class Performance(Record):
    """Predicted times and bandwidths; without keys where the design has no GPU that is known."""

    all_reduce: Newer[AllReduceTable | None]
    missing: IfAny[str] = None
    """Why nothing is predicted."""
    all_to_all: Newer[AllToAllFigure | None] = None
    collectives: Newer[Mapping[str, CollectiveTable] | None] = None
    """The others by name."""
    efficiency: Newer[Efficiency | None] = None
    half_bandwidth_bytes: Newer[HalfBandwidth | None] = None
    system: Newer[BuiltSystem | None] = None
    more_constants: Newer[list[ModelConstant] | None] = None
    """Of the other collectives, beside those of all-reduce."""
    calibration: IfAny[UsedCalibration] = None

    @property
    def predicted_all_reduce(self) -> AllReduceTable | None:
        """The all-reduce; None where there is none, or where a single GPU has nothing to exchange."""
        return self.all_reduce if self.all_reduce and self.all_reduce.gpus[-1] > 1 else None

    def curves(self, collective: str) -> Curves | None:
        """The tables of one collective, with words for algorithms and limits; None where it was not predicted."""
        if collective == "all_reduce":
            return self.all_reduce
        table = (self.collectives or {}).get(collective)
        return table.in_words() if table else None
