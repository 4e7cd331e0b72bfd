"""Price books of one's own, and the catalog's."""

from typing import cast
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from designer.api.base import ApiView, HeavyJobView, Pages, body_of, located, owner_of, query_of
from designer.api.entity_tags import changing, removed
from designer.api.errors import invalid, refuse_unknown
from designer.api.negotiation import JSON, JSON_TYPE, file_answer, form_of
from designer.api.resources.price_books import schema
from designer.api.resources.price_books.serializers import (
    BookFileQuery,
    PriceBookDetailSerializer,
    PriceBookQuery,
    PriceBookRevisionDetailSerializer,
    PriceBookSerializer,
)
from designer.api.serializers import NoQuery, PageQuery
from designer.exports.downloads import TYPES
from designer.exports.prices import FORMATS as BOOK_FORMATS
from designer.exports.prices import book_file, catalog_contents
from designer.models import PriceBook
from designer.services.prices.books import EMPTY_REASON, MAX_REASON, create_book, describe_book, revise_book
from designer.services.prices.imports import ImportPlan, plan_import
from designer.services.uploads import bytes_of
from estimator.bom.price_file import MAX_FILE_BYTES
from estimator.catalog.loader import load_catalog
from estimator.catalog.price_records import ANCHORS, BOOK_TITLES, BRANDED, DEALER, STREET
from estimator.record import Given, Json

KEYS = ("name", "base", "region", "prices", "rates", "reason")
TEXTS = ("name", "base", "region", "reason")
IMPORT_KEYS = ("file", "mode", "dry_run", "basis", "currency", "as_of", "source", "discount")
BOOK_TYPES = {form: TYPES[form] for form in BOOK_FORMATS[1:]}
CATALOG_BOOKS = {
    ANCHORS: ("The catalog's planning prices.", "The catalog's planning prices as a file."),
    STREET: ("The catalog's prices seen in the market.", "The catalog's listings as a file."),
    DEALER: ("What open-market dealers ask for switches and NICs.", "What open-market dealers ask, as a file."),
    BRANDED: ("What branded resellers ask for switches and NICs.", "What branded resellers ask, as a file."),
}
"""Each with what its address and that of its file are for."""
CHOICES = {"mode": ("merge", "replace"), "dry_run": ("true", "false")}


class PriceBooksView(HeavyJobView):
    """The caller's price books."""

    pagination_class = Pages

    @schema.book_list
    def get(self, request: Request) -> Response:
        query_of(request, PageQuery)
        return self.listed(request, books_of(request), PriceBookSerializer)

    @schema.book_create
    def post(self, request: Request) -> Response:
        query_of(request, NoQuery)
        body = _checked(body_of(request))
        if "name" not in body:
            raise invalid("name", "missing", "'name' is needed and was left out.")
        book = create_book(
            owner_of(request),
            body["name"],
            body.get("prices", []),
            body.get("rates", []),
            body.get("reason") or ("Made over REST" if body.get("prices") else EMPTY_REASON),
            body.get("base", STREET),
            body.get("region", ""),
        )
        return located(_book_json(request, book))


class PriceBookView(ApiView):
    """One price book."""

    @schema.book_read
    def get(self, request: Request, pk: UUID) -> Response | HttpResponse:
        asked = query_of(request, PriceBookQuery).get("format")
        form, kind = form_of(request, {JSON: JSON_TYPE, **BOOK_TYPES}, asked)
        book = get_object_or_404(books_of(request), pk=pk)
        if form == JSON:
            return Response(_book_json(request, book), headers={"Vary": "Accept"})
        return _own_file(book, form, kind)

    @schema.book_update
    def patch(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        body = _checked(body_of(request))
        if not set(body) - {"reason"}:
            raise invalid("", "nothing_to_change", "Give a name, a base, a region, prices or rates.")
        with changing(
            request, books_of(request), pk, _book_json
        ) as book:  # a wrong price leaves the name as it was too
            describe_book(book, body.get("name"), body.get("base"), body.get("region"))
            if {"prices", "rates"} & set(body):
                revise_book(book, body.get("reason") or "Changed over REST", body.get("prices"), body.get("rates"))
            answer = _book_json(request, book)  # before the next writer's turn
        return Response(answer)

    @schema.book_delete
    def delete(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        return removed(request, books_of(request), pk, _book_json)


class PriceBookFileView(ApiView):
    """One price book as a file."""

    @schema.book_read_file
    def get(self, request: Request, pk: UUID) -> HttpResponse:
        form, kind = form_of(request, BOOK_TYPES, query_of(request, BookFileQuery).get("format"))
        return _own_file(get_object_or_404(books_of(request), pk=pk), form, kind)


class PriceBookRevisionView(ApiView):
    """One revision of a price book."""

    @schema.revision_read
    def get(self, request: Request, pk: UUID, number: int) -> Response:
        query_of(request, NoQuery)
        book = get_object_or_404(books_of(request), pk=pk)
        revision = get_object_or_404(book.revisions, number=number)
        return Response(PriceBookRevisionDetailSerializer(revision, context={"request": request}).data)


class PriceImportView(HeavyJobView):
    """Files of prices into a book."""

    parser_classes = [MultiPartParser]

    @schema.book_import
    def post(self, request: Request, pk: UUID) -> Response:
        query_of(request, NoQuery)
        get_object_or_404(books_of(request), pk=pk)
        data = cast("Given", request.data)
        refuse_unknown(data, IMPORT_KEYS)
        for name, choices in CHOICES.items():
            if name in data and data[name] not in choices:
                raise invalid(
                    name, "not_a_choice", f"Must be {' or '.join(choices)}, and {str(data[name])[:40]!r} was given."
                )
        part = request.FILES.get("file")
        if part is None:
            raise invalid("file", "missing", "Send a file of prices, CSV or XLSX, as the part 'file' of a form.")
        typed = {name: str(data.get(name, "")) for name in ("mode", *IMPORT_KEYS[3:])}
        content, file_name = bytes_of(part, "file", MAX_FILE_BYTES), str(part.name)[:200]
        with changing(request, books_of(request), pk, _book_json) as book:
            plan = plan_import(book, content, file_name, typed)
            revision = None
            if data.get("dry_run") != "true":
                if plan.has_changes:
                    plan.apply(book)
                revision = book.latest.number
        return Response(_import_json(plan, revision))


def catalog_book_view(book: str) -> type[ApiView]:
    """One of the catalog's books, described by its own words."""

    class CatalogBookView(ApiView):
        __doc__ = CATALOG_BOOKS[book][0]

        @schema.catalog_book(book)
        def get(self, request: Request) -> Response | HttpResponse:
            asked = query_of(request, PriceBookQuery).get("format")
            form, kind = form_of(request, {JSON: JSON_TYPE, **BOOK_TYPES}, asked)
            if form == JSON:
                contents = catalog_contents(book, BOOK_TITLES[book], load_catalog())
                return Response(contents.model_dump(mode="json"), headers={"Vary": "Accept"})
            return _catalog_file(book, form, kind)

    return CatalogBookView


def catalog_book_file_view(book: str) -> type[ApiView]:
    """The same as a file."""

    class CatalogBookFileView(ApiView):
        __doc__ = CATALOG_BOOKS[book][1]

        @schema.catalog_book_file(book)
        def get(self, request: Request) -> HttpResponse:
            return _catalog_file(book, *form_of(request, BOOK_TYPES, query_of(request, BookFileQuery).get("format")))

    return CatalogBookFileView


def _catalog_file(book: str, form: str, kind: str) -> HttpResponse:
    file = book_file(form, catalog_contents(book, BOOK_TITLES[book], load_catalog()), timezone.now())
    return file_answer(file.content, kind, file.name)


def _own_file(book: PriceBook, form: str, kind: str) -> HttpResponse:
    latest = book.latest
    file = book_file(form, book.contents(latest), latest.created_at)
    return file_answer(file.content, kind, file.name)


def books_of(request: Request) -> QuerySet[PriceBook]:
    """The caller's price books, the last changed first."""
    return PriceBook.objects.filter(owner_id=request.user.pk)


def _book_json(request: Request, book: PriceBook) -> Json:
    book.refresh_from_db()
    return PriceBookDetailSerializer(book, context={"request": request}).data


def _import_json(plan: ImportPlan, revision: int | None) -> Json:
    return {
        "counts": plan.counts,
        **{name: [entry.as_json() for entry in entries] for name, entries in plan.changes.groups.items()},
        "refused": [row.as_json() for row in plan.refused],
        "rates": plan.rates_json(),
        "ignored": plan.ignored,
        "notes": plan.notes,
        "discounts": plan.discounts_json(),
        "revision": revision,
    }


def _checked(body: Given) -> Given:
    """The body, if its keys are known and of the right type; what is in prices and rates is checked by their rules."""
    refuse_unknown(body, KEYS)
    for name in TEXTS:
        if name in body and not isinstance(body[name], str):
            raise invalid(name, "wrong_type", f"'{name}' is a text.")
    for name in ("prices", "rates"):
        if name in body and not isinstance(body[name], list):
            raise invalid(name, "wrong_type", f"'{name}' is a list.")
    if (length := len(body.get("reason", ""))) > MAX_REASON:
        message = f"A reason has at most {MAX_REASON} characters, and this one has {length:,}. Say it shorter."
        raise invalid("reason", "out_of_range", message)
    return body
