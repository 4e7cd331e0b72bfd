"""Point-to-point sheets: rows with a device and a port on either side, in CSV or XLSX.

The header may be this project's own link list, UFM Cable Validation Tool's (A-Node Name, A-Port, Z-Node Name, Z-Port; or
Name and HCA/Port twice), or any other that names sides as source and destination, from and to, local and remote.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from estimator.asbuilt.readers.found import HOST, SWITCH, FoundLinks, LinkSink, stated_hash
from estimator.asbuilt.readers.ibnetdiscover import FOUR_LANES, LANE_GBIT_S
from estimator.errors import UnreadableFile

Row = tuple[int, list[str]]
HEADER_ROWS = 50
LEAST_MBIT_S = 10_000  # a rate from here on is in Mb/s, as the link tables of SONiC test beds have it
MAX_COLUMNS = 200
_SIDES = {
    "a": {
        "a",
        "side a",
        "source",
        "src",
        "from",
        "local",
        "near",
        "near end",
        "1",
        "a end",
        "a side",
        "end a",
        "left",
        "origin",
        "start",
        "neighbor a",
        "endpoint a",
    },
    "b": {
        "b",
        "z",
        "side b",
        "side z",
        "destination",
        "dest",
        "dst",
        "to",
        "remote",
        "target",
        "far",
        "far end",
        "2",
        "b end",
        "z end",
        "b side",
        "z side",
        "end b",
        "right",
        "peer",
        "end",
        "neighbor",
        "neighbour",
        "endpoint b",
    },
}
_FIELDS = {
    "device": {
        "device",
        "name",
        "node",
        "node name",
        "hostname",
        "host",
        "host name",
        "device name",
        "system",
        "switch",
        "system name",
        "switch name",
        "server",
        "server name",
        "leaf",
        "leaf switch",
    },
    "port": {
        "port",
        "port name",
        "interface",
        "hca port",
        "hca",
        "interface name",
        "if",
        "nic",
        "device port",
        "node port",
        "switch port",
        "leaf port",
        "server port",
        "host port",
        "nic port",
    },
    "kind": {"type", "role", "node type", "device type", "kind"},
    "hash": {"spec hash"},
    "rate": {
        "rate gbit s",
        "rate",
        "speed",
        "rate gb s",
        "speed gb s",
        "speed gbps",
        "rate gbps",
        "bandwidth",
        "band width",
    },
}
_DATE = re.compile(
    r"\d{1,2}[- ](?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
    r"[a-z]*[- ]\d{1,2}|3[6-9]\d{3}|4\d{4}",
    re.I,
)
_FIRST = "fields "  # UFM's tables begin their header with "#Fields:"
_HOST_WORDS = {"host", "server", "hca", "node", "ca", "compute", "gpu"}
_RATE = re.compile(r"\s*(\d{1,6}(?:\.\d{1,6})?)\s*(t|g)?(?:b|be|bit|bps|b/s|bit/s|base\S{0,8})?\s*$", re.I)
_INFINIBAND = re.compile(r"\s*(?:(\d{1,2})\s?x\s?)?([SDQFEHNX]DR)(10|100|200|400|800)?\s*$", re.I)  # 4xNDR, HDR100


@dataclass(frozen=True)
class Columns:
    """Where a sheet keeps the fields of a link; None where it has no such column."""

    a_device: int
    a_port: int
    b_device: int
    b_port: int
    a_kind: int | None = None
    b_kind: int | None = None
    rate: int | None = None
    spec_hash: int | None = None

    @property
    def last(self) -> int:
        """The last column that a link needs."""
        return max(self.a_device, self.a_port, self.b_device, self.b_port)


def read(sheets: Iterator[tuple[str, Iterator[Row]]], file_format: str, spec_hash: str | None = None) -> FoundLinks:
    """The links of all sheets; one without a header row that names both sides is left out and said so.

    ``spec_hash`` is what the file says of itself beside its rows.

    Raises
    ------
    UnreadableFile
        If no sheet has such a header row.
    """
    sink, headers = LinkSink(), 0
    sink.spec_hash = spec_hash
    for title, rows in sheets:
        headers += _read_sheet(sink, title, rows)
    if not headers:
        raise UnreadableFile(
            "no_header",
            f"None of the first {HEADER_ROWS} rows names a device and a port on both sides. Give the sheet a header row "
            "such as a_device, a_port, b_device, b_port or A-Node Name, A-Port, Z-Node Name, Z-Port.",
        )
    return sink.found(file_format)


def _read_sheet(sink: LinkSink, title: str, rows: Iterator[Row]) -> bool:
    columns: Columns | None = None
    seen = 0
    for number, cells in rows:
        if columns is None:
            columns = _columns_of(cells)
            if columns is None:
                sink.spec_hash = sink.spec_hash or stated_hash(" ".join(cells))
            seen += 1
            if columns is None and seen == HEADER_ROWS:
                break
            continue
        _read_row(sink, number, cells, columns)
    if columns is None and seen:
        sink.drop(1, "no_header", title)
    return columns is not None


def _read_row(sink: LinkSink, number: int, cells: list[str], columns: Columns) -> None:
    if not any(cells):
        return None
    if cells[0].startswith("#"):
        sink.spec_hash = sink.spec_hash or stated_hash(" ".join(cells))
        return None
    if sink.spec_hash is None and columns.spec_hash is not None and columns.spec_hash < len(cells):
        sink.spec_hash = cells[columns.spec_hash] or None
    if len(cells) <= columns.last:
        return sink.drop(number, "too_few_cells", ", ".join(cells))
    ports = plain(cells[columns.a_port]), plain(cells[columns.b_port])
    if any(not sink.has_port(port) and _DATE.fullmatch(port) for port in ports):
        return sink.drop(number, "date_for_port", ", ".join(cells))
    sink.add(
        number,
        (plain(cells[columns.a_device]), _kind(cells, columns.a_kind), ports[0]),
        (plain(cells[columns.b_device]), _kind(cells, columns.b_kind), ports[1]),
        _rate_gbit_s(cells, columns.rate),
    )
    return None


def plain(cell: str) -> str:
    """A cell without the sign that keeps spreadsheets from taking it for a formula."""
    return cell[1:] if cell[:1] == "'" and cell[1:2] in "=+-@" else cell


def _kind(cells: list[str], column: int | None) -> str:
    if column is None or column >= len(cells) or not cells[column]:
        return ""
    return HOST if set(re.split(r"\W+", cells[column].lower())) & _HOST_WORDS else SWITCH


def _rate_gbit_s(cells: list[str], column: int | None) -> int:
    if column is None or column >= len(cells):
        return 0
    if found := _INFINIBAND.match(cells[column]):
        width, name, whole = found.groups()
        of_lane = LANE_GBIT_S[name.upper()]
        return int(whole) if whole and whole != "10" else round(int(width or FOUR_LANES) * (10 if whole else of_lane))
    rate = _RATE.match(cells[column])
    number = float(rate[1]) * (1000 if (rate[2] or "").lower() == "t" else 1) if rate else 0.0
    return round(number / 1000 if number >= LEAST_MBIT_S else number)


def _columns_of(cells: list[str]) -> Columns | None:
    """The columns of a header row, or None if this is no header row."""
    place: dict[tuple[str, str], int] = {}
    for index, cell in enumerate(cells):
        words = header_words(cell)
        for side, field in _meanings(words):
            sides = (side,) if side or field in ("rate", "hash") else ("a", "b")
            free = next((key for key in ((s, field) for s in sides) if key not in place), None)
            if free is not None:
                place[free] = index
                break
    needed = [place.get((side, field)) for side in "ab" for field in ("device", "port")]
    a_device, a_port, b_device, b_port = needed
    if a_device is None or a_port is None or b_device is None or b_port is None:
        return None
    return Columns(
        a_device,
        a_port,
        b_device,
        b_port,
        place.get(("a", "kind")),
        place.get(("b", "kind")),
        place.get(("", "rate")),
        place.get(("", "hash")),
    )


def header_words(cell: str) -> str:
    """A header cell in lower case and single spaces: StartDevice, start_device and Start-Device are "start device"."""
    parted = re.sub(r"(?<=[a-z])(?=[A-Z]|\d$)", " ", cell)
    return re.sub(r"[^a-z0-9]+", " ", parted.lower()).strip().removeprefix(_FIRST)


def _meanings(words: str) -> Iterator[tuple[str, str]]:
    """(side, field) that a header cell may stand for: "a node name" is (a, device), a plain "port" ("", port)."""
    for field, texts in _FIELDS.items():
        if words in texts:
            yield "", field
    for side, prefixes in _SIDES.items():
        if words in prefixes:
            yield side, "device"
        for prefix in prefixes:
            rest = f" {words} ".replace(f" {prefix} ", " ", 1).strip()
            if rest != words:
                for field, texts in _FIELDS.items():
                    if rest in texts and field not in ("rate", "hash"):
                        yield side, field
