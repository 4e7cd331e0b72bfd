"""Own parts in lists and whole."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from designer.api.serializers import PageQuery, _choice, _url
from designer.models import OwnPart, OwnPartRevision
from designer.services.parts.catalog import KIND_CHOICES, part_at

ANY_PART = {
    "oneOf": [{"$ref": f"#/components/schemas/{name}"} for name in ("OwnSwitch", "OwnNic", "OwnServer", "OwnCable")]
}


class OwnPartQuery(PageQuery):
    kind = _choice(KIND_CHOICES, required=False, help_text="Parts of this kind alone.")


@extend_schema_field(ANY_PART)
class OnePartField(serializers.JSONField):
    """A part as a design takes it."""


class OwnPartRevisionSerializer(serializers.ModelSerializer[OwnPartRevision]):
    """A revision in a list."""

    url = serializers.SerializerMethodField()

    class Meta:
        model = OwnPartRevision
        fields = ["number", "url", "reason", "by", "created_at"]

    def get_url(self, row: OwnPartRevision) -> str:
        return _url(self, "own-part-revision", pk=row.part_id, number=row.number)


class OwnPartRevisionDetailSerializer(OwnPartRevisionSerializer):
    """A revision with all figures."""

    part = serializers.SerializerMethodField()

    class Meta(OwnPartRevisionSerializer.Meta):
        fields = [*OwnPartRevisionSerializer.Meta.fields, "part"]

    @extend_schema_field(ANY_PART)
    def get_part(self, row: OwnPartRevision) -> Any:
        return part_at(row.part, row).model_dump(mode="json")


class OwnPartSerializer(serializers.ModelSerializer[OwnPart]):
    """A part of the team's catalog with the figures of its newest revision."""

    url = serializers.SerializerMethodField()
    owner = serializers.CharField(source="owner.username")
    revision = serializers.SerializerMethodField()
    part = serializers.SerializerMethodField()

    class Meta:
        model = OwnPart
        fields = ["id", "url", "kind", "key", "owner", "revision", "part", "created_at", "updated_at"]

    def get_url(self, row: OwnPart) -> str:
        return _url(self, "own-part", pk=row.pk)

    def get_revision(self, row: OwnPart) -> int:
        return row.latest.number

    @extend_schema_field(ANY_PART)
    def get_part(self, row: OwnPart) -> Any:
        return part_at(row).model_dump(mode="json")


class OwnPartDetailSerializer(OwnPartSerializer):
    """A part with its history."""

    revisions = OwnPartRevisionSerializer(many=True)

    class Meta(OwnPartSerializer.Meta):
        fields = [*OwnPartSerializer.Meta.fields, "revisions"]
