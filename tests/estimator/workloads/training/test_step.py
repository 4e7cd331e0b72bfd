"""What holds of every step: many at once are as one by one, and more work or slower links never take less time."""

import pytest

from estimator.training_request import trained
from estimator.workloads.models.catalog import catalog_models
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
    assert answer["step_s"] == pytest.approx(7.97, rel=0.1)


def test_a_hybrids_blocks_call_tensor_parallelism_once_each() -> None:
    """52 blocks of one kind each, each with a gather and a scatter forward and backward: 208 calls, not 416."""
    hybrid = train(model="nemotron3-nano", tp=2, pp=1, cp=1, dp=32, virtual_stages=1)
    sent = next(link["bytes_per_step"] for link in hybrid["links"] if link["traffic"] == "tp")
    n_micro, a_call = 128 / 32, 8192 * 2688 * 2 / 2  # half of a token's 2,688 BF16 values leaves a rank of two
    assert sent == pytest.approx(4 * 52 * n_micro * a_call)
    plain = train(model="llama3-8b", tp=2, pp=1, cp=1, dp=32, virtual_stages=1)
    sent = next(link["bytes_per_step"] for link in plain["links"] if link["traffic"] == "tp")
    assert sent == pytest.approx(8 * 32 * n_micro * 8192 * 4096)


def test_an_index_scores_every_entry_in_training_too() -> None:
    """DeepSeek-V3.2 is V3 with an index of 64 heads of 128; of 4,096 tokens the mean one sees as many as it keeps."""
    short = {"tp": 1, "pp": 8, "cp": 1, "dp": 8, "virtual_stages": 1, "ep": 8, "sequence": 4096}
    plain, indexed = (train(model=model, **short)["parts_s"]["attention"] for model in ("deepseek-v3", "deepseek-v3.2"))
    shape, index = catalog_models()["deepseek-v3"].shape, 64 * 128
    width = shape.heads * (128 + 64 + 128) / 2
    assert indexed / plain == pytest.approx(1 + index / 2 / width, rel=0.01)


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
