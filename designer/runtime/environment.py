"""Typed readers of the environment. A bad value is refused by the name of its variable, with what would do."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from estimator.record import Json

TRUE_WORDS = ("1", "true", "yes", "on")
FALSE_WORDS = ("0", "false", "no", "off", "")


class BadSetting(ValueError):
    """A variable of the environment holds a value that cannot be used."""

    def __init__(self, name: str, value: str, wanted: str) -> None:
        shown = re.sub(r"://[^/@]*@", "://…@", value)  # an address may hold a password
        super().__init__(f"{name}={shown!r} cannot be used: {wanted}")


class Environment:
    """Reads settings out of a mapping of variables, by default the process's own."""

    def __init__(self, variables: Mapping[str, str] | None = None) -> None:
        self._variables = os.environ if variables is None else variables

    def text(self, name: str, default: str = "") -> str:
        return self._variables.get(name, default).strip()

    def flag(self, name: str, default: bool = False) -> bool:
        value = self._variables.get(name)
        if value is None:
            return default
        if value.strip().lower() in TRUE_WORDS:
            return True
        if value.strip().lower() in FALSE_WORDS:
            return False
        raise BadSetting(name, value, "write 1 for yes or 0 for no.")

    def whole_number(self, name: str, default: int, least: int, most: int) -> int:
        value = self.text(name)
        if not value:
            return default
        if not value.isascii() or not value.isdecimal() or not least <= int(value) <= most:
            raise BadSetting(name, value, f"write a whole number from {least} to {most}.")
        return int(value)

    def choice(self, name: str, default: str, choices: tuple[str, ...]) -> str:
        value = self.text(name) or default
        if value not in choices:
            raise BadSetting(name, value, f"write one of {', '.join(choices)}.")
        return value

    def name(self, name: str, default: str) -> str:
        value = self.text(name) or default
        if not re.fullmatch(r"[A-Za-z0-9_.-]{1,60}", value):
            raise BadSetting(name, value, "write 1 to 60 letters, digits, dots, dashes or underscores.")
        return value

    def words(self, name: str, default: tuple[str, ...] = ()) -> list[str]:
        """A list separated by commas."""
        value = self.text(name)
        return [word.strip() for word in value.split(",") if word.strip()] if value else list(default)

    def host_names(self, name: str, default: tuple[str, ...]) -> list[str]:
        names = self.words(name, default)
        for host in names:
            if "/" in host or " " in host or host == "*":
                raise BadSetting(name, host, "write host names separated by commas, such as design.example.org.")
        return names

    def origins(self, name: str) -> list[str]:
        origins = self.words(name)
        for origin in origins:
            if urlsplit(origin).scheme not in ("http", "https") or not urlsplit(origin).hostname:
                raise BadSetting(name, origin, "write origins separated by commas, such as https://design.example.org.")
        return origins

    def folder(self, name: str, default: Path) -> Path:
        value = self.text(name)
        path = Path(value).expanduser() if value else default
        if not path.is_absolute():
            raise BadSetting(name, value, "write an absolute path, such as /srv/clusterwright.")
        return path

    def url(self, name: str, default: str, schemes: tuple[str, ...]) -> str:
        value = self.text(name) or default
        if "://" not in value or urlsplit(value).scheme not in schemes:
            raise BadSetting(name, value, f"write an address that starts with one of {', '.join(schemes)} and '://'.")
        _port_of(name, value)
        return value

    def database(self, name: str, default: Path) -> Json:
        """Django's DATABASES entry for `sqlite:////path/to/file` or `postgresql://user:password@host:5432/name`."""
        value = self.url(name, f"sqlite:///{default}", ("sqlite", "postgresql", "postgres"))
        parts = urlsplit(value)
        if parts.scheme == "sqlite":
            if parts.netloc or not parts.path.startswith("//"):
                raise BadSetting(name, value, "write sqlite:// and the absolute path: sqlite:////srv/data/db.sqlite3.")
            return _sqlite(unquote(parts.path)[1:])
        if not parts.path.strip("/"):
            raise BadSetting(name, value, "name the database after the host: postgresql://user@host:5432/name.")
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": unquote(parts.path.strip("/")),
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": parts.hostname or "",
            "PORT": _port_of(name, value) or "",
            "OPTIONS": dict(parse_qsl(parts.query)),
            "CONN_MAX_AGE": 60,
            "CONN_HEALTH_CHECKS": True,
        }

    def cache(self, name: str) -> Json:
        """Django's CACHES entry: `redis://…` or `unix://…`; without one, a cache in the memory of each process."""
        if not self.text(name):
            return {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
        location = self.url(name, "", ("redis", "rediss", "unix"))
        waits = {"socket_timeout": 1, "socket_connect_timeout": 1}  # seconds: a cache that hangs is as good as away
        return {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": location,
            "TIMEOUT": 300,
            "OPTIONS": waits,
        }


def _port_of(name: str, value: str) -> int | None:
    try:
        return urlsplit(value).port
    except ValueError as error:
        raise BadSetting(name, value, "the port is a number from 0 to 65535.") from error


def _sqlite(path: str) -> Json:
    """SQLite for several processes: readers never wait for the one writer, and writers queue instead of failing."""
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        "OPTIONS": {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        },
    }
