"""Cost of ownership of a finished estimate, as JSON or as a file."""

from uuid import UUID

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from designer.api import schema
from designer.api.base import ApiView
from designer.api.views import part_answer
from designer.exports.downloads import COST_FILES


class CostView(ApiView):
    """The cost part of an estimate."""

    @schema.cost_read
    def get(self, request: Request, pk: UUID) -> Response | HttpResponse:
        return part_answer(request, pk, "cost", COST_FILES)
