"""A value with what it rests on: source, trust, why it was chosen, and what other sources say."""

from typing import Literal

from estimator.record import IfAny, Record

Scalar = str | int | float
Trust = Literal["A", "B", "C", "design", "own"]
TRUSTS: dict[str, str] = {
    "A": "source code or document of the vendor, or a standard",
    "B": "field use, stated by a cloud or an operator",
    "C": "page of somebody else, an example",
    "design": "worked out from the design",
    "own": "assumption of our own",
}


class Alternative(Record):
    """What another source says of the same key."""

    value: Scalar
    source: str
    trust: Trust
    applies: IfAny[str]
    """What the source is about, such as ``os=junos``; no key where it is about everything."""


class Value(Record):
    """One setting. ``why`` says what it was chosen by."""

    key: str
    value: Scalar
    unit: IfAny[str] = None
    source: str
    trust: Trust
    why: str
    alternatives: list[Alternative]
    applies: IfAny[str] = None
    """Which switches have it, where others of the design have another value."""


def own(key: str, value: Scalar, why: str, unit: str | None = None) -> Value:
    """A value that no source has: an assumption of our own, marked as one."""
    return Value(key=key, value=value, unit=unit, source="Assumption", trust="own", why=why, alternatives=[])


def worked_out(key: str, value: Scalar, source: str, why: str, unit: str | None = None) -> Value:
    """A value that follows from the design; ``source`` says by what formula, or from which part of it."""
    return Value(key=key, value=value, unit=unit, source=source, trust="design", why=why, alternatives=[])
