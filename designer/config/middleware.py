"""What holds for every request: the limit of its body, its reader's units, pages and JSON sent compressed, and a broken
catalog reported as such."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import render

from designer.services.people.choices import chosen_by
from designer.wording.numbers import USUAL, Chosen, reading
from estimator.digits import is_whole_number
from estimator.errors import CatalogError

logger = logging.getLogger(__name__)

CHUNK_BYTES = 65_536
DRAINED_BYTES = 50_000_000
COMPRESSED = ("text/html", "application/json", "application/vnd.oai.openapi", "application/vnd.oai.openapi+json")
TAKES_A_FILE = (
    "/links/compare/",
    "/dumps/",
    "/acceptance/",
    "/settings-checks/",
    "/settings/check/",
    "/calibrations/",
    "/calibrations/new/",
    "/calibrations/read/",
    "/import/",
    "/quotes/",
    "/quotes/new/",
)


class BodyLimitMiddleware:
    """Answer 413 to a body above MAX_BODY_BYTES, or MAX_LINK_FILE_BYTES where a file is taken.

    REST's parsers read the stream themselves, past Django's own limit.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        n_bytes = _declared_length(request)
        limit = settings.MAX_LINK_FILE_BYTES if request.path.endswith(TAKES_A_FILE) else settings.MAX_BODY_BYTES
        if n_bytes <= limit:
            return self.get_response(request)
        if n_bytes <= DRAINED_BYTES:
            # A server that closes on an unread body resets the connection, and the client never sees the answer.
            while request.read(CHUNK_BYTES):
                pass
        message = (
            f"The body has {n_bytes:,} bytes, and a request may have {limit:,}. "
            "Leave out what is not part of the request, or send it in several requests."
        )
        problem = {"field": "", "code": "body_too_large", "message": message}
        if request.path.startswith("/api/"):
            return JsonResponse({"code": "body_too_large", "problems": [problem]}, status=413)
        return render(request, "413.html", {"message": message}, status=413)


class PageGZipMiddleware(GZipMiddleware):
    """Pages and JSON go compressed, padded at random so that their size tells no secret; files go as they are."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """The answer, compressed."""
        kind = response.headers.get("Content-Type", "").partition(";")[0]
        if response.streaming or kind not in COMPRESSED or "Content-Disposition" in response.headers:
            return response
        return super().process_response(request, response)


class BrokenCatalogMiddleware:
    """Answer a page that needs the catalog while its files are broken with 503 and the place to fix."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, CatalogError):
            return None
        logger.error("The catalog cannot be used: %s", exception)
        return render(request, "503.html", {"problems": exception.problems}, status=503)


class ChosenUnitsMiddleware:
    """Pages print amounts, bandwidths and lengths as their reader chose; REST and files as their contract says.

    The choice is looked up when a page prints the first number.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path.startswith("/api/"):
            return self.get_response(request)

        @cache
        def ask() -> Chosen:
            user = request.user
            return chosen_by(user) if isinstance(user, User) and user.is_authenticated else USUAL

        with reading(ask):
            return self.get_response(request)


def _declared_length(request: HttpRequest) -> int:
    value = request.META.get("CONTENT_LENGTH") or "0"
    return int(value) if is_whole_number(value, 15) else 0
