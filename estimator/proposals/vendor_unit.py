"""The scalable unit of a vendor's published design, where the automatic one is another: what it would cost, and its change."""

from collections.abc import Iterator

from estimator.bom.bill import bill_of_materials
from estimator.bom.lines import SERVER
from estimator.designs.networks import design_plan
from estimator.designs.subject import Subject
from estimator.errors import Change, EstimatorError
from estimator.fabric.size import size
from estimator.fabric.sized import SizedFabric, fabric_of
from estimator.findings.finding import Finding
from estimator.spec.change import apply_change
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec
from estimator.units import CENTS_PER_USD, counted
from estimator.wording import dollars


def about_vendor_unit(subject: Subject) -> Iterator[Finding]:
    """Nothing where the unit is named, is the vendor's, or one unit holds all nodes of either."""
    spec, fabric, catalog = subject.spec, subject.fabric, subject.catalog
    known = catalog.vendor_units.get((spec.compute.server or "", spec.fabric.generation, spec.fabric.planes))
    if known is None or spec.fabric.scalable_unit_nodes is not None or spec.fabric.layout != "rail-optimized":
        return
    if fabric.tiers < 2 or known.unit_nodes in (fabric.unit_nodes, fabric.n_nodes) or fabric.n_nodes < known.unit_nodes:
        return
    change: Change = {"fabric.scalable_unit_nodes": known.unit_nodes}
    try:
        named = parse_spec(apply_change(spec.as_json(), change), catalog)
        sizing = size([named], catalog)
        if not sizing.tiers[0]:
            return
        other = fabric_of(sizing, 0, named)
        more_cents = _network_cents(named, other, subject) - _network_cents(spec, fabric, subject)
    except EstimatorError:
        return  # it cannot be built, or not be cabled, with what else was requested
    message = (
        f"{known.owner}’s unit of {counted(known.unit_nodes, 'node')}: {_switch_words(fabric, other)}, "
        f"{_money_words(more_cents)}. The automatic unit has {counted(fabric.unit_nodes, 'node')}; "
        f"{known.owner}’s is the one of its published design."
    )
    yield Finding("vendor_unit_differs", "info", "fabric.scalable_unit_nodes", message, change)


def _network_cents(spec: DesignSpec, fabric: SizedFabric, subject: Subject) -> int:
    """Typical price of the network with that of the racks and all else that is bought beside the servers."""
    plan = design_plan(spec, fabric, subject.catalog)
    lines = bill_of_materials(spec, fabric, plan, subject.catalog).lines
    return sum(line.extended_cents.typical for line in lines if line.category != SERVER and line.extended_cents)


def _switch_words(here: SizedFabric, there: SizedFabric) -> str:
    counts = [one.n_leaf + one.n_spine + one.n_core for one in (here, there)]
    more = counts[1] - counts[0]
    if more == 0:
        return f"the same {counted(counts[0], 'switch')}"
    return f"{'+' if more > 0 else '−'} {counted(abs(more), 'switch')}"


def _money_words(more_cents: int) -> str:
    if more_cents == 0:
        return "at the same price"
    return f"costs {dollars(abs(more_cents) / CENTS_PER_USD)} {'more' if more_cents > 0 else 'less'}"
