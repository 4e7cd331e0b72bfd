"""The workloads tab: the links of the design that is estimated."""

import html
import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.charts.paths import levels_chart
from designer.charts.workloads import parts_chart
from designer.models import Design
from designer.pages.result.workloads.tab import serving_context, training_context, workloads_context
from designer.services.designs.results import result_of
from designer.services.workloads.links import levels_of_design, system_keys
from designer.services.workloads.placing import placing_of, request_of
from designer.wording import numbers
from designer.wording.names import LEFT_OUT
from estimator.catalog.loader import load_catalog
from estimator.serving_request.answering import served
from estimator.training_request import trained
from estimator.workloads.training.search import BATCH, EXPERTS, MEMORY, STAGES
from tests.designer.charts.test_charts import rendered
from tests.designer.finished_design import finished
from tests.designer.pages.result.test_performance import SPEC
from tests.estimator.workloads.models.configs import LLAMA

pytestmark = pytest.mark.django_db
RACKS = {"name": "Racks", "compute": {"server": "gb200-tray", "nodes": 18}, "fabric": {"generation": "ndr"}}


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
    assert len(chart.table.rows) == len(levels)
    assert rendered([chart.spec])[0]["length"] > 1000


# --- Training ----------------------------------------------------------------------------------------------------
def best_of(estimate: Any, **asked: Any) -> Any:
    """What the verb answers for the same design, model and batch."""
    request = {"system": system_keys(estimate), "gpus": estimate.compute.counts.gpus, "top": 10, **asked}
    return trained(request, load_catalog())


def test_marks_of_a_chart_without_series_have_a_colour(owner: User, sent: list[str]) -> None:
    """Vega draws nothing in the colours of an empty scale: the chart had its words and no points."""
    _, job = finished(owner, SPEC)
    estimate = result_of(job)
    assert estimate
    assert levels_chart(levels_of_design(estimate)).spec["encoding"]["color"] == {"value": "var(--chart-1)"}


def test_layouts_of_the_same_degrees_have_one_bar(owner: User, sent: list[str]) -> None:
    """Two bars of one name are drawn as one of both together."""
    _, job = finished(owner, SPEC)
    estimate = result_of(job)
    assert estimate
    layouts = training_context(estimate, {"train_model": "llama3-8b"})["searched"].layouts
    chart = parts_chart(layouts)
    bars = [row["text"] for row in chart.spec["data"]["values"] if row["series"] == "s0"]
    assert len(bars) < len(layouts), "the case has none of the same degrees"
    assert len(bars) == len(set(bars)) == len(chart.table.rows)
    drawn = sum(row["seconds"] for row in chart.spec["data"]["values"] if row["text"] == bars[0])
    assert drawn == pytest.approx(layouts[0].step_s, rel=0.01)


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
    assert f"{numbers.count(answer['looked_at'])} layouts were evaluated" in words
    response = page.get(reverse("design", args=[design.pk]), {"tab": "workloads", **asked})
    rows = re.findall(r'data-label="Step, s">([\d.,]+)<', response.content.decode())
    assert rows == [numbers.computed(one["step_s"]) for one in answer["layouts"]]


def test_servers_of_other_domains_train_the_same_in_dollars(page: Client, owner: User, sent: list[str]) -> None:
    design, job = finished(owner, SPEC)
    estimate = result_of(job)
    assert estimate
    asked = {"train_model": "llama3-8b", "train_beside": "servers"}
    context = training_context(estimate, asked)
    found, best = context["train_servers"], context["best"]
    own = next(one for one in found.servers if one.verdict == "own")
    assert own.tokens_per_s == pytest.approx(best.tokens_per_s)
    assert {one.scale_up_domain_gpus for one in found.servers} >= {8, 72}
    words = words_of(page, design, **asked)
    assert found.message in words
    for one in found.servers:
        assert one.name in words
        assert one.layout in words
    assert len(context["train_servers_chart"].table.rows) == len(
        [one for one in found.servers if one.usd_per_million_tokens]
    )
    assert "train_servers" not in training_context(estimate, {"train_model": "llama3-8b"})


def test_more_tokens_take_more_days_and_dollars(owner: User, sent: list[str]) -> None:
    _, job = finished(owner, SPEC)
    estimate = result_of(job)
    assert estimate
    few, many = (
        training_context(estimate, {"train_model": "llama3-8b", "tokens": tokens})["run"] for tokens in ("1", "15")
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
        ({"tokens": "nan"}, "is no number above 0"),
        ({"tokens": "20000"}, "10,000, the most"),
        ({"concurrency": "-3"}, "is no whole number"),
        ({"tpot_ms": "0"}, "is no number above 0"),
        ({"prompt_tokens": "0"}, "1"),
        ({"serve_model": "gpt-9"}, "gpt-9"),
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


# --- Serving -----------------------------------------------------------------------------------------------------
ASKED = {"serve_model": "llama3-70b", "prompt_tokens": "1000", "answer_tokens": "300", "concurrency": "32"}


def test_placements_are_those_of_the_verb_and_dollars_are_gpu_hours(page: Client, owner: User, sent: list[str]) -> None:
    design, job = finished(owner, SPEC)
    estimate = result_of(job)
    assert estimate
    answer: Any = served(
        {
            "system": system_keys(estimate),
            "model": "llama3-70b",
            "precision": "fp8",
            "input_tokens": 1000,
            "output_tokens": 300,
            "concurrency": 32,
        },
        load_catalog(),
    )
    rows = serving_context(estimate, ASKED)["served"].placements
    assert [one.row.tpot_ms for one in rows] == [one["rows"][-1]["tpot_ms"] for one in answer["placements"]]
    best = next(one for one in rows if one.is_best)
    hour = estimate.cost.usd_per_gpu_hour.typical
    assert best.usd_per_million_tokens == pytest.approx(hour / best.row.tokens_per_s_per_gpu / 3600 * 1e6)
    assert best.tokens_per_s == best.row.tokens_per_s * (768 // best.placement.gpus)
    words = words_of(page, design, **ASKED)
    assert f"{numbers.computed(best.row.tpot_ms)} ms" in words
    assert numbers.usd_small(best.usd_per_million_tokens) in words
    for one in answer["advice"]:
        assert one["message"] in words


def test_limits_that_no_placement_meets_are_said(page: Client, owner: User, sent: list[str]) -> None:
    design, _ = finished(owner, SPEC)
    assert "No placement meets the targets" in words_of(page, design, **ASKED, tpot_ms="0.1")
    assert "No placement meets the targets" not in words_of(page, design, **ASKED, tpot_ms="1000")


def test_each_form_carries_what_was_typed_into_the_other(page: Client, owner: User, sent: list[str]) -> None:
    design, _ = finished(owner, SPEC)
    typed = {"tab": "workloads", "batch": "1536", **ASKED}
    content = page.get(reverse("design", args=[design.pk]), typed).content.decode()
    training, serving = (
        re.search(rf'<form[^>]*id="{name}-form".*?</form>', content, re.DOTALL) for name in ("training", "serving")
    )
    assert training
    assert serving
    assert '<input type="hidden" name="prompt_tokens" value="1000">' in training.group()
    assert '<input type="hidden" name="batch" value="1536">' in serving.group()


def test_the_chart_of_the_front_has_a_point_for_each_load(owner: User, sent: list[str]) -> None:
    _, job = finished(owner, SPEC)
    estimate = result_of(job)
    assert estimate
    (chart,) = serving_context(estimate, ASKED)["serving_charts"]
    loads = len({row["load"] for row in chart.spec["data"]["values"]})
    assert loads == 4
    assert len(chart.table.rows) == loads * len(chart.legend)
    assert rendered([chart.spec])[0]["length"] > 1000


def test_pools_are_compared_where_the_form_says_so(page: Client, owner: User, sent: list[str]) -> None:
    design, job = finished(owner, SPEC)
    estimate = result_of(job)
    assert estimate
    pools = serving_context(estimate, {**ASKED, "beside": "pools"})["pools"]
    assert pools.placements[0].why_not == ""
    words = words_of(page, design, **ASKED, beside="pools")
    assert pools.comparison.message in words
    for one in pools.placements:
        assert one.label in words
        assert one.why_not in words
    assert "GPUs of their own" not in words_of(page, design, **ASKED)


def test_servers_of_other_domains_are_compared_in_dollars(page: Client, owner: User, sent: list[str]) -> None:
    design, job = finished(owner, SPEC)
    estimate = result_of(job)
    assert estimate
    context = serving_context(estimate, {**ASKED, "beside": "servers"})
    found, chart = context["scale_up"], context["servers_chart"]
    assert {one.scale_up_domain_gpus for one in found.servers} >= {8, 72}
    assert [one.verdict for one in found.servers].count("own") == 1
    assert len(chart.table.rows) == len([one for one in found.servers if one.usd_per_million_tokens])
    assert rendered([chart.spec])[0]["length"] > 1000
    words = words_of(page, design, **ASKED, beside="servers")
    assert found.message in words
    for one in found.servers:
        assert one.name in words
        assert one.layout in words


def test_servers_without_a_price_have_no_dollars_and_no_scale_up_links_to_cross(
    page: Client, owner: User, sent: list[str]
) -> None:
    """Eight L40S on PCIe: what the network costs a GPU-hour is not what a GPU-hour costs."""
    cards = {"compute": {"server": "smc-4125gs-l40s", "nodes": 4}, "fabric": {"generation": "roce-400"}}
    design, job = finished(owner, cards)
    estimate = result_of(job)
    assert estimate
    assert estimate.cost.usd_per_gpu_hour.typical > 0
    serving, training = serving_context(estimate, ASKED)["served"], training_context(estimate, {})
    assert {one.usd_per_million_tokens for one in serving.placements} == {None}
    assert training["run"].usd is None
    words = words_of(page, design, **ASKED)
    assert words.count("not stated: the servers have no price in the catalog or your price book") == 2
    assert "crosses the scale-up domain" not in words
    assert "layers over PCIe" in words


def test_what_runs_on_which_link_is_a_picture_with_its_table(page: Client, owner: User, sent: list[str]) -> None:
    design, job = finished(owner, SPEC)
    assert re.search(r"Data parallel network, as far as the (leaf|spine) ", words_of(page, design))
    estimate = result_of(job)
    assert estimate
    charts = {one.key: one for one in workloads_context(estimate, ASKED)["charts"]}
    best = training_context(estimate, {})["best"]
    chart = charts["step-links"]
    assert len(chart.table.rows) == len(best.links)
    assert {row["bytes"] for row in chart.spec["data"]["values"]} == {
        numbers.message_size(one.bytes_per_step) for one in best.links
    }
    for one in charts.values():
        assert rendered([one.spec])[0]["length"] > 1000


def test_every_reason_to_leave_a_layout_out_has_words() -> None:
    assert set(LEFT_OUT) == {MEMORY, BATCH, STAGES, EXPERTS}


# --- Files -------------------------------------------------------------------------------------------------------
def addresses(content: str, part: str) -> list[str]:
    return [html.unescape(one) for one in re.findall(r'href="([^"]+)"', content) if part in one]


def test_files_of_the_tab_are_those_of_what_is_shown(page: Client, owner: User, sent: list[str]) -> None:
    design, _ = finished(owner, SPEC)
    asked = {"tab": "workloads", "train_model": "llama3-8b", **ASKED}
    content = page.get(reverse("design", args=[design.pk]), asked).content.decode()
    shown = re.findall(r'data-label="Step, s">([\d.,]+)<', content)
    tables = [one for one in addresses(content, "/workloads/") if "format=csv" in one]
    assert len(tables) == 4
    layouts = page.get(next(one for one in tables if "table=layouts" in one)).content.decode().splitlines()
    at = layouts[0].split(",").index("step_s")
    assert [numbers.computed(float(row.split(",")[at])) for row in layouts[1:]] == shown


def test_the_chosen_layout_has_its_launch_files(page: Client, owner: User, sent: list[str]) -> None:
    design, _ = finished(owner, SPEC)
    asked = {"tab": "workloads", "train_model": "llama3-8b", "job_name": "pretrain", **ASKED}
    content = page.get(reverse("design", args=[design.pk]), asked).content.decode()
    files = addresses(content, "/placement/")
    assert any("format=torchrun" in one for one in files)
    assert not any("format=vllm" in one for one in files)
    for address in files:
        answer = page.get(address)
        assert answer.status_code in (200, 400), address
        if answer.status_code == 400:
            assert answer.json()["problems"][0]["code"] == "no_spanning_domain"
    served = re.search(r'<option value="(s[\d.]+)"', content)
    assert served
    other = page.get(reverse("design", args=[design.pk]), asked | {"placed": served.group(1)}).content.decode()
    assert any("format=vllm" in one for one in addresses(other, "/placement/"))
    script = page.get(next(one for one in addresses(other, "/placement/") if "format=vllm" in one)).content.decode()
    assert "meta-llama/" in script


def test_each_layout_that_was_found_can_be_placed(page: Client, owner: User, sent: list[str]) -> None:
    """Layouts of the same degrees differ in recompute or sharding: each is in the list by a name of its own, the first chosen."""
    design, job = finished(owner, SPEC)
    estimate = result_of(job)
    assert estimate
    asked = {"tab": "workloads", "train_model": "llama3-8b"}
    layouts = training_context(estimate, asked)["searched"].layouts
    degrees = {(one.parallel.tp, one.parallel.pp, one.parallel.cp, one.parallel.micro_batch) for one in layouts}
    assert len(degrees) < len(layouts), "the case has none that differ in recompute alone"
    content = page.get(reverse("design", args=[design.pk]), asked).content.decode()
    listed = re.findall(r'<option value="(t\d[^"]+)"[^>]*>([^<]+)<', content)
    assert len({key for key, _ in listed}) == len({label for _, label in listed}) == len(layouts)
    address = next(one for one in addresses(content, "/placement/") if "format=megatron" in one)
    first = page.get(address).content.decode()
    key = next(key for key, label in listed if "selective recompute" in label)
    other = page.get(address.replace(f"placed={listed[0][0]}", f"placed={key}")).content.decode()
    assert "--recompute-granularity selective" not in first
    assert "--recompute-granularity selective" in other


def test_a_layout_with_stages_is_placed_with_its_layers(owner: User, sent: list[str]) -> None:
    _, job = finished(owner, SPEC)
    estimate = result_of(job)
    assert estimate
    layouts = training_context(estimate, {"train_model": "llama3-405b"})["searched"].layouts
    staged = next(one for one in layouts if one.stages)
    assert request_of(placing_of({}, [staged], []))["parallel"]["layers"] == 126


def test_a_name_that_files_cannot_take_is_refused_on_the_page(page: Client, owner: User, sent: list[str]) -> None:
    design, _ = finished(owner, SPEC)
    asked = {"tab": "workloads", "train_model": "llama3-8b", "job_name": "rm -rf /"}
    content = page.get(reverse("design", args=[design.pk]), asked).content.decode()
    assert "may have small letters" in html.unescape(content)
    assert not addresses(content, "/placement/")


# --- Models of the reader's own ----------------------------------------------------------------------------------
def test_a_pasted_model_stays_in_the_address_and_is_counted(page: Client, owner: User, sent: list[str]) -> None:
    design, job = finished(owner, SPEC)
    typed = {"own_config": json.dumps(LLAMA), "own_use": "train", "batch": "1536", "serve_model": "qwen3-8b"}
    answer = page.post(reverse("own-model", args=[design.pk, job.pk]), typed)
    assert answer.status_code == 302
    content = page.get(answer["Location"].partition("#")[0]).content.decode()
    assert re.search(r'<option value="own-[^"]+" selected>llama, your own', content)
    assert "8.03B parameters" in content
    assert 'name="batch" value="1536"' in content
    estimate = result_of(job)
    assert estimate
    best = best_of(estimate, model=LLAMA, precision="bf16", parallel={"sequence": 8192, "global_batch": 1536})
    rows = re.findall(r'data-label="Step, s">([\d.,]+)<', content)
    assert rows == [numbers.computed(one["step_s"]) for one in best["layouts"]]
    table = next(one for one in addresses(content, "/workloads/") if "table=layouts" in one)
    assert page.get(table).content.decode().splitlines()[1].startswith("1,llama,bf16,")


def test_plain_fields_make_a_model_for_both(page: Client, owner: User, sent: list[str]) -> None:
    design, job = finished(owner, SPEC)
    sizes = {"layers": "32", "hidden": "4096", "heads": "32", "kv_heads": "8", "ffn": "14336", "vocab": "128256"}
    typed = {f"own_{key}": value for key, value in sizes.items()} | {"own_name": "ours"}
    answer = page.post(reverse("own-model", args=[design.pk, job.pk]), typed, headers={"HX-Request": "true"})
    content = page.get(answer["HX-Redirect"].partition("#")[0]).content.decode()
    assert len(re.findall(r'<option value="own-[^"]+" selected>ours, your own', content)) == 2
    assert content.count("8.03B parameters") == 2


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"own_layers": "-3"}, "is no whole number"),
        ({"own_config": '{"model_type": "llama", "hidden_size": NaN}'}, "NaN is not a JSON number"),
        ({"own_config": '{"model_type": "llama"}', "own_layers": "3"}, "Clear one of the two"),
        ({"own_hidden": "4096"}, "layers"),
        ({}, "layers"),
    ],
)
def test_a_model_that_is_none_is_refused_beside_its_field(
    page: Client, owner: User, sent: list[str], typed: dict[str, str], words: str
) -> None:
    design, job = finished(owner, SPEC)
    address = reverse("own-model", args=[design.pk, job.pk])
    content = html.unescape(page.post(address, typed, headers={"HX-Request": "true"}).content.decode())
    assert words in " ".join(re.findall(r'role="alert">(.*?)</p>', content))
    assert "open" in content.partition(">")[0]
    assert page.post(address, typed).status_code == 302


def test_a_model_that_was_cut_off_is_refused_on_the_page(page: Client, owner: User, sent: list[str]) -> None:
    design, _ = finished(owner, SPEC)
    assert "part of it is missing" in words_of(page, design, train_model="own-abc")


def test_no_picture_is_drawn_of_what_stays_in_one_gpu(page: Client, owner: User, sent: list[str]) -> None:
    """A model that one GPU serves sends nothing: a picture of it had axes and no bar."""
    design, _ = finished(owner, RACKS)
    query = {"tab": "workloads", "serve_model": "llama3-8b"}
    text = page.get(reverse("design", args=[design.pk]), query).content.decode()
    assert "one GPU" in text
    assert 'id="chart-step-links"' in text
    assert "decode-links" not in text
