"""Explore in a real browser: points and rows mark each other, rows are filtered and pinned, a list is sent as it was chosen."""

import re

import pytest

from tests.designer.browser.browsing import CHROMIUM
from tests.designer.browser.test_browser import blank

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.processes,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]
__all__ = ["blank"]  # a fixture, found by its name
RING = "path[aria-roledescription='point'][stroke-width='2']"


def test_what_is_chosen_in_one_is_marked_in_the_other(app, blank):
    page = blank
    page.goto(f"{app.url}/explore/")
    expect = playwright.expect
    points, rows = page.locator("[data-drawn] path[aria-roledescription='point']"), page.locator("tbody tr[data-place]")
    expect(page.locator("[data-drawn]")).to_have_count(1)
    expect(points).to_have_count(rows.count())

    rows.nth(3).hover()
    expect(page.locator(RING)).to_have_count(1)
    assert page.locator(RING).get_attribute("aria-label") in rows.nth(3).locator("th").text_content()
    points.nth(0).hover()
    expect(page.locator("tr.is-hot")).to_have_count(1)

    plot = page.locator("[data-chart-plot] svg").bounding_box()
    page.mouse.move(plot["x"] + plot["width"] * 0.12, plot["y"] + 12)
    page.mouse.down()
    page.mouse.move(plot["x"] + plot["width"] * 0.4, plot["y"] + plot["height"] * 0.8, steps=4)
    page.mouse.up()
    dimmed = page.locator("tr.is-dimmed")
    expect(dimmed.first).to_be_visible()
    assert 0 < dimmed.count() < rows.count()

    first = rows.nth(5)
    name = first.locator("th").text_content().partition("tie")[0].strip()
    first.get_by_role("button", name="Pin").click()
    expect(page.locator("[data-found-pinned] th")).to_contain_text(name)
    page.locator("th button.sort", has_text="Switches").click()
    numbers = [int(text) for text in page.locator("tbody:last-of-type tr td:nth-of-type(9)").all_text_contents()]
    assert numbers == sorted(numbers)
    expect(page.locator("[data-found-pinned] th")).to_contain_text(name)
    page.fill("#found-filter", "top rack 2:1")
    expect(page.locator("tbody:last-of-type tr:visible").first).to_contain_text("Top of rack")
    assert page.locator("tbody:last-of-type tr:visible").count() < 5
    expect(page.locator("[data-found-compare]")).to_be_disabled()

    page.select_option("[name='fabric__layout.how']", "list")
    page.select_option("[name='fabric__layout.list']", ["rail-only"])
    page.click("[data-explore-send]")
    expect(page.locator("[name='fabric__layout.how']")).to_have_value("list")
    expect(page.locator("tbody tr[data-place]").first).to_be_visible()
    assert "Top of rack" not in page.locator("#found").text_content()
    page.get_by_role("button", name="Open").first.click()
    expect(page.locator("h1")).to_have_text(re.compile("1,024 × H100, NDR"))
