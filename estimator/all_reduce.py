"""All-reduce: terms of every algorithm and protocol at given points. docs/model.md, "Algorithms", has the equations."""

from typing import Any

import numpy as np

from estimator.bandwidth import IN_NETWORK, LEAF, NVLINK_REDUCTION, Paths, Points, paths_of, slower
from estimator.collectives import (
    BUS_FACTORS,
    VARIANTS,
    Terms,
    ring_bandwidth,
    ring_steps,
    steps_latency,
    tree_levels,
    tree_network_share,
)
from estimator.model_constants import ModelConstants
from estimator.units import FloatArray

Row = tuple[
    Any, Any, Any, Any, Any
]  # of one variant: alpha, steps, fill [s], algorithm bandwidth [B/s], index of its limit


def _ll_max(points: Points, constants: ModelConstants) -> FloatArray:
    """Most that LL carries, whatever the links [B/s]: its flags cost the GPU's cores time."""
    names = ("ll_max_one_domain", "ll_max_two_domains", "ll_max_many_domains")
    return np.choose(np.minimum(points.n_domains, 3) - 1, [points.columns.constant(constants, name) for name in names])


def _ring(points: Points, paths: Paths, constants: ModelConstants) -> list[Row]:
    """Rows of the ring, for LL, LL128 and Simple."""
    columns, many = points.columns, points.n_domains > 1
    inside, across = ring_steps(points.n_ranks, points.n_domains)
    network, network_limit = paths.network(points, 1.0, constants)
    simple = ring_bandwidth(paths.ring_domain_byte_s, network, points.domain_ranks, points.n_domains)
    limit = np.where(many & (simple == network), network_limit, paths.domain_limit)
    capped = _ll_max(points, constants)
    ll128_inside = constants.value("ll128_domain_share") * paths.ring_domain_byte_s
    ll128 = ring_bandwidth(
        ll128_inside, constants.value("ll128_network_share") * network, points.domain_ranks, points.n_domains
    )
    rates = {"ll": np.minimum(capped, constants.value("ll_ring_share") * simple), "ll128": ll128, "simple": simple}
    fill_s = columns.constant(constants, "ring_fill") * np.minimum(inside + across, constants.value("ring_fill_steps"))
    shares = {"ll": 0.0, "ll128": 0.5, "simple": 1.0}
    terms = []
    for protocol, rate in rates.items():
        key = f"ring.{protocol}"
        step_s = constants.value("domain_step_latency", key)
        network_key = np.where(
            points.domain_ranks > 1,
            constants.value("network_step_latency", key),
            constants.value("network_step_latency", f"tree.{protocol}"),
        )
        network_step_s = network_key * constants.value("latency_factor", "ring_network") + paths.network_extra_s
        terms.append(
            (
                points.launch_s + constants.value("base_latency", key),
                steps_latency(inside, step_s, across, network_step_s),
                fill_s * shares[protocol],
                rate / BUS_FACTORS["all_reduce"](np.maximum(points.n_ranks, 2)),
                limit,
            )
        )
    return terms


def _tree(points: Points, paths: Paths, constants: ModelConstants) -> list[Row]:
    """Rows of the double binary tree, for LL, LL128 and Simple."""
    columns, many = points.columns, points.n_domains > 1
    levels = 2 * tree_levels(points.n_domains)
    inside = 2 * (points.domain_ranks - 1)
    efficiency = constants.value("tree_efficiency")
    network, network_limit = paths.network(points, 2.0, constants)
    in_domain = np.where(points.domain_ranks > 1, 0.5 * efficiency * paths.ring_domain_byte_s, np.inf)
    over_network = np.where(many, efficiency * network / tree_network_share(points.n_domains), np.inf)
    simple, limit = slower((in_domain, paths.domain_limit), (over_network, network_limit))
    capped = _ll_max(points, constants) / 2
    ll = np.minimum(capped, columns.constant(constants, "tree_ll_share") * simple)
    ll128 = simple * np.where(
        many, constants.value("tree_ll128_share", "network"), constants.value("tree_ll128_share", "domain")
    )
    fill_s = (
        constants.value("tree_fill", "domain") * inside
        + constants.value("tree_fill", "network") * levels * points.domain_ranks / 8
    )
    shares = {"ll": 0.0, "ll128": 0.5, "simple": 1.0}
    terms = []
    for protocol, rate in {"ll": ll, "ll128": ll128, "simple": simple}.items():
        key = f"tree.{protocol}"
        step_s = constants.value("domain_step_latency", key)
        network_step_s = (
            constants.value("network_step_latency", key) * constants.value("latency_factor", "tree_network")
            + paths.network_extra_s
        )
        terms.append(
            (
                points.launch_s + constants.value("base_latency", key),
                steps_latency(inside, step_s, levels, network_step_s),
                fill_s * shares[protocol],
                rate,
                limit,
            )
        )
    return terms


def _switch_reduction(points: Points, paths: Paths, constants: ModelConstants) -> list[Row]:
    """Rows of NVLS in one domain and of the NVLS tree over several."""
    columns = points.columns
    enough = columns.constant(constants, "nvls_min_ranks")
    can = columns.has_scale_up_reduction & (points.domain_ranks >= enough)
    one = can & (points.n_domains == 1)
    many = columns.has_scale_up_reduction & (points.n_domains > 1) & (points.domain_ranks > 1)
    base_s = points.launch_s + constants.value("base_latency", "nvls") * constants.value("latency_factor", "nvls")
    eighths = points.domain_ranks / 8
    fill_s = constants.value("nvls_fill") * eighths
    domain = columns.link_byte_s * columns.constant(constants, "nvls_efficiency")
    levels = 2 * tree_levels(points.n_domains)
    network, network_limit = paths.network(points, 2.0, constants)
    step_s = (
        constants.value("network_step_latency", "nvls_tree") * constants.value("latency_factor", "tree_network")
        + paths.network_extra_s
    )
    over_network = constants.value("nvls_tree_network_share") * network / tree_network_share(points.n_domains)
    reduction_limit = np.full(points.n_ranks.shape, NVLINK_REDUCTION)
    tree, tree_limit = slower(
        (constants.value("nvls_network_share") * domain, reduction_limit), (over_network, network_limit)
    )
    return [
        (np.where(one, base_s, np.inf), 0.0, fill_s, domain, reduction_limit),
        (
            np.where(many, base_s, np.inf),
            levels * step_s,
            fill_s + levels * constants.value("tree_fill", "network") * eighths,
            tree,
            tree_limit,
        ),
    ]


def _in_network(points: Points, paths: Paths, constants: ModelConstants) -> list[Row]:
    """Rows of CollNet chain and direct: the switches of the network add."""
    columns = points.columns
    can = columns.has_in_network_reduction & (points.n_domains > 1)
    network, network_limit = paths.network(points, 1.0, constants)
    network_limit = np.where(network_limit >= LEAF, network_limit, IN_NETWORK)
    inside = {"collnet_chain": 2 * (points.domain_ranks - 1), "collnet_direct": np.zeros_like(points.n_ranks)}
    fill_s = constants.value("nvls_fill") * points.domain_ranks / 8
    terms = []
    for algorithm, steps in inside.items():
        step_s = constants.value("domain_step_latency", "ring.simple")
        alpha_s = points.launch_s + constants.value("base_latency", algorithm) * constants.value(
            "latency_factor", "nvls"
        )
        network_step_s = constants.value("network_step_latency", algorithm) + paths.network_extra_s
        in_domain = np.where(points.domain_ranks > 1, paths.ring_domain_byte_s, np.inf)
        rate, limit = slower(
            (in_domain, paths.domain_limit), (constants.value("collnet_share", algorithm) * network, network_limit)
        )
        terms.append(
            (np.where(can, alpha_s, np.inf), steps_latency(steps, step_s, 1, network_step_s), fill_s, rate, limit)
        )
    return terms


def all_reduce_terms(
    points: Points, constants: ModelConstants, algorithm: str | None = None, protocol: str | None = None
) -> Terms:
    """Terms of every variant of all-reduce at every point; those not asked for, or not possible, have alpha infinite."""
    paths = paths_of(points, constants)
    rows = [
        *_ring(points, paths, constants),
        *_tree(points, paths, constants),
        *_switch_reduction(points, paths, constants),
        *_in_network(points, paths, constants),
    ]
    start = constants.value("channel_start", "domain") + 2 * tree_levels(points.n_domains) * constants.value(
        "channel_start", "network"
    )
    shape = (len(VARIANTS), len(points.n_ranks))
    alpha_s, steps_s, start_s, fill_s, byte_time_s = (np.empty(shape) for _ in range(5))
    limit = np.empty(shape, dtype=np.int64)
    for i, ((alpha, steps, fill, rate, row_limit), (name, kind)) in enumerate(zip(rows, VARIANTS, strict=True)):
        is_wanted = algorithm in (None, name) and protocol in (None, kind)
        exists = is_wanted & (points.n_ranks > 1) & np.isfinite(alpha) & (rate > 0)
        alpha_s[i] = np.where(exists, alpha, np.inf)
        steps_s[i] = np.where(exists, steps, 0.0)
        start_s[i], fill_s[i] = np.where(exists, start, 0.0), np.where(exists, fill, 0.0)
        byte_time_s[i] = 1.0 / np.where(exists, rate, 1.0)
        limit[i] = row_limit
    return Terms(
        alpha_s,
        steps_s,
        start_s,
        fill_s,
        byte_time_s,
        limit,
        constants.value("channel_start_bytes"),
        constants.value("half_fill_bytes"),
        constants.value("step_hiding"),
    )
