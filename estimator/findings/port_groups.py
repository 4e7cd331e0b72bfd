"""Port groups of the switches of a fabric, as OpenSM's fat-tree routing counts them.

A port group is all links of a switch to one other switch. The routing takes a network only if the switches of a rank agree:
in how many groups they have upwards, in how many downwards (leaves apart), and in how many ports a group has (OpenSM,
osm_ucast_ftree.c, fabric_validate_topology). It compares with the first switch of the rank that it finds.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from estimator.fabric.devices import CORE, LEAF, SPINE
from estimator.fabric.sized import SizedFabric
from estimator.fabric.topology import LEAF_SPINE, SPINE_CORE, LinkTable, Panels, link_table
from estimator.units import IntArray

_NAMES = {LEAF: ("leaves", "spine"), SPINE: ("spines", "core")}
_BELOW = {SPINE: ("spines", "leaf", "leaves"), CORE: ("cores", "spine", "spines")}


class _Side(NamedTuple):
    """Links of one tier seen from one end: groups of every switch, and the ports that groups have."""

    n_groups: IntArray
    sizes: IntArray


def asymmetries(fabric: SizedFabric) -> list[str]:
    """What differs between switches of one rank, in words; nothing where fat-tree routing takes the fabric. It reads every
    link: ask only where groups are not plainly alike."""
    if fabric.tiers < 2:
        return []
    table = link_table(fabric, Panels())
    out: list[str] = []
    for tier, lower, upper in ((LEAF_SPINE, LEAF, SPINE), (SPINE_CORE, SPINE, CORE))[: fabric.tiers - 1]:
        up, down = _sides(table, tier)
        out += _of_rank(up, down, lower, upper)
    return out


def _of_rank(up: _Side, down: _Side, lower: str, upper: str) -> Iterator[str]:
    of, to = _NAMES[lower]
    if differs(up.n_groups):
        yield f"{of} reach {either(up.n_groups)} {to}s"
    if differs(up.sizes):
        yield f"{of} have {either(up.sizes)} links to a {to}"
    of, to, several = _BELOW[upper]
    if differs(down.n_groups):
        yield f"{of} have {either(down.n_groups)} {several} below"
    if differs(down.sizes) and not differs(up.sizes):
        yield f"{of} have {either(down.sizes)} links to a {to}"


def _sides(table: LinkTable, tier: int) -> tuple[_Side, _Side]:
    rows = table.rows(tier)
    ends = np.stack([table.a_device[rows].astype(np.int64), table.b_device[rows].astype(np.int64)])
    pairs, sizes = np.unique(ends, axis=1, return_counts=True)
    lower, upper = (np.unique(pairs[end], return_counts=True)[1] for end in (0, 1))
    return _Side(lower, sizes), _Side(upper, sizes)


def differs(values: IntArray) -> bool:
    """Whether there are two numbers among the values."""
    return bool(values.size) and int(values.min()) != int(values.max())


def either(values: IntArray) -> str:
    """``"4 or 5"``, the least and the most."""
    return f"{int(values.min()):,} or {int(values.max()):,}"
