"""Requests for serving, outside in: figures of given placements, single batches, and each refusal by its code."""

from typing import Any

import pytest

from estimator.catalog.loader import load_catalog
from estimator.errors import SpecError
from estimator.serving_request.answering import served

H200 = {"gpu": "h200-sxm"}
USUAL = {
    "system": H200,
    "model": "llama3-70b",
    "precision": "fp8",
    "layout": {"tp": 4},
    "concurrency": [1, 8, 64],
    "input_tokens": 1024,
    "output_tokens": 1024,
    "stack": {"framework": "vllm"},
}


def asked(**changes: Any) -> Any:
    return served({key: value for key, value in {**USUAL, **changes}.items() if value is not None}, load_catalog())


def codes(request: Any) -> set[str]:
    with pytest.raises(SpecError) as caught:
        served(request, load_catalog())
    return {problem.code for problem in caught.value.problems}


def test_a_placement_answers_every_load_in_order() -> None:
    answer = asked()
    assert [row["concurrency"] for row in answer["rows"]] == [1, 8, 64]
    times = [row["tpot_ms"] for row in answer["rows"]]
    assert times == sorted(times)
    for row in answer["rows"]:
        assert row["tpot_ms_low"] < row["tpot_ms"] < row["tpot_ms_high"]
        assert row["ttft_ms_low"] < row["ttft_ms"] < row["ttft_ms_high"]
        assert row["tokens_per_s"] == pytest.approx(4 * row["tokens_per_s_per_gpu"])
        assert 0 < row["communication_share"] < 1
    assert answer["fits"]
    assert not answer["crosses_scale_up_domain"]


def test_a_list_is_answered_in_its_order_with_refusals_in_their_place() -> None:
    good, bad = USUAL, {**USUAL, "model": "no-such-model"}
    answers: Any = served([good, bad, good], load_catalog())
    first, second, third = answers
    assert first == third
    assert second["problems"][0]["code"] == "unknown_model"


def test_replicas_share_the_load() -> None:
    one, four = asked(concurrency=16), asked(concurrency=64, gpus=16)
    assert four["replicas"] == 4
    assert four["rows"][0]["tpot_ms"] == pytest.approx(one["rows"][0]["tpot_ms"])
    assert four["rows"][0]["tokens_per_s"] == pytest.approx(4 * one["rows"][0]["tokens_per_s"])


def test_a_group_beyond_the_scale_up_domain_is_marked_and_slower() -> None:
    inside, beyond = asked(layout={"tp": 8}, concurrency=8), asked(layout={"tp": 16}, concurrency=8)
    assert beyond["crosses_scale_up_domain"]
    assert beyond["rows"][0]["communication_share"] > inside["rows"][0]["communication_share"]


def test_what_does_not_fit_says_by_how_much() -> None:
    answer = asked(model="deepseek-v3", layout={"tp": 4}, system={"gpu": "h100-sxm"})
    assert not answer["fits"]
    assert answer["max_concurrency"] == 0
    assert answer["missing_gb_per_gpu"] == pytest.approx(
        answer["memory_gb_per_gpu"]["total"] - answer["memory_gb_per_gpu"]["usable"], rel=0.05
    )


def test_speculative_decoding_saves_steps() -> None:
    plain = asked()["rows"][0]["tpot_ms"]
    drafted = asked(stack={"framework": "vllm", "accepted_tokens_per_step": 2.0})["rows"][0]["tpot_ms"]
    assert plain / 2 < drafted < plain / 1.5


def test_prompts_of_a_distribution_count_by_their_mean() -> None:
    spread = asked(input_tokens={"values": [512, 1536], "weights": [1, 1]})
    assert spread["rows"][0]["tpot_ms"] == pytest.approx(asked()["rows"][0]["tpot_ms"])


def test_pools_decode_without_prompts_in_between() -> None:
    pools = asked(
        mode="disaggregated", layout={"prefill": {"tp": 4, "workers": 2}, "decode": {"tp": 4}}, concurrency=64
    )
    assert pools["gpus"] == 12
    assert pools["rows"][0]["tpot_ms"] < asked(concurrency=64)["rows"][0]["tpot_ms"]


def test_a_design_says_its_system_and_what_tokens_cost() -> None:
    design = {"compute": {"server": "dgx-h100", "nodes": 4}, "fabric": {"generation": "ndr"}}
    answer: Any = served(
        {**{key: value for key, value in USUAL.items() if key != "system"}, "design": design}, load_catalog()
    )
    row = answer["rows"][-1]
    assert answer["system"]["gpu"] == "h100-sxm"
    assert row["usd_per_million_tokens"] > 0
    assert row["usd_per_million_tokens"] < answer["rows"][0]["usd_per_million_tokens"]


def batch(path: str = "nvlink", prompt: int = 2048, **layout: int) -> Any:
    request = {"system": H200, "model": "llama3-8b", "mode": "batch", "batch": 1, "context": 2048, "prompt": prompt}
    answer: Any = served({**request, "layout": layout, "path": path}, load_catalog())
    return answer["rows"][0]


def test_tensor_parallelism_over_host_memory_gains_nothing_in_prefill() -> None:
    assert batch("host_memory", tp=2)["prefill_ms"] > batch(tp=1)["prefill_ms"]
    assert batch(tp=2)["prefill_ms"] < 0.75 * batch(tp=1)["prefill_ms"]


def test_a_pipeline_does_not_notice_the_slow_path() -> None:
    fast, slow = batch(pp=2), batch("host_memory", pp=2)
    assert slow["prefill_ms"] == pytest.approx(fast["prefill_ms"], rel=0.03)
    assert slow["decode_ms"] == pytest.approx(fast["decode_ms"], rel=0.03)


def test_tensor_parallelism_of_a_short_prompt_is_slower_than_one_gpu() -> None:
    assert batch(prompt=512, tp=2)["prefill_ms"] > batch(prompt=512, tp=1)["prefill_ms"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"layout": {"tp": 5}}, "heads_not_divisible"),
        ({"layout": {"tp": 8, "pp": 100}}, "too_many_stages"),
        ({"model": "qwen3-235b-a22b", "layout": {"tp": 4, "ep": 256}}, "experts_exceeded"),
        ({"model": "qwen3-235b-a22b", "layout": {"tp": 4, "ep": 3}}, "experts_not_divisible"),
        ({"input_tokens": 0}, "out_of_range"),
        ({"input_tokens": float("nan")}, "wrong_type"),
        ({"concurrency": 0}, "out_of_range"),
        ({"concurrency": None}, "missing"),
        ({"model": "llama9-1b"}, "unknown_model"),
        ({"precision": "fp7"}, "not_a_choice"),
        ({"system": {"gpu": "h900"}}, "unknown_part"),
        ({"gpus": 2}, "too_few_gpus"),
        ({"layout": {"tp": 16}, "system": {**H200, "fabric": "none", "nics_per_node": 0}}, "no_network"),
        ({"input_tokens": {"values": [1, 2], "weights": [1]}}, "wrong_length"),
        ({"input_tokens": {"mean": 3, "values": [1]}}, "contradiction"),
        ({"mode": "batch"}, "missing"),
        ({"mode": "batch", "path": "pcie", "batch": [1], "prompt": 8}, "not_modelled"),
        ({"system": {"gpu": "l40s"}, "path": "nvlink"}, "no_such_path"),
        ({"path": "token-ring"}, "not_a_choice"),
        ({"colour": "red"}, "unknown_key"),
    ],
)
def test_a_refusal_says_why(changes: dict[str, Any], code: str) -> None:
    assert code in codes({key: value for key, value in {**USUAL, **changes}.items() if value is not None})


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"concurrency": float("nan")}, "concurrency", "Must be a whole number, and NaN was given."),
        ({"concurrency": "many"}, "concurrency", 'Must be a list or a whole number, and "many" was given.'),
        ({"concurrency": [1, -2]}, "concurrency[1]", "Must be at least 1, and -2 was requested."),
        ({"model": 5}, "model", "Must be a text or an object, and 5 was given."),
        ({"input_tokens": 0}, "input_tokens", "Must be at least 1, and 0 was requested."),
        (
            {"output_tokens": "long"},
            "output_tokens",
            'Must be a number, or an object with mean or values, and "long" was given.',
        ),
        ({"concurrency": None, "arrivals_per_s": "x"}, "arrivals_per_s", 'Must be a number, and "x" was given.'),
        ({"model": "llama3-70b", "layout": {"tp": 4, "ep": 4}}, "layout.ep", "has no experts to spread over EP 4"),
    ],
)
def test_a_wrong_value_is_one_problem_at_the_key_that_was_typed(
    changes: dict[str, Any], field: str, words: str
) -> None:
    """Not one for each kind that it may be, under pydantic's names of these, nor at the list that stands for a number."""
    with pytest.raises(SpecError) as refused:
        asked(**changes)
    (problem,) = refused.value.problems
    assert problem.field == field
    assert words in problem.message
    for key, value in (problem.change or {}).items():
        assert asked(**{**changes, key.partition(".")[0]: [1, value] if "." in key else value})


def test_a_model_of_unknown_architecture_is_said_in_the_answer() -> None:
    config = {"model_type": "flurb", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32}
    answer = asked(model={**config, "intermediate_size": 11_008, "vocab_size": 32_000})
    assert answer["notes"][0].startswith("Architecture 'flurb' is not known: read by its usual keys")


def searched(**changes: Any) -> Any:
    return asked(**{"layout": None, "gpus": 8, "concurrency": 64, **changes})


def test_a_search_finds_what_each_of_its_layouts_gives_by_itself() -> None:
    answer = searched()
    for placement in answer["placements"][:3]:
        alone = asked(layout=placement["layout"], gpus=8, concurrency=64)
        assert alone["rows"] == placement["rows"]
    assert answer["best"] == answer["placements"][0]


def test_no_placement_of_a_search_serves_more_than_the_best() -> None:
    answer = searched(top=100)
    rates = [placement["rows"][0]["tokens_per_s"] for placement in answer["placements"]]
    assert max(rates) == pytest.approx(answer["best"]["rows"][0]["tokens_per_s"])
    assert len(rates) == answer["fits"]


def test_nothing_beats_a_placement_of_the_front_in_both() -> None:
    answer = searched(top=100, gpus=None)
    points = [(one["rows"][0]["tpot_ms"], one["rows"][0]["tokens_per_s_per_gpu"]) for one in answer["placements"]]
    on_front = {points[at] for at in answer["pareto"]}
    for tpot, rate in on_front:
        assert not any(other[0] < tpot and other[1] > rate for other in points)
    assert min(points) in on_front


def test_each_runner_up_says_why_it_is_not_the_best() -> None:
    answer = searched()
    assert [one["placement"] for one in answer["advice"]] == list(range(1, len(answer["placements"])))
    assert all(one["message"] for one in answer["advice"])


def test_a_target_takes_the_fewest_gpus_that_meet_it() -> None:
    tight, loose = (
        searched(gpus=None, concurrency=None, target={"tpot_ms": limit, "tokens_per_s": 20_000}) for limit in (12, 40)
    )
    for answer, limit in ((tight, 12), (loose, 40)):
        row = answer["best"]["rows"][0]
        assert row["tpot_ms"] <= limit
        assert row["tokens_per_s"] >= 20_000
    assert loose["best"]["gpus"] < tight["best"]["gpus"]


def test_on_given_gpus_the_most_tokens_that_keep_to_a_target_win() -> None:
    """Not one request at a time, which is fastest for its reader: the GPUs are there, whatever runs on them."""
    answer = searched(concurrency=None, target={"tpot_ms": 30}, top=100)
    best = answer["best"]["rows"][0]
    assert best["tpot_ms"] <= 30
    assert best["concurrency"] > 8
    assert best["tokens_per_s"] == max(one["rows"][0]["tokens_per_s"] for one in answer["placements"])


def test_a_target_that_nothing_meets_says_how_near_the_nearest_comes() -> None:
    answer = searched(target={"tpot_ms": 0.01})
    assert answer["best"] is None
    (advice,) = answer["advice"]
    assert advice["reason"] == "targets_not_met"


def test_arrivals_make_the_load_that_little_s_law_says() -> None:
    row = asked(concurrency=None, arrivals_per_s=2)["rows"][0]
    life_s = (row["ttft_ms"] + 1024 * row["tpot_ms"]) / 1000
    assert row["concurrency"] == pytest.approx(2 * life_s, rel=0.01)


def test_more_arrivals_than_a_placement_serves_are_noted() -> None:
    answer = asked(concurrency=None, arrivals_per_s=10_000)
    assert "more than this placement serves" in answer["notes"][0]


def test_prompts_that_differ_wait_longer() -> None:
    even, spread = (asked(input_tokens=given)["rows"][2] for given in ({"mean": 1024}, {"mean": 1024, "sd": 1024}))
    assert spread["ttft_ms"] > even["ttft_ms"]
    assert spread["tpot_ms"] == even["tpot_ms"]


def test_a_calibration_moves_times_towards_what_was_measured() -> None:
    plain = asked(concurrency=8)["rows"][0]
    measured = {key: value for key, value in USUAL.items() if key != "concurrency"} | {"concurrency": 8}
    rows = [{"request": measured, "tpot_ms": 1.3 * plain["tpot_ms"], "ttft_ms": 2 * plain["ttft_ms"]}] * 3
    row = asked(concurrency=8, calibration={"rows": rows})["rows"][0]
    assert 1.2 * plain["tpot_ms"] < row["tpot_ms"] < 1.3 * plain["tpot_ms"]
    assert 1.5 * plain["ttft_ms"] < row["ttft_ms"] < 2 * plain["ttft_ms"]
    assert row["tpot_ms_high"] / row["tpot_ms"] != plain["tpot_ms_high"] / plain["tpot_ms"]


def test_what_would_fit_fits() -> None:
    answer = asked(model="deepseek-v3", layout={"tp": 4}, system={"gpu": "h100-sxm"})
    assert answer["would_fit"].endswith("on 16 GPUs")


PCIE_ONLY = {"target": {"tpot_ms": 60}, "layout": None, "concurrency": None}


@pytest.mark.parametrize("gpu", ["l40s", "rtx-pro-6000-se"])
def test_servers_without_scale_up_links_are_searched_over_pcie(gpu: str) -> None:
    answer = asked(system={"gpu": gpu}, **PCIE_ONLY)
    best = answer["best"]
    assert best["path"] == "pcie"
    assert best["crosses_scale_up_domain"]
    assert "PCIe" in best["notes"][-1]
    assert {one["path"] for one in answer["placements"]} >= {"pcie", "network"}


def test_a_design_of_a_server_without_scale_up_links_is_answered() -> None:
    design = {"compute": {"server": "dell-xe7745-rtxpro", "nodes": 4}, "fabric": {"generation": "roce-400"}}
    answer = asked(system=None, design=design, **PCIE_ONLY)
    assert answer["best"]["rows"][0]["tpot_ms"] <= 60
    assert (
        answer["best"]["rows"][0]["usd_per_million_tokens"] is None
    )  # the server has no price, and the network alone is none


def test_the_path_between_gpus_decides_what_tensor_parallelism_costs() -> None:
    times = [
        asked(layout={"tp": 8}, concurrency=16, path=path)["rows"][0]["tpot_ms"]
        for path in ("nvlink", "pcie", "host_memory")
    ]
    assert times == sorted(times)
    assert times[1] > 2 * times[0]
    assert asked(layout={"tp": 8}, concurrency=16)["rows"][0]["tpot_ms"] == times[0]


def test_one_gpu_uses_no_path() -> None:
    one = asked(layout={"tp": 1}, path="pcie")
    assert one["path"] == "none"
    assert one["rows"][0]["communication_share"] == 0


def test_a_bridge_joins_two_and_pcie_the_others() -> None:
    pair, four = (asked(system={"gpu": "h100-nvl"}, layout={"tp": tp}) for tp in (2, 4))
    assert (pair["path"], four["path"]) == ("nvlink", "pcie")
    assert "scale-up links join 2 of them" in four["notes"][-1]
    assert four["rows"][0]["communication_share"] > 2 * pair["rows"][0]["communication_share"]


def test_stages_over_host_memory_hand_over_at_its_rate() -> None:
    fast, slow = (asked(layout={"pp": 4}, path=path)["rows"][-1]["tpot_ms"] for path in ("nvlink", "host_memory"))
    assert fast < slow < 1.2 * fast


def test_traffic_of_a_decode_step_says_its_link_and_what_shares_it() -> None:
    pools = asked(
        model="deepseek-v3",
        mode="disaggregated",
        layout={"prefill": {"tp": 8, "workers": 2}, "decode": {"attention_dp": 16, "ep": 16}},
        concurrency=256,
        input_tokens=8192,
    )
    links = {one["traffic"]: one for one in pools["links"]}
    assert {kind: one["level"] for kind, one in links.items()} == {"ep": "leaf", "kv": "leaf"}
    assert links["kv"]["shares_with"] == ["ep"]
    assert links["kv"]["slowdown"] == pytest.approx(1 + links["ep"]["share_of_step"])
    row = pools["rows"][-1]
    prompts_s = row["tokens_per_s"] / 1024 / 16  # of one decode GPU
    assert links["kv"]["share_of_step"] == pytest.approx(prompts_s * row["kv_transfer_ms"] / 1000, rel=0.01)


def test_bytes_of_tensor_parallelism_are_two_all_reduces_a_layer() -> None:
    (link,) = asked(layout={"tp": 4}, concurrency=64)["links"]
    assert link["level"] == "scale_up"
    assert link["bytes_per_step"] == pytest.approx(2 * 80 * 64 * 8192 * 2 * 2 * 3 / 4)


def decoder(layers: int) -> dict[str, Any]:
    sizes = {"hidden": 4096, "heads": 32, "kv_heads": 8, "head_dim": 128, "ffn": 14336, "vocab": 32000}
    return {"name": "decoder", "layers": layers, **sizes, "gated": True}


def test_a_full_pipeline_waits_for_its_fullest_stage_and_memory_is_that_stages() -> None:
    """61 layers on 8 stages: the fullest has 8, as each of 64 layers has; with one request no stage waits for another."""
    uneven, even = (asked(model=decoder(layers), layout={"pp": 8}, concurrency=[1, 256]) for layers in (61, 64))
    assert uneven["memory_gb_per_gpu"] == even["memory_gb_per_gpu"]
    assert uneven["max_concurrency"] == even["max_concurrency"]
    (one, full), (one_even, full_even) = ([row["tpot_ms"] for row in answer["rows"]] for answer in (uneven, even))
    assert full == pytest.approx(full_even, rel=1e-3)
    assert one < 0.97 * one_even
    assert "61 layers do not divide into 8 stages: the fullest ones have 8." in uneven["notes"][0]
    assert "notes" not in even


def test_one_stage_alone_is_the_fullest() -> None:
    """Of 5 layers on 2 stages it has 3, six tenths of all, and of 6 layers half; what is left of a token's time is the hop."""
    asked_ = {"system": H200, "mode": "batch", "layout": {"pp": 2}, "batch": 8, "prompt": 512, "context": 512}
    hops_ms = []
    for layers, share in ((5, 0.6), (6, 0.5)):
        answer: Any = served({**asked_, "model": decoder(layers)}, load_catalog())
        row = answer["rows"][0]
        hops_ms.append(row["decode_ms"] - row["decode_stage_ms"] / share)
    assert hops_ms[0] == pytest.approx(hops_ms[1])
    assert hops_ms[0] > 0
