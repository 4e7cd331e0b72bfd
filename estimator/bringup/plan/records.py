"""The plan as it is answered: classes, ports, marking, and every value with its source."""

from typing import Literal

from estimator.bringup.plan.choices import ChoicesMade
from estimator.bringup.plan.value import Scalar, Trust, Value
from estimator.record import IfAny, Record

Flow = Literal["pfc", "lossy", "credits"]


class TrafficClass(Record):
    """Packets that are treated alike. What does not apply is null; each figure is a value ``NAME.FIGURE`` as well."""

    name: str
    dscp: int | None
    """Of IP packets; InfiniBand has none."""
    priority: int
    """802.1p priority, or service level."""
    queue: int
    """Of a switch, or virtual lane; systems that have another are in the values, as ``NAME.queue`` with ``os=…``."""
    flow: Flow
    trimming: bool
    """Whether switches cut full queues' packets to their headers."""
    scheduler: str
    weight_percent: int | None
    """Share of what strict queues leave."""
    ecn: bool


class PortGroup(Record):
    """Ports of one switch that lead to the same kind of device at the same rate; its longest cable decides."""

    switch: str
    ports: list[str]
    towards: str
    speed_gbit_s: int
    cable_m: float
    """The longest of the group, as the design lays it."""
    headroom_bytes: int | None
    """What a port takes in after a pause (xoff); null where no pause is sent."""
    xon_bytes: int | None
    size_bytes: int | None
    """The whole of the priority group, without a shared headroom pool."""
    formula: str
    source: str
    trust: Trust
    why: str


class NicGroup(Record):
    """Ports of all nodes at one rate, and what their receive buffers keep."""

    ports: list[str]
    nodes: int
    speed_gbit_s: int
    cable_m: float
    headroom_bytes: int | None
    formula: str
    source: str
    trust: Trust
    why: str


class Marking(Record):
    """ECN thresholds of a kind of switch under one system at one speed. A share of the queue where bytes are null."""

    switches: str
    os: str
    asic: str
    speed_gbit_s: int
    min_bytes: int | None
    max_bytes: int | None
    min_fill_percent: int | None
    max_fill_percent: int | None
    mark_percent: int
    source: str
    trust: Trust
    why: str


class Mtu(Record):
    """Largest frame or packet of each place on the way. [B]"""

    switch: int
    host: int
    rdma: int


class OtherNetwork(Record):
    """A storage or management network beside the compute fabric."""

    key: str
    protocol: str
    switches: int
    systems: dict[str, int]
    """Switches by the system that their configurations are for; empty on InfiniBand."""
    host_ports: int
    subnet: str
    leaf_prefix: int | None
    """Length of the subnet of each leaf, whose first address is the leaf's; null on InfiniBand, where hosts share one."""
    host_mtu: int
    switch_mtu: int
    flow: str
    values: list[Value]


class BringupPlan(Record):
    """The typed plan of a design."""

    protocol: str
    choices: ChoicesMade
    classes: list[TrafficClass]
    ports: list[PortGroup]
    nics: list[NicGroup]
    ecn: list[Marking]
    mtu: Mtu
    load_balancing: dict[str, Scalar]
    networks: list[OtherNetwork]
    values: list[Value]
    targets: list[str]
    """Targets of whose system the design's switches are, or which its hosts and fabric have."""
    spec_hash: str
    versions: dict[str, str]
    name: IfAny[str]
