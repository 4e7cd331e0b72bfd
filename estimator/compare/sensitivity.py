"""What one step more buys: an uplink, a rail, the next generation, a plane, each in money and in bandwidth.

Every variant is the design with one change, sized and estimated like any other, all in one batch; what cannot be built says
why. Bandwidths are those of the largest message on all GPUs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from estimator.catalog.catalog import Catalog
from estimator.designs.networks import sized_fabrics
from estimator.errors import Change, EstimatorError, Problem
from estimator.fabric.sized import SizedFabric
from estimator.performance.result import Performance
from estimator.pipeline import estimate
from estimator.result import Estimate
from estimator.spec.change import apply_change
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec
from estimator.spec.rates import port_rate
from estimator.version import MODEL_VERSION

COLLECTIVES = ("all_reduce", "alltoall")  # what rings and trees send, and what everybody sends everybody
PARTS = ("counts", "cables", "bom", "cost", "performance")
_SWITCH_KEYS = tuple(f"fabric.{tier}_{what}" for tier in ("leaf", "spine", "core") for what in ("switch", "radix"))


@dataclass(frozen=True)
class _Step:
    """One change of the design; ``change`` is None where there is no such step, for the reason in ``problems``."""

    key: str
    title: str
    change: Change | None
    problems: tuple[Problem, ...] = ()


def sensitivity(spec: DesignSpec, catalog: Catalog) -> dict[str, Any]:
    """What each step more would cost and bring.

    Returns
    -------
    ``{"versions", "base": {…}, "variants": [{"key", "title", "change", "built": {…} or None, "problems", "findings"}]}``;
    ``built`` has ``network_usd``, ``switches``, ``links``, ``busbw_gb_s`` and ``limited_by`` by collective, and ``…_change``
    or ``…_ratio`` against the base.

    Raises
    ------
    InfeasibleDesign
        If the design itself cannot be built.
    """
    _, (fabric,) = sized_fabrics([spec], catalog)
    tried = [_tried(step, spec, catalog) for step in _steps(spec, fabric, catalog)]
    made = estimate([spec, *(found for _, found in tried if found)], catalog, PARTS)
    base, others = made[0], iter(made[1:])
    figures = _figures(base)
    return {
        "versions": {"model": MODEL_VERSION, "catalog": catalog.version},
        "base": figures,
        "variants": [_variant(step, next(others) if found else None, base, figures) for step, found in tried],
    }


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


def _variant(step: _Step, made: Estimate | None, base: Estimate, figures: Mapping[str, Any]) -> dict[str, Any]:
    known = {(finding.code, finding.field) for finding in base.findings}
    found = made.findings if made else []
    new = [f.as_json() for f in found if f.severity != "info" and (f.code, f.field) not in known]
    return {
        "key": step.key,
        "title": step.title,
        "change": None if step.change is None else dict(step.change),
        "built": _with_changes(_figures(made), figures) if made else None,
        "problems": [problem.as_json() for problem in step.problems],
        "findings": new,
    }


def _figures(made: Estimate) -> dict[str, Any]:
    """Money, parts and bandwidth of one estimate."""
    compute = made.fabrics["compute"]
    if made.cost is None:
        raise ValueError("figures of a design need its cost")
    return {
        "network_usd": made.cost.capex_usd.network.as_json(),
        "at_least": made.cost.at_least,
        "switches": compute.counts.switches,
        "links": compute.links.total,
        **_at_the_end(made.performance),
    }


def _at_the_end(performance: Performance | None) -> dict[str, Any]:
    """busbw of the largest message on all GPUs, and what limits it, by collective; None where nothing is predicted."""
    tables = {name: performance.curves(name) if performance else None for name in COLLECTIVES}
    return {
        "busbw_gb_s": {name: table.busbw_gb_s[-1][-1] if table else None for name, table in tables.items()},
        "limited_by": {name: table.limited_by[-1][-1] if table else None for name, table in tables.items()},
    }


def _with_changes(figures: dict[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    busbw, before = figures["busbw_gb_s"], base["busbw_gb_s"]
    ratios: dict[str, float | None] = {
        name: busbw[name] / before[name] if busbw[name] and before[name] else None for name in busbw
    }
    return {
        **figures,
        "network_usd_change": _difference(figures, base),
        "switches_change": figures["switches"] - base["switches"],
        "links_change": figures["links"] - base["links"],
        "busbw_ratio": ratios,
    }


def _difference(after: Mapping[str, Any], before: Mapping[str, Any]) -> float | None:
    """Typical price after − before; None where the change brings parts without a price."""
    if after["network_usd"] is None or before["network_usd"] is None or (after["at_least"] and not before["at_least"]):
        return None
    return float(after["network_usd"]["typical"] - before["network_usd"]["typical"])
