"""A sweep: one or two fields over values, any figures at every point, and where the build changes kind."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from estimator.catalog.catalog import Catalog
from estimator.errors import Problem, SpecError
from estimator.record import Json
from estimator.search.candidates import Space, space_of
from estimator.search.columns.work import Verbs, Work
from estimator.search.evaluate import Estimator, Evaluated, evaluated
from estimator.search.figures import Aims, Key, described, figure_named, known, ranges_of
from estimator.search.request import COMMAND_LINE, MOST_POINTS, WHAT_SWEEP, Bounds, Span, SweepRequest
from estimator.search.result import Sweep, SweepChange, SweepPoint
from estimator.search.values import Axis, axes_of, catalog_of_base, field_path, values_of
from estimator.search.workload import work_of, workload_problems
from estimator.spec.change import SIZES
from estimator.spec.checking import validated
from estimator.units import counted

_KINDS = ("tiers",)
_MOST_STEPS = 24  # halvings between two points: enough for any number of nodes


def sweep(
    request: Any,
    catalog: Catalog,
    estimate: Estimator,
    bounds: Bounds = COMMAND_LINE,
    verbs: Verbs | None = None,
) -> Sweep:
    """Figures of a design over values of one or two of its fields.

    Parameters
    ----------
    request : the JSON of a sweep.
    estimate : ``pipeline.estimate``.
    bounds : what the answer may take; MOST_POINTS points at most.

    Raises
    ------
    SpecError
        With every problem of the request; each names the field and the limit.
    """
    asked, problems = validated(SweepRequest, request, WHAT_SWEEP)
    if asked is None or problems:
        raise SpecError(problems)
    keys = _keys(asked, verbs, catalog)
    spans = [("x", asked.x), *([("y", asked.y)] if asked.y else [])]
    axes = [_axis(name, span) for name, span in spans]
    if len({axis.path for axis in axes}) < len(axes):
        raise SpecError([Problem("y.field", "contradiction", f"x and y are both {axes[0].path}. Take two fields.")])
    catalog = catalog_of_base(asked.base, catalog)
    fixed, inside = axes_of(asked.base, (), catalog)
    for axis in inside:
        if axis.path not in {one.path for one in axes}:
            message = "A sweep varies x and y; the base has a list or a range here. Give one value."
            raise SpecError([Problem(f"base.{axis.path}", "not_a_choice", message)])
    fixed = without_sizes(fixed, [axis.path for axis in axes])
    swept = _Sweep(fixed, keys, catalog, estimate, bounds, work_of(asked.workload, verbs, catalog, bounds))
    space = space_of(fixed, axes, min(MOST_POINTS, bounds.candidates))
    found = evaluated(space, swept.aims, catalog, estimate, bounds)
    points = list(_points(space, found, axes, asked))
    return Sweep(
        x=axes[0].path,
        y=axes[1].path if len(axes) > 1 else None,
        points=points,
        changes=list(swept.changes(space, found, axes)),
        figures=described(asked.figures),
    )


def _keys(asked: SweepRequest, verbs: Verbs | None, catalog: Catalog) -> list[Key]:
    problems: list[Problem] = []
    for at, name in enumerate(asked.figures):
        try:
            figure_named(name, f"figures[{at}]")
        except SpecError as error:
            problems += error.problems
    problems += workload_problems(
        asked.workload, [(name, f"figures[{at}]") for at, name in enumerate(asked.figures)], verbs, catalog
    )
    if problems:
        raise SpecError(problems)
    return [(name, asked.at_bytes) for name in dict.fromkeys(asked.figures)]


def _axis(name: str, span: Span) -> Axis:
    values = span.values
    return Axis(field_path(span.field, f"{name}.field"), values_of(values, f"{name}.values"))


def without_sizes(fixed: Json, paths: Sequence[str]) -> Json:
    """The base without its own size where the sweep gives it, whichever of nodes, GPUs and racks either says."""
    if not any(path in SIZES for path in paths) or not isinstance(fixed.get("compute"), dict):
        return fixed
    names = {path.partition(".")[2] for path in SIZES}
    return fixed | {"compute": {key: value for key, value in fixed["compute"].items() if key not in names}}


def _points(space: Space, found: Evaluated, axes: Sequence[Axis], asked: SweepRequest) -> Iterator[SweepPoint]:
    """Points in the order of the values, x first."""
    row_of = {int(number): row for row, number in enumerate(found.number)}
    for x in axes[0].values:
        for y in axes[1].values if len(axes) > 1 else (None,):
            row = row_of.get(_number(space, {axes[0].path: x} | ({axes[1].path: y} if len(axes) > 1 else {})))
            figures = None
            if row is not None:
                figures = {name: known(found.table.typical[name, asked.at_bytes][row]) for name in asked.figures}
            yield SweepPoint(
                x=x,
                y=y,
                figures=figures,
                ranges_usd=ranges_of(found.table, row, asked.figures, asked.at_bytes) if row is not None else None,
            )


def _number(space: Space, values: Json) -> int:
    """The candidate with some values at the axes."""
    number = 0
    for axis in space.axes:
        number = number * len(axis.values) + axis.values.index(values[axis.path])
    return number


@dataclass(frozen=True)
class _Sweep:
    """What is looked at again between two points."""

    fixed: Json
    wanted: Sequence[Key]
    catalog: Catalog
    estimate: Estimator
    bounds: Bounds
    work: Work | None

    @property
    def aims(self) -> Aims:
        """What is worked out at every point."""
        return Aims(self.keys, self.work)

    @property
    def keys(self) -> list[Key]:
        """The figures that were requested, and those that say of which kind a build is."""
        size = self.wanted[0][1]
        return list(dict.fromkeys([*self.wanted, *((name, size) for name in _KINDS)]))

    def changes(self, space: Space, found: Evaluated, axes: Sequence[Axis]) -> Iterator[SweepChange]:
        """Where the number of tiers changes along x, or a network can no longer be built; whole numbers to the exact value."""
        row_of = {int(number): row for row, number in enumerate(found.number)}
        tiers = found.table.typical["tiers", self.wanted[0][1]]
        for y in axes[1].values if len(axes) > 1 else (None,):
            other = {axes[1].path: y} if len(axes) > 1 else {}
            before: tuple[Any, int | None] | None = None
            for x in axes[0].values:
                row = row_of.get(_number(space, {axes[0].path: x} | other))
                now = None if row is None else int(tiers[row])
                if before is not None and before[1] != now:
                    at, kind = self._exact(axes[0].path, before, (x, now), other)
                    yield SweepChange(x=at, y=y, what=_words(before[1], kind))
                before = (x, now)

    def _exact(
        self, path: str, before: tuple[Any, int | None], after: tuple[Any, int | None], other: Json
    ) -> tuple[Any, int | None]:
        """The first whole number of x with another kind of build, by halving; x itself where it is none, or goes down."""
        (low, kind), (high, changed) = before, after
        if type(low) is not int or type(high) is not int or low > high:
            return high, changed
        for _ in range(_MOST_STEPS):
            if high - low <= 1:
                break
            middle = (low + high) // 2
            found = self._kind_at({path: middle} | other)
            if found == kind:
                low = middle
            else:
                high, changed = middle, found
        return high, changed

    def _kind_at(self, values: Json) -> int | None:
        axes = [Axis(path, (value,)) for path, value in values.items()]
        try:
            found = evaluated(space_of(self.fixed, axes, 1), Aims(self.keys), self.catalog, self.estimate, self.bounds)
        except SpecError:
            return None
        return int(found.table.typical["tiers", self.wanted[0][1]][0]) if len(found) else None


def _words(before: int | None, now: int | None) -> str:
    if now is None:
        return "no network can be built from here on"
    if before is None:
        return f"a network can be built from here on, of {counted(now, 'tier')}"
    return f"{counted(now, 'tier')} instead of {before}"
