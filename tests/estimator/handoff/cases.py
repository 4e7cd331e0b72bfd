"""Networks whose files for schedulers, labs, drawings and simulators are read back, and how their links are read."""

import re
from collections import Counter, defaultdict
from functools import cache
from typing import Any

from estimator.cabling.links import LinkList
from estimator.catalog.loader import load_catalog
from estimator.handoff.formats import FORMATS
from estimator.link_list import link_list
from estimator.spec.parse import parse_spec

FOUR_UNITS = {"server": "dgx-h100", "nodes": 127}
FOUR_UNITS_FABRIC = {
    "generation": "ndr",
    "scalable_unit_nodes": 32,
    "provision": "full-unit",
    "reserved": {"fabric_manager_links": 4},
}


def custom(nodes: int, ports: int, gpus: int | None = None, **more: Any) -> dict[str, Any]:
    """Servers that the catalog does not have."""
    gpus = ports if gpus is None else gpus
    return {"nodes": nodes, "gpus_per_node": gpus, "nics_per_node": ports, "nic_ports_per_node": ports, **more}


def small(radix: int, **more: Any) -> dict[str, Any]:
    """A fabric of custom switches."""
    return {
        "generation": "ndr",
        "leaf_switch": "custom",
        "leaf_radix": radix,
        "spine_radix": radix,
        "core_radix": radix,
        **more,
    }


SPECS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "four units": (FOUR_UNITS, FOUR_UNITS_FABRIC),
    "odd": (custom(37, 5), small(20)),
    "three to one": (custom(50, 4), small(16, oversubscription="3:1")),
    "three tiers": (custom(70, 4), small(16)),
    "three tiers of pods": (custom(45, 4), small(16, tiers=3, pod_nodes=16)),
    "planes": (custom(20, 4, 2), small(16, planes=2)),
    "rail only": (custom(30, 4), small(16, layout="rail-only")),
    "rail only, planes, one tier": (custom(9, 4), small(16, layout="rail-only", planes=2)),
    "two rails a leaf": (custom(25, 4), small(16, rails_per_leaf=2, grow_to_nodes=40)),
    "ports kept free": (custom(30, 4), small(16, reserved={"leaf_ports": 1, "fabric_manager_links": 3})),
    "top of rack": (custom(22, 3), small(16, layout="top-of-rack", leaf_downlinks=8)),
    "top of rack, three tiers": (custom(60, 4), small(12, layout="top-of-rack", provision="full-unit")),
    "splitters": (custom(24, 4), {"generation": "hdr", "splitters": True, "leaf_radix": 16, "leaf_switch": "custom"}),
    "one tier": (custom(4, 8), small(64)),
    "one node": (custom(1, 8), small(64, tiers=2)),
    "uneven": (custom(50, 8), small(36, uplink_spread="uneven", leaf_downlinks=8, leaf_uplinks=4)),
    "uplinks of 800G": (custom(24, 4), {"generation": "roce-400", "leaf_switch": "nvidia-sn5600", "leaf_radix": 16,
                                        "spine_switch": "nvidia-sn5600", "spine_radix": 16, "uplink_rate_gbit_s": 800}),
    "uplinks of XDR": (custom(30, 4), {"generation": "ndr", "leaf_switch": "nvidia-q3400-ra", "leaf_radix": 24,
                                       "spine_radix": 16, "uplink_rate_gbit_s": 800,
                                       "reserved": {"fabric_manager_links": 2}}),
    "uplinks of half the rate": (custom(20, 4), {"generation": "roce-800", "leaf_switch": "custom", "leaf_radix": 16,
                                                 "uplink_rate_gbit_s": 400}),
    "ethernet": ({"server": "dgx-h100", "nodes": 12}, {"generation": "roce-400"}),
    "shared NICs": (custom(10, 4, 8), small(16)),
    "domains of racks": (custom(40, 4, scale_up_domain_gpus=72), small(32)),
    "domains that cross leaves": (custom(40, 4, scale_up_domain_gpus=20), small(16)),
}  # fmt: skip
NETWORKS = {
    "storage": {"role": "storage", "extra_endpoints": 10},
    "in-band": {"role": "in-band", "dual_homed": True, "peer_links": 2, "ports_per_node": 2},
    "out-of-band": {"role": "out-of-band"},
}
RAILS = [name for name, (_, fabric) in SPECS.items() if fabric.get("layout") != "top-of-rack"]


@cache
def links_of(name: str) -> LinkList:
    """The compute fabric of one of SPECS, or one of NETWORKS beside 40 DGX H100."""
    catalog = load_catalog()
    if name in NETWORKS:
        compute, fabric = {"server": "dgx-h100", "nodes": 40}, {"generation": "ndr"}
        spec = {"compute": compute, "fabric": fabric, "other_fabrics": list(NETWORKS.values())}
        return link_list(parse_spec(spec, catalog), catalog, name)
    compute, fabric = SPECS[name]
    return link_list(parse_spec({"name": f"Test: {name} <&>", "compute": compute, "fabric": fabric}, catalog), catalog)


@cache
def rows_of(name: str) -> list[dict[str, Any]]:
    """Its links, by column."""
    return [row._asdict() for row in links_of(name).rows()]


def text(links: LinkList, format_name: str) -> str:
    return b"".join(FORMATS[format_name].write(links)).decode()


def leaves_of_nodes(name: str) -> dict[str, Counter[str]]:
    """Links from every node to each of its leaves."""
    out: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows_of(name):
        if row["tier"] == "node-leaf":
            out[row["a_device"]][row["b_device"]] += 1
    return out


def expand(expression: str) -> list[str]:
    """A Slurm hostlist, name by name."""
    names = []
    for item in re.findall(r"[^,\[\]]+(?:\[[^\]]*\])?", expression):
        prefix, _, ranges = item.partition("[")
        if not ranges:
            names.append(prefix)
        for span in ranges.rstrip("]").split(",") if ranges else ():
            first, _, last = span.partition("-")
            names += [f"{prefix}{n:0{len(first)}d}" for n in range(int(first), int(last or first) + 1)]
    return names


@cache
def large(layout: str) -> LinkList:
    """4,096 nodes of 8 ports in three tiers."""
    catalog = load_catalog()
    fabric = {"generation": "ndr", "layout": layout, "uplink_spread": "even"}
    return link_list(parse_spec({"compute": custom(4096, 8), "fabric": fabric}, catalog), catalog)
