"""Pictures of every page, both themes, three widths: of the pages as they are, and beside those of a version before.

``python -m tests.designer.screens take FOLDER`` starts the app, fills an account, takes them all and writes them to the
folder; ``python -m tests.designer.screens compare BASE`` does it with this version and with that of a commit, names every
page that looks otherwise, and writes both pictures of it beside each other. Names behind either, such as ``tab-cost tour``,
take those alone. Nothing is committed: a version's own app draws its pages, in the fonts of this machine.
"""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import urllib.request
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from string import Formatter
from typing import Any, Literal, NamedTuple

from PIL import Image

from designer.pages.start.tour import TOUR_COOKIE, TOUR_DONE
from tests.designer.looks import unlikeness, version_at
from tests.processes import BASE_DIR, AppAt, clean_environment, copy_chart_library

THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
WIDTHS = {390: 844, 1440: 900, 2560: 1440}
TABS = ("overview", "cost", "performance", "workloads", "fabric", "cabling", "racks", "bringup", "findings", "handoff")
KEPT_WIDTH = 960  # of a picture that is kept; narrower ones stay as they are
QUALITY = 40
# What a version's own code does, in one process: tables, static files, the account if it is to be filled, and pages. It does
# its estimates itself, when they are asked for: web, worker and broker would take most of what a picture costs.
SERVE = """
import json, os, sys
from pathlib import Path
import django
django.setup()
from django.core.management import call_command
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from designer.config.celery import app
from designer.runtime.set_up import ensure_charts
from tests.designer.showcase import make
app.conf.task_always_eager = True
ensure_charts(Path(os.environ["DESIGNER_VAR"]))
call_command("migrate", verbosity=0)
call_command("collectstatic", interactive=False, verbosity=0)
addresses = make() if sys.argv[1] == "fill" else None
from designer.config.wsgi import application
server = ThreadedWSGIServer(("127.0.0.1", 0), WSGIRequestHandler)
server.set_app(application)
print(json.dumps([server.server_port, addresses]), flush=True)
server.serve_forever()
"""


class Shot(NamedTuple):
    """One page to look at: its address, whose it is, and what is done there before one looks."""

    path: str  # names in braces are those of ``showcase.make``
    at: str = ""  # what is scrolled to the top of the window
    click: str = ""
    who: str = "owner"  # or "newcomer", who has nothing; "visitor", by a link to read; "stranger", who is not signed in
    status: int = 200


PAGES = {
    "sign-in": Shot("/sign-in/", who="stranger"),
    "sign-in-spent": Shot("/sign-in/used-already/", who="stranger", status=403),
    "start": Shot("/start/"), "published": Shot("/published/"), "slips": Shot("/published/", at="#slips"),
    "workload": Shot("/start/workloads/llama-3-405b/"), "import": Shot("/import/"), "advice": Shot("/advice/"),
    "help": Shot("/help/"), "glossary": Shot("/glossary/"), "document": Shot("/docs/model/"),
    "validation": Shot("/validation/"), "validation-workloads": Shot("/validation/workloads/"),
    "catalog": Shot("/catalog/"), "catalog-part": Shot("/catalog/nvidia-sn6600-ld/"),
    "find": Shot("/find/?q=leaf"), "palette": Shot("/designs/", click="[data-palette]"),
    "home": Shot("/designs/"), "home-empty": Shot("/designs/", who="newcomer"),
    "new": Shot("/designs/new/"), "tour": Shot("/designs/new/?sample=superpod-h100&tour=1", click="[data-tour-next]"),
    "design": Shot("{hall}"), **{f"tab-{tab}": Shot(f"{{hall}}?tab={tab}", at="#result") for tab in TABS},
    "bill": Shot("{hall}#bom", at="#bom"),
    "constants": Shot(
        "{hall}#assumptions",
        at="#assumptions details:nth-of-type(2)",
        click="#assumptions details:nth-of-type(2) > summary",
    ),
    "other-networks": Shot("{hall}?tab=bringup", at="#other-networks"),
    "what-if": Shot("{hall}?tab=cost", at="#what-if"), "cost-years": Shot("{hall}?tab=cost#cost-when", at="#cost-when"),
    "cost-risk": Shot("{hall}?tab=cost#cost-risk", at="#cost-risk"),
    "performance-charts": Shot("{hall}?tab=performance", at="#by-count"),
    "workloads-layouts": Shot("{hall}?tab=workloads", at="#layouts"),
    "workloads-serving": Shot("{hall}?tab=workloads", at="#serving-form"),
    "workloads-placements": Shot("{hall}?tab=workloads", at="#placements"),
    "workloads-links": Shot("{hall}?tab=workloads", at="#links-of-a-gpu"),
    "workloads-own-model": Shot("{hall}?tab=workloads", at="#own-model", click="#own-model > summary"),
    "workloads-pools": Shot("{hall}?tab=workloads&beside=pools", at="#pools"),
    "workloads-servers": Shot("{hall}?tab=workloads&beside=servers", at="#servers"),
    "workloads-launch": Shot("{hall}?tab=workloads", at="#placement-form"),
    "acceptance": Shot("{hall}?tab=bringup", click="#acceptance a.button"),
    "settings": Shot("{roce}?tab=bringup", click="#settings-files li:nth-child(2) a.button"),
    "settings-plan": Shot("{roce}?tab=bringup", at="#plan"),
    "settings-choices": Shot("{roce}?tab=bringup&addressing=rail&data_class=trimming&weeks=3", at="#choices"),
    "settings-file": Shot("{roce}?tab=bringup", click="#environment a.button"),
    "settings-check": Shot("{roce}?tab=bringup", click="#settings-there a.button"),
    "settings-changes": Shot("{roce}settings/changes/"),
    "checklist": Shot("{hall}checklist/"), "checklist-cabling": Shot("{hall}checklist/?crew=cabling"),
    "schedule": Shot("{hall}?tab=cabling&view=schedule", at="#result"),
    "floor": Shot("{hall}?tab=racks", at="#floor"), "elevations": Shot("{hall}?tab=racks", at="#racks"),
    "failures": Shot("{hall}?tab=findings", at="#failures"),
    "fabric-unit": Shot("{hall}?tab=fabric&at=unit-2", at="#fabric"),
    "fabric-switch": Shot("{hall}?tab=fabric&at=leaf-r3-002", at="#fabric"),
    "fabric-node": Shot("{hall}?tab=fabric&at=node-0033", at="#fabric"),
    "fabric-failure": Shot("{hall}?tab=fabric&colour=failure&down=spine-003,leaf-r1-001", at="#fabric"),
    "version": Shot("{hall}revisions/3/"), "baseline-panel": Shot("{hall}", click="a[data-panel]:has-text('Baseline')"),
    "revisions": Shot("{hall}revisions/"), "revisions-panel": Shot("{hall}", click="a[data-panel]:has-text('Versions')"),
    "comments": Shot("{hall}comments/"),
    "account": Shot("/account/"), "share": Shot("{hall}share/"), "delete": Shot("{hall}delete/"),
    "large": Shot("{large}"), "large-fabric": Shot("{large}?tab=fabric", at="#fabric"),
    "long-name": Shot("{long}"), "crew-pack": Shot("{hall}?tab=cabling", at="#crew-pack"), "phases": Shot("{long}", at="#phases"),
    "invalid": Shot("{invalid}", at="#id_fabric__tiers"), "shared": Shot("{hall}", who="visitor"),
    "shared-copy": Shot("{hall}copy/", who="visitor"),
    "explore": Shot("/explore/"), "explore-design": Shot("{better}"),
    "explore-table": Shot("/explore/", at="#found"), "explore-sweep": Shot("/explore/sweep/"),
    "explore-searching": Shot("{searching}"), "explore-searched": Shot("{searched}"),
    "comparisons": Shot("/comparisons/"), "comparisons-empty": Shot("/comparisons/", who="newcomer"),
    "comparison-new": Shot("/comparisons/new/"), "comparison": Shot("{comparison}"),
    "board-pack": Shot("{comparison}board-pack/"), "comparison-lines": Shot("{comparison}#lines", at="#lines"),
    "comparison-workloads": Shot("{comparison}?train_model=llama3-8b&serve_model=llama3-70b", at="#workloads"),
    "parts": Shot("/parts/"), "part-new": Shot("/parts/new/servers/"),
    "prices": Shot("/prices/"), "prices-empty": Shot("/prices/", who="newcomer"), "anchors": Shot("/prices/catalog/anchors/"),
    "price-book": Shot("{book}"), "price-history": Shot("{book}history/"), "price-import": Shot("{book}import/"),
    "quotes": Shot("/quotes/"), "quotes-empty": Shot("/quotes/", who="newcomer"), "quote-new": Shot("/quotes/new/"),
    "quote": Shot("{quote}"), "quote-lines": Shot("{quote}", at="#lines"), "quote-columns": Shot("{unread}columns/"),
    "calibrations": Shot("/calibrations/"), "calibrations-empty": Shot("/calibrations/", who="newcomer"),
    "calibration-new": Shot("/calibrations/new/"), "calibration": Shot("{calibration}"),
    "calibration-curves": Shot("{calibration}", at="#curves"),
    "not-found": Shot("/no-such-page/", status=404), "forbidden": Shot("{hall}revisions/", who="visitor", status=403),
    "link-ended": Shot("/shared/withdrawn/", who="stranger", status=404),
}  # fmt: skip
# one of each state that a page has: the others show more of it, scrolled down, and are pictured in one width alone
STATES = list(
    {(shot.path.partition("#")[0], shot.click, shot.who): name for name, shot in reversed(PAGES.items())}.values()
)[::-1]
USUAL_WIDTH = 1440
NAVIGATION_MS = 90_000  # that a page may take to come: a busy machine is no fault of the code
IS_DRAWN = """() => {
  const isSeen = (box) => box.height && box.bottom >= 0 && box.top <= innerHeight;
  const waiting = [...document.querySelectorAll("[data-chart]:not([data-drawn])")];
  return !document.querySelector(".htmx-request") && !waiting.some((chart) => isSeen(chart.getBoundingClientRect()));
}"""


class Filled(NamedTuple):
    """What leads to the pages of a filled account."""

    addresses: dict[str, str]  # by the names that paths of shots have in braces
    states: dict[str, Any]  # cookies of those who look, as a browser's context takes them


def signed_in(url: str, addresses: dict[str, str]) -> Filled:
    """Addresses of a filled account, and everybody signed in."""
    states = {who: _cookies(who, url, addresses) for who in ("owner", "newcomer", "visitor")}
    return Filled(addresses, states | {"stranger": None})


def _cookies(who: str, url: str, addresses: dict[str, str]) -> dict[str, Any]:
    """Of somebody who came by their link; who has designs of their own has also skipped the tour."""
    jar = CookieJar()
    urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar)).open(url + addresses[who]).read()
    values = {cookie.name: cookie.value for cookie in jar}
    if who != "visitor":
        values[TOUR_COOKIE] = TOUR_DONE
    here = {"domain": "127.0.0.1", "path": "/", "expires": -1, "httpOnly": True, "secure": False, "sameSite": "Lax"}
    return {"cookies": [{"name": name, "value": value, **here} for name, value in values.items()], "origins": []}


class Gallery:
    """A running app with a filled account, and the cookies of those who look at it."""

    def __init__(self, app: AppAt, browser: Any, filled: Filled) -> None:
        self.app = app
        self.browser = browser
        self.filled = filled

    @contextmanager
    def look(self, theme: str, width: int) -> Iterator[dict[str, Any]]:
        """Whoever there is → their page, in one theme and width."""
        size = {"width": width, "height": WIDTHS[width]}
        contexts = {
            who: self.browser.new_context(
                storage_state=state, color_scheme=theme, viewport=size, reduced_motion="reduce"
            )
            for who, state in self.filled.states.items()
        }
        for context in contexts.values():
            context.set_default_navigation_timeout(NAVIGATION_MS)
        yield {who: context.new_page() for who, context in contexts.items()}
        for context in contexts.values():
            context.close()

    def has(self, name: str) -> bool:
        """Whether this version fills its account with what the page shows."""
        return all(word in self.filled.addresses for _, word, _, _ in Formatter().parse(PAGES[name].path) if word)

    def open(self, name: str, pages: dict[str, Any]) -> Any:
        """The page of a name, with what was asked for done, and drawn."""
        shot = PAGES[name]
        page = pages[shot.who]
        # An address that differs from the page before by its #part alone is not loaded again by itself.
        answer = page.goto(self.app.url + shot.path.format(**self.filled.addresses)) or page.reload()
        assert answer.status == shot.status, f"{name}: {answer.status}"
        if shot.click:
            page.click(shot.click)
        if shot.at:
            page.locator(shot.at).evaluate("(part) => part.scrollIntoView()")
        page.wait_for_function(IS_DRAWN)
        return page


def file_of(folder: Path, name: str, theme: str, width: int) -> Path:
    """Where the picture of a page is kept."""
    return folder / f"{name}-{width}-{theme}.webp"


def picture(page: Any) -> Image.Image:
    """What the window shows now."""
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def keep(shot: Image.Image, file: Path) -> None:
    """Write a picture, as small as its words stay readable."""
    if shot.width > KEPT_WIDTH:
        shot = shot.resize((KEPT_WIDTH, shot.height * KEPT_WIDTH // shot.width), Image.Resampling.LANCZOS)
    file.parent.mkdir(parents=True, exist_ok=True)
    shot.save(file, "WEBP", quality=QUALITY, method=6)


def looks_of(names: list[str]) -> Iterator[tuple[str, int, list[str]]]:
    """Theme, width and the pages to look at in them."""
    for theme in THEMES:
        for width in WIDTHS:
            yield theme, width, names if width == USUAL_WIDTH else [name for name in names if name in STATES]


@contextmanager
def gallery_of(base_dir: Path, browser: Any, like: Gallery | None = None) -> Iterator[Gallery]:
    """The filled account of the version that a folder holds, drawn by it; or a copy of another's, where there is one."""
    with tempfile.TemporaryDirectory() as folder:
        var = Path(folder)
        copy_chart_library(var)
        if like is not None:  # with whoever is signed in there
            copy_account(like.app.var, var)
        with served(base_dir, var, "as it is" if like is not None else "fill") as (url, addresses):
            yield Gallery(AppAt(url, var), browser, like.filled if like else signed_in(url, addresses))


@contextmanager
def served(base_dir: Path, var: Path, what: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The pages of the version that a folder holds, and the addresses in the account that it has filled."""
    with (var / "serving.log").open("w+") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", SERVE, what],
            cwd=base_dir,
            env=clean_environment(var, DJANGO_SETTINGS_MODULE="designer.config.settings"),
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, (var / "serving.log").read_text()
            port, addresses = json.loads(line)
            yield f"http://127.0.0.1:{port}", addresses
        finally:
            process.terminate()
            process.wait(timeout=30)


def copy_account(source: Path, target: Path) -> None:
    """What a running app has in its database, and the key that it signs cookies with, to a state folder of another."""
    with (
        closing(sqlite3.connect(source / "db.sqlite3")) as filled,
        closing(sqlite3.connect(target / "db.sqlite3")) as new,
    ):
        filled.backup(new)
    shutil.copy2(source / "secret-key", target / "secret-key")


def take(folder: Path, names: list[str], browser: Any) -> None:
    """Take pictures of pages and write them to a folder."""
    with gallery_of(BASE_DIR, browser) as gallery:
        for theme, width, shown in looks_of(names):
            with gallery.look(theme, width) as pages:
                for name in shown:
                    keep(picture(gallery.open(name, pages)), file := file_of(folder, name, theme, width))
                    say(file.name)


def compare(base: str, names: list[str], browser: Any) -> int:
    """How many looks are otherwise than at the commit; both pictures of each go beside each other into a folder."""
    folder = Path(tempfile.mkdtemp(prefix="clusterwright-looks-"))
    n_unlike = 0
    with (
        tempfile.TemporaryDirectory() as tree,
        gallery_of(BASE_DIR, browser) as now,
        gallery_of(version_at(base, Path(tree)), browser) as before,
    ):
        for theme, width, shown in looks_of(names):
            with now.look(theme, width) as pages, before.look(theme, width) as pages_before:
                for name in shown:
                    if not before.has(name):
                        say(f"{name}: there was no such page")
                        continue
                    pair = [picture(one.open(name, of)) for one, of in ((before, pages_before), (now, pages))]
                    found = unlikeness(*pair)
                    if not found.is_small:
                        n_unlike += 1
                        keep(beside(*pair), file := file_of(folder, name, theme, width))
                        say(f"{file}: {found}")
    say(f"{n_unlike} looks are otherwise than at {base}.")
    return n_unlike


def beside(one: Image.Image, other: Image.Image) -> Image.Image:
    both = Image.new("RGB", (one.width + other.width, max(one.height, other.height)))
    both.paste(one, (0, 0))
    both.paste(other, (one.width, 0))
    return both


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def main(arguments: list[str]) -> int:
    from playwright.sync_api import sync_playwright

    from tests.designer.browser.browsing import ARGUMENTS, CHROMIUM

    asked = _parser().parse_args(arguments)
    names: list[str] = asked.pages or list(PAGES)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        if asked.verb == "compare":
            return 1 if compare(asked.base, names, browser) else 0
        take(asked.folder, names, browser)
    return 0


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="python -m tests.designer.screens", description="Pictures of pages, to look at them.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    taking = verbs.add_parser("take", help="take pictures of the pages as they are")
    taking.add_argument("folder", type=Path, help="where the pictures go")
    comparing = verbs.add_parser("compare", help="name the pages that look otherwise than at a commit")
    comparing.add_argument("base", metavar="commit", help="the version to compare with")
    for one in (taking, comparing):
        names = f"these alone, in place of all: {' '.join(PAGES)}"
        one.add_argument("pages", nargs="*", type=_page, metavar="page", help=names)
    return parser


def _page(name: str) -> str:
    if name not in PAGES:
        raise ArgumentTypeError(f"there is no page {name}")
    return name


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
