"""The plan of a design: settings of its switches and NICs, made when they are read, so that large designs stay cheap."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil
from typing import NamedTuple

from estimator.bringup.plan import addressing
from estimator.bringup.plan.buffers import Headroom, nic_headroom, switch_headroom
from estimator.bringup.plan.choices import USUAL, Choices
from estimator.bringup.plan.facts import chosen
from estimator.bringup.plan.records import NicGroup, PortGroup
from estimator.bringup.plan.systems import System, labels_under, usual_system
from estimator.bringup.plan.value import Value
from estimator.bringup.plan.wired import Port, Wired
from estimator.cabling.links import LinkList
from estimator.catalog.records import Switch
from estimator.fabric.devices import CORE, LEAF, NODE, SPINE
from estimator.fabric.ports import Labels

ARM64 = ("Grace", "Vera")  # CPUs, as the catalog's servers have them
ETHERNET, INFINIBAND = "ethernet", "infiniband"


class Interface(NamedTuple):
    """One port of a switch as its system names it. ``cage`` is the name while the cage is whole, split in ``parts``."""

    name: str
    cage: str
    parts: int
    towards: str
    peer: str
    peer_port: str
    rail: int
    speed_gbit_s: int
    cable_m: float
    address: str | None
    """IPv4 of the switch's end; None on links between switches, which have link-local addresses."""
    peer_asn: int | None
    """BGP number of a switch at the other end; None where a node is."""

    @property
    def is_to_node(self) -> bool:
        """Whether a node is at the other end, or a fabric manager."""
        return self.towards not in (LEAF, SPINE, CORE)


class Group(NamedTuple):
    """Interfaces of one switch towards a kind of device at a rate, and what the longest cable needs."""

    towards: str
    speed_gbit_s: int
    cable_m: float
    interfaces: tuple[Interface, ...]
    headroom: Headroom


class PortNames(NamedTuple):
    """Names of ports by kind of device, and how many ports each cage has while its ports are not split further.

    ``at_peers`` are those that devices at the other ends print: a box that does not run the system prints its own.
    """

    labels: Mapping[str, Labels]
    in_cage: Mapping[str, Counter[str]]
    at_peers: Mapping[str, Labels]

    @classmethod
    def of(cls, links: LinkList, system: System) -> "PortNames":
        """The names under a system, with their counts."""
        labels = labels_under(links, system)
        others = {kind: usual_system(part) for kind, part in links.switches.items() if not system.runs_on(part)}
        under = {one.key: labels_under(links, one) for one in others.values()}
        at_peers = labels | {kind: under[one.key][kind] for kind, one in others.items()}
        return cls(labels, {kind: Counter(one.cage_ports) for kind, one in labels.items()}, at_peers)


@dataclass(frozen=True, eq=False)
class SwitchPlan:
    """All that one switch is set to under one system. Equal to itself alone, so that what is worked out of it is kept."""

    name: str
    kind: str
    part: Switch | None
    system: System
    asn: int
    loopback: str
    gateway: str | None
    """Address of the switch in the subnet of its node ports; None where each port has an address of its own."""
    interfaces: tuple[Interface, ...]
    groups: tuple[Group, ...]
    design: dict[str, str]
    """What facts can depend on in all of the design."""
    has_classes: bool = True
    """Whether RDMA runs through it, so that it has traffic classes, ECN and flow control."""
    own_values: Mapping[str, Value] = field(default_factory=dict)
    """Settings that its network has of its own, by key."""

    def value(self, key: str) -> Value:
        """A setting as this switch has it."""
        return self.own_values.get(key) or chosen(key, **self.circumstances)

    @cached_property
    def circumstances(self) -> dict[str, str]:
        """What facts about it can depend on."""
        return circumstances(self.system, self.part, self.kind) | self.design

    @property
    def model(self) -> str:
        """Vendor and model, or that it is custom."""
        return f"{self.part.vendor} {self.part.model}" if self.part else "custom switch"


def circumstances(system: System, part: Switch | None, kind: str) -> dict[str, str]:
    """What facts about a switch can depend on."""
    out = {"os": system.key, "tier": kind}
    if part:
        out |= {"asic": part.asic, "vendor": part.vendor}
        if "Tomahawk" in part.asic:
            out |= {"asic_family": "Tomahawk"}
    return out


@dataclass(frozen=True)
class Plan:
    """The settings of a design; ``wired`` has its switches port by port."""

    links: LinkList
    wired: Wired
    protocol: str
    choices: Choices = USUAL

    @property
    def is_ethernet(self) -> bool:
        """Whether it is a RoCE fabric: PFC, ECN, BGP."""
        return self.protocol == ETHERNET

    @property
    def is_lossless(self) -> bool:
        """Whether the data class is paused rather than dropped."""
        return self.is_ethernet and self.value("data.flow").value == "pfc"

    @property
    def has_leaf_subnets(self) -> bool:
        """Whether the node ports of a leaf are one subnet, and not each one of its own."""
        return self.choices.addressing == "rail"

    def value(self, key: str, **more: str) -> Value:
        """A setting that is the same everywhere, or the one that holds where ``more`` does."""
        return chosen(key, **(self.circumstances | more))

    @cached_property
    def circumstances(self) -> dict[str, str]:
        """What facts can depend on in all of the design."""
        gpu = self.links.spec.compute.gpu
        return (
            {"protocol": self.protocol}
            | self.choices.circumstances
            | ({"gpu": gpu, "gpu_vendor": self.links.catalog.gpus[gpu].vendor} if gpu else {})
            | self._cpu
        )

    @property
    def _cpu(self) -> dict[str, str]:
        """What of the nodes' CPUs facts can depend on; nothing of those of x86 and of servers that nobody knows."""
        words = (self.links.server.cpu if self.links.server else "") or ""
        model = next((model for model in ARM64 if model in words), None)
        return {"cpu": "arm64", "cpu_model": model} if model else {}

    def switches(self, system: System, only: Iterable[int] | None = None) -> Iterator[SwitchPlan]:
        """The switches under a system, in order of leaves, spines, cores; or some by index."""
        labels = self.port_names(system)
        for device in self.wired.switches if only is None else only:
            yield self._switch(device, system, labels)

    def port_names(self, system: System) -> "PortNames":
        """Names of all ports under a system."""
        if system.key not in self._names:
            self._names[system.key] = PortNames.of(self.links, system)
        return self._names[system.key]

    @cached_property
    def _names(self) -> dict[str, "PortNames"]:
        """Port names by system, worked out once."""
        return {}

    @cached_property
    def nic_vendor(self) -> str | None:
        """Vendor of the nodes' NICs, by what their RDMA devices are called; None where nobody knows."""
        first = self.links.labels[NODE].ports[0]
        names = self.links.catalog.rdma_names.items()
        return next((vendor for vendor, name in names if first.startswith(name.prefix)), None)

    def nics(self) -> list[NicGroup]:
        """NIC ports of all nodes, one group a rate."""
        by_rate: dict[int, list[tuple[int, Port]]] = {}
        for node in self.wired.nodes:
            for port in self.wired.ports(node):
                by_rate.setdefault(port.rate_gbit_s, []).append((node, port))
        return [self._nics(rate, found) for rate, found in sorted(by_rate.items())]

    def _nics(self, rate: int, found: list[tuple[int, Port]]) -> NicGroup:
        cable_m = max(port.length_m for _, port in found)
        room = nic_headroom(cable_m, rate, self.nic_vendor) if self.is_lossless else None
        names, flow = self.links.labels[NODE], self.value("data.flow" if self.is_ethernet else "ib.flow")
        return NicGroup(
            ports=list(dict.fromkeys(names.port(port.port) for _, port in found)),
            nodes=len({node for node, _ in found}),
            speed_gbit_s=rate,
            cable_m=round(cable_m, 2),
            headroom_bytes=room.xoff_bytes if room else None,
            formula=room.formula if room else "none: nothing is paused" if self.is_ethernet else "credits",
            source=room.source if room else flow.source,
            trust=room.trust if room else flow.trust,
            why=room.why if room else flow.why,
        )

    def _switch(self, device: int, system: System, names: PortNames) -> SwitchPlan:
        kind, devices = self.wired.kind(device), self.links.table.devices
        part = self.links.switches[kind]
        interfaces = self._interfaces(device, names)
        return SwitchPlan(
            name=devices.names[device],
            kind=kind,
            part=part,
            system=system,
            asn=self.asns[device],
            loopback=self._loopback(device),
            gateway=self._gateway(device),
            interfaces=interfaces,
            groups=tuple(self._groups(interfaces, part, system, kind)),
            design=self.circumstances,
            has_classes=self.has_classes,
            own_values=self.own_values,
        )

    @property
    def has_classes(self) -> bool:
        """Whether RDMA runs through its switches."""
        return True

    @property
    def own_values(self) -> Mapping[str, Value]:
        """Settings of its own, which no row of facts has."""
        return {}

    def _loopback(self, device: int) -> str:
        """Address of a switch itself."""
        return addressing.loopback(self.links.table.devices, device)

    def _interfaces(self, device: int, names: PortNames) -> tuple[Interface, ...]:
        """The ports of a switch that have cables."""
        kind = self.wired.kind(device)
        return tuple(self._interface(kind, port, names) for port in self.wired.ports(device))

    @cached_property
    def asns(self) -> dict[int, int]:
        """BGP number of every switch, by its index."""
        return {device: self._asn(self.wired.kind(device), device) for device in self.wired.switches}

    def _asn(self, kind: str, device: int) -> int:
        devices = self.links.table.devices
        if kind == LEAF:
            return addressing.leaf_asn(devices, device)
        below = min((port.peer for port in self.wired.ports(device) if not port.is_lower), default=device)
        return addressing.group_asn(devices, kind, below if kind == SPINE else device)

    def _interface(self, kind: str, port: Port, names: PortNames) -> Interface:
        towards = self.wired.kind(port.peer)
        own = names.labels[kind]
        cage = own.cage_ports[port.port]
        has_own = towards == NODE and self.is_ethernet and not self.has_leaf_subnets
        address = self.host_link(port.link).switch if has_own else None
        return Interface(
            name=own.port(port.port, port.lane),
            cage=cage,
            parts=names.in_cage[kind][cage] * (len(own.lanes) - 1 if port.lane else 1),
            towards=towards,
            peer=self.wired.name(port.peer),
            peer_port=names.at_peers[towards].port(port.peer_port, port.peer_lane),
            rail=port.rail,
            speed_gbit_s=port.rate_gbit_s,
            cable_m=port.length_m,
            address=address,
            peer_asn=self.asns.get(port.peer),
        )

    def host_link(self, link: int) -> addressing.HostLink:
        """Addresses of both ends of a node's link, by its number in the list."""
        if not self.has_leaf_subnets:
            return addressing.host_link(link)
        return addressing.rail_link(*self._places[link])

    @cached_property
    def _places(self) -> dict[int, tuple[int, int]]:
        """By link of a node: number of its leaf's subnet, and of the port on the leaf."""
        devices = self.links.table.devices
        leaves = devices.of(LEAF)
        rails, numbers = devices.rail[leaves], devices.number[leaves]
        n_rails, first = int(rails.max() - rails.min()) + 1, int(rails.min())
        out: dict[int, tuple[int, int]] = {}
        for leaf in self.wired.switches[: len(rails)]:
            slot = (int(devices.number[leaf]) - int(numbers.min())) * n_rails + int(devices.rail[leaf]) - first
            to_nodes = [port.link for port in self.wired.ports(leaf) if self.wired.kind(port.peer) == NODE]
            out |= {link: (slot, index) for index, link in enumerate(to_nodes)}
        return out

    def _gateway(self, device: int) -> str | None:
        if not self.has_leaf_subnets or not self.is_ethernet:
            return None
        links = (port.link for port in self.wired.ports(device) if self.wired.kind(port.peer) == NODE)
        first = next(links, None)
        return None if first is None else self.host_link(first).switch

    def _groups(
        self, interfaces: tuple[Interface, ...], part: Switch | None, system: System, kind: str
    ) -> Iterator[Group]:
        found: dict[tuple[str, int], list[Interface]] = {}
        for one in interfaces:
            found.setdefault((one.towards, one.speed_gbit_s), []).append(one)
        for (towards, rate), members in found.items():
            longest = max(one.cable_m for one in members)
            yield Group(towards, rate, longest, tuple(members), self._room(longest, rate, part, system, kind))

    def _room(self, cable_m: float, rate: int, part: Switch | None, system: System, kind: str) -> Headroom:
        """Headroom of a group of ports; none where nothing is paused."""
        if not self.is_ethernet:
            return _credits(cable_m)
        if not self.is_lossless:
            flow = self.value("data.flow")
            return Headroom(
                None, None, None, ceil(cable_m), "none: nothing is paused", flow.source, flow.trust, flow.why
            )
        return switch_headroom(cable_m, rate, part, circumstances(system, part, kind))


def _credits(cable_m: float) -> Headroom:
    flow = chosen("ib.flow")
    return Headroom(None, None, None, ceil(cable_m), "credits", flow.source, flow.trust, flow.why)


def port_group(switch: SwitchPlan, group: Group) -> PortGroup:
    """A group as it is answered."""
    names = [one.name for one in group.interfaces]
    return port_group_of(switch.name, names, group.towards, group.speed_gbit_s, group.cable_m, group.headroom)


def port_group_of(
    switch: str, ports: list[str], towards: str, speed_gbit_s: int, cable_m: float, room: Headroom
) -> PortGroup:
    """Ports of a switch towards a kind of device, and what they keep free."""
    return PortGroup(
        switch=switch,
        ports=ports,
        towards=towards,
        speed_gbit_s=speed_gbit_s,
        cable_m=round(cable_m, 2),
        headroom_bytes=room.xoff_bytes,
        xon_bytes=room.xon_bytes,
        size_bytes=room.size_bytes,
        formula=room.formula,
        source=room.source,
        trust=room.trust,
        why=room.why,
    )
