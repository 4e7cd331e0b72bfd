"""What differs in settings between two states of a design, as it is answered."""

from typing import Literal

from estimator.bringup.plan.value import Scalar
from estimator.record import IfAny, Record

Kind = Literal["headroom", "nic_headroom", "ecn", "value", "routing", "addresses", "ports"]


class SettingChange(Record):
    """A setting that differs, on all devices on which it does so alike."""

    kind: Kind
    key: str
    """As the plan has it; of headroom ``headroom.DEVICE.xoff``, by what the ports lead to."""
    devices: list[str]
    """Names of switches; a kind of device where it holds for all of them."""
    ports: list[str]
    """Ports of the first of the devices; empty where it is not about ports."""
    before: Scalar | None
    """null where it was not set."""
    after: Scalar | None
    """null where it is no longer set."""
    unit: IfAny[str] = None
    why: str
    message: str


class SettingsChanges(Record):
    """All that differs, headroom first; devices that came and went are not listed again among the changes."""

    changes: list[SettingChange]
    added: list[str]
    """Switches that only the later state has."""
    removed: list[str]
    nodes_before: int
    nodes_after: int
    before_hash: str
    after_hash: str
    versions: dict[str, str]
