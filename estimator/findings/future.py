"""Findings about what comes later: growing, and spares when parts fail."""

import math
from collections.abc import Iterator, Sequence

from estimator.catalog.catalog import Catalog
from estimator.cost.reliability import Failing, short_of_spares
from estimator.errors import Change, Problem
from estimator.findings.fabric import Finding
from estimator.growth.result import Growth
from estimator.spec.design import DesignSpec
from estimator.units import counted

_SHARE_DIGITS = 4


def cannot_grow(problem: Problem) -> Finding:
    """A design that is sound as bought, and whose grown form is refused."""
    message = f"The design cannot grow as asked: {problem.message}"
    return Finding("grow_not_possible", "warning", "fabric.grow_to_nodes", message, {"fabric.grow_to_nodes": None})


def about_growth(spec: DesignSpec, growth: Growth) -> Iterator[Finding]:
    """What cannot stay where it is when the design grows."""
    change: Change = {"fabric.grow_to_nodes": None} if spec.fabric.grow_to_nodes else {"fabric.provision": "as-bought"}
    nodes, moved = growth.nodes, growth.moved_links
    if growth.recabled:
        message = (
            f"Growing from {nodes.now:,} to {nodes.sized_for:,} nodes can rewire switches to each other, so that "
            "links between them move. Fewer fabric-manager links, leaves with more ports, or a size of whole scalable units "
            "avoid that."
        )
        yield Finding("grow_recables", "warning", "fabric.grow_to_nodes", message, change)
    elif moved:
        message = (
            f"{counted(moved, 'fabric-manager link')} must move when the design grows from {nodes.now:,} to "
            f"{nodes.sized_for:,} nodes: they take leaf ports of nodes to come. Keep ports for them by connecting fewer "
            "nodes in a unit, or do without room to grow."
        )
        yield Finding("grow_moves_links", "warning", "fabric.grow_to_nodes", message, change)
    if growth.replaced:
        names = "; ".join(f"{line.quantity:,} × {line.description}" for line in growth.replaced[:3])
        message = (
            f"Growing from {nodes.now:,} to {nodes.sized_for:,} nodes takes parts out of use: {names}. A part that "
            "suits both sizes, or sizing for the nodes of today alone, avoids that."
        )
        yield Finding("grow_replaces_parts", "warning", "fabric.grow_to_nodes", message, change)
    yield from _waiting_spines(growth, change)


def _waiting_spines(growth: Growth, change: Change) -> Iterator[Finding]:
    """Spines and cores that today's nodes do not need; the design without them has been estimated beside this one."""
    nodes, readiness_usd = growth.nodes, growth.readiness_usd.typical
    here, alone = growth.bought_now, growth.right_sized
    waiting = {kind: getattr(here.counts, kind) - getattr(alone.counts, kind) for kind in ("spine", "core")}
    if readiness_usd <= 0 or waiting["spine"] <= 0 or waiting["core"] < 0 or here.at_least or alone.at_least:
        return
    words = " and ".join(counted(n, kind) for kind, n in waiting.items() if n)
    message = (
        f"{words} more than {nodes.now:,} nodes need wait for growth to {nodes.sized_for:,} nodes. The network costs "
        f"{here.network_usd.typical:,.0f} USD, and {alone.network_usd.typical:,.0f} USD sized for today's nodes "
        "alone; links between switches would then move when nodes are added."
    )
    yield Finding("grow_spines_wait", "info", "fabric.grow_to_nodes", message, change)


def about_spares(parts: Sequence[Failing], catalog: Catalog) -> Iterator[Finding]:
    """Classes of spares of which a typical year takes more than are bought, with the share that would do."""
    for row, short in short_of_spares(parts, catalog).items():
        worst = max(short, key=lambda part: part.n * part.rate(catalog).typical - (part.spares or 0))
        due = worst.n * worst.rate(catalog).typical
        share = max(_share(part, catalog) for part in short)
        key = f"economics.spares.{row.removeprefix('spare-')}"
        message = (
            f"{due:,.1f} of {worst.n:,} {worst.part or worst.name} are expected to fail in a typical year, and "
            f"{worst.spares:,} spares are bought. A share of {share:.2%} covers a year."
        )
        yield Finding("spares_below_failures", "warning", key, message, {key: share} if share <= 1 else None)


def _share(part: Failing, catalog: Catalog) -> float:
    """Share of a part's number that gives the spares of a typical year, rounded up."""
    due = math.ceil(part.n * part.rate(catalog).typical)
    return math.ceil(due / part.n * 10**_SHARE_DIGITS) / 10**_SHARE_DIGITS
