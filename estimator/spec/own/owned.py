"""Parts that are there already: counted in bill of materials, cabling and power, and not bought."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pydantic import Field

from estimator.errors import Problem
from estimator.spec.checking import Section, unknown_part
from estimator.spec.checking import quantity as figure

if TYPE_CHECKING:
    from estimator.catalog.catalog import Catalog

MAX_OWNED = 200
MOST_OWNED = 1_000_000_000
LONGEST_M = 10_000


class OwnedPart(Section):
    """So many pieces of a part, or all that the design needs of it."""

    part: str = Field(
        min_length=1, max_length=100, title="Part", description="Id of a part of the catalog, or of one's own."
    )
    quantity: int | None = figure(
        "Pieces", "How many are there; left out, all that the design needs, spares too.", "pieces", ge=1, le=MOST_OWNED
    )
    length_m: float | None = figure(
        "Length", "Of a cable: the one length that is there; left out, any.", "m", gt=0, le=LONGEST_M
    )


def owned_problems(owned: Iterable[OwnedPart], catalog: Catalog, field: str) -> Iterator[Problem]:
    """Parts that the catalog lacks, and those that are named twice."""
    known = set(catalog.part_ids())
    seen: set[tuple[str, float | None]] = set()
    for at, one in enumerate(owned):
        part = catalog.current_id(one.part)
        if part not in known:
            numbered = catalog.numbered(one.part)
            yield unknown_part(f"{field}[{at}].part", "part", one.part, known, "leave it out", numbered)
        if one.length_m is not None and part in known and part not in catalog.cables:
            message = f"'{one.part[:60]}' is no cable, and {one.length_m:g} m were given. Leave the length out."
            yield Problem(f"{field}[{at}].length_m", "length_of_no_cable", message)
        if (part, one.length_m) in seen:
            message = f"'{one.part[:60]}' is named twice. Add the pieces up in one entry."
            yield Problem(f"{field}[{at}].part", "owned_twice", message)
        seen.add((part, one.length_m))
