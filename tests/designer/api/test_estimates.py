"""Estimates over REST: preview, queue, follow, stop, and fetch the bill of materials."""

import csv
import io
import json
from typing import Any

import openpyxl
import pytest
from django.conf import settings
from django.contrib.auth.models import User

from designer.services.designs import saving
from estimator.errors import InfeasibleDesign, Problem
from estimator.jobs.models import EstimateJob
from estimator.jobs.tasks import run_estimate
from tests.designer.api_helpers import SPEC, Caller, assert_refused, caller, fail, finish
from tests.designer.sample_estimate import NAME, sample_estimate

pytestmark = pytest.mark.django_db
NO_ID = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def queued(call: Caller) -> dict[str, Any]:
    return call("POST", "estimates/", SPEC).json()


@pytest.fixture
def finished(queued: dict[str, Any]) -> EstimateJob:
    return finish(queued["id"], sample_estimate())


def test_an_estimate_is_queued_and_says_where_to_look(call: Caller) -> None:
    response = call("POST", "estimates/", SPEC)
    assert response.status_code == 202
    job = response.json()
    assert response["Location"] == job["url"]
    assert job["url"].endswith(f"/api/v1/estimates/{job['id']}/")
    assert (job["state"], job["progress"], job["result"], job["error"]) == ("queued", 0.0, None, None)
    assert job["spec"]["fabric"]["layout"] == "rail-optimized"
    assert set(job["versions"]) == {"model", "catalog"}
    assert call("GET", f"estimates/{job['id']}/").json() == job


def test_the_same_request_is_the_same_job(call: Caller, queued: dict[str, Any]) -> None:
    again = call("POST", "estimates/", SPEC)
    assert (again.status_code, again.json()["id"]) == (202, queued["id"])
    finish(queued["id"], sample_estimate())
    done = call("POST", "estimates/", SPEC)
    assert (done.status_code, done.json()["id"], done.json()["state"]) == (200, queued["id"], "succeeded")
    assert done["Location"] == done.json()["url"]
    assert done.json()["result"] == sample_estimate()
    assert done.json()["progress"] == 1.0


def test_another_request_is_another_job(call: Caller, queued: dict[str, Any]) -> None:
    other = call("POST", "estimates/", SPEC | {"compute": {"server": "dgx-h100", "nodes": 31}}).json()
    assert other["id"] != queued["id"]


def test_a_saved_design_is_estimated_as_its_latest_revision_says(call: Caller, queued: dict[str, Any]) -> None:
    design = call("POST", "designs/", SPEC).json()
    response = call("POST", "estimates/", {"design": design["id"]})
    assert (response.status_code, response.json()["id"]) == (202, queued["id"])
    call("PATCH", f"designs/{design['id']}/", {"spec": SPEC | {"compute": {"server": "dgx-h100", "nodes": 31}}})
    assert call("POST", "estimates/", {"design": design["id"]}).json()["spec"]["compute"]["nodes"] == 31


def test_another_users_design_is_estimated_by_nobody_else(call: Caller) -> None:
    design = call("POST", "designs/", SPEC).json()
    stranger = caller(User.objects.create_user("grace"))
    assert_refused(stranger("POST", "estimates/", {"design": design["id"]}), 404, "not_found", "design")
    assert not EstimateJob.objects.exists()


def test_a_name_that_gives_way_must_be_right_too(call: Caller) -> None:
    body = {"name": "Bid", "spec": SPEC | {"name": 5}}
    problems = assert_refused(call("POST", "estimates/", body), 400, "invalid_spec", "name")
    assert [problem["code"] for problem in problems] == ["wrong_type"]


@pytest.mark.parametrize(
    ("body", "status", "code", "field"),
    [
        ({"design": "7"}, 400, "invalid_request", "design"),
        ({"design": None}, 400, "invalid_request", "design"),
        ({"design": NO_ID, "compute": {}}, 400, "invalid_request", "compute"),
        ({"design": NO_ID}, 404, "not_found", "design"),
    ],
)
def test_a_design_that_cannot_be_found_is_refused(call: Caller, body: Any, status: int, code: str, field: str) -> None:
    assert_refused(call("POST", "estimates/", body), status, code, field)
    assert not EstimateJob.objects.exists()


def test_a_failed_estimate_says_what_to_change(call: Caller, queued: dict[str, Any]) -> None:
    error = InfeasibleDesign([Problem("fabric.tiers", "two_tier_too_small", "Add a core tier.")])
    fail(queued["id"], error)
    job = call("GET", f"estimates/{queued['id']}/").json()
    assert (job["state"], job["error"]) == ("failed", error.as_json())
    assert_refused(call("GET", f"estimates/{queued['id']}/bom/"), 409, "no_result")
    assert call("POST", "estimates/", SPEC).json()["id"] != queued["id"]


def test_a_waiting_estimate_can_be_stopped_once(call: Caller, queued: dict[str, Any]) -> None:
    path = f"estimates/{queued['id']}/cancel/"
    stopped = call("POST", path)
    assert (stopped.status_code, stopped.json()["state"]) == (200, "cancelled")
    assert_refused(call("POST", path), 409, "already_ended")
    assert_refused(call("GET", f"estimates/{queued['id']}/bom/"), 409, "no_result")


def test_a_finished_estimate_cannot_be_stopped(call: Caller, finished: EstimateJob) -> None:
    assert_refused(call("POST", f"estimates/{finished.pk}/cancel/"), 409, "already_ended")
    assert call("GET", f"estimates/{finished.pk}/").json()["state"] == "succeeded"


def test_one_user_may_have_so_many_jobs(call: Caller, queued: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "ACTIVE_JOBS_PER_USER", 1)
    other = SPEC | {"compute": {"server": "dgx-h100", "nodes": 31}}
    assert_refused(call("POST", "estimates/", other), 409, "too_many_jobs")
    assert call("POST", "estimates/", SPEC).status_code == 202


def test_the_list_is_newest_first_and_leaves_results_out(call: Caller, finished: EstimateJob) -> None:
    newest = call("POST", "estimates/", SPEC | {"name": "Other"}).json()
    rows = call("GET", "estimates/").json()["results"]
    assert [row["id"] for row in rows] == [newest["id"], str(finished.pk)]
    assert "result" not in rows[0]
    assert "spec" not in rows[0]
    assert [row["name"] for row in rows] == ["Other", "Four units"]
    assert [row["id"] for row in call("GET", "estimates/?state=queued").json()["results"]] == [newest["id"]]
    by_hash = call("GET", f"estimates/?spec_hash={finished.spec_hash}").json()["results"]
    assert [row["id"] for row in by_hash] == [str(finished.pk)]
    assert_refused(call("GET", "estimates/?state=done"), 400, "invalid_request", "state")


@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("GET", "bom/?format=csv"), ("POST", "cancel/")])
def test_anothers_estimate_is_not_found(finished: EstimateJob, method: str, path: str) -> None:
    other = caller(User.objects.create_user("bob"))
    assert_refused(other(method, f"estimates/{finished.pk}/{path}"), 404, "not_found")
    assert other("GET", "estimates/").json()["count"] == 0


def test_the_same_request_of_another_user_is_another_job(queued: dict[str, Any]) -> None:
    other = caller(User.objects.create_user("bob"))
    assert other("POST", "estimates/", SPEC).json()["id"] != queued["id"]


# --- Bill of materials -------------------------------------------------------------------------------------------
def test_a_bill_is_not_there_before_the_estimate_is(call: Caller, queued: dict[str, Any]) -> None:
    problems = assert_refused(call("GET", f"estimates/{queued['id']}/bom/"), 409, "not_finished")
    assert "queued" in problems[0]["message"]


@pytest.mark.parametrize("query", ["", "?format=json"])
def test_the_bill_as_json_names_its_versions(call: Caller, finished: EstimateJob, query: str) -> None:
    bom = call("GET", f"estimates/{finished.pk}/bom/{query}").json()
    estimate = sample_estimate()
    assert bom == {"name": NAME, **{key: estimate[key] for key in ("spec_hash", "versions", "bom")}}


def test_the_bill_as_csv_is_the_json(call: Caller, finished: EstimateJob) -> None:
    response = call("GET", f"estimates/{finished.pk}/bom/?format=csv")
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"] == 'attachment; filename="cmd-c-calca0-bom-00ff00ff.csv"'
    rows = list(csv.DictReader(io.StringIO(response.content.decode(), newline="")))
    bom = call("GET", f"estimates/{finished.pk}/bom/").json()["bom"]
    assert [(row["part"], int(row["quantity"])) for row in rows] == [
        (x["part"] or "", x["quantity"]) for x in bom["lines"]
    ]
    total = sum(float(row["extended_price_usd_typical"] or 0) for row in rows)
    assert total == bom["totals_usd"]["typical"]


def test_the_bill_as_a_workbook_is_the_json(call: Caller, finished: EstimateJob) -> None:
    response = call("GET", f"estimates/{finished.pk}/bom/?format=xlsx")
    assert response["Content-Type"].endswith("spreadsheetml.sheet")
    assert response["Content-Disposition"].endswith('.xlsx"')
    book = openpyxl.load_workbook(io.BytesIO(response.content))
    assert book.sheetnames[0] == "Bill of materials"
    assert book.sheetnames[-2:] == ["Design", "Sources and assumptions"]
    rows = list(book.worksheets[0].iter_rows(values_only=True))
    lines = sample_estimate()["bom"]["lines"]
    part = rows[0].index("Part")
    assert [row[part] for row in rows[1:-1]] == [line["part"] for line in lines]
    again = call("GET", f"estimates/{finished.pk}/bom/?format=xlsx")
    assert again.content == response.content


@pytest.mark.parametrize("form", ["docx", "yaml", "CSV", "api"])
def test_other_forms_are_refused_with_those_there_are(call: Caller, finished: EstimateJob, form: str) -> None:
    problems = assert_refused(
        call("GET", f"estimates/{finished.pk}/bom/?format={form}"), 400, "invalid_request", "format"
    )
    assert all(known in problems[0]["message"] for known in ("json", "csv", "xlsx", "pdf"))


@pytest.mark.parametrize("server", ["dgx-h100", "custom"])
def test_all_three_forms_of_a_real_bill_agree(call: Caller, server: str) -> None:
    spec = SPEC | {"compute": {"server": server, "nodes": 31, "gpus_per_node": 8}}
    job = call("POST", "estimates/", spec).json()
    run_estimate(job["id"])
    path = f"estimates/{job['id']}/bom/?format="
    answer = call("GET", path + "json").json()
    lines, totals = answer["bom"]["lines"], answer["bom"]["totals_usd"]
    rows = list(csv.DictReader(io.StringIO(call("GET", path + "csv").content.decode(), newline="")))
    book = openpyxl.load_workbook(io.BytesIO(call("GET", path + "xlsx").content), data_only=True)
    header, *body, last = book.worksheets[0].iter_rows(values_only=True)
    assert len(rows) == len(body) == len(lines) > 3
    for line, row, cells in zip(lines, rows, body, strict=True):
        sheet = dict(zip(header, cells, strict=True))
        assert (
            (row["part"] or None, int(row["quantity"]))
            == (sheet["Part"], sheet["Quantity"])
            == (line["part"], line["quantity"])
        )
        for bound in ("low", "typical", "high"):
            price = line["extended_price_usd"] and line["extended_price_usd"][bound]
            text = row[f"extended_price_usd_{bound}"]
            assert (float(text) if text else None) == sheet[f"Price, {bound} (USD)"] == price
        assert row["spec_hash"] == answer["spec_hash"] == job["spec_hash"]
    for bound in ("low", "typical", "high"):
        total = sum(float(row[f"extended_price_usd_{bound}"] or 0) for row in rows)
        assert total == pytest.approx(totals[bound])
        assert last[header.index(f"Price, {bound} (USD)")] == totals[bound]
    assert ("at least" in str(last)) == answer["bom"]["at_least"] == (server == "custom")


def test_a_broker_that_is_away_does_not_lose_the_request(
    call: Caller, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saving, "send", lambda job: False)
    with django_capture_on_commit_callbacks(execute=True):
        response = call("POST", "estimates/", SPEC)
    assert response.status_code == 202
    assert EstimateJob.objects.get().state == "queued"


# --- Preview -----------------------------------------------------------------------------------------------------
def test_a_preview_is_the_estimate_without_its_lines(call: Caller) -> None:
    response = call("POST", "preview/", SPEC)
    assert response.status_code == 200
    made = response.json()
    counts = made["fabrics"]["compute"]["counts"]
    assert (counts["leaf"], counts["spine"], counts["endpoints"]) == (32, 16, 1016)
    assert made["bom"]["totals_usd"]["typical"] > 0
    assert "lines" not in made["bom"]
    assert made["cost"]["capex_usd"]
    assert made["performance"]["all_reduce"]["busbw_gb_s"]
    assert made["spec"]["name"] == SPEC["name"]
    assert not EstimateJob.objects.exists()


def test_a_preview_agrees_with_the_estimate(call: Caller, queued: dict[str, Any]) -> None:
    run_estimate(queued["id"])
    result = call("GET", f"estimates/{queued['id']}/").json()["result"]
    preview = call("POST", "preview/", SPEC).json()
    result["bom"].pop("lines")
    assert result["cost"].pop("uncertainty")["draws"] > 0  # drawn for what is stored alone
    for stored_only in ("failures", "growth"):
        assert result.pop(stored_only) != {}
    assert json.dumps(preview, sort_keys=True) == json.dumps(result, sort_keys=True)


def test_what_cannot_be_built_is_refused_at_once(call: Caller) -> None:
    spec = SPEC | {"fabric": {"generation": "ndr", "tiers": 1}}
    problems = assert_refused(call("POST", "preview/", spec), 400, "infeasible_design")
    assert problems[0]["field"].startswith("fabric")
