"""Which device of a file is which device of the design: by a map of names, by name, else by how it is cabled.

Names that differ in case, domain, leading zeros or separators are the same where no two devices would be confused. What
is left is identified by structure: devices get colours from their ports and from their neighbours' colours, a colour that is
unique on both sides is a match, and every match tells its neighbours through the ports between them. Devices that look
quite alike (planes, say) are taken in the order of their names.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from estimator.asbuilt.ports import DEVICE_BITS, natural_key
from estimator.digits import is_whole_number
from estimator.units import IntArray

NO_DEVICE = -1
BY_MAP, BY_NAME, BY_LIKE_NAME, BY_STRUCTURE, BY_ORDER = "map", "name", "like-name", "structure", "order"
MAX_ROUNDS = 400
MAX_PICKS = 16  # among devices that look alike: more than a design has planes
MAX_COMPARED = 64  # devices of the design that share an end, beyond which it tells none of them apart
LEAST_ENDS = 3  # that a device must have in common with one device more than with any other
LEAST_OF_FILE, LEAST_OF_DESIGN = 0.5, 0.25  # of a device's links that must fit, or it is another one
COLOUR_ROUNDS = 6
SETTLING_ROUNDS = 4
Hashes = npt.NDArray[np.uint64]
BoolArray = npt.NDArray[np.bool_]
_NUMBER = re.compile(r"0*(\d+)")
_LOW_BITS = (1 << DEVICE_BITS) - 1


@dataclass
class DeviceMatch:
    """``design`` has the design's device of each device of the file, NO_DEVICE where none is; ``how`` is one of BY_…."""

    design: IntArray
    how: list[str]
    alike: set[int] = field(default_factory=set)

    def counts(self) -> dict[str, int]:
        """Devices by the way they were identified."""
        return dict(Counter(how for how in self.how if how))


def match_names(planned: list[str], found: list[str], mapping: Mapping[str, str]) -> DeviceMatch:
    """Devices by the map (name in the file → name in the design), then by name, then by a name that is alike."""
    index = {name: i for i, name in enumerate(planned)}
    out = DeviceMatch(np.full(len(found), NO_DEVICE, dtype=np.int64), [""] * len(found))
    taken: set[int] = set()

    def take(device: int, target: int | None, how: str) -> None:
        if target is not None and target not in taken and not out.how[device]:
            out.design[device], out.how[device] = target, how
            taken.add(target)

    for device, name in enumerate(found):
        if name in mapping:
            take(device, index.get(mapping[name]), BY_MAP)
    for device, name in enumerate(found):
        take(device, index.get(name), BY_NAME)
    if len(taken) == len(planned) or all(out.how):
        return out
    like = _unique({i: like_name(planned[i]) for i in range(len(planned)) if i not in taken})
    for name, device in _unique({i: like_name(found[i]) for i in range(len(found)) if not out.how[i]}).items():
        take(device, like.get(name), BY_LIKE_NAME)
    return out


def like_name(name: str) -> str:
    """A name without case, domain, separators and leading zeros: Leaf_R1-1.dc.example → leafr1-1."""
    name = name.lower().strip()
    if not is_whole_number(name.replace(".", ""), len(name)):
        name = name.split(".", 1)[0]
    words = re.findall(r"[a-z]+|\d+", name)
    return " ".join(_NUMBER.sub(r"\1", word) for word in words)


def _unique(names: Mapping[int, str]) -> dict[str, int]:
    often = Counter(names.values())
    return {name: index for index, name in names.items() if often[name] == 1}


@dataclass(frozen=True)
class Side:
    """The ends of one side, design or file; columns of shape (n_ends,), every link from both its ends.

    ``device`` and ``far`` are device indices, ``port`` and ``far_port`` local codes of ports. ``is_host`` is a kind by
    device: 1 host, 0 switch, -1 unknown.
    """

    n_devices: int
    device: IntArray
    port: IntArray
    far: IntArray
    far_port: IntArray
    is_host: IntArray


def side_of(low: IntArray, high: IntArray, is_host: IntArray) -> Side:
    """The ends of links given as pairs of codes."""
    a, b = np.concatenate([low, high]), np.concatenate([high, low])
    return Side(len(is_host), a >> DEVICE_BITS, a & _LOW_BITS, b >> DEVICE_BITS, b & _LOW_BITS, is_host)


def match_structure(match: DeviceMatch, planned: Side, found: Side, names: list[str]) -> None:
    """Match devices that names left over, in place; gives up where nothing tells any two devices apart or together."""
    search = _Search(match, planned, found, names)
    for _ in range(MAX_ROUNDS):
        if not search.is_open() or not any(step() for step in search.steps):
            break
    for _ in range(SETTLING_ROUNDS):
        if not search.settle():
            break
    search.drop_doubtful()


class _Search:
    def __init__(self, match: DeviceMatch, planned: Side, found: Side, names: list[str]) -> None:
        self.match, self.planned, self.found, self.names = match, planned, found, names
        self.target = np.full(planned.n_devices, NO_DEVICE, dtype=np.int64)  # design's device → the file's
        known = np.flatnonzero(match.design >= 0)
        self.target[match.design[known]] = known
        order = np.lexsort((planned.port, planned.device))
        self._end = (planned.device[order] << DEVICE_BITS) | planned.port[order]
        self._end_far, self._end_far_port = planned.far[order], planned.far_port[order]
        self._colours_done = 0
        self._ends_done = False
        self._picks = 0

    @property
    def steps(self) -> tuple[Callable[[], bool], ...]:
        """Ways to match one device more, the surest first."""
        return self.by_colour, self.by_neighbours, self.by_ends, self.by_order

    def is_open(self) -> bool:
        return bool((self.match.design < 0).any() and (self.target < 0).any())

    def _take(self, device: int, target: int, how: str) -> bool:
        hosts = int(self.found.is_host[device]), int(self.planned.is_host[target])
        if self.match.design[device] >= 0 or self.target[target] >= 0 or (hosts[0] >= 0 and hosts[0] != hosts[1]):
            return False
        self.match.design[device], self.match.how[device] = target, how
        self.target[target] = device
        return True

    def by_neighbours(self) -> bool:
        """Every end on a matched device says which device the design has there; the far port decides between equals."""
        taken = False
        for device, target in self._reported(self.match.design < 0, self.target < 0):
            taken |= self._take(device, target, BY_STRUCTURE)
        return taken

    def settle(self) -> bool:
        """Ask all neighbours again about devices identified by structure: early answers had few of them. True if any moved."""
        by_structure = np.array([how in (BY_STRUCTURE, BY_ORDER) for how in self.match.how])
        movable = np.zeros(self.planned.n_devices, dtype=bool)
        movable[self.match.design[by_structure & (self.match.design >= 0)]] = True
        reported = self._reported(by_structure, movable | (self.target < 0))
        before = self.match.design.copy()
        self.match.design[by_structure] = NO_DEVICE
        self.target[movable] = NO_DEVICE
        for device, target in reported:
            self._take(device, target, self.match.how[device])
        for device in np.flatnonzero(by_structure & (self.match.design < 0)).tolist():
            if self.target[before[device]] < 0:
                self._take(device, int(before[device]), self.match.how[device])
        return bool((before != self.match.design).any())

    def drop_doubtful(self) -> None:
        """Take back what structure matched where too few links fit: a stranger on one port of an absent device is not it."""
        found, design = self.found, self.match.design
        ends = np.flatnonzero((design[found.device] >= 0) & (design[found.far] >= 0))
        code = (design[found.device[ends]] << DEVICE_BITS) | found.port[ends]
        place = np.minimum(np.searchsorted(self._end, code), len(self._end) - 1)
        right = (self._end[place] == code) & (self._end_far[place] == design[found.far[ends]])
        fits = np.bincount(found.device[ends[right]], minlength=found.n_devices)
        shown = np.bincount(found.device, minlength=found.n_devices)
        planned = np.bincount(self.planned.device, minlength=self.planned.n_devices)
        for device, how in enumerate(self.match.how):
            if how in (BY_STRUCTURE, BY_ORDER) and (
                fits[device] < LEAST_OF_FILE * shown[device] or fits[device] < LEAST_OF_DESIGN * planned[design[device]]
            ):
                self.target[design[device]] = NO_DEVICE
                design[device], self.match.how[device] = NO_DEVICE, ""
                self.match.alike.discard(device)

    def _reported(self, open_found: BoolArray, open_planned: BoolArray) -> list[tuple[int, int]]:
        """(device of the file, device of the design) as matched neighbours have it, those that most agree on first."""
        found, design = self.found, self.match.design
        ends = np.flatnonzero((design[found.device] >= 0) & open_found[found.far])
        code = (design[found.device[ends]] << DEVICE_BITS) | found.port[ends]
        place = np.minimum(np.searchsorted(self._end, code), len(self._end) - 1)
        is_planned = (self._end[place] == code) & open_planned[self._end_far[place]]
        ends, place = ends[is_planned], place[is_planned]
        pairs, inverse = np.unique(found.far[ends] * self.planned.n_devices + self._end_far[place], return_inverse=True)
        weight = 1 + 3 * (self._end_far_port[place] == found.far_port[ends])
        total = np.bincount(inverse.ravel(), weights=weight, minlength=len(pairs))
        best = pairs[np.lexsort((pairs, -total))].tolist()
        return [divmod(pair, self.planned.n_devices) for pair in best]

    def by_colour(self) -> bool:
        """Devices whose colour no other device of their side has; once, and again after neighbours can say no more."""
        if self._colours_done:
            return False
        self._colours_done += 1
        taken = False
        for mine, theirs in self._colours():
            ours = {c: i for c, i in _singles(theirs).items() if self.target[i] < 0}
            for colour, device in _singles(mine).items():
                if colour in ours:
                    taken |= self._take(device, ours[colour], BY_STRUCTURE)
            if taken:
                break
        return taken

    def by_ends(self) -> bool:
        """Devices that have most of their rarer ends, port with far port, in common with one device and few with any other."""
        if self._ends_done:
            return False
        self._ends_done = True
        planned = self.planned
        owners: dict[tuple[int, int], list[int]] = {}
        for port, far_port, device in zip(
            planned.port.tolist(), planned.far_port.tolist(), planned.device.tolist(), strict=True
        ):
            owners.setdefault((port, far_port), []).append(device)
        votes: dict[int, Counter[int]] = {}
        found = self.found
        for port, far_port, device in zip(
            found.port.tolist(), found.far_port.tolist(), found.device.tolist(), strict=True
        ):
            who = owners.get((port, far_port), ())
            if self.match.design[device] < 0 and len(who) <= MAX_COMPARED:
                votes.setdefault(device, Counter()).update(target for target in who if self.target[target] < 0)
        taken = False
        for device, counted in votes.items():
            (target, most), *rest = counted.most_common(2) or [(0, 0)]
            if most >= LEAST_ENDS + (rest[0][1] if rest else 0):
                taken |= self._take(device, target, BY_STRUCTURE)
        return taken

    def by_order(self) -> bool:
        """The first by name of the smallest class of devices that look alike; its neighbours then tell the others.

        Where faults leave no class that both sides have, devices are looked at from less far.
        """
        if self._picks == MAX_PICKS:
            return False
        self._picks += 1
        return any(self._pick(mine, theirs) for mine, theirs in reversed(self._colours()))

    def _pick(self, mine: Hashes, theirs: Hashes) -> bool:
        open_found, open_planned = np.flatnonzero(self.match.design < 0), np.flatnonzero(self.target < 0)
        ours: dict[int, list[int]] = {}
        for device in open_planned.tolist():
            ours.setdefault(int(theirs[device]), []).append(device)
        classes: dict[int, list[int]] = {}
        for device in open_found.tolist():
            if int(mine[device]) in ours:
                classes.setdefault(int(mine[device]), []).append(device)
        for colour in sorted(classes, key=lambda c: (len(classes[c]), classes[c][0])):
            device = min(classes[colour], key=lambda i: natural_key(self.names[i]))
            if self._take(device, ours[colour][0], BY_ORDER):
                self.match.alike.add(device)
                return True
        return False

    def _colours(self) -> list[tuple[Hashes, Hashes]]:
        """Colours of the file's and of the design's devices after each round; matched devices have one of their own."""
        mine = _first_colours(self.found.n_devices, np.flatnonzero(self.match.design >= 0), self.match.design)
        matched = np.flatnonzero(self.target >= 0)
        theirs = _first_colours(self.planned.n_devices, matched, np.arange(self.planned.n_devices))
        rounds = []
        for _ in range(COLOUR_ROUNDS):
            mine, theirs = _refine(mine, self.found), _refine(theirs, self.planned)
            rounds.append((mine, theirs))
        return rounds


def _mix(values: Hashes) -> Hashes:
    """A hash of 64 bits, the finalizer of SplitMix64."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _first_colours(n_devices: int, matched: IntArray, design: IntArray) -> Hashes:
    colours = np.zeros(n_devices, dtype=np.uint64)
    colours[matched] = _mix(design[matched].astype(np.uint64) + np.uint64(1 << 40))
    return colours


def _refine(colours: Hashes, side: Side) -> Hashes:
    """One round: a device's colour is its own and the sum over its ends of (port, far port, far colour), hashed."""
    ports = (side.port.astype(np.uint64) << np.uint64(DEVICE_BITS)) | side.far_port.astype(np.uint64)
    ends = _mix(_mix(ports + np.uint64(0x9E3779B97F4A7C15)) ^ colours[side.far])
    total = np.zeros(side.n_devices, dtype=np.uint64)
    np.add.at(total, side.device, ends)
    return _mix(total ^ (colours * np.uint64(3)))


def _singles(colours: Hashes) -> dict[int, int]:
    """Colour → device, of colours that one device has."""
    values, first, times = np.unique(colours, return_index=True, return_counts=True)
    return dict(zip(values[times == 1].tolist(), first[times == 1].tolist(), strict=True))
