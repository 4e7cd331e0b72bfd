"""Cables of a network in bundles, a bundle a switch and tier, in the order in which no free port comes to lie behind a cable.

Tiers between switches come first, and in each tier the longest bundles: they lie lowest in the tray. Within a bundle cables are
led to the nearer side of the front panel, so that one from the middle passes in front of the cages outside it: the outer
cages are filled first, from the left inwards, then from the right.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from estimator.cabling.links import UPPER_KINDS, LinkList
from estimator.fabric.topology import FABRIC_MANAGER, LEAF_LEAF, LEAF_SPINE, NODE_LEAF, SPINE_CORE, TIERS
from estimator.units import BoolArray, FloatArray, IntArray

ORDER = (SPINE_CORE, LEAF_SPINE, LEAF_LEAF, FABRIC_MANAGER, NODE_LEAF)
_CAGES = 10_000  # more than any device has
FIBER = "fiber"


class Bundle(NamedTuple):
    """Cables of one tier that end in one switch."""

    role: str
    tier: str
    device: str
    lower: tuple[str, ...]
    """Devices at the other ends."""
    n_links: int
    n_cables: int
    n_fiber_ends: int
    n_other_ends: int
    n_metres: float
    longest_m: float
    labels: str


def bundles_of(links: LinkList) -> Iterator[Bundle]:
    """Every bundle of a network, in the order in which they are pulled."""
    for tier in ORDER:
        yield from sorted(_of_tier(links, tier), key=lambda bundle: (-bundle.longest_m, bundle.device))


def transceivers_of(links: LinkList) -> dict[str, int]:
    """Transceivers in the cages of each device, by its name."""
    out: dict[str, int] = {}
    names = links.table.devices.names
    for tier in range(len(TIERS)):
        rows = links.table.rows(tier)
        run = links.cabling.run[rows]
        choices = [one.choice for one in links.plan.runs]
        for device, cage, ends in (
            (links.table.a_device[rows], links.table.a_cage[rows], [c and c.lower_module for c in choices]),
            (links.table.b_device[rows], links.table.b_cage[rows], [c and c.upper_module for c in choices]),
        ):
            has = np.array([one is not None for one in ends], dtype=bool)[run]
            keys = np.unique(device[has].astype(np.int64) * _CAGES + cage[has])
            for index, n in zip(*np.unique(keys // _CAGES, return_counts=True), strict=True):
                out[names[int(index)]] = out.get(names[int(index)], 0) + int(n)
    return out


class _Cables(NamedTuple):
    """Cables of one tier by number, in order; columns of shape (n_cables,). ``owner`` is the switch whose bundle they are in."""

    number: IntArray
    owner: IntArray
    cage: IntArray
    pieces: IntArray
    is_fiber: BoolArray
    ends: IntArray
    length_m: FloatArray


def _of_tier(links: LinkList, tier: int) -> Iterator[Bundle]:
    rows = links.table.rows(tier)
    if rows.start == rows.stop:
        return
    names, table = links.table.devices.names, links.table
    cables = _cables(links, rows)
    n_cages = len(dict.fromkeys(links.labels[UPPER_KINDS[tier]].cages))
    is_right = 2 * cables.cage >= n_cages
    inwards = np.where(is_right, -cables.cage, cables.cage)
    order = np.lexsort((cables.number, inwards, is_right, cables.owner))
    n_links = np.bincount(table.b_device[rows])
    lower = _by_device(table.b_device[rows].astype(np.int64), table.a_device[rows].astype(np.int64))
    for members in np.split(order, np.flatnonzero(np.diff(cables.owner[order])) + 1):
        device = int(cables.owner[members[0]])
        pieces, ends = cables.pieces[members], cables.ends[members] * cables.pieces[members]
        lengths, is_fiber = cables.length_m[members], cables.is_fiber[members]
        yield Bundle(
            role=links.role,
            tier=TIERS[tier],
            device=names[device],
            lower=tuple(names[one] for one in lower[device]),
            n_links=int(n_links[device]),
            n_cables=int(pieces.sum()),
            n_fiber_ends=int(ends[is_fiber].sum()),
            n_other_ends=int(ends[~is_fiber].sum()),
            n_metres=float((lengths * pieces).sum()),
            longest_m=round(float(lengths.max()), 2),
            labels=as_ranges(
                [
                    number + piece
                    for number, n in zip(cables.number[members].tolist(), pieces.tolist(), strict=True)
                    for piece in range(n)
                ]
            ),
        )


def _cables(links: LinkList, rows: slice) -> _Cables:
    table, cable = links.table, links.cabling.cable[rows].astype(np.int64)
    choices = [one.choice for one in links.plan.runs]
    number, first, of_link = np.unique(cable, return_index=True, return_inverse=True)
    run = links.cabling.run[rows][first]
    ends = np.zeros(len(number), dtype=np.int64)
    for device, cage in ((table.a_device, table.a_cage), (table.b_device, table.b_cage)):
        keys = (of_link * len(table.devices) + device[rows]) * _CAGES + cage[rows]
        ends += np.bincount(np.unique(keys) // _CAGES // len(table.devices), minlength=len(number))
    return _Cables(
        number,
        table.b_device[rows][first].astype(np.int64),
        table.b_cage[rows][first].astype(np.int64),
        np.array([c.cables_per_link if c else 1 for c in choices], dtype=np.int64)[run],
        np.array([bool(c and c.cable.kind == FIBER) for c in choices], dtype=bool)[run],
        ends,
        links.cabling.length_m[rows][first].astype(np.float64),
    )


def _by_device(upper: IntArray, lower: IntArray) -> dict[int, list[int]]:
    """The lower devices of each upper one, each once."""
    pairs = np.unique(np.stack([upper, lower]), axis=1)
    starts = np.flatnonzero(np.diff(pairs[0])) + 1
    heads = pairs[0][np.concatenate([[0], starts])].tolist()
    return {head: part.tolist() for head, part in zip(heads, np.split(pairs[1], starts), strict=True)}


def as_ranges(numbers: Sequence[int]) -> str:
    """Numbers in their order, runs up or down as ranges: [1, 2, 3, 9, 8, 5] → "1-3, 9-8, 5"."""
    out: list[str] = []
    i = 0
    while i < len(numbers):
        end, step = i, 0
        if i + 1 < len(numbers) and abs(numbers[i + 1] - numbers[i]) == 1:
            step = numbers[i + 1] - numbers[i]
            while end + 1 < len(numbers) and numbers[end + 1] - numbers[end] == step:
                end += 1
        out.append(str(numbers[i]) if end == i else f"{numbers[i]}-{numbers[end]}")
        i = end + 1
    return ", ".join(out)


def numbers_of(labels: str) -> list[int]:
    """The reverse of ``as_ranges``."""
    out: list[int] = []
    for part in labels.split(", ") if labels else ():
        first, _, last = part.partition("-")
        ends = int(first), int(last or first)
        step = 1 if ends[1] >= ends[0] else -1
        out += range(ends[0], ends[1] + step, step)
    return out
