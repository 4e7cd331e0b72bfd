"""The page and the panel “InfiniBand or RoCE”: what they ask, what they answer, what they refuse."""

import html
import re
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.charts.advice import advice_charts, generations_chart
from designer.charts.vega import Chart
from designer.pages.advice.page import RATES, advised, budget_of
from designer.services.designs.samples import SAMPLES
from designer.services.designs.saving import save_design
from designer.wording.numbers import usd
from estimator.catalog.loader import load_catalog
from estimator.compare.advice import generation_steps
from estimator.errors import SpecError
from tests.designer.charts.test_charts import rendered
from tests.designer.finished_design import finished

pytestmark = pytest.mark.django_db
SMALL: dict[str, Any] = {
    "name": "Small",
    "compute": {"server": "dgx-h100", "nodes": 16},
    "fabric": {"generation": "ndr"},
}


def text_of(response: Any) -> str:
    words = re.sub(r"<script.*?</script>|<[^>]+>", " ", response.content.decode(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(words))


def test_without_a_question_it_advises_on_a_thousand_gpus(page: Client) -> None:
    words = text_of(page.get(reverse("advice")))
    answer = advised(
        {"name": "1,024 GPUs", "compute": {"server": "dgx-h100", "gpus": 1024}, "fabric": {"generation": "ndr"}},
        "balanced",
        None,
    ).advice
    assert answer.words in words
    for said in [*(one.words for one in answer.reasons), *(one.words for one in answer.would_change)]:
        assert re.sub(r"\s+", " ", said) in words
    for one in answer.criteria:
        assert one.title in words
    assert "GDR announced" in words


@pytest.mark.parametrize("rate", list(RATES))
def test_every_rate_that_both_have_can_be_asked_for(page: Client, rate: str) -> None:
    server = "dgx-b300" if rate == "800" else "dgx-h100" if rate == "400" else "custom"
    response = page.get(reverse("advice"), {"rate": rate, "gpus": "256", "server": server})
    assert response.status_code == 200, text_of(response)


def test_eight_hundred_gigabits_hang_on_the_price_of_one_switch(page: Client) -> None:
    """NICs of two 400G ports: RoCE is two planes, and XDR against it an open question."""
    words = text_of(page.get(reverse("advice"), {"rate": "800", "gpus": "4608", "server": "dgx-b300"}))
    assert "no difference that these prices can show" in words
    assert "for each NVIDIA Q3400-RA" in words
    assert "request a quotation" in words


def test_a_design_of_the_owner_is_advised_on(page: Client, owner: User) -> None:
    design = save_design(owner, SAMPLES[1].spec())
    words = text_of(page.get(reverse("advice"), {"design": str(design.pk)}))
    assert f"“{design.name}”" in words
    assert "InfiniBand NDR with" in words


def test_a_budget_and_a_priority_are_reported(page: Client) -> None:
    words = text_of(page.get(reverse("advice"), {"budget": "$60M", "priority": "speed"}))
    assert "Budget $60.0 M" in words
    assert "What counts: speed." in words


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"gpus": "many"}, "GPUs are a whole number"),
        ({"rate": "56"}, "Rates are 100, 200, 400, 800"),
        ({"budget": "a lot"}, "A budget is an amount in dollars"),
        ({"gpus": "0"}, "Must be at least 1"),
        ({"server": "nothing"}, "server"),
        ({"gpus": "9999999999"}, "GPUs are a whole number"),
        ({"gpus": "²"}, "whole number"),
    ],
)
def test_what_cannot_be_advised_on_is_refused_with_words(page: Client, query: dict[str, str], words: str) -> None:
    response = page.get(reverse("advice"), query)
    assert response.status_code == 422
    assert words in text_of(response)
    assert "Generations" in text_of(response), "the table stands in any case"


@pytest.mark.parametrize(
    ("text", "usd"), [("50M", 5e7), ("$1,200,000", 1.2e6), ("2.5 b", 2.5e9), ("", None), (None, None), ("800k", 8e5)]
)
def test_budgets_are_read(text: str | None, usd: float | None) -> None:
    assert budget_of(text) == usd


@pytest.mark.parametrize("text", ["-5", "nan", "inf", "M", "1e999", "12x", "1e13"])
def test_what_is_no_budget_is_refused(text: str) -> None:
    with pytest.raises(SpecError):
        budget_of(text)


def test_an_accelerator_without_infiniband_has_no_other_side(page: Client) -> None:
    values = {"name": "Gaudi", "compute": {"server": "gaudi3-8u", "nodes": 8}, "fabric": {"generation": "roce-200"}}
    with pytest.raises(SpecError) as refused:
        advised(values, "balanced", None)
    assert [problem.code for problem in refused.value.problems] == ["no_sibling"]
    assert (
        text_of(page.get(reverse("advice"), {"server": "gaudi3-8u", "rate": "200"})).count("no InfiniBand version") == 1
    )


def test_the_panel_of_a_design_says_the_conclusion(page: Client, owner: User) -> None:
    design, _ = finished(owner, SMALL)
    panel = page.get(reverse("advice-panel", args=[design.pk]))
    assert advised(design.now.given, "balanced", None).advice.words in html.unescape(panel.content.decode())
    assert b"<html" not in panel.content
    content = page.get(reverse("design", args=[design.pk])).content.decode()
    assert reverse("advice-panel", args=[design.pk]) in content


def test_designs_of_others_are_not_found(page: Client) -> None:
    stranger = User.objects.create_user("bob")
    design = save_design(stranger, SAMPLES[0].spec())
    assert page.get(reverse("advice-panel", args=[design.pk])).status_code == 404
    assert page.get(reverse("advice"), {"design": str(design.pk)}).status_code == 404
    assert page.get(reverse("advice"), {"design": str(uuid.uuid4())}).status_code == 404
    assert page.get(reverse("advice"), {"design": "no-uuid"}).status_code == 404


# ---------------------------------------------------------------- charts


@pytest.fixture(scope="module")
def pictures() -> list[Chart]:
    found, catalog = advised(SMALL, "balanced", None), load_catalog()
    return [*advice_charts(found.advice, found.pair, catalog), generations_chart(generation_steps(catalog))]


def test_cost_latency_congestion_lock_in_and_years_are_drawn(pictures: list[Chart], page: Client) -> None:
    keys = [chart.key for chart in pictures]
    assert keys == [
        "advice-score",
        "advice-price",
        "advice-latency",
        "advice-traffic",
        "advice-makers",
        "advice-generations",
    ]
    assert [item.label for chart in pictures[:-1] for item in chart.legend] == ["InfiniBand", "RoCE"] * 5
    body = page.get(reverse("advice")).content.decode()
    for key in keys:
        assert f'data-chart="chart-{key}"' in body
        assert f'id="chart-{key}"' in body


def test_without_an_answer_the_years_are_drawn_alone(page: Client) -> None:
    body = page.get(reverse("advice"), {"gpus": "many"}).content.decode()
    assert re.findall(r'data-chart="chart-([a-z-]+)"', body) == ["advice-generations"]


def test_every_picture_of_the_advice_renders(pictures: list[Chart]) -> None:
    for drawn in rendered([chart.spec for chart in pictures]):
        assert drawn["length"] > 1000


def test_tables_say_what_the_pictures_draw(pictures: list[Chart]) -> None:
    score, price, latency, traffic, makers, years = (
        {row["head"]: row["cells"] for row in chart.table.rows} for chart in pictures
    )
    answer = advised(SMALL, "balanced", None).advice
    for one in answer.criteria:
        assert [cell["text"] for cell in score[one.title]] == [one.infiniband_text, one.roce_text]
    drawn = pictures[0].spec["data"]["values"]
    assert sum(-row["points"] for row in drawn) == answer.score
    network = next(one for one in answer.criteria if one.key == "network_price")
    assert [cell["text"] for cell in price["Network, all parts"]] == [usd(network.infiniband), usd(network.roce)]
    assert len(latency) > len({row["message_bytes"] for row in pictures[2].spec["data"]["values"]})
    assert traffic["All-reduce, sums in switches"][1]["text"] == "–"
    assert "NVIDIA" in makers["Switches"][0]["note"]
    assert [cell["text"] for cell in years["1.6\N{NO-BREAK SPACE}Tb/s"]] == [
        "GDR, announced",
        "1.6T Ethernet, announced",
    ]
