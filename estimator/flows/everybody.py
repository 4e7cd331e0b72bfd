"""All-to-all on fabrics of a hundred thousand GPUs: the rates that flow by flow would give, from pairs of leaves.

Flows between the same two leaves cross the same links, and are one class. Which links of a leaf carry them follows from the
uplinks of the other leaf alone, so that what a leaf sends to all leaves with equal uplinks is added up before links are
looked at. Memory is 24 bytes a pair of leaves and some entries a leaf and group. Nothing is left out or sampled: rates are
those of progressive filling over all flows, with the ports of one leaf taken as alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from estimator.flows.solver import next_full
from estimator.flows.traffic import Fabric, alike, beyond_leaf, pairs_of_all
from estimator.units import FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_ENTRIES = 60_000_000  # of one direction's table of links, about a gigabyte


class _Side(NamedTuple):
    """Links of one direction: a port of each leaf, and those beyond it.

    ``loads`` has, for each leaf, a column for each group of others and one for the leaf's own ports.
    """

    loads: csr_array  # (n_links, n_leaves · (n_groups + 1)): what one flow puts on a link
    capacity: FloatArray


def fair_pairs(fabric: Fabric, has_rails: bool) -> FloatArray:
    """Max-min fair rate of one flow of an all-to-all by (leaf that sends, leaf that receives), Gb/s; NaN without flows.

    Raises
    ------
    ValueError
        If leaves have so many kinds of uplinks that the table of links would not fit.
    """
    fabric = fabric.merged()
    group = alike(fabric.up)
    order = np.argsort(group, kind="stable")
    group = group[order]
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    rising = pairs_of_all(fabric, has_rails)[np.ix_(order, order)]
    side = _side(fabric, order, group, starts)
    out, into = (side.capacity.copy() for _ in range(2))  # what stopped flows leave of each link
    rates = np.full(rising.shape, np.nan)
    while rising.any():
        loads = [side.loads @ sent for sent in _sent(rising, group, starts)]
        full, level = next_full(np.concatenate([out, into]), np.concatenate(loads))
        is_full = np.zeros(2 * len(out))
        is_full[full] = 1.0
        sends, receives = ((side.loads.T @ one > 0).reshape(len(group), -1) for one in np.split(is_full, 2))
        stops = sends[:, group] | receives[:, group].T
        np.fill_diagonal(stops, sends[:, -1] | receives[:, -1])
        stops &= rising > 0
        rates[stops] = level
        stopped = _sent(np.where(stops, rising, 0.0), group, starts)
        for left, sent in zip((out, into), stopped, strict=True):
            left -= level * (side.loads @ sent)
        rising[stops] = 0.0
    back = np.argsort(order)
    return np.asarray(rates[np.ix_(back, back)])


def _sent(flows: FloatArray, group: IntArray, starts: IntArray) -> list[FloatArray]:
    """Flows that each leaf sends, and those that it receives, by group of the other leaf and then under itself."""
    own = np.diag(flows)
    sent = []
    for by_leaf in (np.add.reduceat(flows, starts, axis=1), np.add.reduceat(flows, starts, axis=0).T):
        others = by_leaf.copy()
        others[np.arange(len(own)), group] -= own
        sent.append(np.column_stack([others, own]).ravel())
    return sent


def _side(fabric: Fabric, order: IntArray, group: IntArray, starts: IntArray) -> _Side:
    from scipy.sparse import csr_array  # for a fast start: scipy takes long to load

    n_leaves, n_groups = len(group), len(starts)
    spines = int(np.count_nonzero(fabric.up, axis=1).max(initial=1))
    cores = int(np.count_nonzero(fabric.top, axis=1).max(initial=1)) if fabric.top.size else 1
    entries = n_leaves * n_groups * spines * cores
    if entries > MOST_ENTRIES:
        raise ValueError(
            f"{n_leaves} leaves with {n_groups} kinds of uplinks make {entries:,} entries, and {MOST_ENTRIES:,} fit. "
            "Uplinks that divide evenly over spines, or fewer nodes, make fewer."
        )
    sizes = np.diff([*starts, n_leaves])
    leaf, other = np.repeat(np.arange(n_leaves), n_groups), np.tile(starts, n_leaves)
    other = np.where((leaf == other) & (np.tile(sizes, n_leaves) > 1), other + 1, other)  # another one of its own group
    beyond, capacity = beyond_leaf(fabric, order[leaf], order[other], np.ones(len(leaf)))
    of_leaf, of_group = np.divmod(beyond.of_class, n_groups)
    columns = n_leaves * (n_groups + 1)
    ports = np.repeat(np.arange(n_leaves), n_groups + 1)
    link = np.concatenate([ports, beyond.link + n_leaves])
    column = np.concatenate([np.arange(columns), of_leaf * (n_groups + 1) + of_group])
    weight = np.concatenate([1.0 / fabric.ports[order][ports], beyond.weight])
    capacity = np.concatenate([np.full(n_leaves, fabric.port_gbit_s), capacity])
    return _Side(csr_array((weight, (link, column)), shape=(len(capacity), columns)), capacity)
