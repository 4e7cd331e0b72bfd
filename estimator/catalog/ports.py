"""How many ports switches and servers have at a given port rate, and how many of them share a cage."""

from estimator.catalog.records import Server, ServerNetwork, Switch, SwitchPorts
from estimator.units import ceil_div


def switch_ports(switch: Switch, port_rate_gbit_s: int) -> SwitchPorts | None:
    """Ports of one switch at a port rate, and how many share a cage; None if the catalog knows no such mode.

    The native rate gives the radix itself. Another rate must be a breakout that the catalog lists, such as
    80 × HDR100 on a 40-port HDR box. A box that holds two switches gives the ports of one of them.
    """
    for cage in switch.cages:
        if cage.link_rate_gbit_s == port_rate_gbit_s and cage.n_cages * cage.links_per_cage >= switch.radix:
            return SwitchPorts(switch.radix, cage.links_per_cage)
    for mode in switch.breakouts:
        if mode.link_rate_gbit_s == port_rate_gbit_s:
            return SwitchPorts(mode.max_ports // switch.switch_units, mode.links_per_cage)
    return None


def compute_network(server: Server) -> ServerNetwork | None:
    """The server's network for GPU traffic, or None (storage and management servers)."""
    return next((network for network in server.networks if network.role == "compute"), None)


def links_per_node_cage(network: ServerNetwork, links_per_node: int) -> int:
    """Links that one cage of a node carries when the node has ``links_per_node`` of them.

    A cage carries the ports behind it (two on a DGX H100), or more where the node asks for more links than it has ports
    and each cage is split evenly (a DGX B300 with 16 links of 400G in eight cages).
    """
    return max(ceil_div(network.n_ports, network.n_cages), ceil_div(links_per_node, network.n_cages))
