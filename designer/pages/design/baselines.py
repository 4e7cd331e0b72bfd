"""Pages of baselines: the panel that marks one, the table beside the open design, and the comparison with them."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from designer.models import Baseline, Design
from designer.pages.design.state import current_state, page_context
from designer.services.access import design_to_own
from designer.services.baselines import compare_with_baselines, mark, strip, strip_and_against
from designer.wording.context import Context
from estimator.errors import EstimatorError


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def baselines(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """The table of baselines beside a design, or the panel that marks one (``panel``); marks one by POST."""
    row = design_to_own(request, design_id)
    is_part = bool(request.htmx)  # type: ignore[attr-defined]
    if request.method == "POST":
        return _marked(request, row, is_part=is_part)
    if "panel" in request.GET:
        return _panel(request, row, {}, is_part=is_part)
    return render(request, "designer/design/panels/_baselines.html", {"design": row} | strip(row.owner, row))


def _marked(request: HttpRequest, row: Design, *, is_part: bool) -> HttpResponse:
    typed = request.POST.get("name", "")
    try:
        made = mark(row.owner, row, typed)
    except EstimatorError as error:
        return _panel(request, row, {"problems": error.problems, "typed": typed}, is_part=is_part, status=422)
    if not is_part:
        messages.success(request, f"“{made.name}” is a baseline now.")
        return redirect("design", row.pk)
    return _answer(request, row, {"made": made})


def _panel(request: HttpRequest, row: Design, more: Context, *, is_part: bool, status: int = 200) -> HttpResponse:
    context = {"section": "designs", "design": row, "panel": "designer/design/panels/_baseline_panel.html"} | more
    template = "designer/design/panels/_baseline_panel.html" if is_part else "designer/design/panels/panel.html"
    return render(request, template, context, status=200 if is_part else status)


def _answer(request: HttpRequest, row: Design, more: Context) -> HttpResponse:
    """The panel, and beside it the table and the strip of figures, which the change of baselines moves."""
    form, spec = current_state(row)
    page = page_context(form, spec, row)
    context = page | strip_and_against(row.owner, row, page.get("headlines")) | more
    return render(request, "designer/design/panels/_baseline_answer.html", context)


@login_required
@require_POST
def baseline_remove(request: HttpRequest, design_id: UUID, pk: UUID) -> HttpResponse:
    """Remove a baseline, from the page of a design."""
    row = design_to_own(request, design_id)
    get_object_or_404(Baseline, pk=pk, owner=row.owner).delete()
    if request.htmx:  # type: ignore[attr-defined]
        return _answer(request, row, {"is_removed": True})
    return redirect("design", row.pk)


@login_required
@require_POST
def baselines_compare(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """Compare the open design with the baselines."""
    row = design_to_own(request, design_id)
    try:
        made = compare_with_baselines(row.owner, row)
    except EstimatorError as error:
        messages.error(request, f"This could not be compared: {error.words()}")
        return redirect("design", row.pk)
    return redirect("comparison", made.pk)
