"""Price books over REST: made, changed, imported, sent as files; refusals in the one shape."""

import csv
import io
import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from designer.api.resources.price_books.schema import PRICE, RATE
from designer.models import PriceBook
from designer.services.prices.books import create_book
from estimator.bom.price_file import COLUMNS, PART_NAME
from tests.designer.api.test_schema import assert_has_shape, document
from tests.designer.api_helpers import BASE, SPEC, Caller, assert_refused, caller

__all__ = ["document"]


@pytest.fixture
def book(owner: User) -> PriceBook:
    return create_book(owner, "Vendor A", [PRICE], [RATE])


def send(call: Caller, book: PriceBook, data: bytes, name: str = "prices.csv", **fields: str) -> Any:
    file = SimpleUploadedFile(name, data)
    return call.client.post(f"{BASE}/price-books/{book.pk}/import/", {"file": file, **fields})


def test_a_book_is_made_read_changed_and_deleted(call: Caller, document: dict[str, Any]) -> None:
    made = call("POST", "price-books/", {"name": "Vendor A", "prices": [PRICE], "rates": [RATE], "region": "EU"})
    assert made.status_code == 201
    values = made.json()
    assert_has_shape(document, "PriceBookDetail", values)
    assert made["Location"] == values["url"]
    assert (values["base"], values["region"], values["n_prices"], values["revision"]) == ("street", "EU", 1, 1)
    listed = call("GET", "price-books/").json()
    assert_has_shape(document, "PaginatedPriceBookList", listed)
    assert [one["hash"] for one in listed["results"]] == [values["hash"]]
    path = f"price-books/{values['id']}/"
    changed = call("PATCH", path, {"prices": [PRICE | {"typical": 3_150_000}], "reason": "Round two"}).json()
    assert [row["reason"] for row in changed["revisions"]] == ["Made over REST", "Round two"]
    assert changed["hash"] != values["hash"]
    first = call("GET", path + "revisions/1/").json()
    assert_has_shape(document, "PriceBookRevisionDetail", first)
    assert first["prices"][0]["typical"] == 3_100_000
    renamed = call("PATCH", path, {"name": "Vendor B", "base": "anchors"}).json()
    assert (renamed["name"], renamed["base"], renamed["revision"]) == ("Vendor B", "anchors", 2)
    assert call("DELETE", path).status_code == 204
    assert_refused(call("GET", path), 404, "not_found")


def test_a_design_takes_the_book_as_it_is_answered(call: Caller, book: PriceBook) -> None:
    taken = call("GET", f"price-books/{book.pk}/").json()["book"]
    preview = call("POST", "preview/", SPEC | {"economics": {"prices": taken, "price_book": "street"}}).json()
    assert preview["spec"]["economics"]["prices"] == taken
    plain = call("POST", "preview/", SPEC | {"economics": {"price_book": "street"}}).json()
    # 48 switches and 2 spares at EUR 31,000 × 1.08, where the street price is $34,648.
    difference = preview["bom"]["totals_usd"]["typical"] - plain["bom"]["totals_usd"]["typical"]
    assert difference == 50 * (31_000 * 1.08 - 34_648)


@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        ({}, "name", "missing"),
        ({"name": 5}, "name", "wrong_type"),
        ({"name": " "}, "name", "out_of_range"),
        ({"name": "x", "colour": "red"}, "colour", "unknown_key"),
        ({"name": "x", "base": "wishes"}, "base", "not_a_choice"),
        ({"name": "x", "region": "x" * 41}, "region", "out_of_range"),
        ({"name": "x", "prices": {}}, "prices", "wrong_type"),
        ({"name": "x", "prices": [5]}, "prices[0]", "wrong_type"),
        ({"name": "x", "prices": [PRICE | {"part": "qm97"}]}, "prices[0].part", "unknown_part"),
        ({"name": "x", "prices": [PRICE, PRICE]}, "prices[1].part", "price_twice"),
        ({"name": "x", "prices": [PRICE | {"currency": "TWD"}]}, "prices[0].currency", "no_exchange_rate"),
        ({"name": "x", "prices": [PRICE] * 2001}, "prices", "out_of_range"),
        ({"name": "x", "rates": [RATE | {"usd": 0}]}, "rates[0].usd", "out_of_range"),
    ],
)
def test_what_is_wrong_with_a_book_is_refused_where_it_is(
    call: Caller, body: dict[str, Any], field: str, code: str
) -> None:
    response = call("POST", "price-books/", body)
    problems = response.json()["problems"]
    assert response.status_code == 400
    assert (field, code) in [(problem["field"], problem["code"]) for problem in problems]
    assert not PriceBook.objects.exists()


def test_a_refused_change_leaves_the_name_too(call: Caller, book: PriceBook) -> None:
    response = call("PATCH", f"price-books/{book.pk}/", {"name": "Other", "prices": [PRICE | {"low": 9_999_999}]})
    assert_refused(response, 400, "invalid_spec", "prices[0].typical")
    book.refresh_from_db()
    assert (book.name, book.latest.number) == ("Vendor A", 1)
    assert_refused(call("PATCH", f"price-books/{book.pk}/", {"reason": "x"}), 400, "invalid_request")


def test_a_file_is_tried_and_then_imported(call: Caller, book: PriceBook, document: dict[str, Any]) -> None:
    data = b"part,price,colour\nnvidia-sn5600,60000,black\nno-such-part,1,red\n"
    tried = send(call, book, data, dry_run="true", basis="list", source="Web").json()
    assert_has_shape(document, "PriceImport", tried)
    assert (tried["counts"], tried["revision"], tried["ignored"]) == (
        {"added": 1, "changed": 0, "removed": 0, "same": 0, "refused": 1},
        None,
        ["colour"],
    )
    assert tried["refused"][0]["row"] == 3
    assert book.latest.number == 1
    done = send(call, book, data, basis="list", source="Web").json()
    assert done["revision"] == book.latest.number == 2
    added = book.latest.prices[-1]
    assert (added["part"], added["typical"], added["basis"], added["source"]) == (
        "nvidia-sn5600",
        6_000_000,
        "list",
        "Web",
    )
    again = send(call, book, data, basis="list", source="Web").json()
    assert (again["counts"]["same"], again["revision"]) == (1, 2)


@pytest.mark.parametrize(
    ("data", "fields", "code"),
    [
        (b"PK\x03\x04", {}, "not_a_workbook"),
        (b"name,colour\n1,2\n", {}, "no_header"),
        (b"part,price\n" + b"x" * 2_400_001, {}, "file_too_large"),
        (b"part,price\nnvidia-sn5600,1\n", {"mode": "swap"}, "not_a_choice"),
        (b"part,price\nnvidia-sn5600,1\n", {"as_of": "yesterday"}, "not_a_date"),
        (b"part,price\nnvidia-sn5600,1\n", {"currency": "XXX"}, "unknown_currency"),
        (b"part,price\nnvidia-sn5600,1\n", {"colour": "red"}, "unknown_key"),
    ],
)
def test_a_file_that_cannot_be_imported_is_refused(
    call: Caller, book: PriceBook, data: bytes, fields: dict[str, str], code: str
) -> None:
    response = send(call, book, data, **fields)
    assert response.status_code == 400, response.content
    assert [problem["code"] for problem in response.json()["problems"]] == [code]
    assert book.latest.number == 1


def test_a_request_without_a_file_or_with_json_is_refused(call: Caller, book: PriceBook) -> None:
    assert_refused(call.client.post(f"{BASE}/price-books/{book.pk}/import/", {}), 400, "invalid_request", "file")
    assert_refused(call("POST", f"price-books/{book.pk}/import/", {"file": "x"}), 415, "unsupported_media_type")


@pytest.mark.parametrize("path", ["anchors", "street", "dealer", "branded"])
def test_the_catalogs_books_are_answered_as_own_ones(call: Caller, path: str, document: dict[str, Any]) -> None:
    values = call("GET", f"price-books/{path}/").json()
    assert_has_shape(document, "OwnPrices", values)
    made = call("POST", "price-books/", {"name": "Copy", "prices": values["prices"]})
    assert made.status_code == 201, made.content
    text = call("GET", f"price-books/{path}/?format=csv").content.decode()
    rows = list(csv.reader(io.StringIO(text)))
    assert tuple(rows[0]) == (*COLUMNS, PART_NAME)
    assert all(row[-1] for row in rows)
    assert len(rows) == len(values["prices"]) + 1


def test_a_book_is_sent_as_csv_and_xlsx(call: Caller, book: PriceBook) -> None:
    path = f"price-books/{book.pk}/"
    text = call("GET", path + "?format=csv").content.decode()
    row = dict(zip(*list(csv.reader(io.StringIO(text)))[:2], strict=True))
    assert row["part_name"] == "NVIDIA QM9700"
    assert (row["part"], row["typical"], row["currency"], row["min_quantity"]) == (
        "nvidia-qm9700",
        "31000.00",
        "EUR",
        "10",
    )
    workbook = call("GET", path + "?format=xlsx")
    assert workbook.content.startswith(b"PK")
    assert 'filename="vendor-a-prices.xlsx"' in workbook["Content-Disposition"]
    assert_refused(call("GET", path + "?format=pdf"), 400, "invalid_request", "format")


def test_strangers_and_readers_do_not_get_in(owner: User, book: PriceBook, django_user_model: Any) -> None:
    path = f"price-books/{book.pk}/"
    assert_refused(caller()("GET", path), 401, "not_authenticated")
    stranger = caller(django_user_model.objects.create_user("eve"))
    for method, address in (("GET", path), ("DELETE", path), ("GET", path + "revisions/1/")):
        assert_refused(stranger(method, address), 404, "not_found")
    assert_refused(stranger("PATCH", path, {"name": "x"}), 404, "not_found")
    reader = caller(owner, "read")
    assert reader("GET", path).status_code == 200
    assert_refused(reader("PATCH", path, {"name": "x"}), 403, "read_only_token")
    assert json.loads(Client().get(f"{BASE}/{path}").content)["code"] == "not_authenticated"


def test_a_reason_that_is_too_long_is_refused(call: Caller) -> None:
    refused = call("POST", "price-books/", {"name": "Vendor A", "reason": "0" * 301})
    assert_refused(refused, 400, "invalid_request")
    assert refused.json()["problems"][0]["field"] == "reason"
    assert call("POST", "price-books/", {"name": "Vendor A", "reason": "0" * 300}).status_code == 201


def test_a_discount_of_the_whole_list_is_named_and_taken_off_where_it_is_sent(call: Caller) -> None:
    call("POST", "price-books/", {"name": "Vendor A"})
    book = PriceBook.objects.get(name="Vendor A")
    data = b"Discount 30%\npart,price\nnvidia-qm9700,31000.01\n"
    tried = send(call, book, data, dry_run="true").json()
    assert tried["discounts"] == [{"row": 1, "text": "Discount 30%", "percent": 30.0}]
    assert "is not taken off" in tried["notes"][0]
    taken = send(call, book, data, discount="30").json()
    assert "30% is taken off 1 price." in taken["notes"][0]
    (price,) = book.contents().prices
    assert (price.typical, price.note) == (2_170_001, "$31,000.01 less 30% discount of the whole list, row 1")
    assert_refused(send(call, book, data, discount="a third"), 400, "invalid_spec", "discount")
