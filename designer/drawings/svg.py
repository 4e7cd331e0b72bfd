"""What every picture is drawn with: colours, widths of words, elements of SVG, and a pen that keeps words apart.

Widths of words are reckoned on the wide side, as the reader's fonts are not known. Colours stand as attributes, which the
page's stylesheet overrides: the same picture follows the page's scheme and can be saved as a file.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from html import escape
from typing import NamedTuple

FONT = "system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif"
TEXT, MUTED = "#17202a", "#55616e"
SURFACE, PAGE, SUNKEN, LINE, STRONG = "#ffffff", "#f5f6f8", "#eef1f4", "#dce1e7", "#b9c2cc"
BUNDLE = "#7b8b99"
NARROW, WIDE = "iljtfI.,:;'|!()[]/ \N{NO-BREAK SPACE}·", "mwMW@%—…GOQ"
TITLE, HEAD, NAME, SMALL, TINY, PORT = 16.0, 13.0, 11.5, 10.5, 9.5, 8.5
BEND_OUT, BEND_IN = 39, 16  # how far from the lower and from the upper box the lines of a bundle turn
STRANDS, STRAND_GAP = 96, 3  # lines of all bundles between two tiers, about; and how close those of one begin
SIZES = {"title": TITLE, "head": HEAD, "name": NAME, "small": SMALL, "tiny": TINY, "port": PORT}
FILLS = {
    "node": BUNDLE,
    "manager": "#5a4fa3",
    "leaf": "#8fc1bd",
    "spine": "#3f8f92",
    "core": "#0d5c63",
    "outside": "#b4531b",
    "open": SURFACE,
    "kept": SUNKEN,
    "peer": "#b4531b",
    "gpu": "#b8d8a8",
    "nic": "#9db8dc",
    "pcie": "#e9ddc0",
    "cpu": "#d9cfe8",
    "nvswitch": "#7fb069",
    "down": "#a8231b",
    "heat-0": "#86b9d1",
    "heat-1": "#4789b3",
    "heat-2": "#a06d17",
    "heat-3": "#ab4515",
    "heat-4": "#7a1111",  # more is darker
}


class Rect(NamedTuple):
    """A box on the picture."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Rect") -> bool:
        """Whether two boxes have a point in common, edges aside."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


class _Ems(dict[str, float]):
    """Width of each letter in ems, found when it is first requested."""

    def __missing__(self, letter: str) -> float:
        wide = 0.37 if letter in NARROW else 0.95 if letter in WIDE else 0.74 if letter.isupper() else 0.61
        self[letter] = wide
        return wide


_EMS = _Ems()


@lru_cache(maxsize=4096)
def _ems(words: str) -> float:
    return sum(_EMS[letter] for letter in words)


def text_width(words: str, size: float, is_bold: bool = False) -> float:
    """Width of words at most, in the widest of the usual fonts."""
    return _ems(words) * size * (1.07 if is_bold else 1.0)


def fitted(words: str, room: float, size: float, is_bold: bool = False) -> str:
    """Words cut to a width, with a sign that they were; nothing where not even a few letters fit."""
    if text_width(words, size, is_bold) <= room:
        return words
    while words and text_width(words + "…", size, is_bold) > room:
        words = words[:-1]
    return words.rstrip(" ,·-") + "…" if len(words) > 2 else ""


def short_name(name: str, room: float, size: float) -> str:
    """A device's name as far as there is room: whole, without its first parts, or nothing. Its end tells devices apart."""
    parts = name.split("-")
    for start in range(len(parts)):
        words = "-".join(parts[start:])
        if text_width(words, size) <= room:
            return words
    return ""


def whole_words(words: str, room: float, size: float) -> str:
    """As many whole words from the start as there is room for; nothing where the first does not fit."""
    parts = words.split(" ")
    while parts and text_width(" ".join(parts), size) > room:
        parts.pop()
    return " ".join(parts).rstrip(",")


def lines_of(words: str, room: float, size: float, most: int) -> list[str]:
    """Words in at most so many lines of a width; what does not fit is cut."""
    lines: list[str] = []
    rest = words.split(" ")
    while rest and len(lines) < most:
        taken = 1
        while taken < len(rest) and text_width(" ".join(rest[: taken + 1]), size) <= room:
            taken += 1
        if len(lines) == most - 1:
            taken = len(rest)
        lines.append(fitted(" ".join(rest[:taken]), room, size))
        rest = rest[taken:]
    return [line for line in lines if line]


def spread(low: float, high: float, number: int) -> list[float]:
    """So many places from low to high, evenly; the middle for one."""
    if number == 1:
        return [(low + high) / 2]
    return [low + (high - low) * k / (number - 1) for k in range(number)]


def _short(place: float) -> str:
    """A place to a tenth, and no digit more than it takes: a page has thousands."""
    return f"{place:.1f}".removesuffix(".0")


def fan(starts: list[float], y0: float, ends: list[float], y1: float) -> str:
    """The route of lines from a lower box to an upper one: straight up past a label, then each to its end."""
    out, into = y0 - BEND_OUT, y1 + BEND_IN
    return "".join(
        f"M{_short(x0)} {_short(y0)}C{_short(x0)} {_short(out)} {_short(x1)} {_short(into)} {_short(x1)} {_short(y1)}"
        for x0, x1 in zip(starts, ends, strict=True)
    )


def rect(css: str, x: float, y: float, width: float, height: float, paint: str) -> str:
    """A rectangle; ``paint`` is its attributes of colour and corner."""
    return f'<rect class="{css}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" {paint}/>'


def label(css: str, x: float, y: float, words: str, anchor: str, paint: str) -> str:
    """Words on a baseline at y; ``paint`` is their attributes of size, weight and colour."""
    return f'<text class="{css}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {paint}>{escape(words)}</text>'


def picture(
    css: str, size: tuple[float, float], parts: Sequence[str], role: str, name: str, title: str, words: str
) -> str:
    """The whole SVG, with its title and what it says in words; ``name`` keeps their ids apart on a page."""
    width, height = size
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{css}" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="{role}" aria-labelledby="{name}-title {name}-desc" font-family="{FONT}">'
        f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-desc">{escape(words)}</desc>'
        f"{''.join(parts)}</svg>"
    )


class Pen:
    """Draws; remembers where words are and how many glyphs there are."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.labels: list[Rect] = []
        self.n_glyphs = 0

    # ------------------------------------------------ words

    def text(
        self,
        x: float,
        y: float,
        words: str,
        kind: str = "name",
        anchor: str = "middle",
        strong: bool = False,
        css: str = "",
    ) -> Rect:
        """Words on a baseline at y; where they are is remembered."""
        size = SIZES[kind]
        box = self.box_of(x, y, words, kind, anchor, strong)
        if not words:
            return box
        self.labels.append(box)
        weight = 'font-weight="600" ' if strong else ""
        fill = TEXT if strong or kind in ("title", "head") else MUTED
        classes = " ".join(word for word in ("w", f"w-{kind}", "w-strong" if strong else "", css) if word)
        self.parts.append(label(classes, x, y, words, anchor, f'font-size="{size}" {weight}fill="{fill}"'))
        return box

    def box_of(self, x: float, y: float, words: str, kind: str, anchor: str, strong: bool = False) -> Rect:
        """Where words would be."""
        size = SIZES[kind]
        width = text_width(words, size, strong)
        left = {"start": x, "middle": x - width / 2, "end": x - width}[anchor]
        return Rect(left, y - 0.8 * size, left + width, y + 0.25 * size)

    def place(
        self, words: str, spots: Iterable[tuple[float, float]], kind: str = "small", within: Rect | None = None
    ) -> bool:
        """Words at the first of some spots where they cover no other words; False if there is none."""
        for x, y in spots:
            box = self.box_of(x, y, words, kind, "middle")
            inside = within is None or (box.left >= within.left and box.right <= within.right)
            pad = 2 if kind == "tiny" else 5
            ground = Rect(box.left - pad, box.top - pad / 2, box.right + pad, box.bottom + pad / 2)
            grown = Rect(ground.left - 2, ground.top - 1, ground.right + 2, ground.bottom + 1)
            if inside and not any(grown.meets(other) for other in self.labels):
                radius = (ground.bottom - ground.top) / 2
                self.rect(ground, f"halo {kind}", SURFACE, "none" if kind == "tiny" else LINE, radius)
                self.text(x, y, words, kind, css="on-line")
                return True
        return False

    # ------------------------------------------------ shapes

    def rect(
        self, box: Rect, css: str, fill: str, stroke: str = "none", radius: float = 3, dashed: bool = False
    ) -> None:
        """A rectangle."""
        line = f' stroke="{stroke}"' if stroke != "none" else ""
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        width, height = max(box.right - box.left, 0), max(box.bottom - box.top, 0)
        paint = f'rx="{radius}" fill="{fill}"{line}{dash}'
        self.parts.append(rect(f"{css}{' dashed' if dashed else ''}", box.left, box.top, width, height, paint))

    def path(self, route: str, css: str, stroke: str, width: float, opacity: float = 1.0, dashed: bool = False) -> None:
        """A line without a fill."""
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        faint = f' stroke-opacity="{opacity:.2f}"' if opacity < 1 else ""
        self.parts.append(
            f'<path class="{css}" d="{route}" fill="none" stroke="{stroke}" stroke-width="{width:.1f}"{faint}{dash}/>'
        )

    def cross(self, box: Rect) -> None:
        """The sign that something is down: not by colour alone."""
        inset = min(box.right - box.left, box.bottom - box.top) * 0.22
        left, top, right, bottom = box.left + inset, box.top + inset, box.right - inset, box.bottom - inset
        self.path(
            f"M{left:.1f} {top:.1f}L{right:.1f} {bottom:.1f}M{right:.1f} {top:.1f}L{left:.1f} {bottom:.1f}",
            "cross",
            SURFACE,
            1.8,
        )

    # ------------------------------------------------ glyphs

    def open_glyph(self, hint: str, href: str | None, css: str = "", is_quiet: bool = False) -> None:
        """Begin a glyph: what follows, up to ``close_glyph``, is one thing that has a hint and, on a page, an address.

        A quiet one is no stop of the Tab key: what it leads to can be reached from its neighbours.
        """
        self.n_glyphs += 1
        if href is None:
            self.parts.append(f'<g class="mark {css}"><title>{escape(hint)}</title>')
        else:
            stop = ' tabindex="-1"' if is_quiet else ""
            self.parts.append(
                f'<a class="mark {css}" href="{escape(href)}" aria-label="{escape(hint)}"{stop}>'
                f"<title>{escape(hint)}</title>"
            )

    def close_glyph(self, href: str | None) -> None:
        """End a glyph."""
        self.parts.append("</g>" if href is None else "</a>")

    def svg(self, width: float, height: float, title: str, words: str) -> str:
        """The whole picture."""
        return picture("fabric-view", (width, height), self.parts, "group", "fv", title, words)
