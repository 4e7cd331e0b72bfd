"""The fabric tab: what each address shows, with and without scripts, what failures cost, what is found, and files."""

import html
import re
from typing import Any
from uuid import UUID
from xml.etree import ElementTree

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.drawings import fabrics
from designer.drawings.query import Asked, asked_of
from designer.models import Design
from designer.services.designs.saving import request_estimate, save_design
from designer.services.shown_page import ShownPage
from estimator.catalog.loader import load_catalog
from estimator.jobs.models import EstimateJob
from estimator.spec.parse import parse_spec
from tests.designer.finished_design import finished

SUPERPOD: dict[str, Any] = {
    "name": "Four <units>",
    "compute": {"server": "dgx-h100", "nodes": 127},
    "fabric": {"generation": "ndr", "reserved": {"fabric_manager_links": 4}},
    "other_fabrics": [{"role": "storage", "generation": "ndr", "extra_endpoints": 16}, {"role": "out-of-band"}],
}
LARGEST: dict[str, Any] = {
    "compute": {"server": "dgx-h100", "nodes": 16_384},
    "fabric": {"generation": "roce-400", "tiers": 3},
}
PAGE_BYTES = 400_000

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_diagram_is_kept() -> None:
    fabrics._diagram_of.cache_clear()


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    """Results by name, so that each is computed once."""
    return {}


def made_of(owner: User, values: dict[str, Any], results: dict[str, Any]) -> tuple[Design, EstimateJob]:
    """A design with its estimate; what an earlier test computed is taken over."""
    key = repr(values)
    if key not in results:
        design, job = finished(owner, values)
        results[key] = job.result
        return design, job
    spec = parse_spec(values, load_catalog())
    design = save_design(owner, spec)
    job, _ = request_estimate(owner, spec)
    EstimateJob.objects.filter(pk=job.pk).update(state=EstimateJob.State.SUCCEEDED, result=results[key])
    job.refresh_from_db()
    return design, job


@pytest.fixture
def made(owner: User, results: dict[str, Any]) -> tuple[Design, EstimateJob]:
    return made_of(owner, SUPERPOD, results)


def shown(client: Client, design: Design, **query: str) -> str:
    response = client.get(reverse("design", args=[design.pk]), {"tab": "fabric", **query})
    assert response.status_code == 200
    return response.content.decode()


def words_of(text: str) -> str:
    shown = text.split('id="tabs"')[1]
    without = re.sub(r'<script.*?</script>|\u2060<a class="help-dot".*?</a>|<[^>]+>', " ", shown, flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(without))


def test_the_whole_fabric_adds_up_to_the_estimate(page: Client, made: tuple[Design, EstimateJob]) -> None:
    design, job = made
    for role, fabric in job.result["fabrics"].items():
        text = words_of(shown(page, design, fabric=role))
        assert f"{sum(fabric['links'].values()):,} links" in text, role
        assert f"{fabric['counts']['leaf']:,} ×" in text


@pytest.mark.parametrize(
    ("at", "title", "crumbs"),
    [
        ("", "Whole fabric", []),
        ("unit-2", "Unit 2", ["Whole fabric", "Unit 2"]),
        ("unit-2/leaves", "Leaves, unit 2", ["Whole fabric", "Unit 2", "Leaves"]),
        ("rail-3", "Rail 3", ["Whole fabric", "Rail 3"]),
        ("leaf-r1-002", "leaf-r1-002", ["Whole fabric", "Unit 2", "leaf-r1-002"]),
        ("node-0033", "node-0033", ["Whole fabric", "Unit 2", "node-0033"]),
        ("spine-001", "spine-001", ["Whole fabric", "spine-001"]),
        ("manager-01", "manager-01", ["Whole fabric", "Unit 4", "manager-01"]),
    ],
)
def test_every_address_has_its_picture_and_the_way_back(
    page: Client, made: tuple[Design, EstimateJob], at: str, title: str, crumbs: list[str]
) -> None:
    text = shown(page, made[0], at=at)
    assert f'<h2 id="fabric-title">{title}</h2>' in text
    assert 'class="fabric-view"' in text
    nav = re.search(r'<nav class="crumbs".*?</nav>', text, flags=re.DOTALL)
    assert re.findall(r">([^<>]+)</(?:a|span)>", nav[0] if nav else "") == crumbs
    assert ("data-fabric-up" in text) == bool(at)


def test_every_link_of_a_picture_leads_to_a_picture(page: Client, made: tuple[Design, EstimateJob]) -> None:
    text = shown(page, made[0])
    addresses = {html.unescape(a) for a in re.findall(r'<a class="mark[^"]*" href="([^"]+)"', text)}
    assert len(addresses) > 40
    for address in sorted(addresses)[::9]:
        response = page.get(address.split("#")[0])
        assert response.status_code == 200
        assert 'id="fabric-title"' in response.content.decode()
        assert "is called" not in words_of(response.content.decode()), address


def test_colours_and_cuts_stay_in_the_address(page: Client, made: tuple[Design, EstimateJob]) -> None:
    text = shown(page, made[0], colour="alltoall", by="rail")
    assert "Load, all-to-all" in re.findall(r'aria-current="true">([^<]+)<', text)
    assert "Rails" in re.findall(r'aria-current="true">([^<]+)<', text)
    assert "Rail 8" in words_of(text)
    assert "colour=alltoall" in html.unescape(re.findall(r'<a class="mark way" href="([^"]+)"', text)[0])
    assert "1:1" in words_of(shown(page, made[0], colour="ratio"))


def test_a_name_is_found_and_an_unknown_one_gets_near_ones(page: Client, made: tuple[Design, EstimateJob]) -> None:
    text = shown(page, made[0], find="spine-33")
    assert "Nothing in this network is called spine-33 . Did you mean spine-0" in words_of(text)
    text = shown(page, made[0], find="pod-2")
    assert "Nothing in this network is called pod-2 . Did you mean unit-2 ?" in words_of(text)
    assert 'placeholder="node-0001, unit-2"' in text
    text = shown(page, made[0], find="<script>alert(1)</script>")
    assert "<script>alert(1)" not in text
    assert "Nothing in this network is called" in words_of(text)


@pytest.mark.parametrize(
    ("typed", "at"),
    [
        ("Leaf-R2-001", "leaf-r2-001"),
        ("unit 3", "unit-3"),
        ("spine-3", "spine-003"),
        ("Spine 03", "spine-003"),
    ],
)
def test_what_is_found_has_its_own_address(page: Client, made: tuple[Design, EstimateJob], typed: str, at: str) -> None:
    design, job = made
    address = reverse("design", args=[design.pk])
    answer = page.get(address, {"tab": "fabric", "colour": "ratio", "find": typed})
    assert answer["Location"] == f"{address}?tab=fabric&at={at}&colour=ratio#fabric"
    assert page.get(answer["Location"]).status_code == 200
    part = page.get(reverse("estimate-tab", args=[design.pk, job.pk]), {"tab": "fabric", "find": typed})
    assert part["HX-Push-Url"] == f"{address}?tab=fabric&at={at}"


@pytest.mark.parametrize(
    "query",
    [
        {"at": "pod-9"},
        {"at": "x" * 400},
        {"start": "-1"},
        {"start": "9" * 40},
        {"colour": "puce"},
        {"by": "row"},
        {"fabric": "none"},
        {"down": "," * 500},
        {"down": "nope,node-0001,spine-001~"},
        {"at": "\0"},
        {"find": "'\" or 1=1"},
    ],
)
def test_nonsense_reads_as_the_usual(page: Client, made: tuple[Design, EstimateJob], query: dict[str, str]) -> None:
    assert 'class="fabric-view"' in shown(page, made[0], **query)


def test_what_is_down_shows_what_it_costs_and_comes_back(page: Client, made: tuple[Design, EstimateJob]) -> None:
    design, _ = made
    assert "Nothing is down" in words_of(shown(page, design, colour="failure"))
    text = shown(page, design, colour="failure", down="leaf-r1-001,spine-003")
    words = words_of(text)
    before, after = (
        float(x) for x in re.search(r"All-reduce ([\d.]+) GB/s .*? from ([\d.]+) GB/s", words).groups()[::-1]
    )
    assert after < before
    assert "0 servers and 32 of 1,016 ports; the worst of the others has 7 of 8 ports left" in words
    assert "15 of 16" in words
    assert "All-to-all" in words
    assert "Bring all back" in words
    back = [html.unescape(a) for a in re.findall(r'<a class="chip" href="([^"]+)"', text)]
    assert ["down=spine-003" in back[0], "down=leaf-r1-001" in back[1]] == [True, True]
    stops = words_of(shown(page, design, colour="failure", down=",".join(f"leaf-r{n}-001" for n in range(1, 9))))
    assert "32 servers and 256 of 1,016 ports" in stops
    assert "a job on all 1,016 stops" in stops
    assert "Not a switch or a pair" in words_of(shown(page, design, colour="failure", down="node-0001"))


def test_a_switch_is_taken_down_from_its_own_picture(page: Client, made: tuple[Design, EstimateJob]) -> None:
    text = shown(page, made[0], at="spine-002")
    assert "Take it down" in text
    assert "Bring it back" in shown(page, made[0], at="spine-002", colour="failure", down="spine-002")
    assert "Take it down" not in shown(page, made[0], at="node-0001")


def test_other_networks_have_losses_without_a_prediction(page: Client, made: tuple[Design, EstimateJob]) -> None:
    words = words_of(shown(page, made[0], fabric="storage", colour="failure", down="storage-leaf-001"))
    assert "All-reduce" not in words.split("Down")[1].split("Links")[0]
    assert "devices and" in words
    assert "inside the cluster" not in words_of(shown(page, made[0], fabric="out-of-band"))
    assert '<h2 id="fabric-title">oob-leaf-001</h2>' in shown(page, made[0], fabric="out-of-band", at="oob-leaf-001")


def test_a_script_gets_the_tab_alone_and_the_address(page: Client, made: tuple[Design, EstimateJob]) -> None:
    design, job = made
    response = page.get(reverse("estimate-tab", args=[design.pk, job.pk]), {"tab": "fabric", "at": "unit-1"})
    assert response["HX-Push-Url"] == f"/designs/{design.pk}/?tab=fabric&at=unit-1"
    assert response.content.decode().lstrip().startswith('<div class="tab-area"')


def test_the_twin_has_every_port_of_a_switch(page: Client, made: tuple[Design, EstimateJob]) -> None:
    table = re.search(r"<details class=\"twin.*?</details>", shown(page, made[0], at="leaf-r8-004"), flags=re.DOTALL)[0]
    rows = re.findall(r"<tr.*?</tr>", table, flags=re.DOTALL)[1:]
    assert len(rows) == 64
    assert sum("node-" in row for row in rows) == 31
    assert sum("spine-" in row for row in rows) == 32


@pytest.mark.parametrize(
    "query", [{}, {"at": "unit-1"}, {"at": "node-0001"}, {"at": "leaf-r1-001", "colour": "failure"}]
)
def test_a_file_stands_alone(page: Client, made: tuple[Design, EstimateJob], query: dict[str, str]) -> None:
    design, job = made
    response = page.get(reverse("estimate-fabric-view", args=[design.pk, job.pk]), query)
    assert response.status_code == 200
    assert response["Content-Type"] == "image/svg+xml"
    shown = "-".join(["compute", *query.get("at", "").split("/")]).rstrip("-")
    name = f"four-units-fabric-{shown}-{job.spec_hash[:8]}.svg"
    assert response["Content-Disposition"] == f'attachment; filename="{name}"'
    root = ElementTree.fromstring(response.content)
    assert not list(root.iter("{http://www.w3.org/2000/svg}a"))
    assert "Four <units>" in "".join(root.itertext())


def test_strangers_get_no_picture(page: Client, made: tuple[Design, EstimateJob], owner: User) -> None:
    design, job = made
    address = reverse("estimate-fabric-view", args=[design.pk, job.pk])
    stranger = Client()
    stranger.force_login(User.objects.create_user("eve"))
    assert stranger.get(address).status_code == 404
    assert Client().get(address).status_code == 302
    assert page.post(address).status_code == 405
    waiting, _ = request_estimate(owner, parse_spec(SUPERPOD | {"name": "x", "site": {"plan": {}}}, load_catalog()))
    assert page.get(reverse("estimate-fabric-view", args=[design.pk, waiting.pk])).status_code == 404


def test_an_outdated_estimate_says_so(page: Client, made: tuple[Design, EstimateJob], monkeypatch: Any) -> None:
    design, job = made
    EstimateJob.objects.filter(pk=job.pk).update(model_version="0.0")
    part = page.get(reverse("estimate-tab", args=[design.pk, job.pk]), {"tab": "fabric"})
    assert "Request a new estimate" in part.content.decode()
    assert page.get(reverse("estimate-fabric-view", args=[design.pk, job.pk])).status_code == 404


def test_pictures_of_the_largest_design_stay_small(page: Client, owner: User) -> None:
    design, _ = finished(owner, LARGEST)
    for query in (
        {},
        {"at": "pod-2"},
        {"at": "pod-2/rail-3"},
        {"at": "leaf-r1-0001"},
        {"at": "nodes"},
        {"colour": "ratio"},
    ):
        assert len(shown(page, design, **query)) < PAGE_BYTES, query


def test_the_state_of_an_address_is_whole() -> None:
    asked = asked_of(
        {"at": "unit-1", "colour": "ratio", "down": "a,b,,a", "start": "7", "by": "rail"}, ["compute", "storage"]
    )
    assert asked == Asked("compute", "compute", "unit-1", "rail", 7, "ratio", ("a", "b"), "")
    assert asked.query() == {
        "tab": "fabric",
        "at": "unit-1",
        "by": "rail",
        "start": "7",
        "colour": "ratio",
        "down": "a,b",
    }
    assert asked.query(at="unit-2") == {"tab": "fabric", "at": "unit-2", "colour": "ratio", "down": "a,b"}
    assert asked.query(fabric="storage") == {"tab": "fabric", "fabric": "storage", "colour": "ratio"}
    assert asked.query(colour="role", down=()) == {"tab": "fabric", "at": "unit-1", "by": "rail", "start": "7"}
    page, query = ShownPage(UUID(int=7)), "tab=fabric&at=unit-1&by=unit&colour=ratio&down=a%2Cb"
    assert asked.href(page, by="unit") == f"{reverse('design', args=[UUID(int=7)])}?{query}#fabric"
