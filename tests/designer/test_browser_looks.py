"""Pages against the pictures kept of them, compared loosely: the layout and the colours of a page, not its letters.

Both pictures become a grid of grey cells, 32 across. Measured on ten pages when the limits were chosen: the same page taken
again differs by 0.9 of 255 on average and moves no cell; in another sans serif, at 1440 px, by up to 4.9 and 6 % of the
cells; another page by 4.8 and 8 % at least (the tabs of one design, which share form and head), a page without its styles
by 9.4 and 17 %, the other theme by 185 and 99 %.
"""

from typing import NamedTuple

import numpy as np
import pytest
from PIL import Image

from tests.designer import screens
from tests.designer.browsing import CHROMIUM
from tests.designer.screens import THEMES

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.processes,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]
NAMES = (
    "home",
    "start",
    "design",
    "tab-cost",
    "tab-fabric",
    "invalid",
    "comparison",
    "quote",
    "calibration",
    "published",
)
NARROW, WIDE = 390, 1440
COLUMNS = 32
MOVED = 16  # of 255: a cell that differs by more holds something else
MOST_APART, MOST_MOVED = 6.0, 0.07
FONT = "DejaVu Sans"  # that of the kept pictures; on a narrow page lines of another break elsewhere
IS_SET_IN = """(font) => { const pen = document.createElement("canvas").getContext("2d");
  const width = (family) => { pen.font = `16px ${family}`; return pen.measureText("Oversubscription 3:1").width; };
  return width(getComputedStyle(document.body).fontFamily) === width(`"${font}", monospace`); }"""


class Unlikeness(NamedTuple):
    """How far two pictures are apart."""

    apart: float  # mean difference of the cells, of 255
    moved: float  # share of the cells that hold something else

    @property
    def is_small(self) -> bool:
        return self.apart <= MOST_APART and self.moved <= MOST_MOVED


def cells(shot):
    """A picture as a grid of grey cells, about square."""
    rows = round(COLUMNS * shot.height / shot.width)
    return np.asarray(shot.convert("L").resize((COLUMNS, rows), Image.Resampling.BOX), dtype=float)


def unlikeness(one, other):
    apart = np.abs(cells(one) - cells(other))
    return Unlikeness(float(apart.mean()), float((apart > MOVED).mean()))


LOOKS = [(theme, width) for theme in THEMES for width in (NARROW, WIDE)]


@pytest.fixture(scope="module", params=LOOKS, ids=lambda look: f"{look[0]}-{look[1]}")
def look(request, gallery):
    with gallery.look(*request.param) as pages:
        yield pages, *request.param


@pytest.mark.parametrize("name", NAMES)
def test_a_page_looks_as_in_its_picture(name, look, gallery):
    pages, theme, width = look
    page = gallery.open(name, pages)
    if width == NARROW and not page.evaluate(IS_SET_IN, FONT):
        pytest.skip(f"the pictures are set in {FONT}, and pages are in another font here")
    again = f"python -m tests.designer.screens {name}"
    file = screens.file_of(name, theme, width)
    assert file.exists(), f"there is no picture of this page; take it with: {again}"
    with Image.open(file) as kept:
        found = unlikeness(screens.picture(page), kept)
    assert found.is_small, (
        f"not as in {file.name}: {found}. Look at the page; if it is right, take it anew with: {again}"
    )


# ---------------------------------------------------------------- the comparison itself


def kept(page, path, monkeypatch):
    """What the window shows, as the album would hold it."""
    monkeypatch.setattr(screens, "FOLDER", path)
    screens.keep(screens.picture(page), file := screens.file_of("it", "light", page.viewport_size["width"]))
    with Image.open(file) as shot:
        return shot.copy()


@pytest.fixture(params=[NARROW, WIDE])
def home(request, gallery, tmp_path, monkeypatch):
    """Pages of a width, and a picture of the list of designs."""
    with gallery.look("light", request.param) as pages:
        yield pages, kept(gallery.open("home", pages), tmp_path, monkeypatch)


def test_a_page_is_like_itself_by_a_wide_margin(home, gallery):
    pages, shot = home
    found = unlikeness(screens.picture(gallery.open("home", pages)), shot)
    assert found.apart < MOST_APART / 3
    assert found.moved < MOST_MOVED / 3


def test_a_page_is_unlike_itself_in_the_other_theme(home):
    pages, shot = home
    pages["owner"].emulate_media(color_scheme="dark", reduced_motion="reduce")
    assert not unlikeness(screens.picture(pages["owner"]), shot).is_small


@pytest.mark.parametrize("name", ["design", "comparison", "prices", "quotes"])
def test_a_page_is_unlike_others(name, home, gallery):
    pages, shot = home
    assert not unlikeness(screens.picture(gallery.open(name, pages)), shot).is_small


def test_a_page_is_unlike_itself_without_its_styles(home, gallery):
    pages, shot = home
    pages["owner"].route("**/*.css", lambda route: route.abort())
    assert not unlikeness(screens.picture(gallery.open("home", pages)), shot).is_small
