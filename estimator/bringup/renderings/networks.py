"""Storage and management networks of a design: subnet, frame and class of each, and the address of every port."""

from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import NamedTuple

import numpy as np

from estimator.bringup.plan.facts import chosen
from estimator.bringup.plan.plan import Plan
from estimator.bringup.plan.value import Value
from estimator.bringup.plan.wired import Wired
from estimator.bringup.renderings.target import File
from estimator.cabling.links import LinkList
from estimator.catalog.ports import CONVERGED, IN_BAND, OUT_OF_BAND, STORAGE
from estimator.errors import Problem, SpecError
from estimator.fabric.devices import LEAF
from estimator.handoff.cells import Cell, csv_blocks
from estimator.link_list import link_list
from estimator.spec.network_rules import other_keys

ROLES = (STORAGE, CONVERGED, IN_BAND, OUT_OF_BAND)
PREFIX = 16
FIRST_HOST = 2  # the first address is the gateway
SUMMARY = ("network", "setting", "value", "unit", "why", "source", "trust")
ADDRESSES = ("device", "port", "address", "gateway", "switch", "switch_port", "mtu_bytes", "class", "source")


class Network(NamedTuple):
    """One network: its links, subnet, and what is set on it."""

    key: str
    links: LinkList
    subnet: IPv4Network
    pool: Value
    host_mtu: Value
    switch_mtu: Value
    flow: Value

    @property
    def gateway(self) -> str:
        """The first address."""
        return str(self.subnet.network_address + 1)


def networks(plan: Plan) -> Iterator[Network]:
    """All networks of the design beside the compute fabric, in its order."""
    spec, catalog = plan.links.spec, plan.links.catalog
    taken = dict.fromkeys(ROLES, 0)
    for key in other_keys(spec):
        role = next(role for role in ROLES if key.startswith(role))
        links = link_list(spec, catalog, key)
        where = {"role": role, "protocol": catalog.generations[links.spec.fabric.generation].protocol}
        pool, host_mtu, switch_mtu, flow = (
            chosen(f"other.{what}", **where) for what in ("pool", "host_mtu_bytes", "switch_mtu_bytes", "flow")
        )
        subnet = _subnet(IPv4Network(str(pool.value)), taken[role], _last_host_link(links), key)
        taken[role] = int(subnet.broadcast_address) + 1 - int(IPv4Network(str(pool.value)).network_address)
        yield Network(key, links, subnet, pool, host_mtu, switch_mtu, flow)


def _last_host_link(links: LinkList) -> int:
    """Number of the last link that ends at a host, from 0 over the whole list."""
    found = np.flatnonzero(links.table.a_device < links.table.devices.first[LEAF])
    return int(found[-1]) if len(found) else 0


def _subnet(pool: IPv4Network, taken: int, last_link: int, key: str) -> IPv4Network:
    """The next subnet of a range of which ``taken`` addresses are used: a /16, larger where a network has more ports.

    Raises
    ------
    SpecError
        If the range has no such subnet left.
    """
    size = max(2 ** (32 - PREFIX), 1 << (last_link + FIRST_HOST + 1).bit_length())  # the last address is for broadcasts
    start = -(-taken // size) * size
    if start + size > pool.num_addresses:
        message = (
            f"{key}: {pool} has no subnet of {size:,} addresses left for {last_link + 1:,} links. Give it fewer nodes, or "
            "fewer networks of its role."
        )
        raise SpecError([Problem("other_fabrics", "too_many_subnets", message)])
    return IPv4Network((int(pool.network_address) + start, 33 - size.bit_length()))


def files(plan: Plan) -> Iterator[File]:
    """What each network is set to, and a file of addresses each."""
    found = list(networks(plan))
    yield File("networks.csv", "".join(csv_blocks(SUMMARY, (row for one in found for row in _summary(one)))))
    for one in found:
        yield File(f"{one.key}-addresses.csv", "".join(csv_blocks(ADDRESSES, _addresses(one))))


def _summary(network: Network) -> Iterator[tuple[Cell, ...]]:
    pool = network.pool
    yield network.key, "subnet", str(network.subnet), "", pool.why, f"{pool.value}: {pool.source}", pool.trust
    yield network.key, "gateway", network.gateway, "", "The first address of the subnet", pool.source, "own"
    for name, value in (("host MTU", network.host_mtu), ("switch MTU", network.switch_mtu), ("class", network.flow)):
        yield network.key, name, value.value, value.unit or "", value.why, value.source, value.trust


def _addresses(network: Network) -> Iterator[tuple[Cell, ...]]:
    """A row for every port of a host, in the order of the link list; switches of the network have none here."""
    links, wired = network.links, Wired(network.links)
    source = (
        f"[{network.pool.trust}] {network.pool.source}; MTU [{network.host_mtu.trust}]; class [{network.flow.trust}]"
    )
    for host in wired.nodes:
        for port in wired.ports(host):
            kind = wired.kind(port.peer)
            yield (
                wired.name(host),
                links.labels[wired.kind(host)].port(port.port),
                f"{network.subnet.network_address + FIRST_HOST + port.link}/{network.subnet.prefixlen}",
                network.gateway,
                wired.name(port.peer),
                links.labels[kind].port(port.peer_port, port.peer_lane),
                network.host_mtu.value,
                network.flow.value,
                source,
            )
