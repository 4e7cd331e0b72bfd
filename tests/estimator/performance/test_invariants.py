"""What must hold for every collective on any system, whatever the constants say."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.performance.algorithms import HAS, collective_terms
from estimator.performance.bandwidth import loss_shares, system_columns
from estimator.performance.collectives import BUS_FACTORS, COLLECTIVES, VARIANTS
from estimator.performance.shares import header_share
from estimator.performance.times import LIMITS, predict_times
from tests.estimator.performance.test_times import CATALOG, CONSTANTS, H100, SIZES, gpu_numbers, points, systems
from tests.thorough import n_examples

collectives = st.sampled_from(COLLECTIVES)
A_LITTLE = 1e-13


def seconds(system: dict[str, Any], gpus: int, collective: str, **forced: Any) -> Any:
    return predict_times(points([system], [gpus]), SIZES, CONSTANTS, collective, **forced).time_s[0]


@settings(max_examples=n_examples(120))
@given(system=systems(), gpus=gpu_numbers, collective=collectives)
def test_time_grows_with_size_inside_its_band(system: dict[str, Any], gpus: int, collective: str) -> None:
    result = predict_times(points([system], [gpus]), SIZES, CONSTANTS, collective)
    assert np.isfinite(result.time_s).all()
    assert (np.diff(result.time_s[0]) > 0).all()
    assert (result.low_s < result.time_s).all()
    assert (result.time_s < result.high_s).all()
    assert {VARIANTS[i][0] for i in result.choice[0]} <= set(HAS[collective])


@settings(max_examples=n_examples(120))
@given(system=systems(), gpus=gpu_numbers, collective=collectives)
def test_no_gpu_takes_in_more_than_its_links_and_nics_bring(system: dict[str, Any], gpus: int, collective: str) -> None:
    """(n − 1)/n of S must reach every GPU in a gather, S in a broadcast; in-network reduction lets S be enough for all."""
    facts = points([system], [gpus])
    columns = facts.columns
    least = SIZES[0] * (gpus - 1) / gpus
    ways = max(columns.link_byte_s[0], columns.pcie_byte_s[0])
    if facts.n_domains[0] > 1:
        ways += columns.nics_per_domain[0] * columns.nic_byte_s[0]
    assert (seconds(system, gpus, collective) >= least / ways).all()


@settings(max_examples=n_examples(120))
@given(system=systems(), gpus=gpu_numbers, collective=collectives, faster=st.sampled_from([200, 400, 800, 1600]))
def test_faster_nics_never_cost_time(system: dict[str, Any], gpus: int, collective: str, faster: int) -> None:
    rates = sorted([system["nic_gbit_s"], faster])
    slow, fast = (seconds(system | {"nic_gbit_s": rate}, gpus, collective) for rate in rates)
    assert (fast <= slow * (1 + A_LITTLE)).all()


WORSE: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {"oversubscription": "1:1", "load_balancing": "adaptive"},
        {"oversubscription": "4:1", "load_balancing": "adaptive"},
    ),
    ({"pxn": True}, {"pxn": False}),
    ({"failed_nics": 0}, {"failed_nics": 1}),
    ({"failed_uplinks": 0.0}, {"failed_uplinks": 0.25}),
    ({"mtu_bytes": 4096}, {"mtu_bytes": 1024}),
    ({"nics_per_pcie_root": 1}, {"nics_per_pcie_root": 2}),
    ({"remote_nics": False}, {"remote_nics": True}),
    ({"lossless": True}, {"lossless": False}),
    ({"gpudirect": True}, {"gpudirect": False}),
    ({"load_balancing": "ecmp", "flows_per_nic": 16}, {"load_balancing": "ecmp", "flows_per_nic": 1}),
]


@pytest.mark.parametrize(("better", "worse"), WORSE, ids=lambda change: "-".join(map(str, change.values())))
@settings(max_examples=n_examples(40))
@given(system=systems(), gpus=gpu_numbers, collective=collectives)
def test_what_makes_a_network_worse_never_saves_time(
    better: dict[str, Any], worse: dict[str, Any], system: dict[str, Any], gpus: int, collective: str
) -> None:
    system = system | {"nics_per_node": max(system["nics_per_node"], 2)}
    if "failed_nics" in worse:
        system = system | {"nics_per_node": 8, "gpus_per_node": 8, "scale_up_domain_gpus": 8}
    before, after = (seconds(system | change, gpus, collective) for change in (better, worse))
    assert (after >= before * (1 - A_LITTLE)).all()


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_one_gpu_takes_no_time(collective: str) -> None:
    assert (seconds(H100, 1, collective) == 0).all()


@settings(max_examples=n_examples(60))
@given(system=systems(), gpus=gpu_numbers, collective=collectives)
def test_arrays_agree_with_scalars(system: dict[str, Any], gpus: int, collective: str) -> None:
    """The same terms added up in plain Python, variant by variant and size by size."""
    terms = collective_terms(points([system], [gpus]), CONSTANTS, collective)
    expected = [min(scalar_time(terms, i, float(size)) for i in range(len(VARIANTS))) for size in SIZES[0]]
    np.testing.assert_allclose(seconds(system, gpus, collective), expected, rtol=1e-12)


def scalar_time(terms: Any, variant: int, size: float) -> float:
    column = {
        name: float(getattr(terms, name)[variant, 0])
        for name in ("alpha_s", "steps_s", "start_s", "fill_s", "byte_time_s")
    }
    bytes_s = size * column["byte_time_s"]
    steps = column["steps_s"]
    shown = steps * (terms.hiding * steps / (terms.hiding * steps + bytes_s))
    filled = column["fill_s"] * size / (size + terms.fill_bytes)
    return column["alpha_s"] + shown + column["start_s"] * size / (size + terms.start_bytes) + filled + bytes_s


def test_bus_factors_are_those_of_nccl_tests() -> None:
    n = np.array(8)
    found = {name: float(BUS_FACTORS[name](n)) for name in COLLECTIVES}
    assert found == {
        "all_reduce": 1.75,
        "all_gather": 0.875,
        "reduce_scatter": 0.875,
        "alltoall": 0.875,
        "broadcast": 1.0,
        "reduce": 1.0,
        "sendrecv": 1.0,
    }


def test_small_packets_lose_to_headers() -> None:
    """IB 4096 + 26 bytes against 2048 + 26; an Ethernet MTU of 1500 leaves a payload of 1024 and 82 bytes of headers."""
    assert header_share("infiniband", 4096, CONSTANTS) == 1.0
    assert header_share("infiniband", 2048, CONSTANTS) == pytest.approx((2048 / 2074) / (4096 / 4122))
    assert header_share("roce", 9000, CONSTANTS) == 1.0
    assert header_share("roce", 1500, CONSTANTS) == pytest.approx((1024 / 1106) / (4096 / 4178))


def test_loss_without_flow_control_is_a_range() -> None:
    """Go-back-N over 400 Gb/s and 30 us: 366 packets in flight, 1/(1 + p·366)."""
    columns = system_columns([H100 | {"fabric": "roce", "lossless": False}], CATALOG, CONSTANTS)
    calm, congested = loss_shares(columns, CONSTANTS)
    assert calm[0] == pytest.approx(1 / (1 + 1e-6 * 366.2), rel=1e-4)
    assert congested[0] == pytest.approx(1 / (1 + 1e-2 * 366.2), rel=1e-3)
    result = predict_times(
        points([H100 | {"fabric": "roce", "lossless": False}], [64]), np.array([[2.0**33]]), CONSTANTS
    )
    kept = predict_times(points([H100 | {"fabric": "roce"}], [64]), np.array([[2.0**33]]), CONSTANTS)
    assert LIMITS[result.limit[0, 0]] == "loss without flow control"
    assert not result.is_validated[0, 0]
    assert result.high_s[0, 0] > 4 * kept.time_s[0, 0]
    assert result.low_s[0, 0] < 1.1 * kept.time_s[0, 0]


def test_send_receive_uses_one_nic_a_pair() -> None:
    """Ten nodes of one H100 measured 25 GB/s of a 400 Gb/s port, and ten nodes of four the same; others up to 44."""
    for gpus in (1, 4):
        system = {
            "gpu": "h100-sxm",
            "gpus_per_node": gpus,
            "scale_up_domain_gpus": gpus,
            "nics_per_node": gpus,
            "nic_gbit_s": 400,
            "fabric": "roce",
        }
        rate = 2.0**33 / seconds(system, 10 * gpus, "sendrecv")[-3] / 1e9
        assert rate == pytest.approx(27, rel=0.12)


def test_an_algorithm_that_a_collective_lacks_falls_back() -> None:
    np.testing.assert_array_equal(
        seconds(H100, 64, "all_gather", algorithm="nvls_tree"), seconds(H100, 64, "all_gather", algorithm="ring")
    )
    np.testing.assert_array_equal(seconds(H100, 64, "alltoall", algorithm="ring"), seconds(H100, 64, "alltoall"))
