"""The acceptance contract of a design, and results judged against it, as the verb ``accept``. Nothing is stored."""

import io
import json
from collections.abc import Iterable, Mapping
from typing import Any, cast

from django.http import HttpResponse
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from designer.api.base import HeavyJobView, query_of
from designer.api.bodies import design_id_of
from designer.api.errors import invalid, refuse_unknown
from designer.api.negotiation import file_answer, units_of
from designer.api.parsers import BoundedJSONParser
from designer.api.resources.estimates import own_design
from designer.api.schema import bringup as schema
from designer.api.serializers import AcceptanceQuery
from designer.services.uploads import bytes_of
from designer.wording.numbers import chosen
from estimator.bringup.acceptance.design import accepted
from estimator.bringup.acceptance.exports.formats import ACCEPTANCE_FORMATS
from estimator.bringup.acceptance.readers.upload import MAX_FILE_BYTES, MAX_FILES
from estimator.catalog.loader import load_catalog
from estimator.record import Given
from estimator.spec.parse import parse_spec

KEYS = ("design", "results")


class AcceptanceView(HeavyJobView):
    """Gates of a design; with results, their verdicts."""

    stores_nothing = True
    parser_classes = [MultiPartParser, BoundedJSONParser]

    @schema.acceptance
    def post(self, request: Request) -> Response | HttpResponse:
        form = query_of(request, AcceptanceQuery)["format"]
        file_format = ACCEPTANCE_FORMATS[form]
        design, files = _sent(request)
        catalog = load_catalog()
        contract, answer = accepted(parse_spec(given_of(request, design), catalog), catalog, files)
        if file_format.file.endswith(".json"):
            return Response(answer.as_json())
        with units_of(request, form):
            content = b"".join(file_format.write(contract, answer, in_bits=chosen().in_bits))
        return file_answer(content, file_format.content_type, file_format.file)


def given_of(request: Request, design: Any) -> Any:
    """The spec, or that of the caller's design by its id."""
    return own_design(request, design_id_of({"design": design})).given if isinstance(design, str) else design


def _sent(request: Request) -> tuple[Any, Iterable[tuple[str, bytes]]]:
    """(design, files) of a form or of a JSON object."""
    data = cast("Given", request.data)
    if (request.content_type or "").partition(";")[0].strip() != "multipart/form-data":
        return _sent_as_json(data)
    refuse_unknown([key for key in data if key not in request.FILES], KEYS, most=None)
    parts = [part for _, several in request.FILES.lists() for part in several if part.name != "design.json"]
    own = next((part for part in request.FILES.values() if part.name == "design.json"), None)
    _refuse_too_many(len(parts))
    text = bytes_of(own or data.get("design") or "", "design", 1_000_000).strip()
    if not text:
        raise invalid("design", "required", "Give the design: its spec as JSON, or the id of one of yours.")
    design = BoundedJSONParser().parse(io.BytesIO(text)) if text.startswith(b"{") else text.decode(errors="replace")
    return design, ((str(part.name), bytes_of(part, "results", MAX_FILE_BYTES)) for part in parts)


def _sent_as_json(data: Given) -> tuple[Any, Iterable[tuple[str, bytes]]]:
    refuse_unknown(data, KEYS, most=None)
    if data.get("design") is None:
        raise invalid("design", "required", "Give the design: its spec, or the id of one of yours.")
    results = data.get("results") or []
    is_right = isinstance(results, list) and all(
        isinstance(one, Mapping) and set(one) == {"file", "text"} and all(isinstance(v, str) for v in one.values())
        for one in results
    )
    if not is_right:
        message = f"Send results as a list of {json.dumps({'file': 'name.log', 'text': '…'}, ensure_ascii=False)}."
        raise invalid("results", "wrong_type", message)
    _refuse_too_many(len(results))
    return data["design"], ((one["file"][:200], one["text"].encode(errors="replace")) for one in results)


def _refuse_too_many(n_files: int) -> None:
    if n_files > MAX_FILES:
        message = f"{n_files:,} files were sent, and {MAX_FILES:,} are the most at once. Judge some gates at a time."
        raise invalid("results", "too_many_logs", message)
