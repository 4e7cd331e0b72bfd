"""What the plan expects of a device by its name, in the words of its own system."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from ipaddress import ip_interface
from math import ceil

from estimator.bringup.plan.buffers import switch_headroom
from estimator.bringup.plan.facts import facts, is_known, number_or_text
from estimator.bringup.plan.plan import Plan, SwitchPlan
from estimator.bringup.plan.systems import SYSTEMS
from estimator.bringup.plan.value import Value
from estimator.bringup.renderings.infiniband.subnets import routing_engine
from estimator.fabric.devices import CORE, LEAF, NODE, SPINE
from estimator.performance.result import BuiltSystem

SWITCHES = (LEAF, SPINE, CORE)


@dataclass(frozen=True)
class Port:
    """A port of a device: what it leads to, its rate, its cable in whole metres, the headroom and address that it needs."""

    name: str
    peer: str
    peer_port: str
    is_to_switch: bool
    speed_gbit_s: int
    cable_m: int
    xoff_bytes: int | None
    address: str | None


@dataclass(frozen=True)
class Classes:
    """Traffic classes of the design as one system has them."""

    is_lossless: bool
    """Whether the data class is paused; else full queues trim or drop."""
    data_dscp: int
    data_priority: int
    cnp_dscp: int
    cnp_priority: int
    tos: int
    mtu_bytes: int
    host_mtu_bytes: int
    rdma_mtu_bytes: int
    ecn_min_bytes: tuple[int, ...]
    """Every threshold that is published for the system; none where it takes shares of the queue."""


@dataclass(frozen=True)
class Device:
    """A device of the design, or one that it does not have: then ``ports`` is empty and ``is_known`` false."""

    name: str
    is_known: bool
    ports: Mapping[str, Port]


class Expected:
    """Looks devices of a plan up, each worked out once."""

    def __init__(self, plan: Plan, system: BuiltSystem | None) -> None:
        self.plan, self.system = plan, system
        self._switches: dict[tuple[str, str], Device] = {}
        self._plans: dict[tuple[str, str], SwitchPlan | None] = {}
        self._hosts: dict[str, Device] = {}

    @property
    def is_ethernet(self) -> bool:
        """Whether it is RoCE."""
        return self.plan.is_ethernet

    @property
    def n_tiers(self) -> int:
        """Tiers of switches."""
        return sum(self.plan.links.table.devices.n[kind] > 0 for kind in SWITCHES)

    @cached_property
    def _index(self) -> dict[str, int]:
        wired = self.plan.wired
        return {wired.name(device).lower(): device for device in (*wired.nodes, *wired.switches)}

    def index(self, name: str) -> int | None:
        """Number of a device by its name, also with a domain behind it."""
        low = name.lower()
        found = self._index.get(low)
        return self._index.get(low.partition(".")[0]) if found is None else found

    def name_of(self, name: str) -> str:
        """The name that the design has for a device, else its own."""
        at = self.index(name)
        return name if at is None else self.plan.wired.name(at)

    @cached_property
    def routing_engine(self) -> Value:
        """The routing that fits the topology of an InfiniBand fabric, and why."""
        return routing_engine(self.plan)

    @cached_property
    def n_node_ports(self) -> int:
        """Ports of all nodes in the fabric."""
        return sum(1 for node in self.plan.wired.nodes for _ in self.plan.wired.ports(node))

    @cached_property
    def rate_gbit_s(self) -> int:
        """Rate of the NICs' ports."""
        return max(group.speed_gbit_s for group in self.plan.nics())

    @cached_property
    def nics(self) -> tuple[str, ...]:
        """Ports of a node in the fabric."""
        return tuple(dict.fromkeys(name for group in self.plan.nics() for name in group.ports))

    def classes(self, system: str) -> Classes:
        """Classes under a system; of hosts under none."""
        where = {"os": system} if system in SYSTEMS else {}

        def number(key: str) -> int:
            return int(self.plan.value(key, **where).value)

        return Classes(
            is_lossless=self.plan.is_lossless,
            data_dscp=number("data.dscp"),
            data_priority=number("data.priority"),
            cnp_dscp=number("cnp.dscp"),
            cnp_priority=number("cnp.priority"),
            tos=number("data.nccl_tc"),
            mtu_bytes=number("mtu.switch_bytes"),
            host_mtu_bytes=number("mtu.host_bytes"),
            rdma_mtu_bytes=number("mtu.rdma_bytes"),
            ecn_min_bytes=tuple(
                value
                for key in ("ecn.min_bytes", "ecn.max_bytes")
                for row in facts().get(key, ())
                if row.conditions.get("os", system) == system and isinstance(value := number_or_text(row.value), int)
            ),
        )

    def switch_plan(self, name: str, system: str) -> SwitchPlan | None:
        """The plan of a switch; None where the design has none of this name."""
        key = (name.lower(), system)
        if key not in self._plans:
            at = self.index(name)
            is_there = at is not None and at in self.plan.wired.switches
            self._plans[key] = next(self.plan.switches(SYSTEMS[system], [at])) if is_there and at is not None else None
        return self._plans[key]

    def trims(self, name: str, system: str) -> bool:
        """Whether the plan has a switch cut packets where a queue is full."""
        plan = self.switch_plan(name, system)
        if plan is None or not is_known("trim.available", **plan.circumstances):
            return False
        return plan.value("trim.available").value == "yes"

    def shared_subnet(self, name: str) -> bool:
        """Whether the plan has two ports of a node in one subnet."""
        networks = [ip_interface(port.address).network for port in self.host(name).ports.values() if port.address]
        return len(set(networks)) < len(networks)

    def switch(self, name: str, system: str) -> Device:
        """A switch whose ports have the names of a system."""
        key = (name.lower(), system)
        if key not in self._switches:
            self._switches[key] = self._switch(name, system)
        return self._switches[key]

    def _switch(self, name: str, system: str) -> Device:
        plan = self.switch_plan(name, system)
        if plan is None:
            return Device(name, False, {})
        return Device(plan.name, True, {port.name: port for port in _ports(plan, self.is_ethernet)})

    def host(self, name: str) -> Device:
        """A node with its NIC ports."""
        if name.lower() not in self._hosts:
            self._hosts[name.lower()] = self._host(name)
        return self._hosts[name.lower()]

    def _host(self, name: str) -> Device:
        at, wired = self.index(name), self.plan.wired
        if at is None or wired.kind(at) != NODE:
            return Device(name, False, {})
        labels = self.plan.links.labels
        found = {}
        for port in wired.ports(at):
            own = labels[NODE].port(port.port)
            found[own] = Port(
                name=own,
                peer=wired.name(port.peer),
                peer_port=labels[wired.kind(port.peer)].port(port.peer_port, port.peer_lane),
                is_to_switch=True,
                speed_gbit_s=port.rate_gbit_s,
                cable_m=ceil(port.length_m),
                xoff_bytes=None,
                address=self.plan.host_link(port.link).host if self.is_ethernet else None,
            )
        return Device(wired.name(at), True, found)


def _ports(plan: SwitchPlan, is_ethernet: bool) -> list[Port]:
    return [
        Port(
            name=one.name,
            peer=one.peer,
            peer_port=one.peer_port,
            is_to_switch=not one.is_to_node,
            speed_gbit_s=one.speed_gbit_s,
            cable_m=ceil(round(one.cable_m, 3)),
            xoff_bytes=switch_headroom(one.cable_m, one.speed_gbit_s, plan.part, plan.circumstances).xoff_bytes
            if plan.value("data.flow").value == "pfc" and is_ethernet
            else None,
            address=one.address,
        )
        for one in plan.interfaces
    ]
