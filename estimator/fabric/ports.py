"""Names of cages and ports as the platform prints them, for every kind of device.

Ports count from 0 and are ports at the port rate; lanes count from 1 and are the parts of a split port. Which system
names a switch's ports, and which RDMA devices a server has, are catalog rows: ``port_naming.csv``, ``server_ports.csv``,
``rdma_names.csv``. A custom switch has plain numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import COMPUTE, OUT_OF_BAND, compute_network
from estimator.catalog.records import PortNaming, Server, Switch, SwitchCage
from estimator.digits import is_whole_number

BMC_PORT = "bmc"
CUSTOM_SYSTEM = "any"


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels of one kind of device, as plain lists by port: its cage, the port, and the lanes of the port if split.

    ``lanes[0]`` is ``ports``; ``lanes[l][port]`` is lane l of a split port. ``cage_ports`` is the name that the port's
    cage has while it is not split. One device never shows a name twice, but for a whole port and lanes of its own cage:
    a cage is split as a whole.
    """

    cages: list[str]
    ports: list[str]
    lanes: list[list[str]]
    cage_ports: list[str]

    def port(self, port: int, lane: int = 0) -> str:
        """Label of a port, or of one lane of it."""
        return self.lanes[lane][port]


class _Place(NamedTuple):
    """Where a port is: card and cage from 0, piece ``part`` of the ``parts`` that the cage is split into.

    ``native`` is how many ports the cage has unsplit, ``n_lanes`` its electrical lanes.
    """

    card: int | None
    cage: int
    part: int
    parts: int
    native: int
    n_lanes: int


def switch_labels(
    switch: Switch | None,
    n_ports: int,
    links_per_cage: int,
    lanes: int,
    port_rate_gbit_s: int,
    catalog: Catalog,
    after: tuple[int, int] = (0, 0),
) -> Labels:
    """Labels of a switch at a port rate, each port also split into ``lanes``.

    Cages of the port rate are numbered on from those of other kinds before them, so that the uplinks of a 48 × 1G box
    are ports 49 and up. ``links_per_cage`` may be more than the cage's own ports where it is split further. ``after`` is
    (a port rate, cages set to it), which come first where they are cages of the same kind.
    """
    if switch is None or is_plainly_numbered(switch, catalog):
        return _plain_labels(n_ports, links_per_cage, lanes)
    naming = catalog.port_naming[switch.id]
    cages, before = _cages_at(switch, port_rate_gbit_s, n_ports)
    if after[1] and _cages_at(switch, after[0], 1)[0].position == cages.position:
        before += after[1]
    name = _STYLES[naming.style]

    def place(port: int, part: int, parts: int, native: int = min(cages.links_per_cage, links_per_cage)) -> _Place:
        index = before + port // links_per_cage
        card = index // naming.cages_per_card + (naming.first_card or 0) if naming.cages_per_card else None
        at = index % naming.cages_per_card if naming.cages_per_card else index
        return _Place(card, at, part, parts, native, cages.lanes)

    def label(port: int, lane: int) -> str:
        part = port % links_per_cage
        whole = name(place(port, part, links_per_cage))
        if lane == 0:
            return whole
        if links_per_cage * lanes > cages.lanes:
            return f"{whole}/{lane}"  # below one electrical lane, where no platform has a name
        return name(place(port, part * lanes + lane - 1, links_per_cage * lanes))

    columns = [[label(port, lane) for port in range(n_ports)] for lane in range(lanes + 1 if lanes > 1 else 1)]
    places = [place(port, 0, 1, native=1) for port in range(n_ports)]
    shown = [_cage_label(naming, at) for at in places]
    return Labels(shown, columns[0], columns, [name(at) for at in places])


def is_plainly_numbered(switch: Switch | None, catalog: Catalog) -> bool:
    """Whether ports have numbers alone: of a custom switch, and of a box whose vendor prints no more."""
    return switch is None or catalog.port_naming[switch.id].style == "plain"


def _plain_labels(n_ports: int, links_per_cage: int, lanes: int) -> Labels:
    """Numbers from 1; lanes of a split port are ``1/1``, ``1/2``."""
    ports = [str(port + 1) for port in range(n_ports)]
    split = [[f"{port}/{lane}" for port in ports] for lane in range(1, lanes + 1)] if lanes > 1 else []
    cages = [str(port // links_per_cage + 1) for port in range(n_ports)]
    return Labels(cages, ports, [ports, *split], ports if links_per_cage == 1 else [f"cage {cage}" for cage in cages])


def _cages_at(switch: Switch, port_rate_gbit_s: int, n_ports: int) -> tuple[SwitchCage, int]:
    """The cages that give ports of a rate, and how many cages the box numbers before them."""
    before = 0
    for cages in switch.cages:
        if cages.link_rate_gbit_s == port_rate_gbit_s and cages.n_cages * cages.links_per_cage >= n_ports:
            return cages, before
        before += cages.n_cages
    biggest = max(switch.cages, key=lambda cages: cages.n_cages * cages.cage_rate_gbit_s)
    return biggest, sum(cages.n_cages for cages in switch.cages if cages.position < biggest.position)


def _cage_label(naming: PortNaming, place: _Place) -> str:
    number = place.cage if naming.style == "junos" else place.cage + 1
    return str(number) if place.card is None else f"{place.card}/{number}"


def _mlnx_os(place: _Place) -> str:
    """1/5, split 1/5/1; with two ports a cage 1/3/1, split 1/3/1/1; line cards 2/1/5."""
    first = "1" if place.card is None else f"{place.card}/1"
    split = place.parts // place.native
    port = [str(place.part // split + 1)] if place.native > 1 else []
    lane = [str(place.part % split + 1)] if split > 1 else []
    return "/".join([first, str(place.cage + 1), *port, *lane])


def _nvos(place: _Place) -> str:
    """sw1p1, split sw1p1s1."""
    split = place.parts // place.native
    lane = f"s{place.part % split + 1}" if split > 1 else ""
    return f"sw{place.cage + 1}p{place.part // split + 1}{lane}"


def _cumulus(place: _Place) -> str:
    return f"swp{place.cage + 1}" + (f"s{place.part}" if place.parts > 1 else "")


def _eos(place: _Place) -> str:
    """Ethernet1/1, a cage of eight lanes split in two Ethernet1/1 and Ethernet1/5; with line cards Ethernet3/1/1."""
    card = "" if place.card is None else f"{place.card}/"
    if place.n_lanes == 1:
        return f"Ethernet{card}{place.cage + 1}"
    return f"Ethernet{card}{place.cage + 1}/{_first_lane(place) + 1}"


def _nx_os(place: _Place) -> str:
    return f"Ethernet1/{place.cage + 1}" + (f"/{place.part + 1}" if place.parts > 1 else "")


def _junos(place: _Place) -> str:
    channel = f":{place.part}" if place.parts > 1 else ""
    return f"et-{place.card or 0}/0/{place.cage}{channel}"


def _sonic(place: _Place) -> str:
    return f"Ethernet{place.cage * place.n_lanes + _first_lane(place)}"


def _first_lane(place: _Place) -> int:
    """First electrical lane of a piece of the cage, from 0."""
    return place.part * place.n_lanes // place.parts


_STYLES: dict[str, Callable[[_Place], str]] = {
    "mlnx-os": _mlnx_os,
    "nvos": _nvos,
    "cumulus": _cumulus,
    "eos": _eos,
    "nx-os": _nx_os,
    "junos": _junos,
    "sonic": _sonic,
}


def node_labels(
    server: Server | None,
    n_links: int,
    links_per_cage: int,
    role: str,
    catalog: Catalog,
    generation: str | None = None,
    in_cage_order: bool = False,
) -> Labels:
    """Labels of a node's ports: RDMA devices in rail order on the compute fabric, ``storage1`` … on another.

    ``in_cage_order`` puts the ports of a cage side by side, as they must be where one cable takes both. A server that
    the catalog does not know has the devices of the generation's usual NIC, from 0.
    """
    cages = [str(link // links_per_cage + 1) for link in range(n_links)]
    if role != COMPUTE:
        ports = host_ports(role, n_links)
        return Labels(cages, ports, [ports], ports)
    known = catalog.server_ports.get(server.id, ()) if server else ()
    if not known:
        ports = [f"{_rdma_prefix(server, generation, catalog)}{link}" for link in range(n_links)]
        return Labels(cages, ports, [ports], ports)
    ordered = sorted(known, key=lambda port: (port.cage or "", port.cage_port or 0)) if in_cage_order else known
    each = max(-(-n_links // len(ordered)), 1)  # more links than devices: a device has several ports
    names = [f"{port.name}/{n}" if each > 1 else port.name for port in ordered for n in range(1, each + 1)][:n_links]
    shown = [port.cage for port in ordered for _ in range(each)][:n_links]
    return Labels([label or cages[link] for link, label in enumerate(shown)], names, [names], names)


def host_ports(role: str, n_ports: int) -> list[str]:
    """Ports that a host has on a storage or management network: ``storage1`` …; out-of-band ``bmc``, then ``bmc2``."""
    if role == OUT_OF_BAND:
        return [BMC_PORT if port == 1 else f"{BMC_PORT}{port}" for port in range(1, n_ports + 1)]
    stem = f"{role}-" if is_whole_number(role[-1:], 1) else role  # the second network of a role
    return [f"{stem}{port}" for port in range(1, n_ports + 1)]


def _rdma_prefix(server: Server | None, generation: str | None, catalog: Catalog) -> str:
    network = compute_network(server) if server else None
    if network and network.nic_id is None:
        return "port"  # the accelerators' own ports
    if network and network.nic_id:
        return catalog.rdma_names[catalog.nics[network.nic_id].vendor].prefix
    usual = catalog.default_nic(generation) if generation else None
    return catalog.rdma_names[usual.vendor if usual else "NVIDIA"].prefix


def management_port(switch: Switch | None, catalog: Catalog) -> str | None:
    """Out-of-band port of a switch, ``mgmt0`` for a custom one; None if it has none."""
    return catalog.port_naming[switch.id].management_port if switch else "mgmt0"


def port_system(switch: Switch | None, catalog: Catalog) -> str:
    """Network operating system whose names a switch's ports have."""
    return catalog.port_naming[switch.id].system if switch else CUSTOM_SYSTEM
