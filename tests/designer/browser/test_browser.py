"""The pages in a real browser against the real app: web, worker and broker. No policy violation, no error in the console."""

import contextlib
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from tests.designer.browser.browsing import ALL_SENT, CHROMIUM, opened
from tests.estimator.calibration.log_texts import LOGS

SIZES = [(1440, 900), (390, 844)]

CLIPPED = """() => [...document.querySelectorAll(".figures :is(.figure-value, .figure-foot, .figure-note, .figure-change)")]
    .filter((one) => one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1)
    .filter((one) => getComputedStyle(one).display !== "inline").map((one) => one.textContent)"""

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.processes,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]


@contextlib.contextmanager
def sound(browser, session, **options):
    """A signed-in page that has been nowhere yet, and ends its test by proof that nothing was blocked and nothing failed."""
    watched: list[str] = []
    page = opened(browser, session, watched, **options)
    yield page
    page.wait_for_function(ALL_SENT)
    assert page.evaluate("window.violations") == []
    assert watched == []
    page.context.close()


@pytest.fixture
def blank(browser, session):
    with sound(browser, session) as page:
        yield page


@pytest.fixture
def drawing(blank, session):
    """The first sample, opened, with its charts."""
    blank.goto(session["first"])
    return blank


@pytest.fixture
def page(browser, session):
    """The first sample, opened for something else than its charts, which are not drawn."""
    with sound(browser, session, draws_charts=False) as page:
        page.goto(session["first"])
        yield page


def test_the_first_visit_lands_on_a_finished_sample(app, accounts, browser):
    watched: list[str] = []
    page = opened(browser, {"state": None}, watched)
    page.goto(app.url + accounts.new("newcomer")["link"])
    page.wait_for_selector("#bom", timeout=20_000)
    words = page.inner_text("main")
    assert "DGX H100 SuperPOD, 4 scalable units" in words
    assert "Bill of materials" in words
    assert "Predicted all-reduce" in words
    assert page.evaluate("window.violations") == watched == []
    page.context.close()


def test_figures_follow_what_is_typed(page):
    page.fill("#id_size", "64")
    page.wait_for_selector("#summary .figure-note:has-text('16 leaf')")
    change = page.locator("[data-figure=switches] .figure-change")
    playwright.expect(change).to_have_class("figure-change better down")
    assert re.match(r"\u2212\d+ since the change before", " ".join(change.text_content().split()))
    assert page.evaluate("document.activeElement.id") == "id_size"
    playwright.expect(page.locator("#live-diagram svg text", has_text="Unit 2")).to_have_count(
        1
    )  # two units of 32 servers
    playwright.expect(page.locator("#counts")).to_contain_text("512 GPUs", timeout=20_000)  # estimated by itself
    playwright.expect(page.locator("#stale-note")).to_be_empty()
    assert page.evaluate("document.activeElement.id") == "id_size"
    # the picture of the new state: cables say what they are, a block leads to the fields that set it, unfolded
    lane, card = page.locator(".fabric a.lane").first, page.locator(".fabric-card")
    box = lane.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    playwright.expect(card).to_contain_text("Leaves to spines: 512 links")
    assert re.search(r"fibre.*30\sm.*\$\d.*(assumption|listed)", card.inner_text(), re.DOTALL)
    page.locator(".fabric a.block").first.click()
    playwright.expect(card).to_be_hidden()
    assert page.evaluate("document.activeElement.id") == "id_fabric__spine_switch"
    lane.focus()
    page.keyboard.press("Tab")
    playwright.expect(card).to_contain_text("Servers to leaves: 512 links")


def test_the_estimate_in_sight_stays_until_the_new_one_is_there(drawing):
    drawing.route("**/settle/", lambda route: None)  # never answered
    drawing.fill("#id_size", "72")
    playwright.expect(drawing.locator("#stale-note")).to_contain_text("Updating")
    assert drawing.is_visible("#counts"), "dimmed, and still there"
    playwright.expect(drawing.locator(".two-up").first).to_have_css("filter", "grayscale(1)")
    assert drawing.locator("#result").evaluate("(result) => result.inert"), "nothing of it can be pressed"
    drawing.unroute_all(behavior="ignoreErrors")


def test_a_slider_writes_its_field_and_one_step_takes_its_moves_back(page):
    before = page.input_value("#id_fabric__oversubscription")
    slider = page.locator("[data-slides=id_fabric__oversubscription]")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert page.input_value("#id_fabric__oversubscription") == "2:1"
    assert slider.get_attribute("aria-valuetext") == "2:1"
    playwright.expect(page.locator("[data-figure=built_ratio] .figure-value")).not_to_have_text("1:1")
    playwright.expect(page.locator("[data-figure=all_to_all_gb_s] .figure-change")).to_be_visible()
    for width, height in SIZES:  # while changes are shown as well
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(CLIPPED) == []
    page.set_viewport_size(dict(zip(("width", "height"), SIZES[0], strict=True)))
    page.click("[data-step-back] button")
    playwright.expect(page.locator("#id_fabric__oversubscription")).to_have_value(before)
    playwright.expect(page.locator("[data-figure=built_ratio] .figure-value")).to_have_text("1:1")
    assert page.evaluate("document.querySelector('[data-slides=id_fabric__oversubscription]').value") == "0"


def test_a_share_is_reported_in_per_cent_beside_its_field(page):
    reported = page.locator("[data-share-of=id_economics__utilization]")
    playwright.expect(reported).to_have_text("= 80\N{NO-BREAK SPACE}%")  # of the blank's 0.8
    page.eval_on_selector(
        "#id_economics__utilization",
        "(f) => { f.value = '0.655'; f.dispatchEvent(new Event('input', {bubbles: true})); }",
    )
    playwright.expect(reported).to_have_text("= 65.5\N{NO-BREAK SPACE}%")
    page.click("[data-step-back] button")
    playwright.expect(reported).to_have_text("= 80\N{NO-BREAK SPACE}%")


def test_folds_say_what_they_hold(page):
    fold = page.locator("#group-money > summary .digest")
    page.click(".group-nav a:has-text('Money')")
    assert page.evaluate("document.activeElement.parentElement.id") == "group-money"
    page.fill("#id_economics__years", "6")
    page.keyboard.press("Tab")
    page.click("#group-money > summary")
    playwright.expect(fold).to_contain_text("Years 6")
    page.click("[data-step-back] button")
    playwright.expect(page.locator("#id_economics__years")).to_have_value("4")
    playwright.expect(fold).to_contain_text("Years 4")


@pytest.mark.parametrize("size", SIZES, ids=["desk", "phone"])
def test_the_strip_hides_nothing_that_has_the_focus(browser, session, size):
    page = opened(browser, session, [], viewport={"width": size[0], "height": size[1]})
    page.goto(session["first"])
    page.wait_for_selector("#bom")
    hidden = page.evaluate(
        """() => [...document.querySelectorAll("#job a, #job button, #job summary, #job input, #job [tabindex='0']")]
        .filter((e) => e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length).filter((e) => {
          e.focus();
          const box = e.getBoundingClientRect(), strip = document.getElementById("summary").getBoundingClientRect();
          return box.bottom <= strip.bottom || box.top >= innerHeight;
        }).map((e) => e.outerHTML.slice(0, 80))"""
    )
    assert hidden == []
    page.context.close()


def test_a_problem_appears_beside_its_field_and_goes_again(page):
    page.fill("#id_fabric__oversubscription", "0:1")
    page.wait_for_selector("#preview-problems .note")
    note = page.locator("#id_fabric__oversubscription_error")
    playwright.expect(note).to_contain_text("both sides must be 1 or more")
    assert page.get_attribute("#id_fabric__oversubscription", "aria-invalid") == "true"
    assert page.inner_text("#summary"), "the last figures stay"
    page.click("#preview-problems a")
    assert page.evaluate("document.activeElement.id") == "id_fabric__oversubscription"
    page.fill("#id_fabric__oversubscription", "1:1")
    playwright.expect(note).to_be_empty()
    assert page.get_attribute("#id_fabric__oversubscription", "aria-invalid") is None


def test_switches_follow_the_generation_and_blanks_say_what_they_stand_for(page):
    page.evaluate("for (const block of document.querySelectorAll('details')) block.open = true")
    page.select_option("#id_fabric__leaf_switch", "nvidia-qm9700")
    page.select_option("#id_fabric__generation", "roce-400")
    page.wait_for_selector("#id_fabric__leaf_radix[placeholder='128']")
    assert page.input_value("#id_fabric__leaf_switch") == ""
    options = page.locator("#id_fabric__leaf_switch option").all_inner_texts()
    assert options[0] == "Automatic: SN5600"
    assert not [option for option in options if option.startswith("QM")]


def test_estimate_ends_by_itself_and_polling_stops(drawing):
    polls: list[int] = []
    drawing.on("response", lambda response: polls.append(response.status) if "/estimates/" in response.url else None)
    drawing.fill("#id_size", "48")
    drawing.wait_for_selector("#bom", timeout=20_000)
    playwright.expect(drawing.locator("#counts")).to_contain_text("384 GPUs")
    playwright.expect(drawing.locator("#stale-note")).to_be_empty()
    drawing.wait_for_timeout(1_500)
    assert polls[-1] == 286
    assert 1 <= polls.count(286) <= 2, "of the estimate that followed by itself, or of the one requested"
    assert drawing.inner_text("#stale-note") == ""


def test_the_bill_is_sorted_on_the_server_without_a_new_page(page):
    page.evaluate("window.same = true")
    page.click("#bom summary")
    page.click("#bom th:has-text('Quantity') a")
    page.wait_for_selector("#bom th[aria-sort='ascending']:has-text('Quantity')")
    page.click("#bom th:has-text('Quantity') a")
    page.wait_for_selector("#bom th[aria-sort='descending']:has-text('Quantity')")
    quantities = [
        int(re.sub(r"\D.*", "", text.replace(",", "")))
        for text in page.locator("#bom tbody td:nth-child(4)").all_inner_texts()
    ]
    assert quantities == sorted(quantities, reverse=True)
    assert page.evaluate("window.same")


def test_the_bill_downloads(page):
    for kind, start in (("csv", b"\xef\xbb\xbf"), ("xlsx", b"PK")):
        with page.expect_download() as download:
            page.click(f"#bom a:text-is('{kind.upper()}')")
        content = Path(download.value.path()).read_bytes()
        assert content.startswith(start) or content[:4].isascii()
        assert download.value.suggested_filename.endswith(f".{kind}")


ENDS = "(part) => Math.round(part.getBoundingClientRect().bottom + scrollY)"


def test_charts_draw_hover_toggle_and_save(drawing, tmp_path):
    drawing.wait_for_selector("[data-chart='chart-scaling'][data-drawn]")
    ends = {
        part: drawing.locator(part).evaluate(ENDS) for part in (".brief", "#live-diagram", ".in-short", "#performance")
    }
    assert max(ends.values()) <= 1000, f"findings, picture, cost bar, verdict and both curves are one screen: {ends}"
    drawing.locator("#performance .twin summary").first.click()
    plot = drawing.locator(".plot").first
    lines = plot.locator("[aria-roledescription='line mark']")
    n_lines = lines.count()
    assert n_lines == drawing.locator(".legend").first.locator("input").count() > 1
    box = plot.bounding_box()
    drawing.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + box["height"] * 0.4)
    tooltip = drawing.locator("#vg-tooltip-element.visible")
    playwright.expect(tooltip).to_contain_text("GB/s")
    assert re.search(r"Message size\s+\d+.[KMG]iB", tooltip.inner_text())
    drawing.locator(".legend input").first.uncheck()
    playwright.expect(lines).to_have_count(n_lines - 1)
    for kind, start in (("svg", b"<svg"), ("png", b"\x89PNG")):
        with drawing.expect_download() as download:
            drawing.locator(f"[data-chart-download='{kind}']").first.click()
        content = Path(download.value.path()).read_bytes()
        assert content.startswith(start)
        assert b"var(" not in content
        if kind == "svg":
            shown = drawing.locator(".legend").first.locator(".legend-item:has(:checked)").all_inner_texts()
            for words in (drawing.locator(".chart h3").first.inner_text(), *shown):
                assert f">{words}<".encode() in content, "a file has its title and the legend of what is shown"


def test_the_scheme_is_remembered(page):
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.click("[data-theme-toggle]")
    page.click("[data-theme-toggle]")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate(background) != light
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.click("[data-theme-toggle]")
    assert page.evaluate("document.documentElement.dataset.theme") == "auto"


def test_tabs_open_without_a_new_page_and_the_back_button_leads_back(page):
    page.evaluate("window.same = true")
    page.click("#tab-cabling")
    page.wait_for_selector("#cabling")
    assert page.url.endswith("?tab=cabling")
    page.click("#sort-links")
    page.wait_for_selector("th[aria-sort='ascending'] #sort-links")
    page.focus("#view-device")
    page.keyboard.press("Enter")
    page.wait_for_selector("#device-name")
    assert page.evaluate("document.activeElement.id") == "view-device", "the focus stays where it was"
    page.fill("#device-name", "leaf-r1-001")
    page.keyboard.press("Enter")
    playwright.expect(page.locator("#device tbody tr")).to_have_count(64)
    assert page.evaluate("window.same"), "all that on one page"
    assert page.url.endswith("device=leaf-r1-001")
    page.go_back()
    page.wait_for_selector("#device-name:not([value='leaf-r1-001'])")
    page.go_back()
    page.wait_for_selector("th[aria-sort='ascending'] #sort-links")


def test_the_links_download_as_a_stream(page):
    page.click("#tab-handoff")
    page.wait_for_selector("#handoff")
    with page.expect_download() as download:
        page.click("#handoff a[href*='format=csv']")
    assert re.fullmatch(r"[a-z0-9-]+-compute-csv-[0-9a-f]{8}\.csv", download.value.suggested_filename)
    lines = Path(download.value.path()).read_text().splitlines()
    assert lines[0].startswith("link,cable,tier")
    assert len(lines) > 100


def test_why_a_file_is_refused_stands_beside_its_link(browser, session):
    watched: list[str] = []
    page = opened(browser, session, watched)
    page.goto(f"{session['first'].split('?')[0]}?tab=handoff")
    page.evaluate("document.querySelector('#handoff a[data-export]').search = '?format=csv&fabric=none'")
    page.click("#handoff a[data-export] >> nth=0")
    page.wait_for_selector(".export-state.failed:has-text('no fabric')")
    assert page.evaluate("window.violations") == []
    assert [message for message in watched if "400" not in message] == []
    page.context.close()


def test_a_long_download_says_how_far_it_is_and_can_be_stopped(page):
    held: list[Any] = []
    page.route("**/links/?format=topo*", lambda route: held.append(route))  # not answered yet
    page.click("#tab-handoff")
    link = page.locator("#handoff a[href*='format=topo']")
    link.click()
    page.wait_for_selector(".export-state progress")
    assert not link.is_visible()
    page.click(".export-state button")
    playwright.expect(link).to_be_visible()
    assert page.locator(".export-state").count() == 0
    held[0].abort()


def test_a_proposed_change_is_applied_and_taken_back(app, browser, session):
    watched: list[str] = []
    page = opened(browser, session, watched)
    page.goto(f"{app.url}/designs/new/")
    page.evaluate("for (const block of document.querySelectorAll('details')) block.open = true")
    page.fill("#id_name", "Racks too warm")
    page.fill("#id_size", "64")
    page.check("#id_site__plan")
    page.fill("#id_site__plan__rack_power_kw", "20")
    page.fill("#id_site__plan__nodes_per_rack", "4")
    page.wait_for_selector("#bom", timeout=20_000)
    page.click("#tab-findings")
    page.wait_for_selector(".finding-change")
    assert "Nodes in a rack" in page.inner_text(".difference")
    page.click(".finding-change button")
    page.wait_for_selector(".messages:has-text('The design was changed')")
    page.wait_for_selector("#findings", timeout=20_000)
    assert page.locator(".finding-card:has-text('rack_power_exceeded')").count() == 0, "checked again, and gone"
    page.click("#tab-racks")
    page.wait_for_selector(".elevation")
    assert page.locator(".floor a").count() == 9, "eight servers in a rack each, and one rack of switches"
    page.click("[data-step-back] button")
    page.wait_for_function("() => document.getElementById('id_site__plan__nodes_per_rack').value === '4'")
    page.wait_for_selector(".elevation", timeout=20_000)
    assert page.evaluate("window.violations") == watched == []
    page.context.close()


def test_tabs_work_without_scripts(browser, session):
    context = browser.new_context(storage_state=session["state"], java_script_enabled=False)
    page = context.new_page()
    page.goto(session["first"])
    page.click("#tab-cabling")
    playwright.expect(page.locator("#cabling")).to_contain_text("Server to leaf")
    page.click("#sort-links")
    playwright.expect(page.locator("th[aria-sort='ascending'] #sort-links")).to_have_count(1)
    page.click("#view-device")
    page.fill("#device-name", "spine-001")
    page.click("#device button")
    playwright.expect(
        page.locator("#device tbody tr").nth(10)
    ).to_be_attached()  # not the first rows of a page that comes
    page.click("#tab-handoff")
    with page.expect_download() as download:
        page.click("#handoff a[href*='format=csv']")
    assert download.value.suggested_filename.endswith(".csv")
    context.close()


def test_sliders_tell_at_once_what_moving_a_figure_costs(blank, session):
    answers: list[int] = []
    blank.on("response", lambda response: answers.append(response.status) if "/what-if/" in response.url else None)
    blank.goto(f"{session['first']}?tab=cost")
    words = blank.locator("#what-if-words")
    before = words.inner_text()
    assert before.startswith("As estimated: ")
    blank.focus("#slide-years")
    blank.keyboard.press("ArrowRight")
    playwright.expect(words).to_contain_text("Total cost over 5 years: $")
    assert blank.get_attribute("#slide-years", "aria-valuetext") == "5 years"
    assert blank.input_value("#what-if-years") == "5"
    assert re.search(r"\+\$[\d.]+\sM", words.inner_text()), "costs so much more"
    blank.fill("#what-if-pue", "0.5")
    playwright.expect(words).to_contain_text("PUE: Must be at least 1")
    blank.fill("#what-if-pue", "1.5")
    playwright.expect(blank.locator("#what-if-figures .difference")).to_contain_text("PUE")
    assert blank.input_value("#slide-pue") == "1.5"
    blank.click("[data-slide-back]")
    playwright.expect(words).to_have_text(before)
    assert blank.input_value("#what-if-years") == "4"
    assert blank.locator("#what-if-figures form").count() == 0
    assert set(answers) == {200}


def test_moved_figures_become_the_design(app, browser, session):
    watched: list[str] = []
    page = opened(browser, session, watched)
    page.goto(f"{app.url}/designs/new/")
    page.fill("#id_name", "Cheaper power")
    page.fill("#id_size", "64")
    page.wait_for_selector("#bom", timeout=20_000)
    page.click("#tab-cost")
    page.wait_for_selector("#slide-electricity_usd_per_kwh:visible")
    page.fill("#what-if-electricity_usd_per_kwh", "0.06")
    page.click("#what-if-figures button:has-text('Apply to the design')")
    page.wait_for_selector(".messages:has-text('The design was changed')")
    page.wait_for_selector("#cost-figures", timeout=20_000)
    assert page.input_value("#what-if-electricity_usd_per_kwh") == "0.06"
    assert page.input_value("#id_economics__electricity_usd_per_kwh") == "0.06"
    assert page.evaluate("window.violations") == watched == []
    page.context.close()


def test_cost_charts_draw_and_the_cash_flow_can_be_discounted(blank, session):
    blank.goto(f"{session['first']}?tab=cost")
    for fold in blank.locator("details.part > summary").all():
        fold.click()
    for chart in blank.locator("[data-chart]").all():
        chart.scroll_into_view_if_needed()
        playwright.expect(chart.locator("svg").first).to_be_visible()
    flow = blank.locator("[data-chart='chart-cash-flow']")
    flow.scroll_into_view_if_needed()
    points = flow.locator("[aria-roledescription='point']")
    playwright.expect(points).to_have_count(5)
    paid = points.last.get_attribute("aria-label")
    flow.locator("[data-chart-switch]").check()
    playwright.expect(points.last).not_to_have_attribute("aria-label", paid)
    playwright.expect(points).to_have_count(5)


def test_sliders_work_without_scripts(browser, session):
    context = browser.new_context(storage_state=session["state"], java_script_enabled=False)
    page = context.new_page()
    address = f"{session['first'].split('?')[0]}?tab=cost"
    page.goto(address)
    page.click("#design-form [type=submit]")  # the tests before have left edits that no estimate is of
    for _ in range(60):
        page.goto(address)
        if page.locator("#what-if").count() and not page.locator(".job").count():
            break
        page.wait_for_timeout(500)
    assert not page.is_visible("#slide-years")
    page.fill("#what-if-years", "6")
    page.click("#what-if form.sliders button")
    assert "Total cost over 6 years" in page.inner_text("#what-if-words")
    assert page.input_value("#what-if-years") == "6"
    page.click("[data-slide-back]")
    assert page.input_value("#what-if-years") == "4"
    context.close()


def fits(page, selector):
    box = page.locator(selector).first.bounding_box()
    return box is not None and box["y"] >= 0 and box["y"] + box["height"] <= page.viewport_size["height"]


def test_on_a_phone_the_figures_come_first_and_the_form_unfolds(browser, session):
    watched: list[str] = []
    page = opened(browser, session, watched, viewport={"width": 390, "height": 844})
    page.goto(session["first"])
    page.wait_for_selector(".result")
    assert fits(page, "#summary .figures")
    assert not page.is_visible("#id_size")
    page.click("text=Change the design")
    page.fill("#id_size", "80")
    page.wait_for_selector("[data-figure=gpus] .figure-value:has-text('640')")
    assert fits(page, "#summary .figures"), "what one types shows at once, over the sheet"
    assert fits(page, "#id_size")
    page.click("text=Figures")
    playwright.expect(page.locator("#id_size")).to_be_hidden()
    assert fits(page, "#summary .figures")
    page.click("text=Change the design")
    page.click("text=Figures")
    playwright.expect(page.locator("#counts")).to_contain_text("640 GPUs", timeout=20_000)
    playwright.expect(page.locator("#id_size")).to_be_hidden(timeout=20_000)  # the result is shown, the form folded
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert watched == page.evaluate("window.violations") == []
    page.context.close()


def test_on_a_phone_without_scripts_the_form_unfolds_too(app, browser, session):
    context = browser.new_context(
        storage_state=session["state"], java_script_enabled=False, viewport={"width": 390, "height": 844}
    )
    page = context.new_page()
    page.goto(session["first"])
    assert not page.is_visible("#id_size")
    page.click("text=Change the design")
    assert page.is_visible("#id_size")
    page.fill("#id_size", "many")
    page.click(".form-actions [type=submit]")
    playwright.expect(page.locator("#id_size_error"), "a refused form stays open").to_be_visible()
    context.close()


def test_every_input_has_a_name_and_every_id_is_used_once(drawing):
    problems = drawing.evaluate(
        """() => {
        const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
        const nameless = [...document.querySelectorAll("input:not([type=hidden]), select, button")]
          .filter((e) => !e.labels?.length && !e.textContent.trim() && !e.ariaLabel).map((e) => e.outerHTML);
        return JSON.stringify({ twice: ids.filter((id, at) => ids.indexOf(id) !== at), nameless });
        }"""
    )
    assert json.loads(problems) == {"twice": [], "nameless": []}


def test_the_results_are_one_skip_away(page):
    page.focus(".skip-link >> nth=0")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the results"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.outcome') !== null"), "past the form"


def test_the_form_works_by_keyboard_alone(page):
    page.focus(".skip-link >> nth=0")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.focus("#id_name")
    page.keyboard.press("Control+A")
    page.keyboard.type("Typed")
    page.keyboard.press("Enter")
    playwright.expect(page.locator("h1")).to_have_text("Typed")


def test_without_scripts_the_form_posts_and_the_result_is_on_the_page(app, browser, session):
    context = browser.new_context(storage_state=session["state"], java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{app.url}/designs/new/")
    page.fill("#id_size", "many")
    page.click(".form-actions button")
    assert page.input_value("#id_size") == "many"
    assert "number" in page.inner_text("#id_size_error") or "integer" in page.inner_text("#id_size_error")
    page.fill("#id_size", "16")
    page.click(".form-actions button")
    for _ in range(40):
        if page.locator("#bom").count():
            break
        page.wait_for_timeout(250)
        page.goto(page.url)
    assert "Bill of materials" in page.inner_text("main")
    page.click("#bom summary")
    page.click("#bom th:has-text('Quantity') a")
    assert page.url.endswith("?sort=quantity#bom")
    context.close()


def test_logs_are_read_as_they_are_chosen_and_become_curves_and_a_diagnosis(app, blank):
    blank.goto(f"{app.url}/calibrations/new/")
    blank.set_input_files("#id_log", [LOGS / "h100x4_all_reduce.txt", LOGS / "h100x4_all_gather.txt"])
    blank.wait_for_selector(".read-logs")
    assert blank.get_attribute("#id_gpus_per_node", "placeholder") == "4"
    blank.fill("#id_name", "Four on a bench")
    blank.click("form.calibration-form [type=submit]")
    blank.wait_for_selector("h1:has-text('Four on a bench')")
    for chart in blank.locator("[data-chart]").all():
        chart.scroll_into_view_if_needed()
        playwright.expect(chart.locator("svg").first).to_be_visible()
    assert blank.locator("#constants svg.strip").count() >= 2
    assert blank.locator(".diagnosis .fault").count() >= 1
    blank.select_option("#id_curve", "2")
    blank.click(".chooser button")
    blank.wait_for_selector("h3:has-text('All-gather')")


def test_calibration_pages_fit_their_screen(app, blank):
    for address in ("/calibrations/", "/calibrations/new/"):
        blank.goto(f"{app.url}{address}")
        for width in (390, 800, 1440):
            blank.set_viewport_size({"width": width, "height": 900})
            assert blank.evaluate("document.documentElement.scrollWidth - innerWidth") == 0, (address, width)


def test_a_log_that_is_too_large_is_refused_before_it_is_sent(app, blank, tmp_path):
    blank.goto(f"{app.url}/calibrations/new/")
    large = tmp_path / "large.txt"
    large.write_bytes(b"x" * 20_000_001)
    blank.set_input_files("#id_log", large)
    playwright.expect(blank.locator("#error_log")).to_contain_text("20.0 MB is the most")
    blank.click("form.calibration-form [type=submit]")
    assert blank.url.endswith("/calibrations/new/")


def test_a_printed_page_has_the_whole_bill_and_none_of_the_sites_controls(drawing):
    """As a browser prints it: every chart drawn, each line of the bill once, the last words not covered by the foot."""
    drawing.locator("[data-chart]:not([data-drawn])").first.wait_for(state="detached", timeout=20_000)
    parts = drawing.eval_on_selector_all(
        "#bom tbody tr td[data-label='Line']", "cells => cells.map(cell => cell.textContent)"
    )
    drawing.emulate_media(media="print", color_scheme="dark")
    assert drawing.evaluate("getComputedStyle(document.querySelector('.site-header')).display") == "none"
    assert drawing.evaluate("getComputedStyle(document.querySelector('.site-footer')).display") == "none"
    assert drawing.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--surface').trim()") in (
        "#fff",
        "#ffffff",
    )
    pages = PdfReader(io.BytesIO(drawing.pdf(prefer_css_page_size=True))).pages
    text = " ".join(" ".join(sheet.extract_text() for sheet in pages).split())
    assert len(parts) > 3
    assert text.count("Bill of materials") == 1
    assert "give the same numbers." in text
    assert "Sign out" not in text
    assert "API documentation" not in text
