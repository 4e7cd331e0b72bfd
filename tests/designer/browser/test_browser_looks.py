"""Pages beside those of the version before, which its own app draws on the same machine (see ``looks``).

A page that looks otherwise on purpose is named in the commit's message, ``Looks-changed: tab-cost``. Every page in every
width and theme: ``python -m tests.designer.screens compare COMMIT``.
"""

import subprocess

import pytest

from tests.designer import looks, screens
from tests.designer.browser.browsing import CHROMIUM
from tests.designer.looks import MOST_APART, MOST_MOVED, unlikeness

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
    "tab-cabling",
    "invalid",
    "comparison",
    "quote",
    "price-book",
    "calibration",
    "published",
)
NARROW, WIDE = 390, 1440
LOOKS = [("light", WIDE), ("dark", NARROW)]


@pytest.fixture(scope="module")
def base():
    """The commit of the version before, where one is at hand and draws otherwise."""
    try:
        base = looks.base_commit()
        same = looks.draws_the_same(base)
    except looks.NoBase as error:
        pytest.skip(f"no version to compare with: {error}")
    if same:
        pytest.skip(f"nothing that pages are made of has changed since {base[:10]}")
    return base


@pytest.fixture(scope="module")
def gallery_before(base, browser, gallery, tmp_path_factory):
    filled = gallery if looks.fills_the_same(base) else None
    with screens.gallery_of(looks.version_at(base, tmp_path_factory.mktemp("before")), browser, filled) as before:
        yield before


@pytest.fixture(scope="module", params=LOOKS, ids=lambda look: f"{look[0]}-{look[1]}")
def look(request, gallery_before, gallery):
    """Everybody's page in one theme and width: of the version before, and of this one."""
    with gallery_before.look(*request.param) as before, gallery.look(*request.param) as now:
        yield before, now


@pytest.mark.parametrize("name", NAMES)
def test_a_page_looks_as_in_the_version_before(name, look, base, gallery_before, gallery, tmp_path):
    if name in looks.meant_to_change(base):
        pytest.skip("a commit since says that this page looks otherwise on purpose")
    before, now = look
    pair = [screens.picture(one.open(name, pages)) for one, pages in ((gallery_before, before), (gallery, now))]
    found = unlikeness(*pair)
    screens.beside(*pair).save(tmp_path / f"{name}.png")
    assert found.is_small, (
        f"not as at {base[:10]}: {found}. Both are beside each other in {tmp_path / name}.png; "
        f"if this is right, say so in the commit's message: {looks.TRAILER}: {name}"
    )


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository with a page, committed on main."""
    monkeypatch.setattr(looks, "BASE_DIR", tmp_path)
    monkeypatch.delenv("LOOKS_BASE", raising=False)
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-C", str(tmp_path)]

    def run(*arguments):
        subprocess.run([*git, *arguments], check=True, capture_output=True)

    def commit(text, message):
        (tmp_path / "templates" / "page.html").write_text(text)
        run("add", "-A")
        run("commit", "-m", message)

    (tmp_path / "templates").mkdir()
    run("init", "-b", "main")
    commit("one", "first")
    return run, commit


def test_the_base_is_where_a_branch_left_main_and_on_main_the_commit_before(repository, tmp_path):
    run, commit = repository
    first = looks.commit_of("HEAD")
    (tmp_path / "templates" / "page.html").write_text("edited")
    assert looks.base_commit() == first
    assert not looks.draws_the_same(first)
    assert looks.fills_the_same(first), "a page is no part of what an account holds"
    commit("two", "second")
    assert looks.base_commit() == first
    run("switch", "-c", "work")
    second = looks.commit_of("HEAD")
    commit("three", "third\n\nLooks-changed: home, tab-cost")
    commit("four", "fourth\n\nLooks-changed: quote")
    assert looks.base_commit() == second
    assert looks.meant_to_change(second) == {"home", "tab-cost", "quote"}
    (tmp_path / "before").mkdir()
    assert (looks.version_at(first, tmp_path / "before") / "templates" / "page.html").read_text() == "one"
    commit("two", "fifth")
    assert looks.draws_the_same(second)


def test_without_a_repository_the_reason_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(looks, "BASE_DIR", tmp_path)
    with pytest.raises(looks.NoBase, match="not a git repository"):
        looks.base_commit()


# ---------------------------------------------------------------- the comparison itself


@pytest.fixture(params=[NARROW, WIDE])
def home(request, gallery):
    """Pages of a width, and a picture of the list of designs."""
    with gallery.look("light", request.param) as pages:
        yield pages, screens.picture(gallery.open("home", pages))


def test_a_page_is_like_itself_by_a_wide_margin(home, gallery):
    pages, shot = home
    found = unlikeness(screens.picture(gallery.open("home", pages)), shot)
    assert found.apart < MOST_APART / 2
    assert found.moved < MOST_MOVED / 2


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
