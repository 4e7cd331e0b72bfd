"""HTML pages, one short view each. Rules are spec.py's, numbers the pipeline's, writes services.py's."""

from collections.abc import Iterable
from typing import Any, cast
from urllib.parse import urlsplit
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect, HttpResponseStopPolling, push_url, retarget

from designer import samples
from designer.bom_table import sorted_bom
from designer.charts import headline
from designer.design_list import design_rows, sorted_rows
from designer.diagrams import fabric_svg
from designer.differences import proposal
from designer.findings_tab import change_of, worst_first
from designer.forms import DesignForm, problems_for_page
from designer.link_lists import is_outdated
from designer.models import Design
from designer.published_page import published_sample
from designer.racks_tab import racks_picture
from designer.revising import revise, tab_page
from designer.services import cancel_estimate, request_estimate, save_design
from designer.spec_keys import answered_texts, field_name
from designer.tabs import result_context, tab_of
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError, Problem, SpecError
from estimator.jobs.models import EstimateJob
from estimator.pipeline import estimate
from estimator.spec import DesignSpec, parse_spec, spec_hash
from estimator.version import MODEL_VERSION
from estimator.workload_samples import workloads

FAST_POLL_AGE_S = 2
REVISIONS_SHOWN = 12
LIVE_PARTS = (
    "counts",
    "cables",
    "bom",
    "cost",
    "performance",
    "failures",
)  # growth would size three designs at each key
NEW_DESIGN = {
    "name": "Untitled design",
    "compute": {"server": "dgx-h100", "gpus": 1024},
    "fabric": {"generation": "ndr"},
}


def _owner(request: HttpRequest) -> User:
    return cast("User", request.user)  # the pages below ask for a sign-in first


@login_required
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The list of designs; before there is an own one, a finished sample."""
    if samples.is_first_visit(_owner(request)):
        return redirect("design", samples.add_samples(_owner(request))[0].pk)
    return redirect("designs")


@login_required
@require_safe
def designs(request: HttpRequest) -> HttpResponse:
    """Every design of the owner with its main figures, and samples to start from."""
    table = sorted_rows(design_rows(_owner(request)), request.GET.get("sort"))
    return render(request, "designer/designs.html", {"section": "designs", "table": table, "samples": samples.SAMPLES})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def design_new(request: HttpRequest) -> HttpResponse:
    """An unsaved design: blank, or that of a sample, of a published source or of a workload."""
    if request.method == "POST":
        return _estimate(request, None)
    sample = _asked_sample(request.GET)
    values = sample.values if sample else NEW_DESIGN
    spec = parse_spec(values, load_catalog())
    form = DesignForm(values=values, resolved=spec.as_json(), owner=_owner(request))
    return render(request, "designer/design.html", {"section": "new", "sample": sample} | _page(form, spec))


def _asked_sample(query: QueryDict) -> samples.Sample | None:
    """The sample, published design or cluster of a workload that the address names."""
    if work := workloads().get(query.get("workload", "")):
        return samples.Sample(work.id, "", work.teaches, work.source, work.inputs | {"name": work.name})
    return samples.BY_KEY.get(query.get("sample", "")) or published_sample(query.get("published", ""))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def design(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """A saved design: its form, its preview and its estimate."""
    row = get_object_or_404(Design, pk=design_id, owner=_owner(request))
    if request.method == "POST":
        return _estimate(request, row)
    revision = row.latest
    job = _job_of(row, revision.spec_hash)
    has_failed = job is not None and job.state == EstimateJob.State.FAILED
    form = DesignForm(values=revision.given, resolved=revision.spec, owner=_owner(request))
    try:
        spec: DesignSpec | None = parse_spec(revision.given, load_catalog())
    except SpecError:  # saved before the catalog changed
        spec = None
    if spec is None or has_failed:  # what was given stays, with what is wrong beside it
        form = DesignForm(form.typed(), resolved=revision.spec, owner=_owner(request))
        form.full_clean()
    if job is not None and has_failed:
        form.add_problems(_problems_of(job))
    page = _page(form, spec, row, _present_result(job, spec))
    return render(request, "designer/design.html", page | _job_context(request, row, job))


def _present_result(job: EstimateJob | None, spec: DesignSpec | None) -> dict[str, Any] | None:
    """The job's result where it is what an estimate would say now: of the same spec, by the same model and catalog."""
    if job is None or spec is None or job.state != EstimateJob.State.SUCCEEDED:
        return None
    wanted = (spec_hash(spec), MODEL_VERSION, load_catalog().version)
    is_present = (job.spec_hash, job.model_version, job.catalog_version) == wanted
    return dict(job.result) if is_present and job.result else None


def _job_of(row: Design, digest: str) -> EstimateJob | None:
    return EstimateJob.objects.filter(owner=row.owner, spec_hash=digest).order_by("-created_at").first()


def _problems_of(job: EstimateJob) -> list[Problem]:
    return [Problem(**problem) for problem in (job.error or {}).get("problems", [])]


def _page(
    form: DesignForm, spec: DesignSpec | None, row: Design | None = None, known: dict[str, Any] | None = None
) -> dict[str, Any]:
    figures = _preview(form, spec, known)
    form.show_computed(figures.get("computed", {}))
    revisions = list(row.revisions.order_by("-number")[:REVISIONS_SHOWN]) if row else []
    return {
        "form": form,
        "design": row,
        "revision": revisions[0] if revisions else None,
        "revisions": revisions,
    } | figures


def _preview(form: DesignForm, spec: DesignSpec | None, known: dict[str, Any] | None = None) -> dict[str, Any]:
    """Figures of a spec at once, with nothing stored; or the problems that stand in the way. ``known``: its estimate."""
    problems = [Problem(field_name(name) if name != "__all__" else "", error.code or "", str(error.message),
                        form.changes.get(str(error.message)))
                for name, errors in form.errors.as_data().items() for error in errors]  # fmt: skip
    if spec is None:
        return {"problems": _told(problems)}
    try:
        result = known or estimate([spec], load_catalog(), parts=LIVE_PARTS)[0].as_json()
    except EstimatorError as error:
        return {"problems": _told(problems or error.problems, spec.as_json()["other_fabrics"])}
    return {
        "estimate": result,
        "compute": result["fabrics"]["compute"],
        "findings": worst_first(result["findings"]),
        "busbw": headline(result.get("performance")),
        "diagram": fabric_svg(result),
        "spec_hash": spec_hash(spec),
        "computed": answered_texts(result, load_catalog()),
    }


def _told(problems: Iterable[Problem], entries: Any = None) -> list[dict[str, Any]]:
    """Problems with the field of each, and with the change that would end it where the form can make it."""
    found = list(problems)
    rows = problems_for_page(found, entries)
    return [row | {"proposal": proposal(one.change, load_catalog())} for row, one in zip(rows, found, strict=True)]


@login_required
@require_POST
def preview(request: HttpRequest) -> HttpResponse:
    """What the form says now, at once; nothing is stored."""
    form = DesignForm(request.POST, owner=_owner(request))
    form.is_valid()
    context = _preview(form, form.spec) | {"estimated_hash": request.POST.get("estimated_hash"), "is_live": True}
    if "problems" in context:
        return _problems(request, context)
    return render(request, "designer/_preview.html", context)


def _problems(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """Problems alone: the last figures stay where they are, dimmed, so that the page does not jump while one types."""
    return retarget(render(request, "designer/_problems.html", context | {"is_live": True}), "#preview-problems")


def _estimate(request: HttpRequest, row: Design | None) -> HttpResponse:
    """Save what was typed, ask for its estimate and show the job."""
    form = DesignForm(request.POST, owner=_owner(request))
    job = None
    if form.is_valid() and form.spec is not None:
        try:
            estimate(
                [form.spec], load_catalog(), parts=("counts",)
            )  # what cannot be built is refused before it is saved
            with transaction.atomic():  # a job that may not be queued saves no design either
                saved = save_design(_owner(request), form.spec, row)
                job, _ = request_estimate(_owner(request), form.spec)
        except EstimatorError as error:
            form.add_problems(error.problems)
    if job is None:
        return _refused(request, form, row)
    address = redirect("design", saved.pk)
    if not request.htmx:  # type: ignore[attr-defined]
        return address
    if row is None:
        return HttpResponseClientRedirect(address.url)
    revisions = list(saved.revisions.order_by("-number")[:REVISIONS_SHOWN])
    context = _job_context(request, saved, job)
    context |= {"design": saved, "revision": revisions[0], "revisions": revisions, "is_live": True}
    return render(request, "designer/_job.html", context)


def _refused(request: HttpRequest, form: DesignForm, row: Design | None) -> HttpResponse:
    context = _page(form, None, row)
    if request.htmx:  # type: ignore[attr-defined]
        return _problems(request, context)
    return render(request, "designer/design.html", context, status=422)


def _result_query(request: HttpRequest) -> QueryDict:
    """What is asked of the result; by a script on the page, that of the page's address, so that its tab stays open."""
    details = getattr(request, "htmx", None)
    if details and "tab" not in request.GET and details.current_url:
        return QueryDict(urlsplit(details.current_url).query)
    return request.GET


def _job_context(request: HttpRequest, row: Design, job: EstimateJob | None) -> dict[str, Any]:
    """All that the result part of the page shows of one job."""
    if job is None:
        return {"job": None}
    query = _result_query(request)
    context: dict[str, Any] = {"job": job, "design": row, "estimated_hash": job.spec_hash, "tab": tab_of(query)}
    if job.is_active:
        age = timezone.now() - job.created_at
        context["poll"] = "load delay:200ms" if age.total_seconds() < FAST_POLL_AGE_S else "every 1s"
    if job.state == EstimateJob.State.FAILED:
        context["job_problems"] = _told(_problems_of(job))
    if job.state == EstimateJob.State.SUCCEEDED:
        context |= result_context(job, row.pk, query)
    return context


@login_required
@require_POST
def design_apply(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """Save the design with the change that one finding proposes, and ask for its estimate."""
    row, job = _job_or_404(request, design_id, job_id)
    revision = row.latest
    change = change_of(job.result or {}, request.POST.get("finding", ""))
    if change is None:
        raise Http404("This estimate has no such finding, or it proposes no change.")
    if revision.spec_hash != job.spec_hash:
        messages.error(request, "The design has changed since this estimate, so its findings may no longer hold.")
        return redirect(tab_page(row, "findings"))
    return revise(request, row, revision.given, change, "findings")


@login_required
@require_POST
def floor_plan(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """Ask for a floor plan by the catalog's figures, where the design asks for none."""
    row = get_object_or_404(Design, pk=design_id, owner=_owner(request))
    return revise(request, row, row.latest.given, {"site.plan": {}}, "racks")


@login_required
@require_POST
def revision_restore(request: HttpRequest, design_id: UUID, number: int) -> HttpResponse:
    """Make an earlier revision the newest one again; the revisions between stay."""
    row = get_object_or_404(Design, pk=design_id, owner=_owner(request))
    revision = get_object_or_404(row.revisions, number=number)
    came_from = QueryDict(urlsplit(request.headers.get("Referer", "")).query)
    return revise(request, row, revision.given, {}, tab_of(came_from))


def _job_or_404(request: HttpRequest, design_id: UUID, job_id: UUID) -> tuple[Design, EstimateJob]:
    row = get_object_or_404(Design, pk=design_id, owner=_owner(request))
    return row, get_object_or_404(EstimateJob, pk=job_id, owner=_owner(request))


@login_required
@require_safe
def estimate_status(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """The job's part of the page, for polling; its last answer stops the polling."""
    row, job = _job_or_404(request, design_id, job_id)
    page = render(request, "designer/_job.html", _job_context(request, row, job) | {"is_live": True})
    if not job.is_active:
        page.status_code = HttpResponseStopPolling.status_code
    return page


@login_required
@require_POST
def estimate_cancel(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """Stop a waiting or running job."""
    row, job = _job_or_404(request, design_id, job_id)
    cancel_estimate(job)
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "designer/_job.html", _job_context(request, row, job) | {"is_live": True})
    return redirect("design", row.pk)


@login_required
@require_safe
def estimate_tab(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """One tab of a finished estimate, for the page that has the others' links already."""
    row, job = _job_or_404(request, design_id, job_id)
    if job.state != EstimateJob.State.SUCCEEDED:
        raise Http404("This estimate has no result.")
    page = f"{reverse('design', args=[row.pk])}?{request.GET.urlencode()}"
    return push_url(render(request, "designer/_tabs.html", _job_context(request, row, job)), page)


@login_required
@require_safe
def estimate_bom(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """The bill of materials alone, in the order asked for."""
    row, job = _job_or_404(request, design_id, job_id)
    result = job.result or {}
    bom = sorted_bom(result.get("bom"), request.GET.get("sort"))
    context = {"job": job, "design": row, "bom": bom, "price_book": result.get("cost", {}).get("price_book")}
    return render(request, "designer/_bom.html", context)


@login_required
@require_safe
def estimate_diagram(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """The fabric diagram as a file."""
    _, job = _job_or_404(request, design_id, job_id)
    if job.result is None:
        raise Http404("This estimate has no result.")
    svg = fabric_svg(job.result)
    return HttpResponse(
        svg, content_type="image/svg+xml", headers={"Content-Disposition": 'attachment; filename="fabric.svg"'}
    )


@login_required
@require_safe
def estimate_racks(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """Some racks from the front, as a file."""
    _, job = _job_or_404(request, design_id, job_id)
    if job.state != EstimateJob.State.SUCCEEDED or is_outdated(job):
        raise Http404("This estimate has no racks.")
    svg = racks_picture(job, request.GET.get("page"))
    if svg is None:
        raise Http404("This design asks for no floor plan.")
    return HttpResponse(
        svg, content_type="image/svg+xml", headers={"Content-Disposition": 'attachment; filename="racks.svg"'}
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def design_delete(request: HttpRequest, design_id: UUID) -> HttpResponse:
    """Ask once, then delete a design with its revisions."""
    row = get_object_or_404(Design, pk=design_id, owner=_owner(request))
    if request.method != "POST":
        return render(request, "designer/design_delete.html", {"section": "designs", "design": row})
    row.delete()
    messages.success(request, f"“{row.name}” was deleted.")
    return redirect("designs")
