"""Planned links against found links, by their ends: which are the same, and what became of the rest.

An end is one number: device, port and lane. Every planned end has one link. The links that differ form chains in which
planned and found ones take turns, each sharing an end with the next. A closed chain is a swap; in an open one, each
planned link goes with the found link that still has one of its ends.
"""

from dataclasses import dataclass, field

import numpy as np

from estimator.asbuilt.ports import DEVICE_BITS
from estimator.units import IntArray


@dataclass(frozen=True)
class Listed:
    """Links as pairs of ends, ``low`` below ``high``; columns of shape (n_links,).

    ``listing`` is the first row of the file's columns that has the link, ``times`` how often one side lists it,
    ``rate_gbit_s`` is 0 where it is unknown.
    """

    low: IntArray
    high: IntArray
    listing: IntArray
    times: IntArray
    rate_gbit_s: IntArray


def distinct(a: IntArray, b: IntArray, rate_gbit_s: IntArray, both_sides: bool) -> Listed:
    """Every link once, from a list of ends that may name it from both sides, or twice."""
    low, high = np.minimum(a, b), np.maximum(a, b)
    order = np.lexsort((high, low))
    low, high, rate, forward = low[order], high[order], rate_gbit_s[order], (a < b)[order]
    begins = np.ones(len(low), dtype=bool)
    begins[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    first = np.flatnonzero(begins)
    if not len(first):
        return Listed(low, high, order, order, rate)
    n_forward = np.add.reduceat(forward.astype(np.int64), first)
    n_backward = np.diff(np.append(first, len(low))) - n_forward
    mirrored = both_sides or np.mean((n_forward == n_backward) & (n_forward > 0)) > 0.5
    times = np.maximum(n_forward, n_backward) if mirrored else n_forward + n_backward
    return Listed(low[first], high[first], order[first], times, np.maximum.reduceat(rate, first))


@dataclass(frozen=True)
class Pairing:
    """Indices into planned and found links.

    ``matched`` are (planned, found) of the same link. ``swaps`` are closed chains ((planned …), (found …)): two links
    each where two far ends were exchanged. ``moved`` and ``wrong_port`` are (planned, found): the found link has other
    devices, or the same devices and another port. ``taken`` are found links on a port that another found link has.
    """

    matched: tuple[IntArray, IntArray]
    swaps: list[tuple[tuple[int, ...], tuple[int, ...]]] = field(default_factory=list)
    wrong_port: list[tuple[int, int]] = field(default_factory=list)
    moved: list[tuple[int, int]] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    extra: list[int] = field(default_factory=list)
    taken: list[int] = field(default_factory=list)


def pair_links(planned: Listed, found: Listed, is_renumbered: bool = False) -> Pairing:
    """What every planned and found link is; each stands in one list of the answer.

    Where the file numbers ports otherwise than the design (``is_renumbered``), links between the right devices are on wrong
    ports, and no cables that were swapped.
    """
    order = np.argsort(planned.low, kind="stable")
    place = np.searchsorted(planned.low[order], found.low)
    candidate = order[np.minimum(place, len(order) - 1)]
    same = (planned.low[candidate] == found.low) & (planned.high[candidate] == found.high)
    out = Pairing((candidate[same], np.flatnonzero(same)))
    is_matched = np.zeros(len(planned.low), dtype=bool)
    is_matched[candidate[same]] = True
    lost, other = np.flatnonzero(~is_matched), np.flatnonzero(~same)
    if is_renumbered:
        out.wrong_port.extend(_by_devices(planned, found, lost, other))
        lost = np.setdiff1d(lost, [pair[0] for pair in out.wrong_port])
        other = np.setdiff1d(other, [pair[1] for pair in out.wrong_port])
    chains = _Chains(planned, found, lost, other)
    left = _sort_chains(out, chains)
    _sort_rest(out, chains, left, set(_twice(found)))
    return out


class _Chains:
    """The links that differ, and who shares an end with whom. A planned end goes to the first found link that has it."""

    def __init__(self, planned: Listed, found: Listed, lost: IntArray, other: IntArray) -> None:
        self.lost = _ends(planned, lost)
        self.other = _ends(found, other[np.argsort(found.listing[other], kind="stable")])
        owner = {end: link for link, ends in self.lost.items() for end in ends}
        self.claims: dict[int, list[int]] = {}  # found link → planned links that share an end
        self.claimed_by: dict[int, list[int]] = {}  # planned link → found links, one an end
        claimed: set[int] = set()
        for link, ends in self.other.items():
            for end in ends:
                if end in owner and end not in claimed:
                    claimed.add(end)
                    self.claims.setdefault(link, []).append(owner[end])
                    self.claimed_by.setdefault(owner[end], []).append(link)

    def of(self, start: int) -> tuple[list[tuple[bool, int]], bool]:
        """The chain of a planned link as (is planned, link), and whether it is closed."""
        onward, is_closed = self._walk(start, self.claimed_by.get(start, [])[:1])
        if is_closed:
            return onward, True
        back, _ = self._walk(start, self.claimed_by.get(start, [])[1:])
        return back[:0:-1] + onward, False

    def _walk(self, start: int, first: list[int]) -> tuple[list[tuple[bool, int]], bool]:
        chain, found = [(True, start)], first
        while found:
            chain.append((False, found[0]))
            planned = [link for link in self.claims[found[0]] if (True, link) != chain[-2]]
            if planned == [start] and len(chain) > 2:
                return chain, True
            if not planned:
                break
            chain.append((True, planned[0]))
            found = [link for link in self.claimed_by[planned[0]] if link != found[0]]
        return chain, False


def _ends(links: Listed, rows: IntArray) -> dict[int, tuple[int, int]]:
    ends = zip(links.low[rows].tolist(), links.high[rows].tolist(), strict=True)
    return dict(zip(rows.tolist(), ends, strict=True))


def _devices(ends: tuple[int, int]) -> tuple[int, int]:
    return ends[0] >> DEVICE_BITS, ends[1] >> DEVICE_BITS


def _twice(links: Listed) -> IntArray:
    """Ends that more than one link has."""
    ends, times = np.unique(np.concatenate([links.low, links.high]), return_counts=True)
    return ends[times > 1]


def _sort_chains(out: Pairing, chains: _Chains) -> tuple[list[int], list[int]]:
    """Swaps, wrong ports and moves; (planned, found) links that are in none of them."""
    seen: set[int] = set()
    taken: set[int] = set()
    lone: list[int] = []
    for start in chains.lost:
        if start in seen:
            continue
        chain, is_closed = chains.of(start)
        seen.update(link for is_planned, link in chain if is_planned)
        if is_closed:
            found = tuple(link for is_planned, link in chain if not is_planned)
            planned = tuple(link for is_planned, link in chain if is_planned)
            taken.update(found)
            out.swaps.append((planned, found))
            continue
        pairs = _neighbours(chains, chain)
        taken.update(found for _, found in pairs)
        paired = {planned for planned, _ in pairs}
        lone.extend(link for is_planned, link in chain if is_planned and link not in paired)
        for lost, link in pairs:
            is_same = _devices(chains.lost[lost]) == _devices(chains.other[link])
            (out.wrong_port if is_same else out.moved).append((lost, link))
    return lone, [link for link in chains.other if link not in taken]


def _by_devices(planned: Listed, found: Listed, lost: IntArray, other: IntArray) -> list[tuple[int, int]]:
    """(planned, found) links between the same devices, of those that share a port first."""
    open_links: dict[tuple[int, int], dict[int, tuple[int, int]]] = {}
    for link, ends in _ends(planned, lost).items():
        open_links.setdefault(_devices(ends), {})[link] = ends
    pairs = []
    for link, ends in _ends(found, other).items():
        own = open_links.get(_devices(ends))
        if own:
            best = min(own, key=lambda planned_link: -len({*own[planned_link]} & {*ends}))
            del own[best]
            pairs.append((best, link))
    return pairs


def _neighbours(chains: _Chains, chain: list[tuple[bool, int]]) -> list[tuple[int, int]]:
    """(planned, found) neighbours of an open chain. One too many leaves out the end whose neighbour has other devices."""
    if len(chain) % 2:
        fits = [_fits(chains, *chain[:2]), _fits(chains, *chain[-2:])] if len(chain) > 1 else [True, True]
        chain = chain[1:] if fits[1] and not fits[0] else chain[:-1]
    halves = zip(chain[::2], chain[1::2], strict=True)
    return [(first[1], second[1]) if first[0] else (second[1], first[1]) for first, second in halves]


def _fits(chains: _Chains, one: tuple[bool, int], other: tuple[bool, int]) -> bool:
    """Whether two neighbours are between the same devices."""
    planned, found = (one[1], other[1]) if one[0] else (other[1], one[1])
    return _devices(chains.lost[planned]) == _devices(chains.other[found])


def _sort_rest(out: Pairing, chains: _Chains, left: tuple[list[int], list[int]], twice: set[int]) -> None:
    """Links outside chains: another pair of ports between the same devices, a port used twice, missing or extra."""
    lone, others = left
    between: dict[tuple[int, int], list[int]] = {}
    for link in reversed(lone):
        between.setdefault(_devices(chains.lost[link]), []).append(link)
    replaced: set[int] = set()
    for link in others:
        ends = chains.other[link]
        if same := between.get(_devices(ends)):
            planned = same.pop()
            replaced.add(planned)
            out.wrong_port.append((planned, link))
        elif ends[0] in twice or ends[1] in twice:
            out.taken.append(link)
        else:
            out.extra.append(link)
    out.missing.extend(link for link in lone if link not in replaced)
