"""Designs over REST: save, list, rename, revise, delete; each owner sees their own only."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from designer.models import Design
from estimator.jobs.models import EstimateJob
from tests.designer.api_helpers import SPEC, Caller, assert_refused, caller

pytestmark = pytest.mark.django_db
NO_ID = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def design(call: Caller) -> dict[str, Any]:
    return call("POST", "designs/", SPEC).json()


def test_a_saved_design_comes_back_with_every_default(call: Caller) -> None:
    response = call("POST", "designs/", SPEC)
    assert response.status_code == 201
    saved = response.json()
    assert response["Location"] == saved["url"]
    assert saved["url"].endswith(f"/api/v1/designs/{saved['id']}/")
    assert (saved["name"], saved["revision"], saved["state_number"]) == ("Four units", 0, 1)
    assert saved["spec"]["compute"]["nodes"] == 127
    assert saved["spec"]["fabric"]["layout"] == "rail-optimized"
    assert call("GET", f"designs/{saved['id']}/").json() == saved


def test_a_name_beside_the_spec_is_the_designs(call: Caller) -> None:
    saved = call("POST", "designs/", {"name": "Bid", "spec": SPEC}).json()
    assert (saved["name"], saved["spec"]["name"]) == ("Bid", "Bid")


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({"spec": SPEC, "owner": 1}, "invalid_request", "owner"),
        ({"spec": []}, "invalid_spec", ""),
        ({"spec": None, "name": "x"}, "invalid_spec", ""),
        ({"spec": SPEC, "name": 7}, "invalid_spec", "name"),
        ({"spec": SPEC, "name": ""}, "invalid_spec", "name"),
        ({}, "invalid_spec", "compute"),
    ],
)
def test_a_body_that_is_no_named_spec_is_refused(call: Caller, body: Any, code: str, field: str) -> None:
    assert_refused(call("POST", "designs/", body), 400, code, field)
    assert not Design.objects.exists()


def test_a_new_name_changes_the_design(call: Caller, design: dict[str, Any]) -> None:
    changed = call("PATCH", f"designs/{design['id']}/", {"name": "Second round"}).json()
    assert (changed["name"], changed["state_number"], changed["spec"]["name"]) == ("Second round", 2, "Second round")
    assert changed["spec"]["compute"] == design["spec"]["compute"]
    assert changed["spec_hash"] != design["spec_hash"]


def test_a_new_spec_keeps_the_name_unless_it_brings_one(call: Caller, design: dict[str, Any]) -> None:
    path = f"designs/{design['id']}/"
    spec = {key: value for key, value in SPEC.items() if key != "name"} | {
        "compute": {"server": "dgx-h100", "nodes": 31}
    }
    changed = call("PATCH", path, {"spec": spec}).json()
    assert (changed["name"], changed["spec"]["compute"]["nodes"]) == ("Four units", 31)
    assert call("PATCH", path, {"spec": spec | {"name": "One unit"}}).json()["name"] == "One unit"
    assert call("PATCH", path, {"spec": spec | {"name": "One unit"}, "name": "1 SU"}).json()["name"] == "1 SU"
    now = call("GET", path).json()
    assert (now["state_number"], now["revisions"]) == (4, []), "nothing makes a version unasked"


def test_the_same_again_is_no_change(call: Caller, design: dict[str, Any]) -> None:
    assert call("PATCH", f"designs/{design['id']}/", {"spec": SPEC}).json()["state_number"] == 1


def test_a_named_version_can_be_read_again_and_estimated(call: Caller, design: dict[str, Any], sent: list[str]) -> None:
    made = call("POST", f"designs/{design['id']}/revisions/", {"name": "Bid 1", "note": "as sent"})
    assert (made.status_code, made.json()["number"], made.json()["name"], made.json()["note"]) == (
        201,
        1,
        "Bid 1",
        "as sent",
    )
    call("PATCH", f"designs/{design['id']}/", {"name": "Second round"})
    assert call("POST", f"designs/{design['id']}/revisions/").json()["name"] == "Version 2"
    for body, name in (
        ({"design": design["id"]}, "Second round"),
        ({"design": design["id"], "revision": 1}, "Four units"),
    ):
        assert call("POST", "estimates/", body).json()["name"] == name
    assert_refused(call("POST", "estimates/", {"design": design["id"], "revision": 9}), 404, "not_found", "revision")
    assert_refused(call("POST", f"designs/{design['id']}/revisions/", {"name": 7}), 400, "invalid_request", "name")
    revisions = call("GET", f"designs/{design['id']}/").json()["revisions"]
    first = call("GET", f"designs/{design['id']}/revisions/1/").json()
    assert first["spec"] == design["spec"]
    assert first["spec_hash"] == revisions[0]["spec_hash"] == design["spec_hash"]
    assert_refused(call("GET", f"designs/{design['id']}/revisions/3/"), 404, "not_found")
    assert_refused(call("GET", f"designs/{design['id']}/revisions/99999999999999999999/"), 404, "not_found")


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({}, "nothing_to_change", ""),
        ({"nam": "x"}, "invalid_request", "nam"),
        ({"spec": {"name": "x"}}, "invalid_spec", "fabric"),
        ({"name": None}, "invalid_spec", "name"),
    ],
)
def test_a_change_that_makes_no_sense_is_refused(
    call: Caller, design: dict[str, Any], body: Any, code: str, field: str
) -> None:
    assert_refused(call("PATCH", f"designs/{design['id']}/", body), 400, code, field)
    assert call("GET", f"designs/{design['id']}/").json() == design


def test_a_deleted_design_is_gone_and_its_estimates_stay(call: Caller, design: dict[str, Any]) -> None:
    call("POST", "estimates/", {"design": design["id"]})
    response = call("DELETE", f"designs/{design['id']}/")
    assert (response.status_code, response.content) == (204, b"")
    assert_refused(call("GET", f"designs/{design['id']}/"), 404, "not_found")
    assert_refused(call("DELETE", f"designs/{design['id']}/"), 404, "not_found")
    assert EstimateJob.objects.count() == 1


def test_the_list_has_pages_and_a_search(call: Caller) -> None:
    for number in range(5):
        call("POST", "designs/", {"name": f"Bid {number}", "spec": SPEC})
    first = call("GET", "designs/?page_size=2").json()
    assert (first["count"], len(first["results"]), first["previous"]) == (5, 2, None)
    assert "page=2" in first["next"]
    assert first["results"][0]["name"] == "Bid 4"
    assert "spec" not in first["results"][0]
    last = call("GET", "designs/?page_size=2&page=3").json()
    assert (len(last["results"]), last["next"]) == (1, None)
    found = call("GET", "designs/?search=bid%203").json()
    assert [row["name"] for row in found["results"]] == ["Bid 3"]
    assert found["results"][0]["revision"] == 0


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", ""), ("PATCH", ""), ("DELETE", ""), ("GET", "revisions/1/")],
)
def test_anothers_design_is_not_found(design: dict[str, Any], method: str, path: str) -> None:
    other = caller(User.objects.create_user("bob"))
    assert_refused(other(method, f"designs/{design['id']}/{path}", {"name": "mine"}), 404, "not_found")
    assert_refused(other("POST", "estimates/", {"design": design["id"]}), 404, "not_found", "design")
    assert other("GET", "designs/").json()["count"] == 0
    assert Design.objects.get().name == "Four units"


def test_an_id_that_nobody_has_is_not_found(call: Caller) -> None:
    assert_refused(call("GET", f"designs/{NO_ID}/"), 404, "not_found")
