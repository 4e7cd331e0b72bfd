"""The bundles of a view: a line for the links between two boxes, with their count and rate where there is room."""

from designer.drawings.boxes import NETWORKS, places_of
from designer.drawings.frame import BAND, GAP, PAD, Frame, between, is_mesh, way_in
from designer.drawings.scene import EDGE, WIDTH, Scene, bundle_colour, bundle_figure, stroke_of
from designer.drawings.svg import SMALL, STRAND_GAP, STRANDS, Pen, Rect, fan, spread, text_width
from designer.drawings.words import bundle_words, number_of, part_title
from designer.wording.numbers import count, gbit_s
from estimator.diagrams.data import OUTSIDE, SINGLE, SPAN, Box, Bundle, View
from estimator.diagrams.scope import address_of
from estimator.fabric.topology import FABRIC_MANAGER, LEAF_LEAF

CORNER = 12  # from the edge of a box to a line at its side


def _ends(frame: Frame, bundle: Bundle) -> tuple[float, float, float, float]:
    """(x0, y0, x1, y1) from the lower box to the upper one: straight up wherever one of them spans."""
    low, high = frame.box(bundle.lower), frame.box(bundle.upper)
    below, above = frame.view.boxes[bundle.lower], frame.view.boxes[bundle.upper]
    x0, x1 = (low.left + low.right) / 2, (high.left + high.right) / 2
    y0, y1 = low.top, high.bottom
    if frame.held and below.kind == frame.held[0]:
        y0 -= BAND
    if frame.held and above.kind == frame.held[-1]:
        y1 += PAD
    wide_low, wide_high = frame.is_wide(bundle.lower), frame.is_wide(bundle.upper)
    if bundle.tier == FABRIC_MANAGER and x0 > high.right:
        x1 = high.right - CORNER  # clear of the lines to the servers below
    elif wide_high and high.left < x0 < high.right:
        x1 = x0
    elif wide_low and low.left < x1 < low.right:
        x0 = x1
    return x0, y0, x1, y1


def _lines(frame: Frame, bundle: Bundle, shares: int) -> tuple[list[float], list[float]]:
    """Where the lines of a bundle begin and end: at each of the squares that stand in the box above, as far as few do."""
    x0, _, x1, _ = _ends(frame, bundle)
    places = (
        [] if frame.view.axis == SINGLE or bundle.tier == FABRIC_MANAGER else places_of(frame, bundle.upper, shares)
    )
    if not places:
        return [x0], [x1]
    upper, lower = frame.view.boxes[bundle.upper].kind, frame.view.boxes[bundle.lower].kind
    number = min(len(places), max(STRANDS // len(between(frame.view, upper, lower)), 3))
    band = min(STRAND_GAP * (number - 1), frame.column_width / 3)
    return spread(x0 - band / 2, x0 + band / 2, number), spread(places[0], places[-1], number)


def draw_bundle(pen: Pen, scene: Scene, frame: Frame, bundle: Bundle, shares: int) -> None:
    if bundle.lower == bundle.upper or bundle.tier == LEAF_LEAF:
        return  # named in the gutter
    colour = bundle_colour(scene, frame.view, bundle)
    x0, y0, x1, y1 = _ends(frame, bundle)
    starts, ends = _lines(frame, bundle, shares)
    middle = (y0 + y1) / 2
    upper, lower = frame.view.boxes[bundle.upper].kind, frame.view.boxes[bundle.lower].kind
    is_crowded = is_mesh(frame.view, upper, lower)
    route = (
        f"M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}"
        if is_crowded or abs(x0 - x1) < 1
        else (f"M{x0:.1f} {y0:.1f}C{x0:.1f} {middle:.1f} {x1:.1f} {middle:.1f} {x1:.1f} {y1:.1f}")
    )
    href = _bundle_address(scene, frame.view, bundle)
    boxes = [frame.view.boxes[end] for end in (bundle.lower, bundle.upper)]
    can_fail = scene.mode == "failure" and all(len(box.devices) == 1 for box in boxes)
    pen.open_glyph(_bundle_hint(scene, frame.view, bundle), href, "line", is_quiet=not can_fail)
    pen.path(route, "reach", "transparent", 9)
    width = 1.2 if is_crowded else 2.0 + min(len(str(bundle.links)) - 1, 4) * 1.4
    if len(ends) > 1:
        route, width = fan(starts, y0, ends, y1), max(1.2, min(1.6 * width / len(ends), 3))
    is_plain = colour == "plain"
    pen.path(
        route,
        f"bundle line-{colour}",
        stroke_of(colour),
        width,
        (0.38 if is_crowded else 0.5) if is_plain else 0.9,
        dashed=bundle.left == 0,
    )
    pen.close_glyph(href)


def _bundle_address(scene: Scene, view: View, bundle: Bundle) -> str | None:
    """In failure mode the fabric without these links; else the part or device at the lower end."""
    lower, upper = view.boxes[bundle.lower], view.boxes[bundle.upper]
    if len(lower.devices) == 1 and len(upper.devices) == 1:
        if scene.mode == "failure":
            return scene.toggled(int(lower.devices[0]), int(upper.devices[0]))
        return scene.href(at=scene.name(int(lower.devices[0])))
    box = lower if lower.column != SPAN else upper
    if view.axis == SINGLE and len(box.devices) == 1 and box.column != SPAN:
        return scene.href(at=scene.name(int(box.devices[0])))
    if box.column == SPAN or view.axis == SINGLE:
        return scene.href(at=address_of(view.scope, scene.places), start=box.start or 0)
    return way_in(scene, view, box)[0]


def _bundle_hint(scene: Scene, view: View, bundle: Bundle) -> str:
    lower, upper = view.boxes[bundle.lower], view.boxes[bundle.upper]
    ends = " to ".join(end_words(scene, view, box) for box in (lower, upper))
    total = gbit_s(bundle.links * bundle.rate_gbit_s)
    words = f"{ends}: {bundle_words(bundle)}" + (f", {total} each way" if bundle.links > 1 else "")
    figure = bundle_figure(scene, view, bundle)
    return f"{words}; {figure}" if figure else words


def end_words(scene: Scene, view: View, box: Box) -> str:
    if box.kind == OUTSIDE:
        return NETWORKS.get(scene.into, "another network")
    if len(box.devices) == 1:
        return scene.name(int(box.devices[0]))
    words = number_of(len(box.devices), box.kind, scene.role)
    if box.column == SPAN or box.is_rest or view.axis == SINGLE:
        return words
    title = part_title(view.axis, box.number, scene.places)
    return f"{words} of {title[0].lower() + title[1:]}"


def name_bundles(pen: Pen, scene: Scene, frame: Frame) -> None:
    """A figure on every bundle that has room for it."""
    for bundle in frame.view.bundles:
        lower, upper = frame.view.boxes[bundle.lower], frame.view.boxes[bundle.upper]
        if bundle.lower == bundle.upper or bundle.tier in (LEAF_LEAF, FABRIC_MANAGER):
            continue
        if is_mesh(frame.view, upper.kind, lower.kind):
            continue
        x0, y0, x1, y1 = _ends(frame, bundle)
        heights = (0.25, 0.5, 0.75) if abs(x0 - x1) < 1 else (0.5, 0.36, 0.64, 0.24, 0.76)
        spots = [(_along(x0, x1, t), y0 + (y1 - y0) * t + 4) for t in heights]
        figure = bundle_figure(scene, frame.view, bundle)
        room = Rect(frame.span[0], 0, WIDTH - EDGE, 0)
        full, short = bundle_words(bundle), f"{count(bundle.links)} × {bundle.rate_gbit_s}G"
        wanted = [full, short, f"{count(bundle.links)} links"]
        if figure:  # one of a failure names the links itself
            wanted = [figure] if scene.mode == "failure" else [f"{full}, {figure}", f"{short}, {figure}", figure]
        is_one_column = lower.column != SPAN or upper.column != SPAN
        wide = frame.column_width - GAP - 14 if is_one_column else frame.span[1] - frame.span[0]
        for words in (*wanted, count(bundle.links)):
            if (text_width(words, SMALL) <= wide or x0 != x1) and pen.place(words, spots, within=room):
                break


def _along(x0: float, x1: float, t: float) -> float:
    """x of the curve at t of its height: its handles stand straight up, so that it is the smooth step."""
    return x0 + (x1 - x0) * (3 * t * t - 2 * t * t * t)
