"""The subnets of an InfiniBand fabric: switches that reach each other without a node in between, with a manager each.

A plane is a subnet, as is a rail that no spine joins to the others, and every leaf of a fabric of one tier.
"""

from dataclasses import dataclass

import numpy as np

from estimator.bringup.plan.plan import Plan
from estimator.bringup.plan.value import Value, worked_out
from estimator.fabric.devices import CORE, LEAF, MANAGER, NODE, SPINE
from estimator.fabric.ratios import paths_across_groups
from estimator.findings.port_groups import asymmetries
from estimator.units import Column, IntArray, counted

TOPS = (LEAF, SPINE, CORE)  # kind of the highest switches, by tiers
ENGINES = "OpenSM, man page and osm_ucast_ftree.c (fabric_validate_topology); UFM manual, network management"


@dataclass(frozen=True)
class Subnet:
    """One subnet. ``folder`` is empty where the fabric has just one, else it ends in a slash."""

    folder: str
    switches: tuple[str, ...]
    roots: tuple[str, ...]
    """Switches of the highest tier."""
    compute: tuple[str, ...]
    """Nodes with a port in it."""
    io: tuple[str, ...]
    """Other hosts: fabric managers."""


def subnets(plan: Plan) -> list[Subnet]:
    """All of them, in order of their first leaf."""
    table = plan.links.table
    devices = table.devices
    label = _labels(plan)
    of_leaf = label[devices.of(LEAF)]
    firsts = sorted({int(one): int(np.flatnonzero(of_leaf == one)[0]) for one in of_leaf}.items(), key=lambda at: at[1])
    is_host = table.a_device < devices.first[LEAF]
    hosts, their = table.a_device[is_host], label[table.b_device[is_host]]
    folders = _folders(plan, [first for _, first in firsts])
    out = []
    for folder, (one, _) in zip(folders, firsts, strict=True):
        switches = np.flatnonzero(label == one)
        below = np.unique(hosts[their == one])
        top = TOPS[plan.links.fabric.tiers - 1]
        out.append(
            Subnet(
                folder=folder,
                switches=_names(plan, switches),
                roots=_names(plan, switches, top),
                compute=_names(plan, below, NODE),
                io=_names(plan, below, MANAGER),
            )
        )
    return out


def _names(plan: Plan, found: IntArray, kind: str | None = None) -> tuple[str, ...]:
    wired = plan.wired
    return tuple(wired.name(one) for one in found.tolist() if kind is None or wired.kind(one) == kind)


def _labels(plan: Plan) -> IntArray:
    """Number of the subnet of every switch, by index of device; -1 for hosts."""
    from scipy.sparse import coo_array  # for a fast start: scipy takes long to load
    from scipy.sparse.csgraph import connected_components

    table, first = plan.links.table, plan.links.table.devices.first[LEAF]
    joins = table.a_device >= first
    n = len(table.devices) - first
    a, b = (column[joins].astype(np.int64) - first for column in (table.a_device, table.b_device))
    _, label = connected_components(coo_array((np.ones(len(a)), (a, b)), shape=(n, n)), directed=False)
    return np.concatenate([np.full(first, -1), label.astype(np.int64)])


def _folders(plan: Plan, leaves: list[int]) -> list[str]:
    """A folder a subnet, after plane and rail of its first leaf where these say which it is, else after the leaf."""
    if len(leaves) == 1:
        return [""]
    devices = plan.links.table.devices
    first = devices.first[LEAF]
    for words in (("plane",), ("rail",), ("plane", "rail")):
        columns: dict[str, Column] = {"plane": devices.plane, "rail": devices.rail}
        names = ["-".join(f"{word}-{columns[word][first + leaf]}" for word in words) for leaf in leaves]
        if len(set(names)) == len(names):
            return [f"{name}/" for name in names]
    return [f"{devices.names[first + leaf]}/" for leaf in leaves]


def routing_engine(plan: Plan) -> Value:
    """The engine that fits the topology, with what comes after it if OpenSM refuses, and why."""
    engine, why = _routing(plan)
    return worked_out("ib.routing_engine", engine, f"Links of the design; {ENGINES}", why)


def _routing(plan: Plan) -> tuple[str, str]:
    fabric = plan.links.fabric
    if fabric.tiers < 2:
        return "minhop", "One switch between any two ports: all paths are shortest ones, and no credit loop can be"
    across = paths_across_groups(fabric)
    if across is not None and across.shortest == 0:
        return (
            "dfsssp",
            "Some leaves reach each other only down and up again, which up/down and fat-tree routing forbid; dfsssp keeps "
            "such paths free of credit loops by virtual lanes",
        )
    if reasons := asymmetries(fabric):
        return (
            "updn",
            f"Fat-tree routing refuses switches of a rank that differ ({'; '.join(reasons)}); up/down from the roots is "
            "free of credit loops on any tree",
        )
    tiers = counted(fabric.tiers, "tier")
    return (
        "ftree,updn",
        f"A fat tree of {tiers} whose ranks are alike: shifts without congestion; up/down while links fail",
    )
