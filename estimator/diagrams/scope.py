"""Which part of a fabric a picture shows, as an address: ``pod-3/rail-2``, ``unit-4``, ``plane-1/spines``, a device's name.

Addresses are what pages, links and files carry, so that every picture can be found again. The empty one is the whole fabric.
"""

from dataclasses import dataclass, replace
from difflib import get_close_matches

import numpy as np
import numpy.typing as npt

from estimator.diagrams.places import AXES, PLANE, POD, RAIL, UNIT, Places
from estimator.digits import is_whole_number
from estimator.fabric.devices import CORE, LEAF, MANAGER, NODE, SPINE
from estimator.units import IntArray

ROSTERS = {"nodes": NODE, "managers": MANAGER, "leaves": LEAF, "spines": SPINE, "cores": CORE}
MOST_LETTERS = 80
MOST_PARTS = 6
NEAR_NAMES = 8


@dataclass(frozen=True)
class Scope:
    """A part of a fabric: a number on some axes, in the order in which they were chosen.

    ``roster`` is a kind of device that is shown one by one; ``device`` the index of one device, which is shown alone.
    """

    on: tuple[tuple[str, int], ...] = ()
    roster: str = ""
    device: int | None = None

    def within(self, axis: str, number: int) -> "Scope":
        """The part of this part with a number on one more axis."""
        return Scope((*self.on, (axis, number)))

    def listing(self, kind: str) -> "Scope":
        """The devices of one kind of this part, one by one."""
        return replace(self, roster=kind)

    @property
    def parent(self) -> "Scope":
        """One step up; the whole fabric has itself above it."""
        return replace(self, roster="") if self.roster else Scope(self.on[:-1])


def address_of(scope: Scope, places: Places) -> str:
    """The address of a scope."""
    if scope.device is not None:
        return places.table.devices.names[scope.device]
    parts = [f"{axis}-{number}" for axis, number in scope.on]
    roster = next((word for word, kind in ROSTERS.items() if kind == scope.roster), None)
    return "/".join([*parts, roster] if roster else parts)


def scope_of(address: str, places: Places) -> Scope | None:
    """The scope that an address names; None if there is no such part or device."""
    if len(address) > MOST_LETTERS or address.count("/") >= MOST_PARTS:
        return None
    text = address.strip().strip("/").lower()
    if not text:
        return Scope()
    devices = places.table.devices
    device = devices.index_of(text)
    if device is None:
        device = devices.index_of_number(text)
    if device is not None:
        return Scope(device=device)
    scope = Scope()
    *parts, last = text.split("/")
    if last in ROSTERS:
        scope = scope.listing(ROSTERS[last])
    else:
        parts.append(last)
    for part in parts:
        axis, _, number = part.partition("-")
        if axis not in AXES or not is_whole_number(number, len(number)) or axis in dict(scope.on):
            return None
        if not 1 <= int(number) <= places.n[axis]:
            return None
        scope = replace(scope, on=(*scope.on, (axis, int(number))))
    leaves = leaves_in(scope, places)
    is_empty = not leaves.any() or (scope.roster and not places.table.devices.n[scope.roster])
    return None if is_empty else scope


def leaves_in(scope: Scope, places: Places) -> npt.NDArray[np.bool_]:
    """Whether each leaf is in the scope."""
    leaves = places.table.devices.of(LEAF)
    inside = np.ones(places.table.fabric.n_leaf, dtype=np.bool_)
    for axis, number in scope.on:
        inside &= places.of[axis][leaves] == number
    return inside


def home_of(device: int, places: Places) -> Scope:
    """The smallest part that a device is in, as one steps up from it: its plane, rail, pod and unit, as far as it has one."""
    number = {axis: int(places.of[axis][device]) for axis in AXES}
    shown = [axis for axis in walk(places) if number[axis]]
    if places.table.devices.kind(device) in (NODE, MANAGER):
        shown = [axis for axis in shown if axis in (POD, UNIT)]
    return Scope(tuple((axis, number[axis]) for axis in shown))


def walk(places: Places) -> list[str]:
    """The axes along which a reader usually goes down, outer ones first; those with one number are left out.

    With three tiers a pod is cut by rails, as each rail has spines of its own; with two tiers the fabric is cut by units.
    """
    fabric, n = places.table.fabric, places.n
    has_rails = fabric.wiring.columns > 1 or fabric.layout == "rail-only"
    axes = [PLANE] if n[PLANE] > 1 else []
    if has_rails and n[RAIL] > 1 and (fabric.layout == "rail-only" or fabric.tiers == 3):
        axes += [POD, RAIL] if fabric.layout != "rail-only" else [RAIL, POD]
    else:
        axes += [POD]
        axes += [UNIT] if fabric.wiring.columns > 1 else []
    return [axis for axis in axes if n[axis] > 1]


def choices(scope: Scope, places: Places) -> list[str]:
    """Axes by which a scope can be cut into parts of several leaves, the usual one first."""
    inside = leaves_in(scope, places)
    leaves = places.table.devices.of(LEAF)
    usual = walk(places)
    wanted = [*usual, *(axis for axis in AXES if axis not in usual)]
    out = []
    for axis in wanted:
        if axis in dict(scope.on) or not is_axis(axis, places):
            continue
        sizes = np.bincount(places.of[axis][leaves][inside])
        if (sizes > 0).sum() > 1 and sizes.max() > 1:
            out.append(axis)
    return out


def is_axis(axis: str, places: Places) -> bool:
    """Whether a fabric has parts of this kind: where leaves are filled in node order, a row is a single leaf."""
    fabric = places.table.fabric
    if axis == UNIT:
        return fabric.wiring.columns > 1
    return axis != RAIL or fabric.wiring.columns > 1 or fabric.layout == "rail-only"


def near_names(typed: str, names: list[str]) -> list[str]:
    """A few names of devices like one that no device has: those that begin with it, hold it, or are spelt like it."""
    sought = typed.strip().lower()[:MOST_LETTERS]
    starts = [name for name in names if name.startswith(sought)]
    found = starts or [name for name in names if sought in name]
    if not found:
        stem = sought.rstrip("0123456789")
        number = sought[len(stem) :].lstrip("0")
        alike = [name for name in names if number and name.rstrip("0123456789") == stem and name.endswith(number)]
        found = alike or get_close_matches(sought, _spread_out(names), NEAR_NAMES, cutoff=0.5)
    return found[:NEAR_NAMES]


def near_parts(typed: str, places: Places) -> list[str]:
    """Parts that there are, for a part that a fabric lacks: "pod-2" → "unit-2" where there are units and no pods.

    None for what is no part's name at all; the last part of each kind where there are not so many.
    """
    axis, _, number = typed.strip().lower().partition("-")
    if axis not in AXES or not is_whole_number(number, len(number)):
        return []
    axes = [one for one in walk(places) if one != axis]
    if places.n[axis] > 1:
        axes.insert(0, axis)
    return [f"{one}-{min(max(int(number), 1), places.n[one])}" for one in axes][:NEAR_NAMES]


def examples(places: Places) -> list[str]:
    """Two names that this fabric has: its first server, and the second of its parts or else its first spine or leaf."""
    devices, parts = places.table.devices, [f"{axis}-2" for axis in walk(places)]
    names = [devices.names[devices.first[kind]] for kind in (NODE, SPINE, LEAF) if devices.n[kind]]
    return [names[0], *parts, *names[1:]][:2]


def _spread_out(names: list[str], most: int = 4000) -> list[str]:
    """Not more than ``most`` names, every kind of device among them."""
    kinds: dict[str, list[str]] = {}
    for name in names:
        kinds.setdefault(name.rstrip("0123456789"), []).append(name)
    each = max(most // max(len(kinds), 1), 1)
    return [name for some in kinds.values() for name in some[:each]]


def members(axis: str, inside: npt.NDArray[np.bool_], places: Places) -> IntArray:
    """Numbers on an axis that some leaf of a scope has, in order."""
    leaves = places.table.devices.of(LEAF)
    return np.flatnonzero(np.bincount(places.of[axis][leaves][inside]))
