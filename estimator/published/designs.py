"""Published designs and the figures their sources print, compared with an Estimate row by row.

The cases are data (``published/designs.json``): inputs of a DesignSpec, and a row for each printed figure under its dotted
name in the Estimate. Slips are figures that contradict the rest of their source; a slip is matched by what was meant.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from estimator.record import Json
from estimator.result import Estimate

DATA = Path(__file__).with_name("designs.json")
BILL, ATTACHED = "bom", "attached"


@dataclass(frozen=True)
class PublishedSource:
    """Where printed figures stand; ``evidence`` says how they reached this project."""

    id: str
    title: str
    url: str | None
    date: str | None
    evidence: str


@dataclass(frozen=True)
class PublishedRow:
    """One printed figure: its name in the Estimate, what is printed, and how many links a printed cable carries.

    ``worked`` says how a figure follows from printed ones, where the source does not print it as it is.
    """

    figure: str
    printed: Any
    each: int = 1
    worked: str = ""

    @property
    def expected(self) -> Any:
        """What the Estimate must say."""
        return self.printed * self.each if self.each > 1 else self.printed


@dataclass(frozen=True)
class PublishedDesign:
    """One published design."""

    id: str
    name: str
    group: str
    source: PublishedSource
    note: str
    inputs: Json
    rows: tuple[PublishedRow, ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """What an estimate must compute for its rows: counts, and the bill of materials only where a row reads it."""
        needs_bill = any(
            name.split(".")[0] == BILL or ".transceivers." in name or ".cables." in name
            for row in self.rows
            for name in row.figure.split("+")
        )
        return ("counts", "cables", "bom") if needs_bill else ("counts",)


@dataclass(frozen=True)
class Slip:
    """A printed figure that is wrong, what was meant, and why; ``case`` is the design that shows it."""

    case: str
    source: PublishedSource
    place: str
    figure: str
    printed: Any
    meant: Any
    why: str


@dataclass(frozen=True)
class Apart:
    """Where two sources, or two counts of one, differ and neither is wrong."""

    source: PublishedSource
    what: str
    why: str


@dataclass(frozen=True)
class Published:
    """Everything the file says, in its order."""

    designs: dict[str, PublishedDesign]
    slips: tuple[Slip, ...]
    apart: tuple[Apart, ...]


@cache
def published() -> Published:
    """The published designs, read once."""
    data = json.loads(DATA.read_text(encoding="utf-8"))
    sources = {key: PublishedSource(key, **values) for key, values in data["sources"].items()}
    designs = {
        case["id"]: PublishedDesign(
            **case | {"source": sources[case["source"]], "rows": tuple(PublishedRow(**row) for row in case["rows"])}
        )
        for case in data["cases"]
    }
    slips = tuple(Slip(**slip | {"source": sources[slip["source"]]}) for slip in data["slips"])
    return Published(
        designs, slips, tuple(Apart(sources[one["source"]], one["what"], one["why"]) for one in data["apart"])
    )


class ComparedRow(NamedTuple):
    """A printed figure beside what the Estimate says."""

    row: PublishedRow
    computed: Any

    @property
    def is_same(self) -> bool:
        """Whether it comes out as printed."""
        return bool(self.computed == self.row.expected)


def figure_of(estimate: Estimate, name: str) -> Any:
    """A figure of an Estimate by its published name.

    ``a+b`` is a sum, ``a/b`` a quotient of whole numbers (it must come out whole), ``in-band.attached.kind:source``
    counts ports, ``bom.part`` the pieces of a part that the network needs, spares aside.
    """
    if "+" in name:
        return sum(figure_of(estimate, part) for part in name.split("+"))
    if "/" in name:
        over, under = (figure_of(estimate, part) for part in name.split("/"))
        share = Fraction(over, under)
        return int(share) if share.denominator == 1 else share
    key, *rest = name.split(".")
    if key == BILL:
        return sum(line.quantity for line in estimate.bom.lines if line.part == rest[0]) if estimate.bom else None
    found: Any = estimate.fabrics[key]
    if rest[0] == ATTACHED:
        kind, _, source = rest[1].partition(":")
        return sum(one.ports for one in found.attached if one.kind == kind and source in ("", one.of))
    for part in rest:
        found = found[part] if isinstance(found, Mapping) else getattr(found, part)
    return found


def compared(design: PublishedDesign, estimate: Estimate) -> list[ComparedRow]:
    """Each row of a design beside what the Estimate says."""
    return [ComparedRow(row, figure_of(estimate, row.figure)) for row in design.rows]
