"""What the library chooses by its version: protocols by size, channels of pairs, and how one process starts its GPUs."""

from typing import Any

import numpy as np
import pytest

from estimator.catalog.loader import load_catalog
from estimator.performance.library import UNKNOWN, channels_over_network, index_at, library_number, taken_up_to
from estimator.performance.prediction import predict

CATALOG = load_catalog()
MIB = 2**20


def rows(gpus: list[int], sizes: list[int], collective: str = "all_gather", **more: Any) -> Any:
    request = {"gpus": gpus, "message_bytes": sizes, "collective": collective, **more}
    return predict(request, CATALOG)["rows"]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("2.29.7", 22_907),
        ("2.11.4+cuda11", 21_104),
        ("21104", 21_104),
        ("2.18 , aws-ofi-nccl 1.9.1", 21_800),
        ("2.11 or older (2021)", 21_100),
        ("25.04 image", UNKNOWN),
        ("RCCL 2.22.3", UNKNOWN),
        (None, UNKNOWN),
    ],
)
def test_versions_are_numbers(text: str | None, number: int) -> None:
    assert library_number(text) == number


def test_a_row_holds_for_versions_before_its_own() -> None:
    indices = ["hopper", "blackwell", "blackwell.before_22907", "blackwell.before_22705"]
    found = [index_at(indices, "blackwell", number) for number in (UNKNOWN, 22_304, 22_705, 22_907)]
    assert found == ["blackwell", "blackwell.before_22705", "blackwell.before_22907", "blackwell"]


def test_lines_cross_where_latency_is_paid_back() -> None:
    latency = [np.array([1e-6]), np.array([3e-6]), np.array([4e-6])]
    rate = [np.array([1e11]), np.array([2e11]), np.array([1e11])]
    up_to = [float(one[0]) for one in taken_up_to(latency, rate, (0, 1, 2))]
    assert up_to == pytest.approx(
        [4e5, np.inf, 0.0]
    )  # the third is slower from the start, and no more than equal later


@pytest.mark.parametrize(
    ("library", "protocols"),
    [("2.28.9", ["ll128", "ll128", "simple"]), ("2.29.3", ["simple"] * 3), ("2.29.7", ["ll128", "simple", "simple"])],
)
def test_eight_b200_go_over_to_simple_by_version(library: str, protocols: list[str]) -> None:
    found = rows([8], [16 * MIB, 32 * MIB, 64 * MIB], system={"gpu": "b200-sxm", "library": library})
    assert [row["protocol"] for row in found] == protocols


def test_two_a100_leave_ll_where_simple_has_the_better_line() -> None:
    found = rows([2], [MIB, 2 * MIB], system={"gpu": "a100-80-sxm"})
    assert [row["protocol"] for row in found] == ["ll", "simple"]


@pytest.mark.parametrize(
    ("is_by_rate", "channels"), [(True, [4, 4, 2, 1, 1]), (False, [2, 2, 1, 1, 1])], ids=["from-2.29.2", "before"]
)
def test_channels_of_a_pair_fall_with_ranks(is_by_rate: bool, channels: list[int]) -> None:
    ranks = np.array([16, 32, 64, 128, 256])
    found = channels_over_network(ranks, np.full(5, 8), np.full(5, 8.0), np.full(5, 50e9), 14e9, is_by_rate)
    assert found.tolist() == channels


@pytest.mark.parametrize(
    ("library", "gb_s"),
    [("2.29.7", [43.1, 44.4, 26.2, 14.6, 14.6, 14.7]), ("2.28.9", [34.2, 34.1, 17.2, 17.2, 17.2, 17.2])],
)
def test_send_receive_steps_as_measured_from_two_to_sixty_four_nodes(library: str, gb_s: list[float]) -> None:
    system = {"gpu": "b200-sxm", "nic_gbit_s": 400, "fabric": "infiniband", "library": library}
    found = rows([16, 32, 64, 128, 256, 512], [2**33], "sendrecv", system=system)
    assert [row["busbw_gb_s"] for row in found] == pytest.approx(gb_s, rel=0.06)


def test_old_libraries_start_all_gpus_of_a_process_before_any_runs() -> None:
    def time_us(size: int, library: str) -> float:
        system = {"gpu": "a100-40-sxm", "library": library}
        return float(rows([8], [size], "broadcast", system=system, launch="single-process")[0]["time_us"])

    more = [time_us(size, "2.11") - time_us(size, "2.27.3") for size in (64, 2**27)]
    assert more[0] < 5  # both wait for the host alone
    assert more[1] > 10  # the loop stands before the bytes, where new ones hide it behind them


def test_advice_names_the_setting_that_is_faster() -> None:
    request = {"system": {"gpu": "b200-sxm"}, "gpus": [8], "message_bytes": [2**p for p in range(20, 28)]}
    found = predict(request, CATALOG)["advice"]
    assert found
    taken = {row["message_bytes"]: row["time_us"] for row in predict(request, CATALOG)["rows"]}
    for one in found:
        assert one["code"] == "faster_setting"
        algorithm, protocol = (part.split("=")[1].lower() for part in one["setting"].split())
        forced = predict(request | {"algorithm": algorithm, "protocol": protocol}, CATALOG)["rows"]
        saved = [
            1 - row["time_us"] / taken[row["message_bytes"]]
            for row in forced
            if one["least_bytes"] <= row["message_bytes"] <= one["most_bytes"]
        ]
        assert max(saved) == pytest.approx(one["gain"], abs=1e-4)
        assert min(saved) >= 0.05


def test_advice_says_what_is_left_where_reduction_does_not_start() -> None:
    system = {"gpu": "b200-sxm", "nic_gbit_s": 400, "fabric": "infiniband", "in_network_reduction": True}
    request = {"system": system, "gpus": [64], "message_bytes": [2**34]}
    (one,) = predict(request, CATALOG)["advice"]
    (row,) = predict(request, CATALOG)["rows"]
    assert (one["code"], one["setting"]) == ("reduction_may_fall_back", None)
    assert row["time_us_high"] > (1 + one["gain"]) * row["time_us"]


def test_there_is_no_advice_where_something_is_forced_or_nothing_is_faster() -> None:
    request = {"system": {"gpu": "b200-sxm"}, "gpus": [8], "message_bytes": [16 * MIB]}
    assert "advice" not in predict(request | {"algorithm": "ring"}, CATALOG)
    assert "advice" not in predict(request | {"message_bytes": [2**33]}, CATALOG)
