"""How full the links between switches are while every server sends at its line rate: demand over capacity, link by link.

The shares that cross a leaf or a pod are those of the performance model (performance/bandwidth.py): a ring over servers in
the order of the cabling leaves each leaf once, an exchange of everybody with everybody sends up all that has no peer below.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from estimator.diagrams.places import Places
from estimator.fabric.devices import LEAF, SPINE
from estimator.fabric.topology import LEAF_SPINE, SPINE_CORE
from estimator.units import FloatArray, IntArray

ALL_TO_ALL, ALL_REDUCE = "alltoall", "allreduce"
PATTERNS = (ALL_TO_ALL, ALL_REDUCE)


@dataclass(frozen=True)
class Traffic:
    """A pattern, and how servers take part in it: ``domain_nodes`` servers exchange without the network.

    ``is_scattered``: ranks do not follow the cabling, so that a ring leaves a leaf as often as anything else.
    """

    pattern: str
    domain_nodes: float = 1.0
    is_scattered: bool = False


@dataclass(frozen=True)
class Load:
    """Demand over capacity of one uplink: of every leaf, of every spine; infinite where no uplink is left. [-]"""

    leaf: FloatArray
    spine: FloatArray


def load_of(places: Places, traffic: Traffic, alive: Any = None) -> Load:
    """Load of the uplinks of every leaf and spine; ``alive`` tells which links of the table are up, None that all are.

    Each leaf spreads what it sends up evenly over the uplinks that it has left, and so does each spine.
    """
    table, fabric = places.table, places.table.fabric
    devices, wiring = table.devices, fabric.wiring
    each = wiring.rails_a_leaf or max(wiring.endpoints_a_node, 1)
    below = fabric.leaf_endpoints / each
    demand = fabric.leaf_endpoints * float(fabric.endpoint_rate_gbit_s) * _crossing(below, fabric.n_nodes, traffic)
    rows = table.rows(LEAF_SPINE)
    lower = table.a_device[rows].astype(np.int64) - devices.first[LEAF]
    upper = table.b_device[rows].astype(np.int64) - devices.first[SPINE]
    up = _is_up(alive, rows)
    links = np.bincount(lower, weights=up, minlength=fabric.n_leaf)
    per_link = _over(demand, links)  # Gb/s on one uplink of each leaf
    if fabric.tiers < 3:
        return Load(per_link / fabric.uplink_rate_gbit_s, np.zeros(0))
    pods = places.of["pod"][devices.of(LEAF)]
    share = _leaving_pod(places, pods, traffic) / np.maximum(_crossing(below, fabric.n_nodes, traffic), 1e-12)
    onward = np.where(np.isfinite(per_link), per_link, 0.0) * share
    sent = np.bincount(upper, weights=onward[lower] * up, minlength=fabric.n_spine)
    top = table.rows(SPINE_CORE)
    out = np.bincount(
        table.a_device[top].astype(np.int64) - devices.first[SPINE],
        weights=_is_up(alive, top),
        minlength=fabric.n_spine,
    )
    return Load(per_link / fabric.uplink_rate_gbit_s, _over(sent, out) / fabric.uplink_rate_gbit_s)


def _is_up(alive: Any, rows: slice) -> FloatArray:
    n = rows.stop - rows.start
    return np.ones(n) if alive is None else alive[rows].astype(np.float64)


def _over(demand: Any, capacity: Any) -> FloatArray:
    """0 where nothing is requested, infinite where something is and nothing is left."""
    ratio: FloatArray = np.where(demand > 0, demand / np.where(capacity > 0, capacity, 1.0), 0.0)
    return np.where((capacity == 0) & (demand > 0), np.inf, ratio)


def _crossing(nodes_below: FloatArray, n_nodes: int, traffic: Traffic) -> FloatArray:
    """Share of what the nodes below send that goes up."""
    below = np.maximum(nodes_below / traffic.domain_nodes, 1.0)
    n = max(n_nodes / traffic.domain_nodes, 1.0)
    everybody = np.clip(1.0 - (below - 1.0) / max(n - 1.0, 1.0), 0.0, 1.0)
    ordered = np.minimum(1.0, 1.0 / below)
    share = ordered if traffic.pattern == ALL_REDUCE and not traffic.is_scattered else everybody
    return np.where(n > below, share, 0.0)


def _leaving_pod(places: Places, pods: IntArray, traffic: Traffic) -> FloatArray:
    """Share of what a leaf's nodes send that leaves their pod, by leaf."""
    fabric = places.table.fabric
    per_pod = np.bincount(pods, weights=fabric.leaf_endpoints)
    in_pod = per_pod / max(per_pod.sum(), 1.0) * fabric.n_nodes
    return _crossing(in_pod[pods], fabric.n_nodes, traffic)
