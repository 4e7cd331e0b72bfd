"""The phases of a finished estimate: as JSON, as files, and every cable that one of them touches."""

from itertools import chain
from uuid import UUID

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from designer.api.base import ApiView, query_of
from designer.api.errors import refuse
from designer.api.negotiation import JSON, JSON_TYPE, file_answer, form_of
from designer.api.resources.estimates import finished_result, jobs_of
from designer.api.schema import costs as schema
from designer.api.serializers import NoQuery, PhasesQuery
from designer.exports.downloads import CSV_TYPE, PHASE_FILES, TYPES
from designer.exports.file_names import design_file_stem
from designer.services.link_lists import phase_cables_of
from estimator.result import PricedEstimate


class PhasesView(ApiView):
    """What each phase of a design buys, costs, rewires and leaves unused."""

    @schema.phases_read
    def get(self, request: Request, pk: UUID) -> Response | HttpResponse:
        asked = query_of(request, PhasesQuery).get("format")
        form, kind = form_of(request, {JSON: JSON_TYPE, **{key: TYPES[key] for key in PHASE_FILES}}, asked)
        job = get_object_or_404(jobs_of(request), pk=pk)
        made = PricedEstimate.from_json(finished_result(job))
        if made.phases is None:
            raise refuse(
                409, "no_phases", "This estimate has no phases. Give its design phases, two to five, and estimate it."
            )
        if form == JSON:
            values = {"versions": made.versions.as_json(), "phases": made.phases.as_json()}
            return Response({"name": made.spec.name, "spec_hash": made.spec_hash, **values}, headers={"Vary": "Accept"})
        file = PHASE_FILES[form](made, job.finished_at or job.created_at)
        return file_answer(file.content, kind, file.name)


class PhaseCablesView(ApiView):
    """Every cable that a phase lays, moves or takes out, with its labels."""

    @schema.phase_cables
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        query_of(request, NoQuery)
        job = get_object_or_404(jobs_of(request), pk=pk)
        finished_result(job)
        pieces = phase_cables_of(job)
        first = next(pieces, b"")  # what cannot be written is refused before the answer has begun
        name = f"{design_file_stem(job.name, job.spec_hash, 'phase-cables')}.csv"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return StreamingHttpResponse(chain([first], pieces), content_type=CSV_TYPE, headers=headers)
