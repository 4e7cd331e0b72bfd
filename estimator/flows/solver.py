"""Max-min fair rates of flows over links: all rise together until a link is full, whose flows stop there, and so on.

Flows that share their paths and their end ports are one class. docs/flows.md says what a flow is and how it is spread.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from estimator.units import FloatArray

FULL = 1e-9  # of a link's rate: what is left where it counts as full


class Classes(NamedTuple):
    """Classes of flows over links; all arrays are floats."""

    on_links: sparse.csr_array
    """Shape (n_links, n_classes): the rate of all flows of a class on a link ÷ the rate of one flow."""
    capacity: FloatArray
    """Shape (n_links,), in any unit of rate."""


def fair_rates(classes: Classes) -> FloatArray:
    """Rate of one flow of each class, shape (n_classes,), in the unit of the capacities.

    Every class must cross a link of finite capacity.
    """
    on_links, left = classes.on_links, classes.capacity.astype(np.float64).copy()
    rates = np.zeros(on_links.shape[1])
    is_rising = np.ones(on_links.shape[1], dtype=bool)
    while is_rising.any():
        load = on_links @ is_rising.astype(np.float64)
        loaded = load > 0
        if not loaded.any():
            raise ValueError("a class of flows crosses no link, so nothing bounds its rate")
        step = float(np.min(left[loaded] / load[loaded]))
        rates[is_rising] += step
        left -= step * load
        full = loaded & (left <= FULL * classes.capacity)
        is_rising &= ~((on_links.T @ full.astype(np.float64)) > 0)
    return rates
