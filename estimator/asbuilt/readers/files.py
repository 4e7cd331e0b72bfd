"""A file of links in any of the formats, distinguished by its content."""

import csv
import io
import re
from collections.abc import Callable, Iterator
from typing import IO

from estimator.asbuilt.readers import iblinkinfo, ibnetdiscover, lldp, netbox, sheet, topo
from estimator.asbuilt.readers.found import MAX_LINE, TOO_LONG, FoundLinks, stated_hash
from estimator.errors import Problem, SpecError, UnreadableFile
from estimator.tables.process import Pages

AUTO = "auto"
FORMATS = ("ibnetdiscover", "iblinkinfo", "lldp", "topo", "csv", "xlsx", "netbox")
MAX_FILE_BYTES = 1_000_000_000
HEAD_BYTES = 65_536
DELIMITERS = ",;\t|"
_ESCAPE = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]")  # colours of a terminal


def read_links(file: IO[bytes], file_format: str = AUTO, max_bytes: int = MAX_FILE_BYTES) -> FoundLinks:
    """The links of a seekable file, read line by line.

    Parameters
    ----------
    file : binary file
    file_format : one of FORMATS, or "auto" to tell by content
    max_bytes : the largest file that is read [B]

    Raises
    ------
    SpecError
        For a format that does not exist.
    UnreadableFile
        If the file is empty, too large, or not of its format.
    """
    if file_format not in (AUTO, *FORMATS):
        known = ", ".join((AUTO, *FORMATS))
        raise SpecError([Problem("format", "not_a_choice", f"Formats are {known}, and {file_format} was requested.")])
    n_bytes = file.seek(0, io.SEEK_END)
    file.seek(0)
    if n_bytes > max_bytes:
        raise UnreadableFile(
            "file_too_large", f"The file has {n_bytes:,} bytes, and {max_bytes:,} are read. Split it by pod or by tier."
        )
    head = file.read(HEAD_BYTES)
    file.seek(0)
    if not head.strip():
        raise UnreadableFile("empty_file", "The file is empty. Give a dump, a .topo file, a sheet or a cable export.")
    encoding = _encoding(head)
    chosen = _reported_by_content(head, encoding) if file_format == AUTO else file_format
    return _READERS[chosen](file, encoding)


def _encoding(head: bytes) -> str:
    return "utf-16" if head[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"


def _reported_by_content(head: bytes, encoding: str) -> str:
    if head.startswith(b"PK"):
        return "xlsx"
    text = head.decode(encoding, "replace")
    if iblinkinfo.is_iblinkinfo(text):
        return "iblinkinfo"
    if lldp.is_lldp(text):
        return "lldp"
    if "guid=0x" in text or '"S-' in text or ("0x" in text and " - SW " in text):
        return "ibnetdiscover"
    if "->" in text and not _header_of(text):
        return "topo"
    return "netbox" if netbox.is_header(_header_of(text) or []) else "csv"


def _header_of(text: str) -> list[str] | None:
    """The first row of a delimited text that has four cells or more."""
    for line in text.splitlines()[: sheet.HEADER_ROWS]:
        cells = next(csv.reader([line], delimiter=_delimiter(line)), [])
        if len(cells) >= 4 and not line.startswith("#") and "->" not in line:
            return cells
    return None


def _delimiter(text: str) -> str:
    return max(DELIMITERS, key=text.count)


def _lines(file: IO[bytes], encoding: str) -> Iterator[str]:
    """Lines of a text file; what is over MAX_LINE comes as a line that no reader takes."""
    text = io.TextIOWrapper(file, encoding=encoding, errors="replace", newline=None)
    try:
        while line := text.readline(MAX_LINE):
            if len(line) == MAX_LINE and not line.endswith("\n"):
                while (rest := text.readline(MAX_LINE)) and not rest.endswith("\n"):
                    pass
                line = f"{TOO_LONG}\n"
            yield _ESCAPE.sub("", line.replace("\0", " ")) if "\0" in line or "\x1b" in line else line
    finally:
        if not file.closed:  # a generator that was left half-read ends after its file
            text.detach()


def _csv_rows(file: IO[bytes], encoding: str) -> Iterator[sheet.Row]:
    """(line number, cells) of a delimited file; a row with broken quotes comes as one cell."""
    lines = _lines(file, encoding)
    first: list[str] = []
    for line in lines:
        first.append(line)
        if len(first) == sheet.HEADER_ROWS or (not line.startswith("#") and max(map(line.count, DELIMITERS)) >= 3):
            break
    delimiter = _delimiter(first[-1] if first else "")

    def again() -> Iterator[str]:
        yield from first
        yield from lines

    rows = csv.reader(again(), delimiter=delimiter)
    while True:
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error:
            yield rows.line_num, ["(a row with broken quotes)"]
            continue
        yield rows.line_num, [cell.strip() for cell in cells[: sheet.MAX_COLUMNS]]


def _csv(file: IO[bytes], encoding: str) -> FoundLinks:
    return sheet.read(iter([("the file", _csv_rows(file, encoding))]), "csv")


def _xlsx(file: IO[bytes], encoding: str) -> FoundLinks:
    with Pages(file, "links") as pages:
        return sheet.read(pages.sheets(), "xlsx", stated_hash(pages.remark()))


_READERS: dict[str, Callable[[IO[bytes], str], FoundLinks]] = {
    "ibnetdiscover": lambda file, encoding: ibnetdiscover.read(_lines(file, encoding)),
    "iblinkinfo": lambda file, encoding: iblinkinfo.read(_lines(file, encoding)),
    "lldp": lambda file, encoding: lldp.read(_lines(file, encoding)),
    "topo": lambda file, encoding: topo.read(_lines(file, encoding)),
    "csv": _csv,
    "xlsx": _xlsx,
    "netbox": lambda file, encoding: netbox.read(_csv_rows(file, encoding)),
}
