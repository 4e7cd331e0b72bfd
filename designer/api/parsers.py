"""Request bodies: JSON objects within bounds."""

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.parsers import BaseParser

from designer.api.errors import refuse
from designer.services.bounded_json import UnsoundJson, json_object


class BoundedJSONParser(BaseParser):
    """A JSON object of at most 32 levels, without NaN, repeated keys or integers beyond 64 bits."""

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The object; BodyLimitMiddleware keeps the body below MAX_BODY_BYTES."""
        try:
            return json_object(stream.read())
        except UnsoundJson as error:
            (problem,) = error.problems
            raise refuse(400, problem.code, problem.message) from None
