"""What a sweep found: a line or steps a figure over one field, a map of tints over two; where a build changes kind is marked."""

from collections.abc import Sequence
from typing import Any

from designer.charts.cost import tooltip
from designer.charts.figures import figure_axis, figure_title, log_or_not, spans_decades
from designer.charts.vega import IS_ON, Chart, Spec, chart_of
from designer.wording.numbers import MISSING, figure_text
from estimator.record import Json
from estimator.search.figures import FIGURES
from estimator.search.result import Sweep, SweepChange, SweepPoint
from estimator.wording import in_sentence

MOST_LABELLED = 80  # cells of a map that have their figure printed
MOST_TICKS = 14  # with more points, the axis has round values
_STEPPED = ("switches", "links", "cables", "transceivers", "racks", "RU", "tiers", "nodes", "GPUs")


def is_number(value: Any) -> bool:
    """Whether a value lies on an axis of numbers."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def sweep_charts(found: Sweep, titles: Sequence[str]) -> list[Chart]:
    """A chart a figure; ``titles`` are those of x and y."""
    names = list(found.figures)
    draw = _map if found.y else _line
    return [chart for at, name in enumerate(names) if (chart := draw(found, name, f"sweep-{at + 1}", titles))]


def _known(found: Sweep, name: str) -> list[tuple[int, SweepPoint, float]]:
    """Points that have a figure, with their places."""
    values = [(at, one, one.figures.get(name) if one.figures else None) for at, one in enumerate(found.points)]
    return [(at, one, value) for at, one, value in values if value is not None]


def _table(known: Sequence[tuple[int, SweepPoint, float]], name: str) -> list[Json]:
    def head(one: SweepPoint) -> str:
        return value_text(one.x) if one.y is None else f"{value_text(one.x)}, {value_text(one.y)}"

    unit = FIGURES[name].unit
    return [{"head": head(one), "cells": [{"text": figure_text(value, unit), "note": ""}]} for _, one, value in known]


def value_text(value: Any) -> str:
    """A value of a field as an axis and a table print it."""
    return MISSING if value is None else f"{value:,}" if is_number(value) else str(value)


# ---------------------------------------------------------------- one field


def _line(found: Sweep, name: str, key: str, titles: Sequence[str]) -> Chart | None:
    known = _known(found, name)
    if not known:
        return None
    unit = FIGURES[name].unit
    rows = [
        {
            "series": "s0",
            "place": at,
            "x": one.x,
            "x_text": value_text(one.x),
            "y": value,
            "y_text": figure_text(value, unit),
        }
        for at, one, value in known
    ]
    marks = [{"x": one.x, "what": f"from {value_text(one.x)}: {one.what}"} for one in found.changes]
    is_numeric = all(is_number(one.x) for one in found.points)
    title = f"{FIGURES[name].title} by {in_sentence(titles[0])}"
    note = "A click on a point opens it as a design."
    return chart_of(
        key,
        title,
        f"{title}: {len(rows)} points.",
        [FIGURES[name].title],
        rows,
        _layers(rows, marks if is_numeric else [], name, titles[0], is_numeric),
        [titles[0], figure_title(name)],
        _table(known, name),
        f"{_changes_in_words(found.changes)}{note}",
    )


def _column(rows: Sequence[Json], name: str) -> list[Any]:
    return [row[name] for row in rows]


def _changes_in_words(changes: Sequence[SweepChange]) -> str:
    return "".join(f"From {value_text(one.x)}: {one.what}. " for one in changes if one.y is None)


def _layers(rows: Sequence[Json], marks: Sequence[Json], name: str, x_title: str, is_numeric: bool) -> Spec:
    x: Spec = {"field": "x", "type": "ordinal", "title": x_title, "sort": None, "axis": {"labelAngle": 0}}
    if is_numeric:
        places = _column(rows, "x")
        values = places + _column(marks, "x")
        scale: Spec = {"nice": False} | log_or_not(spans_decades(values))
        axis: Spec = {"labelExpr": "format(datum.value, ',')", "tickCount": 8, "grid": False}
        if len(rows) <= MOST_TICKS:
            axis |= {"values": places}
        x = {"field": "x", "type": "quantitative", "title": x_title, "scale": scale, "axis": axis}
    y = figure_axis("y", name, _column(rows, "y"))
    said = tooltip({x_title: "x_text", FIGURES[name].title: "y_text"})
    steps = {"interpolate": "step-after"} if FIGURES[name].unit in _STEPPED else {}
    line = {"transform": [IS_ON], "mark": {"type": "line", "aria": False, **steps}, "encoding": {"y": y}}
    points = {
        "transform": [IS_ON],
        "mark": {"type": "point", "filled": True, "size": 80, "cursor": "pointer", "tooltip": said},
        "encoding": {"y": y},
    }
    return {"encoding": {"x": x}, "layer": [*_rules(marks), line, points]}


def _rules(marks: Sequence[Json]) -> list[Spec]:
    """Where the build changes kind: a line down the chart with its words."""
    if not marks:
        return []
    grey = {"color": {"value": "var(--muted)"}}
    data = {"values": list(marks)}
    rule = {"mark": {"type": "rule", "strokeDash": [4, 4], "aria": False}, "encoding": grey, "data": data}
    text = {
        "mark": {"type": "text", "align": "left", "dx": 5, "fontSize": 11, "limit": 190, "aria": False},
        "encoding": {**grey, "text": {"field": "what"}, "y": {"value": 10}},
        "data": data,
    }
    return [rule, text]


# ---------------------------------------------------------------- two fields


def _map(found: Sweep, name: str, key: str, titles: Sequence[str]) -> Chart | None:
    known = _known(found, name)
    if not known:
        return None
    figure = FIGURES[name]
    rows = [
        {
            "series": "s0",
            "place": at,
            "x": value_text(one.x),
            "y": value_text(one.y),
            "value": value,
            "text": figure_text(value, figure.unit),
        }
        for at, one, value in known
    ]
    title = f"{figure.title} by {in_sentence(titles[0])} and {in_sentence(titles[1])}"
    values = [value for _, _, value in known]
    ends = f"{figure_text(min(values), figure.unit)} (palest) to {figure_text(max(values), figure.unit)}"
    cells = len(set(_column(rows, "x"))) * len(set(_column(rows, "y")))
    return chart_of(
        key,
        title,
        f"{title}: {ends}.",
        [figure.title],
        rows,
        _cells(rows, titles, spans_decades(values), cells <= MOST_LABELLED),
        [f"{titles[0]}, {in_sentence(titles[1])}", figure_title(name)],
        _table(known, name),
        f"{ends}. A click on a cell opens it as a design.",
    )


def _cells(rows: Sequence[Json], titles: Sequence[str], is_log: bool, has_text: bool) -> Spec:
    """A cell a point, the deeper the more; colours are variables of the page, so that the tint is an opacity."""

    def axis(field: str, title: str) -> Spec:
        return {"field": field, "type": "ordinal", "title": title, "sort": None, "axis": {"labelAngle": 0}}

    scale: Spec = {"range": [0.12, 0.95], "nice": False} | log_or_not(is_log)
    tint: Spec = {"field": "value", "type": "quantitative", "legend": None, "scale": scale}
    said = tooltip({titles[0]: "x", titles[1]: "y", "Figure": "text"})
    cells = {
        "transform": [IS_ON],
        "mark": {"type": "rect", "cursor": "pointer", "tooltip": said},
        "encoding": {"opacity": tint},
    }
    texts: Spec = {
        "transform": [IS_ON],
        "mark": {
            "type": "text",
            "fontSize": 11,
            "aria": False,
            "stroke": "var(--surface)",
            "strokeWidth": 3,
            "strokeJoin": "round",
            "strokeOpacity": 0.7,
        },
        "encoding": {"text": {"field": "text"}, "color": {"value": "var(--text)"}},
    }
    plain = texts | {"mark": {"type": "text", "fontSize": 11, "aria": False}}
    layers = [cells, texts, plain] if has_text else [cells]
    return {"encoding": {"x": axis("x", titles[0]), "y": axis("y", titles[1])}, "layer": layers}
