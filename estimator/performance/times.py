"""Systems → times of a collective: latencies and bandwidths of every algorithm, the fastest of them, and how sure that is.

All arrays run over points (a system with a GPU count) and message sizes. docs/model.md has the equations.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from estimator.catalog.constants import ModelConstants
from estimator.performance.algorithms import collective_terms, floor_ratios, rings_of
from estimator.performance.bands import IS_HOP_BY_HOP, bands, is_measured
from estimator.performance.bandwidth import (
    ALONE,
    CHANNELS,
    FILL,
    LATENCY,
    LIMITS,
    BoolArray,
    Points,
    SystemColumns,
    points_of,
    system_columns,
)
from estimator.performance.collectives import (
    BUS_FACTORS,
    COLLECTIVES,
    VARIANTS,
    Terms,
    fastest,
    saturation,
    shown_steps,
)
from estimator.performance.result import (
    AllReduceTable,
    AllToAllFigure,
    BothPlacements,
    CollectiveEfficiency,
    CollectiveTable,
    Efficiency,
    HalfBandwidth,
    ModelConstant,
    Performance,
)
from estimator.performance.scaling import (
    half_bandwidth,
    line_rates,
    shrunk_bytes,
    significant,
    strong_efficiency,
    weak_efficiency,
)
from estimator.record import Json
from estimator.units import FloatArray, IntArray, byte_s_to_gb_s, s_to_us


class Times(NamedTuple):
    """Predicted times; arrays of shape (n_points, n_sizes) unless they say otherwise."""

    time_s: FloatArray
    low_s: FloatArray
    high_s: FloatArray
    choice: IntArray  # index into VARIANTS; -1 where one GPU has nothing to exchange
    limit: IntArray  # index into LIMITS
    is_validated: BoolArray
    algbw_byte_s: FloatArray
    busbw_byte_s: FloatArray


class _Answered:
    """Terms of several collectives with the variants that are taken, stacked: arrays (n_collectives, n_points, n_sizes)."""

    def __init__(self, terms: Sequence[Terms], message_bytes: FloatArray) -> None:
        self.terms = terms
        found = [fastest(one, message_bytes) for one in terms]
        self.time_s, self.choice = (np.stack(side) for side in zip(*found, strict=True))
        self.message_bytes = np.broadcast_to(message_bytes, self.time_s.shape[1:])
        n_collectives, n_points, _ = self.choice.shape
        self._place = np.arange(n_collectives)[:, None, None], np.arange(n_points)[None, :, None]

    def chosen(self, name: str) -> Any:
        """A field of the terms at the variants that are taken."""
        of_collective, of_point = self._place
        return np.stack([getattr(one, name) for one in self.terms])[of_collective, self.choice, of_point]

    def limits(self) -> tuple[IntArray, IntArray]:
        """(what takes the most time: latency, filling the pipe or the slowest link; the slowest link)."""
        terms, sizes = self.terms, self.message_bytes
        links, byte_time_s = self.chosen("limit"), self.chosen("byte_time_s")
        bytes_s = np.stack([one.bytes_s(rate, sizes) for one, rate in zip(terms, byte_time_s, strict=True)])
        filled = np.stack([saturation(sizes, one.fill_bytes) for one in terms])
        fill_s = self.chosen("fill_s") * filled
        alpha_s = self.chosen("alpha_s") + self.chosen("start_s") * saturation(sizes, terms[0].start_bytes)
        alpha_s = alpha_s + shown_steps(self.chosen("steps_s"), bytes_s, terms[0].hiding)
        for i, one in enumerate(terms):
            if one.channels is not None:
                links[i] = np.where(bytes_s[i] > byte_time_s[i] * sizes, CHANNELS, links[i])
            if one.host_s is not None:
                alpha_s[i] = np.maximum(alpha_s[i], one.host_s[:, None])
        limit = np.where(bytes_s >= np.maximum(alpha_s, fill_s), links, FILL)
        return np.where((alpha_s >= fill_s) & (alpha_s > bytes_s), LATENCY, limit), links


def predict_times(
    points: Points,
    message_bytes: FloatArray,
    constants: ModelConstants,
    collective: str = "all_reduce",
    algorithm: str | None = None,
    protocol: str | None = None,
    floors: FloatArray | None = None,
) -> Times:
    """Times of a collective at every point and size.

    Parameters
    ----------
    points : systems with GPU counts.
    message_bytes : float array, shape (1 or n_points, n_sizes), above 0. [B]
    collective : one of COLLECTIVES.
    algorithm, protocol : forced, or None for what the library takes.
    floors : float array, shape (n_points,): measured ÷ predicted latencies (``floor_ratios``), where the points are parts of
        the system that was measured, or something else than an all-reduce was. None: by an all-reduce of each point's own
        system.

    Returns
    -------
    Times; infinite where the forced algorithm does not exist at a point.
    """
    terms = collective_terms(points, constants, collective, algorithm, protocol)
    ratios = floor_ratios(points, constants) if floors is None else floors
    forced = algorithm, protocol
    return _times(points, message_bytes, constants, {collective: terms}, ratios, forced)[collective]


def system_floors(columns: SystemColumns, constants: ModelConstants) -> FloatArray | None:
    """Measured ÷ predicted latencies of whole systems, shape (n_variants,), for ``predict_times`` of their parts.

    By an all-reduce that a process per GPU launches, as nccl-tests does it. None where no time was measured.
    """
    return floor_ratios(points_of(columns, columns.domain_gpus, DESIGN_LAUNCH, constants), constants)


def _times(
    points: Points,
    message_bytes: FloatArray,
    constants: ModelConstants,
    terms_of: dict[str, Terms],
    floors: FloatArray | None,
    forced: tuple[str | None, str | None] = (None, None),
) -> dict[str, Times]:
    names, terms = list(terms_of), list(terms_of.values())
    if floors is not None:
        terms = [one.with_floors(floors) for one in terms]
    found = _Answered(terms, message_bytes)
    limit, links = found.limits()
    is_validated = is_measured(points, found.message_bytes, links, found.choice, constants, names)
    low, high = bands(
        points, found.message_bytes, limit, found.choice, is_validated, terms, found.time_s, constants, names
    )
    if ends := constants.ends():
        slow_s, fast_s = (_times_at(end, points, message_bytes, names, floors, forced) for end in ends)
        has_time = np.isfinite(found.time_s) & (found.time_s > 0)
        low = np.minimum(low, np.divide(fast_s, found.time_s, out=np.ones_like(low), where=has_time))
        high = np.maximum(high, np.divide(slow_s, found.time_s, out=np.ones_like(high), where=has_time))
    alone = (points.n_ranks == 1)[:, None]
    time_s = np.where(alone, 0.0, found.time_s)
    algbw = np.where(alone, 0.0, found.message_bytes / np.where(alone, 1.0, time_s))
    factors = np.stack([BUS_FACTORS[name](points.n_ranks) for name in names])[:, :, None]
    rates = np.stack([line_rates(points, name)[0] for name in names])[:, :, None]
    at_line_rate_s = np.where(IS_HOP_BY_HOP[found.choice], found.message_bytes * factors / rates, 0.0)
    columns = (
        time_s,
        np.clip(at_line_rate_s, time_s * low, time_s),  # no run is faster than the wire
        time_s * high,
        np.where(alone, -1, found.choice),
        np.where(alone, ALONE, limit),
        is_validated | alone,
        algbw,
        algbw * factors,
    )
    return {name: Times(*of) for name, *of in zip(names, *columns, strict=True)}


def _times_at(
    constants: ModelConstants,
    points: Points,
    message_bytes: FloatArray,
    names: Sequence[str],
    floors: FloatArray | None,
    forced: tuple[str | None, str | None],
) -> FloatArray:
    """Times at one end of the constants' ranges, shape (n_collectives, n_points, n_sizes)."""
    there = points_of(points.columns.with_slots(constants), points.n_ranks, points.launch, constants)
    rings = rings_of(there, constants)
    terms = [collective_terms(there, constants, name, *forced, rings=rings) for name in names]
    terms = terms if floors is None else [one.with_floors(floors) for one in terms]
    return np.stack([fastest(one, message_bytes)[0] for one in terms])


DESIGN_MESSAGE_BYTES = tuple(2**power for power in range(3, 35))  # 8 B to 16 GiB
EFFICIENCY_BYTES: FloatArray = np.array([[2**20, 2**24, 2**28, 2**34]], dtype=np.float64)
_SHOWN = [DESIGN_MESSAGE_BYTES.index(size) for size in EFFICIENCY_BYTES[0]]
DESIGN_LAUNCH = "process-per-gpu"


def gpu_counts(domain_gpus: int, n_gpus: int) -> list[int]:
    """GPU counts to show for a design: one scale-up domain (two GPUs at least), powers of two beyond it, all of them."""
    first = min(max(domain_gpus, 2), n_gpus)
    powers = [2**power for power in range(first.bit_length(), n_gpus.bit_length()) if first < 2**power < n_gpus]
    return [first, *powers, n_gpus] if n_gpus > first else [first]


def design_performance(
    systems: Sequence[Json],
    n_gpus: Sequence[int],
    catalog: Any,
    constants: ModelConstants | None = None,
    only_all_reduce: bool = False,
) -> list[Performance]:
    """Predicted collectives of designs, from one scale-up domain to all of their GPUs, 8 B to 16 GiB.

    Parameters
    ----------
    systems : one a design, in the form of a prediction request's ``system``; ``gpu`` must be in the catalog.
    n_gpus : GPUs of each design, 1 or more.
    constants : a calibration's, or None for the catalog's.
    only_all_reduce : leave out the other collectives, and what compares them; the same numbers for all-reduce in a fifth of
        the time.

    Returns
    -------
    One a design, without its ``system``.
    """
    constants = constants or ModelConstants(catalog)
    columns = system_columns(systems, catalog, constants)
    counts = [gpu_counts(int(domain), total) for domain, total in zip(columns.domain_gpus, n_gpus, strict=True)]
    ranks = [[*row, row[-1], row[-1]] for row in counts]  # all GPUs once more, in order and at random
    starts = np.cumsum([0, *map(len, ranks[:-1])]).tolist()
    rows = [slice(start, start + len(row)) for start, row in zip(starts, counts, strict=True)]
    points = _points(columns, ranks, constants)
    grid = np.array(DESIGN_MESSAGE_BYTES, dtype=np.float64)
    message_bytes = np.concatenate(
        [
            np.hstack([np.broadcast_to(grid, (len(row), len(grid))), shrunk_bytes(np.array(row), EFFICIENCY_BYTES)])
            for row in ranks
        ]
    )
    rings = rings_of(points, constants)
    of_all_reduce = collective_terms(points, constants, rings=rings)
    used = [_used(constants, columns, i) for i in range(len(counts))]  # so far: by all-reduce alone
    others = ["alltoall"] if only_all_reduce else [name for name in COLLECTIVES if name != "all_reduce"]
    others_terms = {name: collective_terms(points, constants, name, rings=rings) for name in others}
    floors = floor_ratios(points, constants)
    times = _times(points, message_bytes, constants, {"all_reduce": of_all_reduce} | others_terms, floors)
    tables = [_design_table(times["all_reduce"], *of) for of in zip(counts, rows, used, strict=True)]
    scattered = [_all_to_all(times["alltoall"], *of) for of in zip(counts, rows, strict=True)]
    if only_all_reduce:
        return [Performance(all_reduce=table, all_to_all=found) for table, found in zip(tables, scattered, strict=True)]
    scaling = _Scaling(times, points)
    return [
        Performance(
            all_reduce=tables[i],
            all_to_all=scattered[i],
            collectives=scaling.tables(rows[i], counts[i]),
            efficiency=scaling.efficiency(rows[i], counts[i]),
            half_bandwidth_bytes=scaling.half_bandwidth(rows[i], counts[i]),
            more_constants=_more(_used(constants, columns, i), used[i]),
        )
        for i in range(len(counts))
    ]


def _more(rows: list[ModelConstant], without: list[ModelConstant]) -> list[ModelConstant]:
    """Constants that the other collectives rest on beside those of all-reduce."""
    known = {(row.name, row.index) for row in without}
    return [row for row in rows if (row.name, row.index) not in known]


def _points(columns: SystemColumns, ranks: list[list[int]], constants: ModelConstants) -> Points:
    """Points of designs: numbers of GPUs with the ranks as the design places them, the last two in order and at random."""
    columns = columns.take(np.repeat(np.arange(len(ranks)), [len(row) for row in ranks]))
    ends, is_random = np.cumsum([len(row) for row in ranks]), columns.is_random.copy()
    is_random[ends - 2], is_random[ends - 1] = False, True
    n_ranks = np.array([n for row in ranks for n in row], dtype=np.int64)
    return points_of(replace(columns, is_random=is_random), n_ranks, DESIGN_LAUNCH, constants)


def _all_to_all(found: Times, counts: list[int], rows: slice) -> AllToAllFigure | None:
    """The largest all-to-all on all GPUs of a design, which loads every uplink; None for one GPU alone."""
    if counts[-1] == 1:
        return None
    at = rows.stop - 1, len(DESIGN_MESSAGE_BYTES) - 1
    return AllToAllFigure(
        gpus=counts[-1],
        message_bytes=DESIGN_MESSAGE_BYTES[-1],
        busbw_gb_s=float(byte_s_to_gb_s(found.busbw_byte_s[at])),
        time_us=float(s_to_us(found.time_s[at])),
        time_us_low=float(s_to_us(found.low_s[at])),
        time_us_high=float(s_to_us(found.high_s[at])),
        limited_by=LIMITS[int(found.limit[at])],
        validated=bool(found.is_validated[at]),
    )


class _Scaling:
    """Compact tables, efficiencies and sizes at half bandwidth of a batch, all collectives rounded in one go."""

    def __init__(self, times: dict[str, Times], points: Points) -> None:
        self._times = times
        self._n_ranks = points.n_ranks
        rates = [line_rates(points, name) for name in times]
        self._rate = byte_s_to_gb_s(np.stack([rate for rate, _ in rates]))
        self._rate_of = np.stack([limit for _, limit in rates])
        n_sizes = len(DESIGN_MESSAGE_BYTES)
        every = list(times.values())
        busbw = byte_s_to_gb_s(np.stack([found.busbw_byte_s[:, :n_sizes] for found in every]))
        time_s = np.stack([found.time_s for found in every])
        bands = [np.stack([getattr(found, side)[:, :n_sizes] for found in every]) for side in ("low_s", "high_s")]
        self._tables = significant(np.stack([busbw, *(s_to_us(t) for t in (time_s[:, :, :n_sizes], *bands))]))
        self._busbw, self._time_s, self._shrunk_s = busbw, time_s[:, :, _SHOWN], time_s[:, :, n_sizes:]

    def half_bandwidth(self, rows: slice, counts: list[int]) -> HalfBandwidth | None:
        """Of one design, from its rows; None for one GPU alone."""
        if counts[-1] == 1:
            return None
        sizes = np.array(DESIGN_MESSAGE_BYTES, dtype=np.float64)
        half = [np.round(half_bandwidth(busbw[rows], sizes)).astype(np.int64).tolist() for busbw in self._busbw]
        return HalfBandwidth(gpus=counts, of=dict(zip(self._times, half, strict=True)))

    def efficiency(self, rows: slice, counts: list[int]) -> Efficiency | None:
        """Of one design, from its rows; None for one GPU alone."""
        if counts[-1] == 1:
            return None
        rate, shown_s, shrunk_s = self._rate[:, rows], self._time_s[:, rows], self._shrunk_s[:, rows]
        n_ranks = self._n_ranks[rows]
        shares = [
            self._busbw[:, rows][:, :, _SHOWN] / rate[:, :, None],
            weak_efficiency(shown_s),
            strong_efficiency(n_ranks, shown_s, shrunk_s),
        ]
        collective, weak, strong = significant(np.stack(shares)).tolist()
        rates, limits = significant(rate).tolist(), self._rate_of[:, rows].tolist()
        return Efficiency(
            gpus=counts,
            reference_gpus=counts[0],
            message_bytes=[int(size) for size in EFFICIENCY_BYTES[0]],
            of={
                name: CollectiveEfficiency(
                    line_rate_gb_s=rates[k],
                    line_rate_of=[LIMITS[i] for i in limits[k]],
                    collective=collective[k],
                    weak=weak[k],
                    strong=strong[k],
                )
                for k, name in enumerate(self._times)
            },
        )

    def tables(self, rows: slice, counts: list[int]) -> dict[str, CollectiveTable]:
        """Of one design, by collective but for all-reduce; nothing for one GPU alone."""
        return {
            name: self._compact(k, found, rows, counts)
            for k, (name, found) in enumerate(self._times.items())
            if name != "all_reduce" and counts[-1] > 1
        }

    def _compact(self, k: int, times: Times, rows: slice, counts: list[int]) -> CollectiveTable:
        """Tables of one collective to five digits; algorithms and limits as places in the lists beside them."""
        n_sizes = len(DESIGN_MESSAGE_BYTES)
        busbw, time_us, low, high = self._tables[:, k, rows].tolist()
        variants, algorithm = _numbered(times.choice[rows, :n_sizes], len(VARIANTS))
        limits, limit = _numbered(times.limit[rows, :n_sizes], len(LIMITS))
        return CollectiveTable(
            gpus=counts,
            message_bytes=list(DESIGN_MESSAGE_BYTES),
            busbw_gb_s=busbw,
            time_us=time_us,
            time_us_low=low,
            time_us_high=high,
            algorithms=[list(VARIANTS[i]) for i in variants.tolist()],
            algorithm=algorithm.tolist(),
            limits=[LIMITS[i] for i in limits.tolist()],
            limited_by=limit.tolist(),
            validated=times.is_validated[rows, :n_sizes].tolist(),
        )


def _numbered(codes: IntArray, n: int) -> tuple[IntArray, IntArray]:
    """(the codes from 0 to n − 1 that occur, in order, the place of each one of ``codes`` among them)."""
    occurs = np.zeros(n, dtype=bool)
    occurs[codes] = True
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[codes]


def _design_table(times: Times, counts: list[int], rows: slice, used: list[ModelConstant]) -> AllReduceTable:
    """One design's all-reduce from its rows of ``times``, which both placements on all GPUs follow."""
    n_sizes = len(DESIGN_MESSAGE_BYTES)
    ordered, at_random = byte_s_to_gb_s(times.busbw_byte_s[rows.stop : rows.stop + 2, n_sizes - 1]).tolist()

    def shown(table: Any) -> Any:
        return table[rows, :n_sizes]

    busbw, choice = byte_s_to_gb_s(shown(times.busbw_byte_s)), shown(times.choice).tolist()
    return AllReduceTable(
        gpus=counts,
        message_bytes=list(DESIGN_MESSAGE_BYTES),
        reference_gpus=counts[0],
        busbw_gb_s=busbw.tolist(),
        algbw_gb_s=byte_s_to_gb_s(shown(times.algbw_byte_s)).tolist(),
        time_us=s_to_us(shown(times.time_s)).tolist(),
        time_us_low=s_to_us(shown(times.low_s)).tolist(),
        time_us_high=s_to_us(shown(times.high_s)).tolist(),
        scaling_efficiency=(busbw / busbw[0] if busbw[0, 0] > 0 else np.ones_like(busbw)).tolist(),
        algorithm=[[algorithm_name(i) for i in row] for row in choice],
        protocol=[[protocol_name(i) for i in row] for row in choice],
        limited_by=[[LIMITS[i] for i in row] for row in shown(times.limit).tolist()],
        validated=shown(times.is_validated).tolist(),
        both_placements=BothPlacements(
            gpus=counts[-1],
            message_bytes=DESIGN_MESSAGE_BYTES[-1],
            ordered_busbw_gb_s=ordered,
            random_busbw_gb_s=at_random,
        ),
        constants=used,
    )


def algorithm_name(choice: int) -> str | None:
    """Algorithm of a variant's index; None for -1."""
    return VARIANTS[choice][0] if choice >= 0 else None


def protocol_name(choice: int) -> str | None:
    """Protocol of a variant's index; None for -1."""
    return VARIANTS[choice][1] if choice >= 0 else None


def _used(constants: ModelConstants, columns: SystemColumns, variant: int) -> list[ModelConstant]:
    """Constants behind one variant of a batch: those looked up, but for other variants' own."""
    without = frozenset().union(*columns.labels) - columns.labels[variant]
    return [_constant(row, constants) for row in constants.used(without)]


def _constant(row: Any, constants: ModelConstants) -> ModelConstant:
    """One constant with where it is from: the catalog's row, or what a calibration put in its place."""
    known, given = _of_catalog(row), constants.given(row.name, row.index or "")
    if given is None:
        return known
    evidence = f"in place of {row.value} of the catalog"
    return known.but(value=given, basis="measured", source=str(constants.source), evidence=evidence)


@cache
def _of_catalog(row: Any) -> ModelConstant:
    return ModelConstant(
        name=row.name,
        index=row.index or "",
        value=float(row.value),
        low=float(row.low),
        high=float(row.high),
        unit=row.unit,
        basis=row.basis,
        source=str(row.source),
        evidence=row.evidence,
    )
