"""Searches and sweeps at once, as the verbs ``search`` and ``sweep`` answer, within what a caller can wait for."""

from collections.abc import Callable
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from designer.api import schema
from designer.api.base import ApiView, body_of, query_of
from designer.api.bodies import design_id_of
from designer.api.resources.estimates import own_design
from designer.api.serializers import NoQuery
from estimator.catalog.loader import load_catalog
from estimator.pipeline import estimate
from estimator.search.request import AT_ONCE
from estimator.search.search import search
from estimator.search.sweep import sweep


class FindingView(ApiView):
    """A request whose base may be a saved design; nothing is stored."""

    stores_nothing = True

    def answered(self, request: Request, answer: Callable[..., Any]) -> Response:
        """The answer of a verb."""
        query_of(request, NoQuery)
        body = dict(body_of(request))
        if isinstance(body.get("base"), str):
            body["base"] = own_design(request, design_id_of({"design": body["base"]})).given
        return Response(answer(body, load_catalog(), estimate, AT_ONCE).as_json())


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
