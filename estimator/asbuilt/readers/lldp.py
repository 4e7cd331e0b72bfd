"""Neighbours by LLDP: tables of SONiC, EOS, NX-OS, Cumulus Linux and Junos, and ``lldpcli show neighbors``.

A table names the far end alone. Whose table it is stands in the prompt of the command, in the name that pdsh and the like put in
front of each line, or in a line above it, such as ``### leaf01`` or what ansible, clush -b and tail print; without one of these
the file is refused.
Formats: SONiC Command Reference, "LLDP"; lldpcli(8) of lldpd.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

from estimator.asbuilt.readers.found import MAX_LINE, TOO_LONG, FoundLinks, LinkSink, numbered
from estimator.asbuilt.readers.neighbours import Neighbour, Neighbours, is_station
from estimator.errors import UnreadableFile

_PROMPT = re.compile(
    r"(?:\S{1,60}@)?([A-Za-z][\w.-]{0,100})(?::\S{0,100})?\s?[$#>]\s*(?:sudo\s+)?"
    r"(?:(?:net |nv )?show (?:lldp|interface)|lldpcli|lldpctl|lldpshow)"
)
_TITLE = re.compile(r"(?:#{2,}|={2,}|-{2,}|\*{2,})\s*([A-Za-z][\w.-]{0,100})\s*(?:#*|=*|-*|\**)$")
_ABOVE = re.compile(  # a line above a device's answer: of ansible, of head and tail, of a list of hosts
    r"([A-Za-z][\w.-]{0,100})\s\|\s(?:CHANGED|SUCCESS|FAILED)\b.*>>$|==> (?:\S*/)?([A-Za-z][\w-]{0,100})(?:\.\w{1,10})* <==$|"
    r"\[([A-Za-z][\w.-]{0,100})\]:?$|(?:host(?:name)?|device|switch)\s*[:=]\s*([A-Za-z][\w.-]{0,100})$",
    re.I,
)
_RULE = re.compile(r"[-=*#]{3,}$")
_ALONE = re.compile(r"([A-Za-z][\w.-]{0,100}):?(?:\s\(\d{1,6}\))?$")
_BEHIND = re.compile(r"([A-Za-z][\w.-]{0,100}):\s")
_HEADER = re.compile(r"LocalPort\s+RemoteDevice\s+RemotePortID")
_COLUMNS = ("LocalPort", "RemoteDevice", "RemotePortID", "Capability")


class _Table(NamedTuple):
    """Where a switch's table has the port here, the neighbour, its port, and what else it has; ``cells`` are those of a row."""

    head: re.Pattern[str]
    port: int
    far: int
    far_port: int
    cells: int
    speed: int | None = None
    capability: int | None = None


_OTHER_TABLES = (
    _Table(re.compile(r"Port\s+Neighbor Device ID\s+Neighbor Port ID\s+TTL"), 0, 1, 2, 4),  # Arista EOS
    _Table(  # Cisco NX-OS
        re.compile(r"Device ID\s+Local Intf\s+Hold-time\s+Capability\s+Port ID"), 1, 0, 4, 5, capability=3
    ),
    _Table(
        re.compile(r"Local ?Port\s+Speed\s+Mode\s+Remote ?Host\s+Remote ?Port"), 0, 3, 4, 5, speed=1
    ),  # Cumulus Linux
    _Table(  # Junos
        re.compile(r"Local Interface\s+Parent Interface\s+Chassis Id\s+Port info\s+System Name"), 0, 4, 3, 5
    ),
)
_SPEED = re.compile(r"(\d{1,4})G$")
_SHORT = re.compile(r"^Eth?(?=\d)")  # of a port that its neighbours name whole: Et1/1, Eth1/1
_ROW = re.compile(r"([^\s:]\S{0,58}[^\s:]|[^\s:])\s{1,40}(\S{1,100})\s{1,40}(\S{1,60})(?:\s+(\S{1,12}))?(?:\s.*)?$")
_PAIR = re.compile(r"lldp\.([\w/.-]{1,60}?)\.(chassis\.name|port\.ifname|port\.local|port\.descr)=(.{1,200})")
_INTERFACE = re.compile(r"Interface:\s+([^,\s]{1,60}),")
_FIELD = re.compile(r"(SysName|PortID|PortDescr):\s+(?:ifname |local |mac )?(.{1,200}?)\s*$")

_ROOT = re.compile(r'"lldp"\s*:\s*[\[{]')
_OPENS = re.compile(r"(?:[A-Za-z][\w.-]{0,100}:\s+)?\{")
_MAC = re.compile(r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}", re.I)
_XML = re.compile(r"<lldp\b")
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')  # of JSON: brackets within are none
MAX_JSON_CHARS = 20_000_000  # of one device's answer
_NO_ROWS = ("--", "Total ", "Capability ")
_WORDS = ("Interface", "SysName", "PortID", "PortDescr", "Chassis", "Port", "ChassisID")


def is_lldp(text: str) -> bool:
    """Whether this is the head of such a file."""
    is_table = any(head.search(text) for head in (_HEADER, *(table.head for table in _OTHER_TABLES)))
    is_text = is_table or _PAIR.search(text) or (_INTERFACE.search(text) and "SysName:" in text)
    return bool(is_text or _ROOT.search(text) or _XML.search(text))


def read(lines: Iterator[str]) -> FoundLinks:
    """The links of the tables.

    Raises
    ------
    UnreadableFile
        If no table says whose it is, none has a neighbour, or it is XML or JSON that ends early.
    """
    reading = _Reading()
    for number, line in numbered(lines):
        reading.line(number, line.strip())
    reading.close()
    reading.neighbours.into(reading.sink)
    found = reading.sink.found("lldp", both_sides=True)
    if not len(found):
        if reading.n_nobodys:
            message = (
                f"{reading.n_nobodys} neighbours stand in a table that does not say which device printed it. Keep the prompt of "
                "the command (admin@leaf01:~$ show lldp table), or put a line such as ### leaf01 before each table."
            )
            raise UnreadableFile("no_local_device", message)
        raise UnreadableFile("no_links", "No line of the file is a neighbour of show lldp table, lldpcli or lldpctl.")
    return found


class _Reading:
    """Whose table is being read, and the neighbour of lldpcli or lldpctl that is not complete."""

    def __init__(self) -> None:
        self.sink = LinkSink()
        self.neighbours = Neighbours()
        self.n_nobodys = 0
        self._here = ""
        self._in_table = False
        self._starts: list[int] = []  # of the table's columns
        self._table: _Table | None = None  # which of _OTHER_TABLES it is
        self._port = ""  # of the neighbour that is open
        self._far: dict[str, str] = {}
        self._number = 0
        self._after_rule, self._name_alone = False, ""  # a rule, and a name behind it that may be a device's
        self._json: list[str] = []  # lines of an answer in JSON that is open
        self._depth, self._n_chars = 0, 0

    def line(self, number: int, line: str) -> None:
        """One line of the file."""
        if self._json or _OPENS.match(line):
            return self._json_line(number, line)
        if line == TOO_LONG:
            message = (
                f"Line {number} is over {MAX_LINE:,} characters. Give JSON with a line a value, as lldpcli prints it."
            )
            raise UnreadableFile("line_too_long", message)
        if _XML.match(line):
            raise UnreadableFile(
                "is_xml", f"Line {number} is XML. Give lldpcli show neighbors -f keyvalue, or -f json."
            )
        if named := _PROMPT.search(line) or _TITLE.match(line) or _ABOVE.match(line):
            return self._device(next(filter(None, named.groups())))
        if self._is_between_rules(line):
            return None
        line = self._without_name(line)
        if other := next((one for one in _OTHER_TABLES if one.head.search(line)), None):
            self._in_table, self._table = True, other
        elif head := _HEADER.search(line):
            self._in_table, self._table = True, None
            columns = line[head.start() :]
            self._starts = [columns.index(column) for column in _COLUMNS if column in columns]
        elif pair := _PAIR.search(line):
            if pair[1] != self._port:
                self.close()
            self._port, self._number = pair[1], number
            self._far[pair[2]] = pair[3].strip()
        elif interface := _INTERFACE.search(line):
            self.close()
            self._port, self._number = interface[1], number
        elif self._port and (field := _FIELD.search(line)):
            self._far[field[1]] = field[2]
        elif row := self._row(line):
            self._add(number, row)
        return None

    def _is_between_rules(self, line: str) -> bool:
        """Whether a line is a name between two rules, as ``clush -b`` puts it above an answer, or the rule behind it."""
        is_rule = bool(_RULE.match(line))
        if is_rule and self._name_alone:
            self._device(self._name_alone)
            self._name_alone = ""
            self._after_rule = False
            return True
        alone = _ALONE.match(line) if self._after_rule else None
        self._name_alone, self._after_rule = alone[1] if alone else "", is_rule
        return bool(alone)

    def _json_line(self, number: int, line: str) -> None:
        """One line of an answer in JSON, which is read once its brackets are closed."""
        behind = _BEHIND.match(line)
        if behind and behind[1] not in _WORDS:
            if not self._json:
                self._device(behind[1])
            line = line[behind.end() :]
        self._json.append(line)
        self._n_chars += len(line)
        bare = _TEXT.sub("", line)
        self._depth += sum(map(bare.count, "{[")) - sum(map(bare.count, "}]"))
        if self._n_chars > MAX_JSON_CHARS:
            message = f"The JSON of one device is over {MAX_JSON_CHARS:,} characters at line {number}. Give its neighbours alone."
            raise UnreadableFile("file_too_large", message)
        if self._depth <= 0:
            lines, self._json, self._depth, self._n_chars = self._json, [], 0, 0
            self._neighbours(number - len(lines) + 1, lines)

    def _neighbours(self, first: int, lines: list[str]) -> None:
        """The neighbours of one answer in JSON; ``first`` is the number of its first line."""
        try:
            found = list(_interfaces(json.loads("\n".join(lines))))
        except (ValueError, RecursionError) as error:
            message = f"The JSON that begins on line {first} is not whole: {error}. Give all that lldpcli printed."
            raise UnreadableFile("broken_json", message) from error
        at = 0
        for row in found:
            at = next((i for i in range(at, len(lines)) if f'"{row.port}"' in lines[i]), at)
            self._add(first + at, row)

    def _without_name(self, line: str) -> str:
        """A line without the device's name that pdsh and the like put in front; the name is kept."""
        behind = _BEHIND.match(line)
        if behind is None or behind[1] in _WORDS:
            return line
        rest = line[behind.end() :].strip()
        is_content = _HEADER.search(rest) or _PAIR.match(rest) or _INTERFACE.search(rest) or self._row(rest)
        if behind[1] != self._here and is_content:
            in_table = self._in_table
            self._device(behind[1])
            self._in_table = in_table
        return rest if behind[1] == self._here else line

    def _row(self, line: str) -> Neighbour | None:
        """A neighbour of a table, by the header's columns where the row keeps to them."""
        if not self._in_table or not line.strip("- ") or line.startswith(_NO_ROWS):
            return None
        if self._table is not None:
            cells = line.split()
            return _row_of(cells, self._table) if len(cells) >= self._table.cells else None
        starts = self._starts
        if len(starts) == len(_COLUMNS) and all(line[start - 1 : start] in ("", " ") for start in starts[1:]):
            here, far, far_port = (line[start:end].strip() for start, end in pairwise(starts))
            is_row = here and far_port and " " not in here and not here.endswith(":")
            codes, _, words = line[starts[-1] :].partition(" ")  # either may be blank
            return Neighbour(here, far, far_port, words.strip(), is_station(codes)) if is_row else None
        found = _ROW.match(line)
        return Neighbour(found[1], found[2], found[3], "", is_station(found[4] or "")) if found else None

    def _device(self, name: str) -> None:
        self.close()
        self._here, self._in_table = name, False

    def close(self) -> None:
        """The neighbour that was open is complete."""
        if self._json:
            raise UnreadableFile("broken_json", "The file ends inside JSON. Give all that lldpcli printed.")
        far = self._far
        if self._port and far:
            name = far.get("chassis.name") or far.get("SysName") or ""
            port = far.get("port.ifname") or far.get("port.local") or far.get("PortID") or ""
            words = far.get("PortDescr") or far.get("port.descr") or ""
            if _MAC.fullmatch(port):  # hosts give the MAC address of a port
                port = words or port
            self._add(self._number, Neighbour(self._port, name, port, words))
        self._port, self._far = "", {}

    def _add(self, number: int, row: Neighbour) -> None:
        if not self._here:
            self.n_nobodys += 1
            return
        self.neighbours.add(replace(row, line=number, here=self._here))


def _row_of(cells: list[str], table: _Table) -> Neighbour:
    here, far, far_port = (cells[place] for place in (table.port, table.far, table.far_port))
    speed = _SPEED.match(cells[table.speed]) if table.speed is not None else None
    codes = cells[table.capability] if table.capability is not None else ""
    rate = int(speed[1]) if speed else 0
    return Neighbour(_SHORT.sub("Ethernet", here), far, _SHORT.sub("Ethernet", far_port), "", is_station(codes), rate)


def _listed(value: Any) -> list[Any]:
    """A value of JSON as a list: json0 has one of each, json none where there is one alone."""
    return value if isinstance(value, list) else [] if value is None else [value]


def _first(value: Any) -> Any:
    return next(iter(_listed(value)), None)


def _text_of(value: Any) -> str:
    """A text of JSON, or the ``value`` of an object of one."""
    value = _first(value)
    value = _first(value.get("value")) if isinstance(value, dict) else value
    return value.strip() if isinstance(value, str) else ""


def _interfaces(answer: Any) -> Iterator[Neighbour]:
    """The neighbours of an answer in json or json0."""
    for root in _listed(answer.get("lldp") if isinstance(answer, dict) else None):
        for one in _listed(root.get("interface") if isinstance(root, dict) else None):
            if not isinstance(one, dict):
                continue
            named = isinstance(one.get("name"), str)
            for port, body in [(str(one["name"]), one)] if named else one.items():
                if isinstance(body, dict):
                    far_port = _first(body.get("port"))
                    words = _text_of(far_port.get("descr")) if isinstance(far_port, dict) else ""
                    name = _neighbour_name(_first(body.get("chassis")))
                    yield Neighbour(str(port), name, _neighbour_port(far_port), words)


def _neighbour_name(chassis: Any) -> str:
    """The name of a neighbour: in json the key of its object, in json0 a text; nothing where it gave none."""
    if not isinstance(chassis, dict):
        return ""
    if "name" in chassis or "id" in chassis:
        return _text_of(chassis.get("name"))
    return str(next(iter(chassis), ""))


def _neighbour_port(port: Any) -> str:
    """The port of a neighbour; of a host, which gives a MAC address, its description."""
    if not isinstance(port, dict):
        return ""
    name, words = _text_of(port.get("id")), _text_of(port.get("descr"))
    return words or name if not name or _MAC.fullmatch(name) else name
