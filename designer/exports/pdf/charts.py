"""Charts as vectors: lines with bands, stacked bars, ranges about a middle, a histogram. Numbers in, a drawing out."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from reportlab.graphics.shapes import Circle, Drawing, Line, Polygon, PolyLine, Rect, String
from reportlab.lib.colors import Color

from estimator.pdf.style import CHART, LINE, LINE_STRONG, MUTED, TEXT
from estimator.pdf.text import BOLD, REGULAR, printable, shortened, width

SIZE = 6.8
LEGEND_LEADING = 11.0
BAND_OPACITY = 0.14
Words = Callable[[float], str]
_END_ZEROS = re.compile(r"\.0+(?!\d)|(?<=\.[1-9])0+(?!\d)")


def short(words: str) -> str:
    """A tick's words without zeros at the end of a decimal: "$60.0 M" → "$60 M"."""
    return _END_ZEROS.sub("", words)


@dataclass
class Plot:
    """A box to draw in, and how numbers fall on it."""

    wide: float
    high: float
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    left: float = 44.0
    bottom: float = 34.0
    right: float = 8.0
    top: float = 18.0
    drawing: Drawing = field(init=False)

    def __post_init__(self) -> None:
        self.drawing = Drawing(self.wide, self.high)

    def x(self, value: float) -> float:
        low, high = self.x_range
        return self.left + (value - low) / ((high - low) or 1) * (self.wide - self.left - self.right)

    def y(self, value: float) -> float:
        low, high = self.y_range
        return self.bottom + (value - low) / ((high - low) or 1) * (self.high - self.bottom - self.top)

    def text(
        self, x: float, y: float, words: str, anchor: str = "start", font: str = REGULAR, color: Color = MUTED
    ) -> None:
        shown = printable(words, font)
        shift = {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * width(shown, font, SIZE)
        self.drawing.add(String(x - shift, y, shown, fontName=font, fontSize=SIZE, fillColor=color))

    def y_axis(self, title: str, words: Words, ticks: Sequence[float]) -> None:
        for tick in ticks:
            self.drawing.add(
                Line(self.left, self.y(tick), self.wide - self.right, self.y(tick), strokeColor=LINE, strokeWidth=0.4)
            )
            self.text(self.left - 4, self.y(tick) - 2.4, short(words(tick)), "end")
        self.text(0, self.high - 8, title)

    def x_axis(self, title: str, words: Words, ticks: Sequence[float], *, are_names: bool = False) -> None:
        """Ticks without zeros at the end of a decimal; names, of bars, as they are."""
        self.drawing.add(
            Line(
                self.left,
                self.y(self.y_range[0]),
                self.wide - self.right,
                self.y(self.y_range[0]),
                strokeColor=LINE_STRONG,
                strokeWidth=0.6,
            )
        )
        for tick in ticks:
            said = words(tick)
            self.text(self.x(tick), self.bottom - 10, said if are_names else short(said), "middle")
        self.text((self.left + self.wide - self.right) / 2, self.bottom - 22, title, "middle")


def nice_ticks(low: float, high: float, about: int = 5, factor: float = 1.0) -> list[float]:
    """Numbers from at or below ``low`` to at or above ``high`` that are round once multiplied by ``factor``."""
    low, high = low * factor, high * factor
    span = (high - low) or abs(high) or 1.0
    raw = span / about
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * size for factor in (1, 2, 2.5, 5, 10) if factor * size >= raw * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [k * step / factor for k in range(first, last + 1)]


def legend(names: Sequence[str], wide: float, colors: Sequence[Color] = CHART) -> Drawing:
    """Names with their colours, as many to a line as fit."""
    drawing, rows, x = Drawing(wide, 0), [[]], 0.0  # type: ignore[var-annotated]
    for name, color in zip(names, colors, strict=False):
        words = shortened(printable(name), REGULAR, SIZE, wide - 20)
        need = width(words, REGULAR, SIZE) + 24
        if x and x + need > wide:
            rows.append([])
            x = 0.0
        rows[-1].append((x, words, color))
        x += need
    drawing.height = LEGEND_LEADING * len(rows)
    for k, row in enumerate(rows):
        base = drawing.height - LEGEND_LEADING * (k + 1) + 3
        for x, words, color in row:
            drawing.add(Rect(x, base - 0.5, 8, 6, rx=1, ry=1, fillColor=color, strokeColor=None))
            drawing.add(String(x + 12, base, words, fontName=REGULAR, fontSize=SIZE, fillColor=TEXT))
    return drawing


@dataclass(frozen=True)
class Series:
    """One line: its points, and the ends of the band about each where there is one."""

    name: str
    points: Sequence[tuple[float, float]]
    band: Sequence[tuple[float, float]] = ()


def line_chart(
    series: Sequence[Series],
    wide: float,
    high: float,
    x_title: str,
    y_title: str,
    x_words: Words,
    y_words: Words,
    x_ticks: Sequence[float],
) -> Drawing:
    """Lines over bands, from zero up."""
    top = max([y for one in series for _, y in one.points] + [end for one in series for _, end in one.band])
    xs = [x for one in series for x, _ in one.points]
    ticks = nice_ticks(0, top)
    plot = Plot(wide, high, (min(xs), max(xs)), (0, ticks[-1]))
    plot.y_axis(y_title, y_words, ticks)
    plot.x_axis(x_title, x_words, x_ticks)
    for one, color in zip(series, CHART, strict=False):
        if one.band:
            outline = [(x, high_end) for (x, _), (_, high_end) in zip(one.points, one.band, strict=True)]
            outline += [(x, low_end) for (x, _), (low_end, _) in reversed(list(zip(one.points, one.band, strict=True)))]
            pale = Color(color.red, color.green, color.blue, alpha=BAND_OPACITY)
            flat = [number for x, y in outline for number in (plot.x(x), plot.y(y))]
            plot.drawing.add(Polygon(flat, fillColor=pale, strokeColor=None, strokeWidth=0))
    for one, color in zip(series, CHART, strict=False):
        flat = [number for x, y in one.points for number in (plot.x(x), plot.y(y))]
        plot.drawing.add(PolyLine(flat, strokeColor=color, strokeWidth=1.3, strokeLineJoin=1))
    return plot.drawing


def stacked_bars(
    labels: Sequence[str],
    names: Sequence[str],
    values: Sequence[Sequence[float]],
    wide: float,
    high: float,
    x_title: str,
    y_title: str,
    y_words: Words,
    factor: float = 1.0,
) -> Drawing:
    """A bar a label; ``values[k]`` are the parts of bar k, those below zero hang from the axis.

    ``factor`` is of the unit that words are in: ticks are round there.
    """
    tops = [sum(v for v in parts if v > 0) for parts in values]
    feet = [sum(v for v in parts if v < 0) for parts in values]
    ticks = nice_ticks(min([0.0, *feet]), max([0.0, *tops]), factor=factor)
    plot = Plot(wide, high, (0, len(labels)), (ticks[0], ticks[-1]), left=52)
    plot.y_axis(y_title, y_words, ticks)
    plot.x_axis(x_title, lambda at: labels[int(at)], [k + 0.5 for k in range(len(labels))], are_names=True)
    slot = (plot.wide - plot.left - plot.right) / max(len(labels), 1)
    bar = min(34.0, slot * 0.66)
    for k, parts in enumerate(values):
        up = down = 0.0
        for color, value in zip(CHART, parts, strict=False):
            start = up if value > 0 else down
            low, top = sorted((plot.y(start), plot.y(start + value)))
            if top - low > 0.05:
                plot.drawing.add(
                    Rect(plot.x(k + 0.5) - bar / 2, low, bar, top - low, fillColor=color, strokeColor=None)
                )
            up, down = (up + value, down) if value > 0 else (up, down + value)
    plot.drawing.add(
        Line(plot.left, plot.y(0), plot.wide - plot.right, plot.y(0), strokeColor=LINE_STRONG, strokeWidth=0.8)
    )
    return plot.drawing


def histogram(
    edges: Sequence[float],
    counts: Sequence[int],
    marks: Sequence[tuple[str, float]],
    wide: float,
    high: float,
    x_title: str,
    x_words: Words,
    factor: float = 1.0,
) -> Drawing:
    """Bars between edges, with a few marked values; ``factor`` as of ``stacked_bars``."""
    most = max([*counts, 1])
    plot = Plot(wide, high, (edges[0], edges[-1]), (0, most), left=8, top=26)
    inner = [tick for tick in nice_ticks(edges[0], edges[-1], 9, factor) if edges[0] <= tick <= edges[-1]]
    plot.x_axis(x_title, x_words, inner)
    for k, number in enumerate(counts):
        x0, x1 = plot.x(edges[k]), plot.x(edges[k + 1])
        plot.drawing.add(
            Rect(
                x0, plot.y(0), max(x1 - x0 - 0.4, 0.2), plot.y(number) - plot.y(0), fillColor=CHART[6], strokeColor=None
            )
        )
    for k, (name, value) in enumerate(marks):
        x = plot.x(min(max(value, edges[0]), edges[-1]))
        plot.drawing.add(Line(x, plot.y(0), x, plot.y(most) + 3, strokeColor=CHART[0], strokeWidth=0.8))
        plot.text(x, plot.y(most) + 6 + (8 if k % 2 else 0), f"{name} {x_words(value)}", "middle", BOLD, TEXT)
    return plot.drawing


def tornado(
    rows: Sequence[tuple[str, str, float, float]],
    middle: float,
    wide: float,
    x_title: str,
    x_words: Words,
    also: Sequence[float] = (),
    factor: float = 1.0,
) -> Drawing:
    """A bar a row (name, its ends in words, total at each end) about the middle; the widest first.

    ``also`` are totals that the axis has room for: those of charts beside it; ``factor`` is as of ``stacked_bars``.
    """
    row_high, label_room = 19.0, wide * 0.37  # as much as the longest assumption of a cost takes, with its basis
    ends = [*also, *(end for *_, low, high in rows for end in (low, high))]
    ticks = nice_ticks(min([middle, *ends]), max([middle, *ends]), factor=factor)
    plot = Plot(wide, 44 + row_high * len(rows), (ticks[0], ticks[-1]), (0, 1), left=label_room, right=18, top=6)
    plot.x_axis(x_title, x_words, ticks)
    for tick in ticks:
        plot.drawing.add(
            Line(plot.x(tick), plot.bottom, plot.x(tick), plot.high - 6, strokeColor=LINE, strokeWidth=0.4)
        )
    for k, (name, span, low, high) in enumerate(rows):
        y = plot.high - 6 - row_high * (k + 1)
        plot.text(
            label_room - 6, y + 9, shortened(printable(name), REGULAR, SIZE, label_room - 8), "end", REGULAR, TEXT
        )
        plot.text(label_room - 6, y + 1, shortened(printable(span), REGULAR, SIZE, label_room - 8), "end")
        for end, color in ((low, CHART[6]), (high, CHART[0])):
            left, right = sorted((plot.x(middle), plot.x(end)))
            plot.drawing.add(Rect(left, y + 2.5, right - left, row_high - 7, fillColor=color, strokeColor=None))
    plot.drawing.add(
        Line(plot.x(middle), plot.bottom, plot.x(middle), plot.high - 6, strokeColor=TEXT, strokeWidth=0.8)
    )
    return plot.drawing


# ---------------------------------------------------------------- points


@dataclass(frozen=True)
class Points:
    """A series of points; ``is_stepped`` draws the line of a front through them."""

    name: str
    at: Sequence[tuple[float, float]]
    is_stepped: bool = False


@dataclass(frozen=True)
class Axis:
    """What an axis says, how it prints a value, whether its scale is logarithmic, and the factor of the unit it prints."""

    title: str
    words: Words
    is_log: bool = False
    factor: float = 1.0

    def place(self, value: float) -> float:
        return math.log10(value) if self.is_log else value

    def range_of(self, values: Sequence[float]) -> tuple[float, float]:
        """Ends with some room around the values."""
        placed = [self.place(value) for value in values]
        room = (max(placed) - min(placed)) * 0.06 or abs(placed[0]) * 0.06 or 1.0
        return min(placed) - room, max(placed) + room

    def ticks(self, ends: tuple[float, float], about: int) -> list[float]:
        """Places of ticks between two ends."""
        if not self.is_log:
            return [tick for tick in nice_ticks(*ends, about, self.factor) if ends[0] <= tick <= ends[1]]
        shift = math.log10(self.factor)
        decades = range(math.floor(ends[0] + shift), math.ceil(ends[1] + shift) + 1)
        every = [math.log10(step) + power - shift for power in decades for step in (1, 2, 5)]
        return [tick for tick in every if ends[0] <= tick <= ends[1]]

    def tick_words(self, tick: float) -> str:
        return self.words(10**tick if self.is_log else tick)


def points_chart(
    series: Sequence[Points], colors: Sequence[Color], wide: float, high: float, x: Axis, y: Axis
) -> Drawing:
    """Points by two figures, each series with a shape and a colour of its own."""
    every = [at for one in series for at in one.at]
    ends = x.range_of([at[0] for at in every]), y.range_of([at[1] for at in every])
    plot = Plot(wide, high, *ends, left=52)
    plot.y_axis(y.title, y.tick_words, y.ticks(plot.y_range, 5))
    plot.x_axis(x.title, x.tick_words, x.ticks(plot.x_range, 7))
    for k, (one, color) in reversed(list(enumerate(zip(series, colors, strict=True)))):
        placed = sorted((plot.x(x.place(a)), plot.y(y.place(b))) for a, b in one.at)
        if one.is_stepped and len(placed) > 1:
            steps = [number for (a, b), (c, _) in pairwise(placed) for number in (a, b, c, b)]
            plot.drawing.add(PolyLine([*steps, *placed[-1]], strokeColor=color, strokeWidth=0.9))
        for left, up in placed:
            plot.drawing.add(_mark(k, left, up, color))
    return plot.drawing


def _mark(shape: int, x: float, y: float, color: Color) -> Circle | Rect | Polygon:
    """A circle, a square or a diamond."""
    if shape == 0:
        return Circle(x, y, 2.8, fillColor=color, strokeColor=None)
    if shape == 1:
        return Rect(x - 2, y - 2, 4, 4, fillColor=color, strokeColor=None)
    return Polygon([x, y + 4.2, x + 4.2, y, x, y - 4.2, x - 4.2, y], fillColor=color, strokeColor=None)
