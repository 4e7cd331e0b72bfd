"""The shape of an Estimate, for the OpenAPI document. A test compares it with real ones."""

from typing import Any, cast

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from designer.api.answers.shapes import shape, shapes
from estimator.bom.result import BomTotals, BomWithLines
from estimator.cabling.result import CablingRow, SizedNetwork
from estimator.calibration.result import Curve, Fault, FitErrors, Log, Parameter, PathResult
from estimator.compare.sensitivity import Step, StepFigures
from estimator.cost.result import Cost, Power
from estimator.findings.finding import Finding
from estimator.findings.result import Failures
from estimator.floor.result import FloorFigures, RackSystem
from estimator.growth.result import Growth, Phases
from estimator.performance.result import Performance
from estimator.ranges import Range
from estimator.result import Versions
from estimator.spec.design import DesignSpec

Answer = serializers.Serializer[Any]


@extend_schema_field(cast(Any, DesignSpec))  # pydantic models are described by schema.RequestComponent
class SpecField(serializers.JSONField):
    """A stored spec, as it is."""


class Preview(Answer):
    """An Estimate without the lines of its bill of materials."""

    spec = SpecField(help_text="The normalized spec.")
    versions = shape(Versions)
    spec_hash = serializers.CharField()
    fabrics = serializers.DictField(child=shape(SizedNetwork))
    findings = shapes(Finding)
    bom = shape(BomTotals)
    cost = shape(Cost)
    power = shape(Power)
    performance = shape(Performance)
    failures = shape(Failures, required=False, help_text="What losses leave, and how often to expect them.")
    growth = shape(Growth, required=False, allow_null=True, help_text="Where the design has room to grow.")
    phases = shape(Phases, required=False, help_text="Where the design names phases; not in a preview.")
    racks = shape(
        RackSystem,
        required=False,
        allow_null=True,
        help_text="Where servers are trays of racks that are bought whole: how many, what each holds, draws, weighs.",
    )


class Estimate(Preview):
    """A finished design: counts, findings, bill of materials, cost, power and performance."""

    bom = shape(BomWithLines)


class Bom(Answer):
    """The bill of materials of one estimate."""

    name = serializers.CharField()
    spec_hash = serializers.CharField()
    versions = shape(Versions)
    bom = shape(BomWithLines)


class CostOfOne(Answer):
    """The cost of one estimate."""

    name = serializers.CharField()
    spec_hash = serializers.CharField()
    versions = shape(Versions)
    cost = shape(Cost)


class PhasesOfOne(Answer):
    """The phases of one estimate."""

    name = serializers.CharField()
    spec_hash = serializers.CharField()
    versions = shape(Versions)
    phases = shape(Phases)


class Cabling(Answer):
    """What one fabric is cabled with."""

    spec_hash = serializers.CharField()
    fabric = serializers.CharField()
    rows = shapes(CablingRow)


class RackDevice(Answer):
    name = serializers.CharField()
    kind = serializers.CharField()
    bottom_unit = serializers.IntegerField(help_text="Lowest rack unit, from 1.")
    units = serializers.IntegerField(help_text="Its height.")
    part = serializers.CharField(help_text="Its model.")
    max_w = serializers.FloatField(help_text="The most that it draws; 0 where that is not known.")


class Rack(Answer):
    number = serializers.IntegerField()
    name = serializers.CharField()
    row = serializers.IntegerField()
    position = serializers.IntegerField()
    x_m = serializers.FloatField(help_text="Middle of the rack, from that of the first one.")
    y_m = serializers.FloatField()
    role = serializers.CharField(help_text="The kind of device that it is for.")
    used_units = serializers.IntegerField()
    typical_w = serializers.FloatField()
    max_w = serializers.FloatField()
    weight_kg = serializers.FloatField()
    devices = RackDevice(many=True)


class Racks(Answer):
    """A page of racks, and the floor in a few figures."""

    spec_hash = serializers.CharField()
    floor = shape(FloorFigures)
    count = serializers.IntegerField()
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = Rack(many=True)


@extend_schema_field({"$ref": "#/components/schemas/System"})  # part of a PredictionRequest
class SystemField(serializers.DictField):
    """A system of a prediction, as it is."""


class ConstantEnds(Answer):
    low = serializers.FloatField()
    high = serializers.FloatField()


class NamedConstants(Answer):
    name = serializers.CharField()
    parameters = serializers.DictField(child=serializers.FloatField())
    ranges = serializers.DictField(
        child=ConstantEnds(),
        required=False,
        help_text="Of constants that figures of single paths set, where there are any.",
    )


class CalibrationAnswer(Answer):
    """What logs have shown, kept nowhere."""

    parameters = serializers.DictField(child=shape(Parameter))
    logs = shapes(Log)
    error = shape(FitErrors)
    diagnosis = shapes(Fault)
    curves = shapes(Curve)
    paths = shapes(PathResult)


class Sensitivity(Answer):
    spec_hash = serializers.CharField()
    versions = shape(Versions)
    base = shape(StepFigures)
    variants = shapes(Step)


class WhatIf(Answer):
    spec_hash = serializers.CharField(help_text="That of the estimate.")
    cost = shape(Cost, help_text="As the cost of an Estimate, without draws.")
    change = serializers.DictField(
        child=shape(Range, allow_null=True), help_text="By figure: how much more than the estimate says, end by end."
    )


class UsedConstants(Answer):
    name = serializers.CharField()
    hash = serializers.CharField()
    parameters = serializers.DictField(child=serializers.FloatField())


class PredictionRow(Answer):
    gpus = serializers.IntegerField()
    nodes = serializers.IntegerField()
    message_bytes = serializers.IntegerField()
    time_us = serializers.FloatField()
    time_us_low = serializers.FloatField()
    time_us_high = serializers.FloatField()
    algbw_gb_s = serializers.FloatField()
    busbw_gb_s = serializers.FloatField()
    algorithm = serializers.CharField(allow_null=True)
    protocol = serializers.CharField(allow_null=True)
    limited_by = serializers.CharField()
    validated = serializers.BooleanField(help_text="False outside what was measured.")


class PredictionAdvice(Answer):
    code = serializers.CharField(help_text="faster_setting or reduction_may_fall_back.")
    gpus = serializers.IntegerField()
    least_bytes = serializers.IntegerField()
    most_bytes = serializers.IntegerField()
    setting = serializers.CharField(allow_null=True, help_text="Variables of the library that save time.")
    gain = serializers.FloatField(help_text="Largest share of the time saved; of a fall-back, what it costs.")
    message = serializers.CharField()


class Prediction(Answer):
    rows = PredictionRow(many=True)
    advice = PredictionAdvice(
        many=True, required=False, help_text="Where a setting is faster, or reduction may not start."
    )
    calibration = UsedConstants(required=False, help_text="Where one was given.")
    system = SystemField(required=False, help_text="Of a design: what it was predicted as.")
    spec_hash = serializers.CharField(required=False, help_text="Of a design.")


class Kind(Answer):
    kind = serializers.CharField()
    count = serializers.IntegerField()
    url = serializers.CharField()


class Kinds(Answer):
    version = serializers.CharField(help_text="Hash of the catalog's files.")
    kinds = Kind(many=True)
