"""Axes → candidates: requests that differ in parts or rules are parsed one by one, all that differ in counts are columns."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.errors import Problem, SpecError
from estimator.fabric.columns import Asked, Sizing
from estimator.fabric.size import with_first_pods
from estimator.fabric.sizing import asked_columns, fits_one_tier, leaf_layer, sized_columns, two_tiers
from estimator.record import Given, Json
from estimator.search.values import Axis
from estimator.spec.change import SIZES, apply_change
from estimator.spec.checking import validated
from estimator.spec.design import DesignSpec
from estimator.spec.fabric import MAX_ENDPOINTS
from estimator.spec.parse import parse_spec
from estimator.spec.rates import ports_a_cage
from estimator.units import BoolArray, IntArray, ceil_div, column_names, parse_ratio

LEFT_OUT = 0  # in a column: the key was not given
_RATIO_PATHS = ("fabric.oversubscription", "fabric.spine_oversubscription")
_COUNT_PATHS = (
    *SIZES,
    "fabric.leaf_downlinks",
    "fabric.leaf_uplinks",
    "fabric.tiers",
    "fabric.scalable_unit_nodes",
    "fabric.pod_nodes",
    "fabric.least_spines",
    "fabric.core_groups",
    "fabric.grow_to_nodes",
)
COLUMNS = (*_COUNT_PATHS, *_RATIO_PATHS)
_OF_ONE_KEY = frozenset(
    {
        "unknown_key",
        "unknown_part",
        "out_of_range",
        "wrong_type",
        "not_a_choice",
        "not_a_ratio",
        "missing",
        "no_rack_system",
    }
)


@dataclass(frozen=True)
class Space:
    """Every combination of the values of some axes. Candidates are numbered with the last axis running fastest."""

    fixed: Json
    axes: tuple[Axis, ...]  # those whose values need a request of their own come first
    n_outer: int

    def __len__(self) -> int:
        return prod(len(axis.values) for axis in self.axes)

    @property
    def outer(self) -> tuple[Axis, ...]:
        """Axes of parts and rules."""
        return self.axes[: self.n_outer]

    @property
    def inner(self) -> tuple[Axis, ...]:
        """Axes of counts, held as columns."""
        return self.axes[self.n_outer :]

    @property
    def n_inner(self) -> int:
        """Candidates of each request."""
        return prod(len(axis.values) for axis in self.inner)

    def change(self, number: int) -> Json:
        """What candidate ``number`` has at every axis, by dotted key."""
        shape = [len(axis.values) for axis in self.axes]
        places = np.unravel_index(number, shape) if shape else ()
        return {axis.path: axis.values[int(at)] for axis, at in zip(self.axes, places, strict=True)}

    def given(self, number: int) -> Json:
        """The request of a candidate, as it would be given."""
        return with_values(self.fixed, self.change(number))


def with_values(given: Given, change: Given) -> Json:
    """As ``apply_change``; of the keys that say a cluster's size only those that the change gives a value move."""
    return apply_change(
        given, {path: value for path, value in change.items() if value is not None or path not in SIZES}
    )


def space_of(fixed: Json, axes: Sequence[Axis], most: int) -> Space:
    """The space of some axes.

    Raises
    ------
    SpecError
        If it has more than ``most`` candidates, or gives the size of the cluster twice.
    """
    outer = [axis for axis in axes if axis.path not in COLUMNS]
    inner = [axis for axis in axes if axis.path in COLUMNS]
    space = Space(fixed, (*outer, *inner), len(outer))
    if len(space) > most:
        longest = sorted(axes, key=lambda axis: -len(axis.values))
        words = ", ".join(f"{axis.path} ({len(axis.values):,})" for axis in longest[:5])
        message = f"The request has {len(space):,} candidates, and {most:,} is the most: {words}. Give fewer values."
        raise SpecError([Problem("base", "too_many_candidates", message)])
    compute = fixed.get("compute")
    named = [path for path in SIZES if isinstance(compute, Mapping) and compute.get(path.partition(".")[2]) is not None]
    sizes = [axis.path for axis in inner if axis.path in SIZES]
    if len(sizes) > 1 or (sizes and named):
        message = f"The size is given twice, as {' and '.join([*sizes, *named])}. Give one of them."
        raise SpecError([Problem(f"base.{sizes[0]}", "contradiction", message)])
    return space


@dataclass(frozen=True)
class Template:
    """One request of a space, parsed: its candidates differ in counts alone. ``number`` is that of its first candidate."""

    number: int
    spec: DesignSpec

    def numbers(self, space: Space, part: range) -> IntArray:
        """Numbers of its candidates that lie in a part of the space."""
        ends = _within(self.number, space, part)
        return np.arange(ends.start, ends.stop, dtype=np.int64)

    def is_plain(self, catalog: Catalog) -> bool:
        """Whether its candidates are counted in columns: one network, a length a tier, no ports that managers share."""
        spec = self.spec
        has_own_racks = spec.economics.prices is not None and catalog.rack_of(spec.compute.server) is not None
        return not (
            spec.other_fabrics
            or spec.site.plan is not None
            or spec.site.set_lengths
            or spec.fabric.splitters
            or spec.fabric.reserved.fabric_manager_links
            or has_own_racks
            or spec.compute.nic is not None
        )


@dataclass
class Refused:
    """Why candidates were not built: how often each code, and the first problem of each."""

    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, Problem] = field(default_factory=dict)

    def add(self, problems: Sequence[Problem], times: int = 1) -> None:
        """Count candidates under the first of their problems."""
        if problems:
            self.counts[problems[0].code] += times
            self.first.setdefault(problems[0].code, problems[0])


def _within(number: int, space: Space, part: range) -> range:
    """The candidates of the request that begins at a number, those in a part of the space."""
    first, last = max(number, part.start), min(number + space.n_inner, part.stop)
    return range(first, max(first, last))


def templates_of(space: Space, catalog: Catalog, refused: Refused, most: int, part: range) -> list[Template]:
    """The requests with candidates in a part of a space that can be parsed, at most so many.

    Raises
    ------
    SpecError
        For values that are wrong by themselves, under ``base.…``; and where no request of the whole space can be parsed.
    """
    size = next((axis for axis in space.inner if axis.path in SIZES), None)
    start = with_values(space.fixed, {size.path: size.values[0]} if size else {})
    found: list[Template] = []
    problems: list[Problem] = []
    free = {axis.path for axis in space.outer if axis.is_free}
    n_tried = 0
    for at, values in enumerate(product(*(axis.values for axis in space.outer))):
        n_mine = len(_within(at * space.n_inner, space, part))
        if not n_mine:
            continue
        change = {axis.path: value for axis, value in zip(space.outer, values, strict=True)}
        n_tried += (is_fit := _may_fit(change, space.fixed, catalog))
        if n_tried > most:
            raise SpecError([_too_many_requests(space, most)])
        if not is_fit:
            refused.add([Problem("base.fabric.leaf_switch", "switch_does_not_fit", _NO_FIT)], n_mine)
            continue
        try:
            found.append(Template(at * space.n_inner, parse_spec(with_values(start, change), catalog)))
        except SpecError as error:
            wrong = [one for one in error.problems if one.code in _OF_ONE_KEY and one.field not in free]
            if wrong:
                raise SpecError([one.inside("base") for one in wrong]) from None
            problems += error.problems
            refused.add(error.problems, n_mine)
    if not found and len(part) < len(space):
        return []
    if not found:
        raise SpecError(
            [one.inside("base") for one in {p.code: p for p in problems}.values()] or list(refused.first.values())
        )
    _check_columns(space, found[0], start)
    return found


def _too_many_requests(space: Space, most: int) -> Problem:
    named = ", ".join(f"{axis.path} ({len(axis.values):,})" for axis in space.outer)
    message = (
        f"Values of parts and rules make more than {most:,} requests to be read one by one: {named}. Give fewer values; "
        "counts and ratios are not among them."
    )
    return Problem("base", "too_many_candidates", message)


_NO_FIT = "The switches of the catalog that were tried have no ports of the generation's rate and protocol."


def _may_fit(change: Given, fixed: Given, catalog: Catalog) -> bool:
    """A quick look at switches before a request is parsed: those of another protocol never fit."""
    network = fixed.get("fabric")
    held = network if isinstance(network, Mapping) else {}
    generation = catalog.generations.get(str(change.get("fabric.generation") or held.get("generation")))
    for tier in ("leaf", "spine", "core"):
        switch = catalog.switches.get(str(change.get(f"fabric.{tier}_switch")))
        if generation and switch and switch.protocol != generation.protocol:
            return False
    return True


def _check_columns(space: Space, template: Template, start: Json) -> None:
    """Refuse values of columns that are wrong by themselves: of numbers the least, the most and one of each other type."""
    problems: list[Problem] = []
    for axis in space.inner:
        whole = [value for value in axis.values if type(value) is int]
        others = {type(value): value for value in axis.values if type(value) is not int and value is not None}
        texts = [value for value in axis.values if isinstance(value, str)]
        tried = [*({min(whole), max(whole)} if whole else ()), *others.values(), *texts]
        for value in {(type(one), one): one for one in tried}.values():  # true is not 1
            _, found = validated(DesignSpec, with_values(start, {axis.path: value}), "a design")
            problems += [one for one in found if one.field == axis.path][:1]
    if problems:
        raise SpecError([one.inside("base") for one in problems])


# ---------------------------------------------------------------- columns


@dataclass(frozen=True)
class Batch:
    """Candidates as columns: number, template (an index into ``templates``), and the network that each is."""

    templates: Sequence[Template]
    number: IntArray
    template: IntArray
    sizing: Sizing

    def take(self, rows: IntArray) -> "Batch":
        """Some of them."""
        return Batch(self.templates, self.number[rows], self.template[rows], taken(self.sizing, rows))


def taken(sizing: Sizing, rows: IntArray) -> Sizing:
    """Some designs of a sizing."""
    own = {name: getattr(sizing, name)[rows] for name in column_names(Sizing) if name not in ("asked", "leaves")}
    return Sizing(asked=sizing.asked.take(rows), leaves=sizing.leaves.take(rows), **own)


def batches(
    space: Space,
    templates: Sequence[Template],
    catalog: Catalog,
    refused: Refused,
    most: int,
    of_three_tiers: int,
    part: range,
) -> Iterator[Batch]:
    """The candidates of plain templates in a part of the space that can be built, so many at a time.

    Raises
    ------
    SpecError
        If more than ``of_three_tiers`` need three tiers, which are chosen one by one.
    """
    if not templates:
        return
    grid = _grid(space)
    of_templates = asked_columns([one.spec for one in templates], catalog)
    kept = np.array([_kept_ports(one.spec, catalog) for one in templates], dtype=np.int64).reshape(len(templates), 4)
    mine = [one.numbers(space, part) for one in templates]
    whose = np.repeat(np.arange(len(templates)), [len(one) for one in mine])
    numbers = np.concatenate(mine)
    for start in range(0, len(numbers), most):
        template, number = whose[start : start + most], numbers[start : start + most]
        column = number % space.n_inner
        asked = _asked(
            of_templates.take(template), {path: values[column] for path, values in grid.items()}, templates, template
        )
        is_allowed = _is_allowed(asked, kept[template])
        refused.add(
            [Problem("base", "contradiction", _NOT_ALLOWED)] * bool((~is_allowed).any()), int((~is_allowed).sum())
        )
        rows = np.flatnonzero(is_allowed)
        of_three_tiers -= _n_of_three_tiers(asked.take(rows))
        if of_three_tiers < 0:
            raise SpecError([Problem("base", "too_many_candidates", _THREE_TIERS)])
        sizing = _sized(asked.take(rows))
        built = np.flatnonzero(sizing.tiers > 0)
        refused.add([Problem("base", "no_network", _NO_NETWORK)] * (len(built) < len(rows)), len(rows) - len(built))
        yield Batch(templates, number[rows][built], template[rows][built], taken(sizing, built))


_THREE_TIERS = (
    "Too many candidates need three tiers, whose pods and cores are chosen one by one. Give fewer values, fewer nodes, or "
    "a lower number of tiers."
)
_NOT_ALLOWED = (
    "Values contradict each other: more leaf ports than a leaf has, more endpoints than the limit, or growth to fewer "
    "nodes than there are."
)
_NO_NETWORK = "No network of these switches, ports, tiers and oversubscription joins so many nodes."


def _grid(space: Space) -> dict[str, IntArray]:
    """Columns of the inner axes, shape (n_inner,); ratios as two."""
    shape = [len(axis.values) for axis in space.inner]
    places = np.unravel_index(np.arange(space.n_inner), shape) if shape else ()
    grid: dict[str, IntArray] = {}
    for axis, at in zip(space.inner, places, strict=True):
        if axis.path in _RATIO_PATHS:
            ratios = [parse_ratio(value or "1:1") for value in axis.values]
            grid[f"{axis.path}.down"] = np.array([one.numerator for one in ratios], dtype=np.int64)[at]
            grid[f"{axis.path}.up"] = np.array([one.denominator for one in ratios], dtype=np.int64)[at]
        else:
            numbers = [LEFT_OUT if value in (None, "auto") else value for value in axis.values]
            grid[axis.path] = np.array(numbers, dtype=np.int64)[at]
    return grid


def _kept_ports(spec: DesignSpec, catalog: Catalog) -> tuple[int, int, int, int]:
    """(radix of a leaf, ports kept free, ports a cage at the port rate, and at that of uplinks)."""
    return (spec.fabric.leaf_radix or 0, spec.fabric.reserved.leaf_ports, *ports_a_cage(spec.fabric, catalog))


def _asked(asked: Asked, grid: Mapping[str, IntArray], templates: Sequence[Template], template: IntArray) -> Asked:
    """The columns of the templates with those of the axes in their place."""
    per_node = np.array([one.spec.compute.gpus_per_node or 1 for one in templates], dtype=np.int64)[template]
    change: dict[str, Any] = {}
    nodes = asked.nodes
    if "compute.nodes" in grid:
        nodes = grid["compute.nodes"]
    elif "compute.gpus" in grid:
        nodes = ceil_div(grid["compute.gpus"], per_node)
    elif "compute.racks" in grid:
        first = np.array([one.spec.compute.racks or 1 for one in templates], dtype=np.int64)[template]
        nodes = grid["compute.racks"] * (asked.nodes // first)
    grow = grid.get("fabric.grow_to_nodes", np.where(asked.grows, asked.grow_nodes, LEFT_OUT))
    change |= {
        "nodes": nodes,
        "gpus": nodes * per_node,
        "grows": grow > 0,
        "grow_nodes": np.where(grow > 0, grow, nodes),
    }
    for path, name in _NAMES.items():
        if path in grid:
            change[name] = grid[path]
    change |= {"down_named": change.get("down", asked.down) > 0, "up_named": change.get("up", asked.up) > 0}
    if "fabric.least_spines" in grid:
        change["least_spines"] = np.maximum(grid["fabric.least_spines"], 1)
    if "fabric.spine_oversubscription.down" in grid:
        change["spine_ratio_down"] = grid["fabric.spine_oversubscription.down"]
        change["spine_ratio_up"] = grid["fabric.spine_oversubscription.up"]
    made = asked.but(**change)
    down, up = _ratio(made, grid, templates, template)
    return made.but(ratio_down=down, ratio_up=up)


_NAMES = {
    "fabric.leaf_downlinks": "down",
    "fabric.leaf_uplinks": "up",
    "fabric.tiers": "tiers",
    "fabric.scalable_unit_nodes": "unit_nodes",
    "fabric.pod_nodes": "pod_nodes",
    "fabric.core_groups": "core_groups",
}


def _ratio(
    asked: Asked, grid: Mapping[str, IntArray], templates: Sequence[Template], template: IntArray
) -> tuple[IntArray, IntArray]:
    """The oversubscription requested: a split of ports says it at their rates, else the ratio."""
    own = [parse_ratio(one.spec.fabric.oversubscription) for one in templates]
    down = grid.get("fabric.oversubscription.down", _column(own, "numerator")[template])
    up = grid.get("fabric.oversubscription.up", _column(own, "denominator")[template])
    is_split = (asked.down > 0) & (asked.up > 0)
    down = np.where(is_split, asked.down * asked.port_rate_gbit_s, down)
    up = np.where(is_split, asked.up * asked.uplink_rate_gbit_s, up)
    common = np.gcd(down, up)
    return down // common, up // common


def _column(ratios: Sequence[Fraction], side: str) -> IntArray:
    return np.array([getattr(one, side) for one in ratios], dtype=np.int64)


def _is_allowed(asked: Asked, kept: IntArray) -> BoolArray:
    """What spec/rules.py asks of several keys at once, for the keys that are columns."""
    radix, reserved, down_a_cage, up_a_cage = kept.T
    taken_ports = asked.down + np.where(down_a_cage == up_a_cage, asked.up, ceil_div(asked.up, up_a_cage) * down_a_cage)
    fits = (taken_ports + reserved <= radix) | ((down_a_cage != up_a_cage) & (radix < 2))
    fits &= np.maximum(asked.nodes, asked.grow_nodes) * asked.ports_a_node <= MAX_ENDPOINTS
    fits &= (asked.nodes > 0) & (asked.grow_nodes >= asked.nodes)
    found: BoolArray = fits & ~(asked.uneven & asked.grows & (asked.grow_nodes != asked.nodes))
    return found


def _sized(asked: Asked) -> Sizing:
    """Size candidates; those that ask for the same are sized once."""
    table = np.stack([getattr(asked, name).astype(np.int64) for name in column_names(Asked)], axis=1)
    rows = np.ascontiguousarray(table).view([("", np.int64)] * table.shape[1]).ravel()
    _, first, again = np.unique(rows, return_index=True, return_inverse=True)
    return taken(sized_columns(with_first_pods(asked.take(first))), again.ravel())


def _n_of_three_tiers(asked: Asked) -> int:
    """Candidates that want three tiers, or for which two with all that a leaf can hold are not enough."""
    leaves = leaf_layer(asked)
    is_two = (two_tiers(asked, leaves, leaves.grown_nodes).group_spines > 0) | fits_one_tier(asked, leaves.grown_nodes)
    return int(((asked.tiers == 3) | ((asked.tiers == 0) & ~is_two)).sum())
