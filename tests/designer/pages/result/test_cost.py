"""The cost tab: its figures are the Estimate's, its charts add up, and what its sliders move is worked out and stored nowhere."""

import html
import json
import re
import subprocess
import sys
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.charts.cost import (
    KINDS,
    book_value_chart,
    cash_flow_chart,
    kinds_chart,
    purchase_chart,
    rent_chart,
    sums_by_kind,
    years_charts,
)
from designer.charts.cost_risk import MARKED, histogram_chart, tornado_chart, tornado_rows
from designer.charts.vega import Chart
from designer.models import Design, DesignRevision
from designer.pages.result.cost.sliders import SLIDERS, change_of, moved_rows, slider_rows, values_of
from designer.pages.result.cost.tab import assumption_rows
from designer.services.designs.what_if import FIGURES, differences
from designer.wording.numbers import change_usd, range_in_unit, usd, usd_small, usd_small_range
from estimator.catalog.loader import load_catalog
from estimator.cost.result import Cost
from estimator.jobs.models import EstimateJob
from estimator.pipeline import estimate
from estimator.ranges import Range
from estimator.spec.parse import parse_spec
from tests.designer.api_helpers import Caller, assert_refused, caller
from tests.designer.cost_fixture import GPUS, cost_fixture, made_cost
from tests.designer.finished_design import finished

DESIGN: dict[str, Any] = {
    "name": "Four units",
    "compute": {"server": "dgx-h100", "nodes": 128},
    "fabric": {"generation": "ndr"},
}
RENDER = """
import json, sys, vl_convert
for spec in json.load(sys.stdin):
    svg = vl_convert.vegalite_to_svg({**spec, "width": 640}, vl_version="6.4")
    print(json.dumps({"bars": svg.count('aria-roledescription="bar"'), "lines": svg.count('aria-roledescription="line mark"')}))
"""

pytestmark = pytest.mark.django_db


def costed(owner: User, **changes: Any) -> tuple[Design, EstimateJob]:
    """A finished design whose cost is the fixture's."""
    design, job = finished(owner, DESIGN)
    EstimateJob.objects.filter(pk=job.pk).update(result={**(job.result or {}), "cost": cost_fixture(**changes)})
    job.refresh_from_db()
    return design, job


def words_of(response: Any) -> str:
    text = re.sub(r"<script.*?</script>|<[^>]+>", " ", response.content.decode(), flags=re.DOTALL)
    return re.sub(r"[ \t\n]+", " ", html.unescape(text))


def tab(client: Client, design: Design, **query: str) -> Any:
    return client.get(reverse("design", args=[design.pk]), {"tab": "cost", **query})


# --- Figures -----------------------------------------------------------------------------------------------------
def test_every_head_figure_is_the_estimates_as_the_filters_print_it(page: Client, owner: User) -> None:
    design, job = costed(owner)
    response, cost = tab(page, design), Cost.from_json(job.result["cost"])
    assert response.status_code == 200
    shown = words_of(response)
    for amount in (
        cost.capex_usd.total,
        cost.outlay_usd,
        cost.opex_usd_per_year["total"],
        cost.tco_usd,
        cost.usd_per_gpu,
        cost.usd_per_gpu_hour,
        cost.usd_per_gbit_s_bisection,
        cost.usd_per_gb_s_busbw,
    ):
        assert f"{usd_small(amount.typical)} {usd_small_range(amount)}" in shown
    assert "Total cost over 4 years" in shown
    assert "Purchase price ÷ 1,024 GPUs" in shown
    assert "1,024 GPUs × 8,760 h × 4 years × 80 % of the hours in use" in shown.replace("80\xa0%", "80 %")


def test_a_figure_that_is_missing_says_how_to_get_it(page: Client, owner: User) -> None:
    design, _ = costed(owner)
    text = tab(page, design).content.decode()
    assert '<a href="#id_economics__tokens_per_s_per_gpu" data-field-link>' in text
    assert '<a href="#id_economics__cloud_usd_per_gpu_hour" data-field-link>' in text


def test_rent_or_buy_states_the_break_even_price_always_and_the_rest_with_a_cloud_price(
    page: Client, owner: User
) -> None:
    design, _ = costed(owner)
    assert "Break-even rent of a GPU-hour $2.33" in words_of(tab(page, design))
    rent = {
        "cloud_usd_per_gpu_hour": 2.9,
        "break_even_usd_per_gpu_hour": {"low": 1.9, "typical": 2.33, "high": 2.8},
        "break_even_months": {"low": 20.0, "typical": 31.2, "high": 44.0},
        "rented_usd": {"low": 7.0e7, "typical": 8.32e7, "high": 9.0e7},
        "saved_usd": {"low": 1.0e6, "typical": 1.93e7, "high": 3.0e7},
    }
    EstimateJob.objects.all().delete()
    design, _ = costed(owner, rent=rent)
    chart = rent_chart(made_cost(rent=rent), GPUS)
    own, rented = (
        [row["value"] for row in chart.spec["data"]["values"] if row["series"] == key] for key in ("s0", "s1")
    )
    assert own[0] > rented[0] == 0
    assert rented[1] == pytest.approx(2.9 * 1_024 * 8_760 * 0.8)
    shown = words_of(tab(page, design))
    assert "Months until owning costs less 31.2 20.0 to 44.0, at $2.90 a GPU-hour" in shown
    assert "Saved by owning $19.3\xa0M" in shown
    assert "Renting the same hours: $83.2\xa0M ($70.0\xa0M to $90.0\xa0M)" in shown


def test_a_whole_estimate_shows_all_of_it(page: Client, owner: User) -> None:
    economics = {"cloud_usd_per_gpu_hour": 3.5, "tokens_per_s_per_gpu": 900, "facility": "own-building", "staff": True}
    values = DESIGN | {"economics": economics, "other_fabrics": [{"role": "storage", "generation": "roce-200"}]}
    design, job = finished(owner, values)
    response = tab(page, design)
    assert response.status_code == 200
    shown, cost = words_of(response), Cost.from_json(job.result["cost"])
    for found in (
        cost.usd_per_million_tokens,
        cost.rent.break_even_usd_per_gpu_hour,
        cost.rent.rented_usd,
        cost.tco_usd,
        cost.outlay_usd,
    ):
        assert usd_small(found.typical) in shown
    assert f"{usd_small(cost.rent.rented_usd.low)} to" in shown
    assert "Storage network" in shown
    assert "Staff" in shown
    assert "Rent of space" not in words_of(response).split("What if", 2)[-1].split("Over the years")[0], (
        "nothing is rented"
    )
    sums = sums_by_kind(cost, is_discounted=True)
    assert sum(sums.values()) == pytest.approx(cost.tco_usd.typical, abs=0.1)
    assert len(cost.uncertainty.tornado) == 10
    for row in cost.uncertainty.tornado:
        assert row.label in html.unescape(response.content.decode())


def test_an_estimate_made_before_cash_flows_still_opens(page: Client, owner: User) -> None:
    design, job = finished(owner, DESIGN)
    old = {
        "capex_usd",
        "one_off_usd",
        "opex_usd_per_year",
        "energy_kwh_per_year",
        "tco_usd",
        "tco_years",
        "usd_per_gpu",
        "network_usd_per_gpu",
        "network_share",
        "usd_per_gpu_hour",
        "price_book",
        "at_least",
        "assumptions",
    }
    result = job.result or {}
    cost = {key: value for key, value in result["cost"].items() if key in old}
    EstimateJob.objects.filter(pk=job.pk).update(result={**result, "cost": cost})
    response = tab(page, design)
    assert response.status_code == 200
    assert "Made by an earlier model" in words_of(response)
    assert "A new one follows by itself" in words_of(response)
    assert page.post(reverse("cost-what-if", args=[design.pk, job.pk]), {"years": "5"}).status_code == 404
    overview = page.get(reverse("design", args=[design.pk]))
    assert overview.status_code == 200


def test_what_is_at_least_says_so(page: Client, owner: User) -> None:
    design, _ = costed(owner, at_least=True)
    assert "≥ $45.5\xa0M" in words_of(tab(page, design))


# --- Charts ------------------------------------------------------------------------------------------------------
def all_charts(cost: Cost) -> list[Chart]:
    made = [
        purchase_chart(cost),
        kinds_chart(cost),
        cash_flow_chart(cost),
        rent_chart(cost, GPUS),
        *years_charts(cost),
        book_value_chart(cost),
        histogram_chart(cost.uncertainty, "tco_usd") if cost.uncertainty else None,
        tornado_chart(cost),
    ]
    assert all(made)
    return [chart for chart in made if chart]


def test_every_chart_renders_and_has_a_table_of_its_columns() -> None:
    charts = all_charts(made_cost())
    child = subprocess.run(
        [sys.executable, "-c", RENDER],
        input=json.dumps([chart.spec for chart in charts]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    drawn = dict(zip([chart.key for chart in charts], map(json.loads, child.stdout.splitlines()), strict=True))
    assert drawn["purchase"]["bars"] == 6
    assert drawn["kinds"]["bars"] == 2 * 10
    assert drawn["rent-or-buy"]["lines"] == 2
    assert drawn["tornado"]["bars"] == 2 * 8
    assert drawn["draws-tco-usd"]["bars"] == 10
    assert drawn["book-value"]["bars"] == 8
    for chart in charts:
        assert {len(row["cells"]) + 1 for row in chart.table.rows} == {len(chart.table.columns)}, chart.key


def test_kinds_add_up_to_the_total_to_the_cent() -> None:
    cost = made_cost()
    assert sum(sums_by_kind(cost, is_discounted=True).values()) == pytest.approx(cost.tco_usd.typical, abs=0.02)
    assert sum(sums_by_kind(cost, is_discounted=False).values()) == pytest.approx(cost.tco_undiscounted_usd.typical)
    bars = kinds_chart(cost).spec["data"]["values"]
    paid = sum(bar["usd"] for bar in bars if bar["bar"] == "As paid")
    assert paid == pytest.approx(cost.tco_undiscounted_usd.typical)


def test_a_kind_has_one_colour_and_none_that_costs_nothing_is_drawn() -> None:
    cost = made_cost()
    numbers = {}
    for chart in (kinds_chart(cost), cash_flow_chart(cost)):
        assert "Staff" not in [item.label for item in chart.legend]
        numbers[chart.key] = {item.label: item.number for item in chart.legend}
        assert chart.spec["encoding"]["color"]["scale"]["range"] == [
            f"var(--chart-{item.number})" for item in chart.legend
        ]
    assert all(numbers["cash-flow"][label] == number for label, number in numbers["kinds"].items())
    assert set(numbers["kinds"]) <= set(KINDS.values())


def test_the_cash_flow_has_both_moneys_and_a_switch_between_them() -> None:
    cost = made_cost()
    chart = cash_flow_chart(cost)
    assert [(switch.key, switch.label) for switch in chart.switches] == [("discounted", "Discounted")]
    assert {"name": "discounted", "value": False} in chart.spec["params"]
    for is_discounted, total in ((False, cost.tco_undiscounted_usd), (True, cost.tco_usd)):
        bars = [bar["usd"] for bar in chart.spec["data"]["values"] if bar["is_discounted"] is is_discounted]
        assert sum(bars) == pytest.approx(total.typical, abs=0.02)
        line = [row for row in chart.spec["layer"][1]["data"]["values"] if row["is_discounted"] is is_discounted]
        assert line[-1]["usd"] == pytest.approx(total.typical, abs=0.02)


def test_the_tornado_is_widest_first_with_ranges_and_what_is_assumed() -> None:
    rows = tornado_rows(made_cost())
    assert [row.width_usd for row in rows] == sorted((row.width_usd for row in rows), reverse=True)
    assert rows[0].range == "$0.05 to $0.15 per kWh"
    assert [row.is_assumption for row in rows[:4]] == [False, False, True, True]
    assert (
        range_in_unit(0.03, 0.1, "fraction of price a year").replace("\xa0", " ") == "3 % to 10 % of the price a year"
    )
    assert range_in_unit(38.4e6, 51.2e6, "USD").replace("\xa0", " ") == "$38.4 M to $51.2 M"
    assert range_in_unit(1.1, 1.54, "ratio") == "1.1 to 1.54"


def test_names_of_parts_are_data_and_never_part_of_an_expression() -> None:
    values, evil = cost_fixture(), "'});alert(1)//"
    values["uncertainty"]["tornado"][0]["label"] = evil
    spec = tornado_chart(Cost.from_json(values)).spec
    rows = [row for layer in spec["layer"] for row in layer["data"]["values"]]
    assert any(evil in str(row.get("label")) for row in rows)
    for layer in spec["layer"]:
        layer["data"] = {}
    spec["data"] = {}
    assert evil not in json.dumps({**spec, "description": ""})


def test_percentiles_stand_on_the_histogram() -> None:
    uncertainty = made_cost().uncertainty
    assert uncertainty
    chart = histogram_chart(uncertainty, "tco_usd")
    marks = [row for layer in chart.spec["layer"][1:2] for row in layer["data"]["values"]]
    assert {row["name"]: row["usd"] for row in marks} == {
        key: getattr(uncertainty.figures["tco_usd"], key) for key in MARKED
    }
    assert sum(row["n"] for row in chart.spec["data"]["values"]) == uncertainty.draws
    assert histogram_chart(uncertainty, "usd_per_gpu_hour") is None


def test_percentiles_are_listed_for_each_figure(page: Client, owner: User) -> None:
    design, job = costed(owner)
    shown, figures = words_of(tab(page, design)), job.result["cost"]["uncertainty"]["figures"]
    for key, name in (("capex_usd", "Purchase price"), ("tco_usd", "Total cost"), ("usd_per_gpu_hour", "Per GPU-hour")):
        reported = [usd_small(figures[key][at]) for at in ("p5", "p10", "p25", "p50", "p75", "p90", "p95", "mean")]
        assert f"{name} {' '.join(reported)}" in shown
    assert "10,000 draws over the ranges of prices and assumptions, with seed 1" in shown


# --- Assumptions -------------------------------------------------------------------------------------------------
def test_assumptions_are_sorted_by_what_they_move_and_by_what_is_asked() -> None:
    cost = made_cost()
    by_effect = assumption_rows(cost, None)
    assert by_effect["heads"]["effect"]["aria"] == "descending"
    assert by_effect["rows"][0].item.name == "electricity-kwh"
    labels = [row.item.label for row in assumption_rows(cost, "label")["rows"]]
    assert labels == sorted(labels, key=str.casefold)
    assert [row.item.label for row in assumption_rows(cost, "-label")["rows"]] == labels[::-1]
    assert assumption_rows(cost, "nonsense")["rows"] == by_effect["rows"]
    assert assumption_rows(cost.but(uncertainty=None), None)["heads"]["label"]["aria"] == "ascending"


# --- Sliders -----------------------------------------------------------------------------------------------------
def test_sliders_stand_at_the_estimates_figures_and_only_those_that_count_are_there() -> None:
    cost = made_cost()
    rows = {row["name"]: row for row in slider_rows(cost, {})}
    assert set(rows) == set(values_of(cost))
    assert "support_other" not in rows
    assert rows["utilization"]["typed"] == "80"
    assert rows["utilization"]["unit"] == "%"
    assert rows["cloud_usd_per_gpu_hour"]["typed"] == ""
    assert rows["cloud_usd_per_gpu_hour"]["at"] == "2.33"
    assert float(slider_rows(made_cost(tco_years=12), {})[0]["high"]) == 12


@pytest.mark.parametrize(
    ("answers", "change"),
    [
        ({}, {}),
        ({"years": "4", "utilization": "80", "pue": "1.3", "cloud_usd_per_gpu_hour": ""}, {}),
        ({"years": "5", "utilization": "72.5"}, {"economics.years": 5, "economics.utilization": 0.725}),
        ({"pue": ""}, {}),
        ({"electricity_usd_per_kwh": ""}, {"economics.electricity_usd_per_kwh": None}),
        ({"pue": "warm"}, {"economics.pue": "warm"}),
        ({"years": "4.5"}, {"economics.years": "4.5"}),
        ({"support_other": "3", "bogus": "1"}, {}),
    ],
)
def test_only_what_differs_is_a_change(answers: dict[str, str], change: dict[str, Any]) -> None:
    spec = {"economics": {"electricity_usd_per_kwh": 0.085}}
    assert change_of(answers, made_cost(), spec) == change


def test_what_was_moved_is_reported_with_its_unit() -> None:
    change = {"economics.electricity_usd_per_kwh": 0.2, "economics.utilization": None, "economics.years": 5}
    reported = {row["name"]: (row["before"], row["after"]) for row in moved_rows(made_cost(), change)}
    assert reported["electricity_usd_per_kwh"] == ("$0.085 per kWh", "$0.2 per kWh")
    assert reported["utilization"] == ("80\xa0%", "automatic")
    assert reported["years"] == ("4 years", "5 years")


def test_every_slider_is_a_key_of_the_request() -> None:
    catalog = load_catalog()
    for slider in SLIDERS:
        for end in (slider.low, slider.high):
            parse_spec(DESIGN | {"economics": {slider.name: slider.parse(f"{end:g}")}}, catalog)


def cost_with(**economics: Any) -> dict[str, Any]:
    catalog = load_catalog()
    (made,) = estimate([parse_spec(DESIGN | {"economics": economics}, catalog)], catalog, parts=("cost",))
    return dict(made.as_json()["cost"])


def test_a_moved_figure_is_worked_out_at_once_and_stored_nowhere(page: Client, owner: User) -> None:
    design, job = costed(owner)
    before = (EstimateJob.objects.count(), DesignRevision.objects.count())
    response = page.post(
        reverse("cost-what-if", args=[design.pk, job.pk]), {"years": "5", "electricity_usd_per_kwh": "0.2"}
    )
    assert response.status_code == 200
    shown, cost = words_of(response), cost_with(years=5, electricity_usd_per_kwh=0.2)
    assert f"Total cost over 5 years: {usd(cost['tco_usd']['typical'])}" in shown
    change = cost["tco_usd"]["typical"] - job.result["cost"]["tco_usd"]["typical"]
    assert f"{usd_small_range(cost['tco_usd'])} {change_usd(change)}" in shown
    assert "Electricity $0.085 per kWh $0.2 per kWh" in shown
    assert '<input type="hidden" name="electricity_usd_per_kwh" value="0.2">' in response.content.decode()
    assert (EstimateJob.objects.count(), DesignRevision.objects.count()) == before


def test_without_scripts_the_form_shows_the_same(page: Client, owner: User) -> None:
    design, _ = costed(owner)
    response = tab(page, design, years="5", electricity_usd_per_kwh="0.2")
    cost = cost_with(years=5, electricity_usd_per_kwh=0.2)
    assert f"Total cost over 5 years: {usd(cost['tco_usd']['typical'])}" in words_of(response)
    assert 'name="electricity_usd_per_kwh" value="0.2"' in response.content.decode()


def test_what_cannot_be_is_reported_beside_the_sliders(page: Client, owner: User) -> None:
    design, job = costed(owner)
    for answers, name in (
        ({"pue": "warm"}, "PUE: "),
        ({"utilization": "140"}, "Utilization: "),
        ({"years": "99"}, "Years: "),
    ):
        response = page.post(reverse("cost-what-if", args=[design.pk, job.pk]), answers)
        assert response.status_code == 200
        assert name in words_of(response)
        assert "Apply to the design" not in words_of(response)


def test_moved_figures_are_applied_to_the_design(page: Client, owner: User) -> None:
    design, job = costed(owner)
    address = reverse("cost-apply", args=[design.pk, job.pk])
    response = page.post(address, {"utilization": "70", "pue": "1.3"})
    assert response.status_code == 302
    assert "tab=cost" in response["Location"]
    latest = Design.objects.get(pk=design.pk)
    assert latest.state_number == 2
    assert latest.given["economics"] == {"utilization": 0.7}, "what was not moved keeps its range"
    response = page.post(address, {"utilization": "60"}, follow=True)
    assert "The design has changed since this estimate" in words_of(response)
    assert Design.objects.get(pk=design.pk).state_number == 2


def test_strangers_and_old_versions_move_nothing(page: Client, owner: User) -> None:
    design, job = costed(owner)
    stranger = Client()
    stranger.force_login(User.objects.create_user("eve"))
    for name in ("cost-what-if", "cost-apply"):
        address = reverse(name, args=[design.pk, job.pk])
        assert stranger.post(address, {"years": "5"}).status_code == 404
        assert Client().post(address, {"years": "5"}).status_code == 302
        assert page.get(address).status_code == 405
    EstimateJob.objects.filter(pk=job.pk).update(model_version="0.1")
    assert "can no longer be asked" in words_of(
        page.get(reverse("estimate-tab", args=[design.pk, job.pk]), {"tab": "cost"})
    )


# --- REST --------------------------------------------------------------------------------------------------------
def test_rest_answers_the_changed_cost_and_by_how_much(owner: User, call: Caller) -> None:
    _, job = finished(owner, DESIGN)
    answer = call("POST", f"estimates/{job.pk}/cost/what-if/", {"years": 5, "pue": 1.2}).json()
    assert answer["spec_hash"] == job.spec_hash
    cost = cost_with(years=5, pue=1.2)
    same = set(cost) - {"usd_per_gb_s_busbw"}
    assert {key: answer["cost"][key] for key in same} == json.loads(json.dumps({key: cost[key] for key in same}))
    assert set(answer["change"]) == set(FIGURES)
    tco = answer["change"]["tco_usd"]
    assert tco["typical"] == pytest.approx(
        cost["tco_usd"]["typical"] - job.result["cost"]["tco_usd"]["typical"], abs=0.01
    )


def test_rest_with_nothing_changed_answers_the_estimates_cost(owner: User, call: Caller) -> None:
    _, job = finished(owner, DESIGN)
    answer = call("POST", f"estimates/{job.pk}/cost/what-if/", {}).json()
    assert {end for change in answer["change"].values() if change for end in change.values()} == {0}
    assert answer["cost"]["tco_usd"] == job.result["cost"]["tco_usd"]
    assert answer["cost"].get("usd_per_gb_s_busbw") == job.result["cost"].get("usd_per_gb_s_busbw")


def test_rest_refuses_what_cannot_be_and_who_may_not(owner: User, call: Caller) -> None:
    _, job = finished(owner, DESIGN)
    address = f"estimates/{job.pk}/cost/what-if/"
    assert_refused(call("POST", address, {"pue": 0.2}), 400, "invalid_spec", "economics.pue")
    assert_refused(call("POST", address, {"bogus": 1}), 400, "invalid_spec", "economics.bogus")
    assert_refused(call("POST", address, {"years.x": 1}), 400, "invalid_spec", "economics.years.x")
    assert_refused(call("POST", address, {"spares": {"switches": 2}}), 400, "invalid_spec", "economics.spares.switches")
    assert_refused(call("POST", address + "?x=1", {}), 400, "invalid_request")
    assert_refused(caller(User.objects.create_user("eve"))("POST", address, {}), 404, "not_found")
    assert caller(owner, "read")("POST", address, {"years": 2}).status_code == 200, "a token that may read may ask"
    EstimateJob.objects.filter(pk=job.pk).update(model_version="0.1")
    assert_refused(call("POST", address, {}), 409, "outdated_estimate")
    EstimateJob.objects.filter(pk=job.pk).update(state=EstimateJob.State.CANCELLED)
    assert_refused(call("POST", address, {}), 409, "no_result")


def test_differences_are_end_by_end_and_unknown_where_one_is() -> None:
    cost = made_cost()
    before = cost.but(tco_usd=Range(1.0, 2.0, 3.0), rent=cost.rent.but(saved_usd=None))
    after = cost.but(tco_usd=Range(1.5, 1.0, 3.0), rent=cost.rent.but(saved_usd=Range.at(1.0)))
    found = differences(before, after)
    assert found["tco_usd"] == Range(0.5, -1.0, 0.0)
    assert found["saved_usd"] is None
