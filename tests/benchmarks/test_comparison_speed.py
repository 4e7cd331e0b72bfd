"""How fast eight designs are compared, estimates included. Run by hand: python3 manage.py test tests/benchmarks."""

from typing import Any

import pytest

from estimator.catalog.loader import load_catalog
from estimator.compare.comparison import compare_request
from estimator.compare.request import MOST
from tests.yardstick import in_yardsticks

CATALOG = load_catalog()
BUDGET = 20  # yardsticks, about two seconds
RATIOS = ("1:1", "4:3", "2:1", "3:1")


def designs(gpus: int) -> list[dict[str, Any]]:
    """Eight designs of as many GPUs: two generations at four ratios, each with a storage network."""
    return [
        {
            "spec": {
                "name": f"{generation} {ratio}",
                "compute": {"server": "dgx-b300", "gpus": gpus},
                "fabric": {"generation": generation, "oversubscription": ratio},
                "other_fabrics": [{"role": "storage"}] if gpus <= 1024 else [],
            }
        }
        for generation in ("roce-400", "roce-800" if gpus <= 1024 else "xdr")
        for ratio in RATIOS
    ]


@pytest.mark.parametrize("gpus", [1_024, 131_072])
def test_eight_designs_are_compared(benchmark: Any, gpus: int) -> None:
    items = designs(gpus)
    answer = benchmark(compare_request, {"items": items}, CATALOG)
    assert len(answer.items) == MOST
    assert answer.items[0].gpus == gpus
    assert in_yardsticks(benchmark.stats["median"]) < BUDGET
