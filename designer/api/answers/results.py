"""The shapes of cost, power, performance, failures and growth of an Estimate, for the OpenAPI document.

What is not ``required`` may be missing from an estimate of an older model. Keys beside those named here may be there.
"""

from typing import Any

from rest_framework import serializers

from designer.api.answers.shapes import shape, shapes
from estimator.findings.result import Loss
from estimator.ranges import Range

Answer = serializers.Serializer[Any]


def numbers(**options: Any) -> serializers.ListField:
    """A list of numbers."""
    return serializers.ListField(child=serializers.FloatField(), **options)


def integers(**options: Any) -> serializers.ListField:
    """A list of whole numbers."""
    return serializers.ListField(child=serializers.IntegerField(), **options)


def table_of(child: serializers.Field[Any, Any, Any, Any], **options: Any) -> serializers.ListField:
    """A list of lists: by GPU count, then by message size."""
    return serializers.ListField(child=serializers.ListField(child=child), **options)


def by_name(child: serializers.Field[Any, Any, Any, Any], **options: Any) -> serializers.DictField:
    """Values of one shape by name."""
    return serializers.DictField(child=child, **options)


# --- Performance -------------------------------------------------------------------------------------------------
class BothPlacements(Answer):
    gpus = serializers.IntegerField()
    message_bytes = serializers.IntegerField()
    ordered_busbw_gb_s = serializers.FloatField()
    random_busbw_gb_s = serializers.FloatField()


class ModelConstant(Answer):
    name = serializers.CharField()
    index = serializers.CharField(allow_null=True)
    value = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()
    unit = serializers.CharField()
    basis = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    evidence = serializers.CharField(allow_null=True)


class AllReduceTable(Answer):
    """Predicted all-reduce; tables are by GPU count, then by message size."""

    gpus = integers()
    message_bytes = integers()
    reference_gpus = serializers.IntegerField()
    busbw_gb_s = table_of(serializers.FloatField())
    algbw_gb_s = table_of(serializers.FloatField(), required=False)
    time_us = table_of(serializers.FloatField())
    time_us_low = table_of(serializers.FloatField(), required=False)
    time_us_high = table_of(serializers.FloatField(), required=False)
    scaling_efficiency = table_of(serializers.FloatField())
    algorithm = table_of(serializers.CharField(), required=False)
    protocol = table_of(serializers.CharField(), required=False)
    limited_by = table_of(serializers.CharField(), required=False)
    validated = table_of(serializers.BooleanField(), required=False)
    both_placements = BothPlacements(required=False, allow_null=True)
    constants = ModelConstant(many=True, required=False)


class AllToAllFigure(Answer):
    """The largest message on all GPUs."""

    gpus = serializers.IntegerField()
    message_bytes = serializers.IntegerField()
    busbw_gb_s = serializers.FloatField()
    time_us = serializers.FloatField()
    time_us_low = serializers.FloatField()
    time_us_high = serializers.FloatField()
    limited_by = serializers.CharField()
    validated = serializers.BooleanField()


class CollectiveTable(Answer):
    """As the all-reduce's; ``algorithm`` and ``limited_by`` are places in ``algorithms`` and ``limits``."""

    gpus = integers()
    message_bytes = integers()
    busbw_gb_s = table_of(serializers.FloatField())
    time_us = table_of(serializers.FloatField())
    time_us_low = table_of(serializers.FloatField())
    time_us_high = table_of(serializers.FloatField())
    algorithms = table_of(serializers.CharField(), help_text="Pairs of algorithm and protocol.")
    algorithm = table_of(serializers.IntegerField())
    limits = serializers.ListField(child=serializers.CharField())
    limited_by = table_of(serializers.IntegerField())
    validated = table_of(serializers.BooleanField())


class Performance(Answer):
    """Predicted times and bandwidths; without keys where the design has no GPU that is known."""

    all_reduce = AllReduceTable(required=False, allow_null=True)
    all_to_all = AllToAllFigure(required=False, allow_null=True)
    collectives = by_name(CollectiveTable(), required=False, allow_null=True)


# --- Failures and growth -----------------------------------------------------------------------------------------
class FailingPart(Answer):
    part = serializers.CharField(allow_null=True)
    n = serializers.IntegerField()
    rate_per_year = shape(Range)
    failures_per_year = shape(Range)
    stopping_per_year = shape(Range)
    spares = serializers.IntegerField(allow_null=True)
    spares_last_years = serializers.FloatField(allow_null=True)

    def get_fields(self) -> dict[str, Any]:
        """With ``class``, which is no name in Python."""
        return {"class": serializers.CharField(), **super().get_fields()}


class AnyCause(Answer):
    rate = serializers.CharField()
    stops_per_year = shape(Range)
    hours_between_stops = shape(Range)


class ExpectedFailures(Answer):
    parts = FailingPart(many=True)
    failures_per_year = shape(Range)
    stops_per_year = shape(Range)
    network_stops_per_year = shape(Range)
    hours_between_stops = shape(Range, allow_null=True)
    any_cause = AnyCause(required=False, allow_null=True)


class Failures(Answer):
    one = shapes(Loss)
    two = shapes(Loss)
    expected = ExpectedFailures(required=False, allow_null=True)
