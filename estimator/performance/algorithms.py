"""Terms of every algorithm and protocol of every collective at given points. docs/model.md, "Algorithms", has the equations.

An algorithm that a collective does not have is no error when it is forced: as in NCCL, all but all-reduce fall back to
the ring, and exchanges between pairs (all-to-all, send-receive) know one way only, called ``direct`` here.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from estimator.catalog.constants import ModelConstants
from estimator.performance.bandwidth import (
    CHANNELS,
    FRAMEWORK,
    IN_NETWORK,
    LEAF,
    NVLINK_REDUCTION,
    ONE_PROCESS,
    Paths,
    Points,
    points_of,
    slower,
)
from estimator.performance.collectives import (
    BUS_FACTORS,
    ONLY_FORCED,
    PIPELINED,
    PROTOCOLS,
    RING_PASSES,
    VARIANTS,
    Channels,
    Terms,
    fastest,
    ring_bandwidth,
    ring_steps,
    steps_latency,
    tree_levels,
    tree_network_share,
)
from estimator.performance.library import CHANNELS_BY_RATE_FROM, UNKNOWN, channels_over_network, power_of_two_below
from estimator.performance.tuner import most_bytes
from estimator.units import FloatArray

FILL_SHARES = {"ll": 0.0, "ll128": 0.5, "simple": 1.0}  # of a chunk's time that a protocol waits for


class Row(NamedTuple):
    """One variant; arrays of shape (n_points,) or numbers. ``base_s`` is infinite where the variant does not exist."""

    base_s: Any
    steps_s: Any
    start_s: Any
    fill_s: Any
    rate_byte_s: Any  # algorithm bandwidth S/T without latency
    limit: Any


Rows = dict[tuple[str, str], Row]
RowsOf = Callable[[Points, "Rings | None", ModelConstants, bool], Rows]
_NO_HOLD = 1e9  # channels enough never to hold a pair up


def _own_copy(points: Points, constants: ModelConstants, collective: str) -> FloatArray:
    """Seconds a byte of the message for a GPU's own part, S/n, which it copies or adds at memory speed beside no link."""
    return 1.0 / (points.columns.constant(constants, "own_copy_rate", collective) * points.n_ranks)


def _domain_step(points: Points, constants: ModelConstants, key: str, *, waits: bool = False) -> FloatArray:
    """Latency of a step over the scale-up links [s]: the tuner's, of LL (and pairs) by generation.

    ``waits`` where each GPU adds or keeps its part of what comes by: in one domain each step with Simple then waits for a
    whole chunk. Where all is passed on as it is, chunks follow each other, and over several domains those of many rings.
    """
    step_s = constants.value("domain_step_latency", key)
    if key == "ring.simple":
        chunk = points.columns.constant(constants, "latency_factor", "chunk" if waits else "passed_on")
        return step_s * np.where(points.n_domains == 1, chunk, 1.0)
    if key.endswith(("ll128", "simple")):
        return np.full(points.n_ranks.shape, step_s)
    return step_s * points.columns.constant(constants, "latency_factor", "domain")


def _start(points: Points, constants: ModelConstants, passes: int) -> Any:
    """What it takes to open all channels, those over the network on every pass; levels beyond the first add a little to it.

    Channels of all levels open at once where the fabric's plugin lets them, and one after another over Slingshot.
    """
    network = constants.value("channel_start", "network")
    further = np.maximum(tree_levels(points.n_domains) - 1, 0)
    network = network + further * _of_fabric(points, constants, "channel_start_level")
    return constants.value("channel_start", "domain") + np.where(points.n_domains > 1, passes * network, 0.0)


def _ll_max(points: Points, constants: ModelConstants) -> FloatArray:
    """Most that LL carries, whatever the links [B/s]: its flags cost the GPU's cores time."""
    names = ("ll_max_one_domain", "ll_max_two_domains", "ll_max_many_domains")
    return np.choose(np.minimum(points.n_domains, 3) - 1, [points.columns.constant(constants, name) for name in names])


def _of_fabric(points: Points, constants: ModelConstants, name: str, start: str = "") -> FloatArray:
    """A constant that may have a row of its own for a fabric."""
    columns = points.columns
    return constants.column(name, [f"{start}{fabric}" for fabric in columns.fabrics])[columns.fabric_code]


class Rings(NamedTuple):
    """What rings of all collectives share."""

    rates: dict[str, Any]  # by protocol, before what a collective passes on
    limit: Any
    network_s: dict[str, Any]  # of a step over the network
    step_fill_s: Any  # of one step that is still to fill
    fill_share: Any


def rings_of(points: Points, constants: ModelConstants) -> Rings:
    """Rates and latencies of rings, for collectives of the same points to share."""
    columns, paths, many = points.columns, points.paths, points.n_domains > 1
    network, network_limit = paths.ring
    simple = ring_bandwidth(paths.ring_domain_byte_s, network, points.domain_ranks, points.n_domains)
    limit = np.where(many & (simple == network), network_limit, paths.domain_limit)
    ll128 = ring_bandwidth(
        constants.value("ll128_domain_share") * paths.ring_domain_byte_s,
        _of_fabric(points, constants, "ll128_network_share") * network,
        points.domain_ranks,
        points.n_domains,
    )
    ll = np.minimum(_ll_max(points, constants), constants.value("ll_ring_share") * simple)
    ll = ll * np.where(many, 1.0, columns.constant(constants, "ll_rate_factor"))
    factor = constants.value("latency_factor", "ring_network")
    network_s = {}
    for protocol in ("ll", "ll128", "simple"):
        ends = (constants.value("network_step_latency", f"{name}.{protocol}") for name in ("ring", "tree"))
        network_s[protocol] = np.where(points.domain_ranks > 1, *ends) * factor + paths.network_extra_s
    fill_share = np.where(many, constants.value("fill_share", "domains"), 1.0)
    rates = {"ll": ll, "ll128": ll128, "simple": simple}
    return Rings(rates, limit, network_s, columns.constant(constants, "ring_fill"), fill_share)


def _ring(points: Points, rings: Rings | None, constants: ModelConstants, collective: str) -> Rows:
    rings = rings or rings_of(points, constants)
    passes = RING_PASSES[collective]
    inside, across = ring_steps(passes, points.n_ranks, points.n_domains)
    share = constants.value("pass_efficiency", collective)
    passed = {"ll": min(share, 1.0), "ll128": share, "simple": share}  # flags bound LL, whatever passes
    fill_s = rings.step_fill_s * np.minimum(inside + across, constants.value("ring_fill_steps")) * rings.fill_share
    start_s = _start(points, constants, passes) * constants.value("start_share", collective)
    own_s = _own_copy(points, constants, collective)
    out = {}
    for protocol, rate in rings.rates.items():
        key = f"ring.{protocol}"
        step_s = _domain_step(points, constants, key, waits=collective not in PIPELINED)
        out["ring", protocol] = Row(
            base_s=constants.value("base_latency", key) * constants.value("latency_factor", "base"),
            steps_s=steps_latency(inside, step_s, across, rings.network_s[protocol]),
            start_s=start_s,
            fill_s=fill_s * FILL_SHARES[protocol] * constants.value("fill_share", collective),
            rate_byte_s=1.0
            / (BUS_FACTORS[collective](np.maximum(points.n_ranks, 2)) / (rate * passed[protocol]) + own_s),
            limit=rings.limit,
        )
    return out


def _tree(points: Points, paths: Paths, constants: ModelConstants) -> Rows:
    columns, many = points.columns, points.n_domains > 1
    levels, inside = 2 * tree_levels(points.n_domains), 2 * (points.domain_ranks - 1)
    efficiency = constants.value("tree_efficiency")
    network, network_limit = paths.tree
    in_domain = np.where(points.domain_ranks > 1, 0.5 * efficiency * paths.ring_domain_byte_s, np.inf)
    over_network = np.where(many, efficiency * network / tree_network_share(points.n_domains), np.inf)
    simple, limit = slower((in_domain, paths.domain_limit), (over_network, network_limit))
    simple = simple * np.where(points.n_domains > 3, columns.constant(constants, "tree_many_share"), 1.0)
    ll = np.minimum(_ll_max(points, constants) / 2, columns.constant(constants, "tree_ll_share") * simple)
    ll128 = simple * np.where(
        many,
        _of_fabric(points, constants, "tree_ll128_share", "network."),
        constants.value("tree_ll128_share", "domain"),
    )
    fill_s = (
        constants.value("tree_fill", "domain") * inside
        + constants.value("tree_fill", "network") * levels * points.domain_ranks / 8
    )
    out = {}
    for protocol, rate in {"ll": ll, "ll128": ll128, "simple": simple}.items():
        key = f"tree.{protocol}"
        network_s = constants.value("network_step_latency", key) * constants.value("latency_factor", "tree_network")
        out["tree", protocol] = Row(
            base_s=constants.value("base_latency", key) * constants.value("latency_factor", "base"),
            steps_s=steps_latency(
                inside, _domain_step(points, constants, key), levels, network_s + paths.network_extra_s
            ),
            start_s=_start(points, constants, 2),
            fill_s=fill_s * FILL_SHARES[protocol],
            rate_byte_s=rate,
            limit=limit,
        )
    return out


def _switch_reduction(points: Points, paths: Paths, constants: ModelConstants, is_free: bool) -> Rows:
    """NVLS in one domain, and the NVLS tree over several; ``is_free`` where no algorithm is forced."""
    columns = points.columns
    can = columns.has_scale_up_reduction
    one = can & (points.n_domains == 1) & (points.domain_ranks >= columns.constant(constants, "nvls_min_ranks"))
    many = can & (points.n_domains > 1) & (points.domain_ranks > 1)
    many &= ~(columns.has_in_network_reduction & is_free)  # the library takes CollNet where the network adds
    base_s = constants.value("base_latency", "nvls") * columns.constant(constants, "latency_factor", "nvls")
    eighths = points.domain_ranks / 8
    fill_s = constants.value("nvls_fill") * eighths
    domain = columns.link_byte_s * columns.constant(constants, "nvls_efficiency")
    levels = 2 * tree_levels(points.n_domains)
    network, network_limit = paths.tree
    step_s = constants.value("network_step_latency", "nvls_tree") * constants.value("latency_factor", "tree_network")
    over_network = constants.value("nvls_tree_network_share") * network / tree_network_share(points.n_domains)
    reduction = np.full(points.n_ranks.shape, NVLINK_REDUCTION)
    tree, tree_limit = slower(
        (constants.value("nvls_network_share") * domain, reduction), (over_network, network_limit)
    )
    start_s = _start(points, constants, 2)
    tree_fill_s = fill_s + levels * constants.value("tree_fill", "network") * eighths
    tree_steps_s = levels * (step_s + paths.network_extra_s)
    return {
        ("nvls", "simple"): Row(np.where(one, base_s, np.inf), 0.0, start_s, fill_s, domain, reduction),
        ("nvls_tree", "simple"): Row(
            np.where(many, base_s, np.inf), tree_steps_s, start_s, tree_fill_s, tree, tree_limit
        ),
    }


def _in_network(points: Points, paths: Paths, constants: ModelConstants, collective: str) -> Rows:
    """CollNet, chain and direct: the switches of the network add. Gathers know the direct form, and gain nothing."""
    columns = points.columns
    can = columns.has_in_network_reduction & (points.n_domains > 1)
    network, network_limit = paths.ring
    network_limit = np.where(network_limit >= LEAF, network_limit, IN_NETWORK)
    in_domain = np.where(points.domain_ranks > 1, paths.ring_domain_byte_s, np.inf)
    fill_s = constants.value("nvls_fill") * points.domain_ranks / 8
    levels = tree_levels(points.n_domains)
    inside = {"collnet_chain": 2 * (points.domain_ranks - 1), "collnet_direct": np.zeros_like(points.n_ranks)}
    out = {}
    for algorithm, steps in inside.items():
        if collective != "all_reduce" and algorithm != "collnet_direct":
            continue
        key = algorithm if collective == "all_reduce" else "gather"
        share = constants.value("collnet_share", key) - constants.value("collnet_loss", key) * np.maximum(levels - 1, 0)
        rate, limit = slower((in_domain, paths.domain_limit), (share * network, network_limit))
        base_s = constants.value("base_latency", algorithm) * columns.constant(constants, "latency_factor", "nvls")
        step_s = constants.value("network_step_latency", algorithm) + paths.network_extra_s
        out[algorithm, "simple"] = Row(
            base_s=np.where(can, base_s, np.inf),
            steps_s=steps_latency(steps, constants.value("domain_step_latency", "ring.simple"), 1, step_s),
            start_s=_start(points, constants, 2),
            fill_s=fill_s,
            rate_byte_s=rate
            if collective == "all_reduce"
            else rate / BUS_FACTORS[collective](np.maximum(points.n_ranks, 2)),
            limit=limit,
        )
    return out


def _pat(points: Points, paths: Paths, constants: ModelConstants, collective: str) -> Rows:
    """Parallel aggregated trees: gathers with one GPU in each domain."""
    can = (points.domain_ranks == 1) & (points.n_domains > 1)
    network, limit = paths.ring
    level_s = constants.value("network_step_latency", "pat") + paths.network_extra_s
    steps_s = tree_levels(points.n_domains) * level_s + points.n_ranks * constants.value("pat_rank_latency")
    rate = constants.value("pat_share") * network / BUS_FACTORS[collective](np.maximum(points.n_ranks, 2))
    base_s = np.where(can, constants.value("base_latency", "pat"), np.inf)
    return {("pat", "simple"): Row(base_s, steps_s, _start(points, constants, 1), 0.0, rate, limit)}


def _two_level(points: Points, paths: Paths, constants: ModelConstants) -> Rows:
    """Reduce-scatter in the domain, all-reduce along each rail, all-gather in the domain, partly side by side."""
    can = (points.domain_ranks > 1) & (points.n_domains > 1)
    network, limit = paths.ring
    g, k = points.domain_ranks, points.n_domains
    inside_s = 2 * (g - 1) / g / np.where(can, paths.ring_domain_byte_s, 1.0)
    across_s = 2 * (k - 1) / k / np.where(can & (network > 0), network, 1.0)
    together = np.maximum(inside_s, across_s)
    together = together + (1 - constants.value("two_level_overlap")) * np.minimum(inside_s, across_s)
    network_s = constants.value("network_step_latency", "ring.simple") * constants.value(
        "latency_factor", "ring_network"
    )
    steps_s = steps_latency(
        2 * (g - 1),
        constants.value("domain_step_latency", "ring.simple"),
        2 * (k - 1),
        network_s + paths.network_extra_s,
    )
    fill_s = points.columns.constant(constants, "ring_fill") * constants.value("ring_fill_steps")
    return {
        ("two_level", "simple"): Row(
            base_s=np.where(can, constants.value("base_latency", "ring.simple"), np.inf),
            steps_s=steps_s,
            start_s=_start(points, constants, 2),
            fill_s=fill_s,
            rate_byte_s=1.0 / np.where(can, together, 1.0),
            limit=np.where(across_s > inside_s, limit, paths.domain_limit),
        )
    }


def _one_shot(points: Points, paths: Paths, constants: ModelConstants) -> Rows:
    """Every GPU reads the buffers of all others in its domain: the least latency, and the most bytes."""
    can = points.n_domains == 1
    g = np.maximum(points.domain_ranks, 2)
    rate = constants.value("one_shot_share") * points.columns.link_byte_s * g / (g - 1)
    base_s = np.where(can, constants.value("base_latency", "one_shot"), np.inf)
    return {("one_shot", "ll"): Row(base_s, 0.0, 0.0, 0.0, rate, paths.domain_limit)}


def _alltoall(points: Points, paths: Paths, constants: ModelConstants) -> Rows:
    """Each GPU sends S/n to each other one: to its domain over links, to the rest over its share of the NICs."""
    n, g, many = points.n_ranks, points.domain_ranks, points.n_domains > 1
    links = paths.ring_domain_byte_s / points.columns.constant(constants, "ring_efficiency")
    links = np.where(g > 1, links, 1.0)
    inside_s = (g - 1) / n / (points.columns.constant(constants, "pair_efficiency", "domain") * links)
    inside_s = inside_s + _own_copy(points, constants, "alltoall")
    network, network_limit = paths.all_pairs
    a_gpu = constants.value("pair_efficiency", "network") * network / g
    across_s = np.where(many, (n - g) / n / np.where(many, a_gpu, 1.0), 0.0)
    bytes_s = np.maximum(inside_s, across_s)
    step_s = np.where(many, constants.value("network_step_latency", "pair") + paths.network_extra_s, 0.0)
    return {
        ("direct", "simple"): Row(
            base_s=constants.value("base_latency", "alltoall"),
            steps_s=_domain_step(points, constants, "alltoall") * (n - 1) + step_s,
            start_s=constants.value("channel_start", "alltoall"),
            fill_s=constants.value("pair_fill", "alltoall"),
            rate_byte_s=1.0 / np.where(bytes_s > 0, bytes_s, 1.0),
            limit=np.where(across_s > inside_s, network_limit, paths.domain_limit),
        )
    }


def _sendrecv(points: Points, paths: Paths, constants: ModelConstants) -> Rows:
    """Each GPU sends to the next one, and the slowest pair counts: one that spans two domains, over one NIC.

    Across domains a pair gets few channels, fewer with more ranks, and each carries what its proxy does, whatever the NIC.
    """
    many = points.n_domains > 1
    inside = np.where(
        points.domain_ranks > 1, constants.value("send_efficiency", "domain") * paths.ring_domain_byte_s, np.inf
    )
    network, network_limit = paths.next_pair
    nics = np.maximum(np.minimum(points.columns.nics_per_domain, points.columns.domain_gpus), 1)
    channels = _network_channels(points, constants, nics)
    share = points.columns.network_constant(constants, "send_share")
    nic, across_limit = slower((share * network / nics, network_limit), (channels, np.full(many.shape, CHANNELS)))
    rate, limit = slower((inside, paths.domain_limit), (np.where(many, nic, np.inf), across_limit))
    step_s = constants.value("network_step_latency", "pair") + paths.network_extra_s
    return {
        ("direct", "simple"): Row(
            base_s=constants.value("base_latency", "sendrecv"),
            steps_s=np.where(many, step_s, 0.0),
            start_s=constants.value("channel_start", "sendrecv"),
            fill_s=np.where(many, constants.value("pair_fill", "sendrecv"), 0.0),
            rate_byte_s=rate,
            limit=limit,
        )
    }


def _network_channels(points: Points, constants: ModelConstants, nics: FloatArray) -> FloatArray:
    """What the channels carry that a pair opens over the network [B/s]."""
    columns = points.columns
    n_channels = channels_over_network(
        points.n_ranks,
        points.domain_ranks,
        columns.nics_per_domain,
        columns.nic_byte_s * columns.nics_per_domain / nics,
        constants.value("send_network_rate", "planned"),
        (columns.library == UNKNOWN) | (columns.library >= CHANNELS_BY_RATE_FROM),
    )
    one, several = (columns.by_library(constants, "send_network_rate", index) for index in ("one", "several"))
    return n_channels * np.where(n_channels > 1, several, one)


def _send_channels(points: Points, constants: ModelConstants) -> Channels:
    """Channels of a pair in one domain of switched links; a pair over the network, or over a mesh, is held by its rate."""
    most = constants.value("send_channels")
    is_switched = (points.n_domains == 1) & (points.columns.mesh_gpus <= 1)
    return Channels(
        least=np.where(is_switched, power_of_two_below(most / points.n_ranks), _NO_HOLD),
        most=np.where(is_switched, most, _NO_HOLD),
        message_bytes=constants.value("send_channel_bytes"),
        byte_s=constants.value("send_channel_rate"),
    )


def _all_reduce_rows(points: Points, rings: Rings | None, constants: ModelConstants, is_free: bool) -> Rows:
    paths = points.paths
    return {
        **_ring(points, rings, constants, "all_reduce"),
        **_tree(points, paths, constants),
        **_switch_reduction(points, paths, constants, is_free),
        **_in_network(points, paths, constants, "all_reduce"),
        **_two_level(points, paths, constants),
        **_one_shot(points, paths, constants),
    }


def _gather_rows(collective: str) -> RowsOf:
    def rows(points: Points, rings: Rings | None, constants: ModelConstants, is_free: bool) -> Rows:
        paths = points.paths
        return {
            **_ring(points, rings, constants, collective),
            **_pat(points, paths, constants, collective),
            **_in_network(points, paths, constants, collective),
        }

    return rows


def _ring_rows(collective: str) -> RowsOf:
    return lambda points, rings, constants, is_free: _ring(points, rings, constants, collective)


_ROWS: dict[str, RowsOf] = {
    "all_reduce": _all_reduce_rows,
    "all_gather": _gather_rows("all_gather"),
    "reduce_scatter": _gather_rows("reduce_scatter"),
    "alltoall": lambda points, rings, constants, is_free: _alltoall(points, points.paths, constants),
    "broadcast": _ring_rows("broadcast"),
    "reduce": _ring_rows("reduce"),
    "sendrecv": lambda points, rings, constants, is_free: _sendrecv(points, points.paths, constants),
}
PAIRWISE = ("alltoall", "sendrecv")  # what NCCL_ALGO and NCCL_PROTO do not touch
_GATHERS = ("ring", "pat", "collnet_direct")
HAS = {  # algorithms by collective
    "all_reduce": ("ring", "tree", "nvls", "nvls_tree", "collnet_chain", "collnet_direct", "two_level", "one_shot"),
    "all_gather": _GATHERS,
    "reduce_scatter": _GATHERS,
    "alltoall": ("direct",),
    "broadcast": ("ring",),
    "reduce": ("ring",),
    "sendrecv": ("direct",),
}


def algorithm_used(collective: str, forced: str | None) -> str | None:
    """The algorithm that runs when one is forced: itself, or what the library falls back to; None stays None."""
    if forced is None or forced in HAS[collective]:
        return forced
    return HAS[collective][0]


def collective_terms(
    points: Points,
    constants: ModelConstants,
    collective: str = "all_reduce",
    algorithm: str | None = None,
    protocol: str | None = None,
    rings: Rings | None = None,
) -> Terms:
    """Terms of every variant at every point; those not requested, or not possible, have alpha infinite.

    ``rings`` are those of ``rings_of`` where several collectives share them.
    """
    rows = _ROWS[collective](points, rings, constants, algorithm is None)
    algorithm = algorithm_used(collective, algorithm)
    protocols = PROTOCOLS if protocol is None or collective in PAIRWISE else (protocol,)
    is_one_process = points.launch == ONE_PROCESS
    host_s: FloatArray | None
    share = f"{points.launch}.{collective}"
    if is_one_process:
        grouped = points.columns.launch_share(constants, f"grouped.{collective}")
        launch_s = np.where(points.host_s > 0, points.launch_s, points.launch_s * grouped)
        host_s = points.host_s * points.columns.launch_share(constants, share)
    else:
        launch_s = points.launch_s * points.columns.launch_share(constants, share)
        host_s = points.host_s if points.launch == FRAMEWORK else None
    shape = (len(VARIANTS), len(points.n_ranks))
    alpha_s, byte_time_s = np.full(shape, np.inf), np.ones(shape)
    steps_s, start_s, fill_s = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    limit = np.zeros(shape, dtype=np.int64)
    for i, (name, kind) in enumerate(VARIANTS):
        row = rows.get((name, kind))
        is_wanted = kind in protocols and (name == algorithm or (algorithm is None and name not in ONLY_FORCED))
        if row is None or not is_wanted:
            continue
        exists = (points.n_ranks > 1) & np.isfinite(row.base_s) & (row.rate_byte_s > 0)
        alpha_s[i] = np.where(exists, launch_s + row.base_s, np.inf)
        for column, value in ((steps_s, row.steps_s), (start_s, row.start_s), (fill_s, row.fill_s)):
            column[i] = np.where(exists, value, 0.0)
        byte_time_s[i] = 1.0 / np.where(exists, row.rate_byte_s, 1.0)
        limit[i] = row.limit
    is_chosen = collective not in PAIRWISE and protocol is None and algorithm in (None, "ring")
    half = "pair" if collective in PAIRWISE else "ring"
    return Terms(
        alpha_s,
        steps_s,
        start_s,
        fill_s,
        byte_time_s,
        limit,
        constants.value("channel_start_bytes"),
        constants.value("half_fill_bytes", half),
        constants.value("step_hiding"),
        host_s,
        _send_channels(points, constants) if collective == "sendrecv" else None,
        constants.value("nvls_from_bytes") if collective == "all_reduce" else np.inf,
        most_bytes(points, constants, collective) if is_chosen else None,
    )


# ---------------------------------------------------------------- a measured floor

# Floors of identical machines differ by half to twice, by host, launcher and plugin, which nothing in a design says. One
# measured time says it: every latency of the model is multiplied by what that time is over the prediction of it.
SHORT_BYTES: FloatArray = np.array([[8.0]])


def floor_ratios(
    points: Points,
    constants: ModelConstants,
    collective: str = "all_reduce",
    algorithm: str | None = None,
    protocol: str | None = None,
) -> FloatArray | None:
    """Measured ÷ predicted time of a short message, shape (n_points,); 1 where nothing is known of it.

    ``points`` are whole systems as they were measured, with the launch of that run: a part of one has the ratio of the whole.
    ``collective`` is what was measured, and so what is predicted, whatever the ratio is then applied to: of a design an
    all-reduce.
    A measured time wins over what a stack is known by. None where neither is known at any point, so that predictions
    without one cost nothing more.
    """
    columns = points.columns
    if not columns.has_known_floor.any():
        return None
    of_stack = np.where(np.isfinite(columns.stack_factor), columns.stack_factor, 1.0)
    is_measured = np.isfinite(columns.small_message_s)
    if not is_measured.any():
        return of_stack
    there = points_of(columns, columns.small_message_ranks, points.launch, constants)
    terms = collective_terms(there, constants, collective, algorithm, protocol)
    predicted_s = fastest(terms, SHORT_BYTES)[0][:, 0]
    usable = is_measured & np.isfinite(predicted_s) & (predicted_s > 0)
    return np.where(usable, columns.small_message_s / np.where(usable, predicted_s, 1.0), of_stack)
