"""NetBox cables as CSV: the import form's columns (side_a_device, side_a_name …) or the cable table's export.

The table's export has the columns Device A, Termination A, Device B, Termination B, once they are chosen for the view or
"All data" is exported. A cell may name several terminations of a breakout cable, separated by commas; the import form lists
them in order of lane, while the table has no order, and which lane each end has cannot be derived from it.
"""

from collections.abc import Iterator

from estimator.asbuilt.ports import natural_key
from estimator.asbuilt.readers.found import LANE, FoundLinks, LinkSink, stated_hash
from estimator.asbuilt.readers.sheet import HEADER_ROWS, Row, plain
from estimator.errors import UnreadableFile

_NEEDED = ("side_a_device", "side_a_name", "side_b_device", "side_b_name")
_EXPORTED = ("device a", "termination a", "device b", "termination b")
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
    profile: int | None = None
    is_ordered = False
    for number, cells in rows:
        if sink.spec_hash is None and number < HEADER_ROWS:
            sink.spec_hash = stated_hash(" ".join(cells))
        if not any(cells) or cells[0].startswith("#"):
            continue
        if places is None:
            places = _places(cells)
            is_ordered = _NEEDED[0] in cells
            profile = next((index for index, cell in enumerate(cells) if cell.strip().lower() == "profile"), None)
        elif len(cells) <= max(places):
            sink.drop(number, "too_few_cells", ", ".join(cells))
        else:
            is_split = profile is not None and "breakout" in "".join(cells[profile : profile + 1]).lower()
            _read_cable(sink, number, [plain(cells[place]) for place in places], is_ordered, is_split)
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


def _read_cable(sink: LinkSink, number: int, cells: list[str], is_ordered: bool, is_split: bool) -> None:
    """One link, or one an end where a cable has several. A single end across from several is parted into lanes.

    So is side a of a breakout, by its profile, if only one of the far ends is plugged in.
    """
    sides = [(_parts(cells[i], is_ordered), _parts(cells[i + 1], is_ordered)) for i in (0, 2)]
    n_links = max(len(ports) for _, ports in sides)
    ends: list[list[tuple[str, str, str]]] = []
    for side, (devices, ports) in enumerate(sides):
        if not devices or not ports:
            return sink.drop(number, "no_device" if not devices else "no_port", ", ".join(cells))
        if len(ports) not in (1, n_links) or len(devices) not in (1, len(ports)):
            return sink.drop(number, "several_ends", ", ".join(cells))
        if len(ports) < n_links or (is_split and side == 0 and n_links == 1):
            ports = [f"{ports[0]}{LANE}{lane}" for lane in range(1, n_links + 1)]
        named = zip(devices * (len(ports) // len(devices)), ports, strict=True)
        ends.append([(device, "", port) for device, port in named])
    for a, b in zip(*ends, strict=True):
        sink.add(number, a, b)
    return None


def _parts(cell: str, is_ordered: bool) -> list[str]:
    """Names of a cell: as they stand in an import, in natural order from the table, which keeps none of its own."""
    parts = [part.strip() for part in cell.split(",") if part.strip()]
    return parts if is_ordered else sorted(parts, key=natural_key)
