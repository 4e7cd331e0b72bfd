"""Every pair of pools of prefill and decode workers that a number of GPUs has room for, and whether they beat one pool for both.

A pair is two layouts and a ratio of workers. Ratios have no common divisor: twice of both is two replicas. Each pair is
evaluated by ``disaggregated``, as a given one is, so that a pool too small for the other shows as what waits for it.
"""

from dataclasses import dataclass, replace
from math import gcd

import numpy as np

from estimator.record import Record
from estimator.units import MILLI, FloatArray, IntArray
from estimator.workloads.serving.answer import ServedLayout
from estimator.workloads.serving.calibration import Correction, corrected
from estimator.workloads.serving.cases import NAMES, Cases
from estimator.workloads.serving.collectives import Fabric
from estimator.workloads.serving.memory import memory_of
from estimator.workloads.serving.phases import decode_step, prefill_token
from estimator.workloads.serving.search import Found, Target, as_layouts, judged, pareto_front, words_of
from estimator.workloads.serving.serving import Served, disaggregated

POOL_NAMES = (*NAMES, "workers")
PREFILL, DECODE = "prefill", "decode"
MOST_WORKERS = 8  # of one pool in a ratio
RATIOS = tuple(
    (prefill, decode)
    for prefill in range(1, MOST_WORKERS + 1)
    for decode in range(1, MOST_WORKERS + 1)
    if gcd(prefill, decode) == 1
)
MOST_FIGURES = 500_000  # pairs × loads; of more, layouts that others of their pool beat are left out
BLOCK = 16_384  # figures computed at once: their arrays stay in the processor's cache
NOTICEABLE = 1.05  # a smaller ratio is no difference: layouts at equal GPUs are ranked about as closely as that


@dataclass(frozen=True)
class PoolsFound:
    """Pairs with their figures, and how many layouts of a pool were left out before pairing."""

    found: Found
    unfit: int
    beaten: int


class PoolLayout(ServedLayout):
    """Degrees of a pool's workers."""

    workers: int


class PoolsLayout(Record):
    """The ``layout`` of a disaggregated request, every key given."""

    prefill: PoolLayout
    decode: PoolLayout


class Faster(Record):
    """Times per token between which pools serve more tokens a second and GPU."""

    tpot_ms_from: float
    tpot_ms_to: float
    ratio: float | None
    """Pools over the same GPUs for both, tokens a second and GPU, the median; None where only pools are that fast."""


class Comparison(Record):
    """Pools of prefill and decode beside the same GPUs for both."""

    verdict: str
    """disaggregated, aggregated, no_difference, or neither where nothing meets the targets."""
    message: str
    ratio: float | None
    """Most tokens a second and GPU that meet the targets: pools over the same GPUs for both."""
    gpus: int | None
    """Fewest that meet the targets, with pools."""
    gpus_aggregated: int | None
    wins: list[Faster]


def pools_within(prefill: IntArray, decode: IntArray, most_gpus: int) -> IntArray:
    """Pairs of layouts with a ratio of workers on up to ``most_gpus`` GPUs: (n, 12), POOL_NAMES of both pools."""
    sizes = [rows[:, :3].prod(axis=1) for rows in (prefill, decode)]
    found = []
    for of_prefill, of_decode in RATIOS:
        whole = of_prefill * sizes[0][:, None] + of_decode * sizes[1][None, :]
        first, second = np.nonzero(whole <= most_gpus)
        ones = np.ones((len(first), 1), dtype=np.int64)
        found.append(np.hstack([prefill[first], of_prefill * ones, decode[second], of_decode * ones]))
    return np.concatenate(found).reshape(-1, 2 * len(POOL_NAMES))


def pools_searched(
    one: Cases,
    rows: IntArray,
    most_gpus: int,
    loads: FloatArray,
    gpus: int | None,
    target: Target,
    fabric: Fabric | None,
    correction: Correction | None = None,
) -> PoolsFound:
    """Figures of every pair of pools under every load.

    Parameters
    ----------
    one : a case of the model, GPU and software, whose layout and load are replaced.
    rows : layouts of a worker, (n_layouts, 5), for either pool.
    most_gpus : of one pair.
    loads : requests in flight of the whole placement, (n_loads,); of one pair where ``gpus`` is None.
    gpus : to share among copies of a pair; None for one copy, or as many as a target of tokens a second takes.
    correction : of a calibration.
    """
    prefill, decode = (rows[_has_room(one, rows, phase)] for phase in (PREFILL, DECODE))
    pairs = pools_within(prefill, decode, most_gpus)
    unfit, beaten = 2 * len(rows) - len(prefill) - len(decode), 0
    if len(pairs) * len(loads) > MOST_FIGURES:
        before = len(prefill) + len(decode)
        prefill, decode = prefill[_best_prefill(one, prefill, fabric)], decode[_best_decode(one, decode, loads, fabric)]
        pairs, beaten = pools_within(prefill, decode, most_gpus), before - len(prefill) - len(decode)
    a_pair = pairs[:, :3].prod(axis=1) * pairs[:, 5] + pairs[:, 6:9].prod(axis=1) * pairs[:, 11]
    copies = np.ones(len(pairs), dtype=np.int64) if gpus is None else gpus // np.maximum(a_pair, 1)
    concurrency = np.tile(loads, len(pairs)) / np.repeat(copies, len(loads))
    figures = np.empty((3, len(pairs) * len(loads)))
    for start in range(0, figures.shape[1], BLOCK):
        here = np.arange(start, min(start + BLOCK, figures.shape[1]))
        served = _figures(one, pairs[here // len(loads)], concurrency[here], fabric, correction)
        figures[:, here] = served.tpot_s, served.ttft_s, served.tokens_s
    tpot, ttft, tokens = figures.reshape(3, len(pairs), len(loads))
    fits = np.ones(len(pairs), dtype=bool)
    of_all = np.broadcast_to(copies[:, None], tpot.shape)
    return PoolsFound(judged(Found(pairs, a_pair, of_all, tpot, ttft, tokens, fits, fits), gpus, target), unfit, beaten)


def _figures(
    one: Cases, pairs: IntArray, concurrency: FloatArray, fabric: Fabric | None, correction: Correction | None
) -> Served:
    loaded = one.with_load(replace(one.load, concurrency=np.maximum(concurrency, 1.0)))
    prefill, decode = (loaded.with_layouts(as_layouts(pairs[:, at : at + len(NAMES)])) for at in (0, len(POOL_NAMES)))
    workers = pairs[:, [5, 11]].astype(np.float64)
    served = disaggregated(prefill, decode, workers[:, 0], workers[:, 1], fabric)
    return served if correction is None else corrected(served, decode, correction)


def _has_room(one: Cases, rows: IntArray, phase: str) -> FloatArray:
    """Layouts that a pool's sequences have room on; prompts are gone before they grow."""
    load = one.load if phase == DECODE else replace(one.load, output_tokens=np.zeros(1))
    return np.asarray(memory_of(one.with_layouts(as_layouts(rows)).with_load(load)).fits)


def _best_prefill(one: Cases, rows: IntArray, fabric: Fabric | None) -> IntArray:
    """Layouts that no other one of as many GPUs beats in the time of a prompt and in prompts a second."""
    cases = one.with_layouts(as_layouts(rows))
    token = np.broadcast_to(prefill_token(cases, fabric).total_s, len(rows))
    return _fronts(rows, np.arange(len(rows)), token * np.sqrt(rows[:, 2]) / rows[:, 1], rows[:, 1] / token)


def _best_decode(one: Cases, rows: IntArray, loads: FloatArray, fabric: Fabric | None) -> IntArray:
    """Layouts that under some load no other one of as many GPUs beats in time per token and in tokens a second."""
    owner = np.repeat(np.arange(len(rows)), len(loads))
    cases = one.with_layouts(as_layouts(rows[owner]))
    running = np.minimum(np.tile(loads, len(rows)), memory_of(cases).max_sequences)
    context = one.load.input_tokens + one.load.output_tokens / 2
    step = np.broadcast_to(decode_step(cases, running, context, fabric).total_s, len(owner))
    return _fronts(rows, owner, step, running / step)


def _fronts(rows: IntArray, owner: IntArray, latency: FloatArray, rate: FloatArray) -> IntArray:
    """Rows with a point on the front of those of as many GPUs; point i is one of row ``owner[i]``."""
    sizes = rows[:, :3].prod(axis=1)[owner]
    kept: set[int] = set()
    for size in np.unique(sizes):
        points = np.flatnonzero((sizes == size) & np.isfinite(latency))
        kept.update(owner[points[pareto_front(latency[points], rate[points])]].tolist())
    return np.array(sorted(kept), dtype=np.int64)


def pool_layout(row: IntArray) -> dict[str, dict[str, int]]:
    """A pair of pools as the ``layout`` of a request."""
    halves = row[: len(POOL_NAMES)], row[len(POOL_NAMES) :]
    return {
        name: dict(zip(POOL_NAMES, half.tolist(), strict=True))
        for name, half in zip((PREFILL, DECODE), halves, strict=True)
    }


def of_pools(row: IntArray) -> tuple[str, str]:
    """A pair of pools in words, and nothing more to say of it."""
    return words_of_pools(PoolsLayout.from_json(pool_layout(row))), ""


def words_of_pools(layout: PoolsLayout) -> str:
    """ "2 of TP 4 for prompts and 1 of TP 8 for tokens"."""
    prefill, decode = (f"{pool.workers} of {words_of(pool.as_json())}" for pool in (layout.prefill, layout.decode))
    return f"{prefill} for prompts and {decode} for tokens"


def compared(pools: Found, together: Found) -> Comparison:
    """Whether pools pay: tokens a second and GPU under the targets, and the times per token at which pools serve more.

    Both are of one model, software and load, so that most of what either may be off by is common to them.
    """
    rates = [float(found.tokens_s_per_gpu[found.meets].max(initial=0.0)) for found in (pools, together)]
    fewest = [int(found.total_gpus[found.meets].min()) if found.meets.any() else None for found in (pools, together)]
    ratio, wins = rates[0] / rates[1] if all(rates) else None, _wins(pools, together)
    if ratio is None:
        verdict = "disaggregated" if rates[0] else "aggregated" if rates[1] else "neither"
    else:
        verdict = "disaggregated" if ratio > NOTICEABLE else "aggregated" if ratio < 1 / NOTICEABLE else "no_difference"
    message = _ONE_SIDED[verdict] if ratio is None else _two_sided(verdict, ratio, rates, wins)
    return Comparison(
        verdict=verdict, message=message, ratio=ratio, gpus=fewest[0], gpus_aggregated=fewest[1], wins=wins
    )


_ONE_SIDED = {
    "disaggregated": "Only pools of prefill and decode meet the targets: the same GPUs for both do not.",
    "aggregated": "Disaggregation does not pay here: only the same GPUs for prefill and decode meet the targets.",
    "neither": "Neither pools nor the same GPUs for prefill and decode meet the targets.",
}


def _two_sided(verdict: str, ratio: float, rates: list[float], wins: list[Faster]) -> str:
    head = {
        "disaggregated": "Disaggregation wins",
        "aggregated": "Disaggregation does not pay for the most tokens" if wins else "Disaggregation does not pay here",
        "no_difference": "Disaggregation makes no difference worth its pools",
    }[verdict]
    served = (
        f"{head}: pools serve up to {rates[0]:,.0f} tokens a second and GPU, the same GPUs for prefill and decode up to "
        f"{rates[1]:,.0f} ({ratio:.2f} times)."
    )
    if not wins:
        return f"{served} At no time per token do pools serve noticeably more."
    return f"{served} They serve more where a token may take {', or '.join(_span(one) for one in wins)}."


def _span(one: Faster) -> str:
    more = "only pools are that fast" if one.ratio is None else f"{one.ratio:.2f} times as many, the median"
    if f"{one.tpot_ms_from:.3g}" == f"{one.tpot_ms_to:.3g}":
        return f"{one.tpot_ms_from:.3g} ms ({more})"
    return f"{one.tpot_ms_from:.3g} to {one.tpot_ms_to:.3g} ms ({more})"


def _wins(pools: Found, together: Found) -> list[Faster]:
    """Ranges of the time per token where the front of pools is noticeably above the other one."""
    fronts = [_front(found) for found in (pools, together)]
    grid = np.unique(np.concatenate([front[0] for front in fronts]))
    rates = [_rate_within(front, grid) for front in fronts]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(rates[0] > 0, rates[0] / rates[1], 0.0)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], ratio > NOTICEABLE, [0]])))
    out = []
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        both = ratio[start:end][np.isfinite(ratio[start:end])]
        span = float(grid[start]) / MILLI, float(grid[end - 1]) / MILLI
        out.append(
            Faster(tpot_ms_from=span[0], tpot_ms_to=span[1], ratio=float(np.median(both)) if len(both) else None)
        )
    return out


def _front(found: Found) -> tuple[FloatArray, FloatArray]:
    places = np.flatnonzero(found.meets)
    tpot, rate = found.tpot_s.ravel()[places], found.tokens_s_per_gpu.ravel()[places]
    front = pareto_front(tpot, rate)
    return tpot[front], rate[front]


def _rate_within(front: tuple[FloatArray, FloatArray], grid: FloatArray) -> FloatArray:
    """Most tokens a second and GPU at no more than each time per token; 0 where nothing is that fast."""
    at = np.searchsorted(front[0], grid, side="right")
    return np.concatenate([[0.0], front[1]])[at]
