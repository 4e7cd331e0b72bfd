"""Which seat each node of a phase has, so that nodes that are there stay plugged in where they are.

A design by itself seats nodes in their order: with units of another size, all nodes behind the first unit would move along, and
in a storage or management network all that stands behind the nodes. What a seat is, the ports of leaves that one node is
plugged into, stays as in that design; which node has it differs.
"""

from collections.abc import Hashable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from estimator.cabling.links import LinkList
from estimator.fabric.devices import LEAF
from estimator.fabric.topology import NODE_LEAF
from estimator.growth.known_by import device_keys

OF_SEAT = ("b_device", "b_cage", "b_port", "b_lane")


class _Seat(NamedTuple):
    """The rows of one node, what its leaf ports are known by, and what another node must have alike to sit there."""

    rows: tuple[int, ...]
    ports: Hashable
    pool: Hashable


def with_kept_seats(before: LinkList, after: LinkList) -> LinkList:
    """A network of a phase whose nodes have the seats that they had, where there still are such.

    Where lengths or parts differ by node, or one cable serves several nodes, they sit as in the design by itself.
    """
    if not _are_alike(after):
        return after
    was = {key: seat.ports for key, seat in _seats(before).items()}
    seats = _seats(after)
    by_ports = {(seat.pool, seat.ports): seat for seat in seats.values()}
    sits = {key: by_ports[seat.pool, was[key]] for key, seat in seats.items() if (seat.pool, was.get(key)) in by_ports}
    taken = {seat.rows for seat in sits.values()}
    free: dict[Hashable, list[_Seat]] = {}
    for seat in seats.values():
        if seat.rows not in taken:
            free.setdefault(seat.pool, []).append(seat)
    left = {pool: iter(own) for pool, own in free.items()}
    pairs = [(seat.rows, (sits.get(key) or next(left[seat.pool])).rows) for key, seat in seats.items()]
    to, of = (np.array([row for pair in pairs for row in pair[end]], np.int64) for end in (0, 1))
    columns = {name: getattr(after.table, name).copy() for name in OF_SEAT}
    for name, column in columns.items():
        column[to] = getattr(after.table, name)[of]
    return replace(after, table=replace(after.table, **columns))


def _are_alike(links: LinkList) -> bool:
    """Whether any node may have the seat of any other: all cables of one part and length, each of one node."""
    runs = np.unique(links.cabling.run[links.table.rows(NODE_LEAF)])
    choices = [links.plan.runs[run].choice for run in runs]
    return len(runs) == 1 and not any(choice and choice.links_per_cable > 1 for choice in choices)


def _seats(links: LinkList) -> dict[Hashable, _Seat]:
    """The seat of every node, in the order of nodes."""
    rows, keys, labels = links.table.rows(NODE_LEAF), device_keys(links), links.labels[LEAF]
    of_node: dict[int, list[tuple[int, int, Hashable, Hashable]]] = {}
    for row, one in enumerate(links.numbers(rows), start=rows.start):
        port = keys[one.b_device], labels.port(one.b_port, one.b_lane)
        of_node.setdefault(one.a_device, []).append((one.a_port, row, port, (one.plane, one.rail, one.rate_gbit_s)))
    seats = {}
    for node in sorted(of_node):
        _, own, ports, alike = zip(*sorted(of_node[node]), strict=True)
        seats[keys[node]] = _Seat(own, ports, alike)
    return seats
