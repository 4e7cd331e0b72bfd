"""A search: the best designs of everything that a request can build, the front, what binds, and why the others lost."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.errors import InfeasibleDesign, Problem, SpecError
from estimator.pipeline import priced_designs
from estimator.search.candidates import Refused, Space, Template, space_of
from estimator.search.chunks import Chunk, packed, unpacked
from estimator.search.columns.work import Verbs
from estimator.search.draws import DIVISORS, MOST_DRAWN, MOST_DRAWN_ALONE, DrawnDesigns, drawn_designs, figure_drawn
from estimator.search.evaluate import Estimator, Evaluated, evaluated, joined_in_order
from estimator.search.figures import FIGURES, OF_WORKLOAD, Aims, Key, Table, described, figure_named, known, ranges_of
from estimator.search.front import first_of_equals, front_of, ranked, within_each_other
from estimator.search.limits import (
    limit_key,
    limit_problems,
    met,
    met_limit,
    nearest_value,
    share_short,
    shortfall,
    shown_key,
)
from estimator.search.present import Beside, measured
from estimator.search.request import CHUNK, COMMAND_LINE, IN_CHUNKS, WHAT, Bounds, Limit, SearchRequest
from estimator.search.result import Binding, Chance, FoundDesign, Lost, Present, Regret, Relaxation, Search
from estimator.search.values import RATIOS, Axis, axes_of, catalog_of_base
from estimator.search.workload import work_of, workload_problems
from estimator.spec.checking import validated
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec
from estimator.units import BoolArray, FloatArray, IntArray, parse_ratio

MOST_ON_FRONT = 200
_RATIO = "fabric.oversubscription"
_BEHIND = ("capex_usd", "switches")  # what ranks designs of the same objective


def search(
    request: Any,
    catalog: Catalog,
    estimate: Estimator,
    bounds: Bounds = COMMAND_LINE,
    verbs: Verbs | None = None,
) -> Search:
    """The best designs for a requirement.

    Parameters
    ----------
    request : the JSON of a search.
    estimate : ``pipeline.estimate``.
    bounds : what the answer may take.
    verbs : what runs a workload; not needed where the request has none.

    Raises
    ------
    SpecError
        With every problem of the request; each names the field and the limit.
    InfeasibleDesign
        If none of the candidates can be built, with the first reason of each kind.
    """
    asked = asked_of(request, catalog, verbs)
    catalog = catalog_of_base(asked.base, catalog)
    aims = aims_of(asked, verbs, catalog, bounds)
    found = evaluated(space_asked(asked, catalog, bounds), aims, catalog, estimate, bounds)
    return answer_of(asked, aims, found, catalog, estimate, bounds)


def asked_of(request: Any, catalog: Catalog, verbs: Verbs | None = None) -> SearchRequest:
    """A request as it was checked.

    Raises
    ------
    SpecError
        With every problem of what is sought; what the base may hold shows when its space is made.
    """
    asked, problems = validated(SearchRequest, request, WHAT)
    if asked is None or problems:
        raise SpecError(problems)
    _check(asked, verbs, catalog)
    return asked


def space_asked(asked: SearchRequest, catalog: Catalog, bounds: Bounds) -> Space:
    """The candidates of a request.

    Raises
    ------
    SpecError
        If the base or a free field is wrong, or there are more of them than ``bounds`` have.
    """
    fixed, axes = axes_of(asked.base, asked.free, catalog)
    return space_of(fixed, axes, bounds.candidates)


def answer_of(
    asked: SearchRequest, aims: Aims, found: Evaluated, catalog: Catalog, estimate: Estimator, bounds: Bounds
) -> Search:
    """The answer to a request out of all its candidates with their figures.

    Raises
    ------
    SpecError
        If the present design is wrong.
    InfeasibleDesign
        If none of the candidates can be built.
    """
    present = measured(asked.present, aims, catalog, estimate) if asked.present is not None else None
    made = _Search(asked, found, catalog, present)
    if made.is_empty:
        _check_fit(asked, aims, found)
        return _nothing(made, aims, catalog, estimate, bounds)
    return made.answer()


def _check_fit(asked: SearchRequest, aims: Aims, found: Evaluated) -> None:
    """Refuse a search for figures of a workload that none of the candidates has."""
    wanted = [asked.objective, *(limit.figure for limit in asked.limits)]
    rates = found.table.typical["tokens_per_s_per_gpu", asked.at_bytes]
    refusal = aims.work.refusal if aims.work else None
    if refusal and len(found) and np.isnan(rates).all() and any(name in OF_WORKLOAD for name in wanted):
        raise SpecError([refusal])


# ---------------------------------------------------------------- in chunks


def cuts_of(request: Any, catalog: Catalog, size: int = CHUNK, verbs: Verbs | None = None) -> list[tuple[int, int]]:
    """Ranges of candidates that together are all of a request's: first, and one behind the last.

    Raises
    ------
    SpecError
        With every problem of the request that shows before a candidate is looked at.
    """
    asked = asked_of(request, catalog, verbs)
    n = len(space_asked(asked, catalog_of_base(asked.base, catalog), IN_CHUNKS))
    return [(first, min(first + size, n)) for first in range(0, n, size)]


def chunk_of(
    request: Any, first: int, last: int, catalog: Catalog, estimate: Estimator, verbs: Verbs | None = None
) -> bytes:
    """Figures of the candidates of one range, as ``joined`` takes them.

    Raises
    ------
    SpecError
        For values that are wrong by themselves.
    """
    asked = asked_of(request, catalog)
    catalog = catalog_of_base(asked.base, catalog)
    space = space_asked(asked, catalog, IN_CHUNKS)
    aims = aims_of(asked, verbs, catalog, IN_CHUNKS)
    found = evaluated(space, aims, catalog, estimate, IN_CHUNKS, range(first, last))
    return packed(Chunk(found.number, found.table, found.refused, aims.work.refusal if aims.work else None))


def joined(
    request: Any, parts: Sequence[bytes], catalog: Catalog, estimate: Estimator, verbs: Verbs | None = None
) -> Search:
    """The answer of a request out of all its chunks, in any order.

    Raises
    ------
    SpecError
        If figures of a workload are sought, and none of the candidates has them.
    InfeasibleDesign
        If none of the candidates can be built.
    """
    asked = asked_of(request, catalog)
    catalog = catalog_of_base(asked.base, catalog)
    space, aims = space_asked(asked, catalog, IN_CHUNKS), aims_of(asked, verbs, catalog, IN_CHUNKS)
    chunks = [unpacked(part, aims.keys) for part in parts]
    refused = Refused()
    for one in chunks:
        refused.counts.update(one.refused.counts)
        refused.first |= one.refused.first | refused.first
    if aims.work:
        with_refusal = [one for one in chunks if one.refusal and len(one.number)]
        first = min(with_refusal, key=lambda one: int(one.number[0]), default=None)
        aims.work.refusal = first.refusal if first else None
    numbers, tables = [one.number for one in chunks], [one.table for one in chunks]
    whole = joined_in_order(space, numbers, tables, aims.keys, refused)
    return answer_of(asked, aims, whole, catalog, estimate, IN_CHUNKS)


def _check(asked: SearchRequest, verbs: Verbs | None, catalog: Catalog) -> None:
    """Figures that are known, limits that can be met, and no front of one figure."""
    problems: list[Problem] = []
    named = [(asked.objective, "objective"), *((name, f"pareto[{at}]") for at, name in enumerate(asked.pareto))]
    named += [(limit.figure, f"limits[{at}].figure") for at, limit in enumerate(asked.limits)]
    for name, where in named:
        try:
            figure_named(name, where)
        except SpecError as error:
            problems += error.problems
    if len(asked.pareto) == 1 or len(set(asked.pareto)) < len(asked.pareto):
        message = f"A front is of two or three different figures, and {', '.join(asked.pareto)} was given."
        problems.append(Problem("pareto", "out_of_range", message))
    problems += limit_problems(asked.limits, catalog)
    problems += workload_problems(asked.workload, named, verbs, catalog)
    if problems:
        raise SpecError(problems)


def aims_of(asked: SearchRequest, verbs: Verbs | None, catalog: Catalog, bounds: Bounds) -> Aims:
    """What is worked out of every candidate."""
    return Aims(keys_of_search(asked), work_of(asked.workload, verbs, catalog, bounds))


def keys_of_search(asked: SearchRequest) -> list[Key]:
    """Every figure that is needed, and all that are shown."""
    shown = [(name, asked.at_bytes) for name in FIGURES]
    return list(dict.fromkeys([*shown, *(limit_key(limit) for limit in asked.limits)]))


class _Search:
    """A request with its candidates."""

    def __init__(self, asked: SearchRequest, found: Evaluated, catalog: Catalog, present: Table | None = None) -> None:
        self.asked, self.found, self.catalog, self.present = asked, found, catalog, present
        self.objective: Key = (asked.objective, asked.at_bytes)
        self.met = [met(found.table, limit, catalog) for limit in asked.limits]
        self._specs: dict[int, DesignSpec | None] = {}

    @property
    def is_empty(self) -> bool:
        return not self.feasible(self.met).any()

    def column(self, key: Key) -> FloatArray:
        """Typical figures."""
        return self.found.table.typical[key]

    def less(self, key: Key) -> FloatArray:
        """A figure so that less is better."""
        return -self.column(key) if FIGURES[key[0]].is_more else self.column(key)

    def feasible(self, met: Sequence[BoolArray]) -> BoolArray:
        """Candidates that meet some limits, and whose objective is known."""
        out = ~np.isnan(self.column(self.objective))
        for one in met:
            out = out & one
        return out

    def best(self, met: Sequence[BoolArray]) -> float | None:
        """The best objective among candidates that meet some limits."""
        rows = np.flatnonzero(self.feasible(met))
        if not len(rows):
            return None
        return float(self.column(self.objective)[rows[np.argmin(self.less(self.objective)[rows])]])

    # ------------------------------------------------ the answer

    def answer(self, relax: Sequence[Relaxation] = ()) -> Search:
        rows = np.flatnonzero(self.feasible(self.met))
        order = rows[
            ranked([self.less((name, self.asked.at_bytes))[rows] for name in (self.asked.objective, *_BEHIND)])
        ]
        first, counts = first_of_equals(self._fingerprint(order))
        alike = dict(zip(order[first].tolist(), (counts - 1).tolist(), strict=True))
        shown = self._first_requests(order[first], self.asked.top)
        front = self._front(order[first])
        regret = self._regret(order[first])
        wanted = {*front, *(row for _, row, _ in regret)} - set(shown)
        every = [*shown, *(row for row in order[first].tolist() if row in wanted)]
        place = {row: at for at, row in enumerate(every)}
        rank = {row: at for at, row in enumerate(order[first].tolist(), start=1)}
        draws = self._draws(every, front, [row for _, row, _ in regret])
        tie = self._tie(every)
        chances = dict(zip(draws.rows, draws.chances(self._others(draws)), strict=True)) if draws else {}
        return Search(
            objective=self.asked.objective,
            looked_at=len(self.found.space),
            built=len(self.found),
            feasible=len(rows),
            not_built=dict(self.found.refused.counts),
            designs=[self._design(row, rank[row], alike[row], every[0], chances.get(row)) for row in every],
            front=[place[row] for row in front],
            binding=self._binding(every[0]) if every else [],
            relax=list(relax),
            tie=tie,
            undecided=self._undecided(tie, every, draws),
            draws=draws.shown() if draws else None,
            present=self._present(order[first], [self._regret_shown(one, place, draws) for one in regret]),
            figures=described(FIGURES),
        )

    # ------------------------------------------------ draws of prices

    def _draws(self, every: Sequence[int], front: Sequence[int], better: Sequence[int]) -> DrawnDesigns | None:
        """Draws of the front, of what beats the present design, and of the first of the list; None without money."""
        figure = figure_drawn([self.asked.objective, *self.asked.pareto])
        if figure is None:
            return None
        column = self.column((figure, self.asked.at_bytes))
        rows = [row for row in dict.fromkeys([*every[:1], *better, *front, *every]) if not np.isnan(column[row])]
        specs = {row: spec for row in rows[:MOST_DRAWN] if (spec := self._spec(row)) is not None}
        if not all(Template(0, spec).is_plain(self.catalog) for spec in specs.values()):
            specs = dict([*specs.items()][:MOST_DRAWN_ALONE])
        if not specs:
            return None
        own = parse_spec(self.asked.present, self.catalog) if self.asked.present is not None else None
        keys = [(name, self.asked.at_bytes) for name in DIVISORS]
        known = {key[0]: self.column(key)[[*specs]] for key in keys}
        if own is not None and self.present is not None:
            known = {key[0]: np.append(known[key[0]], self.present.typical[key]) for key in keys}
        ready = priced_designs([*specs.values(), *([own] if own else ())], self.catalog)
        return drawn_designs([*specs], ready[: len(specs)], ready[-1] if own else None, figure, known, self.catalog)

    def _others(self, draws: DrawnDesigns) -> FloatArray | None:
        """The other figures of the front, of designs that were drawn; None where it has not the one that was."""
        if draws.figure not in self.asked.pareto:
            return None
        names = [name for name in self.asked.pareto if name != draws.figure]
        return np.stack([self.less((name, self.asked.at_bytes))[draws.rows] for name in names], axis=1)

    def _regret_shown(
        self, found: tuple[str, int, float], place: Mapping[int, int], draws: DrawnDesigns | None
    ) -> Regret:
        figure, row, by = found
        is_drawn = draws is not None and draws.figure == figure
        return Regret(
            figure=figure, by=by, design=place[row], in_draws=draws.share_below_own(row) if draws and is_drawn else None
        )

    def _fingerprint(self, rows: IntArray) -> FloatArray:
        """All figures of some candidates, ranges too: what is equal in all of them is shown once."""
        table = self.found.table
        money = [key for key in table.typical if key[0] in FIGURES and FIGURES[key[0]].is_money]
        ends = [side[key][rows] for side in (table.low, table.high) for key in money]
        return np.stack([*(column[rows] for column in table.typical.values()), *ends], axis=1)

    def _first_requests(self, rows: IntArray, most: int) -> list[int]:
        out: list[int] = []
        for row in rows.tolist():
            if len(out) == most:
                break
            if self._stands(row):
                out.append(row)
        return out

    def _stands(self, row: int) -> bool:
        """Whether a candidate is a request that stands by itself: every rule of spec/, for what is shown."""
        return self._spec(row) is not None

    def _spec(self, row: int) -> DesignSpec | None:
        """A candidate's request; None where it does not stand by itself."""
        if row not in self._specs:
            try:
                self._specs[row] = parse_spec(self.found.space.given(int(self.found.number[row])), self.catalog)
            except SpecError:
                self._specs[row] = None
        return self._specs[row]

    def _front(self, rows: IntArray) -> list[int]:
        """Rows of the front, those that stand by themselves; best objective first."""
        if not self.asked.pareto:
            return []
        while True:
            columns = np.stack([self.less((name, self.asked.at_bytes))[rows] for name in self.asked.pareto], axis=1)
            found = rows[front_of(columns)][:MOST_ON_FRONT]
            wrong = {row for row in found.tolist() if not self._stands(row)}
            if not wrong:
                return [int(row) for row in found]
            rows = np.array([row for row in rows.tolist() if row not in wrong], dtype=np.int64)

    def _design(self, row: int, rank: int, alike: int, best: int, chance: Chance | None) -> FoundDesign:
        number = int(self.found.number[row])
        return FoundDesign(
            spec=self.found.space.given(number),
            figures=self.figures(row),
            ranges_usd=ranges_of(self.found.table, row, list(FIGURES), self.asked.at_bytes),
            values=self.found.space.change(number),
            rank=rank,
            alike=alike,
            lost_on=None if row == best else self._lost(row, best),
            chance=chance,
        )

    def figures(self, row: int) -> dict[str, float | None]:
        """All figures of a candidate."""
        return {name: known(self.column((name, self.asked.at_bytes))[row]) for name in FIGURES}

    def _lost(self, row: int, best: int) -> Lost | None:
        for name in (self.asked.objective, *_BEHIND, *FIGURES):
            mine, other = (float(self.column((name, self.asked.at_bytes))[one]) for one in (row, best))
            if mine != other and not np.isnan(mine) and not np.isnan(other):
                return Lost(figure=name, by=_round(abs(mine - other)))
        return None

    def _binding(self, best: int) -> list[Binding]:
        """Limits without which a better design would be the best."""
        out = []
        own = float(self.column(self.objective)[best])
        for at, limit in enumerate(self.asked.limits):
            without = self.best([one for other, one in enumerate(self.met) if other != at])
            if without is not None and without != own:
                value = float(self.column(shown_key(limit, self.asked.at_bytes))[best])
                out.append(
                    Binding(
                        limit=met_limit(limit), value=value, objective_without=without, costs=_round(abs(own - without))
                    )
                )
        return out

    # ------------------------------------------------ the present design

    def _beside(self, rows: IntArray, present: Table) -> tuple[list[str], Beside]:
        """The figures that the present design is measured by, and candidates beside it."""
        names = list(self.asked.pareto or [self.asked.objective])
        keys: list[Key] = [(name, self.asked.at_bytes) for name in names]
        own = np.array([present.typical[key][0] * (-1 if FIGURES[key[0]].is_more else 1) for key in keys])
        return names, Beside(np.stack([self.less(key)[rows] for key in keys], axis=1), own)

    def _regret(self, rows: IntArray) -> list[tuple[str, int, float]]:
        """(figure, row, by how much) of the design that is better by most in each figure, and no worse in the others."""
        if self.present is None:
            return []
        names, beside = self._beside(rows, self.present)
        found = []
        for at, name in enumerate(names):
            better = ((int(rows[row]), gain) for row, gain in beside.better(at))
            best = next(((row, gain) for row, gain in better if self._stands(row)), None)
            if best:
                found.append((name, best[0], _round(best[1])))
        return found

    def _present(self, rows: IntArray, regret: list[Regret]) -> Present | None:
        if self.present is None:
            return None
        _, beside = self._beside(rows, self.present)
        table, size = self.present, self.asked.at_bytes
        return Present(
            figures={name: known(table.typical[name, size][0]) for name in FIGURES},
            ranges_usd=ranges_of(table, 0, list(FIGURES), size),
            meets_limits=all(met(table, one, self.catalog)[0] for one in self.asked.limits),
            is_on_front=not beside.is_dominated(lambda row: self._stands(int(rows[row]))),
            regret=regret,
        )

    def _tie(self, rows: Sequence[int]) -> list[int]:
        if not rows:
            return []
        table, at = self.found.table, np.array(rows)
        low, typical, high = (side[self.objective][at] for side in (table.low, table.typical, table.high))
        tied: list[int] = np.flatnonzero(within_each_other(low, typical, high, 0)).tolist()
        return tied

    def _undecided(self, tie: list[int], rows: Sequence[int], draws: DrawnDesigns | None) -> list[int]:
        """Those of a tie that the best one does not beat in nearly all draws; all of it where nothing was drawn."""
        if draws is None or draws.figure != self.asked.objective:
            return tie
        return [place for place in tie if not draws.is_told_apart(rows[place], rows[0])]

    # ------------------------------------------------ what would make a design possible

    def relaxations(self) -> list[Relaxation]:
        """For each limit alone, the nearest value with which a design is possible; else those that change the least together."""
        out = []
        for at, limit in enumerate(self.asked.limits):
            rows = np.flatnonzero(self.feasible([one for other, one in enumerate(self.met) if other != at]))
            rows = rows[~np.isnan(self.column(limit_key(limit))[rows])]
            if len(rows):
                out.append(self._relaxed(limit, rows))
        return out or self._relaxed_together()

    def _relaxed(self, limit: Limit, rows: IntArray) -> Relaxation:
        short = shortfall(self.found.table, limit, self.catalog)[rows]
        nearest = rows[short == short.min()]
        best = int(nearest[np.argmin(self.less(self.objective)[nearest])])
        to = nearest_value(self.found.table, best, limit, self.catalog)
        return Relaxation(limit=met_limit(limit), field=None, to=to, then=self.figures(best), together_with=None)

    def _relaxed_together(self) -> list[Relaxation]:
        """The candidate whose worst shortfall, as a share of its limit, is the least."""
        rows = np.flatnonzero(self.feasible([]))
        if not len(rows):
            return []
        shares = np.stack(
            [share_short(self.found.table, limit, self.catalog)[rows] for limit in self.asked.limits], axis=1
        )
        shares = np.where(np.isnan(shares), np.inf, shares)
        worst = shares.max(axis=1)
        if not np.isfinite(worst).any():
            return []
        nearest = rows[worst == worst.min()]
        best = int(nearest[np.argmin(self.less(self.objective)[nearest])])
        broken = [limit for limit, is_met in zip(self.asked.limits, self.met, strict=True) if not is_met[best]]
        to = [nearest_value(self.found.table, best, limit, self.catalog) for limit in broken]
        rest = [
            {"limit": met_limit(limit).as_json(), "to": value} for limit, value in zip(broken[1:], to[1:], strict=True)
        ]
        return [
            Relaxation(
                limit=met_limit(broken[0]), field=None, to=to[0], then=self.figures(best), together_with=rest or None
            )
        ]


def _nothing(made: _Search, aims: Aims, catalog: Catalog, estimate: Estimator, bounds: Bounds) -> Search:
    """The answer where nothing is feasible: what would have to change.

    Raises
    ------
    InfeasibleDesign
        If nothing can be built, and a higher oversubscription does not help.
    """
    relax = [*_with_more_oversubscription(made, aims, catalog, estimate, bounds), *made.relaxations()]
    if not len(made.found) and not relax:
        refused = made.found.refused
        raise InfeasibleDesign(
            [
                replace(one, message=f"{one.message} ({refused.counts[code]:,} candidates)")
                for code, one in refused.first.items()
            ]
        )
    return made.answer(relax)


def _with_more_oversubscription(
    made: _Search, aims: Aims, catalog: Catalog, estimate: Estimator, bounds: Bounds
) -> list[Relaxation]:
    """The least oversubscription above the one that is fixed with which a design is possible, if there is one."""
    space, axes = made.found.space, made.found.space.axes
    fabric = space.fixed.get("fabric")
    held = str(fabric.get("oversubscription") or "1:1") if isinstance(fabric, Mapping) else "1:1"
    if any(axis.path in (_RATIO, "fabric.leaf_uplinks", "fabric.leaf_downlinks") for axis in axes):
        return []
    for ratio in (one for one in RATIOS if parse_ratio(one) > parse_ratio(held)):
        wider: Space = space_of(space.fixed, [*axes, Axis(_RATIO, (ratio,))], bounds.candidates)
        tried = _Search(made.asked, evaluated(wider, aims, catalog, estimate, bounds), catalog)
        rows = np.flatnonzero(tried.feasible(tried.met))
        if len(rows):
            best = int(rows[np.argmin(tried.less(tried.objective)[rows])])
            return [Relaxation(limit=None, field=_RATIO, to=ratio, then=tried.figures(best), together_with=None)]
    return []


def _round(amount: float) -> float:
    return float(f"{amount:.12g}")
