"""How many ports switches and servers have at a given port rate, and how many of them share a cage."""

from collections.abc import Iterable
from typing import NamedTuple

from estimator.catalog.records import Breakout, Nic, Server, ServerNetwork, Switch, SwitchCage
from estimator.units import ceil_div


class SwitchPorts(NamedTuple):
    """A switch at one port rate: ``radix`` ports of one switch, ``links_per_cage`` of them in each cage."""

    radix: int
    links_per_cage: int


PROTOCOL_NAMES = {"infiniband": "InfiniBand", "ethernet": "Ethernet"}
FAST_LANE_GBIT_S = 200  # a cage of such lanes takes no plug of slower ones
COMPUTE, STORAGE, IN_BAND, OUT_OF_BAND, CONVERGED = "compute", "storage", "in-band", "out-of-band", "converged"
_NETWORK_ROLES = {  # roles of server_networks.csv that serve a fabric, the first found counts
    COMPUTE: ("compute",),
    STORAGE: ("storage", "storage+inband"),
    IN_BAND: ("inband", "storage+inband", "mgmt"),
    CONVERGED: ("storage+inband", "storage", "inband"),
    OUT_OF_BAND: ("oob",),
}


def switch_ports(switch: Switch, port_rate_gbit_s: int) -> SwitchPorts | None:
    """Ports of one switch at a port rate, and how many share a cage; None if the catalog knows no such mode.

    The native rate gives the radix itself. Another rate must be a breakout that the catalog lists, such as
    80 × HDR100 on a 40-port HDR box. A box that holds two switches gives the ports of one of them.
    """
    for cage in switch.cages:
        if cage.link_rate_gbit_s == port_rate_gbit_s and cage.n_cages * cage.links_per_cage >= switch.radix:
            return SwitchPorts(switch.radix, cage.links_per_cage)
    mode = breakout_at(switch, port_rate_gbit_s)
    return SwitchPorts(mode.max_ports // switch.switch_units, mode.links_per_cage) if mode else None


def breakout_at(switch: Switch, link_rate_gbit_s: int) -> Breakout | None:
    """The split of a switch at a link rate; of two (a 1.6T cage as 2 × 800G or 1 × 800G) the one of more ports."""
    modes = [mode for mode in switch.breakouts if mode.link_rate_gbit_s == link_rate_gbit_s]
    return max(modes, key=lambda mode: mode.max_ports, default=None)


def network_of(server: Server, role: str) -> ServerNetwork | None:
    """The server's network for a fabric's role, or None; one that serves storage and in-band counts for either.

    ``role`` may be the key of a fabric: a second storage network, ``storage-2``, has the same ports.
    """
    roles = next(roles for name, roles in _NETWORK_ROLES.items() if role.startswith(name))
    found = (n for wanted in roles for n in server.networks if n.role == wanted)
    return next(found, None)


def compute_network(server: Server) -> ServerNetwork | None:
    """The server's network for GPU traffic, or None (storage and management servers)."""
    return network_of(server, COMPUTE)


def spoken(protocols: Iterable[str]) -> str:
    """Protocols in words: "InfiniBand and Ethernet"."""
    return " and ".join(PROTOCOL_NAMES[protocol] for protocol in protocols)


def nics_named(model: str) -> str:
    """NICs of a model: "ConnectX-7 NICs"; "Pollara 400 AI NICs" of one whose name has the noun, "DGX tray (4 NICs)" as it is."""
    lower = model.casefold()
    if "nics" in lower:
        return model
    return f"{model}s" if lower.endswith("nic") else f"{model} NICs"


def nic_modes(nic: Nic, protocol: str) -> list[tuple[int, int]]:
    """(ports, rate of a port) of each mode of one NIC as this protocol."""
    if protocol not in nic.protocols:
        return []
    listed = [(mode.n_ports, mode.port_rate_gbit_s) for mode in nic.modes if mode.protocol == protocol]
    return listed or [(port.n_cages, port.cage_rate_gbit_s) for port in nic.ports]


def uplink_cages(switch: Switch, port_rate_gbit_s: int) -> SwitchCage | None:
    """Cages for uplinks beside the ports at the port rate, as out-of-band switches have; None if there are none."""
    if all(cage.link_rate_gbit_s != port_rate_gbit_s for cage in switch.cages):
        return None
    faster = [cage for cage in switch.cages if cage.link_rate_gbit_s > port_rate_gbit_s]
    return max(faster, key=lambda cage: cage.link_rate_gbit_s, default=None)


def links_per_node_cage(network: ServerNetwork, links_per_node: int) -> int:
    """Links that one cage of a node carries when the node has ``links_per_node`` of them.

    A cage carries the ports behind it (two on a DGX H100), or more where the node asks for more links than it has ports
    and each cage is split evenly (a DGX B300 with 16 links of 400G in eight cages).
    """
    return max(ceil_div(network.n_ports, network.n_cages), ceil_div(links_per_node, network.n_cages))
