"""What a step more would bring a finished estimate's design."""

from uuid import UUID

from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from designer.api.base import ApiView, query_of
from designer.api.resources.estimates import finished_result, jobs_of
from designer.api.schema import costs as schema
from designer.api.serializers import NoQuery
from designer.pages.result.performance import sensitivity_of


class SensitivityView(ApiView):
    """One more uplink, rail, generation or plane: its price and its effect."""

    @schema.sensitivity_read
    def get(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        job = get_object_or_404(jobs_of(request), pk=pk)
        finished_result(job)
        return Response({"spec_hash": job.spec_hash, **sensitivity_of(job).as_json()})
