"""The shape of a comparison, for the OpenAPI document. A test compares it with real ones."""

from typing import Any

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from rest_framework import serializers

from designer.api.answers.estimate import Answer
from designer.api.answers.shapes import shape
from estimator.ranges import Range


class FigureRange(Answer):
    """A figure with its ends; one without a range has three times the same."""

    low = serializers.FloatField()
    typical = serializers.FloatField()
    high = serializers.FloatField()


class Change(Answer):
    """A difference from the baseline; ``relative`` is null where there is nothing to divide by."""

    absolute = serializers.FloatField()
    relative = serializers.FloatField(allow_null=True)


class JudgedChange(Change):
    is_about_same = serializers.BooleanField(help_text="Within the predicted band, or too small to say anything.")
    is_better = serializers.BooleanField(allow_null=True, help_text="Null where neither is better.")
    ranges_overlap = serializers.BooleanField(help_text="Either may turn out the larger.")
    is_undecided = serializers.BooleanField(
        help_text="A price of another technology, of which these prices can't show whether it is lower."
    )


class EachSide(serializers.ListField):
    """A list with an entry for each side; null where the side has none. OpenAPI hears of the null from SideList."""


class SideList(OpenApiSerializerFieldExtension):
    """How the document describes EachSide: the library forgets that entries of a list may be null."""

    target_class = EachSide

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        entry = auto_schema.resolve_serializer(self.target.child, direction).ref
        return {"type": "array", "items": {"oneOf": [entry, {"type": "null"}]}}


class ComparedFigure(Answer):
    """One row of the table of figures; lists have an entry for each side."""

    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    unit = serializers.CharField(help_text="count, usd, usd_hour, w, gbit_s, gb_s, ratio or per_year.")
    group = serializers.CharField()
    better = serializers.ChoiceField(["low", "high"], allow_null=True)
    values = EachSide(child=FigureRange())
    texts = serializers.ListField(child=serializers.CharField(allow_null=True))
    at_least = serializers.ListField(child=serializers.BooleanField())
    is_per_gpu = serializers.BooleanField(help_text="Differences are for each GPU, as clusters differ in size.")
    per_gpu = EachSide(child=FigureRange(), allow_null=True)
    differences = EachSide(child=JudgedChange())
    best = serializers.ListField(
        child=serializers.IntegerField(), help_text="Sides with the best value; empty where all are alike."
    )


class ComparedPart(Answer):
    part = serializers.CharField(allow_null=True)
    part_number = serializers.CharField(allow_null=True)
    description = serializers.CharField(allow_blank=True)


class RowSide(Answer):
    """One side of a row."""

    quantity = serializers.IntegerField()
    spare_quantity = serializers.IntegerField()
    unit_price_usd = shape(Range, allow_null=True)
    unit_is_mean = serializers.BooleanField(help_text="Several parts: the mean over the pieces.")
    extended_price_usd = shape(Range, allow_null=True)
    power_w = serializers.FloatField(allow_null=True)
    parts = ComparedPart(many=True)
    lines = serializers.ListField(child=serializers.IntegerField(), help_text="Lines of the side's bill of materials.")
    price_basis = serializers.ListField(child=serializers.CharField())


class RowPerGpu(Answer):
    """Relative differences for each GPU, where clusters differ in size."""

    quantity = serializers.FloatField(allow_null=True)
    extended_price_usd = serializers.FloatField(allow_null=True)


class RowDifference(Answer):
    quantity = Change()
    unit_price_usd = Change(allow_null=True)
    extended_price_usd = Change(allow_null=True)
    extended_range_usd = shape(Range, allow_null=True, help_text="Parts that both sides buy at one price cancel.")
    power_w = Change(allow_null=True)
    per_gpu = RowPerGpu(required=False)


class PartRow(Answer):
    """One part of a row that has several."""

    label = serializers.CharField()  # type: ignore[assignment]
    length_m = serializers.FloatField(allow_null=True)
    sides = EachSide(child=RowSide())
    differences = RowDifference(many=True)
    missing_on = serializers.ListField(child=serializers.IntegerField())
    is_same = serializers.BooleanField()


class AlignedRow(Answer):
    """What serves one purpose, on every side; each line of a bill of materials is in one row."""

    key = serializers.CharField()
    fabric = serializers.CharField()
    function = serializers.CharField()
    role = serializers.CharField(allow_blank=True)
    tier = serializers.CharField(allow_null=True)
    label = serializers.CharField()  # type: ignore[assignment]
    is_grouped = serializers.BooleanField()
    is_in_scope = serializers.BooleanField(help_text="Part of the totals on the same scope.")
    sides = EachSide(child=RowSide())
    differences = RowDifference(many=True)
    missing_on = serializers.ListField(child=serializers.IntegerField())
    is_same = serializers.BooleanField()
    parts = PartRow(many=True)


class LeftOut(Answer):
    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    reason = serializers.CharField()


class ComparedTotals(Answer):
    all_usd = serializers.ListField(child=shape(Range))
    at_least = serializers.ListField(child=serializers.BooleanField())
    same_scope_usd = serializers.ListField(child=shape(Range), help_text="Without the rows that are left out.")
    differences = serializers.ListField(child=Change())
    difference_ranges_usd = serializers.ListField(child=shape(Range))
    left_out = LeftOut(many=True)


class Sentence(Answer):
    code = serializers.CharField(help_text="The figure that it is about.")
    phrase = serializers.CharField()
    words = serializers.CharField()
    tone = serializers.ChoiceField(["better", "worse", "same", "other"])
    weight = serializers.FloatField()


class ComparisonSummary(Answer):
    """One side against the baseline in words, the weightiest first."""

    of = serializers.IntegerField()
    against = serializers.IntegerField()
    headline = serializers.CharField()
    phrases = serializers.ListField(child=serializers.CharField())
    sentences = Sentence(many=True)
    about_the_same = serializers.ListField(child=serializers.CharField())


class NotComparable(Answer):
    code = serializers.ChoiceField(["left_out", "books", "versions", "figure"])
    words = serializers.CharField()


class ComparedItem(Answer):
    """A side of the result."""

    label = serializers.CharField()  # type: ignore[assignment]
    kind = serializers.ChoiceField(["design", "offer"])
    gpus = serializers.IntegerField(allow_null=True)
    nodes = serializers.IntegerField(allow_null=True)
    server = serializers.CharField(allow_null=True)
    generation = serializers.CharField(allow_null=True)
    layout = serializers.CharField(allow_null=True)
    tiers = serializers.IntegerField(allow_null=True)
    planes = serializers.IntegerField(allow_null=True)
    spec_hash = serializers.CharField(allow_null=True)
    versions = serializers.DictField(child=serializers.CharField(), allow_null=True)
    price_book = serializers.CharField(allow_null=True)
    own_prices = serializers.CharField(allow_null=True, help_text="Name of your price book.")
    notes = serializers.ListField(child=serializers.CharField())
    n_errors = serializers.IntegerField()
    n_warnings = serializers.IntegerField()


class ComparedCurve(Answer):
    """One side's; ``low`` and ``high`` bound nine runs in ten."""

    gpus = serializers.IntegerField()
    message_bytes = serializers.ListField(child=serializers.IntegerField())
    low_gb_s = serializers.ListField(child=serializers.FloatField())
    busbw_gb_s = serializers.ListField(child=serializers.FloatField())
    high_gb_s = serializers.ListField(child=serializers.FloatField())
    limited_by = serializers.CharField()
    algorithm = serializers.CharField(allow_null=True)


class SpendParts(Answer):
    """What is not known is null."""

    servers = shape(Range, allow_null=True)
    switches = shape(Range, allow_null=True)
    cabling = shape(Range, allow_null=True)
    rest = shape(Range, allow_null=True)
    once = shape(Range, allow_null=True)
    running = shape(Range, allow_null=True)


class Spend(Answer):
    """Where the money of one side goes."""

    parts_usd = SpendParts()
    years = serializers.IntegerField(allow_null=True)


class Curves(Answer):
    """Predicted all-reduce on all GPUs against message size."""

    message_bytes = serializers.ListField(child=serializers.IntegerField())
    sides = EachSide(child=ComparedCurve())


class CommonVersions(Answer):
    model = serializers.CharField(allow_null=True, help_text="Null where sides differ.")
    catalog = serializers.CharField(allow_null=True)


class ComparisonResult(Answer):
    """Two to eight sides against a baseline."""

    versions = CommonVersions()
    baseline = serializers.IntegerField()
    items = ComparedItem(many=True)
    is_per_gpu = serializers.BooleanField()
    summary = ComparisonSummary(many=True)
    not_comparable = NotComparable(many=True)
    figures = ComparedFigure(many=True)
    rows = AlignedRow(many=True)
    totals = ComparedTotals()
    spend = Spend(many=True)
    busbw = Curves()
