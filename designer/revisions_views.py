"""The panel of revisions, what differs between any two, and variants that branch off."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from designer.access import design_page, design_to_change, design_to_own
from designer.models import Design, DesignRevision
from designer.pins import compare_pinned, pin, strip, unpin
from designer.result_query import Page, page_number
from designer.revising import branch_off
from designer.revision_diff import revision_diff
from estimator.errors import EstimatorError
from estimator.units import is_whole_number

REVISIONS_A_PAGE = 8


@design_page
@require_safe
def revisions(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """Revisions, the newest first, each with what it changed; or what differs between the two that are asked for."""
    row = design_to_change(request, design_id)
    context: dict[str, Any] = {"section": "designs", "design": row, "panel": "designer/_revisions.html"}
    context |= _page(row, request.GET.get("page"))
    numbers = list(row.revisions.order_by("-number").values_list("number", flat=True))
    first, second = (_asked(request.GET.get(key), numbers) for key in ("from", "to"))
    if first and second:
        between = revision_diff(row.revisions.get(number=first), row.revisions.get(number=second))
        context |= {"between": between}
    context |= {"numbers": numbers, "asked_from": first or numbers[-1], "asked_to": second or numbers[0]}
    is_part = bool(request.htmx)  # type: ignore[attr-defined]
    return render(request, "designer/_revisions.html" if is_part else "designer/design_panel.html", context)


def _asked(text: str | None, numbers: list[int]) -> int | None:
    return int(text) if text and is_whole_number(text, 9) and int(text) in numbers else None


def _page(row: Design, asked: str | None) -> dict[str, Any]:
    """A page of revisions, each with its difference from the one before it."""
    n_rows = row.revisions.count()
    number, n_pages = page_number(asked, n_rows, REVISIONS_A_PAGE)
    start = (number - 1) * REVISIONS_A_PAGE
    found: list[DesignRevision] = list(row.revisions.order_by("-number")[start : start + REVISIONS_A_PAGE + 1])
    shown = [
        {"revision": one, "diff": revision_diff(before, one) if before else None, "is_newest": start == 0 and at == 0}
        for at, (one, before) in enumerate(zip(found, [*found[1:], None], strict=True))
    ][:REVISIONS_A_PAGE]
    return {"rows": shown, "pages": Page(shown, number, n_pages, n_rows, REVISIONS_A_PAGE)}


@login_required
@require_POST
def variant(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """Branch a variant off the design as it stands, and open it."""
    row = design_to_own(request, design_id)
    said = f"This is a variant of “{row.name}”, which stays as it is."
    return branch_off(request, row, lambda _: said, reverse("design", args=[row.pk]))


@login_required
@require_POST
def pin_change(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """Pin a design, or take its pin out; ``open`` names the design whose page asks."""
    row = design_to_own(request, design_id)
    problem = ""
    if request.POST.get("do") == "unpin":
        unpin(row.owner, row)
    else:
        try:
            pin(row.owner, row)
        except EstimatorError as error:
            problem = error.words()
    shown = _open(request, row)
    if request.htmx:  # type: ignore[attr-defined]
        return _strip(request, shown, problem)
    if problem:
        messages.error(request, problem)
    return redirect("design", shown.pk)


def _open(request: HttpRequest, row: Design) -> Design:
    """The design on whose page the strip stands."""
    try:
        key = UUID(request.POST.get("open", ""))
    except ValueError:
        return row
    return Design.objects.filter(pk=key, owner=row.owner).first() or row


def _strip(request: HttpRequest, row: Design, problem: str = "") -> HttpResponse:
    context = {"design": row, "problem": problem, "is_strip_answer": True} | strip(row.owner, row)
    return render(request, "designer/_pins.html", context)


@login_required
@require_safe
def pins(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """The strip of pinned designs, against the open one as it stands now."""
    return _strip(request, design_to_own(request, design_id))


@login_required
@require_POST
def pins_compare(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """Compare the open design with the pinned ones."""
    row = design_to_own(request, design_id)
    try:
        made = compare_pinned(row.owner, row)
    except EstimatorError as error:
        messages.error(request, f"This could not be compared: {error.words()}")
        return redirect("design", row.pk)
    return redirect("comparison", made.pk)
