"""The front of one switch: its cages and ports in the order of the platform, and what each port goes to."""

from dataclasses import dataclass
from itertools import groupby

import numpy as np

from estimator.devices import CORE, LEAF, MANAGER, NODE, SPINE
from estimator.link_list import COLUMNS, LinkList
from estimator.topology import FABRIC_MANAGER, LEAF_LEAF, NODE_LEAF

TO_NODE, TO_MANAGER, UP, DOWN, PEER, OUT, OPEN, KEPT = (
    "node", "manager", "up", "down", "peer", "outside", "open", "kept"
)  # fmt: skip
USES = (TO_NODE, TO_MANAGER, DOWN, UP, PEER, OUT, OPEN, KEPT)
MOST_PORTS = 320  # of one picture


@dataclass(frozen=True)
class Port:
    """One port, or one lane of a split port. ``far`` is the device at the other end, None where no link is."""

    label: str
    use: str
    row: int | None = None
    far: str | None = None
    far_index: int | None = None
    far_port: str | None = None
    rate_gbit_s: int | None = None
    medium: str | None = None
    length_m: float | None = None
    part: str | None = None
    cable: int | None = None


@dataclass(frozen=True)
class Cage:
    """One cage and its ports, first to last."""

    label: str
    ports: tuple[Port, ...]


@dataclass(frozen=True)
class Panel:
    """Cages of one switch; those from ``start`` on where it has more ports than a picture holds."""

    name: str
    kind: str
    cages: tuple[Cage, ...]
    start: int
    n_cages: int
    uses: dict[str, int]
    cages_a_page: int

    @property
    def n_ports(self) -> int:
        """Ports of the whole switch, lanes of split ports each one."""
        return sum(self.uses.values())


def ends_of(links: LinkList, device: int) -> list[tuple[int, int, int, bool]]:
    """(port, lane, row, whether the device is the lower end) of every link that ends in a device, by port."""
    table = links.table
    below, above = np.flatnonzero(table.a_device == device), np.flatnonzero(table.b_device == device)
    ends = [(port, 0, row, True) for port, row in zip(table.a_port[below].tolist(), below.tolist(), strict=True)]
    columns = (table.b_port[above].tolist(), table.b_lane[above].tolist(), above.tolist())
    ends += [(port, lane, row, False) for port, lane, row in zip(*columns, strict=True)]
    return sorted(ends)


def port_at(links: LinkList, label: str, use: str, row: int, is_lower: bool) -> Port:
    """A port with the link of one row of the table."""
    link = dict(zip(COLUMNS, next(iter(links.rows(row, row + 1))), strict=True))
    far = "b" if is_lower else "a"
    index = int((links.table.b_device if is_lower else links.table.a_device)[row])
    return Port(
        label, use, row, str(link[f"{far}_device"]), index, str(link[f"{far}_port"]), links.table.rate_gbit_s[row].item(),
        link["media"], link["length_m"], link["part"], link["cable"],
    )  # fmt: skip


def panel_of(links: LinkList, device: int, start: int = 0) -> Panel:
    """The front of a switch.

    Raises
    ------
    ValueError
        If the device is no switch.
    """
    kind = links.table.devices.kind(device)
    if kind not in (LEAF, SPINE, CORE):
        raise ValueError(f"{kind} is no switch")
    labels, n_ports = links.labels[kind], getattr(links.fabric, f"{kind}_radix")
    by_port: dict[int, list[tuple[int, int, bool]]] = {}
    for port, lane, row, is_lower in ends_of(links, device):
        by_port.setdefault(port, []).append((lane, row, is_lower))
    cages = [(label, list(ports)) for label, ports in groupby(range(n_ports), key=lambda port: labels.cages[port])]
    per_page = max(MOST_PORTS // max((len(ports) * _lanes(links, kind) for _, ports in cages), default=1), 1)
    start = max(0, min(start, len(cages) - 1)) // per_page * per_page
    uses: dict[str, int] = {}
    shown = []
    for number, (label, ports) in enumerate(cages):
        is_shown = start <= number < start + per_page
        made = [one for port in ports for one in _ports(links, kind, port, by_port.get(port, []), is_shown)]
        for one in made:
            uses[one.use] = uses.get(one.use, 0) + 1
        if is_shown:
            shown.append(Cage(label, tuple(made)))
    return Panel(
        links.table.devices.names[device], kind, tuple(shown), start, len(cages),
        {use: uses[use] for use in USES if use in uses}, per_page,
    )  # fmt: skip


def _lanes(links: LinkList, kind: str) -> int:
    return links.fabric.endpoints_per_port if kind == LEAF else 1


def _ports(links: LinkList, kind: str, port: int, ends: list[tuple[int, int, bool]], with_links: bool) -> list[Port]:
    """A port, or the lanes of a split one; links only of those that are drawn."""
    labels = links.labels[kind]
    if not ends:
        return [Port(labels.port(port), _without_link(links, kind, port))]
    return [
        port_at(links, labels.port(port, lane), _use(links, row, is_lower), row, is_lower)
        if with_links
        else Port(labels.port(port, lane), _use(links, row, is_lower))
        for lane, row, is_lower in ends
    ]


def _use(links: LinkList, row: int, is_lower: bool) -> str:
    tier = int(links.table.tier[row])
    if tier == LEAF_LEAF:
        return PEER
    if is_lower:
        return UP
    return {NODE_LEAF: TO_NODE, FABRIC_MANAGER: TO_MANAGER}.get(tier, DOWN)


def _without_link(links: LinkList, kind: str, port: int) -> str:
    """What a port without a row is for: open, kept free, or an uplink that ends in another network."""
    fabric = links.fabric
    limit = fabric.wiring.leaf_ports if kind == LEAF else fabric.wiring.spine_ports if kind == SPINE else None
    if kind == LEAF and fabric.tiers == 1 and fabric.leaf_up.any():
        first = fabric.wiring.leaf_ports - fabric.leaf_uplinks
        if first <= port < fabric.wiring.leaf_ports:
            return OUT
    return KEPT if limit and port >= limit else OPEN


def host_ports_of(links: LinkList, device: int) -> tuple[Port, ...]:
    """The ports of a node, manager or other host, in order."""
    kind = links.table.devices.kind(device)
    if kind not in (NODE, MANAGER):
        raise ValueError(f"{kind} is a switch")
    labels = links.labels[kind]
    return tuple(port_at(links, labels.port(port), UP, row, True) for port, _, row, _ in ends_of(links, device))
