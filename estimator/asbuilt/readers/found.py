"""What a reader hands back: the links of a file as columns over a table of names, and the lines it had to leave out."""

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from estimator.asbuilt.result import DroppedLine
from estimator.errors import UnreadableFile
from estimator.units import IntArray

MAX_LINKS = 8_000_000  # of listings: a dump names a link from both ends
MAX_NAME = 200
MAX_LINE = 20_000
TOO_LONG = "(a line over the length limit)"  # what a reader gets of a longer one
KEPT_DROPS = 100
SWITCH, HOST = "switch", "host"
LANE = " lane "
"""Between a port and the number, from 1, of one of its parts, where a file names a cable's whole plug."""
_HASH = re.compile(r"spec[ _-]?hash\W+([0-9a-f]{8,64})\b", re.I)

REASONS = {
    "no_device": "a side has no device name",
    "no_port": "a side has no port",
    "name_too_long": f"a name is over {MAX_NAME} characters",
    "too_few_cells": "the row ends before its last column",
    "not_a_link": "the line is no link, no device and no remark of this format",
    "link_outside_device": "the link stands before any device",
    "several_ends": "the cable has a different number of ends on its sides",
    "same_port": "both ends are the same port",
    "date_for_port": "a spreadsheet has made a date of a port name such as 1/3; format the column as text",
    "aggregation_node": "the port leads to the switch's own in-network computing, not to a cable",
    "management_port": "the port is a management port",
    "not_connected": "the port has nothing on its far end",
    "no_header": "no row of the sheet names two devices and two ports",
    "unreadable": "the line is over the length limit or has broken quotes",
}


@dataclass(frozen=True)
class FoundLinks:
    """Links of a file. Columns have shape (n_listings,): indices into ``names`` and ``ports``, and the line of each.

    ``both_sides`` says that the format lists a link once at each end. ``rate_gbit_s`` is 0 where the file says none.
    ``adapters`` counts host NICs where the file distinguishes them from hosts.
    """

    format: str
    names: list[str]
    kinds: list[str]
    ports: list[str]
    line: IntArray
    a_device: IntArray
    a_port: IntArray
    b_device: IntArray
    b_port: IntArray
    rate_gbit_s: IntArray
    both_sides: bool = False
    adapters: int | None = None
    drops: tuple[DroppedLine, ...] = ()
    drop_counts: dict[str, int] = field(default_factory=dict)
    spec_hash: str | None = None
    nameless: frozenset[int] = frozenset()  # adapters without a name of their own, each a device
    routers: frozenset[int] = frozenset()  # hosts that lead to another subnet
    cut: tuple[str, ...] = ()  # devices that only others name, in a file that ends early

    def __len__(self) -> int:
        return len(self.line)


class LinkSink:
    """Collects what a reader finds; memory grows with the links and names, not with the file."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.kinds: list[str] = []
        self.ports: list[str] = []
        self.spec_hash: str | None = None
        self.adapters: int | None = None
        self._devices: dict[str, int] = {}
        self._port_of: dict[str, int] = {}
        self._columns = array("q")  # six numbers a listing
        self._drops: list[DroppedLine] = []
        self._drop_counts: Counter[str] = Counter()

    def device(self, name: str, kind: str = "") -> int:
        """Index of a device by its exact name; a kind that becomes known later is kept."""
        index = self._devices.get(name)
        if index is None:
            index = self._devices[name] = len(self.names)
            self.names.append(name)
            self.kinds.append(kind)
        elif kind and not self.kinds[index]:
            self.kinds[index] = kind
        return index

    def port(self, text: str) -> int:
        """Index of a port name."""
        index = self._port_of.get(text)
        if index is None:
            index = self._port_of[text] = len(self.ports)
            self.ports.append(text)
        return index

    def has_port(self, text: str) -> bool:
        """Whether a link already has a port of this name."""
        return text in self._port_of

    def add(self, line: int, a: tuple[str, str, str], b: tuple[str, str, str], rate_gbit_s: int = 0) -> None:
        """A link between two (device, kind, port), unless a side is incomplete."""
        if not (a[0] in self._devices and b[0] in self._devices and a[2] in self._port_of and b[2] in self._port_of):
            for name, _, port in (a, b):
                if not name or not port or len(name) > MAX_NAME or len(port) > MAX_NAME:
                    reason = "no_device" if not name else "no_port" if not port else "name_too_long"
                    return self.drop(line, reason, f"{a[0]} {a[2]} – {b[0]} {b[2]}")
        if a[0] == b[0] and a[2] == b[2]:
            return self.drop(line, "same_port", f"{a[0]} {a[2]}")
        self.add_indices(
            line, self.device(a[0], a[1]), self.port(a[2]), self.device(b[0], b[1]), self.port(b[2]), rate_gbit_s
        )
        return None

    def add_indices(self, line: int, a_device: int, a_port: int, b_device: int, b_port: int, rate: int) -> None:
        """A link by indices that this sink gave."""
        self._columns.extend((line, a_device, a_port, b_device, b_port, rate))
        if len(self._columns) > 6 * MAX_LINKS:
            raise UnreadableFile(
                "too_many_links", f"The file lists more than {MAX_LINKS:,} links. Split it by pod or by tier."
            )

    def drop(self, line: int, reason: str, text: str) -> None:
        """Count a line that gives no link, and keep the first ones to show."""
        self._drop_counts[reason] += 1
        if len(self._drops) < KEPT_DROPS:
            shown = "".join(c if c.isprintable() else " " for c in text).strip()
            text = shown if len(shown) <= 120 else f"{shown[:119]}…"
            self._drops.append(DroppedLine(line=line, code=reason, reason=REASONS[reason], text=text))

    def found(
        self,
        file_format: str,
        both_sides: bool = False,
        nameless: Iterable[int] = (),
        routers: Iterable[int] = (),
        cut: Iterable[str] = (),
    ) -> FoundLinks:
        """Everything collected."""
        columns = np.frombuffer(self._columns, dtype=np.int64).reshape(-1, 6)
        line, a, a_port, b, b_port, rate = (np.ascontiguousarray(columns[:, i]) for i in range(6))
        return FoundLinks(
            file_format,
            self.names,
            self.kinds,
            self.ports,
            line,
            a,
            a_port,
            b,
            b_port,
            rate,
            both_sides,
            self.adapters,
            tuple(self._drops),
            dict(self._drop_counts),
            self.spec_hash,
            frozenset(nameless),
            frozenset(routers),
            tuple(cut),
        )


def stated_hash(text: str) -> str | None:
    """The spec's hash in a remark such as "spec_hash 6a2674541a3db54f, model_version 1.0"."""
    stated = _HASH.search(text)
    return stated[1] if stated else None


def numbered(lines: Iterator[str]) -> Iterator[tuple[int, str]]:
    """(line number from 1, line without its end)."""
    for number, line in enumerate(lines, start=1):
        yield number, line.rstrip("\r\n")
