"""Device types of a network as YAML, a document a type, in the form of NetBox's device-type library.

Interfaces are every port that the design may cable at its port rate, the lanes of split ports, the ports and cages as
they are before a split (for breakouts of netbox_profiles.py), and the out-of-band port. Nodes and fabric managers of the
compute network have their ports on the design's other networks too.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from estimator.cabling.links import LinkList
from estimator.catalog.ports import COMPUTE, IN_BAND, OUT_OF_BAND, STORAGE
from estimator.catalog.records import Server, Switch
from estimator.fabric.devices import CORE, LEAF, MANAGER, NODE, SPINE, SWITCH_KINDS
from estimator.fabric.hosts import ENDPOINT, PDU
from estimator.fabric.hosts import MANAGER as MANAGER_HOST
from estimator.fabric.ports import host_ports, management_port
from estimator.handoff.hosts_of import host_groups
from estimator.handoff.stamp import comments, slug
from estimator.link_list import link_list
from estimator.record import Json
from estimator.spec.network_rules import other_keys

CUSTOM_MAKER = "Custom"
ROLES = {
    NODE: "GPU node",
    MANAGER: "Fabric manager",
    LEAF: "Leaf switch",
    SPINE: "Spine switch",
    CORE: "Core switch",
    ENDPOINT: "Server",
    PDU: "PDU",
}
STORAGE_SERVER, MANAGEMENT_SERVER = "storage-node-nvme", "mgmt-node"
AIRFLOWS = {
    "front-to-rear": "front-to-rear",
    "rear-to-front": "rear-to-front",
    "psu-to-port": "rear-to-front",
    "port-to-psu": "front-to-rear",
}
ETHERNET_TYPES = {
    ("QSFP28", 100): "100gbase-x-qsfp28",
    ("QSFP28", 50): "50gbase-x-sfp28",
    ("QSFP56", 200): "200gbase-x-qsfp56",
    ("QSFP-DD", 100): "100gbase-x-qsfpdd",
    ("QSFP-DD", 200): "200gbase-x-qsfpdd",
    ("QSFP-DD", 400): "400gbase-x-qsfpdd",
    ("QSFP112", 400): "400gbase-x-qsfp112",
    ("OSFP", 400): "400gbase-x-osfp",
    ("OSFP", 800): "800gbase-x-osfp",
    ("OSFP", 1600): "1.6tbase-x-osfp1600",
    ("SFP28", 25): "25gbase-x-sfp28",
    ("RJ45", 1): "1000base-t",
    ("RJ45", 10): "10gbase-t",
}
OTHER = "other"
MANAGEMENT_TYPE = "1000base-t"
Interfaces = dict[str, tuple[str, bool]]  # name → NetBox type, and whether it is out-of-band


@dataclass(frozen=True)
class DeviceType:
    """One type: what it is, and its interfaces."""

    manufacturer: str
    model: str
    part_number: str | None
    rack_units: int
    weight_kg: float | None
    airflow: str | None
    interfaces: Interfaces

    def as_yaml(self) -> str:
        """A YAML document; scalars are written as JSON, which YAML reads."""
        values: Json = {
            "manufacturer": self.manufacturer,
            "model": self.model,
            "slug": slug(f"{self.manufacturer} {self.model}", longest=100),
            "part_number": self.part_number,
            "u_height": self.rack_units,
            "is_full_depth": self.rack_units > 0,
            "airflow": self.airflow,
            "weight": self.weight_kg,
            "weight_unit": "kg" if self.weight_kg else None,
        }
        lines = [
            f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in values.items() if value is not None
        ]
        lines.append("interfaces:")
        for name, (kind, is_management) in self.interfaces.items():
            lines += [f"  - name: {json.dumps(name, ensure_ascii=False)}", f"    type: {kind}"]
            lines += ["    mgmt_only: true"] * is_management
        return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class OwnDevices:
    """Devices of one kind that a network brings: their indexes, role and type."""

    place: slice
    role: str
    made: DeviceType


def write(links: LinkList) -> Iterator[str]:
    """A document a type; kinds of device that are the same part share one."""
    merged: dict[tuple[str, str], DeviceType] = {}
    for own in own_devices(links):
        first = merged.setdefault((own.made.manufacturer, own.made.model), own.made)
        first.interfaces.update(own.made.interfaces)
    yield comments(links, "NetBox device types: import these first, then devices, then cables.")
    for made in merged.values():
        yield "---\n" + made.as_yaml()


def own_devices(links: LinkList) -> list[OwnDevices]:
    """What the network brings, in order of devices; other networks' devices that it joins are theirs."""
    devices, joined = links.table.devices, _on_other_networks(links)
    found = []
    for group, place in host_groups(links):
        if group.kind == NODE and links.role == COMPUTE:
            made = _of_part(links.server, NODE, links, _host_interfaces(links) | joined[NODE])
            found.append(OwnDevices(place, ROLES[NODE], made))
        elif group.kind in (ENDPOINT, PDU):
            found.append(OwnDevices(place, ROLES[group.kind], _beside(links, group.kind, group.port_names)))
    if devices.n[MANAGER]:
        ports = {
            name: (_type(links, LEAF, links.fabric.port_rate_gbit_s), False) for name in links.labels[MANAGER].ports
        }
        made = DeviceType(CUSTOM_MAKER, "Fabric manager server", None, 1, None, None, ports | joined[MANAGER])
        found.append(OwnDevices(devices.of(MANAGER), ROLES[MANAGER], made))
    for kind in SWITCH_KINDS:
        if devices.n[kind]:
            made = _of_part(links.switches[kind], kind, links, _switch_interfaces(links, kind))
            found.append(OwnDevices(devices.of(kind), ROLES[kind], made))
    return found


def _of_part(part: Server | Switch | None, kind: str, links: LinkList, interfaces: Interfaces) -> DeviceType:
    if part is None:
        model = f"Custom {links.role} {kind}, {len(links.labels[kind].ports)} ports"
        return DeviceType(CUSTOM_MAKER, model, None, 1, None, None, interfaces)
    number = part.part_numbers[0] if part.part_numbers else None
    flows = (part.airflow,) if isinstance(part, Server) else part.airflow
    airflow = AIRFLOWS.get(flows[0]) if len(flows) == 1 else None
    return DeviceType(part.vendor, part.model, number, part.rack_units, part.weight_kg, airflow, interfaces)


def _beside(links: LinkList, kind: str, ports: tuple[str, ...]) -> DeviceType:
    """A PDU, or a server that a storage or management network joins."""
    interfaces = {
        name: (_type(links, LEAF, links.fabric.port_rate_gbit_s), links.role == OUT_OF_BAND) for name in ports
    }
    if kind == PDU or links.role == OUT_OF_BAND:
        model = "Rack PDU" if kind == PDU else "Out-of-band device"
        return DeviceType(CUSTOM_MAKER, model, None, 0, None, None, interfaces)
    part = links.catalog.servers[STORAGE_SERVER if links.role.startswith(STORAGE) else MANAGEMENT_SERVER]
    return _of_part(part, NODE, links, interfaces)


def _on_other_networks(links: LinkList) -> dict[str, Interfaces]:
    """Ports that nodes and fabric managers have on networks other than this one, by kind."""
    management: Interfaces = dict.fromkeys(host_ports(OUT_OF_BAND, 1), (MANAGEMENT_TYPE, True))
    found: dict[str, Interfaces] = {NODE: dict(management), MANAGER: dict(management)}
    if links.role != COMPUTE:
        found[MANAGER] |= dict.fromkeys(host_ports(IN_BAND, 2), (OTHER, False))
        return found
    for key in other_keys(links.spec):
        other = link_list(links.spec, links.catalog, key)
        kind, is_management = _type(other, LEAF, other.fabric.port_rate_gbit_s), key.startswith(OUT_OF_BAND)
        for group, _ in host_groups(other):
            names = other.labels[NODE].ports[: group.ports] if group.kind == NODE else group.port_names
            if group.kind == NODE or (group.kind == MANAGER_HOST and group.source == COMPUTE):
                own = found[NODE if group.kind == NODE else MANAGER]
                own |= dict.fromkeys(names, (kind, is_management))
    return found


def _host_interfaces(links: LinkList) -> Interfaces:
    network = links.catalog.compute_network(links.spec.compute.server)
    cage = network.cage if network else links.catalog.default_nic(links.spec.fabric.generation).ports[0].cage
    kind = _interface_type(links, cage, links.fabric.endpoint_rate_gbit_s)
    return dict.fromkeys(links.labels[NODE].ports, (kind, False))


def _switch_interfaces(links: LinkList, kind: str) -> Interfaces:
    """Cages and ports before a split, ports, lanes, and the out-of-band port."""
    labels, fabric = links.labels[kind], links.fabric
    rate = fabric.port_rate_gbit_s if kind == LEAF else fabric.uplink_rate_gbit_s
    n_down = len(labels.ports) - (fabric.leaf_uplinks if kind == LEAF and fabric.uplink_rate_gbit_s != rate else 0)
    panels = links.table.panels
    per_cage = getattr(panels, kind)
    names: Interfaces = {}
    for ports, at, cage_links, lanes in (
        (slice(0, n_down), rate, per_cage, labels.lanes[1:]),
        (slice(n_down, None), fabric.uplink_rate_gbit_s, panels.leaf_up or per_cage, []),
    ):
        names |= _at_rate(links, kind, ports, at, [(labels.cage_ports, cage_links), (labels.ports, 1)], lanes)
    return names | {management_port(links.switches[kind], links.catalog) or "mgmt0": (MANAGEMENT_TYPE, True)}


def _at_rate(
    links: LinkList,
    kind: str,
    ports: slice,
    rate_gbit_s: int,
    whole: list[tuple[list[str], int]],
    lanes: list[list[str]],
) -> Interfaces:
    """Some ports of one rate: ``whole`` are columns of names with the ports that each name stands for, ``lanes`` split ones."""
    names: Interfaces = {}
    for column, rate in (
        *((column, rate_gbit_s * n) for column, n in whole),
        *((lane, rate_gbit_s // len(lanes)) for lane in lanes),
    ):
        made = _type(links, kind, rate)
        names |= dict.fromkeys(column[ports], (made, False))
    return names


def _type(links: LinkList, kind: str, rate_gbit_s: int) -> str:
    """NetBox's type of a switch port at a rate, in the cage that the switch has for it."""
    switch = links.switches[kind] or links.catalog.default_switch(links.spec.fabric.generation)
    fitting = [cages for cages in switch.cages if rate_gbit_s in (cages.link_rate_gbit_s, cages.cage_rate_gbit_s)]
    biggest = max(fitting or switch.cages, key=lambda cages: cages.n_cages * cages.cage_rate_gbit_s)
    return _interface_type(links, biggest.cage, rate_gbit_s)


def _interface_type(links: LinkList, cage: str, rate_gbit_s: int) -> str:
    """The InfiniBand generation, or the cage's form at a rate of Ethernet."""
    generation = links.catalog.generations[links.spec.fabric.generation]
    if generation.protocol == "infiniband":
        own, known = links.fabric.uplink_rate_gbit_s, links.catalog.generations.values()
        if links.fabric.has_own_uplinks and rate_gbit_s == own:
            generation = next(
                (g for g in known if (g.protocol, g.port_rate_gbit_s) == (generation.protocol, own)), generation
            )
        return f"infiniband-{generation.id}"
    form = next((form for form, _ in ETHERNET_TYPES if cage.startswith(form)), "")
    return ETHERNET_TYPES.get((form, rate_gbit_s), OTHER)
