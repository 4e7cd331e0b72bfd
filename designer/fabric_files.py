"""The picture of a part of a fabric, of a switch or of a server, as a file."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from designer.access import design_page
from designer.fabric_views import fabric_file
from designer.job_page import job_or_404
from designer.link_lists import is_outdated
from designer.trays import said_in_markup, word_of
from estimator.jobs.models import EstimateJob


@design_page
@require_safe
def estimate_fabric_view(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """What the fabric tab shows at the same query, as an SVG that stands alone."""
    _, job = job_or_404(request, design_id, job_id)
    if job.state != EstimateJob.State.SUCCEEDED or is_outdated(job):
        raise Http404("This estimate has no picture.")
    name, svg = fabric_file(job, request.GET)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    svg = said_in_markup(svg, word_of(job.spec))
    return HttpResponse(svg, content_type="image/svg+xml", headers=headers)
