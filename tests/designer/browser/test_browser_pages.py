"""Every page in a real browser, narrow and wide: axe finds nothing in either theme, nothing is blocked, nothing fails, no
request leaves the origin, few are made and none of them twice, and a page is as wide as its window; the usual ones have one
title and stand still while they are drawn."""

import json
import re
from collections import Counter
from importlib.resources import files
from typing import Any

import pytest

from tests.designer.browser.browsing import CHROMIUM, WATCH, is_fault
from tests.designer.screens import PAGES, STATES, TABS, THEMES
from tests.thorough import THOROUGH

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.processes,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]
AXE = (files("axe_playwright_python") / "axe.min.js").read_text()
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOURS = ["color-contrast", "link-in-text-block"]  # the rules that are about colours: all others hold in either theme
NARROW, WIDE = 390, 1440
ASKED: dict[tuple[str, int], dict[str, Any]] = {
    ("light", WIDE): {"runOnly": RULES},
    ("light", NARROW): {"runOnly": RULES, "rules": {rule: {"enabled": THOROUGH} for rule in COLOURS}},
    ("dark", NARROW): {"runOnly": COLOURS},
    # Colours take axe longest of all. They are the same in either width: each theme is looked at in one.
    **({("dark", WIDE): {"runOnly": COLOURS}} if THOROUGH else {}),
}
STILL = {"design", "home", "new", "not-found", "schedule"} | {f"tab-{tab}" for tab in TABS}
TITLED = STILL | {"start", "published", "import", "help", "glossary", "document", "advice"}
MOST_SHIFT = 0.02  # of the window, while one of those pages is drawn
MOST_REQUESTS = 12  # that a page begins with
# Pages that nobody needs a picture of: words and a button, a panel that is pictured in its page, and one that is not ours.
UNPICTURED = {
    "api-docs": "/api/docs/",
    "spec": "{hall}spec/",
    **{f"delete {name}": f"{{{name}}}delete/" for name in ("book", "calibration", "comparison", "quote")},
}
SECRET = re.compile(r'(?<=name="csrfmiddlewaretoken" value=")\w+')  # another one on each page
UNFOLD = "for (const fold of document.querySelectorAll('details:not(.menu)')) fold.open = true"


@pytest.fixture(scope="module", params=[NARROW, WIDE])
def look(request, gallery):
    """Everybody's page in one width, with what they asked for and complained of."""
    watched: list[str] = []
    asked: list[str] = []
    with gallery.look("light", request.param) as pages:
        for page in pages.values():
            page.context.add_init_script(WATCH)
            page.on("console", lambda message: watched.append(message.text) if is_fault(message) else None)
            page.on("pageerror", lambda error: watched.append(str(error)))
            page.on("request", lambda sent: note(sent, asked))
        yield pages, watched, asked, set()


def note(sent, asked):
    """What the page that is shown asked for: another begins anew."""
    if sent.is_navigation_request():
        asked.clear()
    asked.append(sent.url)


def violations(page, theme, menus):
    """What axe finds in a theme on a page, folds open, and in each of its menus, which lie over the page.

    A menu that is the same on another page of this width, one of ``menus``, has been looked at there.
    """
    asked = ASKED.get((theme, page.viewport_size["width"]))
    if asked is None:
        return []
    run = f"(part) => axe.run(part || document, {json.dumps(asked | {'resultTypes': ['violations']})})"
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.evaluate(UNFOLD)
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found = page.evaluate(run)["violations"]
    for menu in page.locator("details.menu:visible").all():
        looked_at = theme, SECRET.sub("", menu.evaluate("(menu) => menu.outerHTML"))
        if looked_at in menus:
            continue
        menus.add(looked_at)
        menu.locator("summary").click()
        found += menu.evaluate(run)["violations"]
        menu.locator("summary").click()
    return [(rule["id"], [node["target"] for node in rule["nodes"]][:3]) for rule in found]


def weight(asked):
    """How many requests a page begins with, and which scripts and stylesheets it requests again. A design that is open looks
    for edits of others for ever: those are not counted."""
    sent = Counter(url for url in asked if url.startswith("http") and "/state/?" not in url)
    twice = [url for url, number in sent.items() if number > 1 and url.endswith((".js", ".css"))]
    return sent.total(), twice


@pytest.mark.parametrize("name", STATES)
def test_a_page_is_sound(name, look, gallery):
    pages, watched, asked, menus = look
    watched.clear()
    asked.clear()
    page = gallery.open(name, pages)
    status = PAGES[name].status
    assert [words for words in watched if status == 200 or str(status) not in words] == []
    assert page.evaluate("window.violations") == []
    assert {url for url in asked if not url.startswith((gallery.app.url, "data:", "blob:"))} == set()
    number, twice = weight(asked)
    assert number <= MOST_REQUESTS, asked
    assert twice == []
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"{wide} px wider than its window"
    assert name not in TITLED or page.locator("h1").count() == 1
    assert name not in STILL or page.evaluate("window.shift") < MOST_SHIFT
    assert {theme: violations(page, theme, menus) for theme in THEMES} == {theme: [] for theme in THEMES}


@pytest.mark.parametrize("name", UNPICTURED)
def test_a_page_without_a_picture_is_light_too(name, look, gallery):
    pages, _, asked, _ = look
    asked.clear()
    pages["owner"].goto(gallery.app.url + UNPICTURED[name].format(**gallery.addresses), wait_until="networkidle")
    number, twice = weight(asked)
    assert 3 <= number <= MOST_REQUESTS, asked
    assert twice == []


def test_a_table_that_is_whole_on_its_page_sorts_by_its_heads(look, gallery):
    pages, *_ = look
    page = gallery.open("workloads-layouts", pages)
    table = page.locator("#layouts table")
    head = table.get_by_role("columnheader", name="Memory, GB")
    for order in ("ascending", "descending"):
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == order
        shown = [float(cell) for cell in table.locator("tbody td[data-label='Memory, GB']").all_text_contents()]
        assert len(set(shown)) > 1
        assert shown == sorted(shown, reverse=order == "descending")
