"""Pages as a reader or a printer asks for them: without motion, and on paper (which pages: test_browser_pages)."""

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
DRAWN = "() => !document.querySelector('[data-chart]:not([data-drawn])')"
BLANK = """() => [...document.querySelectorAll("[data-chart]")].filter((chart) => {
  const plot = chart.querySelector("[data-chart-plot] :is(svg, canvas)");
  return !plot?.checkVisibility() || plot.getBoundingClientRect().width < 100;
}).map((chart) => chart.dataset.chart)"""
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


def faults_on_paper(page):
    """What is wrong with a page as it is printed out of the dark: controls, charts not drawn, tables cut off, too wide for A4, a
    dark ground."""
    page.wait_for_function(DRAWN)
    page.emulate_media(media="print", color_scheme="dark", reduced_motion="reduce")
    page.set_viewport_size({"width": PAPER, "height": 1123})
    page.evaluate("dispatchEvent(new Event('beforeprint'))")  # opens what is folded
    faults = {"controls": page.evaluate(CONTROLS), "cut off": page.evaluate(CLIPPED)}
    faults["charts"] = page.evaluate(BLANK)
    if (width := page.evaluate("document.documentElement.scrollWidth")) > PAPER:
        faults["width"] = width
    if (lightness := page.evaluate(LIGHTNESS)) <= 240:
        faults["lightness of the ground"] = lightness
    return {what: found for what, found in faults.items() if found}


@pytest.mark.parametrize(
    ("part", "fault"),
    [
        ("<button>Press</button>", "controls"),
        ("<div class='cutting'><table class='wide'><tr><td>A wide table</td></tr></table></div>", "cut off"),
        ("<p class='wide'>Wide</p>", "width"),
        (
            "<details><figure data-chart='c' data-drawn><div data-chart-plot><svg></svg></div></figure></details>",
            "charts",
        ),
        ("<style>body { background: #222 !important }</style>", "lightness of the ground"),
    ],
)
def test_what_is_wrong_on_paper_is_found(part, fault, browser):
    page = browser.new_page()
    styles = ".wide { width: 900px } .cutting { overflow-x: hidden; width: 300px }"
    page.set_content(f"<!doctype html><style>{styles}</style><body>Words{part}</body>")
    assert fault in faults_on_paper(page)
    page.close()


def test_a_plain_page_has_no_fault_on_paper(browser):
    page = browser.new_page()
    page.set_content("<body style='background: #fff'>Words<table><tr><td>One</td></tr></table></body>")
    assert faults_on_paper(page) == {}
    page.close()
