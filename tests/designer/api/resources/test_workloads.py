"""Training and serving over REST: what the verbs answer, one or a list, on a system, a request or a saved design."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from designer.api.schema import workloads as schema
from estimator.catalog.loader import load_catalog
from estimator.serving_request.answering import served
from estimator.training_request import trained
from tests.designer.api_helpers import SPEC, Caller, assert_refused, caller

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("address", "asked", "answer"),
    [
        ("training/", schema.TRAINING_EXAMPLE, trained),
        ("training/", schema.TRAINING_OF_DESIGN, trained),
        ("inference/", schema.SERVING_EXAMPLE, served),
        ("inference/", schema.SERVING_OF_DESIGN, served),
    ],
)
def test_a_call_answers_as_the_verb(call: Caller, address: str, asked: Any, answer: Any) -> None:
    response = call("POST", address, asked)
    assert response.status_code == 200, response.content
    assert response.json() == answer(asked, load_catalog())


def test_a_list_is_answered_in_its_order_with_refusals_in_their_places(call: Caller) -> None:
    wrong = schema.TRAINING_EXAMPLE | {"model": "gpt-9"}
    first, second, third = call("POST", "training/", [schema.TRAINING_EXAMPLE, wrong, schema.TRAINING_EXAMPLE]).json()
    assert first == third == call("POST", "training/", schema.TRAINING_EXAMPLE).json()
    assert second["problems"][0]["field"] == "model"


@pytest.mark.parametrize(
    ("address", "asked"), [("training/", schema.TRAINING_OF_DESIGN), ("inference/", schema.SERVING_OF_DESIGN)]
)
def test_a_saved_design_is_named_by_its_id(call: Caller, address: str, asked: Any) -> None:
    saved = call("POST", "designs/", SPEC).json()["id"]
    by_spec, by_id = (call("POST", address, asked | {"design": design}) for design in (SPEC, saved))
    assert by_spec.status_code == 200, by_spec.content
    assert by_id.json() == by_spec.json()
    stranger = caller(User.objects.create_user("grace"))
    assert_refused(stranger("POST", address, asked | {"design": saved}), 404, "not_found")
    assert_refused(stranger("POST", address, [asked | {"design": saved}]), 404, "not_found")


@pytest.mark.parametrize("address", ["training/", "inference/"])
def test_wrong_bodies_are_refused(call: Caller, address: str) -> None:
    assert_refused(call("POST", address, {}), 400, "invalid_spec")
    assert_refused(call("POST", address, 7), 400, "not_an_object")
    assert_refused(call("POST", address, {"design": "no id"}), 400, "invalid_request")
    assert_refused(call("POST", address, [{}] * (schema.MOST_WORKLOADS + 1)), 400, "too_many_requests")
    answers = call("POST", address, [{}, 7, None]).json()
    assert all(one["problems"] for one in answers)
