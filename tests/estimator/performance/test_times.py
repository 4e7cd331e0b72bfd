"""Systems to times: properties that must hold for any system, closed forms, limits, and designs as a batch."""

import json
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.catalog.constants import ModelConstants
from estimator.catalog.loader import load_catalog
from estimator.performance.algorithms import HAS
from estimator.performance.bandwidth import (
    IN_NETWORK,
    LIMITS,
    host_network_bandwidth,
    system_columns,
    uplink_bandwidth,
)
from estimator.performance.collectives import ONLY_FORCED, VARIANTS
from estimator.performance.prediction import PredictionRequest
from estimator.performance.shares import balance_share
from estimator.performance.times import Points, Times, design_performance, gpu_counts, points_of, predict_times
from estimator.units import GIGA, FloatArray
from tests.estimator.designs import H100_NODES
from tests.thorough import n_examples

CATALOG = load_catalog()
GIB = 2**30
LAUNCHES = get_args(PredictionRequest.model_fields["launch"].annotation)
CONSTANTS = ModelConstants(CATALOG)
SIZES: FloatArray = 2.0 ** np.arange(3.0, 36.0)[None, :]
H100 = H100_NODES


def points(systems: list[dict[str, Any]], gpus: list[int], launch: str = "process-per-gpu") -> Points:
    columns = system_columns(systems, CATALOG, CONSTANTS)
    return points_of(columns, np.array(gpus, dtype=np.int64), launch, CONSTANTS)


def times(
    system: dict[str, Any],
    gpus: int,
    sizes: Any = SIZES,
    algorithm: str | None = None,
    protocol: str | None = None,
    launch: str = "process-per-gpu",
) -> Times:
    return predict_times(points([system], [gpus], launch), sizes, CONSTANTS, "all_reduce", algorithm, protocol)


def seconds(system: dict[str, Any], gpus: int, sizes: Any = SIZES, **forced: Any) -> Any:
    return times(system, gpus, sizes, **forced).time_s[0]


@st.composite
def systems(draw: st.DrawFn) -> dict[str, Any]:
    gpus_per_node = draw(st.sampled_from([1, 2, 4, 8]))
    return {
        "gpu": draw(st.sampled_from(sorted(CATALOG.gpus))),
        "gpus_per_node": gpus_per_node,
        "scale_up_domain_gpus": draw(st.sampled_from([1, 2, 4, 8, 72])),
        "nics_per_node": draw(st.integers(1, 32)),
        "nic_gbit_s": draw(st.sampled_from([100, 200, 400, 800])),
        "fabric": draw(st.sampled_from(["infiniband", "roce", "efa", "slingshot"])),
        "in_network_reduction": draw(st.booleans()),
        "scale_up_reduction": draw(st.booleans()),
        "oversubscription": draw(st.sampled_from(["1:1", "2:1", "3:1", "7:1", "1:2"])),
        "nodes_per_leaf": draw(st.sampled_from([1, 2, 8, 32])),
        "placement": draw(st.sampled_from(["ordered", "random"])),
        "load_balancing": draw(st.sampled_from(["adaptive", "ecmp", "spray"])),
        "gpudirect": draw(st.booleans()),
    }


gpu_numbers = st.sampled_from([2, 3, 5, 8, 9, 16, 40, 72, 100, 1024, 65_536, 1_048_576])


@settings(max_examples=n_examples(60))
@given(system=systems(), gpus=gpu_numbers)
def test_time_grows_with_size_and_stays_finite(system: dict[str, Any], gpus: int) -> None:
    result = times(system, gpus)
    assert np.isfinite(result.time_s).all()
    assert (np.diff(result.time_s[0]) > 0).all()
    assert (result.low_s < result.time_s).all()
    assert (result.time_s < result.high_s).all()


@settings(max_examples=n_examples(60))
@given(system=systems(), gpus=gpu_numbers)
def test_no_time_is_below_what_the_links_allow(system: dict[str, Any], gpus: int) -> None:
    """Each GPU takes in S or more by its links and its share of the NICs, and each domain by its NICs."""
    facts = points([system], [gpus])
    columns = facts.columns
    ways = max(columns.link_byte_s[0], columns.pcie_byte_s[0])
    floor = 0.0 * SIZES[0]
    if facts.n_domains[0] > 1:
        nics = columns.nics_per_node[0] * columns.domain_gpus[0] / columns.gpus_per_node[0] * columns.nic_byte_s[0]
        floor = SIZES[0] / nics
        ways += nics / columns.domain_gpus[0]
    floor = np.maximum(floor, SIZES[0] / ways)
    assert (seconds(system, gpus) >= floor).all()


@settings(max_examples=n_examples(60))
@given(system=systems(), gpus=gpu_numbers, faster=st.sampled_from([200, 400, 800, 1600]))
def test_faster_nics_never_cost_time(system: dict[str, Any], gpus: int, faster: int) -> None:
    rates = sorted([system["nic_gbit_s"], faster])
    slow, fast = (seconds(system | {"nic_gbit_s": rate}, gpus) for rate in rates)
    assert (fast <= slow * (1 + 1e-13)).all()


@settings(max_examples=n_examples(60))
@given(
    system=systems(), gpus=gpu_numbers, key=st.sampled_from(["in_network_reduction", "scale_up_reduction", "gpudirect"])
)
def test_switching_a_feature_on_never_costs_time(system: dict[str, Any], gpus: int, key: str) -> None:
    without, with_it = (seconds(system | {key: on}, gpus) for on in (False, True))
    assert (with_it <= without * (1 + 1e-13)).all()


@settings(max_examples=n_examples(60))
@given(system=systems(), gpus=gpu_numbers)
def test_more_oversubscription_never_saves_time(system: dict[str, Any], gpus: int) -> None:
    system = system | {"load_balancing": "adaptive"}
    previous = np.zeros(SIZES.shape[1])
    for ratio in ("1:2", "1:1", "3:2", "2:1", "4:1", "9:1"):
        now = seconds(system | {"oversubscription": ratio}, gpus)
        assert (now >= previous * (1 - 1e-13)).all()
        previous = now


@settings(max_examples=n_examples(60))
@given(system=systems(), gpus=gpu_numbers)
def test_random_placement_never_beats_ordered_for_a_ring(system: dict[str, Any], gpus: int) -> None:
    """For a job of whole leaves or more; a small job on scattered nodes may cross fewer leaves by luck, not by plan."""
    ordered, random = (
        seconds(system | {"placement": kind, "nodes_per_leaf": 2}, gpus, algorithm="ring")
        for kind in ("ordered", "random")
    )
    facts = points([system], [gpus])
    if facts.n_domains[0] >= 4 and system["scale_up_domain_gpus"] >= system["gpus_per_node"]:
        assert (random >= ordered * (1 - 1e-13)).all()


@settings(max_examples=n_examples(60))
@given(batch=st.lists(st.tuples(systems(), gpu_numbers), min_size=1, max_size=6), launch=st.sampled_from(LAUNCHES))
def test_a_batch_is_its_members_one_by_one_in_any_order(batch: list[tuple[dict[str, Any], int]], launch: str) -> None:
    together = predict_times(points([s for s, _ in batch], [n for _, n in batch], launch), SIZES, CONSTANTS)
    backwards = predict_times(
        points([s for s, _ in batch[::-1]], [n for _, n in batch[::-1]], launch), SIZES, CONSTANTS
    )
    np.testing.assert_array_equal(together.time_s, backwards.time_s[::-1])
    for i, (system, gpus) in enumerate(batch):
        alone = times(system, gpus, launch=launch)
        for field in ("time_s", "low_s", "high_s", "choice", "limit", "is_validated", "busbw_byte_s"):
            np.testing.assert_array_equal(getattr(together, field)[i], getattr(alone, field)[0], err_msg=field)


@pytest.mark.parametrize("protocol", ["ll", "ll128", "simple"])
def test_a_ring_in_one_domain_is_the_closed_form(protocol: str) -> None:
    """t = launch + base + shown 14 steps + start·S/(S + S1) + fill·S/(S + S0) + 7/4 · S/B, H100, eight GPUs."""
    value = CONSTANTS.value
    ring = 450 * GIGA * value("ring_efficiency", "hopper")
    bandwidth = {
        "ll": min(value("ll_ring_share") * ring, value("ll_max_one_domain", "hopper")),
        "ll128": value("ll128_domain_share") * ring,
        "simple": ring,
    }[protocol]
    fill = {"ll": 0.0, "ll128": 0.5, "simple": 1.0}[protocol] * 14 * value("ring_fill", "hopper")
    fill *= value("fill_share", "all_reduce")
    base = value("base_latency", f"ring.{protocol}") * value("latency_factor", "base")
    alpha = value("launch", "process-per-gpu") + base
    steps, bytes_s = 14 * value("domain_step_latency", f"ring.{protocol}"), 1.75 * SIZES[0] / bandwidth
    factors = {"ll": "domain.hopper", "simple": "chunk.hopper"}
    steps *= value("latency_factor", factors[protocol]) if protocol in factors else 1.0
    passed = value("pass_efficiency", "all_reduce")
    bytes_s = bytes_s / (min(passed, 1.0) if protocol == "ll" else passed)
    bytes_s = bytes_s + SIZES[0] / 8 / value("own_copy_rate", "all_reduce.hopper")
    shown = steps * value("step_hiding") * steps / (value("step_hiding") * steps + bytes_s)
    start = (
        value("start_share", "all_reduce")
        * value("channel_start", "domain")
        * SIZES[0]
        / (SIZES[0] + value("channel_start_bytes"))
    )
    filled = SIZES[0] / (SIZES[0] + value("half_fill_bytes", "ring"))
    expected = alpha + shown + start + fill * filled + bytes_s
    np.testing.assert_allclose(seconds(H100, 8, algorithm="ring", protocol=protocol), expected, rtol=1e-12)


def test_one_gpu_takes_no_time() -> None:
    result = times(H100, 1)
    assert (result.time_s == 0).all()
    assert (result.choice == -1).all()
    assert {LIMITS[i] for i in result.limit[0]} == {"one GPU: nothing to exchange"}


@pytest.mark.parametrize(
    ("change", "gpus", "size", "limit"),
    [
        ({}, 8, 8, "launch and latency"),
        ({}, 8, 8 * GIB, "NVLink reduction"),
        ({"scale_up_reduction": False}, 8, 8 * GIB, "NVLink"),
        ({}, 1024, 8 * GIB, "NIC"),
        ({"gpu": "mi300x"}, 8, 8 * GIB, "Infinity Fabric"),
        ({"gpu": "l40s"}, 8, 8 * GIB, "PCIe"),
        ({"gpu": "gaudi3"}, 8, 8 * GIB, "scale-up links"),
        ({"nic_gbit_s": 800}, 1024, 8 * GIB, "PCIe"),
        ({"oversubscription": "8:1", "placement": "random"}, 2048, 8 * GIB, "leaf oversubscription"),
        ({"load_balancing": "ecmp", "placement": "random"}, 2048, 8 * GIB, "load balancing"),
        ({"in_network_reduction": True}, 1024, 8 * GIB, "in-network reduction"),
        (
            {"gpu": "gb200", "gpus_per_node": 4, "nics_per_node": 4, "scale_up_domain_gpus": 72},
            1440,
            8 * GIB,
            "rack network channels",
        ),
        ({}, 64, 16 * 2**20, "pipeline fill"),
    ],
)
def test_the_limit_is_named(change: dict[str, Any], gpus: int, size: int, limit: str) -> None:
    assert LIMITS[times(H100 | change, gpus, np.array([[float(size)]])).limit[0, 0]] == limit


@pytest.mark.parametrize("collective", ["alltoall", "sendrecv"])
def test_pairs_between_racks_have_a_nic_each(collective: str) -> None:
    """Rings share the channels between racks; what GPUs send to one another goes by each one's NIC, as from one node."""
    node = H100 | {"gpu": "gb200", "gpus_per_node": 4, "nics_per_node": 4}
    in_racks, alone = (
        predict_times(
            points([node | {"scale_up_domain_gpus": domain}], [1440], "process-per-gpu"),
            np.array([[16.0 * GIB]]),
            CONSTANTS,
            collective,
            None,
            None,
        )
        for domain in (72, 4)
    )
    assert LIMITS[in_racks.limit[0, 0]] == LIMITS[alone.limit[0, 0]] != "rack network channels"
    assert in_racks.time_s[0, 0] == pytest.approx(alone.time_s[0, 0], rel=0.1)


def test_oversubscription_hurts_random_placement_and_not_ordered() -> None:
    """A ring of ordered ranks leaves a leaf of 32 nodes once: 7:1 costs nothing. Scattered ranks feel all of it."""
    big = np.array([[16.0 * GIB]])
    even, ordered, random = (
        times(H100 | change, 4096, big, algorithm="ring").busbw_byte_s[0, 0]
        for change in ({}, {"oversubscription": "7:1"}, {"oversubscription": "7:1", "placement": "random"})
    )
    assert ordered == pytest.approx(even)
    assert random < even / 5


def share(load_balancing: str, oversubscription: float, nodes_per_leaf: int, **more: int) -> float:
    system = {
        "load_balancing": load_balancing,
        "nodes_per_leaf": nodes_per_leaf,
        "planes": 1,
        "flows_per_nic": 1,
        **more,
    }
    return balance_share(system, oversubscription, CONSTANTS)


def test_hashing_costs_most_with_few_flows() -> None:
    """Published: about 0.6 of the rate with plain hashing, 0.95 with adaptive routing."""
    assert share("ecmp", 1.0, 32) == pytest.approx(0.60, abs=0.02)
    assert share("adaptive", 1.0, 32) == pytest.approx(0.97)
    assert share("ecmp", 1.0, 64) < share("ecmp", 1.0, 32)
    assert share("ecmp", 4.0, 256) > share("ecmp", 1.0, 256)
    assert share("ecmp", 1.0, 32, flows_per_nic=16) == pytest.approx(0.84, abs=0.02)  # Meta: 40 % more with 16
    assert share("ecmp", 1.0, 64, planes=2) > share("ecmp", 1.0, 64)


def test_uplinks_faster_than_a_nic_are_fewer_and_carry_more_flows() -> None:
    """64 NICs of 400G over 32 uplinks of 800G hash as over 32 uplinks with two flows each."""
    wide = share("ecmp", 1.0, 64, nic_gbit_s=400, uplink_gbit_s=800)
    assert wide > share("ecmp", 1.0, 64, nic_gbit_s=400, uplink_gbit_s=400) == share("ecmp", 1.0, 64)
    assert wide == share("ecmp", 1.0, 32, flows_per_nic=2)
    assert share("ecmp", 1.0, 64, nic_gbit_s=800, uplink_gbit_s=400) <= 0.5  # a flow is no faster than its uplink
    assert share("adaptive", 1.0, 64, nic_gbit_s=400, uplink_gbit_s=800) == share("adaptive", 1.0, 64)


def test_uplinks_take_nothing_from_a_job_under_one_leaf() -> None:
    columns = system_columns(
        [H100 | {"oversubscription": "8:1", "placement": "random", "load_balancing": "ecmp"}], CATALOG, CONSTANTS
    )
    host, _ = host_network_bandwidth(columns, CONSTANTS)
    rate, _ = uplink_bandwidth(columns, np.array([32]), 1.0, CONSTANTS)
    assert np.isinf(rate[0])
    rate, limit = uplink_bandwidth(columns, np.array([64]), 1.0, CONSTANTS)
    assert rate[0] < host[0] / 4
    assert LIMITS[limit[0]] == "leaf oversubscription"


def test_spines_count_where_a_job_leaves_its_pod() -> None:
    """Scattered ranks on 256 nodes: in a pod of 256 spines cost nothing, over pods of 64 the tighter tier rules."""
    system = H100 | {"placement": "random", "oversubscription": "2:1", "spine_oversubscription": "3:1"}
    small, large = (
        uplink_bandwidth(
            system_columns([system | {"nodes_per_pod": pod}], CATALOG, CONSTANTS), np.array([256]), 1.0, CONSTANTS
        )
        for pod in (64, 256)
    )
    leaf_share = 1 - 31 / 255 + 1.42 * (32 * 32 / 256) ** 0.5 * (1 - 32 / 256) / 32  # of the worst of eight leaves
    pod_share = 1 - 63 / 255 + 1.03 * (64 * 64 / 256) ** 0.5 * (1 - 64 / 256) / 64  # and of four pods
    assert large[0][0] / small[0][0] == pytest.approx(2 * 3 * pod_share / (2 * leaf_share))
    assert LIMITS[small[1][0]] == "spine oversubscription"
    assert LIMITS[large[1][0]] == "leaf oversubscription"


def test_more_leaves_a_smaller_last_pod() -> None:
    """Four pods of 64 at 2:1 and one of 16 at 3:1: half of it on 264 nodes has room, all of it on 272 is what all wait for."""
    last = {"last_pod_from": 256, "last_pod_nodes": 16, "last_pod_oversubscription": "3:1"}
    system = H100 | {"oversubscription": "1:1", "spine_oversubscription": "2:1", "nodes_per_pod": 64} | last
    columns = system_columns([system], CATALOG, CONSTANTS)
    host, _ = host_network_bandwidth(columns, CONSTANTS)
    loads = []
    for domains in (272, 264, 256):
        rate, _ = uplink_bandwidth(columns, np.array([domains]), 0.0, CONSTANTS)
        loads.append(float(host[0] * columns.balance_share[0] / rate[0]))
    assert loads == pytest.approx([3 * (1 - 15 / 271), 2 * (1 - 63 / 263), 2 * (1 - 63 / 255)])


def test_a_slow_host_feels_less_of_the_oversubscription() -> None:
    """Uplinks are counted against the NICs' rate: hosts that send at half of it meet 2:1 without loss."""

    def pair(oversubscription: str) -> Any:
        slow = H100 | {
            "gpu": "a100-80-sxm",
            "oversubscription": oversubscription,
            "placement": "random",
            "nodes_per_leaf": 1,
        }
        return seconds(slow, 1024, algorithm="ring")

    np.testing.assert_allclose(pair("15:8"), pair("1:1"))


def test_a_host_that_cannot_feed_its_nics_limits_them() -> None:
    """A100 hosts have PCIe Gen4: 25.6 GB/s a slot, so 400G NICs (50 GB/s) run at half their rate."""
    columns = system_columns([H100 | {"gpu": "a100-80-sxm"}], CATALOG, CONSTANTS)
    rate, limit = host_network_bandwidth(columns, CONSTANTS)
    assert rate[0] == pytest.approx(8 * 25.6 * GIGA * CONSTANTS.value("network_efficiency", "infiniband"))
    assert LIMITS[limit[0]] == "PCIe"


def test_a_domain_owns_the_nics_of_its_gpus() -> None:
    """Half a node has half of its NICs; a rack of 18 nodes has them all."""
    half = system_columns([H100 | {"scale_up_domain_gpus": 4}], CATALOG, CONSTANTS)
    whole = system_columns([H100], CATALOG, CONSTANTS)
    assert host_network_bandwidth(half, CONSTANTS)[0][0] == pytest.approx(
        host_network_bandwidth(whole, CONSTANTS)[0][0] / 2
    )


def test_a_forced_algorithm_that_does_not_exist_takes_for_ever() -> None:
    for algorithm in ("nvls_tree", "collnet_chain", "collnet_direct"):
        assert np.isinf(seconds(H100, 8, algorithm=algorithm)).all()
    assert np.isinf(seconds(H100, 16, algorithm="nvls")).all()
    assert np.isinf(seconds(H100, 4, algorithm="nvls")).all()  # four of a node run a ring; five use the switches
    assert np.isfinite(seconds(H100, 5, algorithm="nvls")).all()
    assert np.isinf(seconds(H100 | {"gpu": "a100-80-sxm"}, 8, algorithm="nvls")).all()


@settings(max_examples=n_examples(60))
@given(system=systems(), gpus=gpu_numbers)
def test_the_best_is_the_best_of_the_forced(system: dict[str, Any], gpus: int) -> None:
    best = seconds(system, gpus)
    tried = [(a, p) for a, p in VARIANTS if a in HAS["all_reduce"] and a not in ONLY_FORCED]
    forced = np.min([seconds(system, gpus, algorithm=a, protocol=p) for a, p in tried], axis=0)
    assert (
        best >= forced
    ).all()  # inside one domain the library leaves a protocol where its tables say so, for better or worse
    if points([system], [gpus]).n_domains[0] > 1:
        np.testing.assert_array_equal(best, forced)


def test_only_what_was_measured_counts_as_validated() -> None:
    def validated(change: dict[str, Any], gpus: int, size: float = 2.0**20, launch: str = "process-per-gpu") -> bool:
        return bool(times(H100 | change, gpus, np.array([[size]]), launch=launch).is_validated[0, 0])

    assert validated({}, 8)
    assert validated({}, 32)
    assert not validated({}, 8192)  # more nodes than any run
    assert not validated({"gpu": "gaudi3"}, 8)
    assert not validated({"gpu": "l40s"}, 8)
    assert not validated({"gpu": "a100-80-pcie", "gpus_per_node": 4, "scale_up_domain_gpus": 4}, 4)
    assert not validated({"fabric": "slingshot", "gpu": "b200-sxm"}, 32)
    assert not validated({"gpudirect": False}, 16)
    assert not validated({}, 8, 2.0**40)
    assert not validated({}, 8, launch="graph")


def test_bands_widen_where_less_is_known() -> None:
    def width(change: dict[str, Any], gpus: int, size: float) -> float:
        result = times(H100 | change, gpus, np.array([[size]]))
        return float(np.log(result.high_s / result.low_s)[0, 0])

    assert width({}, 8, 5e5) > width({}, 8, 8e6) > width({}, 8, 1e9)
    assert width({}, 1024, 1e9) > width({}, 32, 1e9)
    assert width({"in_network_reduction": True}, 32, 8e9) > width({}, 32, 8e9)
    assert width({"fabric": "slingshot", "gpu": "b200-sxm"}, 16, 1e9) > width({}, 16, 1e9)


@pytest.mark.parametrize(
    ("domain", "gpus", "expected"),
    [
        (8, 1024, [8, 16, 32, 64, 128, 256, 512, 1024]),
        (8, 1016, [8, 16, 32, 64, 128, 256, 512, 1016]),
        (72, 576, [72, 128, 256, 512, 576]),
        (8, 8, [8]),
        (8, 4, [4]),
        (8, 1, [1]),
        (1, 4, [2, 4]),
        (8, 9, [8, 9]),
    ],
)
def test_gpu_counts_run_from_one_domain_to_all(domain: int, gpus: int, expected: list[int]) -> None:
    assert gpu_counts(domain, gpus) == expected


def test_a_design_has_every_table_and_its_batch_is_its_members() -> None:
    designs: list[dict[str, Any]] = [
        H100,
        H100 | {"gpu": "a100-80-sxm", "nic_gbit_s": 200, "fabric": "roce"},
        {"gpu": "gb200", "fabric": "roce"},
    ]
    together = design_performance(designs, [1016, 64, 1440], CATALOG)
    for design, gpus, answer in zip(designs, [1016, 64, 1440], together, strict=True):
        assert design_performance([design], [gpus], CATALOG) == [answer]
        table = answer.as_json()["all_reduce"]
        assert table["message_bytes"] == [2**p for p in range(3, 35)]
        assert table["reference_gpus"] == table["gpus"][0]
        assert table["gpus"][-1] == gpus
        for key in (
            "busbw_gb_s",
            "algbw_gb_s",
            "time_us",
            "time_us_low",
            "time_us_high",
            "scaling_efficiency",
            "algorithm",
            "protocol",
            "limited_by",
            "validated",
        ):
            assert [len(row) for row in table[key]] == [32] * len(table["gpus"]), key
        assert table["scaling_efficiency"][0] == [1.0] * 32
        assert table["scaling_efficiency"][-1][-1] == pytest.approx(
            table["busbw_gb_s"][-1][-1] / table["busbw_gb_s"][0][-1]
        )
        assert table["both_placements"]["ordered_busbw_gb_s"] == pytest.approx(table["busbw_gb_s"][-1][-1])
        assert json.loads(json.dumps(answer.as_json(), allow_nan=False)) == answer.as_json()


def test_a_design_shows_both_placements_and_the_constants_it_used() -> None:
    asked = H100 | {"oversubscription": "4:1", "placement": "random"}
    (answer,) = design_performance([asked], [2048], CATALOG)
    both = answer.all_reduce.both_placements
    assert both.ordered_busbw_gb_s > 1.5 * both.random_busbw_gb_s
    used = {(row.name, row.index): row for row in answer.all_reduce.constants}
    assert ("ring_efficiency", "hopper") in used
    assert ("ring_efficiency", "ampere") not in used
    assert all(row.source and row.evidence and row.low <= row.value <= row.high for row in used.values())


def test_one_gpu_as_a_design() -> None:
    (answer,) = design_performance([H100], [1], CATALOG)
    assert answer.all_reduce.gpus == [1]
    assert answer.all_reduce.time_us == [[0.0] * 32]


def test_every_gpu_of_the_catalog_has_an_answer() -> None:
    for gpu in CATALOG.gpus:
        (answer,) = design_performance([{"gpu": gpu}], [256], CATALOG)
        assert answer.all_reduce.busbw_gb_s[-1][-1] > 1


def test_in_network_limit_is_distinguished_from_the_nic() -> None:
    result = times(H100 | {"in_network_reduction": True}, 256, np.array([[16.0 * GIB]]), algorithm="collnet_chain")
    assert result.limit[0, 0] == IN_NETWORK
