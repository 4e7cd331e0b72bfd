"""One network of a design that is sized → its links, with names, port labels and cables."""

from collections.abc import Sequence

from estimator.cabling.links import LinkList
from estimator.cabling.plan import cable_plan, link_cabling
from estimator.cabling.runs import CablePlan
from estimator.catalog.catalog import Catalog
from estimator.catalog.ports import COMPUTE
from estimator.fabric.sized import SizedFabric
from estimator.fabric.topology import link_table, panels_of
from estimator.networks.sized import OtherSized
from estimator.spec.design import DesignSpec, spec_hash


def compute_links(spec: DesignSpec, fabric: SizedFabric, plan: CablePlan, catalog: Catalog) -> LinkList:
    """The links of the compute network, whose cables are planned."""
    table = link_table(fabric, panels_of(spec, fabric, catalog))
    return LinkList(spec, spec_hash(spec), catalog, COMPUTE, fabric, table, plan, link_cabling(plan, table))


def other_links(
    key: str, spec: DesignSpec, compute: SizedFabric, others: Sequence[OtherSized], catalog: Catalog
) -> LinkList:
    """The links of one network beside compute, by its key in the Estimate."""
    from estimator.floor.design import design_floor  # for a fast start: few designs have other networks
    from estimator.networks.links import other_table

    one = next(one for one in others if one.key == key)
    table = other_table(one, compute, others, catalog)
    floor = design_floor(spec, link_table(compute, panels_of(spec, compute, catalog)), catalog, others)
    plan = cable_plan(one.spec, one.fabric, catalog, one.key, table, floor)
    # the hash is that of the whole design, which every file of it carries
    return LinkList(one.spec, spec_hash(spec), catalog, key, one.fabric, table, plan, link_cabling(plan, table))


def all_links(
    spec: DesignSpec, fabric: SizedFabric, plan: CablePlan, others: Sequence[OtherSized], catalog: Catalog
) -> tuple[LinkList, ...]:
    """The links of every network of a design, the compute network first, whose cables are ``plan``."""
    beside = (other_links(one.key, spec, fabric, others, catalog) for one in others)
    return (compute_links(spec, fabric, plan, catalog), *beside)
