"""Whether a design that could be proposed can also be cabled: what the catalog lacks for it, and what two links cannot share."""

from estimator.cabling.plan import cable_plan
from estimator.catalog.catalog import Catalog
from estimator.errors import InfeasibleDesign
from estimator.fabric.sized import SizedFabric
from estimator.spec.design import DesignSpec

Faults = frozenset[tuple[str, str]]


def faults_of(spec: DesignSpec, fabric: SizedFabric, catalog: Catalog) -> Faults:
    """(code, field) of what leaves counts of cables unknown or cannot be plugged; lengths are the tiers', not the floor's."""
    site = spec.site.model_copy(update={"plan": None, "set_lengths": ()})
    try:
        plan = cable_plan(spec.model_copy(update={"site": site}), fabric, catalog)
    except InfeasibleDesign as error:
        return frozenset((problem.code, problem.field) for problem in error.problems)
    return frozenset((problem.code, problem.field) for problem in (*plan.problems, *plan.blocked))
