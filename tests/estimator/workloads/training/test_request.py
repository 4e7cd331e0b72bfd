"""Requests for a given layout: what they are answered with, and what is refused and why."""

import json
import math
from typing import Any

import pytest

from estimator.__main__ import main
from estimator.errors import SpecError
from estimator.training_request import trained
from tests.estimator.workloads.training.asked import CATALOG, SYSTEM, request, train

PARTS = ["compute", "attention", "memory", "tp", "cp", "ep", "pp_bubble", "pp_p2p", "dp_exposed", "optimizer", "host"]


def codes(**changes: object) -> list[tuple[str, str]]:
    with pytest.raises(SpecError) as refused:
        train(**changes)
    return [(one.field, one.code) for one in refused.value.problems]


def message(**changes: object) -> str:
    with pytest.raises(SpecError) as refused:
        train(**changes)
    return refused.value.problems[0].message


def test_an_answer_has_the_keys_of_the_contract_and_parts_that_add_up() -> None:
    answer = train()
    assert list(answer["parts_s"]) == PARTS
    assert sum(answer["parts_s"].values()) == pytest.approx(answer["step_s"])
    assert answer["step_s_low"] < answer["step_s"] < answer["step_s_high"]
    memory = answer["memory_gb_per_gpu"]
    assert memory["total"] == pytest.approx(
        sum(memory[name] for name in ("weights", "gradients", "optimizer", "activations"))
    )
    assert answer["tokens_per_s_per_gpu"] == pytest.approx(128 * 8192 / answer["step_s"] / 64)
    assert answer["limited_by"] == "matrix products"
    paths = {one["traffic"]: one["path"] for one in answer["links"]}
    assert paths == {"tp": "scale-up", "cp": "scale-up", "pp": "network", "dp": "network"}


def test_gpus_without_peer_access_exchange_through_host_memory() -> None:
    """Own runs on two H200: DDP with one micro-batch takes 221 ms with peer access off, 86 ms over NVLink."""
    decoder = {"layers": 24, "hidden": 3072, "heads": 24, "kv_heads": 8, "ffn": 8192, "vocab": 32768, "gated": True}
    asked = {
        "system": {"gpu": "h200-sxm"},
        "gpus": 2,
        "model": decoder,
        "stack": {"framework": "pytorch-eager"},
        "parallel": {"dp": 2, "micro_batch": 1, "global_batch": 2, "sequence": 2048, "zero_stage": 0},
    }
    fast, slow = trained([asked, asked | {"path": "host_memory"}], CATALOG)
    assert fast["step_s"] == pytest.approx(0.0861, rel=0.1)
    assert slow["step_s"] == pytest.approx(0.2207, rel=0.07)
    assert {one["path"] for one in slow["links"]} == {"host memory"}
    assert {one["path"] for one in fast["links"]} == {"scale-up"}


def test_a_published_step_is_inside_its_band() -> None:
    """DGX Cloud benchmarking v25.02: 1,121 tokens/s/GPU in BF16, 1,566 in FP8."""
    for precision, measured in (("bf16", 1121), ("fp8", 1566)):
        answer = train(precision=precision)
        assert answer["step_s_low"] < 128 * 8192 / measured / 64 < answer["step_s_high"]


def test_mfu_is_the_models_operations_over_the_peak() -> None:
    """6 operations a parameter and token, and causal attention: 70B without its embedding, 80 layers of 8,192."""
    answer = train()
    flops = 128 * 8192 * (6 * 69.5e9 + 12 * 80 * 8192 * 8192 / 2)
    assert answer["mfu"] == pytest.approx(flops / answer["step_s"] / 64 / 989.4e12, rel=0.01)
    assert train(recompute="full")["hfu"] == pytest.approx(train(recompute="full")["mfu"] * 4 / 3)


def test_a_list_is_answered_in_its_order_with_refusals_in_their_place() -> None:
    answers = trained([request(), request(tp=5), request(precision="fp8")], CATALOG)
    assert isinstance(answers, list)
    assert [one.get("code") for one in answers] == [None, "invalid_spec", None]
    assert answers[0]["step_s"] == train()["step_s"]
    assert answers[2]["step_s"] == train(precision="fp8")["step_s"]


def test_heads_that_do_not_divide_are_refused_with_what_does() -> None:
    assert ("parallel.tp", "heads_not_divisible") in codes(model="nemotron4-15b", tp=5, pp=1, cp=1, dp=1, gpus=5)
    text = message(model="nemotron4-15b", tp=5, pp=1, cp=1, dp=1, virtual_stages=1, gpus=5)
    assert "48 attention heads" in text
    assert "1, 2, 3, 4, 6, 8" in text


def test_more_stages_than_layers_are_refused() -> None:
    assert ("parallel.pp", "too_many_stages") in codes(model="llama3-8b", pp=64, tp=1, cp=1, dp=1, virtual_stages=1)


def test_more_ranks_than_experts_and_experts_of_a_dense_model_are_refused() -> None:
    assert codes(
        model="qwen3-30b-a3b", ep=256, tp=1, pp=1, cp=1, dp=256, gpus=256, global_batch=256, virtual_stages=1
    ) == [("parallel.ep", "experts_not_divisible")]
    assert codes(ep=2) == [("parallel.ep", "no_experts")]


def test_a_batch_that_does_not_divide_and_gpus_that_do_not_add_up_are_refused_together() -> None:
    assert codes(global_batch=127, gpus=65) == [
        ("parallel.global_batch", "batch_not_divisible"),
        ("parallel.dp", "layout_is_not_the_gpus"),
    ]


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -1, 0, "4", 2.5])
def test_what_is_no_count_is_refused(wrong: object) -> None:
    assert [field for field, _ in codes(tp=wrong)] == ["parallel.tp"]


def test_unknown_names_are_refused_with_those_near() -> None:
    assert "llama3-70b" in message(model="llama3-71b")
    assert codes(precision="nvfp4") == [("precision", "precision_not_available")]
    assert codes(stack={"features": ["warp"]}) == [("stack.features", "not_a_choice")]
    assert codes(system={**SYSTEM, "gpu": "h1000"}) == [("system.gpu", "unknown_part")]


@pytest.mark.parametrize("layout", [{"tp": 1, "pp": 1, "cp": 1, "dp": 64, "virtual_stages": 1}, None])
def test_a_model_of_unknown_architecture_is_said_in_the_answer(layout: dict[str, int] | None) -> None:
    config = {"model_type": "flurb", "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 32}
    model = {**config, "intermediate_size": 8_192, "vocab_size": 32_000}
    answer = train(model=model, **layout) if layout else train(model=model, parallel={"global_batch": 64})["layouts"][0]
    assert answer["notes"][0].startswith("Architecture 'flurb' is not known: read by its usual keys")


def test_gpus_without_a_network_are_refused() -> None:
    assert codes(system={**SYSTEM, "fabric": "none"}) == [("system.fabric", "no_network")]


def test_what_does_not_fit_says_by_how_much_and_what_would() -> None:
    answer = train(tp=1, pp=1, cp=1, dp=64, virtual_stages=1)
    assert not answer["fits"]
    memory = answer["memory_gb_per_gpu"]
    assert answer["missing_bytes"] == pytest.approx((memory["total"] - memory["usable"]) * 1e9)
    assert any("FSDP" in way for way in answer["what_would_fit"])
    assert train(tp=1, pp=1, cp=1, dp=64, virtual_stages=1, fsdp=True, recompute="full")["fits"]


def test_three_rows_of_a_slow_stack_calibrate_it() -> None:
    plain = train(stack={"framework": "another"})
    other = {"framework": "another"}
    rows = [
        {"request": request(stack=other, global_batch=batch), "step_s": 1.4 * step_s}
        for batch in (64, 128, 256)
        for step_s in [train(stack=other, global_batch=batch)["step_s"]]
    ]
    answer = train(stack={"framework": "another"}, calibration={"rows": rows})
    assert answer["step_s"] == pytest.approx(1.4 * plain["step_s"], rel=0.01)
    assert answer["step_s_high"] / answer["step_s"] < plain["step_s_high"] / plain["step_s"]


def test_rows_may_come_as_a_list_with_what_was_measured() -> None:
    rows = [{"id": "a", "request": request(), "measured": {"step_s": 9.0}}]
    assert train(calibration=rows) == train(calibration={"rows": [{"request": request(), "step_s": 9.0}]})
    assert codes(calibration=[{"request": request()}])


def test_a_run_of_llama_3_is_interrupted_as_published() -> None:
    """arXiv 2407.21783: 419 unexpected interruptions in 54 days on 16,384 GPUs, more than 90 % of time effective."""
    changes = {"model": "llama3-405b", "gpus": 16_384, "tp": 8, "pp": 16, "cp": 1, "dp": 128, "virtual_stages": 4}
    asked = {"tokens": 1e12, "usd_per_gpu_hour": 2.0}
    run = train(**changes, global_batch=2048, stack={"framework": "megatron"}, run=asked)["run"]
    assert run["stops"] / run["days"]["typical"] == pytest.approx(419 / 54, rel=0.02)
    assert run["goodput"]["typical"] == pytest.approx(0.9, abs=0.03)
    assert run["usd"]["typical"] == pytest.approx(2 * run["gpu_hours"]["typical"], rel=0.001)
    assert run["gpu_hours"]["typical"] == pytest.approx(run["days"]["typical"] * 24 * 16_384, rel=0.001)
    assert run["days"]["low"] < run["days"]["typical"] < run["days"]["high"]


def test_what_is_known_of_a_run_replaces_what_was_published() -> None:
    rare = {"gpu_hours_between_stops": 1e9, "checkpoint_s": 1.0, "checkpoint_every_s": 99.0, "restart_s": 0.0}
    run = train(run={"tokens": 1e12, **rare})["run"]
    assert run["goodput"]["typical"] == pytest.approx(0.99, abs=0.001)
    assert run["checkpoint_every_s"] == 99
    assert run["usd"] is None


def test_a_wrong_row_of_a_calibration_is_refused_by_its_place() -> None:
    rows = [{"request": request(tp=5), "step_s": 1.0}]
    assert codes(calibration={"rows": rows})[0][0] == "calibration.rows.0.request.parallel.tp"


def test_a_design_is_trained_on_as_it_would_be_built() -> None:
    asked = request()
    del asked["system"], asked["gpus"]
    asked["design"] = {"compute": {"server": "dgx-h100", "nodes": 8}, "fabric": {"generation": "ndr"}}
    answer = trained(asked, CATALOG)
    assert isinstance(answer, dict)
    assert answer["system"]["gpu"] == "h100-sxm"
    assert answer["step_s"] == pytest.approx(train()["step_s"], rel=0.05)


def test_the_command_reads_a_request_and_prints_its_answer(
    tmp_path: object, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = f"{tmp_path}/request.json"
    with open(path, "w") as file:
        json.dump([request()], file)
    assert main(["train", path]) == 0
    assert json.loads(capsysbinary.readouterr().out)[0]["step_s"] == pytest.approx(train()["step_s"])


LLAMA: dict[str, Any] = {
    "design": {"compute": {"server": "dgx-h100", "nodes": 2048}, "fabric": {"generation": "roce-400"}},
    "model": "llama3-405b",
    "parallel": {"tp": 8, "pp": 16, "dp": 128, "virtual_stages": 8, "global_batch": 2048, "sequence": 8192},
    "run": {"tokens": 15.6e12},
}


def whole_run(**changes: Any) -> Any:
    answer: Any = trained({**LLAMA, **changes}, CATALOG)
    return answer["run"]


def test_a_design_like_that_of_llama_3_stops_by_its_own_parts_as_often_as_published() -> None:
    """419 stops of 16,384 H100 in 54 days, and more than 90 % of effective time (The Llama 3 Herd of Models, 3.3.4)."""
    run = whole_run()
    assert run["stops"] / run["days"]["typical"] == pytest.approx(419 / 54, rel=0.05)
    assert run["goodput"]["typical"] == pytest.approx(0.90, abs=0.03)
    causes = run["stops_by_cause"]
    assert sum(causes.values()) == pytest.approx(run["stops"], rel=0.001)
    assert causes["gpu"] / run["stops"] == pytest.approx(268 / 419, abs=0.03)
    assert causes["other"] / run["stops"] == pytest.approx(97 / 419, abs=0.03)


def test_a_design_of_other_parts_stops_otherwise() -> None:
    """Twice the NICs a node, twice their stops."""
    small = {"parallel": {**LLAMA["parallel"], "dp": 16}}
    computes = [{"server": "dgx-h100", "nodes": 256}, {"server": "dgx-h100", "nodes": 256, "nics_per_node": 16}]
    designs = [{**LLAMA["design"], "compute": compute} for compute in computes]
    one, more = (whole_run(**small, design=design) for design in designs)
    assert more["stops_by_cause"]["nic"] / more["stops"] > 1.5 * one["stops_by_cause"]["nic"] / one["stops"]


def test_dollars_of_a_run_are_those_of_its_design() -> None:
    run, own = whole_run(), whole_run(run={"tokens": 15.6e12, "usd_per_gpu_hour": 2.0})
    assert run["usd"]["low"] < run["usd"]["typical"] < run["usd"]["high"]
    assert own["usd"]["typical"] == pytest.approx(2.0 * own["gpu_hours"]["typical"], rel=0.001)


def test_each_kind_of_traffic_says_its_furthest_link_and_what_shares_it() -> None:
    """32 nodes under a leaf of each rail: gradients of 32 nodes stay under it, stages that lie 32 nodes apart do not."""
    design = {"compute": {"server": "dgx-h100", "nodes": 128}, "fabric": {"generation": "ndr"}}
    parallel = {"tp": 8, "pp": 4, "dp": 32, "global_batch": 512, "sequence": 8192}
    answer: Any = trained({"design": design, "model": "llama3-70b", "parallel": parallel}, CATALOG)
    links = {one["traffic"]: one for one in answer["links"]}
    assert {kind: one["level"] for kind, one in links.items()} == {"tp": "scale_up", "pp": "spine", "dp": "leaf"}
    assert links["tp"]["slowdown"] == 1
    assert links["pp"]["shares_with"] == ["dp"]
    assert links["pp"]["slowdown"] == pytest.approx(1 + links["dp"]["share_of_step"])
    assert links["dp"]["slowdown"] <= links["dp"]["slowdown_most"] <= 2
