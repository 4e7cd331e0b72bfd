"""The bandwidth of a link out of what ib_write_bw and its like print (calibration/paths/perftest.py)."""

from estimator.bringup.acceptance.readers.reading import Measured
from estimator.calibration.paths.perftest import is_perftest, rows_of
from estimator.errors import Problem, SpecError

MOST_GBIT_S = 1e6
__all__ = ["is_perftest", "read"]


def read(name: str, text: str) -> Measured:
    """The average bandwidth of the largest messages. [Gb/s]

    Raises
    ------
    SpecError
        If no row can be used.
    """
    rows = [row for row in rows_of(text) if row.test.measure == "bandwidth" and row.value < MOST_GBIT_S]
    if not rows:
        message = f"{name}: no row of ib_write_bw with an average bandwidth. Give what the client printed."
        raise SpecError([Problem("results", "no_rows", message)])
    size, value = max((row.message_bytes, row.value) for row in rows)
    return Measured("link", value, size)
