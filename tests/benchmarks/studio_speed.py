"""From a key press to painted figures, in Chromium against a running app.

    python tests/benchmarks/studio_speed.py http://127.0.0.1:8000/sign-in/…/ [--keys 40]

The clock starts in the page when an input event arrives, and stops in the frame after the strip of figures has changed.
"""

import argparse
import shutil
import statistics

from playwright.sync_api import Page, sync_playwright

ARGUMENTS = ["--no-sandbox", "--disable-gpu"]
SIZES = {"1,024 GPUs": ("dgx-h100", "ndr", 1_024), "131,072 GPUs": ("dgx-b300", "roce-400", 131_072)}
CLOCK = """
window.times = [];
let start = null, shown = "";
const figures = () => [...document.querySelectorAll("#summary .figure-value")].map((one) => one.textContent).join();
addEventListener("input", (event) => {
  if (event.target.closest?.("#design-form")) [start, shown] = [performance.now(), figures()];
}, true);
new MutationObserver(() => {
  if (start === null || figures() === shown) return; // a note that the edit is being saved is no figure
  const began = start; start = null;
  requestAnimationFrame(() => setTimeout(() => window.times.push(performance.now() - began)));
}).observe(document, { subtree: true, childList: true, characterData: true });
"""


def measured(page: Page, keys: int, gpus: int) -> list[float]:
    """Times of single keys: the last digit of the size goes up and down, with rests between."""
    page.evaluate("window.times.length = 0")
    unit = 8
    for n in range(keys):
        before = page.evaluate("window.times.length")
        page.evaluate(
            """(value) => { const field = document.getElementById('id_size'); field.focus(); field.value = value;
            field.dispatchEvent(new Event('input', { bubbles: true })); }""",
            str(gpus - unit * (n % 2 + 1)),
        )
        page.wait_for_function("(n) => window.times.length > n", arg=before, timeout=20_000)
        page.wait_for_timeout(350)
    return [float(time) for time in page.evaluate("window.times")]


def reported(times: list[float]) -> str:
    """Least, median and the 95th of a hundred."""
    ranked = sorted(times)
    return (
        f"least {ranked[0]:.0f} ms, median {statistics.median(ranked):.0f} ms, "
        f"p95 {ranked[round(0.95 * (len(ranked) - 1))]:.0f} ms of {len(ranked)}"
    )


def main() -> None:
    """Sign in, and measure each size in turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sign_in")
    parser.add_argument("--keys", type=int, default=40)
    parser.add_argument("--chromium", default=shutil.which("chromium-headless-shell") or shutil.which("chromium"))
    asked = parser.parse_args()
    site = "/".join(asked.sign_in.split("/")[:3])
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=asked.chromium, args=ARGUMENTS)
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        page = context.new_page()
        page.goto(asked.sign_in)
        state = context.storage_state()
        context.close()
        for name, (server, generation, gpus) in SIZES.items():
            context = browser.new_context(storage_state=state, viewport={"width": 1440, "height": 900})
            page = context.new_page()
            page.add_init_script(CLOCK)
            page.goto(f"{site}/designs/new/")
            page.select_option("#id_compute__server", server)
            page.select_option("#id_fabric__generation", generation)
            if gpus > 65_536:
                page.fill("#id_fabric__planes", "2")
            page.select_option("#id_size_unit", "gpus")
            page.fill("#id_size", str(gpus))
            page.wait_for_selector(f"[data-figure=gpus] .figure-value:text-is('{gpus:,}')", timeout=30_000)
            page.wait_for_timeout(2_000)
            print(name, reported(measured(page, asked.keys, gpus)))
            context.close()
        browser.close()


if __name__ == "__main__":
    main()
