"""Quotes in lists and with their reports."""

from typing import Any, cast

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from designer.api.answers.estimate import Answer
from designer.api.serializers import _choice, _url
from designer.exports.quotes import FORMATS
from designer.models import Quote
from designer.services.quotes import is_outdated
from estimator.quotes.columns import FIELDS
from estimator.quotes.result import QuoteReport
from estimator.record import Json
from estimator.result import Versions


class QuoteQuery(serializers.Serializer[Any]):
    format = _choice(
        ("json", *(form for form in FORMATS if form != "json")),
        required=False,
        help_text="Form of the report; without it Accept says, else JSON.",
    )


class SheetColumns(Answer):
    """Which column of a sheet is what: places from 0, and letters, by field."""

    sheet = serializers.CharField(allow_blank=True)
    header_row = serializers.IntegerField()
    fields = serializers.DictField(  # type: ignore[assignment]
        child=serializers.IntegerField(), help_text=f"By field: {', '.join(FIELDS)}."
    )
    letters = serializers.DictField(child=serializers.CharField())
    header = serializers.ListField(child=serializers.CharField(allow_blank=True))
    decimal = serializers.ChoiceField([".", ","])
    is_decimal_sure = serializers.BooleanField()
    currency = serializers.CharField(allow_null=True)
    currency_from = serializers.CharField(allow_blank=True)
    how = serializers.ChoiceField(["guessed", "given", "remembered"])
    is_used = serializers.BooleanField()


class TakenPrices(Answer):
    """The book that took a quote's prices."""

    book = serializers.UUIDField()
    url = serializers.CharField()
    name = serializers.CharField()
    taken = serializers.IntegerField()
    skipped = serializers.IntegerField(help_text="Lines that gave no price.")


class QuoteSerializer(serializers.ModelSerializer[Quote]):
    """A quote in a list."""

    url = serializers.SerializerMethodField()
    design_name = serializers.SerializerMethodField()
    summary = serializers.SerializerMethodField()
    versions = serializers.SerializerMethodField()

    class Meta:
        model = Quote
        fields = [
            "id",
            "url",
            "name",
            "vendor",
            "file_name",
            "file_sha256",
            "design_name",
            "summary",
            "versions",
            "created_at",
            "updated_at",
        ]

    def get_url(self, quote: Quote) -> str:
        return _url(self, "quote", pk=quote.pk)

    def get_design_name(self, quote: Quote) -> str:
        return str(quote.spec.get("name", ""))

    def get_summary(self, quote: Quote) -> list[str]:
        return list(quote.result.get("summary", []))

    @extend_schema_field(cast(Any, Versions))
    def get_versions(self, quote: Quote) -> dict[str, str]:
        return {"model": quote.model_version, "catalog": quote.catalog_version}


class QuoteDetailSerializer(QuoteSerializer):
    """A quote with its columns, the matches set manually and its report."""

    is_outdated = serializers.SerializerMethodField()
    columns = serializers.SerializerMethodField()
    matches = serializers.DictField(
        child=serializers.CharField(allow_null=True), help_text="Line id → key of an item, or null: not in the design."
    )
    report = serializers.SerializerMethodField()

    class Meta(QuoteSerializer.Meta):
        fields = [*QuoteSerializer.Meta.fields, "is_outdated", "columns", "matches", "report"]

    def get_is_outdated(self, quote: Quote) -> bool:
        return is_outdated(quote)

    @extend_schema_field(SheetColumns(many=True))
    def get_columns(self, quote: Quote) -> list[Json]:
        return [one.as_json() for one in quote.columns]

    @extend_schema_field(cast(Any, QuoteReport))
    def get_report(self, quote: Quote) -> Json:
        return dict(quote.result)
