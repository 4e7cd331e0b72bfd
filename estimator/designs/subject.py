"""A sized design, as what proposals are looked for."""

from typing import NamedTuple

from estimator.catalog.catalog import Catalog
from estimator.fabric.columns import Sizing
from estimator.fabric.sized import SizedFabric
from estimator.spec.design import DesignSpec


class Subject(NamedTuple):
    """Design number ``i`` of a sized batch."""

    spec: DesignSpec
    sizing: Sizing
    i: int
    fabric: SizedFabric
    catalog: Catalog
