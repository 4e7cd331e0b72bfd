"""Searched layouts: all that can be, by another route; the best that fit; what was refused and why."""

import itertools
from typing import Any

import pytest

from estimator.record import Json
from estimator.training_request import trained
from tests.estimator.workloads.training.asked import CATALOG, SYSTEM, request

SEARCH: Json = {
    "system": SYSTEM,
    "gpus": 64,
    "model": "llama3-8b",
    "parallel": {"global_batch": 128, "sequence": 8192, "virtual_stages": 1, "micro_batch": 1, "recompute": "none"},
    "stack": {"framework": "megatron-bridge"},
}


def searched(**changes: Any) -> Json:
    answer = trained({**SEARCH, **changes}, CATALOG)
    assert isinstance(answer, dict)
    return answer


def test_as_many_layouts_are_looked_at_as_a_loop_counts() -> None:
    """32 heads, 32 layers, 64 GPUs: degrees are powers of two; ZeRO 1 or sharded weights."""
    powers = [2**i for i in range(7)]
    valid = [
        (tp, pp, cp, zero)
        for tp, pp, cp, zero in itertools.product(powers, powers, powers, (1, 3))
        if tp <= 32 and pp <= 32 and 64 % (tp * pp * cp) == 0 and 128 % (64 // (tp * pp * cp)) == 0
    ]
    answer = searched(top=1000)
    assert answer["looked_at"] == len(valid)
    assert answer["refused"].keys() <= {"memory"}
    assert len(answer["layouts"]) == len(valid) - answer["refused"].get("memory", 0)


def test_layouts_come_fastest_first_and_are_answered_as_if_each_was_asked_for() -> None:
    layouts = searched(parallel={"global_batch": 128, "sequence": 8192}, top=5)["layouts"]
    times = [one["step_s"] for one in layouts]
    assert times == sorted(times)
    assert all(one["fits"] for one in layouts)
    for one in layouts:
        alone = trained({**SEARCH, "parallel": one["parallel"]}, CATALOG)
        assert isinstance(alone, dict)
        assert alone["step_s"] == pytest.approx(one["step_s"], rel=1e-12)


def test_a_model_that_fits_nowhere_has_no_layout_and_says_so() -> None:
    answer = searched(model="llama3-405b", gpus=8)
    assert answer["layouts"] == []
    assert answer["refused"]["memory"] == answer["looked_at"] - sum(
        count for name, count in answer["refused"].items() if name != "memory"
    )


def test_given_degrees_are_kept() -> None:
    parallel = {"global_batch": 128, "sequence": 8192, "ep": 8, "micro_batch": 2}
    layouts = searched(model="qwen3-30b-a3b", parallel=parallel)["layouts"]
    assert {(one["parallel"]["ep"], one["parallel"]["micro_batch"]) for one in layouts} == {(8, 2)}


def test_without_a_batch_a_usual_one_is_taken_and_printed() -> None:
    asked = {key: value for key, value in SEARCH.items() if key != "parallel"}
    answer = trained({**asked, "top": 1}, CATALOG)
    assert isinstance(answer, dict)
    assert answer["layouts"][0]["parallel"]["global_batch"] * answer["layouts"][0]["parallel"]["sequence"] == 4 * 2**20


def test_a_config_of_a_hub_is_a_model() -> None:
    config = {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "hidden_size": 4096,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "intermediate_size": 14336,
        "vocab_size": 128256,
        "max_position_embeddings": 8192,
        "tie_word_embeddings": False,
    }
    own = trained(request(model=config, virtual_stages=4), CATALOG)
    named = trained(request(model="llama3-8b", virtual_stages=4), CATALOG)
    assert isinstance(own, dict)
    assert isinstance(named, dict)
    assert own["step_s"] == pytest.approx(named["step_s"], rel=1e-3)


def test_a_server_without_scale_up_links_trains_over_pcie() -> None:
    """Tensor parallelism in a node of PCIe cards meets over PCIe, not over a NIC of each GPU; NICs are a third as fast."""
    layout = {"tp": 4, "global_batch": 16, "sequence": 2048}
    asked: Any = {"model": "llama3-8b", "parallel": layout, "gpus": 8}
    systems = [{"gpu": "l40s", "nic_gbit_s": rate} for rate in (400, 10)]
    fast, slow = (searched(**asked, system=system, stack={}) for system in systems)
    assert fast["parts_s"]["tp"] == pytest.approx(slow["parts_s"]["tp"])
    assert fast["parts_s"]["tp"] > 0.2 * fast["step_s"]
