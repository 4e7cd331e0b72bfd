"""Sized for and bought now, side by side: the design as bought, the same grown, the same with no room to grow.

The later BOM is the difference of two BOMs line by line. What is bought now stays where it is: a grown fabric has
every link of today's at the same ports (``moved_links`` counts what cannot stay, and findings say so).
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from estimator.bom.lines import SERVER
from estimator.bom.result import BomLine, BomWithLines
from estimator.cabling.result import SizedNetwork
from estimator.catalog.catalog import Catalog
from estimator.fabric.devices import manager_links_of_leaves
from estimator.fabric.sized import SizedFabric
from estimator.growth.result import Growth, GrowthLine, GrowthNodes, GrowthStage, Upgrade
from estimator.ranges import total_of
from estimator.spec.change import apply_change
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec
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
    values = apply_change(spec.as_json(), {"phases": None})
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


class Bought(NamedTuple):
    """One of the designs: its compute network as the Estimate answers it, and its bill of materials."""

    compute: SizedNetwork
    bom: BomWithLines


def growth_of(now: Bought, grown: Bought, right: Bought, moved_links: int, recabled: bool) -> Growth:
    """``growth`` of the Estimate."""
    upgrade, replaced = upgrade_lines(now.bom.lines, grown.bom.lines)
    return Growth(
        nodes=GrowthNodes(now=now.compute.counts.nodes, sized_for=grown.compute.counts.nodes),
        bought_now=_stage(now),
        sized_for=_stage(grown),
        right_sized=_stage(right),
        readiness_usd=(now.bom.totals_usd - right.bom.totals_usd).each(_to_cents),
        upgrade=Upgrade(
            lines=upgrade,
            totals_usd=total_of(line.extended_price_usd for line in upgrade).each(_to_cents),
            at_least=any(line.extended_price_usd is None for line in upgrade),
        ),
        replaced=replaced,
        moved_links=moved_links,
        recabled=recabled,
    )


def _stage(one: Bought) -> GrowthStage:
    """Counts, links and price of one of the designs; the network is everything but servers."""
    of_network = (total for category, total in one.bom.totals_by_category.items() if category != SERVER)
    return GrowthStage(
        counts=one.compute.counts,
        links=one.compute.links,
        cables=one.compute.cables,
        transceivers=one.compute.transceivers,
        totals_usd=one.bom.totals_usd,
        network_usd=total_of(of_network).each(_to_cents),
        at_least=one.bom.at_least,
    )


def _to_cents(usd: float) -> float:
    """Sums of dollars in binary fractions, to the cent again."""
    return round(usd, 2)


def upgrade_lines(now: Sequence[BomLine], grown: Sequence[BomLine]) -> tuple[list[GrowthLine], list[GrowthLine]]:
    """(what is bought later, what is there and no longer in use) of two bills of materials, a line for each part and use.

    Spares are compared by part and length, as a BOM puts them on the largest of its lines, and stand on the first line
    of the part.
    """
    here, there = _by_key(now, _LINE_KEYS, "quantity"), _by_key(grown, _LINE_KEYS, "quantity")
    spares_here, spares_there = (_by_key(lines, _SPARE_KEYS, "spare_quantity") for lines in (now, grown))
    owned_here, owned_there = (_by_key(lines, _LINE_KEYS, "owned_quantity") for lines in (now, grown))
    lines = {_key(line, _LINE_KEYS): line for line in (*now, *grown)}
    later, unused, done = [], [], set()
    for key, line in lines.items():
        more, part = there.get(key, 0) - here.get(key, 0), _key(line, _SPARE_KEYS)
        spares = 0 if part in done else max(spares_there.get(part, 0) - spares_here.get(part, 0), 0)
        if more > 0 or (spares and more >= 0):
            done.add(part)
            later.append(_line(line, more, spares, max(owned_there.get(key, 0) - owned_here.get(key, 0), 0)))
        elif more < 0:
            unused.append(_line(line, -more, 0, 0))
    return later, unused


def _key(line: BomLine, keys: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(getattr(line, key) for key in keys)


def _by_key(lines: Iterable[BomLine], keys: tuple[str, ...], count: str) -> dict[tuple[Any, ...], int]:
    out: dict[tuple[Any, ...], int] = {}
    for line in lines:
        out[_key(line, keys)] = out.get(_key(line, keys), 0) + getattr(line, count)
    return out


def _line(line: BomLine, quantity: int, spares: int, owned: int) -> GrowthLine:
    """A later line; of its pieces, ``owned`` are there already, beside those that today's bill counts."""
    unit, bought = line.unit_price_usd, max(quantity + spares - owned, 0)
    return GrowthLine(
        category=line.category,
        part=line.part,
        part_number=line.part_number,
        description=line.description,
        use=line.use,
        tier=line.tier,
        length_m=line.length_m,
        fabric=line.fabric,
        quantity=quantity,
        spare_quantity=spares,
        unit_price_usd=unit,
        extended_price_usd=(unit * bought).each(_to_cents) if unit else None,
    )


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
