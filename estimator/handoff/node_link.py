"""Node-link JSON as networkx writes and reads it (``edges="edges"``): a multigraph, an edge a link."""

import json
from collections.abc import Iterable, Iterator

from estimator.cabling.links import LinkList, LinkRow
from estimator.handoff.graph_data import devices, graph_data, in_blocks
from estimator.record import Json

_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def write(links: LinkList) -> Iterator[str]:
    """One object, a line a device or link."""
    yield f'{{"directed": false, "multigraph": true, "graph": {_json(graph_data(links))},\n"nodes": [\n'
    yield from in_blocks(_listed({"id": name, **data} for name, data in devices(links)))
    yield '],\n"edges": [\n'
    yield from in_blocks(_listed(_edge(row) for row in links.rows()))
    yield "]}\n"


def _edge(row: LinkRow) -> Json:
    data = {name: value for name, value in row._asdict().items() if value is not None}
    return {"source": row.a_device, "target": row.b_device, "key": row.link, **data}


def _listed(values: Iterable[Json]) -> Iterator[str]:
    """Values with commas between them."""
    between = ""
    for value in values:
        yield between + _json(value)
        between = ",\n"
    yield "\n"
