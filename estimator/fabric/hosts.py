"""What hangs on a storage or management network: the nodes, and the devices beside them."""

from dataclasses import dataclass
from typing import NamedTuple

from estimator.fabric.result import Attachments

NODE = "node"
ENDPOINT, UPLINK, SWITCH, MANAGER, PDU = "endpoint", "uplink", "switch", "manager", "pdu"


@dataclass(frozen=True, slots=True)
class Attached:
    """Devices of one kind with ``ports`` each, called ``port_names``; ``source`` is the fabric that they belong to, if any.

    ``rate_gbit_s`` is what their links run at where that is not the rate of the nodes' links.
    """

    kind: str
    source: str
    n_devices: int
    ports: int
    port_names: tuple[str, ...] = ()  # one for each port of a device
    rate_gbit_s: int | None = None

    def answer(self) -> Attachments:
        """One entry of ``attached`` in the Estimate."""
        return Attachments(
            kind=self.kind, of=self.source or None, devices=self.n_devices, ports=self.n_devices * self.ports
        )


class Hosts(NamedTuple):
    """Everything that one network joins, in the order in which leaves are filled.

    ``together`` ports of a device make one attachment: leaves are sized and wired for attachments as if each were a node
    of so many ports, one port at a time (1), a pair for a pair of leaves (2), or a port in every plane or on every rail.
    """

    role: str
    n_nodes: int
    ports_per_node: int
    together: int
    attached: tuple[Attached, ...] = ()

    @property
    def groups(self) -> tuple[Attached, ...]:
        """Nodes first, then what else is joined; kinds without a device left out."""
        nodes = Attached(NODE, "", self.n_nodes, self.ports_per_node)
        return tuple(group for group in (nodes, *self.attached) if group.n_devices)

    @property
    def n_devices(self) -> int:
        """Nodes and other devices."""
        return sum(group.n_devices for group in self.groups)

    @property
    def n_ports(self) -> int:
        """Endpoints."""
        return sum(group.n_devices * group.ports for group in self.groups)

    @property
    def n_attachments(self) -> int:
        """Endpoints over ``together``; every device's ports divide by it."""
        return self.n_ports // self.together

    @property
    def n_other_ports(self) -> int:
        """Endpoints that are no node's."""
        return self.n_ports - self.n_nodes * self.ports_per_node
