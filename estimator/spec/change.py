"""A request with some keys changed, as a finding or a refusal proposes it.

A change is ``{dotted key: value}``, such as ``{"fabric.tiers": 3}``. It holds for the request as it was given and for the
normalized spec alike, so it names every key that must differ, also those that defaults would fill in.
"""

from collections.abc import Mapping
from typing import Any

from estimator.record import Given, Json

SIZES = ("compute.nodes", "compute.gpus", "compute.racks")  # ways to say one thing: giving one takes the others away


def read_path(values: Given, path: str) -> Any:
    """The value at a dotted key of sections, or None."""
    value: Any = values
    for part in path.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def copied(values: Any) -> Any:
    """Objects and lists of JSON anew, all the way down; ``copy.deepcopy`` takes three times as long."""
    if isinstance(values, dict):
        return {key: copied(value) for key, value in values.items()}
    return [copied(value) for value in values] if isinstance(values, list) else values


def apply_change(given: Given, change: Given) -> Json:
    """The request ``given`` with the values of ``change`` at their dotted keys; ``given`` stays as it is.

    A value of None removes the key, so that its default holds. A number in a dotted key counts the entries of a list from
    0, as in ``other_fabrics.0.tiers``. Sections that are missing are made.

    Raises
    ------
    ValueError
        If a dotted key leads through something that is neither a section nor an entry of a list.
    """
    values: Json = copied(dict(given))
    for path in change:
        for other in SIZES if path in SIZES else ():
            _put(values, other, None)
    for path, value in change.items():
        _put(values, path, copied(value))
    return values


def _put(values: Json, path: str, value: Any) -> None:
    *sections, key = path.split(".")
    at: Any = values
    for section in sections:
        if isinstance(at, list):
            at = at[int(section)]
            continue
        if value is None and at.get(section) is None:
            return
        if at.get(section) is None:
            at[section] = {}
        at = at[section]
        if not isinstance(at, dict | list):
            raise ValueError(f"{path} leads through {section}, which holds {at!r}")
    if isinstance(at, list):
        at[int(key)] = value
    elif value is None:
        at.pop(key, None)
    else:
        at[key] = value
