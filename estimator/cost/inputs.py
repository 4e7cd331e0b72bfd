"""What a cost is made from: counts of the design, unit prices, and the rows of economics.csv with what a request replaces."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from estimator.bom.lines import (
    CABLE,
    FACILITY,
    FIBER,
    MANAGEMENT,
    MODULE,
    NIC,
    PANEL,
    SERVERS,
    SWITCH,
    Billed,
    Bom,
    BomLine,
    is_rack,
)
from estimator.catalog.catalog import Catalog
from estimator.cost.power import Power
from estimator.cost.reliability import failure_row
from estimator.cost.result import Assumption
from estimator.fabric.sized import SizedFabric
from estimator.ranges import NOTHING, Range
from estimator.spec.design import DesignSpec
from estimator.units import W_PER_KW, FloatArray

REQUEST = "request"
SUPPORT_ROWS = {
    "support-server-pct": (*SERVERS, MANAGEMENT),
    "support-switch-pct": (SWITCH,),
    "support-nic-optic-pct": (NIC, MODULE, CABLE, FIBER, PANEL),
}
FAILURE_ROWS = ("afr-switch", "afr-nic", "afr-optic", "afr-aoc", "afr-dac", "afr-acc-aec")
CHEAP_WHEN_HIGH = frozenset(
    {"discount-rate", "residual-value", "gpu-utilization", "depreciation-it", "dc-depreciation", "warranty-years"}
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One figure that a cost rests on, with its range and where it comes from."""

    name: str
    label: str
    ends: Range[float]
    unit: str
    basis: str
    source: str
    as_of: str | None

    def shown(self) -> Assumption:
        """The parameter as an entry of ``assumptions``."""
        return Assumption(
            name=self.name,
            label=self.label,
            value=self.ends.typical,
            low=self.ends.low,
            high=self.ends.high,
            unit=self.unit,
            basis=self.basis,
            source=self.source,
            as_of=self.as_of,
        )

    @property
    def cheap_first(self) -> FloatArray:
        """The ends in the order of the cost they make: a high discount rate makes a cluster cheap."""
        ends = np.array([*self.ends])
        return ends[::-1] if self.name in CHEAP_WHEN_HIGH else ends


def parameter(name: str, spec: DesignSpec, catalog: Catalog) -> Parameter:
    """A row of economics.csv, or what the request gives in its place."""
    row = catalog.economics[name]
    asked = spec.economics.in_place_of(row)
    if asked is not None:
        return Parameter(name, row.label, Range.at(asked), row.unit, REQUEST, "the request", None)
    source = catalog.sources[row.source].title
    return Parameter(name, row.label, row.ends, row.unit, row.basis, source, row.as_of)


@dataclass(frozen=True)
class CostFacts:
    """All of a design that its cost depends on, apart from prices and parameters.

    The tables of weights have a column for each priced line of the BOM, shape (…, n_lines): a sum of money is weights ×
    unit prices. ``capital`` has the rows servers, network, facility; ``supported`` those of SUPPORT_ROWS; ``replaced``
    those of FAILURE_ROWS, all in pieces. ``n_failing`` and ``n_spares`` are the pieces of each of FAILURE_ROWS. Counts may
    be arrays with an entry for each column of money, of many designs at once.
    """

    lines: tuple[BomLine, ...]
    capital: FloatArray
    supported: FloatArray
    replaced: FloatArray
    n_failing: FloatArray
    n_spares: FloatArray
    n_gpus: int | FloatArray
    n_nodes: int | FloatArray
    n_cables: int | FloatArray
    n_racks: int | FloatArray
    n_fabric_manager_nodes: int | FloatArray
    n_ethernet_switches: int | FloatArray
    it_max_kw: float | FloatArray
    years: int
    facility: str
    has_network_licences: bool
    has_gpu_licences: bool
    has_staff: bool
    has_design_labour: bool

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Rows of economics.csv that this design's cost needs, in the order of use."""
        names = ["freight-pct", "contingency-pct", "sales-tax", "install-node", "install-cable", "install-rack"]
        names += ["design-labour"] if self.has_design_labour else []
        names += ["dc-capex-mw", "dc-depreciation"] if self.facility == "own-building" else []
        names += ["load-factor", "pue", "electricity-kwh"]
        names += ["colo-kw-month"] if self.facility == "colocation" else []
        names += [row for row, pieces in zip(SUPPORT_ROWS, self.supported, strict=True) if pieces.any()]
        names += ["ufm-node-year"] if self.has_network_licences and self.n_fabric_manager_nodes else []
        names += ["eth-nos-license-switch"] if self.has_network_licences and self.n_ethernet_switches else []
        names += ["nvaie-gpu-year"] if self.has_gpu_licences else []
        names += ["ops-staff-fte", "ops-staff-cost"] if self.has_staff else []
        names += [row for row, n in zip(FAILURE_ROWS, self.n_failing, strict=True) if n]
        return (*names, "warranty-years", "discount-rate", "depreciation-it", "residual-value", "gpu-utilization")


@dataclass(frozen=True)
class Priced:
    """A design ready to be costed: its facts, the three prices of a piece of each line, its parameters by name.

    ``unit_cents`` has the shape (n_lines, 3): low, typical, high.
    """

    facts: CostFacts
    unit_cents: FloatArray
    given: dict[str, Parameter]


def priced(
    spec: DesignSpec, fabric: SizedFabric, bom: Bom, power: Power, catalog: Catalog, others: Sequence[Billed] = ()
) -> Priced:
    """The inputs of a design's cost; ``others`` are its storage and management networks, which ``bom`` holds."""
    facts = cost_facts(spec, fabric, bom, power, catalog, others)
    unit_cents = np.array([[*(line.unit_cents or NOTHING)] for line in facts.lines], dtype=np.float64).reshape(
        len(facts.lines), 3
    )
    return Priced(facts, unit_cents, {name: parameter(name, spec, catalog) for name in facts.parameter_names})


def cost_facts(
    spec: DesignSpec, fabric: SizedFabric, bom: Bom, power: Power, catalog: Catalog, others: Sequence[Billed] = ()
) -> CostFacts:
    """The facts of a design."""
    lines = tuple(line for line in bom.lines if line.unit_cents is not None)
    held = np.array([line.quantity + line.spare_quantity for line in lines], dtype=np.float64)
    bought = np.array([line.bought for line in lines], dtype=np.float64)
    installed = np.array([line.quantity for line in lines], dtype=np.float64)
    category = np.array([line.category for line in lines], dtype=object)
    is_network = ~np.isin(category, [*SERVERS, *FACILITY])
    rows = np.array([failure_row(line, catalog) or "" for line in lines], dtype=object)
    failing = np.stack([rows == row for row in FAILURE_ROWS]).astype(np.float64).reshape(len(FAILURE_ROWS), len(lines))
    economics = spec.economics
    generations: dict[str, str] = {one.role: one.spec.fabric.generation for one in others}
    switches = [line for line in bom.lines if line.category == SWITCH]
    is_ethernet = [_is_ethernet(line, generations, spec, catalog) for line in switches]
    return CostFacts(
        lines=lines,
        capital=np.stack([np.isin(category, SERVERS), is_network, np.isin(category, FACILITY)]) * bought,
        supported=np.stack([np.isin(category, kinds) for kinds in SUPPORT_ROWS.values()]) * installed,
        replaced=failing * held,
        n_failing=failing @ installed,
        n_spares=failing @ (held - installed),
        n_gpus=fabric.n_gpus,
        n_nodes=fabric.n_nodes,
        n_cables=sum(tier.n_cables for plan in bom.plans for tier in plan.tiers),
        n_racks=sum(line.quantity for line in bom.lines if is_rack(line.category, line.use)),
        n_fabric_manager_nodes=0 if all(is_ethernet) else fabric.n_nodes,
        n_ethernet_switches=sum(line.quantity for line, flag in zip(switches, is_ethernet, strict=True) if flag),
        it_max_kw=power.it.max / W_PER_KW,
        years=economics.years,
        facility=economics.facility,
        has_network_licences=economics.network_licences,
        has_gpu_licences=economics.gpu_licences,
        has_staff=economics.staff,
        has_design_labour=economics.design_labour,
    )


def _is_ethernet(line: BomLine, generations: dict[str, str], spec: DesignSpec, catalog: Catalog) -> bool:
    """Whether a switch needs a network operating system of its own."""
    if line.part:
        return catalog.switches[line.part].protocol != "infiniband"
    return catalog.generations[generations.get(line.fabric, spec.fabric.generation)].protocol != "infiniband"
