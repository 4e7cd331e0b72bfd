"""Designs compared by tokens and dollars: figures of the verbs on each, bands, and what these bands cannot show."""

import csv
import io
from typing import Any

import openpyxl
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.models import Comparison
from designer.services.comparison_sides import resolved_items
from designer.services.comparisons import create_comparison
from designer.services.workloads.side_by_side import (
    NO_DESIGN,
    NO_DIFFERENCE,
    WorkloadComparison,
    compared_forms,
    compared_workloads,
)
from estimator.catalog.loader import load_catalog
from estimator.serving_request.answering import served
from estimator.training_request import trained
from tests.designer.api_helpers import Caller, assert_refused, caller
from tests.designer.services.test_comparisons import saved, text_of

pytestmark = pytest.mark.django_db
ASKED = {
    "train_model": "llama3-8b",
    "batch": "512",
    "serve_model": "llama3-70b",
    "prompt_tokens": "1000",
    "answer_tokens": "300",
    "concurrency": "32",
}
OFFER: dict[str, Any] = {
    "lines": [{"category": "switch", "quantity": 4, "unit_price_usd": None, "description": "Leaf"}]
}


def designs(owner: User, *sides: Any) -> Comparison:
    return create_comparison(owner, resolved_items(owner, list(sides)))


@pytest.fixture
def row(owner: User) -> Comparison:
    h100 = str(saved(owner).pk)
    b200 = {"name": "B200", "compute": {"server": "dgx-b200", "gpus": 256}, "fabric": {"generation": "ndr"}}
    return designs(owner, {"design": h100}, {"spec": b200}, {"design": h100, "label": "The same"})


def answered(row: Comparison, **more: str) -> WorkloadComparison:
    return compared_workloads(row, *compared_forms(row, ASKED | more))


def figure(shown: WorkloadComparison, key: str) -> Any:
    return next(one for one in shown.figures if one.key == key)


def test_figures_are_those_of_the_verbs_on_each_design(row: Comparison) -> None:
    shown = answered(row)
    for at, side in enumerate(row.specs[:2]):
        parallel = {"sequence": 8192, "global_batch": 512}
        step: Any = trained({"design": side["spec"], "model": "llama3-8b", "parallel": parallel}, load_catalog())
        best = step["layouts"][0]
        assert figure(shown, "step_s").values[at].typical == pytest.approx(best["step_s"], abs=1e-6)
        assert figure(shown, "tokens_per_s").values[at].typical == pytest.approx(best["tokens_per_s"])
        asked = {
            "design": side["spec"],
            "model": "llama3-70b",
            "precision": "fp8",
            "input_tokens": 1000,
            "output_tokens": 300,
            "concurrency": 32,
        }
        system = {"system": served(asked, load_catalog())["system"]}  # type: ignore[call-overload]
        placement: Any = served({**{key: asked[key] for key in asked if key != "design"}, **system}, load_catalog())
        assert figure(shown, "tpot_ms").values[at].typical == pytest.approx(
            placement["best"]["rows"][0]["tpot_ms"], abs=1e-6
        )
        hour = side["estimate"]["cost"]["usd_per_gpu_hour"]["typical"]
        rate = placement["best"]["rows"][0]["tokens_per_s_per_gpu"]
        assert figure(shown, "served_usd_per_million_tokens").values[at].typical == pytest.approx(
            hour / rate / 3600 * 1e6, abs=1e-6
        )


def test_bands_hold_their_figure_and_decide_what_is_said(row: Comparison) -> None:
    shown = answered(row)
    for one in shown.figures:
        assert all(value.low <= value.typical <= value.high for value in one.values if value)
        for at, difference in enumerate(one.differences):
            ours, base = one.values[at], one.values[0]
            if at and difference and ours and base:
                within = base.low <= ours.typical <= base.high or ours.low <= base.typical <= ours.high
                assert difference.is_about_same == (within or ours.typical == base.typical), one.key
    words = {one.of: one.words for one in shown.summary}
    assert "faster" in words[1]
    same = "tokens a second, cost of the run, output tokens a second of each GPU, a million output tokens"
    assert words[2] == f"The same against InfiniBand: {NO_DIFFERENCE} in {same}."


def test_servers_without_a_price_have_no_dollars(owner: User) -> None:
    cards = {"compute": {"server": "smc-4125gs-l40s", "nodes": 4}, "fabric": {"generation": "roce-400"}}
    shown = answered(designs(owner, {"design": str(saved(owner).pk)}, {"spec": cards}))
    assert figure(shown, "tpot_ms").values[1]
    for key in ("run_usd", "served_usd_per_million_tokens"):
        priced, unpriced = figure(shown, key).values
        assert priced
        assert unpriced is None


def test_more_tokens_cost_more_everywhere(row: Comparison) -> None:
    few, many = answered(row, tokens="1"), answered(row, tokens="15")
    for before, after in zip(figure(few, "run_usd").values, figure(many, "run_usd").values, strict=True):
        assert after.typical == pytest.approx(15 * before.typical, rel=0.01)


def test_an_offer_and_an_unknown_gpu_say_why_they_have_none(owner: User) -> None:
    custom = {
        "compute": {"server": "custom", "nodes": 8, "gpus_per_node": 8, "nics_per_node": 8, "nic_ports_per_node": 8},
        "fabric": {"generation": "ndr"},
    }
    row = designs(owner, {"design": str(saved(owner).pk)}, {"offer": OFFER}, {"spec": custom})
    shown = answered(row)
    assert shown.items[0].why_not == []
    assert shown.items[1].why_not == [NO_DESIGN]
    assert "names no GPU that is known" in shown.items[2].why_not[0]
    assert figure(shown, "step_s").values[1:] == [None, None]


def test_what_one_design_cannot_do_stands_beside_it(row: Comparison) -> None:
    shown = answered(row, train_precision="nvfp4")
    assert "nvfp4" in shown.items[0].why_not[0]
    assert shown.items[1].why_not == []
    assert [value is None for value in figure(shown, "step_s").values] == [True, False, True]
    assert all(figure(shown, "tpot_ms").values)


def test_the_page_compares_where_it_is_asked(page: Client, row: Comparison) -> None:
    address = reverse("comparison", args=[row.pk])
    plain = text_of(page.get(address))
    assert "Tokens and dollars" in plain
    assert "Best layout to train" not in plain
    text = text_of(page.get(address, ASKED))
    assert "Best layout to train" in text
    assert "Where servers have no price, dollars are not stated" in text
    assert NO_DIFFERENCE in text
    assert "is no whole number" in text_of(page.get(address, ASKED | {"batch": "many"}))
    assert "is no whole number" in text_of(page.get(address, ASKED | {"concurrency": "many"}))
    content = page.get(address, ASKED).content.decode().replace("&amp;", "&")
    files = [
        part.split('"')[0]
        for part in content.split('href="')
        if "/comparisons/" in part and "/workloads/" in part.split('"')[0]
    ]
    assert len(files) == 3
    assert all(page.get(one).status_code == 200 for one in files)


def test_rest_answers_json_and_files(call: Caller, row: Comparison) -> None:
    query = "&".join(f"{key}={value}" for key, value in ASKED.items())
    answer = call("GET", f"comparisons/{row.pk}/workloads/?{query}")
    assert answer.json() == answered(row).as_json()
    table = call("GET", f"comparisons/{row.pk}/workloads/file/?{query}").content.decode()
    rows = list(csv.DictReader(io.StringIO(table, newline=""), strict=True))
    assert len(rows) == len(answer.json()["figures"]) * 3
    steps = [float(one["typical"]) for one in rows if one["key"] == "step_s"]
    assert steps == [one["typical"] for one in figure(answered(row), "step_s").as_json()["values"]]
    book = openpyxl.load_workbook(
        io.BytesIO(call("GET", f"comparisons/{row.pk}/workloads/?{query}&format=xlsx").content)
    )
    assert book.sheetnames == ["Workloads", "Designs", "In words", "Requested", "Workload constants", "Versions"]
    assert_refused(call("GET", f"comparisons/{row.pk}/workloads/?batch=many"), 400, "invalid_spec", "batch")
    stranger = caller(User.objects.create_user("grace"))
    assert_refused(stranger("GET", f"comparisons/{row.pk}/workloads/"), 404, "not_found")
