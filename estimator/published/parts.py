"""Printed figures of switches, transceivers and cables, compared with the catalog's records: ports, watts, reach.

The rows are data (``published/parts.csv``). Where the catalog takes another figure, the row says why; without a
reason the two are the same.
"""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from estimator.catalog.catalog import Catalog

DATA = Path(__file__).with_name("parts.csv")
SWITCH, PORTS = "switch", "ports:"


@dataclass(frozen=True)
class PartRow:
    """One printed figure of a part. ``figure`` is a field of the record, or ``ports:400``: ports at a rate."""

    kind: str
    id: str
    part: str
    figure: str
    printed: float
    source: str
    url: str
    why: str


@cache
def part_rows() -> tuple[PartRow, ...]:
    """Every row, read once."""
    with DATA.open(newline="", encoding="utf-8") as file:
        return tuple(PartRow(**row | {"printed": float(row["printed"])}) for row in csv.DictReader(file))  # type: ignore[arg-type]


def carried(row: PartRow, catalog: Catalog) -> float | None:
    """What the catalog says of a row's figure; None where it knows none."""
    if row.figure.startswith(PORTS):
        ports = catalog.switch_ports(row.id, int(row.figure.removeprefix(PORTS)))
        return None if ports is None else float(ports.radix)
    record = catalog.switches[row.id] if row.kind == SWITCH else catalog.cables[row.id]
    value = getattr(record, row.figure)
    return None if value is None else float(value)
