"""Cables and transceivers of a storage or management network, from the lengths of its design's floor."""

from collections.abc import Sequence

from estimator.cabling.plan import cable_plan
from estimator.cabling.runs import CablePlan
from estimator.catalog.catalog import Catalog
from estimator.fabric.sized import SizedFabric
from estimator.floor.plan import FloorPlan
from estimator.networks.links import other_table
from estimator.networks.sized import OtherSized


def other_plan(
    one: OtherSized,
    compute: SizedFabric,
    others: Sequence[OtherSized],
    catalog: Catalog,
    floor: FloorPlan | None = None,
) -> CablePlan:
    """Cables and transceivers of one network; its link table is made only for lengths set manually or of the design's floor."""
    by_hand = any(entry.fabric == one.key for entry in one.spec.site.set_lengths)
    table = other_table(one, compute, others, catalog) if by_hand or floor else None
    return cable_plan(one.spec, one.fabric, catalog, one.key, table, floor)
