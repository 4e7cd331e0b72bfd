"""More designs than drafts are kept, in a real browser: made, edited, reopened, reloaded right after a key, compared,
exported: all say the same.

Bounded: the designs are small and are made by the page's own requests without being opened; five are looked at closely, and
the reloads are one for each delay.
"""

import re
import time
from typing import Any

import pytest

from designer.services.designs.saving import DRAFTS_KEPT
from tests.designer.browser.browsing import CHROMIUM
from tests.designer.browser.test_browser_session import sent, tab  # noqa: F401 (fixture)
from tests.thorough import THOROUGH

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.processes,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]
N_DESIGNS = DRAFTS_KEPT + 2
LOOKED_AT = (0, 1, 7, 20, N_DESIGNS - 1)
DELAYS_MS = (0, 10, 25, 60, 120, 200) if THOROUGH else (0, 10, 60, 200)
MOST_MS = 60_000
POST = """async ([address, fields, step, base]) => {
    const token = JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRFToken"];
    const body = new URLSearchParams({ step, base, fields: JSON.stringify(fields), was: "{}" });
    const answer = await fetch(address, { method: "POST", body, headers: { "X-CSRFToken": token, "Studio": "1" } });
    return [answer.status, answer.headers.get("Design-Opened")];
}"""

EDITED_AS_IT_IS_LEFT = """(size) => window.addEventListener("beforeunload", () => {
    const field = document.getElementById("id_size");
    field.value = size;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
})"""
SHOWN_S = 0.5  # that an answer of the server takes to be shown, at most


def posted(page, address, fields, step, base=""):
    status, opened_at = page.evaluate(POST, [address, fields, step, base])
    assert status in (200, 204), (address, status)
    return opened_at


def settled(page):
    """Until the result is of the state that the page shows."""
    page.wait_for_function(
        """() => document.getElementById("result") && document.getElementById("estimated-hash").value
            && document.getElementById("estimated-hash").value === document.getElementById("studio-bar").dataset.spec
            && !document.getElementById("result").inert""",
        timeout=MOST_MS,
    )


def strip(page):
    return {key: page.inner_text(f"[data-figure={key}] .figure-value") for key in ("gpus", "switches", "capex_usd")}


def row_of(page, path):
    """GPUs, switches and price of a design in the list."""
    row = page.locator(f"tr:has(a[href='{path}'])")
    heads = {"gpus": "GPUs", "switches": "Switches", "capex_usd": "Purchase, P50 (P5 to P95)"}
    return {
        key: row.locator(f"td[data-label='{head}']").inner_text().split("\n")[0].strip() for key, head in heads.items()
    }


def test_more_designs_than_drafts_are_kept_say_the_same_everywhere(tab):  # noqa: F811
    base = tab.url.split("/designs/")[0]
    paths, sizes = [], []
    for number in range(N_DESIGNS):
        first = {"size": str(64 + 8 * number), "name": f"Design {number}"}
        paths.append(posted(tab, "/designs/new/edits/", first, f"made.{number}.1"))
        posted(tab, f"{paths[-1]}settle/", {}, "")
        sizes.append(72 + 8 * number)
    for number, path in enumerate(
        paths
    ):  # edited after its estimate was asked for: what was saved first is not what it is
        posted(tab, f"{path}edits/", {"size": str(sizes[number])}, f"changed.{number}.1")
    tab.goto(f"{base}/designs/?sort=name")
    listed = {path: row_of(tab, path) for path in paths}
    assert [listed[path]["gpus"] for path in paths] == [f"{size:,}" for size in sizes]
    for number in LOOKED_AT:
        path = paths[number]
        tab.goto(f"{base}{path}")
        assert strip(tab) == listed[path]
        assert tab.input_value("#id_size") == str(sizes[number])
        settled(tab)
        assert strip(tab) == listed[path]
        digest = tab.get_attribute("#studio-bar", "data-spec")
        with tab.expect_download() as download:
            tab.locator("#bom a:text-is('CSV')").click()
        assert digest[:8] in download.value.suggested_filename
        reported = tab.evaluate("async (path) => (await (await fetch(path)).json())", f"/api/v1{path}")
        assert (reported["spec_hash"], reported["given"]["compute"]["gpus"]) == (digest, sizes[number])
    chosen = [paths[number].split("/")[2] for number in LOOKED_AT[:3]]
    tab.goto(f"{base}/comparisons/new/?" + "&".join(f"design={pk}" for pk in chosen))
    tab.click("main form button[type=submit]:has-text('Compare')")
    tab.wait_for_url(re.compile(r"/comparisons/[0-9a-f-]{36}/"), timeout=MOST_MS)
    words = tab.inner_text("main")
    assert all(f"{sizes[number]:,}" in words for number in LOOKED_AT[:3])


def test_a_reload_right_after_a_key_loses_nothing_and_disputes_nothing(tab):  # noqa: F811
    tab.fill("#id_size", "128")
    tab.locator("#id_size").blur()
    sent(tab)
    for number, delay_ms in enumerate(DELAYS_MS):
        tab.focus("#id_size")
        tab.keyboard.press("End")
        tab.keyboard.press("Backspace")
        tab.keyboard.type(str(number + 1))
        wanted = f"12{number + 1}"
        if delay_ms:
            tab.wait_for_timeout(delay_ms)
        tab.reload()
        tab.wait_for_function(
            "(value) => document.getElementById('id_size').value === value", arg=wanted, timeout=MOST_MS
        )
        sent(tab)
        tab.wait_for_function("() => document.getElementById('session-note').textContent.startsWith('Every change')")
        assert tab.locator("#session-conflict p").count() == 0, delay_ms
        gpus = 8 * -(-int(wanted) // 8)
        assert tab.inner_text("[data-figure=gpus] .figure-value") == str(gpus), delay_ms
    tab.reload()
    assert tab.input_value("#id_size") == wanted

    def made_before_the_edit(route: Any) -> None:
        while tab.context.request.get(f"{tab.url}state/?at={seen}").status == 204:
            time.sleep(0.02)
        time.sleep(SHOWN_S)
        route.fulfill(body=old, content_type="text/html; charset=utf-8")

    seen, old = tab.get_attribute("#studio-bar", "data-seen"), tab.context.request.get(tab.url).text()
    tab.evaluate(EDITED_AS_IT_IS_LEFT, "160")
    tab.route(tab.url, made_before_the_edit, times=1)
    tab.reload()
    assert tab.input_value("#id_size") == "160"
    tab.fill("#id_size", "168")
    tab.locator("#id_size").blur()
    sent(tab)
    tab.wait_for_function("() => document.getElementById('session-note').textContent.startsWith('Every change')")
    assert tab.locator("#session-conflict p").count() == 0
    assert tab.inner_text("[data-figure=gpus] .figure-value") == "168"
    assert tab.watched == []
