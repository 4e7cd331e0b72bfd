"""A floor plan in a few figures, and racks that are bought whole, as an Estimate answers them."""

from estimator.record import Newer, Record


class FloorSize(Record):
    width: float
    depth: float


class RackPower(Record):
    typical: float
    max: float
    in_: str
    """The rack that draws most."""
    unknown: list[str]
    """What has no figure and counts as nothing."""


class RackWeight(Record):
    max: float
    in_: str
    """The heaviest rack."""
    unknown: list[str]
    """What has no figure and counts as nothing."""


class PanelCounts(Record):
    """Patch panels by tier of links."""

    node_leaf: int
    leaf_spine: int
    spine_core: int


class FloorFigures(Record):
    """The floor in a few figures, whatever its size."""

    racks: int
    rows: int
    racks_by_role: dict[str, int]
    nodes_per_rack: int
    floor_m: FloorSize
    rack_w: RackPower
    rack_kg: RackWeight
    used_units: int
    """Of the fullest rack."""
    panels: PanelCounts


class RackContent(Record):
    part: str
    what: str
    description: str
    per_rack: int
    rack_units: int | None
    basis: Newer[str]
    source: Newer[str]


class Watts(Record):
    typical: float
    max: float


class RackFigure(Record):
    name: str
    label: Newer[str]
    value: float
    unit: str
    basis: str
    source: Newer[str]
    note: str | None


class RackSystem(Record):
    """Racks that are bought whole, with the trays that are a design's servers."""

    system: str
    model: str
    racks: int
    full: Newer[int]
    trays: int
    trays_per_rack: int
    trays_in_last: Newer[int]
    gpus_per_rack: Newer[int]
    in_words: Newer[str]
    holds: list[RackContent]
    rack_w: Newer[Watts]
    own_w: Newer[Watts]
    rack_kg: Newer[float | None]
    cooling: Newer[str | None]
    figures: Newer[list[RackFigure]]


class PlacedDevice(Record):
    """A device in its rack; units of a rack count from 1 at the bottom."""

    name: str
    kind: str
    part: str
    bottom_unit: int
    units: int
    max_w: float


class PlacedRack(Record):
    """A rack on the floor, numbered from 1, without its devices."""

    number: int
    name: str
    row: int
    position: int
    x_m: float
    y_m: float
    role: str
    used_units: int
    typical_w: float
    max_w: float
    weight_kg: float
