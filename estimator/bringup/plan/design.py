"""A design → the plan of its settings: the one way in for command line, pages and API."""

from estimator.bringup.plan.choices import USUAL, Choices
from estimator.bringup.plan.plan import Plan
from estimator.bringup.plan.wired import Wired
from estimator.catalog.catalog import Catalog
from estimator.link_list import link_list
from estimator.spec.design import DesignSpec


def plan_of(spec: DesignSpec, catalog: Catalog, choices: Choices = USUAL) -> Plan:
    """The plan of a design's compute fabric.

    Raises
    ------
    InfeasibleDesign
        If the design cannot be built.
    """
    links = link_list(spec, catalog)
    return Plan(links, Wired(links), catalog.generations[spec.fabric.generation].protocol, choices)
