"""Which device of a file is which device of the design where neither names nor ports tell: by who is joined to whom.

One device is taken for another of the same tier to begin with; the neighbours of devices that are known then say what
theirs may be, with as many votes as links lead there, and more where a server's port is the same. Of pairs with as many votes
the one whose numbers of links differ least comes first, then the order of names: devices that nothing tells apart are
interchangeable.
"""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from estimator.asbuilt.devices import NO_DEVICE, DeviceMatch, Side
from estimator.asbuilt.ports import natural_key
from estimator.units import IntArray

BY_WIRING = "wiring"
MAX_ENDS = 200_000  # of a file: beyond it a map of names is requested
LEAST_SHARE = 0.5  # of a device's links that must lead to the right devices, or it is another one
_SAME_PORT = 2


def match_wiring(match: DeviceMatch, planned: Side, found: Side, names: Sequence[str]) -> None:
    """Match devices that names and ports left over, in place."""
    if len(found.device) > MAX_ENDS or not (match.design < 0).any():
        return
    search = _Wiring(match, planned, found, names)
    while search.vote() or search.begin():
        pass
    search.drop_doubtful()


class _Wiring:
    def __init__(self, match: DeviceMatch, planned: Side, found: Side, names: Sequence[str]) -> None:
        self.match = match
        self.tiers = (_tiers(planned), _tiers(found))
        self.neighbours = (_neighbours_of(planned), _neighbours_of(found))
        self.degrees = (_degrees(planned, self.tiers[0]), _degrees(found, self.tiers[1]))
        order = sorted(range(len(names)), key=lambda i: natural_key(names[i]))
        self.rank = {device: place for place, device in enumerate(order)}
        self.target = np.full(planned.n_devices, NO_DEVICE, dtype=np.int64)
        known = np.flatnonzero(match.design >= 0)
        self.target[match.design[known]] = known
        self.mine: set[int] = set()
        self.votes: defaultdict[tuple[int, int], int] = defaultdict(int)
        for device in known.tolist():
            self._call(device)

    def _take(self, device: int, target: int) -> None:
        self.match.design[device], self.match.how[device] = target, BY_WIRING
        self.target[target] = device
        self.mine.add(device)
        self._call(device)

    def _call(self, device: int) -> None:
        """The votes of a device that is known for what its neighbours are; of a server's ports each for its own neighbour."""
        theirs = self.neighbours[0][int(self.match.design[device])]
        is_host = self.tiers[1][device] == 0
        for far, ports in self.neighbours[1][device].items():
            if self.match.design[far] >= 0:
                continue
            for other, other_ports in theirs.items():
                if self.target[other] < 0 and self.tiers[0][other] == self.tiers[1][far]:
                    same = _SAME_PORT if is_host and not ports.isdisjoint(other_ports) else 0
                    self.votes[far, other] += min(len(ports), len(other_ports)) + same

    def vote(self) -> bool:
        """Take the pairs with most votes; False where there are none."""
        open_votes = [
            (pair, n) for pair, n in self.votes.items() if self.match.design[pair[0]] < 0 and self.target[pair[1]] < 0
        ]
        if not open_votes:
            return False
        ordered = sorted(open_votes, key=lambda item: self._key(*item))
        most = ordered[0][1]
        tier = self.tiers[1][ordered[0][0][0]]
        for (device, target), n in ordered:
            is_open = self.match.design[device] < 0 and self.target[target] < 0
            if is_open and n == most and self.tiers[1][device] == tier:
                self._take(device, target)
        self.votes = defaultdict(int, {pair: self.votes[pair] for pair, _ in open_votes})
        return True

    def _key(self, pair: tuple[int, int], n: int) -> tuple[int, int, int, int]:
        device, target = pair
        return -n, self._unlike(device, target), self.rank[device], target

    def _unlike(self, device: int, target: int) -> int:
        """By how many links to each tier two devices differ."""
        return int(np.abs(self.degrees[1][device] - self.degrees[0][target]).sum())

    def begin(self) -> bool:
        """Take one device where no known one has neighbours left: a server, else a switch, of a sort common to both sides."""
        kinds = [self._open_by_sort(0), self._open_by_sort(1)]
        both = [sort for sort in kinds[1] if sort in kinds[0]]
        if not both:
            return False
        sort = min(both, key=lambda sort: (sort[0], -len(kinds[1][sort]), sort))
        self._take(min(kinds[1][sort], key=lambda device: self.rank[device]), kinds[0][sort][0])
        return True

    def _open_by_sort(self, side: int) -> dict[tuple[int, ...], list[int]]:
        """Devices that are not known, by tier and links to each tier."""
        known = self.match.design if side else self.target
        out: dict[tuple[int, ...], list[int]] = {}
        for device in np.flatnonzero(known < 0).tolist():
            if self.neighbours[side][device]:
                sort = (int(self.tiers[side][device]), *self.degrees[side][device].tolist())
                out.setdefault(sort, []).append(device)
        return out

    def drop_doubtful(self) -> None:
        """Take back what was matched here where too few links lead to the right devices."""
        design = self.match.design
        wrong = [device for device in self.mine if self._share(device) < LEAST_SHARE]
        for device in wrong:
            design[device], self.match.how[device] = NO_DEVICE, ""
        self.match.alike |= {device for device in self.mine.difference(wrong) if self._has_twin(device)}

    def _share(self, device: int) -> float:
        """The part of a device's links, in the file or in the design, that lead to the right device."""
        here = {int(self.match.design[far]): len(ports) for far, ports in self.neighbours[1][device].items()}
        there = {far: len(ports) for far, ports in self.neighbours[0][int(self.match.design[device])].items()}
        right = sum(min(n, there.get(far, 0)) for far, n in here.items())
        return right / max(sum(here.values()), sum(there.values()), 1)

    def _has_twin(self, device: int) -> bool:
        """Whether another device of the file has the same neighbours, by ports of as many links."""
        mine = self.neighbours[1][device]
        first = next(iter(mine))
        return any(
            other != device and self.neighbours[1][other].keys() == mine.keys() for other in self.neighbours[1][first]
        )


def _tiers(side: Side) -> IntArray:
    """0 for hosts, 1 for the switches that they are on, and so on; -1 where nothing leads to."""
    tier = np.where(side.is_host == 1, 0, -1)
    level = 0
    while (tier == level).any():
        near = np.zeros(side.n_devices, dtype=bool)
        near[side.far[tier[side.device] == level]] = True
        level += 1
        tier[near & (tier < 0)] = level
    return tier


def _degrees(side: Side, tier: IntArray) -> IntArray:
    """Links of each device to each of the first four tiers."""
    out = np.zeros((side.n_devices, 4), dtype=np.int64)
    inside = (tier[side.far] >= 0) & (tier[side.far] < 4)
    np.add.at(out, (side.device[inside], tier[side.far[inside]]), 1)
    return out


def _neighbours_of(side: Side) -> list[dict[int, set[int]]]:
    """The neighbours of every device, each with the device's own ports to it."""
    out: list[dict[int, set[int]]] = [{} for _ in range(side.n_devices)]
    for device, port, far in zip(side.device.tolist(), side.port.tolist(), side.far.tolist(), strict=True):
        out[device].setdefault(far, set()).add(port)
    return out
