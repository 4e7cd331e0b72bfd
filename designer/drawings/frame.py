"""Where the boxes of a view stand: tiers as rows, parts as columns, what serves all parts across."""

from dataclasses import dataclass

from designer.drawings.scene import EDGE, WIDTH, Scene, kinds_drawn
from designer.drawings.svg import Rect
from designer.drawings.words import axis_name, part_title
from designer.wording.numbers import count
from estimator.diagrams.data import OUTSIDE, SINGLE, SPAN, Box, Bundle, View
from estimator.diagrams.scope import address_of
from estimator.fabric.devices import LEAF, MANAGER, NODE, SPINE

GUTTER = 176
STRIP = 118  # for fabric managers
COLUMN_MOST = 300
GAP, PAD = 12, 6
BAND = 24
LANE, MESH_LANE = 88, 128
MOST_NAMED_BUNDLES = 40


@dataclass(frozen=True)
class Frame:
    """Where things stand."""

    view: View
    rows: dict[str, tuple[float, float]]  # kind → top, bottom
    left: float
    column_width: float
    span: tuple[float, float]
    held: tuple[str, ...]  # kinds inside the columns' frames
    height: float

    def box(self, number: int) -> Rect:
        """Where a box stands."""
        box = self.view.boxes[number]
        top, bottom = self.rows[box.kind]
        if box.kind == MANAGER:
            return Rect(self.span[1] + GAP, top, WIDTH - EDGE, bottom)
        if box.column != SPAN:
            left, right = self.column(box.column)
            inset = PAD if self.held else 0
            return Rect(left + inset, top, right - inset, bottom)
        alike = [n for n, other in enumerate(self.view.boxes) if other.kind == box.kind and other.column == SPAN]
        slot = (self.span[1] - self.span[0]) / len(alike)
        left = self.span[0] + alike.index(number) * slot
        gap = GAP if slot > 120 else 3
        return Rect(left + gap / 2, top, left + slot - gap / 2, bottom)

    def is_wide(self, number: int) -> bool:
        """Whether a box stands across all columns, so that a line may end anywhere along it."""
        box = self.view.boxes[number]
        alike = [other for other in self.view.boxes if other.kind == box.kind and other.column == SPAN]
        return box.column == SPAN and box.kind != MANAGER and len(alike) == 1

    def column(self, column: int) -> tuple[float, float]:
        """Left and right edge of a column's frame."""
        left = self.left + column * self.column_width
        return left + GAP / 2, left + self.column_width - GAP / 2


def frame_of(scene: Scene, view: View) -> Frame:
    kinds = [kind for kind in kinds_drawn(view) if kind != MANAGER]
    has_managers = any(box.kind == MANAGER for box in view.boxes)
    if has_managers and NODE not in kinds:
        kinds.append(NODE)
    right = WIDTH - EDGE - (STRIP + GAP if has_managers else 0)
    room = right - GUTTER
    width = min(room / max(view.n_columns, 1), COLUMN_MOST)
    held = tuple(k for k in kinds if any(box.kind == k and box.column != SPAN for box in view.boxes))
    held = held if view.axis != SINGLE else ()
    rows: dict[str, tuple[float, float]] = {}
    y = scene.top
    for place, kind in enumerate(kinds):
        if kind in held and kind == held[0]:
            y += BAND
        height = _row_height(view, kind)
        rows[kind] = (y, y + height)
        y += height
        if place < len(kinds) - 1:
            y += MESH_LANE if is_mesh(view, kind, kinds[place + 1]) else LANE
        if held and kind == held[-1]:
            y += PAD
    rows[MANAGER] = rows.get(NODE, (y, y))
    left = GUTTER + (room - width * view.n_columns) / 2
    return Frame(view, rows, left, width, (GUTTER, right), held, y)


def _row_height(view: View, kind: str) -> float:
    if kind == NODE:
        return 62 if view.axis == SINGLE else 46
    if kind == OUTSIDE:
        return 36
    alone = view.axis == SINGLE and kind in (LEAF, SPINE) and len([b for b in view.boxes if b.kind == kind]) > 1
    return 46 if alone else 62


def between(view: View, upper: str, lower: str) -> list[Bundle]:
    return [b for b in view.bundles if (view.boxes[b.upper].kind, view.boxes[b.lower].kind) == (upper, lower)]


def is_mesh(view: View, upper: str, lower: str) -> bool:
    return len(between(view, upper, lower)) > MOST_NAMED_BUNDLES


def way_in(scene: Scene, view: View, box: Box) -> tuple[str | None, str, str]:
    """(address, title, hint) of a column."""
    if box.is_rest:
        many = box.n_parts != 1
        title = f"{count(box.n_parts)} more {axis_name(view.axis, scene.places, many)}"
        address = scene.href(at=address_of(view.scope, scene.places), start=box.start)
        return address, title, f"{title}: show them"
    title = part_title(view.axis, box.number, scene.places)
    inner = view.scope.within(view.axis, box.number)
    return scene.href(at=address_of(inner, scene.places)), title, f"{title}: open it"
