"""A floor plan in a few figures, as an Estimate answers it."""

from estimator.record import Record


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
