"""What the library would do faster by another setting, and what it may do without a word: advice beside a prediction.

A prediction says what the library *takes*. Its own tables know neither launch nor fill, so at some sizes another
algorithm or protocol is faster by more than runs scatter; and in-network reduction that does not start leaves a ring.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from estimator.catalog.constants import ModelConstants
from estimator.performance.algorithms import collective_terms
from estimator.performance.bands import IS_COLLNET, RING
from estimator.performance.bandwidth import Points
from estimator.performance.collectives import BUS_FACTORS, VARIANTS, fastest
from estimator.record import Record
from estimator.units import FloatArray, IntArray, byte_s_to_gb_s

FASTER, FALLS_BACK = "faster_setting", "reduction_may_fall_back"
WORTH = 0.05  # share of the time that a setting must save before it is advised
_SETTINGS = {"ring": "Ring", "tree": "Tree", "nvls": "NVLS", "nvls_tree": "NVLSTree", "pat": "PAT"}


class Advice(Record):
    """One thing to know of the predicted times at one GPU count, from the smallest to the largest message it is of."""

    code: str
    """faster_setting or reduction_may_fall_back."""
    gpus: int
    least_bytes: int
    most_bytes: int
    setting: str | None
    """Variables of the library that save time; null where none does."""
    gain: float
    """The largest share of the time that the setting saves; of a fall-back, what it costs."""
    message: str


def advice_of(
    points: Points,
    message_bytes: FloatArray,
    constants: ModelConstants,
    collective: str,
    taken: tuple[FloatArray, IntArray],
    floors: FloatArray | None,
) -> list[Advice]:
    """Advice on what the library takes when nothing is forced, by GPU count and then by size.

    Parameters
    ----------
    message_bytes : shape (1, n_sizes), in any order. [B]
    taken : (times [s], indices into VARIANTS), shape (n_points, n_sizes), as predicted with nothing forced.
    floors : what was predicted with.
    """
    terms = collective_terms(points, constants, collective)
    terms = terms if floors is None else terms.with_floors(floors)
    best_s, best = fastest(replace(terms, most_bytes=None, nvls_from_bytes=np.inf), message_bytes)
    time_s, choice = taken
    order = np.argsort(message_bytes[0], kind="stable")
    sizes = message_bytes[0][order].astype(np.int64).tolist()
    out: list[Advice] = []
    for i, n_ranks in enumerate(points.n_ranks.tolist()):
        saved = 1.0 - best_s[i][order] / time_s[i][order]
        out += _faster(n_ranks, sizes, saved.tolist(), best[i][order].tolist(), choice[i][order].tolist())
        is_reduced = (choice[i][order] >= 0) & IS_COLLNET[choice[i][order]]
        if is_reduced.any():
            ring_s = terms.alpha_s[RING][i] + message_bytes[0][order] * terms.byte_time_s[RING][i]
            factor = float(BUS_FACTORS[collective](np.array(n_ranks)))
            out.append(_fall_back(n_ranks, sizes, is_reduced.tolist(), ring_s, time_s[i][order], factor))
    return out


def _faster(n_ranks: int, sizes: list[int], saved: list[float], best: list[int], taken: list[int]) -> Iterator[Advice]:
    """Runs of neighbouring sizes at which one other variant saves enough."""
    start = 0
    while start < len(sizes):
        stop = start + 1
        if saved[start] >= WORTH and best[start] != taken[start]:
            while stop < len(sizes) and saved[stop] >= WORTH and best[stop] == best[start]:
                stop += 1
            gain, takes = max(saved[start:stop]), VARIANTS[taken[start]]
            algorithm, protocol = VARIANTS[best[start]]
            setting = (
                f"NCCL_ALGO={_SETTINGS[algorithm]} NCCL_PROTO={protocol.upper() if protocol != 'simple' else 'Simple'}"
            )
            message = (
                f"From {sizes[start]:,} to {sizes[stop - 1]:,} B on {n_ranks:,} GPUs the library takes {' '.join(takes)}, and "
                f"{algorithm} with {protocol} is predicted up to {gain:.0%} faster. Measure it with {setting}, on jobs whose "
                "messages are of these sizes alone."
            )
            yield Advice(
                code=FASTER,
                gpus=n_ranks,
                least_bytes=sizes[start],
                most_bytes=sizes[stop - 1],
                setting=setting,
                gain=round(gain, 4),
                message=message,
            )
        start = stop


def _fall_back(
    n_ranks: int, sizes: list[int], is_reduced: list[bool], ring_s: FloatArray, time_s: FloatArray, factor: float
) -> Advice:
    """In-network reduction is predicted: what is left where it does not start."""
    of = [j for j, one in enumerate(is_reduced) if one]
    last = of[-1]
    ring_gb_s = float(byte_s_to_gb_s(factor * sizes[last] / ring_s[last]))
    message = (
        f"In-network reduction is predicted on {n_ranks:,} GPUs. Where it does not start the library says nothing and runs a "
        f"ring, {ring_gb_s:,.0f} GB/s busbw at {sizes[last]:,} B; the band reaches that far. NCCL_DEBUG=INFO names CollNet where "
        "it runs."
    )
    return Advice(
        code=FALLS_BACK,
        gpus=n_ranks,
        least_bytes=sizes[of[0]],
        most_bytes=sizes[last],
        setting=None,
        gain=round(max(float(ring_s[last] / time_s[last]) - 1.0, 0.0), 4),
        message=message,
    )
