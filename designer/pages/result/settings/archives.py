"""Archives of settings files that a worker writes: started from the page, followed by their progress, cancelled, sent."""

from typing import cast
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from designer.exports.links import archive_answer
from designer.pages.result.job import job_or_404, result_or_404
from designer.services.access import design_page, design_to_change
from designer.services.bringup.archives import request_archive
from designer.services.bringup.choosing import choices_asked, kind_of
from designer.services.bringup.plans import state_of_job
from designer.services.shown_page import version_asked
from designer.wording.context import Context
from estimator.bringup.renderings.targets import TARGETS
from estimator.errors import EstimatorError
from estimator.jobs.models import ArchiveJob, EstimateJob

PAGE = "designer/result/bringup/archive.html"


@design_page
@require_POST
def archive_new(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """Hand an archive to workers and go to its page."""
    row = design_to_change(request, design_id)
    _, job = job_or_404(request, design_id, job_id)
    result_or_404(job)
    try:
        chosen = choices_asked(request.POST)
        made = request_archive(row.owner, state_of_job(job, chosen), request.POST.get("target") or None)
    except EstimatorError as error:
        context: Context = {"design": row, "job": job, "problems": error.problems} | version_asked(request, row)
        return render(request, PAGE, context, status=422)
    return redirect("archive-job", row.pk, job.pk, made.pk)


@design_page
@require_safe
def archive_page(request: HttpRequest, design_id: UUID, job_id: UUID, pk: UUID) -> HttpResponse:
    """How far an archive is, and the way to it once it is whole."""
    row, job = job_or_404(request, design_id, job_id)
    made = _archive_of(job, pk)
    context: Context = {"design": row, "job": job, "archive": made, "choices": choices_asked(made.choices)}
    context |= {
        "target": made.target,
        "label": TARGETS.get(made.target),
        "problems": (made.error or {}).get("problems", []),
    }
    return render(request, PAGE, context | version_asked(request, row))


@design_page
@require_POST
def archive_cancel(request: HttpRequest, design_id: UUID, job_id: UUID, pk: UUID) -> HttpResponse:
    """Stop an archive that waits or is being written."""
    row = design_to_change(request, design_id)
    _, job = job_or_404(request, design_id, job_id)
    if not _archive_of(job, pk).cancel():
        messages.error(request, "This archive had ended before.")
    return redirect("archive-job", row.pk, job.pk, pk)


@design_page
@require_safe
def archive_file(request: HttpRequest, design_id: UUID, job_id: UUID, pk: UUID) -> HttpResponse:
    """The archive, once it is whole."""
    _, job = job_or_404(request, design_id, job_id)
    made = _archive_of(job, pk)
    if made.state != ArchiveJob.State.SUCCEEDED:
        raise Http404("This archive is not whole.")
    kind = kind_of(choices_asked(made.choices), made.target or "settings")
    answer = archive_answer(made.content(), made.name, made.spec_hash, kind)
    answer.headers["Content-Length"] = str(made.n_bytes)
    return cast("HttpResponse", answer)  # pages are typed as answers that are whole


def _archive_of(job: EstimateJob, pk: UUID) -> ArchiveJob:
    """An archive of the same state, by the owner of the estimate."""
    return get_object_or_404(ArchiveJob, pk=pk, owner_id=job.owner_id, spec_hash=job.spec_hash)
