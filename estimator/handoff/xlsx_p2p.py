"""The point-to-point sheet that UFM's Cable Validation Tool reads, with what a crew needs beside it.

The tool finds its columns by their headers (``A-Node Name`` … ``Z-Port``). Its port names are plain numbers for switches
of InfiniBand generations before XDR (``5/1`` for half of a split port) and the platform's own names otherwise; host
NICs are numbered from 1 for ``mlx5_0`` on InfiniBand, its default mapping. The names that platforms print stand in columns of
their own. A sheet a tier, more where a tier has more rows than a sheet holds. The same design gives the same bytes.
"""

import re
from collections.abc import Iterator
from typing import Any

from estimator.cabling.links import LOWER_KINDS, UPPER_KINDS, LinkList
from estimator.fabric.devices import LEAF, MANAGER, NODE
from estimator.fabric.topology import TIERS
from estimator.handoff.hosts_of import SWITCH_HOSTS, host_groups, places_of
from estimator.handoff.stamp import origin, title
from estimator.handoff.xlsx_stream import SHEET_ROWS, Sheet, workbook

HEADERS = (
    "A-Rack", "A-U", "A-Node Name", "A-Type", "A-Port", "Z-Rack", "Z-RU", "Z-Node Name", "Z-Type", "Z-Port",
    "A-Cage", "A-Interface", "Z-Cage", "Z-Interface", "Rail", "Plane", "Rate (Gb/s)", "Link", "Cable", "Media",
    "Length (m)", "Part", "A-Transceiver", "Z-Transceiver",
    "Part Description", "A-Transceiver Description", "Z-Transceiver Description",
)  # fmt: skip
WIDTHS = (8, 5, 14, 8, 12, 8, 5, 14, 8, 12, 8, 14, 8, 14, 6, 6, 10, 9, 9, 12, 10, 24, 20, 20, 44, 44, 44)
HOST_TYPE, SWITCH_TYPE = "Host", "Switch"
NUMBERED_STYLES = ("mlnx-os", "plain")
_ADAPTER = re.compile(r"mlx\d+_(\d+)$")


def write(links: LinkList) -> Iterator[bytes]:
    """The workbook, as it is made."""
    stamp = origin(links)
    comment = ", ".join(f"{name} {text}" for name, text in stamp.items())
    return workbook(list(_sheets(links)), title(links), comment, stamp)


def _sheets(links: LinkList) -> Iterator[Sheet]:
    """A sheet a tier, and more where its rows do not fit."""
    for tier, name in enumerate(TIERS):
        rows = links.table.rows(tier)
        for number, start in enumerate(range(rows.start, rows.stop, SHEET_ROWS - 1), start=1):
            stop = min(start + SHEET_ROWS - 1, rows.stop)
            cells = _cells(links, tier, slice(start, stop))
            yield Sheet(name if number == 1 else f"{name} {number}", HEADERS, WIDTHS, stop - start, cells)


def _cells(links: LinkList, tier: int, rows: slice) -> Iterator[tuple[Any, ...]]:
    """Rows in the order of HEADERS."""
    table = links.table
    lower, upper = (tool_ports(links, kinds[tier]) for kinds in (LOWER_KINDS, UPPER_KINDS))
    racks, units = places_of(links)
    types = _types(links)
    columns = (table.a_device, table.a_port, table.b_device, table.b_port, table.b_lane)
    ends = zip(*(column[rows].tolist() for column in columns), strict=True)
    for row, (a, a_port, b, b_port, b_lane) in zip(links.rows(rows.start, rows.stop), ends, strict=True):
        yield (
            racks[a],
            units[a],
            row.a_device,
            types[a],
            lower[0][a_port],
            racks[b],
            units[b],
            row.b_device,
            SWITCH_TYPE,
            upper[b_lane][b_port],
            row.a_cage,
            row.a_port,
            row.b_cage,
            row.b_port,
            row.rail,
            row.plane,
            row.rate_gbit_s,
            row.link,
            f"{row.cable} {row.further_cables}" if row.further_cables else row.cable,
            row.media,
            row.length_m,
            row.part,
            row.a_transceiver,
            row.b_transceiver,
            row.part_name,
            row.a_transceiver_name,
            row.b_transceiver_name,
        )


def _types(links: LinkList) -> list[str]:
    """Host or Switch, by device."""
    devices = links.table.devices
    types = [HOST_TYPE] * devices.first[LEAF] + [SWITCH_TYPE] * (len(devices) - devices.first[LEAF])
    for group, place in host_groups(links):
        if group.kind in SWITCH_HOSTS:
            types[place] = [SWITCH_TYPE] * group.n_devices
    return types


def tool_ports(links: LinkList, kind: str) -> list[list[str]]:
    """Port names as the tool takes them, by lane and port."""
    labels = links.labels[kind]
    is_infiniband = links.catalog.generations[links.spec.fabric.generation].protocol == "infiniband"
    if kind in (NODE, MANAGER):
        if not is_infiniband:
            return labels.lanes
        found = (_ADAPTER.match(port) for port in labels.ports)
        return [[str(int(adapter[1]) + 1) if adapter else str(n) for n, adapter in enumerate(found, start=1)]]
    part = links.switches[kind]
    style = links.catalog.port_naming[part.id].style if part else "plain"
    if not is_infiniband or style not in NUMBERED_STYLES:
        return labels.lanes
    numbers = [str(port + 1) for port in range(len(labels.ports))]
    return [numbers, *([f"{number}/{lane}" for number in numbers] for lane in range(1, len(labels.lanes)))]
