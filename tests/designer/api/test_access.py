"""Who may call the API, with what, and how often."""

import logging
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from redis.exceptions import ConnectionError as RedisConnectionError
from rest_framework.throttling import SimpleRateThrottle

from designer.models import ApiToken
from tests.designer.api_helpers import BASE, SPEC, Caller, assert_refused, caller

pytestmark = pytest.mark.django_db

ADDRESSES = [
    ("POST", "preview/"),
    ("POST", "predictions/"),
    ("POST", "training/"),
    ("POST", "searches/"),
    ("POST", "sweeps/"),
    ("POST", "inference/"),
    ("POST", "acceptance/"),
    ("POST", "settings-checks/"),
    ("GET", "designs/00000000-0000-4000-8000-000000000000/bring-up/"),
    ("GET", "spec-schema/"),
    ("GET", "designs/"),
    ("POST", "designs/"),
    ("GET", "designs/00000000-0000-4000-8000-000000000000/"),
    ("GET", "estimates/"),
    ("POST", "estimates/"),
    ("GET", "estimates/00000000-0000-4000-8000-000000000000/bom/"),
    ("GET", "catalog/"),
    ("GET", "catalog/switches/"),
    ("GET", "nowhere/"),
]


@pytest.fixture
def low_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    rates = {"user": "3/min", "anon": "2/min", "heavy": "1/min"}
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", rates)


@pytest.mark.parametrize(("method", "path"), ADDRESSES)
def test_strangers_are_asked_to_sign_in(method: str, path: str) -> None:
    response = caller()(method, path)
    assert_refused(response, 401, "not_authenticated")
    assert response["WWW-Authenticate"] == 'Token realm="api"'


@pytest.mark.parametrize("header", ["Token", "Token a b", "Token wrong", "token " + "x" * 300, "Token é", "Token \x00"])
def test_wrong_tokens_are_refused(header: str) -> None:
    response = caller()("GET", "designs/", Authorization=header)
    assert_refused(response, 401, "invalid_token")
    assert "WWW-Authenticate" in response


def test_other_schemes_are_strangers() -> None:
    assert_refused(caller()("GET", "designs/", Authorization="Basic YTpi"), 401, "not_authenticated")


def test_revoked_tokens_and_barred_owners_are_refused(owner: User) -> None:
    call = caller(owner)
    assert call("GET", "designs/").status_code == 200
    ApiToken.objects.update(revoked_at=timezone.now())
    assert_refused(call("GET", "designs/"), 401, "invalid_token")
    ApiToken.objects.update(revoked_at=None)
    User.objects.update(is_active=False)
    assert_refused(call("GET", "designs/"), 401, "invalid_token")


def test_a_token_is_made_and_ended_by_name(owner: User, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("token", "laptop", "--user", "ada", "--scope", "write")
    key = capsys.readouterr().out.strip()
    assert caller()("GET", "designs/", Authorization=f"Token {key}").status_code == 200
    call_command("token", "laptop", "--user", "ada", "--revoke")
    assert capsys.readouterr().out == ""
    assert_refused(caller()("GET", "designs/", Authorization=f"Token {key}"), 401, "invalid_token")
    with pytest.raises(CommandError, match=r"no live token named laptop\. Live tokens: none"):
        call_command("token", "laptop", "--user", "ada", "--revoke")


def test_the_database_holds_no_key(owner: User) -> None:
    token, key = ApiToken.issue(owner, "ci")
    assert key not in [str(value) for value in ApiToken.objects.filter(pk=token.pk).values().get().values()]


def test_use_of_a_token_is_noted_once_a_minute(owner: User) -> None:
    call = caller(owner)
    call("GET", "designs/")
    first = ApiToken.objects.get().last_used_at
    assert first is not None
    call("GET", "designs/")
    assert ApiToken.objects.get().last_used_at == first
    ApiToken.objects.update(last_used_at=first - timedelta(minutes=2))
    call("GET", "designs/")
    assert ApiToken.objects.get().last_used_at != first - timedelta(minutes=2)


@pytest.mark.parametrize(("method", "path"), [("POST", "designs/"), ("POST", "estimates/")])
def test_a_reading_token_cannot_store(owner: User, method: str, path: str) -> None:
    assert_refused(caller(owner, "read")(method, path, SPEC), 403, "read_only_token")


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_a_reading_token_cannot_change_a_design(owner: User, method: str) -> None:
    design = caller(owner)("POST", "designs/", SPEC).json()
    path = f"designs/{design['id']}/"
    assert_refused(caller(owner, "read")(method, path, {"name": "x"}), 403, "read_only_token")
    assert caller(owner, "read")("GET", path).json()["name"] == "Four units"


def test_a_reading_token_may_preview_and_predict(owner: User) -> None:
    call = caller(owner, "read")
    assert_refused(call("POST", "preview/", {}), 400, "invalid_spec")
    assert_refused(call("POST", "predictions/", {}), 400, "invalid_spec")


def test_a_session_reads_but_needs_its_csrf_token_to_write(owner: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    call = Caller(client)
    assert call("GET", "designs/").status_code == 200
    assert_refused(call("POST", "designs/", SPEC), 403, "csrf_failed")
    assert_refused(call("POST", "preview/", SPEC), 403, "csrf_failed")
    client.cookies["clusterwright_csrf"] = "a" * 32
    assert call("POST", "designs/", SPEC, **{"X-CSRFToken": "a" * 32}).status_code == 201


def test_another_site_cannot_post_with_the_session(owner: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    form = client.post(f"{BASE}/designs/", {"name": "x"})
    assert_refused(form, 403, "csrf_failed")


def test_too_many_calls_learn_when_to_come_back(owner: User, low_rates: None) -> None:
    call = caller(owner)
    assert [call("GET", "designs/").status_code for _ in range(3)] == [200] * 3
    response = call("GET", "designs/")
    assert_refused(response, 429, "throttled")
    assert 1 <= int(response["Retry-After"]) <= 60
    assert response["Retry-After"] in response.json()["problems"][0]["message"]


def test_each_user_has_counts_of_their_own(owner: User, low_rates: None) -> None:
    for _ in range(4):
        caller(owner)("GET", "designs/")
    assert caller(User.objects.create_user("bob"))("GET", "designs/").status_code == 200


def test_guessing_tokens_gets_slow(low_rates: None) -> None:
    statuses = [caller()("GET", "designs/", Authorization=f"Token guess{n}").status_code for n in range(3)]
    assert statuses == [401, 401, 429]


def test_strangers_are_slowed_down(low_rates: None) -> None:
    assert [caller()("GET", "designs/").status_code for _ in range(3)] == [401, 401, 429]


def test_queueing_work_has_a_limit_of_its_own(owner: User, low_rates: None) -> None:
    call = caller(owner)
    assert call("POST", "estimates/", SPEC).status_code == 202
    assert_refused(call("POST", "estimates/", SPEC), 429, "throttled")
    assert call("GET", "estimates/").status_code == 200


def test_without_its_cache_the_api_answers_and_the_log_says_so(
    owner: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Away:
        def get(self, *_: Any, **__: Any) -> None:
            raise RedisConnectionError("no socket")

    monkeypatch.setattr(SimpleRateThrottle, "cache", Away())
    with caplog.at_level(logging.WARNING, "designer.api.throttling"):
        assert caller(owner)("GET", "designs/").status_code == 200
    assert "not counting" in caplog.text
