"""Sharing, baselines, versions and pasted specs in a real browser against the real app."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.designer.browser.browsing import CHROMIUM, WATCH, is_fault, opened

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.processes,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]

HALL = {"name": "Brought along", "compute": {"server": "dgx-h100", "gpus": 512}, "fabric": {"generation": "ndr"}}


@pytest.fixture
def page(browser: Any, session: Any) -> Iterator[Any]:
    watched: list[str] = []
    page = opened(browser, session, watched, draws_charts=False)
    page.goto(session["first"])
    yield page
    assert page.evaluate("window.violations") == []
    assert watched == []
    page.context.close()


def visitor(browser: Any, link: str, watched: list[str]) -> Any:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.add_init_script(WATCH)
    page = context.new_page()
    page.on("console", lambda message: watched.append(message.text) if is_fault(message) else None)
    page.goto(link)
    page.wait_for_selector("#summary")
    return page


def link_of(page: Any, mode: str) -> str:
    if not page.locator(".share-form").count():
        page.click("a[data-panel]:has-text('Share')")
    page.wait_for_selector(".share-form")
    page.check(f".share-form input[value='{mode}']")
    page.click(".share-form button")
    page.wait_for_selector("#share-address")
    return str(page.input_value("#share-address"))


def test_a_reader_changes_nothing_and_is_out_when_the_link_is_withdrawn(browser: Any, page: Any) -> None:
    watched: list[str] = []
    guest = visitor(browser, link_of(page, "read"), watched)
    posts: list[str] = []
    guest.on("request", lambda request: posts.append(request.url) if request.method == "POST" else None)
    assert "/shared/" not in guest.url
    assert guest.locator("#design-form :is(input, select, textarea):not([type=hidden]):enabled").count() == 0
    guest.keyboard.press("Control+z")
    guest.evaluate(
        """(text) => { const data = new DataTransfer(); data.setData("text/plain", text);
           document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true })); }""",
        json.dumps(HALL),
    )
    guest.click("#tab-cost")
    guest.wait_for_selector("#cost-figures")
    guest.wait_for_timeout(1_500)
    assert posts == []
    page.click(".share button:has-text('Withdraw')")
    page.wait_for_selector(".share .note:has-text('was withdrawn')")
    guest.reload()
    playwright.expect(guest.locator("h1")).to_have_text("This link opens nothing")
    assert guest.evaluate("window.violations") == []
    guest.context.close()


def test_a_reader_sees_what_the_owner_does_and_the_result_follows(browser: Any, page: Any) -> None:
    watched: list[str] = []
    guest = visitor(browser, link_of(page, "read"), watched)
    posts: list[str] = []
    guest.on("request", lambda request: posts.append(request.url) if request.method == "POST" else None)
    gpus = guest.locator("[data-figure=gpus] .figure-value")
    before = gpus.inner_text()
    size = "56" if guest.input_value("#id_size") != "56" else "60"
    guest.route("**/result/*", lambda route: route.abort(), times=1)  # as while a server starts again
    page.fill("#id_size", size)
    said = "document.getElementById('session-note').textContent"  # for six seconds: looked at first, at every frame
    guest.wait_for_function(f"() => {said}.includes('Changed by')")
    playwright.expect(page.locator("[data-figure=gpus] .figure-value")).not_to_have_text(before)
    playwright.expect(gpus).not_to_have_text(before)
    playwright.expect(guest.locator("#id_size")).to_have_value(size)
    playwright.expect(guest.locator("#counts")).to_contain_text(f"{gpus.inner_text()} GPUs", timeout=30_000)
    assert not guest.evaluate("document.getElementById('result').inert")
    assert guest.locator("#design-form :is(input, select, textarea):not([type=hidden]):enabled").count() == 0
    assert guest.locator("[data-step-back], .finding-change, #save-slot").count() == 0
    page.click("[data-step-back] button")
    playwright.expect(gpus).to_have_text(before, timeout=10_000)
    page.click(".share button:has-text('Withdraw')")
    playwright.expect(guest.locator("#session-note")).to_contain_text("not open to you any more", timeout=10_000)
    assert posts == []
    assert [one for one in watched if not re.search("404|ERR_FAILED|htmx:sendError", one)] == []
    assert guest.evaluate("window.violations") == []
    guest.context.close()


def test_a_number_just_typed_stays_in_another_unit_and_one_that_stood_there_is_converted(page: Any) -> None:
    page.select_option("#id_compute__server", "gb300-tray")
    page.select_option("#id_size_unit", "gpus")
    gpus, note, size = (page.locator(at) for at in ("[data-figure=gpus] .figure-value", "#size-note", "#id_size"))
    size.fill("16")
    page.focus("#id_size_unit")  # as a person does: leaving a field ends its step
    page.select_option("#id_size_unit", "racks")
    playwright.expect(note).to_contain_text("16 racks as typed, 1,152 GPUs.")
    playwright.expect(size).to_have_value("16")
    playwright.expect(gpus).to_have_text("1,152")
    note.get_by_role("button", name="Make it 1 rack for 16 GPUs").click()
    playwright.expect(note).to_contain_text("1 rack of 72 GPUs holds 72 GPUs, the fewest for 16.")
    playwright.expect(gpus).to_have_text("72")
    note.get_by_role("button", name="Make it 16 racks").click()
    playwright.expect(gpus).to_have_text("1,152")
    for unit, number, said in (
        ("nodes", "288", "288 trays of 4 GPUs hold the same 1,152 GPUs."),
        ("racks", "16", "16 racks of 72 GPUs hold the same 1,152 GPUs."),
        ("gpus", "1152", "16 racks hold 1,152 GPUs."),
    ):
        page.focus("#id_size_unit")
        page.select_option("#id_size_unit", unit)
        playwright.expect(size).to_have_value(number)
        playwright.expect(note).to_contain_text(said)
        playwright.expect(page.locator("#session-note")).to_contain_text("Every change is kept")
        playwright.expect(gpus).to_have_text("1,152")
    page.click("[data-step-back] button")
    playwright.expect(size).to_have_value("16")
    playwright.expect(page.locator("#id_size_unit")).to_have_value("racks")


def test_an_editor_edits_and_the_owner_sees_it(browser: Any, page: Any) -> None:
    watched: list[str] = []
    guest = visitor(browser, link_of(page, "edit"), watched)
    before = guest.input_value("#id_size")
    guest.fill("#id_size", "48")
    guest.wait_for_selector("[data-step-back] button:not([disabled])")
    page.reload()
    playwright.expect(page.locator("#id_size")).to_have_value("48")
    guest.click("[data-step-back] button")
    playwright.expect(guest.locator("#id_size")).to_have_value(before)
    assert watched == []
    guest.context.close()


def test_a_pasted_and_a_dropped_spec_are_edits_that_undo_takes_back(page: Any) -> None:
    before = page.input_value("#id_size"), page.input_value("#id_name")
    paste = """(text) => { const data = new DataTransfer(); data.setData("text/plain", text);
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })); }"""
    drop = """(text) => { const data = new DataTransfer(); data.items.add(new File([text], "hall.json"));
      for (const kind of ["dragover", "drop"]) {
        document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true })); } }"""
    for script, gpus in ((paste, 512), (drop, 256)):
        page.evaluate(script, json.dumps(HALL | {"compute": {"server": "dgx-h100", "gpus": gpus}}))
        playwright.expect(page.locator("#id_size")).to_have_value(str(gpus))
    playwright.expect(page.locator("#id_name")).to_have_value("Brought along")
    for size in ("512", before[0]):
        page.locator("h1").click()
        page.keyboard.press("Control+z")
        playwright.expect(page.locator("#id_size")).to_have_value(size, timeout=15_000)
    assert page.input_value("#id_name") == before[1]


def test_a_text_that_is_no_json_is_marked_where_it_breaks_off(browser: Any, session: Any) -> None:
    watched: list[str] = []
    page = opened(browser, session, watched)
    page.goto(session["first"])
    page.eval_on_selector("a[data-panel][href$='/spec/']", "(link) => link.click()")
    page.fill("#spec-sent", '{\n "compute": {},\n oops\n}')
    page.click("button:has-text('Apply it')")
    playwright.expect(page.locator("#spec-problem")).to_contain_text("at line 3, column 2")
    assert page.get_attribute("#spec-sent", "aria-invalid") == "true"
    assert page.evaluate("document.activeElement.id") == "spec-sent"
    assert page.evaluate("getSelection().toString()") == "o"
    page.fill("#spec-sent", json.dumps(HALL))
    page.click("button:has-text('Apply it')")
    playwright.expect(page.locator("#id_name")).to_have_value("Brought along")
    assert page.get_attribute("#spec-sent", "aria-invalid") is None
    playwright.expect(page.locator("#spec-problem")).to_be_empty()
    assert [one for one in watched if "422" not in one] == []  # the refusal, which a browser's console tells, too
    page.context.close()


def test_the_baseline_stays_and_the_differences_follow_what_is_typed(page: Any) -> None:
    page.click("a[data-panel]:has-text('Baseline')")
    page.fill("#baseline-name", "Bid 1")
    page.press("#baseline-name", "Enter")
    page.click("#baselines summary")
    page.wait_for_selector("#baselines tbody tr")
    first = page.url
    page.click("button:has-text('Branch a variant')")
    page.wait_for_url(lambda url: url.split("?")[0] != first.split("?")[0])
    page.click("#baselines summary")
    row = page.locator("#baselines tbody tr").first
    assert "Bid 1" in row.inner_text()
    gpus = int(row.locator("td").first.inner_text().replace(",", ""))
    page.select_option("#id_size_unit", "gpus")
    page.fill("#id_size", "64")
    playwright.expect(row).to_contain_text(f"{gpus:,}")
    playwright.expect(row).to_contain_text(f"now \N{MINUS SIGN}{gpus - 64}")
    playwright.expect(page.locator("[data-figure=gpus] .figure-against")).to_contain_text(f"\N{MINUS SIGN}{gpus - 64}")
    page.locator("#baselines .baseline-remove").first.click()
    playwright.expect(page.locator("#baselines tbody tr")).to_have_count(0)
    playwright.expect(page.locator("[data-figure=gpus] .figure-against")).to_be_empty()


def test_an_answer_finds_its_places_when_a_newer_part_has_replaced_the_button(page: Any) -> None:
    page.click("a[data-panel]:has-text('Baseline')")
    page.press("#baseline-name", "Enter")
    page.click("#baselines summary")
    page.wait_for_selector("#baselines tbody tr")
    held: list[Any] = []
    page.route("**/baselines/*/remove/", lambda route: held.append(route))
    page.evaluate("document.getElementById('baselines').dataset.older = ''")
    with page.expect_request("**/baselines/*/remove/"):
        page.locator("#baselines .baseline-remove").first.click()
    page.evaluate("document.dispatchEvent(new Event('studio:shown'))")
    playwright.expect(page.locator("#baselines:not([data-older])")).to_be_attached()
    for route in held:
        route.continue_()
    playwright.expect(page.locator("#baselines tbody tr")).to_have_count(0)
    playwright.expect(page.locator("[data-figure=gpus] .figure-against")).to_be_empty()


def test_panels_open_and_close_by_keyboard(page: Any) -> None:
    page.focus("a[data-panel]:has-text('Versions')")
    page.keyboard.press("Enter")
    page.wait_for_selector("#version-form")
    assert page.evaluate("document.activeElement.id") == "revisions-title"
    page.keyboard.press("Escape")
    playwright.expect(page.locator("#head-panel > *")).to_have_count(0)
    assert "Versions" in page.evaluate("document.activeElement.textContent")
    # a comment begins at its figure, which then says how many are open
    mark = page.locator("[data-figure=switches] .comment-mark")
    assert mark.get_attribute("aria-label") == "Comment on Switches"
    mark.focus()
    page.keyboard.press("Enter")
    playwright.expect(page.locator("#comments-title")).to_have_text("Comments on Switches")
    page.fill("#comment-text", "Why so many?")
    page.click(".comment-form [type=submit]")
    playwright.expect(mark).to_have_text("1")
    assert mark.get_attribute("aria-label") == "1 open comment on Switches"


@pytest.mark.parametrize("width", [390, 1440])
def test_panels_and_strip_fit_their_screen(browser: Any, session: Any, width: int) -> None:
    watched: list[str] = []
    page = opened(browser, session, watched, viewport={"width": width, "height": 844})
    page.goto(session["first"].split("?")[0] + "?tab=findings")
    page.click("a[data-panel]:has-text('Baseline')")
    page.press("#baseline-name", "Enter")
    page.click("#baselines summary")
    page.wait_for_selector("#baselines tbody tr")
    for name, panel in (("Versions", ".revisions"), ("Share", ".share")):
        page.click(f"a[data-panel]:has-text('{name}')")
        page.wait_for_selector(f"{panel}.side-panel")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert watched == []
    page.context.close()
