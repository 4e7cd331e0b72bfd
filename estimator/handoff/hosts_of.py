"""What kind each device below the leaves is, and where devices stand: for files that say more than names."""

from estimator.cabling.links import LinkList
from estimator.fabric.devices import NODE
from estimator.fabric.hosts import SWITCH, UPLINK, Attached

SWITCH_HOSTS = (SWITCH, UPLINK)  # devices of other networks that hang on this one, with a switch's port


def host_groups(links: LinkList) -> tuple[tuple[Attached, slice], ...]:
    """Devices below the leaves by kind, with their indexes: nodes, and on other networks what is joined beside them."""
    devices, hosts = links.table.devices, links.fabric.hosts
    groups = hosts.groups if hosts else (Attached(NODE, "", devices.n[NODE], links.fabric.nic_ports_per_node),)
    out, start = [], devices.first[NODE]
    for group in groups:
        out.append((group, slice(start, start + group.n_devices)))
        start += group.n_devices
    return tuple(out)


def places_of(links: LinkList) -> tuple[list[str | None], list[int | None]]:
    """Rack and bottom rack unit of every device, by index; None where the design has no floor plan or no unit is taken."""
    floor, n = links.plan.floor, len(links.table.devices)
    if floor is None:
        return [None] * n, [None] * n
    own = floor.devices.indexes_of(links.table)
    rack, unit = (column[:n] if own is None else column[own] for column in (floor.rack, floor.bottom_unit))
    return [floor.names[index] for index in rack.tolist()], [number or None for number in unit.tolist()]
