"""A server, drawn from the network inwards: leaves, NICs with their ports, PCIe switches, GPUs, and what joins them.

Processors stand at the sides with a line to all that hangs on them. What the catalog does not know is drawn with dashes,
and the note below the picture says what was assumed.
"""

from dataclasses import dataclass

from designer.drawings.scene import EDGE, WIDTH, Scene, draw_heading, draw_legend
from designer.drawings.svg import (
    BUNDLE,
    FILLS,
    HEAD,
    NAME,
    PAGE,
    SMALL,
    STRONG,
    SURFACE,
    TINY,
    Pen,
    Rect,
    fitted,
    lines_of,
    short_name,
    text_width,
    whole_words,
)
from designer.wording.numbers import count, gb_s, gbit_s, medium_name, metres
from estimator.diagrams.node import CPU, IN_NIC, SWITCH, Adapter, OtherPorts, ServerInside
from estimator.diagrams.ports import Port

MOST_COLUMNS = 16
SIDE = 112
LEAF_HEIGHT, NIC_HEIGHT, PCIE_HEIGHT, GPU_HEIGHT, BAR_HEIGHT = 44, 54, 26, 44, 44
CABLE, GAP = 62, 30
ROLES = {
    "storage": "Storage",
    "inband": "In-band",
    "oob": "Out-of-band",
    "mgmt": "Management",
    "storage+inband": "Storage and in-band",
}


@dataclass(frozen=True)
class _Rows:
    """Tops of the rows."""

    leaf: float
    nic: float
    pcie: float
    gpu: float
    bar: float
    end: float
    left: float
    column: float


def shown_adapters(inside: ServerInside, start: int) -> tuple[tuple[Adapter, ...], int]:
    """NICs of one picture and where they start: as many columns as fit."""
    each = max((len(a.ports) for a in inside.adapters), default=1)
    per_page = max(MOST_COLUMNS // max(each, 1), 1)
    per_page = per_page if per_page < len(inside.adapters) else len(inside.adapters)
    start = max(0, min(start, len(inside.adapters) - 1)) // per_page * per_page
    return inside.adapters[start : start + per_page], start


def draw_node(scene: Scene, device: int, inside: ServerInside, start: int = 0) -> tuple[str, Pen]:
    """The SVG of a server, and the pen that drew it."""
    pen, name = Pen(), scene.name(device)
    adapters, _ = shown_adapters(inside, start)
    draw_heading(pen, scene, name)
    rows = _rows(scene, inside, len(adapters))
    cpus = sorted({adapter.cpu for adapter in adapters})
    body = Rect(EDGE, rows.nic - 12, WIDTH - EDGE, rows.end + 34)
    pen.rect(body, "frame", PAGE, STRONG, 10)
    title = fitted(f"{name} · {inside.server or 'custom server'}", 900, NAME, True)
    pen.text(WIDTH / 2, body.bottom - 10, title, "name", strong=True)
    _draw_cpus(pen, inside, rows, adapters, cpus)
    for place, adapter in enumerate(adapters):
        _draw_column(pen, scene, device, inside, adapter, rows, place)
    _draw_bars(pen, inside, rows, adapters)
    y = _draw_others(pen, inside, rows.end + 46)
    y = draw_legend(pen, y + 4, _entries(inside), "")
    for line in _notes(inside, adapters):
        for text in lines_of(line, WIDTH - 2 * EDGE, SMALL, 2):
            pen.text(EDGE, y + 10, text, "small", "start")
            y += 15
    return pen.svg(WIDTH, y + 6, f"Inside {name}", in_words(name, inside)), pen


def _rows(scene: Scene, inside: ServerInside, n: int) -> _Rows:
    has_gpus, has_bar = inside.n_gpus > 0, inside.scale_up_group > 1
    leaf = scene.top
    nic = leaf + LEAF_HEIGHT + CABLE + 12
    pcie = nic + NIC_HEIGHT + GAP
    gpu = pcie + PCIE_HEIGHT + GAP if inside.meeting == SWITCH else pcie
    bar = gpu + GPU_HEIGHT + (GAP if has_bar else 0)
    end = bar + (BAR_HEIGHT if has_bar else 0) if has_gpus else gpu
    room = WIDTH - 2 * EDGE - 2 * SIDE
    column = min(room / max(n, 1), 150)
    return _Rows(leaf, nic, pcie, gpu, bar, end, WIDTH / 2 - column * n / 2, column)


def _draw_column(
    pen: Pen, scene: Scene, device: int, inside: ServerInside, adapter: Adapter, rows: _Rows, place: int
) -> None:
    """A NIC with its ports and cables, and the GPUs beside it."""
    left = rows.left + place * rows.column
    at = Rect(left + 4, rows.nic, left + rows.column - 4, rows.nic + NIC_HEIGHT)
    middle = (at.left + at.right) / 2
    slot = (at.right - at.left) / max(len(adapter.ports), 1)
    for number, port in enumerate(adapter.ports):
        x = at.left + (number + 0.5) * slot
        _draw_cable(pen, scene, device, rows, port, x, max(slot, rows.column - 8 if len(adapter.ports) == 1 else slot))
    pen.open_glyph(
        f"NIC {adapter.number + 1}: {inside.adapter or 'model not known'}, {inside.pcie or 'slot not known'}",
        None,
        "part",
    )
    pen.rect(at, "part nic", FILLS["nic"], STRONG, 5)
    pen.text(
        middle,
        at.top + 15,
        fitted(f"NIC {adapter.number + 1}", at.right - at.left - 6, NAME, True),
        "name",
        strong=True,
    )
    rate = sum(port.rate_gbit_s or 0 for port in adapter.ports)
    pen.text(middle, at.top + 29, fitted(gbit_s(rate), at.right - at.left - 4, SMALL), "small")
    ports = ", ".join(port.label for port in adapter.ports)
    pen.text(middle, at.top + 43, fitted(ports, at.right - at.left - 4, TINY), "tiny")
    pen.close_glyph(None)
    _draw_gpus(pen, inside, adapter, rows, Rect(left + 4, rows.gpu, left + rows.column - 4, rows.gpu + GPU_HEIGHT))


def _draw_cable(pen: Pen, scene: Scene, device: int, rows: _Rows, port: Port, x: float, room: float) -> None:
    """From a port up to its leaf; the cable's medium and length beside it."""
    href = scene.link_address(device, port.far_index) if port.far_index is not None else None
    half = min(room / 2 - 3, 66)
    at = Rect(x - half, rows.leaf, x + half, rows.leaf + LEAF_HEIGHT)
    is_down = port.far_index is not None and scene.link_is_down(device, port.far_index)
    colour = "down" if is_down else "leaf"
    cable = f"{medium_name(port.medium)}, {metres(port.length_m)}" if port.medium else "medium not known"
    pen.open_glyph(f"{port.label} to {port.far} {port.far_port}: {gbit_s(port.rate_gbit_s)}, {cable}", href, "one")
    pen.path(
        f"M{x:.1f} {rows.nic:.1f}V{rows.leaf + LEAF_HEIGHT:.1f}", "bundle line-plain", BUNDLE, 2.4, 0.7, dashed=is_down
    )
    pen.rect(at, "box", SURFACE, STRONG, 5)
    pen.rect(Rect(at.left, at.top, at.right, at.top + 6), f"fill-{colour}", FILLS[colour], radius=3)
    name = short_name(port.far or "", at.right - at.left - 4, SMALL)
    pen.text(x, at.top + 21, name, "small")
    for words in _rail_words(scene, port):
        if text_width(words, TINY) <= at.right - at.left - 4:
            pen.text(x, at.top + 35, words, "tiny")
            break
    spots = [(x, rows.leaf + LEAF_HEIGHT + 18)]
    for words in (port.far_port or "", (port.far_port or "").rpartition("/")[2]):
        if text_width(words, TINY) <= room - 6 and pen.place(words, spots, "tiny"):
            break
    if port.medium:
        length = metres(port.length_m)
        for words in (f"{medium_name(port.medium)}, {length}", length):
            if text_width(words, TINY) <= room - 6 and pen.place(words, [(x, rows.leaf + LEAF_HEIGHT + 36)], "tiny"):
                break
    pen.close_glyph(href)


def _rail_words(scene: Scene, port: Port) -> list[str]:
    """Rail and plane of a port, as far as the network has any; the longest form first."""
    plane = scene.places.n["plane"] > 1
    long = [f"rail {port.rail}"] * bool(port.rail) + [f"plane {port.plane}"] * plane
    short = [f"r{port.rail}"] * bool(port.rail) + [f"p{port.plane}"] * plane
    return [", ".join(long), " ".join(short)] if long else []


def _draw_gpus(pen: Pen, inside: ServerInside, adapter: Adapter, rows: _Rows, at: Rect) -> None:
    """What the NIC meets its GPUs in, and the GPUs."""
    middle, top = (at.left + at.right) / 2, rows.nic + NIC_HEIGHT
    if inside.meeting == SWITCH:
        box = Rect(at.left + 4, rows.pcie, at.right - 4, rows.pcie + PCIE_HEIGHT)
        pen.path(
            f"M{middle:.1f} {top:.1f}V{box.top:.1f}M{middle:.1f} {box.bottom:.1f}V{at.top:.1f}", "inner", BUNDLE, 1.8
        )
        pen.open_glyph("PCIe switch, assumed", None, "part")
        pen.rect(box, "part pcie", FILLS["pcie"], STRONG, 4, dashed=True)
        words = next((w for w in ("PCIe switch", "PCIe") if text_width(w, SMALL) <= box.right - box.left - 4), "")
        pen.text(middle, box.top + 17, words, "small")
        pen.close_glyph(None)
    elif adapter.gpus:
        pen.path(f"M{middle:.1f} {top:.1f}V{at.top:.1f}", "inner", BUNDLE, 1.8, dashed=inside.meeting == CPU)
    if not adapter.gpus:
        return
    slot = (at.right - at.left) / len(adapter.gpus)
    for number, gpu in enumerate(adapter.gpus):
        box = Rect(at.left + number * slot + 1, at.top, at.left + (number + 1) * slot - 1, at.bottom)
        pen.open_glyph(f"GPU {gpu + 1}: {inside.gpu or 'model not known'}", None, "part")
        pen.rect(box, "part gpu", FILLS["gpu"], STRONG, 5)
        room = slot - 6
        pen.text(
            (box.left + box.right) / 2, box.top + 18, fitted(f"GPU {gpu + 1}", room, NAME, True), "name", strong=True
        )
        pen.text((box.left + box.right) / 2, box.top + 33, whole_words(inside.gpu or "", room, TINY), "tiny")
        pen.close_glyph(None)


def _draw_cpus(pen: Pen, inside: ServerInside, rows: _Rows, adapters: tuple[Adapter, ...], cpus: list[int]) -> None:
    """Processors at the sides, the first half of them left; a line from each along all that hangs on it."""
    y = rows.pcie + (PCIE_HEIGHT / 2 if inside.meeting == SWITCH else -GAP / 2)
    half = (len(cpus) + 1) // 2
    groups = ((cpus[:half], EDGE + 10, -1), (cpus[half:], WIDTH - EDGE - SIDE + 2, 1))
    height = 46.0
    for some, left, side in groups:
        for place, cpu in enumerate(some):
            top = y - height * len(some) / 2 + place * height
            at = Rect(left, top + 2, left + SIDE - 12, top + height - 2)
            own = [n for n, adapter in enumerate(adapters) if adapter.cpu == cpu]
            far = rows.left + (own[-1 if side < 0 else 0] + 0.5) * rows.column
            edge = at.right if side < 0 else at.left
            pen.path(f"M{edge:.1f} {(at.top + at.bottom) / 2:.1f}H{far:.1f}", "inner", BUNDLE, 1.8, 0.8, dashed=True)
            pen.open_glyph(f"Processor {cpu + 1}: {inside.cpu or 'not known, assumed'}", None, "part")
            pen.rect(at, "part cpu", FILLS["cpu"], STRONG, 5, dashed=inside.cpu is None)
            pen.text((at.left + at.right) / 2, at.top + 18, f"CPU {cpu + 1}", "name", strong=True)
            pen.text(
                (at.left + at.right) / 2, at.top + 32, whole_words(inside.cpu or "assumed", SIDE - 16, TINY), "tiny"
            )
            pen.close_glyph(None)


def _draw_bars(pen: Pen, inside: ServerInside, rows: _Rows, adapters: tuple[Adapter, ...]) -> None:
    """What joins the GPUs: one bar under all that it joins."""
    if inside.scale_up_group < 2 or not inside.scale_up:
        return
    of_gpu = {gpu: (n, k, len(a.gpus)) for n, a in enumerate(adapters) for k, gpu in enumerate(a.gpus)}
    if not of_gpu:
        return
    first, last = min(of_gpu), max(of_gpu)
    for start in range(first - first % inside.scale_up_group, last + 1, inside.scale_up_group):
        own = [gpu for gpu in range(start, start + inside.scale_up_group) if gpu in of_gpu]
        xs = [
            rows.left + of_gpu[gpu][0] * rows.column + 4 + (of_gpu[gpu][1] + 0.5) * (rows.column - 8) / of_gpu[gpu][2]
            for gpu in own
        ]
        width = (rows.column - 8) / of_gpu[own[0]][2]
        at = Rect(xs[0] - width / 2 + 1, rows.bar, xs[-1] + width / 2 - 1, rows.bar + BAR_HEIGHT)
        ups = "".join(f"M{x:.1f} {rows.gpu + GPU_HEIGHT:.1f}V{rows.bar:.1f}" for x in xs)
        pen.path(ups, "inner scale-up", FILLS["nvswitch"], 3)
        words = bar_words(inside)
        pen.open_glyph(words, None, "part")
        pen.rect(at, "part nvswitch", FILLS["nvswitch"], STRONG, 5)
        lines = lines_of(words, (at.right - at.left - 10) / 1.07, NAME, 2)
        for number, line in enumerate(lines):
            y = rows.bar + (BAR_HEIGHT + 8) / 2 + (number - (len(lines) - 1) / 2) * 14
            pen.text((at.left + at.right) / 2, y, line, "name", strong=True, css="on-bar")
        pen.close_glyph(None)


def bar_words(inside: ServerInside) -> str:
    """What joins the GPUs, in words."""
    words = f"{inside.scale_up}"
    if inside.scale_up_gb_s:
        words += f", {gb_s(inside.scale_up_gb_s)} a GPU both ways"
    if inside.domain_gpus > inside.n_gpus:
        words += f"; with the other servers of its rack {count(inside.domain_gpus)} GPUs"
    return words


def _draw_others(pen: Pen, inside: ServerInside, y: float) -> float:
    """Ports of the other networks, one box each."""
    if not inside.others:
        return y
    pen.text(EDGE, y + 16, "Other ports", "name", "start", strong=True)
    x = EDGE + 90.0
    for other in inside.others:
        words = _other_words(other)
        width = text_width(words, SMALL) + 20
        if x + width > WIDTH - EDGE:
            x, y = EDGE + 90.0, y + 30
        at = Rect(x, y, x + width, y + 24)
        pen.rect(at, "box", SURFACE, STRONG, 12)
        pen.text((at.left + at.right) / 2, y + 16, words, "small")
        x += width + 8
    return y + 34


def _other_words(other: OtherPorts) -> str:
    return f"{ROLES.get(other.role, other.role)}: {count(other.n_ports)} × {gbit_s(other.rate_gbit_s)}"


def _entries(inside: ServerInside) -> list[tuple[str, str]]:
    entries = [("leaf", "Leaf"), ("nic", "Adapter")]
    if inside.meeting == SWITCH:
        entries.append(("pcie", "PCIe switch (assumed)"))
    if inside.n_gpus:
        entries.append(("gpu", "GPU"))
    entries.append(("cpu", "Processor"))
    if inside.scale_up_group > 1:
        entries.append(("nvswitch", "Scale-up links"))
    return entries


def _notes(inside: ServerInside, adapters: tuple[Adapter, ...]) -> list[str]:
    words = []
    if inside.adapter:
        words.append(f"NICs: {inside.adapter}, {inside.pcie}.")
    if inside.meeting == IN_NIC and inside.adapter:
        words.append("The NIC holds a PCIe switch, in which it meets its GPU.")
    if len(adapters) < len(inside.adapters):
        first, last = adapters[0].number + 1, adapters[-1].number + 1
        words.append(f"NICs {first} to {last} of {len(inside.adapters)} are shown.")
    return [*words, *inside.assumed]


def in_words(name: str, inside: ServerInside) -> str:
    """The server for those who cannot see it."""
    words = [
        f"{name} has {count(inside.n_gpus)} GPUs and {count(len(inside.adapters))} NICs with "
        f"{count(sum(len(a.ports) for a in inside.adapters))} ports on this network."
    ]
    if inside.scale_up_group > 1:
        words.append(f"GPUs are joined by {bar_words(inside)}.")
    words += [f"{port.label} goes to {port.far} {port.far_port}." for a in inside.adapters[:16] for port in a.ports]
    return " ".join(words)


def draw_host(scene: Scene, device: int, ports: tuple[Port, ...]) -> tuple[str, Pen]:
    """A device that is only known by its ports: the device below, its leaves above."""
    pen, name = Pen(), scene.name(device)
    draw_heading(pen, scene, name)
    shown = ports[:MOST_COLUMNS]
    column = min((WIDTH - 2 * EDGE) / max(len(shown), 1), 220)
    left = WIDTH / 2 - column * len(shown) / 2
    rows = _Rows(scene.top, scene.top + LEAF_HEIGHT + CABLE, 0, 0, 0, 0, left, column)
    for number, port in enumerate(shown):
        _draw_cable(pen, scene, device, rows, port, left + (number + 0.5) * column, column)
    at = Rect(min(left, WIDTH / 2 - 150), rows.nic, max(left + column * len(shown), WIDTH / 2 + 150), rows.nic + 74)
    pen.rect(at, "frame", PAGE, STRONG, 8)
    for number, port in enumerate(shown):
        x = left + (number + 0.5) * column
        pen.text(x, rows.nic + 18, fitted(port.label, column - 6, SMALL), "small")
    pen.text(WIDTH / 2, rows.nic + 50, fitted(name, at.right - at.left - 20, HEAD, True), "head", strong=True)
    words = f"{name} has {count(len(ports))} ports on this network."
    if len(shown) < len(ports):
        pen.text(WIDTH / 2, rows.nic + 66, f"{count(len(shown))} of {count(len(ports))} ports are shown", "small")
    words += "".join(f" {port.label} goes to {port.far} {port.far_port}." for port in shown)
    return pen.svg(WIDTH, rows.nic + 74 + 12, name, words), pen
