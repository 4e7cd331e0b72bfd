"""Rates of ports and links that a request and the catalog imply, and the oversubscription that was requested."""

from fractions import Fraction

from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import switch_ports
from estimator.catalog.records import ServerNetwork
from estimator.spec.fabric import Fabric
from estimator.units import parse_ratio


def port_rate(fabric: Fabric, catalog: Catalog) -> int:
    """Port rate of the generation. [Gb/s]"""
    return catalog.generations[fabric.generation].port_rate_gbit_s


def uplink_rate(fabric: Fabric, catalog: Catalog) -> int:
    """Rate of the links between switches: the one requested, else the port rate. [Gb/s]"""
    return fabric.uplink_rate_gbit_s or port_rate(fabric, catalog)


def ports_a_cage(fabric: Fabric, catalog: Catalog) -> tuple[int, int]:
    """Ports that one cage of a leaf gives at the port rate, and at the uplinks' own rate; (1, 1) where that is the same.

    Cages of a custom switch are taken to carry the faster of the two rates once.
    """
    down, up = port_rate(fabric, catalog), uplink_rate(fabric, catalog)
    if down == up:
        return 1, 1
    if fabric.leaf_switch and fabric.leaf_switch in catalog.switches:
        at_rates = [catalog.switch_ports(fabric.leaf_switch, rate) for rate in (down, up)]
        if all(at_rates):
            return tuple(ports.links_per_cage for ports in at_rates if ports)  # type: ignore[return-value]  # two
    return max(up // down, 1), max(down // up, 1)


def lane_rate(fabric: Fabric, catalog: Catalog) -> int:
    """What a leaf offers an endpoint: the port rate, or its share of it on split ports. [Gb/s]"""
    return port_rate(fabric, catalog) // fabric.endpoints_a_port


def endpoint_rate(fabric: Fabric, network: ServerNetwork | None, catalog: Catalog) -> int:
    """Rate at which the link of an endpoint runs: that of its slower end, NIC or leaf. [Gb/s]

    NICs of a custom server, whose ``network`` is None, are taken to match the fabric.
    """
    offered = lane_rate(fabric, catalog)
    return min(offered, adapter_rate(fabric, network, catalog)) if network else offered


def adapter_rate(fabric: Fabric, network: ServerNetwork, catalog: Catalog) -> int:
    """Rate of the fastest single port that a server's NICs have in the protocol of a fabric. [Gb/s]

    The server's own row says it, unless ``nic_modes.csv`` lists slower ports for the protocol: a ConnectX-8 is one XDR port
    of 800G, and two of 400GbE.
    """
    nic, protocol = catalog.nics.get(network.nic_id or ""), catalog.generations[fabric.generation].protocol
    listed = [mode.port_rate_gbit_s for mode in (nic.modes if nic else ()) if mode.protocol == protocol]
    return min(network.port_rate_gbit_s, max(listed, default=network.port_rate_gbit_s))


def asked_ratio(fabric: Fabric, catalog: Catalog) -> Fraction:
    """Leaf oversubscription requested: an explicit split of ports says it, at their rates, else the ratio."""
    if fabric.leaf_downlinks and fabric.leaf_uplinks:
        down, up = (
            fabric.leaf_downlinks * port_rate(fabric, catalog),
            fabric.leaf_uplinks * uplink_rate(fabric, catalog),
        )
        return Fraction(down, up)
    return parse_ratio(fabric.oversubscription)


def cage_links_of(fabric: Fabric, catalog: Catalog) -> int:
    """Links that share a cage of the leaf at the port rate; 1 for a custom switch."""
    switch = catalog.switches.get(fabric.leaf_switch or "")
    ports = switch_ports(switch, catalog.generations[fabric.generation].port_rate_gbit_s) if switch else None
    return ports.links_per_cage if ports else 1
