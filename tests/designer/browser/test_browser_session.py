"""The session of a design in a real browser: edits are kept, taken back, shared between tabs (that
they survive a killed server: runtime/test_crash.py)."""

import random
import re
from typing import Any

import pytest

from tests.designer.browser.browsing import ALL_SENT, CHROMIUM, opened
from tests.thorough import THOROUGH

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.processes,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]
SENT_MS = 180_000  # a server that was killed may have to start on a busy machine first
N_EDITS = 20 if THOROUGH else 10
FORM = """() => { const sent = new URLSearchParams(new FormData(document.getElementById("design-form")));
    for (const name of ["csrfmiddlewaretoken", "estimated_hash"]) sent.delete(name); return sent.toString(); }"""


@pytest.fixture
def tab(browser, session):
    """A page with a design of its own, opened for typing."""
    watched: list[str] = []
    page = opened(browser, session, watched, draws_charts=False)
    unfolded(page, session["first"].split("/designs/")[0])
    page.watched = watched
    yield page
    page.context.close()


def unfolded(page, app_url):
    """A new design with every block of its form open."""
    page.goto(f"{app_url}/designs/new/")
    page.evaluate("for (const block of document.querySelectorAll('details')) block.open = true")


def at(page):
    return int(page.get_attribute("#studio-bar", "data-at"))


def sent(page):
    """Wait until every edit has reached the server."""
    page.wait_for_function(ALL_SENT, timeout=SENT_MS)


def named_elsewhere(page, name, number=1):
    """Another window gives the design a name, and this page looks for what others have changed."""
    page.evaluate(
        """async ([name, number]) => { const form = document.getElementById("design-form");
        const headers = { "X-CSRFToken": JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRFToken"] };
        const edit = { page: "another", number, step: `name.${number}`, base: document.getElementById("studio-bar").dataset.seen,
            fields: JSON.stringify({ name }), was: JSON.stringify({ name: form.elements.name.value }) };
        await fetch(form.dataset.edits, { method: "POST", headers, body: new URLSearchParams(edit) });
        document.dispatchEvent(new Event("visibilitychange")); }""",
        [name, number],
    )


def random_edit(page, rng, number):
    """A field, chosen and filled at random."""
    name, value = rng.choice(
        [
            ("name", f"Design {number}"),
            ("size", str(rng.randrange(8, 2000))),
            ("fabric__oversubscription", f"{rng.randrange(1, 5)}:1"),
            ("economics__years", str(rng.randrange(1, 8))),
            ("site__node_leaf_m", str(rng.randrange(2, 60))),
        ]
    )
    field = page.locator(f"#id_{name}")
    field.fill(f"{value}{'' if field.input_value() != value else '0'}")
    field.blur()


def test_edits_are_kept_over_a_reload_and_taken_back_to_the_first_state(tab):
    first = tab.evaluate(FORM)
    rng = random.Random(11)
    for number in range(N_EDITS):
        random_edit(tab, rng, number)
    sent(tab)
    last, steps = tab.evaluate(FORM), at(tab) - 1
    assert 0.7 * N_EDITS <= steps <= N_EDITS
    tab.reload()
    assert tab.evaluate(FORM) == last
    for step in range(steps):
        tab.click("[data-step-back] button")
        tab.wait_for_function("(n) => Number(document.getElementById('studio-bar').dataset.at) === n", arg=steps - step)
    assert tab.evaluate(FORM) == first
    assert tab.locator("[data-step-back] button").is_disabled()
    tab.locator("h1").click()
    tab.keyboard.press("Control+y")
    tab.wait_for_function("() => Number(document.getElementById('studio-bar').dataset.at) === 2")
    tab.keyboard.press("Control+z")
    tab.wait_for_function("() => Number(document.getElementById('studio-bar').dataset.at) === 1")
    assert tab.evaluate(FORM) == first
    assert tab.watched == []


def test_a_second_tab_follows_the_first(tab):
    random_edit(tab, random.Random(13), 0)
    sent(tab)
    other = tab.context.new_page()
    other.goto(tab.url)
    tab.bring_to_front()
    tab.fill("#id_name", "Seen by both")
    other.wait_for_function("() => document.getElementById('id_name').value === 'Seen by both'", timeout=20_000)
    other.bring_to_front()
    other.fill("#id_size", "72")
    tab.wait_for_function("() => document.getElementById('id_size').value === '72'", timeout=20_000)


def tab_to(page, selector, most=250):
    """Press Tab until the focus is there; what has the focus must be visible."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("(s) => document.activeElement.matches(s)", selector):
            box = page.evaluate(
                "(() => { const b = document.activeElement.getBoundingClientRect(); return [b.top, b.bottom]; })()"
            )
            assert box[1] > 0, selector
            assert box[0] < page.viewport_size["height"], selector
            return
    raise AssertionError(f"{selector} is not reached by Tab")


def test_a_first_session_by_keyboard_alone(browser, session):
    """From a blank design to a saved version, its cost, a step back, and the help of a field."""
    page = opened(browser, session, [])
    page.goto(session["first"].split("/designs/")[0] + "/designs/new/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('.skip-link')")
    tab_to(page, "#id_name")
    page.keyboard.press("Control+a")
    page.keyboard.type("By keyboard")
    tab_to(page, "#id_size")
    page.keyboard.press("Control+a")
    page.keyboard.type("256")
    sent(page)
    assert at(page) == 3
    tab_to(page, "#save-slot .save")
    page.keyboard.press("Enter")
    page.wait_for_selector("#version-name:focus")
    page.keyboard.type("First")
    page.keyboard.press("Enter")
    page.wait_for_selector("#version-form:has-text('Saved as “First”')", timeout=60_000)
    page.wait_for_selector("#bom", timeout=60_000)
    tab_to(page, ".tabs a[href*='tab=cost']")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Where the money goes", timeout=60_000)
    assert "tab=cost" in page.url
    page.evaluate("document.getElementById('main').focus()")
    tab_to(page, "[data-step-back] button")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.getElementById('id_size').value === '1024'", timeout=30_000)
    page.context.close()


def test_the_estimate_follows_by_itself(tab):
    for lost in ("**/settle/", re.compile(r"/estimates/")):  # as while a server starts again
        tab.route(lost, lambda route: route.abort(), times=1)
    tab.fill("#id_size", "72")
    tab.wait_for_selector("#bom", timeout=30_000)
    assert tab.inner_text("#stale-note") == ""
    assert len([words for words in tab.watched if "ERR_FAILED" in words]) == 2, "both were lost"
    assert [words for words in tab.watched if "ERR_FAILED" not in words and "htmx:sendError" not in words] == []


def lost_on_the_way_back(route):
    """The server gets the request, and nobody gets its answer."""
    route.fetch()
    route.abort()


def test_what_is_typed_outlives_faults_lost_answers_and_the_end_of_the_session(tab):
    note = tab.locator("#session-note")
    tab.fill("#id_name", "Typed before")
    sent(tab)
    before = at(tab)
    faults = {
        "The server failed to answer (500). Your changes are kept": lambda route: route.fulfill(
            status=500, body="<p>a</p>"
        ),
        "The server failed to answer (503). Your changes are kept": lambda route: route.fulfill(status=503),
        "The server does not answer. Your changes are kept": lost_on_the_way_back,
    }
    for number, (said, fault) in enumerate(faults.items(), 1):
        tab.route("**/edits/", fault, times=1)
        tab.fill("#id_size", str(100 + number))
        playwright.expect(note).to_contain_text(said)
        playwright.expect(tab.locator("#id_size")).to_have_value(str(100 + number))
        sent(tab)
        assert at(tab) == before + 1, "all of one step, and the one whose answer was lost is kept once"
    cookies = tab.context.cookies()
    tab.context.clear_cookies()
    playwright.expect(note).to_contain_text("Sign in again in another tab")  # a look, with nothing unsent
    tab.fill("#id_name", "Typed while signed out")
    tab.click("a[data-panel]:has-text('Versions')")
    tab.locator("[data-step-back] button").click()
    playwright.expect(note).to_contain_text("nothing typed is lost")
    assert tab.input_value("#id_name") == "Typed while signed out"
    assert tab.locator(".password-sign-in").count() == 0, "the sign-in page is no part of this one"
    tab.context.add_cookies([one for one in cookies if "csrf" not in one["name"]])  # a new session has another token
    sent(tab)
    playwright.expect(note).to_contain_text("Every change is kept")
    playwright.expect(tab.locator("#id_name")).to_have_value("Typed while signed out")
    expected = (
        "status of",
        "ERR_FAILED",
        "Error Code 403",
    )  # of the answers above, and of an estimate while signed out
    assert [words for words in tab.watched if not any(one in words for one in expected)] == []


def test_what_waits_for_a_result_ends_when_another_answer_takes_its_place(tab):
    tab.fill("#id_size", "72")
    tab.wait_for_selector("#bom", timeout=30_000)
    polls = re.compile(r"/estimates/.*follow=1")
    held: list[Any] = []
    tab.route(polls, lambda route: held.append(route) if len(held) < 2 else route.continue_())
    for size in ("80", "88"):
        with tab.expect_request(polls):
            tab.fill("#id_size", size)
    tab.wait_for_timeout(100)
    late, current = held
    late.fulfill(status=200, headers={"HX-Retarget": "#job"}, body="<p>late</p>")
    tab.wait_for_timeout(100)  # that an answer which nobody may show would take to fail
    current.continue_()
    tab.wait_for_function("() => document.getElementById('stale-note').textContent === ''", timeout=30_000)
    assert tab.locator("#bom").count() == 1
    assert tab.watched == []


def test_a_server_is_found_by_typing_and_owned_parts_are_rows(tab):
    tab.evaluate("window.forms = 0; document.addEventListener('studio:form', () => { window.forms += 1; })")
    search, server = tab.locator("#id_compute__server_search"), tab.locator("#id_compute__server")
    search.click()
    search.fill("supermicro h100 connectx-7")
    tab.keyboard.press("Enter")
    playwright.expect(server).to_have_value("hgx-h100-8u")
    shown = "#id_compute__nic option:not([hidden]):not([value=''])"
    assert tab.locator(shown).count() > 3
    search.fill("dgx h100")
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Escape")
    playwright.expect(server).to_have_value("hgx-h100-8u")  # nothing was taken
    search.fill("dgx b200")
    tab.keyboard.press("Tab")
    playwright.expect(server).to_have_value("dgx-b200")  # what was marked as the field was left
    search.fill("")
    tab.keyboard.press("Tab")
    playwright.expect(server).to_have_value("dgx-b200")
    search.fill("dgx h100")
    tab.keyboard.press("Enter")
    playwright.expect(server).to_have_value("dgx-h100")
    assert tab.locator(shown).count() == 0
    playwright.expect(tab.locator("#nic-note")).to_contain_text("part of its board")
    tab.click("text=Add a part")
    tab.keyboard.type("nvidia-qm")
    sent(tab)
    assert tab.evaluate("window.forms") == 0  # one's own edits, however close, leave the form where it is
    named_elsewhere(tab, "Of another window")
    playwright.expect(tab.locator("#id_name")).to_have_value("Of another window")
    assert tab.evaluate("window.forms") == 1
    tab.keyboard.type("9700")  # the row that is typed in goes on in the new form
    playwright.expect(tab.locator(".part-row input").first).to_have_value("nvidia-qm9700")
    tab.keyboard.press("Tab")
    tab.keyboard.type("16")
    tab.keyboard.press("Tab")
    playwright.expect(tab.locator("#id_economics__owned")).to_have_value("nvidia-qm9700: 16")
    tab.locator(".part-row .numeric").click()
    tab.keyboard.press("End")
    tab.keyboard.type("0")
    named_elsewhere(tab, "Of another window yet", 2)
    playwright.expect(tab.locator("#id_name")).to_have_value("Of another window yet")
    tab.keyboard.press("Tab")
    playwright.expect(tab.locator("#id_economics__owned")).to_have_value("nvidia-qm9700: 160")
    playwright.expect(tab.locator("#session-note")).to_contain_text("Every change is kept", timeout=30_000)
    tab.locator(".part-row .numeric").click()
    named_elsewhere(tab, "Of another window still", 3)
    playwright.expect(tab.locator("#id_name")).to_have_value("Of another window still")
    playwright.expect(tab.locator(".part-row .numeric")).to_be_focused()
    playwright.expect(tab.locator(".part-row")).to_have_count(1)
    search.fill("supermicro h100")
    named_elsewhere(tab, "Of another window again", 4)
    playwright.expect(tab.locator("#id_name")).to_have_value("Of another window again")
    tab.keyboard.type(" connectx-7")  # so does the box that is searched in
    tab.keyboard.press("Enter")
    playwright.expect(server).to_have_value("hgx-h100-8u")
    sent(tab)
    tab.reload()
    playwright.expect(tab.locator(".part-row input").first).to_have_value("nvidia-qm9700")
    playwright.expect(tab.locator(".part-row .numeric")).to_have_value("160")
    for pieces, line in (("24", "nvidia-qm9700: 24"), ("", "nvidia-qm9700")):  # and the page is left before the row is
        tab.evaluate("document.querySelectorAll('#design-form details').forEach((one) => { one.open = true; })")
        tab.locator(".part-row .numeric").fill(pieces)
        tab.reload()
        playwright.expect(tab.locator("#id_economics__owned")).to_have_value(line)
        playwright.expect(tab.locator(".part-row .numeric")).to_have_value(pieces)
        sent(tab)
    assert tab.evaluate("window.violations") == tab.watched == []
