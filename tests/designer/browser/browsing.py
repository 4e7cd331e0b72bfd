"""One app for all browser tests, one Chromium a process, and an account of its own for each test.

The app's worker estimates the four samples once; an account is a copy of the account that holds them, finished estimates
included, so that no test sees what another has typed and none waits for what was estimated before.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from manage import CHROMIUM_NAMES
from tests.designer.browser import accounts as accounts_made
from tests.designer.screens import NAVIGATION_MS, Filled, Gallery, signed_in
from tests.processes import BASE_DIR, AppAt, app_of_all, clean_environment, one_at_a_time

CHROMIUM = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
PATIENCE_MS = 20_000  # that a page may take to show what is expected: a busy machine is no fault of the code
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--js-flags=--no-opt",  # pages live for a second or two: what the optimizer takes does not come back
]
WATCH = """
window.violations = []; window.shift = 0;
document.addEventListener("securitypolicyviolation", (e) => window.violations.push(`${e.violatedDirective} ${e.blockedURI}`));
new PerformanceObserver((list) => { for (const e of list.getEntries()) if (!e.hadRecentInput) window.shift += e.value; })
  .observe({ type: "layout-shift", buffered: true });
"""

# Stands for the chart library on pages that are opened for something else: to compile and draw takes a sixth of such a visit.
NO_CHARTS = """export const vegaEmbed = async () => {
  const view = { signal: () => view, runAsync: async () => view };
  return { view, finalize() {} };
};"""

# Letters become an edit only a moment after they were typed; until then the note already says that they are to be saved.
ALL_SENT = """() => !Object.keys(localStorage).some((name) => name.startsWith("clusterwright.unsent"))
    && document.getElementById("session-note")?.textContent !== 'Saving…'"""


class Accounts:
    """Makes accounts in a running app: by a process with the app's settings, which answers all processes of a run."""

    def __init__(self, app: AppAt) -> None:
        with one_at_a_time(accounts_made.ASKED):
            self.socket = self._connected(app)
            self.answers = self.socket.makefile("rw")
            self.new("hello")

    def _connected(self, app: AppAt) -> socket.socket:
        path = app.var / "accounts"
        try:
            return _connected(path)
        except (FileNotFoundError, ConnectionRefusedError):  # nobody has asked yet; or who answered was killed
            path.unlink(missing_ok=True)
            _start_accounts(app, path)
            return _connected(path)

    def new(self, kind: str = "samples") -> dict[str, str]:
        """An account with the samples and a session ("samples"); one without anything and a link ("newcomer"); or addresses in
        the owner's, filled with something for every page ("pictured")."""
        self.answers.write(f"{kind}\n")
        self.answers.flush()
        made: dict[str, str] = json.loads(self.answers.readline())
        return made

    def close(self) -> None:
        self.answers.close()
        self.socket.close()


def _connected(path: Path) -> socket.socket:
    asking = socket.socket(socket.AF_UNIX)
    try:
        asking.connect(str(path))
    except OSError:
        asking.close()
        raise
    return asking


def _start_accounts(app: AppAt, path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", accounts_made.__name__, str(path)],
        cwd=BASE_DIR,
        env=clean_environment(app.var, DJANGO_SETTINGS_MODULE="designer.config.settings"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n", "the process that makes accounts did not start: see its error above"


@pytest.fixture(scope="session")
def app() -> Iterator[AppAt]:
    """The app of all browser tests. A test that kills or starves it starts one of its own."""
    with app_of_all() as running:
        yield running


@pytest.fixture(scope="session")
def accounts(app: AppAt) -> Iterator[Accounts]:
    made = Accounts(app)
    yield made
    made.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium. Where libraries are missing that only root may install, the tests skip; as root they fail."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    playwright.expect.set_options(timeout=PATIENCE_MS)
    driver = playwright.sync_playwright()
    try:
        started = driver.start()
        browser = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
    except playwright.Error as error:
        if os.geteuid() == 0:
            raise
        pytest.skip(f"the browser or its driver does not start here: {error}")
    with pytest.MonkeyPatch.context() as patch:
        # The driver keeps an event loop in this thread, which Django takes for code that must not wait for a database.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        yield browser
    browser.close()
    started.stop()


@pytest.fixture(scope="session")
def gallery(app: AppAt, accounts: Accounts, browser: Any) -> Gallery:
    """The account in which every page has something to show, filled by whoever asks first. Tests look at it and change
    nothing."""
    with one_at_a_time("gallery"):
        kept = app.var / "gallery.json"
        if not kept.exists():
            kept.write_text(json.dumps(signed_in(app.url, accounts.new("pictured"))))
        return Gallery(app, browser, Filled(*json.loads(kept.read_text())))


@pytest.fixture
def session(app: AppAt, accounts: Accounts) -> dict[str, Any]:
    """Cookies of somebody who has the four samples and has changed none, and the address of the first sample."""
    account = accounts.new()
    cookie = {
        "name": account["cookie"],
        "value": account["session"],
        "domain": "127.0.0.1",
        "path": "/",
        "httpOnly": True,
        "sameSite": "Lax",
        "secure": False,
        "expires": -1,
    }
    return {"state": {"cookies": [cookie], "origins": []}, "first": app.url + account["first"]}


def opened(
    browser: Any, session: dict[str, Any], watched: list[str], *, draws_charts: bool = True, **options: Any
) -> Any:
    """A page in a window of its own, watched for what fails and for what the policy blocks."""
    context = browser.new_context(
        storage_state=session["state"], **{"viewport": {"width": 1440, "height": 900}, **options}
    )
    context.set_default_navigation_timeout(NAVIGATION_MS)
    context.add_init_script(WATCH)
    if not draws_charts:
        context.route("**/vega/*.js", lambda route: route.fulfill(content_type="text/javascript", body=NO_CHARTS))
    page = context.new_page()
    page.on("console", lambda message: watched.append(message.text) if is_fault(message) else None)
    page.on("pageerror", lambda error: watched.append(str(error)))
    return page


def is_fault(message: Any) -> bool:
    """An error or a warning, but for htmx's word that leaving the page has ended a preview that was under way."""
    return message.type in ("error", "warning") and not message.text.startswith(("htmx:sendAbort", "htmx:afterRequest"))
