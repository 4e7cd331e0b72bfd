"""A part of a fabric as a picture shows it: boxes of devices alike, and the bundles of links between them, added up.

Every figure is counted in the link table, so that what a picture says adds up to the links of the estimate: devices are
put into boxes (``Places``, ``Scope``), and links between the same two boxes are one bundle. Where there are more parts side
by side than a picture holds, a window of them is shown and the others are one box on either side.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from estimator.diagrams.failure import NOTHING_DOWN, BoolArray, Down, alive_links
from estimator.diagrams.load import Load, Traffic, load_of
from estimator.diagrams.places import Places
from estimator.diagrams.scope import Scope, choices, leaves_in, members
from estimator.fabric.devices import CORE, KINDS, LEAF, MANAGER, NODE, SPINE
from estimator.fabric.topology import FABRIC_MANAGER, LEAF_LEAF, LEAF_SPINE, NODE_LEAF, SPINE_CORE
from estimator.units import IntArray

SPAN, ABSENT = -1, -2  # columns of what stands across all of them, and of what is not shown
SINGLE = "leaf"  # the axis of leaves one by one
OUTSIDE = "outside"  # a network that leaves have uplinks into
MOST_BLOCKS = 8
MOST_SINGLES = 16
MOST_SPINES = 32  # one by one
MOST_PAIRS = 256  # bundles between single leaves and spines
MOST_LISTED = 120


@dataclass(frozen=True)
class Box:
    """Devices of one kind that are drawn together.

    ``column`` is where they stand, SPAN across all; ``number`` that of the part on the view's axis (0: of none), ``start``
    where the window has to begin to show what a box of left-out parts stands for. ``down`` of the devices are taken down.
    """

    kind: str
    column: int
    devices: IntArray
    number: int = 0
    start: int | None = None
    n_parts: int = 1
    used_ports: int = 0
    open_ports: int = 0
    ratio: Fraction | None = None
    worst_ratio: Fraction | None = None
    load: float | None = None
    down: int = 0

    @property
    def is_rest(self) -> bool:
        """Whether it stands for parts that the window leaves out."""
        return self.start is not None


@dataclass(frozen=True)
class Bundle:
    """Links between two boxes, by index; ``left`` of them are up. ``load`` is that of the fullest link of those."""

    lower: int
    upper: int
    tier: int
    links: int
    left: int
    rate_gbit_s: int
    load: float | None = None


@dataclass(frozen=True)
class View:
    """One picture: its boxes by kind and column, and the bundles between them.

    ``axis`` is what stands side by side, SINGLE for leaves one by one; ``axes`` what else could. ``n_parts`` are all parts,
    of which the window shows those from ``start`` on.
    """

    scope: Scope
    axis: str
    axes: tuple[str, ...]
    boxes: tuple[Box, ...]
    bundles: tuple[Bundle, ...]
    n_columns: int
    n_parts: int
    start: int
    load: Load | None = None

    def links(self, tier: int) -> int:
        """Links of one tier in the picture."""
        return sum(bundle.links for bundle in self.bundles if bundle.tier == tier)


@dataclass(frozen=True)
class _Window:
    """Parts that are shown: column of each part, and what stands before and after."""

    column: IntArray  # shape (n_parts,)
    n_columns: int
    start: int
    before: int
    after: int


def _window(n_parts: int, most: int, start: int) -> _Window:
    """Where each of so many parts stands, if at most ``most`` columns are drawn."""
    if n_parts <= most:
        return _Window(np.arange(n_parts), n_parts, 0, 0, 0)
    start = max(0, min(start, n_parts - (most - 1)))
    before = 1 if start else 0
    shown = most - before - 1 if start + most - before < n_parts else most - before
    after = n_parts - start - shown
    column = np.arange(n_parts) - start + before
    column = np.where(column < before, 0, np.minimum(column, before + shown))
    return _Window(column, before + shown + (after > 0), start, start, after)


def fabric_view(
    places: Places,
    scope: Scope,
    by: str = "",
    start: int = 0,
    traffic: Traffic | None = None,
    down: Down = NOTHING_DOWN,
    uplinks_into: str | None = None,
) -> View:
    """The picture of a part of a fabric.

    Parameters
    ----------
    scope : the part; ``by`` the axis along which it is cut (the usual one if it cannot be cut so), ``start`` the first part
        of the window.
    traffic : the pattern of which bundles have the load, None for no load.
    down : devices and links that are taken down.
    uplinks_into : the network that the leaves' uplinks end in, where that is another one.

    Raises
    ------
    ValueError
        If the scope is a device or a list of devices.
    """
    if scope.device is not None or scope.roster:
        raise ValueError("a view shows parts of a fabric")
    axes = choices(scope, places)
    axis = by if by in axes else axes[0] if axes else SINGLE
    inside = leaves_in(scope, places)
    numbers = members(axis, inside, places) if axis != SINGLE else np.flatnonzero(inside) + 1
    window = _window(len(numbers), MOST_SINGLES if axis == SINGLE else MOST_BLOCKS, start)
    layout = _Layout(places, scope, axis, inside, numbers, window)
    alive = alive_links(places.table, down) if down else None
    load = load_of(places, traffic, alive) if traffic else None
    boxes, box_of = layout.boxes(down, load)
    bundles = layout.bundles(boxes, box_of, alive, load)
    if uplinks_into:
        boxes, bundles = _with_outside(places, boxes, bundles)
    counted = tuple(_with_ports(box, places) for box in boxes)
    return View(scope, axis, tuple(axes), counted, tuple(bundles), window.n_columns, len(numbers), window.start, load)


@dataclass(frozen=True)
class _Layout:
    """Which devices stand where."""

    places: Places
    scope: Scope
    axis: str
    inside: BoolArray
    numbers: IntArray
    window: _Window

    @property
    def _lut(self) -> IntArray:
        """Number on the axis → column; 0, which serves several, stands across."""
        lut = np.full(int(self.numbers.max(initial=0)) + 1, ABSENT)
        lut[self.numbers] = self.window.column
        lut[0] = SPAN
        return lut

    def _leaf_columns(self) -> IntArray:
        leaves = self.places.table.devices.of(LEAF)
        values = np.arange(1, len(self.inside) + 1) if self.axis == SINGLE else self.places.of[self.axis][leaves]
        lut = self._lut
        known = np.where(values < len(lut), values, 0)
        return np.where(self.inside, lut[known], ABSENT)

    def upper_columns(self, kind: str) -> IntArray:
        """Columns of spines or cores: those of the scope's planes, rails and pods; across where they serve all parts."""
        devices = self.places.table.devices
        own = devices.of(kind)
        if self.axis == SINGLE:
            column = np.full(devices.n[kind], SPAN)
        else:
            values, lut = self.places.of[self.axis][own], self._lut
            column = np.where(values < len(lut), lut[np.minimum(values, len(lut) - 1)], ABSENT)
        leaves = devices.of(LEAF)
        for values in self.places.of.values():
            allowed = np.bincount(values[leaves][self.inside], minlength=int(values.max(initial=0)) + 1) > 0
            allowed[0] = True
            column = np.where(allowed[values[own]], column, ABSENT)
        return column

    @property
    def shows_cores(self) -> bool:
        """Not where the scope is units: their spines serve other units as well."""
        return "unit" not in dict(self.scope.on)

    def tier_rows(self, tier: int) -> slice | IntArray:
        """Rows of the table that belong to the scope, one tier's."""
        table = self.places.table
        rows = table.rows(tier)
        if not self.scope.on or rows.start == rows.stop:
            return rows
        leaf = table.b_device if tier in (NODE_LEAF, FABRIC_MANAGER) else table.a_device
        if tier == SPINE_CORE:
            first, keep = table.devices.first[SPINE], self.upper_columns(SPINE) != ABSENT
        else:
            first, keep = table.devices.first[LEAF], self.inside
        return np.flatnonzero(keep[leaf[rows] - first]) + rows.start

    def columns(self) -> dict[str, IntArray]:
        """Column of every device, by kind."""
        devices = self.places.table.devices
        leaf = self._leaf_columns()
        out = {LEAF: leaf, SPINE: self.upper_columns(SPINE), CORE: np.full(devices.n[CORE], ABSENT)}
        if self.shows_cores and devices.n[CORE]:
            out[CORE] = self.upper_columns(CORE)
        out[NODE] = self._node_columns(leaf)
        managers = np.full(devices.n[MANAGER], ABSENT)
        rows = self.tier_rows(FABRIC_MANAGER)
        managers[self.places.table.a_device[rows] - devices.first[MANAGER]] = SPAN
        out[MANAGER] = managers
        return out

    def _node_columns(self, leaf: IntArray) -> IntArray:
        """By the leaves that a node is linked to; across where most nodes have links in several columns."""
        table = self.places.table
        rows = self.tier_rows(NODE_LEAF)
        node, at = table.a_device[rows], leaf[table.b_device[rows] - table.devices.first[LEAF]]
        out = np.full(table.devices.n[NODE], ABSENT)
        if not len(node):
            return out
        if (np.diff(node) < 0).any():
            order = np.argsort(node, kind="stable")
            node, at = node[order], at[order]
        starts = np.flatnonzero(np.diff(node, prepend=-1))
        low, high = np.minimum.reduceat(at, starts), np.maximum.reduceat(at, starts)
        spans = (low != high).mean() > 0.5
        out[node[starts]] = SPAN if spans else low
        return out

    def boxes(self, down: Down, load: Load | None) -> tuple[list[Box], IntArray]:
        """Boxes from the servers up, column by column; and the box of every device, ABSENT for none."""
        devices = self.places.table.devices
        box_of = np.full(len(devices), ABSENT)
        columns = self.columns()
        singles = self._single_spines(columns)
        boxes: list[Box] = []
        for kind in KINDS:
            own, column = devices.of(kind), columns[kind]
            for place in range(SPAN, self.window.n_columns):
                members_here = np.flatnonzero(column == place) + own.start
                if not len(members_here):
                    continue
                alone = kind == SPINE and singles and place == SPAN
                groups = np.split(members_here, len(members_here)) if alone else [members_here]
                for group in groups:
                    box_of[group] = len(boxes)
                    boxes.append(self._box(kind, place, group, down, load))
        return boxes, box_of

    def _single_spines(self, columns: dict[str, IntArray]) -> bool:
        """Whether spines are drawn one by one, each with its own bundle to every leaf."""
        n = int((columns[SPINE] == SPAN).sum())
        return self.axis == SINGLE and n <= MOST_SPINES and n * self.window.n_columns <= MOST_PAIRS

    def _box(self, kind: str, column: int, group: IntArray, down: Down, load: Load | None) -> Box:
        places, first = self.places, self.places.table.devices.first
        number, start, n_parts = self._part(column)
        ratio, worst = _ratios(places, kind, group - first[kind])
        fullest = None
        if load is not None and kind in (LEAF, SPINE):
            values = load.leaf if kind == LEAF else load.spine
            fullest = float(values[group - first[kind]].max()) if len(values) else None
        gone = int(np.isin(group, list(down.devices)).sum()) if down.devices else 0
        return Box(kind, column, group, number, start, n_parts, ratio=ratio, worst_ratio=worst, load=fullest, down=gone)

    def _part(self, column: int) -> tuple[int, int | None, int]:
        """(number, start of the window that shows it, parts) of a column."""
        window, n = self.window, len(self.numbers)
        if column == SPAN:
            return 0, None, n
        at = np.flatnonzero(window.column == column)
        if window.before and column == 0:
            return 0, max(0, window.start - MOST_BLOCKS + 2), window.before
        if window.after and column == window.n_columns - 1:
            return 0, n - window.after, window.after
        return int(self.numbers[at[0]]), None, 1

    def bundles(self, boxes: list[Box], box_of: IntArray, alive: BoolArray | None, load: Load | None) -> list[Bundle]:
        """Links between each two boxes, tier by tier."""
        table, n = self.places.table, len(boxes)
        out = []
        for tier in (NODE_LEAF, FABRIC_MANAGER, LEAF_SPINE, SPINE_CORE, LEAF_LEAF):
            rows = self.tier_rows(tier)
            lower, upper = box_of[table.a_device[rows]], box_of[table.b_device[rows]]
            if not len(lower):
                continue
            keep = (lower >= 0) & (upper >= 0)
            key = lower * n + upper
            counted = np.bincount(key[keep], minlength=n * n)
            left = counted if alive is None else np.bincount(key[keep & alive[rows]], minlength=n * n)
            rate = int(table.rate_gbit_s[table.rows(tier).start])
            for pair in np.flatnonzero(counted).tolist():
                below, above = divmod(pair, n)
                fullest = _bundle_load(boxes[below], tier, load)
                out.append(Bundle(below, above, tier, int(counted[pair]), int(left[pair]), rate, fullest))
        return out


def _bundle_load(lower: Box, tier: int, load: Load | None) -> float | None:
    if load is None or tier in (FABRIC_MANAGER, LEAF_LEAF):
        return None
    return 1.0 if tier == NODE_LEAF else lower.load


def _ratios(places: Places, kind: str, group: IntArray) -> tuple[Fraction | None, Fraction | None]:
    """(all together, the worst) of bandwidth down over bandwidth up of leaves, and of spines of three tiers."""
    fabric = places.table.fabric
    if kind == LEAF and fabric.leaf_up.any():
        down, up = fabric.leaf_fed_gbit_s[group], fabric.leaf_up[group] * fabric.uplink_rate_gbit_s
    elif kind == SPINE and fabric.spine_up.any():
        down, up = fabric.spine_down[group], fabric.spine_up[group]
    else:
        return None, None
    worst = int(np.argmax(down / np.maximum(up, 1)))
    return Fraction(int(down.sum()), int(up.sum())), Fraction(int(down[worst]), int(up[worst]))


def _with_ports(box: Box, places: Places) -> Box:
    if box.kind not in (LEAF, SPINE, CORE):
        return box
    used, all_ports = int(places.used[box.devices].sum()), int(places.radix[box.devices].sum())
    return replace(box, used_ports=used, open_ports=all_ports - used)


def _with_outside(places: Places, boxes: list[Box], bundles: list[Bundle]) -> tuple[list[Box], list[Bundle]]:
    """The network above, which uplinks of the leaves end in: its links are no rows of this fabric's table."""
    fabric, first = places.table.fabric, places.table.devices.first[LEAF]
    top = len(boxes)
    more = [
        Bundle(number, top, LEAF_SPINE, links, links, fabric.uplink_rate_gbit_s)
        for number, box in enumerate(boxes)
        if box.kind == LEAF and (links := int(fabric.leaf_up[box.devices - first].sum()))
    ]
    if not more:
        return boxes, bundles
    return [*boxes, Box(OUTSIDE, SPAN, np.zeros(0, dtype=np.int64))], [*bundles, *more]


def listed(places: Places, scope: Scope, start: int = 0) -> tuple[IntArray, int, int]:
    """(devices of a list of one kind, from which on, how many there are in all), at most MOST_LISTED of them."""
    layout = _Layout(
        places,
        Scope(scope.on),
        SINGLE,
        leaves_in(scope, places),
        np.zeros(0, dtype=np.int64),
        _Window(np.zeros(0, dtype=np.int64), 0, 0, 0, 0),
    )
    kind, table = scope.roster, places.table
    first = table.devices.first[kind]
    if kind == LEAF:
        found: IntArray = np.flatnonzero(layout.inside)
    elif kind in (NODE, MANAGER):
        rows = layout.tier_rows(NODE_LEAF if kind == NODE else FABRIC_MANAGER)
        found = np.unique(table.a_device[rows]).astype(np.int64) - first
    else:
        found = np.flatnonzero(layout.upper_columns(kind) != ABSENT)
    start = max(0, min(start, (len(found) - 1) // MOST_LISTED * MOST_LISTED))
    start -= start % MOST_LISTED
    return found[start : start + MOST_LISTED] + first, start, len(found)
