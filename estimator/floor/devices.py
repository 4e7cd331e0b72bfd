"""The devices that a floor plan places: those of the compute network, and what the other networks of a design add."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import STORAGE
from estimator.fabric.devices import KINDS, MANAGER, NODE, SWITCH_KINDS, Devices
from estimator.fabric.topology import LinkTable
from estimator.floor.racks import Body, bodies_of, server_body, switch_body
from estimator.spec.design import DesignSpec
from estimator.units import IntArray

HOST, PDU = "host", "pdu"
MANAGER_SERVER, STORAGE_SERVER = "mgmt-node", "storage-node-nvme"
_NO_PLACE = Body("Rack PDU", 0, 1, 0.0, 0.0, 0.0)  # at the back of a rack, beside its units


class Network(NamedTuple):
    """A network beside the compute network: its key in the Estimate, its links, and its generation for custom parts."""

    key: str
    table: LinkTable
    generation: str


class Group(NamedTuple):
    """Devices of one kind and network; ``key`` names their body."""

    kind: str
    key: str
    n: int


@dataclass(frozen=True)
class FloorDevices:
    """All devices of a floor by index: those of the compute network first, in its own order, then group by group."""

    compute: Devices
    groups: tuple[Group, ...]
    bodies: Mapping[str, Body]
    added: tuple[str, ...]  # names beyond those of the compute network

    @cached_property
    def names(self) -> list[str]:
        """Name of every device."""
        return [*self.compute.names, *self.added]

    @cached_property
    def group(self) -> IntArray:
        """Index of every device's group."""
        return np.repeat(np.arange(len(self.groups)), [group.n for group in self.groups])

    def of_groups(self, values: Sequence[float]) -> "np.typing.NDArray[np.float64]":
        """One value a group → one a device."""
        return np.array(values, dtype=np.float64)[self.group]

    @cached_property
    def _indexes(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.names)}

    def index_of(self, name: str) -> int | None:
        """Index of a device, or None if the floor has none of that name."""
        return self._indexes.get(name)

    def indexes_of(self, table: LinkTable) -> IntArray | None:
        """Index of every device of a link table; None for the compute network, whose indexes they are already.

        Raises
        ------
        ValueError
            If a device of the table has no place on this floor.
        """
        if table.fabric.role == "compute":
            return None
        missing = [name for name in table.devices.names if name not in self._indexes]
        if missing:
            raise ValueError(f"{missing[0]} has no place on this floor, which is that of another design")
        return np.array([self._indexes[name] for name in table.devices.names], dtype=np.int64)


def floor_devices(spec: DesignSpec, table: LinkTable, networks: Sequence[Network], catalog: Catalog) -> FloorDevices:
    """Devices of the compute network and of the others, each once: servers and switches that several networks join."""
    compute = table.devices
    bodies = bodies_of(spec, table.fabric, catalog)
    groups = [Group(kind, kind, compute.n[kind]) for kind in KINDS]
    added: list[str] = []
    known = set(compute.names) if networks else set()
    for group, names, body in (*_switches(networks, catalog), *_hosts(networks, catalog)):
        new = [name for name in names if name not in known]
        if new:
            groups.append(group._replace(n=len(new)))
            bodies[group.key] = body
            added += new
            known.update(new)
    return FloorDevices(compute, tuple(groups), bodies, tuple(added))


_Found = tuple[Group, list[str], Body]


def _switches(networks: Sequence[Network], catalog: Catalog) -> Iterator[_Found]:
    for network in networks:
        fabric, devices = network.table.fabric, network.table.devices
        for kind in (MANAGER, *SWITCH_KINDS):
            part = getattr(fabric, f"{kind}_switch", None)
            body = (
                server_body(catalog.servers[MANAGER_SERVER])
                if kind == MANAGER
                else (switch_body(part, network.generation, catalog))
            )
            yield Group(kind, f"{network.key} {kind}", 0), devices.names[devices.of(kind)], body


def _hosts(networks: Sequence[Network], catalog: Catalog) -> Iterator[_Found]:
    """What networks join beside nodes and switches; a device that another network named first is left out by the caller."""
    for network in networks:
        devices = network.table.devices
        hosts = devices.names[devices.of(NODE)]
        server = catalog.servers[STORAGE_SERVER if network.key.startswith(STORAGE) else MANAGER_SERVER]
        pdus = [name for name in hosts if name.startswith(f"{PDU}-")]
        others = [name for name in hosts if not name.startswith(f"{PDU}-")]
        yield Group(HOST, f"{network.key} {HOST}", 0), others, server_body(server)
        yield Group(PDU, f"{network.key} {PDU}", 0), pdus, _NO_PLACE
