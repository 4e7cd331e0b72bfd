"""Designs whose settings the tests read: RoCE of one to three tiers, planes, custom boxes, other vendors, InfiniBand."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from estimator.bringup.plan.design import plan_of
from estimator.bringup.plan.plan import Plan
from estimator.catalog.loader import load_catalog
from estimator.spec.parse import parse_spec


def _of(nodes: int, generation: str, server: str = "dgx-h100", **fabric: Any) -> dict[str, Any]:
    return {"compute": {"server": server, "nodes": nodes}, "fabric": {"generation": generation, **fabric}}


SMALL: dict[str, Any] = {"leaf_radix": 16, "spine_radix": 16, "core_radix": 16}
DESIGNS: dict[str, dict[str, Any]] = {
    "one tier": _of(8, "roce-400", layout="top-of-rack"),
    "two tiers": {
        **_of(12, "roce-400", tiers=2),
        "site": {"plan": {}, "set_lengths": [{"a": "leaf-r1-001", "b": "spine-001", "length_m": 47.4}]},
    },
    "three tiers": _of(12, "roce-400", tiers=3, layout="top-of-rack", **SMALL),
    "planes": _of(4, "roce-400", planes=2, server="dgx-b300"),
    "Arista": _of(8, "roce-400", tiers=2, leaf_switch="arista-7060x6-64pe", spine_switch="arista-7060x6-64pe"),
    "mixed": _of(8, "roce-400", tiers=2, leaf_switch="juniper-qfx5240-64od", spine_switch="cisco-n9364e-sg2"),
    "custom": {
        "compute": {
            "server": "custom",
            "gpu": "mi300x",
            "nodes": 6,
            "gpus_per_node": 8,
            "nics_per_node": 8,
            "nic_ports_per_node": 8,
        },
        "fabric": {
            "generation": "roce-200",
            "layout": "top-of-rack",
            "tiers": 2,
            "leaf_switch": "custom",
            "spine_switch": "custom",
            "leaf_radix": 20,
            "spine_radix": 20,
        },
    },
    "InfiniBand": _of(16, "ndr", tiers=2),
    "InfiniBand, three tiers": _of(12, "ndr", tiers=3, **SMALL),
}
ROCE = [name for name in DESIGNS if not name.startswith("InfiniBand")]


@lru_cache(maxsize=len(DESIGNS))
def plan_named(name: str) -> Plan:
    """The plan of one of DESIGNS."""
    return plan_of_values(DESIGNS[name])


def plan_of_values(values: Mapping[str, Any]) -> Plan:
    """The plan of a design."""
    catalog = load_catalog()
    return plan_of(parse_spec(dict(values), catalog), catalog)
