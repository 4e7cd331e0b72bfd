"""Which rack every device stands in: the floor plan's, or where there is none racks as the bill of materials counts them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from estimator.cabling.links import LinkList
from estimator.fabric.devices import MANAGER, NODE, SWITCH_KINDS
from estimator.units import ceil_div

HOST_KINDS = (NODE, MANAGER)


@dataclass(frozen=True)
class Places:
    """Racks of a site by name, and the rack of each device by its name; ``n_whole`` of them come filled.

    ``nodes`` and ``switches`` are names of devices, each once, though several networks may join them.
    """

    racks: tuple[str, ...]
    rack_of: dict[str, str]
    nodes: tuple[str, ...]
    switches: tuple[str, ...]
    n_whole: int
    is_planned: bool

    def in_rack(self, names: Sequence[str]) -> dict[str, list[str]]:
        """Devices by rack, racks in order; those that stand in no rack of the plan are left out."""
        out: dict[str, list[str]] = {rack: [] for rack in self.racks}
        for name in names:
            if (rack := self.rack_of.get(name)) is not None:
                out[rack].append(name)
        return {rack: devices for rack, devices in out.items() if devices}


def places_of(networks: Sequence[LinkList], n_racks: int, n_whole: int, nodes_per_rack: int) -> Places:
    """Places of a design.

    Parameters
    ----------
    networks : the link lists of a design, the compute network first.
    n_racks : cabinets and filled racks of the bill of materials, 1 or more.
    n_whole : how many of them come filled; they are those of the nodes.
    nodes_per_rack : where no floor plan says which.
    """
    compute = networks[0]
    nodes = tuple(compute.table.devices.names[compute.table.devices.of(NODE)])
    switches = tuple(name for links in networks for name in _of_kinds(links, SWITCH_KINDS))
    floor = compute.plan.floor
    if floor is not None:
        rack_of: dict[str, str] = {}
        for links in networks:
            own = floor.devices.indexes_of(links.table)
            racks = floor.rack if own is None else floor.rack[own]
            rack_of |= {
                name: floor.names[rack] for name, rack in zip(links.table.devices.names, racks.tolist(), strict=False)
            }
        return Places(tuple(floor.names), rack_of, nodes, switches, n_whole, is_planned=True)
    return _supposed(networks, nodes, switches, n_racks, n_whole, nodes_per_rack)


def _of_kinds(links: LinkList, kinds: Sequence[str]) -> Iterator[str]:
    devices = links.table.devices
    for kind in kinds:
        yield from devices.names[devices.of(kind)]


def _supposed(
    networks: Sequence[LinkList],
    nodes: tuple[str, ...],
    switches: tuple[str, ...],
    n_racks: int,
    n_whole: int,
    nodes_per_rack: int,
) -> Places:
    """Nodes rack by rack, and behind them switches and hosts that are no nodes, evenly over the racks that are left."""
    width = max(3, len(str(n_racks)))
    racks = tuple(f"rack-{number + 1:0{width}d}" for number in range(n_racks))
    for_nodes = min(ceil_div(len(nodes), nodes_per_rack), n_racks)
    rack_of = {name: racks[min(i // nodes_per_rack, for_nodes - 1)] for i, name in enumerate(nodes)}
    hosts = (name for links in networks for name in _of_kinds(links, HOST_KINDS))
    others = [name for name in dict.fromkeys((*hosts, *switches)) if name not in rack_of]
    behind = racks[for_nodes:] or racks[-1:]
    rack_of |= {name: behind[i * len(behind) // len(others)] for i, name in enumerate(others)}
    return Places(racks, rack_of, nodes, switches, n_whole, is_planned=False)
