"""Bandwidths by hand: links of a mesh, slots of a host, uplinks of a pattern, and the cap of LL."""

from typing import Any

import numpy as np
import pytest

from estimator.catalog.constants import ModelConstants
from estimator.catalog.loader import load_catalog
from estimator.performance.algorithms import collective_terms
from estimator.performance.bandwidth import (
    LIMITS,
    domain_ring_bandwidth,
    host_network_bandwidth,
    points_of,
    system_columns,
    uplink_bandwidth,
)
from estimator.performance.collectives import VARIANTS
from estimator.performance.times import predict_times
from estimator.units import GIGA
from tests.estimator.designs import H100_NODES

CATALOG = load_catalog()
CONSTANTS = ModelConstants(CATALOG)


def columns_of(**changed: Any) -> Any:
    return system_columns([H100_NODES | changed], CATALOG, CONSTANTS)


@pytest.mark.parametrize("gpus", [2, 4, 8])
def test_half_a_mesh_has_the_links_to_its_own_gpus(gpus: int) -> None:
    """Eight MI300X have seven links each, one to each other: g of them use g − 1."""
    columns = columns_of(gpu="mi300x")
    rate, _ = domain_ring_bandwidth(columns, np.array([gpus]), CONSTANTS)
    whole, _ = domain_ring_bandwidth(columns, np.array([8]), CONSTANTS)
    assert rate[0] == pytest.approx(whole[0] * (gpus - 1) / 7)


def test_a_nic_that_is_faster_than_its_slot_sends_what_the_slot_carries() -> None:
    """Two 800G NICs (100 GB/s) in x16 slots of 51.2 GB/s, while eight GPUs could feed four times that."""
    rate, limit = host_network_bandwidth(columns_of(nics_per_node=2, nic_gbit_s=800), CONSTANTS)
    assert rate[0] == pytest.approx(2 * 51.2 * GIGA * CONSTANTS.value("network_efficiency", "infiniband"))
    assert LIMITS[limit[0]] == "PCIe"


@pytest.mark.parametrize(
    ("placement", "n_nodes", "crossings", "share"),
    [
        ("ordered", 64, 1.0, 1 / 4),  # a ring passes the end of a leaf of four nodes once
        ("ordered", 64, 2.0, 2 / 4),  # a tree twice
        ("ordered", 4, 2.0, 0.0),  # all below one leaf
        ("random", 64, 1.0, 1.0),  # of 16 leaves the worst keeps none of its four hops: 0.952 + 1.77 · 0.117
        ("random", 8, 2.0, 1 - 3 / 7 + 0.2 * (4 * 0.5) ** 0.5 * 0.5 / 4),  # of two leaves both have as many
    ],
)
def test_share_of_a_pattern_that_leaves_the_leaf(placement: str, n_nodes: int, crossings: float, share: float) -> None:
    columns = columns_of(placement=placement, nodes_per_leaf=4, oversubscription="3:1")
    rate, _ = uplink_bandwidth(columns, np.array([n_nodes]), crossings, CONSTANTS)
    nics = 8 * 50 * GIGA * CONSTANTS.value("network_efficiency", "infiniband")
    spare = nics * CONSTANTS.value("uplink_share", "adaptive") / 3
    assert rate[0] == (pytest.approx(spare / share) if share else np.inf)


def test_a_tree_crosses_a_leaf_twice_as_often_as_a_ring() -> None:
    """At 8:1 on leaves of four nodes the uplinks rule both: a tree of many domains moves half of a ring's rate again."""
    columns = columns_of(nodes_per_leaf=4, oversubscription="8:1")
    points = points_of(columns, np.array([512]), "process-per-gpu", CONSTANTS)
    ring, _ = points.paths.ring
    tree = 1 / collective_terms(points, CONSTANTS).byte_time_s[VARIANTS.index(("tree", "simple")), 0]
    assert tree == pytest.approx(CONSTANTS.value("tree_efficiency") * (ring[0] / 2) / 2)


@pytest.mark.parametrize(("n_ranks", "name"), [(8, "ll_max_one_domain"), (64, "ll_max_many_domains")])
def test_ll_carries_no_more_than_its_flags_allow(n_ranks: int, name: str) -> None:
    """The cap is a bus bandwidth: a tree, whose bytes count twice, has half of it."""
    columns = columns_of(nics_per_node=64)
    terms = collective_terms(points_of(columns, np.array([n_ranks]), "process-per-gpu", CONSTANTS), CONSTANTS)
    most = columns.constant(CONSTANTS, name)[0]
    ring, tree = (1 / terms.byte_time_s[VARIANTS.index((algorithm, "ll")), 0] for algorithm in ("ring", "tree"))
    assert ring * 2 * (n_ranks - 1) / n_ranks <= most * (1 + 1e-12)
    assert tree <= most / 2 * (1 + 1e-12)
    assert max(ring * 2 * (n_ranks - 1) / n_ranks, 2 * tree) == pytest.approx(most)


def test_gpus_send_no_more_than_their_own_slots() -> None:
    """Sixteen 400G NICs make 800 GB/s, and the links of eight GPUs 8 × 51.2; on a superchip they are not in the way."""
    share = CONSTANTS.value("network_efficiency", "infiniband")
    rate, limit = host_network_bandwidth(columns_of(nics_per_node=16), CONSTANTS)
    assert rate[0] == pytest.approx(8 * 51.2 * GIGA * share)
    assert LIMITS[limit[0]] == "PCIe"
    rate, limit = host_network_bandwidth(columns_of(gpu="gh200-141", nics_per_node=16), CONSTANTS)
    assert rate[0] == pytest.approx(16 * 50 * GIGA * share)
    assert LIMITS[limit[0]] == "NIC"


def test_without_gpudirect_every_step_over_the_network_waits() -> None:
    """A ring over two nodes has two such steps."""
    seconds = [
        predict_times(
            points_of(columns_of(gpudirect=on), np.array([16]), "process-per-gpu", CONSTANTS),
            np.array([[8.0]]),
            CONSTANTS,
            algorithm="ring",
            protocol="ll",
        ).time_s[0, 0]
        for on in (True, False)
    ]
    assert seconds[1] - seconds[0] == pytest.approx(2 * CONSTANTS.value("no_gpudirect_latency"), rel=1e-3)


def test_several_racks_are_less_sure() -> None:
    """The same domains of 72, as racks of 18 nodes and as single nodes; neither size has been measured."""
    widths = []
    for gpus_per_node in (4, 72):
        columns = columns_of(
            gpu="gb200", gpus_per_node=gpus_per_node, scale_up_domain_gpus=72, nics_per_node=gpus_per_node
        )
        points = points_of(columns, np.array([72 * 4096]), "process-per-gpu", CONSTANTS)
        made = predict_times(points, np.array([[2.0**30]]), CONSTANTS)
        assert not made.is_validated[0, 0]
        widths.append(np.log(made.high_s[0, 0] / made.time_s[0, 0]))
    assert widths[0] / widths[1] == pytest.approx(CONSTANTS.value("band_widening", "multi_rack"))


def test_the_band_grows_beyond_sixteen_domains() -> None:
    """By √(1 + growth · log2(k / 16)) in ln; without GPUDirect no size counts as measured, so nothing else differs."""
    columns = system_columns([H100_NODES | {"gpudirect": False}] * 3, CATALOG, CONSTANTS)
    points = points_of(columns, np.array([8, 16, 64]) * 8, "process-per-gpu", CONSTANTS)
    made = predict_times(points, np.array([[2.0**30]]), CONSTANTS)
    eight, sixteen, more = np.log(made.high_s[:, 0] / made.time_s[:, 0])
    assert eight == pytest.approx(sixteen)
    assert more / sixteen == pytest.approx(np.sqrt(1 + CONSTANTS.value("band_growth") * 2))
