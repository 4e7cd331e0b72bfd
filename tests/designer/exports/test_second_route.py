"""Files of random designs, counted a second time: a few here, a thousand by ``python -m tests.designer.second_route_exports``."""

from typing import Any

import pytest
from hypothesis import given, settings

from estimator.errors import EstimatorError
from tests.designer.second_route_exports import all_routes
from tests.estimator.random_designs import requests
from tests.thorough import n_examples


@settings(max_examples=n_examples(4), deadline=None)
@given(requests())
def test_files_of_random_designs_say_what_the_estimate_says(request: dict[str, Any]) -> None:
    try:
        found = all_routes(request)
    except EstimatorError:
        return  # no such design; other tests say why
    assert not found


@pytest.mark.parametrize(
    "request_",
    [
        {
            "compute": {"server": "dgx-h200", "nodes": 3},
            "fabric": {"generation": "ndr", "layout": "rail-only", "tiers": 3, "leaf_downlinks": 1, "pod_nodes": 1},
        },
        {"compute": {"server": "hgx-h100-8u", "nodes": 7}, "fabric": {"generation": "ndr"}},
        {
            "compute": {"server": "gb200-tray", "nodes": 18},
            "fabric": {"generation": "ndr"},
            "other_fabrics": [{"role": "storage"}],
            "economics": {"years": 15, "facility": "own-building", "staff": True, "spares": {"switches": 0.1}},
        },
        {
            "compute": {"server": "mi355x-4u-lc", "nodes": 2},
            "fabric": {"generation": "roce-400", "oversubscription": "2:1", "leaf_switch": "arista-7060x6-64pe"},
            "site": {"leaf_spine_m": 3.0, "node_leaf_m": 1.0},
            "economics": {
                "spares": {"switches": 0.02, "nics": 0.0, "optics": 0.0, "cables": 0.0},
                "price_book": "anchors",
                "network_licences": False,
                "sales_tax": 0.0,
                "staff": False,
                "gpu_licences": True,
                "design_labour": True,
                "warranty_years": 0,
                "years": 15,
                "volume_discount": 0.03,
                "facility": "existing",
            },
        },
    ],
)
def test_every_file_is_read_back(request_: dict[str, Any]) -> None:
    """Rails that share no core, half a cent a GPU, trays of a rack with a second network, a sum that ends in half a dollar."""
    assert not all_routes(request_, is_slow=True)
