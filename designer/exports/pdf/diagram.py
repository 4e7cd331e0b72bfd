"""The fabric's SVG, as drawings/overview.py draws it, in a report: the same rectangles, words and curves, as vectors."""

import re
from xml.etree import ElementTree

from reportlab.graphics.shapes import Drawing, Group, Path, Rect, Shape, String
from reportlab.lib.colors import Color, HexColor

from designer.drawings.overview import fabric_svg
from estimator.pdf.text import BOLD, REGULAR, printable, width
from estimator.result import PricedEstimate

NAMESPACE = "{http://www.w3.org/2000/svg}"
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_LETTER_ROOM = 0.86  # Vera is wider than the faces that the drawing was laid out for


def fabric_drawing(estimate: PricedEstimate, room: float) -> Drawing:
    """The compute fabric of an Estimate, ``room`` points wide."""
    root = ElementTree.fromstring(str(fabric_svg(estimate)))  # noqa: S314 - our own drawing, of a moment ago
    wide, high = (float(root.attrib[key]) for key in ("width", "height"))
    scale = room / wide
    group = Group(
        *(shape for element in root for shape in _shapes(element, high)), transform=(scale, 0, 0, scale, 0, 0)
    )
    drawing = Drawing(room, high * scale)
    drawing.add(group)
    return drawing


def _shapes(element: ElementTree.Element, high: float) -> list[Shape]:
    """An element with its y axis turned round; titles and descriptions have no shape."""
    match element.tag.removeprefix(NAMESPACE):
        case "rect":
            return [_rect(element, high)]
        case "path":
            return [_path(element, high)]
        case "text":
            return [_text(element, high)]
        case "g":
            for child in element:
                child.attrib.setdefault("fill", element.get("fill", "none"))
            return [shape for child in element for shape in _shapes(child, high)]
        case "title" | "desc":
            return []
        case tag:
            raise ValueError(f"the drawing has <{tag}>, which a report cannot show")


def _color(name: str | None, opacity: float = 1) -> Color | None:
    if name in (None, "none"):
        return None
    color = HexColor(name)
    return Color(color.red, color.green, color.blue, alpha=opacity)


def _numbers(element: ElementTree.Element, *names: str) -> list[float]:
    """Attributes that our drawings always give."""
    return [float(element.attrib[name]) for name in names]


def _rect(element: ElementTree.Element, high: float) -> Rect:
    x, y, wide, tall = _numbers(element, "x", "y", "width", "height")
    dashes = [float(part) for part in element.get("stroke-dasharray", "").split()] or None
    radius = float(element.get("rx", 0))
    return Rect(
        x,
        high - y - tall,
        wide,
        tall,
        rx=radius,
        ry=radius,
        fillColor=_color(element.get("fill")),
        strokeColor=_color(element.get("stroke")),
        strokeWidth=1,
        strokeDashArray=dashes,
    )


def _path(element: ElementTree.Element, high: float) -> Path:
    """``M x y C x1 y1 x2 y2 x y``, once or more: the lines of a bundle of links."""
    color = _color(element.get("stroke"), float(element.get("stroke-opacity", 1)))
    (wide,) = _numbers(element, "stroke-width")
    path = Path(fillColor=None, strokeColor=color, strokeWidth=wide, strokeLineCap=0)
    for line in element.get("d", "").split("M")[1:]:
        numbers = [float(part) for part in _NUMBER.findall(line)]
        points = [value if k % 2 == 0 else high - value for k, value in enumerate(numbers)]
        path.moveTo(*points[:2])
        path.curveTo(*points[2:])
    return path


def _text(element: ElementTree.Element, high: float) -> String:
    font = BOLD if element.get("font-weight") == "600" else REGULAR
    size, x, y = _numbers(element, "font-size", "x", "y")
    size *= _LETTER_ROOM
    words = printable(element.text or "", font)
    if element.get("text-anchor") == "middle":
        x -= width(words, font, size) / 2
    return String(x, high - y, words, fontName=font, fontSize=size, fillColor=_color(element.get("fill")))
