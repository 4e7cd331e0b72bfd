"""Pools of prefill and decode that are searched, against every pair by itself and against the same GPUs for both."""

from typing import Any

import numpy as np
import pytest

from estimator.catalog.loader import load_catalog
from estimator.serving_request.answering import served
from estimator.workloads.models.catalog import catalog_models
from estimator.workloads.serving import pools
from estimator.workloads.serving.search import layouts_within

SMALL = {
    "system": {"gpu": "h200-sxm"},
    "model": "llama3-8b",
    "precision": "bf16",
    "mode": "disaggregated",
    "gpus": 6,
    "concurrency": [16, 128],
    "input_tokens": 2048,
    "output_tokens": 256,
    "stack": {"framework": "vllm"},
}
LARGE = {
    **SMALL,
    "model": "deepseek-v3",
    "precision": "fp8",
    "gpus": None,
    "concurrency": None,
    "target": {"tpot_ms": 30},
    "input_tokens": 8192,
}


def asked(request: dict[str, Any]) -> Any:
    return served({key: value for key, value in request.items() if value is not None}, load_catalog())


def every_pair(gpus: int) -> list[dict[str, Any]]:
    """All layouts of both pools with all ratios of workers, by plain loops."""
    rows = layouts_within(catalog_models()["llama3-8b"].shape, gpus)
    workers = [dict(zip(("tp", "pp", "attention_dp"), row[:3].tolist(), strict=True)) for row in rows]
    return [
        {"prefill": {**first, "workers": x}, "decode": {**second, "workers": y}}
        for first in workers
        for second in workers
        for x, y in pools.RATIOS
        if x * first["tp"] * first["pp"] + y * second["tp"] * second["pp"] <= gpus
    ]


def test_a_search_of_pools_finds_what_trying_every_pair_finds() -> None:
    found = asked({**SMALL, "top": 100})
    pairs = every_pair(6)
    answers = asked_all([{**SMALL, "layout": layout} for layout in pairs])
    assert found["looked_at"] == len(pairs)
    rows = [row for answer in answers for row in answer["rows"] if answer["fits"]]
    best = max(row["tokens_per_s"] for row in rows)
    assert max(row["tokens_per_s"] for row in found["best"]["rows"]) == pytest.approx(best)
    for at in found["pareto"]:
        ours = found["placements"][at]["rows"]
        on_front = [
            one
            for one in ours
            if not any(
                row["tpot_ms"] < one["tpot_ms"] * (1 - 1e-9)
                and row["tokens_per_s_per_gpu"] > one["tokens_per_s_per_gpu"] * (1 + 1e-9)
                for row in rows
            )
        ]
        assert on_front, "no load of a placement on the front is beaten by no pair in both"


def asked_all(requests: list[dict[str, Any]]) -> Any:
    return served(requests, load_catalog())


def test_pairs_left_out_before_pairing_would_not_have_been_better(monkeypatch: pytest.MonkeyPatch) -> None:
    request = {**SMALL, "model": "llama3-70b", "precision": "fp8", "gpus": None, "concurrency": None}
    request |= {"target": {"tpot_ms": 20}}
    whole = asked(request)
    monkeypatch.setattr(pools, "MOST_FIGURES", 1)
    fewer = asked(request)
    assert fewer["left_out"]["beaten_in_its_pool"] > 0
    assert fewer["looked_at"] < whole["looked_at"] / 2
    assert fewer["comparison"]["ratio"] > 0.98 * whole["comparison"]["ratio"]


def test_pools_of_a_large_model_are_answered_with_what_they_gain() -> None:
    answer = asked(LARGE)
    assert answer["best"]["rows"][0]["tpot_ms"] <= 30
    comparison = answer["comparison"]
    assert comparison["verdict"] in ("disaggregated", "aggregated", "no_difference")
    assert comparison["aggregated"]["rows"][0]["tpot_ms"] <= 30
    assert len(answer["advice"]) == len(answer["placements"]) - 1


def test_a_target_of_tokens_takes_copies_of_the_pools() -> None:
    answer = asked({**LARGE, "target": {"tpot_ms": 50, "tokens_per_s": 100_000}})
    best = answer["best"]
    assert best["rows"][0]["tokens_per_s"] >= 100_000
    assert best["gpus"] == answer["comparison"]["gpus"]
    assert best["gpus"] <= min(one["gpus"] for one in answer["placements"])


def test_a_target_that_nothing_meets_says_so_of_both() -> None:
    answer = asked({**SMALL, "target": {"tpot_ms": 0.01}})
    assert answer["best"] is None
    assert answer["comparison"]["verdict"] == "neither"
    assert answer["advice"][0]["reason"] == "targets_not_met"


def test_a_slow_network_holds_the_caches_up() -> None:
    layout = {"prefill": {"tp": 8}, "decode": {"tp": 8}}
    request = {
        **SMALL,
        "model": "llama3-70b",
        "gpus": None,
        "layout": layout,
        "input_tokens": 16_384,
        "concurrency": 64,
    }
    fast, slow = (asked({**request, "system": {"gpu": "h200-sxm", "nic_gbit_s": rate}}) for rate in (400, 5))
    assert fast["cache_crosses_scale_up_domain"]
    assert slow["rows"][0]["kv_transfer_ms"] > 20 * fast["rows"][0]["kv_transfer_ms"]
    assert slow["rows"][0]["tokens_per_s"] < fast["rows"][0]["tokens_per_s"]
    inside = asked({**request, "system": {"gpu": "gb200"}})
    assert not inside["cache_crosses_scale_up_domain"]
    assert inside["rows"][0]["kv_transfer_ms"] < fast["rows"][0]["kv_transfer_ms"]


def test_a_prefill_worker_without_room_does_not_fit() -> None:
    layout = {"prefill": {"tp": 1}, "decode": {"tp": 8}}
    answer = asked({**SMALL, "model": "llama3-405b", "precision": "fp8", "gpus": None, "layout": layout})
    assert not answer["fits"]
    assert answer["missing_gb_per_gpu"] > 0


def test_ratios_have_no_common_divisor() -> None:
    assert (1, 1) in pools.RATIOS
    assert (2, 2) not in pools.RATIOS
    assert all(np.gcd(*one) == 1 for one in pools.RATIOS)
