"""NetBox cables as CSV: the import form's columns (side_a_device, side_a_name …) or the cable table's export.

The table's export has the columns Device A, Termination A, Device B, Termination B, once they are chosen for the view or
"All data" is exported. A cell may name several terminations of a breakout cable, separated by commas.
"""

import re
from collections.abc import Iterator

from estimator.handoff.readers.found import FoundLinks, LinkSink, UnreadableFile
from estimator.handoff.readers.sheet import Row, plain

_NEEDED = ("side_a_device", "side_a_name", "side_b_device", "side_b_name")
_EXPORTED = ("device a", "termination a", "device b", "termination b")
_NATURAL = re.compile(r"(\d+)")
_HASH = re.compile(r"spec[ _-]?hash\W+([0-9a-f]{8,64})\b", re.I)
_KNOWN = {"side_a_type", "termination a", "side_a_name"}


def is_header(cells: list[str]) -> bool:
    """Whether this row is the header of NetBox cables, complete or not."""
    return bool(_KNOWN & {cell.strip().lower() for cell in cells})


def read(rows: Iterator[Row]) -> FoundLinks:
    """The links of a cable list.

    Raises
    ------
    UnreadableFile
        If the columns that name devices or terminations are missing.
    """
    sink = LinkSink()
    places: list[int] | None = None
    for number, cells in rows:
        if not any(cells) or cells[0].startswith("#"):
            if cells and (stated := _HASH.search(" ".join(cells))) is not None:
                sink.spec_hash = sink.spec_hash or stated[1]
            continue
        if places is None:
            places = _places(cells)
        elif len(cells) <= max(places):
            sink.drop(number, "too_few_cells", ", ".join(cells))
        else:
            _read_cable(sink, number, [plain(cells[place]) for place in places])
    if places is None:
        raise UnreadableFile("no_header", f"The file has no header row. NetBox's import has {', '.join(_NEEDED)}.")
    return sink.found("netbox")


def _places(header: list[str]) -> list[int]:
    cells = [cell.strip().lower() for cell in header]
    for wanted in (_NEEDED, _EXPORTED):
        if all(name in cells for name in wanted):
            return [cells.index(name) for name in wanted]
    missing = [name for name in (_EXPORTED if "termination a" in cells else _NEEDED) if name not in cells]
    raise UnreadableFile(
        "no_header",
        f"The cable list lacks {', '.join(missing)}. Export it from NetBox's cable table with Export, All data, or "
        "choose the columns Device A and Device B first.",
    )


def _read_cable(sink: LinkSink, number: int, cells: list[str]) -> None:
    """One link, or one a termination where a breakout cable has several; one device may stand for all of a side."""
    sides = [(_parts(cells[0]), _parts(cells[1])), (_parts(cells[2]), _parts(cells[3]))]
    n_links = max(len(ports) for _, ports in sides)
    ends: list[list[tuple[str, str, str]]] = []
    for devices, ports in sides:
        if not devices or not ports:
            return sink.drop(number, "no_device" if not devices else "no_port", ", ".join(cells))
        if len(ports) not in (1, n_links) or len(devices) not in (1, len(ports)):
            return sink.drop(number, "several_ends", ", ".join(cells))
        named = zip(devices * (len(ports) // len(devices)), ports, strict=True)
        ends.append([(device, "", port) for device, port in named] * (n_links // len(ports)))
    for a, b in zip(*ends, strict=True):
        sink.add(number, a, b)
    return None


def _parts(cell: str) -> list[str]:
    """Names of a cell, in natural order: NetBox keeps none of its own in a list of terminations."""
    parts = [part.strip() for part in cell.split(",") if part.strip()]
    return sorted(parts, key=lambda part: [int(t) if t.isdigit() else t for t in _NATURAL.split(part)])
