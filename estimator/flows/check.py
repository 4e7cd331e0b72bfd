"""The model's uplinks against the solver on fabrics that the project wires itself: all-to-all, and rings in random order.

No run is published of oversubscribed fabrics or scattered ranks, so that geometry is all there is: ``python -m
estimator.flows.check`` solves forty-two fabrics and writes ``agreement.csv``, which the validation page shows.
"""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.catalog.loader import load_catalog
from estimator.flows.solver import fair_rates
from estimator.flows.traffic import Fabric, all_to_all, fabric_of, ring
from estimator.link_list import link_list
from estimator.performance.bandwidth import EVERYBODY, host_network_bandwidth, system_columns, uplink_bandwidth
from estimator.pipeline import system_of_design
from estimator.record import Json
from estimator.spec.parse import parse_spec

AGREEMENT = Path(__file__).parent / "agreement.csv"
ORDERS = 64  # random orders of the nodes that a ring's rate is the mean of
SEED = 16
ALL_RAILS = 512  # nodes up to which all rails are solved together; beyond, one of them, as rails share no link
PATTERNS = ("all-to-all", "ring, random order")


@dataclass(frozen=True)
class Case:
    """One fabric, with spines that have failed."""

    nodes: int
    server: str
    generation: str
    oversubscription: str
    layout: str = "rail-optimized"
    planes: int = 1
    tiers: int = 2
    spine_oversubscription: str = "1:1"
    failed_spines: int = 0

    @property
    def design(self) -> Json:
        """The design that it is a fabric of."""
        fabric = {
            "generation": self.generation,
            "oversubscription": self.oversubscription,
            "layout": self.layout,
            "planes": self.planes,
            "tiers": self.tiers,
        }
        if self.tiers == 3:
            fabric |= {"spine_oversubscription": self.spine_oversubscription}
        return {"compute": {"server": self.server, "nodes": self.nodes}, "fabric": fabric}


@dataclass(frozen=True)
class Agreement:
    """Share of the NICs' rate that a pattern gets: as the model has it, and as the solver finds it."""

    case: Case
    pattern: str
    model: float
    solver: float

    @property
    def difference(self) -> float:
        """model ÷ solver − 1."""
        return self.model / self.solver - 1.0


def cases() -> list[Case]:
    """Forty fabrics of up to 4,096 GPUs, and larger ones of three tiers.

    Leaves specified as 1:1 to 7:1, two and three tiers, rails and top of rack, planes, failed spines.
    """
    two = [
        Case(nodes, "dgx-h100", "ndr", ratio, layout)
        for layout, all_nodes in (("rail-optimized", (64, 128)), ("top-of-rack", (32, 64)))
        for nodes in all_nodes
        for ratio in ("2:1", "3:1", "4:1", "7:1")
    ]
    planes = [Case(128, "dgx-h100", "ndr", ratio, planes=2) for ratio in ("2:1", "4:1")]
    failed = [
        Case(nodes, "dgx-h100", "ndr", ratio, layout, failed_spines=1)
        for layout, nodes in (("rail-optimized", 128), ("top-of-rack", 64))
        for ratio in ("1:1", "2:1", "3:1", "4:1")
    ]
    three = [
        Case(nodes, "dgx-h100", "ndr", leaf, tiers=3, spine_oversubscription=spine)
        for nodes in (256, 512)
        for leaf, spine in (
            ("1:1", "2:1"),
            ("2:1", "1:1"),
            ("2:1", "2:1"),
            ("1:1", "4:1"),
            ("3:1", "2:1"),
            ("4:1", "1:1"),
            ("2:1", "4:1"),
        )
    ]
    large = [
        Case(nodes, "dgx-h100", "ndr", leaf, tiers=3, spine_oversubscription=spine)
        for nodes, leaf, spine in ((1024, "2:1", "1:1"), (2048, "2:1", "2:1"))
    ]
    return [*two, *planes, *failed, *three, *large]


def agreement(case: Case, catalog: Catalog) -> list[Agreement]:
    """The case's patterns, by the model and by the solver."""
    fabric = _fabric(case, catalog, case.failed_spines)
    fabric = fabric.one_rail() if case.nodes > ALL_RAILS else fabric
    has_rails = case.layout == "rail-optimized"
    solved = _slowest(fair_rates(all_to_all(fabric, has_rails)), _peers(fabric, has_rails), fabric)
    rings = np.random.default_rng(SEED)
    orders = [rings.permutation(len(fabric.leaf_of)) for _ in range(ORDERS)]
    in_rings = float(np.mean([fair_rates(ring(fabric, order)).min() / fabric.port_gbit_s for order in orders]))
    shares = model_shares(case, catalog)
    return [Agreement(case, *of) for of in zip(PATTERNS, shares, (solved, in_rings), strict=True)]


def _fabric(case: Case, catalog: Catalog, failed_spines: int = 0) -> Fabric:
    """The case's fabric as this project wires it."""
    return fabric_of(link_list(parse_spec(case.design, catalog), catalog).table, failed_spines)


def _peers(fabric: Fabric, has_rails: bool) -> int:
    """Ports that one port sends to."""
    n_nodes, each = fabric.leaf_of.shape
    return (n_nodes - 1) * (1 if has_rails else each)


def _slowest(rates: np.ndarray, peers: int, fabric: Fabric) -> float:
    """The slowest flow's rate × the flows of a port ÷ the port's rate: when the last byte has come, counts."""
    return float(rates.min() * peers / fabric.port_gbit_s)


def model_shares(case: Case, catalog: Catalog) -> tuple[float, float]:
    """What uplinks leave of the hosts' rate to (all-to-all, a ring in random order), with nothing lost to balancing."""
    constants = ModelConstants(catalog)
    system = system_of_design(case.design, catalog).system | {"placement": "random"}
    if case.failed_spines:
        system |= {"failed_uplinks": case.failed_spines / int(np.count_nonzero(_fabric(case, catalog).up[0]))}
    columns = system_columns([system], catalog, constants)
    columns = replace(columns, balance_share=np.ones(1))
    n_domains = np.array([case.nodes * int(columns.gpus_per_node[0]) // int(columns.domain_gpus[0])])
    hosts, _ = host_network_bandwidth(columns, constants)
    shares = []
    for crossings in (EVERYBODY, 1.0):
        uplinks, _ = uplink_bandwidth(columns, n_domains, crossings, constants)
        shares.append(float(min(1.0, (uplinks / hosts)[0])))
    return shares[0], shares[1]


COLUMNS = (
    "nodes",
    "server",
    "generation",
    "layout",
    "planes",
    "tiers",
    "oversubscription",
    "spine_oversubscription",
    "failed_spines",
    "pattern",
    "model",
    "solver",
)


def write(rows: Iterable[Agreement], path: Path = AGREEMENT) -> None:
    """The figures as a table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        for row in rows:
            of_case = [getattr(row.case, name) for name in COLUMNS[:9]]
            out.writerow([*of_case, row.pattern, f"{row.model:.4f}", f"{row.solver:.4f}"])


@lru_cache(maxsize=1)
def kept() -> tuple[Agreement, ...]:
    """The figures of ``agreement.csv``."""
    out = []
    with AGREEMENT.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            case = Case(
                nodes=int(row["nodes"]),
                server=row["server"],
                generation=row["generation"],
                oversubscription=row["oversubscription"],
                layout=row["layout"],
                planes=int(row["planes"]),
                tiers=int(row["tiers"]),
                spine_oversubscription=row["spine_oversubscription"],
                failed_spines=int(row["failed_spines"]),
            )
            out.append(Agreement(case, row["pattern"], float(row["model"]), float(row["solver"])))
    return tuple(out)


def solved(all_cases: Sequence[Case], catalog: Catalog) -> list[Agreement]:
    """All patterns of all cases."""
    return [row for case in all_cases for row in agreement(case, catalog)]


if __name__ == "__main__":
    write(solved(cases(), load_catalog()))
