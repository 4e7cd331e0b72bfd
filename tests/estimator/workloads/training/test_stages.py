"""Stages of unequal length by hand: the fullest one sets the step and the memory; embedding and head are counted."""

import numpy as np
import pytest

from estimator.record import Json
from estimator.workloads.training.stages import stages_of
from tests.estimator.workloads.training.asked import train

# a decoder whose layer has 12 · 1,024² weights (4 for attention, 8 for a feed-forward block without gate)
HIDDEN, VOCAB = 1_024, 32_000
A_LAYER, AN_END = 12 * HIDDEN**2, VOCAB * HIDDEN
ALONE: Json = {"tp": 1, "cp": 1, "dp": 1, "virtual_stages": 1, "sequence": 4096}


def decoder(layers: int) -> Json:
    return {
        "name": "decoder",
        "layers": layers,
        "hidden": HIDDEN,
        "heads": 16,
        "kv_heads": 16,
        "head_dim": 64,
        "ffn": 4 * HIDDEN,
        "vocab": VOCAB,
        "gated": False,
    }


def test_layers_of_stages() -> None:
    """(layers, PP, virtual) → first, fullest, last: 61 = 7·8 + 5; 63 = 61 + two ends = 7·9; 61 = 15·4 + 1 in 16 chunks."""
    cases = {
        (61, 8, 1): (8, 8, 5),
        (61, 7, 1): (8, 9, 8),
        (61, 8, 2): (8, 8, 5),
        (80, 4, 5): (20, 20, 20),
        (80, 2, 1): (40, 40, 40),
        (35, 16, 1): (3, 3, 0),
        (61, 1, 1): (61, 61, 61),
    }
    found = stages_of(*np.array(list(cases)).T)
    assert list(zip(found.first, found.fullest, found.last, strict=True)) == list(cases.values())
    assert found.counts_ends.tolist() == [one == (61, 7, 1) for one in cases]


@pytest.mark.parametrize(
    ("layers", "pp", "held"),
    [
        (61, 8, 8 * A_LAYER + AN_END),  # the first stage: eight layers and the embedding
        (64, 8, 8 * A_LAYER + AN_END),
        (61, 7, 8 * A_LAYER + AN_END),  # 9 layers are 12 · 1,024² more than 8, and the embedding 32,000 · 1,024
        (61, 1, 61 * A_LAYER + 2 * AN_END),
    ],
)
def test_memory_is_that_of_the_fullest_stage(layers: int, pp: int, held: int) -> None:
    answer = train(model=decoder(layers), gpus=pp, **(ALONE | {"pp": pp, "global_batch": 64}))
    assert answer["memory_gb_per_gpu"]["weights"] * 1e9 == pytest.approx(2 * held, rel=1e-3)


def test_the_fullest_of_uneven_stages_sets_the_step() -> None:
    """61 layers on 8 stages: every micro-batch waits for eight layers, as of a model that has eight on one GPU.

    The last stage has five and the head, which is less.
    64 layers are eight on each stage, and the last one has the head besides.
    """
    batch = {"global_batch": 4_096}
    alone = train(model=decoder(8), gpus=1, **(ALONE | batch | {"pp": 1}))["parts_s"]
    uneven, even = (train(model=decoder(n), gpus=8, **(ALONE | batch | {"pp": 8})) for n in (61, 64))
    assert uneven["parts_s"]["attention"] == pytest.approx(alone["attention"], rel=1e-9)
    assert even["parts_s"]["attention"] > 1.05 * alone["attention"]
    assert (uneven["stages"]["fullest_layers"], uneven["stages"]["last_layers"]) == (8, 5)
    assert not uneven["stages"]["is_even"]


def test_uneven_stages_are_said() -> None:
    answer = train(model="deepseek-v3", pp=8, tp=1, cp=1, dp=8, virtual_stages=1, ep=8)
    (note,) = answer["notes"]
    assert note.startswith(
        "61 layers do not divide into 8 stages: the fullest stage has 8, the last one 5 and the head."
    )
    assert train(virtual_stages=1).get("notes") is None
