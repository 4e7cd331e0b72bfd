"""The boxes of a view: one device with its name, or several with a small square for each as long as there is room."""

import math
from dataclasses import dataclass

from designer.drawings.frame import Frame
from designer.drawings.scene import Scene, device_colour
from designer.drawings.svg import FILLS, NAME, SMALL, STRONG, SURFACE, Pen, Rect, fitted, short_name, spread, text_width
from designer.drawings.words import number_of, percent_words, ratio_words, short_ratio
from designer.wording.numbers import count
from estimator.diagrams.data import OUTSIDE, SINGLE, SPAN, Box, View
from estimator.diagrams.scope import address_of
from estimator.fabric.devices import CORE, LEAF, MANAGER, NODE, SPINE

MAX_GLYPHS = 400
MOST_SQUARES = 32
MOST_STEP = 36  # from one square of a row to the next
NETWORKS = {"in-band": "In-band network", "outside": "Networks outside the cluster"}


def squares_a_box(view: View) -> int:
    """Squares that each box of several switches may have, so that all glyphs stay few."""
    taken = len(view.boxes) + len(view.bundles) + view.n_columns + 12
    wanting = sum(len(box.devices) > 1 and (box.kind != NODE or view.axis == SINGLE) for box in view.boxes)
    return min(MOST_SQUARES, (MAX_GLYPHS - taken) // max(wanting, 1))


def draw_box(pen: Pen, scene: Scene, frame: Frame, number: int, shares: int) -> None:
    box, at = frame.view.boxes[number], frame.box(number)
    if box.kind == OUTSIDE:
        pen.rect(at, "box outside", SURFACE, FILLS["outside"], 6, dashed=True)
        pen.text((at.left + at.right) / 2, at.top + 22, NETWORKS.get(scene.into, "Another network"), "name")
    elif len(box.devices) == 1:
        _draw_single(pen, scene, frame, box, at)
    else:
        _draw_set(pen, scene, frame, box, at, shares)


def _draw_single(pen: Pen, scene: Scene, frame: Frame, box: Box, at: Rect) -> None:
    """One device: a box in its colour with as much of its name as fits."""
    device = int(box.devices[0])
    name, colour = scene.name(device), device_colour(scene, device, frame.view.load)
    href = scene.address(device)
    middle, room = (at.left + at.right) / 2, at.right - at.left - 6
    pen.open_glyph(f"{name}: {_facts(scene, frame.view, box)}", href, "one")
    pen.rect(at, "box", SURFACE, STRONG, 6)
    pen.rect(Rect(at.left, at.top, at.right, at.top + 8), f"fill-{colour}", FILLS[colour], radius=3)
    if colour == "down":
        pen.cross(Rect(middle - 7, at.top - 2, middle + 7, at.top + 12))
    shown = short_name(name, room, NAME)
    if shown:
        pen.text(middle, at.top + 25, shown, "name", strong=text_width(shown, NAME, True) <= room)
    caption = _caption(scene, box, room)
    if caption:
        pen.text(middle, at.top + 40, caption, "small")
    pen.close_glyph(href)


def _draw_set(pen: Pen, scene: Scene, frame: Frame, box: Box, at: Rect, shares: int) -> None:
    """Several devices: a box that leads to their list, with squares that lead to each."""
    middle, room = (at.left + at.right) / 2, at.right - at.left - 10
    scope = frame.view.scope
    if box.column != SPAN and not box.is_rest and frame.view.axis != SINGLE:
        scope = scope.within(frame.view.axis, box.number)
    href = scene.href(at=address_of(scope.listing(box.kind), scene.places))
    if box.is_rest:
        href = scene.href(at=address_of(frame.view.scope, scene.places), start=box.start)
    title = number_of(len(box.devices), box.kind, scene.role)
    pen.open_glyph(f"{title}: {_facts(scene, frame.view, box)}", href, "set")
    pen.rect(at, "box", SURFACE, STRONG, 6, dashed=box.is_rest)
    wanted = _set_words(scene, frame.view, box)
    words = next((one for one in wanted if text_width(one, SMALL) <= room), fitted(wanted[-1], room, SMALL))
    grid = _grid_of(frame, box, at, shares)
    pen.text(middle, at.bottom - 9 if grid else (at.top + at.bottom) / 2 + 4, words, "small")
    pen.close_glyph(href)
    if grid:
        _draw_squares(pen, scene, frame, box, at, grid)


def _grid_of(frame: Frame, box: Box, at: Rect, shares: int) -> "_Grid | None":
    """The squares of a box of several devices, if it has any."""
    is_single = frame.view.axis == SINGLE
    has_squares = len(box.devices) > 1 and (box.kind != NODE or is_single) and not (box.is_rest and is_single)
    return _grid(len(box.devices), shares, at.right - at.left - 12) if has_squares and shares >= 4 else None


def places_of(frame: Frame, number: int, shares: int) -> list[float]:
    """Where the squares in the first row of a box are; none where it has no squares."""
    at = frame.box(number)
    grid = _grid_of(frame, frame.view.boxes[number], at, shares)
    return grid.places(0, (at.left + at.right) / 2) if grid else []


def _set_words(scene: Scene, view: View, box: Box) -> list[str]:
    """What may stand in the box of several devices, the longest first."""
    n = count(len(box.devices))
    title = number_of(len(box.devices), box.kind, scene.role)
    if box.is_rest and view.axis == SINGLE:
        return [f"{n} more {title.partition(' ')[2]}", f"{n} more", f"+{n}", "more"]
    if box.down:
        figure = f"{count(box.down)} down"
    elif scene.mode == "ratio" and box.ratio is not None:
        figure = short_ratio(box.worst_ratio)
    elif scene.mode in ("alltoall", "allreduce") and box.load and box.ratio is not None:
        figure = percent_words(box.load)
    else:
        return [title, n]
    return [f"{title}, {figure}", figure]


def _draw_squares(pen: Pen, scene: Scene, frame: Frame, box: Box, at: Rect, grid: "_Grid") -> None:
    """The devices of a box, or the first of them and a sign that there are more."""
    middle, done = (at.left + at.right) / 2, 0
    top = at.top + (at.bottom - 20 - at.top - len(grid.rows) * grid.pitch + grid.gap) / 2 + 2
    size = grid.pitch - grid.gap
    for row in range(len(grid.rows)):
        for place in grid.places(row, middle):
            device = int(box.devices[done])
            colour, href = device_colour(scene, device, frame.view.load), scene.address(device)
            y = top + row * grid.pitch
            spot = Rect(place - size / 2, y, place + size / 2, y + size)
            pen.open_glyph(scene.name(device), href, "square")
            pen.rect(spot, f"fill-{colour}", FILLS[colour], radius=2)
            if colour == "down":
                pen.cross(spot)
            pen.close_glyph(href)
            done += 1
    if done < len(box.devices):
        pen.text(grid.places(0, middle)[-1] + grid.pitch / 2 + 1, top + grid.pitch - grid.gap, "…", "name", "start")


@dataclass(frozen=True)
class _Grid:
    """Squares of a box: how many in each row, how far apart in height, and how far along the row."""

    rows: tuple[int, ...]
    pitch: float
    gap: float
    step: float

    def places(self, row: int, middle: float) -> list[float]:
        """The middles of the squares of one row."""
        half = (self.rows[row] - 1) * self.step / 2
        return spread(middle - half, middle + half, self.rows[row])


def _grid(n: int, most: int, room: float) -> _Grid | None:
    """The largest squares of which all fit, else as many small ones as do; None where so few fit that they say little."""
    wanted = min(n, most)
    for pitch, gap, most_rows in ((16.0, 4.0, 2), (12.0, 3.0, 3), (9.0, 2.0, 4)):
        in_row = int((room + gap) // pitch)
        n_rows = max(-(-wanted // max(in_row, 1)), 1)
        if in_row >= 1 and n_rows <= most_rows:
            break
    else:
        in_row, n_rows = int((room + gap) // pitch), most_rows
    if wanted < n:
        in_row -= math.ceil(13 / pitch)  # room for the sign that there are more
    shown = min(wanted, max(in_row, 0) * n_rows)
    if shown < min(n, 6):
        return None
    each = -(-shown // n_rows)
    rows = tuple(min(each, shown - start) for start in range(0, shown, each))
    step = min(max((room - 2 * pitch) / rows[0], pitch), MOST_STEP)
    return _Grid(rows, pitch, gap, step)


def _caption(scene: Scene, box: Box, room: float) -> str:
    """The second line of a single device: what the mode is about, as far as it fits."""
    if box.down:
        wanted = ["down"]
    elif scene.mode == "ratio":
        wanted = [short_ratio(box.worst_ratio)] if box.worst_ratio is not None else []
    elif scene.mode in ("alltoall", "allreduce") and box.load is not None and box.kind in (LEAF, SPINE):
        wanted = [percent_words(box.load)] if box.worst_ratio is not None else []
    else:
        used, n_open = count(box.used_ports), count(box.open_ports)
        wanted = [f"{used} ports, {n_open} open"] if box.open_ports else []
        wanted += [f"{used} ports", used]
    return next((words for words in wanted if text_width(words, SMALL) <= room), "")


def _facts(scene: Scene, view: View, box: Box) -> str:
    """All that is known of a box, for its hint."""
    words = []
    if box.kind in (LEAF, SPINE, CORE):
        words.append(f"{count(box.used_ports)} ports in use, {count(box.open_ports)} open")
    if box.ratio is not None:
        worst = f", the worst {ratio_words(box.worst_ratio)}" if box.worst_ratio != box.ratio else ""
        words.append(f"oversubscription {ratio_words(box.ratio)}{worst}")
    if box.load is not None and box.kind in (LEAF, SPINE) and box.ratio is not None:
        words.append(f"uplinks {percent_words(box.load)} loaded")
    if box.down:
        words.append(f"{count(box.down)} down")
    if box.kind in (NODE, MANAGER):
        links = sum(b.links for b in view.bundles if view.boxes[b.lower] is box)
        words.append(f"{count(links)} links")
    return "; ".join(words)
