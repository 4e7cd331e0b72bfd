"""Keys of a search and of a sweep: types and bounds. What a base may hold is values.py's to say."""

from dataclasses import dataclass
from typing import Any

from pydantic import Field

from estimator.record import Json
from estimator.spec.checking import Section, empty

MOST_LIMITS, MOST_FREE, MOST_TOP, MOST_VENDORS, MOST_FIGURES = 20, 12, 200, 50, 20
WHAT, WHAT_SWEEP = "a search", "a sweep"
DEFAULT_BYTES = 17_179_869_184


@dataclass(frozen=True)
class Bounds:
    """What one answer may take: candidates, those that need a request of their own, need three tiers, or are estimated alone,
    and systems that a workload is run on."""

    candidates: int
    requests: int
    of_three_tiers: int
    one_by_one: int
    systems: int


COMMAND_LINE = Bounds(candidates=100_000, requests=3_000, of_three_tiers=10_000, one_by_one=500, systems=1_000)
AT_ONCE = Bounds(
    candidates=20_000, requests=300, of_three_tiers=500, one_by_one=50, systems=60
)  # while a caller waits for it
CHUNK = 2_000  # candidates that a worker looks at together, in a search of many chunks
IN_CHUNKS = Bounds(candidates=200_000, requests=200_000, of_three_tiers=200_000, one_by_one=CHUNK, systems=CHUNK)
MOST_POINTS = 2_000  # of a sweep


Bytes = Field(DEFAULT_BYTES, ge=1, le=2**50, description="Message size of a bandwidth, as nccl-tests counts it.")


class Limit(Section):
    """A bound of one figure."""

    figure: str = Field(max_length=80, description="Name of a figure.")
    at_bytes: int = Bytes
    least: float | None = Field(None, description="No less than this.")
    most: float | None = Field(None, description="No more than this.")
    allowed: list[str] | None = Field(
        None, max_length=MOST_VENDORS, description="Of the figures vendors and switch_vendors: no part of another one."
    )
    barred: list[str] | None = Field(
        None, max_length=MOST_VENDORS, description="Of the same figures: no part of these."
    )


class Workload(Section):
    """What runs on the candidates: one of the two."""

    train: Json | None = Field(None, description="A training request without system, design and gpus.")
    infer: Json | None = Field(None, description="An inference request without them.")


class SearchRequest(Section):
    """One search."""

    base: Json = Field(description="A DesignSpec whose keys may be lists, or ranges of from, to and step.")
    free: list[str] = Field(
        default_factory=empty, max_length=MOST_FREE, description="Fields of which every value is tried."
    )
    objective: str = Field(
        "network_usd", max_length=80, description="The figure to be least (or most, of a bandwidth)."
    )
    limits: list[Limit] = Field(default_factory=empty, max_length=MOST_LIMITS, description="What designs must meet.")
    pareto: list[str] = Field(default_factory=empty, max_length=3, description="Two or three figures of the front.")
    at_bytes: int = Bytes
    workload: Workload | None = Field(None, description="What figures of step time and tokens are of.")
    present: Json | None = Field(None, description="A DesignSpec that is measured against what is found.")
    top: int = Field(20, ge=1, le=MOST_TOP, description="Designs that are answered, best first.")


class Span(Section):
    """One field of a sweep."""

    field: str = Field(max_length=80, description="Name of a field.")
    values: list[Any] | Json = Field(description="Its values: a list, or a range of from, to and step or factor.")


class SweepRequest(Section):
    """One sweep."""

    base: Json = Field(description="A DesignSpec.")
    x: Span = Field(description="The field that varies.")
    y: Span | None = Field(None, description="A second one.")
    figures: list[str] = Field(min_length=1, max_length=MOST_FIGURES, description="What is answered at every point.")
    workload: Workload | None = Field(None, description="What figures of step time and tokens are of.")
    at_bytes: int = Bytes
