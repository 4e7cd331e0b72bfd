"""An Estimate: the answer to one spec, and all that pages, files, comparisons and REST say of a design."""

from collections.abc import Mapping
from typing import Self

from estimator.bom.result import BomWithLines
from estimator.cabling.result import SizedNetwork
from estimator.catalog.ports import COMPUTE
from estimator.cost.result import Cost, Power
from estimator.findings.finding import Finding
from estimator.findings.result import Failures
from estimator.floor.result import RackSystem
from estimator.growth.result import Growth, Phases
from estimator.performance.result import Performance
from estimator.record import IfAny, Newer, Record
from estimator.spec.design import DesignSpec


class Versions(Record):
    """With the spec they are all that an answer rests on."""

    model: str
    """Version of the rules and formulas."""
    catalog: str
    """Hash of the catalog's files."""


class Estimate(Record):
    """The answer to one spec; parts that were not requested are None."""

    spec: DesignSpec
    versions: Versions
    spec_hash: str
    fabrics: Mapping[str, SizedNetwork]
    findings: list[Finding]
    bom: IfAny[BomWithLines] = None
    cost: IfAny[Cost] = None
    power: IfAny[Power] = None
    performance: IfAny[Performance] = None
    failures: IfAny[Failures] = None
    racks: IfAny[RackSystem] = None
    growth: Newer[Growth | None] = None
    """Null where the design has no room to grow."""
    phases: IfAny[Phases] = None
    """Where the request names phases."""

    @property
    def compute(self) -> SizedNetwork:
        """The network of the GPUs."""
        return self.fabrics[COMPUTE]


class PricedEstimate(Estimate):
    """An Estimate with the parts that every page shows: its bill of materials, cost, power and performance."""

    bom: BomWithLines
    cost: Cost
    power: Power
    performance: Performance

    @classmethod
    def of(cls, made: Estimate) -> Self:
        """An answer that was requested with these parts.

        Raises
        ------
        ValueError
            If one of them was not.
        """
        if missing := [part for part in PricedEstimate.__annotations__ if getattr(made, part) is None]:
            raise ValueError(f"not requested: {', '.join(missing)}")
        return cls(**vars(made))
