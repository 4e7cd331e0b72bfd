"""Max-min fair rates of flows over links: all rise together until a link is full, whose flows stop there, and so on.

Flows that share their paths and their end ports are one class. docs/validation.md says how far the model is from it.
"""

from typing import NamedTuple

import numpy as np

from estimator.units import FloatArray, IntArray

FULL = 1e-9  # of a link's rate: what is left where it counts as full


class Loads(NamedTuple):
    """Where classes of flows load links: entries with the rate of all flows of a class on a link ÷ that of one flow."""

    link: IntArray  # (n_entries,)
    of_class: IntArray
    weight: FloatArray


class Classes(NamedTuple):
    """Classes of flows over links."""

    loads: Loads
    capacity: FloatArray  # (n_links,), in any unit of rate
    n: int


def fair_rates(classes: Classes) -> FloatArray:
    """Rate of one flow of each class, shape (n_classes,), in the unit of the capacities.

    Raises
    ------
    ValueError
        If a class crosses no link, so that nothing bounds its rate.
    """
    link, of_class, weight = classes.loads
    left = classes.capacity.astype(np.float64).copy()
    rates, is_rising = np.zeros(classes.n), np.ones(classes.n, dtype=bool)
    while is_rising.any():
        load = np.bincount(link, weight * is_rising[of_class], minlength=len(left))
        loaded = load > 0
        if not loaded.any():
            raise ValueError("a class of flows crosses no link, so nothing bounds its rate")
        step = float(np.min(left[loaded] / load[loaded]))
        rates[is_rising] += step
        left -= step * load
        full = loaded & (left <= FULL * classes.capacity)
        is_rising &= np.bincount(of_class, full[link], minlength=classes.n) == 0
    return rates
