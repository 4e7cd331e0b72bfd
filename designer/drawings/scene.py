"""What all pictures of a fabric share: the scene that is drawn, colours of devices and bundles, heading and legend."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from designer.drawings.svg import BUNDLE, FILLS, SMALL, STRONG, Pen, Rect, text_width
from designer.drawings.words import LOAD_BINS, ONE, RATIO_BINS, heat, heat_left, percent_words, short_ratio
from estimator.catalog.ports import COMPUTE
from estimator.diagrams.data import OUTSIDE, Bundle, View
from estimator.diagrams.failure import BETWEEN, Down, names_of
from estimator.diagrams.load import Load
from estimator.diagrams.places import Places
from estimator.fabric.devices import CORE, LEAF, MANAGER, NODE, SPINE

WIDTH = 1040
EDGE = 10
HEADING = 34
NAMED = {kind: ONE[kind].capitalize() for kind in (LEAF, SPINE, CORE, NODE, MANAGER)}
HEAT_WORDS = {
    "alltoall": ["up to 50 % of the uplinks in use", "to 80 %", "to 100 %", "to 150 %", "more"],
    "allreduce": ["up to 50 % of the uplinks in use", "to 80 %", "to 100 %", "to 150 %", "more"],
    "ratio": ["1:1 or better", "to 1.5:1", "to 2:1", "to 3:1", "more"],
    "failure": ["", "90 % or more left", "75 % or more", "50 % or more", "less"],
}


@dataclass(frozen=True)
class Scene:
    """What is drawn, how it is coloured, and where its glyphs lead.

    ``href`` gives the address of a view of the fabric tab; None in a file, whose glyphs are no links.
    """

    places: Places
    role: str
    mode: str
    down: Down
    part_names: Mapping[str, str]
    href: Callable[..., str | None]
    heading: str = ""
    into: str = ""  # the network that the uplinks of the leaves end in

    @property
    def top(self) -> float:
        """Where the picture begins, below a heading if there is one."""
        return EDGE + (HEADING if self.heading else 0)

    def name(self, device: int) -> str:
        """Name of a device."""
        return self.places.table.devices.names[device]

    def toggled(self, *devices: int) -> str | None:
        """The address with a switch, or all links between two devices, taken down; or up again if it is down."""
        name = BETWEEN.join(self.name(device) for device in sorted(devices))
        now = names_of(self.down, self.places.table.devices)
        return self.href(down=[one for one in now if one != name] if name in now else [*now, name])

    def link_is_down(self, *devices: int) -> bool:
        """Whether the links between two devices are down, or one of the two is."""
        lower, upper = sorted(devices)
        return (lower, upper) in self.down.pairs or not self.down.devices.isdisjoint(devices)

    def link_address(self, near: int, far: int) -> str | None:
        """Where a port leads: to the device at its other end, or in failure mode to the fabric without the links to it."""
        return self.toggled(near, far) if self.mode == "failure" else self.href(at=self.name(far))

    def address(self, device: int) -> str | None:
        """Where a device's glyph leads: to its own picture, or in failure mode to the fabric without it."""
        if self.mode == "failure" and self.places.table.devices.kind(device) in (LEAF, SPINE, CORE):
            return self.toggled(device)
        return self.href(at=self.name(device))


def device_colour(scene: Scene, device: int, load: Load | None) -> str:
    """The colour class of one device."""
    table = scene.places.table
    kind, fabric = table.devices.kind(device), table.fabric
    index = device - table.devices.first[kind]
    if device in scene.down.devices:
        return "down"
    if scene.mode == "ratio" and kind == LEAF and fabric.leaf_up.any():
        up = float(fabric.leaf_up[index]) * fabric.uplink_rate_gbit_s
        return heat(float(fabric.leaf_fed_gbit_s[index]) / up, RATIO_BINS)
    if scene.mode == "ratio" and kind == SPINE and fabric.spine_up.any():
        return heat(float(fabric.spine_down[index]) / max(float(fabric.spine_up[index]), 1.0), RATIO_BINS)
    if load is not None and kind == LEAF and fabric.tiers > 1:
        return heat(float(load.leaf[index]), LOAD_BINS)
    if load is not None and kind == SPINE and len(load.spine):
        return heat(float(load.spine[index]), LOAD_BINS)
    return kind


def bundle_colour(scene: Scene, view: View, bundle: Bundle) -> str:
    """The colour class of a bundle; "plain" where the mode says nothing of it."""
    if scene.mode == "failure":
        return heat_left(bundle.left / bundle.links) if bundle.left < bundle.links else "plain"
    lower = view.boxes[bundle.lower]
    if scene.mode == "ratio":
        return heat(float(lower.worst_ratio), RATIO_BINS) if lower.worst_ratio is not None else "plain"
    is_between = lower.kind in (LEAF, SPINE) and view.boxes[bundle.upper].kind != OUTSIDE
    return heat(bundle.load, LOAD_BINS) if bundle.load is not None and is_between else "plain"


def bundle_figure(scene: Scene, view: View, bundle: Bundle) -> str:
    """What the mode says of a bundle, in a few letters; nothing where it says nothing."""
    if scene.mode == "failure" and bundle.left < bundle.links:
        return f"{bundle.left:,} of {bundle.links:,} left"
    if scene.mode == "ratio":
        return short_ratio(view.boxes[bundle.lower].worst_ratio)
    if bundle.load is not None and view.boxes[bundle.lower].kind in (LEAF, SPINE):
        return percent_words(bundle.load)
    return ""


def stroke_of(colour: str) -> str:
    """The colour itself, as a file needs it."""
    return BUNDLE if colour == "plain" else FILLS[colour]


def draw_heading(pen: Pen, scene: Scene, words: str) -> None:
    """The heading of a saved picture; on a page it stands beside the picture."""
    if scene.heading:
        pen.text(EDGE, EDGE + 15, scene.heading, "title", "start", strong=True)
        pen.text(WIDTH - EDGE, EDGE + 15, words, "name", "end")


def kinds_drawn(view: View) -> list[str]:
    """Kinds of device in a view, from the top down."""
    present = {box.kind for box in view.boxes}
    return [kind for kind in (OUTSIDE, CORE, SPINE, LEAF, NODE, MANAGER) if kind in present]


def draw_legend(pen: Pen, y: float, entries: Sequence[tuple[str, str]], note: str = "") -> float:
    """Colours and what they mean, in as many rows as they take, and a note below; the y of the end."""
    x = float(EDGE)
    for colour, words in entries:
        width = 18 + text_width(words, SMALL) + 18
        if x + width > WIDTH - EDGE and x > EDGE:
            x, y = float(EDGE), y + 18
        stroke = STRONG if colour in ("open", "kept") else "none"
        pen.rect(Rect(x, y, x + 12, y + 12), f"fill-{colour}", FILLS[colour], stroke, 2.5, dashed=colour == "open")
        if colour == "down":
            pen.cross(Rect(x, y, x + 12, y + 12))
        pen.text(x + 18, y + 10, words, "small", "start")
        x += width
    y += 18
    if note:
        pen.text(EDGE, y + 11, note, "small", "start")
        y += 18
    return y + 4


def legend_of(scene: Scene, kinds: Sequence[str]) -> list[tuple[str, str]]:
    """The entries of a view of boxes and bundles; what a mode says nothing of keeps the colour of its role, and says so."""
    named = NAMED if scene.role == COMPUTE else NAMED | {NODE: "Device"}
    shown = [kind for kind in kinds if kind != OUTSIDE]
    heats = [(f"heat-{n}", words) for n, words in enumerate(HEAT_WORDS.get(scene.mode, ())) if words]
    if scene.mode in ("role", "failure"):
        entries = [*((kind, named[kind]) for kind in shown), *heats]
    else:
        entries = [*heats, *((kind, f"{named[kind]}, by role") for kind in shown if not _is_measured(scene, kind))]
    if scene.mode == "failure":
        entries.append(("down", "down"))
    return entries


def _is_measured(scene: Scene, kind: str) -> bool:
    """Whether the load or ratio of their uplinks colours the devices of a kind."""
    fabric = scene.places.table.fabric
    if kind == LEAF:
        return bool(fabric.leaf_up.any()) and (scene.mode == "ratio" or fabric.tiers > 1)
    return kind == SPINE and bool(fabric.spine_up.any())
