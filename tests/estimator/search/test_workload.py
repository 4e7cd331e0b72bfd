"""Workloads of a search: figures are those of ``train`` and ``infer`` on each design, and are sought and limited as others."""

from typing import Any

import pytest

from estimator.errors import SpecError
from estimator.pipeline import estimate
from estimator.search.request import AT_ONCE
from estimator.search.search import search
from estimator.search.sweep import sweep
from estimator.serving_request.answering import served
from estimator.training_request import trained
from tests.estimator.search.brute_force import CATALOG, VERBS, searched

BASE = {
    "compute": {"server": "dgx-h100", "gpus": [64, 256]},
    "fabric": {"generation": "ndr", "oversubscription": ["1:1", "4:1"]},
    "workload": {"placement": "random"},
}
TRAIN = {"model": "llama3-8b", "parallel": {"tp": 1, "pp": 1, "fsdp": True, "global_batch": 256, "sequence": 512}}
INFER = {"model": "llama3-70b", "layout": {"tp": 8}, "concurrency": 512}
MILLIONS_AN_HOUR = 3_600 / 1e6


def found(workload: Any, **more: Any) -> Any:
    return searched({"base": BASE, "free": ["layout"], "workload": workload, "top": 50} | more)


@pytest.fixture(scope="module")
def training() -> Any:
    return found({"train": TRAIN}, objective="step_s", pareto=["step_s", "capex_usd"])


def test_training_figures_are_those_of_train_on_each_design(training: Any) -> None:
    assert len(training["designs"]) > 4
    for one in training["designs"][::2]:
        gpus = int(one["figures"]["gpus"])
        (answer,) = trained([{"design": one["spec"], "gpus": gpus} | TRAIN], CATALOG)
        assert one["figures"]["step_s"] == pytest.approx(answer["step_s"], rel=1e-9)
        assert one["figures"]["tokens_per_s_per_gpu"] == pytest.approx(answer["tokens_per_s_per_gpu"], rel=1e-9)
        tokens = answer["tokens_per_s_per_gpu"] * MILLIONS_AN_HOUR
        usd = one["figures"]["usd_per_gpu_hour"] / tokens
        assert one["figures"]["usd_per_million_tokens"] == pytest.approx(usd, abs=1e-4)
        assert one["figures"]["tokens_per_usd"] == pytest.approx(1e6 / one["figures"]["usd_per_million_tokens"])
    steps = [one["figures"]["step_s"] for one in training["designs"][:4]]
    assert steps == sorted(steps)
    assert len({round(one["figures"]["step_s"], 9) for one in training["designs"]}) > 2, "the network moves the step"


def test_a_limit_on_the_step_binds(training: Any) -> None:
    best = training["designs"][0]["figures"]["step_s"]
    limited = found({"train": TRAIN}, limits=[{"figure": "step_s", "most": best}])
    assert all(one["figures"]["step_s"] <= best for one in limited["designs"])
    assert [one["limit"]["figure"] for one in limited["binding"]] == ["step_s"]


def test_serving_figures_are_those_of_infer_on_each_design() -> None:
    answer = found({"infer": INFER}, objective="usd_per_million_tokens")
    for one in answer["designs"][::3]:
        (answered,) = served([{"design": one["spec"], "gpus": int(one["figures"]["gpus"])} | INFER], CATALOG)
        row = answered["rows"][-1]
        assert one["figures"]["tpot_ms"] == pytest.approx(row["tpot_ms"], rel=1e-9)
        assert one["figures"]["tokens_per_s_per_gpu"] == pytest.approx(row["tokens_per_s_per_gpu"], rel=1e-9)
        assert one["figures"]["step_s"] is None
    assert answer["draws"]["figure"] == "usd_per_million_tokens"


def test_designs_that_are_estimated_alone_have_the_same_figures(training: Any) -> None:
    """A length that is set for one run of cables is no column."""
    base = BASE | {"compute": {"server": "dgx-h100", "gpus": 64}, "fabric": {"generation": "ndr"}}
    alone = searched({"base": base | {"other_fabrics": [{"role": "storage"}]}, "workload": {"train": TRAIN}, "top": 1})
    column = next(
        one
        for one in training["designs"]
        if one["values"] == {"compute.gpus": 64, "fabric.oversubscription": "1:1", "fabric.layout": "rail-optimized"}
    )
    assert alone["designs"][0]["figures"]["step_s"] == pytest.approx(column["figures"]["step_s"], rel=1e-9)


def test_a_sweep_has_figures_of_a_workload() -> None:
    base = {"compute": {"server": "dgx-h100"}, "fabric": {"generation": "ndr"}}
    x = {"field": "gpus", "values": [64, 128, 256]}
    request = {"base": base, "x": x, "figures": ["step_s"], "workload": {"train": TRAIN}}
    points = sweep(request, CATALOG, estimate, verbs=VERBS).as_json()["points"]
    steps = [point["figures"]["step_s"] for point in points]
    assert steps == sorted(steps, reverse=True)


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"objective": "step_s"}, "objective"),
        ({"limits": [{"figure": "tpot_ms", "most": 9}], "workload": {"train": TRAIN}}, "limits[0].figure"),
        ({"workload": {}}, "workload"),
        ({"workload": {"train": TRAIN, "infer": INFER}}, "workload"),
        ({"workload": {"train": {"model": "llama-x"}}}, "workload.train.model"),
        ({"workload": {"train": TRAIN | {"gpus": 64}}}, "workload.train.gpus"),
        ({"workload": {"train": {"model": "llama3-70b", "precision": True}}}, "workload.train.precision"),
        ({"workload": {"infer": INFER | {"mode": "batch"}}}, "workload.infer.mode"),
        ({"workload": {"train": 7}}, "workload.train"),
    ],
)
def test_wrong_workloads_name_their_key(more: Any, field: str) -> None:
    with pytest.raises(SpecError) as refused:
        searched({"base": BASE} | more)
    assert field in [one.field for one in refused.value.problems]


def test_a_workload_that_fits_no_candidate_says_why() -> None:
    layout = {"tp": 1, "pp": 1, "zero_stage": 0, "global_batch": 256}
    with pytest.raises(SpecError) as refused:
        found({"train": {"model": "llama3-70b", "parallel": layout}}, objective="step_s")
    assert [one.code for one in refused.value.problems] == ["does_not_fit"]
    assert "a GPU needs" in refused.value.problems[0].message


def test_more_systems_than_are_predicted_at_once_are_refused() -> None:

    base = {"compute": {"server": "dgx-h100", "nodes": {"from": 2, "to": 90}}, "fabric": {"generation": "ndr"}}
    with pytest.raises(SpecError) as refused:
        search({"base": base, "workload": {"train": {"model": "llama3-8b"}}}, CATALOG, estimate, AT_ONCE, VERBS)
    assert [(one.field, one.code) for one in refused.value.problems] == [("workload", "too_many_candidates")]
