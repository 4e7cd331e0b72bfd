"""The sweep of the page Explore: its form, a chart a figure, and the points as rows that open as designs."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from designer.charts.sweep import sweep_charts, value_text
from designer.forms.keys import ALL_KEYS
from designer.forms.sweep import SweepForm
from designer.pages.explore.asked import Asked, asked_of, design_of, too_long
from designer.pages.explore.page import problems_shown
from designer.services.access import owner_of
from designer.services.bounded_json import json_object
from designer.services.searches.sweeping import first_sweep, open_point, swept, whole_sweep
from designer.wording.context import Context
from designer.wording.numbers import figure_text
from estimator.errors import EstimatorError, Problem
from estimator.search.figures import FIGURES, Figure
from estimator.search.result import Sweep

PAGE = "designer/explore/sweep.html"


class PointRow(NamedTuple):
    """A point of a sweep."""

    place: int
    head: str
    values: str
    """What opens it, as JSON."""
    cells: list[tuple[str, float | None, Any]]
    """Text, value and range of each figure; none where no network can be built."""
    change: str


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def explore_sweep(request: HttpRequest) -> HttpResponse:
    """The request as a form and figures along its fields; a form that was sent becomes an address."""
    if request.method == "POST":
        form = SweepForm(request.POST, owner=owner_of(request))
        asked = Asked(form.asked(), design_of(request, request.POST.get("design", "")))
        if problem := too_long(asked, "POST /api/v1/sweeps/"):
            return _refused(request, asked, [problem])
        return redirect(f"{reverse('explore-sweep')}?{asked.address}")
    try:
        asked = asked_of(request, request.GET, first_sweep)
    except EstimatorError as error:
        return _refused(request, Asked(first_sweep(None), None), list(error.problems))
    try:
        answer = swept(*asked)
    except EstimatorError as error:
        return _refused(request, asked, list(error.problems))
    titles = [str(ALL_KEYS[path].info.title) for path in (answer.x, answer.y) if path]
    rows = list(_rows(answer))
    context: Context = {
        "found": answer,
        "titles": titles,
        "figures": [FIGURES[name] for name in answer.figures],
        "rows": rows,
        "has_builds": any(row.change for row in rows),  # a change between two points is in the list above alone
        "charts": sweep_charts(answer, titles),
        "changes": [(value_text(one.x), value_text(one.y) if answer.y else "", one.what) for one in answer.changes],
    }
    return render(request, PAGE, _context(request, asked) | context)


def _rows(found: Sweep) -> Iterator[PointRow]:
    figures: list[Figure] = [FIGURES[name] for name in found.figures]
    changes = {(one.x, one.y): one.what for one in found.changes}
    for at, one in enumerate(found.points):
        values = {found.x: one.x} | ({found.y: one.y} if found.y else {})
        ranges = one.ranges_usd or {}
        cells = [
            (figure_text(one.figures[each.name], each.unit), one.figures[each.name], ranges.get(each.name))
            for each in figures
            if one.figures
        ]
        head = value_text(one.x) + (f", {value_text(one.y)}" if found.y else "")
        yield PointRow(at, head, json.dumps(values), cells, changes.get((one.x, one.y), ""))


def _context(request: HttpRequest, asked: Asked) -> Context:
    return {
        "section": "explore",
        "design": asked.design,
        "form": SweepForm(values=asked.request, owner=owner_of(request)),
        "ask": json.dumps(asked.request, separators=(",", ":")),
        "whole": json.dumps(whole_sweep(*asked), indent=2),
        "address": asked.address,
    }


def _refused(request: HttpRequest, asked: Asked, problems: list[Problem]) -> HttpResponse:
    context = _context(request, asked) | {"problems": problems_shown(problems, asked.request)}
    return render(request, PAGE, context, status=422)


@login_required
@require_POST
def sweep_open(request: HttpRequest) -> HttpResponse:
    """Keep a point as a design and go to its page."""
    try:
        asked = asked_of(request, request.POST, first_sweep)
        row = open_point(owner_of(request), *asked, json_object(request.POST.get("open", "").encode(), "point"))
    except EstimatorError as error:
        messages.error(request, f"This could not be opened: {error.words()}")
        return redirect("explore-sweep")
    return redirect("design", row.pk)
