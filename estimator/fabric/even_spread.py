"""Even spreads: how few spines, and how few cores, let every switch have equal links to each switch above it.

OpenSM's fat-tree routing needs this symmetry, and published designs keep it: 24 leaves with 32 uplinks fill 12 spines
of 64 ports, and NVIDIA's table has 16, because 32 links do not spread evenly over 12 (DGX SuperPOD H100, Table 4).
All functions take columns over variants and hold counts as int64.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from estimator.units import BoolArray, Columns, IntArray, ceil_div, divisors

NONE = 0  # a count of switches that means "no such spread"
_FEW = 100  # variants that are not worth a look for equal ones
_GRID_CELLS = 2_000_000  # cells of one search grid held in memory at a time


def even_spines(
    n_leaves: IntArray,
    uplinks_needed: IntArray,
    uplinks_most: IntArray,
    spine_ports: IntArray,
    least: IntArray | None = None,
) -> tuple[IntArray, IntArray]:
    """Fewest spines over which leaves spread their uplinks evenly.

    Parameters
    ----------
    n_leaves, uplinks_needed, uplinks_most, spine_ports, least : int arrays, shape (n_variants,)
        Leaves that share the spines; fewest and most uplinks a leaf may have; spine ports that face leaves; fewest
        spines allowed. [-]

    Returns
    -------
    (n_spines, n_uplinks) : int arrays, shape (n_variants,)
        The smallest S from ``least`` on, and with it the fewest uplinks U, such that S divides U, needed ≤ U ≤ most and
        n_leaves · U/S ≤ spine_ports; both 0 where there is none.

    Notes
    -----
    With needed = most = U this is: the smallest S that divides U with S ≥ ⌈L·U/P⌉.
    """
    given = (n_leaves, uplinks_needed, uplinks_most, spine_ports, *(() if least is None else (least,)))
    first, same = _distinct(given)
    n_spines, n_uplinks = _even_spines(*(column[first] for column in given))
    return n_spines[same], n_uplinks[same]


def _even_spines(
    n_leaves: IntArray,
    uplinks_needed: IntArray,
    uplinks_most: IntArray,
    spine_ports: IntArray,
    least: IntArray | None = None,
) -> tuple[IntArray, IntArray]:
    widest = max(int(uplinks_most.max(initial=1)), 1)
    n_spines, n_uplinks = np.zeros_like(n_leaves), np.zeros_like(n_leaves)
    candidates = np.arange(1, widest + 1, dtype=np.int64)[None, :]
    for part in _chunks(len(n_leaves), widest):
        # an even spread is a whole number of links between each leaf and each spine, the fewest that are enough
        links_a_pair = ceil_div(uplinks_needed[part, None], candidates)
        fits = (links_a_pair * candidates <= uplinks_most[part, None]) & (links_a_pair > 0)
        fits &= n_leaves[part, None] * links_a_pair <= spine_ports[part, None]
        if least is not None:
            fits &= candidates >= least[part, None]
        best = np.argmax(fits, axis=1)
        found = fits[np.arange(len(best)), best]
        n_spines[part] = np.where(found, best + 1, NONE)
        n_uplinks[part] = np.where(found, links_a_pair[np.arange(len(best)), best] * (best + 1), NONE)
    return n_spines, n_uplinks


def _distinct(columns: Sequence[IntArray]) -> tuple[IntArray, IntArray]:
    """(a row of each kind of equal rows, the kind of every row): of 100,000 candidates of a search a few hundred differ."""
    every = np.arange(len(columns[0]))
    code, n_codes = np.zeros_like(every), 1
    for column in columns if len(every) > _FEW else ():
        low = int(column.min())
        span = int(column.max()) - low + 1
        code, n_codes = code * span + (column - low), n_codes * span
    if not 1 < n_codes <= np.iinfo(np.int64).max:
        return every, every
    _, first, same = np.unique(code, return_index=True, return_inverse=True)
    return first, same


def _chunks(n_variants: int, cells_a_variant: int) -> list[slice]:
    step = max(1, _GRID_CELLS // max(cells_a_variant, 1))
    return [slice(start, start + step) for start in range(0, n_variants, step)]


@dataclass(frozen=True)
class CoreRequest(Columns):
    """Groups of spines that the cores must join; columns of shape (n_variants,), counts.

    A *full* group belongs to a pod that is full, a *last* one to the last, smaller pod (``last_groups`` 0: there is
    none).
    ``rows`` are the leaves of a group, ``least_spines`` the fewest spines of one, ``sets`` the number of core groups (0:
    any), ``oversubscription_down/up`` the spine ratio as two integers.
    """

    uplinks: IntArray
    spine_ports_down: IntArray
    spine_ports: IntArray
    core_ports: IntArray
    oversubscription_down: IntArray
    oversubscription_up: IntArray
    full_groups: IntArray
    full_rows: IntArray
    full_spines: IntArray
    last_groups: IntArray
    last_rows: IntArray
    least_spines: IntArray
    sets: IntArray


@dataclass(frozen=True)
class CoreLayout:
    """What was found; columns of shape (n_variants,). ``core_groups`` 0 where nothing was.

    Spine number i of each group belongs to set i mod ``core_groups``, and the spines of set j meet the cores of group j.
    ``cores_a_group`` is that of the largest group; uneven groups that no spine of the last pod meets have fewer.
    """

    last_spines: IntArray
    core_groups: IntArray
    cores_a_group: IntArray
    n_cores: IntArray


def spine_uplinks(down: IntArray, request: CoreRequest) -> IntArray:
    """Uplinks of a spine with ``down`` used downlinks, at the spine oversubscription; rounded up."""
    return ceil_div(down * request.oversubscription_up, request.oversubscription_down)


def even_cores(request: CoreRequest, wanted: BoolArray) -> CoreLayout:
    """Fewest switches above the full groups: spines of the last group, sets of spines, and cores of each core group.

    For every spine count of the last group that spreads evenly, and every number of sets G that divides both groups'
    spines, a core group needs at least ⌈Σ uplinks ÷ G ÷ core ports⌉ cores, and takes the next divisor of every spine's
    uplinks. The fewest spines and cores win; ties go to the larger G. Where nothing fits, uplinks are padded.
    """
    n = len(request.uplinks)
    out = [np.zeros(n, dtype=np.int64) for _ in range(3)]
    widest = int(max(request.full_spines.max(initial=1), 1))
    last = int(max(request.uplinks.max(initial=1), 1)) if request.last_groups.any() else 1
    for part in _chunks(n, widest * last):
        for column, found in zip(out, _search_divisors(request.take(part), widest, last), strict=True):
            column[part] = found
    for i in np.flatnonzero((out[1] == NONE) & (request.full_spines > 0) & wanted):
        found_padded = _search_padded(request.take(slice(i, i + 1)))
        if found_padded:
            out[0][i], out[1][i], out[2][i] = found_padded
    return CoreLayout(out[0], out[1], out[2], n_cores=out[1] * out[2])


def uneven_cores(request: CoreRequest) -> CoreLayout:
    """Cores by ports alone: spine number i of every group meets core group i, and links spread as evenly as whole ones
    can.

    0 groups where the groups of spines outnumber the ports of a core. With no more groups than ports, more than half of a
    core group is in reach of each spine, so any two spines of a set share a core.
    """
    has_last = request.last_groups > 0
    spines = np.maximum(request.full_spines, 1)
    by_ports = ceil_div(request.last_rows * request.uplinks, np.maximum(request.spine_ports_down, 1))
    last_spines = np.where(has_last, np.maximum(by_ports, request.least_spines), 0)
    full_up = spine_uplinks(ceil_div(request.full_rows * request.uplinks, spines), request)
    last_up = spine_uplinks(ceil_div(request.last_rows * request.uplinks, np.maximum(last_spines, 1)), request)
    plain = ceil_div(request.full_groups * full_up, request.core_ports)
    joint = ceil_div(request.full_groups * full_up + request.last_groups * last_up, request.core_ports)
    largest = np.where(has_last, joint, plain)
    meets = (request.full_spines > 0) & (request.full_groups + request.last_groups <= request.core_ports)
    meets &= (request.sets == 0) | (request.sets == spines)  # spine number i always meets a group of its own
    n_cores = last_spines * joint + (spines - last_spines) * plain
    return CoreLayout(
        last_spines=last_spines,
        core_groups=np.where(meets, spines, NONE),
        cores_a_group=np.where(meets, largest, NONE),
        n_cores=np.where(meets, n_cores, NONE),
    )


def _search_divisors(q: CoreRequest, widest: int, last: int) -> tuple[IntArray, IntArray, IntArray]:
    """The grid (variants, spines of the last group, sets) at once."""
    s_last = np.arange(1, last + 1, dtype=np.int64)[None, :, None]
    sets = _divisor_lists(widest)[q.full_spines][:, None, :]
    col = q.each(lambda column: column[:, None, None])
    has_last = col.last_groups > 0
    full_up = spine_uplinks(col.full_rows * (col.uplinks // np.maximum(col.full_spines, 1)), col)
    last_down = col.last_rows * (col.uplinks // s_last)
    last_up = np.where(has_last, spine_uplinks(last_down, col), full_up)
    fits = (col.full_spines > 0) & (sets > 0) & ((col.sets == 0) | (col.sets == sets))
    sets = np.maximum(sets, 1)
    # without a last group its spines are no question: the first row of the grid stands for all
    fits = fits & np.where(
        has_last,
        (col.uplinks % s_last == 0)
        & (last_down <= col.spine_ports_down)
        & (s_last % sets == 0)
        & (s_last >= col.least_spines),
        s_last == 1,
    )
    ports = (col.full_groups * col.full_spines * full_up + col.last_groups * s_last * last_up) // sets
    least = ceil_div(ports, col.core_ports)
    # cores that do not divide the uplinks of both kinds of spine would get a link more or less than the next
    cores = _next_divisor(np.gcd(full_up, last_up), least)
    fits = fits & (cores > 0)
    worst = np.iinfo(np.int64).max
    total = np.where(fits, sets * cores + col.last_groups * s_last, worst)
    total = total * 1.0 - sets / (2.0 * widest)  # below half a switch: decides ties only
    flat = np.argmin(np.where(fits, total, np.inf).reshape(len(q.uplinks), -1), axis=1)
    shape = (last, sets.shape[2])
    index = np.unravel_index(flat, shape)
    rows = np.arange(len(flat))
    found = np.broadcast_to(fits, (len(flat), *shape))[rows, index[0], index[1]]
    cores_found = np.broadcast_to(cores, (len(flat), *shape))[rows, index[0], index[1]]
    has = q.last_groups > 0
    return (
        np.where(found & has, index[0] + 1, 0),
        np.where(found, sets[rows, 0, index[1]], NONE),
        np.where(found, cores_found, NONE),
    )


@lru_cache(maxsize=4)
def _divisor_lists(widest: int) -> IntArray:
    """Row n has the divisors of n, ascending and then 0, for n ≤ widest."""
    lists = [divisors(number) if number else [] for number in range(widest + 1)]
    table = np.zeros((widest + 1, max(map(len, lists), default=1)), dtype=np.int64)
    for number, row in enumerate(lists):
        table[number, : len(row)] = row
    return table


def _next_divisor(number: IntArray, least: IntArray) -> IntArray:
    """The smallest divisor of ``number`` that is at least ``least``; 0 where ``least`` is above ``number``."""
    table = _divisor_table(1 << int(number.max(initial=1)).bit_length())
    number, least = np.broadcast_arrays(number, least)
    return np.where(least <= number, table[number, np.minimum(least, number)], 0)


@lru_cache(maxsize=4)
def _divisor_table(size: int) -> IntArray:
    """table[n, c] = smallest divisor of n that is ≥ c, for c ≤ n < size."""
    table = np.zeros((size, size), dtype=np.int64)
    for number in range(1, size):
        for divisor in reversed(divisors(number)):
            table[number, : divisor + 1] = divisor
    return table


def _search_padded(q: CoreRequest) -> tuple[int, int, int] | None:
    """One variant: every spine may have more uplinks than the ratio asks for, up to its free ports.

    Uplinks beyond the ratio cost ports, and buy the symmetry that no divisor gave; few designs come here.
    """
    uplinks, ports, core_ports = int(q.uplinks[0]), int(q.spine_ports[0]), int(q.core_ports[0])
    full, last = int(q.full_spines[0]), int(q.last_groups[0])
    cores = np.arange(1, ports + 1, dtype=np.int64)
    best: tuple[int, int, int, int] | None = None
    full_down = int(q.full_rows[0]) * (uplinks // full)
    full_up = ceil_div(int(spine_uplinks(np.array([full_down]), q)[0]), cores) * cores
    for s_last in divisors(uplinks) if last else [full]:
        last_down = int(q.last_rows[0]) * (uplinks // s_last) if last else 0
        if last_down > int(q.spine_ports_down[0]) or (last and s_last < int(q.least_spines[0])):
            continue
        last_up = ceil_div(int(spine_uplinks(np.array([last_down]), q)[0]), cores) * cores
        for sets in (n for n in divisors(int(np.gcd(full, s_last))) if int(q.sets[0]) in (0, n)):
            need = (int(q.full_groups[0]) * full * full_up + last * s_last * last_up) // sets
            fits = (need <= cores * core_ports) & (full_down + full_up <= ports) & (last_down + last_up <= ports)
            if fits.any():
                n_cores = int(cores[np.argmax(fits)])
                candidate = (sets * n_cores + last * s_last, s_last if last else 0, sets, n_cores)
                best = min(best, candidate) if best else candidate
    return best[1:] if best else None
