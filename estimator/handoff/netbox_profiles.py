"""NetBox's cable import with cable profiles: a row a physical cable, every end of it a termination.

Profiles exist since NetBox 4.5; several terminations on one side are imported since 4.7, comma-separated, a device for
each or one for all. Two links between the same cages are a trunk of two connectors. A breakout has its one connector on
side a, at the switch: the port as it is before the split, or the cage where the cable splits more than one port. Its far
ends follow in order of lane; a lane that nothing is plugged into has no termination, and its position stays free.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from estimator.devices import LEAF
from estimator.handoff.cells import Cell, csv_blocks, guarded
from estimator.handoff.netbox import COLUMNS as CLASSIC_COLUMNS
from estimator.handoff.netbox import INTERFACE, PLANNED, cable_type, description
from estimator.link_list import BLOCK_ROWS, LOWER_KINDS, UPPER_KINDS, LinkList
from estimator.topology import TIERS

COLUMNS = (*CLASSIC_COLUMNS[:6], "profile", *CLASSIC_COLUMNS[6:])
SINGLE, TRUNK, BREAKOUT = "single-1c1p", "trunk-{0}c1p", "breakout-1c{0}p-{0}c1p"
TRUNKS, BREAKOUTS = (2, 4), (2, 4, 6, 8)  # connectors that NetBox has profiles for
Ends = tuple[Sequence[str], Sequence[str]]  # devices, interfaces


def write(links: LinkList) -> Iterator[str]:
    """Header and rows, in order of tier and cable."""
    return csv_blocks(COLUMNS, (tuple(map(guarded, row)) for row in _rows(links)))


def _rows(links: LinkList) -> Iterator[tuple[Cell, ...]]:
    table, cabling = links.table, links.cabling
    text = description(links)
    for tier in range(len(TIERS)):
        of_tier = table.rows(tier)
        order = np.lexsort((table.b_lane[of_tier], table.b_port[of_tier], cabling.cable[of_tier])) + of_tier.start
        firsts = np.flatnonzero(np.diff(cabling.cable[order], prepend=-1))
        bounds = [*firsts.tolist(), len(order)]
        for start in range(0, len(firsts), BLOCK_ROWS):
            for first, last in zip(bounds[start : start + BLOCK_ROWS], bounds[start + 1 :], strict=False):
                yield _row(links, tier, order[first:last].tolist(), text)


def _row(links: LinkList, tier: int, rows: list[int], text: str) -> tuple[Cell, ...]:
    """One cable from the links that share it."""
    cabling, choice = links.cabling, links.plan.runs[int(links.cabling.run[rows[0]])].choice
    carries = choice.links_per_cable if choice else 1
    lower, upper = _lower_ends(links, tier, rows), _upper_ends(links, tier, rows)
    if carries == 1:
        a, b, profile = lower, upper, SINGLE
    elif choice and choice.is_twin:
        a, b, profile = lower, upper, TRUNK.format(carries) if carries in TRUNKS else ""
    else:
        a, b = _before_split(links, tier, rows), lower
        profile = BREAKOUT.format(carries) if carries in BREAKOUTS else ""
    kind, first = cable_type(choice.cable) if choice else "", rows[0]
    return (
        _devices(a), INTERFACE, ",".join(a[1]), _devices(b), INTERFACE, ",".join(b[1]), profile, kind, PLANNED,
        int(cabling.cable[first]), round(float(cabling.length_m[first]), 2), "m", text,
    )  # fmt: skip


def _devices(ends: Ends) -> str:
    """One device for all terminations, or one for each."""
    return ends[0][0] if len(set(ends[0])) == 1 else ",".join(ends[0])


def _lower_ends(links: LinkList, tier: int, rows: list[int]) -> Ends:
    table, labels = links.table, links.labels[LOWER_KINDS[tier]]
    names = table.devices.names
    return [names[table.a_device[row]] for row in rows], [labels.port(int(table.a_port[row])) for row in rows]


def _upper_ends(links: LinkList, tier: int, rows: list[int]) -> Ends:
    table, labels = links.table, links.labels[UPPER_KINDS[tier]]
    names = table.devices.names
    ports = [labels.port(int(table.b_port[row]), int(table.b_lane[row])) for row in rows]
    return [names[table.b_device[row]] for row in rows], ports


def _before_split(links: LinkList, tier: int, rows: list[int]) -> Ends:
    """The switch's end of a breakout: the port that its lanes are parts of, or the whole cage."""
    table, labels = links.table, links.labels[UPPER_KINDS[tier]]
    choice = links.plan.runs[int(links.cabling.run[rows[0]])].choice
    port = int(table.b_port[rows[0]])
    lanes = len(labels.lanes) - 1 if UPPER_KINDS[tier] == LEAF else 0
    splits_one_port = choice is not None and choice.links_per_cable == lanes
    name = labels.port(port) if splits_one_port else labels.cage_ports[port]
    return [table.devices.names[table.b_device[rows[0]]]], [name]
