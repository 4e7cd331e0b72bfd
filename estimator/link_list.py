"""A design → the link list of one of its fabrics.

A list is made from the spec alone, so that a file, a page and a later download of the same design agree to the letter.
"""

from estimator.cabling.links import LinkList
from estimator.cabling.plan import cable_plan, link_cabling
from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import COMPUTE
from estimator.designs.networks import design_plan, sized_fabrics, sized_others
from estimator.errors import Problem, SpecError
from estimator.fabric.sized import SizedFabric
from estimator.fabric.topology import link_table, panels_of
from estimator.floor.design import design_floor
from estimator.networks.links import other_table
from estimator.spec.design import DesignSpec, spec_hash
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
    _, (fabric,) = sized_fabrics([spec], catalog)
    if role != COMPUTE:
        return _other_list(spec, catalog, role, fabric)
    table = link_table(fabric, panels_of(spec, fabric, catalog))
    plan = design_plan(spec, fabric, catalog)
    return LinkList(spec, spec_hash(spec), catalog, role, fabric, table, plan, link_cabling(plan, table))


def _other_list(spec: DesignSpec, catalog: Catalog, role: str, compute: SizedFabric) -> LinkList:
    (others,) = sized_others([spec], [compute], catalog)
    one = next(one for one in others if one.key == role)
    table = other_table(one, compute, others, catalog)
    floor = design_floor(spec, link_table(compute, panels_of(spec, compute, catalog)), catalog, others)
    plan = cable_plan(one.spec, one.fabric, catalog, one.key, table, floor)
    # the hash is that of the whole design, which every file of it carries
    return LinkList(one.spec, spec_hash(spec), catalog, role, one.fabric, table, plan, link_cabling(plan, table))
