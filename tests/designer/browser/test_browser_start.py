"""The tour, the help in place and the pages to start from, in a real browser against the real app."""

import re

import pytest

from designer.pages.start.tour import STEPS
from tests.designer.browser.browsing import CHROMIUM, opened
from tests.estimator.asbuilt.fabric_dumps import ibnetdiscover
from tests.estimator.asbuilt.test_to_spec import cables

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.processes,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]
SAMPLE = "/designs/new/?sample=superpod-h100"
TITLES = [step.title for step in STEPS]
IS_INSIDE = """() => { const box = document.querySelector('#tour').getBoundingClientRect();
  return box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight; }"""


@pytest.fixture
def visit(app, browser, session):
    """Opens an address with a size and a scheme; at the end nothing was blocked and nothing failed."""
    pages = []
    watched: list[str] = []

    def open_(address, width=1440, height=900, **options):
        page = opened(browser, session, watched, viewport={"width": width, "height": height}, **options)
        page.context.clear_cookies(name="clusterwright_tour")
        page.goto(f"{app.url}{address}")
        pages.append(page)
        return page

    yield open_
    for page in pages:
        assert page.evaluate("window.violations") == []
        page.context.close()
    assert watched == []


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_the_tour_takes_five_steps_and_is_never_offered_again(visit, width, height):
    page = visit(SAMPLE, width, height, reduced_motion="reduce")
    page.click("[data-tour-start]")
    for at, title in enumerate(TITLES, start=1):
        playwright.expect(page.locator("#tour-title")).to_have_text(title)
        assert page.inner_text(".tour-count") == f"{at} of 5"
        assert page.evaluate(IS_INSIDE), title
        assert page.locator(".tour-target").count() == 1
        assert page.locator(".tour-target").is_visible()
        page.click("[data-tour-next]")
    playwright.expect(page.locator("#tour")).to_be_hidden()
    assert page.locator(".tour-target").count() == 0
    page.reload()
    assert page.locator("[data-tour-offer]").count() == 0


def test_the_tour_goes_by_keyboard_and_ends_with_escape(visit):
    page = visit(SAMPLE, reduced_motion="reduce")
    page.focus("[data-tour-start]")
    page.keyboard.press("Enter")
    playwright.expect(page.locator("#tour-title")).to_be_focused()
    page.keyboard.press("ArrowRight")
    playwright.expect(page.locator("#tour-title")).to_have_text(TITLES[1])
    page.keyboard.press("ArrowLeft")
    playwright.expect(page.locator("#tour-title")).to_have_text(TITLES[0])
    page.keyboard.press("Escape")
    playwright.expect(page.locator("#tour")).to_be_hidden()
    assert page.locator("[data-tour-offer]").count() == 0


def test_the_page_can_be_tried_out_during_the_tour(visit):
    page = visit(f"{SAMPLE}&tour=1", reduced_motion="reduce")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    playwright.expect(page.locator("#tour-title")).to_have_text(TITLES[2])
    page.fill("#id_size", "64")
    page.wait_for_selector(".figures .figure-note:has-text('16 leaf')")
    playwright.expect(page.locator(".figures.tour-target")).to_have_count(1)


def test_skipping_the_tour_is_remembered_without_a_new_page(visit):
    page = visit(SAMPLE)
    page.evaluate("window.same = true")
    page.click("[data-tour-skip] button")
    assert page.locator("[data-tour-offer]").count() == 0
    assert page.evaluate("window.same")
    page.reload()
    assert page.locator("[data-tour-offer]").count() == 0


def test_without_scripts_the_offer_is_a_form_and_a_link(visit):
    page = visit(SAMPLE)
    assert page.get_attribute("[data-tour-skip]", "action") == "/tour/skip/"
    assert page.get_attribute("[data-tour-start]", "href") == "/start/#first"


def test_a_question_mark_opens_a_card_and_escape_brings_back_the_focus(visit):
    page = visit(SAMPLE)
    mark = page.locator("a[data-help='/help/fabric.oversubscription/']")
    mark.focus()
    page.keyboard.press("Enter")
    card = page.locator("#help-card")
    playwright.expect(card).to_contain_text("Σ downlink rate ÷ Σ uplink rate")
    assert mark.get_attribute("aria-expanded") == "true"
    page.keyboard.press("Escape")
    playwright.expect(card).not_to_be_visible()
    playwright.expect(mark).to_be_focused()
    assert mark.get_attribute("aria-expanded") == "false"
    figure = page.locator("a[data-help='/help/figure.all_reduce/']")
    figure.click()
    playwright.expect(card).to_contain_text("busbw = S ÷ t × 2(n − 1)/n")
    figure.click()
    playwright.expect(card).not_to_be_visible()
    held = []
    page.route("**/help/figure.switches/", lambda route: held.append(route), times=1)
    with page.expect_request("**/help/figure.switches/"):
        page.click("a[data-help='/help/figure.switches/']")
    figure.click()  # while the text of another is on its way
    playwright.expect(card).to_contain_text("busbw = S ÷ t × 2(n − 1)/n")
    held.pop().continue_()
    page.evaluate("fetch('/help/figure.switches/').then((answer) => answer.text())")  # which comes after it
    assert "busbw" in card.inner_text()
    mark.focus()
    page.keyboard.press("Enter")
    playwright.expect(card).to_contain_text("Σ downlink rate ÷ Σ uplink rate")
    assert [one.get_attribute("data-help") for one in page.locator("[data-help][aria-expanded=true]").all()] == [
        "/help/fabric.oversubscription/"
    ]


def test_marks_work_in_figures_that_a_preview_has_replaced(visit):
    page = visit(SAMPLE)
    page.fill("#id_size", "64")
    page.wait_for_selector(".figures .figure-note:has-text('16 leaf')")
    page.click("a[data-help='/help/figure.switches/']")
    playwright.expect(page.locator("#help-card")).to_contain_text("leaves + spines + cores")


def test_terms_lead_from_the_card_to_the_glossary(visit):
    page = visit(SAMPLE)
    page.click("a[data-help='/help/fabric.planes/']")
    page.click("#help-card a:text-is('plane')")
    page.wait_for_url("**/glossary/#plane")
    playwright.expect(page.locator("#plane")).to_be_visible()


def test_a_dump_becomes_a_design(visit, tmp_path):
    file = tmp_path / "hall-2.txt"
    file.write_text("".join(ibnetdiscover(cables("dgx-h100-ndr-su1-ufm"))))
    page = visit("/import/")
    page.set_input_files("#dump", file)
    page.click("text=Read it")
    playwright.expect(page.locator(".nearest")).to_contain_text("every count is met")
    page.click(".keep-form button")
    page.wait_for_selector("#bom", timeout=20_000)
    playwright.expect(page.locator("h1")).to_have_text("Network of hall-2")
    page.locator("#advice").scroll_into_view_if_needed()
    playwright.expect(page.locator("#advice .advice-words")).not_to_be_empty()


def test_the_menu_of_a_narrow_screen_leads_everywhere_and_folds_up(visit):
    page = visit("/designs/", 390, 844)
    menu, button = page.locator(".site-menu"), page.locator(".site-menu > summary")
    everywhere = page.locator(".site-nav a").all_text_contents()
    assert len(everywhere) == 11
    assert not page.locator(".site-nav").is_visible()
    button.focus()
    page.keyboard.press("Enter")
    links = menu.get_by_role("link")
    assert links.all_text_contents() == everywhere
    assert all(link.is_visible() for link in links.all())
    assert menu.get_by_role("button", name="Sign out").is_visible()
    page.keyboard.press("Tab")
    playwright.expect(links.first).to_be_focused()
    page.keyboard.press("Escape")
    assert not menu.get_by_role("navigation").is_visible()
    playwright.expect(button).to_be_focused()
    button.click()
    page.mouse.click(4, 600)
    assert not menu.get_by_role("navigation").is_visible()


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_the_change_that_ends_a_problem_stands_beside_its_field(visit, width, height):
    page = visit(f"{SAMPLE}#form", width, height)
    page.fill("#id_fabric__planes", "3")
    change = page.locator("#id_fabric__planes_error").get_by_role("button", name="Set Planes: 2")
    change.click()
    playwright.expect(page.locator("#id_fabric__planes")).to_have_value("2")
    playwright.expect(page.locator("#id_fabric__planes_error")).to_be_empty()


_CLOSED_AND_KEY = """(box) => {
  const dialog = document.querySelector(box);
  if (!dialog.open) { document.querySelector("#palette").close(); dialog.showModal(); }
  const focused = document.activeElement;
  dialog.close();
  focused.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true, cancelable: true }));
}"""


def test_the_palette_opens_by_key_and_leads_on_by_arrow_and_enter(visit):
    page = visit("/glossary/")
    asked, held = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.route("**/palette*.js", lambda route: held.append(route), times=1)
    with page.expect_request("**/palette*.js"):
        page.keyboard.press("Control+k")
    page.keyboard.type("sn")  # before its script is there
    held.pop().continue_()
    words = page.get_by_role("combobox", name="Search and actions")
    playwright.expect(words).to_be_focused()
    options = page.get_by_role("option")
    playwright.expect(options.first).to_be_visible()
    assert len(asked) == 3, asked  # script, styles, matches: none of them comes with the page
    page.keyboard.type("6600")
    playwright.expect(words).to_have_value("sn6600")
    playwright.expect(options.first).to_contain_text("SN6600")
    n_found = options.count()
    assert n_found > 1
    page.keyboard.press("ArrowDown")
    chosen = page.locator(f"#{words.get_attribute('aria-activedescendant')}")
    assert chosen.get_attribute("aria-selected") == "true"
    address = chosen.get_attribute("data-address")
    assert address == options.nth(1).get_attribute("data-address")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{address}")
    page.keyboard.press("?")
    playwright.expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    playwright.expect(page.get_by_role("combobox")).to_be_focused()
    for box in ("#palette", "#palette-keys"):  # the focus is still in a dialog that was closed in the same frame
        page.evaluate(_CLOSED_AND_KEY, box)
        playwright.expect(page.get_by_role("combobox")).to_be_focused()
    playwright.expect(options.first).to_be_visible()
    page.route("**/find/matches/?q=sn5*", lambda route: held.append(route))
    with page.expect_request("**/find/matches/?q=sn5600"):
        page.keyboard.type("sn5600")
    page.keyboard.press("Enter")  # before its matches are there: those of other words lead elsewhere
    with page.expect_navigation(url="**/catalog/*sn5600*/"):
        held.pop().continue_()
    page.goto(re.sub("/catalog/.*", "/designs/new/", page.url))
    page.focus("#id_name")
    page.keyboard.type("a/b?")  # a text that is typed stays one
    assert "a/b?" in page.input_value("#id_name")
    assert page.locator("dialog").count() == 0
