"""What readers of several tools share: cells of their tables."""

from math import isfinite


def figure(word: str) -> float | None:
    """A bandwidth; None for N/A, and for 0, which some versions print where nothing is copied."""
    try:
        value = float(word)
    except ValueError:
        return None
    return value if isfinite(value) and value > 0 else None
