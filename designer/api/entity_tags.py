"""Entity tags: an answer that a caller has already is not sent again, and a change is made only to what its author has seen."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar
from uuid import UUID

from django.db import models, transaction
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.http import parse_etags
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from designer.api.errors import refuse

Row = TypeVar("Row", bound=models.Model)
KEPT_WITH_304 = ("ETag", "Cache-Control", "Vary", "Content-Location", "Expires")


def tag_of(content: bytes) -> str:
    """What names these bytes."""
    return f'"{hashlib.sha256(content).hexdigest()[:32]}"'


def names(header: str, tag: str) -> bool:
    """Whether a header of tags has this one. A proxy or gzip may have marked it as weak on its way: it names the same."""
    tags = parse_etags(header)
    return tags == ["*"] or tag in [one.removeprefix("W/") for one in tags]


def tagged(response: HttpResponse) -> None:
    """Give an answer the tag of its content, unless it has one."""
    if "ETag" not in response.headers:
        response.headers["ETag"] = tag_of(response.content)


def conditional(request: Request, response: HttpResponse) -> HttpResponse:
    """The answer to a GET with its tag; 304 where the caller has it."""
    tagged(response)
    response.headers.setdefault("Cache-Control", "private, no-cache")
    if not names(request.headers.get("If-None-Match", ""), response.headers["ETag"]):
        return response
    kept = {name: response.headers[name] for name in KEPT_WITH_304 if name in response.headers}
    return HttpResponse(status=304, headers=kept)


def note_tags(request: Request, response: HttpResponseBase) -> HttpResponseBase:
    """See that resources that are read, made or changed carry their tag."""
    if response.streaming or not isinstance(response, HttpResponse):
        return response
    is_read = request.method in ("GET", "HEAD") and response.status_code == 200
    is_written = response.status_code == 201 or (request.method == "PATCH" and response.status_code == 200)
    if not is_read and not is_written:
        return response
    note: Callable[[Any], Any] = (lambda made: conditional(request, made)) if is_read else tagged
    if hasattr(response, "add_post_render_callback"):
        response.add_post_render_callback(note)
        return response
    return note(response) or response


@contextmanager
def changing(
    request: Request, rows: models.QuerySet[Row], pk: UUID, shown: Callable[[Request, Row], Any]
) -> Iterator[Row]:
    """One row, locked until the change to it is made, and unchanged since its author has read it, where If-Match says when.

    ``shown`` is what a GET answers of it.

    Raises
    ------
    Refusal
        412, if the row is no longer what If-Match names.
    """
    with transaction.atomic():
        list(rows.model._default_manager.filter(pk=pk).select_for_update().values_list("pk"))
        row = get_object_or_404(rows, pk=pk)
        if (known := request.headers.get("If-Match")) is not None:
            tag = tag_of(JSONRenderer().render(shown(request, row)))
            if not names(known, tag):
                raise refuse(
                    412,
                    "changed_meanwhile",
                    f"This was changed since you have read it: its tag is {tag} now. Read it again, then send your change.",
                )
        yield row


def removed(request: Request, rows: models.QuerySet[Row], pk: UUID, shown: Callable[[Request, Row], Any]) -> Response:
    """204, with one row gone; see ``changing``."""
    with changing(request, rows, pk, shown) as row:
        row.delete()
    return Response(status=204)
