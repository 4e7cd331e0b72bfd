"""A comparison as a paper for a board, over REST."""

import base64
import binascii
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from rest_framework.request import Request

from designer.api.base import HeavyJobView, body_of, query_of
from designer.api.errors import invalid, refuse_unknown
from designer.api.negotiation import file_answer, units_of
from designer.api.resources.comparisons import schema
from designer.api.resources.comparisons.views import comparisons_of
from designer.api.serializers import NoQuery
from designer.exports.comparisons import board_pdf
from estimator.record import Given, Json

KEYS = ("title", "subtitle", "recommended", "reason", "logo_base64")


class BoardPackView(HeavyJobView):
    """Recommendation, table, cost, risks, assumptions, requirement, appendix."""

    stores_nothing = True

    @schema.board_pack
    def post(self, request: Request, pk: UUID) -> HttpResponse:
        query_of(request, NoQuery)
        body = body_of(request)
        refuse_unknown(body, KEYS)
        row = get_object_or_404(comparisons_of(request), pk=pk)
        with units_of(request, "pdf"):
            file = board_pdf(row, _text(body, "title"), _more(body))
        return file_answer(file.content, file.content_type, file.name)


def _text(body: Given, key: str) -> str:
    value = body.get(key, "")
    if not isinstance(value, str):
        raise invalid(key, "wrong_type", f"{key} is a text.")
    return value


def _more(body: Given) -> Json:
    side = body.get("recommended")
    if side is not None and (isinstance(side, bool) or not isinstance(side, int)):
        raise invalid(
            "recommended", "wrong_type", "The recommended option is the position of a side, a whole number from 0."
        )
    try:
        logo = base64.b64decode(_text(body, "logo_base64"), validate=True)
    except (binascii.Error, ValueError):
        raise invalid("logo_base64", "wrong_type", "The logo is a PNG or SVG file in Base64.") from None
    return {"subtitle": _text(body, "subtitle"), "reason": _text(body, "reason"), "recommended": side, "logo": logo}
