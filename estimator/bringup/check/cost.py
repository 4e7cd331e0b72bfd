"""What a fault costs, as far as the performance model knows: bus bandwidth of one all-reduce over all GPUs."""

from typing import NamedTuple

from estimator.bringup.check.result import FaultCost
from estimator.catalog.catalog import Catalog
from estimator.errors import EstimatorError
from estimator.performance.prediction import predict
from estimator.performance.result import BuiltSystem

MESSAGE_BYTES = 2**34
FIGURE = "all_reduce_busbw_gb_s"
Change = tuple[tuple[str, object], ...]


class _Busbw(NamedTuple):
    """A prediction with its band. [GB/s]"""

    low: float
    typical: float
    high: float


class Costs:
    """Predicts the design as it is built and with a change, each once. ``system`` is None where nothing can be predicted."""

    def __init__(self, system: BuiltSystem | None, n_gpus: int, catalog: Catalog) -> None:
        self._system, self._n_gpus, self._catalog = system, n_gpus, catalog
        self._known: dict[Change, _Busbw | None] = {}

    def of(self, change: Change) -> FaultCost | None:
        """The figure without and with a fault; None where the model does not say, or sees no difference."""
        if not change or self._system is None:
            return None
        before, after = self._busbw(()), self._busbw(change)
        if before is None or after is None or after.typical >= before.typical:
            return None
        return FaultCost(
            figure=FIGURE,
            from_=round(before.typical, 1),
            to=round(after.typical, 1),
            from_low=round(before.low, 1),
            from_high=round(before.high, 1),
            to_low=round(after.low, 1),
            to_high=round(after.high, 1),
        )

    def _busbw(self, change: Change) -> _Busbw | None:
        if change not in self._known:
            self._known[change] = self._predicted(change)
        return self._known[change]

    def _predicted(self, change: Change) -> _Busbw | None:
        if self._system is None or self._system.gpu is None:
            return None
        system = {**self._system.as_request(), **dict(change)}
        request = {"system": system, "gpus": [self._n_gpus], "message_bytes": [MESSAGE_BYTES]}
        try:
            (row,) = predict(request, self._catalog)["rows"]
        except EstimatorError:
            return None  # the model has no such system: the finding stands without a figure
        busbw, time_us = float(row["busbw_gb_s"]), float(row["time_us"])
        low, high = (busbw * time_us / float(row[f"time_us_{end}"]) for end in ("high", "low"))
        return _Busbw(low, busbw, high)
