"""Searches and sweeps over REST: what the verbs answer, within the bounds of a call."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from designer.api.schema import searches as schema
from estimator.catalog.loader import load_catalog
from estimator.jobs import tasks
from estimator.pipeline import estimate
from estimator.search.search import search
from estimator.search.sweep import sweep
from tests.designer.api_helpers import SPEC, Caller, assert_refused, caller

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("address", "asked", "answer"),
    [("searches/", schema.SEARCH_EXAMPLE, search), ("sweeps/", schema.SWEEP_EXAMPLE, sweep)],
)
def test_a_call_answers_as_the_verb(call: Caller, address: str, asked: Any, answer: Any) -> None:
    response = call("POST", address, asked)
    assert response.status_code == 200, response.content
    assert response.json() == answer(asked, load_catalog(), estimate).as_json()


def test_a_saved_design_is_named_by_its_id(call: Caller) -> None:
    saved = call("POST", "designs/", SPEC).json()["id"]
    asked = {"base": saved, "free": ["uplink_spread"], "objective": "switches"}
    by_spec, by_id = (call("POST", "searches/", asked | {"base": base}) for base in (SPEC, saved))
    assert by_spec.status_code == 200, by_spec.content
    assert by_id.json() == by_spec.json()
    stranger = caller(User.objects.create_user("grace"))
    refused = [stranger("POST", "searches/", asked), call("POST", "searches/", {"base": "hall-1"})]
    assert_refused(refused[0], 404, "not_found")
    assert [answer.json()["problems"][0]["field"] for answer in refused] == ["base", "base"]


def base_with(**fabric: Any) -> Any:
    return {
        "compute": {"server": "dgx-h100", "nodes": {"from": 1, "to": 400}},
        "fabric": {"generation": "ndr"} | fabric,
    }


@pytest.mark.parametrize(
    "base",
    [
        base_with(leaf_uplinks={"from": 1, "to": 60}),
        base_with(tiers=3, leaf_uplinks=[16, 32]),
        {**base_with(), "economics": {"discount_rate": {"from": 0, "to": 0.4, "step": 0.001}}},
    ],
    ids=["candidates", "of three tiers", "requests"],
)
def test_more_than_a_caller_can_wait_for_is_refused(call: Caller, base: Any) -> None:
    response = call("POST", "searches/", {"base": base})
    assert response.status_code == 400
    assert response.json()["problems"][0]["code"] == "too_many_candidates"


def test_wrong_bodies_are_refused(call: Caller) -> None:
    assert_refused(call("POST", "searches/", {}), 400, "invalid_spec")
    assert_refused(call("POST", "sweeps/", 7), 400, "not_an_object")
    assert_refused(call("POST", "searches/", {"base": "no id"}), 400, "invalid_request")


# ---------------------------------------------------------------- searches that workers do


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Ids of chunks that would have gone to the broker."""
    out: list[str] = []
    for name in ("run_chunk", "run_join"):
        monkeypatch.setattr(getattr(tasks, name), "apply_async", lambda args, **_: out.append(args[0]))
    return out


def test_a_search_for_workers_is_followed_to_what_the_verb_answers(
    call: Caller, sent: list[str], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        made = call("POST", "searches/jobs/", schema.SEARCH_EXAMPLE)
    assert made.status_code == 202, made.content
    address = f"searches/jobs/{made.json()['id']}/"
    assert made["Location"] == made.json()["url"]
    assert made["Location"].endswith(f"/api/v1/{address}")
    waiting = call("GET", address)
    assert (waiting.json()["state"], waiting.json()["progress"], waiting.json()["result"]) == ("queued", 0, None)
    assert waiting["Retry-After"] == "1"
    for pk in list(sent):
        tasks.run_chunk(pk)
    assert call("GET", address).json()["progress"] == 1
    tasks.run_join(made.json()["id"])
    done = call("GET", address).json()
    assert done["state"] == "succeeded"
    assert done["result"] == call("POST", "searches/", schema.SEARCH_EXAMPLE).json()
    assert [one["id"] for one in call("GET", "searches/jobs/").json()["results"]] == [done["id"]]
    assert_refused(call("POST", f"{address}cancel/"), 409, "already_ended")
    assert_refused(caller(User.objects.create_user("grace"))("GET", address), 404, "not_found")


def test_a_search_for_workers_is_stopped_as_its_author_has_read_it_and_refused_as_the_verb(
    call: Caller, sent: list[str]
) -> None:
    pk = call("POST", "searches/jobs/", schema.SEARCH_EXAMPLE).json()["id"]
    tag = call("GET", f"searches/jobs/{pk}/")["ETag"]
    assert_refused(call("POST", f"searches/jobs/{pk}/cancel/", **{"If-Match": '"other"'}), 412, "changed_meanwhile")
    stopped = call("POST", f"searches/jobs/{pk}/cancel/", **{"If-Match": tag})
    assert stopped.json()["state"] == "cancelled", stopped.content
    wrong = schema.SEARCH_EXAMPLE | {"limits": [{"figure": "racks", "most": True}]}
    (problem,) = assert_refused(call("POST", "searches/jobs/", wrong), 400, "invalid_spec")
    assert problem["field"] == "limits[0].most"
