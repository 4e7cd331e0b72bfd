"""Fronts of racks as boxes and words: drawn once, written as SVG here and as PDF in ``printed``."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from estimator.fabric.devices import CORE, LEAF, MANAGER, NODE, SPINE
from estimator.floor.devices import HOST
from estimator.floor.plan import FloorPlan
from estimator.units import W_PER_KW

UNIT, RACK_WIDTH, RULER, HEAD, GAP = 12.0, 168.0, 22.0, 40.0, 20.0
RACKS_ACROSS = 4
RACKS_A_FILE = 48
FILLS = {NODE: "#7b8b99", LEAF: "#0d5c63", SPINE: "#b4531b", CORE: "#5a4fa3", MANAGER: "#4a7a1e", HOST: "#c9d0d8"}
BLOCKS = {
    "nvlink-switch": "NVLink switches",
    "oob-switch": "out-of-band switches",
    "power-shelf": "power shelves",
    "scale-up-switch": "scale-up switches",
}
INK, LINE, PAPER, MUTED = "#17202a", "#b9c2cc", "#ffffff", "#55616e"


class Box(NamedTuple):
    """A rectangle; y counts down from the top of the drawing."""

    x: float
    y: float
    wide: float
    high: float
    fill: str
    stroke: str = ""


class Words(NamedTuple):
    """A line of text at its left end, on its base line."""

    x: float
    y: float
    text: str
    size: float
    fill: str = INK
    is_strong: bool = False


class Drawn(NamedTuple):
    """Racks side by side, and how large they are together."""

    boxes: tuple[Box, ...]
    words: tuple[Words, ...]
    wide: float
    high: float


def drawn(plan: FloorPlan, racks: Sequence[int]) -> Drawn:
    """Some racks (counted from 0), RACKS_ACROSS in a line."""
    boxes: list[Box] = []
    words: list[Words] = []
    line_high = HEAD + (plan.plan.rack_units or 0) * UNIT + GAP
    step = RULER + RACK_WIDTH + GAP
    for place, rack in enumerate(racks):
        x, y = RULER + place % RACKS_ACROSS * step, place // RACKS_ACROSS * line_high
        _rack(plan, rack, x, y + HEAD, boxes, words)
    across = min(max(len(racks), 1), RACKS_ACROSS)
    return Drawn(tuple(boxes), tuple(words), across * step, line_high * -(-len(racks) // RACKS_ACROSS))


def _rack(plan: FloorPlan, rack: int, x: float, top: float, boxes: list[Box], words: list[Words]) -> None:
    units = plan.plan.rack_units or 0
    high = units * UNIT
    kw = float(plan.max_w[rack]) / W_PER_KW
    words.append(Words(x, top - 20, plan.names[rack], 12, is_strong=True))
    words.append(Words(x, top - 7, f"{int(plan.used_units[rack])} of {units} U, up to {kw:.1f} kW", 8, MUTED))
    boxes.append(Box(x, top, RACK_WIDTH, high, PAPER, LINE))
    for unit in range(1, units + 1):
        y = top + high - unit * UNIT
        if unit > 1:
            boxes.append(Box(x, y + UNIT, RACK_WIDTH, 0.0, "", LINE))
        words.append(Words(x - 13, y + UNIT - 3, f"{unit:02d}", 6.5, MUTED))
    for block in plan.fixtures_in(rack):
        y = top + high - (block.first_unit + block.n_units - 1) * UNIT
        boxes.append(Box(x, y, RACK_WIDTH, block.n_units * UNIT, "#eef1f4", LINE))
        words.append(Words(x + 12, y + block.n_units * UNIT / 2 + 3, BLOCKS.get(block.holds, block.holds), 7, MUTED))
    for device in plan.devices_in(rack):
        y = top + high - (device.bottom_unit + device.units - 1) * UNIT
        tall = device.units * UNIT
        boxes.append(Box(x, y, RACK_WIDTH, tall, PAPER, INK))
        boxes.append(Box(x + 1, y + 1, 5, tall - 2, FILLS[device.kind]))
        words.append(Words(x + 10, y + min(tall, UNIT) - 3, device.name, 7.5, is_strong=True))
        room = max(int((RACK_WIDTH - 16 - 4.6 * len(device.name)) / 3.9), 0)
        model = device.part if len(device.part) <= room else device.part[: max(room - 1, 0)].rstrip() + "…" * (room > 1)
        words.append(Words(x + RACK_WIDTH - 4 - 3.9 * len(model), y + min(tall, UNIT) - 3, model, 6.5, MUTED))


def svg_of(one: Drawn, title: str) -> Iterator[str]:
    """A file by itself: no style sheet, script or font from elsewhere."""
    wide, high = one.wide, one.high
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:.0f} {high:.0f}" width="{wide:.0f}" height="{high:.0f}" '
        f'role="img" font-family="system-ui, sans-serif"><title>{escape(title)}</title>'
        f'<rect width="{wide:.0f}" height="{high:.0f}" fill="{PAPER}"/>'
    )
    for box in one.boxes:
        if not box.high:
            yield f'<path d="M{box.x:.1f} {box.y:.1f}h{box.wide:.1f}" stroke="{box.stroke}" stroke-width="0.4"/>'
            continue
        stroke = f' stroke="{box.stroke}" stroke-width="0.7"' if box.stroke else ""
        yield (
            f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.wide:.1f}" height="{box.high:.1f}" fill="{box.fill}"{stroke}/>'
        )
    for line in one.words:
        weight = ' font-weight="600"' if line.is_strong else ""
        yield (
            f'<text x="{line.x:.1f}" y="{line.y:.1f}" font-size="{line.size:g}" fill="{line.fill}"{weight}>'
            f"{escape(line.text)}</text>"
        )
    yield "</svg>\n"
