"""Formulas of one collective: closed forms, and the search for the fastest variant."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.performance.collectives import (
    BUS_FACTORS,
    PROTOCOLS,
    VARIANTS,
    Terms,
    fastest,
    ring_bandwidth,
    ring_steps,
    saturation,
    shown_steps,
    steps_latency,
    tree_levels,
    tree_network_share,
)
from estimator.units import FloatArray


def test_variants_are_pairs_of_known_names_and_fit_in_four_bits() -> None:
    assert len(set(VARIANTS)) == len(VARIANTS) <= 16
    assert {protocol for _, protocol in VARIANTS} == set(PROTOCOLS)


@given(n_ranks=st.integers(2, 4096), ranks_each=st.integers(1, 64))
def test_ring_steps_are_twice_n_less_one(n_ranks: int, ranks_each: int) -> None:
    n_domains = -(-n_ranks // ranks_each)
    inside, across = ring_steps(2, n_ranks, n_domains)
    assert inside + across == 2 * (n_ranks - 1)
    assert across == 2 * (n_domains - 1)
    assert inside >= 0


def test_bus_factor_of_all_reduce() -> None:
    assert BUS_FACTORS["all_reduce"](8) == 1.75
    assert BUS_FACTORS["all_reduce"](1) == 0


@pytest.mark.parametrize(
    ("inside", "network", "ranks", "domains", "expected"),
    [
        (300.0, 50.0, 8, 1, 300.0),  # one domain: the network does not count
        (300.0, 50.0, 1, 4, 50.0),  # one GPU a domain: nor do the links
        (300.0, 50.0, 8, 2, 50.0),
        (300.0, 1000.0, 4, 2, 400.0),  # 3 of 4 hops inside: links have 4/3 of their rate to spare
    ],
)
def test_ring_bandwidth_is_that_of_its_slowest_hop(
    inside: float, network: float, ranks: int, domains: int, expected: float
) -> None:
    assert ring_bandwidth(inside, network, ranks, domains) == pytest.approx(expected)


def test_tree_levels_and_shares() -> None:
    domains = np.array([1, 2, 3, 4, 7, 8, 9, 1023, 1024, 2**20])
    np.testing.assert_array_equal(tree_levels(domains), [0, 1, 1, 2, 2, 3, 3, 9, 10, 20])
    np.testing.assert_array_equal(tree_network_share(np.array([2, 3, 4, 100])), [1.0, 1.5, 2.0, 2.0])


def test_saturation_runs_from_none_to_all() -> None:
    np.testing.assert_allclose(saturation(np.array([0.0, 10.0, 1e12]), 10.0), [0.0, 0.5, 1.0])


def test_steps_latency_adds_steps() -> None:
    assert steps_latency(3, 0.5, 2, 4.0) == 9.5


def test_short_messages_show_all_steps_and_long_ones_hardly_any() -> None:
    assert shown_steps(2.0, 1e-9, 5.0) == pytest.approx(2.0)
    assert shown_steps(2.0, 10.0, 5.0) == pytest.approx(1.0)  # bytes of h times the latency hide half of it
    assert shown_steps(2.0, 1e6, 5.0) < 1e-4
    assert shown_steps(0.0, 1.0, 5.0) == 0.0


@given(steps_s=st.floats(0, 1e-2), hiding=st.floats(1, 20))
def test_hiding_never_makes_a_longer_message_quicker(steps_s: float, hiding: float) -> None:
    bytes_s = np.logspace(-9, 1, 200)
    assert (np.diff(bytes_s + shown_steps(steps_s, bytes_s, hiding)) > 0).all()


def random_terms(seed: int, n_points: int) -> Terms:
    random = np.random.default_rng(seed)
    shape = (len(VARIANTS), n_points)
    decades = ((-6, -3), (-6, -3), (-6, -4), (-6, -3), (-12, -9))
    alpha, steps, start, fill, byte_time = (10.0 ** random.uniform(low, high, shape) for low, high in decades)
    alpha[random.random(shape) < 0.3] = np.inf
    alpha[0] = 1e-5
    return Terms(alpha, steps, start, fill, byte_time, np.zeros(shape, dtype=np.int64), 8e3, 1e7, 5.0)


@given(seed=st.integers(0, 2**32 - 1), n_points=st.integers(1, 5))
def test_the_fastest_is_the_minimum_and_names_its_variant(seed: int, n_points: int) -> None:
    terms = random_terms(seed, n_points)
    message_bytes: FloatArray = 2.0 ** np.arange(3.0, 35.0)[None, :]
    bytes_s = terms.byte_time_s[:, :, None] * message_bytes
    all_times = (
        terms.alpha_s[:, :, None]
        + shown_steps(terms.steps_s[:, :, None], bytes_s, terms.hiding)
        + bytes_s
        + terms.start_s[:, :, None] * saturation(message_bytes, terms.start_bytes)
        + terms.fill_s[:, :, None] * saturation(message_bytes, terms.fill_bytes)
    )
    best, choice = fastest(terms, message_bytes)
    np.testing.assert_allclose(best, all_times.min(axis=0), rtol=1e-14)
    chosen = np.take_along_axis(all_times, choice[None], axis=0)[0]
    np.testing.assert_allclose(chosen, best, rtol=1e-14)


def test_a_point_without_any_variant_takes_for_ever() -> None:
    terms = random_terms(1, 2)
    terms.alpha_s[:, 1] = np.inf
    best, _ = fastest(terms, np.array([[8.0, 1e9]]))
    assert np.isfinite(best[0]).all()
    assert np.isinf(best[1]).all()
