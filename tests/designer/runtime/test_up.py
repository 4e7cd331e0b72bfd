"""`manage.py`: set-up, start, refusals that say what to do, and a stop that leaves nothing behind. Real processes."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import time
import types
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from designer.runtime import set_up
from designer.runtime import up as supervisor
from tests.processes import (
    BASE_DIR,
    RunningApp,
    alive,
    all_started,
    clean_environment,
    manage,
    prepare,
    running_app,
    wait_for,
)

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def var(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("state of the app")  # with spaces: any folder will do


@pytest.fixture(scope="module")
def app(var: Path) -> Iterator[RunningApp]:
    with running_app(var) as app:
        yield app


class TestStart:
    def test_it_prints_one_line_with_the_address(self, app: RunningApp) -> None:
        lines = [line for line in app.output if line.startswith("Clusterwright is ready: ")]
        assert lines == [f"Clusterwright is ready: {app.sign_in_url}"]
        assert app.sign_in_url.startswith("http://127.0.0.1:")

    def test_the_address_signs_the_local_owner_in_and_a_second_browser_of_theirs(self, app: RunningApp) -> None:
        path = app.sign_in_url.removeprefix(app.url)
        with app.browser().open(urllib.request.Request(app.sign_in_url, method="HEAD")) as looked:
            assert looked.status == 200
        for _ in range(2):
            with app.browser().open(app.sign_in_url) as first:
                assert (first.status, first.url.removeprefix(app.url) == path) == (200, False)
                assert b"sign-out" in first.read()
        reported = urllib.request.Request(app.sign_in_url, headers={"X-Forwarded-For": "203.0.113.7"})
        with pytest.raises(urllib.error.HTTPError) as second:
            app.browser().open(reported)
        assert second.value.code == 403

    def test_the_database_is_in_wal_mode_and_the_folder_is_private(self, app: RunningApp, var: Path) -> None:
        assert (var / "db.sqlite3").read_bytes()[18:20] == b"\x02\x02"  # the file's own mark of write-ahead logging
        assert stat.S_IMODE(var.stat().st_mode) == 0o700
        assert stat.S_IMODE((var / "secret-key").stat().st_mode) == 0o600

    def test_a_foreign_host_name_is_refused(self, app: RunningApp) -> None:
        request = urllib.request.Request(f"{app.url}/healthz", headers={"Host": "elsewhere.example.org"})
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request)
        assert refused.value.code == 400

    def test_the_policy_allows_no_foreign_or_inline_script(self, app: RunningApp) -> None:
        with app.browser().open(f"{app.url}/sign-in/") as page:
            policy = [directive.strip() for directive in page.headers["Content-Security-Policy"].split(";")]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "style-src 'self'" in policy
        assert "unsafe" not in " ".join(policy)

    def test_static_files_have_hashed_names_and_the_chart_library_is_among_them(
        self, app: RunningApp, var: Path
    ) -> None:
        (bundle,) = (var / "static" / "vega").glob("vega.*.js")
        with urllib.request.urlopen(f"{app.url}/static/vega/{bundle.name}") as answer:
            assert "immutable" in answer.headers["Cache-Control"]
            assert b"vegaEmbed" in answer.read()

    def test_a_body_of_5_mb_gets_a_clean_413(self, app: RunningApp) -> None:
        status, answer = app.call("POST", "/api/v1/preview/", app.token(), {"name": "x" * 5_000_000})
        assert status == 413
        assert answer["code"] == "body_too_large"
        assert set(answer["problems"][0]) == {"field", "code", "message"}

    def test_the_broker_listens_on_no_port(self, app: RunningApp, var: Path) -> None:
        (command,) = [
            command for _, command in app.descendants() if "valkey-server" in command or "redis-server" in command
        ]
        assert "unixsocket:" in command or "--port 0" in command
        assert stat.S_IMODE((var / "broker.sock").stat().st_mode) == 0o700

    def test_a_child_that_dies_is_named_and_started_again(self, app: RunningApp) -> None:
        os.kill(app.main_process("gunicorn"), signal.SIGKILL)
        wait_for("a report", lambda: "the web was killed by SIGKILL" in "\n".join(app.output), within_s=10)
        with urllib.request.urlopen(
            f"{app.url}/healthz", timeout=20
        ) as answer:  # waits in the socket's queue meanwhile
            assert answer.status == 200


class TestSecondOne:
    def test_on_the_same_folder_it_names_the_running_one(self, app: RunningApp, var: Path) -> None:
        second = manage("up", "--port", "0", var=var)
        assert second.returncode == 2
        assert app.url in second.stderr
        assert str(app.process.pid) in second.stderr
        assert second.stdout == ""

    def test_on_a_port_in_use_it_names_the_port_and_another(self, app: RunningApp, tmp_path: Path) -> None:
        port = app.url.rsplit(":", 1)[1]
        second = manage("up", "--port", port, var=tmp_path)
        assert second.returncode == 2
        assert f"port {port} is in use" in second.stderr
        assert "--port" in second.stderr


def test_it_stops_on_ctrl_c_and_leaves_no_process(app: RunningApp) -> None:
    """The last test of the app that the tests before it share."""
    started = all_started(app)
    assert app.stop(signal.SIGINT) == 0
    assert alive(started) == []
    port = int(app.url.rsplit(":", 1)[1])
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), timeout=1):
        pass


def test_the_guard_kills_a_child_that_does_not_stop_when_asked(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    stubborn = (
        "import pathlib, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        f"pathlib.Path({str(ready)!r}).touch(); time.sleep(60)"
    )
    child = subprocess.Popen([sys.executable, "-c", stubborn], start_new_session=True)
    wait_for("the child's start", ready.exists, within_s=20)
    patience = "from designer.runtime import reaper; reaper.STOP_WITHIN_S = 0.2; reaper.main()"
    guard = subprocess.Popen(
        [sys.executable, "-c", patience], stdin=subprocess.PIPE, cwd=BASE_DIR, start_new_session=True
    )
    guard.communicate(f"{child.pid}\n".encode(), timeout=20)  # the end of its input: the supervisor is gone
    assert child.wait(timeout=20) == -signal.SIGKILL


def test_a_child_that_cannot_start_is_named_with_its_last_lines_and_its_log(tmp_path: Path) -> None:
    app = RunningApp(prepare(tmp_path), GUNICORN_CMD_ARGS="--no-such-option")
    assert app.process.wait(timeout=60) == 1
    app.stop()
    output = "\n".join(app.output)
    assert "the web ended with exit code" in output
    assert "--no-such-option" in output
    assert str(tmp_path / "log" / "web.log") in output
    assert alive([pid for pid, _ in app.descendants()]) == []


class TestRefusals:
    def test_a_folder_that_cannot_be_written_to(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("not a folder")
        done = manage("up", var=tmp_path / "file" / "var")
        assert done.returncode == 2
        assert str(tmp_path / "file" / "var") in done.stderr
        assert "DESIGNER_VAR=" in done.stderr
        assert "Traceback" not in done.stderr

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user, and nothing is read-only to root")
    def test_a_read_only_folder(self, tmp_path: Path) -> None:
        program = (
            "import importlib.util, os, pathlib, sys\n"
            f"spec = importlib.util.spec_from_file_location('manage', {str(BASE_DIR / 'manage.py')!r})\n"
            "manage = importlib.util.module_from_spec(spec); spec.loader.exec_module(manage)\n"
            f"sys.path.insert(0, {str(BASE_DIR)!r}); import designer.runtime.local_state, designer.runtime.environment\n"
            "os.setuid(65534); sys.exit(manage.main(['up']))"
        )
        folder = tmp_path / "read-only"
        folder.mkdir(mode=0o755)
        environment = clean_environment(folder / "var")
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        assert f"{folder / 'var'} cannot be written to" in done.stderr
        assert "DESIGNER_VAR=" in done.stderr

    def test_a_bad_setting_is_named(self, tmp_path: Path) -> None:
        done = manage("check", var=tmp_path, DESIGNER_DEBUG="maybe")
        assert done.returncode != 0
        assert "DESIGNER_DEBUG='maybe'" in done.stderr

    def test_an_impossible_port_or_host(self, tmp_path: Path) -> None:
        assert "--port 70000" in manage("up", "--port", "70000", var=tmp_path).stderr
        names = {"DESIGNER_ALLOWED_HOSTS": "203.0.113.7"}
        assert "203.0.113.7" in manage("up", "--host", "203.0.113.7", "--port", "0", var=tmp_path, **names).stderr

    def test_opening_to_other_machines_asks_for_their_names_of_this_one(self, tmp_path: Path) -> None:
        done = manage("up", "--host", "0.0.0.0", "--port", "0", var=tmp_path)
        assert done.returncode == 2
        assert "DESIGNER_ALLOWED_HOSTS=" in done.stderr


class TestCommands:
    def test_a_token_is_alone_on_standard_output_even_in_a_new_folder(self, tmp_path: Path) -> None:
        done = manage("token", "laptop", var=tmp_path)
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("\n") == 1
        assert len(done.stdout.strip()) >= 40

    def test_a_command_of_django_passes_through(self, tmp_path: Path) -> None:
        done = manage("diffsettings", var=tmp_path)
        assert done.returncode == 0, done.stderr
        assert f"VAR = {tmp_path!r}" in done.stdout

    def test_the_exit_code_of_test_is_pytests(self, tmp_path: Path) -> None:
        var = Path(os.environ.get("DESIGNER_VAR", BASE_DIR / "var"))
        assert manage("test", "tests/no_such_file.py", var=var).returncode == 4


# --- The bootstrap's parts, without a network --------------------------------------------------------------------


@pytest.fixture
def bootstrap() -> types.ModuleType:
    spec = importlib.util.spec_from_file_location("bootstrap", BASE_DIR / "manage.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class TestBootstrap:
    def test_it_needs_only_the_standard_library(self) -> None:
        names = "designer.runtime.environment, designer.runtime.local_state, manage"
        program = f"import sys; sys.path.insert(0, {str(BASE_DIR)!r}); import {names}"
        done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def test_without_ensurepip_and_root_it_prints_the_exact_command(
        self, bootstrap: types.ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setitem(sys.modules, "ensurepip", None)
        monkeypatch.setattr(os, "geteuid", lambda: 1000)
        with pytest.raises(bootstrap.SetUpError) as refused:
            bootstrap.make_environment(tmp_path / "venv")
        package = f"python3.{sys.version_info.minor}-venv"
        assert f"apt-get install -y --no-install-recommends {package}" in str(refused.value)

    def test_without_ensurepip_root_installs_it(
        self, bootstrap: types.ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        ran: list[list[str]] = []
        monkeypatch.setitem(sys.modules, "ensurepip", None)
        monkeypatch.setattr(os, "geteuid", lambda: 0)
        monkeypatch.setattr(bootstrap.shutil, "which", lambda name: f"/usr/bin/{name}")

        def apt(commands: list[list[str]]) -> bool:
            ran.extend(commands)
            return True

        monkeypatch.setattr(bootstrap, "apt", apt)
        bootstrap.install_venv_package()
        assert [command[1] for command in ran] == ["update", "install"]

    def test_an_active_environment_is_used_only_with_the_locked_versions(
        self, bootstrap: types.ModuleType, tmp_path: Path
    ) -> None:
        assert bootstrap.holds_locked_versions([bootstrap.REQUIREMENTS, bootstrap.TEST_REQUIREMENTS])
        lock = tmp_path / "requirements.txt"
        for line in ("pytest==0.0.1", "no-such-package==1.0"):
            lock.write_text(f"{line}\n")
            assert not bootstrap.holds_locked_versions([bootstrap.REQUIREMENTS, lock])

    @pytest.mark.parametrize("given", [[], ["-p", "no:cacheprovider"], ["-x", "-k", "no such path"], ["--color=yes"]])
    def test_the_whole_suite_takes_all_cores(self, bootstrap: types.ModuleType, given: list[str]) -> None:
        processes = bootstrap.n_test_processes(os.cpu_count() or 1)
        assert bootstrap.usual_test_options(given)[:2] == ["-n", str(processes)]

    @pytest.mark.parametrize(("cores", "processes"), [(1, 2), (2, 4), (4, 8), (64, 8)])
    def test_two_processes_share_a_core_and_eight_are_enough(
        self, bootstrap: types.ModuleType, cores: int, processes: int
    ) -> None:
        assert bootstrap.n_test_processes(cores) == processes

    @pytest.mark.parametrize(
        "given", [["tests/test_docs.py"], ["tests"], ["tests/test_docs.py::test_x"], ["-n0"], ["--pdb"], ["--version"]]
    )
    def test_what_the_caller_names_is_run_as_the_caller_says(
        self, bootstrap: types.ModuleType, given: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(BASE_DIR)
        assert bootstrap.usual_test_options(given) == []

    @pytest.mark.parametrize(
        ("given", "kept_in"),
        [({}, None), ({"PYTHONPYCACHEPREFIX": "/elsewhere"}, "/elsewhere")],
        ids=["nowhere", "elsewhere"],
    )
    @pytest.mark.parametrize("forbidden", ["", "1"])
    def test_what_is_compiled_is_kept_for_all_processes_of_the_tests(
        self,
        bootstrap: types.ModuleType,
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
        given: dict[str, str],
        kept_in: str | None,
        forbidden: str,
    ) -> None:
        environment = {**given, **({"PYTHONDONTWRITEBYTECODE": forbidden} if forbidden else {})}
        monkeypatch.setattr(bootstrap.os, "environ", environment)
        bootstrap.keep_compiled(tmp_path)
        own = str(tmp_path / "bytecode") if forbidden else None
        assert (environment.get("PYTHONDONTWRITEBYTECODE"), environment.get("PYTHONPYCACHEPREFIX")) == (
            None,
            kept_in or own,
        )

    def test_a_phase_says_what_it_does_and_how_long_it_took(
        self, bootstrap: types.ModuleType, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert bootstrap.phase("Counting", lambda: sum(range(100_000))) == 4_999_950_000
        words = capsys.readouterr().err.splitlines()
        assert words[0] == "Counting …"
        assert re.fullmatch(r"  \d+\.\d s, of a processor \d+\.\d s", words[1])

    def test_a_changed_lock_changes_the_stamp(self, bootstrap: types.ModuleType, tmp_path: Path) -> None:
        assert bootstrap.stamp_of(tmp_path, "python") == ""
        bootstrap.write_stamp(tmp_path, "python", "3.11")
        assert bootstrap.stamp_of(tmp_path, "python") == "3.11"

    def test_the_locks_agree_and_every_line_is_pinned(self) -> None:
        pins: dict[str, str] = {}
        for path in (BASE_DIR / "requirements.txt", BASE_DIR / "tests" / "requirements.txt"):
            for line in path.read_text().splitlines():
                if line and not line.startswith("#"):
                    name, _, version = line.partition("==")
                    assert version, line
                    assert pins.setdefault(name, version) == version, line


def test_prepare_makes_what_a_web_server_started_by_hand_needs(tmp_path: Path) -> None:
    prepare(tmp_path)  # by that command, in a new folder
    with sqlite3.connect(tmp_path / "db.sqlite3") as database:
        assert database.execute("SELECT count(*) FROM estimator_estimatejob").fetchone() == (0,)
    page = "from django.test import Client; print(Client().get('/sign-in/', headers={'host': 'localhost'}).status_code)"
    environment = clean_environment(tmp_path, DJANGO_SETTINGS_MODULE="designer.config.settings")
    code = f"import django; django.setup(); {page}"
    shown = subprocess.run([sys.executable, "-c", code], cwd=BASE_DIR, env=environment, capture_output=True, text=True)
    assert shown.stdout.strip() == "200", shown.stderr


def test_prepare_says_what_failed(tmp_path: Path) -> None:
    url = "postgresql://nobody@127.0.0.1:1/none"
    prepare(tmp_path)  # so that nothing but the tables is left to do
    done = manage("prepare", var=tmp_path, DESIGNER_DATABASE_URL=url, DESIGNER_SECRET_KEY="k" * 50)
    assert done.returncode == 2
    assert done.stderr.startswith("Clusterwright cannot start: Bringing the database's tables up to date failed")


def test_the_chart_library_is_made_once_and_is_the_reviewed_one(app: RunningApp, var: Path) -> None:
    assert "is not the reviewed one" not in "\n".join(app.output)
    bundle = var / "assets" / "vega" / "vega.js"
    assert hashlib.sha256(bundle.read_bytes()).hexdigest() == set_up.VEGA_BUNDLE_SHA256
    before = bundle.stat().st_mtime_ns
    set_up.ensure_charts(var)
    assert bundle.stat().st_mtime_ns == before


def test_waits_grow_with_quick_failures_and_stay_bounded(tmp_path: Path) -> None:
    child = supervisor.Child("test", ["true"], tmp_path / "log", {})
    child.started_at = time.monotonic()
    waits = [child.plan_restart() for _ in range(12)]
    assert waits == sorted(waits)
    assert waits[0] < 1
    assert waits[-1] == supervisor.LONGEST_WAIT_S
    child.started_at = time.monotonic() - 2 * supervisor.QUICK_FAILURE_S
    assert child.plan_restart() < 1


def test_a_server_is_found_without_the_wheel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(supervisor, "find_spec", lambda _: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert supervisor.find_server() is None
    program = tmp_path / "redis-server"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert supervisor.find_server() == program
