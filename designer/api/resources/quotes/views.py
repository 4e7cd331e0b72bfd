"""Vendors' quotes against designs, kept with their reports."""

import io
from collections.abc import Mapping
from typing import Any, cast
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from designer.api.base import ApiView, HeavyJobView, Pages, body_of, located, owner_of, query_of
from designer.api.entity_tags import changing, removed
from designer.api.errors import invalid, refuse_unknown
from designer.api.negotiation import JSON, JSON_TYPE, file_answer, form_of
from designer.api.parsers import BoundedJSONParser
from designer.api.resources.designs import designs_of
from designer.api.resources.quotes import schema
from designer.api.resources.quotes.serializers import QuoteDetailSerializer, QuoteQuery, QuoteSerializer
from designer.api.serializers import NoQuery, PageQuery, _url
from designer.exports.downloads import CSV_TYPE
from designer.exports.quotes import quote_file
from designer.forms.quotes import MAX_VENDOR
from designer.models import Design, PriceBook, Quote
from designer.services.labels import MAX_NAME, checked_label
from designer.services.quotes import create_quote, set_columns, set_discount, set_matches, take_into_book
from designer.services.uploads import bytes_of
from estimator.catalog.loader import load_catalog
from estimator.jobs.models import EstimateJob
from estimator.record import Given, Json
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec
from estimator.tables.file import MAX_FILE_BYTES

CREATE_KEYS = ("file", "design", "estimate", "spec", "columns", "name", "vendor")
CHANGE_KEYS = ("name", "vendor", "columns", "discount", "matches")
PRICE_KEYS = ("book", "name", "as_of")
QUOTE_TYPES = {"csv": CSV_TYPE}
SOURCES = ("design", "estimate", "spec")
MAX_SPEC_BYTES, MAX_COLUMNS_BYTES = 2_500_000, 100_000


class QuotesView(HeavyJobView):
    """The caller's quotes."""

    parser_classes = [MultiPartParser]
    pagination_class = Pages

    @schema.quote_list
    def get(self, request: Request) -> Response:
        query_of(request, PageQuery)
        return self.listed(request, quotes_of(request).defer("reading"), QuoteSerializer)

    @schema.quote_create
    def post(self, request: Request) -> Response:
        query_of(request, NoQuery)
        parts = cast("Given", request.data)
        refuse_unknown(parts, CREATE_KEYS)
        file = parts.get("file")
        if file is None or not hasattr(file, "read"):
            raise invalid("file", "missing", "Send the quote as the part 'file' of a form.")
        spec, design = _spec_of(request, parts)
        columns = _json_part(parts, "columns", MAX_COLUMNS_BYTES)
        data = bytes_of(file, "file", MAX_FILE_BYTES)
        name, vendor = (str(parts.get(key) or "") for key in ("name", "vendor"))
        quote = create_quote(owner_of(request), spec, data, str(file.name), name, vendor, columns, design=design)
        return located(_quote_json(request, quote))


class QuoteView(ApiView):
    """One quote."""

    @schema.quote_read
    def get(self, request: Request, pk: UUID) -> Response | HttpResponse:
        asked = query_of(request, QuoteQuery).get("format")
        form, kind = form_of(request, {JSON: JSON_TYPE, **QUOTE_TYPES}, asked)
        quote = get_object_or_404(quotes_of(request), pk=pk)
        if form == JSON:
            return Response(_quote_json(request, quote), headers={"Vary": "Accept"})
        return _report_file(quote, form, kind)

    @schema.quote_update
    def patch(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        body = body_of(request)
        refuse_unknown(body, CHANGE_KEYS)
        if not body:
            raise invalid("", "nothing_to_change", f"Give some of {', '.join(CHANGE_KEYS)}.")
        labels = {}
        for name, most, least in (("name", MAX_NAME, 1), ("vendor", MAX_VENDOR, 0)):
            if name in body:
                if not isinstance(body[name], str):
                    raise invalid(name, "wrong_type", f"A {name} is a text.")
                labels[name] = checked_label(name, body[name], most, least)
        matches = body.get("matches", {})
        if not isinstance(matches, Mapping):
            raise invalid("matches", "wrong_type", 'Matches are an object: {"0:7": "nvidia-qm9700", "0:9": null}.')
        with changing(request, quotes_of(request), pk, _quote_json) as quote:
            for name, label in labels.items():
                setattr(quote, name, label)
            quote.save(update_fields=["name", "vendor", "updated_at"])
            if body.get("columns") is not None:
                set_columns(quote, body["columns"])
            if "discount" in body:
                set_discount(quote, body.get("discount"))
            if matches:
                set_matches(quote, matches)
            answer = _quote_json(request, quote)  # before the next writer's turn
        return Response(answer)

    @schema.quote_delete
    def delete(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        return removed(request, quotes_of(request), pk, _quote_json)


class QuoteFileView(ApiView):
    """The report of one quote as a file."""

    @schema.quote_read_file
    def get(self, request: Request, pk: UUID) -> HttpResponse:
        query_of(request, NoQuery)
        form, kind = form_of(request, QUOTE_TYPES, None)
        return _report_file(get_object_or_404(quotes_of(request), pk=pk), form, kind)


def _report_file(quote: Quote, form: str, kind: str) -> HttpResponse:
    if not quote.result:
        raise invalid("columns", "no_header", "Say first which column is which: PATCH this address with columns.")
    file = quote_file(quote, form)
    return file_answer(file.content, kind, file.name)


class QuotePricesView(ApiView):
    """A quote's prices, into a book."""

    @schema.quote_prices
    def post(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        get_object_or_404(quotes_of(request), pk=pk)
        body = body_of(request)
        refuse_unknown(body, PRICE_KEYS)
        for name in ("name", "as_of"):
            if not isinstance(body.get(name, ""), str):
                raise invalid(name, "wrong_type", f"{name} is a text.")
        chosen = body.get("book")
        book = None
        if chosen is not None:
            book = get_object_or_404(PriceBook, pk=_id(chosen, "book"), owner_id=request.user.pk)
        with changing(request, quotes_of(request), pk, _quote_json) as quote:
            taken, n_prices, n_skipped = take_into_book(quote, book, body.get("name", ""), body.get("as_of", ""))
        serializer = QuoteSerializer(quote, context={"request": request})
        url = _url(serializer, "price-book", pk=taken.pk)
        values = {"book": str(taken.pk), "url": url, "name": taken.name, "taken": n_prices, "skipped": n_skipped}
        return Response(values, status=200 if book else 201, headers={"Location": url})


def quotes_of(request: Request) -> QuerySet[Quote]:
    """The caller's quotes, newest first."""
    return Quote.objects.filter(owner_id=request.user.pk)


def _quote_json(request: Request, quote: Quote) -> Json:
    return QuoteDetailSerializer(quote, context={"request": request}).data


def _spec_of(request: Request, parts: Given) -> tuple[DesignSpec, Design | None]:
    """What the quote is for, by one of three names, and the design whose state that is."""
    given = [name for name in SOURCES if parts.get(name)]
    if len(given) != 1:
        raise invalid("design", "one_source", f"Give one of {', '.join(SOURCES)}; {len(given) or 'none'} are here.")
    catalog = load_catalog()
    if given == ["spec"]:
        return parse_spec(_json_part(parts, "spec", MAX_SPEC_BYTES), catalog), None
    pk = _id(parts[given[0]], given[0])
    if given == ["design"]:
        design = get_object_or_404(designs_of(request), pk=pk)
        return parse_spec(design.given, catalog), design
    return parse_spec(get_object_or_404(EstimateJob, pk=pk, owner_id=request.user.pk).spec, catalog), None


def _json_part(parts: Given, name: str, max_bytes: int) -> Any:
    """A part of the form that is JSON, an object or a list of objects; None where there is none."""
    text = bytes_of(parts.get(name), name, max_bytes).strip()
    if not text:
        return None
    is_list = text.startswith(b"[")
    parsed = BoundedJSONParser().parse(io.BytesIO(b'{"list": ' + text + b"}" if is_list else text))
    return parsed["list"] if is_list else parsed


def _id(value: Any, field: str) -> UUID:
    try:
        return UUID(value)
    except (ValueError, TypeError, AttributeError):
        message = "This is no id. Ids look like 8f14e45f-ceea-467f-8d5c-3a1b2c3d4e5f."
        raise invalid(field, "invalid", message) from None
