"""Quotes in lists and with their reports."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from designer.api.answers.estimate import Answer, Versions
from designer.api.answers.shapes import shape
from designer.api.serializers import _choice, _url
from designer.exports.quotes import FORMATS
from designer.models import Quote
from designer.pages.quotes.page import STATUS
from designer.services.quotes import is_outdated
from estimator.quotes.columns import FIELDS
from estimator.quotes.report import PROBLEMS
from estimator.ranges import Range


class QuoteQuery(serializers.Serializer[Any]):
    format = _choice(
        ("json", *(form for form in FORMATS if form != "json")),
        required=False,
        help_text="Form of the report; without it Accept says, else JSON.",
    )


class QuotedItem(Answer):
    """A part of the design at one length, over all its uses; ``key`` is what matches name."""

    key = serializers.CharField()
    category = serializers.CharField()
    part = serializers.CharField(allow_null=True)
    part_number = serializers.CharField(allow_null=True)
    description = serializers.CharField()
    length_m = serializers.FloatField(allow_null=True)
    quantity = serializers.IntegerField()
    spare_quantity = serializers.IntegerField()
    bom_lines = serializers.ListField(child=serializers.IntegerField())
    fabrics = serializers.ListField(child=serializers.CharField())
    uses = serializers.ListField(child=serializers.CharField())
    offered = serializers.IntegerField()
    unit_price_usd = shape(Range, allow_null=True, help_text="The book's.")
    quoted_usd = serializers.FloatField(help_text="What the quote asks for the pieces that are needed.")


class MissingItem(Answer):
    """A part of which the quote offers none or too few, priced by the book."""

    key = serializers.CharField()
    description = serializers.CharField()
    quantity = serializers.IntegerField()
    spare_quantity = serializers.IntegerField()
    offered = serializers.IntegerField()
    missing_quantity = serializers.IntegerField()
    is_spares_only = serializers.BooleanField()
    is_whole_category = serializers.BooleanField()
    why = serializers.CharField()
    price_usd = shape(Range, allow_null=True)


class QuoteRemark(Answer):
    code = serializers.CharField()
    message = serializers.CharField()


class QuoteLineAnswer(Answer):
    """One line of the quote, with what it stands for."""

    id = serializers.CharField()
    sheet = serializers.CharField(allow_blank=True)
    row = serializers.IntegerField()
    part_number = serializers.CharField(allow_blank=True)
    description = serializers.CharField(allow_blank=True)
    quantity = serializers.IntegerField()
    counted = serializers.IntegerField(help_text="Pieces of it that the design needs.")
    currency = serializers.CharField()
    unit_price = serializers.FloatField(allow_null=True)
    extended_price = serializers.FloatField(allow_null=True)
    discount = serializers.FloatField(allow_null=True)
    lead_time = serializers.CharField(allow_blank=True)
    is_option = serializers.BooleanField()
    unit_price_usd = serializers.FloatField(allow_null=True)
    extended_price_usd = serializers.FloatField(allow_null=True)
    status = serializers.ChoiceField(list(STATUS))
    items = serializers.ListField(child=serializers.CharField())
    bom_lines = serializers.ListField(child=serializers.IntegerField())
    matched_to = serializers.CharField(allow_null=True)
    confidence = serializers.FloatField(min_value=0, max_value=1)
    reason = serializers.CharField()
    remarks = QuoteRemark(many=True)
    problems = serializers.ListField(child=serializers.CharField())
    messages = serializers.ListField(child=serializers.CharField())


class LeftOutRow(Answer):
    """A row that offers no part, and why."""

    sheet = serializers.CharField(allow_blank=True)
    row = serializers.IntegerField()
    code = serializers.CharField()
    why = serializers.CharField()
    text = serializers.CharField(allow_blank=True)
    amount = serializers.FloatField(required=False)
    currency = serializers.CharField(required=False)


class QuoteProblem(Answer):
    code = serializers.ChoiceField(list(PROBLEMS))
    severity = serializers.ChoiceField(["error", "warning", "info"])
    message = serializers.CharField()
    line = serializers.CharField(allow_null=True)
    row = serializers.IntegerField(allow_null=True)
    item = serializers.CharField(allow_null=True)


class SameScope(Answer):
    """What both have, at the quote's price and at the book's."""

    quote_usd = serializers.FloatField()
    design_usd = shape(Range)
    difference_usd = serializers.FloatField()
    difference_share = serializers.FloatField(allow_null=True)
    n_items = serializers.IntegerField()


class CurrencySum(Answer):
    currency = serializers.CharField()
    amount = serializers.FloatField()


class QuoteRate(Answer):
    currency = serializers.CharField()
    usd = serializers.FloatField()
    date = serializers.CharField()
    basis = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]


class QuoteTotals(Answer):
    quote_usd = serializers.FloatField(help_text="All lines but options.")
    currencies = CurrencySum(many=True)
    options_usd = serializers.FloatField()
    charges_usd = serializers.FloatField(help_text="Freight, taxes, discounts on the whole.")
    charges_at_least = serializers.BooleanField()
    same_scope = SameScope()
    outside_scope_usd = serializers.FloatField(
        help_text="Lines and pieces that the design does not need, or cannot use."
    )
    left_out_by_quote_usd = shape(Range, help_text="What the quote lacks, by the book.")
    completed_usd = shape(Range, help_text="The quote's needed pieces and what it lacks.")
    design_usd = shape(Range, help_text="The design by the book.")
    at_least = serializers.BooleanField()
    unpriced_lines = serializers.IntegerField()
    rates = QuoteRate(many=True)


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


class QuoteReportAnswer(Answer):
    """Every row of the file is in one of lines, surplus and left_out."""

    lines = QuoteLineAnswer(many=True)
    surplus = QuoteLineAnswer(many=True)
    missing = MissingItem(many=True)
    left_out = LeftOutRow(many=True)
    items = QuotedItem(many=True)
    problems = QuoteProblem(many=True)
    totals = QuoteTotals()
    notes = serializers.ListField(child=serializers.CharField())
    summary = serializers.ListField(child=serializers.CharField())


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

    def get_versions(self, quote: Quote) -> Versions:
        return {"model": quote.model_version, "catalog": quote.catalog_version}  # type: ignore[return-value]


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
    def get_columns(self, quote: Quote) -> list[dict[str, Any]]:
        return list(quote.reading["columns"])

    @extend_schema_field(QuoteReportAnswer)
    def get_report(self, quote: Quote) -> dict[str, Any]:
        return dict(quote.result)
