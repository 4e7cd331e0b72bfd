"""A measured small-message time, or a stack that is known by one: how much longer than usual short messages take there.

Floors of identical machines differ by half to twice, by host, launcher and plugin, which nothing in a design says. One
measured time says it: every latency of the model is multiplied by what that time is over the prediction of it.
"""

import numpy as np

from estimator.catalog.constants import ModelConstants
from estimator.performance.algorithms import collective_terms
from estimator.performance.bandwidth import Points, points_of
from estimator.performance.collectives import fastest
from estimator.units import FloatArray

SHORT_BYTES: FloatArray = np.array([[8.0]])


def floor_ratios(
    points: Points,
    constants: ModelConstants,
    collective: str,
    algorithm: str | None = None,
    protocol: str | None = None,
) -> FloatArray | None:
    """Measured ÷ predicted time of a short message of ``collective``, shape (n_points,); 1 where nothing is known of it.

    A measured time wins over what a stack is known by. None where neither is known at any point, so that predictions
    without one cost nothing more.
    """
    columns = points.columns
    if not columns.has_known_floor.any():
        return None
    of_stack = np.where(np.isfinite(columns.stack_factor), columns.stack_factor, 1.0)
    is_measured = np.isfinite(columns.small_message_s)
    if not is_measured.any():
        return of_stack
    there = points_of(columns, columns.small_message_ranks, points.launch, constants)
    terms = collective_terms(there, constants, collective, algorithm, protocol)
    predicted_s = fastest(terms, SHORT_BYTES)[0][:, 0]
    usable = is_measured & np.isfinite(predicted_s) & (predicted_s > 0)
    return np.where(usable, columns.small_message_s / np.where(usable, predicted_s, 1.0), of_stack)
