"""The settings of a design over REST: the plan, its files alone or as one archive; and settings that are there, checked."""

import io
from collections.abc import Mapping
from typing import Any, cast
from uuid import UUID

from django.http import HttpResponse, StreamingHttpResponse
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from designer.api.base import HeavyJobView, query_of
from designer.api.errors import invalid, refuse_unknown
from designer.api.negotiation import file_answer
from designer.api.parsers import BoundedJSONParser
from designer.api.resources.acceptance import given_of
from designer.api.resources.bringup import described
from designer.api.resources.bringup.queries import (
    ArchiveQuery,
    ChangesQuery,
    ChoicesQuery,
    SettingsFileQuery,
    StateQuery,
    TargetQuery,
)
from designer.api.resources.bringup.states import state_asked
from designer.exports.links import archive_answer
from designer.services.bringup.archives import refuse_large
from designer.services.bringup.checking import Upload, checked_uploads
from designer.services.bringup.choosing import choices_asked, kind_of
from designer.services.bringup.plans import changes_for, plan_for, state_of, target_files
from designer.services.uploads import bytes_of
from estimator.bringup.renderings.targets import archive, file_of, plan_answer
from estimator.catalog.loader import load_catalog
from estimator.record import Given
from estimator.spec.parse import parse_spec

KEYS = ("design", "files")
MAX_SPEC_BYTES = 1_000_000


class PlanView(HeavyJobView):
    """The typed plan of a design."""

    @described.plan
    def get(self, request: Request, pk: UUID) -> Response:
        query = query_of(request, StateQuery)
        return Response(plan_answer(plan_for(state_asked(request, pk, query.get("revision"), query))).as_json())


class SettingsFilesView(HeavyJobView):
    """Names of a target's files."""

    @described.files
    def get(self, request: Request, pk: UUID) -> Response:
        query = query_of(request, TargetQuery)
        state = state_asked(request, pk, query.get("revision"), query)
        return Response(target_files(state, str(query.get("target"))).as_json())


class SettingsFileView(HeavyJobView):
    """One file."""

    @described.file
    def get(self, request: Request, pk: UUID) -> HttpResponse:
        query = query_of(request, SettingsFileQuery)
        plan = plan_for(state_asked(request, pk, query.get("revision"), query))
        file = file_of(plan, str(query.get("target")), query.get("file"))
        return file_answer(file.text.encode(), file.content_type, file.name.replace("/", "-"))


class SettingsArchiveView(HeavyJobView):
    """All files, streamed."""

    @described.archive
    def get(self, request: Request, pk: UUID) -> StreamingHttpResponse:
        query = query_of(request, ArchiveQuery)
        state, target = state_asked(request, pk, query.get("revision"), query), query.get("target")
        refuse_large(state, target)
        pieces = archive(plan_for(state), target)
        return archive_answer(pieces, state.spec.name, state.spec_hash, kind_of(state.choices, target or "settings"))


class SettingsChangesView(HeavyJobView):
    """What a later state of a design sets otherwise than an earlier one."""

    @described.changes
    def get(self, request: Request, pk: UUID) -> Response:
        query = query_of(request, ChangesQuery)
        states = [state_asked(request, pk, query.get(side), query) for side in ("from", "to")]
        return Response(changes_for(*states).as_json())


class SettingsChecksView(HeavyJobView):
    """Settings that are there, against a design and each other. Nothing is stored."""

    stores_nothing = True
    parser_classes = [MultiPartParser, BoundedJSONParser]

    @described.check
    def post(self, request: Request) -> Response:
        chosen = choices_asked(query_of(request, ChoicesQuery))
        data = cast("Given", request.data)
        is_form = (request.content_type or "").partition(";")[0].strip() == "multipart/form-data"
        design, files = _of_form(request, data) if is_form else _of_json(data)
        state = state_of(parse_spec(given_of(request, design), load_catalog()), chosen)
        return Response(checked_uploads(plan_for(state), files).as_json())


def _of_form(request: Request, data: Given) -> tuple[Any, list[tuple[str, Upload]]]:
    """(design, files) of a form. The part of a file may be named as its device with a colon."""
    refuse_unknown([key for key in data if key not in request.FILES], KEYS, most=None)
    own = request.FILES.get("design")
    text = bytes_of(own or data.get("design") or "", "design", MAX_SPEC_BYTES).strip()
    if not text:
        raise invalid("design", "required", "Give the design: its spec as JSON, or the id of one of yours.")
    parts = [(key, part) for key, several in request.FILES.lists() for part in several if key != "design"]
    files = [
        (f"{key}{part.name}" if key.endswith(":") else str(part.name), cast("Upload", part)) for key, part in parts
    ]
    return (
        BoundedJSONParser().parse(io.BytesIO(text)) if text.startswith(b"{") else text.decode(errors="replace")
    ), files


class _Text(io.BytesIO):
    """A text of a JSON body as a file."""

    def __init__(self, name: str, text: str) -> None:
        data = text.encode(errors="replace")
        super().__init__(data)
        self.name, self.size = name, len(data)


def _of_json(data: Given) -> tuple[Any, list[tuple[str, Upload]]]:
    refuse_unknown(data, KEYS, most=None)
    design, sent = data.get("design"), data.get("files")
    if design is None:
        raise invalid("design", "required", "Give the design: its spec, or the id of one of yours.")
    texts = [_text_of(one) for one in sent] if isinstance(sent, list) else [None]
    files = [(text.name, cast("Upload", text)) for text in texts if text]
    if len(files) < len(texts):
        raise invalid("files", "wrong_type", 'Send files as a list of {"file": "leaf-r1-001:nv.json", "text": "…"}.')
    return design, files


def _text_of(one: Any) -> _Text | None:
    """A file of a JSON body; None where it is none."""
    if not isinstance(one, Mapping) or set(one) != {"file", "text"}:
        return None
    name, text = one.get("file"), one.get("text")
    return _Text(name, text) if isinstance(name, str) and isinstance(text, str) else None
