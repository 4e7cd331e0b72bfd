"""Comparisons in lists and whole."""

from typing import Any, cast

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from designer.api.answers.estimate import Answer, SpecField
from designer.api.answers.shapes import shape
from designer.api.serializers import _choice, _url
from designer.exports.comparisons import COMPARISON_FORMATS
from designer.models import Comparison
from designer.services.comparisons import head_of, is_outdated
from estimator.compare.result import ComparisonResult
from estimator.record import Json
from estimator.result import Versions


class ComparisonQuery(serializers.Serializer[Any]):
    format = _choice(
        COMPARISON_FORMATS, required=False, help_text="The form of the answer; without it Accept says, else JSON."
    )


class ComparisonSource(Answer):
    """Where a side came from."""

    label = serializers.CharField()  # type: ignore[assignment]
    design = serializers.UUIDField(allow_null=True)
    revision = serializers.IntegerField(allow_null=True, help_text="The named version, where one was requested.")
    state = serializers.CharField(allow_null=True, required=False, help_text="Hash of the design's state at that time.")
    sibling = serializers.IntegerField(
        allow_null=True, help_text="The side that it is the RoCE (or InfiniBand) alternative of."
    )
    price_book = serializers.CharField(allow_null=True)
    spec = SpecField(allow_null=True)


class ComparisonSerializer(serializers.ModelSerializer[Comparison]):
    """A comparison in a list."""

    url = serializers.SerializerMethodField()
    labels = serializers.SerializerMethodField()
    headlines = serializers.SerializerMethodField()
    versions = serializers.SerializerMethodField()

    class Meta:
        model = Comparison
        fields = ["id", "url", "name", "baseline", "labels", "headlines", "versions", "created_at"]

    def get_url(self, row: Comparison) -> str:
        return _url(self, "comparison", pk=row.pk)

    def get_labels(self, row: Comparison) -> list[str]:
        return [item.label for item in head_of(row).items]

    def get_headlines(self, row: Comparison) -> list[str]:
        return [said.headline for said in head_of(row).summary]

    @extend_schema_field(cast(Any, Versions))
    def get_versions(self, row: Comparison) -> dict[str, str]:
        return {"model": row.model_version, "catalog": row.catalog_version}


class ComparisonDetailSerializer(ComparisonSerializer):
    """A comparison with what it was made of and its result."""

    is_outdated = serializers.SerializerMethodField()
    sources = serializers.SerializerMethodField()
    result = shape(ComparisonResult)

    class Meta(ComparisonSerializer.Meta):
        fields = [*ComparisonSerializer.Meta.fields, "is_outdated", "sources", "result"]

    def get_is_outdated(self, row: Comparison) -> bool:
        return is_outdated(row)

    @extend_schema_field(ComparisonSource(many=True))
    def get_sources(self, row: Comparison) -> list[Json]:
        keys = list(map(str, ComparisonSource().fields))
        return [{key: side[key] for key in keys if key in side} for side in row.specs]
