"""Port-to-port lists of a finished estimate, streamed: what a cabling crew and the fabric's tools read."""

from itertools import chain
from uuid import UUID

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from designer.api.base import ApiView, Pages, query_of
from designer.api.entity_tags import names
from designer.api.errors import invalid, refuse
from designer.api.negotiation import form_of
from designer.api.resources.estimates import finished_result, jobs_of
from designer.api.schema import links as schema
from designer.api.serializers import FabricQuery, LinksQuery, PageQuery
from designer.exports.links import content_type, in_pieces, link_file_name
from designer.pages.result.cabling.tab import cabling_rows
from designer.pages.result.racks import floor_of
from designer.services.link_lists import entity_tag, links_of
from estimator.cabling.result import SizedNetwork
from estimator.handoff.formats import FORMATS
from estimator.jobs.models import EstimateJob


def finished_fabric(request: Request, pk: UUID, role: str) -> tuple[EstimateJob, SizedNetwork]:
    """The caller's finished estimate, and one fabric of it; 404, 409 or 400 where there is none."""
    job = get_object_or_404(jobs_of(request), pk=pk)
    fabrics = finished_result(job)["fabrics"]
    if role not in fabrics:
        message = f"This estimate has no fabric {role!r}. It has: {', '.join(fabrics)}."
        raise invalid("fabric", "invalid_choice", message)
    return job, SizedNetwork.from_json(fabrics[role])


class LinksView(ApiView):
    """Every link of one fabric, in the form requested."""

    @schema.links_read
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        query = query_of(request, LinksQuery)
        types = {key: content_type(form) for key, form in FORMATS.items()}
        name, kind = form_of(request, {"csv": types["csv"]} | types, query.get("format"))
        role = query["fabric"]
        job, _ = finished_fabric(request, pk, role)
        phase = query.get("phase")
        tag = entity_tag(job, "links", role, name, str(phase or ""))
        if names(request.headers.get("If-None-Match", ""), tag):
            return HttpResponse(status=304, headers={"ETag": tag})
        headers = {
            "ETag": tag,
            "Cache-Control": "private, no-cache",
            "Vary": "Accept",
            "Content-Disposition": f'attachment; filename="{link_file_name(job.name, job.spec_hash, role, name, phase)}"',
        }
        if request.method == "HEAD":
            return HttpResponse(content_type=kind, headers=headers)
        pieces = in_pieces(FORMATS[name].write(links_of(job, role, phase)))
        first = next(pieces, b"")  # what cannot be written is refused before the answer has begun
        return StreamingHttpResponse(chain([first], pieces), content_type=kind, headers=headers)


class CablingView(ApiView):
    """What one fabric is cabled with, a row for each tier, medium, length and part."""

    @schema.cabling_read
    def get(self, request: Request, pk: UUID) -> Response:
        role = query_of(request, FabricQuery)["fabric"]
        job, network = finished_fabric(request, pk, role)
        rows = [row.as_json() for row in cabling_rows(network)]
        return Response({"spec_hash": job.spec_hash, "fabric": role, "rows": rows})


class RacksView(ApiView):
    """The racks of the floor plan, with what stands in them."""

    pagination_class = Pages

    @schema.racks_read
    def get(self, request: Request, pk: UUID) -> Response:
        query_of(request, PageQuery)
        job = get_object_or_404(jobs_of(request), pk=pk)
        finished_result(job)
        plan = floor_of(job)
        if plan is None:
            raise refuse(409, "no_floor_plan", "This design has no floor plan. Give site.plan; {} takes every default.")
        pages = Pages()
        numbers = pages.paginate_queryset(range(plan.n_racks), request, self)
        rows = [
            rack.as_json() | {"devices": [device.as_json() for device in plan.devices_in(rack.number - 1)]}
            for rack in plan.racks(numbers or ())
        ]
        answer = pages.get_paginated_response(rows)
        answer.data |= {"spec_hash": job.spec_hash, "floor": plan.answer().as_json()}
        return answer
