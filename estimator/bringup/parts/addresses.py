"""Addresses of all node ports as numbers, so that two states of a large design are compared at once."""

from typing import NamedTuple

import numpy as np

from estimator.bringup.plan.plan import Plan
from estimator.fabric.devices import LEAF, NODE
from estimator.units import IntArray


class NodePorts(NamedTuple):
    """Links of nodes as columns, shape (n_links,), in the order of the link list.

    ``key`` is node and port as one number, ``row`` the row of the link table, ``address`` what ``Plan.host_link`` counts from
    the start of the range: the number of the /31 times two, or of the subnet and the place in it; zero on InfiniBand.
    """

    key: IntArray
    row: IntArray
    address: IntArray


def node_ports(plan: Plan) -> NodePorts:
    """Node ports with their addresses."""
    table = plan.links.table
    rows = np.flatnonzero(table.a_device < table.devices.n[NODE])
    key = table.a_device[rows].astype(np.int64) * 2**16 + table.a_port[rows]
    if not plan.is_ethernet:
        return NodePorts(key, rows, np.zeros_like(rows))
    if plan.choices.addressing == "port":
        return NodePorts(key, rows, 2 * rows)
    leaf = table.b_device[rows].astype(np.int64)
    order = np.lexsort((table.b_lane[rows], table.b_port[rows], leaf))
    starts = np.concatenate([[True], np.diff(leaf[order]) != 0]) if len(order) else np.zeros(0, dtype=bool)
    first = np.maximum.accumulate(np.where(starts, np.arange(len(order)), 0))
    index = np.empty_like(order)
    index[order] = np.arange(len(order)) - first
    return NodePorts(key, rows, leaf_slots(plan)[leaf - table.devices.first[LEAF]] * 2**16 + index)


def leaf_slots(plan: Plan) -> IntArray:
    """Number of every leaf's subnet, where leaves have one each."""
    devices = plan.links.table.devices
    leaves = devices.of(LEAF)
    rails, numbers = devices.rail[leaves].astype(np.int64), devices.number[leaves].astype(np.int64)
    n_rails = int(rails.max() - rails.min()) + 1
    return np.asarray((numbers - numbers.min()) * n_rails + rails - rails.min())
