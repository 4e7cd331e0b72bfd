"""Where every device of one fabric belongs: its plane, rail, pod and unit, by device index; a picture groups by these.

Numbers count from 1, as in names; 0 is a device that serves several, such as a spine of two tiers over all units. What a
node has follows from its links, so that any table is read right, whatever its spread.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from estimator.fabric.devices import CORE, LEAF, MANAGER, NODE, SPINE
from estimator.fabric.sized import SizedFabric
from estimator.fabric.topology import FABRIC_MANAGER, NODE_LEAF, LinkTable
from estimator.units import IntArray

PLANE, RAIL, POD, UNIT = "plane", "rail", "pod", "unit"
AXES = (PLANE, RAIL, POD, UNIT)
_FAR = 2**62


@dataclass(frozen=True)
class Places:
    """Numbers of the devices of one link table on each axis.

    ``of[axis]`` has shape (n_devices,); ``low_leaf`` is the first leaf (device index) that a node or manager is linked to,
    shape (n_nodes + n_managers,).
    """

    table: LinkTable
    of: dict[str, IntArray] = field(default_factory=dict)
    low_leaf: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @cached_property
    def n(self) -> dict[str, int]:
        """Planes, rails, pods and units that the leaves are in; 1 where the fabric has no such parts."""
        leaves = self.table.devices.of(LEAF)
        return {axis: max(int(self.of[axis][leaves].max(initial=1)), 1) for axis in AXES}

    @cached_property
    def radix(self) -> IntArray:
        """Ports of every device; 0 for what is no switch."""
        devices, fabric = self.table.devices, self.table.fabric
        out = np.zeros(len(devices), dtype=np.int64)
        for kind in (LEAF, SPINE, CORE):
            out[devices.of(kind)] = getattr(fabric, f"{kind}_radix")
        return out

    @cached_property
    def used(self) -> IntArray:
        """Ports of every switch that carry a link; endpoints that share a split port take it once."""
        devices, fabric = self.table.devices, self.table.fabric
        out = np.zeros(len(devices), dtype=np.int64)
        pairs = 2 * fabric.links_leaf_leaf // max(fabric.n_leaf, 1)
        up = fabric.leaf_up if fabric.tiers > 1 or fabric.leaf_up.any() else np.zeros(fabric.n_leaf, dtype=np.int64)
        out[devices.of(LEAF)] = fabric.leaf_down + up + pairs
        out[devices.of(SPINE)] = fabric.spine_down + fabric.spine_up if fabric.n_spine else 0
        out[devices.of(CORE)] = fabric.core_down if fabric.n_core else 0
        return out


def places_of(table: LinkTable) -> Places:
    """Places of all devices of a link table."""
    devices, fabric = table.devices, table.fabric
    of = {axis: np.zeros(len(devices), dtype=np.int64) for axis in AXES}
    leaves, spines, cores = _leaves(fabric), _spines(fabric), _cores(fabric)
    for kind, values in ((LEAF, leaves), (SPINE, spines), (CORE, cores)):
        for axis, column in values.items():
            of[axis][devices.of(kind)] = column
    if not devices.plane[devices.of(LEAF)].max(initial=0) > 1:  # a pair of leaves that stands for two planes
        of[PLANE][:] = 0
        of[PLANE][devices.of(LEAF)] = of[PLANE][devices.of(SPINE)] = of[PLANE][devices.of(CORE)] = 1
    low, high = _ends(table)
    below = slice(0, devices.first[LEAF])
    for axis in AXES:
        first, last = of[axis][low], of[axis][high]
        of[axis][below] = first if axis in (POD, UNIT) else np.where(first == last, first, 0)
    return Places(table, of, low)


def _leaves(fabric: SizedFabric) -> dict[str, IntArray]:
    """Numbers of the leaves: components first, then rows (units), then columns (rails)."""
    wiring = fabric.wiring
    index = np.arange(fabric.n_leaf)
    component, place = index // (wiring.rows * wiring.columns), index % (wiring.rows * wiring.columns)
    row, column = place // wiring.columns, place % wiring.columns
    nets = max(fabric.n_components // fabric.planes, 1)
    pod = np.minimum(row // max(wiring.pod_rows, 1), wiring.pods - 1) if fabric.tiers == 3 else np.zeros_like(row)
    return {
        PLANE: component // nets + 1,
        RAIL: component % nets + 1 if fabric.layout == "rail-only" else column + 1,
        POD: pod + 1,
        UNIT: row + 1,
    }


def _spines(fabric: SizedFabric) -> dict[str, IntArray]:
    """Numbers of the spines: in order of component, column and pod with three tiers, else shared by all of a component."""
    wiring, index = fabric.wiring, np.arange(fabric.n_spine)
    each = max(fabric.n_spine // fabric.n_components, 1)
    component, place = index // each, index % each
    nets = max(fabric.n_components // fabric.planes, 1)
    none = np.zeros_like(index)
    out = {PLANE: component // nets + 1, RAIL: none, POD: none + 1, UNIT: none}
    if fabric.tiers == 3:
        in_column = max(each // wiring.columns, 1)
        out[RAIL] = place // in_column + 1
        out[POD] = np.minimum(place % in_column // max(wiring.spines, 1), wiring.pods - 1) + 1
    if fabric.layout == "rail-only":
        out[RAIL] = component % nets + 1
    return out


def _cores(fabric: SizedFabric) -> dict[str, IntArray]:
    index = np.arange(fabric.n_core)
    component = index // max(fabric.n_core // fabric.n_components, 1)
    nets = max(fabric.n_components // fabric.planes, 1)
    none = np.zeros_like(index)
    rail = component % nets + 1 if fabric.layout == "rail-only" else none
    return {PLANE: component // nets + 1, RAIL: rail, POD: none, UNIT: none}


def _ends(table: LinkTable) -> tuple[IntArray, IntArray]:
    """First and last leaf of every node and manager."""
    n_below = table.devices.n[NODE] + table.devices.n[MANAGER]
    low, high = np.full(n_below, _FAR, dtype=np.int64), np.full(n_below, -1, dtype=np.int64)
    for tier in (NODE_LEAF, FABRIC_MANAGER):
        device, leaf = table.a_device[table.rows(tier)], table.b_device[table.rows(tier)]
        if not len(device):
            continue
        if (np.diff(device) < 0).any():
            order = np.argsort(device, kind="stable")
            device, leaf = device[order], leaf[order]
        starts = np.flatnonzero(np.diff(device, prepend=-1))
        low[device[starts]] = np.minimum.reduceat(leaf, starts)
        high[device[starts]] = np.maximum.reduceat(leaf, starts)
    alone = high < 0  # a device without a link: none of a sized fabric, but nothing here should depend on it
    low[alone] = high[alone] = table.devices.first[LEAF]
    return low, high
