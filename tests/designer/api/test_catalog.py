"""The catalog, predictions and the spec's schema over REST."""

import jsonschema
import pytest
from django.contrib.auth.models import User

from estimator.catalog.catalog import KINDS, Catalog
from estimator.spec.design import spec_json_schema
from estimator.workloads.models.listing import model_records, models_version
from tests.designer.api_helpers import SPEC, Caller, assert_refused, caller

pytestmark = pytest.mark.django_db
REQUEST = {"system": {"gpu": "h100-sxm"}, "collective": "all_reduce", "gpus": [16, 8], "message_bytes": [2**20, 2**30]}


@pytest.fixture
def call(owner: User) -> Caller:
    return caller(owner, "read")


def test_every_kind_is_listed_with_its_count(call: Caller, catalog: Catalog) -> None:
    answer = call("GET", "catalog/").json()
    assert answer["version"] == catalog.version
    assert [kind["kind"] for kind in answer["kinds"]] == [*KINDS, "models"]
    for kind in answer["kinds"]:
        listed = call("GET", f"catalog/{kind['kind']}/?page_size=1")
        assert listed.status_code == 200
        records = model_records() if kind["kind"] == "models" else catalog.records(kind["kind"])
        assert listed.json()["count"] == kind["count"] == len(records)


def test_models_are_listed_with_their_counts(call: Caller) -> None:
    answer = call("GET", "catalog/models/?page_size=200").json()
    assert answer["version"] == models_version()
    assert answer["results"] == model_records()
    large = call("GET", "catalog/models/?is_moe=true&total_parameters__min=1000000000000").json()["results"]
    assert {"kimi-k2", "deepseek-v4-pro"} <= {record["id"] for record in large}
    assert call("GET", "catalog/models/?search=llama-3.3-70b").json()["results"][0]["id"] == "llama3-70b"


def test_records_are_the_catalogs_own(call: Caller, catalog: Catalog) -> None:
    answer = call("GET", "catalog/switches/?page_size=200").json()
    assert answer["version"] == catalog.version
    assert answer["results"] == catalog.records("switches")


def test_records_can_be_searched(call: Caller) -> None:
    found = call("GET", "catalog/switches/?search=QM9700").json()["results"]
    assert "nvidia-qm9700" in [record["id"] for record in found]
    assert call("GET", "catalog/switches/?search=no%20such%20box").json()["count"] == 0


@pytest.mark.parametrize(
    "query", ["generation=ndr", "generation=NDR", "radix=64", "radix=64.0", "managed=true", "roles=spine"]
)
def test_records_can_be_filtered_by_any_column(call: Caller, catalog: Catalog, query: str) -> None:
    column, value = query.split("=")
    found = call("GET", f"catalog/switches/?page_size=200&{query}").json()["results"]
    everything = catalog.records("switches")
    assert 0 < len(found) < len(everything)
    for record in found:
        cell = record[column]
        cells = [str(item).casefold() for item in (cell if isinstance(cell, list) else [cell])]
        assert value.casefold().removesuffix(".0") in cells


def test_numbers_can_be_bounded_from_both_sides(call: Caller, catalog: Catalog) -> None:
    found = call("GET", "catalog/switches/?radix__min=64&radix__max=128&page_size=200").json()["results"]
    expected = [record["id"] for record in catalog.records("switches") if 64 <= record["radix"] <= 128]
    assert expected
    assert [record["id"] for record in found] == expected


def test_yes_and_no_are_no_numbers(call: Caller) -> None:
    assert call("GET", "catalog/nics/?is_dpu__min=0").json()["count"] == 0
    assert call("GET", "catalog/nics/?is_dpu=true").json()["count"] > 0
    assert call("GET", "catalog/nics/?is_dpu=1").json()["count"] == 0


@pytest.mark.parametrize(
    ("query", "code", "field"),
    [
        ("colour=red", "unknown_parameter", "colour"),
        ("radix__about=64", "unknown_parameter", "radix__about"),
        ("radix__min=many", "not_a_number", "radix__min"),
        ("radix=64&radix=32", "repeated_parameter", "radix"),
    ],
)
def test_filters_that_make_no_sense_are_refused(call: Caller, query: str, code: str, field: str) -> None:
    problems = assert_refused(call("GET", f"catalog/switches/?{query}"), 400, "invalid_request", field)
    assert [problem["code"] for problem in problems] == [code]


def test_an_unknown_kind_is_not_found_with_those_there_are(call: Caller) -> None:
    problems = assert_refused(call("GET", "catalog/boats/"), 404, "not_found", "kind")
    assert "switches" in problems[0]["message"]


def test_predictions_come_at_once_in_the_order_asked_for(call: Caller) -> None:
    response = call("POST", "predictions/", REQUEST)
    assert response.status_code == 200
    rows = response.json()["rows"]
    assert [(row["gpus"], row["message_bytes"]) for row in rows] == [(16, 2**20), (16, 2**30), (8, 2**20), (8, 2**30)]
    for row in rows:
        assert row["time_us_low"] <= row["time_us"] <= row["time_us_high"]
        assert row["busbw_gb_s"] == pytest.approx(row["algbw_gb_s"] * 2 * (row["gpus"] - 1) / row["gpus"])


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"system": {"gpu": "abacus"}}, "system.gpu"),
        ({"gpus": []}, "gpus"),
        ({"gpus": [2**40]}, "gpus[0]"),
        ({"gpus": [1] * 200, "message_bytes": [8] * 200}, "message_bytes"),
        ({"collective": "shout"}, "collective"),
        ({"bogus": 1}, "bogus"),
    ],
)
def test_a_prediction_that_cannot_be_made_is_refused_by_field(
    call: Caller, change: dict[str, object], field: str
) -> None:
    assert_refused(call("POST", "predictions/", REQUEST | change), 400, "invalid_spec", field)


def test_the_schema_of_a_spec_is_the_models_own(call: Caller) -> None:
    schema = call("GET", "spec-schema/").json()
    assert schema == spec_json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(SPEC, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(SPEC | {"bogus": 1}, schema)
