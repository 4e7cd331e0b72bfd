"""What tests of the web app share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from estimator.catalog.catalog import Catalog
from estimator.jobs import tasks
from estimator.pipeline import estimate
from estimator.spec.design import DesignSpec
from tests.designer.api_helpers import Caller, caller
from tests.designer.browser.browsing import accounts, app, browser, gallery, session

# fixtures of the browser tests, made once a process
__all__ = ["accounts", "app", "browser", "gallery", "session"]


@pytest.fixture(scope="session", autouse=True)
def _estimated_once() -> Iterator[None]:
    """Jobs of one design share its Estimate, which follows from spec and catalog alone: many tests begin with the same."""
    kept: dict[str, Any] = {}

    def estimated(specs: list[DesignSpec], catalog: Catalog) -> Any:
        asked = "\n".join(spec.model_dump_json() for spec in specs)
        if asked not in kept:
            kept[asked] = estimate(specs, catalog)
        return kept[asked]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tasks, "estimate", estimated)
        yield


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
