"""The plan of a storage or management network: every leaf routes a subnet of its own, and nothing is bonded or stretched.

A host with ports on two leaves has an address in the subnet of each: no state is shared between leaves, and a leaf that fails
takes its own subnet along alone. Leaves of an out-of-band network are joined to the network above them as leaves to spines.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import IPv4Network
from math import ceil

from estimator.bringup.plan import addressing
from estimator.bringup.plan.addressing import HostLink
from estimator.bringup.plan.buffers import Headroom
from estimator.bringup.plan.facts import chosen
from estimator.bringup.plan.plan import Interface, Plan, PortNames
from estimator.bringup.plan.systems import System, usual_system
from estimator.bringup.plan.value import Value, own
from estimator.bringup.plan.wired import Port
from estimator.catalog.ports import CONVERGED, IN_BAND, OUT_OF_BAND, STORAGE
from estimator.catalog.records import Switch
from estimator.fabric.devices import CORE, LEAF, NODE, SPINE
from estimator.fabric.hosts import UPLINK
from estimator.fabric.ports import Labels

ROLES = (STORAGE, CONVERGED, IN_BAND, OUT_OF_BAND)
FIRST_HOST = 2  # the first address of a subnet is the leaf's
LOSSLESS = "lossless"
KINDS_OF_SWITCH = (LEAF, SPINE, CORE)


@dataclass(frozen=True)
class OtherPlan(Plan):
    """A network beside the compute fabric; ``number`` counts them from 0 in the order of the design.

    ``subnet`` holds the addresses of all its hosts, ``leaf_bits`` is how many bits of it count those of one leaf; on InfiniBand
    it is one subnet without gateways.
    """

    key: str = field(kw_only=True)
    number: int = field(kw_only=True)
    subnet: IPv4Network = field(kw_only=True)
    leaf_bits: int = field(kw_only=True)
    above: "OtherPlan | None" = field(kw_only=True, default=None)
    """The network in which the uplinks of its leaves end."""
    asns_below: Mapping[str, int] = field(kw_only=True, default_factory=dict)
    """BGP numbers of leaves of other networks whose uplinks end here, by name."""

    @property
    def role(self) -> str:
        """What the network is for."""
        return role_of(self.key)

    def fact(self, what: str) -> Value:
        """A row of facts about networks of this role."""
        return chosen(f"other.{what}", role=self.role, protocol=self.protocol)

    @property
    def has_classes(self) -> bool:
        """Whether it carries storage over RDMA."""
        return self.is_ethernet and self.fact("flow").value == LOSSLESS

    @property
    def is_lossless(self) -> bool:
        """Whether the data class is paused rather than dropped."""
        return self.has_classes and super().is_lossless

    @property
    def has_leaf_subnets(self) -> bool:
        """Always: hosts of these networks have no addresses of their own making."""
        return True

    @cached_property
    def circumstances(self) -> dict[str, str]:
        """What facts can depend on in all of the network."""
        return super().circumstances | {"addressing": "rail"}

    @cached_property
    def own_values(self) -> Mapping[str, Value]:
        """Its range of addresses, and how it treats packets."""
        how = "Leaves route, so that nothing is stretched or bonded: a host with ports on two leaves has an address on each"
        return {
            "addressing.hosts": self.fact("pool"),
            "addressing": own("addressing", "a subnet a leaf", how),
            "other.flow": self.fact("flow"),
        }

    @cached_property
    def groups(self) -> list[tuple[str, range]]:
        """Kinds of hosts with their devices."""
        hosts, out, start = self.links.table.fabric.hosts, [], 0
        for group in hosts.groups if hosts else ():
            out.append((group.kind, range(start, start + group.n_devices)))
            start += group.n_devices
        return out

    def is_uplink(self, device: int) -> bool:
        """Whether a host is a leaf of another network, whose uplinks end here."""
        return any(kind == UPLINK and device in devices for kind, devices in self.groups)

    @property
    def flow(self) -> Value:
        """How its packets are protected."""
        flow = self.fact("flow")
        if not self.has_classes or self.is_lossless:
            return flow
        trimmed = self.value("data.flow")
        return flow.but(value="lossy, trimmed", source=trimmed.source, trust=trimmed.trust, why=trimmed.why)

    def by_system(self) -> dict[str, list[int]]:
        """Switches by the system that their boxes usually run, leaves first; none on InfiniBand."""
        out: dict[str, list[int]] = {}
        for device in self.wired.switches if self.is_ethernet else ():
            system = usual_system(self.links.switches[self.wired.kind(device)])
            out.setdefault(system.key, []).append(device)
        return out

    @property
    def switch_mtu(self) -> Value:
        """Largest frame of its switches, as their system takes it."""
        if not self.is_ethernet:
            return self.fact("switch_mtu_bytes")
        return chosen("mtu.switch_bytes", os=usual_system(self.links.switches[LEAF]).key)

    @cached_property
    def names_at_switches(self) -> Mapping[str, Labels]:
        """Names of ports by kind of switch, each under the system that its box usually runs."""
        parts = self.links.switches.items()
        if not self.is_ethernet:
            return self.links.labels
        return {kind: self.port_names(usual_system(part)).labels[kind] for kind, part in parts}

    # --- addresses ---------------------------------------------------------------------------------------------------
    def host_link(self, link: int) -> HostLink:
        """Addresses of both ends of a host's link; the leaf's is the same for all of its hosts."""
        slot, index = self.places[link]
        start = self.subnet.network_address + (slot << self.leaf_bits)
        length = 32 - self.leaf_bits
        return HostLink(f"{start + 1}/{length}", f"{start + FIRST_HOST + index}/{length}", f"{start}/{length}")

    @cached_property
    def places(self) -> dict[int, tuple[int, int]]:
        """By link of a host: number of its leaf, and of the port among the leaf's; on InfiniBand of one subnet for all."""
        out: dict[int, tuple[int, int]] = {}
        for slot, links in enumerate(host_links(self)):
            first = 0 if self.is_ethernet else len(out)
            out |= {link: (slot if self.is_ethernet else 0, first + index) for index, link in enumerate(links)}
        return out

    def _gateway(self, device: int) -> str | None:
        links = [port.link for port in self.wired.ports(device) if self.has_address(port)]
        return self.host_link(links[0]).switch if links and self.is_ethernet else None

    def has_address(self, port: Port) -> bool:
        """Whether a port of a leaf leads to a host that gets an address here."""
        return self.wired.kind(port.peer) not in KINDS_OF_SWITCH and not self.is_uplink(port.peer)

    def _loopback(self, device: int) -> str:
        kind = self.wired.kind(device)
        return addressing.other_loopback(self.number, kind, device - self.links.table.devices.first[kind])

    def _asn(self, kind: str, device: int) -> int:
        devices = self.links.table.devices
        place = device - devices.first[kind]
        if kind == SPINE:
            place = min((port.peer for port in self.wired.ports(device) if not port.is_lower), default=device)
            place -= devices.first[LEAF]
        elif kind == CORE:
            place = int(devices.plane[device])
        return addressing.other_asn(self.number, kind, place)

    # --- ports -------------------------------------------------------------------------------------------------------
    def _interfaces(self, device: int, names: PortNames) -> tuple[Interface, ...]:
        return (*super()._interfaces(device, names), *self._uplinks(device))

    def _interface(self, kind: str, port: Port, names: PortNames) -> Interface:
        made = super()._interface(kind, port, names)
        if not self.is_uplink(port.peer):
            return made
        return made._replace(towards=LEAF, peer_asn=self.asns_below.get(made.peer))

    def _uplinks(self, device: int) -> Iterator[Interface]:
        """Ports of a leaf into the network above, which that network's links have."""
        above, name = self.above, self.wired.name(device)
        host = above.links.table.devices.index_of(name) if above else None
        if above is None or host is None:
            return
        for port in above.wired.ports(host):
            kind = above.wired.kind(port.peer)
            peers = above.names_at_switches[kind]
            label = above.links.labels[NODE].port(port.port)
            yield Interface(
                name=label,
                cage=label,
                parts=1,
                towards=LEAF,
                peer=above.wired.name(port.peer),
                peer_port=peers.port(port.peer_port, port.peer_lane),
                rail=port.rail,
                speed_gbit_s=port.rate_gbit_s,
                cable_m=port.length_m,
                address=None,
                peer_asn=above.asns[port.peer],
            )

    def _room(self, cable_m: float, rate: int, part: Switch | None, system: System, kind: str) -> Headroom:
        if self.has_classes:
            return super()._room(cable_m, rate, part, system, kind)
        flow = self.fact("flow")
        return Headroom(None, None, None, ceil(cable_m), "none: lossy", flow.source, flow.trust, flow.why)


def role_of(key: str) -> str:
    """What a network is for, by its key: ``out-of-band-2`` → ``out-of-band``."""
    return next(role for role in ROLES if key.startswith(role))


def host_links(plan: OtherPlan) -> Iterator[list[int]]:
    """Links of each leaf to hosts that get addresses, leaf by leaf in order of port."""
    first, n = plan.links.table.devices.first[LEAF], plan.links.table.devices.n[LEAF]
    for leaf in range(first, first + n):
        yield [port.link for port in plan.wired.ports(leaf) if plan.has_address(port)]
