"""Own parts of a team."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from designer.api.base import ApiView, Pages, body_of, located, owner_of, query_of
from designer.api.entity_tags import changing, removed
from designer.api.errors import invalid, refuse_unknown
from designer.api.resources.own_parts import schema
from designer.api.resources.own_parts.serializers import (
    OwnPartDetailSerializer,
    OwnPartQuery,
    OwnPartRevisionDetailSerializer,
    OwnPartSerializer,
)
from designer.api.serializers import NoQuery
from designer.models import OwnPart
from designer.services.parts.catalog import create_part, parts_of, revise_part
from estimator.record import Given, Json


class Asked(NamedTuple):
    """What a body says of a part."""

    kind: str
    part: Json
    reason: str


IS = {"kind": "a text", "part": "an object", "reason": "a text"}


class OwnPartsView(ApiView):
    """The parts of the caller's team."""

    pagination_class = Pages

    @schema.part_list
    def get(self, request: Request) -> Response:
        kind = query_of(request, OwnPartQuery).get("kind")
        rows = _rows(request)
        return self.listed(request, OwnPart.with_latest(rows.filter(kind=kind) if kind else rows), OwnPartSerializer)

    @schema.part_create
    def post(self, request: Request) -> Response:
        query_of(request, NoQuery)
        asked = _asked(body_of(request), ("kind", "part"), ("reason",))
        row = create_part(owner_of(request), asked.kind, asked.part, asked.reason)
        return located(_part_json(request, row))


class OwnPartView(ApiView):
    """One part."""

    @schema.part_read
    def get(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        return Response(_part_json(request, get_object_or_404(_rows(request), pk=pk)))

    @schema.part_update
    def patch(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        asked = _asked(body_of(request), ("part", "reason"))
        with changing(request, _rows(request), pk, _part_json) as row:
            revise_part(owner_of(request), row, asked.part, asked.reason)
            answer = _part_json(request, row)  # before the next writer's turn
        return Response(answer)

    @schema.part_delete
    def delete(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        return removed(request, _rows(request), pk, _part_json)


class OwnPartRevisionView(ApiView):
    """One revision of a part."""

    @schema.revision_read
    def get(self, request: Request, pk: UUID, number: int) -> Response:
        query_of(request, NoQuery)
        row = get_object_or_404(_rows(request), pk=pk)
        revision = get_object_or_404(row.revisions, number=number)
        return Response(OwnPartRevisionDetailSerializer(revision, context={"request": request}).data)


def _rows(request: Request) -> QuerySet[OwnPart]:
    return parts_of(owner_of(request))


def _part_json(request: Request, row: OwnPart) -> Json:
    row.refresh_from_db()
    return OwnPartDetailSerializer(row, context={"request": request}).data


def _asked(body: Given, needed: Sequence[str], others: Sequence[str] = ()) -> Asked:
    """The body, if its keys are known, there and of the right type; what is in the part is checked by its rules."""
    refuse_unknown(body, (*needed, *others))
    for name in needed:
        if name not in body:
            raise invalid(name, "missing", f"'{name}' is needed and was left out.")
    for name in (*needed, *others):
        kind = dict if name == "part" else str
        if name in body and not isinstance(body[name], kind):
            raise invalid(name, "wrong_type", f"'{name}' is {IS[name]}.")
    return Asked(body.get("kind", ""), body.get("part", {}), body.get("reason", ""))
