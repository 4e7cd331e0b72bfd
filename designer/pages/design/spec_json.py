"""A design's spec as JSON text: out of its current state, and into it as one edit that can be taken back."""

from __future__ import annotations

import json
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from designer.models import Design
from designer.pages.design.session import OPENED, state_answer
from designer.services.access import design_page, design_to_change, design_to_see, name_of, owner_of
from designer.services.designs.beginnings import start_spec
from designer.services.designs.edits import take_over
from designer.services.designs.figures import figures_of_spec
from designer.services.designs.from_files import sent_text, spec_of_text
from designer.services.designs.saving import save_design
from designer.services.designs.state import figures_now
from designer.wording.context import Context
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec


@design_page
@require_http_methods(["GET", "HEAD", "POST"])
def spec(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """The spec to copy, and a field to paste another one into; with ``?format=json``, the text alone."""
    if request.method == "POST":
        return _pasted(request, design_to_change(request, design_id))
    row = design_to_see(request, design_id)
    text = spec_text(row)
    if request.GET.get("format") == "json":
        return HttpResponse(text, content_type="application/json; charset=utf-8")
    return _panel(request, row, {"text": text})


def spec_text(row: Design) -> str:
    """The current state as the import page and the API take it."""
    return json.dumps(row.given, indent=1, ensure_ascii=False)


def _panel(request: HttpRequest, row: Design, more: Context, status: int = 200) -> HttpResponse:
    context = {"section": "designs", "design": row, "panel": "designer/design/panels/_spec.html"} | more
    is_part = bool(request.htmx)  # type: ignore[attr-defined]
    return render(
        request,
        "designer/design/panels/_spec.html" if is_part else "designer/design/panels/panel.html",
        context,
        status=status,
    )


def _pasted(request: HttpRequest, row: Design) -> HttpResponse:
    """Take a spec over into the session of a design; where it is refused, nothing changes."""
    try:
        _take_over(request, row, spec_of_text(sent_text(request)))
    except EstimatorError as error:
        return _refused(request, row, error)
    if "Studio" in request.headers:
        return state_answer(request, row)
    messages.success(request, "The design was replaced. Undo reverts it.")
    return redirect("design", row.pk)


def _refused(request: HttpRequest, row: Design | None, error: EstimatorError) -> HttpResponse:
    context = {"problems": error.problems}
    if "Studio" in request.headers or row is None:
        return render(request, "designer/design/panels/_spec_refused.html", context, status=422)
    return _panel(request, row, context | {"text": spec_text(row), "sent": request.POST.get("spec", "")}, 422)


@login_required
@require_POST
def spec_new(request: HttpRequest) -> HttpResponse:
    """A spec pasted into an unsaved design: that gets its row in the state its page began with, then the edit."""
    try:
        sent = spec_of_text(sent_text(request))
    except EstimatorError as error:
        return _refused(request, None, error)
    row = save_design(owner_of(request), start_spec(request.GET))
    _take_over(request, row, sent)
    answer = state_answer(request, row)
    answer[OPENED] = reverse("design", args=[row.pk])
    return answer


def _take_over(request: HttpRequest, row: Design, sent: DesignSpec) -> None:
    """Make a spec the design, as one edit of its own; without a name of its own it leaves the design its name."""
    figures_now(row)
    spec = parse_spec({key: row.given[key] for key in ("name",) if key in row.given} | sent.as_given(), load_catalog())
    take_over(row, spec, figures_of_spec(spec), by=name_of(request))
