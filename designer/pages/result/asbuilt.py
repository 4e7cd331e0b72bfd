"""The page that takes a file of links from the built network and says what differs from the design."""

from typing import NamedTuple
from uuid import UUID

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from designer.pages.limiting import heavy_job
from designer.pages.result.job import result_or_404
from designer.services.access import design_to_own, job_to_see
from designer.services.link_lists import is_outdated, links_of
from designer.services.shown_page import version_asked
from designer.services.uploads import MAX_NAMES_BYTES, bytes_of
from designer.wording.context import Context
from designer.wording.dropped_lines import by_reason
from designer.wording.query import one_of
from estimator.asbuilt.readers.files import AUTO, FORMATS
from estimator.asbuilt.report import compare_links
from estimator.errors import EstimatorError, Problem, SpecError
from estimator.jobs.models import EstimateJob

FORMAT_NAMES = {
    AUTO: "Detected from the content",
    "ibnetdiscover": "ibnetdiscover dump",
    "iblinkinfo": "iblinkinfo report",
    "lldp": "LLDP neighbours",
    "topo": "ibdiagnet topology (.topo)",
    "csv": "Point-to-point sheet, CSV",
    "xlsx": "Point-to-point sheet, XLSX",
    "netbox": "NetBox cables, CSV",
}


class _List(NamedTuple):
    """One list of differences: what it is called, and what an entry means."""

    key: str
    title: str
    meaning: str


LISTS = (
    _List("swapped", "Swapped", "Far ends exchanged between cables"),
    _List("missing", "Missing", "In the design, not in the file"),
    _List("doubled", "Doubled", "Listed twice, or two cables on one port"),
    _List("wrong_port", "Wrong port", "Right devices, another port"),
    _List("moved", "Wrong device", "One end is right, the other is elsewhere"),
    _List("extra", "Extra", "In the file, not in the design"),
    _List("speed_mismatch", "Wrong speed", "Runs at another rate than designed"),
)
SHOWN = 50


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@heavy_job
def links_compare(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """Request a file; with one, compare it with a fabric of the estimate."""
    design = design_to_own(request, design_id)
    job = job_to_see(request, design, job_id)
    roles = list(result_or_404(job)["fabrics"])
    query = request.POST if request.method == "POST" else request.GET
    role, form = one_of(query.get("fabric"), roles), one_of(query.get("format"), (AUTO, *FORMATS))
    context: Context = {
        "design": design,
        "job": job,
        "roles": roles,
        "role": role,
        "formats": FORMAT_NAMES,
        "format": form,
        "is_outdated": is_outdated(job),
        "max_bytes": settings.MAX_LINK_FILE_BYTES,
    }
    context |= version_asked(request, design)
    status = 200
    if request.method == "POST":
        try:
            context |= _compared(request, job, role, form)
        except EstimatorError as error:
            context |= {"problems": error.problems}
            status = 422
    return render(request, "designer/result/asbuilt/compare.html", context, status=status)


def _compared(request: HttpRequest, job: EstimateJob, role: str, form: str) -> Context:
    upload = request.FILES.get("file")
    if upload is None:
        raise SpecError([Problem("file", "required", "Choose a file first.")])
    names = bytes_of(request.FILES.get("names"), "names", MAX_NAMES_BYTES)
    links = links_of(job, role)
    report = compare_links(links, upload, form, names, settings.MAX_LINK_FILE_BYTES)
    lists = [
        {
            "key": item.key,
            "title": item.title,
            "meaning": item.meaning,
            "total": report.totals[item.key],
            "entries": getattr(report, item.key)[:SHOWN],
            "hidden": max(report.totals[item.key] - SHOWN, 0),
        }
        for item in LISTS
    ]
    return {
        "report": report,
        "file_name": upload.name,
        "lists": lists,
        "is_same": not any(report.totals[item.key] for item in LISTS),
        "format_name": FORMAT_NAMES[report.format],
        "dropped": by_reason(report.read.dropped, report.read.dropped_by_reason),
        "n_devices": len(links.table.devices),
    }
