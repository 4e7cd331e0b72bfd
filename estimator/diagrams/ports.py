"""The front of one switch: its cages and ports in the order of the platform, and what each port goes to."""

from dataclasses import dataclass
from itertools import groupby

import numpy as np

from estimator.cabling.links import LOWER_KINDS, UPPER_KINDS, LinkList, further_cables
from estimator.fabric.devices import CORE, LEAF, MANAGER, NODE, SPINE
from estimator.fabric.topology import FABRIC_MANAGER, LEAF_LEAF, NODE_LEAF

TO_NODE, TO_MANAGER, UP, DOWN, PEER, OUT, OPEN, KEPT = (
    "node",
    "manager",
    "up",
    "down",
    "peer",
    "outside",
    "open",
    "kept",
)
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
    cables: str | None = None  # numbers; a link may take several fibres
    rail: int | None = None
    plane: int | None = None


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


def linked_ports(links: LinkList, device: int, ends: list[tuple[int, int, int, bool]]) -> list[Port]:
    """The ports of a device that have a link, in the order of ``ends``."""
    names, kind = links.table.devices.names, links.table.devices.kind(device)
    near = links.labels[kind]
    rows = np.array([row for _, _, row, _ in ends], dtype=np.int64)
    out = []
    for (port, lane, row, is_lower), link in zip(ends, links.numbers(rows), strict=True):
        far = link.b_device if is_lower else link.a_device
        far_labels = links.labels[UPPER_KINDS[link.tier] if is_lower else LOWER_KINDS[link.tier]]
        far_port = far_labels.port(link.b_port, link.b_lane) if is_lower else far_labels.port(link.a_port)
        choice = links.plan.runs[link.run].choice
        more = further_cables(link.cable, choice.cables_per_link) if choice else None
        out.append(
            Port(
                near.port(port, lane),
                _use(link.tier, is_lower),
                row,
                names[far],
                far,
                far_port,
                link.rate_gbit_s,
                choice.reported_medium if choice else None,
                round(link.length_m, 2),
                choice.cable.id if choice else None,
                " ".join(one for one in (str(link.cable), more) if one),
                link.rail or None,
                link.plane,
            )
        )
    return out


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
    ends = ends_of(links, device)
    by_port: dict[int, list[Port]] = {}
    for (port, *_), linked in zip(ends, linked_ports(links, device, ends), strict=True):
        by_port.setdefault(port, []).append(linked)
    cages = [(label, list(ports)) for label, ports in groupby(range(n_ports), key=lambda port: labels.cages[port])]
    per_page = max(MOST_PORTS // max((len(ports) * _lanes(links, kind) for _, ports in cages), default=1), 1)
    start = max(0, min(start, len(cages) - 1)) // per_page * per_page
    uses: dict[str, int] = {}
    made = []
    for label, ports in cages:
        own = [one for port in ports for one in by_port.get(port) or [_without_link(links, kind, port)]]
        for one in own:
            uses[one.use] = uses.get(one.use, 0) + 1
        made.append(Cage(label, tuple(own)))
    return Panel(
        links.table.devices.names[device],
        kind,
        tuple(made[start : start + per_page]),
        start,
        len(cages),
        {use: uses[use] for use in USES if use in uses},
        per_page,
    )


def _lanes(links: LinkList, kind: str) -> int:
    return links.fabric.endpoints_per_port if kind == LEAF else 1


def _use(tier: int, is_lower: bool) -> str:
    if tier == LEAF_LEAF:
        return PEER
    if is_lower:
        return UP
    return {NODE_LEAF: TO_NODE, FABRIC_MANAGER: TO_MANAGER}.get(tier, DOWN)


def _without_link(links: LinkList, kind: str, port: int) -> Port:
    """A port without a row: open, kept free, or an uplink that ends in another network."""
    fabric, label = links.fabric, links.labels[kind].port(port)
    if kind == LEAF and fabric.has_own_uplinks and fabric.tiers > 1:
        kept = fabric.leaf_kept_from <= port < fabric.leaf_radix - fabric.leaf_uplinks
        return Port(label, KEPT if kept else OPEN)
    limit = fabric.wiring.leaf_ports if kind == LEAF else fabric.wiring.spine_ports if kind == SPINE else None
    if kind == LEAF and fabric.tiers == 1 and fabric.leaf_up.any():
        first = fabric.wiring.leaf_ports - fabric.leaf_uplinks
        if first <= port < fabric.wiring.leaf_ports:
            return Port(label, OUT)
    return Port(label, KEPT if limit and port >= limit else OPEN)


def host_ports_of(links: LinkList, device: int) -> tuple[Port, ...]:
    """The ports of a node, manager or other host, in order."""
    kind = links.table.devices.kind(device)
    if kind not in (NODE, MANAGER):
        raise ValueError(f"{kind} is a switch")
    return tuple(linked_ports(links, device, ends_of(links, device)))
