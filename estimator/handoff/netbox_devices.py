"""NetBox's device import: a row a device, with the types that netbox_types.py writes.

Roles, manufacturers and the site (the design's name) must exist before. Devices get the interfaces of their type, so that
the cable imports find them.
"""

from collections.abc import Iterator

from estimator.devices import CORE, KINDS, LEAF, MANAGER, NODE, SPINE
from estimator.handoff.cells import Cell, csv_blocks, guarded
from estimator.handoff.netbox import PLANNED, description
from estimator.handoff.netbox_types import device_types
from estimator.link_list import LinkList

COLUMNS = ("name", "role", "manufacturer", "device_type", "site", "status", "description")
ROLES = {NODE: "GPU node", MANAGER: "Fabric manager", LEAF: "Leaf switch", SPINE: "Spine switch", CORE: "Core switch"}
MAX_SITE = 100


def write(links: LinkList) -> Iterator[str]:
    """Header and rows."""
    return csv_blocks(COLUMNS, _rows(links))


def _rows(links: LinkList) -> Iterator[tuple[Cell, ...]]:
    devices, types, text = links.table.devices, device_types(links), description(links)
    site = " ".join(links.spec.name.split())[:MAX_SITE] or "Unnamed design"
    for kind in KINDS:
        if not devices.n[kind]:
            continue
        made = types[kind]
        shared = ROLES[kind], guarded(made.manufacturer), guarded(made.model), guarded(site), PLANNED, text
        for name in devices.names[devices.of(kind)]:
            yield name, *shared
