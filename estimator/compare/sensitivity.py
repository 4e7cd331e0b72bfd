"""What one step more buys: an uplink, a rail, the next generation, a plane, each in money and in bandwidth.

Every variant is the design with one change, sized and estimated like any other, all in one batch; what cannot be built says
why. Bandwidths are those of the largest message on all GPUs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from estimator.catalog.catalog import Catalog
from estimator.designs.networks import sized_fabrics
from estimator.designs.parts import catalog_of
from estimator.errors import Change, EstimatorError, Problem
from estimator.fabric.sized import SizedFabric
from estimator.findings.finding import Finding
from estimator.pipeline import estimate
from estimator.proposals.cables import NO_PART
from estimator.ranges import Range
from estimator.record import Record
from estimator.result import Estimate, Versions
from estimator.spec.change import apply_change
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec
from estimator.spec.rates import port_rate
from estimator.version import MODEL_VERSION

COLLECTIVES = ("all_reduce", "alltoall")  # what rings and trees send, and what everybody sends everybody
PARTS = ("counts", "cables", "bom", "cost", "performance")
_SWITCH_KEYS = tuple(f"fabric.{tier}_{what}" for tier in ("leaf", "spine", "core") for what in ("switch", "radix"))


StepKey = Literal["uplink", "rail", "generation", "plane"]


class StepFigures(Record):
    """A design in money, parts and bandwidth: of the largest message on all GPUs, by collective; null without a GPU."""

    network_usd: Range[float]
    at_least: bool
    """Something has no price."""
    switches: int
    links: int
    busbw_gb_s: Mapping[str, float | None]
    limited_by: Mapping[str, str | None]


class BuiltStep(StepFigures):
    """The same of a changed design, and the change."""

    network_usd_change: float | None
    """Typical; null where parts have no price."""
    switches_change: int
    links_change: int
    busbw_ratio: Mapping[str, float | None]


class Step(Record):
    key: StepKey
    title: str
    change: Change | None
    """Values by dotted key; null where there is no such step."""
    built: BuiltStep | None
    """Null where it cannot be built: problems say why."""
    problems: list[Problem]
    findings: list[Finding]
    """Warnings and errors that the step brings."""

    @property
    def remark(self) -> str:
        """The one finding that matters most: a part that is missing, as no price is known then; else the first."""
        ranked = sorted(self.findings, key=lambda one: (one.severity != "error", one.code != NO_PART))
        return ranked[0].message if ranked else ""


class Sensitivity(Record):
    """What each step more would cost and bring."""

    versions: Versions
    base: StepFigures
    variants: list[Step]


@dataclass(frozen=True)
class _Step:
    """One change of the design; ``change`` is None where there is no such step, for the reason in ``problems``."""

    key: StepKey
    title: str
    change: Change | None
    problems: tuple[Problem, ...] = ()


def sensitivity(spec: DesignSpec, catalog: Catalog) -> Sensitivity:
    """What each step more would cost and bring.

    Raises
    ------
    InfeasibleDesign
        If the design itself cannot be built.
    """
    catalog = catalog_of(spec, catalog)
    _, (fabric,) = sized_fabrics([spec], catalog)
    tried = [_tried(step, spec, catalog) for step in _steps(spec, fabric, catalog)]
    made = estimate([spec, *(found for _, found in tried if found)], catalog, PARTS)
    base, others = made[0], iter(made[1:])
    figures = _figures(base)
    return Sensitivity(
        versions=Versions(model=MODEL_VERSION, catalog=catalog.version),
        base=figures,
        variants=[_variant(step, next(others) if found else None, base, figures) for step, found in tried],
    )


def _steps(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog) -> list[_Step]:
    compute = spec.compute
    nics, ports = compute.nics_per_node or 1, compute.nic_ports_per_node or 1
    uplinks, planes = fabric.leaf_uplinks, spec.fabric.planes
    return [
        _Step("uplink", f"{uplinks + 1} uplinks a leaf", {"fabric.leaf_uplinks": uplinks + 1})
        if uplinks
        else _Step("uplink", "One more uplink a leaf", None, (_NO_UPLINKS,)),
        _Step(
            "rail",
            f"{nics + 1} NICs a node",
            {"compute.nics_per_node": nics + 1, "compute.nic_ports_per_node": ports // nics * (nics + 1)},
        ),
        _next_generation(spec, catalog),
        _Step(
            "plane",
            f"{planes + 1} planes",
            {"fabric.planes": planes + 1, "compute.nic_ports_per_node": nics * (planes + 1)},
        ),
    ]


_NO_UPLINKS = Problem(
    "fabric.leaf_uplinks", "no_uplinks", "One leaf joins all nodes, so there are no uplinks to add to."
)


def _next_generation(spec: DesignSpec, catalog: Catalog) -> _Step:
    """The generation of the same protocol with the next higher port rate, with its own usual switches."""
    now, rate = catalog.generations[spec.fabric.generation], port_rate(spec.fabric, catalog)
    faster = [g for g in catalog.generations.values() if g.protocol == now.protocol and g.port_rate_gbit_s > rate]
    if not faster:
        message = f"The catalog has no generation of {now.protocol} beyond {rate} Gb/s ports ({now.label})."
        return _Step("generation", "The next generation", None, (Problem("fabric.generation", "no_faster", message),))
    chosen = min(faster, key=lambda g: g.port_rate_gbit_s)
    change = {"fabric.generation": chosen.id, **dict.fromkeys(_SWITCH_KEYS), "fabric.uplink_rate_gbit_s": None}
    return _Step("generation", chosen.label, change)


def _tried(step: _Step, spec: DesignSpec, catalog: Catalog) -> tuple[_Step, DesignSpec | None]:
    """The step with its spec, or with the problems of a spec that is refused."""
    if step.change is None:
        return step, None
    try:
        changed = parse_spec(apply_change(spec.as_json(), step.change), catalog)
        sized_fabrics([changed], catalog)
    except EstimatorError as error:
        return _Step(step.key, step.title, step.change, error.problems), None
    return step, changed


def _variant(step: _Step, made: Estimate | None, base: Estimate, figures: StepFigures) -> Step:
    known = {(finding.code, finding.field) for finding in base.findings}
    found = made.findings if made else []
    return Step(
        key=step.key,
        title=step.title,
        change=step.change,
        built=_with_changes(_figures(made), figures) if made else None,
        problems=list(step.problems),
        findings=[f for f in found if f.severity != "info" and (f.code, f.field) not in known],
    )


def _figures(made: Estimate) -> StepFigures:
    """Money, parts and bandwidth of one estimate: busbw of the largest message on all GPUs, and what limits it."""
    if made.cost is None:
        raise ValueError("figures of a design need its cost")
    tables = {name: made.performance.curves(name) if made.performance else None for name in COLLECTIVES}
    return StepFigures(
        network_usd=made.cost.capex_usd.network,
        at_least=made.cost.at_least,
        switches=made.compute.counts.switches,
        links=made.compute.links.total,
        busbw_gb_s={name: table.busbw_gb_s[-1][-1] if table else None for name, table in tables.items()},
        limited_by={name: table.limited_by[-1][-1] if table else None for name, table in tables.items()},
    )


def _with_changes(figures: StepFigures, base: StepFigures) -> BuiltStep:
    ratios = {name: _ratio(busbw, base.busbw_gb_s[name]) for name, busbw in figures.busbw_gb_s.items()}
    is_known = base.at_least or not figures.at_least  # else the change brings parts without a price
    return BuiltStep(
        **vars(figures),
        network_usd_change=figures.network_usd.typical - base.network_usd.typical if is_known else None,
        switches_change=figures.switches - base.switches,
        links_change=figures.links - base.links,
        busbw_ratio=ratios,
    )


def _ratio(busbw: float | None, before: float | None) -> float | None:
    return busbw / before if busbw and before else None
