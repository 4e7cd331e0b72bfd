"""What tests of several parts share."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from hypothesis import HealthCheck, settings

from estimator.catalog.catalog import Catalog
from estimator.catalog.loader import load_catalog
from tests import spread
from tests.processes import shared_folder

# A busy machine draws slowly and stalls between two examples; neither is a fault of the code. A check of a commit draws
# the same examples each time, so that it says something of the commit; a run by hand draws new ones, and finds new faults.
settings.register_profile(
    "busy machine", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize="CI" in os.environ
)
settings.load_profile("busy machine")


def pytest_configure() -> None:
    shared_folder()  # made before the processes that share it


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest comes first, so that no core waits for another at the end."""
    spread.name_apart(items)
    items.sort(key=spread.start_rank)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays to the end: the garbage collector need not look at it, neither now nor again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()  # with the little that could be thrown away: to look for it takes longer
        gc.set_threshold(50_000, 20, 100)  # most of what tests make goes without it
        gc.enable()


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    return spread.scheduler(config, log)


@pytest.fixture(scope="session", autouse=True)
def _emptied_quickly() -> Iterator[None]:
    """After a test that commits: TRUNCATE makes new files for each table of PostgreSQL, which takes a second or two."""

    def emptied(style: object, tables: list[str], **_: object) -> list[str]:
        return [f'DELETE FROM "{table}"' for table in tables]

    with pytest.MonkeyPatch.context() as patch:
        if connection.vendor == "postgresql":
            patch.setattr(connection.ops, "sql_flush", emptied)
        yield


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return load_catalog()


@pytest.fixture
def owner(db: None) -> User:
    return User.objects.create_user("ada", password="a long password for tests")


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    """Throttles count in the cache; no test may use up another's share."""
    cache.clear()
