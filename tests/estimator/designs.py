"""Designs from a few words, for the tests of counts, findings, cabling, BOM, power and cost."""

from dataclasses import dataclass
from typing import Any

from estimator.bom.bill import bill_of_materials
from estimator.bom.lines import Bom
from estimator.cabling.runs import CablePlan
from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import load_catalog
from estimator.designs.networks import design_plan
from estimator.fabric import size as sizing
from estimator.fabric.size import size
from estimator.fabric.sized import SizedFabric, fabric_of
from estimator.pipeline import estimate
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec

# eight GPUs and eight 400 Gb/s NICs a node: the usual system of a prediction
H100_NODES: dict[str, Any] = {
    "gpu": "h100-sxm",
    "gpus_per_node": 8,
    "scale_up_domain_gpus": 8,
    "nics_per_node": 8,
    "nic_gbit_s": 400,
    "fabric": "infiniband",
}

# dollars of one piece (low, typical, high) that hand-worked money stands on, whatever the catalog's market says
HAND_USD = {
    "hgx-h100-8u": (230_000, 270_000, 317_000),
    "nvidia-qm9700": (32_000, 48_000, 64_000),
    "nv-mma4z00-ns": (700, 879, 1_600),
    "nv-mma4z00-ns400": (500, 769, 1_100),
}
HAND_PRICES: dict[str, Any] = {
    "name": "By hand",
    "prices": [
        {
            "part": part,
            "low": low * 100,
            "typical": typical * 100,
            "high": high * 100,
            "basis": "list",
            "as_of": "2026-11-27",
        }
        for part, (low, typical, high) in HAND_USD.items()
    ],
}


@dataclass(frozen=True)
class Design:
    """A spec with what the estimator made of it."""

    spec: DesignSpec
    fabric: SizedFabric
    plan: CablePlan
    bom: Bom

    @property
    def bill(self) -> dict[str, Any]:
        """The BOM as JSON."""
        return self.bom.shown().as_json()

    def lines(self, **wanted: Any) -> list[dict[str, Any]]:
        """BOM lines whose keys have these values."""
        return [line for line in self.bill["lines"] if all(line[key] == value for key, value in wanted.items())]


def design(
    catalog: Catalog,
    server: str,
    nodes: int,
    generation: str,
    site: dict[str, Any] | None = None,
    economics: dict[str, Any] | None = None,
    compute: dict[str, Any] | None = None,
    **fabric: Any,
) -> Design:
    """A design of ``nodes`` servers; further keys are the fabric's."""
    spec = parse_spec(
        {
            "compute": {"server": server, "nodes": nodes, **(compute or {})},
            "fabric": {"generation": generation, **fabric},
            "site": site or {},
            "economics": economics or {},
        },
        catalog,
    )
    sized = fabric_of(size([spec], catalog), 0, spec)
    plan = design_plan(spec, sized, catalog)
    return Design(spec, sized, plan, bill_of_materials(spec, sized, plan, catalog))


def superpod_h100(catalog: Catalog, economics: dict[str, Any] | None = None) -> Design:
    """The published DGX H100 SuperPOD of four scalable units: 127 nodes, 4 fabric-manager links, 48 switches."""
    return design(
        catalog,
        "dgx-h100",
        127,
        "ndr",
        None,
        economics,
        leaf_switch="nvidia-qm9700",
        scalable_unit_nodes=32,
        provision="full-unit",
        reserved={"fabric_manager_links": 4},
    )


def forget_choices() -> None:
    """What designs have settled on is forgotten, so that the next ones are worked out."""
    sizing._kept.clear()


def spec_of(nodes: int, ports: int = 8, **fabric: Any) -> DesignSpec:
    """A custom cluster on switches of any radix."""
    compute = {"nodes": nodes, "gpus_per_node": max(ports, 1), "nics_per_node": ports, "nic_ports_per_node": ports}
    return parse_spec({"compute": compute, "fabric": {"generation": "ndr", **fabric}}, load_catalog())


def counts_of(spec: DesignSpec) -> dict[str, Any]:
    """fabrics.compute of one design, all parts."""
    (made,) = estimate([spec], load_catalog(), ("counts", "links", "cables"))
    return made.fabrics["compute"].as_json()


def found(spec: DesignSpec) -> dict[str, str]:
    """Codes and messages of the findings of one design."""
    (made,) = estimate([spec], load_catalog(), ("counts",))
    return {finding.code: finding.message for finding in made.findings}
