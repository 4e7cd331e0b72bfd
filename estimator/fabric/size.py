"""Specs → counts of their compute networks: what a spec leaves open is chosen, and the whole is sized."""

from collections.abc import Sequence

from estimator.catalog.catalog import Catalog
from estimator.fabric.first_pods import with_first_pods
from estimator.fabric.sizing import Sizing, asked_columns, sized_columns
from estimator.spec import DesignSpec


def size(specs: Sequence[DesignSpec], catalog: Catalog) -> Sizing:
    """Size the compute network of every spec; what a spec leaves open is chosen (automatic.py, first_pods.py). [counts]"""
    return sized_columns(with_first_pods(asked_columns(specs, catalog)))
