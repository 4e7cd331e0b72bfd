"""Every device of one fabric by index and by name: nodes, fabric managers, leaves, spines, cores.

Names are those of link lists: ``node-0001``, ``leaf-r1-001`` where a leaf serves one rail, ``leaf-001`` where not,
``spine-001``, ``core-001``, ``manager-01``. They depend on the design alone, so that a re-computed design keeps them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from estimator.fabric import SizedFabric
from estimator.units import IntArray, ceil_div

NODE, MANAGER, LEAF, SPINE, CORE = "node", "manager", "leaf", "spine", "core"
KINDS = (NODE, MANAGER, LEAF, SPINE, CORE)
SWITCH_KINDS = (LEAF, SPINE, CORE)
MANAGER_PORTS = 2  # of one fabric manager: two links to the fabric that it manages, docs/cabling.md


@dataclass(frozen=True)
class Devices:
    """Counts by kind, and rail and plane (1-based, 0: serves all) of every switch; index order is that of KINDS."""

    n: dict[str, int]
    rail: IntArray  # shape (n_devices,)
    plane: IntArray

    @cached_property
    def first(self) -> dict[str, int]:
        """Index of the first device of each kind."""
        starts = np.cumsum([0, *(self.n[kind] for kind in KINDS)]).tolist()
        return dict(zip(KINDS, starts, strict=False))

    def __len__(self) -> int:
        return sum(self.n.values())

    def kind(self, index: int) -> str:
        """Kind of one device."""
        return next(kind for kind in reversed(KINDS) if index >= self.first[kind] and self.n[kind])

    def of(self, kind: str) -> slice:
        """Indexes of all devices of a kind."""
        return slice(self.first[kind], self.first[kind] + self.n[kind])

    @cached_property
    def names(self) -> list[str]:
        """Name of every device, by index."""
        return [name for kind in KINDS for name in self._names_of(kind)]

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.names)}

    def index_of(self, name: str) -> int | None:
        """Index of a device, or None if no device has the name."""
        return self._index.get(name)

    def _names_of(self, kind: str) -> Iterator[str]:
        width = max({NODE: 4, MANAGER: 2}.get(kind, 3), len(str(self.n[kind])))
        rails = self.rail[self.of(kind)].tolist()
        seen: dict[int, int] = {}
        for number, rail in enumerate(rails, start=1):
            if kind == LEAF and rail:
                seen[rail] = seen.get(rail, 0) + 1
                yield f"leaf-r{rail}-{seen[rail]:0{width}d}"
            else:
                yield f"{kind}-{number:0{width}d}"


def devices_of(fabric: SizedFabric) -> Devices:
    """The devices of a sized fabric. Switches are in order of plane, then (rail-only) rail, then pod, unit and rail."""
    n = {
        NODE: fabric.n_nodes,
        MANAGER: int(ceil_div(managers_of_components(fabric), MANAGER_PORTS).sum()),
        LEAF: fabric.n_leaf,
        SPINE: fabric.n_spine,
        CORE: fabric.n_core,
    }
    planes, rails = zip(*(_plane_and_rail(fabric, kind) for kind in SWITCH_KINDS), strict=True)
    none = np.zeros(n[NODE] + n[MANAGER], dtype=np.int64)
    manager_planes = np.repeat(_component_planes(fabric), ceil_div(managers_of_components(fabric), MANAGER_PORTS))
    none_but_managers = none.copy()
    none_but_managers[n[NODE] :] = manager_planes
    return Devices(n, rail=np.concatenate([none, *rails]), plane=np.concatenate([none_but_managers, *planes]))


def manager_links_of_leaves(fabric: SizedFabric) -> IntArray:
    """Fabric-manager links of every leaf."""
    return fabric.leaf_down - ceil_div(fabric.leaf_endpoints, fabric.endpoints_per_port)


def managers_of_components(fabric: SizedFabric) -> IntArray:
    """Fabric-manager links of every component: a manager looks after one network."""
    return manager_links_of_leaves(fabric).reshape(fabric.n_components, -1).sum(axis=1)


def _component_planes(fabric: SizedFabric) -> IntArray:
    components = np.arange(fabric.n_components)
    return components // (fabric.n_components // fabric.planes) + 1


def _plane_and_rail(fabric: SizedFabric, kind: str) -> tuple[IntArray, IntArray]:
    """Plane and rail of every leaf, spine or core, in index order."""
    wiring, copies = fabric.wiring, fabric.n_components
    count = {LEAF: fabric.n_leaf, SPINE: fabric.n_spine, CORE: fabric.n_core}[kind]
    each = count // copies
    plane = np.repeat(_component_planes(fabric), each)
    if fabric.layout == "rail-only":
        return plane, np.repeat(np.arange(copies) % (copies // fabric.planes) + 1, each)
    if wiring.rails_a_leaf != 1:
        return plane, np.zeros(count, dtype=np.int64)
    columns = np.arange(wiring.columns) + 1
    if kind == LEAF:
        return plane, np.tile(columns, count // wiring.columns)
    if kind == SPINE and fabric.tiers == 3:
        return plane, np.tile(np.repeat(columns, each // wiring.columns), copies)
    return plane, np.zeros(count, dtype=np.int64)
