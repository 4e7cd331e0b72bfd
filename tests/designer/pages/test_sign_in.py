"""Signing in. By password: ten wrong ones, then a pause that the right one does not end. By link: once, and again for oneself."""

import os
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.models import SignInLink
from designer.pages.sign_in import MAX_FAILURES
from designer.services import same_person

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


class TestLink:
    @pytest.fixture
    def address(self, owner: User) -> str:
        return reverse("sign-in-by-link", args=[SignInLink.issue(owner)])

    @pytest.fixture
    def connection(self) -> Iterator[dict[str, Any]]:
        """What a server knows of a connection that a program of this user holds."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            near = socket.create_connection(server.getsockname())
            far, (_, port) = server.accept()
            with near, far:
                yield {
                    "REMOTE_ADDR": "127.0.0.1",
                    "REMOTE_PORT": str(port),
                    "SERVER_PORT": str(server.getsockname()[1]),
                }

    def test_looking_at_it_uses_nothing_up(self, client: Client, address: str) -> None:
        assert client.head(address).status_code == 200
        assert client.post(address).status_code == 405
        assert client.options(address).status_code == 405
        assert client.get(address, headers={"Sec-Purpose": "prefetch;prerender"}).status_code == 503
        assert client.get(address, headers={"Purpose": "prefetch"}).status_code == 503
        assert "_auth_user_id" not in client.session
        assert client.get(address).status_code == 302
        assert "_auth_user_id" in client.session

    def test_who_learns_of_it_later_is_refused(self, address: str) -> None:
        assert Client().get(address).status_code == 302
        assert Client().get(address).status_code == 403
        assert Client(REMOTE_ADDR="203.0.113.7", REMOTE_PORT="4711").get(address).status_code == 403

    def test_another_browser_of_the_same_person_gets_in(self, address: str, connection: dict[str, Any]) -> None:
        assert Client().get(address).status_code == 302
        second = Client()
        assert second.get(address, **connection).status_code == 302
        assert "_auth_user_id" in second.session

    def test_through_a_proxy_nobody_is_the_same_person(
        self, address: str, connection: dict[str, Any], settings: Any
    ) -> None:
        assert Client().get(address).status_code == 302
        for name in same_person.OF_A_PROXY:
            assert Client().get(address, **connection | {name: "198.51.100.1"}).status_code == 403
        settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": 1}
        assert Client().get(address, **connection).status_code == 403

    def test_another_user_of_the_machine_is_not(
        self, address: str, connection: dict[str, Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert Client().get(address).status_code == 302
        user = os.geteuid()
        monkeypatch.setattr(same_person.os, "geteuid", lambda: user + 1)
        assert Client().get(address, **connection).status_code == 403

    def test_a_connection_that_is_not_there_is_nobodys(self, address: str, connection: dict[str, Any]) -> None:
        assert Client().get(address).status_code == 302
        assert Client().get(address, **connection | {"REMOTE_PORT": "1"}).status_code == 403
        assert Client().get(address, **connection | {"REMOTE_PORT": "x"}).status_code == 403
        assert Client().get(address, **connection | {"REMOTE_ADDR": "198.51.100.1"}).status_code == 403
