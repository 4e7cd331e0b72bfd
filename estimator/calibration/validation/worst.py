"""The core runs that predictions miss most, and why that may be."""

from collections.abc import Sequence

import numpy as np

from estimator.calibration.bands import is_run_uncertain
from estimator.calibration.held_out import Compared
from estimator.calibration.measured import Run, size_class, sources
from estimator.catalog.constants import ModelConstants
from estimator.record import Record

N_WORST = 10


class WorstPoint(Record):
    """The point of a run that the prediction misses most; ``error`` is ln(predicted ÷ measured)."""

    run: str
    collective: str
    gpus: int
    message_bytes: int
    measured_us: float
    predicted_us: float
    error: float
    source: str
    reason: str


def worst_points(compared: Sequence[Compared], constants: ModelConstants) -> list[WorstPoint]:
    """One a run, of the runs that are missed most."""
    worst = sorted(compared, key=lambda item: -float(np.max(np.abs(item.error))))[:N_WORST]
    return [_worst_point(item, constants) for item in worst]


def _worst_point(item: Compared, constants: ModelConstants) -> WorstPoint:
    at = int(np.argmax(np.abs(item.error)))
    return WorstPoint(
        run=item.run.name,
        collective=item.run.collective,
        gpus=item.run.gpus,
        message_bytes=item.run.message_bytes[at],
        measured_us=item.run.time_us[at],
        predicted_us=float(item.predicted_us[at]),
        error=float(item.error[at]),
        source=str(sources()[item.run.source]),
        reason=reason(item.run, item.run.message_bytes[at], float(item.error[at]), constants),
    )


def reason(run: Run, message_bytes: int, error: float, constants: ModelConstants) -> str:
    """Why a run may lie far from its prediction, as far as its kind, its size and its library say."""
    kind = size_class(message_bytes)
    if run.collective == "sendrecv":
        return "channels of a pair open by size, and by library and settings over a network"
    if is_run_uncertain(run, constants):
        return "a ring ran where a tree is predicted, or the reverse: the band has both"
    if run.fabric == "efa":
        return "EFA's plugin and its version"
    if kind == "small":
        return "floor of the site's hosts and launcher" if error < 0 else "a site with less of a floor than most"
    if kind == "mid":
        return "the library changes algorithm and protocol about this size"
    return "not known; the band is to leave one in ten outside"
