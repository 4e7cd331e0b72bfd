"""A containerlab topology: the fabric as containers on one machine; docs/handoff.md, "containerlab"."""

from collections.abc import Iterator
from dataclasses import dataclass

from estimator.cabling.links import LinkList
from estimator.catalog.records import Switch
from estimator.fabric.devices import KINDS, SWITCH_KINDS
from estimator.handoff.limits import refuse_above
from estimator.handoff.stamp import comments, slug

# All containers share the management bridge, and a Linux bridge has 1,023 ports (BR_MAX_PORTS, net/bridge/br_private.h)
MAX_DEVICES = 1_000
MANAGEMENT_SUBNET = "172.20.0.0/16"  # containerlab's own choice, a /24, ends at 253 containers
ETHERNET = "ethernet"


@dataclass(frozen=True, slots=True)
class Kind:
    """How containerlab runs a device, and how it names the data port number n (from 1)."""

    kind: str
    image: str
    port: str


HOST = Kind("linux", "ghcr.io/srl-labs/network-multitool", "eth{}")
SONIC = Kind("sonic-vs", "docker-sonic-vs:latest", "eth{}")
BY_VENDOR = {
    "NVIDIA": Kind("nvidia_cumulusvx", "vrnetlab/nvidia_cumulusvx:latest", "swp{}"),
    "Arista": Kind("arista_ceos", "ceos:latest", "eth{}"),
}


def write(links: LinkList) -> Iterator[str]:
    """Nodes by kind, then one line a link; refused above MAX_DEVICES.

    Raises
    ------
    SpecError
        For more devices than one machine's management bridge has ports.
    """
    n_devices = len(links.table.devices)
    why = "its containers share one Linux bridge of 1,023 ports"
    refuse_above(MAX_DEVICES, n_devices, "containerlab", "devices", why, ("dot", "graphml"))
    return _pieces(links)


def kind_of(part: Switch | None, is_switch: bool, is_ethernet: bool) -> Kind:
    """NVIDIA Ethernet switches run Cumulus VX, Arista's cEOS, all others SONiC; the rest are plain Linux containers."""
    if not is_switch or not is_ethernet:
        return HOST
    vendor = part.vendor if part else ""
    return next((kind for name, kind in BY_VENDOR.items() if vendor.startswith(name)), SONIC)


def _pieces(links: LinkList) -> Iterator[str]:
    is_ethernet = links.catalog.generations[links.spec.fabric.generation].protocol == ETHERNET
    kinds = {kind: kind_of(links.switches.get(kind), kind in SWITCH_KINDS, is_ethernet) for kind in KINDS}
    notes = ["Images are names to replace by your own. After each link: the ports of the real devices."]
    if not is_ethernet:
        notes.append("InfiniBand switches are plain Linux containers here: the wiring is exact, the protocol is not.")
    yield comments(links, *notes)
    lab = slug(links.spec.name, "_", 30) or "fabric"
    yield f'name: "{lab}"\nmgmt:\n  network: "{lab}"\n  ipv4-subnet: {MANAGEMENT_SUBNET}\ntopology:\n  nodes:\n'
    devices = links.table.devices
    for kind in KINDS:
        runs = kinds[kind]
        for name in devices.names[devices.of(kind)]:
            yield f"    {name}:\n      kind: {runs.kind}\n      image: {runs.image}\n      group: {kind}\n"
    yield "  links:\n"
    yield from _links(links, kinds)


def _links(links: LinkList, kinds: dict[str, Kind]) -> Iterator[str]:
    table = links.table
    lanes = links.fabric.endpoints_per_port
    columns = (table.a_device, table.a_port, table.b_device, table.b_port, table.b_lane)
    ends = zip(*(column.tolist() for column in columns), strict=True)
    for (a, a_port, b, b_port, lane), row in zip(ends, links.rows(), strict=True):
        a_kind, b_kind = table.devices.kind(a), table.devices.kind(b)
        a_name = kinds[a_kind].port.format(_number(a_kind, a_port, 0, lanes))
        b_name = kinds[b_kind].port.format(_number(b_kind, b_port, lane, lanes))
        real = f"{row.a_device} {row.a_port}, {row.b_device} {row.b_port}"
        yield f'    - endpoints: ["{row.a_device}:{a_name}", "{row.b_device}:{b_name}"]  # {real}\n'


def _number(kind: str, port: int, lane: int, lanes: int) -> int:
    """Data ports count from 1; every lane of a leaf's ports has a number of its own where some are split."""
    return port * lanes + max(lane, 1) if kind == "leaf" else port + 1
