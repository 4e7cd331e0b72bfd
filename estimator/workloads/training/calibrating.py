"""A stack's own factor from a few measured steps: their common share, and no more of it than they agree on."""

import numpy as np

from estimator.units import FloatArray

STACK_SPREAD = 0.12  # ln: how far stacks are from what is assumed of them
LEAST_SCATTER = 0.03  # ln: of one stack's rows, also where few of them happen to agree


def common_ln(off: FloatArray) -> float:
    """What measured ÷ predicted has in common, in ln.

    The median of ``off``, held back the more the rows scatter and the fewer they are: rows that disagree say more of their
    models than of the stack.
    """
    scatter = max(float(np.std(off)), LEAST_SCATTER)
    return float(np.median(off)) * STACK_SPREAD**2 / (STACK_SPREAD**2 + scatter**2 / len(off))
