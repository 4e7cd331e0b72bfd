"""A measured small-message time moves all latencies, a stack does by its factor, and bands have the edges they name."""

from typing import Any

import pytest

from estimator.catalog.constants import ModelConstants
from estimator.catalog.loader import load_catalog
from estimator.performance.prediction import predict

CATALOG = load_catalog()
CONSTANTS = ModelConstants(CATALOG)
SYSTEM = {"gpu": "h100-sxm", "nics_per_node": 8, "nic_gbit_s": 400, "fabric": "infiniband"}


def row(size: int, gpus: int = 16, **more: Any) -> Any:
    request = {"system": SYSTEM | more, "gpus": [gpus], "message_bytes": [size]}
    return predict(request, CATALOG)["rows"][0]


def test_a_measured_time_is_what_a_short_message_takes_and_narrows_its_band() -> None:
    without, given = row(8), row(8, small_message_us=60.0)
    assert given["time_us"] == pytest.approx(60.0, rel=1e-3)
    assert given["time_us_high"] / given["time_us_low"] < without["time_us_high"] / without["time_us_low"]
    assert row(2**33, small_message_us=60.0)["time_us"] == pytest.approx(row(2**33)["time_us"], rel=0.01)


def test_a_time_of_fewer_gpus_moves_those_of_more() -> None:
    one_node = row(8, gpus=8)["time_us"]
    given = row(8, small_message_us=2 * one_node, small_message_gpus=8)
    assert given["time_us"] == pytest.approx(2 * row(8)["time_us"], rel=1e-3)


def test_a_stack_multiplies_latencies_and_a_measured_time_wins() -> None:
    factor = CONSTANTS.value("stack_factor", "kubernetes")
    assert row(8, stack="kubernetes")["time_us"] == pytest.approx(factor * row(8)["time_us"], rel=1e-3)
    assert row(8, stack="kubernetes", small_message_us=30.0)["time_us"] == pytest.approx(30.0, rel=1e-3)


def test_in_network_reduction_may_leave_the_ring() -> None:
    def large(**more: Any) -> Any:
        return row(2**34, gpus=64, **more)

    ring = predict({"system": SYSTEM, "gpus": [64], "message_bytes": [2**34], "algorithm": "ring"}, CATALOG)["rows"][0][
        "time_us"
    ]
    reduced = large(in_network_reduction=True)
    assert reduced["algorithm"].startswith("collnet")
    assert reduced["time_us"] < 0.8 * ring < ring < reduced["time_us_high"]


def test_no_ring_is_faster_than_its_wire() -> None:
    request = {"system": SYSTEM, "gpus": [64], "message_bytes": [2**34], "algorithm": "ring"}
    found = predict(request, CATALOG)["rows"][0]
    wire_us = 2 * 63 / 64 * 2**34 / 400e9 * 1e6
    assert found["time_us_low"] == pytest.approx(wire_us, rel=1e-6)
