"""How fast predictions are; run by hand: python3 manage.py test tests/benchmarks.

One design has 6 ms of a processor, of the live preview's 30 ms. A thousand systems × 25 GPU counts × 32 sizes are one
comparison or sweep.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from estimator.catalog.constants import ModelConstants
from estimator.catalog.loader import load_catalog
from estimator.performance.algorithms import collective_terms
from estimator.performance.bandwidth import system_columns
from estimator.performance.collectives import NVLS_SIMPLE, VARIANTS, Terms, fastest, saturation, shown_steps
from estimator.performance.prediction import predict
from estimator.performance.times import design_performance, points_of, predict_times
from estimator.units import FloatArray
from tests.estimator.designs import H100_NODES
from tests.yardstick import in_yardsticks

CATALOG = load_catalog()
SYSTEM = H100_NODES


@pytest.mark.benchmark(timer=time.process_time, min_rounds=30)
@pytest.mark.parametrize("gpus", [1024, 131_072, 1_048_576])
def test_one_design(benchmark: Any, gpus: int) -> None:
    (answer,) = benchmark(design_performance, [SYSTEM], [gpus], CATALOG)
    assert answer.all_reduce.gpus[-1] == gpus
    assert in_yardsticks(benchmark.stats.stats.min) < 0.06


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


def minimum_alone(terms: Terms, sizes: FloatArray) -> FloatArray:
    """The shortest time without saying which variant takes it: what naming the winner is held against."""
    started, filled = saturation(sizes, terms.start_bytes), saturation(sizes, terms.fill_bytes)
    best = np.full((terms.alpha_s.shape[1], sizes.shape[1]), np.inf)
    for variant in np.flatnonzero(np.isfinite(terms.alpha_s).any(axis=1)):
        times = sizes * terms.byte_time_s[variant][:, None]
        times += shown_steps(terms.steps_s[variant][:, None], times, terms.hiding)
        times += filled * terms.fill_s[variant][:, None]
        times += started * terms.start_s[variant][:, None]
        times += terms.alpha_s[variant][:, None]
        np.minimum(best, times, out=best)
    return best


def best_s(run: Callable[[], object], times: int = 3) -> float:
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return min(taken)


def test_a_million_points_with_their_winner() -> None:
    """1,000 systems × 32 GPU counts × 32 sizes: against the minimum alone, against plain Python, and linear in points."""
    constants = ModelConstants(CATALOG)
    systems = [SYSTEM | {"nic_gbit_s": 100 + i % 700} for i in range(1000)]
    counts = np.array([2**p for p in range(3, 19)] * 2)
    columns = system_columns(systems, CATALOG, constants).take(np.repeat(np.arange(1000), len(counts)))
    points = points_of(columns, np.tile(counts, 1000), "process-per-gpu", constants)
    terms = collective_terms(points, constants)
    sizes: FloatArray = 2.0 ** np.arange(3.0, 35.0)[None, :]
    winner_s, alone_s = (best_s(partial(run, terms, sizes)) for run in (fastest, minimum_alone))
    few = 40
    start = time.perf_counter()
    scalar = [
        [taken([scalar_time(terms, v, i, float(size)) for v in range(len(VARIANTS))], terms, size) for size in sizes[0]]
        for i in range(few)
    ]
    scalar_s = (time.perf_counter() - start) * len(points.n_ranks) / few
    found, _ = fastest(terms, sizes)
    np.testing.assert_allclose(found[:few], scalar, rtol=1e-12)
    half = fastest_of_half(terms, sizes)
    print(
        f"{found.size:,} points: winner {winner_s:.3f} s, minimum {alone_s:.3f} s, Python {scalar_s:.1f} s, half {half:.3f} s"
    )
    assert found.size > 1_000_000
    assert winner_s <= 4 * alone_s
    assert scalar_s >= 60 * winner_s
    assert winner_s <= 3 * half


def taken(times: list[float], terms: Terms, size: float) -> float:
    """What the library takes: the shortest, but NVLS from some size on wherever it exists."""
    nvls = times[NVLS_SIMPLE]
    return nvls if size >= terms.nvls_from_bytes and np.isfinite(nvls) else min(times)


def fastest_of_half(terms: Terms, sizes: FloatArray) -> float:
    n = terms.alpha_s.shape[1] // 2
    names = ("alpha_s", "steps_s", "start_s", "fill_s", "byte_time_s", "limit", "most_bytes")
    columns: Any = {name: np.ascontiguousarray(getattr(terms, name)[:, :n]) for name in names}
    return best_s(partial(fastest, replace(terms, **columns), sizes))


def scalar_time(terms: Terms, variant: int, point: int, size: float) -> float:
    if terms.most_bytes is not None and size > terms.most_bytes[variant, point]:
        return float("inf")
    alpha, steps, start, fill, per_byte = (
        float(getattr(terms, name)[variant, point])
        for name in ("alpha_s", "steps_s", "start_s", "fill_s", "byte_time_s")
    )
    bytes_s = size * per_byte
    shown = steps * (terms.hiding * steps / (terms.hiding * steps + bytes_s))
    return alpha + shown + start * size / (size + terms.start_bytes) + fill * size / (size + terms.fill_bytes) + bytes_s
