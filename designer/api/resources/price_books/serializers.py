"""Price books in lists and whole, and what an import answers."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from designer.api.answers.estimate import Answer
from designer.api.serializers import _choice, _url
from designer.exports.prices import FORMATS
from designer.models import PriceBook, PriceBookRevision


class PriceBookQuery(serializers.Serializer[Any]):
    format = _choice(FORMATS, required=False, help_text="The form of the answer; without it Accept says, else JSON.")


class BookFileQuery(serializers.Serializer[Any]):
    format = _choice(FORMATS[1:], required=False, help_text="The form of the file; without it Accept says, else CSV.")


@extend_schema_field({"$ref": "#/components/schemas/OwnPrices"})
class SnapshotField(serializers.JSONField):
    """A book as a design takes it."""


@extend_schema_field({"$ref": "#/components/schemas/OwnPrice"})
class OnePriceField(serializers.JSONField):
    """One price."""


@extend_schema_field({"$ref": "#/components/schemas/OwnRate"})
class OneRateField(serializers.JSONField):
    """One exchange rate."""


class PriceBookRevisionSerializer(serializers.ModelSerializer[PriceBookRevision]):
    """A revision in a list."""

    url = serializers.SerializerMethodField()
    n_prices = serializers.SerializerMethodField()

    class Meta:
        model = PriceBookRevision
        fields = ["number", "url", "reason", "n_prices", "created_at"]

    def get_url(self, row: PriceBookRevision) -> str:
        return _url(self, "price-book-revision", pk=row.book_id, number=row.number)

    def get_n_prices(self, row: PriceBookRevision) -> int:
        return len(row.prices)


class PriceBookRevisionDetailSerializer(PriceBookRevisionSerializer):
    """A revision with its prices and exchange rates."""

    prices = serializers.ListField(child=OnePriceField())
    rates = serializers.ListField(child=OneRateField())

    class Meta(PriceBookRevisionSerializer.Meta):
        fields = [*PriceBookRevisionSerializer.Meta.fields, "prices", "rates"]


class PriceBookSerializer(serializers.ModelSerializer[PriceBook]):
    """A price book in a list. ``hash`` is of its newest prices, rates and region."""

    url = serializers.SerializerMethodField()
    hash = serializers.SerializerMethodField()
    n_prices = serializers.SerializerMethodField()
    revision = serializers.SerializerMethodField(help_text="Number of the newest revision.")

    class Meta:
        model = PriceBook
        fields = ["id", "url", "name", "base", "region", "hash", "n_prices", "revision", "created_at", "updated_at"]

    def get_url(self, book: PriceBook) -> str:
        return _url(self, "price-book", pk=book.pk)

    def get_hash(self, book: PriceBook) -> str:
        return book.contents().hash

    def get_n_prices(self, book: PriceBook) -> int:
        return len(book.latest.prices)

    def get_revision(self, book: PriceBook) -> int:
        return book.latest.number


class PriceBookDetailSerializer(PriceBookSerializer):
    """A price book with its history; ``book`` is what ``economics.prices`` of a design takes."""

    book = serializers.SerializerMethodField()
    revisions = PriceBookRevisionSerializer(many=True)

    class Meta(PriceBookSerializer.Meta):
        fields = [*PriceBookSerializer.Meta.fields, "book", "revisions"]

    @extend_schema_field(SnapshotField())
    def get_book(self, book: PriceBook) -> Any:
        return book.snapshot()


class ChangedPrice(Answer):
    """A price that an import adds, changes or removes, in words."""

    part = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    amount = serializers.CharField()
    range = serializers.CharField(allow_blank=True)
    basis_words = serializers.CharField()
    as_of = serializers.CharField()
    source = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    conditions = serializers.CharField(allow_blank=True)
    was = serializers.ListField(child=serializers.CharField(), required=False, help_text="What was another before.")


class RefusedPrice(Answer):
    """A row of the file that gave no price."""

    row = serializers.IntegerField(help_text="As a spreadsheet numbers it.")
    part = serializers.CharField(allow_blank=True)
    column = serializers.CharField()
    message = serializers.CharField()


class ImportCounts(Answer):
    added = serializers.IntegerField()
    changed = serializers.IntegerField()
    removed = serializers.IntegerField()
    same = serializers.IntegerField()
    refused = serializers.IntegerField()


class StatedDiscountOfList(Answer):
    """A discount that the file states for all of its prices."""

    row = serializers.IntegerField(help_text="As a spreadsheet numbers it.")
    text = serializers.CharField()
    percent = serializers.FloatField(allow_null=True, help_text="null where the text names several, or none below 100.")


class PriceImport(Answer):
    """What a file changes in a book."""

    counts = ImportCounts()
    added = ChangedPrice(many=True)
    changed = ChangedPrice(many=True)
    removed = ChangedPrice(many=True)
    refused = RefusedPrice(many=True)
    rates = serializers.ListField(child=OneRateField())
    ignored = serializers.ListField(child=serializers.CharField(), help_text="Columns that were not used.")
    notes = serializers.ListField(child=serializers.CharField())
    discounts = StatedDiscountOfList(
        many=True, help_text="Taken off where the part `discount` says so, and else only named."
    )
    revision = serializers.IntegerField(
        allow_null=True, help_text="Of the book with the file in it; null for a dry run."
    )
