"""How long the catalog takes to load and check, and a design to be cabled, billed and costed. Run by hand."""

from typing import Any

from estimator.bom.bill import bill_of_materials
from estimator.catalog.catalog import Catalog
from estimator.catalog.checks import check
from estimator.catalog.loader import HERE, load_catalog
from estimator.catalog.tables import Tables
from estimator.cost.cost import cost_of
from estimator.designs.networks import design_plan
from tests.estimator.designs import superpod_h100


def test_catalog_loads(benchmark: Any) -> None:
    def load() -> None:
        tables = Tables(HERE)
        check(tables, Catalog(tables))

    benchmark(load)


def test_superpod_is_billed(benchmark: Any) -> None:
    catalog = load_catalog()
    made = superpod_h100(catalog)

    def bill() -> None:
        plan = design_plan(made.spec, made.fabric, catalog)
        bom = bill_of_materials(made.spec, made.fabric, plan, catalog)
        bom.shown().as_json()
        cost_of(made.spec, made.fabric, bom, catalog)

    benchmark(bill)
