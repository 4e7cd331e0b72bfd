"""What a comparison needs of an Estimate, so that it can be kept and compared with another baseline years later."""

from collections.abc import Mapping
from typing import TypeVar

from estimator.bom.lines import SERVERS
from estimator.bom.result import PricedLine
from estimator.cost.result import ExpectedFailures, Simulated
from estimator.fabric.result import Counts, Links, Oversubscription
from estimator.floor.result import Watts
from estimator.performance.result import AllReduceTable, AllToAllFigure, TimesTable
from estimator.ranges import Range
from estimator.record import IfAny, Newer, Record, keys_of
from estimator.result import PricedEstimate, Versions
from estimator.spec.design import DesignSpec

_DIGITS = 6
Part = TypeVar("Part", bound=Record)


class KeptServers(Record):
    server: str | None


class KeptGeneration(Record):
    generation: str


class KeptPrices(Record):
    name: str


class KeptEconomics(Record):
    price_book: str
    prices: KeptPrices | None


class KeptSpec(Record):
    name: str
    compute: KeptServers
    fabric: KeptGeneration
    economics: KeptEconomics


class KeptNetwork(Record):
    tiers: int
    planes: int
    layout: str
    counts: Counts
    links: Links
    oversubscription: Oversubscription | None
    injection_gbit_s: int
    bisection_gbit_s: int


class KeptFinding(Record):
    severity: str


class KeptLine(PricedLine):
    power_w: float
    fabric: str
    price_book: Newer[str | None]
    book_prices_usd: Newer[Mapping[str, Range[float]] | None]


class KeptBom(Record):
    lines: list[KeptLine]


class KeptCost(Record):
    outlay_usd: IfAny[Range[float]]
    opex_usd_per_year: IfAny[Mapping[str, Range[float]]]
    one_off_usd: IfAny[Mapping[str, Range[float]]]
    tco_usd: IfAny[Range[float]]
    tco_years: IfAny[int]
    usd_per_gpu: IfAny[Range[float]]
    network_usd_per_gpu: IfAny[Range[float]]
    usd_per_gpu_hour: IfAny[Range[float]]
    usd_per_gbit_s_bisection: IfAny[Range[float]]
    usd_per_gb_s_busbw: IfAny[Range[float]]
    usd_per_million_tokens: IfAny[Range[float]]
    at_least: IfAny[bool]
    simulated: IfAny[Simulated]


class KeptPower(Record):
    network_w: Watts
    it_w: Watts
    facility_w: Watts
    parts_w: Mapping[str, Watts]
    at_least: bool


class KeptAllReduce(TimesTable):
    """Algorithm and limit are of all GPUs."""

    algorithm: list[list[str | None]]
    limited_by: list[list[str]]


class KeptPerformance(Record):
    all_reduce: KeptAllReduce | None
    all_to_all: Newer[AllToAllFigure | None]


class KeptExpected(Record):
    failures_per_year: IfAny[Range[float]] = None
    stops_per_year: IfAny[Range[float]] = None


class KeptFailures(Record):
    expected: KeptExpected


class Kept(Record):
    """The parts of an Estimate that figures, rows and curves are made of."""

    spec: KeptSpec
    spec_hash: str
    versions: Versions
    fabrics: Mapping[str, KeptNetwork]
    findings: list[KeptFinding]
    bom: KeptBom
    cost: KeptCost
    power: KeptPower | None
    performance: KeptPerformance
    failures: KeptFailures

    @property
    def usd_per_priced_gpu_hour(self) -> Range[float] | None:
        """As of a cost (cost/result.py): None where the servers have no price."""
        of_servers = [line for line in self.bom.lines if line.category in SERVERS]
        has_price = not of_servers or any(line.extended_price_usd is not None for line in of_servers)
        return self.cost.usd_per_gpu_hour if has_price else None


def kept_of(estimate: PricedEstimate) -> Kept:
    """What a comparison keeps of an Estimate."""
    return Kept(
        spec=_spec(estimate.spec),
        spec_hash=estimate.spec_hash,
        versions=estimate.versions,
        fabrics={name: _part(KeptNetwork, fabric) for name, fabric in estimate.fabrics.items()},
        findings=[KeptFinding(severity=finding.severity) for finding in estimate.findings],
        bom=KeptBom(lines=[_part(KeptLine, line) for line in estimate.bom.lines]),
        cost=_part(KeptCost, estimate.cost),
        power=_part(KeptPower, estimate.power),
        performance=KeptPerformance(
            all_reduce=_all_reduce(estimate.performance.all_reduce), all_to_all=estimate.performance.all_to_all
        ),
        failures=KeptFailures(expected=_expected(estimate.failures.expected if estimate.failures else None)),
    )


def _part(kind: type[Part], whole: Record) -> Part:
    """Of a record, what a smaller kind of record has as well."""
    return kind(**{key.attribute: getattr(whole, key.attribute) for key in keys_of(kind)})


def _spec(spec: DesignSpec) -> KeptSpec:
    prices = spec.economics.prices
    return KeptSpec(
        name=spec.name,
        compute=KeptServers(server=spec.compute.server),
        fabric=KeptGeneration(generation=spec.fabric.generation),
        economics=KeptEconomics(
            price_book=spec.economics.price_book, prices=KeptPrices(name=prices.name) if prices else None
        ),
    )


def _expected(expected: ExpectedFailures | None) -> KeptExpected:
    return _part(KeptExpected, expected) if expected else KeptExpected()


def _all_reduce(table: AllReduceTable | None) -> KeptAllReduce | None:
    """Times and bandwidths to six digits: the bands are a tenth and more."""
    if not table:
        return None
    return KeptAllReduce(
        gpus=table.gpus,
        message_bytes=table.message_bytes,
        busbw_gb_s=_short(table.busbw_gb_s),
        time_us=_short(table.time_us),
        time_us_low=_short(table.time_us_low),
        time_us_high=_short(table.time_us_high),
        algorithm=table.algorithm[-1:],
        limited_by=table.limited_by[-1:],
    )


def _short(rows: list[list[float]]) -> list[list[float]]:
    return [[float(f"{value:.{_DIGITS}g}") for value in row] for row in rows]
