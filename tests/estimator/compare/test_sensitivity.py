"""What one step more buys: each variant is the design with that change, estimated like any other."""

import json
from typing import Any

import pytest

from estimator.catalog.loader import load_catalog
from estimator.compare.sensitivity import sensitivity
from estimator.errors import InfeasibleDesign
from estimator.pipeline import estimate
from estimator.spec.change import apply_change
from estimator.spec.parse import parse_spec

CATALOG = load_catalog()
CUSTOM: dict[str, Any] = {
    "compute": {"gpu": "h100-sxm", "gpus_per_node": 8, "nodes": 128},
    "fabric": {"generation": "ndr", "oversubscription": "2:1"},
}


def found(values: dict[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    answer = sensitivity(parse_spec(values, CATALOG), CATALOG).as_json()
    json.dumps(answer, allow_nan=False)
    return answer["base"], {variant["key"]: variant for variant in answer["variants"]}


def test_every_variant_is_its_own_estimate() -> None:
    spec = parse_spec(CUSTOM, CATALOG)
    base, variants = found(CUSTOM)
    assert list(variants) == ["uplink", "rail", "generation", "plane"]
    for variant in variants.values():
        changed = parse_spec(apply_change(spec.as_json(), variant["change"]), CATALOG)
        made = estimate([changed], CATALOG)[0].as_json()
        built = variant["built"]
        assert built["network_usd"] == made["cost"]["capex_usd"]["network"]
        change = built["network_usd"]["typical"] - base["network_usd"]["typical"]
        assert built["network_usd_change"] == pytest.approx(change)
        assert built["switches"] - built["switches_change"] == base["switches"]
        assert built["busbw_gb_s"]["all_reduce"] == made["performance"]["all_reduce"]["busbw_gb_s"][-1][-1]
        alltoall = made["performance"]["collectives"]["alltoall"]["busbw_gb_s"][-1][-1]
        assert built["busbw_ratio"]["alltoall"] == pytest.approx(alltoall / base["busbw_gb_s"]["alltoall"])


def test_an_uplink_more_serves_what_crosses_leaves_and_not_ordered_rings() -> None:
    """42 down and 21 up become 42 and 22, or nearly: all-to-all at the leaves' limit gains about a twentieth, a ring nothing."""
    base, variants = found(CUSTOM)
    assert base["limited_by"]["alltoall"] == "leaf oversubscription"
    ratio = variants["uplink"]["built"]["busbw_ratio"]
    assert ratio["all_reduce"] == pytest.approx(1.0, abs=0.005)
    assert 1.03 < ratio["alltoall"] < 1.12


def test_faster_ports_than_the_adapters_bring_nothing_and_say_why() -> None:
    base, variants = found({"compute": {"server": "dgx-h100", "gpus": 1024}, "fabric": {"generation": "ndr"}})
    built = variants["generation"]["built"]
    assert built["busbw_ratio"] == {"all_reduce": 1.0, "alltoall": 1.0}
    assert variants["generation"]["findings"]
    assert not base["at_least"]
    assert built["network_usd_change"] is None  # its links have no price, so the difference is not known


def test_what_cannot_be_says_why() -> None:
    _, variants = found({"compute": {"server": "dgx-h100", "nodes": 4}, "fabric": {"generation": "xdr"}})
    assert variants["generation"]["problems"][0]["code"] == "no_faster"
    one_leaf = {"compute": {"server": "dgx-h100", "nodes": 4}, "fabric": {"generation": "ndr", "layout": "top-of-rack"}}
    assert found(one_leaf)[1]["uplink"]["problems"][0]["code"] == "no_uplinks"
    full = CUSTOM | {"fabric": {"generation": "ndr", "leaf_downlinks": 32, "leaf_uplinks": 32}}
    uplink = found(full)[1]["uplink"]
    assert uplink["built"] is None
    assert "64" in uplink["problems"][0]["message"]


def test_without_a_gpu_there_is_money_and_no_bandwidth() -> None:
    base, variants = found({"compute": {"nodes": 16, "gpus_per_node": 8}, "fabric": {"generation": "ndr"}})
    assert base["busbw_gb_s"] == {"all_reduce": None, "alltoall": None}
    assert variants["plane"]["built"]["busbw_ratio"] == {"all_reduce": None, "alltoall": None}


def test_a_design_that_cannot_be_built_is_refused() -> None:
    spec = parse_spec({"compute": {"server": "dgx-h100", "gpus": 131072}, "fabric": {"generation": "ndr"}}, CATALOG)
    with pytest.raises(InfeasibleDesign):
        sensitivity(spec, CATALOG)
