"""Designs, offers and price books side by side, kept under a name."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from designer.api.base import ApiView, HeavyJobView, Pages, body_of, located, owner_of, query_of
from designer.api.entity_tags import changing, removed
from designer.api.errors import invalid, refuse_unknown
from designer.api.negotiation import JSON, JSON_TYPE, file_answer, form_of, units_of
from designer.api.resources.comparisons import schema
from designer.api.resources.comparisons.serializers import (
    ComparisonDetailSerializer,
    ComparisonQuery,
    ComparisonSerializer,
)
from designer.api.serializers import FileQuery, NoQuery, PageQuery, TabFileQuery, TabQuery
from designer.exports.compared_workloads import compared_workloads_download
from designer.exports.comparisons import comparison_download
from designer.exports.downloads import TYPES
from designer.exports.workloads import WORKLOAD_TYPES
from designer.models import Comparison
from designer.services.comparison_sides import resolved_items
from designer.services.comparisons import create_comparison, rebase, refresh, result_of
from designer.services.labels import checked_name
from designer.services.workloads.side_by_side import compared_forms, compared_workloads
from estimator.record import Json

CREATE_KEYS = ("items", "baseline", "name")
CHANGE_KEYS = ("baseline", "name")


class ComparisonsView(HeavyJobView):
    """The caller's comparisons."""

    pagination_class = Pages

    @schema.comparison_list
    def get(self, request: Request) -> Response:
        query_of(request, PageQuery)
        return self.listed(request, comparisons_of(request).defer("specs"), ComparisonSerializer)

    @schema.comparison_create
    def post(self, request: Request) -> Response:
        query_of(request, NoQuery)
        body = body_of(request)
        refuse_unknown(body, CREATE_KEYS)
        sides = resolved_items(owner_of(request), body.get("items"))
        row = create_comparison(owner_of(request), sides, body.get("baseline", 0), _name_of(body))
        return located(_comparison_json(request, row))


class ComparisonView(ApiView):
    """One comparison."""

    @schema.comparison_read
    def get(self, request: Request, pk: UUID) -> Response | HttpResponse:
        asked = query_of(request, ComparisonQuery).get("format")
        form, kind = form_of(request, {JSON: JSON_TYPE, **TYPES}, asked)
        row = get_object_or_404(comparisons_of(request), pk=pk)
        if form == JSON:
            return Response(_comparison_json(request, row), headers={"Vary": "Accept"})
        with units_of(request, form):
            file = comparison_download(form, row.name, result_of(row), row.created_at)
        return file_answer(file.content, kind, file.name)

    @schema.comparison_update
    def patch(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        body = body_of(request)
        refuse_unknown(body, CHANGE_KEYS)
        if not body:
            raise invalid("", "nothing_to_change", "Give a name, a baseline or both.")
        baseline, name = body.get("baseline"), _name_of(body)
        if "baseline" in body and (isinstance(baseline, bool) or not isinstance(baseline, int)):
            raise invalid("baseline", "wrong_type", "The baseline is the position of a side, a whole number from 0.")
        with changing(request, comparisons_of(request), pk, _comparison_json) as row:
            if name is not None:
                row.name = checked_name(name)
            if isinstance(baseline, int):
                rebase(row, baseline)
            row.save(update_fields=["name"])
        return Response(_comparison_json(request, row))

    @schema.comparison_delete
    def delete(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        return removed(request, comparisons_of(request), pk, _comparison_json)


class ComparisonFileView(ApiView):
    """One comparison as a file."""

    @schema.comparison_file
    def get(self, request: Request, pk: UUID) -> HttpResponse:
        form, kind = form_of(request, TYPES, query_of(request, FileQuery).get("format"))
        row = get_object_or_404(comparisons_of(request), pk=pk)
        with units_of(request, form):
            file = comparison_download(form, row.name, result_of(row), row.created_at)
        return file_answer(file.content, kind, file.name)


class WorkloadsView(ApiView):
    """Designs of a comparison by tokens and dollars, as JSON or as a file."""

    @schema.comparison_workloads
    def get(self, request: Request, pk: UUID) -> Response | HttpResponse:
        query = query_of(request, TabQuery)
        form, kind = form_of(request, {JSON: JSON_TYPE, **WORKLOAD_TYPES}, query.get("format"))
        row = get_object_or_404(comparisons_of(request), pk=pk)
        if form == JSON:
            shown = compared_workloads(row, *compared_forms(row, query))
            return Response(shown.as_json(), headers={"Vary": "Accept"})
        return _workloads_file(row, query, form, kind)


class WorkloadsFileView(ApiView):
    """The same as a file."""

    @schema.comparison_workloads_file
    def get(self, request: Request, pk: UUID) -> HttpResponse:
        query = query_of(request, TabFileQuery)
        form, kind = form_of(request, WORKLOAD_TYPES, query.get("format"))
        return _workloads_file(get_object_or_404(comparisons_of(request), pk=pk), query, form, kind)


def _workloads_file(row: Comparison, query: Json, form: str, kind: str) -> HttpResponse:
    shown = compared_workloads(row, *compared_forms(row, query))
    file = compared_workloads_download(form, row.name, shown, row.created_at)
    return file_answer(file.content, kind, file.name)


class RefreshView(HeavyJobView):
    """A comparison made again."""

    @schema.comparison_refresh
    def post(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        with changing(request, comparisons_of(request), pk, _comparison_json) as row:
            refresh(row)
        return Response(_comparison_json(request, row))


def comparisons_of(request: Request) -> QuerySet[Comparison]:
    """The caller's comparisons, newest first."""
    return Comparison.objects.filter(owner_id=request.user.pk)


def _comparison_json(request: Request, row: Comparison) -> Json:
    return ComparisonDetailSerializer(row, context={"request": request}).data


def _name_of(body: Any) -> str | None:
    name = body.get("name")
    if "name" in body and not isinstance(name, str):
        raise invalid("name", "wrong_type", "A name is a text.")
    return name
