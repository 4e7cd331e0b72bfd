"""Designs picked to be compared, and a vendor's quote from its file to a comparison, in a real browser."""

import pytest

from tests.designer.browser.browsing import CHROMIUM
from tests.designer.browser.test_browser import blank
from tests.estimator.quotes.quote_files import workbook

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.processes,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]
__all__ = ["blank"]  # a fixture, found by its name
# no header that says what a column is
ODD = [
    ["N", "V", "W", "X"],
    ["MQM9700-NS2F", "QM9700 switch", "50", "30.000,50"],
    ["SVC-1", "Service", "1", "9.000,00"],
]


@pytest.fixture
def pick(app, blank):
    """The page on which designs are picked, four samples."""
    blank.goto(f"{app.url}/comparisons/new/")
    return blank


def row(page, name):
    return page.locator("[data-pick-row]").filter(has_text=name)


def test_the_button_waits_for_two_designs_and_the_count_is_reported(pick):
    count, button = pick.locator("[data-pick-count]"), pick.locator("[data-pick] button[type=submit]")
    playwright.expect(count).to_have_text("Tick 2 to 8")
    playwright.expect(button).to_be_disabled()
    row(pick, "DGX H100 SuperPOD").get_by_role("checkbox").check()
    playwright.expect(count).to_have_text("1 of up to 8 ticked")
    playwright.expect(button).to_be_disabled()
    row(pick, "1,024 H100 over 400G RoCE").get_by_role("radio").check()
    playwright.expect(count).to_have_text("2 of up to 8 ticked")  # the baseline is one of those that are compared
    playwright.expect(button).to_be_enabled()
    button.click()
    playwright.expect(pick.locator("h1")).to_contain_text("DGX H100 SuperPOD, 4 scalable units")
    baseline = (
        pick.locator("#sides-title").locator("xpath=ancestor::section").locator("li, tr").filter(has_text="baseline")
    )
    playwright.expect(baseline.first).to_contain_text("1,024 H100 over 400G RoCE")


def test_a_search_leaves_what_is_ticked_in_sight(pick):
    shown = pick.locator("[data-pick-row]:visible")
    n_rows = shown.count()
    assert n_rows >= 4
    row(pick, "DGX B300 unit").get_by_role("checkbox").check()
    pick.fill("#pick-search", "SUPERPOD dgx")
    playwright.expect(shown).to_have_count(2)
    playwright.expect(row(pick, "DGX B300 unit")).to_be_visible()
    playwright.expect(row(pick, "1,024 H100")).to_be_hidden()
    pick.keyboard.press("Enter")
    assert pick.url.endswith("/comparisons/new/"), "Enter in the search sends nothing"
    pick.fill("#pick-search", "")
    playwright.expect(shown).to_have_count(n_rows)


def test_without_scripts_designs_are_picked_too(app, browser, session):
    context = browser.new_context(storage_state=session["state"], java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{app.url}/comparisons/new/")
    assert not page.is_visible("#pick-search"), "a search that finds nothing is not shown"
    for name in ("DGX B300 unit", "DGX H100, 32 scalable units"):
        row(page, name).get_by_role("checkbox").check()
    page.click("[data-pick] button[type=submit]")
    assert "DGX B300 unit" in page.inner_text("h1")
    context.close()


def choose(page, app, file):
    """Choose a design and a vendor's file."""
    page.goto(f"{app.url}/quotes/new/")
    page.select_option("#id_design", label="DGX H100 SuperPOD, 4 scalable units")
    page.set_input_files("#id_file", file)


def quote_file(folder, rows):
    """A vendor's workbook on disk."""
    file = folder / "offer.xlsx"
    file.write_bytes(workbook(rows))
    return file


def test_a_quote_goes_from_its_file_over_its_columns_to_a_comparison(app, blank, tmp_path):
    page = blank
    choose(page, app, quote_file(tmp_path, ODD))
    page.fill("#id_vendor", "Meridian Networks")
    page.click("text=Check it")
    page.wait_for_url("**/columns/")
    playwright.expect(page.locator(".page-head")).to_contain_text("Not all columns could be identified with certainty")
    for at, meaning in enumerate(("part_number", "description", "quantity", "unit_price")):
        page.select_option(f"#id_0_{at}", meaning)
    page.select_option("[name=sheet-0-decimal]", ",")
    page.click("text=Read the quote so")
    page.wait_for_url(lambda address: not address.endswith("/columns/"))
    switches = page.locator(".quote-lines tbody tr").filter(has_text="MQM9700-NS2F")
    playwright.expect(switches).to_contain_text("$30,000.50")
    playwright.expect(switches.locator(".verdict")).to_contain_text("Matched")
    missing = page.locator("#missing tbody tr")
    assert missing.filter(has_text="DGX H100").count() == 1, "servers were not offered"
    assert missing.filter(has_text="QM9700").count() == 0
    page.select_option("[name=status]", "surplus")
    page.click("#lines .line-tools button")
    playwright.expect(page.locator(".quote-lines tbody tr")).to_have_count(1)
    page.click("#use form[action$='/compare/'] button")
    page.wait_for_url("**/comparisons/*/")
    words = page.inner_text("main")
    assert "DGX H100 SuperPOD, 4 scalable units" in words
    assert "offer" in page.inner_text("h1")


def test_a_match_is_changed_by_hand(app, blank, tmp_path):
    page = blank
    choose(page, app, quote_file(tmp_path, [["Part number", "Description", "Qty", "Unit price"], *ODD[1:]]))
    page.click("text=Check it")
    page.wait_for_selector(".quote-lines")  # by its header, without a question
    service = page.locator(".quote-lines tbody tr").filter(has_text="SVC-1")
    service.get_by_role("link", name="Change").click()
    page.select_option(".rematch select", index=2)
    page.click(".rematch button")
    playwright.expect(service).to_contain_text("manual")


def test_a_file_that_is_too_large_is_refused_before_it_is_sent(app, blank, tmp_path):
    page = blank
    page.goto(f"{app.url}/quotes/new/")
    large = tmp_path / "large.csv"
    large.write_bytes(b"x" * (int(page.get_attribute("#id_file", "data-max-file-bytes")) + 1))
    choose(page, app, large)
    playwright.expect(page.locator("#error_file")).to_contain_text("is the most")
    page.click("text=Check it")
    assert page.url.endswith("/quotes/new/")
