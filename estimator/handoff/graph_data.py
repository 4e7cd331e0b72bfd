"""Devices as nodes with their data, and what a graph carries as a whole: for graphml.py and node_link.py."""

from collections.abc import Iterable, Iterator
from itertools import islice

from estimator.cabling.links import COLUMNS, LinkList
from estimator.fabric.devices import KINDS, NODE
from estimator.handoff.stamp import origin, title
from estimator.record import Json

DEVICE_KEYS = {"kind": "string", "rail": "int", "plane": "int", "part": "string", "part_name": "string"}
LINK_KEYS = dict.fromkeys(COLUMNS, "string") | dict.fromkeys(("link", "cable", "plane", "rail", "rate_gbit_s"), "int")
LINK_KEYS["length_m"] = "double"
GRAPH_KEYS = ("title", "fabric", "spec_hash", "model_version", "catalog_version")
BLOCK_LINES = 1024


def graph_data(links: LinkList) -> Json:
    """What the graph as a whole carries, under GRAPH_KEYS."""
    return {"title": title(links), "fabric": links.role, **origin(links)}


def devices(links: LinkList) -> Iterator[tuple[str, Json]]:
    """Name and data of every device; rail and plane only where it serves one alone."""
    table = links.table.devices
    rails, planes = table.rail.tolist(), table.plane.tolist()
    for kind in KINDS:
        for at in range(table.first[kind], table.first[kind] + table.n[kind]):
            name = table.names[at]
            # what hangs on a storage or management network stands among the nodes, under names of its own
            is_node = kind == NODE and name.startswith(f"{NODE}-")
            part = links.server if is_node else links.switches.get(kind)
            data = {
                "kind": kind,
                "part": part.id if part else None,
                "rail": rails[at] or None,
                "plane": planes[at] or None,
                "part_name": f"{part.vendor} {part.model}" if part else None,
            }
            yield name, {key: value for key, value in data.items() if value is not None}


def in_blocks(lines: Iterable[str]) -> Iterator[str]:
    """Many short pieces as fewer long ones."""
    left = iter(lines)
    while block := "".join(islice(left, BLOCK_LINES)):
        yield block
