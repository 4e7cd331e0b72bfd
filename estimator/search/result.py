"""What a search and a sweep answer. Money in US dollars, power in kW, bandwidth in GB/s, as the names of figures say."""

from collections.abc import Mapping
from typing import Any

from estimator.cost.result import Likely
from estimator.ranges import Range
from estimator.record import IfAny, Json, Record


class Lost(Record):
    """The figure on which a design comes behind the best one, and by how much."""

    figure: str
    by: float


class Chance(Record):
    """A design over draws of prices that all drawn designs share: what a part costs in one, it costs in all."""

    wins: float
    """Share of draws in which no other drawn design is better in the figure that was drawn."""
    on_front: IfAny[float]
    """Share of draws in which it is on the front, where that has the figure."""
    regret: Likely
    """How much more it has of the figure than the best of each draw: 5 %, half and 95 % of draws."""


class Draws(Record):
    """What was drawn: the objective, or else the first figure of the front that is money."""

    figure: str
    n: int
    seed: int
    designs: int
    """Drawn: the front, then the first of the list."""


class FoundDesign(Record):
    """One design, its request as it would be given."""

    spec: Json
    figures: Mapping[str, float | None]
    """Typical values; null where one is not known."""
    ranges_usd: Mapping[str, Range[float]]
    """Of figures of money."""
    values: Mapping[str, Any]
    """What the request left open, by field; null is "left out"."""
    rank: int
    """From 1."""
    alike: int
    """Further candidates with the same figures."""
    lost_on: IfAny[Lost]
    """Not of the best one."""
    chance: IfAny[Chance] = None
    """Of designs that were drawn."""


class MetLimit(Record):
    """A limit as it was given."""

    figure: str
    at_bytes: int
    least: IfAny[float]
    most: IfAny[float]
    allowed: IfAny[list[str]] = None
    """Vendors."""
    barred: IfAny[list[str]] = None


class Binding(Record):
    """A limit without which a better design would be the best."""

    limit: MetLimit
    value: float
    """What the best design has of the limit's figure."""
    objective_without: float
    """The objective of the best design without this limit."""
    costs: float
    """What the limit costs in the unit of the objective."""


class Relaxation(Record):
    """The least that must change for one design to be possible, and the best that is then possible."""

    limit: IfAny[MetLimit]
    field: IfAny[str]
    to: float | str
    """The figure that a design has, the value of the field, or the vendors to allow."""
    then: Mapping[str, float | None]
    together_with: IfAny[list[Json]]
    """Other limits that must change too, each with its ``to``."""


class Regret(Record):
    """By how much a found design is better in one figure, and no worse in the other figures of the front."""

    figure: str
    by: float
    design: int
    """Place in ``designs``."""
    in_draws: IfAny[float] = None
    """Share of draws in which it is better, of the figure that was drawn."""


class Present(Record):
    """The design that the request names as the present one."""

    figures: Mapping[str, float | None]
    ranges_usd: Mapping[str, Range[float]]
    meets_limits: bool
    is_on_front: bool
    """No design that was found is as good in every figure of the front and better in one."""
    regret: list[Regret]
    """Of figures of the front, or of the objective where no front was requested."""


class Search(Record):
    """The answer to a search."""

    objective: str
    looked_at: int
    """Candidates."""
    built: int
    """Candidates that the rules can build."""
    feasible: int
    """Of these, those that meet every limit and whose objective is known."""
    not_built: Mapping[str, int]
    """Candidates that cannot be built, by code."""
    designs: list[FoundDesign]
    front: list[int]
    """Places in ``designs``."""
    binding: list[Binding]
    relax: list[Relaxation]
    """Where nothing is feasible."""
    tie: list[int]
    """Places in ``designs`` whose price range and that of the best one, which is among them, hold each other's price."""
    undecided: list[int]
    """Those of ``tie`` that the best one beats in fewer than 95 of 100 draws; all of them where nothing is drawn."""
    draws: IfAny[Draws]
    """Where a figure of money is sought or weighed."""
    present: IfAny[Present]
    """Where the request names one."""
    figures: Mapping[str, Json]
    """Title, unit and sense of each figure."""


class SweepPoint(Record):
    x: Any
    y: IfAny[Any]
    figures: Mapping[str, float | None] | None
    """Null where no network can be built."""
    ranges_usd: IfAny[Mapping[str, Range[float]]]
    """Of figures of money."""


class SweepChange(Record):
    """Where the build changes kind: the first value of x with it."""

    x: Any
    y: IfAny[Any]
    what: str


class Sweep(Record):
    """The answer to a sweep."""

    x: str
    y: IfAny[str]
    points: list[SweepPoint]
    changes: list[SweepChange]
    figures: Mapping[str, Json]
