"""What a network is cabled with, as an Estimate answers it."""

from dataclasses import dataclass

from estimator.fabric.result import RatedNetwork
from estimator.floor.result import FloorFigures
from estimator.record import IfAny, Newer, Record, Shape


@dataclass(frozen=True, slots=True)
class Reason(Shape):
    """One rule that is broken."""

    code: str
    verdict: str
    message: str


@dataclass(frozen=True, slots=True)
class Fit(Shape):
    """The verdict on one part in one place, and why."""

    verdict: str
    reasons: tuple[Reason, ...]


class Cables(Record):
    """Things bought, by tier; a twin cable carries two links."""

    node_leaf: int
    leaf_spine: int
    spine_core: int
    fabric_manager: int
    leaf_leaf: IfAny[int] = None
    """Within pairs of leaves, where there are any."""

    @property
    def total(self) -> int:
        """Cables of all tiers."""
        return sum(self.as_json().values())


class Transceivers(Record):
    """Transceivers at nodes, switches and fabric managers."""

    node: int
    switch: int
    fabric_manager: int

    @property
    def total(self) -> int:
        """Transceivers of all places."""
        return self.node + self.switch + self.fabric_manager


class CableParts(Record):
    """Ids in the catalog; null where there is no such part."""

    cable: str | None
    upper_module: str | None
    """The transceiver nearer the core."""
    lower_module: str | None
    cable_name: Newer[str | None]
    upper_module_name: Newer[str | None]
    lower_module_name: Newer[str | None]


class EndFits(Record):
    """Whether plugs go into their cages; null for custom parts."""

    upper: Fit | None
    lower: Fit | None


class CableRun(Record):
    """Links of one tier over like cables of one stock length."""

    medium: str | None
    length_m: float
    links: int
    cables: int
    upper_modules: int
    lower_modules: int
    modules: int
    upper_cages: int
    lower_cages: int
    cages: int
    set_by_hand: int
    """Links whose length was set manually."""
    fit: EndFits
    parts: CableParts
    missing: str | None
    """Why no part fits."""


class Lengths(Record):
    """As asked for, before stock lengths."""

    shortest: float
    mean: float
    longest: float
    from_: str
    """What gave them: default, request or plan."""


class CabledTier(Record):
    """One tier of links: counts over all runs, medium, length and parts of the largest run."""

    links: int
    length_m: float
    medium: str | None
    cables: int
    upper_modules: int
    lower_modules: int
    modules: int
    upper_cages: int
    lower_cages: int
    cages: int
    parts: CableParts
    missing: str | None
    """Why no part fits."""
    lengths_m: Lengths
    set_by_hand: int
    """Links whose length was set manually."""
    panels_per_link: int
    runs: list[CableRun]


class CablingRow(Record):
    """One tier over one medium, length and part."""

    tier: str
    medium: str | None
    length_m: float
    """As ordered."""
    part: str | None
    """The cable or fibre; null where none fits."""
    upper_module: str | None
    """The transceiver nearer the core."""
    lower_module: str | None
    links: int
    """Connections at one port rate."""
    cables: int
    """Things bought."""
    modules: int
    """Transceivers."""
    cages: int
    """Filled openings of switches and servers."""
    set_by_hand: int
    """Links whose length was set manually."""
    missing: str | None
    """Why no part fits."""
    part_name: str | None
    upper_module_name: str | None
    lower_module_name: str | None


class SizedNetwork(RatedNetwork):
    """One network of the cluster; with cables where they were asked for, with a floor plan where the design has one."""

    cables: IfAny[Cables] = None
    transceivers: IfAny[Transceivers] = None
    media: IfAny[dict[str, CabledTier]] = None
    """By tier."""
    floor_plan: IfAny[FloorFigures] = None
