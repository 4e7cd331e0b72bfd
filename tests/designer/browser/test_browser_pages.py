"""Every page in a real browser, narrow and wide: axe finds nothing in either theme, nothing is blocked, nothing fails, no
request leaves the origin, and no page is wider than its window."""

from importlib.resources import files

import pytest

from tests.designer.browser.browsing import CHROMIUM, WATCH, is_fault
from tests.designer.screens import PAGES, STATES, THEMES

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.processes,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]
AXE = (files("axe_playwright_python") / "axe.min.js").read_text()
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOURS = ["color-contrast", "link-in-text-block"]  # the rules that are about colours: all others hold in either theme
ASKED = {"light": RULES, "dark": COLOURS}
UNFOLD = "for (const fold of document.querySelectorAll('details:not(.menu)')) fold.open = true"


@pytest.fixture(scope="module", params=[390, 1440])
def look(request, gallery):
    """Everybody's page in one width, with what they asked for and complained of."""
    watched: list[str] = []
    asked: list[str] = []
    with gallery.look("light", request.param) as pages:
        for page in pages.values():
            page.context.add_init_script(WATCH)
            page.on("console", lambda message: watched.append(message.text) if is_fault(message) else None)
            page.on("pageerror", lambda error: watched.append(str(error)))
            page.on("request", lambda sent: asked.append(sent.url))
        yield pages, watched, asked


def violations(page, theme):
    """What axe finds in a theme on a page, folds open, and in each of its menus, which lie over the page."""
    run = f"(part) => axe.run(part || document, {{ runOnly: {ASKED[theme]}, resultTypes: ['violations'] }})"
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.evaluate(UNFOLD)
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found = page.evaluate(run)["violations"]
    for menu in page.locator("details.menu:visible").all():
        menu.locator("summary").click()
        found += menu.evaluate(run)["violations"]
        menu.locator("summary").click()
    return [(rule["id"], [node["target"] for node in rule["nodes"]][:3]) for rule in found]


@pytest.mark.parametrize("name", STATES)
def test_a_page_is_sound(name, look, gallery):
    pages, watched, asked = look
    watched.clear()
    asked.clear()
    page = gallery.open(name, pages)
    status = PAGES[name].status
    assert [words for words in watched if status == 200 or str(status) not in words] == []
    assert page.evaluate("window.violations") == []
    assert {url for url in asked if not url.startswith((gallery.app.url, "data:", "blob:"))} == set()
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"{wide} px wider than its window"
    assert {theme: violations(page, theme) for theme in THEMES} == {theme: [] for theme in THEMES}
