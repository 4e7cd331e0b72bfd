"""A part of a fabric, drawn: tiers as rows, parts side by side as columns, bundles with their count and rate.

Devices that are drawn together are one box with a small square for each, as long as there is room and the picture has not
too many glyphs; every square, box and heading leads on.
"""

from collections.abc import Sequence
from itertools import pairwise

from designer.drawings.boxes import draw_box, squares_a_box
from designer.drawings.bundles import draw_bundle, name_bundles
from designer.drawings.frame import BAND, GUTTER, PAD, Frame, between, frame_of, is_mesh, way_in
from designer.drawings.scene import EDGE, WIDTH, Scene, bundle_colour, draw_heading, draw_legend, kinds_drawn, legend_of
from designer.drawings.svg import HEAD, PAGE, SMALL, STRONG, Pen, Rect, fitted, lines_of, text_width, whole_words
from designer.drawings.words import HEADS, number_of, scope_title
from designer.wording.numbers import count, gbit_s
from estimator.diagrams.data import OUTSIDE, View
from estimator.fabric.devices import CORE, LEAF, MANAGER, NODE, SPINE
from estimator.fabric.topology import LEAF_LEAF


def draw_view(scene: Scene, view: View) -> tuple[str, Pen]:
    """The SVG of a view, and the pen that drew it."""
    pen, frame = Pen(), frame_of(scene, view)
    title = scope_title(view.scope, scene.places)
    draw_heading(pen, scene, title)
    _draw_columns(pen, scene, frame)
    shares = squares_a_box(view)
    for bundle in sorted(view.bundles, key=lambda b: bundle_colour(scene, view, b)):
        draw_bundle(pen, scene, frame, bundle, shares)
    for number in range(len(view.boxes)):
        draw_box(pen, scene, frame, number, shares)
    _draw_gutter(pen, scene, frame)
    name_bundles(pen, scene, frame)
    y = draw_legend(pen, frame.height + 16, legend_of(scene, kinds_drawn(view)), _note(scene))
    return pen.svg(WIDTH, y, f"{title}: {scene.role} network", in_words(scene, view)), pen


def in_words(scene: Scene, view: View) -> str:
    """The picture for those who cannot see it."""
    n = {kind: sum(len(box.devices) for box in view.boxes if box.kind == kind) for kind in kinds_drawn(view)}
    words = [", ".join(number_of(n[kind], kind, scene.role) for kind in n if kind != OUTSIDE) + "."]
    words += [
        f"{count(sum(b.links for b in some))} links of {gbit_s(some[0].rate_gbit_s)} between {HEADS[lower].lower()} and "
        f"{HEADS[upper].lower()}."
        for upper, lower in ((LEAF, NODE), (LEAF, MANAGER), (SPINE, LEAF), (CORE, SPINE), (OUTSIDE, LEAF))
        if (some := between(view, upper, lower))
    ]
    return " ".join(words)


def _note(scene: Scene) -> str:
    if scene.mode in ("alltoall", "allreduce"):
        pattern = "with every other server alike" if scene.mode == "alltoall" else "in rings over servers in order"
        return f"Every server sends at its line rate, {pattern}; a percentage is what the fullest link would have to carry."
    if scene.mode == "failure":
        return "Choose a switch, or the links between two single devices, to take it down; choose it again to bring it back."
    return ""


def _draw_columns(pen: Pen, scene: Scene, frame: Frame) -> None:
    """A frame around every column, with its name, which leads into the part."""
    if not frame.held:
        return
    top, bottom = frame.rows[frame.held[0]][0] - BAND, frame.rows[frame.held[-1]][1] + PAD
    for column in range(frame.view.n_columns):
        inside = [box for box in frame.view.boxes if box.column == column]
        if not inside:
            continue
        left, right = frame.column(column)
        box, one = inside[0], Rect(left, top, right, bottom)
        href, title, hint = way_in(scene, frame.view, box)
        pen.rect(one, "frame", PAGE, STRONG, 8, dashed=box.is_rest)
        pen.open_glyph(hint, href, "way")
        pen.rect(Rect(left, top, right, top + BAND), "grip", "none", radius=8)
        pen.text((left + right) / 2, top + 16, _heading(title, right - left - 10), "head", strong=True)
        pen.close_glyph(href)


def _heading(title: str, room: float) -> str:
    """A column's name; "218 more units" becomes "218 more" before letters are cut."""
    whole = next(
        (words for words in (title, whole_words(title, room / 1.07, HEAD)) if text_width(words, HEAD, True) <= room), ""
    )
    return whole or fitted(title, room, HEAD, True)


# ---------------------------------------------------------------- the left margin


def _draw_gutter(pen: Pen, scene: Scene, frame: Frame) -> None:
    """Every tier with its number and part, every lane with its links."""
    view = frame.view
    kinds = [kind for kind in kinds_drawn(view) if kind != MANAGER]
    for kind in kinds:
        top, _ = frame.rows[kind]
        n = sum(len(box.devices) for box in view.boxes if box.kind == kind)
        head = "Devices" if kind == NODE and scene.role != "compute" else HEADS[kind]
        pen.text(EDGE, top + 16, head, "head", "start", strong=True)
        part = scene.part_names.get(kind)
        words = f"{count(n)} × {part}" if part else count(n)
        for line, text in enumerate(lines_of(words if kind != OUTSIDE else "", GUTTER - EDGE - 14, SMALL, 2)):
            pen.text(EDGE, top + 31 + 13 * line, text, "small", "start")
    for upper, lower in pairwise(kinds):
        y = (frame.rows[upper][1] + frame.rows[lower][0]) / 2
        for line, text in enumerate(_lane_words(scene, view, upper, lower)):
            pen.text(EDGE, y - 8 + 13 * line, text, "small", "start")


def _lane_words(scene: Scene, view: View, upper: str, lower: str) -> Sequence[str]:
    some = between(view, upper, lower)
    if not some:
        return []
    links, left = sum(b.links for b in some), sum(b.left for b in some)
    words = [
        f"{count(links)} links of {gbit_s(some[0].rate_gbit_s)}",
        gbit_s(links * some[0].rate_gbit_s) + " each way",
    ]
    if is_mesh(view, upper, lower):
        each = sorted({b.links for b in some if not view.boxes[b.lower].is_rest})
        words.append(f"{each[0]} a pair" if len(each) == 1 else f"{each[0]} to {each[-1]} a pair")
    if left < links:
        words.append(f"{count(links - left)} down")
    pairs = sum(b.links for b in view.bundles if b.tier == LEAF_LEAF)
    if lower == NODE and pairs:
        words.append(f"{count(pairs)} links between pairs")
    return words
