"""Every valid placement of a model on GPUs: enumerated as columns, evaluated at once, and the best with what others lack."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from estimator.record import Record
from estimator.units import MILLI, BoolArray, FloatArray, IntArray, divisors
from estimator.workloads.models.shapes import ModelShape
from estimator.workloads.serving.calibration import Correction, corrected
from estimator.workloads.serving.cases import NAMES, Cases, Layouts
from estimator.workloads.serving.collectives import Fabric
from estimator.workloads.serving.serving import Served, aggregated

MOST_STAGES = 64
MOST_GROUPS = 256  # of attention data parallelism


@dataclass(frozen=True)
class Target:
    """What a placement must keep to; None where it need not."""

    tpot_s: float | None = None
    ttft_s: float | None = None
    tokens_s: float | None = None
    most_gpus: int | None = None  # that there are, where the fewest are looked for

    @property
    def is_any(self) -> bool:
        """Whether anything is asked for."""
        return any(one is not None for one in (self.tpot_s, self.ttft_s, self.tokens_s))


@dataclass(frozen=True)
class Found:
    """All placements under all loads, shape (n_layouts, n_loads) unless said otherwise."""

    layouts: IntArray  # (n_layouts, 5), columns as NAMES; of pools those of both, with their workers (POOL_NAMES)
    gpus: IntArray  # (n_layouts,), of a replica
    replicas: IntArray
    tpot_s: FloatArray
    ttft_s: FloatArray
    tokens_s: FloatArray  # of all replicas
    fits: BoolArray  # (n_layouts,)
    meets: BoolArray  # targets of time, and memory

    @property
    def total_gpus(self) -> IntArray:
        """GPUs of all replicas."""
        return self.gpus[:, None] * self.replicas

    @property
    def tokens_s_per_gpu(self) -> FloatArray:
        """Output tokens a second and GPU."""
        return self.tokens_s / self.total_gpus


class Advice(Record):
    """Why a placement is not the best, or, below 0, that there is none."""

    placement: int
    reason: str
    message: str


def layouts_within(shape: ModelShape, most_gpus: int) -> IntArray:
    """Every layout that the model can have on up to ``most_gpus`` GPUs a replica: (n_layouts, 5), columns as NAMES.

    TP divides the heads, stages have a layer each at least, and experts are spread over all of TP × attention data
    parallelism. A dense model has no attention data parallelism: its replicas are that.
    """
    experts = shape.experts
    found = []
    for tp in (one for one in divisors(shape.heads) if one <= most_gpus):
        for pp in _doublings(min(shape.layers, MOST_STAGES, most_gpus // tp)):
            for dp in _doublings(min(most_gpus // (tp * pp), MOST_GROUPS)) if experts else [1]:
                if experts is None:
                    found.append((tp, pp, dp, 1, 1))
                    continue
                ranks = tp * dp
                found += [
                    (tp, pp, dp, ranks // ep, ep)
                    for ep in divisors(ranks)
                    if experts.count % ep == 0 and experts.ffn % (ranks // ep) == 0
                ]
    return np.array(found, dtype=np.int64).reshape(-1, len(NAMES))


def as_layouts(rows: IntArray) -> Layouts:
    """Rows of layouts as columns."""
    columns = rows.astype(np.float64).T
    return Layouts(**dict(zip(NAMES, columns, strict=True)))


def searched(
    one: Cases,
    rows: IntArray,
    loads: FloatArray,
    gpus: int | None,
    target: Target,
    fabric: Fabric | None,
    correction: Correction | None = None,
) -> Found:
    """Figures of every layout under every load.

    Parameters
    ----------
    one : a case of the model, GPU and software, whose layout and load are replaced.
    rows : layouts, (n_layouts, 5).
    loads : requests in flight of the whole placement, (n_loads,); of one replica where ``gpus`` is None.
    gpus : to share among replicas; None for one replica each, or as many as a target of tokens a second takes.
    correction : of a calibration.
    """
    n_layouts, n_loads = len(rows), len(loads)
    a_replica = rows[:, 0] * rows[:, 1] * rows[:, 2]
    replicas = np.ones(n_layouts, dtype=np.int64) if gpus is None else gpus // a_replica
    concurrency = np.tile(loads, n_layouts) / np.repeat(replicas, n_loads)
    served = _figures(one, np.repeat(rows, n_loads, axis=0), concurrency, fabric, correction)
    tpot, ttft, tokens = (
        np.broadcast_to(column, n_layouts * n_loads).reshape(n_layouts, n_loads)
        for column in (served.tpot_s, served.ttft_s, served.tokens_s)
    )
    fits = np.broadcast_to(served.fits, n_layouts * n_loads).reshape(n_layouts, n_loads)[:, 0]
    of_all = np.broadcast_to(replicas[:, None], tpot.shape)
    return judged(Found(rows, a_replica, of_all, tpot, ttft, tokens, fits, fits), gpus, target)


def judged(found: Found, gpus: int | None, target: Target) -> Found:
    """Figures of single replicas as those of all of them, and which meet the targets."""
    tpot, ttft, tokens, of_all = found.tpot_s, found.ttft_s, found.tokens_s, found.replicas
    if gpus is None and target.tokens_s is not None:
        with np.errstate(divide="ignore"):
            needed = np.ceil(target.tokens_s / tokens)
        of_all = np.where(np.isfinite(needed), np.maximum(1, needed), 1).astype(np.int64)
    meets = found.fits[:, None] & np.isfinite(tpot + ttft)
    for limit, column in ((target.tpot_s, tpot), (target.ttft_s, ttft)):
        if limit is not None:
            meets &= column <= limit
    if target.tokens_s is not None:
        meets &= tokens * of_all >= target.tokens_s
    if target.most_gpus is not None:
        meets &= found.gpus[:, None] * of_all <= target.most_gpus
    return replace(found, replicas=of_all, tokens_s=tokens * of_all, meets=meets)


def ranking(found: Found, is_fixed: bool, has_target: bool) -> IntArray:
    """Places (flat, layout × load) from best to worst of those that meet the targets.

    On given GPUs the most tokens a second win. Else with targets the fewest GPUs, and without the most tokens a second and
    GPU. Of equals the shortest time per token comes first.
    """
    candidates = np.flatnonzero(found.meets)
    tokens = found.tokens_s if is_fixed else found.tokens_s_per_gpu
    first = found.total_gpus if has_target and not is_fixed else -tokens
    keys = (found.tpot_s.ravel()[candidates], first.ravel()[candidates])
    return np.asarray(candidates[np.lexsort(keys)], dtype=np.int64)


def pareto_front(latency: FloatArray, throughput: FloatArray) -> IntArray:
    """Places that no other one beats in both, by ascending latency."""
    order = np.lexsort((-throughput, latency))
    best = np.maximum.accumulate(throughput[order])
    first = np.concatenate([[True], best[1:] > best[:-1]]) if len(order) else np.zeros(0, dtype=bool)
    return np.asarray(order[first], dtype=np.int64)


def _figures(
    one: Cases, rows: IntArray, concurrency: FloatArray, fabric: Fabric | None, correction: Correction | None
) -> Served:
    load = replace(one.load, concurrency=np.maximum(concurrency, 1.0))
    cases = one.with_layouts(as_layouts(rows)).with_load(load)
    figures = aggregated(cases, fabric)
    return figures if correction is None else corrected(figures, cases, correction)


def _doublings(most: int) -> list[int]:
    return [2**power for power in range(most.bit_length())] if most >= 1 else []


def words_of(layout: Mapping[str, int]) -> str:
    """A layout in short words: TP 8, PP 2, …; what is 1 is left out."""
    labels = {"tp": "TP", "pp": "PP", "attention_dp": "attention DP", "ep": "EP"}
    return " × ".join(f"{label} {layout[name]}" for name, label in labels.items() if layout[name] > 1) or "one GPU"


def of_worker(row: IntArray) -> tuple[str, str]:
    """A layout of one worker in words, and how many GPUs a layer of it spans."""
    span = int(row[0] * row[2])
    return words_of(dict(zip(NAMES, row.tolist(), strict=True))), f"; its layers span {span} GPUs" if span > 1 else ""


def lost(found: Found, at: int, place: int, best: int, words_of_row: Callable[[IntArray], tuple[str, str]]) -> Advice:
    """What a runner-up has less of than the best, the largest difference first.

    ``words_of_row`` names a layout, and says what of it matters.
    """
    gpus, tpot, rate = (column.ravel() for column in (found.total_gpus, found.tpot_s, found.tokens_s_per_gpu))
    layout, remark = words_of_row(found.layouts[place // found.tpot_s.shape[1]])
    ratios = {
        "more_gpus": float(gpus[place] / gpus[best]),
        "slower_tokens": float(tpot[place] / tpot[best]),
        "fewer_tokens_per_gpu": float(rate[best] / rate[place]),
    }
    reason = max(ratios, key=lambda name: ratios[name])
    words = {
        "more_gpus": f"takes {gpus[place]} GPUs where the best takes {gpus[best]}",
        "slower_tokens": f"takes {tpot[place] / MILLI:.3g} ms a token where the best takes {tpot[best] / MILLI:.3g} ms",
        "fewer_tokens_per_gpu": f"serves {rate[place]:,.0f} tokens a second and GPU where the best serves {rate[best]:,.0f}",
    }
    if ratios[reason] <= 1:
        return Advice(
            placement=at, reason="as_good", message=f"{layout} is as good in every figure; the best comes first."
        )
    return Advice(placement=at, reason=reason, message=f"{layout} {words[reason]}{remark}.")


def nothing_left(found: Found, target: Target, shape: ModelShape) -> Advice:
    """Why no placement is left, and how near the nearest comes."""
    if not found.fits.any():
        message = (
            f"{shape.name} fits on no layout of these GPUs. Use more GPUs, a smaller precision or shorter sequences."
        )
        return Advice(placement=-1, reason="does_not_fit", message=message)
    tpot, ttft = found.tpot_s[found.fits], found.ttft_s[found.fits]
    nearest = [
        f"{name} {column.min() / MILLI:.3g} ms at best, and {limit / MILLI:.3g} ms was requested"
        for name, column, limit in (
            ("time per token", tpot, target.tpot_s),
            ("time to first token", ttft, target.ttft_s),
        )
        if limit is not None and column.min() > limit
    ]
    if target.tokens_s is not None and found.tokens_s[found.fits].max() < target.tokens_s:
        most = found.tokens_s[found.fits].max()
        nearest.append(f"{most:,.0f} tokens a second at most, and {target.tokens_s:,.0f} were requested")
    words = "; ".join(nearest) or "each target is met by some placement, and no placement meets all"
    return Advice(placement=-1, reason="targets_not_met", message=f"No placement meets the targets: {words}.")
