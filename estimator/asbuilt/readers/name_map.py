"""A CSV of two columns: a device's name in a file of links, and its name in the design."""

import csv
import io
from collections import Counter

from estimator.asbuilt.readers.found import MAX_NAME
from estimator.errors import UnreadableFile

MAX_NAMES = 300_000
_HEADERS = {"old", "from", "file", "in_file", "found", "name in file", "real"}


def read_name_map(data: bytes) -> dict[str, str]:
    """Name in the file → name in the design; a header row and rows that start with # are left out.

    Raises
    ------
    UnreadableFile
        If a row has not two names, or a name stands on either side twice.
    """
    names: dict[str, str] = {}
    rows = csv.reader(io.StringIO(data.decode("utf-8-sig", "replace").replace("\0", " "), newline=""))
    try:
        for number, row in enumerate(rows, start=1):
            cells = [cell.strip() for cell in row]
            if not any(cells) or cells[0].startswith("#") or (number == 1 and cells[0].lower() in _HEADERS):
                continue
            if len(cells) < 2 or not cells[0] or not cells[1] or max(map(len, cells[:2])) > MAX_NAME:
                raise _wrong(number, "has not two names: old,new")
            if cells[0] in names:
                raise _wrong(number, f"names {cells[0]} a second time")
            names[cells[0]] = cells[1]
            if len(names) > MAX_NAMES:
                raise _wrong(number, f"is beyond the {MAX_NAMES:,} names that are read")
    except csv.Error as error:
        raise _wrong(rows.line_num, f"has broken quotes ({error})") from None
    new, often = Counter(names.values()).most_common(1)[0] if names else ("", 0)
    if often > 1:
        raise UnreadableFile("name_map_wrong", f"The map of names gives {new} to {often} devices.")
    return names


def _wrong(row: int, what: str) -> UnreadableFile:
    return UnreadableFile("name_map_wrong", f"Row {row} of the map of names {what}.")
