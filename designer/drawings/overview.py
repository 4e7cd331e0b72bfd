"""Estimate → SVG of the fabric, aggregated: tiers as rows, repeated blocks as columns, links as bundles with count and capacity.

A picture of every link of a large fabric is a solid block. This one shows at most eight blocks, the middle ones as one with
their number, and never more than MAX_GLYPHS switches. A bundle leaves its block as one and fans out over the switches above;
its label stands on it, with a ground of its own, so that no line runs through words. Colours stand as attributes, which the
page's stylesheet overrides: the same picture follows the page's scheme and can be saved as a file.

On a page the picture leads into the form: every block, and the cables between two tiers, are links to the field that sets them.
"""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from html import escape
from typing import NamedTuple

from django.utils.safestring import SafeString, mark_safe

from designer.drawings.svg import (
    BUNDLE,
    FILLS,
    LINE,
    MUTED,
    PAGE,
    STRAND_GAP,
    STRONG,
    SURFACE,
    TEXT,
    fan,
    label,
    picture,
    rect,
    spread,
    text_width,
)
from designer.drawings.tiers import BELOW, Tier, block_fields, tiers_of
from designer.drawings.words import HEADS, MANY
from designer.wording.numbers import NO_BREAK_SPACE, count, gbit_s
from estimator.cabling.result import SizedNetwork
from estimator.catalog.loader import load_catalog
from estimator.designs.parts import catalog_of
from estimator.result import Estimate
from estimator.units import ceil_div

MAX_GLYPHS = 400
STRANDS = 56  # lines of all bundles between two tiers, about
MAX_COLUMNS = 8
MAX_SQUARES = 32
MAX_PLANES = 4
WIDTH = 1040
GUTTER = 190
GUTTER_LETTERS = 27
PART_LINES = 2
SIZES = {"tier": 13.5, "head": 12.5}
SMALL = 11.5
EDGE = 8
COLUMN_MOST = 421
GAP = 14
SQUARE, PITCH, PITCH_MOST = 12, 15, 40
BOX_HEIGHT = 56
LANE, LANE_OF_MANY = 50, 42  # between two tiers, and between those of a fabric with cores
LABEL_HEIGHT, LABEL_RISE = 18, 21  # of a bundle's label, and how far above the lower box its middle is
TIERS = {1: ("leaf", "node"), 2: ("spine", "leaf", "node"), 3: ("core", "spine", "leaf", "node")}


@dataclass(frozen=True)
class Column:
    """One repeated block; 0 where a count belongs to no block or does not divide evenly over them."""

    title: str
    n_nodes: int = 0
    n_leaf: int = 0
    n_spine: int = 0
    n_core: int = 0
    stands_for: int = 1


@dataclass(frozen=True)
class Plan:
    """What repeats in a fabric, and which tiers span all blocks."""

    columns: list[Column]
    spans: frozenset[str]


def _shared(total: int, over: int) -> int:
    return total // over if over and total % over == 0 else 0


def plan_of(network: SizedNetwork, rails_per_leaf: int = 1) -> Plan:
    """Which blocks of the fabric to show side by side: units, leaves, pods, or rails."""
    counts, split = network.counts, network.split
    nodes, leaf, spine = counts.nodes, counts.leaf, counts.spine
    components, pods, unit = split.components, split.pods, split.scalable_unit_nodes
    rails = _rails(network, rails_per_leaf)
    if network.tiers == 1 or components > network.planes:
        blocks = [
            Column(_component_title(k, network), 0, *(_shared(n, components) for n in (leaf, spine, counts.core)))
            for k in range(components)
        ]
        return Plan(blocks, frozenset({"node"}))
    if network.tiers == 3 and pods > 1:
        return Plan(
            [
                Column(f"Pod {k + 1}", _shared(nodes, pods), _shared(leaf, pods), _shared(spine, pods))
                for k in range(pods)
            ],
            frozenset({"core"}),
        )
    if network.tiers == 3:
        return Plan(
            [
                Column(f"Rail {k + 1}" if rails > 1 else "Pod 1", 0, _shared(leaf, rails), _shared(spine, rails))
                for k in range(rails)
            ],
            frozenset({"core", "node"}),
        )
    units = ceil_div(nodes, unit) if unit else 0
    if units and leaf % units == 0:
        return Plan(
            [Column(f"Unit {k + 1}", min(unit, nodes - k * unit), leaf // units) for k in range(units)],
            frozenset({"spine"}),
        )
    return Plan([Column(f"Leaf {k + 1}", n_leaf=1) for k in range(leaf)], frozenset({"spine", "node"}))


def _rails(network: SizedNetwork, rails_per_leaf: int) -> int:
    if network.layout != "rail-optimized":
        return 1
    endpoints_a_node = network.counts.endpoints // network.counts.nodes // network.planes
    return max(1, endpoints_a_node // max(rails_per_leaf, 1))


def _component_title(k: int, network: SizedNetwork) -> str:
    planes = network.planes
    rails = network.split.components // planes
    if rails == 1:
        return f"Plane {k + 1}" if planes > 1 else "Leaf 1"
    return f"Rail {k % rails + 1}" + (f", plane {k // rails + 1}" if planes > 1 else "")


def shown_columns(columns: list[Column]) -> list[Column]:
    """At most MAX_COLUMNS blocks: where there are more, the first ones, one for all in the middle, and the last."""
    if len(columns) <= MAX_COLUMNS:
        return columns
    head = MAX_COLUMNS - 3
    middle = columns[head:-1]
    more = replace(middle[0], title=f"{count(len(middle))} more", stands_for=len(middle))
    return [*columns[:head], more, columns[-1]]


class _Canvas:
    """SVG elements in order of drawing."""

    def __init__(self, tiers: Mapping[str, Tier]) -> None:
        self.parts: list[str] = []
        self.tiers = tiers  # that lead to fields of the form; empty for a picture that leads nowhere

    @contextmanager
    def leading(self, key: str, fields: Sequence[str] = (), words: str = "") -> Iterator[None]:
        """What is drawn meanwhile leads to fields of the form: those of a tier or lane, else of one block of it.

        A block is no stop of the Tab key: the words beside its tier are.
        """
        if not self.tiers:
            yield
            return
        tier = self.tiers[key]
        names, hint = fields or tier.fields, escape(words or tier.words)
        kind, stop = ("lane" if key in BELOW.values() else "row", "") if not fields else ("block", ' tabindex="-1"')
        self.parts.append(
            f'<a class="mark {kind}" href="#id_{names[0]}" data-fields="{" ".join(names)}" data-about="{key}" '
            f'aria-label="{hint}"{stop}>'
        )
        yield
        self.parts.append("</a>")

    def ground(self, x: float, y: float, width: float, height: float) -> None:
        """Where the pointer meets what is drawn in thin lines."""
        if self.tiers:
            self.parts.append(rect("ground", x, y, width, height, 'fill="none" pointer-events="all"'))

    def text(self, x: float, y: float, words: str, kind: str = "", anchor: str = "middle") -> None:
        weight, fill = ("600", TEXT) if kind in SIZES else ("400", MUTED)
        paint = f'font-size="{SIZES.get(kind, SMALL)}" font-weight="{weight}" fill="{fill}"'
        self.parts.append(label(f"label {kind}", x, y, words, anchor, paint))

    def tag(self, x: float, y: float, words: str) -> None:
        """Words on a bundle, on a ground of their own."""
        width = text_width(words, SMALL) + 12
        self.parts.append(
            f'<rect class="tag" x="{x - width / 2:.1f}" y="{y - LABEL_HEIGHT / 2:.1f}" width="{width:.1f}" '
            f'height="{LABEL_HEIGHT}" rx="{LABEL_HEIGHT / 2}" fill="{SURFACE}" stroke="{LINE}"/>'
        )
        self.text(x, y + 4, words)

    def box(self, x: float, y: float, width: float, height: float, dashed: bool = False) -> None:
        dash = ' stroke-dasharray="4 4"' if dashed else ""
        self.parts.append(rect("box", x, y, width, height, f'rx="7" fill="{PAGE}" stroke="{STRONG}"{dash}'))

    def squares(self, rows: list[list[float]], y: float, tier: str) -> None:
        """Switches in rows, each at its place."""
        squares = "".join(
            f'<rect x="{x - SQUARE / 2:.1f}" y="{y + row * PITCH:.1f}" width="{SQUARE}" height="{SQUARE}" rx="2.5"/>'
            for row, places in enumerate(rows)
            for x in places
        )
        self.parts.append(f'<g class="glyph {tier}" fill="{FILLS[tier]}">{squares}</g>')

    def bundle(self, starts: list[float], y0: float, ends: list[float], y1: float, width: float) -> None:
        """Lines from the starts at the lower box to the ends at the upper one, as one path."""
        paint = f'fill="none" stroke="{BUNDLE}" stroke-opacity="0.6" stroke-width="{width:.1f}"'
        self.parts.append(f'<path class="bundle" d="{fan(starts, y0, ends, y1)}" {paint}/>')


@dataclass(frozen=True)
class _Frame:
    """Where things stand."""

    columns: list[Column]
    spans: frozenset[str]
    tiers: tuple[str, ...]
    centres: list[float]
    column_width: float
    n_planes: int  # that the shared tiers are drawn in
    is_in_node_order: bool
    parts: Mapping[str, str]  # what the switches of a tier, or the servers, are called

    def top(self, tier: str) -> float:
        return 6 + self.tiers.index(tier) * (BOX_HEIGHT + (LANE if len(self.tiers) < len(TIERS[3]) else LANE_OF_MANY))

    @property
    def kind(self) -> str:
        """What the blocks are: "Unit", "Pod", "Rail", "Plane" or "Leaf"."""
        return self.columns[0].title.split(" ")[0]

    @property
    def height(self) -> float:
        return self.top("node") + BOX_HEIGHT + 6

    @property
    def span(self) -> tuple[float, float]:
        half = self.column_width / 2 - GAP / 2
        return self.centres[0] - half, self.centres[-1] + half

    @property
    def plane_boxes(self) -> list[tuple[float, float]]:
        """Left and right of each box of a tier that all blocks share."""
        left, right = self.span
        width = (right - left + GAP) / self.n_planes
        return [(left + k * width, left + (k + 1) * width - GAP) for k in range(self.n_planes)]

    def column_box(self, k: int) -> tuple[float, float]:
        """Left and right of the box of block k."""
        half = self.column_width / 2 - GAP / 2
        return self.centres[k] - half, self.centres[k] + half


def _frame(network: SizedNetwork, rails_per_leaf: int, parts: Mapping[str, str]) -> _Frame:
    plan = plan_of(network, rails_per_leaf)
    columns = shown_columns(plan.columns)
    room = WIDTH - GUTTER - EDGE
    width = min(room / len(columns), COLUMN_MOST)
    left = GUTTER + (room - width * len(columns)) / 2
    centres = [left + width * (k + 0.5) for k in range(len(columns))]
    planes = network.planes if network.split.components == network.planes <= MAX_PLANES else 1
    return _Frame(
        columns, plan.spans, TIERS[network.tiers], centres, width, planes, network.layout == "top-of-rack", parts
    )


def _part_lines(number: int, part: str | None) -> list[str]:
    words = f"{count(number)} × {part}" if part else f"{count(number)}, custom"
    return textwrap.wrap(words, GUTTER_LETTERS, max_lines=PART_LINES, placeholder="…")


def _draw_tier(canvas: _Canvas, frame: _Frame, tier: str, network: SizedNetwork) -> None:
    counts, top = network.counts, frame.top(tier)
    total = counts.nodes if tier == "node" else getattr(counts, tier)
    part = frame.parts.get(tier)
    with canvas.leading(tier):
        canvas.ground(0, top, GUTTER - GAP, BOX_HEIGHT)
        canvas.text(4, top + 26, HEADS[tier], "tier", "start")
        for row, words in enumerate(_part_lines(total, part)):
            canvas.text(4, top + 44 + 15 * row, words, "", "start")
    if tier in frame.spans:
        _draw_span(canvas, frame, tier, total, counts.gpus)
        return
    for k, column in enumerate(frame.columns):
        with canvas.leading(tier, block_fields(tier, frame.kind), f"{HEADS[tier]}, {column.title}"):
            _draw_block(canvas, frame, k, tier, network)


def _draw_block(canvas: _Canvas, frame: _Frame, k: int, tier: str, network: SizedNetwork) -> None:
    """A tier's box of one block."""
    column, top = frame.columns[k], frame.top(tier)
    left, right = frame.column_box(k)
    canvas.box(left, top, right - left, BOX_HEIGHT, dashed=column.stands_for > 1)
    if tier == "node":
        _draw_nodes(canvas, column, (left + right) / 2, top, network)
        return
    names_block = "node" in frame.spans and tier == "leaf" and len(frame.columns) > 1
    title, number = column.title if names_block else "", _in_block(column, tier)
    _draw_switches(canvas, (left, right), top, number, tier, title, _planes_in(frame, number))


def _in_block(column: Column, tier: str) -> int:
    return {"node": column.n_nodes, "leaf": column.n_leaf, "spine": column.n_spine, "core": column.n_core}[tier]


def _planes_in(frame: _Frame, number: int) -> int:
    """Over how many planes the switches of one block are spread."""
    return frame.n_planes if number % frame.n_planes == 0 else 1


def _draw_span(canvas: _Canvas, frame: _Frame, tier: str, total: int, n_gpus: int) -> None:
    """A tier that all blocks share: one box, or one for each plane."""
    top = frame.top(tier)
    left, right = frame.span
    if tier == "node":
        words = f"{_number_of(total, 'server')}, {_number_of(n_gpus, 'GPU')}"
        with canvas.leading(tier, block_fields(tier, ""), words):
            canvas.box(left, top, right - left, BOX_HEIGHT)
            several = len(frame.columns) > 1
            canvas.text((left + right) / 2, top + (27 if several else 35), words, "head")
            if several:
                canvas.text(
                    (left + right) / 2,
                    top + 45,
                    "filled in node order" if frame.is_in_node_order else "each linked to every block above",
                )
        return
    for plane, (start, end) in enumerate(frame.plane_boxes):
        title = f"Plane {plane + 1}" if frame.n_planes > 1 else ""
        fields = block_fields(tier, "Plane" if title else "")
        with canvas.leading(tier, fields, ", ".join(filter(None, (HEADS[tier], title)))):
            canvas.box(start, top, end - start, BOX_HEIGHT)
            _draw_switches(canvas, (start, end), top, _shared(total, frame.n_planes), tier, title)


def _number_of(number: int, word: str) -> str:
    return f"{count(number)} {word}" if number == 1 else f"{count(number)} {word}s"


def _draw_nodes(canvas: _Canvas, column: Column, centre: float, top: float, network: SizedNetwork) -> None:
    if not column.n_nodes:
        canvas.text(centre, top + 35, column.title, "head")
        return
    gpus = column.n_nodes * network.counts.gpus // network.counts.nodes
    canvas.text(centre, top + 19, column.title + (" of" if column.stands_for > 1 else ""), "head")
    canvas.text(centre, top + 35, _number_of(column.n_nodes, "server"))
    canvas.text(centre, top + 51, _number_of(gpus, "GPU"))


def _switch_rows(box: tuple[float, float], number: int, planes: int = 1) -> list[list[float]]:
    """Places of the switches of one box: in two rows where one is too short, or a row for each of two planes."""
    left, right = box
    room = right - left - 10
    in_row = min(int(room // PITCH), MAX_SQUARES // 2)
    if number > 2 * in_row:
        in_row -= 1  # room for the sign that there are more than are drawn
    split = planes == 2 and number % 2 == 0
    rows = [number // 2] * 2 if split else [number] if number <= in_row else [ceil_div(number, 2), number // 2]
    shown = [min(row, in_row) for row in rows]
    pitch = min(max((room - 2 * PITCH) / max(shown[0], 1), PITCH), PITCH_MOST)
    middle, half = (left + right) / 2, pitch / 2
    return [spread(middle - (n - 1) * half, middle + (n - 1) * half, n) for n in shown]


def _draw_switches(
    canvas: _Canvas, box: tuple[float, float], top: float, number: int, tier: str, title: str, planes: int = 1
) -> None:
    """The switches of one box with their number."""
    rows = _switch_rows(box, number, planes)
    centre, width = (box[0] + box[1]) / 2, box[1] - box[0]
    canvas.squares(rows, top + (12 if len(rows) == 1 else 8), tier)
    if sum(map(len, rows)) < number:
        canvas.text(rows[0][-1] + SQUARE / 2 + 3, top + 25, "…", "head", "start")
    each = number // planes
    total = f"{count(each)} {MANY[tier] if each != 1 else tier}{' a plane' if planes > 1 else ''}" if number else ""
    words = f"{title}: {total}" if title and number > 1 else title or total
    is_long = text_width(words, SMALL) > width - 8 and title and number > 1
    canvas.text(centre, top + (46 if len(rows) == 1 else 51), f"{title}: {count(each)}" if is_long else words)


def uplink_rate_gbit_s(network: SizedNetwork) -> int:
    """Rate of the links between switches; results kept from before they could differ have the port rate alone."""
    return network.uplink_rate_gbit_s or network.port_rate_gbit_s


def _draw_bundles(canvas: _Canvas, frame: _Frame, lower: str, network: SizedNetwork) -> None:
    upper = frame.tiers[frame.tiers.index(lower) - 1]
    links = getattr(network.links, {"node": "node_leaf", "leaf": "leaf_spine", "spine": "spine_core"}[lower])
    rate = network.endpoint_rate_gbit_s if lower == "node" else uplink_rate_gbit_s(network)
    y0, y1 = frame.top(lower), frame.top(upper) + BOX_HEIGHT
    canvas.ground(0, y1, frame.span[1], y0 - y1)
    canvas.text(4, (y0 + y1) / 2 - 3, f"{count(links)} links at {gbit_s(rate)}", "", "start")
    canvas.text(4, (y0 + y1) / 2 + 13, gbit_s(links * rate), "", "start")
    n_blocks = sum(column.stands_for for column in frame.columns)
    for k, column in enumerate(frame.columns):
        ends = _ends(frame, k, upper, lower, network)
        band = min(STRAND_GAP * (len(ends) - 1), frame.column_width / 3)
        starts = spread(frame.centres[k] - band / 2, frame.centres[k] + band / 2, len(ends))
        weight = max(1.1, min(8 / len(ends), 3)) * (1 if column.stands_for == 1 else 1.5)
        canvas.bundle(starts, y0, ends, y1, weight)
    for k, column in enumerate(frame.columns):
        own = _links_of(column, lower, links, n_blocks, network)
        if own:
            canvas.tag(frame.centres[k], y0 - LABEL_RISE, _own_words(own, rate, column, frame.column_width - GAP))


def _own_words(own: int, rate: float, column: Column, room: float) -> str:
    """The links of one block, with their rate where there is room for it; it stands beside the lane in any case."""
    each = " each" if column.stands_for > 1 else ""
    words = f"{count(own)} × {gbit_s(rate)}{each}".replace(NO_BREAK_SPACE, " ")
    return words if text_width(words, SMALL) + 12 <= room else f"{count(own)}{each or ' links'}"


def _ends(frame: _Frame, k: int, upper: str, lower: str, network: SizedNetwork) -> list[float]:
    """Where the lines of block k end in the tier above: at the switches of its own block, or at those that all share."""
    column = frame.columns[k]
    if upper in frame.spans and lower not in frame.spans:
        number, boxes = _shared(getattr(network.counts, upper), frame.n_planes), frame.plane_boxes
        rows = [_switch_rows(box, number)[0] for box in boxes]
    else:
        number = _in_block(column, upper)
        rows = [_switch_rows(frame.column_box(k), number, _planes_in(frame, number))[0]] if number else []
    most = max(STRANDS // (len(frame.columns) * max(len(rows), 1)), 3)
    ends = [x for row in rows if row for x in spread(row[0], row[-1], min(len(row), most))]
    return ends or [frame.centres[k]]


def _links_of(column: Column, lower: str, links: int, n_blocks: int, network: SizedNetwork) -> int:
    """Links that one block has towards the tier above; 0 where they do not divide evenly."""
    if lower == "node" and column.n_nodes:
        return column.n_nodes * network.counts.endpoints // network.counts.nodes
    if lower == "leaf" and column.n_leaf:
        return _shared(links * column.n_leaf, network.counts.leaf)
    return _shared(links, n_blocks)


def _in_words(network: SizedNetwork) -> str:
    counts, links = network.counts, network.links
    words = [
        f"{count(counts.nodes)} servers with {count(counts.gpus)} GPUs reach {count(counts.leaf)} leaf "
        f"switches over {count(links.node_leaf)} links."
    ]
    if counts.spine:
        words.append(f"The leaves reach {count(counts.spine)} spines over {count(links.leaf_spine)} links.")
    if counts.core:
        words.append(f"The spines reach {count(counts.core)} cores over {count(links.spine_core)} links.")
    if links.fabric_manager:
        words.append(f"{count(links.fabric_manager)} more leaf ports serve fabric managers.")
    below, above = network.endpoint_rate_gbit_s, uplink_rate_gbit_s(network)
    if below == above or not counts.spine:
        words.append(f"Every link runs at {gbit_s(below)}.")
    else:
        words.append(f"Links of servers run at {gbit_s(below)}, those between switches at {gbit_s(above)}.")
    return " ".join(words)


def part_names(estimate: Estimate) -> dict[str, str]:
    """Tier → what its switches, or the servers, are called; tiers of custom parts are left out."""
    ids = {tier: switch.part for tier, switch in estimate.compute.switches.items()}
    ids["node"] = estimate.spec.compute.server
    return names_of(ids, estimate)


def names_of(ids: Mapping[str, str | None], estimate: Estimate) -> dict[str, str]:
    """What parts are called: as the bill of an Estimate says, else by vendor and model; custom ones are left out."""
    described = {line.part: line.description for line in (estimate.bom.lines if estimate.bom else ())}
    catalog = catalog_of(estimate.spec, load_catalog())
    models = {
        part: f"{record.vendor} {record.model}"
        for records in (catalog.switches, catalog.servers)
        for part, record in records.items()
        if part in ids.values()
    }
    known = models | described
    return {kind: known.get(part, part) for kind, part in ids.items() if part and part != "custom"}


class Picture(NamedTuple):
    """The picture of a page, with the same facts in rows."""

    svg: SafeString
    tiers: Sequence[Tier]


def fabric_picture(estimate: Estimate) -> Picture:
    """The compute fabric of one Estimate for a page with its form, to which its blocks lead."""
    tiers = tiers_of(estimate, TIERS[estimate.compute.tiers])
    return Picture(_drawn(estimate, tiers), [*tiers.values()])


def fabric_svg(estimate: Estimate) -> SafeString:
    """The compute fabric of one Estimate as SVG that leads nowhere: for files."""
    return _drawn(estimate, {})


def _drawn(estimate: Estimate, tiers: Mapping[str, Tier]) -> SafeString:
    network = estimate.compute
    names = part_names(estimate)
    frame, canvas = _frame(network, estimate.spec.fabric.rails_per_leaf, names), _Canvas(tiers)
    for tier in frame.tiers[1:]:
        with canvas.leading(BELOW[tier]):
            _draw_bundles(canvas, frame, tier, network)
    for tier in frame.tiers:
        _draw_tier(canvas, frame, tier, network)
    levels = "1 tier" if network.tiers == 1 else f"{network.tiers} tiers"
    look = "fabric one-block" if len(frame.columns) == 1 else "fabric"
    title = f"Fabric of {count(network.counts.switches)} switches in {levels}"
    role = "group" if tiers else "img"
    drawn = picture(look, (WIDTH, frame.height), canvas.parts, role, "fabric", title, _in_words(network))
    return mark_safe(drawn)  # noqa: S308 - every text in it went through escape()
