"""What a design does with a model: training and serving as the verbs answer; an estimate's workloads tab, as JSON and files."""

from collections.abc import Callable
from typing import Any, cast
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from designer.api.base import ApiView, query_of
from designer.api.bodies import design_id_of
from designer.api.errors import refuse
from designer.api.negotiation import JSON, JSON_TYPE, file_answer, form_of
from designer.api.parsers import BoundedListParser
from designer.api.resources.estimates import finished_result, jobs_of, own_design
from designer.api.schema import workloads as schema
from designer.api.serializers import NoQuery, WorkloadsFileQuery, WorkloadsQuery
from designer.exports.workloads import WORKLOAD_TYPES, workloads_download
from designer.services.workloads.answer import workloads_of
from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import load_catalog
from estimator.jobs.models import EstimateJob
from estimator.record import Given, Json
from estimator.result import PricedEstimate
from estimator.serving_request.answering import served
from estimator.training_request import trained


class WorkloadView(ApiView):
    """One request or a list of them; nothing is stored."""

    stores_nothing = True
    parser_classes = [BoundedListParser]

    def answered(self, request: Request, answer: Callable[[Any, Catalog], Any]) -> Response:
        """The answer of a verb; designs that are named by id are the caller's own."""
        query_of(request, NoQuery)
        body = cast(Any, request.data)
        if isinstance(body, list) and len(body) > schema.MOST_WORKLOADS:
            message = (
                f"{len(body):,} requests were given, and {schema.MOST_WORKLOADS:,} is the most in one call. Split them."
            )
            raise refuse(400, "too_many_requests", message)
        asked = [_with_design(request, one) for one in body] if isinstance(body, list) else _with_design(request, body)
        return Response(answer(asked, load_catalog()))


def _with_design(request: Request, asked: Any) -> Any:
    """A request with the design that it names by id in place of the id."""
    if not isinstance(asked, dict) or not isinstance(asked.get("design"), str):
        return asked
    return {**asked, "design": _given(request, asked)}


def _given(request: Request, asked: Given) -> Given:
    return cast(Given, own_design(request, design_id_of({"design": asked["design"]})).given)


class TrainingView(WorkloadView):
    """Steps of training a model: of one layout, or the best of all."""

    @schema.training
    def post(self, request: Request) -> Response:
        return self.answered(request, trained)


class InferenceView(WorkloadView):
    """Serving a model: of one placement, or the best of all."""

    @schema.inference
    def post(self, request: Request) -> Response:
        return self.answered(request, served)


class EstimateWorkloadsView(ApiView):
    """What the workloads tab shows of a finished estimate, as JSON or as a file."""

    @schema.workloads_read
    def get(self, request: Request, pk: UUID) -> Response | HttpResponse:
        query = query_of(request, WorkloadsQuery)
        form, kind = form_of(request, {JSON: JSON_TYPE, **WORKLOAD_TYPES}, query.get("format"))
        job, estimate = finished_estimate(request, pk)
        if form == JSON:
            return Response(workloads_of(estimate, query).as_json(), headers={"Vary": "Accept"})
        return _file(job, estimate, query, form, kind)


class EstimateWorkloadsFileView(ApiView):
    """What the workloads tab shows of a finished estimate as a file."""

    @schema.workloads_file
    def get(self, request: Request, pk: UUID) -> HttpResponse:
        query = query_of(request, WorkloadsFileQuery)
        form, kind = form_of(request, WORKLOAD_TYPES, query.get("format"))
        return _file(*finished_estimate(request, pk), query, form, kind)


def finished_estimate(request: Request, pk: UUID) -> tuple[EstimateJob, PricedEstimate]:
    """The caller's finished estimate, read; 404 or 409 where there is none."""
    job = get_object_or_404(jobs_of(request), pk=pk)
    return job, PricedEstimate.from_json(finished_result(job))


def _file(job: EstimateJob, estimate: PricedEstimate, query: Json, form: str, kind: str) -> HttpResponse:
    shown = workloads_of(estimate, query)
    file = workloads_download(form, estimate, shown, query["table"], job.finished_at or job.created_at)
    return file_answer(file.content, kind, file.name)
