"""Parts, prices and parameters from the CSV files of this folder, checked as they are loaded."""

from functools import lru_cache
from pathlib import Path

from estimator.catalog.catalog import Catalog
from estimator.catalog.checks import check
from estimator.catalog.tables import Tables

HERE = Path(__file__).parent


def load_catalog(folder: Path | None = None) -> Catalog:
    """The catalog of a folder of CSV files (default: this one), read and checked once per folder.

    Raises
    ------
    CatalogError
        Names the file, the row and the column of the first thing that is wrong.
    """
    return _load((folder or HERE).resolve())


@lru_cache(maxsize=8)
def _load(folder: Path) -> Catalog:
    tables = Tables(folder)
    catalog = Catalog(tables)
    check(tables, catalog)
    return catalog
