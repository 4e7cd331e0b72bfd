"""An estimate's part of a design's page: its state, its tabs, its pictures as files."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseStopPolling, push_url

from designer.drawings.overview import fabric_svg
from designer.exports.file_names import design_file_stem
from designer.pages.result.bill import sorted_bom
from designer.pages.result.fabric import fabric_file, found_query
from designer.pages.result.job import job_context, job_or_404, job_part, result_or_404
from designer.pages.result.racks import racks_picture
from designer.pages.sending import attachment, sends_files
from designer.services.access import design_page, design_to_change
from designer.services.designs.results import result_of
from designer.services.designs.saving import cancel_estimate
from designer.services.link_lists import is_outdated
from designer.services.shown_page import shown_page, version_asked
from designer.wording.cost import bill_beside_likely
from designer.wording.trays import said_in_markup, word_of
from estimator.jobs.models import EstimateJob

SVG_TYPE = "image/svg+xml"


@design_page
@require_safe
def estimate_status(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """The job's part of the page, for polling; its last answer stops the polling."""
    row, job = job_or_404(request, design_id, job_id)
    page = job_part(request, row, job)
    if not job.is_active:
        page.status_code = HttpResponseStopPolling.status_code
    return page


@design_page
@require_POST
def estimate_cancel(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """Stop a waiting or running job."""
    design_to_change(request, design_id)
    row, job = job_or_404(request, design_id, job_id)
    cancel_estimate(job)
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "designer/result/_job.html", job_context(request, row, job) | {"is_live": True})
    return redirect("design", row.pk)


@design_page
@require_safe
def estimate_tab(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """One tab of a finished estimate, for the page that has the others' links already."""
    row, job = job_or_404(request, design_id, job_id)
    result_or_404(job)
    of_version = version_asked(request, row)
    page = shown_page({"design": row} | of_version)
    context = job_context(request, row, job, page.version) | of_version
    query = urlencode(found_query(context) or {}) or request.GET.urlencode()
    return push_url(render(request, "designer/result/_tabs.html", context), f"{page.address}?{query}")


@design_page
@require_safe
def estimate_bom(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """The bill of materials alone, in the order requested."""
    row, job = job_or_404(request, design_id, job_id)
    made = result_of(job)
    if made is None:
        raise Http404("This estimate has no result.")
    bom = sorted_bom(made.bom, request.GET.get("sort"))
    context = {"job": job, "design": row, "bom": bom, "price_book": made.cost.price_book}
    context |= {"beside": bill_beside_likely(made)} | version_asked(request, row)
    return render(request, "designer/result/overview/_bom.html", context)


@design_page
@require_safe
@sends_files
def estimate_diagram(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """The fabric diagram as a file."""
    _, job = job_or_404(request, design_id, job_id)
    made = result_of(job)
    if made is None:
        raise Http404("This estimate has no result.")
    svg = said_in_markup(fabric_svg(made), _word(job))
    return _picture_file(job, svg, "fabric")


@design_page
@require_safe
@sends_files
def estimate_racks(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """Some racks from the front, as a file."""
    _, job = job_or_404(request, design_id, job_id)
    if job.state != EstimateJob.State.SUCCEEDED or is_outdated(job):
        raise Http404("This estimate has no racks.")
    svg = racks_picture(job, request.GET.get("page"))
    if svg is None:
        raise Http404("This design has no floor plan.")
    page = request.GET.get("page", "1")
    return _picture_file(job, said_in_markup(svg, _word(job)), f"racks-{page}" if page != "1" else "racks")


def _word(job: EstimateJob) -> str:
    """What one server of the job's design is called."""
    return word_of(job.server)


def _picture_file(job: EstimateJob, svg: str, what: str) -> HttpResponse:
    """A picture of an estimate to save."""
    name = f"{design_file_stem(job.name, job.spec_hash, what)}.svg"
    return attachment(svg, SVG_TYPE, name)


@design_page
@require_safe
def estimate_fabric_view(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """What the fabric tab shows at the same query, as an SVG that stands alone."""
    _, job = job_or_404(request, design_id, job_id)
    made = result_of(job)
    if made is None or is_outdated(job):
        raise Http404("This estimate has no picture.")
    name, svg = fabric_file(job, made, request.GET)
    return attachment(said_in_markup(svg, _word(job)), SVG_TYPE, name)
