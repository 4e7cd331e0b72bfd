"""Calls made at the same time, each in a thread with a connection to the database of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

import pytest
from django.db import connection, models, transaction

T = TypeVar("T")

WAIT_S = 40
WAITING = """
    SELECT count(DISTINCT waiter.pid) FROM pg_locks waiter
    JOIN pg_locks held ON held.pid = waiter.pid AND held.granted
    JOIN pg_database here ON here.oid = held.database AND here.datname = current_database()
    WHERE NOT waiter.granted
"""


def at_once(calls: Sequence[Callable[[], T]]) -> list[T]:
    """What each call gives, all begun at the same moment. An error of one is raised."""
    start = threading.Barrier(len(calls))
    with ThreadPoolExecutor(len(calls)) as pool:
        asked = [pool.submit(_begun, call, start) for call in calls]
        return [one.result(WAIT_S) for one in asked]


def _begun(call: Callable[[], T], start: threading.Barrier) -> T:
    try:
        start.wait(WAIT_S)
        return call()
    finally:
        connection.close()  # this thread's own


@contextmanager
def held_up(rows: models.QuerySet[Any], calls: Sequence[Callable[[], T]]) -> Iterator[list[Future[T]]]:
    """Calls that have all come as far as a lock on rows which another transaction changes in the block, and then commits.

    The worst moment for each of them, and the same one at every run. PostgreSQL alone can say who waits.
    """
    if connection.vendor != "postgresql":
        pytest.skip("who waits for a lock is seen on PostgreSQL alone: set DESIGNER_TEST_DATABASE_URL")
    start = threading.Barrier(len(calls))
    with ThreadPoolExecutor(len(calls)) as pool:
        with transaction.atomic():
            assert list(rows.select_for_update())
            asked = [pool.submit(_begun, call, start) for call in calls]
            _wait_for_waiters(len(calls))
            yield asked
        for one in asked:
            one.exception(WAIT_S)


def _wait_for_waiters(n: int) -> None:
    deadline = time.monotonic() + WAIT_S
    with connection.cursor() as cursor:
        while True:
            cursor.execute(WAITING)
            (found,) = cursor.fetchone()
            if found >= n:
                return
            assert time.monotonic() < deadline, f"{found} of {n} wait for the lock"
            time.sleep(0.01)
