"""A design → the link list of one of its fabrics.

A list is made from the spec alone, so that a file, a page and a later download of the same design agree to the letter.
"""

from estimator.cabling.links import LinkList
from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import COMPUTE
from estimator.designs.links import all_links, compute_links, other_links
from estimator.designs.networks import design_plan, sized_fabrics, sized_others
from estimator.designs.parts import catalog_of
from estimator.errors import Problem, SpecError
from estimator.spec.design import DesignSpec
from estimator.spec.network_rules import other_keys


def link_list(spec: DesignSpec, catalog: Catalog, role: str = COMPUTE) -> LinkList:
    """The links of one fabric of a design; ``role`` is its key in the Estimate.

    Raises
    ------
    InfeasibleDesign
        If no fabric of its parts meets the spec.
    SpecError
        If the design has no fabric of this role.
    """
    keys = [COMPUTE, *other_keys(spec)]
    if role not in keys:
        message = f"The design's networks are {', '.join(keys)}, and '{role[:40]}' was requested."
        raise SpecError([Problem("fabric", "no_such_fabric", message)])
    catalog = catalog_of(spec, catalog)
    _, (fabric,) = sized_fabrics([spec], catalog)
    if role == COMPUTE:
        return compute_links(spec, fabric, design_plan(spec, fabric, catalog), catalog)
    (others,) = sized_others([spec], [fabric], catalog)
    return other_links(role, spec, fabric, others, catalog)


def link_lists(spec: DesignSpec, catalog: Catalog) -> tuple[LinkList, ...]:
    """The links of all fabrics of a design, the compute network first.

    Raises
    ------
    InfeasibleDesign
        As ``link_list``.
    """
    catalog = catalog_of(spec, catalog)
    _, (fabric,) = sized_fabrics([spec], catalog)
    (others,) = sized_others([spec], [fabric], catalog)
    return all_links(spec, fabric, design_plan(spec, fabric, catalog, others), others, catalog)
