"""A logo that somebody sends, PNG or SVG → a picture of known size that holds nothing else.

What is sent is not trusted: a PNG is decoded within bounds and written again; an SVG keeps shapes alone, of a few hundred
kilobytes, and is drawn here, so that no script, link, font, style sheet or picture from elsewhere gets into a paper.
"""

import io
import re
import subprocess
import sys
from xml.etree import ElementTree

from PIL import Image, UnidentifiedImageError

from estimator.errors import Problem, SpecError

MAX_BYTES = 512_000
MAX_PIXELS_A_SIDE = 4_000
LARGEST, WIDEST_RATIO = 1_200, 20  # pixels of the longer side as it is kept; longer side ÷ shorter side
MAX_ELEMENTS, MAX_UNITS = 2_000, 100_000.0
MAX_DRAWING_S, MAX_MEMORY = 10, 2**31  # of the process that draws: few shapes can be made that take minutes
SVG = "{http://www.w3.org/2000/svg}"
SHAPES = {"svg", "g", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "title", "desc", "defs"}
SHOWN = SHAPES - {"title", "desc", "defs"}
ATTRIBUTES = {
    *(
        "d",
        "x",
        "y",
        "x1",
        "x2",
        "y1",
        "y2",
        "cx",
        "cy",
        "r",
        "rx",
        "ry",
        "width",
        "height",
        "points",
        "viewBox",
        "transform",
    ),
    *("fill", "stroke", "stroke-width", "fill-rule", "clip-rule", "opacity", "fill-opacity", "stroke-opacity"),
    *("stroke-linecap", "stroke-linejoin", "stroke-miterlimit", "stroke-dasharray"),
}
_DRAW = f"""
import resource, sys, vl_convert
resource.setrlimit(resource.RLIMIT_AS, ({MAX_MEMORY:d}, {MAX_MEMORY:d}))
sys.stdout.buffer.write(vl_convert.svg_to_png(sys.stdin.buffer.read().decode()))
"""
_PLAIN = re.compile(r"[#\w\s.,+()%-]*")
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
_IN_BOX = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)")


def logo_png(data: bytes) -> bytes | None:
    """The picture as PNG; None for no data.

    Raises
    ------
    SpecError
        Under ``logo``, for what is no PNG or SVG, too large, or broken.
    """
    if not data:
        return None
    if len(data) > MAX_BYTES:
        message = f"A logo has {MAX_BYTES:,} bytes at most, and this one has {len(data):,}. Send a smaller one."
        raise _wrong("file_too_large", message)
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return _of_png(data)
    if b"<svg" in data[:4_096]:
        return _of_png(_drawn(_shapes_of(data)))
    raise _wrong("unreadable_file", "A logo is a PNG or SVG file, and this is neither. Save it as one of them.")


def _wrong(code: str, message: str) -> SpecError:
    return SpecError([Problem("logo", code, message)])


def _of_png(data: bytes) -> bytes:
    try:
        with Image.open(io.BytesIO(data), formats=("PNG",)) as picture:
            wide, high = picture.size
            if max(wide, high) > MAX_PIXELS_A_SIDE or max(wide, high) > WIDEST_RATIO * min(wide, high):
                message = (
                    f"A logo has {MAX_PIXELS_A_SIDE:,} pixels a side at most and is no more than {WIDEST_RATIO} times as wide as "
                    f"high, and this one is {wide:,} × {high:,}. Send a smaller one."
                )
                raise _wrong("out_of_range", message)
            kept = picture.convert("RGBA")
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise _wrong("unreadable_file", "This PNG is broken. Save it again.") from error
    kept.thumbnail((LARGEST, LARGEST))
    out = io.BytesIO()
    kept.save(out, "PNG")
    return out.getvalue()


def _shapes_of(data: bytes) -> str:
    """The shapes of an SVG, with a size in pixels."""
    if b"\0" in data:  # UTF-16 or UTF-32, in which the next search would find nothing
        raise _wrong("unreadable_file", "This SVG is not in UTF-8. Save it in that encoding.")
    if re.search(rb"<!\s*(DOCTYPE|ENTITY)", data, re.IGNORECASE):
        raise _wrong(
            "unreadable_file", "This SVG declares a document type or entities. Save it as plain SVG, without them."
        )
    try:
        root = ElementTree.fromstring(data)  # noqa: S314 - without entities nothing expands, and the size is bounded
    except (ElementTree.ParseError, ValueError, RecursionError) as error:
        raise _wrong("unreadable_file", "This SVG is no sound XML. Save it again.") from error
    if root.tag != f"{SVG}svg":
        raise _wrong("unreadable_file", f"The first element of an SVG is svg of {SVG[1:-1]}, and here it is another.")
    if sum(1 for _ in root.iter()) > MAX_ELEMENTS:
        raise _wrong(
            "out_of_range", f"A logo has {MAX_ELEMENTS:,} shapes at most, and this SVG has more. Save it as PNG."
        )
    wide, high = _size(root)
    kept = _kept(root)
    scale = LARGEST / max(wide, high)
    kept.set("width", f"{max(wide * scale, 1):.0f}")
    kept.set("height", f"{max(high * scale, 1):.0f}")
    if "viewBox" not in kept.attrib:
        kept.set("viewBox", f"0 0 {wide:g} {high:g}")
    if not any(one.tag.removeprefix(SVG) in SHOWN - {"svg", "g"} for one in kept.iter()):
        message = "This SVG has no shapes: pictures, texts and styles in it are not taken. Turn texts into paths, or send a PNG."
        raise _wrong("unreadable_file", message)
    ElementTree.register_namespace("", SVG[1:-1])
    return ElementTree.tostring(kept, encoding="unicode")


def _size(root: ElementTree.Element) -> tuple[float, float]:
    box = [float(part) for part in re.split(r"[\s,]+", root.get("viewBox", "").strip()) if _IN_BOX.fullmatch(part)]
    sides = box[2:4] if len(box) == 4 else [_number(root.get(name, "")) for name in ("width", "height")]
    if len(sides) != 2 or not all(0 < side <= MAX_UNITS for side in sides):
        raise _wrong(
            "out_of_range", f"This SVG has no size between 0 and {MAX_UNITS:,.0f} in its viewBox. Save it with one."
        )
    return sides[0], sides[1]


def _number(text: str) -> float:
    found = _NUMBER.match(text)
    return float(found[0]) if found else 0.0


def _kept(element: ElementTree.Element, depth: int = 0) -> ElementTree.Element:
    """The element with what is allowed of it."""
    if depth > 40:
        raise _wrong("out_of_range", "This SVG has groups more than 40 deep. Save it flattened, or as PNG.")
    out = ElementTree.Element(element.tag)
    for name, value in element.attrib.items():
        if name in ATTRIBUTES and _PLAIN.fullmatch(value) and "url" not in value.lower():
            out.set(name, value)
    for child in element:
        name = child.tag.removeprefix(SVG) if isinstance(child.tag, str) else ""
        if name in SHOWN and child.tag.startswith(SVG):
            out.append(_kept(child, depth + 1))
    return out


def _drawn(text: str) -> bytes:
    """Drawn by a process of its own, which is stopped where it takes too long."""
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", _DRAW], input=text.encode(), capture_output=True, timeout=MAX_DRAWING_S
        )
    except subprocess.TimeoutExpired as error:
        message = f"This SVG takes more than {MAX_DRAWING_S} s to draw. Take out what is fine or transparent, or save it as PNG."
        raise _wrong("out_of_range", message) from error
    if done.returncode:
        raise _wrong("unreadable_file", "This SVG cannot be drawn. Save it as PNG.")
    return done.stdout
