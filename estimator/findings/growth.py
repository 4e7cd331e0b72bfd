"""Sized for and bought now, side by side: the design as bought, the same grown, the same with no room to grow.

The later BOM is the difference of two BOMs line by line. What is bought now stays where it is: a grown fabric has
every link of today's at the same ports (``moved_links`` counts what cannot stay, and findings say so).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from estimator.bom.lines import RANGE
from estimator.catalog.catalog import Catalog
from estimator.fabric.devices import manager_links_of_leaves
from estimator.fabric.sized import SizedFabric
from estimator.spec import DesignSpec, parse_spec
from estimator.spec.change import apply_change
from estimator.units import ceil_div

_LINE_KEYS = ("category", "part", "part_number", "description", "use", "tier", "length_m", "fabric")
_SPARE_KEYS = ("part", "length_m")


def nodes_sized_for(spec: DesignSpec, fabric: SizedFabric) -> int:
    """Nodes that the fabric holds ports for: those to grow to, or whole scalable units with full-unit provision.

    A unit whose last places went to fabric managers, as published designs have it, is full.
    """
    whole = fabric.wiring.built_nodes
    if fabric.links_fabric_manager and whole - fabric.n_nodes <= int(manager_links_of_leaves(fabric).max()):
        whole = fabric.n_nodes
    return max(spec.fabric.grow_to_nodes or 0, whole, fabric.n_nodes)


def compared_specs(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog) -> tuple[DesignSpec, DesignSpec] | None:
    """(grown, right-sized) designs beside one that has room to grow; None where it has none.

    Raises
    ------
    SpecError
        If the grown request breaks a rule that the one as bought keeps.
    """
    nodes = nodes_sized_for(spec, fabric)
    if nodes == fabric.n_nodes:
        return None
    values = spec.as_json()
    unit = fabric.wiring.unit_nodes
    # whole units of more nodes would be a larger design than the one that ports are held for
    whole = "as-bought" if unit and nodes % unit else spec.fabric.provision
    grown = apply_change(
        values,
        {
            "compute.nodes": nodes,
            "fabric.grow_to_nodes": nodes,
            "fabric.provision": whole,
            "fabric.tiers": fabric.tiers,
            "fabric.pod_nodes": fabric.wiring.pod_nodes or spec.fabric.pod_nodes,
        },
    )
    right = apply_change(values, {"fabric.grow_to_nodes": None, "fabric.provision": "as-bought"})
    return parse_spec(grown, catalog), parse_spec(right, catalog)


def is_recabled(spec: DesignSpec, now: SizedFabric, grown: SizedFabric) -> bool:
    """Whether growing may rewire switches to each other.

    It happens where nodes and fabric managers together leave a leaf too few ports for the uplinks of today, and where whole
    scalable units are built now but the size to grow to is none of them.
    """
    splits = [(fabric.leaf_downlinks, fabric.leaf_uplinks) for fabric in (now, grown)]
    unit = now.wiring.unit_nodes
    breaks_units = spec.fabric.provision == "full-unit" and unit > 0 and grown.n_nodes % unit > 0
    return splits[0] != splits[1] or breaks_units


def growth_json(
    now: Mapping[str, Any], grown: Mapping[str, Any], right: Mapping[str, Any], moved_links: int, recabled: bool
) -> dict[str, Any]:
    """``growth`` of the Estimate, from three Estimates with their bills of materials."""
    upgrade, replaced = upgrade_lines(now["bom"]["lines"], grown["bom"]["lines"])
    return {
        "nodes": {"now": _nodes(now), "sized_for": _nodes(grown)},
        "bought_now": _side(now),
        "sized_for": _side(grown),
        "right_sized": _side(right),
        "readiness_usd": _less(now["bom"]["totals_usd"], right["bom"]["totals_usd"]),
        "upgrade": {
            "lines": upgrade,
            "totals_usd": _sum(line["extended_price_usd"] for line in upgrade),
            "at_least": any(line["extended_price_usd"] is None for line in upgrade),
        },
        "replaced": replaced,
        "moved_links": moved_links,
        "recabled": recabled,
    }


def _nodes(estimate: Mapping[str, Any]) -> int:
    nodes: int = estimate["fabrics"]["compute"]["counts"]["nodes"]
    return nodes


def _side(estimate: Mapping[str, Any]) -> dict[str, Any]:
    """Counts, links and price of one of the designs; the network is everything but servers."""
    compute, bom = estimate["fabrics"]["compute"], estimate["bom"]
    return {
        "counts": compute["counts"],
        "links": compute["links"],
        "cables": compute["cables"],
        "transceivers": compute["transceivers"],
        "totals_usd": bom["totals_usd"],
        "network_usd": _sum(total for category, total in bom["totals_by_category"].items() if category != "server"),
        "at_least": bom["at_least"],
    }


def _sum(ranges: Iterable[Mapping[str, float] | None]) -> dict[str, float]:
    known = [some for some in ranges if some]
    return {end: round(sum(some[end] for some in known), 2) for end in RANGE}


def _less(a: Mapping[str, float], b: Mapping[str, float]) -> dict[str, float]:
    """Difference end by end."""
    return {end: round(a[end] - b[end], 2) for end in RANGE}


def upgrade_lines(
    now: Sequence[Mapping[str, Any]], grown: Sequence[Mapping[str, Any]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """(what is bought later, what is there and no longer in use) of two bills of materials, a line for each part and use.

    Spares are compared by part and length, as a BOM puts them on the largest of its lines, and stand on the first line
    of the part.
    """
    here, there = _by_key(now, _LINE_KEYS, "quantity"), _by_key(grown, _LINE_KEYS, "quantity")
    spares_here, spares_there = (_by_key(lines, _SPARE_KEYS, "spare_quantity") for lines in (now, grown))
    lines = {_key(line, _LINE_KEYS): line for line in (*now, *grown)}
    later, unused, done = [], [], set()
    for key, line in lines.items():
        more, part = there.get(key, 0) - here.get(key, 0), _key(line, _SPARE_KEYS)
        spares = 0 if part in done else max(spares_there.get(part, 0) - spares_here.get(part, 0), 0)
        if more > 0 or (spares and more >= 0):
            done.add(part)
            later.append(_line(line, more, spares))
        elif more < 0:
            unused.append(_line(line, -more, 0))
    return later, unused


def _key(line: Mapping[str, Any], keys: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(line[key] for key in keys)


def _by_key(lines: Iterable[Mapping[str, Any]], keys: tuple[str, ...], count: str) -> dict[tuple[Any, ...], int]:
    out: dict[tuple[Any, ...], int] = {}
    for line in lines:
        out[_key(line, keys)] = out.get(_key(line, keys), 0) + line[count]
    return out


def _line(line: Mapping[str, Any], quantity: int, spares: int) -> dict[str, Any]:
    unit = line["unit_price_usd"]
    price = {end: round(unit[end] * (quantity + spares), 2) for end in RANGE} if unit else None
    return {key: line[key] for key in _LINE_KEYS} | {
        "quantity": quantity,
        "spare_quantity": spares,
        "unit_price_usd": unit,
        "extended_price_usd": price,
    }


def moved_manager_links(now: SizedFabric, grown: SizedFabric) -> int:
    """Fabric-manager links of today that stand where the grown design has a node, or nothing."""
    spans = []
    for fabric in (now, grown):
        shape = (fabric.n_components, fabric.wiring.rows, fabric.wiring.columns)
        first = ceil_div(fabric.leaf_endpoints, fabric.endpoints_per_port)
        links = manager_links_of_leaves(fabric)
        spans.append([part.reshape(shape)[:, : now.wiring.rows] for part in (first, first + links)])
    (first, last), (grown_first, grown_last) = spans
    kept = np.maximum(np.minimum(last, grown_last) - np.maximum(first, grown_first), 0)
    return int((last - first - kept).sum())
