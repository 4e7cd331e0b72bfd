"""Settings come from the environment; a bad value is refused by its name. Each case in a fresh process or reader."""

from __future__ import annotations

import re
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.cache.backends.redis import RedisCache
from kombu import Connection
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from designer.runtime import local_state
from designer.runtime.environment import BadSetting, Environment
from tests.processes import BASE_DIR, clean_environment, manage


def read(**variables: str) -> Environment:
    return Environment(variables)


FLAGS = [("1", True), ("Yes", True), ("on", True), ("0", False), ("false", False), ("", False)]


@pytest.mark.parametrize(("value", "expected"), FLAGS)
def test_a_flag(value: str, expected: bool) -> None:
    assert read(DESIGNER_DEBUG=value).flag("DESIGNER_DEBUG") is expected


@pytest.mark.parametrize(
    ("method", "arguments", "value"),
    [
        ("flag", (), "maybe"),
        ("whole_number", (20, 1, 100), "0"),
        ("whole_number", (20, 1, 100), "101"),
        ("whole_number", (20, 1, 100), "-5"),
        ("whole_number", (20, 1, 100), "many"),
        ("whole_number", (20, 1, 100), "1e1"),
        ("whole_number", (20, 1, 100), "٣"),
        ("choice", ("INFO", ("INFO", "DEBUG")), "LOUD"),
        ("name", ("default",), "two words"),
        ("host_names", (("localhost",),), "https://design.example.org"),
        ("host_names", (("localhost",),), "*"),
        ("origins", (), "design.example.org"),
        ("folder", (Path("/srv"),), "relative/path"),
        ("url", ("", ("redis", "amqp")), "http://example.org"),
        ("url", ("", ("redis", "amqp")), "localhost:6379"),
        ("url", ("", ("redis", "amqp")), "redis://localhost:port"),
        ("database", (Path("/srv/db"),), "mysql://host/name"),
        ("database", (Path("/srv/db"),), "sqlite:///relative.sqlite3"),
        ("database", (Path("/srv/db"),), "postgresql://host:5432"),
        ("cache", (), "memcached://host"),
    ],
)
def test_a_bad_value_is_refused_by_name_with_a_way_out(method: str, arguments: tuple[Any, ...], value: str) -> None:
    with pytest.raises(BadSetting, match="DESIGNER_THING=") as refused:
        getattr(read(DESIGNER_THING=value), method)("DESIGNER_THING", *arguments)
    assert "cannot be used: " in str(refused.value)


def test_a_password_is_not_shown_when_an_address_is_refused() -> None:
    with pytest.raises(BadSetting) as refused:
        read(DESIGNER_DATABASE_URL="postgresql://ada:s3cret@host:x/name").database(
            "DESIGNER_DATABASE_URL", Path("/srv/db")
        )
    assert "s3cret" not in str(refused.value)


def test_databases() -> None:
    local = read().database("DESIGNER_DATABASE_URL", Path("/srv/a b/db.sqlite3"))
    assert local["NAME"] == "/srv/a b/db.sqlite3"
    assert local["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert local["OPTIONS"]["timeout"] == 20
    moved = read(U="sqlite:////data/x%20y.sqlite3").database("U", Path("/srv/db"))
    assert moved["NAME"] == "/data/x y.sqlite3"
    server = read(U="postgresql://ada:p%40ss@db.example.org:6432/designs?sslmode=require").database(
        "U", Path("/srv/db")
    )
    kept = {key: server[key] for key in ("NAME", "USER", "PASSWORD", "HOST", "PORT", "OPTIONS")}
    assert kept == {
        "NAME": "designs",
        "USER": "ada",
        "PASSWORD": "p@ss",
        "HOST": "db.example.org",
        "PORT": 6432,
        "OPTIONS": {"sslmode": "require"},
    }


class TestSecretKey:
    def test_it_is_made_once_and_only_its_owner_can_read_it(self, tmp_path: Path) -> None:
        var = tmp_path / "var"
        key = local_state.secret_key(var)
        assert len(key) >= 50
        assert local_state.secret_key(var) == key
        assert stat.S_IMODE(var.stat().st_mode) == 0o700
        assert stat.S_IMODE((var / "secret-key").stat().st_mode) == 0o600

    def test_many_at_once_get_the_same_one(self, tmp_path: Path) -> None:
        keys: list[str] = []
        threads = [threading.Thread(target=lambda: keys.append(local_state.secret_key(tmp_path))) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(keys) == 16
        assert len(set(keys)) == 1
        assert [path.name for path in tmp_path.iterdir()] == ["secret-key"]

    @pytest.mark.parametrize(
        "server", [{"DESIGNER_HTTPS": "1"}, {"DESIGNER_DATABASE_URL": "postgresql://db.example.org/designs"}]
    )
    def test_a_server_without_one_refuses_to_start(self, tmp_path: Path, server: dict[str, str]) -> None:
        done = manage("check", var=tmp_path, **server)
        assert done.returncode != 0
        assert "DESIGNER_SECRET_KEY" in done.stderr

    def test_a_short_one_is_refused_and_not_shown(self, tmp_path: Path) -> None:
        done = manage("check", var=tmp_path, DESIGNER_SECRET_KEY="hunter2")
        assert done.returncode != 0
        assert "DESIGNER_SECRET_KEY" in done.stderr
        assert "hunter2" not in done.stderr


def test_the_brokers_socket_fits_whatever_the_folder(tmp_path: Path) -> None:
    assert local_state.broker_socket(Path("/srv/var")) == Path("/srv/var/broker.sock")
    deep = Path("/srv") / ("x" * 120)
    short = local_state.broker_socket(deep)
    assert len(str(short)) < 100
    assert short == local_state.broker_socket(deep)
    assert short != local_state.broker_socket(deep / "another")
    for odd in ("50%20off", "what?", "a#b", "größe"):
        assert odd not in str(local_state.broker_socket(Path("/srv") / odd))


def setting(name: str, var: Path, **environment: str) -> str:
    program = f"from django.conf import settings; print(repr(settings.{name}))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=BASE_DIR,
        env=clean_environment(var, DJANGO_SETTINGS_MODULE="designer.config.settings", **environment),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_the_defaults_are_the_safe_ones(tmp_path: Path) -> None:
    assert setting("DEBUG", tmp_path) == "False"
    assert setting("ALLOWED_HOSTS", tmp_path) == "['localhost', '127.0.0.1', '[::1]']"
    assert setting("CELERY_ACCEPT_CONTENT", tmp_path) == "['json']"


def test_a_server_over_https_passes_djangos_deployment_check(tmp_path: Path) -> None:
    server = {
        "DESIGNER_HTTPS": "1",
        "DESIGNER_SECRET_KEY": "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6",
        "DESIGNER_ALLOWED_HOSTS": "design.example.org",
    }
    done = manage("check", "--deploy", "--fail-level", "WARNING", var=tmp_path, **server)
    assert done.returncode == 0, done.stderr


def test_every_setting_is_in_the_readme() -> None:
    readme = (BASE_DIR / "README.md").read_text()
    sources = [*(BASE_DIR / "designer").rglob("*.py"), *(BASE_DIR / "tests").rglob("*.py"), BASE_DIR / "manage.py"]
    words = {word for path in sources for word in re.findall(r"\bDESIGNER_[A-Z_]*[A-Z]\b", path.read_text())}
    assert words - {"DESIGNER_THING"} <= set(re.findall(r"DESIGNER_[A-Z_]+", readme))


@pytest.fixture
def hung_server() -> Iterator[Path]:
    """The path of a socket that takes connections and never says a word."""
    with tempfile.TemporaryDirectory(prefix="hung-") as folder, socket.socket(socket.AF_UNIX) as listener:
        path = Path(folder) / "hung.sock"
        listener.bind(str(path))
        listener.listen()
        yield path


def outcome_within(seconds: float, call: Callable[[], object]) -> object:
    """What the call returns or raises; an AssertionError if it is still waiting after so many seconds."""
    outcomes: list[object] = []

    def run() -> None:
        try:
            outcomes.append(call())
        except (RedisError, OperationalError) as error:
            outcomes.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    assert outcomes, f"still waiting after {seconds} s"
    return outcomes[0]


def test_a_cache_that_hangs_is_given_up_after_a_second(hung_server: Path) -> None:
    values = read(DESIGNER_CACHE_URL=f"unix://{hung_server}").cache("DESIGNER_CACHE_URL")
    cache = RedisCache(values["LOCATION"], {"TIMEOUT": values["TIMEOUT"], "OPTIONS": values["OPTIONS"]})
    assert isinstance(outcome_within(3, lambda: cache.get("key")), RedisError)


def test_a_broker_that_hangs_is_given_up(hung_server: Path) -> None:
    options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
    connection = Connection(f"redis+socket://{hung_server}", transport_options=options)
    assert isinstance(outcome_within(10, lambda: connection.SimpleQueue("queue").put("message")), OperationalError)


def test_a_bad_setting_is_one_clear_line_and_no_traceback(tmp_path: Path) -> None:
    done = manage("check", var=tmp_path, DESIGNER_BROKER_URL="ftp://host")
    assert done.returncode == 2
    assert done.stderr.startswith("Clusterwright cannot start: DESIGNER_BROKER_URL='ftp://host' cannot be used")
    assert "Traceback" not in done.stderr
