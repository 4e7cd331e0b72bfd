"""Layouts put on a design's nodes: figures of the placement, and the files that launch it."""

from uuid import UUID

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from designer.api.base import ApiView, body_of, query_of
from designer.api.bodies import design_id_of
from designer.api.negotiation import file_answer, form_of
from designer.api.resources.estimates import own_design
from designer.api.resources.workloads import finished_estimate
from designer.api.schema import placements as schema
from designer.api.serializers import EstimatePlacementQuery, NoQuery, PlacementQuery
from designer.exports.placements import PLACEMENT_TYPES, placement_download
from designer.services.workloads.placing import chosen_job
from estimator.catalog.loader import load_catalog
from estimator.errors import Problem, SpecError
from estimator.handoff.launch.job import Job
from estimator.handoff.launch.making import placed_job
from estimator.handoff.launch.summary import summary_of
from estimator.spec.parse import parse_spec

DESIGN = "design"


class PlacementsView(ApiView):
    """A layout on a design, in figures."""

    stores_nothing = True

    @schema.placement_create
    def post(self, request: Request) -> Response:
        query_of(request, NoQuery)
        return Response(summary_of(_placed(request)).as_json())


class PlacementFileView(ApiView):
    """A layout on a design, as a file that launches it."""

    stores_nothing = True

    @schema.placement_file
    def post(self, request: Request) -> HttpResponse:
        form, kind = form_of(request, PLACEMENT_TYPES, query_of(request, PlacementQuery).get("format"))
        return _file(_placed(request), form, kind)


class EstimatePlacementView(ApiView):
    """A layout that the workloads tab of an estimate has found, as a file that launches it."""

    @schema.estimate_placement
    def get(self, request: Request, pk: UUID) -> HttpResponse:
        query = query_of(request, EstimatePlacementQuery)
        form, kind = form_of(request, PLACEMENT_TYPES, query.get("format"))
        job, estimate = finished_estimate(request, pk)
        return _file(chosen_job(job, estimate, query), form, kind)


def _placed(request: Request) -> Job:
    """The job of a body: a design, a request or the id of a saved one, and the layout's keys beside it."""
    body = dict(body_of(request))
    if DESIGN not in body:
        message = "A placement is on a design: give design, a request or the id of a saved one."
        raise SpecError([Problem(DESIGN, "missing", message)])
    given = body.pop(DESIGN)
    if isinstance(given, str):
        given = own_design(request, design_id_of({DESIGN: given})).given
    catalog = load_catalog()
    return placed_job(parse_spec(given, catalog), body, catalog)


def _file(job: Job, form: str, kind: str) -> HttpResponse:
    file = placement_download(job, form)
    return file_answer(file.content, kind if kind != PLACEMENT_TYPES[form] else file.content_type, file.name)
