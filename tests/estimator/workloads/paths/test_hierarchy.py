"""The link hierarchy: what a GPU gets of each level, and which level a group of ranks uses."""

import pytest

from estimator.catalog.constants import ModelConstants
from estimator.catalog.loader import load_catalog
from estimator.performance.bandwidth import system_columns
from estimator.record import Json
from estimator.workloads.paths.groups import groups_of
from estimator.workloads.paths.hierarchy import LEVELS, LinkLevel, levels_of, link_levels

CATALOG = load_catalog()
CONSTANTS = ModelConstants(CATALOG)
PODS: Json = {
    "gpu": "h100-sxm",
    "oversubscription": "2:1",
    "nodes_per_leaf": 16,
    "spine_oversubscription": "2:1",
    "nodes_per_pod": 128,
}


def levels(system: Json, n_gpus: int, ethernet_gbit_s: float | None = None) -> dict[str, LinkLevel]:
    return {one.code: one for one in link_levels(system, n_gpus, CATALOG, CONSTANTS, ethernet_gbit_s)}


def test_each_level_has_less_than_the_one_before_and_oversubscription_shows() -> None:
    found = levels(PODS, 4096)
    assert list(found) == ["gpu_memory", "scale_up", "pcie", "host_memory", "leaf", "spine", "core"]
    assert found["gpu_memory"].gb_s == 3350
    assert found["gpu_memory"].gb_s > found["scale_up"].gb_s > found["leaf"].gb_s
    assert found["leaf"].gb_s == pytest.approx(50 * CONSTANTS.value("network_efficiency", "infiniband"), rel=0.01)
    assert found["leaf"].limited_by == "NIC"
    assert found["spine"].gb_s == pytest.approx(found["leaf"].gb_s / 2, rel=0.05)
    assert found["spine"].limited_by == "leaf oversubscription"
    assert found["core"].gb_s == pytest.approx(found["leaf"].gb_s / 4, rel=0.05)


def test_a_level_that_joins_more_than_there_is_is_left_out() -> None:
    assert "core" not in levels(PODS, 1024)
    assert "spine" not in levels(PODS, 128)
    assert "leaf" not in levels(PODS, 8)
    assert "leaf" not in levels(PODS | {"fabric": "none", "nics_per_node": 0, "nic_gbit_s": 0}, 64)


def test_a_gpu_without_links_has_its_pcie() -> None:
    found = levels({"gpu": "l40s", "nics_per_node": 2, "nic_gbit_s": 400}, 64)
    assert "scale_up" not in found
    assert found["leaf"].gb_s < found["pcie"].gb_s


def test_a_gpu_of_a_mesh_has_all_its_links() -> None:
    assert levels({"gpu": "mi300x"}, 64)["scale_up"].gb_s > 300


def test_a_node_shares_its_ethernet_port() -> None:
    found = levels(PODS, 64, ethernet_gbit_s=200)["ethernet"]
    assert found.gb_s == pytest.approx(200 / 8 * 0.9 / 8, rel=0.01)
    assert found.basis == "assumption"


def test_a_calibration_says_that_its_constants_are_used() -> None:
    own = CONSTANTS.replaced({("ring_efficiency", "hopper"): 0.7}, "log of our site")
    found = {one.code: one for one in link_levels(PODS, 64, CATALOG, own)}["scale_up"]
    assert (found.basis, found.evidence) == ("calibration", "log of our site")
    assert found.gb_s == pytest.approx(450 * 0.7)


def test_groups_use_the_level_that_joins_them() -> None:
    columns = system_columns([PODS], CATALOG, CONSTANTS)
    groups = groups_of(
        [1, 8, 128, 129, 1024, 1025, 2, 2, 2], [8, 8, 8, 8, 8, 8, 1, 1, 1], [1, 1, 1, 1, 1, 1, 15, 16, 128]
    )
    names = [LEVELS[level] for level in levels_of(groups, columns)]
    assert names == ["gpu_memory", "scale_up", "leaf", "spine", "spine", "core", "leaf", "spine", "core"]


def test_domains_of_many_nodes_lie_under_fewer_leaves() -> None:
    racks = {"gpu": "gb300", "nics_per_node": 4, "nic_gbit_s": 800, "nodes_per_leaf": 36}
    columns = system_columns([racks], CATALOG, CONSTANTS)
    names = [LEVELS[level] for level in levels_of(groups_of([72, 144, 216], 72), columns)]
    assert names == ["scale_up", "leaf", "spine"]
