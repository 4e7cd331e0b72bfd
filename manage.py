#!/usr/bin/env python3
"""Clusterwright's one command: `up`, `prepare`, `test`, `token`, `demo`, and every command of Django.

Needs nothing but Python 3.11: the first run makes a virtual environment in the state folder (`var/`, or DESIGNER_VAR),
installs the locked packages into it and hands over to it. A virtual environment that is active and holds the locked
versions is used as it is.
Up to the hand-over this file uses the standard library alone.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import TypeVar

BASE_DIR = Path(__file__).resolve().parent
REQUIREMENTS = BASE_DIR / "requirements.txt"
TEST_REQUIREMENTS = BASE_DIR / "tests" / "requirements.txt"
OLDEST_PYTHON = (3, 11)
N_PIPS = 2  # at once, when packages are installed
THIS_PYTHON = ".".join(str(number) for number in sys.version_info[:3])
FABRIC_TOOLS = {"opensm": "opensm", "ibsim": "ibsim-utils", "slurmctld": "slurmctld"}  # command → Debian package
HEADLESS = "chromium-headless-shell"  # Chromium without windows: draws the same for a third of the processor time
CHROMIUM_NAMES = (HEADLESS, "chromium", "chromium-browser", "google-chrome")
T = TypeVar("T")


class SetUpError(Exception):
    """Set-up cannot go on; the text says what to do."""


def main(arguments: list[str]) -> int:
    try:
        if sys.version_info < OLDEST_PYTHON:
            hand_over(newer_python(), arguments)
        var = state_folder()
        lists = [REQUIREMENTS, TEST_REQUIREMENTS] if arguments[:1] == ["test"] else [REQUIREMENTS]
        ensure_packages(var, lists, arguments)
    except SetUpError as error:
        print(f"Clusterwright cannot start: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        say("Interrupted. What was installed so far is kept; the next run goes on from there.")
        return 130
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "designer.config.settings")
    from designer.runtime.environment import BadSetting
    from designer.runtime.set_up import SetUpFailed

    try:
        return run(arguments, var)
    except (BadSetting, SetUpFailed) as error:
        print(f"Clusterwright cannot start: {error}", file=sys.stderr)
        return 2


def run(arguments: list[str], var: Path) -> int:
    """Run the command itself; the packages are there."""
    from designer.runtime import set_up

    verb, rest = (arguments[0] if arguments else "help"), arguments[1:]
    if verb == "up":
        from designer.runtime.up import up

        return up(rest, var)
    if verb == "prepare" and not rest:
        set_up.prepare(var)
        return 0
    if verb == "test":
        return test(rest, var)
    if verb in ("token", "demo", "sign_in_link") and not {"-h", "--help"} & set(rest):
        set_up.ensure_database(var)
    from django.core.management import execute_from_command_line

    execute_from_command_line([str(BASE_DIR / "manage.py"), *arguments])
    return 0


def test(arguments: list[str], var: Path) -> int:
    """Set up what the tests need beyond the packages, and run them; says what it does and how long that takes."""
    from designer.runtime import set_up

    phase("Browser for the browser tests", install_browser)
    phase("OpenSM, ibsim and slurmctld for the tests of exported fabrics", install_fabric_tools)
    phase("Chart library", lambda: set_up.ensure_charts(var))
    os.chdir(BASE_DIR)
    os.environ.pop("DJANGO_SETTINGS_MODULE")  # pyproject.toml names the settings of the tests
    keep_compiled(var)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the processes of the tests take every core already
    command = [sys.executable, "-m", "pytest", *usual_test_options(arguments), *arguments]
    return phase(f"Tests: {' '.join(command[1:])}", lambda: subprocess.run(command, check=False).returncode)


def keep_compiled(var: Path) -> None:
    """Tests start some forty processes: where nothing compiled may be kept, as in many containers, each would compile the app,
    the packages and the tests anew. It is kept in the state folder, so that the checkout stays as it is."""
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        os.environ.setdefault("PYTHONPYCACHEPREFIX", str(var / "bytecode"))


def phase(what: str, work: Callable[[], T]) -> T:
    say(f"{what} …")
    started, used = time.monotonic(), cpu_seconds()
    done = work()
    say(f"  {time.monotonic() - started:.1f} s, of a processor {cpu_seconds() - used:.1f} s")
    return done


def cpu_seconds() -> float:
    """What this process and its children that have ended used of a processor."""
    return sum(os.times()[:4])


def usual_test_options(arguments: list[str]) -> list[str]:
    """All cores for the whole suite, and its slowest tests at the end; what the caller names is run as the caller says."""
    alone = {"--pdb", "--trace", "-s", "--capture=no", "--co", "--collect-only", "--version", "-V", "-h", "--help"}
    for argument in arguments:
        if argument in alone or argument.startswith(("-n", "--numprocesses", "--dist")) or names_tests(argument):
            return []
    return ["-n", str(n_test_processes(os.cpu_count() or 1)), "--dist", "loadscope", "--durations", "10"]


def n_test_processes(cores: int) -> int:
    """Two a core, as one of them often waits for a server or a browser; past eight, more copies of both cost more than
    they save."""
    return min(2 * cores, 8)


def names_tests(argument: str) -> bool:
    return "::" in argument or argument.endswith(".py") or Path(argument).exists()


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def hand_over(python: Path, arguments: list[str]) -> None:
    """Become the given Python, running this file again."""
    sys.stdout.flush()
    os.execv(python, [str(python), str(BASE_DIR / "manage.py"), *arguments])  # noqa: S606 - without a shell, on purpose


def newer_python() -> Path:
    for minor in range(14, OLDEST_PYTHON[1] - 1, -1):
        if found := shutil.which(f"python3.{minor}"):
            return Path(found)
    raise SetUpError(
        f"this is Python {THIS_PYTHON}, and Python 3.11 or newer is needed. Install one (on Debian and Ubuntu: "
        "apt-get install python3.11 python3.11-venv) and run this command again."
    )


def state_folder() -> Path:
    """The folder that everything made at run time goes to, created if need be."""
    sys.path.insert(0, str(BASE_DIR))
    from designer.runtime.environment import BadSetting, Environment
    from designer.runtime.local_state import make_private_folder

    try:
        var = Environment().folder("DESIGNER_VAR", BASE_DIR / "var")
    except BadSetting as error:
        raise SetUpError(str(error)) from error
    try:
        make_private_folder(var)
        probe = var / f".write-test-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise SetUpError(
            f"{var} cannot be written to ({error.strerror or error}). Make it writable, or name a folder that is:\n"
            "    DESIGNER_VAR=/a/folder/of/yours python3 manage.py up"
        ) from error
    return var


# --- Packages ----------------------------------------------------------------------------------------------------


def ensure_packages(var: Path, lists: list[Path], arguments: list[str]) -> None:
    """Return if this Python has the locked packages; otherwise install them into var/venv and hand over to its Python."""
    venv = var / "venv"
    in_our_venv = Path(sys.prefix).resolve() == venv.resolve()
    if sys.prefix != sys.base_prefix and not in_our_venv and holds_locked_versions(lists):
        return
    with one_at_a_time(var):
        python = venv / "bin" / "python"
        if in_our_venv:
            python = Path(sys.executable)
        elif not python.exists() or stamp_of(venv, "python") != THIS_PYTHON:
            make_environment(venv)
        wanted = {one: hashlib.sha256(one.read_bytes() + THIS_PYTHON.encode()).hexdigest() for one in lists}
        if new := [one for one in lists if stamp_of(venv, one.parent.name) != wanted[one]]:
            install(python, new)
            for one in new:
                write_stamp(venv, one.parent.name, wanted[one])
    if not in_our_venv:
        hand_over(python, arguments)


class one_at_a_time:
    """Two set-ups of one folder at once would spoil each other: the second waits for the first."""

    def __init__(self, var: Path) -> None:
        self.path = var / "set-up.lock"

    def __enter__(self) -> None:
        import fcntl

        self.file = self.path.open("w")
        fcntl.flock(self.file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        self.file.close()


def stamp_of(venv: Path, name: str) -> str:
    path = venv / f"stamp-{name}"
    return path.read_text() if path.exists() else ""


def write_stamp(venv: Path, name: str, value: str) -> None:
    (venv / f"stamp-{name}").write_text(value)


def make_environment(venv: Path) -> None:
    try:
        import ensurepip  # noqa: F401 - Debian takes it out of its python3 package; venv needs it
    except ImportError:
        install_venv_package()
    say(f"Making a virtual environment in {venv} …")
    made = subprocess.run(
        [sys.executable, "-m", "venv", "--clear", str(venv)], check=False, capture_output=True, text=True
    )
    if made.returncode:
        raise SetUpError(f"no virtual environment could be made in {venv}:\n{made.stdout}{made.stderr}")
    write_stamp(venv, "python", THIS_PYTHON)


def install_venv_package() -> None:
    package = f"python3.{sys.version_info.minor}-venv"
    commands = [["apt-get", "update"], ["apt-get", "install", "-y", "--no-install-recommends", package]]
    as_text = " && ".join(" ".join(command) for command in commands)
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise SetUpError(
            f"this Python has no 'ensurepip', which virtual environments need. Install it, then run this again:\n"
            f"    sudo sh -c '{as_text}'"
        )
    say(f"Installing {package}: {as_text}")
    if not apt(commands):
        raise SetUpError(f"{package} could not be installed. Fix what is said above, then run this again.")


def apt(commands: list[list[str]]) -> bool:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in commands:
        done = subprocess.run(
            [command[0], "-qq", "-o", "Acquire::http::Timeout=20", *command[1:]],
            check=False,
            env=environment,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            say(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
            return False
    return True


def install(python: Path, lists: list[Path]) -> None:
    """The packages of the lists, by a few pips at once, as much of what each does is to wait for answers. Each list is whole:
    pip has nothing to look for beside them."""
    say(f"Installing the packages of {' and '.join(str(one.relative_to(BASE_DIR)) for one in lists)} …")
    command = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--no-compile", "--no-deps"]
    named = list(dict.fromkeys(line for one in lists for line in locked_lines(one)))
    runs = [subprocess.Popen([*command, *named[i::N_PIPS]], stdout=sys.stderr) for i in range(N_PIPS)]
    ended = [run.wait() for run in runs]
    if any(ended):
        raise SetUpError(
            "the packages could not be installed. Fix what pip says above (a network or proxy setting?), then run this again."
        )


def locked_lines(requirements: Path) -> list[str]:
    """Packages of a list, each with its version."""
    return [line for line in requirements.read_text().splitlines() if "==" in line and not line.startswith("#")]


def holds_locked_versions(lists: list[Path]) -> bool:
    """Whether this Python has every package at the version of the locks."""
    for requirements in lists:
        for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", requirements.read_text(), re.MULTILINE):
            try:
                if metadata.version(name) != version:
                    return False
            except metadata.PackageNotFoundError:
                return False
    return True


def install_fabric_tools() -> None:
    """OpenSM, a simulated fabric for it, and Slurm's controller; without them the tests of what they read are skipped."""
    missing = [package for command, package in FABRIC_TOOLS.items() if not shutil.which(command)]
    if not missing or os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    say(f"Installing {', '.join(missing)} for the tests of exported fabrics …")
    if not apt([["apt-get", "update"], ["apt-get", "install", "-y", "--no-install-recommends", *missing]]):
        say("That did not work; the tests of exported fabrics will be skipped.")


def install_browser() -> None:
    """The browser tests want a Chromium. Where none can be installed they are skipped, and say so."""
    packages = [] if shutil.which(HEADLESS) else [HEADLESS, "fonts-liberation"]
    try:
        ctypes.CDLL("libatomic.so.1")  # what drives the browser is linked against it, and a bare machine lacks it
    except OSError:
        packages.append("libatomic1")
    if not packages or os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    if apt_install(packages):
        return
    whole = [] if any(shutil.which(name) for name in CHROMIUM_NAMES) else ["chromium"]  # where there is no part of it
    others = [*whole, *(name for name in packages if name != HEADLESS)]
    if others and not apt_install(others):
        say("That did not work either; the browser tests may be skipped.")


def apt_install(packages: list[str]) -> bool:
    say(f"Installing {', '.join(packages)} for the browser tests …")
    return apt([["apt-get", "update"], ["apt-get", "install", "-y", "--no-install-recommends", *packages]])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
