"""The currency and units that whoever reads a page has chosen: the printers of ``numbers`` ask for them.

Outside pages nothing is chosen: REST and files have US dollars, GB/s and metres by contract.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from estimator.catalog.currency import USD, Rate

SIGNS = {USD: "$", "EUR": "€", "GBP": "£"}  # others are written by their code


@dataclass(frozen=True)
class Chosen:
    """What a page prints amounts, bandwidths and lengths in."""

    rate: Rate | None = None
    """Of the currency; None for US dollars."""
    in_bits: bool = False
    in_feet: bool = False

    @property
    def currency(self) -> str:
        """Code of ISO 4217."""
        return self.rate.currency if self.rate else USD

    @property
    def sign(self) -> str:
        """What stands before an amount."""
        return SIGNS.get(self.currency, f"{self.currency}\N{NO-BREAK SPACE}")

    @property
    def per_usd(self) -> float:
        """Units of the currency for one US dollar."""
        return 1 / self.rate.usd if self.rate else 1.0


USUAL = Chosen()
_ask: ContextVar[Callable[[], Chosen]] = ContextVar("chosen", default=lambda: USUAL)


def chosen() -> Chosen:
    """What is chosen now."""
    return _ask.get()()


@contextmanager
def reading(ask: Callable[[], Chosen]) -> Iterator[None]:
    """What ``ask`` says is chosen meanwhile; it is asked when a number is printed, not before."""
    token = _ask.set(ask)
    try:
        yield
    finally:
        _ask.reset(token)


@contextmanager
def in_usual_units() -> Iterator[None]:
    """Nothing is chosen meanwhile: for files, and for texts that are kept for everybody."""
    with reading(lambda: USUAL):
        yield
