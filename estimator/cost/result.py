"""What a design costs and draws, as an Estimate answers it. Ranges are in the unit that the key names."""

from collections.abc import Mapping

from estimator.floor.result import Watts
from estimator.ranges import Range
from estimator.record import IfAny, Newer, Record


class Capex(Record):
    network: Range[float]
    servers: Range[float] | None
    """Null where the server is no part of the catalog."""
    facility: Newer[Range[float] | None]
    total: Range[float]


class CapexPart(Record):
    fabric: str
    category: str
    usd: Range[float]
    spares_usd: Range[float]


class CashFlowYear(Record):
    year: int
    """0 is the purchase."""
    usd: Mapping[str, float]
    """Typical, by what it is for."""
    total_usd: Range[float]
    discounted_usd: Range[float]
    cumulative_usd: Range[float]
    cumulative_discounted_usd: Range[float]


class CostByYears(Record):
    years: int
    tco_usd: Range[float]
    usd_per_gpu_hour: Range[float]
    residual_usd: Range[float]


class Depreciation(Record):
    years: Range[float]
    usd_per_year: Range[float]
    book_value_usd: list[float]
    """At the end of each year, from 0."""


class RentOrBuy(Record):
    cloud_usd_per_gpu_hour: float | None
    break_even_usd_per_gpu_hour: Range[float]
    break_even_months: Range[float] | None
    rented_usd: Range[float] | None
    saved_usd: Range[float] | None


class Assumption(Record):
    name: str
    label: str
    value: float
    low: float
    high: float
    unit: str
    basis: str
    source: str
    as_of: str | None


class Likely(Record):
    """What is likely by chance: 5 %, half and 95 % of the draws lie below."""

    p5: float
    p50: float
    p95: float


class Simulated(Record):
    """The headline figures by chance."""

    draws: int
    seed: int
    capex_usd: Likely
    network_usd: Likely
    tco_usd: Likely
    usd_per_gpu: Likely
    network_usd_per_gpu: Likely
    usd_per_gpu_hour: Likely


class Percentiles(Record):
    p5: float
    p10: float
    p25: float
    p50: float
    p75: float
    p90: float
    p95: float
    mean: float


PERCENTILES = ("p5", "p10", "p25", "p50", "p75", "p90", "p95", "mean")


class Histogram(Record):
    edges_usd: list[float]
    counts: list[int]


class Lever(Record):
    """What one input moves, alone, from its low to its high value."""

    name: str
    label: str
    unit: str
    low: float
    high: float
    basis: Newer[str]
    tco_low_usd: float
    tco_high_usd: float


class Uncertainty(Record):
    """Draws over prices and assumptions."""

    draws: int
    seed: int
    vendor_correlation: float
    figures: Mapping[str, Percentiles]
    """capex_usd, tco_usd, usd_per_gpu_hour."""
    histogram: Mapping[str, Histogram]
    tornado: list[Lever]

    @property
    def tco(self) -> tuple[Percentiles, Histogram]:
        """The total cost over all draws."""
        return self.figures["tco_usd"], self.histogram["tco_usd"]


class Cost(Record):
    """Cost of ownership."""

    capex_usd: Capex
    capex_by: Newer[list[CapexPart]]
    one_off_usd: Newer[Mapping[str, Range[float]]]
    outlay_usd: Newer[Range[float]]
    opex_usd_per_year: Mapping[str, Range[float]]
    energy_kwh_per_year: Newer[Range[float]]
    cash_flow: Newer[list[CashFlowYear]]
    tco_usd: Range[float]
    tco_undiscounted_usd: Newer[Range[float]]
    tco_years: Newer[int]
    by_years: Newer[list[CostByYears]]
    depreciation: Newer[Depreciation]
    usd_per_gpu: Range[float] | None
    network_usd_per_gpu: Newer[Range[float] | None]
    usd_per_gpu_hour: Range[float]
    usd_per_gbit_s_bisection: Newer[Range[float] | None]
    usd_per_gb_s_busbw: Newer[Range[float] | None]
    usd_per_million_tokens: Newer[Range[float] | None]
    network_share: float | None
    rent: Newer[RentOrBuy]
    price_book: Newer[str]
    at_least: Newer[bool]
    """Something has no price: figures are lower bounds."""
    assumptions: Newer[list[Assumption]]
    simulated: IfAny[Simulated] = None
    uncertainty: IfAny[Uncertainty] = None

    @property
    def usd_per_priced_gpu_hour(self) -> Range[float] | None:
        """Of one GPU with all its costs; None where the servers have no price, as what is left is the network's alone."""
        return None if self.capex_usd.servers is None else self.usd_per_gpu_hour

    @property
    def running_usd_per_year(self) -> Range[float]:
        """All kinds of running cost together."""
        return self.opex_usd_per_year["total"]


class Power(Record):
    network_w: Watts
    it_w: Watts
    facility_w: Watts
    parts_w: Newer[Mapping[str, Watts]]
    pue: Newer[float]
    at_least: Newer[bool]


class FailingPart(Record):
    """One kind of part: how many there are, how many fail in a year, and whether its spares last."""

    class_: str
    part: str | None
    n: int
    rate_per_year: Range[float]
    failures_per_year: Range[float]
    stopping_per_year: Range[float]
    """Failures that take an endpoint off the network."""
    spares: int | None
    """Null for what no spare is bought of."""
    spares_last_years: float | None
    """Null where no failure or no spare is due."""
    basis: Newer[list[str]]
    as_of: Newer[str]
    sources: Newer[list[str]]
    rates: Newer[list[str]]
    """Rows of economics.csv."""


class AnyCause(Record):
    """Stops of a job on all GPUs for whatever reason, as fleets have reported them."""

    rate: str
    """Row of economics.csv."""
    stops_per_year: Range[float]
    hours_between_stops: Range[float]


class JobStops(Record):
    """Unplanned stops of a job on a design, a GPU and year."""

    per_gpu_year: Range[float]
    by_cause: dict[str, float]
    """The typical end, by class of part; ``other`` is what no part causes."""


class ExpectedFailures(Record):
    """How many parts fail in a year, and the time between stops of a job on all GPUs."""

    parts: list[FailingPart]
    failures_per_year: Range[float]
    stops_per_year: Range[float]
    network_stops_per_year: Range[float]
    hours_between_stops: Range[float]
    any_cause: Newer[AnyCause | None]
