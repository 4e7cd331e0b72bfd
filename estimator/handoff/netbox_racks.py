"""NetBox's rack import: the racks of the design's floor plan, before the devices that stand in them.

A design without a floor plan has no racks, and a file of the header alone.
"""

from collections.abc import Iterator

from estimator.cabling.links import LinkList
from estimator.handoff.cells import Cell, csv_blocks, guarded
from estimator.handoff.netbox import PLANNED, description
from estimator.handoff.netbox_devices import site_of

COLUMNS = ("site", "name", "status", "width", "u_height", "description")
WIDTH_INCHES = 19


def write(links: LinkList) -> Iterator[str]:
    """Header and rows."""
    return csv_blocks(COLUMNS, _rows(links))


def _rows(links: LinkList) -> Iterator[tuple[Cell, ...]]:
    floor = links.plan.floor
    if floor is None:
        return
    text, site = guarded(description(links)), guarded(site_of(links))
    for name in floor.names:
        yield site, name, PLANNED, WIDTH_INCHES, floor.plan.rack_units, text
