"""One fabric link by link: the link table with names, port labels and cabling, which every export file is written from."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from estimator.cabling.runs import CablePlan, LinkCabling
from estimator.catalog.catalog import Catalog
from estimator.catalog.records import Server, Switch
from estimator.fabric.devices import CORE, LEAF, MANAGER, NODE, SPINE
from estimator.fabric.labels import labels_of, switches_of
from estimator.fabric.ports import Labels
from estimator.fabric.sized import SizedFabric
from estimator.fabric.topology import TIERS, LinkTable
from estimator.spec.design import DesignSpec
from estimator.units import IntArray
from estimator.version import MODEL_VERSION

LOWER_KINDS = (NODE, MANAGER, LEAF, SPINE, LEAF)  # of each tier
UPPER_KINDS = (LEAF, LEAF, SPINE, CORE, LEAF)
BLOCK_ROWS = 4096


class LinkRow(NamedTuple):
    """One link; its fields are the columns of every list. What does not apply is None.

    A link of several fibres has the number of the first one under ``cable``, those of the rest under ``further_cables``.
    A transceiver is the one in the cage of that end; a cable with its own ends, and optics in the switch, have none. Parts are
    ids in the catalog, with their names behind them.
    """

    link: int
    cable: int
    tier: str
    plane: int
    rail: int | None
    a_device: str
    a_cage: str
    a_port: str
    b_device: str
    b_cage: str
    b_port: str
    rate_gbit_s: int
    media: str | None
    length_m: float
    part: str | None
    further_cables: str | None
    a_transceiver: str | None
    b_transceiver: str | None
    part_name: str | None
    a_transceiver_name: str | None
    b_transceiver_name: str | None


COLUMNS = LinkRow._fields


class LinkNumbers(NamedTuple):
    """One link as its tables have it: devices, ports and runs by number; rail 0 where it is of none."""

    tier: int
    plane: int
    rail: int
    a_device: int
    a_port: int
    b_device: int
    b_port: int
    b_lane: int
    rate_gbit_s: int
    cable: int
    length_m: float
    run: int


OF_CABLING = ("cable", "length_m", "run")  # the other numbers are of the link table


@dataclass(frozen=True)
class LinkList:
    """One fabric of a design, link by link. ``role`` is its key in the Estimate, such as ``compute``."""

    spec: DesignSpec
    spec_hash: str
    catalog: Catalog
    role: str
    fabric: SizedFabric
    table: LinkTable
    plan: CablePlan
    cabling: LinkCabling

    def __len__(self) -> int:
        return len(self.table)

    @property
    def versions(self) -> dict[str, str]:
        """Model and catalog that the list rests on."""
        return {"model": MODEL_VERSION, "catalog": self.catalog.version}

    @property
    def counts_on_reduction(self) -> bool:
        """Whether the design counts on reduction in the switches (SHARP), which InfiniBand ones alone have."""
        is_infiniband = self.catalog.generations[self.spec.fabric.generation].protocol == "infiniband"
        return self.spec.workload.in_network_reduction and is_infiniband

    @property
    def server(self) -> Server | None:
        """Catalog record of the nodes; None for a custom server."""
        return self.catalog.server(self.spec.compute.server)

    @cached_property
    def switches(self) -> dict[str, Switch | None]:
        """Catalog record by kind of switch (leaf, spine, core); None for a custom one."""
        return switches_of(self.fabric, self.catalog)

    @cached_property
    def labels(self) -> dict[str, Labels]:
        """Cage and port labels by kind of device."""
        return labels_of(self.spec, self.table, self.role, self.catalog)

    def rows(self, start: int = 0, stop: int | None = None) -> Iterator[LinkRow]:
        """The list's rows, or those from ``start`` to before ``stop``, counted from 0."""
        end = len(self) if stop is None else min(stop, len(self))
        for tier in range(len(TIERS)):
            of_tier = self.table.rows(tier)
            for first in range(max(of_tier.start, start), min(of_tier.stop, end), BLOCK_ROWS):
                yield from self._block(tier, slice(first, min(first + BLOCK_ROWS, of_tier.stop, end)))

    def numbers(self, rows: slice | IntArray) -> Iterator[LinkNumbers]:
        """Links of some rows of the tables, in the order of the rows."""
        tables = [self.cabling if name in OF_CABLING else self.table for name in LinkNumbers._fields]
        columns = [getattr(table, name) for table, name in zip(tables, LinkNumbers._fields, strict=True)]
        return map(LinkNumbers._make, zip(*(column[rows].tolist() for column in columns), strict=True))

    def _block(self, tier: int, rows: slice) -> Iterator[LinkRow]:
        names = self.table.devices.names
        lower, upper = self.labels[LOWER_KINDS[tier]], self.labels[UPPER_KINDS[tier]]
        media = [
            (c.reported_medium, c.cable.id, c.cables_per_link, (*c.transceivers, *c.names))
            if (c := run.choice)
            else (None, None, 1, (None,) * 5)
            for run in self.plan.runs
        ]
        for number, link in enumerate(self.numbers(rows), start=rows.start + 1):
            _, plane, rail, a, a_port, b, b_port, b_lane, rate, cable, length_m, run = link
            medium, part, pieces, (a_transceiver, b_transceiver, *names_of_parts) = media[run]
            yield LinkRow(
                number,
                cable,
                TIERS[tier],
                plane,
                rail or None,
                names[a],
                lower.cages[a_port],
                lower.port(a_port),
                names[b],
                upper.cages[b_port],
                upper.port(b_port, b_lane),
                rate,
                medium,
                round(length_m, 2),
                part,
                further_cables(cable, pieces),
                a_transceiver,
                b_transceiver,
                *names_of_parts,
            )


def further_cables(cable: int, pieces: int) -> str | None:
    """Numbers of a link's cables after the first, side by side; None where it has one."""
    return " ".join(str(number) for number in range(cable + 1, cable + pieces)) or None
