"""Pages of shared links: the owner's list of them, opening one, and the files that a visitor may take along."""

from __future__ import annotations

import hashlib
import logging
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from rest_framework.request import Request
from rest_framework.throttling import AnonRateThrottle

from designer.exports.downloads import BOM_FILES, COST_FILES
from designer.exports.workloads import TABLES, WORKLOAD_FORMATS, workloads_download
from designer.models import Design, ShareLink
from designer.pages.result.job import job_or_404
from designer.pages.sending import attachment, sends_files
from designer.services.access import GONE, close, design_page, design_to_own, remember
from designer.services.designs.results import result_of
from designer.services.sharing import find, issue, live_links, withdraw
from designer.services.workloads.answer import workloads_of
from designer.wording.context import Context
from designer.wording.query import one_of
from estimator.errors import EstimatorError
from estimator.jobs.models import EstimateJob
from estimator.result import PricedEstimate

logger = logging.getLogger(__name__)

MOST_WRONG = 20
WINDOW_S = 600
TOO_MANY = "designer/design/panels/share_wait.html"
FILES = {"bom": BOM_FILES, "cost": COST_FILES}


@never_cache
@require_safe
def shared(request: HttpRequest, secret: str) -> HttpResponse:
    """Open a design by its link: the right goes into the session, and the secret stays out of every other address."""
    if _n_wrong(request) >= MOST_WRONG:
        return close(render(request, TOO_MANY, status=429))
    link = find(secret)
    if link is None:
        _count_wrong(request)
        answer = close(render(request, GONE, status=404))
    else:
        remember(request, link)
        answer = close(redirect("design", link.design_id))
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer


def _wrong_key(request: HttpRequest) -> str:
    who = AnonRateThrottle().get_ident(Request(request))  # the client's address, also behind known proxies
    return f"wrong-links:{hashlib.sha256(str(who).encode()).hexdigest()}"


def _count_wrong(request: HttpRequest) -> None:
    try:
        cache.add(_wrong_key(request), 0, WINDOW_S)
        cache.incr(_wrong_key(request))
    except Exception:  # each cache has its own errors, and none of them may close a good link
        logger.warning("The cache does not answer; wrong links are not counted", exc_info=True)


def _n_wrong(request: HttpRequest) -> int:
    try:
        return int(cache.get(_wrong_key(request), 0))
    except Exception:  # each cache has its own errors, and none of them may close a good link
        logger.warning("The cache does not answer; wrong links are not counted", exc_info=True)
        return 0


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def share(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """The links of a design; with an answer, one more. Its address is on this one page and nowhere else."""
    row = design_to_own(request, design_id)
    if request.method != "POST":
        return _shown(request, row)
    mode = one_of(request.POST.get("mode"), ShareLink.Mode.values)
    try:
        link, secret = issue(row, mode)
    except EstimatorError as error:
        return _shown(request, row, {"problems": error.problems}, 422)
    address = request.build_absolute_uri(reverse("shared", args=[secret]))
    answer = _shown(request, row, {"made": link, "address": address})
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer


def _shown(request: HttpRequest, row: Design, more: Context | None = None, status: int = 200) -> HttpResponse:
    context = {
        "section": "designs",
        "design": row,
        "links": live_links(row),
        "panel": "designer/design/panels/_share.html",
    }
    details: Any = getattr(request, "htmx", None)
    template = "designer/design/panels/_share.html" if details else "designer/design/panels/panel.html"
    return render(request, template, context | (more or {}), status=200 if details else status)


@login_required
@require_POST
def share_withdraw(request: HttpRequest, design_id: UUID, link_id: int) -> HttpResponse:
    """End one link."""
    row = design_to_own(request, design_id)
    if not withdraw(row, link_id):
        raise Http404("This design has no such link.")
    if request.htmx:  # type: ignore[attr-defined]
        return _shown(request, row, {"withdrawn": True})
    messages.success(request, "The link was withdrawn: it opens nothing any more.")
    return redirect("share", row.pk)


@design_page
@require_safe
@sends_files
def shared_file(request: HttpRequest, design_id: UUID, job_id: UUID, kind: str, form: str) -> HttpResponse:
    """The bill of materials or the cost of an estimate as a file, for those who may see the design but not call the API."""
    job, made = _finished_or_404(request, design_id, job_id)
    writers = FILES.get(kind, {})
    if form not in writers:
        raise Http404("There is no such file.")
    file = writers[form](made, job.finished_at or job.created_at)
    return attachment(file.content, file.content_type, file.name)


@design_page
@require_safe
@sends_files
def shared_workloads(request: HttpRequest, design_id: UUID, job_id: UUID, form: str) -> HttpResponse:
    """What the workloads tab shows at the address’s query, for the same people: JSON, a workbook, or one table as CSV."""
    job, made = _finished_or_404(request, design_id, job_id)
    if form not in WORKLOAD_FORMATS:
        raise Http404("There is no such file.")
    try:
        shown = workloads_of(made, request.GET)
    except EstimatorError as error:  # the tab says so beside its fields, and offers no file
        raise Http404(" ".join(problem.message for problem in error.problems)) from None
    table = one_of(request.GET.get("table"), TABLES)
    file = workloads_download(form, made, shown, table, job.finished_at or job.created_at)
    return attachment(file.content, file.content_type, file.name)


def _finished_or_404(request: HttpRequest, design_id: UUID, job_id: UUID) -> tuple[EstimateJob, PricedEstimate]:
    _, job = job_or_404(request, design_id, job_id)
    made = result_of(job) if job.state == EstimateJob.State.SUCCEEDED else None
    if made is None:
        raise Http404("There is no such file.")
    return job, made
