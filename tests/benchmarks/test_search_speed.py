"""How many candidates a search looks at in a second, with counts, purchase, power and bandwidth of each.

Run by hand: python3 manage.py test tests/benchmarks.
"""

import time
from typing import Any

import pytest

from estimator.catalog.loader import load_catalog
from estimator.pipeline import estimate
from estimator.search.search import search

LEAST_PER_S = 20_000  # of a second of one core
CATALOG = load_catalog()
REQUESTS: dict[str, Any] = {
    "ratios and spines": {
        "compute": {"server": "dgx-h100", "nodes": {"from": 16, "to": 256, "step": 2}},
        "fabric": {
            "generation": "ndr",
            "oversubscription": ["1:1", "4:3", "3:2", "2:1", "3:1", "4:1"],
            "least_spines": {"from": 1, "to": 24},
        },
    },
    "splits of ports": {
        "compute": {"server": "hgx-h200-8u", "nodes": {"from": 32, "to": 128, "step": 16}},
        "fabric": {
            "generation": "roce-400",
            "leaf_downlinks": {"from": 8, "to": 60},
            "leaf_uplinks": {"from": 4, "to": 52},
        },
    },
}


@pytest.mark.parametrize("name", REQUESTS)
def test_twenty_thousand_candidates_a_second(benchmark: Any, name: str) -> None:
    request = {"base": REQUESTS[name], "pareto": ["network_usd", "all_to_all_gb_s"], "top": 20}

    def found() -> int:
        return search(request, CATALOG, estimate).looked_at

    n = benchmark(found)
    start = time.process_time()
    found()
    assert n > 15_000
    assert n / (time.process_time() - start) > LEAST_PER_S
