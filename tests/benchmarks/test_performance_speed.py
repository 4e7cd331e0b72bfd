"""How fast predictions are; run by hand: python3 manage.py test tests/benchmarks.

One design has 6 ms of the live preview's 30 ms. A thousand systems × 25 GPU counts × 32 sizes are one comparison or sweep.
"""

from typing import Any

import numpy as np
import pytest

from estimator.bandwidth import system_columns
from estimator.catalog.loader import load_catalog
from estimator.model_constants import ModelConstants
from estimator.performance import design_performance, points_of, predict_times
from estimator.prediction import predict
from estimator.units import FloatArray
from tests.estimator.designs import H100_NODES

CATALOG = load_catalog()
SYSTEM = H100_NODES


@pytest.mark.parametrize("gpus", [1024, 131_072, 1_048_576])
def test_one_design(benchmark: Any, gpus: int) -> None:
    (answer,) = benchmark(design_performance, [SYSTEM], [gpus], CATALOG)
    assert answer["all_reduce"]["gpus"][-1] == gpus
    assert benchmark.stats.stats.median < 0.006


def test_one_request(benchmark: Any) -> None:
    request = {"system": SYSTEM, "gpus": [8, 16, 1024], "message_bytes": [2**p for p in range(3, 35)]}
    assert len(benchmark(predict, request, CATALOG)["rows"]) == 96


def test_a_thousand_systems(benchmark: Any) -> None:
    systems = [
        SYSTEM | {"nic_gbit_s": 100 + i % 700, "gpu": ("h100-sxm", "b200-sxm", "a100-80-sxm")[i % 3]}
        for i in range(1000)
    ]
    counts = np.array([2**p for p in range(3, 20)] + [72, 1016, 2000, 3000, 5000, 7000, 9000, 12000])
    sizes: FloatArray = 2.0 ** np.arange(3.0, 35.0)[None, :]

    def sweep() -> Any:
        constants = ModelConstants(CATALOG)
        columns = system_columns(systems, CATALOG, constants).take(np.repeat(np.arange(1000), len(counts)))
        points = points_of(columns, np.tile(counts, 1000), "process-per-gpu", constants)
        return predict_times(points, sizes, constants)

    times = benchmark.pedantic(sweep, rounds=3, iterations=1)
    assert times.time_s.shape == (25_000, 32)
