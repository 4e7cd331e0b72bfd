"""The shapes of cost, power, performance, failures and growth of an Estimate, for the OpenAPI document.

What is not ``required`` may be missing from an estimate of an older model. Keys beside those named here may be there.
"""

from typing import Any

from rest_framework import serializers

from designer.api.answers.shapes import shapes
from estimator.findings.result import Loss

Answer = serializers.Serializer[Any]


class MoneyRange(Answer):
    """US dollars; null where there is no price."""

    low = serializers.FloatField(allow_null=True)
    typical = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class Spread(Answer):
    """A figure with its ends, in the unit that its key names; null where it is not known."""

    low = serializers.FloatField(allow_null=True)
    typical = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


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


# --- Money -------------------------------------------------------------------------------------------------------
class Capex(Answer):
    network = MoneyRange(allow_null=True)
    servers = MoneyRange(allow_null=True, help_text="Null where the server is no part of the catalog.")
    facility = MoneyRange(required=False, allow_null=True)
    total = MoneyRange()


class CapexPart(Answer):
    fabric = serializers.CharField()
    category = serializers.CharField()
    usd = MoneyRange()
    spares_usd = MoneyRange()


class CashFlowYear(Answer):
    year = serializers.IntegerField(help_text="0 is the purchase.")
    usd = by_name(serializers.FloatField(allow_null=True), help_text="Typical, by what it is for.")
    total_usd = MoneyRange()
    discounted_usd = MoneyRange()
    cumulative_usd = MoneyRange()
    cumulative_discounted_usd = MoneyRange()


class CostByYears(Answer):
    years = serializers.IntegerField()
    tco_usd = MoneyRange()
    usd_per_gpu_hour = MoneyRange(allow_null=True)
    residual_usd = MoneyRange()


class Depreciation(Answer):
    years = Spread()
    usd_per_year = MoneyRange()
    book_value_usd = numbers(help_text="At the end of each year, from 0.")


class RentOrBuy(Answer):
    cloud_usd_per_gpu_hour = serializers.FloatField(allow_null=True)
    break_even_usd_per_gpu_hour = MoneyRange(allow_null=True)
    break_even_months = Spread(allow_null=True)
    rented_usd = MoneyRange(allow_null=True)
    saved_usd = MoneyRange(allow_null=True)


class Assumption(Answer):
    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    value = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()
    unit = serializers.CharField()
    basis = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    as_of = serializers.CharField(allow_null=True)


class Percentiles(Answer):
    p5 = serializers.FloatField()
    p10 = serializers.FloatField()
    p25 = serializers.FloatField()
    p50 = serializers.FloatField()
    p75 = serializers.FloatField()
    p90 = serializers.FloatField()
    p95 = serializers.FloatField()
    mean = serializers.FloatField()


class Histogram(Answer):
    edges_usd = numbers()
    counts = integers()


class Lever(Answer):
    """What one input moves, alone, from its low to its high value."""

    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    unit = serializers.CharField()
    low = serializers.FloatField()
    high = serializers.FloatField()
    basis = serializers.CharField(allow_null=True)
    tco_low_usd = serializers.FloatField()
    tco_high_usd = serializers.FloatField()


class Uncertainty(Answer):
    """Draws over prices and assumptions."""

    draws = serializers.IntegerField()
    seed = serializers.IntegerField()
    vendor_correlation = serializers.FloatField()
    figures = by_name(Percentiles(), help_text="capex_usd, tco_usd, usd_per_gpu_hour.")
    histogram = by_name(Histogram())
    tornado = Lever(many=True)


class Cost(Answer):
    """Cost of ownership."""

    capex_usd = Capex()
    capex_by = CapexPart(many=True, required=False)
    one_off_usd = by_name(MoneyRange(), required=False)
    outlay_usd = MoneyRange(required=False)
    opex_usd_per_year = by_name(MoneyRange())
    energy_kwh_per_year = Spread(required=False)
    cash_flow = CashFlowYear(many=True, required=False)
    tco_usd = MoneyRange()
    tco_undiscounted_usd = MoneyRange(required=False)
    tco_years = serializers.IntegerField(required=False)
    by_years = CostByYears(many=True, required=False)
    depreciation = Depreciation(required=False)
    usd_per_gpu = MoneyRange(allow_null=True)
    network_usd_per_gpu = MoneyRange(required=False, allow_null=True)
    usd_per_gpu_hour = MoneyRange(allow_null=True)
    usd_per_gbit_s_bisection = MoneyRange(required=False, allow_null=True)
    usd_per_gb_s_busbw = MoneyRange(required=False, allow_null=True)
    usd_per_million_tokens = MoneyRange(required=False, allow_null=True)
    network_share = serializers.FloatField(allow_null=True)
    rent = RentOrBuy(required=False)
    price_book = serializers.CharField(required=False)
    at_least = serializers.BooleanField(required=False, help_text="Something has no price: figures are lower bounds.")
    assumptions = Assumption(many=True, required=False)
    uncertainty = Uncertainty(required=False, allow_null=True)


# --- Power -------------------------------------------------------------------------------------------------------
class Watts(Answer):
    typical = serializers.FloatField(allow_null=True)
    max = serializers.FloatField(allow_null=True)


class Power(Answer):
    network_w = Watts()
    it_w = Watts()
    facility_w = Watts()
    parts_w = by_name(Watts(), required=False)
    pue = serializers.FloatField(required=False)
    at_least = serializers.BooleanField(required=False)


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
    rate_per_year = Spread()
    failures_per_year = Spread()
    stopping_per_year = Spread()
    spares = serializers.IntegerField(allow_null=True)
    spares_last_years = serializers.FloatField(allow_null=True)

    def get_fields(self) -> dict[str, Any]:
        """With ``class``, which is no name in Python."""
        return {"class": serializers.CharField(), **super().get_fields()}


class AnyCause(Answer):
    rate = serializers.CharField()
    stops_per_year = Spread()
    hours_between_stops = Spread()


class ExpectedFailures(Answer):
    parts = FailingPart(many=True)
    failures_per_year = Spread()
    stops_per_year = Spread()
    network_stops_per_year = Spread()
    hours_between_stops = Spread(allow_null=True)
    any_cause = AnyCause(required=False, allow_null=True)


class Failures(Answer):
    one = shapes(Loss)
    two = shapes(Loss)
    expected = ExpectedFailures(required=False, allow_null=True)


class GrowthNodes(Answer):
    now = serializers.IntegerField()
    sized_for = serializers.IntegerField()


class GrowthStage(Answer):
    counts = by_name(serializers.IntegerField())
    links = by_name(serializers.IntegerField())
    cables = by_name(serializers.IntegerField(), required=False)
    transceivers = by_name(serializers.IntegerField(), required=False)
    totals_usd = MoneyRange()
    network_usd = MoneyRange()
    at_least = serializers.BooleanField()


class GrowthLine(Answer):
    """A line of a later bill of materials."""

    category = serializers.CharField()
    part = serializers.CharField(allow_null=True)
    part_number = serializers.CharField(allow_null=True)
    description = serializers.CharField()
    use = serializers.CharField()
    tier = serializers.CharField(allow_null=True)
    length_m = serializers.FloatField(allow_null=True)
    fabric = serializers.CharField()
    quantity = serializers.IntegerField()
    spare_quantity = serializers.IntegerField()
    unit_price_usd = MoneyRange(allow_null=True)
    extended_price_usd = MoneyRange(allow_null=True)


class Upgrade(Answer):
    lines = GrowthLine(many=True)
    totals_usd = MoneyRange()
    at_least = serializers.BooleanField()


class Growth(Answer):
    """Bought now, sized for later and sized for now alone, side by side, and the later bill of materials."""

    nodes = GrowthNodes()
    bought_now = GrowthStage()
    sized_for = GrowthStage()
    right_sized = GrowthStage(allow_null=True)
    readiness_usd = MoneyRange(allow_null=True)
    upgrade = Upgrade()
    replaced = GrowthLine(many=True)
    moved_links = serializers.IntegerField()
    recabled = serializers.BooleanField()


# --- Racks -------------------------------------------------------------------------------------------------------
class RackContent(Answer):
    part = serializers.CharField(allow_null=True)
    what = serializers.CharField()
    description = serializers.CharField()
    per_rack = serializers.IntegerField()
    rack_units = serializers.IntegerField(allow_null=True)


class RackFigure(Answer):
    name = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    unit = serializers.CharField(allow_null=True)
    basis = serializers.CharField(allow_null=True)
    note = serializers.CharField(allow_null=True)


class RackSystem(Answer):
    """Racks that are bought whole, with the trays that are a design's servers."""

    system = serializers.CharField()
    model = serializers.CharField()
    racks = serializers.IntegerField()
    full = serializers.IntegerField(required=False)
    trays = serializers.IntegerField()
    trays_per_rack = serializers.IntegerField()
    trays_in_last = serializers.IntegerField(required=False)
    gpus_per_rack = serializers.IntegerField(required=False)
    holds = RackContent(many=True)
    rack_w = Watts(required=False)
    own_w = Watts(required=False)
    rack_kg = serializers.FloatField(required=False, allow_null=True)
    cooling = serializers.CharField(required=False, allow_null=True)
    figures = RackFigure(many=True, required=False)
