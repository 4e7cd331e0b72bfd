"""Cells of tables that tools print."""

from math import isfinite


def figure(word: str) -> float | None:
    """A rate or time; None for N/A, and for 0, which some versions print where nothing was measured."""
    try:
        value = float(word)
    except ValueError:
        return None
    return value if isfinite(value) and value > 0 else None
