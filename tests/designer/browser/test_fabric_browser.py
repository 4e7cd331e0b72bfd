"""The fabric tab in a real browser: drilling down, keys, zoom, losses, files. No policy violation, no error in the console."""

import re
import struct

import pytest

from tests.designer.browser.browsing import CHROMIUM, opened
from tests.designer.browser.test_browser import blank

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.processes,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]
__all__ = ["blank"]  # a fixture, found by its name


@pytest.fixture
def fabric(blank, session):
    """A page that shows the whole fabric of the first sample."""
    blank.goto(f"{session['first']}?tab=fabric")
    blank.wait_for_selector("[data-connected] svg.fabric-view")
    return blank


def title(page, words):
    page.wait_for_selector(f"#fabric-title:text-is('{words}')")
    page.wait_for_selector("[data-connected] svg.fabric-view")


def focused(page):
    return page.evaluate("document.activeElement.getAttribute('aria-label') ?? ''")


def seen(page):
    return [float(part) for part in page.get_attribute("svg.fabric-view", "viewBox").split()]


def test_a_reader_goes_down_and_back(fabric):
    fabric.click("a.way >> nth=1")
    title(fabric, "Unit 2")
    assert "at=unit-2" in fabric.url
    fabric.click("a.mark.one:has-text('leaf-r3-002')")
    title(fabric, "leaf-r3-002")
    fabric.click("a.port >> nth=0")
    title(fabric, "node-0033")
    fabric.go_back()
    title(fabric, "leaf-r3-002")
    fabric.click(".crumbs a:has-text('Unit 2')")
    title(fabric, "Unit 2")


def test_keys_alone_lead_through_the_pictures(fabric):
    fabric.locator("a.way").nth(1).focus()
    fabric.keyboard.press("ArrowRight")
    assert focused(fabric).startswith("Unit 3")
    fabric.keyboard.press("ArrowLeft")
    fabric.keyboard.press("ArrowUp")
    assert focused(fabric), "a spine"
    fabric.keyboard.press("ArrowDown")
    fabric.locator("a.way").nth(1).focus()
    fabric.keyboard.press("Enter")
    title(fabric, "Unit 2")
    assert fabric.evaluate("document.activeElement.matches('a.mark')"), "focus is in the new picture"
    fabric.locator("a.mark.one:has-text('leaf-r1-002')").focus()
    fabric.keyboard.press("ArrowRight")
    assert focused(fabric).startswith("leaf-r2-002")
    assert "leaf-r2-002" in fabric.inner_text("#fabric-hint"), "what has the focus is told"
    fabric.keyboard.press("Enter")
    title(fabric, "leaf-r2-002")
    fabric.keyboard.press("Escape")
    title(fabric, "Unit 2")
    stops = fabric.locator("svg.fabric-view a.mark:not([tabindex])").count()
    assert stops < 100, "bundles are no stops of the Tab key"


def test_zoom_by_buttons_keys_and_wheel_and_moving_by_hand(fabric):
    whole = seen(fabric)
    fabric.click("[data-zoom=in]")
    assert seen(fabric)[2] < whole[2]
    fabric.click("[data-zoom=all]")
    assert seen(fabric) == whole
    fabric.locator("a.way").nth(0).focus()
    fabric.keyboard.press("+")
    once = seen(fabric)
    assert once[2] < whole[2]
    fabric.keyboard.press("0")
    assert seen(fabric) == whole
    box = fabric.locator("svg.fabric-view").bounding_box()
    fabric.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    fabric.keyboard.down("Control")
    fabric.mouse.wheel(0, -100)
    fabric.keyboard.up("Control")
    fabric.wait_for_function(f"document.querySelector('svg.fabric-view').viewBox.baseVal.width < {whole[2]}")
    before, address = seen(fabric), fabric.url
    fabric.mouse.down()
    fabric.mouse.move(box["x"] + box["width"] / 2 - 90, box["y"] + box["height"] / 2 - 10, steps=4)
    fabric.mouse.up()
    assert seen(fabric)[0] > before[0]
    assert fabric.url == address, "a drag is no click"


def test_a_switch_goes_down_and_comes_back(fabric):
    fabric.click("nav[aria-label='Colour by'] a:has-text('Failure')")
    fabric.wait_for_selector(".fabric-lost:has-text('Nothing is down')")
    fabric.click("a.square[aria-label='spine-003']")
    fabric.wait_for_selector(".chip:has-text('spine-003')")
    assert "down=spine-003" in fabric.url
    fabric.click("a.square[aria-label='leaf-r1-001']")
    fabric.wait_for_selector(".chip:has-text('leaf-r1-001')")
    assert re.search(r"−\d+\s% from \d+\sGB/s", fabric.inner_text(".lost-figures"))
    fabric.reload()
    fabric.wait_for_selector(".chip >> nth=1")
    fabric.click(".chip:has-text('leaf-r1-001')")
    fabric.wait_for_selector(".chip:has-text('leaf-r1-001')", state="detached")
    fabric.click("a.square[aria-label='spine-003']")
    fabric.wait_for_selector(".fabric-lost:has-text('Nothing is down')")


def test_a_device_is_found_by_name(fabric):
    fabric.fill("#fabric-find", "node-0100")
    fabric.keyboard.press("Enter")
    title(fabric, "node-0100")
    fabric.fill("#fabric-find", "spine-99")
    fabric.keyboard.press("Enter")
    fabric.wait_for_selector(".fabric-note:has-text('is called')")


def test_the_picture_is_saved_as_png_and_svg(fabric, tmp_path):
    with fabric.expect_download() as started:
        fabric.click("[data-fabric-png]")
    path = tmp_path / "picture.png"
    started.value.save_as(path)
    assert started.value.suggested_filename.endswith(".png")
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG")
    assert struct.unpack(">I", data[16:20])[0] == 2080
    with fabric.expect_download() as started:
        fabric.click(".fabric-head a:has-text('SVG')")
    assert started.value.suggested_filename.endswith(".svg")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_picture_stays_inside_small_pages(browser, session, scheme):
    watched: list[str] = []
    page = opened(browser, session, watched, viewport={"width": 390, "height": 844}, color_scheme=scheme)
    for at in ("", "unit-1", "leaf-r1-001", "node-0001", "nodes"):
        page.goto(f"{session['first'].split('?')[0]}?tab=fabric&at={at}")
        page.wait_for_selector("svg.fabric-view")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), at
    assert watched == []
    page.context.close()


def test_without_scripts_glyphs_are_links(browser, session):
    context = browser.new_context(storage_state=session["state"], java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{session['first'].split('?')[0]}?tab=fabric")
    page.click("a.way >> nth=0")
    page.wait_for_selector("#fabric-title:text-is('Unit 1')")
    assert page.locator("[data-fabric-zoom]").is_hidden()
    context.close()
