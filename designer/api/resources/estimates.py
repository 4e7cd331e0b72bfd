"""Estimates over REST: asked for, followed, cancelled; results whole and in parts, as JSON and as files."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from designer.api.base import ApiView, HeavyJobView, Pages, body_of, located, owner_of, query_of
from designer.api.bodies import design_id_of, spec_of
from designer.api.entity_tags import changing
from designer.api.errors import refuse
from designer.api.negotiation import JSON, JSON_TYPE, file_answer, form_of, units_of
from designer.api.schema import estimates as schema
from designer.api.schema.predictions import predictions
from designer.api.serializers import (
    BomQuery,
    EstimateJobDetailSerializer,
    EstimateJobSerializer,
    EstimateQuery,
    EstimateStateSerializer,
    FileQuery,
    NoQuery,
)
from designer.exports.downloads import BOM_FILES, TYPES, Writer
from designer.models import Design, DesignRevision
from designer.services.designs import saving
from designer.services.designs.state import spec_of as spec_of_design
from estimator.catalog.loader import load_catalog
from estimator.design_prediction import predicted
from estimator.jobs.leased import Leased
from estimator.jobs.models import EstimateJob
from estimator.pipeline import estimate
from estimator.record import Given, Json
from estimator.result import PricedEstimate
from estimator.spec.parse import parse_spec

Job = TypeVar("Job", bound=Leased)
ASK_AGAIN_AFTER_S = 1
PREVIEW_PARTS = ("counts", "cables", "bom", "cost", "percentiles", "performance", "changes")


class PreviewView(ApiView):
    """An estimate at once."""

    stores_nothing = True

    @schema.preview
    def post(self, request: Request) -> Response:
        query_of(request, NoQuery)
        catalog = load_catalog()
        result = estimate([parse_spec(body_of(request), catalog)], catalog, parts=PREVIEW_PARTS)[0].as_json()
        result["bom"].pop("lines")
        return Response(result)


class PredictionsView(ApiView):
    """Times of one collective over GPU counts and message sizes, on a system or on a design."""

    stores_nothing = True

    @predictions
    def post(self, request: Request) -> Response:
        query_of(request, NoQuery)
        body = dict(body_of(request))
        if isinstance(body.get("design"), str):
            body["design"] = own_design(request, design_id_of({"design": body["design"]})).given
        return Response(predicted(body, load_catalog()))


# --- Estimates ---------------------------------------------------------------------------------------------------
def jobs_of(request: Request) -> QuerySet[EstimateJob]:
    """The caller's estimates, newest first."""
    return EstimateJob.objects.filter(owner_id=request.user.pk)


def _job_json(request: Request, job: EstimateJob) -> Json:
    return EstimateJobDetailSerializer(job, context={"request": request}).data


class EstimatesView(HeavyJobView):
    """The caller's estimates."""

    pagination_class = Pages

    @schema.estimate_list
    def get(self, request: Request) -> Response:
        query = query_of(request, EstimateQuery)
        wanted = {key: query[key] for key in ("state", "spec_hash") if key in query}
        return self.listed(request, jobs_of(request).filter(**wanted).defer("result"), EstimateJobSerializer)

    @schema.estimate_create
    def post(self, request: Request) -> Response:
        query_of(request, NoQuery)
        catalog = load_catalog()
        body = body_of(request)
        if "design" in body:
            design = own_design(request, design_id_of(body))
            spec = (
                spec_of_design(design) if "revision" not in body else parse_spec(_version(design, body).given, catalog)
            )
        else:
            spec = spec_of(body, catalog)
        job, _ = saving.request_estimate(owner_of(request), spec)
        status = 200 if job.state == EstimateJob.State.SUCCEEDED else 202
        return located(_job_json(request, job), status, when_to_ask(job))


def own_design(request: Request, pk: UUID, key: str = "design") -> Design:
    """The caller's design that a body names at ``key``."""
    design = Design.objects.filter(owner_id=request.user.pk, pk=pk).first()
    if design is None:
        raise refuse(404, "not_found", "You have no design with this id.", key)
    return design


def _version(design: Design, body: Given) -> DesignRevision:
    """The named version of a body."""
    number = body["revision"]
    is_number = isinstance(number, int) and not isinstance(number, bool)
    version = design.revisions.filter(number=number).first() if is_number else None
    if version is None:
        raise refuse(404, "not_found", "This design has no version with this number.", "revision")
    return version


class EstimateView(ApiView):
    """One estimate: how far it is, and its result."""

    @schema.estimate_read
    def get(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        job = get_object_or_404(jobs_of(request), pk=pk)
        return Response(_job_json(request, job), headers=when_to_ask(job))


class EstimateStateView(ApiView):
    """How far an estimate is, in a few bytes."""

    @schema.estimate_state
    def get(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        job = get_object_or_404(jobs_of(request).defer("result", "spec"), pk=pk)
        values = EstimateStateSerializer(job, context={"request": request}).data
        return Response(values, headers=when_to_ask(job))


class EstimateResultView(ApiView):
    """The result of a finished estimate, by itself."""

    @schema.estimate_result
    def get(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        return Response(finished_result(get_object_or_404(jobs_of(request), pk=pk)))


def when_to_ask(job: Leased) -> dict[str, str]:
    """Of a job that is on its way: in how many seconds to ask again."""
    return {"Retry-After": str(ASK_AGAIN_AFTER_S)} if job.is_active else {}


def stopped(request: Request, rows: QuerySet[Job], pk: UUID, shown: Callable[[Request, Job], Any]) -> Response:
    """One job that waited or ran, stopped; ``shown`` is what a GET answers of it.

    Raises
    ------
    Refusal
        409, if it had ended before; and as ``changing``.
    """
    query_of(request, NoQuery)
    with changing(request, rows, pk, shown) as job:
        was_active = job.cancel()
        job.refresh_from_db()
        if not was_active:
            message = f"This {job.THING} is {job.state}; only one that waits or runs can be stopped."
            raise refuse(409, "already_ended", message)
    return Response(shown(request, job))


class CancelView(ApiView):
    """Stop an estimate that waits or runs."""

    @schema.estimate_cancel
    def post(self, request: Request, pk: UUID) -> Response:
        return stopped(request, jobs_of(request), pk, _job_json)


class BomView(ApiView):
    """The bill of materials of a finished estimate, as JSON or as a file."""

    @schema.bom_read
    def get(self, request: Request, pk: UUID) -> Response | HttpResponse:
        return part_answer(request, pk, "bom", BOM_FILES)


class BomFileView(ApiView):
    """The bill of materials of a finished estimate as a file."""

    @schema.bom_file
    def get(self, request: Request, pk: UUID) -> Response | HttpResponse:
        return part_file(request, pk, BOM_FILES)


def part_answer(request: Request, pk: UUID, part: str, files: Mapping[str, Writer]) -> Response | HttpResponse:
    """One part of a finished estimate, as JSON or as the file that query or Accept ask for; ``files`` makes them."""
    asked = query_of(request, BomQuery).get("format")
    form, kind = form_of(request, {JSON: JSON_TYPE, **TYPES}, asked)
    job = get_object_or_404(jobs_of(request), pk=pk)
    result = finished_result(job)
    if form == JSON:
        keys = ("spec_hash", "versions", part)
        values = {"name": result["spec"].get("name", ""), **{key: result[key] for key in keys}}
        return Response(values, headers={"Vary": "Accept"})
    with units_of(request, form):
        file = files[form](PricedEstimate.from_json(result), job.finished_at or job.created_at)
    return file_answer(file.content, kind, file.name)


def part_file(request: Request, pk: UUID, files: Mapping[str, Writer]) -> HttpResponse:
    """One part of a finished estimate as a file."""
    form, kind = form_of(request, TYPES, query_of(request, FileQuery).get("format"))
    job = get_object_or_404(jobs_of(request), pk=pk)
    with units_of(request, form):
        file = files[form](PricedEstimate.from_json(finished_result(job)), job.finished_at or job.created_at)
    return file_answer(file.content, kind, file.name)


def finished_result(job: EstimateJob) -> Json:
    """The job's result, or a 409 that says why there is none (yet)."""
    if job.state == EstimateJob.State.SUCCEEDED and isinstance(job.result, dict):
        return job.result
    if job.is_active:
        message = f"This estimate is {job.state}, at {job.progress:.0%}. Ask again when its state is succeeded."
        raise refuse(409, "not_finished", message)
    raise refuse(409, "no_result", f"This estimate is {job.state} and has no result. Request a new one.")
