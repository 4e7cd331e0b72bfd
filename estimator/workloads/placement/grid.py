"""Ranks as a grid of parallel degrees, and its groups: ranks that differ along some axes alone.

Numbering is that of Megatron-LM's RankGenerator (megatron/core/parallel_state.py): the first axis of an order changes
fastest, and groups come in the order of their first rank. Its default is tp-cp-ep-dp-pp; --use-tp-pp-dp-mapping gives
tp-cp-ep-pp-dp. Dense layers have a grid without experts, experts one of their own over the same ranks. Engines put tensor
ranks innermost as well; vLLM's stages lie inside a data-parallel copy (vllm/distributed/parallel_state.py), those of SGLang
and TensorRT-LLM outside.
"""

from dataclasses import dataclass
from math import prod

import numpy as np

from estimator.units import IntArray
from estimator.workloads.placement.request import Layout, Parallel, Part

TP, CP, EP, DP, PP = "tp", "cp", "ep", "dp", "pp"
EXPERT_TP, EXPERT_DP, ATTENTION_DP, WORKER = "expert_tp", "expert_dp", "attention_dp", "worker"


@dataclass(frozen=True, slots=True)
class Grid:
    """Axes innermost first, with their sizes."""

    sizes: dict[str, int]

    @property
    def n_ranks(self) -> int:
        """Ranks of the grid."""
        return prod(self.sizes.values())

    def coordinates(self) -> dict[str, IntArray]:
        """Place of every rank along each axis, shape (n_ranks,), from 0."""
        at, out = np.arange(self.n_ranks, dtype=np.int64), {}
        for name, size in self.sizes.items():
            at, out[name] = np.divmod(at, size)
        return out

    def groups(self, *over: str) -> IntArray:
        """Ranks that differ along ``over`` alone: (n_groups, n_ranks of a group), each rank once."""
        names = list(self.sizes)[::-1]  # numpy's last axis changes fastest
        ranks = np.arange(self.n_ranks, dtype=np.int64).reshape([self.sizes[name] for name in names])
        axes = [names.index(name) for name in names if name not in over] + [
            names.index(name) for name in names if name in over
        ]
        return ranks.transpose(axes).reshape(-1, prod(self.sizes[name] for name in over))


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of group of a part: every rank of the part is in one of them, numbered within the part."""

    name: str
    ranks: IntArray  # (n_groups, n_ranks)


def grids_of(part: Part) -> tuple[Grid, Grid]:
    """(grid of the dense layers, grid of the experts) of a part, workers outermost."""
    of, far = part.degrees, part.order.split("-")[-2:]
    if isinstance(of, Parallel):
        dense = {DP: of.dp, PP: of.pp}
        edp = of.tp * of.cp * of.dp // (of.experts_tp * of.ep)
        experts = {EXPERT_DP: edp, PP: of.pp}
        by_name = {DP: EXPERT_DP, PP: PP}
        return (
            Grid({TP: of.tp, CP: of.cp, **{name: dense[name] for name in far}}),
            Grid({EXPERT_TP: of.experts_tp, EP: of.ep, **{by_name[name]: experts[by_name[name]] for name in far}}),
        )
    stage = {DP: {ATTENTION_DP: of.attention_dp}, PP: {PP: of.pp}}
    dense_grid = Grid({TP: of.tp} | stage[far[0]] | stage[far[1]] | {WORKER: part.workers})
    return dense_grid, Grid({EXPERT_TP: of.experts_tp, EP: of.ep, PP: of.pp, WORKER: part.workers})


def kinds_of(part: Part) -> list[Kind]:
    """Groups of more than one rank, those that move most bytes first.

    With tensor ranks innermost and stages inside a copy (tp-pp-dp), experts of an engine span copies: their groups are
    those of its dense grid that differ in tensor and data-parallel rank.
    """
    dense, experts = grids_of(part)
    found = [(TP, dense.groups(TP))]
    if isinstance(part.degrees, Layout):
        stage = dense.groups(TP, ATTENTION_DP)  # ranks of one stage, tensor ranks fastest
        of = part.degrees
        by_expert = stage.reshape(-1, of.ep, of.experts_tp)
        found += [
            (EXPERT_TP, by_expert.reshape(-1, of.experts_tp)),
            (EP, by_expert.transpose(0, 2, 1).reshape(-1, of.ep)),
            (ATTENTION_DP, dense.groups(ATTENTION_DP)),
            (PP, dense.groups(PP)),
            (WORKER, np.arange(part.n_ranks, dtype=np.int64).reshape(part.workers, -1)),
        ]
    else:
        found += [
            (EXPERT_TP, experts.groups(EXPERT_TP)),
            (EP, experts.groups(EP)),
            (CP, dense.groups(CP)),
            (DP, dense.groups(CP, DP)),  # gradients are summed over context-parallel ranks too
            (EXPERT_DP, experts.groups(EXPERT_DP)),
            (PP, dense.groups(PP)),
        ]
    has_experts = part.degrees.ep > 1
    return [
        Kind(name, ranks)
        for name, ranks in found
        if ranks.shape[1] > 1 and (has_experts or name not in (EXPERT_TP, EXPERT_DP))
    ]
