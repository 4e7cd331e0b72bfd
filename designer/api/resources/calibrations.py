"""Logs in, constants of a site out; kept where a name is given."""

import io
import json
from collections.abc import Mapping
from typing import Any, cast
from uuid import UUID

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from designer.api.base import ApiView, HeavyJobView, Pages, located, owner_of, query_of
from designer.api.entity_tags import removed
from designer.api.errors import Refusal, invalid
from designer.api.parsers import BoundedJSONParser, FileParser
from designer.api.schema import calibrations as schema
from designer.api.serializers import CalibrationDetailSerializer, CalibrationSerializer, NoQuery, PageQuery
from designer.models import Calibration
from designer.services.calibrations import save_calibration
from designer.services.uploads import bytes_of
from estimator.calibration.logs.read import MAX_LOG_BYTES
from estimator.calibration.site_fit import MAX_LOGS, calibrate
from estimator.catalog.loader import load_catalog
from estimator.errors import Problem
from estimator.record import Given, Json

KEYS = ("log", "name", "system")


class CalibrationsView(HeavyJobView):
    """The caller's calibrations."""

    parser_classes = [MultiPartParser, BoundedJSONParser, FileParser]
    pagination_class = Pages

    @schema.calibration_list
    def get(self, request: Request) -> Response:
        query_of(request, PageQuery)
        return self.listed(request, calibrations_of(request), CalibrationSerializer)

    @schema.calibration_create
    def post(self, request: Request) -> Response:
        query_of(request, NoQuery)
        name, system, files = _sent(request)
        fit = calibrate(files, system, load_catalog())
        if name is None:
            return Response(fit.as_json())
        kept = save_calibration(owner_of(request), name, system, fit)
        return located(_calibration_json(request, kept))


class CalibrationView(ApiView):
    """One calibration."""

    @schema.calibration_read
    def get(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        return Response(_calibration_json(request, get_object_or_404(calibrations_of(request), pk=pk)))

    @schema.calibration_delete
    def delete(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        return removed(request, calibrations_of(request), pk, _calibration_json)


def calibrations_of(request: Request) -> QuerySet[Calibration]:
    """The caller's calibrations, newest first."""
    return Calibration.objects.filter(owner_id=request.user.pk)


def _calibration_json(request: Request, calibration: Calibration) -> Json:
    return CalibrationDetailSerializer(calibration, context={"request": request}).data


def _sent(request: Request) -> tuple[str | None, Json, list[tuple[str, bytes]]]:
    """(name, system, files) of a form, of a JSON object, or of a body that is a log itself."""
    data = cast("Given", request.data)
    content_type = (request.content_type or "").partition(";")[0].strip()
    if content_type == "application/json":
        return _sent_as_json(data)
    if content_type != "multipart/form-data":
        if "file" not in data:
            message = "The body is empty. Send a log as the body, or as a part of a form."
            raise invalid("log", "missing", message)
        data["file"].seek(0)
        return None, {}, [("log", bytes_of(data["file"], "log", MAX_LOG_BYTES))]
    _refuse_unknown(key for key in data if key not in (*KEYS, *request.FILES))
    parts = [part for _, several in request.FILES.lists() for part in several if part.name != "system.json"]
    system_file = next((part for part in request.FILES.values() if part.name == "system.json"), None)
    _refuse_too_many(len(parts))
    files = [(str(part.name), bytes_of(part, "log", MAX_LOG_BYTES)) for part in parts]
    text = bytes_of(system_file or data.get("system") or "{}", "system", 100_000)
    system = BoundedJSONParser().parse(io.BytesIO(text))
    name = data.get("name")
    return (str(name) if name is not None else None), system, files


def _sent_as_json(data: Given) -> tuple[str | None, Json, list[tuple[str, bytes]]]:
    known = ("logs", "name", "system")
    _refuse_unknown((key for key in data if key not in known), known)
    logs, name, system = data.get("logs"), data.get("name"), data.get("system") or {}
    is_right = isinstance(logs, list) and all(
        isinstance(log, Mapping) and set(log) == {"file", "text"} and all(isinstance(v, str) for v in log.values())
        for log in logs
    )
    if not is_right or not isinstance(system, dict) or not isinstance(name, str | None):
        message = 'Send {"logs": [{"file": "name.txt", "text": "…"}], "system": {…}, "name": "…"}; the last two may be left out.'
        raise invalid("logs", "wrong_type", message)
    _refuse_too_many(len(logs or []))
    return name, system, [(log["file"][:200], log["text"].encode()) for log in logs or []]


def _refuse_unknown(keys: Any, known: tuple[str, ...] = KEYS) -> None:
    problems = [
        Problem(key, "unknown_key", f"There is no part {json.dumps(key)} here. Known: {', '.join(known)}.")
        for key in keys
    ]
    if problems:
        raise Refusal(400, "invalid_request", problems)


def _refuse_too_many(n_logs: int) -> None:
    if n_logs > MAX_LOGS:
        message = f"{n_logs} logs were sent, and {MAX_LOGS} are the most at once. Send them in several requests."
        raise invalid("log", "too_many_logs", message)
