"""GET estimates/{id}/cost/: the cost of a finished estimate, in every form."""

import csv
import io
from typing import Any

import openpyxl
import pytest
from django.contrib.auth.models import User
from pypdf import PdfReader

from designer.exports.reports.bill import money
from estimator.jobs.models import EstimateJob
from tests.designer.api_helpers import SPEC, Caller, assert_refused, caller
from tests.designer.finished_design import finished


@pytest.fixture
def job(owner: User) -> EstimateJob:
    return finished(owner, SPEC | {"name": "=HYPERLINK(A1)"})[1]


def address(job: EstimateJob, form: str) -> str:
    return f"estimates/{job.pk}/cost/?format={form}"


def test_json_is_the_estimates_own_cost(call: Caller, job: EstimateJob) -> None:
    answer = call("GET", f"estimates/{job.pk}/cost/").json()
    assert set(answer) == {"name", "spec_hash", "versions", "cost"}
    assert answer["cost"] == job.result["cost"]
    assert answer["spec_hash"] == job.spec_hash


def test_csv_is_the_cash_flow(call: Caller, job: EstimateJob) -> None:
    response = call("GET", address(job, "csv"))
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(response.content.decode(), newline=""), strict=True))
    flow = job.result["cost"]["cash_flow"]
    assert [int(row["year"]) for row in rows] == [row["year"] for row in flow]
    for row, wanted in zip(rows, flow, strict=True):
        assert float(row["total_usd_typical"]) == wanted["total_usd"]["typical"]
        assert {kind: float(row[f"{kind}_usd"]) for kind in wanted["usd"]} == wanted["usd"]
        assert row["design"] == "'=HYPERLINK(A1)"
        assert row["spec_hash"] == job.spec_hash


def test_workbook_opens_at_the_cost(call: Caller, job: EstimateJob) -> None:
    response = call("GET", address(job, "xlsx"))
    assert 'filename="hyperlinka1-cost-' in response["Content-Disposition"]
    book = openpyxl.load_workbook(io.BytesIO(response.content), data_only=True)
    assert book.sheetnames[0] == "Cost"
    items = {row[1]: row[2:5] for row in book["Cost"].iter_rows(min_row=2, values_only=True)}
    assert items["Total cost"] == tuple(job.result["cost"]["tco_usd"].values())
    assert items["Purchase price"] == tuple(job.result["cost"]["capex_usd"]["total"].values())


def test_report_of_the_cost_has_totals_and_sources(call: Caller, job: EstimateJob) -> None:
    response = call("GET", address(job, "pdf"))
    assert response["Content-Type"] == "application/pdf"
    text = " ".join(" ".join(page.extract_text() for page in PdfReader(io.BytesIO(response.content)).pages).split())
    cost: dict[str, Any] = job.result["cost"]
    for amount in (
        cost["tco_usd"],
        cost["outlay_usd"],
        cost["one_off_usd"]["total"],
        cost["opex_usd_per_year"]["total"],
    ):
        for end in amount.values():
            assert money(end) in text
    for item in cost["assumptions"]:
        assert " ".join(item["source"].split()[:2]) in text
    assert job.spec_hash in text


@pytest.mark.parametrize("form", ["json", "csv", "xlsx", "pdf"])
def test_asking_twice_gives_the_same_bytes(call: Caller, job: EstimateJob, form: str) -> None:
    assert call("GET", address(job, form)).content == call("GET", address(job, form)).content


def test_what_is_not_there_is_refused(call: Caller, job: EstimateJob) -> None:
    assert_refused(call("GET", address(job, "docx")), 400, "invalid_request", "format")
    stranger = caller(User.objects.create_user("eve", password="a long password for tests"))
    assert_refused(stranger("GET", address(job, "pdf")), 404, "not_found")
    EstimateJob.objects.filter(pk=job.pk).update(state=EstimateJob.State.QUEUED)
    assert_refused(call("GET", address(job, "pdf")), 409, "not_finished")
