"""What the formulas of a cost rest on, read out of an Estimate: parameters by end, counts, and which line fails at what rate."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from designer.exports.tables import RANGE
from estimator.bom.lines import NIC, SWITCH, is_rack
from estimator.cost.inputs import CHEAP_WHEN_HIGH, FAILURE_ROWS
from estimator.units import W_PER_KW

Json = Mapping[str, Any]
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

    parameters: dict[str, Json]
    facts: dict[str, Fact]
    lines: list[Json]

    def has(self, name: str) -> bool:
        """Whether the cost rests on this parameter or count."""
        return name in self.parameters or name in self.facts

    def end(self, name: str, end: str) -> float:
        """A parameter as it is at the low, typical or high end of the cost: a high discount rate makes a cluster cheap."""
        if name in self.facts:
            return self.facts[name].value
        key = {"typical": "value"}.get(cheap_end(name, end), cheap_end(name, end))
        return float(self.parameters[name][key])


def cheap_end(name: str, end: str) -> str:
    """The end of a parameter that belongs to an end of the cost."""
    return RANGE[::-1][RANGE.index(end)] if name in CHEAP_WHEN_HIGH else end


def failure_row(line: Json, estimate: Json) -> str:
    """The failure rate that a line's part has, "" for none and for what has no price."""
    if line["unit_price_usd"] is None:
        return ""
    if line["category"] == SWITCH:
        return "afr-switch"
    if line["category"] == NIC:
        return "afr-nic"
    for part in ((estimate.get("failures") or {}).get("expected") or {}).get("parts", []):
        if part["part"] == line["part"] and line["part"] and part["rates"][0] in FAILURE_ROWS:
            return str(part["rates"][0])
    return ""


def basis_of(estimate: Json) -> Basis:
    """All that the sheets of a cost compute with."""
    counts, cost, lines = estimate["fabrics"]["compute"]["counts"], estimate["cost"], estimate["bom"]["lines"]
    kept = {item["name"]: item for item in cost["assumptions"] if not _is_of_the_bill(item["name"])}
    facts = [
        Fact("years", "Years of use", cost["tco_years"], "years"),
        Fact("gpus", "GPUs", counts["gpus"], "GPUs"),
        Fact("nodes", "Servers", counts["nodes"], "nodes"),
        Fact("cables", "Cables laid", _n_cables(estimate), "cables"),
        Fact(
            "racks", "Racks", sum(line["quantity"] for line in lines if is_rack(line["category"], line["use"])), "racks"
        ),
        Fact("it-max", "Largest power of the equipment", estimate["power"]["it_w"]["max"] / W_PER_KW, "kW"),
    ]
    if "ufm-node-year" in kept:
        facts.append(Fact("managed", "Servers under a fabric manager", counts["nodes"], "nodes"))
    if "eth-nos-license-switch" in kept:
        facts.append(Fact("ethernet", "Ethernet switches", _n_ethernet(estimate), "switches"))
    bisection = estimate["fabrics"]["compute"].get("bisection_gbit_s")
    if bisection and cost.get("usd_per_gbit_s_bisection"):
        facts.append(Fact("bisection", "Bisection, one direction", bisection, "Gb/s"))
    if tokens := estimate["spec"]["economics"].get("tokens_per_s_per_gpu"):
        facts.append(Fact("tokens", "Tokens a second", tokens, "tokens/s per GPU"))
    return Basis(
        {name: item for name, item in kept.items() if name != "years"}, {fact.name: fact for fact in facts}, lines
    )


def _is_of_the_bill(name: str) -> bool:
    """Spares and lengths are in the bill of materials' quantities already."""
    return name.startswith("spare-") or name.endswith("_m")


def _n_cables(estimate: Json) -> int:
    return sum(sum(fabric["cables"].values()) for fabric in estimate["fabrics"].values())


def _n_ethernet(estimate: Json) -> int:
    """Switches that need an operating system of their own."""
    spec = estimate["spec"]
    generations = {other["role"]: other["generation"] for other in spec.get("other_fabrics", [])}
    generations["compute"] = spec["fabric"]["generation"]
    return sum(
        line["quantity"]
        for line in estimate["bom"]["lines"]
        if line["category"] == SWITCH and generations.get(line["fabric"]) not in INFINIBAND
    )
