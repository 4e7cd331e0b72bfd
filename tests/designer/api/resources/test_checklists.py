"""The checklist over REST: items and ticks, files, what is refused, and who was faster."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.designer.api_helpers import Caller, assert_refused, caller

pytestmark = pytest.mark.django_db
SPEC = {"name": "Site A", "compute": {"server": "dgx-h100", "nodes": 8}, "fabric": {"generation": "ndr"}}


@pytest.fixture
def path(call: Caller) -> str:
    made = call("POST", "designs/", SPEC)
    assert made.status_code == 201
    return f"designs/{made.json()['id']}/checklist/"


def ticked(call: Caller, path: str, **body: Any) -> Any:
    return call("PATCH", path, body)


def test_items_and_ticks_are_answered(call: Caller, path: str) -> None:
    before = call("GET", path).json()
    assert before["ticks"] == []
    assert before["days"] == max(item["last_day"] for item in before["items"])
    code = before["items"][0]["code"]
    state = ticked(call, path, item=code, done=True).json()
    assert (state["code"], state["done"], state["version"], state["changed"]) == (code, True, 1, False)
    assert state["by"].endswith("over REST")
    (tick,) = call("GET", path).json()["ticks"]
    assert tick == state
    back = ticked(call, path, item=code, done=False, version=1).json()
    assert (back["done"], back["version"]) == (False, 2)
    table = call("GET", f"{path}?format=csv")
    assert table["Content-Type"].startswith("text/csv")
    assert table.content.decode().splitlines()[0].endswith("done,by,at")


def test_who_is_slower_is_refused_and_nothing_is_written(call: Caller, path: str) -> None:
    code = call("GET", path).json()["items"][0]["code"]
    ticked(call, path, item=code, done=True)
    assert_refused(ticked(call, path, item=code, done=False), 409, "changed_meanwhile")
    assert_refused(ticked(call, path, item=code, done=False, version=7), 409, "changed_meanwhile")
    (tick,) = call("GET", path).json()["ticks"]
    assert (tick["done"], tick["version"]) == (True, 1)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "invalid_request"),
        ({"item": "rack/rack-001"}, "invalid_request"),
        ({"item": "rack/rack-001", "done": "yes"}, "invalid_request"),
        ({"item": "rack/rack-001", "done": True, "version": -1}, "invalid_request"),
        ({"item": "rack/rack-001", "done": True, "version": True}, "invalid_request"),
        ({"item": "rack/rack-001", "done": True, "by": "me"}, "invalid_request"),
        ({"item": "no/such", "done": True}, "invalid_spec"),
    ],
)
def test_a_body_that_says_too_little_or_too_much_is_refused(call: Caller, path: str, body: Any, code: str) -> None:
    assert_refused(call("PATCH", path, body), 400, code)


def test_a_design_of_somebody_else_is_not_there(path: str) -> None:
    stranger = caller(User.objects.create_user("grace"))
    assert_refused(stranger("GET", path), 404, "not_found")
    assert_refused(stranger("PATCH", path, {"item": "rack/rack-001", "done": True}), 404, "not_found")
