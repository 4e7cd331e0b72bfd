"""Explore: what to look for, what was found, and what becomes of it. A request stands whole in the page's address."""

import json
from collections.abc import Sequence

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from designer.forms.explore import ExploreForm
from designer.pages.explore.asked import Asked, asked_of, design_of, too_long
from designer.pages.explore.files import FOUND_FILES, found_download
from designer.pages.explore.page import (
    found_context,
    names_of,
    not_searched,
    problems_shown,
    unknown_objective,
    ways_out,
)
from designer.pages.sending import attachment, sends_files
from designer.services.access import owner_of
from designer.services.bounded_json import json_object
from designer.services.comparison_sides import resolved_items
from designer.services.comparisons import create_comparison
from designer.services.searches.asking import first_request, found, open_found, spec_found, whole_request
from designer.wording.context import Context
from estimator.catalog.loader import load_catalog
from estimator.compare.request import LEAST, MOST
from estimator.errors import EstimatorError, Problem, SpecError
from estimator.record import Json
from estimator.search.result import Search

PRESENT = "present"


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def explore(request: HttpRequest) -> HttpResponse:
    """The request as a form and what was found; a form that was sent becomes an address."""
    if request.method == "POST":
        form = ExploreForm(request.POST, owner=owner_of(request))
        asked = Asked(form.asked(), design_of(request, request.POST.get("design", "")))
        if problem := too_long(asked, "POST /api/v1/searches/"):
            return refused(request, asked, [problem])
        return redirect(f"{reverse('explore')}?{asked.address}")
    try:
        asked = asked_of(request, request.GET, first_request)
    except EstimatorError as error:
        return refused(request, Asked(first_request(None), None), error.problems)
    try:
        answer = found(*asked)
    except EstimatorError as error:
        return refused(request, asked, error.problems)
    return answered(request, asked, answer)


def answered(request: HttpRequest, asked: Asked, answer: Search, **more: object) -> HttpResponse:
    """The page with an answer."""
    context = context_of(request, asked) | found_context(answer, asked.request.get("pareto", []), load_catalog()) | more
    ways = [(way.words, Asked(way.asked, asked.design).address) for way in ways_out(answer, asked.request)]
    context |= {"ways_out": ways, "unknown": unknown_objective(answer, asked.request)}
    context |= {"not_searched": not_searched(whole_request(*asked).get("base"))}
    return render(request, "designer/explore/explore.html", context)


def refused(request: HttpRequest, asked: Asked, problems: Sequence[Problem]) -> HttpResponse:
    shown = problems_shown(problems, asked.request)
    is_large = any(one.code == "too_many_candidates" for one in problems)
    context = context_of(request, asked) | {"problems": shown, "may_be_a_job": is_large}
    return render(request, "designer/explore/explore.html", context, status=422)


def context_of(request: HttpRequest, asked: Asked) -> Context:
    return {
        "section": "explore",
        "design": asked.design,
        "form": ExploreForm(values=asked.request, owner=owner_of(request)),
        "ask": json.dumps(asked.request, separators=(",", ":")),
        "whole": json.dumps(whole_request(*asked), indent=2),
        "address": asked.address,
        "file_forms": FOUND_FILES,
        "least": LEAST,
        "most": MOST,
    }


# ---------------------------------------------------------------- what becomes of a found design


@login_required
@require_POST
def explore_open(request: HttpRequest) -> HttpResponse:
    """Keep a found design as a design and go to its page."""
    try:
        asked = asked_of(request, request.POST, first_request)
        values = json_object(request.POST.get("open", "").encode(), "design")
        row = open_found(owner_of(request), *asked, values)
    except EstimatorError as error:
        messages.error(request, f"This could not be opened: {error.words()}")
        return redirect("explore")
    return redirect("design", row.pk)


@login_required
@require_POST
def explore_compare(request: HttpRequest) -> HttpResponse:
    """A comparison of the designs that were ticked, the present one first where it is among them."""
    try:
        asked = asked_of(request, request.POST, first_request)
        items = _sides(asked, request.POST.getlist("pick"))
        row = create_comparison(owner_of(request), resolved_items(owner_of(request), items))
    except EstimatorError as error:
        messages.error(request, f"These were not compared: {error.words()}")
        return redirect(f"{reverse('explore')}?{request.POST.get('address', '')}")
    return redirect("comparison", row.pk)


def _sides(asked: Asked, picked: list[str]) -> list[Json]:
    """Sides of a comparison out of ticks."""
    if not LEAST <= len(picked) <= MOST:
        message = f"A comparison has {LEAST} to {MOST} designs, and {len(picked)} are ticked."
        raise SpecError([Problem("pick", "out_of_range", message)])
    values = [json_object(text.encode(), "design") for text in picked if text != PRESENT]
    specs = [spec_found(*asked, one).as_given() for one in values]
    names = names_of(specs, list(dict.fromkeys(path for one in values for path in one)), load_catalog())
    sides: list[Json] = [{"spec": spec, "label": name[:200]} for spec, name in zip(specs, names, strict=True)]
    if PRESENT in picked and asked.design:
        sides.insert(0, {"design": str(asked.design.pk)})
    return sides


@login_required
@require_safe
@sends_files
def explore_file(request: HttpRequest, form: str) -> HttpResponse:
    """What was found as a file."""
    if form not in FOUND_FILES:
        raise Http404(f"Files are {', '.join(FOUND_FILES)}.")
    try:
        asked = asked_of(request, request.GET, first_request)
        answer = found(*asked)
    except EstimatorError as error:
        return HttpResponse(error.words(), status=422, content_type="text/plain; charset=utf-8")
    name = asked.design.name if asked.design else "search"
    made = found_download(form, name, asked.request, answer, timezone.now())
    return attachment(made.content, made.content_type, made.name)
