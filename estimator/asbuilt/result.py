"""A file of links compared with a design's, as it is answered."""

from collections.abc import Mapping, Sequence
from typing import Literal

from estimator.record import IfAny, Record


class DroppedLine(Record):
    """A line that gave no link, and why."""

    line: int
    """From 1; in a workbook the row of its sheet."""
    code: str
    reason: str
    text: str


class LinksRead(Record):
    """What the file had in it."""

    links: int
    listings: int
    """Lines with a link; dumps list each from both ends."""
    devices: int
    switches: int | None
    """By GUID; null where the file has none."""
    hosts: int | None
    adapters: int | None
    dropped: Sequence[DroppedLine]
    dropped_total: int
    dropped_by_reason: Mapping[str, int]


class LinkEnd(Record):
    device: str
    port: str
    device_in_file: IfAny[str] = None
    """Where the file calls it otherwise."""
    port_in_file: IfAny[str] = None

    nic_in_file: IfAny[str] = None
    """What the file calls this port of a server, where that is another NIC's name in the design."""

    def __str__(self) -> str:
        in_file = f" ({self.device_in_file})" if self.device_in_file else ""
        nic = f" ({self.nic_in_file})" if self.nic_in_file else ""
        return f"{self.device}{in_file} {self.port}{nic}"


class PlannedLink(Record):
    """A link of the design."""

    link: int
    cable: int | None
    tier: str
    a: LinkEnd
    b: LinkEnd

    def __str__(self) -> str:
        return f"{self.a} – {self.b}"


class FoundLink(Record):
    """A link of the file."""

    line: int
    a: LinkEnd
    b: LinkEnd

    def __str__(self) -> str:
        return f"{self.a} – {self.b}"


class MissingLink(PlannedLink):
    message: str


class ExtraLink(FoundLink):
    message: str


class SwappedLinks(Record):
    links: int
    planned: list[PlannedLink]
    """The first eight."""
    found: list[FoundLink]
    same_devices: bool
    """Between the same two devices: only labels are wrong."""
    message: str


class DoubledLink(FoundLink):
    reason: Literal["listed_twice", "port_used_twice"]
    times: int
    lines: list[int]
    message: str


class DisplacedLink(Record):
    """A link on another port, or at another device, than it should be."""

    planned: PlannedLink
    found: FoundLink
    message: str


class SlowLink(PlannedLink):
    line: int
    rate_gbit_s: int
    found_gbit_s: int
    message: str


class DeviceLinks(Record):
    device: str
    links: int


class NamedDevice(Record):
    in_file: str
    in_design: str
    confidence: float
    interchangeable: bool


class DeviceNames(Record):
    told_by: Mapping[str, int]
    """How many devices, by how."""
    is_automatic: bool
    confidence: float | None
    automatic: list[NamedDevice]
    automatic_total: int


class BuiltRatio(Record):
    """Σ down ÷ Σ up over all leaves and the highest of one leaf; null where there are no uplinks, or no links below."""

    built: str | None
    built_ratio: float | None
    worst_leaf: str | None
    worst_leaf_ratio: float | None
    leaves_without_uplinks: IfAny[int] = None


class BuiltRatios(Record):
    design: BuiltRatio
    found: BuiltRatio


class LinkSpan(Record):
    min: int
    max: int
    total: int


class SpineDifference(Record):
    device: str
    device_in_file: IfAny[str] = None
    """Where the file calls it otherwise."""
    design: int
    found: int


class SpineLinks(Record):
    design: LinkSpan | None
    found: LinkSpan | None
    differ: list[SpineDifference]
    differ_total: int


class BuiltNetwork(Record):
    oversubscription: BuiltRatios
    spine_links: SpineLinks
    links_not_counted: int


class LinkComparison(Record):
    """A file of links compared with a design's. Lists end at ``list_bound`` entries; ``totals`` has all."""

    format: str
    fabric: str
    spec_hash: str
    file_spec_hash: str | None
    """That of the design the file was written from."""
    read: LinksRead
    matched: int
    """Links between the same two ends, at whatever rate."""
    as_designed: int
    """Those of them that do not run at another rate than designed."""
    without_rate: int
    """Those of ``matched`` whose rate the file does not give, so that it is not compared."""
    planned: int
    totals: Mapping[str, int]
    list_bound: int
    missing: list[MissingLink]
    extra: list[ExtraLink]
    swapped: list[SwappedLinks]
    doubled: list[DoubledLink]
    wrong_port: list[DisplacedLink]
    moved: list[DisplacedLink]
    speed_mismatch: list[SlowLink]
    unknown_devices: list[DeviceLinks]
    absent_devices: list[DeviceLinks]
    names: DeviceNames
    """How devices were identified, and with what confidence."""
    port_names: Mapping[str, str]
    """Style of port names, by kind of device."""
    built: BuiltNetwork
    """Oversubscription and links a spine, of the design and of the file."""
    summary: str
