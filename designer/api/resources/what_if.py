"""What a finished estimate would cost with other economics. Nothing is stored."""

from uuid import UUID

from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from designer.api.base import ApiView, body_of, query_of
from designer.api.resources.estimates import finished_result, jobs_of
from designer.api.schema import costs as schema
from designer.api.serializers import NoQuery
from designer.services.designs.what_if import economics_change, kept_cost, what_if
from estimator.cost.result import Cost


class WhatIfView(ApiView):
    """The cost part with some keys of ``economics`` changed."""

    stores_nothing = True

    @schema.what_if
    def post(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        job = get_object_or_404(jobs_of(request).defer("result"), pk=pk)
        cost = kept_cost(job)
        if cost is None:  # refuses, and says why
            cost = Cost.from_json(finished_result(job)["cost"])
        found = what_if(job, cost, economics_change(body_of(request)))
        change = {name: more and more.as_json() for name, more in found.change.items()}
        return Response({"spec_hash": job.spec_hash, "cost": found.cost.as_json(), "change": change})
