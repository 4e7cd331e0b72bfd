"""The plan of a storage or management network: every leaf routes a subnet of its own, and nothing is bonded or stretched.

A host with ports on two leaves has an address in the subnet of each: no state is shared between leaves, and a leaf that fails
takes its own subnet along alone. Leaves of an out-of-band network are joined to the network above them as leaves to spines.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from ipaddress import IPv4Network
from math import ceil

from estimator.bringup.plan import addressing
from estimator.bringup.plan.addressing import HostLink
from estimator.bringup.plan.buffers import Headroom
from estimator.bringup.plan.choices import Choices
from estimator.bringup.plan.facts import chosen
from estimator.bringup.plan.plan import Interface, Plan, PortNames
from estimator.bringup.plan.systems import System, usual_system
from estimator.bringup.plan.value import Value, own
from estimator.bringup.plan.wired import Port, Wired
from estimator.catalog.ports import CONVERGED, IN_BAND, OUT_OF_BAND, STORAGE
from estimator.catalog.records import Switch
from estimator.errors import Problem, SpecError
from estimator.fabric.devices import CORE, LEAF, NODE, SPINE
from estimator.fabric.hosts import UPLINK
from estimator.fabric.ports import Labels
from estimator.link_list import link_list
from estimator.spec.network_rules import other_keys

ROLES = (STORAGE, CONVERGED, IN_BAND, OUT_OF_BAND)
SMALLEST_BITS = 16  # of addresses of a network
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


def other_plans(plan: Plan) -> list[OtherPlan]:
    """All networks of a design beside the compute fabric, in its order.

    Raises
    ------
    SpecError
        If the range of addresses of a role is too small.
    """
    spec, catalog = plan.links.spec, plan.links.catalog
    taken = dict.fromkeys(ROLES, 0)
    made: list[OtherPlan] = []
    for number, key in enumerate(other_keys(spec)):
        links = link_list(spec, catalog, key)
        protocol = catalog.generations[links.spec.fabric.generation].protocol
        one = OtherPlan(
            links,
            Wired(links),
            protocol,
            Choices(data_class=plan.choices.data_class),
            key=key,
            number=number,
            subnet=IPv4Network("0.0.0.0/0"),
            leaf_bits=0,
        )
        made.append(_addressed(one, taken))
    return _joined(made)


def _addressed(plan: OtherPlan, taken: dict[str, int]) -> OtherPlan:
    """The plan with the next subnet of its role's range."""
    pool = IPv4Network(str(plan.fact("pool").value))
    by_leaf = [len(links) for links in host_links(plan)]
    most = max(by_leaf, default=0) if plan.is_ethernet else sum(by_leaf)
    least = 32 - int(plan.fact("leaf_prefix").value)
    bits = max(least if plan.is_ethernet else SMALLEST_BITS, (most + FIRST_HOST).bit_length())
    subnet = next_subnet(pool, taken[plan.role], bits, len(by_leaf) if plan.is_ethernet else 1, plan.key)
    taken[plan.role] = int(subnet.broadcast_address) + 1 - int(pool.network_address)
    return replace(plan, subnet=subnet, leaf_bits=bits)


def next_subnet(pool: IPv4Network, taken: int, leaf_bits: int, n_leaves: int, key: str) -> IPv4Network:
    """The next subnet of a range of which ``taken`` addresses are used: a /16, larger where leaves need more.

    Raises
    ------
    SpecError
        If the range has no such subnet left.
    """
    size = max(2**SMALLEST_BITS, 1 << (max(n_leaves, 1) * 2**leaf_bits - 1).bit_length())
    start = -(-taken // size) * size
    if start + size > pool.num_addresses:
        message = (
            f"{key}: {pool} has no subnet of {size:,} addresses left for {n_leaves:,} leaves. Give it fewer nodes, or fewer "
            "networks of its role."
        )
        raise SpecError([Problem("other_fabrics", "too_many_subnets", message)])
    return IPv4Network((int(pool.network_address) + start, 33 - size.bit_length()))


def _joined(made: list[OtherPlan]) -> list[OtherPlan]:
    """The plans, each with the network above it, which knows the leaves below."""
    tops = [replace(one, asns_below=dict(_below(one, made))) for one in made]
    return [replace(one, above=next((top for top in tops if _is_above(top, one)), None)) for one in tops]


def _below(above: OtherPlan, made: list[OtherPlan]) -> Iterator[tuple[str, int]]:
    for one in made:
        if _is_above(above, one):
            yield from ((one.wired.name(device), one.asns[device]) for device in _leaves(one))


def _is_above(above: OtherPlan, one: OtherPlan) -> bool:
    """Whether uplinks of a network's leaves end in another one."""
    hosts = above.links.table.fabric.hosts
    return any(group.kind == UPLINK and group.source == one.key for group in (hosts.groups if hosts else ()))


def _leaves(plan: OtherPlan) -> Iterable[int]:
    first = plan.links.table.devices.first[LEAF]
    return range(first, first + plan.links.table.devices.n[LEAF])
