"""What the page Explore shows of a search: rows under figures, the present design, what binds, what would make one possible."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from designer.charts.search import front_chart
from designer.charts.vega import Chart
from designer.forms.design import LABELS
from designer.forms.explore import ALLOWED, BARRED, control_of, vendors_named
from designer.forms.keys import ALL_KEYS, read_path
from designer.wording.context import Context
from designer.wording.numbers import MISSING, figure_text, percent, words
from estimator.catalog.catalog import Catalog
from estimator.errors import Problem
from estimator.record import Given, Json
from estimator.search.draws import SURE
from estimator.search.figures import FIGURES, Figure
from estimator.search.result import Binding, Chance, FoundDesign, Lost, MetLimit, Regret, Relaxation, Search
from estimator.spec.parse import parse_spec
from estimator.units import counted
from estimator.wording import in_sentence

ALWAYS = (
    "network_usd",
    "capex_usd",
    "all_reduce_gb_s",
    "all_to_all_gb_s",
    "oversubscription",
    "tiers",
    "switches",
    "cables",
    "power_kw",
    "racks",
)
WORTH = (
    "all_to_all_gb_s",
    "all_reduce_gb_s",
    "step_s",
    "tpot_ms",
    "uplinks_left",
    "endpoints_left",
    "growth_nodes",
    "managed",
    "in_network_reduction",
    "power_kw",
    "switches",
)
"""Figures that money buys, what moves a job first."""
MOST_WORTH = 2
OF_ONE_ANSWER = {"managed": "switches with a management of their own", "in_network_reduction": "in-network reduction"}
"""What is had or not, where a design has it and another one lacks it."""
SAME = 1e-9
SHORT = {
    "network_usd": "Network",
    "capex_usd": "Purchase",
    "all_reduce_gb_s": "All-reduce",
    "all_to_all_gb_s": "All-to-all",
    "oversubscription": "Oversubscription",
    "power_kw": "Network power",
}


class Head(NamedTuple):
    """A column of figures."""

    name: str
    title: str
    full_title: str


class Cell(NamedTuple):
    """A figure: its text, the number that it is sorted by, and the ends of its range."""

    text: str
    value: float | None
    ends: Any


class FoundRow(NamedTuple):
    """One design of the list."""

    place: int
    rank: int
    name: str
    values: str
    """What the request left open, as the JSON that opens it."""
    cells: list[Cell]
    is_on_front: bool
    alike: int
    lost: str
    bought: str
    """What it has over the best one."""
    wins: Cell
    """Share of draws in which no other design is better, and what it costs more than the best of each."""


def heads_of(objective: str, pareto: Sequence[str]) -> list[Head]:
    """Columns: what is sought and weighed first, then what an architect asks of every network."""
    return [
        Head(name, SHORT.get(name, FIGURES[name].title), FIGURES[name].title)
        for name in dict.fromkeys((objective, *pareto, *ALWAYS))
    ]


class FoundPage(NamedTuple):
    """Everything that the page and the paper say of an answer."""

    found: Search
    names: list[str]
    heads: list[Head]
    rows: list[FoundRow]
    tied: list[FoundRow]
    """Rows that prices do not tell apart, and in ``apart`` the others."""
    apart: list[FoundRow]
    chance: list[str]
    present_cells: list[Cell]
    regret: list[tuple[Figure, str, str, str]]
    measured: str
    objective: Figure
    charts: list[Chart]
    binding: list[str]
    not_built: list[tuple[str, int]]


def found_page(found: Search, pareto: Sequence[str], catalog: Catalog) -> FoundPage:
    """An answer in words."""
    names = design_names(found.designs, catalog)
    heads = heads_of(found.objective, pareto)
    chart = front_chart(found, names, pareto)
    present = found.present
    rows = list(_rows(found, names, heads))
    tied = {*found.undecided} if len(found.undecided) > 1 else set()
    return FoundPage(
        found=found,
        names=names,
        heads=heads,
        rows=rows,
        tied=[row for row in rows if row.place in tied],
        apart=[row for row in rows if row.place not in tied],
        chance=_chance_words(found, names),
        present_cells=_cells(present.figures, present.ranges_usd, heads) if present else [],
        regret=[_better(one, names) for one in present.regret] if present else [],
        measured=" and ".join(in_sentence(FIGURES[name].title) for name in pareto or (found.objective,)),
        objective=FIGURES[found.objective],
        charts=[chart] if chart else [],
        binding=[_binding(found, one) for one in found.binding],
        not_built=[(words(code), count) for code, count in found.not_built.items()],
    )


def found_context(found: Search, pareto: Sequence[str], catalog: Catalog) -> Context:
    """The same as a template takes it."""
    return found_page(found, pareto, catalog)._asdict()


def _better(one: Regret, names: Sequence[str]) -> tuple[Figure, str, str, str]:
    """The figure in which a design is better, by how much, its name, and in which share of the draws."""
    figure = FIGURES[one.figure]
    share = "" if one.in_draws is None else percent(one.in_draws)
    return figure, figure_text(one.by, figure.unit), names[one.design], share


def _rows(found: Search, names: Sequence[str], heads: Sequence[Head]) -> Iterator[FoundRow]:
    on_front = set(found.front)
    for at, one in enumerate(found.designs):
        yield FoundRow(
            place=at,
            rank=one.rank,
            name=names[at],
            values=json.dumps(one.values, separators=(",", ":")),
            cells=_cells(one.figures, one.ranges_usd, heads),
            is_on_front=at in on_front,
            alike=one.alike,
            lost=_lost(one.lost_on),
            bought=_bought(one, found.designs[0]),
            wins=_wins(one.chance),
        )


def _cells(figures: Given, ranges: Mapping[str, Any], heads: Sequence[Head]) -> list[Cell]:
    return [
        Cell(figure_text(figures[head.name], FIGURES[head.name].unit), figures[head.name], ranges.get(head.name))
        for head in heads
    ]


def _wins(chance: Chance | None) -> Cell:
    if chance is None:
        return Cell(MISSING, None, None)
    low, high = (figure_text(end, "USD") for end in (chance.regret.p5, chance.regret.p95))
    return Cell(percent(chance.wins), chance.wins, "" if high == "$0" else f"{low} to {high} more")


def _chance_words(found: Search, names: Sequence[str]) -> list[str]:
    """What draws say of the best design, of what is undecided, and of the front."""
    draws, best = found.draws, found.designs[0].chance if found.designs else None
    if draws is None or best is None:
        return []
    figure = in_sentence(FIGURES[draws.figure].title)
    said = f"in {percent(best.wins)} of {draws.n:,} draws of prices no other design of {draws.designs} is better in {figure}"
    more = (
        f"; in 95 % it costs at most {figure_text(best.regret.p95, 'USD')} more than the best"
        if best.regret.p95
        else ""
    )
    out = [f"{names[0]}: {said}{more}."]
    firm = [one for at in found.front if (one := found.designs[at].chance) and one.on_front is not None]
    if firm:
        n_firm = sum(one.on_front >= SURE for one in firm if one.on_front is not None)
        out.append(_front_words(n_firm, len(firm)))
    return out


def _front_words(n_firm: int, n: int) -> str:
    """How many of the front's designs stay on it as prices move."""
    often = "in 95 % of the draws or more"
    if n_firm == n:
        return (
            f"{'The design' if n == 1 else f'All {n} designs'} of the front {'is' if n == 1 else 'are'} on it {often}."
        )
    firm = f"{n_firm} of {n} designs of the front {'is' if n_firm == 1 else 'are'} on it {often}"
    return f"{firm}; the others change places with designs beside them as prices move."


def _lost(lost: Lost | None) -> str:
    if lost is None:
        return ""
    figure = FIGURES[lost.figure]
    return f"{figure_text(lost.by, figure.unit)} {'less' if figure.is_more else 'more'}: {in_sentence(figure.title)}"


def _bought(one: FoundDesign, best: FoundDesign) -> str:
    """What a design has over the best one: the first figures of WORTH in which it is better."""
    found = []
    for name in WORTH:
        figure, mine, other = FIGURES[name], one.figures[name], best.figures[name]
        if mine is None or other is None or abs(mine - other) <= SAME * abs(other) or (mine > other) != figure.is_more:
            continue
        found.append(OF_ONE_ANSWER.get(name) or f"{in_sentence(figure.title)} {figure_text(mine, figure.unit)}")
    return ", ".join(found[:MOST_WORTH])


def _binding(found: Search, one: Binding) -> str:
    figure = FIGURES[found.objective]
    without, costs = (figure_text(value, figure.unit) for value in (one.objective_without, one.costs))
    return f"{limit_words(one.limit)} costs {costs}: without it the best is {without}."


def limit_words(limit: MetLimit) -> str:
    """A limit in words: "Racks: at most 30"."""
    figure = FIGURES[limit.figure]
    if limit.allowed or limit.barred:
        return f"{figure.title}: {vendors_named(limit.allowed, limit.barred)}"
    ends = (("at least", limit.least), ("at most", limit.most))
    said = " and ".join(f"{word} {figure_text(end, figure.unit)}" for word, end in ends if end is not None)
    return f"{figure.title}: {said}"


# ---------------------------------------------------------------- what would make a design possible


class WayOut(NamedTuple):
    """The least change that makes a design possible, and the request with it."""

    words: str
    asked: Json


def ways_out(found: Search, asked: Given) -> list[WayOut]:
    """What could be given way on, where nothing meets the limits."""
    return [_way_out(one, found, asked) for one in found.relax]


def _way_out(one: Relaxation, found: Search, asked: Given) -> WayOut:
    figure = FIGURES[found.objective]
    then = f"{in_sentence(figure.title)} {figure_text(one.then[found.objective], figure.unit)}"
    if one.field:
        title = ALL_KEYS[one.field].info.title
        section, _, key = one.field.partition(".")
        base = dict(asked.get("base", {}))
        return WayOut(
            f"{title} {one.to}: {then}.", {**asked, "base": base | {section: {**base.get(section, {}), key: one.to}}}
        )
    changes = [(one.limit, one.to)] if one.limit else []
    changes += [(MetLimit.from_json(each.get("limit", {})), each.get("to", 0.0)) for each in one.together_with or []]
    said = " together with ".join(_changed_words(limit, to) for limit, to in changes)
    return WayOut(f"{said}: {then}.", {**asked, "limits": _given_way(asked.get("limits", []), changes)})


def _changed_words(limit: MetLimit, to: Any) -> str:
    """What a limit becomes: the figure with its value, or the vendors that it lets in."""
    figure = FIGURES[limit.figure]
    return f"{to} allowed too" if isinstance(to, str) else f"{figure.title} {figure_text(to, figure.unit)}"


def _given_way(limits: Sequence[Json], changes: Sequence[tuple[MetLimit, Any]]) -> list[Json]:
    """The limits with those that change moved to where a design meets them."""
    moved = [(limit.as_json(), to) for limit, to in changes]
    made = [_moved(limit, next((to for one, to in moved if _is_same(limit, one)), None)) for limit in limits]
    return [limit for limit in made if {"least", "most", ALLOWED, BARRED} & {*limit}]  # a vendor that was barred alone


def _is_same(limit: Given, other: Given) -> bool:
    return all(limit.get(key) == other.get(key) for key in ("figure", "least", "most", ALLOWED, BARRED))


def _moved(limit: Json, to: Any) -> Json:
    if to is None:
        return limit
    if isinstance(to, str):
        more = to.split(", ")
        lists = {ALLOWED: [*(limit.get(ALLOWED) or ()), *more] if limit.get(ALLOWED) else None}
        lists |= {BARRED: [name for name in limit.get(BARRED) or () if name not in more]}
        return {key: value for key, value in (limit | lists).items() if value}
    least, most = limit.get("least"), limit.get("most")
    ends = {"least": to} if least is not None and to < least else {"most": to} if most is not None and to > most else {}
    return limit | ends


def unknown_objective(found: Search, asked: Given) -> str:
    """Why a search without limits has no best design; "" where that is not why."""
    if found.feasible or not found.built or asked.get("limits"):
        return ""
    figure = in_sentence(FIGURES[found.objective].title)
    return (
        f"Of the {counted(found.built, 'design')} that can be built none has a known {figure}: a part has no price, or the GPU "
        "is not named. Take a server of the catalog, or another figure to be best."
    )


# ---------------------------------------------------------------- what is not searched

NOT_SEARCHED = (
    "Not varied here, and in every figure as the request has them: storage and management networks, the floor plan and "
    "lengths set manually, uplinks of a rate of their own, split ports, ports kept free, growth. Parts that are announced and "
    "not sold yet are tried where a list names them, not where a switch is free. Networks are trees of one to three tiers "
    "and rails without spines: no torus, no dragonfly."
)


def not_searched(base: Any) -> list[str]:
    """What a search leaves as it is, what the base has of it first."""
    given: Given = base if isinstance(base, Mapping) else {}
    others, site = given.get("other_fabrics"), given.get("site")
    roles = [str(one.get("role")) for one in others if isinstance(one, Mapping)] if isinstance(others, list) else []
    kept = [f"the networks beside compute ({', '.join(roles)})"] if roles else []
    kept += ["the floor plan"] if isinstance(site, Mapping) and site.get("plan") is not None else []
    if not kept:
        return [NOT_SEARCHED]
    words = (
        f"Every design of this list has {' and '.join(kept)} of the request, counted and priced for it by the whole estimate; "
        "the search varies the compute network alone."
    )
    return [words, NOT_SEARCHED]


# ---------------------------------------------------------------- names of designs


def design_names(designs: Sequence[FoundDesign], catalog: Catalog) -> list[str]:
    """Each design by what it has at the fields that the request left open, those in which the designs differ."""
    return names_of([one.spec for one in designs], list(designs[0].values) if designs else [], catalog)


def names_of(specs: Sequence[Given], paths: Sequence[str], catalog: Catalog) -> list[str]:
    """Designs by their values at some fields, defaults filled in."""
    whole = [parse_spec(spec, catalog).as_json() for spec in specs]
    said = {path: [_said(path, read_path(one, path), catalog) for one in whole] for path in paths}
    differ = [path for path in paths if len(set(said[path])) > 1] or list(paths)
    return [", ".join(text for path in differ if (text := said[path][at])) or "The design" for at in range(len(specs))]


# their values say what they are
_BARE = ("fabric.generation", "fabric.layout", "fabric.leaf_switch", "fabric.oversubscription", "compute.server")


def _said(path: str, value: Any, catalog: Catalog) -> str:
    """A value at a field in words; "" where it follows from the others."""
    if value is None or value == "auto":
        return ""
    record = catalog.switches.get(str(value)) or catalog.servers.get(str(value))
    text = record.model if record else str(LABELS.get(value, value)) if isinstance(value, str) else f"{value:,}"
    if path in _BARE:
        return text
    return f"{in_sentence(str(ALL_KEYS[path].info.title))} {text}"


# ---------------------------------------------------------------- problems


def problems_shown(problems: Sequence[Problem], asked: Given) -> list[Context]:
    """Problems with the control that each is about."""
    shown = []
    for one in problems:
        name, label = control_of(one, asked)
        shown.append({"field": name, "label": label, "message": one.message})
    return shown
