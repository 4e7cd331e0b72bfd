"""Every layout that a model, a batch and a number of GPUs can have, as columns; the fast ones that fit are kept.

Degrees of tensor parallelism divide the heads, those of experts divide the experts and the GPUs of a stage, and all
together are the GPUs. What a layout cannot be is counted by its reason, so that nothing is left out in silence.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from estimator.units import FloatArray, IntArray, divisors
from estimator.workloads.models.columns import shape_columns
from estimator.workloads.models.shapes import ModelShape
from estimator.workloads.paths.groups import GroupTimes
from estimator.workloads.training.columns import Layouts, Machine, Steps, machine_columns
from estimator.workloads.training.constants import Constants
from estimator.workloads.training.memory import memory_of
from estimator.workloads.training.step import step_times
from estimator.workloads.training.traffic import Traffic, traffic_of

MOST_TP, MOST_CP = 64, 64
MICRO_BATCHES = (1, 2, 4, 8, 16)
VIRTUAL_STAGES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20)
ZERO_STAGES = (1, 3)
RECOMPUTES = (0, 1, 2)
BLOCK = 2_730 * len(RECOMPUTES)  # layouts computed at once: their arrays stay in the processor's cache
MEMORY, BATCH, STAGES, EXPERTS = "memory", "batch_not_divisible", "too_many_stages", "ep_not_in_stage"


@dataclass(frozen=True)
class Asked:
    """What is searched; ``fixed`` holds keys of a layout that are given."""

    shape: ModelShape
    machine: Machine
    n_gpus: int
    global_batch: int
    sequence: int
    fixed: Mapping[str, int]


@dataclass(frozen=True)
class Found:
    """The best layouts, fastest first, and what became of the others."""

    layouts: Layouts
    step_s: FloatArray
    looked_at: int
    refused: dict[str, int]


def valid_layouts(asked: Asked) -> tuple[Layouts, dict[str, int]]:
    """All layouts that can be, and how many others were looked at, by reason. The order is that of the degrees."""
    shape, refused = asked.shape, {BATCH: 0, STAGES: 0, EXPERTS: 0}
    columns = _degrees(asked)
    spread = {
        "virtual_stages": _choices(asked, "virtual_stages", VIRTUAL_STAGES),
        "micro_batch": _choices(asked, "micro_batch", MICRO_BATCHES),
    }
    for name, choices in spread.items():
        columns = _times(columns, name, choices)
    pp, chunks = columns["pp"], columns["pp"] * columns["virtual_stages"]
    alone = (pp == 1) & (columns["virtual_stages"] > 1)  # no stage to interleave: not another layout
    columns = _kept(columns, ~alone)
    pp, chunks = columns["pp"], columns["pp"] * columns["virtual_stages"]
    is_staged = chunks <= shape.layers + 2  # embedding and head may count as layers
    is_batched = asked.global_batch % (columns["dp"] * columns["micro_batch"]) == 0
    in_stage = (columns["dp"] * columns["cp"] * columns["tp"]) % columns["ep"] == 0
    refused[STAGES] = int((~is_staged).sum())
    refused[BATCH] = int((is_staged & ~is_batched).sum())
    refused[EXPERTS] = int((is_staged & is_batched & ~in_stage).sum())
    columns = _kept(columns, is_staged & is_batched & in_stage)
    for name, choices in (("zero_stage", ZERO_STAGES), ("recompute", RECOMPUTES)):
        columns = _times(columns, name, _choices(asked, name, choices))
    n = len(columns["tp"])
    replicas = columns["dp"] * columns["cp"]
    return (
        Layouts(
            **{name: columns[name] for name in ("tp", "pp", "cp", "ep", "dp", "virtual_stages", "micro_batch")},
            global_batch=np.full(n, asked.global_batch),
            sequence=np.full(n, asked.sequence),
            zero_stage=columns["zero_stage"],
            shard_gpus=replicas,
            sequence_parallel=np.ones(n, dtype=bool),
            recompute=columns["recompute"],
            zero_bubble=np.zeros(n, dtype=bool),
        ),
        refused,
    )


def best_layouts(asked: Asked, times: GroupTimes, constants: Constants, top: int) -> Found:
    """The ``top`` fastest layouts that fit into memory."""
    layouts, refused = valid_layouts(asked)
    n_layouts = len(layouts.tp)
    shapes = shape_columns([asked.shape])
    machines = machine_columns([asked.machine], constants)
    step_s = np.full(n_layouts, np.inf)
    same = len(_choices(asked, "recompute", RECOMPUTES))
    for start in range(0, n_layouts, BLOCK):
        here = np.arange(start, min(start + BLOCK, n_layouts))
        fits = memory_of(Steps(shapes, layouts.take(slice(start, start + BLOCK)), machines), constants).fits
        here = here[fits]  # most of a large model do not fit, and their times are of no use
        if len(here):
            steps = Steps(shapes, layouts.take(here), machines)
            step_s[here] = step_times(steps, _traffic(layouts, here // same, steps, same, times), constants).step_s
    refused[MEMORY] = int(np.isinf(step_s).sum())
    order = np.argsort(step_s, kind="stable")[:top]
    order = order[np.isfinite(step_s[order])]
    looked_at = n_layouts + sum(count for name, count in refused.items() if name != MEMORY)
    return Found(layouts.take(order), step_s[order], looked_at, {name: n for name, n in refused.items() if n})


def _traffic(layouts: Layouts, families: IntArray, steps: Steps, same: int, times: GroupTimes) -> Traffic:
    """Traffic of steps whose ``families`` of ``same`` layouts in a row differ in recompute alone, which sends nothing else."""
    is_first = np.concatenate([[True], families[1:] > families[:-1]])
    every = Steps(steps.shapes, layouts.take(families[is_first] * same), steps.machines)
    return traffic_of(every, times).take(np.cumsum(is_first) - 1)


def _degrees(asked: Asked) -> dict[str, IntArray]:
    """tp, pp, cp, dp and ep whose product is the GPUs."""
    shape, rows = asked.shape, []
    experts = divisors(shape.experts.count) if shape.experts else [1]
    parts = divisors(asked.n_gpus)
    for tp in _choices(asked, "tp", [one for one in parts if shape.heads % one == 0 and one <= MOST_TP]):
        for pp in _choices(asked, "pp", [one for one in parts if one <= shape.layers]):
            for cp in _choices(asked, "cp", [one for one in parts if asked.sequence % one == 0 and one <= MOST_CP]):
                if asked.n_gpus % (tp * pp * cp):
                    continue
                dp = asked.n_gpus // (tp * pp * cp)
                if asked.fixed.get("dp", dp) != dp:
                    continue
                rows += [(tp, pp, cp, dp, ep) for ep in _choices(asked, "ep", experts) if ep <= tp * cp * dp]
    table = np.array(rows, dtype=np.int64).reshape(-1, 5)
    return dict(zip(("tp", "pp", "cp", "dp", "ep"), table.T.copy(), strict=True))


def _choices(asked: Asked, name: str, choices: Any) -> Any:
    """What a key can be: the one that is given, or all."""
    return [asked.fixed[name]] if name in asked.fixed else choices


def _times(columns: dict[str, IntArray], name: str, choices: Any) -> dict[str, IntArray]:
    """Every row with every choice of one more key."""
    n = len(columns["tp"])
    out = {key: np.repeat(column, len(choices)) for key, column in columns.items()}
    out[name] = np.tile(np.array(choices, dtype=np.int64), n)
    return out


def _kept(columns: dict[str, IntArray], keep: Any) -> dict[str, IntArray]:
    return {name: column[keep] for name, column in columns.items()}
