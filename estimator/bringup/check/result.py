"""What settings turn out to be, as it is answered."""

from typing import Literal

from estimator.record import Record

Severity = Literal["error", "warning", "info"]


class FaultCost(Record):
    """What the model says a fault does to a figure: busbw of an all-reduce over all GPUs, 16 GiB. [GB/s]"""

    figure: str
    from_: float
    to: float
    from_low: float
    """Nine measured runs in ten lie between low and high."""
    from_high: float
    to_low: float
    to_high: float


class SettingFinding(Record):
    """A setting that disagrees with the plan or with another device."""

    code: str
    severity: Severity
    device: str
    file: str
    line: int
    message: str
    expected: str
    found: str
    cost: FaultCost | None
    """null where the model does not say."""
    fix: str
    """The command or the line that sets it right."""


class Hop(Record):
    """A packet of the data class from one device to the next."""

    from_: str
    to: str
    dscp: int | None
    priority: int | None
    lossless: bool | None
    """null where one end was not uploaded."""


class Unread(Record):
    """What was not read, and why; ``line`` is null for a whole file."""

    file: str
    line: int | None
    why: str


class SettingsCheck(Record):
    """Findings, worst first, the paths that were followed, and what was not read."""

    findings: list[SettingFinding]
    paths: list[Hop]
    unread: list[Unread]
    spec_hash: str
    versions: dict[str, str]
