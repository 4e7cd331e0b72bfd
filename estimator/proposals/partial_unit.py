"""A last scalable unit that is far from full: what it costs, and units that share the nodes out evenly."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from estimator.bom.pricing import Pricing
from estimator.designs.subject import Subject
from estimator.errors import SpecError
from estimator.fabric.size import size
from estimator.findings.finding import Finding
from estimator.spec.change import apply_change
from estimator.spec.parse import parse_spec
from estimator.units import CENTS_PER_USD, ceil_div, counted
from estimator.wording import dollars

CODE = "last_unit_partial"
MORE_UNITS = 3  # than there are, that are tried


class EvenUnit(NamedTuple):
    """Units of so many nodes each, and the switches of the compute network with them."""

    nodes: int
    leaves: int
    spines: int
    cores: int

    @property
    def switches(self) -> int:
        """Leaves, spines and cores."""
        return self.leaves + self.spines + self.cores


def even_units(subject: Subject) -> list[EvenUnit]:
    """Units that divide the nodes and take no more switches than the design has, the fewest switches first."""
    fabric, asked = subject.fabric, subject.spec.fabric
    if asked.scalable_unit_nodes is None:
        return []  # an automatic unit is the best already
    if asked.provision == "full-unit" or asked.grow_to_nodes not in (None, fabric.n_nodes):
        return []  # room in the last unit is wanted
    nodes, units = fabric.n_nodes, ceil_div(fabric.n_nodes, fabric.unit_nodes)
    built = fabric.n_leaf + fabric.n_spine + fabric.n_core
    found = _built_with(subject, [nodes // n for n in range(units, units + MORE_UNITS + 1) if nodes % n == 0])
    return sorted((one for one in found if one.switches <= built), key=lambda one: one.switches)


def _built_with(subject: Subject, sizes: list[int]) -> list[EvenUnit]:
    """The design with units of each of these sizes; those that cannot be built are left out."""
    specs = []
    for unit in sizes:
        try:
            changed = apply_change(subject.spec.as_json(), {"fabric.scalable_unit_nodes": unit})
            specs.append((unit, parse_spec(changed, subject.catalog)))
        except SpecError:
            continue
    if not specs:
        return []
    sizing = size([spec for _, spec in specs], subject.catalog)
    return [
        EvenUnit(unit, int(sizing.n_leaf[k]), int(sizing.n_spine[k]), int(sizing.n_core[k]))
        for k, (unit, _) in enumerate(specs)
        if sizing.tiers[k]
    ]


def with_price(finding: Finding, subject: Subject) -> Finding:
    """The finding of a last unit that is not full, with what its change costs; a warning where the unit is not half
    full and even units save switches."""
    change = finding.change or {}
    unit = change.get("fabric.scalable_unit_nodes")
    if unit:
        (even,) = _built_with(subject, [unit])
        saves = subject.fabric.n_leaf + subject.fabric.n_spine + subject.fabric.n_core - even.switches
        is_far = 2 * (subject.fabric.n_nodes % subject.fabric.unit_nodes) < subject.fabric.unit_nodes
        words = f"{finding.message} {_even_words(even, saves, subject)}"
        return replace(finding, message=words, severity="warning" if saves and is_far else finding.severity)
    if "compute.nodes" in change:
        return replace(finding, message=" ".join([finding.message, *_server_words(change["compute.nodes"], subject)]))
    return finding


def _even_words(even: EvenUnit, saves: int, subject: Subject) -> str:
    fabric = subject.fabric
    built = f"{fabric.n_leaf + fabric.n_spine + fabric.n_core:,}"
    tiers = [counted(n, noun) for n, noun in ((even.leaves, "leaf"), (even.spines, "spine"), (even.cores, "core")) if n]
    instead = f"{counted(even.switches, 'switch')} instead of {built}" if saves else f"the same {built} switches"
    return f"Units of {counted(even.nodes, 'node')} share all out evenly with {instead} ({', '.join(tiers)})."


def _server_words(whole: int, subject: Subject) -> Iterator[str]:
    """What filling the unit costs in servers, and how many fewer would do without it."""
    fabric = subject.fabric
    more, over = whole - fabric.n_nodes, fabric.n_nodes % fabric.unit_nodes
    price = Pricing(subject.spec.economics, subject.catalog).of(subject.spec.compute.server or "custom", whole)
    cost = f", about {dollars(more * price.cents.typical / CENTS_PER_USD)}" if price else ", which have no price here"
    fewer = f"; {counted(over, 'node')} fewer would do without the unit" if 2 * over < fabric.unit_nodes else ""
    yield f"Filling it takes {counted(more, 'more server')}{cost}{fewer}."
