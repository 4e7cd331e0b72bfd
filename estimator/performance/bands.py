"""How far measured runs may lie from a predicted time: bands that hold nine runs in ten of sites that the model never saw.

The widths are residuals of fits that left a site out (``calibration/bands.py``), nearly one vote a site, by size class and
by one or several scale-up domains, and by collective as far as sites speak of it. All arrays here run over collectives,
points (a system with a GPU count) and message sizes.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from estimator.catalog.constants import ModelConstants
from estimator.performance.bandwidth import (
    ANY_NUMBER,
    BALANCING,
    CHANNELS,
    LEAF,
    LIMITS,
    LOSS,
    SPINE,
    BoolArray,
    Points,
    loss_shares,
)
from estimator.performance.collectives import ONLY_FORCED, SHARPNESS, VARIANTS, Terms
from estimator.units import FloatArray, IntArray

IS_UNTESTED: BoolArray = np.array([name in (*ONLY_FORCED, "pat") for name, _ in VARIANTS])
IS_COLLNET: BoolArray = np.array([name.startswith("collnet") for name, _ in VARIANTS])
IS_TREE: BoolArray = np.array([name in ("tree", "nvls_tree") for name, _ in VARIANTS])
IS_HOP_BY_HOP: BoolArray = np.array([name in ("ring", "pat", "direct") for name, _ in VARIANTS])  # within the line rate
IS_UPLINK: BoolArray = np.isin(np.arange(len(LIMITS)), [LEAF, SPINE, BALANCING])  # what no published run measures
RING = VARIANTS.index(("ring", "simple"))
DOMAINS = ("one", "several")
CLASSES = ("small", "mid", "large")  # under 1 MiB, to 64 MiB, from there on
_KNOTS = np.log([2.0**18, 2.0**22, 2.0**24, 2.0**27])  # between which a class's band turns into the next one's
OF_SITE = ("launch", "launch_per_gpu", "ring_efficiency", "nvls_efficiency", "network_efficiency", "fabric_latency")
LEAST_SITES = 2  # that must speak of a collective and size class before a prediction of it counts as measured


def class_weights(message_bytes: FloatArray) -> FloatArray:
    """How far each size belongs to each of CLASSES, shape (3, …); the three add to 1."""
    ln_bytes = np.log(message_bytes)
    small = np.interp(ln_bytes, _KNOTS[:2], [1.0, 0.0])
    large = np.interp(ln_bytes, _KNOTS[2:], [0.0, 1.0])
    return np.stack([small, 1.0 - small - large, large])


def _table(constants: ModelConstants, name: str, collectives: Sequence[str]) -> FloatArray:
    """A constant by collective, domains and size class: shape (n_collectives, 2, 3)."""
    return constants.column(name, _cells(tuple(collectives))).reshape(len(collectives), len(DOMAINS), len(CLASSES))


@cache
def _cells(collectives: tuple[str, ...]) -> list[str]:
    """The indices of such a table, row by row."""
    return [f"{domains}.{kind}.{collective}" for collective in collectives for domains in DOMAINS for kind in CLASSES]


def _at_points(table: FloatArray, points: Points, weights: FloatArray) -> FloatArray:
    """A table of ``_table`` at points and sizes: shape (n_collectives, n_points, n_sizes)."""
    of_point = table[:, (points.n_domains > 1).astype(np.int64)]  # (n_collectives, n_points, 3)
    return np.asarray(np.sum(of_point.transpose(2, 0, 1)[..., None] * weights[:, None], axis=0))


def is_measured(
    points: Points,
    message_bytes: FloatArray,
    limit: IntArray,
    choice: IntArray,
    constants: ModelConstants,
    collectives: Sequence[str],
) -> BoolArray:
    """True where sites have measured it: the collective at this size class on so many domains, the machine, the launch.

    Shape (n_collectives, n_points, n_sizes), as ``limit``, what holds the bytes up, and ``choice`` have it.
    """
    columns, racks = points.columns, constants.value("measured_racks")
    most = np.stack([columns.network_constant(constants, "measured_domains", name) for name in collectives])
    most = np.where(columns.domain_gpus > columns.gpus_per_node, np.minimum(most, racks), most)
    known = points.n_domains <= np.maximum(most, 1)
    known &= ~_is_larger_domain(points, constants, collectives)
    known &= columns.has_gpudirect & columns.is_as_measured & (columns.link_reach_gpus == ANY_NUMBER)
    if not constants.value("measured_launch", points.launch) > 0:
        known &= False
    sizes = (message_bytes >= constants.value("measured_bytes", "least")) & (
        message_bytes <= constants.value("measured_bytes", "most")
    )
    sites = _table(constants, "measured_sites", collectives)[:, (points.n_domains > 1).astype(np.int64)]
    of_class = np.where(message_bytes < 2.0**20, 0, np.where(message_bytes < 2.0**26, 1, 2))
    sites = np.take_along_axis(sites, np.broadcast_to(of_class, (len(collectives), *of_class.shape)), axis=2)
    return known[:, :, None] & sizes & (sites >= LEAST_SITES) & ~IS_UPLINK[limit] & ~IS_UNTESTED[choice]


def bands(
    points: Points,
    message_bytes: FloatArray,
    limit: IntArray,
    choice: IntArray,
    is_validated: BoolArray,
    terms: Sequence[Terms],
    time_s: FloatArray,
    constants: ModelConstants,
    collectives: Sequence[str],
) -> tuple[FloatArray, FloatArray]:
    """Measured ÷ predicted time of nine runs in ten: (low, high) factors, shape (n_collectives, n_points, n_sizes).

    ``limit`` is what takes the most time, and ``time_s`` the predictions. The width in ln grows with the number of domains
    beyond 16, and where a result rests on a part of the model that few
    runs or none have tested; with constants that a site's logs fitted it is what is left once other runs of a site are fitted.
    Where the
    library may take a ring instead of what is predicted, the ring's time lies inside. As far as a host's loop over its GPUs
    is what takes the time, hosts are what differs.
    """
    weights = class_weights(message_bytes)
    low, high = (
        _at_points(np.log(_table(constants, name, collectives)), points, weights) for name in ("band_low", "band_high")
    )
    is_floor_known = points.columns.has_known_floor
    if is_floor_known.any():
        low, high = (
            np.where(
                is_floor_known[:, None], _at_points(np.log(_table(constants, name, collectives)), points, weights), of
            )
            for name, of in (("floor_band_low", low), ("floor_band_high", high))
        )
    if any(one.host_s is not None for one in terms):
        shares = np.stack([host_share(one, of_one) for one, of_one in zip(terms, time_s, strict=True)])
        share = np.where(is_floor_known[:, None], 0.0, shares)
        hosts = np.log(constants.value("host_band"))
        low, high = (1.0 - share) * low - share * hosts, (1.0 - share) * high + share * hosts
    if constants.source is not None and any(_is_fitted(constants, *key) for key in _of_site(constants)):
        left_low, left_high = (
            _at_points(np.log(_table(constants, name, collectives)), points, weights)
            for name in ("site_band_low", "site_band_high")
        )
        low, high = np.maximum(low, left_low), np.minimum(high, left_high)
    width = _of_points(points, constants)[None, :, None]
    width = width * np.where(IS_COLLNET[choice], constants.value("band_widening", "in_network_reduction"), 1.0)
    several = (points.n_domains > 1)[:, None]
    width = width * np.where(several & (limit == CHANNELS), constants.value("band_widening", "channels"), 1.0)
    width = width * np.where(IS_UPLINK[limit], constants.value("band_widening", "uplinks"), 1.0)
    larger = _is_larger_domain(points, constants, collectives)[:, :, None]
    untried = np.where(
        larger, constants.value("band_widening", "larger_domain"), constants.value("band_widening", "not_validated")
    )
    width = width * np.where(is_validated, 1.0, untried)
    low_factor, high_factor = np.exp(low * width), np.exp(high * width)
    high_factor = np.maximum(high_factor, _ring_edge(points, choice, terms, constants, collectives))
    if not points.columns.is_lossless.all():
        calm, congested = (np.sqrt(share)[:, None] for share in loss_shares(points.columns, constants))
        lost = limit == LOSS
        low_factor = low_factor * np.where(lost, congested / calm, 1.0)
        high_factor = high_factor * np.where(lost, calm / congested, 1.0)
    return low_factor, high_factor


def host_share(terms: Terms, time_s: FloatArray) -> FloatArray:
    """How far the host's loop beside the kernels makes the time, shape (n_points, n_sizes): d ln T over d ln of the loop."""
    if terms.host_s is None:
        return np.zeros(time_s.shape)
    host_s = np.broadcast_to(terms.host_s[:, None], time_s.shape)
    return np.divide(host_s, time_s, out=np.zeros(time_s.shape), where=np.isfinite(time_s) & (time_s > 0)) ** SHARPNESS


def _of_site(constants: ModelConstants) -> list[tuple[str, str]]:
    """Constants that a site's own logs say, and that narrow its bands."""
    return [(name, index) for name in OF_SITE for index in constants.indices(name)]


def _is_fitted(constants: ModelConstants, name: str, index: str) -> bool:
    """True of a constant that runs were fitted by: one with a range rests on paths, and of those no run was held out."""
    return constants.given(name, index) is not None and not constants.has_range(name, index)


def _is_larger_domain(points: Points, constants: ModelConstants, collectives: Sequence[str]) -> BoolArray:
    """True where more GPUs of a scale-up domain take part than in any run that was measured: (n_collectives, n_points)."""
    columns = points.columns
    return np.stack(
        [
            points.domain_ranks > columns.constant(constants, "measured_domain_gpus", collective)
            for collective in collectives
        ]
    )


def _of_points(points: Points, constants: ModelConstants) -> FloatArray:
    """What widens the bands of a point whatever runs on it: shape (n_points,)."""
    columns = points.columns
    beyond = np.log2(np.maximum(points.n_domains / 16.0, 1.0))
    width = np.sqrt(1.0 + constants.value("band_growth") * beyond)
    racks = (columns.domain_gpus > columns.gpus_per_node) & (points.n_domains > 1)
    width = width * np.where(racks, constants.value("band_widening", "multi_rack"), 1.0)
    of_fabric = constants.column("band_widening", [f"fabric.{fabric}" for fabric in columns.fabrics])
    of_gpu = constants.column("band_widening", [f"gpu.{generation}" for generation in columns.generations])
    return np.asarray(width * of_fabric[columns.fabric_code] * of_gpu[columns.generation_code])


def is_tree_uncertain(
    collective: str,
    n_domains: Any,
    nics_per_domain: Any,
    domain_gpus: Any,
    domain_ranks: Any,
    constants: ModelConstants,
) -> BoolArray:
    """True where a library may run a ring or a tree: an all-reduce over domains of fewer NICs than GPUs, or of few ranks.

    Numbers or arrays that broadcast against one another. Other collectives have no tree.
    """
    few = np.less(nics_per_domain, domain_gpus) | np.less_equal(domain_ranks, constants.value("uncertain_tree_gpus"))
    return np.asarray((collective == "all_reduce") & np.greater(n_domains, 1) & few)


def _ring_edge(
    points: Points, choice: IntArray, terms: Sequence[Terms], constants: ModelConstants, collectives: Sequence[str]
) -> FloatArray:
    """Time of a ring's bytes ÷ those of what is predicted, a little widened, where the library may run a ring; else 1.

    In-network reduction that does not start leaves the ring, without a word. On two domains and more with few NICs, or of
    few GPUs, libraries take a ring where a tree is faster, and other runs show the tree.
    """
    columns, at = points.columns, np.arange(choice.shape[1])[:, None]
    edges = np.ones(choice.shape)
    for i, (name, one) in enumerate(zip(collectives, terms, strict=True)):
        if not np.isfinite(one.alpha_s[RING]).any():
            continue
        uncertain = is_tree_uncertain(
            name, points.n_domains, columns.nics_per_domain, columns.domain_gpus, points.domain_ranks, constants
        )
        may = IS_COLLNET[choice[i]] | (IS_TREE[choice[i]] & uncertain[:, None])
        if may.any():
            ratio = one.byte_time_s[RING][:, None] / one.byte_time_s[choice[i], at]
            edges[i] = np.where(may, np.maximum(ratio * constants.value("ring_edge"), 1.0), 1.0)
    return edges
