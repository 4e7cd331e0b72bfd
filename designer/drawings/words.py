"""Parts, devices and bundles of a fabric picture in words."""

from fractions import Fraction

from designer.wording.numbers import NO_BREAK_SPACE, count, gbit_s, significant
from estimator.catalog.ports import COMPUTE
from estimator.diagrams.data import OUTSIDE, SINGLE, Bundle
from estimator.diagrams.places import PLANE, POD, RAIL, UNIT, Places
from estimator.diagrams.scope import Scope
from estimator.fabric.devices import CORE, LEAF, MANAGER, NODE, SPINE
from estimator.units import ratio_text

ONE = {NODE: "server", MANAGER: "fabric manager", LEAF: "leaf", SPINE: "spine", CORE: "core", OUTSIDE: "network"}
MANY = {
    NODE: "servers",
    MANAGER: "fabric managers",
    LEAF: "leaves",
    SPINE: "spines",
    CORE: "cores",
    OUTSIDE: "networks",
}
HEADS = {NODE: "Servers", MANAGER: "Fabric managers", LEAF: "Leaves", SPINE: "Spines", CORE: "Cores", OUTSIDE: "Above"}
AXES = {PLANE: "plane", RAIL: "rail", POD: "pod", UNIT: "unit", SINGLE: "leaf"}
AXES_MANY = {PLANE: "planes", RAIL: "rails", POD: "pods", UNIT: "units", SINGLE: "leaves"}
MODES = {
    "role": "Role",
    "alltoall": "Load, all-to-all",
    "allreduce": "Load, all-reduce",
    "ratio": "Oversubscription",
    "failure": "Failure",
}
LOAD_BINS = (0.5, 0.8, 1.0 + 1e-9, 1.5)
RATIO_BINS = (1.0 + 1e-9, 1.5, 2.0, 3.0)
LEFT_BINS = (1.0, 0.9, 0.75, 0.5)  # of what is left, the best first


def number_of(n: int, kind: str, role: str = COMPUTE) -> str:
    """ "127 servers", "1 leaf"; other networks join more than servers."""
    one, many = ("device", "devices") if kind == NODE and role != COMPUTE else (ONE[kind], MANY[kind])
    return f"{count(n)} {one if n == 1 else many}"


def axis_name(axis: str, places: Places, many: bool = False) -> str:
    """What the parts along an axis are called in this fabric."""
    fabric = places.table.fabric
    paired = fabric.hosts is not None and fabric.hosts.together > 1 and fabric.wiring.columns > 1
    if paired and axis in (RAIL, UNIT):
        return {RAIL: "sides" if many else "side", UNIT: "pairs" if many else "pair"}[axis]
    return (AXES_MANY if many else AXES)[axis]


def part_title(axis: str, number: int, places: Places) -> str:
    """ "Pod 3", "Rails 3 to 4", "leaf-r1-001"."""
    table = places.table
    if axis == SINGLE:
        return table.devices.names[table.devices.first[LEAF] + number - 1]
    each = table.fabric.wiring.rails_a_leaf
    if axis == RAIL and each > 1 and table.fabric.layout != "rail-only":
        return f"Rails {(number - 1) * each + 1} to {number * each}"
    return f"{axis_name(axis, places).capitalize()} {number}"


def scope_title(scope: Scope, places: Places) -> str:
    """What a picture shows, in a few words."""
    if scope.device is not None:
        return places.table.devices.names[scope.device]
    titles = [part_title(axis, number, places) for axis, number in scope.on]
    parts = ", ".join([*titles[:1], *(title[0].lower() + title[1:] for title in titles[1:])]) or "Whole fabric"
    return f"{HEADS[scope.roster]}, {parts[0].lower() + parts[1:]}" if scope.roster else parts


def ratio_words(ratio: Fraction | None) -> str:
    """8/7 → "8:7, 1.14:1"; whole ones and long ones as one figure."""
    if ratio is None:
        return ""
    if ratio.denominator == 1:
        return ratio_text(ratio)
    decimal = short_ratio(ratio)
    return f"{ratio_text(ratio)}, {decimal}" if ratio.numerator < 1000 else decimal


def short_ratio(ratio: Fraction | None) -> str:
    """8/7 → "1.14:1", 1/22 → "1:22"."""
    if ratio is None:
        return ""
    if not ratio:
        return "0:1"
    return f"{significant(float(ratio))}:1" if ratio >= 1 else f"1:{significant(float(1 / ratio))}"


def percent_words(share: float) -> str:
    """0.9412 → "94 %"; a small loss is never rounded away: 0.9996 → "99.96 %"."""
    if share == float("inf"):
        return "no way up"
    value = share * 100
    digits = 0 if value in (0.0, 100.0) or value < 99 or value > 101 else 1 if abs(100 - value) >= 0.05 else 2
    return f"{value:.{digits}f}{NO_BREAK_SPACE}%"


def bundle_words(bundle: Bundle) -> str:
    """ "256 × 400 Gb/s"."""
    return f"{count(bundle.links)} × {gbit_s(bundle.rate_gbit_s)}"


def heat(value: float, bins: tuple[float, ...]) -> str:
    """The colour class of a value: 0 the coolest."""
    return f"heat-{sum(value > edge for edge in bins)}"


def heat_left(share: float) -> str:
    """The colour class of what is left of something."""
    return f"heat-{0 if share >= 1 else sum(share < edge for edge in LEFT_BINS)}"
