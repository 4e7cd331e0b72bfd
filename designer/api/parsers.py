"""Request bodies: JSON objects and lists of them within bounds, and files."""

from collections.abc import Callable
from tempfile import SpooledTemporaryFile
from typing import IO, Any, cast

from rest_framework.parsers import BaseParser

from designer.api.errors import refuse
from designer.services.bounded_json import UnsoundJson, json_object, json_object_or_list
from estimator.record import Given, Json

CHUNK_BYTES = 262_144
IN_MEMORY_BYTES = 2_500_000


class BoundedJSONParser(BaseParser):
    """A JSON object of at most 32 levels, without NaN, repeated keys or integers beyond 64 bits."""

    media_type = "application/json"

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Given | None = None) -> Json:
        """The object; BodyLimitMiddleware keeps the body below MAX_BODY_BYTES."""
        return cast(Json, self._read(stream, json_object))

    @staticmethod
    def _read(stream: IO[Any], read: Callable[[bytes], Any]) -> Any:
        try:
            return read(stream.read())
        except UnsoundJson as error:
            (problem,) = error.problems
            raise refuse(400, problem.code, problem.message) from None


class BoundedListParser(BoundedJSONParser):
    """A JSON object or a list of them, within the same bounds."""

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Given | None = None) -> Any:
        """The object or the list."""
        return self._read(stream, json_object_or_list)


class FileParser(BaseParser):
    """The body as it is, whatever its type: ``{"file": …}``."""

    media_type = "*/*"

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Given | None = None) -> Json:
        file = SpooledTemporaryFile(max_size=IN_MEMORY_BYTES)  # noqa: SIM115 - closed with the request
        while chunk := stream.read(CHUNK_BYTES):  # BodyLimitMiddleware keeps it below MAX_LINK_FILE_BYTES
            file.write(chunk)
        return {"file": file}
