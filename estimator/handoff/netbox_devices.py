"""NetBox's device import: a row a device, with the types that netbox_types.py writes.

A file has the devices that its network brings: nodes are the compute network's, and what other networks only join is in
their own files. Roles, manufacturers and the site (the design's name) must exist before, and racks where the design has a
floor plan. Devices get the interfaces of their type, so that the cable imports find them.
"""

from collections.abc import Iterator

from estimator.cabling.links import LinkList
from estimator.handoff.cells import Cell, csv_blocks, guarded
from estimator.handoff.hosts_of import places_of
from estimator.handoff.netbox import PLANNED, description
from estimator.handoff.netbox_types import own_devices

COLUMNS = ("name", "role", "manufacturer", "device_type", "site", "rack", "position", "face", "status", "description")
MAX_SITE = 100


def write(links: LinkList) -> Iterator[str]:
    """Header and rows."""
    return csv_blocks(COLUMNS, _rows(links))


def site_of(links: LinkList) -> str:
    """Name of the site: the design's."""
    return " ".join(links.spec.name.split())[:MAX_SITE] or "Unnamed design"


def _rows(links: LinkList) -> Iterator[tuple[Cell, ...]]:
    names, text, site = links.table.devices.names, guarded(description(links)), guarded(site_of(links))
    racks, units = places_of(links)
    for own in own_devices(links):
        shared = guarded(own.role), guarded(own.made.manufacturer), guarded(own.made.model), site
        for index in range(own.place.start, own.place.stop):
            unit = units[index] if own.made.rack_units else None
            face = "front" if unit else None
            yield names[index], *shared, racks[index], unit, face, PLANNED, text
