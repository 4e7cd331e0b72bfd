"""What the formulas of a cost rest on, read out of an Estimate: parameters by end, counts, and which line fails at what rate."""

from dataclasses import dataclass

from designer.exports.tables import RANGE
from estimator.bom.lines import NIC, SWITCH, is_rack
from estimator.bom.result import BomLine
from estimator.catalog.ports import COMPUTE
from estimator.cost.inputs import CHEAP_WHEN_HIGH, FAILURE_ROWS
from estimator.cost.result import Assumption
from estimator.result import PricedEstimate
from estimator.units import W_PER_KW

YEARS = "years"  # the count of years of use
INFINIBAND = frozenset({"edr", "hdr", "ndr", "xdr"})


@dataclass(frozen=True)
class Fact:
    """A count that the cost is made from."""

    name: str
    label: str
    value: float
    unit: str


@dataclass(frozen=True)
class Basis:
    """Parameters and counts of one Estimate's cost."""

    parameters: dict[str, Assumption]
    facts: dict[str, Fact]
    lines: list[BomLine]

    def has(self, name: str) -> bool:
        """Whether the cost rests on this parameter or count."""
        return name in self.parameters or name in self.facts

    def label(self, name: str) -> str:
        """What a parameter is."""
        return self.parameters[name].label

    def end(self, name: str, end: str) -> float:
        """A parameter as it is at the low, typical or high end of the cost: a high discount rate makes a cluster cheap."""
        if name in self.facts:
            return self.facts[name].value
        one = self.parameters[name]
        return float({"low": one.low, "typical": one.value, "high": one.high}[cheap_end(name, end)])


def cheap_end(name: str, end: str) -> str:
    """The end of a parameter that belongs to an end of the cost."""
    return RANGE[::-1][RANGE.index(end)] if name in CHEAP_WHEN_HIGH else end


def failure_row(line: BomLine, estimate: PricedEstimate) -> str:
    """The failure rate that a line's part has, "" for none and for what has no price."""
    if line.unit_price_usd is None:
        return ""
    if line.category == SWITCH:
        return "afr-switch"
    if line.category == NIC:
        return "afr-nic"
    expected = estimate.failures.expected if estimate.failures else None
    for one in expected.parts if expected else []:
        if one.part == line.part and line.part and one.rates[0] in FAILURE_ROWS:
            return one.rates[0]
    return ""


def basis_of(estimate: PricedEstimate) -> Basis:
    """All that the sheets of a cost compute with."""
    counts, cost, lines = estimate.compute.counts, estimate.cost, estimate.bom.lines
    kept = {item.name: item for item in cost.assumptions if not _is_of_the_bill(item.name)}
    facts = [
        Fact(YEARS, "Years of use", cost.tco_years, "years"),
        Fact("gpus", "GPUs", counts.gpus, "GPUs"),
        Fact("nodes", "Servers", counts.nodes, "nodes"),
        Fact("cables", "Cables laid", _n_cables(estimate), "cables"),
        Fact("racks", "Racks", sum(line.quantity for line in lines if is_rack(line.category, line.use)), "racks"),
        Fact("it-max", "Largest power of the equipment", estimate.power.it_w.max / W_PER_KW, "kW"),
    ]
    if "ufm-node-year" in kept:
        facts.append(Fact("managed", "Servers under a fabric manager", counts.nodes, "nodes"))
    if "eth-nos-license-switch" in kept:
        facts.append(Fact("ethernet", "Ethernet switches", _n_ethernet(estimate), "switches"))
    bisection = estimate.compute.bisection_gbit_s
    if bisection and cost.usd_per_gbit_s_bisection:
        facts.append(Fact("bisection", "Bisection, one direction", bisection, "Gb/s"))
    if tokens := estimate.spec.economics.tokens_per_s_per_gpu:
        facts.append(Fact("tokens", "Tokens a second", tokens, "tokens/s per GPU"))
    return Basis(
        {name: item for name, item in kept.items() if name != YEARS}, {fact.name: fact for fact in facts}, lines
    )


def _is_of_the_bill(name: str) -> bool:
    """Spares and lengths are in the bill of materials' quantities already."""
    return name.startswith("spare-") or name.endswith("_m")


def _n_cables(estimate: PricedEstimate) -> int:
    return sum(network.cables.total for network in estimate.fabrics.values() if network.cables)


def _n_ethernet(estimate: PricedEstimate) -> int:
    """Switches that need an operating system of their own."""
    spec = estimate.spec
    generations: dict[str, str | None] = {COMPUTE: spec.fabric.generation}
    generations |= {other.role: other.generation for other in spec.other_fabrics}
    return sum(
        line.quantity
        for line in estimate.bom.lines
        if line.category == SWITCH and generations.get(line.fabric) not in INFINIBAND
    )
