"""Placements of a served model a second, on one core: enumerated, their memory, times and throughput. Run by hand.

500,000 a second is the goal, features included.
"""

import time
from typing import Any

import numpy as np
import pytest

from estimator.catalog.constants import ModelConstants
from estimator.catalog.loader import load_catalog
from estimator.workloads.models.catalog import catalog_models
from estimator.workloads.models.columns import shape_columns
from estimator.workloads.paths.inside import inside_node
from estimator.workloads.serving.cases import Load, Software, columns_of
from estimator.workloads.serving.collectives import Fabric
from estimator.workloads.serving.constants import serving_constants
from estimator.workloads.serving.search import Target, as_layouts, layouts_within, searched

LEAST_PER_S = 500_000
MOST_GPUS = 1024


@pytest.mark.parametrize("model", ["llama3-405b", "deepseek-v3"])
def test_half_a_million_placements_a_second(benchmark: Any, model: str) -> None:
    catalog, shape = load_catalog(), catalog_models()[model].shape
    network = ModelConstants(catalog)
    inside = inside_node({"gpu": "h200-sxm"}, catalog, network)
    fabric = Fabric.of(inside, inside.times(catalog, network))
    rows = layouts_within(shape, MOST_GPUS)
    one = np.ones(1)
    case = columns_of(
        shape_columns([shape]),
        [catalog.gpus["h200-sxm"]],
        [Software("h200-sxm", "fp8", "vllm")],
        as_layouts(rows[:1]),
        Load(one, 1024 * one, 1024 * one, one),
        serving_constants(),
    )
    loads = np.exp2(np.arange(64) / 6)

    def search() -> int:
        return int(searched(case, layouts_within(shape, MOST_GPUS), loads, None, Target(), fabric).tpot_s.size)

    search()  # tables of groups are made once for a system
    n_placements = benchmark(search)
    start = time.process_time()
    search()
    assert n_placements / (time.process_time() - start) > LEAST_PER_S
