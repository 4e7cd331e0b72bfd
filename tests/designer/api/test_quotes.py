"""Quotes over REST: sent as a form, corrected by PATCH, taken into a book; each refusal by its code."""

import csv
import io
import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from drf_spectacular.generators import SchemaGenerator

from designer.models import PriceBook, Quote
from designer.services.designs.saving import request_estimate, save_design
from estimator.catalog.loader import load_catalog
from estimator.spec.parse import parse_spec
from tests.designer.api.test_schema import assert_has_shape
from tests.designer.api_helpers import BASE, Caller, assert_refused, caller
from tests.estimator.quotes.quote_files import HEADER, SPEC, whole_quote, workbook

pytestmark = pytest.mark.django_db
EVIL = "=cmd|' /C calc'!A0"


def send(call: Caller, data: bytes | None = None, name: str = "acme.xlsx", **parts: Any) -> Any:
    rows = [HEADER, *whole_quote(), ["X-1", EVIL, 1, 5, 5]]
    file = SimpleUploadedFile(name, workbook(rows) if data is None else data)
    return call.client.post(f"{BASE}/quotes/", {"file": file, **parts})


@pytest.fixture
def quote(call: Caller) -> dict[str, Any]:
    answer = send(call, spec=json.dumps(SPEC), vendor="ACME")
    assert answer.status_code == 201, answer.content[:500]
    assert answer["Location"] == answer.json()["url"]
    return answer.json()


def test_a_quote_is_checked_and_its_answer_is_as_the_document_says(quote: dict[str, Any]) -> None:
    assert_has_shape(SchemaGenerator().get_schema(request=None, public=True), "QuoteDetail", quote)
    assert quote["report"]["missing"] == []
    assert [row["part_number"] for row in quote["report"]["surplus"]] == ["X-1"]
    assert quote["columns"][0]["letters"]["quantity"] == "C"


def test_a_design_or_an_estimate_may_be_named(call: Caller, owner: User, sent: list[str]) -> None:
    spec = parse_spec(SPEC, load_catalog())
    design, (job, _) = save_design(owner, spec), request_estimate(owner, spec)
    for name, pk in (("design", design.pk), ("estimate", job.pk)):
        answer = send(call, None, "acme.xlsx", **{name: pk})
        assert answer.status_code == 201, answer.content[:300]
        assert answer.json()["design_name"] == SPEC["name"]


def test_quotes_are_listed_read_and_deleted(call: Caller, quote: dict[str, Any]) -> None:
    (listed,) = call("GET", "quotes/").json()["results"]
    assert listed["id"] == quote["id"]
    assert listed["summary"]
    assert "report" not in listed
    path = f"quotes/{quote['id']}/"
    assert call("GET", path).json()["report"] == quote["report"]
    assert call("DELETE", path).status_code == 204
    assert_refused(call("GET", path), 404, "not_found")


def test_the_csv_has_every_row_and_no_live_formula(call: Caller) -> None:
    text = f"{','.join(HEADER)}\nX-1,{EVIL},1,5,5\nMQM9700-NS2F,switch,13,30000,390000\n"
    quote = send(call, text.encode(), "q.csv", spec=json.dumps(SPEC)).json()
    answer = call("GET", f"quotes/{quote['id']}/?format=csv")
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    report = quote["report"]
    assert len(rows) == sum(len(report[key]) for key in ("lines", "surplus", "missing", "left_out"))
    assert not [
        cell for row in rows for cell in row.values() if cell[:1] in "=+-@" and not cell[1:2].isdigit() and cell
    ]
    assert f"'{EVIL}" in [row["description"] for row in rows]


def test_columns_and_matches_are_changed(call: Caller, quote: dict[str, Any]) -> None:
    path = f"quotes/{quote['id']}/"
    line = next(line for line in quote["report"]["lines"] if line["items"] == ["nvidia-qm9700"])
    changed = call("PATCH", path, {"name": "Round 2", "matches": {line["id"]: None}})
    assert changed.status_code == 200, changed.content[:300]
    assert changed.json()["name"] == "Round 2"
    assert changed.json()["matches"] == {line["id"]: None}
    assert changed.json()["report"]["missing"][0]["part"] == "nvidia-qm9700"
    euros = call("PATCH", path, {"columns": {"currency": "EUR"}}).json()
    assert {line["currency"] for line in euros["report"]["lines"]} == {"EUR"}
    assert euros["matches"] == {line["id"]: None}


@pytest.mark.parametrize(
    ("body", "status", "code", "problem"),
    [
        ({}, 400, "invalid_request", "nothing_to_change"),
        ({"colour": 1}, 400, "invalid_request", "unknown_key"),
        ({"name": 1}, 400, "invalid_request", "wrong_type"),
        ({"matches": []}, 400, "invalid_request", "wrong_type"),
        ({"matches": {"7:7": None}}, 400, "invalid_spec", "no_such_line"),
        ({"matches": {"0:2": "none"}}, 400, "invalid_spec", "no_such_item"),
        ({"columns": {"fields": {"quantity": "ZZ"}}}, 400, "invalid_spec", "no_such_column"),
        ({"columns": {"fields": {"quantity": "A"}}}, 400, "invalid_spec", "too_few_columns"),
        ({"vendor": "x" * 201}, 400, "invalid_spec", "out_of_range"),
    ],
)
def test_changes_that_cannot_be_are_refused(
    call: Caller, quote: dict[str, Any], body: Any, status: int, code: str, problem: str
) -> None:
    problems = assert_refused(call("PATCH", f"quotes/{quote['id']}/", body), status, code)
    assert problems[0]["code"] == problem
    assert Quote.objects.get(pk=quote["id"]).name == quote["name"]


def test_prices_go_into_a_new_book_and_into_one_that_is_there(call: Caller, quote: dict[str, Any]) -> None:
    path = f"quotes/{quote['id']}/prices/"
    first = call("POST", path, {"name": "ACME list", "as_of": "2026-11-02"})
    assert first.status_code == 201, first.content[:300]
    book = PriceBook.objects.get(pk=first.json()["book"])
    assert (book.name, len(book.latest.prices)) == ("ACME list", first.json()["taken"])
    second = call("POST", path, {"book": str(book.pk)})
    assert second.status_code == 200
    assert_refused(call("POST", path, {"book": quote["id"]}), 404, "not_found")
    assert_refused(call("POST", path, {"book": "x"}), 400, "invalid_request", "book")
    assert_refused(call("POST", path, {"as_of": "soon"}), 400, "invalid_spec", "as_of")


@pytest.mark.parametrize(
    ("data", "code", "problem"),
    [
        (b"%PDF-1.7", "unreadable_file", "not_a_table"),
        (b"a,b\n1,2\n", "invalid_spec", "no_header"),
        (b"", "unreadable_file", "empty_file"),
        (b"Part number,Qty,Unit price\nA\0B,1,2\n", "unreadable_file", "binary_file"),
    ],
)
def test_files_that_are_no_quotes_are_refused(call: Caller, data: bytes, code: str, problem: str) -> None:
    problems = assert_refused(send(call, data, spec=json.dumps(SPEC)), 400, code)
    assert problems[0]["code"] == problem
    assert not Quote.objects.exists()


def test_what_a_form_must_have(call: Caller) -> None:
    assert_refused(call.client.post(f"{BASE}/quotes/", {"spec": json.dumps(SPEC)}), 400, "invalid_request", "file")
    assert_refused(send(call), 400, "invalid_request", "design")
    assert_refused(send(call, design="x"), 400, "invalid_request", "design")
    assert_refused(send(call, spec="{"), 400, "malformed_json")
    assert_refused(send(call, spec="{}"), 400, "invalid_spec")
    assert_refused(send(call, spec=json.dumps(SPEC), colour="red"), 400, "invalid_request", "colour")
    assert_refused(call("POST", "quotes/", {"file": "x"}), 415, "unsupported_media_type")


def test_quotes_of_others_are_not_there(quote: dict[str, Any]) -> None:
    other = caller(User.objects.create_user("other"))
    assert other("GET", "quotes/").json()["count"] == 0
    for method, body in (("GET", None), ("PATCH", {"name": "x"}), ("DELETE", None)):
        assert_refused(other(method, f"quotes/{quote['id']}/", body), 404, "not_found")
    assert_refused(other("POST", f"quotes/{quote['id']}/prices/", {}), 404, "not_found")


def test_a_token_that_reads_may_not_send(owner: User) -> None:
    assert_refused(send(caller(owner, "read"), spec=json.dumps(SPEC)), 403, "read_only_token")


def test_a_discount_of_all_prices_is_named_and_taken_off_where_it_is_sent(call: Caller) -> None:
    text = f"Discount 25%\n{','.join(HEADER)}\nMQM9700-NS2F,switch,13,30000,390000\n"
    quote = send(call, text.encode(), "q.csv", spec=json.dumps(SPEC)).json()
    stated = {"sheet": "", "row": 1, "text": "Discount 25%", "percent": 25.0}
    assert quote["report"]["discounts"] == [stated | {"is_taken": False}]
    assert quote["report"]["totals"]["quote_usd"] == 390_000
    changed = call("PATCH", f"quotes/{quote['id']}/", {"discount": 25}).json()
    assert changed["report"]["discounts"] == [stated | {"is_taken": True}]
    assert changed["report"]["totals"]["quote_usd"] == 292_500
    assert changed["columns"][0]["discount"] == 25
    assert_has_shape(SchemaGenerator().get_schema(request=None, public=True), "QuoteDetail", changed)
    back = call("PATCH", f"quotes/{quote['id']}/", {"discount": None}).json()
    assert back["report"]["totals"]["quote_usd"] == 390_000
    assert_refused(call("PATCH", f"quotes/{quote['id']}/", {"discount": 120}), 400, "invalid_spec", "discount")
