"""Signing in by password: ten wrong ones, then a pause that the right one does not end."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.sign_in import MAX_FAILURES

pytestmark = pytest.mark.django_db


def attempt(client: Client, password: str, name: str = "ada") -> int:
    return client.post(reverse("sign-in"), {"username": name, "password": password}).status_code


def test_after_ten_wrong_passwords_a_name_waits(owner: User, client: Client) -> None:
    right = "a long password for tests"
    assert [attempt(client, "wrong") for _ in range(MAX_FAILURES)] == [200] * MAX_FAILURES
    assert attempt(client, right) == 429
    assert attempt(client, "wrong", "grace") == 200
    assert "_auth_user_id" not in client.session


def test_nine_wrong_passwords_do_not_lock_the_right_one_out(owner: User, client: Client) -> None:
    for _ in range(MAX_FAILURES - 1):
        attempt(client, "wrong")
    assert attempt(client, "a long password for tests") == 302
