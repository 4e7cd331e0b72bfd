"""What holds of every step: many at once are as one by one, and more work or slower links never take less time."""

import pytest

from estimator.training_request import trained
from tests.estimator.workloads.training.asked import CATALOG, SYSTEM, request, train

MOE = {"model": "qwen3-235b-a22b", "tp": 1, "pp": 8, "cp": 1, "dp": 8, "virtual_stages": 1, "ep": 8}


def test_many_are_as_one_by_one() -> None:
    asked = [request(tp=tp, dp=8 // tp, micro_batch=size) for tp in (1, 2, 4, 8) for size in (1, 2)]
    alone = [trained(one, CATALOG) for one in asked]
    assert trained(asked, CATALOG) == alone


def test_slower_nics_and_smaller_domains_take_longer() -> None:
    for changes in ({}, MOE):
        fast = train(**changes)["step_s"]
        assert train(system={**SYSTEM, "nic_gbit_s": 100}, **changes)["step_s"] > fast
        assert train(system={**SYSTEM, "scale_up_domain_gpus": 2}, **changes)["step_s"] > fast


def test_full_recompute_takes_a_third_more_products_and_leaves_less_in_memory() -> None:
    plain, again = train(), train(recompute="full")
    assert 1.25 < again["parts_s"]["compute"] / plain["parts_s"]["compute"] < 1.35
    assert again["memory_gb_per_gpu"]["activations"] < plain["memory_gb_per_gpu"]["activations"] / 3


def test_each_residual_stream_moves_through_memory() -> None:
    """DeepSeek-V4 Flash on 128 GB300: 7.97 s measured (Megatron-Bridge 26.08); with one stream it came out at half of that."""
    asked = {
        "system": {
            "gpu": "gb300",
            "gpus_per_node": 4,
            "scale_up_domain_gpus": 72,
            "nics_per_node": 4,
            "nic_gbit_s": 800,
        },
        "gpus": 128,
        "model": "deepseek-v4-flash",
        "precision": "mxfp8",
        "stack": {"framework": "megatron-bridge", "release": "26.08"},
        "parallel": {"dp": 128, "ep": 64, "micro_batch": 1, "global_batch": 2048, "sequence": 4096},
    }
    (answer,) = trained([asked], CATALOG)
    assert answer["parts_s"]["memory"] > answer["parts_s"]["compute"]
    assert answer["step_s"] == pytest.approx(7.97, rel=0.35)


def test_virtual_stages_and_zero_bubble_shorten_the_bubble() -> None:
    def bubble(**schedule: object) -> float:
        asked = request(virtual_stages=1)
        asked["parallel"] |= schedule
        answer = trained(asked, CATALOG)
        assert isinstance(answer, dict)
        return float(answer["parts_s"]["pp_bubble"])

    assert bubble(virtual_stages=5) < bubble() / 4
    assert bubble(schedule="zero_bubble") == pytest.approx(bubble() / 3)


def test_sharding_takes_memory_step_by_step() -> None:
    totals = []
    for stage in range(4):
        asked = request(tp=8, pp=2, cp=1, dp=4, virtual_stages=1)
        asked["parallel"]["zero_stage"] = stage
        answer = trained(asked, CATALOG)
        assert isinstance(answer, dict)
        totals.append(answer["memory_gb_per_gpu"]["total"])
    assert totals == sorted(totals, reverse=True)
    assert len(set(totals)) == 4


def test_experts_across_domains_cost_more_than_inside_one() -> None:
    wide = train(**(MOE | {"ep": 8, "pp": 1, "dp": 64}))
    far = train(**(MOE | {"ep": 64, "pp": 1, "dp": 64}))
    assert far["parts_s"]["ep"] > 2 * wide["parts_s"]["ep"]
    assert next(one["path"] for one in far["links"] if one["traffic"] == "ep") == "network"


def test_graphs_and_fused_experts_are_features_of_a_stack() -> None:
    times = [
        train(**MOE, stack={"framework": "megatron-bridge", "features": features})["step_s"]
        for features in (["node_dispatch"], ["graphs"], ["graphs", "full_graphs", "fused_experts"])
    ]
    assert times == sorted(times, reverse=True)


def test_lora_does_two_thirds_of_the_products() -> None:
    assert train(task="lora")["parts_s"]["compute"] / train()["parts_s"]["compute"] == pytest.approx(2 / 3, abs=0.02)
    assert train(task="lora")["memory_gb_per_gpu"]["optimizer"] < 1


def test_copies_in_each_domain_take_memory_and_spare_the_network() -> None:
    """HSDP: eight GPUs share one copy, and domains exchange gradients alone, once for many micro-batches."""
    asked = request(tp=1, pp=1, cp=1, dp=64, virtual_stages=1, fsdp=True, recompute="full", global_batch=4096)
    everywhere = trained(asked, CATALOG)
    asked["parallel"]["shard_gpus"] = 8
    inside = trained(asked, CATALOG)
    assert isinstance(everywhere, dict)
    assert isinstance(inside, dict)
    memory = [one["memory_gb_per_gpu"] for one in (everywhere, inside)]
    assert memory[1]["weights"] == pytest.approx(8 * memory[0]["weights"])
    gathered = [next(link for link in one["links"] if link["traffic"] == "fsdp") for one in (everywhere, inside)]
    assert [one["path"] for one in gathered] == ["network", "scale-up"]
    assert inside["parts_s"]["dp_exposed"] < everywhere["parts_s"]["dp_exposed"]


def test_overlap_hides_traffic_of_experts() -> None:
    plain, hidden = (
        train(**(MOE | {"ep": 64, "pp": 1, "dp": 64}), stack={"features": features})
        for features in (["graphs"], ["graphs", "ep_overlap"])
    )
    assert hidden["parts_s"]["ep"] < 0.7 * plain["parts_s"]["ep"]


def test_sequence_parallelism_divides_activations_and_sends_as_much() -> None:
    asked = request(tp=8, pp=2, cp=1, dp=4, virtual_stages=1)
    split = trained(asked, CATALOG)
    asked["parallel"]["sequence_parallel"] = False
    whole = trained(asked, CATALOG)
    assert isinstance(split, dict)
    assert isinstance(whole, dict)
    assert whole["memory_gb_per_gpu"]["activations"] > 1.3 * split["memory_gb_per_gpu"]["activations"]
    assert whole["parts_s"]["tp"] == pytest.approx(split["parts_s"]["tp"], rel=0.3)
