"""What a fault costs, as far as the performance model knows: bus bandwidth of one all-reduce over all GPUs."""

from estimator.bringup.check.result import Cost
from estimator.catalog.catalog import Catalog
from estimator.errors import EstimatorError
from estimator.performance.prediction import predict
from estimator.performance.result import BuiltSystem

MESSAGE_BYTES = 2**34
FIGURE = "all_reduce_busbw_gb_s"
Change = tuple[tuple[str, object], ...]


class Costs:
    """Predicts the design as it is built and with a change, each once. ``system`` is None where nothing can be predicted."""

    def __init__(self, system: BuiltSystem | None, n_gpus: int, catalog: Catalog) -> None:
        self._system, self._n_gpus, self._catalog = system, n_gpus, catalog
        self._known: dict[Change, float | None] = {}

    def of(self, change: Change) -> Cost | None:
        """The figure without and with a fault; None where the model does not say, or sees no difference."""
        if not change or self._system is None:
            return None
        before, after = self._busbw(()), self._busbw(change)
        if before is None or after is None or after >= before:
            return None
        return Cost(figure=FIGURE, from_=round(before, 1), to=round(after, 1))

    def _busbw(self, change: Change) -> float | None:
        if change not in self._known:
            self._known[change] = self._predicted(change)
        return self._known[change]

    def _predicted(self, change: Change) -> float | None:
        if self._system is None or self._system.gpu is None:
            return None
        system = {**self._system.as_request(), **dict(change)}
        request = {"system": system, "gpus": [self._n_gpus], "message_bytes": [MESSAGE_BYTES]}
        try:
            (row,) = predict(request, self._catalog)["rows"]
        except EstimatorError:
            return None  # the model has no such system: the finding stands without a figure
        return float(row["busbw_gb_s"])
