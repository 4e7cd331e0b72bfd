"""An Estimate that was kept as JSON is read back as it was made."""

import json
from pathlib import Path
from typing import Any

import pytest

from estimator.catalog.loader import load_catalog
from estimator.pipeline import ALL_PARTS, estimate
from estimator.result import Estimate, PricedEstimate
from estimator.spec.parse import parse_spec

CATALOG = load_catalog()
GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "by_hand.json").read_text(encoding="utf-8"))["cases"]
ONE_GPU = {"gpu": "h100-sxm", "nodes": 1, "gpus_per_node": 1, "nics_per_node": 1, "nic_ports_per_node": 1}
VARIED: list[dict[str, Any]] = [
    {"compute": {"server": "dgx-h100", "nodes": 1}, "fabric": {"generation": "ndr"}},
    {"compute": {"server": "custom", **ONE_GPU}, "fabric": {"generation": "ndr"}},
    {"compute": {"server": "custom", "nodes": 40, "gpus_per_node": 8}, "fabric": {"generation": "roce-400"}},
    {
        "compute": {"server": "dgx-h100", "nodes": 64},
        "fabric": {"generation": "ndr", "grow_to_nodes": 256},
        "site": {"plan": {}},
    },
    {"compute": {"server": "gb300-tray", "racks": 8}, "fabric": {"generation": "xdr"}},
    {
        "compute": {"server": "dgx-h100", "nodes": 64},
        "fabric": {"generation": "ndr"},
        "other_fabrics": [{"role": "storage"}, {"role": "out-of-band"}],
        "workload": {"calibration": {"name": "Hall 3", "parameters": {"network_efficiency.infiniband": 0.5}}},
    },
]


@pytest.mark.parametrize("request_json", [*(case["inputs"] for case in GOLDEN), *VARIED])
def test_an_estimate_is_read_back_from_its_json(request_json: dict[str, Any]) -> None:
    spec = parse_spec(request_json, CATALOG)
    (made,) = estimate([spec], CATALOG)
    stored = json.dumps(made.as_json())
    read = PricedEstimate.from_json(json.loads(stored))
    assert json.dumps(read.as_json()) == stored
    assert read.but(spec=spec) == PricedEstimate.of(made)


@pytest.mark.parametrize("part", [*ALL_PARTS, "all_reduce", "spares"])
def test_parts_that_were_not_requested_stay_away(part: str) -> None:
    (made,) = estimate([parse_spec(VARIED[3], CATALOG)], CATALOG, (part,))
    stored = json.dumps(made.as_json())
    assert json.dumps(Estimate.from_json(json.loads(stored)).as_json()) == stored
    with pytest.raises(ValueError, match="not requested: "):
        PricedEstimate.of(made)


def test_a_spec_that_today_s_bounds_refuse_is_read_as_it_was() -> None:
    (made,) = estimate([parse_spec(VARIED[-1], CATALOG)], CATALOG)
    stored = json.loads(json.dumps(made.as_json()))
    stored["spec"]["compute"]["nodes"] = 10**9
    stored["spec"]["other_fabrics"][0]["role"] = "a role of before"
    read = PricedEstimate.from_json(stored)
    assert (read.spec.compute.nodes, read.spec.other_fabrics[0].role) == (10**9, "a role of before")
    assert read.spec.fabric == made.spec.fabric
    assert read.spec.workload.calibration == made.spec.workload.calibration
