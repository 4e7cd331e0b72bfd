"""Max-min fair rates of flows over links: all rise together until a link is full, whose flows stop there, and so on.

Flows that share their paths and their end ports are one class. docs/validation.md says how far the model is from it.
"""

from typing import NamedTuple

import numpy as np

from estimator.units import FloatArray, IntArray

FULL = 1e-9  # of a level: links that fill within it of each other are full together


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

    Each link knows the rate that still rises on it and the rate that has stopped, so that a step costs the links and what
    stops at it; memory is that of the entries.

    Raises
    ------
    ValueError
        If a class crosses no link, so that nothing bounds its rate.
    """
    from scipy.sparse import csc_array  # for a fast start: scipy takes long to load

    link, of_class, weight = classes.loads
    shape = len(classes.capacity), classes.n
    of_links = csc_array((weight, (link, of_class)), shape=shape)
    by_link = of_links.tocsr()
    load = of_links.sum(axis=1)
    rising_on = np.diff(by_link.indptr)  # entries, a count: it ends at 0 whatever sums of weights are rounded to
    stopped = np.zeros(shape[0])
    rates, is_rising = np.zeros(shape[1]), np.ones(shape[1], dtype=bool)
    while is_rising.any():
        full, level = next_full(classes.capacity - stopped, np.where(rising_on > 0, load, 0.0))
        crossing = np.unique(by_link[full].indices)
        now = crossing[is_rising[crossing]]
        rates[now], is_rising[now] = level, False
        ended = of_links[:, now]
        taken = ended.sum(axis=1)
        load -= taken
        stopped += level * taken
        rising_on -= np.bincount(ended.indices, minlength=shape[0])
    return rates


def next_full(left: FloatArray, load: FloatArray) -> tuple[IntArray, float]:
    """(links that are full next, rate of a flow that still rises there); ``left`` is what stopped flows leave of each.

    Raises
    ------
    ValueError
        If no link has a load, so that nothing bounds what rises.
    """
    loaded = np.flatnonzero(load > 0)
    if not len(loaded):
        raise ValueError("a class of flows crosses no link, so nothing bounds its rate")
    levels = left[loaded] / load[loaded]
    level = float(levels.min())
    return loaded[levels <= level * (1 + FULL)], level
