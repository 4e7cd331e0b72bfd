"""What ``iblinkinfo`` prints: a block for each switch and adapter, a line for each port; or one line a link with ``-l``.

A block's lines name the far end by its LID and description, so that LIDs tell devices apart: those of a block are one
device (iblinkinfo(8) of infiniband-diags). A far end without a block of its own, as with ``--switches-only``, is a host; one
that several adapters list, or one at a higher port than an adapter has, is a switch. Lines without their blocks, as ``grep``
leaves them, differ by their own LIDs. Whatever a terminal, a log or a quotation puts before a line is left out.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from estimator.asbuilt.readers.found import FoundLinks, numbered
from estimator.asbuilt.readers.ibnetdiscover import FOUR_LANES, LANE_GBIT_S, Dump
from estimator.errors import UnreadableFile

_BLOCK = re.compile(r"\s*(CA|Switch|Router)\s*:?\s+(?:0x([0-9a-fA-F]{1,16})[:\s]*)?(.*?):?\s*$")
_PREFIXED_BLOCK = re.compile(r"[\s\]:>|](CA|Switch|Router):\s+(?:0x([0-9a-fA-F]{1,16})[:\s]*)?(\S.*?):?\s*$")
_LINK = re.compile(
    r"(?:0x([0-9a-fA-F]{1,16})\s+)?(?:\"([^\"]{0,200})\"\s+)?(\d{1,6})\s+(\d{1,4})\s*\[[^\]]{0,20}\]\s*==\((.{0,120}?)\)\s*==>\s*"
    r"(?:(?:0x([0-9a-fA-F]{1,16})\s+)?(\d{1,6})\s+(\d{1,4})\s*\[[^\]]{0,20}\]\s*\"([^\"]{0,200})\"|\[[^\]]{0,20}\]|"
    r"\"Port not available\").*"
)
MOST_BEFORE = 400  # characters of a line before its arrow: name, GUID, LID and port
_NO_LINKS = "No line of the file is a link of iblinkinfo, such as 3 1[ ] ==( 4X 53.125 Gbps Active/LinkUp)==> 1 1[ ] …"
_DIFFERENCE = "The file has what differs between two networks (iblinkinfo --diff). Give the report without --diff."
MOST_OF_ADAPTER = 2  # ports: a device with more is a switch
_SPEED = re.compile(r"(?:\b(\d{1,2})\s*X\s+)?(?<![\d.])(\d{1,4}(?:\.\d{1,6})?)\s*Gb(?:ps|/s|it/s)", re.I)
PRINTED_LANES = {2.5: 2.5, 5.0: 5, 10.0: 10, 14.0625: 14, 25.78125: 25, 53.125: 50, 106.25: 100, 212.5: 200}
"""Signalling rate of a lane as iblinkinfo prints it, and what the lane carries. [Gb/s]"""
CLOSE = 0.01  # share by which a printed rate may be rounded


@dataclass(frozen=True)
class _Listing:
    number: int
    here: str
    port: int
    lid: int
    far_port: int
    far_name: str
    far_guid: str | None
    rate_gbit_s: int


def is_iblinkinfo(text: str) -> bool:
    """Whether this is the head of such a file."""
    return "==(" in text and ")==>" in text.replace(" ", "")


def read(lines: Iterator[str]) -> FoundLinks:
    """The links of the file.

    Raises
    ------
    UnreadableFile
        If no line of it is a link, one has a rate that no link has or that may be a lane's or the whole link's, or it is what
        differs between two networks.
    """
    report = _Report()
    for number, line in numbered(lines):
        report.line(number, line)
    return report.found()


class _Report:
    """Blocks and their ports as they are read; LIDs tell at the end whose far ends are."""

    def __init__(self) -> None:
        self.dump = Dump()
        self.owner: dict[int, str] = {}  # LID → device
        self.owners: dict[int, dict[str, None]] = {}  # LID → devices: several where the file has several subnets
        self.listings: list[_Listing] = []
        self.ports: dict[str, dict[int, int]] = {}  # of devices that stand in lines of their own: port → LID
        self.block = ""

    def line(self, number: int, line: str) -> None:
        """One line of the file."""
        at = line.find("==(")
        if at >= 0 and (found := _LINK.search(line, max(at - MOST_BEFORE, 0))):
            if line.startswith("< "):
                raise UnreadableFile("no_links", _DIFFERENCE)
            self._port(number, line, found)
        elif head := _BLOCK.match(line) or _PREFIXED_BLOCK.search(line):
            kind, guid, name = head.groups()
            self.block = guid or f"line{number}"
            self.dump.node(self.block, {"Switch": "S", "CA": "H", "Router": "R"}[kind], name)
        elif line.strip() and not line.lstrip().startswith("#"):
            self.dump.sink.drop(number, "not_a_link", line)

    def _port(self, number: int, line: str, found: re.Match[str]) -> None:
        guid, name, lid, port, speed, far_guid, far_lid, far_port, far_name = found.groups()
        here = self._device(guid, name, int(lid), int(port))
        self.owner[int(lid)] = here
        self.owners.setdefault(int(lid), {})[here] = None
        self.dump.sections.add(self.dump.node(here, "H"))
        if far_lid is None:
            return self.dump.sink.drop(number, "not_connected", line)
        rate = rate_gbit_s(number, speed)
        listing = _Listing(number, here, int(port), int(far_lid), int(far_port), far_name, far_guid, rate)
        self.listings.append(listing)
        return None

    def _device(self, guid: str | None, name: str | None, lid: int, port: int) -> str:
        """Whose port a line is: of its block, or of itself where it names an adapter or stands without a block."""
        if name is None and self.block and not (guid and self.dump.kinds[self.dump.node(self.block, "H")] == "S"):
            return self.block
        own = self.owner.get(lid) or guid or f"lid{lid}"
        self.dump.node(own, "H", (name or "").strip())
        self.ports.setdefault(own, {})[port] = lid
        return own

    def found(self) -> FoundLinks:
        """The links between the devices that the listings name."""
        dump = self.dump
        if not self.listings:
            raise UnreadableFile("no_links", _NO_LINKS)
        for own, ports in self.ports.items():
            if len(ports) > MOST_OF_ADAPTER or max(ports) > MOST_OF_ADAPTER:
                dump.kinds[dump.node(own, "S")] = "S"
        far_of = self._far_ends()
        joined: dict[str, set[str]] = {}  # far ends without a block → who lists them
        for one, far in zip(self.listings, far_of, strict=True):
            if not self._has_lines(one.lid, far):
                joined.setdefault(far, set()).add(one.here)
        for one, far in zip(self.listings, far_of, strict=True):
            if far in joined and (len(joined[far]) > 1 or one.far_port > MOST_OF_ADAPTER):
                dump.kinds[dump.node(far, "S", one.far_name)] = "S"
        for one, far in zip(self.listings, far_of, strict=True):
            here, there = dump.node(one.here, "H"), dump.node(far, "H", one.far_name)
            dump.add(one.number, here, one.port, there, one.far_port, one.rate_gbit_s)
        for own, ports in self.ports.items():
            dump.node(own, "H", f"LID {next(iter(ports.values()))}")  # that nobody names
        dump.join_ports()
        return dump.found("iblinkinfo")

    def _has_lines(self, lid: int, device: str) -> bool:
        return device in self.owners.get(lid, {})

    def _far_ends(self) -> list[str]:
        """The device at the far end of every listing. LIDs are of one subnet: where a file has several, names tell them apart."""
        names: dict[int, set[str]] = {}
        for one in self.listings:
            names.setdefault(one.lid, set()).add(one.far_name)
        is_one_subnet = all(len(own) == 1 for own in self.owners.values()) and all(
            len(own) == 1 for own in names.values()
        )
        return [
            self.owner.get(one.lid) or one.far_guid or f"lid{one.lid}" if is_one_subnet else self._by_name(one)
            for one in self.listings
        ]

    def _by_name(self, one: _Listing) -> str:
        """Of the devices with a LID that which is called as the listing says, beyond them one of its own."""
        dump = self.dump
        for device in self.owners.get(one.lid, {}):
            if dump.descriptions[dump.node(device, "H")] == one.far_name.strip():
                return device
        return one.far_guid or f"lid{one.lid} {one.far_name}"


def rate_gbit_s(line: int, speed: str) -> int:
    """The rate of a link; 0 where none is said.

    The tool prints width and signalling rate of a lane. Reports written by hand have what a lane carries, or the whole link.

    Raises
    ------
    UnreadableFile
        If it is no rate of a lane or link, or may be either.
    """
    found = _SPEED.search(speed)
    if not found:
        return 0
    width, value = int(found[1] or 0), float(found[2])
    lanes = set(LANE_GBIT_S.values())
    if width and (printed := _close(value, PRINTED_LANES)) is not None:
        return round(width * PRINTED_LANES[printed])
    by_lane = _close(value, lanes) if width else None
    whole = _close(value, {(width or FOUR_LANES) * lane for lane in lanes})
    if by_lane is not None and whole is None:
        return round(width * by_lane)
    if by_lane is None and whole is not None:
        return round(whole)
    rate = found[0].strip()
    if by_lane is None:
        why = f"no link of {width or FOUR_LANES} lanes has it"
    else:
        why = f"that may be {width * by_lane:g} Gb/s, of a lane, or {whole:g} Gb/s, of the whole link"
    message = (
        f"Line {line} has a link of {rate!r}: {why}. Give the report as iblinkinfo prints it, with a lane's signalling rate such "
        "as 4X 106.25 Gbps, or a dump of ibnetdiscover."
    )
    raise UnreadableFile("unknown_rate", message)


def _close(value: float, usual: Iterable[float]) -> float | None:
    """The one of ``usual`` that a printed value is, but for rounding."""
    return next((one for one in usual if abs(one - value) <= CLOSE * one), None)
