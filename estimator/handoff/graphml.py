"""GraphML: an undirected multigraph, an edge a link, with every column of the link list."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from estimator.cabling.links import COLUMNS, LinkList, LinkRow
from estimator.handoff.graph_data import DEVICE_KEYS, GRAPH_KEYS, LINK_KEYS, devices, graph_data, in_blocks
from estimator.record import Json

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
KEYS = {"graph": dict.fromkeys(GRAPH_KEYS, "string"), "node": DEVICE_KEYS, "edge": LINK_KEYS}
_IDS = {domain: {name: f"{domain[0]}{number}" for number, name in enumerate(keys)} for domain, keys in KEYS.items()}
_OF_LINK = [_IDS["edge"][name] for name in COLUMNS]
_escaped = lru_cache(maxsize=65_536)(escape)


def write(links: LinkList) -> Iterator[str]:
    """Keys, graph data, nodes, edges."""
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="{NAMESPACE}">\n'
    for domain, keys in KEYS.items():
        for name, kind in keys.items():
            key = _IDS[domain][name]
            yield f'<key id="{key}" for="{domain}" attr.name="{name}" attr.type="{kind}"/>\n'
    yield f'<graph id={quoteattr(links.role)} edgedefault="undirected">\n{_data("graph", graph_data(links))}\n'
    yield from in_blocks(f"<node id={quoteattr(name)}>{_data('node', data)}</node>\n" for name, data in devices(links))
    yield from in_blocks(_edge(row) for row in links.rows())
    yield "</graph>\n</graphml>\n"


def _edge(row: LinkRow) -> str:
    data = "".join(_datum(key, value) for key, value in zip(_OF_LINK, row, strict=True) if value is not None)
    return f'<edge id="link-{row.link}" source="{_escaped(row.a_device)}" target="{_escaped(row.b_device)}">{data}</edge>\n'


def _data(domain: str, values: Json) -> str:
    return "".join(_datum(_IDS[domain][name], value) for name, value in values.items())


def _datum(key: str, value: Any) -> str:
    return f'<data key="{key}">{_escaped(value) if isinstance(value, str) else value}</data>'
