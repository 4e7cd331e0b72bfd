"""The performance tab and the validation page: what they draw, beside what, and that they work without scripts."""

import copy
import html
import json
import re
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.charts.scaling import curves_of, designs_chart, efficiency_chart, run_chart, size_chart
from designer.models import Design
from designer.pages.reading.validation import source_address
from designer.pages.result.performance import MOST_BESIDE, measured_beside
from designer.services.designs.saving import save_design
from designer.wording.headlines import limit_name
from designer.wording.names import COLLECTIVES
from designer.wording.numbers import off_by
from estimator.calibration.held_out import coverage
from estimator.calibration.measured import measured_runs, read_table, sources
from estimator.calibration.validation.report import report
from estimator.catalog.loader import load_catalog
from estimator.performance import collectives
from estimator.performance.agreement import kept
from estimator.performance.result import BuiltSystem, Curves, Performance
from estimator.performance.times import design_performance
from estimator.spec.parse import parse_spec
from tests.designer.charts.test_charts import rendered
from tests.designer.finished_design import finished

SPEC: dict[str, Any] = {
    "name": "Many nodes",
    "compute": {"server": "dgx-h100", "nodes": 96},
    "fabric": {"generation": "ndr", "oversubscription": "2:1"},
}
SYSTEM: dict[str, Any] = {
    "gpu": "h100-sxm",
    "nic_gbit_s": 400.0,
    "nics_per_node": 8,
    "fabric": "infiniband",
    "scale_up_domain_gpus": 8,
    "in_network_reduction": False,
}
EVIL = "datum.x ? alert(1) : 0"


@pytest.fixture(scope="module")
def performance() -> Performance:
    return design_performance([SYSTEM], [1024], load_catalog())[0].but(system=BuiltSystem.from_json(SYSTEM))


def table(performance: Performance, collective: str) -> Curves:
    found = curves_of(performance, collective)
    assert found is not None
    return found


def test_every_collective_has_a_name_and_charts(performance: Performance) -> None:
    assert tuple(COLLECTIVES) == collectives.COLLECTIVES
    assert performance.efficiency
    charts = [
        chart
        for name in COLLECTIVES
        for found in [table(performance, name)]
        for chart in (
            size_chart(found, name, "busbw", {}),
            size_chart(found, name, "time", {}),
            efficiency_chart(performance.efficiency, name, 3),
        )
    ]
    for chart, drawn in zip(charts, rendered([chart.spec for chart in charts]), strict=True):
        assert drawn["lines"] == len(chart.legend)


def test_tables_say_words_for_every_point(performance: Performance) -> None:
    for name in COLLECTIVES:
        found = table(performance, name)
        shape = (len(found.gpus), len(found.message_bytes))
        for key in ("limited_by", "algorithm", "protocol"):
            rows = getattr(found, key)
            assert (len(rows), len(rows[0])) == shape
            assert all(isinstance(word, str) for row in rows for word in row)
        chart = size_chart(found, name, "busbw", {})
        last = chart.table.rows[-1]["cells"][-1]
        assert limit_name(found.limited_by[-1][-1]) in last["note"]


def test_measured_runs_lie_on_the_chart_of_the_same_machine_only(performance: Performance) -> None:
    system = performance.system
    assert system
    dots = measured_beside(system, "all_reduce", [8, 16, 32, 64, 128])
    assert set(dots) >= {8, 16}
    for n, runs in dots.items():
        for run in runs:
            assert (run.gpus, run.system["gpu"], run.collective) == (n, "h100-sxm", "all_reduce")
            assert (run.health, run.algorithm) == ("healthy", None)
    slow = BuiltSystem.from_json(SYSTEM | {"nic_gbit_s": 200.0})
    assert 16 not in measured_beside(slow, "all_reduce", [8, 16])
    assert 8 in measured_beside(slow, "all_reduce", [8, 16]), "no NIC has part in one domain"
    assert not measured_beside(BuiltSystem.from_json(SYSTEM | {"gpu": "gb300"}), "broadcast", [8])


def test_a_measured_point_is_drawn_where_it_was_measured(performance: Performance) -> None:
    """busbw of all-reduce on n GPUs is 2(n − 1)/n × size ÷ time, as the log prints it."""
    assert performance.system
    dots = measured_beside(performance.system, "all_reduce", [8, 16])
    chart = size_chart(table(performance, "all_reduce"), "all_reduce", "busbw", dots)
    (layer,) = [layer for layer in chart.spec["layer"] if layer["mark"].get("shape") == "diamond"]
    run = dots[16][0]
    values = {row["message_bytes"]: row for row in layer["data"]["values"] if row["run"] == run.name}
    size, time_us = run.message_bytes[-1], run.time_us[-1]
    assert values[size]["value"] == pytest.approx(2 * 15 / 16 * size / time_us / 1e3, rel=1e-6)
    shown = [item.label for item in chart.legend]
    assert shown[int(values[size]["series"][1:])] == "16 GPUs"
    assert sources()[run.source].title in chart.note
    assert rendered([chart.spec])[0]["length"] > 1000


def test_an_axis_of_time_holds_what_was_measured_outside_the_bands(performance: Performance) -> None:
    """Two A100 nodes took less than any band: their points lay below the axis, over its labels."""
    found = table(performance, "all_reduce")
    assert performance.system
    (run, *_) = measured_beside(performance.system, "all_reduce", [8])[8]
    fast = replace(run, time_us=tuple(one / 1e4 for one in run.time_us))
    chart = size_chart(found, "all_reduce", "time", {8: [fast]})
    (low, _), *_ = [
        layer["encoding"]["y"]["scale"]["domain"] for layer in chart.spec["layer"] if "y" in layer.get("encoding", {})
    ]
    assert low <= min(fast.time_us)


def test_names_of_designs_are_data_and_html_and_no_part_of_a_spec(performance: Performance) -> None:
    found = table(performance, "alltoall")
    chart = designs_chart([(EVIL, found), ("Other", found)], "alltoall")
    bare = copy.deepcopy(chart.spec)
    bare.pop("data")
    for layer in bare["layer"]:
        layer.pop("data", None)
    assert EVIL not in json.dumps(bare)
    assert chart.legend[0].label.startswith(EVIL)
    assert rendered([chart.spec])[0]["lines"] == 2


def test_a_run_is_drawn_beside_its_prediction() -> None:
    run = next(run for run in measured_runs() if len(run.message_bytes) > 3)
    bounds = [(time, time / 2, time * 2) for time in run.time_us]
    chart = run_chart(run, run.message_bytes, bounds, 1.5)
    assert [item.label for item in chart.legend] == ["Predicted, with band", "Measured"]
    first = chart.spec["data"]["values"][0]
    assert first["low"] == pytest.approx(first["value"] / 2)
    assert first["high"] == pytest.approx(first["value"] * 2)
    assert rendered([chart.spec])[0]["length"] > 1000


# --- Pages -------------------------------------------------------------------------------------------------------
def text_of(response: Any) -> str:
    assert response.status_code == 200
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", response.content.decode())))


def tab(page: Client, design: Design, **query: Any) -> Any:
    return page.get(reverse("design", args=[design.pk]), {"tab": "performance", **query})


@pytest.mark.django_db
def test_the_tab_shows_the_collective_that_is_asked_for(page: Client, owner: User, sent: list[str]) -> None:
    design, _ = finished(owner, SPEC)
    words = text_of(tab(page, design))
    assert "All-reduce by GPU count" in words
    assert re.search(r"reaches [\d.]+ GB/s with ranks in node order and [\d.]+ GB/s with ranks scattered", words)
    words = text_of(tab(page, design, collective="alltoall", size=str(2**24)))
    assert "All-to-all by GPU count" in words
    assert "leaf oversubscription" in words
    assert "efficiency by GPU count at 16 MiB" in words
    assert "All-reduce by GPU count" in text_of(tab(page, design, collective="nonsense", size="x"))


@pytest.mark.django_db
def test_the_overview_leads_to_it_and_every_page_to_the_validation(page: Client, owner: User, sent: list[str]) -> None:
    design, _ = finished(owner, SPEC)
    address = reverse("design", args=[design.pk])
    overview = page.get(address).content.decode()
    assert re.search(rf'href="{address}\?tab=performance#result"[^>]*>All collectives<', overview)
    assert overview.count(f'href="{reverse("validation")}"') == 4, (
        "in the navigation, its menu, the footer and by the bands"
    )


@pytest.mark.django_db
def test_constants_of_all_collectives_stand_among_the_assumptions(page: Client, owner: User, sent: list[str]) -> None:
    design, job = finished(owner, SPEC)
    performance = job.result["performance"]
    words = page.get(f"/designs/{design.pk}/?tab=overview").content.decode()
    assert f"Performance: {len(performance['all_reduce']['constants'])} constants of the model" in words
    more = performance["more_constants"]
    assert more
    assert f"Other collectives: {len(more)} constants beside those" in words


def test_other_designs_stand_beside_it_and_nobody_else_s(page: Client, owner: User, sent: list[str]) -> None:
    design, _ = finished(owner, SPEC)
    other, _ = finished(owner, SPEC | {"name": EVIL, "fabric": {"generation": "ndr"}})
    stranger, _ = finished(User.objects.create_user("stranger"), SPEC | {"name": "Stranger’s"})
    words = text_of(tab(page, design, **{"with": [str(other.pk), str(stranger.pk), "nonsense", ""]}))
    assert "All-reduce: designs side by side" in words
    assert f"{EVIL}, 768 GPUs" in words
    assert "Stranger’s" not in words
    assert tab(page, design).content.decode().count('name="with"') == 1, "the next follows the one that is chosen"
    assert tab(page, design, **{"with": [str(other.pk)]}).content.decode().count('name="with"') == 2 <= MOST_BESIDE
    saved = save_design(
        owner, parse_spec(SPEC | {"name": "New", "compute": {"server": "dgx-h100", "nodes": 3}}, load_catalog())
    )
    assert "No present estimate with a prediction: New" in text_of(tab(page, design, **{"with": [str(saved.pk)]}))


@pytest.mark.django_db
def test_steps_are_worked_out_when_asked_for(page: Client, owner: User, sent: list[str]) -> None:
    design, job = finished(owner, SPEC)
    assert "Each change of the design" not in text_of(tab(page, design))
    words = text_of(tab(page, design, steps="1"))
    assert "Each change of the design" in words
    assert "InfiniBand XDR" in words
    fragment = page.get(reverse("estimate-tab", args=[design.pk, job.pk]), {"tab": "performance", "steps": "1"})
    assert "This design" in text_of(fragment)


@pytest.mark.django_db
def test_one_gpu_and_no_gpu_say_why_nothing_is_shown(page: Client, owner: User, sent: list[str]) -> None:
    values = {"name": "Unknown", "compute": {"nodes": 16, "gpus_per_node": 8}, "fabric": {"generation": "ndr"}}
    design, _ = finished(owner, values)
    shown = tab(page, design)
    assert "Name the GPU, so that collectives can be predicted" in text_of(shown)
    assert '<a href="#id_compute__gpu" data-field-link>Choose the GPU</a>' in shown.content.decode()
    alone = {
        "name": "Alone",
        "compute": {"gpu": "h100-sxm", "nodes": 1, "gpus_per_node": 1},
        "fabric": {"generation": "ndr"},
    }
    design, _ = finished(owner, alone)
    assert "One GPU has nothing to exchange." in text_of(tab(page, design))


@pytest.mark.django_db
def test_the_tab_asks_the_database_for_no_more_with_more_designs(
    page: Client, owner: User, sent: list[str], django_assert_max_num_queries: Any
) -> None:
    design, _ = finished(owner, SPEC)
    for k in range(5):
        save_design(owner, parse_spec(SPEC | {"name": f"D{k}"}, load_catalog()))
    with django_assert_max_num_queries(16):
        tab(page, design)


@pytest.mark.django_db
def test_the_validation_page_states_errors_worst_runs_limits_and_sources(page: Client) -> None:
    made = report(load_catalog())
    response = page.get(reverse("validation"))
    words = text_of(response)
    for row in made.worst:
        assert row.run in words
    assert "Where not to trust it" in words
    for cell in made.overall.cells:  # in-sample and held-out beside each other
        for error in (cell.median, cell.held_median, cell.nine_in_ten, cell.held_nine_in_ten):
            assert off_by(error).replace("\xa0", " ") in words
    for found in made.strangers:  # what a stranger will find opens the page, with its spread
        for one in (found.median, found.nine_in_ten):
            low, typical, high = (off_by(end).replace("\xa0", " ") for end in one)
            assert f"{typical} {low} to {high}" in words
    assert f"held {made.held_inside:.1%} of".replace("%", " %") in words
    assert f"on {len({one.case for one in kept()})} fabrics of up to 100,000 GPUs" in words
    assert response.content.decode().count("<table data-sortable>") == 14
    assert response.content.decode().count("<li>") >= len(read_table("sources.csv"))
    assert 'href="https://github.com/coreweave/nccl-tests"' in response.content.decode()


def test_errors_are_said_as_shares_and_as_factors() -> None:
    assert [off_by(one) for one in (0.0237, -0.0237, 0.5, 1.25, None)] == [
        "2.4\xa0%",
        "2.4\xa0%",
        "65\xa0%",
        "×\xa03.5",
        "–",
    ]


@pytest.mark.django_db
def test_a_design_says_how_often_such_bands_held_and_on_how_many_sites(
    page: Client, owner: User, sent: list[str]
) -> None:
    design, _ = finished(owner, SPEC)
    large = next(one for one in coverage() if one[:3] == ("all_reduce", "several", "large"))
    words = text_of(tab(page, design))
    held = f"held {large.inside:.0%} of {large.points} points, {large.sites} sites".replace("%", " %")
    assert f"over several domains: ≥ 64 MiB {held}" in words
    assert f"band: {held}" in words
    overview = text_of(page.get(reverse("design", args=[design.pk])))
    assert f"such bands at other sites: {held}" in overview


@pytest.mark.django_db
def test_any_run_can_be_chosen_and_nonsense_shows_the_first(page: Client) -> None:
    run = measured_runs()[-1]
    chosen = text_of(page.get(reverse("validation"), {"run": f"{run.name}.{run.collective}"}))
    assert f"{run.name}: {COLLECTIVES[run.collective].lower()} on {run.gpus:,} GPUs" in chosen
    assert text_of(page.get(reverse("validation"), {"run": "nonsense"})) == text_of(page.get(reverse("validation")))


@pytest.mark.django_db
def test_the_validation_page_asks_for_a_sign_in_and_is_linked() -> None:
    response = Client().get(reverse("validation"))
    assert response.status_code == 302


def test_sources_link_to_what_is_public() -> None:
    assert source_address("NVIDIA/nccl#1357") == "https://github.com/NVIDIA/nccl/issues/1357"
    assert source_address("arXiv:2408.14158") == "https://arxiv.org/abs/2408.14158"
    assert source_address("a/b.c:docs/x.md and y.md") == "https://github.com/a/b.c"
    assert source_address("GitHub-hosted experiment summary (Plan A)") == ""
    assert source_address("NVIDIA/deepops fork, 2019 docs") == ""
