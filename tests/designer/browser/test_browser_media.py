"""Pages as a reader or a printer asks for them: without motion, and on paper."""

import pytest

from tests.designer.browser.browsing import CHROMIUM, opened

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.processes,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]
MOTION = """() => {
  const inSeconds = (part) => parseFloat(part) * (part.endsWith("ms") ? 0.001 : 1);
  const isLong = (text) => text.split(",").some((part) => inSeconds(part) > 0.01);
  const styles = [...document.querySelectorAll("*")]
    .flatMap((one) => ["", "::before", "::after"].map((part) => getComputedStyle(one, part)));
  const slow = styles.filter((style) => isLong(style.transitionDuration)
    || (style.animationName !== "none" && isLong(style.animationDuration)));
  return { slow: slow.length, running: document.getAnimations().filter((one) => one.playState === "running").length };
}"""
PAPER = 703  # px between the margins of an A4 sheet
PRINTED = (
    "design",
    "tab-cost",
    "tab-performance",
    "tab-fabric",
    "tab-cabling",
    "tab-racks",
    "tab-findings",
    "tab-handoff",
    "comparison",
    "quote",
    "price-book",
    "calibration",
    "published",
    "validation",
)
CONTROLS = """() => [...document.querySelectorAll("nav, form, button, input, select, textarea")]
  .filter((one) => one.checkVisibility() && one.getClientRects().length).map((one) => one.outerHTML.slice(0, 90))"""
CLIPPED = """() => {
  const cuts = (one) => {
    const { overflowX, overflowY } = getComputedStyle(one);
    const hides = (overflow) => !["visible", "clip"].includes(overflow);
    return (hides(overflowX) && one.scrollWidth > one.clientWidth + 1)
      || (hides(overflowY) && one.scrollHeight > one.clientHeight + 1);
  };
  const around = (one) => (one.parentElement ? [one.parentElement, ...around(one.parentElement)] : []);
  return [...document.querySelectorAll("table")].filter((table) => table.checkVisibility())
    .filter((table) => around(table).some(cuts) || table.getBoundingClientRect().right > innerWidth + 1)
    .map((table) => table.outerHTML.slice(0, 90));
}"""
LIGHTNESS = """() => { const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).map(Number);
  return Math.min(r, g, b); }"""


@pytest.mark.parametrize("wish", ["reduce", "no-preference"])
def test_nothing_moves_where_less_motion_is_asked_for(wish, browser, session):
    page = opened(browser, session, [], reduced_motion=wish)
    page.goto(session["first"])
    page.locator("#result").wait_for()  # what the state before led to: only a result can be out of date
    page.route("**/settle/", lambda route: None)  # never answered: the page goes on saying that it waits
    page.fill("#id_size", "64" if wish == "reduce" else "72")
    playwright.expect(page.locator("#stale-note")).to_contain_text("Updating")
    motion = page.evaluate(MOTION)
    page.unroute_all(behavior="ignoreErrors")
    page.context.close()
    if wish == "reduce":
        assert motion == {"slow": 0, "running": 0}
    else:
        assert motion["slow"] > 10, "otherwise nothing was looked at"
        assert motion["running"] > 0


@pytest.fixture(scope="module")
def dark_pages(gallery):
    with gallery.look("dark", 1440) as pages:
        yield pages


@pytest.mark.parametrize("name", PRINTED)
def test_a_page_goes_on_paper_whole_and_without_controls(name, dark_pages, gallery):
    page = gallery.open(name, dark_pages)
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size({"width": PAPER, "height": 1123})
    try:
        assert page.evaluate(CONTROLS) == []
        assert page.evaluate(CLIPPED) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= PAPER
        assert page.evaluate(LIGHTNESS) > 240
    finally:
        page.emulate_media(media="screen", color_scheme="dark")
        page.set_viewport_size({"width": 1440, "height": 900})
