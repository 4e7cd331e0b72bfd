"""Every device of one fabric by index and by name: nodes, fabric managers, leaves, spines, cores.

Names are those of link lists: ``node-0001``, ``leaf-r1-001`` where a leaf serves one rail, ``leaf-001`` where not,
``spine-001``, ``core-001``, ``manager-01``. They depend on the design alone, so that a re-computed design keeps them.
"""

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from estimator.fabric.sized import SizedFabric
from estimator.units import IntArray, ceil_div

NODE, MANAGER, LEAF, SPINE, CORE = "node", "manager", "leaf", "spine", "core"
KINDS = (NODE, MANAGER, LEAF, SPINE, CORE)
SWITCH_KINDS = (LEAF, SPINE, CORE)
MOST_DIGITS = 9  # of the number in a device's name
MANAGER_PORTS = 2  # of one fabric manager: two links to the fabric that it manages, docs/cabling.md


@dataclass(frozen=True)
class Devices:
    """Counts by kind, and by device its rail and plane (1-based, 0: serves all) and the number in its name.

    Index order is that of KINDS; numbers are such that a device keeps its name when the design grows.
    """

    n: dict[str, int]
    rail: IntArray  # shape (n_devices,)
    plane: IntArray
    number: IntArray

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

    def index_of_number(self, name: str) -> int | None:
        """Index of a device whose name differs in leading zeros alone: "spine-3" and "spine-03" are ``spine-003``."""
        match = re.fullmatch(r"(.*-)0*([0-9]{1,9})", re.sub(r"-r0+(?=[0-9])", "-r", name), flags=re.ASCII)
        if match is None:
            return None
        stem, number = match.groups()
        written = (f"{stem}{number:0>{width}}" for width in range(len(number), MOST_DIGITS + 1))
        return next((index for one in written if (index := self.index_of(one)) is not None), None)

    def _names_of(self, kind: str) -> list[str]:
        width = max({NODE: 4, MANAGER: 2}.get(kind, 3), len(str(self.n[kind])))
        own = self.of(kind)
        rails, numbers = self.rail[own].tolist(), self.number[own].tolist()
        if kind != LEAF or not any(rails):
            form = f"{kind}-%0{width}d"
            return [form % number for number in numbers]
        form = f"leaf-r%d-%0{width}d"
        return [form % pair for pair in zip(rails, numbers, strict=True)]


def devices_of(fabric: SizedFabric) -> Devices:
    """The devices of a sized fabric. Switches are in order of plane, then (rail-only) rail, then pod, unit and rail."""
    n = {
        NODE: fabric.n_nodes,
        MANAGER: n_managers(fabric),
        LEAF: fabric.n_leaf,
        SPINE: fabric.n_spine,
        CORE: fabric.n_core,
    }
    in_order = [np.arange(n[kind]) + 1 for kind in (NODE, MANAGER, CORE)]
    manager_planes = np.repeat(_component_planes(fabric), ceil_div(managers_of_components(fabric), MANAGER_PORTS))
    switch_planes = [np.repeat(_component_planes(fabric), n[kind] // fabric.n_components) for kind in SWITCH_KINDS]
    below = np.zeros(n[NODE] + n[MANAGER], dtype=np.int64)
    return Devices(
        n,
        rail=np.concatenate([below, *(_rails(fabric, kind, n[kind]) for kind in SWITCH_KINDS)]),
        plane=np.concatenate([below[: n[NODE]], manager_planes, *switch_planes]),
        number=np.concatenate([*in_order[:2], _leaf_numbers(fabric), _spine_numbers(fabric), in_order[2]]),
    )


def manager_links_of_leaves(fabric: SizedFabric) -> IntArray:
    """Fabric-manager links of every leaf."""
    return fabric.leaf_down - ceil_div(fabric.leaf_endpoints, fabric.endpoints_per_port)


def first_manager_ports(fabric: SizedFabric, links_per_cage: int) -> IntArray:
    """Port of the first fabric-manager link of every leaf: after the nodes', past the cage that a splitter fills if it can."""
    after_nodes = ceil_div(fabric.leaf_endpoints, fabric.endpoints_per_port)
    if fabric.endpoints_per_port == 1:
        return after_nodes
    fresh = ceil_div(after_nodes, links_per_cage) * links_per_cage
    uplinks_from = (fabric.wiring.leaf_ports - fabric.leaf_uplinks) // links_per_cage * links_per_cage
    has_room = fresh + manager_links_of_leaves(fabric) <= uplinks_from
    return np.where(has_room, fresh, after_nodes)


def managers_of_components(fabric: SizedFabric) -> IntArray:
    """Fabric-manager links of every component: a manager looks after one network."""
    return manager_links_of_leaves(fabric).reshape(fabric.n_components, -1).sum(axis=1)


def n_managers(fabric: SizedFabric) -> int:
    """Fabric managers: one for each MANAGER_PORTS links of a component."""
    return int(ceil_div(managers_of_components(fabric), MANAGER_PORTS).sum()) if fabric.links_fabric_manager else 0


def _component_planes(fabric: SizedFabric) -> IntArray:
    components = np.arange(fabric.n_components)
    return components // (fabric.n_components // fabric.planes) + 1


def _rails(fabric: SizedFabric, kind: str, count: int) -> IntArray:
    """Rail of every leaf, spine or core, in index order."""
    wiring, copies = fabric.wiring, fabric.n_components
    each = count // copies
    if fabric.layout == "rail-only":
        return np.repeat(np.arange(copies) % (copies // fabric.planes) + 1, each)
    columns = np.arange(wiring.columns) + 1
    if kind == LEAF and wiring.rails_a_leaf == 1:
        return np.tile(columns, count // wiring.columns)
    if kind == SPINE and wiring.rails_a_leaf == 1 and fabric.tiers == 3:
        return np.tile(np.repeat(columns, each // wiring.columns), copies)
    return np.zeros(count, dtype=np.int64)


def _leaf_numbers(fabric: SizedFabric) -> IntArray:
    """Counted row by row, so that the leaves of nodes to come are numbered last; by rail, where a leaf serves one."""
    wiring, copies = fabric.wiring, fabric.n_components
    component, row, column = np.ix_(range(copies), range(wiring.rows), range(wiring.columns))
    if fabric.layout == "rail-only" or wiring.rails_a_leaf == 1:
        rails = copies // fabric.planes if fabric.layout == "rail-only" else 1
        number = row * fabric.planes + component // rails + 0 * column
    else:
        number = (row * copies + component) * wiring.columns + column
    return np.asarray(number).ravel() + 1


def _spine_numbers(fabric: SizedFabric) -> IntArray:
    """Counted pod by pod, for the same reason."""
    if fabric.tiers < 3:
        return np.arange(fabric.n_spine) + 1
    wiring, groups = fabric.wiring, fabric.n_components * fabric.wiring.columns
    full, last = wiring.pods - 1, wiring.last_spines
    group, pod, spine = np.ix_(range(groups), range(full), range(wiring.spines))
    numbers = ((pod * groups + group) * wiring.spines + spine).reshape(groups, -1)
    last_numbers = full * groups * wiring.spines + np.arange(groups * last).reshape(groups, last)
    return np.concatenate([numbers, last_numbers], axis=1).ravel() + 1
