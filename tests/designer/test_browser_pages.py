"""Every page in a real browser, light and wide, dark and narrow: axe finds nothing, nothing is blocked, nothing fails, no
request leaves the origin, and no page is wider than its window."""

from importlib.resources import files

import pytest

from tests.designer.screens import PAGES, address_of
from tests.designer.test_browser import CHROMIUM, app, browser, opened, session  # noqa: F401 (fixtures)

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.processes,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]
AXE = (files("axe_playwright_python") / "axe.min.js").read_text()
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN_AXE = f"() => axe.run(document, {{ runOnly: {RULES}, resultTypes: ['violations'] }})"
LOOKS = [("light", 1440), ("dark", 390)]  # each theme and each width once


@pytest.fixture(scope="module", params=LOOKS, ids=lambda look: f"{look[0]}-{look[1]}")
def look(request, browser, session):  # noqa: F811
    """A signed-in page in one theme and width, with what it asked for and complained of."""
    theme, width = request.param
    watched: list[str] = []
    asked: list[str] = []
    page = opened(browser, session, watched, color_scheme=theme, viewport={"width": width, "height": 900},
                  reduced_motion="reduce")  # fmt: skip
    page.on("request", lambda sent: asked.append(sent.url))
    yield page, watched, asked
    page.context.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_sound(name, look, session):  # noqa: F811
    page, watched, asked = look
    watched.clear()
    asked.clear()
    origin = session["first"].split("/designs/")[0]
    page.goto(address_of(name, session["first"]))
    page.wait_for_load_state("networkidle")
    faults = [words for words in watched if name != "not-found" or "404" not in words]
    assert faults == []
    assert page.evaluate("window.violations") == []
    assert {url for url in asked if not url.startswith((origin, "data:", "blob:"))} == set()
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"{wide} px wider than its window"
    page.evaluate(AXE)
    found = page.evaluate(RUN_AXE)["violations"]
    assert [(rule["id"], [node["target"] for node in rule["nodes"]][:3]) for rule in found] == []
