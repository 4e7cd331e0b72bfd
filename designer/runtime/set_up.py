"""What a start needs beyond the packages: the chart library, collected static files, tables. Each is made once."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path

from designer.runtime import bundles

BASE_DIR = Path(__file__).resolve().parent.parent.parent

# The chart library comes out of the vl-convert wheel; the digest makes a change of it visible in a review.
VEGA_LITE_VERSION = "6.4"
VEGA_BUNDLE_SHA256 = "16d620d14a8d7cb89d16173e8033e71481a0eeef72adc119e358b94166b25267"
VEGA_BUILDER = """
import pathlib, sys, vl_convert
bundle = vl_convert.javascript_bundle(snippet="export {vegaEmbed};", vl_version=sys.argv[2])
pathlib.Path(sys.argv[1]).write_text(bundle, encoding="utf-8")
"""


class SetUpFailed(Exception):
    """A step of the set-up failed; the text has its output."""


def run_step(what: str, *command: str) -> None:
    """Run one step as a child, which takes its memory with it when it ends."""
    done = subprocess.run(
        [sys.executable, *command], cwd=BASE_DIR, env=django_environment(), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SetUpFailed(f"{what} failed:\n{(done.stdout + done.stderr)[-3000:]}")


def django_environment() -> dict[str, str]:
    return {"DJANGO_SETTINGS_MODULE": "designer.config.settings", **os.environ}


def prepare(var: Path) -> None:
    """Tables, chart library and static files. The tables are made while the other two are: they share nothing."""
    with ThreadPoolExecutor(1) as beside:
        tables = beside.submit(ensure_database, var)
        ensure_charts(var)
        ensure_static_files(var)
        tables.result()  # raises whatever went wrong there


def ensure_charts(var: Path) -> None:
    """Write var/assets/vega/vega.js, unless this version of it is there."""
    folder = var / "assets" / "vega"
    wanted = f"vl-convert-python {metadata.version('vl-convert-python')}, Vega-Lite {VEGA_LITE_VERSION}"
    if _stamp(folder / "stamp") == wanted:
        return
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f"vega.{os.getpid()}.draft"
    run_step("Making the chart library", "-c", VEGA_BUILDER, str(draft), VEGA_LITE_VERSION)
    digest = hashlib.sha256(draft.read_bytes()).hexdigest()
    if digest != VEGA_BUNDLE_SHA256:
        print(f"The chart library is not the reviewed one: SHA-256 {digest} ({wanted})", file=sys.stderr)
    draft.replace(folder / "vega.js")
    (folder / "stamp").write_text(wanted)


def ensure_static_files(var: Path) -> None:
    """Collect the static files under hashed names, unless nothing changed since the last time."""
    linker = [Path(bundles.__file__), BASE_DIR / "designer" / "config" / "static_files.py"]
    files = [path for path in (BASE_DIR / "static").rglob("*") if path.is_file()] + linker
    seen = [f"{path.relative_to(BASE_DIR)} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in sorted(files)]
    wanted = _digest([*seen, _stamp(var / "assets" / "vega" / "stamp"), _lock(), str(BASE_DIR)])
    manifest, stamp = var / "static" / "staticfiles.json", var / "static.stamp"
    if manifest.exists() and _stamp(stamp) == wanted:
        return
    run_step("Collecting the static files", "-m", "django", "collectstatic", "--noinput", "--clear", "--verbosity=0")
    stamp.write_text(wanted)


def ensure_database(var: Path) -> None:
    """Bring the tables up to date. A database on a server is asked every time, one in var/ when migrations changed."""
    is_ours = not os.environ.get("DESIGNER_DATABASE_URL")
    migrations = sorted(BASE_DIR.glob("*/migrations/*.py")) + sorted(BASE_DIR.glob("*/*/migrations/*.py"))
    wanted = _digest([*(path.read_text() for path in migrations), _lock()])
    stamp = var / "database.stamp"
    if is_ours and (var / "db.sqlite3").exists() and _stamp(stamp) == wanted:
        return
    quick = ["--noinput", "--verbosity=0", "--skip-checks"]  # checks load every page of the app
    run_step("Bringing the database's tables up to date", "-m", "django", "migrate", *quick)
    if is_ours:
        stamp.write_text(wanted)


def _stamp(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _lock() -> str:
    return (BASE_DIR / "requirements.txt").read_text()


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
