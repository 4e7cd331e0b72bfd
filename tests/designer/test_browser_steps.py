"""What a hurried user does in a real browser: steps in a row, typing during a step, saving while the server is away."""

import pytest

from tests.designer.test_browser import CHROMIUM, app, browser, opened, session  # noqa: F401 (fixtures)
from tests.designer.test_browser_session import FORM, at, sent, tab  # noqa: F401 (fixture)

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.processes,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]
NOTE = "#session-note"
MOST_MS = 30_000


def edited(page, *values, field="size"):
    """Fill a field once for each value, each an edit of its own."""
    for value in values:
        page.fill(f"#id_{field}", str(value))
        page.locator(f"#id_{field}").blur()
        sent(page)


def says(page, words):
    page.wait_for_function(
        "([at, words]) => document.querySelector(at).textContent.includes(words)", arg=[NOTE, words], timeout=MOST_MS
    )


def shows(page, value, field="size"):
    page.wait_for_function("([id, value]) => document.getElementById(id).value === value", arg=[f"id_{field}", value],
                           timeout=MOST_MS)  # fmt: skip


def test_steps_in_a_row_end_where_the_server_is(tab):  # noqa: F811
    edited(tab, *range(64, 128, 8))
    last, top = tab.evaluate(FORM), at(tab)
    tab.locator("h1").click()
    for _ in range(8):
        tab.keyboard.press("Control+z")
    tab.wait_for_function("() => document.getElementById('studio-bar').dataset.at === '1'", timeout=MOST_MS)
    shows(tab, "1024")
    for _ in range(8):
        tab.keyboard.press("Control+Shift+Z")
    tab.wait_for_function(
        "(n) => document.getElementById('studio-bar').dataset.at === n", arg=str(top), timeout=MOST_MS
    )
    assert tab.evaluate(FORM) == last
    tab.reload()
    assert tab.evaluate(FORM) == last
    assert tab.watched == []


def test_what_is_typed_during_a_step_is_an_edit_of_where_it_led(tab):  # noqa: F811
    edited(tab, 64, 72)
    tab.route("**/undo/", lambda route: (tab.wait_for_timeout(600), route.continue_()))
    tab.click("[data-step-back] button")
    tab.wait_for_timeout(100)
    tab.fill("#id_name", "Typed meanwhile")
    shows(tab, "64")
    shows(tab, "Typed meanwhile", "name")
    sent(tab)
    assert tab.locator("#session-conflict p").count() == 0
    kept = tab.evaluate(FORM)
    tab.reload()
    assert tab.evaluate(FORM) == kept
    assert "Typed+meanwhile" in kept


def test_control_z_takes_back_a_choice_and_the_letters_of_a_text(tab):  # noqa: F811
    edited(tab, 64)
    before = tab.input_value("#id_fabric__generation")
    tab.select_option("#id_fabric__generation", "xdr")
    sent(tab)
    tab.focus("#id_fabric__generation")
    tab.keyboard.press("Control+z")
    shows(tab, before, "fabric__generation")
    tab.focus("#id_name")
    steps = at(tab)
    tab.keyboard.type("Z")
    tab.keyboard.press("Control+z")  # the browser's own
    shows(tab, "Untitled design", "name")
    tab.locator("#id_name").blur()
    sent(tab)
    assert at(tab) >= steps


def test_the_note_and_the_heading_say_what_is_so(tab):  # noqa: F811
    edited(tab, "Hall of fame", field="name")
    tab.wait_for_function("() => document.querySelector('h1').textContent === 'Hall of fame'", timeout=MOST_MS)
    assert tab.title().startswith("Hall of fame")
    edited(tab, 64)
    says(tab, "Not yet a revision")
    assert tab.inner_text("#design-form [type=submit]") == "Save revision"
    tab.click("#design-form [type=submit]")
    says(tab, "Saved as revision 2")
    edited(tab, "many")
    says(tab, "Not yet a revision")
    tab.reload()
    assert tab.inner_text("[data-figure=gpus] .figure-value") == "64"
    assert "Not yet a revision" in tab.inner_text(NOTE)


def test_a_step_back_shows_what_it_changed(tab):  # noqa: F811
    edited(tab, 768, 512)
    assert tab.inner_text("[data-figure=gpus] .figure-change").startswith("−256")
    tab.click("[data-step-back] button")
    tab.wait_for_function(
        "() => document.querySelector('[data-figure=gpus] .figure-change').textContent.startsWith('+256')",
        timeout=MOST_MS,
    )
    tab.reload()
    assert tab.inner_text("[data-figure=gpus] .figure-change").startswith("−256")  # of 1,024, the edit now in sight


def test_a_server_that_does_not_answer_is_told(tab):  # noqa: F811
    edited(tab, 64)
    waiting = []
    tab.route("**/edits/", lambda route: waiting.append(route))
    tab.fill("#id_size", "72")
    says(tab, "Waiting for the server")
    for route in waiting:
        route.continue_()
    says(tab, "Every change is kept")
    sent(tab)


def test_a_revision_that_could_not_be_saved_is_saved_when_the_server_is_back(tab):  # noqa: F811
    edited(tab, 64)
    address = tab.url.split("?")[0]
    tab.route(address, lambda route: route.abort())
    tab.click("#design-form [type=submit]")
    says(tab, "saved as soon as it is back")
    tab.unroute(address)
    says(tab, "Saved as revision 2")


def test_a_conflict_says_what_differs_and_loses_neither(tab, browser, session):  # noqa: F811
    edited(tab, 64)
    other = opened(browser, session, [])
    other.goto(tab.url)
    edited(other, 96)
    tab.fill("#id_size", "128")
    tab.wait_for_selector("#session-conflict .conflict", timeout=MOST_MS)
    rows = [row.inner_text().split("\t") for row in tab.locator(".conflict tbody tr").all()]
    assert [cells[1:] for cells in rows] == [["96", "128"]]
    tab.click("[data-keep-mine]")
    sent(tab)
    tab.click("[data-step-back] button")
    shows(tab, "96")
    other.context.close()


def test_an_edit_of_another_browser_comes_to_a_page_that_is_looked_at_again(tab, browser, session):  # noqa: F811
    edited(tab, 64)
    other = opened(browser, session, [])
    other.goto(tab.url)
    edited(other, 96)
    tab.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    shows(tab, "96")
    other.context.close()


def test_an_edit_that_was_kept_here_does_not_pass_over_what_others_did_meanwhile(tab, browser, session):  # noqa: F811
    edited(tab, 64)
    tab.route("**/edits/", lambda route: route.abort())
    tab.fill("#id_size", "72")
    says(tab, "Your changes are kept here")
    other = opened(browser, session, [])
    other.goto(tab.url)
    edited(other, 96)
    tab.unroute("**/edits/")
    tab.reload()
    tab.wait_for_selector("#session-conflict .conflict", timeout=MOST_MS)
    tab.click("#design-form [type=submit]")
    says(tab, "Choose first")
    tab.click("[data-show-theirs]")
    shows(tab, "96")
    sent(tab)
    other.context.close()
