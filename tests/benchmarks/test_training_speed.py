"""Valid layouts of a training job a second, on one core: enumerated, their memory and traffic, and their time. Run by hand.

500,000 a second of the processor's own time is the goal, features included; what a layout cannot be does not count.
"""

import statistics
import time
from typing import Any

import pytest

from estimator.catalog.constants import ModelConstants
from estimator.catalog.loader import load_catalog
from estimator.workloads.models.catalog import catalog_models
from estimator.workloads.paths.groups import GroupTimes
from estimator.workloads.training.constants import training_constants
from estimator.workloads.training.runs import Run, full_system, machine_of
from estimator.workloads.training.search import MEMORY, Asked, best_layouts

LEAST_PER_S = 500_000
ROUNDS = 7


@pytest.mark.parametrize("model", ["llama3-405b", "deepseek-v3"])
def test_half_a_million_layouts_a_second(benchmark: Any, model: str) -> None:
    catalog = load_catalog()
    network = ModelConstants(catalog)
    system = full_system({"gpu": "h100-sxm", "fabric": "infiniband"}, catalog, network)
    shape = catalog_models()[model].shape
    run = Run(system=system, shape=shape, layout={}, precision="fp8", framework="megatron-bridge", model=model)
    asked = Asked(shape, machine_of(run, catalog), 2_048, 2_048, 8_192, {})
    times = GroupTimes(system, catalog, network)
    constants = training_constants()
    best_layouts(asked, times, constants, 10)  # tables of groups are made once for a system
    found = benchmark(best_layouts, asked, times, constants, 10)
    n_valid = found.looked_at - sum(n for reason, n in found.refused.items() if reason != MEMORY)
    took_s = []
    for _ in range(ROUNDS):
        start = time.process_time()
        best_layouts(asked, times, constants, 10)
        took_s.append(time.process_time() - start)
    assert n_valid / statistics.median(took_s) > LEAST_PER_S
