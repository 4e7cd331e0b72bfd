"""Cost of ownership of a finished estimate, as JSON or as a file."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from designer.api import schema
from designer.api.base import ApiView, query_of
from designer.api.serializers import BomQuery
from designer.api.views import finished_result, jobs_of
from designer.exports.downloads import COST_FILES


class CostView(ApiView):
    """The cost part of an estimate."""

    @schema.cost_read
    def get(self, request: Request, pk: UUID) -> Response | HttpResponse:
        form = query_of(request, BomQuery)["format"]
        job = get_object_or_404(jobs_of(request), pk=pk)
        result = finished_result(job)
        if form == "json":
            keys = ("spec_hash", "versions", "cost")
            return Response({"name": result["spec"].get("name", ""), **{key: result[key] for key in keys}})
        file = COST_FILES[form](result, job.finished_at or job.created_at)
        disposition = f'attachment; filename="{file.name}"'
        return HttpResponse(file.content, content_type=file.content_type, headers={"Content-Disposition": disposition})
