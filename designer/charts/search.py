"""What a search found, a point a design: its front as a stepped line, and the present design where there is one.

A point has the number of its row in the table (``place``): the page's script marks either when the other is pointed at.
"""

from collections.abc import Sequence

from designer.charts.cost import tooltip
from designer.charts.figures import figure_axis
from designer.charts.vega import HIDDEN_SERIES, IS_ON, Chart, chart_of
from designer.wording.numbers import figure_text
from estimator.record import Given, Json
from estimator.search.figures import FIGURES
from estimator.search.result import Search
from estimator.wording import in_sentence

ON_FRONT, OTHERS, PRESENT = "On the front", "Other designs of the list", "Present design"
PRESENT_PLACE = -2  # a place that no row has; −1 is none
USUAL = ("network_usd", "all_to_all_gb_s")


def axes_of_front(pareto: Sequence[str], objective: str) -> tuple[str, str]:
    """The figures of both axes: the first two of the front, else the objective and a figure that it is weighed against."""
    if len(pareto) >= 2:
        return pareto[0], pareto[1]
    return objective, USUAL[1] if objective != USUAL[1] else USUAL[0]


def front_chart(found: Search, names: Sequence[str], pareto: Sequence[str]) -> Chart | None:
    """The designs of a search by two figures; None where fewer than two are known."""
    x, y = axes_of_front(pareto, found.objective)
    on_front = set(found.front)
    rows = [
        _row("s0" if at in on_front else "s1", at, names[at], one.figures, x, y)
        for at, one in enumerate(found.designs)
        if one.figures[x] is not None and one.figures[y] is not None
    ]
    present = found.present
    series = [ON_FRONT, OTHERS] + ([PRESENT] if present else [])
    if present and present.figures[x] is not None and present.figures[y] is not None:
        rows.append(_row("s2", PRESENT_PLACE, PRESENT, present.figures, x, y))
    if len(rows) < 2:
        return None
    table = [
        {"head": row.get("name"), "cells": [{"text": row.get(field), "note": ""} for field in ("x_text", "y_text")]}
        for row in rows
    ]
    title = f"{FIGURES[y].title} against {in_sentence(FIGURES[x].title)}"
    count = f"{len(on_front)} of {len(found.designs)} designs are on the front"
    note = (
        "Drag over points to choose their rows; a double click chooses all again. The row under the pointer is marked."
    )
    return chart_of(
        "front",
        title,
        f"{title}: {count}.",
        series,
        rows,
        _points(x, y, rows),
        ["Design", FIGURES[x].title, FIGURES[y].title],
        table,
        note,
        [1, 3, 2] if present else [1, 3],
    ).with_spec(params=[HIDDEN_SERIES, {"name": "hot", "value": -1}])


def _row(series: str, place: int, name: str, figures: Given, x: str, y: str) -> Json:
    return {
        "series": series,
        "place": place,
        "name": name,
        "x": figures[x],
        "y": figures[y],
        "x_text": figure_text(figures[x], FIGURES[x].unit),
        "y_text": figure_text(figures[y], FIGURES[y].unit),
    }


def _points(x: str, y: str, rows: Sequence[Json]) -> Json:
    """Points over the line of the front; the one of the row that is pointed at is larger and has a ring."""
    x_axis, y_axis = (figure_axis(at, name, [row[at] for row in rows]) for at, name in (("x", x), ("y", y)))
    said = {"Design": "name", FIGURES[x].title: "x_text", FIGURES[y].title: "y_text"}
    is_hot = "datum.place === hot"
    shapes = {"domain": ["s0", "s1", "s2"], "range": ["circle", "square", "diamond"]}
    step = "step-after" if not FIGURES[x].is_more else "step-before"
    return {
        "encoding": {"x": x_axis, "y": y_axis},
        "layer": [
            {
                "transform": [IS_ON, {"filter": "datum.series === 's0'"}],
                "mark": {"type": "line", "interpolate": step, "strokeWidth": 1.5, "opacity": 0.55, "aria": False},
                "encoding": {"order": {"field": "x", "type": "quantitative"}},
            },
            {
                "transform": [IS_ON],
                "params": [{"name": "brush", "select": "interval"}],
                "mark": {"type": "point", "filled": True, "tooltip": tooltip(said)},
                "encoding": {
                    "description": {"field": "name"},
                    "shape": {"field": "series", "type": "nominal", "legend": None, "scale": shapes},
                    "size": {
                        "condition": [{"test": is_hot, "value": 260}, {"test": "datum.series === 's2'", "value": 200}],
                        "value": 80,
                    },
                    "opacity": {"condition": {"param": "brush", "value": 0.95}, "value": 0.25},
                    "stroke": {"condition": {"test": is_hot, "value": "var(--text)"}, "value": "var(--surface)"},
                    "strokeWidth": {"condition": {"test": is_hot, "value": 2}, "value": 1},
                },
            },
        ],
    }
