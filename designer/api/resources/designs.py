"""Designs and their named versions over REST. A view reads the request, calls the one function that does it, and answers."""

from typing import Any
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from designer.api.base import ApiView, Pages, body_of, located, owner_of, query_of
from designer.api.bodies import revised_spec, spec_of, version_of
from designer.api.entity_tags import changing, removed
from designer.api.schema import designs as schema
from designer.api.serializers import (
    DesignDetailSerializer,
    DesignQuery,
    DesignSerializer,
    NoQuery,
    RevisionDetailSerializer,
)
from designer.models import Design, DesignRevision
from designer.services.designs import saving
from designer.services.designs.state import refresh_states
from estimator.catalog.loader import load_catalog
from estimator.record import Json
from estimator.spec.design import spec_json_schema


class SpecSchemaView(ApiView):
    """The JSON Schema of a DesignSpec."""

    @schema.spec_schema
    def get(self, request: Request) -> Response:
        query_of(request, NoQuery)
        return Response(spec_json_schema())


# --- Designs -----------------------------------------------------------------------------------------------------
def designs_of(request: Request) -> QuerySet[Design]:
    """The caller's designs by today's rules, each with the number of its newest version."""
    refresh_states(owner_of(request))
    newest = DesignRevision.objects.filter(design=OuterRef("pk")).order_by("-number").values("number")[:1]
    return Design.objects.filter(owner_id=request.user.pk).annotate(revision=Coalesce(Subquery(newest), 0))


class DesignsView(ApiView):
    """The caller's designs."""

    pagination_class = Pages

    @schema.design_list
    def get(self, request: Request) -> Response:
        query = query_of(request, DesignQuery)
        rows = designs_of(request)
        if "search" in query:
            rows = rows.filter(name__icontains=query["search"])
        return self.listed(request, rows, DesignSerializer)

    @schema.design_create
    def post(self, request: Request) -> Response:
        query_of(request, NoQuery)
        design = saving.save_design(owner_of(request), spec_of(body_of(request), load_catalog()))
        return located(_design_json(request, design.pk))


class DesignView(ApiView):
    """One design."""

    @schema.design_read
    def get(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        return Response(_design_json(request, pk))

    @schema.design_update
    def patch(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        with changing(request, designs_of(request), pk, _shown) as design:
            spec = revised_spec(design, body_of(request), load_catalog())
            saving.save_design(owner_of(request), spec, design, by=f"{request.user.get_username()}, over REST")
            answer = _design_json(request, pk)  # before the next writer's turn
        return Response(answer)

    @schema.design_delete
    def delete(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        return removed(request, designs_of(request), pk, _shown)


class RevisionsView(ApiView):
    """Named versions of a design."""

    @schema.revision_create
    def post(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        name_and_note = version_of(body_of(request))
        with changing(request, designs_of(request), pk, _shown) as design:
            made = saving.save_version(design, *name_and_note, by=f"{request.user.get_username()}, over REST")
        return located(RevisionDetailSerializer(made, context={"request": request}).data)


class RevisionView(ApiView):
    """One named version of a design."""

    @schema.revision_read
    def get(self, request: Request, pk: UUID, number: int) -> Response:
        query_of(request, NoQuery)
        rows = DesignRevision.objects.filter(design__owner_id=request.user.pk)
        revision = get_object_or_404(rows, design_id=pk, number=number)
        return Response(RevisionDetailSerializer(revision, context={"request": request}).data)


def _design_json(request: Request, pk: UUID) -> Json:
    design: Any = get_object_or_404(designs_of(request).prefetch_related("revisions"), pk=pk)
    return DesignDetailSerializer(design, context={"request": request}).data


def _shown(request: Request, design: Design) -> Json:
    return _design_json(request, design.pk)
