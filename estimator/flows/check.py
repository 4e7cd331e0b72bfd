"""The model's uplinks against the solver on fabrics that the project wires itself: all-to-all, and rings in random order.

No run is published of oversubscribed fabrics or scattered ranks, so that geometry is all there is: ``python -m
estimator.flows.check`` solves them, up to 100,000 GPUs, and writes ``agreement.csv``, which the validation page shows.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.catalog.constants import ModelConstants
from estimator.catalog.loader import load_catalog
from estimator.flows.everybody import fair_pairs
from estimator.flows.solver import fair_rates
from estimator.flows.traffic import Fabric, fabric_of, ring
from estimator.link_list import link_list
from estimator.performance.agreement import PATTERNS, Agreement, Case, write
from estimator.performance.bandwidth import EVERYBODY, host_network_bandwidth, system_columns, uplink_bandwidth
from estimator.pipeline import system_of_design
from estimator.spec.parse import parse_spec
from estimator.units import parse_ratio, ratio_text

MANY_ORDERS, FEW_ORDERS = 64, 8  # random orders of the nodes that a ring's rate is the mean of
MANY_NODES = 2048  # up to which there are many; the more leaves a ring has, the less do its orders differ
SEED = 16


def cases() -> list[Case]:
    """Forty fabrics of up to 4,096 GPUs, and larger ones up to 100,000.

    Leaves specified as 1:1 to 8:1, two and three tiers, rails and top of rack, planes, uneven pods and leaves, links of two
    rates, failed spines.
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
    uneven = [  # last pods that are smaller, leaves that nodes straddle, uplinks with room
        Case(170, "dgx-h100", "roce-400", "2:1", "top-of-rack", tiers=3, spine_oversubscription="3:1"),
        Case(353, "hgx-b200-10u", "roce-400", "6:1", "top-of-rack", 2, 3, "3:1"),
        Case(239, "dgx-b300", "roce-800", "1:1", "top-of-rack", 2, 3, "2:1", failed_spines=2),
        Case(256, "dgx-h100", "roce-400", "2:1", uplink_gbit_s=800),
    ]
    return [*two, *planes, *failed, *three, *large, *uneven, *_huge()]


def _huge() -> list[Case]:
    """Fabrics of 32,768, 65,536 and 100,000 GPUs."""
    out = []
    for nodes in (4096, 8192, 12_500):
        out += [
            Case(nodes, "dgx-h100", "ndr", "3:1", tiers=3, spine_oversubscription="2:1"),
            Case(nodes, "dgx-h100", "ndr", "2:1", "top-of-rack", tiers=3, spine_oversubscription="2:1"),
            Case(nodes, "dgx-b300", "xdr", "2:1", tiers=3, spine_oversubscription="2:1"),
            Case(nodes, "dgx-b300", "roce-400", "2:1", planes=2, tiers=3, spine_oversubscription="2:1"),
            Case(nodes, "dgx-b300", "roce-400", "8:1", "top-of-rack", 2, 3, "1:1"),
            Case(nodes, "dgx-h100", "roce-400", "4:1", tiers=3, spine_oversubscription="2:1", failed_spines=1),
            Case(nodes, "hgx-b200-10u", "roce-400", "2:1", "top-of-rack", 1, 3, "2:1", uplink_gbit_s=800),
        ]
    return out


def agreement(case: Case, catalog: Catalog) -> list[Agreement]:
    """The case's patterns, by the model and by the solver."""
    fabric = _fabric(case, catalog, case.failed_spines)
    has_rails = case.layout == "rail-optimized"
    fabric = (fabric.one_rail() if has_rails else fabric).merged()
    shares = solver_shares(fabric, has_rails, MANY_ORDERS if case.nodes <= MANY_NODES else FEW_ORDERS)
    return [Agreement(case, *of) for of in zip(PATTERNS, model_shares(case, catalog), shares, strict=True)]


def solver_shares(fabric: Fabric, has_rails: bool, n_orders: int) -> tuple[float, float]:
    """Share of the NICs' rate in (an all-to-all, a ring in random order): all wait for the slowest flow.

    A ring's is that of the mean time over the orders.
    """
    rings = np.random.default_rng(SEED)
    orders = [rings.permutation(len(fabric.leaf_of)) for _ in range(n_orders)]
    times = [fabric.port_gbit_s / fair_rates(ring(fabric, order)).min() for order in orders]
    slowest = float(np.nanmin(fair_pairs(fabric, has_rails)))
    return slowest * _peers(fabric, has_rails) / fabric.port_gbit_s, float(1.0 / np.mean(times))


def _fabric(case: Case, catalog: Catalog, failed_spines: int = 0) -> Fabric:
    """The case's fabric as this project wires it."""
    return fabric_of(link_list(parse_spec(case.design, catalog), catalog).table, failed_spines)


def _peers(fabric: Fabric, has_rails: bool) -> int:
    """Ports that one port sends to."""
    n_nodes, each = fabric.leaf_of.shape
    return (n_nodes - 1) * (1 if has_rails else each)


def model_shares(case: Case, catalog: Catalog) -> tuple[float, float]:
    """What uplinks leave of the hosts' rate to (all-to-all, a ring in random order), with nothing lost to balancing."""
    constants = ModelConstants(catalog)
    system = system_of_design(case.design, catalog).system | {"placement": "random"}
    if case.failed_spines:  # as estimator.diagrams has it: a pod's links to the core go with its spine
        left = 1 - Fraction(case.failed_spines, int(np.count_nonzero(_fabric(case, catalog).up[0])))
        spines = parse_ratio(str(system["spine_oversubscription"])) / left if case.tiers == 3 else Fraction(1)
        system |= {"failed_uplinks": float(1 - left), "spine_oversubscription": ratio_text(spines)}
    columns = system_columns([system], catalog, constants)
    columns = replace(columns, balance_share=np.ones(1))
    n_domains = np.array([case.nodes * int(columns.gpus_per_node[0]) // int(columns.domain_gpus[0])])
    hosts, _ = host_network_bandwidth(columns, constants)
    shares = []
    for crossings in (EVERYBODY, 1.0):
        uplinks, _ = uplink_bandwidth(columns, n_domains, crossings, constants)
        shares.append(float(min(1.0, (uplinks / hosts)[0])))
    return shares[0], shares[1]


def solved(all_cases: Sequence[Case], catalog: Catalog) -> list[Agreement]:
    """All patterns of all cases."""
    return [row for case in all_cases for row in agreement(case, catalog)]


if __name__ == "__main__":
    write(solved(cases(), load_catalog()))
