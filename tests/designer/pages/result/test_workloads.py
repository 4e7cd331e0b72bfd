"""The workloads tab: the links of the design that is estimated."""

import html
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.charts.paths import levels_chart
from designer.models import Design
from designer.pages.result.workloads.tab import levels_of_design, system_keys
from designer.pages.result.workloads.training import training_context
from designer.services.designs.results import result_of
from designer.wording import numbers
from estimator.catalog.loader import load_catalog
from estimator.training_request import trained
from tests.designer.charts.test_charts import rendered
from tests.designer.finished_design import finished
from tests.designer.pages.result.test_performance import SPEC

pytestmark = pytest.mark.django_db


def words_of(page: Client, design: Design, **query: Any) -> str:
    response = page.get(reverse("design", args=[design.pk]), {"tab": "workloads", **query})
    assert response.status_code == 200
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", response.content.decode())))


def test_the_tab_states_what_a_gpu_gets_of_each_link(page: Client, owner: User, sent: list[str]) -> None:
    design, job = finished(owner, SPEC)
    estimate = result_of(job)
    assert estimate
    levels = levels_of_design(estimate)
    words = words_of(page, design)
    assert {"gpu_memory", "scale_up", "pcie", "host_memory", "leaf"} <= {one.code for one in levels}
    for one in levels:
        assert one.name[1:] in words
        assert one.evidence in words
    assert "Gb/s a node" not in words


def test_an_in_band_network_is_the_slow_way(page: Client, owner: User, sent: list[str]) -> None:
    design, job = finished(owner, SPEC | {"other_fabrics": [{"role": "in-band"}]})
    estimate = result_of(job)
    assert estimate
    level = next(one for one in levels_of_design(estimate) if one.code == "ethernet")
    network = estimate.fabrics["in-band"]
    assert level.name == f"Ethernet, {network.endpoint_rate_gbit_s * (network.ports_per_node or 1)} Gb/s a node"
    assert level.name in words_of(page, design)


def test_the_chart_has_a_point_and_a_row_for_each_level(owner: User, sent: list[str]) -> None:
    _, job = finished(owner, SPEC)
    estimate = result_of(job)
    assert estimate
    levels = levels_of_design(estimate)
    chart = levels_chart(levels)
    assert len(chart["table"]["rows"]) == len(levels)
    assert rendered([chart["spec"]])[0]["length"] > 1000


# --- Training ----------------------------------------------------------------------------------------------------
def best_of(estimate: Any, **asked: Any) -> Any:
    """What the verb answers for the same design, model and batch."""
    request = {"system": system_keys(estimate), "gpus": estimate.compute.counts.gpus, "top": 10, **asked}
    return trained(request, load_catalog())


def test_the_fastest_layouts_are_those_of_the_verb(page: Client, owner: User, sent: list[str]) -> None:
    design, job = finished(owner, SPEC)
    estimate = result_of(job)
    assert estimate
    asked = {"train_model": "llama3-8b", "train_precision": "fp8", "sequence": "4,096", "batch": "1536"}
    answer = best_of(estimate, model="llama3-8b", precision="fp8", parallel={"sequence": 4096, "global_batch": 1536})
    best = answer["layouts"][0]
    words = words_of(page, design, **asked)
    assert numbers.count(best["tokens_per_s"]) in words
    assert f"{numbers.computed(best['step_s'])} s" in words
    assert f"{numbers.count(answer['looked_at'])} layouts were looked at" in words
    response = page.get(reverse("design", args=[design.pk]), {"tab": "workloads", **asked})
    rows = re.findall(r'data-label="Step, s">([\d.,]+)<', response.content.decode())
    assert rows == [numbers.computed(one["step_s"]) for one in answer["layouts"]]


def test_more_tokens_take_more_days_and_dollars(owner: User, sent: list[str]) -> None:
    _, job = finished(owner, SPEC)
    estimate = result_of(job)
    assert estimate
    few, many = (
        training_context(estimate, system_keys(estimate), {"train_model": "llama3-8b", "tokens": tokens})["run"]
        for tokens in ("1", "15")
    )
    assert many.days.typical == pytest.approx(15 * few.days.typical, rel=0.01)
    assert many.usd.typical == pytest.approx(
        many.days.typical * 24 * 768 * estimate.cost.usd_per_gpu_hour.typical, rel=0.01
    )


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"batch": "a lot"}, "is no whole number"),
        ({"sequence": "0"}, "1"),
        ({"tokens": "nan"}, "Type one, such as 15"),
        ({"train_model": "gpt-9"}, "gpt-9"),
        ({"train_precision": "nvfp4"}, "H100"),
    ],
)
def test_what_is_refused_stands_on_the_page(
    page: Client, owner: User, sent: list[str], asked: dict[str, str], words: str
) -> None:
    design, _ = finished(owner, SPEC)
    response = page.get(reverse("design", args=[design.pk]), {"tab": "workloads", "train_model": "llama3-8b", **asked})
    found = re.findall(r'<p class="(?:field-error|note warning)" role="alert">(.*?)</p>', response.content.decode())
    refused = re.search(r'id="no-layout-title".*?</section>', response.content.decode(), re.DOTALL)
    assert words in html.unescape(" ".join(found) + (refused.group() if refused else ""))
    assert response.status_code == 200
