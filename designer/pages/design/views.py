"""Pages of designs, one short view each. Rules are those of estimator.spec, writes those of services."""

from urllib.parse import urlsplit
from uuid import UUID, uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect, retarget

from designer.drawings.query import ANCHOR
from designer.forms.design import DesignForm
from designer.models import Design
from designer.pages.deleting import delete_or_ask
from designer.pages.design.state import bound, current_state, head_context, page_context, sent_form
from designer.pages.result.fabric import found_query
from designer.pages.result.findings import change_of
from designer.pages.result.job import job_context, job_of, job_or_404, present_result, problems_of
from designer.pages.result.tabs import tab_of
from designer.services.access import (
    design_page,
    design_to_change,
    design_to_own,
    design_to_see,
    name_of,
    owner_of,
    visiting,
)
from designer.services.baselines import strip_and_against
from designer.services.designs import samples
from designer.services.designs.beginnings import asked_sample, start_spec
from designer.services.designs.edits import record, typed_of
from designer.services.designs.listing import listed, sorted_rows
from designer.services.designs.results import result_of
from designer.services.designs.saving import request_estimate, save_design
from designer.services.designs.shelves import LONGEST_TAG, Shelf, put
from designer.services.revising import revise, tab_page
from designer.wording.context import Context
from estimator.catalog.loader import load_catalog
from estimator.compare.request import LEAST, MOST
from estimator.errors import EstimatorError
from estimator.jobs.models import EstimateJob
from estimator.pipeline import estimate


@login_required
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The list of designs; before you have one, a finished sample."""
    if samples.is_first_visit(owner_of(request)):
        return redirect("design", samples.add_samples(owner_of(request))[0].pk)
    return redirect("designs")


@login_required
@require_safe
def designs(request: HttpRequest) -> HttpResponse:
    """The owner's designs with their main figures, of a tag, archived or not, and samples to start from."""
    owner, shelf = owner_of(request), Shelf.asked(request.GET)
    rows, found = listed(owner, shelf)
    table = sorted_rows(rows, request.GET.get("sort"))
    context = {"section": "designs", "title": "Designs", "samples": samples.SAMPLES, "shelf": shelf}
    context |= {"tags": found.tags, "n_archived": found.n_archived, "has_designs": found.has_designs}
    limits = {"least": LEAST, "most": MOST, "longest_tag": LONGEST_TAG}
    return render(request, "designer/design/list.html", context | limits | table)


@login_required
@require_POST
def designs_change(request: HttpRequest) -> HttpResponse:
    """Tag the ticked designs, take a tag off them, archive them, or bring them back."""
    try:
        done = put(
            owner_of(request), request.POST.getlist("design"), request.POST.get("do", ""), request.POST.get("tag", "")
        )
    except EstimatorError as error:
        messages.error(request, f"Nothing was changed: {error.words()}")
    else:
        messages.success(request, done)
    shelf = Shelf.asked(QueryDict(urlsplit(request.headers.get("Referer", "")).query))
    return redirect(f"{reverse('designs')}?{shelf.query}" if shelf.query else "designs")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def design_new(request: HttpRequest) -> HttpResponse:
    """An unsaved design: blank, or that of a sample, of a published source or of a workload."""
    if request.method == "POST":
        return _estimate(request, None)
    spec = start_spec(request.GET)
    form = DesignForm(values=spec.as_given(), resolved=spec.as_json(), owner=owner_of(request))
    context = {"section": "new", "sample": asked_sample(request.GET)} | page_context(form, spec)
    return render(request, "designer/design/design.html", context)


@design_page
@require_http_methods(["GET", "HEAD", "POST"])
def design(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """A saved design: its form, its preview and its estimate."""
    if request.method == "POST":
        return _estimate(request, design_to_change(request, design_id))
    row = design_to_see(request, design_id)
    form, spec = current_state(row, is_visited=bool(visiting(request)))
    job = job_of(row, row.spec_hash)
    if job is not None and job.state == EstimateJob.State.FAILED and spec is not None:
        if not form.is_bound:  # what was given stays, with what is wrong beside it
            form = bound(form, row, "" if visiting(request) else None)
        form.add_problems(problems_of(job))
    shown = job_context(request, row, job)
    if found := found_query(shown):
        return redirect(f"{request.path}?{urlencode(found)}#{ANCHOR}")
    page = page_context(form, spec, row, present_result(job, spec))
    beside = {} if visiting(request) else strip_and_against(row.owner, row, page.get("headlines"))
    return render(request, "designer/design/design.html", page | shown | beside)


def _problems(request: HttpRequest, context: Context) -> HttpResponse:
    """Problems alone: the last figures stay where they are, dimmed, so that the page does not jump while one types."""
    return retarget(render(request, "designer/design/_problems.html", context | {"is_live": True}), "#preview-problems")


def _estimate(request: HttpRequest, row: Design | None) -> HttpResponse:
    """Save what was typed, ask for its estimate and show the job."""
    owner = row.owner if row else owner_of(request)
    form = (
        sent_form(request.POST, row, is_visited=bool(visiting(request)))
        if row
        else DesignForm(request.POST, owner=owner)
    )
    job = None
    if form.is_valid() and form.spec is not None:
        try:
            estimate(
                [form.spec], load_catalog(), parts=("counts",)
            )  # what cannot be built is refused before it is saved
            with transaction.atomic():  # a job that may not be queued saves no design either
                saved = row or save_design(owner, form.spec)
                if row:
                    record(row, typed_of(request.POST), f"form.{uuid4().hex}", form.spec, by=name_of(request))
                job, _ = request_estimate(saved.owner, form.spec)
        except EstimatorError as error:
            form.add_problems(error.problems)
    if job is None:
        return _refused(request, form, row)
    address = redirect("design", saved.pk)
    if not request.htmx:  # type: ignore[attr-defined]
        return address
    if row is None:
        return HttpResponseClientRedirect(address.url)
    context = job_context(request, saved, job) | head_context(saved) | {"is_live": True, "spec_hash": job.spec_hash}
    return render(request, "designer/result/_job.html", context)


def _refused(request: HttpRequest, form: DesignForm, row: Design | None) -> HttpResponse:
    context = page_context(form, None, row)
    if request.htmx:  # type: ignore[attr-defined]
        return _problems(request, context)
    return render(request, "designer/design/design.html", context, status=422)


@design_page
@require_POST
def design_apply(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """Change the design as one finding proposes, and ask for its estimate."""
    design_to_change(request, design_id)
    row, job = job_or_404(request, design_id, job_id)
    made = result_of(job)
    change = change_of(made.findings if made else [], request.POST.get("finding", ""), request.POST.get("choice", ""))
    if change is None:
        raise Http404("This estimate has no such finding, or it proposes no change.")
    if row.spec_hash != job.spec_hash:
        messages.error(request, "The design has changed since this estimate, so its findings may no longer hold.")
        return redirect(tab_page(row, "findings"))
    return revise(request, row, change, "findings")


@design_page
@require_POST
def floor_plan(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """Request a floor plan by the catalog's figures, where the design asks for none."""
    row = design_to_change(request, design_id)
    return revise(request, row, {"site.plan": {}}, "racks")


@design_page
@require_POST
def revision_restore(request: HttpRequest, design_id: UUID, number: int) -> HttpResponse:
    """Make a version the current state again, as an edit that can be taken back."""
    row = design_to_change(request, design_id)
    revision = get_object_or_404(row.revisions, number=number)
    came_from = QueryDict(urlsplit(request.headers.get("Referer", "")).query)
    return revise(request, row, {}, tab_of(came_from), revision.given)


@design_page
@require_http_methods(["GET", "HEAD", "POST"])
def design_delete(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """Ask once, then delete a design with its versions."""
    words = "The design is deleted with all its versions. This cannot be undone."
    return delete_or_ask(request, design_to_own(request, design_id), "designs", "design", words)
