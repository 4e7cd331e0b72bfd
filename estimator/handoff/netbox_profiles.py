"""NetBox's cable import with cable profiles: a row a physical cable, every end of it a termination.

Profiles exist since NetBox 4.5; several terminations on one side are imported since 4.7, comma-separated, a device for
each or one for all. Two links between the same cages are a trunk of two connectors. A breakout has its one connector on
side a, at the switch: the port as it is before the split, or the cage where the cable splits more than one port. Its far
ends follow in order of lane; a lane that nothing is plugged into has no termination, and its position stays free.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from estimator.cabling.links import BLOCK_ROWS, LOWER_KINDS, UPPER_KINDS, LinkList
from estimator.cabling.media import Choice
from estimator.fabric.ports import Labels
from estimator.fabric.topology import TIERS
from estimator.handoff.cells import Cell, csv_blocks, guarded
from estimator.handoff.netbox import COLUMNS as CLASSIC_COLUMNS
from estimator.handoff.netbox import INTERFACE, PLANNED, cable_type, description
from estimator.units import IntArray

COLUMNS = (*CLASSIC_COLUMNS[:6], "profile", *CLASSIC_COLUMNS[6:])
SINGLE, TRUNK, BREAKOUT = "single-1c1p", "trunk-{0}c1p", "breakout-1c{0}p-{0}c1p"
TRUNKS, BREAKOUTS = (2, 4), (2, 4, 6, 8)  # connectors that NetBox has profiles for
LinkEnds = tuple[str, int, str, int, int]  # device and port of the lower end; device, port and lane of the upper one
Side = tuple[str, str]  # devices, interfaces


def write(links: LinkList) -> Iterator[str]:
    """Header and rows, in order of tier and cable."""
    return csv_blocks(COLUMNS, _rows(links))


def _rows(links: LinkList) -> Iterator[tuple[Cell, ...]]:
    choices = [run.choice for run in links.plan.runs]
    kinds = [cable_type(choice.cable) if choice else "" for choice in choices]
    text = description(links)
    for tier in range(len(TIERS)):
        lower, upper = links.labels[LOWER_KINDS[tier]], links.labels[UPPER_KINDS[tier]]
        for cable, run, length_m, ends in _cables(links, tier):
            a, b, profile = _sides(ends, lower, upper, choices[run])
            yield (
                a[0],
                INTERFACE,
                guarded(a[1]),
                b[0],
                INTERFACE,
                guarded(b[1]),
                profile,
                kinds[run],
                PLANNED,
                cable,
                length_m,
                "m",
                text,
            )


def _cables(links: LinkList, tier: int) -> Iterator[tuple[int, int, float, list[LinkEnds]]]:
    """(number, run, length, links in order of port and lane) of every cable of a tier."""
    table, cabling, names = links.table, links.cabling, links.table.devices.names
    rows = table.rows(tier)
    order: IntArray = np.lexsort((table.b_lane[rows], table.b_port[rows], cabling.cable[rows])) + rows.start
    firsts = np.flatnonzero(np.diff(cabling.cable[order], prepend=-1))
    bounds = np.append(firsts, len(order))
    for start in range(0, len(firsts), BLOCK_ROWS):
        part = bounds[start : start + BLOCK_ROWS + 1]
        block, edges = order[part[0] : part[-1]], (part - part[0]).tolist()
        columns = (table.a_device, table.a_port, table.b_device, table.b_port, table.b_lane)
        ends = [
            (names[a], a_port, names[b], b_port, lane)
            for a, a_port, b, b_port, lane in zip(*(column[block].tolist() for column in columns), strict=True)
        ]
        heads = block[edges[:-1]]
        shared = zip(*(c[heads].tolist() for c in (cabling.cable, cabling.run, cabling.length_m)), strict=True)
        for (cable, run, length_m), first, last in zip(shared, edges, edges[1:], strict=False):
            yield cable, run, round(length_m, 2), ends[first:last]


def _sides(ends: list[LinkEnds], lower: Labels, upper: Labels, choice: Choice | None) -> tuple[Side, Side, str]:
    """Sides a and b of a cable, and its profile; none where NetBox has no such cable."""
    near = _side([end[0] for end in ends], [lower.port(end[1]) for end in ends])
    carries = choice.links_per_cable if choice else 1
    if choice and carries > 1 and not choice.is_twin:
        _, _, switch, port, _ = ends[0]
        name = upper.port(port) if carries == len(upper.lanes) - 1 else upper.cage_ports[port]
        return (switch, name), near, BREAKOUT.format(carries) if carries in BREAKOUTS else ""
    far = _side([end[2] for end in ends], [upper.port(end[3], end[4]) for end in ends])
    return near, far, SINGLE if carries == 1 else TRUNK.format(carries) if carries in TRUNKS else ""


def _side(devices: Sequence[str], ports: Sequence[str]) -> Side:
    """One device for all terminations, or one for each."""
    return devices[0] if len(set(devices)) == 1 else ",".join(devices), ",".join(ports)
