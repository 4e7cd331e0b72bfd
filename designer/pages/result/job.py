"""The estimate's part of a design's page: waiting, running, failed, or its result with the tabs."""

from urllib.parse import urlsplit
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django_htmx.http import retarget

from designer.forms.changes import problem_rows
from designer.models import Design
from designer.pages.result.tabs import result_context, tab_of
from designer.services.access import design_to_see, job_to_see, visiting
from designer.services.designs.results import result_of
from designer.services.shown_page import ShownPage
from designer.wording.context import Context
from estimator.catalog.loader import load_catalog
from estimator.errors import Problem
from estimator.jobs.models import EstimateJob
from estimator.record import Json
from estimator.result import PricedEstimate
from estimator.spec.design import DesignSpec, spec_hash
from estimator.version import MODEL_VERSION

FAST_POLL_AGE_S = 2
BESIDE = "with"  # of the performance tab: other designs of the owner


def job_or_404(request: HttpRequest, design_id: UUID, job_id: UUID) -> tuple[Design, EstimateJob]:
    """A design that the visitor may see, and one of its owner's estimates."""
    row = design_to_see(request, design_id)
    return row, job_to_see(request, row, job_id)


def result_or_404(job: EstimateJob) -> Json:
    """The result of a finished estimate, as its row keeps it."""
    if job.state != EstimateJob.State.SUCCEEDED or job.result is None:
        raise Http404("This estimate has no result.")
    return job.result


# What the tabs tell of other things than the design itself, which a shared link does not open.
CLOSED_TO_VISITORS: Context = {"offered": [], "calibrations_offered": []}


def _without_others(context: Context) -> Context:
    """A result's context for a visitor: nothing of the owner's other designs, calibrations and price books."""
    context |= CLOSED_TO_VISITORS
    for key, of in (("calibration_used", "kept"), ("own_prices", "book")):
        if context.get(key):
            context[key] = context[key] | {of: None, "is_changed": False}
    return context


def present_result(job: EstimateJob | None, spec: DesignSpec | None) -> PricedEstimate | None:
    """The job's result where it is what an estimate would say now: of the same spec, by the same model and catalog."""
    if job is None or spec is None or job.state != EstimateJob.State.SUCCEEDED:
        return None
    wanted = (spec_hash(spec), MODEL_VERSION, load_catalog().version)
    is_present = (job.spec_hash, job.model_version, job.catalog_version) == wanted
    return result_of(job) if is_present else None


def job_of(row: Design, digest: str) -> EstimateJob | None:
    """The newest estimate of a state by today's model and catalog: what others say is not shown beside today's figures."""
    today = {"model_version": MODEL_VERSION, "catalog_version": load_catalog().version}
    return EstimateJob.objects.filter(owner=row.owner, spec_hash=digest, **today).order_by("-created_at").first()


def problems_of(job: EstimateJob) -> list[Problem]:
    """Why a job failed."""
    return [Problem(**problem) for problem in (job.error or {}).get("problems", [])]


def _result_query(request: HttpRequest) -> QueryDict:
    """What is asked of the result; by a script on the page, that of the page's address, so that its tab stays open."""
    details = getattr(request, "htmx", None)
    if details and "tab" not in request.GET and details.current_url:
        return QueryDict(urlsplit(details.current_url).query)
    return request.GET


def _without_beside(query: QueryDict) -> QueryDict:
    """What is asked of a result, but for other designs beside it."""
    asked = query.copy()
    asked.pop(BESIDE, None)
    return asked


def job_context(request: HttpRequest, row: Design, job: EstimateJob | None, version: int | None = None) -> Context:
    """All that the result part of the page shows of one job: of the design's page, or of that of a named version."""
    if job is None:
        return {"job": None}
    query, page = _result_query(request), ShownPage(row.pk, version)
    context: Context = {"job": job, "design": row, "estimated_hash": job.spec_hash, "tab": tab_of(query)}
    if job.is_active:
        age = timezone.now() - job.created_at
        context |= {"poll": "load delay:200ms" if age.total_seconds() < FAST_POLL_AGE_S else "every 1s"}
    if job.state == EstimateJob.State.FAILED:
        context |= {"job_problems": problem_rows(problems_of(job))}
    if job.state == EstimateJob.State.SUCCEEDED and not visiting(request):
        context |= result_context(job, page, query)
    elif job.state == EstimateJob.State.SUCCEEDED:
        context |= _without_others(result_context(job, page, _without_beside(query)))
    return context


def job_part(request: HttpRequest, row: Design, job: EstimateJob) -> HttpResponse:
    """The job's part of the page for a script; a page with a result keeps it ("follow") until the new one is there."""
    follows = bool(request.POST.get("follow") or request.GET.get("follow"))
    context = job_context(request, row, job) | {"is_live": True}
    if follows and job.is_active:
        return render(request, "designer/result/_follow.html", context)
    page = render(request, "designer/result/_job.html", context)
    return retarget(page, "#job") if follows else page
