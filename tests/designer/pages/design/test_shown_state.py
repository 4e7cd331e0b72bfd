"""A page shows one state, and whatever can be followed from it leads to that state: on versions, shared pages, comparisons."""

import html
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qs

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.models import Comparison, Design, ShareLink
from designer.pages.result.tabs import KEYS
from designer.services.baselines import mark
from designer.services.designs.saving import save_design, save_version
from designer.services.sharing import issue
from designer.wording.numbers import usd
from estimator.catalog.loader import load_catalog
from estimator.jobs.models import EstimateJob
from estimator.spec.change import apply_change
from estimator.spec.parse import parse_spec
from tests.designer.finished_design import finished

BID: dict[str, Any] = {
    "name": "Bid",
    "compute": {"server": "dgx-h100", "gpus": 256},
    "fabric": {"generation": "ndr"},
    "other_fabrics": [{"role": "storage", "generation": "ndr", "extra_endpoints": 4}],
    "site": {"plan": {}},
}
OPEN = ("spec", "checklist", "design-copy")  # pages of the design that a visitor may open
QUERIES = [
    *({"tab": tab} for tab in KEYS),
    {"tab": "cabling", "view": "device", "device": "leaf-001"},
    {"tab": "fabric", "colour": "failure", "down": "leaf-001"},
    {"tab": "fabric", "at": "leaf-001"},
    {"tab": "cost", "electricity": "0.2"},
    {"tab": "performance", "collective": "alltoall"},
]

FORMS = ("/cost/what-if/", "/own-model/")  # these name their version in a field

pytestmark = pytest.mark.django_db


def addresses_of(text: str) -> list[str]:
    """Every address of a page or fragment that a click, a form, a picture or a script follows."""
    return [html.unescape(one) for one in re.findall(r'(?:href|action|hx-get|hx-post|data-fragment)="([^"#]+)', text)]


@pytest.fixture
def moved(owner: User) -> tuple[Design, EstimateJob]:
    """A design whose first version has an estimate, and which says something else now."""
    design, job = finished(owner, BID)
    save_version(design, name="As bid")
    save_design(owner, parse_spec(apply_change(BID, {"compute.gpus": 128}), load_catalog()), design)
    return design, job


def strays(design: Design, job: EstimateJob, text: str, page: str, tools: list[str]) -> list[str]:
    """Addresses of a design that lead away from a page: neither its own, nor files or fragments of its estimate."""
    own = reverse("design", args=[design.pk])
    fragments = f"{own}estimates/{job.pk}/"
    found = []
    for address in addresses_of(text):
        path, _, query = address.partition("?")
        is_fragment = path.startswith(fragments) or path == reverse("advice-panel", args=[design.pk])
        is_file = path.endswith((".svg", ".csv", ".xlsx", ".pdf", *FORMS))
        answers_here = page == own or is_file or "version=1" in query or (path.endswith("/tabs/") and not query)
        leads_away = not (is_fragment and answers_here) and path != page and path not in tools
        if address.startswith(own) and leads_away:
            found.append(address)
        if str(design.pk) in query:  # pages of their own that take the design as it is now
            found.append(address)
    return found


def test_nothing_on_the_page_of_a_version_leads_to_another_state(page: Client, moved: Any) -> None:
    design, job = moved
    address = reverse("version", args=[design.pk, 1])
    tools = [reverse(name, args=[design.pk, 1]) for name in ("revision-restore", "version-compare")]
    back = f'<a class="quiet-button" href="{reverse("design", args=[design.pk])}">Back to the design</a>'
    for query in QUERIES:
        whole = page.get(address, query).content.decode()
        assert back in whole
        assert strays(design, job, whole.replace(back, ""), address, tools) == [], query
        fragment = page.get(reverse("estimate-tab", args=[design.pk, job.pk]), query | {"version": "1"})
        assert strays(design, job, fragment.content.decode(), address, tools) == [], query
        assert fragment["HX-Push-Url"].startswith(address)


def test_fragments_of_a_versions_page_are_of_that_version(page: Client, moved: Any) -> None:
    design, job = moved
    address, asked = reverse("version", args=[design.pk, 1]), {"version": "1"}
    bill = page.get(reverse("estimate-bom", args=[design.pk, job.pk]), asked | {"sort": "quantity"}).content.decode()
    assert strays(design, job, bill, address, []) == []
    cost = page.post(reverse("cost-what-if", args=[design.pk, job.pk]), asked | {"years": "5"}).content.decode()
    assert "Apply to the design" not in cost
    compare = page.get(reverse("links-compare", args=[design.pk, job.pk]), asked).content.decode()
    assert f'href="{address}?tab=handoff' in compare
    assert '<input type="hidden" name="version" value="1">' in compare
    panel = reverse("advice-panel", args=[design.pk])
    of_version, now = (page.get(panel, query).context["pair"].infiniband.cost for query in (asked, {}))
    assert of_version.capex_usd.total.typical > 1.5 * now.capex_usd.total.typical


def two_of_each_kind(addresses: Iterable[str]) -> list[str]:
    """Addresses that differ in what is looked at alone: a picture names each of its hundred devices."""
    kinds: dict[str, list[str]] = {}
    for address in sorted(addresses):
        path, _, query = address.partition("?")
        said = sorted(parse_qs(query).items())
        kind = path, *((key, value if key in ("tab", "view", "format") else []) for key, value in said)
        kinds.setdefault(repr(kind), []).append(address)
    return [address for alike in kinds.values() for address in alike[:2]]


def test_a_shared_page_leads_to_nothing_that_its_visitor_may_not_open(owner: User) -> None:
    design, job = finished(owner, BID)
    guest = Client()
    guest.get(reverse("shared", args=[issue(design, ShareLink.Mode.READ.value)[1]]))
    own, found = reverse("design", args=[design.pk]), set()
    for query in QUERIES:
        whole = guest.get(own, query).content.decode()
        assert strays(design, job, whole, own, [reverse(name, args=[design.pk]) for name in OPEN]) == [], query
        found |= {address for address in addresses_of(whole) if address.startswith(("/designs/", "/api/"))}
    for address in two_of_each_kind(found):
        wanted = 405 if address.endswith(FORMS) else 200
        assert guest.get(address, follow=True).status_code == wanted, address


def test_a_visitor_who_may_only_read_gets_no_fragment_of_a_version(moved: Any) -> None:
    design, job = moved
    guest = Client()
    guest.get(reverse("shared", args=[issue(design, ShareLink.Mode.READ.value)[1]]))
    tab = reverse("estimate-tab", args=[design.pk, job.pk])
    assert guest.get(tab, {"version": "1"}).status_code == 403


def test_a_side_of_a_comparison_leads_to_the_state_that_it_shows(page: Client, owner: User, moved: Any) -> None:
    design, _ = moved
    page.post(reverse("version-compare", args=[design.pk, 1]))
    made = Comparison.objects.get()
    sides = page.get(reverse("comparison", args=[made.pk])).context["sides"]
    own = reverse("design", args=[design.pk])
    assert [side.address for side in sides] == [reverse("version", args=[design.pk, 1]), own]
    assert [side.has_moved_on for side in sides] == [False, False]
    save_design(owner, parse_spec(apply_change(BID, {"compute.gpus": 512}), load_catalog()), design)
    later = page.get(reverse("comparison", args=[made.pk]))
    assert [side.has_moved_on for side in later.context["sides"]] == [False, True]
    assert f'<a href="{own}">the design as it is now</a>' in later.content.decode()
    Design.objects.get(pk=design.pk).delete()
    gone = page.get(reverse("comparison", args=[made.pk])).content.decode()
    assert str(design.pk) not in gone.split('id="sides-title"')[1]


def test_a_baseline_says_where_its_design_has_moved_on(page: Client, owner: User, moved: Any) -> None:
    design, _ = moved
    other, _ = finished(owner, BID | {"name": "Other"})
    mark(owner, design, "Frozen")
    link = f'<a href="{reverse("design", args=[design.pk])}">Bid'
    assert f"{link}</a>" in page.get(reverse("design", args=[other.pk])).content.decode()
    save_design(owner, parse_spec(apply_change(BID, {"compute.gpus": 512}), load_catalog()), design)
    assert f"{link}, as it is now</a>" in page.get(reverse("design", args=[other.pk])).content.decode()


def test_every_file_that_a_page_offers_says_design_and_state(page: Client, owner: User) -> None:
    design, job = finished(owner, BID | {"name": "Bid 7"})
    named = re.compile(rf"bid-7-[a-z0-9-]+-{job.spec_hash[:8]}(\.[a-z0-9]+)?")
    own, names, files = reverse("design", args=[design.pk]), set(), set()
    for query in QUERIES:
        text = page.get(own, query).content.decode()
        names |= set(re.findall(r'\s(?:data-file-name|data-name|download)="([^"]+)"', text.split('id="result"')[1]))
        files |= {one for one in addresses_of(text) if ".svg" in one or ("format=" in one and "format=json" not in one)}
    assert any(name.endswith(".json") for name in names), "the bill as JSON"
    assert [name for name in names if not named.fullmatch(name)] == []
    for address in sorted(files):
        if address.startswith(("/designs/", "/api/")) and "/links/" not in address:
            header = page.get(address)["Content-Disposition"]
            assert named.fullmatch(header.split('filename="')[1].rstrip('"')), (address, header)


def test_the_files_of_a_comparison_say_which(page: Client, moved: Any) -> None:
    page.post(reverse("version-compare", args=[moved[0].pk, 1]))
    text = page.get(reverse("comparison", args=[Comparison.objects.get().pk])).content.decode()
    names = re.findall(r'\s(?:data-file-name|download)="([^"]+)"', text)
    assert len(names) > 1
    assert [name for name in names if not name.startswith("bid-")] == []


def test_the_bill_says_why_its_total_is_not_the_strips_figure(page: Client, owner: User) -> None:
    design, job = finished(owner, BID)
    result = job.result or {}
    drawn, added = result["cost"]["simulated"]["capex_usd"]["p50"], result["bom"]["totals_usd"]["typical"]
    assert added == result["cost"]["capex_usd"]["total"]["typical"]
    for shown in (
        page.get(reverse("design", args=[design.pk])),
        page.get(reverse("estimate-bom", args=[design.pk, job.pk])),
    ):
        text = shown.content.decode().split('id="bill-and-strip">')[1].split("</p>")[0]
        assert usd(drawn) in text
        assert usd(added) in text
        assert "P50 of the simulation" in text
        assert ("further up than down" in text) == (drawn > added and usd(drawn) != usd(added))
    assert usd(drawn) in shown_strip(page, design)


def shown_strip(page: Client, design: Design) -> str:
    text = page.get(reverse("design", args=[design.pk])).content.decode()
    return text.split('data-figure="capex_usd"')[1].split("</div>")[0]


def test_no_rule_of_a_price_names_a_part_by_its_id(owner: User) -> None:
    _, job = finished(owner, BID)
    catalog = load_catalog()
    rules = [str(line["price_rule"]) for line in (job.result or {})["bom"]["lines"]]
    words = {word.strip(",;():") for rule in rules for word in rule.split()}
    assert [word for word in words if "-" in word and catalog.part(word)] == []
