"""Request bodies: JSON objects within bounds."""

from typing import IO, Any

from rest_framework.parsers import BaseParser

from designer.api.errors import refuse
from designer.services.bounded_json import UnsoundJson, json_object
from estimator.record import Given, Json


class BoundedJSONParser(BaseParser):
    """A JSON object of at most 32 levels, without NaN, repeated keys or integers beyond 64 bits."""

    media_type = "application/json"

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Given | None = None) -> Json:
        """The object; BodyLimitMiddleware keeps the body below MAX_BODY_BYTES."""
        try:
            return json_object(stream.read())
        except UnsoundJson as error:
            (problem,) = error.problems
            raise refuse(400, problem.code, problem.message) from None
