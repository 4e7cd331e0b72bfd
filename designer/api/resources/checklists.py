"""The checklist of a design over REST: items with their ticks, as JSON or CSV, and ticking one of them."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from designer.api.base import HeavyJobView, body_of, query_of
from designer.api.errors import invalid, refuse, refuse_unknown
from designer.api.negotiation import file_answer
from designer.api.resources.designs import designs_of
from designer.api.schema import bringup as schema
from designer.api.serializers import ChecklistQuery, NoQuery
from designer.models import Design
from designer.services.bringup.checklists import (
    ChangedMeanwhile,
    TickedChecklist,
    as_text,
    checklist_now,
    item_of,
    tick,
    with_ticks,
)
from designer.services.bringup.choosing import weeks_asked
from estimator.bringup.checklist.files import CHECKLIST_FORMATS
from estimator.record import Given

KEYS = ("item", "done", "version")


class ChecklistView(HeavyJobView):
    """The order of work of one design's current state, and its ticks."""

    stores_nothing = True

    @schema.checklist_read
    def get(self, request: Request, pk: UUID) -> Response | HttpResponse:
        query = query_of(request, ChecklistQuery)
        file_format = str(query.get("format"))
        design = _design(request, pk)
        made = checklist_now(design, weeks_asked(query).weeks)
        if file_format == "json":
            ticks = [one.state for one in with_ticks(design, made.items) if one.tick]
            return Response(TickedChecklist(**vars(made), ticks=ticks).as_json())
        form = CHECKLIST_FORMATS[file_format]
        return file_answer(b"".join(form.write(made, as_text(design, made))), form.content_type, form.file)

    @schema.checklist_tick
    def patch(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        design = _design(request, pk)
        code, is_done, seen = _tick_of(body_of(request))
        item = item_of(checklist_now(design), code)
        try:
            by = f"{request.user.get_username()}, over REST"
            return Response(tick(design, item, is_done=is_done, seen=seen, by=by).state.as_json())
        except ChangedMeanwhile as error:
            raise refuse(409, ChangedMeanwhile.code, error.words(), "version") from None


def _design(request: Request, pk: UUID) -> Design:
    return get_object_or_404(designs_of(request), pk=pk)


def _tick_of(body: Given) -> tuple[str, bool, int]:
    refuse_unknown(body, KEYS)
    code, is_done, seen = body.get("item"), body.get("done"), body.get("version", 0)
    if not isinstance(code, str) or not code:
        raise invalid("item", "required", "Name the item by its code, as the checklist has it.")
    if not isinstance(is_done, bool):
        raise invalid("done", "wrong_type", "Say true where it is done, false to take the tick back.")
    if isinstance(seen, bool) or not isinstance(seen, int) or not 0 <= seen < 2**31:
        raise invalid("version", "wrong_type", "Give the version of the tick as it was read; 0 where there was none.")
    return code, is_done, seen
