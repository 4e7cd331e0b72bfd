"""Systems → times of a collective: latencies and bandwidths of every algorithm, the fastest of them, and how sure that is.

All arrays run over points (a system with a GPU count) and message sizes. docs/model.md has the equations.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from estimator.bandwidth import (
    ALONE, ANY_NUMBER, BALANCING, FILL, IN_NETWORK, LATENCY, LEAF, LIMITS, NVLINK_REDUCTION, SystemColumns,
    domain_ring_bandwidth, host_network_bandwidth, system_columns, uplink_bandwidth,
)
from estimator.collectives import (
    BUS_FACTORS, VARIANTS, Terms, fastest, ring_bandwidth, ring_steps, saturation, stepped_latency, tree_levels,
    tree_network_share,
)
from estimator.model_constants import ModelConstants
from estimator.units import FloatArray, IntArray, byte_s_to_gb_s, ceil_div, s_to_us

BoolArray = npt.NDArray[np.bool_]
LAUNCHES = ("process-per-gpu", "single-process", "graph")


@dataclass(frozen=True, slots=True)
class Points:
    """Systems with GPU counts; every array has shape (n_points,)."""

    columns: SystemColumns
    n_ranks: IntArray
    n_domains: IntArray
    domain_ranks: IntArray
    launch_s: FloatArray


def points_of(columns: SystemColumns, n_ranks: IntArray, launch: str, constants: ModelConstants) -> Points:
    """Points from columns already repeated once a GPU count."""
    n_domains = ceil_div(n_ranks, columns.domain_gpus)
    launch_s = constants.value("launch", launch) + constants.get("launch_per_gpu", launch, 0.0) * np.minimum(
        n_ranks, columns.gpus_per_node)
    return Points(columns, n_ranks, n_domains, np.minimum(n_ranks, columns.domain_gpus), launch_s)


@dataclass(frozen=True, slots=True)
class Paths:
    """Bandwidths and latencies that several algorithms share; arrays of shape (n_points,)."""

    ring_domain_byte_s: FloatArray
    domain_limit: IntArray
    network_byte_s: FloatArray  # what hosts can send, whatever the fabric
    network_limit: IntArray
    network_extra_s: FloatArray  # added to each step over the network

    def network(self, points: Points, domain_crossings: float, constants: ModelConstants) -> tuple[Any, Any]:
        """Network bandwidth of a pattern of traffic [B/s], and its limit."""
        return _slower((self.network_byte_s, self.network_limit),
                       uplink_bandwidth(points.columns, points.n_domains, domain_crossings, constants))


def paths_of(points: Points, constants: ModelConstants) -> Paths:
    """Bandwidths and latencies of the points' systems."""
    columns = points.columns
    inside, domain_limit = domain_ring_bandwidth(columns, points.domain_ranks, constants)
    network, network_limit = host_network_bandwidth(columns, constants)
    extra = columns.network_constant(constants, "fabric_latency")
    extra = extra + np.where(columns.has_gpudirect, 0.0, constants.value("no_gpudirect_latency"))
    return Paths(inside, domain_limit, network, network_limit, extra)


def _slower(first: tuple[Any, Any], second: tuple[Any, Any]) -> tuple[Any, Any]:
    """The lower of two (bandwidth, limit) pairs, point by point."""
    return np.minimum(first[0], second[0]), np.where(second[0] < first[0], second[1], first[1])


def _ll_max(points: Points, constants: ModelConstants) -> FloatArray:
    """Most that LL carries, whatever the links [B/s]: its flags cost the GPU's cores time."""
    names = ("ll_max_one_domain", "ll_max_two_domains", "ll_max_many_domains")
    return np.choose(np.minimum(points.n_domains, 3) - 1, [points.columns.constant(constants, name) for name in names])


def _ring(points: Points, paths: Paths, constants: ModelConstants) -> list[tuple[Any, Any, Any, Any]]:
    """(alpha [s], fill [s], algorithm bandwidth [B/s], limit) of the ring, for LL, LL128 and Simple."""
    columns, many = points.columns, points.n_domains > 1
    inside, across = ring_steps(points.n_ranks, points.n_domains)
    network, network_limit = paths.network(points, 1.0, constants)
    simple = ring_bandwidth(paths.ring_domain_byte_s, network, points.domain_ranks, points.n_domains)
    limit = np.where(many & (simple == network), network_limit, paths.domain_limit)
    capped = _ll_max(points, constants)
    ll128_inside = constants.value("ll128_domain_share") * paths.ring_domain_byte_s
    ll128 = ring_bandwidth(ll128_inside, constants.value("ll128_network_share") * network, points.domain_ranks,
                           points.n_domains)
    rates = {"ll": np.minimum(capped, constants.value("ll_ring_share") * simple), "ll128": ll128, "simple": simple}
    fill_s = columns.constant(constants, "ring_fill") * np.minimum(inside + across, constants.value("ring_fill_steps"))
    shares = {"ll": 0.0, "ll128": 0.5, "simple": 1.0}
    terms = []
    for protocol, rate in rates.items():
        key = f"ring.{protocol}"
        step_s = constants.value("domain_step_latency", key)
        network_key = np.where(points.domain_ranks > 1, constants.value("network_step_latency", key),
                               constants.value("network_step_latency", f"tree.{protocol}"))
        network_step_s = network_key * constants.value("latency_factor", "ring_network") + paths.network_extra_s
        latency = stepped_latency(constants.value("base_latency", key), inside, step_s, across, network_step_s)
        terms.append((points.launch_s + latency, fill_s * shares[protocol],
                      rate / BUS_FACTORS["all_reduce"](np.maximum(points.n_ranks, 2)), limit))
    return terms


def _tree(points: Points, paths: Paths, constants: ModelConstants) -> list[tuple[Any, Any, Any, Any]]:
    """(alpha [s], fill [s], algorithm bandwidth [B/s], limit) of the double binary tree, for LL, LL128 and Simple."""
    columns, many = points.columns, points.n_domains > 1
    levels = 2 * tree_levels(points.n_domains)
    inside = 2 * (points.domain_ranks - 1)
    efficiency = constants.value("tree_efficiency")
    network, network_limit = paths.network(points, 2.0, constants)
    in_domain = np.where(points.domain_ranks > 1, 0.5 * efficiency * paths.ring_domain_byte_s, np.inf)
    over_network = np.where(many, efficiency * network / tree_network_share(points.n_domains), np.inf)
    simple, limit = _slower((in_domain, paths.domain_limit), (over_network, network_limit))
    capped = _ll_max(points, constants) / 2
    ll = np.minimum(capped, columns.constant(constants, "tree_ll_share") * simple)
    ll128 = simple * np.where(many, constants.value("tree_ll128_share", "network"),
                              constants.value("tree_ll128_share", "domain"))
    fill_s = constants.value("tree_fill") * (inside + levels)
    shares = {"ll": 0.0, "ll128": 0.5, "simple": 1.0}
    terms = []
    for protocol, rate in {"ll": ll, "ll128": ll128, "simple": simple}.items():
        key = f"tree.{protocol}"
        step_s = constants.value("domain_step_latency", key)
        network_step_s = (constants.value("network_step_latency", key) * constants.value("latency_factor", "tree_network")
                          + paths.network_extra_s)
        latency = stepped_latency(constants.value("base_latency", key), inside, step_s, levels, network_step_s)
        terms.append((points.launch_s + latency, fill_s * shares[protocol], rate, limit))
    return terms


def _switch_reduction(points: Points, paths: Paths, constants: ModelConstants) -> list[tuple[Any, Any, Any, Any]]:
    """(alpha [s], fill [s], algorithm bandwidth [B/s], limit) of NVLS in one domain and of the NVLS tree over several."""
    columns = points.columns
    enough = columns.constant(constants, "nvls_min_ranks")
    can = columns.has_scale_up_reduction & (points.domain_ranks >= enough)
    one = can & (points.n_domains == 1)
    many = columns.has_scale_up_reduction & (points.n_domains > 1) & (points.domain_ranks > 1)
    base_s = points.launch_s + constants.value("base_latency", "nvls") * constants.value("latency_factor", "nvls")
    fill_s = constants.value("nvls_fill") * points.domain_ranks / 8
    domain = columns.link_byte_s * columns.constant(constants, "nvls_efficiency")
    levels = 2 * tree_levels(points.n_domains)
    network, network_limit = paths.network(points, 2.0, constants)
    step_s = (constants.value("network_step_latency", "nvls_tree") * constants.value("latency_factor", "tree_network")
              + paths.network_extra_s)
    over_network = constants.value("nvls_tree_network_share") * network / tree_network_share(points.n_domains)
    reduction_limit = np.full(points.n_ranks.shape, NVLINK_REDUCTION)
    tree, tree_limit = _slower((constants.value("nvls_network_share") * domain, reduction_limit),
                               (over_network, network_limit))
    return [
        (np.where(one, base_s, np.inf), fill_s, domain, reduction_limit),
        (np.where(many, base_s + levels * step_s, np.inf), fill_s + levels * constants.value("tree_fill"), tree,
         tree_limit),
    ]


def _in_network(points: Points, paths: Paths, constants: ModelConstants) -> list[tuple[Any, Any, Any, Any]]:
    """(alpha [s], fill [s], algorithm bandwidth [B/s], limit) of CollNet chain and direct: the switches of the network add."""
    columns = points.columns
    can = columns.has_in_network_reduction & (points.n_domains > 1)
    network, network_limit = paths.network(points, 1.0, constants)
    network_limit = np.where(network_limit >= LEAF, network_limit, IN_NETWORK)
    inside = {"collnet_chain": 2 * (points.domain_ranks - 1), "collnet_direct": np.zeros_like(points.n_ranks)}
    fill_s = constants.value("nvls_fill") * points.domain_ranks / 8
    terms = []
    for algorithm, steps in inside.items():
        step_s = constants.value("domain_step_latency", "ring.simple")
        alpha_s = (points.launch_s + constants.value("base_latency", algorithm) * constants.value("latency_factor", "nvls")
                   + steps * step_s + constants.value("network_step_latency", algorithm) + paths.network_extra_s)
        in_domain = np.where(points.domain_ranks > 1, paths.ring_domain_byte_s, np.inf)
        rate, limit = _slower((in_domain, paths.domain_limit),
                              (constants.value("collnet_share", algorithm) * network, network_limit))
        terms.append((np.where(can, alpha_s, np.inf), fill_s, rate, limit))
    return terms


def terms_of(points: Points, constants: ModelConstants, algorithm: str | None = None, protocol: str | None = None) -> Terms:
    """Terms of every variant of all-reduce at every point; those not asked for, or not possible, have alpha infinite."""
    paths = paths_of(points, constants)
    rows = [*_ring(points, paths, constants), *_tree(points, paths, constants),
            *_switch_reduction(points, paths, constants), *_in_network(points, paths, constants)]
    start = (constants.value("channel_start", "domain")
             + 2 * tree_levels(points.n_domains) * constants.value("channel_start", "network"))
    shape = (len(VARIANTS), len(points.n_ranks))
    alpha_s, start_s, fill_s, byte_time_s = (np.empty(shape) for _ in range(4))
    limit = np.empty(shape, dtype=np.int64)
    for i, ((alpha, fill, rate, row_limit), (name, kind)) in enumerate(zip(rows, VARIANTS, strict=True)):
        is_wanted = algorithm in (None, name) and protocol in (None, kind)
        exists = is_wanted & (points.n_ranks > 1) & np.isfinite(alpha) & (rate > 0)
        alpha_s[i] = np.where(exists, alpha, np.inf)
        start_s[i], fill_s[i] = np.where(exists, start, 0.0), np.where(exists, fill, 0.0)
        byte_time_s[i] = 1.0 / np.where(exists, rate, np.inf)
        limit[i] = row_limit
    return Terms(alpha_s, start_s, fill_s, byte_time_s, limit, constants.value("channel_start_bytes"),
                 constants.value("half_fill_bytes"))


@dataclass(frozen=True, slots=True)
class Times:
    """Predicted times; arrays of shape (n_points, n_sizes) unless they say otherwise."""

    time_s: FloatArray
    low_s: FloatArray
    high_s: FloatArray
    choice: IntArray  # index into VARIANTS; -1 where one GPU has nothing to exchange
    limit: IntArray  # index into LIMITS
    is_validated: BoolArray
    algbw_byte_s: FloatArray
    busbw_byte_s: FloatArray


def _at(rows: Any, choice: IntArray) -> Any:
    """Rows of shape (n_variants, n_points) at the chosen variants: (n_points, n_sizes)."""
    return rows[choice, np.arange(rows.shape[1])[:, None]]


def _limits(terms: Terms, choice: IntArray, message_bytes: FloatArray) -> IntArray:
    """What takes the most time of the chosen variant: latency, filling the pipe, or the slowest link."""
    alpha_s = _at(terms.alpha_s, choice) + _at(terms.start_s, choice) * saturation(message_bytes, terms.start_bytes)
    fill_s = _at(terms.fill_s, choice) * saturation(message_bytes, terms.fill_bytes)
    bytes_s = _at(terms.byte_time_s, choice) * message_bytes
    limit = np.where(bytes_s >= np.maximum(alpha_s, fill_s), _at(terms.limit, choice), FILL)
    return np.where((alpha_s >= fill_s) & (alpha_s > bytes_s), LATENCY, limit)


def _spread(points: Points, message_bytes: FloatArray, limit: IntArray, choice: IntArray, is_validated: BoolArray,
            constants: ModelConstants) -> tuple[FloatArray, FloatArray]:
    """Measured ÷ predicted time of nine runs in ten: (low, high) factors, shape (n_points, n_sizes).

    The width in ln is interpolated over ln S between the size classes that residuals are known for, and grows with the
    number of domains beyond 16, and where a result rests on a part of the model that few runs or none have tested.
    """
    knots = sorted(constants.indices("band_low"), key=int)
    at = np.log(np.array([float(knot) for knot in knots]))
    ln_bytes = np.log(message_bytes)
    low = np.interp(ln_bytes, at, np.log(constants.column("band_low", knots)))
    high = np.interp(ln_bytes, at, np.log(constants.column("band_high", knots)))
    beyond = np.log2(np.maximum(points.n_domains / 16.0, 1.0))
    width = np.sqrt(1.0 + constants.value("band_growth") * beyond)[:, None]
    collnet = np.isin(choice, [i for i, (name, _) in enumerate(VARIANTS) if name.startswith("collnet")])
    racks = (points.columns.domain_gpus > points.columns.gpus_per_node) & (points.n_domains > 1)
    width = width * np.where(collnet, constants.value("band_widening", "in_network_reduction"), 1.0)
    width = width * np.where(racks, constants.value("band_widening", "multi_rack"), 1.0)[:, None]
    width = width * np.where((limit == LEAF) | (limit == BALANCING), constants.value("band_widening", "uplinks"), 1.0)
    width = width * np.where(is_validated, 1.0, constants.value("band_widening", "not_validated"))
    return np.exp(low * width), np.exp(high * width)


def _is_validated(points: Points, terms: Terms, choice: IntArray, message_bytes: FloatArray, launch: str,
                  constants: ModelConstants) -> BoolArray:
    """True where generation, fabric, number of domains, size of a domain, message size and launch have been measured."""
    columns = points.columns
    domains = columns.network_constant(constants, "measured_domains")
    domains = np.where(columns.domain_gpus > columns.gpus_per_node, np.minimum(domains, constants.value("measured_racks")), domains)
    known = (points.n_domains <= np.maximum(domains, 1)) & columns.has_gpudirect
    known &= points.domain_ranks <= columns.constant(constants, "measured_domain_gpus")
    known &= columns.link_reach_gpus == ANY_NUMBER
    known &= constants.value("measured_launch", launch) > 0
    sizes = (message_bytes >= constants.value("measured_bytes", "least")) & (
        message_bytes <= constants.value("measured_bytes", "most"))
    limit = _at(terms.limit, choice)
    return known[:, None] & sizes & (limit != LEAF) & (limit != BALANCING)


def predict_times(points: Points, message_bytes: FloatArray, launch: str, constants: ModelConstants,
                  algorithm: str | None = None, protocol: str | None = None) -> Times:
    """Times of all-reduce at every point and size.

    Parameters
    ----------
    points : systems with GPU counts.
    message_bytes : float array, shape (1 or n_points, n_sizes), above 0. [B]
    launch : one of LAUNCHES.
    algorithm, protocol : forced, or None for the fastest.

    Returns
    -------
    Times; infinite where the forced algorithm does not exist at a point.
    """
    terms = terms_of(points, constants, algorithm, protocol)
    time_s, choice = fastest(terms, message_bytes)
    message_bytes = np.broadcast_to(message_bytes, time_s.shape)
    limit = _limits(terms, choice, message_bytes)
    is_validated = _is_validated(points, terms, choice, message_bytes, launch, constants)
    low, high = _spread(points, message_bytes, limit, choice, is_validated, constants)
    alone = (points.n_ranks == 1)[:, None]
    time_s = np.where(alone, 0.0, time_s)
    algbw = np.where(alone, 0.0, message_bytes / np.where(alone, 1.0, time_s))
    return Times(
        time_s=time_s, low_s=time_s * low, high_s=time_s * high, choice=np.where(alone, -1, choice),
        limit=np.where(alone, ALONE, limit), is_validated=is_validated | alone, algbw_byte_s=algbw,
        busbw_byte_s=algbw * BUS_FACTORS["all_reduce"](points.n_ranks)[:, None])


DESIGN_MESSAGE_BYTES = tuple(2**power for power in range(3, 35))  # 8 B to 16 GiB
DESIGN_LAUNCH = "process-per-gpu"


def gpu_counts(domain_gpus: int, n_gpus: int) -> list[int]:
    """GPU counts to show for a design: one scale-up domain (two GPUs at least), powers of two beyond it, all of them."""
    first = min(max(domain_gpus, 2), n_gpus)
    powers = [2**power for power in range(first.bit_length(), n_gpus.bit_length()) if first < 2**power < n_gpus]
    return [first, *powers, n_gpus] if n_gpus > first else [first]


def design_performance(systems: Sequence[dict[str, Any]], n_gpus: Sequence[int], catalog: Any) -> list[dict[str, Any]]:
    """Predicted all-reduce of designs, from one scale-up domain to all of their GPUs, 8 B to 16 GiB.

    Parameters
    ----------
    systems : one a design, in the form of a prediction request's ``system``; ``gpu`` must be in the catalog.
    n_gpus : GPUs of each design, 1 or more.

    Returns
    -------
    One dict a design: ``{"all_reduce": {"gpus", "message_bytes", "time_us", …}}``; tables have a row for each GPU count and
    a column for each size. ``scaling_efficiency`` is busbw ÷ busbw at ``reference_gpus``, the first count, at the same size.
    """
    constants = ModelConstants(catalog)
    columns = system_columns(systems, catalog, constants)
    counts = [gpu_counts(int(domain), total) for domain, total in zip(columns.domain_gpus, n_gpus, strict=True)]
    # after the rows that are shown, each design gets its last count once in each placement
    sizes = [len(row) for row in counts]
    owner = np.repeat(np.arange(len(counts)), [size + 2 for size in sizes])
    n_ranks = np.array([n for row in counts for n in (*row, row[-1], row[-1])], dtype=np.int64)
    repeated = columns.take(owner)
    start = np.concatenate([[0], np.cumsum([size + 2 for size in sizes])])
    is_random = repeated.is_random.copy()
    is_random[start[1:] - 2], is_random[start[1:] - 1] = False, True
    points = points_of(replace(repeated, is_random=is_random), n_ranks, DESIGN_LAUNCH, constants)
    message_bytes = np.array([DESIGN_MESSAGE_BYTES], dtype=np.float64)
    times = predict_times(points, message_bytes, DESIGN_LAUNCH, constants)
    return [{"all_reduce": _design_table(times, counts[i], int(start[i]), _used(constants, columns, i))}
            for i in range(len(counts))]


def _design_table(times: Times, counts: list[int], start: int, used: list[dict[str, Any]]) -> dict[str, Any]:
    """The JSON of one design from its rows of ``times``."""
    rows = slice(start, start + len(counts))
    busbw = byte_s_to_gb_s(times.busbw_byte_s[start:start + len(counts) + 2])
    shown = busbw[:-2]
    choice = times.choice[rows].tolist()
    return {
        "gpus": counts, "message_bytes": list(DESIGN_MESSAGE_BYTES), "reference_gpus": counts[0],
        "busbw_gb_s": shown.tolist(), "algbw_gb_s": byte_s_to_gb_s(times.algbw_byte_s[rows]).tolist(),
        "time_us": s_to_us(times.time_s[rows]).tolist(), "time_us_low": s_to_us(times.low_s[rows]).tolist(),
        "time_us_high": s_to_us(times.high_s[rows]).tolist(),
        "scaling_efficiency": (shown / shown[0] if shown[0, 0] > 0 else np.ones_like(shown)).tolist(),
        "algorithm": [[algorithm_name(i) for i in row] for row in choice],
        "protocol": [[protocol_name(i) for i in row] for row in choice],
        "limited_by": [[LIMITS[i] for i in row] for row in times.limit[rows].tolist()],
        "validated": times.is_validated[rows].tolist(),
        "both_placements": {"gpus": counts[-1], "message_bytes": DESIGN_MESSAGE_BYTES[-1],
                            "ordered_busbw_gb_s": float(busbw[-2, -1]), "random_busbw_gb_s": float(busbw[-1, -1])},
        "constants": used,
    }


def algorithm_name(choice: int) -> str | None:
    """Algorithm of a variant's index; None for -1."""
    return VARIANTS[choice][0] if choice >= 0 else None


def protocol_name(choice: int) -> str | None:
    """Protocol of a variant's index; None for -1."""
    return VARIANTS[choice][1] if choice >= 0 else None


def _used(constants: ModelConstants, columns: SystemColumns, variant: int) -> list[dict[str, Any]]:
    """Constants behind one variant of a batch: those looked up, but for other variants' own."""
    without = frozenset().union(*columns.labels) - columns.labels[variant]
    return [{"name": row.name, "index": row.index or "", "value": float(row.value), "low": float(row.low),
             "high": float(row.high), "unit": row.unit, "basis": row.basis, "source": row.source, "evidence": row.evidence}
            for row in constants.used(without)]
