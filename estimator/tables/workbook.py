"""Rows of an XLSX workbook by the standard library: values only, no macros, no formulas evaluated, no DTD, bounded size."""

import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, Any
from xml.parsers import expat

from estimator.digits import is_whole_number
from estimator.errors import UnreadableFile

MAX_UNPACKED_BYTES = 1_500_000_000
MAX_PARTS = 2_000
MAX_STRINGS_BYTES = 250_000_000
MAX_CELL = 2_000
PROPERTIES = "docProps/core.xml"
MAX_COLUMNS = 200
CHUNK_BYTES = 262_144
MAX_TAG_BYTES = 1_000_000
"""Of one element with its attributes: a parser looks at a tag from its start again with every piece that it is given."""
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    LookupError,
    NotImplementedError,
    RuntimeError,
)
"""What the standard library raises at an archive whose directory or parts are not what they say: by trial, all of these."""
Row = tuple[int, list[str]]


def remark(file: IO[bytes], max_unpacked_bytes: int = MAX_UNPACKED_BYTES) -> str:
    """What the workbook's properties say: its title and description."""
    with opened(file, max_unpacked_bytes) as archive:
        return _Properties(archive).words if PROPERTIES in archive.namelist() else ""


def sheets(file: IO[bytes], max_unpacked_bytes: int = MAX_UNPACKED_BYTES) -> Iterator[tuple[str, Iterator[Row]]]:
    """(title, rows) of every worksheet; rows are (number from 1, cells as text).

    Raises
    ------
    UnreadableFile
        If this is no workbook, is encrypted, would unpack to more than the bound, or has a DTD in it.
    """
    with opened(file, max_unpacked_bytes) as archive:
        strings = shared_strings(archive)
        for title, part in worksheets(archive):
            yield title, _rows(archive, part, strings)


def opened(file: IO[bytes], limit: int) -> zipfile.ZipFile:
    """Refuse before anything is unpacked; reading stops at the size that a part declares."""
    try:
        archive = zipfile.ZipFile(file)
    except DAMAGED:
        raise UnreadableFile("not_a_workbook", "The file is no XLSX workbook: it cannot be unpacked.") from None
    parts = archive.infolist()
    unpacked = sum(part.file_size for part in parts)
    if len(parts) > MAX_PARTS or unpacked > limit:
        raise UnreadableFile(
            "workbook_too_large",
            f"The workbook has {len(parts):,} parts that unpack to {unpacked:,} bytes; {MAX_PARTS:,} and {limit:,} are read. "
            "Save the one sheet that matters, or save it as CSV.",
        )
    if any(part.flag_bits & 1 for part in parts):
        raise UnreadableFile("workbook_encrypted", "The workbook has a password. Save a copy without one.")
    return archive


class Parser:
    """A pull of one XML part: ``start``, ``end`` and ``text`` are called with names as they are written there."""

    def __init__(self, archive: zipfile.ZipFile, part: str) -> None:
        self._archive, self._part = archive, part
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._parser.EntityDeclHandler = self._refuse
        self._parser.StartElementHandler = self.start
        self._parser.EndElementHandler = self.end
        self._parser.CharacterDataHandler = self.text

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""

    def end(self, name: str) -> None:
        """An element ends."""

    def text(self, data: str) -> None:
        """Text inside an element."""

    def _refuse(self, *_: Any) -> None:
        raise UnreadableFile("workbook_has_dtd", f"{self._part} declares a document type, which no spreadsheet needs.")

    def chunks(self) -> Iterator[None]:
        """Parse on, a piece a step."""
        n_bytes = 0
        try:
            for chunk in self._unpacked():
                self._parser.Parse(chunk, False)
                n_bytes += len(chunk)
                if n_bytes - self._parser.CurrentByteIndex > MAX_TAG_BYTES:
                    raise UnreadableFile(
                        "not_a_workbook",
                        f"{self._part} has one element of more than {MAX_TAG_BYTES:,} bytes, which no sheet has.",
                    )
                yield
            self._parser.Parse(b"", True)
            yield
        except expat.ExpatError as error:
            raise UnreadableFile("not_a_workbook", f"{self._part} is broken XML: {error}.") from None

    def _unpacked(self) -> Iterator[bytes]:
        """The part, piece by piece."""
        if self._part not in self._archive.NameToInfo:
            raise UnreadableFile("not_a_workbook", f"The workbook lacks its part {self._part}.")
        try:
            with self._archive.open(self._part) as stream:
                while chunk := stream.read(CHUNK_BYTES):
                    yield chunk
        except DAMAGED as error:
            raise UnreadableFile("not_a_workbook", f"{self._part} cannot be unpacked: {error}.") from None


def column_number(letters: str) -> int:
    """A → 0, Z → 25, AA → 26."""
    number = 0
    for letter in letters[:3]:
        number = number * 26 + ord(letter) - 64
    return max(number - 1, 0)


def is_number(text: str) -> bool:
    """Whether a text is the number of a row or of a shared text: a workbook has 2^20 rows a sheet."""
    return is_whole_number(text, 8)


def local(name: str) -> str:
    """An element's or attribute's name without its prefix."""
    return name.rpartition(":")[2]


class Elements(Parser):
    """Attributes of all elements of some names."""

    def __init__(self, archive: zipfile.ZipFile, part: str, wanted: str) -> None:
        super().__init__(archive, part)
        self.found: list[dict[str, str]] = []
        self._wanted = wanted
        for _ in self.chunks():
            if len(self.found) > MAX_PARTS:
                raise UnreadableFile("workbook_too_large", f"{part} names more than {MAX_PARTS:,} parts.")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if local(name) == self._wanted:
            self.found.append({local(key): value for key, value in attributes.items()})


def worksheets(archive: zipfile.ZipFile) -> Iterator[tuple[str, str]]:
    targets = {
        relation.get("Id", ""): relation.get("Target", "")
        for relation in Elements(archive, "xl/_rels/workbook.xml.rels", "Relationship").found
        if relation.get("Type", "").endswith("/worksheet")
    }
    for sheet in Elements(archive, "xl/workbook.xml", "sheet").found:
        target = targets.get(sheet.get("id", ""))
        if target:
            yield sheet.get("name", ""), target.lstrip("/") if target.startswith("/") else f"xl/{target}"


class _Properties(Parser):
    """All words of the document's properties."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        super().__init__(archive, PROPERTIES)
        self.words = ""
        for _ in self.chunks():
            self.words = self.words[:MAX_CELL]

    def text(self, data: str) -> None:
        if len(self.words) < MAX_CELL:
            self.words += f" {data[:MAX_CELL]}"


class _Strings(Parser):
    """The table of texts; readings for the eye (rPh) are left out."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        super().__init__(archive, "xl/sharedStrings.xml")
        self.found: list[str] = []
        self._pieces: list[str] = []
        self._depth_reading, self._in_text, self._kept_bytes = 0, False, 0
        for _ in self.chunks():
            if self._kept_bytes > MAX_STRINGS_BYTES:
                raise UnreadableFile(
                    "workbook_too_large", f"The workbook's texts are over {MAX_STRINGS_BYTES:,} bytes. Save it as CSV."
                )

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = local(name)
        if name == "rPh":
            self._depth_reading += 1
        self._in_text = name == "t" and not self._depth_reading

    def end(self, name: str) -> None:
        self._in_text = False
        name = local(name)
        if name == "rPh":
            self._depth_reading -= 1
        elif name == "si":
            text = "".join(self._pieces)[:MAX_CELL]
            self.found.append(text)
            self._kept_bytes += len(text) + 50
            self._pieces.clear()

    def text(self, data: str) -> None:
        if self._in_text:
            self._pieces.append(data)


def shared_strings(archive: zipfile.ZipFile) -> list[str]:
    return _Strings(archive).found if "xl/sharedStrings.xml" in archive.namelist() else []


class _Cells(Parser):
    """Rows of a worksheet. Of a formula's cell the stored value counts; the formula is not looked at."""

    def __init__(self, archive: zipfile.ZipFile, part: str, strings: list[str]) -> None:
        super().__init__(archive, part)
        self.rows: list[Row] = []
        self._strings = strings
        self._cells: list[str] = []
        self._number, self._column, self._kind, self._keeps = 0, 0, "", False
        self._pieces: list[str] = []
        self._column_of: dict[str, int] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if ":" in name:
            name = local(name)
        if name == "c":
            self._kind = attributes.get("t", "n")
            letters = attributes.get("r", "").rstrip("0123456789")
            column = self._column_of.get(letters)
            self._column = self._new_column(letters) if column is None else column
            self._pieces.clear()
        elif name in ("v", "t"):
            self._keeps = True
        elif name == "row":
            number = attributes.get("r", "")
            self._number = int(number) if is_number(number) else self._number + 1
            self._cells = []

    def end(self, name: str) -> None:
        if ":" in name:
            name = local(name)
        self._keeps = False
        if name == "c" and self._pieces and self._column < MAX_COLUMNS:
            cells, missing = self._cells, self._column + 1 - len(self._cells)
            if missing > 0:
                cells.extend([""] * missing)
            cells[self._column] = self._value("".join(self._pieces)[:MAX_CELL]).strip()
        elif name == "row":
            self.rows.append((self._number, self._cells))

    def text(self, data: str) -> None:
        if self._keeps:
            self._pieces.append(data)

    def _value(self, text: str) -> str:
        if self._kind == "s":
            index = int(text) if is_number(text) else len(self._strings)
            return self._strings[index] if index < len(self._strings) else ""
        return text[:-2] if self._kind == "n" and text.endswith(".0") else text

    def _new_column(self, letters: str) -> int:
        """Number of a column; a cell without a place follows the one before it."""
        if not letters:
            return len(self._cells)
        self._column_of[letters] = column_number(letters)
        return self._column_of[letters]


def _rows(archive: zipfile.ZipFile, part: str, strings: list[str]) -> Iterator[Row]:
    cells = _Cells(archive, part, strings)
    for _ in cells.chunks():
        yield from cells.rows
        cells.rows.clear()
