"""Port names of a file → ports of the design, whatever platform wrote them: 1/3/1, 5, P5, swp3s0, Ethernet32, mlx5_4.

A name alone can be ambiguous: "1/2" is port 2 of slot 1, port 2 of cage 1, or lane 2 of port 1. A file writes all ports
of one kind of device in one style, so every style is tried on all of them, and the one that puts most links between the
devices that the design has there is taken.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from estimator.digits import is_whole_number
from estimator.units import IntArray

LANE_BITS = 4  # lane 0 is the whole port; a port splits into eight at most
DEVICE_BITS = 32
UNREAD = 1 << (DEVICE_BITS - 1)  # a name that no style reads stays itself, distinguished by its index
ADAPTER_ORDER = "NICs in order"
ADAPTERS_FROM_ONE = "NIC numbers from 1"
ADAPTER_PORT = re.compile(
    r"(?:mlx\d|hca|hfi|ib\d|ibp|ibs|bnxt|ens\d|enp\d|eno\d|em\d|p\d{1,2}p\d|nic|gpu|rdma|roce|cx\d|bond\d|eth\d{1,3}(?:np\d)?$)",
    re.I,
)
MAC_ADDRESS = re.compile(r"(?:[0-9a-f]{2}[:.-]){5}[0-9a-f]{2}|(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}", re.I)
_DIGITS = re.compile(r"\d+")
_ADAPTER = re.compile(r"(?:mlx\d+_|hca[- ]?|hfi\d+_|p)(\d+)$")
_PART = re.compile(r"(.+)lane(\d{1,2})")  # found.LANE, tidied
_FIRST_PORT = re.compile(r"(?<=\w)/p?1$")
Numbers = tuple[int, ...]
PortLane = tuple[int, int]


@dataclass(frozen=True)
class PortBook:
    """How one kind of device prints its ports, and how they are arranged.

    ``printed`` maps every label to (port, lane); ``used`` are the local codes that the design cables.
    """

    printed: dict[str, PortLane]
    used: frozenset[int]
    ports: int
    ports_a_cage: int = 1
    lanes: int = 1
    is_host: bool = False
    cages: Mapping[str, int] = field(default_factory=dict)  # label of an unsplit cage → its first port

    @cached_property
    def adapters(self) -> dict[int, PortLane]:
        """Ports by the number in their NIC's name: 3 for mlx5_3."""
        named = ((_ADAPTER.match(label), place) for label, place in self.printed.items())
        return {int(match[1]): place for match, place in named if match}


Style = Callable[[PortBook, Numbers], PortLane | None]


def local_code(port: Any, lane: Any = 0) -> Any:
    """Port and lane of a device as one number; integers or int64 arrays."""
    return port << LANE_BITS | lane


def tidy(text: str) -> str:
    """A port name as it is compared: no case, no spaces, and a NIC's first port is the NIC."""
    text = text.lower().replace(" ", "")
    return _FIRST_PORT.sub("", text) if text.startswith(("mlx", "hca", "hfi", "ib")) else text


def _port(book: PortBook, numbers: Numbers) -> PortLane | None:
    """5, and of a split port 5/1."""
    if not numbers or not numbers[0] or len(numbers) > 2:
        return None
    return _lane(book, numbers[0] - 1, numbers[1:])


def _cage_and_port(book: PortBook, numbers: Numbers) -> PortLane | None:
    """3/1, and of a split port 3/1/2."""
    if len(numbers) not in (2, 3) or not numbers[0] or not 1 <= numbers[1] <= book.ports_a_cage:
        return None
    return _lane(book, (numbers[0] - 1) * book.ports_a_cage + numbers[1] - 1, numbers[2:])


def _lane(book: PortBook, port: int, lane: Numbers) -> PortLane | None:
    if not lane:
        return port, 0
    return (port, lane[0]) if 1 <= lane[0] <= book.lanes and book.lanes > 1 else None


def _in_slot_one(read: Style) -> Style:
    """The same with slot 1 before it: 1/5, 1/3/1."""
    return lambda book, numbers: read(book, numbers[1:]) if numbers[:1] == (1,) else None


def _cage_from_zero(book: PortBook, numbers: Numbers) -> PortLane | None:
    """swp3s1: the second part of cage 3; swp3: all of it."""
    if len(numbers) == 1 and book.ports_a_cage == 1:
        return numbers[0] - 1, 0
    if len(numbers) != 2 or not numbers[0] or numbers[1] >= book.ports_a_cage * book.lanes:
        return None
    port = (numbers[0] - 1) * book.ports_a_cage + numbers[1] // book.lanes
    return port, numbers[1] % book.lanes + 1 if book.lanes > 1 else 0


def _halves(book: PortBook, numbers: Numbers) -> PortLane | None:
    """Two numbers a port, as the subnet manager counts the ports of a switch in split mode."""
    return ((numbers[0] - 1) // 2, (numbers[0] - 1) % 2 + 1) if len(numbers) == 1 and numbers[0] else None


def _stepped(step: int) -> Style:
    def read(book: PortBook, numbers: Numbers) -> PortLane | None:
        if len(numbers) != 1 or numbers[0] % step:
            return None
        return numbers[0] // step, 0

    return read


STYLES: dict[str, Style] = {
    "numbers from 1": _port,
    "slot/port": _in_slot_one(_port),
    "cage/port": _cage_and_port,
    "slot/cage/port": _in_slot_one(_cage_and_port),
    "cage, parts from 0": _cage_from_zero,
    "two numbers a port": _halves,
    "numbers from 0": _stepped(1),
    "numbers from 0, step 2": _stepped(2),
    "numbers from 0, step 4": _stepped(4),
    "numbers from 0, step 8": _stepped(8),
}
PRINTED = "as printed"
HOST_STYLES = (PRINTED, ADAPTERS_FROM_ONE, "numbers from 1", "numbers from 0", ADAPTER_ORDER)
SWITCH_STYLES = (PRINTED, *STYLES)


def styles_of(book: PortBook) -> tuple[str, ...]:
    """The styles to try on a kind of device, the likeliest first."""
    return HOST_STYLES if book.is_host else SWITCH_STYLES


def read_ports(book: PortBook, style: str, texts: list[str]) -> IntArray:
    """Local code of every text in one style; a text that the style does not read keeps its own code."""
    codes = np.arange(len(texts), dtype=np.int64) | UNREAD
    for index, text in enumerate(texts):
        place = _place(book, style, tidy(text))
        if place is None or not 0 <= place[0] < book.ports:
            continue
        code = local_code(*place)
        if code not in book.used and place[1] == 1 and local_code(place[0]) in book.used:
            code = local_code(place[0])  # lane 1 of a port that the design leaves whole
        codes[index] = code
    return codes


def _place(book: PortBook, style: str, text: str) -> PortLane | None:
    if (part := _PART.fullmatch(text)) is not None:
        return _part(book, style, part[1], int(part[2]))
    if style == PRINTED:
        return book.printed.get(text)
    if style == ADAPTERS_FROM_ONE:  # as the Cable Validation Tool counts: 4 is mlx5_3
        return book.adapters.get(int(text) - 1) if is_whole_number(text, 6) else None
    adapter = _ADAPTER.match(text) if book.is_host else None
    numbers = (int(adapter[1]),) if adapter else tuple(int(digits) for digits in _DIGITS.findall(text[:40]))
    if any(number > 1_000_000 for number in numbers):
        return None
    return STYLES[style](book, numbers)


def _part(book: PortBook, style: str, whole: str, part: int) -> PortLane | None:
    """Part number ``part`` (from 1) of a port that is split, or of a cage of several such ports."""
    if style == PRINTED and whole not in book.printed and whole in book.cages:
        return book.cages[whole] + (part - 1) // book.lanes, (part - 1) % book.lanes + 1 if book.lanes > 1 else 0
    place = _place(book, style, whole)
    return (place[0], part) if place and not place[1] else None


def natural_key(text: str) -> list[tuple[int, int, str]]:
    """Sorts mlx5_2 before mlx5_10."""
    parts = re.split(r"(\d+)", text.lower())
    return [(1, int(part), "") if part.isdecimal() else (0, 0, part) for part in parts]


def adapter_order(device: IntArray, port: IntArray, texts: list[str]) -> IntArray:
    """Local codes of (device, port) pairs by the natural order of the ports that devices show.

    A name has the place that it has on most devices, so that one NIC too few or too many moves no other.

    Parameters
    ----------
    device, port : int arrays, shape (n_ends,)
        Index of the device, and of the port's text in ``texts``.
    """
    n_texts = max(len(texts), 1)
    by_name = np.array(sorted(range(len(texts)), key=lambda index: natural_key(texts[index])), dtype=np.int64)
    rank = np.empty(len(texts), dtype=np.int64)
    rank[by_name] = np.arange(len(texts))
    pairs = np.unique(device * n_texts + rank[port])
    owner, text = pairs // n_texts, by_name[pairs % n_texts]
    place = np.arange(len(pairs)) - np.searchsorted(owner, owner)
    votes, times = np.unique(text * (int(place.max(initial=0)) + 1) + place, return_counts=True)
    voted_text, voted_place = np.divmod(votes, int(place.max(initial=0)) + 1)
    usual = np.zeros(len(texts), dtype=np.int64)
    order = np.lexsort((-voted_place, times))  # the last of a text wins: most devices, then the lower place
    usual[voted_text[order]] = voted_place[order]
    return usual[port] << LANE_BITS
