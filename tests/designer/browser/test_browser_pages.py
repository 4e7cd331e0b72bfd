"""Every page in a real browser, narrow and wide: axe finds nothing in either theme, nothing is blocked, nothing fails, no
request leaves the origin, few are made and none of them twice, and a page is as wide as its window; the usual ones have one
title and stand still while they are drawn."""

import json
import re
from collections import Counter
from importlib.resources import files

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
SIZE = "target-size"  # takes axe as long as all other rules together: it is for what is small, or near something else
NARROW, WIDE = 390, 1440
# Colours take axe longest of all. They are the same in either width: each theme is looked at in one.
COLOURED = {("light", WIDE), ("dark", NARROW)} | ({("light", NARROW), ("dark", WIDE)} if THOROUGH else set())
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
# Texts with what their contrast comes from: colours of text and grounds, size, and what may lie over others. Texts that agree
# in it have one contrast; those that no page had before are kept as `window.fresh`, and their kinds are answered.
FRESH = """(known) => {
  const seen = new Set(known), fresh = [], kinds = [];
  const look = (element, ground) => {
    const style = getComputedStyle(element);
    if (style.display === "none") return;
    if (style.backgroundColor !== "rgba(0, 0, 0, 0)") ground += `|${style.backgroundColor}`;
    if (style.backgroundImage !== "none") ground += `|${style.backgroundImage}`;
    if (style.opacity !== "1") ground += `|${style.opacity}`;
    if (style.position === "absolute" || style.position === "fixed") ground += `|${element.className}`;
    if (element.matches("[disabled], [aria-disabled], [inert]")) ground += "|disabled";
    const box = element.getBoundingClientRect();
    const isShown = style.visibility === "visible" && box.width > 1 && box.height > 1;
    if (isShown && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) {
      const around = element.tagName === "A" ? getComputedStyle(element.parentElement).color : "";
      const font = [style.color, style.fontSize, style.fontWeight, style.textDecorationLine, style.textShadow];
      const kind = [...font, around, ground].join("|");
      if (!seen.has(kind)) {
        seen.add(kind);
        kinds.push(kind);
        fresh.push(element);
      }
    }
    for (const child of element.children) look(child, ground);
  };
  look(document.body, getComputedStyle(document.documentElement).backgroundColor);
  window.fresh = fresh;
  return kinds;
}"""
# Parts of a page that another page had as they are here: of those axe has nothing new to say. They are kept as `window.same`,
# and what stands for each part that is new is answered: its words and marks, and whether it is seen. The form of a design is
# the same beside each of its tabs.
SAME = """(known) => {
  const seen = new Set(known), fresh = [];
  window.same = [];
  const code = (text) => {
    let [one, other] = [0xdeadbeef, 0x41c6ce57];
    for (let at = 0; at < text.length; at++) {
      one = Math.imul(one ^ text.charCodeAt(at), 2654435761);
      other = Math.imul(other ^ text.charCodeAt(at), 1597334677);
    }
    return `${one}:${other}`;
  };
  const look = (part) => {
    const text = part.outerHTML.replace(/(name="csrfmiddlewaretoken" value=")\\w+/g, "$1");
    if (text.length < LEAST) return;
    const state = [part.checkVisibility({ visibilityProperty: true }), !!part.closest("[inert], [aria-hidden=true]")];
    const key = `${code(text)} ${text.length} ${state}`;
    if (seen.has(key)) {
      window.same.push(part);
      return;
    }
    seen.add(key);
    fresh.push(key);
    for (const child of part.children) look(child);
  };
  for (const child of document.body.children) look(child);
  return fresh;
}""".replace("LEAST", "1500")
# Whatever can be pressed and is under 24 px, or lies over something else that can, is kept as `window.small`.
SMALL = """() => {
  const pressed = "a[href], button, input, select, textarea, summary, [tabindex], [role=button], [role=tab]";
  const all = [...document.querySelectorAll(pressed)].filter((one) => one.checkVisibility({ visibilityProperty: true }))
    .map((one) => ({ one, box: one.getBoundingClientRect() })).filter(({ box }) => box.width && box.height);
  const over = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const isClear = ({ one, box }) => box.width >= 24 && box.height >= 24 && !all.some((other) => other.one !== one
    && over(box, other.box) && !one.contains(other.one) && !other.one.contains(one));
  window.small = all.filter((target) => !isClear(target)).map(({ one }) => one);
  return window.small.length;
}"""
UNFOLD = "for (const fold of document.querySelectorAll('details:not(.menu)')) fold.open = true"


@pytest.fixture(scope="module", params=[NARROW, WIDE])
def look(request, gallery):
    """Everybody's page in one width, with what they asked for and complained of."""
    watched: list[str] = []
    asked = Asked()
    with gallery.look("light", request.param) as pages:
        for page in pages.values():
            page.context.add_init_script(WATCH)
            page.on("console", lambda message: watched.append(message.text) if is_fault(message) else None)
            page.on("pageerror", lambda error: watched.append(str(error)))
            page.on("request", asked.note)
            page.on("framenavigated", asked.begin)
        yield pages, watched, asked, set()


class Asked(list):
    """Addresses that the page which is shown asked for. The one before it goes on asking until it has come."""

    coming = ""

    def note(self, sent):
        self.append(sent.url)
        if sent.is_navigation_request():
            self.coming = sent.url

    def begin(self, _):
        if self.coming:
            self[:], self.coming = [self.coming], ""


def violations(page, theme, known):
    """What axe finds in a theme on a page, folds open, and in each of its menus, which lie over the page.

    Menus and colours of texts that are the same on another page of this width, ``known``, have been looked at there.
    """
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.evaluate(UNFOLD)
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found = found_on(page, theme, known, "document")
    for menu in page.locator("details.menu:visible").all():
        looked_at = theme, SECRET.sub("", menu.evaluate("(menu) => menu.outerHTML"))
        if looked_at in known:
            continue
        known.add(looked_at)
        menu.locator("summary").click()
        menu.evaluate("(menu) => { window.menu = menu; }")
        found += found_on(page, theme, known, "window.menu")
        menu.locator("summary").click()
    return [(rule["id"], [node["target"] for node in rule["nodes"]][:3]) for rule in found]


def found_on(page, theme, known, part):
    """What axe finds in a part of a page: by the rules about colours in COLOURED, by all others in the light theme."""
    found = []
    if theme == "light":
        others = {"runOnly": RULES, "rules": {rule: {"enabled": False} for rule in (*COLOURS, SIZE)}}
        if part == "document":
            known |= {("part", key) for key in page.evaluate(SAME, [key for of, key in known if of == "part"])}
            part = "{ include: [document], exclude: window.same }"
            if page.evaluate(SMALL):
                found += run_axe(page, "window.small", {"runOnly": {"type": "rule", "values": [SIZE]}})
        found += run_axe(page, part, others)
    if (theme, page.viewport_size["width"]) in COLOURED:
        kinds = page.evaluate(FRESH, [kind for of_theme, kind in known if of_theme == f"colours in {theme}"])
        known |= {(f"colours in {theme}", kind) for kind in kinds}
        found += run_axe(page, "window.fresh", {"runOnly": COLOURS}) if kinds else []
    return found


def run_axe(page, part, options):
    return page.evaluate(f"() => axe.run({part}, {json.dumps(options | {'resultTypes': ['violations']})})")[
        "violations"
    ]


def weight(asked):
    """How many requests a page begins with, and which scripts and stylesheets it requests again. A design that is open looks
    for edits of others for ever: those are not counted."""
    sent = Counter(url for url in asked if url.startswith("http") and "/state/?" not in url)
    twice = [url for url, number in sent.items() if number > 1 and url.endswith((".js", ".css"))]
    return sent.total(), twice


@pytest.mark.parametrize("name", STATES)
def test_a_page_is_sound(name, look, gallery):
    pages, watched, asked, known = look
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
    assert {theme: violations(page, theme, known) for theme in THEMES} == {theme: [] for theme in THEMES}


@pytest.mark.parametrize("name", UNPICTURED)
def test_a_page_without_a_picture_is_light_too(name, look, gallery):
    pages, _, asked, _ = look
    asked.clear()
    pages["owner"].goto(gallery.app.url + UNPICTURED[name].format(**gallery.filled.addresses), wait_until="networkidle")
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


def test_a_picture_without_words_is_found_where_all_other_parts_are_known(look, gallery):
    pages, *_ = look
    page = gallery.open("design", pages)
    known: set[tuple[str, str]] = set()
    assert violations(page, "light", known) == []
    page.evaluate("document.querySelector('main').append(new Image(20, 20))")
    assert [rule for rule, _ in violations(page, "light", known)] == ["image-alt"]


def test_what_is_too_small_to_press_is_found(look, gallery):
    pages, *_ = look
    page = gallery.open("home", pages)
    page.evaluate(
        """() => { for (const letter of "ab") {
          const button = document.querySelector("main").appendChild(document.createElement("button"));
          button.textContent = letter;
          button.style.cssText = "width: 12px; height: 12px; min-height: 0; min-width: 0; padding: 0; overflow: hidden";
        } }"""
    )
    assert "target-size" in [rule for rule, _ in violations(page, "light", set())]


@pytest.mark.parametrize("style", ["color: #aaa; background: #bbb", "opacity: 0.4"])
def test_a_text_that_is_hard_to_read_is_found_where_all_others_are_known(style, look, gallery):
    pages, *_ = look
    page = gallery.open("home", pages)
    theme = next(theme for theme in THEMES if (theme, page.viewport_size["width"]) in COLOURED)
    known: set[tuple[str, str]] = set()
    assert violations(page, theme, known) == []
    page.evaluate("(style) => { document.querySelector('main p').style.cssText = style; }", style)
    assert [rule for rule, _ in violations(page, theme, known)] == ["color-contrast"]
