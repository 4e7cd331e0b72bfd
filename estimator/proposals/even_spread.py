"""Spines that are built so that uplinks spread evenly: what those cost that the ports alone would not need."""

from dataclasses import replace

from estimator.bom.pricing import Pricing
from estimator.designs.subject import Subject
from estimator.fabric.sized import spines_by_ports
from estimator.findings.finding import Finding
from estimator.units import CENTS_PER_USD
from estimator.wording import dollars

CODE = "spines_for_even_spread"


def with_spines_price(finding: Finding, subject: Subject) -> Finding:
    """The finding with the price of the spines beyond those that the uplinks would fill; links and optics are as many."""
    fabric = subject.fabric
    more = fabric.n_spine - spines_by_ports(subject.sizing, subject.i, fabric) * fabric.n_components
    everywhere = " in all" if fabric.n_components > 1 else ""
    return replace(finding, message=f"{finding.message} The {more:,} more{everywhere} {_cost(more, subject)}.")


def _cost(n_spines: int, subject: Subject) -> str:
    """ "cost about $485,000"."""
    fabric, part = subject.fabric, subject.fabric.spine_switch
    pieces = fabric.n_spine + (fabric.n_leaf if part == fabric.leaf_switch else 0)
    price = Pricing(subject.spec.economics, subject.catalog).of(part, pieces) if part else None
    if price is None:
        return f"{'has' if n_spines == 1 else 'have'} no price here"
    amount = dollars(n_spines * price.cents.typical / CENTS_PER_USD)
    return f"{'costs' if n_spines == 1 else 'cost'} about {amount}"
