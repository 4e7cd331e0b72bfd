"""Searches for placements: those worth knowing of all that there are, the best, and what the others lack."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from estimator.record import Json
from estimator.serving_request.placements import Checked, Placements
from estimator.serving_request.request import AGGREGATED, DISAGGREGATED, ServingRequest, loads_of
from estimator.units import MILLI, FloatArray, IntArray
from estimator.workloads.serving.answer import Placement
from estimator.workloads.serving.cases import NAMES, Cases
from estimator.workloads.serving.memory import memory_of
from estimator.workloads.serving.pools import (
    DECODE,
    PREFILL,
    PoolsFound,
    compared,
    of_pools,
    pool_layout,
    pools_searched,
)
from estimator.workloads.serving.search import (
    Found,
    Target,
    as_layouts,
    layouts_within,
    lost,
    nothing_left,
    of_worker,
    pareto_front,
    ranking,
    searched,
    words_of,
)

MOST_WORKER_GPUS = 1024  # of one replica
USUAL_MOST_GPUS = 64  # of a replica, where a request says no number of GPUs
LOAD_DOUBLINGS = 13  # loads of a replica that a target is looked for at: 1 to 4,096
MOST_ON_FRONT = 24  # placements of a front that are listed where a request says no larger number


class LookedAt(NamedTuple):
    """What a search computed: targets, loads, and the figures of every placement."""

    target: Target
    loads: FloatArray
    together: Found
    pools: PoolsFound | None


def looked_at(checked: Checked, placements: Placements, n_gpus: int | None) -> LookedAt:
    """Figures of every placement on what there is; ``n_gpus`` are those of a design, at most."""
    asked, shape = checked.asked, checked.shape
    fabric = placements.fabric(asked)
    most = min(asked.gpus or max(fabric.domain_gpus, USUAL_MOST_GPUS), MOST_WORKER_GPUS, n_gpus or MOST_WORKER_GPUS)
    rows, target = layouts_within(shape, most), target_of(asked)
    if asked.gpus is None and n_gpus is not None:
        target = replace(target, most_gpus=n_gpus)
    loads = loads_of(asked) if asked.concurrency else _all_loads(asked.gpus)
    one = _case(checked, placements, rows)
    together = searched(one, rows, loads, asked.gpus, target, fabric, checked.correction)
    pools = None
    if asked.mode == DISAGGREGATED:
        pools = pools_searched(one, rows, most, loads, asked.gpus, target, fabric, checked.correction)
    return LookedAt(target, loads, together, pools)


def search_answer(checked: Checked, placements: Placements, n_gpus: int | None) -> Json:
    """The placements worth knowing, the best, and what the others lack; pools beside the same GPUs for both."""
    looked = looked_at(checked, placements, n_gpus)
    if looked.pools is None:
        return _answer(checked, placements, looked.together, looked)
    pools = looked.pools
    without = checked._replace(asked=checked.asked.model_copy(update={"mode": AGGREGATED}))
    best = _answer(without, placements, looked.together, looked)["best"]
    return {
        **_answer(checked, placements, pools.found, looked),
        "left_out": {"does_not_fit": pools.unfit, "beaten_in_its_pool": pools.beaten},
        "comparison": {**compared(pools.found, looked.together).as_json(), "aggregated": best},
    }


def _answer(checked: Checked, placements: Placements, found: Found, looked: LookedAt) -> Json:
    """What a search answers of the figures that it found."""
    asked, n_loads = checked.asked, len(looked.loads)
    order = ranking(found, asked.gpus is not None, looked.target.is_any)
    candidates = np.flatnonzero(found.meets)
    front = candidates[pareto_front(found.tpot_s.ravel()[candidates], found.tokens_s_per_gpu.ravel()[candidates])]
    front = front[_evenly(len(front), max(asked.top, MOST_ON_FRONT))]
    picked: dict[int, int] = {}  # layout → the load that it is shown under; each layout once
    for place in [*order[:1].tolist(), *front.tolist(), *order.tolist()]:
        if len(picked) >= max(asked.top, len(front)):
            break
        picked.setdefault(place // n_loads, place)
    places = list(picked.values())
    shown = [listed(checked, placements, found, place, looked.loads) for place in places]
    on_front = {int(place) // n_loads for place in front}
    words = of_pools if asked.mode == DISAGGREGATED else of_worker
    advice = [lost(found, at, place, places[0], words) for at, place in enumerate(places) if at]
    return {
        "placements": shown,
        "pareto": [at for at, place in enumerate(places) if place // n_loads in on_front],
        "best": shown[0] if shown else None,
        "advice": [
            one.as_json() for one in (advice if places else [nothing_left(found, looked.target, checked.shape)])
        ],
        "looked_at": len(found.layouts),
        "fits": int(found.fits.sum()),
    }


def listed(checked: Checked, placements: Placements, found: Found, place: int, loads: FloatArray) -> Json:
    """The answer of one placement of a search, with its layout, under the loads of the request or the one it is best at."""
    at, load = divmod(place, len(loads))
    asked, replicas = checked.asked, int(found.replicas[at, load])
    per_replica = loads if asked.concurrency else loads[load : load + 1]
    total = [int(one) for one in (per_replica if asked.gpus else per_replica * replicas)]
    changes = {"gpus": int(found.total_gpus[at, load]), "concurrency": total, "arrivals_per_s": None}
    layout: Json
    if asked.mode == DISAGGREGATED:
        layout = pool_layout(found.layouts[at])
        layouts = [layout[PREFILL], layout[DECODE]]
    else:
        layout = dict(zip(NAMES, found.layouts[at].tolist(), strict=True))
        layouts = [layout]
    changed = checked._replace(asked=asked.model_copy(update=changes), layouts=layouts)
    return {"layout": layout, **answer_of(changed, placements).as_json()}


def answer_of(checked: Checked, placements: Placements) -> Placement:
    """The placement of a request; one without room names a layout that has it."""
    placement = placements.answer(checked)
    if placement.fits or checked.asked.mode == DISAGGREGATED:
        return placement
    rows = layouts_within(checked.shape, MOST_WORKER_GPUS)
    fitting = rows[np.flatnonzero(memory_of(_case(checked, placements, rows).with_layouts(as_layouts(rows))).fits)]
    if not len(fitting):
        words = f"Nothing of up to {MOST_WORKER_GPUS:,} GPUs: use a smaller precision or shorter sequences."
    else:
        least = fitting[np.lexsort((fitting[:, 1], fitting[:, :3].prod(axis=1)))[0]]
        words = f"{words_of(dict(zip(NAMES, least.tolist(), strict=True)))} on {least[:3].prod():,} GPUs"
    return placement.but(would_fit=words)


def _case(checked: Checked, placements: Placements, rows: IntArray) -> Cases:
    """A case whose layout and load are replaced."""
    return placements.cases(checked, dict(zip(NAMES, rows[0].tolist(), strict=True)), np.ones(1))


def target_of(asked: ServingRequest) -> Target:
    """Targets in SI units; requests a second are tokens a second."""
    target, of_arrivals = asked.target, None
    if asked.arrivals_per_s is not None:
        of_arrivals = asked.arrivals_per_s * asked.output_tokens.mean_tokens
    tokens = [one for one in (target.tokens_per_s, of_arrivals) if one is not None]
    return Target(
        tpot_s=None if target.tpot_ms is None else target.tpot_ms * MILLI,
        ttft_s=None if target.ttft_ms is None else target.ttft_ms * MILLI,
        tokens_s=max(tokens) if tokens else None,
    )


def widest_of(layout: Mapping[str, int]) -> int:
    """GPUs that a layer of one worker spans."""
    return max(layout["tp"] * layout["attention_dp"], layout["moe_tp"] * layout["ep"])


def _all_loads(gpus: int | None) -> FloatArray:
    """Requests in flight that are looked at where a request names none: of a replica, or of as many as the GPUs have room for."""
    return np.exp2(np.arange(LOAD_DOUBLINGS + (gpus - 1).bit_length() if gpus else LOAD_DOUBLINGS))


def _evenly(count: int, most: int) -> IntArray:
    """Places of ``most`` of ``count`` things, evenly spaced, both ends among them."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.int64))
