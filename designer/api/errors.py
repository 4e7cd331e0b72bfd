"""The one shape of every refusal: ``{"code", "problems": [{"field", "code", "message"}]}``; codes: docs/api.md."""

import logging
import re
import uuid
from collections.abc import Iterable, Iterator
from typing import Any

from django.core.exceptions import BadRequest, PermissionDenied, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.multipartparser import MultiPartParserError
from django.views import defaults
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from designer.services.designs.saving import TooManyJobs
from designer.services.link_lists import OutdatedEstimate
from estimator.errors import CatalogError, EstimatorError, Problem
from estimator.record import Json

logger = logging.getLogger(__name__)

_BOUNDS = frozenset({"max_value", "min_value", "max_length", "min_length", "max_string_length"})  # DRF's codes
_DIGITS = re.compile(r"\d{4,}")
MOST_OF_A_KEY = 60  # characters of an unknown key that a refusal repeats
NOT_FOUND = "There is nothing here that you can see. Check the address; every address ends in a slash."


class Refusal(exceptions.APIException):
    """A request that is answered with a status and one or more problems."""

    def __init__(self, status_code: int, code: str, problems: list[Problem]) -> None:
        super().__init__(problems[0].message, code)
        self.status_code = status_code
        self.code = code
        self.problems = problems


def refuse(status_code: int, code: str, message: str, field: str = "") -> Refusal:
    """A refusal with a single problem, whose code is the answer's own."""
    return Refusal(status_code, code, [Problem(field, code, message)])


def invalid(field: str, code: str, message: str) -> Refusal:
    """A request that is refused for what stands under one key, part or parameter."""
    return Refusal(400, "invalid_request", [Problem(field, code, message)])


def refuse_unknown(body: Iterable[Any], known: tuple[str, ...], most: int | None = MOST_OF_A_KEY) -> None:
    """Refuse keys that are not known, all at once, each repeated up to ``most`` characters (None: whole).

    Raises
    ------
    Refusal
        With a problem for each of them.
    """
    names = [str(key)[:most] for key in body if key not in known]
    if names:
        words = f"Known: {', '.join(known)}."
        problems = [Problem(name, "unknown_key", f"There is no key {name!r} here. {words}") for name in names]
        raise Refusal(400, "invalid_request", problems)


def exception_handler(error: Exception, context: Json) -> Response:
    """DRF's EXCEPTION_HANDLER: any exception of a view as an answer in the one shape."""
    set_rollback()
    refusal = _as_refusal(error)
    if refusal.status_code >= 500 and not isinstance(error, CatalogError):
        logger.error("Unexpected error in the API, %s", refusal.problems[0].message, exc_info=error)
    return Response(
        {"code": refusal.code, "problems": [problem.for_programs() for problem in refusal.problems]},
        status=refusal.status_code,
        headers=_headers(error),
    )


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler400, for what is refused before a view sees it, such as a host name that is not ours."""
    if not request.path.startswith("/api/"):
        return defaults.bad_request(request, exception)
    message = "The request cannot be answered: its Host, its address or its headers are not what this server takes."
    problem = refuse(400, "malformed_request", message).problems[0]
    return JsonResponse({"code": problem.code, "problems": [problem.as_json()]}, status=400)


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's handler500, for what breaks outside the views: the one shape under /api/, a page elsewhere."""
    if not request.path.startswith("/api/"):
        return defaults.server_error(request)
    problem = refuse(500, "internal_error", "Something broke on the server. Its log says more.").problems[0]
    return JsonResponse({"code": problem.code, "problems": [problem.as_json()]}, status=500)


def _headers(error: Exception) -> dict[str, str]:
    """What HTTP wants beside the body: how to sign in after a 401, how long to wait after a 429."""
    headers = {}
    if auth_header := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = auth_header
    if wait := getattr(error, "wait", None):
        headers["Retry-After"] = str(wait)
    return headers


def _as_refusal(error: Exception) -> Refusal:
    """Every exception has its status and code; what nobody foresaw is a 500 with a reference to the log."""
    match error:
        case Refusal():
            return error
        case CatalogError():  # ours to fix, not the caller's: say which file, and that it is not the request
            logger.error("The catalog cannot be used: %s", error)
            return Refusal(503, error.code, list(error.problems))
        case TooManyJobs() | OutdatedEstimate():
            return Refusal(409, error.code, list(error.problems))
        case EstimatorError():
            return Refusal(400, error.code, list(error.problems))
        case exceptions.ValidationError():
            return Refusal(400, "invalid_request", list(_problems(error.get_full_details())))
        case exceptions.APIException():
            return _of_framework(error)
        case Http404():
            return refuse(404, "not_found", NOT_FOUND)
        case PermissionDenied():
            return refuse(403, "permission_denied", "You may not do this.")
        case SuspiciousOperation() | BadRequest() | MultiPartParserError():
            return refuse(400, "malformed_request", f"The request cannot be read: {error}")
    reference = uuid.uuid4().hex[:12]
    return refuse(500, "internal_error", f"Something broke on the server. Its log says more under {reference}.")


def _of_framework(error: exceptions.APIException) -> Refusal:
    """DRF's own exceptions, with our words where theirs do not say what to do."""
    code = error.get_codes()
    if not isinstance(code, str):
        code = error.default_code
    message = str(error.detail)
    match error:
        case exceptions.NotFound():
            message = NOT_FOUND if message == exceptions.NotFound.default_detail else message
        case exceptions.NotAuthenticated():
            message = "Sign in, or send a token: 'Authorization: Token …'. 'manage.py token NAME' makes one."
        case exceptions.PermissionDenied() if message.startswith("CSRF Failed"):
            code, message = "csrf_failed", f"{message} Send the page's token as X-CSRFToken, or use an API token."
    return refuse(error.status_code, code, message)


def _grouped(digits: re.Match[str]) -> str:
    return f"{int(digits[0]):,}"


def _problems(details: Any, path: tuple[str, ...] = ()) -> Iterator[Problem]:
    """DRF's nested error details as flat problems with dotted fields."""
    if isinstance(details, dict) and set(details) == {"message", "code"} and isinstance(details["code"], str):
        message, code = str(details["message"]), details["code"]
        yield Problem(".".join(path), code, _DIGITS.sub(_grouped, message) if code in _BOUNDS else message)
    elif isinstance(details, dict):
        for key, value in details.items():
            yield from _problems(value, path if key == "non_field_errors" else (*path, str(key)))
    else:
        for index, value in enumerate(details):
            is_leaf = isinstance(value, dict) and set(value) == {"message", "code"}
            yield from _problems(value, path if is_leaf else (*path, str(index)))
