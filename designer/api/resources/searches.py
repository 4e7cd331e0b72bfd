"""Searches and sweeps at once, as the verbs ``search`` and ``sweep`` answer, and larger searches that workers do."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from designer.api.base import ApiView, HeavyJobView, Pages, body_of, located, owner_of, query_of
from designer.api.bodies import design_id_of
from designer.api.resources.estimates import own_design, stopped, when_to_ask
from designer.api.schema import searches as schema
from designer.api.serializers import NoQuery, PageQuery, SearchJobDetailSerializer, SearchJobSerializer
from designer.services.searches.jobs import request_search
from estimator.catalog.loader import load_catalog
from estimator.jobs.models import SearchJob
from estimator.jobs.tasks import VERBS
from estimator.pipeline import estimate
from estimator.record import Json
from estimator.search.request import AT_ONCE
from estimator.search.search import search
from estimator.search.sweep import sweep


def _asked(request: Request) -> Json:
    """The request of a body, with a saved design in the place of its id."""
    body = dict(body_of(request))
    if isinstance(body.get("base"), str):
        body["base"] = own_design(request, design_id_of({"design": body["base"]}, "base"), "base").given
    return body


class FindingView(ApiView):
    """A request whose base may be a saved design; nothing is stored."""

    stores_nothing = True

    def answered(self, request: Request, answer: Callable[..., Any]) -> Response:
        """The answer of a verb."""
        query_of(request, NoQuery)
        return Response(answer(_asked(request), load_catalog(), estimate, AT_ONCE, VERBS).as_json())


class SearchesView(FindingView):
    """The best designs for a requirement."""

    @schema.searches
    def post(self, request: Request) -> Response:
        return self.answered(request, search)


class SweepsView(FindingView):
    """Figures of a design over values of its fields."""

    @schema.sweeps
    def post(self, request: Request) -> Response:
        return self.answered(request, sweep)


# --- Searches that workers do ------------------------------------------------------------------------------------
def _jobs_of(request: Request) -> QuerySet[SearchJob]:
    """The caller's searches, newest first."""
    return SearchJob.objects.filter(owner_id=request.user.pk)


def _job_json(request: Request, job: SearchJob) -> Json:
    return SearchJobDetailSerializer(job, context={"request": request}).data


class SearchJobsView(HeavyJobView):
    """The caller's searches that workers do."""

    pagination_class = Pages

    @schema.search_job_list
    def get(self, request: Request) -> Response:
        query_of(request, PageQuery)
        return self.listed(request, _jobs_of(request).defer("result", "request"), SearchJobSerializer)

    @schema.search_job_create
    def post(self, request: Request) -> Response:
        query_of(request, NoQuery)
        job = request_search(owner_of(request), _asked(request), None)
        return located(_job_json(request, job), 202, when_to_ask(job))


class SearchJobView(ApiView):
    """One search: how far it is, and what it found."""

    @schema.search_job_read
    def get(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        job = get_object_or_404(_jobs_of(request), pk=pk)
        return Response(_job_json(request, job), headers=when_to_ask(job))


class SearchJobCancelView(ApiView):
    """Stop a search that waits or runs."""

    @schema.search_job_cancel
    def post(self, request: Request, pk: UUID) -> Response:
        return stopped(request, _jobs_of(request), pk, _job_json)
