"""Scale up or out: servers in one design by dollars a million tokens, and when prices and bands can tell them apart."""

from typing import Any

import pytest

from estimator.catalog.loader import load_catalog
from estimator.errors import Problem, SpecError
from estimator.ranges import Range
from estimator.record import Json
from estimator.serving_request.answering import served
from estimator.training_request import trained
from estimator.workloads.servers import Rated, ScaleUp, candidates, scale_up

CATALOG = load_catalog()
DESIGN: dict[str, Any] = {"compute": {"server": "hgx-b200-10u", "gpus": 144}, "fabric": {"generation": "ndr"}}
SERVED: dict[str, Any] = {
    "design": DESIGN,
    "model": "deepseek-v3",
    "precision": "fp8",
    "target": {"tpot_ms": 20},
    "input_tokens": 4096,
    "output_tokens": 1024,
    "stack": {"framework": "sglang"},
    "compare_servers": ["gb200-tray"],
}


def told_apart(rate_of_rack: float, price_spread: float, widest: int = 64) -> ScaleUp:
    """A node at 100 tokens a second and GPU against a rack, at the same dollars an hour."""

    def rate(design: Json) -> Rated:
        is_rack = design["compute"]["server"] == "gb200-tray"
        capex = Range(1e6 * (1 - price_spread), 1e6, 1e6 * (1 + price_spread))
        tokens_s = 144 * (rate_of_rack if is_rack else 100.0)
        return Rated(144, 18, "TP 8", widest, tokens_s, 1.4, Range(1.0, 2.0, 4.0), capex)

    return scale_up(DESIGN, "hgx-b200-10u", 144, ["gb200-tray"], rate, CATALOG)


@pytest.mark.parametrize(
    ("rate_of_rack", "price_spread", "verdict"),
    [
        (150.0, 0.05, "scale_up"),
        (60.0, 0.05, "scale_out"),
        (105.0, 0.05, "no_difference"),
        (150.0, 0.3, "no_difference"),
    ],
)
def test_prices_and_bands_decide_what_can_be_told(rate_of_rack: float, price_spread: float, verdict: str) -> None:
    found = told_apart(rate_of_rack, price_spread)
    assert found.verdict == verdict
    own = found.servers[0]
    assert own.verdict == "own"
    assert own.usd_per_million_tokens is not None
    assert own.usd_per_million_tokens.typical == pytest.approx(2.0 / (100 * 3600) * 1e6)
    rack = found.servers[-1]
    assert rack.against is not None
    assert rack.against.typical == pytest.approx(100 / rate_of_rack)


def test_a_layout_that_a_node_holds_too_does_not_speak_for_the_larger_domain() -> None:
    found = told_apart(150.0, 0.05, widest=8)
    assert found.verdict == "domain_not_used"
    assert "GPU and its price" in found.message


def test_smaller_racks_of_the_same_trays_are_marked_as_an_assumption() -> None:
    rows = told_apart(150.0, 0.05).servers
    assert [row.scale_up_domain_gpus for row in rows] == [8, 36, 72]
    assert "assumption" in (rows[1].note or "")
    assert rows[2].note is None


def test_what_is_refused_stands_with_its_reason() -> None:
    def rate(design: Json) -> Rated:
        if design["compute"]["server"] == "gb200-tray":
            raise SpecError([Problem("target", "targets_not_met", "Too slow.")])
        return Rated(144, 18, "TP 8", 8, 1e4, 1.4, None, None)

    found = scale_up(DESIGN, "hgx-b200-10u", 144, ["gb200-tray"], rate, CATALOG)
    assert {(one.server, one.code) for one in found.refused} == {("gb200-tray", "targets_not_met")}
    assert found.servers[0].usd_per_million_tokens is None
    assert found.verdict == "no_difference"


def test_usual_servers_are_priced_and_one_a_gpu() -> None:
    found = [one.server for one in candidates("hgx-b200-10u", None, CATALOG)]
    gpus = [one.gpu_id for one in found if one.id != "gb200-tray"]
    assert len(set(gpus)) == len(gpus)
    assert {"b200-sxm", "gb300"} <= set(gpus)
    assert all(CATALOG.price(one.id) for one in found)


def test_servers_of_a_request_are_those_designs_by_themselves() -> None:
    answer: Any = served(SERVED, CATALOG)
    rows = {(row["server"], row["scale_up_domain_gpus"]): row for row in answer["scale_up"]["servers"]}
    assert set(rows) == {("hgx-b200-10u", 8), ("gb200-tray", 36), ("gb200-tray", 72)}
    rack = rows["gb200-tray", 72]
    alone: Any = served(
        {
            **{key: value for key, value in SERVED.items() if key != "compare_servers"},
            "design": {**DESIGN, "compute": {"server": "gb200-tray", "gpus": 144}},
            "gpus": 64,
            "concurrency": [2**doublings for doublings in range(13)],
            "top": 100,
        },
        CATALOG,
    )
    best = max(
        row["tokens_per_s_per_gpu"] for one in alone["placements"] for row in one["rows"] if row["tpot_ms"] <= 20
    )
    assert rack["tokens_per_s_per_gpu"] == pytest.approx(best * 128 / 144, rel=0.02)  # 16 of 144 GPUs are left over
    assert rack["tpot_ms"] <= 20
    assert answer["scale_up"]["verdict"] == "scale_up"
    assert rack["against"]["low"] < rack["against"]["typical"] < rack["against"]["high"]


def test_a_server_without_links_or_price_is_answered_without_dollars() -> None:
    answer: Any = served({**SERVED, "model": "llama3-8b", "compare_servers": ["dell-xe7745-rtxpro"]}, CATALOG)
    row = next(one for one in answer["scale_up"]["servers"] if one["server"] == "dell-xe7745-rtxpro")
    assert row["tokens_per_s"] > 0
    assert row["usd_per_million_tokens"] is None
    assert row["verdict"] == "no_price"


def test_a_training_layout_is_compared_on_servers() -> None:
    layout = {"tp": 8, "dp": 18, "global_batch": 144, "sequence": 4096}
    answer: Any = trained(
        {"design": DESIGN, "model": "llama3-8b", "parallel": layout, "compare_servers": ["gb200-tray"]}, CATALOG
    )
    rows = answer["scale_up"]["servers"]
    assert [row["gpus"] for row in rows] == [144, 144, 144]
    assert rows[0]["layout"] == "TP 8 × DP 18"
    assert rows[0]["tokens_per_s"] == pytest.approx(answer["tokens_per_s"])
    searched: Any = trained(
        {"design": DESIGN, "model": "llama3-8b", "parallel": {"global_batch": 144}, "compare_servers": True}, CATALOG
    )
    assert searched["scale_up"]["servers"][0]["tokens_per_s"] == pytest.approx(searched["layouts"][0]["tokens_per_s"])


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"design": None, "system": {"gpu": "h200-sxm"}}, "contradiction"),
        ({"compare_servers": ["no-such-server"]}, "unknown_part"),
        ({"layout": {"tp": 8}, "concurrency": 8}, "contradiction"),
    ],
)
def test_servers_that_cannot_be_compared_are_refused(changes: dict[str, Any], code: str) -> None:
    request = {key: value for key, value in {**SERVED, **changes}.items() if value is not None}
    with pytest.raises(SpecError) as refused:
        served(request, CATALOG)
    assert code in {problem.code for problem in refused.value.problems}
