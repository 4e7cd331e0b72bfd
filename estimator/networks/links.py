"""The link table of a storage or management network: attachments become the devices and ports that they stand for."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import COMPUTE, CONVERGED, IN_BAND, OUT_OF_BAND, STORAGE
from estimator.fabric.devices import KINDS, LEAF, MANAGER, NODE, SWITCH_KINDS, Devices, devices_of
from estimator.fabric.hosts import ENDPOINT, PDU, SWITCH, UPLINK, Attached, Hosts
from estimator.fabric.hosts import MANAGER as MANAGER_HOST
from estimator.fabric.hosts import NODE as NODE_HOST
from estimator.fabric.sized import SizedFabric
from estimator.fabric.topology import NODE_LEAF, LinkTable, link_table, panels_of
from estimator.networks.sized import OtherSized
from estimator.units import Column, IntArray

_PREFIXES = {STORAGE: "storage", IN_BAND: "inband", OUT_OF_BAND: "oob", CONVERGED: "converged"}
_ENDPOINTS = {STORAGE: "storage", IN_BAND: "mgmt", OUT_OF_BAND: "device", CONVERGED: "host"}
_COLUMNS = (
    "tier",
    "plane",
    "rail",
    "a_device",
    "a_cage",
    "a_port",
    "b_device",
    "b_cage",
    "b_port",
    "b_lane",
    "rate_gbit_s",
)


@dataclass(frozen=True)
class OtherDevices(Devices):
    """Devices of one network: hosts by their own names, switches and managers with the network's prefix."""

    host_names: tuple[str, ...]
    prefix: str

    @cached_property
    def names(self) -> list[str]:
        """Name of every device, by index."""
        own = (f"{self.prefix}-{name}" for kind in KINDS if kind != NODE for name in self._names_of(kind))
        return [*self.host_names, *own]


def prefix_of(key: str) -> str:
    """How names of a network's switches begin: ``out-of-band-2`` → ``oob2``."""
    role = next(role for role in _PREFIXES if key.startswith(role))
    return _PREFIXES[role] + key.removeprefix(role).removeprefix("-")


def other_table(one: OtherSized, compute: SizedFabric, others: Sequence[OtherSized], catalog: Catalog) -> LinkTable:
    """Every link of one network; ``others`` are all networks of the design beside the compute network."""
    table = link_table(one.wired, panels_of(one.spec, one.wired, catalog))
    rows, rest = table.rows(NODE_LEAF), slice(table.rows(NODE_LEAF).stop, None)
    attachment, keep = _attachments(one, table)
    names = tuple(name for group in one.hosts.groups for name in _names(group, one, compute, others))
    devices = _devices(one, table.devices, names)
    device, port, cage = _hosts(one.hosts, attachment, table.a_port[rows][keep], table.panels.node)
    moved = devices.first[MANAGER] - table.devices.first[MANAGER]
    columns: dict[str, Column] = {}
    for name in _COLUMNS:
        column = getattr(table, name)
        nodes = {"a_device": device, "a_port": port, "a_cage": cage}.get(name)
        of_nodes = column[rows][keep] if nodes is None else nodes.astype(column.dtype)
        of_nodes = of_nodes + column.dtype.type(moved) if name == "b_device" else of_nodes
        above = column[rest] + column.dtype.type(moved) if name in ("a_device", "b_device") else column[rest]
        columns[name] = np.concatenate([of_nodes, above])
    columns["rate_gbit_s"][: len(device)] = _rates(one.hosts, device, columns["rate_gbit_s"][: len(device)])
    if one.entry.dual_homed:
        columns["rail"][:], columns["plane"][:] = 0, 1
    return LinkTable(one.fabric, devices, table.panels, **columns)


def _attachments(one: OtherSized, table: LinkTable) -> tuple[IntArray, IntArray]:
    """Attachment of every node link that there is, and the rows of these links among all that ``wired`` has."""
    virtual = table.a_device[table.rows(NODE_LEAF)].astype(np.int64)
    if one.wired is one.fabric:
        return virtual, np.arange(len(virtual))
    seats = one.wired.leaf_endpoints
    first, before = np.cumsum(seats) - seats, np.cumsum(one.fabric.leaf_endpoints) - one.fabric.leaf_endpoints
    leaf = np.repeat(np.arange(len(seats)), seats)
    seat = np.arange(len(leaf)) - first[leaf]
    keep = np.flatnonzero(seat < one.fabric.leaf_endpoints[leaf])
    return (before[leaf] + seat)[keep], keep


def _hosts(hosts: Hosts, attachment: IntArray, seat: Column, per_cage: int) -> tuple[IntArray, IntArray, IntArray]:
    """(device, port, cage) of every link; ports of each kind of device go on where those of the kind before end."""
    together = hosts.together
    each = np.concatenate([np.full(g.n_devices, g.ports // together) for g in hosts.groups])
    starts = np.cumsum([0, *(g.ports for g in hosts.groups)])[:-1]
    offset = np.concatenate([np.full(g.n_devices, start) for g, start in zip(hosts.groups, starts, strict=True)])
    device = np.repeat(np.arange(len(each)), each)[attachment]
    number = attachment - (np.cumsum(each) - each)[device]
    port = offset[device] + number * together + seat
    cage = np.where(device < hosts.n_nodes, port // per_cage, port)
    return device, port, cage


def _rates(hosts: Hosts, device: IntArray, of_nodes: Column) -> Column:
    """Rate of every host's link: that of the nodes, or of its own kind of device."""
    own = np.repeat([group.rate_gbit_s or 0 for group in hosts.groups], [group.n_devices for group in hosts.groups])
    rate = own[device]
    return np.where(rate > 0, rate, of_nodes).astype(of_nodes.dtype)


def _devices(one: OtherSized, virtual: Devices, names: tuple[str, ...]) -> OtherDevices:
    """Devices with hosts in place of attachments; leaves of a pair are numbered one after the other."""
    n = virtual.n | {NODE: len(names)}
    first = virtual.first[MANAGER]
    hosts = np.zeros(len(names), dtype=np.int64)
    rail, plane, number = virtual.rail[first:], virtual.plane[first:], virtual.number[first:]
    if one.entry.dual_homed:
        rail, plane = np.zeros_like(rail), np.ones_like(plane)
        number = np.concatenate([np.arange(n[kind]) + 1 for kind in (MANAGER, *SWITCH_KINDS)])
    numbers = np.concatenate([np.arange(len(names)) + 1, number])
    return OtherDevices(
        n, np.concatenate([hosts, rail]), np.concatenate([hosts, plane]), numbers, names, prefix_of(one.key)
    )


def _names(group: Attached, one: OtherSized, compute: SizedFabric, others: Sequence[OtherSized]) -> Iterator[str]:
    """Names of the devices of one kind, as they are called in the networks that they belong to."""
    if group.kind in (NODE_HOST, PDU, ENDPOINT):
        stem = {NODE_HOST: "node", PDU: "pdu"}.get(group.kind) or _ENDPOINTS[one.entry.role]
        width = max(4, len(str(group.n_devices)))
        yield from (f"{stem}-{number:0{width}d}" for number in range(1, group.n_devices + 1))
        return
    kinds = {UPLINK: (LEAF,), SWITCH: SWITCH_KINDS, MANAGER_HOST: (MANAGER,)}[group.kind]
    own = _named_devices(group.source, compute, others)
    found = [own.names[index] for kind in kinds for index in range(own.of(kind).start, own.of(kind).stop)]
    step = max(len(found) // group.n_devices, 1)  # a box that holds several switches is called by its first
    taken = found[: step * group.n_devices : step]
    yield from taken
    yield from (f"{group.source}-{group.kind}-{number}" for number in range(len(taken) + 1, group.n_devices + 1))


def _named_devices(key: str, compute: SizedFabric, others: Sequence[OtherSized]) -> Devices:
    """The devices of a network by name; its hosts are of no interest here."""
    if key == COMPUTE:
        return devices_of(compute)
    one = next(one for one in others if one.key == key)
    virtual = devices_of(one.wired)
    return _devices(one, virtual, tuple(f"node-{n}" for n in range(virtual.n[NODE])))
