"""Comments on a design and on its figures: who may read and write them, and what they may say."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.models import Comment, Design, ShareLink
from designer.pages.design.comments import subject_titles
from designer.pages.result.tabs import TABS
from designer.services.designs.samples import SAMPLES
from designer.services.designs.saving import save_design
from designer.services.people import comments as service
from designer.services.people.comments import LONGEST, open_of, say
from designer.services.sharing import issue, withdraw
from estimator.errors import SpecError
from tests.designer.finished_design import finished

pytestmark = pytest.mark.django_db
PLANNED = SAMPLES[0].values | {"site": {"plan": {}}, "other_fabrics": [{"role": "storage"}]}


@pytest.fixture
def design(owner: User) -> Design:
    return save_design(owner, SAMPLES[0].spec())


def guest_of(design: Design, mode: str) -> Client:
    guest = Client()
    guest.get(reverse("shared", args=[issue(design, mode)[1]]))
    return guest


def address(design: Design) -> str:
    return reverse("comments", args=[design.pk])


def test_a_comment_has_author_time_and_figure_and_is_escaped(page: Client, design: Design) -> None:
    sent = {"text": "Too <b>dear</b>?\r\nAsk again.", "figure": "cost.purchase_price"}
    text = page.post(address(design), sent, follow=True).text
    assert "Too &lt;b&gt;dear&lt;/b&gt;?<br>Ask again." in text
    one = design.comments.get()
    assert (one.by, one.figure, one.resolved_at) == ("ada", "cost.purchase_price", None)
    assert "Comments on Purchase price" in text
    assert f"{one.created_at:%H:%M} UTC" in text
    assert "Too &lt;b&gt;" in page.get(address(design)).text
    assert "Too &lt;b&gt;" not in page.get(address(design), {"figure": "cost.per_gpu"}).text
    assert "Purchase price (1 open)" in page.get(address(design)).text


def test_it_is_resolved_opened_again_and_deleted(page: Client, design: Design) -> None:
    one = say(design, "Check the reach", "", "somebody")
    change = reverse("comment-change", args=[design.pk, one.pk])
    assert "resolved by ada" in page.post(change, {"do": "resolve"}, follow=True).text
    assert open_of(design).total() == 0
    page.post(change, {"do": "reopen"})
    one.refresh_from_db()
    assert (one.resolved_at, one.resolved_by) == (None, "")
    page.post(change, {"do": "burn"})
    assert open_of(design).total() == 1
    page.post(change, {"do": "delete"})
    assert not design.comments.exists()


def test_whoever_may_edit_by_a_link_comments_too_and_deletes_their_own_alone(page: Client, design: Design) -> None:
    guest = guest_of(design, ShareLink.Mode.EDIT)
    say(design, "The owner's", "", "ada")
    assert "The owner&#x27;s" in guest.get(address(design)).text
    answer = guest.post(address(design), {"text": "From outside"}, headers={"HX-Request": "true"})
    assert answer.status_code == 200
    mine, theirs = design.comments.get(text="From outside"), design.comments.get(by="ada")
    assert mine.by.startswith("Guest ")
    assert mine.by in page.get(address(design)).text
    for one in (mine, theirs):
        guest.post(reverse("comment-change", args=[design.pk, one.pk]), {"do": "delete"})
    assert [one.pk for one in design.comments.all()] == [theirs.pk]
    guest.post(reverse("comment-change", args=[design.pk, theirs.pk]), {"do": "resolve"})
    assert open_of(design).total() == 0


def test_it_is_closed_to_all_others(design: Design) -> None:
    one = say(design, "Secret", "", "ada")
    change = reverse("comment-change", args=[design.pk, one.pk])
    reader, eve = guest_of(design, ShareLink.Mode.READ), Client()
    eve.force_login(User.objects.create_user("eve"))
    assert reader.get(address(design)).status_code == 403
    assert reader.post(address(design), {"text": "x"}).status_code == 403
    assert eve.get(address(design)).status_code == 404
    assert eve.post(change, {"do": "delete"}).status_code == 404
    assert Client().get(address(design)).status_code == 302
    guest = guest_of(design, ShareLink.Mode.EDIT)
    link = design.share_links.get(mode=ShareLink.Mode.EDIT)
    withdraw(design, link.pk)
    assert guest.get(address(design)).status_code == 404
    assert Comment.objects.count() == 1


def test_a_comment_of_another_design_is_not_there(page: Client, owner: User, design: Design) -> None:
    other = save_design(owner, SAMPLES[1].spec())
    one = say(other, "Elsewhere", "", "ada")
    assert page.post(reverse("comment-change", args=[design.pk, one.pk]), {"do": "delete"}).status_code == 404


@pytest.mark.parametrize("text", ["", "  \n ", "x" * (LONGEST + 1), "a\x00b", "a\x1b[31m"])
def test_what_is_no_comment_is_refused_and_stays_typed(page: Client, design: Design, text: str) -> None:
    answer = page.post(address(design), {"text": text, "figure": "nonsense"})
    assert answer.status_code == 422
    assert "1 to 2,000 printable characters" in answer.text
    assert not design.comments.exists()


def test_there_are_as_many_as_there_may_be(design: Design, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MOST", 2)
    say(design, "1", "", "ada")
    say(design, "2", "", "ada")
    with pytest.raises(SpecError, match="the most there can be"):
        say(design, "3", "", "ada")


def test_comments_come_in_pages(page: Client, design: Design) -> None:
    Comment.objects.bulk_create([Comment(design=design, text=f"No. {at}", by="ada") for at in range(25)])
    first, second = (page.get(address(design), {"page": at}).context["pages"] for at in (1, 2))
    assert (len(first.rows), len(second.rows)) == (20, 5)


def test_every_chart_and_section_of_a_result_can_be_commented_on(page: Client, owner: User) -> None:
    """A script puts a link at each, by these ids: one that the box does not know would open it without its name."""
    made, _ = finished(owner, PLANNED)
    known = subject_titles()
    for tab in TABS:
        shown = page.get(reverse("design", args=[made.pk]), {"tab": tab.key}).text
        result = shown[shown.index('id="tabs"') :]
        charts = {f"chart.{key}" for key in re.findall(r'data-chart="chart-([^"]+)"', result)}
        parts = {f"part.{key}" for key in re.findall(r'<section[^>]* id="([^"]+)" aria-labelledby', result)}
        assert charts | parts <= set(known), (tab.key, (charts | parts) - set(known))
    say(made, "Look at this curve", "chart.busbw", "ada")
    assert 'data-comments="{&quot;chart.busbw&quot;:1}"' in page.get(reverse("design", args=[made.pk])).text
    box = page.get(address(made), {"figure": "chart.busbw"}, headers={"HX-Request": "true"}).text
    assert "Comments on All-reduce by message size" in box
    assert '<option value="chart.busbw" selected>' in box


def test_the_design_leads_to_them_where_they_may_be_written(page: Client, design: Design) -> None:
    own = reverse("design", args=[design.pk])
    assert address(design) in page.get(own).text
    assert address(design) not in guest_of(design, ShareLink.Mode.READ).get(own).text
