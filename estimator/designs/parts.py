"""The catalog of a design: its own parts and its choice of NICs are in it (docs/own_parts.md)."""

from estimator.catalog.catalog import Catalog
from estimator.spec.design import DesignSpec
from estimator.spec.own.overlay import seen_by


def catalog_of(spec: DesignSpec, catalog: Catalog) -> Catalog:
    """The catalog as this design sees it: the same one where it has no parts of its own and chooses no NIC."""
    return seen_by(spec.own_parts, spec.compute.server, spec.compute.nic, catalog)
