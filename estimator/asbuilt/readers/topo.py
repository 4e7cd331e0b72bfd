"""``.topo`` files as ibdiagnet writes them and ibdm and UFM's Cable Validation Tool read them.

A section begins with "SYSTEM-TYPE NAME"; each further line is "PORT -4x-50G-> TYPE NAME PORT", or a bare "->" in the
older form (ibdm-topo-file(1); NVIDIA UFM Cable Validation Tool 1.5, "Topo File"). A link may stand at both ends.
"""

import re
from collections.abc import Iterator

from estimator.asbuilt.readers.found import HOST, SWITCH, FoundLinks, LinkSink, numbered, stated_hash
from estimator.errors import UnreadableFile

_WORD = r'("[^"]*"|\S+)'
_LINK = re.compile(
    rf"\s*(\S+)\s+(?:-(\d{{1,2}})x-(\d{{1,4}}(?:\.\d{{1,4}})?)G?-?>|-?->)\s+{_WORD}\s+{_WORD}\s+(\S+)\s*$"
)
_SYSTEM = re.compile(rf"{_WORD}\s+{_WORD}(?:\s+CFG:.*)?\s*$")
_HOST_TYPE = re.compile(r"HCA|MT4\d{3}(?!\d)|MT2[3-8]\d{3}|MT41\d{3}|ConnectX|CX\d|BlueField", re.I)
"""Chips of HCAs; of MT4xxxx and MT5xxxx the others are of switches (MT47396, MT48436, MT51000 to MT54000)."""


def read(lines: Iterator[str]) -> FoundLinks:
    """The links of a .topo file.

    Raises
    ------
    UnreadableFile
        If no line of it is a link.
    """
    sink = LinkSink()
    here: tuple[str, str] | None = None
    for number, line in numbered(lines):
        if not line.strip() or line.lstrip().startswith("#"):
            sink.spec_hash = sink.spec_hash or stated_hash(line)
            continue
        if "->" in line:
            link = _LINK.match(line)
            if link is None:
                sink.drop(number, "not_a_link", line)
            elif here is None:
                sink.drop(number, "link_outside_device", line)
            else:
                port, width, lane, far_type, far, far_port = link.groups()
                rate = round(int(width) * float(lane)) if width else 0
                sink.add(number, (*here, port), (far.strip('"'), _kind(far_type), far_port), rate)
        elif (system := _SYSTEM.match(line)) is not None:
            here = (system[2].strip('"'), _kind(system[1]))
        else:
            sink.drop(number, "not_a_link", line)
    found = sink.found("topo", both_sides=True)
    if not len(found):
        raise UnreadableFile("no_links", "No line of the file is a link such as P1 -4x-100G-> MQM9700 leaf-001 P33.")
    return found


def _kind(system_type: str) -> str:
    return HOST if _HOST_TYPE.search(system_type) else SWITCH
