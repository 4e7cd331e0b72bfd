"""What tests of the web app share."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from estimator.jobs import tasks
from tests.designer.api_helpers import Caller, caller
from tests.designer.browser.browsing import accounts, app, browser, gallery, session

# fixtures of the browser tests, made once a process
__all__ = ["accounts", "app", "browser", "gallery", "session"]


@pytest.fixture
def page(owner: User) -> Client:
    """A browser without scripts, signed in as the owner."""
    client = Client()
    client.force_login(owner)
    return client


@pytest.fixture
def call(owner: User) -> Caller:
    """Calls the API as the owner, with a token that may write."""
    return caller(owner)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids that would have gone to the broker."""
    ids: list[str] = []
    monkeypatch.setattr(tasks.run_estimate, "apply_async", lambda args, **_: ids.append(args[0]))
    return ids
