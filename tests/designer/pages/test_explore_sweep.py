"""The sweep of the page Explore: its form, its charts, where the build changes kind, and a point as a design."""

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.charts.sweep import sweep_charts
from designer.forms.sweep import SweepForm, text_of_values
from designer.services.designs.saving import save_design
from designer.services.searches.sweeping import first_sweep, swept
from estimator.catalog.loader import load_catalog
from estimator.pipeline import estimate
from estimator.search.request import DEFAULT_BYTES
from estimator.spec.parse import parse_spec
from tests.designer.charts.test_charts import rendered
from tests.designer.pages.test_explore import sent_by_a_browser, text_of

pytestmark = pytest.mark.django_db
BASE = {"compute": {"server": "dgx-h100", "nodes": 64}, "fabric": {"generation": "ndr"}}
BY_SIZE: dict[str, Any] = {
    "base": BASE,
    "x": {"field": "compute.nodes", "values": {"from": 64, "to": 1024, "factor": 4}},
    "figures": ["switches", "network_usd"],
}
OVER_TWO: dict[str, Any] = {
    "base": BASE,
    "x": {"field": "fabric.oversubscription", "values": ["1:1", "2:1"]},
    "y": {"field": "compute.nodes", "values": [64, 512]},
    "figures": ["network_usd"],
}


def shown(page: Client, asked: Any, **more: str) -> Any:
    return page.get(reverse("explore-sweep"), {"ask": json.dumps(asked), **more})


OF_WORK: dict[str, Any] = {
    "base": BASE,
    "x": {"field": "compute.nodes", "values": [8, 64]},
    "figures": ["step_s", "tokens_per_s_per_gpu", "usd_per_million_tokens", "network_usd"],
    "workload": {"train": {"model": "llama3-8b", "parallel": {"tp": 8, "pp": 1}}},
}


@pytest.mark.parametrize("asked", [BY_SIZE, OVER_TWO, OF_WORK], ids=["one-field", "two-fields", "workload"])
def test_a_sweep_goes_through_the_form_and_comes_out_as_it_was(page: Client, asked: dict[str, Any]) -> None:
    response = page.post(reverse("explore-sweep"), sent_by_a_browser(SweepForm(values=asked)))
    (text,) = parse_qs(urlsplit(response["Location"]).query)["ask"]
    usual = {"at_bytes": DEFAULT_BYTES}
    back = json.loads(text)
    if asked["x"]["field"] == "fabric.oversubscription":
        back["base"]["fabric"].pop("oversubscription", None)
    assert usual | back == usual | asked


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([1, 2, 8], "1, 2, 8"),
        ({"from": 1, "to": 10, "step": 3}, "1 to 10 step 3"),
        ({"from": 64, "to": 4096, "factor": 2}, "64 to 4096 ×2"),
        ({"from": 1, "to": 4}, "1 to 4"),
    ],
)
def test_lists_and_ranges_are_read_as_they_are_printed(values: Any, text: str) -> None:
    assert text_of_values(values) == text
    form = SweepForm({"x": "fabric.least_spines", "x_values": text})
    assert form.asked()["x"]["values"] == values


def test_where_a_third_tier_begins_is_marked_in_words_and_in_the_chart(page: Client) -> None:
    answer = swept(BY_SIZE, None)
    (change,) = answer.changes
    words = text_of(shown(page, BY_SIZE))
    assert f"From {change.x:,}: 3 tiers instead of 2" in words
    charts = sweep_charts(answer, ["Servers"])
    assert [chart.title for chart in charts] == ["Switches by servers", "Network purchase by servers"]
    assert charts[0].spec["layer"][0]["data"]["values"] == [
        {"x": change.x, "what": f"from {change.x:,}: 3 tiers instead of 2"}
    ]
    assert all(one["length"] > 5_000 for one in rendered([chart.spec for chart in charts]))


def test_an_axis_over_decades_is_logarithmic_and_a_short_one_is_not() -> None:
    wide, narrow = (
        sweep_charts(swept(BY_SIZE | {"x": {"field": "compute.nodes", "values": values}}, None), ["Servers"])[0]
        for values in ([4, 64, 256], [64, 96, 128])
    )
    assert wide.spec["encoding"]["x"]["scale"]["type"] == "log"
    assert "type" not in narrow.spec["encoding"]["x"]["scale"]


def test_over_two_fields_a_map_has_a_cell_a_point(page: Client) -> None:
    answer = swept(OVER_TWO, None)
    (chart,) = sweep_charts(answer, ["Leaf oversubscription", "Servers"])
    assert len(chart.spec["data"]["values"]) == len(chart.table.rows) == 4
    assert rendered([chart.spec])[0]["length"] > 5_000
    assert "1:1, 512" in text_of(shown(page, OVER_TWO))


def test_step_time_and_dollars_a_million_tokens_are_drawn_along_a_field(page: Client) -> None:
    answer = swept(OF_WORK, None)
    for point in answer.points:
        assert point.figures is not None
        spec = parse_spec({**BASE, "compute": {"server": "dgx-h100", "nodes": point.x}}, load_catalog())
        (made,) = estimate([spec], load_catalog(), ("cost",))
        hour, rate = made.cost.usd_per_gpu_hour.typical, point.figures["tokens_per_s_per_gpu"]
        assert point.figures["usd_per_million_tokens"] == pytest.approx(hour / (rate * 3600 / 1e6), abs=1e-4)
    assert answer.points[0].figures["step_s"] != answer.points[1].figures["step_s"]
    words = text_of(shown(page, OF_WORK))
    assert "Training step by " in words
    assert "Cost of a million tokens by " in words
    refused = shown(page, {key: value for key, value in OF_WORK.items() if key != "workload"})
    assert refused.status_code == 422
    assert 'href="#id_figure0"' in refused.content.decode()


def test_a_point_opens_as_a_design_with_its_figures(page: Client, owner: User) -> None:
    point = swept(BY_SIZE, None).points[1]
    sent = {"ask": json.dumps(BY_SIZE), "open": json.dumps({"compute.nodes": point.x})}
    response = page.post(reverse("sweep-open"), sent)
    design = owner.designs.get()
    assert response["Location"] == reverse("design", args=[design.pk])
    (made,) = estimate([parse_spec(design.given, load_catalog())], load_catalog(), ("counts",))
    assert made.fabrics["compute"].counts.switches == point.figures["switches"]
    assert made.fabrics["compute"].counts.nodes == point.x


def test_from_a_design_what_is_not_shown_stays(page: Client, owner: User) -> None:
    given = {"name": "Hall", **BASE, "economics": {"price_book": "anchors"}}
    design = save_design(owner, parse_spec(given, load_catalog()))
    plain, own = swept(first_sweep(None), None), swept(first_sweep(design), design)
    assert plain.points[0].figures["switches"] == own.points[0].figures["switches"]
    assert plain.points[0].figures["network_usd"] != own.points[0].figures["network_usd"]
    assert "From Hall : what is not shown here stays" in text_of(
        page.get(f"{reverse('explore-sweep')}?design={design.pk}")
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"x": {"field": "compute.nodes", "values": {"from": 9, "to": 2}}}, "Swap its ends"),
        ({"x": {"field": "compute.nodes", "values": []}}, "it needs one to"),
        ({"figures": ["price"]}, "is not a figure"),
        ({"y": {"field": "compute.nodes", "values": [1]}}, "Take two fields"),
        ({"x": {"field": "compute.nodes", "values": {"from": 1, "to": 10**9}}}, "is the most of one field"),
    ],
)
def test_what_is_wrong_is_refused_with_a_way_out(page: Client, change: Any, said: str) -> None:
    response = shown(page, BY_SIZE | change)
    assert response.status_code == 422
    assert said in text_of(response)
