"""Comparisons over REST: made of estimates, designs, specs, offers, books and siblings; read, changed, downloaded, refused."""

import csv
import io
from typing import Any

import pytest
from django.contrib.auth.models import User
from drf_spectacular.generators import SchemaGenerator

from designer.models import Comparison, Quote
from designer.services.designs.saving import save_design
from designer.services.prices.books import create_book
from estimator.catalog.loader import load_catalog
from estimator.spec.parse import parse_spec
from tests.designer.api.test_schema import assert_has_shape
from tests.designer.api_helpers import SPEC, Caller, assert_refused, caller
from tests.designer.finished_design import finished

pytestmark = pytest.mark.django_db
ROCE: dict[str, Any] = {"name": "RoCE", "compute": SPEC["compute"], "fabric": {"generation": "roce-400"}}
PAIR = {"items": [{"spec": SPEC}, {"spec": ROCE}]}
PRICE = {"low": 20_000, "typical": 25_000, "high": 30_000}
LINE = {
    "category": "switch",
    "part": "nvidia-qm9700",
    "use": "leaf",
    "description": "Leaf",
    "quantity": 32,
    "unit_price_usd": PRICE,
}


def made(call: Caller, body: Any = PAIR) -> dict[str, Any]:
    answer = call("POST", "comparisons/", body)
    assert answer.status_code == 201, answer.content[:800]
    values: dict[str, Any] = answer.json()
    assert answer["Location"] == values["url"]
    return values


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return SchemaGenerator().get_schema(request=None, public=True)


def test_two_specs_are_compared_and_kept(call: Caller, document: dict[str, Any]) -> None:
    values = made(call, PAIR | {"name": "Bid", "baseline": 1})
    assert_has_shape(document, "ComparisonDetail", values)
    assert (values["name"], values["baseline"], values["labels"]) == ("Bid", 1, ["Four units", "RoCE"])
    assert values["headlines"][0].startswith("Four units against RoCE: ")
    assert call("GET", f"comparisons/{values['id']}/").json() == values
    (listed,) = call("GET", "comparisons/").json()["results"]
    assert_has_shape(document, "Comparison", listed)
    assert listed == {key: values[key] for key in listed}
    assert not values["is_outdated"]


def test_every_kind_of_side_can_stand_beside_another(call: Caller, owner: User, document: dict[str, Any]) -> None:
    design, job = finished(owner, SPEC)
    book = create_book(
        owner,
        "Vendor A",
        [
            {
                "part": "nvidia-qm9700",
                "low": 1_00,
                "typical": 2_00,
                "high": 3_00,
                "currency": "USD",
                "basis": "quote",
                "as_of": "2026-11-02",
                "source": "Offer",
            }
        ],
    )
    items = [
        {"estimate": str(job.pk)},
        {"design": str(design.pk), "label": "Design"},
        {"sibling": 1},
        {"design": str(design.pk), "price_book": "street"},
        {"design": str(design.pk), "price_book": str(book.pk)},
        {"offer": {"lines": [LINE]}, "label": "Offer"},
        {"spec": ROCE},
    ]
    values = made(call, {"items": items})
    assert_has_shape(document, "ComparisonDetail", values)
    assert values["labels"] == [
        "Four units",
        "Design",
        "Four units (RoCE 400G)",
        "Four units, street prices",
        "Four units, prices of Vendor A",
        "Offer",
        "RoCE",
    ]
    sources = values["sources"]
    assert [one["design"] for one in sources][:5] == [None, str(design.pk), None, str(design.pk), str(design.pk)]
    assert sources[2]["sibling"] == 1
    result = values["result"]
    assert [item["kind"] for item in result["items"]] == ["design"] * 5 + ["offer", "design"]
    assert result["items"][2]["notes"]
    assert all(row["differences"][1]["quantity"]["absolute"] == 0 for row in result["rows"])
    leaves = next(row for row in result["rows"] if row["label"] == "Leaf switches")
    assert leaves["sides"][4]["unit_price_usd"]["typical"] == 2
    assert leaves["sides"][5]["unit_price_usd"] == PRICE


def test_an_estimate_is_taken_as_it_was(call: Caller, owner: User) -> None:
    _, job = finished(owner, SPEC)
    job.result["cost"]["tco_usd"] = {"low": 1, "typical": 2, "high": 3}
    job.save(update_fields=["result"])
    values = made(call, {"items": [{"estimate": str(job.pk)}, {"spec": SPEC}]})
    tco = next(one for one in values["result"]["figures"] if one["key"] == "tco_usd")
    assert tco["values"][0] == {"low": 1, "typical": 2, "high": 3}


def quote_of(owner: User, lines: list[dict[str, Any]]) -> Quote:
    return Quote.objects.create(
        owner=owner, name="Vendor A", file_name="a.csv", file_sha256="0", spec=SPEC, reading={}, result={"lines": lines}
    )


def test_the_matched_lines_of_a_quote_are_a_side(call: Caller, owner: User) -> None:
    line = {
        "status": "matched",
        "category": "switch",
        "part": "nvidia-qm9700",
        "part_number": "MQM9700-NS2F",
        "items": ["nvidia-qm9700"],
        "description": "Switch",
        "quantity": 50,
        "unit_price_usd": 9.0,
        "extended_price_usd": 450.0,
    }
    items = [{"spec": SPEC}, {"quote": str(quote_of(owner, [line, line | {"status": "unmatched"}]).pk)}]
    result = made(call, {"items": items})["result"]
    assert [item["label"] for item in result["items"]] == ["Four units", "Vendor A"]
    switches = next(row for row in result["rows"] if row["label"] == "Leaf and spine switches")
    assert switches["sides"][1]["quantity"] == 50
    assert switches["differences"][1]["quantity"]["absolute"] == 50 - sum(
        switches["sides"][0][key] for key in ("quantity", "spare_quantity")
    )
    items[1]["quote"] = str(quote_of(owner, []).pk)
    assert fields_of(call("POST", "comparisons/", {"items": items})) == {"items[1].quote": "no_lines"}
    items[1]["quote"] = str(quote_of(User.objects.create_user("bob"), [line]).pk)
    assert fields_of(call("POST", "comparisons/", {"items": items})) == {"items[1].quote": "not_found"}


def test_the_csv_holds_every_figure_row_and_total(call: Caller) -> None:
    values = made(call, PAIR | {"name": "=Bid 1"})
    answer = call("GET", f"comparisons/{values['id']}/?format=csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="bid-1-comparison.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    result = values["result"]
    assert {row["design"] for row in rows} == {"'=Bid 1"}
    figures = [row for row in rows if row["section"] == "figure"]
    assert [row["key"] for row in figures][::2] == [one["key"] for one in result["figures"]]
    for i, label in enumerate(values["labels"]):
        lines = [row for row in rows if row["section"] == "row" and row["side"] == label]
        assert len(lines) == len(result["rows"])
        total = sum(float(row["typical"]) for row in lines if row["typical"])
        assert total == pytest.approx(result["totals"]["all_usd"][i]["typical"])
        assert sum(int(row["quantity"]) for row in lines if row["quantity"]) > 0
    (scope,) = [row for row in rows if row["key"] == "same_scope_usd" and row["side"] == "RoCE"]
    assert float(scope["difference"]) == pytest.approx(result["totals"]["differences"][1]["absolute"])
    assert_refused(call("GET", f"comparisons/{values['id']}/?format=gold"), 400, "invalid_request", "format")


def test_baseline_and_name_change_and_the_rest_can_be_made_anew(call: Caller, owner: User) -> None:
    design = save_design(owner, parse_spec(SPEC, load_catalog()))
    values = made(call, {"items": [{"design": str(design.pk)}, {"sibling": 0}]})
    path = f"comparisons/{values['id']}/"
    changed = call("PATCH", path, {"baseline": 1, "name": "Round 2"}).json()
    assert (changed["baseline"], changed["name"], changed["result"]["baseline"]) == (1, "Round 2", 1)
    save_design(owner, parse_spec(SPEC | {"compute": {"server": "dgx-h100", "nodes": 64}}, load_catalog()), design)
    assert call("GET", path).json()["is_outdated"]
    again = call("POST", f"{path}refresh/").json()
    assert [item["nodes"] for item in again["result"]["items"]] == [64, 64]
    assert (again["baseline"], again["is_outdated"]) == (1, False)
    assert call("DELETE", path).status_code == 204
    assert_refused(call("GET", path), 404, "not_found")


def fields_of(answer: Any, code: str = "invalid_spec") -> dict[str, str]:
    return {problem["field"]: problem["code"] for problem in assert_refused(answer, 400, code)}


@pytest.mark.parametrize(
    ("items", "field", "code"),
    [
        (None, "items", "out_of_range"),
        ("ab", "items", "out_of_range"),
        ([], "items", "out_of_range"),
        ([{"spec": SPEC}], "items", "out_of_range"),
        ([{"spec": SPEC}] * 9, "items", "out_of_range"),
        ([{"spec": SPEC}, 7], "items[1]", "wrong_type"),
        ([{"spec": SPEC}, {}], "items[1]", "one_source"),
        ([{"spec": SPEC}, {"spec": ROCE, "sibling": 0}], "items[1]", "one_source"),
        ([{"spec": SPEC}, {"gold": 1}], "items[1].gold", "unknown_key"),
        ([{"spec": SPEC}, {"spec": "x"}], "items[1].spec", "wrong_type"),
        ([{"spec": SPEC}, {"spec": {**ROCE, "compute": {"nodes": 0}}}], "items[1].spec.compute.nodes", "out_of_range"),
        ([{"spec": SPEC}, {"design": "x"}], "items[1].design", "invalid"),
        ([{"spec": SPEC}, {"design": "8f14e45f-ceea-467f-8d5c-3a1b2c3d4e5f"}], "items[1].design", "not_found"),
        ([{"spec": SPEC}, {"estimate": 5}], "items[1].estimate", "invalid"),
        ([{"sibling": 0}, {"spec": SPEC}], "items[0].sibling", "out_of_range"),
        ([{"spec": SPEC}, {"sibling": True}], "items[1].sibling", "out_of_range"),
        ([{"offer": {"lines": [LINE]}}, {"sibling": 0}], "items[1].sibling", "invalid"),
        ([{"spec": SPEC}, {"offer": []}], "items[1].offer", "wrong_type"),
        (
            [{"spec": SPEC}, {"offer": {"lines": [LINE | {"quantity": -1}]}}],
            "items[1].offer.lines[0].quantity",
            "out_of_range",
        ),
        (
            [{"spec": SPEC}, {"offer": {"lines": [LINE]}, "price_book": "street"}],
            "items[1].price_book",
            "priced_already",
        ),
        ([{"spec": SPEC}, {"spec": ROCE, "price_book": "gold"}], "items[1].price_book", "invalid"),
        ([{"spec": SPEC}, {"spec": ROCE, "label": ""}], "items[1].label", "out_of_range"),
        ([{"spec": SPEC}, {"spec": ROCE, "label": "a" * 201}], "items[1].label", "out_of_range"),
    ],
)
def test_junk_is_refused_by_field(call: Caller, items: Any, field: str, code: str) -> None:
    assert fields_of(call("POST", "comparisons/", {"items": items}))[field] == code
    assert not Comparison.objects.exists()


def test_wrong_keys_names_and_baselines_are_refused(call: Caller) -> None:
    assert fields_of(call("POST", "comparisons/", PAIR | {"gold": 1}), "invalid_request") == {"gold": "unknown_key"}
    assert fields_of(call("POST", "comparisons/", PAIR | {"name": 5}), "invalid_request") == {"name": "wrong_type"}
    assert fields_of(call("POST", "comparisons/", PAIR | {"name": " "})) == {"name": "out_of_range"}
    assert fields_of(call("POST", "comparisons/", PAIR | {"baseline": 2})) == {"baseline": "out_of_range"}
    assert fields_of(call("POST", "comparisons/", PAIR | {"baseline": "1"})) == {"baseline": "wrong_type"}
    path = f"comparisons/{made(call)['id']}/"
    assert fields_of(call("PATCH", path, {}), "invalid_request") == {"": "nothing_to_change"}
    assert fields_of(call("PATCH", path, {"baseline": True}), "invalid_request") == {"baseline": "wrong_type"}
    assert fields_of(call("PATCH", path, {"baseline": 7})) == {"baseline": "out_of_range"}


def test_an_infeasible_side_and_an_unfinished_estimate_are_named(call: Caller, sent: list[str]) -> None:
    tall = {"compute": {"server": "dgx-h100", "nodes": 100_000}, "fabric": {"generation": "edr", "tiers": 1}}
    answer = call("POST", "comparisons/", {"items": [{"spec": SPEC}, {"spec": tall}]})
    assert all(field.startswith("items[1].spec") for field in fields_of(answer, "infeasible_design"))
    job = call("POST", "estimates/", SPEC).json()
    answer = call("POST", "comparisons/", {"items": [{"spec": SPEC}, {"estimate": job["id"]}]})
    assert fields_of(answer) == {"items[1].estimate": "not_finished"}


def test_owners_see_their_own_and_readers_only_read(call: Caller, owner: User) -> None:
    values = made(call)
    path = f"comparisons/{values['id']}/"
    bob = caller(User.objects.create_user("bob"))
    for method, address, body in (
        ("GET", path, None),
        ("DELETE", path, None),
        ("PATCH", path, {"name": "x"}),
        ("POST", f"{path}refresh/", None),
    ):
        assert_refused(bob(method, address, body), 404, "not_found")
    assert bob("GET", "comparisons/").json()["count"] == 0
    reader = caller(owner, "read")
    assert reader("GET", path).status_code == 200
    assert_refused(reader("POST", "comparisons/", PAIR), 403, "read_only_token")
    assert_refused(caller()("GET", path), 401, "not_authenticated")
