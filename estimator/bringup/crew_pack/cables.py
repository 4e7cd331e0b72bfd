"""Every cable of a design as crews know it: by an identifier of both of its ends, in the style of ANSI/TIA-606.

An end is rack, rack unit and port, as R02-07.U35:1/1/1; of a server the cage stands before the name of its RDMA device, which
nobody sees on the box: R02-07.U01:OSFP4/mlx5_0. A cable is its near end and its far end with a stroke between. Where
no floor plan gives the unit, the device's name stands in its place. Cables count from C00001 in each network, as in its
link list, and networks beside compute put their key before it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from estimator.bringup.checklist.places import Places
from estimator.cabling.links import LinkList, LinkRow
from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import COMPUTE
from estimator.catalog.records import Cable
from estimator.handoff.hosts_of import places_of as units_of

NUMBER_DIGITS = 5
RDMA = re.compile(r"[a-z]+[0-9]*_[a-z]*[0-9]+")  # mlx5_0, bnxt_re3, as a host lists them


class End(NamedTuple):
    """One end of a cable."""

    rack: str
    unit: int | None
    device: str
    cage: str
    port: str

    @property
    def identifier(self) -> str:
        """Rack, unit and port; the device where the unit is not known."""
        place = f"U{self.unit:02d}" if self.unit else self.device
        return f"{self.rack}.{place}:{self.on_box}" if self.rack else f"{self.device}:{self.on_box}"

    @property
    def on_box(self) -> str:
        """The port as a crew finds it: switches name the cage in their port already, and RDMA devices are named by the host."""
        return f"{self.cage}/{self.port}" if self.cage and RDMA.fullmatch(self.port) else self.port


class CrewCable(NamedTuple):
    """One cable. One that joins several ports has all ends of its fan-out under ``near``."""

    network: str
    tier: str
    number: int
    near: tuple[End, ...]
    far: tuple[End, ...]
    part: str
    order_number: str
    medium: str
    length_m: float
    measured_m: float
    part_name: str

    @property
    def label(self) -> str:
        """Its number on the label."""
        own = f"C{self.number:0{NUMBER_DIGITS}d}"
        return own if self.network == COMPUTE else f"{self.network}-{own}"

    @property
    def identifier(self) -> str:
        """Both ends, as the administration standard writes a link."""
        return f"{self.near[0].identifier} / {self.far[0].identifier}"


def crew_cables(links: LinkList, places: Places) -> Iterator[CrewCable]:
    """The cables of one network in the order of their numbers; of a link with several cables, each is one."""
    _, units = units_of(links)
    unit_of = dict(zip(links.table.devices.names, units, strict=True))
    stock = [one.length_m for one in links.plan.runs]
    numbers, names = order_numbers(links.catalog), links.catalog.cables
    open_: dict[int, list[LinkRow]] = {}
    run_of: dict[int, int] = {}
    for row, run in zip(links.rows(), links.cabling.run.tolist(), strict=True):
        open_.setdefault(row.cable, []).append(row)
        run_of[row.cable] = run
    for number in sorted(open_):
        rows = open_[number]
        first = rows[0]
        near = tuple(dict.fromkeys(_end(row.a_device, row.a_cage, row.a_port, places, unit_of) for row in rows))
        far = tuple(dict.fromkeys(_end(row.b_device, row.b_cage, row.b_port, places, unit_of) for row in rows))
        length_m = round(float(stock[run_of[number]]), 2)
        part = first.part or ""
        further = (first.further_cables or "").split()
        for one in (number, *map(int, further)):
            yield CrewCable(
                links.role,
                first.tier,
                one,
                near,
                far,
                part,
                order_number(names[part], length_m) if part in names else numbers.get(part, ""),
                first.media or "",
                length_m,
                first.length_m,
                first.part_name or "",
            )


def _end(device: str, cage: str, port: str, places: Places, unit_of: dict[str, int | None]) -> End:
    return End(places.rack_of.get(device, ""), unit_of.get(device), device, cage, port)


def order_numbers(catalog: Catalog) -> dict[str, str]:
    """Part number of every cable record, by id; of one in several lengths that of the family."""
    return {key: one.part_numbers[0] if one.part_numbers else "" for key, one in catalog.cables.items()}


def order_number(cable: Cable, length_m: float) -> str:
    """The vendor's number of a cable at a stock length: MFP7E10-N003..N050 of 30 m is MFP7E10-N030.

    A family whose numbers do not follow from the length keeps its own, which the vendor completes.
    """
    numbers, lengths = list(cable.part_numbers), list(cable.lengths_m)
    if not numbers:
        return ""
    if len(numbers) == len(lengths) and length_m in lengths:
        return numbers[lengths.index(length_m)]
    first, dots, _ = numbers[0].partition("..")
    if not dots:
        return numbers[0]
    stem = first.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    suffix, digits = first[len(stem) :], len(stem) - len(stem.rstrip("0123456789"))
    if not digits or length_m != int(length_m):
        return numbers[0]
    return f"{stem[:-digits]}{int(length_m):0{digits}d}{suffix}"


def racks_of(cables: Sequence[CrewCable]) -> dict[str, list[tuple[End, CrewCable]]]:
    """Ends of cables by the rack that they are in, in order of device and port."""
    out: dict[str, list[tuple[End, CrewCable]]] = {}
    for cable in cables:
        for end in (*cable.near, *cable.far):
            out.setdefault(end.rack or end.device, []).append((end, cable))
    return {rack: sorted(out[rack], key=lambda one: (-(one[0].unit or 0), one[0].device)) for rack in sorted(out)}
