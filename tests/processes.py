"""A real Clusterwright for tests: `manage.py up` in a folder of its own, on a free port."""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from functools import cache
from http.cookiejar import CookieJar
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar

from designer.runtime.up import READY_WITHIN_S

BASE_DIR = Path(__file__).resolve().parent.parent
READY = "Clusterwright is ready: "
SHARED = "CLUSTERWRIGHT_TESTS_SHARED"  # names the folder that all processes of a run share
COMMAND_WITHIN_S = 180  # a busy machine is no fault of the code
T = TypeVar("T")


def manage(*arguments: str, var: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command of manage.py to its end, with the Python that runs the tests."""
    return subprocess.run(
        [sys.executable, str(BASE_DIR / "manage.py"), *arguments],
        env=clean_environment(var, **environment),
        capture_output=True,
        text=True,
        timeout=COMMAND_WITHIN_S,
        check=False,
    )


def clean_environment(var: Path, **more: str) -> dict[str, str]:
    """The tests' own environment without the app's settings: a started app must not share anything with another."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DESIGNER_")}
    kept.pop("DJANGO_SETTINGS_MODULE", None)
    kept.pop("DJANGO_ALLOW_ASYNC_UNSAFE", None)  # a browser test before this one may have set it
    return {**kept, "DESIGNER_VAR": str(var), **more}


def wait_for(what: str, get: Callable[[], T | None], within_s: float) -> T:
    """The first true value of `get`; a failure that names what did not come."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if value := get():
            return value
        time.sleep(0.02)
    raise AssertionError(f"{what} did not come within {within_s} s")


class RunningApp:
    """One `manage.py up`, its output, its processes and a client that is signed in or has a token."""

    def __init__(self, var: Path, *arguments: str, **environment: str) -> None:
        self.var = var
        self.environment = environment
        self.started_at = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, str(BASE_DIR / "manage.py"), "up", "--port", "0", *arguments],
            env=clean_environment(var, **environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.output: list[str] = []
        self._ready: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.output.append(line.rstrip("\n"))
            if line.startswith(READY):
                self._ready.put(line.removeprefix(READY).strip())
        self._ready.put("")

    def wait_until_ready(self) -> RunningApp:
        """Until it says its address. It gives up by itself, and says why; only one that hangs is given up here."""
        try:
            self.sign_in_url = self._ready.get(timeout=READY_WITHIN_S + COMMAND_WITHIN_S)
        except queue.Empty:
            self.sign_in_url = ""
        self.ready_after_s = time.monotonic() - self.started_at
        assert self.sign_in_url, f"the app was not ready after {self.ready_after_s:.0f} s:\n{self.said()}"
        self.url = self.sign_in_url.split("/sign-in/")[0]
        return self

    def said(self) -> str:
        """What it printed, and the last lines of the logs of its processes."""
        logs = sorted((self.var / "log").glob("*.log"))
        ends = [f"{log.name}: {line}" for log in logs for line in log.read_text(errors="replace").splitlines()[-12:]]
        return "\n".join([*self.output, *ends])

    # --- processes ---

    def descendants(self) -> list[tuple[int, str]]:
        """(process id, command line) of everything that `up` has started, itself left out."""
        children: dict[int, list[int]] = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
                children.setdefault(parent, []).append(int(folder.name))
        found, waiting = [], list(children.get(self.process.pid, []))
        while waiting:
            pid = waiting.pop()
            with contextlib.suppress(OSError):
                found.append((pid, Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")))
            waiting += children.get(pid, [])
        return found

    def main_process(self, word: str) -> int:
        """The id of the child of `up` whose command line has this word: valkey-server or redis-server, celery, gunicorn."""
        for pid, command in self.descendants():
            parent = int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
            if parent == self.process.pid and word in command:
                return pid
        raise AssertionError(f"no {word} among {self.descendants()}")

    def stop(self, number: int = signal.SIGTERM, within_s: float = COMMAND_WITHIN_S) -> int:
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            code = self.process.wait(timeout=within_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        self._reader.join(timeout=5)
        return code

    # --- requests ---

    def browser(self) -> urllib.request.OpenerDirector:
        """A client with a cookie jar, as a browser has."""
        return urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))

    def token(self, scope: str = "write") -> str:
        done = manage("token", "tests", "--scope", scope, var=self.var, **self.environment)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def call(self, method: str, path: str, token: str, body: Any = None, timeout_s: float = 30) -> tuple[int, Any]:
        """Status and JSON body of one REST call."""
        request = urllib.request.Request(
            f"{self.url}{path}",
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers={"Authorization": f"Token {token}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=timeout_s) as response:
                return response.status, json.loads(response.read() or "null")
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or "null")


def all_started(app: RunningApp) -> list[int]:
    """A broker; the web server's master with two; the worker with two, and beat; who guards them."""
    found = wait_for("all processes", lambda: found if len(found := app.descendants()) >= 8 else None, within_s=20)
    return [pid for pid, _ in found]


def alive(pids: list[int]) -> list[int]:
    """Those that still run; one that has ended but was not yet collected by the system's first process does not."""
    found = []
    for pid in pids:
        with contextlib.suppress(OSError):
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                found.append(pid)
    return found


@cache
def shared_folder() -> Path:
    """A folder of this run of the tests for all its processes: whoever asks first makes it, and removes it at its end."""
    if SHARED not in os.environ:
        os.environ[SHARED] = tempfile.mkdtemp(prefix="clusterwright-tests-")
        atexit.register(shutil.rmtree, os.environ[SHARED], ignore_errors=True)
    return Path(os.environ[SHARED])


@contextlib.contextmanager
def one_at_a_time(name: str) -> Iterator[Path]:
    """No two processes of the run at once; a path of that name in the folder which they share."""
    path = shared_folder() / name
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield path


@cache
def _prepared() -> Path:
    """A state folder as a first start leaves it: tables, chart library, static files. Made once for all tests."""
    with one_at_a_time("prepared") as folder:
        if folder.exists():
            return folder
        draft = folder.with_suffix(".draft")
        copy_chart_library(draft)
        done = manage("prepare", var=draft)
        assert (done.returncode, done.stderr) == (0, "")
        draft.rename(folder)
        return folder


def copy_chart_library(var: Path) -> None:
    """The chart library, where this installation has made it already, to another state folder."""
    with contextlib.suppress(FileNotFoundError):
        shutil.copytree(Path(os.environ.get("DESIGNER_VAR", BASE_DIR / "var")) / "assets", var / "assets")


def prepare(var: Path) -> Path:
    """Fill a new state folder with what a first start would make, so that a start takes a second and not ten."""
    shutil.copytree(_prepared(), var, dirs_exist_ok=True)
    return var


@contextlib.contextmanager
def running_app(var: Path, *arguments: str, **environment: str) -> Iterator[RunningApp]:
    with until_the_end(RunningApp(var, *arguments, **environment)) as app:
        yield app


class AppAt(NamedTuple):
    """Where an app that runs answers, and its state folder."""

    url: str
    var: Path


@contextlib.contextmanager
def app_of_all() -> Iterator[AppAt]:
    """One app for all processes of a run: the first that wants it starts it, and stops it at its own end, when no other uses
    it any more. Whoever kills or starves an app starts another."""
    with contextlib.ExitStack() as at_the_end:
        with one_at_a_time("app-of-all") as named:
            if not named.exists():
                var = prepare(Path(tempfile.mkdtemp(prefix="app-", dir=shared_folder())))
                url = at_the_end.enter_context(running_app(var)).url
                named.write_text(f"{url}\n{var}")
                at_the_end.callback(_wait_for_the_last, named, var)
            url, folder = named.read_text().split("\n")
            app = AppAt(url, Path(folder))
            use = at_the_end.enter_context(_in_use(app.var))
            fcntl.flock(use, fcntl.LOCK_SH)
        yield app


def _wait_for_the_last(named: Path, var: Path) -> None:
    """Nobody finds the app from now on; those who have found it use it to their end."""
    with one_at_a_time(named.name):
        named.unlink()
    with _in_use(var) as use:
        fcntl.flock(use, fcntl.LOCK_EX)


def _in_use(var: Path) -> IO[str]:
    return (var / "in-use").open("w")


@contextlib.contextmanager
def until_the_end(app: RunningApp) -> Iterator[RunningApp]:
    try:
        yield app.wait_until_ready()
    finally:
        app.stop()
