"""kill -9 of worker, broker or web in the middle of ten estimates: all ten finish, each result written once.

An edit in a browser survives a killed web server too, and a killed supervisor leaves nothing behind: all on one app.

Triggers in the database, set from outside, count every write of a result, so that a second one cannot hide, and hold
each estimate up for a fraction of a second until one has been hit: an estimate takes milliseconds. The same on
PostgreSQL and a broker on a server, where DESIGNER_TEST_DATABASE_URL and DESIGNER_TEST_BROKER_URL name them.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import signal
import sqlite3
import subprocess
import sys
import urllib.error
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from tests.designer.browser.browsing import CHROMIUM, opened
from tests.designer.browser.test_browser_session import FORM, at, random_edit, sent, unfolded
from tests.processes import BASE_DIR, RunningApp, alive, all_started, prepare, running_app, wait_for

pytestmark = pytest.mark.processes

TEST_DATABASE_URL = os.environ.get("DESIGNER_TEST_DATABASE_URL", "")
TEST_BROKER_URL = os.environ.get("DESIGNER_TEST_BROKER_URL", "")
N_ESTIMATES = 10
NODES = itertools.count(64)  # each request asks for another design


def spec(n_nodes: int) -> dict[str, Any]:
    return {
        "name": f"{n_nodes} nodes",
        "compute": {"server": "dgx-h100", "nodes": n_nodes},
        "fabric": {"generation": "ndr", "tiers": "auto"},
    }


class SqliteRows:
    """The app's own database, looked at from outside."""

    TRIGGER = """
        CREATE TABLE result_writes (job TEXT);
        CREATE TABLE held_up (yes INTEGER);
        CREATE TRIGGER count_result_writes AFTER UPDATE OF result ON estimator_estimatejob WHEN NEW.result IS NOT NULL
        BEGIN INSERT INTO result_writes VALUES (NEW.id); END;
        CREATE TABLE numbers (n INTEGER);
        INSERT INTO numbers WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 2000) SELECT n FROM c;
        CREATE TRIGGER hold_up AFTER UPDATE OF progress ON estimator_estimatejob
            WHEN NEW.state = 'running' AND NEW.progress BETWEEN 0.05 AND 0.5 AND EXISTS (SELECT 1 FROM held_up)
        BEGIN DELETE FROM numbers WHERE n = (SELECT -count(*) FROM numbers a, numbers b WHERE a.n + b.n > 0); END;
    """

    def __init__(self, var: Path) -> None:
        self.connection = sqlite3.connect(var / "db.sqlite3", timeout=20, isolation_level=None, check_same_thread=False)
        self.connection.executescript(self.TRIGGER)

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        return list(self.connection.execute(statement).fetchall())

    def change(self, statement: str) -> None:
        self.connection.execute(statement)

    def key(self, job_id: str) -> str:
        return uuid.UUID(job_id).hex

    def close(self) -> None:
        self.connection.close()


class PostgresRows:
    TRIGGER = """
        CREATE TABLE result_writes (job TEXT);
        CREATE TABLE held_up (yes INTEGER);
        CREATE FUNCTION count_result_write() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN INSERT INTO result_writes VALUES (NEW.id); RETURN NULL; END $$;
        CREATE TRIGGER count_result_writes AFTER UPDATE OF result ON estimator_estimatejob
            FOR EACH ROW WHEN (NEW.result IS NOT NULL) EXECUTE FUNCTION count_result_write();
        CREATE FUNCTION hold_up() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN IF EXISTS (SELECT 1 FROM held_up) THEN PERFORM pg_sleep(0.3); END IF; RETURN NULL; END $$;
        CREATE TRIGGER hold_up AFTER UPDATE OF progress ON estimator_estimatejob
            FOR EACH ROW WHEN (NEW.state = 'running' AND NEW.progress BETWEEN 0.05 AND 0.5) EXECUTE FUNCTION hold_up();
    """

    def __init__(self, url: str) -> None:
        import psycopg

        self.connection = psycopg.connect(url, autocommit=True)
        self.connection.execute(self.TRIGGER)

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        return self.connection.execute(statement).fetchall()

    def change(self, statement: str) -> None:
        self.connection.execute(statement)

    def key(self, job_id: str) -> str:
        return job_id

    def close(self) -> None:
        self.connection.close()


Rows = SqliteRows | PostgresRows


def kill_in_the_middle(app: RunningApp, rows: Rows, words: tuple[str, ...], asked: dict[str, int]) -> None:
    """Kill each process when its share of the requests has been answered and an estimate runs that ran at no kill before.
    Children of the process stay behind, as after any kill -9."""
    seen: set[Any] = set()

    def begun() -> set[Any]:
        return set(rows.query("SELECT id FROM estimator_estimatejob WHERE state = 'running'")) - seen

    for number, word in enumerate(words, start=1):
        due = number * N_ESTIMATES // (len(words) + 1)
        wait_for(f"request {due}", lambda: len(asked) >= due, within_s=60)  # noqa: B023
        pid = app.main_process(word)
        seen |= wait_for("a running estimate", begun, within_s=60)
        os.kill(pid, signal.SIGKILL)


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


def ask_for_ten(app: RunningApp, rows: Rows, token: str, *words: str) -> dict[str, int]:
    """Post ten estimates as a client does that tries again when a connection breaks; kill in the middle. Id → nodes."""
    asked: dict[str, int] = {}
    rows.change("INSERT INTO held_up VALUES (1)")
    with ThreadPoolExecutor(1) as killer:
        killed = killer.submit(kill_in_the_middle, app, rows, words, asked)
        for number in range(N_ESTIMATES):
            n_nodes = next(NODES)
            job_id = wait_for(f"an answer to request {number}", lambda: post(app, token, n_nodes), within_s=30)  # noqa: B023
            asked[job_id] = n_nodes
        killed.result()
    rows.change("DELETE FROM held_up")  # the others need not wait
    return asked


def post(app: RunningApp, token: str, n_nodes: int) -> str | None:
    try:
        status, answer = app.call("POST", "/api/v1/estimates/", token, spec(n_nodes))
    except (urllib.error.URLError, HTTPException, ConnectionError):
        return None
    assert status in (200, 202), answer
    return str(answer["id"])


def check_all_finished_once(app: RunningApp, rows: Rows, token: str, asked: dict[str, int]) -> None:
    assert len(asked) == N_ESTIMATES
    unfinished = "SELECT id, state, attempts, error FROM estimator_estimatejob WHERE state IN ('queued', 'running')"
    with contextlib.suppress(AssertionError):  # what is unfinished says more than that it did not come
        wait_for("the end of all ten", lambda: not rows.query(unfinished), within_s=60)
    assert rows.query(unfinished) == []
    assert rows.query("SELECT error FROM estimator_estimatejob WHERE state <> 'succeeded'") == []
    writes = dict(rows.query("SELECT job, count(*) FROM result_writes GROUP BY job"))
    for job_id, n_nodes in asked.items():
        assert writes[rows.key(job_id)] == 1
        status, answer = app.call("GET", f"/api/v1/estimates/{job_id}/", token)
        assert (status, answer["state"], answer["progress"]) == (200, "succeeded", 1.0)
        assert answer["result"]["fabrics"]["compute"]["counts"]["nodes"] == n_nodes


@pytest.fixture(scope="module")
def var(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = (
        tmp_path_factory.mktemp("crash")
        / "a folder whose path is too long for a socket, 100 % of the time"
        / ("x" * 60)
    )
    return prepare(folder)


@pytest.fixture(scope="module")
def app(var: Path) -> Iterator[RunningApp]:
    with running_app(var) as app:
        yield app


@pytest.fixture(scope="module")
def rows(app: RunningApp, var: Path) -> Iterator[SqliteRows]:
    with contextlib.closing(SqliteRows(var)) as rows:
        yield rows


@pytest.fixture(scope="module")
def token(app: RunningApp) -> str:
    return app.token()


@pytest.mark.parametrize("word", ["celery", "valkey-server", "gunicorn"], ids=["worker", "broker", "web"])
def test_ten_estimates_survive_a_kill(app: RunningApp, rows: SqliteRows, token: str, word: str) -> None:
    asked = ask_for_ten(app, rows, token, word)
    check_all_finished_once(app, rows, token, asked)
    assert rows.query("PRAGMA integrity_check") == [("ok",)]


def test_jobs_are_swept_up_without_beat(app: RunningApp, rows: SqliteRows, token: str) -> None:
    """Every child of the worker is killed, beat with them. The pool starts its own anew, and beat stays away."""
    worker = app.main_process("celery")
    children = [pid for pid, _ in app.descendants() if parent_of(pid) == worker]
    assert len(children) >= 3
    for pid in children:
        os.kill(pid, signal.SIGKILL)
    job_id = wait_for("an answer", lambda: post(app, token, next(NODES)), within_s=30)
    again = "state = 'queued', sent_at = NULL, attempts = 0, result = NULL, lease_until = NULL"
    rows.query(
        f"UPDATE estimator_estimatejob SET {again} WHERE id = '{rows.key(job_id)}'"
    )  # as if its message was lost
    done = f"SELECT 1 FROM estimator_estimatejob WHERE id = '{rows.key(job_id)}' AND state = 'succeeded'"
    wait_for("the estimate", lambda: rows.query(done), within_s=40)
    assert app.main_process("celery") == worker  # it was not the supervisor who mended it
    late = "julianday('now') - julianday(swept_at) > 20 / 86400.0"
    assert rows.query(f"SELECT count(*) FROM estimator_queuesweep WHERE {late}") == [(0,)]


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
def test_no_edit_is_lost_when_the_server_is_killed(browser: Any, app: RunningApp) -> None:
    tab = opened(browser, {"state": None}, [])
    tab.goto(app.sign_in_url)
    unfolded(tab, app.url)
    random_edit(tab, random.Random(12), 0)
    sent(tab)
    before = at(tab)
    os.kill(app.main_process("gunicorn"), signal.SIGKILL)
    for number in range(1, 6):
        tab.fill("#id_name", f"While away {number}")
        tab.locator("#id_name").blur()
        tab.fill("#id_size", str(64 + number))
        tab.locator("#id_size").blur()
    sent(tab)
    assert at(tab) == before + 10
    kept = tab.evaluate(FORM)
    assert "While+away+5" in kept
    tab.reload()
    assert tab.evaluate(FORM) == kept
    tab.context.close()


def test_a_killed_supervisor_takes_its_children_along(app: RunningApp) -> None:
    """The last test of the app that the tests before it share."""
    started = all_started(app)
    app.process.kill()
    app.process.wait()
    try:
        wait_for("the end of all children", lambda: alive(started) == [], within_s=20)
    finally:
        for pid in alive(started):
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def servers() -> Iterator[dict[str, str]]:
    """A database and a queue of this test alone, on the servers that the environment names."""
    if not TEST_DATABASE_URL or not TEST_BROKER_URL:
        pytest.skip("DESIGNER_TEST_DATABASE_URL and DESIGNER_TEST_BROKER_URL are not set")
    import psycopg
    from kombu import Connection

    name = f"clusterwright_test_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(TEST_DATABASE_URL, autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}"')
        try:
            yield {
                "DESIGNER_DATABASE_URL": f"{TEST_DATABASE_URL.rsplit('/', 1)[0]}/{name}",
                "DESIGNER_BROKER_URL": TEST_BROKER_URL,
                "DESIGNER_QUEUE": name,
                "DESIGNER_SECRET_KEY": uuid.uuid4().hex * 2,
            }
        finally:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
            with Connection(TEST_BROKER_URL) as broker:
                broker.default_channel.queue_delete(name)


def test_ten_estimates_survive_kills_on_servers(tmp_path: Path, servers: dict[str, str]) -> None:
    with running_app(prepare(tmp_path), **servers) as app:
        token = app.token()
        with contextlib.closing(PostgresRows(servers["DESIGNER_DATABASE_URL"])) as rows:
            asked = ask_for_ten(app, rows, token, "celery", "gunicorn")
            check_all_finished_once(app, rows, token, asked)


ON_POSTGRESQL = ("runtime/test_jobs", "services/test_saving", "services/test_races")


def test_jobs_and_writers_at_once_work_on_postgresql() -> None:
    if not TEST_DATABASE_URL:
        pytest.skip("DESIGNER_TEST_DATABASE_URL is not set")
    done = subprocess.run(
        # That migrations run there is shown by the app that is started on servers above.
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "--no-migrations",
            *(f"tests/designer/{one}.py" for one in ON_POSTGRESQL),
        ],
        cwd=BASE_DIR,
        env={**os.environ, "DESIGNER_DATABASE_URL": TEST_DATABASE_URL},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
