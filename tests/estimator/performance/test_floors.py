"""A measured small-message time moves all latencies, a stack does by its factor, and bands have the edges they name."""

from typing import Any

import numpy as np
import pytest

from estimator.bringup.acceptance.expected import Expectations, Part
from estimator.catalog.constants import ModelConstants
from estimator.catalog.loader import load_catalog
from estimator.performance.bands import is_tree_uncertain
from estimator.performance.prediction import predict
from estimator.pipeline import estimate
from estimator.search.columns.bandwidth import of_system
from estimator.spec.parse import parse_spec
from estimator.workloads.paths.groups import GroupTimes, groups_of

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


@pytest.mark.parametrize("gpus", [8, 16])
def test_parts_of_a_system_have_its_measured_ratio_whatever_they_run_and_where(gpus: int) -> None:
    """Pipeline send-receives between two nodes, all-gathers of a node's half: all take as much longer as the all-reduce."""
    measured = SYSTEM | {"small_message_us": 2.5 * row(8, gpus)["time_us"], "small_message_gpus": gpus}
    for collective, group in (
        ("all_reduce", groups_of(16, 8)),
        ("all_reduce", groups_of(4, 4)),
        ("sendrecv", groups_of(2, 1)),
        ("all_gather", groups_of(4, 4)),
        ("alltoall", groups_of(32, 8)),
    ):
        without, given = (
            GroupTimes(system, CATALOG, CONSTANTS).seconds(collective, group, 64.0) for system in (SYSTEM, measured)
        )
        np.testing.assert_allclose(given / without, 2.5, rtol=0.03)


def test_acceptance_expects_parts_by_the_ratio_of_the_whole() -> None:
    measured = SYSTEM | {"small_message_us": 2.5 * row(8, 16)["time_us"], "small_message_gpus": 16}
    for part in (
        Part("all_reduce", 16, None),
        Part("alltoall", 16, None),
        Part("all_gather", 2, None, (("gpus_per_node", 1), ("nics_per_node", 1), ("scale_up_domain_gpus", 1))),
    ):
        without, given = (Expectations(system, CATALOG, CONSTANTS).band(part, 8) for system in (SYSTEM, measured))
        assert without.expected / given.expected == pytest.approx(2.5, rel=0.03)


def test_a_tree_is_uncertain_of_all_reduce_over_few_nics_or_few_gpus_alone() -> None:
    few = int(CONSTANTS.value("uncertain_tree_gpus"))

    def found(collective: str, n_domains: int, nics: int, gpus: int) -> bool:
        return bool(is_tree_uncertain(collective, n_domains, nics, gpus, gpus, CONSTANTS))

    assert found("all_reduce", 2, 4, 8)
    assert found("all_reduce", 2, few, few)
    assert not found("all_reduce", 2, few + 1, few + 1)
    assert not found("all_reduce", 1, 4, 8)
    assert not found("all_gather", 2, 4, 8)


@pytest.mark.parametrize("collective", ["all_reduce", "alltoall"])
def test_a_search_has_the_bandwidths_of_the_estimate_where_a_floor_was_measured(collective: str) -> None:
    figure = {"all_reduce": "all_reduce_gb_s", "alltoall": "all_to_all_gb_s"}[collective]
    design = {
        "compute": {"server": "dgx-h100", "gpus": 64},
        "fabric": {"generation": "ndr"},
        "workload": {"small_message_us": 90.0, "small_message_gpus": 16},
    }
    (made,) = estimate([parse_spec(design, CATALOG)], CATALOG, ("performance",))
    performance = made.performance
    assert performance is not None
    assert performance.system is not None
    found = of_system(performance.system, 64, [(figure, 2**10)], CATALOG, CONSTANTS)[figure, 2**10]
    table = performance.all_reduce if collective == "all_reduce" else performance.collectives[collective]
    assert found == pytest.approx(table.busbw_gb_s[-1][table.message_bytes.index(2**10)], rel=1e-4)


def test_a_site_s_own_constants_narrow_its_bands_and_never_widen_them() -> None:
    launch_us = float(CONSTANTS.row("launch", "process-per-gpu").value)
    calibration = {"name": "site", "parameters": {"launch.process-per-gpu": launch_us}}

    def widths(**more: Any) -> Any:
        sizes = [2**p for p in range(3, 34)]
        request = {"system": SYSTEM, "gpus": [8, 64], "message_bytes": sizes, **more}
        rows = predict(request, CATALOG)["rows"]
        return np.array([row["time_us_high"] / row["time_us_low"] for row in rows])

    without, with_it = widths(), widths(calibration=calibration)
    assert (with_it <= without * (1 + 1e-9)).all()
    assert np.median(with_it / without) < 0.95


def test_a_workload_s_constants_say_nothing_of_collectives() -> None:
    request = {"system": SYSTEM, "gpus": [64], "message_bytes": [2**20]}
    other = {"name": "other", "parameters": {"step_hiding": 5.0}}
    alike = [predict(request | more, CATALOG)["rows"][0]["time_us_high"] for more in ({}, {"calibration": other})]
    assert alike[0] == pytest.approx(alike[1])


def launched(launch: str, sizes: list[int], **more: Any) -> Any:
    request = {"system": {"gpu": "h100-sxm", "fabric": "none"} | more, "gpus": [8], "message_bytes": sizes}
    return predict(request | {"launch": launch}, CATALOG)["rows"]


def test_a_call_through_a_framework_takes_as_long_as_the_host_until_the_bytes_take_longer() -> None:
    host_us = CONSTANTS.value("launch", "framework") * 1e6
    short, long = launched("framework", [8, 2**33])
    assert short["time_us"] == pytest.approx(host_us, rel=0.1)
    assert short["time_us"] > 2 * launched("process-per-gpu", [8])[0]["time_us"]
    assert long["time_us"] == pytest.approx(launched("process-per-gpu", [2**33])[0]["time_us"], rel=0.01)
    assert not short["validated"]


def test_what_a_host_makes_has_the_band_of_hosts_whatever_the_collective() -> None:
    host = CONSTANTS.value("host_band")
    short, long = launched("single-process", [8, 2**33])
    assert short["time_us_high"] / short["time_us"] == pytest.approx(host, rel=0.03)
    assert short["time_us"] / short["time_us_low"] == pytest.approx(host, rel=0.03)
    alone = launched("process-per-gpu", [2**33])[0]
    assert long["time_us_high"] / long["time_us"] == pytest.approx(alone["time_us_high"] / alone["time_us"], rel=0.01)
    known = launched("single-process", [8], small_message_us=40.0, small_message_gpus=8)[0]
    assert known["time_us_high"] / known["time_us_low"] < host, "a floor that is given says what the host takes"


def test_further_levels_open_their_channels_at_once_but_over_slingshot() -> None:
    def rise(fabric: str, gpus: int) -> float:
        system = SYSTEM | {"fabric": fabric}
        request = {"system": system, "gpus": [gpus], "message_bytes": [8, 2**17], "algorithm": "tree", "protocol": "ll"}
        short, longer = predict(request, CATALOG)["rows"]
        return float(longer["time_us"] - short["time_us"])

    assert rise("infiniband", 32) < 1.3 * rise("infiniband", 16)
    assert rise("slingshot", 32) > 1.8 * rise("slingshot", 16)
