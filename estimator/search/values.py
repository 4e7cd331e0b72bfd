"""What a request's base leaves open: lists, ranges and free fields → axes of values, checked and bounded before any is made."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from estimator.catalog.catalog import Catalog
from estimator.errors import Problem, SpecError
from estimator.record import Given, Json
from estimator.spec.change import SIZES, apply_change, read_path
from estimator.spec.checking import near_words, validated
from estimator.spec.design import SECTIONS
from estimator.spec.fabric import Generation
from estimator.spec.own.checks import own_part_problems
from estimator.spec.own.overlay import seen_by
from estimator.spec.own.part import OwnParts
from estimator.units import divisors

MOST_VALUES = 20_000  # of one field
_RANGE_KEYS = frozenset({"from", "to", "step", "factor"})
RATIOS = ("1:1", "4:3", "3:2", "2:1", "3:1", "4:1")
_LARGEST = 1e15  # ends of a range
_DIGITS = 12  # that steps of a range are rounded to: 0.1 + 0.2 is 0.3


@dataclass(frozen=True)
class Axis:
    """A field and the values that are tried, in the order given; None is "left out", so that a default holds."""

    path: str
    values: tuple[Any, ...]
    is_free: bool = False


@lru_cache(maxsize=1)
def fields() -> Mapping[str, Any]:
    """Every field of a DesignSpec that holds one value, by dotted path."""
    found: dict[str, Any] = {}
    for name, section in SECTIONS.items():
        found |= dict(_fields(name, section))
    return found


def _fields(prefix: str, section: type[BaseModel]) -> Iterator[tuple[str, Any]]:
    for key, info in section.model_fields.items():
        options = (info.annotation, *get_args(info.annotation))
        inner = next((one for one in options if isinstance(one, type) and issubclass(one, BaseModel)), None)
        if inner is None and not any(get_origin(one) is list for one in options):
            yield f"{prefix}.{key}", info
        elif inner is info.annotation and inner is not None:
            yield from _fields(f"{prefix}.{key}", inner)


def field_path(name: str, where: str) -> str:
    """The dotted path of a field by its path or its last word.

    Raises
    ------
    SpecError
        If no field, or more than one, has the name; ``where`` is the key that held it.
    """
    known = fields()
    if name in known:
        return name
    found = [path for path in known if path.rpartition(".")[2] == name]
    if len(found) == 1:
        return found[0]
    if found:
        message = f"'{name}' may be {' or '.join(found)}. Give the whole name."
        raise SpecError([Problem(where, "unknown_field", message)])
    message = f"'{name[:80]}' is not a field of a design. Near it: {near_words(name, known)}."
    raise SpecError([Problem(where, "unknown_field", message)])


def catalog_of_base(base: Given, catalog: Catalog) -> Catalog:
    """The catalog with the base's own parts; what is wrong with them shows when a candidate is read."""
    own, problems = validated(OwnParts, base.get("own_parts") or {}, "own parts")
    is_right = own is not None and not problems and not own_part_problems(own, catalog)
    return seen_by(own, None, None, catalog) if is_right else catalog


def axes_of(base: Given, free: Sequence[str], catalog: Catalog) -> tuple[Json, tuple[Axis, ...]]:
    """The base without what is left open, and the fields that are, with their values.

    Raises
    ------
    SpecError
        For ranges that are reversed, have no end, no step or too many values; for empty lists; for unknown free fields.
    """
    problems: list[Problem] = []
    axes: list[Axis] = []
    fixed: Json = dict(base)
    for path in fields():
        value = read_path(base, path)
        if not isinstance(value, list) and not _is_range(value):
            continue
        try:
            axes.append(Axis(path, values_of(value, f"base.{path}")))
            fixed = apply_change(fixed, {path: None})
        except SpecError as error:
            problems += error.problems
    problems += _sizes_given_twice(base, axes)
    taken = {axis.path for axis in axes}
    for at, name in enumerate(free):
        try:
            path = field_path(name, f"free[{at}]")
        except SpecError as error:
            problems += error.problems
            continue
        if path in taken:
            message = f"'{name}' is free and has values of its own in the base. Drop one of them."
            problems.append(Problem(f"free[{at}]", "contradiction", message))
        elif path not in FREE:
            message = f"'{name}' has no list of values to try: give some in the base. Free may be {', '.join(FREE)}."
            problems.append(Problem(f"free[{at}]", "not_a_choice", message))
        else:
            taken.add(path)
            own = read_path(base, path)
            own = fields()[path].default if own is None else own
            every = dict.fromkeys([own, *FREE[path](catalog, base)])
            axes.append(Axis(path, tuple(every), is_free=True))
            fixed = apply_change(fixed, {path: None})
    if problems:
        raise SpecError(problems)
    return fixed, tuple(axes)


def _sizes_given_twice(base: Given, axes: Sequence[Axis]) -> list[Problem]:
    """A size that is a list or a range beside another size: taking one of them out would drop both."""
    given = [path for path in SIZES if read_path(base, path) is not None]
    several = [axis.path for axis in axes if axis.path in SIZES]
    if not several or len(given) < 2:
        return []
    message = f"The size is given twice, as {' and '.join(given)}. Give one of them."
    return [Problem(f"base.{several[0]}", "contradiction", message)]


def _is_range(value: Any) -> bool:
    return isinstance(value, Mapping) and bool(value) and set(value) <= _RANGE_KEYS


# ---------------------------------------------------------------- lists and ranges


def values_of(value: Any, where: str) -> tuple[Any, ...]:
    """Values of a list or of a range, each once.

    Raises
    ------
    SpecError
        Naming ``where`` and the limit that is broken.
    """
    if isinstance(value, list):
        if not 0 < len(value) <= MOST_VALUES:
            message = f"The list has {len(value):,} values; it needs one to {MOST_VALUES:,}."
            raise SpecError([Problem(where, "out_of_range", message)])
        if wrong := [one for one in value if isinstance(one, list | dict)]:
            message = f"A list of values holds numbers and texts, and {str(wrong[0])[:60]} was given."
            raise SpecError([Problem(where, "wrong_type", message)])
        return tuple({(isinstance(one, bool), one): one for one in value}.values())  # true is not 1
    if not _is_range(value):
        message = 'Values are a list, or a range such as {"from": 64, "to": 128, "step": 8}.'
        raise SpecError([Problem(where, "wrong_type", message)])
    return _range(value, where)


def _range(value: Given, where: str) -> tuple[int | float, ...]:
    first: Any = value.get("from")
    last: Any = value.get("to")
    step, factor = value.get("step"), value.get("factor")
    for key, number in (("from", first), ("to", last), ("step", step), ("factor", factor)):
        if number is None and key in ("step", "factor"):
            continue
        if isinstance(number, bool) or not isinstance(number, int | float) or not abs(number) <= _LARGEST:
            shown = (
                "nothing" if number is None else str(number)[:60] if isinstance(number, str | float) else "too large"
            )
            message = f"A range needs numbers from and to of at most {_LARGEST:,.0f}, and '{key}' is {shown}."
            raise SpecError([Problem(f"{where}.{key}", "wrong_type", message)])
    if step is not None and factor is not None:
        raise SpecError([Problem(f"{where}.factor", "contradiction", "A range has a step or a factor, not both.")])
    if last < first:
        message = f"The range runs from {first:,} down to {last:,}. Swap its ends."
        raise SpecError([Problem(where, "range_reversed", message)])
    if factor is not None:
        return _by_factor(first, last, factor, where)
    return _by_step(first, last, 1 if step is None else step, where)


def _by_step(first: int | float, last: int | float, step: int | float, where: str) -> tuple[int | float, ...]:
    if step <= 0:
        raise SpecError([Problem(f"{where}.step", "out_of_range", f"A step is above 0, and {step:,} was given.")])
    count = math.floor((last - first) / step + 1e-9) + 1
    _bounded(count, where, f"a step of at least {_least_step((last - first) / (MOST_VALUES - 1), first, last)}")
    values = (first + i * step for i in range(count))
    return tuple(one if isinstance(one, int) else round(one, _DIGITS) for one in values)


def _least_step(least: float, first: int | float, last: int | float) -> str:
    """The step with which a range is short enough, rounded up: whole between whole ends."""
    unit = 1 if isinstance(first, int) and isinstance(last, int) else 10.0 ** math.floor(math.log10(least))
    return f"{math.ceil(least / unit) * unit:,.12g}"


def _by_factor(first: int | float, last: int | float, factor: int | float, where: str) -> tuple[int | float, ...]:
    if factor <= 1 or first <= 0:
        message = f"A factor is above 1 and its range begins above 0; from {first:,} by {factor:,} was given."
        raise SpecError([Problem(f"{where}.factor", "out_of_range", message)])
    count = math.floor((math.log(last) - math.log(first)) / math.log(factor) + 1e-9) + 1
    _bounded(count, where, "a larger factor")
    are_whole = isinstance(first, int) and isinstance(last, int)
    values = (first * factor**i for i in range(count))
    return tuple(dict.fromkeys(round(one) if are_whole else round(one, _DIGITS) for one in values))


def _bounded(count: int, where: str, way_out: str) -> None:
    if count > MOST_VALUES:
        message = f"The range has {count:,} values, and {MOST_VALUES:,} is the most of one field. Take {way_out}."
        raise SpecError([Problem(where, "range_too_long", message)])


# ---------------------------------------------------------------- every value of a free field


def _switches(catalog: Catalog, base: Given) -> list[str]:
    return [key for key, switch in catalog.switches.items() if switch.status == "available"]


def _planes(catalog: Catalog, base: Given) -> list[int]:
    return [1, 2, 4, 8]


def _most_ports(catalog: Catalog) -> int:
    return max(switch.radix for switch in catalog.switches.values())


def _ports(catalog: Catalog, base: Given) -> list[int]:
    return list(range(1, _most_ports(catalog)))


def _pods(catalog: Catalog, base: Given) -> list[int]:
    return [2**power for power in range(4, 15)] + [3 * 2**power for power in range(3, 13)]


FREE: dict[str, Any] = {
    "fabric.generation": lambda catalog, base: list(get_args(Generation)),
    "fabric.leaf_switch": _switches,
    "fabric.spine_switch": _switches,
    "fabric.core_switch": _switches,
    "fabric.tiers": lambda catalog, base: ["auto", 1, 2, 3],
    "fabric.layout": lambda catalog, base: ["rail-optimized", "top-of-rack", "rail-only"],
    "fabric.planes": _planes,
    "fabric.rails_per_leaf": lambda catalog, base: divisors(8),
    "fabric.oversubscription": lambda catalog, base: list(RATIOS),
    "fabric.spine_oversubscription": lambda catalog, base: list(RATIOS),
    "fabric.uplink_spread": lambda catalog, base: ["even", "uneven"],
    "fabric.leaf_downlinks": _ports,
    "fabric.leaf_uplinks": _ports,
    "fabric.least_spines": lambda catalog, base: list(range(1, 33)),
    "fabric.scalable_unit_nodes": _ports,
    "fabric.pod_nodes": _pods,
    "fabric.core_groups": lambda catalog, base: list(range(1, 17)),
    "site.node_leaf_medium": lambda catalog, base: ["auto", "copper", "aoc", "multimode", "single-mode"],
    "site.leaf_spine_medium": lambda catalog, base: ["auto", "copper", "aoc", "multimode", "single-mode"],
    "site.spine_core_medium": lambda catalog, base: ["auto", "copper", "aoc", "multimode", "single-mode"],
}
