"""Every page in a real browser, narrow and wide: axe finds nothing in either theme, nothing is blocked, nothing fails, no
request leaves the origin, few are made and none of them twice, and a page is as wide as its window; the usual ones have one
title and stand still while they are drawn, and what people print goes on paper whole and without controls."""

import json
import re
from collections import Counter
from importlib.resources import files

import pytest

from tests.designer.browser.browsing import CHROMIUM, WATCH, is_fault
from tests.designer.browser.test_browser_media import faults_on_paper
from tests.designer.screens import IS_DRAWN, PAGES, STATES, TABS, THEMES, WIDTHS
from tests.thorough import THOROUGH

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.processes,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]
AXE = (files("axe_playwright_python") / "axe.min.js").read_text()
AXE += "; axe.configure({ noHtml: true })"  # otherwise it writes out each part of a page, as HTML, for each rule
# It comes with every page and is run where it is needed: so the browser compiles it once, and not for each page.
LOADS_AXE = f"window.loadAxe = () => {{ {AXE} }};"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOURS = ["color-contrast", "link-in-text-block"]  # the rules that are about colours: all others hold in either theme
SIZE = "target-size"  # takes axe as long as all other rules together: it is for what is small, or near something else
VIOLATIONS = {"resultTypes": ["violations"]}
NARROW, WIDE = 390, 1440
# Colours take axe longest of all. They are the same in either width: each theme is looked at in one. Whatever is not about
# colours is the same in either theme.
LOOKS = {("light", WIDE), ("dark", NARROW)}
COLOURED = LOOKS | ({("light", NARROW), ("dark", WIDE)} if THOROUGH else set())
STILL = {"design", "home", "new", "not-found", "schedule"} | {f"tab-{tab}" for tab in TABS}
TITLED = STILL | {"start", "published", "import", "help", "glossary", "document", "advice"}
MOST_SHIFT = 0.02  # of the window, while one of those pages is drawn
MOST_REQUESTS = 12  # that a page begins with
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
  const seen = new Set(known.split("‖")), fresh = [], kinds = [];
  const marksOf = (row) => [row, ...row.querySelectorAll("*")].map((one) => {
    const hasText = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    return [one.localName, one.getAttribute("class"), one.getAttribute("style"), one.attributes.length, hasText].join(".");
  }).join(" ");
  const looksNew = (row, rows) => { // not as a row of the same marks before it, those at even and at odd places apart
    const marks = `${row.rowIndex % 2} ${marksOf(row)}`, isNew = !rows.has(marks) || !row.nextElementSibling;
    rows.add(marks);
    return isNew;
  };
  const look = (element, ground) => {
    const style = getComputedStyle(element);
    if (style.display === "none" || style.opacity === "0") return;
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
    if (element.localName === "select") return; // its options are drawn when it is open
    const rows = element.localName === "tbody" && new Set();
    for (const child of element.children) if (!rows || looksNew(child, rows)) look(child, ground);
  };
  look(document.body, getComputedStyle(document.documentElement).backgroundColor);
  window.fresh = fresh;
  return kinds;
}"""
# Of `window.fresh`, those stay that axe has to judge. A text is beyond doubt where its contrast follows from its own colour
# and the plain colours of what it is in, nothing else with a ground reaches under or over it, and it is no link in a text.
# What a bar that stays in place lies over depends on how far one has scrolled.
DOUBTFUL = """() => {
  const parsed = (colour) => {
    const [, mixed, text] = colour.match(/^(?:rgba?|(color))\\((?:srgb )?([\\d., /]+)\\)$/) ?? [];
    const numbers = text?.split(/[, /]+/).map(Number);
    return numbers && { rgb: numbers.slice(0, 3).map((part) => (mixed ? part * 255 : part)), alpha: numbers[3] ?? 1 };
  };
  const laid = (upper, lower) => upper.rgb.map((part, at) => part * upper.alpha + lower[at] * (1 - upper.alpha));
  const light = (rgb) => rgb.map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const isOdd = (style) => style.opacity !== "1" || style.filter !== "none" || style.mixBlendMode !== "normal"
    || style.backdropFilter !== "none";
  const groundOf = (element) => {
    const layers = [];
    for (let part = element; part; part = part.parentElement) {
      const style = getComputedStyle(part), colour = parsed(style.backgroundColor);
      if (!colour || isOdd(style)) return null;
      if (style.backgroundImage !== "none") return "picture";
      if (colour.alpha) layers.push(colour);
      if (colour.alpha === 1) {
        for (let outer = part.parentElement; outer; outer = outer.parentElement) {
          const { opacity, filter } = getComputedStyle(outer);
          if (opacity !== "1" || filter !== "none") return null;
        }
        return layers.reverse().reduce((lower, upper) => laid(upper, lower), colour.rgb);
      }
      if (style.position === "absolute" || style.position === "fixed") return null;
    }
    return null;
  };
  const all = [...document.body.querySelectorAll("*")];
  const bars = all.filter((one) => /fixed|sticky/.test(getComputedStyle(one).position));
  const barOf = (one) => bars.find((bar) => bar.contains(one));
  const common = (a, b) => ({ left: Math.max(a.left, b.left), right: Math.min(a.right, b.right),
    top: Math.max(a.top, b.top), bottom: Math.min(a.bottom, b.bottom) });
  const shown = (one) => {
    let box = one.getBoundingClientRect();
    for (let part = one.parentElement; part && part !== document.body; part = part.parentElement) {
      if (getComputedStyle(part).overflow !== "visible") box = common(box, part.getBoundingClientRect());
    }
    return box;
  };
  const over = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const grounds = all.filter((one) => {
    const style = getComputedStyle(one);
    return (style.backgroundColor !== "rgba(0, 0, 0, 0)" || style.backgroundImage !== "none")
      && one.checkVisibility({ visibilityProperty: true });
  }).map((one) => ({ one, its: shown(one), bar: barOf(one) })).filter(({ its }) => over(its, its));
  const isBeyondDoubt = (element) => {
    const style = getComputedStyle(element), colour = parsed(style.color), box = shown(element), bar = barOf(element);
    if (!colour || style.textShadow !== "none") return false;
    if (style.webkitTextFillColor !== style.color) return false;
    if (element.tagName === "A" && !style.textDecorationLine.includes("underline")
      && [...element.parentElement.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) return false;
    const ground = groundOf(element);
    if (ground === "picture") return true; // which axe does not judge
    const isApart = (one) => one.contains(element) || element.contains(one);
    if (!ground || grounds.some((it) => over(box, it.its) && it.bar === bar && !isApart(it.one))) return false;
    const [dark, bright] = [light(laid(colour, ground)), light(ground)].sort((a, b) => a - b);
    const size = parseFloat(style.fontSize), isLarge = size >= 24 || (size >= 18.67 && style.fontWeight >= 700);
    return (bright + 0.05) / (dark + 0.05) >= (isLarge ? 3 : 4.5) + 0.01;
  };
  window.fresh = window.fresh.filter((element) => !isBeyondDoubt(element));
  return window.fresh.length;
}"""
# Parts of a page that a page had before as they are here: of those axe has nothing new to say. They are kept as `window.same`,
# and what stands for each part that is new is answered: its words and marks, and what of it is seen and scrolls. The form of a
# design is the same beside each of its tabs, and much of a page is the same in either width.
SAME = """(known) => {
  const seen = new Set(known.split("‖")), fresh = [];
  window.same = [];
  const code = (text) => {
    let [one, other] = [0xdeadbeef, 0x41c6ce57];
    for (let at = 0; at < text.length; at++) {
      one = Math.imul(one ^ text.charCodeAt(at), 2654435761);
      other = Math.imul(other ^ text.charCodeAt(at), 1597334677);
    }
    return `${one}:${other}`;
  };
  const scrolls = (one) => (one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight)
    && /auto|scroll/.test(getComputedStyle(one).overflow);
  const all = [...document.body.querySelectorAll("*")], place = new Map(all.map((one, at) => [one, at]));
  const isSeen = (one) => one.checkVisibility({ visibilityProperty: true });
  const states = all.map((one) => (isSeen(one) ? (scrolls(one) ? "s" : "v") : "h")).join("");
  const stateOf = (part) => states.slice(place.get(part), place.get(part) + 1 + part.querySelectorAll("*").length);
  const look = (part) => {
    const text = part.outerHTML.replace(/(name="csrfmiddlewaretoken" value=")\\w+/g, "$1");
    if (text.length < LEAST) return;
    const state = stateOf(part);
    const key = `${code(text)} ${text.length} ${code(state)} ${!!part.closest("[inert], [aria-hidden=true]")}`;
    if (seen.has(key)) {
      window.same.push(part);
      return;
    }
    seen.add(key);
    fresh.push(key);
    for (const child of part.children) look(child);
  };
  for (const child of document.body.children) look(child);
  const rest = [...document.body.children].filter((one) => one.outerHTML.length < LEAST);
  const key = `${code(document.title + rest.map((one) => one.outerHTML + stateOf(one)).join(""))} beside`;
  return seen.has(key) && !fresh.length ? [] : [...fresh, key];
}""".replace("LEAST", "1500")
# What axe need not walk through of the parts in `window.same`: whatever no other part can refer to or be ordered by. Charts draw
# what is in them by its place.
KNOWN_INSIDE = """() => {
  const referring = ["for", "headers", "aria-labelledby", "aria-describedby", "aria-owns", "aria-details"];
  const named = new Set(referring.flatMap((name) => [...document.querySelectorAll(`[${name}]`)]
    .flatMap((one) => one.getAttribute(name).split(/\\s+/))));
  const order = "[id], [role], h1, h2, h3, h4, h5, h6, main, nav, header, footer, section, aside, form, dialog, label, iframe";
  const inside = [], look = (part) => {
    if (part.matches("h1, h2, h3, h4, h5, h6, [role=heading], label, svg") || named.has(part.id)) return;
    if (part.querySelector(order)) for (const child of part.children) look(child);
    else if (part.firstChild) inside.push(part);
  };
  window.same.forEach(look);
  return inside;
}"""
# Whatever can be pressed and is under 24 px, or lies over something else that can, and has not room for a finger around it.
# Those that no page had before, with the same around them, are kept as `window.small`, and what stands for them is answered.
# The rule is not for marks of drawings, and what a bar that stays in place lies over depends on how far one has scrolled.
SMALL = """(known) => {
  const roles = "button checkbox combobox link listbox menuitem option radio searchbox slider spinbutton switch tab textbox";
  const pressed = "a[href], button, input, select, textarea, " + roles.split(" ").map((role) => `[role=${role}]`).join(", ");
  const all = [...document.querySelectorAll(pressed)].filter((one) => one.checkVisibility({ visibilityProperty: true }))
    .map((one) => ({ one, box: one.getBoundingClientRect() })).filter(({ box }) => box.width && box.height)
    .map(({ one, box }) => ({ one, box, x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2,
      isSmall: box.width < LEAST || box.height < LEAST }));
  const over = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const room = ({ x, y }, box) =>
    Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
  const isNear = (target, other) => other.one !== target.one && (over(target.box, other.box) || (target.isSmall
    && (room(target, other.box) < LEAST / 2 + 1
      || (other.isSmall && Math.hypot(target.x - other.x, target.y - other.y) < LEAST + 1))));
  const bars = [...document.body.querySelectorAll("*")].filter((one) => /fixed|sticky/.test(getComputedStyle(one).position));
  const barOf = ({ one }) => bars.find((bar) => bar.contains(one));
  const isApart = (target, other) => target.one.contains(other.one) || other.one.contains(target.one)
    || barOf(target) !== barOf(other);
  const marks = ({ one, box }, from) => [one.tagName, one.className, one.type, one.getAttribute("role"), one.tabIndex,
    one.disabled, box.left - from.left, box.top - from.top, box.width, box.height].map((mark) => mark?.toFixed?.(1) ?? mark);
  const seen = new Set(known.split("‖")), fresh = [], bands = new Map(); // of the page, each with what reaches into it
  const bandsOf = (top, bottom) => {
    const [first, last] = [Math.floor(top / BAND), Math.floor(bottom / BAND)];
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  };
  for (const [at, { box }] of all.entries()) {
    for (const band of bandsOf(box.top, box.bottom)) bands.set(band, (bands.get(band) ?? []).concat(at));
  }
  const around = ({ box, y }) => [...new Set(bandsOf(Math.min(box.top, y - LEAST - 1), Math.max(box.bottom, y + LEAST + 1))
    .flatMap((band) => bands.get(band) ?? []))].sort((a, b) => a - b).map((at) => all[at]);
  window.small = [];
  for (const target of all.filter(({ one }) => !one.ownerSVGElement)) {
    const near = around(target).filter((other) => isNear(target, other));
    if (!near.some((other) => !isApart(target, other))) continue;
    const key = [target, ...near].map((one) => marks(one, target.box).join(" ")).join("; ");
    if (seen.has(key)) continue;
    seen.add(key);
    fresh.push(key);
    window.small.push(target.one);
  }
  return fresh;
}""".replace("LEAST", "24").replace("BAND", "64")
HARD_TO_READ = {  # a text, and a style in which axe must find it; what is beyond doubt is not shown to axe
    "grey on grey": ("main p", "color: #aaa; background: #bbb"),
    "pale": ("main p", "opacity: 0.4"),
    "thin": ("main p", "color: rgba(128, 128, 128, 0.3)"),
    "in a pale part": ("main", "opacity: 0.3"),
    "on half a ground": ("main p", "color: #999; background: rgba(128, 128, 128, 0.5)"),
}
ROWS = """() => {
  const rows = Array.from({ length: 20 }, (_, at) => `<tr><td>Words ${at}</td></tr>`).join("");
  document.querySelector("main").insertAdjacentHTML("beforeend", `<table id="rows"><tbody>${rows}</tbody></table>`);
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  window.style = (text) => sheet.replaceSync(text);
}"""
PALE_ROWS = {  # each in a colour that no text had before
    "#rows tr:nth-child(even) td": "#b9b9b9",
    "#rows tr:nth-child(7) td": "#bababa",
    "#rows tr:last-child td": "#bbbbbb",
}
OUT_OF_PLACE = {  # a rule that is about a page as a whole, and what breaks it beside parts that were looked at before
    "heading-order": "<h6>Far below the heading before</h6>",
    "landmark-no-duplicate-main": "<main>Another</main>",
    "label": "<input type='text'>",
    "aria-valid-attr-value": "<button aria-labelledby='nowhere' aria-expanded='maybe'>Words</button>",
}
UNFOLD = """() => { window.folds = [...document.querySelectorAll("details:not(.menu):not([open])")];
  for (const fold of window.folds) fold.open = true; }"""
HIDE = "() => { document.documentElement.style.display = 'none'; }"
FOLD_AGAIN = "() => { for (const fold of window.folds) fold.open = false; }"


@pytest.fixture(scope="module")
def look(gallery):
    """Everybody's page, with what they asked for and complained of, and what has been looked at."""
    watched: list[str] = []
    asked = Asked()
    with gallery.look("light", WIDE) as pages:
        for page in pages.values():
            page.context.add_init_script(WATCH)
            page.context.add_init_script(LOADS_AXE)
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


def violations(page, known):
    """What axe finds on a page, folds open, in the width that it has, and in each of its menus, which lie over the page.

    Menus and colours of texts that are the same on another page, ``known``, have been looked at there.
    """
    width = page.viewport_size["width"]
    page.evaluate(UNFOLD)
    found = []
    for theme in THEMES:
        if (theme, width) not in COLOURED:
            continue
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        found += found_on(page, theme, known, "document")
        covered = page.locator("dialog[open]").count()  # what lies under a dialog cannot be opened
        for menu in [] if covered else page.locator("details.menu:visible").all():
            looked_at = theme, width, SECRET.sub("", menu.evaluate("(menu) => menu.outerHTML"))
            if looked_at in known:
                continue
            known.add(looked_at)
            menu.locator("summary").click()
            menu.evaluate("(menu) => { window.menu = menu; }")
            found += found_on(page, theme, known, "window.menu")
            menu.locator("summary").click()
    return [(rule["id"], [node["target"] for node in rule["nodes"]][:3]) for rule in found]


def found_on(page, theme, known, part):
    """What axe finds in a part of a page: by the rules about colours, and in one theme of a width by all others."""
    found = []
    if (theme, page.viewport_size["width"]) in LOOKS:
        others = {"runOnly": RULES, "rules": {rule: {"enabled": False} for rule in (*COLOURS, SIZE)}}
        if part != "document":
            found += run_axe(page, part, others)
        else:
            if unknown(page, SMALL, known, "small"):
                found += run_axe(page, "window.small", {"runOnly": {"type": "rule", "values": [SIZE]}})
            if unknown(page, SAME, known, "part"):
                found += run_axe_beside(page, others)
    kinds = unknown(page, FRESH, known, f"colours in {theme}")
    if kinds and (THOROUGH or page.evaluate(DOUBTFUL)):
        found += run_axe(page, "window.fresh", {"runOnly": COLOURS})
    return found


def unknown(page, script, known, what):
    """What a script names on a page that has not been looked at before; from now on it has."""
    # As one text: each part of a list is wrapped and unwrapped by the driver, which takes longer than the look itself.
    new = page.evaluate(script, "‖".join(key for of, *keys in known if of == what for key in keys))
    known |= {(what, key) for key in new}
    return new


def run_axe(page, part, options):
    run = f"axe.run({part}, {json.dumps(options | VIOLATIONS)})"
    return page.evaluate(f"() => {{ if (!window.axe) loadAxe(); return {run}; }}")["violations"]


def run_axe_beside(page, options):
    """What axe finds in all but `window.same`."""
    return page.evaluate(
        f"""async () => {{
          if (!window.axe) loadAxe();
          const inside = ({KNOWN_INSIDE})();
          for (const part of inside) Object.defineProperty(part, "childNodes", {{ value: [], configurable: true }});
          try {{
            return await axe.run({{ include: [document], exclude: window.same }}, {json.dumps(options | VIOLATIONS)});
          }} finally {{
            for (const part of inside) delete part.childNodes;
          }}
        }}"""
    )["violations"]


def weight(asked):
    """How many requests a page begins with, and which scripts and stylesheets it requests again. A design that is open looks
    for edits of others for ever: those are not counted."""
    sent = Counter(url for url in asked if url.startswith("http") and "/state/?" not in url)
    twice = [url for url, number in sent.items() if number > 1 and url.endswith((".js", ".css"))]
    return sent.total(), twice


@pytest.mark.parametrize("name", STATES)
def test_a_page_is_sound(name, look, gallery):
    _, watched, asked, known = look
    page = opened(name, look, gallery, WIDE)
    assert {url for url in asked if not url.startswith((gallery.app.url, "data:", "blob:"))} == set()
    number, twice = weight(asked)
    assert number <= MOST_REQUESTS, asked
    assert twice == []
    assert name not in TITLED or page.locator("h1").count() == 1
    assert name not in STILL or page.evaluate("window.shift") < MOST_SHIFT
    assert too_wide(page) == 0
    wide = violations(page, known)
    page.evaluate(FOLD_AGAIN)
    resized(page, NARROW)
    assert too_wide(page) == 0
    complaints = watched.copy(), page.evaluate("window.violations")
    assert {WIDE: wide, NARROW: violations(page, known)} == {WIDE: [], NARROW: []}
    if name in PRINTED:
        page.evaluate(FOLD_AGAIN)
        assert faults_on_paper(page) == {}
    status = str(PAGES[name].status)
    assert ([words for words in complaints[0] if status == "200" or status not in words], complaints[1]) == ([], [])


@pytest.mark.parametrize("name", sorted(STILL))
def test_a_page_that_comes_narrow_stands_still(name, look, gallery):
    _, watched, asked, _ = look
    page = opened(name, look, gallery, NARROW)
    assert page.evaluate("window.shift") < MOST_SHIFT
    assert page.evaluate("window.violations") == []
    assert [words for words in watched if name != "not-found" or "404" not in words] == []
    assert too_wide(page) == 0
    number, twice = weight(asked)
    assert number <= MOST_REQUESTS, asked
    assert twice == []


def opened(name, look, gallery, width):
    """A page that comes in a width, in the light."""
    pages, watched, asked, _ = look
    page = pages[PAGES[name].who]
    page.evaluate(HIDE)  # what is left need not be laid out and drawn in another width and theme
    page.emulate_media(media="screen", color_scheme="light", reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    watched.clear()
    asked.clear()
    return gallery.open(name, pages)


def resized(page, width):
    """A page in another width, laid out and drawn."""
    if page.viewport_size["width"] != width:
        page.set_viewport_size({"width": width, "height": WIDTHS[width]})
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))")
        page.wait_for_function(IS_DRAWN)


def too_wide(page):
    """Pixels that a page is wider than its window."""
    return page.evaluate("Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)")


@pytest.mark.parametrize("name", UNPICTURED)
def test_a_page_without_a_picture_is_light_too(name, look, gallery):
    pages, _, asked, _ = look
    asked.clear()
    pages["owner"].goto(gallery.app.url + UNPICTURED[name].format(**gallery.filled.addresses), wait_until="networkidle")
    number, twice = weight(asked)
    assert 3 <= number <= MOST_REQUESTS, asked
    assert twice == []


def test_the_tables_of_a_phase_fit_a_phone(look, gallery):
    page = opened("phases", look, gallery, NARROW)
    assert page.evaluate("""() => {
      document.querySelectorAll("#phases details").forEach((fold) => { fold.open = true; });
      const tables = [...document.querySelectorAll("#phases .table-scroll")];
      return [tables.length > 8, tables.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.ariaLabel)];
    }""") == [True, []]


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


def test_a_search_goes_on_being_followed_when_one_look_at_it_is_lost(look, gallery):
    page = opened("explore-searching", look, gallery, WIDE)
    status = re.compile(page.get_attribute("[data-search-job]", "data-search-job"))
    ended = json.dumps({"progress": 1, "is_active": False})
    page.route(status, lambda route: route.fulfill(body=ended, content_type="application/json"), times=1)
    page.route(status, lambda route: route.abort(), times=1)  # the newest is asked first
    with page.expect_navigation():
        pass
    page.unroute_all(behavior="ignoreErrors")


def test_a_picture_without_words_is_found_where_all_other_parts_are_known(look, gallery):
    page = opened("home", look, gallery, WIDE)
    known: set[tuple[str, str]] = set()
    assert violations(page, known) == []
    page.evaluate("document.querySelector('main').append(new Image(20, 20))")
    assert [rule for rule, _ in violations(page, known)] == ["image-alt"]


def test_what_does_not_fit_parts_that_are_known_is_found(look, gallery):
    page = opened("home", look, gallery, WIDE)
    known: set[tuple[str, str]] = set()
    assert violations(page, known) == []
    for rule, part in OUT_OF_PLACE.items():
        page.evaluate("(part) => document.querySelector('main').insertAdjacentHTML('beforeend', part)", part)
        assert rule in [found for found, _ in violations(page, known)]
        page.evaluate("document.querySelector('main').lastElementChild.remove()")


def test_what_comes_into_view_in_another_width_is_looked_at(look, gallery):
    page = opened("not-found", look, gallery, WIDE)
    known: set[tuple[str, str]] = set()
    page.evaluate(
        """() => {
          const image = document.querySelector("main").appendChild(new Image(20, 20));
          const narrow = new CSSStyleSheet();
          narrow.replaceSync("@media (min-width: 800px) { main > img { display: none; } }");
          document.adoptedStyleSheets.push(narrow);
        }"""
    )
    assert violations(page, known) == []
    resized(page, NARROW)
    assert [rule for rule, _ in violations(page, known)] == ["image-alt"]


def test_rows_that_are_hard_to_read_among_others_of_the_same_marks_are_found(look, gallery):
    page = opened("not-found", look, gallery, WIDE)
    known: set[tuple[str, str]] = set()
    page.evaluate(ROWS)
    assert violations(page, known) == []
    for rows, colour in PALE_ROWS.items():
        page.evaluate("window.style", f"{rows} {{ color: {colour}; }}")
        if "7" in rows:  # a row has marks of its own where it looks otherwise by itself
            page.evaluate("document.querySelector('#rows tr:nth-child(7)').className = 'is-pale'")
        assert {rule for rule, _ in violations(page, known)} == {"color-contrast"}, rows


@pytest.mark.parametrize("gap_px", [0, 8])
def test_what_is_too_small_to_press_is_found(gap_px, look, gallery):
    page = opened("not-found", look, gallery, WIDE)
    page.evaluate(
        """(gap) => { for (const letter of "ab") {
          const button = document.querySelector("main").appendChild(document.createElement("button"));
          button.textContent = letter;
          button.style.cssText = "width: 12px; height: 12px; min-height: 0; min-width: 0; padding: 0; overflow: hidden";
          button.style.marginRight = `${gap}px`;
        } }""",
        gap_px,
    )
    assert "target-size" in [rule for rule, _ in violations(page, set())]


def test_what_is_small_but_has_room_around_it_needs_no_axe(look, gallery):
    page = opened("not-found", look, gallery, WIDE)
    known: set[tuple[str, str]] = set()
    unknown(page, SMALL, known, "small")
    page.evaluate(
        """() => {
          const button = document.querySelector("main").appendChild(document.createElement("button"));
          button.style.cssText = "width: 12px; height: 12px; min-height: 0; min-width: 0; padding: 0; margin: 30px";
        }"""
    )
    assert unknown(page, SMALL, known, "small") == []


@pytest.mark.parametrize("style", HARD_TO_READ)
@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_a_text_that_is_hard_to_read_is_found_where_all_others_are_known(width, style, look, gallery):
    page = opened("not-found", look, gallery, width)
    known: set[tuple[str, str]] = set()
    assert violations(page, known) == []
    page.evaluate("([text, style]) => { document.querySelector(text).style.cssText = style; }", HARD_TO_READ[style])
    assert {rule for rule, _ in violations(page, known)} == {"color-contrast"}
