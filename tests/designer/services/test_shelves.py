"""Tags and the archive of designs: what the list shows, and what is done to several at once."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.models import Comparison, Design
from designer.services.designs.listing import design_rows
from designer.services.designs.samples import SAMPLES
from designer.services.designs.saving import save_design
from designer.services.designs.shelves import LONGEST_TAG, MOST_TAGS, Shelf, put, shelved
from estimator.errors import SpecError

pytestmark = pytest.mark.django_db
ADDRESS = reverse("designs-change")


@pytest.fixture
def three(owner: User) -> list[Design]:
    spec = SAMPLES[0].spec()
    return [save_design(owner, spec.model_copy(update={"name": name})) for name in ("Hall 1", "Hall 2", "Yard")]


def names(page: Client, **query: str) -> set[str]:
    return {row.name for row in page.get(reverse("designs"), query).context["rows"]}


def test_tags_are_added_taken_off_and_filter_the_list(page: Client, three: list[Design]) -> None:
    ids = [str(row.pk) for row in three[:2]]
    before = three[0].now.updated_at
    assert page.post(ADDRESS, {"design": ids, "do": "tag", "tag": " tender "}).status_code == 302
    page.post(ADDRESS, {"design": ids[:1], "do": "tag", "tag": "tender 2"})
    assert three[0].now.tag_list == ["tender", "tender 2"]
    assert three[0].now.updated_at == before
    assert names(page, tag="tender") == {"Hall 1", "Hall 2"}
    assert names(page, tag="tender 2") == {"Hall 1"}
    assert names(page, tag="tend") == set()
    assert names(page, q="hall 1") == {"Hall 1"}
    page.post(ADDRESS, {"design": ids[:1], "do": "untag", "tag": "tender"})
    assert shelved(three[0].owner, Shelf()).tags == ["tender", "tender 2"]
    assert three[0].now.tag_list == ["tender 2"]
    assert "No design fits this filter" in page.get(reverse("designs"), {"q": "nothing"}).text


def test_what_is_archived_is_out_of_the_list_and_otherwise_as_before(page: Client, three: list[Design]) -> None:
    gone = three[2]
    empty = page.get(reverse("designs"), {"of": "archived"}).text
    assert ("No design is archived." in empty, "Start from a sample" in empty) == (True, False)
    answer = page.post(ADDRESS, {"design": [str(gone.pk)], "do": "archive"}, follow=True)
    assert "1 design archived" in answer.text
    assert names(page) == {"Hall 1", "Hall 2"}
    assert names(page, of="archived") == {"Yard"}
    assert names(page, of="all") == {"Hall 1", "Hall 2", "Yard"}
    assert "Archived" in page.get(reverse("design", args=[gone.pk])).text
    assert [row.name for row in page.get(reverse("comparison-new")).context["designs"]] == ["Hall 2", "Hall 1"]
    back = page.post(ADDRESS, {"design": [str(gone.pk)], "do": "restore"}, HTTP_REFERER="http://x/designs/?of=archived")
    assert back.headers["Location"] == f"{reverse('designs')}?of=archived"
    assert names(page) == {"Hall 1", "Hall 2", "Yard"}


def test_ticked_designs_are_compared_from_the_list(page: Client, three: list[Design]) -> None:
    text = page.get(reverse("designs")).text
    assert f'formaction="{reverse("comparison-new")}"' in text
    sent = {"kind": "designs", "design": [str(row.pk) for row in three[:2]], "tag": ""}
    assert page.post(reverse("comparison-new"), sent).status_code == 302
    assert len(Comparison.objects.get().specs) == 2


def test_an_order_keeps_the_filter_and_a_filter_the_order(page: Client, three: list[Design]) -> None:
    put(three[0].owner, [str(three[0].pk)], "tag", "a&b")
    text = page.get(reverse("designs"), {"tag": "a&b", "sort": "-gpus"}).text
    assert "?sort=name&amp;tag=a%26b" in text
    assert '<input type="hidden" name="sort" value="-gpus">' in text


@pytest.mark.parametrize(
    ("do", "tag", "words"),
    [
        ("tag", "", "1 to 30 printable characters"),
        ("tag", "x" * (LONGEST_TAG + 1), "1 to 30 printable characters"),
        ("tag", "a, b", "no comma"),
        ("burn", "", "nothing that the list does"),
    ],
)
def test_what_cannot_be_done_is_refused(page: Client, three: list[Design], do: str, tag: str, words: str) -> None:
    answer = page.post(ADDRESS, {"design": [str(three[0].pk)], "do": do, "tag": tag}, follow=True)
    assert "Nothing was changed" in answer.text
    assert words in answer.text
    assert three[0].now.tags == ""


def test_a_design_has_a_few_tags_and_all_or_nothing_is_done(three: list[Design]) -> None:
    owner, ids = three[0].owner, [str(row.pk) for row in three]
    for number in range(MOST_TAGS):
        put(owner, ids[:1], "tag", f"tag {number}")
    with pytest.raises(SpecError, match="the most a design can have"):
        put(owner, ids[::-1], "tag", "one more")
    assert three[2].now.tags == ""
    assert len(three[0].now.tag_list) == MOST_TAGS


def test_nobody_changes_designs_of_others(three: list[Design]) -> None:
    eve = User.objects.create_user("eve")
    with pytest.raises(SpecError, match="Tick 1 to"):
        put(eve, [str(three[0].pk), "nonsense"], "archive")
    assert design_rows(eve, Shelf(of="all")) == []
    assert three[0].now.archived_at is None
