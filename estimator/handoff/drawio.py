"""A draw.io diagram: tiers as rows, a box a device or, in a large fabric, a group of them; docs/handoff.md, "draw.io".

The words about links stand in a column of their own at the left, between the rows they join, and every box is as wide as its
label: no two labels can meet, however many lines cross. What a line stands for is in its data (Edit Data, or the tooltip).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from estimator.cabling.links import LinkList
from estimator.fabric.devices import CORE, LEAF, MANAGER, NODE, SPINE
from estimator.fabric.topology import LEAF_LEAF, TIERS
from estimator.handoff.drawn_boxes import Box, Drawing, Line, drawings
from estimator.handoff.limits import refuse_above
from estimator.handoff.stamp import origin, title
from estimator.units import counted

MAX_BOXES_A_ROW = 64
ROWS = ((CORE,), (SPINE,), (LEAF,), (NODE, MANAGER))  # from the top
TIER_ROWS = (3, 3, 2, 1, 3)  # row above which each tier is described; links within pairs of leaves below these
CHARACTER, LINE, GAP, BOX_HEIGHT, ROW_GAP = 8, 18, 24, 48, 160  # px, for a 12 px font
COLOURS = {CORE: "#dae8fc", SPINE: "#d5e8d4", LEAF: "#fff2cc", NODE: "#f5f5f5", MANAGER: "#e1d5e7"}
BOX = "rounded=1;html=0;fontSize=12;strokeColor=#666666;fillColor={};"
TEXT = "text;html=0;align=left;verticalAlign=middle;fontSize=12;strokeColor=none;fillColor=none;"
EDGE = "endArrow=none;html=0;strokeColor=#999999;strokeWidth={};"
UPWARD = "exitX=0.5;exitY=0;entryX=0.5;entryY=1;"  # from the top of the lower box to the bottom of the upper one


@dataclass(frozen=True, slots=True)
class Place:
    """A rectangle. [px]"""

    x: int
    y: int
    width: int
    height: int

    @property
    def xml(self) -> str:
        """As a geometry."""
        return f'<mxGeometry x="{self.x}" y="{self.y}" width="{self.width}" height="{self.height}" as="geometry"/>'


def write(links: LinkList) -> Iterator[str]:
    """The most detailed drawing whose rows hold MAX_BOXES_A_ROW boxes at most.

    Raises
    ------
    SpecError
        For a fabric where even a box a pod is too many.
    """
    for drawn in drawings(links):
        widest = max(len(drawn.of(*kinds)) for kinds in ROWS)
        if widest <= MAX_BOXES_A_ROW:
            break
    refuse_above(MAX_BOXES_A_ROW, widest, "drawio", "boxes a row", "no one could read it", ("graphml", "node-link"))
    return _pieces(links, drawn)


def _pieces(links: LinkList, drawn: Drawing) -> Iterator[str]:
    name = quoteattr(links.role)
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<mxfile host="Clusterwright"><diagram id={name} name={name}>\n'
    yield '<mxGraphModel grid="1" gridSize="8" page="0" tooltips="1"><root>\n<mxCell id="0"/><mxCell id="1" parent="0"/>\n'
    heading = f"{title(links)}\nspec {links.spec_hash}; drawn: {drawn.detail}"
    yield _text("title", heading, Place(0, 0, _width(heading), 2 * LINE), **origin(links))
    notes = _notes(links, drawn)
    left = max(_width(note) for _, note in notes) + GAP
    for number, (y, note) in enumerate(notes):
        yield _text(f"note-{number}", note, Place(0, y, _width(note), LINE * (note.count("\n") + 1)))
    for number, place in sorted(_places(drawn, left).items()):
        yield _box(number, drawn.boxes[number], place)
    for number, line in enumerate(drawn.lines):
        yield _line(number, line)
    yield "</root></mxGraphModel></diagram></mxfile>\n"


def _rows(drawn: Drawing) -> list[tuple[int, list[int]]]:
    """(place in ROWS, its boxes) of the rows that have any, from the top."""
    return [(row, boxes) for row, kinds in enumerate(ROWS) if (boxes := drawn.of(*kinds))]


def _span(drawn: Drawing) -> int:
    """Width of the widest row, without fabric managers."""
    return max(
        sum(_width(drawn.boxes[box].label) + GAP for box in drawn.of(kind)) for kind in COLOURS if kind != MANAGER
    )


def _top(position: int, span: int) -> int:
    """Upper edge of a row; the wider the rows, the further apart, so that lines keep a slope."""
    return 3 * LINE + GAP + position * (BOX_HEIGHT + max(ROW_GAP, span // 8))


def _places(drawn: Drawing, left: int) -> dict[int, Place]:
    """Every box in its row; each row spread over the width of the widest, so that groups stand below their switches.

    Fabric managers stand beyond that width, beside the nodes.
    """
    span, places = _span(drawn), {}
    for position, (_, boxes) in enumerate(_rows(drawn)):
        spread = [box for box in boxes if drawn.boxes[box].kind != MANAGER]
        widths = {box: _width(drawn.boxes[box].label) for box in boxes}
        room = (span - sum(widths[box] for box in spread)) // len(spread)  # beside each box, half of it on either side
        x = left + room // 2
        for box in spread:
            places[box] = Place(x, _top(position, span), widths[box], BOX_HEIGHT)
            x += widths[box] + room
        x = left + span
        for box in sorted(set(boxes) - set(spread)):
            places[box] = Place(x, _top(position, span), widths[box], BOX_HEIGHT)
            x += widths[box] + GAP
    return places


def _notes(links: LinkList, drawn: Drawing) -> list[tuple[int, str]]:
    """(y, words) about the links below each row but the lowest: number, rate, and how many a line stands for."""
    notes, span = [], _span(drawn)
    for position, (row, _) in enumerate(_rows(drawn)[1:], start=1):
        words = []
        for tier in (tier for tier, lower in enumerate(TIER_ROWS) if lower == row):
            counts = [line.n_links for line in drawn.lines if line.tier == tier]
            if counts:
                rate = int(links.table.rate_gbit_s[links.table.rows(tier)][0])
                a_line = f"{min(counts):,}" if min(counts) == max(counts) else f"{min(counts):,} to {max(counts):,}"
                words.append(f"{TIERS[tier]}: {counted(sum(counts), 'link')} of {rate} Gb/s, {a_line} a line")
        between = (_top(position - 1, span) + BOX_HEIGHT + _top(position, span)) // 2
        notes.append((between - LINE, "\n".join(words)))
    return notes


def _width(label: str) -> int:
    return GAP + CHARACTER * max(len(line) for line in label.split("\n"))


def _box(number: int, box: Box, place: Place) -> str:
    style = quoteattr(BOX.format(COLOURS[box.kind]))
    cell = f'<mxCell style={style} vertex="1" parent="1">{place.xml}</mxCell>'
    ends = box.names[0] if len(box.names) == 1 else f"{box.names[0]} to {box.names[-1]}"
    return _object(f"box-{number}", box.label, cell, kind=box.kind, devices=str(len(box.names)), names=ends)


def _line(number: int, line: Line) -> str:
    """Thicker for more links: a pixel for each doubling, six at most."""
    style = EDGE.format(min(line.n_links.bit_length(), 6)) + UPWARD * (line.tier != LEAF_LEAF)
    ends = f'source="box-{line.lower}" target="box-{line.upper}"'
    geometry = '<mxGeometry relative="1" as="geometry"/>'
    cell = f'<mxCell style="{style}" edge="1" parent="1" {ends}>{geometry}</mxCell>'
    return _object(f"line-{number}", "", cell, tier=TIERS[line.tier], links=str(line.n_links))


def _text(key: str, words: str, place: Place, **data: str) -> str:
    return _object(key, words, f'<mxCell style="{TEXT}" vertex="1" parent="1">{place.xml}</mxCell>', **data)


def _object(key: str, label: str, cell: str, **data: str) -> str:
    """A cell with a label and data of its own, shown as the cell's tooltip."""
    shown = "".join(f" {name}={quoteattr(value)}" for name, value in data.items())
    return f'<object id="{key}" label={quoteattr(label)}{shown}>{cell}</object>\n'
