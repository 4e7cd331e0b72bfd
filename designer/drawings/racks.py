"""FloorPlan → SVG: the front of racks, unit by unit, and the floor from above.

Only the racks that are requested are drawn, and a floor of any size in one path for each kind of rack. Colours stand as
attributes, which the page's stylesheet overrides: the same picture follows the page's scheme and can be saved as a file.
"""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from html import escape

import numpy as np
from django.utils.safestring import SafeString, mark_safe

from designer.drawings import svg
from designer.wording.numbers import NO_BREAK_SPACE, count, metres, watts
from estimator.fabric.devices import CORE, LEAF, MANAGER, NODE, SPINE
from estimator.floor.devices import HOST
from estimator.floor.plan import FloorPlan
from estimator.floor.problems import exceeds
from estimator.floor.result import PlacedDevice
from estimator.units import W_PER_KW

MAX_RACKS = 12  # in one picture
IN_LINE = 4
MAX_LINKED = 400  # racks of a floor that are drawn one by one, each a link
MAX_ROWS = 140
TAIL_ROWS = 8
WIDTH = 1040
HEIGHT = 960  # of a floor with many rows, about
LABEL = 44  # at the left of a row of the floor
WIDEST = 72.0  # of a rack from above
ROOM_FOR_SIGN, ROOM_FOR_POWER = 12, 60
UNIT = 14
RULER = 26
BAR = 34
RACK_WIDTH = 212
GAP, GAP_IN_LEGEND = 22, 26
HEAD, FOOT = 46, 74
LETTER, WIDE = 6.2, 7.8  # width of a letter of 11 px, about; of a capital
FILLS = {kind: svg.FILLS[kind] for kind in (NODE, LEAF, SPINE, CORE, MANAGER)} | {HOST: svg.FILLS["outside"]}
OVER = svg.FILLS["down"]
ONE = {NODE: "server", LEAF: "leaf", SPINE: "spine", CORE: "core", MANAGER: "manager", HOST: "host"}
MANY = {NODE: "servers", LEAF: "leaves", SPINE: "spines", CORE: "cores", MANAGER: "managers", HOST: "hosts"}
RACK_FOR = {NODE: "Servers", LEAF: "Leaves", SPINE: "Spines", CORE: "Cores", MANAGER: "Other networks"}
SIGNS = {NODE: "", LEAF: "L", SPINE: "S", CORE: "C", MANAGER: "O"}
HOLDS = {
    "scale-up-switch": "Scale-up switch trays",
    "power-shelf": "Power shelves",
    "nvlink-switch": "NVLink switch trays",
    "oob-switch": "Management switches",
}


def _text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    size = {"head": 14, "tick": 10}.get(kind.split(" ")[0], 11)
    weight = "600" if kind.startswith("head") else "400"
    fill = svg.TEXT if kind.startswith(("head", "name")) else svg.MUTED
    paint = f'font-size="{size}" font-weight="{weight}" fill="{fill}"'
    return svg.label(f"label {kind}", x, y, words, anchor, paint)


def _svg(
    kind: str, height: float, title: str, words: str, parts: Sequence[str], number: str, width: float
) -> SafeString:
    role = "group" if any("<a " in part for part in parts) else "img"  # links inside a picture are not announced
    drawn = svg.picture(kind, (width, height), parts, role, f"{kind}-{number}", title, words)
    return mark_safe(drawn)  # noqa: S308 - every text in it went through escape()


# ---------------------------------------------------------------- racks from the front


def rack_svg(plan: FloorPlan, rack_numbers: Sequence[int]) -> SafeString:
    """Elevations of up to MAX_RACKS racks, numbered from 1 as in ``plan.racks()``.

    Raises
    ------
    ValueError
        If there is no such rack, or too many are requested.
    """
    if not 1 <= len(rack_numbers) <= MAX_RACKS:
        raise ValueError(f"{len(rack_numbers)} racks were requested, and a picture shows 1 to {MAX_RACKS}")
    wrong = [number for number in rack_numbers if not 1 <= number <= plan.n_racks]
    if wrong:
        raise ValueError(f"rack {wrong[0]} is none of the {plan.n_racks:,} racks")
    units = plan.plan.rack_units or 0
    line_height = HEAD + units * UNIT + FOOT
    parts: list[str] = []
    for place, number in enumerate(rack_numbers):
        x = RULER + (place % IN_LINE) * (RACK_WIDTH + RULER + GAP)
        parts += _rack(plan, number - 1, x, HEAD + (place // IN_LINE) * line_height)
    names = [plan.names[number - 1] for number in rack_numbers]
    height = line_height * (-(-len(rack_numbers) // IN_LINE))
    words = " ".join(_rack_in_words(plan, number - 1) for number in rack_numbers)
    title = f"Rack {names[0]}" if len(names) == 1 else f"Racks {', '.join(names)}"
    width = min(len(rack_numbers), IN_LINE) * (RACK_WIDTH + RULER + GAP)
    return _svg("elevation", height, title, words, parts, str(rack_numbers[0]), width)


def _rack(plan: FloorPlan, rack: int, x: float, top: float) -> list[str]:
    """One rack with its ruler, what stands in it, and its sums."""
    units = plan.plan.rack_units or 0
    height = units * UNIT
    out = [_text(x, top - 26, plan.names[rack], "head"), _text(x, top - 9, _contents(plan, rack))]
    out.append(svg.rect("frame", x, top, RACK_WIDTH, height, f'fill="{svg.PAGE}" stroke="{svg.STRONG}"'))
    lines = "".join(f"M{x:.1f} {top + k * UNIT:.1f}h{RACK_WIDTH}" for k in range(1, units))
    out.append(f'<path class="grid" d="{lines}" fill="none" stroke="{svg.LINE}" stroke-width="1"/>')
    ruler = ((unit, top + height - (unit - 1) * UNIT - 3.5) for unit in [1, *range(5, units + 1, 5)])
    out += [_text(x - 6, y, str(unit), "tick", "end") for unit, y in ruler]
    if kept := plan.plan.reserved_units or 0:
        paint = f'fill="{svg.SUNKEN}" stroke="{svg.STRONG}" stroke-dasharray="3 3"'
        out.append(svg.rect("kept", x, top, RACK_WIDTH, kept * UNIT, paint))
        out.append(_text(x + RACK_WIDTH / 2, top + kept * UNIT / 2 + 4, "kept free", "tick", "middle"))
    for block in plan.fixtures_in(rack):
        y = top + height - (block.first_unit + block.n_units - 1) * UNIT
        paint = f'fill="{svg.SUNKEN}" stroke="{svg.STRONG}"'
        out.append(svg.rect("fixture", x, y, RACK_WIDTH, block.n_units * UNIT, paint))
        words = f"{HOLDS[block.holds]} ({block.n_units} U)"
        out.append(_text(x + RACK_WIDTH / 2, y + block.n_units * UNIT / 2 + 4, words, "", "middle"))
    for device in plan.devices_in(rack):
        y = top + height - (device.bottom_unit + device.units - 1) * UNIT
        out += _device(device, x, y, device.units * UNIT)
    return [*out, *_sums(plan, rack, x, top + height)]


def _device(device: PlacedDevice, x: float, y: float, height: float) -> list[str]:
    """A device as a plate with a stripe in its tier's colour; its model where there is room."""
    kind, name, part = device.kind, device.name, device.part
    out = [
        svg.rect(
            "plate", x + 0.5, y + 0.5, RACK_WIDTH - 1, height - 1, f'rx="2" fill="{svg.SURFACE}" stroke="{svg.STRONG}"'
        ),
        svg.rect(f"glyph {kind}", x + 2, y + 2, 6, height - 4, f'rx="1.5" fill="{FILLS[kind]}"'),
    ]
    room = RACK_WIDTH - 24
    if height >= 3 * UNIT:
        out.append(_text(x + 16, y + height / 2 - 3, name, "name"))
        out.append(_text(x + 16, y + height / 2 + 12, _cut(_model(part, device.max_w), room)))
        return out
    out.append(_text(x + 16, y + height / 2 + 4, name, "name"))
    if _width(name) + _width(part) + 12 <= room:
        out.append(_text(x + RACK_WIDTH - 8, y + height / 2 + 4, part, "", "end"))
    return out


def _model(name: str, max_w: float) -> str:
    return f"{name}, up to {watts(max_w)}" if max_w else name


def _width(words: str) -> float:
    """About how wide words of the usual size are."""
    return sum(WIDE if letter.isupper() or letter in "×…" else LETTER for letter in words)


def _cut(words: str, room: float) -> str:
    if _width(words) <= room:
        return words
    while words and _width(words) + WIDE > room:
        words = words[:-1]
    return words.rstrip(" ,") + "…"


def _numbers(plan: FloorPlan, rack: int) -> dict[str, int]:
    kinds = [device.kind for device in plan.devices_in(rack)]
    return {kind: kinds.count(kind) for kind in ONE if kind in kinds}


def _contents(plan: FloorPlan, rack: int) -> str:
    return ", ".join(f"{count(n)} {ONE[kind] if n == 1 else MANY[kind]}" for kind, n in _numbers(plan, rack).items())


def _sums(plan: FloorPlan, rack: int, x: float, bottom: float) -> list[str]:
    """Units, power and weight against their limits; a bar that is over its limit says so in words too."""
    out = []
    for place, (has, limit, words) in enumerate(_lines(plan, rack)):
        y = bottom + 10 + place * 20
        over = exceeds(has, limit)
        share = min(has / limit, 1.0) if limit else 0.0
        out.append(svg.rect("track", x, y, BAR, 8, f'rx="4" fill="{svg.LINE}"'))
        if share > 0:
            paint = f'rx="4" fill="{OVER if over else FILLS[CORE]}"'
            out.append(svg.rect("bar over" if over else "bar", x, y, max(BAR * share, 3), 8, paint))
        out.append(_text(x + BAR + 8, y + 8, words, "over" if over else ""))
    return out


def _lines(plan: FloorPlan, rack: int) -> Iterator[tuple[float, float, str]]:
    """(what the rack has, its limit, both in words) of units, power and weight."""
    parts, limits = {device.part for device in plan.devices_in(rack)}, plan.plan
    used, units = int(plan.used_units[rack]), limits.rack_units or 0
    yield used, units, f"{used} of {units} U"
    power, load = limits.rack_power_kw or 0.0, limits.rack_weight_kg or 0.0
    has_kw, typical_kw = float(plan.max_w[rack]) / W_PER_KW, float(plan.typical_w[rack]) / W_PER_KW
    least = "at least " if parts & set(plan.unknown("max_w")) else ""
    if exceeds(has_kw, power):
        yield has_kw, power, f"over: {least}{_kw(has_kw)} of {_kw(power)} kW"
    elif has_kw:
        usual = "" if least else f"{_kw(typical_kw)} typical, "
        yield has_kw, power, f"{usual}{least}{_kw(has_kw)} of {_kw(power)} kW"
    else:
        yield 0, power, "power not known"
    has_kg, over = float(plan.weight_kg[rack]), exceeds(float(plan.weight_kg[rack]), load)
    least = "at least " if parts & set(plan.unknown("weight_kg")) else ""
    words = f"{'over: ' if over else ''}{least}{has_kg:,.0f} of {load:,.0f} kg"
    yield has_kg, load, words if has_kg else "weight not known"


def _kw(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")


def _rack_in_words(plan: FloorPlan, rack: int) -> str:
    sums = "; ".join(words for _, _, words in _lines(plan, rack))
    return f"Rack {plan.names[rack]} holds {_contents(plan, rack)}: {sums}."


# ---------------------------------------------------------------- the floor from above


def floor_svg(plan: FloorPlan, href: Callable[[int], str] | None = None, chosen: Collection[int] = ()) -> SafeString:
    """The floor from above: rows of racks, coloured by what they are for.

    ``href`` gives the address of a rack's elevation by its number (from 1); on floors of more than MAX_LINKED racks, racks
    are drawn together and are no links. ``chosen`` racks are outlined. Of more than MAX_ROWS rows the middle ones are left
    out, and the picture says how many.
    """
    rows = _shown_rows(plan.n_rows)
    across = round(float(plan.x_m.max()) / (plan.plan.rack_pitch_m or 1)) + 1
    pitch = min((WIDTH - LABEL - 6) / across, WIDEST)
    step = min(max(pitch * 2.3, 12.0), 46.0, max(HEIGHT / min(plan.n_rows, MAX_ROWS), 6.0))
    depth = step * 0.6
    tops = {row: 8 + k * step + (18 if row > rows[0][-1] else 0) for k, row in enumerate([*rows[0], *rows[1]])}
    parts = _row_labels(plan, rows, tops, depth, step)
    places = np.flatnonzero(np.isin(plan.row, [*rows[0], *rows[1]]))
    boxes = {
        int(i): (LABEL + float(plan.x_m[i]) / (plan.plan.rack_pitch_m or 1) * pitch, tops[int(plan.row[i])])
        for i in places
    }
    draw = _linked_racks if plan.n_racks <= MAX_LINKED else _joined_racks
    parts += draw(plan, boxes, pitch, depth, href)
    for number in chosen:
        if number - 1 in boxes:
            x, y = boxes[number - 1]
            paint = 'rx="3" fill="none" stroke="#0b6bcb" stroke-width="2"'
            parts.append(svg.rect("chosen", x - 0.5, y - 1.5, pitch - 1 if pitch > 4 else pitch, depth + 3, paint))
    bottom = max(tops.values()) + depth + 14
    legend, legend_end = _legend(plan, LABEL, bottom)
    width = min(max(LABEL + across * pitch, legend_end) + 6, WIDTH)
    title = f"Floor of {count(plan.n_racks)} racks"
    return _svg("floor", bottom + 14, title, _floor_in_words(plan), [*parts, *legend], "plan", width)


def _shown_rows(n_rows: int) -> tuple[list[int], list[int]]:
    """Numbers of the rows that are drawn: the first ones, and the last ones where some between are left out."""
    if n_rows <= MAX_ROWS:
        return list(range(1, n_rows + 1)), []
    return list(range(1, MAX_ROWS - TAIL_ROWS + 1)), list(range(n_rows - TAIL_ROWS + 1, n_rows + 1))


def _row_labels(
    plan: FloorPlan, rows: tuple[list[int], list[int]], tops: dict[int, float], depth: float, step: float
) -> list[str]:
    every = math.ceil(11 / step)
    shown = [row for group in rows for row in group[::every]]
    out = [_text(LABEL - 6, tops[row] + depth / 2 + 4, f"R{row:02d}", "tick", "end") for row in shown]
    if rows[1]:
        y = tops[rows[1][0]] - 10
        out.append(_text(LABEL, y, f"{count(plan.n_rows - MAX_ROWS)} rows between are not drawn", "tick"))
    return out


def _linked_racks(
    plan: FloorPlan,
    boxes: dict[int, tuple[float, float]],
    pitch: float,
    depth: float,
    href: Callable[[int], str] | None,
) -> list[str]:
    """Every rack by itself, with its sign and, on the page, a link to its elevation."""
    out = []
    for rack, (x, y) in boxes.items():
        role, over = plan.role[rack], bool(plan.is_over[rack])
        band = max(depth * 0.3, 4)
        drawn = [
            f"<title>{escape(_hint(plan, rack))}</title>",
            svg.rect(
                "plate over" if over else "plate",
                x,
                y,
                pitch - 2,
                depth,
                f'rx="2" fill="{svg.SURFACE}" stroke="{OVER if over else svg.STRONG}" stroke-width="{2 if over else 1}"',
            ),
            svg.rect(f"glyph {role}", x, y, pitch - 2, band, f'rx="2" fill="{FILLS[role]}"'),
        ]
        if (words := _in_plate(plan, rack, pitch)) and depth >= 18:
            drawn.append(_text(x + pitch / 2 - 1, y + (depth + band) / 2 + 4, words, "tick", "middle"))
        inside = "".join(drawn)
        if href:
            out.append(f'<a href="{escape(href(rack + 1))}" aria-label="{escape(_hint(plan, rack))}">{inside}</a>')
        else:
            out.append(f"<g>{inside}</g>")
    return out


def _in_plate(plan: FloorPlan, rack: int, pitch: float) -> str:
    """What a rack of the floor says of itself: its sign, and its power where there is room."""
    kw = float(plan.max_w[rack]) / W_PER_KW
    power = f"{_kw(kw)} kW" if kw and pitch >= ROOM_FOR_POWER else ""
    return " ".join(word for word in (SIGNS[plan.role[rack]] if pitch >= ROOM_FOR_SIGN else "", power) if word)


def _hint(plan: FloorPlan, rack: int) -> str:
    kw = _kw(float(plan.max_w[rack]) / W_PER_KW)
    over = ", over its limit" if plan.is_over[rack] else ""
    return f"{plan.names[rack]}: {RACK_FOR[plan.role[rack]].lower()}, up to {kw} kW{over}"


def _joined_racks(
    plan: FloorPlan,
    boxes: dict[int, tuple[float, float]],
    pitch: float,
    depth: float,
    href: Callable[[int], str] | None,
) -> list[str]:
    """Racks side by side for the same kind as one run; all runs of a kind as one path."""
    runs: dict[str, list[list[float]]] = {role: [] for role in FILLS}
    last: tuple[str, float, float] | None = None
    for rack, (x, y) in boxes.items():
        role = plan.role[rack]
        if last and last[0] == role and last[2] == y and abs(last[1] + pitch - x) < pitch / 2:
            runs[role][-1][2] += pitch
        else:
            runs[role].append([x, y, pitch])
        last = (role, x, y)
    gap = 1.0 if pitch >= 4 else 0.3
    return [
        f'<path class="glyph {role}" fill="{FILLS[role]}" d="'
        + "".join(f"M{x:.1f} {y:.1f}h{width - gap:.1f}v{depth:.1f}h{gap - width:.1f}z" for x, y, width in found)
        + '"/>'
        for role, found in runs.items()
        if found
    ]


def _legend(plan: FloorPlan, x: float, y: float) -> tuple[list[str], float]:
    """What the colours mean, in a line, and where it ends."""
    out = []
    for role in FILLS:
        if n := plan.role.count(role):
            sign = f" ({SIGNS[role]})" if SIGNS[role] and plan.n_racks <= MAX_LINKED else ""
            words = f"{RACK_FOR[role]}{sign}: {_racks(n)}"
            out.append(svg.rect(f"glyph {role}", x, y, 11, 11, f'rx="2.5" fill="{FILLS[role]}"'))
            out.append(_text(x + 17, y + 10, words))
            x += 17 + len(words) * LETTER + GAP_IN_LEGEND
    if (n_over := int(plan.is_over.sum())) > 0:
        out.append(svg.rect("plate over", x, y, 11, 11, f'rx="2.5" fill="none" stroke="{OVER}" stroke-width="2"'))
        words = f"Over a limit: {_racks(n_over)}"
        out.append(_text(x + 17, y + 10, words, "over"))
        x += 17 + len(words) * LETTER + GAP_IN_LEGEND
    return out, x - GAP_IN_LEGEND


def _racks(n: int) -> str:
    return f"{count(n)}{NO_BREAK_SPACE}{'rack' if n == 1 else 'racks'}"


def _floor_in_words(plan: FloorPlan) -> str:
    size = plan.answer().floor_m
    roles = ", ".join(f"{RACK_FOR[role].lower()} {_racks(n)}" for role in FILLS if (n := plan.role.count(role)))
    return (
        f"{_racks(plan.n_racks)} in {count(plan.n_rows)} {'row' if plan.n_rows == 1 else 'rows'} on {metres(size.width)} by "
        f"{metres(size.depth)}: {roles}."
    )
