"""What a hurried user does in a real browser: steps in a row, typing during a step, saving while the server is away."""

import re

import pytest

from tests.designer.browser.browsing import CHROMIUM, opened
from tests.designer.browser.test_browser_session import FORM, at, sent, tab  # noqa: F401 (fixture)
from tests.processes import BASE_DIR

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.processes,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]
NOTE = "#session-note"
MOST_MS = 30_000
LOOKS = BASE_DIR / "static" / "designer" / "js" / "design" / "looks.js"


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
    page.wait_for_function(
        "([id, value]) => document.getElementById(id).value === value", arg=[f"id_{field}", value], timeout=MOST_MS
    )


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
    shows(tab, "", "name")
    tab.locator("#id_name").blur()
    sent(tab)
    assert at(tab) >= steps


def test_the_note_and_the_heading_say_what_is_so(tab):  # noqa: F811
    edited(tab, "Hall of fame", field="name")
    tab.wait_for_function("() => document.querySelector('h1').textContent === 'Hall of fame'", timeout=MOST_MS)
    assert tab.title().startswith("Hall of fame")
    edited(tab, 64)
    says(tab, "Every change is kept")
    assert tab.inner_text("#save-slot") == "Save version"
    tab.click("#save-slot .save")
    tab.fill("#version-name", "Bid 1")
    tab.press("#version-name", "Enter")
    tab.wait_for_selector("#version-form:has-text('Saved as “Bid 1”')")
    assert "Last version “Bid 1”" in tab.inner_text("#design-head")
    edited(tab, "many")
    says(tab, "Every change is kept")
    tab.reload()
    assert tab.inner_text("[data-figure=gpus] .figure-value") == "64"
    assert tab.inner_text(NOTE) == "Every change is kept."


def test_nothing_is_called_kept_before_the_server_has_it(tab):  # noqa: F811
    edited(tab, 64)
    waiting = []
    tab.route("**/edits/", lambda route: waiting.append(route))
    tab.fill("#id_size", "72")
    assert tab.inner_text(NOTE) == "Saving…"
    tab.wait_for_function("() => performance.now() > 0")
    while not waiting:
        tab.wait_for_timeout(20)
    assert "kept." not in tab.inner_text(NOTE)
    waiting.pop().continue_()
    says(tab, "Every change is kept")


def test_changes_count_from_the_screen_before_and_fade(tab):  # noqa: F811
    edited(tab, 768)
    tab.fill("#id_size", "512")
    says(tab, "Every change is kept")
    tab.fill("#id_size", "504")  # the same step still: its start is no screen any more
    says(tab, "Every change is kept")
    assert tab.inner_text("[data-figure=gpus] .figure-change").startswith("−8")
    tab.wait_for_function("() => !document.querySelector('.figure-change')", timeout=MOST_MS)


def test_a_step_back_shows_what_it_changed(tab):  # noqa: F811
    edited(tab, 768, 512)
    assert tab.inner_text("[data-figure=gpus] .figure-change").startswith("−256")
    tab.click("[data-step-back] button")
    tab.wait_for_function(
        "() => document.querySelector('[data-figure=gpus] .figure-change').textContent.startsWith('+256')",
        timeout=MOST_MS,
    )
    tab.reload()
    assert tab.locator(".figure-change").count() == 0, "a page that is opened has no screen before"


def test_a_server_that_does_not_answer_is_reported(tab):  # noqa: F811
    edited(tab, 64)
    waiting = []
    tab.route("**/edits/", lambda route: waiting.append(route))
    tab.fill("#id_size", "72")
    says(tab, "Waiting for the server")
    for route in waiting:
        route.continue_()
    says(tab, "Every change is kept")
    sent(tab)


def test_a_version_that_could_not_be_saved_is_saved_when_the_server_is_back(tab):  # noqa: F811
    edited(tab, 64)
    tab.click("#save-slot .save")
    tab.fill("#version-name", "Bid 1")
    address = tab.url.split("?")[0] + "revisions/"
    tab.route(address, lambda route: route.abort())
    tab.press("#version-name", "Enter")
    says(tab, "saved as soon as it is back")
    tab.unroute(address)
    tab.wait_for_selector("#version-form:has-text('Saved as “Bid 1”')", timeout=MOST_MS)


def beside(tab, browser, session):  # noqa: F811
    """A second browser on the design of a tab, which does not look for edits of others by itself."""
    tab.route("**/state/**", lambda route: route.abort())
    other = opened(browser, session, [], draws_charts=False)
    other.goto(tab.url)
    return other


def test_a_conflict_says_what_differs_and_loses_neither(tab, browser, session):  # noqa: F811
    edited(tab, 64)
    other = beside(tab, browser, session)
    edited(other, 96)
    tab.fill("#id_size", "128")
    tab.wait_for_selector("#session-conflict .conflict", timeout=MOST_MS)
    rows = [row.inner_text().split("\t") for row in tab.locator(".conflict tbody tr").all()]
    assert [cells[1:] for cells in rows] == [["96", "128"]]
    shows(tab, "96")
    assert tab.inner_text("[data-figure=gpus] .figure-value") == "96", "figures and form are of one state"
    tab.reload()
    tab.click("[data-keep-mine]")
    sent(tab)
    shows(tab, "128")
    tab.click("[data-step-back] button")
    shows(tab, "96")
    other.reload()
    edited(other, 160)
    tab.fill("#id_size", "120")
    tab.wait_for_selector("#session-conflict .conflict", timeout=MOST_MS)
    tab.fill("#id_size", "136")  # set again: neither value is offered any more
    assert tab.locator("#session-conflict p").count() == 0
    sent(tab)
    tab.reload()
    assert tab.locator("#session-conflict p").count() == 0
    shows(tab, "136")
    other.context.close()


def test_edits_of_two_to_different_fields_merge(tab, browser, session):  # noqa: F811
    edited(tab, 64)
    other = beside(tab, browser, session)
    edited(other, "Theirs", field="name")
    edited(tab, 128)
    shows(tab, "Theirs", "name")
    shows(other, "128")
    assert tab.locator("#session-conflict p").count() == 0
    other.context.close()


def test_an_edit_of_another_browser_appears_by_the_next_look_two_seconds_later_at_most(tab, browser, session):  # noqa: F811
    assert int(re.search(r"LOOK_MS = ([\d_]+)", LOOKS.read_text())[1]) < 2000
    edited(tab, 64)
    looks = []
    tab.on("request", lambda sent: looks.append(sent.url) if "/state/?" in sent.url else None)
    other = opened(browser, session, [], draws_charts=False)
    other.goto(tab.url)
    tab.bring_to_front()
    edited(other, 96)
    before = len(looks)
    tab.wait_for_function("() => document.getElementById('id_size').value === '96'", timeout=MOST_MS)
    assert len(looks) - before <= 2  # one may have been under way
    says(tab, "Changed by ")
    # Answers that come meanwhile (a preview, a result) do not take the name away before it can be read.
    tab.evaluate("document.dispatchEvent(new CustomEvent('htmx:afterRequest', { detail: { successful: true } }))")
    assert "Changed by " in tab.inner_text(NOTE)
    other.context.close()


def test_an_edit_that_was_kept_here_does_not_pass_over_what_others_did_meanwhile(tab, browser, session):  # noqa: F811
    edited(tab, 64)
    tab.route("**/edits/", lambda route: route.abort())
    tab.fill("#id_size", "72")
    says(tab, "Your changes are kept in this browser")
    other = beside(tab, browser, session)
    edited(other, 96)
    tab.unroute("**/edits/")
    tab.reload()
    tab.wait_for_selector("#session-conflict .conflict", timeout=MOST_MS)
    shows(tab, "96")
    tab.click("[data-show-theirs]")
    sent(tab)
    tab.reload()
    assert tab.locator("#session-conflict p").count() == 0
    shows(tab, "96")
    other.context.close()
