"""Searches that workers do: started from the page, followed by their progress, cancelled, and shown as any other answer."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from designer.models import Design
from designer.pages.explore.asked import Asked, asked_of
from designer.pages.explore.files import FOUND_FILES, found_download
from designer.pages.explore.views import answered, context_of, refused
from designer.pages.limiting import heavy_job
from designer.pages.sending import attachment, sends_files
from designer.services.access import owned, owner_of
from designer.services.searches.asking import first_request
from designer.services.searches.jobs import request_search
from estimator.errors import EstimatorError
from estimator.jobs.models import SearchJob
from estimator.search.result import Search


@login_required
@require_POST
@heavy_job
def job_new(request: HttpRequest) -> HttpResponse:
    """Hand a request to workers and go to its page."""
    try:
        asked = asked_of(request, request.POST, first_request)
    except EstimatorError as error:
        return refused(request, Asked(first_request(None), None), error.problems)
    try:
        job = request_search(owner_of(request), *asked)
    except EstimatorError as error:
        return refused(request, asked, error.problems)
    return redirect("search-job", job.pk)


def _asked(request: HttpRequest, job: SearchJob) -> Asked:
    """What a job was asked; its design as it is now, None where it was deleted."""
    held = job.asked.get("design")
    design = Design.objects.filter(pk=held, owner=owner_of(request)).first() if held else None
    return Asked(job.asked.get("ask", {}), design)


@login_required
@require_safe
def job_page(request: HttpRequest, pk: UUID) -> HttpResponse:
    """How far a search is; its answer once it has one."""
    job = owned(request, SearchJob, pk)
    asked = _asked(request, job)
    if job.state == SearchJob.State.SUCCEEDED and job.result is not None:
        return answered(request, asked, Search.from_json(job.result), search_job=job)
    problems = (job.error or {}).get("problems", [])
    shown = [{"field": "", "label": "", "message": one.get("message")} for one in problems]
    return render(
        request, "designer/explore/explore.html", context_of(request, asked) | {"search_job": job, "problems": shown}
    )


@login_required
@require_safe
def job_state(request: HttpRequest, pk: UUID) -> HttpResponse:
    """State and progress, for the page's script."""
    job = owned(request, SearchJob, pk)
    return JsonResponse({"state": job.state, "progress": job.share_done, "is_active": job.is_active})


@login_required
@require_POST
def job_cancel(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Stop a search."""
    if not owned(request, SearchJob, pk).cancel():
        messages.error(request, "This search had ended before.")
    return redirect("search-job", pk)


@login_required
@require_safe
@sends_files
def job_file(request: HttpRequest, pk: UUID, form: str) -> HttpResponse:
    """What a search found as a file."""
    job = owned(request, SearchJob, pk)
    if form not in FOUND_FILES or job.result is None:
        raise Http404(f"Files of an ended search are {', '.join(FOUND_FILES)}.")
    asked = _asked(request, job)
    name = asked.design.name if asked.design else "search"
    made = found_download(form, name, asked.request, Search.from_json(job.result), timezone.now())
    return attachment(made.content, made.content_type, made.name)
