"""Addresses and BGP numbers, by formula from a device's place, so that they stay as they are when a design grows."""

from ipaddress import IPv4Network
from typing import NamedTuple

from estimator.bringup.plan.facts import chosen
from estimator.errors import Problem, SpecError
from estimator.fabric.devices import CORE, LEAF, SPINE, Devices

RAIL_SLOTS = 64  # numbers kept for the leaves of one row, by rail
LOOPBACKS_A_KIND = 2**20
ASN_STEP = 10_000_000  # between kinds of switches
OTHER_LOOPBACKS, OTHER_LOOPBACKS_A_KIND = 2**17, 2**15  # of a network beside the compute fabric; there are 8 at most
OTHER_ASNS, OTHER_ASNS_A_KIND = 1_000_000, 100_000
KIND_ORDER = (LEAF, SPINE, CORE)


class HostLink(NamedTuple):
    """Both ends of a node's link, /31 of RFC 3021: the even address is the switch's."""

    switch: str
    host: str
    prefix: str


def host_link(link: int) -> HostLink:
    """Addresses of a node's link; ``link`` counts from 0 over all nodes, port by port."""
    pool = IPv4Network(str(chosen("addressing.hosts").value))
    first = pool.network_address + 2 * link
    return HostLink(f"{first}/31", f"{first + 1}/31", f"{first}/31")


def rail_link(slot: int, index: int) -> HostLink:
    """Both ends of a node's link where all node ports of a leaf are one subnet: the first address is the switch's.

    Parameters
    ----------
    slot, index : number of the leaf's subnet, and of the port among the leaf's node ports, both from 0.

    Raises
    ------
    SpecError
        If the range has fewer subnets.
    """
    pool = IPv4Network(str(chosen("addressing.hosts").value))
    length = int(chosen("addressing.rail_prefix", addressing="rail").value)
    size = 2 ** (32 - length)
    if (slot + 1) * size > pool.num_addresses or index + 3 > size:
        message = (
            f"{pool} has no subnet of {size:,} addresses for every leaf. Take --addressing port, a /31 a node port."
        )
        raise SpecError([Problem("addressing", "too_many_subnets", message)])
    first = pool.network_address + slot * size
    return HostLink(f"{first + 1}/{length}", f"{first + 2 + index}/{length}", f"{first}/{length}")


def hosts_prefix() -> str:
    """What all nodes' addresses lie in."""
    return str(chosen("addressing.hosts").value)


def loopback(devices: Devices, device: int) -> str:
    """Address of a switch itself: also its router id."""
    pool = IPv4Network(str(chosen("addressing.loopbacks").value))
    kind = devices.kind(device)
    return str(pool.network_address + KIND_ORDER.index(kind) * LOOPBACKS_A_KIND + _place(devices, device) + 1)


def leaf_asn(devices: Devices, device: int) -> int:
    """BGP number of a leaf, its own."""
    return int(chosen("bgp.first_asn").value) + _place(devices, device)


def group_asn(devices: Devices, kind: str, first_below: int) -> int:
    """BGP number of the spines that meet the same leaves (by the first of them), or of the cores of a plane."""
    place = _place(devices, first_below) if kind == SPINE else int(devices.plane[first_below])
    return int(chosen("bgp.first_asn").value) + KIND_ORDER.index(kind) * ASN_STEP + place


def other_loopback(network: int, kind: str, place: int) -> str:
    """Address of a switch of a network beside the compute fabric: networks and places are counted from 0."""
    pool = IPv4Network(str(chosen("addressing.loopbacks").value))
    start = len(KIND_ORDER) * LOOPBACKS_A_KIND + network * OTHER_LOOPBACKS
    return str(pool.network_address + start + KIND_ORDER.index(kind) * OTHER_LOOPBACKS_A_KIND + place + 1)


def other_asn(network: int, kind: str, place: int) -> int:
    """BGP number of a switch of a network beside the compute fabric."""
    start = len(KIND_ORDER) * ASN_STEP + network * OTHER_ASNS
    return int(chosen("bgp.first_asn").value) + start + KIND_ORDER.index(kind) * OTHER_ASNS_A_KIND + place


def _place(devices: Devices, device: int) -> int:
    return (int(devices.number[device]) - 1) * RAIL_SLOTS + int(devices.rail[device])
