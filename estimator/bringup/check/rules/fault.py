"""A fault before it is answered: where it stands, what was expected and found, and what a fix needs to know."""

from dataclasses import dataclass, field

from estimator.bringup.check.observation import Reading
from estimator.bringup.check.result import Severity


@dataclass(frozen=True)
class Fault:
    """One disagreement; those of one line and code are answered as one, with their ports together."""

    code: str
    reading: Reading
    line: int
    expected: str
    found: str
    port: str = ""
    """Port, interface or NIC; empty for the whole device."""
    severity: Severity = "error"
    more: str = ""
    """What the message adds, such as the other end."""
    change: tuple[tuple[str, object], ...] = field(default=())
    """Keys of the model's system that the fault changes."""
