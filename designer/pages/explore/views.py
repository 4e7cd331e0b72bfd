"""Explore: what to look for, what was found, and what becomes of it. A request stands whole in the page's address."""

import json
from typing import NamedTuple
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from designer.exports.searches import FOUND_FILES, found_download
from designer.forms.explore import ExploreForm
from designer.models import Design
from designer.pages.explore.page import found_context, names_of, problems_shown, ways_out
from designer.pages.sending import attachment
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

MOST_BYTES = 3_000  # of a request in an address: servers and proxies cut longer lines off
PRESENT = "present"


class Asked(NamedTuple):
    """A request with the design that it begins at."""

    request: Json
    design: Design | None

    @property
    def address(self) -> str:
        """The query of pages and files about it."""
        held = {"design": str(self.design.pk)} if self.design else {}
        return urlencode(held | {"ask": json.dumps(self.request, separators=(",", ":"))})


def _asked(request: HttpRequest, query: QueryDict) -> Asked:
    """What an address or a form says; the usual request where it says none."""
    design = _design(request, query.get("design") or "")
    text = query.get("ask")
    return Asked(json_object(text.encode(), "request") if text else first_request(design), design)


def _design(request: HttpRequest, text: str) -> Design | None:
    if not text:
        return None
    try:
        key = UUID(text)
    except ValueError:
        raise Http404("There is no such design of yours.") from None
    return get_object_or_404(Design, pk=key, owner=owner_of(request))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def explore(request: HttpRequest) -> HttpResponse:
    """The request as a form and what was found; a form that was sent becomes an address."""
    if request.method == "POST":
        form = ExploreForm(request.POST, owner=owner_of(request))
        asked = Asked(form.asked(), _design(request, request.POST.get("design", "")))
        if len(asked.address) > MOST_BYTES:
            return _refused(request, asked, [_too_long(asked)])
        return redirect(f"{reverse('explore')}?{asked.address}")
    try:
        asked = _asked(request, request.GET)
    except EstimatorError as error:
        return _refused(request, Asked(first_request(None), None), error.problems)
    try:
        answer = found(*asked)
    except EstimatorError as error:
        return _refused(request, asked, error.problems)
    context = _context(request, asked) | found_context(answer, asked.request.get("pareto", []), load_catalog())
    ways = [(way.words, Asked(way.asked, asked.design).address) for way in ways_out(answer, asked.request)]
    return render(request, "designer/explore/explore.html", context | {"ways_out": ways})


def _too_long(asked: Asked) -> Problem:
    message = (
        f"The request takes {len(asked.address):,} characters of an address, and {MOST_BYTES:,} is the most here. Choose fewer "
        "values in lists or make a field free, or send the request to POST /api/v1/searches/, which has no such limit."
    )
    return Problem("", "too_long", message)


def _refused(request: HttpRequest, asked: Asked, problems: object) -> HttpResponse:
    shown = problems_shown(list(problems), asked.request)  # type: ignore[call-overload]
    context = _context(request, asked) | {"problems": shown}
    return render(request, "designer/explore/explore.html", context, status=422)


def _context(request: HttpRequest, asked: Asked) -> Context:
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
        asked = _asked(request, request.POST)
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
        asked = _asked(request, request.POST)
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
def explore_file(request: HttpRequest, form: str) -> HttpResponse:
    """What was found as a file."""
    if form not in FOUND_FILES:
        raise Http404(f"Files are {', '.join(FOUND_FILES)}.")
    try:
        asked = _asked(request, request.GET)
        answer = found(*asked)
    except EstimatorError as error:
        return HttpResponse(error.words(), status=422, content_type="text/plain; charset=utf-8")
    name = asked.design.name if asked.design else "search"
    made = found_download(form, name, asked.request, answer, timezone.now())
    return attachment(made.content, made.content_type, made.name)
