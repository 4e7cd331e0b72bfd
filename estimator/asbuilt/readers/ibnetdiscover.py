"""``ibnetdiscover`` dumps: the topology file, and the report of ``ibnetdiscover -p``.

A device is what has a GUID, not a line: a switch of 64 ports has 64 lines. NICs of one host become one device, since
their descriptions begin with the host's name ("node-0001 mlx5_0"). Every link stands there twice, once at each end.
Formats: ibnetdiscover(8) of infiniband-diags, section "Topology file format", and its -p option.
"""

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from estimator.asbuilt.readers.found import HOST, MAX_NAME, SWITCH, FoundLinks, LinkSink
from estimator.errors import UnreadableFile

LANE_GBIT_S = {
    "SDR": 2.5,
    "DDR": 5,
    "QDR": 10,
    "FDR10": 10,
    "FDR": 14,
    "EDR": 25,
    "HDR": 50,
    "NDR": 100,
    "XDR": 200,
}
KIND_OF_SECTION = {"Switch": "S", "Ca": "H", "Rt": "R"}
FOUR_LANES = 4  # of a link whose width is not said
_DEVICE = re.compile(r'(Switch|Ca|Rt)\s*\d+\s*"[SHR]-(?:0x)?([0-9a-fA-F]{1,16})"\s*#\s*"(.*)"')
_PORT = re.compile(
    r"\[(\d{1,4})\](?:\[ext \d+\])?(?:\((?:0x)?[0-9a-fA-F]+\))?\s*"
    r'"([SHR])-(?:0x)?([0-9a-fA-F]{1,16})"\[(\d{1,4})\](?:\[ext \d+\])?(?:\((?:0x)?[0-9a-fA-F]+\))?\s*#?(.*)'
)
_DESCRIPTION = re.compile(r'"(.*)"')
_SPEED = re.compile(r"\b(\d{1,2})x\s?([SDQFEHNX]DR(?:10)?)\b")
_REPORT = re.compile(
    r"(CA|SW|RT)\s+\d+\s+(\d{1,4})\s+0x([0-9a-fA-F]{1,16})\s+(\d{1,2}x\s+\w+|\?\?\s+\?\?\?)\s*"
    r"(?:-\s+(CA|SW|RT)\s+\d+\s+(\d{1,4})\s+0x([0-9a-fA-F]{1,16})\s+\(\s*'([^']*)'\s+-\s+'([^']*)'\s*\)|.*)"
)
_STARTS = ("Switch", "Ca", "Rt", "SW ", "CA ", "RT ", "vendid=", "devid=", "sysimgguid=", "switchguid=", "#")
_BEHIND = re.compile(  # [ufm-0], "12:", "node01: ", a time; then a port, a device or one of its GUIDs
    r"(.{1,80}?[\]:Z>|]\s?)(?=\[\d{1,4}\](?:\[ext|\(|\s|\")|(?:Switch|Ca|Rt)\s*\d+\s*\"|(?:switch|ca|rt|sysimg)guid=|(?:SW|CA|RT)\s+\d)"
)
_HEADS = ("vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "rtguid=", "\n", "#")
_REMARK = re.compile(r"Non-Chassis|Chassis|\s")
_ADAPTER = re.compile(r"(\S.*?)\s+((?:mlx\d|hfi\d|qib\d|mthca\d|ib\w|roce|rdma|opa)\w*|HCA-?\d+|U\d+/P\d+)$", re.I)
_DEFAULT = re.compile(
    r"(?:MT\d{4,6}\b|(?:NVIDIA |Mellanox )?(?:ConnectX|BlueField|Connect-IB)|.*Mellanox Technologies|"
    r".*\binfiniband (?:device|hca)\b|localhost(?:\.\S*)?$|\(none\)$|$)",
    re.I,
)
_CHIP = re.compile(r"(\S.*?)\s+(?:MT\d{4,6}\b|(?:NVIDIA |Mellanox )?(?:ConnectX|BlueField|Connect-IB)).*$", re.I)
_DPU = re.compile(r"(.+?)[-_.]((?:bf|dpu|bluefield)-?\d{0,2})$", re.I)
_HEX = re.compile(r"[0-9a-f]{16}")  # iblinkinfo gives LIDs to those without a GUID
_OWN_COMPUTING = re.compile(r"Aggregation Node|SHArP|SHARP", re.I)
_SWITCH_NAME = re.compile(r"MF\d;(.+?)(?::[^:;]*)?$")


def read(lines: Iterator[str]) -> FoundLinks:
    """The links of a dump.

    Raises
    ------
    UnreadableFile
        If it has no port line at all.
    """
    dump = Dump()
    here = -1
    before = ""
    for number, raw in enumerate(lines, start=1):
        line = raw.lstrip(" \t>") if raw[:1] in " \t>" else raw  # indented or quoted by whoever pasted it
        if not dump.listings or before:
            line, before = _without_prefix(line, before)
        if not line or line.startswith(_HEADS):
            continue
        if line.startswith("["):
            here_port = _PORT.match(line)
            if here_port is None:
                dump.sink.drop(number, "not_a_link", line)
            elif here < 0:
                dump.sink.drop(number, "link_outside_device", line)
            else:
                dump.port_line(number, here, here_port)
        elif (device := _DEVICE.match(line)) is not None:
            here = dump.node(device[2], KIND_OF_SECTION[device[1]], device[3])
            dump.sections.add(here)
        elif (report := _REPORT.match(line)) is not None:
            dump.report_line(number, report)
        elif not _REMARK.match(line):
            dump.sink.drop(number, "not_a_link", line)
    if not dump.listings:
        raise UnreadableFile(
            "no_links", 'No line of the file is a port of an ibnetdiscover dump, such as [1] "S-…"[2].'
        )
    return dump.found()


def _without_prefix(line: str, before: str) -> tuple[str, str]:
    """A line without what a log or ``grep -n`` puts before it, and what that was; nothing where the line begins as it does."""
    if not line or line.startswith(_STARTS) or (line[0] == "[" and line[1:2].isdecimal()):
        return line, ""
    if before and line.startswith(before):
        return line[len(before) :].lstrip(), before
    found = _BEHIND.match(line)
    return (line[found.end(1) :], found[1]) if found else (line, before)


class Dump:
    """GUIDs with their descriptions, and listings between them, until all names are known."""

    def __init__(self) -> None:
        self.sink = LinkSink()
        self.listings = array("q")  # line, GUID index, port, GUID index, port, rate
        self.kinds: list[str] = []
        self.descriptions: list[str] = []
        self.sections: set[int] = set()  # nodes that have a section of their own
        self._guids: list[str] = []
        self._index: dict[str, int] = {}
        self._rates: dict[str, int] = {}

    def node(self, guid: str, kind: str, description: str = "") -> int:
        """Index of what has a GUID, or another text of its own."""
        index = self._index.get(guid)
        if index is None:
            guid = guid.lower().rjust(16, "0")
            index = self._index.get(guid)
            if index is None:
                index = self._index[guid] = len(self._guids)
                self._guids.append(guid)
                self.kinds.append(kind)
                self.descriptions.append("")
        if description and not self.descriptions[index]:
            self.descriptions[index] = description[:MAX_NAME].strip()
        return index

    def port_line(self, number: int, here: int, found: re.Match[str]) -> None:
        """A port of the device whose section it stands in."""
        port, kind, guid, far_port, remark = found.groups()
        far = self._index.get(guid)
        if far is None or not self.descriptions[far]:
            description = _DESCRIPTION.search(remark)
            far = self.node(guid, kind, description[1] if description else "")
        speed = remark.rpartition(" ")[2]
        rate = self._rates.get(speed)
        if rate is None:
            rate = _rate_gbit_s(remark)
            if _SPEED.fullmatch(speed):
                self._rates[speed] = rate
        self.add(number, here, int(port), far, int(far_port), rate)

    def report_line(self, number: int, found: re.Match[str]) -> None:
        """A line of ``ibnetdiscover -p``."""
        kind, port, guid, speed, far_kind, far_port, far_guid, name, far_name = found.groups()
        if far_guid is None:
            return self.sink.drop(number, "not_connected", found[0])
        here = self.node(guid, kind[0].replace("C", "H"), name)
        far = self.node(far_guid, far_kind[0].replace("C", "H"), far_name)
        self.add(number, here, int(port), far, int(far_port), _rate_gbit_s(speed))
        return None

    def add(self, number: int, here: int, port: int, far: int, far_port: int, rate: int) -> None:
        """A listing between two nodes."""
        self.listings.extend((number, here, port, far, far_port, rate))

    def join_ports(self) -> None:
        """One adapter where a report names each of its ports apart, by a GUID or LID: of one description, no port twice."""
        ports: dict[int, set[int]] = defaultdict(set)
        rows = np.frombuffer(self.listings, dtype=np.int64).reshape(-1, 6).copy()
        for device, port in np.unique(np.r_[rows[:, 1:3], rows[:, 3:5]], axis=0).tolist():
            ports[device].add(port)
        alike: dict[str, list[int]] = defaultdict(list)
        for index, (kind, text) in enumerate(zip(self.kinds, self.descriptions, strict=True)):
            if kind == "H" and not _is_default(text) and _ADAPTER.match(text):
                alike[text].append(index)
        own = np.arange(len(self._guids))
        for indices in alike.values():
            if len(indices) > 1 and sum(len(ports[i]) for i in indices) == len(
                set().union(*(ports[i] for i in indices))
            ):
                own[indices] = indices[0]
        kept = np.flatnonzero(own == np.arange(len(own)))
        place = np.searchsorted(kept, own)
        rows[:, 1], rows[:, 3] = place[rows[:, 1]], place[rows[:, 3]]
        self.listings = array("q", rows.ravel().tolist())
        self.sections = set(place[list(self.sections)].tolist())
        self.kinds, self.descriptions, self._guids = (
            [column[i] for i in kept.tolist()] for column in (self.kinds, self.descriptions, self._guids)
        )

    def found(self, file_format: str = "ibnetdiscover") -> FoundLinks:
        """Names for GUIDs, and the listings in them."""
        cut = self._cut() if self.sections else []
        names, port_prefix, nameless = self._names()
        own_computing = [bool(_OWN_COMPUTING.search(text)) for text in self.descriptions]
        sink = self.sink
        device = [
            -1 if own else sink.device(name, SWITCH if kind == "S" else HOST)
            for name, kind, own in zip(names, self.kinds, own_computing, strict=True)
        ]
        port_index: dict[tuple[str, int], int] = {}
        columns = np.frombuffer(self.listings, dtype=np.int64).reshape(-1, 6).tolist()
        for line, here, port, far, far_port, rate in columns:
            if device[here] < 0 or device[far] < 0:
                if device[here] >= 0:
                    sink.drop(line, "aggregation_node", f"{names[here]} [{port}]")
                continue
            ends = []
            for guid, number in ((here, port), (far, far_port)):
                key = (port_prefix[guid], number)
                index = port_index.get(key)
                if index is None:
                    index = port_index[key] = sink.port(_port_text(*key))
                ends.append(index)
            sink.add_indices(line, device[here], ends[0], device[far], ends[1], rate)
        is_adapter = (kind == "H" and not own for kind, own in zip(self.kinds, own_computing, strict=True))
        sink.adapters = sum(is_adapter)
        return sink.found(
            file_format,
            both_sides=True,
            nameless=[device[i] for i in nameless if device[i] >= 0],
            routers=[device[i] for i, kind in enumerate(self.kinds) if kind == "R"],
            cut=[names[i] for i in cut if device[i] >= 0],
        )

    def _cut(self) -> list[int]:
        """Nodes that others name and that have no section, of a kind of which others have one: the file ends early."""
        rows = np.frombuffer(self.listings, dtype=np.int64).reshape(-1, 6)
        kinds = {self.kinds[i] for i in self.sections}
        named = np.unique(np.r_[rows[:, 1], rows[:, 3]]).tolist()
        return [i for i in named if i not in self.sections and self.kinds[i] in kinds]

    def _names(self) -> tuple[list[str], list[str], list[int]]:
        """Names of device and NIC of every GUID, and which have none. A description that several share gets the GUID behind."""
        split = [
            _switch_name(text) if kind == "S" else _host_and_adapter(text)
            for kind, text in zip(self.kinds, self.descriptions, strict=True)
        ]
        nameless = [i for i, (name, _) in enumerate(split) if self.kinds[i] == "H" and _is_default(name)]
        for index, (name, adapter) in enumerate(split):
            if name and not adapter and self.kinds[index] == "H" and " " not in name:
                split[index] = (name, f"0x{self._guids[index]}")  # a host's name alone
        for index in nameless:
            split[index] = (f"unnamed (0x{self._guids[index]})", split[index][1])
        grouped = unnamed_servers(self._guids, split, nameless)
        split = _with_their_hosts([grouped.get(index, parts) for index, parts in enumerate(split)], self.kinds)
        shared = Counter((kind, *parts) for kind, parts in zip(self.kinds, split, strict=True))
        names = [
            name if name and shared[kind, name, adapter] == 1 else f"{name} (0x{guid})".strip()
            for kind, guid, (name, adapter) in zip(self.kinds, self._guids, split, strict=True)
        ]
        alone = {index for index in nameless if index not in grouped}
        alone |= {i for i, kind in enumerate(self.kinds) if kind == "H" and shared[kind, *split[i]] > 1}
        return names, [adapter for _, adapter in split], sorted(alone)


def _with_their_hosts(split: Sequence[tuple[str, str]], kinds: Sequence[str]) -> list[tuple[str, str]]:
    """Name and NIC of every node; a DPU that calls itself after its host (gpu01-bf3, gpu01-dpu) is a NIC of it."""
    hosts = {name for (name, _), kind in zip(split, kinds, strict=True) if kind == "H"}
    out = []
    for (name, adapter), kind in zip(split, kinds, strict=True):
        own = _DPU.match(name) if kind == "H" else None
        out.append((own[1], f"{own[2]} {adapter}".strip()) if own and own[1] in hosts else (name, adapter))
    return out


def _is_default(name: str) -> bool:
    """Whether a description is what an adapter says of itself until somebody names its host."""
    return bool(_DEFAULT.match(name))


def unnamed_servers(
    guids: Sequence[str], split: Sequence[tuple[str, str]], nameless: Sequence[int]
) -> dict[int, tuple[str, str]]:
    """Adapters without a name that are of one server, by GUIDs as far apart as those of the servers with a name.

    The answer has the name of the server and of the adapter by index. Where named servers show no such distances, no two
    adapters are taken for one server's.
    """
    named: dict[str, list[tuple[int, str]]] = {}
    without = set(nameless)
    for index, (name, adapter) in enumerate(split):
        if adapter and index not in without and not adapter.startswith("0x") and _HEX.fullmatch(guids[index]):
            named.setdefault(name, []).append((int(guids[index], 16), adapter))
    patterns = Counter(
        tuple((guid - min(own)[0], adapter) for guid, adapter in sorted(own)) for own in named.values() if len(own) > 1
    )
    pattern, often = patterns.most_common(1)[0] if patterns else ((), 0)
    if 2 * often <= len(named):
        return {}
    place = {int(guids[index], 16): index for index in nameless if _HEX.fullmatch(guids[index])}
    out: dict[int, tuple[str, str]] = {}
    for guid in sorted(place):
        own = [(place.get(guid + step), adapter) for step, adapter in pattern]
        if all(index is not None and index not in out for index, _ in own):
            out |= {index: (f"unnamed (0x{guid:016x})", adapter) for index, adapter in own if index is not None}
    return out


def _rate_gbit_s(text: str) -> int:
    speed = _SPEED.search(text, max(text.rfind('"'), 0))
    return round(int(speed[1]) * LANE_GBIT_S[speed[2]]) if speed else 0


def _switch_name(description: str) -> tuple[str, str]:
    """ "MF0;leaf-001:MQM9700/U1" → leaf-001."""
    managed = _SWITCH_NAME.match(description)
    return (managed[1] if managed else description), ""


def _host_and_adapter(description: str) -> tuple[str, str]:
    """ "node-0001 mlx5_0" → (node-0001, mlx5_0), also with a chip's name between; without a NIC it is a name as it is."""
    named = _ADAPTER.match(description)
    name, adapter = (named[1], named[2]) if named else (description, "")
    chip = _CHIP.match(name)
    return (chip[1], adapter) if chip else (name, adapter)


def _port_text(adapter: str, port: int) -> str:
    """Port 1 of a NIC goes by the NIC's name, as in the design; further ports say which."""
    if not adapter:
        return str(port)
    return adapter if port == 1 else f"{adapter}/P{port}"
