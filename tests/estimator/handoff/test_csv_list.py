"""The link list as a stranger would check it: read the CSV, and hold it to the estimate of the same design.

Nothing of the program but the two outputs is used: ports stand once, switches stay within their radix, counts of links,
cables and transceivers are the estimate's, and the stated worst ratio is that of the links.
"""

import csv
import io
from collections import Counter, defaultdict
from fractions import Fraction
from typing import Any

import pytest

from estimator.cabling.links import COLUMNS
from estimator.catalog.loader import load_catalog
from estimator.handoff.formats import FORMATS
from estimator.link_list import link_list
from estimator.pipeline import estimate
from estimator.spec.parse import parse_spec

CATALOG = load_catalog()
TIER_KEYS = {
    "node-leaf": "node_leaf",
    "fabric-manager": "fabric_manager",
    "leaf-spine": "leaf_spine",
    "spine-core": "spine_core",
}


def design(
    nodes: int, generation: str, server: str = "custom", compute: dict[str, Any] | None = None, **fabric: Any
) -> Any:
    return {
        "compute": {"server": server, "nodes": nodes, **(compute or {})},
        "fabric": {"generation": generation, **fabric},
    }


SPECS: dict[str, Any] = {
    "superpod": design(127, "ndr", "dgx-h100", scalable_unit_nodes=32, reserved={"fabric_manager_links": 4}),
    "one node": design(1, "ndr", "dgx-h100"),
    "one leaf": design(7, "ndr", "dgx-h100", layout="top-of-rack"),
    "odd, 3:1": design(77, "ndr", "dgx-h100", oversubscription="3:1", tiers=2),
    "33:7": design(131, "ndr", "hgx-h100-8u", leaf_downlinks=33, leaf_uplinks=7, tiers=2, uplink_spread="uneven"),
    "top-of-rack": design(61, "ndr", "dgx-h100", layout="top-of-rack"),
    "three tiers": design(300, "ndr", "dgx-h100"),
    "three tiers, pods": design(500, "ndr", "dgx-h100", tiers=3, pod_nodes=64, spine_oversubscription="2:1"),
    "three tiers, top-of-rack": design(150, "hdr", "dgx-a100-640", tiers=3, layout="top-of-rack"),
    "two planes": design(70, "roce-400", "dgx-b300", planes=2),
    "rail-only": design(50, "ndr", "dgx-h100", layout="rail-only"),
    "rail-only, two planes": design(200, "roce-400", "dgx-b300", layout="rail-only", planes=2),
    "two rails a leaf": design(60, "ndr", "dgx-h100", rails_per_leaf=2),
    "full units": design(41, "ndr", "dgx-h100", provision="full-unit", tiers=2),
    "growth": design(60, "ndr", "dgx-h100", grow_to_nodes=120),
    "reserved": design(60, "ndr", "dgx-h100", reserved={"leaf_ports": 5, "spine_ports": 3}),
    "uneven": design(91, "ndr", "dgx-h100", uplink_spread="uneven", tiers=2),
    "uneven, three tiers": design(333, "ndr", "dgx-h100", uplink_spread="uneven", tiers=3),
    "edr": design(45, "edr", compute={"nics_per_node": 4}),
    "hdr": design(140, "hdr", "dgx-a100-640"),
    "hdr100": design(150, "hdr", compute={"nics_per_node": 1}, splitters=True, layout="top-of-rack"),
    "ndr200": design(90, "ndr", "hgx-h100-8u", splitters=True),
    "ndr200 with managers": design(
        21,
        "ndr",
        layout="top-of-rack",
        splitters=True,
        tiers=2,
        compute={"nics_per_node": 8},
        reserved={"fabric_manager_links": 3},
    ),
    "xdr": design(100, "xdr", "dgx-b300"),
    "roce-800": design(64, "roce-800", "vr-nvl72-tray"),
    "arista": design(64, "roce-400", "hgx-h100-8u", leaf_switch="arista-7060x6-64pe"),
    "junos": design(64, "roce-400", "hgx-h100-8u", leaf_switch="juniper-qfx5240-64od"),
    "custom radix": design(64, "ndr", leaf_radix=40, spine_radix=24, core_radix=20),
}


def read_csv(spec: Any) -> list[dict[str, str]]:
    text = b"".join(FORMATS["csv"].write(link_list(spec, CATALOG))).decode()
    lines = [line for line in text.splitlines(keepends=True) if not line.startswith("#")]
    reader = csv.DictReader(io.StringIO("".join(lines)))
    assert tuple(reader.fieldnames or ())[: len(COLUMNS)] == COLUMNS
    return list(reader)


@pytest.mark.parametrize("name", SPECS)
def test_the_csv_is_the_estimate(name: str) -> None:
    spec = parse_spec(SPECS[name], CATALOG)
    (made,) = estimate([spec], CATALOG, ("counts", "cables"))
    compute = made.as_json()["fabrics"]["compute"]
    rows = read_csv(spec)
    check_ports(rows, compute)
    check_counts(rows, compute, spec)
    check_modules(rows, compute)
    check_ratio(rows, compute, spec)


def check_ports(rows: list[dict[str, str]], compute: dict[str, Any]) -> None:
    ends = Counter((row[f"{side}_device"], row[f"{side}_port"]) for row in rows for side in "ab")
    assert max(ends.values()) == 1
    ports = Counter(device for device, _ in ends)
    for role, switch in compute["switches"].items():
        lanes = 2 if compute["endpoint_rate_gbit_s"] < compute["port_rate_gbit_s"] and role == "leaf" else 1
        used = [count for device, count in ports.items() if device.startswith(role)]
        assert len(used) == compute["counts"][role]
        assert max(used) <= switch["radix"] * lanes


def check_counts(rows: list[dict[str, str]], compute: dict[str, Any], spec: Any) -> None:
    tiers = Counter(row["tier"] for row in rows)
    assert {key: tiers[tier] for tier, key in TIER_KEYS.items()} == compute["links"]
    assert [int(row["link"]) for row in rows] == list(range(1, len(rows) + 1))
    nodes = Counter(row["a_device"] for row in rows if row["tier"] == "node-leaf")
    assert len(nodes) == compute["counts"]["nodes"]
    assert set(nodes.values()) == {spec.compute.nic_ports_per_node}
    for tier, key in TIER_KEYS.items():
        cables = {row["cable"] for row in rows if row["tier"] == tier}
        links_a_cable = max(Counter(row["cable"] for row in rows if row["tier"] == tier).values(), default=1)
        if compute["cables"][key] <= tiers[tier]:  # more cables than links: a link takes several
            assert len(cables) == compute["cables"][key], (tier, links_a_cable)
    assert not {row["cable"] for row in rows if row["tier"] == "node-leaf"} & {
        row["cable"] for row in rows if row["tier"] != "node-leaf"
    }


def check_modules(rows: list[dict[str, str]], compute: dict[str, Any]) -> None:
    """A cage that ends a fibre holds a transceiver; one that ends a cable of its own holds none."""
    cages: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for row in rows:
        if row["media"] in ("multimode", "single-mode"):
            for side in "ab":
                kind = row[f"{side}_device"].split("-")[0]
                group = "node" if kind == "node" else "fabric_manager" if kind == "manager" else "switch"
                cages[group].add((row[f"{side}_device"], row[f"{side}_cage"]))
    found = {group: len(cages[group]) for group in ("node", "switch", "fabric_manager")}
    assert found == compute["transceivers"]


def check_ratio(rows: list[dict[str, str]], compute: dict[str, Any], spec: Any) -> None:
    """Down over up of every leaf, in Gb/s; in full units and grown designs ports held open count as well."""
    if compute["tiers"] < 2 or spec.fabric.provision == "full-unit":
        return
    down: Counter[str] = Counter()
    up: Counter[str] = Counter()
    for row in rows:
        rate = int(row["rate_gbit_s"])
        if row["tier"] == "node-leaf" or row["tier"] == "fabric-manager":
            down[row["b_device"]] += rate
        elif row["tier"] == "leaf-spine":
            up[row["a_device"]] += rate
    worst = max(Fraction(down[leaf], up[leaf]) for leaf in up)
    built = Fraction(sum(down.values()), sum(up.values()))
    said = compute["oversubscription"]
    assert Fraction(*map(int, said["worst_leaf"].split(":"))) == worst
    assert Fraction(*map(int, said["built"].split(":"))) == built
