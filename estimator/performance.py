"""Systems → times of a collective: latencies and bandwidths of every algorithm, the fastest of them, and how sure that is.

All arrays run over points (a system with a GPU count) and message sizes. docs/model.md has the equations.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from estimator.algorithms import collective_terms
from estimator.bandwidth import (
    ALONE,
    ANY_NUMBER,
    BALANCING,
    FILL,
    LATENCY,
    LEAF,
    LIMITS,
    LOSS,
    SPINE,
    BoolArray,
    Points,
    SystemColumns,
    loss_shares,
    points_of,
    system_columns,
)
from estimator.collectives import BUS_FACTORS, ONLY_FORCED, VARIANTS, Terms, fastest, saturation, shown_steps
from estimator.model_constants import ModelConstants
from estimator.units import FloatArray, IntArray, byte_s_to_gb_s, s_to_us

UNTESTED = [i for i, (name, _) in enumerate(VARIANTS) if name in (*ONLY_FORCED, "pat")]
UPLINKS = (LEAF, SPINE, BALANCING)  # limits that no published run measures


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
    fill_s = _at(terms.fill_s, choice) * saturation(message_bytes, terms.fill_bytes)
    bytes_s = _at(terms.byte_time_s, choice) * message_bytes
    alpha_s = _at(terms.alpha_s, choice) + _at(terms.start_s, choice) * saturation(message_bytes, terms.start_bytes)
    alpha_s = alpha_s + shown_steps(_at(terms.steps_s, choice), bytes_s, terms.hiding)
    limit = np.where(bytes_s >= np.maximum(alpha_s, fill_s), _at(terms.limit, choice), FILL)
    return np.where((alpha_s >= fill_s) & (alpha_s > bytes_s), LATENCY, limit)


def _spread(
    points: Points,
    message_bytes: FloatArray,
    limit: IntArray,
    choice: IntArray,
    is_validated: BoolArray,
    constants: ModelConstants,
) -> tuple[FloatArray, FloatArray]:
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
    width = width * np.where(np.isin(limit, UPLINKS), constants.value("band_widening", "uplinks"), 1.0)
    width = width * np.where(is_validated, 1.0, constants.value("band_widening", "not_validated"))
    calm, congested = (np.sqrt(share)[:, None] for share in loss_shares(points.columns, constants))
    lost = limit == LOSS
    low_factor = np.exp(low * width) * np.where(lost, congested / calm, 1.0)
    return low_factor, np.exp(high * width) * np.where(lost, calm / congested, 1.0)


def _is_validated(
    points: Points,
    terms: Terms,
    choice: IntArray,
    message_bytes: FloatArray,
    constants: ModelConstants,
    collective: str,
) -> BoolArray:
    """True where generation, fabric, number of domains, size of a domain, message size and launch have been measured."""
    columns = points.columns
    domains = columns.network_constant(constants, "measured_domains", collective)
    domains = np.where(
        columns.domain_gpus > columns.gpus_per_node, np.minimum(domains, constants.value("measured_racks")), domains
    )
    known = (points.n_domains <= np.maximum(domains, 1)) & columns.has_gpudirect
    known &= points.domain_ranks <= columns.constant(constants, "measured_domain_gpus", collective)
    known &= columns.is_as_measured
    known &= columns.link_reach_gpus == ANY_NUMBER
    known &= constants.value("measured_launch", points.launch) > 0
    sizes = (message_bytes >= constants.value("measured_bytes", "least")) & (
        message_bytes <= constants.value("measured_bytes", "most")
    )
    limit = _at(terms.limit, choice)
    return known[:, None] & sizes & ~np.isin(limit, UPLINKS) & ~np.isin(choice, UNTESTED)


def predict_times(
    points: Points,
    message_bytes: FloatArray,
    constants: ModelConstants,
    collective: str = "all_reduce",
    algorithm: str | None = None,
    protocol: str | None = None,
) -> Times:
    """Times of a collective at every point and size.

    Parameters
    ----------
    points : systems with GPU counts.
    message_bytes : float array, shape (1 or n_points, n_sizes), above 0. [B]
    collective : one of COLLECTIVES.
    algorithm, protocol : forced, or None for the fastest.

    Returns
    -------
    Times; infinite where the forced algorithm does not exist at a point.
    """
    terms = collective_terms(points, constants, collective, algorithm, protocol)
    time_s, choice = fastest(terms, message_bytes)
    message_bytes = np.broadcast_to(message_bytes, time_s.shape)
    limit = _limits(terms, choice, message_bytes)
    is_validated = _is_validated(points, terms, choice, message_bytes, constants, collective)
    low, high = _spread(points, message_bytes, limit, choice, is_validated, constants)
    alone = (points.n_ranks == 1)[:, None]
    time_s = np.where(alone, 0.0, time_s)
    algbw = np.where(alone, 0.0, message_bytes / np.where(alone, 1.0, time_s))
    return Times(
        time_s=time_s,
        low_s=time_s * low,
        high_s=time_s * high,
        choice=np.where(alone, -1, choice),
        limit=np.where(alone, ALONE, limit),
        is_validated=is_validated | alone,
        algbw_byte_s=algbw,
        busbw_byte_s=algbw * BUS_FACTORS[collective](points.n_ranks)[:, None],
    )


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
    times = predict_times(points, message_bytes, constants)
    return [
        {"all_reduce": _design_table(times, counts[i], int(start[i]), _used(constants, columns, i))}
        for i in range(len(counts))
    ]


def _design_table(times: Times, counts: list[int], start: int, used: list[dict[str, Any]]) -> dict[str, Any]:
    """The JSON of one design from its rows of ``times``."""
    rows = slice(start, start + len(counts))
    busbw = byte_s_to_gb_s(times.busbw_byte_s[start : start + len(counts) + 2])
    shown = busbw[:-2]
    choice = times.choice[rows].tolist()
    return {
        "gpus": counts,
        "message_bytes": list(DESIGN_MESSAGE_BYTES),
        "reference_gpus": counts[0],
        "busbw_gb_s": shown.tolist(),
        "algbw_gb_s": byte_s_to_gb_s(times.algbw_byte_s[rows]).tolist(),
        "time_us": s_to_us(times.time_s[rows]).tolist(),
        "time_us_low": s_to_us(times.low_s[rows]).tolist(),
        "time_us_high": s_to_us(times.high_s[rows]).tolist(),
        "scaling_efficiency": (shown / shown[0] if shown[0, 0] > 0 else np.ones_like(shown)).tolist(),
        "algorithm": [[algorithm_name(i) for i in row] for row in choice],
        "protocol": [[protocol_name(i) for i in row] for row in choice],
        "limited_by": [[LIMITS[i] for i in row] for row in times.limit[rows].tolist()],
        "validated": times.is_validated[rows].tolist(),
        "both_placements": {
            "gpus": counts[-1],
            "message_bytes": DESIGN_MESSAGE_BYTES[-1],
            "ordered_busbw_gb_s": float(busbw[-2, -1]),
            "random_busbw_gb_s": float(busbw[-1, -1]),
        },
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
    return [
        {
            "name": row.name,
            "index": row.index or "",
            "value": float(row.value),
            "low": float(row.low),
            "high": float(row.high),
            "unit": row.unit,
            "basis": row.basis,
            "source": row.source,
            "evidence": row.evidence,
        }
        for row in constants.used(without)
    ]
