"""How a call is described in the OpenAPI document: bodies, files, headers, and the refusals that every call has."""

from collections.abc import Iterable
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerExtension
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema

from designer.api.components import split_enums
from designer.api.negotiation import OCTETS
from designer.api.serializers import ErrorSerializer, PageQuery
from estimator.record import Json

REFUSED = {
    "code": "invalid_spec",
    "problems": [
        {
            "field": "compute.nodes",
            "code": "out_of_range",
            "message": "Must be at least 1, and 0 was requested.",
        }
    ],
}
MEANINGS = {
    400: "Refused: the problems say what to change.",
    401: "Nobody is signed in, or the token is unknown or revoked.",
    403: "The token may only read, or the session's CSRF token is missing.",
    404: "Nothing of yours is there.",
    406: "There is no form of it that Accept takes.",
    409: "The state of the thing does not allow it.",
    412: "It was changed since its author has read it: If-Match names another tag.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    429: "Too many requests; Retry-After says how many seconds to wait.",
    503: "The catalog's files cannot be used.",
}


class TokenScheme(OpenApiAuthenticationExtension):
    """How the document describes ``Authorization: Bearer …``; ``Token …`` does as well."""

    target_class = "designer.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        description = "The key that `manage.py token NAME` printed. `Token ` in front of it does as well as `Bearer `."
        return {"type": "http", "scheme": "bearer", "description": description}


class RequestComponent(OpenApiSerializerExtension):
    """DesignSpec and PredictionRequest as components, straight from the models that check requests."""

    target_class = "pydantic.BaseModel"
    match_subclasses = True
    priority = 1  # before the library's own, which describes what a model prints instead of what it takes

    def get_name(self, auto_schema: Any, direction: str) -> str:
        return self.target.__name__

    def map_serializer(self, auto_schema: Any, direction: str) -> Json:
        schema = self.target.model_json_schema(mode="validation", ref_template="#/components/schemas/{model}")
        for name, part in schema.pop("$defs", {}).items():
            made = ResolvedComponent(name=name, type=ResolvedComponent.SCHEMA, object=name, schema=split_enums(part))
            auto_schema.registry.register_on_missing(made)
        return dict(split_enums(schema))


def json_body(*shapes: Json) -> Json:
    """A body of one of these shapes."""
    return {"application/json": shapes[0] if len(shapes) == 1 else {"anyOf": list(shapes)}}


def files_of(*types: str) -> dict[Any, Any]:
    """An answer that is a file: its bytes. Generated clients take the first type that is named, and any file is of that."""
    kinds = dict.fromkeys([OCTETS, *(kind.partition(";")[0] for kind in types)])
    values = {"text": OpenApiTypes.STR, "application/json": OpenApiTypes.ANY, "application/yaml": OpenApiTypes.ANY}
    return {(200, kind): values.get(kind, values.get(kind.partition("/")[0], OpenApiTypes.BINARY)) for kind in kinds}


def _header(name: str, description: str) -> OpenApiParameter:
    return OpenApiParameter(name, str, OpenApiParameter.HEADER, description=description)


IF_MATCH = _header("If-Match", "Entity tag of what the change is of: 412 where it was changed since.")
IF_NONE_MATCH = _header("If-None-Match", "Entity tag of what the caller has: 304 where it is still that.")
IDEMPOTENCY_KEY = _header(
    "Idempotency-Key", "A key of this call: the same call under it is not done twice, and answered as the first time."
)
NOT_MODIFIED = OpenApiResponse(description="As If-None-Match has it already.")


def example(name: str, value: Any) -> OpenApiExample:
    return OpenApiExample(name, value, request_only=True)


def call(
    operation_id: str, summary: str, responses: dict[Any, Any], refusals: tuple[int, ...] = (), **more: Any
) -> Any:
    """``extend_schema`` with the refusals that every call has, and those of this one."""
    described, parameters = dict(responses), list(more.pop("parameters", ()))
    if 412 in refusals:
        parameters.append(IF_MATCH)
    if more.pop("is_conditional", False):
        parameters.append(IF_NONE_MATCH)
        described[304] = NOT_MODIFIED
    if more.pop("takes_key", False):
        parameters.append(IDEMPOTENCY_KEY)
        refusals = (*refusals, 409)
    for status in sorted({400, 401, 429, *refusals}):
        examples = [OpenApiExample("refused", REFUSED, response_only=True)] if status == 400 else []
        described[status] = OpenApiResponse(ErrorSerializer, MEANINGS[status], examples)
    more |= {"parameters": parameters} if parameters else {}
    return extend_schema(operation_id=operation_id, summary=summary, responses=described, **more)


def list_call(operation_id: str, summary: str, rows: Any, tag: str, query: Any = PageQuery) -> Any:
    """The call for a page of rows."""
    return call(operation_id, summary, {200: rows(many=True)}, (404,), parameters=[query], tags=[tag])


def read_call(operation_id: str, summary: str, shape: Any, tag: str, **more: Any) -> Any:
    """The call for one thing, which a caller may have already."""
    return call(operation_id, summary, {200: shape}, (404,), tags=[tag], is_conditional=True, **more)


def filed_call(operation_id: str, summary: str, shape: Any, tag: str, *refusals: int, **more: Any) -> Any:
    """The call for one thing that has files as well."""
    options: Json = {"description": AS_FILE, "tags": [tag], "is_conditional": True} | more
    return call(operation_id, summary, {200: shape}, (406, *(refusals or (404,))), **options)


def file_call(operation_id: str, summary: str, types: Iterable[str], tag: str, *refusals: int, **more: Any) -> Any:
    """The call for a file."""
    options: Json = {"tags": [tag], "is_conditional": True} | more
    return call(operation_id, summary, files_of(*types), (406, *(refusals or (404,))), **options)


def delete_call(operation_id: str, summary: str, tag: str) -> Any:
    """The call that deletes one thing."""
    return call(operation_id, summary, {204: None}, (403, 404, 412), tags=[tag])


AS_FILE = "`file/` behind this address has it as a file; `?format=` here, or Accept, do too."
BODY = (403, 413, 415)  # what a call with a body may be refused for besides
