"""What ``iblinkinfo`` prints: a block for each switch and adapter, a line for each port; or one line a link with ``-l``.

A block's lines name the far end by its LID and description, so that LIDs tell devices apart: those of a block are one
device (iblinkinfo(8) of infiniband-diags). A far end without a block of its own, as with ``--switches-only``, is a host; one
that several adapters list, or one at a higher port than an adapter has, is a switch.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from estimator.asbuilt.readers.found import FoundLinks, numbered
from estimator.asbuilt.readers.ibnetdiscover import LANE_GBIT_S, Dump
from estimator.errors import UnreadableFile

_BLOCK = re.compile(r"\s*(CA|Switch|Router)\s*:?\s+(?:0x([0-9a-fA-F]{1,16})[:\s]*)?(.*?):?\s*$")
_LINK = re.compile(
    r"\s*(?:0x([0-9a-fA-F]{1,16})\s+)?(?:\"([^\"]{0,200})\"\s+)?(\d{1,6})\s+(\d{1,4})\s*\[[^\]]{0,20}\]\s*==\((.{0,120}?)\)\s*==>\s*"
    r"(?:(?:0x([0-9a-fA-F]{1,16})\s+)?(\d{1,6})\s+(\d{1,4})\s*\[[^\]]{0,20}\]\s*\"([^\"]{0,200})\"|\[[^\]]{0,20}\]).*"
)
MOST_OF_ADAPTER = 2  # ports: a device with more is a switch
_SPEED = re.compile(r"(?:\b(\d{1,2})\s*X\s+)?(?<![\d.])(\d{1,4}(?:\.\d{1,6})?)\s*Gb(?:ps|/s|it/s)", re.I)
PRINTED_LANES = {2.5: 2.5, 5.0: 5, 10.0: 10, 14.0625: 14, 25.78125: 25, 53.125: 50, 106.25: 100, 212.5: 200}
"""Signalling rate of a lane as iblinkinfo prints it, and what the lane carries. [Gb/s]"""
CLOSE = 0.01  # share by which a printed rate may be rounded
FOUR_LANES = 4  # of a link whose width is not said


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
        If no line of it is a link, or one has a rate that no link has or that may be a lane's or the whole link's.
    """
    dump = Dump()
    owner: dict[int, str] = {}  # LID → device
    listings: list[_Listing] = []
    ports: dict[str, set[str]] = {}  # of devices that stand in lines of their own
    block = ""
    for number, line in numbered(lines):
        if found := _LINK.match(line):
            guid, name, lid, port, speed, far_guid, far_lid, far_port, far_name = found.groups()
            if name is not None and guid:  # one line a link: both ends are whole
                block = guid
                dump.node(guid, "H", name.strip())
                ports.setdefault(guid, set()).add(port)
            if not block:
                dump.sink.drop(number, "link_outside_device", line)
                continue
            owner[int(lid)] = block
            if far_lid is None:
                dump.sink.drop(number, "not_connected", line)
                continue
            rate = rate_gbit_s(number, speed)
            listings.append(_Listing(number, block, int(port), int(far_lid), int(far_port), far_name, far_guid, rate))
        elif head := _BLOCK.match(line):
            kind, guid, name = head.groups()
            block = guid or f"line{number}"
            dump.node(block, "S" if kind == "Switch" else "H", name)
        elif line.strip() and not line.lstrip().startswith("#"):
            dump.sink.drop(number, "not_a_link", line)
    for guid, own in ports.items():
        if len(own) > MOST_OF_ADAPTER:
            dump.kinds[dump.node(guid, "S")] = "S"
    joined: dict[int, set[str]] = {}  # far ends without a block → who lists them
    for one in listings:
        if one.lid not in owner:
            joined.setdefault(one.lid, set()).add(one.here)
    for one in listings:
        is_switch = one.lid not in owner and (len(joined[one.lid]) > 1 or one.far_port > MOST_OF_ADAPTER)
        if is_switch and dump.kinds[dump.node(one.here, "H")] == "H":
            far = one.far_guid or f"lid{one.lid}"
            dump.kinds[dump.node(far, "S", one.far_name)] = "S"
    for one in listings:
        far = owner.get(one.lid) or one.far_guid or f"lid{one.lid}"
        here, there = dump.node(one.here, "H"), dump.node(far, "H", one.far_name)
        dump.add(one.number, here, one.port, there, one.far_port, one.rate_gbit_s)
    if not listings:
        message = (
            "No line of the file is a link of iblinkinfo, such as 3 1[ ] ==( 4X 53.125 Gbps Active/LinkUp)==> 1 1[ ] …"
        )
        raise UnreadableFile("no_links", message)
    return dump.found("iblinkinfo")


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
