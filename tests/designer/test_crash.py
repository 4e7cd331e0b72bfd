"""kill -9 of worker, broker or web in the middle of ten estimates: all ten finish, each result written once.

A trigger in the database counts every write of a result, so a second one cannot hide. The same on PostgreSQL and a broker
on a server where DESIGNER_TEST_DATABASE_URL and DESIGNER_TEST_BROKER_URL name them.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import time
import urllib.error
import uuid
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from tests.processes import RunningApp, prepare, running_app, wait_for

pytestmark = pytest.mark.processes

TEST_DATABASE_URL = os.environ.get("DESIGNER_TEST_DATABASE_URL", "")
TEST_BROKER_URL = os.environ.get("DESIGNER_TEST_BROKER_URL", "")
N_ESTIMATES = 10


def spec(number: int) -> dict[str, Any]:
    return {
        "name": f"Design {number}",
        "compute": {"server": "dgx-h100", "nodes": 16_000 - 16 * number},
        "fabric": {"generation": "ndr", "tiers": "auto"},
    }


class SqliteRows:
    """The app's own database, looked at from outside."""

    TRIGGER = """
        CREATE TABLE result_writes (job TEXT);
        CREATE TRIGGER count_result_writes AFTER UPDATE OF result ON estimator_estimatejob WHEN NEW.result IS NOT NULL
        BEGIN INSERT INTO result_writes VALUES (NEW.id); END;
    """

    def __init__(self, var: Path) -> None:
        self.connection = sqlite3.connect(var / "db.sqlite3", timeout=20, isolation_level=None)
        self.connection.executescript(self.TRIGGER)

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        return list(self.connection.execute(statement).fetchall())

    def close(self) -> None:
        assert self.query("PRAGMA integrity_check") == [("ok",)]
        self.connection.close()


class PostgresRows:
    TRIGGER = """
        CREATE TABLE result_writes (job TEXT);
        CREATE FUNCTION count_result_write() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN INSERT INTO result_writes VALUES (NEW.id); RETURN NULL; END $$;
        CREATE TRIGGER count_result_writes AFTER UPDATE OF result ON estimator_estimatejob
            FOR EACH ROW WHEN (NEW.result IS NOT NULL) EXECUTE FUNCTION count_result_write();
    """

    def __init__(self, url: str) -> None:
        import psycopg

        self.connection = psycopg.connect(url, autocommit=True)
        self.connection.execute(self.TRIGGER)

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        return self.connection.execute(statement).fetchall()  # type: ignore[arg-type]

    def close(self) -> None:
        self.connection.close()


Rows = SqliteRows | PostgresRows


def kill_in_the_middle(app: RunningApp, rows: Rows, word: str) -> None:
    """Freeze the process's group, see that an estimate is unfinished, and kill it with all that it started."""
    pid = app.main_process(word)
    group = os.getpgid(pid)
    os.killpg(group, signal.SIGSTOP)
    (n_unfinished,) = rows.query("SELECT count(*) FROM estimator_estimatejob WHERE state IN ('queued', 'running')")[0]
    assert n_unfinished > 0
    os.kill(pid, signal.SIGKILL)
    if word == "celery":
        os.killpg(group, signal.SIGKILL)
    else:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGCONT)


def ask_for_ten(app: RunningApp, rows: Rows, word: str) -> list[str]:
    """Post ten estimates as a client does that tries again when a connection breaks; kill in the middle."""
    token = app.token()
    ids: list[str] = []
    for number in range(N_ESTIMATES):
        if number == N_ESTIMATES // 2:
            kill_in_the_middle(app, rows, word)
        ids.append(wait_for(f"an answer to request {number}", lambda: post(app, token, spec(number)), within_s=20))  # noqa: B023
    return ids


def post(app: RunningApp, token: str, body: dict[str, Any]) -> str | None:
    try:
        status, answer = app.call("POST", "/api/v1/estimates/", token, body)
    except (urllib.error.URLError, HTTPException, ConnectionError):
        return None
    assert status in (200, 202), answer
    return str(answer["id"])


def check_all_finished_once(app: RunningApp, rows: Rows, ids: list[str]) -> None:
    assert len(set(ids)) == N_ESTIMATES
    wait_for("the end of all ten", lambda: states(rows) == {"succeeded": N_ESTIMATES}, within_s=45)
    assert sorted(rows.query("SELECT job, count(*) FROM result_writes GROUP BY job HAVING count(*) > 1")) == []
    assert rows.query("SELECT count(*) FROM result_writes") == [(N_ESTIMATES,)]
    token = app.token()
    for number, job_id in enumerate(ids):
        status, answer = app.call("GET", f"/api/v1/estimates/{job_id}/", token)
        assert (status, answer["state"], answer["progress"]) == (200, "succeeded", 1.0)
        assert answer["result"]["fabrics"]["compute"]["counts"]["nodes"] == 16_000 - 16 * number


def states(rows: Rows) -> dict[str, int]:
    return dict(rows.query("SELECT state, count(*) FROM estimator_estimatejob GROUP BY state"))  # type: ignore[arg-type]


@pytest.mark.parametrize("word", ["celery", "valkey-server", "gunicorn"], ids=["worker", "broker", "web"])
def test_ten_estimates_survive_a_kill(tmp_path: Path, word: str) -> None:
    with running_app(prepare(tmp_path)) as app:
        rows = SqliteRows(tmp_path)
        ids = ask_for_ten(app, rows, word)
        check_all_finished_once(app, rows, ids)
        rows.close()


def test_requests_are_kept_while_the_broker_is_down(tmp_path: Path) -> None:
    with running_app(prepare(tmp_path)) as app:
        rows = SqliteRows(tmp_path)
        token = app.token()
        os.kill(app.main_process("valkey-server"), signal.SIGKILL)
        began = time.monotonic()
        status, answer = app.call("POST", "/api/v1/estimates/", token, spec(0))
        assert status == 202
        assert time.monotonic() - began < 3
        wait_for("the estimate", lambda: states(rows) == {"succeeded": 1}, within_s=30)
        rows.close()


@pytest.fixture
def server_environment() -> Iterator[dict[str, str]]:
    """A database and a queue of this test alone, on the servers that the environment names."""
    if not TEST_DATABASE_URL or not TEST_BROKER_URL:
        pytest.skip("DESIGNER_TEST_DATABASE_URL and DESIGNER_TEST_BROKER_URL are not set")
    import psycopg
    from kombu import Connection

    name = f"clusterwright_test_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(TEST_DATABASE_URL, autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}"')  # type: ignore[arg-type]
        try:
            yield {
                "DESIGNER_DATABASE_URL": f"{TEST_DATABASE_URL.rsplit('/', 1)[0]}/{name}",
                "DESIGNER_BROKER_URL": TEST_BROKER_URL,
                "DESIGNER_QUEUE": name,
                "DESIGNER_SECRET_KEY": uuid.uuid4().hex * 2,
            }
        finally:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')  # type: ignore[arg-type]
            with Connection(TEST_BROKER_URL) as broker:
                broker.default_channel.queue_delete(name)


@pytest.mark.parametrize("word", ["celery", "gunicorn"], ids=["worker", "web"])
def test_ten_estimates_survive_a_kill_on_servers(tmp_path: Path, server_environment: dict[str, str], word: str) -> None:
    with running_app(tmp_path, **server_environment) as app:
        rows = PostgresRows(server_environment["DESIGNER_DATABASE_URL"])
        ids = ask_for_ten(app, rows, word)
        check_all_finished_once(app, rows, ids)
        rows.close()
