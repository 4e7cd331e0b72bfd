"""Pictures of every page, both themes, three widths: taken for the documents.

``python -m tests.designer.screens`` starts the app, takes them all and writes them to ``designer/docs/screens/``.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Literal

from PIL import Image

FOLDER = Path(__file__).parents[2] / "designer" / "docs" / "screens"
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
WIDTHS = {390: 844, 1440: 900, 2560: 1440}
TABS = ("overview", "cost", "performance", "fabric", "cabling", "racks", "findings", "handoff")
PAGES = {
    "home": "/designs/", "new": "/designs/new/", "start": "/start/", "published": "/published/", "advice": "/advice/",
    "help": "/help/", "glossary": "/glossary/", "validation": "/validation/", "comparisons": "/comparisons/",
    "comparison-new": "/comparisons/new/", "prices": "/prices/", "anchors": "/prices/catalog/anchors/",
    "quotes": "/quotes/", "quote-new": "/quotes/new/", "calibrations": "/calibrations/",
    "calibration-new": "/calibrations/new/", "not-found": "/no-such-page/", **{f"tab-{tab}": f"?tab={tab}" for tab in TABS},
}  # fmt: skip
KEPT_WIDTH = 960  # of a picture in the documents; narrower ones stay as they are
QUALITY = 62


def address_of(name: str, first: str) -> str:
    """The full address of a page; ``first`` is that of a finished design."""
    path, design = PAGES[name], first.split("?")[0]
    return design + path if path.startswith("?") else design.split("/designs/")[0] + path


def file_of(name: str, theme: str, width: int) -> Path:
    """Where the picture of a page is kept."""
    return FOLDER / f"{name}-{width}-{theme}.webp"


def picture(page: Any) -> Image.Image:
    """What the window shows now."""
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def keep(shot: Image.Image, file: Path) -> None:
    """Write a picture, as small as its words stay readable."""
    if shot.width > KEPT_WIDTH:
        shot = shot.resize((KEPT_WIDTH, shot.height * KEPT_WIDTH // shot.width), Image.Resampling.LANCZOS)
    file.parent.mkdir(parents=True, exist_ok=True)
    shot.save(file, "WEBP", quality=QUALITY, method=6)


def main() -> None:
    """Take every picture anew."""
    from playwright.sync_api import sync_playwright

    from tests.designer.test_browser import ARGUMENTS, CHROMIUM
    from tests.processes import prepare, running_app

    var = Path(tempfile.mkdtemp())
    with running_app(prepare(var)) as app, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        context = browser.new_context()
        page = context.new_page()
        page.goto(app.sign_in_url)
        page.wait_for_selector("#bom", timeout=60_000)
        first, state = page.url, context.storage_state()
        for theme in THEMES:
            for width, height in WIDTHS.items():
                context = browser.new_context(storage_state=state, color_scheme=theme, reduced_motion="reduce",
                                              viewport={"width": width, "height": height})  # fmt: skip
                page = context.new_page()
                for name in PAGES:
                    page.goto(address_of(name, first))
                    page.wait_for_load_state("networkidle")
                    keep(picture(page), file_of(name, theme, width))
                    sys.stdout.write(f"{file_of(name, theme, width).name}\n")
                context.close()
    shutil.rmtree(var, ignore_errors=True)


if __name__ == "__main__":
    main()
