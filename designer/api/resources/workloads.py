"""What a design does with a model: training steps and serving, at once, as the verbs ``train`` and ``infer`` answer."""

from collections.abc import Callable
from typing import Any, cast

from rest_framework.request import Request
from rest_framework.response import Response

from designer.api import schema
from designer.api.base import ApiView, query_of
from designer.api.bodies import design_id_of
from designer.api.errors import refuse
from designer.api.parsers import BoundedListParser
from designer.api.resources.estimates import own_design
from designer.api.serializers import NoQuery
from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import load_catalog
from estimator.record import Given
from estimator.serving_request import served
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
