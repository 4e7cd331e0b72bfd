"""Named versions: the panel of them, each as a page, what differs between any two, and variants that branch off."""

from __future__ import annotations

from itertools import zip_longest
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from designer.forms.design import DesignForm
from designer.models import Design, DesignRevision
from designer.pages.design.preview import live
from designer.pages.design.revision_diff import revision_diff
from designer.pages.design.state import drawn, head_context
from designer.pages.result.job import job_context, job_of, present_result
from designer.services.access import design_page, design_to_change, design_to_own, name_of, visiting
from designer.services.comparison_sides import resolved_items
from designer.services.comparisons import create_comparison
from designer.services.designs.saving import TooManyJobs, request_estimate, save_version
from designer.services.designs.state import read, spec_of
from designer.services.revising import branch_off
from designer.services.shown_page import version_context
from designer.wording.context import Context
from designer.wording.query import Page, page_number
from estimator.errors import EstimatorError
from estimator.jobs.models import EstimateJob
from estimator.spec.design import DesignSpec, spec_hash

REVISIONS_A_PAGE = 8
NOW = "now"


@design_page
@require_http_methods(["GET", "HEAD", "POST"])
def revisions(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """Named versions, the newest first, each with what it changed; what differs between any two; and one more, by POST."""
    row = design_to_change(request, design_id)
    saved: Context = _saved(request, row) if request.method == "POST" else {"is_saving": "save" in request.GET}
    is_part = bool(request.htmx)  # type: ignore[attr-defined]
    if "made" in saved and not is_part:
        messages.success(request, f"Saved as “{saved['made'].name}”.")
        return redirect("revisions", row.pk)
    context = {"section": "designs", "design": row, "panel": "designer/design/panels/_revisions.html"} | saved
    context |= _page(row, request.GET.get("page")) | _between(row, request.GET)
    template = (
        "designer/design/panels/_revisions_answer.html" if "made" in saved else "designer/design/panels/_revisions.html"
    )
    status = 422 if "problems" in saved and not is_part else 200
    return render(
        request,
        template if is_part else "designer/design/panels/panel.html",
        head_context(row) | context,
        status=status,
    )


def _saved(request: HttpRequest, row: Design) -> Context:
    """The version that was requested, or what is wrong with its name or note."""
    typed = {key: request.POST.get(key, "") for key in ("name", "note")}
    try:
        made = save_version(row, **typed, by=name_of(request))
        request_estimate(row.owner, spec_of(row))
    except TooManyJobs:  # the version is there: its page asks again
        made = row.revisions.order_by("-number")[0]
    except EstimatorError as error:
        return {"problems": error.problems, "typed": typed, "is_saving": True}
    return {"made": made}


def _between(row: Design, query: QueryDict) -> Context:
    """The two sides that are requested, of all versions and the state now, and what differs between them."""
    named = {str(one.number): one.name for one in row.revisions.order_by("-number")}
    sides = {NOW: "now"} | named
    asked = [key if (key := query.get(name, "")) in sides else "" for name in ("from", "to")]
    context: Context = {
        "sides": [{"key": key, "name": name} for key, name in sides.items()],
        "next_number": len(named) + 1,
        "asked_from": asked[0] or list(sides)[-1],
        "asked_to": asked[1] or NOW,
    }
    if all(asked):
        before, after = (row if key == NOW else row.revisions.get(number=key) for key in asked)
        names = {"before_name": sides[asked[0]], "after_name": sides[asked[1]]}
        context |= {"between": revision_diff(before, after) | names}
    return context


def _page(row: Design, asked: str | None) -> Context:
    """A page of versions, each with its difference from the one before; on the first, that of now from the newest."""
    n_rows = row.revisions.count()
    number, n_pages = page_number(asked, n_rows, REVISIONS_A_PAGE)
    start = (number - 1) * REVISIONS_A_PAGE
    found: list[DesignRevision] = list(row.revisions.order_by("-number")[start : start + REVISIONS_A_PAGE + 1])
    shown = [
        {"revision": one, "diff": revision_diff(before, one) if before else None, "is_now": one.given == row.given}
        for one, before in zip_longest(found, found[1:])
    ][:REVISIONS_A_PAGE]
    is_moved = bool(found) and start == 0 and found[0].given != row.given
    since = revision_diff(found[0], row) if is_moved else None
    return {"rows": shown, "since": since, "pages": Page(shown, number, n_pages, n_rows, REVISIONS_A_PAGE)}


@design_page
@require_safe
def version(request: HttpRequest, design_id: UUID, number: int) -> HttpResponse:
    """A named version as it was saved, with its figures, tabs and files by today's model: nothing on it changes the design."""
    row = design_to_change(request, design_id)
    one = get_object_or_404(row.revisions, number=number)
    spec = read(one.given)
    form = DesignForm(values=one.given, resolved=one.spec, owner=row.owner, only_book="" if visiting(request) else None)
    job = _job_of_version(row, spec) if spec else None
    beside = live(form, spec, present_result(job, spec))
    shown = beside.context | drawn(beside)
    page = {"form": form} | head_context(row) | shown | job_context(request, row, job, number)
    return render(request, "designer/design/design.html", page | version_context(request, row, number))


def _job_of_version(row: Design, spec: DesignSpec) -> EstimateJob | None:
    """The estimate of a version, asked for where there is none; None where it cannot be made now."""
    try:
        return job_of(row, spec_hash(spec)) or request_estimate(row.owner, spec)[0]
    except EstimatorError:
        return None


@login_required
@require_POST
def version_compare(request: HttpRequest, design_id: UUID, number: int) -> HttpResponse:
    """A version beside the design as it is now."""
    row = design_to_own(request, design_id)
    get_object_or_404(row.revisions, number=number)
    items = [{"design": str(row.pk), "revision": number}, {"design": str(row.pk), "label": f"{row.name}, now"[:200]}]
    try:
        made = create_comparison(row.owner, resolved_items(row.owner, items))
    except EstimatorError as error:
        messages.error(request, f"This could not be compared: {error.words()}")
        return redirect("revisions", row.pk)
    return redirect("comparison", made.pk)


@login_required
@require_POST
def variant(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """Branch a variant off the design as it stands, and open it."""
    row = design_to_own(request, design_id)
    said = f"This is a variant of “{row.name}”, which stays as it is."
    return branch_off(request, row, lambda _: said, reverse("design", args=[row.pk]))
