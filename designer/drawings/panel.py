"""The front of a switch, drawn: its cages in the order of the platform, and in each port the device that it goes to."""

from designer.drawings.scene import EDGE, WIDTH, Scene, device_colour, draw_heading, draw_legend
from designer.drawings.svg import (
    FILLS,
    NAME,
    PAGE,
    PORT,
    SMALL,
    STRONG,
    SURFACE,
    Pen,
    Rect,
    fitted,
    short_name,
    text_width,
)
from designer.drawings.words import number_of
from designer.wording.numbers import count, gbit_s, medium_name, metres
from estimator.diagrams.ports import DOWN, KEPT, OPEN, OUT, PEER, TO_MANAGER, TO_NODE, UP, Cage, Panel, Port
from estimator.fabric.devices import CORE, LEAF, SPINE
from estimator.units import ceil_div

MOST_ACROSS = 16
EAR = 10
HEADER = 36
PORT_HEIGHT, LABEL, ROW_GAP = 17, 14, 10
BELOW = {LEAF: "node", SPINE: "leaf", CORE: "spine"}
ABOVE = {LEAF: "spine", SPINE: "core"}


def fill_of(use: str, kind: str) -> str:
    """The colour class of a port by what it is for: that of the device at its other end."""
    if use == UP:
        return ABOVE.get(kind, "core")
    if use in (TO_NODE, DOWN):
        return BELOW[kind]
    return {TO_MANAGER: "manager", PEER: "peer", OUT: "outside", OPEN: "open", KEPT: "kept"}[use]


def use_words(use: str, kind: str) -> str:
    """What a port is for: "to servers", "to spines", "open"."""
    return {
        TO_NODE: "to servers",
        TO_MANAGER: "to fabric managers",
        PEER: "to the other leaf of the pair",
        OUT: "into another network",
        OPEN: "open",
        KEPT: "kept free",
        UP: f"to {ABOVE.get(kind, 'core')}s",
        DOWN: "to leaves" if kind == SPINE else "to spines",
    }[use]


def draw_panel(scene: Scene, panel: Panel, device: int, model: str) -> tuple[str, Pen]:
    """The SVG of a switch's front, and the pen that drew it."""
    pen = Pen()
    draw_heading(pen, scene, panel.name)
    across = _across(len(panel.cages))
    n_rows = int(ceil_div(len(panel.cages), across))
    tall = max((len(cage.ports) for cage in panel.cages), default=1)
    row_height = LABEL + tall * PORT_HEIGHT + ROW_GAP
    top = scene.top
    body = Rect(EDGE, top, WIDTH - EDGE, top + HEADER + n_rows * row_height + 8)
    pen.rect(body, "box chassis", PAGE, STRONG, 8)
    for x in (body.left, body.right - EAR):
        pen.rect(Rect(x, body.top, x + EAR, body.bottom), "ear", STRONG, radius=8)
    pen.text(EDGE + EAR + 12, top + 23, panel.name, "title", "start", strong=True)
    said = fitted(_subtitle(panel, model), 560, NAME)
    pen.text(WIDTH - EDGE - EAR - 12, top + 22, said, "name", "end")
    room = body.right - body.left - 2 * EAR - 8
    width = min(room / across, 96)
    left = (body.left + body.right) / 2 - width * across / 2
    for number, cage in enumerate(panel.cages):
        column, row = _spot(number, len(panel.cages), across)
        x, y = left + column * width, top + HEADER + row * row_height
        _draw_cage(pen, scene, device, cage, Rect(x + 2, y, x + width - 2, y + row_height - ROW_GAP))
    entries = [(fill_of(use, panel.kind), f"{use_words(use, panel.kind)}: {count(n)}") for use, n in panel.uses.items()]
    if scene.mode == "failure":
        entries.append(("down", "down"))
    note = (
        "Odd cages above even ones is assumed; numbers and names are those that the platform prints."
        if n_rows > 1
        else ""
    )
    y = draw_legend(pen, body.bottom + 14, entries, note)
    return pen.svg(WIDTH, y, f"Front of {panel.name}", in_words(panel)), pen


def _subtitle(panel: Panel, model: str) -> str:
    shown = ""
    if len(panel.cages) < panel.n_cages:
        shown = f", cages {panel.cages[0].label} to {panel.cages[-1].label} of {count(panel.n_cages)}"
    return f"{model}{shown}"


def in_words(panel: Panel) -> str:
    """The panel for those who cannot see it."""
    uses = ", ".join(f"{count(n)} {use_words(use, panel.kind)}" for use, n in panel.uses.items())
    return f"{panel.name} has {count(panel.n_ports)} ports in {count(panel.n_cages)} cages: {uses}."


def _across(n_cages: int) -> int:
    """Cages side by side: rows come in pairs."""
    for n_rows in (1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26):
        across = int(ceil_div(n_cages, n_rows))
        if across <= MOST_ACROSS and (n_rows > 1 or n_cages <= 8):
            return across
    return MOST_ACROSS


def _spot(number: int, n_cages: int, across: int) -> tuple[int, int]:
    """(column, row): odd above even in each pair of rows; one row where there are few."""
    if n_cages <= across:
        return number, 0
    pair, place = divmod(number, 2 * across)
    return place // 2, 2 * pair + place % 2


def _draw_cage(pen: Pen, scene: Scene, device: int, cage: Cage, at: Rect) -> None:
    pen.rect(at, "cage", SURFACE, STRONG, 3)
    pen.text((at.left + at.right) / 2, at.top + 10.5, cage.label, "tiny")
    for number, port in enumerate(cage.ports):
        top = at.top + LABEL + number * PORT_HEIGHT
        _draw_port(pen, scene, device, port, Rect(at.left + 2, top, at.right - 2, top + PORT_HEIGHT - 2))


def _draw_port(pen: Pen, scene: Scene, device: int, port: Port, at: Rect) -> None:
    kind = scene.places.table.devices.kind(device)
    colour = fill_of(port.use, kind)
    is_down = port.far_index is not None and scene.link_is_down(device, port.far_index)
    href = scene.link_address(device, port.far_index) if port.far_index is not None else None
    pen.open_glyph(port_words(port, kind), href, f"port use-{port.use}")
    is_free = port.use in (OPEN, KEPT)
    pen.rect(at, "slot", SURFACE if not is_free else FILLS[colour], STRONG, 2, dashed=port.use == OPEN)
    if not is_free:
        shade = "down" if is_down else colour
        pen.rect(Rect(at.left, at.top, at.left + 5, at.bottom), f"fill-{shade}", FILLS[shade], radius=1.5)
    words = port.far or {KEPT: "kept free", OPEN: "open", OUT: "uplink"}.get(port.use, "")
    room = at.right - at.left - 6.5
    shown = short_name(words, room, PORT) if port.far else words if text_width(words, PORT) <= room else ""
    pen.text((at.left + at.right) / 2 + (0 if is_free else 2.5), at.top + 11, shown, "port")
    pen.close_glyph(href)


def port_words(port: Port, kind: str) -> str:
    """A port in a sentence, for its hint and its row in the table."""
    if port.far is None:
        return f"Port {port.label}: {use_words(port.use, kind)}"
    words = [f"Port {port.label} to {port.far} {port.far_port}", gbit_s(port.rate_gbit_s)]
    if port.medium:
        words.append(f"{medium_name(port.medium)}, {metres(port.length_m)}")
    return ", ".join(words)


def draw_list(scene: Scene, devices: list[int], total: int, title: str, details: dict[int, str]) -> tuple[str, Pen]:
    """Devices of one kind, one by one, with what is to be said of each."""
    pen, across, height = Pen(), 8, 40.0
    draw_heading(pen, scene, title)
    width = (WIDTH - 2 * EDGE) / across
    for number, device in enumerate(devices):
        row, column = divmod(number, across)
        left, top = EDGE + column * width, scene.top + row * (height + 8)
        at = Rect(left + 3, top, left + width - 3, top + height)
        href, name = scene.address(device), scene.name(device)
        colour = device_colour(scene, device, None)
        pen.open_glyph(f"{name}: {details[device]}", href, "one")
        pen.rect(at, "box", SURFACE, STRONG, 5)
        pen.rect(Rect(at.left, at.top, at.left + 8, at.bottom), f"fill-{colour}", FILLS[colour], radius=3)
        room = at.right - at.left - 18
        pen.text(at.left + 14, at.top + 17, short_name(name, room, NAME), "name", "start")
        pen.text(at.left + 14, at.top + 32, fitted(details[device], room, SMALL), "small", "start")
        pen.close_glyph(href)
    bottom = scene.top + int(ceil_div(len(devices), across)) * (height + 8) + 6
    kind = scene.places.table.devices.kind(devices[0])
    words = f"{number_of(total, kind, scene.role)}, of which {count(len(devices))} are shown."
    return pen.svg(WIDTH, bottom, title, words), pen
