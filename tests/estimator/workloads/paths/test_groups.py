"""Times of parallel groups: the whole system's are those of a prediction; a part has the links of its own GPUs alone."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.catalog.constants import ModelConstants
from estimator.catalog.loader import load_catalog
from estimator.performance.prediction import predict
from estimator.record import Json
from estimator.workloads.paths.groups import GroupTimes, groups_of
from estimator.workloads.paths.host_memory import HostMemoryTimes

CATALOG = load_catalog()
CONSTANTS = ModelConstants(CATALOG)
HGX: Json = {"gpu": "h100-sxm", "gpus_per_node": 8, "nics_per_node": 8, "nic_gbit_s": 400, "fabric": "infiniband"}
NVL72: Json = {"gpu": "gb300", "gpus_per_node": 4, "scale_up_domain_gpus": 72, "nics_per_node": 4, "nic_gbit_s": 800}
SIZES = [1_000, 30_000, 1_000_000, 70_000_000, 3_000_000_000]


def times_of(system: Json) -> GroupTimes:
    return GroupTimes(system, CATALOG, CONSTANTS)


def predicted_s(system: Json, n_ranks: int, collective: str) -> list[float]:
    request = {
        "system": system,
        "gpus": [n_ranks],
        "message_bytes": SIZES,
        "collective": collective,
        "launch": "graph",
    }
    return [row["time_us"] * 1e-6 for row in predict(request, CATALOG)["rows"]]


@pytest.mark.parametrize("collective", ["all_reduce", "all_gather", "reduce_scatter", "alltoall", "sendrecv"])
@pytest.mark.parametrize(
    ("system", "domain", "n_ranks"), [(HGX, 8, 4), (HGX, 8, 64), (NVL72, 72, 36), (NVL72, 72, 288)]
)
def test_a_group_of_whole_domains_takes_what_is_predicted(
    system: Json, domain: int, n_ranks: int, collective: str
) -> None:
    found = times_of(system).seconds(collective, groups_of(n_ranks, domain), np.array(SIZES, dtype=np.float64))
    np.testing.assert_allclose(found, predicted_s(system, n_ranks, collective), rtol=0.02)


def test_a_group_with_one_gpu_a_node_has_one_nic_a_node() -> None:
    alone = HGX | {"gpus_per_node": 1, "nics_per_node": 1, "scale_up_domain_gpus": 1}
    found = times_of(HGX).seconds("all_reduce", groups_of(16, 1), np.array(SIZES, dtype=np.float64))
    np.testing.assert_allclose(found, predicted_s(alone, 16, "all_reduce"), rtol=0.02)


def test_groups_whose_domains_lie_apart_leave_their_leaf_earlier() -> None:
    oversubscribed = HGX | {"oversubscription": "4:1", "nodes_per_leaf": 16}
    near, far = times_of(oversubscribed).seconds("all_reduce", groups_of(8, 1, [1, 16]), 1e9)
    assert far > 1.5 * near
    near, far = times_of(HGX | {"nodes_per_leaf": 16}).seconds("all_reduce", groups_of(8, 1, [1, 16]), 1e9)
    assert far == pytest.approx(near, rel=0.2)


def test_links_of_a_mesh_to_absent_gpus_lie_idle() -> None:
    mesh = times_of({"gpu": "mi300x", "gpus_per_node": 8, "nics_per_node": 8, "nic_gbit_s": 400})
    whole, half = mesh.seconds("all_gather", groups_of([8, 4], 8), 1e9)
    assert half > 1.3 * whole


def test_nothing_to_exchange_takes_no_time() -> None:
    times = times_of(HGX)
    assert times.seconds("all_reduce", groups_of([1, 8], 8), [[1e6], [0.0]]).tolist() == [
        [0.0, pytest.approx(float(times.seconds("all_reduce", groups_of(8, 8), 1e6)))],
        [0.0, 0.0],
    ]


def test_ranks_that_no_network_joins_take_for_ever() -> None:
    times = times_of(HGX | {"fabric": "none", "nics_per_node": 0, "nic_gbit_s": 0})
    assert np.isinf(times.seconds("all_reduce", groups_of(16, 8), [1.0, 1e6])).all()
    assert np.isfinite(times.seconds("all_reduce", groups_of(8, 8), 1e6))


def test_an_algorithm_can_be_forced() -> None:
    times = times_of(HGX)
    fastest, forced = (times.seconds("all_reduce", groups_of(8, 8), 1e4, name) for name in (None, "one_shot"))
    assert fastest != forced
    assert np.isinf(times.seconds("all_reduce", groups_of(16, 8), 1e4, "one_shot"))


@given(st.lists(st.tuples(st.integers(1, 300), st.integers(1, 8), st.integers(1, 9)), min_size=1, max_size=30))
def test_layouts_together_take_what_each_takes_alone(layouts: list[tuple[int, int, int]]) -> None:
    times = times_of(HGX | {"oversubscription": "2:1"})
    columns: Any = [np.array(column) for column in zip(*layouts, strict=True)]
    together = times.seconds("all_reduce", groups_of(*columns), 1e7)
    alone = [float(times.seconds("all_reduce", groups_of(*one), 1e7)) for one in layouts]
    assert together.tolist() == alone


@given(st.integers(2, 512), st.integers(1, 8), st.floats(1, 1e12), st.floats(1.001, 10))
def test_more_bytes_never_take_less(n_ranks: int, inside: int, size: float, factor: float) -> None:
    first, second = times_of(HGX).seconds("reduce_scatter", groups_of(n_ranks, inside), [size, size * factor])
    assert 0 < first <= second


@pytest.mark.parametrize(("n_ranks", "busbw_gb_s"), [(2, 26.85), (4, 24.08)])
def test_host_memory_is_as_fast_as_measured(n_ranks: int, busbw_gb_s: float) -> None:
    """nccl-tests on H100 with peer access off: all-reduce of 1 GiB."""
    times, size = HostMemoryTimes(HGX, CATALOG, CONSTANTS), 2**30
    (seconds,) = times.seconds("all_reduce", groups_of([n_ranks], n_ranks), size)
    assert 2 * (n_ranks - 1) / n_ranks * size / seconds / 1e9 == pytest.approx(busbw_gb_s, rel=0.02)


@given(
    st.sampled_from([1, 2, 4, 8, 16, 64]), st.floats(1, 1e10), st.sampled_from(["all_reduce", "all_gather", "sendrecv"])
)
def test_host_memory_is_never_faster_than_the_links_and_alike_across_nodes(
    n_ranks: int, size: float, collective: str
) -> None:
    groups = groups_of([n_ranks], min(n_ranks, 8))
    (slow,) = HostMemoryTimes(HGX, CATALOG, CONSTANTS).seconds(collective, groups, size)
    (fast,) = times_of(HGX).seconds(collective, groups, size)
    assert slow >= 0.9 * fast if size > 1e5 else slow >= 0
    apart = groups_of([n_ranks], 1)
    assert HostMemoryTimes(HGX, CATALOG, CONSTANTS).seconds(collective, apart, size) == pytest.approx(
        times_of(HGX).seconds(collective, apart, size)
    )
