"""A quote that offers whole racks: the trays and rack parts of a design's BOM are then one item, counted in racks."""

import re
from collections.abc import Sequence

from estimator.catalog.catalog import Catalog
from estimator.catalog.rack_records import FRAME, RackSystem
from estimator.quotes.items import Item, plain
from estimator.quotes.lines import QuoteLine
from estimator.quotes.match import MAX_READ, Match
from estimator.quotes.profile import SERVER, record_profile
from estimator.ranges import total_of

_OF_A_RACK = re.compile(
    r"\b(?:trays?|shel(?:f|ves)|switch(?:es)?|cables?|cartridges?|manifolds?|frames?|busbars?|blades?|nodes?|kits?|optics?"
    r"|modules?|support|service|warranty|licen[cs]es?|install\w*|for)\b",
    re.IGNORECASE,
)


def whole_racks_of(
    lines: Sequence[QuoteLine], items: Sequence[Item], catalog: Catalog
) -> tuple[list[Item], dict[str, Match]]:
    """Items with those of a rack that the quote offers whole as one, and the match of each line that offers it, by its id."""
    out = list(items)
    found: dict[str, Match] = {}
    for rack in catalog.racks.values():
        parts = {part.id for part in rack.parts}
        mine = [item for item in out if item.part in parts]
        offered = [line for line in lines if _names(line, rack)] if len(mine) == len(parts) else []
        if not offered:
            continue
        whole = _whole(rack, mine, catalog)
        out = [whole, *(item for item in out if item not in mine)]
        words = f"The description names the rack, with all that the bill of materials has of it ({len(mine)} lines)."
        found |= {line.id: Match((whole.key,), 0.85, words, "words", rack.id) for line in offered}
    return out, found


def _names(line: QuoteLine, rack: RackSystem) -> bool:
    """Whether a line is about the rack itself, and not about something in it or for it."""
    words = f"{line.description[:MAX_READ]} {line.part_number}"
    return plain(rack.model) in plain(words) and not _OF_A_RACK.search(words)


def _whole(rack: RackSystem, items: Sequence[Item], catalog: Catalog) -> Item:
    """All that the bill of materials has of a rack as one item; a rack costs what its pieces do, on average over the racks."""
    frame = next(part.id for part in rack.parts if part.holds == FRAME)
    n_racks = next(item.quantity for item in items if item.part == frame)
    unit = None
    if all(item.unit_cents for item in items):
        whole = total_of(item.unit_cents * item.quantity for item in items if item.unit_cents)
        unit = whole.each(lambda cents: round(cents / n_racks))
    tray = record_profile(rack.tray_id, catalog)
    return Item(
        rack.id,
        SERVER,
        rack.id,
        rack.part_numbers[0] if rack.part_numbers else None,
        f"{rack.vendor} {rack.model} rack",
        None,
        tray or items[0].profile,
        n_racks,
        0,
        unit,
        sorted(line for item in items for line in item.lines),
        list(dict.fromkeys(fabric for item in items for fabric in item.fabrics)),
        ["rack"],
    )
