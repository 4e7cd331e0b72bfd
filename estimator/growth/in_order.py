"""A list whose ports or devices were dealt again, in the order of all lists."""

from dataclasses import replace

import numpy as np

from estimator.cabling.links import LinkList
from estimator.cabling.runs import LinkCabling
from estimator.growth.known_by import kind_of
from estimator.units import IntArray

COLUMNS = (
    *("plane", "rail", "a_device", "a_cage", "a_port"),
    *("b_device", "b_cage", "b_port", "b_lane", "rate_gbit_s"),
)


def in_port_order(links: LinkList, tier: int) -> LinkList:
    """The list with the links of a tier in the order of their lower devices and ports, and its cables numbered so."""
    table, rows = links.table, links.table.rows(tier)
    order = rows.start + np.lexsort((table.a_port[rows], table.a_device[rows]))
    columns = {name: getattr(table, name).copy() for name in COLUMNS}
    for column in columns.values():
        column[rows] = column[order]
    return replace(links, table=replace(table, **columns), cabling=_cabling(links, rows, order))


def _cabling(links: LinkList, rows: slice, order: IntArray) -> LinkCabling:
    was = links.cabling
    is_set = None if was.is_set is None else was.is_set.copy()
    out = LinkCabling(was.cable.copy(), was.length_m.copy(), was.run.copy(), is_set)
    if len(order) == 0:
        return out
    out.length_m[rows], out.run[rows] = was.length_m[order], was.run[order]
    if is_set is not None and was.is_set is not None:
        is_set[rows] = was.is_set[order]
    _, first, cable = np.unique(was.cable[order], return_index=True, return_inverse=True)
    pieces = np.zeros(len(order), np.int64)
    pieces[first] = np.array([kind_of(run)[2] for run in links.plan.runs])[out.run[rows][first]]
    number = was.cable[rows].min() + np.cumsum(pieces) - pieces
    out.cable[rows] = number[first][cable]
    return out
