"""The picture of a part of a fabric, of a switch or of a server, as a file."""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from designer.fabric_views import fabric_file
from designer.link_lists import is_outdated
from designer.models import Design
from estimator.jobs.models import EstimateJob


@login_required
@require_safe
def estimate_fabric_view(request: HttpRequest, design_id: UUID, job_id: UUID) -> HttpResponse:
    """What the fabric tab shows at the same query, as an SVG that stands alone."""
    get_object_or_404(Design, pk=design_id, owner=request.user)
    job = get_object_or_404(EstimateJob, pk=job_id, owner=request.user)
    if job.state != EstimateJob.State.SUCCEEDED or is_outdated(job):
        raise Http404("This estimate has no picture.")
    name, svg = fabric_file(job, request.GET)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(svg, content_type="image/svg+xml", headers=headers)
