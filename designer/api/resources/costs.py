"""Cost of ownership of a finished estimate, as JSON or as a file."""

from uuid import UUID

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from designer.api.base import ApiView
from designer.api.resources.estimates import part_answer, part_file
from designer.api.schema import costs as schema
from designer.exports.downloads import COST_FILES


class CostView(ApiView):
    """The cost part of an estimate."""

    @schema.cost_read
    def get(self, request: Request, pk: UUID) -> Response | HttpResponse:
        return part_answer(request, pk, "cost", COST_FILES)


class CostFileView(ApiView):
    """The cost part of an estimate as a file."""

    @schema.cost_file
    def get(self, request: Request, pk: UUID) -> Response | HttpResponse:
        return part_file(request, pk, COST_FILES)
