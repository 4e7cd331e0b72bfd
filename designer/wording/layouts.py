"""Layouts of a model in a few words: what there is more than one of."""

from collections.abc import Iterable

from estimator.workloads.serving.answer import ServedLayout
from estimator.workloads.training.answer import TrainedLayout

ONE = "one GPU"
ALL_SHARDED = 3  # stage of ZeRO, as FSDP shards


def layout_words(layout: TrainedLayout | None) -> str:
    """ "TP 8 · PP 4 · DP 32"."""
    if layout is None:
        return ONE
    return _words(("TP", layout.tp), ("PP", layout.pp), ("CP", layout.cp), ("EP", layout.ep), ("DP", layout.dp))


def batch_words(layout: TrainedLayout) -> str:
    """What tells layouts of the same degrees apart: "micro-batch 1, 5 virtual stages, full recompute, weights sharded"."""
    words = [f"micro-batch {layout.micro_batch}"]
    if layout.virtual_stages > 1:
        words.append(f"{layout.virtual_stages} virtual stages")
    if layout.recompute != "none":
        words.append(f"{layout.recompute} recompute")
    if layout.zero_stage >= ALL_SHARDED:
        words.append("weights sharded")
    return ", ".join(words)


def placement_words(layout: ServedLayout | None) -> str:
    """ "TP 8 · PP 2"."""
    if layout is None:
        return ONE
    attention, experts = ("attention DP", layout.attention_dp), ("expert TP", layout.moe_tp)
    return _words(("TP", layout.tp), ("PP", layout.pp), attention, experts, ("EP", layout.ep))


def _words(*degrees: tuple[str, int]) -> str:
    return " · ".join(_more_than_one(degrees)) or ONE


def _more_than_one(degrees: Iterable[tuple[str, int]]) -> Iterable[str]:
    return (f"{name} {degree}" for name, degree in degrees if degree > 1)
