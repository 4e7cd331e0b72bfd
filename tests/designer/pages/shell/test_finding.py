"""Search from anywhere: what is found, in which order, for whom, and how much of it."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.models import Design
from designer.pages.shell.entries import FILES, Entry, fixed_entries
from designer.pages.shell.finding import ranked, score
from designer.pages.shell.views import FIRST_ACTIONS, MOST, MOST_OF_KIND, RECENT
from designer.services.designs.samples import SAMPLES
from designer.services.designs.saving import request_estimate, save_design, save_version
from designer.wording.query import LONGEST_SEARCH, words_of
from estimator.jobs import tasks

pytestmark = pytest.mark.django_db


@pytest.fixture
def design(owner: User) -> Design:
    return save_design(owner, SAMPLES[0].spec())


def matches(page: Client, q: str = "", **more: Any) -> list[dict[str, str]]:
    answer = page.get(reverse("find-matches"), {"q": q, **more})
    assert answer.status_code == 200, answer.content
    return answer.json()["matches"]


def test_a_search_is_words_whatever_stands_between_them() -> None:
    assert words_of("Leaf\0 SPINE\t") == ["leaf", "spine"]


def test_the_nearer_to_the_start_of_a_title_the_better() -> None:
    titles = ["A leaf", "Leaf", "Leaf switch", "Oakleaf", "Spine"]
    entries = [Entry("Part", title, "leaf" if title == "Spine" else "", "/") for title in titles]
    found = ranked(entries, ["leaf"], 10, 10)
    assert [entry.title for entry in found.entries] == ["Leaf", "Leaf switch", "A leaf", "Oakleaf", "Spine"]
    assert ranked(entries, ["leaf"], 10, 2).n_more == 3
    assert score(entries[0], words_of("Leaf  missing")) == 0


def test_every_fixed_entry_leads_to_a_page(page: Client) -> None:
    addresses = {entry.address.partition("#")[0] for entry in fixed_entries()}
    part = reverse("catalog-part", args=["x"])[:-2]
    few = {one for one in addresses if not one.startswith(part)} | set(sorted(addresses)[::60])
    assert {one: page.get(one).status_code for one in few if page.get(one).status_code != 200} == {}
    kinds = {"Action", "Help", "Term", "Document", "Published design", "Part"}
    assert {entry.kind for entry in fixed_entries()} == kinds


def test_anchors_of_help_terms_and_published_designs_are_on_their_pages(page: Client) -> None:
    texts: dict[str, str] = {}
    for entry in fixed_entries():
        address, _, anchor = entry.address.partition("#")
        if anchor:
            text = texts.get(address) or texts.setdefault(address, page.get(address).text)
            assert f'id="{anchor}"' in text, entry


def test_designs_versions_parts_help_and_published_designs_are_found(page: Client, design: Design) -> None:
    save_version(design, "Offer of May", "sent to the board")
    found = matches(page, "offer of may")
    assert (found[0]["kind"], found[0]["address"]) == ("Version", reverse("version", args=[design.pk, 1]))
    assert any(one["title"] == "Offer of May" for one in matches(page, "board"))
    assert matches(page, design.name)[0]["address"] == reverse("design", args=[design.pk])
    assert any(one["kind"] == "Part" and "SN6600" in one["title"] for one in matches(page, "sn6600"))
    assert any(one["kind"] == "Help" for one in matches(page, "oversubscription"))
    assert any(one["kind"] == "Published design" for one in matches(page, "superpod"))
    assert matches(page, "zzzz-nothing") == []


def test_what_is_offered_before_a_word_is_typed(page: Client, owner: User, design: Design) -> None:
    for number in range(RECENT + 2):
        save_design(owner, SAMPLES[0].spec().model_copy(update={"name": f"No. {number}"}))
    kinds = [one["kind"] for one in matches(page)]
    assert kinds == ["Design"] * RECENT + ["Action"] * FIRST_ACTIONS


def test_the_open_design_adds_its_tabs_and_files(page: Client, owner: User, design: Design) -> None:
    assert not any(one["kind"] == "Export" for one in matches(page, "bill of materials", design=design.pk))
    job, _ = request_estimate(owner, SAMPLES[0].spec())
    tasks.run_estimate(str(job.pk))
    tab, *_ = matches(page, "cabling tab", design=design.pk)
    assert tab["address"] == reverse("design", args=[design.pk]) + "?tab=cabling#result"
    files = [one["address"] for one in matches(page, "export", design=design.pk) if one["kind"] == "Export"]
    assert len(files) == MOST_OF_KIND
    assert {page.get(address).status_code for address in files[: len(FILES)]} == {200}


def test_nothing_of_others_is_found(design: Design) -> None:
    save_version(design, "Secret offer")
    eve = Client()
    eve.force_login(User.objects.create_user("eve"))
    assert [one for one in matches(eve, design.name) if one["kind"] in ("Design", "Version")] == []
    assert matches(eve, "secret offer") == []
    assert eve.get(reverse("find-matches"), {"design": str(design.pk)}).status_code == 404
    assert "Secret offer" not in eve.get(reverse("find"), {"q": "secret offer"}).text
    assert Client().get(reverse("find-matches")).status_code == 302


def test_an_answer_is_bounded(page: Client, owner: User) -> None:
    for number in range(MOST_OF_KIND + 3):
        save_design(owner, SAMPLES[0].spec().model_copy(update={"name": f"Network {number}"}))
    answer = page.get(reverse("find-matches"), {"q": "network"}).json()
    assert len(answer["matches"]) <= MOST
    assert sum(one["kind"] == "Design" for one in answer["matches"]) == MOST_OF_KIND
    assert answer["n_more"] > 3
    refused = page.get(reverse("find-matches"), {"q": "x" * (LONGEST_SEARCH + 1)})
    assert refused.status_code == 400
    assert "at most 100 characters" in refused.json()["problems"][0]["message"]
    assert page.get(reverse("find-matches"), {"design": "nonsense"}).status_code == 404
    assert page.post(reverse("find-matches")).status_code == 405


def test_the_page_of_search_shows_the_same_in_groups(page: Client, design: Design) -> None:
    design.name = "<b>Mine</b>"
    design.save()
    text = page.get(reverse("find"), {"q": "mine"}).text
    assert "&lt;b&gt;Mine&lt;/b&gt;" in text
    assert "<b>Mine</b>" not in text
    assert "Nothing has all of these words" in page.get(reverse("find"), {"q": "zzzz"}).text
    assert page.get(reverse("find")).context["groups"] == []


def test_the_palette_is_offered_to_those_who_are_signed_in(page: Client, design: Design) -> None:
    text = page.get(reverse("design", args=[design.pk])).text
    assert f'data-design="{design.pk}"' in text
    assert "shell/palette.js" in text
    assert "data-palette" not in Client().get(reverse("help")).text
