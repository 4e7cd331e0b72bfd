"""How much is tried: what finds a fault soon by default, and with ``TESTS_THOROUGH=1`` minutes more."""

from __future__ import annotations

import os

THOROUGH = "TESTS_THOROUGH" in os.environ
SHARE = 0.3  # of the examples of a property that are tried by default
FEWEST = 25  # examples that share no draw: fewer would miss what holds for most


def n_examples(thorough: int) -> int:
    """Examples that a property is tried with, of so many where there is time."""
    return thorough if THOROUGH else min(thorough, max(FEWEST, round(thorough * SHARE)))
