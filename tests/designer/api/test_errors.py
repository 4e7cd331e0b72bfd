"""Bad requests of every kind get a clear answer in the one shape, and never a 500."""

import json
import logging
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from designer.api.base import TooManyRequests
from designer.api.resources import estimates
from designer.services.bounded_json import UnsoundJson, _unique_keys
from estimator.errors import CatalogError
from tests.designer.api_helpers import BASE, SPEC, Caller, assert_refused

pytestmark = pytest.mark.django_db
POSTS = ["preview/", "predictions/", "designs/", "estimates/"]


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize(
    ("body", "code"),
    [
        (" ", "malformed_json"),
        ("{", "malformed_json"),
        ('{"a": 1,}', "malformed_json"),
        (b'{"name": "\xff"}', "malformed_json"),
        ('{"a": NaN}', "malformed_json"),
        ('{"a": -Infinity}', "malformed_json"),
        ('{"a": 1e999}', "number_out_of_range"),
        ('{"a": 1' + "0" * 5000 + "}", "number_out_of_range"),
        ('{"a": 9223372036854775808}', "number_out_of_range"),
        ('{"a": 1, "a": 2}', "repeated_key"),
        ('{"a": "\\u0000"}', "unreadable_text"),
        ('{"\\ud800": 1}', "unreadable_text"),
        ("[]", "not_an_object"),
        ("null", "not_an_object"),
        ("3", "not_an_object"),
        ('"text"', "not_an_object"),
        ('{"a":' * 40 + "1" + "}" * 40, "too_deep"),
        ("[" * 100_000 + "]" * 100_000, "too_deep"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_is_no_sound_json_object_is_refused(call: Caller, path: str, body: str | bytes, code: str) -> None:
    assert_refused(call("POST", path, body), 400, code)


@pytest.mark.parametrize("path", POSTS)
def test_no_body_at_all_lacks_what_is_needed(call: Caller, path: str) -> None:
    assert_refused(call("POST", path), 400, "invalid_spec")


@pytest.mark.parametrize("path", POSTS)
def test_five_megabytes_are_too_many(call: Caller, path: str) -> None:
    problems = assert_refused(call("POST", path, json.dumps({"name": "x" * 5_000_000})), 413, "body_too_large")
    assert f"{settings.MAX_BODY_BYTES:,}" in problems[0]["message"]


def test_a_body_just_within_the_limit_is_read(call: Caller) -> None:
    frame = len(json.dumps({"name": ""}))
    body = json.dumps({"name": "x" * (settings.MAX_BODY_BYTES - frame)})
    assert len(body) == settings.MAX_BODY_BYTES
    assert_refused(call("POST", "preview/", body), 400, "invalid_spec", "name")


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "multipart/form-data; boundary=x",
        "x",
        "",
    ],
)
@pytest.mark.parametrize("path", POSTS)
def test_other_types_of_body_are_refused(call: Caller, path: str, content_type: str) -> None:
    response = call.client.generic("POST", f"{BASE}/{path}", json.dumps(SPEC), content_type=content_type)
    assert_refused(response, 415, "unsupported_media_type")


def test_a_charset_beside_the_type_is_fine(call: Caller) -> None:
    address = f"{BASE}/designs/"
    response = call.client.generic("POST", address, json.dumps(SPEC), content_type="application/json; charset=utf-8")
    assert response.status_code == 201


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "preview/"),
        ("PUT", "designs/"),
        ("DELETE", "estimates/"),
        ("POST", "catalog/"),
        ("PATCH", "spec-schema/"),
    ],
)
def test_wrong_methods_are_named(call: Caller, method: str, path: str) -> None:
    response = call(method, path, {})
    problems = assert_refused(response, 405, "method_not_allowed")
    assert method in problems[0]["message"]
    assert response["Allow"]


@pytest.mark.parametrize(
    "path", ["", "nowhere/", "designs", "designs/7/", "designs/x/y/z", "estimates/%00/", "catalog/../"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_unknown_addresses_are_not_found(call: Caller, method: str, path: str) -> None:
    assert_refused(call(method, path), 404, "not_found")


@pytest.mark.parametrize(
    "query",
    [
        "page=0",
        "page=x",
        "page=1e3",
        "page_size=0",
        "page_size=201",
        "page=99999999999999999999",
        "sort=name",
        "page=1&page=2",
    ],
)
@pytest.mark.parametrize("path", ["designs/", "estimates/", "catalog/switches/"])
def test_query_values_that_make_no_sense_are_refused(call: Caller, path: str, query: str) -> None:
    assert_refused(call("GET", f"{path}?{query}"), 400, "invalid_request", query.split("=")[0])


def test_a_page_beyond_the_last_is_not_found(call: Caller) -> None:
    assert_refused(call("GET", "designs/?page=7"), 404, "not_found")


def test_bounds_of_the_framework_are_printed_with_their_thousands_apart(call: Caller) -> None:
    problems = assert_refused(call("GET", "designs/?page=1000001"), 400, "invalid_request", "page")
    assert "1,000,000" in problems[0]["message"]


def test_accept_does_not_change_the_answer(call: Caller) -> None:
    assert call("GET", "designs/", Accept="text/html").json()["count"] == 0
    assert_refused(call("GET", "nowhere/", Accept="image/png"), 404, "not_found")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"compute": {"server": "dgx-h100", "nodes": 0}}, "compute.nodes"),
        ({"compute": {"server": "dgx-h100", "nodes": 2**40}}, "compute.nodes"),
        ({"compute": {"server": "dgx-h100", "gpus": 2**40}}, "compute.gpus"),
        ({"compute": {"server": "dgx-h100", "nodes": 4, "bogus": 1}}, "compute.bogus"),
        ({"compute": []}, "compute"),
        ({"fabric": {"generation": "ndr", "oversubscription": "0:1"}}, "fabric.oversubscription"),
        ({"fabric": {"generation": "fdr"}}, "fabric.generation"),
        ({"fabric": None}, "fabric"),
        ({"nonsense": 1}, "nonsense"),
        ({"name": "x" * 201}, "name"),
    ],
)
@pytest.mark.parametrize("path", ["preview/", "designs/", "estimates/"])
def test_a_spec_that_breaks_a_rule_is_refused_by_field(call: Caller, path: str, change: Any, field: str) -> None:
    assert_refused(call("POST", path, SPEC | change), 400, "invalid_spec", field)


def test_all_problems_are_reported_at_once(call: Caller) -> None:
    spec = {"compute": {"nodes": 0, "bogus": 1}, "fabric": {"generation": "x"}}
    fields = {problem["field"] for problem in assert_refused(call("POST", "preview/", spec), 400, "invalid_spec")}
    assert {"compute.nodes", "compute.bogus", "fabric.generation"} <= fields


def test_a_broken_catalog_is_not_the_callers_fault(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Any:
        raise CatalogError("prices.csv", 7, "low_cents", "is -5 and must be 0 or more")

    monkeypatch.setattr(estimates, "load_catalog", broken)
    problems = assert_refused(call("POST", "preview/", SPEC), 503, "broken_catalog")
    assert problems[0]["field"] == "prices.csv, row 7, column low_cents"


def test_what_breaks_outside_a_view_has_the_one_shape_too(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimates, "predicted", lambda *_: {"rows": [float("nan")]})  # JSON has no word for it
    call.client.raise_request_exception = False
    assert_refused(call("POST", "predictions/", {}), 500, "internal_error")


@pytest.mark.parametrize("path", ["/api/", "/api/v2/designs/", "/api/v1"])
def test_addresses_beside_the_versions_are_not_found(call: Caller, path: str) -> None:
    assert_refused(call.client.get(path), 404, "not_found")


def test_an_error_of_ours_has_a_reference_that_the_log_has_too(
    call: Caller, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(estimates, "predicted", broken)
    with caplog.at_level(logging.ERROR, "designer.api.errors"):
        response = call("POST", "predictions/", {})
    problems = assert_refused(response, 500, "internal_error")
    assert "secret" not in response.content.decode()
    assert problems[0]["message"].split()[-1].rstrip(".") in caplog.text
    assert "ZeroDivisionError" in caplog.text


def test_a_repeated_key_is_found_in_one_pass_over_many() -> None:
    n_compared = 0

    class Key(str):
        def __eq__(self, other: object) -> bool:
            nonlocal n_compared
            n_compared += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    pairs = [(Key(f"k{number}"), 1) for number in range(2_000)]
    with pytest.raises(UnsoundJson) as refusal:
        _unique_keys([*pairs, (Key("k1999"), 2)])
    assert "'k1999'" in refusal.value.problems[0].message
    assert n_compared < 10 * len(pairs)


@pytest.mark.parametrize(("wait_s", "retry_after_s"), [(None, 1), (0.2, 1), (1.2, 2), (59.0, 59)])
def test_retry_after_is_never_too_early(wait_s: float | None, retry_after_s: int) -> None:
    assert TooManyRequests(wait_s).wait == retry_after_s


@pytest.mark.parametrize("path", ["/api/v1/designs/", "/api/v1/nothing/", "/api/schema/"])
def test_a_foreign_host_gets_the_one_shape_too(client: Client, path: str) -> None:
    response = client.get(path, headers={"host": "evil.example"})
    assert_refused(response, 400, "malformed_request")


def test_a_foreign_host_gets_a_page_where_people_are(client: Client) -> None:
    response = client.get("/", headers={"host": "evil.example"})
    assert response.status_code == 400
    assert response["Content-Type"].startswith("text/html")


def test_very_many_problems_are_reported_in_part(call: Caller) -> None:
    fabric = {f"k{number}": 1 for number in range(5_000)} | {"generation": "ndr"}
    response = call("POST", "preview/", SPEC | {"fabric": fabric})
    assert_refused(response, 400, "invalid_spec")
    problems = response.json()["problems"]
    assert len(problems) == 101
    assert problems[-1]["code"] == "too_many_problems"
    assert "4,900 more" in problems[-1]["message"]
