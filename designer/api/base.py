"""What every address of the API has in common: JSON in and out, closed to strangers, owners see their own rows only."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn, cast

from django.db.models import QuerySet
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.pagination import PageNumberPagination
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from designer.api import idempotency
from designer.api.entity_tags import note_tags
from designer.api.errors import NOT_FOUND, Refusal, refuse
from designer.api.parsers import BoundedJSONParser
from designer.api.permissions import TokenMayWrite
from designer.models import KeptAnswer
from designer.services.people.limits import HeavyJobThrottle
from estimator.errors import Problem
from estimator.record import Given, Json


class JSONAlways(DefaultContentNegotiation):
    """Answers are JSON whatever Accept says; ``?format=`` belongs to the downloads and is not DRF's here."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


class ApiView(APIView):
    """The base of all views here."""

    parser_classes = [BoundedJSONParser]
    renderer_classes = [JSONRenderer]
    content_negotiation_class = JSONAlways
    permission_classes = [IsAuthenticated, TokenMayWrite]
    stores_nothing = False
    kept_answer: KeptAnswer | None = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """As DRF does; then a POST that was made before is answered as it was."""
        super().initial(request, *args, **kwargs)
        if request.method == "POST" and not self.stores_nothing:
            self.kept_answer = idempotency.begin(request)

    def handle_exception(self, exc: Exception) -> Response:
        """As DRF does, except where the exception carries an answer."""
        return cast(Response, exc.answer) if isinstance(exc, idempotency.Replayed) else super().handle_exception(exc)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Response:
        """As DRF does; then with its entity tag, and kept where the call has a key."""
        made = note_tags(request, super().finalize_response(request, response, *args, **kwargs))
        if (row := self.kept_answer) is not None:
            if isinstance(made, Response):
                made.add_post_render_callback(lambda rendered: idempotency.end(row, rendered))
            else:
                idempotency.end(row, made)
        return cast(Response, made)

    def listed(self, request: Request, rows: QuerySet[Any], serializer: type[Serializer[Any]]) -> Response:
        """The page of rows that the query asks for."""
        pages = Pages()
        page = pages.paginate_queryset(rows, request, self)
        return pages.get_paginated_response(serializer(page, many=True, context={"request": request}).data)

    def perform_authentication(self, request: Request) -> None:
        """As DRF does, but wrong tokens count for the throttle: guessing gets slow."""
        try:
            super().perform_authentication(request)
        except AuthenticationFailed:
            self.check_throttles(request)
            raise

    def permission_denied(self, request: Request, message: str | None = None, code: str | None = None) -> NoReturn:
        """As DRF does, but calls of nobody count for the throttle."""
        if not request.user.is_authenticated:
            self.check_throttles(request)
        super().permission_denied(request, message, code)

    def throttled(self, request: Request, wait: float | None) -> NoReturn:
        """429 with the seconds to wait."""
        raise TooManyRequests(wait)


class HeavyJobView(ApiView):
    """A view whose posts queue work: they have a throttle of their own."""

    throttle_classes = [*APIView.throttle_classes, HeavyJobThrottle]


class TooManyRequests(Refusal):
    """A caller who has to wait a while."""

    def __init__(self, wait: float | None) -> None:
        self.wait = max(1, math.ceil(wait or 1))  # rounded down, the next try would come too early
        message = f"Too many requests. Try again in {self.wait} s; the limits are in the API's documentation."
        super().__init__(429, "throttled", [Problem("", "throttled", message)])


class Pages(PageNumberPagination):
    """``page`` and ``page_size``; answers carry ``count``, ``next``, ``previous`` and ``results``."""

    page_size = 50
    max_page_size = 200
    page_size_query_param = "page_size"
    invalid_page_message = "There is no page {page_number}; the list ends before it."

    def get_schema_operation_parameters(self, view: APIView) -> list[Json]:
        """None: views describe their query by PageQuery, which also checks it."""
        return []

    def get_paginated_response_schema(self, schema: Json) -> Json:
        """As DRF's, in the words of OpenAPI 3.1, where null is a type."""
        address = {"type": ["string", "null"], "format": "uri"}
        return {
            "type": "object",
            "required": ["count", "next", "previous", "results"],
            "properties": {"count": {"type": "integer"}, "next": address, "previous": address, "results": schema},
        }


def body_of(request: Request) -> Given:
    """The request's JSON object; the parser lets nothing else through."""
    return cast(Given, request.data)


def query_of(request: Request, serializer_class: type[Serializer[Any]], also: Iterable[str] = ()) -> Json:
    """The query as this serializer reads it. Names beside its own and ``also`` are refused, and so are repetitions."""
    known = [*serializer_class().fields, *also]
    problems = [
        Problem(
            name,
            "unknown_parameter",
            f"There is no query parameter {name!r} here. Known: {', '.join(known) or 'none'}.",
        )
        for name in request.query_params
        if name not in known
    ] + [
        Problem(name, "repeated_parameter", f"The query parameter {name!r} stands there twice; give it once.")
        for name, values in request.query_params.lists()
        if len(values) > 1
    ]
    if problems:
        raise Refusal(400, "invalid_request", problems)
    serializer = serializer_class(data=request.query_params.dict())  # a plain dict: "state=" is a value, and wrong
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


def located(values: Json, status: int = 201, headers: Mapping[str, str] | None = None) -> Response:
    """What was made, with its address in the head."""
    return Response(values, status=status, headers={"Location": values["url"], **(headers or {})})


def owner_of(request: Request) -> Any:
    """The signed-in user. Permissions let nobody else come this far."""
    return request.user


class UnknownView(ApiView):
    """Every other address below /api/v1/: the one error shape there too."""

    stores_nothing = True
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        raise refuse(404, "not_found", NOT_FOUND)
