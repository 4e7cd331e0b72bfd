"""What OpenSM and Slurm themselves say of exported fabrics, against what the estimate says of them."""

from pathlib import Path
from typing import Any

import pytest

from estimator.catalog.loader import load_catalog
from estimator.handoff.formats import FORMATS
from estimator.link_list import link_list
from estimator.pipeline import estimate
from estimator.spec.parse import parse_spec
from tests.estimator.handoff.fabric_tools import (
    TAKEN,
    needs_opensm,
    needs_slurm,
    one_subnet,
    opensm_log,
    rows_of,
    slurm_log,
    slurm_switches,
)

CATALOG = load_catalog()


def named(server: str, nodes: int, generation: str, **fabric: Any) -> dict[str, Any]:
    return {"compute": {"server": server, "nodes": nodes}, "fabric": {"generation": generation, **fabric}}


def custom(nodes: int, ports: int, **fabric: Any) -> dict[str, Any]:
    compute = {"server": "custom", "nodes": nodes, "gpus_per_node": ports, "nics_per_node": ports}
    return {"compute": compute, "fabric": {"generation": "hdr", **fabric}}


SMALL = {"leaf_radix": 8, "spine_radix": 8, "core_radix": 8}
FABRICS: dict[str, dict[str, Any]] = {
    "one unit of DGX H100": named(
        "dgx-h100", 31, "ndr", scalable_unit_nodes=32, provision="full-unit", reserved={"fabric_manager_links": 4}
    ),
    "four units of DGX H100": named(
        "dgx-h100", 127, "ndr", scalable_unit_nodes=32, provision="full-unit", reserved={"fabric_manager_links": 4}
    ),
    "as drawn, 100 DGX H100": named("dgx-h100", 100, "ndr"),
    "as drawn, 90 DGX B200 at 2:1": named("dgx-b200", 90, "ndr", oversubscription="2:1"),
    "as drawn, 72 DGX B300": named("dgx-b300", 72, "xdr"),
    "two units of DGX A100": named("dgx-a100-640", 40, "hdr", scalable_unit_nodes=20),
    "two planes": named("dgx-b300", 64, "ndr", planes=2),
    "top of rack": custom(60, 1, leaf_radix=20, spine_radix=20, layout="top-of-rack"),
    "room to grow": custom(20, 4, leaf_radix=16, spine_radix=16, grow_to_nodes=32),
    "three tiers": custom(64, 1, **SMALL, tiers=3, layout="top-of-rack"),
    "three tiers, pods that differ": custom(20, 1, **SMALL, tiers=3, scalable_unit_nodes=4, pod_nodes=16),
    "uneven, spines alike": custom(130, 4, leaf_radix=24, spine_radix=24, uplink_spread="uneven", scalable_unit_nodes=12),
    "uneven, spines that differ": custom(40, 1, leaf_radix=8, spine_radix=16, leaf_downlinks=5, leaf_uplinks=3,
                                         layout="top-of-rack", uplink_spread="uneven", tiers=2),
    "uneven, links in one and in two": custom(30, 1, leaf_radix=16, spine_radix=24, leaf_downlinks=9, leaf_uplinks=7,
                                              layout="top-of-rack", uplink_spread="uneven", tiers=2),
}  # fmt: skip
REFUSED = {"three tiers, pods that differ", "uneven, spines that differ", "uneven, links in one and in two"}


def exported(values: dict[str, Any], form: str) -> str:
    """What the links of a design are in a format."""
    return b"".join(FORMATS[form].write(link_list(parse_spec(values, CATALOG), CATALOG))).decode()


@needs_opensm
@pytest.mark.parametrize("name", FABRICS)
def test_opensm_routes_by_fat_tree_where_no_finding_says_otherwise(name: str, tmp_path: Path) -> None:
    values = FABRICS[name]
    (made,) = estimate([parse_spec(values, CATALOG)], CATALOG, ("counts",))
    warned = any(finding.code == "opensm_fat_tree_asymmetric" for finding in made.findings)
    log = opensm_log(one_subnet(rows_of(exported(values, "csv"))), tmp_path)
    assert "SUBNET UP" in log
    assert (TAKEN in log) != warned
    assert warned == (name in REFUSED), "a case of each kind stays in the list"


@needs_slurm
@pytest.mark.parametrize("name", ["one unit of DGX H100", "four units of DGX H100", "three tiers", "top of rack"])
def test_slurm_reads_the_topology(name: str, tmp_path: Path) -> None:
    values = FABRICS[name]
    topology = exported(values, "slurm-topology-conf")
    log = slurm_log(topology, values["compute"]["nodes"], tmp_path)
    read = slurm_switches(log)
    written = [
        line.split()[0].removeprefix("SwitchName=") for line in topology.splitlines() if line.startswith("SwitchName=")
    ]
    assert sorted(read) == sorted(written)
    top = max(read.values())
    assert top[1] == f"node-[0001-{values['compute']['nodes']:04d}]", "the switch on top has every node below it"
