"""Which spine and core of a phase stands where, so that switches that are there keep the most of their cables.

Spines of one network are alike: each may have the place of any other. With more of them, a design by itself may put one
before the leaves of another rail or pod, and all of its cables would follow. Here each spine gets the place in which the
most cables to its leaves stay, and then each core that in which the most to its spines do. The places are those of the
design by itself.
"""

from dataclasses import replace

import numpy as np

from estimator.cabling.links import LOWER_KINDS, UPPER_KINDS, LinkList
from estimator.fabric.topology import LEAF_SPINE, SPINE_CORE
from estimator.growth.in_order import in_port_order
from estimator.growth.known_by import device_keys, kind_of
from estimator.units import Column, IntArray

MOST_SWITCHES = 2048  # of one network: the best places of more take minutes


def with_kept_switches(before: LinkList, after: LinkList) -> LinkList:
    """A network of a phase whose spines and cores stand where the most of their cables stay."""
    for tier in (LEAF_SPINE, SPINE_CORE):
        rows, runs = after.table.rows(tier), np.unique(after.cabling.run[after.table.rows(tier)])
        if rows.start == rows.stop or len(runs) > 1:
            return after  # with lengths by pair of switches each has its own place
        after = _placed(before, after, tier)
    return after


def _placed(before: LinkList, after: LinkList, tier: int) -> LinkList:
    kind = UPPER_KINDS[tier]
    own, copies = after.table.devices.of(kind), after.fabric.n_components
    shared = _shared(before, after, tier)
    each = (own.stop - own.start) // copies
    if each > MOST_SWITCHES or not shared.any():
        return after
    place = np.arange(len(after.table.devices), dtype=np.int32)
    for copy in range(copies):
        of_copy = slice(copy * each, (copy + 1) * each)
        place[own][of_copy] = own.start + copy * each + _best(shared[of_copy, of_copy])
    return after if (place == np.arange(len(place))).all() else _at_places(after, place)


def _shared(before: LinkList, after: LinkList, tier: int) -> IntArray:
    """Cables that would stay with a switch (second axis) in the place of another (first axis), both of the phase."""
    lower, upper = (after.table.devices.of(kinds[tier]) for kinds in (LOWER_KINDS, UPPER_KINDS))
    shape = lower.stop - lower.start, upper.stop - upper.start
    at = {key: index for index, key in enumerate(device_keys(after))}
    known = np.array([at.get(key, -1) for key in device_keys(before)])
    kind = kind_of(after.plan.runs[int(after.cabling.run[after.table.rows(tier)][0])])
    is_same = np.array([kind_of(run) == kind for run in before.plan.runs] or [False])
    there = before.table.rows(tier)
    a, b = known[before.table.a_device[there]], known[before.table.b_device[there]]
    kept = is_same[before.cabling.run[there]] & (a >= 0) & (b >= 0)
    was = _joined(a[kept] - lower.start, b[kept] - upper.start, shape)
    rows = after.table.rows(tier)
    now = _joined(after.table.a_device[rows] - lower.start, after.table.b_device[rows] - upper.start, shape)
    shared = np.zeros((shape[1], shape[1]), np.int64)
    for n in range(1, int(min(was.max(initial=0), now.max(initial=0))) + 1):  # the smaller of two counts, one by one
        shared += ((now >= n).T.astype(np.float32) @ (was >= n).astype(np.float32)).astype(np.int64)
    return shared


def _joined(lower: IntArray, upper: IntArray, shape: tuple[int, int]) -> IntArray:
    """Links between every two switches."""
    found = np.bincount(lower.astype(np.int64) * shape[1] + upper, minlength=shape[0] * shape[1])
    return found.reshape(shape)


def _best(shared: IntArray) -> IntArray:
    """The switch in each place, so that the most cables stay; of ways that are as good one that leaves the most as they are."""
    n = len(shared)
    if shared.max(axis=1).sum() == np.trace(shared):
        return np.arange(n)
    from scipy.optimize import linear_sum_assignment  # takes long to load, and few designs need it

    _, switch = linear_sum_assignment(shared * (n + 1) + np.eye(n, dtype=np.int64), maximize=True)
    return np.asarray(switch, np.int64)


def _at_places(links: LinkList, place: Column) -> LinkList:
    """The list with each device in the place of another: ``place`` has, by index, the device that takes its links."""
    table, devices = links.table, links.table.devices
    rail = devices.rail.copy()
    rail[place] = devices.rail
    moved = replace(
        table, devices=replace(devices, rail=rail), a_device=place[table.a_device], b_device=place[table.b_device]
    )
    return in_port_order(replace(links, table=moved), SPINE_CORE)
