"""Found designs over draws of prices: how often each is the best, how often on the front, and what its choice costs more.

Prices and parameters are those of cost/uncertainty.py, from the same seed for all designs: a part that costs more in a draw
does so in every design that has it, so that designs are compared at the same prices.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.cost.inputs import Priced
from estimator.cost.result import Likely
from estimator.cost.uncertainty import HEADLINE_PERCENTILES, SEED, draw, draw_purchase, percentiles
from estimator.search.figures import FIGURES, MILLIONS_AN_HOUR
from estimator.search.result import Chance, Draws
from estimator.units import CENTS_PER_USD, BoolArray, FloatArray

DRAWS = 2_000  # of the 10,000 of a cost the first: a share is known to two hundredths
MOST_DRAWN = 24  # designs
MOST_DRAWN_ALONE = 8  # where some have a floor plan or other networks, which take a hundred times as long
SURE = 0.95
_PURCHASE, _NETWORK, _TOTAL, _HOUR = "purchase", "network", "total", "per_gpu_hour"
_AMOUNTS = {  # figure → the amount that is drawn, and the figure that it is divided by
    "network_usd": (_NETWORK, ""),
    "capex_usd": (_PURCHASE, ""),
    "tco_usd": (_TOTAL, ""),
    "usd_per_gpu": (_PURCHASE, "gpus"),
    "network_usd_per_gpu": (_NETWORK, "gpus"),
    "usd_per_gpu_hour": (_HOUR, ""),
    "usd_per_gb_s": (_PURCHASE, "all_reduce_gb_s"),
    "network_usd_per_gb_s": (_NETWORK, "all_reduce_gb_s"),
    "usd_per_million_tokens": (_HOUR, "tokens_per_s_per_gpu"),
}


_TIMES = {"tokens_per_s_per_gpu": MILLIONS_AN_HOUR}
DIVISORS = ("gpus", "all_reduce_gb_s", "tokens_per_s_per_gpu")


def figure_drawn(names: Sequence[str]) -> str | None:
    """The first figure of money among some; None where there is none."""
    return next((name for name in names if FIGURES[name].is_money), None)


@dataclass(frozen=True)
class DrawnDesigns:
    """A figure of some designs in every draw, shape (n_designs, DRAWS), and of the present one, shape (DRAWS,). [USD]

    ``rows`` are the designs by their number among candidates; those that it does not have were not drawn.
    """

    figure: str
    rows: list[int]
    values: FloatArray
    own: FloatArray | None

    def shown(self) -> Draws:
        """What was drawn, as it is answered."""
        return Draws(figure=self.figure, n=DRAWS, seed=SEED, designs=len(self.rows))

    @property
    def excess(self) -> FloatArray:
        """How much more each has than the best of the draw, shape (n_designs, DRAWS)."""
        return self.values - self.values.min(axis=0)

    def chances(self, others: FloatArray | None) -> list[Chance]:
        """Of each design; ``others``, shape (n_designs, m), are the other figures of the front, less is better."""
        excess = self.excess
        wins = (excess == 0).mean(axis=1)
        front = None if others is None else self._on_front(others)
        return [
            Chance(
                wins=_share(wins[at]),
                on_front=None if front is None else _share(front[at]),
                regret=_likely(excess[at], self.figure),
            )
            for at in range(len(self.values))
        ]

    def _on_front(self, others: FloatArray) -> FloatArray:
        """Share of draws in which no other design is as good in every figure and better in one."""
        dominated: BoolArray = np.zeros_like(self.values, dtype=np.bool_)
        for other in range(len(self.values)):
            no_worse = (others[other] <= others).all(axis=1)[:, None] & (self.values[other] <= self.values)
            better = (others[other] < others).any(axis=1)[:, None] | (self.values[other] < self.values)
            dominated |= no_worse & better
        return 1.0 - dominated.mean(axis=1)

    def is_told_apart(self, one: int, other: int) -> bool:
        """Whether one of two designs is better in SURE of the draws, or was not drawn."""
        if one == other:
            return False
        if one not in self.rows or other not in self.rows:
            return True
        first, second = (self.values[self.rows.index(row)] for row in (one, other))
        return max(float((first < second).mean()), float((second < first).mean())) >= SURE

    def share_below_own(self, row: int) -> float | None:
        """Share of draws in which a design is better than the present one; None where either was not drawn."""
        if self.own is None or row not in self.rows:
            return None
        return _share((self.values[self.rows.index(row)] < self.own).mean())


def drawn_designs(
    rows: Sequence[int],
    designs: Sequence[Priced],
    own: Priced | None,
    figure: str,
    known: Mapping[str, FloatArray],
    catalog: Catalog,
) -> DrawnDesigns:
    """A figure of money of some designs in every draw.

    Parameters
    ----------
    rows, designs : the designs, by their number among candidates, ready to be costed.
    own : the present design, where there is one.
    known : by figure of DIVISORS, shape (n_designs,), the present design last
        What amounts are divided by.
    """
    amount, per = _AMOUNTS[figure]
    every = (*designs, *([own] if own else ()))
    values = np.stack([_amount(one, amount, catalog) for one in every]) / CENTS_PER_USD
    values = values / (known[per] * _TIMES.get(per, 1))[:, None] if per else values
    return DrawnDesigns(figure, list(rows), values[: len(designs)], values[-1] if own else None)


def _amount(priced: Priced, amount: str, catalog: Catalog) -> FloatArray:
    """One amount in every draw; what a purchase comes to needs no cost over years. [cents]"""
    if amount in (_PURCHASE, _NETWORK):
        purchase, network = draw_purchase(priced, catalog, DRAWS, SEED)
        return purchase if amount == _PURCHASE else network
    drawn = draw(priced, catalog, DRAWS, SEED)
    return drawn.total if amount == _TOTAL else drawn.per_gpu_hour


def _share(value: float) -> float:
    """A share as it is answered: a draw counts 1 in DRAWS."""
    return round(float(value), 4)


def _likely(values: FloatArray, figure: str) -> Likely:
    digits = 4 if figure in ("usd_per_gpu_hour", "usd_per_million_tokens") else 2
    p5, p50, p95 = (round(value, digits) for value in percentiles(values, HEADLINE_PERCENTILES).tolist())
    return Likely(p5=p5, p50=p50, p95=p95)
