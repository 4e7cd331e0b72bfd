"""Up to which message the library takes a protocol: crossings of the lines that its own tables draw, by collective."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from estimator.performance.collectives import BUS_FACTORS, PIPELINED, RING_PASSES, VARIANTS
from estimator.performance.library import taken_up_to

if TYPE_CHECKING:
    from estimator.catalog.constants import ModelConstants
    from estimator.performance.bandwidth import Points
    from estimator.units import FloatArray


def most_bytes(points: Points, constants: ModelConstants, collective: str) -> FloatArray | None:
    """Largest message for which the library still takes each variant, shape (n_variants, n_points); None: any.

    In one domain of switched links whose tables are known. Over a network its choice hangs on how it counts channels and
    hosts, which nothing here says, and the shortest is predicted.
    """
    columns = points.columns
    share = columns.by_generation_and_library(constants, "tuner_link_share", np.nan)
    is_known = (points.n_domains == 1) & (points.n_ranks > 1) & (columns.mesh_gpus <= 1) & np.isfinite(share)
    is_known &= points.domain_ranks <= columns.link_reach_gpus
    if not is_known.any():
        return None
    links = np.where(is_known, share * columns.link_byte_s, 1.0)
    ll_most = columns.constant(constants, "ll_max_one_domain")
    ll128_most = columns.by_generation_and_library(constants, "tuner_ll128_rate", np.inf)
    n = np.maximum(points.n_ranks, 2)
    passes = RING_PASSES[collective]
    steps = np.ones(n.shape) if collective in PIPELINED else passes * (n - 1)
    per_byte = 1.0 / BUS_FACTORS[collective](n)
    ring = {
        "ll": np.minimum(ll_most, 0.5 * links),
        "ll128": np.minimum(constants.value("ll128_domain_share") * links, ll128_most),
        "simple": links,
    }
    tree = 0.5 * constants.value("tree_efficiency") * links
    trees = {
        "ll": np.minimum(tree / 3.8, ll_most),
        "ll128": constants.value("tree_ll128_share", "domain") * tree,
        "simple": tree,
    }
    inside = 2 * (n - 1)
    rows = [("ring", kind, steps, rate * per_byte) for kind, rate in ring.items()]
    if collective == "all_reduce":
        rows += [("tree", kind, inside, rate) for kind, rate in trees.items()]
    latency_s = [
        constants.value("base_latency", f"{name}.{kind}")
        + n_steps * constants.value("domain_step_latency", f"{name}.{kind}")
        for name, kind, n_steps, _ in rows
    ]
    most = np.full((len(VARIANTS), len(n)), np.inf)
    for (name, kind, _, _), limit in zip(rows, taken_up_to(latency_s, [row[3] for row in rows], range(3)), strict=True):
        most[VARIANTS.index((name, kind))] = np.where(is_known, limit, np.inf)
    return most
