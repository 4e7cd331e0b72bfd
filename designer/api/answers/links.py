"""The shape of a file of links compared with a design's, for the OpenAPI document."""

from typing import Any

from rest_framework import serializers

Answer = serializers.Serializer[Any]


class LinkEnd(Answer):
    device = serializers.CharField()
    port = serializers.CharField()
    device_in_file = serializers.CharField(required=False, help_text="Where the file calls it otherwise.")
    port_in_file = serializers.CharField(required=False)


class PlannedLink(Answer):
    """A link of the design."""

    link = serializers.IntegerField()
    cable = serializers.IntegerField(allow_null=True)
    tier = serializers.CharField()
    a = LinkEnd()
    b = LinkEnd()


class FoundLink(Answer):
    """A link of the file."""

    line = serializers.IntegerField()
    a = LinkEnd()
    b = LinkEnd()


class MissingLink(PlannedLink):
    message = serializers.CharField()


class ExtraLink(FoundLink):
    message = serializers.CharField()


class SwappedLinks(Answer):
    links = serializers.IntegerField()
    planned = PlannedLink(many=True, help_text="The first eight.")
    found = FoundLink(many=True)
    same_devices = serializers.BooleanField(help_text="Between the same two devices: only labels are wrong.")
    message = serializers.CharField()


class DoubledLink(FoundLink):
    reason = serializers.ChoiceField(["listed_twice", "port_used_twice"])
    times = serializers.IntegerField()
    lines = serializers.ListField(child=serializers.IntegerField())
    message = serializers.CharField()


class DisplacedLink(Answer):
    """A link on another port, or at another device, than it should be."""

    planned = PlannedLink()
    found = FoundLink()
    message = serializers.CharField()


class SlowLink(PlannedLink):
    line = serializers.IntegerField()
    rate_gbit_s = serializers.IntegerField()
    found_gbit_s = serializers.IntegerField()
    message = serializers.CharField()


class DeviceLinks(Answer):
    device = serializers.CharField()
    links = serializers.IntegerField()


class NamedDevice(Answer):
    in_file = serializers.CharField()
    in_design = serializers.CharField()
    confidence = serializers.FloatField()
    interchangeable = serializers.BooleanField()


class DeviceNames(Answer):
    told_by = serializers.DictField(child=serializers.IntegerField(), help_text="How many devices, by how.")
    is_automatic = serializers.BooleanField()
    confidence = serializers.FloatField(allow_null=True)
    automatic = NamedDevice(many=True)
    automatic_total = serializers.IntegerField()


class BuiltRatio(Answer):
    built = serializers.CharField(allow_null=True)
    built_ratio = serializers.FloatField(allow_null=True)
    worst_leaf = serializers.CharField(allow_null=True)
    worst_leaf_ratio = serializers.FloatField(allow_null=True)
    leaves_without_uplinks = serializers.IntegerField(required=False)


class BuiltRatios(Answer):
    design = BuiltRatio()
    found = BuiltRatio()


class LinkSpan(Answer):
    min = serializers.IntegerField()
    max = serializers.IntegerField()
    total = serializers.IntegerField()


class SpineDifference(Answer):
    device = serializers.CharField()
    design = serializers.IntegerField()
    found = serializers.IntegerField()


class SpineLinks(Answer):
    design = LinkSpan(allow_null=True)
    found = LinkSpan(allow_null=True)
    differ = SpineDifference(many=True)
    differ_total = serializers.IntegerField()


class BuiltNetwork(Answer):
    oversubscription = BuiltRatios()
    spine_links = SpineLinks()
    links_not_counted = serializers.IntegerField()
