"""The band of a time whose paths were measured with a range: it holds both the model's own and that range."""

from collections.abc import Sequence

import numpy as np

from estimator.units import FloatArray


def banded(time_s: FloatArray, band: FloatArray | float, ends: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray]:
    """(least, most) of times within a factor ``band``, and at ``ends``: the same times on paths at the ends of their ranges."""
    found = np.broadcast_arrays(time_s / band, time_s * band, *ends)
    return np.minimum.reduce(found), np.maximum.reduce(found)
